#include "warpath/search/goal_shape.h"

#include "warpath/core/assert.h"

namespace warpath {

void GoalShape::setCell(int x, int y) {
    kind_ = Kind::Rect;
    x0_ = x1_ = x;
    y0_ = y1_ = y;
}

void GoalShape::setCells(std::span<const CellId> cells) {
    WARPATH_ASSERT(!cells.empty(), "at least one goal cell");
    kind_ = Kind::Cells;
    cells_.assign(cells.begin(), cells.end());
    x0_ = x1_ = gridXOf(cells[0]);
    y0_ = y1_ = gridYOf(cells[0]);
    for (const CellId id : cells) {
        x0_ = std::min(x0_, gridXOf(id));
        x1_ = std::max(x1_, gridXOf(id));
        y0_ = std::min(y0_, gridYOf(id));
        y1_ = std::max(y1_, gridYOf(id));
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
    x0_ = std::max(x0_, 0);
    y0_ = std::max(y0_, 0);
    x1_ = std::min(x1_, width - 1);
    y1_ = std::min(y1_, height - 1);
    return x0_ <= x1_ && y0_ <= y1_;
}

bool GoalShape::containsExactly(int x, int y) const {
    if (kind_ == Kind::Cells) return std::binary_search(cells_.begin(), cells_.end(), cellIdOf(x, y));
    const float dx = static_cast<float>(x) + offset_ - centre_.x, dy = static_cast<float>(y) + offset_ - centre_.y;
    const float squared = dx * dx + dy * dy;
    return squared >= inner_squared_ && squared <= outer_squared_;
}

}  // namespace warpath
