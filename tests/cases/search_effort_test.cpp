// Real-world cases about ties, refusals without a search, and what a search keeps. The number is that of the collection of cases.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cases/case_runner.h"
#include "support/allocation_counter.h"
#include "warpath/core/rng.h"
#include "warpath/service/service.h"

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
    // As many operations on a map of any size: no expansion, no allocation, and the same time.
    const auto nanosecondsEach = [](int side) {
        World world({.width = side, .height = side, .rules = letterRules(), .fill = static_cast<Terrain>(0), .has_cover = false});
        world.edit([&](WorldEdit& edit) { edit.placeObstacle({side / 2 - 4, 0, 8, side}, ObstacleKind::Rock, 2.0f); });
        const WorldSnapshot now = world.snapshot();
        Query query;
        Path path;
        Rng rng(50);
        std::vector<PathRequest> units;
        for (int i = 0; i < 200; ++i) {
            const float x = static_cast<float>(rng.below(100)), y = static_cast<float>(rng.below(static_cast<std::uint32_t>(side)));
            units.push_back({.from = {x + 0.5f, y + 0.5f}, .goal = Goal::point({static_cast<float>(side) - 0.5f - x, y + 0.5f}), .constraints = walker()});
        }
        double best = 1e9;
        for (int round = 0; round < 10; ++round) {
            const std::uint64_t allocations = allocationCount();
            const auto started = std::chrono::steady_clock::now();
            for (const PathRequest& unit : units) {
                query.findPath(now, unit, path);
                EXPECT_EQ(path.status, PathStatus::Unreachable);
                EXPECT_EQ(path.expansions, 0u);
            }
            best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - started).count() / 200.0);
            if (round == 0) continue;  // it grows its buffers
            EXPECT_EQ(allocationCount(), allocations);
        }
        return best;
    };
    const double small = nanosecondsEach(256), large = nanosecondsEach(1024);
    RecordProperty("nanoseconds_each", static_cast<int>(large));
    EXPECT_LT(large, 20'000.0) << "under 1 us in a release build on a quiet machine; sanitizers and debug builds are allowed twenty times that";
    EXPECT_LT(large, 4.0 * small + 500.0) << "whatever the map's size";
}

TEST(Cases, W052_many_short_searches_cost_the_same_on_any_map_and_allocate_nothing) {
    struct Effort {
        std::uint64_t expansions = 0;
        std::size_t bytes = 0;
    };
    const auto ask = [](int side) {
        World world({.width = side, .height = side, .rules = letterRules(), .fill = static_cast<Terrain>(0), .has_cover = false});
        const WorldSnapshot now = world.snapshot();
        Query query;
        Path path;
        PathRequest request{.constraints = walker(), .algorithm = PathAlgorithm::AStar};
        Effort effort;
        std::uint64_t allocations = 0;
        for (int i = 0; i < 1000; ++i) {
            const float x = 3.5f + static_cast<float>(i % 10);
            request.from = {x, 3.5f};
            request.goal.centre = {x + 10.0f, 9.5f};
            query.findPath(now, request, path);
            EXPECT_EQ(path.status, PathStatus::Found);
            effort.expansions += path.expansions;
            if (i == 99) allocations = allocationCount();
        }
        EXPECT_EQ(allocationCount(), allocations) << "in steady state";
        effort.bytes = query.memoryBytes();
        return effort;
    };
    const Effort small = ask(64), large = ask(1000);
    EXPECT_EQ(large.expansions, small.expansions);
    EXPECT_LE(large.expansions, 1000u * 200u);
    EXPECT_LE(large.bytes, small.bytes + (64u << 10)) << "scratch of one searcher on 64 x 64 and on 1000 x 1000 cells";
}

TEST(Cases, W057_a_large_dead_end_costs_the_hierarchy_far_less_than_a_plain_search) {
    constexpr int kScale = 40;
    std::string picture;  // the small one of W057, every cell 40 x 40
    for (const std::string_view row : rowsOf("............\n"
                                             "...#######..\n"
                                             ".........#..\n"
                                             ".........#..\n"
                                             ".........#..\n"
                                             "...#######..\n"
                                             "............\n")) {
        std::string wide;
        for (const char c : row) wide.append(kScale, c);
        for (int i = 0; i < kScale; ++i) picture += wide + "\n";
    }
    const AsciiWorld drawn = asciiWorld(picture);
    const PathRequest request{.from = {0.5f, 140.5f}, .goal = Goal::point({479.5f, 140.5f}), .constraints = walker()};
    const Path plain = ask(drawn.snapshot(), request, PathAlgorithm::AStar), coarse = ask(drawn.snapshot(), request, PathAlgorithm::Hierarchical);
    ASSERT_EQ(plain.status, PathStatus::Found);
    ASSERT_EQ(coarse.status, PathStatus::Found);
    EXPECT_EQ(coarse.algorithm, PathAlgorithm::Hierarchical);
    EXPECT_GE(coarse.cost, plain.cost);
    EXPECT_LE(static_cast<double>(coarse.cost), 1.05 * static_cast<double>(plain.cost));
    EXPECT_LT(10 * coarse.expansions, plain.expansions) << coarse.expansions << " of " << plain.expansions;
}

TEST(Cases, W060_eight_searchers_at_once_share_the_map_and_keep_what_they_touched) {
    World world({.width = 1024, .height = 1024, .rules = letterRules(), .fill = static_cast<Terrain>(0), .has_cover = false});
    const WorldSnapshot now = world.snapshot();
    const auto store = std::make_shared<TileStore>();
    std::size_t bytes[8] = {};
    std::vector<std::thread> searchers;
    for (int i = 0; i < 8; ++i) {
        searchers.emplace_back([&, i] {
            Query query(store);
            Path path;
            const float at = 20.5f + 120.0f * static_cast<float>(i);
            for (int asked = 0; asked < 20; ++asked) {
                const float y = at + static_cast<float>(asked);
                query.findPath(now, {.from = {at, y}, .goal = Goal::point({at + 60.0f, y + 9.0f}), .constraints = walker(), .algorithm = PathAlgorithm::AStar}, path);
                EXPECT_EQ(path.status, PathStatus::Found);
            }
            bytes[i] = query.memoryBytes();
        });
    }
    for (std::thread& searcher : searchers) searcher.join();
    for (const std::size_t each : bytes) EXPECT_LE(each, std::size_t{1024} * 1024) << "less than a byte per cell of the map";
}

TEST(Cases, W060_search_state_belongs_to_running_searches_not_to_players) {
    World world({.width = 1024, .height = 1024, .rules = letterRules(), .fill = static_cast<Terrain>(0), .has_cover = false});
    std::vector<std::function<void()>> jobs;
    Service service({.jobs = [&jobs](std::function<void()> job) {
        jobs.push_back(std::move(job));
        return true;
    }});
    for (std::uint64_t player = 1; player <= 16; ++player) {
        for (int i = 0; i < 4; ++i) {
            const float y = 10.5f + static_cast<float>(i) + 20.0f * static_cast<float>(player);
            service.submit(PathRequest{.from = {10.5f, y}, .goal = Goal::point({70.5f, y}), .constraints = walker()}, {.unit_id = static_cast<std::uint64_t>(i), .player = player});
        }
    }
    service.tick(world.snapshot(), 0);
    ASSERT_EQ(jobs.size(), 64u);
    for (std::size_t i = 0; i < jobs.size(); i += 8) {  // eight at once
        std::vector<std::thread> running;
        for (std::size_t k = i; k < i + 8; ++k) running.emplace_back(jobs[k]);
        for (std::thread& one : running) one.join();
    }
    service.tick(world.snapshot(), 0);
    EXPECT_EQ(service.stats().answered, 64u);
    EXPECT_LE(service.stats().workers, 8u) << "pooled";
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
