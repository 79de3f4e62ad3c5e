// cover_path and the tactical queries that search: right answers, compared with the same question asked in process, and wrong inputs.
#include <gtest/gtest.h>

#include <map>

#include "module/stage.h"
#include "warpath/pathfinder/tactics.h"

namespace warpath {
namespace {

using test::json;
using test::Stage;

/// Asks tactical queries and gives the answers by id.
std::map<int, json> answersTo(Stage& stage, const std::vector<std::string>& members) {
    stage.clear();
    for (std::size_t i = 0; i < members.size(); ++i) {
        stage.ask(R"({"type":"tactical_query","request_id":)" + std::to_string(i) + "," + members[i] + "}");
    }
    stage.settle();
    std::map<int, json> by_id;
    for (const json& answer : stage.answers) {
        EXPECT_EQ(answer["topic"], "pathfinder/tactical_results");
        by_id[answer["request_id"].get<int>()] = answer;
    }
    EXPECT_EQ(by_id.size(), members.size());
    return by_id;
}

TEST(TacticalRequests, TheNearestCoverIsTheWallOnTheThreatsSide) {
    Stage stage;
    auto told = answersTo(stage, {
        R"("query_type":"nearest_cover","from":[12.5,20.5],"threat_direction":[3,0])",
        R"("query_type":"nearest_cover","from":[12.5,20.5],"threat_direction":{"x":-1,"y":0},"max_distance":4.5)",
        R"("query_type":"nearest_cover","from":[16.5,20.5])",
        R"("query_type":"nearest_cover","from":[12.5,20.5],"threat_direction":[-1,0],"max_distance":6)",
    });
    EXPECT_EQ(told[0]["status"], "found");
    EXPECT_EQ(told[0]["query_type"], "nearest_cover");
    const json& cover = told[0]["result"];
    EXPECT_EQ(cover["position"], json::parse("[15.5,20.5]"));
    EXPECT_EQ(cover["type"], "wall");
    EXPECT_EQ(cover["cover_quality"], 1.0);
    EXPECT_EQ(cover["cover_direction"][0], 1.0);
    EXPECT_EQ(cover["length"], 3.0);
    EXPECT_GE(cover["cost"], 3.0);
    EXPECT_EQ(told[1]["status"], "unreachable") << "on this side of the wall nothing faces the west";
    EXPECT_FALSE(told[1].contains("result"));
    EXPECT_EQ(told[2]["status"], "start_blocked");
    EXPECT_EQ(told[3]["result"]["position"], json::parse("[17.5,17.5]")) << "within six metres straight, though the way there leads around the wall";
    EXPECT_GT(told[3]["result"]["length"], 30.0);
}

TEST(TacticalRequests, CostsAndReachAreToldForEachOfManyPlaces) {
    Stage stage;
    auto told = answersTo(stage, {
        R"("query_type":"costs","from":[14.5,20.5],"goals":[[18.5,20.5],[3.5,20.5],[29.5,29.5],[16.5,16.5],[14.5,20.5],[99,1]])",
        R"("query_type":"costs","from":[14.5,20.5],"goals":[[18.5,20.5],[3.5,20.5]],"max_cost":40)",
        R"("query_type":"reachable","from":[14.5,20.5],"goals":[[18.5,20.5],[29.5,29.5],[16.5,16.5],[99,1]])",
        R"("query_type":"costs","from":[16.5,16.5],"goals":[[18.5,20.5]])",
        R"("query_type":"costs","from":[1,1],"goals":[])",
        R"("query_type":"reachable","from":[1,1],"to":[2,2],"goals":[[3,3]])",
        R"("query_type":"costs","from":[-1,1],"goals":[[3,3]])",
        R"("query_type":"costs","from":[1,1],"goals":[[3,3]],"max_cost":0)",
    });
    EXPECT_EQ(told[0]["status"], "found");
    const json& costs = told[0]["result"];
    ASSERT_EQ(costs.size(), 6u);
    Query query;
    const auto world = test::smallWorld();
    const auto costTo = [&](Position to) {
        Path path;
        query.findPath(world->snapshot(), {.from = {14.5f, 20.5f}, .goal = Goal::point(to)}, path);
        return costInMetres(path.cost);
    };
    EXPECT_EQ(costs[0], (json{{"status", "found"}, {"cost", costTo({18.5f, 20.5f})}}));
    EXPECT_EQ(costs[1], (json{{"status", "found"}, {"cost", costTo({3.5f, 20.5f})}}));
    EXPECT_EQ(costs[2], (json{{"status", "unreachable"}}));
    EXPECT_EQ(costs[3], (json{{"status", "goal_blocked"}}));
    EXPECT_EQ(costs[4], (json{{"status", "found"}, {"cost", 0.0}}));
    EXPECT_EQ(costs[5], (json{{"status", "goal_blocked"}}));
    EXPECT_EQ(told[1]["result"][0]["status"], "cost_limit");
    EXPECT_EQ(told[1]["result"][1]["status"], "found");
    EXPECT_EQ(told[2]["result"], json::parse("[true,false,false,false]"));
    EXPECT_EQ(told[3]["status"], "start_blocked");
    EXPECT_EQ(told[4]["error"]["field"], "goals");
    EXPECT_EQ(told[5]["error"]["field"], "to");
    EXPECT_EQ(told[6]["error"]["field"], "from");
    EXPECT_EQ(told[6]["error"]["value"], "[-1,1] lies off the map");
    EXPECT_EQ(told[7]["error"]["field"], "max_cost");
}

TEST(SinglePath, ACostIsToldWithoutItsRouteAndCannotBeWatched) {
    Stage stage;
    stage.ask(R"({"type":"single_path","request_id":1,"start":[14.5,20.5],"goal":[18.5,20.5],"detail":"cost"})");
    stage.ask(R"({"type":"single_path","request_id":2,"start":[14.5,20.5],"goal":[18.5,20.5]})");
    stage.ask(R"({"type":"single_path","request_id":3,"start":[1.5,1.5],"goal":[29.5,29.5],"detail":"cost","allow_partial":true})");
    stage.ask(R"({"type":"multi_path","request_id":4,"start":[14.5,20.5],"goal":[18.5,20.5],"detail":"cost"})");
    stage.ask(R"({"type":"subscribe_route","request_id":5,"target_id":1})");
    stage.settle();
    std::map<int, json> by_id;
    for (const json& answer : stage.answers) by_id[answer["request_id"].get<int>()] = answer;
    EXPECT_EQ(by_id[1]["status"], "found");
    EXPECT_EQ(by_id[1]["cost"], by_id[2]["cost"]);
    EXPECT_EQ(by_id[1]["algorithm"], by_id[2]["algorithm"]);
    EXPECT_TRUE(by_id[1]["path"].empty());
    for (const char* absent : {"length", "breakdown", "travel_time", "is_valid"}) EXPECT_FALSE(by_id[1].contains(absent)) << absent;
    EXPECT_EQ(by_id[3]["status"], "partial");
    EXPECT_GT(by_id[3]["remaining_distance"], 1.0);
    EXPECT_EQ(by_id[4]["error"]["field"], "detail");
    EXPECT_EQ(by_id[5]["error"]["field"], "target_id");
    EXPECT_EQ(by_id[5]["error"]["remedy"], "its answer has no route; ask with detail corners or cells");
}

TEST(TacticalRequests, FlankingPositionsAreEvenlySpacedAndTheBlockedLeftOut) {
    Stage stage;
    auto told = answersTo(stage, {
        R"("query_type":"flanking_positions","target":[8.5,16.5],"count":4,"distance":5)",
        R"("query_type":"flanking_positions","target":[8.5,16.5],"count":4,"distance":8)",
        R"("query_type":"flanking_positions","target":[8.5,16.5],"count":4,"distance":5,"from":[29.5,29.5])",
    });
    EXPECT_EQ(told[0]["status"], "found");
    ASSERT_EQ(told[0]["result"].size(), 4u);
    const float expected[4][2] = {{13.5f, 16.5f}, {8.5f, 21.5f}, {3.5f, 16.5f}, {8.5f, 11.5f}};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(told[0]["result"][i][0].get<float>(), expected[i][0], 1e-4);
        EXPECT_NEAR(told[0]["result"][i][1].get<float>(), expected[i][1], 1e-4);
    }
    EXPECT_EQ(told[1]["result"].size(), 3u) << "the one in the wall is left out";
    EXPECT_EQ(told[2]["status"], "unreachable") << "the unit is shut in";
    EXPECT_TRUE(told[2]["result"].empty());
}

TEST(TacticalRequests, ADetourIsExplainedTermByTermAndStretchByStretch) {
    Stage stage;
    auto told = answersTo(stage, {
        R"("query_type":"explain","path":[[1.5,1.5],[10.5,1.5],[10.5,10.5]],"stretches":3)",
        R"("query_type":"explain","path":[[10.5,10.5],[12.5,10.5],[20.5,10.5]])",
    });
    EXPECT_EQ(told[0]["status"], "found");
    const json& why = told[0]["result"];
    EXPECT_EQ(why["is_valid"], true);
    EXPECT_EQ(why["route"]["length"], 18.0);
    EXPECT_NEAR(why["best"]["length"].get<double>(), 9 * std::sqrt(2.0), 1e-9);
    EXPECT_GT(why["route"]["cost"], why["best"]["cost"]);
    EXPECT_NE(why["verdict"].get<std::string>().find("more than the best route"), std::string::npos) << why["verdict"];
    ASSERT_EQ(why["terms"].size(), 9u);
    double route = 0.0, best = 0.0, stretches = 0.0;
    for (const json& term : why["terms"]) {
        route += term["route"].get<double>();
        best += term["best"].get<double>();
    }
    EXPECT_NEAR(route, why["route"]["cost"].get<double>(), 1e-6);
    EXPECT_NEAR(best, why["best"]["cost"].get<double>(), 1e-6);
    ASSERT_EQ(why["stretches"].size(), 3u);
    for (const json& stretch : why["stretches"]) stretches += stretch["cost"].get<double>();
    EXPECT_NEAR(stretches, route, 1e-6);
    EXPECT_EQ(why["stretches"][0]["from"], json::parse("[1.5,1.5]"));

    EXPECT_EQ(told[1]["status"], "unreachable");
    EXPECT_EQ(told[1]["result"]["is_valid"], false);
    EXPECT_EQ(told[1]["result"]["first_bad"], 2);
    EXPECT_FALSE(told[1]["result"].contains("verdict"));
}

TEST(TacticalRequests, AWrongFieldIsNamed) {
    struct Case {
        const char* members;
        const char* field;
    };
    const Case cases[] = {
        {R"("query_type":"nearest_cover")", "from"},
        {R"("query_type":"nearest_cover","from":[1,1],"threat_direction":"east")", "threat_direction"},
        {R"("query_type":"nearest_cover","from":[1,1],"max_distance":-1)", "max_distance"},
        {R"("query_type":"nearest_cover","from":[1,1],"max_distance":257)", "max_distance"},
        {R"("query_type":"nearest_cover","from":[1,1],"min_quality":2)", "min_quality"},
        {R"("query_type":"nearest_cover","from":[1,1],"to":[2,2])", "to"},
        {R"("query_type":"nearest_cover","from":[1,1],"constraints":{"bravery":1})", "constraints.bravery"},
        {R"("query_type":"flanking_positions")", "target"},
        {R"("query_type":"flanking_positions","target":[1,1],"count":0)", "count"},
        {R"("query_type":"flanking_positions","target":[1,1],"count":2.5)", "count"},
        {R"("query_type":"flanking_positions","target":[1,1],"distance":0)", "distance"},
        {R"("query_type":"explain")", "path"},
        {R"("query_type":"explain","path":[])", "path"},
        {R"("query_type":"explain","path":[[1,"a"]])", "path[0][1]"},
        {R"("query_type":"explain","path":[[1,1]],"stretches":0)", "stretches"},
    };
    Stage stage;
    for (const Case& c : cases) {
        SCOPED_TRACE(c.members);
        auto told = answersTo(stage, {c.members});
        EXPECT_EQ(told[0]["status"], "invalid_argument");
        EXPECT_EQ(told[0]["error"]["field"], c.field);
        EXPECT_FALSE(told[0].contains("result"));
    }
}

TEST(TacticalRequests, APlaceOffTheMapIsNamedAsInTheMessageWithItsValueAndTheBounds) {
    struct Case {
        const char* members;
        const char* status;
        const char* field;
        const char* place;
    };
    const Case cases[] = {
        {R"("query_type":"reachable","from":[-1.5,1],"to":[2,2])", "start_blocked", "from", "[-1.5,1]"},
        {R"("query_type":"reachable","from":[1,1],"to":[32,2])", "goal_blocked", "to", "[32,2]"},
        {R"("query_type":"nearest_of","from":[-1.5,1],"goals":[[2,2]])", "start_blocked", "from", "[-1.5,1]"},
        {R"("query_type":"nearest_of","from":[1,1],"goals":[[40,2],[2,40]])", "goal_blocked", "goals", "[40,2]"},
        {R"("query_type":"nearest_of","from":[1,1],"goals":[[40,2]])", "goal_blocked", "goals", "[40,2]"},
        {R"("query_type":"nearest_cover","from":[40,1])", "start_blocked", "from", "[40,1]"},
        {R"("query_type":"flanking_positions","target":[90,90],"distance":5)", "unreachable", "target", "[90,90]"},
        {R"("query_type":"flanking_positions","target":[90,90],"distance":5,"from":[1,1])", "unreachable", "target", "[90,90]"},
        {R"("query_type":"flanking_positions","target":[8,8],"distance":5,"from":[1,-1])", "unreachable", "from", "[1,-1]"},
        {R"("query_type":"line_of_sight","from":[-1,1],"to":[2,2])", "invalid_argument", "from", "[-1,1]"},
        {R"("query_type":"line_of_sight","from":[1,1],"to":[2,32])", "invalid_argument", "to", "[2,32]"},
    };
    Stage stage;
    for (const Case& c : cases) {
        SCOPED_TRACE(c.members);
        auto told = answersTo(stage, {c.members});
        EXPECT_EQ(told[0]["status"], c.status);
        ASSERT_TRUE(told[0].contains("error"));
        EXPECT_EQ(told[0]["error"]["field"], c.field);
        EXPECT_EQ(told[0]["error"]["value"], std::string(c.place) + " lies off the map");
        EXPECT_EQ(told[0]["error"]["remedy"], "use metres from [0,0] to below [32,32]");
    }
    auto told = answersTo(stage, {
        R"("query_type":"nearest_of","from":[1,1],"goals":[[40,2],[2,2]])",
        R"("query_type":"nearest_of","from":[1,1],"goals":[[16.5,16.5]])",
        R"("query_type":"flanking_positions","target":[-3,8.5],"count":4,"distance":5,"from":[1,1])",
    });
    EXPECT_EQ(told[0]["result"]["index"], 1);
    EXPECT_EQ(told[1]["status"], "goal_blocked");
    EXPECT_EQ(told[2]["status"], "found") << "positions around a target beside the map can lie on it";
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(told[i].contains("error"));
}

TEST(TacticalRequests, ACoverPathIsTheOneOfTheTacticalQueryAndStopsInCover) {
    Stage stage;
    for (const char* rect : {"[6,12,1,3]", "[10,18,1,3]", "[5,22,1,3]"}) {
        stage.change(std::string(R"({"type":"place_obstacle","kind":"rock","height":2,"rect":)") + rect + "}");
    }
    stage.change(R"({"type":"enemies","enemies":[{"id":1,"position":[14.5,16.5],"range":25,"firepower":1}]})");
    stage.tick(5);  // the threat is on the map
    const char* members = R"(,"start":[3.25,6.5],"goal":[7.5,29.5]})";
    stage.ask(std::string(R"({"type":"cover_path","request_id":"hop","unit_id":3)") + members);
    stage.ask(std::string(R"({"type":"single_path","request_id":"plain")") + members);
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 2u);
    const bool first = stage.answers[0]["request_id"] == "hop";
    const json& hop = stage.answers[first ? 0 : 1];
    const json& plain = stage.answers[first ? 1 : 0];
    EXPECT_EQ(hop["topic"], "pathfinder/results");
    EXPECT_EQ(hop["task_type"], "pathfinding");
    EXPECT_EQ(hop["unit_id"], 3);
    EXPECT_EQ(hop["status"], "found");
    EXPECT_EQ(hop["movement_style"], "cover_to_cover");
    EXPECT_EQ(plain["movement_style"], "direct");
    EXPECT_EQ(hop["path"].front()["x"], 3.25);

    Query query;
    Path expected;
    TacticalQuery(query).findCoverToCoverPath(stage.module->world()->snapshot(), {.from = {3.25f, 6.5f}, .goal = Goal::point({7.5f, 29.5f})}, expected);
    EXPECT_EQ(hop["cost"].get<double>(), costInMetres(expected.cost));
    EXPECT_EQ(hop["travel_time"].get<double>(), expected.travel_time);
    ASSERT_EQ(hop["path"].size(), expected.waypoints.size());
    EXPECT_EQ(hop["cover_points"].size(), expected.cover_points.size());
    ASSERT_FALSE(hop["cover_points"].empty());
    std::size_t pauses = 0;
    for (const json& waypoint : hop["path"]) pauses += waypoint["pause_duration"] == 2.0 ? 1 : 0;
    EXPECT_EQ(pauses, hop["cover_points"].size());
    for (const json& stop : hop["cover_points"]) EXPECT_EQ(stop["has_cover"], true);
    EXPECT_GE(hop["cover_percentage"], plain["cover_percentage"]);

    const auto path = stage.module->takePath("hop");
    ASSERT_TRUE(path);
    EXPECT_EQ(path->waypoints, expected.waypoints);
}

TEST(TacticalRequests, ACoverPathIsRefusedAndFailsAsASinglePathDoes) {
    Stage stage;
    stage.ask(R"({"type":"cover_path","request_id":1,"start":[1,1],"goal":[29.5,29.5]})");
    stage.ask(R"({"type":"cover_path","request_id":2,"start":[1,1],"goal":[29.5,29.5],"allow_partial":true})");
    stage.ask(R"({"type":"cover_path","request_id":3,"start":[1,1]})");
    stage.ask(R"({"type":"cover_path","request_id":4,"start":[1,1],"goal":[5,5],"max_paths":2})");
    stage.ask(R"({"type":"cover_path","request_id":5,"start":[16.5,10.5],"goal":[5,5]})");
    stage.ask(R"({"type":"cover_path","request_id":6,"start":[-1,1],"goal":[5,5]})");
    stage.settle();
    std::map<int, json> told;
    for (const json& answer : stage.answers) told[answer["request_id"].get<int>()] = answer;
    ASSERT_EQ(told.size(), 6u);
    EXPECT_EQ(told[1]["status"], "unreachable");
    EXPECT_TRUE(told[1]["path"].empty());
    EXPECT_EQ(told[2]["status"], "partial");
    EXPECT_GT(told[2]["remaining_distance"], 0.0);
    EXPECT_EQ(told[3]["error"]["field"], "goal");
    EXPECT_EQ(told[4]["error"]["field"], "max_paths");
    EXPECT_EQ(told[5]["status"], "start_blocked");
    stage.ask(R"({"type":"single_path","request_id":7,"start":[-1,1],"goal":[5,5]})");
    stage.settle();
    EXPECT_EQ(told[6]["status"], stage.answers.back()["status"]);
}

}  // namespace
}  // namespace warpath
