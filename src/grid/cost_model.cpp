#include "warpath/grid/cost_model.h"

#include <algorithm>
#include <cmath>

namespace warpath {
namespace {

constexpr int kSmallestGround = 10;      // max(0.1, ...) of the cost model
constexpr int kLargestGround = 20'000;   // the terrain part stays within 200
constexpr int kLargestRoad = 1'500;      // and what a road wish adds within 15

int toHundredths(float value) { return static_cast<int>(std::floor(value * 100.0f + 0.5f)); }

/// Rounds half away from zero.
int divideRounded(int numerator, int denominator) {
    return numerator >= 0 ? (numerator + denominator / 2) / denominator : -((-numerator + denominator / 2) / denominator);
}

}  // namespace

std::uint64_t passableTerrain(const WorldRules& rules, const MobilityProfile& profile) {
    const UnitClass& unit = rules.unit_classes[static_cast<std::size_t>(profile.unit_type)];
    std::uint64_t mask = 0;
    for (std::size_t t = 0; t < rules.terrain_types.size(); ++t) {
        const bool forbidden = unit.multipliers[t] >= kImpassable || (profile.avoid_water && rules.terrain_types[t].is_water);
        if (!forbidden) mask |= std::uint64_t{1} << t;
    }
    return mask;
}

CostModel::CostModel(const WorldRules& rules, const CostKey& key) : key_(key), passable_terrain_(warpath::passableTerrain(rules, key.metric.profile)) {
    const UnitClass& unit = rules.unit_classes[static_cast<std::size_t>(key.metric.profile.unit_type)];
    const int prefer = (static_cast<int>(key.metric.roads) & 1) != 0 ? toHundredths(rules.roads.prefer) : 0;
    const int avoid = (static_cast<int>(key.metric.roads) & 2) != 0 ? toHundredths(rules.roads.avoid) : 0;
    for (std::size_t t = 0; t < rules.terrain_types.size(); ++t) {
        const int multiplier = unit.multipliers[t] >= kImpassable ? 100 : toHundredths(unit.multipliers[t]);
        const int priced = divideRounded(key.metric.terrain_weight * (multiplier - 100), 100);
        const int plain = std::min(100 + priced, kLargestGround);
        terrain_[t] = std::max(plain, kSmallestGround) - 100;
        ground_[t] = std::max(plain + (rules.terrain_types[t].is_road ? avoid : prefer), kSmallestGround);
    }
}

int CostModel::smallestF(const WorldState& world) const {
    int smallest = kLargestGround + kLargestRoad;
    for (std::size_t t = 0; t < kMaxTerrainTypes; ++t) {
        if (world.terrain_chunks[t] != 0 && passable(static_cast<std::uint8_t>(t))) smallest = std::min(smallest, ground_[t]);
    }
    return smallest;
}

}  // namespace warpath
