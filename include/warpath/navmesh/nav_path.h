// What a navmesh query asks and answers.
//
//   NavQuery q{.from = a, .to = b, .mover = {.agent = 0, .unit = UnitType::TankLight}};
//   NavPath path;
//   if (reader.findPath(q, path) == NavStatus::Complete) follow(path.points);
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "warpath/core/status.h"
#include "warpath/core/types.h"
#include "warpath/navmesh/nav_tile.h"
#include "warpath/world/rules.h"

namespace warpath {

/// How a query on the navmesh ended.
enum class NavStatus : std::uint8_t {
    Complete,      ///< A way to the goal.
    Partial,       ///< allow_partial was set: a way to the reachable ground nearest to the goal.
    OutOfNodes,    ///< max_expansions was spent. No way is given: half a search says nothing about the rest.
    NoStart,       ///< No ground that the mover may enter within `snap` of the start.
    NoGoal,        ///< No such ground within `snap` of the goal (or of a via point).
    Unreachable,   ///< Start and goal lie on ground that is not connected.
    NotLoaded,     ///< The start, the goal or a via point lies in a tile that is not loaded.
    InvalidInput,  ///< A value outside its limits: NaN, infinite, a size class, unit class or search that does not exist.
    Stale,         ///< What the answer rests on has changed (NavReader::check).
};

/// In snake case ("out_of_nodes").
[[nodiscard]] const char* toString(NavStatus status);
/// The nearest status of the library's requests.
[[nodiscard]] PathStatus toPathStatus(NavStatus status);

/// Who moves.
struct NavMover {
    int agent = 0;                        ///< Size class: index into NavWorldConfig::agents.
    UnitType unit = UnitType::Infantry;   ///< Decides which terrain may be entered and what it costs.
    bool avoid_water = false;
    /// How much the terrain's multiplier counts [none] [0..20] [0: plain distance].
    float terrain_weight = 1.0f;
};

/// Which search answers. All keep to the same mesh.
enum class NavSearch : std::uint8_t {
    Auto,      ///< Exact up to 300 m where all ground the mover may enter has one price, else Weighted; beyond 800 m in legs (exact on one price) along a coarse route.
    Exact,     ///< Polyanya: the shortest way on the mesh; prices are left out of account.
    Weighted,  ///< A* over polygons with prices, crossing points refined.
    Detour,    ///< Detour's findPath and findStraightPath as they are, for comparison (see docs/navmesh.md for what they get wrong).
};

struct NavQuery {
    Position from{};  ///< [m]
    Position to{};    ///< [m]
    /// Points to pass on the way, in order, each found on the mesh like the goal: a coarse route of the grid's hierarchy. The answer passes
    /// near them, not through them: it is pulled tight over the whole way. Must outlive the call.
    std::span<const Position> via{};
    NavMover mover{};
    float snap = 2.0f;           ///< How far start and goal may be moved onto the mesh [m] [0..32].
    bool allow_partial = false;
    NavSearch search = NavSearch::Auto;
    std::uint32_t max_expansions = 0;  ///< Per leg [0: no limit; a million for exact searches, beyond which Auto takes Weighted].
};

/// A link that a path takes.
struct NavPathLink {
    std::uint32_t point = 0;  ///< The link leads from points[point] to points[point + 1].
    std::uint32_t id = 0;     ///< NavLink::id.
};

/// A tile that an answer rests on.
struct NavTileStamp {
    std::uint32_t tile = 0;
    std::uint64_t generation = 0;
};

struct NavPath {
    NavStatus status = NavStatus::InvalidInput;
    std::vector<Position> points;  ///< Corners from start to goal [m]; the exact points asked for where those lie on the mesh.
    std::vector<NavPathLink> links;
    float length = 0.0f;  ///< [m]
    float cost = 0.0f;    ///< In metres at price 1: terrain and links.
    float goal_distance = 0.0f;  ///< From the last point to the goal asked for [m]; more than `snap` only when Partial.
    bool start_moved = false, goal_moved = false;  ///< Snapped onto the mesh.
    NavSearch search = NavSearch::Auto;  ///< What answered.
    std::uint32_t expansions = 0;
    std::uint64_t epoch = 0;
    int agent = 0;
    std::vector<NavTileStamp> tiles;  ///< Tiles crossed, each once, by tile.

    /// Empties the answer, keeping capacities.
    void reset();
};

/// A point on the mesh.
struct NavPoint {
    NavStatus status = NavStatus::NoGoal;  ///< Complete, NoGoal (no ground near enough), NotLoaded or InvalidInput.
    Position position{};
    float distance = 0.0f;  ///< From the point asked for [m].
    float height = 0.0f;    ///< Elevation of the ground there [m].
};

/// A straight walk.
struct NavRay {
    NavStatus status = NavStatus::NoStart;  ///< Complete (clear), Partial (stopped by the mesh's edge), NoStart, NotLoaded or InvalidInput.
    Position end{};                         ///< Where it stops [m].
    float length = 0.0f;                    ///< [m]
    float cost = 0.0f;                      ///< In metres at price 1.
};

}  // namespace warpath
