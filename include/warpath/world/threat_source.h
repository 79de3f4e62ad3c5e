// One enemy as a source of threat. Sources are kept per side: the side that they threaten.
//
//   std::vector<ThreatSource> red_faces{{.id = 7, .position = {120.0f, 40.0f}, .range = 60.0f, .firepower = 0.8f}};
#pragma once

#include <cstdint>

#include "warpath/core/types.h"

namespace warpath {

/// Threat falls from `firepower` at `position` to 0 at `range`, in a straight line: firepower x (1 - d / range).
struct ThreatSource {
    std::uint32_t id = 0;      ///< The game's name for it; unique among the sources that threaten one side.
    Position position{};       ///< [m]; may lie outside the map.
    float range = 0.0f;        ///< [m] [kMinThreatRange..kMaxThreatRange].
    float firepower = 0.0f;    ///< Threat at distance 0, 1 = lethal [none] [0..kMaxFirepower].
    friend bool operator==(const ThreatSource&, const ThreatSource&) = default;
};

inline constexpr float kMinThreatRange = 0.1f;
inline constexpr float kMaxThreatRange = 1000.0f;
/// What a stored sum can hold.
inline constexpr float kMaxFirepower = 16.0f;

}  // namespace warpath
