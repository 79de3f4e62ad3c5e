#include "warpath/flow/fast_marching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/flow_fields.h"
#include "support/scenes.h"
#include "support/slow_grid.h"
#include "warpath/flow/flow_builder.h"

namespace warpath {
namespace {

constexpr MarchOrder kOrders[] = {MarchOrder::First, MarchOrder::Second};

/// A field against the rules of the slow grid and the cells that the exact field reaches.
void expectSound(const FlowField& field, const FlowField& exact, const twin::SlowGrid& grid, const WorldSnapshot& now) {
    const Cell origin = now.origin();
    ASSERT_EQ(field.info().goals, exact.info().goals);
    for (int y = 0; y < now.height(); ++y) {
        for (int x = 0; x < now.width(); ++x) {
            const Cell c{x + origin.x, y + origin.y};
            const std::uint8_t code = field.direction(c);
            if (!isFlowArrow(exact.direction(c))) {
                ASSERT_EQ(code, exact.direction(c)) << x << "," << y;
                ASSERT_EQ(field.vector(c), Vec2{});
                continue;
            }
            ASSERT_TRUE(isFlowArrow(code)) << x << "," << y;
            ASSERT_TRUE(grid.mayStep(x, y, code));
            ASSERT_LT(field.distance(*field.next(c)), field.distance(c)) << x << "," << y;
            const Vec2 v = field.vector(c);
            ASSERT_NEAR(v.x * v.x + v.y * v.y, 1.0f, 1e-5f);
            const int sx = v.x > 0 ? 1 : v.x < 0 ? -1 : 0, sy = v.y > 0 ? 1 : v.y < 0 ? -1 : 0;
            if (sx == kStepX[code] && sy == kStepY[code]) continue;  // as legal as the step
            ASSERT_TRUE(grid.fits(x + sx, y) && grid.fits(x, y + sy) && grid.fits(x + sx, y + sy)) << x << "," << y;
        }
    }
}

TEST(FastMarching, EveryCellThatTheExactFieldReachesIsLedDownhillOverLegalSteps) {
    const auto store = std::make_shared<TileStore>();
    FastMarching marching;
    FlowBuilder builder;
    int built = 0;
    for (std::uint64_t seed = 1; seed <= 160; ++seed) {
        const Scene scene = randomScene(seed, {.layers = seed % 3 == 0, .walls = seed % 5 == 0, .large_units = seed % 4 == 0});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        const twin::SlowGrid grid(now, scene.wishes, scene.side);
        Rng rng(seed * 7919);
        FlowRequest request;
        request.key = flowKey(scene.wishes, now, scene.side);
        for (int i = static_cast<int>(rng.below(3)); i >= 0; --i) request.goals.push_back(scene.anyCell(rng));
        const FlowAnswer exact = builder.build(now, request, store);
        for (const MarchOrder order : kOrders) {
            const FlowAnswer answer = marching.build(now, request, store, order);
            ASSERT_EQ(answer.status, exact.status) << answer.error.text();
            if (exact.field == nullptr) continue;
            EXPECT_EQ(answer.field->info().method, FlowMethod::FastMarching);
            EXPECT_EQ(answer.field->info().redirected, exact.field->info().redirected);
            expectSound(*answer.field, *exact.field, grid, now);
            if (HasFatalFailure()) return;
            ++built;
        }
    }
    EXPECT_GT(built, 200);
}

struct Made : DrawnField<FastMarching> {
    using DrawnField::DrawnField;
    FlowAnswer build(MarchOrder order = MarchOrder::Second) { return builder.build(drawn.snapshot(), request, store, order); }
};

std::string openRows(int width, int height) {
    std::string rows;
    for (int y = 0; y < height; ++y) rows += std::string(static_cast<std::size_t>(width), '.') + "\n";
    return rows;
}

TEST(FastMarching, AcrossChunksAndNegativeCoordinatesDistancesAreStraight) {
    Made made(openRows(200, 150), {-130, -90});
    const Cell goal{-40, -20};
    made.request.goals = {goal};
    const FlowAnswer answer = made.build();
    ASSERT_EQ(answer.status, PathStatus::Found);
    for (int y = -90; y < 60; ++y) {
        for (int x = -130; x < 70; ++x) {
            const double dx = goal.x - x, dy = goal.y - y, straight = std::sqrt(dx * dx + dy * dy);
            ASSERT_NEAR(costInMetres(answer.field->distance({x, y})), straight, 0.1) << x << "," << y;
            const Vec2 v = answer.field->vector({x, y});
            if (straight > 0) {
                ASSERT_GT(static_cast<double>(v.x) * dx + static_cast<double>(v.y) * dy, 0.9995 * straight) << x << "," << y;
            }
        }
    }
}

TEST(FastMarching, ARepairByTheOtherMethodIsRefused) {
    Made made(openRows(20, 20));
    made.request.goals = {{5, 5}};
    const FlowAnswer marched = made.build();
    ASSERT_EQ(marched.status, PathStatus::Found);
    FlowBuilder exact;
    const FlowAnswer refused = exact.repair(marched.field, made.request, made.drawn.snapshot(), made.store);
    EXPECT_EQ(refused.status, PathStatus::InvalidArgument);
    EXPECT_EQ(refused.error.field, "field");
    EXPECT_EQ(refused.field, nullptr);
}

TEST(FastMarching, DistancesAreNoLongerThanOverTheEightStepsButForTheBends) {
    Made made("..........#.........\n"
              "..........#....#....\n"
              "...##.....#....#....\n"
              "...##..........#..G.\n"
              "...............#....\n"
              "......#####....#....\n"
              "......#........#....\n"
              "......#.............\n");
    FlowBuilder builder;
    const auto exact = builder.build(made.drawn.snapshot(), made.request, made.store).field;
    for (const MarchOrder order : kOrders) {
        const auto field = made.build(order).field;
        for (int y = 0; y < 8; ++y) {
            for (int x = 0; x < 20; ++x) {
                if (!isFlowArrow(exact->direction({x, y}))) continue;
                EXPECT_LE(costInMetres(field->distance({x, y})), costInMetres(exact->distance({x, y})) + 1.0) << x << "," << y;
            }
        }
    }
}

TEST(FastMarching, AnAreaKeepsTheFieldInside) {
    Made made(openRows(200, 100));
    made.request.goals = {{70, 70}};
    made.request.area = {64, 64, 10, 10};
    const FlowAnswer answer = made.build();
    EXPECT_EQ(answer.field->area(), (CellRect{64, 64, 64, 36}));
    EXPECT_EQ(answer.field->direction({63, 70}), kFlowOutside);
    EXPECT_TRUE(isFlowArrow(answer.field->direction({127, 99})));
    made.request.goals = {{10, 10}};
    EXPECT_EQ(made.build().error.field, "area");
}

TEST(FastMarching, ABlockedGoalBecomesTheNearestFreeCellAndTheAnswerSaysSo) {
    Made made("......\n"
              "..###.\n"
              "..###.\n"
              "......\n");
    made.request.goals = {{2, 1}};
    const FlowAnswer answer = made.build();
    EXPECT_EQ(answer.status, PathStatus::Partial);
    EXPECT_TRUE(answer.field->info().redirected);
    EXPECT_EQ(answer.field->info().goals, (std::vector<Cell>{{2, 0}, {1, 1}}));
}

TEST(FastMarching, StartsThatCannotReachTheGoalAreLedToTheNearestCellThatTheyCanReach) {
    Made made("S...#...\n"
              "....#...\n"
              "....#..G\n"
              "....#...\n");
    made.request.starts = {*made.drawn.s};
    const FlowAnswer answer = made.build();
    EXPECT_EQ(answer.status, PathStatus::Partial);
    EXPECT_EQ(answer.field->info().goals, (std::vector<Cell>{{3, 2}}));
    EXPECT_TRUE(isFlowArrow(answer.field->direction({0, 0})));
    EXPECT_EQ(answer.field->direction({5, 0}), kFlowUnreachable);
}

TEST(FastMarching, WhereHeightsCostItIsRefusedWithTheReason) {
    PathConstraints wishes = walker();
    wishes.elevation_weight = 1.5f;
    Made made("...\n..G\n", {}, wishes);
    EXPECT_EQ(made.build().status, PathStatus::Found);  // level ground
    setHeights(*made.drawn.world, "111\n111\n");
    EXPECT_EQ(made.build().status, PathStatus::Found);  // level, and high
    setHeights(*made.drawn.world, "111\n112\n");
    const FlowAnswer refused = made.build();
    EXPECT_EQ(refused.status, PathStatus::InvalidArgument);
    EXPECT_EQ(refused.field, nullptr);
    EXPECT_EQ(refused.error.field, "elevation_weight");
    EXPECT_EQ(refused.error.value, "1.50");
}

TEST(FastMarching, WhereALimitOfSlopeForbidsAStepItIsRefusedWithTheReason) {
    PathConstraints wishes = walker();
    wishes.max_slope = 30.0f;
    Made made("....\n...G\n", {5, 5}, wishes);
    EXPECT_EQ(made.build().status, PathStatus::Found);
    setHeights(*made.drawn.world, "0011\n0011\n");  // 45 degrees
    const FlowAnswer refused = made.build();
    EXPECT_EQ(refused.status, PathStatus::InvalidArgument);
    EXPECT_EQ(refused.error.field, "max_slope");
    EXPECT_EQ(refused.error.value, "a step from [6,5] is too steep");
    // A cliff that may be jumped down is one-way.
    wishes.max_slope_down = 60.0f;
    made.request.key = flowKey(wishes, made.drawn.snapshot());
    EXPECT_EQ(made.build().error.field, "max_slope");
    wishes.max_slope = 60.0f;
    made.request.key = flowKey(wishes, made.drawn.snapshot());
    EXPECT_EQ(made.build().status, PathStatus::Found);
}

TEST(FastMarching, ExitsAreRefused) {
    Made made("...\n");
    made.request.exits = {{{0, 0}, 0}};
    EXPECT_EQ(made.build().error.field, "exits");
    made.request.exits.clear();
    EXPECT_EQ(made.build().error.field, "goals");
}

TEST(FastMarching, WithoutDistancesArrowsAndVectorsStay) {
    Made made("....#\n....G\n");
    made.request.keep_distances = false;
    const auto field = made.build().field;
    EXPECT_FALSE(field->hasDistances());
    EXPECT_EQ(field->distance({0, 0}), kNoFlowDistance);
    EXPECT_TRUE(isFlowArrow(field->direction({0, 0})));
    EXPECT_NE(field->vector({0, 0}), Vec2{});
}

}  // namespace
}  // namespace warpath
