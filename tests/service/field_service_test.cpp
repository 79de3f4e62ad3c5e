#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "support/drawn_map.h"
#include "support/fake_pathfinder.h"
#include "support/service_driver.h"
#include "warpath/core/hash.h"
#include "warpath/core/rng.h"
#include "warpath/service/service.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

using test::ManualExecutor;
using test::ThreadedExecutor;

PathConstraints plain() { return plainDistance(); }

PathRequest route(Position from, Position to) { return {.from = from, .goal = Goal::point(to), .constraints = plain()}; }
FieldRequest fieldTo(Position to) { return {.goal = Goal::point(to), .constraints = plain()}; }

class FieldServiceTest : public ::testing::Test {
protected:
    FieldServiceTest() {
        world_ = randomField(7, 150, 130, 12);
        world_->edit([](WorldEdit& e) {
            e.removeObstacle({0, 0, 12, 12});
            e.removeObstacle({120, 100, 12, 12});
        });
    }
    void tick(Service& service, int times = 1) {
        for (int i = 0; i < times; ++i) test::tick(service, world_->snapshot());
    }
    static std::vector<ServiceAnswer> pollAll(Service& service) { return test::pollAll(service); }
    std::vector<ServiceAnswer> finish(Service& service) {
        return test::finish(service, [&] { tick(service); });
    }
    /// Asks for a field and ticks until it is there.
    ServiceAnswer take(Service& service, FieldRequest request) {
        service.submit(std::move(request));
        auto answers = finish(service);
        EXPECT_EQ(answers.size(), 1u);
        return std::move(answers.at(0));
    }
    /// A field made from nothing on the world as it is.
    std::shared_ptr<const FlowField> fresh(const FieldRequest& request) {
        Query query;
        FieldResult result;
        query.buildField(world_->snapshot(), request, {}, result);
        return result.field;
    }
    void expectEqual(const FlowField& a, const FlowField& b) {
        ASSERT_EQ(a.area(), b.area());
        for (int y = 0; y < a.area().height; ++y) {
            for (int x = 0; x < a.area().width; ++x) {
                ASSERT_EQ(a.byteAt({x, y}), b.byteAt({x, y})) << x << "," << y;
                ASSERT_EQ(a.distance({x, y}), b.distance({x, y})) << x << "," << y;
            }
        }
    }
    Cost exactCost(const PathRequest& request) {
        Query query;
        Path path;
        PathRequest alone = request;
        alone.algorithm = PathAlgorithm::AStar;
        alone.group_size = 1;
        query.findPath(world_->snapshot(), alone, path);
        return path.cost;
    }

    std::unique_ptr<World> world_;
    const Position goal_ = mid(125, 105);
};

TEST_F(FieldServiceTest, AFieldIsAnsweredWithItsIdAndFoundAgainByIt) {
    Service service;
    const RequestTicket ticket = service.submit(fieldTo(goal_));
    tick(service);
    auto answer = service.poll();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->ticket, ticket);
    EXPECT_EQ(answer->kind, RequestKind::Field);
    EXPECT_EQ(answer->status, PathStatus::Found);
    ASSERT_NE(answer->field, nullptr);
    ASSERT_NE(answer->field->field, nullptr);
    EXPECT_EQ(answer->field->goal, goal_);
    EXPECT_EQ(answer->field->revision, world_->snapshot().revision());
    EXPECT_NE(answer->field_id, FieldId::None);
    EXPECT_EQ(service.field(answer->field_id), answer->field->field);
    EXPECT_EQ(service.stats().fields, 1u);
    EXPECT_GT(service.stats().field_bytes, 100'000u);
    EXPECT_EQ(service.field(static_cast<FieldId>(77)), nullptr);
    EXPECT_FALSE(service.wasField(static_cast<FieldId>(77)));
    EXPECT_FALSE(service.poll());
}

TEST_F(FieldServiceTest, EqualRequestsShareOneComputationAlsoWhileItIsUnderWay) {
    ManualExecutor executor;
    Service service({.jobs = executor.executor(), .patience_ticks = 100});
    for (int i = 0; i < 3; ++i) service.submit(fieldTo(goal_));
    service.submit(fieldTo({goal_.x + 0.25f, goal_.y}));  // the same cell
    tick(service);
    service.submit(fieldTo(goal_));
    service.submit(fieldTo(mid(3, 3)));
    tick(service);
    EXPECT_EQ(service.stats().fields_built, 2u);
    EXPECT_EQ(service.stats().fields_shared, 4u);
    executor.run();
    tick(service);
    service.submit(fieldTo(goal_));
    tick(service);
    const auto answers = pollAll(service);
    ASSERT_EQ(answers.size(), 7u);
    for (const std::size_t i : {0u, 1u, 2u, 3u, 4u, 6u}) {
        EXPECT_EQ(answers[i].field, answers[0].field) << i;
        EXPECT_EQ(answers[i].field_id, answers[0].field_id);
    }
    EXPECT_NE(answers[5].field_id, answers[0].field_id);
    EXPECT_EQ(service.stats().field_hits, 1u);
}

TEST_F(FieldServiceTest, RequestsWaitAsLongAsTheirFieldIsUnderWay) {
    ManualExecutor executor;
    Service service({.jobs = executor.executor(), .patience_ticks = 100});
    service.submit(fieldTo(goal_));
    service.submit(fieldTo(goal_));
    const RequestTicket third = service.submit(fieldTo(mid(3, 3)));
    EXPECT_EQ(service.stats().waiting, 3u);
    tick(service);
    EXPECT_EQ(service.stats().waiting, 3u);
    EXPECT_EQ(service.stats().running, 0u);
    service.cancel(third);
    EXPECT_EQ(service.stats().waiting, 2u);
    EXPECT_EQ(service.stats().running, 0u);
    executor.run();
    EXPECT_EQ(service.stats().waiting, 2u);
    EXPECT_EQ(service.stats().running, 0u);
    tick(service);
    EXPECT_EQ(service.stats().waiting, 0u);
    EXPECT_EQ(service.stats().running, 0u);
    EXPECT_EQ(service.stats().pending, 0u);
}

TEST_F(FieldServiceTest, WhatAFieldDependsOnMakesItAnother) {
    Service service;
    std::vector<FieldRequest> requests(7, fieldTo(goal_));
    requests[1].constraints.unit_type = UnitType::TankLight;
    requests[2].constraints.unit_radius = 0.9f;
    requests[3].area = CellRect{64, 64, 80, 60};
    requests[4].goal = Goal::set({goal_, mid(3, 3)});
    requests[5].constraints.threat_weight = 2.0f;
    requests[6].constraints.threat_weight = 2.0f;
    requests[6].side = 3;
    for (const FieldRequest& request : requests) service.submit(request);
    FieldRequest side = fieldTo(goal_);
    side.side = 5;  // nothing that this one prices depends on the side
    service.submit(side);
    std::set<FieldId> ids;
    const auto answers = finish(service);
    for (const ServiceAnswer& answer : answers) {
        EXPECT_EQ(answer.status, PathStatus::Found) << answer.error.text();
        ids.insert(answer.field_id);
    }
    EXPECT_EQ(ids.size(), requests.size());
    EXPECT_EQ(answers.back().field_id, answers.front().field_id);
}

TEST_F(FieldServiceTest, WrongRequestsAreAnsweredWithTheField) {
    Service service;
    const auto refused = [&](FieldRequest request) {
        const ServiceAnswer answer = take(service, std::move(request));
        EXPECT_EQ(answer.status, PathStatus::InvalidArgument);
        EXPECT_EQ(answer.field_id, FieldId::None);
        EXPECT_FALSE(answer.error.value.empty());
        EXPECT_FALSE(answer.error.remedy.empty());
        return answer.error.field;
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(refused(fieldTo({nan, 3.0f})), "goal");
    EXPECT_EQ(refused(fieldTo({-4.5f, 3.0f})), "goal");
    EXPECT_EQ(refused({.goal = Goal::set({})}), "goals");
    EXPECT_EQ(refused({.goal = Goal::set({mid(-5, 3)})}), "goals");
    EXPECT_EQ(refused({.goal = Goal::point(goal_), .side = 16}), "side");
    EXPECT_EQ(refused({.goal = Goal::point(goal_), .constraints = {.threat_weight = -1.0f}}), "threat_weight");
    EXPECT_EQ(refused({.goal = Goal::point(goal_), .area = CellRect{0, 0, 0, 5}}), "area");
    EXPECT_EQ(refused({.goal = Goal::point(goal_), .area = CellRect{0, 0, 20, 20}}), "area");
    EXPECT_EQ(refused({.goal = Goal::point(goal_), .area = CellRect{900, 0, 20, 20}}), "area");
    EXPECT_EQ(refused({.goal = Goal::point(goal_), .positions = {{nan, nan}}}), "positions");
    EXPECT_EQ(service.stats().fields, 0u);
}

TEST_F(FieldServiceTest, AGoalThatCannotBeReachedLeadsToTheNearestPlaceThatCan) {
    world_->edit([](WorldEdit& e) {
        e.removeObstacle({30, 30, 20, 20});
        e.placeObstacle({36, 36, 5, 5}, ObstacleKind::Building, 6.0f);
    });
    Service service;
    const ServiceAnswer answer = take(service, fieldTo(mid(37, 38)));
    EXPECT_EQ(answer.status, PathStatus::Partial);
    ASSERT_NE(answer.field->field, nullptr);
    EXPECT_FLOAT_EQ(answer.field->remaining_distance, 2.0f);
    EXPECT_EQ(answer.field->goal, mid(35, 38));
    EXPECT_EQ(answer.field->field->direction({35, 38}), kFlowGoal);
}

TEST_F(FieldServiceTest, AGroupIsTracedAlongOneFieldAtTheExactCost) {
    Service service;
    Rng rng(5);
    std::vector<PathRequest> requests;
    const auto start = [&] { return mid(static_cast<int>(rng.below(12)), static_cast<int>(rng.below(12))); };
    for (int i = 0; i < 10; ++i) requests.push_back(route(start(), goal_));
    requests.push_back(route(mid(300, 300), goal_));  // off the map, and counted all the same
    for (int i = 0; i < 9; ++i) requests.push_back(route(start(), mid(126, 110)));
    service.submitBatch(requests);
    const auto answers = finish(service);
    ASSERT_EQ(answers.size(), 20u);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const Path& path = answers[i].path();
        if (i == 10) {
            EXPECT_EQ(answers[i].status, PathStatus::StartBlocked);
            continue;
        }
        ASSERT_EQ(answers[i].status, PathStatus::Found);
        EXPECT_EQ(path.algorithm == PathAlgorithm::FlowField, i < 10);
        EXPECT_EQ(path.field_id == answers[0].path().field_id, i < 10);
        EXPECT_EQ(path.cost, exactCost(requests[i]));
        EXPECT_EQ(path.breakdown.total(), path.cost);
        EXPECT_EQ(path.waypoints.front().position, requests[i].from);
        EXPECT_EQ(path.waypoints.back().position, requests[i].goal.centre);
    }
    ASSERT_NE(answers[0].path().field_id, FieldId::None);
    EXPECT_EQ(answers[11].path().field_id, FieldId::None);
    EXPECT_EQ(service.stats().fields_built, 1u);
    EXPECT_NE(service.field(answers[0].path().field_id), nullptr);
}

TEST_F(FieldServiceTest, AGivenGroupSizeOrAlgorithmDoesTheSame) {
    Service service;
    PathRequest grouped = route(mid(3, 3), goal_);
    grouped.group_size = 10;
    PathRequest asked = route(mid(5, 3), goal_);
    asked.algorithm = PathAlgorithm::FlowField;
    PathRequest budget = grouped, ignoring = grouped, other = grouped;
    budget.max_expansions = 1'000'000;
    ignoring.ignore_self = true;
    other.algorithm = PathAlgorithm::AStar;
    for (const PathRequest& request : {grouped, asked, budget, ignoring, other}) service.submit(request);
    const auto answers = finish(service);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        EXPECT_EQ(answers[i].status, PathStatus::Found);
        EXPECT_EQ(answers[i].path().algorithm == PathAlgorithm::FlowField, i < 2) << i;
    }
    EXPECT_EQ(service.stats().fields_built, 1u);
    EXPECT_EQ(answers[0].path().cost, answers[4].path().cost);
}

TEST_F(FieldServiceTest, AGroupWhoseGoalCannotBeReachedIsAnsweredLikeASingleUnit) {
    world_->edit([](WorldEdit& e) { e.placeObstacle({124, 104, 3, 3}, ObstacleKind::Building, 6.0f); });
    Service service;
    for (int i = 0; i < 12; ++i) {
        PathRequest request = route(mid(3, i), goal_);
        request.allow_partial = i % 2 == 1;
        service.submit(request);
    }
    const auto answers = finish(service);
    ASSERT_EQ(answers.size(), 12u);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(answers[i].status, i % 2 == 1 ? PathStatus::Partial : PathStatus::GoalBlocked);
}

TEST_F(FieldServiceTest, AWallRenewsAFollowedFieldInTheNextTickAndItsFollowersAreTold) {
    Service service;
    const ServiceAnswer first = take(service, fieldTo(goal_));
    const std::shared_ptr<const FlowField> old = service.field(first.field_id);
    const Cell at{60, 60};
    const Cost before = old->distance(at);
    world_->edit([](WorldEdit& e) { e.placeObstacle({100, 70, 4, 60}, ObstacleKind::Wall, 3.0f); });
    tick(service);
    const std::shared_ptr<const FlowField> now = service.field(first.field_id);
    ASSERT_NE(now, old);
    EXPECT_GT(now->distance(at), before);
    EXPECT_EQ(old->distance(at), before);  // whoever holds the old one keeps it
    EXPECT_EQ(old->direction({101, 100}) == kFlowWall, false);
    expectEqual(*now, *fresh(fieldTo(goal_)));
    const auto event = service.pollFieldEvent();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->id, first.field_id);
    EXPECT_EQ(event->change, FieldChange::Blocked);
    EXPECT_EQ(event->revision, world_->snapshot().revision());
    EXPECT_FALSE(service.pollFieldEvent());
    EXPECT_EQ(service.stats().fields_renewed, 1u);

    world_->edit([](WorldEdit& e) { e.removeObstacle({100, 70, 4, 60}); });
    tick(service);
    const auto better = service.pollFieldEvent();
    ASSERT_TRUE(better);
    EXPECT_EQ(better->change, FieldChange::MayImprove);
    expectEqual(*service.field(first.field_id), *fresh(fieldTo(goal_)));
}

TEST_F(FieldServiceTest, FieldsThatNobodyFollowsAreRenewedWhenTheyAreAskedForAgain) {
    Service service;
    PathRequest request = route(mid(3, 3), goal_);
    request.group_size = 20;
    service.submit(request);
    const FieldId id = finish(service).at(0).path().field_id;
    world_->edit([](WorldEdit& e) { e.placeObstacle({60, 20, 3, 90}, ObstacleKind::Wall, 3.0f); });
    tick(service, 5);
    EXPECT_EQ(service.stats().fields_renewed, 0u);
    service.submit(request);
    const auto answers = finish(service);
    EXPECT_EQ(answers.at(0).path().field_id, id);
    EXPECT_EQ(answers.at(0).path().cost, exactCost(request));
    EXPECT_EQ(service.stats().fields_renewed, 1u);
    EXPECT_FALSE(service.pollFieldEvent());
}

TEST_F(FieldServiceTest, PricesRenewAFollowedFieldSeldomAndARequestAtOnce) {
    Service service({.fields = {.price_refresh_ticks = 20}});
    const ServiceAnswer first = take(service, fieldTo(goal_));
    world_->edit([&](WorldEdit& e) {
        for (int y = 0; y < 130; ++y) e.setCongestion({80, y}, 8.0f);
    });
    tick(service, 15);
    EXPECT_EQ(service.field(first.field_id), first.field->field);
    const ServiceAnswer asked = take(service, fieldTo(goal_));
    EXPECT_EQ(asked.field_id, first.field_id);
    EXPECT_NE(asked.field->field, first.field->field);
    expectEqual(*asked.field->field, *fresh(fieldTo(goal_)));
    ASSERT_TRUE(service.pollFieldEvent());
    world_->edit([&](WorldEdit& e) { e.clearCongestion(); });
    int ticks = 0;
    for (; ticks < 100 && service.field(first.field_id) == asked.field->field; ++ticks) tick(service);
    EXPECT_GE(ticks, 19);
    EXPECT_LE(ticks, 22);
    const auto event = service.pollFieldEvent();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->change, FieldChange::MayImprove);
    expectEqual(*service.field(first.field_id), *first.field->field);
}

TEST_F(FieldServiceTest, UnusedFieldsAreDroppedAndCrowdedOnesByLastUse) {
    Service service({.fields = {.max_fields = 2, .keep_ticks = 10}});
    std::vector<FieldId> ids;
    for (int i = 0; i < 3; ++i) {
        ids.push_back(take(service, fieldTo(mid(125 + i, 105))).field_id);
        tick(service);
    }
    EXPECT_EQ(service.stats().fields, 2u);
    EXPECT_EQ(service.field(ids[0]), nullptr);
    EXPECT_TRUE(service.wasField(ids[0]));
    const std::shared_ptr<const FlowField> held = service.field(ids[2]);
    ASSERT_NE(held, nullptr);
    for (int i = 0; i < 12; ++i) {
        tick(service);
        EXPECT_NE(service.field(ids[1]), nullptr);
    }
    EXPECT_EQ(service.stats().fields, 1u);
    EXPECT_EQ(service.field(ids[2]), nullptr);
    EXPECT_NE(service.field(ids[1]), nullptr);
    EXPECT_EQ(held->direction({127, 105}), kFlowGoal);  // who holds it has it
    const ServiceAnswer again = take(service, fieldTo(mid(125, 105)));
    EXPECT_NE(again.field_id, ids[0]);  // an id names one field for ever
}

TEST_F(FieldServiceTest, FieldsAreDroppedAlsoWhileTheGroundChangesInEveryTick) {
    for (const bool timely : {false, true}) {
        ManualExecutor executor;
        for (const bool later : {false, true}) {
            ServiceOptions options{.fields = {.max_fields = 4, .keep_ticks = 20, .timely = timely}};
            if (later) options.jobs = executor.executor();
            Service service(options);
            const auto change = [&](int i) {
                world_->edit([&](WorldEdit& e) {
                    if (i % 2 == 0) e.placeObstacle({3, 3, 3, 1}, ObstacleKind::Wall, 1.0f);
                    else e.removeObstacle({3, 3, 3, 1});
                });
            };
            for (int i = 0; i < 60; ++i) {
                service.submit(fieldTo(mid(121 + i % 10, 101 + i / 10)));
                tick(service);
                if (later) executor.run();
                pollAll(service);
                change(i);
                EXPECT_LE(service.stats().fields, 8u) << i;  // those that nobody had yet are kept
            }
            EXPECT_LT(service.stats().fields_renewed, 400u);
            for (int i = 0; i < 30; ++i) {
                tick(service);
                if (later) executor.run();
                pollAll(service);
                change(i);
            }
            EXPECT_EQ(service.stats().fields, 0u);
            const auto renewed = service.stats().fields_renewed;
            tick(service, 3);
            EXPECT_EQ(service.stats().fields_renewed, renewed);
        }
    }
}

TEST_F(FieldServiceTest, AFieldThatTookLongerThanUnusedOnesAreKeptIsThereForItsAsker) {
    ManualExecutor executor;
    Service service({.jobs = executor.executor(), .patience_ticks = 100, .fields = {.keep_ticks = 3}});
    service.submit(fieldTo(goal_));
    tick(service, 10);
    executor.run();
    tick(service);
    const auto answers = pollAll(service);
    ASSERT_EQ(answers.size(), 1u);
    world_->edit([](WorldEdit& e) { e.placeObstacle({3, 3, 3, 1}, ObstacleKind::Wall, 1.0f); });
    tick(service);
    EXPECT_NE(service.field(answers[0].field_id), nullptr);
}

TEST_F(FieldServiceTest, ATiledFieldIsMadeFromOneForSomeOfItsPositionsAndCountsAsNew) {
    world_ = std::make_unique<World>(WorldConfig{.width = 900, .height = 400});
    Service service;
    FieldRequest request{.goal = Goal::point(mid(850, 50)), .constraints = plain(), .positions = {mid(20, 40)}, .tiled = true};
    const ServiceAnswer small = take(service, request);
    ASSERT_EQ(small.status, PathStatus::Found);
    ASSERT_TRUE(small.field->field->info().tiled);
    auto known = service.fieldRequest(small.field_id);
    ASSERT_TRUE(known);
    known->positions.push_back(mid(200, 350));
    const ServiceAnswer large = take(service, *known);
    EXPECT_NE(large.field_id, small.field_id);
    EXPECT_EQ(large.field->change, FieldChange::New);
    expectEqual(*large.field->field, *fresh(*known));
    EXPECT_EQ(large.field->field->tile({0, 0}), small.field->field->tile({0, 0})) << "what the smaller one holds is used";
    EXPECT_FALSE(service.pollFieldEvent());

    // A change on the way renews both.
    const std::uint64_t renewed = service.stats().fields_renewed;
    world_->edit([](WorldEdit& e) { e.placeObstacle({400, 0, 4, 100}, ObstacleKind::Wall, 3.0f); });
    tick(service, 4);
    EXPECT_EQ(service.stats().fields_renewed, renewed + 2);
    expectEqual(*service.field(large.field_id), *fresh(*known));
    EXPECT_TRUE(service.pollFieldEvent());
    EXPECT_FALSE(service.fieldRequest(static_cast<FieldId>(99)));
}

TEST_F(FieldServiceTest, OnALargeMapAGroupOfOneTickSharesATiledField) {
    world_ = randomField(3, 900, 400, 8);
    const Position goal = mid(850, 50);
    world_->edit([](WorldEdit& e) {
        e.removeObstacle({846, 46, 9, 9});
        e.removeObstacle({10, 20, 30, 30});
        e.placeObstacle({600, 350, 8, 8}, ObstacleKind::Wall, 3.0f);
        e.removeObstacle({602, 352, 3, 3});
    });
    ServiceOptions options;
    options.rules.field_cells = 100'000;
    Service service(options);
    const auto march = [&](Position to) {
        for (int i = 0; i < 12; ++i) service.submit(route(mid(12 + 2 * i, 22 + i), to));
        return finish(service);
    };
    const std::vector<ServiceAnswer> answers = march(goal);
    ASSERT_EQ(answers.size(), 12u);
    EXPECT_EQ(service.stats().fields_built, 1u);
    for (const ServiceAnswer& answer : answers) {
        ASSERT_EQ(answer.status, PathStatus::Found);
        ASSERT_EQ(answer.paths.front().algorithm, PathAlgorithm::FlowField);
        const auto field = service.field(answer.paths.front().field_id);
        ASSERT_NE(field, nullptr);
        EXPECT_TRUE(field->info().tiled);
        const Cost exact = exactCost(route(answer.paths.front().waypoints.front().position, goal));
        EXPECT_GE(answer.paths.front().cost, exact);
        EXPECT_LE(static_cast<double>(answer.paths.front().cost), static_cast<double>(exact) * 1.005);
    }
    // A goal that nobody can come to costs no field of the whole map.
    for (const ServiceAnswer& answer : march(mid(603, 353))) EXPECT_EQ(answer.status, PathStatus::Unreachable);
    EXPECT_LT(service.stats().field_bytes, std::size_t{900} * 400 * 5);
    // One that stands alone, whatever size its group is said to have, gets a route of its own.
    PathRequest alone = route(mid(12, 22), mid(840, 380));
    alone.group_size = 50;
    service.submit(alone);
    const auto single = finish(service);
    EXPECT_NE(single.front().paths.front().algorithm, PathAlgorithm::FlowField);
}

TEST_F(FieldServiceTest, AnotherWorldEndsAllFields) {
    Service service;
    const ServiceAnswer first = take(service, fieldTo(goal_));
    world_ = randomField(8, 150, 130, 5);
    tick(service);
    EXPECT_EQ(service.field(first.field_id), nullptr);
    EXPECT_TRUE(service.wasField(first.field_id));
    EXPECT_EQ(first.field->field->direction({125, 105}), kFlowGoal);
    EXPECT_EQ(service.stats().fields, 0u);
}

TEST_F(FieldServiceTest, OneWhoCancelsTakesNothingFromTheOthers) {
    ManualExecutor executor;
    Service service({.jobs = executor.executor(), .patience_ticks = 100});
    const RequestTicket gone = service.submit(fieldTo(goal_));
    const RequestTicket stays = service.submit(fieldTo(goal_));
    std::vector<RequestTicket> routes;
    for (int i = 0; i < 12; ++i) routes.push_back(service.submit(route(mid(2, i), goal_), {.unit_id = static_cast<std::uint64_t>(i)}));
    tick(service);
    EXPECT_EQ(service.stats().pending, 14u);
    EXPECT_TRUE(service.cancel(gone));
    EXPECT_TRUE(service.cancel(routes[3]));
    service.submit(route(mid(9, 9), goal_), {.unit_id = 5});  // supersedes one that waits for the field
    executor.run();
    tick(service, 2);
    executor.run();
    tick(service);
    std::map<RequestTicket, PathStatus> ends;
    for (const ServiceAnswer& answer : pollAll(service)) ends[answer.ticket] = answer.status;
    EXPECT_EQ(service.stats().pending, 0u);
    EXPECT_EQ(ends.size(), 15u);
    EXPECT_EQ(ends[gone], PathStatus::Cancelled);
    EXPECT_EQ(ends[stays], PathStatus::Found);
    for (std::size_t i = 0; i < routes.size(); ++i) {
        EXPECT_EQ(ends[routes[i]], i == 3 ? PathStatus::Cancelled : i == 5 ? PathStatus::Superseded : PathStatus::Found) << i;
    }
    EXPECT_EQ(service.stats().fields_built, 1u);
}

TEST_F(FieldServiceTest, TheSameGroupsHaveTheSameAnswersOnAnyNumberOfThreads) {
    const auto run = [&](int threads, bool timely) {
        world_ = randomField(7, 150, 130, 12);
        std::unique_ptr<ThreadedExecutor> pool;
        if (threads > 0) pool = std::make_unique<ThreadedExecutor>(threads);
        Service service({.jobs = pool ? pool->executor() : JobExecutor{}, .validate_answers = false, .fields = {.timely = timely}});
        std::map<RequestTicket, std::uint64_t> hashes;
        Rng rng(31);
        const auto place = [&] { return mid(static_cast<int>(rng.below(150)), static_cast<int>(rng.below(130))); };
        const auto collect = [&] {
            for (ServiceAnswer& answer : pollAll(service)) {
                Hash64 hash;
                hash.add(static_cast<std::uint64_t>(answer.status));
                hash.add(static_cast<std::uint64_t>(answer.path().field_id));
                hash.add(static_cast<std::uint64_t>(answer.field_id));
                hash.add(static_cast<std::uint64_t>(answer.path().algorithm));
                for (const Cell c : answer.path().cells) hash.add(static_cast<std::uint64_t>(c.x) << 32 | static_cast<std::uint64_t>(c.y));
                if (answer.field != nullptr && answer.field->field != nullptr) {
                    for (int y = 0; y < 130; y += 3) hash.add(std::uint64_t{answer.field->field->direction({y, y})});
                }
                EXPECT_TRUE(hashes.emplace(answer.ticket, hash.value()).second);
            }
        };
        for (int step = 0; step < 40; ++step) {
            const Position goal = place();
            const int units = 5 + static_cast<int>(rng.below(12));
            for (int i = 0; i < units; ++i) {
                const Position from = place();
                service.submit(route(from, goal));
            }
            if (rng.percent(40)) service.submit(fieldTo(goal));
            if (rng.percent(30)) {
                const int x = static_cast<int>(rng.below(140)), y = static_cast<int>(rng.below(120));
                world_->edit([&](WorldEdit& e) { e.placeObstacle({x, y, 6, 4}, ObstacleKind::Building, 5.0f); });
            }
            tick(service);
            collect();
        }
        for (int i = 0; i < 20'000 && service.stats().pending > 0; ++i) {
            tick(service);
            collect();
            std::this_thread::yield();
        }
        return hashes;
    };
    const auto alone = run(0, false);
    EXPECT_GT(alone.size(), 200u);
    EXPECT_EQ(run(1, false), alone);
    EXPECT_EQ(run(4, false), alone);
    EXPECT_EQ(run(4, true), alone);
}

TEST_F(FieldServiceTest, TimelyFieldsArePublishedAtTheSameTickHoweverFastTheWorkersAre) {
    const auto run = [&](int kind) {
        world_ = randomField(9, 150, 130, 8);
        ManualExecutor executor;
        Service service({.jobs = kind == 0 ? JobExecutor{} : executor.executor(), .patience_ticks = 1000, .fields = {.timely = true, .due_ticks = 2}});
        service.submit(fieldTo(mid(75, 65)));
        tick(service);
        executor.run();
        tick(service);
        const FieldId id = service.poll().value().field_id;
        std::vector<std::uint64_t> revisions;
        for (int step = 0; step < 30; ++step) {
            if (step % 5 == 1) {
                world_->edit([&](WorldEdit& e) { e.placeObstacle({20 + step, 20, 2, 8}, ObstacleKind::Wall, 3.0f); });
            }
            tick(service);
            if (kind == 1) executor.run();
            revisions.push_back(service.field(id)->info().revision);
        }
        executor.run();
        tick(service, 3);
        expectEqual(*service.field(id), *fresh(fieldTo(mid(75, 65))));
        return revisions;
    };
    const auto inside = run(0);
    EXPECT_EQ(run(1), inside);   // at once
    EXPECT_EQ(run(2), inside);   // never
    EXPECT_GT(std::set<std::uint64_t>(inside.begin(), inside.end()).size(), 4u);
}

TEST_F(FieldServiceTest, AnOldGenerationStaysWholeForItsReadersWhileEditsGoOn) {
    ThreadedExecutor pool(2);
    Service service({.jobs = pool.executor()});
    const ServiceAnswer first = take(service, fieldTo(goal_));
    const std::shared_ptr<const FlowField> old = first.field->field;
    const auto digest = [](const FlowField& field) {
        Hash64 hash;
        for (int y = 0; y < field.area().height; ++y) {
            for (int x = 0; x < field.area().width; ++x) {
                hash.addByte(field.byteAt({x, y}));
                hash.add(field.distance({x, y}));
            }
        }
        return hash.value();
    };
    const std::uint64_t whole = digest(*old);
    std::atomic<bool> ending{false};
    std::atomic<int> wrong{0}, looks{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i) {
        readers.emplace_back([&] {
            do {
                if (digest(*old) != whole) ++wrong;
                ++looks;
            } while (!ending);
        });
    }
    Rng rng(3);
    int generations = 0;
    std::shared_ptr<const FlowField> seen = old;
    for (int step = 0; step < 400 && (generations < 10 || looks < 4); ++step) {
        const int x = static_cast<int>(rng.below(110)), y = static_cast<int>(rng.below(90));
        world_->edit([&](WorldEdit& e) {
            if (rng.percent(50)) {
                e.placeObstacle({x, y, 5, 5}, ObstacleKind::Building, 5.0f);
            } else {
                e.removeObstacle({x, y, 9, 9});
            }
        });
        tick(service);
        if (auto now = service.field(first.field_id); now != seen) {
            seen = std::move(now);
            ++generations;
        }
        std::this_thread::yield();
    }
    ending = true;
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(generations, 0);
    for (int i = 0; i < 20'000 && service.field(first.field_id)->info().revision != world_->snapshot().revision(); ++i) {
        tick(service);
        std::this_thread::yield();
        if (i % 100 == 99 && service.field(first.field_id)->isCurrent(world_->snapshot())) break;
    }
    expectEqual(*service.field(first.field_id), *fresh(fieldTo(goal_)));
}

TEST_F(FieldServiceTest, WhateverHappensEachTicketIsAnsweredExactlyOnce) {
    for (const int threads : {0, 3}) {
        SCOPED_TRACE(threads);
        Rng rng(static_cast<std::uint64_t>(threads) + 40);
        std::unique_ptr<ThreadedExecutor> pool;
        if (threads > 0) pool = std::make_unique<ThreadedExecutor>(threads);
        const auto draw = [&] {
            ServiceOptions options;
            if (pool) options.jobs = pool->executor();
            options.max_searches_per_tick = rng.below(3) == 0 ? 0 : 1 + rng.below(20);
            options.patience_ticks = rng.below(4);
            options.newest_snapshot = rng.percent(30);
            options.fields = {.max_fields = 1 + rng.below(4), .keep_ticks = rng.below(30), .price_refresh_ticks = rng.below(10), .timely = rng.percent(50),
                              .due_ticks = 1 + rng.below(4)};
            return options;
        };
        Service service(draw());
        std::map<RequestTicket, int> answers;
        const auto collect = [&] {
            for (const ServiceAnswer& answer : pollAll(service)) ++answers[answer.ticket];
            while (service.pollFieldEvent()) {
            }
        };
        std::vector<RequestTicket> tickets;
        const Position goals[] = {mid(125, 105), mid(5, 5), mid(70, 66)};
        for (int step = 0; step < 400; ++step) {
            const Position goal = goals[rng.below(3)];
            switch (rng.below(8)) {
                case 0: case 1:
                    for (int i = 0; i < 12; ++i) tickets.push_back(service.submit(route(mid(2, i), goal), {.unit_id = rng.below(40), .priority = static_cast<int>(rng.below(4))}));
                    break;
                case 2: tickets.push_back(service.submit(fieldTo(goal))); break;
                case 3:
                    if (!tickets.empty()) service.cancel(tickets[tickets.size() - 1 - rng.below(static_cast<std::uint32_t>(std::min<std::size_t>(tickets.size(), 30)))]);
                    break;
                case 4:
                    if (rng.percent(20)) {
                        EXPECT_FALSE(service.reconfigure(draw()));
                    }
                    break;
                case 5: {
                    const int x = static_cast<int>(rng.below(150));
                    if (rng.percent(3)) world_ = randomField(step + 50, 150, 130, 8);
                    world_->edit([&](WorldEdit& e) {
                        if (rng.percent(50)) e.setCongestion({x, 50}, 3.0f);
                        else e.placeObstacle({x, 60, 1, 3}, ObstacleKind::Wall, 3.0f);
                    });
                    break;
                }
                default:
                    service.tick(world_->snapshot(), rng.below(4) * 30'000);
                    collect();
            }
            const ServiceStats stats = service.stats();
            ASSERT_EQ(stats.submitted, stats.answered + stats.pending);
        }
        for (ServiceAnswer& answer : finish(service)) ++answers[answer.ticket];
        ASSERT_EQ(answers.size(), tickets.size());
        for (const auto& [ticket, count] : answers) ASSERT_EQ(count, 1);
    }
}

}  // namespace
}  // namespace warpath
