// The typed query: one object per thread answers any number of requests on any snapshots without allocating in steady state.
//
//   Query query;                                   // one per thread, reused
//   Path path;
//   query.findPath(world.snapshot(), {.from = a, .goal = Goal::point(b)}, path);
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "warpath/grid/path.h"
#include "warpath/grid/tile_store.h"
#include "warpath/pathfinder/algorithm_rules.h"
#include "warpath/pathfinder/field_request.h"
#include "warpath/pathfinder/request.h"
#include "warpath/pathfinder/route_backend.h"
#include "warpath/pathfinder/route_rules.h"
#include "warpath/pathfinder/travel_costs.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// What validatePath found.
struct PathValidation {
    bool valid = false;
    std::size_t first_bad = 0;  ///< When not valid: index of the first cell (of a drawn route: position) that cannot be come to from the one before.
    Position first_bad_position;
    Error error;                ///< When the arguments were wrong (then not valid either).
};

/// What the last query through the hierarchy did.
struct HierarchyFigures {
    double abstract_us = 0.0;            ///< Joining the ends and searching over portals.
    double refine_us = 0.0;              ///< Exact search in the corridor.
    Cost abstract_cost = 0;
    std::uint64_t portals_settled = 0;
    std::uint64_t tables_computed = 0;   ///< Of chunks and of groups, that this question was the first to need.
    std::uint32_t corridor_chunks = 0;
};

/// Threads: one thread at a time per object; any number of objects may share one TileStore and one snapshot.
class Query {
public:
    /// With a store of its own, or sharing one (several threads of one game should share).
    /// @pre routes.validate() finds nothing.
    explicit Query(std::shared_ptr<TileStore> tiles = nullptr, AlgorithmRules rules = {}, const RouteRules& routes = {});
    ~Query();
    Query(Query&&) noexcept;
    Query& operator=(Query&&) noexcept;

    /// Answers one request. The answer is a pure function of (snapshot, request): caches and history change time only.
    ///
    /// Costs and lengths count from cell centre to cell centre; the first and last waypoints are the exact positions asked for.
    /// Ties: of equally cheap routes the one whose steps back from the goal keep their direction, else take the lowest direction.
    /// Cost: O(cells settled) plus O(chunks touched); setup does not depend on the map's size.
    /// @return `out.status`: found; partial; cost_limit; budget_exhausted; unreachable; start_blocked; goal_blocked; invalid_argument
    ///   (`out.error` says which field). `out` is reset first in every case.
    PathStatus findPath(const WorldSnapshot& snapshot, const PathRequest& request, Path& out);

    /// The first steps of a long route, long before the whole of it: where the hierarchy would answer the request, the way over portals is found and
    /// only its first stretch (128 m, to a portal on that way) is refined. A findPath for the same request on the same snapshot right after it
    /// takes the way over portals from here, so asking for both costs little more than findPath alone.
    ///
    /// `out` is a route to that portal: interim is set, the status is partial, remaining_distance is straight from there to the goal; cost, length and all else
    /// are those of the cells in it. The whole route begins at the same start, but may leave these steps: whoever walked them asks again from there.
    /// As pure as findPath.
    /// @return false where there is nothing to gain: the request is wrong, cannot be fulfilled, is answered by another algorithm, or its goal is near. Ask
    ///   findPath then; `out` is empty.
    bool findFirstSteps(const WorldSnapshot& snapshot, const PathRequest& request, Path& out);

    /// Answers a request with a route that a backend draws, if the request has nothing in it but length and terrain (a point goal, no tactical weight
    /// that counts on this map, no budget, nothing ignored, no group) and every cell that the route crosses can be entered from the one before.
    ///
    /// Its waypoints are the route's corners, its length is theirs; cells, cost and breakdown are those of the cells crossed. Not exact on terrain
    /// of several prices. The answer depends on what the backend has loaded: where that is not the whole map, a way of more than 1.25 times the straight
    /// distance is left to findPath, since a shorter one may lead over ground that is not loaded; where it is, such a way is compared with the grid's (a query
    /// more), since gaps may be closed to the backend, and left to findPath when it costs more than 1.25 times as much. So is a way whose cells cost more than 1.25 times what the backend says.
    /// @return Drawn, else ask findPath, then drawStretches; `out` is as it was.
    DrawOutcome findDrawn(const WorldSnapshot& snapshot, const PathRequest& request, IRouteFinder& finder, Path& out);

    /// Redraws a route that findPath has just found for this request: stretches of it on ground that the backend has ready become its straight legs, the
    /// rest stays as it is. So a long route is found by the hierarchy and walked on the mesh where there is one.
    ///
    /// Points of the route every 150 m lead the backend; a leg is taken only when every cell that it crosses can be entered from the one before and those cells cost no
    /// more than the stretch's (to a metre, since corners round to cells). A stretch without such a leg is halved and tried again, down to 32 cells. Waypoint::leg says which way each leg goes,
    /// mesh_length how much of the route; `algorithm` stays what found it; cost and breakdown are those of the cells, expansions and time count both.
    /// @return whether anything was redrawn; `out` is as it was if not.
    bool drawStretches(const WorldSnapshot& snapshot, const PathRequest& request, IRouteFinder& finder, Path& out);

    /// Up to max_paths routes that differ: in their ways, or in where they come from at the goal.
    ///
    /// Diverse: ways by plateaus of two shortest path trees, one from the start and one towards the goal (Abraham, Delling, Goldberg, Werneck, "Alternative Routes
    /// in Road Networks", 2013), where the reference makes the middle of a found route dearer and searches again: that gives ways with wiggles, for several
    /// searches. A route is kept when it overlaps no other by more than max_overlap (of a pair the share of the dearer one), costs at most max_stretch
    /// times the best, and every stretch of it up to a quarter of the best cost is itself a cheapest way. Goals whose rectangle has more than kLargeGoalCells cells are
    /// reached where the first route reaches them. Cost: about five times one query, ten where there are fewer than asked; a stretch that would need more than 4 million cells is cut down.
    /// Routes of up to 1.2, 1.5, 2, 3, 5, 10 times the best are looked for in turn until there are enough, and what is found stays: beyond such a step a higher
    /// max_stretch loses none.
    /// Where the first route goes by the hierarchy (asked for, or auto far away, as for a single path), all are looked for inside the chunks round several ways
    /// over portals: the first is the best there and every limit holds, but stretches are compared with ways inside these chunks alone, and some tenths of a
    /// percent may be lost, as for a single path. Elsewhere routes are exact. Cost: 2000 m in a tenth to a fifth of a second, with warm tables.
    /// Flanking (other goals than points count as the cell where the first route ends): the best route, then for each of front, left and right that it does not come
    /// from the cheapest route whose last leg (a quarter of the straight distance, 4 to 30 m) lies within 45 degrees of there; max_stretch counts.
    /// Flanking is exact throughout. The request's weight changes nothing: limits of stretch and overlap are measured against the best one. Each carries overlap, stretch, score (weights of the doctrine) and approach.
    /// @return the status of the first search; `out` holds the routes, the best first, the others by cost: fewer than asked when there are no more.
    PathStatus findAllPaths(const WorldSnapshot& snapshot, const MultiPathRequest& request, std::vector<Path>& out);

    /// Whether every step of a route is still legal for these constraints on this snapshot. O(cells).
    [[nodiscard]] PathValidation validatePath(const WorldSnapshot& snapshot, const Path& path, const PathConstraints& constraints);
    /// Validates and notes the result in the path: is_valid, last_validation_frame (left alone when the arguments are wrong).
    PathValidation revalidate(const WorldSnapshot& snapshot, Path& path, const PathConstraints& constraints, std::uint64_t frame);
    /// The same for a drawn route: positions joined by straight lines of cells. Where such a line's diagonal step is not legal, but the line runs over one of the
    /// cells beside it and the two steps through that one are, it counts as legal: so what a field's samples send a unit along is.
    [[nodiscard]] PathValidation validatePath(const WorldSnapshot& snapshot, std::span<const Position> route, const PathConstraints& constraints);

    /// Whether the route that was found for a request on an older snapshot is legal on this one; what the request ignores is ignored here too.
    /// Only steps in chunks near which the ground has changed since are looked at: O(cells) of those; O(1) when nothing has changed at all.
    [[nodiscard]] PathValidation validateAnswer(const WorldSnapshot& snapshot, const WorldSnapshot& searched, const PathRequest& request, const Path& path);

    /// Whether a unit can come from one place to another at all: found, unreachable, start_blocked, goal_blocked or invalid_argument.
    /// Under a microsecond once the region table of the profile is built; where slope limits differ up and down, "found" takes a search.
    [[nodiscard]] PathStatus reachable(const WorldSnapshot& snapshot, Position from, Position to, const PathConstraints& constraints, Error* error = nullptr);

    /// The same for several places: `out` gets the status of each. About as long for each, while no search is needed.
    /// @return found (a unit can come to one of them at least), else unreachable, start_blocked or invalid_argument.
    PathStatus reachable(const WorldSnapshot& snapshot, Position from, std::span<const Position> to, const PathConstraints& constraints, std::vector<PathStatus>& out,
                         Error* error = nullptr);

    /// What it costs to come to each of several places, without routes: for each the status and the cost that findPath gives for it alone.
    ///
    /// Places within the distances of exact search are found in one search that goes on until all of them are settled; up to three each have their own.
    /// Those beyond are answered one by one, over the hierarchy.
    /// Cost: of the one search O(cells nearer than the dearest place); none for places that regions show to be out of reach.
    /// @return `out.status`: found (one place at least), or why none was.
    PathStatus findCosts(const WorldSnapshot& snapshot, const CostsRequest& request, TravelCosts& out);

    /// Makes a flow field: checks as findPath does, then one integration from the goals outwards, or a repair of an older field.
    ///
    /// The field is a pure function of (snapshot, request): made from nothing or from any basis it is the same to the bit. Its generation number apart.
    /// A field of method Dijkstra has exact search's cost for every cell from which a way inside the area leads to the goal.
    /// Cost: O(cells of the area), from a basis O(cells whose way changed). Memory: 5 bytes per cell covered with its distances (FlowTile).
    /// A tiled field takes the search over portals and then O(cells of its tiles); made from one for other positions (FieldBasis) it computes only the
    /// tiles that this one lacks, as long as it needs all of those that it has.
    /// @param basis An older field of an equal FieldKey or, for tiled ones, of one that differs in its positions alone; or nothing.
    /// @return `out.status`: found; partial (leads to the nearest place; `goal` and `remaining_distance` say which); goal_blocked;
    ///   invalid_argument (`out.error` says which field). `out` is reset first.
    PathStatus buildField(const WorldSnapshot& snapshot, const FieldRequest& request, const FieldBasis& basis, FieldResult& out);

    [[nodiscard]] const std::shared_ptr<TileStore>& tiles() const;
    [[nodiscard]] const RouteRules& routeRules() const;
    /// Of the last query that the hierarchy answered.
    [[nodiscard]] const HierarchyFigures& hierarchyFigures() const;
    /// Bytes held by this object's scratch (the shared store apart).
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    friend class TacticalQuery;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace warpath
