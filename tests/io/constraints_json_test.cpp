#include "warpath/io/constraints_json.h"

#include <gtest/gtest.h>

#include "support/mutate.h"

namespace warpath {
namespace {

const WorldRules kRules = WorldRules::reference();

std::string errorOf(const std::string& text, const std::string& name = {}) {
    const auto read = parseConstraints(text, kRules, name);
    const Error* error = std::get_if<Error>(&read);
    return error != nullptr ? error->text() : "no error";
}

const std::string kAll = R"({"doctrine": "stealth", "threat_weight": 4.5, "cover_weight": 0, "elevation_weight": 1, "terrain_weight": 2,
 "exposure_weight": 3, "prefer_roads": true, "avoid_roads": false, "avoid_water": true, "max_slope": 40, "max_slope_down": 60,
 "wall_distance": 2, "wall_weight": 1.5, "diagonal": "never", "unit_type": "tank_medium", "unit_speed": 7, "unit_radius": 1.5})";

TEST(ConstraintsJson, EveryFieldIsRead) {
    const auto c = std::get<PathConstraints>(parseConstraints(kAll, kRules));
    EXPECT_EQ(c.doctrine, Doctrine::Stealth);
    EXPECT_EQ(c.threat_weight, 4.5f);
    EXPECT_EQ(c.cover_weight, 0.0f);
    EXPECT_EQ(c.elevation_weight, 1.0f);
    EXPECT_EQ(c.terrain_weight, 2.0f);
    EXPECT_EQ(c.exposure_weight, 3.0f);
    EXPECT_EQ(c.prefer_roads, true);
    EXPECT_EQ(c.avoid_roads, false);
    EXPECT_TRUE(c.avoid_water);
    EXPECT_EQ(c.max_slope, 40.0f);
    EXPECT_EQ(c.max_slope_down, 60.0f);
    EXPECT_EQ(c.wall_distance, 2.0f);
    EXPECT_EQ(c.wall_weight, 1.5f);
    EXPECT_EQ(c.diagonal, DiagonalRule::Never);
    EXPECT_EQ(c.unit_type, UnitType::TankMedium);
    EXPECT_EQ(c.unit_speed, 7.0f);
    EXPECT_EQ(c.unit_radius, 1.5f);
}

TEST(ConstraintsJson, AFieldLeftOutStaysUnsetAndDiffersFromOneSetToTheDefault) {
    const auto empty = std::get<PathConstraints>(parseConstraints("{}", kRules));
    EXPECT_FALSE(empty.threat_weight.has_value());
    EXPECT_FALSE(empty.prefer_roads.has_value());
    const auto set = std::get<PathConstraints>(parseConstraints(R"({"threat_weight": 1})", kRules));
    EXPECT_TRUE(set.threat_weight.has_value());
}

TEST(ConstraintsJson, FieldsAreReadOverABaseAndNullClearsThem) {
    const auto c = std::get<PathConstraints>(parseConstraints(R"({"cover_weight": 2, "threat_weight": null})", kRules, "", plainDistance()));
    EXPECT_EQ(c.cover_weight, 2.0f);
    EXPECT_FALSE(c.threat_weight.has_value());
    EXPECT_EQ(c.exposure_weight, 0.0f);
}

TEST(ConstraintsJson, WhatIsWrittenReadsBackEqual) {
    const auto c = std::get<PathConstraints>(parseConstraints(kAll, kRules));
    const std::string text = writeConstraints(c, kRules);
    const auto again = parseConstraints(text, kRules);
    ASSERT_FALSE(std::holds_alternative<Error>(again)) << std::get<Error>(again).text();
    EXPECT_EQ(writeConstraints(std::get<PathConstraints>(again), kRules), text);
    EXPECT_EQ(writeConstraints({}, kRules),
              R"({"doctrine":"balanced","avoid_water":false,"max_slope":30,"wall_distance":0,"wall_weight":0,"diagonal":"strict","unit_type":"infantry","unit_radius":0.5})");
}

TEST(ConstraintsJson, BadFieldsAreNamed) {
    EXPECT_EQ(errorOf(R"({"threat_wait": 1})").substr(0, 31), "threat_wait: an unknown field; ");
    EXPECT_EQ(errorOf(R"({"doctrine": "CAUTIOUS"})"), "doctrine: \"CAUTIOUS\"; use aggressive, balanced, cautious or stealth");
    EXPECT_EQ(errorOf(R"({"doctrine": 1})"), "doctrine: 1; use aggressive, balanced, cautious or stealth");
    EXPECT_EQ(errorOf(R"({"unit_type": "car"})"), "unit_type: \"car\"; use infantry, tank_light, tank_medium, tank_heavy, wheeled or tracked");
    EXPECT_EQ(errorOf(R"({"avoid_water": null})"), "avoid_water: null; use true or false");
    EXPECT_EQ(errorOf(R"({"threat_weight": "5"})").substr(0, 19), "threat_weight: \"5\";");
    for (const std::string field : {"threat_weight", "cover_weight", "elevation_weight", "terrain_weight", "exposure_weight", "max_slope", "max_slope_down",
                                    "wall_distance", "wall_weight", "unit_speed", "unit_radius"}) {
        for (const std::string value : {"-1", "100000", "1e38", "1e300"}) {
            EXPECT_EQ(errorOf("{\"" + field + "\": " + value + "}").substr(0, field.size() + 1), field + ":") << value;
        }
        for (const std::string value : {"NaN", "Infinity", "-Infinity", "1e999"}) {
            EXPECT_NE(errorOf("{\"" + field + "\": " + value + "}"), "no error") << field << ' ' << value;
        }
    }
    EXPECT_EQ(errorOf("[]"), "json: an array of 0; use an object {...}");
    EXPECT_EQ(errorOf("{\n\"unit_radius\":\n 1, \"max_slope\": \"x\"}", "c.json").substr(0, 20), "c.json:3: max_slope:");
}

TEST(ConstraintsJson, RandomMutationsNeverCrash) {
    Rng rng(9);
    int accepted = 0;
    for (int i = 0; i < 10'000; ++i) {
        const auto read = parseConstraints(mutated(kAll, rng, "0123456789-e.,:\"{}[]_nulltrue"), kRules);
        if (const Error* error = std::get_if<Error>(&read)) {
            ASSERT_FALSE(error->field.empty() || error->value.empty() || error->remedy.empty());
        } else {
            ++accepted;
        }
    }
    EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace warpath
