#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/drawn_map.h"
#include "warpath/pathfinder/query.h"
#include "warpath/tactical/sight.h"
#include "warpath/tactical/threat_map.h"

namespace warpath {
namespace {

/// Slow twin of the overlap: every cell of the middle against every cell of the other route.
double slowOverlap(const WorldSnapshot& snapshot, const Path& route, const Path& other) {
    const auto step = [&](std::size_t i) {
        return i == 0 ? 0.0 : (route.cells[i].x != route.cells[i - 1].x && route.cells[i].y != route.cells[i - 1].y ? 577.0 : 408.0);
    };
    double total = 0.0, at = 0.0, along = 0.0, all = 0.0;
    for (std::size_t i = 0; i < route.cells.size(); ++i) total += step(i);
    for (std::size_t i = 0; i < route.cells.size(); ++i) {
        at += step(i);
        if (at < total * 0.15 || at > total * 0.85) continue;
        all += step(i);
        const Cell c = route.cells[i];
        const bool near = std::any_of(other.cells.begin(), other.cells.end(), [&](Cell o) {
            const int dx = c.x - o.x, dy = c.y - o.y;
            return dx * dx + dy * dy <= 9 && lineOfSight(snapshot, o, c, {});
        });
        if (near) along += step(i);
    }
    return all == 0.0 ? 0.0 : along / all;
}

const std::vector<std::string> kThreeLanes{"............", ".##########.", "............", ".##########.", "............", ".##########.", "............"};

TEST(Alternatives, W114_three_lanes_give_exactly_the_three_lanes) {
    const auto world = drawnWorld(kThreeLanes);
    Query query;
    for (const DiagonalRule rule : {DiagonalRule::Never, DiagonalRule::Strict}) {
        MultiPathRequest request{.path = {.from = mid(0, 2), .goal = Goal::point(mid(11, 2)), .constraints = plainDistance()}};
        request.path.constraints.diagonal = rule;
        std::vector<Path> paths;
        ASSERT_EQ(query.findAllPaths(world->snapshot(), request, paths), PathStatus::Found);
        ASSERT_EQ(paths.size(), 3u);
        EXPECT_EQ(costInMetres(paths[0].cost), 11.0);
        EXPECT_EQ(costInMetres(paths[1].cost), 15.0);
        EXPECT_EQ(costInMetres(paths[2].cost), 15.0);
        std::set<int> rows;
        for (const Path& path : paths) {
            rows.insert(path.cells[path.cells.size() / 2].y);
            EXPECT_LE(path.overlap, 0.5f);
        }
        EXPECT_EQ(rows, (std::set<int>{0, 2, 4}));
    }
}

TEST(Alternatives, W114_the_fourth_lane_comes_only_when_stretch_allows) {
    const auto world = drawnWorld(kThreeLanes);
    Query query;
    MultiPathRequest request{.path = {.from = mid(0, 2), .goal = Goal::point(mid(11, 2)), .constraints = plainDistance()}, .max_paths = 4};
    std::vector<Path> paths;
    query.findAllPaths(world->snapshot(), request, paths);
    EXPECT_EQ(paths.size(), 3u) << "fewer than asked";
    request.max_stretch = 2.0f;
    query.findAllPaths(world->snapshot(), request, paths);
    ASSERT_EQ(paths.size(), 4u);
    EXPECT_EQ(costInMetres(paths[3].cost), 19.0);
    EXPECT_NEAR(paths[3].stretch, 19.0 / 11.0, 1e-6);
}

TEST(Alternatives, W117_the_second_choice_avoids_the_dangerous_lane) {
    const auto world = drawnWorld(kThreeLanes);
    ThreatMap threat(world->snapshot(), 0, {.resolution = 1, .blur_radius = 0});
    ASSERT_FALSE(threat.addThreatSource({.id = 1, .position = mid(6, 2), .range = 12.0f, .firepower = 1.0f}));
    threat.finish();
    world->edit([&](WorldEdit& e) { threat.publish(e); });
    Query query;
    MultiPathRequest request{.path = {.from = mid(0, 2), .goal = Goal::point(mid(11, 2)), .constraints = plainDistance()}, .max_paths = 2};
    std::vector<Path> paths;
    query.findAllPaths(world->snapshot(), request, paths);
    ASSERT_EQ(paths.size(), 2u);
    EXPECT_LT(paths[1].threat_level, paths[0].threat_level);
    std::size_t shared = 0;
    for (const Cell c : paths[1].cells) shared += std::find(paths[0].cells.begin(), paths[0].cells.end(), c) != paths[0].cells.end() ? 1 : 0;
    EXPECT_LT(shared * 2, paths[1].cells.size());
    EXPECT_EQ(selectBestPath(paths, scoreWeights(Doctrine::Stealth)), 1u);
}

TEST(Alternatives, one_corridor_gives_one_route) {
    const auto world = drawnWorld({"####################", "....................", "####################"});
    Query query;
    std::vector<Path> paths;
    query.findAllPaths(world->snapshot(), {.path = {.from = mid(0, 1), .goal = Goal::point(mid(19, 1))}}, paths);
    EXPECT_EQ(paths.size(), 1u);
}

TEST(Alternatives, no_route_goes_into_a_dead_end_and_out_again) {
    // A step costs as much as the stretches of which local optimality speaks, and the limits forbid nothing.
    const auto world = drawnWorld({"............", "##########.."});
    Query query;
    for (int from = 3; from < 9; ++from) {
        std::vector<Path> paths;
        query.findAllPaths(world->snapshot(),
                           {.path = {.from = mid(from, 0), .goal = Goal::point(mid(2, 0)), .constraints = plainDistance()},
                            .max_paths = 16,
                            .max_overlap = 1.0f,
                            .max_stretch = 100.0f},
                           paths);
        for (const Path& path : paths) {
            std::set<std::pair<int, int>> seen;
            for (const Cell c : path.cells) EXPECT_TRUE(seen.insert({c.x, c.y}).second) << "from " << from << " twice at " << c.x << ',' << c.y;
        }
    }
}

TEST(Alternatives, a_wall_with_equal_ways_round_both_ends_gives_both_at_any_stretch) {
    World world({.width = 60, .height = 21});
    world.edit([](WorldEdit& e) { e.placeObstacle({10, 2, 1, 17}, ObstacleKind::Building, 6.0f); });
    Query query;
    std::vector<Path> paths;
    for (const float stretch : {1.0f, 1.1f, 1.5f, 1.9f, 2.0f, 3.0f, 100.0f}) {
        query.findAllPaths(world.snapshot(), {.path = {.from = mid(2, 10), .goal = Goal::point(mid(28, 10))}, .max_stretch = stretch}, paths);
        ASSERT_EQ(paths.size(), 2u) << stretch;
        EXPECT_EQ(paths[0].cost, paths[1].cost) << stretch;
    }
}

TEST(Alternatives, a_weight_changes_nothing_since_limits_are_measured_against_the_best_route) {
    Query query;
    std::vector<Path> exact, weighted;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto world = randomField(seed, 60, 60, 15);
        MultiPathRequest request{.path = {.from = mid(2, 30), .goal = Goal::point(mid(57, 30))}};
        query.findAllPaths(world->snapshot(), request, exact);
        request.path.weight = 5.0f;
        query.findAllPaths(world->snapshot(), request, weighted);
        ASSERT_EQ(weighted.size(), exact.size()) << seed;
        for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_EQ(weighted[i].cells, exact[i].cells) << seed;
    }
}

TEST(Alternatives, a_wider_stretch_keeps_the_routes_of_a_narrower_one) {
    Query query;
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const auto world = randomField(seed, 70, 70, 5 + static_cast<std::uint32_t>(seed % 20));
        std::vector<Path> narrow, wide;
        MultiPathRequest request{.path = {.from = mid(2, static_cast<int>(seed)), .goal = Goal::point(mid(66, 60 - static_cast<int>(seed)))}, .max_paths = 5};
        for (const float stretch : {1.2f, 1.5f, 2.0f, 3.0f}) {
            request.max_stretch = stretch;
            if (query.findAllPaths(world->snapshot(), request, wide) != PathStatus::Found) break;
            for (const Path& kept : narrow) {
                EXPECT_TRUE(std::any_of(wide.begin(), wide.end(), [&](const Path& path) { return path.cells == kept.cells; })) << seed << " at " << stretch;
                ++found;
            }
            narrow = wide;
        }
    }
    EXPECT_GT(found, 200);
}

TEST(Alternatives, on_random_maps_overlap_stretch_and_local_optimality_hold) {
    Query query, twin;
    int alternatives = 0, both_ways = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Rng rng(seed * 77);
        const int side = 40 + static_cast<int>(rng.below(50));
        const auto world = randomField(seed, side, side, 5 + rng.below(20));
        const WorldSnapshot snapshot = world->snapshot();
        MultiPathRequest request{.path = {.from = mid(1 + static_cast<int>(rng.below(8)), static_cast<int>(rng.below(static_cast<std::uint32_t>(side)))),
                                          .goal = Goal::point(mid(side - 2, static_cast<int>(rng.below(static_cast<std::uint32_t>(side)))))}};
        if (rng.percent(50)) request.path.constraints = plainDistance();
        std::vector<Path> paths;
        if (query.findAllPaths(snapshot, request, paths) != PathStatus::Found) continue;
        for (std::size_t i = 0; i < paths.size(); ++i) {
            ASSERT_TRUE(query.validatePath(snapshot, paths[i], request.path.constraints).valid) << seed;
            EXPECT_LE(static_cast<double>(paths[i].cost), 1.5 * static_cast<double>(paths[0].cost)) << seed;
            double most = 0.0;
            for (std::size_t j = 0; j < i; ++j) {
                most = std::max(most, slowOverlap(snapshot, paths[i], paths[j]));
                both_ways += slowOverlap(snapshot, paths[j], paths[i]) > 0.5 ? 1 : 0;
            }
            EXPECT_LE(most, 0.5) << seed;
            EXPECT_NEAR(most, paths[i].overlap, 1e-5) << seed;
            if (i == 0) continue;
            ++alternatives;
            if (seed > 40) continue;
            // Every stretch of up to a quarter of the best cost is the cheapest way between its ends.
            const Path& path = paths[i];
            for (std::size_t from = 0; from + 2 < path.cells.size(); from += 3) {
                Path stretch, direct;
                std::size_t to = from + 1;
                Cost cost = 0;
                for (; to < path.cells.size(); ++to) {
                    twin.findPath(snapshot, {.from = centreOf(path.cells[to - 1]), .goal = Goal::point(centreOf(path.cells[to])),
                                             .constraints = request.path.constraints}, stretch);
                    if (cost + stretch.cost > paths[0].cost / 4) break;
                    cost += stretch.cost;
                }
                twin.findPath(snapshot, {.from = centreOf(path.cells[from]), .goal = Goal::point(centreOf(path.cells[to - 1])),
                                         .constraints = request.path.constraints}, direct);
                EXPECT_EQ(direct.cost, cost) << seed << " route " << i << " from " << from << " to " << to - 1;
            }
        }
    }
    EXPECT_GT(alternatives, 150);
    EXPECT_LE(both_ways * 20, alternatives) << "the other way round it is rarely more";
    RecordProperty("alternatives", alternatives);
    RecordProperty("more_the_other_way_round", both_ways);
}

TEST(Alternatives, through_the_hierarchy_wide_lanes_give_one_route_each) {
    // Two blocks, with a lane between them and ways round both.
    World world({.width = 640, .height = 640});
    world.edit([](WorldEdit& e) {
        e.placeObstacle({80, 110, 480, 210}, ObstacleKind::Wall, 3.0f);
        e.placeObstacle({80, 326, 480, 210}, ObstacleKind::Wall, 3.0f);
    });
    Query query;
    std::vector<Path> paths;
    MultiPathRequest request{.path = {.from = mid(20, 323), .goal = Goal::point(mid(620, 323)), .constraints = plainDistance()}, .max_stretch = 2.0f};
    request.path.algorithm = PathAlgorithm::Hierarchical;
    ASSERT_EQ(query.findAllPaths(world.snapshot(), request, paths), PathStatus::Found);
    ASSERT_EQ(paths.size(), 3u);
    std::set<int> lanes;
    for (const Path& path : paths) {
        EXPECT_EQ(path.algorithm, PathAlgorithm::Hierarchical);
        const int y = path.cells[path.cells.size() / 2].y;
        lanes.insert(y < 110 ? 0 : y < 326 ? 1 : 2);
    }
    EXPECT_EQ(lanes.size(), 3u);
    EXPECT_EQ(costInMetres(paths[0].cost), 600.0);
}

TEST(Alternatives, through_the_hierarchy_on_random_maps_the_limits_hold) {
    Query query;
    int alternatives = 0, exact_alternatives = 0;
    double most_loss = 0.0;
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
        Rng rng(seed * 131);
        const int side = 200 + static_cast<int>(rng.below(120));
        const auto world = randomField(seed, side, side, 4 + rng.below(20));
        if (seed % 3 == 0) {
            ThreatMap threat(world->snapshot(), 0, {.resolution = 2, .blur_radius = 0});
            for (std::uint32_t i = 0; i < 6; ++i) {
                const float x = static_cast<float>(rng.below(static_cast<std::uint32_t>(side)));
                const float y = static_cast<float>(rng.below(static_cast<std::uint32_t>(side)));
                ASSERT_FALSE(threat.addThreatSource({.id = i, .position = {x, y}, .range = 40.0f, .firepower = 1.0f}));
            }
            threat.finish();
            world->edit([&](WorldEdit& e) { threat.publish(e); });
        }
        if (seed % 4 == 0) world->edit([](WorldEdit& e) { e.setElevation({60, 60, 80, 70}, 3.0f); });
        const WorldSnapshot snapshot = world->snapshot();
        MultiPathRequest request{.path = {.from = mid(3, static_cast<int>(rng.below(static_cast<std::uint32_t>(side)))),
                                          .goal = Goal::point(mid(side - 4, static_cast<int>(rng.below(static_cast<std::uint32_t>(side)))))}};
        if (rng.percent(50)) request.path.constraints = plainDistance();
        if (rng.percent(30)) request.path.constraints.unit_radius = 1.0f;
        std::vector<Path> paths;
        request.path.algorithm = PathAlgorithm::AStar;
        const PathStatus status = query.findAllPaths(snapshot, request, paths);
        const Cost best = status == PathStatus::Found ? paths[0].cost : 0;
        exact_alternatives += static_cast<int>(paths.size()) - 1;
        request.path.algorithm = PathAlgorithm::Hierarchical;
        ASSERT_EQ(query.findAllPaths(snapshot, request, paths), status) << seed;
        if (status != PathStatus::Found) continue;
        most_loss = std::max(most_loss, static_cast<double>(paths[0].cost) / static_cast<double>(best) - 1.0);
        for (std::size_t i = 0; i < paths.size(); ++i) {
            ASSERT_TRUE(query.validatePath(snapshot, paths[i], request.path.constraints).valid) << seed;
            EXPECT_GE(paths[i].cost, paths[0].cost) << seed;
            EXPECT_LE(static_cast<double>(paths[i].cost), 1.5 * static_cast<double>(paths[0].cost)) << seed;
            for (std::size_t j = 0; j < i; ++j) EXPECT_LE(slowOverlap(snapshot, paths[i], paths[j]), 0.5) << seed;
        }
        alternatives += static_cast<int>(paths.size()) - 1;
        std::vector<Path> again;
        Query fresh;
        ASSERT_EQ(fresh.findAllPaths(snapshot, request, again), status);
        ASSERT_EQ(again.size(), paths.size());
        for (std::size_t i = 0; i < paths.size(); ++i) EXPECT_EQ(again[i].cells, paths[i].cells) << seed;
    }
    EXPECT_LE(most_loss, 0.05);
    EXPECT_GE(alternatives * 10, exact_alternatives * 7) << "found " << alternatives << " of " << exact_alternatives;
    RecordProperty("alternatives", alternatives);
    RecordProperty("exact_alternatives", exact_alternatives);
}

TEST(Alternatives, flanking_routes_come_from_front_left_and_right) {
    World world({.width = 120, .height = 120});
    Query query;
    MultiPathRequest request{.path = {.from = mid(10, 60), .goal = Goal::point(mid(100, 60)), .constraints = plainDistance()}, .mode = MultiPathMode::Flanking};
    std::vector<Path> paths;
    ASSERT_EQ(query.findAllPaths(world.snapshot(), request, paths), PathStatus::Found);
    ASSERT_EQ(paths.size(), 3u);
    std::set<Approach> sides;
    for (const Path& path : paths) {
        sides.insert(path.approach);
        const float leg = 22.5f;
        // The whole last leg lies in the quarter: the attacker looks east, so north is his left.
        for (const Cell c : path.cells) {
            const float dx = static_cast<float>(c.x - 100), dy = static_cast<float>(c.y - 60);
            if (std::sqrt(dx * dx + dy * dy) > leg || std::sqrt(dx * dx + dy * dy) < 1.5f) continue;
            if (path.approach == Approach::Front) {
                EXPECT_LE(dx, 0.0f);
            }
            if (path.approach == Approach::Left) {
                EXPECT_LT(dy, 0.0f);
            }
            if (path.approach == Approach::Right) {
                EXPECT_GT(dy, 0.0f);
            }
        }
    }
    EXPECT_EQ(sides, (std::set<Approach>{Approach::Front, Approach::Left, Approach::Right}));
}

TEST(Alternatives, a_goal_with_one_door_has_no_flanks) {
    World world({.width = 80, .height = 80});
    world.edit([](WorldEdit& e) {
        e.placeObstacle({50, 20, 25, 41}, ObstacleKind::Building, 5.0f);
        e.removeObstacle({50, 39, 20, 3});
    });
    Query query;
    std::vector<Path> paths;
    query.findAllPaths(world.snapshot(), {.path = {.from = mid(5, 40), .goal = Goal::point(mid(66, 40))}, .mode = MultiPathMode::Flanking}, paths);
    ASSERT_EQ(paths.size(), 1u);
    EXPECT_EQ(paths[0].approach, Approach::Front);
}

TEST(Alternatives, limits_of_the_request_are_checked) {
    World world({.width = 20, .height = 20});
    Query query;
    std::vector<Path> paths;
    MultiPathRequest request{.path = {.from = mid(1, 1), .goal = Goal::point(mid(9, 9))}};
    request.max_overlap = 1.5f;
    EXPECT_EQ(query.findAllPaths(world.snapshot(), request, paths), PathStatus::InvalidArgument);
    EXPECT_EQ(paths[0].error.field, "max_overlap");
    request.max_overlap = 0.5f;
    request.max_stretch = 0.5f;
    EXPECT_EQ(query.findAllPaths(world.snapshot(), request, paths), PathStatus::InvalidArgument);
    EXPECT_EQ(paths[0].error.field, "max_stretch");
}

}  // namespace
}  // namespace warpath
