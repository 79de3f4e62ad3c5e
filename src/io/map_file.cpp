#include "warpath/io/map_file.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "io/text_input.h"

namespace warpath {
namespace {

constexpr std::size_t kMaxMapBytes = std::size_t{kMaxWorldSize} * (kMaxWorldSize + 2) + 4096;  // the rows, CRLF, header
constexpr std::size_t kMaxScenarioBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxCostsBytes = std::size_t{1} << 16;
constexpr float kLowestCost = 0.1f;  // below it the cost model's floor would change the answer
constexpr float kHighestCost = 98.99f;

bool isLetter(char c) { return c > ' ' && c < 0x7f; }

std::string letterText(char c) { return quotedText(std::string_view(&c, 1)); }

/// What one letter puts on a cell.
struct CellContent {
    bool known = false;
    Terrain terrain{};
    PackedObstacle obstacle = 0;
};

struct Legend {
    std::array<CellContent, 128> letters{};
    WorldRules rules;
    bool has_cover = false;
    Terrain fill = Terrain::Grass;

    void set(char letter, Terrain terrain, PackedObstacle obstacle = 0) { letters[static_cast<std::size_t>(letter)] = {true, terrain, obstacle}; }
};

PackedObstacle rock() { return packObstacle(ObstacleKind::Rock, static_cast<int>(kMapRockHeight * 100.0f)); }
PackedObstacle tree() { return packObstacle(ObstacleKind::Vegetation, static_cast<int>(kMapTreeHeight * 100.0f)); }

/// Gives every class the same multipliers.
void setMultipliers(WorldRules& rules, const std::vector<float>& multipliers) {
    for (UnitClass& unit : rules.unit_classes) unit.multipliers = multipliers;
}

std::variant<Legend, Error> uniformLegend(const WorldRules& given) {
    const Terrain ground = given.terrainByName("grass").value_or(Terrain{0});
    Legend legend{.rules = given, .fill = ground};
    legend.rules.fixed_terrain = true;
    setMultipliers(legend.rules, std::vector<float>(legend.rules.terrain_types.size(), 1.0f));
    for (char c = '!'; c < 0x7f; ++c) legend.set(c, ground, c == 'T' ? tree() : rock());
    for (const char c : {'.', 'G', 'S'}) legend.set(c, ground);
    return legend;
}

/// "cost_a" for a, "cost_upper_a" for A, "cost_x2e" for `.`: names are in snake case.
std::string costTypeName(char c) {
    static constexpr char kHex[] = "0123456789abcdef";
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) return std::string("cost_") + c;
    if (c >= 'A' && c <= 'Z') return std::string("cost_upper_") + static_cast<char>(c - 'A' + 'a');
    return std::string("cost_x") + kHex[static_cast<unsigned char>(c) >> 4] + kHex[static_cast<unsigned char>(c) & 15];
}

std::variant<Legend, Error> costsLegend(const WorldRules& given, const LetterCosts& costs) {
    Legend legend{.rules = given, .fill = Terrain{0}};
    legend.rules.fixed_terrain = true;
    legend.rules.terrain_types.clear();
    std::vector<float> multipliers;
    for (char c = '!'; c < 0x7f; ++c) {
        const float cost = costs.cost[static_cast<std::size_t>(c)];
        if (cost < 0.0f) continue;
        if (cost == 0.0f) {
            legend.set(c, Terrain{0}, rock());
            continue;
        }
        if (!(cost >= kLowestCost && cost <= kHighestCost)) {  // also NaN
            return Error{std::string("costs.") + c, numberText(cost), "use 0 (blocked) or 0.1 to 98.99"};
        }
        if (multipliers.size() == kMaxTerrainTypes) {
            return Error{"costs", "more than " + std::to_string(kMaxTerrainTypes) + " letters that are not blocked", "use fewer letters"};
        }
        legend.set(c, static_cast<Terrain>(multipliers.size()));
        legend.rules.terrain_types.push_back({.name = costTypeName(c)});
        multipliers.push_back(cost);
    }
    if (multipliers.empty()) {  // rules need one type; no cell will show it
        legend.rules.terrain_types.push_back({.name = "ground"});
        multipliers.push_back(1.0f);
    }
    setMultipliers(legend.rules, multipliers);
    return legend;
}

std::variant<Legend, Error> terrainLegend(const WorldRules& given) {
    Legend legend{.rules = given, .has_cover = true};
    const std::pair<char, const char*> names[] = {{'.', "grass"}, {'G', "grass"}, {'S', "swamp"}, {'W', "water"},
                                                  {'T', "forest"}, {'@', "grass"}, {'O', "grass"}};
    for (const auto& [letter, name] : names) {
        const auto terrain = given.terrainByName(name);
        if (!terrain) return Error{"rules.terrain_types", std::string("no type ") + name, "add it, or load the map with letter costs"};
        legend.set(letter, *terrain, letter == 'T' ? tree() : letter == '@' || letter == 'O' ? rock() : PackedObstacle{0});
        if (letter == '.') legend.fill = *terrain;
    }
    return legend;
}

std::variant<Legend, Error> legendOf(const MapOptions& options) {
    switch (options.model) {
        case MapModel::Costs: return costsLegend(options.rules, options.costs);
        case MapModel::Terrain: return terrainLegend(options.rules);
        case MapModel::Uniform: break;
    }
    return uniformLegend(options.rules);
}

struct Header {
    std::int32_t width = 0;
    std::int32_t height = 0;
};

std::variant<Header, Error> readHeader(LineReader& lines, std::string_view name) {
    Header header;
    bool has_type = false;
    while (lines.next()) {
        const std::vector<std::string_view> words = splitWhite(lines.line());
        if (words.empty()) continue;
        const auto fail = [&](std::string remedy) { return errorAt(name, lines.number(), quotedText(lines.line()), std::move(remedy)); };
        const bool known_pair = words.size() == 2 && (words[0] == "type" || words[0] == "height" || words[0] == "width");
        if (words.size() == 1 && words[0] == "map") {
            if (!has_type) return fail("put \"type octile\" above it");
            if (header.height == 0) return fail("put \"height H\" above it");
            if (header.width == 0) return fail("put \"width W\" above it");
            return header;
        }
        if (!known_pair) return fail("the header has the lines \"type octile\", \"height H\", \"width W\" and \"map\"");
        if (words[0] == "type") {
            if (has_type) return fail("give the type once");
            if (words[1] != "octile") return fail("only \"type octile\" is known");
            has_type = true;
            continue;
        }
        std::int32_t& side = words[0] == "height" ? header.height : header.width;
        if (side != 0) return fail("give it once");
        const auto value = parseInteger(words[1]);
        if (!value || *value < 1 || *value > kMaxWorldSize) return fail("use a whole number from 1 to " + std::to_string(kMaxWorldSize));
        side = static_cast<std::int32_t>(*value);
    }
    if (lines.number() == 0) return Error{std::string(name), "an empty file", "name a MovingAI .map"};
    return errorAt(name, lines.number(), "the file ends inside the header", "add what is missing of type, height, width, map, then the rows");
}

/// Cells of some rows, ready for WorldEdit::setCells.
struct Strip {
    std::vector<Terrain> terrains;
    std::vector<PackedObstacle> obstacles;
    std::int32_t rows = 0;

    void clear() {
        terrains.clear();
        obstacles.clear();
        rows = 0;
    }
};

std::optional<Error> readRow(const LineReader& lines, std::string_view name, const Header& header, const MapOptions& options, const Legend& legend,
                             Strip& strip) {
    const std::string_view row = lines.line();
    for (std::size_t i = 0; i < std::min(row.size(), static_cast<std::size_t>(header.width)); ++i) {
        if (!isLetter(row[i])) {
            return errorAt(name, lines.number(), "column " + std::to_string(i + 1) + " holds " + letterText(row[i]),
                           "rows hold printable letters only; is this a text file?");
        }
        const CellContent& content = legend.letters[static_cast<std::size_t>(row[i])];
        if (!content.known) {
            return errorAt(name, lines.number(), "column " + std::to_string(i + 1) + " holds " + letterText(row[i]),
                           options.model == MapModel::Costs ? "give the letter a cost" : "use one of . G S W T @ O");
        }
        strip.terrains.push_back(content.terrain);
        strip.obstacles.push_back(content.obstacle);
    }
    if (row.size() != static_cast<std::size_t>(header.width)) {
        return errorAt(name, lines.number(), "a row of " + std::to_string(row.size()) + " letters",
                       "give " + std::to_string(header.width) + ", as the header says");
    }
    ++strip.rows;
    return std::nullopt;
}

}  // namespace

std::variant<std::unique_ptr<World>, Error> parseMap(std::string_view text, std::string_view name, const MapOptions& options) {
    auto made = legendOf(options);
    if (auto* error = std::get_if<Error>(&made)) return std::move(*error);
    const Legend& legend = std::get<Legend>(made);

    LineReader lines(text);
    auto read = readHeader(lines, name);
    if (auto* error = std::get_if<Error>(&read)) return std::move(*error);
    const Header header = std::get<Header>(read);
    const std::size_t cells = static_cast<std::size_t>(header.width) * static_cast<std::size_t>(header.height);
    if (lines.remaining() < cells) {  // nothing is allocated for a header that promises more than the file holds
        // The usual reasons, a short row or missing rows, get a line of their own.
        std::int32_t rows = 0;
        while (lines.next()) {
            if (lines.line().size() != static_cast<std::size_t>(header.width)) {
                return errorAt(name, lines.number(), "a row of " + std::to_string(lines.line().size()) + " letters",
                               "give " + std::to_string(header.width) + ", as the header says");
            }
            ++rows;
        }
        return errorAt(name, lines.number(), "the file ends after " + std::to_string(rows) + " rows",
                       "give " + std::to_string(header.height) + ", as the header says");
    }

    const WorldConfig config{.width = header.width, .height = header.height, .rules = legend.rules, .fill = legend.fill, .has_cover = legend.has_cover};
    if (auto error = World::check(config)) return *error;
    auto world = std::make_unique<World>(config);
    std::optional<Error> failed;
    const EditResult done = world->edit([&](WorldEdit& edit) {
        Strip strip;
        std::int32_t y = 0;
        while (y < header.height) {
            if (!lines.next()) {
                failed = errorAt(name, lines.number(), "the file ends after " + std::to_string(y) + " rows",
                                 "give " + std::to_string(header.height) + ", as the header says");
                return;
            }
            failed = readRow(lines, name, header, options, legend, strip);
            if (failed) return;
            ++y;
            if (strip.rows == kChunkSize || y == header.height) {
                if (!edit.setCells({0, y - strip.rows, header.width, strip.rows}, strip.terrains, strip.obstacles)) return;
                strip.clear();
            }
        }
    });
    if (failed) return *std::move(failed);
    if (done.error) return *done.error;
    while (lines.next()) {
        if (!splitWhite(lines.line()).empty()) {
            return errorAt(name, lines.number(), quotedText(lines.line()),
                           "remove what follows the " + std::to_string(header.height) + " rows, or raise the header's height");
        }
    }
    return world;
}

std::variant<std::unique_ptr<World>, Error> loadMap(const std::string& path, const MapOptions& options) {
    auto text = readFile(path, kMaxMapBytes);
    if (auto* error = std::get_if<Error>(&text)) return std::move(*error);
    return parseMap(std::get<std::string>(text), path, options);
}

std::variant<LetterCosts, Error> parseLetterCosts(std::string_view text, std::string_view name) {
    LetterCosts costs;
    bool any = false;
    LineReader lines(text);
    while (lines.next()) {
        const std::vector<std::string_view> words = splitWhite(lines.line());
        if (words.empty()) continue;
        const auto fail = [&](std::string remedy) { return errorAt(name, lines.number(), quotedText(lines.line()), std::move(remedy)); };
        if (words.size() != 2 || words[0].size() != 1 || !isLetter(words[0][0])) return fail("write one letter and its cost, as \"a 2.5\"");
        float& cost = costs.cost[static_cast<std::size_t>(words[0][0])];
        if (cost >= 0.0f) return fail("give each letter once");
        const auto value = parseNumber(words[1]);
        const bool blocked = value && *value == 0.0;
        if (!value || !(blocked || (*value >= 0.1 && *value <= 98.99))) return fail("use a cost of 0 (blocked) or 0.1 to 98.99");
        cost = blocked ? 0.0f : static_cast<float>(*value);
        any = true;
    }
    if (!any) return Error{std::string(name), "no letters", "write one letter and its cost a line, as \"a 2.5\""};
    return costs;
}

std::variant<LetterCosts, Error> loadLetterCosts(const std::string& path) {
    auto text = readFile(path, kMaxCostsBytes);
    if (auto* error = std::get_if<Error>(&text)) return std::move(*error);
    return parseLetterCosts(std::get<std::string>(text), path);
}

std::variant<ScenarioFile, Error> parseScenarios(std::string_view text, std::string_view name) {
    ScenarioFile file{std::string(name), {}};
    bool has_version = false;
    LineReader lines(text);
    while (lines.next()) {
        const std::vector<std::string_view> words = splitWhite(lines.line());
        if (words.empty()) continue;
        const auto fail = [&](std::string_view value, std::string remedy) {
            return errorAt(name, lines.number(), quotedText(value), std::move(remedy));
        };
        if (!has_version) {
            if (words.size() != 2 || words[0] != "version") return fail(lines.line(), "begin with \"version 1\"");
            if (words[1] != "1" && words[1] != "1.0") return fail(lines.line(), "only version 1 is known");
            has_version = true;
            continue;
        }
        if (words.size() != 9) {
            return errorAt(name, lines.number(), std::to_string(words.size()) + " columns",
                           "give nine: bucket, map, width, height, start x, start y, goal x, goal y, length");
        }
        static constexpr const char* kColumns[] = {"bucket", "map", "width", "height", "start x", "start y", "goal x", "goal y"};
        std::int64_t numbers[8] = {};
        for (const std::size_t i : {0, 2, 3, 4, 5, 6, 7}) {
            const auto value = parseInteger(words[i]);
            const bool is_size = i == 2 || i == 3;
            const std::int64_t low = is_size ? 1 : 0;
            const std::int64_t high = i == 0 ? 1'000'000'000 : is_size ? kMaxWorldSize : numbers[2 + (i & 1)] - 1;
            if (!value || *value < low || *value > high) {
                return fail(words[i], std::string("use a whole number from ") + std::to_string(low) + " to " + std::to_string(high) + " for the " + kColumns[i]);
            }
            numbers[i] = *value;
        }
        const auto length = parseNumber(words[8]);
        if (!length || *length < 0.0) return fail(words[8], "use a finite number, not negative, for the length");
        Scenario& scenario = file.scenarios.emplace_back();
        scenario.bucket = static_cast<std::uint32_t>(numbers[0]);
        scenario.map = words[1];
        scenario.width = static_cast<std::int32_t>(numbers[2]);
        scenario.height = static_cast<std::int32_t>(numbers[3]);
        scenario.start = {static_cast<std::int32_t>(numbers[4]), static_cast<std::int32_t>(numbers[5])};
        scenario.goal = {static_cast<std::int32_t>(numbers[6]), static_cast<std::int32_t>(numbers[7])};
        scenario.length = *length;
        scenario.line = static_cast<std::uint32_t>(lines.number());
    }
    if (!has_version) return Error{std::string(name), "an empty file", "begin with \"version 1\""};
    return file;
}

std::variant<ScenarioFile, Error> loadScenarios(const std::string& path) {
    auto text = readFile(path, kMaxScenarioBytes);
    if (auto* error = std::get_if<Error>(&text)) return std::move(*error);
    return parseScenarios(std::get<std::string>(text), path);
}

std::optional<Error> checkScenarios(const ScenarioFile& file, const WorldSnapshot& snapshot) {
    for (const Scenario& scenario : file.scenarios) {
        if (scenario.width == snapshot.width() && scenario.height == snapshot.height()) continue;
        return errorAt(file.name, scenario.line, std::to_string(scenario.width) + " x " + std::to_string(scenario.height),
                       "use the map that the scenarios were made for; this one is " + std::to_string(snapshot.width()) + " x " +
                           std::to_string(snapshot.height()));
    }
    return std::nullopt;
}

}  // namespace warpath
