// The hot loops of the threat map, for the widest vectors of the machine at hand. All of them are exact, so all variants agree.
#pragma once

#include <cstddef>
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
    const std::int16_t* inner = nullptr;            ///< 2 radius + 1 weights away from borders.
    bool at_border = false;                         ///< Whether the next two are to be heeded.
    const std::int16_t* row_weights[kMaxPiece];     ///< Per output row: weights along y.
    const std::int16_t* column_weights[kMaxPiece];  ///< Per output column: weights along x.
    alignas(64) std::int16_t in[(kMaxPadded + 1) * kPaddedStride];  ///< 0..2^14; the last row is read, and weighs nothing.
    alignas(64) std::int16_t line[kPaddedStride];   ///< One row, blurred along y.
};

/// A stretch of a row to add to or to take from: whole blocks of kLanes numbers.
struct Stretch {
    std::uint32_t* to;
    const std::uint32_t* what;
    std::int32_t blocks;
};

struct Kernels {
    /// out[y * stride + x] for the cells of the piece.
    void (*blur)(BlurPiece& piece, std::uint16_t* out, int stride);
    void (*add)(const Stretch* stretches, std::size_t count);
    void (*subtract)(const Stretch* stretches, std::size_t count);
    /// to[i] += what[i].
    void (*accumulate)(std::uint32_t* to, const std::uint32_t* what, int count);
    /// out[i] = min((raw[i] + 32) >> 6, 2^14).
    void (*convert)(const std::uint32_t* raw, int count, std::int16_t* out);
    /// Mean (halves up) and maximum of the 8 x 8 blocks of side x side values (8, 16, 32 or 64; none above 2^14).
    void (*blocks)(const std::uint16_t* values, int side, std::uint16_t* mean, std::uint16_t* most);
    /// out[i] = min(in[i], 2^14).
    void (*capped)(const std::uint16_t* in, int count, std::int16_t* out);
};

/// The variant for this machine.
const Kernels& kernels();
/// The variants that this machine can run, for tests: `index` from 0; null past the last.
const Kernels* kernelVariant(int index);

}  // namespace warpath::threat
