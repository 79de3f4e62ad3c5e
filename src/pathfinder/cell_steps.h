// The direction of a step, read back from the two cells it joins.
#pragma once

#include "warpath/core/directions.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// The direction of a difference of neighbouring cells; -1 when it is none.
[[nodiscard]] constexpr int directionOf(int dx, int dy) {
    for (int d = 0; d < kDirections; ++d) {
        if (kStepX[d] == dx && kStepY[d] == dy) return d;
    }
    return -1;
}

[[nodiscard]] constexpr int directionBetween(CellId from, CellId to) {
    return directionOf(gridXOf(to) - gridXOf(from), gridYOf(to) - gridYOf(from));
}

}  // namespace warpath
