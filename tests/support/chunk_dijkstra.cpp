#include "support/chunk_dijkstra.h"

#include <queue>
#include <utility>

namespace warpath::testing {

std::vector<std::uint64_t> chunkDijkstra(const ChunkKernelInput& input, TravelDirection direction, std::vector<std::uint64_t> dist) {
    using Entry = std::pair<std::uint64_t, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    for (int cell = 0; cell < kChunkKernelCells; ++cell) {
        if (dist[cell] != kChunkUnreachedWide) open.push({dist[cell], cell});
    }
    while (!open.empty()) {
        const auto [d, cell] = open.top();
        open.pop();
        if (d != dist[cell]) continue;
        for (int k = 0; k < kDirections; ++k) {
            const int x = cell % kChunkKernelSide + kStepX[k], y = cell / kChunkKernelSide + kStepY[k];
            if (x < 0 || y < 0 || x >= kChunkKernelSide || y >= kChunkKernelSide) continue;
            const int other = y * kChunkKernelSide + x;
            const bool forward = direction == TravelDirection::from_sources;
            const int a = forward ? cell : other, c = forward ? other : cell;  // a step of the unit leads from a to c
            const int step = forward ? k : oppositeOf(k);
            if (((input.moves[a] >> step) & 1) == 0) continue;
            std::uint64_t next = d + std::uint64_t{stepLength(step)} * input.f[c];
            if (input.heights != nullptr) {
                const std::int64_t rise = std::int64_t{input.heights[c]} - input.heights[a];
                const auto dz = static_cast<std::uint64_t>(rise < 0 ? -rise : rise);
                next += input.climb_weight == 0 ? dz : (dz * input.climb_weight + 50) / 100 * kStraightLength;
            }
            if (next >= dist[other]) continue;
            dist[other] = next;
            open.push({next, other});
        }
    }
    return dist;
}

}  // namespace warpath::testing
