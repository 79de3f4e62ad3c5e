// Fields over some chunks of an area: exact inside them, continuous across their seams, and enlarged as if they had been made so.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/drawn_map.h"
#include "support/flow_fields.h"
#include "support/scenes.h"
#include "support/slow_grid.h"
#include "warpath/flow/fast_marching.h"
#include "warpath/flow/flow_builder.h"
#include "warpath/flow/flow_sample.h"

namespace warpath {
namespace {

bool has(const std::vector<ChunkCoord>& chunks, int x, int y) {
    const ChunkCoord c{x >> kChunkShift, y >> kChunkShift};
    return std::any_of(chunks.begin(), chunks.end(), [&](ChunkCoord k) { return k.x == c.x && k.y == c.y; });
}

/// Costs to the goal by ways that stay in the chunks, by the slow grid.
std::vector<Cost> slowDistances(const twin::SlowGrid& grid, Cell goal, const std::vector<ChunkCoord>& chunks) {
    std::vector<Cost> d(static_cast<std::size_t>(grid.width()) * static_cast<std::size_t>(grid.height()), twin::kNowhere);
    std::vector<std::pair<Cost, Cell>> heap;
    const auto later = [](const auto& a, const auto& b) { return a.first > b.first; };
    const auto push = [&](Cell c, Cost v) {
        if (v >= d[grid.index(c.x, c.y)]) return;
        d[grid.index(c.x, c.y)] = v;
        heap.push_back({v, c});
        std::push_heap(heap.begin(), heap.end(), later);
    };
    push(goal, 0);
    while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end(), later);
        const auto [value, at] = heap.back();
        heap.pop_back();
        if (value != d[grid.index(at.x, at.y)]) continue;
        for (int k = 0; k < kDirections; ++k) {
            const Cell from{at.x - kStepX[k], at.y - kStepY[k]};
            if (!grid.inside(from.x, from.y) || !has(chunks, from.x, from.y) || !grid.fits(from.x, from.y) || !grid.mayStep(from.x, from.y, k)) continue;
            push(from, value + grid.stepCost(from.x, from.y, k));
        }
    }
    return d;
}

void expectSame(const FlowField& a, const FlowField& b) {
    ASSERT_EQ(a.info().goals, b.info().goals);
    ASSERT_EQ(a.info().tiled, b.info().tiled);
    const CellRect& area = a.area();
    for (int y = area.y; y < area.y + area.height; ++y) {
        for (int x = area.x; x < area.x + area.width; ++x) {
            ASSERT_EQ(a.byteAt({x, y}), b.byteAt({x, y})) << x << "," << y;
            ASSERT_EQ(a.distance({x, y}), b.distance({x, y})) << x << "," << y;
        }
    }
    for (int y = 0; y < a.tiles().rows(); ++y) {
        for (int x = 0; x < a.tiles().columns(); ++x) ASSERT_EQ(a.tile({x, y}) == nullptr, b.tile({x, y}) == nullptr) << x << "," << y;
    }
}

Scene tiledScene(std::uint64_t seed) {
    Scene scene;
    scene.name = "seed " + std::to_string(seed);
    scene.world = randomField(seed, 150, 80, static_cast<std::uint32_t>(5 + seed * 3 % 20));
    if (seed % 2 == 0) {
        Rng rng(seed);
        scene.world->edit([&](WorldEdit& e) {
            for (int i = 0; i < 30; ++i) e.setElevation({static_cast<int>(rng.below(130)), static_cast<int>(rng.below(60)), 20, 20}, static_cast<float>(rng.below(8)));
        });
    }
    if (seed % 2 == 1) scene.wishes = plainDistance();
    return scene;
}

std::vector<ChunkCoord> someChunks(Rng& rng, std::uint32_t percent, Cell with) {
    std::vector<ChunkCoord> chunks;
    for (int y = 0; y < 2; ++y) {
        for (int x = 0; x < 3; ++x) {
            if (rng.percent(percent) || (with.x >> kChunkShift == x && with.y >> kChunkShift == y)) chunks.push_back({x, y});
        }
    }
    return chunks;
}

TEST(TiledField, InsideItsChunksItIsExactAndElsewhereItSaysSo) {
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Scene scene = tiledScene(seed);
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        const twin::SlowGrid grid(now, scene.wishes);
        Rng rng(seed * 5);
        Cell goal = scene.anyCell(rng);
        while (!grid.fits(goal.x, goal.y)) goal = scene.anyCell(rng);
        FlowRequest request;
        request.key = flowKey(scene.wishes, now);
        request.goals = {goal};
        request.chunks = someChunks(rng, 60, goal);
        const FlowAnswer made = builder.build(now, request, store);
        ASSERT_EQ(made.status, PathStatus::Found);
        EXPECT_TRUE(made.field->info().tiled);
        const std::vector<Cost> want = slowDistances(grid, goal, request.chunks);
        for (int y = 0; y < now.height(); ++y) {
            for (int x = 0; x < now.width(); ++x) {
                const Cell c{x, y};
                const Cost cost = want[grid.index(x, y)];
                ASSERT_EQ(made.field->distance(c), cost) << x << "," << y;
                if (!has(request.chunks, x, y)) {
                    ASSERT_EQ(made.field->direction(c), kFlowPending);
                    ASSERT_EQ(made.field->tile(made.field->chunkOf(c)), nullptr);
                } else if (!grid.fits(x, y)) {
                    ASSERT_EQ(made.field->direction(c), kFlowWall);
                } else if (cost == twin::kNowhere) {
                    ASSERT_EQ(made.field->direction(c), kFlowPending) << "a way may lead there through other chunks";
                } else if (cost != 0) {
                    const auto next = made.field->next(c);
                    ASSERT_TRUE(next) << x << "," << y;
                    ASSERT_TRUE(grid.mayStep(x, y, made.field->direction(c)));
                    ASSERT_EQ(want[grid.index(next->x, next->y)] + grid.stepCost(x, y, made.field->direction(c)), cost) << "arrows pay exactly the distance";
                }
            }
        }
    }
}

TEST(TiledField, EnlargedAndRepairedItEqualsANewOneToTheBit) {
    const auto store = std::make_shared<TileStore>();
    FlowBuilder builder, other;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Scene scene = tiledScene(seed);
        SCOPED_TRACE(scene.name);
        Rng rng(seed * 11);
        FlowRequest request;
        request.key = flowKey(scene.wishes, scene.world->snapshot());
        request.goals = {scene.anyCell(rng)};
        request.chunks = someChunks(rng, 30, request.goals.front());
        FlowAnswer field = builder.build(scene.world->snapshot(), request, store);
        if (field.status != PathStatus::Found) continue;
        for (int step = 0; step < 6; ++step) {
            if (step % 3 != 0) editAtRandom(*scene.world, rng, seed % 2 == 0);
            if (step % 3 != 1) {
                for (const ChunkCoord c : someChunks(rng, 15, request.goals.front())) {
                    if (!has(request.chunks, c.x << kChunkShift, c.y << kChunkShift)) request.chunks.push_back(c);
                }
            }
            const WorldSnapshot now = scene.world->snapshot();
            const std::shared_ptr<const FlowField> before = field.field;
            field = builder.repair(before, request, now, store);
            const FlowAnswer anew = other.build(now, request, store);
            ASSERT_EQ(field.status, anew.status);
            if (anew.field == nullptr) break;
            expectSame(*field.field, *anew.field);
            if (HasFatalFailure()) return;
        }
        // With fewer chunks than before it is computed anew.
        if (field.field == nullptr) continue;
        const auto large = field.field;
        request.chunks = someChunks(rng, 10, request.goals.front());
        field = builder.repair(large, request, scene.world->snapshot(), store);
        const FlowAnswer anew = other.build(scene.world->snapshot(), request, store);
        ASSERT_EQ(field.status, anew.status);
        if (anew.field != nullptr) expectSame(*field.field, *anew.field);
    }
}

TEST(TiledField, OffItsTilesAUnitIsToldThatNothingIsComputedThere) {
    World world({.width = 256, .height = 256});
    FlowRequest request;
    request.key = flowKey(plainDistance(), world.snapshot());
    request.goals = {{10, 10}};
    request.chunks = {{0, 0}, {1, 0}};
    FlowBuilder builder;
    const auto store = std::make_shared<TileStore>();
    const FlowAnswer made = builder.build(world.snapshot(), request, store);
    ASSERT_EQ(made.status, PathStatus::Found);
    EXPECT_EQ(made.chunks, 2u);
    EXPECT_EQ(sampleFlow(*made.field, mid(100, 20)).state, FlowSampleState::Blended);
    EXPECT_EQ(sampleFlow(*made.field, mid(100, 100)).state, FlowSampleState::Pending);
    EXPECT_LT(made.field->memoryBytes(), std::size_t{2 * 21 * 1024});
    FastMarching marching;
    const FlowAnswer refused = marching.build(world.snapshot(), request, store, MarchOrder::First);
    EXPECT_EQ(refused.status, PathStatus::InvalidArgument);
    EXPECT_EQ(refused.error.field, "chunks");
}

TEST(TiledField, ChunksOffTheMapAreRefusedByNameAndDoublesCountOnce) {
    World world({.width = 256, .height = 256});
    FlowRequest request;
    request.key = flowKey(plainDistance(), world.snapshot());
    request.goals = {{10, 10}};
    FlowBuilder builder;
    const auto store = std::make_shared<TileStore>();
    for (const ChunkCoord off : {ChunkCoord{4, 0}, ChunkCoord{0, 4}, ChunkCoord{-1, 0}, ChunkCoord{0, -1}}) {
        request.chunks = {{0, 0}, off};
        const FlowAnswer refused = builder.build(world.snapshot(), request, store);
        EXPECT_EQ(refused.status, PathStatus::InvalidArgument);
        EXPECT_EQ(refused.error.field, "chunks");
    }
    request.chunks = {{0, 0}, {1, 0}, {0, 0}};
    const FlowAnswer twice = builder.build(world.snapshot(), request, store);
    request.chunks = {{0, 0}, {1, 0}};
    const FlowAnswer once = builder.build(world.snapshot(), request, store);
    ASSERT_EQ(twice.status, PathStatus::Found);
    EXPECT_EQ(twice.chunks, once.chunks);
    forEachCell(*once.field, [&](Cell c) { ASSERT_EQ(twice.field->byteAt(c), once.field->byteAt(c)); });
}

}  // namespace
}  // namespace warpath
