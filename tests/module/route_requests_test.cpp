// subscribe_route and the events of routes.
#include <gtest/gtest.h>

#include <algorithm>

#include "module/stage.h"
#include "warpath/core/rng.h"

namespace warpath {
namespace {

using test::json;
using test::Stage;

/// A stage that knows routes and their events.
struct Routes : Stage {
    using Stage::Stage;

    static std::string path(const std::string& id, const std::string& from, const std::string& to, const std::string& more = "") {
        return R"({"type":"single_path","request_id":)" + id + R"(,"start":)" + from + R"(,"goal":)" + to + more + "}";
    }
    static std::string subscription(const std::string& id, const std::string& target, const std::string& more = "") {
        return R"({"type":"subscribe_route","request_id":)" + id + R"(,"target_id":)" + target + more + "}";
    }
    /// Changes the world and gives the events of that frame.
    std::vector<json> after(const std::string& text) {
        clear();
        change(text);
        tick();
        EXPECT_TRUE(errors.empty());
        return events();
    }
    [[nodiscard]] std::vector<json> events() const {
        std::vector<json> out;
        for (const json& answer : answers) {
            if (answer["topic"] == "pathfinder/invalidated") out.push_back(answer);
        }
        return out;
    }
    [[nodiscard]] json answerTo(const json& id) const {
        for (const json& answer : answers) {
            if (answer["topic"] != "pathfinder/invalidated" && answer["request_id"] == id) return answer;
        }
        return {};
    }
};

constexpr const char* kPlain = R"(,"constraints":{"threat_weight":0,"cover_weight":0,"exposure_weight":0})";

TEST(RouteRequests, ABlockedRouteIsToldOnceInTheFrameOfTheChangeAndOthersAreNot) {
    Routes stage;
    stage.ask(Routes::path("1", "[2.5,10.5]", "[12.25,10.5]", kPlain));
    stage.ask(Routes::path("\"far\"", "[20.5,10.5]", "[30.5,10.5]", kPlain));
    stage.ask(Routes::path("3", "[2.5,10.5]", "[12.25,10.5]", kPlain));  // nobody watches it
    stage.ask(Routes::subscription("10", "1"));
    stage.ask(Routes::subscription("11", "\"far\""));
    stage.ask(Routes::subscription("\"also\"", "1"));
    stage.settle();
    EXPECT_TRUE(stage.events().empty());
    const json answer = stage.answerTo(10);
    EXPECT_EQ(answer["topic"], "pathfinder/results");
    EXPECT_EQ(answer["task_type"], "subscription");
    EXPECT_EQ(answer["status"], "found");
    EXPECT_EQ(answer["target_id"], 1);
    EXPECT_EQ(stage.answerTo(11)["target_id"], "far");
    EXPECT_EQ(stage.answerTo("also")["status"], "found");
    EXPECT_EQ(stage.health()["routes_watched"], 2);

    const auto events = stage.after(R"({"type":"place_obstacle","rect":[7,10,1,1],"kind":"rock","height":2})");
    ASSERT_EQ(events.size(), 1u) << "one for the route, however many subscribe";
    EXPECT_EQ(events[0]["request_id"], 1);
    EXPECT_EQ(events[0]["kind"], "blocked");
    EXPECT_EQ(events[0]["first_bad"], 1) << "a straight route: its second waypoint cannot be come to";
    EXPECT_EQ(events[0]["first_bad_position"], json::parse("[7.5,10.5]"));
    EXPECT_EQ(events[0]["revision"], stage.module->world()->snapshot().revision());
    EXPECT_FALSE(events[0].contains("percent"));
    EXPECT_TRUE(stage.after(R"({"type":"place_obstacle","rect":[8,10,1,1],"kind":"rock","height":2})").empty()) << "told already";
    const auto again = stage.after(R"({"type":"remove_obstacle","rect":[7,10,2,1]})");
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again[0]["kind"], "may_improve");
}

TEST(RouteRequests, TheFirstBadWaypointCountsThoseOfTheAnswer) {
    Routes stage;
    stage.ask(Routes::path("1", "[10.5,20.5]", "[22.5,20.5]"));
    stage.ask(Routes::subscription("2", "1"));
    stage.settle();
    const json path = stage.answerTo(1)["path"];
    ASSERT_GE(path.size(), 4u);
    const auto events = stage.after(R"({"type":"place_obstacle","rect":[16,0,1,4],"kind":"wall","height":2})");
    ASSERT_EQ(events.size(), 1u);
    const auto bad = events[0]["first_bad"].get<std::size_t>();
    ASSERT_LT(bad, path.size());
    ASSERT_GE(bad, 1u);
    EXPECT_LT(path[bad - 1]["x"], 16.0);
    EXPECT_GT(path[bad]["x"], 16.0) << "the leg that crosses the gap";
}

TEST(RouteRequests, ADearerRouteIsToldWithItsShareAndAFallenWallMayImproveOne) {
    Routes stage;
    stage.ask(Routes::path("1", "[2.5,20.5]", "[12.5,20.5]", kPlain));
    stage.ask(Routes::path("2", "[10.5,8.5]", "[22.5,8.5]", kPlain));
    stage.ask(Routes::subscription("3", "1"));
    stage.ask(Routes::subscription("4", "2"));
    stage.settle();
    const double before = stage.answerTo(1)["cost"].get<double>();
    auto events = stage.after(R"({"type":"set_terrain","rect":[5,18,2,5],"terrain":"swamp"})");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0]["request_id"], 1);
    EXPECT_EQ(events[0]["kind"], "dearer");
    EXPECT_NEAR(events[0]["percent"].get<double>(), (events[0]["cost"].get<double>() - before) * 100.0 / before, 1e-9);
    EXPECT_GT(events[0]["percent"], 5.0);
    EXPECT_FALSE(events[0].contains("first_bad"));
    events = stage.after(R"({"type":"remove_obstacle","rect":[16,8,1,1]})");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0]["request_id"], 2);
    EXPECT_EQ(events[0]["kind"], "may_improve");
}

TEST(RouteRequests, W039_after_a_change_a_new_query_reflects_it_and_the_subscriber_gets_one_event) {
    Routes stage;
    stage.ask(Routes::path("1", "[2.5,10.5]", "[12.5,10.5]", kPlain));
    stage.ask(Routes::subscription("2", "1"));
    stage.settle();
    stage.clear();
    stage.change(R"({"type":"place_obstacle","rect":[7,10,1,1],"kind":"rock","height":2})");
    stage.ask(Routes::path("3", "[2.5,10.5]", "[12.5,10.5]"));
    stage.settle();
    stage.tick(5);
    EXPECT_EQ(stage.events().size(), 1u);
    const json fresh = stage.answerTo(3);
    EXPECT_EQ(fresh["status"], "found");
    EXPECT_GT(fresh["length"], 10.0) << "around the rock";
    EXPECT_EQ(fresh["revision"], stage.events()[0]["revision"]);
}

TEST(RouteRequests, ARouteThatWasBlockedBeforeItsSubscriptionIsToldAtOnce) {
    Routes stage;
    stage.ask(Routes::path("1", "[2.5,10.5]", "[12.5,10.5]", kPlain));
    stage.ask(Routes::path("2", "[2.5,20.5]", "[12.5,20.5]", kPlain));
    stage.settle();
    stage.change(R"({"type":"place_obstacle","rect":[7,10,1,1],"kind":"rock","height":2})");
    stage.change(R"({"type":"set_terrain","rect":[5,18,2,5],"terrain":"swamp"})");
    stage.tick();
    stage.clear();
    stage.ask(Routes::subscription("3", "1"));
    stage.ask(Routes::subscription("4", "2"));
    stage.tick();
    ASSERT_EQ(stage.answers.size(), 4u);
    EXPECT_EQ(stage.answers[0]["request_id"], 3) << "first the subscription's answer";
    ASSERT_EQ(stage.events().size(), 2u);
    EXPECT_EQ(stage.events()[0]["request_id"], 1);
    EXPECT_EQ(stage.events()[0]["kind"], "blocked");
    EXPECT_EQ(stage.events()[1]["request_id"], 2);
    EXPECT_EQ(stage.events()[1]["kind"], "dearer");
    EXPECT_TRUE(stage.after(R"({"type":"focus","positions":[]})").empty());
}

TEST(RouteRequests, RoutesOfEveryKindAreWatchedAtTheCostTheyWereFoundWith) {
    Routes stage;
    stage.change(R"({"type":"set_terrain","rect":[3,3,6,12],"terrain":"swamp"})");
    stage.change(R"({"type":"set_terrain","rect":[0,20,16,1],"terrain":"road"})");
    stage.change(R"({"type":"set_elevation","rect":[20,5,5,9],"elevation":1.5})");
    stage.change(R"({"type":"congestion","cells":[[4,20,3],[5,20,3],[6,20,3]]})");
    stage.change(R"({"type":"enemies","side":2,"enemies":[{"id":1,"position":[8.5,12.5],"range":14,"firepower":1}]})");
    stage.tick(10);
    stage.clear();
    Rng rng(39);
    const auto at = [&] { return "[" + std::to_string(rng.below(31)) + ".5," + std::to_string(rng.below(31)) + ".5]"; };
    const char* const types[] = {"single_path", "cover_path", "multi_path"};
    const char* const doctrines[] = {"aggressive", "balanced", "cautious", "stealth"};
    const char* const rest[] = {"", R"(,"unit_radius":0.9)", R"(,"wall_distance":3,"wall_weight":4)", R"(,"unit_type":"tank_light")", R"(,"prefer_roads":true)"};
    for (int i = 0; i < 200; ++i) {
        const std::string id = std::to_string(i);
        stage.ask(R"({"type":")" + std::string(types[rng.below(3)]) + R"(","request_id":)" + id + R"(,"side":2,"allow_partial":true,"start":)" + at() + R"(,"goal":)" + at() +
                  R"(,"weight":)" + (rng.percent(30) ? "2.5" : "1") + R"(,"constraints":{"doctrine":")" + doctrines[rng.below(4)] + "\"" + rest[rng.below(5)] + "}}");
        stage.ask(Routes::subscription(std::to_string(1000 + i), id));
    }
    stage.settle();
    stage.tick(3);
    EXPECT_TRUE(stage.events().empty()) << stage.events()[0];
    EXPECT_GT(stage.health()["routes_watched"], 100);
    for (const json& answer : stage.answers) EXPECT_NE(answer["status"], "invalid_argument") << answer;
}

TEST(RouteRequests, ThreatConcernsTheRoutesThatPriceIt) {
    Routes stage;
    stage.ask(Routes::path("1", "[2.5,10.5]", "[12.5,10.5]", R"(,"side":2,"constraints":{"doctrine":"cautious"})"));
    stage.ask(Routes::path("2", "[2.5,10.5]", "[12.5,10.5]", R"(,"side":1,"constraints":{"doctrine":"cautious"})"));
    stage.ask(Routes::path("3", "[2.5,10.5]", "[12.5,10.5]", std::string(R"(,"side":2)") + kPlain));
    for (int i = 1; i <= 3; ++i) stage.ask(Routes::subscription(std::to_string(10 + i), std::to_string(i)));
    stage.settle();
    stage.clear();
    stage.change(R"({"type":"enemies","side":2,"enemies":[{"id":1,"position":[8.5,12.5],"range":10,"firepower":1}]})");
    stage.tick(10);
    ASSERT_EQ(stage.events().size(), 1u);
    EXPECT_EQ(stage.events()[0]["request_id"], 1);
    EXPECT_EQ(stage.events()[0]["kind"], "dearer");
}

TEST(RouteRequests, EditsOfTheGameItselfCountToo) {
    Routes stage;
    stage.ask(Routes::path("1", "[2.5,10.5]", "[12.5,10.5]", kPlain));
    stage.ask(Routes::subscription("2", "1"));
    stage.settle();
    stage.clear();
    stage.module->world()->edit([](WorldEdit& e) { e.placeObstacle({7, 10, 1, 1}, ObstacleKind::Rock, 2.0f); });
    stage.module->world()->edit([](WorldEdit& e) { e.setTerrain({28, 28, 1, 1}, Terrain::Forest); });
    stage.tick();
    ASSERT_EQ(stage.events().size(), 1u);
    EXPECT_EQ(stage.events()[0]["kind"], "blocked");
}

TEST(RouteRequests, ACancelledSubscriptionIsSilentAndTheOthersGoOn) {
    Routes stage;
    stage.ask(Routes::path("1", "[2.5,10.5]", "[12.5,10.5]", kPlain));
    stage.ask(Routes::subscription("2", "1"));
    stage.ask(Routes::subscription("3", "1"));
    stage.settle();
    stage.ask(R"({"type":"cancel","request_id":2})");
    stage.tick();
    EXPECT_EQ(stage.health()["routes_watched"], 1);
    EXPECT_EQ(stage.after(R"({"type":"place_obstacle","rect":[7,10,1,1],"kind":"rock","height":2})").size(), 1u);
    stage.ask(R"({"type":"cancel","request_id":3})");
    stage.tick();
    EXPECT_EQ(stage.health()["routes_watched"], 0);
    EXPECT_EQ(stage.health()["unknown_cancels"], 0);
    EXPECT_TRUE(stage.after(R"({"type":"remove_obstacle","rect":[7,10,1,1]})").empty());
    EXPECT_TRUE(stage.answers.empty());
}

TEST(RouteRequests, ASubscriptionWaitsForItsRouteAndEndsAsThatDoes) {
    Routes stage(Stage::Options{.host = Stage::Host::NeverRuns});
    stage.ask(Routes::path("1", "[2.5,10.5]", "[12.5,10.5]", kPlain));
    stage.ask(Routes::path("2", "[2.5,10.5]", "[29.5,29.5]"));
    stage.ask(Routes::path("3", "[2.5,10.5]", "[12.5,10.5]"));
    for (int i = 1; i <= 3; ++i) stage.ask(Routes::subscription(std::to_string(10 + i), std::to_string(i)));
    stage.ask(Routes::subscription("14", "1"));
    stage.tick();
    EXPECT_EQ(stage.health()["pending_tasks"], 7);
    EXPECT_TRUE(stage.answers.empty());
    stage.ask(R"({"type":"cancel","request_id":3})");
    stage.ask(R"({"type":"cancel","request_id":14})");
    stage.settle();
    EXPECT_EQ(stage.answers.size(), 7u);
    EXPECT_EQ(stage.answerTo(11)["status"], "found");
    EXPECT_EQ(stage.answerTo(12)["status"], "unreachable");
    EXPECT_EQ(stage.answerTo(13)["status"], "cancelled");
    EXPECT_EQ(stage.answerTo(14)["status"], "cancelled");
    const json health = stage.health();
    EXPECT_EQ(health["requests"], 7);
    EXPECT_EQ(health["answered"], 7);
    EXPECT_EQ(health["routes_watched"], 1);
}

TEST(RouteRequests, ShutdownAnswersSubscriptionsThatWait) {
    Routes stage(Stage::Options{.host = Stage::Host::NeverRuns});
    stage.ask(Routes::path("5", "[2.5,10.5]", "[12.5,10.5]"));
    stage.ask(Routes::subscription("15", "5"));
    stage.tick();
    EXPECT_TRUE(stage.answers.empty());
    stage.shutdown();
    EXPECT_EQ(stage.answers.size(), 2u);
    EXPECT_EQ(stage.answerTo(5)["status"], "cancelled");
    EXPECT_EQ(stage.answerTo(15)["status"], "cancelled");
}

TEST(RouteRequests, OfSeveralRoutesOneIsChosenByItsIndexAndCoverPathsAreRoutesToo) {
    Routes stage;
    stage.ask(R"({"type":"multi_path","request_id":"ways","start":[1.5,16.5],"goal":[14.5,16.5],"max_stretch":3,"max_paths":3})");
    stage.ask(R"({"type":"cover_path","request_id":"hop","start":[1.5,29.5],"goal":[14.5,29.5]})");
    stage.settle();
    const json ways = stage.answerTo("ways")["paths"];
    const json hop = stage.answerTo("hop");
    ASSERT_EQ(hop["status"], "found");
    const std::size_t last = ways.size() - 1;
    stage.ask(Routes::subscription("1", "\"ways\"", R"(,"path_index":)" + std::to_string(last)));
    stage.ask(Routes::subscription("2", "\"hop\""));
    stage.ask(Routes::subscription("3", "\"ways\"", R"(,"path_index":)" + std::to_string(ways.size())));
    stage.tick();
    EXPECT_EQ(stage.answerTo(1)["status"], "found");
    EXPECT_EQ(stage.answerTo(1)["path_index"], last);
    EXPECT_EQ(stage.answerTo(2)["status"], "found");
    EXPECT_EQ(stage.answerTo(3)["error"]["field"], "path_index");
    const auto events = stage.after(R"({"type":"place_obstacle","rect":[8,0,1,32],"kind":"rock","height":2})");
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0]["request_id"], "ways") << "in the order of subscription";
    EXPECT_EQ(events[0]["path_index"], last);
    EXPECT_EQ(events[1]["request_id"], "hop");
    EXPECT_FALSE(events[1].contains("path_index"));
}

TEST(RouteRequests, ANewRouteUnderTheSameIdTakesTheOldOnesPlace) {
    Routes stage;
    stage.ask(Routes::path("1", "[2.5,10.5]", "[12.5,10.5]", kPlain));
    stage.ask(Routes::subscription("2", "1"));
    stage.settle();
    stage.ask(Routes::path("1", "[2.5,25.5]", "[12.5,25.5]", kPlain));
    stage.ask(Routes::subscription("2", "1"));
    stage.settle();
    EXPECT_EQ(stage.health()["routes_watched"], 1);
    EXPECT_TRUE(stage.after(R"({"type":"place_obstacle","rect":[7,10,1,1],"kind":"rock","height":2})").empty());
    EXPECT_EQ(stage.after(R"({"type":"place_obstacle","rect":[7,25,1,1],"kind":"rock","height":2})").size(), 1u);
}

TEST(RouteRequests, WhatCannotBeWatchedIsRefusedWithTheField) {
    Routes stage;
    stage.ask(Routes::path("1", "[2.5,10.5]", "[12.5,10.5]", kPlain));
    stage.ask(Routes::path("2", "[2.5,10.5]", "[16.5,10.5]", R"(,"ignore_goal":true)"));
    stage.ask(R"({"type":"tactical_query","query_type":"reachable","request_id":3,"from":[1,1],"to":[20,20]})");
    stage.settle();
    struct Case {
        const char* members;
        const char* field;
    };
    const Case cases[] = {
        {R"()", "target_id"},
        {R"(,"target_id":99)", "target_id"},
        {R"(,"target_id":"1")", "target_id"},
        {R"(,"target_id":1.5)", "target_id"},
        {R"(,"target_id":null)", "target_id"},
        {R"(,"target_id":2)", "target_id"},
        {R"(,"target_id":3)", "target_id"},
        {R"(,"target_id":1,"path_index":16)", "path_index"},
        {R"(,"target_id":1,"path_index":1)", "path_index"},
        {R"(,"target_id":1,"path_index":-1)", "path_index"},
        {R"(,"target_id":1,"why":1)", "why"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.members);
        stage.clear();
        stage.ask(std::string(R"({"type":"subscribe_route","request_id":50)") + c.members + "}");
        stage.tick();
        ASSERT_EQ(stage.answers.size(), 1u);
        EXPECT_EQ(stage.answers[0]["topic"], "pathfinder/results");
        EXPECT_EQ(stage.answers[0]["status"], "invalid_argument");
        EXPECT_EQ(stage.answers[0]["error"]["field"], c.field);
    }
    EXPECT_EQ(stage.health()["routes_watched"], 0);
}

TEST(RouteRequests, AnotherWorldEndsAllWatching) {
    Routes stage;
    stage.ask(Routes::path("1", "[2.5,10.5]", "[12.5,10.5]", kPlain));
    stage.ask(Routes::subscription("2", "1"));
    stage.settle();
    ASSERT_FALSE(stage.module->setWorld(test::smallWorld()));
    EXPECT_EQ(stage.health()["routes_watched"], 0);
    EXPECT_TRUE(stage.after(R"({"type":"place_obstacle","rect":[7,10,1,1],"kind":"rock","height":2})").empty());
    stage.ask(Routes::subscription("3", "1"));
    stage.tick();
    EXPECT_EQ(stage.answerTo(3)["error"]["field"], "target_id");
}

}  // namespace
}  // namespace warpath
