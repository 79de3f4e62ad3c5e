#include "warpath/search/chunk_table.h"

#include <gtest/gtest.h>

#include <variant>

#include "support/scenes.h"
#include "support/slow_grid.h"
#include "warpath/search/hierarchy.h"

namespace warpath {
namespace {

Metric metricOf(const PathConstraints& wishes, const WorldSnapshot& snapshot) {
    return std::get<ResolvedConstraints>(resolve(wishes, snapshot.rules())).metric;
}

TEST(ChunkTable, AnOpenChunkHasItsBordersEndsAndEvenlySpacedPortals) {
    const World world(WorldConfig{.width = 192, .height = 192, .has_cover = false});
    const WorldSnapshot now = world.snapshot();
    TileStore store;
    ChunkTableBuilder builder;
    const auto table = builder.table(now, metricOf(plainDistance(), now), {1, 1}, store, {.spacing = 21});
    ASSERT_EQ(table->count(), 16u);
    for (const std::size_t side : {0u, 2u, 4u, 6u}) EXPECT_EQ(table->side_begin[side + 1] - table->side_begin[side], 4);
    EXPECT_EQ(table->portals[0].cell, localIndex(63, 0));
    EXPECT_EQ(table->portals[3].cell, localIndex(63, 63));
    EXPECT_EQ(table->portals[0].crossing, 40'800u);
    EXPECT_EQ(table->cost(0, 3), 63u * 40'800u);
    const auto corner = builder.table(now, metricOf(plainDistance(), now), {0, 0}, store, {.spacing = 21});
    EXPECT_EQ(corner->count(), 8u) << "no portals where the map ends";
}

TEST(ChunkTable, EqualChunksShareOneTable) {
    const World world(WorldConfig{.width = 512, .height = 512, .has_cover = false});
    const WorldSnapshot now = world.snapshot();
    TileStore store;
    ChunkTableBuilder builder;
    const Metric metric = metricOf(plainDistance(), now);
    const auto one = builder.table(now, metric, {1, 1}, store, {});
    EXPECT_EQ(builder.table(now, metric, {5, 3}, store, {}), one);
    EXPECT_EQ(builder.built(), 1u);
}

TEST(ChunkTable, BothChunksListTheirCrossingsAtTheSameRanks) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Scene scene = randomScene(seed, {.elevation = true, .large_units = true});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        TileStore store;
        ChunkTableBuilder builder;
        const Metric metric = metricOf(scene.wishes, now);
        for (int y = 0; y < now.chunkRows(); ++y) {
            for (int x = 0; x < now.chunkColumns(); ++x) {
                const auto here = builder.table(now, metric, {x, y}, store, {});
                for (std::size_t side = 0; side < kDirections; ++side) {
                    const int nx = x + kStepX[side], ny = y + kStepY[side];
                    const std::size_t begin = here->side_begin[side], count = here->side_begin[side + 1] - begin;
                    if (nx < 0 || ny < 0 || nx >= now.chunkColumns() || ny >= now.chunkRows()) {
                        ASSERT_EQ(count, 0u);
                        continue;
                    }
                    const auto there = builder.table(now, metric, {nx, ny}, store, {});
                    const std::size_t back = (side + 4) & 7;
                    ASSERT_EQ(there->side_begin[back + 1] - there->side_begin[back], count);
                    for (std::size_t i = 0; i < count; ++i) {
                        const ChunkPortal& a = here->portals[begin + i];
                        const ChunkPortal& b = there->portals[there->side_begin[back] + i];
                        ASSERT_EQ(a.direction, oppositeOf(b.direction));
                        const int ax = x * 64 + a.cell % 64 + kStepX[a.direction], ay = y * 64 + a.cell / 64 + kStepY[a.direction];
                        ASSERT_EQ((Cell{ax, ay}), (Cell{nx * 64 + b.cell % 64, ny * 64 + b.cell / 64}));
                    }
                }
            }
        }
    }
}

TEST(ChunkTable, AnEditMakesAnewOnlyWhatItChanges) {
    World world(WorldConfig{.width = 320, .height = 320, .has_cover = false});
    const Metric metric = metricOf(plainDistance(), world.snapshot());
    Rng rng(3);
    world.edit([&](WorldEdit& edit) {
        for (int i = 0; i < 9000; ++i) {
            const int x = static_cast<int>(rng.below(320)), y = static_cast<int>(rng.below(320));
            edit.placeObstacle(Cell{x, y}, ObstacleKind::Rock, 2.0f);
        }
    });
    TileStore store;
    ChunkTableBuilder builder;
    const auto all = [&](ChunkTableBuilder& with, TileStore& in) {
        std::vector<ChunkTable> tables;
        for (int y = 0; y < 5; ++y) {
            for (int x = 0; x < 5; ++x) tables.push_back(*with.table(world.snapshot(), metric, {x, y}, in, {}));
        }
        return tables;
    };
    all(builder, store);
    EXPECT_EQ(builder.built(), 25u);
    world.edit([](WorldEdit& edit) { edit.placeObstacle(CellRect{150, 150, 8, 8}, ObstacleKind::Building, 6.0f); });
    all(builder, store);
    EXPECT_EQ(builder.built(), 26u) << "an edit inside a chunk";
    world.edit([](WorldEdit& edit) { edit.placeObstacle(CellRect{184, 150, 16, 8}, ObstacleKind::Building, 6.0f); });
    const auto repaired = all(builder, store);
    EXPECT_EQ(builder.built(), 28u) << "an edit across a border";
    TileStore empty;
    ChunkTableBuilder anew;
    EXPECT_EQ(all(anew, empty), repaired);
}

TEST(ChunkTable, AViewKeepsWhatAnEditInsideAChunkCannotConcern) {
    World world(WorldConfig{.width = 192, .height = 192});
    Rng rng(5);
    const auto any = [&](int n) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(n))); };
    world.edit([&](WorldEdit& edit) {
        for (int i = 0; i < 3000; ++i) edit.placeObstacle(Cell{any(192), any(192)}, ObstacleKind::Rock, 2.0f);
        for (int i = 0; i < 60; ++i) edit.setTerrain(CellRect{any(192), any(192), 1 + any(30), 1 + any(30)}, static_cast<Terrain>(any(4)));
    });
    for (const PathConstraints& wishes : {PathConstraints{}, PathConstraints{.wall_distance = 3.0f, .wall_weight = 2.0f, .unit_radius = 1.5f}}) {
        const Metric metric = metricOf(wishes, world.snapshot());
        const auto store = std::make_shared<TileStore>();
        HierarchyView view;
        int kept = 0;
        for (int round = 0; round < 15; ++round) {
            const WorldSnapshot before = world.snapshot();
            world.edit([&](WorldEdit& edit) {
                const CellRect rect{any(184), any(184), 1 + any(8), 1 + any(8)};
                switch (any(3)) {
                    case 0: edit.placeObstacle(rect, ObstacleKind::Building, 6.0f); break;
                    case 1: edit.removeObstacle(rect); break;
                    default: edit.setTerrain(rect, static_cast<Terrain>(any(4)));
                }
            });
            const WorldSnapshot now = world.snapshot();
            now.state().ground.forEachDifference(before.state().ground, [&](ChunkCoord, const ChunkGround* b, const ChunkGround* a) {
                kept += changedInside(a, b, metric, now) ? 1 : 0;
            });
            if (round % 3 == 2) continue;  // two edits at once
            view.bind(now, {metric, 0, 0}, store, {});
            TileStore empty;
            ChunkTableBuilder anew;
            for (int y = 0; y < 3; ++y) {
                for (int x = 0; x < 3; ++x) ASSERT_EQ(view.table({x, y}), *anew.table(now, metric, {x, y}, empty, {})) << round << ' ' << x << ',' << y;
            }
        }
        EXPECT_GE(kept, 2);
    }
}

TEST(ChunkTable, TheStoreKeepsItsCap) {
    World world(WorldConfig{.width = 640, .height = 640, .has_cover = false});
    Rng rng(3);
    world.edit([&](WorldEdit& edit) {
        for (int i = 0; i < 20'000; ++i) {
            const int x = static_cast<int>(rng.below(640)), y = static_cast<int>(rng.below(640));
            edit.placeObstacle(Cell{x, y}, ObstacleKind::Rock, 2.0f);
        }
    });
    const Metric metric = metricOf(plainDistance(), world.snapshot());
    TileStore store(TileStore::kDefaultBytes, 60'000);
    ChunkTableBuilder builder;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 100; ++i) {
            EXPECT_NE(builder.table(world.snapshot(), metric, {i % 10, i / 10}, store, {}), nullptr);
            ASSERT_LE(store.stats().table_bytes, 60'000u);
        }
    }
    EXPECT_GT(store.stats().tables_evicted, 100u);
    store.clear();
    EXPECT_EQ(store.stats().table_bytes, 0u);
}

}  // namespace
}  // namespace warpath
