#include "flow/eikonal_arrow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/core/rng.h"

namespace warpath::flow {
namespace {

EikonalGrid gridOf(int width, int height, std::uint32_t walls_percent, Rng& rng) {
    EikonalGrid grid;
    grid.resize(width, height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) grid.f[grid.index(x, y)] = rng.percent(walls_percent) ? 0 : 100;
    }
    return grid;
}

/// Legal steps under the strict rule.
std::uint8_t strictMoves(const EikonalGrid& grid, int x, int y) {
    std::uint8_t moves = 0;
    for (int d = 0; d < kDirections; ++d) {
        const bool sides = grid.free(grid.index(x + kStepX[d], y)) && grid.free(grid.index(x, y + kStepY[d]));
        if (sides && grid.free(grid.index(x + kStepX[d], y + kStepY[d]))) moves |= static_cast<std::uint8_t>(1u << d);
    }
    return moves;
}

double angleBetween(Vec2 a, double bx, double by) {
    const double length = std::sqrt(bx * bx + by * by);
    const double cosine = (static_cast<double>(a.x) * bx + static_cast<double>(a.y) * by) / length;
    return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180.0 / 3.14159265358979;
}

TEST(EikonalArrow, OnAnOpenPlaneTheSecondOrderPointsAtTheGoalWithinADegreeAlsoWhereFloatsAreCoarse) {
    constexpr int kSide = 1300, kGoal = 20;  // beyond 1024 m floats have a grain of 0.00012 m
    Rng rng(1);
    const EikonalGrid grid = gridOf(kSide, kSide, 0, rng);
    EikonalSolver solver;
    const std::uint32_t goal = grid.index(kGoal, kGoal);
    solver.solve(grid, {&goal, 1}, {.order = 2});
    double worst = 0.0;
    for (int y = 1; y < kSide - 1; ++y) {
        for (int x = 1; x < kSide - 1; ++x) {
            if ((x - kGoal) * (x - kGoal) + (y - kGoal) * (y - kGoal) <= 64) continue;  // the disc: the next test
            worst = std::max(worst, angleBetween(eikonalArrow(grid, solver, grid.index(x, y), 0xff).vector, kGoal - x, kGoal - y));
        }
    }
    EXPECT_LE(worst, 1.0);
}

TEST(EikonalArrow, WithinTheDiscTheVectorIsExact) {
    Rng rng(1);
    const EikonalGrid grid = gridOf(40, 40, 0, rng);
    EikonalSolver solver;
    const std::uint32_t goal = grid.index(20, 20);
    solver.solve(grid, {&goal, 1}, {});
    for (const EikonalSolver::Seed& seed : solver.seeds()) {
        if (seed.cell == goal) {
            EXPECT_EQ(seedVector(seed), Vec2{});
        } else {
            EXPECT_LE(angleBetween(seedVector(seed), 20 - grid.xOf(seed.cell), 20 - grid.yOf(seed.cell)), 0.1);
        }
    }
}

TEST(EikonalArrow, NoVectorPointsIntoAWallOrAcrossACornerAndTheNextCellsLeadToTheGoal) {
    EikonalSolver solver;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Rng rng(seed);
        EikonalGrid grid = gridOf(60, 50, rng.below(50), rng);
        const std::uint32_t goal = grid.index(static_cast<int>(rng.below(60)), static_cast<int>(rng.below(50)));
        grid.f[goal] = 100;
        for (const int order : {1, 2}) {
            solver.solve(grid, {&goal, 1}, {.order = order});
            for (int y = 0; y < 50; ++y) {
                for (int x = 0; x < 60; ++x) {
                    const std::uint32_t cell = grid.index(x, y);
                    const EikonalArrow arrow = eikonalArrow(grid, solver, cell, strictMoves(grid, x, y));
                    if (!std::isfinite(solver.distance(cell)) || cell == goal) {
                        ASSERT_EQ(arrow.code, EikonalArrow::kNone);
                        ASSERT_EQ(arrow.vector, Vec2{});
                        continue;
                    }
                    ASSERT_NEAR(arrow.vector.x * arrow.vector.x + arrow.vector.y * arrow.vector.y, 1.0f, 1e-5f);
                    const int sx = arrow.vector.x > 0 ? 1 : arrow.vector.x < 0 ? -1 : 0, sy = arrow.vector.y > 0 ? 1 : arrow.vector.y < 0 ? -1 : 0;
                    ASSERT_TRUE(grid.free(grid.index(x + sx, y)) && grid.free(grid.index(x, y + sy)) && grid.free(grid.index(x + sx, y + sy))) << x << "," << y;
                    ASSERT_NE(arrow.code, EikonalArrow::kNone) << x << "," << y;
                    ASSERT_NE(strictMoves(grid, x, y) & (1u << arrow.code), 0u);
                    // Strictly downhill: no cycle, so every walk ends, and nothing but the goal has no next cell.
                    ASSERT_LT(solver.distance(grid.index(x + kStepX[arrow.code], y + kStepY[arrow.code])), solver.distance(cell));
                }
            }
        }
    }
}

TEST(EikonalArrow, WhereTwoWaysAreEquallyGoodTheVectorTakesOne) {
    Rng rng(1);
    EikonalGrid grid = gridOf(21, 21, 0, rng);
    for (int x = 5; x <= 15; ++x) grid.f[grid.index(x, 10)] = 0;
    const std::uint32_t goal = grid.index(10, 2);
    EikonalSolver solver;
    solver.solve(grid, {&goal, 1}, {});
    const EikonalArrow arrow = eikonalArrow(grid, solver, grid.index(10, 11), strictMoves(grid, 10, 11));
    EXPECT_EQ(arrow.vector.y, 0.0f);
    EXPECT_EQ(arrow.vector.x, 1.0f);
    EXPECT_EQ(arrow.code, 0);
}

}  // namespace
}  // namespace warpath::flow
