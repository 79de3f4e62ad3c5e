// The shipped files, config/gameconfig.json, config/gameconfig.schema.json and docs/config.md, agree with the table of keys in the code.
// WARPATH_WRITE_CONFIG_FILES=1 test_io --gtest_filter='ConfigFiles.*' writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/config_keys.h"
#include "support/json_schema.h"
#include "support/test_paths.h"
#include "warpath/io/config.h"

namespace warpath {
namespace {

using Ordered = nlohmann::ordered_json;

std::string fileText(const std::string& name) {
    std::ifstream file(sourceRoot() + name, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Compares a file with what it should hold, or writes it.
void expectFile(const std::string& name, const std::string& text) {
    if (std::getenv("WARPATH_WRITE_CONFIG_FILES") != nullptr) std::ofstream(sourceRoot() + name, std::ios::binary) << text;
    EXPECT_EQ(fileText(name), text) << name << " is out of date: WARPATH_WRITE_CONFIG_FILES=1 test_io --gtest_filter='ConfigFiles.*'";
}

/// The node at a dotted path, made where it is missing; `step` goes between the names.
Ordered& nodeAt(Ordered& root, const std::string& path, const char* step) {
    Ordered* at = &root;
    std::size_t begin = 0;
    while (true) {
        const std::size_t dot = path.find('.', begin);
        if (step[0] != 0) {
            if (!at->contains("type")) {
                (*at)["type"] = "object";
                (*at)["additionalProperties"] = false;
                (*at)["properties"] = Ordered::object();
            }
            at = &(*at)[step];
        }
        at = &(*at)[path.substr(begin, dot - begin)];
        if (dot == std::string::npos) return *at;
        begin = dot + 1;
    }
}

struct TypeName {
    const char* operator()(const bool*) const { return "boolean"; }
    const char* operator()(const float*) const { return "number"; }
    const char* operator()(const std::uint32_t*) const { return "integer"; }
    const char* operator()(const std::uint64_t*) const { return "integer"; }
    const char* operator()(const std::string*) const { return "string"; }
};
std::string typeOf(const ConfigKey& key) {
    Config config;
    return std::visit(TypeName{}, key.slot(config));
}

Ordered numberJson(double value) {
    if (value == static_cast<double>(static_cast<std::int64_t>(value))) return static_cast<std::int64_t>(value);
    return value;
}

std::string gameConfig() {
    Ordered section;
    for (const ConfigKey& key : configKeys()) nodeAt(section, key.path, "") = Ordered::parse(configDefault(key));
    section["rules"]["terrain_types"] = Ordered::array();
    section["rules"]["unit_classes"] = Ordered::array();
    section["metrics"] = Ordered::array();
    Ordered document;
    document["modules"]["pathfinding"] = section;
    return document.dump(2) + "\n";
}

std::string schema() {
    Ordered section;
    for (const ConfigKey& key : configKeys()) {
        Ordered& node = nodeAt(section, key.path, "properties");
        node["description"] = std::string(key.live ? "" : "No effect, only the default is accepted: ") + key.meaning;
        node["type"] = typeOf(key);
        node["default"] = Ordered::parse(configDefault(key));
        if (!key.live) {
            node["enum"] = Ordered::array({Ordered::parse(configDefault(key))});
        } else if (key.high != 0.0) {
            node["minimum"] = numberJson(key.low);
            node["maximum"] = numberJson(key.high);
        }
    }
    section["properties"]["rules"]["properties"]["terrain_types"] = Ordered::parse(R"({
        "description": "Changes of known terrain types, and new ones.", "type": "array",
        "items": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
            "name": {"type": "string", "minLength": 1},
            "is_road": {"type": "boolean"}, "is_water": {"type": "boolean"}, "closes_sight": {"type": "boolean"},
            "multiplier": {"type": "number", "minimum": 0.01, "maximum": 99,
                           "description": "For new types: cost per metre for classes that give none of their own; 99 = impassable."}}}})");
    section["properties"]["rules"]["properties"]["unit_classes"] = Ordered::parse(R"({
        "description": "Changes of known unit classes, and new ones.", "type": "array",
        "items": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
            "name": {"type": "string", "minLength": 1},
            "speed": {"type": "number", "minimum": 0.001, "maximum": 1000, "description": "Metres a second on terrain of multiplier 1."},
            "multipliers": {"type": "object", "description": "Cost per metre by terrain type; 99 = impassable.",
                            "additionalProperties": {"type": "number", "minimum": 0.01, "maximum": 99}}}}})");
    section["properties"]["metrics"] = Ordered::parse(R"({
        "description": "Constraints for which what searches need is prepared ahead, off the frame.", "type": "array", "maxItems": 32, "default": [],
        "items": {"type": "object", "additionalProperties": false, "properties": {
            "doctrine": {"enum": ["aggressive", "balanced", "cautious", "stealth"]},
            "threat_weight": {"type": ["number", "null"], "minimum": 0, "maximum": 20},
            "cover_weight": {"type": ["number", "null"], "minimum": 0, "maximum": 20},
            "elevation_weight": {"type": ["number", "null"], "minimum": 0, "maximum": 20},
            "terrain_weight": {"type": ["number", "null"], "minimum": 0, "maximum": 20},
            "exposure_weight": {"type": ["number", "null"], "minimum": 0, "maximum": 20},
            "prefer_roads": {"type": ["boolean", "null"]}, "avoid_roads": {"type": ["boolean", "null"]}, "avoid_water": {"type": "boolean"},
            "max_slope": {"type": "number", "minimum": 0, "maximum": 90}, "max_slope_down": {"type": ["number", "null"], "minimum": 0, "maximum": 90},
            "wall_distance": {"type": "number", "minimum": 0, "maximum": 8}, "wall_weight": {"type": "number", "minimum": 0, "maximum": 16},
            "diagonal": {"enum": ["strict", "never", "one", "always"]},
            "unit_type": {"type": "string"}, "unit_speed": {"type": ["number", "null"], "minimum": 0.001, "maximum": 1000},
            "unit_radius": {"type": "number", "minimum": 0.01, "maximum": 8}}}})");
    Ordered document;
    document["$schema"] = "http://json-schema.org/draft-07/schema#";
    document["title"] = "Configuration of warpath";
    document["description"] = "The section modules.pathfinding of a game's configuration; docs/config.md explains each key.";
    document["type"] = "object";
    document["required"] = {"modules"};
    document["properties"]["modules"] = Ordered{{"type", "object"}, {"required", Ordered::array({"pathfinding"})}};
    document["properties"]["modules"]["properties"]["pathfinding"] = section;
    return document.dump(1) + "\n";
}

std::string rangeOf(const ConfigKey& key) {
    if (!key.live) return "*none*";
    if (key.choices != nullptr) return key.choices;
    if (key.high == 0.0) return typeOf(key) == "boolean" ? "true, false" : "text";
    return numberJson(key.low).dump() + " .. " + numberJson(key.high).dump();
}

std::string keyTable() {
    std::string out = "| key | default | values | what it does |\n|---|---|---|---|\n";
    for (const ConfigKey& key : configKeys()) {
        out += std::string("| `") + key.path + "` | `" + configDefault(key) + "` | " + rangeOf(key) + " | " + key.meaning;
        if (key.instead != nullptr) out += std::string("; ") + key.instead;
        out += " |\n";
    }
    return out;
}

std::string differenceTable() {
    std::string out = "| key | reference | here | why |\n|---|---|---|---|\n";
    for (const ConfigKey& key : configKeys()) {
        if (key.reason == nullptr) continue;
        out += std::string("| `") + key.path + "` | `" + key.reference + "` | `" + configDefault(key) + "` | " + key.reason + " |\n";
    }
    return out;
}

std::string replaceBetween(std::string text, const std::string& begin, const std::string& end, const std::string& inside) {
    const std::size_t from = text.find(begin), to = text.find(end);
    if (from == std::string::npos || to == std::string::npos || to < from) return "the mark " + begin + " or " + end + " is missing";
    const std::size_t start = text.find('\n', from) + 1;
    return text.replace(start, to - start, inside);
}

TEST(ConfigFiles, TheShippedConfigurationHoldsEveryKeyWithItsDefault) {
    expectFile("config/gameconfig.json", gameConfig());
    const auto loaded = loadConfig(sourceRoot() + "config/gameconfig.json");
    ASSERT_FALSE(std::holds_alternative<Error>(loaded)) << std::get<Error>(loaded).text();
}

TEST(ConfigFiles, TheSchemaSaysWhatTheLoaderAccepts) {
    expectFile("config/gameconfig.schema.json", schema());
    if (!schemaChecksAvailable()) GTEST_SKIP() << "valijson is not installed";
    const std::string shipped = fileText("config/gameconfig.json");
    EXPECT_EQ(schemaComplaint("config/gameconfig.schema.json", shipped), "");
    for (const std::string bad : {R"({"enabled": 1})", R"({"frequency": 0})", R"({"unknown": 1})", R"({"algorithms": {"astar": {"heuristic": "zero"}}})",
                                  R"({"debug": {"visualize_paths": true}})", R"({"metrics": [{"boat": 1}]})", R"({"rules": {"unit_classes": [{}]}})"}) {
        EXPECT_NE(schemaComplaint("config/gameconfig.schema.json", "{\"modules\": {\"pathfinding\": " + bad + "}}"), "") << bad;
        EXPECT_TRUE(std::holds_alternative<Error>(parseConfig(bad))) << bad;
    }
}

TEST(ConfigFiles, TheDocumentationListsEveryKeyAndEveryChangedDefault) {
    std::string text = fileText("docs/config.md");
    text = replaceBetween(text, "<!-- keys:", "<!-- end of keys -->", keyTable());
    text = replaceBetween(text, "<!-- differences:", "<!-- end of differences -->", differenceTable());
    expectFile("docs/config.md", text);
}

TEST(ConfigFiles, EveryKeyOfTheReferenceIsThereAndAChangedDefaultHasAReason) {
    const std::pair<const char*, const char*> reference[] = {
        {"enabled", "true"}, {"frequency", "10"},
        {"algorithms.astar.max_distance", "100.0"}, {"algorithms.astar.max_iterations", "10000"}, {"algorithms.astar.heuristic", "\"euclidean\""},
        {"algorithms.hierarchical.cluster_size", "256"}, {"algorithms.hierarchical.levels", "2"}, {"algorithms.hierarchical.cache_size", "1000"},
        {"algorithms.hierarchical.rebuild_interval", "300"},
        {"algorithms.flow_field.resolution", "1.0"}, {"algorithms.flow_field.smooth_radius", "2"}, {"algorithms.flow_field.local_field_size", "512"},
        {"algorithms.flow_field.cache_duration", "10.0"},
        {"navmesh.cell_size", "1.0"}, {"navmesh.cell_height", "0.5"}, {"navmesh.agent_height", "2.0"}, {"navmesh.agent_radius", "1.0"},
        {"navmesh.max_slope", "45.0"}, {"navmesh.max_climb", "1.0"},
        {"performance.async_pathfinding", "true"}, {"performance.max_paths_per_frame", "2"}, {"performance.path_pool_size", "100"},
        {"performance.cache_paths", "true"}, {"performance.cache_size", "500"},
        {"tactical.update_threat_map", "true"}, {"tactical.threat_map_resolution", "2.0"}, {"tactical.cover_detection_radius", "5.0"},
        {"tactical.line_of_sight_checks", "true"},
        {"debug.visualize_paths", "false"}, {"debug.visualize_flow_fields", "false"}, {"debug.visualize_navmesh", "false"},
        {"debug.log_performance", "true"}, {"pathfinder_impl", "\"classic\""},
    };
    std::size_t of_the_reference = 0;
    for (const ConfigKey& key : configKeys()) of_the_reference += key.reference != nullptr ? 1 : 0;
    EXPECT_EQ(of_the_reference, std::size(reference));
    for (const auto& [path, value] : reference) {
        bool found = false;
        for (const ConfigKey& key : configKeys()) {
            if (std::string(key.path) != path) continue;
            found = true;
            EXPECT_STREQ(key.reference, value) << path;
            EXPECT_EQ(configDefault(key) != value, key.reason != nullptr) << path;
        }
        EXPECT_TRUE(found) << path;
    }
    for (const ConfigKey& key : configKeys()) EXPECT_NE(key.meaning, nullptr) << key.path;
}

}  // namespace
}  // namespace warpath
