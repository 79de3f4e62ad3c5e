#include "host/module_scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "warpath/host/thread_pool.h"

namespace warpath {
namespace {

using Scheduler = std::shared_ptr<ModuleScheduler>;

/// Tasks run when the test calls runOne.
Scheduler byHand(std::size_t max_outstanding = 100) {
    return std::make_shared<ModuleScheduler>(max_outstanding, [](const Scheduler&) { return true; });
}
Scheduler onPool(ThreadPool& pool, std::size_t max_outstanding) {
    return std::make_shared<ModuleScheduler>(max_outstanding, [&pool](Scheduler scheduler) {
        return pool.enqueue([scheduler = std::move(scheduler)] { scheduler->runOne(); });
    });
}
std::string twice(const std::string& text) {
    return text + text;
}

TEST(ModuleScheduler, RunsATaskOnTheExecutorOfItsType) {
    const Scheduler scheduler = byHand();
    EXPECT_TRUE(scheduler->registerExecutor("twice", twice));
    EXPECT_TRUE(scheduler->registerExecutor("same", [](const std::string& text) { return text; }));
    const TaskId first = scheduler->scheduleTask("twice", "ab");
    const TaskId second = scheduler->scheduleTask("same", "ab");
    EXPECT_NE(first, TaskId::none);
    EXPECT_NE(first, second);
    EXPECT_EQ(scheduler->completedTaskCount(), 0u) << "nothing runs inside scheduleTask";
    EXPECT_EQ(scheduler->pendingCount(), 2u);
    EXPECT_TRUE(scheduler->runOne());
    EXPECT_TRUE(scheduler->runOne());
    EXPECT_FALSE(scheduler->runOne());
    EXPECT_EQ(scheduler->completedTaskCount(), 2u);
    const auto result = scheduler->takeCompletedTask();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->id, first);
    EXPECT_EQ(result->type, "twice");
    EXPECT_EQ(result->status, TaskStatus::done);
    EXPECT_EQ(result->payload, "abab");
    EXPECT_EQ(scheduler->takeCompletedTask()->payload, "ab");
    EXPECT_FALSE(scheduler->takeCompletedTask());
}

TEST(ModuleScheduler, RefusesTasksOfUnknownTypeAndEmptyExecutors) {
    const Scheduler scheduler = byHand();
    EXPECT_FALSE(scheduler->registerExecutor("x", nullptr));
    EXPECT_EQ(scheduler->scheduleTask("x", ""), TaskId::none);
    EXPECT_EQ(scheduler->pendingCount(), 0u);
}

TEST(ModuleScheduler, ATaskThatThrowsEndsAsFailedWithTheText) {
    const Scheduler scheduler = byHand();
    EXPECT_TRUE(scheduler->registerExecutor("std", [](const std::string&) -> std::string { throw std::runtime_error("no map"); }));
    EXPECT_TRUE(scheduler->registerExecutor("odd", [](const std::string&) -> std::string { throw 5; }));
    EXPECT_NE(scheduler->scheduleTask("std", "job"), TaskId::none);
    EXPECT_NE(scheduler->scheduleTask("odd", "job"), TaskId::none);
    EXPECT_TRUE(scheduler->runOne());
    EXPECT_TRUE(scheduler->runOne());
    const auto known = scheduler->takeCompletedTask();
    EXPECT_EQ(known->status, TaskStatus::failed);
    EXPECT_EQ(known->payload, "no map");
    const auto odd = scheduler->takeCompletedTask();
    EXPECT_EQ(odd->status, TaskStatus::failed);
    EXPECT_EQ(odd->payload, "");
}

TEST(ModuleScheduler, ANewExecutorServesTheTasksNotYetStarted) {
    const Scheduler scheduler = byHand();
    EXPECT_TRUE(scheduler->registerExecutor("t", twice));
    EXPECT_NE(scheduler->scheduleTask("t", "a"), TaskId::none);
    EXPECT_TRUE(scheduler->registerExecutor("t", [](const std::string&) { return std::string("new"); }));
    EXPECT_TRUE(scheduler->runOne());
    EXPECT_EQ(scheduler->takeCompletedTask()->payload, "new");
}

TEST(ModuleScheduler, ResultsThatNobodyTakesCountAgainstTheLimit) {
    const Scheduler scheduler = byHand(2);
    EXPECT_TRUE(scheduler->registerExecutor("t", twice));
    EXPECT_NE(scheduler->scheduleTask("t", "1"), TaskId::none);
    EXPECT_NE(scheduler->scheduleTask("t", "2"), TaskId::none);
    EXPECT_EQ(scheduler->scheduleTask("t", "3"), TaskId::none);
    EXPECT_TRUE(scheduler->runOne());
    EXPECT_EQ(scheduler->scheduleTask("t", "3"), TaskId::none);
    EXPECT_TRUE(scheduler->takeCompletedTask());
    EXPECT_NE(scheduler->scheduleTask("t", "3"), TaskId::none);
}

TEST(ModuleScheduler, ClosingDropsWaitingTasksAndReleasesTheExecutors) {
    const Scheduler scheduler = byHand();
    const auto held = std::make_shared<int>(1);
    EXPECT_TRUE(scheduler->registerExecutor("t", [held](const std::string& text) { return text; }));
    EXPECT_NE(scheduler->scheduleTask("t", "kept"), TaskId::none);
    EXPECT_TRUE(scheduler->runOne());
    EXPECT_NE(scheduler->scheduleTask("t", "dropped"), TaskId::none);
    scheduler->close();
    scheduler->waitUntilIdle();
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_FALSE(scheduler->runOne());
    EXPECT_EQ(scheduler->scheduleTask("t", "late"), TaskId::none);
    EXPECT_FALSE(scheduler->registerExecutor("t", twice));
    EXPECT_EQ(scheduler->takeCompletedTask()->payload, "kept");
}

TEST(ModuleScheduler, ManyThreadsLoseAndDoubleNoTask) {
    static constexpr int kSchedulers = 3, kTasks = 5000;
    ThreadPool pool(4);
    std::vector<std::thread> modules;
    for (int m = 0; m < kSchedulers; ++m) {
        modules.emplace_back([&pool, m] {
            const Scheduler scheduler = onPool(pool, 64);
            std::atomic<int> runs{0};
            EXPECT_TRUE(scheduler->registerExecutor("t", [&runs](const std::string& text) {
                const int run = ++runs;
                if (run % 7 == 0) throw std::runtime_error(text);
                return text;
            }));
            std::set<std::string> answers;
            int taken = 0, scheduled = 0;
            while (taken < kTasks) {
                while (scheduled < kTasks && scheduler->scheduleTask("t", std::to_string(m * kTasks + scheduled)) != TaskId::none)
                    ++scheduled;
                while (auto result = scheduler->takeCompletedTask()) {
                    ++taken;
                    EXPECT_TRUE(answers.insert(result->payload).second) << "twice: " << result->payload;
                }
                std::this_thread::yield();
            }
            EXPECT_EQ(runs, kTasks);
            EXPECT_EQ(answers.size(), std::size_t{kTasks});
            EXPECT_FALSE(scheduler->takeCompletedTask());
            scheduler->close();
            scheduler->waitUntilIdle();
        });
    }
    for (std::thread& module : modules) module.join();
    EXPECT_EQ(pool.faultCount(), 0u);
}

TEST(ThreadPool, RunsEveryJobAndSurvivesOneThatThrows) {
    std::atomic<int> sum{0};
    ThreadPool pool(3);
    EXPECT_EQ(pool.threadCount(), 3u);
    EXPECT_TRUE(pool.enqueue([] { throw 1; }));
    for (int i = 1; i <= 1000; ++i) EXPECT_TRUE(pool.enqueue([&sum, i] { sum += i; }));
    while (sum != 500500) std::this_thread::yield();
    pool.stop();
    EXPECT_EQ(pool.faultCount(), 1u);
}

TEST(ThreadPool, StoppingDropsWhatHasNotStartedAndTakesNothingMore) {
    std::atomic<bool> started{false}, go{false};
    std::atomic<int> ran{0};
    ThreadPool pool(1);
    EXPECT_TRUE(pool.enqueue([&] {
        started = true;
        while (!go) std::this_thread::yield();
        ++ran;
    }));
    while (!started) std::this_thread::yield();
    const auto held = std::make_shared<int>(1);
    EXPECT_TRUE(pool.enqueue([&ran, held] { ++ran; }));
    std::thread stopper([&pool] { pool.stop(); });
    while (pool.enqueue([] {})) std::this_thread::yield();
    go = true;
    stopper.join();
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(held.use_count(), 1);
    pool.stop();
}

}  // namespace
}  // namespace warpath
