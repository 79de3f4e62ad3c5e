// The navmesh as a backend of the pathfinder: single units' paths are drawn on the mesh, groups and tactics stay with the grid.
//
//   PathfinderModule module({.world = world, .navmesh = navBackendFactory()});       // and in the configuration:
//   "algorithms": {"selection": {"individual_backend": "navmesh"}}, "navmesh": {"load_radius": 5}
//
// Part of warpath::navmesh, so that a program without Recast and Detour links without it.
#pragma once

#include "warpath/navmesh/nav_config.h"
#include "warpath/pathfinder/route_backend.h"

namespace warpath {

/// Makes a backend with a NavWorld of its own. A size class answers units of ceil(2 x agent_radius) cells (at least 1), the first of several
/// with that size; units that no class is made for are left to the grid, as are ways with a step that is too steep for the unit and not for the mesh.
/// While setFocus has named no place, a map of up to max_loaded_chunks chunks is loaded whole and a larger one not at all.
/// @return the backend, or what check(config) or NavWorld::create say.
[[nodiscard]] MadeRouteBackend makeNavBackend(const WorldSnapshot& snapshot, const NavWorldConfig& config, NavExecutor executor = {});

/// The mesh configuration of these settings: `size_classes` size classes, each for units one cell wider than the one before;
/// of settings that check(NavConfig) refuses the first alone.
[[nodiscard]] NavWorldConfig navWorldConfigOf(const RouteBackendSettings& settings);

/// For PathfinderModuleOptions::navmesh.
[[nodiscard]] RouteBackendFactory navBackendFactory();

}  // namespace warpath
