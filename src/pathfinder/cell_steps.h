// Steps named by the two cells they join: their direction, and what they cost.
#pragma once

#include "warpath/core/directions.h"
#include "warpath/grid/tile_binding.h"
#include "warpath/world/snapshot.h"

namespace warpath {

[[nodiscard]] constexpr int directionBetween(CellId from, CellId to) {
    return directionOf(gridXOf(to) - gridXOf(from), gridYOf(to) - gridYOf(from));
}

/// Binds the cell's chunk. @pre inside the map.
[[nodiscard]] inline CellRef refOf(TileBinding& binding, CellId cell) { return binding.refOf(gridXOf(cell), gridYOf(cell)); }

/// What a legal step costs. @pre the cells are neighbours.
[[nodiscard]] inline Cost stepCost(TileBinding& binding, CellId from, CellId to) {
    const CellRef a = refOf(binding, from), b = refOf(binding, to);
    return binding.stepCost(a, b, directionBetween(from, to));
}

}  // namespace warpath
