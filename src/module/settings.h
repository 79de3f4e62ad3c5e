// What the parts of the module take from its configuration.
#pragma once

#include <optional>
#include <string>

#include "module/threat_keeper.h"
#include "warpath/io/config.h"
#include "warpath/service/service.h"

namespace warpath::module_detail {

/// The service's options, but for executor, registry and tiles.
[[nodiscard]] ServiceOptions serviceOptionsOf(const Config& config);
[[nodiscard]] ThreatKeeper::Settings threatSettingsOf(const Config& config);

/// Whether single units' paths are to be drawn on the navmesh.
[[nodiscard]] bool wantsNavmesh(const Config& config);
/// Why the configuration's backend cannot be had, or nothing. @param available the module was given a factory.
[[nodiscard]] std::optional<Error> checkBackend(const Config& config, bool available);

/// The configuration as JSON with every key: parseConfig gives it back.
[[nodiscard]] std::string writeConfig(const Config& config);

}  // namespace warpath::module_detail
