#include "tactical/threat_kernels.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "warpath/tactical/gaussian_kernel.h"
#include "warpath/world/chunk.h"

namespace warpath::threat {
namespace {

// Macros, as a function would have to be repeated for each instruction set (see threat_kernels_body.inc).
#define loadShorts(p) (*reinterpret_cast<const LooseShorts*>(p))
#define storeShorts(p, v) (*reinterpret_cast<LooseShorts*>(p) = reinterpret_cast<LooseShorts>(v))
#define loadUnsigned(p) (static_cast<Unsigneds>(*reinterpret_cast<const LooseUnsigneds*>(p)))
#define storeUnsigned(p, v) (*reinterpret_cast<LooseUnsigneds*>(p) = (v))

namespace plain {
#define WARPATH_TARGET
#define WARPATH_VECTOR 16
#include "tactical/threat_kernels_body.inc"
#undef WARPATH_VECTOR
#undef WARPATH_TARGET
}  // namespace plain

#if defined(__x86_64__)
namespace avx2 {
#define WARPATH_TARGET __attribute__((target("avx2")))
#define WARPATH_VECTOR 32
#define WARPATH_MULTIPLY_PAIRS(a, b) reinterpret_cast<Ints>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)))
#define WARPATH_UNPACK_LOW(a, b) _mm256_unpacklo_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b))
#define WARPATH_UNPACK_HIGH(a, b) _mm256_unpackhi_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b))
#define WARPATH_PACK(a, b) _mm256_packs_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b))
#include "tactical/threat_kernels_body.inc"
#undef WARPATH_MULTIPLY_PAIRS
#undef WARPATH_UNPACK_LOW
#undef WARPATH_UNPACK_HIGH
#undef WARPATH_PACK
#undef WARPATH_VECTOR
#undef WARPATH_TARGET
}  // namespace avx2

namespace avx512 {
#if defined(__clang__)  // which has no such target
#define WARPATH_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define WARPATH_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#define WARPATH_VECTOR 64
#define WARPATH_MULTIPLY_PAIRS(a, b) reinterpret_cast<Ints>(_mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)))
#define WARPATH_UNPACK_LOW(a, b) _mm512_unpacklo_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b))
#define WARPATH_UNPACK_HIGH(a, b) _mm512_unpackhi_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b))
#define WARPATH_PACK(a, b) _mm512_packs_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b))
#include "tactical/threat_kernels_body.inc"
#undef WARPATH_MULTIPLY_PAIRS
#undef WARPATH_UNPACK_LOW
#undef WARPATH_UNPACK_HIGH
#undef WARPATH_PACK
#undef WARPATH_VECTOR
#undef WARPATH_TARGET
}  // namespace avx512
#endif

#undef loadShorts
#undef storeShorts
#undef loadUnsigned
#undef storeUnsigned

int variantCount() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return 3;
    }
    if (__builtin_cpu_supports("avx2")) return 2;
#endif
    return 1;
}

}  // namespace

const Kernels* kernelVariant(int index) {
    if (index < 0 || index >= variantCount()) return nullptr;
#if defined(__x86_64__)
    if (index == 2) return &avx512::kKernels;
    if (index == 1) return &avx2::kKernels;
#endif
    return &plain::kKernels;
}

const Kernels& kernels() {
    static const Kernels& best = *kernelVariant(variantCount() - 1);  // never changes: the machine stays the same
    return best;
}

}  // namespace warpath::threat
