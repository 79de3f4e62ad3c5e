// Worlds as bytes: everything a world holds, small and quick to load, with a version and a hash of the content.
//
//   if (auto error = saveWorldBinary("valley.world", world.snapshot())) return say(error->text());
//   auto loaded = loadWorldBinary("valley.world");          // an Error when the file is damaged, cut short or of another version
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "warpath/core/error.h"
#include "warpath/io/loaded_world.h"

namespace warpath {

/// The version that is written, and the only one that is read.
inline constexpr std::uint32_t kWorldBinaryVersion = 1;

/// Rules, terrain, heights, obstacles, congestion, published threat and threat sources as bytes. Revisions are not part of it.
/// @pre threat sources within their limits. Worlds with equal content give equal bytes on every machine, whatever their history. Each layer of a chunk is written as one value, as runs
/// or plain, whichever is shortest; all numbers are little-endian, floats by their bits.
[[nodiscard]] std::string writeWorldBinary(const WorldSnapshot& snapshot, const ThreatsBySide& threats = {});
[[nodiscard]] std::optional<Error> saveWorldBinary(const std::string& path, const WorldSnapshot& snapshot, const ThreatsBySide& threats = {});

/// Builds the world that was written.
///
/// @param name The file's name, for errors.
/// @return the world, or an Error: no file of this kind; another version; too short or too long for what its header says; a hash that the
///   content does not have; content that makes no world (which takes a forged hash). Sizes in the file are checked before they are believed.
[[nodiscard]] std::variant<LoadedWorld, Error> parseWorldBinary(std::string_view bytes, std::string_view name);
[[nodiscard]] std::variant<LoadedWorld, Error> loadWorldBinary(const std::string& path);

}  // namespace warpath
