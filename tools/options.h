// Arguments that several commands share: the map, what a path may and should do, coordinates.
//
//   MapArguments map;   map.addTo(app);   LoadedMap loaded = map.load();
//   RequestArguments request;   request.addTo(app);   query.findPath(snapshot, request.resolve(loaded, from, to), path);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "command.h"
#include "warpath/io/world_json.h"
#include "warpath/pathfinder/request.h"
#include "warpath/world/world.h"

namespace warpath::tool {

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
    /// Reads the file. Throws Refusal.
    [[nodiscard]] LoadedMap load() const;
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
    int side = 0;
    bool partial = false;

    void addTo(CLI::App& app);
    /// Constraints, diagonal rule and side alone: for commands that choose no algorithm.
    void addWishesTo(CLI::App& app);
    /// The request without its ends. Throws Refusal.
    [[nodiscard]] PathRequest resolve(const LoadedMap& loaded, Wishes wishes) const;
};

/// "12,7" is the centre of that cell; with a decimal point in either number, metres. Throws Refusal that names the argument.
[[nodiscard]] Position parsePosition(const std::string& argument, const std::string& text);

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
