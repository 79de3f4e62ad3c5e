// A goal in grid cells: membership and the bound that leads a search to it.
//
//   GoalShape goal;
//   goal.setCell(x, y);
//   Cost bound = goal.bound().octile(x, y) * smallest_f;     // admissible and consistent
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/core/types.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// Single cells, sets, discs, rings and rectangles of grid cells. The bound is the octile distance to the bounding rectangle:
/// exact for cells and rectangles, a little weak for the others. Keeps its capacity when set anew.
class GoalShape {
public:
    void setCell(int x, int y);
    /// Cells sorted by id, each once. @pre not empty.
    void setCells(std::span<const CellId> cells);
    /// Cells by row, then column, each once; they may lie off the map. @pre not empty.
    void setPlaces(std::span<const Cell> cells);
    void setRect(const CellRect& rect);
    /// Cells whose (offset) centre lies within [inner, outer] of a point given in grid metres. @param offset from a cell's corner to the unit's centre.
    void setRing(Position centre, float inner, float outer, float offset);

    [[nodiscard]] bool contains(int x, int y) const {
        if (x < x0_ || x > x1_ || y < y0_ || y > y1_) return false;
        return kind_ == Kind::Rect || containsExactly(x, y);
    }

    /// The bounding rectangle as a plain value, for loops that must not read the shape again and again.
    struct Bound {
        int x0, y0, x1, y1;
        /// Integer octile length from a cell to the rectangle.
        [[nodiscard]] std::uint64_t octile(int x, int y) const {
            const int dx = std::max(std::max(x0 - x, x - x1), 0);
            const int dy = std::max(std::max(y0 - y, y - y1), 0);
            return octileLength(dx, dy);
        }
    };
    [[nodiscard]] Bound bound() const { return {x0_, y0_, x1_, y1_}; }

    /// Straight distance [m] from a cell to the goal: between cell centres to the nearest cell of a set or rectangle; for discs and rings from the
    /// unit's centre to the nearest point that is near (and far) enough. Never less than the distance to the bounding rectangle. O(1), for sets O(rows).
    [[nodiscard]] double distance(int x, int y) const;

    /// The cells of a set, by row, then column; empty for the other shapes.
    [[nodiscard]] std::span<const Cell> places() const { return kind_ == Kind::Cells ? std::span<const Cell>(cells_) : std::span<const Cell>{}; }

    /// The bounding rectangle [grid cells].
    [[nodiscard]] CellRect bounds() const { return {x0_, y0_, x1_ - x0_ + 1, y1_ - y0_ + 1}; }
    /// Limits the bounding rectangle to the map. @return false when nothing would be left; then nothing is changed.
    bool clip(int width, int height);

    friend bool operator==(const GoalShape&, const GoalShape&) = default;

private:
    enum class Kind : std::uint8_t { Rect, Cells, Ring };
    [[nodiscard]] bool containsExactly(int x, int y) const;

    Kind kind_ = Kind::Rect;
    int x0_ = 0, y0_ = 0, x1_ = 0, y1_ = 0;
    void setPlacesBounds();
    std::vector<Cell> cells_;  // by row, then column
    Position centre_;
    float inner_squared_ = 0.0f, outer_squared_ = 0.0f, offset_ = 0.5f;
};

}  // namespace warpath
