// Real-world cases that speak of flow fields. The number is that of the collection of cases. (Every case asked through `expectAnswer` is also asked of a field.)
#include "cases/case_runner.h"
#include "support/scenes.h"
#include "support/slow_grid.h"
#include "warpath/flow/flow_sample.h"

namespace warpath {
namespace {

FlowRequest requestTo(const AsciiWorld& drawn, Cell goal, const PathConstraints& wishes = walker()) {
    const auto resolved = std::get<ResolvedConstraints>(resolve(wishes, drawn.snapshot().rules()));
    FlowRequest request;
    request.key = {resolved.metric, resolved.threat_weight, 0};
    request.goals = {goal};
    return request;
}

TEST(Cases, W019_flow_arrows_and_samples_pass_none_of_the_three_corner_patterns) {
    for (const char* rows : {"S#\n#G\n", "S.\n#G\n", "S#\n.G\n"}) {
        const AsciiWorld drawn = asciiWorld(rows);
        FlowBuilder builder;
        const FlowAnswer answer = builder.build(drawn.snapshot(), requestTo(drawn, *drawn.g), std::make_shared<TileStore>());
        EXPECT_NE(answer.field->direction(*drawn.s), 1);
        // From anywhere in S the sample leads into the free neighbour, never through the corner.
        for (float y = 0.05f; y < 1.0f; y += 0.1f) {
            for (float x = 0.05f; x < 1.0f; x += 0.1f) {
                const FlowSample s = sampleFlow(*answer.field, {x, y});
                const Cell to = cellAt({x + 0.25f * s.direction.x, y + 0.25f * s.direction.y});
                EXPECT_NE(answer.field->direction(to), kFlowWall);
                EXPECT_FALSE(to == *drawn.g && s.state != FlowSampleState::Goal);
            }
        }
    }
}

TEST(Cases, W039_a_field_on_which_a_cell_is_blocked_is_known_to_be_old_and_its_repair_reflects_the_edit) {
    const AsciiWorld drawn = asciiWorld("S...G\n"
                                        ".....\n");
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder;
    const FlowRequest request = requestTo(drawn, *drawn.g);
    const FlowAnswer before = builder.build(drawn.snapshot(), request, store);
    EXPECT_EQ(before.field->direction({1, 0}), 0);
    drawn.world->edit([](WorldEdit& edit) { edit.placeObstacle(Cell{2, 0}, ObstacleKind::Wall, 2.0f); });
    EXPECT_FALSE(before.field->isCurrent(drawn.snapshot()));
    const FlowAnswer after = builder.repair(before.field, request, drawn.snapshot(), store);
    EXPECT_TRUE(after.field->isCurrent(drawn.snapshot()));
    EXPECT_EQ(after.field->info().generation, 2u);
    EXPECT_EQ(after.field->direction({2, 0}), kFlowWall);
    EXPECT_NEAR(costInMetres(after.field->distance(*drawn.s)), 4.828, 2e-3);
}

TEST(Cases, W047_what_a_field_reaches_equals_a_flood_fill_at_every_step_of_random_edits) {
    World world({.width = 80, .height = 70, .has_cover = false});
    const PathConstraints wishes = plainDistance();
    const auto resolved = std::get<ResolvedConstraints>(resolve(wishes, world.snapshot().rules()));
    const auto store = std::make_shared<TileStore>();
    FlowRequest request;
    request.key = {resolved.metric, resolved.threat_weight, 0};
    request.goals = {{40, 35}};
    FlowBuilder builder;
    FlowAnswer field = builder.build(world.snapshot(), request, store);
    Rng rng(47);
    for (int step = 0; step < 150; ++step) {
        editAtRandom(world, rng, false);
        field = builder.repair(field.field, request, world.snapshot(), store);
        ASSERT_NE(field.field, nullptr);
        const twin::SlowGrid grid(world.snapshot(), wishes);
        const std::vector<int> flood = twin::floodRegions(grid);
        const int goal = flood[grid.index(40, 35)];
        if (goal == 0) continue;  // redirected
        for (int y = 0; y < 70; ++y) {
            for (int x = 0; x < 80; ++x) ASSERT_EQ(isFlowWay(field.field->direction({x, y})), flood[grid.index(x, y)] == goal) << step << ": " << x << "," << y;
        }
    }
}

TEST(Cases, W062_a_long_serpentine_is_counted_exactly_by_a_field_too_beyond_32_bits) {
    WorldRules rules = letterRules();
    rules.unit_classes[0].multipliers[0] = 90.0f;
    World world({.width = 150, .height = 140, .rules = rules, .fill = static_cast<Terrain>(0), .has_cover = false});
    world.edit([](WorldEdit& edit) {
        for (int y = 1; y < 139; y += 2) {
            edit.placeObstacle(CellRect{0, y, 150, 1}, ObstacleKind::Wall, 2.0f);
            edit.removeObstacle({(y / 2) % 2 == 0 ? 149 : 0, y, 1, 1});
        }
        edit.placeObstacle(CellRect{0, 139, 150, 1}, ObstacleKind::Wall, 2.0f);
    });
    for (const float weight : {1.0f, 2.0f, 20.0f}) {  // 20: capped at 200 per metre, 16 km of it
        PathConstraints wishes = walker();
        wishes.terrain_weight = weight;
        const twin::SlowGrid grid(world.snapshot(), wishes);
        const auto resolved = std::get<ResolvedConstraints>(resolve(wishes, world.snapshot().rules()));
        FlowRequest request;
        request.key = {resolved.metric, resolved.threat_weight, 0};
        request.goals = {{0, 0}};
        FlowBuilder builder;
        const auto store = std::make_shared<TileStore>();
        const FlowAnswer answer = builder.build(world.snapshot(), request, store);
        // Every step enters a cell of one price, so costs are alike both ways.
        const twin::SlowAnswer all = twin::slowDijkstra(grid, {0, 0});
        for (int y = 0; y < 139; ++y) {
            for (int x = 0; x < 150; ++x) {
                if (!grid.fits(x, y)) continue;
                ASSERT_EQ(answer.field->distance({x, y}), all.cost(grid, {x, y})) << x << "," << y;
            }
        }
        // And after a repair.
        world.edit([](WorldEdit& edit) { edit.placeObstacle(CellRect{70, 60, 1, 1}, ObstacleKind::Wall, 2.0f); });
        const FlowAnswer cut = builder.repair(answer.field, request, world.snapshot(), store);
        const FlowAnswer anew = builder.build(world.snapshot(), request, store);
        world.edit([](WorldEdit& edit) { edit.removeObstacle(CellRect{70, 60, 1, 1}); });
        const FlowAnswer healed = builder.repair(cut.field, request, world.snapshot(), store);
        for (int y = 0; y < 139; ++y) {
            for (int x = 0; x < 150; ++x) {
                ASSERT_EQ(cut.field->byteAt({x, y}), anew.field->byteAt({x, y}));
                ASSERT_EQ(cut.field->distance({x, y}), anew.field->distance({x, y}));
                ASSERT_EQ(healed.field->byteAt({x, y}), answer.field->byteAt({x, y}));
                ASSERT_EQ(healed.field->distance({x, y}), answer.field->distance({x, y}));
            }
        }
    }
}

TEST(Cases, W080_an_older_generation_serves_its_readers_while_and_after_a_new_one_is_made) {
    const AsciiWorld drawn = asciiWorld("S...G\n"
                                        ".....\n");
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder;
    const FlowRequest request = requestTo(drawn, *drawn.g);
    std::shared_ptr<const FlowField> held = builder.build(drawn.snapshot(), request, store).field;
    std::shared_ptr<const FlowField> newest = held;
    for (int i = 0; i < 20; ++i) {
        drawn.world->edit([&](WorldEdit& edit) {
            i % 2 == 0 ? edit.placeObstacle(Cell{2, 0}, ObstacleKind::Wall, 2.0f) : edit.removeObstacle({2, 0, 1, 1});
        });
        newest = builder.repair(newest, request, drawn.snapshot(), store).field;
    }
    EXPECT_EQ(held->direction({2, 0}), 0);
    EXPECT_EQ(held->distance(*drawn.s), 4 * kCostPerMetre);
    EXPECT_EQ(newest->info().generation, 21u);
    EXPECT_EQ(newest->distance(*drawn.s), 4 * kCostPerMetre);
}

TEST(Cases, W096_a_field_for_each_size_of_unit_keeps_to_the_gaps_that_are_wide_enough) {
    const AsciiWorld drawn = asciiWorld(".....#......\n"
                                        "............\n"
                                        ".....#......\n"
                                        ".....#......\n"
                                        "............\n"
                                        "............\n"
                                        ".....#......\n");
    const auto at = [&](int size) {
        FlowBuilder builder;
        return builder.build(drawn.snapshot(), requestTo(drawn, {8, 1}, walker(DiagonalRule::Strict, size)), std::make_shared<TileStore>()).field;
    };
    EXPECT_EQ(costInMetres(at(1)->distance({1, 1})), 7.0);
    EXPECT_NEAR(costInMetres(at(2)->distance({1, 1})), 10.657, 2e-3);
    EXPECT_EQ(at(2)->direction({5, 1}), kFlowWall);
    EXPECT_EQ(at(3)->direction({1, 1}), kFlowUnreachable);
}

}  // namespace
}  // namespace warpath
