// Random worlds for round trips, and what differs between two worlds.
//
//   const RandomWorld made = randomWorld(seed);
//   EXPECT_EQ(worldDifference(made.world->snapshot(), loaded), "");
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "warpath/core/rng.h"
#include "warpath/world/threat_source.h"
#include "warpath/world/world.h"

namespace warpath {

struct RandomWorld {
    std::unique_ptr<World> world;
    std::array<std::vector<ThreatSource>, kMaxSides> threats;
};

/// Up to 200 x 200 cells: patches of every terrain, obstacles of every kind, hills on some, threats on two sides, a negative origin on some.
inline RandomWorld randomWorld(std::uint64_t seed) {
    Rng rng(seed);
    const auto between = [&](int low, int high) { return low + static_cast<int>(rng.below(static_cast<std::uint32_t>(high - low + 1))); };
    WorldConfig config{.width = between(1, 200), .height = between(1, 200), .origin = {between(-300, 100), between(-300, 100)}};
    config.fill = static_cast<Terrain>(rng.below(10));
    config.has_cover = rng.percent(80);
    RandomWorld made{std::make_unique<World>(config), {}};
    const auto rect = [&] {
        const int width = between(1, 20), height = between(1, 20);
        return CellRect{config.origin.x + between(0, config.width - 1), config.origin.y + between(0, config.height - 1), width, height};
    };
    made.world->edit([&](WorldEdit& edit) {
        for (int i = between(0, 60); i > 0; --i) edit.setTerrain(rect(), static_cast<Terrain>(rng.below(10)));
        for (int i = between(0, 60); i > 0; --i) {
            edit.placeObstacle(rect(), static_cast<ObstacleKind>(1 + rng.below(4)), static_cast<float>(rng.below(8192)) / 100.0f);
        }
        if (rng.percent(60)) edit.setElevation({config.origin.x, config.origin.y, config.width, config.height}, static_cast<float>(between(-200'000, 200'000)) / 100.0f);
        if (rng.percent(40)) {
            for (int i = between(0, 40); i > 0; --i) edit.setElevation(rect(), static_cast<float>(between(-20'000, 20'000)) / 100.0f);
        }
    });
    for (const std::size_t side : {0, 3}) {
        for (int i = between(0, 5); i > 0; --i) {
            made.threats[side].push_back({static_cast<std::uint32_t>(100 + i), {static_cast<float>(between(-1000, 1000)) / 7.0f, static_cast<float>(between(0, 999)) / 3.0f},
                                          static_cast<float>(between(1, 900)), static_cast<float>(between(0, 160)) / 10.0f});
        }
    }
    return made;
}

/// The first difference in size, rules' names or cells; "" when there is none.
inline std::string worldDifference(const WorldSnapshot& a, const WorldSnapshot& b) {
    if (a.bounds() != b.bounds()) return "bounds";
    if (a.state().has_cover != b.state().has_cover) return "has_cover";
    if (a.rules().terrain_types.size() != b.rules().terrain_types.size()) return "terrain types";
    for (int y = a.bounds().y; y < a.bounds().y + a.height(); ++y) {
        for (int x = a.bounds().x; x < a.bounds().x + a.width(); ++x) {
            const std::string at = " at " + std::to_string(x) + "," + std::to_string(y);
            if (a.terrainAt({x, y}) != b.terrainAt({x, y})) return "terrain" + at;
            if (a.obstacleAt({x, y}) != b.obstacleAt({x, y})) return "obstacle" + at;
            if (a.elevationAt({x, y}) != b.elevationAt({x, y})) return "elevation" + at;
        }
    }
    return "";
}

}  // namespace warpath
