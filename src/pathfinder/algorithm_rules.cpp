#include "warpath/pathfinder/algorithm_rules.h"

namespace warpath {

AlgorithmChoice chooseAlgorithm(const AlgorithmRules& rules, PathAlgorithm asked, bool uniform, float distance, std::uint32_t group_size) {
    switch (asked) {
        case PathAlgorithm::AStar: return {PathAlgorithm::AStar, "A* was asked for"};
        case PathAlgorithm::Jps: return {PathAlgorithm::AStar, "jump point search is not part of this build; A* gives the same costs"};
        case PathAlgorithm::Hierarchical: return {PathAlgorithm::AStar, "the hierarchy is not part of this build; A* is exact"};
        case PathAlgorithm::FlowField: return {PathAlgorithm::AStar, "flow fields are not part of this build; A* is exact"};
        case PathAlgorithm::NavMesh: return {PathAlgorithm::AStar, "the navmesh is not part of this build; A* is exact"};
        case PathAlgorithm::Auto: break;
    }
    if (group_size >= rules.group_size) return {PathAlgorithm::AStar, "a group that a flow field would serve; not part of this build, so A*"};
    if (uniform && distance <= rules.uniform_exact_distance) return {PathAlgorithm::AStar, "uniform costs within the exact distance"};
    if (!uniform && distance <= rules.weighted_exact_distance) return {PathAlgorithm::AStar, "weighted costs within the exact distance"};
    return {PathAlgorithm::AStar, "beyond the exact distances the hierarchy would serve; not part of this build, so A*"};
}

}  // namespace warpath
