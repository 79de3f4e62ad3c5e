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
