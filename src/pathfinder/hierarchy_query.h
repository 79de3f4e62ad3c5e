// A query through the hierarchy: start and goal are joined to the portals of their chunks, the abstract search gives the chunks to look at, and the
// exact search finds the best route inside them.
#pragma once

#include <memory>
#include <vector>

#include "warpath/pathfinder/query.h"
#include "warpath/search/abstract_search.h"
#include "warpath/search/astar.h"
#include "warpath/search/chunk_corridor.h"
#include "warpath/search/hierarchy.h"

namespace warpath {

class ChunkCosts;

/// What is asked of the hierarchy, and the tools of the query that asks. Everything named must outlive the call.
struct HierarchyTask {
    AStar& astar;
    GoalField& field;      ///< Leads the search; it is built inside the corridor.
    TileBinding& binding;  ///< The tiles of the request.
    const std::shared_ptr<TileStore>& store;
    Cell start;            ///< Grid cell.
    const GoalShape& goal;
    const AStarOptions& options;
    PortalRules rules;
    bool uniform = false;          ///< Every cell costs the same: a narrow corridor will do.
    bool tiles_are_shared = false; ///< Nothing is exempt, so the tables hold for the tiles.
};

/// Threads: one at a time per object.
class HierarchyQuery {
public:
    HierarchyQuery();
    ~HierarchyQuery();
    HierarchyQuery(HierarchyQuery&&) noexcept;
    HierarchyQuery& operator=(HierarchyQuery&&) noexcept;

    /// Whether the goal lies in few enough chunks: of a set those of its places, of other shapes those of the bounding rectangle.
    [[nodiscard]] static bool takes(const GoalShape& goal);

    /// As AStar::run, and `astar.extract` gives the cells. The route costs at most what the tables promise (heights, threat and congestion apart, which they
    /// only estimate). Unreachable and CostLimit are as exact as those of A*: portals keep reachability, and before a cost limit is reported A* has
    /// looked under it.
    /// @param ways how many ways over portals the corridor takes in: more than the best one, so that several routes can be looked for in it.
    AStarResult run(const HierarchyTask& task, int ways = 1);

    /// The chunks in which the last `run` found its route; null where the exact search had to look everywhere, or found none.
    [[nodiscard]] const ChunkCorridor* corridor() const { return inside_ ? &corridor_ : nullptr; }

    /// The cheapest route to where the way over portals is first kFirstSteps cells away. Not Found where there is no such way, where it ends before, or where
    /// it costs more than the limit of the options. A `run` for the same right after uses the way found here.
    AStarResult firstSteps(const HierarchyTask& task);

    [[nodiscard]] const HierarchyFigures& figures() const { return figures_; }
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    /// What the last way over portals was found for.
    struct Asked {
        WorldSnapshot snapshot;
        CostKey key;
        PortalRules rules;
        Cell start;
        GoalShape goal;
    };
    static constexpr int kFirstSteps = 128;  // [cells]

    /// Finds the way over portals, or keeps the last one when it was found for the same.
    void searchPortals(const HierarchyTask& task);
    /// One search over portals, from what joinStart and joinGoal have found.
    AbstractResult searchOnce(const HierarchyTask& task, int levels);
    /// The exact search inside the corridor, led by a field. @param all_goals the task's, or the end of its first steps.
    AStarResult refine(const HierarchyTask& task, const GoalShape& all_goals);
    [[nodiscard]] int marginOf(bool uniform) const;
    void joinStart(TileBinding& binding, Cell start, const GoalShape& goal);
    Cost priceRoute(TileBinding& binding, Cost promised);
    /// Adds the ways that are best once what the ways before cross between their ends is dearer.
    void openOtherWays(const HierarchyTask& task, int ways);
    void openCorridor(const HierarchyTask& task);
    void joinGoal(TileBinding& binding, const GoalShape& goal);

    HierarchyView view_;
    AbstractSearch search_;
    AbstractResult abstract_;
    std::vector<AbstractStep> route_;  // over portals, the one that is refined
    Asked asked_;
    bool inside_ = false;   // `corridor_` holds the last route found
    bool kept_ = false;  // firstSteps came last: abstract_ and route_ are the answer to asked_
    GoalShape stretch_end_;
    GoalShape near_goals_;      // of a set, the places inside the corridor
    std::vector<Cell> places_;  // of a set, those inside the corridor
    HierarchyFigures figures_;
    ChunkCorridor corridor_;
    std::unique_ptr<ChunkCosts> costs_;
    std::vector<PortalCost> seeds_;
    std::vector<GoalChunk> goals_;
    std::size_t goal_count_ = 0;
    std::vector<Cell> goal_cells_;  // on the map, chunk by chunk
    std::vector<std::uint32_t> row_;
    Cost direct_ = UINT64_MAX;
};

}  // namespace warpath
