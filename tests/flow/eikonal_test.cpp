#include "flow/eikonal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/eikonal_twin.h"
#include "warpath/core/rng.h"

namespace warpath::flow {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct GridCell {
    int x, y;
};

EikonalGrid openGrid(int width, int height, std::uint16_t f = 100) {
    EikonalGrid grid;
    grid.resize(width, height);
    for (int y = 0; y < height; ++y) std::fill_n(grid.f.begin() + grid.index(0, y), width, f);
    return grid;
}

enum class Ground { Uniform, Patches, Cells };

EikonalGrid randomGrid(Rng& rng, int width, int height, std::uint32_t walls_percent, Ground ground) {
    EikonalGrid grid = openGrid(width, height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            std::uint16_t& f = grid.f[grid.index(x, y)];
            if (ground == Ground::Cells) f = static_cast<std::uint16_t>(10 + rng.below(1000));
            if (ground == Ground::Patches) f = static_cast<std::uint16_t>(10 + (static_cast<std::uint32_t>(x / 8) * 7919u + static_cast<std::uint32_t>(y / 8) * 104729u) % 900);
            if (rng.percent(walls_percent)) f = 0;
        }
    }
    return grid;
}

GridCell freeCell(Rng& rng, EikonalGrid& grid) {
    const GridCell c{static_cast<int>(rng.below(static_cast<std::uint32_t>(grid.width))), static_cast<int>(rng.below(static_cast<std::uint32_t>(grid.height)))};
    std::uint16_t& f = grid.f[grid.index(c.x, c.y)];
    if (f == 0) f = 100;
    return c;
}

void solve(EikonalSolver& solver, const EikonalGrid& grid, const std::vector<GridCell>& goals, const EikonalOptions& options) {
    std::vector<std::uint32_t> cells;
    for (const GridCell& c : goals) cells.push_back(grid.index(c.x, c.y));
    solver.solve(grid, cells, options);
}

/// The twin started from the solver's own exact discs.
std::vector<double> twinDistances(const EikonalGrid& grid, const EikonalSolver& solver, int order) {
    twin::EikonalField field{grid.width, grid.height, {}, {}};
    for (int y = 0; y < grid.height; ++y) {
        for (int x = 0; x < grid.width; ++x) field.f.push_back(grid.f[grid.index(x, y)] / 100.0);
    }
    field.start.assign(field.f.size(), kInfinity);
    for (const EikonalSolver::Seed& seed : solver.seeds()) {
        field.start[static_cast<std::size_t>(grid.yOf(seed.cell) * grid.width + grid.xOf(seed.cell))] = static_cast<double>(solver.distance(seed.cell));
    }
    return twin::marchSlowly(field, order);
}

void forEachCell(const EikonalGrid& grid, const std::function<void(int, int)>& visit) {
    for (int y = 0; y < grid.height; ++y) {
        for (int x = 0; x < grid.width; ++x) visit(x, y);
    }
}

double worstError(const EikonalGrid& grid, const EikonalSolver& solver, GridCell goal) {
    double worst = 0.0;
    forEachCell(grid, [&](int x, int y) {
        const double exact = std::sqrt(static_cast<double>((x - goal.x) * (x - goal.x) + (y - goal.y) * (y - goal.y)));
        worst = std::max(worst, std::abs(static_cast<double>(solver.distance(grid.index(x, y))) - exact));
    });
    return worst;
}

TEST(Eikonal, OnAnOpenPlaneTheSecondOrderIsExactToATenthOfACell) {
    const EikonalGrid grid = openGrid(2048, 2048);
    EikonalSolver solver;
    solve(solver, grid, {{1024, 1024}}, {.order = 2});
    EXPECT_LE(worstError(grid, solver, {1024, 1024}), 0.1);
    solve(solver, grid, {{0, 0}}, {.order = 2});  // up to 2896 cells away
    EXPECT_LE(worstError(grid, solver, {0, 0}), 0.2);
}

TEST(Eikonal, OnAnOpenPlaneTheFirstOrderIsExactToTwoCells) {
    const EikonalGrid grid = openGrid(1024, 1024);
    EikonalSolver solver;
    solve(solver, grid, {{512, 512}}, {.order = 1});
    EXPECT_LE(worstError(grid, solver, {512, 512}), 2.0);
}

TEST(Eikonal, ADiscAroundTheGoalIsExact) {
    const EikonalGrid grid = openGrid(40, 40, 250);
    EikonalSolver solver;
    for (const int order : {1, 2}) {
        solve(solver, grid, {{20, 20}}, {.order = order});
        for (int dy = -8; dy <= 8; ++dy) {
            for (int dx = -8; dx <= 8; ++dx) {
                if (dx * dx + dy * dy > 64) continue;
                EXPECT_EQ(solver.distance(grid.index(20 + dx, 20 + dy)), std::sqrt(static_cast<float>(dx * dx + dy * dy)) * 2.5f);
            }
        }
    }
}

TEST(Eikonal, TheDiscEndsWhereTheGroundChangesAndWhereAWallHidesTheGoal) {
    EikonalGrid grid = openGrid(40, 40);
    grid.f[grid.index(24, 20)] = 50;   // nothing four cells away or more is taken as exact
    grid.f[grid.index(20, 18)] = 0;    // hides the cells behind it
    EikonalSolver solver;
    solve(solver, grid, {{20, 20}}, {});
    for (const EikonalSolver::Seed& seed : solver.seeds()) {
        EXPECT_LT(seed.dx * seed.dx + seed.dy * seed.dy, 16);
        EXPECT_FALSE(seed.dx == 0 && seed.dy == 3);
    }
    EXPECT_GT(solver.distance(grid.index(20, 17)), 3.0f);
    EXPECT_LT(solver.distance(grid.index(24, 20)), 3.8f);
}

TEST(Eikonal, AroundTheEndOfAWallTheDistanceIsThatOfTheBentWay) {
    // A wall from the north edge down to row 99; ways around it bend at the cells beside its end.
    EikonalGrid grid = openGrid(201, 201);
    for (int y = 0; y < 100; ++y) grid.f[grid.index(100, y)] = 0;
    EikonalSolver solver;
    const auto length = [](double x, double y) { return std::sqrt(x * x + y * y); };
    for (const auto& [order, tolerance] : {std::pair{1, 2.5}, std::pair{2, 0.6}}) {
        solve(solver, grid, {{60, 40}}, {.order = order});
        double worst = 0.0;
        for (int y = 0; y < 60; ++y) {
            for (int x = 110; x < 201; ++x) {
                const double bent = length(99 - 60, 100 - 40) + 2.0 + length(x - 101, y - 100);
                worst = std::max(worst, std::abs(static_cast<double>(solver.distance(grid.index(x, y))) - bent));
            }
        }
        EXPECT_LE(worst, tolerance) << "order " << order;
    }
}

TEST(Eikonal, TheFirstOrderEqualsTheTwin) {
    EikonalSolver solver;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Rng rng(seed);
        const int width = 1 + static_cast<int>(rng.below(90)), height = 1 + static_cast<int>(rng.below(90));
        EikonalGrid grid = randomGrid(rng, width, height, rng.below(40), static_cast<Ground>(seed % 3));
        std::vector<GridCell> goals;
        for (std::uint32_t i = 0; i <= seed % 3; ++i) goals.push_back(freeCell(rng, grid));
        solve(solver, grid, goals, {.order = 1});
        const std::vector<double> want = twinDistances(grid, solver, 1);
        forEachCell(grid, [&](int x, int y) {
            const double expected = want[static_cast<std::size_t>(y * width + x)], got = static_cast<double>(solver.distance(grid.index(x, y)));
            if (expected == kInfinity) {
                ASSERT_EQ(got, kInfinity) << x << "," << y;
            } else {
                ASSERT_NEAR(got, expected, 1e-4 * (1.0 + expected)) << x << "," << y;
            }
        });
    }
}

// The stencils of second order jump where two values are as good as equal, so single cells differ with the rounding; on the whole they must not.
TEST(Eikonal, TheSecondOrderIsNearTheTwin) {
    EikonalSolver solver;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Rng rng(seed);
        const int width = 1 + static_cast<int>(rng.below(90)), height = 1 + static_cast<int>(rng.below(90));
        EikonalGrid grid = randomGrid(rng, width, height, rng.below(30), seed % 2 == 0 ? Ground::Uniform : Ground::Patches);
        const GridCell goal = freeCell(rng, grid);
        solve(solver, grid, {goal}, {.order = 2});
        const std::vector<double> want = twinDistances(grid, solver, 2);
        double sum = 0.0, difference = 0.0;
        forEachCell(grid, [&](int x, int y) {
            const double expected = want[static_cast<std::size_t>(y * width + x)], got = static_cast<double>(solver.distance(grid.index(x, y)));
            ASSERT_EQ(got == kInfinity, expected == kInfinity) << x << "," << y;
            if (expected == kInfinity) return;
            if (seed % 2 == 0) {
                ASSERT_NEAR(got, expected, 0.8) << x << "," << y;
            }
            sum += expected;
            difference += std::abs(got - expected);
        });
        EXPECT_LE(difference, 0.01 * sum);
    }
}

TEST(Eikonal, TurnedAndMirroredGridsGiveTurnedAndMirroredDistances) {
    EikonalSolver solver, turned_solver;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Rng rng(seed);
        constexpr int kSide = 70;
        EikonalGrid grid = randomGrid(rng, kSide, kSide, 20, static_cast<Ground>(seed % 3));
        const GridCell goal = freeCell(rng, grid);
        for (const int order : {1, 2}) {
            solve(solver, grid, {goal}, {.order = order});
            for (int turn = 1; turn < 8; ++turn) {
                const auto moved = [&](int x, int y) {
                    GridCell c{x, y};
                    if ((turn & 1) != 0) std::swap(c.x, c.y);
                    if ((turn & 2) != 0) c.x = kSide - 1 - c.x;
                    if ((turn & 4) != 0) c.y = kSide - 1 - c.y;
                    return c;
                };
                EikonalGrid turned = openGrid(kSide, kSide);
                forEachCell(grid, [&](int x, int y) { turned.f[turned.index(moved(x, y).x, moved(x, y).y)] = grid.f[grid.index(x, y)]; });
                solve(turned_solver, turned, {moved(goal.x, goal.y)}, {.order = order});
                forEachCell(grid, [&](int x, int y) {
                    const float a = solver.distance(grid.index(x, y)), b = turned_solver.distance(turned.index(moved(x, y).x, moved(x, y).y));
                    if (order == 1) {
                        ASSERT_EQ(a, b) << "seed " << seed << ", turn " << turn << " at " << x << "," << y;
                    } else if (a != b) {
                        ASSERT_NEAR(a, b, 0.03f * a) << "seed " << seed << ", turn " << turn << " at " << x << "," << y;
                    }
                });
            }
        }
    }
}

TEST(Eikonal, EveryReachedCellHasALowerNeighbourAndNoOtherIsReached) {
    EikonalSolver solver;
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Rng rng(seed);
        EikonalGrid grid = randomGrid(rng, 64, 48, rng.below(60), static_cast<Ground>(seed % 3));
        // Roads and prices as far apart as the cost model allows.
        if (seed % 4 == 0) forEachCell(grid, [&](int x, int y) { if (grid.free(grid.index(x, y))) grid.f[grid.index(x, y)] = rng.percent(50) ? 10 : 65'000; });
        const std::vector<GridCell> goals{freeCell(rng, grid), freeCell(rng, grid)};
        for (const int order : {1, 2}) {
            solve(solver, grid, goals, {.order = order});
            std::vector<bool> reached(grid.f.size());
            std::vector<std::uint32_t> stack;
            for (const GridCell& g : goals) {
                stack.push_back(grid.index(g.x, g.y));
                reached[stack.back()] = true;
                EXPECT_EQ(solver.distance(stack.back()), 0.0f);
            }
            const std::uint32_t stride = static_cast<std::uint32_t>(grid.stride);
            while (!stack.empty()) {
                const std::uint32_t cell = stack.back();
                stack.pop_back();
                for (const std::uint32_t beside : {cell + 1, cell + stride, cell - 1, cell - stride}) {
                    if (!grid.free(beside) || reached[beside]) continue;
                    reached[beside] = true;
                    stack.push_back(beside);
                }
            }
            forEachCell(grid, [&](int x, int y) {
                const std::uint32_t cell = grid.index(x, y);
                const float d = solver.distance(cell);
                ASSERT_EQ(d < std::numeric_limits<float>::infinity(), static_cast<bool>(reached[cell])) << x << "," << y;
                if (!reached[cell] || d == 0.0f) return;
                const float lowest = std::min({solver.distance(cell + 1), solver.distance(cell + stride), solver.distance(cell - 1), solver.distance(cell - stride)});
                ASSERT_LT(lowest, d) << x << "," << y;
            });
        }
    }
}

TEST(Eikonal, ThroughCornersOnlyWhereAsked) {
    EikonalGrid grid = openGrid(4, 4);
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4; ++k) {
            if ((i < 2) != (k < 2)) grid.f[grid.index(i, k)] = 0;  // two rooms that touch in one corner
        }
    }
    EikonalSolver solver;
    for (const int order : {1, 2}) {
        solve(solver, grid, {{1, 1}}, {.order = order});
        EXPECT_EQ(static_cast<double>(solver.distance(grid.index(2, 2))), kInfinity);
        solve(solver, grid, {{1, 1}}, {.order = order, .through_corners = true});
        EXPECT_FLOAT_EQ(solver.distance(grid.index(2, 2)), 1.41421356f);
        EXPECT_FLOAT_EQ(solver.distance(grid.index(3, 2)), 2.41421356f);
        EXPECT_EQ(static_cast<double>(solver.distance(grid.index(3, 0))), kInfinity);
    }
}

TEST(Eikonal, FromAnAreaDistancesCountFromItsRim) {
    const EikonalGrid grid = openGrid(120, 120);
    std::vector<GridCell> area;
    for (int y = 30; y < 90; ++y) {
        for (int x = 40; x < 80; ++x) area.push_back({x, y});
    }
    EikonalSolver solver;
    for (const int order : {1, 2}) {
        solve(solver, grid, area, {.order = order});
        EXPECT_EQ(solver.distance(grid.index(60, 60)), 0.0f);
        EXPECT_NEAR(solver.distance(grid.index(60, 10)), 20.0f, 1e-4f);
        EXPECT_NEAR(solver.distance(grid.index(0, 50)), 40.0f, 1e-4f);
        EXPECT_NEAR(solver.distance(grid.index(20, 10)), std::sqrt(800.0f), order == 1 ? 1.2f : 0.1f);
    }
}

TEST(Eikonal, SolvingAnewGivesTheSameBits) {
    Rng rng(7);
    EikonalGrid big = randomGrid(rng, 200, 150, 25, Ground::Cells), small = randomGrid(rng, 40, 30, 10, Ground::Uniform);
    const GridCell goal = freeCell(rng, big), other = freeCell(rng, small);
    EikonalSolver used, fresh;
    for (const int order : {1, 2}) {
        solve(used, big, {goal}, {.order = order});
        solve(used, small, {other}, {.order = 3 - order});
        solve(used, big, {goal}, {.order = order});
        solve(fresh, big, {goal}, {.order = order});
        forEachCell(big, [&](int x, int y) {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(used.distance(big.index(x, y))), std::bit_cast<std::uint32_t>(fresh.distance(big.index(x, y))));
        });
    }
}

}  // namespace
}  // namespace warpath::flow
