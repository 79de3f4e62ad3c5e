// The compiled chunks that one thread's searches work on: numbered slots, filled on first touch, kept while snapshot and key stay the same.
//
//   TileBinding binding;
//   binding.bind(snapshot, key, {}, store);
//   std::uint32_t ref = binding.refOf(x, y);                         // slot and local index in one number
//   std::uint16_t f = binding.slot(slotOf(ref)).f[localOf(ref)];     // hundredths
//   bool legal = binding.mayStep(ref, d);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/grid/tile_store.h"

namespace warpath {

/// A cell as slot << 12 | local index. Valid until the binding changes.
using CellRef = std::uint32_t;
inline constexpr CellRef kNoCellRef = UINT32_MAX;
inline constexpr int kLocalBits = 2 * kChunkShift;
/// What a step adds to a local index, or to a ref, where it stays inside the chunk.
inline constexpr int kLocalOffset[kDirections] = {1, kChunkSize + 1, kChunkSize, kChunkSize - 1, -1, -kChunkSize - 1, -kChunkSize, -kChunkSize + 1};
[[nodiscard]] constexpr std::uint32_t slotOf(CellRef ref) { return ref >> kLocalBits; }
[[nodiscard]] constexpr std::uint32_t localOf(CellRef ref) { return ref & (kChunkCells - 1); }

/// One bound chunk. The raw pointers live as long as the shared ones beside them.
struct TileSlot {
    const std::uint16_t* f = nullptr;
    const std::uint8_t* moves = nullptr;
    const std::int32_t* elevation_cm = nullptr;  ///< Index with `local & elevation_mask`; null when the key does not price elevation.
    std::uint32_t elevation_mask = 0;
    std::int32_t x0 = 0, y0 = 0;                 ///< Grid cell of the north west corner.
    std::uint32_t neighbour[8] = {};             ///< Slots by direction, kUnbound until touched.
    std::shared_ptr<const MoveTile> move_tile;
    std::shared_ptr<const CostTile> cost_tile;   ///< Null, with `f` and the heights, while only the moves were asked for (TileBinding::movesSlot).

    /// Height of a cell [cm]. @pre the key prices elevation.
    [[nodiscard]] std::int32_t heightCm(std::uint32_t local) const { return elevation_cm[local & elevation_mask]; }

    static constexpr std::uint32_t kUnbound = UINT32_MAX;
};

/// Setup cost does not depend on the map once the directory of chunks has been sized. Single owner.
class TileBinding {
public:
    /// Makes the slots stand for this snapshot and key. Slots stay when nothing has changed since the last call; otherwise they are dropped.
    /// @param exempt rectangles of grid cells whose obstacles do not count; tiles near them are compiled privately.
    /// @return true when the former slots (and what their refs name) are still valid.
    bool bind(const WorldSnapshot& snapshot, const CostKey& key, std::span<const CellRect> exempt, const std::shared_ptr<TileStore>& store);

    /// Makes single cells dearer in private copies of their tiles, until the next `bind` (which then drops every slot).
    /// f stays below 655: what would go beyond is cut off there.
    struct ExtraCost {
        CellId cell;
        std::uint32_t hundredths;
    };
    void addCosts(std::span<const ExtraCost> extra);

    /// The ref of a grid cell. Binds its chunk, so slots that are held may move. @pre inside the map.
    [[nodiscard]] CellRef refOf(int grid_x, int grid_y) {
        return (slotOfChunk({grid_x >> kChunkShift, grid_y >> kChunkShift}) << kLocalBits) | static_cast<CellRef>(localIndex(grid_x, grid_y));
    }
    [[nodiscard]] const TileSlot& slot(std::uint32_t index) const { return slots_[index]; }

    /// The slot of the chunk next to `index` in a direction. Binds it. May move the slots: read `slot` again afterwards. @pre inside the map.
    [[nodiscard]] std::uint32_t neighbourSlot(std::uint32_t index, int direction) {
        const std::uint32_t known = slots_[index].neighbour[direction];
        return known != TileSlot::kUnbound ? known : bindNeighbour(index, direction);
    }

    /// As `neighbourSlot`, but only the moves need be there: costs are compiled when somebody asks for them. May move the slots.
    [[nodiscard]] std::uint32_t movesSlot(std::uint32_t index, int direction) {
        const std::uint32_t known = slots_[index].neighbour[direction];
        return known != TileSlot::kUnbound ? known : bindNeighbourMoves(index, direction);
    }
    /// Compiles the costs of a slot that has only its moves so far.
    void complete(std::uint32_t index) {
        if (slots_[index].f == nullptr) bindCosts(index);
    }

    [[nodiscard]] int xOf(CellRef ref) const { return slots_[slotOf(ref)].x0 + static_cast<int>(ref & (kChunkSize - 1)); }
    [[nodiscard]] int yOf(CellRef ref) const { return slots_[slotOf(ref)].y0 + static_cast<int>(localOf(ref) >> kChunkShift); }
    [[nodiscard]] bool fits(CellRef ref) const { return slots_[slotOf(ref)].move_tile->fits(static_cast<int>(localOf(ref))); }

    /// Whether the step is legal. @param direction 0 to 7.
    [[nodiscard]] bool mayStep(CellRef from, int direction) const { return ((slots_[slotOf(from)].moves[localOf(from)] >> direction) & 1) != 0; }

    /// What a legal step between neighbours costs.
    [[nodiscard]] Cost stepCost(CellRef from, CellRef to, int direction) const {
        return Cost{stepLength(direction)} * slots_[slotOf(to)].f[localOf(to)] + riseCost(from, to);
    }
    /// The part of it for the height between the two cells; 0 when elevation is not priced.
    [[nodiscard]] Cost riseCost(CellRef from, CellRef to) const {
        return prices_elevation_ ? model_.riseCost(slots_[slotOf(to)].heightCm(localOf(to)) - slots_[slotOf(from)].heightCm(localOf(from))) : 0;
    }

    /// The ref one step away; kNoCellRef off the map. Binds chunks as refOf does.
    [[nodiscard]] CellRef stepFrom(CellRef ref, int direction);

    [[nodiscard]] const WorldSnapshot& snapshot() const { return snapshot_; }
    [[nodiscard]] const CostModel& model() const { return model_; }
    [[nodiscard]] bool pricesElevation() const { return prices_elevation_; }
    [[nodiscard]] TileStore& store() const { return *store_; }
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    std::uint32_t slotOfChunk(ChunkCoord chunk) {
        const std::uint32_t known = slot_of_chunk_[static_cast<std::size_t>(chunk.y * snapshot_.chunkColumns() + chunk.x)];
        return known != TileSlot::kUnbound && slots_[known].f != nullptr ? known : bindChunk(chunk);
    }
    std::uint32_t bindChunk(ChunkCoord chunk);
    std::uint32_t bindMoves(ChunkCoord chunk);
    void bindCosts(std::uint32_t index);
    std::uint32_t bindNeighbour(std::uint32_t index, int direction);
    std::uint32_t bindNeighbourMoves(std::uint32_t index, int direction);

    WorldSnapshot snapshot_;
    CostKey key_;
    std::vector<CellRect> exempt_;
    std::shared_ptr<TileStore> store_;
    CostModel model_{WorldRules::reference(), {}};
    bool prices_elevation_ = false;
    std::vector<TileSlot> slots_;
    std::vector<std::uint32_t> slot_of_chunk_;  // by chunk index; kUnbound where not bound
    std::vector<CostTile*> private_costs_;      // by slot; null where the tile is shared
};

}  // namespace warpath
