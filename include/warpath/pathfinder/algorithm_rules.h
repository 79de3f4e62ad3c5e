// The one place that decides which algorithm answers a request.
//
//   AlgorithmChoice choice = chooseAlgorithm(rules, request, uniform, distance);   // choice.reason says why
#pragma once

#include <cstdint>

#include "warpath/grid/path.h"

namespace warpath {

/// Thresholds of `auto`, from the config.
struct AlgorithmRules {
    float uniform_exact_distance = 2000.0f;   ///< Profiles of uniform cost are answered exactly up to here [m].
    float weighted_exact_distance = 100.0f;   ///< Weighted ones up to here (the reference's astar.max_distance) [m].
    std::uint32_t group_size = 10;            ///< From this many units with one goal on, a flow field.
    std::uint64_t max_expansions = 0;         ///< Applied to requests that set no limit of their own [0: none].
};

struct AlgorithmChoice {
    PathAlgorithm algorithm = PathAlgorithm::AStar;
    const char* reason = "";  ///< A sentence for people.
};

/// The rule: what was asked for where it applies, else by distance and uniformity.
/// Parts that this build does not have are answered by A*, and the reason says so.
[[nodiscard]] AlgorithmChoice chooseAlgorithm(const AlgorithmRules& rules, PathAlgorithm asked, bool uniform, float distance, std::uint32_t group_size);

}  // namespace warpath
