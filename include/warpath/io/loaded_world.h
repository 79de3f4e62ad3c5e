// A world as it comes out of a file, with what stands in the same file beside it.
//
//   World& world = *loaded.world;
//   for (std::size_t side = 0; side < loaded.threats.size(); ++side) maps[side].update(loaded.threats[side]);
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "warpath/world/threat_source.h"
#include "warpath/world/world.h"

namespace warpath {

/// Threat sources by the side that they threaten.
using ThreatsBySide = std::array<std::vector<ThreatSource>, kMaxSides>;

/// The sources are not yet threat on the map: hand them to a ThreatMap.
struct LoadedWorld {
    std::unique_ptr<World> world;
    ThreatsBySide threats;
};

}  // namespace warpath
