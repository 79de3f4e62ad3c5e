// Path constraints as JSON, with the field names of PathConstraints.
//
//   auto wishes = parseConstraints(R"({"doctrine": "cautious", "threat_weight": 6, "unit_type": "tank_light"})", snapshot.rules());
//   if (auto* error = std::get_if<Error>(&wishes)) return say(error->text());     // "threat_weight: 60; use a number from 0 ..."
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "warpath/core/error.h"
#include "warpath/world/constraints.h"

namespace warpath {

/// Reads an object of constraints over `base`: a field left out stays as it is there. Enums are spelt in snake case, `unit_type` is a class of
/// the rules, null clears an optional field. The result passes `resolve`.
///
/// @param name The file's name for errors, "" for a text that is none (a message, a command line).
/// @return the constraints, or an Error that names the field: syntax, an unknown or repeated field, a wrong type, a value out of its limits.
[[nodiscard]] std::variant<PathConstraints, Error> parseConstraints(std::string_view json, const WorldRules& rules, std::string_view name = {},
                                                                    const PathConstraints& base = {});

/// The constraints as compact JSON; optional fields without a value are left out. parseConstraints gives equal constraints back.
/// @pre resolve(constraints, rules) has no error.
[[nodiscard]] std::string writeConstraints(const PathConstraints& constraints, const WorldRules& rules);

}  // namespace warpath
