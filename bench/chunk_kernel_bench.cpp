// Question: what does one relaxation of a 64 x 64 chunk cost (one border source to all cells), by ground and backend, against the bucket
// queue, and what does the preparation cost that comes before it? Every answer is compared with a textbook Dijkstra. A time is the least of
// 9 runs of one task; median and p99 are over the tasks (8 chunks x about 44 border sources), so other load on the machine disturbs little.
//
//   cmake --build --preset release --target chunk_kernel_bench && build/release/bench/chunk_kernel_bench
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "support/chunk_dijkstra.h"
#include "support/chunk_scenes.h"
#include "warpath/grid/chunk_kernel.h"

namespace {

using namespace warpath;
using testing::Corner;
using testing::Ground;
using Clock = std::chrono::steady_clock;

struct Named {
    const char* name;
    Ground ground;
    bool heights = false;
};

constexpr Named kGrounds[] = {{"open", Ground::open},
                              {"rooms", Ground::rooms},
                              {"blocked 20 %", Ground::blocked20},
                              {"blocked 35 %", Ground::blocked35},
                              {"maze", Ground::maze},
                              {"block weights 1..8", Ground::block_weights},
                              {"cell weights 1..8", Ground::cell_weights},
                              {"cell weights, 20 %", Ground::cell_weights_blocked20},
                              {"block weights, hills", Ground::block_weights, true}};

struct Times {
    double median = 0, p99 = 0;
};

Times summary(std::vector<double>& us) {
    std::sort(us.begin(), us.end());
    return {us[us.size() / 2], us[us.size() * 99 / 100]};
}

/// The least time [us] of some runs of a task, each after its untimed preparation.
template <typename Before, typename Task>
double leastOf(int repeats, const Before& before, const Task& task) {
    double least = 1e9;
    for (int r = 0; r < repeats; ++r) {
        before();
        const auto start = Clock::now();
        task();
        least = std::min(least, std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    return least;
}

/// Sources on the chunk's border, as the hierarchy asks for them.
std::vector<int> borderSources(const testing::ChunkScene& scene) {
    std::vector<int> cells;
    for (int i = 3; i < 64; i += 6) {
        for (const int cell : {i, 63 * 64 + i, i * 64, i * 64 + 63}) {
            if (scene.blocked[cell] == 0) cells.push_back(cell);
        }
    }
    return cells;
}

bool verifyAndTime(const Named& ground, TravelDirection travel, ChunkKernelBackend backend, int scenes, int repeats) {
    const auto plan = std::make_unique<ChunkSweepPlan>();
    const auto scratch = std::make_unique<ChunkKernelScratch>();
    std::vector<std::uint32_t> dist(kChunkKernelCells);
    std::vector<double> relax_us, prepare_us;
    std::uint64_t sum = 0;
    for (int i = 0; i < scenes; ++i) {
        const testing::ChunkScene scene = testing::makeChunkScene(ground.ground, Corner::strict, static_cast<std::uint64_t>(1000 + i));
        const ChunkKernelInput input = scene.input(ground.heights);
        prepare_us.push_back(leastOf(repeats, [] {}, [&] { prepareChunkSweep(input, travel, *plan, backend); }));
        for (const int source : borderSources(scene)) {
            const auto seed = [&] {
                std::fill(dist.begin(), dist.end(), kChunkUnreached);
                dist[source] = 0;
            };
            relax_us.push_back(leastOf(repeats, seed, [&] { relaxChunk(*plan, dist.data(), *scratch, std::uint64_t{1} << (source / 64)); }));
            for (const std::uint32_t d : dist) sum = sum * 31 + d;
            std::vector<std::uint64_t> seeds(kChunkKernelCells, kChunkUnreachedWide);
            seeds[source] = 0;
            const std::vector<std::uint64_t> want = testing::chunkDijkstra(input, travel, seeds);
            for (int c = 0; c < kChunkKernelCells; ++c) {
                if (dist[c] != (want[c] == kChunkUnreachedWide ? kChunkUnreached : want[c])) {
                    std::printf("WRONG: %s, %s, source %d, cell %d\n", ground.name, chunkKernelName(backend), source, c);
                    return false;
                }
            }
        }
    }
    const Times relax = summary(relax_us), prepare = summary(prepare_us);
    std::printf("%-22s %-8s %-7s %8.1f %8.1f   %8.1f %8.1f   %016llx\n", ground.name, travel == TravelDirection::from_sources ? "forward" : "reverse",
                chunkKernelName(plan->backend), relax.median, relax.p99, prepare.median, prepare.p99, static_cast<unsigned long long>(sum));
    return true;
}

}  // namespace

int main() {
    std::printf("%-22s %-8s %-7s %8s %8s   %8s %8s   %s\n", "ground", "travel", "backend", "relax us", "p99", "prep us", "p99", "hash of distances");
    bool right = true;
    for (const Named& ground : kGrounds) {
        for (const TravelDirection travel : {TravelDirection::from_sources, TravelDirection::to_goals}) {
            for (const auto backend : {ChunkKernelBackend::scalar, ChunkKernelBackend::lanes4, ChunkKernelBackend::avx2, ChunkKernelBackend::avx512}) {
                if (chunkKernelAvailable(backend)) right &= verifyAndTime(ground, travel, backend, 8, 9);
            }
        }
    }
    const auto plan = std::make_unique<ChunkSweepPlan>();
    const auto scratch = std::make_unique<ChunkKernelScratch>();
    std::vector<std::uint32_t> dist(kChunkKernelCells);
    const testing::ChunkScene open = testing::makeChunkScene(Ground::open, Corner::strict, 1);
    prepareChunkSweep(open.input(), TravelDirection::from_sources, *plan);
    bool fits = true;
    const double us = leastOf(100, [] {}, [&] { fits &= chunkDistances(*plan, 3, dist.data(), *scratch); });
    std::printf("chunkDistances on open uniform ground (octile formula), least of 100: %.2f us\n", us);
    return right && fits ? 0 : 1;
}
