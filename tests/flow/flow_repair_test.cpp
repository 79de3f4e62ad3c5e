// Repaired, extended and partly computed fields against fields computed anew.
#include <gtest/gtest.h>

#include "support/drawn_map.h"
#include "support/flow_fields.h"
#include "support/scenes.h"
#include "warpath/flow/flow_builder.h"

namespace warpath {
namespace {

void expectSame(const FlowField& a, const FlowField& b) {
    ASSERT_EQ(a.info().goals, b.info().goals);
    ASSERT_EQ(a.info().redirected, b.info().redirected);
    forEachCell(a, [&](Cell c) {
        ASSERT_EQ(a.byteAt(c), b.byteAt(c)) << c.x << "," << c.y;
        ASSERT_EQ(a.distance(c), b.distance(c)) << c.x << "," << c.y;
    });
}

std::uint64_t sumOf(const FlowField& field) {
    std::uint64_t sum = 0;
    forEachCell(field, [&](Cell c) { sum = sum * 1099511628211u + field.byteAt(c) + field.distance(c); });
    return sum;
}

TEST(FlowRepair, ARepairedFieldEqualsANewOneToTheBit) {
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder, other;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const bool elevation = seed % 2 == 0;
        const Scene scene = randomScene(seed, {.elevation = elevation, .layers = seed % 3 == 0, .walls = seed % 5 == 0, .large_units = seed % 4 == 0});
        SCOPED_TRACE(scene.name);
        Rng rng(seed * 31);
        FlowRequest request;
        request.key = flowKey(scene.wishes, scene.world->snapshot(), scene.side);
        request.goals = {scene.anyCell(rng), scene.anyCell(rng)};
        FlowAnswer field = builder.build(scene.world->snapshot(), request, store);
        if (field.field == nullptr) continue;
        for (int edit = 0; edit < 5; ++edit) {
            editAtRandom(*scene.world, rng, elevation);
            if (rng.below(4) == 0) scene.world->edit([&](WorldEdit& e) { e.setCongestion(scene.anyCell(rng), 5.0f); });
            if (rng.below(9) == 0) scene.world->edit([&](WorldEdit& e) { e.clearCongestion(); });
            const WorldSnapshot now = scene.world->snapshot();
            const std::shared_ptr<const FlowField> before = field.field;
            const std::uint64_t sum = sumOf(*before);
            const FlowAnswer repaired = builder.repair(before, request, now, store);
            const FlowAnswer anew = other.build(now, request, store);
            ASSERT_EQ(repaired.status, anew.status);
            ASSERT_EQ(sumOf(*before), sum) << "an older generation must not change";
            if (anew.field == nullptr) break;
            expectSame(*repaired.field, *anew.field);
            if (HasFatalFailure()) return;
            ASSERT_EQ(repaired.field->info().generation, before->info().generation + 1);
            ASSERT_TRUE(repaired.field->isCurrent(now));
            field = repaired;
        }
    }
}

TEST(FlowRepair, OnABigMapTilesFarFromTheChangeAreShared) {
    auto world = randomField(5, 640, 640, 15);
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder, other;
    FlowRequest request;
    request.key = flowKey(plainDistance(), world->snapshot());
    request.goals = {{320, 320}};
    world->edit([](WorldEdit& e) { e.removeObstacle({320, 320, 1, 1}); });
    FlowAnswer field = builder.build(world->snapshot(), request, store);
    Rng rng(8);
    std::size_t shared = 0, all = 0;
    for (int edit = 0; edit < 12; ++edit) {
        const CellRect rect{static_cast<int>(rng.below(630)), static_cast<int>(rng.below(630)), 8, 8};
        if (rect.contains({320, 320})) continue;
        world->edit([&](WorldEdit& e) { edit % 3 == 2 ? e.removeObstacle(rect) : e.placeObstacle(rect, ObstacleKind::Building, 5.0f); });
        const FlowAnswer repaired = builder.repair(field.field, request, world->snapshot(), store);
        expectSame(*repaired.field, *other.build(world->snapshot(), request, store).field);
        if (HasFatalFailure()) return;
        for (int y = 0; y < 10; ++y) {
            for (int x = 0; x < 10; ++x) {
                shared += repaired.field->tile({x, y}) == field.field->tile({x, y});
                ++all;
            }
        }
        field = repaired;
    }
    EXPECT_GT(shared, all / 2);
}

TEST(FlowRepair, ABlockedGoalMakesTheFieldAnew) {
    World world({.width = 40, .height = 40, .has_cover = false});
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder;
    FlowRequest request;
    request.key = flowKey(plainDistance(), world.snapshot());
    request.goals = {{20, 20}};
    const FlowAnswer field = builder.build(world.snapshot(), request, store);
    world.edit([](WorldEdit& e) { e.placeObstacle({18, 18, 5, 5}, ObstacleKind::Building, 5.0f); });
    const FlowAnswer repaired = builder.repair(field.field, request, world.snapshot(), store);
    EXPECT_EQ(repaired.status, PathStatus::Partial);
    EXPECT_TRUE(repaired.field->info().redirected);
    EXPECT_EQ(repaired.field->info().generation, 2u);
    world.edit([](WorldEdit& e) { e.removeObstacle({18, 18, 5, 5}); });
    const FlowAnswer again = builder.repair(repaired.field, request, world.snapshot(), store);
    EXPECT_EQ(again.status, PathStatus::Found);
    expectSame(*again.field, *field.field);
}

TEST(FlowRepair, AFieldWithoutDistancesIsComputedAnew) {
    World world({.width = 40, .height = 40, .has_cover = false});
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder;
    FlowRequest request;
    request.key = flowKey(plainDistance(), world.snapshot());
    request.goals = {{20, 20}};
    request.keep_distances = false;
    const FlowAnswer field = builder.build(world.snapshot(), request, store);
    EXPECT_FALSE(field.field->hasDistances());
    world.edit([](WorldEdit& e) { e.placeObstacle({8, 18, 5, 5}, ObstacleKind::Building, 5.0f); });
    const FlowAnswer repaired = builder.repair(field.field, request, world.snapshot(), store);
    EXPECT_EQ(repaired.field->direction({10, 20}), kFlowWall);
    EXPECT_LT(repaired.field->memoryBytes(), 4096u * 6 / 5);
}

/// What a partly computed field holds is what the full one holds, and the starts are served.
void expectPartOf(const FlowField& part, const FlowField& full, std::span<const Cell> starts) {
    forEachCell(part, [&](Cell c) {
        const std::uint8_t code = part.direction(c);
        if (code == kFlowPending) {
            const Cost d = full.distance(c);
            ASSERT_TRUE(d == kNoFlowDistance || d > part.info().horizon || full.direction(c) == kFlowWall) << c.x << "," << c.y;
            return;
        }
        ASSERT_EQ(code, full.direction(c)) << c.x << "," << c.y;
        ASSERT_EQ(part.distance(c), full.distance(c)) << c.x << "," << c.y;
    });
    for (const Cell c : starts) ASSERT_TRUE(part.direction(c) != kFlowPending || full.direction(c) == kFlowWall) << c.x << "," << c.y;
}

TEST(FlowPartly, WhatIsComputedForTheStartsIsExactAndExtendsExactly) {
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder, other;
    std::uint64_t part_chunks = 0, all_chunks = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        auto world = randomField(seed, 400, 330, 12);
        Rng rng(seed);
        const auto any = [&] { return Cell{static_cast<int>(rng.below(400)), static_cast<int>(rng.below(330))}; };
        FlowRequest request;
        request.key = flowKey(seed % 2 == 0 ? plainDistance() : PathConstraints{}, world->snapshot());
        request.goals = {any()};
        FlowRequest partly = request;
        partly.only_needed = true;
        const Cell near{std::min(request.goals[0].x + 30, 399), std::max(request.goals[0].y - 20, 0)};
        partly.starts = {near};
        const FlowAnswer full = other.build(world->snapshot(), request, store);
        FlowAnswer part = builder.build(world->snapshot(), partly, store);
        if (full.status != PathStatus::Found || part.status != PathStatus::Found || !isFlowWay(full.field->direction(near))) continue;
        expectPartOf(*part.field, *full.field, partly.starts);
        part_chunks += part.chunks;
        all_chunks += full.chunks;
        const std::vector<Cell> more = {any(), any()};
        const FlowAnswer longer = builder.extend(part.field, partly, more, store);
        expectPartOf(*longer.field, *full.field, more);
        // An edit repairs what is there, up to the same horizon.
        editAtRandom(*world, rng, false);
        const FlowAnswer repaired = builder.repair(longer.field, partly, world->snapshot(), store);
        const FlowAnswer anew = other.build(world->snapshot(), request, store);
        if (repaired.field->info().redirected || anew.field->info().redirected) continue;
        expectPartOf(*repaired.field, *anew.field, {});
        if (HasFatalFailure()) return;
    }
    EXPECT_LT(part_chunks * 2, all_chunks);
}

TEST(FlowPartly, ALocalFieldUsesItsAreaAlone) {
    auto world = randomField(3, 500, 500, 10);
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder;
    FlowRequest request;
    request.key = flowKey(plainDistance(), world->snapshot());
    request.goals = {{200, 210}};
    const std::vector<Position> group = {{150.0f, 160.0f}, {170.0f, 150.0f}};
    request.area = localFlowArea(group, {200.5f, 210.5f}, 128);
    EXPECT_TRUE(request.area.contains({150, 160}) && request.area.contains({200, 210}));
    const FlowAnswer local = builder.build(world->snapshot(), request, store);
    EXPECT_EQ(local.field->area().x % 64, 0);
    EXPECT_EQ(local.field->direction({450, 450}), kFlowOutside);
    EXPECT_TRUE(isFlowWay(local.field->direction({150, 160})));
    request.goals = {{480, 480}};
    EXPECT_EQ(builder.build(world->snapshot(), request, store).error.field, "area");
}

TEST(FlowRepair, AnExitThatAGoalBeatIsFoundWhenTheWayToTheGoalIsCutAndOneThatWasBlockedWhenItIsFree) {
    for (const bool blocked_first : {false, true}) {
        World world({.width = 8, .height = 1, .has_cover = false});
        if (blocked_first) world.edit([](WorldEdit& e) { e.placeObstacle(Cell{0, 0}, ObstacleKind::Wall, 2.0f); });
        FlowRequest request;
        request.key = flowKey(plainDistance(), world.snapshot());
        request.goals = {{7, 0}};
        request.exits = {{{0, 0}, blocked_first ? 0 : 100 * kCostPerMetre}};
        const auto store = std::make_shared<TileStore>();
        FlowBuilder builder;
        const auto before = builder.build(world.snapshot(), request, store).field;
        world.edit([&](WorldEdit& e) {
            if (blocked_first) {
                e.removeObstacle({0, 0, 1, 1});
            } else {
                e.placeObstacle(Cell{4, 0}, ObstacleKind::Wall, 2.0f);
            }
        });
        const auto repaired = builder.repair(before, request, world.snapshot(), store).field, fresh = builder.build(world.snapshot(), request, store).field;
        for (int x = 0; x < 8; ++x) {
            EXPECT_EQ(repaired->direction({x, 0}), fresh->direction({x, 0})) << x;
            EXPECT_EQ(repaired->distance({x, 0}), fresh->distance({x, 0})) << x;
        }
        EXPECT_EQ(repaired->info().generation, before->info().generation + 1);
    }
}

TEST(FlowRepair, WithoutAFieldIsRefused) {
    World world({.width = 8, .height = 8});
    FlowRequest request;
    request.key = flowKey(plainDistance(), world.snapshot());
    request.goals = {{1, 1}};
    FlowBuilder builder;
    const FlowAnswer refused = builder.repair(nullptr, request, world.snapshot(), std::make_shared<TileStore>());
    EXPECT_EQ(refused.status, PathStatus::InvalidArgument);
    EXPECT_EQ(refused.error.field, "field");
}

}  // namespace
}  // namespace warpath
