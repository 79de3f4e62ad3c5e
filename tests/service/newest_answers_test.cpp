// Routes that were found before an edit and are delivered after it.
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "support/scenes.h"
#include "support/service_driver.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

class NewestAnswersTest : public ::testing::Test {
protected:
    NewestAnswersTest() {
        world_.edit([](WorldEdit& edit) {
            edit.placeObstacle(CellRect{15, 0, 1, 9}, ObstacleKind::Wall, 3.0f);
            for (const int y : {1, 4, 7}) edit.removeObstacle(Cell{15, y});
        });
    }
    ServiceOptions later() {
        return {.jobs = [this](std::function<void()> job) {
            jobs_.push_back(std::move(job));
            return true;
        }};
    }
    static PathRequest across() { return {.from = {5.5f, 1.5f}, .goal = Goal::point({25.5f, 1.5f}), .constraints = plainDistance()}; }
    /// A tick that computes nothing itself.
    void tick(Service& service) { test::tick(service, world_.snapshot(), 0); }
    void work() {
        for (const auto& job : std::exchange(jobs_, {})) job();
    }
    void block(Cell cell) {
        world_.edit([&](WorldEdit& edit) { edit.placeObstacle(cell, ObstacleKind::Wall, 3.0f); });
    }

    World world_{WorldConfig{.width = 30, .height = 9, .has_cover = false}};
    std::vector<std::function<void()>> jobs_;
};

TEST_F(NewestAnswersTest, ARouteThatAnEditHasBrokenIsFoundAgainBeforeItIsTold) {
    Service service(later());
    const RequestTicket ticket = service.submit(across());
    tick(service);
    work();
    block({15, 1});
    tick(service);
    EXPECT_FALSE(service.poll());
    EXPECT_TRUE(service.isOpen(ticket));
    EXPECT_EQ(service.stats().asked_again, 1u);
    tick(service);
    work();
    tick(service);
    const auto answer = service.poll();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->ticket, ticket);
    EXPECT_EQ(answer->status, PathStatus::Found);
    EXPECT_TRUE(answer->path().is_valid);
    EXPECT_EQ(answer->path().revision, world_.snapshot().revision());
    for (const Cell c : answer->path().cells) EXPECT_EQ(world_.snapshot().obstacleAt(c), 0);
}

TEST_F(NewestAnswersTest, AfterTwoRepeatsABrokenRouteIsToldWithThePlaceWhereItIsBroken) {
    Service service(later());
    service.submit(across());
    for (const int gap : {1, 4, 7}) {
        tick(service);
        EXPECT_FALSE(service.poll());
        work();
        block({15, gap});
        tick(service);
    }
    const auto answer = service.poll();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, PathStatus::Found);
    EXPECT_FALSE(answer->path().is_valid);
    EXPECT_EQ(answer->validation.first_bad_position, (Position{15.5f, 7.5f}));
    EXPECT_LT(answer->path().revision, world_.snapshot().revision());
    EXPECT_EQ(service.stats().asked_again, 2u);
}

TEST_F(NewestAnswersTest, AWayThatWasClosedForGoodIsUnreachable) {
    Service service(later());
    service.submit(MultiPathRequest{.path = across()});
    tick(service);
    work();
    for (const int gap : {1, 4, 7}) block({15, gap});
    tick(service);
    tick(service);
    work();
    tick(service);
    const auto answer = service.poll();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, PathStatus::Unreachable);
    EXPECT_TRUE(answer->paths.empty());
}

TEST_F(NewestAnswersTest, AnEditBesideTheRouteDelaysNothing) {
    Service service(later());
    PathRequest onto = across();
    onto.goal = Goal::point({25.5f, 4.5f});
    onto.ignore_goal = true;
    block({25, 4});  // the target itself
    const std::uint64_t searched = world_.snapshot().revision();
    service.submit(across());
    service.submit(onto);
    tick(service);
    work();
    block({2, 8});
    tick(service);
    const auto answers = test::pollAll(service);
    ASSERT_EQ(answers.size(), 2u);
    for (const ServiceAnswer& answer : answers) {
        EXPECT_EQ(answer.status, PathStatus::Found);
        EXPECT_TRUE(answer.path().is_valid);
        EXPECT_EQ(answer.path().revision, searched);
    }
}

TEST_F(NewestAnswersTest, InLockstepGamesAnAnswerIsThatOfItsOwnRevisionWheneverItComes) {
    ServiceOptions options = later();
    options.validate_answers = false;
    Service service(options);
    service.submit(across());
    tick(service);
    work();
    block({15, 1});
    tick(service);
    const auto answer = service.poll();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->path().is_valid);
    EXPECT_LT(answer->path().revision, world_.snapshot().revision());
}

TEST_F(NewestAnswersTest, ARouteAlongAFieldIsTracedAlongANewerOne) {
    Service service(later());
    PathRequest request = across();
    request.algorithm = PathAlgorithm::FlowField;
    service.submit(request);
    for (int i = 0; i < 3; ++i) {
        tick(service);
        if (i == 0) {
            work();
            block({15, 1});
        } else {
            work();
        }
    }
    std::vector<ServiceAnswer> answers = test::pollAll(service);
    for (int i = 0; i < 5 && answers.empty(); ++i) {
        work();
        tick(service);
        answers = test::pollAll(service);
    }
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].path().algorithm, PathAlgorithm::FlowField);
    EXPECT_TRUE(answers[0].path().is_valid);
    for (const Cell c : answers[0].path().cells) EXPECT_EQ(world_.snapshot().obstacleAt(c), 0);
}

}  // namespace
}  // namespace warpath
