#include "tactical/falloff.h"

#include <algorithm>
#include <cmath>

#include "tactical/threat_kernels.h"

namespace warpath::threat {
namespace {

std::uint32_t rounded(double value) { return static_cast<std::uint32_t>(std::floor(value + 0.5)); }

}  // namespace

std::shared_ptr<const Falloff> makeFalloff(float range, float firepower, int phase_x, int phase_y, int resolution, float hidden_factor) {
    auto made = std::make_shared<Falloff>();
    made->range = range;
    made->firepower = firepower;
    made->phase_x = phase_x;
    made->phase_y = phase_y;
    const double reach = static_cast<double>(range), power = static_cast<double>(firepower) * kUnitsPerThreat;
    const double hidden = static_cast<double>(hidden_factor), metres = static_cast<double>(resolution * resolution);
    const int radius = static_cast<int>(std::ceil(reach)) / resolution + 2;  // threat cells, generously
    made->first_row = -radius;
    // Distances in half metres from the centre of the source's cell to centres of threat cells.
    const auto halves = [&](int cell, int phase) { return (2 * cell + 1) * resolution - (2 * phase + 1); };
    for (int y = -radius; y <= radius; ++y) {
        const std::int64_t dy = halves(y, phase_y);
        FalloffRow row;
        const std::size_t begin = made->hidden.size();
        for (int x = -radius; x <= radius; ++x) {
            const std::int64_t dx = halves(x, phase_x);
            const double distance = std::sqrt(static_cast<double>(dx * dx + dy * dy)) / 2.0;
            if (distance >= reach) continue;
            if (row.count == 0) {
                row.first = x;
                made->hidden.resize(begin + kLanes, 0);
                made->unit.resize(begin + kLanes, 0);
                row.offset = static_cast<std::int32_t>(begin + kLanes);
            }
            ++row.count;
            const double value = power * (1.0 - distance / reach);
            made->hidden.push_back(rounded(value * hidden));
            made->unit.push_back(rounded(value * (1.0 - hidden) / metres));
        }
        if (row.count != 0) {
            made->hidden.resize(made->hidden.size() + kLanes, 0);
            made->unit.resize(made->unit.size() + kLanes, 0);
        }
        made->rows.push_back(row);
    }
    const std::size_t numbers = made->hidden.size();
    made->full.resize(numbers);
    made->open.resize(numbers);
    for (std::size_t i = 0; i < numbers; ++i) {
        made->open[i] = made->unit[i] * static_cast<std::uint32_t>(resolution * resolution);
        made->full[i] = made->hidden[i] + made->open[i];
    }
    made->left = made->top = radius + 1;
    made->right = made->bottom = -radius;
    for (std::size_t i = 0; i < made->rows.size(); ++i) {
        const FalloffRow& row = made->rows[i];
        if (row.count == 0) continue;
        const int y = made->first_row + static_cast<int>(i);
        made->left = std::min(made->left, row.first);
        made->right = std::max(made->right, row.first + row.count);
        made->top = std::min(made->top, y);
        made->bottom = std::max(made->bottom, y + 1);
    }
    if (made->left < made->right) {  // the farthest metre from the source's cell
        made->view_radius = std::max({-(made->left * resolution - phase_x), made->right * resolution - 1 - phase_x,
                                      -(made->top * resolution - phase_y), made->bottom * resolution - 1 - phase_y});
    }
    return made;
}

}  // namespace warpath::threat
