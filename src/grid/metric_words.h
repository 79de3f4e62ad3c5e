// All that tells two metrics apart, as words to hash.
#pragma once

#include <array>
#include <cstdint>

#include "warpath/world/constraints.h"

namespace warpath {

[[nodiscard]] inline std::array<std::uint64_t, 5> wordsOf(const Metric& m) {
    static_assert(sizeof(Metric) == 32, "a field more or less: tables of metrics that differ in it must not pass for one another");
    const auto both = [](std::int32_t high, std::int32_t low) {
        return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32) | static_cast<std::uint32_t>(low);
    };
    const MobilityProfile& p = m.profile;
    return {static_cast<std::uint64_t>(p.unit_type) | (std::uint64_t{p.avoid_water} << 8) | (static_cast<std::uint64_t>(p.diagonal) << 16) |
                (std::uint64_t{p.size} << 24),
            both(p.max_rise[0], p.max_rise[1]), both(p.max_drop[0], p.max_drop[1]),
            std::uint64_t{m.terrain_weight} | (std::uint64_t{m.exposure_weight} << 16) | (std::uint64_t{m.cover_weight} << 32) |
                (std::uint64_t{m.elevation_weight} << 48),
            std::uint64_t{m.wall_weight} | (std::uint64_t{m.wall_distance} << 16) | (static_cast<std::uint64_t>(m.roads) << 24)};
}

}  // namespace warpath
