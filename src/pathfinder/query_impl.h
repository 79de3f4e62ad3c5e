// What a Query holds between requests: the shared store, the bound chunks, the search and its buffers.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pathfinder/endpoints.h"
#include "pathfinder/hierarchy_query.h"
#include "pathfinder/route_overlap.h"
#include "pathfinder/straight_legs.h"
#include "pathfinder/tile_planner.h"
#include "pathfinder/via_trees.h"
#include "warpath/flow/fast_marching.h"
#include "warpath/flow/flow_builder.h"
#include "warpath/pathfinder/query.h"
#include "warpath/search/astar.h"
#include "warpath/search/jps.h"

namespace warpath {

/// A step may be legal one way and not the other: then regions only refuse, and the search decides.
[[nodiscard]] inline bool hasOneWaySteps(const MobilityProfile& profile, const WorldSnapshot& snapshot) {
    return snapshot.state().elevated_chunks != 0 && (profile.max_rise[0] != profile.max_drop[0] || profile.max_rise[1] != profile.max_drop[1]);
}

/// A waypoint of a route that is drawn in part.
struct RouteCorner {
    Position position;
    LegKind leg = LegKind::Grid;  ///< From here on.
    std::size_t cell = 0;         ///< Index of the cell where it lies.
};

struct Query::Impl {
    std::shared_ptr<TileStore> store;
    AlgorithmRules rules;
    TileBinding binding;
    AStar astar;
    GoalField field;
    JumpPointSearch jps;
    HierarchyQuery hierarchy;
    Endpoints ends;
    GoalShape nearest_goal;
    // Drawn routes: the leg at hand, and the route as it is put together.
    DrawnRoute drawn;
    std::vector<Position> drawn_via;
    std::vector<Cell> drawn_cells;
    std::vector<CellId> leg_cells, found_cells;
    std::vector<RouteCorner> corners;
    /// Binds the tiles for a request that can be drawn. @return NotPlain when it cannot be, else Drawn.
    DrawOutcome prepareDrawing(const WorldSnapshot& snapshot, const PathRequest& request, std::optional<ResolvedConstraints>& resolved);
    /// Draws a leg and lays it onto `leg_cells`; its corners, the ends asked for included, are those of `drawn`.
    DrawOutcome drawLeg(IRouteFinder& finder, const RouteQuestion& question);
    /// What the steps from one cell to the next cost on the binding.
    Cost costOf(std::span<const CellId> steps);
    /// Whether the drawn route in `cells` costs little more than the grid's route.
    bool isNearBest(const WorldSnapshot& snapshot, const PathRequest& request, const ResolvedConstraints& resolved);
    /// Appends cells and corners of the leg at hand.
    void takeLeg();
    /// Appends the stretch first..last of a found route, redrawn where that can be.
    void redraw(IRouteFinder& finder, const RouteQuestion& whole, std::span<const CellId> route, std::size_t first, std::size_t last, std::uint64_t& expansions);
    /// Appends it as it is.
    void keepSteps(std::span<const CellId> route, std::size_t first, std::size_t last, int size);
    /// Makes the path from `cells` and `corners`.
    void finishDrawn(const PathRequest& request, const ResolvedConstraints& resolved, Path& out);
    std::vector<CellId> cells, nearest;
    RouteRules routes;
    StraightLegs legs;
    /// Makes the path from `cells`, pulled straight where that is asked for, with its metrics.
    void buildAnswer(const RouteEnds& route_ends, PathDetail detail, const ResolvedConstraints& resolved, Path& out);

    // Several routes: trees of cheapest ways, and the cells of the route at hand.
    ViaTrees trees;
    Path probe;  ///< Of `reachable`, where a search has to decide.
    std::vector<Via> vias;
    // Flanks: a second binding whose costs are raised, and what they are raised by.
    TileBinding raised;
    std::vector<TileBinding::ExtraCost> extra;
    std::vector<CellId> candidate, piece;
    std::vector<Cost> prefix;
    std::vector<RouteOverlap> overlaps;
    bool first_through_hierarchy = false;  ///< Of several routes.
    CellBits visited;
    GoalShape piece_goal;

    // The last field that a path was traced along without being handed one, so that requests in a row share it.
    std::unique_ptr<FlowBuilder> flow;  ///< Made on first use, as is `marching`.
    std::unique_ptr<FastMarching> marching;
    std::unique_ptr<TilePlanner> tiled;  ///< Made on first use.
    FieldKey own_key;
    FieldBasis own_field;

    /// Whether each step of a route is legal on the binding. @param since when not 0, steps in chunks near which no ground has changed after that revision
    /// are taken to be.
    PathValidation checkSteps(const WorldSnapshot& snapshot, std::span<const Cell> route, int size, std::uint64_t since);
    /// The field that the request brings when it fits, else one made here unless `only_brought`.
    std::shared_ptr<const FlowField> fieldFor(const WorldSnapshot& snapshot, const PathRequest& request, bool only_brought);
    /// Follows the arrows from the start into `cells`. @return the cost that the field promises; nothing when it does not lead to the goal.
    std::optional<Cost> traceField(const FlowField& along);
    PathStatus buildField(const WorldSnapshot& snapshot, const FieldRequest& request, const FieldBasis& basis, FieldResult& out);
    /// The chunks of a tiled field. @return false when it is to be an ordinary one.
    bool planTiles(const WorldSnapshot& snapshot, const FieldKey& key, FieldTiles& out);

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

    /// A request bound to the tiles and judged; how it is to be searched.
    struct Task {
        PathStatus judged = PathStatus::Found;
        bool partial = false;   ///< Go to the nearest cell that can be reached.
        bool slope_limited = false;  ///< The profile limits rise or drop, and there are heights.
        AStarOptions options;
        AlgorithmFacts facts;
        PathAlgorithm algorithm = PathAlgorithm::AStar;

        /// Whether A* may leave out the steps that canonical ordering does not need.
        [[nodiscard]] bool canonical(const MobilityProfile& profile, const TileBinding& bound) const {
            return facts.uniform && profile.diagonal == DiagonalRule::Strict && options.weight_hundredths == 100 && !slope_limited && !bound.pricesElevation();
        }
    };
    /// Sets `ends` and `binding`. Facts and algorithm hold only where there is something to search for.
    Task begin(const WorldSnapshot& snapshot, const PathRequest& request, const ResolvedConstraints& resolved);
    /// The same for the hierarchy. @param goal of the request, or one that stands for it.
    HierarchyTask throughPortals(const Task& task, const GoalShape& goal);
    /// Query::findPath. @param ways as for `solve`.
    PathStatus findPath(const WorldSnapshot& snapshot, const PathRequest& request, Path& out, int ways);
    /// One search with everything around it. `resolved` belongs to the request.
    /// @param ways over portals that the corridor of a route through the hierarchy takes in: more where others are looked for in it.
    PathStatus solve(const WorldSnapshot& snapshot, const PathRequest& request, const ResolvedConstraints& resolved, Path& out, int ways = 1);
    bool solveFirstSteps(const WorldSnapshot& snapshot, const PathRequest& request, const ResolvedConstraints& resolved, Path& out);

    /// After `solve` has found the first route: others. Sets the labels of all.
    void findDiverse(const WorldSnapshot& snapshot, const MultiPathRequest& request, const ResolvedConstraints& resolved, std::vector<Path>& out);
    void findFlanking(const WorldSnapshot& snapshot, const MultiPathRequest& request, const ResolvedConstraints& resolved, std::vector<Path>& out);

    /// A route to the same goal where `extra` is added to the costs; its cells go to `candidate`.
    AStarResult searchRaised(const PathRequest& request);
    /// Whether `candidate` comes to some cell twice: into a dead end and out again. Where one step costs more than a quarter of the best route,
    /// local optimality does not see that.
    bool comesBack();
    /// Fills `prefix` with the cost from the start to each cell of `candidate`.
    void measureCandidate();
    /// @return false when no ways can be looked for.
    bool growTrees(const MultiPathRequest& request, Cost best_cost, float stretch);
    void addDiverse(const WorldSnapshot& snapshot, const MultiPathRequest& request, const ResolvedConstraints& resolved, std::vector<Path>& out);
    /// Whether `candidate` overlaps none of the routes too much. Marks it in `here` when it may be kept.
    bool differs(const WorldSnapshot& snapshot, const std::vector<Path>& out, float most, RouteOverlap& here);
    /// Whether every stretch of `candidate` that costs up to `reach` is the cheapest way between its ends. @pre first..last is its plateau.
    bool isLocallyOptimal(const Via& via, std::size_t first, std::size_t last, Cost reach);
    /// Turns `candidate` into a path with its metrics.
    void buildCandidate(const PathRequest& request, const ResolvedConstraints& resolved, Path& out);
};

}  // namespace warpath
