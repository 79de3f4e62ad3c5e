// Congestion is read by the hierarchy as threat is: it moves the way without making a table anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "warpath/pathfinder/query.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

/// Walls across the map with two gates each, one in the north and one in the south.
std::unique_ptr<World> gatedWorld() {
    auto world = std::make_unique<World>(WorldConfig{.width = 512, .height = 256, .has_cover = false});
    world->edit([](WorldEdit& edit) {
        for (const int x : {150, 300}) {
            edit.placeObstacle(CellRect{x, 0, 3, 256}, ObstacleKind::Wall, 3.0f);
            edit.removeObstacle(CellRect{x, 100, 3, 10});
            edit.removeObstacle(CellRect{x, 180, 3, 10});
        }
    });
    return world;
}

bool passes(const Path& path, const CellRect& gate) {
    return std::any_of(path.cells.begin(), path.cells.end(), [&](Cell c) { return gate.contains(c); });
}

TEST(MovingPrices, CongestionAtAGateSendsTheHierarchyThroughTheOtherAndMakesNoTableAnew) {
    const std::unique_ptr<World> world = gatedWorld();
    Query query, exact;
    Path path, best;
    PathRequest request{.from = {20.5f, 105.5f}, .goal = Goal::point({490.5f, 105.5f}), .constraints = plainDistance(), .algorithm = PathAlgorithm::Hierarchical};
    const CellRect north{150, 100, 3, 10}, south{150, 180, 3, 10};
    ASSERT_EQ(query.findPath(world->snapshot(), request, path), PathStatus::Found);
    ASSERT_TRUE(passes(path, north));
    for (int cy = 0; cy < 4; ++cy) {
        for (int cx = 0; cx < 8; ++cx) {  // every table that a way could come by is there now
            PathRequest there = request;
            there.goal = Goal::point({static_cast<float>(cx * 64 + 31) + 0.5f, static_cast<float>(cy * 64 + 33) + 0.5f});
            query.findPath(world->snapshot(), there, path);
        }
    }
    const auto crowd = [&](const CellRect& where, float price) {
        world->edit([&](WorldEdit& edit) {
            edit.clearCongestion();
            for (int y = where.y - 6; y < where.y + where.height + 6; ++y) {
                for (int x = where.x - 12; x < where.x + where.width + 12; ++x) edit.setCongestion({x, y}, price);
            }
        });
    };
    for (const auto& [crowded, free] : {std::pair{north, south}, {south, north}, {north, south}}) {
        crowd(crowded, 40.0f);
        const WorldSnapshot now = world->snapshot();
        ASSERT_EQ(query.findPath(now, request, path), PathStatus::Found);
        EXPECT_EQ(query.hierarchyFigures().tables_computed, 0u);
        EXPECT_TRUE(passes(path, free));
        EXPECT_FALSE(passes(path, crowded));
        PathRequest plain = request;
        plain.algorithm = PathAlgorithm::AStar;
        ASSERT_EQ(exact.findPath(now, plain, best), PathStatus::Found);
        EXPECT_GE(path.cost, best.cost);
        EXPECT_LE(static_cast<double>(path.cost), 1.02 * static_cast<double>(best.cost));
    }
    crowd(north, 0.5f);  // little enough to walk through
    ASSERT_EQ(query.findPath(world->snapshot(), request, path), PathStatus::Found);
    EXPECT_TRUE(passes(path, north));
    EXPECT_GT(path.breakdown.congestion, 0u);
    world->edit([](WorldEdit& edit) { edit.clearCongestion(); });
    ASSERT_EQ(query.findPath(world->snapshot(), request, path), PathStatus::Found);
    EXPECT_EQ(path.breakdown.congestion, 0u);
    EXPECT_EQ(query.hierarchyFigures().tables_computed, 0u);
}

}  // namespace
}  // namespace warpath
