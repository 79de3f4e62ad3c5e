#include "warpath/io/constraints_json.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "io/constraints_reader.h"
#include "io/text_input.h"

namespace warpath {
namespace {

constexpr const char* kDoctrines[] = {"aggressive", "balanced", "cautious", "stealth"};
constexpr const char* kDiagonals[] = {"strict", "never", "one", "always"};

template <class Named>
bool readNamed(const Json& value, const std::string& path, const std::vector<Named>& list, std::size_t& out, std::optional<Error>& error) {
    std::vector<const char*> names;
    for (const Named& entry : list) names.push_back(entry.name.c_str());
    return readName(value, path, out, names, error);
}

/// Reads a number; its limits are those of `resolve`, which names them. What no float can hold becomes infinite and is refused there.
bool readPlain(JsonObject& object, const char* key, float& out, std::optional<Error>& error) {
    const Json* value = object.find(key);
    if (value == nullptr) return false;
    if (!value->is_number()) {
        noteError(error, object.pathOf(key), describeJson(*value), "use a number");
        return false;
    }
    const auto number = value->get<double>();
    constexpr double kLargest = 3.4e38;
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    out = number > kLargest ? kInfinite : number < -kLargest ? -kInfinite : static_cast<float>(number);
    return true;
}

/// Reads an optional field; null clears it.
void readOptional(JsonObject& object, const char* key, std::optional<float>& out, std::optional<Error>& error) {
    float number = 0.0f;
    if (const Json* value = object.find(key); value != nullptr && value->is_null()) {
        out.reset();
    } else if (readPlain(object, key, number, error)) {
        out = number;
    }
}

void readOptional(JsonObject& object, const char* key, std::optional<bool>& out) {
    if (const Json* value = object.find(key); value != nullptr && value->is_null()) {
        out.reset();
    } else {
        object.read(key, out);
    }
}

}  // namespace

bool readUnitType(const Json& value, const std::string& path, const WorldRules& rules, UnitType& out, std::optional<Error>& error) {
    std::size_t index = 0;
    if (!readNamed(value, path, rules.unit_classes, index, error)) return false;
    out = static_cast<UnitType>(index);
    return true;
}

bool readTerrainType(const Json& value, const std::string& path, const WorldRules& rules, Terrain& out, std::optional<Error>& error) {
    std::size_t index = 0;
    if (!readNamed(value, path, rules.terrain_types, index, error)) return false;
    out = static_cast<Terrain>(index);
    return true;
}

bool readConstraints(const Json& value, const std::string& path, const WorldRules& rules, PathConstraints& out, std::optional<Error>& error) {
    PathConstraints c = out;
    JsonObject object(value, path, error);
    object.readEnum("doctrine", c.doctrine, kDoctrines);
    readOptional(object, "threat_weight", c.threat_weight, error);
    readOptional(object, "cover_weight", c.cover_weight, error);
    readOptional(object, "elevation_weight", c.elevation_weight, error);
    readOptional(object, "terrain_weight", c.terrain_weight, error);
    readOptional(object, "exposure_weight", c.exposure_weight, error);
    readOptional(object, "prefer_roads", c.prefer_roads);
    readOptional(object, "avoid_roads", c.avoid_roads);
    object.read("avoid_water", c.avoid_water);
    readPlain(object, "max_slope", c.max_slope, error);
    readOptional(object, "max_slope_down", c.max_slope_down, error);
    readPlain(object, "wall_distance", c.wall_distance, error);
    readPlain(object, "wall_weight", c.wall_weight, error);
    object.readEnum("diagonal", c.diagonal, kDiagonals);
    if (const Json* unit = object.find("unit_type")) readUnitType(*unit, object.pathOf("unit_type"), rules, c.unit_type, error);
    readOptional(object, "unit_speed", c.unit_speed, error);
    readPlain(object, "unit_radius", c.unit_radius, error);
    object.finish();
    if (error) return false;
    const auto resolved = resolve(c, rules);
    if (const Error* wrong = std::get_if<Error>(&resolved)) {
        noteError(error, joinPath(path, wrong->field), wrong->value, wrong->remedy);
        return false;
    }
    out = c;
    return true;
}

std::variant<PathConstraints, Error> parseConstraints(std::string_view json, const WorldRules& rules, std::string_view name, const PathConstraints& base) {
    auto parsed = parseJson(json, name);
    if (auto* wrong = std::get_if<Error>(&parsed)) return std::move(*wrong);
    std::optional<Error> error;
    PathConstraints constraints = base;
    readConstraints(std::get<Json>(parsed), "", rules, constraints, error);
    if (!error) return constraints;
    return name.empty() ? *std::move(error) : locateError(*std::move(error), json, name);
}

std::string writeConstraints(const PathConstraints& c, const WorldRules& rules) {
    std::string out = "{\"doctrine\":\"" + std::string(toString(c.doctrine)) + '"';
    const auto put = [&](const char* key, const std::string& value) { out += std::string(",\"") + key + "\":" + value; };
    const auto number = [&](const char* key, std::optional<float> value) {
        if (value) put(key, numberText(*value));
    };
    const auto flag = [&](const char* key, std::optional<bool> value) {
        if (value) put(key, *value ? "true" : "false");
    };
    number("threat_weight", c.threat_weight);
    number("cover_weight", c.cover_weight);
    number("elevation_weight", c.elevation_weight);
    number("terrain_weight", c.terrain_weight);
    number("exposure_weight", c.exposure_weight);
    flag("prefer_roads", c.prefer_roads);
    flag("avoid_roads", c.avoid_roads);
    flag("avoid_water", c.avoid_water);
    number("max_slope", c.max_slope);
    number("max_slope_down", c.max_slope_down);
    number("wall_distance", c.wall_distance);
    number("wall_weight", c.wall_weight);
    put("diagonal", '"' + std::string(toString(c.diagonal)) + '"');
    put("unit_type", Json(rules.unit_classes[static_cast<std::size_t>(c.unit_type)].name).dump(-1, ' ', false, Json::error_handler_t::replace));
    number("unit_speed", c.unit_speed);
    number("unit_radius", c.unit_radius);
    return out + '}';
}

}  // namespace warpath
