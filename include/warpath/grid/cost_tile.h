// f(c) of a chunk in one array: what a search multiplies step lengths with.
//
//   CostTile tile;
//   compileCostTile(snapshot, model, {3, 5}, cover, tile);
//   Cost step = stepLength(d) * tile.f[to];
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "warpath/grid/cost_model.h"
#include "warpath/grid/cover_tile.h"
#include "warpath/world/snapshot.h"

namespace warpath {

struct CostTile {
    std::array<std::uint16_t, kChunkCells> f;     ///< Hundredths per metre of entering each cell; unspecified where the unit does not fit.
    bool uniform = false;                         ///< Every cell has the same f.
    /// Heights [cm], only when the key prices elevation: all 4096, or one where the chunk is flat. Index with `local & elevation_mask`.
    std::vector<std::int32_t> elevation_cm;
    std::uint32_t elevation_mask = 0;
};

/// What a unit has of cover where it stands.
struct UnitCover {
    int cover = 0;     ///< [hundredths] The best of its cells, since beside a large unit's middle there is only the unit itself.
    int exposure = 0;  ///< [sixteenths] Of its middle cell.
};

/// The terms of one cell. `anchor` is the top-left grid cell of the unit's square: terrain and road are taken from its dearest cell, threat, congestion and the
/// height from the middle one.
/// @param cover of the unit there; null when the key or the world does not price cover.
/// @param wall_rings as compileWallRings gives for the anchor; 0 when the key prices no walls.
[[nodiscard]] CellTerms termsOf(const WorldSnapshot& snapshot, const CostModel& model, int anchor_x, int anchor_y, const UnitCover* cover, int wall_rings);

/// Offset from the top-left cell of a unit's square to the cell whose threat, congestion, exposure and height count.
[[nodiscard]] constexpr int middleOffset(int size) { return (size - 1) / 2; }

/// Supplies cover tiles by chunk; what TileStore does.
class CoverSource {
public:
    /// Valid until the next call.
    virtual const CoverTile* coverOf(ChunkCoord chunk) = 0;

protected:
    ~CoverSource() = default;
};

/// The cell of a unit's square that has the most cover, of equals the first by row; the middle one where none has any. Cells off the map are left out.
[[nodiscard]] Cell mostCovered(const WorldSnapshot& snapshot, CoverSource& cover, int anchor_x, int anchor_y, int size);
[[nodiscard]] UnitCover unitCover(const WorldSnapshot& snapshot, CoverSource& cover, int anchor_x, int anchor_y, int size);

/// Compiles one chunk. Pure in the ground records of the chunk and its neighbours, the side's threat, congestion and the key.
void compileCostTile(const WorldSnapshot& snapshot, const CostModel& model, ChunkCoord chunk, CoverSource& cover, CostTile& out);

}  // namespace warpath
