// The direction of a step, read back from the two cells it joins.
#pragma once

#include "warpath/core/directions.h"
#include "warpath/world/snapshot.h"

namespace warpath {

[[nodiscard]] constexpr int directionBetween(CellId from, CellId to) {
    return directionOf(gridXOf(to) - gridXOf(from), gridYOf(to) - gridYOf(from));
}

}  // namespace warpath
