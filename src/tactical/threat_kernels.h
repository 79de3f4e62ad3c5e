// The hot loops of the threat map, for the widest vectors of the machine at hand. All of them are exact, so all variants agree.
#pragma once

#include <cstdint>

namespace warpath::threat {

/// Sums are added up in blocks of this many cells; rows of numbers are padded by as much.
inline constexpr int kLanes = 16;
/// Blurs go by this many columns at a time.
inline constexpr int kBlurColumns = 32;
/// Blurs go by pieces of at most this many cells a side.
inline constexpr int kMaxPiece = 64;
inline constexpr int kMaxPadded = kMaxPiece + 2 * 16;
inline constexpr int kPaddedStride = kMaxPadded + kBlurColumns + 16;  // no power of two: rows would share cache sets

/// One piece of a blur: `height` x `width` cells out of `in`, which holds `radius` more cells on each side (0 outside the map).
struct BlurPiece {
    int width = 0, height = 0, radius = 0;
    const float* row_weights[kMaxPiece];     ///< Per output row: 2 radius + 1 weights along y.
    const float* column_weights[kMaxPiece];  ///< Per output column: weights along x.
    const float* inner = nullptr;            ///< The weights away from borders: symmetric.
    alignas(64) float in[kMaxPadded * kPaddedStride];
    alignas(64) float line[kPaddedStride];   ///< One row, blurred along y.
};

struct Kernels {
    /// out[y * stride + x] for the cells of the piece.
    void (*blur)(BlurPiece& piece, std::uint16_t* out, int stride);
    /// Adds or subtracts blocks of kLanes numbers.
    void (*add)(std::uint32_t* to, const std::uint32_t* what, int blocks);
    void (*subtract)(std::uint32_t* from, const std::uint32_t* what, int blocks);
    /// out[i] = min((raw[i] + 32) >> 6, 2^14) for `count` values.
    void (*convert)(const std::uint32_t* raw, int count, float* out);
};

/// The variant for this machine.
const Kernels& kernels();
/// The variants that this machine can run, for tests: `index` from 0; null past the last.
const Kernels* kernelVariant(int index);

}  // namespace warpath::threat
