// Watching routes while the world changes: which of them are blocked, dearer, or may now be beaten.
//
//   RouteWatch watch(store);
//   watch.subscribe(7, world.snapshot(), path, constraints, side);
//   EditResult done = world.edit(...);
//   watch.changed(done.snapshot, done.changed, events);      // exactly the routes concerned
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpath/grid/path.h"
#include "warpath/grid/tile_store.h"
#include "warpath/world/constraints.h"

namespace warpath {

/// The caller's name for a watched route.
using RouteId = std::uint64_t;

enum class RouteEventKind : std::uint8_t {
    Blocked,     ///< A step of the route is no longer legal. Act at once.
    Dearer,      ///< The route is legal and costs more than when it was last told.
    MayImprove,  ///< A step became legal or cheaper somewhere, and the best route costs less now than this one and than the best did before (or may: see
                 ///< RouteWatchOptions::confirm_chunks).
};
[[nodiscard]] const char* toString(RouteEventKind kind);

struct RouteEvent {
    RouteId id = 0;
    RouteEventKind kind = RouteEventKind::Blocked;
    std::size_t first_bad = 0;     ///< Blocked: index into the route's cells.
    Position first_bad_position{}; ///< Blocked.
    double percent = 0.0;          ///< Dearer: by how much [%].
    Cost cost = 0;                 ///< What the route costs now (0 when blocked).
    std::uint64_t revision = 0;    ///< Of the snapshot that was looked at.
};

struct RouteWatchOptions {
    /// Told as dearer from this growth on, against the cost last told [%] [0..1000] [5].
    double dearer_percent = 5.0;
    /// A call of changed() ends once it has looked at so many cells [cells] [0: no limit]. The rest is looked at by the next calls, in turn.
    std::uint64_t max_cells_per_call = 0;
    /// What could improve a route is confirmed by an exact field that may take so many chunks; beyond, and for routes whose ends are farther apart than
    /// kConfirmedMetres, a bound decides [chunks] [0: never confirm].
    std::size_t confirm_chunks = 64;
    static constexpr int kConfirmedMetres = 400;
};

/// A blocked route is told once and then watched until it is legal again (told as MayImprove). A route whose cost has fallen by the same share is
/// not told, but is compared with the lower cost from then on. A building over the first cell blocks a route that began on free
/// ground (Query::validatePath looks at steps alone, and none enters that cell).
/// Memory: 4 bytes a cell of a route, and each snapshot since which some route has not been looked at, or not been confirmed, yet. Threads: one at a time.
class RouteWatch {
public:
    explicit RouteWatch(std::shared_ptr<TileStore> tiles, RouteWatchOptions options = {});
    ~RouteWatch();
    RouteWatch(RouteWatch&&) noexcept;
    RouteWatch& operator=(RouteWatch&&) noexcept;

    /// Watches a route, in place of an older one of the same id. Routes without cells are not watched.
    /// @param late For a route that was found on an older snapshot: what has befallen it since (blocked, or dearer than route.cost) is appended,
    ///   and its growth is counted from route.cost. Null: the route counts as found on this snapshot.
    /// The route need not be the best one (drawn, weighted, from cover to cover): it is told only of what improves the best. Cost: O(cells of the route).
    /// @return false when it is not watched, and an older route of the id goes on being: an empty snapshot, no cells or some off the map, constraints or a
    ///   side outside their limits.
    bool subscribe(RouteId id, const WorldSnapshot& snapshot, const Path& route, const PathConstraints& constraints, int side,
                   std::vector<RouteEvent>* late = nullptr);
    /// @return false when there is none of that id.
    bool unsubscribe(RouteId id);
    [[nodiscard]] std::size_t size() const;

    /// Looks at what changed since the last call (or the subscription): the rectangles of the ground that an edit changed, and, found by itself, chunks whose
    /// threat or congestion was published anew. Appends the events, by route id, at most one of each kind for a route;
    /// a blocked one has no other. MayImprove is in question when a step became legal or cheaper at a cell where straight there and on to the goal, at the
    /// smallest price of any ground, would cost less than the route does now; on ground far dearer than its cheapest kind that is so often. It is told
    /// when the best route between the same two cells does cost less, than this one and than it did before: that is confirmed after all routes have been
    /// looked at for the rest.
    /// Cost: routes that are touched are costed again; for the others one bound per rectangle, and the cells of those within it; for those in question
    /// about half a query, and as much again where something beats the route.
    /// @param rects world cells, as in EditResult::changed; those of several edits may be given together.
    /// @return whether every route has been looked at (settled()); else call again, with no rectangles when nothing new has changed.
    bool changed(const WorldSnapshot& snapshot, std::span<const CellRect> rects, std::vector<RouteEvent>& events);

    [[nodiscard]] bool settled() const;

    /// Ids of the routes that enter a rectangle [world cells], ascending: what a cache drops.
    void routesIn(const CellRect& area, std::vector<RouteId>& ids) const;
    /// Stops watching every route that enters the rectangle, and tells which.
    void invalidatePathsInArea(const CellRect& area, std::vector<RouteId>& ids);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace warpath
