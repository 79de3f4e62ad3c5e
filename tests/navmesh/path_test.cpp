#include <algorithm>
#include <cmath>

#include "navmesh/support.h"

namespace warpath {
namespace {

using test::draw;
using test::Fixture;

TEST(NavPathTest, OpenGroundIsCrossedInOneStraightLine) {
    Fixture f({.width = 256, .height = 192});
    f.open();
    const NavPath path = f.path({10.25f, 20.5f}, {240.0f, 180.0f});
    ASSERT_EQ(path.status, NavStatus::Complete);
    ASSERT_EQ(path.points.size(), 2u);
    EXPECT_EQ(path.points[0], (Position{10.25f, 20.5f}));
    EXPECT_EQ(path.points[1], (Position{240.0f, 180.0f}));
    EXPECT_NEAR(path.length, std::hypot(229.75f, 159.5f), 0.01f);
    EXPECT_EQ(path.search, NavSearch::Exact);
}

TEST(NavPathTest, AWallIsRoundedAtTheRadius) {
    Fixture f({.width = 128, .height = 128});
    f.edit([](WorldEdit& e) { e.placeObstacle({60, 0, 4, 100}, ObstacleKind::Wall, 3.0f); });
    f.open();
    const NavPath path = f.path({30.0f, 50.0f}, {100.0f, 50.0f});
    ASSERT_EQ(path.status, NavStatus::Complete);
    // Corners of the wall at (60, 100) and (64, 100); the mesh keeps half a metre away.
    const float expected = std::hypot(29.5f, 50.5f) + 5.0f + std::hypot(35.5f, 50.5f);
    EXPECT_NEAR(path.length, expected, 0.3f);
    for (const NavSearch how : {NavSearch::Weighted, NavSearch::Detour}) {
        NavPath other;
        f.reader->findPath({.from = {30.0f, 50.0f}, .to = {100.0f, 50.0f}, .search = how}, other);
        ASSERT_EQ(other.status, NavStatus::Complete);
        EXPECT_GE(other.length, path.length - 0.01f);
        EXPECT_LE(other.length, path.length * 1.2f);
    }
}

TEST(NavPathTest, TerrainIsPricedByTheUnitTable) {
    Fixture f({.width = 128, .height = 64});
    f.edit([](WorldEdit& e) { e.setTerrain({40, 0, 40, 50}, Terrain::Swamp); });
    f.open();
    NavPath walker, tank;
    const NavQuery query{.from = {20.0f, 30.0f}, .to = {100.0f, 30.0f}, .mover = {.unit = UnitType::Infantry}};
    ASSERT_EQ(f.reader->findPath(query, walker), NavStatus::Complete);
    EXPECT_EQ(walker.search, NavSearch::Weighted);
    NavQuery heavy = query;
    heavy.mover.unit = UnitType::TankHeavy;
    ASSERT_EQ(f.reader->findPath(heavy, tank), NavStatus::Complete);
    // Both go round (swamp costs 3 and 12 times grass); straight through would cost 40 + 40 * 3 and more.
    EXPECT_LT(walker.cost, 110.0f);
    EXPECT_GT(tank.length, 85.0f);
    NavQuery plain = query;
    plain.mover.terrain_weight = 0.0f;
    NavPath straight;
    ASSERT_EQ(f.reader->findPath(plain, straight), NavStatus::Complete);
    EXPECT_EQ(straight.points.size(), 2u);
}

// Found by random edits: an edge that held the start in its middle was passed again and again, and the search never ended.
TEST(NavPathTest, LengthIsThatOfThePointsAndNoLegIsLeftOutOfTheCost) {
    Rng rng(1);
    const auto random = [&](int below) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(below))); };
    Fixture f({.width = 256, .height = 256});
    f.edit([&](WorldEdit& e) {
        for (int i = 0; i < 200; ++i) {
            const int x = random(248), y = random(248), w = 1 + random(8), h = 1 + random(8);
            e.placeObstacle({x, y, w, h}, ObstacleKind::Building, 4.0f);
        }
        for (int i = 0; i < 20; ++i) {
            const float x = static_cast<float>(random(256)), y = static_cast<float>(random(256));
            e.makeCrater({x, y}, static_cast<float>(1 + random(5)));
        }
    });
    f.open();
    NavPath path;
    int ways = 0;
    for (int i = 0; i < 6000; ++i) {
        const Position from{static_cast<float>(random(256)) + 0.5f, static_cast<float>(random(256)) + 0.5f};
        const Position to{static_cast<float>(random(256)) + 0.5f, static_cast<float>(random(256)) + 0.5f};
        if (f.reader->findPath({.from = from, .to = to, .search = i % 2 == 0 ? NavSearch::Exact : NavSearch::Weighted}, path) != NavStatus::Complete) continue;
        ++ways;
        double length = 0.0;
        for (std::size_t k = 1; k < path.points.size(); ++k) {
            length += std::hypot(static_cast<double>(path.points[k].x) - path.points[k - 1].x, static_cast<double>(path.points[k].y) - path.points[k - 1].y);
        }
        ASSERT_NEAR(path.length, length, 1e-4 * length + 1e-4) << i;
        ASSERT_GE(path.cost, path.length * 0.9999f) << i;  // nothing here costs less than 1
    }
    EXPECT_GT(ways, 3000);
}

TEST(NavPathTest, AlongABorderTheCheaperGroundIsPriced) {
    Fixture f({.width = 128, .height = 128});
    f.edit([](WorldEdit& e) { e.setTerrain({50, 50, 20, 60}, Terrain::Swamp); });
    f.open();
    NavPath path;
    ASSERT_EQ(f.reader->findPath({.from = {40.5f, 52.5f}, .to = {80.5f, 52.5f}, .mover = {.unit = UnitType::TankHeavy}}, path), NavStatus::Complete);
    EXPECT_LT(path.cost, 1.25f * path.length);  // grass costs this unit 1.2, swamp ten times as much
    EXPECT_LT(path.length, 45.0f);
}

TEST(NavPathTest, AStartInTheMiddleOfAnEdgeIsLedRoundOnce) {
    Fixture f({.width = 64 * 6, .height = 64 * 6, .origin = {-100, -100}});
    Rng layout(2);
    f.edit([&](WorldEdit& e) {
        for (int i = 0; i < 300; ++i) {
            e.placeObstacle({static_cast<int>(layout.below(370)) - 100, static_cast<int>(layout.below(370)) - 100, 4, 4}, ObstacleKind::Rock, 2.0f);
        }
    });
    f.open({.cell_size = 1.0f});
    int found = 0;
    Rng rng(3);
    NavPath on, beside;
    for (int i = 0; i < 400; ++i) {
        // Starts on the borders of tiles, 32 m apart.
        const Position from{static_cast<float>(32 * static_cast<int>(rng.below(11))) - 68.0f, static_cast<float>(rng.below(380)) - 100.0f};
        const Position to = i == 0 ? Position{-10.0f, 167.0f} : Position{static_cast<float>(rng.below(380)) - 100.0f, static_cast<float>(rng.below(380)) - 100.0f};
        const Position start = i == 0 ? Position{28.0f, -30.0f} : from;
        const NavStatus status = f.reader->findPath({.from = start, .to = to, .allow_partial = true, .search = NavSearch::Exact, .max_expansions = 20'000}, on);
        ASSERT_NE(status, NavStatus::OutOfNodes) << i;
        if (status != NavStatus::Complete || on.points.front() != start) continue;
        const Position near{start.x + 0.01f, start.y};
        if (f.reader->findPath({.from = near, .to = to, .search = NavSearch::Exact}, beside) != NavStatus::Complete) continue;
        ASSERT_NEAR(on.length, beside.length, 0.02f) << i;
        ++found;
    }
    EXPECT_GT(found, 100);
}

TEST(NavPathTest, DeadEndsAreEnteredWhereTheWayEndsOrBeginsThere) {
    Fixture f({.width = 64, .height = 64});
    f.edit([](WorldEdit& e) {
        // A winding pocket with its mouth in the north, away from every tile's border.
        draw(e, {"#.########", "#.#......#", "#.#.####.#", "#...#..#.#", "#####....#", "##########"}, {8, 8});
        draw(e, {"#####", "#...#", "#...#", "#...#", "#####"}, {38, 18});  // a closed yard
    });
    f.open({.cell_size = 0.25f, .agent_radius = 0.25f});
    const Position outside{30.5f, 28.5f}, depth{13.5f, 11.5f}, mouth{9.5f, 8.5f};
    NavPath in, out, past;
    for (const NavSearch how : {NavSearch::Exact, NavSearch::Weighted}) {
        ASSERT_EQ(f.reader->findPath({.from = outside, .to = depth, .search = how}, in), NavStatus::Complete);
        ASSERT_EQ(f.reader->findPath({.from = depth, .to = outside, .search = how}, out), NavStatus::Complete);
        EXPECT_NEAR(in.length, out.length, 0.01f);
        EXPECT_GT(in.length, 40.0f);
    }
    // Passing by, the search opens few polygons of the pocket: the straight line is free.
    ASSERT_EQ(f.reader->findPath({.from = {2.5f, 6.5f}, .to = {30.5f, 6.5f}, .search = NavSearch::Exact}, past), NavStatus::Complete);
    EXPECT_NEAR(past.length, 28.0f, 0.01f);
    // A link that starts in the pocket makes it worth entering.
    const Position yard{40.5f, 20.5f};
    ASSERT_EQ(f.reader->findPath({.from = mouth, .to = yard}, in), NavStatus::Unreachable);
    ASSERT_FALSE(f.nav->addLink({.id = 5, .from = depth, .to = yard}));
    ASSERT_TRUE(f.nav->finish(f.world.snapshot()));
    ASSERT_EQ(f.reader->findPath({.from = mouth, .to = yard, .search = NavSearch::Exact}, in), NavStatus::Complete);
    ASSERT_EQ(in.links.size(), 1u);
    EXPECT_EQ(in.links[0].id, 5u);
}

TEST(NavPathTest, WeightedWaysOnGroundOfOnePriceAreNearlyTheShortest) {
    Fixture f({.width = 320, .height = 320});
    Rng rng(7);
    f.edit([&](WorldEdit& e) {
        for (int i = 0; i < 260; ++i) {
            const int w = 2 + static_cast<int>(rng.below(15)), h = 2 + static_cast<int>(rng.below(15));
            e.placeObstacle({static_cast<int>(rng.below(304)), static_cast<int>(rng.below(304)), w, h}, ObstacleKind::Building, 5.0f);
        }
    });
    f.open();
    NavPath exact, weighted;
    double over = 0.0, worst = 0.0;
    int ways = 0;
    for (int i = 0; i < 400; ++i) {
        const Position a{static_cast<float>(rng.below(60)) + 0.5f, static_cast<float>(rng.below(320)) + 0.5f};
        const Position b{static_cast<float>(rng.below(60)) + 260.5f, static_cast<float>(rng.below(320)) + 0.5f};
        if (!f.reader->walkable(a, {}) || !f.reader->walkable(b, {})) continue;
        if (f.reader->findPath({.from = a, .to = b, .search = NavSearch::Exact}, exact) != NavStatus::Complete) continue;
        ASSERT_EQ(f.reader->findPath({.from = a, .to = b, .search = NavSearch::Weighted}, weighted), NavStatus::Complete);
        const double more = static_cast<double>(weighted.length / exact.length) - 1.0;
        ASSERT_GT(more, -0.0001);
        over += more;
        worst = std::max(worst, more);
        ++ways;
    }
    ASSERT_GT(ways, 50);
    EXPECT_LT(over / ways, 0.01);
    EXPECT_LT(worst, 0.12);
}

TEST(NavPathTest, WhatIsNotConnectedIsRefusedWithoutASearch) {
    Fixture f({.width = 128, .height = 128});
    f.edit([](WorldEdit& e) { e.placeObstacle({60, 0, 2, 128}, ObstacleKind::Wall, 3.0f); });
    f.open();
    NavPath path = f.path({30.0f, 50.0f}, {100.0f, 50.0f});
    EXPECT_EQ(path.status, NavStatus::Unreachable);
    EXPECT_EQ(path.expansions, 0u);
    EXPECT_EQ(f.reader->reachable({30.0f, 50.0f}, {100.0f, 50.0f}, {}), NavStatus::Unreachable);
    f.reader->findPath({.from = {30.0f, 50.0f}, .to = {100.0f, 50.0f}, .allow_partial = true}, path);
    EXPECT_EQ(path.status, NavStatus::Partial);
    EXPECT_NEAR(path.points.back().x, 59.5f, 0.01f);
    EXPECT_NEAR(path.goal_distance, 40.5f, 0.01f);
    f.edit([](WorldEdit& e) { e.removeObstacle({60, 100, 2, 4}); });
    path = f.path({30.0f, 50.0f}, {100.0f, 50.0f});
    EXPECT_EQ(path.status, NavStatus::Complete);
}

}  // namespace
}  // namespace warpath
