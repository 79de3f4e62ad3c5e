// Real-world cases about optimality, corners, sizes and what can be reached. The number is that of the collection of cases.
#include "cases/case_runner.h"
#include "support/scenes.h"
#include "support/slow_grid.h"

namespace warpath {
namespace {

PathRequest between(const AsciiWorld& drawn, Cell from, Cell to, DiagonalRule rule = DiagonalRule::Strict) {
    PathRequest request = requestOn(drawn, rule);
    request.from = centreOf(from);
    request.goal = Goal::point(centreOf(to));
    return request;
}

std::string emptyRows(int width, int height) {
    std::string rows;
    for (int y = 0; y < height; ++y) rows += std::string(static_cast<std::size_t>(width), '.') + '\n';
    return rows;
}

TEST(Cases, W001_a_straight_line_stays_in_its_row_and_costs_the_same_backwards) {
    const AsciiWorld drawn = asciiWorld(emptyRows(10, 10));
    const Path path = ask(drawn.snapshot(), between(drawn, {0, 0}, {7, 0}));
    EXPECT_EQ(path.cost, 7 * kCostPerMetre);
    for (const Cell c : path.cells) EXPECT_EQ(c.y, 0);
    expectAnswer(drawn.snapshot(), between(drawn, {4, 4}, {2, 2}), PathStatus::Found, 2.828);
    expectAnswer(drawn.snapshot(), between(drawn, {2, 2}, {4, 4}), PathStatus::Found, 2.828);
}

TEST(Cases, W003_every_algorithm_agrees_with_dijkstra_on_random_maps) {
    Rng rng(3);
    for (int map = 0; map < 60; ++map) {
        std::string rows;
        for (int i = 0; i < 144; ++i) rows += std::string(rng.percent(25) ? "#" : ".") + (i % 12 == 11 ? "\n" : "");
        const AsciiWorld drawn = asciiWorld(rows);
        for (const DiagonalRule rule : kDiagonalRules) {
            const twin::SlowGrid grid(drawn.snapshot(), walker(rule));
            const Cell a{static_cast<int>(rng.below(12)), static_cast<int>(rng.below(12))}, b{static_cast<int>(rng.below(12)), static_cast<int>(rng.below(12))};
            if (!grid.fits(a.x, a.y) || !grid.fits(b.x, b.y)) continue;
            const Cost best = twin::slowDijkstra(grid, a).cost(grid, b);
            expectAnswer(drawn.snapshot(), between(drawn, a, b, rule), best == twin::kNowhere ? PathStatus::Unreachable : PathStatus::Found,
                         best == twin::kNowhere ? -1.0 : costInMetres(best));
        }
    }
}

TEST(Cases, W005_a_heuristic_weight_keeps_its_bound_and_belongs_to_one_request) {
    Rng rng(5);
    Query query;
    for (int map = 0; map < 10; ++map) {
        std::string rows;
        for (int i = 0; i < 64 * 64; ++i) rows += std::string(1, "....1359r#"[rng.below(10)]) + (i % 64 == 63 ? "\n" : "");
        rows[0] = rows[63 * 65 + 63] = '.';
        const AsciiWorld drawn = asciiWorld(rows);
        PathRequest request = between(drawn, {0, 0}, {63, 63});
        Path best, path;
        if (query.findPath(drawn.snapshot(), request, best) != PathStatus::Found) continue;
        for (const float weight : {1.25f, 2.0f}) {
            request.weight = weight;
            query.findPath(drawn.snapshot(), request, path);
            EXPECT_LE(static_cast<double>(path.cost), static_cast<double>(weight) * static_cast<double>(best.cost));
            EXPECT_EQ(path.weight, weight);
        }
        request.weight = 1.0f;
        query.findPath(drawn.snapshot(), request, path);
        EXPECT_EQ(path.cost, best.cost);
        EXPECT_EQ(path.cells, best.cells);
    }
}

TEST(Cases, W007_the_neighbouring_cell_is_one_step_away_when_that_is_cheapest) {
    const AsciiWorld drawn = asciiWorld("2.2\n"
                                        "...\n"
                                        "12.\n");
    for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 3; ++x) {
            if (x == 1 && y == 1) continue;
            EXPECT_EQ(ask(drawn.snapshot(), between(drawn, {1, 1}, {x, y})).cells.size(), 2u) << x << ',' << y;
        }
    }
}

TEST(Cases, W009_cheap_road_behind_a_wall_is_found) {
    const AsciiWorld drawn = asciiWorld("S.........G\n"
                                        ".#########.\n"
                                        "rrrrrrrrrrr\n");
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::Never), PathStatus::Found, 4.1);
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::Strict), PathStatus::Found, 4.1);
}

TEST(Cases, W011_terrain_just_below_one_does_not_mislead_the_heuristic) {
    WorldRules rules = letterRules();
    rules.unit_classes[0].multipliers[1] = 0.8f;  // the letter '1'
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Rng rng(seed);
        World world({.width = 24, .height = 24, .rules = rules, .fill = static_cast<Terrain>(0), .has_cover = false});
        world.edit([&](WorldEdit& edit) {
            for (int i = 0; i < 120; ++i) {
                edit.setTerrain(Cell{static_cast<int>(rng.below(24)), static_cast<int>(rng.below(24))}, static_cast<Terrain>(1));
                const Cell wall{static_cast<int>(rng.below(24)), static_cast<int>(rng.below(24))};
                if (wall != Cell{0, 0} && wall != Cell{23, 23}) edit.placeObstacle(wall, ObstacleKind::Wall, 2.0f);
            }
        });
        const twin::SlowGrid grid(world.snapshot(), walker());
        const Cost best = twin::slowDijkstra(grid, {0, 0}).cost(grid, {23, 23});
        const Path path = ask(world.snapshot(), {.from = {0.5f, 0.5f}, .goal = Goal::point({23.5f, 23.5f}), .constraints = walker()});
        ASSERT_EQ(path.hasRoute(), best != twin::kNowhere);
        if (path.hasRoute()) {
            ASSERT_EQ(path.cost, best);
        }
    }
}

TEST(Cases, W015_diagonal_steps_cut_a_corner_only_where_the_rule_lets_them) {
    const AsciiWorld drawn = asciiWorld("S#\n"
                                        ".G\n");
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::Always), PathStatus::Found, 1.414);
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::One), PathStatus::Found, 1.414);
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::Strict), PathStatus::Found, 2.0);
    EXPECT_EQ(ask(drawn.snapshot(), requestOn(drawn)).cells, (std::vector<Cell>{{0, 0}, {0, 1}, {1, 1}}));
}

TEST(Cases, W017_between_two_blocked_corners_only_always_passes) {
    const AsciiWorld drawn = asciiWorld("#######\n"
                                        "#######\n"
                                        "##S#G##\n"
                                        "###.###\n"
                                        "#######\n");
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::Always), PathStatus::Found, 2.828);
    for (const DiagonalRule rule : {DiagonalRule::One, DiagonalRule::Strict, DiagonalRule::Never}) {
        expectAnswer(drawn.snapshot(), requestOn(drawn, rule), PathStatus::Unreachable);
    }
}

TEST(Cases, W019_strict_refuses_all_three_blocked_corner_patterns) {
    for (const char* rows : {"S#\n#G\n", "S.\n#G\n", "S#\n.G\n"}) {
        const AsciiWorld drawn = asciiWorld(rows);
        const bool sealed = std::string(rows) == "S#\n#G\n";
        expectAnswer(drawn.snapshot(), requestOn(drawn), sealed ? PathStatus::Unreachable : PathStatus::Found, sealed ? -1.0 : 2.0);
    }
}

TEST(Cases, W021_an_unreachable_goal_is_approached_as_near_as_can_be) {
    const AsciiWorld drawn = asciiWorld("S...#...\n"
                                        "....#...\n"
                                        "....#..G\n"
                                        "....#...\n"
                                        "....#...\n");
    PathRequest request = requestOn(drawn);
    expectAnswer(drawn.snapshot(), request, PathStatus::Unreachable);
    request.allow_partial = true;
    expectAnswer(drawn.snapshot(), request, PathStatus::Partial, 3.828);
    const Path path = ask(drawn.snapshot(), request);
    EXPECT_EQ(path.cells.back(), (Cell{3, 2}));
    EXPECT_FLOAT_EQ(path.remaining_distance, 4.0f);
}

TEST(Cases, W023_a_solid_goal_is_approached_and_a_solid_start_has_its_own_status) {
    const AsciiWorld drawn = asciiWorld("....#...\n"
                                        "....#...\n"
                                        "S..##..G\n"
                                        "....#...\n"
                                        "....#...\n");
    PathRequest request = between(drawn, {0, 2}, {3, 2});
    expectAnswer(drawn.snapshot(), request, PathStatus::GoalBlocked);
    request.allow_partial = true;
    expectAnswer(drawn.snapshot(), request, PathStatus::Partial, 2.0);
    request = between(drawn, {3, 2}, {3, 2});
    request.allow_partial = true;
    expectAnswer(drawn.snapshot(), request, PathStatus::StartBlocked);
}

TEST(Cases, W025_an_order_onto_a_large_building_ends_beside_it) {
    const AsciiWorld drawn = asciiWorld("........\n"
                                        "S...BB..\n"
                                        "....BB..\n"
                                        "........\n");
    PathRequest request = between(drawn, {0, 1}, {4, 1});
    request.allow_partial = true;
    expectAnswer(drawn.snapshot(), request, PathStatus::Partial, 3.0);
    EXPECT_EQ(ask(drawn.snapshot(), request).cells.back(), (Cell{3, 1}));
}

TEST(Cases, W028_a_cost_limit_is_honoured_and_named) {
    const AsciiWorld drawn = asciiWorld("S..........G\n");
    PathRequest request = requestOn(drawn);
    request.max_cost = 10.0;
    expectAnswer(drawn.snapshot(), request, PathStatus::CostLimit);
    request.max_cost = 11.0;
    expectAnswer(drawn.snapshot(), request, PathStatus::Found, 11.0);
}

TEST(Cases, W030_nothing_found_leaves_nothing_to_follow) {
    const AsciiWorld drawn = asciiWorld("S.###\n"
                                        "..#G#\n"
                                        "..###\n");
    expectAnswer(drawn.snapshot(), requestOn(drawn), PathStatus::Unreachable);
    EXPECT_TRUE(ask(drawn.snapshot(), requestOn(drawn)).waypoints.empty());
}

TEST(Cases, W032_a_unit_on_its_own_occupied_cell_may_leave_it) {
    const AsciiWorld drawn = asciiWorld("B..G\n");
    PathRequest request = between(drawn, {0, 0}, {3, 0});
    expectAnswer(drawn.snapshot(), request, PathStatus::StartBlocked);
    request.ignore_self = true;
    expectAnswer(drawn.snapshot(), request, PathStatus::Found, 3.0);
}

TEST(Cases, W035_every_algorithm_treats_a_blocked_start_alike) {
    const AsciiWorld drawn = asciiWorld("#.#..\n"
                                        ".....\n"
                                        "#....\n"
                                        ".....\n");
    PathRequest request = between(drawn, {0, 0}, {1, 1}, DiagonalRule::Never);
    expectAnswer(drawn.snapshot(), request, PathStatus::StartBlocked);
    request.ignore_self = true;
    expectAnswer(drawn.snapshot(), request, PathStatus::Found, 2.0);
}

TEST(Cases, W036_an_occupied_goal_can_be_ignored) {
    const AsciiWorld drawn = asciiWorld("S..B\n");
    PathRequest request = between(drawn, {0, 0}, {3, 0});
    expectAnswer(drawn.snapshot(), request, PathStatus::GoalBlocked);
    request.ignore_goal = true;
    expectAnswer(drawn.snapshot(), request, PathStatus::Found, 3.0);
}

TEST(Cases, W038_a_dear_goal_is_part_of_the_path) {
    const AsciiWorld drawn = asciiWorld("S...5\n");
    const PathRequest request = between(drawn, {0, 0}, {4, 0});
    expectAnswer(drawn.snapshot(), request, PathStatus::Found, 8.0);
    EXPECT_EQ(ask(drawn.snapshot(), request).cells.back(), (Cell{4, 0}));
}

TEST(Cases, W057_a_dead_end_before_the_goal_is_left_by_the_shortest_way) {
    const AsciiWorld drawn = asciiWorld("............\n"
                                        "...#######..\n"
                                        ".........#..\n"
                                        "S........#.G\n"
                                        ".........#..\n"
                                        "...#######..\n"
                                        "............\n");
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::Never), PathStatus::Found, 17.0);
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::One), PathStatus::Found, 14.071);
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::Strict), PathStatus::Found, 15.243);
}

TEST(Cases, W096_one_map_serves_every_size_of_unit) {
    const AsciiWorld drawn = asciiWorld(".....#......\n"
                                        "............\n"
                                        ".....#......\n"
                                        ".....#......\n"
                                        "............\n"
                                        "............\n"
                                        ".....#......\n"
                                        ".....#......\n"
                                        "............\n"
                                        "............\n"
                                        "............\n"
                                        ".....#......\n");
    const auto sized = [&](int size, DiagonalRule rule) {
        PathRequest request = requestOn(drawn, rule, size);
        const float half = 0.5f * static_cast<float>(size);
        request.from = {1.0f + half, 1.0f + half};
        request.goal = Goal::point({8.0f + half, 1.0f + half});
        return request;
    };
    expectAnswer(drawn.snapshot(), sized(1, DiagonalRule::Strict), PathStatus::Found, 7.0);
    expectAnswer(drawn.snapshot(), sized(2, DiagonalRule::Strict), PathStatus::Found, 10.657);
    expectAnswer(drawn.snapshot(), sized(2, DiagonalRule::Never), PathStatus::Found, 13.0);
    expectAnswer(drawn.snapshot(), sized(3, DiagonalRule::Strict), PathStatus::Found, 19.243);
    expectAnswer(drawn.snapshot(), sized(3, DiagonalRule::Never), PathStatus::Found, 21.0);
}

TEST(Cases, W099_obstacles_placed_later_keep_large_units_out_of_narrow_gaps) {
    const AsciiWorld drawn = asciiWorld("..........\n"
                                        "..........\n"
                                        "..........\n");
    drawn.world->edit([](WorldEdit& edit) {
        edit.placeObstacle(Cell{5, 0}, ObstacleKind::Rock, 1.0f);
        edit.placeObstacle(Cell{5, 2}, ObstacleKind::Rock, 1.0f);
    });
    PathRequest request = requestOn(drawn, DiagonalRule::Strict, 2);
    request.from = {1.0f, 1.0f};
    request.goal = Goal::point({9.0f, 1.0f});
    expectAnswer(drawn.snapshot(), request, PathStatus::Unreachable);
    request.constraints = walker();
    request.from = {0.5f, 1.5f};
    request.goal = Goal::point({9.5f, 1.5f});
    expectAnswer(drawn.snapshot(), request, PathStatus::Found, 9.0);
}

}  // namespace
}  // namespace warpath
