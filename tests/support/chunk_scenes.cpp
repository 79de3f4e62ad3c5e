#include "support/chunk_scenes.h"

#include "warpath/core/rng.h"

namespace warpath::testing {
namespace {

constexpr int kSide = kChunkKernelSide;

/// A perfect maze with corridors one cell wide, by a random depth-first walk over the odd cells.
void carveMaze(std::vector<std::uint8_t>& blocked, Rng& rng) {
    blocked.assign(kChunkKernelCells, 1);
    std::vector<int> trail{0};
    blocked[0] = 0;
    while (!trail.empty()) {
        const int cell = trail.back(), x = cell % kSide, y = cell / kSide;
        int ways[4], count = 0;
        for (int k = 0; k < 8; k += 2) {
            const int nx = x + 2 * kStepX[k], ny = y + 2 * kStepY[k];
            if (nx >= 0 && ny >= 0 && nx < kSide && ny < kSide && blocked[ny * kSide + nx]) ways[count++] = k;
        }
        if (count == 0) {
            trail.pop_back();
            continue;
        }
        const int k = ways[rng.below(static_cast<std::uint32_t>(count))];
        blocked[(y + kStepY[k]) * kSide + x + kStepX[k]] = 0;
        blocked[(y + 2 * kStepY[k]) * kSide + x + 2 * kStepX[k]] = 0;
        trail.push_back((y + 2 * kStepY[k]) * kSide + x + 2 * kStepX[k]);
    }
}

}  // namespace

ChunkScene makeChunkScene(Ground ground, Corner corner, std::uint64_t seed, unsigned one_way_percent) {
    Rng rng(seed);
    ChunkScene s;
    s.f.assign(kChunkKernelCells, 100);
    s.moves.assign(kChunkKernelCells, 0);
    s.heights.assign(kChunkKernelCells, 0);
    s.blocked.assign(kChunkKernelCells, 0);
    if (ground == Ground::maze) carveMaze(s.blocked, rng);
    for (int cell = 0; cell < kChunkKernelCells; ++cell) {
        const int x = cell % kSide, y = cell / kSide;
        std::uint32_t percent = 0;
        if (ground == Ground::blocked20 || ground == Ground::cell_weights_blocked20) percent = 20;
        if (ground == Ground::blocked35) percent = 35;
        if (ground == Ground::rooms && (x % 16 == 15 || y % 16 == 15)) percent = 85;
        if (percent != 0) s.blocked[cell] = rng.percent(percent);
        if (ground == Ground::cell_weights || ground == Ground::cell_weights_blocked20) {
            s.f[cell] = static_cast<std::uint16_t>(100 * (1 + rng.below(8)));
        }
        if (ground == Ground::extreme_weights) s.f[cell] = static_cast<std::uint16_t>(rng.percent(30) ? 10 + rng.below(65526) : 10 + rng.below(100));
    }
    if (ground == Ground::block_weights) {
        std::uint16_t weight[64];
        for (std::uint16_t& w : weight) w = static_cast<std::uint16_t>(100 * (1 + rng.below(8)));
        for (int cell = 0; cell < kChunkKernelCells; ++cell) s.f[cell] = weight[cell / kSide / 8 * 8 + cell % kSide / 8];
    }
    std::int32_t level = 0;
    for (int cell = 0; cell < kChunkKernelCells; ++cell) {
        level += static_cast<std::int32_t>(rng.below(40'001)) - 20'000;
        s.heights[cell] = level + (cell >= kSide ? s.heights[cell - kSide] - level / 2 : 0) / 2;
    }
    const auto free = [&](int x, int y) { return x >= 0 && y >= 0 && x < kSide && y < kSide && s.blocked[y * kSide + x] == 0; };
    for (int cell = 0; cell < kChunkKernelCells; ++cell) {
        const int x = cell % kSide, y = cell / kSide;
        for (int k = 0; k < kDirections; ++k) {
            const int nx = x + kStepX[k], ny = y + kStepY[k];
            const bool inside = nx >= 0 && ny >= 0 && nx < kSide && ny < kSide;
            bool legal = !inside || free(nx, ny);  // steps out of the chunk stay set: the kernel must ignore them
            if (inside && isDiagonal(k)) {
                const int sides = (free(nx, y) ? 1 : 0) + (free(x, ny) ? 1 : 0);
                if (corner == Corner::never) legal = false;
                if (corner == Corner::strict) legal = legal && sides == 2;
                if (corner == Corner::one) legal = legal && sides >= 1;
            }
            if (one_way_percent != 0 && rng.percent(one_way_percent)) legal = false;
            if (legal) s.moves[cell] |= static_cast<std::uint8_t>(1u << k);
        }
    }
    return s;
}

}  // namespace warpath::testing
