// Turns the cells of a route into the Path that callers see: waypoints, length, cost by term, threat and cover.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "warpath/grid/path.h"
#include "warpath/grid/tile_binding.h"
#include "warpath/pathfinder/request.h"
#include "warpath/world/constraints.h"

namespace warpath {

/// Grid cell of the top-left corner of a unit's square whose centre is at a position. @pre isUsable(position).
[[nodiscard]] Cell anchorOf(const WorldSnapshot& snapshot, Position centre, int size);

/// Where a unit stands whose square has this top-left grid cell [m].
[[nodiscard]] Position centreOfAnchor(const WorldSnapshot& snapshot, int grid_x, int grid_y, int size);

/// The cells of a drawn route: straight lines (Bresenham 1965) between the positions' cells [world cells].
/// @param leg when given, for each cell the index of the position that it leads to.
void rasterise(const WorldSnapshot& snapshot, std::span<const Position> route, int size, std::vector<Cell>& cells, std::vector<std::size_t>* leg);

/// The same; but where a diagonal step is not legal and the line itself runs over one of the two cells beside it, the route goes through that one if both
/// steps are legal. So whoever may walk the line may walk these cells. @param binding of the snapshot and the unit's costs.
void rasteriseLegally(TileBinding& binding, std::span<const Position> route, int size, std::vector<Cell>& cells, std::vector<std::size_t>& leg);

struct RouteEnds {
    Position start;
    std::optional<Position> goal;  ///< The exact goal, when the route reaches it.
};

/// Fills the geometric, cost and tactical fields of `out` from `cells` (top-left grid cells, start first, not empty). The binding must be the one
/// that the route was searched on. Keeps the capacity of `out`.
/// @param stops indices of further cells that become waypoints, ascending, none of them the first or the last; under AnyAngle they are the only ones between.
void buildRoute(TileBinding& binding, std::span<const CellId> cells, const RouteEnds& ends, const ResolvedConstraints& constraints, PathDetail detail,
                Path& out, std::span<const std::uint32_t> stops = {});

/// Gives a built route the length of its straight legs [m]; its travel time shrinks or grows with it.
inline void setLength(Path& out, double length) {
    if (out.length > 0.0) out.travel_time *= length / out.length;
    out.length = length;
}

/// Position, cover and threat of a unit that stands on a cell.
void describeWaypoint(TileBinding& binding, CellId cell, int size, Waypoint& out);

}  // namespace warpath
