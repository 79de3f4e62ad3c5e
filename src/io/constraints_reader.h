// PathConstraints out of an already parsed JSON value: for messages, whose constraints are one member of many.
//
//   if (const Json* value = object.find("constraints")) readConstraints(*value, object.pathOf("constraints"), rules, wishes, error);
#pragma once

#include <optional>
#include <string>

#include "io/json_reader.h"
#include "warpath/world/constraints.h"

namespace warpath {

/// Reads an object of constraints over what `out` holds. On failure `out` is as it was and the error is noted.
bool readConstraints(const Json& value, const std::string& path, const WorldRules& rules, PathConstraints& out, std::optional<Error>& error);

/// A unit class by its name.
bool readUnitType(const Json& value, const std::string& path, const WorldRules& rules, UnitType& out, std::optional<Error>& error);

/// A terrain type by its name.
bool readTerrainType(const Json& value, const std::string& path, const WorldRules& rules, Terrain& out, std::optional<Error>& error);

}  // namespace warpath
