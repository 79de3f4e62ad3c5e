// Values of a request outside their limits are refused by name, and nothing is searched.
#include <gtest/gtest.h>

#include <limits>

#include "warpath/pathfinder/query.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

std::string refusedField(const PathRequest& request) {
    const World world({.width = 20, .height = 20});
    Query query;
    Path path;
    const PathStatus status = query.findPath(world.snapshot(), request, path);
    return status == PathStatus::InvalidArgument && !path.hasRoute() ? path.error.field : toString(status);
}

PathRequest across() { return {.from = {1.5f, 1.5f}, .goal = Goal::point({18.5f, 18.5f})}; }

TEST(RequestLimits, the_field_that_is_wrong_is_named) {
    EXPECT_EQ(refusedField(across()), "found");
    PathRequest request = across();
    request.from.x = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(refusedField(request), "start");
    request = across();
    request.goal.centre.y = std::numeric_limits<float>::infinity();
    EXPECT_EQ(refusedField(request), "goal");
    request = across();
    request.side = kMaxSides;
    EXPECT_EQ(refusedField(request), "side");
    request = across();
    request.weight = 0.5f;
    EXPECT_EQ(refusedField(request), "weight");
    request = across();
    request.max_cost = -1.0;
    EXPECT_EQ(refusedField(request), "max_cost");
    request = across();
    request.algorithm = static_cast<PathAlgorithm>(200);
    EXPECT_EQ(refusedField(request), "algorithm");
    request = across();
    request.detail = static_cast<PathDetail>(200);
    EXPECT_EQ(refusedField(request), "detail");
}

TEST(RequestLimits, an_end_off_the_map_is_named_with_the_bounds) {
    const World world({.width = 20, .height = 20, .origin = {-5, 10}});
    Query query;
    Path path;
    const auto ask = [&](Position from, Position to) {
        query.findPath(world.snapshot(), {.from = from, .goal = Goal::point(to)}, path);
        return path.error.text();
    };
    const std::string bounds = "use metres from [-5,10] to below [15,30]";
    EXPECT_EQ(ask({40.5f, 12.0f}, {1.5f, 12.0f}), "start: [40.5,12] lies off the map; " + bounds);
    EXPECT_EQ(path.status, PathStatus::StartBlocked);
    EXPECT_EQ(ask({1.5f, 12.0f}, {1.5f, 30.0f}), "goal: [1.5,30] lies off the map; " + bounds) << "the far edge is outside";
    EXPECT_EQ(path.status, PathStatus::GoalBlocked);
    ask({-5.0f, 10.0f}, {14.999f, 29.999f});
    EXPECT_EQ(path.status, PathStatus::Found) << "the near edge is inside";
    EXPECT_EQ(path.error.field, "");
    ask({1.5f, 12.0f}, {3e38f, 12.0f});
    EXPECT_EQ(path.error.text(), "goal: [3e+38,12]; use finite metres within +-4,000,000");
    Error error;
    EXPECT_EQ(query.reachable(world.snapshot(), {1.5f, 12.0f}, {99.0f, 12.0f}, {}, &error), PathStatus::GoalBlocked);
    EXPECT_EQ(error.field, "goal");
    EXPECT_EQ(query.reachable(world.snapshot(), {1.5f, 12.0f}, {3.0f, 12.0f}, {}, &error), PathStatus::Found);
    EXPECT_EQ(error.field, "") << "an old error does not stay";
}

TEST(RequestLimits, what_a_field_request_puts_off_the_map_is_told_in_the_same_words) {
    const World world({.width = 20, .height = 20, .origin = {-5, 10}});
    const auto told = [&](const FieldRequest& request) {
        const auto key = fieldKeyOf(world.snapshot(), request);
        const auto* error = std::get_if<Error>(&key);
        return error != nullptr ? error->text() : std::string();
    };
    const std::string bounds = " lies off the map; use metres from [-5,10] to below [15,30]";
    const Goal goal = Goal::point({1.5f, 12.0f});
    EXPECT_EQ(told({.goal = Goal::point({40.5f, 12.0f})}), "goal: [40.5,12]" + bounds);
    EXPECT_EQ(told({.goal = Goal::set({{40.5f, 12.0f}})}), "goals: [40.5,12]" + bounds);
    EXPECT_EQ(told({.goal = Goal::disc({40.5f, 12.0f}, 3.0f)}), "goal: [40.5,12]" + bounds);
    EXPECT_EQ(told({.goal = goal, .positions = {{0.5f, 9.5f}}, .tiled = true}), "positions: [0.5,9.5]" + bounds);
    EXPECT_EQ(told({.goal = goal, .area = CellRect{20, 0, 5, 5}}), "area: [20,0,5,5] lies off the map; use cells from [-5,10] to below [15,30]");
    EXPECT_EQ(told({.goal = Goal::rectangle({20, 0, 5, 5})}), "goal.rect: [20,0,5,5] lies off the map; use cells from [-5,10] to below [15,30]");
    EXPECT_EQ(told({.goal = Goal::disc({-4.9f, 10.1f}, 0.1f), .constraints = {.unit_radius = 2.4f}}),
              "goal.radius: 0.1; use a larger one: so near to the map's edge it holds no place for a unit of that size");
}

TEST(RequestLimits, the_smallest_numbers_fall_into_the_cell_that_holds_them) {
    const World world({.width = 20, .height = 20, .origin = {-1, -1}});
    Query query;
    Path path;
    const float tiny = std::numeric_limits<float>::denorm_min();
    for (const auto& [x, cell] : {std::pair{0.0f, 0}, std::pair{-0.0f, 0}, std::pair{tiny, 0}, std::pair{-tiny, -1}}) {
        query.findPath(world.snapshot(), {.from = {x, 0.5f}, .goal = Goal::point({5.5f, 0.5f})}, path);
        ASSERT_EQ(path.status, PathStatus::Found);
        EXPECT_EQ(path.cells.front(), (Cell{cell, 0})) << x;
    }
}

TEST(RequestLimits, a_mode_that_does_not_exist_is_named) {
    const World world({.width = 20, .height = 20});
    Query query;
    std::vector<Path> paths;
    MultiPathRequest request{.path = across()};
    request.mode = static_cast<MultiPathMode>(7);
    EXPECT_EQ(query.findAllPaths(world.snapshot(), request, paths), PathStatus::InvalidArgument);
    ASSERT_EQ(paths.size(), 1u);
    EXPECT_EQ(paths[0].error.field, "mode");
}

}  // namespace
}  // namespace warpath
