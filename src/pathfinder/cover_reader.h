// Reading cover along a route, and the cell of a unit whose layers count.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "warpath/core/directions.h"
#include "warpath/grid/cost_tile.h"
#include "warpath/grid/tile_binding.h"

namespace warpath {

/// Reads cover tiles one after another, keeping the last one.
class CoverReader final : public CoverSource {
public:
    explicit CoverReader(TileBinding& binding) : binding_(binding), active_(binding.snapshot().state().has_cover) {}

    /// The tile that holds a grid cell; null where the world has no cover.
    const CoverTile* at(int x, int y) { return coverOf({x >> kChunkShift, y >> kChunkShift}); }
    const CoverTile* coverOf(ChunkCoord chunk) override {
        if (!active_) return nullptr;
        if (tile_ == nullptr || !(chunk == chunk_)) {
            tile_ = binding_.store().cover(binding_.snapshot(), chunk);
            chunk_ = chunk;
        }
        return tile_.get();
    }
    [[nodiscard]] bool active() const { return active_; }
    /// What a unit has of cover at an anchor; nothing where the world has none.
    [[nodiscard]] UnitCover ofUnit(CellId anchor, int size) {
        return active_ ? unitCover(binding_.snapshot(), *this, gridXOf(anchor), gridYOf(anchor), size) : UnitCover{};
    }

private:
    TileBinding& binding_;
    bool active_;
    ChunkCoord chunk_;
    std::shared_ptr<const CoverTile> tile_;
};

/// Reads ground records one after another, keeping the last one.
class GroundReader {
public:
    explicit GroundReader(const WorldSnapshot& snapshot) : snapshot_(snapshot) {}

    /// The terrain of a grid cell. @pre inside the map.
    std::uint8_t terrainAt(int x, int y) {
        const ChunkCoord chunk{x >> kChunkShift, y >> kChunkShift};
        if (ground_ == nullptr || !(chunk == chunk_)) {
            ground_ = &snapshot_.ground(chunk);
            chunk_ = chunk;
        }
        return ground_->terrain[static_cast<std::size_t>(localIndex(x, y))];
    }

private:
    const WorldSnapshot& snapshot_;
    ChunkCoord chunk_;
    const ChunkGround* ground_ = nullptr;
};

/// The mean of a set of directions (bit d: direction d) as a unit vector; zero where they cancel out or there are none.
[[nodiscard]] inline Vec2 meanDirection(std::uint8_t directions) {
    float x = 0.0f, y = 0.0f;
    for (int d = 0; d < kDirections; ++d) {
        if (((directions >> d) & 1) == 0) continue;
        x += kStepVector[d].x;
        y += kStepVector[d].y;
    }
    const float length = std::sqrt(x * x + y * y);
    return length > 1e-3f ? Vec2{x / length, y / length} : Vec2{};
}

/// The cell whose threat, congestion, exposure and height count for a unit: the middle of its square, kept on the map.
[[nodiscard]] inline Cell middleOf(const WorldSnapshot& snapshot, CellId anchor, int size) {
    return {std::min(gridXOf(anchor) + middleOffset(size), snapshot.width() - 1), std::min(gridYOf(anchor) + middleOffset(size), snapshot.height() - 1)};
}

}  // namespace warpath
