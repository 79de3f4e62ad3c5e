// What is wrong with a position or a rectangle of cells, in the same words wherever one enters.
//
//   if (!isUsable(p)) return unusablePosition("target", p);
//   if (!snapshot.contains(cellAt(p))) return offMap(snapshot, "target", p);
#pragma once

#include <string>

#include "warpath/core/error.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// "[3.5,4]".
[[nodiscard]] std::string positionText(Position p);
/// "[3,4,20,10]": x, y, width, height.
[[nodiscard]] std::string rectText(const CellRect& rect);

/// A position that is not finite or too far away (isUsable says no).
[[nodiscard]] Error unusablePosition(std::string field, Position p);

/// A position off the map: the field, its value, the map's bounds.
[[nodiscard]] Error offMap(const WorldSnapshot& snapshot, std::string field, Position p);
/// A rectangle none of which lies on the map.
[[nodiscard]] Error offMap(const WorldSnapshot& snapshot, std::string field, const CellRect& rect);
/// A position off the map, into an error that keeps its capacity: no allocation once `out` has grown.
void writeOffMap(const WorldSnapshot& snapshot, const char* field, Position p, Error& out);

}  // namespace warpath
