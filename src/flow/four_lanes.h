// Four floats side by side, with the vector types of gcc and clang. Every operation gives the same bits as its scalar form. Internal linkage.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace warpath::flow {
namespace {

typedef float Floats __attribute__((vector_size(16)));
typedef std::int32_t Ints __attribute__((vector_size(16)));

constexpr float kInfinity = std::numeric_limits<float>::infinity();

[[maybe_unused]] inline Floats all(float v) { return Floats{v, v, v, v}; }
/// At any address.
[[maybe_unused]] inline Floats loadAny(const float* p) {
    Floats v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
[[maybe_unused]] inline Floats absolute(Floats v) { return reinterpret_cast<Floats>(reinterpret_cast<Ints>(v) & 0x7fffffff); }
[[maybe_unused]] inline Floats smaller(Floats a, Floats b) { return a < b ? a : b; }
/// The next float above a positive one.
[[maybe_unused]] inline Floats above(Floats v) { return reinterpret_cast<Floats>(reinterpret_cast<Ints>(v) + 1); }
[[maybe_unused]] inline Floats squareRoot(Floats v) {
#if defined(__SSE2__)
    return reinterpret_cast<Floats>(_mm_sqrt_ps(reinterpret_cast<__m128>(v)));
#else
    return Floats{std::sqrt(v[0]), std::sqrt(v[1]), std::sqrt(v[2]), std::sqrt(v[3])};
#endif
}
/// Bit k: lane k is all ones.
[[maybe_unused]] inline unsigned laneMask(Ints v) {
#if defined(__SSE2__)
    return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(v)));
#else
    return (static_cast<unsigned>(v[0]) & 1u) | (static_cast<unsigned>(v[1]) & 2u) | (static_cast<unsigned>(v[2]) & 4u) | (static_cast<unsigned>(v[3]) & 8u);
#endif
}
/// Lane k of the result is lane k - 1.
[[maybe_unused]] inline Floats turned(Floats v) { return Floats{v[3], v[0], v[1], v[2]}; }
[[maybe_unused]] inline Floats opposite(Floats v) { return Floats{v[2], v[3], v[0], v[1]}; }

}  // namespace
}  // namespace warpath::flow
