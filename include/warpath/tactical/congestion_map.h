// Where units crowd, as a cost per metre that searches, hierarchy and fields read: the next one takes another way.
//
//   CongestionMap crowd({.weight = 4.0f});
//   std::vector<CrowdUnit> units = ...;                                    // all of them, a few times a second
//   if (auto error = crowd.update(units)) report(*error);
//   const WorldSnapshot now = world.snapshot();
//   world.edit([&](WorldEdit& e) { crowd.publish(now, e); });              // only chunks where it changed noticeably
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/core/types.h"
#include "warpath/world/world.h"

namespace warpath {

/// Most units of one crowd.
inline constexpr std::size_t kMaxCrowd = 65'536;

/// One that takes up ground.
struct CrowdUnit {
    Position position;    ///< Of its centre [m].
    float radius = 0.5f;  ///< [m] [0.1..8]
    friend bool operator==(const CrowdUnit&, const CrowdUnit&) = default;
};

struct CongestionConfig {
    /// Cost per metre where the ground is as good as covered, beyond what is free [none] [0..64] [0: nothing is ever priced].
    float weight = 0.0f;
    /// Density up to which nobody is hindered: a unit alone costs nothing [share of the ground] [0..4] [0.25].
    float free_density = 0.25f;
    /// How far beyond its own rim a unit makes the ground dense [m] [0..8] [2].
    float spread = 2.0f;
    /// A chunk is published when the mean or the maximum of one of its blocks of 8 x 8 cells has moved by so much [cost per metre] [0..64] [0.25].
    float least_change = 0.25f;

    /// The first value outside its limits, or nothing.
    [[nodiscard]] std::optional<Error> validate() const;
    friend bool operator==(const CongestionConfig&, const CongestionConfig&) = default;
};

/// The density of a crowd and what it costs to walk there, in the spirit of Treuille, Cooper, Popovic, "Continuum crowds" (2006): the speed of a crowd falls
/// with its density from a least density on; here that is a price, and the direction in which a crowd moves does not count.
///
/// Each unit spreads the area of its disc over the cells whose centres are nearer than radius + spread, weighted by (radius + spread)^2 - d^2, so the sum of all
/// densities is the ground that the units cover. A cell costs weight x (density - free_density) more, within 0..64 [hundredths, rounded down].
/// Integers from positions in 16ths of a metre on: equal units in any order give equal costs everywhere.
/// Cost: in proportion to the units and the cells around each, 0.1 to 0.4 us each with radius 0.5. Nothing allocates once it has grown, but what is published.
/// Threads: one at a time.
class CongestionMap {
public:
    /// @pre config.validate() finds nothing.
    explicit CongestionMap(const CongestionConfig& config = {}) : config_(config) {}
    [[nodiscard]] const CongestionConfig& config() const { return config_; }

    /// Replaces the crowd. @return what is wrong (then nothing changed), or nothing: more than kMaxCrowd, a value outside its limits; the field is "units" or as
    /// "units[3].radius".
    std::optional<Error> update(std::span<const CrowdUnit> units);
    [[nodiscard]] std::span<const CrowdUnit> units() const { return units_; }

    /// Replaces the congestion of the world by that of the crowd, chunk by chunk where it has changed noticeably, or where none is left. What single cells were
    /// given (WorldEdit::setCongestion) goes with it. With weight 0 there is none.
    /// @param now of the edited world, as it is before the edit. Units off its map are left out.
    /// @return how many chunks were written.
    std::size_t publish(const WorldSnapshot& now, WorldEdit& edit);

    [[nodiscard]] std::size_t memoryBytes() const;

private:
    void spread(const WorldSnapshot& now, const CrowdUnit& unit);

    CongestionConfig config_;
    std::vector<CrowdUnit> units_;
    std::vector<std::int32_t> slots_;           // by chunk: place in density_, -1 for none
    std::vector<std::uint32_t> touched_;        // chunks with a slot, in order of first touch
    std::vector<std::uint32_t> density_;        // 65536ths, a chunk of cells for each slot
    std::vector<std::uint32_t> weights_;        // of the cells around one unit
};

}  // namespace warpath
