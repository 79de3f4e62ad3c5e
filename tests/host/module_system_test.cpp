#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <thread>
#include <vector>

#include "host/echo_module.h"
#include "warpath/host/json_data_node.h"
#include "warpath/host/multithreaded_module_system.h"
#include "warpath/host/sequential_module_system.h"

namespace warpath {
namespace {

using test::EchoModule;

std::shared_ptr<const JsonDataNode> json(std::string_view text) {
    ParsedJson result = JsonDataNode::parse(text);
    EXPECT_FALSE(result.error) << result.error->text();
    return result.node;
}
std::shared_ptr<const JsonDataNode> prefix(const std::string& name) {
    return json(R"({"prefix":")" + name + R"("})");
}

std::vector<std::string> drain(IIO& io) {
    std::vector<std::string> payloads;
    while (auto message = io.pull()) payloads.push_back(message->payload);
    return payloads;
}
bool contains(const std::vector<std::string>& texts, const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

/// What both systems must do alike.
template <typename System>
class EveryModuleSystem : public testing::Test {
protected:
    std::optional<Error> add(const std::string& name) { return system.registerModule(name, std::make_unique<EchoModule>(), *prefix(name)); }
    /// Ticks until `count` answers on "<name>/out" have come.
    std::vector<std::string> answers(IIO& io, std::size_t count) {
        std::vector<std::string> all;
        for (int tick = 0; tick < 100000 && all.size() < count; ++tick) {
            EXPECT_FALSE(system.processModules(0.016));
            for (std::string& text : drain(io)) all.push_back(std::move(text));
            std::this_thread::yield();
        }
        return all;
    }

    MessageBus bus{QueueLimits{.max_messages = 100000}};
    System system{bus};
};

using Systems = testing::Types<MultithreadedModuleSystem, SequentialModuleSystem>;
TYPED_TEST_SUITE(EveryModuleSystem, Systems);

TYPED_TEST(EveryModuleSystem, AMessageComesBackThroughATask) {
    const auto game = this->bus.connect();
    EXPECT_FALSE(game->subscribe("echo/out"));
    ASSERT_FALSE(this->add("echo"));
    EXPECT_TRUE(game->publish("echo/in", R"({"request_id":1})"));
    EXPECT_EQ(this->answers(*game, 1), (std::vector<std::string>{R"({"request_id":1})"}));
    EXPECT_EQ(this->system.pendingTaskCount("echo"), 0u);
}

TYPED_TEST(EveryModuleSystem, EachRequestIsAnsweredExactlyOnce) {
    constexpr int kRequests = 20000;  // more than may be outstanding, so that the module computes some itself
    const auto game = this->bus.connect();
    EXPECT_FALSE(game->subscribe("echo/out"));
    ASSERT_FALSE(this->add("echo"));
    int sent = 0;
    std::vector<std::string> all;
    while (all.size() < kRequests) {
        for (int i = 0; i < 2500 && sent < kRequests; ++i) {
            if (game->publish("echo/in", std::to_string(sent))) ++sent;
        }
        EXPECT_FALSE(this->system.processModules(0.016));
        for (std::string& text : drain(*game)) all.push_back(std::move(text));
    }
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), std::size_t{kRequests});
    EXPECT_FALSE(this->system.processModules(0.016));
    EXPECT_TRUE(drain(*game).empty());
}

TYPED_TEST(EveryModuleSystem, AnExecutorThatThrowsGivesAFailedResultAndNothingElse) {
    const auto game = this->bus.connect();
    EXPECT_FALSE(game->subscribe("echo/out"));
    ASSERT_FALSE(this->add("echo"));
    EXPECT_TRUE(game->publish("echo/in", "throw"));
    EXPECT_TRUE(game->publish("echo/in", "after"));
    const auto texts = this->answers(*game, 2);
    EXPECT_TRUE(contains(texts, R"("failed: asked to")"));
    EXPECT_TRUE(contains(texts, "after"));
}

TYPED_TEST(EveryModuleSystem, TwoInstancesShareNothing) {
    const auto game = this->bus.connect();
    EXPECT_FALSE(game->subscribe("*/out"));
    ASSERT_FALSE(this->add("red"));
    ASSERT_FALSE(this->add("blue"));
    EXPECT_TRUE(game->publish("red/in", "throw"));
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(game->publish("blue/in", std::to_string(i)));
    EXPECT_EQ(this->answers(*game, 51).size(), 51u);
    EXPECT_EQ(this->system.findModule("red")->getState(), R"({"handled":1})");
    EXPECT_EQ(this->system.findModule("blue")->getState(), R"({"handled":50})");
    EXPECT_FALSE(this->system.removeModule("red"));
    EXPECT_TRUE(contains(drain(*game), R"("bye")"));
    EXPECT_TRUE(game->publish("blue/in", "still here"));
    EXPECT_EQ(this->answers(*game, 1), (std::vector<std::string>{"still here"}));
    EXPECT_EQ(this->system.moduleNames(), (std::vector<std::string>{"blue"}));
}

TYPED_TEST(EveryModuleSystem, ARefusedConfigurationKeepsThePreviousOne) {
    const auto game = this->bus.connect();
    EXPECT_FALSE(game->subscribe("*/out"));
    ASSERT_FALSE(this->add("one"));
    const auto error = this->system.reconfigureModule("one", *json(R"({"prefix":5})"));
    ASSERT_TRUE(error);
    EXPECT_EQ(*error, (Error{"prefix", "5", "give a string"}));
    EXPECT_EQ(this->system.findModule("one")->getConfiguration(), R"({"prefix":"one"})");
    EXPECT_TRUE(game->publish("one/in", "a"));
    EXPECT_EQ(this->answers(*game, 1), (std::vector<std::string>{"a"}));
    EXPECT_FALSE(this->system.reconfigureModule("one", *prefix("two")));
    EXPECT_TRUE(game->publish("two/in", "b"));
    EXPECT_EQ(this->answers(*game, 1), (std::vector<std::string>{"b"}));
}

TYPED_TEST(EveryModuleSystem, RegistrationRefusesWithAReasonAndChangesNothing) {
    ASSERT_FALSE(this->add("echo"));
    const auto config = prefix("x");
    EXPECT_EQ(this->system.registerModule("echo", std::make_unique<EchoModule>(), *config)->field, "name");
    EXPECT_EQ(this->system.registerModule("", std::make_unique<EchoModule>(), *config)->field, "name");
    EXPECT_EQ(this->system.registerModule("null", nullptr, *config)->field, "module");
    EXPECT_EQ(this->system.registerModule("bad", std::make_unique<EchoModule>(), *json("{}"))->field, "prefix");
    const auto thrown = json(R"({"prefix":"x","throw_in_configuration":true})");
    EXPECT_EQ(this->system.registerModule("throws", std::make_unique<EchoModule>(), *thrown)->field, "module");
    EXPECT_EQ(this->system.moduleNames(), (std::vector<std::string>{"echo"}));
    EXPECT_EQ(this->system.reconfigureModule("bad", *config)->field, "name");
    EXPECT_EQ(this->system.removeModule("bad")->field, "name");
    EXPECT_EQ(this->system.findModule("bad"), nullptr);
    EXPECT_EQ(this->system.pendingTaskCount("bad"), 0u);
}

TYPED_TEST(EveryModuleSystem, AModuleThatThrowsIsReportedAndTheOthersAreTicked) {
    const auto config = json(R"({"prefix":"x","throw_in_process":true})");
    ASSERT_FALSE(this->system.registerModule("bad", std::make_unique<EchoModule>(), *config));
    ASSERT_FALSE(this->add("good"));
    const auto error = this->system.processModules(0.5);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->field, "module");
    EXPECT_EQ(error->value, "bad");
    EXPECT_NE(error->remedy.find("process failed"), std::string::npos);
    EXPECT_EQ(static_cast<EchoModule*>(this->system.findModule("good"))->last_input, R"({"delta_time":0.5,"frame":0})");
}

TYPED_TEST(EveryModuleSystem, TicksCountUpAndRefuseATimeThatIsNone) {
    ASSERT_FALSE(this->add("echo"));
    auto* echo = static_cast<EchoModule*>(this->system.findModule("echo"));
    for (const double bad : {-1.0, std::nan(""), static_cast<double>(INFINITY)}) {
        EXPECT_EQ(this->system.processModules(bad)->field, "delta_seconds");
    }
    EXPECT_EQ(echo->last_input, "");
    EXPECT_FALSE(this->system.processModules(0.0));
    EXPECT_FALSE(this->system.processModules(0.25));
    EXPECT_EQ(echo->last_input, R"({"delta_time":0.25,"frame":1})");
}

TYPED_TEST(EveryModuleSystem, StateMovesToAFreshInstance) {
    const auto game = this->bus.connect();
    EXPECT_FALSE(game->subscribe("echo/out"));
    ASSERT_FALSE(this->add("echo"));
    EXPECT_TRUE(game->publish("echo/in", "a"));
    EXPECT_EQ(this->answers(*game, 1).size(), 1u);
    const std::string state = this->system.findModule("echo")->getState();
    EXPECT_FALSE(this->system.removeModule("echo"));
    ASSERT_FALSE(this->add("echo"));
    EXPECT_EQ(this->system.findModule("echo")->setState(*json("{}"))->field, "handled");
    EXPECT_FALSE(this->system.findModule("echo")->setState(*json(state)));
    EXPECT_EQ(this->system.findModule("echo")->getHealthStatus(), R"({"module":"echo","handled":1})");
}

TYPED_TEST(EveryModuleSystem, NothingHappensAfterShutdown) {
    const auto game = this->bus.connect();
    EXPECT_FALSE(game->subscribe("echo/out"));
    ASSERT_FALSE(this->add("echo"));
    this->system.shutdown();
    EXPECT_EQ(drain(*game), (std::vector<std::string>{R"("bye")"}));
    this->system.shutdown();
    EXPECT_TRUE(drain(*game).empty());
    EXPECT_EQ(this->add("late")->field, "system");
    EXPECT_EQ(this->system.processModules(0.0)->field, "system");
    EXPECT_TRUE(this->system.moduleNames().empty());
}

TEST(MultithreadedModuleSystem, ShutsDownCleanlyWhileEveryWorkerIsBusy) {
    for (int round = 0; round < 20; ++round) {
        MessageBus bus;
        const auto game = bus.connect();
        MultithreadedModuleSystem system(bus, {.threads = 2});
        for (const char* name : {"a", "b", "c"}) {
            ASSERT_FALSE(system.registerModule(name, std::make_unique<EchoModule>(), *prefix(name)));
            // More waiting jobs than workers; each runs until its own module shuts down.
            for (int i = 0; i < 5; ++i) EXPECT_TRUE(game->publish(std::string(name) + "/in", i % 2 ? "wait" : "quick"));
        }
        EXPECT_FALSE(system.processModules(0.016));
        if (round % 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (round % 3 == 0) system.shutdown();  // else the destructor does it
    }
}

TEST(MultithreadedModuleSystem, RemovingOneBusyModuleLeavesTheOthersRunning) {
    MessageBus bus;
    const auto game = bus.connect();
    EXPECT_FALSE(game->subscribe("b/out"));
    MultithreadedModuleSystem system(bus, {.threads = 1});
    for (const char* name : {"a", "b"}) ASSERT_FALSE(system.registerModule(name, std::make_unique<EchoModule>(), *prefix(name)));
    EXPECT_TRUE(game->publish("a/in", "wait"));
    EXPECT_TRUE(game->publish("b/in", "answer me"));
    EXPECT_FALSE(system.processModules(0.016));
    EXPECT_EQ(system.pendingTaskCount("a"), 1u);
    EXPECT_FALSE(system.processModules(0.016));
    EXPECT_TRUE(drain(*game).empty()) << "the only worker belongs to a";
    EXPECT_FALSE(system.removeModule("a"));
    std::vector<std::string> answers;
    while (answers.empty()) {
        EXPECT_FALSE(system.processModules(0.016));
        answers = drain(*game);
    }
    EXPECT_EQ(answers, (std::vector<std::string>{"answer me"}));
}

/// Everything that two modules and the game say, in order, over some ticks.
std::vector<Message> sequentialRun(const SequentialOptions& options) {
    MessageBus bus;
    const auto game = bus.connect();
    EXPECT_FALSE(game->subscribe("#"));
    SequentialModuleSystem system(bus, options);
    for (const char* name : {"a", "b"}) EXPECT_FALSE(system.registerModule(name, std::make_unique<EchoModule>(), *prefix(name)));
    std::vector<Message> said;
    for (int tick = 0; tick < 20; ++tick) {
        for (int i = 0; i < 3 && tick < 10; ++i) {
            EXPECT_TRUE(game->publish(i % 2 ? "a/in" : "b/in", i == tick % 5 ? "throw" : std::to_string(tick * 10 + i)));
        }
        EXPECT_FALSE(system.processModules(0.016));
        while (auto message = game->pull()) said.push_back(*std::move(message));
    }
    system.shutdown();
    while (auto message = game->pull()) said.push_back(*std::move(message));
    return said;
}

TEST(SequentialModuleSystem, TheSameCallsGiveTheSameOrderOfEverything) {
    for (const std::size_t limit : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
        const auto first = sequentialRun({.max_tasks_per_tick = limit});
        EXPECT_EQ(first, sequentialRun({.max_tasks_per_tick = limit}));
        EXPECT_EQ(first.size(), limit == 0 ? 32u : limit == 1 ? 30u + 19u + 2u : 62u);
    }
}

TEST(SequentialModuleSystem, AResultCanBeTakenInTheNextTickNeverEarlier) {
    MessageBus bus;
    const auto game = bus.connect();
    EXPECT_FALSE(game->subscribe("a/out"));
    SequentialModuleSystem system(bus);
    ASSERT_FALSE(system.registerModule("a", std::make_unique<EchoModule>(), *prefix("a")));
    EXPECT_TRUE(game->publish("a/in", "1"));
    EXPECT_FALSE(system.processModules(0.016));
    EXPECT_FALSE(game->hasMessages());
    EXPECT_FALSE(system.processModules(0.016));
    EXPECT_EQ(drain(*game), (std::vector<std::string>{"1"}));
}

TEST(SequentialModuleSystem, CanBeAHostThatNeverRunsTasksOrHasNoScheduler) {
    MessageBus bus;
    const auto game = bus.connect();
    EXPECT_FALSE(game->subscribe("*/out"));
    SequentialModuleSystem never(bus, {.max_tasks_per_tick = 0});
    ASSERT_FALSE(never.registerModule("never", std::make_unique<EchoModule>(), *prefix("never")));
    SequentialModuleSystem without(bus, {.offer_scheduler = false});
    ASSERT_FALSE(without.registerModule("without", std::make_unique<EchoModule>(), *prefix("without")));
    EXPECT_TRUE(game->publish("never/in", "1"));
    EXPECT_TRUE(game->publish("without/in", "2"));
    for (int tick = 0; tick < 3; ++tick) {
        EXPECT_FALSE(never.processModules(0.016));
        EXPECT_FALSE(without.processModules(0.016));
    }
    EXPECT_EQ(drain(*game), (std::vector<std::string>{"2"})) << "the toy waits for ever where the path module computes itself";
    EXPECT_EQ(never.pendingTaskCount("never"), 1u);
    EXPECT_EQ(without.pendingTaskCount("without"), 0u);
}

}  // namespace
}  // namespace warpath
