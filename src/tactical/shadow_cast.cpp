#include "tactical/shadow_cast.h"

#include <algorithm>
#include <bit>

namespace warpath::sight {
namespace {

std::int32_t floorDiv(std::int32_t n, std::int32_t d) {
    const std::int32_t q = n / d;
    return q * d > n ? q - 1 : q;
}
std::int32_t ceilDiv(std::int32_t n, std::int32_t d) {
    const std::int32_t q = n / d;
    return q * d < n ? q + 1 : q;
}
bool less(Slope a, Slope b) { return a.n * b.d < b.n * a.d; }

/// The slopes of the two corners that bound the cell at column x of row y > 0.
Slope leftOf(int x, int y) { return {2 * x - 1, x > 0 ? 2 * y + 1 : 2 * y - 1}; }
Slope rightOf(int x, int y) { return {2 * x + 1, x < 0 ? 2 * y + 1 : 2 * y - 1}; }

/// Light starts a little beyond the diagonals, so that the corners upon them are met like all others.
constexpr Slope kBeyondRight{4097, 4096};
constexpr Slope kBeyondLeft{-4097, 4096};

void setRange(std::uint64_t* row, int first, int last) {
    const int w0 = first >> 6, w1 = last >> 6;
    const std::uint64_t head = ~std::uint64_t{0} << (first & 63), tail = ~std::uint64_t{0} >> (63 - (last & 63));
    if (w0 == w1) {
        row[w0] |= head & tail;
        return;
    }
    row[w0] |= head;
    for (int w = w0 + 1; w < w1; ++w) row[w] = ~std::uint64_t{0};
    row[w1] |= tail;
}

bool test(const std::uint64_t* row, int bit) { return ((row[bit >> 6] >> (bit & 63)) & 1) != 0; }

/// Casts light through the quadrant whose rows lie at direction * 1, 2, ... depth. @return whether it is through.
bool castQuadrant(const BitWindow& closing, int direction, int depth, ShadowScratch& scratch, BitWindow& out, std::int64_t& left_to_do) {
    const int radius = closing.radius, zero = radius + 1;
    std::vector<Beam>& beams = scratch.beams;
    if (scratch.row == 0) {
        const std::uint64_t* own = closing.row(0);
        beams.clear();
        beams.push_back({test(own, zero - 1) ? Slope{-1, 1} : kBeyondLeft, test(own, zero + 1) ? Slope{1, 1} : kBeyondRight});
        scratch.row = 1;
    }
    for (int& y = scratch.row; y <= depth && !beams.empty(); ++y) {
        if (left_to_do <= 0) return false;
        left_to_do -= closing.words + 8 * static_cast<std::int64_t>(beams.size());
        const std::uint64_t* row = closing.row(direction * y);
        std::uint64_t* seen = out.row(direction * y);
        std::uint64_t any = 0;
        for (int w = 0; w < closing.words; ++w) any |= row[w];
        if (any == 0) {
            for (const Beam& beam : beams) {
                const int a = ceilDiv(beam.low.n * y, beam.low.d), b = floorDiv(beam.high.n * y, beam.high.d);
                if (a <= b) setRange(seen, zero + a, zero + b);
            }
            continue;
        }
        std::vector<Beam>& next = scratch.next;
        next.clear();
        for (const Beam& beam : beams) {
            int a = ceilDiv(beam.low.n * y, beam.low.d), b = floorDiv(beam.high.n * y, beam.high.d);
            const int first = zero + a - 1, end = zero + b + 2;  // cells that a corner of which may stand in this beam
            // The last corner before a cell on a diagonal lies between this row and the one before.
            if (b == y && beam.high.n == beam.high.d && test(row, zero + y - 1)) --b;
            if (a == -y && beam.low.n == -beam.low.d && test(row, zero - y + 1)) ++a;
            if (a <= b) setRange(seen, zero + a, zero + b);

            Beam rest = beam;
            for (int bit = nextBit(row, first, end, 0); bit < end;) {
                const int run_end = nextBit(row, bit, end, ~std::uint64_t{0});
                const Slope left = leftOf(bit - zero, y), right = rightOf(run_end - 1 - zero, y);
                bit = nextBit(row, run_end, end, 0);
                if (!less(rest.low, right)) continue;
                if (!less(left, rest.high)) break;
                if (less(rest.low, left)) next.push_back({rest.low, left});
                rest.low = right;
                if (!less(rest.low, rest.high)) break;
            }
            if (less(rest.low, rest.high)) next.push_back(rest);
        }
        beams.swap(next);
    }
    scratch.row = 0;
    return true;
}

/// Transposes a 64 x 64 block of bits in place (Warren, "Hacker's Delight", 7-3; bit 0 is the first column).
void transpose64(std::uint64_t* m) {
    std::uint64_t mask = 0x00000000ffffffffull;
    for (int j = 32; j != 0; j >>= 1, mask ^= mask << j) {
        for (int k = 0; k < 64; k = ((k | j) + 1) & ~j) {
            const std::uint64_t t = ((m[k] >> j) ^ m[k | j]) & mask;
            m[k] ^= t << j;
            m[k | j] ^= t;
        }
    }
}

template <class Store>
void transposeBlocks(const BitWindow& in, Store&& store) {
    const int side = in.side();
    for (int bx = 0; bx < in.words; ++bx) {
        for (int by = 0; by < in.words; ++by) {
            std::uint64_t block[64];
            const int count = std::min(64, side - by * 64);
            std::uint64_t any = 0;
            for (int i = 0; i < 64; ++i) {
                block[i] = i < count ? in.bits[static_cast<std::size_t>((by * 64 + i) * in.words + bx)] : 0;
                any |= block[i];
            }
            if (any != 0) transpose64(block);
            const int out_count = std::min(64, side - bx * 64);
            for (int i = 0; i < out_count; ++i) store(static_cast<std::size_t>((bx * 64 + i) * in.words + by), block[i]);
        }
    }
}

}  // namespace

void transposeWindow(const BitWindow& in, BitWindow& out) {
    out.reset(in.radius);
    transposeBlocks(in, [&](std::size_t i, std::uint64_t word) { out.bits[i] = word; });
}

void beginShadows(const BitWindow& rows, ShadowScratch& scratch, BitWindow& out) {
    scratch.turned.reset(rows.radius);
    out.reset(rows.radius);
    scratch.quadrant = scratch.row = 0;
}

bool continueShadows(const BitWindow& rows, const BitWindow& columns, const Extents& extents, ShadowScratch& scratch, BitWindow& out, std::int64_t& left) {
    const int depths[] = {extents.east, extents.west, extents.south, extents.north};
    for (int& q = scratch.quadrant; q < 4; ++q) {
        if (!castQuadrant(q < 2 ? columns : rows, (q & 1) == 0 ? 1 : -1, depths[q], scratch, q < 2 ? scratch.turned : out, left)) return false;
        if (q != 1) continue;
        transposeBlocks(scratch.turned, [&](std::size_t i, std::uint64_t word) { out.bits[i] = word; });
        left -= static_cast<std::int64_t>(out.bits.size());
    }
    out.set(0, 0);
    return true;
}

}  // namespace warpath::sight
