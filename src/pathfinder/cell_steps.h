// The direction of a step, read back from the two cells it joins.
#pragma once

#include "warpath/core/directions.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// The direction of a difference of neighbouring cells; -1 when it is none.
[[nodiscard]] constexpr int directionOf(int dx, int dy) {
    constexpr int kDirectionOf[3][3] = {{5, 6, 7}, {4, -1, 0}, {3, 2, 1}};  // [dy + 1][dx + 1]
    return dx < -1 || dx > 1 || dy < -1 || dy > 1 ? -1 : kDirectionOf[dy + 1][dx + 1];
}

[[nodiscard]] constexpr int directionBetween(CellId from, CellId to) {
    return directionOf(gridXOf(to) - gridXOf(from), gridYOf(to) - gridYOf(from));
}

}  // namespace warpath
