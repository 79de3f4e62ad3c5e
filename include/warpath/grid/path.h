// A path as a value: what a unit follows and what a commander wants to know about it.
//
//   query.findPath(snapshot, request, path);
//   if (path.hasRoute()) for (const Waypoint& w : path.waypoints) unit.moveTo(w.position);
#pragma once

#include <cstdint>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/core/error.h"
#include "warpath/core/status.h"
#include "warpath/core/types.h"

namespace warpath {

/// Names a flow field that a service keeps, through all its generations; never used twice in one service. None: no field.
enum class FieldId : std::uint64_t { None = 0 };

enum class PathAlgorithm : std::uint8_t { Auto, AStar, Jps, Hierarchical, FlowField, NavMesh };
enum class MovementStyle : std::uint8_t { Direct, CoverToCover, Stealth, Aggressive };
enum class MovementSpeed : std::uint8_t { Sprint, Run, Walk, Crouch };
/// From where a route comes at its goal, seen along the line from its start to its goal.
enum class Approach : std::uint8_t { Front, Left, Right, Rear };

/// Snake case, as in messages: "auto", "astar", "jps", "hpa", "flow_field", "navmesh"; "cover_to_cover"; "sprint".
[[nodiscard]] const char* toString(PathAlgorithm algorithm);
[[nodiscard]] const char* toString(MovementStyle style);
[[nodiscard]] const char* toString(MovementSpeed speed);
[[nodiscard]] const char* toString(Approach approach);

/// How a route goes on from a waypoint.
enum class LegKind : std::uint8_t {
    Grid,  ///< In steps from cell to cell.
    Mesh,  ///< Straight, on the ground of a backend (the navmesh).
    Straight,  ///< Straight at any angle over cells (PathDetail::AnyAngle).
};
/// As in messages: "grid", "navmesh", "straight".
[[nodiscard]] const char* toString(LegKind leg);

struct Waypoint {
    Position position;                        ///< Centre of the unit [m].
    bool has_cover = false;
    float cover_quality = 0.0f;               ///< [0..1]
    Vec2 cover_direction;                     ///< Unit vector towards the cover; zero without cover.
    float threat_level = 0.0f;                ///< Threat here for the side that moves [0..1].
    float pause_duration = 0.0f;              ///< [s]
    MovementSpeed speed = MovementSpeed::Run;  ///< Advised by the movement style: of cover-to-cover routes for the leg to here, of others at this place (their travel_time is at the unit's speed).
    LegKind leg = LegKind::Grid;              ///< Of the way from here to the next waypoint.
    friend bool operator==(const Waypoint&, const Waypoint&) = default;
};

/// The parts of a cost; they sum to it exactly. In units of kCostPerMetre.
struct CostBreakdown {
    Cost distance = 0;             ///< Length at f = 1.
    std::int64_t terrain = 0;      ///< What the terrain adds (negative on roads).
    std::int64_t road = 0;         ///< What prefer_roads and avoid_roads add.
    Cost elevation = 0;
    Cost threat = 0;
    Cost exposure = 0;
    Cost cover = 0;                ///< What metres without cover cost.
    Cost congestion = 0;
    Cost wall = 0;

    [[nodiscard]] Cost total() const {
        return static_cast<Cost>(static_cast<std::int64_t>(distance + elevation + threat + exposure + cover + congestion + wall) + terrain +
                                 road);
    }
    friend bool operator==(const CostBreakdown&, const CostBreakdown&) = default;
};

/// The result of a request. `reset` keeps the capacity of the vectors, so one object can serve many requests without allocating.
struct Path {
    PathStatus status = PathStatus::Unreachable;
    Error error;                       ///< For InvalidArgument, and when an end lies off the map: which field, value and remedy.

    /// Turning points (or every cell, on request), from the exact start to the exact goal. Start = goal gives one waypoint.
    std::vector<Waypoint> waypoints;
    /// Every cell of the route in order: the cell of the unit, for larger units the top-left cell of their square [world cells].
    std::vector<Cell> cells;

    double length = 0.0;               ///< Between cell centres, along straight legs theirs [m].
    double mesh_length = 0.0;          ///< What of it was drawn by a backend, on the mesh [m].
    double travel_time = 0.0;          ///< At the unit's speed, which ground of a multiplier above 1 divides and no ground raises [s].
    Cost cost = 0;
    CostBreakdown breakdown;
    float threat_level = 0.0f;         ///< Mean threat by length [0..1].
    float cover_percentage = 0.0f;     ///< Share of the length that has cover [0..1].
    double exposed_length = 0.0;       ///< Metres without cover under threat [m].
    bool crosses_open_terrain = false; ///< Has a long stretch without cover in full view (RouteRules::open_length).
    bool has_chokepoints = false;
    std::vector<Position> chokepoints; ///< Where the way is narrow: the narrowest cell of each such stretch (RouteRules::choke_width).
    std::vector<Waypoint> cover_points;
    MovementStyle movement_style = MovementStyle::Direct;

    PathAlgorithm algorithm = PathAlgorithm::AStar;  ///< The one that was used.
    FieldId field_id = FieldId::None;  ///< The service's field that the route was traced along.
    float weight = 1.0f;               ///< The cost is at most this many times the optimum (exact algorithms).
    float remaining_distance = 0.0f;   ///< For Partial and BudgetExhausted: from the end to the goal, straight [m].
    std::uint64_t expansions = 0;      ///< Cells settled.
    double computation_time_ms = 0.0;
    std::uint64_t revision = 0;        ///< Of the snapshot that was searched.
    bool interim = false;              ///< First steps alone (Query::findFirstSteps); the whole route is still to be found.
    bool is_valid = false;             ///< A route that was legal at `revision`.
    std::uint64_t last_validation_frame = 0;  ///< As the caller counts frames (Query::revalidate).

    // Of several routes (Query::findAllPaths).
    float overlap = 0.0f;              ///< The most that it shares with a route before it in the answer [0..1].
    float stretch = 1.0f;              ///< Its cost over the best cost.
    float score = 0.0f;                ///< Composite of threat, length, cover and time (scorePaths); more is better.
    Approach approach = Approach::Front;

    /// True when there is something to follow.
    [[nodiscard]] bool hasRoute() const { return !cells.empty(); }
    /// Empties the value and keeps the capacity.
    void reset();
};

}  // namespace warpath
