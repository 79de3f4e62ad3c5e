// Query::findPath against the slow twin on thousands of small random scenes: cost, legality, breakdown, statuses, limits.
#include "warpath/pathfinder/query.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/scenes.h"
#include "support/slow_grid.h"

namespace warpath {
namespace {

std::vector<Cell> onGrid(const WorldSnapshot& snapshot, std::vector<Cell> cells) {
    for (Cell& c : cells) c = {c.x - snapshot.origin().x, c.y - snapshot.origin().y};
    return cells;
}

/// Whatever a route says about itself, checked against the twin.
void expectRouteAddsUp(const WorldSnapshot& snapshot, const twin::SlowGrid& grid, const Path& path) {
    ASSERT_FALSE(path.cells.empty());
    const std::vector<Cell> cells = onGrid(snapshot, path.cells);
    ASSERT_EQ(twin::routeCost(grid, cells), path.cost);
    ASSERT_EQ(path.breakdown.total(), path.cost);
    CostBreakdown sums;
    double length = 0.0;
    for (std::size_t i = 1; i < cells.size(); ++i) {
        const bool diagonal = cells[i].x != cells[i - 1].x && cells[i].y != cells[i - 1].y;
        const Cost metres = diagonal ? 577 : 408;
        length += diagonal ? std::sqrt(2.0) : 1.0;
        const twin::SlowTerms terms = grid.terms(cells[i].x, cells[i].y);
        int direction = 0;
        while (cells[i - 1].x + kStepX[direction] != cells[i].x || cells[i - 1].y + kStepY[direction] != cells[i].y) ++direction;
        sums.distance += metres * 100;
        sums.terrain += static_cast<std::int64_t>(metres) * terms.terrain;
        sums.road += static_cast<std::int64_t>(metres) * terms.road;
        sums.threat += metres * static_cast<Cost>(terms.threat);
        sums.exposure += metres * static_cast<Cost>(terms.exposure);
        sums.cover += metres * static_cast<Cost>(terms.cover);
        sums.congestion += metres * static_cast<Cost>(terms.congestion);
        sums.wall += metres * static_cast<Cost>(terms.wall);
        sums.elevation += grid.stepCost(cells[i - 1].x, cells[i - 1].y, direction) - metres * static_cast<Cost>(terms.f());
    }
    EXPECT_EQ(sums, path.breakdown);
    EXPECT_NEAR(length, path.length, 1e-9 * (1.0 + length));
    EXPECT_TRUE(path.is_valid);
    EXPECT_EQ(path.revision, snapshot.revision());
    EXPECT_GE(path.waypoints.size(), 1u);
}

/// Asks for paths between random cells of random scenes and compares each answer with the twin.
void compareWithTwin(const SceneTraits& traits, std::uint64_t first_seed, int scenes) {
    Query query;  // one for all: answers must not depend on what was asked before
    Path path;
    for (int i = 0; i < scenes; ++i) {
        const Scene scene = randomScene(first_seed + static_cast<std::uint64_t>(i), traits);
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        const twin::SlowGrid grid(now, scene.wishes, scene.side);
        Rng rng(first_seed * 7919 + static_cast<std::uint64_t>(i));
        for (int asked = 0; asked < 3; ++asked) {
            const Cell from = scene.anyCell(rng), to = scene.anyCell(rng);
            const Cell a = onGrid(now, {from})[0], b = onGrid(now, {to})[0];
            SCOPED_TRACE(::testing::Message() << a.x << ',' << a.y << " -> " << b.x << ',' << b.y);
            PathRequest request{.from = scene.standingAt(from), .goal = Goal::point(scene.standingAt(to)), .constraints = scene.wishes, .side = scene.side};
            query.findPath(now, request, path);
            ASSERT_NE(path.status, PathStatus::InvalidArgument) << path.error.text();
            if (!grid.fits(a.x, a.y)) {
                ASSERT_EQ(path.status, PathStatus::StartBlocked);
                continue;
            }
            if (!grid.fits(b.x, b.y)) {
                ASSERT_EQ(path.status, PathStatus::GoalBlocked);
                continue;
            }
            const Cost best = twin::slowDijkstra(grid, a).cost(grid, b);
            if (best == twin::kNowhere) {
                ASSERT_EQ(path.status, PathStatus::Unreachable);
                ASSERT_TRUE(path.cells.empty() && path.waypoints.empty());
                continue;
            }
            ASSERT_EQ(path.status, PathStatus::Found);
            ASSERT_EQ(path.cells.front(), from);
            ASSERT_EQ(path.cells.back(), to);
            ASSERT_NO_FATAL_FAILURE(expectRouteAddsUp(now, grid, path));
            ASSERT_EQ(path.cost, best);

            request.weight = 1.0f + static_cast<float>(rng.below(400)) / 100.0f;
            query.findPath(now, request, path);
            ASSERT_EQ(path.status, PathStatus::Found);
            ASSERT_LE(static_cast<double>(path.cost), static_cast<double>(request.weight) * static_cast<double>(best) * (1 + 1e-6));
            ASSERT_NO_FATAL_FAILURE(expectRouteAddsUp(now, grid, path));
            request.weight = 1.0f;

            if (best == 0) continue;
            request.max_cost = costInMetres(best);
            ASSERT_EQ(query.findPath(now, request, path), PathStatus::Found) << "a cost equal to the limit";
            request.max_cost = costInMetres(best - 1);
            if (best > 1) {
                ASSERT_EQ(query.findPath(now, request, path), PathStatus::CostLimit);
                ASSERT_TRUE(path.cells.empty());
            }
            request.max_cost.reset();

            request.max_expansions = 1 + rng.below(30);
            query.findPath(now, request, path);
            ASSERT_LE(path.expansions, request.max_expansions);
            ASSERT_TRUE(path.status == PathStatus::Found || path.status == PathStatus::BudgetExhausted);
            if (path.status == PathStatus::Found) {
                ASSERT_EQ(path.cost, best);
            }
            ASSERT_EQ(path.cells.front(), from);
            ASSERT_NO_FATAL_FAILURE(expectRouteAddsUp(now, grid, path));
        }
    }
}

TEST(QueryAgainstTheTwin, IsOptimalOnUniformGround) { compareWithTwin({.terrain = false}, 1000, 900); }
TEST(QueryAgainstTheTwin, IsOptimalOnWeightedTerrain) { compareWithTwin({}, 2000, 900); }
TEST(QueryAgainstTheTwin, IsOptimalOnHillsWithOneWaySlopes) { compareWithTwin({.elevation = true}, 3000, 700); }
TEST(QueryAgainstTheTwin, IsOptimalWithThreatCoverExposureAndCongestion) { compareWithTwin({.layers = true}, 4000, 400); }
TEST(QueryAgainstTheTwin, IsOptimalForLargeUnits) { compareWithTwin({.large_units = true}, 5000, 700); }
TEST(QueryAgainstTheTwin, IsOptimalWithEverythingAtOnce) {
    compareWithTwin({.elevation = true, .layers = true, .walls = true, .large_units = true}, 6000, 400);
}

}  // namespace
}  // namespace warpath
