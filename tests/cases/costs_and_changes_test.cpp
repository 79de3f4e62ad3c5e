// Real-world cases about weights, precision, changing maps, determinism and threads. The number is that of the collection of cases.
#include <algorithm>
#include <cstdlib>
#include <thread>

#include "cases/case_runner.h"
#include "support/scenes.h"
#include "support/slow_grid.h"

namespace warpath {
namespace {

TEST(Cases, W039_a_new_query_sees_the_edit) {
    const AsciiWorld drawn = asciiWorld("S...G\n"
                                        ".....\n");
    expectAnswer(drawn.snapshot(), requestOn(drawn), PathStatus::Found, 4.0);
    drawn.world->edit([](WorldEdit& edit) { edit.placeObstacle(Cell{2, 0}, ObstacleKind::Wall, 2.0f); });
    expectAnswer(drawn.snapshot(), requestOn(drawn), PathStatus::Found, 4.828);
}

TEST(Cases, W041_a_kept_path_is_known_to_be_broken_and_to_be_whole_again) {
    const AsciiWorld drawn = asciiWorld("S..........G\n");
    Query query;
    Path path;
    query.findPath(drawn.snapshot(), requestOn(drawn), path);
    ASSERT_EQ(path.cells.size(), 12u);
    EXPECT_TRUE(query.validatePath(drawn.snapshot(), path, walker()).valid);
    drawn.world->edit([](WorldEdit& edit) { edit.placeObstacle(Cell{6, 0}, ObstacleKind::Wall, 2.0f); });
    const PathValidation broken = query.validatePath(drawn.snapshot(), path, walker());
    EXPECT_FALSE(broken.valid);
    EXPECT_EQ(broken.first_bad, 6u);
    EXPECT_EQ(broken.first_bad_position, (Position{6.5f, 0.5f}));
    drawn.world->edit([](WorldEdit& edit) { edit.removeObstacle({6, 0, 1, 1}); });
    EXPECT_TRUE(query.validatePath(drawn.snapshot(), path, walker()).valid);
}

TEST(Cases, W044_a_query_right_after_ten_thousand_edits_passes_no_cell_that_is_blocked_now) {
    World world({.width = 150, .height = 150, .rules = letterRules(), .fill = static_cast<Terrain>(0), .has_cover = false});
    Rng rng(44);
    Query query;
    Path path;
    const PathRequest across{.from = {0.5f, 0.5f}, .goal = Goal::point({149.5f, 149.5f}), .constraints = walker()};
    WorldSnapshot earlier = world.snapshot();
    std::uint64_t edits_since = 0;  // "map revision r, pending edits n": every edit that changes something is one revision, and none is left pending
    int found = 0, broken = 0;
    for (int i = 0; i < 10'000; ++i) {
        const Cell cell{static_cast<int>(rng.below(150)), static_cast<int>(rng.below(150))};
        if (cell == Cell{0, 0} || cell == Cell{149, 149}) continue;
        const bool was = world.snapshot().obstacleAt(cell) != 0;
        const bool wall = rng.percent(55);
        world.edit([&](WorldEdit& edit) { wall ? edit.placeObstacle(cell, ObstacleKind::Wall, 2.0f) : edit.removeObstacle({cell.x, cell.y, 1, 1}); });
        edits_since += was != wall ? 1 : 0;
        if (i % 500 != 499) continue;
        const WorldSnapshot now = world.snapshot();
        found += query.findPath(now, across, path) == PathStatus::Found ? 1 : 0;
        EXPECT_EQ(path.revision, now.revision()) << "nothing pending";
        for (const Cell c : path.cells) ASSERT_EQ(now.obstacleAt(c), 0) << i;
        // An answer begun before the edits tells how many it has not seen, and the check against the ground of now finds what it would run into.
        query.findPath(earlier, across, path);
        EXPECT_EQ(now.revision() - path.revision, edits_since);
        bool passes_wall = false;
        for (const Cell c : path.cells) passes_wall = passes_wall || now.obstacleAt(c) != 0;
        if (passes_wall) {
            EXPECT_FALSE(query.validatePath(now, path, walker()).valid);
            ++broken;
        }
        earlier = now;
        edits_since = 0;
    }
    EXPECT_EQ(found, 20);
    EXPECT_GT(broken, 10);
}

// Saved and loaded again between breach and rebuilding: tests/io/world_binary_test.cpp.
TEST(Cases, W045_breached_walls_let_through_and_rebuilt_ones_do_not) {
    const AsciiWorld drawn = asciiWorld("S..#..G\n");
    expectAnswer(drawn.snapshot(), requestOn(drawn), PathStatus::Unreachable);
    drawn.world->edit([](WorldEdit& edit) { edit.removeObstacle({3, 0, 1, 1}); });
    expectAnswer(drawn.snapshot(), requestOn(drawn), PathStatus::Found, 6.0);
    drawn.world->edit([](WorldEdit& edit) { edit.placeObstacle(Cell{3, 0}, ObstacleKind::Building, 5.0f); });
    expectAnswer(drawn.snapshot(), requestOn(drawn), PathStatus::Unreachable);
    drawn.world->edit([](WorldEdit& edit) { edit.destroyBuilding({3, 0, 1, 1}); });
    expectAnswer(drawn.snapshot(), requestOn(drawn), PathStatus::Found, 6.0);
    drawn.world->edit([](WorldEdit& edit) {  // ordered and cancelled before it stood
        edit.placeObstacle(Cell{3, 0}, ObstacleKind::Building, 5.0f);
        edit.removeObstacle({3, 0, 1, 1});
    });
    expectAnswer(drawn.snapshot(), requestOn(drawn), PathStatus::Found, 6.0);
}

/// Random edits; after each, what regions, the exact search and the hierarchy reach is what a flood fill reaches. WARPATH_EDIT_STEPS=100000 runs the case's length.
void editAndFlood(int width, int height, int steps, int pairs) {
    World world({.width = width, .height = height});
    const PathConstraints wishes = plainDistance();
    Rng rng(47);
    Query query;
    Path path;
    const auto anyCell = [&] {
        const int x = static_cast<int>(rng.below(static_cast<std::uint32_t>(width)));
        return Cell{x, static_cast<int>(rng.below(static_cast<std::uint32_t>(height)))};
    };
    int searched = 0;
    if (const char* text = std::getenv("WARPATH_EDIT_STEPS")) steps = std::max(std::atoi(text), 1);
    for (int step = 0; step < steps; ++step) {
        editAtRandom(world, rng, false);
        const WorldSnapshot now = world.snapshot();
        const twin::SlowGrid grid(now, wishes);
        const std::vector<int> flood = twin::floodRegions(grid);
        for (int asked = 0; asked < pairs; ++asked) {
            const Cell a = anyCell(), b = anyCell();
            const int from = flood[grid.index(a.x, a.y)], to = flood[grid.index(b.x, b.y)];
            const PathStatus expected = from == 0 ? PathStatus::StartBlocked : to == 0 ? PathStatus::GoalBlocked : from == to ? PathStatus::Found : PathStatus::Unreachable;
            ASSERT_EQ(query.reachable(now, centreOf(a), centreOf(b), wishes), expected) << step;
            PathRequest request{.from = centreOf(a), .goal = Goal::point(centreOf(b)), .constraints = wishes};
            request.algorithm = PathAlgorithm::Hierarchical;
            ASSERT_EQ(query.findPath(now, request, path), expected) << step;
            for (const Cell c : path.cells) ASSERT_EQ(now.obstacleAt(c), 0) << step;
            searched += path.status == PathStatus::Found && path.algorithm == PathAlgorithm::Hierarchical ? 1 : 0;
            if (asked == 0) expectAnswer(now, request, expected, expected == PathStatus::Found ? costInMetres(twin::slowDijkstra(grid, a).cost(grid, b)) : -1.0);
        }
    }
    EXPECT_GT(searched, steps / 4) << "answered by the hierarchy";
}

TEST(Cases, W047_reachability_equals_a_flood_fill_at_every_step_of_random_edits) { editAndFlood(48, 48, 150, 10); }

TEST(Cases, W047_over_several_chunks_the_hierarchy_reaches_what_a_flood_fill_reaches) { editAndFlood(144, 80, 25, 6); }

TEST(Cases, W062_a_long_serpentine_of_dear_cells_is_counted_exactly) {
    WorldRules rules = letterRules();
    rules.unit_classes[0].multipliers[0] = 50.5f;  // 1 + 2 x 49.5 = 100
    World world({.width = 256, .height = 256, .rules = rules, .fill = static_cast<Terrain>(0), .has_cover = false});
    world.edit([](WorldEdit& edit) {
        for (int y = 1; y < 255; y += 2) {
            edit.placeObstacle(CellRect{0, y, 256, 1}, ObstacleKind::Wall, 2.0f);
            edit.removeObstacle({(y / 2) % 2 == 0 ? 255 : 0, y, 1, 1});
        }
        edit.placeObstacle(CellRect{0, 255, 256, 1}, ObstacleKind::Wall, 2.0f);
    });
    PathConstraints wishes = walker();
    wishes.terrain_weight = 2.0f;
    // 128 corridors of 255 steps and 127 gaps of two.
    const Path path = ask(world.snapshot(), {.from = {0.5f, 0.5f}, .goal = Goal::point({0.5f, 254.5f}), .constraints = wishes});
    ASSERT_EQ(path.status, PathStatus::Found);
    EXPECT_EQ(path.cells.size() - 1, 128u * 255u + 127u * 2u);
    EXPECT_EQ(path.cost, (128u * 255u + 127u * 2u) * 100u * kCostPerMetre);
    // Such costs are begun in 32 bits and done in 64: both count against one budget.
    const std::uint64_t budget = path.cells.size() + 500;
    const Path cut = ask(world.snapshot(), {.from = {0.5f, 0.5f}, .goal = Goal::point({0.5f, 254.5f}), .constraints = wishes, .max_expansions = budget});
    EXPECT_EQ(cut.status, PathStatus::BudgetExhausted);
    EXPECT_LE(cut.expansions, budget);
    EXPECT_GT(cut.expansions + 100, budget);
}

TEST(Cases, W065_the_dearest_cells_never_wrap_round_to_cheap_ones) {
    const AsciiWorld drawn = asciiWorld("S.G\n"
                                        "...\n");
    for (const float layer : {2.0f, 2.05f, 2.06f, 2.54f, 2.55f, 2.56f, 16.0f, 64.0f}) {
        drawn.world->edit([&](WorldEdit& edit) {
            edit.setCongestion({1, 0}, layer);
            auto threat = evenThreat(0);
            threat->values[1] = kMaxStoredThreat;
            edit.setThreat(0, {0, 0}, threat);
        });
        for (const float weight : {0.0f, 0.05f, 0.1f, 1.0f, 20.0f}) {
            PathRequest request = requestOn(drawn);
            request.constraints.threat_weight = weight;
            expectAnswer(drawn.snapshot(), request, PathStatus::Found, 2.828);
        }
    }
}

TEST(Cases, W068_negative_costs_are_refused_wherever_they_enter) {
    WorldRules rules = letterRules();
    rules.unit_classes[0].multipliers[2] = -1.0f;
    EXPECT_TRUE(rules.validate().has_value());
    World world({.width = 4, .height = 4});
    EXPECT_TRUE(world.setRules(rules).has_value());
    EXPECT_TRUE(world.edit([](WorldEdit& edit) { edit.setCongestion({1, 1}, -1.0f); }).error.has_value());
    PathRequest request{.from = {0.5f, 0.5f}, .goal = Goal::point({3.5f, 3.5f})};
    request.constraints.terrain_weight = -1.0f;
    expectAnswer(world.snapshot(), request, PathStatus::InvalidArgument);
    EXPECT_EQ(ask(world.snapshot(), request).error.field, "terrain_weight");
}

TEST(Cases, W071_extra_queries_in_between_change_no_answer) {
    const Scene scene = randomScene(71, {.layers = true});
    const WorldSnapshot now = scene.world->snapshot();
    Query alone, busy;
    Path a, b, ignored;
    Rng rng(71), previews(72);
    for (int i = 0; i < 60; ++i) {
        const PathRequest request{.from = centreOf(scene.anyCell(rng)), .goal = Goal::point(centreOf(scene.anyCell(rng))), .constraints = scene.wishes,
                                  .side = scene.side, .allow_partial = true};
        alone.findPath(now, request, a);
        for (int k = 0; k < 2; ++k) {
            busy.findPath(now, {.from = centreOf(scene.anyCell(previews)), .goal = Goal::disc(centreOf(scene.anyCell(previews)), 3.0f)}, ignored);
        }
        busy.findPath(now, request, b);
        EXPECT_EQ(a.status, b.status);
        EXPECT_EQ(a.cells, b.cells);
        EXPECT_EQ(a.expansions, b.expansions);
    }
}

TEST(Cases, W072_equal_routes_are_always_chosen_alike) {
    const AsciiWorld drawn = asciiWorld("........\n........\n........\n........\n........\n........\n........\n........\n");
    PathRequest request = requestOn(drawn);
    request.from = {0.5f, 0.5f};
    request.goal = Goal::point({7.5f, 3.5f});
    Query query;
    Path first, path;
    query.findPath(drawn.snapshot(), request, first);
    EXPECT_NEAR(costInMetres(first.cost), 4.0 + 3.0 * 1.41421, 2e-4);
    for (int i = 0; i < 1000; ++i) {
        query.findPath(drawn.snapshot(), request, path);
        ASSERT_EQ(path.cells, first.cells);
        ASSERT_EQ(path.waypoints, first.waypoints);
    }
}

TEST(Cases, W077_two_threads_ask_one_map_at_once) {
    const Scene scene = randomScene(77, {.layers = true});
    const WorldSnapshot now = scene.world->snapshot();
    const auto store = std::make_shared<TileStore>(std::size_t{1} << 16);  // so small that tiles come and go all the time
    const auto work = [&](std::uint64_t seed, std::vector<Cost>& costs) {
        Query query(store);
        Path path;
        Rng rng(seed);
        for (int i = 0; i < 1500; ++i) {
            query.findPath(now, {.from = centreOf(scene.anyCell(rng)), .goal = Goal::point(centreOf(scene.anyCell(rng))), .constraints = scene.wishes, .side = scene.side}, path);
            costs.push_back(path.cost);
        }
    };
    std::vector<Cost> one, other, alone;
    std::thread first([&] { work(1, one); }), second([&] { work(1, other); });
    first.join();
    second.join();
    work(1, alone);
    EXPECT_EQ(one, alone);
    EXPECT_EQ(other, alone);
}

TEST(Cases, W102_traps_are_dear_not_forbidden) {
    const AsciiWorld drawn = asciiWorld(".......\n"
                                        "..ttt..\n"
                                        "..tGt..\n"
                                        "..ttt..\n"
                                        "S......\n");
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::Strict), PathStatus::Found, 11.828);
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::Never), PathStatus::Found, 13.0);
}

TEST(Cases, W105_a_short_way_round_beats_dear_ground) {
    const AsciiWorld drawn = asciiWorld("........\n"
                                        "S..333.G\n"
                                        "........\n");
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::Strict), PathStatus::Found, 7.828);
    expectAnswer(drawn.snapshot(), requestOn(drawn, DiagonalRule::Never), PathStatus::Found, 9.0);
}

TEST(Cases, W108_a_cliff_can_be_gone_down_but_not_up) {
    const AsciiWorld drawn = asciiWorld("S..G\n");
    setHeights(*drawn.world, "5500\n");
    PathRequest request = requestOn(drawn);
    request.constraints.max_slope = 63.435f;       // 2 m per metre
    request.constraints.max_slope_down = 84.289f;  // 10 m per metre
    expectAnswer(drawn.snapshot(), request, PathStatus::Found, 3.0);
    request.constraints.elevation_weight = 2.0f;
    expectAnswer(drawn.snapshot(), request, PathStatus::Found, 13.0);
    std::swap(request.from, request.goal.centre);
    expectAnswer(drawn.snapshot(), request, PathStatus::Unreachable);
}

TEST(Cases, W111_the_dearer_threat_is_the_wider_the_way_round_it) {
    const AsciiWorld drawn = asciiWorld("...........\n"
                                        ".....B.....\n"
                                        "S.........G\n"
                                        "...........\n"
                                        "...........\n"
                                        "...........\n");
    drawn.world->edit([](WorldEdit& edit) {
        auto threat = evenThreat(0);
        for (int y = 0; y < 6; ++y) {
            for (int x = 0; x < 11; ++x) {
                if ((x - 5) * (x - 5) + (y - 1) * (y - 1) <= 9) threat->values[static_cast<std::size_t>(y * kChunkSize + x)] = 5 * kThreatOne;
            }
        }
        edit.setThreat(2, {0, 0}, threat);
    });
    struct Row {
        float weight;
        double length, exposure;
    };
    for (const Row row : {Row{0.0f, 10.0, 25.0}, Row{0.1f, 11.657, 5.0}, Row{0.5f, 12.485, 0.0}, Row{5.0f, 12.485, 0.0}, Row{20.0f, 12.485, 0.0}}) {
        PathRequest request = requestOn(drawn);
        request.side = 2;
        request.constraints.threat_weight = row.weight;
        expectAnswer(drawn.snapshot(), request, PathStatus::Found, row.length + static_cast<double>(row.weight) * row.exposure);
        EXPECT_NEAR(ask(drawn.snapshot(), request).length, row.length, 1e-3) << row.weight;
        request.side = 1;
        expectAnswer(drawn.snapshot(), request, PathStatus::Found, 10.0);
    }
}

TEST(Cases, W118_the_second_of_two_equal_queries_answers_the_same) {
    const AsciiWorld drawn = asciiWorld("S.#.\n..#.\n...G\n");
    Query query;
    Path first, second;
    query.findPath(drawn.snapshot(), requestOn(drawn), first);
    query.findPath(drawn.snapshot(), requestOn(drawn), second);
    EXPECT_EQ(first.status, PathStatus::Found);
    EXPECT_EQ(first.cells, second.cells);
}

TEST(Cases, W120_no_path_the_same_cell_and_a_neighbour_are_told_apart) {
    const AsciiWorld drawn = asciiWorld("SG#.\n");
    expectAnswer(drawn.snapshot(), requestOn(drawn), PathStatus::Found, 1.0);
    EXPECT_EQ(ask(drawn.snapshot(), requestOn(drawn)).cells.size(), 2u);
    PathRequest request = requestOn(drawn);
    request.goal = Goal::point(request.from);
    expectAnswer(drawn.snapshot(), request, PathStatus::Found, 0.0);
    EXPECT_EQ(ask(drawn.snapshot(), request).cells.size(), 1u);
    EXPECT_EQ(ask(drawn.snapshot(), request).waypoints.size(), 1u);
    request.goal = Goal::point({3.5f, 0.5f});
    expectAnswer(drawn.snapshot(), request, PathStatus::Unreachable);
}

TEST(Cases, W123_the_cost_comes_with_parts_that_sum_to_it) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Scene scene = randomScene(seed, {.elevation = true, .layers = true, .walls = true});
        Rng rng(seed);
        const Path path = ask(scene.world->snapshot(), {.from = centreOf(scene.anyCell(rng)), .goal = Goal::point(centreOf(scene.anyCell(rng))),
                                                        .constraints = scene.wishes, .side = scene.side, .allow_partial = true});
        EXPECT_EQ(path.breakdown.total(), path.cost);
    }
}

TEST(Cases, W125_weights_outside_their_range_are_refused_not_clamped) {
    const AsciiWorld drawn = asciiWorld("S..G\n");
    PathRequest request = requestOn(drawn);
    for (const float weight : {0.5f, 0.0f, -1.0f, 100.5f}) {
        request.weight = weight;
        expectAnswer(drawn.snapshot(), request, PathStatus::InvalidArgument);
        EXPECT_EQ(ask(drawn.snapshot(), request).error.field, "weight");
    }
    for (const float weight : {1.0f, 1.2f, 9.0f, 50.0f}) {
        request.weight = weight;
        EXPECT_EQ(ask(drawn.snapshot(), request).weight, weight);
    }
}

}  // namespace
}  // namespace warpath
