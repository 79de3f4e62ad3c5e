// Waypoints at any angle: every leg legal for the exact unit, never dearer, never longer, and an answer may be sent back as it is.
#include <gtest/gtest.h>

#include <cmath>

#include "support/ascii_world.h"
#include "support/scenes.h"
#include "support/slow_grid.h"
#include "warpath/pathfinder/explanation.h"
#include "warpath/pathfinder/query.h"
#include "warpath/pathfinder/route_watch.h"
#include "warpath/pathfinder/tactics.h"

namespace warpath {
namespace {

std::vector<Position> positionsOf(const Path& path) {
    std::vector<Position> out;
    for (const Waypoint& w : path.waypoints) out.push_back(w.position);
    return out;
}

/// The slow twin of a leg: the squares under points a hundredth of a metre apart, each to be entered legally from the one before.
void expectWalkable(const twin::SlowGrid& grid, const WorldSnapshot& now, Position a, Position b) {
    const double shift = 0.5 - 0.5 * grid.size();
    const Cell origin = now.origin();
    const double x0 = a.x + shift - origin.x, y0 = a.y + shift - origin.y, dx = static_cast<double>(b.x) - a.x, dy = static_cast<double>(b.y) - a.y;
    const int points = 1 + static_cast<int>(std::sqrt(dx * dx + dy * dy) * 100.0);
    Cell at{static_cast<int>(std::floor(x0)), static_cast<int>(std::floor(y0))};
    for (int i = 1; i <= points; ++i) {
        const double share = static_cast<double>(i) / points;
        const double x = x0 + dx * share, y = y0 + dy * share;
        if (i != points && (std::fabs(x - std::round(x)) < 1e-5 || std::fabs(y - std::round(y)) < 1e-5)) continue;  // on an edge: rounding says which square
        const Cell next{static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y))};
        if (next == at) continue;
        const int direction = directionOf(next.x - at.x, next.y - at.y);
        ASSERT_GE(direction, 0);
        bool legal = grid.mayStep(at.x, at.y, direction);
        if (!legal && isDiagonal(direction)) {  // the points may have jumped over the corner of a square
            for (const Cell over : {Cell{next.x, at.y}, Cell{at.x, next.y}}) {
                const int first = directionOf(over.x - at.x, over.y - at.y), second = directionOf(next.x - over.x, next.y - over.y);
                legal = legal || (grid.mayStep(at.x, at.y, first) && grid.mayStep(over.x, over.y, second));
            }
        }
        ASSERT_TRUE(legal) << "from " << at.x << "," << at.y << " to " << next.x << "," << next.y;
        at = next;
    }
}

struct Counts {
    int routes = 0, pulled = 0, hierarchical = 0, cheaper = 0;
    double before = 0.0, after = 0.0;
};

void checkScene(const Scene& scene, std::uint64_t seed, int requests, Counts& counts) {
    const WorldSnapshot now = scene.world->snapshot();
    const twin::SlowGrid grid(now, scene.wishes, scene.side);
    Query query;
    Path corners, pulled;
    Rng rng(seed);
    constexpr PathAlgorithm kAsked[] = {PathAlgorithm::Auto, PathAlgorithm::AStar, PathAlgorithm::Jps, PathAlgorithm::Hierarchical, PathAlgorithm::FlowField};
    for (int i = 0; i < requests; ++i) {
        PathRequest request{.constraints = scene.wishes, .side = scene.side};
        request.from = scene.standingAt(scene.anyCell(rng));
        request.from.x += 0.03f * static_cast<float>(rng.below(15));
        request.from.y -= 0.03f * static_cast<float>(rng.below(15));
        Position to = scene.standingAt(scene.anyCell(rng));
        to.x -= 0.03f * static_cast<float>(rng.below(15));
        request.goal = Goal::point(to);
        request.allow_partial = rng.percent(50);
        request.algorithm = kAsked[rng.below(5)];
        SCOPED_TRACE(::testing::Message() << scene.name << " request " << i << " " << toString(request.algorithm));
        query.findPath(now, request, corners);
        request.detail = PathDetail::AnyAngle;
        query.findPath(now, request, pulled);
        ASSERT_STREQ(toString(pulled.status), toString(corners.status));
        if (!corners.hasRoute()) continue;
        ++counts.routes;
        counts.hierarchical += pulled.algorithm == PathAlgorithm::Hierarchical ? 1 : 0;
        ASSERT_LE(pulled.cost, corners.cost);
        ASSERT_LE(pulled.length, corners.length + 1e-9);
        ASSERT_EQ(pulled.breakdown.total(), pulled.cost);
        ASSERT_EQ(twin::routeCost(grid, [&] {
                      std::vector<Cell> cells;
                      for (const Cell c : pulled.cells) cells.push_back({c.x - now.origin().x, c.y - now.origin().y});
                      return cells;
                  }()),
                  pulled.cost);
        ASSERT_EQ(pulled.waypoints.front().position, corners.waypoints.front().position);
        ASSERT_EQ(pulled.waypoints.back().position, corners.waypoints.back().position);
        counts.before += corners.length;
        counts.after += pulled.length;
        counts.cheaper += pulled.cost < corners.cost ? 1 : 0;
        for (std::size_t k = 1; k < pulled.waypoints.size(); ++k) {
            counts.pulled += pulled.waypoints[k - 1].leg == LegKind::Straight ? 1 : 0;
            if (pulled.waypoints[k - 1].leg != LegKind::Straight) continue;
            expectWalkable(grid, now, pulled.waypoints[k - 1].position, pulled.waypoints[k].position);
            if (::testing::Test::HasFatalFailure()) return;
        }
        // What is sent back as it is: legal, and explained at the cost of the answer.
        ASSERT_TRUE(query.validatePath(now, pulled, scene.wishes).valid);
        const std::vector<Position> sent = positionsOf(pulled);
        ASSERT_TRUE(query.validatePath(now, sent, scene.wishes).valid);
        if (i % 4 == 0) {
            TacticalQuery tactics(query);
            ASSERT_EQ(tactics.explain(now, pulled, scene.wishes, scene.side).route.cost, pulled.cost);
            ASSERT_EQ(tactics.explain(now, sent, scene.wishes, scene.side).route.cost, pulled.cost);
            std::vector<RouteEvent> late;
            RouteWatch watch(query.tiles());
            ASSERT_TRUE(watch.subscribe(1, now, pulled, scene.wishes, scene.side, &late));
            ASSERT_TRUE(late.empty());
        }
    }
}

TEST(AnyAngle, LegsAreLegalAndNeitherDearerNorLonger) {
    Counts counts;
    for (std::uint64_t seed = 1; seed <= 90; ++seed) {
        const Scene scene = randomScene(71'000 + seed, {.elevation = seed % 3 == 0, .layers = seed % 2 == 0, .walls = seed % 5 == 0, .large_units = seed % 4 == 0});
        checkScene(scene, seed, 6, counts);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(counts.routes, 150);
    EXPECT_GT(counts.pulled, 100);
    EXPECT_GT(counts.hierarchical, 10);
    EXPECT_LT(counts.after, counts.before);
    RecordProperty("length_percent", std::to_string(100.0 * counts.after / counts.before));
}

TEST(AnyAngle, OpenGroundIsCrossedInOneLeg) {
    World world({.width = 200, .height = 120});
    Query query;
    Path path;
    query.findPath(world.snapshot(), {.from = {3.5f, 4.5f}, .goal = Goal::point({180.5f, 81.5f}), .detail = PathDetail::AnyAngle}, path);
    ASSERT_EQ(path.waypoints.size(), 2u);
    EXPECT_EQ(path.waypoints[0].leg, LegKind::Straight);
    EXPECT_NEAR(path.length, std::sqrt(177.0 * 177.0 + 77.0 * 77.0), 1e-9);
}

TEST(AnyAngle, ALegPassesACornerOnItsFreeSideOnly) {
    const AsciiWorld drawn = asciiWorld(
        "............\n"
        "............\n"
        "......##...G\n"
        "S.....##....\n"
        "............\n");
    const WorldSnapshot now = drawn.snapshot();
    Query query;
    Path path;
    query.findPath(now, {.from = drawn.start(), .goal = Goal::point(drawn.goal()), .constraints = walker(), .detail = PathDetail::AnyAngle}, path);
    ASSERT_TRUE(path.hasRoute());
    const twin::SlowGrid grid(now, walker());
    for (std::size_t k = 1; k < path.waypoints.size(); ++k) expectWalkable(grid, now, path.waypoints[k - 1].position, path.waypoints[k].position);
    EXPECT_GT(path.waypoints.size(), 2u);
}

TEST(AnyAngle, StraightLegsAreNotForSeveralRoutesNorCoverToCover) {
    World world({.width = 64, .height = 64});
    Query query;
    std::vector<Path> out;
    MultiPathRequest several{.path = {.from = {3.5f, 4.5f}, .goal = Goal::point({60.5f, 40.5f}), .detail = PathDetail::AnyAngle}};
    EXPECT_EQ(query.findAllPaths(world.snapshot(), several, out), PathStatus::InvalidArgument);
    EXPECT_EQ(out[0].error.value, "anyangle");
    Path path;
    EXPECT_EQ(TacticalQuery(query).findCoverToCoverPath(world.snapshot(), several.path, path), PathStatus::InvalidArgument);
}

}  // namespace
}  // namespace warpath
