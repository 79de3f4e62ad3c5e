// Ways that the ground does not show: ladders, footbridges, ferries. Kept through every rebuild of the tiles they start and end in.
//
//   nav.addLink({.id = 7, .from = {10.5f, 20.0f}, .to = {10.5f, 28.0f}, .both_ways = true});
#pragma once

#include <cstdint>
#include <vector>

#include "warpath/core/types.h"

namespace warpath {

/// A straight way between two points of the mesh, for those who ask a NavReader; the pathfinder, whose paths are steps on the grid, takes none (docs/navmesh.md,
/// "Links"). Both ends lie in the same tile or in tiles that touch. Longer ways (a ferry over a strait) are the game's: it asks for the way to one end and
/// for the way from the other.
struct NavLink {
    std::uint32_t id = 0;      ///< The game's own number, unique, not 0. Paths name it.
    Position from{};           ///< [m]
    Position to{};             ///< [m]
    float radius = 0.5f;       ///< How far the mesh may be from either end for the link to hold [m] [0.1..8].
    float cost_factor = 1.0f;  ///< Cost per metre, as a terrain multiplier [1..100]; below 1 the distance would no longer be a lower bound.
    bool both_ways = true;     ///< Whether it may be used from `to` to `from` as well.
    std::uint32_t agents = ~0u;  ///< Bit a set: size class a may use it; at least one of the classes there are.
    friend bool operator==(const NavLink&, const NavLink&) = default;
};

}  // namespace warpath
