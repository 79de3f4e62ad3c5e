// Seeded chunks of every kind for the chunk kernel's tests and benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpath/grid/chunk_kernel.h"

namespace warpath::testing {

enum class Ground { open, blocked20, blocked35, maze, block_weights, cell_weights, cell_weights_blocked20, extreme_weights, rooms };
enum class Corner { strict, one, always, never };

/// A chunk's arrays, owned.
struct ChunkScene {
    std::vector<std::uint16_t> f;
    std::vector<std::uint8_t> moves;
    std::vector<std::int32_t> heights;
    std::vector<std::uint8_t> blocked;

    [[nodiscard]] ChunkKernelInput input(bool with_heights = false) const {
        return {.f = f.data(), .moves = moves.data(), .heights = with_heights ? heights.data() : nullptr};
    }
};

/// Builds a scene; `one_way_percent` removes that share of the legal steps in one direction only.
ChunkScene makeChunkScene(Ground ground, Corner corner, std::uint64_t seed, unsigned one_way_percent = 0);

}  // namespace warpath::testing
