// Row sweeps with a prefix minimum, written once for any number of lanes.
//
// Distances are held upside down: e = limit - d, with 0 for "not reached". Then a minimum over sums becomes a maximum over saturating
// differences, and the zeros that shifts and the rim bring in are harmless.
//
// Along a row, the best way to x from the west is the maximum over x' <= x of e(x') + C(x') - C(x), C being the running cost of eastward
// steps: add C, take a prefix maximum, subtract C. C runs within one group (a vector's worth of cells) only, where an illegal step costs the
// limit and so lets nothing through; the best of all groups before is carried in as one number.
//
// The first rounds of sweeps handle whole rows. What is left after them changes few cells (mazes, weights cell by cell), so later rounds
// keep for each row the groups that its neighbours must look at, and handle those one by one.
#pragma once

#include "grid/chunk_kernel_detail.h"
#include "grid/chunk_kernel_lanes.h"
#include "grid/chunk_kernel_plan.h"

#define WARPATH_INLINE static inline __attribute__((always_inline))

namespace warpath::chunk_kernel {
namespace {

template <int N>
class Sweeper {
    using L = Lanes<N>;
    using V = typename L::V;
    static constexpr int kSide = kChunkKernelSide;
    static constexpr int kGroups = kSide / N;
    static constexpr U32 kAllGroups = (1u << kGroups) - 1;
    static constexpr int kWholeRounds = 3;  ///< rounds of whole rows before groups are looked at one by one (chunk_kernel_bench: 2..4 alike)
    static constexpr int kFewGroups = 4;    ///< in later rounds, up to this many groups are handled one by one (3..5 alike)
    static constexpr int kRim = ChunkKernelScratch::kRim;
    static constexpr int kStride = kSide + kRim;  ///< rows stand apart by a rim of zeros
    static constexpr U64 kFirstRow = 1, kLastRow = U64{1} << (kSide - 1);

    struct Row {
        V v[kGroups];
    };

    /// A row that offers its distances to a neighbour, and the bits by which the neighbour's cells see it.
    struct Push {
        int from, to;
        U32 straight_bit, west_bit, east_bit;
    };
    WARPATH_INLINE Push downFrom(int y) { return {y, y + 1, 1u << 6, 1u << 5, 1u << 7}; }
    WARPATH_INLINE Push upFrom(int y) { return {y, y - 1, 1u << 2, 1u << 3, 1u << 1}; }

    WARPATH_INLINE U32* rowOf(U32* rows, int y) { return rows + kRim + y * kStride; }
    WARPATH_INLINE const U32* rowOf(const U32* rows, int y) { return rows + kRim + y * kStride; }

public:
    static U64 prepare(const ChunkKernelInput& input, TravelDirection direction, ChunkSweepPlan& plan) {
        const U64 max_step = fillPlan(input, direction, plan);
        if (direction == TravelDirection::from_sources) {
            plan.rises ? prepareRows<false, true>(plan) : prepareRows<false, false>(plan);
        } else {
            plan.rises ? prepareRows<true, true>(plan) : prepareRows<true, false>(plan);
        }
        return max_step;
    }

    static bool relax(const ChunkSweepPlan& plan, U32* dist, ChunkKernelScratch& scratch, U64 seed_rows, U32 limit, ChunkRelaxation& out) {
        U32* rows = scratch.rows;
        U32 base = 0;
        U64 reached_rows = 0;
        if (!load(dist, rows, base, limit, reached_rows)) return false;
        seed_rows &= reached_rows;
        if (seed_rows == 0) return true;
        U64 changed_rows;
        if (plan.direction == TravelDirection::from_sources) {
            changed_rows = plan.rises ? settle<false, true>(plan, rows, seed_rows) : settle<false, false>(plan, rows, seed_rows);
        } else {
            changed_rows = plan.rises ? settle<true, true>(plan, rows, seed_rows) : settle<true, false>(plan, rows, seed_rows);
        }
        return finish(plan, dist, rows, base, limit, changed_rows, seed_rows, out);
    }

private:
    /// What the rise of a step adds. 5243 / 2^19 is a hundredth, 12 parts in 2^19 too large: exact below 43,690, which the plan has checked for legal steps.
    WARPATH_INLINE V rise(const ChunkSweepPlan& plan, typename L::I a, typename L::I b) {
        const V dz = L::difference(a, b);
        return plan.climb_weight == 0 ? dz : (((dz * plan.climb_weight + 50u) * 5243u) >> 19) * plan.straight_length;
    }

    /// Cost at which a distance comes to each cell from its neighbour at `side` (-1 west, +1 east); the limit where it may not.
    template <bool kToGoals, bool kRises>
    WARPATH_INLINE V stepAlongRow(const ChunkSweepPlan& plan, int cell, int side, U32 closed_bit) {
        V step = L::widen(plan.f + ChunkSweepPlan::kPad + cell + (kToGoals ? side : 0)) * plan.straight_length;
        if constexpr (kRises) {
            const std::int32_t* h = plan.heights + ChunkSweepPlan::kPad + cell;
            step += rise(plan, L::loadSigned(h), L::loadSigned(h + side));
        }
        const V closed = reinterpret_cast<V>((L::widen(plan.closed + cell) & closed_bit) != 0);
        return L::min(step | closed, L::splat(kSweepLimit));
    }

    template <bool kToGoals, bool kRises>
    static void prepareRows(ChunkSweepPlan& plan) {
        for (int cell = 0; cell < kChunkKernelCells; cell += N) {
            L::store(plan.eastward + cell, L::prefixSum(stepAlongRow<kToGoals, kRises>(plan, cell, -1, 1u << 4)));
            L::store(plan.westward + cell, L::suffixSum(stepAlongRow<kToGoals, kRises>(plan, cell, +1, 1u << 0)));
        }
    }

    /// Turns distances upside down. `limit` becomes the largest difference to the smallest of them. False when some do not fit.
    static bool load(const U32* dist, U32* rows, U32& base, U32& limit, U64& reached_rows) {
        V low = L::splat(kChunkUnreached);
        for (int cell = 0; cell < kChunkKernelCells; cell += N) low = L::min(low, L::loadAny(dist + cell));
        base = kChunkUnreached;
        for (int i = 0; i < N; ++i) base = low[i] < base ? low[i] : base;
        if (base >= limit) return true;
        if (base >= kChunkUnreached - kSweepLimit) return false;
        const bool limited = limit - base < kSweepLimit;
        limit = limited ? limit - base : kSweepLimit;
        const V most = L::splat(limit);
        V misfit{};
        for (int i = 0; i < kRim; i += N) L::store(rows + i, V{});
        for (int y = 0; y < kSide; ++y) {
            U32* row = rowOf(rows, y);
            V reached{};
            for (int x = 0; x < kSide; x += N) {
                const V d = L::loadAny(dist + y * kSide + x);
                const V e = most - L::min(d - base, most);
                L::store(row + x, e);
                reached |= e;
                misfit |= reinterpret_cast<V>(e == 0) & ~d;
            }
            for (int i = kSide; i < kStride; i += N) L::store(row + i, V{});
            reached_rows |= U64{L::any(reached)} << y;
        }
        return limited || !L::any(misfit);
    }

    /// Closes a row under steps along it.
    WARPATH_INLINE void closeRow(const ChunkSweepPlan& plan, int y, Row& row) {
        const U32* east = plan.eastward + y * kSide;
        const U32* west = plan.westward + y * kSide;
        Row from_west;
        V carry{};
#pragma GCC unroll 16
        for (int g = 0; g < kGroups; ++g) {
            const V c = L::load(east + g * N);
            const V u = L::prefixMax(row.v[g] + c);  // >= c, so joining a smaller carry does no harm
            from_west.v[g] = L::max(u, carry) - c;
            carry = L::max(L::template spread<N - 1>(u), carry) - L::splat(east[g * N + N - 1]);
        }
        carry = V{};
#pragma GCC unroll 16
        for (int g = kGroups - 1; g >= 0; --g) {
            const V c = L::load(west + g * N);
            const V u = L::suffixMax(row.v[g] + c);
            row.v[g] = L::max(from_west.v[g], L::max(u, carry) - c);
            carry = L::max(L::template spread<0>(u), carry) - L::splat(west[g * N]);
        }
    }

    /// What three neighbours offer to the cells of a group: `straight` from the same columns, `west` and `east` from the columns beside.
    /// `source` is the cell that lies straight across.
    template <bool kToGoals, bool kRises, bool kMasked>
    WARPATH_INLINE V offer(const ChunkSweepPlan& plan, const Push& push, int g, V straight, V west, V east, V straight_length,
                           V diagonal_length) {
        const int cell = push.to * kSide + g * N, source = push.from * kSide + g * N;
        const U16* f = plan.f + ChunkSweepPlan::kPad;
        if constexpr (kMasked) {
            const V closed = L::widen(plan.closed + cell);
            straight = L::openOnly(straight, closed, push.straight_bit);
            west = L::openOnly(west, closed, push.west_bit);
            east = L::openOnly(east, closed, push.east_bit);
        }
        if constexpr (!kToGoals && !kRises) {  // one cost for both diagonals
            const V cost = L::widen(f + cell);
            return L::max(L::less(straight, cost * straight_length), L::less(L::max(west, east), cost * diagonal_length));
        }
        V straight_cost = L::widen(f + (kToGoals ? source : cell)) * straight_length;
        V west_cost = L::widen(f + (kToGoals ? source - 1 : cell)) * diagonal_length;
        V east_cost = L::widen(f + (kToGoals ? source + 1 : cell)) * diagonal_length;
        if constexpr (kRises) {
            const std::int32_t* h = plan.heights + ChunkSweepPlan::kPad;
            const typename L::I height = L::loadSigned(h + cell);
            straight_cost += rise(plan, height, L::loadSigned(h + source));
            west_cost += rise(plan, height, L::loadSigned(h + source - 1));
            east_cost += rise(plan, height, L::loadSigned(h + source + 1));
        }
        return L::max(L::less(straight, straight_cost), L::max(L::less(west, west_cost), L::less(east, east_cost)));
    }

    /// The groups of a neighbouring row that see the lanes `lanes` of group g; a bit beyond the last group may be set.
    WARPATH_INLINE U32 reachOf(U32 lanes, int g) {
        return (U32{lanes != 0} << g) | (((lanes & 1u) << g) >> 1) | ((lanes >> (N - 1)) << (g + 1));
    }

    /// Stores a row over its former values. Returns the groups that its neighbours must look at.
    WARPATH_INLINE U32 replaceRow(const Row& row, U32* target) {
        U32 reach = 0;
#pragma GCC unroll 16
        for (int g = 0; g < kGroups; ++g) {
            reach |= reachOf(L::differing(row.v[g], L::load(target + g * N)), g);
            L::store(target + g * N, row.v[g]);
        }
        return reach & kAllGroups;
    }

    /// Relaxes the steps of `push` into a whole row, then closes it if that improved it. Returns the groups that the row's neighbours must
    /// look at (all of them unless kReach asks for more), 0 if nothing improved.
    template <bool kToGoals, bool kRises, bool kMasked, bool kReach>
    WARPATH_INLINE U32 pushWhole(const ChunkSweepPlan& plan, U32* rows, const Push& push) {
        const V straight_length = L::splat(plan.straight_length), diagonal_length = L::splat(plan.diagonal_length);
        const U32* source = rowOf(rows, push.from);
        U32* target = rowOf(rows, push.to);
        Row row;
        V improved{};
#pragma GCC unroll 16
        for (int g = 0; g < kGroups; ++g) {
            const V here = L::load(source + g * N);
            const V before = g > 0 ? L::load(source + (g > 0 ? g - 1 : 0) * N) : V{};
            const V after = g + 1 < kGroups ? L::load(source + (g + 1 < kGroups ? g + 1 : g) * N) : V{};
            const V best = offer<kToGoals, kRises, kMasked>(plan, push, g, here, L::template up<1>(before, here),
                                                            L::template down<1>(here, after), straight_length, diagonal_length);
            const V old = L::load(target + g * N);
            row.v[g] = L::max(old, best);
            improved |= row.v[g] ^ old;
        }
        if (!L::any(improved)) return 0;
        closeRow(plan, push.to, row);
        if constexpr (kReach) return replaceRow(row, target);
#pragma GCC unroll 16
        for (int g = 0; g < kGroups; ++g) L::store(target + g * N, row.v[g]);
        return kAllGroups;
    }

    /// The same for some groups, one by one; closing goes only as far as something improves.
    template <bool kToGoals, bool kRises>
    WARPATH_INLINE U32 pushGroups(const ChunkSweepPlan& plan, U32* rows, const Push& push, U32 groups) {
        const V straight_length = L::splat(plan.straight_length), diagonal_length = L::splat(plan.diagonal_length);
        const U32* source = rowOf(rows, push.from);
        U32* target = rowOf(rows, push.to);
        U32 improved = 0, reach = 0, to_close = 0;
        for (; groups != 0; groups &= groups - 1) {
            const int g = __builtin_ctz(groups);
            const V here = L::load(source + g * N);
            const V best = offer<kToGoals, kRises, true>(plan, push, g, here, L::template up<1>(L::load(source + g * N - N), here),
                                                         L::template down<1>(here, L::load(source + g * N + N)), straight_length,
                                                         diagonal_length);
            const V old = L::load(target + g * N);
            const V now = L::max(old, best);
            const U32 lanes = L::differing(now, old);
            L::store(target + g * N, now);
            improved |= U32{lanes != 0} << g;
            to_close |= (U32{lanes != 0} << g) | ((lanes >> (N - 1)) << (g + 1));
            reach |= reachOf(lanes, g);
        }
        if (improved == 0) return 0;
        const U32* east = plan.eastward + push.to * kSide;
        const U32* west = plan.westward + push.to * kSide;
        for (to_close &= kAllGroups; to_close != 0;) {
            const int g = __builtin_ctz(to_close);
            to_close &= to_close - 1;
            const V old = L::load(target + g * N);
            const V c = L::load(east + g * N);
            const V now = L::max(L::prefixMax(old + c), L::splat(target[g * N - 1])) - c;
            const U32 lanes = L::differing(now, old);
            if (lanes == 0) continue;
            L::store(target + g * N, now);
            improved |= 1u << g;
            reach |= reachOf(lanes, g);
            to_close |= ((lanes >> (N - 1)) << (g + 1)) & kAllGroups;
        }
        for (to_close = improved | (reach & (improved >> 1)); to_close != 0;) {
            const int g = 31 - __builtin_clz(to_close);
            to_close &= ~(1u << g);
            const V old = L::load(target + g * N);
            const V c = L::load(west + g * N);
            const V now = L::max(L::suffixMax(old + c), L::splat(target[g * N + N])) - c;
            const U32 lanes = L::differing(now, old);
            if (lanes == 0) continue;
            L::store(target + g * N, now);
            reach |= reachOf(lanes, g);
            to_close |= ((lanes & 1u) << g) >> 1;
        }
        return reach & kAllGroups;
    }

    /// Sweeps down and up until no row improves another. Returns the rows that improved.
    template <bool kToGoals, bool kRises>
    static U64 settle(const ChunkSweepPlan& plan, U32* rows, U64 seed_rows) {
        U64 changed = 0;
        for (U64 left = seed_rows; left != 0; left &= left - 1) {
            const int y = __builtin_ctzll(left);
            Row row;
            for (int g = 0; g < kGroups; ++g) row.v[g] = L::load(rowOf(rows, y) + g * N);
            closeRow(plan, y, row);
            changed |= U64{replaceRow(row, rowOf(rows, y)) != 0} << y;
        }
        U64 down = seed_rows & ~kLastRow, up = seed_rows & ~kFirstRow;  // rows that changed since their neighbour below, above was pushed
        const auto wake = [&](U64 row) {
            changed |= row;
            down |= row & ~kLastRow;
            up |= row & ~kFirstRow;
        };
        for (int round = 0; round < kWholeRounds && (down | up) != 0; ++round) {
            while (down != 0) {
                const int y = __builtin_ctzll(down);
                down &= down - 1;
                const U64 to = U64{2} << y;
                const U32 reach = (plan.open_from_above & to) != 0 ? pushWhole<kToGoals, kRises, false, false>(plan, rows, downFrom(y))
                                                                   : pushWhole<kToGoals, kRises, true, false>(plan, rows, downFrom(y));
                if (reach != 0) wake(to);
            }
            while (up != 0) {
                const int y = 63 - __builtin_clzll(up);
                const U64 to = U64{1} << (y - 1);
                up &= ~(to << 1);
                const U32 reach = (plan.open_from_below & to) != 0 ? pushWhole<kToGoals, kRises, false, false>(plan, rows, upFrom(y))
                                                                   : pushWhole<kToGoals, kRises, true, false>(plan, rows, upFrom(y));
                if (reach != 0) wake(to);
            }
        }
        if ((down | up) == 0) return changed;

        U16 down_groups[kSide], up_groups[kSide];  // groups that the row below, above must look at
        for (int y = 0; y < kSide; ++y) {
            down_groups[y] = static_cast<U16>((down >> y) & 1 ? kAllGroups : 0);
            up_groups[y] = static_cast<U16>((up >> y) & 1 ? kAllGroups : 0);
        }
        while ((down | up) != 0) {
            while (down != 0) {
                const int y = __builtin_ctzll(down);
                down &= down - 1;
                const U32 reach = pushSome<kToGoals, kRises>(plan, rows, downFrom(y), down_groups[y]);
                down_groups[y] = 0;
                if (reach == 0) continue;
                wake(U64{2} << y);
                down_groups[y + 1] |= static_cast<U16>(reach);
                up_groups[y + 1] |= static_cast<U16>(reach);
            }
            while (up != 0) {
                const int y = 63 - __builtin_clzll(up);
                up &= ~(U64{1} << y);
                const U32 reach = pushSome<kToGoals, kRises>(plan, rows, upFrom(y), up_groups[y]);
                up_groups[y] = 0;
                if (reach == 0) continue;
                wake(U64{1} << (y - 1));
                down_groups[y - 1] |= static_cast<U16>(reach);
                up_groups[y - 1] |= static_cast<U16>(reach);
            }
        }
        return changed;
    }

    template <bool kToGoals, bool kRises>
    WARPATH_INLINE U32 pushSome(const ChunkSweepPlan& plan, U32* rows, const Push& push, U32 groups) {
        if (__builtin_popcount(groups) > kFewGroups) return pushWhole<kToGoals, kRises, true, true>(plan, rows, push);
        return pushGroups<kToGoals, kRises>(plan, rows, push, groups);
    }

    /// Writes the improved rows back. False, writing nothing, when a distance came so near the limit that a neighbour may be missing.
    static bool finish(const ChunkSweepPlan& plan, U32* dist, const U32* rows, U32 base, U32 limit, U64 changed_rows,
                       U64 seed_rows, ChunkRelaxation& out) {
        V least = L::splat(~U32{0});
        for (U64 left = changed_rows | seed_rows; left != 0; left &= left - 1) {
            const U32* row = rowOf(rows, __builtin_ctzll(left));
            for (int x = 0; x < kSide; x += N) least = L::min(least, L::load(row + x) - 1u);  // "not reached" wraps to the largest
        }
        U32 lowest = ~U32{0};
        for (int i = 0; i < N; ++i) lowest = least[i] < lowest ? least[i] : lowest;
        if (lowest < plan.max_step && limit == kSweepLimit) return false;
        out.changed_rows = changed_rows;
        const U32 top = base + limit;
        for (U64 left = changed_rows; left != 0; left &= left - 1) {
            const int y = __builtin_ctzll(left);
            const U32* row = rowOf(rows, y);
            U32* line = dist + y * kSide;
            const U32 west = line[0], east = line[kSide - 1];
            if (y == 0 || y == kSide - 1) {
                for (int x = 0; x < kSide; ++x) {
                    if (row[x] != 0 && top - row[x] < line[x]) noteBorder(out, y == 0 ? 3 : 1, x, top - row[x]);
                }
            }
            for (int x = 0; x < kSide; x += N) {
                const V e = L::load(row + x);
                L::storeAny(line + x, e == 0 ? L::loadAny(line + x) : top - e);
            }
            if (line[0] < west) noteBorder(out, 2, y, line[0]);
            if (line[kSide - 1] < east) noteBorder(out, 0, y, line[kSide - 1]);
        }
        return true;
    }

    WARPATH_INLINE void noteBorder(ChunkRelaxation& out, int side, int bit, U32 d) {
        out.changed_border[side] |= U64{1} << bit;
        if (d < out.lowest_on_border[side]) out.lowest_on_border[side] = d;
    }
};

}  // namespace
}  // namespace warpath::chunk_kernel

#undef WARPATH_INLINE
