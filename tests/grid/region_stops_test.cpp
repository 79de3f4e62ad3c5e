#include <gtest/gtest.h>

#include "support/scenes.h"
#include "warpath/grid/region_table.h"

namespace warpath {
namespace {

bool freeAt(const RegionTable& table, int x, int y) {
    return table.paddedLabels(x >> kChunkShift, y >> kChunkShift).fits(localIndex(x & (kChunkSize - 1), y & (kChunkSize - 1)));
}

/// A scan in direction (dx, dy) stops here: the cell is blocked, or beside it a wall has just ended.
bool stopsAt(const RegionTable& table, int x, int y, int dx, int dy) {
    if (!freeAt(table, x, y)) return true;
    const auto ended = [&](int side_x, int side_y) {
        return freeAt(table, x + side_x, y + side_y) && !freeAt(table, x + side_x - dx, y + side_y - dy);
    };
    return ended(dy, dx) || ended(-dy, -dx);
}

void expectStopsFitTheCells(const RegionTable& table, const WorldSnapshot& now) {
    for (int y = 0; y < now.height(); ++y) {
        for (int x = 0; x < now.width(); ++x) {
            const ChunkStops& stops = table.paddedStops(x >> kChunkShift, y >> kChunkShift);
            const auto column = static_cast<std::size_t>(x & (kChunkSize - 1)), row = static_cast<std::size_t>(y & (kChunkSize - 1));
            ASSERT_EQ((stops.east[row] >> column) & 1, stopsAt(table, x, y, 1, 0)) << x << ',' << y;
            ASSERT_EQ((stops.west[row] >> column) & 1, stopsAt(table, x, y, -1, 0)) << x << ',' << y;
            ASSERT_EQ((stops.south[column] >> row) & 1, stopsAt(table, x, y, 0, 1)) << x << ',' << y;
            ASSERT_EQ((stops.north[column] >> row) & 1, stopsAt(table, x, y, 0, -1)) << x << ',' << y;
        }
    }
}

TEST(RegionStops, ScansStopWhereWallsEndAlsoAfterEdits) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Scene scene = randomScene(seed, {.large_units = true});
        SCOPED_TRACE(scene.name);
        const MobilityProfile profile = std::get<ResolvedConstraints>(resolve(scene.wishes, scene.world->snapshot().rules())).metric.profile;
        Rng rng(seed);
        std::shared_ptr<const RegionTable> table;
        for (int edit = 0; edit < 4; ++edit) {
            const WorldSnapshot now = scene.world->snapshot();
            table = RegionTable::build(now, profile, table);
            ASSERT_NO_FATAL_FAILURE(expectStopsFitTheCells(*table, now));
            editAtRandom(*scene.world, rng, false);
        }
    }
}

TEST(RegionStops, RepairsReachTheChunksAroundAnEdit) {
    World world({.width = 320, .height = 320});
    const MobilityProfile profile = std::get<ResolvedConstraints>(resolve({}, world.snapshot().rules())).metric.profile;
    auto table = RegionTable::build(world.snapshot(), profile, nullptr);
    Rng rng(3);
    for (int i = 0; i < 25; ++i) {
        const int x = 128 + static_cast<int>(rng.below(64)), y = 128 + static_cast<int>(rng.below(64));
        world.edit([&](WorldEdit& edit) { edit.placeObstacle(Cell{x, y}, ObstacleKind::Wall, 2.0f); });
        world.edit([&](WorldEdit& edit) { edit.placeObstacle(Cell{128 + 63 * (i & 1), 128 + 63 * ((i >> 1) & 1)}, ObstacleKind::Wall, 2.0f); });
        table = RegionTable::build(world.snapshot(), profile, table);
        ASSERT_NO_FATAL_FAILURE(expectStopsFitTheCells(*table, world.snapshot()));
    }
}

}  // namespace
}  // namespace warpath
