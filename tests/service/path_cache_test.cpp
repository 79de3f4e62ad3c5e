// Whole paths that the service keeps: a hit is what a search would say, nothing stale is given, the caps hold.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "service/path_cache.h"
#include "support/allocation_counter.h"
#include "support/fake_pathfinder.h"
#include "support/scenes.h"
#include "support/service_driver.h"
#include "warpath/core/rng.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

using service_detail::PathCache;
using service_detail::PathCacheStats;
using test::FakeLog;
using test::kPlenty;

PathRequest to(float x, float y = 10.5f) { return {.from = {1.5f, 1.5f}, .goal = Goal::point({x, y})}; }

/// All of a path but how long it took.
void expectSame(const Path& a, const Path& b) {
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.error, b.error);
    EXPECT_EQ(a.waypoints, b.waypoints);
    EXPECT_EQ(a.cells, b.cells);
    EXPECT_EQ(a.cost, b.cost);
    EXPECT_EQ(a.breakdown, b.breakdown);
    EXPECT_EQ(a.length, b.length);
    EXPECT_EQ(a.travel_time, b.travel_time);
    EXPECT_EQ(a.threat_level, b.threat_level);
    EXPECT_EQ(a.expansions, b.expansions);
    EXPECT_EQ(a.algorithm, b.algorithm);
    EXPECT_EQ(a.revision, b.revision);
    EXPECT_EQ(a.is_valid, b.is_valid);
    EXPECT_EQ(a.remaining_distance, b.remaining_distance);
}

class PathCacheTest : public ::testing::Test {
protected:
    ServiceOptions options(PathCacheOptions paths = {.max_bytes = std::size_t{1} << 20}) {
        ServiceOptions made;
        made.registry = test::fakeRegistry(log_);
        made.pathfinder_impl = "fake";
        made.paths = paths;
        return made;
    }
    ServiceAnswer ask(Service& service, const PathRequest& request) {
        service.submit(request);
        test::tick(service, world_.snapshot());
        auto answer = service.poll();
        EXPECT_TRUE(answer);
        return std::move(*answer);
    }

    World world_{WorldConfig{.width = 64, .height = 64}};
    std::shared_ptr<FakeLog> log_ = std::make_shared<FakeLog>();
};

TEST_F(PathCacheTest, ARequestThatIsAskedAgainIsAnsweredWithoutASearch) {
    Service service(options());
    const ServiceAnswer first = ask(service, to(20.5f));
    const ServiceAnswer second = ask(service, to(20.5f));
    EXPECT_EQ(log_->searches, 1);
    expectSame(first.path(), second.path());
    EXPECT_LT(second.work, first.work);
    const ServiceStats stats = service.stats();
    EXPECT_EQ(stats.path_hits, 1u);
    EXPECT_EQ(stats.path_misses, 1u);
    EXPECT_EQ(stats.paths_kept, 1u);
    EXPECT_GT(stats.path_bytes, sizeof(Path));
}

TEST_F(PathCacheTest, WithoutACapNothingIsKept) {
    Service service(options({}));
    ask(service, to(20.5f));
    ask(service, to(20.5f));
    EXPECT_EQ(log_->searches, 2);
    EXPECT_EQ(service.stats().path_misses, 0u);
}

TEST_F(PathCacheTest, AnyOtherValueOfTheRequestIsAnotherRequest) {
    Service service(options());
    const PathRequest base = to(20.5f);
    ask(service, base);
    std::vector<PathRequest> others(13, base);
    others[0].from.x += 0.25f;
    others[1].goal.centre.y += 0.25f;
    others[2].constraints.threat_weight = 3.0f;
    others[3].constraints.unit_speed = 3.0f;
    others[4].side = 1;
    others[5].allow_partial = true;
    others[6].ignore_self = true;
    others[7].ignore_goal = true;
    others[8].max_cost = 5000.0;
    others[9].max_expansions = 100'000;
    others[10].weight = 2.0f;
    others[11].algorithm = PathAlgorithm::AStar;
    others[12].detail = PathDetail::Cells;
    for (const PathRequest& other : others) ask(service, other);
    EXPECT_EQ(service.stats().path_hits, 0u);
    EXPECT_EQ(log_->searches, 14);
    PathRequest shaped = base;
    shaped.goal = Goal::disc(base.goal.centre, 2.0f);
    ask(service, shaped);
    shaped.goal.radius = 3.0f;
    ask(service, shaped);
    EXPECT_EQ(log_->searches, 16);
    ask(service, shaped);
    EXPECT_EQ(log_->searches, 16);
}

TEST_F(PathCacheTest, WhatChangesAnAnswerDropsItAndNothingElseDoes) {
    Service service(options());
    ask(service, to(20.5f));
    int searches = 1;
    const auto changes = [&](auto&& change, bool matters, const char* what) {
        change();
        const ServiceAnswer answer = ask(service, to(20.5f));
        searches += matters ? 1 : 0;
        EXPECT_EQ(log_->searches, searches) << what;
        EXPECT_EQ(answer.path().revision, world_.snapshot().revision()) << what;
    };
    changes([&] { world_.edit([](WorldEdit& edit) { edit.placeObstacle(CellRect{40, 40, 2, 2}, ObstacleKind::Wall, 3.0f); }); }, true, "ground");
    changes([&] { world_.edit([](WorldEdit& edit) { edit.setThreat(3, {0, 0}, evenThreat(kThreatOne)); }); }, false, "threat to another side");
    changes([&] { world_.edit([](WorldEdit& edit) { edit.setThreat(0, {0, 0}, evenThreat(kThreatOne)); }); }, true, "threat");
    changes([&] { world_.edit([](WorldEdit& edit) { edit.setThreat(0, {0, 0}, nullptr); }); }, true, "threat taken away");
    changes([&] { world_.edit([](WorldEdit& edit) { edit.setCongestion({5, 5}, 2.0f); }); }, true, "congestion");
    changes([&] { world_.edit([](WorldEdit& edit) { edit.clearCongestion(); }); }, true, "congestion taken away");
    changes([&] { world_.edit([](WorldEdit& edit) { edit.clearCongestion(); }); }, false, "nothing");
    changes([&] { EXPECT_FALSE(world_.setRules(WorldRules::reference())); }, true, "rules");
    EXPECT_EQ(service.stats().paths_stale, static_cast<std::uint64_t>(searches - 1));
    EXPECT_EQ(service.stats().paths_kept, 1u);
    World other{WorldConfig{.width = 64, .height = 64}};
    service.submit(to(20.5f));
    service.tick(other.snapshot(), kPlenty);
    EXPECT_EQ(log_->searches, searches + 1) << "another world";
}

TEST_F(PathCacheTest, TheCapsCountKeysAndPathsAndTheLongestUnusedGo) {
    constexpr std::size_t kBytes = 20'000;
    Service service(options({.max_bytes = kBytes, .max_paths = 1000}));
    ask(service, to(3.5f));
    for (int i = 0; i < 60; ++i) {
        ask(service, to(4.5f + static_cast<float>(i % 50), 20.5f + static_cast<float>(i / 50)));
        ask(service, to(3.5f));  // in use all the time
        ASSERT_LE(service.stats().path_bytes, kBytes);
    }
    EXPECT_GT(service.stats().paths_evicted, 0u);
    EXPECT_EQ(service.stats().path_hits, 60u);

    Service few(options({.max_bytes = std::size_t{1} << 20, .max_paths = 3}));
    for (int i = 0; i < 10; ++i) ask(few, to(4.5f + static_cast<float>(i)));
    EXPECT_EQ(few.stats().paths_kept, 3u);
    ask(few, to(13.5f));
    EXPECT_EQ(few.stats().path_hits, 1u);
}

TEST_F(PathCacheTest, RefusedRequestsAndThrownSearchesAreNotKept) {
    Service service(options());
    ask(service, to(std::numeric_limits<float>::quiet_NaN()));
    EXPECT_EQ(service.stats().paths_kept, 0u);
    log_->while_searching = [](const PathRequest&) { throw std::runtime_error("no"); };
    ask(service, to(20.5f));
    EXPECT_EQ(service.stats().paths_kept, 0u);
    log_->while_searching = nullptr;
    EXPECT_EQ(ask(service, to(20.5f)).status, PathStatus::Found);
}

TEST_F(PathCacheTest, OtherSettingsBeginWithAnEmptyCacheAndKeepTheCounts) {
    Service service(options());
    ask(service, to(20.5f));
    ask(service, to(20.5f));
    ASSERT_FALSE(service.reconfigure(options()));
    EXPECT_EQ(service.stats().paths_kept, 0u);
    ask(service, to(20.5f));
    EXPECT_EQ(log_->searches, 2);
    EXPECT_EQ(service.stats().path_hits, 1u);
    EXPECT_EQ(service.stats().path_misses, 2u);
}

TEST_F(PathCacheTest, AnAnswerOnAnOldSnapshotDoesNotTakeThePlaceOfANewerOne) {
    service_detail::LayerStamps layers;
    layers.see(world_.snapshot());
    const service_detail::PathBasis before(world_.snapshot(), layers, 0);
    world_.edit([](WorldEdit& edit) { edit.placeObstacle(CellRect{40, 40, 2, 2}, ObstacleKind::Wall, 3.0f); });
    layers.see(world_.snapshot());
    const service_detail::PathBasis after(world_.snapshot(), layers, 0);
    PathCache cache({.max_bytes = std::size_t{1} << 20});
    Path path, out;
    path.status = PathStatus::Found;
    path.cells = {{1, 1}};
    path.cost = 2;
    cache.keep(after, to(20.5f), path);
    path.cost = 1;
    cache.keep(before, to(20.5f), path);
    EXPECT_FALSE(cache.find(before, to(20.5f), out)) << "and a late reader of the old one finds nothing";
    ASSERT_TRUE(cache.find(after, to(20.5f), out));
    EXPECT_EQ(out.cost, 2u);
    EXPECT_EQ(cache.stats().paths, 1u);
}

TEST_F(PathCacheTest, ItsBytesAreThoseThatItTakesAndTheLastEntryLeavesNone) {
    service_detail::LayerStamps layers;
    layers.see(world_.snapshot());
    const service_detail::PathBasis basis(world_.snapshot(), layers, 0);
    for (const float tolerance : {0.0f, 2.0f}) {
        PathCache cache({.max_bytes = std::size_t{64} << 20, .max_paths = 10'000, .tolerance = tolerance});
        constexpr std::size_t kPaths = 400;
        std::uint64_t taken = 0;
        for (std::size_t i = 0; i < kPaths; ++i) {
            Path path;
            path.status = PathStatus::Found;
            path.cells.resize(i);
            path.waypoints.resize(i / 3);
            path.chokepoints.resize(i / 7);
            path.cover_points.resize(i / 9);
            path.error = {"goal", std::string(i, 'x'), "short"};
            PathRequest request = to(2.5f + static_cast<float>(i % 60), 3.5f + static_cast<float>(i / 60));
            if (i % 5 == 0) request.goal = Goal::set(std::vector<Position>(i + 1, {2.5f, static_cast<float>(i)}));
            const std::uint64_t before = allocatedBytes();
            cache.keep(basis, request, path);
            taken += allocatedBytes() - before;
        }
        const PathCacheStats kept = cache.stats();
        ASSERT_EQ(kept.paths, kPaths);
        EXPECT_GE(static_cast<double>(kept.bytes), 0.98 * static_cast<double>(taken));
        EXPECT_LE(static_cast<double>(kept.bytes), 1.1 * static_cast<double>(taken));
        world_.edit([](WorldEdit& edit) { edit.placeObstacle(CellRect{40, 40, 2, 2}, ObstacleKind::Wall, 3.0f); });
        layers.see(world_.snapshot());
        cache.see(world_.snapshot(), layers);
        EXPECT_EQ(cache.stats().paths, 0u);
        EXPECT_EQ(cache.stats().bytes, 0u);
        EXPECT_EQ(cache.stats().stale, kPaths);
        world_.edit([](WorldEdit& edit) { edit.removeObstacle(CellRect{40, 40, 2, 2}); });
    }
}

TEST_F(PathCacheTest, RecycledPathsAreKeptForReuseUpToTheirCaps) {
    ServiceOptions small = options();
    small.path_pool_size = 5;
    Path long_path;
    long_path.cells.resize(1000);
    small.path_pool_bytes = 3 * service_detail::bytesOf(long_path);
    Service service(small);
    const auto give = [&](std::size_t cells) {
        ServiceAnswer answer;
        answer.paths.resize(1);
        answer.paths.front().cells.resize(cells);
        service.recycle(std::move(answer));
        EXPECT_LE(service.stats().pool_bytes, small.path_pool_bytes);
    };
    for (int i = 0; i < 4; ++i) give(1000);
    EXPECT_EQ(service.stats().paths_pooled, 3u) << "as many as there is room for";
    give(1'000'000);
    EXPECT_EQ(service.stats().paths_pooled, 3u) << "one that is too large drops none of the others";
    for (float x = 5.5f; x < 9.0f; ++x) service.submit(to(x));
    EXPECT_EQ(service.stats().paths_pooled, 0u) << "requests take them";
    EXPECT_EQ(service.stats().pool_bytes, 0u);
    for (int i = 0; i < 9; ++i) give(1);
    EXPECT_EQ(service.stats().paths_pooled, 5u);
    small.path_pool_size = 2;
    ASSERT_FALSE(service.reconfigure(small));
    EXPECT_EQ(service.stats().paths_pooled, 2u);
}

/// Maps, requests and changes at random; the requests repeat.
struct Play {
    std::vector<std::vector<ServiceAnswer>> answers;
    ServiceStats stats;
};
Play play(PathCacheOptions paths, int threads) {
    World world(WorldConfig{.width = 160, .height = 100});
    Rng rng(77);
    for (int i = 0; i < 30; ++i) editAtRandom(world, rng, false);
    std::unique_ptr<test::ThreadedExecutor> executor;
    if (threads > 0) executor = std::make_unique<test::ThreadedExecutor>(threads);
    ServiceOptions options;
    if (executor != nullptr) options.jobs = executor->executor();
    options.paths = paths;
    options.supersede_across_ticks = false;
    options.validate_answers = false;
    Service service(options);
    const auto below = [&](std::uint32_t n) { return static_cast<float>(rng.below(n)); };
    std::vector<PathRequest> usual;
    for (int i = 0; i < 12; ++i) {
        PathRequest request;
        request.from.x = below(160) + 0.5f;
        request.from.y = below(100) + 0.5f;
        request.goal.centre.x = below(160) + 0.5f;
        request.goal.centre.y = below(100) + 0.5f;
        request.constraints.doctrine = static_cast<Doctrine>(rng.below(4));
        request.side = static_cast<int>(rng.below(2));
        request.allow_partial = rng.percent(50);
        if (rng.percent(20)) request.algorithm = PathAlgorithm::Hierarchical;
        usual.push_back(request);
    }
    Play played;
    for (int round = 0; round < 40; ++round) {
        switch (rng.below(8)) {
            case 0: editAtRandom(world, rng, false); break;
            case 1: {
                const int side = static_cast<int>(rng.below(3)), value = static_cast<int>(rng.below(2 * kThreatOne));
                const int x = static_cast<int>(rng.below(3)), y = static_cast<int>(rng.below(2));
                world.edit([&](WorldEdit& edit) { edit.setThreat(side, {x, y}, rng.percent(30) ? nullptr : evenThreat(value)); });
                break;
            }
            case 2: {
                const int x = static_cast<int>(rng.below(160)), y = static_cast<int>(rng.below(100));
                world.edit([&](WorldEdit& edit) { edit.setCongestion({x, y}, 5.0f); });
                break;
            }
            default: break;
        }
        for (int i = 0; i < 6; ++i) service.submit(usual[rng.below(12)]);
        const WorldSnapshot now = world.snapshot();
        played.answers.push_back(test::finish(service, [&] { test::tick(service, now); }));
        std::sort(played.answers.back().begin(), played.answers.back().end(), [](const auto& a, const auto& b) { return a.ticket < b.ticket; });
    }
    played.stats = service.stats();
    return played;
}

TEST(PathCacheInPlay, AnswersAreThoseWithoutACacheOnAnyNumberOfThreads) {
    const Play without = play({}, 0);
    EXPECT_EQ(without.stats.path_hits + without.stats.path_misses, 0u);
    const PathCacheOptions large{.max_bytes = std::size_t{8} << 20}, tiny{.max_bytes = 30'000, .max_paths = 4};
    for (const auto& [options, threads] : {std::pair{large, 0}, {large, 1}, {large, 4}, {tiny, 0}, {tiny, 3}}) {
        const Play with = play(options, threads);
        SCOPED_TRACE(threads);
        ASSERT_EQ(with.answers.size(), without.answers.size());
        for (std::size_t round = 0; round < with.answers.size(); ++round) {
            ASSERT_EQ(with.answers[round].size(), without.answers[round].size());
            for (std::size_t i = 0; i < with.answers[round].size(); ++i) {
                SCOPED_TRACE(::testing::Message() << "round " << round << " request " << i);
                ASSERT_EQ(with.answers[round][i].status, without.answers[round][i].status);
                expectSame(with.answers[round][i].path(), without.answers[round][i].path());
                ASSERT_FALSE(::testing::Test::HasFailure());
            }
        }
        EXPECT_GT(with.stats.path_hits, 5u);
        EXPECT_GT(with.stats.paths_stale, 5u);
        EXPECT_LE(with.stats.path_bytes, options.max_bytes);
        EXPECT_LE(with.stats.paths_kept, options.max_paths);
    }
}

TEST(PathCacheTolerance, ANearRequestIsAnsweredWithTheKeptPathUnlessAWallIsBetween) {
    World world(WorldConfig{.width = 100, .height = 64});
    world.edit([](WorldEdit& edit) { edit.placeObstacle(CellRect{8, 0, 1, 40}, ObstacleKind::Wall, 3.0f); });
    ServiceOptions options;
    options.paths = {.max_bytes = std::size_t{1} << 20, .tolerance = 5.0f};
    Service service(options);
    const auto ask = [&](Position from, Position goal) {
        service.submit(PathRequest{.from = from, .goal = Goal::point(goal)});
        test::tick(service, world.snapshot());
        return service.poll()->path();
    };
    const Path kept = ask({10.5f, 10.5f}, {80.5f, 20.5f});
    ASSERT_EQ(kept.status, PathStatus::Found);
    const Path near = ask({12.5f, 11.5f}, {82.5f, 18.5f});
    EXPECT_EQ(near.waypoints, kept.waypoints);
    EXPECT_EQ(service.stats().path_near_hits, 1u);
    EXPECT_NE(ask({16.5f, 10.5f}, {80.5f, 20.5f}).waypoints.front(), kept.waypoints.front()) << "too far";
    EXPECT_NE(ask({6.5f, 10.5f}, {80.5f, 20.5f}).waypoints.front(), kept.waypoints.front()) << "behind the wall";
    EXPECT_EQ(service.stats().path_near_hits, 1u);
    EXPECT_EQ(ask({10.5f, 10.5f}, {80.5f, 20.5f}).waypoints, kept.waypoints) << "an equal one is found first";
    EXPECT_EQ(service.stats().path_near_hits, 1u);
    world.edit([](WorldEdit& edit) { edit.placeObstacle(CellRect{40, 0, 1, 60}, ObstacleKind::Wall, 3.0f); });
    const Path around = ask({12.5f, 11.5f}, {82.5f, 18.5f});
    EXPECT_EQ(around.waypoints.front().position, (Position{12.5f, 11.5f})) << "nothing old is given";
    EXPECT_EQ(service.stats().path_near_hits, 1u);
}

TEST(PathCacheTolerance, AShortTripIsNeverAnsweredWithItsWayBackNorWithOneThatEndsWhereItBegins) {
    World world(WorldConfig{.width = 100, .height = 64});
    ServiceOptions options;
    options.paths = {.max_bytes = std::size_t{1} << 20, .tolerance = 10.0f};
    Service service(options);
    const auto ask = [&](Position from, Position goal) {
        service.submit(PathRequest{.from = from, .goal = Goal::point(goal)});
        test::tick(service, world.snapshot());
        return service.poll()->path();
    };
    const Position a{20.5f, 20.5f}, b{28.5f, 20.5f};
    ask(a, b);
    const auto expectOwn = [&](Position from, Position goal) {
        const Path path = ask(from, goal);
        EXPECT_EQ(path.waypoints.front().position, from);
        EXPECT_EQ(path.waypoints.back().position, goal);
        EXPECT_EQ(service.stats().path_near_hits, 0u);
    };
    expectOwn(b, a);
    expectOwn(a, a);
    expectOwn({24.5f, 20.5f}, {25.5f, 20.5f});
    expectOwn(a, {31.5f, 20.5f});
    EXPECT_EQ(ask(a, {29.5f, 20.5f}).waypoints.back().position, b) << "both gaps are an eighth of the trip";
    EXPECT_EQ(service.stats().path_near_hits, 1u);
    Rng rng(5);
    for (int i = 0; i < 400; ++i) {
        Position from, goal;
        from.x = static_cast<float>(rng.below(30)) + 30.5f;
        from.y = static_cast<float>(rng.below(30)) + 20.5f;
        goal.x = static_cast<float>(rng.below(30)) + 30.5f;
        goal.y = static_cast<float>(rng.below(30)) + 20.5f;
        const Path path = ask(from, goal);
        const Position p = path.waypoints.front().position, q = path.waypoints.back().position;
        const double trip = std::hypot(goal.x - from.x, goal.y - from.y);
        const double gaps = std::hypot(p.x - from.x, p.y - from.y) + std::hypot(q.x - goal.x, q.y - goal.y);
        ASSERT_LE(gaps, 0.25 * trip + 1e-6) << "trip " << i;
    }
    EXPECT_GT(service.stats().path_near_hits, 10u);
}

TEST(PathCacheTolerance, OutsideItsLimitsItIsRefused) {
    ServiceOptions options;
    for (const float wrong : {-1.0f, 64.5f, std::numeric_limits<float>::quiet_NaN()}) {
        options.paths.tolerance = wrong;
        const auto error = Service::check(options);
        ASSERT_TRUE(error);
        EXPECT_EQ(error->field, "paths.tolerance");
    }
}

}  // namespace
}  // namespace warpath
