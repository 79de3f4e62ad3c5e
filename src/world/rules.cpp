#include "warpath/world/rules.h"

#include <algorithm>
#include <cmath>

#include "warpath/core/number_text.h"

namespace warpath {
namespace {

std::optional<Error> checkRange(const std::string& field, float value, float low, float high) {
    if (value >= low && value <= high) return std::nullopt;  // false for NaN
    return Error{field, numberText(value), "use a number from " + numberText(low) + " to " + numberText(high)};
}

/// Names are told in messages and written in files: a letter, then letters, digits and underscores, all lower case.
bool isSnakeCase(const std::string& name) {
    constexpr std::size_t kLongest = 64;
    const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
    if (name.empty() || name.size() > kLongest || !isLower(name.front())) return false;
    return std::all_of(name.begin(), name.end(), [&](char c) { return isLower(c) || (c >= '0' && c <= '9') || c == '_'; });
}

template <class Named>
std::optional<Error> checkNames(const std::string& field, const std::vector<Named>& list, std::size_t limit) {
    if (list.empty() || list.size() > limit) {
        return Error{field, std::to_string(list.size()) + " entries", "use 1 to " + std::to_string(limit)};
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].name.empty()) return Error{field, "an empty name", "name every entry"};
        if (!isSnakeCase(list[i].name)) {
            return Error{field, '"' + list[i].name.substr(0, 64) + '"', "use a name in snake case: a letter, then letters, digits or _, all lower case, at most 64"};
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (list[i].name == list[j].name) return Error{field, list[i].name, "give every entry its own name"};
        }
    }
    return std::nullopt;
}

}  // namespace

const char* toString(ObstacleKind kind) {
    switch (kind) {
        case ObstacleKind::None: return "none";
        case ObstacleKind::Building: return "building";
        case ObstacleKind::Wall: return "wall";
        case ObstacleKind::Rock: return "rock";
        case ObstacleKind::Vegetation: return "vegetation";
    }
    return "unknown";
}

WorldRules WorldRules::reference() {
    WorldRules rules;
    rules.terrain_types = {{.name = "road", .is_road = true},
                           {.name = "grass"},
                           {.name = "forest", .closes_sight = true},
                           {.name = "swamp"},
                           {.name = "mountain"},
                           {.name = "urban", .closes_sight = true},
                           {.name = "sand"},
                           {.name = "snow"},
                           {.name = "water", .is_water = true},
                           {.name = "rubble"}};
    // Multipliers by terrain type, in the order above. TankMedium is the mean of light and heavy.
    rules.unit_classes = {
        {"infantry", 1.5f, {0.5f, 1.0f, 1.5f, 3.0f, 2.0f, 1.2f, 1.8f, 2.5f, 99.0f, 2.0f}},
        {"tank_light", 10.0f, {0.3f, 1.0f, 3.0f, 8.0f, 5.0f, 2.0f, 1.5f, 2.0f, 99.0f, 3.0f}},
        {"tank_medium", 8.0f, {0.3f, 1.1f, 4.0f, 10.0f, 6.5f, 2.25f, 1.75f, 2.5f, 99.0f, 3.5f}},
        {"tank_heavy", 6.0f, {0.3f, 1.2f, 5.0f, 12.0f, 8.0f, 2.5f, 2.0f, 3.0f, 99.0f, 4.0f}},
        {"wheeled", 15.0f, {0.2f, 1.2f, 8.0f, 15.0f, 99.0f, 1.5f, 3.0f, 4.0f, 99.0f, 5.0f}},
        {"tracked", 9.0f, {0.4f, 0.9f, 2.5f, 6.0f, 4.0f, 2.0f, 1.2f, 1.8f, 99.0f, 2.5f}},
    };
    return rules;
}

std::optional<Error> WorldRules::validate() const {
    if (auto error = checkNames("terrain_types", terrain_types, kMaxTerrainTypes)) return error;
    if (auto error = checkNames("unit_classes", unit_classes, kMaxUnitClasses)) return error;
    for (const UnitClass& unit : unit_classes) {
        const std::string field = "unit_classes." + unit.name;
        if (auto error = checkRange(field + ".speed", unit.speed, 0.001f, 1000.0f)) return error;
        if (unit.multipliers.size() != terrain_types.size()) {
            return Error{field + ".multipliers", std::to_string(unit.multipliers.size()) + " values",
                         "give one per terrain type (" + std::to_string(terrain_types.size()) + ")"};
        }
        for (std::size_t t = 0; t < unit.multipliers.size(); ++t) {
            const float m = unit.multipliers[t];
            if (std::isfinite(m) && m >= kImpassable) continue;
            if (auto error = checkRange(field + ".multipliers." + terrain_types[t].name, m, 0.01f, 98.99f)) {
                error->remedy += ", or 99 for impassable";
                return error;
            }
        }
    }
    if (auto error = checkRange("roads.prefer", roads.prefer, 0.0f, 15.0f)) return error;
    if (auto error = checkRange("roads.avoid", roads.avoid, 0.0f, 15.0f)) return error;
    if (auto error = checkRange("cover.full_height", cover.full_height, 0.1f, 80.0f)) return error;
    if (auto error = checkRange("cover.detection_radius", cover.detection_radius, 1.0f, 16.0f)) return error;
    return checkRange("cover.eye_height", cover.eye_height, 0.0f, 80.0f);
}

WorldRules WorldRules::appliedTo(const WorldRules& of_world) const {
    WorldRules applied = *this;
    applied.fixed_terrain = of_world.fixed_terrain;
    if (!of_world.fixed_terrain) return applied;
    applied.terrain_types = of_world.terrain_types;
    for (UnitClass& unit : applied.unit_classes) {
        const auto known = of_world.unitByName(unit.name);
        unit.multipliers = of_world.unit_classes[known ? static_cast<std::size_t>(*known) : 0].multipliers;
    }
    return applied;
}

std::optional<Terrain> WorldRules::terrainByName(std::string_view name) const {
    for (std::size_t i = 0; i < terrain_types.size(); ++i) {
        if (terrain_types[i].name == name) return static_cast<Terrain>(i);
    }
    return std::nullopt;
}

std::optional<UnitType> WorldRules::unitByName(std::string_view name) const {
    for (std::size_t i = 0; i < unit_classes.size(); ++i) {
        if (unit_classes[i].name == name) return static_cast<UnitType>(i);
    }
    return std::nullopt;
}

}  // namespace warpath
