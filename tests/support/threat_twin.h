// Slow twin of ThreatMap: every threat cell from the definition, one line of sight per square metre.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpath/tactical/threat_map.h"

namespace warpath::twin {

/// Values row by row, ceil(width / resolution) columns.
std::vector<int> threatOf(const WorldSnapshot& snapshot, std::span<const ThreatSource> sources, const ThreatConfig& config);

}  // namespace warpath::twin
