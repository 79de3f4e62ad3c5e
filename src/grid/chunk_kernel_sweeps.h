// Row sweeps with a prefix minimum, written once for any number of lanes with the vector types of gcc and clang.
//
// Distances are held upside down: e = limit - d, with 0 for "not reached". Then a minimum over sums becomes a maximum over saturating
// differences, and the zeros that shifts bring in are harmless.
//
// Along a row, the best way to x from the west is the maximum over x' <= x of e(x') + C(x') - C(x), C being the running cost of eastward
// steps: add C, take a prefix maximum, subtract C. C runs within one vector only, where an illegal step costs the limit and so lets nothing
// through; the best of all vectors before is carried in as one number.
#pragma once

#include <utility>

#include "grid/chunk_kernel_detail.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif
#if defined(__GNUC__)
// Vectors wider than the target's registers are passed between inlined functions only. Not popped: gcc warns at the end of the file.
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define WARPATH_INLINE static inline __attribute__((always_inline))

namespace warpath::chunk_kernel {
namespace {

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr int kSide = kChunkKernelSide;

/// The vector types stand templates because gcc drops the attribute of some dependent types.
typedef U8 Bytes4 __attribute__((vector_size(4)));
typedef U8 Bytes8 __attribute__((vector_size(8)));
typedef U8 Bytes16 __attribute__((vector_size(16)));
typedef U16 Halves4 __attribute__((vector_size(8)));
typedef U16 Halves8 __attribute__((vector_size(16)));
typedef U16 Halves16 __attribute__((vector_size(32)));
typedef U32 Words4 __attribute__((vector_size(16)));
typedef U32 Words8 __attribute__((vector_size(32)));
typedef U32 Words16 __attribute__((vector_size(64)));
typedef std::int32_t Signed4 __attribute__((vector_size(16)));
typedef std::int32_t Signed8 __attribute__((vector_size(32)));
typedef std::int32_t Signed16 __attribute__((vector_size(64)));

template <int N>
struct LaneTypes;
template <>
struct LaneTypes<4> {
    using V = Words4;
    using I = Signed4;
    using Bytes = Bytes4;
    using Halves = Halves4;
};
template <>
struct LaneTypes<8> {
    using V = Words8;
    using I = Signed8;
    using Bytes = Bytes8;
    using Halves = Halves8;
};
template <>
struct LaneTypes<16> {
    using V = Words16;
    using I = Signed16;
    using Bytes = Bytes16;
    using Halves = Halves16;
};

/// The operations on N lanes.
template <int N>
struct Lanes : LaneTypes<N> {
    using typename LaneTypes<N>::V;
    using typename LaneTypes<N>::I;
    using typename LaneTypes<N>::Bytes;
    using typename LaneTypes<N>::Halves;
    static constexpr int kGroups = kSide / N;  ///< vectors in a row

    WARPATH_INLINE V load(const U32* p) { return *reinterpret_cast<const V*>(__builtin_assume_aligned(p, N * 4)); }
    WARPATH_INLINE void store(U32* p, V v) { *reinterpret_cast<V*>(__builtin_assume_aligned(p, N * 4)) = v; }
    WARPATH_INLINE I loadHeights(const std::int32_t* p) {
        I v;
        __builtin_memcpy(&v, p, sizeof v);
        return v;
    }
    WARPATH_INLINE V widen(const U8* p) {
#if defined(__AVX512F__)
        if constexpr (N == 16) return reinterpret_cast<V>(_mm512_maskz_cvtepu8_epi32(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#endif
#if defined(__AVX2__)
        if constexpr (N == 8) return reinterpret_cast<V>(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#endif
        Bytes b;
        __builtin_memcpy(&b, p, sizeof b);
        return __builtin_convertvector(b, V);
    }
    WARPATH_INLINE V widen(const U16* p) {
#if defined(__AVX512F__)
        if constexpr (N == 16) return reinterpret_cast<V>(_mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#endif
#if defined(__AVX2__)
        if constexpr (N == 8) return reinterpret_cast<V>(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#endif
        Halves h;
        __builtin_memcpy(&h, p, sizeof h);
        return __builtin_convertvector(h, V);
    }
    WARPATH_INLINE V splat(U32 x) { return V{} + x; }
    WARPATH_INLINE V max(V a, V b) { return a > b ? a : b; }
    WARPATH_INLINE V min(V a, V b) { return a < b ? a : b; }
    /// a - b, or 0 where b is larger.
    WARPATH_INLINE V less(V a, V b) { return max(a, b) - b; }
    /// v where none of `bits` is set in `closed`, else 0.
    WARPATH_INLINE V openOnly(V v, V closed, U32 bits) { return v & reinterpret_cast<V>((closed & bits) == 0); }
    WARPATH_INLINE V difference(I a, I b) {
        const I d = a - b;
        return reinterpret_cast<V>(d < 0 ? -d : d);
    }
    WARPATH_INLINE bool any(V v) {
#if defined(__AVX512F__)
        if constexpr (N == 16) return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(v), reinterpret_cast<__m512i>(v)) != 0;
#endif
#if defined(__AVX2__)
        if constexpr (N == 8) return _mm256_testz_si256(reinterpret_cast<__m256i>(v), reinterpret_cast<__m256i>(v)) == 0;
#endif
        U32 all = 0;
        for (int i = 0; i < N; ++i) all |= v[i];
        return all != 0;
    }

    template <int k, std::size_t... i>
    WARPATH_INLINE V upImpl(V before, V v, std::index_sequence<i...>) {
        return __builtin_shufflevector(before, v, (N - k + static_cast<int>(i))...);
    }
    template <int k, std::size_t... i>
    WARPATH_INLINE V downImpl(V v, V after, std::index_sequence<i...>) {
        return __builtin_shufflevector(v, after, (k + static_cast<int>(i))...);
    }
    template <int lane, std::size_t... i>
    WARPATH_INLINE V spreadImpl(V v, std::index_sequence<i...>) {
        return __builtin_shufflevector(v, v, (lane + 0 * static_cast<int>(i))...);
    }
    /// Lane i gets lane i - k; the first k lanes come from the end of `before`.
    template <int k>
    WARPATH_INLINE V up(V before, V v) { return upImpl<k>(before, v, std::make_index_sequence<N>()); }
    /// Lane i gets lane i + k; the last k lanes come from the beginning of `after`.
    template <int k>
    WARPATH_INLINE V down(V v, V after) { return downImpl<k>(v, after, std::make_index_sequence<N>()); }
    /// One lane in all lanes.
    template <int lane>
    WARPATH_INLINE V spread(V v) { return spreadImpl<lane>(v, std::make_index_sequence<N>()); }

    WARPATH_INLINE V prefixMax(V v) {
        v = max(v, up<1>(V{}, v));
        v = max(v, up<2>(V{}, v));
        if constexpr (N > 4) v = max(v, up<4>(V{}, v));
        if constexpr (N > 8) v = max(v, up<8>(V{}, v));
        return v;
    }
    WARPATH_INLINE V suffixMax(V v) {
        v = max(v, down<1>(v, V{}));
        v = max(v, down<2>(v, V{}));
        if constexpr (N > 4) v = max(v, down<4>(v, V{}));
        if constexpr (N > 8) v = max(v, down<8>(v, V{}));
        return v;
    }
    WARPATH_INLINE V prefixSum(V v) {
        v += up<1>(V{}, v);
        v += up<2>(V{}, v);
        if constexpr (N > 4) v += up<4>(V{}, v);
        if constexpr (N > 8) v += up<8>(V{}, v);
        return v;
    }
    WARPATH_INLINE V suffixSum(V v) {
        v += down<1>(v, V{});
        v += down<2>(v, V{});
        if constexpr (N > 4) v += down<4>(v, V{});
        if constexpr (N > 8) v += down<8>(v, V{});
        return v;
    }
};

template <int N>
struct Sweeper {
    using L = Lanes<N>;
    using V = typename L::V;
    static constexpr int kGroups = L::kGroups;
    struct Row {
        V v[kGroups];
    };

    static void prepare(ChunkSweepPlan& plan) {
        if (plan.direction == TravelDirection::from_sources) {
            plan.rises ? prepareRows<false, true>(plan) : prepareRows<false, false>(plan);
        } else {
            plan.rises ? prepareRows<true, true>(plan) : prepareRows<true, false>(plan);
        }
    }

    static bool relax(const ChunkSweepPlan& plan, U32* dist, ChunkKernelScratch& scratch, U64 seed_rows, ChunkRelaxation& out) {
        U32 base = 0;
        U64 reached_rows = 0;
        if (!load(dist, scratch.rows, base, reached_rows)) return false;
        if (reached_rows == 0) return true;
        seed_rows &= reached_rows;
        U64 changed_rows;
        if (plan.direction == TravelDirection::from_sources) {
            changed_rows = plan.rises ? settle<false, true>(plan, scratch.rows, seed_rows) : settle<false, false>(plan, scratch.rows, seed_rows);
        } else {
            changed_rows = plan.rises ? settle<true, true>(plan, scratch.rows, seed_rows) : settle<true, false>(plan, scratch.rows, seed_rows);
        }
        return finish(plan, dist, scratch.rows, base, changed_rows, out);
    }

private:
    /// Cost of entering a cell horizontally; `from` is -1 for eastward travel of the distance, +1 for westward.
    template <bool kToGoals, bool kRises>
    WARPATH_INLINE V stepAlongRow(const ChunkSweepPlan& plan, int cell, int from, U32 closed_bit) {
        const U16* f = plan.f + ChunkSweepPlan::kPad + cell + (kToGoals ? from : 0);
        V step = L::widen(f) * plan.straight_length;
        if constexpr (kRises) {
            const std::int32_t* h = plan.heights + ChunkSweepPlan::kPad + cell;
            step += L::difference(L::loadHeights(h), L::loadHeights(h + from));
        }
        step = L::min(step, L::splat(kSweepLimit));
        const V closed = reinterpret_cast<V>((L::widen(plan.closed + cell) & closed_bit) != 0);
        return (step & ~closed) | (L::splat(kSweepLimit) & closed);
    }

    template <bool kToGoals, bool kRises>
    static void prepareRows(ChunkSweepPlan& plan) {
        for (int cell = 0; cell < kChunkKernelCells; cell += N) {
            L::store(plan.eastward + cell, L::prefixSum(stepAlongRow<kToGoals, kRises>(plan, cell, -1, 1u << 4)));
            L::store(plan.westward + cell, L::suffixSum(stepAlongRow<kToGoals, kRises>(plan, cell, +1, 1u << 0)));
        }
    }

    /// Turns distances upside down. False when some do not fit.
    static bool load(const U32* dist, U32* rows, U32& base, U64& reached_rows) {
        V low = L::splat(kChunkUnreached);
        for (int cell = 0; cell < kChunkKernelCells; cell += N) {
            V d;
            __builtin_memcpy(&d, dist + cell, sizeof d);
            low = L::min(low, d);
        }
        base = kChunkUnreached;
        for (int i = 0; i < N; ++i) base = low[i] < base ? low[i] : base;
        if (base == kChunkUnreached) return true;
        if (base >= kChunkUnreached - kSweepLimit) return false;
        const V limit = L::splat(kSweepLimit);
        V misfit{};
        for (int y = 0; y < kSide; ++y) {
            V reached{};
            for (int x = 0; x < kSide; x += N) {
                V d;
                __builtin_memcpy(&d, dist + y * kSide + x, sizeof d);
                const V e = limit - L::min(d - base, limit);
                L::store(rows + y * kSide + x, e);
                reached |= e;
                misfit |= reinterpret_cast<V>(e == 0) & ~d;
            }
            reached_rows |= U64{L::any(reached)} << y;
        }
        return !L::any(misfit);
    }

    /// Closes a row under steps along it.
    WARPATH_INLINE void closeRow(const ChunkSweepPlan& plan, int y, Row& row) {
        const U32* east = plan.eastward + y * kSide;
        const U32* west = plan.westward + y * kSide;
        Row from_west, from_east;
#pragma GCC unroll 16
        for (int g = 0; g < kGroups; ++g) {
            const V c = L::load(east + g * N);
            from_west.v[g] = L::prefixMax(row.v[g] + c) - c;
            const V b = L::load(west + g * N);
            from_east.v[g] = L::suffixMax(row.v[g] + b) - b;
        }
        V carry = L::template spread<N - 1>(from_west.v[0]);
#pragma GCC unroll 16
        for (int g = 1; g < kGroups; ++g) {
            row.v[g] = L::max(from_west.v[g], L::less(carry, L::load(east + g * N)));
            carry = L::max(L::template spread<N - 1>(from_west.v[g]), L::less(carry, L::splat(east[g * N + N - 1])));
        }
        row.v[0] = from_west.v[0];
        carry = L::template spread<0>(from_east.v[kGroups - 1]);
        row.v[kGroups - 1] = L::max(row.v[kGroups - 1], from_east.v[kGroups - 1]);
#pragma GCC unroll 16
        for (int g = kGroups - 2; g >= 0; --g) {
            row.v[g] = L::max(row.v[g], L::max(from_east.v[g], L::less(carry, L::load(west + g * N))));
            carry = L::max(L::template spread<0>(from_east.v[g]), L::less(carry, L::splat(west[g * N])));
        }
    }

    /// Relaxes the steps from row `from` into row `to` (a neighbour), then closes `to` if that improved it. True if it did.
    template <bool kToGoals, bool kRises, bool kMasked>
    WARPATH_INLINE bool pushRow(const ChunkSweepPlan& plan, U32* rows, int from, int to, U32 straight_bit, U32 west_bit, U32 east_bit) {
        const V straight_length = L::splat(plan.straight_length);
        const V diagonal_length = L::splat(plan.diagonal_length);
        const U32* source = rows + from * kSide;
        const U16* f = plan.f + ChunkSweepPlan::kPad;
        const std::int32_t* h = plan.heights + ChunkSweepPlan::kPad;
        Row row;
        V improved{};
#pragma GCC unroll 16
        for (int g = 0; g < kGroups; ++g) {
            const int cell = to * kSide + g * N;
            const int source_cell = from * kSide + g * N;
            const V none{};
            V here = L::load(source + g * N);
            V before = g > 0 ? L::load(source + (g > 0 ? g - 1 : 0) * N) : none;
            V after = g + 1 < kGroups ? L::load(source + (g + 1 < kGroups ? g + 1 : g) * N) : none;
            V straight, diagonal_west, diagonal_east;
            if constexpr (kToGoals && !kRises) {
                straight = L::less(here, L::widen(f + source_cell) * straight_length);
                here = L::less(here, L::widen(f + source_cell) * diagonal_length);
                if (g > 0) before = L::less(before, L::widen(f + source_cell - N) * diagonal_length);
                if (g + 1 < kGroups) after = L::less(after, L::widen(f + source_cell + N) * diagonal_length);
            } else {
                straight = here;
            }
            diagonal_west = L::template up<1>(before, here);
            diagonal_east = L::template down<1>(here, after);
            if constexpr (kMasked) {
                const V closed = L::widen(plan.closed + cell);
                straight = L::openOnly(straight, closed, straight_bit);
                diagonal_west = L::openOnly(diagonal_west, closed, west_bit);
                diagonal_east = L::openOnly(diagonal_east, closed, east_bit);
            }
            if constexpr (kRises) {
                const typename L::I height = L::loadHeights(h + cell);
                const V f_straight = L::widen(f + (kToGoals ? source_cell : cell));
                const V f_west = kToGoals ? L::widen(f + source_cell - 1) : f_straight;
                const V f_east = kToGoals ? L::widen(f + source_cell + 1) : f_straight;
                straight = L::less(straight, f_straight * straight_length + L::difference(height, L::loadHeights(h + source_cell)));
                diagonal_west = L::less(diagonal_west, f_west * diagonal_length + L::difference(height, L::loadHeights(h + source_cell - 1)));
                diagonal_east = L::less(diagonal_east, f_east * diagonal_length + L::difference(height, L::loadHeights(h + source_cell + 1)));
                straight = L::max(straight, L::max(diagonal_west, diagonal_east));
            } else if constexpr (kToGoals) {
                straight = L::max(straight, L::max(diagonal_west, diagonal_east));
            } else {
                const V cost = L::widen(f + cell);
                straight = L::max(L::less(straight, cost * straight_length),
                                  L::less(L::max(diagonal_west, diagonal_east), cost * diagonal_length));
            }
            const V old = L::load(rows + cell);
            row.v[g] = L::max(old, straight);
            improved |= row.v[g] ^ old;
        }
        if (!L::any(improved)) return false;
        closeRow(plan, to, row);
        storeRow(row, rows, to);
        return true;
    }

    WARPATH_INLINE void storeRow(const Row& row, U32* rows, int y) {
#pragma GCC unroll 16
        for (int g = 0; g < kGroups; ++g) L::store(rows + y * kSide + g * N, row.v[g]);
    }

    /// Sweeps down and up until no row improves another. Returns the rows that improved.
    template <bool kToGoals, bool kRises>
    static U64 settle(const ChunkSweepPlan& plan, U32* rows, U64 seed_rows) {
        U64 changed = 0;
        for (U64 left = seed_rows; left != 0; left &= left - 1) {
            const int y = __builtin_ctzll(left);
            Row row;
            V improved{};
            for (int g = 0; g < kGroups; ++g) row.v[g] = L::load(rows + y * kSide + g * N);
            closeRow(plan, y, row);
            for (int g = 0; g < kGroups; ++g) improved |= row.v[g] ^ L::load(rows + y * kSide + g * N);
            if (!L::any(improved)) continue;
            storeRow(row, rows, y);
            changed |= U64{1} << y;
        }
        constexpr U64 kLastRow = U64{1} << (kSide - 1);
        U64 down = seed_rows, up = seed_rows;
        while (true) {
            down &= ~kLastRow;
            if (down == 0 && (up & ~U64{1}) == 0) return changed;
            while (down != 0) {
                const int y = __builtin_ctzll(down);
                down &= down - 1;
                const U64 to = U64{2} << y;
                const bool improved = (plan.open_from_above & to) != 0
                                          ? pushRow<kToGoals, kRises, false>(plan, rows, y, y + 1, 0, 0, 0)
                                          : pushRow<kToGoals, kRises, true>(plan, rows, y, y + 1, 1u << 6, 1u << 5, 1u << 7);
                if (improved) {
                    changed |= to;
                    up |= to;
                    down |= to & ~kLastRow;
                }
            }
            up &= ~U64{1};
            while (up != 0) {
                const int y = 63 - __builtin_clzll(up);
                const U64 from = U64{1} << y;
                up &= ~from;
                const U64 to = from >> 1;
                const bool improved = (plan.open_from_below & to) != 0
                                          ? pushRow<kToGoals, kRises, false>(plan, rows, y, y - 1, 0, 0, 0)
                                          : pushRow<kToGoals, kRises, true>(plan, rows, y, y - 1, 1u << 2, 1u << 3, 1u << 1);
                if (improved) {
                    changed |= to;
                    down |= to;
                    up |= to & ~U64{1};
                }
            }
        }
    }

    /// Writes the improved rows back. False, writing nothing, when a distance came so near the limit that a neighbour may be missing.
    static bool finish(const ChunkSweepPlan& plan, U32* dist, const U32* rows, U32 base, U64 changed_rows, ChunkRelaxation& out) {
        V least = L::splat(~U32{0});
        for (int cell = 0; cell < kChunkKernelCells; cell += N) least = L::min(least, L::load(rows + cell) - 1u);
        U32 lowest = ~U32{0};
        for (int i = 0; i < N; ++i) lowest = least[i] < lowest ? least[i] : lowest;
        if (lowest < plan.max_step) return false;
        out.changed_rows = changed_rows;
        const U32 top = base + kSweepLimit;
        for (U64 left = changed_rows; left != 0; left &= left - 1) {
            const int y = __builtin_ctzll(left);
            U32* line = dist + y * kSide;
            const U32 west = line[0], east = line[kSide - 1];
            if (y == 0 || y == kSide - 1) {
                const int side = y == 0 ? 3 : 1;
                for (int x = 0; x < kSide; ++x) {
                    const U32 e = rows[y * kSide + x];
                    if (e == 0 || top - e >= line[x]) continue;
                    noteBorder(out, side, x, top - e);
                }
            }
            for (int x = 0; x < kSide; x += N) {
                const V e = L::load(rows + y * kSide + x);
                const V d = (top - e) | reinterpret_cast<V>(e == 0);
                __builtin_memcpy(line + x, &d, sizeof d);
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
