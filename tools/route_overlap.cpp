#include "route_overlap.h"

#include <algorithm>
#include <vector>

#include "warpath/tactical/sight.h"

namespace warpath::tool {
namespace {

constexpr int kReach = 3;  // [cells]

}  // namespace

double routeOverlap(const WorldSnapshot& snapshot, const Path& route, const Path& other) {
    const std::size_t skip = route.cells.size() * 15 / 100;
    if (route.cells.size() <= 2 * skip) return 0.0;
    std::vector<Cell> sorted = other.cells;
    std::sort(sorted.begin(), sorted.end(), [](Cell a, Cell b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    std::size_t near = 0, counted = 0;
    for (std::size_t i = skip; i < route.cells.size() - skip; ++i, ++counted) {
        const Cell c = route.cells[i];
        bool found = false;
        for (int y = c.y - kReach; y <= c.y + kReach && !found; ++y) {
            auto at = std::lower_bound(sorted.begin(), sorted.end(), Cell{c.x - kReach, y},
                                       [](Cell a, Cell b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
            for (; at != sorted.end() && at->y == y && at->x <= c.x + kReach && !found; ++at) {
                const int dx = at->x - c.x, dy = at->y - c.y;
                found = dx * dx + dy * dy <= kReach * kReach && lineOfSight(snapshot, c, *at, {});
            }
        }
        if (found) ++near;
    }
    return static_cast<double>(near) / static_cast<double>(counted);
}

}  // namespace warpath::tool
