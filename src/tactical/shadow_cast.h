// The set of cells that an observer sees past cells that close sight altogether, on whole rows of bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace warpath::sight {

/// A square of bits around a centre: offsets -radius-1 .. radius+1 in both directions, row by row.
struct BitWindow {
    int radius = 0;
    int words = 0;  ///< Words in a row.
    std::vector<std::uint64_t> bits;

    void reset(int new_radius) {
        radius = new_radius;
        words = (side() + 63) / 64;
        bits.assign(static_cast<std::size_t>(side()) * static_cast<std::size_t>(words), 0);
    }
    [[nodiscard]] int side() const { return 2 * radius + 3; }
    /// The row at an offset from the centre; bit `dx + radius + 1` is the cell (dx, dy).
    [[nodiscard]] std::uint64_t* row(int dy) { return bits.data() + static_cast<std::size_t>((dy + radius + 1) * words); }
    [[nodiscard]] const std::uint64_t* row(int dy) const { return bits.data() + static_cast<std::size_t>((dy + radius + 1) * words); }
    [[nodiscard]] bool test(int dx, int dy) const {
        const int bit = dx + radius + 1;
        return ((row(dy)[bit >> 6] >> (bit & 63)) & 1) != 0;
    }
    void set(int dx, int dy) {
        const int bit = dx + radius + 1;
        row(dy)[bit >> 6] |= std::uint64_t{1} << (bit & 63);
    }
};

/// How many cells a window is looked at on each side of the observer: up to the radius, no farther than the map goes.
struct Extents {
    int west = 0, north = 0, east = 0, south = 0;
};

/// First bit at or after `from` that is set (or clear, with flip all ones); `end` when there is none before it.
inline int nextBit(const std::uint64_t* row, int from, int end, std::uint64_t flip) {
    if (from >= end) return end;
    int w = from >> 6;
    std::uint64_t word = (row[w] ^ flip) & (~std::uint64_t{0} << (from & 63));
    while (word == 0) {
        if (++w << 6 >= end) return end;
        word = row[w] ^ flip;
    }
    return std::min(end, (w << 6) + std::countr_zero(word));
}

/// A slope as a fraction; the denominator is positive.
struct Slope {
    std::int32_t n = 0;
    std::int32_t d = 1;
};

/// A closed range of slopes in which light runs.
struct Beam {
    Slope low, high;
};

/// Buffers of the shadow casting and where it stands. They keep their capacity.
struct ShadowScratch {
    std::vector<Beam> beams, next;
    BitWindow turned;
    int quadrant = 0, row = 0;
};

/// Begins to find every cell of the square whose centre the observer's centre sees (the observer's own cell included).
///
/// A cell is hidden when the segment between the centres enters the inside of a closing cell, the two end cells not counted, or when it touches
/// corners of closing cells both on its left and on its right (a gap of no width lets nothing through). That is symmetric and monotone in `closing`.
/// Method: shadow casting with exact fractions for the corners (after Bergström 2001 and Ford 2017), a row of the quadrant at a time; `columns` is
/// `rows` transposed, for the quadrants east and west.
/// Cost: linear in rows times beams of light; about 250 row steps when nothing stands within 60 cells.
void beginShadows(const BitWindow& rows, ShadowScratch& scratch, BitWindow& out);

/// Goes on while `left` is above 0 and takes from it what was done, in cells looked at. Rows beyond the extents stay empty.
/// @return whether `out` is complete.
bool continueShadows(const BitWindow& rows, const BitWindow& columns, const Extents& extents, ShadowScratch& scratch, BitWindow& out, std::int64_t& left);

/// `out` becomes `in` with rows and columns exchanged.
void transposeWindow(const BitWindow& in, BitWindow& out);

}  // namespace warpath::sight
