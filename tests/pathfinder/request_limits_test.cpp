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

}  // namespace
}  // namespace warpath
