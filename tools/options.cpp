#include "options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>
#include <nlohmann/json.hpp>

#include "warpath/core/number_text.h"
#include "warpath/io/constraints_json.h"
#include "warpath/io/map_file.h"
#include "warpath/tactical/threat_map.h"
#include "warpath/world/position_errors.h"

namespace warpath::tool {
namespace {

bool endsWith(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::optional<PathAlgorithm> algorithmByName(const std::string& name) {
    for (const PathAlgorithm algorithm : {PathAlgorithm::Auto, PathAlgorithm::AStar, PathAlgorithm::Jps, PathAlgorithm::Hierarchical, PathAlgorithm::NavMesh})
        if (name == toString(algorithm)) return algorithm;
    return std::nullopt;
}

std::optional<DiagonalRule> diagonalByName(const std::string& name) {
    for (const DiagonalRule rule : {DiagonalRule::Strict, DiagonalRule::Never, DiagonalRule::One, DiagonalRule::Always})
        if (name == toString(rule)) return rule;
    return std::nullopt;
}

/// Puts the threat of the sources onto the map, as the module does.
void publishThreats(LoadedMap& loaded, const Config& config) {
    if (!config.tactical.update_threat_map) return;
    for (int side = 0; side < kMaxSides; ++side) {
        const auto& sources = loaded.threats[static_cast<std::size_t>(side)];
        if (sources.empty()) continue;
        ThreatMap map(loaded.world->snapshot(), side, threatConfigOf(config));
        orRefuse(map.update(sources));
        map.finish();
        orRefuse(loaded.world->edit([&](WorldEdit& edit) { map.publish(edit); }).error);
    }
}

}  // namespace

void MapArguments::addTo(CLI::App& app) {
    app.add_option("--map", map, "A MovingAI .map or a world .json")->required()->check(notEmpty("name a file"));
    app.add_option("--costs", costs, "For a .map: letter-cost pairs, one a line (0 = blocked), that replace the terrain model")->check(notEmpty("name a file"));
    app.add_flag("--terrain", terrain, "For a .map: use the terrain model instead of uniform cost");
}

LoadedMap MapArguments::load(const Config& config) const {
    LoadedMap loaded;
    loaded.name = baseName(map);
    if (endsWith(map, ".json")) {
        if (!costs.empty()) throw Refusal("--costs", costs, "leave it out: a world .json names its terrain itself");
        if (terrain) throw Refusal("--terrain", "given with a world .json", "leave it out: a world .json always uses the terrain model");
        LoadedWorld world = orRefuse(loadWorldJson(map, config.rules));
        loaded.world = std::move(world.world);
        loaded.threats = std::move(world.threats);
        publishThreats(loaded, config);
        return loaded;
    }
    if (!costs.empty() && terrain) throw Refusal("--terrain", "given with --costs", "choose one: letter costs replace the terrain model");
    MapOptions options{.rules = config.rules};
    if (!costs.empty()) {
        options.model = MapModel::Costs;
        options.costs = orRefuse(loadLetterCosts(costs));
    } else if (terrain) {
        options.model = MapModel::Terrain;
    }
    loaded.benchmark = !terrain;
    loaded.world = orRefuse(loadMap(map, options));
    return loaded;
}

void RequestArguments::addTo(CLI::App& app) {
    addWishesTo(app);
    app.add_option("--algorithm", algorithm, "auto, astar, jps, hpa or navmesh (auto)");
    app.add_flag("--partial", partial, "When the goal cannot be reached, go to the nearest place that can");
}

void RequestArguments::addWishesTo(CLI::App& app) {
    app.add_option("--constraints", constraints, "Wishes as JSON, or @FILE: {\"doctrine\":\"cautious\",\"threat_weight\":5,...}")
        ->check(notEmpty("write JSON, {} for none, or @FILE"));
    app.add_option("--diagonal", diagonal, "When diagonal steps are legal: strict, never, one or always (strict)")
        ->check(notEmpty("use strict, never, one or always"));
    app.add_option("--side", side, "The side that moves, 0..15 (0)")->check(wholeNumber(0, kMaxSides - 1));
}

PathConstraints readWishes(const std::string& argument, const std::string& given, const WorldRules& rules, Wishes wishes) {
    const PathConstraints base = wishes == Wishes::PlainDistance ? plainDistance() : PathConstraints{};
    const bool from_file = given[0] == '@';
    const std::string name = from_file ? given.substr(1) : "";
    const std::string text = from_file ? readTextFile(argument, name) : given;
    const auto parsed = nlohmann::json::parse(text, nullptr, false);
    // Naming a doctrine asks for its weights; else what is left out keeps those of the command.
    const bool names_doctrine = parsed.is_object() && parsed.contains("doctrine");
    auto read = parseConstraints(text, rules, name, names_doctrine ? PathConstraints{} : base);
    if (Error* error = std::get_if<Error>(&read); error != nullptr && !from_file) error->field = argument + " " + error->field;
    return orRefuse(std::move(read));
}

PathRequest RequestArguments::resolve(const LoadedMap& loaded, Wishes wishes) const {
    PathRequest request;
    if (!constraints.empty()) {
        request.constraints = readWishes("--constraints", constraints, loaded.world->snapshot().rules(), wishes);
    } else if (wishes == Wishes::PlainDistance) {
        request.constraints = plainDistance();
    }
    const auto chosen = algorithmByName(algorithm);
    if (!chosen) throw Refusal("--algorithm", algorithm, "use auto, astar, jps, hpa or navmesh");
    if (*chosen == PathAlgorithm::NavMesh && !navmesh) {
        throw Refusal("--algorithm", algorithm, "use auto, astar, jps or hpa: this command answers on the grid alone; path, scenario and navmesh draw on the mesh");
    }
    request.algorithm = *chosen;
    if (!diagonal.empty()) {
        const auto rule = diagonalByName(diagonal);
        if (!rule) throw Refusal("--diagonal", diagonal, "use strict, never, one or always");
        request.constraints.diagonal = *rule;
    }
    request.side = std::stoi(side);  // checked when it was given
    request.allow_partial = partial;
    return request;
}

Error asArgument(Error error) {
    for (const auto& [field, argument] : {std::pair{"start", "--from"}, std::pair{"goal", "--to"}, std::pair{"goals", "--to"}, std::pair{"max_cost", "--max-cost"}, std::pair{"max_paths", "--count"},
                                          std::pair{"max_overlap", "--max-overlap"}, std::pair{"max_stretch", "--max-stretch"}}) {
        if (error.field == field) error.field = argument;
    }
    return error;
}

CLI::Validator wholeNumber(std::int64_t low, std::int64_t high) {
    return CLI::Validator(
        [low, high](std::string& text) -> std::string {
            std::int64_t value = 0;
            const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error == std::errc() && rest == text.data() + text.size() && value >= low && value <= high) return "";
            return "\"" + text + "\"; use a whole number from " + std::to_string(low) + " to " + std::to_string(high);
        },
        "");
}

CLI::Validator numberWithin(double low, double high) {
    return CLI::Validator(
        [low, high](std::string& text) -> std::string {
            double value = 0.0;
            const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error == std::errc() && rest == text.data() + text.size() && value >= low && value <= high) return "";
            return "\"" + text + "\"; use a number from " + numberText(low) + " to " + numberText(high);
        },
        "");
}

CLI::Validator notEmpty(const std::string& remedy) {
    return CLI::Validator([remedy](std::string& text) { return text.empty() ? "\"\"; " + remedy : std::string(); }, "");
}

void CommonArguments::addTo(CLI::App& app) {
    app.add_option("--threads", threads, "Taken by every command; this one works on one thread")->check(wholeNumber(1, 256));
    app.add_option("--seed", seed, "Taken by every command; this one draws no lots")->check(wholeNumber(0, INT64_MAX));
}

namespace {

/// The nearest float that lies in the same cell: 199.9999999 is not 200.
float withinItsCell(double value) {
    const auto nearest = static_cast<float>(value);
    return std::floor(static_cast<double>(nearest)) > std::floor(value) ? std::nextafter(nearest, -std::numeric_limits<float>::infinity()) : nearest;
}

}  // namespace

Position parsePosition(const std::string& argument, const std::string& text) {
    const auto refuse = [&]() { return Refusal(argument, text, "write X,Y: 12,7 for the centre of a cell, 12.0,7.5 for metres"); };
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos) throw refuse();
    double values[2] = {};
    bool whole = true;
    const std::string parts[2] = {text.substr(0, comma), text.substr(comma + 1)};
    for (int i = 0; i < 2; ++i) {
        const char* begin = parts[i].data();
        const char* end = begin + parts[i].size();
        const auto [rest, error] = std::from_chars(begin, end, values[i]);
        if (error != std::errc() || rest != end || !std::isfinite(values[i])) throw refuse();
        if (parts[i].find_first_not_of("-0123456789") != std::string::npos) whole = false;
    }
    if (whole) {
        values[0] += 0.5;
        values[1] += 0.5;
    }
    const Position p{withinItsCell(values[0]), withinItsCell(values[1])};
    if (!isUsable(p)) throw Refusal(argument, text, "use coordinates within 4,000,000 m of the origin");
    return p;
}

std::string boundsText(const WorldSnapshot& snapshot) {
    const CellRect b = snapshot.bounds();
    const auto pair = [](int x, int y) { return "[" + std::to_string(x) + "," + std::to_string(y) + "]"; };
    return "from " + pair(b.x, b.y) + " to below " + pair(b.x + b.width, b.y + b.height);
}

std::optional<Error> offMap(const std::string& argument, Position position, const WorldSnapshot& snapshot) {
    if (snapshot.contains(cellAt(position))) return std::nullopt;
    return warpath::offMap(snapshot, argument, position);
}

std::string readTextFile(const std::string& argument, const std::string& path) {
    constexpr std::uintmax_t kLargest = std::uintmax_t{16} << 20;
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) throw Refusal(argument, path, "it is no file that can be read: name one that exists");
    if (std::filesystem::file_size(path, failed) > kLargest) throw Refusal(argument, path, "it is larger than 16 MiB: name a text file");
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in.is_open() || in.bad()) throw Refusal(argument, path, "it cannot be read: name a file that exists");
    return text;
}

std::string baseName(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace warpath::tool
