#include "warpath/world/world.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "support/scenes.h"
#include "support/worlds.h"

namespace warpath {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

TEST(World, AnEditWithOneErrorChangesNothing) {
    World world({.width = 100, .height = 100});
    const WorldSnapshot before = world.snapshot();
    const EditResult done = world.edit([](WorldEdit& edit) {
        EXPECT_TRUE(edit.setTerrain(CellRect{10, 10, 5, 5}, Terrain::Forest));
        EXPECT_FALSE(edit.placeObstacle(CellRect{200, 0, 1, 1}, ObstacleKind::Wall, 2.0f));
        EXPECT_TRUE(edit.setCongestion({1, 1}, 3.0f));
    });
    ASSERT_TRUE(done.error.has_value());
    EXPECT_EQ(done.error->field, "rect");
    EXPECT_TRUE(done.changed.empty());
    EXPECT_EQ(world.snapshot(), before);
    EXPECT_EQ(done.snapshot, before);
}

TEST(World, OneEditIsOneRevision) {
    World world({.width = 200, .height = 100});
    const std::uint64_t before = world.snapshot().revision();
    const EditResult done = world.edit([](WorldEdit& edit) {
        for (int x = 0; x < 200; x += 10) edit.placeObstacle(CellRect{x, 5, 2, 2}, ObstacleKind::Wall, 2.0f);
    });
    EXPECT_EQ(done.snapshot.revision(), before + 1);
    EXPECT_EQ(done.changed.size(), 3u) << "chunks touched";
}

TEST(World, OnlyTheChunksThatChangedGetANewRevision) {
    World world({.width = 200, .height = 200});
    const WorldSnapshot before = world.snapshot();
    const WorldSnapshot after = world.edit([](WorldEdit& edit) {
        edit.setTerrain(CellRect{64, 64, 64, 64}, Terrain::Swamp);
        edit.setTerrain(CellRect{0, 0, 3, 3}, Terrain::Grass);  // as it was
    }).snapshot;
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 4; ++x) {
            const bool changed = x == 1 && y == 1;
            EXPECT_EQ(after.ground({x, y}).revision, changed ? after.revision() : before.revision());
            EXPECT_EQ(&after.ground({x, y}) == &before.ground({x, y}), !changed) << "records that did not change are shared";
        }
    }
    EXPECT_EQ(before.terrainAt({70, 70}), Terrain::Grass) << "an older snapshot stays as it was";
    EXPECT_EQ(after.state().ground_revision, after.revision());
    EXPECT_EQ(after.neighbourhoodRevision({2, 2}), after.revision());
    EXPECT_EQ(after.neighbourhoodRevision({3, 3}), before.revision());
}

TEST(World, RectanglesAreClippedToAMapWithANegativeOrigin) {
    World world({.width = 70, .height = 70, .origin = {-35, -35}});
    const EditResult done = world.edit([](WorldEdit& edit) { edit.setTerrain(CellRect{-100, -100, 66, 66}, Terrain::Road); });
    EXPECT_FALSE(done.error.has_value());
    EXPECT_EQ(done.changed, (std::vector<CellRect>{{-35, -35, 1, 1}}));
    EXPECT_EQ(done.snapshot.terrainAt({-35, -35}), Terrain::Road);
    EXPECT_EQ(done.snapshot.terrainAt({-34, -35}), Terrain::Grass);
}

TEST(World, ARectangleOfTheLargestNumbersIsClippedWithoutWrappingRound) {
    World world({.width = 10, .height = 10, .origin = {-5, -5}});
    EXPECT_FALSE(world.edit([](WorldEdit& edit) { edit.setTerrain(CellRect{-10, -10, INT32_MAX, INT32_MAX}, Terrain::Road); }).error.has_value());
    EXPECT_EQ(world.snapshot().terrainAt({4, 4}), Terrain::Road);
    EXPECT_TRUE(world.edit([](WorldEdit& edit) { edit.setTerrain(CellRect{INT32_MAX, 0, INT32_MAX, 5}, Terrain::Road); }).error.has_value());
}

TEST(World, CellsFarBeyondTheMapAreNotInsideIt) {
    World world({.width = 10, .height = 10, .origin = {-5, -5}});
    for (const Cell far : {Cell{INT32_MAX, 0}, Cell{0, INT32_MAX}, Cell{INT32_MIN, 0}, Cell{5, 0}, Cell{-6, 0}}) EXPECT_FALSE(world.snapshot().contains(far));
    EXPECT_TRUE(world.snapshot().contains({4, -5}));
}

TEST(World, SizesOriginsAndRulesOutsideTheirLimitsAreRefused) {
    EXPECT_EQ(World::check({.width = 8193, .height = 1})->field, "size");
    EXPECT_EQ(World::check({.width = 1, .height = 8193})->field, "size");
    EXPECT_EQ(World::check({.width = 0, .height = 1})->field, "size");
    EXPECT_EQ(World::check({.width = -4, .height = 1})->field, "size");
    EXPECT_FALSE(World::check({.width = 8192, .height = 8192}).has_value());
    EXPECT_EQ(World::check({.origin = {1'000'001, 0}})->field, "origin");
    EXPECT_EQ(World::check({.fill = static_cast<Terrain>(10)})->field, "fill");
    for (const float wrong : {0.0f, -1.0f, 98.995f, kNan, kInfinite}) {
        WorldConfig config;
        config.rules.unit_classes[2].multipliers[3] = wrong;
        EXPECT_TRUE(World::check(config).has_value()) << wrong;
    }
    for (const float wrong : {0.0f, -1.0f, kNan, kInfinite}) {
        WorldConfig config;
        config.rules.unit_classes[0].speed = wrong;
        EXPECT_TRUE(World::check(config).has_value()) << wrong;
    }
}

TEST(World, ValuesOutsideTheirLimitsAreRefusedByEveryEdit) {
    World world({.width = 64, .height = 64});
    const auto refused = [&](const std::function<void(WorldEdit&)>& change) { return world.edit(change).error.has_value(); };
    for (const float wrong : {kNan, kInfinite, -kInfinite, 20'001.0f, -20'001.0f}) {
        EXPECT_TRUE(refused([&](WorldEdit& edit) { edit.setElevation({0, 0, 1, 1}, wrong); })) << wrong;
        EXPECT_TRUE(refused([&](WorldEdit& edit) { edit.setElevation({0, 0, 2, 1}, std::vector<float>{0.0f, wrong}); })) << wrong;
    }
    for (const float wrong : {kNan, kInfinite, -0.01f, 82.0f}) {
        EXPECT_TRUE(refused([&](WorldEdit& edit) { edit.placeObstacle(Cell{1, 1}, ObstacleKind::Wall, wrong); })) << wrong;
    }
    for (const float wrong : {kNan, kInfinite, -0.01f, 64.5f}) {
        EXPECT_TRUE(refused([&](WorldEdit& edit) { edit.setCongestion({1, 1}, wrong); })) << wrong;
    }
    for (const float wrong : {kNan, kInfinite, 0.4f, 257.0f}) {
        EXPECT_TRUE(refused([&](WorldEdit& edit) { edit.makeCrater({5.0f, 5.0f}, wrong); })) << wrong;
    }
    EXPECT_TRUE(refused([](WorldEdit& edit) { edit.makeCrater({kNan, 5.0f}, 2.0f); }));
    EXPECT_TRUE(refused([](WorldEdit& edit) { edit.setTerrain(Cell{0, 0}, static_cast<Terrain>(10)); }));
    EXPECT_TRUE(refused([](WorldEdit& edit) { edit.setTerrain(CellRect{0, 0, 0, 3}, Terrain::Road); }));
    EXPECT_TRUE(refused([](WorldEdit& edit) { edit.placeObstacle(Cell{0, 0}, ObstacleKind::None, 1.0f); }));
    EXPECT_TRUE(refused([](WorldEdit& edit) { edit.setThreat(16, {0, 0}, evenThreat(5)); }));
    EXPECT_TRUE(refused([](WorldEdit& edit) { edit.setThreat(0, {1, 0}, evenThreat(5)); }));
    EXPECT_EQ(world.snapshot().revision(), 1u);
}

TEST(World, ThreatThatNoRecordMayHoldIsRefused) {
    World world({.width = 64, .height = 64});
    const auto refused = [&](const std::function<void(ThreatChunk&)>& spoil) {
        auto threat = evenThreat(kMaxStoredThreat, 1);
        spoil(*threat);
        return world.edit([&](WorldEdit& edit) { edit.setThreat(0, {0, 0}, threat); }).error.has_value();
    };
    EXPECT_FALSE(refused([](ThreatChunk&) {}));
    EXPECT_TRUE(refused([](ThreatChunk& threat) { threat.values[7] = kMaxStoredThreat + 1; })) << "20 x 16.001 would not fit beside the other terms";
    EXPECT_TRUE(refused([](ThreatChunk& threat) { threat.values.pop_back(); }));
    EXPECT_TRUE(refused([](ThreatChunk& threat) { threat.resolution_shift = 4; }));
    EXPECT_TRUE(refused([](ThreatChunk& threat) { threat.resolution_shift = 200; }));
}

TEST(World, ElevationIsPackedPerChunkAndReadBackInCentimetres) {
    World world({.width = 128, .height = 64});
    Rng rng(3);
    std::vector<float> heights;
    for (int i = 0; i < 128 * 64; ++i) heights.push_back(static_cast<float>(static_cast<int>(rng.below(65'500)) - 30'000) / 100.0f);
    ASSERT_FALSE(world.edit([&](WorldEdit& edit) { edit.setElevation({0, 0, 128, 64}, heights); }).error.has_value());
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 128; ++x) EXPECT_NEAR(world.snapshot().elevationAt({x, y}), heights[static_cast<std::size_t>(y * 128 + x)], 0.0051f);
    }
    EXPECT_EQ(world.snapshot().state().elevated_chunks, 2u);
    EXPECT_EQ(world.edit([](WorldEdit& edit) { edit.setElevation({0, 0, 1, 1}, 1000.0f); }).error->field, "elevation") << "more than 655 m of relief";
    world.edit([](WorldEdit& edit) { edit.setElevation({0, 0, 64, 64}, 7.5f); });
    EXPECT_EQ(world.snapshot().ground({0, 0}).elevation, nullptr) << "flat chunks keep one number";
    world.edit([](WorldEdit& edit) { edit.setElevation({0, 0, 128, 64}, 0.0f); });
    EXPECT_EQ(world.snapshot().state().elevated_chunks, 0u);
}

TEST(World, CongestionIsCountedByChunkAndClearedAtOnce) {
    World world({.width = 128, .height = 64});
    world.edit([](WorldEdit& edit) {
        edit.setCongestion({5, 5}, 1.25f);
        edit.setCongestion({70, 5}, 64.0f);
    });
    EXPECT_EQ(world.snapshot().state().congested_chunks, 2u);
    EXPECT_EQ(world.snapshot().congestion({0, 0})->value[static_cast<std::size_t>(localIndex(5, 5))], 125);
    world.edit([](WorldEdit& edit) {
        edit.clearCongestion();
        edit.setCongestion({6, 6}, 2.0f);
    });
    EXPECT_EQ(world.snapshot().state().congested_chunks, 1u);
    EXPECT_EQ(world.snapshot().congestion({0, 0})->value[static_cast<std::size_t>(localIndex(5, 5))], 0);
}

TEST(World, ThreatIsKeptPerSideAndCounted) {
    World world({.width = 128, .height = 64, .origin = {-10, -10}});
    world.edit([](WorldEdit& edit) { edit.setThreat(3, {1, 0}, evenThreat(512, 3)); });
    const WorldSnapshot now = world.snapshot();
    EXPECT_EQ(now.threatAt(3, {60, 0}), 0.5f);
    EXPECT_EQ(now.threatAt(2, {60, 0}), 0.0f);
    EXPECT_EQ(now.threatAt(3, {-10, 0}), 0.0f);
    EXPECT_EQ(now.threat(3, {1, 0})->revision, now.revision());
    EXPECT_EQ(now.state().threat_chunks[3], 1u);
    world.edit([](WorldEdit& edit) { edit.setThreat(3, {1, 0}, nullptr); });
    EXPECT_EQ(world.snapshot().state().threat_chunks[3], 0u);
    EXPECT_EQ(now.threatAt(3, {60, 0}), 0.5f) << "the older snapshot";
}

TEST(World, ACraterClearsTheCellsWhoseCentresItCovers) {
    World world({.width = 20, .height = 20});
    world.edit([](WorldEdit& edit) { edit.placeObstacle(CellRect{0, 0, 20, 20}, ObstacleKind::Building, 5.0f); });
    world.edit([](WorldEdit& edit) { edit.makeCrater({10.5f, 10.5f}, 2.0f); });
    const WorldSnapshot now = world.snapshot();
    for (int y = 0; y < 20; ++y) {
        for (int x = 0; x < 20; ++x) {
            const bool inside = (x - 10) * (x - 10) + (y - 10) * (y - 10) <= 4;
            EXPECT_EQ(now.obstacleAt({x, y}) == 0, inside);
            EXPECT_EQ(now.terrainAt({x, y}), inside ? Terrain::Rubble : Terrain::Grass);
        }
    }
}

TEST(World, TerrainIsCountedByTheChunksInWhichItOccurs) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        RandomWorld made = randomWorld(seed);
        Rng rng(seed);
        for (int i = 0; i < 10; ++i) editAtRandom(*made.world, rng, true);
        const WorldSnapshot now = made.world->snapshot();
        std::array<std::uint32_t, kMaxTerrainTypes> chunks{};
        for (int cy = 0; cy < now.chunkRows(); ++cy) {
            for (int cx = 0; cx < now.chunkColumns(); ++cx) {
                std::uint64_t mask = 0;
                for (const std::uint8_t t : now.ground({cx, cy}).terrain) mask |= std::uint64_t{1} << t;
                EXPECT_EQ(now.ground({cx, cy}).terrain_mask, mask);
                for (std::size_t t = 0; t < kMaxTerrainTypes; ++t) chunks[t] += (mask >> t) & 1;
            }
        }
        EXPECT_EQ(now.state().terrain_chunks, chunks);
    }
}

// The writer flips a whole checkerboard back and forth over several chunks; readers must only ever see one colour or the other.
TEST(WorldThreads, ReadersNeverSeeATornView) {
    World world({.width = 200, .height = 130, .origin = {-7, -9}});
    const CellRect map = world.snapshot().bounds();
    const auto paint = [&](int phase) {
        world.edit([&](WorldEdit& edit) {
            for (int y = 0; y < map.height; y += 13) {
                for (int x = 0; x < map.width; x += 20) {
                    const CellRect field{map.x + x, map.y + y, 20, 13};
                    edit.setTerrain(field, ((x / 20 + y / 13 + phase) & 1) != 0 ? Terrain::Road : Terrain::Sand);
                }
            }
        });
    };
    paint(0);
    std::atomic<bool> stop{false};
    std::atomic<int> torn{0}, looked{0};
    const auto read = [&] {
        while (!stop) {
            const WorldSnapshot now = world.snapshot();
            const bool first = now.terrainAt({map.x, map.y}) == Terrain::Road;
            for (int y = 0; y < map.height; y += 13) {
                for (int x = 0; x < map.width; x += 20) {
                    const bool road = now.terrainAt({map.x + x + 19, map.y + y + 12}) == Terrain::Road;
                    if (road != (first == (((x / 20 + y / 13) & 1) == 0))) ++torn;
                }
            }
            ++looked;
        }
    };
    std::thread one(read), two(read);
    for (int i = 1; i <= 300 || looked < 50; ++i) paint(i);
    stop = true;
    one.join();
    two.join();
    EXPECT_EQ(torn, 0);
}

TEST(World, AnEditThatChangesNothingPublishesNoRevision) {
    World world({.width = 100, .height = 100});
    const WorldSnapshot before = world.snapshot();
    EXPECT_EQ(world.edit([](WorldEdit&) {}).snapshot, before);
    const EditResult same = world.edit([](WorldEdit& e) {
        e.setTerrain({0, 0, 100, 100}, Terrain::Grass);
        e.removeObstacle({5, 5});
        e.setElevation({1, 1, 3, 3}, 0.0f);
        e.setCongestion({3, 3}, 0.0f);
        e.clearCongestion();
        e.setThreat(2, {0, 0}, nullptr);
    });
    EXPECT_FALSE(same.error);
    EXPECT_EQ(same.snapshot, before);
    EXPECT_EQ(world.snapshot(), before);
    EXPECT_EQ(world.edit([](WorldEdit& e) { e.setCongestion({3, 3}, 1.0f); }).snapshot.revision(), before.revision() + 1);
    EXPECT_EQ(world.edit([](WorldEdit& e) { e.setCongestion({3, 3}, 1.0f); }).snapshot.revision(), before.revision() + 1);
}

TEST(World, TwoNumbersAreACellAndFourARectangleInEveryEdit) {
    World world({.width = 100, .height = 100});
    const EditResult done = world.edit([](WorldEdit& e) {
        e.setTerrain({7, 8}, Terrain::Road);
        e.setTerrain({10, 10, 2, 3}, Terrain::Forest);
        e.placeObstacle({20, 21}, ObstacleKind::Building, 6.0f);
        e.placeObstacle(Cell{22, 21}, ObstacleKind::Building, 6.0f);
        e.setElevation({40, 41}, 2.0f);
        e.destroyBuilding({20, 21});
    });
    ASSERT_FALSE(done.error) << done.error->text();
    EXPECT_EQ(done.snapshot.terrainAt({7, 8}), Terrain::Road);
    EXPECT_EQ(done.snapshot.terrainAt({8, 8}), Terrain::Grass);
    EXPECT_EQ(done.snapshot.terrainAt({11, 12}), Terrain::Forest);
    EXPECT_EQ(done.snapshot.obstacleAt({20, 21}), 0);
    EXPECT_NE(done.snapshot.obstacleAt({22, 21}), 0);
    EXPECT_EQ(done.snapshot.elevationAt({40, 41}), 2.0f);
    EXPECT_EQ(done.snapshot.elevationAt({41, 41}), 0.0f);
}

TEST(World, NamesThatAreNotInSnakeCaseAreRefused) {
    for (const char* name : {"Mud", "deep mud", "1mud", "_mud", "mud-flat", "m\xc3\xbc" "d", ""}) {
        WorldRules rules = WorldRules::reference();
        rules.terrain_types[3].name = name;
        const auto error = rules.validate();
        ASSERT_TRUE(error) << name;
        EXPECT_EQ(error->field, "terrain_types");
        rules = WorldRules::reference();
        rules.unit_classes[0].name = name;
        ASSERT_TRUE(rules.validate()) << name;
        EXPECT_EQ(rules.validate()->field, "unit_classes");
    }
    WorldRules rules = WorldRules::reference();
    rules.terrain_types[3].name = "deep_mud_2";
    EXPECT_FALSE(rules.validate());
}

TEST(World, RulesForAMapWhoseLettersAreItsTerrainKeepThatTerrain) {
    WorldRules letters = WorldRules::reference();
    letters.fixed_terrain = true;
    letters.terrain_types = {{.name = "cost_a"}, {.name = "cost_b"}};
    for (UnitClass& unit : letters.unit_classes) unit.multipliers = {1.0f, 2.5f};
    WorldRules configured = WorldRules::reference();
    configured.unit_classes[0].speed = 3.0f;
    configured.unit_classes.push_back({"hovercraft", 14.0f, std::vector<float>(configured.terrain_types.size(), 1.0f)});
    configured.roads.avoid = 7.0f;
    const WorldRules applied = configured.appliedTo(letters);
    EXPECT_FALSE(applied.validate()) << applied.validate()->text();
    EXPECT_EQ(applied.terrain_types.size(), 2u);
    EXPECT_EQ(applied.unit_classes[0].speed, 3.0f);
    EXPECT_EQ(applied.unit_classes.back().name, "hovercraft");
    EXPECT_EQ(applied.unit_classes.back().multipliers, (std::vector<float>{1.0f, 2.5f}));
    EXPECT_EQ(applied.roads.avoid, 7.0f);
    EXPECT_EQ(configured.appliedTo(WorldRules::reference()).terrain_types.size(), 10u);
}

TEST(World, ErrorsTellHugeNumbersShortly) {
    World world({.width = 10, .height = 10});
    const auto error = world.edit([](WorldEdit& e) { e.setElevation({1, 1}, -3.4e38f); }).error;
    ASSERT_TRUE(error);
    EXPECT_EQ(error->value, "-3.4e+38");
}

TEST(World, the_difference_of_two_ground_records_is_the_smallest_rectangle_of_what_differs) {
    World world({.width = 64, .height = 64});
    const WorldSnapshot before = world.snapshot();
    EXPECT_TRUE(groundDifference(before.ground({0, 0}), before.ground({0, 0})).empty());
    const auto after = [&](const std::function<void(WorldEdit&)>& change) { return groundDifference(before.ground({0, 0}), world.edit(change).snapshot.ground({0, 0})); };
    EXPECT_EQ(after([](WorldEdit& e) { e.setTerrain({63, 0, 1, 1}, Terrain::Swamp); }), (CellRect{63, 0, 1, 1}));
    EXPECT_EQ(after([](WorldEdit& e) { e.placeObstacle({5, 60, 2, 3}, ObstacleKind::Wall, 2.0f); }), (CellRect{5, 0, 59, 63}));
    EXPECT_EQ(after([](WorldEdit& e) { e.setElevation({0, 63, 1, 1}, 1.0f); }), (CellRect{0, 0, 64, 64}));
}

}  // namespace
}  // namespace warpath
