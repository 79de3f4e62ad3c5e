// Each message of the module, right and wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "module/stage.h"
#include "support/message_corpus.h"

namespace warpath {
namespace {

using test::json;
using test::Stage;

TEST(Protocol, ASinglePathComesBackWithEverythingAUnitNeeds) {
    Stage stage;
    stage.ask(R"({"type":"single_path","request_id":"first","unit_id":7,"start":[1.25,1.5],"goal":{"x":30.75,"y":20.125}})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 1u);
    const json& answer = stage.answers[0];
    EXPECT_EQ(answer["topic"], "pathfinder/results");
    EXPECT_EQ(answer["task_type"], "pathfinding");
    EXPECT_EQ(answer["request_id"], "first");
    EXPECT_EQ(answer["unit_id"], 7);
    EXPECT_EQ(answer["status"], "found");
    ASSERT_GE(answer["path"].size(), 3u);
    EXPECT_EQ(answer["waypoint_count"], answer["path"].size());
    EXPECT_EQ(answer["path"].front()["x"], 1.25);
    EXPECT_EQ(answer["path"].front()["y"], 1.5);
    EXPECT_EQ(answer["path"].back()["x"], 30.75);
    EXPECT_EQ(answer["path"].back()["y"], 20.125);
    for (const char* member : {"has_cover", "cover_quality", "cover_direction", "threat_level", "pause_duration", "speed"}) {
        EXPECT_TRUE(answer["path"][0].contains(member)) << member;
    }
    for (const char* member : {"length", "travel_time", "cost", "breakdown", "threat_level", "cover_percentage", "crosses_open_terrain", "has_chokepoints",
                               "chokepoints", "movement_style", "cover_points", "algorithm", "computation_time_ms", "revision"}) {
        EXPECT_TRUE(answer.contains(member)) << member;
    }
    double sum = 0.0;
    for (const auto& [name, part] : answer["breakdown"].items()) sum += part.get<double>();
    EXPECT_NEAR(sum, answer["cost"].get<double>(), 1e-9 * sum);
    EXPECT_FALSE(answer.contains("error"));
}

TEST(Protocol, PositionsAreToldAsTheyWereGiven) {
    Stage stage;
    stage.ask(R"({"type":"single_path","request_id":1,"start":[1.1,2.3],"goal":[5.7,9.9]})");
    stage.settle();
    EXPECT_EQ(stage.answers[0]["path"].front()["x"], 1.1);
    EXPECT_EQ(stage.answers[0]["path"].back()["y"], 9.9);
}

TEST(Protocol, TheIdComesBackAsItCame) {
    Stage stage;
    const std::vector<std::string> ids{"0", "-5", "18446744073709551615", "-9223372036854775808", "\"\"", "\"7\"", "\"ä\\n\\u0001\\\"\""};
    for (const std::string& id : ids) stage.ask(R"({"type":"single_path","start":[1,1],"goal":[2,2],"request_id":)" + id + "}");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(stage.answers[i]["request_id"], json::parse(ids[i]));
}

TEST(Protocol, AnIdThatIsNoStringOrIntegerIsToldOnTheErrorTopic) {
    Stage stage;
    for (const char* id : {"1.5", "null", "true", "[1]", "{}"}) stage.ask(std::string(R"({"type":"single_path","start":[1,1],"goal":[2,2],"request_id":)") + id + "}");
    stage.ask(R"({"type":"single_path","start":[1,1],"goal":[2,2]})");
    stage.settle();
    EXPECT_TRUE(stage.answers.empty());
    ASSERT_EQ(stage.errors.size(), 6u);
    for (const json& error : stage.errors) {
        EXPECT_EQ(error["error"]["field"], "request_id");
        EXPECT_EQ(error["type"], "single_path");
        EXPECT_EQ(error["status"], "invalid_argument");
    }
    EXPECT_EQ(stage.errors[5]["error"]["value"], "missing");
}

TEST(Protocol, EveryMessageOfTheCorpusIsAnsweredWithoutAnError) {
    Stage stage;
    std::size_t expected = 0;
    for (const std::string& text : test::requestCorpus()) {
        if (text.find("field_id") != std::string::npos) stage.settle();
        stage.ask(text);
        expected += json::parse(text)["type"] == "cancel" ? 0 : 1;
    }
    stage.settle();
    EXPECT_EQ(stage.answers.size(), expected);
    EXPECT_TRUE(stage.errors.empty());
    for (const json& answer : stage.answers) EXPECT_NE(answer["status"], "invalid_argument") << answer;
}

TEST(Protocol, AWrongFieldIsNamedWithItsValueAndARemedy) {
    struct Case {
        const char* members;
        const char* field;
    };
    const Case cases[] = {
        {R"("goal":[5,5])", "start"},
        {R"("start":[1,1])", "goal"},
        {R"("start":"here","goal":[5,5])", "start"},
        {R"("start":[1,1,1],"goal":[5,5])", "start"},
        {R"("start":[1,null],"goal":[5,5])", "start[1]"},
        {R"("start":[1e30,1],"goal":[5,5])", "start[0]"},
        {R"("start":[1,1],"goal":{"x":1})", "goal.y"},
        {R"("start":[1,1],"goal":[5,5],"gaol":1)", "gaol"},
        {R"("start":[1,1],"goal":[5,5],"side":16)", "side"},
        {R"("start":[1,1],"goal":[5,5],"side":"red")", "side"},
        {R"("start":[1,1],"goal":[5,5],"unit_id":1.5)", "unit_id"},
        {R"("start":[1,1],"goal":[5,5],"player":[])", "player"},
        {R"("start":[1,1],"goal":[5,5],"group_size":0)", "group_size"},
        {R"("start":[1,1],"goal":[5,5],"weight":0.5)", "weight"},
        {R"("start":[1,1],"goal":[5,5],"weight":1e300)", "weight"},
        {R"("start":[1,1],"goal":[5,5],"max_cost":0)", "max_cost"},
        {R"("start":[1,1],"goal":[5,5],"max_cost":-3)", "max_cost"},
        {R"("start":[1,1],"goal":[5,5],"max_expansions":-1)", "max_expansions"},
        {R"("start":[1,1],"goal":[5,5],"algorithm":"dijkstra")", "algorithm"},
        {R"("start":[1,1],"goal":[5,5],"detail":"some")", "detail"},
        {R"("start":[1,1],"goal":[5,5],"allow_partial":1)", "allow_partial"},
        {R"("start":[1,1],"goal":[5,5],"preview":1)", "preview"},
        {R"("start":[1,1],"goal":[5,5],"deadline_ticks":5)", "deadline_ticks"},
        {R"("start":[1,1],"goal":[5,5],"priority":"high")", "priority"},
        {R"("start":[1,1],"goal":[5,5],"constraints":[])", "constraints"},
        {R"("start":[1,1],"goal":[5,5],"constraints":{"threat_weight":-1})", "constraints.threat_weight"},
        {R"("start":[1,1],"goal":[5,5],"constraints":{"threat_weight":1e9})", "constraints.threat_weight"},
        {R"("start":[1,1],"goal":[5,5],"constraints":{"unit_type":"dragon"})", "constraints.unit_type"},
        {R"("start":[1,1],"goal":[5,5],"constraints":{"bravery":1})", "constraints.bravery"},
    };
    Stage stage;
    for (const Case& c : cases) {
        SCOPED_TRACE(c.members);
        stage.clear();
        stage.ask(std::string(R"({"type":"single_path","request_id":1,"unit_id":2,)") + c.members + "}");
        stage.tick();
        if (std::string(c.field) == "unit_id") {  // given twice here: still told, and with the id
            ASSERT_EQ(stage.answers.size(), 1u);
            EXPECT_EQ(stage.answers[0]["status"], "invalid_argument");
            continue;
        }
        ASSERT_EQ(stage.answers.size(), 1u);
        const json& answer = stage.answers[0];
        EXPECT_EQ(answer["status"], "invalid_argument");
        EXPECT_EQ(answer["request_id"], 1);
        EXPECT_EQ(answer["unit_id"], 2);
        EXPECT_EQ(answer["error"]["field"], c.field);
        EXPECT_FALSE(answer["error"]["value"].get<std::string>().empty());
        EXPECT_FALSE(answer["error"]["remedy"].get<std::string>().empty());
    }
    EXPECT_EQ(stage.health()["refused"], std::size(cases));
}

TEST(Protocol, AnUnknownTypeIsAnsweredOnResultsWithTheNamesThatExist) {
    Stage stage;
    stage.ask(R"({"type":"teleport","request_id":3})");
    stage.ask(R"({"type":5,"request_id":4})");
    stage.ask(R"({"request_id":5})");
    stage.tick();
    ASSERT_EQ(stage.answers.size(), 3u);
    for (const json& answer : stage.answers) {
        EXPECT_EQ(answer["topic"], "pathfinder/results");
        EXPECT_EQ(answer["status"], "invalid_argument");
        EXPECT_EQ(answer["error"]["field"], "type");
        EXPECT_NE(answer["error"]["remedy"].get<std::string>().find("single_path"), std::string::npos);
    }
}

TEST(Protocol, TextThatIsNoMessageIsToldOnTheErrorTopic) {
    Stage stage;
    for (const char* text : {"", "hello", "[1,2]", "5", "null", R"({"type":"single_path","request_id":1)", "{\"request_id\":\"\xff\"}"}) stage.ask(text);
    stage.tick();
    EXPECT_TRUE(stage.answers.empty());
    EXPECT_EQ(stage.errors.size(), 7u);
    EXPECT_EQ(stage.health()["malformed"], 7);
}

TEST(Protocol, AMemberGivenTwiceIsRefusedWithTheIdAndADoubledIdIsNone) {
    Stage stage;
    stage.ask(R"({"type":"single_path","request_id":9,"start":[1,1],"start":[2,2],"goal":[5,5]})");
    stage.ask(R"({"type":"single_path","request_id":9,"request_id":10,"start":[1,1],"goal":[5,5]})");
    stage.tick();
    ASSERT_EQ(stage.answers.size(), 1u);
    EXPECT_EQ(stage.answers[0]["request_id"], 9);
    EXPECT_EQ(stage.answers[0]["status"], "invalid_argument");
    EXPECT_EQ(stage.errors.size(), 1u);
}

TEST(Protocol, OutcomesAreToldInSnakeCase) {
    Stage stage;
    stage.ask(R"({"type":"single_path","request_id":1,"start":[1,1],"goal":[29.5,29.5]})");
    stage.ask(R"({"type":"single_path","request_id":2,"start":[16.5,10.5],"goal":[5,5]})");
    stage.ask(R"({"type":"single_path","request_id":3,"start":[1,1],"goal":[16.5,10.5]})");
    stage.ask(R"({"type":"single_path","request_id":4,"start":[1,1],"goal":[29.5,29.5],"allow_partial":true})");
    stage.ask(R"({"type":"single_path","request_id":5,"start":[1,30],"goal":[30,20],"max_expansions":3})");
    stage.ask(R"({"type":"single_path","request_id":6,"start":[1,30],"goal":[30,20],"max_cost":5})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 6u);
    const char* expected[] = {"unreachable", "start_blocked", "goal_blocked", "partial", "budget_exhausted", "cost_limit"};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(stage.answers[i]["status"], expected[i]);
    EXPECT_TRUE(stage.answers[0]["path"].empty());
    EXPECT_FALSE(stage.answers[3]["path"].empty());
    EXPECT_GT(stage.answers[3]["remaining_distance"], 0.0);
}

TEST(Protocol, MultiPathGivesTheRoutesTheBestFirst) {
    Stage stage;
    stage.ask(R"({"type":"multi_path","request_id":1,"start":[1.5,16.5],"goal":[14.5,16.5],"max_paths":3})");
    stage.settle();
    const json& answer = stage.answers.at(0);
    EXPECT_EQ(answer["status"], "found");
    ASSERT_GE(answer["paths"].size(), 1u);
    EXPECT_EQ(answer["path_count"], answer["paths"].size());
    EXPECT_EQ(answer["paths"][0]["stretch"], 1.0);
    for (const json& path : answer["paths"]) {
        EXPECT_GE(path["stretch"], 1.0);
        EXPECT_GE(path["path"].size(), 2u);
        EXPECT_TRUE(path.contains("breakdown"));
        EXPECT_LE(path["overlap"], 0.5);
        EXPECT_TRUE(path.contains("score"));
        EXPECT_TRUE(path["approach"].is_string());
    }
    stage.clear();
    stage.ask(R"({"type":"multi_path","request_id":2,"start":[1.5,16.5],"goal":[29.5,29.5]})");
    stage.ask(R"({"type":"multi_path","request_id":3,"start":[1.5,16.5],"goal":[9.5,9.5],"max_paths":17})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 2u);
    for (const json& a : stage.answers) {
        EXPECT_EQ(a["status"], a["request_id"] == 2 ? "unreachable" : "invalid_argument");
        EXPECT_TRUE(a["paths"].empty());
    }
}

TEST(Protocol, ValidatePathNamesTheFirstBadWaypoint) {
    Stage stage;
    stage.ask(R"({"type":"validate_path","request_id":1,"path":[[1.5,1.5],[10.5,1.5],[10.5,20.5]]})");
    stage.ask(R"({"type":"validate_path","request_id":2,"path":[[1.5,10.5],[10.5,10.5],[20.5,10.5],[25.5,10.5]]})");
    stage.ask(R"({"type":"validate_path","request_id":3,"path":[]})");
    stage.ask(R"({"type":"validate_path","request_id":4,"path":[[1.5,"a"]]})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 4u);
    const auto byId = [&](int id) -> const json& {
        return *std::find_if(stage.answers.begin(), stage.answers.end(), [&](const json& a) { return a["request_id"] == id; });
    };
    EXPECT_EQ(byId(1)["status"], "found");
    EXPECT_EQ(byId(1)["is_valid"], true);
    EXPECT_EQ(byId(2)["status"], "found");
    EXPECT_EQ(byId(2)["is_valid"], false);
    EXPECT_EQ(byId(2)["first_bad"], 2);
    EXPECT_EQ(byId(3)["error"]["field"], "path");
    EXPECT_EQ(byId(4)["error"]["field"], "path[0][1]");
}

TEST(Protocol, AnAnswersPathCanBeSentBackForValidation) {
    Stage stage;
    stage.ask(R"({"type":"single_path","request_id":1,"start":[1.25,20.5],"goal":[30.75,20.125]})");
    stage.settle();
    json path = stage.answers.at(0)["path"];
    path[0]["leg"] = "navmesh";  // as where a mesh has drawn the way
    stage.ask(json{{"type", "validate_path"}, {"request_id", 2}, {"path", path}}.dump());
    stage.settle();
    EXPECT_EQ(stage.answers.at(1)["is_valid"], true) << stage.answers.at(1);
    stage.change(R"({"type":"place_obstacle","rect":[15,0,2,32],"kind":"wall","height":3})");
    stage.ask(json{{"type", "validate_path"}, {"request_id", 3}, {"path", path}}.dump());
    stage.settle();
    EXPECT_EQ(stage.answers.at(2)["is_valid"], false);
}

TEST(Protocol, ReachableIsAnsweredOnTacticalResults) {
    Stage stage;
    stage.ask(R"({"type":"tactical_query","query_type":"reachable","request_id":1,"from":[1,1],"to":[20,20]})");
    stage.ask(R"({"type":"tactical_query","query_type":"reachable","request_id":2,"from":[1,1],"to":[29.5,29.5]})");
    stage.ask(R"({"type":"tactical_query","query_type":"reachable","request_id":3,"from":[1,1]})");
    stage.ask(R"({"type":"tactical_query","query_type":"prophecy","request_id":4})");
    stage.ask(R"({"type":"tactical_query","request_id":5})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 5u);
    for (const json& answer : stage.answers) {
        EXPECT_EQ(answer["topic"], "pathfinder/tactical_results");
        switch (answer["request_id"].get<int>()) {
            case 1:
                EXPECT_EQ(answer["status"], "found");
                EXPECT_EQ(answer["result"], true);
                EXPECT_EQ(answer["query_type"], "reachable");
                break;
            case 2:
                EXPECT_EQ(answer["status"], "unreachable");
                EXPECT_EQ(answer["result"], false);
                break;
            case 3: EXPECT_EQ(answer["error"]["field"], "to"); break;
            default: EXPECT_EQ(answer["error"]["field"], "query_type");
        }
    }
}

TEST(Protocol, SightThreatCoverAndTheNearestGoalAreTold) {
    Stage stage;
    const auto ask = [&](int id, const std::string& members) {
        stage.ask(R"({"type":"tactical_query","unit_id":1,"request_id":)" + std::to_string(id) + "," + members + "}");
    };
    stage.change(R"({"type":"enemies","side":2,"enemies":[{"id":1,"position":[5,5],"range":10,"firepower":1}]})");
    ask(1, R"("query_type":"line_of_sight","from":[10.5,20.5],"to":[22.5,20.5])");
    ask(2, R"("query_type":"line_of_sight","from":[10.5,2.5],"to":[22.5,2.5])");
    ask(3, R"("query_type":"line_of_sight","from":[10.5,20.5],"to":[22.5,20.5],"eye_height":9,"target_height":9)");
    ask(4, R"("query_type":"line_of_sight","from":[10.5,20.5],"to":[99,20.5])");
    ask(5, R"("query_type":"threat_at","side":2,"positions":[[5,5],[25,25],[-100,5]])");
    ask(6, R"("query_type":"cover_at","positions":[[15.5,20.5],[8.5,20.5],[-3,0]])");
    ask(7, R"("query_type":"nearest_of","from":[14.5,20.5],"goals":[[18.25,20.5],[3.25,20.5],[29.5,29.5]])");
    ask(8, R"("query_type":"nearest_of","from":[14.5,20.5],"goals":[])");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 8u);
    std::map<int, json> by_id;
    for (const json& answer : stage.answers) by_id[answer["request_id"].get<int>()] = answer;
    EXPECT_EQ(by_id[1]["result"], false);
    EXPECT_EQ(by_id[2]["result"], true);
    EXPECT_EQ(by_id[3]["result"], true);
    EXPECT_EQ(by_id[4]["error"]["field"], "to");
    EXPECT_GT(by_id[5]["result"][0], 0.5);
    EXPECT_EQ(by_id[5]["result"][1], 0.0);
    EXPECT_EQ(by_id[5]["result"][2], 0.0);
    EXPECT_EQ(by_id[6]["result"][0]["has_cover"], true);
    EXPECT_EQ(by_id[6]["result"][0]["type"], "wall");
    EXPECT_EQ(by_id[6]["result"][0]["directions"], json::parse("[[1,0],[1,1],[1,-1]]"));
    EXPECT_EQ(by_id[6]["result"][1]["has_cover"], false);
    EXPECT_EQ(by_id[6]["result"][2]["has_cover"], false);
    EXPECT_EQ(by_id[7]["result"]["index"], 1);
    EXPECT_EQ(by_id[7]["result"]["position"], json::parse("[3.25,20.5]"));
    EXPECT_EQ(by_id[8]["error"]["field"], "goals");
    EXPECT_EQ(by_id[7]["unit_id"], 1);
}

TEST(Protocol, ACancelledRequestAnswersCancelledAndTheCancelNothing) {
    Stage stage;
    stage.ask(R"({"type":"single_path","request_id":"a","start":[1,1],"goal":[5,5]})");
    stage.ask(R"({"type":"cancel","request_id":"a"})");
    stage.ask(R"({"type":"cancel","request_id":"b"})");
    stage.settle();
    stage.ask(R"({"type":"cancel","request_id":"a"})");  // already answered
    stage.tick(3);
    ASSERT_EQ(stage.answers.size(), 1u);
    EXPECT_EQ(stage.answers[0]["status"], "cancelled");
    EXPECT_EQ(stage.answers[0]["request_id"], "a");
    EXPECT_TRUE(stage.errors.empty());
    EXPECT_EQ(stage.health()["cancels"], 3);
    EXPECT_EQ(stage.health()["unknown_cancels"], 2);
    stage.ask(R"({"type":"cancel","request_id":"a","why":"because"})");
    stage.ask(R"({"type":"cancel"})");
    stage.tick();
    EXPECT_EQ(stage.answers.size(), 1u);
    EXPECT_EQ(stage.errors.size(), 2u);
}

TEST(Protocol, AnIntegerIdAndTheSameStringAreTwoRequests) {
    Stage stage;
    stage.ask(R"({"type":"single_path","request_id":7,"start":[1,1],"goal":[5,5]})");
    stage.ask(R"({"type":"single_path","request_id":"7","start":[1,1],"goal":[5,5]})");
    stage.ask(R"({"type":"cancel","request_id":7})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 2u);
    for (const json& answer : stage.answers) EXPECT_EQ(answer["status"], answer["request_id"] == 7 ? "cancelled" : "found");
}

TEST(Protocol, ASecondRequestOfAnOpenIdIsRefusedAtOnceAndTheFirstGoesOn) {
    Stage stage;
    for (int i = 0; i < 3; ++i) stage.ask(R"({"type":"single_path","request_id":7,"start":[1,1],"goal":[5,5]})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 3u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(stage.answers[i]["status"], "invalid_argument");
        EXPECT_EQ(stage.answers[i]["error"]["field"], "request_id");
        EXPECT_EQ(stage.answers[i]["error"]["value"], "7");
    }
    EXPECT_EQ(stage.answers[2]["status"], "found");
    stage.ask(R"({"type":"single_path","request_id":7,"start":[1,1],"goal":[5,5]})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 4u) << "once answered, the id may be used again";
    EXPECT_EQ(stage.answers[3]["status"], "found");
    EXPECT_EQ(stage.health()["refused"], 2);
}

TEST(Protocol, EveryTypeRefusesUnknownMembersAndWrongTypesInEveryMember) {
    // Each message of the corpus once with an unknown member, and once for each of its members with a value of a type that fits none.
    const auto isRefused = [](const std::string& topic, const std::string& text) {
        Stage stage;
        topic == "world" ? stage.change(text) : stage.ask(text);
        stage.settle();
        const std::size_t count = stage.answers.size() + stage.errors.size();
        EXPECT_EQ(count, 1u) << text;
        const json& got = stage.answers.empty() ? stage.errors[0] : stage.answers[0];
        return got["status"] == "invalid_argument" && got["error"]["field"].is_string();
    };
    std::vector<std::pair<std::string, std::string>> corpus;
    for (const std::string& text : test::requestCorpus()) corpus.emplace_back("request", text);
    for (const std::string& text : test::worldCorpus()) corpus.emplace_back("world", text);
    for (const auto& [topic, text] : corpus) {
        const json message = json::parse(text);
        if (message["type"] == "subscribe_route") continue;  // its target is unknown here
        json more = message;
        more["unknown_member"] = 1;
        EXPECT_TRUE(isRefused(topic, more.dump())) << more.dump();
        for (const auto& [key, value] : message.items()) {
            if (key == "request_id" && topic == "request") continue;  // without a usable id: another test
            json wrong = message;
            wrong[key] = json::parse(R"({"a":[null]})");
            EXPECT_TRUE(isRefused(topic, wrong.dump())) << wrong.dump();
            wrong[key] = nullptr;
            EXPECT_TRUE(isRefused(topic, wrong.dump())) << wrong.dump();
        }
    }
}

TEST(Protocol, WaypointsOfAnAnswerAreTakenAndOtherMembersOfAPointRefused) {
    const auto statusOf = [](const std::string& point) {
        Stage stage;
        stage.ask(R"({"type":"validate_path","request_id":1,"path":[[1.5,1.5],)" + point + "]}");
        stage.settle();
        return stage.answers[0]["status"].get<std::string>();
    };
    EXPECT_EQ(statusOf(R"({"x":4.5,"y":1.5,"has_cover":false,"cover_quality":0,"cover_direction":[0,0],"threat_level":0.5,"pause_duration":0,"speed":"run"})"), "found");
    for (const char* point : {R"({"x":4.5,"y":1.5,"colour":1})", R"({"x":4.5,"y":1.5,"has_cover":"no"})", R"({"x":4.5,"y":1.5,"speed":"fly"})",
                              R"({"x":4.5,"has_cover":true,"z":1})", R"([1,2,3])", R"(null)"}) {
        EXPECT_EQ(statusOf(point), "invalid_argument") << point;
    }
}

TEST(Protocol, AChangeOfCellsThatFailsNamesTheCellAndChangesNothing) {
    struct Case {
        const char* members;
        const char* field;
        const char* value;
    };
    const Case cases[] = {
        {R"("type":"set_terrain","terrain":"forest","cells":[[1,1],[2,1],[40,3]])", "cells[2]", "[40,3] lies outside the map"},
        {R"("type":"set_elevation","elevation":2,"cells":[[1,1],[-1,3],[50,50]])", "cells[1]", "[-1,3] lies outside the map"},
        {R"("type":"congestion","cells":[[1,1,2],[3,32,1]])", "cells[1]", "[3,32] lies outside the map"},
        {R"("type":"set_terrain","terrain":"forest","rect":[40,3,1,1])", "rect", "[40,3,1,1] lies outside the map"},
    };
    Stage stage;
    const std::uint64_t revision = stage.module->world()->snapshot().revision();
    for (const Case& c : cases) {
        SCOPED_TRACE(c.members);
        stage.clear();
        stage.change(std::string("{") + c.members + "}");
        stage.tick();
        ASSERT_EQ(stage.errors.size(), 1u);
        EXPECT_EQ(stage.errors[0]["error"]["field"], c.field);
        EXPECT_EQ(stage.errors[0]["error"]["value"], c.value);
        EXPECT_EQ(stage.errors[0]["error"]["remedy"], "use cells within [0,0,32,32]");
    }
    EXPECT_EQ(stage.module->world()->snapshot().revision(), revision);
}

TEST(Protocol, AnEndOffTheMapIsNamedWithTheBounds) {
    Stage stage;
    stage.ask(R"({"type":"single_path","request_id":1,"start":[1.5,1.5],"goal":[32,5.5]})");
    stage.ask(R"({"type":"multi_path","request_id":2,"start":[-1e-3,1.5],"goal":[3,5.5]})");
    stage.ask(R"({"type":"cover_path","request_id":3,"start":[1.5,1.5],"goal":[3,500]})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 3u);
    const char* fields[] = {"goal", "start", "goal"};
    for (std::size_t i = 0; i < 3; ++i) {
        const json& answer = stage.answers[i];
        EXPECT_EQ(answer["status"], std::string(fields[i]) + "_blocked");
        EXPECT_EQ(answer["error"]["field"], fields[i]);
        EXPECT_EQ(answer["error"]["remedy"], "use metres from [0,0] to below [32,32]");
    }
}

TEST(Protocol, OfFiveOrdersOfAUnitInOneTickOnlyTheLastIsSearched) {
    Stage stage;
    for (int i = 0; i < 5; ++i) {
        stage.ask(R"({"type":"single_path","unit_id":7,"start":[1,1],"goal":[)" + std::to_string(3 + i) + R"(,5],"request_id":)" + std::to_string(i) + "}");
    }
    stage.ask(R"({"type":"single_path","unit_id":"7","start":[1,1],"goal":[5,5],"request_id":5})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 6u);
    for (const json& answer : stage.answers) EXPECT_EQ(answer["status"], answer["request_id"] < 4 ? "superseded" : "found");
    EXPECT_EQ(stage.health()["computed"], 2);
}

TEST(Protocol, UnitsWithIdsOf64BitsAreDifferentUnits) {
    Stage stage;
    int request = 0;
    for (const char* unit : {"9223372036854775807", "9223372036854775808", "18446744073709551615", "-9223372036854775808", "-1", "-1"}) {
        stage.ask(std::string(R"({"type":"single_path","start":[1,1],"goal":[5,5],"unit_id":)") + unit + R"(,"request_id":)" + std::to_string(request++) + "}");
    }
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 6u);
    for (const json& answer : stage.answers) EXPECT_EQ(answer["status"], answer["request_id"] == 4 ? "superseded" : "found");
}

TEST(Protocol, WorldChangesAreSeenByTheRequestsOfTheSameTick) {
    Stage stage;
    const WorldSnapshot before = stage.module->world()->snapshot();
    for (const std::string& text : test::worldCorpus()) stage.change(text);
    stage.tick();
    EXPECT_TRUE(stage.errors.empty()) << stage.errors[0];
    EXPECT_EQ(stage.health()["world_changes"], test::worldCorpus().size());
    const WorldSnapshot after = stage.module->world()->snapshot();
    EXPECT_EQ(after.terrainAt({2, 2}), Terrain::Forest);
    EXPECT_EQ(after.terrainAt({1, 2}), Terrain::Road);
    EXPECT_EQ(after.terrainAt({3, 4}), Terrain::Road);
    EXPECT_EQ(after.terrainAt({15, 20}), Terrain::Rubble);
    EXPECT_EQ(after.elevationAt({3, 3}), 2.5f);
    EXPECT_GT(after.revision(), before.revision());
    stage.change(R"({"type":"place_obstacle","rect":[0,8,32,1],"kind":"rock","height":2})");
    stage.ask(R"({"type":"single_path","request_id":1,"start":[1.5,1.5],"goal":[1.5,20.5],"constraints":{"max_slope":90}})");
    stage.settle();
    EXPECT_EQ(stage.answers.at(0)["status"], "unreachable");
    EXPECT_FALSE(stage.answers.at(0).contains("cost"));
}

TEST(Protocol, AWrongWorldChangeIsToldOnTheErrorTopicAndChangesNothing) {
    Stage stage;
    const WorldSnapshot before = stage.module->world()->snapshot();
    struct Case {
        const char* text;
        const char* field;
    };
    const Case cases[] = {
        {R"({"type":"set_terrain","terrain":"forest"})", "rect"},
        {R"({"type":"set_terrain","rect":[1,1,2,2],"cells":[[1,1]],"terrain":"forest"})", "cells"},
        {R"({"type":"set_terrain","rect":[1,1,2,2],"terrain":"lava"})", "terrain"},
        {R"({"type":"set_terrain","rect":[1,1,2,2]})", "terrain"},
        {R"({"type":"set_terrain","rect":[1,1,-2,2],"terrain":"forest"})", nullptr},
        {R"({"type":"set_terrain","cells":[[1,1],[100,100]],"terrain":"forest"})", nullptr},
        {R"({"type":"set_terrain","cells":[[1,1.5]],"terrain":"forest"})", nullptr},
        {R"({"type":"set_elevation","rect":[1,1,2,2],"elevation":1e9})", "elevation"},
        {R"({"type":"place_obstacle","rect":[1,1,2,2],"kind":"hut"})", "kind"},
        {R"({"type":"place_obstacle","rect":[1,1,2,2],"kind":"wall","height":-1})", "height"},
        {R"({"type":"place_obstacle","rect":[500,500,2,2],"kind":"wall","height":1})", nullptr},
        {R"({"type":"remove_obstacle"})", "rect"},
        {R"({"type":"crater_created","position":[5,5]})", "radius"},
        {R"({"type":"crater_created","position":[5,5],"radius":1e9})", "radius"},
        {R"({"type":"congestion","cells":[[1,1]]})", "cells[0]"},
        {R"({"type":"congestion","cells":[]})", "cells"},
        {R"({"type":"congestion","cells":[[1,1,-1]]})", "cells[0][2]"},
        {R"({"type":"crowd","units":[[1,1],[1]]})", "units[1]"},
        {R"({"type":"crowd","units":[[1,1,9]]})", "units[0][2]"},
        {R"({"type":"enemies","side":99,"enemies":[]})", "side"},
        {R"({"type":"enemies","enemies":[{"id":1,"position":[1,1],"range":5}]})", "enemies[0].firepower"},
        {R"({"type":"enemies","enemies":[{"id":1,"position":[1,1],"range":5,"firepower":1},{"id":1,"position":[1,1],"range":5,"firepower":1}]})", "enemies"},
        {R"({"type":"focus","positions":"here"})", "positions"},
        {R"({"type":"rain"})", "type"},
        {R"({"rect":[1,1,2,2]})", "type"},
        {R"([])", "message"},
        {R"({"type":"set_terrain","rect":[1,1,2,2],"terrain":"forest","colour":1})", "colour"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.text);
        stage.clear();
        stage.change(c.text);
        stage.tick();
        ASSERT_EQ(stage.errors.size(), 1u);
        EXPECT_EQ(stage.errors[0]["topic"], "pathfinder/world");
        ASSERT_EQ(stage.module->world()->snapshot(), before);
        if (c.field != nullptr) {
            EXPECT_EQ(stage.errors[0]["error"]["field"], c.field);
        }
    }
    EXPECT_EQ(stage.module->world()->snapshot(), before);
    EXPECT_EQ(stage.health()["world_errors"], std::size(cases));
    EXPECT_TRUE(stage.answers.empty());
}

}  // namespace
}  // namespace warpath
