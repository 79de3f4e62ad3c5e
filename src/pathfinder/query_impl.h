// What a Query holds between requests: the shared store, the bound chunks, the search and its buffers.
#pragma once

#include <memory>
#include <vector>

#include "pathfinder/endpoints.h"
#include "pathfinder/route_overlap.h"
#include "warpath/pathfinder/query.h"
#include "warpath/search/astar.h"
#include "warpath/search/jps.h"

namespace warpath {

struct Query::Impl {
    std::shared_ptr<TileStore> store;
    AlgorithmRules rules;
    TileBinding binding;
    AStar astar;
    GoalField field;
    JumpPointSearch jps;
    Endpoints ends;
    GoalShape nearest_goal;
    std::vector<CellId> cells, nearest;
    RouteRules routes;

    // Several routes: a second binding whose costs are raised, what they are raised by, and the cells of the route at hand.
    TileBinding raised;
    std::vector<TileBinding::ExtraCost> extra;
    std::vector<CellId> candidate, piece;
    std::vector<Cost> prefix;
    std::vector<RouteOverlap> overlaps;
    GoalShape piece_goal;

    // The region table of the last profile and snapshot, so that queries in a row ask the shared store once.
    WorldSnapshot regions_snapshot;
    MobilityProfile regions_profile;
    std::shared_ptr<const RegionTable> regions_table;

    const RegionTable& regionsOf(const WorldSnapshot& snapshot, const MobilityProfile& profile) {
        if (regions_table == nullptr || !(regions_snapshot == snapshot) || !(regions_profile == profile)) {
            regions_table = store->regions(snapshot, profile);
            regions_snapshot = snapshot;
            regions_profile = profile;
        }
        return *regions_table;
    }

    /// One search with everything around it. `resolved` belongs to the request.
    PathStatus solve(const WorldSnapshot& snapshot, const PathRequest& request, const ResolvedConstraints& resolved, Path& out);

    /// After `solve` has found the first route: others. Sets the labels of all.
    void findDiverse(const WorldSnapshot& snapshot, const MultiPathRequest& request, const ResolvedConstraints& resolved, std::vector<Path>& out);
    void findFlanking(const WorldSnapshot& snapshot, const MultiPathRequest& request, const ResolvedConstraints& resolved, std::vector<Path>& out);

    /// A route to the same goal where `extra` is added to the costs; its cells go to `candidate`.
    AStarResult searchRaised(const PathRequest& request);
    /// Fills `prefix` with the cost from the start to each cell of `candidate`.
    void measureCandidate();
    /// Replaces stretches of `candidate` that are not the cheapest way between their ends, as far as the stretches cost no more than `reach`.
    /// @return false when it was given up.
    bool straighten(Cost reach);
    bool straightenWindows(Cost window, Cost step, Cost& allowance);
    /// Turns `candidate` into a path with its metrics.
    void buildCandidate(const PathRequest& request, const ResolvedConstraints& resolved, Path& out);
};

}  // namespace warpath
