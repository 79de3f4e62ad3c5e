// Cells that see the goal over even ground lead straight to it.
#include <gtest/gtest.h>

#include <cmath>

#include "support/ascii_world.h"
#include "support/drawn_map.h"
#include "support/flow_fields.h"
#include "support/scenes.h"
#include "warpath/flow/flow_builder.h"
#include "warpath/flow/flow_sample.h"

namespace warpath {
namespace {

FlowRequest requestTo(const WorldSnapshot& now, std::vector<Cell> goals, const PathConstraints& wishes, int radius) {
    FlowRequest request;
    request.key = flowKey(wishes, now);
    request.goals = std::move(goals);
    request.straight_radius = radius;
    return request;
}

/// The cosine between a vector and the way to a goal.
double straightness(Vec2 v, Cell from, Cell goal) {
    const double dx = goal.x - from.x, dy = goal.y - from.y;
    return (static_cast<double>(v.x) * dx + static_cast<double>(v.y) * dy) / std::sqrt(dx * dx + dy * dy);
}

TEST(StraightToTheGoal, OnOpenGroundEveryCellWithinTheRadiusPointsAtIt) {
    World world({.width = 150, .height = 150, .origin = {-70, -70}, .has_cover = false});
    const Cell goal{3, -5};
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder;
    const FlowRequest request = requestTo(world.snapshot(), {goal}, plainDistance(), 20);
    FlowRequest without = request;
    without.straight_radius = 0;
    const auto field = builder.build(world.snapshot(), request, store).field, plain = builder.build(world.snapshot(), without, store).field;
    for (int y = -70; y < 80; ++y) {
        for (int x = -70; x < 80; ++x) {
            const Cell c{x, y};
            ASSERT_EQ(field->byteAt(c), plain->byteAt(c));
            ASSERT_EQ(field->distance(c), plain->distance(c));
            if (c == goal) continue;
            if (std::max(std::abs(x - goal.x), std::abs(y - goal.y)) <= 20) {
                ASSERT_GT(straightness(field->vector(c), c, goal), 0.999999) << x << "," << y;
            } else {
                ASSERT_EQ(field->vector(c), plain->vector(c));
            }
        }
    }
    const FlowSample s = sampleFlow(*field, {13.2f, 1.7f});
    EXPECT_EQ(s.state, FlowSampleState::Blended);
    EXPECT_NEAR(s.direction.y / s.direction.x, (-4.5f - 1.7f) / (3.5f - 13.2f), 0.05f);
}

TEST(StraightToTheGoal, NeverThroughAWallNorWhereCostsDiffer) {
    const AsciiWorld drawn = asciiWorld("...........\n"
                                        "...........\n"
                                        "..G....1...\n"
                                        "...........\n"
                                        "....#......\n"
                                        "......rrr..\n"
                                        "...........\n");
    FlowBuilder builder;
    const auto field = builder.build(drawn.snapshot(), requestTo(drawn.snapshot(), {*drawn.g}, walker(), 10), std::make_shared<TileStore>()).field;
    EXPECT_GT(straightness(field->vector({8, 1}), {8, 1}, *drawn.g), 0.9999);
    const Cell behind{6, 6};
    EXPECT_EQ(field->vector(behind), kStepVector[field->direction(behind)]) << "the wall lies between";
    const Cell road{9, 6};
    EXPECT_EQ(field->vector(road), kStepVector[field->direction(road)]) << "the road lies between";
}

TEST(StraightToTheGoal, OnRandomMapsLinesStayOnFreeGroundOfOnePriceForAllSizes) {
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder;
    int straight = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Scene scene = randomScene(seed, {.elevation = seed % 4 == 0, .layers = seed % 5 == 0, .large_units = seed % 3 == 0});
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        Rng rng(seed);
        FlowRequest request = requestTo(now, {scene.anyCell(rng), scene.anyCell(rng)}, scene.wishes, 12);
        request.key.side = static_cast<std::uint8_t>(scene.side);
        const auto field = builder.build(now, request, store).field;
        if (field == nullptr) continue;
        const CellRect map = field->map();
        for (int y = map.y; y < map.y + map.height; ++y) {
            for (int x = map.x; x < map.x + map.width; ++x) {
                const Cell c{x, y};
                const std::uint8_t code = field->direction(c);
                if (!isFlowArrow(code) || field->vector(c) == kStepVector[code]) continue;
                ++straight;
                // Walked in steps of a 32nd of a cell, the line ends in a goal and meets nothing but ways.
                const Vec2 v = field->vector(c);
                Position p = centreOf(c);
                bool arrived = false;
                for (int i = 0; i < 32 * 18 && !arrived; ++i) {
                    p = {p.x + v.x / 32.0f, p.y + v.y / 32.0f};
                    ASSERT_TRUE(isFlowWay(field->direction(cellAt(p)))) << x << "," << y;
                    arrived = field->direction(cellAt(p)) == kFlowGoal;
                }
                ASSERT_TRUE(arrived) << x << "," << y;
            }
        }
    }
    EXPECT_GT(straight, 1000);
}

TEST(StraightToTheGoal, ARepairedFieldEqualsANewOneAndSharesTheTilesThatDidNotChange) {
    World world({.width = 256, .height = 128, .has_cover = false});
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder;
    const FlowRequest request = requestTo(world.snapshot(), {{62, 60}}, plainDistance(), 30);
    auto field = builder.build(world.snapshot(), request, store).field;
    Rng rng(3);
    for (int i = 0; i < 30; ++i) {
        const CellRect rect{static_cast<int>(rng.below(120)), static_cast<int>(rng.below(120)), 3, 2};
        if (rect.contains({62, 60})) continue;
        world.edit([&](WorldEdit& e) { i % 3 != 2 ? e.placeObstacle(rect, ObstacleKind::Wall, 3.0f) : e.removeObstacle(rect); });
        const auto next = builder.repair(field, request, world.snapshot(), store).field, fresh = builder.build(world.snapshot(), request, store).field;
        EXPECT_EQ(next->tile({3, 1}), field->tile({3, 1}));
        field = next;
        for (int y = 0; y < 128; ++y) {
            for (int x = 0; x < 256; ++x) {
                ASSERT_EQ(field->byteAt({x, y}), fresh->byteAt({x, y}));
                ASSERT_EQ(field->vector({x, y}), fresh->vector({x, y})) << x << "," << y;
            }
        }
    }
}

TEST(StraightToTheGoal, TheFirstHillOnTheMapEndsTheStraightVectorsOfLargeUnitsInRepairsToo) {
    World world({.width = 200, .height = 64, .has_cover = false});
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder;
    PathConstraints wishes = plainDistance();
    wishes.unit_radius = 1.0f;
    const FlowRequest request = requestTo(world.snapshot(), {{20, 20}}, wishes, 16);
    const auto before = builder.build(world.snapshot(), request, store).field;
    ASSERT_NE(before->tile({0, 0})->vectors, nullptr);
    world.edit([](WorldEdit& e) {
        e.setElevation(CellRect{150, 10, 4, 4}, 1.0f);
        e.placeObstacle({22, 10, 1, 12}, ObstacleKind::Wall, 2.0f);
    });
    const auto repaired = builder.repair(before, request, world.snapshot(), store).field, fresh = builder.build(world.snapshot(), request, store).field;
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 200; ++x) ASSERT_EQ(repaired->vector({x, y}), fresh->vector({x, y})) << x << "," << y;
    }
}

TEST(StraightToTheGoal, TheRadiusIsCheckedAndDistancesMayBeDropped) {
    World world({.width = 64, .height = 64, .has_cover = false});
    FlowBuilder builder;
    const auto store = std::make_shared<TileStore>();
    FlowRequest request = requestTo(world.snapshot(), {{30, 30}}, plainDistance(), 65);
    EXPECT_EQ(builder.build(world.snapshot(), request, store).error.field, "straight_radius");
    request.straight_radius = 8;
    request.keep_distances = false;
    const auto field = builder.build(world.snapshot(), request, store).field;
    EXPECT_FALSE(field->hasDistances());
    EXPECT_EQ(field->distance({20, 20}), kNoFlowDistance);
    EXPECT_GT(straightness(field->vector({33, 31}), {33, 31}, {30, 30}), 0.9999);
}

}  // namespace
}  // namespace warpath
