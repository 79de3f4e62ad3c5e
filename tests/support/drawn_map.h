// Worlds drawn as rows of letters, and random tactical ones.
//
//   const auto world = drawnWorld({"S..#", "...G"});       // '#': a wall 3 m high, 'o': a rock 1 m high, 'r' road, 'f' forest, '~' water
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warpath/core/rng.h"
#include "warpath/world/world.h"

namespace warpath {

inline std::unique_ptr<World> drawnWorld(const std::vector<std::string>& rows, bool has_cover = true) {
    auto world = std::make_unique<World>(
        WorldConfig{.width = static_cast<int>(rows[0].size()), .height = static_cast<int>(rows.size()), .has_cover = has_cover});
    world->edit([&](WorldEdit& edit) {
        for (int y = 0; y < static_cast<int>(rows.size()); ++y) {
            for (int x = 0; x < static_cast<int>(rows[0].size()); ++x) {
                switch (rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)]) {
                    case '#': edit.placeObstacle(Cell{x, y}, ObstacleKind::Wall, 3.0f); break;
                    case 'o': edit.placeObstacle(Cell{x, y}, ObstacleKind::Rock, 1.0f); break;
                    case 'r': edit.setTerrain(Cell{x, y}, Terrain::Road); break;
                    case 'f': edit.setTerrain(Cell{x, y}, Terrain::Forest); break;
                    case '~': edit.setTerrain(Cell{x, y}, Terrain::Water); break;
                    default: break;
                }
            }
        }
    });
    return world;
}

/// Grass with scattered walls, rocks, patches of forest and swamp, a road or two.
inline std::unique_ptr<World> randomField(std::uint64_t seed, int width, int height, std::uint32_t obstacles_percent) {
    Rng rng(seed);
    auto world = std::make_unique<World>(WorldConfig{.width = width, .height = height});
    const auto at = [&](int limit) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(limit))); };
    world->edit([&](WorldEdit& edit) {
        for (int i = 0; i < width * height / 400; ++i) {
            edit.setTerrain({at(width), at(height), 2 + at(12), 2 + at(12)}, rng.percent(70) ? Terrain::Forest : Terrain::Swamp);
        }
        edit.setTerrain({0, at(height), width, 2}, Terrain::Road);
        const int count = width * height * static_cast<int>(obstacles_percent) / 100 / 5;
        for (int i = 0; i < count; ++i) {
            const bool tall = rng.percent(60);
            edit.placeObstacle({at(width), at(height), 1 + at(4), 1 + at(4)}, tall ? ObstacleKind::Building : ObstacleKind::Rock, tall ? 5.0f : 1.0f);
        }
    });
    return world;
}

/// The centre of a cell.
inline Position mid(int x, int y) { return {static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f}; }

}  // namespace warpath
