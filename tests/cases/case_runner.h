// Asks one request of every algorithm that answers it, for the named real-world cases.
//
//   forEveryAlgorithm([&](PathAlgorithm algorithm) { EXPECT_EQ(ask(drawn, algorithm).status, PathStatus::Found); });
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "support/ascii_world.h"
#include "warpath/flow/flow_builder.h"
#include "warpath/pathfinder/query.h"

namespace warpath {

/// The exact algorithms; a build that lacks one answers by A*, so the values hold either way. New ones join here.
inline constexpr PathAlgorithm kExactAlgorithms[] = {PathAlgorithm::Auto, PathAlgorithm::AStar, PathAlgorithm::Jps};
/// Algorithms that may cost more than the optimum but agree about what can be reached.
inline constexpr PathAlgorithm kBoundedAlgorithms[] = {PathAlgorithm::Hierarchical};
inline constexpr double kBoundedStretch = 1.25;

inline constexpr DiagonalRule kDiagonalRules[] = {DiagonalRule::Never, DiagonalRule::Always, DiagonalRule::One, DiagonalRule::Strict};

inline PathRequest requestOn(const AsciiWorld& drawn, DiagonalRule rule = DiagonalRule::Strict, int size = 1) {
    return {.from = drawn.s ? drawn.start() : Position{}, .goal = Goal::point(drawn.g ? drawn.goal() : Position{}), .constraints = walker(rule, size)};
}

inline Path ask(const WorldSnapshot& snapshot, PathRequest request, PathAlgorithm algorithm = PathAlgorithm::AStar) {
    request.algorithm = algorithm;
    Query query;
    Path path;
    query.findPath(snapshot, request, path);
    return path;
}

/// Checks that a flow field to the request's point goal says the same of its start as the searches do, and that following its arrows pays exactly that.
inline void expectField(const WorldSnapshot& snapshot, const PathRequest& request, PathStatus status, double metres) {
    if (request.goal.kind != Goal::Kind::Point || request.ignore_self || request.ignore_goal || request.max_cost || status == PathStatus::InvalidArgument) return;
    const auto resolved = std::get<ResolvedConstraints>(resolve(request.constraints, snapshot.rules()));
    const int size = resolved.metric.profile.size;
    FlowBuilder builder;
    FlowRequest wanted;
    wanted.key = {resolved.metric, resolved.threat_weight, static_cast<std::uint8_t>(request.side)};
    wanted.goals = {flowCell(request.goal.centre, size)};
    const Cell start = flowCell(request.from, size);
    if (request.allow_partial) wanted.starts = {start};
    const FlowAnswer answer = builder.build(snapshot, wanted, std::make_shared<TileStore>());
    if (status == PathStatus::GoalBlocked) {
        EXPECT_TRUE(answer.field == nullptr || answer.field->info().redirected);
        return;
    }
    ASSERT_NE(answer.field, nullptr) << answer.error.text();
    if (metres < 0.0) {
        EXPECT_FALSE(isFlowWay(answer.field->direction(start)) && !answer.field->info().redirected);
        return;
    }
    EXPECT_STREQ(toString(answer.status), toString(status));
    EXPECT_NEAR(costInMetres(answer.field->distance(start)), metres, 2e-3);
    int steps = 0;
    for (Cell at = start; answer.field->direction(at) != kFlowGoal; at = *answer.field->next(at)) {
        ASSERT_TRUE(answer.field->next(at).has_value());
        ASSERT_LT(answer.field->distance(*answer.field->next(at)), answer.field->distance(at));
        ASSERT_LT(++steps, 1'000'000);
    }
}

/// Checks the outcome in every algorithm. @param metres the cost of the best route; below 0: no route.
inline void expectAnswer(const WorldSnapshot& snapshot, const PathRequest& request, PathStatus status, double metres = -1.0) {
    const auto check = [&](PathAlgorithm algorithm, double stretch) {
        SCOPED_TRACE(toString(algorithm));
        const Path path = ask(snapshot, request, algorithm);
        EXPECT_STREQ(toString(path.status), toString(status)) << path.error.text();
        EXPECT_EQ(path.hasRoute(), metres >= 0.0);
        EXPECT_EQ(path.breakdown.total(), path.cost);
        if (metres < 0.0 || !path.hasRoute()) return;
        EXPECT_GE(costInMetres(path.cost), metres - 2e-3);
        EXPECT_LE(costInMetres(path.cost), metres * stretch + 2e-3);
    };
    for (const PathAlgorithm algorithm : kExactAlgorithms) check(algorithm, 1.0);
    for (const PathAlgorithm algorithm : kBoundedAlgorithms) check(algorithm, kBoundedStretch);
    SCOPED_TRACE("flow field builder");
    expectField(snapshot, request, status, metres);
}

}  // namespace warpath
