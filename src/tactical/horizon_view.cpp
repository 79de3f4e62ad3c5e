#include "tactical/horizon_view.h"

#include <algorithm>
#include <array>
#include <limits>

namespace warpath::sight {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr double kMargin = 1.0 / (1 << 24);
constexpr std::size_t kTablesKept = 6;
constexpr std::size_t kTableBytesKept = std::size_t{8} << 20;
constexpr std::uint32_t kBlock = 64;         // directions
constexpr std::int64_t kBlockLook = 4;       // steps that looking at a block takes
constexpr std::int64_t kStepsPerCell = 2;    // raising so many directions takes as long as looking at a cell

using Direction = HorizonTable::Direction;

/// Whether direction a lies below (or at) the slope n / d, d > 0.
bool below(Direction a, std::int64_t n, std::int64_t d) { return a.n * d < n * a.d; }
bool notAbove(Direction a, std::int64_t n, std::int64_t d) { return a.n * d <= n * a.d; }

/// Raises the horizon to `slope` for the directions of a cell. @return how many were looked at.
std::int64_t raise(double* horizon, double* lowest, std::uint32_t first, std::uint32_t last, double slope) {
    std::int64_t steps = 0;
    while (first < last) {
        const std::uint32_t block = first / kBlock, end = std::min(last, (block + 1) * kBlock);
        if (lowest[block] < slope) {
            for (std::uint32_t r = first; r < end; ++r) horizon[r] = horizon[r] < slope ? slope : horizon[r];
            if (end - first == kBlock) lowest[block] = slope;
            steps += end - first;
        }
        steps += kBlockLook;
        first = end;
    }
    return steps;
}

/// A way through the window: steps in its arrays and how far it goes.
struct Way {
    int along = 0, across = 0;    // steps
    int depth = 0, breadth = 0;   // cells
};

/// One row of an octant. Calls seen(x) for what is visible off the diagonal. @return what it took, in cells.
template <class Seen>
std::int64_t castRow(const HeightWindow& h, const HorizonTable& table, const Way& way, int y, HorizonScratch& scratch, Seen&& seen) {
    double* horizon = scratch.horizon.data();
    double* left = scratch.left.data();
    double* right = scratch.right.data();
    const int centre = h.centre(), base = centre + y * way.along;
    const std::size_t cells = HorizonTable::cellAt(0, y);
    const double inverse = 1.0 / y;
    const auto rise = [&](int x, int row) { return h.tops[static_cast<std::size_t>(centre + row * way.along + x * way.across)] - h.eye; };
    const int last = std::min(y, way.breadth);
    for (int x = 0; x <= last && x < y; ++x) {
        const std::uint32_t r = table.rank[cells + static_cast<std::size_t>(x)];
        const Direction direction = table.directions[r];
        const double slope = (h.grounds[static_cast<std::size_t>(base + x * way.across)] + h.target - h.eye) * inverse - kMargin;
        if ((direction.n & direction.d & 1) != 0) {  // half way from the cell before on this line, it touches the corner (n / 2, d / 2) of two cells
            const int n = 2 * x - direction.n, d = 2 * y - direction.d;
            left[r] = std::max(left[r], 2.0 * rise((n - 1) / 2, (d + 1) / 2) / d);
            right[r] = std::max(right[r], 2.0 * rise((n + 1) / 2, (d - 1) / 2) / d);
            if (!((left[r] < right[r] ? left[r] : right[r]) < slope)) continue;
        }
        if (horizon[r] < slope) seen(x);
    }
    std::int64_t steps = 0;
    for (int x = 0; x <= last; ++x) {
        const double slope = (h.tops[static_cast<std::size_t>(base + x * way.across)] - h.eye) * inverse;
        steps += raise(horizon, scratch.lowest.data(), table.first[cells + static_cast<std::size_t>(x)], table.last[cells + static_cast<std::size_t>(x)], slope);
    }
    return 6 * last + 8 + steps / kStepsPerCell;
}

/// A diagonal: calls seen(y) for what is visible on it.
template <class Seen>
void castDiagonal(const HeightWindow& h, const Way& way, Seen&& seen) {
    const int centre = h.centre(), end = std::min(way.depth, way.breadth);
    const auto rise = [&](int x, int y) { return static_cast<double>(h.tops[static_cast<std::size_t>(centre + y * way.along + x * way.across)] - h.eye); };
    double horizon = kNone, left = kNone, right = kNone;
    for (int y = 1; y <= end; ++y) {
        left = std::max(left, 2.0 * rise(y - 1, y) / (2 * y - 1));
        right = std::max(right, 2.0 * rise(y, y - 1) / (2 * y - 1));
        const double slope = static_cast<double>(h.grounds[static_cast<std::size_t>(centre + y * (way.along + way.across))] + h.target - h.eye) / y - kMargin;
        if (horizon < slope && std::min(left, right) < slope) seen(y);
        horizon = std::max(horizon, rise(y, y) / y);
    }
}

}  // namespace

void HorizonTable::begin(int new_radius) {
    radius = new_radius;
    ready = false;
    const auto r = static_cast<std::size_t>(radius);
    directions.clear();
    directions.reserve(r * r / 3 + r + 2);  // 3 / pi^2 of the square
    directions.push_back({0, 1});
    next = {1, static_cast<std::uint16_t>(std::max(radius, 1))};
    rank.assign(cellAt(0, radius + 1), 0);
    first.assign(rank.size(), 0);
    last.assign(rank.size(), 0);
    shares = r * r / 4 + 1;
    starts.assign(shares + 2, 0);
    shares_begun = 1;
    rows = 0;
}

std::uint32_t HorizonTable::startOf(std::int64_t n, std::int64_t d) const {
    const std::int64_t share = n * static_cast<std::int64_t>(shares) / d;
    return starts[static_cast<std::size_t>(std::min(share, static_cast<std::int64_t>(shares) + 1))];
}

bool HorizonTable::advance(std::int64_t& left) {
    if (ready) return true;
    // The slopes in lowest terms in their order (the Farey series), from 0 to 1.
    while (rows == 0 && left > 0) {
        const Direction previous = directions.back(), now = next;
        const auto r = static_cast<std::uint32_t>(directions.size());
        directions.push_back(now);
        for (int k = 1; k * now.d <= radius; ++k) rank[cellAt(k * now.n, k * now.d)] = r;
        const std::size_t share = now.n * shares / now.d;
        while (shares_begun <= share) starts[shares_begun++] = r;
        left -= 8;
        if (now.n == now.d) {
            while (shares_begun < starts.size()) starts[shares_begun++] = r + 1;
            rows = 1;
            break;
        }
        const int k = (radius + previous.d) / now.d;
        next = {static_cast<std::uint16_t>(k * now.n - previous.n), static_cast<std::uint16_t>(k * now.d - previous.d)};
    }
    const auto count = static_cast<std::uint32_t>(directions.size());
    for (; rows != 0 && rows <= radius && left > 0; ++rows) {
        for (int x = 0; x <= rows; ++x) {
            const std::int64_t from_n = 2 * x - 1, from_d = 2 * rows + 1, to_n = 2 * x + 1, to_d = 2 * rows - 1;
            std::uint32_t begin = 0;
            if (from_n > 0) {
                begin = startOf(from_n, from_d);
                while (begin < count && notAbove(directions[begin], from_n, from_d)) ++begin;
            }
            std::uint32_t end = startOf(to_n, to_d);
            while (end < count && below(directions[end], to_n, to_d)) ++end;
            first[cellAt(x, rows)] = begin;
            last[cellAt(x, rows)] = end;
        }
        left -= 20 * (rows + 1);
    }
    if (rows <= radius || rows == 0) return false;
    starts.clear();
    starts.shrink_to_fit();
    ready = true;
    return true;
}

void beginHorizons(const HeightWindow& heights, HorizonScratch& scratch, BitWindow& out) {
    std::vector<HorizonTable>& tables = scratch.tables;
    auto table = std::find_if(tables.begin(), tables.end(), [&](const HorizonTable& t) { return t.radius == heights.radius; });
    if (table == tables.end()) {
        std::size_t bytes = 0;
        for (const HorizonTable& t : tables) bytes += t.bytes();
        while (!tables.empty() && (tables.size() >= kTablesKept || bytes > kTableBytesKept)) {
            bytes -= tables.front().bytes();
            tables.erase(tables.begin());
        }
        table = tables.insert(tables.end(), HorizonTable{});
        table->begin(heights.radius);
    }
    scratch.table = static_cast<std::size_t>(table - tables.begin());
    scratch.part = scratch.row = 0;
    out.reset(heights.radius);
    out.set(0, 0);
}

bool continueHorizons(const HeightWindow& h, HorizonScratch& scratch, BitWindow& out, std::int64_t& left) {
    HorizonTable& table = scratch.tables[scratch.table];
    if (h.radius > 0 && !table.advance(left)) return false;
    const std::array<int, 2> steps{1, h.stride()};                                     // east, south
    const std::array<std::array<int, 2>, 2> reach{{{h.extents.west, h.extents.east}, {h.extents.north, h.extents.south}}};
    while (scratch.part < 12 && left > 0) {
        const int sx = (scratch.part & 1) != 0 ? 1 : -1, sy = (scratch.part & 2) != 0 ? 1 : -1;
        const bool by_columns = (scratch.part & 4) != 0;  // the octant runs along x
        const int across_x = reach[0][sx > 0 ? 1 : 0], across_y = reach[1][sy > 0 ? 1 : 0];
        const Way rows{sy * steps[1], sx * steps[0], across_y, across_x};
        if (scratch.part >= 8) {
            castDiagonal(h, rows, [&](int y) { out.set(sx * y, sy * y); });
            left -= 8 + 4 * h.radius;
            ++scratch.part;
            continue;
        }
        const Way way = by_columns ? Way{sx * steps[0], sy * steps[1], across_x, across_y} : rows;
        if (scratch.row == 0) {
            scratch.horizon.assign(table.directions.size(), kNone);
            scratch.left.assign(table.directions.size(), kNone);
            scratch.right.assign(table.directions.size(), kNone);
            scratch.lowest.assign(table.directions.size() / kBlock + 1, kNone);
            scratch.row = 1;
            left -= static_cast<std::int64_t>(table.directions.size());
        }
        for (; scratch.row <= std::min(way.depth, h.radius) && left > 0; ++scratch.row) {
            const int y = scratch.row;
            if (by_columns) left -= castRow(h, table, way, y, scratch, [&](int x) { out.set(sx * y, sy * x); });
            else left -= castRow(h, table, way, y, scratch, [&](int x) { out.set(sx * x, sy * y); });
        }
        if (scratch.row > std::min(way.depth, h.radius)) {
            ++scratch.part;
            scratch.row = 0;
        }
    }
    return scratch.part >= 12;
}

}  // namespace warpath::sight
