// The module under its hosts: threads, no threads, tasks that never run; configuration, state, health, its end.
#include <gtest/gtest.h>

#include <map>

#include "module/stage.h"
#include "support/fake_pathfinder.h"
#include "support/message_corpus.h"
#include "warpath/core/rng.h"

namespace warpath {
namespace {

using test::json;
using test::Stage;

std::string pathMessage(int id, Rng& rng) {
    const auto coordinate = [&] { return std::to_string(rng.below(32)) + ".5"; };
    const std::string x0 = coordinate(), y0 = coordinate(), x1 = coordinate(), y1 = coordinate();
    return R"({"type":"single_path","request_id":)" + std::to_string(id) + ",\"start\":[" + x0 + "," + y0 + "],\"goal\":[" + x1 + "," + y1 + "]}";
}

class EveryHost : public ::testing::TestWithParam<Stage::Host> {};

std::string hostName(const ::testing::TestParamInfo<Stage::Host>& tested) {
    switch (tested.param) {
        case Stage::Host::Sequential: return "Sequential";
        case Stage::Host::Threads: return "Threads";
        case Stage::Host::NeverRuns: return "NeverRuns";
        case Stage::Host::NoScheduler: return "NoScheduler";
    }
    return "Unknown";
}

INSTANTIATE_TEST_SUITE_P(Hosts, EveryHost,
                         ::testing::Values(Stage::Host::Sequential, Stage::Host::Threads, Stage::Host::NeverRuns, Stage::Host::NoScheduler), hostName);

TEST_P(EveryHost, AnswersEachRequestExactlyOnceAndAlike) {
    // The reference run: no scheduler at all.
    std::map<int, json> expected;
    for (const bool reference : {true, false}) {
        Stage stage({.host = reference ? Stage::Host::NoScheduler : GetParam()});
        Rng rng(11);
        int id = 0;
        for (int frame = 0; frame < 20; ++frame) {
            for (int i = 0; i < 10; ++i) stage.ask(pathMessage(id++, rng));
            if (frame % 5 == 0) stage.change(R"({"type":"set_terrain","rect":[)" + std::to_string(frame) + R"(,3,4,20],"terrain":"swamp"})");
            stage.tick();
        }
        stage.settle();
        stage.tick(3);
        ASSERT_EQ(stage.answers.size(), 200u);
        EXPECT_TRUE(stage.errors.empty());
        std::map<int, json> got;
        for (json& answer : stage.answers) {
            answer.erase("computation_time_ms");
            EXPECT_TRUE(got.emplace(answer["request_id"].get<int>(), answer).second);
        }
        if (reference) {
            expected = std::move(got);
        } else {
            EXPECT_EQ(got, expected);
        }
        const json health = stage.health();
        EXPECT_EQ(health["requests"], 200);
        EXPECT_EQ(health["answered"], 200);
        EXPECT_EQ(health["pending_tasks"], 0);
    }
}

TEST_P(EveryHost, MutatedMessagesNeverCrashAndHaveExactlyOneAnswerEach) {
    // 10^5 in all; each host takes a quarter, with its own seed.
    constexpr int kRounds = 250, kPerRound = 100;
    Stage stage({.host = GetParam(), .config = R"({"performance":{"max_paths_per_frame":0}})"});
    Rng rng(4242 + static_cast<std::uint64_t>(GetParam()));
    std::vector<std::string> corpus = test::requestCorpus();
    corpus.insert(corpus.end(), test::unsupportedCorpus().begin(), test::unsupportedCorpus().end());
    const auto pick = [&](const std::vector<std::string>& list) { return list[rng.below(static_cast<std::uint32_t>(list.size()))]; };
    for (int round = 0; round < kRounds; ++round) {
        std::map<std::string, int> owed;
        std::map<std::string, std::string> last;
        std::size_t errors_owed = 0, cancel_errors_allowed = 0;
        for (int i = 0; i < kPerRound; ++i) {
            const std::string id = rng.percent(50) ? std::to_string(i) : "\"r" + std::to_string(i) + "\"";
            const std::string text = test::spoiled(test::withId(pick(corpus), id), rng);
            const test::Expectation expectation = test::expectationOf(text);
            stage.ask(text);
            if (!expectation.id) {
                ++errors_owed;
            } else if (expectation.is_cancel) {
                ++cancel_errors_allowed;
            } else {
                ++owed[*expectation.id];
                last[*expectation.id] = text;
            }
            if (i % 10 == 0) stage.change(test::spoiled(pick(test::worldCorpus()), rng));
        }
        stage.settle();
        std::map<std::string, int> got;
        for (const json& answer : stage.answers) {
            ++got[answer["request_id"].dump()];
            EXPECT_TRUE(answer.contains("status"));
            if (answer["status"] == "invalid_argument") {
                EXPECT_TRUE(answer["error"]["field"].is_string());
            }
        }
        for (const auto& [id, count] : owed) ASSERT_EQ(got[id], count) << id << " in " << last[id];
        for (const auto& [id, count] : got) ASSERT_TRUE(owed.contains(id)) << id << " was answered " << count << " times and not asked for";
        std::size_t request_errors = 0;
        for (const json& error : stage.errors) request_errors += error["topic"] == "pathfinder/requests" ? 1 : 0;
        ASSERT_GE(request_errors, errors_owed);
        ASSERT_LE(request_errors, errors_owed + cancel_errors_allowed);
        stage.clear();
    }
    EXPECT_EQ(stage.health()["faults"], 0);
}

TEST_P(EveryHost, ShutdownAnswersWhatIsOpen) {
    Stage stage({.host = GetParam(), .config = R"({"performance":{"max_paths_per_frame":1}})"});
    Rng rng(5);
    for (int i = 0; i < 50; ++i) stage.ask(pathMessage(i, rng));
    stage.tick();
    stage.shutdown();
    std::map<int, int> got;
    for (const json& answer : stage.answers) ++got[answer["request_id"].get<int>()];
    EXPECT_EQ(got.size(), 50u);
    EXPECT_EQ(stage.answers.size(), 50u);
}

TEST_P(EveryHost, AFullQueueRejectsAndSaysSo) {
    Stage stage({.host = GetParam(), .config = R"({"performance":{"max_pending":5,"max_paths_per_frame":0}})"});
    Rng rng(6);
    for (int i = 0; i < 12; ++i) stage.ask(pathMessage(i, rng));
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 12u);
    int rejected = 0;
    for (const json& answer : stage.answers) {
        if (answer["status"] != "rejected") continue;
        ++rejected;
        EXPECT_EQ(answer["error"]["field"], "max_pending");
        EXPECT_GE(answer["request_id"], 5);
    }
    EXPECT_EQ(rejected, 7);
    EXPECT_EQ(stage.health()["rejected"], 7);
}

TEST(PathfinderModule, TwoInstancesShareNothing) {
    MessageBus bus_a, bus_b;
    SequentialModuleSystem a(bus_a), b(bus_b);
    auto game_a = bus_a.connect(), game_b = bus_b.connect();
    ASSERT_FALSE(game_a->subscribe("pathfinder/results"));
    ASSERT_FALSE(game_b->subscribe("pathfinder/results"));
    ASSERT_FALSE(a.registerModule("p", std::make_unique<PathfinderModule>(PathfinderModuleOptions{.world = test::smallWorld()}), *test::node("{}")));
    ASSERT_FALSE(b.registerModule("p", std::make_unique<PathfinderModule>(PathfinderModuleOptions{.world = test::smallWorld()}), *test::node("{}")));
    const std::string wall = R"({"type":"place_obstacle","rect":[0,8,32,1],"kind":"rock","height":2})";
    const std::string request = R"({"type":"single_path","request_id":1,"unit_id":1,"start":[1.5,1.5],"goal":[1.5,20.5]})";
    ASSERT_TRUE(game_a->publish("pathfinder/world", wall));
    ASSERT_TRUE(game_a->publish("pathfinder/requests", request));
    ASSERT_TRUE(game_b->publish("pathfinder/requests", request));
    for (int i = 0; i < 5; ++i) {
        ASSERT_FALSE(a.processModules(0.0));
        ASSERT_FALSE(b.processModules(0.0));
    }
    EXPECT_EQ(json::parse(game_a->pull()->payload)["status"], "unreachable");
    EXPECT_EQ(json::parse(game_b->pull()->payload)["status"], "found");
    EXPECT_FALSE(game_a->hasMessages());
    EXPECT_FALSE(game_b->hasMessages());
    EXPECT_EQ(json::parse(b.findModule("p")->getHealthStatus())["world_changes"], 0);
}

TEST(PathfinderModule, ProcessNeverWaitsForATask) {
    auto log = std::make_shared<test::FakeLog>();
    std::atomic<bool> go{false};
    log->while_searching = [&](const PathRequest&) {
        while (!go) std::this_thread::yield();
    };
    Stage stage({.host = Stage::Host::Threads, .config = R"({"pathfinder_impl":"fake"})", .module = {.registry = test::fakeRegistry(log)}});
    stage.ask(R"({"type":"single_path","request_id":1,"start":[1,1],"goal":[5,5]})");
    stage.tick();
    while (log->searches == 0) std::this_thread::yield();  // a worker is inside
    stage.tick(20);
    EXPECT_TRUE(stage.answers.empty());
    EXPECT_EQ(stage.health()["pending_tasks"], 1);
    EXPECT_EQ(stage.health()["running"], 1);
    stage.ask(R"({"type":"cancel","request_id":1})");
    stage.tick();
    ASSERT_EQ(stage.answers.size(), 1u);
    EXPECT_EQ(stage.answers[0]["status"], "cancelled");
    go = true;
    stage.tick(3);
    EXPECT_EQ(stage.answers.size(), 1u);
}

TEST(PathfinderModule, AtMostMaxPathsPerFrameAreComputedInOneFrame) {
    Stage stage({.host = Stage::Host::NoScheduler, .config = R"({"performance":{"max_paths_per_frame":2}})"});
    Rng rng(8);
    for (int i = 0; i < 9; ++i) stage.ask(pathMessage(i, rng));
    for (std::size_t expected : {2u, 4u, 6u, 8u, 9u}) {
        stage.tick();
        EXPECT_EQ(stage.answers.size(), expected);
    }
}

TEST(PathfinderModule, ARefusedConfigurationKeepsThePreviousOne) {
    Stage stage({.config = R"({"performance":{"max_paths_per_frame":2}})"});
    const std::string before = stage.module->getConfiguration();
    auto error = stage.system().reconfigureModule("pathfinder", *test::node(R"({"pathfinder_impl":"ml"})"));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->field, "pathfinder_impl");
    EXPECT_NE(error->remedy.find("classic"), std::string::npos);
    error = stage.system().reconfigureModule("pathfinder", *test::node(R"({"speed":"fast"})"));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->field, "speed");
    EXPECT_EQ(stage.module->getConfiguration(), before);
    stage.ask(R"({"type":"single_path","request_id":1,"start":[1,1],"goal":[5,5]})");
    stage.settle();
    EXPECT_EQ(stage.answers.at(0)["status"], "found");
}

TEST(PathfinderModule, ReconfiguringInTheMiddleOfWorkLosesNoRequest) {
    Stage stage({.config = R"({"performance":{"max_paths_per_frame":1}})"});
    Rng rng(9);
    for (int i = 0; i < 20; ++i) stage.ask(pathMessage(i, rng));
    stage.tick(2);
    ASSERT_FALSE(stage.system().reconfigureModule("pathfinder", *test::node(R"({"performance":{"async_pathfinding":false,"max_paths_per_frame":0}})")));
    stage.settle();
    EXPECT_EQ(stage.answers.size(), 20u);
}

TEST(PathfinderModule, WhenDisabledOrWithoutAWorldRequestsAreRejected) {
    Stage disabled({.config = R"({"enabled":false})"});
    disabled.ask(R"({"type":"single_path","request_id":1,"start":[1,1],"goal":[5,5]})");
    disabled.tick();
    EXPECT_EQ(disabled.answers.at(0)["status"], "rejected");
    EXPECT_EQ(disabled.answers.at(0)["error"]["field"], "enabled");
    EXPECT_EQ(disabled.health()["status"], "disabled");

    Stage empty({.with_world = false});
    empty.ask(R"({"type":"single_path","request_id":1,"start":[1,1],"goal":[5,5]})");
    empty.change(R"({"type":"remove_obstacle","rect":[1,1,1,1]})");
    empty.tick();
    EXPECT_EQ(empty.answers.at(0)["status"], "rejected");
    EXPECT_EQ(empty.answers.at(0)["error"]["field"], "world");
    EXPECT_EQ(empty.errors.at(0)["error"]["field"], "world");
    empty.module->setWorld(test::smallWorld());
    empty.ask(R"({"type":"single_path","request_id":2,"start":[1,1],"goal":[5,5]})");
    empty.settle();
    EXPECT_EQ(empty.answers.at(1)["status"], "found");
}

TEST(PathfinderModule, AGameInTheSameProcessTakesThePathAsAnObject) {
    Stage stage({.module = {.keep_answers = 2}});
    for (int i = 1; i <= 3; ++i) stage.ask(R"({"type":"single_path","start":[1,1],"goal":[5,5],"request_id":)" + std::to_string(i) + "}");
    stage.ask(R"({"type":"single_path","start":[1,1],"goal":[5,5],"request_id":"x"})");
    stage.settle();
    EXPECT_FALSE(stage.module->takePath(1));  // too old
    const auto path = stage.module->takePath("x");
    ASSERT_TRUE(path);
    EXPECT_EQ(path->status, PathStatus::Found);
    EXPECT_EQ(path->cells.size(), 5u);
    EXPECT_FALSE(stage.module->takePath("x"));  // taken
    EXPECT_FALSE(stage.module->takePath("3"));  // another id
    EXPECT_TRUE(stage.module->takePath(3));
    ASSERT_NE(stage.module->service(), nullptr);
    bool called = false;
    stage.module->service()->findPathAsync({.from = {1.5f, 1.5f}, .goal = Goal::point({5.5f, 5.5f})}, [&](const Path& p) { called = p.hasRoute(); });
    stage.settle();
    EXPECT_TRUE(called);
    EXPECT_EQ(stage.answers.size(), 4u);
}

TEST(PathfinderModule, HealthHasTheFiguresOfTheReferenceTrulyCounted) {
    Stage stage({.host = Stage::Host::NeverRuns});
    Rng rng(3);
    for (int i = 0; i < 6; ++i) stage.ask(pathMessage(i, rng));
    stage.tick();
    json health = stage.health();
    EXPECT_EQ(health["module"], "pathfinder");
    EXPECT_EQ(health["pathfinder_impl"], "classic");
    EXPECT_EQ(health["status"], "active");
    EXPECT_EQ(health["pending_tasks"], 6);
    EXPECT_EQ(health["waiting"], 6);
    EXPECT_EQ(health["world"]["width"], 32);
    stage.settle();
    health = stage.health();
    EXPECT_EQ(health["pending_tasks"], 0);
    EXPECT_EQ(health["computed"], 6);
    EXPECT_EQ(health["jobs"]["in_frame"], 6);
    EXPECT_EQ(health["jobs"]["workers_idle"], true);
}

TEST(PathfinderModule, StateIsTakenUpByAFreshInstance) {
    Stage first;
    first.change(test::worldCorpus()[8]);
    first.change(test::worldCorpus()[9]);
    first.tick(3);
    const std::string state = first.module->getState();
    Stage second;
    ASSERT_FALSE(second.module->setState(*test::node(state)));
    EXPECT_EQ(second.module->getState(), state);
    for (const char* bad : {"{}", "[]", R"({"version":2,"frame":1})", R"({"version":1,"frame":1,"enemies":[{"side":1}]})", R"({"version":1,"frame":-1})"}) {
        EXPECT_TRUE(second.module->setState(*test::node(bad))) << bad;
    }
    EXPECT_EQ(second.module->getState(), state);
}

TEST(PathfinderModule, BeforeItsConfigurationItDoesNothingAndSaysSo) {
    PathfinderModule module;
    module.process(*test::node("{}"));
    EXPECT_EQ(module.getConfiguration(), "{}");
    EXPECT_EQ(json::parse(module.getHealthStatus())["status"], "unconfigured");
    EXPECT_TRUE(module.setState(*test::node("{}")));
    EXPECT_FALSE(module.takePath(1));
    module.shutdown();
    module.shutdown();
}

}  // namespace
}  // namespace warpath
