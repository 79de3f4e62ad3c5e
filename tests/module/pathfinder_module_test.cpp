// The module under its hosts: threads, no threads, tasks that never run; configuration, state, health, its end.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include "module/stage.h"
#include "support/fake_pathfinder.h"
#include "support/message_corpus.h"
#include "support/test_paths.h"
#include "warpath/core/rng.h"
#include "warpath/io/map_file.h"

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
            for (const char* time : {"computation_time_ms", "last_validation_frame"}) answer.erase(time);
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
    const std::vector<std::string>& corpus = test::requestCorpus();
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
            if (answer["topic"] == "pathfinder/invalidated") continue;  // an event of a watched route
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

TEST(PathfinderModule, TheConfigurationIsToldWithEveryDefaultAndGivesTheSameOneBack) {
    std::ifstream file(sourceRoot() + "config/gameconfig.json");
    const std::string shipped{std::istreambuf_iterator<char>(file), {}};
    Stage stage({.config = shipped});
    const std::string told = stage.module->getConfiguration();
    const json section = json::parse(shipped)["modules"]["pathfinding"];
    json tree = json::parse(told);
    tree.erase("rules");
    json expected = section;
    expected.erase("rules");
    expected["metrics"] = json::array();
    tree["metrics"] = json::array();
    EXPECT_EQ(tree, expected);
    ASSERT_FALSE(stage.system().reconfigureModule("pathfinder", *test::node(told)));
    EXPECT_EQ(stage.module->getConfiguration(), told);

    const std::string changed = R"({"frequency":30,"tactical":{"threat_map_resolution":4},"rules":{"terrain_types":[{"name":"mud","multiplier":4}],"unit_classes":[{"name":"tracked","multipliers":{"mud":2.5}}]}})";
    ASSERT_FALSE(stage.system().reconfigureModule("pathfinder", *test::node(changed)));
    const std::string again = stage.module->getConfiguration();
    EXPECT_EQ(json::parse(again)["frequency"], 30);
    ASSERT_FALSE(stage.system().reconfigureModule("pathfinder", *test::node(again)));
    EXPECT_EQ(stage.module->getConfiguration(), again);
}

TEST(PathfinderModule, RulesOfTheConfigurationAreGivenToTheWorld) {
    Stage stage({.config = R"({"rules":{"terrain_types":[{"name":"mud","multiplier":4}]}})"});
    stage.change(R"({"type":"set_terrain","rect":[2,2,3,3],"terrain":"mud"})");
    stage.tick();
    EXPECT_TRUE(stage.errors.empty());
    EXPECT_TRUE(stage.module->world()->snapshot().rules().terrainByName("mud"));
    // Rules without mud would leave cells without a type.
    const auto error = stage.system().reconfigureModule("pathfinder", *test::node("{}"));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->field, "rules.terrain_types");
    EXPECT_TRUE(stage.module->world()->snapshot().rules().terrainByName("mud"));
}

TEST(PathfinderModule, RulesThatTheGameGaveItsWorldAreLeftAlone) {
    WorldRules rules = WorldRules::reference();
    rules.unit_classes[0].speed = 9.0f;
    auto world = std::make_shared<World>(WorldConfig{.width = 32, .height = 32, .rules = rules});
    Stage stage({.module = {.world = world}});
    EXPECT_EQ(world->snapshot().rules().unit_classes[0].speed, 9.0f);
}

TEST(PathfinderModule, EnemiesAreAvoidedFromTheFrameThatTellsOfThem) {
    auto world = std::make_shared<World>(WorldConfig{.width = 64, .height = 64});
    Stage stage({.module = {.world = world}});
    const auto ask = [&](int id, int side) {
        stage.ask(R"({"type":"single_path","start":[2.5,32.5],"goal":[61.5,32.5],"constraints":{"doctrine":"stealth"},"request_id":)" + std::to_string(id) +
                  R"(,"side":)" + std::to_string(side) + "}");
    };
    ask(1, 1);
    stage.settle();
    stage.change(R"({"type":"enemies","side":1,"enemies":[{"id":4,"position":[32,32],"range":24,"firepower":2}]})");
    ask(2, 1);
    ask(3, 0);
    stage.settle();
    stage.change(R"({"type":"enemies","side":1,"enemies":[]})");
    ask(4, 1);
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 4u);
    EXPECT_EQ(stage.answers[0]["threat_level"], 0.0);
    EXPECT_GT(stage.answers[1]["threat_level"], 0.0);
    EXPECT_GT(stage.answers[1]["length"], stage.answers[0]["length"].get<double>() + 5.0);
    EXPECT_EQ(stage.answers[2]["threat_level"], 0.0);  // another side has nothing to fear
    EXPECT_EQ(stage.answers[3]["cost"], stage.answers[0]["cost"]);
    EXPECT_EQ(stage.health()["threat"]["settled"], true);
}

TEST(PathfinderModule, AWallTakesThreatAwayAtTheNextUpdate) {
    auto world = std::make_shared<World>(WorldConfig{.width = 64, .height = 64});
    Stage stage({.config = R"({"frequency":10,"tactical":{"threat_update_interval":1}})", .module = {.world = world}});
    ASSERT_FALSE(stage.module->setEnemies(0, {{.id = 1, .position = {20.0f, 32.0f}, .range = 30.0f, .firepower = 1.0f}}));
    ASSERT_TRUE(stage.module->setEnemies(0, {{.id = 1, .position = {20.0f, 32.0f}, .range = -1.0f, .firepower = 1.0f}}));
    stage.tick();
    const float before = world->snapshot().threatAt(0, {35, 32});
    EXPECT_GT(before, 0.2f);
    stage.change(R"({"type":"place_obstacle","rect":[28,16,2,32],"kind":"building","height":8})");
    stage.tick(12);
    EXPECT_LT(world->snapshot().threatAt(0, {35, 32}), before * 0.5f);
}

TEST(PathfinderModule, WithoutAThreatMapEnemiesThreatenNobody) {
    auto world = std::make_shared<World>(WorldConfig{.width = 64, .height = 64});
    Stage stage({.config = R"({"tactical":{"update_threat_map":false}})", .module = {.world = world}});
    ASSERT_FALSE(stage.module->setEnemies(0, {{.id = 1, .position = {20.0f, 32.0f}, .range = 30.0f, .firepower = 1.0f}}));
    stage.tick(3);
    EXPECT_EQ(world->snapshot().threatAt(0, {22, 32}), 0.0f);
    ASSERT_FALSE(stage.system().reconfigureModule("pathfinder", *test::node("{}")));
    stage.tick(3);
    EXPECT_GT(world->snapshot().threatAt(0, {22, 32}), 0.5f);
    ASSERT_FALSE(stage.system().reconfigureModule("pathfinder", *test::node(R"({"tactical":{"update_threat_map":false}})")));
    stage.tick(3);
    EXPECT_EQ(world->snapshot().threatAt(0, {22, 32}), 0.0f);
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
    EXPECT_FALSE(empty.module->setWorld(test::smallWorld()));
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

TEST(PathfinderModule, TheConfigurationCapsTheTilesOfTheModulesOwnStoreAlone) {
    const auto askEverywhere = [](Stage& stage) {
        for (int i = 0; i < 30; ++i) {
            const std::string y = std::to_string(20 + 16 * i) + ".5";
            stage.ask(R"({"type":"single_path","request_id":)" + std::to_string(i) + R"(,"start":[2.5,)" + y + R"(],"goal":[509.5,)" + y + "]}");
            stage.settle();
        }
        return stage.health()["tiles"]["bytes"].get<std::size_t>();
    };
    const auto wide = [] { return std::make_shared<World>(WorldConfig{.width = 512, .height = 512}); };
    const std::string small = R"({"performance":{"tile_megabytes":1},"algorithms":{"astar":{"max_distance":5000}}})";
    constexpr std::size_t kMegabyte = std::size_t{1} << 20;
    Stage capped({.config = small, .module = {.world = wide()}, .with_world = false});
    EXPECT_LE(askEverywhere(capped), kMegabyte + 64 * 1024);
    Stage free({.config = R"({"algorithms":{"astar":{"max_distance":5000}}})", .module = {.world = wide()}, .with_world = false});
    EXPECT_GT(askEverywhere(free), kMegabyte + 64 * 1024);
    Stage given({.config = small, .module = {.world = wide(), .tiles = std::make_shared<TileStore>()}, .with_world = false});
    EXPECT_GT(askEverywhere(given), kMegabyte + 64 * 1024) << "the host's own store keeps its cap";
}

TEST(PathfinderModule, EqualRequestsAreAnsweredFromThePathCacheUntilTheWorldChanges) {
    const std::string ask = R"({"type":"single_path","request_id":1,"start":[1.5,1.5],"goal":[28.5,20.5]})";
    Stage stage;
    for (int i = 0; i < 3; ++i) {
        stage.ask(ask);
        stage.settle();
    }
    json cache = stage.health()["path_cache"];
    EXPECT_EQ(cache["hits"], 2);
    EXPECT_EQ(cache["misses"], 1);
    EXPECT_EQ(cache["paths"], 1);
    EXPECT_GT(cache["bytes"], 500);
    json first = stage.answers[0], last = stage.answers[2];
    EXPECT_LT(first["last_validation_frame"], last["last_validation_frame"]);
    for (json* answer : {&first, &last}) {
        for (const char* time : {"computation_time_ms", "last_validation_frame"}) answer->erase(time);
    }
    EXPECT_EQ(first, last);
    stage.change(R"({"type":"place_obstacle","rect":[16,3,1,1],"kind":"wall"})");
    stage.ask(ask);
    stage.settle();
    EXPECT_GT(stage.answers[3]["cost"], first["cost"]);
    EXPECT_EQ(stage.health()["path_cache"]["stale"], 1);

    Stage without({.config = R"({"performance":{"cache_paths":false}})"});
    for (int i = 0; i < 2; ++i) {
        without.ask(ask);
        without.settle();
    }
    EXPECT_EQ(without.health()["path_cache"]["hits"], 0);
}

TEST(PathfinderModule, ALongRouteWithAPreviewIsAnsweredTwiceUnderItsId) {
    auto world = std::make_shared<World>(WorldConfig{.width = 512, .height = 320});
    world->edit([](WorldEdit& e) {
        for (int i = 0; i < 6; ++i) e.placeObstacle({70 + 60 * i, i % 2 == 0 ? 0 : 40, 2, 280}, ObstacleKind::Wall, 3.0f);
    });
    Stage stage({.config = R"({"performance":{"async_pathfinding":false,"work_per_frame":1}})", .module = {.world = world}});
    stage.ask(R"({"type":"single_path","request_id":"long","unit_id":4,"start":[5.5,5.5],"goal":[500.5,300.5],"preview":true})");
    stage.ask(R"({"type":"single_path","request_id":"near","start":[5.5,5.5],"goal":[40.5,30.5],"preview":true})");
    stage.ask(R"({"type":"subscribe_route","request_id":"sub","target_id":"long"})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 4u);
    const json& first = stage.answers[0];
    EXPECT_EQ(first["request_id"], "long");
    EXPECT_EQ(first["unit_id"], 4);
    EXPECT_EQ(first["interim"], true);
    EXPECT_EQ(first["status"], "partial");
    EXPECT_GT(first["remaining_distance"], 100.0);
    EXPECT_GE(first["length"], 127.0);
    EXPECT_EQ(stage.answers[1]["request_id"], "near");
    EXPECT_FALSE(stage.answers[1].contains("interim"));
    const json& last = stage.answers[2];
    EXPECT_EQ(last["request_id"], "long");
    EXPECT_FALSE(last.contains("interim"));
    EXPECT_EQ(last["status"], "found");
    EXPECT_EQ(last["path"][0], first["path"][0]);
    EXPECT_GT(last["length"], first["length"]);
    EXPECT_EQ(stage.answers[3]["request_id"], "sub") << "what is watched is the final route";
    EXPECT_EQ(stage.answers[3]["status"], "found");
    EXPECT_EQ(stage.health()["interim"], 1);
    EXPECT_EQ(stage.health()["answered"], 3);
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

TEST(PathfinderModule, AMapOfLettersKeepsItsCostsUnderAConfigurationWithRules) {
    const auto costs = std::get<LetterCosts>(parseLetterCosts("a 1\nb 5\n", "c"));
    const std::string map = "type octile\nheight 3\nwidth 6\nmap\naabbaa\naabbaa\naabbaa\n";
    const std::string config = R"({"rules":{"road_costs":{"avoid":9},"unit_classes":[{"name":"infantry","speed":3,"multipliers":{"grass":7}}],
        "terrain_types":[{"name":"mud","multiplier":4}]}})";
    std::shared_ptr<World> world = std::get<std::unique_ptr<World>>(parseMap(map, "m", {.model = MapModel::Costs, .costs = costs}));
    Stage stage({.config = config, .module = {.world = world}});
    const WorldRules& rules = world->snapshot().rules();
    EXPECT_EQ(rules.terrain_types.size(), 2u);
    EXPECT_EQ(rules.unit_classes[0].multipliers, (std::vector<float>{1.0f, 5.0f}));
    EXPECT_EQ(rules.unit_classes[0].speed, 3.0f);
    EXPECT_EQ(rules.roads.avoid, 9.0f);
    stage.ask(R"({"type":"single_path","request_id":1,"start":[0.5,1.5],"goal":[5.5,1.5]})");
    stage.settle();
    EXPECT_EQ(stage.answers[0]["cost"], 13.0);
    EXPECT_FALSE(stage.system().reconfigureModule("pathfinder", *test::node("{}")));
    EXPECT_EQ(world->snapshot().rules().unit_classes[0].multipliers, (std::vector<float>{1.0f, 5.0f}));
}

TEST(PathfinderModule, RulesWhoseTerrainIsNotTheWorldsAreRefused) {
    WorldRules other = WorldRules::reference();
    std::swap(other.terrain_types[0].name, other.terrain_types[3].name);
    auto world = std::make_shared<World>(WorldConfig{.width = 8, .height = 8, .rules = other});
    Stage stage({.module = {.world = world}});
    const auto error = stage.system().reconfigureModule("pathfinder", *test::node(R"({"rules":{"road_costs":{"avoid":9}}})"));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->field, "rules.terrain_types");
    EXPECT_NE(error->remedy.find("\"swamp\""), std::string::npos) << error->text();
    EXPECT_EQ(world->snapshot().rules().terrain_types[0].name, "swamp");
}

TEST(PathfinderModule, MetricsOfTheConfigurationAreRegisteredAndPreparedByTheHostsWorkers) {
    Stage stage({.config = R"({"metrics":[{"unit_type":"tank_heavy","unit_radius":1.5},{"doctrine":"stealth"}]})"});
    for (int i = 0; i < 5; ++i) stage.tick();
    EXPECT_EQ(stage.health()["metrics"], 2);
    EXPECT_EQ(stage.health()["jobs"]["preparations"], 1);
    stage.change(R"({"type":"place_obstacle","rect":[5,5,2,2],"kind":"wall"})");
    for (int i = 0; i < 5; ++i) stage.tick();
    EXPECT_EQ(stage.health()["jobs"]["preparations"], 2);
    EXPECT_FALSE(stage.system().reconfigureModule("pathfinder", *test::node("{}")));
    EXPECT_EQ(stage.health()["metrics"], 0);
}

TEST(PathfinderModule, WhatAMultiPathDoesNotSayComesFromTheConfiguration) {
    Stage stage({.config = R"({"routes":{"max_paths":1,"score":{"balanced":{"threat":0,"distance":-1,"cover":0,"time":0}}}})"});
    stage.ask(R"({"type":"multi_path","request_id":1,"start":[1.5,1.5],"goal":[12.5,28.5]})");
    stage.settle();
    EXPECT_EQ(stage.answers[0]["path_count"], 1);
    EXPECT_EQ(stage.answers[0]["max_paths"], 1);
    EXPECT_EQ(stage.answers[0]["paths"][0]["score"], -1.0);
}

}  // namespace
}  // namespace warpath
