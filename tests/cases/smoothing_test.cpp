// Real-world cases about smoothing. The number is that of the collection of cases.
#include <algorithm>
#include <cmath>

#include "cases/case_runner.h"
#include "warpath/core/rng.h"

namespace warpath {
namespace {

/// Whether the unit's square, moved straight from one position to the other, keeps off everything that is blocked. Sampled every tenth of a metre.
bool isFree(const WorldSnapshot& snapshot, Position a, Position b, int size) {
    const double length = std::hypot(static_cast<double>(b.x - a.x), static_cast<double>(b.y - a.y));
    const int samples = static_cast<int>(length * 10.0) + 1;
    const double half = size / 2.0 - 1e-3;
    for (int i = 0; i <= samples; ++i) {
        const double x = static_cast<double>(a.x) + static_cast<double>(b.x - a.x) * i / samples, y = static_cast<double>(a.y) + static_cast<double>(b.y - a.y) * i / samples;
        for (int cy = static_cast<int>(std::floor(y - half)); cy <= static_cast<int>(std::floor(y + half)); ++cy) {
            for (int cx = static_cast<int>(std::floor(x - half)); cx <= static_cast<int>(std::floor(x + half)); ++cx) {
                if (!snapshot.contains({cx, cy}) || snapshot.obstacleAt({cx, cy}) != 0) return false;
            }
        }
    }
    return true;
}

TEST(Cases, W107_every_stretch_between_waypoints_is_free_for_the_unit_and_no_longer_than_the_cells) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Rng rng(seed);
        World world({.width = 40, .height = 40, .rules = letterRules(), .fill = static_cast<Terrain>(0), .has_cover = false});
        world.edit([&](WorldEdit& edit) {
            for (int k = 0; k < 5; ++k) {  // walls like a U, open to one side
                const int x = static_cast<int>(rng.below(28)), y = static_cast<int>(rng.below(28)), w = 4 + static_cast<int>(rng.below(8)), h = 4 + static_cast<int>(rng.below(8));
                const CellRect sides[] = {{x, y, w, 1}, {x + w - 1, y, 1, h}, {x, y + h - 1, w, 1}, {x, y, 1, h}};
                const std::uint32_t open = rng.below(4);
                for (std::uint32_t side = 0; side < 4; ++side) {
                    if (side != open) edit.placeObstacle(sides[side], ObstacleKind::Wall, 2.0f);
                }
            }
        });
        const int size = 1 + static_cast<int>(seed % 3);
        const float middle = static_cast<float>(size) / 2.0f;
        const auto place = [&] { return Position{static_cast<float>(rng.below(37)) + middle, static_cast<float>(rng.below(37)) + middle}; };
        const PathRequest request{.from = place(), .goal = Goal::point(place()), .constraints = walker(DiagonalRule::Strict, size)};
        const WorldSnapshot now = world.snapshot();
        PathRequest in_cells = request;
        in_cells.detail = PathDetail::Cells;
        const Path fine = ask(now, in_cells);
        for (const PathAlgorithm algorithm : {PathAlgorithm::AStar, PathAlgorithm::Jps, PathAlgorithm::Hierarchical}) {
            const Path path = ask(now, request, algorithm);
            ASSERT_EQ(path.hasRoute(), fine.hasRoute()) << seed;
            if (!path.hasRoute()) continue;
            ++found;
            EXPECT_EQ(path.waypoints.front().position, request.from);
            EXPECT_EQ(path.waypoints.back().position, request.goal.centre);
            double length = 0.0;
            for (std::size_t i = 1; i < path.waypoints.size(); ++i) {
                const Position a = path.waypoints[i - 1].position, b = path.waypoints[i].position;
                EXPECT_TRUE(isFree(now, a, b, size)) << "seed " << seed << " stretch " << i << ' ' << toString(algorithm);
                length += std::hypot(static_cast<double>(b.x - a.x), static_cast<double>(b.y - a.y));
            }
            if (algorithm != PathAlgorithm::Hierarchical) {
                EXPECT_LE(length, static_cast<double>(fine.length) + 1e-3) << seed;
            }
        }
    }
    EXPECT_GT(found, 200);
}

}  // namespace
}  // namespace warpath
