// Real-world cases that speak of meshes and unit sizes, by the ids of the case list.
#include <cmath>

#include "navmesh/support.h"

namespace warpath {
namespace {

using test::Fixture;

/// Where a way crosses the line x, or a negative number.
float crossingAt(const NavPath& path, float x) {
    for (std::size_t i = 0; i + 1 < path.points.size(); ++i) {
        const Position a = path.points[i], b = path.points[i + 1];
        if ((a.x - x) * (b.x - x) > 0.0f || a.x == b.x) continue;
        return a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x);
    }
    return -1.0f;
}

TEST(NavCasesTest, W096OneWorldServesSeveralSizesEachThroughTheGapThatFits) {
    Fixture f({.width = 12, .height = 12});
    f.edit([](WorldEdit& e) {
        test::draw(e, {".....#......", "............", ".....#......", ".....#......", "............", "............", ".....#......", ".....#......",
                       "............", "............", "............", ".....#......"});
    });
    NavWorldConfig config;
    config.agents = {{"one", {.cell_size = 0.25f, .agent_radius = 0.25f}},
                     {"two", {.cell_size = 0.25f, .agent_radius = 0.75f}},
                     {"three", {.cell_size = 0.25f, .agent_radius = 1.25f}}};
    f.open(config);
    const float gap_low[] = {1.0f, 4.0f, 8.0f}, gap_high[] = {2.0f, 6.0f, 11.0f};
    float before = 0.0f;
    for (int agent = 0; agent < 3; ++agent) {
        SCOPED_TRACE("units of " + std::to_string(agent + 1) + " cells");
        const float half = 0.5f * static_cast<float>(agent + 1);
        NavPath path;
        ASSERT_EQ(f.reader->findPath({.from = {1.0f + half, 1.0f + half}, .to = {8.0f + half, 1.0f + half}, .mover = {.agent = agent}}, path), NavStatus::Complete);
        const float at = crossingAt(path, 5.5f);
        EXPECT_GT(at, gap_low[agent]);
        EXPECT_LT(at, gap_high[agent]);
        EXPECT_GT(path.length, before);
        before = path.length;
        if (agent == 0) {
            EXPECT_NEAR(path.length, 7.0f, 0.001f);
        }
    }
}

TEST(NavCasesTest, W099ObstaclesPutUpAtRunTimeKeepTheRadiusLikeAllOthers) {
    Fixture f({.width = 64, .height = 32});
    f.edit([](WorldEdit& e) {
        e.placeObstacle({30, 0, 2, 12}, ObstacleKind::Wall, 3.0f);
        e.placeObstacle({30, 20, 2, 12}, ObstacleKind::Wall, 3.0f);
    });
    NavWorldConfig config;
    config.agents = {{"two", {.cell_size = 0.25f, .agent_radius = 0.75f}}};
    f.open(config);
    const Position from{10.5f, 16.0f}, to{50.5f, 16.0f};
    EXPECT_EQ(f.path(from, to).status, NavStatus::Complete);
    // Two crates, one cell apart, fill the way between the walls.
    f.edit([](WorldEdit& e) {
        e.placeObstacle({30, 12, 2, 4}, ObstacleKind::Building, 2.0f);
        e.placeObstacle({30, 17, 2, 3}, ObstacleKind::Building, 2.0f);
    });
    EXPECT_EQ(f.path(from, to).status, NavStatus::Unreachable);
    // Two cells apart is enough for two cells of unit.
    f.edit([](WorldEdit& e) { e.removeObstacle({30, 17, 2, 1}); });
    EXPECT_EQ(f.path(from, to).status, NavStatus::Complete);
}

}  // namespace
}  // namespace warpath
