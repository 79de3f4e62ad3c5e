// Cover and exposure of one chunk, compiled from the ground: what the cost of a metre without cover and of a metre in view is read from.
//
//   CoverTile tile;
//   compileCoverTile(snapshot, {3, 5}, tile);
//   bool safe_from_north = tile.directions[localIndex(x, y)] & (1u << 6);
#pragma once

#include <array>
#include <cstdint>

#include "warpath/world/snapshot.h"

namespace warpath {

/// Exposure of a cell with open sight in every direction.
inline constexpr int kFullExposure = 16;
/// Full cover in hundredths.
inline constexpr int kFullCover = 100;

/// By local index. Blocked cells are compiled like free ones: what one would have there.
struct CoverTile {
    /// Hundredths 0..100: the best of min(1, obstacle height / CoverRules::full_height), rounded, over the eight neighbours.
    std::array<std::uint8_t, kChunkCells> cover;
    /// Bit d: the neighbour in direction d is an obstacle that gives cover (at least half a hundredth).
    std::array<std::uint8_t, kChunkCells> directions;
    /// ObstacleKind of the neighbour that gives the best cover; of equals the first in the order of directions. None where cover is 0.
    std::array<std::uint8_t, kChunkCells> kind;
    /// 0..16: in how many of 16 directions sight runs free for CoverRules::detection_radius.
    std::array<std::uint8_t, kChunkCells> exposure;
    /// Nothing near stands or closes sight: no cover and full exposure in every cell. (False does not say the opposite.)
    bool open;
};

/// Compiles the cover and exposure of a chunk. Pure: depends on the ground of the chunk and its eight neighbours and on the rules only.
///
/// Exposure: the directions are the eight steps and the eight knight's moves between them. A ray runs from the centre of the cell; it is closed when
/// it enters the inside of a cell that closes sight (an obstacle of eye_height or more, or a terrain that closes sight) whose centre lies within the
/// radius. Grazing a corner does not count unless closing cells are grazed on both sides; the cell itself does not, and nothing stands outside the map. The height of the ground is left out:
/// at these distances it rarely matters, and it would keep flat and hilly worlds from sharing one quick form.
/// Method: sets of cells as 64-bit rows; a direction is the union of shifted rows, the sixteen are added up in bit slices.
/// Cost: constant (four fills) when nothing near gives cover or closes sight; else a few microseconds. No allocation.
/// Threads: any number at once.
/// @pre the chunk lies inside the map.
void compileCoverTile(const WorldSnapshot& snapshot, ChunkCoord chunk, CoverTile& out);

}  // namespace warpath
