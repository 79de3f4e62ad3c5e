// One scene at places all over the chunk grid: where the grid lies must not matter. The usual run takes every 41st of the 64 x 64 offsets;
// WARPATH_ALL_OFFSETS=1 test_pathfinder --gtest_filter='Translation.*' takes all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include "support/ascii_world.h"
#include "warpath/core/rng.h"
#include "warpath/pathfinder/query.h"

namespace warpath {
namespace {

constexpr int kScene = 44;  // cells a side, wall around included: over two or four chunks at most offsets
constexpr int kOffsets = kChunkSize * kChunkSize;
/// At all 4096 offsets the short ways of both scenes lose nothing.
constexpr double kWorstLoss = 0.01;

/// Noise, patches of terrain where it is weighted, and a wall around it.
struct DrawnScene {
    std::vector<Terrain> terrain;
    std::vector<PackedObstacle> obstacles;

    DrawnScene(bool weighted, std::uint64_t seed) {
        Rng rng(seed);
        World world(WorldConfig{.width = kScene, .height = kScene, .has_cover = false});
        world.edit([&](WorldEdit& edit) {
            const auto place = [&](int largest) {
                const int x = static_cast<int>(rng.below(kScene)), y = static_cast<int>(rng.below(kScene));
                const int w = 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(largest)));
                return CellRect{x, y, w, 1 + static_cast<int>(rng.below(static_cast<std::uint32_t>(largest)))};
            };
            for (int i = 0; weighted && i < 30; ++i) {
                const auto kind = static_cast<Terrain>(rng.below(10));
                edit.setTerrain(place(12), kind);
            }
            for (int i = 0; i < 12; ++i) {
                CellRect wall = place(24);
                (rng.percent(50) ? wall.width : wall.height) = 1;
                edit.placeObstacle(wall, ObstacleKind::Wall, 3.0f);
            }
            for (int i = 0; i < 60; ++i) edit.placeObstacle(place(1), ObstacleKind::Rock, 3.0f);
            for (const Cell end : {Cell{2, 3}, Cell{40, 41}, Cell{41, 2}, Cell{3, 39}, Cell{22, 21}}) edit.removeObstacle(CellRect{end.x - 1, end.y - 1, 3, 3});
            edit.placeObstacle(CellRect{0, 0, kScene, 1}, ObstacleKind::Wall, 3.0f);
            edit.placeObstacle(CellRect{0, kScene - 1, kScene, 1}, ObstacleKind::Wall, 3.0f);
            edit.placeObstacle(CellRect{0, 0, 1, kScene}, ObstacleKind::Wall, 3.0f);
            edit.placeObstacle(CellRect{kScene - 1, 0, 1, kScene}, ObstacleKind::Wall, 3.0f);
        });
        const WorldSnapshot drawn = world.snapshot();
        for (int y = 0; y < kScene; ++y) {
            for (int x = 0; x < kScene; ++x) {
                terrain.push_back(drawn.terrainAt({x, y}));
                obstacles.push_back(drawn.obstacleAt({x, y}));
            }
        }
    }

    [[nodiscard]] std::unique_ptr<World> at(int dx, int dy) const {
        auto world = std::make_unique<World>(WorldConfig{.width = 2 * kChunkSize, .height = 2 * kChunkSize, .has_cover = false});
        world->edit([&](WorldEdit& edit) { edit.setCells({dx, dy, kScene, kScene}, terrain, obstacles); });
        return world;
    }
};

void moveOverTheGrid(bool weighted, std::uint64_t seed) {
    const DrawnScene scene(weighted, seed);
    const int step = std::getenv("WARPATH_ALL_OFFSETS") != nullptr ? 1 : 41;
    constexpr std::array<std::pair<Cell, Cell>, 3> kTrips{{{{2, 3}, {40, 41}}, {{41, 2}, {3, 39}}, {{22, 21}, {40, 41}}}};
    std::array<std::optional<Path>, kTrips.size()> first;
    AlgorithmRules led;  // the same exact search, led by exact distances to the goal
    led.field_from_distance = 0.0f;
    AlgorithmRules plain;
    plain.field_from_distance = 20'000.0f;
    Query query, led_query(query.tiles(), led), plain_query(query.tiles(), plain);
    Path path;
    double worst = 0.0;
    for (int offset = 0; offset < kOffsets; offset += step) {
        const int dx = offset % kChunkSize, dy = offset / kChunkSize;
        SCOPED_TRACE(::testing::Message() << "offset " << dx << ',' << dy);
        const std::unique_ptr<World> world = scene.at(dx, dy);
        const WorldSnapshot now = world->snapshot();
        for (std::size_t trip = 0; trip < kTrips.size(); ++trip) {
            const auto& [from, to] = kTrips[trip];
            PathRequest request{.from = centreOf(Cell{from.x + dx, from.y + dy}), .goal = Goal::point(centreOf(Cell{to.x + dx, to.y + dy})), .constraints = plainDistance()};
            request.algorithm = PathAlgorithm::AStar;
            plain_query.findPath(now, request, path);
            if (!first[trip]) {
                ASSERT_EQ(path.status, PathStatus::Found);
                first[trip] = path;
            }
            const Path& best = *first[trip];
            ASSERT_EQ(path.cost, best.cost);
            led_query.findPath(now, request, path);
            ASSERT_EQ(path.cost, best.cost);
            for (const PathAlgorithm exact : {PathAlgorithm::Jps, PathAlgorithm::FlowField, PathAlgorithm::Auto}) {
                request.algorithm = exact;
                query.findPath(now, request, path);
                ASSERT_EQ(path.cost, best.cost) << toString(exact);
            }
            request.algorithm = PathAlgorithm::Hierarchical;
            query.findPath(now, request, path);
            ASSERT_EQ(path.status, PathStatus::Found);
            ASSERT_EQ(path.algorithm, PathAlgorithm::Hierarchical);
            ASSERT_GE(path.cost, best.cost);
            worst = std::max(worst, static_cast<double>(path.cost) / static_cast<double>(best.cost) - 1.0);
        }
    }
    ::testing::Test::RecordProperty("worst_loss_ppm", static_cast<int>(worst * 1e6));
    EXPECT_LE(worst, kWorstLoss);
}

TEST(Translation, AUniformSceneCostsTheSameWhereverTheChunkGridLies) { moveOverTheGrid(false, 3); }
TEST(Translation, AWeightedSceneCostsTheSameWhereverTheChunkGridLies) { moveOverTheGrid(true, 4); }

}  // namespace
}  // namespace warpath
