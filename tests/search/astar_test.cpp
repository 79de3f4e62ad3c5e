#include "warpath/search/astar.h"

#include <gtest/gtest.h>

#include "support/ascii_world.h"
#include "support/scenes.h"
#include "support/slow_grid.h"

namespace warpath {
namespace {

/// A search bound to one snapshot.
struct Bench {
    std::shared_ptr<TileStore> store = std::make_shared<TileStore>();
    TileBinding binding;
    AStar search;
    std::vector<CellId> cells;

    void bind(const WorldSnapshot& snapshot, const PathConstraints& wishes, int side = 0) {
        const auto resolved = std::get<ResolvedConstraints>(resolve(wishes, snapshot.rules()));
        binding.bind(snapshot, {resolved.metric, resolved.threat_weight, static_cast<std::uint8_t>(side)}, {}, store);
    }

    std::vector<Cell> route(CellRef end) {
        search.extract(binding, end, cells);
        std::vector<Cell> out;
        for (const CellId id : cells) out.push_back({gridXOf(id), gridYOf(id)});
        return out;
    }
};

TEST(AStar, AGoalAtTheStartCostsNothingAndExpandsNothing) {
    Bench bench;
    bench.bind(asciiWorld("...\n").snapshot(), walker());
    GoalShape goal;
    goal.setCell(1, 0);
    const AStarResult result = bench.search.run(bench.binding, 1, 0, goal, {});
    EXPECT_EQ(result.status, PathStatus::Found);
    EXPECT_EQ(result.cost, 0u);
    EXPECT_EQ(result.expansions, 0u);
    EXPECT_EQ(bench.route(result.end), (std::vector<Cell>{{1, 0}}));
}

// Found by random scenes: the cell on the way had been improved after the nearest cell was reached from it, and the walk back found no exact predecessor.
TEST(AStar, ASearchCutShortAfterAnyNumberOfStepsLeavesAWalkableRoute) {
    const char* rows =
        "........#...............\n"
        "......##.#......#.......\n"
        "..3...#..9..r...#..2....\n"
        "..r3..#.....rrrr#.......\n"
        "...r..##.#......#.....G.\n"
        "S...9rrr.###r...#.......\n"
        "....r....#..r...#.......\n"
        "...r..9..#.....rrr......\n";
    const AsciiWorld drawn = asciiWorld(rows);
    const WorldSnapshot now = drawn.snapshot();
    Bench bench;
    for (const DiagonalRule rule : {DiagonalRule::Strict, DiagonalRule::Always}) {
        bench.bind(now, walker(rule));
        const twin::SlowGrid grid(now, walker(rule));
        GoalShape goal;
        goal.setCell(drawn.g->x, drawn.g->y);
        for (const std::uint32_t weight : {100u, 130u, 300u, 10'000u}) {
            for (std::uint64_t budget = 1; budget < 200; ++budget) {
                const AStarResult result = bench.search.run(bench.binding, drawn.s->x, drawn.s->y, goal, {.weight_hundredths = weight, .max_expansions = budget});
                ASSERT_NE(result.end, kNoCellRef);
                const std::vector<Cell> route = bench.route(result.end);
                ASSERT_EQ(route.front(), *drawn.s);
                ASSERT_LE(twin::routeCost(grid, route), result.cost) << "weight " << weight << ", budget " << budget;
            }
        }
    }
}

TEST(AStar, CostsBeyond32BitsAreFoundThoughLittleIsLeftToTheGoal) {
    WorldRules rules = WorldRules::reference();
    for (UnitClass& unit : rules.unit_classes) {
        unit.multipliers.assign(rules.terrain_types.size(), 98.0f);
        unit.multipliers[static_cast<std::size_t>(Terrain::Road)] = 0.5f;
    }
    World world({.width = 700, .height = 3, .rules = rules});
    world.edit([](WorldEdit& e) {
        e.placeObstacle({0, 1, 699, 1}, ObstacleKind::Wall, 3.0f);
        e.setTerrain({0, 2}, Terrain::Road);  // so that estimates are small
    });
    Bench bench;
    bench.bind(world.snapshot(), walker());
    GoalShape goal;
    goal.setCell(0, 2);
    const AStarResult result = bench.search.run(bench.binding, 0, 0, goal, {});
    ASSERT_EQ(result.status, PathStatus::Found);
    EXPECT_GT(result.cost, Cost{UINT32_MAX});
    EXPECT_EQ(bench.route(result.end).size(), 1401u);
}

TEST(AStar, AWeightedSearchOverHillsEndsThoughItsBoundMakesItSettleCellsAgain) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Rng rng(seed);
        World world({.width = 129, .height = 128, .has_cover = false});
        world.edit([&](WorldEdit& e) {
            for (int i = 0; i < 1600; ++i) {
                const int x = static_cast<int>(rng.below(129)), y = static_cast<int>(rng.below(128));
                e.setElevation({x, y, 8, 8}, static_cast<float>(rng.below(40)) / 10.0f);
            }
        });
        PathConstraints wishes = plainDistance();
        wishes.max_slope = 80.0f;
        wishes.elevation_weight = 1.5f;
        Bench bench;
        bench.bind(world.snapshot(), wishes);
        GoalShape goal;
        goal.setCell(110, 100);
        const AStarResult exact = bench.search.run(bench.binding, 20, 20, goal, {});
        const AStarResult weighted = bench.search.run(bench.binding, 20, 20, goal, {.weight_hundredths = 10000});
        ASSERT_EQ(weighted.status, exact.status);
        if (exact.status != PathStatus::Found) continue;
        EXPECT_LE(weighted.expansions, 5u * 129u * 128u + 65536u) << seed;
        EXPECT_GE(weighted.cost, exact.cost) << seed;
        EXPECT_EQ(bench.route(weighted.end).back().x, 110) << seed;
    }
}

TEST(AStar, WeightedSearchesLeaveWalkableRoutesWithinTheirBound) {
    Bench bench;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Scene scene = randomScene(seed, {.elevation = true});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        const twin::SlowGrid grid(now, scene.wishes, scene.side);
        Rng rng(seed);
        const int sx = static_cast<int>(rng.below(static_cast<std::uint32_t>(now.width()))), sy = static_cast<int>(rng.below(static_cast<std::uint32_t>(now.height())));
        const int gx = static_cast<int>(rng.below(static_cast<std::uint32_t>(now.width()))), gy = static_cast<int>(rng.below(static_cast<std::uint32_t>(now.height())));
        const Cost best = twin::slowDijkstra(grid, {sx, sy}).cost(grid, {gx, gy});
        bench.bind(now, scene.wishes, scene.side);
        GoalShape goal;
        goal.setCell(gx, gy);
        const std::uint32_t weight = 100 + rng.below(500);
        const AStarResult result = bench.search.run(bench.binding, sx, sy, goal, {.weight_hundredths = weight});
        ASSERT_EQ(result.status == PathStatus::Found, best != twin::kNowhere);
        if (best == twin::kNowhere) continue;
        const Cost cost = twin::routeCost(grid, bench.route(result.end));
        ASSERT_LE(cost, result.cost);
        ASSERT_LE(result.cost, best * weight / 100);
        ASSERT_GE(cost, best);
    }
}

TEST(AStar, CanonicalOrderingLeavesOutOnlyStepsThatNoCheapestWayNeeds) {
    Bench bench;
    std::uint64_t plain = 0, canonical = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        const int width = 1 + static_cast<int>(rng.below(90)), height = 1 + static_cast<int>(rng.below(90));
        const int walls = static_cast<int>(rng.below(46));
        std::string rows;
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) rows += rng.percent(walls) ? '#' : '.';
            rows += '\n';
        }
        const PathConstraints wishes = walker(DiagonalRule::Strict, 1 + static_cast<int>(rng.below(3)));
        const AsciiWorld drawn = asciiWorld(rows);
        const WorldSnapshot now = drawn.snapshot();
        const twin::SlowGrid grid(now, wishes);
        bench.bind(now, wishes);
        const auto any = [&](int below) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(below))); };
        const Cell from{any(width), any(height)};  // blocked or not
        const twin::SlowAnswer all = twin::slowDijkstra(grid, from);
        for (int i = 0; i < 12; ++i) {
            GoalShape goal;
            const Cell to{any(width), any(height)};
            goal.setCell(to.x, to.y);
            const AStarResult result = bench.search.run(bench.binding, from.x, from.y, goal, {.canonical = true});
            const Cost best = all.cost(grid, to);
            ASSERT_EQ(result.status == PathStatus::Found, best != twin::kNowhere);
            canonical += result.expansions;
            if (best != twin::kNowhere) {
                ASSERT_EQ(result.cost, best);
                ASSERT_EQ(twin::routeCost(grid, bench.route(result.end)), best);
            }
            plain += bench.search.run(bench.binding, from.x, from.y, goal, {}).expansions;
        }
    }
    EXPECT_LT(canonical, plain * 11 / 10);
}

TEST(AStar, AnswersStayTheSameWhenTheQueryStampsStartAnew) {
    Bench bench;
    bench.bind(asciiWorld("..#...\n"
                          "..#.#.\n"
                          "....#.\n").snapshot(),
               walker());
    GoalShape goal;
    goal.setCell(5, 2);
    const AStarResult first = bench.search.run(bench.binding, 0, 0, goal, {});
    const std::vector<Cell> route = bench.route(first.end);
    GoalShape near;
    near.setCell(1, 0);
    for (int i = 0; i < 65'540; ++i) {
        const bool far = i % 4096 == 0 || i > 65'520;
        const AStarResult again = bench.search.run(bench.binding, 0, 0, far ? goal : near, {});
        ASSERT_EQ(again.cost, far ? first.cost : 408u * 100u) << i;
        if (far) {
            ASSERT_EQ(bench.route(again.end), route);
        }
    }
}

}  // namespace
}  // namespace warpath
