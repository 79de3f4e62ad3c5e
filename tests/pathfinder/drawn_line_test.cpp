// Drawn routes: what may be walked along a straight line counts as legal.
#include <gtest/gtest.h>

#include "support/drawn_map.h"
#include "support/flow_fields.h"
#include "warpath/flow/flow_sample.h"
#include "warpath/pathfinder/query.h"

namespace warpath {
namespace {

bool isValid(Query& query, const World& world, const std::vector<Position>& route, const PathConstraints& wishes = plainDistance()) {
    return query.validatePath(world.snapshot(), route, wishes).valid;
}

TEST(DrawnLine, PassesBesideAWallThatItsEightWayStepsWouldCutTheCornerOf) {
    const auto world = drawnWorld({".....", "...#.", "....."});
    Query query;
    // From (0,0) to (4,1) the cells of the line step diagonally from (1,0) to (2,1); the line itself runs over (2,0).
    const auto beside = drawnWorld({".....", ".#...", "....."});
    EXPECT_TRUE(isValid(query, *beside, {mid(0, 0), mid(4, 1)}));
    EXPECT_TRUE(isValid(query, *beside, {mid(4, 1), mid(0, 0)}));
    // On the line's own side it is in the way.
    EXPECT_FALSE(isValid(query, *world, {mid(0, 0), mid(4, 1)}));
    const auto in_the_way = drawnWorld({"..#..", ".....", "....."});
    EXPECT_FALSE(isValid(query, *in_the_way, {mid(0, 0), mid(4, 1)}));
}

TEST(DrawnLine, ThroughACornerOfAWallItIsRefusedAndAlongItNot) {
    const auto world = drawnWorld({"..#..", ".....", "....."});
    Query query;
    EXPECT_FALSE(isValid(query, *world, {mid(1, 0), mid(2, 1)}));
    EXPECT_FALSE(isValid(query, *world, {mid(0, 2), mid(2, 0)}));
    EXPECT_TRUE(isValid(query, *world, {mid(1, 0), mid(1, 1), mid(2, 1)}));
    EXPECT_TRUE(isValid(query, *world, {{1.5f, 0.5f}, {1.8f, 1.5f}, {2.5f, 1.7f}}));
}

TEST(DrawnLine, ForALargeUnitTheLineIsThatOfItsCorner) {
    const auto world = drawnWorld({".......", ".......", ".#.....", "......."});
    PathConstraints wishes = plainDistance();
    wishes.unit_radius = 1.0f;  // two cells wide
    Query query;
    EXPECT_TRUE(isValid(query, *world, {{1.0f, 1.0f}, {5.0f, 2.0f}}, wishes));
    EXPECT_FALSE(isValid(query, *world, {{1.0f, 1.0f}, {3.0f, 3.0f}}, wishes));
}

TEST(DrawnLine, WhateverAFieldsSamplesSendAUnitAlongIsLegal) {
    std::size_t lines = 0, trails = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE(seed);
        const auto world = randomField(seed, 70, 70, 8);
        world->edit([](WorldEdit& e) { e.setTerrain({0, 0, 70, 70}, Terrain::Grass); });
        Query query;
        FieldRequest request{.goal = Goal::point(mid(35, 35)), .constraints = plainDistance(), .straight_radius = 30};
        FieldResult made;
        query.buildField(world->snapshot(), request, {}, made);
        if (made.status != PathStatus::Found) continue;
        const FlowField& field = *made.field;
        forEachCell(field, [&](Cell c) {
            const std::uint8_t code = field.direction(c);
            if (!isFlowArrow(code) || field.vector(c) == kStepVector[code]) return;
            ++lines;
            ASSERT_TRUE(isValid(query, *world, {mid(c.x, c.y), mid(35, 35)})) << c.x << "," << c.y;
        });
        Rng rng(seed);
        for (int i = 0; i < 20; ++i) {
            const auto x = static_cast<float>(rng.below(7000)) / 100.0f, y = static_cast<float>(rng.below(7000)) / 100.0f;
            std::vector<Position> trail{{x, y}};
            if (!isFlowArrow(field.direction(cellAt(trail.front())))) continue;
            FlowSample s;
            while (trail.size() < 1000) {
                s = sampleFlow(field, trail.back());
                if (s.direction == Vec2{}) break;
                trail.push_back({trail.back().x + s.direction.x * 0.25f, trail.back().y + s.direction.y * 0.25f});
            }
            ASSERT_EQ(s.state, FlowSampleState::Goal);
            ASSERT_TRUE(isValid(query, *world, trail)) << i;
            ++trails;
        }
    }
    EXPECT_GT(lines, 1000u);
    EXPECT_GT(trails, 50u);
}

}  // namespace
}  // namespace warpath
