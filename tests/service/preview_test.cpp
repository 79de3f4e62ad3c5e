// Long requests in two answers: the first steps, marked interim, then the whole route.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "support/fake_pathfinder.h"
#include "support/scenes.h"
#include "support/service_driver.h"
#include "warpath/core/rng.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

class PreviewTest : public ::testing::Test {
protected:
    PreviewTest() {
        Rng rng(12);
        world_.edit([&](WorldEdit& edit) {
            for (int i = 0; i < 150; ++i) {
                const int x = static_cast<int>(rng.below(kSide)), y = static_cast<int>(rng.below(kSide));
                if (i % 3 == 0) edit.setTerrain(CellRect{x, y, 30, 20}, static_cast<Terrain>(1 + rng.below(3)));
                if (x > 20 && y > 20) edit.placeObstacle(CellRect{x, y, 1 + static_cast<int>(rng.below(20)), 2}, ObstacleKind::Wall, 3.0f);
            }
            for (const Cell end : {Cell{5, 5}, Cell{440, 430}, Cell{10, 430}, Cell{440, 12}}) edit.removeObstacle(CellRect{end.x - 5, end.y - 5, 11, 11});
        });
    }
    static PathRequest longWay(Position from = {5.5f, 5.5f}, Position to = {440.5f, 430.5f}) {
        return {.from = from, .goal = Goal::point(to), .constraints = plainDistance()};
    }
    void tick(Service& service, std::uint64_t budget) { test::tick(service, world_.snapshot(), budget); }

    static constexpr std::uint32_t kSide = 448;
    World world_{WorldConfig{.width = kSide, .height = kSide, .has_cover = false}};
};

TEST_F(PreviewTest, TheFirstStepsComeBeforeTheWholeRouteUnderOneTicket) {
    Service service;
    const RequestTicket ticket = service.submit(longWay(), {.preview = true});
    tick(service, 1);  // enough to begin one search
    const auto first = service.poll();
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->interim);
    EXPECT_EQ(first->ticket, ticket);
    EXPECT_EQ(first->status, PathStatus::Partial);
    EXPECT_TRUE(service.isOpen(ticket));
    EXPECT_FALSE(service.poll());
    EXPECT_EQ(service.stats().interim, 1u);
    EXPECT_EQ(service.stats().answered, 0u);
    EXPECT_EQ(service.stats().waiting, 1u);
    tick(service, 1);
    const auto final = service.poll();
    ASSERT_TRUE(final);
    EXPECT_FALSE(final->interim);
    EXPECT_EQ(final->ticket, ticket);
    EXPECT_EQ(final->status, PathStatus::Found);
    EXPECT_FALSE(service.isOpen(ticket));

    Query query;
    Path steps, whole;
    ASSERT_TRUE(query.findFirstSteps(world_.snapshot(), longWay(), steps));
    query.findPath(world_.snapshot(), longWay(), whole);
    EXPECT_EQ(first->path().cells, steps.cells);
    EXPECT_TRUE(first->path().interim);
    EXPECT_EQ(final->path().cells, whole.cells);
    EXPECT_FALSE(final->path().interim);
    EXPECT_LT(first->work, final->work);
}

TEST_F(PreviewTest, FirstStepsThatAnEditHasBrokenAreNotTold) {
    std::vector<std::function<void()>> jobs;
    Service service({.jobs = [&jobs](std::function<void()> job) {
        jobs.push_back(std::move(job));
        return true;
    }});
    Query query;
    Path steps;
    ASSERT_TRUE(query.findFirstSteps(world_.snapshot(), longWay(), steps));
    service.submit(longWay(), {.preview = true});
    tick(service, 0);
    for (const auto& job : std::exchange(jobs, {})) job();  // both parts
    world_.edit([&](WorldEdit& edit) { edit.placeObstacle(steps.cells[steps.cells.size() / 2], ObstacleKind::Wall, 3.0f); });
    std::vector<ServiceAnswer> answers;
    for (int i = 0; i < 4 && service.stats().pending > 0; ++i) {
        tick(service, 0);
        for (const auto& job : std::exchange(jobs, {})) job();
        for (ServiceAnswer& answer : test::pollAll(service)) answers.push_back(std::move(answer));
    }
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_FALSE(answers[0].interim);
    EXPECT_TRUE(answers[0].path().is_valid);
    for (const Cell c : answers[0].path().cells) ASSERT_EQ(world_.snapshot().obstacleAt(c), 0);
}

TEST_F(PreviewTest, WithTimeForBothOnlyTheFinalAnswerComes) {
    Service service;
    service.submit(longWay(), {.preview = true});
    tick(service, test::kPlenty);
    const auto answers = test::pollAll(service);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_FALSE(answers[0].interim);
    EXPECT_EQ(service.stats().interim, 0u);
}

TEST_F(PreviewTest, FirstStepsOfAllComeBeforeTheRestOfAny) {
    Service service;
    const RequestTicket one = service.submit(longWay(), {.preview = true});
    const RequestTicket other = service.submit(longWay({440.5f, 12.5f}, {10.5f, 430.5f}), {.preview = true});
    std::vector<std::pair<RequestTicket, bool>> order;
    for (int i = 0; i < 4; ++i) {
        tick(service, 1);
        for (const ServiceAnswer& answer : test::pollAll(service)) order.emplace_back(answer.ticket, answer.interim);
    }
    EXPECT_EQ(order, (std::vector<std::pair<RequestTicket, bool>>{{one, true}, {other, true}, {one, false}, {other, false}}));
}

TEST_F(PreviewTest, ShortKeptUnwishedAndOtherRequestsHaveOneAnswer) {
    ServiceOptions options;
    options.paths.max_bytes = std::size_t{1} << 20;
    Service service(options);
    const auto answersOf = [&](ServiceQuery query, const RequestInfo& info) {
        service.submit(std::move(query), info);
        std::size_t count = 0;
        for (int i = 0; i < 3; ++i) {
            tick(service, 1);
            count += test::pollAll(service).size();
        }
        return count;
    };
    EXPECT_EQ(answersOf(longWay({5.5f, 5.5f}, {40.5f, 20.5f}), {.preview = true}), 1u) << "near";
    EXPECT_EQ(answersOf(longWay(), {}), 1u) << "not asked for";
    EXPECT_EQ(answersOf(longWay(), {.preview = true}), 1u) << "kept";
    EXPECT_EQ(answersOf(ReachableRequest{.from = {5.5f, 5.5f}, .to = {440.5f, 430.5f}}, {.preview = true}), 1u);
    EXPECT_EQ(answersOf(MultiPathRequest{.path = longWay()}, {.preview = true}), 1u);
    PathRequest exact = longWay({440.5f, 12.5f});
    exact.algorithm = PathAlgorithm::AStar;
    EXPECT_EQ(answersOf(exact, {.preview = true}), 1u) << "exact";
    EXPECT_EQ(service.stats().interim, 0u);
    EXPECT_EQ(answersOf(longWay({10.5f, 430.5f}), {.preview = true}), 2u);
    EXPECT_EQ(service.stats().path_misses, 4u) << "looked for once each";
}

TEST_F(PreviewTest, AnotherImplementationGivesNoFirstStepsOfOurs) {
    ServiceOptions options;
    options.registry = test::fakeRegistry(std::make_shared<test::FakeLog>());
    options.pathfinder_impl = "fake";
    Service service(options);
    service.submit(longWay(), {.preview = true});
    tick(service, 1);
    EXPECT_FALSE(service.poll()->interim);
}

TEST_F(PreviewTest, WhatIsCancelledOrSupersededAfterItsFirstStepsHasNoOtherAnswer) {
    Service service;
    const RequestTicket ticket = service.submit(longWay(), {.unit_id = 1, .preview = true});
    tick(service, 1);
    ASSERT_TRUE(service.poll()->interim);
    EXPECT_TRUE(service.cancel(ticket));
    tick(service, test::kPlenty);
    EXPECT_EQ(service.poll()->status, PathStatus::Cancelled);
    tick(service, test::kPlenty);
    EXPECT_FALSE(service.poll());

    service.submit(longWay(), {.unit_id = 1, .preview = true});
    tick(service, 1);
    ASSERT_TRUE(service.poll()->interim);
    service.submit(longWay({440.5f, 12.5f}), {.unit_id = 1});
    const auto rest = test::finish(service, [&] { tick(service, test::kPlenty); });
    ASSERT_EQ(rest.size(), 2u);
    EXPECT_EQ(rest[0].status, PathStatus::Superseded);
    EXPECT_EQ(rest[1].status, PathStatus::Found);
}

TEST_F(PreviewTest, CallbacksGetBothAndWorkersGiveTheSameAnswers) {
    test::ThreadedExecutor executor(3);
    ServiceOptions options;
    options.jobs = executor.executor();
    Service service(options);
    struct Told {
        std::vector<bool> interim;
        Path last;
    };
    std::map<int, Told> told;
    std::vector<PathRequest> requests;
    Rng rng(3);
    for (int i = 0; i < 24; ++i) {
        PathRequest request = longWay();
        request.from.x = 0.5f + static_cast<float>(rng.below(20));
        request.from.y = 0.5f + static_cast<float>(rng.below(20));
        request.goal.centre.x = 0.5f + static_cast<float>(rng.below(kSide));
        request.goal.centre.y = 0.5f + static_cast<float>(rng.below(kSide));
        requests.push_back(request);
        service.submit(request, {.preview = true}, [&told, i](ServiceAnswer&& answer) {
            told[i].interim.push_back(answer.interim);
            told[i].last = answer.path();
        });
    }
    test::finish(service, [&] { tick(service, 0); });
    Query query;
    Path alone;
    for (int i = 0; i < 24; ++i) {
        const std::vector<bool>& order = told[i].interim;
        ASSERT_GE(order.size(), 1u);
        ASSERT_LE(order.size(), 2u);
        EXPECT_FALSE(order.back()) << "the final one comes last";
        query.findPath(world_.snapshot(), requests[static_cast<std::size_t>(i)], alone);
        EXPECT_EQ(told[i].last.cells, alone.cells);
        EXPECT_EQ(told[i].last.status, alone.status);
    }
}

}  // namespace
}  // namespace warpath
