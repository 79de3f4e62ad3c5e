#include "warpath/grid/flow_field.h"

#include <gtest/gtest.h>

#include "support/ascii_world.h"

namespace warpath {
namespace {

std::shared_ptr<const FlowField> handmade(const WorldSnapshot& now) {
    auto distances = std::make_shared<FlowDistances>();
    distances->relative.fill(FlowDistances::kNone);
    distances->base = 1000;
    auto tile = std::make_shared<FlowTile>();
    tile->bytes.fill(kFlowUnreachable);
    tile->bytes[0] = 0 | kFlowOpen;  // east
    tile->bytes[1] = kFlowGoal;
    distances->relative[0] = 7;
    distances->relative[1] = 0;
    tile->distances = distances;
    tile->revisions = flowRevisions(now, {}, {0, 0});
    ChunkDirectory<FlowTile> tiles(1, 1);
    tiles.set({0, 0}, tile);
    FlowFieldInfo info;
    info.area = now.bounds();
    info.goals = {{now.origin().x + 1, now.origin().y}};
    return std::make_shared<FlowField>(info, now, tiles);
}

TEST(FlowFieldValue, SpeaksOfWorldCellsWithANegativeOrigin) {
    const AsciiWorld drawn = asciiWorld("...\n...\n", {-10, -20});
    const auto field = handmade(drawn.snapshot());
    EXPECT_EQ(field->direction({-10, -20}), 0);
    EXPECT_EQ(field->next({-10, -20}), (Cell{-9, -20}));
    EXPECT_EQ(field->direction({-9, -20}), kFlowGoal);
    EXPECT_FALSE(field->next({-9, -20}).has_value());
    EXPECT_EQ(field->distance({-10, -20}), 1007u);
    EXPECT_EQ(field->distance({-8, -20}), kNoFlowDistance);
    EXPECT_EQ(field->direction({-11, -20}), kFlowOutside);
    EXPECT_EQ(field->vector({-10, -20}), (Vec2{1.0f, 0.0f}));
}

TEST(FlowFieldValue, TakesLittleMoreThanAByteACellWithoutDistances) {
    const AsciiWorld drawn = asciiWorld("...\n...\n");
    const auto field = handmade(drawn.snapshot());
    const auto lean = field->withoutDistances();
    EXPECT_LT(lean->memoryBytes(), 4096u * 6 / 5);
    EXPECT_GT(field->memoryBytes(), 4096u * 5);
    EXPECT_EQ(lean->direction({0, 0}), 0);
    EXPECT_EQ(lean->distance({0, 0}), kNoFlowDistance);
    EXPECT_FALSE(lean->hasDistances());
}

TEST(FlowFieldValue, KnowsWhenItsGroundHasChanged) {
    const AsciiWorld drawn = asciiWorld("...\n...\n");
    const auto field = handmade(drawn.snapshot());
    EXPECT_TRUE(field->isCurrent(drawn.snapshot()));
    drawn.world->edit([](WorldEdit& e) { e.setCongestion({2, 1}, 3.0f); });
    EXPECT_FALSE(field->isCurrent(drawn.snapshot()));
    drawn.world->edit([](WorldEdit& e) { e.clearCongestion(); });
    EXPECT_TRUE(field->isCurrent(drawn.snapshot()));
    drawn.world->edit([](WorldEdit& e) { e.placeObstacle(Cell{2, 1}, ObstacleKind::Wall, 3.0f); });
    EXPECT_FALSE(field->isCurrent(drawn.snapshot()));
}

}  // namespace
}  // namespace warpath
