#include "support/slow_grid.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "support/cover_twin.h"

namespace warpath::twin {
namespace {

/// A weight as the library counts it: whole hundredths.
double hundredths(double weight) { return std::floor(weight * 100.0 + 0.5); }
int roundUp(double value) { return static_cast<int>(std::floor(value + 0.5)); }

}  // namespace

SlowGrid::SlowGrid(const WorldSnapshot& snapshot, const PathConstraints& constraints, int side, std::vector<CellRect> exempt)
    : snapshot_(snapshot), wishes_(constraints), side_(side), exempt_(std::move(exempt)), width_(snapshot.width()), height_(snapshot.height()) {
    const DoctrineWeights preset = doctrineWeights(constraints.doctrine);
    size_ = static_cast<int>(std::ceil(2.0f * constraints.unit_radius));
    threat_weight_ = hundredths(static_cast<double>(constraints.threat_weight.value_or(preset.threat)));
    cover_weight_ = hundredths(static_cast<double>(constraints.cover_weight.value_or(preset.cover)));
    exposure_weight_ = hundredths(static_cast<double>(constraints.exposure_weight.value_or(preset.exposure)));
    terrain_weight_ = hundredths(static_cast<double>(constraints.terrain_weight.value_or(preset.terrain)));
    elevation_weight_ = hundredths(static_cast<double>(constraints.elevation_weight.value_or(preset.elevation)));
    wall_weight_ = hundredths(static_cast<double>(constraints.wall_weight));
    wall_distance_ = static_cast<int>(std::floor(constraints.wall_distance));
    prefer_roads_ = constraints.prefer_roads.value_or(preset.prefer_roads);
    avoid_roads_ = constraints.avoid_roads.value_or(preset.avoid_roads);
    const float up = constraints.max_slope, down = constraints.max_slope_down.value_or(up);
    constexpr double kRadians = 3.14159265358979323846 / 180.0;
    limits_rise_ = up < 89.99f;
    limits_drop_ = down < 89.99f;
    if (limits_rise_) max_rise_cm_ = std::tan(static_cast<double>(up) * kRadians) * 100.0;
    if (limits_drop_) max_drop_cm_ = std::tan(static_cast<double>(down) * kRadians) * 100.0;

    blocks_.resize(index(0, height_));
    blocks_always_.resize(blocks_.size());
    terms_.resize(blocks_.size());
    for (int y = 0; y < height_; ++y) {
        for (int x = 0; x < width_; ++x) {
            blocks_[index(x, y)] = cellBlocks(x, y, true) ? 1 : 0;
            blocks_always_[index(x, y)] = cellBlocks(x, y, false) ? 1 : 0;
        }
    }
    for (int y = 0; y < height_; ++y) {
        for (int x = 0; x < width_; ++x) {
            if (fits(x, y)) terms_[index(x, y)] = computeTerms(x, y);
        }
    }
}

bool SlowGrid::cellBlocks(int x, int y, bool heed_exemptions) const {
    const Cell cell{x + snapshot_.origin().x, y + snapshot_.origin().y};
    const auto terrain = static_cast<std::size_t>(snapshot_.terrainAt(cell));
    const WorldRules& rules = snapshot_.rules();
    const float multiplier = rules.unit_classes[static_cast<std::size_t>(wishes_.unit_type)].multipliers[terrain];
    if (multiplier >= 99.0f) return true;
    if (wishes_.avoid_water && rules.terrain_types[terrain].is_water) return true;
    if (snapshot_.obstacleAt(cell) == 0) return false;
    if (!heed_exemptions) return true;
    return std::none_of(exempt_.begin(), exempt_.end(), [&](const CellRect& r) { return r.contains({x, y}); });
}

bool SlowGrid::fits(int x, int y) const {
    for (int j = y; j < y + size_; ++j) {
        for (int i = x; i < x + size_; ++i) {
            if (!inside(i, j) || blocks_[index(i, j)] != 0) return false;
        }
    }
    return true;
}

Cell SlowGrid::middle(int x, int y) const {
    return {std::min(x + (size_ - 1) / 2, width_ - 1), std::min(y + (size_ - 1) / 2, height_ - 1)};
}

std::int32_t SlowGrid::heightCm(int x, int y) const {
    const Cell m = middle(x, y);
    return roundUp(static_cast<double>(snapshot_.elevationAt({m.x + snapshot_.origin().x, m.y + snapshot_.origin().y})) * 100.0);
}

bool SlowGrid::mayStep(int x, int y, int direction) const {
    const int dx = kStepX[direction], dy = kStepY[direction];
    const bool diagonal = dx != 0 && dy != 0;
    if (!fits(x + dx, y + dy)) return false;
    if (diagonal) {
        const bool one = fits(x + dx, y), other = fits(x, y + dy);
        switch (wishes_.diagonal) {
            case DiagonalRule::Strict:
                if (!one || !other) return false;
                break;
            case DiagonalRule::One:
                if (!one && !other) return false;
                break;
            case DiagonalRule::Never: return false;
            case DiagonalRule::Always: break;
        }
    }
    const double length = diagonal ? std::sqrt(2.0) : 1.0;
    const int rise = heightCm(x + dx, y + dy) - heightCm(x, y);
    if (limits_rise_ && rise > roundUp(max_rise_cm_ * length)) return false;
    return !limits_drop_ || -rise <= roundUp(max_drop_cm_ * length);
}

int SlowGrid::groundOf(int terrain) const {
    const WorldRules& rules = snapshot_.rules();
    const float multiplier = rules.unit_classes[static_cast<std::size_t>(wishes_.unit_type)].multipliers[static_cast<std::size_t>(terrain)];
    const double priced = terrain_weight_ * (hundredths(static_cast<double>(multiplier)) - 100.0) / 100.0;
    const int rounded = static_cast<int>(priced < 0 ? -std::floor(-priced + 0.5) : std::floor(priced + 0.5));
    return std::min(100 + rounded, 20'000);  // the terrain part stays within 200
}

SlowTerms SlowGrid::computeTerms(int x, int y) const {
    const WorldRules& rules = snapshot_.rules();
    const Cell origin = snapshot_.origin();
    SlowTerms terms;
    int dearest = -1;
    for (int j = y; j < y + size_; ++j) {
        for (int i = x; i < x + size_; ++i) {
            const auto terrain = static_cast<int>(snapshot_.terrainAt({i + origin.x, j + origin.y}));
            const bool is_road = rules.terrain_types[static_cast<std::size_t>(terrain)].is_road;
            const double added = is_road ? (avoid_roads_ ? static_cast<double>(rules.roads.avoid) : 0.0) : (prefer_roads_ ? static_cast<double>(rules.roads.prefer) : 0.0);
            const int without = std::max(10, groundOf(terrain));
            const int with = std::max(10, groundOf(terrain) + roundUp(added * 100.0));
            if (with <= dearest) continue;
            dearest = with;
            terms.terrain = without - 100;
            terms.road = with - without;
        }
    }
    const Cell m = middle(x, y);
    const Cell world{m.x + origin.x, m.y + origin.y};
    terms.threat = roundUp(threat_weight_ * static_cast<double>(snapshot_.threatAt(side_, world)));
    if (snapshot_.state().has_cover && (cover_weight_ != 0 || exposure_weight_ != 0)) {
        int best = 0;
        for (int j = y; j < y + size_; ++j) {
            for (int i = x; i < x + size_; ++i) {
                if (inside(i, j)) best = std::max(best, int{coverAt(snapshot_, {i + origin.x, j + origin.y}).cover});
            }
        }
        terms.cover = roundUp(cover_weight_ * (100 - best) / 100.0);
        terms.exposure = roundUp(exposure_weight_ * coverAt(snapshot_, world).exposure / 16.0);
    }
    const CongestionChunk* congestion = snapshot_.congestion({m.x >> kChunkShift, m.y >> kChunkShift});
    if (congestion != nullptr) terms.congestion = congestion->value[static_cast<std::size_t>(localIndex(m.x, m.y))];
    if (wall_distance_ > 0 && wall_weight_ > 0) {
        const int distance = wallDistance(x, y, wall_distance_);
        if (distance > 0 && distance <= wall_distance_) {
            // Full price right beside the obstacle, falling in equal steps to nothing one cell beyond the reach; rounded on whole numbers.
            terms.wall = (static_cast<int>(wall_weight_) * (wall_distance_ + 1 - distance) + wall_distance_ / 2) / wall_distance_;
        }
    }
    return terms;
}

int SlowGrid::wallDistance(int x, int y, int reach) const {
    int nearest = reach + 1;
    for (int j = y - reach; j < y + size_ + reach; ++j) {
        for (int i = x - reach; i < x + size_ + reach; ++i) {
            if (!inside(i, j) || blocks_always_[index(i, j)] == 0) continue;
            const int gap_x = i < x ? x - i : std::max(i - (x + size_ - 1), 0);
            const int gap_y = j < y ? y - j : std::max(j - (y + size_ - 1), 0);
            nearest = std::min(nearest, std::max(gap_x, gap_y));
        }
    }
    return nearest;
}

SlowTerms SlowGrid::terms(int x, int y) const { return terms_[index(x, y)]; }

Cost SlowGrid::stepCost(int x, int y, int direction) const {
    const int nx = x + kStepX[direction], ny = y + kStepY[direction];
    const bool diagonal = kStepX[direction] != 0 && kStepY[direction] != 0;
    const auto length = static_cast<Cost>(diagonal ? 577 : 408);
    const double rise = std::abs(static_cast<double>(heightCm(nx, ny)) - static_cast<double>(heightCm(x, y)));
    return length * static_cast<Cost>(terms(nx, ny).f()) + 408 * static_cast<Cost>(std::floor(rise * elevation_weight_ / 100.0 + 0.5));
}

SlowAnswer slowDijkstra(const SlowGrid& grid, Cell start) {
    SlowAnswer answer;
    answer.costs.assign(grid.index(0, grid.height()), kNowhere);
    using Entry = std::pair<Cost, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    answer.costs[grid.index(start.x, start.y)] = 0;
    open.push({0, grid.index(start.x, start.y)});
    while (!open.empty()) {
        const auto [cost, at] = open.top();
        open.pop();
        if (cost > answer.costs[at]) continue;
        const int x = static_cast<int>(at % static_cast<std::size_t>(grid.width())), y = static_cast<int>(at / static_cast<std::size_t>(grid.width()));
        for (int d = 0; d < 8; ++d) {
            if (!grid.mayStep(x, y, d)) continue;
            const Cost next = cost + grid.stepCost(x, y, d);
            Cost& known = answer.costs[grid.index(x + kStepX[d], y + kStepY[d])];
            if (next >= known) continue;
            known = next;
            open.push({next, grid.index(x + kStepX[d], y + kStepY[d])});
        }
    }
    return answer;
}

Cost routeCost(const SlowGrid& grid, const std::vector<Cell>& cells) {
    Cost cost = 0;
    for (std::size_t i = 1; i < cells.size(); ++i) {
        int direction = 0;
        while (direction < 8 && (cells[i - 1].x + kStepX[direction] != cells[i].x || cells[i - 1].y + kStepY[direction] != cells[i].y)) ++direction;
        if (direction == 8 || !grid.mayStep(cells[i - 1].x, cells[i - 1].y, direction)) return kNowhere;
        cost += grid.stepCost(cells[i - 1].x, cells[i - 1].y, direction);
    }
    return cost;
}

std::vector<int> floodRegions(const SlowGrid& grid) {
    // Neighbours in either direction of a legal step.
    std::vector<std::vector<std::size_t>> joined(grid.index(0, grid.height()));
    for (int y = 0; y < grid.height(); ++y) {
        for (int x = 0; x < grid.width(); ++x) {
            if (!grid.fits(x, y)) continue;
            for (int d = 0; d < 8; ++d) {
                if (!grid.mayStep(x, y, d)) continue;
                const std::size_t a = grid.index(x, y), b = grid.index(x + kStepX[d], y + kStepY[d]);
                joined[a].push_back(b);
                joined[b].push_back(a);
            }
        }
    }
    std::vector<int> region(joined.size(), 0);
    int count = 0;
    for (std::size_t first = 0; first < region.size(); ++first) {
        const int x = static_cast<int>(first % static_cast<std::size_t>(grid.width())), y = static_cast<int>(first / static_cast<std::size_t>(grid.width()));
        if (region[first] != 0 || !grid.fits(x, y)) continue;
        region[first] = ++count;
        std::vector<std::size_t> stack{first};
        while (!stack.empty()) {
            const std::size_t at = stack.back();
            stack.pop_back();
            for (const std::size_t next : joined[at]) {
                if (region[next] != 0) continue;
                region[next] = count;
                stack.push_back(next);
            }
        }
    }
    return region;
}

}  // namespace warpath::twin
