// The immutable records of one 64 x 64 chunk: ground, a side's threat, congestion.
//
//   const ChunkGround& ground = snapshot.ground({3, 5});
//   bool blocked = obstacleKind(ground.obstacle[localIndex(x, y)]) != ObstacleKind::None;
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "warpath/core/types.h"
#include "warpath/world/rules.h"

namespace warpath {

inline constexpr int kChunkShift = 6;
inline constexpr int kChunkSize = 1 << kChunkShift;
inline constexpr int kChunkCells = kChunkSize * kChunkSize;

/// A chunk by its column and row in the grid of chunks (0, 0 = north west corner of the map).
struct ChunkCoord {
    std::int32_t x = 0;
    std::int32_t y = 0;
    friend bool operator==(const ChunkCoord&, const ChunkCoord&) = default;
};

/// Index of a cell inside its chunk, from grid or chunk-local coordinates.
[[nodiscard]] constexpr int localIndex(int x, int y) { return ((y & (kChunkSize - 1)) << kChunkShift) | (x & (kChunkSize - 1)); }

/// An obstacle in 16 bits: kind in the top three, height in centimetres below.
using PackedObstacle = std::uint16_t;
inline constexpr int kObstacleKindShift = 13;
inline constexpr float kMaxObstacleHeight = 81.91f;  ///< [m]

[[nodiscard]] constexpr ObstacleKind obstacleKind(PackedObstacle o) { return static_cast<ObstacleKind>(o >> kObstacleKindShift); }
[[nodiscard]] constexpr int obstacleHeightCm(PackedObstacle o) { return o & ((1 << kObstacleKindShift) - 1); }
[[nodiscard]] constexpr PackedObstacle packObstacle(ObstacleKind kind, int height_cm) {
    return static_cast<PackedObstacle>((static_cast<unsigned>(kind) << kObstacleKindShift) | static_cast<unsigned>(height_cm));
}

/// Heights of a chunk that is not flat: `base_cm + offset_cm[i]`.
struct ElevationLayer {
    std::int32_t base_cm = 0;
    std::array<std::int16_t, kChunkCells> offset_cm{};
};

/// The static part of a chunk: 3 bytes a cell, 5 where the ground is not flat. Shared by every snapshot that has not seen it change.
struct ChunkGround {
    std::uint64_t revision = 0;  ///< The world revision that last changed this record.
    std::uint64_t terrain_mask = 0;  ///< Bit t set: terrain type t occurs.
    bool has_obstacles = false;
    std::int32_t flat_elevation_cm = 0;              ///< The height everywhere when `elevation` is null.
    std::shared_ptr<const ElevationLayer> elevation;
    std::array<std::uint8_t, kChunkCells> terrain{};  ///< Terrain by local index.
    std::array<PackedObstacle, kChunkCells> obstacle{};

    [[nodiscard]] std::int32_t elevationCm(int local) const {
        return elevation ? elevation->base_cm + elevation->offset_cm[static_cast<std::size_t>(local)] : flat_elevation_cm;
    }
};

/// The smallest rectangle around all cells in which terrain, obstacle or height differ [chunk cells]; empty when none do. O(cells of the rows that differ).
[[nodiscard]] CellRect groundDifference(const ChunkGround& a, const ChunkGround& b);

/// Threat in fixed point: 1024 is "lethal"; sums may exceed it up to 16.
inline constexpr int kThreatOne = 1024;
inline constexpr int kMaxStoredThreat = 16 * kThreatOne;

/// One side's published threat in one chunk, at a resolution of 1, 2, 4 or 8 metres.
struct ThreatChunk {
    std::uint64_t revision = 0;
    std::uint8_t resolution_shift = 1;                ///< log2 of metres per threat cell.
    std::vector<std::uint16_t> values;                ///< (64 >> shift)^2 values, row by row.
    std::array<std::uint16_t, 64> block_mean{};       ///< Per block of 8 x 8 cells, row by row.
    std::array<std::uint16_t, 64> block_max{};

    /// Threat at a local cell (0..63, 0..63).
    [[nodiscard]] int at(int x, int y) const {
        const int width = kChunkSize >> resolution_shift;
        return values[static_cast<std::size_t>((y >> resolution_shift) * width + (x >> resolution_shift))];
    }
};

/// Extra cost per metre where units crowd, in hundredths [0..6400].
struct CongestionChunk {
    std::uint64_t revision = 0;
    std::array<std::uint16_t, kChunkCells> value{};
};

}  // namespace warpath
