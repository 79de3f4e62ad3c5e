#include "pathfinder/straight_legs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "pathfinder/cell_steps.h"
#include "warpath/core/assert.h"

namespace warpath {
namespace {

/// Nearer than this a line counts as running through a corner [cells].
constexpr double kThroughCorner = 1e-6;
/// Rounding of the sums over a line.
constexpr double kRounding = 1e-9;
/// Turns in a row that no leg reaches before the search for a farther one ends.
constexpr int kMisses = 4;

double priceOf(TileBinding& binding, CellId cell) {
    const CellRef ref = refOf(binding, cell);
    return static_cast<double>(binding.slot(slotOf(ref)).f[localOf(ref)]) * static_cast<double>(kStraightLength);
}

double riseBetween(TileBinding& binding, CellId from, CellId to) {
    if (!binding.pricesElevation()) return 0.0;
    const CellRef a = refOf(binding, from), b = refOf(binding, to);
    return static_cast<double>(binding.riseCost(a, b));
}

}  // namespace

Position StraightLegs::positionOf(std::size_t i) const {
    if (i == 0) return ends_.start;
    if (i + 1 == route_.size() && ends_.goal) return *ends_.goal;
    return centreOfAnchor(binding_->snapshot(), gridXOf(route_[i]), gridYOf(route_[i]), size_);
}

/// Follows the line square by square. @return whether every square can be entered and the line costs no more than `most`.
bool StraightLegs::crosses(Point a, Point b, CellId from, CellId to, double most) {
    TileBinding& binding = *binding_;
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double length = std::sqrt(dx * dx + dy * dy);
    const int sx = dx > 0.0 ? 1 : -1, sy = dy > 0.0 ? 1 : -1;
    const int columns = binding.snapshot().width(), rows = binding.snapshot().height();
    CellId at = from;
    double done = 0.0, cost = 0.0;  // done: share of the line
    while (at != to) {
        const int x = gridXOf(at), y = gridYOf(at);
        // Shares of the line at which it leaves the column and the row.
        const double leaves_x = dx != 0.0 ? (static_cast<double>(sx > 0 ? x + 1 : x) - a.x) / dx : 2.0;
        const double leaves_y = dy != 0.0 ? (static_cast<double>(sy > 0 ? y + 1 : y) - a.y) / dy : 2.0;
        const double leaves = std::min(leaves_x, leaves_y);
        if (leaves > 1.0 + kThroughCorner) return false;  // rounding at the end: the line ends beside its cell
        int step_x = 0, step_y = 0;
        if (std::fabs(leaves_x - leaves_y) * length < kThroughCorner) {
            step_x = sx;
            step_y = sy;
        } else if (leaves_x < leaves_y) {
            step_x = sx;
        } else {
            step_y = sy;
        }
        const int next_x = x + step_x, next_y = y + step_y;
        if (next_x < 0 || next_y < 0 || next_x >= columns || next_y >= rows || !binding.mayStep(refOf(binding, at), directionOf(step_x, step_y))) return false;
        cost += std::max(leaves - done, 0.0) * length * priceOf(binding, at);
        done = std::max(leaves, done);
        const CellId next = cellIdOf(next_x, next_y);
        cost += riseBetween(binding, at, next);
        at = next;
        if (cost > most) return false;
    }
    cost += std::max(1.0 - done, 0.0) * length * priceOf(binding, at);
    return cost <= most;
}

/// The steps along the leg's cells, into `leg_cells_`. @return whether they are legal and cost no more than those they replace.
bool StraightLegs::stepsAlong(std::size_t from, std::size_t to) {
    leg_cells_.clear();
    leg_leads_.clear();
    const std::array<Position, 2> leg{positionOf(from), positionOf(to)};
    rasteriseLegally(*binding_, leg, size_, leg_cells_, leg_leads_);
    const Cell origin = binding_->snapshot().origin();
    Cost cost = 0;
    const Cost most = steps_[to] - steps_[from];
    for (std::size_t i = 0; i < leg_cells_.size(); ++i) {
        leg_cells_[i] = {leg_cells_[i].x - origin.x, leg_cells_[i].y - origin.y};
        if (i == 0) continue;
        const CellId a = cellIdOf(leg_cells_[i - 1].x, leg_cells_[i - 1].y), b = cellIdOf(leg_cells_[i].x, leg_cells_[i].y);
        const int direction = directionBetween(a, b);
        if (direction < 0 || !binding_->mayStep(refOf(*binding_, a), direction)) return false;
        cost += stepCost(*binding_, a, b);
        if (cost > most) return false;
    }
    return true;
}

bool StraightLegs::fits(std::size_t from, std::size_t to) {
    if (to - from > kLongest) return false;
    const double shift = 0.5 - 0.5 * size_;
    const Cell origin = binding_->snapshot().origin();
    const auto pointOf = [&](std::size_t i) {
        const Position p = positionOf(i);
        return Point{static_cast<double>(p.x) + shift - origin.x, static_cast<double>(p.y) + shift - origin.y};
    };
    const double most = (line_[to] - line_[from]) * (1.0 + kRounding) + kRounding;
    return crosses(pointOf(from), pointOf(to), route_[from], route_[to], most) && stepsAlong(from, to);
}

/// Keeps the steps of the route between two of its cells, a turn wherever it turns.
void StraightLegs::keepTo(std::size_t from, std::size_t to) {
    for (std::size_t i = from + 1; i <= to; ++i) {
        out_.push_back(route_[i]);
        if (i != to && directionBetween(route_[i - 1], route_[i]) == directionBetween(route_[i], route_[i + 1])) continue;
        turns_.push_back(static_cast<std::uint32_t>(out_.size() - 1));
        pulled_.push_back(false);
    }
}

void StraightLegs::pull(TileBinding& binding, const RouteEnds& ends, int size, bool diagonals, std::span<const CellId> cells) {
    WARPATH_ASSERT(!cells.empty(), "a route has cells");
    binding_ = &binding;
    ends_ = ends;
    size_ = size;
    route_ = cells;
    out_.assign(1, cells[0]);
    turns_.assign(1, 0);
    pulled_.clear();
    const std::size_t last = cells.size() - 1;
    corners_.assign(1, 0);
    steps_.assign(1, 0);
    line_.assign(1, 0.0);
    for (std::size_t i = 1; i <= last; ++i) {
        const int direction = directionBetween(cells[i - 1], cells[i]);
        steps_.push_back(steps_.back() + stepCost(binding, cells[i - 1], cells[i]));
        const Position a = positionOf(i - 1), b = positionOf(i);
        const double dx = static_cast<double>(b.x) - a.x, dy = static_cast<double>(b.y) - a.y;
        line_.push_back(line_.back() + std::sqrt(dx * dx + dy * dy) * 0.5 * (priceOf(binding, cells[i - 1]) + priceOf(binding, cells[i])) +
                        riseBetween(binding, cells[i - 1], cells[i]));
        if (i == last || direction != directionBetween(cells[i], cells[i + 1])) corners_.push_back(static_cast<std::uint32_t>(i));
    }
    std::size_t at = 0;      // cell of the route where the next leg begins
    std::size_t corner = 1;  // the first of corners_ beyond it
    while (at != last) {
        std::size_t reached = at, next = corner;
        if (diagonals) {
            int misses = 0;
            for (std::size_t c = corner + 1; c < corners_.size() && misses < kMisses && corners_[c] - at <= kLongest; ++c) {
                if (fits(at, corners_[c])) {
                    reached = corners_[c];
                    next = c + 1;
                    misses = 0;
                } else {
                    ++misses;
                }
            }
            // Part of the run to the turn beyond: the farthest cell, as far as halving finds it.
            const std::size_t base = next > corner ? next - 1 : corner;
            if (base + 1 <= corners_.size() - 1) {
                std::size_t low = std::max<std::size_t>(reached, corners_[base]), high = corners_[base + 1];
                while (high - low > 1) {
                    const std::size_t middle = low + (high - low) / 2;
                    if (fits(at, middle)) {
                        reached = low = middle;
                        next = base + 1;
                    } else {
                        high = middle;
                    }
                }
            }
        }
        if (reached != at && fits(at, reached)) {  // once more: leaves its cells in leg_cells_
            for (std::size_t i = 1; i < leg_cells_.size(); ++i) out_.push_back(cellIdOf(leg_cells_[i].x, leg_cells_[i].y));
            turns_.push_back(static_cast<std::uint32_t>(out_.size() - 1));
            pulled_.push_back(true);
            at = reached;
            corner = next;
        } else {
            const std::size_t turn = corners_[corner];
            keepTo(at, turn);
            at = turn;
            ++corner;
        }
    }
    pulled_.push_back(false);
}

}  // namespace warpath
