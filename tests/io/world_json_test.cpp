#include "warpath/io/world_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "support/json_schema.h"
#include "support/mutate.h"
#include "support/worlds.h"

namespace warpath {
namespace {

const std::string kSample = R"({
"width": 6, "height": 3, "origin": [-2, 10],
"terrain": ["......", ".SSRR.", "WWWFF."],
"legend": {".": "grass", "S": "swamp", "R": "road", "W": "water", "F": "forest"},
"elevation": [[0, 0, 0, 0, 0, 0], [0, 1.5, 2, 2, 1, 0], [0, -0.25, 0, 0, 0, 0]],
"obstacles": [{"rect": [0, 10, 2, 2], "kind": "building", "height": 6},
              {"rect": [1, 11, 1, 1], "kind": "wall"}],
"threats": [{"side": 1, "position": [3.5, 11.25], "range": 30, "firepower": 0.75},
            {"position": {"x": 0, "y": 0}, "range": 10, "firepower": 2, "id": 9}]
})";

LoadedWorld load(const std::string& text) {
    auto loaded = parseWorldJson(text, "w.json");
    if (const Error* error = std::get_if<Error>(&loaded)) {
        ADD_FAILURE() << error->text();
        return {std::make_unique<World>(WorldConfig{}), {}};
    }
    return std::get<LoadedWorld>(std::move(loaded));
}

std::string errorOf(const std::string& text) {
    const auto loaded = parseWorldJson(text, "w.json");
    const Error* error = std::get_if<Error>(&loaded);
    return error != nullptr ? error->text() : "no error";
}

/// kSample with one piece replaced.
std::string with(const std::string& from, const std::string& to) {
    std::string text = kSample;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(WorldJson, ReadsTerrainHeightsObstaclesAndThreats) {
    const LoadedWorld loaded = load(kSample);
    const WorldSnapshot s = loaded.world->snapshot();
    EXPECT_EQ(s.bounds(), (CellRect{-2, 10, 6, 3}));
    EXPECT_TRUE(s.state().has_cover);
    EXPECT_EQ(s.terrainAt({-2, 10}), Terrain::Grass);
    EXPECT_EQ(s.terrainAt({-1, 11}), Terrain::Swamp);
    EXPECT_EQ(s.terrainAt({1, 11}), Terrain::Road);
    EXPECT_EQ(s.terrainAt({-2, 12}), Terrain::Water);
    EXPECT_EQ(s.terrainAt({1, 12}), Terrain::Forest);
    EXPECT_EQ(s.elevationAt({-1, 11}), 1.5f);
    EXPECT_EQ(s.elevationAt({-1, 12}), -0.25f);
    EXPECT_EQ(s.obstacleAt({0, 10}), packObstacle(ObstacleKind::Building, 600));
    EXPECT_EQ(s.obstacleAt({1, 11}), packObstacle(ObstacleKind::Wall, 200));
    EXPECT_EQ(s.obstacleAt({2, 10}), 0);
    ASSERT_EQ(loaded.threats[1].size(), 1u);
    EXPECT_EQ(loaded.threats[1][0], (ThreatSource{1, {3.5f, 11.25f}, 30.0f, 0.75f}));
    ASSERT_EQ(loaded.threats[0].size(), 1u);
    EXPECT_EQ(loaded.threats[0][0].id, 9u);
}

TEST(WorldJson, ASizeAloneIsAWorldOfGrass) {
    const LoadedWorld loaded = load(R"({"width": 8192, "height": 8192})");
    EXPECT_EQ(loaded.world->snapshot().terrainAt({8191, 8191}), Terrain::Grass);
    EXPECT_LT(loaded.world->memoryBytes(), 4u << 20);
}

TEST(WorldJson, TheDefaultLegendHasALetterForEachTerrain) {
    const LoadedWorld loaded = load(R"({"width": 12, "height": 1, "terrain": [".GRTFSMUDNWB"]})");
    const Terrain expected[] = {Terrain::Grass, Terrain::Grass, Terrain::Road, Terrain::Forest, Terrain::Forest, Terrain::Swamp,
                                Terrain::Mountain, Terrain::Urban, Terrain::Sand, Terrain::Snow, Terrain::Water, Terrain::Rubble};
    for (int x = 0; x < 12; ++x) EXPECT_EQ(loaded.world->snapshot().terrainAt({x, 0}), expected[x]) << x;
}

TEST(WorldJson, ObstaclesAreClippedToTheMap) {
    const LoadedWorld loaded = load(R"({"width": 4, "height": 4, "obstacles": [{"rect": [-5, 2, 6, 90], "kind": "rock"}]})");
    EXPECT_NE(loaded.world->snapshot().obstacleAt({0, 3}), 0);
    EXPECT_EQ(loaded.world->snapshot().obstacleAt({1, 3}), 0);
}

TEST(WorldJson, UnknownFieldsAreNamed) {
    EXPECT_EQ(errorOf(with("\"width\": 6", "\"width\": 6, \"depth\": 1")),
              "w.json:2: depth: an unknown field; known here: width, height, origin, has_cover, terrain, legend, elevation, obstacles, threats");
    EXPECT_EQ(errorOf(with("\"kind\": \"wall\"", "\"kind\": \"wall\", \"hight\": 2")),
              "w.json:7: obstacles[1].hight: an unknown field; known here: rect, kind, height");
    EXPECT_EQ(errorOf(with("\"id\": 9", "\"name\": 9")), "w.json:9: threats[1].name: an unknown field; known here: side, id, position, range, firepower");
}

TEST(WorldJson, MissingFieldsAreNamed) {
    EXPECT_EQ(errorOf("{}"), "w.json: width: missing; give it");
    EXPECT_EQ(errorOf(with(", \"kind\": \"wall\"", "")), "w.json:7: obstacles[1].kind: missing; give it");
    EXPECT_EQ(errorOf(with("\"range\": 10, ", "")), "w.json:9: threats[1].range: missing; give it");
}

TEST(WorldJson, WrongTypesAreNamed) {
    EXPECT_EQ(errorOf("[]"), "w.json: json: an array of 0; use an object {...}");
    EXPECT_EQ(errorOf(with("\"width\": 6", "\"width\": \"6\"")), "w.json:2: width: \"6\"; use a whole number from 1 to 8192");
    EXPECT_EQ(errorOf(with("[-2, 10]", "[-2, 10.5]")), "w.json:2: origin[1]: 10.5; use a whole number from -4000000 to 4000000");
    EXPECT_EQ(errorOf(with("\"......\"", "7")), "w.json:3: terrain[0]: 7; give a string of 6 letters, as the width says");
    EXPECT_EQ(errorOf(with("\"building\"", "\"hut\"")), "w.json:6: obstacles[0].kind: \"hut\"; use building, wall, rock or vegetation");
    EXPECT_EQ(errorOf(with("-0.25", "null")), "w.json:5: elevation[2][1]: null; use a number from -20000 to 20000");
}

TEST(WorldJson, ValuesOutOfTheirLimitsAreNamed) {
    EXPECT_EQ(errorOf(with("\"width\": 6", "\"width\": 9000")), "w.json:2: width: 9000; use a whole number from 1 to 8192");
    EXPECT_EQ(errorOf(with("[-2, 10]", "[-2000000, 10]")), "w.json:2: origin: [-2000000,10]; use whole numbers from -1000000 to 1000000");
    EXPECT_EQ(errorOf(with("\"height\": 6", "\"height\": 82")), "w.json:6: obstacles[0].height: 82; use a number from 0 to 81.91");
    EXPECT_EQ(errorOf(with("[1, 11, 1, 1]", "[1, 11, 0, 1]")), "w.json:7: obstacles[1].rect[2]: 0; use a whole number from 1 to 4000000");
    EXPECT_EQ(errorOf(with("[1, 11, 1, 1]", "[4, 11, 1, 1]")),
              "w.json:7: obstacles[1].rect: [4,11,1,1] lies outside the map; use cells within [-2,10,6,3]");
    EXPECT_EQ(errorOf(with("\"side\": 1", "\"side\": 16")), "w.json:8: threats[0].side: 16; use a whole number from 0 to 15");
    EXPECT_EQ(errorOf(with("\"firepower\": 2", "\"firepower\": -1")), "w.json:9: threats[1].firepower: -1; use a number from 0 to 16");
    EXPECT_EQ(errorOf(with("\"side\": 1", "\"side\": 0, \"id\": 9")), "w.json:8: threats: id 9 twice for side 0; give every source of a side its own id");
}

TEST(WorldJson, RowsThatDoNotFitTheSizeAreNamed) {
    EXPECT_EQ(errorOf(with("\"......\"", "\".....\"")), "w.json:3: terrain[0]: a row of 5 letters; give a string of 6 letters, as the width says");
    EXPECT_EQ(errorOf(with("\"......\", ", "")), "w.json:3: terrain: an array of 2; give 3 rows, as the height says");
    EXPECT_EQ(errorOf(with("[0, 1.5, 2, 2, 1, 0]", "[0, 1.5]")), "w.json:5: elevation[1]: an array of 2; give an array of 6 heights, as the width says");
    EXPECT_EQ(errorOf(R"({"width": 8192, "height": 8192, "terrain": []})"), "w.json:1: terrain: an array of 0; give 8192 rows, as the height says");
}

TEST(WorldJson, LettersWithoutAMeaningAreNamed) {
    EXPECT_EQ(errorOf(with(".SSRR.", ".SSXR.")), "w.json:3: terrain[1]: column 4 holds \"X\"; use a letter of the legend");
    EXPECT_EQ(errorOf(with("\"swamp\"", "\"bog\"")),
              "w.json:4: legend.S: \"bog\"; use one of road, grass, forest, swamp, mountain, urban, sand, snow, water, rubble");
    EXPECT_EQ(errorOf(with("\"S\": ", "\"SS\": ")), "w.json:4: legend.SS: a legend entry; use one printable ASCII letter for each terrain");
}

TEST(WorldJson, TooMuchReliefInOneChunkIsRefused) {
    EXPECT_EQ(errorOf(with("-0.25", "900")), "w.json:5: elevation: 900 m of relief in one 64 x 64 chunk; keep it within 655 m");
}

TEST(WorldJson, SyntaxErrorsNameTheLine) {
    EXPECT_EQ(errorOf(with("\"kind\": \"wall\"", "kind: \"wall\"")).substr(0, 9), "w.json:7:");
    EXPECT_EQ(errorOf("").substr(0, 9), "w.json:1:");
    EXPECT_EQ(errorOf(std::string("\0\1\2", 3)).substr(0, 9), "w.json:1:");
}

TEST(WorldJson, TheSampleFitsTheSchema) {
    if (!schemaChecksAvailable()) GTEST_SKIP() << "valijson is not installed";
    EXPECT_EQ(schemaComplaint("config/world.schema.json", kSample), "");
}

TEST(WorldJson, RandomWorldsSurviveSavingAndLoading) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const RandomWorld made = randomWorld(seed);
        const std::string text = writeWorldJson(made.world->snapshot(), made.threats);
        const LoadedWorld loaded = load(text);
        EXPECT_EQ(worldDifference(made.world->snapshot(), loaded.world->snapshot()), "") << "seed " << seed;
        EXPECT_EQ(made.threats, loaded.threats) << "seed " << seed;
        EXPECT_EQ(writeWorldJson(loaded.world->snapshot(), loaded.threats), text) << "seed " << seed;
        if (schemaChecksAvailable()) {
            EXPECT_EQ(schemaComplaint("config/world.schema.json", text), "") << "seed " << seed;
        }
    }
}

TEST(WorldJson, FilesAreWrittenAndReadAgain) {
    const std::string path = testing::TempDir() + "warpath_world_json_test.json";
    const RandomWorld made = randomWorld(3);
    EXPECT_FALSE(saveWorldJson(path, made.world->snapshot(), made.threats));
    const auto loaded = loadWorldJson(path);
    ASSERT_FALSE(std::holds_alternative<Error>(loaded)) << std::get<Error>(loaded).text();
    EXPECT_EQ(worldDifference(made.world->snapshot(), std::get<LoadedWorld>(loaded).world->snapshot()), "");
    std::filesystem::remove(path);
    EXPECT_TRUE(std::holds_alternative<Error>(loadWorldJson(path)));
    EXPECT_TRUE(saveWorldJson("no/such/folder/w.json", made.world->snapshot()).has_value());
}

TEST(WorldJson, RandomMutationsNeverCrash) {
    Rng rng(5);
    int accepted = 0;
    for (int i = 0; i < 10'000; ++i) {
        const auto loaded = parseWorldJson(mutated(kSample, rng, "0123456789-e.,:\"{}[]SRWF"), "w.json");
        if (const Error* error = std::get_if<Error>(&loaded)) {
            ASSERT_FALSE(error->field.empty() || error->value.empty() || error->remedy.empty());
            ASSERT_EQ(error->field.substr(0, 6), "w.json");
        } else {
            ++accepted;
        }
    }
    EXPECT_GT(accepted, 0);
}

TEST(WorldJson, ThreatsThatNoReaderWouldTakeAreNotWritten) {
    const World world({.width = 4, .height = 4});
    const std::string path = testing::TempDir() + "warpath_world_json_bad.json";
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinite = std::numeric_limits<float>::infinity();
    for (const ThreatSource& bad : {ThreatSource{1, {nan, 1.0f}, 5.0f, 1.0f}, ThreatSource{1, {1.0f, 1.0f}, infinite, 1.0f}, ThreatSource{1, {1.0f, 1.0f}, 5.0f, -1.0f}}) {
        ThreatsBySide threats;
        threats[3] = {bad};
        const auto error = saveWorldJson(path, world.snapshot(), threats);
        ASSERT_TRUE(error);
        EXPECT_EQ(error->field.substr(0, 22), "threats[3].enemies[0].") << error->text();
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace warpath
