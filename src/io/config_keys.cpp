#include "io/config_keys.h"

#include "io/text_input.h"
#include "warpath/flow/flow_request.h"
#include "warpath/pathfinder/request.h"

namespace warpath {
namespace {

#define WARPATH_SLOT(member) [](Config& c) -> ConfigSlot { return &c.member; }

constexpr double kWhole = 4'294'967'295.0;

const ConfigKey kKeys[] = {
    {.path = "enabled", .slot = WARPATH_SLOT(enabled), .reference = "true",
     .meaning = "false: the module does no path work and answers every request `rejected`"},
    {.path = "frequency", .slot = WARPATH_SLOT(frequency), .low = 1, .high = 1000, .reference = "10",
     .reason = "the module runs once a frame, and 10 calls a second would let a unit wait 100 ms for its first step",
     .meaning = "how many times a second the host calls `process()`; time is counted in these ticks, so keys in seconds are multiplied by it"},
    {.path = "pathfinder_impl", .slot = WARPATH_SLOT(pathfinder_impl), .reference = "\"classic\"",
     .meaning = "which registered pathfinder answers; an unknown name is refused with the list of those that exist"},

    {.path = "algorithms.astar.max_distance", .slot = WARPATH_SLOT(algorithms.astar.max_distance), .low = 0, .high = 20'000, .reference = "100.0",
     .meaning = "straight-line distance up to which requests with weighted costs are answered by exact search [m]; beyond it `auto` may choose the hierarchy"},
    {.path = "algorithms.astar.max_iterations", .slot = WARPATH_SLOT(algorithms.astar.max_iterations), .low = 0, .high = 1e12, .reference = "10000",
     .reason = "10000 cuts ordinary queries short: a 100 m tactical query may settle more",
     .meaning = "cells that one search may settle when its request sets no `max_expansions` [cells]; 0 = no limit"},
    {.path = "algorithms.astar.heuristic", .slot = WARPATH_SLOT(algorithms.astar.heuristic), .live = false, .choices = "octile", .reference = "\"euclidean\"",
     .reason = "octile distance is the exact distance on an open grid: never too large, never smaller than the straight line, so answers cost the same for fewer expansions",
     .meaning = "the estimate of the remaining distance",
     .instead = "the octile distance gives routes of the same cost for less work"},

    {.path = "algorithms.hierarchical.cluster_size", .slot = WARPATH_SLOT(algorithms.hierarchical.cluster_size), .low = 128, .high = 512, .choices = "128 192 256 320 384 448 512",
     .reference = "256",
     .meaning = "side of a cluster of the second level [cells]; those of the first are the chunks of 64 cells. Larger ones settle fewer portals, and an edit makes a dearer "
                "table anew (about 0.2, 1.5, 6 and 20 ms at 128, 256, 384 and 512)"},
    {.path = "algorithms.hierarchical.levels", .slot = WARPATH_SLOT(algorithms.hierarchical.levels), .low = 1, .high = 2, .reference = "2",
     .meaning = "levels of the hierarchy; 2: long ways cross whole clusters in one step, at equal costs, unless threat or congestion is priced; 1: they cross chunks alone"},
    {.path = "algorithms.hierarchical.cache_size", .slot = WARPATH_SLOT(algorithms.hierarchical.cache_size), .live = false, .reference = "1000",
     .meaning = "paths inside clusters that are kept [paths]", .instead = "a route is searched anew in the chunks round its way over portals, which loses less than joined pieces would, so there are none to keep; for whole paths set "
                "`performance.cache_size`, for tables `max_megabytes`"},
    {.path = "algorithms.hierarchical.rebuild_interval", .slot = WARPATH_SLOT(algorithms.hierarchical.rebuild_interval), .live = false, .reference = "300",
     .meaning = "ticks between looks for clusters to rebuild [ticks]", .instead = "tables are repaired when their chunk changes"},
    {.path = "algorithms.hierarchical.portal_spacing", .slot = WARPATH_SLOT(algorithms.hierarchical.portal_spacing), .low = 1, .high = 64,
     .meaning = "portals along wide entrances of a chunk stand about this far apart [cells]; denser ones are nearer to the best route, for more memory and time"},

    {.path = "algorithms.hierarchical.max_megabytes", .slot = WARPATH_SLOT(algorithms.hierarchical.max_megabytes), .low = 1, .high = 1'048'576,
     .meaning = "memory that the tables of both levels may take [MiB]; beyond it the longest unused are dropped, and made anew when a way comes by. A store that the host brings keeps its own cap"},

    {.path = "algorithms.flow_field.resolution", .slot = WARPATH_SLOT(algorithms.flow_field.resolution), .low = 1, .high = 1, .choices = "1", .reference = "1.0",
     .meaning = "side of a cell of a flow field [m]", .instead = "for far groups ask for a `tiled` field, which portals of the hierarchy lead to from afar"},
    {.path = "algorithms.flow_field.smooth_radius", .slot = WARPATH_SLOT(algorithms.flow_field.smooth_radius), .low = 0, .high = 8, .reference = "2",
     .meaning = "how far `flow_sample` averages directions [cells]; 0: it blends the four nearest"},
    {.path = "algorithms.flow_field.straight_radius", .slot = WARPATH_SLOT(algorithms.flow_field.straight_radius), .low = 0, .high = kMaxStraightRadius,
     .meaning = "cells so near a goal cell that see it over even ground point straight at it instead of in eight directions [cells]; 0: none. A `flow_field` message may "
                "set its own"},
    {.path = "algorithms.flow_field.local_field_size", .slot = WARPATH_SLOT(algorithms.flow_field.local_field_size), .low = 0, .high = 8192, .reference = "512",
     .meaning = "a `flow_field` that names `positions` and no `area` covers them, its goal and at least so much [cells]; 0: the whole map"},
    {.path = "algorithms.flow_field.cache_duration", .slot = WARPATH_SLOT(algorithms.flow_field.cache_duration), .low = 0, .high = 86'400, .reference = "10.0",
     .meaning = "a field that nobody asks for, samples or takes is dropped after so long [s]"},
    {.path = "algorithms.flow_field.refresh_interval", .slot = WARPATH_SLOT(algorithms.flow_field.refresh_interval), .low = 0, .high = 3600,
     .meaning = "changes of threat and congestion renew a field in use at most this often [s]; walls do so at once"},
    {.path = "algorithms.flow_field.max_fields", .slot = WARPATH_SLOT(algorithms.flow_field.max_fields), .low = 1, .high = 65'536,
     .meaning = "fields that are kept; beyond it the longest unused are dropped [fields]"},
    {.path = "algorithms.flow_field.max_megabytes", .slot = WARPATH_SLOT(algorithms.flow_field.max_megabytes), .low = 1, .high = 1'048'576,
     .meaning = "memory that fields may take, about 5 bytes per cell [MiB]"},

    {.path = "algorithms.selection.uniform_exact_distance", .slot = WARPATH_SLOT(algorithms.selection.uniform_exact_distance), .low = 0, .high = 20'000,
     .meaning = "as `astar.max_distance`, for requests whose costs are uniform [m]"},
    {.path = "algorithms.selection.threatened_exact_distance", .slot = WARPATH_SLOT(algorithms.selection.threatened_exact_distance), .low = 0, .high = 20'000,
     .meaning = "as `astar.max_distance`, where threat or congestion is priced, which the hierarchy only estimates [m]; not below that one"},
    {.path = "algorithms.selection.group_size", .slot = WARPATH_SLOT(algorithms.selection.group_size), .low = 2, .high = 1'000'000,
     .meaning = "units with one goal in one tick from which on `auto` may choose a flow field [units]"},

    {.path = "algorithms.selection.individual_backend", .slot = WARPATH_SLOT(algorithms.selection.individual_backend), .choices = "grid navmesh",
     .meaning = "`navmesh`: paths of single units that price terrain alone are drawn on the navmesh (docs/navmesh.md), all others by the grid; needs `warpath::navmesh`"},

    {.path = "navmesh.cell_size", .slot = WARPATH_SLOT(navmesh.cell_size), .low = 0.125, .high = 1, .choices = "0.125 0.25 0.5 1", .reference = "1.0",
     .reason = "at 1.0 a radius of half a metre already closes gaps of two cells", .meaning = "side of a voxel [m]"},
    {.path = "navmesh.cell_height", .slot = WARPATH_SLOT(navmesh.cell_height), .low = 0.01, .high = 10, .reference = "0.5",
     .meaning = "height of a voxel [m]; written into the tiles' headers, decides nothing while a world has one level"},
    {.path = "navmesh.agent_height", .slot = WARPATH_SLOT(navmesh.agent_height), .low = 0.1, .high = 100, .reference = "2.0",
     .meaning = "head room of a unit [m]; written into the tiles' headers, decides nothing while a world has one level"},
    {.path = "navmesh.agent_radius", .slot = WARPATH_SLOT(navmesh.agent_radius), .low = 0, .high = 8, .reference = "1.0",
     .reason = "a radius of 1.0 closes gaps of three cells; 0.5 is a unit of one cell, as on the grid",
     .meaning = "distance that a unit keeps from walls [m]; units of twice this size (whole cells, rounded up) use the mesh"},
    {.path = "navmesh.size_classes", .slot = WARPATH_SLOT(navmesh.size_classes), .low = 1, .high = kMaxSizeClasses,
     .meaning = "meshes that are kept, each for units one cell wider than the one before (the first for `agent_radius`); each costs the memory and the building of one"},
    {.path = "navmesh.max_slope", .slot = WARPATH_SLOT(navmesh.max_slope), .low = 0, .high = 90, .reference = "45.0", .meaning = "steepest ground that is walked on [degrees]"},
    {.path = "navmesh.max_climb", .slot = WARPATH_SLOT(navmesh.max_climb), .low = 0, .high = 1000, .reference = "1.0", .meaning = "highest step [m]"},
    {.path = "navmesh.load_radius", .slot = WARPATH_SLOT(navmesh.load_radius), .low = 0, .high = 128,
     .meaning = "chunks loaded around a focus, by square distance [chunks]; before the first `focus` a map of up to 1024 chunks is loaded whole"},
    {.path = "navmesh.unload_radius", .slot = WARPATH_SLOT(navmesh.unload_radius), .low = 0, .high = 256,
     .meaning = "chunks farther than this from every focus are dropped, by square distance [chunks]; not below `load_radius`"},

    {.path = "performance.async_pathfinding", .slot = WARPATH_SLOT(performance.async_pathfinding), .reference = "true",
     .meaning = "true: searches run as tasks of the host's scheduler; false: inside `process()`, within `work_per_frame`"},
    {.path = "performance.max_paths_per_frame", .slot = WARPATH_SLOT(performance.max_paths_per_frame), .low = 0, .high = kWhole, .reference = "2",
     .reason = "2 a frame are 120 paths a second for a whole army; a search takes a fraction of a millisecond here and runs off the frame",
     .meaning = "searches that one `process()` begins, wherever they run [searches]; 0 = no limit"},
    {.path = "performance.work_per_frame", .slot = WARPATH_SLOT(performance.work_per_frame), .low = 1, .high = 1e12,
     .meaning = "budget of the searches that run inside `process()` [work units, about one per settled cell; 100000 are about 4 ms]"},
    {.path = "performance.max_pending", .slot = WARPATH_SLOT(performance.max_pending), .low = 1, .high = 16'777'216,
     .meaning = "requests that may wait or run; more are answered `rejected` [requests]"},
    {.path = "performance.patience_ticks", .slot = WARPATH_SLOT(performance.patience_ticks), .low = 1, .high = 1'000'000,
     .meaning = "a task that the scheduler has not begun for so long is computed inside `process()` [ticks]"},
    {.path = "performance.path_pool_size", .slot = WARPATH_SLOT(performance.path_pool_size), .low = 0, .high = 1'000'000, .reference = "100",
     .meaning = "paths kept for reuse, so that answering allocates nothing, up to 16 MiB in all [paths]"},
    {.path = "performance.deterministic", .slot = WARPATH_SLOT(performance.deterministic),
     .meaning = "true (lockstep games): routes and costs never depend on how fast the workers are; when answers come, and which of more than `max_fields` fields live on, may"},
    {.path = "performance.cache_paths", .slot = WARPATH_SLOT(performance.cache_paths), .reference = "true",
     .meaning = "whether the answers to `single_path` are kept for equal requests; a kept one is given only while nothing that it depends on has changed"},
    {.path = "performance.cache_size", .slot = WARPATH_SLOT(performance.cache_size), .low = 0, .high = 16'777'216, .reference = "500",
     .meaning = "paths that are kept at most; beyond it the longest unused are dropped [paths]"},
    {.path = "performance.cache_megabytes", .slot = WARPATH_SLOT(performance.cache_megabytes), .low = 0, .high = 1'048'576,
     .meaning = "memory that kept paths and their keys may take [MiB]"},
    {.path = "performance.tile_megabytes", .slot = WARPATH_SLOT(performance.tile_megabytes), .low = 1, .high = 1'048'576,
     .meaning = "memory that the compiled steps and costs of chunks may take [MiB]; beyond it the longest unused are dropped. A store that the host brings keeps its own cap"},
    {.path = "performance.cache_tolerance", .slot = WARPATH_SLOT(performance.cache_tolerance), .low = 0, .high = 64,
     .meaning = "above 0: a kept path also answers a request whose start and goal lie within so much of its own (both gaps together at most a quarter of the trip), each in a "
                "straight legal line [m]; the path begins and ends where the kept one does. Refused with `deterministic`: which path is kept depends on the speed of the workers"},

    {.path = "tactical.update_threat_map", .slot = WARPATH_SLOT(tactical.update_threat_map), .reference = "true",
     .meaning = "whether the module keeps a threat map for each side; false: `enemies` are remembered and threaten nobody"},
    {.path = "tactical.threat_map_resolution", .slot = WARPATH_SLOT(tactical.threat_map_resolution), .low = 1, .high = 8, .choices = "1 2 4 8", .reference = "2.0",
     .meaning = "side of a threat cell [m]"},
    {.path = "tactical.threat_blur_radius", .slot = WARPATH_SLOT(tactical.threat_blur_radius), .low = 0, .high = 16,
     .meaning = "standard deviation of the blur [threat cells]"},
    {.path = "tactical.threat_update_interval", .slot = WARPATH_SLOT(tactical.threat_update_interval), .low = 0.01, .high = 60,
     .meaning = "time between two looks of the threat maps at ground that has changed [s]; moved enemies are taken up when told"},
    {.path = "tactical.threat_units_per_tick", .slot = WARPATH_SLOT(tactical.threat_units_per_tick), .low = 1, .high = 1'000'000,
     .meaning = "work on the threat maps of all sides in one frame, in units of about a thousand cells (0.3 to 3 us each); the rest waits for the next frames"},
    {.path = "tactical.hidden_threat_factor", .slot = WARPATH_SLOT(tactical.hidden_threat_factor), .low = 0, .high = 1,
     .meaning = "share of a source's threat that reaches a place out of its sight"},
    {.path = "tactical.cover_detection_radius", .slot = WARPATH_SLOT(tactical.cover_detection_radius), .low = 1, .high = 16, .reference = "5.0",
     .meaning = "how far exposure looks for open sight [m]"},
    {.path = "tactical.line_of_sight_checks", .slot = WARPATH_SLOT(tactical.line_of_sight_checks), .reference = "true",
     .meaning = "whether threat is less where its source does not see"},

    {.path = "congestion.weight", .slot = WARPATH_SLOT(congestion.weight), .low = 0, .high = 64,
     .meaning = "cost per metre where units cover the ground, as told by `crowd`; 0: `crowd` changes nothing"},
    {.path = "congestion.free_density", .slot = WARPATH_SLOT(congestion.free_density), .low = 0, .high = 4,
     .meaning = "share of the ground that may be covered at no cost: a unit alone hinders nobody"},
    {.path = "congestion.spread", .slot = WARPATH_SLOT(congestion.spread), .low = 0, .high = 8,
     .meaning = "how far beyond its rim a unit makes the ground dense [m]"},
    {.path = "congestion.least_change", .slot = WARPATH_SLOT(congestion.least_change), .low = 0, .high = 64,
     .meaning = "a chunk is priced anew when the mean or the maximum of one of its blocks of 8 x 8 cells has moved by so much [cost per metre]"},

    {.path = "routes.open_length", .slot = WARPATH_SLOT(routes.rules.open_length), .low = 0.5, .high = 1000,
     .meaning = "a stretch this long without cover and in full view makes a route cross open terrain [m]"},
    {.path = "routes.open_exposure", .slot = WARPATH_SLOT(routes.rules.open_exposure), .low = 0, .high = 1,
     .meaning = "from this share of open directions on a cell is in full view"},
    {.path = "routes.choke_width", .slot = WARPATH_SLOT(routes.rules.choke_width), .low = 0, .high = 32,
     .meaning = "a place is a chokepoint where less than this is free across the way [m]; 0 = nowhere is"},
    {.path = "routes.stop_cover", .slot = WARPATH_SLOT(routes.rules.stop_cover), .low = 0, .high = 1,
     .meaning = "`cover_path`: cover from this quality on is worth a stop"},
    {.path = "routes.pause", .slot = WARPATH_SLOT(routes.rules.pause), .low = 0, .high = 60, .meaning = "`cover_path`: how long a unit stays at a stop [s]"},
    {.path = "routes.stop_spacing", .slot = WARPATH_SLOT(routes.rules.stop_spacing), .low = 0, .high = 100,
     .meaning = "`cover_path`: stops are at least this far apart [m]"},
    {.path = "routes.max_paths", .slot = WARPATH_SLOT(routes.max_paths), .low = 1, .high = kMaxPaths,
     .meaning = "`multi_path`: routes at most, when the request does not say [routes]"},
    {.path = "routes.max_overlap", .slot = WARPATH_SLOT(routes.max_overlap), .low = 0, .high = 1,
     .meaning = "`multi_path`: share of a route that may run along another, when the request does not say"},
    {.path = "routes.max_stretch", .slot = WARPATH_SLOT(routes.max_stretch), .low = 1, .high = kMaxStretch,
     .meaning = "`multi_path`: a route costs at most this many times the best, when the request does not say"},
    {.path = "routes.score.aggressive.threat", .slot = WARPATH_SLOT(routes.rules.score[0].threat), .low = -10, .high = 10,
     .meaning = "`multi_path`, aggressive: what the threat of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.aggressive.distance", .slot = WARPATH_SLOT(routes.rules.score[0].distance), .low = -10, .high = 10,
     .meaning = "`multi_path`, aggressive: what the length of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.aggressive.cover", .slot = WARPATH_SLOT(routes.rules.score[0].cover), .low = -10, .high = 10,
     .meaning = "`multi_path`, aggressive: what the cover of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.aggressive.time", .slot = WARPATH_SLOT(routes.rules.score[0].time), .low = -10, .high = 10,
     .meaning = "`multi_path`, aggressive: what the travel time of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.balanced.threat", .slot = WARPATH_SLOT(routes.rules.score[1].threat), .low = -10, .high = 10,
     .meaning = "`multi_path`, balanced: what the threat of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.balanced.distance", .slot = WARPATH_SLOT(routes.rules.score[1].distance), .low = -10, .high = 10,
     .meaning = "`multi_path`, balanced: what the length of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.balanced.cover", .slot = WARPATH_SLOT(routes.rules.score[1].cover), .low = -10, .high = 10,
     .meaning = "`multi_path`, balanced: what the cover of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.balanced.time", .slot = WARPATH_SLOT(routes.rules.score[1].time), .low = -10, .high = 10,
     .meaning = "`multi_path`, balanced: what the travel time of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.cautious.threat", .slot = WARPATH_SLOT(routes.rules.score[2].threat), .low = -10, .high = 10,
     .meaning = "`multi_path`, cautious: what the threat of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.cautious.distance", .slot = WARPATH_SLOT(routes.rules.score[2].distance), .low = -10, .high = 10,
     .meaning = "`multi_path`, cautious: what the length of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.cautious.cover", .slot = WARPATH_SLOT(routes.rules.score[2].cover), .low = -10, .high = 10,
     .meaning = "`multi_path`, cautious: what the cover of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.cautious.time", .slot = WARPATH_SLOT(routes.rules.score[2].time), .low = -10, .high = 10,
     .meaning = "`multi_path`, cautious: what the travel time of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.stealth.threat", .slot = WARPATH_SLOT(routes.rules.score[3].threat), .low = -10, .high = 10,
     .meaning = "`multi_path`, stealth: what the threat of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.stealth.distance", .slot = WARPATH_SLOT(routes.rules.score[3].distance), .low = -10, .high = 10,
     .meaning = "`multi_path`, stealth: what the length of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.stealth.cover", .slot = WARPATH_SLOT(routes.rules.score[3].cover), .low = -10, .high = 10,
     .meaning = "`multi_path`, stealth: what the cover of a route, relative to the first, is worth in its score"},
    {.path = "routes.score.stealth.time", .slot = WARPATH_SLOT(routes.rules.score[3].time), .low = -10, .high = 10,
     .meaning = "`multi_path`, stealth: what the travel time of a route, relative to the first, is worth in its score"},

    {.path = "debug.visualize_paths", .slot = WARPATH_SLOT(debug.visualize_paths), .live = false, .reference = "false",
     .meaning = "drawing of paths by the module", .instead = "draw with `warpath path --png`"},
    {.path = "debug.visualize_flow_fields", .slot = WARPATH_SLOT(debug.visualize_flow_fields), .live = false, .reference = "false",
     .meaning = "drawing of flow fields by the module", .instead = "draw with `warpath flow --png`"},
    {.path = "debug.visualize_navmesh", .slot = WARPATH_SLOT(debug.visualize_navmesh), .live = false, .reference = "false",
     .meaning = "drawing of the navmesh by the module", .instead = "draw with `warpath navmesh --png`"},
    {.path = "debug.log_performance", .slot = WARPATH_SLOT(debug.log_performance), .live = false, .reference = "true",
     .meaning = "whether figures of performance are collected", .instead = "the health status always has them"},

    {.path = "rules.road_costs.prefer", .slot = WARPATH_SLOT(rules.roads.prefer), .low = 0, .high = 15,
     .meaning = "`prefer_roads`: added per metre off the road [m]"},
    {.path = "rules.road_costs.avoid", .slot = WARPATH_SLOT(rules.roads.avoid), .low = 0, .high = 15, .meaning = "`avoid_roads`: added per metre on the road [m]"},
    {.path = "rules.cover.full_height", .slot = WARPATH_SLOT(rules.cover.full_height), .low = 0.1, .high = 80,
     .meaning = "obstacles from this height on give full cover [m]"},
    {.path = "rules.cover.eye_height", .slot = WARPATH_SLOT(rules.cover.eye_height), .low = 0, .high = 80, .meaning = "obstacles at least this high close sight [m]"},
};

#undef WARPATH_SLOT

struct DefaultText {
    std::string operator()(const bool* v) const { return *v ? "true" : "false"; }
    std::string operator()(const float* v) const {
        const std::string text = numberText(*v);
        return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    std::string operator()(const std::uint32_t* v) const { return std::to_string(*v); }
    std::string operator()(const std::uint64_t* v) const { return std::to_string(*v); }
    std::string operator()(const std::string* v) const { return '"' + *v + '"'; }
};

}  // namespace

std::span<const ConfigKey> configKeys() { return kKeys; }

std::string configDefault(const ConfigKey& key) {
    Config defaults;
    return std::visit(DefaultText{}, key.slot(defaults));
}

}  // namespace warpath
