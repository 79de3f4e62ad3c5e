#include "tactical/source_rows.h"

#include <algorithm>
#include <bit>

#include "tactical/threat_kernels.h"

namespace warpath::threat {
namespace {

/// The words of a window's rows that lie within the extents.
struct Words {
    int first = 0, count = 0;
    Words(int radius, const sight::Extents& extents) {
        first = (radius + 1 - extents.west) >> 6;
        count = ((radius + 1 + extents.east) >> 6) - first + 1;
    }
};

/// Adds what is in sight of a row of threat cells.
struct RowInSight {
    const RowNumbers& row;
    int shift;
    std::uint32_t* out;

    /// Metres begin..end-1 of the row, in `rows_of_metres` of its rows of metres.
    void add(int begin, int end, std::uint32_t rows_of_metres) const {
        const int c0 = begin >> shift, c1 = (end - 1) >> shift;
        if (c0 == c1) {
            out[c0] += row.unit[c0] * rows_of_metres * static_cast<std::uint32_t>(end - begin);
            return;
        }
        out[c0] += row.unit[c0] * rows_of_metres * static_cast<std::uint32_t>(((c0 + 1) << shift) - begin);
        out[c1] += row.unit[c1] * rows_of_metres * static_cast<std::uint32_t>(end - (c1 << shift));
        if (rows_of_metres == 1u << shift) {
            kernels().accumulate(out + c0 + 1, row.open + c0 + 1, c1 - c0 - 1);
        } else {
            for (int i = c0 + 1; i < c1; ++i) out[i] += (row.unit[i] * rows_of_metres) << shift;
        }
    }
};

}  // namespace

std::size_t Applied::bytesFor(int view_radius, const sight::Extents& extents) {
    return static_cast<std::size_t>(Words(view_radius, extents).count) * static_cast<std::size_t>(extents.north + extents.south + 1) * sizeof(std::uint64_t);
}

void Applied::keep(const sight::BitWindow& view, const sight::Extents& extents) {
    const Words part(view.radius, extents);
    sees_all = false;
    first_row = view.radius + 1 - extents.north;
    first_word = part.first;
    words = part.count;
    seen.clear();
    seen.reserve(bytesFor(view.radius, extents) / sizeof(std::uint64_t));
    for (int dy = -extents.north; dy <= extents.south; ++dy) {
        const std::uint64_t* row = view.row(dy) + first_word;
        seen.insert(seen.end(), row, row + words);
    }
}

const std::uint32_t* SourceRows::row(const Applied& applied, std::size_t i, int begin_column, int end_column) {
    const Falloff& falloff = *applied.falloff;
    const FalloffRow& row = falloff.rows[i];
    const RowNumbers numbers = falloff.row(i, scratch_);
    if (applied.sees_all) return numbers.full;
    const auto size = static_cast<std::size_t>(row.count + 2 * kLanes);
    if (numbers_.size() < size) numbers_.resize(size);
    std::copy_n(numbers.hidden - kLanes, size, numbers_.begin());
    const int resolution = falloff.resolution, zero = falloff.view_radius + 1 - falloff.phase_x - 64 * applied.first_word, words = applied.words;
    if (bits_.size() < static_cast<std::size_t>(2 * words)) bits_.resize(static_cast<std::size_t>(2 * words));
    std::uint64_t* const everywhere = bits_.data();
    std::uint64_t* const rest = bits_.data() + words;
    const RowInSight in_sight{numbers, std::countr_zero(static_cast<unsigned>(resolution)), numbers_.data() + kLanes};
    const int base = row.first * resolution + zero;  // bit of the row's first metre
    const int begin = base + begin_column * resolution, end = base + end_column * resolution;
    const int top = (falloff.first_row + static_cast<int>(i)) * resolution - falloff.phase_y + falloff.view_radius + 1 - applied.first_row;
    const std::uint64_t* view_rows = applied.seen.data() + static_cast<std::ptrdiff_t>(top) * words;
    const int first_word = begin >> 6, last_word = (end - 1) >> 6;
    // Columns in sight in every row of metres first, then what single rows see besides.
    const std::uint64_t* all = view_rows;
    if (resolution > 1) {
        for (int w = first_word; w <= last_word; ++w) {
            std::uint64_t word = view_rows[w];
            for (int j = 1; j < resolution; ++j) word &= view_rows[j * words + w];
            everywhere[w] = word;
        }
        all = everywhere;
    }
    for (int b = sight::nextBit(all, begin, end, 0); b < end;) {
        const int e = sight::nextBit(all, b, end, ~std::uint64_t{0});
        in_sight.add(b - base, e - base, static_cast<std::uint32_t>(resolution));
        b = sight::nextBit(all, e, end, 0);
    }
    for (int j = 0; j < resolution && resolution > 1; ++j) {
        std::uint64_t any = 0;
        for (int w = first_word; w <= last_word; ++w) any |= rest[w] = view_rows[j * words + w] & ~everywhere[w];
        if (any == 0) continue;
        for (int b = sight::nextBit(rest, begin, end, 0); b < end;) {
            const int e = sight::nextBit(rest, b, end, ~std::uint64_t{0});
            in_sight.add(b - base, e - base, 1);
            b = sight::nextBit(rest, e, end, 0);
        }
    }
    return numbers_.data() + kLanes;
}

}  // namespace warpath::threat
