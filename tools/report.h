// Answers as JSON and as text for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/grid/path.h"

namespace warpath::tool {

using Json = nlohmann::ordered_json;

/// A float as the shortest decimal that reads back as the same float.
[[nodiscard]] double exact(float value);

/// What is told about an input as {"field", "value", "remedy"}.
[[nodiscard]] Json errorJson(const Error& error);

/// The JSON of one path as docs/cli.md lists it. `wall` is part of the breakdown only when walls were priced.
[[nodiscard]] Json pathJson(const Path& path, double microseconds);

/// A path in a few lines.
[[nodiscard]] std::string pathText(const Path& path, double microseconds);

/// One line for the legend of a picture.
[[nodiscard]] std::string pathCaption(const Path& path);

/// The turning points of a route with its exact ends: what pictures draw.
[[nodiscard]] std::vector<Position> routeOf(const Path& path);

/// Rounded for people and JSON: at most `digits` after the point.
[[nodiscard]] double rounded(double value, int digits);

}  // namespace warpath::tool
