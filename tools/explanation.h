// Why a route costs what it costs: term by term, stretch by stretch, and against the best one.
//
//   RouteExplanation why = explainDrawn(snapshot, query, request, positions);
//   std::fputs(explanationText(why).c_str(), stdout);
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report.h"
#include "warpath/pathfinder/tactics.h"

namespace warpath::tool {

/// Explains a path that was found. Throws Refusal.
[[nodiscard]] RouteExplanation explainPath(const WorldSnapshot& snapshot, Query& query, const PathRequest& request, const Path& path);
/// Explains positions joined by straight lines. Throws Refusal.
[[nodiscard]] RouteExplanation explainDrawn(const WorldSnapshot& snapshot, Query& query, const PathRequest& request, const std::vector<Position>& drawn);

/// A route as `--route` takes it: "X,Y X,Y ..." as coordinates elsewhere, or JSON [[x,y],...], inline or in @FILE. Throws Refusal.
[[nodiscard]] std::vector<Position> parseRoute(const std::string& argument, const std::string& text);

[[nodiscard]] Json explanationJson(const RouteExplanation& why);
[[nodiscard]] std::string explanationText(const RouteExplanation& why);

}  // namespace warpath::tool
