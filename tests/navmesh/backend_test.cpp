// The navmesh behind the pathfinder: what it answers, what it leaves to the grid, and that the grid stands behind all of it.
#include <cmath>

#include "navmesh/backed.h"

namespace warpath {
namespace {

using test::Backed;

TEST(NavBackendTest, SingleUnitsWalkAnyAngleWays) {
    Backed b({.width = 128, .height = 128, .origin = {-30, 50}});
    b.world.edit([](WorldEdit& e) { e.placeObstacle({20, 80, 20, 20}, ObstacleKind::Building, 5.0f); });
    b.open();
    const PathRequest request{.from = {2.25f, 70.5f}, .goal = Goal::point({63.5f, 107.75f}), .constraints = plainDistance()};
    ASSERT_EQ(b.ask(request), PathAlgorithm::NavMesh);
    EXPECT_EQ(b.path.status, PathStatus::Found);
    EXPECT_EQ(b.path.waypoints.front().position, request.from);
    EXPECT_EQ(b.path.waypoints.back().position, request.goal.centre);
    ASSERT_EQ(b.path.waypoints.size(), 3u);  // one corner of the building, at the radius
    ASSERT_EQ(b.grid.findPath(b.world.snapshot(), request, b.other), PathStatus::Found);
    EXPECT_LT(b.path.length, b.other.length);
    EXPECT_TRUE(b.grid.validatePath(b.world.snapshot(), b.path, request.constraints).valid);
    EXPECT_EQ(b.path.cost, b.path.breakdown.total());
    EXPECT_GE(b.path.cost, b.other.cost);
    EXPECT_GT(b.path.travel_time, 0.0);
}

TEST(NavBackendTest, TacticsGroupsAndOtherWishesGoToTheGrid) {
    Backed b({.width = 128, .height = 128});
    b.open();
    const PathRequest simple{.from = {5.5f, 5.5f}, .goal = Goal::point({90.5f, 77.5f}), .constraints = plainDistance()};
    ASSERT_EQ(b.ask(simple), PathAlgorithm::NavMesh);
    const auto answersOnGrid = [&](const char* why, const auto& change) {
        PathRequest request = simple;
        change(request);
        EXPECT_NE(b.ask(request), PathAlgorithm::NavMesh) << why;
        EXPECT_EQ(b.path.status, PathStatus::Found) << why;
    };
    answersOnGrid("cover", [](PathRequest& r) { r.constraints.cover_weight = 1.0f; });
    answersOnGrid("exposure", [](PathRequest& r) { r.constraints.exposure_weight = 1.0f; });
    answersOnGrid("roads", [](PathRequest& r) { r.constraints.prefer_roads = true; });
    answersOnGrid("A* asked for", [](PathRequest& r) { r.algorithm = PathAlgorithm::AStar; });
    answersOnGrid("a group", [](PathRequest& r) { r.group_size = 40; });
    answersOnGrid("a disc", [](PathRequest& r) { r.goal = Goal::disc(r.goal.centre, 3.0f); });
    answersOnGrid("a budget", [](PathRequest& r) { r.max_expansions = 1'000'000; });
    answersOnGrid("a cost limit", [](PathRequest& r) { r.max_cost = 10'000.0; });
    answersOnGrid("a larger unit", [](PathRequest& r) { r.constraints.unit_radius = 1.0f; });

    // Threat counts from the moment there is any.
    PathRequest wary = simple;
    wary.constraints.threat_weight = 5.0f;
    EXPECT_EQ(b.ask(wary), PathAlgorithm::NavMesh);
    b.world.edit([](WorldEdit& e) { e.setCongestion({60, 60}, 2.0f); });
    b.settle();
    answersOnGrid("congestion", [](PathRequest&) {});
}

TEST(NavBackendTest, WhatTheMeshDoesNotKnowYetTheGridDecides) {
    Backed b({.width = 128, .height = 64});
    b.open();
    const PathRequest request{.from = {5.5f, 30.5f}, .goal = Goal::point({120.5f, 30.5f}), .constraints = plainDistance()};
    ASSERT_EQ(b.ask(request), PathAlgorithm::NavMesh);
    // A wall that the mesh has not taken in: its straight route is refused by the snapshot's cells.
    b.world.edit([](WorldEdit& e) { e.placeObstacle({64, 10, 2, 44}, ObstacleKind::Wall, 3.0f); });
    EXPECT_NE(b.ask(request), PathAlgorithm::NavMesh);
    EXPECT_EQ(b.path.status, PathStatus::Found);
    EXPECT_TRUE(b.grid.validatePath(b.world.snapshot(), b.path, request.constraints).valid);
    b.settle();
    EXPECT_EQ(b.ask(request), PathAlgorithm::NavMesh);
    EXPECT_GT(b.path.waypoints.size(), 2u);
    b.world.edit([](WorldEdit& e) { e.placeObstacle({64, 0, 2, 64}, ObstacleKind::Wall, 3.0f); });
    b.settle();
    b.ask(request);
    EXPECT_EQ(b.path.status, PathStatus::Unreachable);
}

TEST(NavBackendTest, GoalsThatTheGridRefusesAreRefused) {
    Backed b({.width = 64, .height = 64});
    b.world.edit([](WorldEdit& e) { e.placeObstacle({30, 30, 1, 1}, ObstacleKind::Rock, 2.0f); });
    b.open();
    b.ask({.from = {5.5f, 5.5f}, .goal = Goal::point({30.5f, 30.5f}), .constraints = plainDistance()});
    EXPECT_EQ(b.path.status, PathStatus::GoalBlocked);
    b.ask({.from = {30.5f, 30.5f}, .goal = Goal::point({5.5f, 5.5f}), .constraints = plainDistance()});
    EXPECT_EQ(b.path.status, PathStatus::StartBlocked);
    b.ask({.from = {std::nanf(""), 5.5f}, .goal = Goal::point({5.5f, 5.5f}), .constraints = plainDistance()});
    EXPECT_EQ(b.path.status, PathStatus::InvalidArgument);
    b.ask({.from = {5.5f, 5.5f}, .goal = Goal::point({5.5f, 5.5f}), .constraints = plainDistance()});
    EXPECT_EQ(b.path.status, PathStatus::Found);
}

TEST(NavBackendTest, AFocusLoadsAroundItAndTheRestStaysWithTheGrid) {
    Backed b({.width = 64 * 8, .height = 64 * 8});
    b.open({.load_radius = 1, .unload_radius = 2});
    EXPECT_EQ(b.backend->stats().chunks, 64u);  // nobody has said where to look
    const Position focus{100.0f, 100.0f};
    b.backend->setFocus(std::span(&focus, 1));
    b.settle();
    EXPECT_EQ(b.backend->stats().chunks, 16u);  // chunks 0..3 in both directions are within the unload radius
    EXPECT_EQ(b.ask({.from = {5.5f, 5.5f}, .goal = Goal::point({190.5f, 150.5f}), .constraints = plainDistance()}), PathAlgorithm::NavMesh);
    EXPECT_NE(b.ask({.from = {5.5f, 5.5f}, .goal = Goal::point({500.5f, 500.5f}), .constraints = plainDistance()}), PathAlgorithm::NavMesh);
    EXPECT_EQ(b.path.status, PathStatus::Found);
}

TEST(NavBackendTest, EverySizeOfUnitHasItsMeshWhereTheSettingsAskForSeveral) {
    Backed b({.width = 64, .height = 64});
    b.world.edit([](WorldEdit& e) {
        e.placeObstacle({30, 0, 3, 20}, ObstacleKind::Wall, 3.0f);   // gaps of 1, 2 and 3 cells
        e.placeObstacle({30, 21, 3, 13}, ObstacleKind::Wall, 3.0f);
        e.placeObstacle({30, 36, 3, 14}, ObstacleKind::Wall, 3.0f);
        e.placeObstacle({30, 53, 3, 11}, ObstacleKind::Wall, 3.0f);
    });
    b.open({.cell_size = 0.25f, .agent_radius = 0.25f, .size_classes = 3});
    PathRequest request{.from = {10.5f, 6.5f}, .goal = Goal::point({50.5f, 6.5f}), .constraints = plainDistance()};
    const float gap_low[] = {20.0f, 34.0f, 50.0f};
    for (int size = 1; size <= 3; ++size) {
        SCOPED_TRACE(size);
        request.constraints.unit_radius = 0.5f * static_cast<float>(size);
        ASSERT_EQ(b.ask(request), PathAlgorithm::NavMesh);
        ASSERT_EQ(b.path.status, PathStatus::Found);
        // The middle of the unit passes the gap of its own size: it fits no narrower one.
        for (const Waypoint& w : b.path.waypoints) {
            if (w.position.x < 29.0f || w.position.x > 34.0f) continue;
            EXPECT_GT(w.position.y, gap_low[size - 1]);
            EXPECT_LT(w.position.y, gap_low[size - 1] + static_cast<float>(size));
        }
        EXPECT_TRUE(b.grid.validatePath(b.world.snapshot(), b.path, request.constraints).valid);
    }
    request.constraints.unit_radius = 2.0f;  // no mesh, and no gap
    EXPECT_NE(b.ask(request), PathAlgorithm::NavMesh);
    EXPECT_EQ(b.path.status, PathStatus::Unreachable);
}

TEST(NavBackendTest, SizesOfMeshesAreCheckedByName) {
    World world({.width = 64, .height = 64});
    const auto refused = [&](const RouteBackendSettings& settings) {
        const auto made = navBackendFactory()(world.snapshot(), settings, {});
        const Error* error = std::get_if<Error>(&made);
        return error == nullptr ? std::string() : error->field;
    };
    EXPECT_EQ(refused({.size_classes = 0}), "navmesh.size_classes");
    EXPECT_EQ(refused({.size_classes = 9}), "navmesh.size_classes");
    EXPECT_EQ(refused({.agent_radius = 7.0f, .size_classes = 4}), "navmesh.size_classes");
    EXPECT_EQ(refused({.agent_radius = 9.0f, .size_classes = 4}), "navmesh.agent_radius");
    EXPECT_EQ(refused({.agent_radius = 0.0f, .size_classes = 8}), "");
    EXPECT_EQ(refused({.agent_radius = 1e9f, .size_classes = 2}), "navmesh.agent_radius");
    EXPECT_EQ(refused({.agent_radius = NAN, .size_classes = 2}), "navmesh.agent_radius");
    // Each class is for units one cell wider, also where the first keeps no distance at all.
    const NavWorldConfig config = navWorldConfigOf({.agent_radius = 0.0f, .size_classes = 3});
    ASSERT_EQ(config.agents.size(), 3u);
    EXPECT_EQ(config.agents[1].mesh.agent_radius, 1.0f);
    EXPECT_EQ(config.agents[2].mesh.agent_radius, 1.5f);
    EXPECT_EQ(config.agents[2].name, "units of 3");
}

TEST(NavBackendTest, WhatTheSettingsCloseIsCountedByTheExecutorAndToldOnce) {
    World world({.width = 128, .height = 64});
    world.edit([](WorldEdit& e) {
        e.placeObstacle({20, 0, 1, 30}, ObstacleKind::Wall, 3.0f);
        e.placeObstacle({20, 32, 1, 32}, ObstacleKind::Wall, 3.0f);  // a gap of two cells
    });
    std::vector<std::function<void()>> jobs;
    const auto made = navBackendFactory()(world.snapshot(), {.cell_size = 1.0f, .agent_radius = 1.0f, .size_classes = 2}, [&](std::function<void()> job) { jobs.push_back(std::move(job)); });
    IRouteBackend& backend = *std::get<std::shared_ptr<IRouteBackend>>(made);
    backend.update(world.snapshot());
    EXPECT_TRUE(backend.takeNotices().empty());  // nothing has counted yet
    for (const auto& job : std::exchange(jobs, {})) job();
    const std::vector<RouteBackendNotice> notices = backend.takeNotices();
    ASSERT_EQ(notices.size(), 2u);
    EXPECT_EQ(notices[0].subject, "units of 2");
    EXPECT_EQ(notices[0].closed_gaps, 1u);
    EXPECT_EQ(notices[0].narrowest_gap, 3.0f);
    EXPECT_EQ(notices[0].text.find("radius 1 at cell size 1 closes gaps under 3 m; the map has 1 such gap;"), 0u) << notices[0].text;
    EXPECT_EQ(notices[1].subject, "units of 3");
    EXPECT_TRUE(backend.takeNotices().empty());

    Backed alone({.width = 64, .height = 64});  // without an executor inside the call
    alone.open();
    EXPECT_EQ(alone.backend->takeNotices().size(), 1u);
}

TEST(NavBackendTest, WhateverTheMeshReachesTheGridReachesOnRandomMaps) {
    int mesh = 0, found = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Rng rng(seed);
        Backed b({.width = 170, .height = 140, .origin = {-90, 33}});
        const CellRect all = b.world.snapshot().bounds();
        const auto somewhere = [&](int margin) {
            const int x = all.x + static_cast<int>(rng.below(static_cast<std::uint32_t>(all.width - margin)));
            return Cell{x, all.y + static_cast<int>(rng.below(static_cast<std::uint32_t>(all.height - margin)))};
        };
        // Drawn in one order on every compiler.
        const auto squareAt = [&](Cell c, int least, std::uint32_t most) {
            const int width = least + static_cast<int>(rng.below(most)), height = least + static_cast<int>(rng.below(most));
            return CellRect{c.x, c.y, width, height};
        };
        b.world.edit([&](WorldEdit& e) {
            for (int i = 0; i < 50; ++i) {
                const CellRect hill = squareAt(somewhere(20), 2, 18);
                e.setElevation(hill, static_cast<float>(rng.below(250)) / 100.0f);
            }
            for (int i = 0; i < 60; ++i) {
                const CellRect patch = squareAt(somewhere(12), 3, 9);
                e.setTerrain(patch, static_cast<Terrain>(rng.below(10)));
            }
            for (int i = 0; i < 60 + 70 * static_cast<int>(seed); ++i) {
                e.placeObstacle(squareAt(somewhere(8), 1, 6), ObstacleKind::Building, 4.0f);
            }
        });
        const float slope = seed % 2 == 0 ? 30.0f : 45.0f;
        b.open({.cell_size = seed % 3 == 0 ? 0.25f : 0.5f, .size_classes = 2, .max_slope = slope});
        PathConstraints wish = plainDistance();
        wish.max_slope = slope;
        for (int i = 0; i < 300; ++i) {
            wish.unit_type = static_cast<UnitType>(rng.below(5));
            wish.unit_radius = i % 4 == 0 ? 1.0f : 0.5f;
            const Cell from = somewhere(1), to = somewhere(1);
            const PathRequest request{.from = centreOf(from), .goal = Goal::point(centreOf(to)), .constraints = wish};
            const bool on_mesh = b.ask(request) == PathAlgorithm::NavMesh;
            if (b.path.status == PathStatus::Found) ++found;
            const PathStatus status = b.grid.findPath(b.world.snapshot(), request, b.other);
            ASSERT_EQ(b.path.status, status) << "from " << from.x << "," << from.y << " to " << to.x << "," << to.y;
            if (!on_mesh) continue;
            ++mesh;
            EXPECT_TRUE(b.grid.validatePath(b.world.snapshot(), b.path, wish).valid);
            EXPECT_GE(b.path.cost, b.other.cost);
        }
    }
    // The mesh answers most of what there is to find: what it leaves lies within the radius of walls, or is much nearer through gaps that it closes.
    EXPECT_GT(mesh, found / 2) << mesh << " of " << found;
}

}  // namespace
}  // namespace warpath
