#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "module/stage.h"
#include "warpath/flow/flow_sample.h"
#include "warpath/pathfinder/query.h"

namespace warpath {
namespace {

using test::json;
using test::Stage;

/// The answers of one topic, in the order of arrival.
std::vector<json> onTopic(const Stage& stage, const char* topic) {
    std::vector<json> found;
    for (const json& answer : stage.answers) {
        if (answer["topic"] == topic) found.push_back(answer);
    }
    return found;
}

json byId(const Stage& stage, const json& id) {
    for (const json& answer : stage.answers) {
        if (answer.contains("request_id") && answer["request_id"] == id) return answer;
    }
    ADD_FAILURE() << "no answer to " << id;
    return {};
}

std::uint64_t askField(Stage& stage) {
    stage.ask(R"({"type":"flow_field","request_id":"f","goal":[30.25,2.75]})");
    stage.settle();
    return byId(stage, "f")["field_id"].get<std::uint64_t>();
}

TEST(FlowRequests, AFieldIsAnsweredWithItsIdItsGoalAndTheRevision) {
    Stage stage;
    stage.ask(R"({"type":"flow_field","request_id":1,"goal":[30.25,2.75]})");
    stage.ask(R"({"type":"flow_field","request_id":2,"goals":[[30.25,2.75],[2.5,30.5]]})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 2u);
    for (const json& answer : stage.answers) {
        EXPECT_EQ(answer["topic"], "pathfinder/flow_fields");
        EXPECT_EQ(answer["status"], "found");
        EXPECT_TRUE(answer["field_id"].is_number_unsigned());
        EXPECT_EQ(answer["revision"], stage.module->world()->snapshot().revision());
    }
    EXPECT_EQ(byId(stage, 1)["goal"], json({30.25, 2.75}));
    EXPECT_EQ(byId(stage, 2)["goals"], json({{30.25, 2.75}, {2.5, 30.5}}));
    EXPECT_NE(byId(stage, 1)["field_id"], byId(stage, 2)["field_id"]);
    const json health = stage.health();
    EXPECT_EQ(health["flow_fields_cached"], 2);
    EXPECT_EQ(health["flow_fields"]["built"], 2);
    EXPECT_GT(health["flow_fields"]["bytes"], 1000);
}

TEST(FlowRequests, UnitsFollowTheSamplesToTheGoalOnEveryHost) {
    for (const Stage::Host host : {Stage::Host::Sequential, Stage::Host::Threads, Stage::Host::NeverRuns, Stage::Host::NoScheduler}) {
        Stage stage({.host = host});
        const std::uint64_t field = askField(stage);
        std::vector<Position> units{{2.5f, 30.5f}, {14.5f, 20.25f}, {8.0f, 16.0f}};
        const WorldSnapshot snapshot = stage.module->world()->snapshot();
        int steps = 0;
        for (; steps < 600; ++steps) {
            json positions = json::array();
            for (const Position p : units) positions.push_back({p.x, p.y});
            stage.clear();
            stage.ask(json{{"type", "flow_sample"}, {"request_id", steps}, {"field_id", field}, {"positions", positions}}.dump());
            stage.settle();
            const json answer = byId(stage, steps);
            ASSERT_EQ(answer["status"], "found");
            ASSERT_EQ(answer["directions"].size(), units.size());
            ASSERT_EQ(answer["states"].size(), units.size());
            bool all = true;
            for (std::size_t i = 0; i < units.size(); ++i) {
                const float x = answer["directions"][i][0], y = answer["directions"][i][1];
                if (answer["states"][i] == "goal") {
                    EXPECT_EQ(x, 0.0f);
                    continue;
                }
                all = false;
                EXPECT_NEAR(std::sqrt(x * x + y * y), 1.0f, 1e-3f);
                units[i] = {units[i].x + 0.25f * x, units[i].y + 0.25f * y};
                EXPECT_EQ(obstacleHeightCm(snapshot.obstacleAt(cellAt(units[i]))), 0);
            }
            if (all) break;
        }
        EXPECT_LT(steps, 600);
        for (const Position p : units) EXPECT_EQ(cellAt(p), (Cell{30, 2}));
    }
}

TEST(FlowRequests, APlaceWithoutAWayIsToldAndAGoalThatIsBlockedLeadsNearIt) {
    Stage stage;
    const std::uint64_t field = askField(stage);
    stage.clear();
    stage.ask(json{{"type", "flow_sample"}, {"request_id", 1}, {"field_id", field}, {"positions", {{29.5, 29.5}, {500, 500}, {30.9, 2.1}}}}.dump());
    stage.ask(R"({"type":"flow_field","request_id":2,"goal":[16.5,16.5]})");
    stage.ask(R"({"type":"flow_field","request_id":3,"goal":[29.5,29.5],"positions":[[2.5,2.5]]})");
    stage.settle();
    const json samples = byId(stage, 1);
    EXPECT_EQ(samples["states"], json({"unreachable", "returning", "goal"}));
    EXPECT_EQ(samples["directions"][0], json({0.0, 0.0}));
    EXPECT_LT(samples["directions"][1][0], 0.0);  // back to the map
    EXPECT_EQ(samples["directions"][2], json({0.0, 0.0}));
    EXPECT_EQ(samples["field_id"], field);
    const json blocked = byId(stage, 2);
    EXPECT_EQ(blocked["status"], "partial");
    EXPECT_EQ(blocked["remaining_distance"], 1.0);
    const json yard = byId(stage, 3);
    EXPECT_EQ(yard["status"], "partial");
    EXPECT_GT(yard["remaining_distance"], 1.0);
    EXPECT_LT(yard["remaining_distance"], 6.0);
}

TEST(FlowRequests, AWrongFieldIsNamedWithItsValueAndARemedy) {
    struct Case {
        const char* type;
        const char* members;
        const char* field;
    };
    const Case cases[] = {
        {"flow_field", R"("group_size":5)", "goal"},
        {"flow_field", R"("goal":[5,5],"goals":[[5,5]])", "goals"},
        {"flow_field", R"("goals":[])", "goals"},
        {"flow_field", R"("goals":[[5,5],[1,null]])", "goals[1][1]"},
        {"flow_field", R"("goal":[null,5])", "goal[0]"},
        {"flow_field", R"("goal":[-5,5])", "goal"},
        {"flow_field", R"("goals":[[-5,5],[99,5]])", "goals"},
        {"flow_field", R"("goal":[5,5],"area":[0,0,0,5])", "area[2]"},
        {"flow_field", R"("goal":[5,5],"area":[200,0,5,5])", "area"},
        {"flow_field", R"("goal":[5,5],"method":"magic")", "method"},
        {"flow_field", R"("goal":[5,5],"side":16)", "side"},
        {"flow_field", R"("goal":[5,5],"constraints":{"threat_weight":-1})", "constraints.threat_weight"},
        {"flow_field", R"("goal":[5,5],"start":[1,1])", "start"},
        {"flow_field", R"("goal":[5,5],"positions":[["a",1]])", "positions[0][0]"},
        {"flow_sample", R"("positions":[[1,1]])", "field_id"},
        {"flow_sample", R"("field_id":0,"positions":[[1,1]])", "field_id"},
        {"flow_sample", R"("field_id":"one","positions":[[1,1]])", "field_id"},
        {"flow_sample", R"("field_id":99,"positions":[[1,1]])", "field_id"},
        {"flow_sample", R"("field_id":1)", "positions"},
        {"flow_sample", R"("field_id":1,"positions":[])", "positions"},
        {"flow_sample", R"("field_id":1,"positions":[[1,null]])", "positions[0][1]"},
        {"flow_sample", R"("field_id":1,"positions":[[1,1]],"goal":[1,1])", "goal"},
    };
    Stage stage;
    askField(stage);
    for (const Case& c : cases) {
        SCOPED_TRACE(c.members);
        stage.clear();
        stage.ask(std::string(R"({"type":")") + c.type + R"(","request_id":1,)" + c.members + "}");
        stage.settle();
        ASSERT_EQ(stage.answers.size(), 1u);
        const json& answer = stage.answers[0];
        EXPECT_EQ(answer["topic"], "pathfinder/flow_fields");
        EXPECT_EQ(answer["status"], "invalid_argument");
        EXPECT_EQ(answer["error"]["field"], c.field);
        EXPECT_FALSE(answer["error"]["value"].get<std::string>().empty());
        EXPECT_FALSE(answer["error"]["remedy"].get<std::string>().empty());
        EXPECT_FALSE(answer.contains("field_id"));
    }
}

TEST(FlowRequests, TenUnitsWithOneGoalShareAFieldAndEachAnswerCarriesItsId) {
    Stage stage;
    for (int i = 0; i < 10; ++i) {
        stage.ask(json{{"type", "single_path"}, {"request_id", i}, {"unit_id", i}, {"start", {1.5 + i, 20.5}}, {"goal", {30.25, 2.75}}}.dump());
    }
    for (int i = 0; i < 9; ++i) {
        stage.ask(json{{"type", "single_path"}, {"request_id", 10 + i}, {"unit_id", 10 + i}, {"start", {1.5 + i, 20.5}}, {"goal", {28.25, 2.75}}}.dump());
    }
    stage.ask(R"({"type":"single_path","request_id":19,"group_size":40,"start":[1.5,20.5],"goal":[26.25,2.75]})");
    stage.settle();
    ASSERT_EQ(stage.answers.size(), 20u);
    const json field = byId(stage, 0)["field_id"];
    for (int i = 0; i < 20; ++i) {
        const json answer = byId(stage, i);
        EXPECT_EQ(answer["status"], "found");
        EXPECT_EQ(answer["algorithm"] == "flow_field", i < 10 || i == 19);
        EXPECT_EQ(answer.contains("field_id"), i < 10 || i == 19);
        if (i < 10) {
            EXPECT_EQ(answer["field_id"], field);
            EXPECT_EQ(answer["path"].back()["x"], 30.25);
            EXPECT_EQ(answer["path"].front()["x"], 1.5 + i);
        }
    }
    stage.clear();
    stage.ask(json{{"type", "flow_sample"}, {"request_id", "s"}, {"field_id", field}, {"positions", {{1.5, 20.5}}}}.dump());
    stage.settle();
    EXPECT_EQ(byId(stage, "s")["status"], "found");
}

TEST(FlowRequests, AGameTakesTheFieldAsAnObjectAndAnOldOneStaysValid) {
    Stage stage;
    const auto id = static_cast<FieldId>(askField(stage));
    const std::shared_ptr<const FlowField> old = stage.module->field(id);
    ASSERT_NE(old, nullptr);
    EXPECT_EQ(stage.module->takeField("f"), old);
    EXPECT_EQ(stage.module->takeField("f"), nullptr);  // taken
    EXPECT_EQ(stage.module->field(static_cast<FieldId>(99)), nullptr);
    EXPECT_EQ(old->direction({20, 2}), 0);
    stage.clear();
    stage.change(R"({"type":"place_obstacle","rect":[20,0,2,6],"kind":"wall","height":3})");
    stage.tick(10);
    const std::shared_ptr<const FlowField> now = stage.module->field(id);
    EXPECT_NE(now, old);
    EXPECT_EQ(old->direction({20, 2}), 0);
    EXPECT_EQ(now->direction({20, 2}), kFlowWall);
    const auto events = onTopic(stage, "pathfinder/invalidated");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0]["field_id"], static_cast<std::uint64_t>(id));
    EXPECT_EQ(events[0]["kind"], "blocked");
    EXPECT_EQ(events[0]["revision"], stage.module->world()->snapshot().revision());
}

TEST(FlowRequests, AGoalThatIsBuiltOverIsBlockedForThoseWhoFollowTheFieldAndMayImproveWhenItIsFreed) {
    for (const char* rect : {"[90,90,30,30]", "[100,100,1,1]"}) {
        SCOPED_TRACE(rect);
        Stage stage({.module = {.world = std::make_shared<World>(WorldConfig{.width = 200, .height = 200})}});
        stage.ask(R"({"type":"flow_field","request_id":1,"goal":[100.5,100.5],"constraints":{"cover_weight":0,"exposure_weight":0,"threat_weight":0}})");
        stage.settle();
        const json id = byId(stage, 1)["field_id"];
        stage.clear();
        stage.change(std::string(R"({"type":"place_obstacle","kind":"wall","height":3,"rect":)") + rect + "}");
        stage.tick(10);
        auto events = onTopic(stage, "pathfinder/invalidated");
        ASSERT_EQ(events.size(), 1u);
        EXPECT_EQ(events[0]["field_id"], id);
        EXPECT_EQ(events[0]["kind"], "blocked");
        stage.clear();
        stage.change(std::string(R"({"type":"remove_obstacle","rect":)") + rect + "}");
        stage.tick(10);
        events = onTopic(stage, "pathfinder/invalidated");
        ASSERT_EQ(events.size(), 1u);
        EXPECT_EQ(events[0]["kind"], "may_improve");
    }
}

TEST(FlowRequests, AFieldWithoutAnyPlaceToStandIsGoalBlockedUntilTheGroundIsFreed) {
    Stage stage;
    const std::uint64_t id = askField(stage);
    const auto sample = [&](int request) {
        stage.ask(json{{"type", "flow_sample"}, {"request_id", request}, {"field_id", id}, {"positions", {{1.5, 1.5}}}}.dump());
        stage.settle();
        return byId(stage, request);
    };
    stage.clear();
    stage.change(R"({"type":"place_obstacle","rect":[0,0,32,32],"kind":"wall","height":3})");
    stage.tick(10);
    const json blocked = sample(1);
    EXPECT_EQ(blocked["status"], "goal_blocked");
    EXPECT_EQ(blocked["error"]["field"], "field_id");
    EXPECT_EQ(blocked["error"]["value"], std::to_string(id));
    EXPECT_NE(blocked["error"]["remedy"].get<std::string>().find("can be stood on"), std::string::npos) << blocked["error"];
    EXPECT_FALSE(blocked.contains("directions"));
    auto events = onTopic(stage, "pathfinder/invalidated");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0]["kind"], "blocked");
    stage.clear();
    stage.change(R"({"type":"remove_obstacle","rect":[0,0,32,32]})");
    stage.tick(10);
    events = onTopic(stage, "pathfinder/invalidated");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0]["kind"], "may_improve");
    EXPECT_EQ(sample(2)["status"], "found");
}

TEST(FlowRequests, AGoalInTheCornerOfTheMapLeadsALargeUnitAsNearAsItCanStand) {
    Stage stage({.module = {.world = std::make_shared<World>(WorldConfig{.width = 200, .height = 200})}});
    const auto ask = [&](int id, const std::string& members) {
        stage.ask(R"({"request_id":)" + std::to_string(id) + R"(,"constraints":{"unit_radius":8},)" + members + "}");
        stage.settle();
        return byId(stage, id);
    };
    for (const char* method : {"dijkstra", "fmm"}) {
        stage.clear();
        const json field = ask(1, std::string(R"("type":"flow_field","goal":[0.5,0.5],"method":")") + method + "\"");
        EXPECT_EQ(field["status"], "partial") << field;
        EXPECT_EQ(field["goal"], json({8.0, 8.0}));
        EXPECT_GT(field["remaining_distance"], 0.0);
        EXPECT_TRUE(field["field_id"].is_number_unsigned());
    }
    const json path = ask(2, R"("type":"single_path","start":[100,100],"goal":[0.5,0.5],"allow_partial":true)");
    EXPECT_EQ(path["status"], "partial");
    EXPECT_EQ(path["path"].back()["x"], 8.0);
    EXPECT_EQ(path["path"].back()["y"], 8.0);
    EXPECT_EQ(ask(3, R"("type":"flow_field","goals":[[0.5,0.5],[100,100]])")["status"], "found") << "another goal can be stood on";
    EXPECT_EQ(ask(4, R"("type":"flow_field","goal":[-0.5,0.5])")["error"]["field"], "goal");
    EXPECT_EQ(ask(5, R"("type":"flow_field","goal":[0.5,0.5],"area":[128,128,64,64])")["error"]["field"], "area");
    EXPECT_EQ(ask(6, R"("type":"flow_field","goal":[0.5,0.5],"area":[0,0,64,64])")["goal"], json({8.0, 8.0}));
}

TEST(FlowRequests, W039_after_a_change_a_new_field_reflects_it_and_its_followers_get_one_event) {
    Stage stage;
    const std::uint64_t id = askField(stage);
    stage.clear();
    stage.change(R"({"type":"place_obstacle","rect":[24,0,1,8],"kind":"wall","height":3})");
    stage.ask(R"({"type":"flow_field","request_id":2,"goal":[30.5,2.5]})");
    stage.settle();
    stage.tick(20);
    const json answer = byId(stage, 2);
    EXPECT_EQ(answer["field_id"], id);
    EXPECT_EQ(answer["revision"], stage.module->world()->snapshot().revision());
    EXPECT_EQ(onTopic(stage, "pathfinder/invalidated").size(), 1u);
    stage.clear();
    stage.change(R"({"type":"set_terrain","rect":[27,28,2,2],"terrain":"forest"})");  // in the sealed yard, which no way of the field leads through
    stage.tick(20);
    EXPECT_TRUE(onTopic(stage, "pathfinder/invalidated").empty());
}

TEST(FlowRequests, CongestionIsPricedWhenItIsNews) {
    Stage stage({.config = R"({"algorithms":{"flow_field":{"refresh_interval":0.2}}})"});
    const auto id = static_cast<FieldId>(askField(stage));
    const Cell far{2, 30};
    const Cost before = stage.module->field(id)->distance(far);
    json cells = json::array();
    for (int y = 0; y < 4; ++y) cells.push_back({16, y, 20.0});
    stage.clear();
    stage.change(json{{"type", "congestion"}, {"cells", cells}}.dump());
    stage.tick();
    EXPECT_EQ(stage.module->field(id)->distance(far), before);
    stage.tick(20);
    EXPECT_GT(stage.module->field(id)->distance(far), before + 15 * kCostPerMetre);
    const auto events = onTopic(stage, "pathfinder/invalidated");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0]["kind"], "dearer");
}

TEST(FlowRequests, ACrowdIsPricedOnlyWhenTheConfigurationGivesItAWeight) {
    json units = json::array();
    for (int i = 0; i < 60; ++i) units.push_back({16.5 + i % 4, 0.5 + i % 5});
    const std::string crowd = json{{"type", "crowd"}, {"units", units}}.dump();
    Stage off;
    const std::uint64_t before = off.module->world()->snapshot().revision();
    off.change(crowd);
    off.tick(2);
    EXPECT_EQ(off.module->world()->snapshot().revision(), before);

    Stage on({.config = R"({"algorithms":{"flow_field":{"refresh_interval":0.2}},"congestion":{"weight":8}})"});
    const auto id = static_cast<FieldId>(askField(on));
    const Cell far{2, 30};
    const Cost empty = on.module->field(id)->distance(far);
    on.change(crowd);
    on.tick(20);
    EXPECT_GT(on.module->field(id)->distance(far), empty + 5 * kCostPerMetre);
    on.change(R"({"type":"crowd","units":[]})");
    on.tick(40);
    EXPECT_EQ(on.module->world()->snapshot().state().congested_chunks, 0u);
    EXPECT_EQ(on.module->field(id)->distance(far), empty);
}

TEST(FlowRequests, AFieldThatNobodyUsesIsDroppedAndItsIdIsStillKnown) {
    Stage stage({.config = R"({"algorithms":{"flow_field":{"cache_duration":0.5}}})"});
    const std::uint64_t id = askField(stage);
    stage.tick(40);
    EXPECT_EQ(stage.health()["flow_fields_cached"], 0);
    stage.clear();
    stage.ask(json{{"type", "flow_sample"}, {"request_id", 1}, {"field_id", id}, {"positions", {{1, 1}}}}.dump());
    stage.settle();
    const json answer = byId(stage, 1);
    EXPECT_EQ(answer["error"]["field"], "field_id");
    EXPECT_NE(answer["error"]["remedy"].get<std::string>().find("dropped"), std::string::npos);
}

TEST(FlowRequests, CancelAndShutdownAnswerOpenFieldRequestsOnce) {
    Stage stage({.host = Stage::Host::NeverRuns, .config = R"({"performance":{"patience_ticks":100000}})"});
    stage.ask(R"({"type":"flow_field","request_id":1,"goal":[30.5,2.5]})");
    stage.ask(R"({"type":"flow_field","request_id":2,"goal":[30.5,2.5]})");
    stage.tick();
    stage.ask(R"({"type":"cancel","request_id":1})");
    stage.tick();
    ASSERT_EQ(stage.answers.size(), 1u);
    EXPECT_EQ(stage.answers[0]["status"], "cancelled");
    stage.shutdown();
    ASSERT_EQ(stage.answers.size(), 2u);
    EXPECT_EQ(stage.answers[1]["request_id"], 2);
    EXPECT_EQ(stage.answers[1]["status"], "cancelled");
}

TEST(FlowRequests, FastMarchingLeadsAtAnyAngleAndIsRefusedWhereHeightsCost) {
    Stage stage;
    for (const char* method : {"fmm", "fmm2"}) {
        stage.clear();
        stage.ask(std::string(R"({"type":"flow_field","request_id":1,"goal":[2.5,2.5],"method":")") + method + "\"}");
        stage.settle();
        const json answer = byId(stage, 1);
        ASSERT_EQ(answer["status"], "found");
        const auto field = stage.module->takeField(1);
        const Vec2 way = field->vector({12, 7});
        EXPECT_NEAR(way.x, -10.0 / std::sqrt(125.0), 0.05);
        EXPECT_NEAR(way.y, -5.0 / std::sqrt(125.0), 0.05);
    }
    stage.change(R"({"type":"set_elevation","rect":[0,20,6,6],"elevation":2})");
    stage.clear();
    stage.ask(R"({"type":"flow_field","request_id":2,"goal":[3.5,2.5],"method":"fmm","constraints":{"elevation_weight":3}})");
    stage.settle();
    EXPECT_EQ(byId(stage, 2)["status"], "invalid_argument");
    EXPECT_EQ(byId(stage, 2)["error"]["field"], "constraints.elevation_weight");
    stage.ask(R"({"type":"flow_field","request_id":3,"goal":[3.5,2.5],"method":"fmm","constraints":{"elevation_weight":0,"max_slope":30}})");
    stage.settle();
    EXPECT_EQ(byId(stage, 3)["status"], "invalid_argument");
    EXPECT_EQ(byId(stage, 3)["error"]["field"], "constraints.max_slope");
}

TEST(FlowRequests, PositionsWithoutAnAreaMakeALocalField) {
    auto world = std::make_shared<World>(WorldConfig{.width = 600, .height = 600});
    Stage stage({.config = R"({"algorithms":{"flow_field":{"local_field_size":128}}})", .module = {.world = world}});
    stage.ask(R"({"type":"flow_field","request_id":1,"goal":[300.5,300.5],"positions":[[250.5,300.5],[260.5,310.5]]})");
    stage.ask(R"({"type":"flow_field","request_id":2,"goal":[300.5,300.5],"area":[256,256,64,64]})");
    stage.settle();
    const std::shared_ptr<const FlowField> local = stage.module->takeField(1), named = stage.module->takeField(2);
    ASSERT_NE(local, nullptr);
    ASSERT_NE(named, nullptr);
    EXPECT_LT(local->area().width, 400);
    EXPECT_TRUE(local->area().contains({250, 300}));
    EXPECT_EQ(named->area(), (CellRect{256, 256, 64, 64}));
    EXPECT_EQ(local->direction({550, 550}), kFlowOutside);
}

TEST(FlowRequests, AHundredUnitsOnAMapOf500MetresGetOnePublishedField) {
    auto world = std::make_shared<World>(WorldConfig{.width = 500, .height = 500});
    world->edit([](WorldEdit& e) {
        for (int i = 0; i < 40; ++i) e.placeObstacle({60 + i % 8 * 50, 40 + i / 8 * 90, 22, 30}, ObstacleKind::Building, 6.0f);
    });
    Stage stage({.module = {.world = world}});
    std::vector<Position> units;
    json positions = json::array();
    for (int i = 0; i < 100; ++i) {
        units.push_back({10.5f + static_cast<float>(i % 10) * 4.0f, 10.25f + static_cast<float>(i / 10) * 4.0f});
        positions.push_back({units.back().x, units.back().y});
    }
    stage.ask(json{{"type", "flow_field"}, {"request_id", "f"}, {"group_size", 100}, {"goal", {480.5, 470.5}}, {"positions", positions}}.dump());
    stage.settle();
    const json field = byId(stage, "f");
    ASSERT_EQ(field["topic"], "pathfinder/flow_fields");
    ASSERT_EQ(field["status"], "found");
    stage.ask(json{{"type", "flow_sample"}, {"request_id", "s"}, {"field_id", field["field_id"]}, {"positions", positions}}.dump());
    stage.settle();
    const json sample = byId(stage, "s");
    ASSERT_EQ(sample["directions"].size(), 100u);
    const auto object = stage.module->takeField("f");
    ASSERT_NE(object, nullptr);
    for (std::size_t i = 0; i < units.size(); ++i) {
        EXPECT_TRUE(sample["states"][i] == "blended" || sample["states"][i] == "plain") << i;
        const float x = sample["directions"][i][0], y = sample["directions"][i][1];
        EXPECT_NEAR(x * x + y * y, 1.0f, 1e-3f);
        EXPECT_NE(object->distance(cellAt(units[i])), kNoFlowDistance);
    }
    EXPECT_EQ(stage.health()["flow_fields"]["built"], 1);
}

TEST(FlowRequests, AGroupFarFromItsGoalGetsATiledFieldThatIsEnlargedForStrays) {
    auto world = std::make_shared<World>(WorldConfig{.width = 1600, .height = 640});
    Stage stage({.config = R"({"algorithms":{"flow_field":{"local_field_size":128}}})", .module = {.world = world}});
    stage.ask(R"({"type":"flow_field","request_id":1,"goal":[1550.5,300.5],"positions":[[50.5,300.5],[60.5,310.5]]})");
    stage.ask(R"({"type":"flow_field","request_id":2,"goal":[1550.5,300.5],"positions":[[50.5,300.5],[60.5,310.5]],"tiled":false})");
    stage.settle();
    const json tiled = byId(stage, 1);
    ASSERT_EQ(tiled["status"], "found");
    EXPECT_EQ(tiled["tiled"], true);
    EXPECT_FALSE(tiled.contains("cut_off"));
    EXPECT_FALSE(byId(stage, 2).contains("tiled"));
    EXPECT_LT(stage.module->takeField(1)->memoryBytes(), stage.module->takeField(2)->memoryBytes());

    const json stray = {{300.5, 600.5}};
    stage.ask(json{{"type", "flow_sample"}, {"request_id", 3}, {"field_id", tiled["field_id"]}, {"positions", stray}}.dump());
    stage.settle();
    EXPECT_TRUE(byId(stage, 3)["states"][0] == "coarse" || byId(stage, 3)["states"][0] == "pending");
    stage.ask(json{{"type", "flow_field"}, {"request_id", 4}, {"field_id", tiled["field_id"]}, {"positions", stray}}.dump());
    stage.settle();
    const json larger = byId(stage, 4);
    ASSERT_EQ(larger["status"], "found");
    EXPECT_NE(larger["field_id"], tiled["field_id"]);
    EXPECT_EQ(larger["goal"], json({1550.5, 300.5}));
    stage.ask(json{{"type", "flow_sample"}, {"request_id", 5}, {"field_id", larger["field_id"]}, {"positions", stray}}.dump());
    stage.settle();
    EXPECT_TRUE(byId(stage, 5)["states"][0] == "blended" || byId(stage, 5)["states"][0] == "plain");

    // Wrong requests are refused by name.
    stage.ask(R"({"type":"flow_field","request_id":6,"field_id":999,"positions":[[1.5,1.5]]})");
    stage.ask(R"({"type":"flow_field","request_id":7,"goal":[5.5,5.5],"tiled":true})");
    const json whole_id = byId(stage, 2)["field_id"];
    stage.ask(json{{"type", "flow_field"}, {"request_id", 8}, {"field_id", whole_id}, {"positions", stray}}.dump());
    stage.settle();
    EXPECT_EQ(byId(stage, 6)["error"]["field"], "field_id");
    EXPECT_EQ(byId(stage, 7)["error"]["field"], "positions");
    EXPECT_EQ(byId(stage, 8)["error"]["field"], "field_id");
}

TEST(FlowRequests, NearTheGoalDirectionsAreStraightAsFarAsTheConfigurationOrTheMessageSays) {
    auto world = std::make_shared<World>(WorldConfig{.width = 128, .height = 128});
    Stage stage({.config = R"({"algorithms":{"flow_field":{"smooth_radius":0,"straight_radius":24}}})", .module = {.world = world}});
    stage.ask(R"({"type":"flow_field","request_id":"config","goal":[64.5,64.5]})");
    stage.ask(R"({"type":"flow_field","request_id":"none","goal":[64.5,64.5],"straight_radius":0})");
    stage.ask(R"({"type":"flow_field","request_id":"far","goal":[64.5,64.5],"straight_radius":60})");
    stage.ask(R"({"type":"flow_field","request_id":"same","goal":[64.5,64.5],"straight_radius":24})");
    stage.ask(R"({"type":"flow_field","request_id":"fmm","goal":[64.5,64.5],"method":"fmm"})");
    stage.ask(R"({"type":"flow_field","request_id":"bad","goal":[64.5,64.5],"straight_radius":65})");
    stage.ask(R"({"type":"flow_field","request_id":"both","goal":[64.5,64.5],"straight_radius":8,"method":"fmm"})");
    stage.settle();
    EXPECT_EQ(byId(stage, "same")["field_id"], byId(stage, "config")["field_id"]);
    EXPECT_EQ(byId(stage, "fmm")["status"], "found");
    EXPECT_EQ(byId(stage, "bad")["error"]["field"], "straight_radius");
    EXPECT_EQ(byId(stage, "both")["error"]["field"], "straight_radius");
    const auto isStraight = [](const std::shared_ptr<const FlowField>& field, float x, float y) {
        const Vec2 v = field->vector(cellAt({x, y}));
        return std::abs(v.x * (64.5f - y) - v.y * (64.5f - x)) < 1e-3f;
    };
    const auto config = stage.module->takeField("config"), none = stage.module->takeField("none"), far = stage.module->takeField("far");
    ASSERT_TRUE(config != nullptr && none != nullptr && far != nullptr);
    EXPECT_TRUE(isStraight(config, 44.5f, 54.5f));
    EXPECT_FALSE(isStraight(config, 34.5f, 54.5f));
    EXPECT_FALSE(isStraight(none, 44.5f, 54.5f));
    EXPECT_TRUE(isStraight(far, 14.5f, 54.5f));
    // A group's routes share the field of the messages.
    for (int i = 0; i < 12; ++i) {
        stage.ask(json{{"type", "single_path"}, {"request_id", 100 + i}, {"start", {10.5 + i, 20.5}}, {"goal", {64.5, 64.5}}}.dump());
    }
    stage.settle();
    EXPECT_EQ(byId(stage, 100)["field_id"], byId(stage, "config")["field_id"]);
}

TEST(FlowRequests, SeveralFarGoalsAreTiledAndWhatCannotBeIsSaid) {
    auto world = std::make_shared<World>(WorldConfig{.width = 1600, .height = 1280});
    world->edit([](WorldEdit& e) {
        e.placeObstacle({99, 99, 12, 12}, ObstacleKind::Wall, 3.0f);
        e.removeObstacle({100, 100, 10, 10});
    });
    Stage stage({.config = R"({"algorithms":{"flow_field":{"local_field_size":64}}})", .module = {.world = world}});
    stage.ask(R"({"type":"flow_field","request_id":1,"goals":[[1550.5,100.5],[1550.5,1200.5],[50.5,1270.5]],"positions":[[50.5,200.5],[-20,5],[105.5,105.5],[1e5,3]]})");
    stage.ask(R"({"type":"flow_field","request_id":2,"goal":[1550.5,300.5],"positions":[[105.5,105.5]]})");
    stage.ask(R"({"type":"flow_field","request_id":3,"goal":[1550.5,300.5],"tiled":true,"positions":[[-1,5],[3,2000]]})");
    stage.ask(R"({"type":"flow_field","request_id":4,"goal":[60.5,300.5],"positions":[[50.5,200.5],[5000,5]]})");
    stage.settle();
    const json several = byId(stage, 1);
    ASSERT_EQ(several["status"], "found");
    EXPECT_EQ(several["tiled"], true);
    EXPECT_EQ(several["cut_off"], 1);
    EXPECT_EQ(several["off_map"], json({{-20, 5}, {100000, 3}}));
    EXPECT_EQ(byId(stage, 2)["tiled"], false);
    EXPECT_EQ(byId(stage, 2)["tiled_reason"], "no way leads from any of the positions to the goal");
    EXPECT_EQ(byId(stage, 3)["status"], "invalid_argument");
    EXPECT_EQ(byId(stage, 3)["error"]["field"], "positions");
    EXPECT_FALSE(byId(stage, 4).contains("tiled"));
    EXPECT_EQ(byId(stage, 4)["off_map"], json({{5000, 5}}));
    stage.ask(json{{"type", "flow_sample"}, {"request_id", 5}, {"field_id", several["field_id"]}, {"positions", {{50.5, 200.5}, {105.5, 105.5}}}}.dump());
    // Nothing new to stand in: the field itself.
    stage.ask(json{{"type", "flow_field"}, {"request_id", 6}, {"field_id", several["field_id"]}, {"positions", {{50.25, 200.25}, {-5, -5}}}}.dump());
    stage.settle();
    EXPECT_EQ(byId(stage, 5)["states"], json({"blended", "unreachable"}));
    EXPECT_EQ(byId(stage, 6)["off_map"], json({{-5, -5}}));
    stage.ask(json{{"type", "flow_field"}, {"request_id", 7}, {"field_id", several["field_id"]}, {"positions", {{50.25, 200.25}}}}.dump());
    stage.settle();
    EXPECT_EQ(byId(stage, 7)["field_id"], several["field_id"]);
}

}  // namespace
}  // namespace warpath
