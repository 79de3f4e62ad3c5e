// Why a path is as it is: the algorithm, the share of each cost term, and where the terms are paid.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report.h"
#include "warpath/pathfinder/query.h"

namespace warpath::tool {

[[nodiscard]] Json explanationJson(const WorldSnapshot& snapshot, Query& query, const PathRequest& request, const Path& path);
[[nodiscard]] std::string explanationText(const WorldSnapshot& snapshot, Query& query, const PathRequest& request, const Path& path);

}  // namespace warpath::tool
