// Routes that the grid finds and the navmesh walks where it is loaded: which way each leg goes, that nothing breaks where they meet, and that the
// grid stands behind every step.
#include <algorithm>
#include <cmath>

#include "navmesh/backed.h"

namespace warpath {
namespace {

using test::Backed;

/// A strip of 1024 x 256 m with blocks, whose long ways go by the hierarchy.
struct Strip : Backed {
    explicit Strip(std::uint64_t seed, Cell origin = {-70, 40}) : Backed({.width = 1024, .height = 256, .origin = origin}) {
        rules.uniform_exact_distance = 300.0f;
        Rng rng(seed);
        world.edit([&](WorldEdit& e) {
            for (int i = 0; i < 900; ++i) {
                const int x = origin.x + static_cast<int>(rng.below(1016));
                const int y = origin.y + static_cast<int>(rng.below(248));
                const int w = 1 + static_cast<int>(rng.below(8));
                const int h = 1 + static_cast<int>(rng.below(8));
                e.placeObstacle({x, y, w, h}, ObstacleKind::Building, 4.0f);
            }
            e.removeObstacle({origin.x, origin.y + 30, 8, 16});
            e.removeObstacle({origin.x + 1016, origin.y + 210, 8, 16});
        });
    }
    [[nodiscard]] Position at(float x, float y) const {
        const Cell o = world.snapshot().origin();
        return {static_cast<float>(o.x) + x, static_cast<float>(o.y) + y};
    }
    [[nodiscard]] PathRequest across() const { return {.from = at(3.25f, 38.5f), .goal = Goal::point(at(1020.5f, 217.75f)), .constraints = plainDistance()}; }
};

/// How a route goes on, run by run: "mgm" is mesh, grid, mesh.
std::string runsOf(const Path& path) {
    std::string runs;
    for (std::size_t i = 0; i + 1 < path.waypoints.size(); ++i) {
        const char kind = path.waypoints[i].leg == LegKind::Mesh ? 'm' : 'g';
        if (runs.empty() || runs.back() != kind) runs += kind;
    }
    return runs;
}

/// What holds for every route that is redrawn in part.
void expectSound(Backed& b, const PathRequest& request) {
    const Path& path = b.path;
    ASSERT_EQ(path.status, PathStatus::Found);
    EXPECT_EQ(path.waypoints.front().position, request.from);
    EXPECT_EQ(path.waypoints.back().position, request.goal.centre);
    EXPECT_TRUE(b.grid.validatePath(b.world.snapshot(), path, request.constraints).valid);
    EXPECT_EQ(path.cost, path.breakdown.total());
    double length = 0.0, mesh = 0.0;
    for (std::size_t i = 0; i + 1 < path.waypoints.size(); ++i) {
        const Position a = path.waypoints[i].position, c = path.waypoints[i + 1].position;
        const double dx = std::abs(static_cast<double>(c.x) - a.x), dy = std::abs(static_cast<double>(c.y) - a.y), leg = std::hypot(dx, dy);
        EXPECT_GT(leg, 0.0);
        length += leg;
        if (path.waypoints[i].leg == LegKind::Mesh) {
            mesh += leg;
        } else if (i != 0 && i + 2 != path.waypoints.size()) {  // steps keep to the eight directions, but for the exact ends
            EXPECT_TRUE(dx == 0.0 || dy == 0.0 || dx == dy) << dx << " " << dy;
        }
    }
    if (path.mesh_length > 0.0) {
        EXPECT_NEAR(path.length, length, 1e-6 * length);
    }
    EXPECT_NEAR(path.mesh_length, mesh, 1e-6 * length);
    EXPECT_EQ(b.grid.findPath(b.world.snapshot(), request, b.other), PathStatus::Found);
    EXPECT_EQ(path.algorithm, b.other.algorithm);
    // The exact ends lie up to 0.71 m beside the middles that the grid counts from.
    EXPECT_LE(path.length, 1.001 * b.other.length + 1.5);
}

/// Whether every mesh leg of the route lies within some metres of places.
bool meshWithin(const Path& path, float low, float high) {
    for (std::size_t i = 0; i + 1 < path.waypoints.size(); ++i) {
        if (path.waypoints[i].leg != LegKind::Mesh) continue;
        for (const Position p : {path.waypoints[i].position, path.waypoints[i + 1].position}) {
            if (p.x < low || p.x > high) return false;
        }
    }
    return true;
}

TEST(NavStretchesTest, WithAFocusAtOneEndTheHierarchyFindsTheRouteAndTheMeshWalksItsBeginning) {
    Strip b(1);
    b.open({.load_radius = 2, .unload_radius = 3});
    b.focus({b.at(10.0f, 90.0f)});
    const PathRequest request = b.across();
    EXPECT_EQ(b.ask(request), PathAlgorithm::Hierarchical);
    expectSound(b, request);
    EXPECT_EQ(runsOf(b.path).front(), 'm');
    EXPECT_EQ(runsOf(b.path).back(), 'g');
    EXPECT_GT(b.path.mesh_length, 150.0);
    EXPECT_TRUE(meshWithin(b.path, b.at(0.0f, 0.0f).x, b.at(4.0f * 64.0f, 0.0f).x));
    EXPECT_LT(b.path.length, b.other.length);
    EXPECT_EQ(b.pathfinder->drawOutcome(), DrawOutcome::NotReady);

    // The same cell by cell: every waypoint says how the route goes on.
    PathRequest cells = request;
    cells.detail = PathDetail::Cells;
    const std::size_t corners = b.path.waypoints.size();
    const double mesh = b.path.mesh_length;
    b.ask(cells);
    EXPECT_EQ(b.path.waypoints.size(), b.path.cells.size());
    EXPECT_GT(b.path.waypoints.size(), corners);
    EXPECT_EQ(b.path.waypoints[50].leg, LegKind::Mesh);
    EXPECT_EQ(b.path.waypoints[b.path.waypoints.size() - 50].leg, LegKind::Grid);
    EXPECT_EQ(b.path.mesh_length, mesh);
}

TEST(NavStretchesTest, WithAFocusInTheMiddleTheMeshWalksTheMiddle) {
    Strip b(2);
    b.open({.load_radius = 1, .unload_radius = 2});
    b.focus({b.at(512.0f, 128.0f)});
    const PathRequest request = b.across();
    EXPECT_EQ(b.ask(request), PathAlgorithm::Hierarchical);
    expectSound(b, request);
    EXPECT_EQ(runsOf(b.path).front(), 'g');
    EXPECT_EQ(runsOf(b.path).back(), 'g');
    EXPECT_NE(runsOf(b.path).find('m'), std::string::npos);
    EXPECT_GT(b.path.mesh_length, 100.0);
    EXPECT_TRUE(meshWithin(b.path, b.at(384.0f, 0.0f).x, b.at(704.0f, 0.0f).x));
}

TEST(NavStretchesTest, WithAFocusAtBothEndsBothAreWalkedOnTheMesh) {
    Strip b(3);
    b.open({.load_radius = 1, .unload_radius = 2});
    b.focus({b.at(10.0f, 128.0f), b.at(1010.0f, 128.0f)});
    const PathRequest request = b.across();
    EXPECT_EQ(b.ask(request), PathAlgorithm::Hierarchical);  // both ends are loaded, and nothing on the mesh joins them
    expectSound(b, request);
    EXPECT_EQ(runsOf(b.path).front(), 'm');
    EXPECT_EQ(runsOf(b.path).back(), 'm');
    EXPECT_NE(runsOf(b.path).find('g'), std::string::npos);
    EXPECT_EQ(b.pathfinder->drawOutcome(), DrawOutcome::NotConnected);
}

TEST(NavStretchesTest, WithoutAFocusOnALargeMapTheRouteIsTheGrids) {
    Strip b(4);
    NavWorldConfig config;
    config.max_loaded_chunks = 8;  // fewer than the map has, so that nothing is loaded before somebody looks somewhere
    b.openWorld(config);
    const PathRequest request = b.across();
    EXPECT_EQ(b.ask(request), PathAlgorithm::Hierarchical);
    expectSound(b, request);
    EXPECT_EQ(runsOf(b.path), "g");
    EXPECT_EQ(b.path.mesh_length, 0.0);
    EXPECT_EQ(b.path.cost, b.other.cost);
    EXPECT_EQ(b.path.cells, b.other.cells);
    EXPECT_EQ(b.path.waypoints, b.other.waypoints);
}

TEST(NavStretchesTest, AGapThatTheMeshClosesIsPassedInStepsBetweenLegs) {
    Backed b({.width = 256, .height = 128});
    b.world.edit([](WorldEdit& e) {
        e.placeObstacle({120, 0, 3, 60}, ObstacleKind::Wall, 3.0f);  // one cell is open at y = 60: a radius of half a metre needs three
        e.placeObstacle({120, 61, 3, 67}, ObstacleKind::Wall, 3.0f);
    });
    b.open();
    const PathRequest request{.from = {5.5f, 20.5f}, .goal = Goal::point({250.5f, 101.5f}), .constraints = plainDistance()};
    EXPECT_NE(b.ask(request), PathAlgorithm::NavMesh);
    expectSound(b, request);
    EXPECT_EQ(runsOf(b.path), "mgm");
    EXPECT_LT(b.path.length - b.path.mesh_length, 80.0);
}

TEST(NavStretchesTest, AWayRoundThatIsLoadedDoesNotHideAShorterOneThatIsNot) {
    Backed b({.width = 64 * 6, .height = 64 * 10});
    // A wall from the north along the middle, with a gap far outside of what is loaded at 5 chunks, and its end within.
    b.world.edit([](WorldEdit& e) { e.placeObstacle({190, 100, 4, 540}, ObstacleKind::Wall, 3.0f); });
    b.world.edit([](WorldEdit& e) { e.removeObstacle({190, 420, 4, 4}); });
    b.open({.load_radius = 1, .unload_radius = 1});
    std::vector<Position> places;
    for (const float x : {40.0f, 150.0f, 240.0f, 340.0f}) {
        for (const float y : {40.0f, 160.0f, 290.0f}) places.push_back({x, y});
    }
    b.focus(places);
    const PathRequest request{.from = {170.5f, 370.5f}, .goal = Goal::point({215.5f, 371.5f}), .constraints = plainDistance()};
    EXPECT_NE(b.ask(request), PathAlgorithm::NavMesh);
    EXPECT_EQ(b.pathfinder->drawOutcome(), DrawOutcome::LongWay);
    expectSound(b, request);
    EXPECT_LT(b.path.length, 150.0);
}

TEST(NavStretchesTest, AWayAlongDearGroundIsNotSoldOnItsDearSide) {
    Backed b({.width = 200, .height = 128});
    b.world.edit([](WorldEdit& e) { e.setTerrain({50, 50, 80, 60}, Terrain::Swamp); });
    b.open();
    PathRequest request{.from = {40.5f, 52.5f}, .goal = Goal::point({140.5f, 52.5f}), .constraints = plainDistance()};
    request.constraints.terrain_weight = 1.0f;
    request.constraints.unit_type = UnitType::TankLight;
    b.ask(request);
    ASSERT_EQ(b.path.status, PathStatus::Found);
    ASSERT_EQ(b.grid.findPath(b.world.snapshot(), request, b.other), PathStatus::Found);
    EXPECT_LE(costInMetres(b.path.cost), 1.3 * costInMetres(b.other.cost));
}

TEST(NavStretchesTest, AClosedDoorDoesNotSendTheUnitAllTheWayRound) {
    Backed b({.width = 128, .height = 128});
    b.world.edit([](WorldEdit& e) {
        e.placeObstacle({60, 0, 3, 60}, ObstacleKind::Wall, 3.0f);
        e.placeObstacle({60, 61, 3, 57}, ObstacleKind::Wall, 3.0f);  // the end of the wall is a way round, and the door at y = 60 a shorter one
    });
    b.open();
    const PathRequest request{.from = {55.5f, 60.5f}, .goal = Goal::point({66.5f, 60.5f}), .constraints = plainDistance()};
    b.ask(request);
    EXPECT_EQ(b.pathfinder->drawOutcome(), DrawOutcome::LongWay);
    EXPECT_LT(b.path.length, 12.0);
    // Round the end of the wall it is less than twice as far here, and through the door straight on.
    b.ask({.from = {20.5f, 60.5f}, .goal = Goal::point({100.5f, 60.5f}), .constraints = plainDistance()});
    EXPECT_EQ(b.pathfinder->drawOutcome(), DrawOutcome::LongWay);
    EXPECT_LT(b.path.length, 81.0);
    // With the door closed to all, the same way round is the best.
    b.world.edit([](WorldEdit& e) { e.placeObstacle({60, 60, 3, 1}, ObstacleKind::Wall, 3.0f); });
    b.settle();
    b.ask({.from = {20.5f, 60.5f}, .goal = Goal::point({100.5f, 60.5f}), .constraints = plainDistance()});
    EXPECT_EQ(b.pathfinder->drawOutcome(), DrawOutcome::Drawn);
    EXPECT_GT(b.path.length, 110.0);
}

TEST(NavStretchesTest, OnRandomMapsWithRandomFocusEveryStepIsLegalAndNothingBreaks) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Strip b(10 + seed);
        Rng rng(seed);
        b.world.edit([&](WorldEdit& e) {
            for (int i = 0; i < 60; ++i) {
                const Position p = b.at(static_cast<float>(rng.below(980)), static_cast<float>(20 + rng.below(200)));
                const int w = 4 + static_cast<int>(rng.below(30));
                e.setTerrain({static_cast<int>(p.x), static_cast<int>(p.y), w, 12}, rng.percent(50) ? Terrain::Forest : Terrain::Road);
            }
        });
        b.open({.size_classes = 2, .load_radius = 1, .unload_radius = 1});
        int redrawn = 0, routes = 0;
        for (int i = 0; i < 8; ++i) {
            const auto somewhere = [&](int x0, int width) {
                const int x = x0 + static_cast<int>(rng.below(static_cast<std::uint32_t>(width)));
                return b.at(static_cast<float>(x) + 0.5f, static_cast<float>(rng.below(256)) + 0.5f);
            };
            const Position near = somewhere(0, 1024), far = somewhere(0, 1024);
            b.focus({near, far});
            const Position from = somewhere(0, 400), to = somewhere(624, 400);
            PathRequest request{.from = from, .goal = Goal::point(to), .constraints = plainDistance()};
            request.constraints.unit_radius = i % 3 == 0 ? 1.0f : 0.5f;
            if (b.grid.findPath(b.world.snapshot(), request, b.other) != PathStatus::Found) continue;
            ++routes;
            b.ask(request);
            ASSERT_EQ(b.path.status, PathStatus::Found);
            EXPECT_TRUE(b.grid.validatePath(b.world.snapshot(), b.path, request.constraints).valid);
            EXPECT_EQ(b.path.algorithm, b.other.algorithm);
            redrawn += b.path.mesh_length > 0.0 ? 1 : 0;
            EXPECT_LE(costInMetres(b.path.cost), 1.02 * costInMetres(b.other.cost) + 2.0);
        }
        EXPECT_GT(routes, 1);
        EXPECT_GT(redrawn, 0);
    }
}

}  // namespace
}  // namespace warpath
