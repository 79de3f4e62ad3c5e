// What a commander wants to know about a route besides its cost: open ground, narrow places, exposed metres, how long it takes, how to move.
#pragma once

#include <span>

#include "warpath/grid/tile_binding.h"
#include "warpath/pathfinder/route_rules.h"

namespace warpath {

/// Fills travel_time, exposed_length, crosses_open_terrain, has_chokepoints, chokepoints, movement_style and the speeds of the waypoints.
/// The binding must hold the unraised costs; `out` comes from buildRoute for these cells. O(cells).
void measureRoute(TileBinding& binding, std::span<const CellId> cells, const ResolvedConstraints& constraints, const RouteRules& rules, Path& out);

/// Metres that are free across the direction of a step, for a unit's square with its top-left cell here: its own size and the free cells to both
/// sides. Counts no further than `limit` metres to each side. Where nothing but the map's edge bounds both sides it is `limit`: a corner of the map
/// narrows nothing. @pre the unit fits here.
[[nodiscard]] float widthAcross(TileBinding& binding, int grid_x, int grid_y, int direction, int size, float limit);

/// How to move on a leg, by rule: aggressive units run and sprint under threat, stealthy ones walk and crouch in view of a threat, from cover to
/// cover one sprints without cover under threat, crouches in cover under threat, and runs elsewhere; others run.
[[nodiscard]] MovementSpeed speedFor(MovementStyle style, bool threatened, bool covered);

/// Share of the unit's speed: 1.5, 1, 0.6, 0.35 for sprint, run, walk, crouch.
[[nodiscard]] double speedFactor(MovementSpeed speed);

/// Threat from here on counts as being under threat [1 = lethal].
inline constexpr float kUnderThreat = 0.05f;

}  // namespace warpath
