#include "warpath/pathfinder/algorithm_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "warpath/core/number_text.h"

namespace warpath {
namespace {

constexpr std::int64_t kLargestGoal = 4096;  // larger goals have the field begin with too many chunks

}  // namespace

bool ledByField(const AlgorithmRules& rules, const AlgorithmFacts& facts) {
    return !facts.uniform && !facts.bounded && facts.goal_cells <= kLargestGoal && facts.distance >= rules.field_from_distance &&
           facts.distance <= rules.field_to_distance;
}

std::optional<Error> AlgorithmRules::validate() const {
    const auto distance = [](const char* field, float value) -> std::optional<Error> {
        if (value >= 0.0f && value <= 20'000.0f) return std::nullopt;  // false for NaN
        return Error{field, numberText(value), "use metres from 0 to 20000"};
    };
    if (auto error = distance("uniform_exact_distance", uniform_exact_distance)) return error;
    if (auto error = distance("weighted_exact_distance", weighted_exact_distance)) return error;
    for (const auto& [field, value] : {std::pair{"field_from_distance", field_from_distance}, std::pair{"field_to_distance", field_to_distance}}) {
        if (!(value >= 0.0f)) return Error{field, numberText(value), "use metres from 0"};
    }
    if (auto error = distance("threatened_exact_distance", threatened_exact_distance)) return error;
    if (portal_spacing < 1 || portal_spacing > 64) return Error{"portal_spacing", std::to_string(portal_spacing), "use 1 to 64"};
    if (group_side == 1 || group_side > 8) return Error{"group_side", std::to_string(group_side), "use 2 to 8, or 0 for one level"};
    if (group_size < 2) return Error{"group_size", std::to_string(group_size), "use at least 2"};
    return std::nullopt;
}

GroupField groupField(const AlgorithmRules& rules, std::uint32_t group_size, std::uint64_t map_cells) {
    if (group_size < rules.group_size) return GroupField::None;
    return map_cells <= rules.field_cells ? GroupField::WholeMap : GroupField::Tiled;
}

AlgorithmChoice chooseAlgorithm(const AlgorithmRules& rules, PathAlgorithm asked, const AlgorithmFacts& facts) {
    const bool jumpable = facts.uniform && facts.jumpable;
    switch (asked) {
        case PathAlgorithm::AStar: return {PathAlgorithm::AStar, "A* was asked for"};
        case PathAlgorithm::Jps:
            if (jumpable) return {PathAlgorithm::Jps, "jump point search was asked for"};
            return {PathAlgorithm::AStar, "jump point search needs one goal cell on uniform costs with strict corners; A* gives the same costs"};
        case PathAlgorithm::Hierarchical:
            if (facts.hierarchical) return {PathAlgorithm::Hierarchical, "the hierarchy was asked for"};
            return {PathAlgorithm::AStar, "the hierarchy takes no budget of expansions and no goal that spreads over many chunks; A* is exact"};
        case PathAlgorithm::FlowField:
            if (facts.fieldable) return {PathAlgorithm::FlowField, "a flow field was asked for"};
            return {PathAlgorithm::AStar, "a field leads to a goal that can be reached, over ground as it is, without a budget; A* gives the same costs"};
        case PathAlgorithm::NavMesh: return {PathAlgorithm::AStar, "no navmesh drew a route: none is set, or it has none for this request; A* is exact"};
        case PathAlgorithm::Auto: break;
    }
    const GroupField shared = facts.fieldable ? groupField(rules, facts.group_size, facts.map_cells) : GroupField::None;
    if (shared == GroupField::WholeMap || (shared == GroupField::Tiled && facts.brings_field)) {
        return {PathAlgorithm::FlowField, "a group with one goal shares a flow field"};
    }
    const float weighted = facts.threatened ? std::max(rules.threatened_exact_distance, rules.weighted_exact_distance) : rules.weighted_exact_distance;
    const float exact_distance = facts.uniform ? rules.uniform_exact_distance : weighted;
    const bool near = facts.distance <= exact_distance;
    if (jumpable && near && facts.clutter <= rules.jump_clutter) return {PathAlgorithm::Jps, "uniform costs on open ground"};
    if (near) return {PathAlgorithm::AStar, facts.uniform ? "uniform costs within the exact distance" : "weighted costs within the exact distance"};
    if (facts.hierarchical) return {PathAlgorithm::Hierarchical, "beyond the exact distance"};
    return {PathAlgorithm::AStar, "beyond the exact distance, but with a budget or a goal that the hierarchy does not take"};
}

}  // namespace warpath
