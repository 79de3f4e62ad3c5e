// What a search reads: the world as it was at one revision, for as long as somebody holds it.
//
//   WorldSnapshot snapshot = world.snapshot();                  // cheap copy, any thread
//   if (snapshot.contains(cellAt(p))) ... snapshot.terrainAt(cellAt(p));
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "warpath/core/types.h"
#include "warpath/world/chunk.h"
#include "warpath/world/chunk_directory.h"
#include "warpath/world/rules.h"

namespace warpath {

/// Sides that threat can be kept for.
inline constexpr int kMaxSides = 16;
/// Largest side of a world that is supported and tested [cells].
inline constexpr int kMaxWorldSize = 8192;

/// A cell of the grid (origin subtracted): 14 bits of row, 14 of column; the four high bits are kept for levels.
using CellId = std::uint32_t;
inline constexpr int kCellIdShift = 14;
[[nodiscard]] constexpr CellId cellIdOf(int grid_x, int grid_y) {
    return (static_cast<CellId>(grid_y) << kCellIdShift) | static_cast<CellId>(grid_x);
}
[[nodiscard]] constexpr int gridXOf(CellId id) { return static_cast<int>(id & ((1u << kCellIdShift) - 1)); }
[[nodiscard]] constexpr int gridYOf(CellId id) { return static_cast<int>((id >> kCellIdShift) & ((1u << kCellIdShift) - 1)); }

/// The state behind a snapshot. Written by World only; immutable once published.
struct WorldState {
    std::uint64_t world_id = 0;        ///< Different for every World of the process.
    std::uint64_t revision = 0;        ///< Counts published edits; never keys a cache.
    std::uint64_t ground_revision = 0;  ///< The revision that last changed any ground record.
    std::uint64_t rules_revision = 0;  ///< Counts changes of `rules`.
    std::shared_ptr<const WorldRules> rules;
    std::int32_t width = 0, height = 0;    ///< [cells]
    std::int32_t origin_x = 0, origin_y = 0;  ///< World cell of grid cell (0, 0).
    bool has_cover = true;             ///< Cover and exposure are priced (off: a uniform benchmark map).
    std::array<std::uint32_t, kMaxTerrainTypes> terrain_chunks{};  ///< Chunks in which each terrain type occurs.
    std::uint32_t elevated_chunks = 0;  ///< Chunks that are not flat at height 0.
    ChunkDirectory<ChunkGround> ground;
    std::array<ChunkDirectory<ThreatChunk>, kMaxSides> threat;
    std::array<std::uint32_t, kMaxSides> threat_chunks{};  ///< Chunks with published threat, per side.
    ChunkDirectory<CongestionChunk> congestion;
    std::uint32_t congested_chunks = 0;
};

/// An immutable view of one revision. Copying shares; every method is safe from any thread; the default one is empty.
class WorldSnapshot {
public:
    WorldSnapshot() = default;
    explicit WorldSnapshot(std::shared_ptr<const WorldState> state) : state_(std::move(state)) {}

    [[nodiscard]] bool valid() const { return state_ != nullptr; }
    /// @pre valid(), as for everything below.
    [[nodiscard]] const WorldState& state() const { return *state_; }
    [[nodiscard]] const WorldRules& rules() const { return *state_->rules; }
    [[nodiscard]] std::uint64_t revision() const { return state_->revision; }
    [[nodiscard]] int width() const { return state_->width; }
    [[nodiscard]] int height() const { return state_->height; }
    [[nodiscard]] Cell origin() const { return {state_->origin_x, state_->origin_y}; }
    [[nodiscard]] CellRect bounds() const { return {state_->origin_x, state_->origin_y, state_->width, state_->height}; }
    [[nodiscard]] int chunkColumns() const { return state_->ground.columns(); }
    [[nodiscard]] int chunkRows() const { return state_->ground.rows(); }

    /// World cells.
    [[nodiscard]] bool contains(Cell c) const { return bounds().contains(c); }
    /// @pre contains(c), as for the two below.
    [[nodiscard]] Terrain terrainAt(Cell c) const { return static_cast<Terrain>(groundAt(c).terrain[local(c)]); }
    [[nodiscard]] PackedObstacle obstacleAt(Cell c) const { return groundAt(c).obstacle[local(c)]; }
    [[nodiscard]] float elevationAt(Cell c) const {
        return static_cast<float>(groundAt(c).elevationCm(static_cast<int>(local(c)))) / 100.0f;
    }
    /// Published threat for a side at a world cell, 1 = lethal; 0 where none. @pre contains(c), 0 <= side < kMaxSides.
    [[nodiscard]] float threatAt(int side, Cell c) const;

    /// The records of a chunk. @pre inside the map. Threat and congestion are null where there are none.
    [[nodiscard]] const ChunkGround& ground(ChunkCoord c) const { return *state_->ground.get(c); }
    [[nodiscard]] const ThreatChunk* threat(int side, ChunkCoord c) const { return state_->threat[static_cast<std::size_t>(side)].get(c); }
    [[nodiscard]] const CongestionChunk* congestion(ChunkCoord c) const { return state_->congestion.get(c); }

    /// The newest revision among the ground records of a chunk and its eight neighbours: equal values of one world mean equal ground there.
    [[nodiscard]] std::uint64_t neighbourhoodRevision(ChunkCoord c) const;

    friend bool operator==(const WorldSnapshot& a, const WorldSnapshot& b) { return a.state_ == b.state_; }

private:
    [[nodiscard]] const ChunkGround& groundAt(Cell c) const {
        return ground({(c.x - state_->origin_x) >> kChunkShift, (c.y - state_->origin_y) >> kChunkShift});
    }
    [[nodiscard]] std::size_t local(Cell c) const {
        return static_cast<std::size_t>(localIndex(c.x - state_->origin_x, c.y - state_->origin_y));
    }

    std::shared_ptr<const WorldState> state_;
};

}  // namespace warpath
