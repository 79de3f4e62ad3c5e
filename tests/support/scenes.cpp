#include "support/scenes.h"

#include <algorithm>
#include <cmath>

namespace warpath {
namespace {

int between(Rng& rng, int low, int high) { return low + static_cast<int>(rng.below(static_cast<std::uint32_t>(high - low + 1))); }
float hundredth(Rng& rng, int low, int high) { return static_cast<float>(between(rng, low, high)) / 100.0f; }

CellRect anyRect(const CellRect& map, Rng& rng, int largest) {
    return {map.x + between(rng, 0, map.width - 1), map.y + between(rng, 0, map.height - 1), between(rng, 1, largest), between(rng, 1, largest)};
}

void addLayers(World& world, int side, Rng& rng) {
    const WorldSnapshot now = world.snapshot();
    world.edit([&](WorldEdit& edit) {
        for (int cy = 0; cy < now.chunkRows(); ++cy) {
            for (int cx = 0; cx < now.chunkColumns(); ++cx) {
                if (rng.percent(30)) continue;
                auto threat = evenThreat(0, between(rng, 0, 3));
                for (std::uint16_t& value : threat->values) {
                    if (rng.percent(40)) value = static_cast<std::uint16_t>(rng.below(rng.percent(10) ? kMaxStoredThreat + 1 : 2 * kThreatOne));
                }
                edit.setThreat(rng.percent(80) ? side : 9, {cx, cy}, threat);
            }
        }
        for (int i = between(rng, 0, 30); i > 0; --i) {
            const CellRect map = now.bounds();
            edit.setCongestion({map.x + between(rng, 0, map.width - 1), map.y + between(rng, 0, map.height - 1)}, hundredth(rng, 0, 6400));
        }
    });
}

}  // namespace

std::shared_ptr<ThreatChunk> evenThreat(int value, int resolution_shift) {
    auto threat = std::make_shared<ThreatChunk>();
    const auto width = static_cast<std::size_t>(kChunkSize >> resolution_shift);
    threat->resolution_shift = static_cast<std::uint8_t>(resolution_shift);
    threat->values.assign(width * width, static_cast<std::uint16_t>(value));
    threat->block_mean.fill(static_cast<std::uint16_t>(value));
    threat->block_max.fill(static_cast<std::uint16_t>(value));
    return threat;
}

void editAtRandom(World& world, Rng& rng, bool elevation) {
    const CellRect map = world.snapshot().bounds();
    world.edit([&](WorldEdit& edit) {
        for (int i = between(rng, 1, 4); i > 0; --i) {
            const CellRect rect = anyRect(map, rng, rng.percent(80) ? 4 : 30);
            switch (rng.below(elevation ? 4 : 3)) {
                case 0: edit.placeObstacle(rect, ObstacleKind::Wall, hundredth(rng, 0, 400)); break;
                case 1: edit.removeObstacle(rect); break;
                case 2: edit.setTerrain(rect, static_cast<Terrain>(rng.below(10))); break;
                default: edit.setElevation(rect, hundredth(rng, -200, 200)); break;
            }
        }
    });
}

int Scene::size() const { return static_cast<int>(std::ceil(2.0f * wishes.unit_radius)); }

Cell Scene::anyCell(Rng& rng) const {
    const CellRect map = world->snapshot().bounds();
    return {map.x + between(rng, 0, map.width - 1), map.y + between(rng, 0, map.height - 1)};
}

Position Scene::standingAt(Cell top_left) const {
    const float half = 0.5f * static_cast<float>(size());
    return {static_cast<float>(top_left.x) + half, static_cast<float>(top_left.y) + half};
}

Scene randomScene(std::uint64_t seed, const SceneTraits& traits) {
    Rng rng(seed);
    Scene scene;
    scene.name = "seed " + std::to_string(seed);
    WorldConfig config;
    const int shape = traits.large_maps ? between(rng, 0, 9) : 0;
    config.width = shape < 6 ? between(rng, 1, 24) : shape == 6 || shape == 7 ? between(rng, 60, 140) : between(rng, 2, 14);
    config.height = shape < 6 ? between(rng, 1, 24) : shape == 6 ? between(rng, 2, 14) : shape == 7 ? between(rng, 60, 72) : between(rng, 60, 140);
    config.origin = rng.percent(50) ? Cell{} : Cell{between(rng, -200, 200), between(rng, -200, 200)};
    config.fill = static_cast<Terrain>(rng.percent(70) ? 1 : rng.below(10));
    config.has_cover = traits.layers && rng.percent(60);
    scene.world = std::make_unique<World>(config);
    const CellRect map = scene.world->snapshot().bounds();
    const bool hills = traits.elevation && rng.percent(90);
    scene.world->edit([&](WorldEdit& edit) {
        if (traits.terrain) {
            for (int i = between(rng, 0, 25); i > 0; --i) edit.setTerrain(anyRect(map, rng, 8), static_cast<Terrain>(rng.below(10)));
        }
        const auto density = static_cast<std::uint32_t>(between(rng, 0, traits.large_units ? 12 : 38));
        for (int y = map.y; y < map.y + map.height; ++y) {
            for (int x = map.x; x < map.x + map.width; ++x) {
                if (rng.percent(density)) edit.placeObstacle(Cell{x, y}, static_cast<ObstacleKind>(between(rng, 1, 4)), hundredth(rng, 0, 400));
            }
        }
        if (hills) {
            for (int i = between(rng, 1, 40); i > 0; --i) edit.setElevation(anyRect(map, rng, 9), hundredth(rng, -300, 300));
        }
    });
    scene.side = between(rng, 0, kMaxSides - 1);
    if (traits.layers) addLayers(*scene.world, scene.side, rng);

    PathConstraints& wishes = scene.wishes;
    wishes.doctrine = static_cast<Doctrine>(rng.below(4));
    if (rng.percent(60)) wishes.threat_weight = hundredth(rng, 0, 2000);
    if (rng.percent(60)) wishes.cover_weight = hundredth(rng, 0, rng.percent(50) ? 2000 : 100);
    if (rng.percent(60)) wishes.exposure_weight = hundredth(rng, 0, rng.percent(50) ? 2000 : 100);
    if (rng.percent(60)) wishes.terrain_weight = hundredth(rng, 0, 2000);
    if (rng.percent(60)) wishes.elevation_weight = hundredth(rng, 0, 2000);
    if (rng.percent(50)) wishes.prefer_roads = rng.percent(50);
    if (rng.percent(50)) wishes.avoid_roads = rng.percent(50);
    wishes.avoid_water = rng.percent(20);
    wishes.max_slope = traits.elevation && rng.percent(80) ? static_cast<float>(between(rng, 0, 90)) : 90.0f;
    if (traits.elevation && rng.percent(60)) wishes.max_slope_down = static_cast<float>(between(rng, 0, 90));
    if (traits.walls && rng.percent(80)) {
        wishes.wall_distance = static_cast<float>(between(rng, 0, 8));
        wishes.wall_weight = hundredth(rng, 0, 1600);
    }
    wishes.diagonal = static_cast<DiagonalRule>(rng.below(4));
    wishes.unit_type = static_cast<UnitType>(rng.below(6));
    wishes.unit_radius = traits.large_units ? 0.5f * static_cast<float>(between(rng, 1, 5)) : 0.5f;
    return scene;
}

}  // namespace warpath
