// The one cost model: what entering a cell costs, term by term, for every algorithm, for validation and for explanation.
//
//   CostModel model(snapshot.rules(), key);
//   const int f = model.ground(terrain) + model.threat(threat) + model.cover(cover);      // hundredths per metre
//   const Cost step = Cost{kStraightLength} * f + model.riseCost(dz_cm);
#pragma once

#include <array>
#include <cstdint>

#include "warpath/core/directions.h"
#include "warpath/world/constraints.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// All that a cost depends on besides the world: what a table or tile of costs is kept for.
struct CostKey {
    Metric metric;
    std::uint16_t threat_weight = 0;  ///< Hundredths.
    std::uint8_t side = 0;            ///< The side that moves.
    friend bool operator==(const CostKey&, const CostKey&) = default;
};

/// f(c) per metre in hundredths, by term. `distance` is always 100.
struct CellTerms {
    int terrain = 0;  ///< May be negative.
    int road = 0;
    int threat = 0;
    int exposure = 0;
    int cover = 0;
    int congestion = 0;
    int wall = 0;
    [[nodiscard]] int f() const { return 100 + terrain + road + threat + exposure + cover + congestion + wall; }
};

/// Prices by key, with the divisions done once. A small value; const use from any thread.
class CostModel {
public:
    CostModel(const WorldRules& rules, const CostKey& key);

    [[nodiscard]] bool passable(std::uint8_t terrain) const { return ((passable_terrain_ >> terrain) & 1) != 0; }
    [[nodiscard]] std::uint64_t passableTerrain() const { return passable_terrain_; }

    /// 100 + terrain + road, at least 10.
    [[nodiscard]] int ground(std::uint8_t terrain) const { return ground_[terrain]; }
    [[nodiscard]] int terrainTerm(std::uint8_t terrain) const { return terrain_[terrain]; }
    [[nodiscard]] int roadTerm(std::uint8_t terrain) const { return ground_[terrain] - 100 - terrain_[terrain]; }
    /// @param threat in 1/1024.
    [[nodiscard]] int threat(int threat) const { return (key_.threat_weight * threat + kThreatOne / 2) / kThreatOne; }
    /// @param sixteenths of the directions that are open to sight.
    [[nodiscard]] int exposure(int sixteenths) const { return (key_.metric.exposure_weight * sixteenths + 8) / 16; }
    /// @param cover in hundredths.
    [[nodiscard]] int cover(int cover) const { return (key_.metric.cover_weight * (100 - cover) + 50) / 100; }
    /// @param rings distance to the nearest obstacle in cells (1 = beside it); 0 or beyond wall_distance costs nothing.
    [[nodiscard]] int wall(int rings) const {
        const int reach = key_.metric.wall_distance;
        return rings == 0 || rings > reach ? 0 : (key_.metric.wall_weight * (reach + 1 - rings) + reach / 2) / reach;
    }
    /// What a height difference adds to a step, in cost units. Counts up and down alike.
    [[nodiscard]] Cost riseCost(std::int32_t dz_cm) const {
        const std::uint64_t dz = static_cast<std::uint64_t>(dz_cm < 0 ? -std::int64_t{dz_cm} : std::int64_t{dz_cm});
        return (dz * key_.metric.elevation_weight + 50) / 100 * kStraightLength;
    }

    /// The smallest f that any cell of the world can have for this key [hundredths]: times the octile distance, an admissible and consistent bound.
    [[nodiscard]] int smallestF(const WorldState& world) const;

    [[nodiscard]] bool pricesCover() const { return key_.metric.cover_weight != 0 || key_.metric.exposure_weight != 0; }
    [[nodiscard]] bool pricesElevation() const { return key_.metric.elevation_weight != 0; }
    [[nodiscard]] const CostKey& key() const { return key_; }

private:
    CostKey key_;
    std::uint64_t passable_terrain_ = 0;
    std::array<std::int32_t, kMaxTerrainTypes> terrain_{};
    std::array<std::int32_t, kMaxTerrainTypes> ground_{};
};

/// Bit t set: units of this profile can stand on terrain type t.
[[nodiscard]] std::uint64_t passableTerrain(const WorldRules& rules, const MobilityProfile& profile);

}  // namespace warpath
