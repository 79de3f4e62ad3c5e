// Real-world cases about smoothing, queues and memory. The number is that of the collection of cases.
#include <algorithm>
#include <cmath>

#include "cases/case_runner.h"
#include "support/service_driver.h"
#include "warpath/core/rng.h"
#include "warpath/grid/tile_store.h"

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

TEST(Cases, W055_three_hundred_requests_in_a_frame_stay_within_the_budget_and_are_answered_once) {
    const AsciiWorld drawn = asciiWorld("........................\n"
                                        "....#######.............\n"
                                        "....#.....#.............\n"
                                        "....#.....#.....S.......\n"
                                        "....#######.............\n"
                                        "........................\n");
    Service service;
    const WorldSnapshot now = drawn.snapshot();
    std::vector<RequestTicket> tickets;
    for (int i = 0; i < 300; ++i) {
        PathRequest request = requestOn(drawn);
        request.from = {0.5f + static_cast<float>(i % 24), i % 2 == 0 ? 0.5f : 5.5f};
        request.goal = Goal::point(i % 6 == 0 ? Position{6.5f, 2.5f} : Position{20.5f, 3.5f});  // into the box: impossible
        request.algorithm = PathAlgorithm::AStar;
        tickets.push_back(service.submit(request));
    }
    constexpr std::uint64_t kBudget = 200, kDearest = 24 * 6;  // no search settles more than the map
    std::uint64_t ticks = 0, most = 0;
    const std::vector<ServiceAnswer> answers = test::finish(service, [&] {
        test::tick(service, now, kBudget);
        most = std::max(most, service.stats().last_inline_work);
        ++ticks;
    });
    EXPECT_EQ(answers.size(), 300u);
    EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const ServiceAnswer& a) { return a.status == PathStatus::Unreachable; }), 50);
    EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const ServiceAnswer& a) { return a.status == PathStatus::Found; }), 250);
    EXPECT_LE(most, kBudget + kDearest);
    EXPECT_GT(ticks, 3u) << "spread over frames";
}

TEST(Cases, W058_what_a_large_map_takes_is_told_and_stays_under_its_cap) {
    World world({.width = 2048, .height = 2048});
    Rng rng(58);
    world.edit([&](WorldEdit& edit) {
        for (int i = 0; i < 3000; ++i) {
            edit.placeObstacle({static_cast<int>(rng.below(2030)), static_cast<int>(rng.below(2030)), 6, 8}, ObstacleKind::Building, 5.0f);
            edit.setTerrain({static_cast<int>(rng.below(2030)), static_cast<int>(rng.below(2030)), 16, 16}, Terrain::Forest);
        }
    });
    constexpr std::size_t kCap = std::size_t{24} << 20;
    const auto store = std::make_shared<TileStore>(kCap);
    Query query(store);
    const WorldSnapshot now = world.snapshot();
    for (const UnitType unit : {UnitType::Infantry, UnitType::Wheeled, UnitType::TankLight, UnitType::TankHeavy}) {
        PathConstraints wishes;
        wishes.unit_type = unit;
        for (int i = 0; i < 2; ++i) {
            const auto at = [&](std::uint32_t low) { return Position{static_cast<float>(low + rng.below(300)) + 0.5f, static_cast<float>(rng.below(2048)) + 0.5f}; };
            Path path;
            query.findPath(now, {.from = at(100), .goal = Goal::point(at(700)), .constraints = wishes}, path);
        }
        EXPECT_LE(store->stats().bytes, kCap);
    }
    EXPECT_GT(store->stats().bytes, std::size_t{1} << 18);
    EXPECT_LE(world.memoryBytes(), std::size_t{2048} * 2048 * 8) << "about seven bytes a cell";
    EXPECT_GT(query.memoryBytes(), 0u);
}

}  // namespace
}  // namespace warpath
