#include "module/settings.h"

#include <nlohmann/json.hpp>

#include "io/json_reader.h"

namespace warpath::module_detail {

std::variant<Settings, Error> readSettings(std::string_view text) {
    auto parsed = parseJson(text, "");
    if (auto* error = std::get_if<Error>(&parsed)) return *error;
    std::optional<Error> error;
    Settings s;
    JsonObject fields(std::get<Json>(parsed), "", error);
    fields.read("enabled", s.enabled);
    fields.read("pathfinder_impl", s.pathfinder_impl);
    if (const Json* p = fields.find("performance")) {
        JsonObject performance(*p, "performance", error);
        performance.read("async_pathfinding", s.async_pathfinding);
        std::int64_t n = 0;
        if (performance.read("max_paths_per_frame", n, 0, 1'000'000)) s.max_paths_per_frame = static_cast<std::size_t>(n);
        if (performance.read("max_pending", n, 1, 10'000'000)) s.max_pending = static_cast<std::size_t>(n);
        if (performance.read("work_per_tick", n, 0, 1'000'000'000)) s.work_per_tick = static_cast<std::uint64_t>(n);
        performance.finish();
    }
    fields.finish();
    if (error) return *error;
    s.effective = text;
    return s;
}

}  // namespace warpath::module_detail
