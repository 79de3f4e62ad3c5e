// Costs without routes: what the route itself would cost, for one place and for many.
#include <gtest/gtest.h>

#include <limits>

#include "support/ascii_world.h"
#include "support/scenes.h"
#include "warpath/pathfinder/query.h"
#include "warpath/pathfinder/tactics.h"

namespace warpath {
namespace {

PathRequest anyRequest(const Scene& scene, Rng& rng) {
    PathRequest request{.constraints = scene.wishes, .side = scene.side};
    request.from = scene.standingAt(scene.anyCell(rng));
    const Position to = scene.standingAt(scene.anyCell(rng));
    switch (rng.below(4)) {
        case 0: request.goal = Goal::disc(to, static_cast<float>(rng.below(8))); break;
        case 1: request.goal = Goal::set({to, scene.standingAt(scene.anyCell(rng))}); break;
        default: request.goal = Goal::point(to); break;
    }
    request.allow_partial = rng.percent(50);
    request.ignore_self = rng.percent(20);
    if (rng.percent(20)) request.max_cost = 1.0 + rng.below(150);
    if (rng.percent(15)) request.max_expansions = 1 + rng.below(400);
    if (rng.percent(15)) request.weight = 2.0f;
    constexpr PathAlgorithm kAsked[] = {PathAlgorithm::Auto, PathAlgorithm::AStar, PathAlgorithm::Jps, PathAlgorithm::Hierarchical, PathAlgorithm::FlowField};
    request.algorithm = kAsked[rng.below(5)];
    return request;
}

TEST(CostAlone, IsWhatTheRouteWouldCost) {
    Query query;
    Path whole, alone;
    int found = 0, partial = 0;
    for (std::uint64_t seed = 1; seed <= 160; ++seed) {
        const Scene scene = randomScene(31'000 + seed, {.elevation = seed % 3 == 0, .layers = seed % 2 == 0, .walls = seed % 5 == 0, .large_units = seed % 4 == 0});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        Rng rng(seed);
        for (int i = 0; i < 4; ++i) {
            PathRequest request = anyRequest(scene, rng);
            query.findPath(now, request, whole);
            request.detail = PathDetail::CostOnly;
            query.findPath(now, request, alone);
            SCOPED_TRACE(::testing::Message() << "request " << i << " algorithm " << toString(request.algorithm));
            ASSERT_STREQ(toString(alone.status), toString(whole.status));
            ASSERT_EQ(alone.cost, whole.cost);
            ASSERT_EQ(alone.algorithm, whole.algorithm);
            ASSERT_EQ(alone.expansions, whole.expansions);
            ASSERT_EQ(alone.remaining_distance, whole.remaining_distance);
            ASSERT_EQ(alone.error, whole.error);
            ASSERT_EQ(alone.revision, whole.revision);
            ASSERT_TRUE(alone.waypoints.empty() && alone.chokepoints.empty() && !alone.hasRoute());
            ASSERT_EQ(alone.length, 0.0);
            found += alone.status == PathStatus::Found ? 1 : 0;
            partial += alone.status == PathStatus::Partial ? 1 : 0;
        }
    }
    EXPECT_GT(found, 150);
    EXPECT_GT(partial, 20);
}

TEST(CostAlone, IsRefusedWhereTheRouteIsTheAnswer) {
    const AsciiWorld drawn = asciiWorld("S......G\n");
    Query query;
    PathRequest request{.from = {0.5f, 0.5f}, .goal = Goal::point({7.5f, 0.5f}), .detail = PathDetail::CostOnly};
    std::vector<Path> routes;
    EXPECT_EQ(query.findAllPaths(drawn.snapshot(), {.path = request}, routes), PathStatus::InvalidArgument);
    EXPECT_EQ(routes[0].error.field, "detail");
    Path path;
    EXPECT_EQ(TacticalQuery(query).findCoverToCoverPath(drawn.snapshot(), request, path), PathStatus::InvalidArgument);
    EXPECT_EQ(path.error.field, "detail");
    EXPECT_FALSE(query.findFirstSteps(drawn.snapshot(), request, path));
}

TEST(TravelCosts, EveryPlaceCostsWhatItsOwnRouteCosts) {
    Query query, other;
    TravelCosts costs;
    Path path;
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const Scene scene = randomScene(32'000 + seed, {.elevation = seed % 3 == 0, .layers = seed % 2 == 0, .walls = seed % 5 == 0, .large_units = seed % 4 == 0});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        Rng rng(seed);
        CostsRequest request{.constraints = scene.wishes, .side = scene.side};
        request.from = scene.standingAt(scene.anyCell(rng));
        for (std::uint32_t n = 1 + rng.below(seed % 7 == 0 ? 60 : 12); n > 0; --n) request.goals.push_back(scene.standingAt(scene.anyCell(rng)));
        if (rng.percent(50)) request.goals.push_back(request.goals.front());
        if (rng.percent(30)) request.goals.push_back(request.from);
        if (rng.percent(30)) request.goals.push_back({-500.0f, 3.0f});
        request.ignore_self = rng.percent(30);
        if (rng.percent(25)) request.max_cost = 1.0 + rng.below(120);
        constexpr PathAlgorithm kAsked[] = {PathAlgorithm::Auto, PathAlgorithm::AStar, PathAlgorithm::Hierarchical};
        request.algorithm = kAsked[rng.below(3)];
        const PathStatus status = query.findCosts(now, request, costs);
        ASSERT_EQ(costs.places.size(), request.goals.size());
        bool any = false;
        for (std::size_t i = 0; i < request.goals.size(); ++i) {
            other.findPath(now,
                           {.from = request.from,
                            .goal = Goal::point(request.goals[i]),
                            .constraints = request.constraints,
                            .side = request.side,
                            .ignore_self = request.ignore_self,
                            .max_cost = request.max_cost,
                            .algorithm = request.algorithm},
                           path);
            SCOPED_TRACE(::testing::Message() << "place " << i << " of " << request.goals.size());
            ASSERT_STREQ(toString(costs.places[i].status), toString(path.status));
            ASSERT_EQ(costs.places[i].cost, path.cost);
            any = any || path.status == PathStatus::Found;
            found += path.status == PathStatus::Found ? 1 : 0;
        }
        ASSERT_EQ(status, any ? PathStatus::Found : costs.places.front().status);
    }
    EXPECT_GT(found, 300);
}

TEST(TravelCosts, OneSearchAnswersManyPlaces) {
    World world(WorldConfig{.width = 256, .height = 256});
    Query query;
    CostsRequest request{.from = {128.5f, 128.5f}, .constraints = {.cover_weight = 0.0f, .exposure_weight = 0.0f}};
    for (int i = 0; i < 1000; ++i) request.goals.push_back({static_cast<float>(100 + i % 50) + 0.5f, static_cast<float>(100 + i / 50) + 0.5f});
    TravelCosts costs;
    ASSERT_EQ(query.findCosts(world.snapshot(), request, costs), PathStatus::Found);
    EXPECT_LT(costs.expansions, 5000u);
    EXPECT_EQ(costs.places[0].cost, Cost{57'700} * 28) << "28 diagonal steps on grass";
}

TEST(TravelCosts, AWallAroundThePlacesIsSeenWithoutASearch) {
    World world(WorldConfig{.width = 512, .height = 512});
    world.edit([](WorldEdit& edit) {
        for (const CellRect wall : {CellRect{100, 100, 60, 1}, CellRect{100, 159, 60, 1}, CellRect{100, 100, 1, 60}, CellRect{159, 100, 1, 60}}) {
            edit.placeObstacle(wall, ObstacleKind::Wall, 3.0f);
        }
    });
    Query query;
    CostsRequest request{.from = {128.5f, 300.5f}};
    for (int i = 0; i < 2000; ++i) request.goals.push_back({static_cast<float>(101 + i % 50) + 0.5f, static_cast<float>(101 + i / 50) + 0.5f});
    TravelCosts costs;
    EXPECT_EQ(query.findCosts(world.snapshot(), request, costs), PathStatus::Unreachable);
    EXPECT_EQ(costs.expansions, 0u);
    std::vector<PathStatus> reached;
    EXPECT_EQ(query.reachable(world.snapshot(), request.from, request.goals, {}, reached), PathStatus::Unreachable);
    EXPECT_EQ(reached, std::vector<PathStatus>(2000, PathStatus::Unreachable));
}

TEST(TravelCosts, WrongRequestsAreRefusedByField) {
    World world(WorldConfig{.width = 64, .height = 64});
    const WorldSnapshot now = world.snapshot();
    Query query;
    TravelCosts costs;
    const CostsRequest right{.from = {1.5f, 1.5f}, .goals = {{5.5f, 5.5f}}};
    ASSERT_EQ(query.findCosts(now, right, costs), PathStatus::Found);
    const auto refused = [&](auto&& spoil) {
        CostsRequest wrong = right;
        spoil(wrong);
        EXPECT_EQ(query.findCosts(now, wrong, costs), PathStatus::InvalidArgument);
        EXPECT_TRUE(costs.places.empty());
        EXPECT_FALSE(costs.error.value.empty() || costs.error.remedy.empty());
        return costs.error.field;
    };
    EXPECT_EQ(refused([](CostsRequest& r) { r.goals.clear(); }), "goals");
    EXPECT_EQ(refused([](CostsRequest& r) { r.goals.resize(4097); }), "goals");
    EXPECT_EQ(refused([](CostsRequest& r) { r.goals[0].x = std::numeric_limits<float>::infinity(); }), "goals");
    EXPECT_EQ(refused([](CostsRequest& r) { r.from.y = std::numeric_limits<float>::quiet_NaN(); }), "start");
    EXPECT_EQ(refused([](CostsRequest& r) { r.side = 16; }), "side");
    EXPECT_EQ(refused([](CostsRequest& r) { r.max_cost = 0.0; }), "max_cost");
    EXPECT_EQ(refused([](CostsRequest& r) { r.constraints.threat_weight = -1.0f; }), "threat_weight");
    CostsRequest off = right;
    off.from.x = -4.0f;
    EXPECT_EQ(query.findCosts(now, off, costs), PathStatus::StartBlocked);
    EXPECT_EQ(costs.error.field, "start");
    off = right;
    off.goals = {{-4.0f, 2.0f}, {80.0f, 2.0f}};
    EXPECT_EQ(query.findCosts(now, off, costs), PathStatus::GoalBlocked);
    EXPECT_EQ(costs.error.field, "goals");
}

TEST(TravelCosts, WhatCanBeReachedIsToldOfEachPlace) {
    Query query;
    std::vector<PathStatus> reached;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Scene scene = randomScene(33'000 + seed, {.elevation = seed % 2 == 0, .large_units = seed % 3 == 0});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        Rng rng(seed);
        const Position from = scene.standingAt(scene.anyCell(rng));
        std::vector<Position> to;
        for (int i = 0; i < 10; ++i) to.push_back(scene.standingAt(scene.anyCell(rng)));
        to.push_back({1e6f, 0.0f});
        query.reachable(now, from, to, scene.wishes, reached);
        ASSERT_EQ(reached.size(), to.size());
        for (std::size_t i = 0; i < to.size(); ++i) ASSERT_EQ(reached[i], query.reachable(now, from, to[i], scene.wishes)) << "place " << i;
    }
}

}  // namespace
}  // namespace warpath
