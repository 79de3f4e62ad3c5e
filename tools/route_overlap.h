// How much of one route runs along another.
#pragma once

#include "warpath/grid/path.h"
#include "warpath/world/snapshot.h"

namespace warpath::tool {

/// Share of `route`, its first and last 15 % by cells left out, that has a cell of `other` within 3 m in line of sight. 0..1.
[[nodiscard]] double routeOverlap(const WorldSnapshot& snapshot, const Path& route, const Path& other);

}  // namespace warpath::tool
