// Distances inside one chunk from or to one or several cells, with the chunk kernel; 32 bits, cut off rather than lost.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "warpath/grid/chunk_kernel.h"
#include "warpath/grid/tile_binding.h"
#include "warpath/world/chunk.h"

namespace warpath {

/// Holds the kernel's buffers (about 150 KiB): keep it on the heap. Threads: one at a time per object.
class ChunkCosts {
public:
    static constexpr std::uint32_t kNoWay = kChunkUnreached;
    static constexpr std::uint32_t kDearest = kChunkUnreached - 1;

    /// Heights as TileSlot has them; null where they cost nothing. @param weight of a metre up or down [hundredths].
    struct Heights {
        const std::int32_t* cm = nullptr;
        std::uint32_t mask = 0;
        std::uint32_t weight = 0;
    };
    void prepare(const std::uint16_t* f, const std::uint8_t* moves, const Heights& heights, TravelDirection direction);
    /// A chunk as a query sees it, with every price of its key.
    void prepare(const TileBinding& binding, const TileSlot& slot, TravelDirection direction);

    /// Costs from (or to) one cell; valid until the next call.
    const std::array<std::uint32_t, kChunkCells>& from(int cell);
    /// From (or to) the nearest of several cells [grid cells]. @pre not empty, all of this chunk.
    const std::array<std::uint32_t, kChunkCells>& fromAny(std::span<const Cell> cells);

private:
    void relaxWide(std::span<const Cell> cells);

    ChunkSweepPlan plan_;
    ChunkKernelScratch scratch_;
    alignas(64) std::array<std::uint32_t, kChunkCells> costs_;
    std::array<std::uint64_t, kChunkCells> wide_;
    std::array<std::int32_t, kChunkCells> heights_;
};

}  // namespace warpath
