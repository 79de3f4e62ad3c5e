// Fields of the builder against the slow twin: distances, arrows, walls, for every cell of random maps.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/flow_fields.h"
#include "support/scenes.h"
#include "support/slow_grid.h"
#include "warpath/flow/flow_builder.h"

namespace warpath {
namespace {

/// Costs from every cell to the nearest goal, by the slow grid: Dijkstra against the steps, arrays scanned in a heap of pairs.
std::vector<Cost> slowDistances(const twin::SlowGrid& grid, const std::vector<Cell>& goals) {
    std::vector<Cost> d(static_cast<std::size_t>(grid.width()) * static_cast<std::size_t>(grid.height()), twin::kNowhere);
    std::vector<std::pair<Cost, std::size_t>> heap;
    const auto push = [&](std::size_t i, Cost v) {
        if (v >= d[i]) return;
        d[i] = v;
        heap.push_back({v, i});
        std::push_heap(heap.begin(), heap.end(), std::greater<>());
    };
    for (const Cell g : goals) push(grid.index(g.x, g.y), 0);
    while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
        const auto [value, i] = heap.back();
        heap.pop_back();
        if (value != d[i]) continue;
        const int x = static_cast<int>(i) % grid.width(), y = static_cast<int>(i) / grid.width();
        for (int k = 0; k < kDirections; ++k) {
            const int ax = x - kStepX[k], ay = y - kStepY[k];
            if (!grid.inside(ax, ay) || !grid.fits(ax, ay) || !grid.mayStep(ax, ay, k)) continue;
            push(grid.index(ax, ay), value + grid.stepCost(ax, ay, k));
        }
    }
    return d;
}

void expectExact(const FlowField& field, const twin::SlowGrid& grid, const WorldSnapshot& now, const std::vector<Cost>& want) {
    const Cell origin = now.origin();
    for (int y = 0; y < now.height(); ++y) {
        for (int x = 0; x < now.width(); ++x) {
            const Cell c{x + origin.x, y + origin.y};
            const Cost cost = want[grid.index(x, y)];
            const std::uint8_t code = field.direction(c);
            if (!grid.fits(x, y)) {
                ASSERT_EQ(code, kFlowWall) << x << "," << y;
                continue;
            }
            ASSERT_EQ(field.distance(c), cost) << x << "," << y;
            if (cost == twin::kNowhere) {
                ASSERT_EQ(code, kFlowUnreachable) << x << "," << y;
                continue;
            }
            if (code == kFlowGoal) {
                ASSERT_EQ(cost, 0u);
                continue;
            }
            ASSERT_TRUE(isFlowArrow(code)) << x << "," << y;
            // Legal, exact, and the first such step in the order of preference: so following arrows pays D and ends.
            int first = -1;
            for (const int d : {0, 2, 4, 6, 1, 3, 5, 7}) {
                if (!grid.mayStep(x, y, d)) continue;
                const Cost there = want[grid.index(x + kStepX[d], y + kStepY[d])];
                if (there != twin::kNowhere && there + grid.stepCost(x, y, d) == cost && first < 0) first = d;
            }
            ASSERT_EQ(code, first) << x << "," << y;
        }
    }
}

TEST(FlowBuilder, DistancesAndArrowsAreThoseOfTheSlowTwin) {
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder;
    for (std::uint64_t seed = 1; seed <= 240; ++seed) {
        const Scene scene = randomScene(seed, {.elevation = seed % 2 == 0, .layers = seed % 3 == 0, .walls = seed % 5 == 0, .large_units = seed % 4 == 0});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        const twin::SlowGrid grid(now, scene.wishes, scene.side);
        Rng rng(seed * 7919);
        std::vector<Cell> goals;
        FlowRequest request;
        request.key = flowKey(scene.wishes, now, scene.side);
        for (int i = static_cast<int>(rng.below(3)); i >= 0; --i) {
            const Cell c = scene.anyCell(rng);
            request.goals.push_back(c);
            if (grid.fits(c.x - now.origin().x, c.y - now.origin().y)) goals.push_back({c.x - now.origin().x, c.y - now.origin().y});
        }
        if (goals.empty()) continue;
        const FlowAnswer answer = builder.build(now, request, store);
        ASSERT_EQ(answer.status, PathStatus::Found) << answer.error.text();
        expectExact(*answer.field, grid, now, slowDistances(grid, goals));
        if (HasFatalFailure()) return;
    }
}

struct Made : DrawnField<FlowBuilder> {
    using DrawnField::DrawnField;
    FlowAnswer build() { return builder.build(drawn.snapshot(), request, store); }
    /// The arrows as a picture: > \\ v / < ` ^ ' (from east, clockwise), G goal, # wall, ? unreachable, ~ pending.
    std::string picture(const FlowField& field) {
        std::string out;
        const CellRect map = field.map();
        for (int y = map.y; y < map.y + map.height; ++y) {
            for (int x = map.x; x < map.x + map.width; ++x) out += ">\\v/<`^'G#? ~"[field.direction({x, y})];
            out += '\n';
        }
        return out;
    }
};

TEST(FlowBuilder, ArrowsGoRoundCornersNeverAcrossThem) {
    Made made("....\n"
              ".##.\n"
              "..#G\n",
              {-2, -70});
    const FlowAnswer answer = made.build();
    EXPECT_EQ(made.picture(*answer.field), ">>>v\n"
                                           "^##v\n"
                                           "^<#G\n");
}

TEST(FlowBuilder, AWallUnreachableGroundAndTheGoalAreDifferentThings) {
    Made made("..#.\n"
              ".G#.\n"
              "####\n");
    const FlowAnswer answer = made.build();
    EXPECT_EQ(made.picture(*answer.field), "\\v#?\n"
                                           ">G#?\n"
                                           "####\n");
    EXPECT_EQ(answer.field->direction({-1, 0}), kFlowOutside);
}

TEST(FlowBuilder, OfManyGoalsTheNearestWins) {
    Made made(".......\n");
    made.request.goals = {{0, 0}, {6, 0}};
    EXPECT_EQ(made.picture(*made.build().field), "G<<>>>G\n");  // of equals east comes before west
}

TEST(FlowBuilder, AnAreaIsReachedAtItsNearestCell) {
    Made made(".......\n"
              ".......\n");
    made.request.goal_rects = {{2, 0, 2, 1}};
    EXPECT_EQ(made.picture(*made.build().field), ">>GG<<<\n"
                                                 ">'^^`<<\n");
    made.request.goal_rects.clear();
    made.request.goal_discs = {{{3.5f, 0.5f}, 1.0f}};
    EXPECT_EQ(made.picture(*made.build().field), ">>GGG<<\n"
                                                 ">'>G<`<\n");
}

TEST(FlowBuilder, AnExitCountsWithWhatRemainsBeyondIt) {
    Made made(".......\n");
    made.request.exits = {{{0, 0}, 3 * kCostPerMetre}, {{6, 0}, 0}};
    const FlowAnswer answer = made.build();
    EXPECT_EQ(made.picture(*answer.field), "G<>>>>G\n");
    EXPECT_EQ(answer.field->distance({1, 0}), 4 * kCostPerMetre);
}

TEST(FlowBuilder, ABlockedGoalBecomesTheNearestFreeCellAndTheAnswerSaysSo) {
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

TEST(FlowBuilder, OfManyBlockedGoalsTheCellsNearestToAnyAreTaken) {
    for (const bool from_a_start : {false, true}) {
        Made made("S.........\n"
                  "..........\n"
                  "..######..\n"
                  "..######..\n"
                  "..######..\n"
                  "..######..\n"
                  "..######..\n"
                  "..........\n");
        made.request.goals.clear();
        for (int y = 3; y <= 5; ++y) {
            for (int x = 2; x <= 6; ++x) made.request.goals.push_back({x, y});
        }
        made.request.goals.push_back({-9, 4});
        if (from_a_start) made.request.starts = {*made.drawn.s};
        const FlowAnswer answer = made.build();
        EXPECT_EQ(answer.status, PathStatus::Partial);
        EXPECT_EQ(answer.field->info().goals, (std::vector<Cell>{{1, 3}, {1, 4}, {1, 5}}));
    }
}

TEST(FlowBuilder, StartsThatCannotReachTheGoalAreLedToTheNearestCellThatTheyCanReach) {
    Made made("S...#...\n"
              "....#...\n"
              "....#..G\n"
              "....#...\n"
              "....#...\n");
    made.request.starts = {*made.drawn.s};
    const FlowAnswer answer = made.build();
    EXPECT_EQ(answer.status, PathStatus::Partial);
    EXPECT_EQ(answer.field->info().goals, (std::vector<Cell>{{3, 2}}));
    EXPECT_EQ(answer.field->distance({0, 0}), 2 * Cost{kDiagonalLength} * 100 + Cost{kStraightLength} * 100);
    made.request.starts.clear();
    EXPECT_EQ(made.build().status, PathStatus::Found);
}

TEST(FlowBuilder, BadRequestsNameTheField) {
    Made made("...\n");
    EXPECT_EQ(made.build().error.field, "goals");
    made.request.goals = {{1, 0}};
    made.request.area = {50, 50, 10, 10};
    EXPECT_EQ(made.build().error.field, "area");
    made.request.area = {};
    made.request.goal_discs = {{{0, 0}, 1000.0f}};
    EXPECT_EQ(made.build().error.field, "goal_discs.radius");
    made.request.goal_discs = {};
    made.request.needed_margin = -1.0f;
    EXPECT_EQ(made.build().error.field, "needed_margin");
}

TEST(FlowBuilder, AMapWithoutAnyFreeCellHasNoField) {
    Made made("##\n##\n");
    made.request.goals = {{0, 0}};
    EXPECT_EQ(made.build().status, PathStatus::GoalBlocked);
}

}  // namespace
}  // namespace warpath
