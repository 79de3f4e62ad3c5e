#include "tactical/horizon_view.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace warpath::sight {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr double kMargin = 1.0 / (1 << 24);
constexpr std::size_t kTablesKept = 6;

bool below(Slope a, Slope b) { return std::int64_t{a.n} * b.d < std::int64_t{b.n} * a.d; }

/// Raises the horizon to `slope` for the directions of a cell.
void raise(double* horizon, std::uint32_t first, std::uint32_t last, double slope) {
    for (std::uint32_t r = first; r < last; ++r) horizon[r] = horizon[r] < slope ? slope : horizon[r];
}

/// One octant: rows at `along` cells of the window apart, columns at `across`. Calls seen(x, y) for what is visible off the diagonal.
template <class Seen>
void castOctant(const HeightWindow& h, const HorizonTable& table, int along, int across, HorizonScratch& scratch, Seen&& seen) {
    const int side = 2 * h.radius + 3, centre = (h.radius + 1) * side + h.radius + 1;
    scratch.horizon.assign(table.directions, kNone);
    scratch.left.assign(table.directions, kNone);
    scratch.right.assign(table.directions, kNone);
    double* horizon = scratch.horizon.data();
    double* left = scratch.left.data();
    double* right = scratch.right.data();
    std::uint32_t touch = 0;
    for (int y = 1; y <= h.radius; ++y) {
        const int base = centre + y * along;
        const std::size_t cells = static_cast<std::size_t>(y) * static_cast<std::size_t>(y + 1) / 2;
        const double inverse = 1.0 / y;
        for (int x = 0; x < y; ++x) {
            const std::uint32_t r = table.rank[cells + static_cast<std::size_t>(x)];
            const double slope = (h.grounds[static_cast<std::size_t>(base + x * across)] + h.target - h.eye) * inverse - kMargin;
            const double gap = left[r] < right[r] ? left[r] : right[r];
            if (horizon[r] < slope && gap < slope) seen(x, y);
        }
        for (int x = 0; x <= y; ++x) {
            const double slope = (h.tops[static_cast<std::size_t>(base + x * across)] - h.eye) * inverse;
            raise(horizon, table.first[cells + static_cast<std::size_t>(x)], table.last[cells + static_cast<std::size_t>(x)], slope);
        }
        for (; touch < table.touches_end[static_cast<std::size_t>(y)]; ++touch) {
            const HorizonTable::Touch& t = table.touches[touch];
            const int rise = h.tops[static_cast<std::size_t>(base + static_cast<int>(t.across) * across)] - h.eye;
            const double slope = 2.0 * rise / (t.cell_is_left ? 2 * y - 1 : 2 * y + 1);
            double& highest = t.cell_is_left ? left[t.rank] : right[t.rank];
            highest = std::max(highest, slope);
        }
    }
}

/// A diagonal: calls seen(y) for what is visible on it.
template <class Seen>
void castDiagonal(const HeightWindow& h, int along, int across, Seen&& seen) {
    const int side = 2 * h.radius + 3, centre = (h.radius + 1) * side + h.radius + 1;
    const auto rise = [&](int x, int y) { return static_cast<double>(h.tops[static_cast<std::size_t>(centre + y * along + x * across)] - h.eye); };
    double horizon = kNone, left = kNone, right = kNone;
    for (int y = 1; y <= h.radius; ++y) {
        left = std::max(left, 2.0 * rise(y - 1, y) / (2 * y - 1));
        right = std::max(right, 2.0 * rise(y, y - 1) / (2 * y - 1));
        const double slope = static_cast<double>(h.grounds[static_cast<std::size_t>(centre + y * (along + across))] + h.target - h.eye) / y - kMargin;
        if (horizon < slope && std::min(left, right) < slope) seen(y);
        horizon = std::max(horizon, rise(y, y) / y);
    }
}

}  // namespace

void HorizonTable::prepare(int new_radius) {
    if (radius == new_radius) return;
    radius = new_radius;
    std::vector<Slope> slopes;
    for (int d = 1; d <= radius; ++d) {
        for (int n = d == 1 ? 0 : 1; n <= d; ++n) {
            if (std::gcd(n, d) == 1) slopes.push_back({n, d});
        }
    }
    std::sort(slopes.begin(), slopes.end(), below);  // all distinct
    directions = static_cast<std::uint32_t>(slopes.size());
    const auto lower = [&](Slope s) { return static_cast<std::uint32_t>(std::lower_bound(slopes.begin(), slopes.end(), s, below) - slopes.begin()); };
    const auto upper = [&](Slope s) { return static_cast<std::uint32_t>(std::upper_bound(slopes.begin(), slopes.end(), s, below) - slopes.begin()); };
    rank.assign(1, 0);
    first.assign(1, 0);
    last.assign(1, 0);
    touches.clear();
    touches_end.assign(1, 0);
    for (int y = 1; y <= radius; ++y) {
        for (int x = 0; x <= y; ++x) {
            const Slope from{2 * x - 1, x > 0 ? 2 * y + 1 : 2 * y - 1}, to{2 * x + 1, 2 * y - 1};
            rank.push_back(lower({x, y}));
            first.push_back(upper(from));
            last.push_back(lower(to));
            const auto touched = [&](Slope s, bool cell_is_left) {
                const std::uint32_t r = lower(s);
                const bool is_direction = r < directions && !below(s, slopes[r]);
                if (is_direction && s.n > 0 && s.n < s.d) touches.push_back({r, static_cast<std::uint32_t>(x), cell_is_left});
            };
            touched(from, false);
            touched(to, true);
        }
        touches_end.push_back(static_cast<std::uint32_t>(touches.size()));
    }
}

void castHorizons(const HeightWindow& heights, HorizonScratch& scratch, BitWindow& out) {
    auto table = std::find_if(scratch.tables.begin(), scratch.tables.end(), [&](const HorizonTable& t) { return t.radius == heights.radius; });
    if (table == scratch.tables.end()) {
        if (scratch.tables.size() >= kTablesKept) scratch.tables.erase(scratch.tables.begin());
        table = scratch.tables.insert(scratch.tables.end(), HorizonTable{});
        table->prepare(heights.radius);
    }
    out.reset(heights.radius);
    out.set(0, 0);
    const int side = 2 * heights.radius + 3;
    for (int sy = -1; sy <= 1; sy += 2) {
        for (int sx = -1; sx <= 1; sx += 2) {
            castOctant(heights, *table, sy * side, sx, scratch, [&](int x, int y) { out.set(sx * x, sy * y); });
            castOctant(heights, *table, sx, sy * side, scratch, [&](int x, int y) { out.set(sx * y, sy * x); });
            castDiagonal(heights, sy * side, sx, [&](int y) { out.set(sx * y, sy * y); });
        }
    }
}

}  // namespace warpath::sight
