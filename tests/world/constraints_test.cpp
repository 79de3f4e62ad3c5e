#include "warpath/world/constraints.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace warpath {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();
const WorldRules kRules = WorldRules::reference();

ResolvedConstraints resolved(const PathConstraints& wishes) { return std::get<ResolvedConstraints>(resolve(wishes, kRules)); }

std::string refusedField(const PathConstraints& wishes) {
    const auto answer = resolve(wishes, kRules);
    const auto* error = std::get_if<Error>(&answer);
    return error != nullptr ? error->field : "";
}

TEST(Constraints, EveryNumberOutsideItsLimitsIsRefusedByItsName) {
    struct Limit {
        const char* field;
        float low, high;
        void (*set)(PathConstraints&, float);
    };
    const Limit limits[] = {
        {"threat_weight", 0.0f, 20.0f, [](PathConstraints& c, float v) { c.threat_weight = v; }},
        {"cover_weight", 0.0f, 20.0f, [](PathConstraints& c, float v) { c.cover_weight = v; }},
        {"elevation_weight", 0.0f, 20.0f, [](PathConstraints& c, float v) { c.elevation_weight = v; }},
        {"terrain_weight", 0.0f, 20.0f, [](PathConstraints& c, float v) { c.terrain_weight = v; }},
        {"exposure_weight", 0.0f, 20.0f, [](PathConstraints& c, float v) { c.exposure_weight = v; }},
        {"wall_weight", 0.0f, 16.0f, [](PathConstraints& c, float v) { c.wall_weight = v; }},
        {"wall_distance", 0.0f, 8.0f, [](PathConstraints& c, float v) { c.wall_distance = v; }},
        {"max_slope", 0.0f, 90.0f, [](PathConstraints& c, float v) { c.max_slope = v; }},
        {"max_slope_down", 0.0f, 90.0f, [](PathConstraints& c, float v) { c.max_slope_down = v; }},
        {"unit_speed", 0.001f, 1000.0f, [](PathConstraints& c, float v) { c.unit_speed = v; }},
        {"unit_radius", 0.01f, 8.0f, [](PathConstraints& c, float v) { c.unit_radius = v; }},
    };
    for (const Limit& limit : limits) {
        PathConstraints wishes;
        for (const float right : {limit.low, limit.high}) {
            limit.set(wishes, right);
            EXPECT_EQ(refusedField(wishes), "") << limit.field << ' ' << right;
        }
        for (const float wrong : {kNan, kInfinite, -kInfinite, -1.0f, limit.high * 1.001f, 1e30f, -1e-3f}) {
            limit.set(wishes, wrong);
            EXPECT_EQ(refusedField(wishes), limit.field) << wrong;
        }
    }
}

TEST(Constraints, UnknownClassesDoctrinesAndRulesAreRefused) {
    EXPECT_EQ(refusedField({.unit_type = static_cast<UnitType>(6)}), "unit_type");
    EXPECT_EQ(refusedField({.doctrine = static_cast<Doctrine>(4)}), "doctrine");
    EXPECT_EQ(refusedField({.diagonal = static_cast<DiagonalRule>(4)}), "diagonal");
}

TEST(Constraints, DoctrinesSetTheWeightsOfTheReference) {
    const ResolvedConstraints aggressive = resolved({.doctrine = Doctrine::Aggressive}), balanced = resolved({}),
                              cautious = resolved({.doctrine = Doctrine::Cautious}), stealth = resolved({.doctrine = Doctrine::Stealth});
    EXPECT_EQ(aggressive.threat_weight, 20);
    EXPECT_EQ(aggressive.metric.roads, RoadMode::Prefer);
    EXPECT_EQ(balanced.threat_weight, 100);
    EXPECT_EQ(balanced.metric.cover_weight, 50);
    EXPECT_EQ(balanced.metric.elevation_weight, 30);
    EXPECT_EQ(balanced.metric.terrain_weight, 100);
    EXPECT_EQ(balanced.metric.exposure_weight, 80);
    EXPECT_EQ(balanced.metric.roads, RoadMode::Neutral);
    EXPECT_EQ(cautious.threat_weight, 500);
    EXPECT_EQ(cautious.metric.cover_weight, 300);
    EXPECT_EQ(stealth.threat_weight, 1000);
    EXPECT_EQ(stealth.metric.exposure_weight, 500);
    EXPECT_EQ(stealth.metric.roads, RoadMode::Avoid);
}

TEST(Constraints, AnExplicitFieldWinsEvenWhenItEqualsTheDefault) {
    const ResolvedConstraints mixed = resolved({.threat_weight = 1.0f, .prefer_roads = true, .avoid_roads = false, .doctrine = Doctrine::Stealth});
    EXPECT_EQ(mixed.threat_weight, 100);
    EXPECT_EQ(mixed.metric.exposure_weight, 500);
    EXPECT_EQ(mixed.metric.roads, RoadMode::Prefer);
}

TEST(Constraints, SlopesBecomeCentimetresPerStepUpAndDown) {
    const MobilityProfile profile = resolved({.max_slope = 45.0f, .max_slope_down = 0.0f}).metric.profile;
    EXPECT_EQ(profile.max_rise[0], 100);
    EXPECT_EQ(profile.max_rise[1], 141);
    EXPECT_EQ(profile.max_drop[0], 0);
    EXPECT_EQ(profile.max_drop[1], 0);
    EXPECT_EQ(resolved({.max_slope = 30.0f}).metric.profile.max_drop[0], 58) << "left out: as uphill";
    EXPECT_EQ(resolved({.max_slope = 90.0f}).metric.profile.max_rise[0], MobilityProfile::kNoLimit);
    EXPECT_EQ(resolved({.max_slope = 89.0f}).metric.profile.max_rise[0], 5729);
}

TEST(Constraints, ARadiusBecomesASquareOfWholeCells) {
    EXPECT_EQ(resolved({.unit_radius = 0.01f}).metric.profile.size, 1);
    EXPECT_EQ(resolved({.unit_radius = 0.5f}).metric.profile.size, 1);
    EXPECT_EQ(resolved({.unit_radius = 0.51f}).metric.profile.size, 2);
    EXPECT_EQ(resolved({.unit_radius = 8.0f}).metric.profile.size, 16);
}

TEST(Constraints, WallsWithoutPriceOrReachAreTheSameMetric) {
    EXPECT_EQ(resolved({.wall_distance = 3.0f}).metric, resolved({}).metric);
    EXPECT_EQ(resolved({.wall_distance = 0.9f, .wall_weight = 2.0f}).metric, resolved({}).metric);
}

TEST(Constraints, TheSpeedIsTheClassesUnlessGiven) {
    EXPECT_FLOAT_EQ(resolved({.unit_type = UnitType::Wheeled}).speed, 15.0f);
    EXPECT_FLOAT_EQ(resolved({.unit_type = UnitType::Wheeled, .unit_speed = 3.0f}).speed, 3.0f);
}

}  // namespace
}  // namespace warpath
