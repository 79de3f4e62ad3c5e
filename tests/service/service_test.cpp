#include "warpath/core/assert.h"
#include "warpath/service/service.h"

#include <gtest/gtest.h>

#include <limits>

#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "support/fake_pathfinder.h"
#include "support/service_driver.h"
#include "warpath/core/hash.h"
#include "warpath/core/rng.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

using test::FakeLog;
using test::ManualExecutor;
using test::ThreadedExecutor;

using test::kPlenty;

PathRequest to(float x, float y = 10.5f) { return {.from = {1.5f, 1.5f}, .goal = Goal::point({x, y})}; }

class ServiceTest : public ::testing::Test {
protected:
    ServiceOptions options(JobExecutor jobs = nullptr) {
        return {.jobs = std::move(jobs), .registry = test::fakeRegistry(log_), .pathfinder_impl = "fake"};
    }
    void tick(Service& service, std::uint64_t budget = kPlenty) {
        test::tick(service, world_.snapshot(), budget);
    }
    static std::vector<ServiceAnswer> pollAll(Service& service) { return test::pollAll(service); }
    std::vector<ServiceAnswer> finish(Service& service) {
        return test::finish(service, [&] { tick(service); });
    }

    World world_{WorldConfig{.width = 64, .height = 64}};
    std::shared_ptr<FakeLog> log_ = std::make_shared<FakeLog>();
};

TEST_F(ServiceTest, WithoutAnExecutorTickComputesAndPollGivesTheAnswerOnce) {
    Service service(options());
    const RequestTicket ticket = service.submit(to(20.5f), {.unit_id = 7, .player = 3});
    EXPECT_TRUE(service.isOpen(ticket));
    EXPECT_FALSE(service.poll());
    tick(service);
    const auto answer = service.poll();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->ticket, ticket);
    EXPECT_EQ(answer->kind, RequestKind::Path);
    EXPECT_EQ(answer->status, PathStatus::Found);
    EXPECT_EQ(answer->info.unit_id, 7u);
    EXPECT_EQ(answer->info.player, 3u);
    EXPECT_EQ(answer->path().waypoints.back().position, (Position{20.5f, 10.5f}));
    EXPECT_FALSE(service.poll());
    EXPECT_FALSE(service.isOpen(ticket));
    tick(service);
    EXPECT_FALSE(service.poll());
}

TEST_F(ServiceTest, EveryKindOfQuestionHasItsAnswer) {
    Service service(options());
    service.submit(MultiPathRequest{.path = to(9.5f), .max_paths = 2});
    ValidateRequest validate;
    validate.path.cells.resize(6);
    service.submit(validate);
    service.submit(CustomRequest{[](WorkContext& context, ServiceAnswer& answer) {
        answer.value = context.snapshot.width();
        return PathStatus::Found;
    }});
    service.submit(CustomRequest{});
    tick(service);
    const auto answers = pollAll(service);
    ASSERT_EQ(answers.size(), 4u);
    EXPECT_EQ(answers[0].paths.size(), 2u);
    EXPECT_EQ(answers[1].status, PathStatus::Found);
    EXPECT_FALSE(answers[1].validation.valid);
    EXPECT_EQ(answers[1].validation.first_bad, 4u);
    EXPECT_EQ(std::any_cast<int>(answers[2].value), 64);
    EXPECT_EQ(answers[3].status, PathStatus::InvalidArgument);
    EXPECT_FALSE(answers[3].error.field.empty());
}

TEST_F(ServiceTest, TheBudgetCountsWorkAndTheLastSearchMayOverrunIt) {
    log_->expansions_each = 1000;
    Service service(options());
    for (int i = 0; i < 10; ++i) service.submit(to(20.5f + static_cast<float>(i)));
    tick(service, 0);
    EXPECT_EQ(log_->searches, 0);
    tick(service, 1500);  // one leaves some, the second overruns
    EXPECT_EQ(log_->searches, 2);
    EXPECT_GE(service.stats().last_inline_work, 1500u);
    EXPECT_EQ(service.stats().pending, 8u);
    EXPECT_EQ(service.stats().waiting, 8u);
    tick(service, 1);
    EXPECT_EQ(log_->searches, 3);
    EXPECT_EQ(finish(service).size(), 10u);
}

TEST_F(ServiceTest, AnswersComeInTheOrderOfSubmissionWhateverThePriority) {
    Service service(options());
    std::vector<RequestTicket> tickets;
    for (int i = 0; i < 20; ++i) tickets.push_back(service.submit(to(20.5f), {.priority = i % 3}));
    tick(service);
    const auto answers = pollAll(service);
    ASSERT_EQ(answers.size(), 20u);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(answers[i].ticket, tickets[i]);
}

TEST_F(ServiceTest, UrgentRequestsAreSearchedFirst) {
    log_->expansions_each = 1000;
    Service service(options());
    service.submit(to(1.5f), {.priority = 0});
    service.submit(to(2.5f), {.priority = -5});
    service.submit(to(3.5f), {.priority = 9});
    service.submit(to(4.5f), {.priority = 9});
    tick(service);
    const auto seen = log_->seen();
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_EQ(seen[0].goal.centre.x, 3.5f);
    EXPECT_EQ(seen[1].goal.centre.x, 4.5f);
    EXPECT_EQ(seen[2].goal.centre.x, 1.5f);
    EXPECT_EQ(seen[3].goal.centre.x, 2.5f);
}

TEST_F(ServiceTest, OneTickStartsAtMostMaxSearches) {
    ServiceOptions limited = options();
    limited.max_searches_per_tick = 2;
    Service service(std::move(limited));
    for (int i = 0; i < 5; ++i) service.submit(to(20.5f));
    for (const int expected : {2, 4, 5}) {
        tick(service);
        EXPECT_EQ(log_->searches, expected);
    }
    ManualExecutor manual;
    limited = options(manual.executor());
    limited.max_searches_per_tick = 2;
    Service threaded(std::move(limited));
    for (int i = 0; i < 5; ++i) threaded.submit(to(20.5f));
    tick(threaded);
    EXPECT_EQ(manual.size(), 2u);
    manual.run();
    tick(threaded);
    EXPECT_EQ(manual.size(), 2u);
}

TEST_F(ServiceTest, TheExecutorComputesAndTickOnlyCollects) {
    ManualExecutor manual;
    Service service(options(manual.executor()));
    service.submit(to(20.5f));
    tick(service);
    EXPECT_EQ(log_->searches, 0);
    EXPECT_EQ(manual.size(), 1u);
    EXPECT_FALSE(service.poll());
    manual.run();
    EXPECT_EQ(log_->searches, 1);
    EXPECT_FALSE(service.poll());  // delivered by ticks only
    EXPECT_EQ(service.stats().running, 1u);
    tick(service);
    EXPECT_TRUE(service.poll());
    EXPECT_EQ(service.stats().worker_jobs, 1u);
    EXPECT_EQ(service.stats().inline_jobs, 0u);
}

TEST_F(ServiceTest, AnExecutorThatNeverRunsIsReplacedByTheFrameBudget) {
    ManualExecutor never;
    Service service(options(never.executor()));
    service.submit(to(20.5f));
    tick(service);
    tick(service);
    EXPECT_EQ(log_->searches, 0);
    tick(service);  // patience is over
    EXPECT_EQ(log_->searches, 1);
    EXPECT_TRUE(service.poll());
    EXPECT_TRUE(service.stats().executor_idle);
    service.submit(to(21.5f));
    tick(service);  // from now on at once
    EXPECT_TRUE(service.poll());
    EXPECT_EQ(log_->searches, 2);
    never.run();  // the late tasks find nothing to do
    EXPECT_EQ(log_->searches, 2);
    EXPECT_EQ(pollAll(service).size(), 0u);
    service.submit(to(22.5f));
    tick(service);  // it has shown life: it gets its chance again
    EXPECT_FALSE(service.stats().executor_idle);
    EXPECT_EQ(log_->searches, 2);
    never.run();
    tick(service);
    EXPECT_TRUE(service.poll());
}

TEST_F(ServiceTest, AnExecutorThatRefusesLeavesTheWorkToTheTick) {
    ManualExecutor refusing;
    refusing.accepts = false;
    Service service(options(refusing.executor()));
    for (int i = 0; i < 3; ++i) service.submit(to(20.5f));
    tick(service);
    EXPECT_EQ(pollAll(service).size(), 3u);
    EXPECT_EQ(service.stats().inline_jobs, 3u);
}

TEST_F(ServiceTest, TheSameRequestsHaveTheSameAnswersOnAnyNumberOfThreads) {
    const auto run = [&](int threads) {
        log_ = std::make_shared<FakeLog>();
        std::unique_ptr<ThreadedExecutor> pool;
        if (threads > 0) pool = std::make_unique<ThreadedExecutor>(threads);
        ServiceOptions strict = options(pool ? pool->executor() : JobExecutor{});
        strict.supersede_across_ticks = false;
        Service service(std::move(strict));
        World world({.width = 64, .height = 64});
        Rng rng(7);
        std::map<RequestTicket, ServiceAnswer> answers;
        const auto tickOnce = [&](std::uint64_t budget) {
            service.tick(world.snapshot(), budget);
            while (auto answer = service.poll()) answers.emplace(answer->ticket, std::move(*answer));
        };
        for (int frame = 0; frame < 60; ++frame) {
            for (int i = 0; i < 20; ++i) {
                service.submit(to(static_cast<float>(rng.below(6)) + 0.5f),
                               {.unit_id = rng.below(30), .priority = static_cast<int>(rng.below(3))});
            }
            world.edit([&](WorldEdit& e) { e.setTerrain(Cell{1, 1}, Terrain::Sand); });
            tickOnce(400);
        }
        for (int i = 0; i < 20'000 && service.stats().pending > 0; ++i) {
            tickOnce(kPlenty);
            std::this_thread::yield();
        }
        EXPECT_EQ(answers.size(), 1200u);
        Hash64 hash;
        for (const auto& [ticket, answer] : answers) {
            hash.add(static_cast<std::uint64_t>(ticket));
            hash.add(static_cast<std::uint64_t>(answer.status));
            hash.add(answer.path().cost);
            hash.add(answer.path().revision);
        }
        return hash.value();
    };
    const std::uint64_t alone = run(0);
    EXPECT_EQ(alone, run(1));
    EXPECT_EQ(alone, run(4));
}

TEST_F(ServiceTest, ARequestIsAnsweredOnTheSnapshotOfTheTickThatAdmittedIt) {
    Service service(options());
    service.submit(to(20.5f));
    tick(service, 0);
    const std::uint64_t admitted = world_.snapshot().revision();
    world_.edit([](WorldEdit& e) { e.setTerrain(Cell{1, 1}, Terrain::Sand); });
    tick(service);
    EXPECT_EQ(service.poll()->path().revision, admitted);

    ServiceOptions newest = options();
    newest.newest_snapshot = true;
    Service fresh(std::move(newest));
    fresh.submit(to(20.5f));
    tick(fresh, 0);
    world_.edit([](WorldEdit& e) { e.setTerrain(Cell{1, 1}, Terrain::Grass); });
    tick(fresh);
    EXPECT_EQ(fresh.poll()->path().revision, world_.snapshot().revision());
}

/// W131.
TEST_F(ServiceTest, OfFiveOrdersOfAUnitOnlyTheLastIsSearched) {
    Service service(options());
    std::vector<RequestTicket> tickets;
    for (int i = 0; i < 5; ++i) tickets.push_back(service.submit(to(20.5f + static_cast<float>(i)), {.unit_id = 7}));
    tick(service);
    EXPECT_EQ(log_->searches, 1);
    const auto answers = pollAll(service);
    ASSERT_EQ(answers.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(answers[i].ticket, tickets[i]);
        EXPECT_EQ(answers[i].status, i < 4 ? PathStatus::Superseded : PathStatus::Found);
    }
    EXPECT_EQ(answers[4].path().waypoints.back().position.x, 24.5f);
    EXPECT_EQ(service.stats().superseded, 4u);
}

TEST_F(ServiceTest, OtherUnitsPlayersKindsAndNamelessRequestsAreNotSuperseded) {
    Service service(options());
    service.submit(to(1.5f), {.unit_id = 7});
    service.submit(to(2.5f), {.unit_id = 8});
    service.submit(to(3.5f), {.unit_id = 7, .player = 1});
    service.submit(MultiPathRequest{.path = to(4.5f)}, {.unit_id = 7});
    service.submit(ValidateRequest{.path = {}, .route = {{1.0f, 1.0f}}}, {.unit_id = 7});
    service.submit(ValidateRequest{.path = {}, .route = {{1.0f, 1.0f}}}, {.unit_id = 7});
    service.submit(to(5.5f));
    service.submit(to(6.5f));
    tick(service);
    for (const ServiceAnswer& answer : pollAll(service)) EXPECT_EQ(answer.status, PathStatus::Found);
}

TEST_F(ServiceTest, ANewOrderSupersedesAnOlderOneOfAnEarlierTickInEveryStage) {
    ManualExecutor manual;
    ServiceOptions limited = options(manual.executor());
    limited.max_searches_per_tick = 1;
    Service service(std::move(limited));
    service.submit(to(1.5f), {.unit_id = 1});  // will be ready
    service.submit(to(2.5f), {.unit_id = 2});  // will stay in the backlog
    tick(service);
    service.submit(to(3.5f), {.unit_id = 1});
    service.submit(to(4.5f), {.unit_id = 2});
    const auto answers = finish(service);
    ASSERT_EQ(answers.size(), 4u);
    EXPECT_EQ(answers[0].status, PathStatus::Superseded);
    EXPECT_EQ(answers[1].status, PathStatus::Superseded);
    EXPECT_EQ(answers[2].status, PathStatus::Found);
    EXPECT_EQ(answers[3].status, PathStatus::Found);
    EXPECT_EQ(log_->searches, 2);
}

TEST_F(ServiceTest, SupersedingCanBeKeptWithinATick) {
    ServiceOptions strict = options();
    strict.supersede_across_ticks = false;
    Service service(std::move(strict));
    service.submit(to(1.5f), {.unit_id = 1});
    tick(service, 0);
    service.submit(to(2.5f), {.unit_id = 1});
    service.submit(to(3.5f), {.unit_id = 1});
    const auto answers = finish(service);
    ASSERT_EQ(answers.size(), 3u);
    std::map<RequestTicket, PathStatus> status;
    for (const ServiceAnswer& answer : answers) status[answer.ticket] = answer.status;
    EXPECT_EQ(status[RequestTicket{1}], PathStatus::Found);
    EXPECT_EQ(status[RequestTicket{2}], PathStatus::Superseded);
    EXPECT_EQ(status[RequestTicket{3}], PathStatus::Found);
}

/// W128.
TEST_F(ServiceTest, CancelAnswersCancelledAndNothingElse) {
    Service service(options());
    const RequestTicket early = service.submit(to(1.5f));
    EXPECT_TRUE(service.cancel(early));
    EXPECT_FALSE(service.cancel(early));
    tick(service, 0);
    const auto answer = service.poll();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->ticket, early);
    EXPECT_EQ(answer->status, PathStatus::Cancelled);
    const RequestTicket waiting = service.submit(to(2.5f));
    tick(service, 0);
    EXPECT_TRUE(service.cancel(waiting));
    tick(service);
    EXPECT_EQ(service.poll()->status, PathStatus::Cancelled);
    EXPECT_FALSE(service.poll());
    EXPECT_EQ(log_->searches, 0);
    EXPECT_FALSE(service.cancel(waiting));
    EXPECT_FALSE(service.cancel(RequestTicket{12345}));
    EXPECT_FALSE(service.cancel(RequestTicket::None));
    EXPECT_EQ(service.stats().cancelled, 2u);
}

TEST_F(ServiceTest, ARunningSearchCanBeCancelledAndItsResultIsThrownAway) {
    std::atomic<bool> inside{false}, go{false};
    log_->while_searching = [&](const PathRequest&) {
        inside = true;
        while (!go) std::this_thread::yield();
    };
    ThreadedExecutor pool(1);
    Service service(options(pool.executor()));
    const RequestTicket ticket = service.submit(to(1.5f), {.unit_id = 1});
    tick(service, 0);
    while (!inside) std::this_thread::yield();
    EXPECT_TRUE(service.cancel(ticket));
    tick(service, 0);
    EXPECT_EQ(service.poll()->status, PathStatus::Cancelled);
    go = true;
    service.submit(to(2.5f), {.unit_id = 1});
    const auto answers = finish(service);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].status, PathStatus::Found);
}

TEST_F(ServiceTest, AFullQueueRejectsAndRecovers) {
    ServiceOptions small = options();
    small.max_pending = 3;
    Service service(std::move(small));
    for (int i = 0; i < 5; ++i) service.submit(to(20.5f));
    tick(service);
    const auto answers = pollAll(service);
    ASSERT_EQ(answers.size(), 5u);
    EXPECT_EQ(answers[2].status, PathStatus::Found);
    for (const std::size_t i : {3u, 4u}) {
        EXPECT_EQ(answers[i].status, PathStatus::Rejected);
        EXPECT_EQ(answers[i].error.field, "max_pending");
    }
    EXPECT_EQ(service.stats().rejected, 2u);
    service.submit(to(20.5f));
    tick(service);
    EXPECT_EQ(service.poll()->status, PathStatus::Found);
}

TEST_F(ServiceTest, RequestsOfOneTickWithOneGoalAreCountedAsAGroup) {
    Service service(options());
    for (int i = 0; i < 12; ++i) {
        PathRequest request = to(30.25f + 0.01f * static_cast<float>(i));  // one cell
        request.from.y = static_cast<float>(i) + 0.5f;
        service.submit(request);
    }
    PathRequest other_side = to(30.25f);
    other_side.side = 1;
    service.submit(other_side);
    PathRequest other_doctrine = to(30.25f);
    other_doctrine.constraints.doctrine = Doctrine::Stealth;
    other_doctrine.group_size = 4;
    service.submit(other_doctrine);
    tick(service);
    const auto seen = log_->seen();
    ASSERT_EQ(seen.size(), 14u);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(seen[i].group_size, 12u);
    EXPECT_EQ(seen[12].group_size, 1u);
    EXPECT_EQ(seen[13].group_size, 4u);
}

TEST_F(ServiceTest, CallbacksAndFuturesAreServedInsideTick) {
    Service service(options());
    std::vector<float> arrived;
    service.findPathAsync(to(5.5f), [&](const Path& path) {
        arrived.push_back(path.waypoints.back().position.x);
        service.findPathAsync(to(6.5f), [&](const Path& next) { arrived.push_back(next.waypoints.back().position.x); });
    });
    std::future<Path> future = service.findPathAsync(to(7.5f));
    EXPECT_TRUE(arrived.empty());
    tick(service);
    EXPECT_EQ(arrived, std::vector<float>{5.5f});
    ASSERT_EQ(future.wait_for(std::chrono::seconds(0)), std::future_status::ready);
    EXPECT_EQ(future.get().status, PathStatus::Found);
    tick(service);
    EXPECT_EQ(arrived, (std::vector<float>{5.5f, 6.5f}));
    EXPECT_FALSE(service.poll());
}

TEST_F(ServiceTest, DestroyingTheServiceAnswersFuturesAndIsSafeForLateJobs) {
    ManualExecutor manual;
    std::future<Path> future;
    {
        Service service(options(manual.executor()));
        future = service.findPathAsync(to(7.5f));
        service.submit(to(8.5f));
        tick(service);
    }
    EXPECT_EQ(future.get().status, PathStatus::Cancelled);
    manual.run();
    EXPECT_EQ(log_->searches, 0);
}

TEST_F(ServiceTest, CancelAllAnswersEverythingAtOnce) {
    ManualExecutor manual;
    Service service(options(manual.executor()));
    for (int i = 0; i < 5; ++i) service.submit(to(20.5f));
    tick(service);
    manual.run(2);
    for (int i = 0; i < 2; ++i) service.submit(to(20.5f));
    service.cancelAll();
    const auto answers = pollAll(service);
    ASSERT_EQ(answers.size(), 7u);
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(answers[i].ticket, RequestTicket{i + 1});
    EXPECT_EQ(service.stats().pending, 0u);
    manual.run();
    tick(service);
    EXPECT_FALSE(service.poll());
}

TEST_F(ServiceTest, APathfinderThatThrowsAnswersWithAnErrorAndTheNextOneIsNew) {
    log_->while_searching = [](const PathRequest& request) {
        if (request.goal.centre.x < 2.0f) throw std::runtime_error("sick");
    };
    Service service(options());
    service.submit(to(1.5f));
    service.submit(to(3.5f));
    tick(service);
    const auto answers = pollAll(service);
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(answers[0].status, PathStatus::InvalidArgument);
    EXPECT_NE(answers[0].error.remedy.find("sick"), std::string::npos);
    EXPECT_EQ(answers[1].status, PathStatus::Found);
    EXPECT_EQ(service.stats().failed, 1u);
}

TEST_F(ServiceTest, WorkersAreMadeOnFirstUseAndReused) {
    ThreadedExecutor pool(3);
    Service service(options(pool.executor()));
    EXPECT_EQ(log_->made, 0);
    for (int i = 0; i < 200; ++i) service.submit(to(20.5f));
    EXPECT_EQ(finish(service).size(), 200u);
    EXPECT_LE(log_->made, 4);  // three threads and the tick
    EXPECT_EQ(log_->searches, 200);
}

TEST_F(ServiceTest, AnUnknownPathfinderIsRefusedWithTheNamesThatExist) {
    ServiceOptions unknown = options();
    unknown.pathfinder_impl = "ml";
    const auto error = Service::check(unknown);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->field, "pathfinder_impl");
    EXPECT_EQ(error->value, "ml");
    EXPECT_NE(error->remedy.find("classic, fake"), std::string::npos);
}

TEST_F(ServiceTest, ReconfiguringKeepsOpenRequestsAndARefusedOneChangesNothing) {
    Service service(options());
    service.submit(to(1.5f));
    tick(service, 0);
    ServiceOptions bad = options();
    bad.pathfinder_impl = "ml";
    EXPECT_TRUE(service.reconfigure(std::move(bad)));
    auto other = std::make_shared<FakeLog>();
    ServiceOptions good{.registry = test::fakeRegistry(other), .pathfinder_impl = "fake"};
    const auto tiles = service.tiles();
    EXPECT_FALSE(service.reconfigure(std::move(good)));
    EXPECT_EQ(service.tiles(), tiles);
    tick(service);
    EXPECT_TRUE(service.poll());
    EXPECT_EQ(log_->searches, 0);
    EXPECT_EQ(other->searches, 1);
}

TEST_F(ServiceTest, RecycledPathsAreUsedAgain) {
    Service service(options());
    service.submit(to(1.5f));
    tick(service);
    auto answer = service.poll();
    const Path* memory = answer->paths.data();
    service.recycle(std::move(*answer));
    service.submit(to(2.5f));
    tick(service);
    EXPECT_EQ(service.poll()->paths.data(), memory);
}

/// Random submits, cancels, ticks and reconfigurations: each ticket is answered exactly once, and the figures add up.
void hammer(std::uint64_t seed, int threads, const std::shared_ptr<FakeLog>& log) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", threads " + std::to_string(threads));
    Rng rng(seed);
    std::unique_ptr<ThreadedExecutor> pool;
    if (threads > 0) pool = std::make_unique<ThreadedExecutor>(threads);
    World world({.width = 64, .height = 64});
    const auto draw = [&] {
        ServiceOptions options{.registry = test::fakeRegistry(log), .pathfinder_impl = "fake"};
        if (pool) options.jobs = pool->executor();
        options.max_pending = 20 + rng.below(200);
        options.max_searches_per_tick = rng.below(3) == 0 ? 0 : 1 + rng.below(20);
        options.patience_ticks = rng.below(4);
        options.newest_snapshot = rng.percent(30);
        options.supersede_across_ticks = rng.percent(70);
        return options;
    };
    Service service(draw());
    std::map<RequestTicket, int> answers;
    std::set<RequestTicket> cancelled;
    const auto take = [&] {
        while (auto answer = service.poll()) {
            ++answers[answer->ticket];
            if (cancelled.contains(answer->ticket)) {
                EXPECT_EQ(answer->status, PathStatus::Cancelled);
            }
            service.recycle(std::move(*answer));
        }
    };
    std::vector<RequestTicket> tickets;
    for (int step = 0; step < 3000; ++step) {
        switch (rng.below(10)) {
            case 0: case 1: case 2: case 3: case 4: {
                const auto x = static_cast<float>(rng.below(60)) + 0.5f;
                RequestInfo info;
                if (rng.percent(60)) info.unit_id = rng.below(50);
                info.priority = static_cast<int>(rng.below(5));
                const auto on_answer = [&answers](ServiceAnswer&& answer) { ++answers[answer.ticket]; };
                if (rng.percent(20)) {
                    tickets.push_back(service.submit(MultiPathRequest{.path = to(x)}, info));
                } else if (rng.percent(10)) {
                    tickets.push_back(service.submit(to(x), info, on_answer));
                } else {
                    tickets.push_back(service.submit(to(x), info));
                }
                break;
            }
            case 5:
                if (!tickets.empty()) {
                    const RequestTicket ticket = tickets[tickets.size() - 1 - rng.below(static_cast<std::uint32_t>(std::min<std::size_t>(tickets.size(), 30)))];
                    if (service.cancel(ticket)) cancelled.insert(ticket);
                }
                break;
            case 6:
                if (rng.percent(5)) {
                    EXPECT_FALSE(service.reconfigure(draw()));
                }
                break;
            default:
                service.tick(world.snapshot(), rng.below(4) * 300);
                take();
        }
        const ServiceStats stats = service.stats();
        ASSERT_EQ(stats.submitted, stats.answered + stats.pending);
    }
    for (int i = 0; i < 20'000 && service.stats().pending > 0; ++i) {
        service.tick(world.snapshot(), kPlenty);
        take();
        std::this_thread::yield();
    }
    take();
    ASSERT_EQ(answers.size(), tickets.size());
    for (const auto& [ticket, count] : answers) ASSERT_EQ(count, 1);
}

TEST_F(ServiceTest, WhateverHappensEachTicketIsAnsweredExactlyOnce) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        for (const int threads : {0, 1, 3}) hammer(seed, threads, log_);
    }
}

TEST_F(ServiceTest, ThresholdsOutsideTheirLimitsAreRefused) {
    const auto fieldOf = [&](const auto& change) {
        ServiceOptions bad = options();
        change(bad);
        const auto error = Service::check(bad);
        return error ? error->field : std::string("accepted");
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(fieldOf([&](ServiceOptions& o) { o.rules.uniform_exact_distance = nan; }), "uniform_exact_distance");
    EXPECT_EQ(fieldOf([&](ServiceOptions& o) { o.rules.weighted_exact_distance = -1.0f; }), "weighted_exact_distance");
    EXPECT_EQ(fieldOf([&](ServiceOptions& o) { o.rules.group_size = 0; }), "group_size");
    EXPECT_EQ(fieldOf([&](ServiceOptions& o) { o.routes.choke_width = nan; }), "routes.choke_width");
    EXPECT_EQ(fieldOf([&](ServiceOptions& o) { o.routes.score[2].time = 11.0f; }), "routes.score.cautious.time");
    EXPECT_EQ(fieldOf([&](ServiceOptions& o) { o.metrics.resize(TileStore::kMaxMetrics + 1); }), "metrics");
    EXPECT_EQ(fieldOf([](ServiceOptions&) {}), "accepted");
}

TEST_F(ServiceTest, ATickWithAnEmptySnapshotDoesNothingWhenTheHandlerGoesOn) {
    Service service(options());
    service.submit(to(1.5f));
    static int failed = 0;
    failed = 0;
    const AssertHandler before = setAssertHandler([](const char*, const char*, const char*, int) { ++failed; });
    service.tick({}, 1000);
    setAssertHandler(before);
    EXPECT_EQ(failed, 1);
    EXPECT_EQ(service.stats().pending, 1u);
    tick(service);
    EXPECT_TRUE(service.poll());
}

TEST_F(ServiceTest, WhatTheMetricsNeedIsPreparedByTheExecutorAndAgainWhenTheGroundChanges) {
    std::vector<std::function<void()>> jobs;
    ServiceOptions with = options();
    with.jobs = [&](std::function<void()> job) {
        jobs.push_back(std::move(job));
        return true;
    };
    Metric metric;
    metric.profile.size = 3;
    with.metrics = {metric};
    World world({.width = 100, .height = 100});
    Service service(std::move(with));
    EXPECT_EQ(service.tiles()->registeredMetrics(), std::vector<Metric>{metric});
    service.tick(world.snapshot(), 0);
    service.tick(world.snapshot(), 0);
    ASSERT_EQ(jobs.size(), 1u) << "one at a time";
    jobs[0]();
    EXPECT_EQ(service.stats().preparations, 1u);
    service.tick(world.snapshot(), 0);
    EXPECT_EQ(jobs.size(), 1u) << "the same ground";
    world.edit([](WorldEdit& e) { e.placeObstacle({5, 5, 3, 3}, ObstacleKind::Wall, 2.0f); });
    service.tick(world.snapshot(), 0);
    ASSERT_EQ(jobs.size(), 2u);
    jobs[1]();
    EXPECT_EQ(service.stats().preparations, 2u);
    ServiceOptions without = options();
    EXPECT_FALSE(service.reconfigure(std::move(without)));
    EXPECT_TRUE(service.tiles()->registeredMetrics().empty());
}

int ticksUntilIdle(Service& service, const World& world, ManualExecutor& executor) {
    int ticks = 0;
    for (; ticks < 60; ++ticks) {
        service.tick(world.snapshot(), 0);
        if (executor.run() == 0) break;
    }
    return ticks;
}

/// Walls everywhere but where the unit stands at both ends.
void wallsBetween(World& world, int count, Cell far_end) {
    world.edit([&](WorldEdit& e) {
        for (int i = 0; i < count; ++i) e.placeObstacle(CellRect{(i * 53) % far_end.x, (i * 31) % far_end.y, 5, 4}, ObstacleKind::Wall, 2.0f);
        for (const Cell end : {Cell{3, 3}, far_end}) e.removeObstacle(CellRect{end.x - 3, end.y - 3, 7, 7});
    });
}

TEST_F(ServiceTest, TablesOfTheMetricsAreMadeAheadInSlicesSoThatNoQueryMakesAny) {
    ManualExecutor executor;
    ServiceOptions with;
    with.jobs = executor.executor();
    const PathConstraints plain = plainDistance();
    with.metrics = {std::get<ResolvedConstraints>(resolve(plain, WorldRules::reference())).metric};
    World world({.width = 64 * 7, .height = 64 * 5});
    wallsBetween(world, 40, {440, 310});
    Service service(std::move(with));
    const auto settle = [&] { return ticksUntilIdle(service, world, executor); };
    EXPECT_EQ(settle(), 3) << "35 tables, 16 at a time";
    EXPECT_EQ(service.stats().tables_prepared, 35u);
    const auto tablesOfAQuery = [&] {
        Query query(service.tiles());
        Path path;
        PathRequest request{.from = {3.5f, 3.5f}, .goal = Goal::point({440.5f, 310.5f}), .constraints = plain, .algorithm = PathAlgorithm::Hierarchical};
        EXPECT_EQ(query.findPath(world.snapshot(), request, path), PathStatus::Found);
        return query.hierarchyFigures().tables_computed;
    };
    EXPECT_EQ(tablesOfAQuery(), 0u);
    world.edit([](WorldEdit& e) { e.placeObstacle({191, 100, 3, 60}, ObstacleKind::Wall, 2.0f); });  // over a border of chunks
    EXPECT_EQ(settle(), 1);
    EXPECT_EQ(service.stats().tables_prepared, 35u + 16u) << "the chunks around the four that changed";
    EXPECT_EQ(tablesOfAQuery(), 0u);
    EXPECT_EQ(service.stats().preparations, 2u);
}

TEST_F(ServiceTest, TablesOfGroupsFollowThoseOfTheirChunksInSlices) {
    ManualExecutor executor;
    ServiceOptions with;
    with.jobs = executor.executor();
    const PathConstraints plain = plainDistance();
    with.metrics = {std::get<ResolvedConstraints>(resolve(plain, WorldRules::reference())).metric};
    World world({.width = 64 * 18, .height = 64 * 6});
    wallsBetween(world, 90, {1140, 370});
    Service service(std::move(with));
    const auto settle = [&] { return ticksUntilIdle(service, world, executor); };
    EXPECT_EQ(settle(), 10) << "16 of the 108 tables of chunks at a time, then 4 of the 10 of groups";
    EXPECT_EQ(service.stats().tables_prepared, 108u + 10u);
    const auto madeByAQuery = [&] {
        Query query(service.tiles());
        Path path;
        PathRequest request{.from = {3.5f, 3.5f}, .goal = Goal::point({1140.5f, 370.5f}), .constraints = plain, .algorithm = PathAlgorithm::Hierarchical};
        EXPECT_EQ(query.findPath(world.snapshot(), request, path), PathStatus::Found);
        return query.hierarchyFigures().tables_computed;
    };
    EXPECT_EQ(madeByAQuery(), 0u);
    world.edit([](WorldEdit& e) { e.placeObstacle({191, 100, 3, 60}, ObstacleKind::Wall, 2.0f); });
    EXPECT_LE(settle(), 4);
    EXPECT_EQ(madeByAQuery(), 0u);
}

TEST_F(ServiceTest, PreparingEndsWhenTheTablesDoNotFit) {
    ManualExecutor executor;
    ServiceOptions with;
    with.jobs = executor.executor();
    with.tiles = std::make_shared<TileStore>(TileStore::kDefaultBytes, 40'000);
    with.metrics = {std::get<ResolvedConstraints>(resolve(plainDistance(), WorldRules::reference())).metric};
    World world({.width = 64 * 20, .height = 64 * 20});
    world.edit([](WorldEdit& e) {
        for (int i = 0; i < 900; ++i) e.placeObstacle(CellRect{(i * 531) % 1270, (i * 317) % 1270, 5, 4}, ObstacleKind::Wall, 2.0f);
    });
    Service service(std::move(with));
    for (int i = 0; i < 30; ++i) {
        service.tick(world.snapshot(), 0);
        executor.run();
    }
    EXPECT_LT(service.stats().tables_prepared, 100u);
    EXPECT_LE(service.tiles()->stats().table_bytes, 40'000u);
}

}  // namespace
}  // namespace warpath
