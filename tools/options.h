// Arguments that several commands share: the map, what a path may and should do, coordinates.
//
//   MapArguments map;   map.addTo(app);   LoadedMap loaded = map.load();
//   RequestArguments request;   request.addTo(app);   query.findPath(snapshot, request.resolve(loaded, from, to), path);
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "command.h"
#include "warpath/io/config.h"
#include "warpath/io/world_json.h"
#include "warpath/pathfinder/request.h"
#include "warpath/world/world.h"

namespace warpath::tool {

/// Checks of an argument's text, before it is read: what is wrong is told with the value and the remedy.
[[nodiscard]] CLI::Validator wholeNumber(std::int64_t low, std::int64_t high);
[[nodiscard]] CLI::Validator numberWithin(double low, double high);
[[nodiscard]] CLI::Validator notEmpty(const std::string& remedy);

/// `--threads` and `--seed`, which every command takes, for those that work on one thread and draw no lots: a script may give them to all.
struct CommonArguments {
    int threads = 1;
    std::uint64_t seed = 0;
    void addTo(CLI::App& app);
};

struct LoadedMap {
    std::shared_ptr<World> world{};
    std::string name{};       ///< File name without folders.
    bool benchmark = false; ///< A `.map` of uniform or letter costs: no tactical layers.
    ThreatsBySide threats{};  ///< Of a world .json; their threat is published in the world.
};

struct MapArguments {
    std::string map;
    std::string costs;
    bool terrain = false;

    void addTo(CLI::App& app);
    /// Reads the file; terrain names and unit classes are those of the configuration's rules, threat is published as it says. Throws Refusal.
    [[nodiscard]] LoadedMap load(const Config& config = {}) const;
};

/// What the weights are where `--constraints` does not set them.
enum class Wishes {
    Doctrine,       ///< BALANCED.
    PlainDistance,  ///< Distance and terrain only, unless `--constraints` names a doctrine.
};

struct RequestArguments {
    std::string constraints;
    std::string algorithm = "auto";
    std::string diagonal;
    std::string side = "0";
    bool partial = false;
    bool navmesh = false;  ///< Set by commands that can answer on the navmesh.

    void addTo(CLI::App& app);
    /// Constraints, diagonal rule and side alone: for commands that choose no algorithm.
    void addWishesTo(CLI::App& app);
    /// The request without its ends. Throws Refusal.
    [[nodiscard]] PathRequest resolve(const LoadedMap& loaded, Wishes wishes) const;
};

/// Constraints of `--constraints` or `--also`, JSON or @FILE, over those of the command. Throws Refusal that names the argument.
[[nodiscard]] PathConstraints readWishes(const std::string& argument, const std::string& given, const WorldRules& rules, Wishes wishes);

/// The name of a request's end as the tool's argument, in front of an error that the library gave it. Other fields stay.
[[nodiscard]] Error asArgument(Error error);

/// "12,7" is the centre of that cell; with a decimal point in either number, metres. Throws Refusal that names the argument.
[[nodiscard]] Position parsePosition(const std::string& argument, const std::string& text);

/// From where to where the map reaches, as a remedy writes it: "from [0,0] to below [12,8]".
[[nodiscard]] std::string boundsText(const WorldSnapshot& snapshot);

/// What is wrong with a position off the map, or nothing.
[[nodiscard]] std::optional<Error> offMap(const std::string& argument, Position position, const WorldSnapshot& snapshot);

/// The whole of a text file. Throws Refusal.
[[nodiscard]] std::string readTextFile(const std::string& argument, const std::string& path);

/// Unwraps what a loader returned. Throws Refusal for an Error.
template <class Value>
[[nodiscard]] Value orRefuse(std::variant<Value, Error>&& loaded) {
    if (const Error* error = std::get_if<Error>(&loaded)) throw Refusal(*error);
    return std::get<Value>(std::move(loaded));
}

/// Throws Refusal when there is an error.
inline void orRefuse(const std::optional<Error>& error) {
    if (error) throw Refusal(*error);
}

/// File name without folders.
[[nodiscard]] std::string baseName(const std::string& path);

}  // namespace warpath::tool
