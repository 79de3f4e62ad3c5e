// Each test is a trap that Recast, Detour or a grid under them sets.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "navmesh/support.h"

namespace warpath {
namespace {

using test::draw;
using test::Fixture;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(NavTrapTest, AGoalInsideAThinWallStaysOnTheStartsSide) {
    Fixture f({.width = 128, .height = 64});
    f.edit([](WorldEdit& e) { e.placeObstacle({64, 0, 1, 60}, ObstacleKind::Wall, 3.0f); });
    f.open();
    // Nearer to the far side: 64.9 lies 1.4 m from the mesh in the west and 0.6 m from the mesh in the east.
    const NavPath from_west = f.path({50.0f, 20.0f}, {64.9f, 20.0f});
    ASSERT_EQ(from_west.status, NavStatus::Complete);
    EXPECT_TRUE(from_west.goal_moved);
    EXPECT_NEAR(from_west.points.back().x, 63.5f, 0.01f);
    EXPECT_LT(from_west.length, 20.0f);
    const NavPath from_east = f.path({80.0f, 20.0f}, {64.1f, 20.0f});
    EXPECT_NEAR(from_east.points.back().x, 65.5f, 0.01f);
}

TEST(NavTrapTest, AGoalIsMovedOnlyOntoGroundConnectedToTheStart) {
    Fixture f({.width = 128, .height = 64});
    f.edit([](WorldEdit& e) { e.placeObstacle({64, 0, 1, 64}, ObstacleKind::Wall, 3.0f); });
    f.open();
    const NavPath path = f.path({50.0f, 20.0f}, {64.9f, 20.0f});
    ASSERT_EQ(path.status, NavStatus::Complete);
    EXPECT_NEAR(path.points.back().x, 63.5f, 0.01f);
    NavPath tight;
    EXPECT_EQ(f.reader->findPath({.from = {50.0f, 20.0f}, .to = {64.9f, 20.0f}, .snap = 0.7f}, tight), NavStatus::Unreachable);
    EXPECT_EQ(f.reader->findPath({.from = {50.0f, 20.0f}, .to = {64.5f, 20.0f}, .snap = 0.5f}, tight), NavStatus::NoGoal);
}

TEST(NavTrapTest, TheCornerWhereFourTilesMeetIsGroundLikeAnyOther) {
    Fixture f({.width = 128, .height = 128});
    f.open();
    // Through the corners of tiles (32) and of chunks (64), exactly and beside them, also starting and ending there.
    for (const float c : {32.0f, 64.0f, 96.0f}) {
        for (const Position from : {Position{c - 5.0f, c - 5.0f}, Position{c + 5.0f, c - 5.0f}, Position{c, c}, Position{c, c - 5.0f}}) {
            for (const Position to : {Position{c + 5.0f, c + 5.0f}, Position{c - 5.0f, c + 5.0f}, Position{c + 0.25f, c + 5.0f}, Position{c, c}}) {
                const NavPath path = f.path(from, to);
                ASSERT_EQ(path.status, NavStatus::Complete) << from.x << "," << from.y << " to " << to.x << "," << to.y;
                EXPECT_NEAR(path.length, std::hypot(to.x - from.x, to.y - from.y), 0.001f);
                EXPECT_EQ(f.reader->raycast(from, to, {}).status, NavStatus::Complete);
            }
        }
    }
}

TEST(NavTrapTest, ObstaclesAtAFourTileCornerLeaveNoCrackAndNoBlock) {
    Fixture f({.width = 128, .height = 128});
    f.edit([](WorldEdit& e) { e.placeObstacle({62, 62, 2, 2}, ObstacleKind::Rock, 2.0f); });
    f.open();
    for (const auto& [a, b] : {std::pair{Position{50.0f, 64.5f}, Position{78.0f, 64.5f}}, {Position{64.5f, 50.0f}, Position{64.5f, 78.0f}}}) {
        const NavPath path = f.path(a, b);
        ASSERT_EQ(path.status, NavStatus::Complete);
        EXPECT_NEAR(path.length, 28.0f, 0.01f);
    }
    // The rock's far side: round it, not through it.
    EXPECT_GT(f.path({60.0f, 60.0f}, {66.0f, 66.0f}).length, 8.6f);
    EXPECT_NE(f.reader->raycast({60.0f, 60.0f}, {66.0f, 66.0f}, {}).status, NavStatus::Complete);
}

/// A cliff of `rise` along x = at, over the whole height of the map.
struct Cliff : Fixture {
    Cliff(int at, float rise, const NavConfig& config) : Fixture({.width = 128, .height = 64}) {
        edit([&](WorldEdit& e) { e.setElevation({at, 0, 128 - at, 64}, rise); });
        open(config);
    }
};

TEST(NavTrapTest, BordersDoNotLinkWhatIsUpToTwiceTheClimbApart) {
    for (const float radius : {0.0f, 0.5f}) {
        NavConfig config{.agent_radius = radius, .max_slope = 45.0f, .max_climb = 1.0f};
        for (const int at : {20, 32, 64, 96}) {  // inside a tile, on a tile's border, on a chunk's, on a tile's
            SCOPED_TRACE("cliff at " + std::to_string(at) + ", radius " + std::to_string(radius));
            const Position west{static_cast<float>(at) - 8.0f, 30.0f}, east{static_cast<float>(at) + 8.0f, 30.0f};
            EXPECT_EQ(Cliff(at, 1.01f, config).path(west, east).status, NavStatus::Unreachable);
            EXPECT_EQ(Cliff(at, 1.5f, config).path(west, east).status, NavStatus::Unreachable);
            EXPECT_EQ(Cliff(at, -1.9f, config).path(west, east).status, NavStatus::Unreachable);
            EXPECT_EQ(Cliff(at, 1.0f, config).path(west, east).status, NavStatus::Complete);
            EXPECT_EQ(Cliff(at, -0.9f, config).path(west, east).status, NavStatus::Complete);
        }
    }
}

TEST(NavTrapTest, SlopesWithinTheLimitDoNotFallApartAtAnyCellSize) {
    for (const float cell : {1.0f, 0.5f, 0.25f}) {
        Fixture f({.width = 128, .height = 64});
        f.edit([](WorldEdit& e) {
            for (int x = 0; x < 128; ++x) e.setElevation({x, 0, 1, 64}, 0.55f * static_cast<float>(x));  // 28.8 degrees
        });
        f.open(NavConfig{.cell_size = cell, .agent_radius = 0.5f, .max_slope = 30.0f});
        const NavPath path = f.path({4.0f, 20.0f}, {120.0f, 40.0f});
        ASSERT_EQ(path.status, NavStatus::Complete) << cell;
        EXPECT_EQ(path.points.size(), 2u);
        f.open(NavConfig{.cell_size = cell, .agent_radius = 0.5f, .max_slope = 28.0f});
        EXPECT_EQ(f.path({4.0f, 20.0f}, {120.0f, 40.0f}).status, NavStatus::NoStart) << cell;
    }
}

TEST(NavTrapTest, HeightsOnEitherSideOfABorderAreEachCellsOwn) {
    Cliff f(64, 0.9f, {});
    EXPECT_FLOAT_EQ(f.reader->height({63.9f, 30.0f}).value(), 0.0f);
    EXPECT_FLOAT_EQ(f.reader->height({64.1f, 30.0f}).value(), 0.9f);
    EXPECT_FALSE(f.reader->height({-1.0f, 30.0f}).has_value());
    EXPECT_FLOAT_EQ(f.reader->nearest({70.0f, 30.0f}, 1.0f, {}).height, 0.9f);
}

TEST(NavTrapTest, NonsenseIsRefusedEverywhere) {
    Fixture f({.width = 64, .height = 64});
    f.open();
    const Position good{20.0f, 20.0f};
    NavPath path;
    for (const Position bad : {Position{kNan, 1.0f}, Position{1.0f, kNan}, Position{kInfinity, 1.0f}, Position{1.0f, -kInfinity}, Position{1e30f, 1.0f}}) {
        EXPECT_EQ(f.reader->findPath({.from = bad, .to = good}, path), NavStatus::InvalidInput);
        EXPECT_EQ(f.reader->findPath({.from = good, .to = bad}, path), NavStatus::InvalidInput);
        const Position via[] = {bad};
        EXPECT_EQ(f.reader->findPath({.from = good, .to = good, .via = via}, path), NavStatus::InvalidInput);
        EXPECT_EQ(f.reader->reachable(good, bad, {}), NavStatus::InvalidInput);
        EXPECT_EQ(f.reader->nearest(bad, 2.0f, {}).status, NavStatus::InvalidInput);
        EXPECT_EQ(f.reader->raycast(good, bad, {}).status, NavStatus::InvalidInput);
        EXPECT_FALSE(f.reader->walkable(bad, {}));
        EXPECT_FALSE(f.reader->height(bad).has_value());
        Rng rng(1);
        EXPECT_EQ(f.reader->randomPoint(bad, 5.0f, {}, rng).status, NavStatus::InvalidInput);
        f.nav->setFocus(std::span(&bad, 1));
    }
    EXPECT_EQ(f.reader->findPath({.from = good, .to = good, .search = static_cast<NavSearch>(9)}, path), NavStatus::InvalidInput);
    for (const float snap : {kNan, -1.0f, 1e9f}) {
        EXPECT_EQ(f.reader->findPath({.from = good, .to = good, .snap = snap}, path), NavStatus::InvalidInput);
    }
    for (const NavMover mover : {NavMover{.agent = -1}, NavMover{.agent = 1}, NavMover{.unit = static_cast<UnitType>(200)},
                                 NavMover{.terrain_weight = kNan}, NavMover{.terrain_weight = -1.0f}}) {
        EXPECT_EQ(f.reader->findPath({.from = good, .to = good, .mover = mover}, path), NavStatus::InvalidInput);
        EXPECT_FALSE(f.reader->walkable(good, mover));
    }
    EXPECT_TRUE(path.points.empty());
    EXPECT_EQ(f.reader->findPath({.from = {-5.0f, 5.0f}, .to = good}, path), NavStatus::NoStart);
    EXPECT_EQ(f.reader->findPath({.from = good, .to = {5.0f, 64.5f}}, path), NavStatus::NoGoal);
}

/// Walls from alternate sides, one every 4 m: a way of many polygons and corners.
struct Serpentine : Fixture {
    explicit Serpentine(int size) : Fixture({.width = size, .height = size}) {
        edit([&](WorldEdit& e) {
            for (int i = 0; 4 * i + 3 < size; ++i) e.placeObstacle({i % 2 == 0 ? 0 : 3, 4 * i + 3, size - 3, 1}, ObstacleKind::Wall, 2.0f);
        });
        open();
    }
};

TEST(NavTrapTest, LongWaysAreNotCutToABuffer) {
    Serpentine f(256);
    const Position from{10.0f, 1.5f}, to{10.0f, 253.5f};
    const NavPath exact = f.path(from, to);
    ASSERT_EQ(exact.status, NavStatus::Complete);
    EXPECT_GT(exact.points.size(), 100u);
    EXPECT_EQ(exact.points.back(), to);
    for (const NavSearch how : {NavSearch::Weighted, NavSearch::Detour}) {
        NavPath other;
        ASSERT_EQ(f.reader->findPath({.from = from, .to = to, .search = how}, other), NavStatus::Complete);
        EXPECT_EQ(other.points.back(), to);
        EXPECT_NEAR(other.length, exact.length, 0.02f * exact.length);
    }
}

TEST(NavTrapTest, RunningOutOfNodesIsSaidAndGivesNoWay) {
    Serpentine f(128);
    NavPath path;
    for (const NavSearch how : {NavSearch::Exact, NavSearch::Weighted}) {
        EXPECT_EQ(f.reader->findPath({.from = {10.0f, 1.5f}, .to = {10.0f, 124.5f}, .search = how, .max_expansions = 20}, path), NavStatus::OutOfNodes);
        EXPECT_TRUE(path.points.empty());
        EXPECT_EQ(path.expansions, 20u);
    }
}

TEST(NavTrapTest, PricesBelowOneDoNotMisleadTheSearch) {
    Fixture f({.width = 192, .height = 128});
    // A road in a bow: longer than the way across the grass, at three tenths of the price for a tank.
    f.edit([](WorldEdit& e) {
        e.setTerrain({20, 20, 4, 60}, Terrain::Road);
        e.setTerrain({20, 20, 150, 4}, Terrain::Road);
        e.setTerrain({166, 20, 4, 60}, Terrain::Road);
    });
    f.open();
    NavPath path;
    ASSERT_EQ(f.reader->findPath({.from = {22.0f, 78.0f}, .to = {168.0f, 78.0f}, .mover = {.unit = UnitType::TankLight}}, path), NavStatus::Complete);
    EXPECT_GT(path.length, 240.0f);
    EXPECT_LT(path.cost, 0.3f * path.length * 1.1f);
    NavPath detour;
    ASSERT_EQ(f.reader->findPath({.from = {22.0f, 78.0f}, .to = {168.0f, 78.0f}, .mover = {.unit = UnitType::TankLight}, .search = NavSearch::Detour}, detour),
              NavStatus::Complete);
    EXPECT_LE(path.cost, detour.cost + 0.01f);
}

TEST(NavTrapTest, ABorderWithMoreThanFourGapsKeepsThemAll) {
    Fixture f({.width = 64, .height = 64});
    // West of x = 32 open ground; east of it ten rooms, each open to the border alone.
    f.edit([](WorldEdit& e) {
        for (int i = 0; i < 11; ++i) e.placeObstacle({32, 3 * i, 20, 1}, ObstacleKind::Wall, 2.0f);
        e.placeObstacle({51, 0, 13, 64}, ObstacleKind::Wall, 2.0f);
        e.placeObstacle({32, 31, 32, 33}, ObstacleKind::Wall, 2.0f);
    });
    f.open();
    for (int i = 0; i < 10; ++i) {
        const Position room{45.0f, 3.0f * static_cast<float>(i) + 2.0f};
        EXPECT_EQ(f.path({10.0f, 16.0f}, room).status, NavStatus::Complete) << i;
        EXPECT_EQ(f.path(room, {10.0f, 16.0f}).status, NavStatus::Complete) << i;
        EXPECT_EQ(f.reader->raycast({31.0f, room.y}, room, {}).status, NavStatus::Complete);
    }
}

TEST(NavTrapTest, OneCellCorridorsNeedAFineMeshOrNoRadius) {
    Fixture f({.width = 64, .height = 64});
    f.edit([](WorldEdit& e) {
        e.placeObstacle({20, 0, 20, 30}, ObstacleKind::Building, 4.0f);
        e.placeObstacle({20, 31, 20, 33}, ObstacleKind::Building, 4.0f);
    });
    const Position west{10.0f, 30.5f}, east{50.0f, 30.5f};
    f.open(NavConfig{.cell_size = 0.5f, .agent_radius = 0.5f});
    EXPECT_EQ(f.path(west, east).status, NavStatus::Unreachable);
    const NavSurvey closed = survey(f.world.snapshot(), f.nav->config().agents[0].mesh);
    EXPECT_FLOAT_EQ(closed.narrowest_gap, 2.0f);
    EXPECT_EQ(closed.closed_gaps, 1u);
    EXPECT_EQ(closed.text().substr(0, 80), "radius 0.5 at cell size 0.5 closes gaps under 2 m; the map has 1 such gap; steps");
    f.open(NavConfig{.cell_size = 0.25f, .agent_radius = 0.25f});
    EXPECT_EQ(f.path(west, east).status, NavStatus::Complete);
    EXPECT_EQ(survey(f.world.snapshot(), f.nav->config().agents[0].mesh).closed_gaps, 0u);
    f.open(NavConfig{.cell_size = 0.5f, .agent_radius = 0.0f});
    EXPECT_EQ(f.path(west, east).status, NavStatus::Complete);
}

TEST(NavTrapTest, AGapIsOpenFromTwiceTheErosionAndOneVoxel) {
    for (int gap = 1; gap <= 8; ++gap) {
        Fixture f({.width = 64, .height = 64});
        f.edit([&](WorldEdit& e) {
            e.placeObstacle({20, 0, 5, 20}, ObstacleKind::Building, 4.0f);
            e.placeObstacle({20, 20 + gap, 5, 44 - gap}, ObstacleKind::Building, 4.0f);
        });
        for (const auto& [cell, radius] : {std::pair{1.0f, 1.0f}, {0.5f, 0.5f}, {0.5f, 1.0f}, {0.5f, 0.75f}, {1.0f, 2.5f}, {0.25f, 1.5f}}) {
            const NavConfig config{.cell_size = cell, .agent_radius = radius};
            f.open(config);
            EXPECT_EQ(f.path({10.0f, 30.0f}, {50.0f, 30.0f}).status == NavStatus::Complete, static_cast<float>(gap) >= config.narrowestGap())
                << gap << " m, radius " << radius << " at cell size " << cell;
        }
    }
}

TEST(NavTrapTest, TheRadiusHoldsAtCornersToo) {
    Fixture f({.width = 64, .height = 64});
    f.edit([](WorldEdit& e) { e.placeObstacle({30, 30, 6, 6}, ObstacleKind::Building, 4.0f); });
    f.open(NavConfig{.agent_radius = 1.0f, .max_edge_error = 0.0f});
    const NavPath path = f.path({25.0f, 33.0f}, {33.0f, 25.0f});
    ASSERT_EQ(path.status, NavStatus::Complete);
    for (const Position p : path.points) EXPECT_GE(std::hypot(std::max(30.0f - p.x, 0.0f), std::max(30.0f - p.y, 0.0f)), 0.999f);
}

TEST(NavTrapTest, LinksSurviveTheRebuildOfEitherEnd) {
    Fixture f({.width = 128, .height = 128});
    f.edit([](WorldEdit& e) { e.placeObstacle({60, 0, 6, 128}, ObstacleKind::Rock, 9.0f); });
    f.open();
    EXPECT_EQ(f.path({40.0f, 40.0f}, {90.0f, 40.0f}).status, NavStatus::Unreachable);
    ASSERT_FALSE(f.nav->addLink({.id = 7, .from = {58.5f, 50.0f}, .to = {67.5f, 50.0f}}));
    ASSERT_TRUE(f.nav->finish(f.world.snapshot()));
    const auto check = [&](const char* when) {
        SCOPED_TRACE(when);
        const NavPath there = f.path({40.0f, 40.0f}, {90.0f, 40.0f});
        ASSERT_EQ(there.status, NavStatus::Complete);
        ASSERT_EQ(there.links.size(), 1u);
        EXPECT_EQ(there.links[0].id, 7u);
        EXPECT_EQ(there.points[there.links[0].point], (Position{58.5f, 50.0f}));
        EXPECT_EQ(there.points[there.links[0].point + 1], (Position{67.5f, 50.0f}));
        EXPECT_NEAR(there.length, std::hypot(18.5f, 10.0f) + 9.0f + std::hypot(22.5f, 10.0f), 0.01f);
        const NavPath back = f.path({90.0f, 40.0f}, {40.0f, 40.0f});
        ASSERT_EQ(back.status, NavStatus::Complete);
        EXPECT_NEAR(back.length, there.length, 0.01f);
        for (const NavSearch how : {NavSearch::Weighted, NavSearch::Detour}) {
            NavPath other;
            EXPECT_EQ(f.reader->findPath({.from = {40.0f, 40.0f}, .to = {90.0f, 40.0f}, .search = how}, other), NavStatus::Complete);
            EXPECT_EQ(other.links.size(), 1u);
        }
    };
    check("new");
    f.edit([](WorldEdit& e) { e.placeObstacle({40, 60, 2, 2}, ObstacleKind::Rock, 1.0f); });
    check("after the rebuild of its start");
    f.edit([](WorldEdit& e) { e.placeObstacle({80, 60, 2, 2}, ObstacleKind::Rock, 1.0f); });
    check("after the rebuild of its end");
    // The ground of one end goes, and comes back.
    f.edit([](WorldEdit& e) { e.placeObstacle({66, 48, 4, 4}, ObstacleKind::Rock, 1.0f); });
    EXPECT_EQ(f.path({40.0f, 40.0f}, {90.0f, 40.0f}).status, NavStatus::Unreachable);
    f.edit([](WorldEdit& e) { e.removeObstacle({66, 48, 4, 4}); });
    check("after its end came back");
    EXPECT_TRUE(f.nav->removeLink(7));
    ASSERT_TRUE(f.nav->finish(f.world.snapshot()));
    EXPECT_EQ(f.path({40.0f, 40.0f}, {90.0f, 40.0f}).status, NavStatus::Unreachable);
    EXPECT_FALSE(f.nav->removeLink(7));
}

TEST(NavTrapTest, OneWayLinksLeadOneWay) {
    Fixture f({.width = 128, .height = 128});
    f.edit([](WorldEdit& e) { e.placeObstacle({60, 0, 6, 128}, ObstacleKind::Rock, 9.0f); });
    f.open();
    ASSERT_FALSE(f.nav->addLink({.id = 1, .from = {58.5f, 50.0f}, .to = {67.5f, 50.0f}, .both_ways = false}));
    ASSERT_TRUE(f.nav->finish(f.world.snapshot()));
    EXPECT_EQ(f.path({40.0f, 40.0f}, {90.0f, 40.0f}).status, NavStatus::Complete);
    EXPECT_EQ(f.path({90.0f, 40.0f}, {40.0f, 40.0f}).status, NavStatus::Unreachable);
    const std::optional<Error> far = f.nav->addLink({.id = 2, .from = {10.0f, 10.0f}, .to = {100.0f, 10.0f}});  // over three tiles
    ASSERT_TRUE(far);
    EXPECT_NE(far->text().find("for longer ones ask for the way to one end and from the other"), std::string::npos) << far->text();
    EXPECT_TRUE(f.nav->addLink({.id = 0, .from = {10.0f, 10.0f}, .to = {12.0f, 10.0f}}));
    const std::optional<Error> nowhere = f.nav->addLink({.id = 3, .from = {10.0f, 10.0f}, .to = {kNan, 10.0f}});
    ASSERT_TRUE(nowhere);
    EXPECT_EQ(nowhere->field, "link 3.to");
    EXPECT_EQ(nowhere->value, "[nan,10]");
    EXPECT_TRUE(f.nav->addLink({.id = 3, .from = {10.0f, 10.0f}, .to = {12.0f, 10.0f}, .cost_factor = 0.5f}));
    EXPECT_EQ(f.nav->addLink({.id = 3, .from = {10.0f, 10.0f}, .to = {10.0f, 10.0f}})->field, "link 3.to");
    EXPECT_EQ(f.nav->addLink({.id = 3, .from = {10.0f, 10.0f}, .to = {12.0f, 10.0f}, .agents = 0})->field, "link 3.agents");
    EXPECT_EQ(f.nav->addLink({.id = 3, .from = {10.0f, 10.0f}, .to = {12.0f, 10.0f}, .agents = 2})->value, "2");
}

TEST(NavTrapTest, NegativeCoordinatesAndTheFarAwayMapBehaveLikeTheOneAtTheOrigin) {
    const auto lengthAt = [](Cell origin) {
        Fixture f({.width = 200, .height = 200, .origin = origin});
        f.edit([&](WorldEdit& e) {
            e.placeObstacle({origin.x + 90, origin.y, 5, 150}, ObstacleKind::Wall, 3.0f);
            e.placeObstacle({origin.x + 120, origin.y + 50, 5, 150}, ObstacleKind::Wall, 3.0f);
        });
        f.open();
        const auto x = static_cast<float>(origin.x), y = static_cast<float>(origin.y);
        const NavPath path = f.path({x + 20.5f, y + 20.5f}, {x + 180.5f, y + 180.5f});
        EXPECT_EQ(path.status, NavStatus::Complete);
        EXPECT_EQ(path.points.front(), (Position{x + 20.5f, y + 20.5f}));
        return std::pair(path.length, path.points.size());
    };
    const auto expected = lengthAt({0, 0});
    for (const Cell origin : {Cell{-200, -200}, Cell{-100, -37}, Cell{-1'000'000, 999'800}, Cell{1'000'000, -1'000'000}}) {
        EXPECT_EQ(lengthAt(origin), expected) << origin.x << "," << origin.y;
    }
}

TEST(NavTrapTest, TheFarCornerOfALargeMapIsAsExactAsTheNearOne) {
    Fixture f({.width = 8192, .height = 8192});
    f.edit([](WorldEdit& e) { e.placeObstacle({8100, 8000, 5, 150}, ObstacleKind::Wall, 3.0f); });
    auto made = NavWorld::create(f.world.snapshot(), {.load_radius = 2, .unload_radius = 3});
    NavWorld& nav = *std::get<std::unique_ptr<NavWorld>>(made);
    const Position focus{8100.0f, 8100.0f};
    nav.setFocus(std::span(&focus, 1));
    ASSERT_TRUE(nav.finish(f.world.snapshot()));
    NavReader reader(nav);
    NavPath path;
    ASSERT_EQ(reader.findPath({.from = {8060.5f, 8100.0f}, .to = {8140.5f, 8100.0f}}, path), NavStatus::Complete);
    EXPECT_NEAR(path.length, std::hypot(39.0f, 50.5f) + 6.0f + std::hypot(35.0f, 50.5f), 0.7f);
    EXPECT_EQ(reader.findPath({.from = {8060.5f, 8100.0f}, .to = {100.0f, 100.0f}}, path), NavStatus::NotLoaded);
}

TEST(NavTrapTest, AfterAThousandRebuildsAnOldPathIsStillKnownToBeOld) {
    Fixture f({.width = 64, .height = 64});
    f.open(NavConfig{.cell_size = 1.0f, .tiles_per_chunk = 1});
    const NavPath path = f.path({10.0f, 10.0f}, {50.0f, 50.0f});
    ASSERT_EQ(f.reader->check(path), NavStatus::Complete);
    for (int i = 0; i < 1100; ++i) {
        f.edit([&](WorldEdit& e) {
            if (i % 2 == 0) e.placeObstacle({40, 20, 2, 2}, ObstacleKind::Rock, 1.0f);
            if (i % 2 == 1) e.removeObstacle({40, 20, 2, 2});
        });
        ASSERT_EQ(f.reader->check(path), NavStatus::Stale);
    }
    const NavPath again = f.path({10.0f, 10.0f}, {50.0f, 50.0f});
    EXPECT_EQ(f.reader->check(again), NavStatus::Complete);
}

TEST(NavTrapTest, EachWayOfMovingHasItsOwnConnections) {
    Fixture f({.width = 128, .height = 64});
    // Mountain stops wheels, water stops all of the default set.
    f.edit([](WorldEdit& e) {
        e.setTerrain({60, 0, 4, 64}, Terrain::Mountain);
        e.setTerrain({100, 0, 4, 64}, Terrain::Water);
    });
    f.open();
    const Position a{30.0f, 30.0f}, b{80.0f, 30.0f}, c{120.0f, 30.0f};
    EXPECT_EQ(f.reader->reachable(a, b, {.unit = UnitType::Infantry}), NavStatus::Complete);
    EXPECT_EQ(f.reader->reachable(a, b, {.unit = UnitType::Wheeled}), NavStatus::Unreachable);
    EXPECT_EQ(f.reader->reachable(b, c, {.unit = UnitType::Infantry}), NavStatus::Unreachable);
    EXPECT_FALSE(f.reader->walkable({62.0f, 30.0f}, {.unit = UnitType::Wheeled}));
    EXPECT_TRUE(f.reader->walkable({62.0f, 30.0f}, {.unit = UnitType::Infantry}));
    EXPECT_FALSE(f.reader->walkable({102.0f, 30.0f}, {.unit = UnitType::Infantry}));
    NavPath path;
    EXPECT_EQ(f.reader->findPath({.from = a, .to = b, .mover = {.unit = UnitType::Wheeled}}, path), NavStatus::Unreachable);
    EXPECT_EQ(f.reader->findPath({.from = a, .to = b, .mover = {.unit = UnitType::Wheeled}, .search = NavSearch::Detour}, path), NavStatus::Unreachable);
    EXPECT_EQ(f.reader->findPath({.from = a, .to = b, .mover = {.unit = UnitType::TankLight}}, path), NavStatus::Complete);
}

/// Tile and polygon share 22 bits of a reference: a world that may hold 16,384 chunks of four tiles leaves 64 polygons a tile.
TEST(NavTrapTest, ATileOfMorePolygonsThanReferencesHoldIsKeptFromDetourAndCountedWhileTheOtherSearchesCrossIt) {
    Fixture f({.width = 8192, .height = 8192});
    f.edit([](WorldEdit& e) {
        for (int y = 2; y < 64; y += 4) {
            for (int x = 2 + y / 4 % 2; x < 64; x += 4) e.placeObstacle(Cell{x, y}, ObstacleKind::Rock, 2.0f);
        }
    });
    NavWorldConfig config;
    config.agents = {{"test", NavConfig{}}};
    config.load_all = false;
    config.load_radius = 1;
    config.unload_radius = 2;
    config.max_loaded_chunks = 16384;
    auto made = NavWorld::create(f.world.snapshot(), config);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<NavWorld>>(made)) << std::get<Error>(made).text();
    f.nav = std::move(std::get<std::unique_ptr<NavWorld>>(made));
    EXPECT_EQ(f.nav->maxPolygonsPerTile(0), 64);
    f.nav->setFocus(std::vector<Position>{{32.0f, 32.0f}});
    ASSERT_TRUE(f.nav->finish(f.world.snapshot()));
    EXPECT_EQ(f.nav->stats().oversized, 4u) << "the four tiles of the rocky chunk";
    f.reader = std::make_unique<NavReader>(*f.nav);
    const Position from{1.5f, 32.5f}, to{90.5f, 32.5f};
    for (const NavSearch how : {NavSearch::Exact, NavSearch::Weighted, NavSearch::Auto}) {
        NavPath path;
        EXPECT_EQ(f.reader->findPath({.from = from, .to = to, .search = how}, path), NavStatus::Complete);
    }
    NavPath path;
    EXPECT_EQ(f.reader->findPath({.from = from, .to = to, .search = NavSearch::Detour}, path), NavStatus::Unreachable);
    EXPECT_EQ(f.reader->findPath({.from = {70.5f, 32.5f}, .to = to, .search = NavSearch::Detour}, path), NavStatus::Complete);
}

/// Detour counts nodes in 16 bits. Some 100,000 polygons between small rocks, and a goal that lies right behind a wall with its only gap at the far end,
/// so that everything nearer has to be looked at first.
TEST(NavTrapTest, DetoursOwnNodePoolOf65535IsExhaustedAndSaidSoWhileTheOtherSearchesAnswer) {
    constexpr int kSide = 576;
    Fixture f({.width = kSide, .height = kSide});
    f.edit([](WorldEdit& e) {
        for (int y = 2; y < kSide; y += 4) {
            for (int x = 2 + y / 4 % 2; x < kSide - 16; x += 4) e.placeObstacle(Cell{x, y}, ObstacleKind::Rock, 2.0f);
        }
        e.placeObstacle({kSide - 12, 0, 2, kSide - 6}, ObstacleKind::Wall, 3.0f);
    });
    f.open();
    ASSERT_GT(f.nav->stats().polygons, 65'535u);
    EXPECT_EQ(f.nav->stats().oversized, 0u);
    const Position from{1.5f, 1.5f}, goal{kSide - 4.5f, 1.5f};
    const auto ask = [&](Position to, NavSearch how) {
        NavPath path;
        f.reader->findPath({.from = from, .to = to, .search = how}, path);
        return path;
    };
    const NavPath detour = ask(goal, NavSearch::Detour);
    EXPECT_EQ(detour.status, NavStatus::OutOfNodes);
    EXPECT_TRUE(detour.points.empty());
    EXPECT_TRUE(detour.tiles.empty());
    EXPECT_EQ(toPathStatus(detour.status), PathStatus::BudgetExhausted);
    // Asking again gives the same, and the grown pool answers what it can.
    EXPECT_EQ(ask(goal, NavSearch::Detour).status, NavStatus::OutOfNodes);
    EXPECT_EQ(ask({60.5f, 1.5f}, NavSearch::Detour).status, NavStatus::Complete);
    // The library's own searches have no such limit.
    const NavPath weighted = ask(goal, NavSearch::Weighted), own = ask(goal, NavSearch::Auto);
    EXPECT_EQ(weighted.status, NavStatus::Complete);
    EXPECT_EQ(own.status, NavStatus::Complete);
    EXPECT_GT(weighted.length, 2.0f * (kSide - 10));
    // Once the wall is gone Detour needs few nodes, and the same reader answers.
    f.edit([](WorldEdit& e) { e.removeObstacle({kSide - 12, 0, 2, 40}); });
    EXPECT_EQ(ask(goal, NavSearch::Detour).status, NavStatus::Complete);
}

}  // namespace
}  // namespace warpath
