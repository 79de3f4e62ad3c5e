#include "warpath/pathfinder/algorithm_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "warpath/core/number_text.h"

namespace warpath {
namespace {

constexpr float kMostMetres = 20'000.0f;

}  // namespace

bool ledByField(const AlgorithmRules& rules, const AlgorithmFacts& facts) {
    return !facts.uniform && !facts.bounded && facts.goal_cells <= kLargeGoalCells && facts.distance >= rules.field_from_distance &&
           facts.distance <= rules.field_to_distance;
}

std::optional<Error> AlgorithmRules::validate() const {
    const auto distance = [](const char* field, float value) -> std::optional<Error> {
        if (value >= 0.0f && value <= kMostMetres) return std::nullopt;  // false for NaN
        return Error{field, numberText(value), "use metres from 0 to " + numberText(kMostMetres)};
    };
    for (const auto& [field, value] : {std::pair{"uniform_exact_distance", uniform_exact_distance}, std::pair{"weighted_exact_distance", weighted_exact_distance},
                                       std::pair{"threatened_exact_distance", threatened_exact_distance}}) {
        if (auto error = distance(field, value)) return error;
    }
    for (const auto& [field, value] : {std::pair{"field_from_distance", field_from_distance}, std::pair{"field_to_distance", field_to_distance}}) {
        if (!(value >= 0.0f)) return Error{field, numberText(value), "use metres from 0"};
    }
    if (portal_spacing < 1 || portal_spacing > 64) return Error{"portal_spacing", std::to_string(portal_spacing), "use 1 to 64"};
    if (group_side == 1 || group_side > 8) return Error{"group_side", std::to_string(group_side), "use 2 to 8, or 0 for one level"};
    if (group_size < 2) return Error{"group_size", std::to_string(group_size), "use at least 2"};
    return std::nullopt;
}

GroupField groupField(const AlgorithmRules& rules, std::uint32_t group_size, std::uint64_t map_cells) {
    if (group_size < rules.group_size) return GroupField::None;
    return map_cells <= rules.field_cells ? GroupField::WholeMap : GroupField::Tiled;
}

PathAlgorithm chooseAlgorithm(const AlgorithmRules& rules, PathAlgorithm asked, const AlgorithmFacts& facts) {
    const bool jumpable = facts.uniform && facts.jumpable;
    switch (asked) {
        case PathAlgorithm::Jps: return jumpable ? PathAlgorithm::Jps : PathAlgorithm::AStar;
        case PathAlgorithm::Hierarchical: return facts.hierarchical ? PathAlgorithm::Hierarchical : PathAlgorithm::AStar;
        case PathAlgorithm::FlowField: return facts.fieldable ? PathAlgorithm::FlowField : PathAlgorithm::AStar;
        case PathAlgorithm::AStar:
        case PathAlgorithm::NavMesh: return PathAlgorithm::AStar;  // no backend drew a route
        case PathAlgorithm::Auto: break;
    }
    const GroupField shared = facts.fieldable ? groupField(rules, facts.group_size, facts.map_cells) : GroupField::None;
    if (shared == GroupField::WholeMap || (shared == GroupField::Tiled && facts.brings_field)) return PathAlgorithm::FlowField;
    const float weighted = facts.threatened ? std::max(rules.threatened_exact_distance, rules.weighted_exact_distance) : rules.weighted_exact_distance;
    const bool near = facts.distance <= (facts.uniform ? rules.uniform_exact_distance : weighted);
    if (jumpable && near && facts.clutter <= rules.jump_clutter) return PathAlgorithm::Jps;
    return near || !facts.hierarchical ? PathAlgorithm::AStar : PathAlgorithm::Hierarchical;
}

}  // namespace warpath
