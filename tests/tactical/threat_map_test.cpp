#include "warpath/tactical/threat_map.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/threat_twin.h"
#include "warpath/core/rng.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

std::unique_ptr<World> randomWorld(std::uint64_t seed, int width, int height, std::uint32_t percent, bool hills) {
    Rng rng(seed);
    auto world = std::make_unique<World>(WorldConfig{.width = width, .height = height, .origin = {-30, 11}});
    world->edit([&](WorldEdit& e) {
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                const Cell c{x - 30, y + 11};
                if (rng.percent(percent)) e.placeObstacle(c, ObstacleKind::Wall, static_cast<float>(rng.below(300)) / 100.0f);
                if (hills) e.setElevation({c.x, c.y, 1, 1}, static_cast<float>(rng.below(200)) / 100.0f);
            }
        }
    });
    return world;
}

ThreatSource randomSource(Rng& rng, std::uint32_t id, int width, int height, std::uint32_t max_range) {
    ThreatSource source;
    source.id = id;
    source.position.x = static_cast<float>(rng.below(static_cast<std::uint32_t>(width + 20) * 8)) / 8.0f - 40.0f;
    source.position.y = static_cast<float>(rng.below(static_cast<std::uint32_t>(height + 20) * 8)) / 8.0f + 1.0f;
    source.range = static_cast<float>(1 + rng.below(max_range * 10)) / 10.0f;
    source.firepower = static_cast<float>(rng.below(200)) / 100.0f;
    return source;
}

void expectValues(const ThreatMap& map, const WorldSnapshot& s, const std::vector<int>& expected) {
    const int res = map.config().resolution, columns = (s.width() + res - 1) / res;
    for (int y = 0; y < s.height(); ++y) {
        for (int x = 0; x < s.width(); ++x) {
            ASSERT_EQ(map.threatAt({x + s.origin().x, y + s.origin().y}), expected[static_cast<std::size_t>((y / res) * columns + x / res)])
                << "grid cell " << x << ',' << y;
        }
    }
}

void expectEqual(const ThreatMap& a, const ThreatMap& b, const WorldSnapshot& s) {
    for (int y = 0; y < s.height(); ++y) {
        for (int x = 0; x < s.width(); ++x) {
            const Cell c{x + s.origin().x, y + s.origin().y};
            ASSERT_EQ(a.threatAt(c), b.threatAt(c)) << "grid cell " << x << ',' << y;
        }
    }
}

TEST(ThreatMap, FallsInAStraightLineToZeroAtTheRange) {
    World world({.width = 200, .height = 200});
    ThreatMap map(world.snapshot(), 0, {.resolution = 1, .blur_radius = 0});
    ASSERT_FALSE(map.addThreatSource({.id = 1, .position = {100.5f, 100.5f}, .range = 40.0f, .firepower = 2.0f}));
    EXPECT_FALSE(map.settled());
    map.finish();
    EXPECT_FLOAT_EQ(map.getThreat({100.5f, 100.5f}), 2.0f);
    EXPECT_NEAR(map.getThreat({120.5f, 100.5f}), 1.0f, 0.001f);
    EXPECT_NEAR(map.getThreat({100.5f, 70.5f}), 0.5f, 0.001f);
    EXPECT_EQ(map.getThreat({141.5f, 100.5f}), 0.0f);
    EXPECT_EQ(map.getThreat({-3.0f, 100.5f}), 0.0f);
    EXPECT_EQ(map.getThreat({std::numeric_limits<float>::quiet_NaN(), 1.0f}), 0.0f);
}

TEST(ThreatMap, AWallLeavesAFifthBehindIt) {
    World world({.width = 200, .height = 200});
    world.edit([](WorldEdit& e) { e.placeObstacle({105, 90, 1, 21}, ObstacleKind::Wall, 3.0f); });
    ThreatMap map(world.snapshot(), 0, {.resolution = 1, .blur_radius = 0});
    map.addThreatSource({.id = 1, .position = {100.5f, 100.5f}, .range = 40.0f, .firepower = 1.0f});
    map.finish();
    EXPECT_NEAR(map.getThreat({110.5f, 100.5f}), 0.2f * 0.75f, 0.001f);
    EXPECT_NEAR(map.getThreat({90.5f, 100.5f}), 0.75f, 0.001f);
    world.edit([](WorldEdit& e) { e.removeObstacle({105, 90, 1, 21}); });
    map.setGround(world.snapshot());
    map.finish();
    EXPECT_NEAR(map.getThreat({110.5f, 100.5f}), 0.75f, 0.001f);
}

TEST(ThreatMap, EqualsTheTwin) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE(seed);
        const auto world = randomWorld(seed, 110, 93, 3, seed % 3 == 0);
        const WorldSnapshot s = world->snapshot();
        const int resolutions[] = {1, 2, 4, 8};
        ThreatConfig config{.resolution = resolutions[seed % 4], .blur_radius = static_cast<int>(seed * 5 % 9), .line_of_sight = seed % 5 != 0};
        Rng rng(seed + 50);
        std::vector<ThreatSource> sources;
        for (std::uint32_t id = 0; id < 7; ++id) sources.push_back(randomSource(rng, id * 3, 110, 93, 50));
        sources[2].firepower = 16.0f;
        sources[3] = sources[2];
        sources[3].id = 1000;
        ThreatMap map(s, 3, config);
        ASSERT_FALSE(map.update(sources));
        map.finish();
        expectValues(map, s, twin::threatOf(s, sources, config));
    }
}

TEST(ThreatMap, AfterAnyHistoryEqualsAFreshMapToTheBit) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE(seed);
        const auto world = randomWorld(seed, 300, 280, 2, seed == 4);
        const ThreatConfig config{.resolution = seed % 2 == 0 ? 2 : 1, .blur_radius = 3};
        ThreatMap map(world->snapshot(), 0, config);
        Rng rng(seed + 9);
        std::vector<ThreatSource> sources;
        for (int round = 0; round < 12; ++round) {
            for (int k = 0; k < 4; ++k) {
                const std::uint32_t id = rng.below(20);
                std::erase_if(sources, [&](const ThreatSource& source) { return source.id == id; });
                if (rng.percent(70)) sources.push_back(randomSource(rng, id, 300, 280, 60));
            }
            ASSERT_FALSE(map.update(sources));
            if (round % 3 == 0) map.step(1 + rng.below(40));  // left half done now and then
            if (round % 2 == 0) {
                const int x = static_cast<int>(rng.below(280)) - 30;
                const int y = static_cast<int>(rng.below(260)) + 11;
                world->edit([&](WorldEdit& e) {
                    if (round % 4 == 0) {
                        e.placeObstacle({x, y, 9, 5}, ObstacleKind::Building, 6.0f);
                    } else {
                        e.removeObstacle({x, y, 40, 40});
                    }
                    if (round == 6) e.setElevation({x, y, 20, 20}, 3.0f);
                });
                map.setGround(world->snapshot());
            }
            if (round % 4 == 1) continue;
            map.finish();
            ThreatMap fresh(world->snapshot(), 0, config);
            ASSERT_FALSE(fresh.update(sources));
            fresh.finish();
            expectEqual(map, fresh, world->snapshot());
        }
    }
}

TEST(ThreatMap, SlicesEndWhereOneGoEnds) {
    const auto world = randomWorld(3, 260, 260, 3, false);
    Rng rng(1);
    std::vector<ThreatSource> sources;
    for (std::uint32_t id = 0; id < 30; ++id) sources.push_back(randomSource(rng, id, 260, 260, 60));
    ThreatMap whole(world->snapshot(), 0, {}), sliced(world->snapshot(), 0, {});
    ASSERT_FALSE(whole.update(sources));
    ASSERT_FALSE(sliced.update(sources));
    whole.finish();
    int slices = 1;
    while (!sliced.step(3)) ++slices;
    EXPECT_GT(slices, 10);
    expectEqual(whole, sliced, world->snapshot());
}

TEST(ThreatMap, OneSourceOfLongRangeOverHillsIsWorkedOffInPieces) {
    const auto world = randomWorld(5, 420, 360, 1, true);
    ThreatSource source{.id = 1, .position = {150.0f, 140.0f}, .range = 320.0f, .firepower = 1.0f};
    for (const int resolution : {1, 2, 8}) {
        SCOPED_TRACE(resolution);
        const ThreatConfig config{.resolution = resolution};
        ThreatMap map(world->snapshot(), 0, config);
        ASSERT_FALSE(map.addThreatSource(source));
        int slices = 0;
        while (!map.step(100)) ++slices;
        EXPECT_GT(slices, 30);
        source.position.x += 31.0f;
        ASSERT_FALSE(map.addThreatSource(source));
        for (int i = 0; i < 40; ++i) ASSERT_FALSE(map.step(20));
        source.position.y += 5.0f;  // moves on while it is looked at
        ASSERT_FALSE(map.addThreatSource(source));
        for (int i = 0; i < 40; ++i) ASSERT_FALSE(map.step(20));
        world->edit([&](WorldEdit& e) { e.placeObstacle({resolution * 20, 100, 9, 9}, ObstacleKind::Building, 9.0f); });
        map.setGround(world->snapshot());
        for (int i = 0; i < 40; ++i) ASSERT_FALSE(map.step(20));
        map.finish();
        ThreatMap fresh(world->snapshot(), 0, config);
        ASSERT_FALSE(fresh.addThreatSource(source));
        fresh.finish();
        expectEqual(map, fresh, world->snapshot());
        ASSERT_TRUE(map.removeThreatSource(1));
        map.finish();
        EXPECT_EQ(map.getThreat(source.position), 0.0f);
    }
}

TEST(ThreatMap, ViewsOfAllSourcesAreLimited) {
    World world({.width = 2048, .height = 2048});
    ThreatMap map(world.snapshot(), 0, {});
    std::vector<ThreatSource> enemies;
    for (std::uint32_t id = 0; id < 700; ++id) enemies.push_back({.id = id, .position = {1024.0f, 1024.0f}, .range = 1000.0f, .firepower = 0.1f});
    const auto error = map.update(enemies);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->field, "enemies");
    EXPECT_NE(error->remedy.find("256 MiB"), std::string::npos);
    EXPECT_EQ(map.sourceCount(), 0u);
    enemies.resize(500);
    EXPECT_FALSE(map.update(enemies));
    for (ThreatSource& enemy : enemies) enemy.range = 300.0f;
    EXPECT_FALSE(map.update(enemies));
    for (std::uint32_t id = 500; id < 4000; ++id) enemies.push_back({.id = id, .position = {1024.0f, 1024.0f}, .range = 300.0f, .firepower = 0.1f});
    EXPECT_FALSE(map.update(enemies));
    EXPECT_FALSE(map.removeThreatSource(4000));
    ThreatMap blind(world.snapshot(), 0, {.line_of_sight = false});
    for (ThreatSource& enemy : enemies) enemy.range = 1000.0f;
    EXPECT_FALSE(blind.update(enemies)) << "what looks at nothing keeps no views";
}

TEST(ThreatMap, PublishesOnlyWhatMovedByASixteenth) {
    World world({.width = 512, .height = 512});
    ThreatMap map(world.snapshot(), 2, {.resolution = 2, .blur_radius = 2});
    const auto publish = [&] {
        std::size_t written = 0;
        map.finish();
        world.edit([&](WorldEdit& e) { written = map.publish(e); });
        return written;
    };
    map.addThreatSource({.id = 1, .position = {200.0f, 200.0f}, .range = 60.0f, .firepower = 1.0f});
    EXPECT_GT(publish(), 0u);
    EXPECT_EQ(publish(), 0u) << "nothing changed";
    for (int y = 0; y < 512; ++y) {
        for (int x = 0; x < 512; ++x) {
            const float here = world.snapshot().threatAt(2, {x, y});
            const float now = map.getThreat(centreOf({x, y}));
            ASSERT_NEAR(here, now, 0.07f);
            if (world.snapshot().threat(2, {x / 64, y / 64}) != nullptr) { ASSERT_EQ(here, now); }
        }
    }
    const std::uint64_t before = world.snapshot().threat(2, {3, 3})->revision;
    map.addThreatSource({.id = 1, .position = {200.0f, 200.0f}, .range = 60.0f, .firepower = 1.02f});
    EXPECT_EQ(publish(), 0u) << "a drift of 0.02 does not exist for readers";
    EXPECT_EQ(world.snapshot().threat(2, {3, 3})->revision, before);
    map.addThreatSource({.id = 1, .position = {200.0f, 200.0f}, .range = 60.0f, .firepower = 1.05f});
    EXPECT_EQ(publish(), 0u);
    map.addThreatSource({.id = 1, .position = {200.0f, 200.0f}, .range = 60.0f, .firepower = 1.08f});
    EXPECT_GT(publish(), 0u) << "small drifts add up against what is published";
    EXPECT_GT(world.snapshot().threat(2, {3, 3})->revision, before);
    EXPECT_EQ(world.snapshot().threat(1, {3, 3}), nullptr) << "other sides face nothing";
    map.removeThreatSource(1);
    EXPECT_GT(publish(), 0u);
    EXPECT_EQ(world.snapshot().state().threat_chunks[2], 0u) << "nothing is left of a source that is gone";
    EXPECT_EQ(map.getThreat({200.0f, 200.0f}), 0.0f);
}

TEST(ThreatMap, BlocksHoldMeanAndMaximum) {
    World world({.width = 100, .height = 90});
    ThreatMap map(world.snapshot(), 0, {.resolution = 2, .blur_radius = 1});
    map.addThreatSource({.id = 1, .position = {70.0f, 70.0f}, .range = 30.0f, .firepower = 3.0f});
    map.finish();
    world.edit([&](WorldEdit& e) { map.publish(e); });
    const ThreatChunk* chunk = world.snapshot().threat(0, {1, 1});
    ASSERT_NE(chunk, nullptr);
    for (int by = 0; by < 8; ++by) {
        for (int bx = 0; bx < 8; ++bx) {
            int sum = 0, count = 0, most = 0;
            for (int y = by * 8; y < by * 8 + 8; y += 2) {
                for (int x = bx * 8; x < bx * 8 + 8; x += 2) {
                    if (x + 64 >= 100 || y + 64 >= 90) continue;
                    sum += chunk->at(x, y);
                    most = std::max(most, chunk->at(x, y));
                    ++count;
                }
            }
            const auto k = static_cast<std::size_t>(by * 8 + bx);
            EXPECT_EQ(chunk->block_max[k], most);
            EXPECT_EQ(chunk->block_mean[k], count == 0 ? 0 : (sum + count / 2) / count);
        }
    }
}

TEST(ThreatMap, RefusesWhatItCannotUseAndKeepsWhatItHad) {
    World world({.width = 64, .height = 64});
    ThreatMap map(world.snapshot(), 0, {});
    const ThreatSource good{.id = 1, .position = {10.0f, 10.0f}, .range = 20.0f, .firepower = 1.0f};
    ASSERT_FALSE(map.addThreatSource(good));
    ThreatSource bad = good;
    bad.range = -1.0f;
    EXPECT_EQ(map.addThreatSource(bad)->field, "range");
    bad = good;
    bad.firepower = std::numeric_limits<float>::infinity();
    EXPECT_EQ(map.update(std::vector<ThreatSource>{good, bad})->field, "enemies[1].firepower");
    EXPECT_EQ(map.update(std::vector<ThreatSource>{good, good})->field, "enemies");
    EXPECT_EQ(map.sourceCount(), 1u);
    EXPECT_FALSE(map.removeThreatSource(2));
    EXPECT_TRUE(map.removeThreatSource(1));
    EXPECT_FALSE(map.removeThreatSource(1));
    EXPECT_TRUE((ThreatConfig{.resolution = 3}).validate());
    EXPECT_TRUE((ThreatConfig{.hidden_factor = std::numeric_limits<float>::quiet_NaN()}).validate());
    EXPECT_TRUE((ThreatConfig{.resolution = 8, .blur_radius = 9}).validate());
    EXPECT_FALSE(ThreatConfig{}.validate());
}

}  // namespace
}  // namespace warpath
