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
#include "warpath/pathfinder/request.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// What validatePath found.
struct PathValidation {
    bool valid = false;
    std::size_t first_bad = 0;  ///< When not valid: index into `cells` of the first cell that cannot be entered from the one before.
    Position first_bad_position;
    Error error;                ///< When the arguments were wrong (then not valid either).
};

/// Threads: one thread at a time per object; any number of objects may share one TileStore and one snapshot.
class Query {
public:
    /// With a store of its own, or sharing one (several threads of one game should share).
    explicit Query(std::shared_ptr<TileStore> tiles = nullptr, AlgorithmRules rules = {});
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

    /// Answers a span of requests in order; `out` is resized to match.
    void findPaths(const WorldSnapshot& snapshot, std::span<const PathRequest> requests, std::vector<Path>& out);

    /// The reference's scheme: up to max_paths routes; before each further search the middle 40 % of every route found so far costs 50 m more per cell.
    /// @return the status of the first search; `out` holds the distinct routes, the best first (fewer than asked when the map has no more).
    PathStatus findAllPaths(const WorldSnapshot& snapshot, const MultiPathRequest& request, std::vector<Path>& out);

    /// Whether every step of a route is still legal for these constraints on this snapshot. O(cells).
    [[nodiscard]] PathValidation validatePath(const WorldSnapshot& snapshot, const Path& path, const PathConstraints& constraints);
    /// The same for a drawn route: positions joined by straight lines of cells.
    [[nodiscard]] PathValidation validatePath(const WorldSnapshot& snapshot, std::span<const Position> route, const PathConstraints& constraints);

    /// Whether a unit can come from one place to another at all: found, unreachable, start_blocked, goal_blocked or invalid_argument.
    /// Under a microsecond once the region table of the profile is built. Where limits depend on direction (slopes) "found" means "not ruled out".
    [[nodiscard]] PathStatus reachable(const WorldSnapshot& snapshot, Position from, Position to, const PathConstraints& constraints, Error* error = nullptr);

    [[nodiscard]] const std::shared_ptr<TileStore>& tiles() const;
    [[nodiscard]] const AlgorithmRules& algorithmRules() const;
    /// Bytes held by this object's scratch (the shared store apart).
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace warpath
