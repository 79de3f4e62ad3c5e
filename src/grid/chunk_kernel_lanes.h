// N lanes of 32 bits with the vector types of gcc and clang, and what the chunk kernel does with them. Where the compiler finds a good
// instruction by itself nothing is said; where it does not, the instruction is named. Everything has internal linkage: this file is compiled
// with several instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(__SSE2__)
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

/// The vector types stand outside templates because gcc drops the attribute of some dependent types.
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
    WARPATH_INLINE V load(const U32* p) { return *reinterpret_cast<const V*>(__builtin_assume_aligned(p, N * 4)); }
    WARPATH_INLINE void store(U32* p, V v) { *reinterpret_cast<V*>(__builtin_assume_aligned(p, N * 4)) = v; }
    /// At any address.
    WARPATH_INLINE V loadAny(const U32* p) {
        V v;
        __builtin_memcpy(&v, p, sizeof v);
        return v;
    }
    WARPATH_INLINE void storeAny(U32* p, V v) { __builtin_memcpy(p, &v, sizeof v); }
    WARPATH_INLINE I loadSigned(const std::int32_t* p) {
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

    /// Bit i: lane i of a and b differ.
    WARPATH_INLINE U32 differing(V a, V b) {
#if defined(__AVX512F__)
        if constexpr (N == 16) return _mm512_cmpneq_epi32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
#endif
#if defined(__AVX2__)
        if constexpr (N == 8) {
            const __m256i same = _mm256_cmpeq_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b));
            return static_cast<U32>(_mm256_movemask_ps(_mm256_castsi256_ps(same))) ^ 0xffu;
        }
#endif
#if defined(__SSE2__)
        if constexpr (N == 4) {
            const __m128i same = _mm_cmpeq_epi32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b));
            return static_cast<U32>(_mm_movemask_ps(_mm_castsi128_ps(same))) ^ 0xfu;
        }
#endif
        U32 bits = 0;
        for (int i = 0; i < N; ++i) bits |= U32{a[i] != b[i]} << i;
        return bits;
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
#if defined(__AVX2__)
        if constexpr (N == 8) {  // within halves first: their shifts are one instruction
            v = max(v, reinterpret_cast<V>(_mm256_slli_si256(reinterpret_cast<__m256i>(v), 4)));
            v = max(v, reinterpret_cast<V>(_mm256_slli_si256(reinterpret_cast<__m256i>(v), 8)));
            const __m256i low = _mm256_permute2x128_si256(reinterpret_cast<__m256i>(v), reinterpret_cast<__m256i>(v), 0x08);
            return max(v, reinterpret_cast<V>(_mm256_shuffle_epi32(low, 0xff)));
        }
#endif
        v = max(v, up<1>(V{}, v));
        v = max(v, up<2>(V{}, v));
        if constexpr (N > 4) v = max(v, up<4>(V{}, v));
        if constexpr (N > 8) v = max(v, up<8>(V{}, v));
        return v;
    }
    WARPATH_INLINE V suffixMax(V v) {
#if defined(__AVX2__)
        if constexpr (N == 8) {
            v = max(v, reinterpret_cast<V>(_mm256_srli_si256(reinterpret_cast<__m256i>(v), 4)));
            v = max(v, reinterpret_cast<V>(_mm256_srli_si256(reinterpret_cast<__m256i>(v), 8)));
            const __m256i high = _mm256_permute2x128_si256(reinterpret_cast<__m256i>(v), reinterpret_cast<__m256i>(v), 0x81);
            return max(v, reinterpret_cast<V>(_mm256_shuffle_epi32(high, 0x00)));
        }
#endif
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

}  // namespace
}  // namespace warpath::chunk_kernel

#undef WARPATH_INLINE
