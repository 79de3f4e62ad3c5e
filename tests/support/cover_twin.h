// Slow twin of compileCoverTile: one cell at a time, straight from the definition.
#pragma once

#include "warpath/world/snapshot.h"

namespace warpath::twin {

struct CoverCell {
    int cover = 0;
    unsigned directions = 0;
    ObstacleKind kind = ObstacleKind::None;
    int exposure = 0;
};

CoverCell coverAt(const WorldSnapshot& snapshot, Cell cell);

}  // namespace warpath::twin
