// What the module takes from its configuration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "warpath/core/error.h"
#include "warpath/pathfinder/algorithm_rules.h"

namespace warpath::module_detail {

struct Settings {
    bool enabled = true;
    std::string pathfinder_impl = "classic";
    bool async_pathfinding = true;
    std::size_t max_paths_per_frame = 0;
    std::size_t path_pool_size = 100;
    std::size_t max_pending = 65'536;
    std::uint64_t work_per_tick = 100'000;
    AlgorithmRules rules;
    std::string effective = "{}";  ///< As getConfiguration tells it.
};

[[nodiscard]] std::variant<Settings, Error> readSettings(std::string_view json);

}  // namespace warpath::module_detail
