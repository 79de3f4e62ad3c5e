// Worlds as JSON: what a designer writes by hand and a tool writes for people. config/world.schema.json is the schema.
//
//   auto loaded = loadWorldJson("valley.json");
//   if (auto* error = std::get_if<Error>(&loaded)) return say(error->text());   // "valley.json:12: obstacles[3].kind: "hut"; use building, ..."
//   LoadedWorld& valley = std::get<LoadedWorld>(loaded);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "warpath/core/error.h"
#include "warpath/io/loaded_world.h"

namespace warpath {

/// Height of an obstacle that gives none [m].
inline constexpr float kDefaultObstacleHeight = 2.0f;

/// Reads a world. Members: `width`, `height` (required); `origin` [x, y]; `terrain`, one string a row from north to south, and `legend`,
/// letter -> terrain name (without a legend: . G grass, R road, T F forest, S swamp, M mountain, U urban, D sand, N snow, W water, B rubble);
/// without terrain all is grass; `elevation`, one number or a row of numbers per row of cells [m]; `obstacles` with `rect` [x, y, width, height]
/// in world cells (clipped to the map), `kind` and `height` [m], later ones replacing earlier ones; `threats` with `position`, `range`, `firepower`, `side`
/// (default 0) and `id` (default: its place in the list, from 1); `has_cover` (default true).
///
/// @param name The file's name, for errors. @param rules What the terrain names refer to.
/// @return the world, or an Error whose field is "name:line" and, where there is one, the path of the member: syntax; an unknown, missing
///   or repeated member; a wrong type; a value out of its limits; rows that do not fit the size; a letter or name without meaning.
/// Nothing is allocated on the word of `width` and `height` alone: a world without rows shares one chunk record.
[[nodiscard]] std::variant<LoadedWorld, Error> parseWorldJson(std::string_view text, std::string_view name,
                                                              const WorldRules& rules = WorldRules::reference());
[[nodiscard]] std::variant<LoadedWorld, Error> loadWorldJson(const std::string& path, const WorldRules& rules = WorldRules::reference());

/// Writes terrain, heights, obstacles and threats; rules, congestion and published threat are not part of this format (see world_binary.h).
/// Equal worlds give equal text; parseWorldJson takes it back. @pre checkThreatSources finds nothing in any side's (asserted). Obstacles come as rectangles of equal kind and height, in row order of their first cells.
[[nodiscard]] std::string writeWorldJson(const WorldSnapshot& snapshot, const ThreatsBySide& threats = {});
/// @return what cannot be written of the threats (the text would be no JSON, or refused when read), or why the file cannot be.
[[nodiscard]] std::optional<Error> saveWorldJson(const std::string& path, const WorldSnapshot& snapshot, const ThreatsBySide& threats = {});

}  // namespace warpath
