// A flow field as a value: for every cell the step towards the nearest goal. One computation moves an army.
//
//   std::shared_ptr<const FlowField> field = builder.build(snapshot, request, store).field;     // flow/flow_builder.h
//   if (isFlowArrow(field->direction(cell))) unit.stepTo(*field->next(cell));
//   sampleFlow(*field, position)                                                                // flow/flow_sample.h
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/core/types.h"
#include "warpath/grid/coarse_flow.h"
#include "warpath/grid/cost_model.h"
#include "warpath/grid/cost_tile.h"
#include "warpath/grid/move_tile.h"
#include "warpath/world/chunk_directory.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// What a cell of a field says: a direction 0..7 (core/directions.h), or why there is none.
enum FlowCode : std::uint8_t {
    kFlowGoal = 8,         ///< The way ends here.
    kFlowWall = 9,         ///< The unit cannot stand here.
    kFlowUnreachable = 10, ///< The unit can stand here, but no way leads from here to a goal inside the area.
    kFlowOutside = 11,     ///< Off the map or outside the field's area.
    kFlowPending = 12,     ///< Inside the area, farther than the field has been computed: beyond its horizon, or off the tiles of a tiled field.
};
[[nodiscard]] constexpr bool isFlowArrow(std::uint8_t code) { return code < kDirections; }
/// The unit can be led from here: an arrow or the goal.
[[nodiscard]] constexpr bool isFlowWay(std::uint8_t code) { return code <= kFlowGoal; }

/// In a stored byte the low four bits are the code; this bit says that all eight steps from the cell are legal and lead on (no wall, edge, slope limit
/// or dead end beside it).
inline constexpr std::uint8_t kFlowOpen = 0x10;
inline constexpr std::uint8_t kFlowCodeMask = 0x0f;

/// The distance of a cell from which nothing is reached, or that has none.
inline constexpr Cost kNoFlowDistance = UINT64_MAX;

/// Distances of a chunk: 32 bits relative to `base`, 64 bits where those do not suffice.
struct FlowDistances {
    static constexpr std::uint32_t kNone = UINT32_MAX;
    Cost base = 0;
    alignas(64) std::array<std::uint32_t, kChunkCells> relative;  ///< kNone: not reached. Unspecified when `wide` is used.
    std::vector<Cost> wide;                                         ///< Empty, or one absolute distance per cell (kNoFlowDistance: not reached).

    [[nodiscard]] Cost at(int local) const {
        if (!wide.empty()) return wide[static_cast<std::size_t>(local)];
        const std::uint32_t r = relative[static_cast<std::size_t>(local)];
        return r == kNone ? kNoFlowDistance : base + r;
    }
};

/// What a chunk of a field was computed from: equal values of one world mean equal costs and moves there.
struct FlowRevisions {
    std::uint64_t ground = 0;      ///< Newest of the 3 x 3 neighbourhood.
    std::uint64_t threat = 0;      ///< Of the side that moves, when threat is priced: newest of the chunks that a unit's middle can reach.
    std::uint64_t congestion = 0;  ///< The same for congestion.
    friend bool operator==(const FlowRevisions&, const FlowRevisions&) = default;
};
[[nodiscard]] FlowRevisions flowRevisions(const WorldSnapshot& snapshot, const CostKey& key, ChunkCoord chunk);

/// One chunk of a field. Immutable once it is part of one; generations share the tiles that did not change. 4 KiB, and 16 more with distances.
struct FlowTile {
    alignas(64) std::array<std::uint8_t, kChunkCells> bytes{};    ///< Code and flags by local index.
    FlowRevisions revisions;
    std::shared_ptr<const FlowDistances> distances;               ///< Null once dropped.
    std::shared_ptr<const MoveTile> moves;                        ///< What the distances were computed with; null once dropped.
    std::shared_ptr<const CostTile> costs;
    /// Unit vectors by local index, zero where there is none: of fast marching, or of an exact field's last stretch (FlowRequest::straight_radius). Null where
    /// arrows say it all.
    std::shared_ptr<const std::array<Vec2, kChunkCells>> vectors;

    [[nodiscard]] std::uint8_t code(int local) const { return bytes[static_cast<std::size_t>(local)] & kFlowCodeMask; }
};

enum class FlowMethod : std::uint8_t {
    Dijkstra,      ///< Exact costs over the eight steps.
    FastMarching,  ///< First or second order eikonal; any angle.
};

/// What a field leads to, for whom, and what it covers.
struct FlowFieldInfo {
    FlowMethod method = FlowMethod::Dijkstra;
    CostKey key;                       ///< Metric, threat weight, side.
    std::vector<Cell> goals;           ///< The cells at which arrows end, by row, then column [world cells; top-left cell of larger units].
    bool redirected = false;           ///< No goal asked for can be reached: `goals` are the nearest cells that can.
    CellRect area;                     ///< What the field covers, whole chunks clipped to the map [world cells].
    bool tiled = false;                ///< Of the area only the chunks that have a tile were computed.
    std::uint64_t revision = 0;        ///< Of the snapshot it was computed on.
    std::uint64_t world_id = 0;        ///< Of that snapshot's world, set by the field.
    std::uint64_t rules_revision = 0;  ///< Of that world's rules, set by the field.
    std::uint64_t generation = 1;      ///< Counts repairs and extensions of one field.
    /// Distances up to this are computed and exact; cells that are farther away are kFlowPending [UINT64_MAX: all].
    Cost horizon = UINT64_MAX;
};

/// Threads: immutable; any number of readers, for as long as they hold it. A repair makes a new generation that shares untouched tiles.
/// Coordinates are world cells; for units of n x n cells a cell is the top-left one of the square.
class FlowField {
public:
    FlowField(FlowFieldInfo info, const WorldSnapshot& snapshot, ChunkDirectory<FlowTile> tiles)
        : FlowField(std::move(info), snapshot, snapshot.bounds(), std::move(tiles)) {}
    /// @param snapshot empty for fields without distances.
    FlowField(FlowFieldInfo info, const WorldSnapshot& snapshot, const CellRect& map, ChunkDirectory<FlowTile> tiles);

    [[nodiscard]] const FlowFieldInfo& info() const { return info_; }
    [[nodiscard]] const CellRect& area() const { return info_.area; }
    [[nodiscard]] const CellRect& map() const { return map_; }  ///< Bounds of the world [world cells].
    [[nodiscard]] int unitSize() const { return info_.key.metric.profile.size; }

    /// The code of a cell; kFlowOutside off the area.
    [[nodiscard]] std::uint8_t direction(Cell c) const { return byteAt(c) & kFlowCodeMask; }
    /// Code and flags.
    [[nodiscard]] std::uint8_t byteAt(Cell c) const {
        if (!covers(c)) return kFlowOutside;
        const FlowTile* t = tile(chunkOf(c));
        return t != nullptr ? t->bytes[static_cast<std::size_t>(localOf(c))] : static_cast<std::uint8_t>(kFlowPending);
    }
    /// Cost of the way from a cell to its goal; kNoFlowDistance where there is none, or distances were dropped.
    [[nodiscard]] Cost distance(Cell c) const;
    /// The cell that the arrow leads to; nothing where there is no arrow.
    [[nodiscard]] std::optional<Cell> next(Cell c) const {
        const std::uint8_t d = direction(c);
        if (!isFlowArrow(d)) return std::nullopt;
        return Cell{c.x + kStepX[d], c.y + kStepY[d]};
    }
    /// The vector of fast marching; for exact fields the way straight to a goal in sight, if asked for, else the unit vector of the arrow. Zero where there is none.
    [[nodiscard]] Vec2 vector(Cell c) const;

    /// Whether a cell lies in the area.
    [[nodiscard]] bool covers(Cell c) const {
        return static_cast<std::uint32_t>(c.x) - static_cast<std::uint32_t>(info_.area.x) < static_cast<std::uint32_t>(info_.area.width) &&
               static_cast<std::uint32_t>(c.y) - static_cast<std::uint32_t>(info_.area.y) < static_cast<std::uint32_t>(info_.area.height);
    }
    /// A chunk of the grid (origin subtracted); null outside the area or not computed.
    [[nodiscard]] const FlowTile* tile(ChunkCoord chunk) const {
        const auto x = static_cast<std::uint32_t>(chunk.x - first_.x), y = static_cast<std::uint32_t>(chunk.y - first_.y);
        return x < columns_ && y < rows_ ? by_chunk_[y * columns_ + x] : nullptr;
    }
    [[nodiscard]] const ChunkDirectory<FlowTile>& tiles() const { return tiles_; }
    [[nodiscard]] ChunkCoord chunkOf(Cell c) const { return {(c.x - map_.x) >> kChunkShift, (c.y - map_.y) >> kChunkShift}; }
    [[nodiscard]] int localOf(Cell c) const { return localIndex(c.x - map_.x, c.y - map_.y); }

    /// False when something that the field was computed from has changed (then it wants a repair), or `now` is of another world.
    [[nodiscard]] bool isCurrent(const WorldSnapshot& now) const;
    /// True until `withoutDistances`.
    [[nodiscard]] bool hasDistances() const { return snapshot_.valid(); }
    /// The snapshot of the last computation; empty once distances were dropped.
    [[nodiscard]] const WorldSnapshot& snapshot() const { return snapshot_; }

    /// The same arrows in about one byte per cell. Such a field cannot be repaired or extended; compute it anew instead.
    [[nodiscard]] std::shared_ptr<const FlowField> withoutDistances() const;

    /// Bytes of all tiles, those shared with other generations included; compiled chunks belong to the TileStore and do not count.
    [[nodiscard]] std::size_t memoryBytes() const;

    /// Of tiled fields made through the hierarchy: what leads towards the goal off their tiles. Null: nothing does.
    [[nodiscard]] const CoarseFlow* coarse() const { return coarse_.get(); }

    /// For builders, before the field is shared.
    void setGeneration(std::uint64_t generation) { info_.generation = generation; }
    void setCoarse(std::shared_ptr<const CoarseFlow> coarse) { coarse_ = std::move(coarse); }

private:
    FlowFieldInfo info_;
    WorldSnapshot snapshot_;
    CellRect map_;
    ChunkDirectory<FlowTile> tiles_;           ///< Owns the tiles.
    ChunkCoord first_;                         ///< The area in chunks.
    std::uint32_t columns_ = 0, rows_ = 0;
    std::shared_ptr<const CoarseFlow> coarse_;
    std::vector<const FlowTile*> by_chunk_;    ///< The tiles of the area, row by row: what readers go through.
};

}  // namespace warpath
