// Slow twin of lineOfSight: every cell of the bounding box against the segment, by the geometry of its square.
#pragma once

#include "warpath/tactical/sight.h"

namespace warpath::twin {

bool lineOfSight(const WorldSnapshot& snapshot, Cell from, Cell to, int eye_cm, int target_cm);

}  // namespace warpath::twin
