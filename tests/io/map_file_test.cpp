#include "warpath/io/map_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/mutate.h"
#include "support/test_paths.h"

namespace warpath {
namespace {

std::string header(int width, int height) { return "type octile\nheight " + std::to_string(height) + "\nwidth " + std::to_string(width) + "\nmap\n"; }

std::string errorOf(const std::string& text, const MapOptions& options = {}) {
    auto made = parseMap(text, "m.map", options);
    const Error* error = std::get_if<Error>(&made);
    return error != nullptr ? error->text() : "no error";
}

std::unique_ptr<World> worldOf(const std::string& text, const MapOptions& options = {}) {
    auto made = parseMap(text, "m.map", options);
    if (const Error* error = std::get_if<Error>(&made)) {
        ADD_FAILURE() << error->text();
        return nullptr;
    }
    return std::get<std::unique_ptr<World>>(std::move(made));
}

ObstacleKind kindAt(const WorldSnapshot& s, int x, int y) { return obstacleKind(s.obstacleAt({x, y})); }

TEST(MapFile, UniformMapsHaveGroundOfCostOneAndObstacles) {
    const auto world = worldOf(header(7, 2) + ".GS@OTW\n.......\n");
    const WorldSnapshot s = world->snapshot();
    EXPECT_EQ(s.bounds(), (CellRect{0, 0, 7, 2}));
    EXPECT_FALSE(s.state().has_cover);
    for (int x = 0; x < 7; ++x) {
        EXPECT_EQ(kindAt(s, x, 0) != ObstacleKind::None, x >= 3) << x;
        EXPECT_EQ(kindAt(s, x, 1), ObstacleKind::None) << x;
    }
    for (const UnitClass& unit : s.rules().unit_classes) {
        for (const float m : unit.multipliers) EXPECT_EQ(m, 1.0f) << unit.name;
    }
}

TEST(MapFile, TerrainModelMapsLettersToTerrain) {
    const auto world = worldOf(header(7, 1) + ".GSWT@O\n", {.model = MapModel::Terrain});
    const WorldSnapshot s = world->snapshot();
    EXPECT_TRUE(s.state().has_cover);
    const Terrain terrains[] = {Terrain::Grass, Terrain::Grass, Terrain::Swamp, Terrain::Water, Terrain::Forest, Terrain::Grass, Terrain::Grass};
    const ObstacleKind kinds[] = {ObstacleKind::None, ObstacleKind::None, ObstacleKind::None, ObstacleKind::None, ObstacleKind::Vegetation,
                                  ObstacleKind::Rock, ObstacleKind::Rock};
    for (int x = 0; x < 7; ++x) {
        EXPECT_EQ(s.terrainAt({x, 0}), terrains[x]) << x;
        EXPECT_EQ(kindAt(s, x, 0), kinds[x]) << x;
    }
}

TEST(MapFile, LetterCostsReplaceTheTerrainModelForEveryClass) {
    auto costs = parseLetterCosts("a 1\nb 2.5\r\n\n@ 0\n", "c.costs");
    ASSERT_TRUE(std::holds_alternative<LetterCosts>(costs));
    const auto world = worldOf(header(3, 1) + "ab@\n", {.model = MapModel::Costs, .costs = std::get<LetterCosts>(costs)});
    const WorldSnapshot s = world->snapshot();
    const float expected[] = {1.0f, 2.5f};
    for (int x = 0; x < 2; ++x) {
        for (const UnitClass& unit : s.rules().unit_classes) {
            EXPECT_EQ(unit.multipliers[static_cast<std::size_t>(s.terrainAt({x, 0}))], expected[x]);
        }
        EXPECT_EQ(kindAt(s, x, 0), ObstacleKind::None);
    }
    EXPECT_NE(kindAt(s, 2, 0), ObstacleKind::None);
}

TEST(MapFile, ALetterWithoutACostIsNamed) {
    const auto costs = std::get<LetterCosts>(parseLetterCosts("a 1\n", "c.costs"));
    EXPECT_EQ(errorOf(header(2, 1) + "ax\n", {.model = MapModel::Costs, .costs = costs}), "m.map:5: column 2 holds \"x\"; give the letter a cost");
}

TEST(MapFile, ALetterWithoutATerrainIsNamed) {
    EXPECT_EQ(errorOf(header(2, 1) + ".x\n", {.model = MapModel::Terrain}), "m.map:5: column 2 holds \"x\"; use one of . G S W T @ O");
}

TEST(MapFile, BadCostsAreNamedWithTheirLine) {
    const std::string bad[] = {"a", "a 1 2", "ab 1", "a x", "a -1", "a nan", "a inf", "a 0.05", "a 99", "a 1e300", "a 1x"};
    for (const std::string& line : bad) {
        auto costs = parseLetterCosts("b 1\n" + line + "\n", "c.costs");
        const Error* error = std::get_if<Error>(&costs);
        ASSERT_NE(error, nullptr) << line;
        EXPECT_EQ(error->field, "c.costs:2");
        EXPECT_EQ(error->value, "\"" + line + "\"");
    }
    EXPECT_TRUE(std::holds_alternative<Error>(parseLetterCosts("a 1\na 1\n", "c")));
    EXPECT_TRUE(std::holds_alternative<Error>(parseLetterCosts("\n", "c")));
}

TEST(MapFile, CrlfAndAMissingLastLineBreakAreAccepted) {
    const auto world = worldOf("type octile\r\nheight 2\r\nwidth 2\r\nmap\r\n.@\r\n@.");
    EXPECT_EQ(kindAt(world->snapshot(), 0, 0), ObstacleKind::None);
    EXPECT_EQ(kindAt(world->snapshot(), 1, 0), ObstacleKind::Rock);
    EXPECT_EQ(kindAt(world->snapshot(), 1, 1), ObstacleKind::None);
}

TEST(MapFile, AnEmptyFileIsRefused) {
    EXPECT_EQ(errorOf(""), "m.map: an empty file; name a MovingAI .map");
}

TEST(MapFile, AMissingHeaderIsRefused) {
    EXPECT_EQ(errorOf("....\n....\n"), "m.map:1: \"....\"; the header has the lines \"type octile\", \"height H\", \"width W\" and \"map\"");
    EXPECT_EQ(errorOf("type octile\nheight 2\nmap\n"), "m.map:3: \"map\"; put \"width W\" above it");
    EXPECT_EQ(errorOf("type octile\nwidth 2\nmap\n"), "m.map:3: \"map\"; put \"height H\" above it");
    EXPECT_EQ(errorOf("height 2\nwidth 2\nmap\n"), "m.map:3: \"map\"; put \"type octile\" above it");
    EXPECT_EQ(errorOf("type octile\nheight 2\n"), "m.map:2: the file ends inside the header; add what is missing of type, height, width, map, then the rows");
    EXPECT_EQ(errorOf("type octile\nheight 2\nheight 2\n"), "m.map:3: \"height 2\"; give it once");
    EXPECT_EQ(errorOf("type tile\n"), "m.map:1: \"type tile\"; only \"type octile\" is known");
}

TEST(MapFile, OversizedHeadersAreRefusedBeforeAnythingIsAllocated) {
    for (const std::string size : {"8193", "99999999999999999999", "-1", "0", "2.5", "0x10", "many"}) {
        EXPECT_EQ(errorOf("type octile\nheight " + size + "\nwidth 2\nmap\n"), "m.map:2: \"height " + size + "\"; use a whole number from 1 to 8192");
    }
    EXPECT_EQ(errorOf(header(8192, 8192)), "m.map:4: the file ends after 0 rows; give 8192, as the header says");
}

TEST(MapFile, TruncatedMapsAreRefused) {
    EXPECT_EQ(errorOf(header(4, 3) + "....\n....\n"), "m.map:6: the file ends after 2 rows; give 3, as the header says");
    EXPECT_EQ(errorOf(header(4, 3) + "....\n....\n..."), "m.map:7: a row of 3 letters; give 4, as the header says");
    EXPECT_EQ(errorOf(header(4, 3) + "....\n....\n\n\n\n\n\n"), "m.map:7: a row of 0 letters; give 4, as the header says");
}

TEST(MapFile, RaggedRowsAreRefused) {
    EXPECT_EQ(errorOf(header(4, 2) + "...\n.....\n"), "m.map:5: a row of 3 letters; give 4, as the header says");
    EXPECT_EQ(errorOf(header(4, 2) + ".....\n....\n"), "m.map:5: a row of 5 letters; give 4, as the header says");
}

TEST(MapFile, ExtraRowsAreRefusedButBlankLinesAtTheEndAreNot) {
    EXPECT_EQ(errorOf(header(2, 1) + "..\n..\n"), "m.map:6: \"..\"; remove what follows the 1 rows, or raise the header's height");
    EXPECT_NE(worldOf(header(2, 1) + "..\n\n\r\n"), nullptr);
}

TEST(MapFile, BinaryFilesAreRefused) {
    EXPECT_EQ(errorOf(std::string("\x89PNG\r\n\x1a\n\0\0\0", 11)),
              "m.map:1: \"\\x89PNG\"; the header has the lines \"type octile\", \"height H\", \"width W\" and \"map\"");
    EXPECT_EQ(errorOf(header(3, 1) + std::string(".\0.\n", 4)), "m.map:5: column 2 holds \"\\x00\"; rows hold printable letters only; is this a text file?");
    EXPECT_EQ(errorOf(header(3, 1) + ". .\n"), "m.map:5: column 2 holds \" \"; rows hold printable letters only; is this a text file?");
}

TEST(MapFile, FilesThatCannotBeReadAreRefused) {
    const auto missing = loadMap("no/such.map", {});
    ASSERT_TRUE(std::holds_alternative<Error>(missing));
    EXPECT_EQ(std::get<Error>(missing).field, "no/such.map");
    EXPECT_TRUE(std::holds_alternative<Error>(loadMap(".", {})));
    EXPECT_TRUE(std::holds_alternative<Error>(loadMap("", {})));
    if (std::filesystem::exists("/dev/zero")) {
        EXPECT_TRUE(std::holds_alternative<Error>(loadLetterCosts("/dev/zero")));
    }
}

TEST(MapFile, MapsOfSeveralChunksKeepEveryCell) {
    Rng rng(7);
    const int width = 150, height = 131;
    std::string text = header(width, height);
    std::string rows;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) rows += rng.percent(40) ? '@' : '.';
        rows += '\n';
    }
    const auto world = worldOf(text + rows);
    const WorldSnapshot s = world->snapshot();
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            ASSERT_EQ(kindAt(s, x, y) != ObstacleKind::None, rows[static_cast<std::size_t>(y * (width + 1) + x)] == '@') << x << ' ' << y;
        }
    }
}

TEST(ScenarioFile, ColumnsMayBeSeparatedByAnyWhiteSpaceAndBlankLinesAreSkipped) {
    const auto read = parseScenarios("version 1.0\r\n\r\n3\tmaps/a.map\t10  20 1 2\t9 19 17.5\r\n\n", "a.scen");
    ASSERT_TRUE(std::holds_alternative<ScenarioFile>(read));
    const ScenarioFile& file = std::get<ScenarioFile>(read);
    ASSERT_EQ(file.scenarios.size(), 1u);
    const Scenario& s = file.scenarios[0];
    EXPECT_EQ(s.bucket, 3u);
    EXPECT_EQ(s.map, "maps/a.map");
    EXPECT_EQ(s.width, 10);
    EXPECT_EQ(s.height, 20);
    EXPECT_EQ(s.start, (Cell{1, 2}));
    EXPECT_EQ(s.goal, (Cell{9, 19}));
    EXPECT_EQ(s.length, 17.5);
    EXPECT_EQ(s.line, 3u);
}

TEST(ScenarioFile, BadLinesAreNamed) {
    const std::string bad[] = {
        "0 a.map 10 20 1 2 9 19",        "0 a.map 10 20 1 2 9 19 1 1",   "x a.map 10 20 1 2 9 19 1", "0 a.map 10 20 10 2 9 19 1",
        "0 a.map 10 20 1 20 9 19 1",     "0 a.map 10 20 1 2 10 19 1",    "0 a.map 10 20 1 2 9 20 1", "0 a.map 10 20 -1 2 9 19 1",
        "0 a.map 10 20 1 2 9 19 nan",    "0 a.map 10 20 1 2 9 19 -1",    "0 a.map 0 20 1 2 9 19 1",  "0 a.map 10 9000 1 2 9 19 1",
        "0 a.map 10 20 1.5 2 9 19 1",    "0 a.map 10 20 1 2 9 19 1e999", "0 a.map 10 20 1 2 9 19 1m", "-1 a.map 10 20 1 2 9 19 1",
    };
    for (const std::string& line : bad) {
        const auto read = parseScenarios("version 1\n" + line + "\n", "a.scen");
        ASSERT_TRUE(std::holds_alternative<Error>(read)) << line;
        EXPECT_EQ(std::get<Error>(read).field, "a.scen:2") << line;
    }
    EXPECT_TRUE(std::holds_alternative<Error>(parseScenarios("", "a")));
    EXPECT_TRUE(std::holds_alternative<Error>(parseScenarios("version 2\n", "a")));
    EXPECT_TRUE(std::holds_alternative<Error>(parseScenarios("0 a.map 10 20 1 2 9 19 1\n", "a")));
}

TEST(ScenarioFile, ScenariosOfAnotherMapAreNoticed) {
    const auto world = worldOf(header(2, 1) + "..\n");
    const auto read = std::get<ScenarioFile>(parseScenarios("version 1\n0 a.map 2 1 0 0 1 0 1\n0 a.map 3 1 0 0 1 0 1\n", "a.scen"));
    const auto error = checkScenarios(read, world->snapshot());
    ASSERT_TRUE(error);
    EXPECT_EQ(error->field, "a.scen:3");
}

TEST(MapFile, RandomMutationsNeverCrash) {
    constexpr std::string_view kAlphabet = "0123456789-e.@T \n";
    Rng rng(11);
    const std::string text = header(12, 4) + "....@@@@TTTT\n............\n@..........@\n............\n";
    const std::string scen = "version 1\n0\ta.map\t12\t4\t1\t1\t2\t2\t1.41421\n1\ta.map\t12\t4\t3\t1\t9\t2\t6.41421\n";
    int accepted = 0;
    for (int i = 0; i < 10'000; ++i) {
        const auto map = parseMap(mutated(text, rng, kAlphabet), "m.map", {.model = (i & 1) != 0 ? MapModel::Uniform : MapModel::Terrain});
        accepted += std::holds_alternative<Error>(map) ? 0 : 1;
        if (const Error* error = std::get_if<Error>(&map)) {
            ASSERT_FALSE(error->field.empty() || error->value.empty() || error->remedy.empty());
        }
        const auto read = parseScenarios(mutated(scen, rng, kAlphabet), "a.scen");
        const auto costs = parseLetterCosts(mutated("a 1\nb 2.5\n@ 0\n", rng, kAlphabet), "c.costs");
    }
    EXPECT_GT(accepted, 0);
}

TEST(MapFile, TheBenchmarkMapsLoad) {
    const std::filesystem::path data(benchmarkData());
    if (!std::filesystem::is_directory(data)) GTEST_SKIP() << "no benchmark maps at " << data;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
        const std::string path = entry.path().string();
        if (entry.path().extension() == ".map") {
            const auto loaded = loadMap(path, {});
            EXPECT_FALSE(std::holds_alternative<Error>(loaded)) << std::get<Error>(loaded).text();
        } else if (entry.path().extension() == ".scen") {
            const auto loaded = loadScenarios(path);
            ASSERT_FALSE(std::holds_alternative<Error>(loaded)) << std::get<Error>(loaded).text();
            EXPECT_GT(std::get<ScenarioFile>(loaded).scenarios.size(), 100u) << path;
        } else if (entry.path().extension() == ".costs") {
            EXPECT_FALSE(std::holds_alternative<Error>(loadLetterCosts(path))) << path;
        }
    }
}

TEST(MapFile, UniformAndCostMapsKeepTheirTerrainAndTakeTheRestOfTheRules) {
    WorldRules rules = WorldRules::reference();
    rules.terrain_types.push_back({.name = "mud"});
    for (UnitClass& unit : rules.unit_classes) unit.multipliers.push_back(4.0f);
    rules.unit_classes[0].speed = 3.0f;
    const auto uniform = worldOf(header(2, 1) + ".@\n", {.rules = rules});
    EXPECT_TRUE(uniform->snapshot().rules().fixed_terrain);
    EXPECT_TRUE(uniform->snapshot().rules().terrainByName("mud")) << "known, at cost 1 like all else";
    EXPECT_EQ(uniform->snapshot().rules().unit_classes[0].multipliers.back(), 1.0f);
    EXPECT_EQ(uniform->snapshot().rules().unit_classes[0].speed, 3.0f);
    auto costs = std::get<LetterCosts>(parseLetterCosts("a 1\nB 2.5\n. 3\n", "c.costs"));
    const auto letters = worldOf(header(3, 1) + "aB.\n", {.model = MapModel::Costs, .costs = costs, .rules = rules});
    EXPECT_TRUE(letters->snapshot().rules().fixed_terrain);
    EXPECT_FALSE(letters->snapshot().rules().validate());
    for (const char* name : {"cost_a", "cost_upper_b", "cost_x2e"}) EXPECT_TRUE(letters->snapshot().rules().terrainByName(name)) << name;
    const auto terrain = worldOf(header(2, 1) + ".S\n", {.model = MapModel::Terrain, .rules = rules});
    EXPECT_FALSE(terrain->snapshot().rules().fixed_terrain);
    EXPECT_EQ(terrain->snapshot().rules().unit_classes[0].multipliers.back(), 4.0f);
}

}  // namespace
}  // namespace warpath
