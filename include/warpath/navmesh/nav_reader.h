// Queries on a NavWorld. One reader per thread.
//
//   NavReader reader(nav);                        // any thread; keep it
//   NavPath path;
//   reader.findPath({.from = a, .to = b}, path);  // never waits, whatever the writer does
//   if (reader.check(path) == NavStatus::Stale) ... ask again
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "warpath/core/rng.h"
#include "warpath/navmesh/nav_path.h"
#include "warpath/navmesh/nav_world.h"

namespace warpath {

/// Holds the scratch of its searches and a seat at the mesh. Outlives the NavWorld if it must.
/// Threads: one call at a time per reader; any number of readers at once, also while the NavWorld is written. Every call sees one epoch.
/// Allocation: none once scratch and answers have grown.
class NavReader {
public:
    /// Takes one of NavWorldConfig::max_readers seats; when all are taken the reader answers InvalidInput to everything (see valid()).
    explicit NavReader(const NavWorld& world);
    ~NavReader();
    NavReader(NavReader&&) noexcept;
    NavReader& operator=(NavReader&&) noexcept;

    [[nodiscard]] bool valid() const;
    /// Counts the writer's batches.
    [[nodiscard]] std::uint64_t epoch() const;

    /// Finds a way. `out` is reset first; its status is returned.
    ///
    /// Start and goal off the mesh are moved onto it within `snap`; the goal prefers ground connected to the start, and among equally near
    /// points the one on the start's side (a goal inside a thin wall does not jump to the far side). What is not connected is refused by
    /// labels before any search. Long ways: give the corners of a coarse route as `via`.
    NavStatus findPath(const NavQuery& query, NavPath& out);

    /// Whether two points are on connected ground, by labels alone (a fraction of a microsecond). One-way links count as connections.
    /// @return Complete, Unreachable, NoStart, NoGoal, NotLoaded or InvalidInput; points off the mesh are not moved.
    [[nodiscard]] NavStatus reachable(Position from, Position to, const NavMover& mover) const;

    /// The ground nearest to a point. @param radius how far [m] [0..32].
    [[nodiscard]] NavPoint nearest(Position p, float radius, const NavMover& mover) const;
    /// Whether the mover can stand at a point.
    [[nodiscard]] bool walkable(Position p, const NavMover& mover) const;
    /// Walks straight from one point towards another.
    [[nodiscard]] NavRay raycast(Position from, Position to, const NavMover& mover) const;
    /// A random point of the ground within `radius` [m] [0.1..512] of a centre and connected to it, spread evenly by area.
    [[nodiscard]] NavPoint randomPoint(Position centre, float radius, const NavMover& mover, Rng& rng) const;
    /// Whether the tile at a point is loaded for a size class; false off the map (whose eastern and southern rim belong to its last tiles).
    [[nodiscard]] bool isLoaded(Position p, int agent) const;
    /// Whether every tile of the map is.
    [[nodiscard]] bool holdsWholeMap(int agent) const;
    /// Elevation at a point [m], from the world's cells; nothing off the map.
    [[nodiscard]] std::optional<float> height(Position p) const;

    /// Complete when nothing that a path rests on has changed since, else Stale (InvalidInput for a path without a way).
    [[nodiscard]] NavStatus check(const NavPath& path) const;

    /// Calls visit(tile, origin) for every loaded tile of a size class, row by row; add `origin` to the tile's vertices for world metres.
    void forEachTile(int agent, const std::function<void(const NavTile&, Position)>& visit) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpath
