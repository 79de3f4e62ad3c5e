#include "warpath/search/goal_shape.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "warpath/core/assert.h"

namespace warpath {
namespace {

bool beforeByRow(Cell a, Cell b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }

}  // namespace

void GoalShape::setCell(int x, int y) {
    kind_ = Kind::Rect;
    x0_ = x1_ = x;
    y0_ = y1_ = y;
}

void GoalShape::setCells(std::span<const CellId> cells) {
    cells_.clear();
    for (const CellId id : cells) cells_.push_back({gridXOf(id), gridYOf(id)});
    setPlacesBounds();
}

void GoalShape::setPlaces(std::span<const Cell> cells) {
    cells_.assign(cells.begin(), cells.end());
    setPlacesBounds();
}

void GoalShape::setPlacesBounds() {
    WARPATH_ASSERT(!cells_.empty(), "at least one goal cell");
    kind_ = Kind::Cells;
    x0_ = x1_ = cells_[0].x;
    y0_ = cells_.front().y;
    y1_ = cells_.back().y;
    for (const Cell c : cells_) {
        x0_ = std::min(x0_, c.x);
        x1_ = std::max(x1_, c.x);
    }
}

void GoalShape::setRect(const CellRect& rect) {
    kind_ = Kind::Rect;
    x0_ = rect.x;
    y0_ = rect.y;
    x1_ = rect.x + rect.width - 1;
    y1_ = rect.y + rect.height - 1;
}

void GoalShape::setRing(Position centre, float inner, float outer, float offset) {
    kind_ = Kind::Ring;
    centre_ = centre;
    inner_squared_ = inner * inner;
    outer_squared_ = outer * outer;
    offset_ = offset;
    x0_ = floorToInt(centre.x - offset - outer);
    y0_ = floorToInt(centre.y - offset - outer);
    x1_ = floorToInt(centre.x - offset + outer) + 1;
    y1_ = floorToInt(centre.y - offset + outer) + 1;
}

bool GoalShape::clip(int width, int height) {
    const int x0 = std::max(x0_, 0), y0 = std::max(y0_, 0), x1 = std::min(x1_, width - 1), y1 = std::min(y1_, height - 1);
    if (x0 > x1 || y0 > y1) return false;
    x0_ = x0;
    y0_ = y0;
    x1_ = x1;
    y1_ = y1;
    return true;
}

bool GoalShape::containsExactly(int x, int y) const {
    if (kind_ == Kind::Cells) return std::binary_search(cells_.begin(), cells_.end(), Cell{x, y}, beforeByRow);
    const float dx = static_cast<float>(x) + offset_ - centre_.x, dy = static_cast<float>(y) + offset_ - centre_.y;
    const float squared = dx * dx + dy * dy;
    return squared >= inner_squared_ && squared <= outer_squared_;
}

double GoalShape::distance(int x, int y) const {
    if (kind_ == Kind::Ring) {
        const double dx = static_cast<double>(x) + static_cast<double>(offset_) - static_cast<double>(centre_.x);
        const double dy = static_cast<double>(y) + static_cast<double>(offset_) - static_cast<double>(centre_.y);
        const double from_centre = std::sqrt(dx * dx + dy * dy);
        return std::max({0.0, from_centre - std::sqrt(static_cast<double>(outer_squared_)), std::sqrt(static_cast<double>(inner_squared_)) - from_centre});
    }
    std::int64_t squared = 0;
    if (kind_ == Kind::Rect) {
        const std::int64_t dx = std::max(std::max(x0_ - x, x - x1_), 0), dy = std::max(std::max(y0_ - y, y - y1_), 0);
        squared = dx * dx + dy * dy;
    } else {
        squared = INT64_MAX;
        const auto middle = std::lower_bound(cells_.begin(), cells_.end(), Cell{x, y}, beforeByRow);
        // From here a run of cells lies below and one above; each ends as soon as the rows alone are too far away.
        const auto look = [&](Cell c) {
            const std::int64_t dx = c.x - x, dy = c.y - y;
            squared = std::min(squared, dx * dx + dy * dy);
            return dy * dy <= squared;
        };
        for (auto it = middle; it != cells_.end() && look(*it); ++it) {}
        for (auto it = middle; it != cells_.begin() && look(*std::prev(it)); --it) {}
    }
    return std::sqrt(static_cast<double>(squared));
}

}  // namespace warpath
