// Reads maps and scenarios of the MovingAI benchmark sets.
//
//   auto loaded = loadMap("arena.map", {});                       // uniform, as the benchmark sets define
//   if (auto* error = std::get_if<Error>(&loaded)) return say(error->text());   // "arena.map:7: 48 letters; ..."
//   std::unique_ptr<World> world = std::get<std::unique_ptr<World>>(std::move(loaded));
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/core/types.h"
#include "warpath/world/world.h"

namespace warpath {

/// What the letters of a `.map` mean.
enum class MapModel : std::uint8_t {
    Uniform,  ///< `.` `G` `S` are ground of cost 1 for every class; every other letter is an obstacle. No cover, no exposure.
    Costs,    ///< Each letter has a cost of its own, the same for every class; 0 is an obstacle. No cover, no exposure.
    Terrain,  ///< `.` `G` grass, `S` swamp, `W` water, `T` trees (an obstacle on forest), `@` `O` rock (an obstacle). Cover is priced.
};

/// The cost of each letter per metre: 0 = blocked, negative = the letter has none.
struct LetterCosts {
    std::array<float, 128> cost = filled(-1.0f);

    static constexpr std::array<float, 128> filled(float value) {
        std::array<float, 128> all{};
        for (float& each : all) each = value;
        return all;
    }
};

/// Heights of the obstacles that the loader places [m]: both give full cover and close sight, also between the rooms of a uniform map.
inline constexpr float kMapRockHeight = 3.0f;
inline constexpr float kMapTreeHeight = 4.0f;

struct MapOptions {
    MapModel model = MapModel::Uniform;
    LetterCosts costs{};                          ///< Read by MapModel::Costs only.
    /// Terrain: used as they are. Uniform, Costs: classes, speeds, road costs and cover are kept; multipliers are the letters' (all 1 for Uniform), Costs
    /// has the letters as its only terrain types; `fixed_terrain` is set, so that a configuration given later does not undo that.
    WorldRules rules = WorldRules::reference();
};

/// Builds a world from the text of a `.map`: a header (`type octile`, `height H`, `width W`, `map`) and H rows of W letters. Lines may end
/// in LF or CRLF. The north west corner becomes cell (0, 0).
///
/// @param name The file's name, for errors.
/// @return the world, or an Error whose field is "name:line" (or "name"): a header line that is missing, repeated, unknown or out of
///   1..8192; a row that is too short or too long; too few or too many rows; a byte that is no letter; a letter without meaning in the model.
/// Sizes in the header are believed only after the text is known to be that long. Cost: linear in the map. Keeps no reference to `text`.
[[nodiscard]] std::variant<std::unique_ptr<World>, Error> parseMap(std::string_view text, std::string_view name, const MapOptions& options);

/// The same from a file. Also refuses what cannot be read and what is larger than any map.
[[nodiscard]] std::variant<std::unique_ptr<World>, Error> loadMap(const std::string& path, const MapOptions& options);

/// Reads letter-cost pairs, one a line ("a 2.5"); blank lines are skipped. Costs are 0 (blocked) or 0.1..98.99, kept in hundredths.
[[nodiscard]] std::variant<LetterCosts, Error> parseLetterCosts(std::string_view text, std::string_view name);
[[nodiscard]] std::variant<LetterCosts, Error> loadLetterCosts(const std::string& path);

/// One query of a scenario file.
struct Scenario {
    std::uint32_t bucket = 0;
    std::int32_t width = 0;   ///< Size of the map that the query was made for [cells].
    std::int32_t height = 0;
    Cell start{};
    Cell goal{};
    double length = 0.0;      ///< The optimal length or cost [m].
    std::string map;          ///< The map as the file names it.
    std::uint32_t line = 0;   ///< Where it stands in the file, from 1.
};

struct ScenarioFile {
    std::string name;
    std::vector<Scenario> scenarios;
};

/// Reads a `.scen`: `version 1`, then nine columns a line, separated by any white space; blank lines are skipped. Start and goal lie inside
/// the size that their line gives.
[[nodiscard]] std::variant<ScenarioFile, Error> parseScenarios(std::string_view text, std::string_view name);
[[nodiscard]] std::variant<ScenarioFile, Error> loadScenarios(const std::string& path);

/// The first scenario that was made for a map of another size than this, or nothing.
[[nodiscard]] std::optional<Error> checkScenarios(const ScenarioFile& file, const WorldSnapshot& snapshot);

}  // namespace warpath
