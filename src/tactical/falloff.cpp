#include "tactical/falloff.h"

#include <algorithm>
#include <cmath>

#include "tactical/threat_kernels.h"

namespace warpath::threat {
namespace {

constexpr std::size_t kNumbersKept = 65536;

std::uint32_t rounded(double value) { return static_cast<std::uint32_t>(std::floor(value + 0.5)); }

/// From the centre of the source's cell to the centre of a threat cell [m]; exact in half metres before the root.
double distanceTo(const Falloff& f, int x, int y) {
    const auto halves = [&](int cell, int phase) { return (2 * cell + 1) * f.resolution - (2 * phase + 1); };
    const std::int64_t dx = halves(x, f.phase_x), dy = halves(y, f.phase_y);
    return std::sqrt(static_cast<double>(dx * dx + dy * dy)) / 2.0;
}

/// Appends the numbers of a row with the zeros around it. @return where its first column stands.
std::size_t append(const Falloff& f, const FalloffRow& row, int y, RowScratch& out) {
    const std::size_t begin = out.hidden.size() + kLanes, end = begin + static_cast<std::size_t>(row.count) + kLanes;
    for (std::vector<std::uint32_t>* list : {&out.full, &out.hidden, &out.unit, &out.open}) list->resize(end, 0);
    const double metres = static_cast<double>(f.resolution * f.resolution);
    for (int i = 0; i < row.count; ++i) {
        const double value = f.power * (1.0 - distanceTo(f, row.first + i, y) / f.reach);
        const auto k = begin + static_cast<std::size_t>(i);
        out.hidden[k] = rounded(value * f.hidden_share);
        out.unit[k] = rounded(value * (1.0 - f.hidden_share) / metres);
        out.open[k] = out.unit[k] * static_cast<std::uint32_t>(f.resolution * f.resolution);
        out.full[k] = out.hidden[k] + out.open[k];
    }
    return begin;
}

RowNumbers numbersAt(const RowScratch& from, std::size_t begin) {
    return {from.full.data() + begin, from.hidden.data() + begin, from.unit.data() + begin, from.open.data() + begin};
}

/// The columns of a row that are reached: from the source's column outwards distances only grow.
FalloffRow reachOf(const Falloff& f, int y, int radius) {
    FalloffRow row;
    if (!(distanceTo(f, 0, y) < f.reach)) return row;
    const auto farthest = [&](int step) {
        int inside = 0, outside = radius + 1;
        while (outside - inside > 1) {
            const int middle = (inside + outside) / 2;
            (distanceTo(f, step * middle, y) < f.reach ? inside : outside) = middle;
        }
        return inside;
    };
    row.first = -farthest(-1);
    row.count = farthest(1) - row.first + 1;
    return row;
}

}  // namespace

RowNumbers Falloff::row(std::size_t i, RowScratch& scratch) const {
    if (kept) return numbersAt(numbers, static_cast<std::size_t>(rows[i].offset));
    for (std::vector<std::uint32_t>* list : {&scratch.full, &scratch.hidden, &scratch.unit, &scratch.open}) list->clear();
    return numbersAt(scratch, append(*this, rows[i], first_row + static_cast<int>(i), scratch));
}

std::shared_ptr<const Falloff> makeFalloff(float range, float firepower, int phase_x, int phase_y, int resolution, float hidden_factor) {
    auto made = std::make_shared<Falloff>();
    made->reach = static_cast<double>(range);
    made->power = static_cast<double>(firepower) * kUnitsPerThreat;
    made->hidden_share = static_cast<double>(hidden_factor);
    made->resolution = resolution;
    made->phase_x = phase_x;
    made->phase_y = phase_y;
    const int radius = static_cast<int>(std::ceil(made->reach)) / resolution + 2;  // threat cells, generously
    made->first_row = -radius;
    made->left = made->top = radius + 1;
    made->right = made->bottom = -radius;
    std::size_t numbers = 0;
    for (int y = -radius; y <= radius; ++y) {
        made->rows.push_back(reachOf(*made, y, radius));
        const FalloffRow& row = made->rows.back();
        if (row.count == 0) continue;
        numbers += static_cast<std::size_t>(row.count) + 2 * kLanes;
        made->left = std::min(made->left, row.first);
        made->right = std::max(made->right, row.first + row.count);
        made->top = std::min(made->top, y);
        made->bottom = std::max(made->bottom, y + 1);
    }
    if (made->left < made->right) {  // the farthest metre from the source's cell
        made->view_radius = std::max({-(made->left * resolution - phase_x), made->right * resolution - 1 - phase_x,
                                      -(made->top * resolution - phase_y), made->bottom * resolution - 1 - phase_y});
    }
    made->kept = numbers <= kNumbersKept;
    if (made->kept) {
        for (std::vector<std::uint32_t>* list : {&made->numbers.full, &made->numbers.hidden, &made->numbers.unit, &made->numbers.open}) list->reserve(numbers);
        for (std::size_t i = 0; i < made->rows.size(); ++i) {
            FalloffRow& row = made->rows[i];
            if (row.count != 0) row.offset = static_cast<std::int32_t>(append(*made, row, made->first_row + static_cast<int>(i), made->numbers));
        }
    }
    return made;
}

}  // namespace warpath::threat
