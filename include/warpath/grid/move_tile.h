// Where a unit can stand in a chunk and which steps it may take: the compiled form of a mobility profile.
//
//   MoveTile tile;
//   compileMoveTile(snapshot, profile, {3, 5}, {}, tile);
//   bool may_go_east = tile.moves[localIndex(x, y)] & (1u << 0);
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "warpath/core/types.h"
#include "warpath/world/constraints.h"
#include "warpath/world/snapshot.h"

namespace warpath {

struct MoveTile {
    /// Bit d of a cell: the step in direction d is legal (the unit fits there, corner rule, slope). Set also for cells on which the unit does
    /// not fit, so that a unit which stands on one can leave it.
    std::array<std::uint8_t, kChunkCells> moves;
    /// Bit x of row y: the unit fits with its top-left cell here.
    std::array<std::uint64_t, kChunkSize> free_rows;
    /// Steps inside the chunk are the same in both directions (no slope limit bites).
    bool symmetric = true;

    [[nodiscard]] bool fits(int local) const { return ((free_rows[static_cast<std::size_t>(local >> kChunkShift)] >> (local & (kChunkSize - 1))) & 1) != 0; }
};

/// Compiles one chunk. A pure function of the ground records of the chunk and its eight neighbours.
/// @param exempt rectangles of grid cells whose obstacles do not count (the unit itself, its target).
/// Cost: a few microseconds; about a microsecond where nothing stands in the way.
void compileMoveTile(const WorldSnapshot& snapshot, const MobilityProfile& profile, ChunkCoord chunk, std::span<const CellRect> exempt, MoveTile& out);

/// Distance in cells (Chebyshev) from each cell to the nearest cell that blocks the profile, up to `reach` (at most 8); 0: farther. The map's edge is no wall.
void compileWallRings(const WorldSnapshot& snapshot, const MobilityProfile& profile, ChunkCoord chunk, int reach,
                      std::array<std::uint8_t, kChunkCells>& rings);

}  // namespace warpath
