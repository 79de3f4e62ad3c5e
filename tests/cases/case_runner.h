// Asks one request of every algorithm that answers it, for the named real-world cases.
//
//   forEveryAlgorithm([&](PathAlgorithm algorithm) { EXPECT_EQ(ask(drawn, algorithm).status, PathStatus::Found); });
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "support/ascii_world.h"
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
}

}  // namespace warpath
