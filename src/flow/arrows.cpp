#include "flow/arrows.h"

#include <algorithm>
#include <bit>

namespace warpath::flow {
namespace {

constexpr std::uint32_t kNever = UINT32_MAX;
constexpr Cost kRange = Cost{1} << 28;  // distances of a chunk beyond it are compared in 64 bits
constexpr Cost kLargestStep = Cost{kDiagonalLength} * UINT16_MAX;
constexpr Cost kLargestRise = kRange / 2;  // dearer climbs are compared in 64 bits too

/// Order in which equal steps are preferred: E S W N, then SE SW NW NE. Rank r stands for this direction.
constexpr std::uint32_t directionOfRank(std::uint32_t rank) { return ((rank & 3) << 1) | (rank >> 2); }

// The two loops that take the time, once for every machine and once for AVX2; plain code that the compiler turns into vectors.
#define WARPATH_FLOW_LOOPS                                                                                                                        \
    void price(const std::uint32_t* relative, const std::uint16_t* f, std::uint32_t delta, std::uint32_t* straight, std::uint32_t* diagonal) {     \
        for (int x = 0; x < kChunkSize; ++x) {                                                                                                    \
            const std::uint32_t never = relative[x] == kNever ? kNever : 0;                                                                       \
            const std::uint32_t d = (relative[x] + delta) << 3;                                                                                   \
            straight[x] = (d + f[x] * (kStraightLength << 3)) | never;                                                                            \
            diagonal[x] = (d + f[x] * (kDiagonalLength << 3)) | never;                                                                            \
        }                                                                                                                                         \
    }                                                                                                                                             \
    template <bool kRises>                                                                                                                        \
    void choose(const std::uint32_t* straight, const std::uint32_t* diagonal, const std::int32_t* height, std::uint32_t weight, int stride,        \
                const std::uint8_t* moves, std::uint32_t unreached, std::uint8_t* bytes) {                                                        \
        std::uint32_t mask[kChunkSize], code[kChunkSize];                                                                                         \
        for (int x = 0; x < kChunkSize; ++x) mask[x] = moves[x];                                                                                  \
        for (int x = 0; x < kChunkSize; ++x) {                                                                                                    \
            const std::uint32_t m = mask[x];                                                                                                      \
            const std::int32_t here = kRises ? height[x] : 0;                                                                                     \
            std::uint32_t best = kNever, worst = 0;                                                                                               \
            const auto look = [&](std::uint32_t value, int at, std::uint32_t bit, std::uint32_t rank) __attribute__((always_inline)) {            \
                std::uint32_t offered = value | ((m & bit) == 0 ? kNever : 0) | rank;                                                             \
                if (kRises) {                                                                                                                     \
                    const std::int32_t dz = height[x + at] - here;                                                                                \
                    const std::uint32_t climb = static_cast<std::uint32_t>(dz < 0 ? -dz : dz);                                                    \
                    offered += ((climb * weight + 50) / 100) * (kStraightLength << 3);                                                            \
                    offered |= value == kNever ? kNever : 0;                                                                                      \
                    offered |= (m & bit) == 0 ? kNever : 0;                                                                                       \
                }                                                                                                                                 \
                best = offered < best ? offered : best;                                                                                           \
                worst = offered > worst ? offered : worst;                                                                                        \
            };                                                                                                                                    \
            look(straight[x + 1], 1, 1, 0);                                                                                                       \
            look(straight[x + stride], stride, 4, 1);                                                                                             \
            look(straight[x - 1], -1, 16, 2);                                                                                                     \
            look(straight[x - stride], -stride, 64, 3);                                                                                           \
            look(diagonal[x + stride + 1], stride + 1, 2, 4);                                                                                     \
            look(diagonal[x + stride - 1], stride - 1, 8, 5);                                                                                     \
            look(diagonal[x - stride - 1], -stride - 1, 32, 6);                                                                                   \
            look(diagonal[x - stride + 1], -stride + 1, 128, 7);                                                                                  \
            const std::uint32_t arrow = ((best & 3) << 1) | ((best >> 2) & 1);                                                                    \
            code[x] = (best == kNever ? unreached : arrow) | (worst == kNever ? 0 : std::uint32_t{kFlowOpen});                                    \
        }                                                                                                                                         \
        for (int x = 0; x < kChunkSize; ++x) bytes[x] = static_cast<std::uint8_t>(code[x]);                                                       \
    }

namespace plain {
WARPATH_FLOW_LOOPS
}  // namespace plain

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WARPATH_FLOW_AVX2
#pragma GCC push_options
#pragma GCC target("avx2")
namespace avx2 {
WARPATH_FLOW_LOOPS
}  // namespace avx2
#pragma GCC pop_options
const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
#endif
#undef WARPATH_FLOW_LOOPS

}  // namespace

bool ArrowPass::gather(const Integration& field, std::uint32_t index, std::uint64_t row_mask) {
    const ChunkWork& w = field.work(index);
    const FlowDistances* d = w.distances();
    if (!d->wide.empty()) return false;
    rises_ = field.pricesElevation() && field.risesAround(index);
    std::uint32_t most = 0;
    for (const std::uint32_t r : d->relative) most = std::max(most, r + 1);  // not reached becomes 0
    const Cost step = kLargestStep + (rises_ ? kLargestRise : 0);
    const Cost low = d->base > step ? d->base - step : 0;
    if (d->base - low + most >= kRange) return false;
    const auto delta = static_cast<std::uint32_t>(d->base - low);

    const std::uint64_t wide_mask = row_mask | (row_mask << 1) | (row_mask >> 1);
    for (std::uint64_t left = wide_mask; left != 0; left &= left - 1) {
        const int y = std::countr_zero(left);
        const std::uint32_t* relative = d->relative.data() + (y << kChunkShift);
        const std::uint16_t* f = w.f + (y << kChunkShift);
        std::uint32_t* straight = straight_.data() + kOrigin + y * kStride;
        std::uint32_t* diagonal = diagonal_.data() + kOrigin + y * kStride;
#if defined(WARPATH_FLOW_AVX2)
        if (kHasAvx2) {
            avx2::price(relative, f, delta, straight, diagonal);
            continue;
        }
#endif
        plain::price(relative, f, delta, straight, diagonal);
    }

    if (rises_ && !gatherHeights(field, index, wide_mask)) return false;

    // The rim, from the eight chunks around.
    const auto put = [&](const ChunkWork* from, int local, int x, int y) {
        const auto at = static_cast<std::size_t>(kOrigin + y * kStride + x);
        const Cost value = from != nullptr ? from->at(local) : kNoFlowDistance;
        if (value == kNoFlowDistance) {
            straight_[at] = diagonal_[at] = kNever;
            return;
        }
        // A legal step never leads below `low`, and what lies beyond the range cannot be the best.
        const auto r = static_cast<std::uint32_t>(std::min(value - std::min(value, low), kRange));
        straight_[at] = (r + from->f[local] * kStraightLength) << 3;
        diagonal_[at] = (r + from->f[local] * kDiagonalLength) << 3;
    };
    const ChunkWork* around[kDirections];
    for (int k = 0; k < kDirections; ++k) {
        const std::uint32_t n = field.neighbour(index, k);
        around[k] = n != Integration::kNone && field.work(n).distances() != nullptr ? &field.work(n) : nullptr;
    }
    constexpr int kLast = kChunkSize - 1;
    for (int y = 0; y < kChunkSize; ++y) {
        if (((wide_mask >> y) & 1) == 0) continue;
        put(around[4], localIndex(kLast, y), -1, y);
        put(around[0], localIndex(0, y), kChunkSize, y);
    }
    if ((row_mask & 1) != 0) {
        put(around[5], localIndex(kLast, kLast), -1, -1);
        for (int x = 0; x < kChunkSize; ++x) put(around[6], localIndex(x, kLast), x, -1);
        put(around[7], localIndex(0, kLast), kChunkSize, -1);
    }
    if ((row_mask >> kLast) != 0) {
        put(around[3], localIndex(kLast, 0), -1, kChunkSize);
        for (int x = 0; x < kChunkSize; ++x) put(around[2], localIndex(x, 0), x, kChunkSize);
        put(around[1], localIndex(0, 0), kChunkSize, kChunkSize);
    }
    return true;
}

bool ArrowPass::gatherHeights(const Integration& field, std::uint32_t index, std::uint64_t rows) {
    std::int32_t low = INT32_MAX, high = INT32_MIN;
    const auto put = [&](std::uint32_t chunk, int local, int x, int y) {
        if (chunk == Integration::kNone || !field.work(chunk).bound) return;  // no way leads there
        const std::int32_t h = field.work(chunk).height(local);
        heights_[static_cast<std::size_t>(kOrigin + y * kStride + x)] = h;
        low = std::min(low, h);
        high = std::max(high, h);
    };
    for (int y = -1; y <= kChunkSize; ++y) {
        // Above and below the chunk only where a row at its edge is asked for.
        const int inside = std::clamp(y, 0, kChunkSize - 1);
        if (((rows >> inside) & 1) == 0) continue;
        for (const int x : {-1, kChunkSize}) {
            const int side = x < 0 ? 4 : 0;
            const int direction = y < 0 ? (x < 0 ? 5 : 7) : y == kChunkSize ? (x < 0 ? 3 : 1) : side;
            put(field.neighbour(index, direction), localIndex(x, y), x, y);
        }
        const std::uint32_t chunk = y < 0 ? field.neighbour(index, 6) : y == kChunkSize ? field.neighbour(index, 2) : index;
        for (int x = 0; x < kChunkSize; ++x) put(chunk, localIndex(x, y), x, y);
    }
    // The dearest climb must leave room for the eight ranks in 32 bits.
    const std::uint64_t climb = static_cast<std::uint64_t>(std::int64_t{high} - low) * weight(field);
    return climb < (std::uint64_t{1} << 31) && climb / 100 * kStraightLength < kLargestRise;
}

std::uint32_t ArrowPass::weight(const Integration& field) { return field.binding().model().key().metric.elevation_weight; }

void ArrowPass::run(const Integration& field, std::uint32_t index, std::uint64_t row_mask, std::uint8_t unreached, std::uint8_t* bytes) {
    const ChunkWork& w = field.work(index);
    if (w.distances() == nullptr) {
        for (std::uint64_t left = row_mask; left != 0; left &= left - 1) std::fill_n(bytes + (std::countr_zero(left) << kChunkShift), kChunkSize, unreached);
    } else if (gather(field, index, row_mask)) {
        const std::uint32_t climbing = weight(field);
        for (std::uint64_t left = row_mask; left != 0; left &= left - 1) {
            const int y = std::countr_zero(left);
            const std::uint32_t* straight = straight_.data() + kOrigin + y * kStride;
            const std::uint32_t* diagonal = diagonal_.data() + kOrigin + y * kStride;
            const std::int32_t* height = heights_.data() + kOrigin + y * kStride;
            const std::uint8_t* moves = w.moves + (y << kChunkShift);
            std::uint8_t* row = bytes + (y << kChunkShift);
#if defined(WARPATH_FLOW_AVX2)
            if (kHasAvx2) {
                rises_ ? avx2::choose<true>(straight, diagonal, height, climbing, kStride, moves, unreached, row)
                       : avx2::choose<false>(straight, diagonal, height, climbing, kStride, moves, unreached, row);
                continue;
            }
#endif
            rises_ ? plain::choose<true>(straight, diagonal, height, climbing, kStride, moves, unreached, row)
                   : plain::choose<false>(straight, diagonal, height, climbing, kStride, moves, unreached, row);
        }
    } else {
        runSlowly(field, index, row_mask, unreached, bytes);
    }
    for (std::uint64_t left = row_mask; left != 0; left &= left - 1) {
        const int y = std::countr_zero(left);
        for (std::uint64_t walls = ~w.move_tile->free_rows[static_cast<std::size_t>(y)]; walls != 0; walls &= walls - 1) {
            bytes[(y << kChunkShift) | std::countr_zero(walls)] = kFlowWall;
        }
    }
}

void ArrowPass::runSlowly(const Integration& field, std::uint32_t index, std::uint64_t row_mask, std::uint8_t unreached, std::uint8_t* bytes) const {
    for (std::uint64_t left = row_mask; left != 0; left &= left - 1) {
        const int first = std::countr_zero(left) << kChunkShift;
        for (int local = first; local < first + kChunkSize; ++local) {
            const Place here{index, local};
            Cost best = kNoFlowDistance;
            std::uint8_t code = unreached;
            bool open = true;
            for (std::uint32_t rank = 0; rank < kDirections; ++rank) {
                const auto d = static_cast<int>(directionOfRank(rank));
                Place to;
                if (!field.legal(here, d) || !field.step(here, d, to) || field.at(to) == kNoFlowDistance) {
                    open = false;
                    continue;
                }
                const Cost offered = field.at(to) + field.stepCost(here, to, d);
                if (offered >= best) continue;
                best = offered;
                code = static_cast<std::uint8_t>(d);
            }
            bytes[local] = static_cast<std::uint8_t>(code | (open ? kFlowOpen : 0));
        }
    }
}

}  // namespace warpath::flow
