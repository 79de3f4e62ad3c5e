#include "warpath/io/config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/config_keys.h"
#include "io/constraints_reader.h"
#include "io/json_reader.h"
#include "io/text_input.h"
#include "warpath/core/number_text.h"
#include "warpath/grid/tile_store.h"

namespace warpath {
namespace {

constexpr std::size_t kMaxConfigBytes = std::size_t{16} << 20;

/// Reads one value into the place of its key, within the key's limits.
struct Store {
    const Json& value;
    const std::string& path;
    const ConfigKey& key;
    std::optional<Error>& error;

    void operator()(bool* out) const { readBool(value, path, *out, error); }
    void operator()(float* out) const { readFloat(value, path, *out, static_cast<float>(key.low), static_cast<float>(key.high), error); }
    void operator()(std::string* out) const { readString(value, path, *out, error); }
    void operator()(std::uint32_t* out) const { whole(out); }
    void operator()(std::uint64_t* out) const { whole(out); }

    template <class T>
    void whole(T* out) const {
        std::int64_t number = 0;
        if (readInteger(value, path, number, static_cast<std::int64_t>(key.low), static_cast<std::int64_t>(key.high), error)) *out = static_cast<T>(number);
    }
};

/// Whether a value is of the kind of a slot and equals what it holds.
struct EqualsDefault {
    const Json& value;
    bool operator()(const bool* v) const { return value.is_boolean() && value.get<bool>() == *v; }
    bool operator()(const std::string* v) const { return value.is_string() && value.get_ref<const std::string&>() == *v; }
    bool operator()(const float* v) const {
        std::optional<Error> ignored;
        float number = 0.0f;
        return readFloat(value, "", number, *v, *v, ignored);
    }
    bool operator()(const std::uint32_t* v) const { return value.is_number() && value.get<double>() == static_cast<double>(*v); }
    bool operator()(const std::uint64_t* v) const { return value.is_number() && value.get<double>() == static_cast<double>(*v); }
};

bool isChoice(std::string_view choices, const std::string& text) {
    const std::vector<std::string_view> list = splitWhite(choices);
    return std::find(list.begin(), list.end(), text) != list.end();
}

void readKey(const Json& value, const std::string& path, const ConfigKey& key, Config& config, std::optional<Error>& error) {
    const ConfigSlot slot = key.slot(config);
    if (!key.live) {
        if (std::visit(EqualsDefault{value}, slot)) return;
        noteError(error, path, describeJson(value),
                  "has no effect here; leave it at " + configDefault(key) + (key.instead != nullptr ? std::string(": ") + key.instead : std::string()));
        return;
    }
    const bool chosen = key.choices != nullptr && (value.is_number() || value.is_string());
    if (!chosen) return std::visit(Store{value, path, key, error}, slot);
    if (value.is_number() == std::holds_alternative<std::string*>(slot)) return std::visit(Store{value, path, key, error}, slot);  // the wrong type
    const std::string text = value.is_string() ? value.get<std::string>() : numberText(value.get<double>());
    if (!isChoice(key.choices, text)) return noteError(error, path, describeJson(value), std::string("use one of ") + key.choices + (key.instead != nullptr ? std::string(": ") + key.instead : std::string()));
    std::visit(Store{value, path, key, error}, slot);
}

/// Goes through a list of objects with names, each of which may come once; `readEntry(object, entry, name)` reads the rest of one.
template <class ReadEntry>
void readNamed(const Json& list, const std::string& path, const char* what, std::optional<Error>& error, const ReadEntry& readEntry) {
    if (!list.is_array()) return noteError(error, path, describeJson(list), "use an array of objects");
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < list.size() && !error; ++i) {
        JsonObject object(list[i], joinPath(path, i), error);
        std::string name;
        object.require("name");
        object.read("name", name);
        if (std::find(seen.begin(), seen.end(), name) != seen.end()) noteError(error, object.pathOf("name"), quotedText(name), std::string("list each ") + what + " once");
        seen.push_back(name);
        if (!error) readEntry(object, list[i], name);
        object.finish();
    }
}

/// New terrain types and changes of known ones. `fallbacks` gets the multiplier of each new type for classes that give none.
void readTerrainTypes(const Json& list, const std::string& path, WorldRules& rules, std::vector<float>& fallbacks, std::optional<Error>& error) {
    readNamed(list, path, "type", error, [&](JsonObject& object, const Json& entry, const std::string& name) {
        const auto known = rules.terrainByName(name);
        TerrainType type = known ? rules.terrain_types[static_cast<std::size_t>(*known)] : TerrainType{.name = name};
        float multiplier = 1.0f;
        object.read("is_road", type.is_road);
        object.read("is_water", type.is_water);
        object.read("closes_sight", type.closes_sight);
        if (object.read("multiplier", multiplier, 0.01f, kImpassable) && known) {
            noteError(error, object.pathOf("multiplier"), describeJson(entry["multiplier"]), "give it for new types only; change known ones under unit_classes");
        }
        if (error) return;
        if (known) {
            rules.terrain_types[static_cast<std::size_t>(*known)] = std::move(type);
        } else {
            rules.terrain_types.push_back(std::move(type));
            fallbacks.push_back(multiplier);
        }
    });
}

void readUnitClasses(const Json& list, const std::string& path, WorldRules& rules, const std::vector<float>& fallbacks, std::optional<Error>& error) {
    readNamed(list, path, "class", error, [&](JsonObject& object, const Json&, const std::string& name) {
        const auto known = rules.unitByName(name);
        UnitClass unit = known ? rules.unit_classes[static_cast<std::size_t>(*known)] : UnitClass{.name = name, .multipliers = {}};
        if (!known) {
            object.require("speed");
            object.require("multipliers");
            unit.multipliers.assign(rules.terrain_types.size(), -1.0f);
            std::copy(fallbacks.begin(), fallbacks.end(), unit.multipliers.end() - static_cast<std::ptrdiff_t>(fallbacks.size()));
        }
        object.read("speed", unit.speed, 0.001f, 1000.0f);
        if (const Json* multipliers = object.find("multipliers")) {
            JsonObject table(*multipliers, object.pathOf("multipliers"), error);
            for (std::size_t t = 0; t < rules.terrain_types.size(); ++t) {
                table.read(rules.terrain_types[t].name, unit.multipliers[t], 0.01f, kImpassable);
                if (!error && unit.multipliers[t] < 0.0f) table.require(rules.terrain_types[t].name);
            }
            table.finish();
        }
        if (error) return;
        if (known) {
            rules.unit_classes[static_cast<std::size_t>(*known)] = std::move(unit);
        } else {
            rules.unit_classes.push_back(std::move(unit));
        }
    });
}

/// Lists of the rules, which need more than a line of the table.
void readRulesLists(const Json* types, const Json* classes, const std::string& path, WorldRules& rules, std::optional<Error>& error) {
    std::vector<float> fallbacks;
    if (types != nullptr) readTerrainTypes(*types, joinPath(path, "terrain_types"), rules, fallbacks, error);
    for (UnitClass& unit : rules.unit_classes) unit.multipliers.insert(unit.multipliers.end(), fallbacks.begin(), fallbacks.end());
    if (classes != nullptr && !error) readUnitClasses(*classes, joinPath(path, "unit_classes"), rules, fallbacks, error);
}

/// Metrics are constraints; their classes are those of the rules, which must be sound.
void readMetrics(const Json& list, const std::string& path, Config& config, std::optional<Error>& error) {
    if (!list.is_array() || list.size() > TileStore::kMaxMetrics) {
        return noteError(error, path, describeJson(list), "use an array of at most " + std::to_string(TileStore::kMaxMetrics) + " objects of constraints");
    }
    for (std::size_t i = 0; i < list.size() && !error; ++i) {
        PathConstraints constraints;
        if (readConstraints(list[i], joinPath(path, i), config.rules, constraints, error)) config.metrics.push_back(constraints);
    }
}

/// Reads the object at `prefix` ("" or "algorithms.astar.") by the table.
void readSection(const Json& value, const std::string& prefix, const std::string& where, Config& config, std::optional<Error>& error) {
    JsonObject object(value, where, error);
    const Json *types = nullptr, *classes = nullptr;
    if (prefix.empty()) {
        object.find("metrics");  // read when the rules are known to be sound
    } else if (prefix == "rules.") {
        types = object.find("terrain_types");
        classes = object.find("unit_classes");
    }
    std::string done;
    for (const ConfigKey& key : configKeys()) {
        const std::string_view path = key.path;
        if (!path.starts_with(prefix)) continue;
        const std::string_view rest = path.substr(prefix.size());
        const std::size_t dot = rest.find('.');
        const std::string name(rest.substr(0, dot));
        if (dot != std::string_view::npos && name == done) continue;
        const Json* member = object.find(name);
        if (dot != std::string_view::npos) {
            done = name;
            if (member != nullptr) readSection(*member, prefix + name + ".", object.pathOf(name), config, error);
        } else if (member != nullptr) {
            readKey(*member, object.pathOf(name), key, config, error);
        }
    }
    if (prefix == "rules." && !error) readRulesLists(types, classes, where, config.rules, error);
    object.finish();
}

}  // namespace

ThreatConfig threatConfigOf(const Config& config) {
    return {.resolution = static_cast<int>(config.tactical.threat_map_resolution),
            .blur_radius = static_cast<int>(config.tactical.threat_blur_radius),
            .line_of_sight = config.tactical.line_of_sight_checks,
            .hidden_factor = config.tactical.hidden_threat_factor,
            .eye_height = config.rules.cover.eye_height};
}

std::variant<Config, Error> parseConfig(std::string_view json, std::string_view name) {
    auto parsed = parseJson(json, name);
    if (auto* wrong = std::get_if<Error>(&parsed)) return std::move(*wrong);
    const Json& document = std::get<Json>(parsed);
    std::optional<Error> error;
    const Json* section = &document;
    std::string where;
    if (document.is_object() && document.contains("modules")) {  // a game's whole file: other modules' parts are theirs
        const Json& modules = document["modules"];
        where = "modules.pathfinding";
        if (!modules.is_object() || !modules.contains("pathfinding")) {
            noteError(error, where, "missing", "give the section, {} for the defaults");
        } else {
            section = &modules["pathfinding"];
        }
    }
    Config config;
    if (!error) readSection(*section, "", where, config, error);
    config.rules.cover.detection_radius = config.tactical.cover_detection_radius;
    if (!error) {
        if (auto wrong = threatConfigOf(config).validate()) noteError(error, joinPath(where, "tactical.threat_") + wrong->field, wrong->value, wrong->remedy);
        if (config.performance.deterministic && config.performance.cache_tolerance > 0.0f) {
            noteError(error, joinPath(joinPath(where, "performance"), "cache_tolerance"), numberText(config.performance.cache_tolerance),
                      "use 0: performance.deterministic is set, and which of two near paths is kept depends on the speed of the workers");
        }
        if (config.navmesh.unload_radius < config.navmesh.load_radius) {
            noteError(error, joinPath(joinPath(where, "navmesh"), "unload_radius"), std::to_string(config.navmesh.unload_radius),
                      "use a number not below navmesh.load_radius, " + std::to_string(config.navmesh.load_radius));
        }
        if (auto wrong = config.rules.validate()) noteError(error, joinPath(where, "rules") + "." + wrong->field, wrong->value, wrong->remedy);
    }
    if (!error && section->contains("metrics")) readMetrics((*section)["metrics"], joinPath(where, "metrics"), config, error);
    if (!error) return config;
    return name.empty() ? *std::move(error) : locateError(*std::move(error), json, name);
}

std::variant<Config, Error> loadConfig(const std::string& path) {
    auto text = readFile(path, kMaxConfigBytes);
    if (auto* error = std::get_if<Error>(&text)) return std::move(*error);
    return parseConfig(std::get<std::string>(text), path);
}

}  // namespace warpath
