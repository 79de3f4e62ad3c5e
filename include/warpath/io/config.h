// The configuration: config/gameconfig.json, or the part of a game's own configuration that speaks of pathfinding.
//
//   auto loaded = loadConfig("gameconfig.json");
//   if (auto* error = std::get_if<Error>(&loaded)) return say(error->text());    // "gameconfig.json:9: algorithms.astar.max_distanse: ..."
//   const Config& config = std::get<Config>(loaded);
//   Service service({.max_searches_per_tick = config.performance.max_paths_per_frame});
//
// docs/config.md says what each key does; config/gameconfig.schema.json is the schema. A test holds the three together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/pathfinder/route_backend.h"
#include "warpath/pathfinder/route_rules.h"
#include "warpath/tactical/congestion_map.h"
#include "warpath/tactical/threat_map.h"
#include "warpath/world/constraints.h"
#include "warpath/world/rules.h"

namespace warpath {

/// Every setting with its default. Names and nesting are those of the file, below `modules.pathfinding`. A value.
/// [no effect]: a setting for what this library does otherwise; only its default is accepted.
struct Config {
    bool enabled = true;                     ///< false: every request is answered `rejected`.
    std::uint32_t frequency = 60;            ///< Calls of process() a second: what turns the seconds of other keys into ticks [1/s] [1..1000].
    std::string pathfinder_impl = "classic"; ///< A name of the PathfinderRegistry.

    struct AStar {
        float max_distance = 100.0f;         ///< Weighted profiles are answered exactly up to here, beyond it by the hierarchy [m] [0..20000].
        std::uint64_t max_iterations = 0;    ///< Cells a search may settle when the request sets no limit [cells] [0: no limit].
        std::string heuristic = "octile";    ///< [no effect]
    };
    struct Hierarchical {
        std::uint32_t cluster_size = 256;     ///< Side of a cluster of the second level [cells] [whole chunks: 128, 192 .. 512].
        std::uint32_t levels = 2;             ///< [1..2]
        std::uint32_t cache_size = 1000;      ///< [paths] [no effect]
        std::uint32_t rebuild_interval = 300; ///< [ticks] [no effect]
        std::uint32_t portal_spacing = 12;    ///< Portals along wide entrances stand about this far apart [cells] [1..64].
        std::uint32_t max_megabytes = 256;    ///< Of the tables of both levels [MiB].
    };
    struct FlowField {
        float resolution = 1.0f;              ///< [m] [1 alone]
        std::uint32_t smooth_radius = 2;      ///< [cells]
        std::uint32_t straight_radius = 16;   ///< Straight directions near a goal in sight [cells].
        std::uint32_t local_field_size = 512; ///< [cells]
        float cache_duration = 10.0f;         ///< [s]
        float refresh_interval = 2.0f;        ///< Between two renewals of a field for threat and congestion alone [s].
        std::uint32_t max_fields = 64;        ///< [fields]
        std::uint32_t max_megabytes = 256;    ///< [MiB]
    };
    /// When the algorithm of a request is chosen by the library.
    struct Selection {
        float uniform_exact_distance = 2000.0f;  ///< Profiles of uniform cost are answered exactly up to here [m] [0..20000].
        float threatened_exact_distance = 500.0f;  ///< As AStar::max_distance where threat or congestion is priced [m] [0..20000].
        std::uint32_t group_size = 10;           ///< From this many units with one goal on, a flow field [units] [2..1000000].
        std::string individual_backend = "grid"; ///< What answers single units' paths: grid or navmesh.
    };
    struct Algorithms {
        AStar astar;
        Hierarchical hierarchical;
        FlowField flow_field;
        Selection selection;
    } algorithms;

    RouteBackendSettings navmesh;  ///< cell_height and agent_height decide nothing while a world has one level.

    struct Performance {
        bool async_pathfinding = true;            ///< Searches run as tasks of the host's scheduler; false: inside process().
        std::uint32_t max_paths_per_frame = 64;   ///< Searches begun per process(), wherever they run [searches] [0: no limit].
        std::uint64_t work_per_frame = 100'000;   ///< Budget of searches inside process() [work units, about one per settled cell].
        std::uint32_t max_pending = 65'536;       ///< Requests that may wait; more are answered `rejected` [requests] [1..].
        std::uint32_t patience_ticks = 2;         ///< Tasks that the scheduler has not begun for so long are computed inside process() [ticks] [1..].
        std::uint32_t path_pool_size = 100;       ///< Paths kept for reuse [paths].
        bool deterministic = false;               ///< Nothing that depends on the speed of the workers decides what is answered.
        bool cache_paths = true;                  ///< Whole paths are kept for equal requests.
        std::uint32_t cache_size = 500;           ///< [paths]
        std::uint32_t cache_megabytes = 64;       ///< Kept paths and their keys [MiB].
        std::uint32_t tile_megabytes = 256;       ///< Of compiled steps and costs of chunks [MiB].
        float cache_tolerance = 0.0f;             ///< A kept path also answers requests whose ends are this near [m] [0..64] [0: equal ones only].
    } performance;

    struct Tactical {
        bool update_threat_map = true;
        float threat_map_resolution = 2.0f;    ///< Side of a threat cell [m] [1, 2, 4, 8].
        std::uint32_t threat_blur_radius = 2;  ///< [threat cells]
        float threat_update_interval = 1.0f;   ///< [s]
        std::uint32_t threat_units_per_tick = 1500;  ///< Work on threat maps in one frame [units of ThreatMap::step, 0.3 to 3 us each] [1..1,000,000].
        float hidden_threat_factor = 0.2f;     ///< Share of the threat that reaches a place out of sight [none].
        float cover_detection_radius = 5.0f;   ///< Also in rules.cover.detection_radius [m] [1..16].
        bool line_of_sight_checks = true;
    } tactical;

    /// What the positions of `crowd` messages cost: nothing by default.
    CongestionConfig congestion;

    /// How routes are judged, and what a request for several of them gets when it does not say.
    struct Routes {
        RouteRules rules;                 ///< Thresholds and score weights.
        std::uint32_t max_paths = 3;      ///< [routes] [1..16]
        float max_overlap = 0.5f;         ///< [0..1]
        float max_stretch = 1.5f;         ///< [1..100]
    } routes;

    /// [no effect]: pictures are drawn by the tools, and figures are always in the health status.
    struct Debug {
        bool visualize_paths = false;
        bool visualize_flow_fields = false;
        bool visualize_navmesh = false;
        bool log_performance = true;
    } debug;

    /// Terrain types, unit classes, road costs and cover: the reference's with what the file changes and adds.
    WorldRules rules = WorldRules::reference();
    /// Profiles and weights for which what searches need is prepared ahead, off the frame (at most 32).
    std::vector<PathConstraints> metrics;
};

/// How threat maps are kept: the `tactical` keys and the rules' eye height.
[[nodiscard]] ThreatConfig threatConfigOf(const Config& config);

/// Reads a configuration: either a whole file, of which only `modules.pathfinding` is looked at, or that section alone (what a module is given:
/// IDataNode::toJson). Keys left out keep their defaults.
///
/// @param name The file's name for errors, "" for a text that is none.
/// @return the configuration, or an Error that names the key by its path: syntax; an unknown or repeated key; a wrong type; a value out of
///   its limits; a value other than the default for a key that has no effect.
[[nodiscard]] std::variant<Config, Error> parseConfig(std::string_view json, std::string_view name = {});
[[nodiscard]] std::variant<Config, Error> loadConfig(const std::string& path);

}  // namespace warpath
