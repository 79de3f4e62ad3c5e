// What a caller asks: from where, to what, for whom, within which limits.
//
//   PathRequest request{.from = {3.5f, 4.5f}, .goal = Goal::point({60.5f, 20.5f})};
//   request.constraints = {.threat_weight = 6.0f, .doctrine = Doctrine::Cautious};
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "warpath/core/types.h"
#include "warpath/grid/path.h"
#include "warpath/world/constraints.h"

namespace warpath {

class FlowField;

/// Of PathRequest::max_cost: above every cost that a map can hold [m at f = 1].
inline constexpr double kMaxCostLimit = 1e9;
/// Of PathRequest::weight.
inline constexpr float kMaxHeuristicWeight = 100.0f;
/// Of Goal::radius [m].
inline constexpr float kMaxGoalRadius = 512.0f;
/// Of Goal::positions, and of every other list of places in a request.
inline constexpr std::size_t kMaxGoalPositions = 4096;
/// Of MultiPathRequest.
inline constexpr int kMaxPaths = 16;
inline constexpr float kMaxStretch = 100.0f;

/// Where a path may end. Every shape but a point is reached at its cheapest cell.
struct Goal {
    enum class Kind : std::uint8_t { Point, Set, Disc, Ring, Rectangle };
    Kind kind = Kind::Point;
    Position centre{};                 ///< Point, disc and ring.
    float inner_radius = 0.0f;        ///< Ring [m].
    float radius = 0.0f;              ///< Disc and ring (outer) [m] [0..kMaxGoalRadius].
    CellRect rect{};                   ///< Rectangle [world cells].
    std::vector<Position> positions{}; ///< Set [1..kMaxGoalPositions entries].

    [[nodiscard]] static Goal point(Position p) { return {.kind = Kind::Point, .centre = p}; }
    [[nodiscard]] static Goal set(std::vector<Position> p) { return {.kind = Kind::Set, .positions = std::move(p)}; }
    [[nodiscard]] static Goal disc(Position p, float radius) { return {.kind = Kind::Disc, .centre = p, .radius = radius}; }
    [[nodiscard]] static Goal ring(Position p, float inner, float outer) {
        return {.kind = Kind::Ring, .centre = p, .inner_radius = inner, .radius = outer};
    }
    [[nodiscard]] static Goal rectangle(CellRect r) { return {.kind = Kind::Rectangle, .rect = r}; }
};

/// What a path carries.
enum class PathDetail : std::uint8_t {
    Corners,  ///< The route, its waypoints where it turns.
    Cells,    ///< The route, a waypoint in every cell.
    /// The route pulled straight where that is legal for the unit and costs no more: waypoints are the ends of straight legs of any angle (Waypoint::leg says
    /// which were pulled), cells those along the legs. A leg is priced like any steps, by those along its cells (so cost, breakdown, validation, explanation and
    /// watching agree); it is taken only where these cost no more than the steps it replaces and where, metre by metre, each at the price of
    /// the square that it lies in, it costs no more than that stretch did. So cost and length never exceed those of Corners. The length is that of the legs.
    /// For one route. Nothing is pulled under DiagonalRule::Never.
    AnyAngle,
    CostOnly,  ///< No route: status, cost, algorithm, expansions and remaining_distance alone, those that the route would have. For one route, on the grid.
};

struct PathRequest {
    Position from{};
    Goal goal{};
    PathConstraints constraints{};
    int side = 0;                        ///< The side that moves: threat to it is priced [0..15].
    bool allow_partial = false;          ///< When the goal cannot be reached, go to the nearest cell that can.
    bool ignore_self = false;            ///< Obstacles on the unit's own square at the start do not count (they are the unit).
    bool ignore_goal = false;            ///< Obstacles on the unit's square at a point goal do not count (they are the target).
    std::optional<double> max_cost{};     ///< Give up beyond this cost [m at f = 1] [above 0, up to kMaxCostLimit].
    std::uint64_t max_expansions = 0;    ///< Give up after settling this many cells [0: no limit].
    float weight = 1.0f;                 ///< Weighted A*: the cost is at most this many times the optimum [1..kMaxHeuristicWeight] [1: optimal].
    PathAlgorithm algorithm = PathAlgorithm::Auto;
    PathDetail detail = PathDetail::Corners;
    std::uint32_t group_size = 1;        ///< Units with this goal: from AlgorithmRules::group_size on, auto uses a flow field.
    /// A field that leads to this goal for these constraints and side, to trace the route along instead of making one. One that does not fit the
    /// request or the snapshot is not used.
    std::shared_ptr<const FlowField> field{};
};

/// What several routes should differ in.
enum class MultiPathMode : std::uint8_t {
    Diverse,   ///< Their ways.
    Flanking,  ///< Where they come from at the goal: front, left, right.
};

struct MultiPathRequest {
    PathRequest path{};
    int max_paths = 3;        ///< [1..kMaxPaths]
    float max_overlap = 0.5f; ///< Share of a route that may run within 3 m of another, its first and last 15 % left out [0..1].
    float max_stretch = 1.5f; ///< A route costs at most this many times the best [1..kMaxStretch].
    MultiPathMode mode = MultiPathMode::Diverse;
};

}  // namespace warpath
