#include "search/chunk_costs.h"

#include <algorithm>

#include "warpath/core/directions.h"

namespace warpath {

void ChunkCosts::prepare(const std::uint16_t* f, const std::uint8_t* moves, const Heights& heights, TravelDirection direction) {
    ChunkKernelInput input{.f = f, .moves = moves};
    if (heights.cm != nullptr && heights.mask != 0 && heights.weight != 0) {
        constexpr std::int64_t kLargestSpan = std::int64_t{1} << 30;  // the kernel's limit: 1316 m at the largest weight
        const std::int32_t lowest = *std::min_element(heights.cm, heights.cm + kChunkCells);
        for (std::size_t i = 0; i < kChunkCells; ++i) {
            const std::int64_t rise = (std::int64_t{heights.cm[i]} - lowest) * heights.weight * kStraightLength / 100;
            heights_[i] = static_cast<std::int32_t>(std::min(rise, kLargestSpan));
        }
        input.heights = heights_.data();
    }
    prepareChunkSweep(input, direction, plan_);
}

void ChunkCosts::prepare(const TileBinding& binding, const TileSlot& slot, TravelDirection direction) {
    Heights heights;
    if (binding.pricesElevation()) heights = {slot.elevation_cm, slot.elevation_mask, binding.model().key().metric.elevation_weight};
    prepare(slot.f, slot.moves, heights, direction);
}

const std::array<std::uint32_t, kChunkCells>& ChunkCosts::from(int cell) {
    if (!chunkDistances(plan_, cell, costs_.data(), scratch_)) {
        const Cell source{cell & (kChunkSize - 1), cell >> kChunkShift};
        relaxWide({&source, 1});
    }
    return costs_;
}

const std::array<std::uint32_t, kChunkCells>& ChunkCosts::fromAny(std::span<const Cell> cells) {
    costs_.fill(kChunkUnreached);
    for (const Cell c : cells) costs_[static_cast<std::size_t>(localIndex(c.x, c.y))] = 0;
    if (relaxChunk(plan_, costs_.data(), scratch_).saturated) relaxWide(cells);
    return costs_;
}

void ChunkCosts::relaxWide(std::span<const Cell> cells) {
    wide_.fill(kChunkUnreachedWide);
    for (const Cell c : cells) wide_[static_cast<std::size_t>(localIndex(c.x, c.y))] = 0;
    relaxChunkWide(plan_, wide_.data(), scratch_);
    for (std::size_t i = 0; i < kChunkCells; ++i) {
        costs_[i] = wide_[i] == kChunkUnreachedWide ? kNoWay : static_cast<std::uint32_t>(std::min<std::uint64_t>(wide_[i], kDearest));
    }
}

}  // namespace warpath
