// Goals of every shape, partial answers, ignored obstacles: against brute force, and drawn by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "support/ascii_world.h"
#include "support/scenes.h"
#include "support/slow_grid.h"
#include "warpath/pathfinder/query.h"
#include "warpath/pathfinder/tactics.h"

namespace warpath {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

Cell topLeft(Position centre, int size) {
    return {static_cast<int>(std::floor(static_cast<double>(centre.x) + 0.5 - 0.5 * size)), static_cast<int>(std::floor(static_cast<double>(centre.y) + 0.5 - 0.5 * size))};
}

double straight(double dx, double dy) { return std::sqrt(dx * dx + dy * dy); }

/// Distance of a unit with its top-left cell here (world cells) to the goal, from the definition of each kind; 0 exactly on goal cells.
double distanceTo(const Goal& goal, Cell at, int size) {
    double best = kFar;
    const auto toCell = [&](Cell c) { best = std::min(best, straight(c.x - at.x, c.y - at.y)); };
    switch (goal.kind) {
        case Goal::Kind::Point: toCell(topLeft(goal.centre, size)); break;
        case Goal::Kind::Set:
            for (const Position p : goal.positions) toCell(topLeft(p, size));
            break;
        case Goal::Kind::Rectangle:
            for (int y = goal.rect.y; y < goal.rect.y + goal.rect.height; ++y) {
                for (int x = goal.rect.x; x < goal.rect.x + goal.rect.width; ++x) toCell({x, y});
            }
            break;
        case Goal::Kind::Disc:
        case Goal::Kind::Ring: {
            const double from = straight(at.x + 0.5 * size - static_cast<double>(goal.centre.x), at.y + 0.5 * size - static_cast<double>(goal.centre.y));
            const double inner = goal.kind == Goal::Kind::Ring ? static_cast<double>(goal.inner_radius) : 0.0;
            best = std::max({0.0, from - static_cast<double>(goal.radius), inner - from});
            break;
        }
    }
    return best;
}

struct Expected {
    PathStatus status = PathStatus::Unreachable;
    Cost cost = 0;
    double distance = 0.0;
};

/// What findPath with allow_partial must answer.
Expected expectedAnswer(const WorldSnapshot& now, const twin::SlowGrid& grid, Cell start, const Goal& goal, bool allow_partial) {
    const Cell origin = now.origin();
    if (!grid.inside(start.x - origin.x, start.y - origin.y) || !grid.fits(start.x - origin.x, start.y - origin.y)) return {PathStatus::StartBlocked};
    const twin::SlowAnswer from_start = twin::slowDijkstra(grid, {start.x - origin.x, start.y - origin.y});
    bool any_fits = false;
    Cost best = twin::kNowhere, nearest_cost = twin::kNowhere;
    double nearest = kFar;
    for (int y = 0; y < grid.height(); ++y) {
        for (int x = 0; x < grid.width(); ++x) {
            const double distance = distanceTo(goal, {x + origin.x, y + origin.y}, grid.size());
            const Cost cost = from_start.cost(grid, {x, y});
            if (distance == 0.0) {
                any_fits = any_fits || grid.fits(x, y);
                best = std::min(best, cost);
            }
            if (cost == twin::kNowhere) continue;
            if (distance < nearest - 1e-9 || (distance < nearest + 1e-9 && cost < nearest_cost)) {
                nearest = distance;
                nearest_cost = cost;
            }
        }
    }
    if (best != twin::kNowhere) return {PathStatus::Found, best, 0.0};
    if (allow_partial) return {PathStatus::Partial, nearest_cost, nearest};
    return {any_fits ? PathStatus::Unreachable : PathStatus::GoalBlocked};
}

Goal randomGoal(const Scene& scene, Rng& rng) {
    const auto where = [&]() -> Position {
        const Cell c = scene.anyCell(rng);
        if (rng.percent(15)) return {static_cast<float>(c.x) + 40.0f - static_cast<float>(rng.below(80)), static_cast<float>(c.y) + 40.0f - static_cast<float>(rng.below(80))};
        return scene.standingAt(c);
    };
    // Quarter metres: sums of squares are exact, so that the library's floats and the test's doubles agree about what lies on the rim.
    const auto quarter = [&](std::uint32_t most) { return static_cast<float>(rng.below(4 * most)) / 4.0f; };
    switch (rng.below(5)) {
        case 0: return Goal::point(where());
        case 1: {
            std::vector<Position> places;
            for (std::uint32_t i = 1 + rng.below(5); i > 0; --i) places.push_back(where());
            return Goal::set(places);
        }
        case 2: return Goal::disc(where(), quarter(6));
        case 3: {
            const float inner = quarter(8);
            return Goal::ring(where(), inner, inner + quarter(4));
        }
        default: {
            const Cell c = scene.anyCell(rng);
            const bool off = rng.percent(20);
            return Goal::rectangle({c.x + (off ? 30 - static_cast<int>(rng.below(60)) : 0), c.y, 1 + static_cast<int>(rng.below(8)), 1 + static_cast<int>(rng.below(8))});
        }
    }
}

void compareGoals(const SceneTraits& traits, std::uint64_t first_seed, int scenes, bool ignoring) {
    Query query;
    Path path;
    for (int i = 0; i < scenes; ++i) {
        const Scene scene = randomScene(first_seed + static_cast<std::uint64_t>(i), traits);
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        Rng rng(first_seed * 31 + static_cast<std::uint64_t>(i));
        for (int asked = 0; asked < 3; ++asked) {
            const Cell start = scene.anyCell(rng);
            PathRequest request{.from = scene.standingAt(start), .goal = randomGoal(scene, rng), .constraints = scene.wishes, .side = scene.side};
            request.allow_partial = rng.percent(70);
            request.ignore_self = ignoring && rng.percent(70);
            request.ignore_goal = ignoring && rng.percent(70);
            const int size = scene.size();
            std::vector<CellRect> exempt;
            const auto exemptSquare = [&](Cell c) {
                if (now.contains(c)) exempt.push_back({c.x - now.origin().x, c.y - now.origin().y, size, size});
            };
            if (request.ignore_self) exemptSquare(start);
            if (request.ignore_goal && request.goal.kind == Goal::Kind::Point) exemptSquare(topLeft(request.goal.centre, size));
            const twin::SlowGrid grid(now, scene.wishes, scene.side, exempt);
            const Expected expected = expectedAnswer(now, grid, start, request.goal, request.allow_partial);
            query.findPath(now, request, path);
            SCOPED_TRACE(::testing::Message() << "start " << start.x << ',' << start.y << " goal kind " << static_cast<int>(request.goal.kind) << " at "
                                              << request.goal.centre.x << ',' << request.goal.centre.y << " radius " << request.goal.radius << " size " << size
                                              << " partial " << request.allow_partial << " self " << request.ignore_self << " target " << request.ignore_goal);
            ASSERT_STREQ(toString(path.status), toString(expected.status)) << path.error.text();
            if (expected.status != PathStatus::Found && expected.status != PathStatus::Partial) {
                ASSERT_FALSE(path.hasRoute());
                continue;
            }
            ASSERT_EQ(path.cells.front(), start);
            std::vector<Cell> cells = path.cells;
            for (Cell& c : cells) c = {c.x - now.origin().x, c.y - now.origin().y};
            ASSERT_EQ(twin::routeCost(grid, cells), path.cost);
            const double distance = distanceTo(request.goal, path.cells.back(), size);
            ASSERT_NEAR(distance, expected.distance, 1e-6);
            ASSERT_NEAR(static_cast<double>(path.remaining_distance), expected.distance, 1e-3 * (1 + expected.distance));
            ASSERT_EQ(path.cost, expected.cost);
        }
    }
}

TEST(QueryGoals, EveryShapeIsReachedAtItsCheapestCell) { compareGoals({}, 11'000, 700, false); }
TEST(QueryGoals, EveryShapeIsApproachedAsNearAsCanBeOnOneWaySlopes) { compareGoals({.elevation = true}, 12'000, 500, false); }
TEST(QueryGoals, LargeUnitsReachTheirShapes) { compareGoals({.large_units = true}, 13'000, 500, false); }
TEST(QueryGoals, IgnoredObstaclesOpenExactlyTheirSquares) { compareGoals({}, 14'000, 700, true); }
TEST(QueryGoals, IgnoredObstaclesOpenExactlyTheirSquaresForLargeUnits) { compareGoals({.terrain = false, .large_units = true, .large_maps = false}, 15'000, 1500, true); }
TEST(QueryGoals, IgnoredObstaclesAndOneWaySlopesTogether) { compareGoals({.elevation = true, .large_units = true}, 16'000, 500, true); }

// The maps below were left behind by faults that the comparisons above found.

Path answer(const AsciiWorld& drawn, Position from, const Goal& goal, const std::function<void(PathRequest&)>& adjust = nullptr) {
    PathRequest request{.from = from, .goal = goal, .constraints = walker()};
    if (adjust) adjust(request);
    Query query;
    Path path;
    query.findPath(drawn.snapshot(), request, path);
    return path;
}

void partial(PathRequest& request) { request.allow_partial = true; }

TEST(QueryGoals, ANearestPlaceIsMeasuredToTheRealGoalOutsideTheMap) {
    const AsciiWorld drawn = asciiWorld("S.......\n"
                                        "........\n"
                                        ".......#\n"
                                        "........\n"
                                        "........\n");
    const Path path = answer(drawn, drawn.start(), Goal::point({30.5f, 2.5f}), partial);
    EXPECT_EQ(path.status, PathStatus::Partial);
    EXPECT_EQ(path.cells.back(), (Cell{7, 1})) << "(6,2) is as near to the map's edge, but farther from the goal";
    EXPECT_FLOAT_EQ(path.remaining_distance, std::sqrt(23.0f * 23.0f + 1.0f));
}

TEST(QueryGoals, ASetOutsideTheMapIsApproachedWhateverWasAskedBefore) {
    const AsciiWorld drawn = asciiWorld(".....\n"
                                        "..S..\n"
                                        ".....\n");
    PathRequest request{.from = drawn.start(), .goal = Goal::set({{20.5f, 0.5f}, {30.5f, 2.5f}}), .constraints = walker(), .allow_partial = true};
    Path path;
    for (const Position before : {Position{0.5f, 0.5f}, Position{4.5f, 2.5f}}) {
        Query query;
        query.findPath(drawn.snapshot(), {.from = drawn.start(), .goal = Goal::point(before), .constraints = walker()}, path);
        query.findPath(drawn.snapshot(), request, path);
        EXPECT_EQ(path.status, PathStatus::Partial);
        EXPECT_EQ(path.cells.back(), (Cell{4, 0}));
        EXPECT_FLOAT_EQ(path.remaining_distance, 16.0f);
    }
    request.allow_partial = false;
    Query query;
    EXPECT_EQ(query.findPath(drawn.snapshot(), request, path), PathStatus::GoalBlocked);
}

TEST(QueryGoals, ASealedRectangleIsApproachedAtItsNearestEdgeNotItsMiddle) {
    const AsciiWorld drawn = asciiWorld("..............\n"
                                        "S.#XXXXXXXXX#.\n"
                                        "##############\n");
    const Path path = answer(drawn, drawn.start(), Goal::rectangle({3, 1, 9, 1}), partial);
    EXPECT_EQ(path.status, PathStatus::Partial);
    EXPECT_EQ(path.cells.back(), (Cell{3, 0})) << "of nine cells at distance 1 the cheapest";
    EXPECT_FLOAT_EQ(path.remaining_distance, 1.0f);
}

TEST(QueryGoals, AUnitThatIgnoresItsOwnCellIsAlreadyInsideADiscAroundIt) {
    const AsciiWorld drawn = asciiWorld("#####\n"
                                        "##X##\n"
                                        "#####\n");
    const auto self = [](PathRequest& request) { request.ignore_self = true; };
    for (const Goal& goal : {Goal::disc({2.5f, 1.5f}, 1.0f), Goal::rectangle({2, 1, 1, 1}), Goal::set({{2.5f, 1.5f}}), Goal::point({2.5f, 1.5f})}) {
        const Path path = answer(drawn, {2.5f, 1.5f}, goal, self);
        EXPECT_EQ(path.status, PathStatus::Found);
        EXPECT_EQ(path.cells, (std::vector<Cell>{{2, 1}}));
        EXPECT_EQ(path.cost, 0u);
    }
}

TEST(QueryGoals, TwoIgnoredSquaresOfALargeUnitMeetOverTheFreeCellsBetweenThem) {
    const AsciiWorld drawn = asciiWorld("BB.BB\n"
                                        "BB.BB\n");
    const Path path = answer(drawn, {1.0f, 1.0f}, Goal::point({4.0f, 1.0f}), [](PathRequest& request) {
        request.constraints = walker(DiagonalRule::Strict, 2);
        request.ignore_self = request.ignore_goal = true;
    });
    EXPECT_EQ(path.status, PathStatus::Found);
    EXPECT_EQ(path.cells, (std::vector<Cell>{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
}

TEST(QueryGoals, IgnoringItselfDoesNotTakeAwayThePartialAnswer) {
    // Strict diagonals keep the unit out of both pockets that touch its cell; the table of regions cannot know.
    const AsciiWorld drawn = asciiWorld("..#..\n"
                                        "..#..\n"
                                        "##X#.\n"
                                        "..#.G\n");
    const Path path = answer(drawn, {2.5f, 2.5f}, Goal::point(drawn.goal()), [](PathRequest& request) { request.allow_partial = request.ignore_self = true; });
    EXPECT_EQ(path.status, PathStatus::Partial);
    EXPECT_EQ(path.cells, (std::vector<Cell>{{2, 2}}));
    EXPECT_FLOAT_EQ(path.remaining_distance, std::sqrt(5.0f));
}

TEST(QueryGoals, BehindAOneWaySlopeTheNearestPlaceIsNearToTheGoalItself) {
    const AsciiWorld drawn = asciiWorld("G......S\n"
                                        "........\n");
    setHeights(*drawn.world, "99500000\n"
                             "99500000\n");
    const auto one_way = [](PathRequest& request) {
        request.allow_partial = true;
        request.constraints.max_slope = 60.0f;
        request.constraints.max_slope_down = 89.0f;
    };
    const Path up = answer(drawn, drawn.start(), Goal::point(drawn.goal()), one_way);
    EXPECT_EQ(up.status, PathStatus::Partial);
    EXPECT_EQ(up.cells.back(), (Cell{3, 0}));
    EXPECT_FLOAT_EQ(up.remaining_distance, 3.0f);
    const Path down = answer(drawn, drawn.goal(), Goal::point(drawn.start()), one_way);
    EXPECT_EQ(down.status, PathStatus::Found);

    PathConstraints wishes = walker();
    wishes.max_slope = 60.0f;
    wishes.max_slope_down = 89.0f;
    Query query;
    EXPECT_EQ(query.reachable(drawn.snapshot(), drawn.start(), drawn.goal(), wishes), PathStatus::Unreachable) << "regions alone cannot tell";
    EXPECT_EQ(query.reachable(drawn.snapshot(), drawn.goal(), drawn.start(), wishes), PathStatus::Found);
    std::vector<Position> places;
    FlankingRequest around{.target = {3.5f, 0.5f}, .count = 2, .distance = 3.0f, .from = drawn.start(), .constraints = wishes};
    ASSERT_EQ(TacticalQuery(query).flankingPositions(drawn.snapshot(), around, places), PathStatus::Found);
    EXPECT_EQ(places, (std::vector<Position>{{6.5f, 0.5f}})) << "the one beyond the step up is left out";
}

TEST(QueryGoals, HugeRectanglesAreRefusedAndLargeOnesClipped) {
    const AsciiWorld drawn = asciiWorld("S...\n", {-2, -2});
    const Path huge = answer(drawn, drawn.start(), Goal::rectangle({INT32_MIN, 0, 10, 10}));
    EXPECT_EQ(huge.status, PathStatus::InvalidArgument);
    EXPECT_EQ(huge.error.field, "goal.rect");
    EXPECT_EQ(answer(drawn, drawn.start(), Goal::rectangle({0, 0, INT32_MAX, 5})).status, PathStatus::InvalidArgument);
    const Path large = answer(drawn, drawn.start(), Goal::rectangle({1, -100'000, 200'000, 200'000}));
    EXPECT_EQ(large.status, PathStatus::Found);
    EXPECT_EQ(large.cells.back(), (Cell{1, -2}));
}

}  // namespace
}  // namespace warpath
