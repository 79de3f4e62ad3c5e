// Steady state: no allocations, answers that depend on nothing but the snapshot and the request, moved and mirrored maps.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/allocation_counter.h"
#include "support/ascii_world.h"
#include "support/scenes.h"
#include "warpath/pathfinder/query.h"

namespace warpath {
namespace {

PathRequest anyRequest(const Scene& scene, Rng& rng) {
    return {.from = scene.standingAt(scene.anyCell(rng)), .goal = Goal::point(scene.standingAt(scene.anyCell(rng))), .constraints = scene.wishes,
            .side = scene.side, .allow_partial = rng.percent(50)};
}

TEST(QuerySteadyState, QueriesAskedBeforeAllocateNothingTheSecondTime) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const Scene scene = randomScene(seed, {.elevation = true, .layers = true, .large_units = true});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        Query query;
        Path path;
        Rng rng(seed);
        std::vector<PathRequest> requests;
        for (int i = 0; i < 10; ++i) requests.push_back(anyRequest(scene, rng));
        for (int warm = 0; warm < 2; ++warm) {
            for (const PathRequest& request : requests) query.findPath(now, request, path);
        }
        const std::uint64_t before = allocationCount();
        ASSERT_GT(before, 0u) << "the counter counts";
        for (const PathRequest& request : requests) query.findPath(now, request, path);
        EXPECT_EQ(allocationCount() - before, 0u);
    }
}

TEST(QueryHistory, WarmColdAndTinyStoresAnswerAlike) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Scene scene = randomScene(seed, {.elevation = true, .layers = true, .walls = true, .large_units = true});
        SCOPED_TRACE(scene.name);
        Query warm, tiny(std::make_shared<TileStore>(1));
        Path a, b, c;
        Rng rng(seed), edits(seed);
        for (int i = 0; i < 6; ++i) {
            const WorldSnapshot now = scene.world->snapshot();
            const PathRequest request = anyRequest(scene, rng);
            Query cold;
            warm.findPath(now, request, a);
            cold.findPath(now, request, b);
            tiny.findPath(now, request, c);
            ASSERT_EQ(a.status, b.status);
            ASSERT_EQ(a.status, c.status);
            ASSERT_EQ(a.cells, b.cells);
            ASSERT_EQ(a.cells, c.cells);
            ASSERT_EQ(a.waypoints, b.waypoints);
            ASSERT_EQ(a.breakdown, c.breakdown);
            editAtRandom(*scene.world, edits, true);
        }
    }
}

// Found by a replay: a searcher that had swept a chunk while the whole map was flat took another of several cheapest routes there once there was a hill elsewhere.
TEST(QueryHistory, TheFirstHillOfAMapAndTheLastChangeNoRouteElsewhere) {
    int elsewhere = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        World world({.width = 200, .height = 130});
        Rng rng(seed);
        world.edit([&](WorldEdit& e) {
            for (int i = 0; i < 6000; ++i) {
                e.setTerrain({static_cast<int>(rng.below(200)), static_cast<int>(rng.below(130)), 1, 1}, rng.percent(60) ? Terrain::Swamp : Terrain::Road);
            }
        });
        std::vector<PathRequest> requests;
        for (int i = 0; i < 8; ++i) {
            const auto y = [&] { return static_cast<float>(rng.below(128)) + 1.0f; };
            requests.push_back({.from = {70.0f + static_cast<float>(rng.below(30)), y()}, .goal = Goal::point({160.0f + static_cast<float>(rng.below(38)), y()})});
            requests.back().constraints.unit_radius = static_cast<float>(i % 3) * 0.5f + 0.5f;
        }
        Query warm;
        Path a, b;
        for (int round = 0; round < 3; ++round) {
            const WorldSnapshot now = world.snapshot();
            for (const PathRequest& request : requests) {
                Query cold;
                warm.findPath(now, request, a);
                cold.findPath(now, request, b);
                ASSERT_EQ(a.cells, b.cells) << "seed " << seed << ", round " << round;
                elsewhere += a.status == PathStatus::Found ? 1 : 0;
            }
            world.edit([&](WorldEdit& e) { e.setElevation(CellRect{20, 20, 11, 18}, round == 0 ? 5.0f : 0.0f); });
        }
    }
    EXPECT_GT(elsewhere, 120);
}

TEST(QueryHistory, MovedOriginsMoveTheAnswerWithThem) {
    const char* rows = "S..#....\n"
                       "...#.5..\n"
                       "...#.5.G\n"
                       ".....5..\n";
    const AsciiWorld here = asciiWorld(rows), there = asciiWorld(rows, {-1000, -64});
    Query query;
    Path a, b;
    query.findPath(here.snapshot(), {.from = here.start(), .goal = Goal::point(here.goal()), .constraints = walker()}, a);
    query.findPath(there.snapshot(), {.from = there.start(), .goal = Goal::point(there.goal()), .constraints = walker()}, b);
    EXPECT_EQ(a.cost, b.cost);
    ASSERT_EQ(a.cells.size(), b.cells.size());
    for (std::size_t i = 0; i < a.cells.size(); ++i) EXPECT_EQ((Cell{a.cells[i].x - 1000, a.cells[i].y - 64}), b.cells[i]);
}

TEST(QueryHistory, ATransposedMapCostsTheSame) {
    Rng rng(5);
    Query query;
    Path a, b;
    for (int map = 0; map < 100; ++map) {
        std::string rows;
        for (int i = 0; i < 20 * 12; ++i) rows += std::string(1, "....1359r##"[rng.below(11)]) + (i % 20 == 19 ? "\n" : "");
        rows.front() = 'S';
        rows[rows.size() - 2] = 'G';
        const AsciiWorld plain = asciiWorld(rows), mirrored = asciiWorld(transposed(rows));
        query.findPath(plain.snapshot(), {.from = plain.start(), .goal = Goal::point(plain.goal()), .constraints = walker()}, a);
        query.findPath(mirrored.snapshot(), {.from = mirrored.start(), .goal = Goal::point(mirrored.goal()), .constraints = walker()}, b);
        ASSERT_EQ(a.status, b.status);
        ASSERT_EQ(a.cost, b.cost);
    }
}

TEST(QueryThreads, SearchersOfOneStoreAndAWriterDoNotDisturbEachOther) {
    const Scene scene = randomScene(21, {.layers = true});
    const WorldSnapshot kept = scene.world->snapshot();
    const auto store = std::make_shared<TileStore>(std::size_t{1} << 18);
    std::vector<PathRequest> requests;
    Rng rng(21);
    for (int i = 0; i < 60; ++i) requests.push_back(anyRequest(scene, rng));
    std::vector<Cost> expected;
    Path path;
    Query alone;
    for (const PathRequest& request : requests) {
        alone.findPath(kept, request, path);
        expected.push_back(path.cost);
    }
    std::atomic<int> wrong{0};
    const auto work = [&] {
        Query query(store);
        Path mine;
        for (int round = 0; round < 10; ++round) {
            for (std::size_t i = 0; i < requests.size(); ++i) {
                query.findPath(kept, requests[i], mine);
                if (mine.cost != expected[i]) ++wrong;
                query.findPath(scene.world->snapshot(), requests[i], mine);
            }
        }
    };
    std::thread one(work), two(work);
    Rng edits(22);
    for (int i = 0; i < 200; ++i) editAtRandom(*scene.world, edits, false);
    one.join();
    two.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace warpath
