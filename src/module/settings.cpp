#include "module/settings.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "io/config_keys.h"
#include "module/json_writer.h"
#include "warpath/io/constraints_json.h"

namespace warpath::module_detail {
namespace {

/// Closes and opens objects so that the next member stands where a dotted path says.
class PathWriter {
public:
    explicit PathWriter(JsonWriter& out) : out_(out) {}

    /// @return the last piece of the path, the name of the member.
    std::string_view goTo(std::string_view path) {
        std::vector<std::string_view> folders;
        for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
            folders.push_back(path.substr(0, dot));
            path.remove_prefix(dot + 1);
        }
        std::size_t common = 0;
        while (common < folders.size() && common < open_.size() && folders[common] == open_[common]) ++common;
        for (; open_.size() > common; open_.pop_back()) out_.endObject();
        for (; open_.size() < folders.size(); open_.push_back(folders[open_.size()])) out_.key(folders[open_.size()]).beginObject();
        return path;
    }

private:
    JsonWriter& out_;
    std::vector<std::string_view> open_;
};

void writeRulesLists(PathWriter& at, JsonWriter& out, const WorldRules& rules) {
    out.key(at.goTo("rules.terrain_types")).beginArray();
    for (const TerrainType& type : rules.terrain_types) {
        out.beginObject()
            .member("name", type.name)
            .member("is_road", type.is_road)
            .member("is_water", type.is_water)
            .member("closes_sight", type.closes_sight)
            .endObject();
    }
    out.endArray();
    out.key(at.goTo("rules.unit_classes")).beginArray();
    for (const UnitClass& unit : rules.unit_classes) {
        out.beginObject().member("name", unit.name).member("speed", unit.speed).key("multipliers").beginObject();
        for (std::size_t t = 0; t < rules.terrain_types.size(); ++t) out.member(rules.terrain_types[t].name, unit.multipliers[t]);
        out.endObject().endObject();
    }
    out.endArray();
}

std::uint64_t ticksOf(float seconds, std::uint32_t frequency) {
    return static_cast<std::uint64_t>(std::floor(static_cast<double>(seconds) * static_cast<double>(frequency) + 0.5));
}

}  // namespace

ServiceOptions serviceOptionsOf(const Config& config) {
    ServiceOptions options;
    options.pathfinder_impl = config.pathfinder_impl;
    options.rules.uniform_exact_distance = config.algorithms.selection.uniform_exact_distance;
    options.rules.weighted_exact_distance = config.algorithms.astar.max_distance;
    options.rules.threatened_exact_distance = config.algorithms.selection.threatened_exact_distance;
    options.rules.portal_spacing = config.algorithms.hierarchical.portal_spacing;
    options.rules.group_side = config.algorithms.hierarchical.levels > 1 ? config.algorithms.hierarchical.cluster_size / kChunkSize : 0;
    options.rules.group_size = config.algorithms.selection.group_size;
    options.rules.max_expansions = config.algorithms.astar.max_iterations;
    options.routes = config.routes.rules;
    for (const PathConstraints& metric : config.metrics) {
        const auto resolved = resolve(metric, config.rules);  // parseConfig has found it sound
        if (const auto* sound = std::get_if<ResolvedConstraints>(&resolved)) options.metrics.push_back(sound->metric);
    }
    options.max_pending = config.performance.max_pending;
    options.max_searches_per_tick = config.performance.max_paths_per_frame;
    options.patience_ticks = config.performance.patience_ticks;
    options.path_pool_size = config.performance.path_pool_size;
    if (config.performance.cache_paths) {
        options.paths = {std::size_t{config.performance.cache_megabytes} << 20, config.performance.cache_size, config.performance.cache_tolerance};
    }
    options.validate_answers = !config.performance.deterministic;
    options.supersede_across_ticks = !config.performance.deterministic;
    const Config::FlowField& fields = config.algorithms.flow_field;
    options.fields.max_fields = fields.max_fields;
    options.fields.max_bytes = std::size_t{fields.max_megabytes} << 20;
    options.fields.straight_radius = static_cast<int>(fields.straight_radius);
    options.fields.keep_ticks = ticksOf(fields.cache_duration, config.frequency);
    options.fields.price_refresh_ticks = ticksOf(fields.refresh_interval, config.frequency);
    options.fields.timely = config.performance.deterministic;
    return options;
}

ThreatKeeper::Settings threatSettingsOf(const Config& config) {
    ThreatKeeper::Settings settings;
    settings.enabled = config.tactical.update_threat_map;
    settings.map = threatConfigOf(config);
    settings.units_per_tick = config.tactical.threat_units_per_tick;
    settings.update_ticks = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, ticksOf(config.tactical.threat_update_interval, config.frequency)));
    return settings;
}

bool wantsNavmesh(const Config& config) { return config.algorithms.selection.individual_backend == "navmesh"; }

std::optional<Error> checkBackend(const Config& config, bool available) {
    constexpr const char* kKey = "algorithms.selection.individual_backend";
    if (!wantsNavmesh(config)) return std::nullopt;
    if (!available) return Error{kKey, "navmesh", "use grid, or link warpath::navmesh and give the module navBackendFactory()"};
    if (config.performance.deterministic) {
        return Error{kKey, "navmesh", "use grid: performance.deterministic is set, and what the mesh has loaded depends on the speed of its builds"};
    }
    return std::nullopt;
}

std::string writeConfig(const Config& config) {
    Config copy = config;  // the table gives out places to write to
    JsonWriter out;
    PathWriter at(out);
    out.beginObject();
    for (const ConfigKey& key : configKeys()) {
        const std::string_view name = at.goTo(key.path);
        std::visit([&](const auto* value) { out.member(name, *value); }, key.slot(copy));
    }
    writeRulesLists(at, out, config.rules);
    out.key(at.goTo("metrics")).beginArray();
    for (const PathConstraints& metric : config.metrics) out.raw(writeConstraints(metric, config.rules));
    out.endArray().endObject();
    return std::move(out).text();
}

}  // namespace warpath::module_detail
