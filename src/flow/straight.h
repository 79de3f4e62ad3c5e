// The last stretch of an exact field: cells that see their goal over even ground point straight at it instead of in one of eight directions.
//
//   straightenNearGoals(tiles, snapshot, info, request.straight_radius);
#pragma once

#include "warpath/grid/flow_field.h"
#include "warpath/world/chunk_directory.h"
#include "warpath/world/snapshot.h"

namespace warpath::flow {

/// More goal cells than this want no straight lines: an area is reached at its nearest cell.
inline constexpr std::size_t kMostStraightGoals = 64;

/// Gives the tiles around goals vectors, or takes those away that no longer hold. A tile that has the right ones already stays the same record.
///
/// A cell points straight at a goal when it lies within the radius (of squares), every cell that the line between the centres touches (both beside a corner it
/// passes) can be stood on, has the goal's own f and height, and the cell's distance is that of an octile way at that f: then no other way is cheaper. Of
/// several goals the first by row, then column. All other cells of such a tile keep the unit vector of their arrow. Arrows and distances stay as they are.
/// Nothing is done for units larger than a cell where ground is not level, and for more than kMostStraightGoals goals.
/// @pre the tiles hold distances and costs.
void straightenNearGoals(ChunkDirectory<FlowTile>& tiles, const WorldSnapshot& snapshot, const FlowFieldInfo& info, int radius);

}  // namespace warpath::flow
