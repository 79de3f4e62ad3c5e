// Settings of the navmesh: what the mesh is built for, what of it is loaded, and what a setting closes on a given map.
//
//   NavConfig tank{.cell_size = 0.5f, .agent_radius = 1.5f, .max_slope = 30.0f};
//   if (auto error = check(tank)) log(error->text());
//   log(survey(world.snapshot(), tank).text());   // "radius 1.5 at cell size 0.5 closes gaps under 4 m; the map has 214 such gaps"
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// Runs a piece of work some time, on any thread or at once. An empty executor means: the caller's thread, inside the call.
using NavExecutor = std::function<void(std::function<void()>)>;

/// What one mesh is built for. One mesh serves every unit class of the same size and slope.
struct NavConfig {
    /// Side of a voxel [m] [1, 0.5, 0.25 or 0.125] [0.5: the reference's 1.0 closes gaps of two cells at half the radius].
    /// Dyadic, so that tile borders are exact in floats.
    float cell_size = 0.5f;
    /// Vertical step of the mesh [m] [0.01..10]. Heights decide by the centimetres of the world and the mesh is flat while a world has one
    /// level, so that today this only goes into the tile's header.
    float cell_height = 0.5f;
    /// Head room [m] [0.1..100]. Goes into the tile's header; nothing hangs over the ground of a world with one level.
    float agent_height = 2.0f;
    /// Distance kept from obstacles and steep steps, along x and along y: half the side of a square unit, as on the grid [m] [0..8]
    /// [0.5; the reference's 1.0 at cell size 1.0 closes 3-cell gaps]. Rounded up to whole voxels; 0 keeps every free cell.
    float agent_radius = 0.5f;
    /// Steepest step between neighbouring cells, up or down [degrees] [0..90; 90: no limit].
    float max_slope = 45.0f;
    /// Highest step between neighbouring cells [m] [0..1000]. The stricter of this and max_slope counts.
    float max_climb = 1.0f;
    /// Detour tiles along each side of a chunk [1, 2 or 4] [2: halves the detours that large polygons cause].
    int tiles_per_chunk = 2;
    /// How far a simplified outline may leave the exact one [voxels] [0..2] [1.3; never more than mostEdgeError()].
    float max_edge_error = 1.3f;

    /// Voxels taken off every free area.
    [[nodiscard]] int erosionCells() const;
    /// Cells along the side of the unit that the mesh is for: 2 x radius, rounded up, at least 1.
    [[nodiscard]] int unitCells() const;
    /// How far an outline may leave the exact one so that a unit whose middle is on the mesh always fits on the grid's cells there [voxels].
    [[nodiscard]] float mostEdgeError() const;
    /// The narrowest gap between obstacles that stays open [m]: 2 x erosion + 1 voxels, rounded up to whole cells.
    [[nodiscard]] float narrowestGap() const;
    /// Largest height difference of a step [cm]; the grid's max_rise[0] at the same slope, unless max_climb is stricter.
    [[nodiscard]] std::int32_t stepLimitCm() const;
    friend bool operator==(const NavConfig&, const NavConfig&) = default;
};

/// The first setting outside its limits (NaN and infinities included), or nothing.
[[nodiscard]] std::optional<Error> check(const NavConfig& config);

/// What a configuration closes on a map.
struct NavSurvey {
    NavConfig config;
    float narrowest_gap = 0.0f;    ///< Gaps narrower than this are closed [m].
    std::uint32_t closed_gaps = 0; ///< Places on the map where free cells lie in such a gap (connected groups).
    std::uint32_t steep_steps = 0; ///< Pairs of neighbouring free cells that max_slope or max_climb separates.
    /// One line for people.
    [[nodiscard]] std::string text() const;
};

/// Counts what a valid configuration closes. Linear in the map's cells; 12 bytes of memory a cell for the time of the call.
[[nodiscard]] NavSurvey survey(const WorldSnapshot& snapshot, const NavConfig& config);

/// Of NavWorldConfig::agents.
inline constexpr std::size_t kMaxNavAgents = 8;

/// One size class: a name for people and its mesh.
struct NavAgent {
    std::string name = "default";
    NavConfig mesh;
};

/// What NavWorld keeps.
struct NavWorldConfig {
    /// Size classes; a query names one by its index [1..kMaxNavAgents entries].
    std::vector<NavAgent> agents = {NavAgent{}};
    /// Chunks loaded around each focus, by square distance [chunks] [0..128] [5: the reference's].
    int load_radius = 5;
    /// Chunks farther than this from every focus are dropped, by square distance [chunks] [load_radius..256] [7: the reference's].
    int unload_radius = 7;
    /// Loads the whole map, wherever the focus is; nothing is unloaded.
    bool load_all = false;
    /// Chunks loaded at most; loading waits beyond it [1..16384] [1024]. Tiles and polygons share 22 bits of a Detour reference, so more
    /// chunks mean fewer polygons per tile (NavWorld::maxPolygonsPerTile).
    int max_loaded_chunks = 1024;
    /// Builds under way at the same time [1..64].
    int max_jobs = 4;
    /// Finished chunks that one update takes in [1..1000] [2: about 0.1 ms of the game's thread].
    int chunks_per_update = 2;
    /// Chunks that one update builds itself when there is no executor [1..1000].
    int inline_builds_per_update = 1;
    /// Readers that may exist at the same time [1..1024].
    int max_readers = 64;
};

/// The first setting outside its limits, or nothing.
[[nodiscard]] std::optional<Error> check(const NavWorldConfig& config);

}  // namespace warpath
