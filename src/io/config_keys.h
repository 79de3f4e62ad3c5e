// The table of configuration keys: one line each, from which the loader, the schema and the tables of docs/config.md follow.
//
//   for (const ConfigKey& key : configKeys()) say(key.path, key.meaning);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "warpath/io/config.h"

namespace warpath {

/// Where the value of a key lives.
using ConfigSlot = std::variant<bool*, float*, std::uint32_t*, std::uint64_t*, std::string*>;

struct ConfigKey {
    const char* path;          ///< Below modules.pathfinding: "algorithms.astar.max_distance".
    ConfigSlot (*slot)(Config&);
    double low = 0.0;          ///< Limits of numbers.
    double high = 0.0;
    bool live = true;          ///< false: has no effect, on purpose; any value but the default is refused.
    const char* choices = nullptr;    ///< "1 2 4 8": the only values, where not every one within the limits will do.
    const char* reference = nullptr;  ///< The reference's default as JSON; null: a key of our own.
    const char* reason = nullptr;     ///< Why our default differs from it.
    const char* meaning = nullptr;    ///< What it does, for docs and schema.
    const char* instead = nullptr;    ///< What to do instead of setting it to a value that is refused.
};

/// In the order of the file.
[[nodiscard]] std::span<const ConfigKey> configKeys();

/// The default of a key as JSON.
[[nodiscard]] std::string configDefault(const ConfigKey& key);

}  // namespace warpath
