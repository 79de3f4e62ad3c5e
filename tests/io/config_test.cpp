#include "warpath/io/config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/config_keys.h"
#include "support/mutate.h"

namespace warpath {
namespace {

std::string errorOf(const std::string& text, const std::string& name = {}) {
    const auto read = parseConfig(text, name);
    const Error* error = std::get_if<Error>(&read);
    return error != nullptr ? error->text() : "no error";
}

Config configOf(const std::string& text) {
    const auto read = parseConfig(text);
    if (const Error* error = std::get_if<Error>(&read)) {
        ADD_FAILURE() << error->text();
        return {};
    }
    return std::get<Config>(read);
}

/// {"a": {"b": value}} for the path a.b.
std::string nested(const std::string& path, const std::string& value) {
    nlohmann::json document, *at = &document;
    std::size_t begin = 0;
    while (true) {
        const std::size_t dot = path.find('.', begin);
        at = &(*at)[path.substr(begin, dot - begin)];
        if (dot == std::string::npos) break;
        begin = dot + 1;
    }
    *at = nlohmann::json::parse(value);
    return document.dump();
}

struct IsText {
    bool operator()(const std::string*) const { return true; }
    bool operator()(const void*) const { return false; }
};
bool holdsText(const ConfigKey& key) {
    Config config;
    return std::visit(IsText{}, key.slot(config));
}

TEST(Config, AnEmptySectionGivesTheDefaults) {
    EXPECT_EQ(errorOf("{}"), "no error");
    EXPECT_EQ(errorOf(R"({"modules": {"pathfinding": {}, "combat": {"anything": 1}}, "game": true})"), "no error");
}

TEST(Config, AFileWithoutTheSectionIsRefused) {
    EXPECT_EQ(errorOf(R"({"modules": {}})"), "modules.pathfinding: missing; give the section, {} for the defaults");
    EXPECT_EQ(errorOf("[]"), "json: an array of 0; use an object {...}");
}

TEST(Config, LiveKeysAreStored) {
    const Config c = configOf(R"({"enabled": false, "frequency": 30, "pathfinder_impl": "mine",
        "algorithms": {"astar": {"max_distance": 250.5, "max_iterations": 10000}, "selection": {"group_size": 4}},
        "performance": {"async_pathfinding": false, "max_paths_per_frame": 7}, "tactical": {"cover_detection_radius": 8},
        "rules": {"road_costs": {"prefer": 1.5}}})");
    EXPECT_FALSE(c.enabled);
    EXPECT_EQ(c.frequency, 30u);
    EXPECT_EQ(c.pathfinder_impl, "mine");
    EXPECT_EQ(c.algorithms.astar.max_distance, 250.5f);
    EXPECT_EQ(c.algorithms.astar.max_iterations, 10000u);
    EXPECT_EQ(c.algorithms.selection.group_size, 4u);
    EXPECT_FALSE(c.performance.async_pathfinding);
    EXPECT_EQ(c.performance.max_paths_per_frame, 7u);
    EXPECT_EQ(c.rules.cover.detection_radius, 8.0f);
    EXPECT_EQ(c.rules.roads.prefer, 1.5f);
}

TEST(Config, EveryKeyAcceptsItsDefaultAndRefusesAWrongType) {
    for (const ConfigKey& key : configKeys()) {
        const std::string path = key.path;
        EXPECT_EQ(errorOf(nested(path, configDefault(key))), "no error");
        for (const std::string wrong : {"null", "[1]", "{}"}) {
            EXPECT_EQ(errorOf(nested(path, wrong)).substr(0, path.size() + 1), path + ":") << wrong;
        }
        if (!holdsText(key)) {
            EXPECT_EQ(errorOf(nested(path, "\"text\"")).substr(0, path.size() + 1), path + ":");
        }
    }
}

TEST(Config, NumbersBeyondTheLimitsAreRefused) {
    for (const ConfigKey& key : configKeys()) {
        if (key.high == 0.0 || !key.live) continue;
        for (const double value : {key.low - 1.0, key.high * 2 + 1, -1e30, 1e300}) {
            EXPECT_NE(errorOf(nested(key.path, nlohmann::json(value).dump())), "no error") << key.path << ' ' << value;
        }
        if (std::string_view(key.path) == "navmesh.load_radius") continue;  // its other limit is unload_radius
        EXPECT_EQ(errorOf(nested(key.path, nlohmann::json(key.high).dump())), "no error") << key.path;
    }
}

TEST(Config, AKeyWithoutEffectRefusesAnyOtherValueAndSaysSo) {
    for (const ConfigKey& key : configKeys()) {
        if (key.live) continue;
        for (const std::string value : {"true", "false", "77", "\"other\""}) {
            const std::string text = errorOf(nested(key.path, value));
            if (value == configDefault(key)) continue;
            EXPECT_NE(text.find("has no effect here; leave it at " + configDefault(key)), std::string::npos) << text;
        }
    }
    EXPECT_EQ(errorOf(R"({"debug": {"visualize_paths": true}})"),
              "debug.visualize_paths: true; has no effect here; leave it at false: draw with `warpath path --png`");
}

TEST(Config, FieldsHaveOneResolutionAndOthersAreRefusedWithWhatToDoInstead) {
    EXPECT_EQ(errorOf(R"({"algorithms": {"flow_field": {"resolution": 1}}})"), "no error");
    EXPECT_EQ(errorOf(R"({"algorithms": {"flow_field": {"resolution": 16}}})"),
              "algorithms.flow_field.resolution: 16; use one of 1: for far groups ask for a `tiled` field, which portals of the hierarchy lead to from afar");
}

TEST(Config, UnknownKeysAreNamedWithTheirLine) {
    EXPECT_EQ(errorOf("{\"modules\": {\"pathfinding\": {\n\"algorithms\": {\n\"astar\": {\"max_distanse\": 1}}}}}", "g.json"),
              "g.json:3: modules.pathfinding.algorithms.astar.max_distanse: an unknown field; known here: max_distance, max_iterations, heuristic");
    EXPECT_EQ(errorOf(R"({"alogrithms": {}})").substr(0, 30), "alogrithms: an unknown field; ");
    EXPECT_EQ(errorOf(R"({"rules": {"cover": {"radius": 1}}})"), "rules.cover.radius: an unknown field; known here: full_height, eye_height");
}

TEST(Config, SectionsMustBeObjects) {
    EXPECT_EQ(errorOf(R"({"algorithms": 3})"), "algorithms: 3; use an object {...}");
    EXPECT_EQ(errorOf(R"({"algorithms": {"astar": []}})"), "algorithms.astar: an array of 0; use an object {...}");
    EXPECT_EQ(errorOf(R"({"modules": {"pathfinding": null}})"), "modules.pathfinding: null; use an object {...}");
}

TEST(Config, TerrainTypesAndUnitClassesAreChangedAndAdded) {
    const Config c = configOf(R"({"rules": {
        "terrain_types": [{"name": "mud", "multiplier": 4}, {"name": "sand", "is_road": true}],
        "unit_classes": [{"name": "tracked", "multipliers": {"mud": 2.5}},
                         {"name": "hovercraft", "speed": 14, "multipliers": {"road": 1, "grass": 1, "forest": 99, "swamp": 1, "mountain": 99,
                          "urban": 1, "sand": 1, "snow": 1, "water": 1, "rubble": 1}}]}})");
    EXPECT_FALSE(c.rules.validate());
    ASSERT_EQ(c.rules.terrain_types.size(), 11u);
    EXPECT_EQ(c.rules.terrain_types[10].name, "mud");
    EXPECT_TRUE(c.rules.terrain_types[static_cast<std::size_t>(Terrain::Sand)].is_road);
    ASSERT_EQ(c.rules.unit_classes.size(), 7u);
    EXPECT_EQ(c.rules.unit_classes[0].multipliers[10], 4.0f);
    EXPECT_EQ(c.rules.unit_classes[static_cast<std::size_t>(UnitType::Tracked)].multipliers[10], 2.5f);
    EXPECT_EQ(c.rules.unit_classes[static_cast<std::size_t>(UnitType::Tracked)].multipliers[1], 0.9f);
    EXPECT_EQ(c.rules.unit_classes[6].speed, 14.0f);
    EXPECT_EQ(c.rules.unit_classes[6].multipliers[10], 4.0f);
}

TEST(Config, BadRulesAreNamed) {
    const auto rules = [](const std::string& text) { return errorOf("{\"rules\": {" + text + "}}"); };
    EXPECT_EQ(rules(R"("terrain_types": [{"is_road": true}])"), "rules.terrain_types[0].name: missing; give it");
    EXPECT_EQ(rules(R"("terrain_types": [{"name": "a"}, {"name": "a"}])"), "rules.terrain_types[1].name: \"a\"; list each type once");
    EXPECT_EQ(rules(R"("terrain_types": [{"name": "sand", "multiplier": 2}])"),
              "rules.terrain_types[0].multiplier: 2; give it for new types only; change known ones under unit_classes");
    EXPECT_EQ(rules(R"("unit_classes": [{"name": "jeep"}])"), "rules.unit_classes[0].speed: missing; give it");
    EXPECT_EQ(rules(R"("unit_classes": [{"name": "jeep", "speed": 9, "multipliers": {"road": 1}}])"),
              "rules.unit_classes[0].multipliers.grass: missing; give it");
    EXPECT_EQ(rules(R"("unit_classes": [{"name": "wheeled", "multipliers": {"lava": 1}}])").substr(0, 55),
              "rules.unit_classes[0].multipliers.lava: an unknown fiel");
    EXPECT_EQ(rules(R"("unit_classes": [{"name": "wheeled", "multipliers": {"road": 0}}])"),
              "rules.unit_classes[0].multipliers.road: 0; use a number from 0.01 to 99");
    EXPECT_EQ(rules(R"("unit_classes": [{"name": "wheeled", "multipliers": {"road": 98.995}}])").substr(0, 45),
              "rules.unit_classes.wheeled.multipliers.road: ");
    std::string many = "\"terrain_types\": [";
    for (int i = 0; i < 60; ++i) many += (i == 0 ? "{\"name\": \"t" : ", {\"name\": \"t") + std::to_string(i) + "\"}";
    EXPECT_EQ(rules(many + "]"), "rules.terrain_types: 70 entries; use 1 to 64");
}

TEST(Config, RandomMutationsNeverCrash) {
    std::string text = "{\"modules\": {\"pathfinding\": {\"enabled\": true, \"frequency\": 60, \"algorithms\": {\"astar\": {\"max_distance\": 100.0, \"heuristic\": "
                       "\"octile\"}}, \"rules\": {\"terrain_types\": [{\"name\": \"mud\", \"multiplier\": 4}], \"unit_classes\": [{\"name\": \"tracked\", "
                       "\"multipliers\": {\"mud\": 2.5}}]}, \"metrics\": []}}}";
    Rng rng(3);
    int accepted = 0;
    for (int i = 0; i < 10'000; ++i) {
        const auto read = parseConfig(mutated(text, rng, "0123456789-e.,:\"{}[]_nulltrue"), "g.json");
        if (const Error* error = std::get_if<Error>(&read)) {
            ASSERT_FALSE(error->field.empty() || error->value.empty() || error->remedy.empty());
        } else {
            ++accepted;
        }
    }
    EXPECT_GT(accepted, 0);
}

TEST(Config, MetricsAreConstraintsOfTheConfiguredRules) {
    const Config config = std::get<Config>(parseConfig(R"({"rules":{"unit_classes":[{"name":"hover","speed":9,"multipliers":{"road":1,"grass":1,"forest":2,"swamp":1,
        "mountain":99,"urban":1,"sand":1,"snow":1,"water":1,"rubble":1}}]},
        "metrics":[{"unit_type":"hover","doctrine":"stealth"},{"threat_weight":3,"unit_radius":2}]})"));
    ASSERT_EQ(config.metrics.size(), 2u);
    EXPECT_EQ(static_cast<std::size_t>(config.metrics[0].unit_type), config.rules.unit_classes.size() - 1);
    EXPECT_EQ(config.metrics[0].doctrine, Doctrine::Stealth);
    EXPECT_EQ(config.metrics[1].unit_radius, 2.0f);
    const auto errorOf = [](const std::string& text) {
        const auto read = parseConfig(text, "c.json");
        return std::holds_alternative<Error>(read) ? std::get<Error>(read).text() : std::string("accepted");
    };
    EXPECT_EQ(errorOf("{\n\"metrics\":[{},\n{\"unit_type\":\"boat\"}]}").substr(0, 31), "c.json:3: metrics[1].unit_type:");
    EXPECT_EQ(errorOf(R"({"metrics":{}})").substr(0, 27), "c.json:1: metrics: an objec");
    EXPECT_EQ(errorOf(R"({"metrics":[{"terrain_weight":99}]})").substr(0, 37), "c.json:1: metrics[0].terrain_weight: ");
    std::string many = R"({"metrics":[)";
    for (int i = 0; i < 33; ++i) many += i == 0 ? "{}" : ",{}";
    EXPECT_EQ(errorOf(many + "]}").substr(0, 30), "c.json:1: metrics: an array of");
}

TEST(Config, APathCacheWithAToleranceIsRefusedInDeterministicMode) {
    const auto error = std::get<Error>(parseConfig(R"({"performance":{"deterministic":true,"cache_tolerance":2.5}})"));
    EXPECT_EQ(error.field, "performance.cache_tolerance");
    EXPECT_EQ(error.value, "2.5");
    EXPECT_NE(error.remedy.find("deterministic"), std::string::npos);
    EXPECT_EQ(std::get<Config>(parseConfig(R"({"performance":{"cache_tolerance":2.5}})")).performance.cache_tolerance, 2.5f);
    EXPECT_TRUE(std::get<Config>(parseConfig(R"({"performance":{"deterministic":true}})")).performance.cache_paths);
}

TEST(Config, ChunksOfTheMeshAreNotDroppedNearerThanTheyAreLoadedWhateverTheBackend) {
    EXPECT_EQ(std::get<Error>(parseConfig("{\"navmesh\":{\"load_radius\":9,\n\"unload_radius\":8}}", "c.json")).text(),
              "c.json:2: navmesh.unload_radius: 8; use a number not below navmesh.load_radius, 9");
}

TEST(Config, RulesOfRoutesAreRead) {
    const Config config = std::get<Config>(parseConfig(
        R"({"routes":{"choke_width":6,"pause":3.5,"max_paths":5,"max_overlap":0.25,"score":{"stealth":{"threat":-2,"time":0.5}}}})"));
    EXPECT_EQ(config.routes.rules.choke_width, 6.0f);
    EXPECT_EQ(config.routes.rules.pause, 3.5f);
    EXPECT_EQ(config.routes.max_paths, 5u);
    EXPECT_EQ(config.routes.max_overlap, 0.25f);
    EXPECT_EQ(config.routes.rules.score[3].threat, -2.0f);
    EXPECT_EQ(config.routes.rules.score[3].cover, scoreWeights(Doctrine::Stealth).cover);
    EXPECT_EQ(config.routes.rules.score[0], scoreWeights(Doctrine::Aggressive));
}

}  // namespace
}  // namespace warpath
