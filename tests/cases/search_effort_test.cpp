// Real-world cases about ties, refusals without a search, and what a search keeps. The number is that of the collection of cases.
#include "cases/case_runner.h"
#include "warpath/core/rng.h"

namespace warpath {
namespace {

/// Open ground with a few walls, and the same transposed.
std::unique_ptr<World> fewWalls(std::uint64_t seed, bool transposed) {
    auto world = std::make_unique<World>(
        WorldConfig{.width = 512, .height = 512, .rules = letterRules(), .fill = static_cast<Terrain>(0), .has_cover = false});
    Rng rng(seed);
    world->edit([&](WorldEdit& edit) {
        for (int i = 0; i < 30; ++i) {
            const int x = 10 + static_cast<int>(rng.below(440)), y = 10 + static_cast<int>(rng.below(440));
            const int length = 5 + static_cast<int>(rng.below(50));
            const bool across = rng.percent(50);
            const CellRect wall = across != transposed ? CellRect{across ? x : y, across ? y : x, length, 1} : CellRect{across ? y : x, across ? x : y, 1, length};
            edit.placeObstacle(wall, ObstacleKind::Wall, 2.0f);
        }
    });
    return world;
}

TEST(Cases, W014_ties_never_change_the_cost) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto straight = fewWalls(seed, false), swapped = fewWalls(seed, true);
        Rng rng(seed + 100);
        for (int i = 0; i < 10; ++i) {
            const auto place = [&] { return static_cast<float>(rng.below(9)) + 0.5f; };
            const Position a{place(), place()};
            const Position b{502.5f + static_cast<float>(rng.below(9)), 480.5f + static_cast<float>(rng.below(30))};
            const PathRequest there{.from = a, .goal = Goal::point(b), .constraints = walker()};
            const PathRequest back{.from = b, .goal = Goal::point(a), .constraints = walker()};
            const PathRequest mirrored{.from = {a.y, a.x}, .goal = Goal::point({b.y, b.x}), .constraints = walker()};
            const Path first = ask(straight->snapshot(), there);
            ASSERT_EQ(first.status, PathStatus::Found);
            for (const PathAlgorithm algorithm : kExactAlgorithms) {
                EXPECT_EQ(ask(straight->snapshot(), there, algorithm).cost, first.cost);
                EXPECT_EQ(ask(straight->snapshot(), back, algorithm).cost, first.cost);
                EXPECT_EQ(ask(swapped->snapshot(), mirrored, algorithm).cost, first.cost);
            }
        }
    }
}

TEST(Cases, W050_goals_across_a_river_are_refused_without_a_search) {
    World world({.width = 1024, .height = 1024, .rules = letterRules(), .fill = static_cast<Terrain>(0), .has_cover = false});
    world.edit([](WorldEdit& edit) { edit.placeObstacle({500, 0, 8, 1024}, ObstacleKind::Rock, 2.0f); });
    const WorldSnapshot now = world.snapshot();
    Query query;
    Path path;
    Rng rng(50);
    for (int i = 0; i < 200; ++i) {
        const auto at = [&](std::uint32_t limit) { return static_cast<float>(rng.below(limit)) + 0.5f; };
        query.findPath(now, {.from = {at(500), at(1024)}, .goal = Goal::point({508.0f + at(500), at(1024)}), .constraints = walker()}, path);
        ASSERT_EQ(path.status, PathStatus::Unreachable);
        ASSERT_EQ(path.expansions, 0u);
    }
}

TEST(Cases, W052_W060_a_search_keeps_what_it_touched_not_what_the_map_holds) {
    const auto bytesAfterShortQueries = [](int side) {
        World world({.width = side, .height = side, .rules = letterRules(), .fill = static_cast<Terrain>(0), .has_cover = false});
        const WorldSnapshot now = world.snapshot();
        Query query;
        Path path;
        for (int i = 0; i < 100; ++i) {
            const float x = 3.5f + static_cast<float>(i % 10);
            query.findPath(now, {.from = {x, 3.5f}, .goal = Goal::point({x + 10.0f, 9.5f}), .constraints = walker(), .algorithm = PathAlgorithm::AStar}, path);
            EXPECT_EQ(path.status, PathStatus::Found);
            EXPECT_LE(path.expansions, 200u);
        }
        return query.memoryBytes();
    };
    const std::size_t small = bytesAfterShortQueries(64), large = bytesAfterShortQueries(2048);
    EXPECT_LE(large, small + (64u << 10)) << "scratch of one searcher on 64 x 64 and on 2048 x 2048 cells";
}

TEST(Cases, W058_every_part_says_what_it_holds_and_stays_under_its_cap) {
    constexpr std::size_t kCells = std::size_t{2048} * 2048, kTileCap = std::size_t{4} << 20, kTableCap = std::size_t{1} << 20;
    World world({.width = 2048, .height = 2048});
    Rng rng(58);
    world.edit([&](WorldEdit& edit) {
        for (int i = 0; i < 3000; ++i) {
            edit.placeObstacle({static_cast<int>(rng.below(2040)), static_cast<int>(rng.below(2040)), 1 + static_cast<int>(rng.below(8)), 1 + static_cast<int>(rng.below(8))},
                               ObstacleKind::Building, 6.0f);
        }
        for (int i = 0; i < 4; ++i) edit.removeObstacle({20 + 600 * i, 20, 16, 1900});
    });
    EXPECT_LE(world.memoryBytes(), 4 * kCells);
    const WorldSnapshot now = world.snapshot();
    const auto store = std::make_shared<TileStore>(kTileCap, kTableCap);
    Query query(store);
    Path path;
    for (const UnitType unit : {UnitType::Infantry, UnitType::Wheeled, UnitType::TankLight, UnitType::TankHeavy}) {
        PathConstraints wishes;
        wishes.unit_type = unit;
        const auto metric = std::get<ResolvedConstraints>(resolve(wishes, now.rules())).metric;
        EXPECT_LE(store->regions(now, metric.profile)->memoryBytes(), 2 * kCells) << "one class";
        for (int i = 0; i < 2; ++i) {
            const float x = 25.5f + 600.0f * static_cast<float>(i);
            query.findPath(now, {.from = {x, 30.5f}, .goal = Goal::point({x, 730.5f}), .constraints = wishes, .algorithm = PathAlgorithm::Hierarchical}, path);
            ASSERT_EQ(path.status, PathStatus::Found);
            ASSERT_LE(store->stats().bytes, kTileCap);
            ASSERT_LE(store->stats().table_bytes, kTableCap);
        }
    }
    EXPECT_GT(store->stats().evicted, 0u);
    EXPECT_LE(query.memoryBytes(), std::size_t{48} << 20) << "scratch, its share of prepared chunks bounded";
}

}  // namespace
}  // namespace warpath
