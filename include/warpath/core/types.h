// Plain value types of the plane: positions in metres, cells, rectangles.
//
//   Position p{12.5f, 7.25f};
//   Cell c = cellAt(p);              // {12, 7}: floor, never truncation
//   Position centre = centreOf(c);   // {12.5, 7.5}
#pragma once

#include <cstdint>

namespace warpath {

/// A point of the plane [m], x east, y south.
struct Position {
    float x = 0.0f;
    float y = 0.0f;
    friend bool operator==(const Position&, const Position&) = default;
};

/// A direction or difference of positions [m].
struct Vec2 {
    float x = 0.0f;
    float y = 0.0f;
    friend bool operator==(const Vec2&, const Vec2&) = default;
};

/// A one metre cell: (x, y) covers [x, x+1) x [y, y+1).
struct Cell {
    std::int32_t x = 0;
    std::int32_t y = 0;
    friend bool operator==(const Cell&, const Cell&) = default;
};

/// A rectangle of cells: x..x+width-1, y..y+height-1. Empty when a side is not positive.
struct CellRect {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t width = 0;
    std::int32_t height = 0;

    [[nodiscard]] constexpr bool empty() const { return width <= 0 || height <= 0; }
    [[nodiscard]] constexpr bool contains(Cell c) const {
        return c.x >= x && c.y >= y && std::int64_t{c.x} - x < width && std::int64_t{c.y} - y < height;
    }
    friend bool operator==(const CellRect&, const CellRect&) = default;
};

/// What a change applies to: one cell or a rectangle, written {x, y} or {x, y, width, height}, or given as a Cell or a CellRect.
struct CellArea {
    CellRect rect;

    constexpr CellArea(const CellRect& cells) : rect(cells) {}                                  // NOLINT: converts on purpose
    constexpr CellArea(Cell cell) : rect{cell.x, cell.y, 1, 1} {}                               // NOLINT: converts on purpose
    constexpr CellArea(std::int32_t x, std::int32_t y) : rect{x, y, 1, 1} {}
    constexpr CellArea(std::int32_t x, std::int32_t y, std::int32_t width, std::int32_t height) : rect{x, y, width, height} {}
};

/// The common part of two rectangles (empty when they do not meet).
[[nodiscard]] constexpr CellRect intersect(const CellRect& a, const CellRect& b) {
    const std::int64_t x0 = a.x > b.x ? a.x : b.x;
    const std::int64_t y0 = a.y > b.y ? a.y : b.y;
    const std::int64_t ax1 = std::int64_t{a.x} + a.width, bx1 = std::int64_t{b.x} + b.width;
    const std::int64_t ay1 = std::int64_t{a.y} + a.height, by1 = std::int64_t{b.y} + b.height;
    const std::int64_t x1 = ax1 < bx1 ? ax1 : bx1;
    const std::int64_t y1 = ay1 < by1 ? ay1 : by1;
    if (x1 <= x0 || y1 <= y0) return {};
    return {static_cast<std::int32_t>(x0), static_cast<std::int32_t>(y0), static_cast<std::int32_t>(x1 - x0),
            static_cast<std::int32_t>(y1 - y0)};
}

/// Coordinates whose magnitude exceeds this are refused wherever they enter [m]: beyond it a float no longer tells cells apart safely.
inline constexpr float kMaxCoordinate = 4'000'000.0f;

/// True for finite coordinates within kMaxCoordinate: the only positions that cellAt may be given.
[[nodiscard]] constexpr bool isUsable(Position p) {
    return p.x >= -kMaxCoordinate && p.x <= kMaxCoordinate && p.y >= -kMaxCoordinate && p.y <= kMaxCoordinate;
}

/// Largest integer not above v. @pre |v| <= kMaxCoordinate.
[[nodiscard]] constexpr std::int32_t floorToInt(float v) {
    const auto i = static_cast<std::int32_t>(v);
    return static_cast<float>(i) > v ? i - 1 : i;
}

/// The cell that holds a position. @pre isUsable(p).
[[nodiscard]] constexpr Cell cellAt(Position p) { return {floorToInt(p.x), floorToInt(p.y)}; }

/// The centre of a cell [m].
[[nodiscard]] constexpr Position centreOf(Cell c) { return {static_cast<float>(c.x) + 0.5f, static_cast<float>(c.y) + 0.5f}; }

}  // namespace warpath
