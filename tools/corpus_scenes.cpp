// The worlds of the corpus. Every number comes from Rng, one call a statement.
#include "corpus.h"
#include "warpath/core/rng.h"
#include "warpath/tactical/threat_map.h"
#include "warpath/world/world.h"

namespace warpath::tool {
namespace {

int between(Rng& rng, int low, int high) { return low + static_cast<int>(rng.below(static_cast<std::uint32_t>(high - low + 1))); }

CellRect randomRect(Rng& rng, const CellRect& bounds, int smallest, int largest) {
    const int width = between(rng, smallest, largest);
    const int height = between(rng, smallest, largest);
    const int x = between(rng, bounds.x, bounds.x + bounds.width - 1);
    const int y = between(rng, bounds.y, bounds.y + bounds.height - 1);
    return {x, y, width, height};
}

void scatterObstacles(WorldEdit& edit, Rng& rng, const CellRect& bounds, int percent) {
    for (int y = bounds.y; y < bounds.y + bounds.height; ++y)
        for (int x = bounds.x; x < bounds.x + bounds.width; ++x)
            if (rng.percent(static_cast<std::uint32_t>(percent))) edit.placeObstacle(Cell{x, y}, ObstacleKind::Rock, 3.0f);
}

/// Patches of all ten terrain types, roads across, buildings and walls of different heights.
void paintLand(WorldEdit& edit, Rng& rng, const CellRect& bounds) {
    const int patches = bounds.width * bounds.height / 300;
    for (int i = 0; i < patches; ++i) {
        const CellRect rect = randomRect(rng, bounds, 4, 18);
        edit.setTerrain(rect, static_cast<Terrain>(rng.below(10)));
    }
    for (int i = 0; i < 4; ++i) {
        const int at = between(rng, 2, 60);
        if ((i & 1) == 0) {
            edit.setTerrain({bounds.x, bounds.y + at * bounds.height / 64, bounds.width, 2}, Terrain::Road);
        } else {
            edit.setTerrain({bounds.x + at * bounds.width / 64, bounds.y, 2, bounds.height}, Terrain::Road);
        }
    }
    for (int i = 0; i < patches / 3; ++i) {
        const CellRect rect = randomRect(rng, bounds, 2, 9);
        const int height_cm = between(rng, 40, 900);
        const auto kind = static_cast<ObstacleKind>(1 + rng.below(4));
        edit.placeObstacle(rect, kind, static_cast<float>(height_cm) / 100.0f);
    }
}

void raiseHills(WorldEdit& edit, Rng& rng, const CellRect& bounds) {
    const int hills = bounds.width * bounds.height / 900;
    for (int i = 0; i < hills; ++i) {
        const CellRect base = randomRect(rng, bounds, 10, 26);
        const int steps = between(rng, 2, 5);
        for (int s = 1; s <= steps; ++s) {
            const CellRect level{base.x + s, base.y + s, base.width - 2 * s, base.height - 2 * s};
            if (intersect(level, bounds).empty()) break;
            const int rise_cm = between(rng, 20, 90);
            edit.setElevation(level, static_cast<float>(s * rise_cm) / 100.0f);
        }
    }
}

/// A town of blocks: streets of 2 to 5 cells between buildings.
void buildBlocks(WorldEdit& edit, Rng& rng, const CellRect& bounds) {
    for (int y = bounds.y + 2; y < bounds.y + bounds.height - 8;) {
        const int depth = between(rng, 4, 11);
        for (int x = bounds.x + 2; x < bounds.x + bounds.width - 8;) {
            const int width = between(rng, 4, 12);
            edit.placeObstacle({x, y, width, depth}, ObstacleKind::Building, 6.0f);
            x += width + between(rng, 2, 5);
        }
        y += depth + between(rng, 2, 5);
    }
}

void damage(World& world, Rng& rng) {
    const CellRect bounds = world.snapshot().bounds();
    world.edit([&](WorldEdit& edit) {
        const CellRect destroyed = randomRect(rng, bounds, 6, 30);
        edit.destroyBuilding(destroyed);
        const int x = between(rng, bounds.x, bounds.x + bounds.width - 1);
        const int y = between(rng, bounds.y, bounds.y + bounds.height - 1);
        const int radius = between(rng, 2, 7);
        edit.makeCrater({static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.25f}, static_cast<float>(radius) + 0.5f);
        const CellRect built = randomRect(rng, bounds, 2, 8);
        edit.placeObstacle(built, ObstacleKind::Wall, 2.5f);
        const CellRect flooded = randomRect(rng, bounds, 2, 12);
        edit.setTerrain(flooded, Terrain::Water);
        for (int i = 0; i < 20; ++i) {
            const int cx = between(rng, bounds.x, bounds.x + bounds.width - 1);
            const int cy = between(rng, bounds.y, bounds.y + bounds.height - 1);
            const int value = between(rng, 0, 40);
            edit.setCongestion({cx, cy}, static_cast<float>(value) / 8.0f);
        }
    });
}

}  // namespace

std::vector<ThreatSource> randomEnemies(Rng& rng, const CellRect& bounds, int count) {
    std::vector<ThreatSource> enemies;
    for (int i = 0; i < count; ++i) {
        const int x = between(rng, bounds.x, bounds.x + bounds.width - 1);
        const int y = between(rng, bounds.y, bounds.y + bounds.height - 1);
        const int range = between(rng, 10, 60);
        const int firepower = between(rng, 1, 24);
        enemies.push_back({static_cast<std::uint32_t>(i + 1), {static_cast<float>(x) + 0.25f, static_cast<float>(y) + 0.5f}, static_cast<float>(range),
                           static_cast<float>(firepower) / 16.0f});
    }
    return enemies;
}

std::vector<Scene> makeScenes() {
    std::vector<Scene> scenes;
    {
        Rng rng(101);
        World world({.width = 150, .height = 130, .has_cover = false});
        const CellRect bounds = world.snapshot().bounds();
        world.edit([&](WorldEdit& edit) { scatterObstacles(edit, rng, bounds, 28); });
        scenes.push_back({"scattered", world.snapshot(), false});
    }
    {
        Rng rng(202);
        World world({.width = 192, .height = 160});
        const CellRect bounds = world.snapshot().bounds();
        world.edit([&](WorldEdit& edit) { paintLand(edit, rng, bounds); });
        scenes.push_back({"land", world.snapshot(), true});
    }
    {
        Rng rng(303);
        World world({.width = 140, .height = 170, .origin = {-77, -101}});
        const CellRect bounds = world.snapshot().bounds();
        world.edit([&](WorldEdit& edit) {
            paintLand(edit, rng, bounds);
            raiseHills(edit, rng, bounds);
        });
        scenes.push_back({"hills", world.snapshot(), true});
    }
    {
        Rng rng(404);
        World world({.width = 200, .height = 200, .origin = {1000, -40}});
        const CellRect bounds = world.snapshot().bounds();
        world.edit([&](WorldEdit& edit) { buildBlocks(edit, rng, bounds); });
        scenes.push_back({"town", world.snapshot(), true});
        for (int round = 0; round < 12; ++round) {
            damage(world, rng);
            if (round % 4 == 3) scenes.push_back({"town_after_" + std::to_string(round + 1), world.snapshot(), true});
        }
    }
    {
        Rng rng(505);
        World world({.width = 180, .height = 150, .origin = {-20, 30}});
        const CellRect bounds = world.snapshot().bounds();
        world.edit([&](WorldEdit& edit) { paintLand(edit, rng, bounds); });
        for (int side = 0; side < 2; ++side) {
            ThreatMap threat(world.snapshot(), side, {});
            std::vector<ThreatSource> enemies = randomEnemies(rng, bounds, 6);
            threat.update(enemies);
            threat.finish();
            world.edit([&](WorldEdit& edit) { threat.publish(edit); });
            for (ThreatSource& enemy : enemies) enemy.position.x += static_cast<float>(between(rng, -8, 8));
            threat.update(enemies);
            threat.finish();
            world.edit([&](WorldEdit& edit) { threat.publish(edit); });
        }
        scenes.push_back({"threatened", world.snapshot(), true});
    }
    return scenes;
}

}  // namespace warpath::tool
