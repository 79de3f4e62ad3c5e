#include "warpath/grid/cost_model.h"

#include <gtest/gtest.h>

#include "support/ascii_world.h"

namespace warpath {
namespace {

CostModel modelOf(const WorldRules& rules, const PathConstraints& wishes) {
    const auto resolved = std::get<ResolvedConstraints>(resolve(wishes, rules));
    return CostModel(rules, {resolved.metric, resolved.threat_weight, 0});
}

std::uint8_t number(Terrain terrain) { return static_cast<std::uint8_t>(terrain); }

TEST(CostModel, TerrainCountsAsOnePlusWeightTimesTheExcess) {
    PathConstraints wishes = plainDistance();
    wishes.unit_type = UnitType::TankLight;
    wishes.terrain_weight = 0.5f;
    const CostModel model = modelOf(WorldRules::reference(), wishes);
    EXPECT_EQ(model.ground(number(Terrain::Grass)), 100);
    EXPECT_EQ(model.ground(number(Terrain::Forest)), 200);  // 1 + 0.5 x (3 - 1)
    EXPECT_EQ(model.ground(number(Terrain::Road)), 65);     // 1 + 0.5 x (0.3 - 1)
    EXPECT_FALSE(model.passable(number(Terrain::Water)));
}

TEST(CostModel, NoGroundCostsLessThanATenth) {
    PathConstraints wishes = plainDistance();
    wishes.unit_type = UnitType::Wheeled;
    wishes.terrain_weight = 20.0f;
    const CostModel model = modelOf(WorldRules::reference(), wishes);
    EXPECT_EQ(model.ground(number(Terrain::Road)), 10);  // 1 + 20 x (0.2 - 1) = -15
    EXPECT_EQ(model.terrainTerm(number(Terrain::Road)), -90);
    EXPECT_EQ(model.roadTerm(number(Terrain::Road)), 0);
}

TEST(CostModel, ARoadWishIsFirstSpentOnWhatTheFloorGaveAway) {
    PathConstraints wishes = plainDistance();
    wishes.unit_type = UnitType::Wheeled;
    wishes.terrain_weight = 2.0f;
    wishes.avoid_roads = true;
    const CostModel model = modelOf(WorldRules::reference(), wishes);
    EXPECT_EQ(model.ground(number(Terrain::Road)), 140);  // 1 + 2 x (0.2 - 1) + 2 = 1.4
    EXPECT_EQ(model.terrainTerm(number(Terrain::Road)), -90);
    EXPECT_EQ(model.roadTerm(number(Terrain::Road)), 130);
}

TEST(CostModel, TerrainBeyondTheLargestPriceIsNotCountedAsARoad) {
    PathConstraints wishes = plainDistance();
    wishes.unit_type = UnitType::Wheeled;
    wishes.terrain_weight = 20.0f;
    const CostModel plain = modelOf(WorldRules::reference(), wishes);
    EXPECT_EQ(plain.ground(number(Terrain::Swamp)), 20'000);  // 1 + 20 x 14 = 281 is more than the 200 that terrain may cost
    EXPECT_EQ(plain.roadTerm(number(Terrain::Swamp)), 0);
    wishes.prefer_roads = true;
    EXPECT_EQ(modelOf(WorldRules::reference(), wishes).roadTerm(number(Terrain::Swamp)), 50);
}

TEST(CostModel, HeightCostsTheSameUpAndDown) {
    PathConstraints wishes = plainDistance();
    wishes.elevation_weight = 0.3f;
    const CostModel model = modelOf(WorldRules::reference(), wishes);
    EXPECT_EQ(model.riseCost(250), model.riseCost(-250));
    EXPECT_EQ(model.riseCost(100), 30u * 408u);  // 0.3 m
    EXPECT_EQ(model.riseCost(0), 0u);
    EXPECT_EQ(model.riseCost(-4'000'000), Cost{40'000} * 30 * 408);
}

TEST(CostModel, AWallCostsMostBesideItAndNothingBeyondItsReach) {
    PathConstraints wishes = plainDistance();
    wishes.wall_weight = 3.0f;
    wishes.wall_distance = 3.9f;
    const CostModel model = modelOf(WorldRules::reference(), wishes);
    EXPECT_EQ(model.wall(0), 0);
    EXPECT_EQ(model.wall(1), 300);
    EXPECT_EQ(model.wall(2), 200);
    EXPECT_EQ(model.wall(3), 100);
    EXPECT_EQ(model.wall(4), 0);
}

TEST(CostModel, TheLargestPricesOfAllTermsFitSixteenBits) {
    PathConstraints wishes;
    wishes.threat_weight = wishes.cover_weight = wishes.exposure_weight = wishes.terrain_weight = 20.0f;
    wishes.prefer_roads = true;
    wishes.wall_weight = 16.0f;
    wishes.wall_distance = 1.0f;
    wishes.unit_type = UnitType::Wheeled;
    WorldRules rules = WorldRules::reference();
    rules.roads.prefer = 15.0f;
    const CostModel model = modelOf(rules, wishes);
    const int largest = model.ground(number(Terrain::Swamp)) + model.threat(kMaxStoredThreat) + model.exposure(16) + model.cover(0) + 6400 + model.wall(1);
    EXPECT_EQ(largest, 65'500);
}

TEST(CostModel, TheSmallestPriceIsThatOfTheCheapestTerrainOnTheMap) {
    const AsciiWorld drawn = asciiWorld("35#\n");
    const WorldSnapshot now = drawn.snapshot();
    EXPECT_EQ(modelOf(now.rules(), walker()).smallestF(now.state()), 100) << "the ground under the wall is plain";
    const AsciiWorld road = asciiWorld("35r\n");
    EXPECT_EQ(modelOf(now.rules(), walker()).smallestF(road.snapshot().state()), 10);
}

}  // namespace
}  // namespace warpath
