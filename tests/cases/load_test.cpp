// Named real-world cases of many requests at once and of answers kept too long: tests/support's service over whole ticks.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "support/scenes.h"
#include "support/service_driver.h"
#include "warpath/core/rng.h"
#include "warpath/pathfinder/query.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

TEST(Cases, W041_a_service_that_keeps_paths_gives_none_whose_tiles_changed) {
    World world(WorldConfig{.width = 16, .height = 3, .has_cover = false});
    ServiceOptions options;
    options.paths.max_bytes = std::size_t{1} << 20;
    Service service(options);
    const auto ask = [&] {
        service.submit(PathRequest{.from = {0.5f, 1.5f}, .goal = Goal::point({12.5f, 1.5f}), .constraints = plainDistance()});
        test::tick(service, world.snapshot());
        return service.poll()->path();
    };
    const Path free = ask();
    EXPECT_EQ(free.cost, 12 * kCostPerMetre);
    world.edit([](WorldEdit& edit) { edit.placeObstacle(Cell{6, 1}, ObstacleKind::Wall, 3.0f); });
    const Path around = ask();
    EXPECT_GT(around.cost, free.cost);
    for (const Cell c : around.cells) EXPECT_FALSE(c.x == 6 && c.y == 1);
    world.edit([](WorldEdit& edit) { edit.removeObstacle(Cell{6, 1}); });
    EXPECT_EQ(ask().cost, free.cost);
    EXPECT_EQ(ask().cost, free.cost);
    EXPECT_EQ(service.stats().path_hits, 1u);
}

TEST(Cases, W044_an_answer_begun_before_an_edit_passes_no_cell_that_is_blocked_when_it_comes) {
    World world(WorldConfig{.width = 150, .height = 150, .has_cover = false});
    std::vector<std::function<void()>> jobs;
    Service service({.jobs = [&jobs](std::function<void()> job) {
        jobs.push_back(std::move(job));
        return true;
    }});
    Rng rng(44);
    const auto place = [&rng] {
        const auto x = static_cast<float>(rng.below(150)), y = static_cast<float>(rng.below(150));
        return Position{x + 0.5f, y + 0.5f};
    };
    int delivered = 0, broken = 0, found = 0, late = 0;
    std::vector<std::uint64_t> seen;  // revisions that ticks gave to the service
    for (int round = 0; round < 300; ++round) {
        const Position from = place(), to = place();
        service.submit(PathRequest{.from = from, .goal = Goal::point(to), .constraints = plainDistance()});
        seen.push_back(world.snapshot().revision());
        test::tick(service, world.snapshot(), 0);
        for (const ServiceAnswer& answer : test::pollAll(service)) {
            const Path& path = answer.path();
            ++delivered;
            EXPECT_TRUE(std::binary_search(seen.begin(), seen.end(), path.revision)) << "the ground that it was found on";
            late += path.revision < seen.back() ? 1 : 0;
            found += path.hasRoute() && path.is_valid ? 1 : 0;
            if (!path.is_valid) {
                broken += path.hasRoute() ? 1 : 0;
                continue;
            }
            for (const Cell c : path.cells) ASSERT_EQ(world.snapshot().obstacleAt(c), 0) << round;
        }
        if (round % 3 != 0) {  // workers that are late: several edits come before the answer
            for (const auto& job : std::exchange(jobs, {})) job();
        }
        for (int edits = 0; edits < 10; ++edits) {
            const Position at = place();
            const Cell cell = cellAt(at);
            const bool wall = rng.percent(70);
            world.edit([&](WorldEdit& edit) { wall ? edit.placeObstacle(CellRect{cell.x, cell.y, 3, 3}, ObstacleKind::Wall, 2.0f) : edit.removeObstacle(CellRect{cell.x, cell.y, 12, 12}); });
        }
    }
    EXPECT_GT(delivered, 200);
    EXPECT_GT(found, 100);
    EXPECT_GT(late, 50) << "answers begun before edits";
    EXPECT_GT(service.stats().asked_again, 20u);
    EXPECT_LT(broken, delivered / 10);
}

TEST(Cases, W055_three_hundred_orders_in_one_frame_stay_within_its_budget) {
    World world(WorldConfig{.width = 256, .height = 256, .has_cover = false});
    world.edit([](WorldEdit& edit) {
        edit.placeObstacle(CellRect{100, 0, 1, 200}, ObstacleKind::Wall, 3.0f);
        edit.placeObstacle(CellRect{200, 200, 20, 20}, ObstacleKind::Rock, 3.0f);
        edit.removeObstacle(CellRect{205, 205, 10, 10});  // a yard that nothing leads into
    });
    ServiceOptions options;
    options.paths.max_bytes = std::size_t{4} << 20;
    Service service(options);
    const auto order = [&](int i) {
        const float y = 10.5f + static_cast<float>(i % 50);
        const Position from{20.5f, y};
        return PathRequest{.from = from, .goal = Goal::point(i % 6 == 0 ? Position{208.5f, 208.5f} : Position{180.5f, y}), .constraints = plainDistance(), .algorithm = PathAlgorithm::AStar};
    };
    constexpr std::uint64_t kBudget = 30'000;
    std::uint64_t largest_search = 0;
    std::size_t answers = 0, refused = 0;
    for (int round = 0; round < 3; ++round) {  // units without a way ask again each time
        for (int i = 0; i < 300; ++i) service.submit(order(i), {.unit_id = static_cast<std::uint64_t>(i)});
        for (int ticks = 0; service.stats().pending > 0; ++ticks) {
            ASSERT_LT(ticks, 400);
            service.tick(world.snapshot(), kBudget);
            for (const ServiceAnswer& answer : test::pollAll(service)) {
                largest_search = std::max(largest_search, answer.work);
                refused += answer.status == PathStatus::Unreachable ? 1 : 0;
                ++answers;
            }
            EXPECT_LE(service.stats().last_inline_work, kBudget + largest_search) << "the last search may overrun";
        }
    }
    EXPECT_EQ(answers, 900u);
    EXPECT_EQ(refused, 150u);
    EXPECT_GE(service.stats().path_hits, 500u) << "equal orders are searched once";
    // The impossible ones are refused by regions, without a search.
    Query query;
    Path path;
    EXPECT_EQ(query.findPath(world.snapshot(), order(0), path), PathStatus::Unreachable);
    EXPECT_EQ(path.expansions, 0u);
}

}  // namespace
}  // namespace warpath
