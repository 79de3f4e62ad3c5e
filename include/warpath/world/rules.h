// What a world is made of and what it costs whom: terrain types, unit classes, road costs, cover and threat settings. All of it is data.
//
//   WorldRules rules = WorldRules::reference();
//   rules.unit_classes.push_back({"hovercraft", 14.0f, {...one multiplier per terrain type...}});
//   World world({.width = 512, .height = 512, .rules = rules});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/core/error.h"

namespace warpath {

/// Index of a terrain type in WorldRules::terrain_types. The ten of the default set have names here; a game may append its own.
enum class Terrain : std::uint8_t { Road, Grass, Forest, Swamp, Mountain, Urban, Sand, Snow, Water, Rubble };

/// Index of a unit class in WorldRules::unit_classes. The six of the default set have names here; a game may append its own.
enum class UnitType : std::uint8_t { Infantry, TankLight, TankMedium, TankHeavy, Wheeled, Tracked };

/// What stands on a cell. Every obstacle blocks the ground.
enum class ObstacleKind : std::uint8_t { None, Building, Wall, Rock, Vegetation };

[[nodiscard]] const char* toString(ObstacleKind kind);

/// A multiplier from here on means "cannot enter".
inline constexpr float kImpassable = 99.0f;
/// The most terrain types and unit classes a world may have.
inline constexpr std::size_t kMaxTerrainTypes = 64;
inline constexpr std::size_t kMaxUnitClasses = 32;

struct TerrainType {
    std::string name{};         ///< Snake case (a-z, 0-9, _; a letter first), at most 64, unique.
    bool is_road = false;       ///< Subject to prefer_roads and avoid_roads.
    bool is_water = false;      ///< Forbidden by avoid_water.
    bool closes_sight = false;  ///< Blocks the short views that exposure counts (forest, urban).
    friend bool operator==(const TerrainType&, const TerrainType&) = default;
};

struct UnitClass {
    std::string name{};              ///< Snake case (a-z, 0-9, _; a letter first), at most 64, unique.
    float speed = 1.0f;              ///< On terrain of multiplier 1 [m/s] [> 0]. Used for travel times when the request gives none.
    std::vector<float> multipliers{}; ///< Cost per metre by terrain type [none] [0.01..98.99, or >= 99: impassable].
    friend bool operator==(const UnitClass&, const UnitClass&) = default;
};

/// Costs of configured size for the road wishes of a request.
struct RoadCosts {
    float prefer = 0.5f;  ///< prefer_roads: added per metre to every cell that is not a road [0..15].
    float avoid = 2.0f;   ///< avoid_roads: added per metre to every road cell [0..15].
    friend bool operator==(const RoadCosts&, const RoadCosts&) = default;
};

/// How cover and exposure are read off the terrain.
struct CoverRules {
    float full_height = 2.0f;       ///< Obstacles from this height on give full cover [m] [0.1..80].
    float detection_radius = 5.0f;  ///< How far exposure looks for open sight [m] [1..16] (the reference's cover_detection_radius).
    float eye_height = 1.7f;        ///< Obstacles at least this high close sight [m] [0..80].
    friend bool operator==(const CoverRules&, const CoverRules&) = default;
};

/// Everything that is the same for the whole world. A value; worlds and snapshots share one immutable copy.
struct WorldRules {
    std::vector<TerrainType> terrain_types;
    std::vector<UnitClass> unit_classes;
    RoadCosts roads;
    CoverRules cover;
    /// The map's letters are its terrain (uniform and letter-cost maps): a configuration changes neither types nor multipliers, only the rest.
    bool fixed_terrain = false;

    /// The reference's ten terrain types and five unit classes, plus TankMedium as the mean of light and heavy.
    [[nodiscard]] static WorldRules reference();

    /// The first value outside its limits, or nothing. Linear in the size of the tables.
    [[nodiscard]] std::optional<Error> validate() const;

    /// These rules for a world that has others: themselves, but with the world's terrain types and multipliers where those are fixed (a class that
    /// the world does not have takes the multipliers of its first one, which on such maps are every class's).
    [[nodiscard]] WorldRules appliedTo(const WorldRules& of_world) const;

    /// Index of a terrain type or unit class by name; nothing when unknown. Linear.
    [[nodiscard]] std::optional<Terrain> terrainByName(std::string_view name) const;
    [[nodiscard]] std::optional<UnitType> unitByName(std::string_view name) const;
    friend bool operator==(const WorldRules&, const WorldRules&) = default;
};

}  // namespace warpath
