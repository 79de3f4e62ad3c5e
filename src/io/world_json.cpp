#include "warpath/io/world_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/json_reader.h"
#include "io/text_input.h"
#include "warpath/core/assert.h"
#include "warpath/tactical/threat_map.h"
#include "warpath/world/limits.h"

namespace warpath {
namespace {

constexpr std::size_t kMaxWorldJsonBytes = std::size_t{512} << 20;
constexpr const char* kKinds[] = {"building", "wall", "rock", "vegetation"};

/// Letters that stand for the reference's terrain where a file has no legend; the first of a name is the one that is written.
constexpr std::pair<char, const char*> kDefaultLegend[] = {
    {'.', "grass"}, {'G', "grass"},    {'R', "road"},  {'T', "forest"}, {'F', "forest"}, {'S', "swamp"},
    {'M', "mountain"}, {'U', "urban"}, {'D', "sand"},  {'N', "snow"},   {'W', "water"},  {'B', "rubble"},
};

using Legend = std::array<int, 128>;  // terrain index by letter, -1: none

std::string namesOf(const WorldRules& rules) {
    std::string list;
    for (const TerrainType& type : rules.terrain_types) list += (list.empty() ? "" : ", ") + type.name;
    return list;
}

bool readLegend(const Json* value, const WorldRules& rules, Legend& legend, std::optional<Error>& error) {
    legend.fill(-1);
    if (value == nullptr) {
        for (const auto& [letter, name] : kDefaultLegend) {
            const auto terrain = rules.terrainByName(name);
            if (terrain) legend[static_cast<std::size_t>(letter)] = static_cast<int>(*terrain);
        }
        return true;
    }
    if (!value->is_object()) {
        noteError(error, "legend", describeJson(*value), "use an object of letters and terrain names");
        return false;
    }
    for (const auto& [letter, name] : value->items()) {
        const std::string path = joinPath("legend", letter);
        if (letter.size() != 1 || letter[0] <= ' ' || letter[0] >= 0x7f) {
            noteError(error, path, "a legend entry", "use one printable ASCII letter for each terrain");
            return false;
        }
        const auto terrain = name.is_string() ? rules.terrainByName(name.get_ref<const std::string&>()) : std::nullopt;
        if (!terrain) {
            noteError(error, path, describeJson(name), "use one of " + namesOf(rules));
            return false;
        }
        legend[static_cast<std::size_t>(letter[0])] = static_cast<int>(*terrain);
    }
    return true;
}

/// Checks the rows' count before anything of their size is allocated.
bool checkRows(const Json& rows, const char* path, std::int32_t height, std::optional<Error>& error) {
    if (rows.is_array() && rows.size() == static_cast<std::size_t>(height)) return true;
    noteError(error, path, describeJson(rows), "give " + std::to_string(height) + " rows, as the height says");
    return false;
}

bool readTerrain(const Json& rows, const WorldConfig& config, const Legend& legend, std::vector<Terrain>& out, std::optional<Error>& error) {
    if (!checkRows(rows, "terrain", config.height, error)) return false;
    for (std::size_t y = 0; y < rows.size(); ++y) {
        const Json& row = rows[y];
        const auto path = [&] { return joinPath("terrain", y); };
        if (!row.is_string() || row.get_ref<const std::string&>().size() != static_cast<std::size_t>(config.width)) {
            noteError(error, path(), row.is_string() ? "a row of " + std::to_string(row.get_ref<const std::string&>().size()) + " letters" : describeJson(row),
                      "give a string of " + std::to_string(config.width) + " letters, as the width says");
            return false;
        }
    }
    out.reserve(static_cast<std::size_t>(config.width) * static_cast<std::size_t>(config.height));
    for (std::size_t y = 0; y < rows.size(); ++y) {
        const std::string& row = rows[y].get_ref<const std::string&>();
        for (std::size_t x = 0; x < row.size(); ++x) {
            const auto letter = static_cast<unsigned char>(row[x]);
            const int terrain = letter < 128 ? legend[letter] : -1;
            if (terrain < 0) {
                noteError(error, joinPath("terrain", y), "column " + std::to_string(x + 1) + " holds " + quotedText(std::string_view(&row[x], 1)),
                          "use a letter of the legend");
                return false;
            }
            out.push_back(static_cast<Terrain>(terrain));
        }
    }
    return true;
}

bool readElevation(const Json& value, const WorldConfig& config, std::vector<float>& out, std::optional<Error>& error) {
    if (!value.is_array()) {
        out.resize(1);
        return readFloat(value, "elevation", out[0], -kMaxElevation, kMaxElevation, error);
    }
    if (!checkRows(value, "elevation", config.height, error)) return false;
    for (std::size_t y = 0; y < value.size(); ++y) {
        const Json& row = value[y];
        if (!row.is_array() || row.size() != static_cast<std::size_t>(config.width)) {
            noteError(error, joinPath("elevation", y), describeJson(row), "give an array of " + std::to_string(config.width) + " heights, as the width says");
            return false;
        }
        for (std::size_t x = 0; x < row.size(); ++x) {
            float height = 0.0f;
            const Json& cell = row[x];
            if (!cell.is_number() || !readFloat(cell, "", height, -kMaxElevation, kMaxElevation, error)) {
                error.reset();
                return readFloat(cell, joinPath(joinPath("elevation", y), x), height, -kMaxElevation, kMaxElevation, error);
            }
            out.push_back(height);
        }
    }
    return true;
}

struct Obstacle {
    CellRect rect;
    ObstacleKind kind = ObstacleKind::Building;
    float height = kDefaultObstacleHeight;
};

bool readObstacles(const Json& list, const WorldConfig& config, std::vector<Obstacle>& out, std::optional<Error>& error) {
    if (!list.is_array()) {
        noteError(error, "obstacles", describeJson(list), "use an array of objects");
        return false;
    }
    const CellRect bounds{config.origin.x, config.origin.y, config.width, config.height};
    for (std::size_t i = 0; i < list.size() && !error; ++i) {
        JsonObject object(list[i], joinPath("obstacles", i), error);
        Obstacle obstacle;
        std::size_t kind = 0;
        object.require("rect");
        object.require("kind");
        object.read("rect", obstacle.rect);
        object.readEnum("kind", kind, kKinds);
        obstacle.kind = static_cast<ObstacleKind>(kind + 1);
        object.read("height", obstacle.height, 0.0f, kMaxObstacleHeight);
        object.finish();
        if (!error && intersect(obstacle.rect, bounds).empty()) {
            noteError(error, object.pathOf("rect"), list[i]["rect"].dump() + " lies outside the map",
                      "use cells within [" + std::to_string(bounds.x) + "," + std::to_string(bounds.y) + "," + std::to_string(bounds.width) +
                          "," + std::to_string(bounds.height) + "]");
        }
        out.push_back(obstacle);
    }
    return !error;
}

bool readThreats(const Json& list, ThreatsBySide& out, std::optional<Error>& error) {
    if (!list.is_array()) {
        noteError(error, "threats", describeJson(list), "use an array of objects");
        return false;
    }
    for (std::size_t i = 0; i < list.size() && !error; ++i) {
        JsonObject object(list[i], joinPath("threats", i), error);
        ThreatSource source{.id = static_cast<std::uint32_t>(i + 1)};
        std::int32_t side = 0;
        object.read("side", side, 0, kMaxSides - 1);
        object.read("id", source.id, 0u, UINT32_MAX);
        for (const char* key : {"position", "range", "firepower"}) object.require(key);
        object.read("position", source.position);
        object.read("range", source.range, kMinThreatRange, kMaxThreatRange);
        object.read("firepower", source.firepower, 0.0f, kMaxFirepower);
        object.finish();
        if (!error) out[static_cast<std::size_t>(side)].push_back(source);
    }
    for (std::size_t side = 0; side < out.size() && !error; ++side) {
        std::vector<std::uint32_t> ids;
        for (const ThreatSource& source : out[side]) ids.push_back(source.id);
        std::sort(ids.begin(), ids.end());
        const auto twice = std::adjacent_find(ids.begin(), ids.end());
        if (twice != ids.end()) {
            noteError(error, "threats", "id " + std::to_string(*twice) + " twice for side " + std::to_string(side), "give every source of a side its own id");
        }
    }
    return !error;
}

std::optional<LoadedWorld> build(const Json& document, const WorldRules& rules, std::optional<Error>& error) {
    JsonObject object(document, "", error);
    WorldConfig config{.rules = rules};
    object.require("width");
    object.require("height");
    object.read("width", config.width, 1, kMaxWorldSize);
    object.read("height", config.height, 1, kMaxWorldSize);
    object.read("origin", config.origin);
    object.read("has_cover", config.has_cover);
    const Json* terrain = object.find("terrain");
    const Json* legend_value = object.find("legend");
    const Json* elevation = object.find("elevation");
    const Json* obstacles = object.find("obstacles");
    const Json* threats = object.find("threats");
    object.finish();
    if (error) return std::nullopt;
    for (const std::int32_t origin : {config.origin.x, config.origin.y}) {
        if (origin < -kMaxOrigin || origin > kMaxOrigin) {
            noteError(error, "origin", document["origin"].dump(), "use whole numbers from -1000000 to 1000000");
            return std::nullopt;
        }
    }
    const auto grass = rules.terrainByName("grass");
    config.fill = grass.value_or(Terrain{0});
    if (auto wrong = World::check(config)) {
        error = std::move(wrong);
        return std::nullopt;
    }

    LoadedWorld loaded;
    Legend legend;
    std::vector<Terrain> terrains;
    std::vector<float> heights;
    std::vector<Obstacle> placed;
    if (!readLegend(legend_value, rules, legend, error)) return std::nullopt;
    if (terrain != nullptr && !readTerrain(*terrain, config, legend, terrains, error)) return std::nullopt;
    if (elevation != nullptr && !readElevation(*elevation, config, heights, error)) return std::nullopt;
    if (obstacles != nullptr && !readObstacles(*obstacles, config, placed, error)) return std::nullopt;
    if (threats != nullptr && !readThreats(*threats, loaded.threats, error)) return std::nullopt;

    loaded.world = std::make_unique<World>(config);
    const CellRect bounds = loaded.world->snapshot().bounds();
    EditResult done = loaded.world->edit([&](WorldEdit& edit) {
        if (!terrains.empty()) {
            const std::vector<PackedObstacle> none(terrains.size(), 0);
            edit.setCells(bounds, terrains, none);
        }
        if (heights.size() == 1) {
            if (heights[0] != 0.0f) edit.setElevation(bounds, heights[0]);
        } else if (!heights.empty()) {
            edit.setElevation(bounds, heights);
        }
        for (const Obstacle& obstacle : placed) edit.placeObstacle(obstacle.rect, obstacle.kind, obstacle.height);
    });
    if (done.error) {
        error = std::move(done.error);
        return std::nullopt;
    }
    return loaded;
}

/// The letter that each terrain type is written with.
std::vector<char> lettersOf(const WorldRules& rules) {
    std::vector<char> letters(rules.terrain_types.size(), 0);
    std::array<bool, 128> taken{};
    taken['"'] = taken['\\'] = true;  // would need escapes
    for (const auto& [letter, name] : kDefaultLegend) {
        const auto terrain = rules.terrainByName(name);
        if (!terrain || letters[static_cast<std::size_t>(*terrain)] != 0) continue;
        letters[static_cast<std::size_t>(*terrain)] = letter;
        taken[static_cast<std::size_t>(letter)] = true;
    }
    char next = 'a';
    for (char& letter : letters) {
        if (letter != 0) continue;
        while (taken[static_cast<std::size_t>(next)]) next = next == '~' ? '!' : static_cast<char>(next + 1);
        letter = next;
        taken[static_cast<std::size_t>(next)] = true;
    }
    return letters;
}

/// A height in metres exactly as its centimetres say.
std::string metresText(std::int32_t cm) {
    const std::int32_t whole = cm / 100, rest = cm % 100 < 0 ? -(cm % 100) : cm % 100;
    std::string text = (cm < 0 && whole == 0 ? "-" : "") + std::to_string(whole);
    if (rest != 0) {
        text += rest < 10 ? ".0" : ".";
        text += std::to_string(rest % 10 == 0 ? rest / 10 : rest);
    }
    return text;
}

std::vector<bool> usedTerrains(const WorldSnapshot& s) {
    std::vector<bool> used(s.rules().terrain_types.size(), false);
    const CellRect b = s.bounds();
    for (int y = 0; y < b.height; ++y) {
        for (int x = 0; x < b.width; ++x) used[static_cast<std::size_t>(s.terrainAt({b.x + x, b.y + y}))] = true;
    }
    return used;
}

void writeObstacles(const WorldSnapshot& s, std::string& out) {
    const CellRect b = s.bounds();
    const auto width = static_cast<std::size_t>(b.width);
    std::vector<std::uint8_t> done(width * static_cast<std::size_t>(b.height), 0);
    const auto free = [&](int x, int y, PackedObstacle kind) {
        return done[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)] == 0 && s.obstacleAt({b.x + x, b.y + y}) == kind;
    };
    bool first = true;
    for (int y = 0; y < b.height; ++y) {
        for (int x = 0; x < b.width; ++x) {
            const PackedObstacle o = s.obstacleAt({b.x + x, b.y + y});
            if (o == 0 || !free(x, y, o)) continue;
            int x1 = x + 1, y1 = y + 1;
            while (x1 < b.width && free(x1, y, o)) ++x1;
            for (bool whole = true; y1 < b.height; ++y1) {
                for (int i = x; whole && i < x1; ++i) whole = free(i, y1, o);
                if (!whole) break;
            }
            for (int j = y; j < y1; ++j) {
                std::fill_n(done.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(j) * width + static_cast<std::size_t>(x)), x1 - x, std::uint8_t{1});
            }
            out += first ? ",\n\"obstacles\": [\n" : ",\n";
            first = false;
            out += "{\"rect\": [" + std::to_string(b.x + x) + ", " + std::to_string(b.y + y) + ", " + std::to_string(x1 - x) + ", " + std::to_string(y1 - y) +
                   "], \"kind\": \"" + toString(obstacleKind(o)) + "\", \"height\": " + metresText(obstacleHeightCm(o)) + "}";
        }
    }
    if (!first) out += "\n]";
}

void writeElevation(const WorldSnapshot& s, std::string& out) {
    const CellRect b = s.bounds();
    const auto cmAt = [&](int x, int y) { return s.ground({x >> kChunkShift, y >> kChunkShift}).elevationCm(localIndex(x, y)); };
    const std::int32_t first = cmAt(0, 0);
    bool flat = true;
    for (int y = 0; flat && y < b.height; ++y) {
        for (int x = 0; flat && x < b.width; ++x) flat = cmAt(x, y) == first;
    }
    if (flat && first == 0) return;
    out += ",\n\"elevation\": ";
    if (flat) {
        out += metresText(first);
        return;
    }
    for (int y = 0; y < b.height; ++y) {
        out += y == 0 ? "[\n[" : ",\n[";
        for (int x = 0; x < b.width; ++x) out += (x == 0 ? "" : ", ") + metresText(cmAt(x, y));
        out += "]";
    }
    out += "\n]";
}

}  // namespace

std::variant<LoadedWorld, Error> parseWorldJson(std::string_view text, std::string_view name, const WorldRules& rules) {
    auto parsed = parseJson(text, name);
    if (auto* wrong = std::get_if<Error>(&parsed)) return std::move(*wrong);
    std::optional<Error> error;
    std::optional<LoadedWorld> loaded = build(std::get<Json>(parsed), rules, error);
    if (error) return locateError(*std::move(error), text, name);
    return *std::move(loaded);
}

std::variant<LoadedWorld, Error> loadWorldJson(const std::string& path, const WorldRules& rules) {
    auto text = readFile(path, kMaxWorldJsonBytes);
    if (auto* error = std::get_if<Error>(&text)) return std::move(*error);
    return parseWorldJson(std::get<std::string>(text), path, rules);
}

std::string writeWorldJson(const WorldSnapshot& snapshot, const ThreatsBySide& threats) {
    for (const auto& of_side : threats) WARPATH_ASSERT(!checkThreatSources(of_side), "threat sources within their limits");
    const CellRect b = snapshot.bounds();
    const WorldRules& rules = snapshot.rules();
    const std::vector<char> letters = lettersOf(rules);
    std::string out = "{\n\"width\": " + std::to_string(b.width) + ",\n\"height\": " + std::to_string(b.height) + ",\n\"origin\": [" + std::to_string(b.x) +
                      ", " + std::to_string(b.y) + "]";
    if (!snapshot.state().has_cover) out += ",\n\"has_cover\": false";

    out += ",\n\"legend\": {";
    bool first = true;
    const std::vector<bool> used = usedTerrains(snapshot);
    for (std::size_t t = 0; t < letters.size(); ++t) {
        if (!used[t]) continue;
        out += std::string(first ? "" : ", ") + '"' + letters[t] + "\": " + Json(rules.terrain_types[t].name).dump(-1, ' ', false, Json::error_handler_t::replace);
        first = false;
    }
    out += "},\n\"terrain\": [\n";
    for (int y = 0; y < b.height; ++y) {
        out += y == 0 ? "\"" : ",\n\"";
        for (int x = 0; x < b.width; ++x) out += letters[static_cast<std::size_t>(snapshot.terrainAt({b.x + x, b.y + y}))];
        out += '"';
    }
    out += "\n]";
    writeElevation(snapshot, out);
    writeObstacles(snapshot, out);
    first = true;
    for (std::size_t side = 0; side < threats.size(); ++side) {
        for (const ThreatSource& source : threats[side]) {
            out += first ? ",\n\"threats\": [\n" : ",\n";
            first = false;
            out += "{\"side\": " + std::to_string(side) + ", \"id\": " + std::to_string(source.id) + ", \"position\": [" + numberText(source.position.x) + ", " +
                   numberText(source.position.y) + "], \"range\": " + numberText(source.range) + ", \"firepower\": " + numberText(source.firepower) + "}";
        }
    }
    if (!first) out += "\n]";
    return out + "\n}\n";
}

std::optional<Error> saveWorldJson(const std::string& path, const WorldSnapshot& snapshot, const ThreatsBySide& threats) {
    for (std::size_t side = 0; side < threats.size(); ++side) {
        if (auto error = checkThreatSources(threats[side])) return Error{"threats[" + std::to_string(side) + "]." + error->field, error->value, error->remedy};
    }
    return writeFile(path, writeWorldJson(snapshot, threats));
}

}  // namespace warpath
