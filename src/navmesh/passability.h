// Which terrain each way of moving may enter, as few bit masks as there are different answers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "warpath/world/rules.h"

namespace warpath {

/// Detour's polygon flags have 16 bits: one per set.
inline constexpr std::size_t kMaxPassabilitySets = 16;
/// Detour's areas are 6 bits; 0 is "nothing" and 63 marks links.
inline constexpr std::size_t kMaxNavTerrainTypes = 62;
inline constexpr int kLinkArea = 63;

/// Terrain types (bit t) that a unit class may enter.
[[nodiscard]] inline std::uint64_t enterableTerrain(const WorldRules& rules, std::size_t unit, bool avoid_water) {
    std::uint64_t mask = 0;
    for (std::size_t t = 0; t < rules.terrain_types.size(); ++t) {
        if (rules.unit_classes[unit].multipliers[t] >= kImpassable) continue;
        if (avoid_water && rules.terrain_types[t].is_water) continue;
        mask |= std::uint64_t{1} << t;
    }
    return mask;
}

/// The distinct masks over all unit classes, with and without avoid_water, in that order.
[[nodiscard]] inline std::vector<std::uint64_t> passabilitySets(const WorldRules& rules) {
    std::vector<std::uint64_t> sets;
    for (std::size_t unit = 0; unit < rules.unit_classes.size(); ++unit) {
        for (const bool avoid_water : {false, true}) {
            const std::uint64_t mask = enterableTerrain(rules, unit, avoid_water);
            if (std::find(sets.begin(), sets.end(), mask) == sets.end()) sets.push_back(mask);
        }
    }
    return sets;
}

}  // namespace warpath
