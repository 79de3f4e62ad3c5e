#include "warpath/grid/chunk_kernel.h"

#include <algorithm>
#include <bit>

#include "grid/chunk_kernel_detail.h"
#include "grid/chunk_kernel_plan.h"
#include "warpath/core/assert.h"

namespace warpath {
namespace {

constexpr int kSide = kChunkKernelSide;
constexpr int kCells = kChunkKernelCells;
constexpr int kPad = ChunkSweepPlan::kPad;
constexpr std::uint64_t kMaxStep = std::uint64_t{0xffff} * kDiagonalLength + (std::uint64_t{1} << 30);

const chunk_kernel::Sweeps* sweepsOf(ChunkKernelBackend backend) {
    switch (backend) {
#if defined(__GNUC__)
        case ChunkKernelBackend::lanes4: return &chunk_kernel::kSweepsLanes4;
#if defined(__x86_64__)
        case ChunkKernelBackend::avx2: return &chunk_kernel::kSweepsAvx2;
        case ChunkKernelBackend::avx512: return &chunk_kernel::kSweepsAvx512;
#endif
#endif
        default: return nullptr;
    }
}

/// A bucket queue over the cells (Dial 1969): each cell waits in one doubly linked list at most. Buckets may be wider than the smallest
/// step, so a cell can return to the current bucket; a bucket is left when it is empty.
template <typename Distance>
class BucketRelaxation {
public:
    BucketRelaxation(const ChunkSweepPlan& plan, Distance* dist, ChunkKernelScratch& scratch) : plan_(plan), dist_(dist), s_(scratch) {}

    ChunkRelaxation run(std::uint64_t seed_rows, Distance limit = kUnreached) {
        limit_ = limit;
        std::fill_n(s_.heads, kBuckets, kNone);
        std::fill_n(s_.previous, kCells, kNone);
        const int seeds = collectSeeds(seed_rows);
        int next_seed = 0;
        bool overflow = false;
        std::uint64_t bucket = 0;  // absolute number of the current one
        int waiting = 0;
        while (waiting > 0 || next_seed < seeds) {
            if (waiting == 0) bucket = std::max(bucket, bucketOf(dist_[s_.order[next_seed]]));
            for (; next_seed < seeds; ++next_seed) {
                const int cell = s_.order[next_seed];
                if (bucketOf(dist_[cell]) >= bucket + kBuckets - 1) break;
                // A seed that was improved meanwhile waits already, or has passed its new value on in an earlier bucket.
                if (s_.previous[cell] == kNone && bucketOf(dist_[cell]) >= bucket) waiting += enter(cell);
            }
            const int slot = static_cast<int>(bucket % kBuckets);
            while (s_.heads[slot] != kNone) {
                const int cell = s_.heads[slot];
                leave(cell);
                --waiting;
                waiting += passOn(cell, overflow);
            }
            if (waiting > 0) ++bucket;
        }
        result_.saturated = overflow && someNeighbourMissing();
        noteLowest();
        return result_;
    }

private:
    static constexpr int kBuckets = ChunkKernelScratch::kBuckets;
    static constexpr std::uint16_t kNone = 0xffff;
    static constexpr std::uint16_t kHead = 0x8000;
    static constexpr Distance kUnreached = static_cast<Distance>(~Distance{0});

    std::uint64_t bucketOf(Distance d) const { return std::uint64_t{d} >> plan_.bucket_log2; }

    /// Seeds by distance, then cell.
    int collectSeeds(std::uint64_t seed_rows) {
        int count = 0;
        for (; seed_rows != 0; seed_rows &= seed_rows - 1) {
            const int first = std::countr_zero(seed_rows) * kSide;
            for (int cell = first; cell < first + kSide; ++cell) {
                if (dist_[cell] != kUnreached) s_.order[count++] = static_cast<std::uint16_t>(cell);
            }
        }
        std::sort(s_.order, s_.order + count, [this](std::uint16_t a, std::uint16_t b) {
            return dist_[a] != dist_[b] ? dist_[a] < dist_[b] : a < b;
        });
        return count;
    }

    std::uint64_t cost(int from, int to, int direction) const {
        const int entered = plan_.direction == TravelDirection::from_sources ? to : from;
        const std::uint64_t length = isDiagonal(direction) ? plan_.diagonal_length : plan_.straight_length;
        std::uint64_t c = length * plan_.f[kPad + entered];
        if (plan_.rises) {
            const std::int64_t rise = std::int64_t{plan_.heights[kPad + to]} - plan_.heights[kPad + from];
            const auto dz = static_cast<std::uint64_t>(rise < 0 ? -rise : rise);
            c += plan_.climb_weight == 0 ? dz : (dz * plan_.climb_weight + 50) / 100 * plan_.straight_length;
        }
        return c;
    }

    int enter(int cell) {
        const auto slot = static_cast<std::uint16_t>(bucketOf(dist_[cell]) % kBuckets);
        const std::uint16_t first = s_.heads[slot];
        s_.next[cell] = first;
        s_.previous[cell] = static_cast<std::uint16_t>(kHead | slot);
        if (first != kNone) s_.previous[first] = static_cast<std::uint16_t>(cell);
        s_.heads[slot] = static_cast<std::uint16_t>(cell);
        return 1;
    }

    void leave(int cell) {
        const std::uint16_t before = s_.previous[cell], after = s_.next[cell];
        if (before & kHead) {
            s_.heads[before & (kHead - 1)] = after;
        } else {
            s_.next[before] = after;
        }
        if (after != kNone) s_.previous[after] = before;
        s_.previous[cell] = kNone;
    }

    /// Relaxes the steps from a cell; returns how many cells more wait now.
    int passOn(int cell, bool& overflow) {
        int more = 0;
        for (unsigned m = plan_.push[cell]; m != 0; m &= m - 1) {
            const int direction = std::countr_zero(m);
            const int to = cell + kStepY[direction] * kSide + kStepX[direction];
            const std::uint64_t d = std::uint64_t{dist_[cell]} + cost(cell, to, direction);
            if (d >= dist_[to] || d >= limit_) {
                overflow |= d >= kUnreached && limit_ == kUnreached;
                continue;
            }
            if (s_.previous[to] != kNone) {
                leave(to);
                --more;
            }
            dist_[to] = static_cast<Distance>(d);
            more += enter(to);
            noteChange(to);
        }
        return more;
    }

    void noteChange(int cell) {
        const int x = cell % kSide, y = cell / kSide;
        const std::uint64_t bit_x = std::uint64_t{1} << x, bit_y = std::uint64_t{1} << y;
        result_.changed_rows |= bit_y;
        if (x == kSide - 1) result_.changed_border[0] |= bit_y;
        if (y == kSide - 1) result_.changed_border[1] |= bit_x;
        if (x == 0) result_.changed_border[2] |= bit_y;
        if (y == 0) result_.changed_border[3] |= bit_x;
    }

    void noteLowest() {
        constexpr int kFirst[4] = {kSide - 1, kCells - kSide, 0, 0};
        constexpr int kStride[4] = {kSide, 1, kSide, 1};
        for (int side = 0; side < 4; ++side) {
            for (std::uint64_t left = result_.changed_border[side]; left != 0; left &= left - 1) {
                const std::uint64_t d = dist_[kFirst[side] + std::countr_zero(left) * kStride[side]];
                result_.lowest_on_border[side] = std::min(result_.lowest_on_border[side], d);
            }
        }
    }

    bool someNeighbourMissing() const {
        for (int cell = 0; cell < kCells; ++cell) {
            if (dist_[cell] == kUnreached) continue;
            for (unsigned m = plan_.push[cell]; m != 0; m &= m - 1) {
                const int direction = std::countr_zero(m);
                if (dist_[cell + kStepY[direction] * kSide + kStepX[direction]] == kUnreached) return true;
            }
        }
        return false;
    }

    const ChunkSweepPlan& plan_;
    Distance* dist_;
    Distance limit_ = kUnreached;
    ChunkKernelScratch& s_;
    ChunkRelaxation result_;
};

}  // namespace

bool chunkKernelAvailable(ChunkKernelBackend backend) {
    if (backend == ChunkKernelBackend::scalar) return true;
    if (sweepsOf(backend) == nullptr) return false;
#if defined(__GNUC__) && defined(__x86_64__)
    if (backend == ChunkKernelBackend::avx2) return __builtin_cpu_supports("avx2") != 0;
    if (backend == ChunkKernelBackend::avx512) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    }
#endif
    return true;
}

ChunkKernelBackend bestChunkKernel() {
    for (const ChunkKernelBackend b : {ChunkKernelBackend::avx512, ChunkKernelBackend::avx2, ChunkKernelBackend::lanes4}) {
        if (chunkKernelAvailable(b)) return b;
    }
    return ChunkKernelBackend::scalar;
}

const char* chunkKernelName(ChunkKernelBackend backend) {
    switch (backend) {
        case ChunkKernelBackend::scalar: return "scalar";
        case ChunkKernelBackend::lanes4: return "lanes4";
        case ChunkKernelBackend::avx2: return "avx2";
        case ChunkKernelBackend::avx512: return "avx512";
    }
    return "unknown";
}

void prepareChunkSweep(const ChunkKernelInput& input, TravelDirection direction, ChunkSweepPlan& plan, ChunkKernelBackend backend) {
    WARPATH_ASSERT(input.f != nullptr && input.moves != nullptr, "a chunk has costs and moves");
    WARPATH_ASSERT(chunkKernelAvailable(backend), "the backend runs on this machine");
    const chunk_kernel::Sweeps* sweeps = sweepsOf(backend);
    const std::uint64_t max_step =
        sweeps != nullptr ? sweeps->prepare(input, direction, plan) : chunk_kernel::fillPlan(input, direction, plan);
    WARPATH_ASSERT(max_step <= kMaxStep, "heights of a chunk span at most 2^30");
    plan.max_step = static_cast<std::uint32_t>(max_step);
    int log2 = std::bit_width(std::max(plan.min_step, 1u)) - 1;
    while ((max_step >> log2) > ChunkKernelScratch::kBuckets - 2) ++log2;
    plan.bucket_log2 = static_cast<std::uint8_t>(log2);
    plan.backend = max_step < chunk_kernel::kSweepLimit && !plan.too_steep ? backend : ChunkKernelBackend::scalar;
}

ChunkRelaxation relaxChunk(const ChunkSweepPlan& plan, std::uint32_t* dist, ChunkKernelScratch& scratch, std::uint64_t seed_rows, std::uint32_t limit) {
    ChunkRelaxation result;
    const chunk_kernel::Sweeps* sweeps = sweepsOf(plan.backend);
    if (sweeps != nullptr && sweeps->relax(plan, dist, scratch, seed_rows, limit, result)) return result;
    return BucketRelaxation<std::uint32_t>(plan, dist, scratch).run(seed_rows, limit);
}

bool chunkDistances(const ChunkSweepPlan& plan, int source, std::uint32_t* dist, ChunkKernelScratch& scratch) {
    WARPATH_ASSERT(source >= 0 && source < kCells, "the source lies in the chunk");
    if (plan.uniform_f != 0) {
        const chunk_kernel::Sweeps* sweeps = sweepsOf(plan.backend);
        sweeps != nullptr ? sweeps->octile(plan, source, dist) : chunk_kernel::octileDistances(plan, source, dist);
        return true;
    }
    std::fill_n(dist, kCells, kChunkUnreached);
    dist[source] = 0;
    return !relaxChunk(plan, dist, scratch, std::uint64_t{1} << (source / kSide)).saturated;
}

ChunkRelaxation relaxChunkWide(const ChunkSweepPlan& plan, std::uint64_t* dist, ChunkKernelScratch& scratch) {
    return BucketRelaxation<std::uint64_t>(plan, dist, scratch).run(~std::uint64_t{0});
}

}  // namespace warpath
