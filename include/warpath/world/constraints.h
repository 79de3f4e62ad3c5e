// What a request wishes and forbids, in the words of a designer, and the exact numbers that the searches use.
//
//   PathConstraints wishes{.threat_weight = 6.0f, .unit_type = UnitType::TankLight, .doctrine = Doctrine::Cautious};
//   auto metric = resolve(wishes, snapshot.rules());       // preset of the doctrine; explicit fields win
//   if (auto* error = std::get_if<Error>(&metric)) ...
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "warpath/core/error.h"
#include "warpath/world/rules.h"

namespace warpath {

/// Presets of the weights (values in doctrineWeights).
enum class Doctrine : std::uint8_t { Aggressive, Balanced, Cautious, Stealth };

/// When a diagonal step is legal, by its two side cells.
enum class DiagonalRule : std::uint8_t {
    Strict,  ///< Both side cells free (default: a body never cuts a corner).
    Never,   ///< No diagonal steps.
    One,     ///< At least one side cell free.
    Always,  ///< Whatever the side cells are.
};

[[nodiscard]] const char* toString(Doctrine doctrine);
[[nodiscard]] const char* toString(DiagonalRule rule);

/// The wishes of one request. A field left out takes the doctrine's value; a field that is set wins, even when it is set to a default.
struct PathConstraints {
    std::optional<float> threat_weight{};     ///< Price of a metre at threat 1 [m] [0..20].
    std::optional<float> cover_weight{};      ///< Price of a metre without cover [m] [0..20].
    std::optional<float> elevation_weight{};  ///< Price of a metre up or down [m] [0..20].
    std::optional<float> terrain_weight{};    ///< How much the terrain's multiplier counts [none] [0..20].
    std::optional<float> exposure_weight{};   ///< Price of a metre in full view [m] [0..20].
    std::optional<bool> prefer_roads{};       ///< Adds RoadCosts::prefer off the road.
    std::optional<bool> avoid_roads{};        ///< Adds RoadCosts::avoid on the road.

    bool avoid_water = false;               ///< Forbids water even to classes that could enter it.
    float max_slope = 30.0f;                ///< Steepest climb of a step [degrees] [0..90; 90: no limit].
    std::optional<float> max_slope_down{};    ///< Steepest descent of a step [degrees] [0..90] [max_slope].
    float wall_distance = 0.0f;             ///< How near an obstacle starts to cost [cells] [0..8] [0: never].
    float wall_weight = 0.0f;               ///< Price of a metre right beside an obstacle, falling to 0 over wall_distance [m] [0..16].
    DiagonalRule diagonal = DiagonalRule::Strict;

    UnitType unit_type = UnitType::Infantry;
    std::optional<float> unit_speed{};        ///< For travel times [m/s] [0.001..1000] [the class's speed].
    float unit_radius = 0.5f;               ///< The unit occupies n x n cells, n = ceil(2 radius) [m] [0.01..8].

    Doctrine doctrine = Doctrine::Balanced;

    friend bool operator==(const PathConstraints&, const PathConstraints&) = default;
};

/// The weights of a doctrine as the reference gives them.
struct DoctrineWeights {
    float threat, cover, elevation, terrain, exposure;
    bool prefer_roads, avoid_roads;
};
[[nodiscard]] DoctrineWeights doctrineWeights(Doctrine doctrine);

/// Constraints that price plain distance and terrain only: every other weight zero.
[[nodiscard]] PathConstraints plainDistance();

enum class RoadMode : std::uint8_t { Neutral = 0, Prefer = 1, Avoid = 2, PreferAndAvoid = 3 };

/// Everything that forbids. Two requests with equal profiles can go to exactly the same cells.
struct MobilityProfile {
    UnitType unit_type = UnitType::Infantry;
    bool avoid_water = false;
    DiagonalRule diagonal = DiagonalRule::Strict;
    std::uint8_t size = 1;  ///< The unit occupies size x size cells, anchored at the top-left one.
    /// Largest rise and drop of a step between cell centres [cm]; straight and diagonal.
    std::int32_t max_rise[2] = {kNoLimit, kNoLimit};
    std::int32_t max_drop[2] = {kNoLimit, kNoLimit};

    static constexpr std::int32_t kNoLimit = INT32_MAX;
    /// Whether heights can forbid steps at all.
    [[nodiscard]] bool limitsSlope() const { return max_rise[0] != kNoLimit || max_drop[0] != kNoLimit; }
    friend bool operator==(const MobilityProfile&, const MobilityProfile&) = default;
};

/// A profile and the static prices: what a table of distances can be kept for. Weights in hundredths. Threat is not part of it.
struct Metric {
    MobilityProfile profile;
    std::uint16_t terrain_weight = 100;
    std::uint16_t exposure_weight = 0;
    std::uint16_t cover_weight = 0;
    std::uint16_t elevation_weight = 0;
    std::uint16_t wall_weight = 0;
    std::uint8_t wall_distance = 0;  ///< [cells]
    RoadMode roads = RoadMode::Neutral;
    friend bool operator==(const Metric&, const Metric&) = default;
};

/// A metric with the price of threat, and the speed for travel times: all that a search needs to know of the constraints.
struct ResolvedConstraints {
    Metric metric;
    std::uint16_t threat_weight = 0;  ///< Hundredths.
    float speed = 1.0f;               ///< [m/s]
    Doctrine doctrine = Doctrine::Balanced;
};

/// Applies the doctrine, checks every limit, quantises to hundredths.
/// @return the numbers, or the first field outside its limits (NaN and infinities included). No allocation on success.
[[nodiscard]] std::variant<ResolvedConstraints, Error> resolve(const PathConstraints& constraints, const WorldRules& rules);

}  // namespace warpath
