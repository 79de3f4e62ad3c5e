// The one place that decides which algorithm answers a request.
//
//   PathAlgorithm algorithm = chooseAlgorithm(rules, request.algorithm, facts);
#pragma once

#include <cstdint>
#include <optional>

#include "warpath/core/error.h"
#include "warpath/grid/path.h"

namespace warpath {

/// Thresholds of `auto`, from the config. Exact distances take 0 to 20,000 m.
struct AlgorithmRules {
    float uniform_exact_distance = 2000.0f;   ///< Profiles of uniform cost are answered exactly up to here [m].
    float weighted_exact_distance = 100.0f;   ///< Weighted ones up to here (the reference's astar.max_distance) [m].
    float threatened_exact_distance = 500.0f;  ///< And those that price threat or congestion up to here, since the hierarchy only estimates it [m].
    std::uint32_t group_size = 10;            ///< From this many units with one goal on, a flow field [at least 2].
    /// ... of the whole map (5 bytes a cell) where it has at most this many cells; on larger ones a tiled field that the request brings (PathRequest::field).
    std::uint64_t field_cells = 4'194'304;
    std::uint32_t jump_clutter = 60;          ///< Up to this many corners per thousand free cells jump point search wins over A* (bench/astar_bench).
    float field_from_distance = 25.0f;        ///< From this straight distance on a weighted A* is led by a GoalField (bench/astar_bench) [m].
    float field_to_distance = 500.0f;         ///< And up to this one [m]; never where it is below the other.
    std::uint64_t max_expansions = 0;         ///< Applied to requests that set no limit of their own [0: none].
    std::uint32_t portal_spacing = 12;        ///< Of the hierarchy: portals along wide entrances stand about this far apart [cells] [1..64].
    std::uint32_t group_side = 4;             ///< Chunks along a side of a group of the hierarchy's second level [0: one level alone; 2..8] (bench/long_distance_bench).

    /// The first value outside its limits, or nothing.
    [[nodiscard]] std::optional<Error> validate() const;
};

/// Goals with more cells than this in their bounding rectangle are large: no field is grown from all of them [cells].
inline constexpr std::int64_t kLargeGoalCells = 4096;

/// What the choice depends on besides the thresholds.
struct AlgorithmFacts {
    bool uniform = false;         ///< Every cell that can be entered costs the same.
    bool jumpable = false;        ///< Jump point search applies: one goal cell, strict corners, no directed limits, nothing ignored, no budget, weight 1.
    std::uint32_t clutter = 0;    ///< RegionTable::clutter.
    bool hierarchical = false;    ///< The hierarchy applies: no budget, and few chunks hold goal cells.
    std::uint64_t map_cells = 0;
    bool brings_field = false;    ///< PathRequest::field is set.
    bool fieldable = false;       ///< A flow field applies: nothing ignored, no budget, the whole way wanted.
    bool threatened = false;      ///< Threat or congestion is priced and lies on the map.
    float distance = 0.0f;        ///< Straight to the goal [m].
    std::uint32_t group_size = 1;
    bool bounded = false;         ///< The request limits the cells settled.
    std::int64_t goal_cells = 1;  ///< In the goal's bounding rectangle.
};

/// The rule: what was asked for where it applies, else by distance and uniformity. Where what was asked for does not apply (jump point search: one goal cell on
/// uniform costs with strict corners; hierarchy: no budget and no goal over many chunks; field: a goal that can be reached over ground as it is, no budget;
/// navmesh: the backend has drawn no route) A* answers. A* and jump point search are exact, fields are over the cells that they cover.
[[nodiscard]] PathAlgorithm chooseAlgorithm(const AlgorithmRules& rules, PathAlgorithm asked, const AlgorithmFacts& facts);

/// Which flow field a group with one goal shares.
enum class GroupField : std::uint8_t { None, WholeMap, Tiled };
[[nodiscard]] GroupField groupField(const AlgorithmRules& rules, std::uint32_t group_size, std::uint64_t map_cells);

/// Whether A* is led by the exact distances of a GoalField: on weighted ground, within the distances where building it pays, unless the request counts
/// cells (the field would settle them uncounted). The rule looks at the request alone, never at what is cached, so answers stay pure.
[[nodiscard]] bool ledByField(const AlgorithmRules& rules, const AlgorithmFacts& facts);

}  // namespace warpath
