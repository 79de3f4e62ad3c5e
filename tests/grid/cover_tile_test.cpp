#include "warpath/grid/cover_tile.h"

#include <gtest/gtest.h>

#include <memory>

#include "support/cover_twin.h"
#include "warpath/core/directions.h"
#include "warpath/core/rng.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

std::unique_ptr<CoverTile> compile(const WorldSnapshot& snapshot, ChunkCoord chunk) {
    auto tile = std::make_unique<CoverTile>();
    compileCoverTile(snapshot, chunk, *tile);
    return tile;
}

void expectEqualsTwin(const WorldSnapshot& snapshot, ChunkCoord chunk, int stride = 1) {
    const auto tile = compile(snapshot, chunk);
    for (int y = 0; y < kChunkSize; y += 1) {
        for (int x = y % stride; x < kChunkSize; x += stride) {
            const Cell cell{snapshot.origin().x + chunk.x * kChunkSize + x, snapshot.origin().y + chunk.y * kChunkSize + y};
            if (!snapshot.contains(cell)) continue;
            const twin::CoverCell expected = twin::coverAt(snapshot, cell);
            const auto i = static_cast<std::size_t>(localIndex(x, y));
            ASSERT_EQ(tile->cover[i], expected.cover) << cell.x << ',' << cell.y;
            ASSERT_EQ(tile->directions[i], expected.directions) << cell.x << ',' << cell.y;
            ASSERT_EQ(tile->kind[i], static_cast<int>(expected.kind)) << cell.x << ',' << cell.y;
            ASSERT_EQ(tile->exposure[i], expected.exposure) << cell.x << ',' << cell.y;
        }
    }
}

TEST(CoverTile, OpenGroundHasNoCoverAndFullExposure) {
    World world({.width = 200, .height = 200});
    const auto tile = compile(world.snapshot(), {1, 1});
    EXPECT_TRUE(tile->open);
    EXPECT_EQ(tile->cover[77], 0);
    EXPECT_EQ(tile->exposure[77], kFullExposure);
}

TEST(CoverTile, TheMapEdgeHidesNobody) {
    World world({.width = 70, .height = 70, .fill = Terrain::Forest});
    world.edit([](WorldEdit& e) { e.setTerrain({60, 60, 10, 10}, Terrain::Grass); });
    EXPECT_EQ(compile(world.snapshot(), {1, 1})->exposure[static_cast<std::size_t>(localIndex(69, 69))], kFullExposure);
    EXPECT_EQ(compile(world.snapshot(), {0, 0})->exposure[static_cast<std::size_t>(localIndex(30, 30))], 0);
}

TEST(CoverTile, AWallProtectsFromItsSideAndHalfAWallHalf) {
    World world({.width = 64, .height = 64});
    world.edit([](WorldEdit& e) {
        e.placeObstacle({10, 9, 1, 1}, ObstacleKind::Wall, 1.0f);
        e.placeObstacle({11, 10, 1, 1}, ObstacleKind::Rock, 3.0f);
    });
    const auto tile = compile(world.snapshot(), {0, 0});
    const auto i = static_cast<std::size_t>(localIndex(10, 10));
    EXPECT_EQ(tile->directions[i], (1u << 6) | (1u << 0));
    EXPECT_EQ(tile->cover[i], 100);
    EXPECT_EQ(tile->kind[i], static_cast<int>(ObstacleKind::Rock));
    const auto below_wall_only = static_cast<std::size_t>(localIndex(9, 10));
    EXPECT_EQ(tile->directions[below_wall_only], 1u << 7);
    EXPECT_EQ(tile->cover[below_wall_only], 50);
    EXPECT_EQ(tile->kind[below_wall_only], static_cast<int>(ObstacleKind::Wall));
}

TEST(CoverTile, ALowWallGivesCoverButClosesNoSight) {
    World world({.width = 64, .height = 64});
    world.edit([](WorldEdit& e) { e.placeObstacle({10, 9, 1, 1}, ObstacleKind::Wall, 1.69f); });
    const auto i = static_cast<std::size_t>(localIndex(10, 10));
    EXPECT_EQ(compile(world.snapshot(), {0, 0})->exposure[i], kFullExposure);
    world.edit([](WorldEdit& e) { e.placeObstacle({10, 9, 1, 1}, ObstacleKind::Wall, 1.7f); });
    EXPECT_EQ(compile(world.snapshot(), {0, 0})->exposure[i], kFullExposure - 3);  // north and the two knight's moves beside it
}

TEST(CoverTile, ADiagonalWallHidesWhatIsBehindIt) {
    World world({.width = 64, .height = 64});
    world.edit([](WorldEdit& e) {
        for (int i = 0; i < 20; ++i) e.placeObstacle(Cell{20 + i, 40 - i}, ObstacleKind::Wall, 3.0f);
    });
    // East, south, the knight's moves on both sides of each run into the wall; south-east passes between two of its cells; two rays graze along it.
    EXPECT_EQ(compile(world.snapshot(), {0, 0})->exposure[static_cast<std::size_t>(localIndex(29, 30))], 9);
}

TEST(CoverTile, EqualsTheTwinOnRandomWorlds) {
    for (std::uint64_t seed = 1; seed <= 7; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        WorldConfig config{.width = 150, .height = 140, .origin = {-70, 13}};
        const int radii[] = {500, 500, 100, 350, 1600, 720};
        config.rules.cover.detection_radius = static_cast<float>(radii[seed % 6]) / 100.0f;
        if (seed % 2 == 0) config.rules.cover.full_height = 3.3f;
        World world(config);
        const std::uint32_t density = seed % 3 == 0 ? 2000 : 120;
        world.edit([&](WorldEdit& e) {
            for (std::uint32_t k = 0; k < density; ++k) {
                const int x = static_cast<int>(rng.below(150)) - 70;
                const int y = static_cast<int>(rng.below(140)) + 13;
                const auto kind = static_cast<ObstacleKind>(1 + rng.below(4));
                const float height = static_cast<float>(rng.below(400)) / 100.0f;
                if (rng.percent(70)) {
                    e.placeObstacle(Cell{x, y}, kind, height);
                } else {
                    e.setTerrain(Cell{x, y}, rng.percent(50) ? Terrain::Forest : Terrain::Urban);
                }
            }
        });
        const WorldSnapshot snapshot = world.snapshot();
        for (int cy = 0; cy < snapshot.chunkRows(); ++cy) {
            for (int cx = 0; cx < snapshot.chunkColumns(); ++cx) expectEqualsTwin(snapshot, {cx, cy}, 4);
        }
    }
}

TEST(CoverTile, DependsOnTheNeighbourhoodOnly) {
    World world({.width = 320, .height = 320});
    world.edit([](WorldEdit& e) { e.placeObstacle({100, 100, 3, 9}, ObstacleKind::Building, 5.0f); });
    const auto before = compile(world.snapshot(), {1, 1});
    world.edit([](WorldEdit& e) { e.placeObstacle({192, 64, 64, 64}, ObstacleKind::Building, 5.0f); });
    const auto after = compile(world.snapshot(), {1, 1});
    EXPECT_EQ(before->cover, after->cover);
    EXPECT_EQ(before->directions, after->directions);
    EXPECT_EQ(before->exposure, after->exposure);
}

}  // namespace
}  // namespace warpath
