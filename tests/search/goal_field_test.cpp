#include "warpath/search/goal_field.h"

#include <gtest/gtest.h>

#include "support/ascii_world.h"
#include "support/scenes.h"
#include "support/slow_grid.h"
#include "warpath/search/astar.h"

namespace warpath {
namespace {

/// A field and a search bound to one snapshot.
struct Bench {
    std::shared_ptr<TileStore> store = std::make_shared<TileStore>();
    TileBinding binding;
    GoalField field;
    AStar search;

    void bind(const WorldSnapshot& snapshot, const PathConstraints& wishes, int side, std::vector<CellRect> exempt = {}) {
        const auto resolved = std::get<ResolvedConstraints>(resolve(wishes, snapshot.rules()));
        binding.bind(snapshot, {resolved.metric, resolved.threat_weight, static_cast<std::uint8_t>(side)}, exempt, store);
    }
    [[nodiscard]] Cost boundAt(int x, int y) {
        const CellRef ref = binding.refOf(x, y);
        return field.bound()(field.distances(slotOf(ref))[localOf(ref)], x, y);
    }
};

constexpr SceneTraits kEverything{.elevation = true, .layers = true, .walls = true, .large_units = true};

Cell anyGridCell(const WorldSnapshot& now, Rng& rng) {
    const int x = static_cast<int>(rng.below(static_cast<std::uint32_t>(now.width())));
    const int y = static_cast<int>(rng.below(static_cast<std::uint32_t>(now.height())));
    return {x, y};
}

/// No step lowers the bound by more than it costs, and the bound is 0 at the goal: so it is consistent and admissible.
void expectConsistent(Bench& bench, const twin::SlowGrid& grid, Cell goal) {
    ASSERT_EQ(bench.boundAt(goal.x, goal.y), 0u);
    for (int y = 0; y < grid.height(); ++y) {
        for (int x = 0; x < grid.width(); ++x) {
            if (!grid.fits(x, y)) continue;
            const Cost here = bench.boundAt(x, y);
            for (int d = 0; d < kDirections; ++d) {
                if (!grid.mayStep(x, y, d)) continue;
                ASSERT_LE(here, grid.stepCost(x, y, d) + bench.boundAt(x + kStepX[d], y + kStepY[d])) << x << ',' << y << " direction " << d;
            }
        }
    }
}

TEST(GoalField, AWeightedFieldIsWalkedWithinItsWeight) {
    Bench bench;
    std::vector<CellId> cells;
    int walked = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Scene scene = randomScene(seed, {.layers = true, .walls = true, .large_units = true});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        const twin::SlowGrid grid(now, scene.wishes, scene.side);
        Rng rng(seed * 37);
        const Cell start = anyGridCell(now, rng);
        const Cell at = anyGridCell(now, rng);
        bench.bind(now, scene.wishes, scene.side);
        GoalShape goal;
        goal.setCell(at.x, at.y);
        const Cost best = twin::slowDijkstra(grid, start).cost(grid, at);
        const std::uint32_t weight = 100 + rng.below(200);
        const FieldStatus status = bench.field.build(bench.binding, goal, start.x, start.y, UINT64_MAX, {.weight_hundredths = weight});
        ASSERT_EQ(status == FieldStatus::Ready, best != twin::kNowhere);
        if (status != FieldStatus::Ready) continue;
        ++walked;
        const Cost cost = bench.field.walk(bench.binding, cells);
        ASSERT_EQ(cells.front(), cellIdOf(start.x, start.y));
        ASSERT_EQ(cells.back(), cellIdOf(at.x, at.y));
        Cost own = 0;
        for (std::size_t i = 1; i < cells.size(); ++i) {
            const int x = gridXOf(cells[i - 1]), y = gridYOf(cells[i - 1]), d = directionOf(gridXOf(cells[i]) - x, gridYOf(cells[i]) - y);
            ASSERT_TRUE(d >= 0 && grid.mayStep(x, y, d)) << x << ',' << y;
            own += grid.stepCost(x, y, d);
        }
        ASSERT_EQ(own, cost);
        ASSERT_LE(cost * 100, best * weight);
        ASSERT_GE(cost, best);
    }
    EXPECT_GT(walked, 80);
}

TEST(GoalField, BoundsAreConsistentOnEveryStep) {
    Bench bench;
    int ready = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Scene scene = randomScene(seed, seed % 2 == 0 ? kEverything : SceneTraits{.layers = true});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        const twin::SlowGrid grid(now, scene.wishes, scene.side);
        Rng rng(seed * 31);
        const Cell start = anyGridCell(now, rng), at = anyGridCell(now, rng);
        bench.bind(now, scene.wishes, scene.side);
        GoalShape goal;
        goal.setCell(at.x, at.y);
        const Cost best = twin::slowDijkstra(grid, start).cost(grid, at);
        // Also fields that end early, as for a request with a cost limit.
        const Cost enough = seed % 3 != 0 || best == twin::kNowhere || best == 0 ? UINT64_MAX : rng.below(static_cast<std::uint32_t>(std::min<Cost>(best, UINT32_MAX)));
        const FieldStatus status = bench.field.build(bench.binding, goal, start.x, start.y, enough);
        if (enough == UINT64_MAX) {
            ASSERT_EQ(status == FieldStatus::Ready, best != twin::kNowhere);
        }
        if (status != FieldStatus::Ready) continue;
        ++ready;
        ASSERT_LE(bench.boundAt(start.x, start.y), best);
        if (enough == UINT64_MAX && !bench.binding.pricesElevation()) {
            ASSERT_EQ(bench.boundAt(start.x, start.y), best);
        }
        ASSERT_NO_FATAL_FAILURE(expectConsistent(bench, grid, at));
    }
    EXPECT_GT(ready, 150);
}

TEST(GoalField, WithAReachEveryDistanceWithinItIsExactAndNoneIsTooSmall) {
    Bench bench;
    std::size_t exact = 0;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        const Scene scene = randomScene(500 + seed, {.layers = true, .walls = true, .large_units = true});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        const twin::SlowGrid grid(now, scene.wishes, scene.side);
        Rng rng(seed * 17);
        const Cell start = anyGridCell(now, rng), at = anyGridCell(now, rng);
        bench.bind(now, scene.wishes, scene.side);
        if (bench.binding.pricesElevation()) continue;
        const auto from_start = twin::slowDijkstra(grid, start);
        const Cost best = from_start.cost(grid, at);
        if (best == twin::kNowhere || best == 0) continue;
        GoalShape goal;
        goal.setCell(at.x, at.y);
        const Cost reach = best + best / 2;
        ASSERT_EQ(bench.field.build(bench.binding, goal, start.x, start.y, UINT64_MAX, {.reach = reach}), FieldStatus::Ready);
        const GoalField::Bound bound = bench.field.bound();
        for (int k = 0; k < 12; ++k) {
            const Cell c = anyGridCell(now, rng);
            if (!grid.fits(c.x, c.y)) continue;
            const Cost rest = twin::slowDijkstra(grid, c).cost(grid, at);
            const CellRef ref = bench.binding.refOf(c.x, c.y);
            const std::uint32_t distance = bench.field.distances(slotOf(ref))[localOf(ref)];
            if (rest == twin::kNowhere) {
                ASSERT_EQ(distance, kChunkUnreached);
            } else if (rest + bound.away(c.x, c.y) <= reach) {
                ASSERT_EQ(distance, rest) << c.x << ',' << c.y;
                ++exact;
            } else {
                ASSERT_GE(distance, rest) << c.x << ',' << c.y;
            }
        }
    }
    EXPECT_GT(exact, 30u);
}

TEST(GoalField, BoundsAreConsistentWhereObstaclesAreIgnored) {
    Bench bench;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const Scene scene = randomScene(7000 + seed, {.layers = true, .large_units = true});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        Rng rng(seed);
        const Cell start = anyGridCell(now, rng), at = anyGridCell(now, rng);
        const std::vector<CellRect> exempt{{start.x - 1, start.y - 1, 4, 4}, {at.x - 2, at.y, 5, 5}};
        const twin::SlowGrid grid(now, scene.wishes, scene.side, exempt);
        bench.bind(now, scene.wishes, scene.side, exempt);
        GoalShape goal;
        goal.setCell(at.x, at.y);
        if (bench.field.build(bench.binding, goal, start.x, start.y, UINT64_MAX) != FieldStatus::Ready) continue;
        ASSERT_EQ(bench.boundAt(start.x, start.y), twin::slowDijkstra(grid, start).cost(grid, at));
        ASSERT_NO_FATAL_FAILURE(expectConsistent(bench, grid, at));
    }
}

TEST(GoalField, LedSearchesCostWhatPlainOnesDo) {
    Bench bench;
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        const Scene scene = randomScene(20'000 + seed, kEverything);
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        Rng rng(seed);
        const Cell start = anyGridCell(now, rng), a = anyGridCell(now, rng), b = anyGridCell(now, rng);
        bench.bind(now, scene.wishes, scene.side);
        GoalShape goal;
        if (seed % 4 == 0) {
            goal.setRect({std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x) + 1, std::abs(a.y - b.y) + 1});
        } else {
            goal.setCell(a.x, a.y);
        }
        const AStarResult plain = bench.search.run(bench.binding, start.x, start.y, goal, {});
        const FieldStatus status = bench.field.build(bench.binding, goal, start.x, start.y, UINT64_MAX);
        ASSERT_NE(status, FieldStatus::Unfit);
        ASSERT_EQ(status == FieldStatus::Ready, plain.status == PathStatus::Found);
        if (status != FieldStatus::Ready) continue;
        const AStarResult led = bench.search.run(bench.binding, start.x, start.y, goal, {.field = &bench.field});
        ASSERT_EQ(led.status, PathStatus::Found);
        ASSERT_EQ(led.cost, plain.cost);
        const std::uint32_t weight = 100 + rng.below(200);
        const AStarResult hasty = bench.search.run(bench.binding, start.x, start.y, goal, {.weight_hundredths = weight, .field = &bench.field});
        ASSERT_EQ(hasty.status, PathStatus::Found);
        ASSERT_LE(hasty.cost, plain.cost * weight / 100);
        if (plain.cost == 0) continue;
        ASSERT_EQ(bench.search.run(bench.binding, start.x, start.y, goal, {.max_cost = plain.cost, .field = &bench.field}).cost, plain.cost);
        ASSERT_EQ(bench.search.run(bench.binding, start.x, start.y, goal, {.max_cost = plain.cost - 1, .field = &bench.field}).status, PathStatus::CostLimit);
    }
}

/// 640 x 640 cells of patches of terrain and single obstacles, threat from chunk to chunk.
std::unique_ptr<World> manyChunks(std::uint64_t seed) {
    constexpr int kSize = 640;
    auto world = std::make_unique<World>(WorldConfig{.width = kSize, .height = kSize, .has_cover = true});
    Rng rng(seed);
    world->edit([&](WorldEdit& edit) {
        const auto at = [&] { return static_cast<int>(rng.below(kSize)); };
        for (int i = 0; i < 5000; ++i) {
            const int x = at(), y = at(), width = 3 + static_cast<int>(rng.below(14)), height = 3 + static_cast<int>(rng.below(14));
            edit.setTerrain({x, y, width, height}, static_cast<Terrain>(rng.below(8)));
        }
        for (int i = 0; i < 1500; ++i) {
            const int x = at(), y = at(), width = 1 + static_cast<int>(rng.below(8)), height = 1 + static_cast<int>(rng.below(8));
            edit.placeObstacle({x, y, width, height}, ObstacleKind::Building, 3.0f);
        }
        for (int cy = 0; cy < kSize / kChunkSize; ++cy) {
            for (int cx = 0; cx < kSize / kChunkSize; ++cx) {
                auto threat = evenThreat(0, 1);
                const std::uint32_t level = rng.below(kThreatOne);
                for (std::uint16_t& value : threat->values) value = static_cast<std::uint16_t>(level + rng.below(200));
                edit.setThreat(3, {cx, cy}, threat);
            }
        }
    });
    return world;
}

TEST(GoalField, AcrossManyChunksEveryDoctrineCostsTheSameAndSettlesFewCells) {
    const std::unique_ptr<World> world = manyChunks(5);
    const WorldSnapshot now = world->snapshot();
    Bench bench;
    for (const Doctrine doctrine : {Doctrine::Aggressive, Doctrine::Balanced, Doctrine::Cautious, Doctrine::Stealth}) {
        PathConstraints wishes;
        wishes.doctrine = doctrine;
        bench.bind(now, wishes, 3);
        std::uint64_t plain_cells = 0, led_cells = 0;
        Rng rng(9);
        for (int i = 0; i < 40; ++i) {
            const Cell start = anyGridCell(now, rng);
            const Cell at = i < 30 ? Cell{std::min(start.x + 71, now.width() - 1), std::max(start.y - 71, 0)} : anyGridCell(now, rng);
            GoalShape goal;
            goal.setCell(at.x, at.y);
            const AStarResult plain = bench.search.run(bench.binding, start.x, start.y, goal, {});
            if (bench.field.build(bench.binding, goal, start.x, start.y, UINT64_MAX) != FieldStatus::Ready) {
                ASSERT_EQ(plain.status, PathStatus::Unreachable);
                continue;
            }
            const AStarResult led = bench.search.run(bench.binding, start.x, start.y, goal, {.field = &bench.field});
            ASSERT_EQ(led.cost, plain.cost);
            plain_cells += plain.expansions;
            led_cells += led.expansions;
        }
        EXPECT_LT(led_cells * 10, plain_cells * 4);
    }
}

TEST(GoalField, BoundsDoNotDependOnWhatWasAskedBefore) {
    const std::unique_ptr<World> world = manyChunks(6);
    const WorldSnapshot now = world->snapshot();
    Bench warm;
    warm.bind(now, {}, 3);
    Rng rng(4);
    for (int i = 0; i < 30; ++i) {
        const Cell start = anyGridCell(now, rng), at = anyGridCell(now, rng);
        GoalShape goal;
        goal.setCell(at.x, at.y);
        Bench cold;
        cold.bind(now, {}, 3);
        const FieldStatus status = warm.field.build(warm.binding, goal, start.x, start.y, UINT64_MAX);
        ASSERT_EQ(cold.field.build(cold.binding, goal, start.x, start.y, UINT64_MAX), status);
        if (status != FieldStatus::Ready) continue;
        ASSERT_EQ(warm.field.visits(), cold.field.visits());
        ASSERT_EQ(warm.field.bound().reach, cold.field.bound().reach);
        for (int probe = 0; probe < 2000; ++probe) {
            const Cell c = anyGridCell(now, rng);
            ASSERT_EQ(warm.boundAt(c.x, c.y), cold.boundAt(c.x, c.y));
        }
    }
    EXPECT_LE(warm.field.memoryBytes(), std::size_t{16} << 20);
}

TEST(GoalField, GivesUpOnWaysThroughTooManyChunks) {
    World world({.width = 2048, .height = 2048});
    Bench bench;
    bench.bind(world.snapshot(), {}, 0);
    GoalShape goal;
    goal.setCell(2000, 2000);
    EXPECT_EQ(bench.field.build(bench.binding, goal, 10, 10, UINT64_MAX), FieldStatus::Unfit);
    EXPECT_EQ(bench.field.build(bench.binding, goal, 1900, 2000, UINT64_MAX), FieldStatus::Ready);
}

}  // namespace
}  // namespace warpath
