// Jump point search against A* on the same tiles and regions.
#include "warpath/search/jps.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "warpath/core/rng.h"
#include "warpath/search/astar.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

struct Both {
    AStarResult astar;
    JpsResult jps;
    std::vector<CellId> cells;
};

class JpsTest : public testing::Test {
protected:
    Both solve(const WorldSnapshot& snapshot, const CostKey& key, Cell start, Cell goal) {
        Both both;
        const auto regions = store_->regions(snapshot, key.metric.profile);
        binding_.bind(snapshot, key, {}, store_);
        GoalShape shape;
        shape.setCell(goal.x, goal.y);
        both.astar = astar_.run(binding_, start.x, start.y, shape, {});
        both.jps = jps_.run(*regions, start, goal, static_cast<std::uint32_t>(binding_.model().smallestF(snapshot.state())), UINT64_MAX);
        if (both.jps.status == PathStatus::Found) jps_.extract(both.cells);
        return both;
    }

    /// Sum of the steps of a route, 0 when a step is not legal.
    Cost costOf(const std::vector<CellId>& cells) {
        Cost cost = 0;
        for (std::size_t i = 1; i < cells.size(); ++i) {
            int d = 0;
            while (d < kDirections && (gridXOf(cells[i - 1]) + kStepX[d] != gridXOf(cells[i]) || gridYOf(cells[i - 1]) + kStepY[d] != gridYOf(cells[i]))) ++d;
            if (d == kDirections) return 0;
            const CellRef from = binding_.refOf(gridXOf(cells[i - 1]), gridYOf(cells[i - 1])), to = binding_.refOf(gridXOf(cells[i]), gridYOf(cells[i]));
            if (!binding_.mayStep(from, d)) return 0;
            cost += Cost{stepLength(d)} * binding_.slot(slotOf(to)).f[localOf(to)];
        }
        return cost;
    }

    std::shared_ptr<TileStore> store_ = std::make_shared<TileStore>();
    TileBinding binding_;
    AStar astar_;
    JumpPointSearch jps_;
};

CostKey keyOfSize(std::uint8_t size) {
    CostKey key;
    key.metric.profile.size = size;
    return key;
}

TEST_F(JpsTest, agrees_with_astar_on_random_maps_over_chunk_borders) {
    std::uint64_t found = 0;
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
        Rng rng(seed);
        const int width = 40 + static_cast<int>(rng.below(120)), height = 40 + static_cast<int>(rng.below(60));
        World world({.width = width, .height = height, .has_cover = false});
        const std::uint32_t percent = 5 + rng.below(35);
        const bool blocks = rng.percent(50);
        WorldSnapshot snapshot = world.edit([&](WorldEdit& edit) {
            for (int y = 0; y < height; ++y) {
                for (int x = 0; x < width; ++x) {
                    if (blocks ? rng.below(400) < percent : rng.percent(percent)) {
                        const int side = blocks ? 1 + static_cast<int>(rng.below(6)) : 1;
                        edit.placeObstacle({x, y, side, side}, ObstacleKind::Rock, 2.0f);
                    }
                }
            }
        }).snapshot;
        const CostKey key = keyOfSize(static_cast<std::uint8_t>(1 + rng.below(3)));
        const auto regions = store_->regions(snapshot, key.metric.profile);
        for (int query = 0; query < 25; ++query) {
            const Cell start{static_cast<int>(rng.below(static_cast<std::uint32_t>(width))), static_cast<int>(rng.below(static_cast<std::uint32_t>(height)))};
            const Cell goal{static_cast<int>(rng.below(static_cast<std::uint32_t>(width))), static_cast<int>(rng.below(static_cast<std::uint32_t>(height)))};
            if (regions->regionAt(start.x, start.y) == 0 || regions->regionAt(goal.x, goal.y) == 0) continue;
            const Both both = solve(snapshot, key, start, goal);
            ASSERT_EQ(both.jps.status, both.astar.status) << "seed " << seed;
            if (both.jps.status != PathStatus::Found) continue;
            ++found;
            ASSERT_EQ(both.jps.cost, both.astar.cost) << "seed " << seed << " (" << start.x << "," << start.y << ") to (" << goal.x << "," << goal.y << ")";
            ASSERT_EQ(costOf(both.cells), both.jps.cost) << "seed " << seed;
            ASSERT_EQ(both.cells.front(), cellIdOf(start.x, start.y));
            ASSERT_EQ(both.cells.back(), cellIdOf(goal.x, goal.y));
        }
    }
    EXPECT_GT(found, 1000u);
}

TEST_F(JpsTest, a_limit_below_the_cost_of_every_route_is_a_cost_limit) {
    World world({.width = 12, .height = 1, .has_cover = false});
    const auto regions = store_->regions(world.snapshot(), {});
    EXPECT_EQ(jps_.run(*regions, {0, 0}, {11, 0}, 100, 10 * kCostPerMetre).status, PathStatus::CostLimit);
    EXPECT_EQ(jps_.run(*regions, {0, 0}, {11, 0}, 100, 11 * kCostPerMetre).status, PathStatus::Found);
}

TEST_F(JpsTest, start_and_goal_in_one_cell_give_a_route_of_one_cell) {
    World world({.width = 70, .height = 70, .has_cover = false});
    const Both both = solve(world.snapshot(), {}, {65, 65}, {65, 65});
    EXPECT_EQ(both.jps.status, PathStatus::Found);
    EXPECT_EQ(both.jps.cost, 0u);
    EXPECT_EQ(both.cells.size(), 1u);
}

TEST_F(JpsTest, sees_an_edit_through_the_repaired_table) {
    World world({.width = 200, .height = 130, .has_cover = false});
    solve(world.snapshot(), {}, {10, 10}, {190, 120});
    const WorldSnapshot walled = world.edit([](WorldEdit& e) { e.placeObstacle({100, 0, 1, 129}, ObstacleKind::Wall, 2.0f); }).snapshot;
    const Both both = solve(walled, {}, {10, 10}, {190, 10});
    EXPECT_EQ(both.jps.cost, both.astar.cost);
    EXPECT_EQ(costOf(both.cells), both.jps.cost);
    const WorldSnapshot sealed = world.edit([](WorldEdit& e) { e.placeObstacle({100, 129, 1, 1}, ObstacleKind::Wall, 2.0f); }).snapshot;
    EXPECT_EQ(solve(sealed, {}, {10, 10}, {190, 10}).jps.status, PathStatus::Unreachable);
}

}  // namespace
}  // namespace warpath
