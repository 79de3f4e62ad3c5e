#include "support/textbook_astar.h"

#include <algorithm>
#include <cmath>

#include "warpath/core/directions.h"

namespace warpath::testing {
namespace {

constexpr double kSqrt2 = 1.4142135623730951;

double octile(Cell a, Cell b) {
    const int dx = std::abs(a.x - b.x), dy = std::abs(a.y - b.y);
    return std::max(dx, dy) + (kSqrt2 - 1.0) * std::min(dx, dy);
}

}  // namespace

FlatGrid flatGridOf(const WorldSnapshot& snapshot, const PathConstraints& constraints) {
    FlatGrid grid;
    grid.width = snapshot.width();
    grid.height = snapshot.height();
    const UnitClass& unit = snapshot.rules().unit_classes[static_cast<std::size_t>(constraints.unit_type)];
    const double weight = constraints.terrain_weight.value_or(doctrineWeights(constraints.doctrine).terrain);
    for (int y = 0; y < grid.height; ++y) {
        for (int x = 0; x < grid.width; ++x) {
            const Cell c{snapshot.origin().x + x, snapshot.origin().y + y};
            const float multiplier = unit.multipliers[static_cast<std::size_t>(snapshot.terrainAt(c))];
            const bool blocked = multiplier >= kImpassable || obstacleKind(snapshot.obstacleAt(c)) != ObstacleKind::None;
            grid.blocked.push_back(blocked ? 1 : 0);
            grid.cost.push_back(std::max(0.1, 1.0 + weight * (static_cast<double>(multiplier) - 1.0)));
        }
    }
    return grid;
}

TextbookAStar::TextbookAStar(const FlatGrid& grid) : grid_(grid), nodes_(grid.blocked.size()) {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < grid.cost.size(); ++i)
        if (grid.blocked[i] == 0) smallest = std::min(smallest, grid.cost[i]);
    if (std::isfinite(smallest)) smallest_cost_ = smallest;
}

std::optional<TextbookAStar::Answer> TextbookAStar::run(Cell start, Cell goal) {
    expansions_ = 0;
    open_ = {};
    ++stamp_;
    if (!grid_.isFree(start.x, start.y) || !grid_.isFree(goal.x, goal.y)) return std::nullopt;
    const auto first = static_cast<std::uint32_t>(grid_.index(start)), last = static_cast<std::uint32_t>(grid_.index(goal));
    nodes_[first] = {0.0, stamp_, first, false};
    open_.push({octile(start, goal) * smallest_cost_, 0.0, first});
    while (!open_.empty()) {
        const Entry entry = open_.top();
        open_.pop();
        Node& node = nodes_[entry.cell];
        if (node.closed || entry.g > node.g) continue;
        node.closed = true;
        ++expansions_;
        if (entry.cell == last) break;
        const Cell at{static_cast<std::int32_t>(entry.cell % static_cast<std::uint32_t>(grid_.width)),
                      static_cast<std::int32_t>(entry.cell / static_cast<std::uint32_t>(grid_.width))};
        for (int d = 0; d < kDirections; ++d) {
            const Cell to{at.x + kStepX[d], at.y + kStepY[d]};
            if (!grid_.isFree(to.x, to.y)) continue;
            if (isDiagonal(d) && (!grid_.isFree(to.x, at.y) || !grid_.isFree(at.x, to.y))) continue;
            const auto next = static_cast<std::uint32_t>(grid_.index(to));
            const double g = node.g + (isDiagonal(d) ? kSqrt2 : 1.0) * grid_.cost[next];
            Node& other = nodes_[next];
            if (other.stamp == stamp_ && (other.closed || other.g <= g)) continue;
            other = {g, stamp_, entry.cell, false};
            open_.push({g + octile(to, goal) * smallest_cost_, g, next});
        }
    }
    if (nodes_[last].stamp != stamp_ || !nodes_[last].closed) return std::nullopt;
    Answer answer{nodes_[last].g, {}};
    for (std::uint32_t cell = last;; cell = nodes_[cell].parent) {
        answer.cells.push_back({static_cast<std::int32_t>(cell % static_cast<std::uint32_t>(grid_.width)),
                                static_cast<std::int32_t>(cell / static_cast<std::uint32_t>(grid_.width))});
        if (cell == first) break;
    }
    std::reverse(answer.cells.begin(), answer.cells.end());
    return answer;
}

}  // namespace warpath::testing
