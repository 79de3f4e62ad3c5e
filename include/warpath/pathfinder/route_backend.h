// A second way to answer single units' paths, plugged in from above: it draws a route, and the grid checks, prices and describes it.
//
//   auto nav = makeNavBackend(world.snapshot(), {.load_radius = 5});                // warpath::navmesh has one
//   ClassicPathfinder pathfinder({.tiles = tiles, .backend = std::get<std::shared_ptr<IRouteBackend>>(nav)});
//   each tick:  backend->setFocus(players);  backend->update(world.snapshot());
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/world/constraints.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// What is asked: a route that terrain alone prices.
struct RouteQuestion {
    Position from{};
    Position to{};
    MobilityProfile profile{};
    float terrain_weight = 1.0f;
    /// Points of a coarse route, in order: the answer passes near them. Must outlive the call.
    std::span<const Position> via{};
};

/// A route of straight legs.
struct DrawnRoute {
    std::vector<Position> corners;  ///< From start to goal, both included [m].
    std::uint64_t expansions = 0;
    double cost = 0.0;              ///< Along the legs [m at price 1].
    bool knows_all = true;          ///< The whole map was ready; if not, a better way may lead over ground that was not.
};

/// What came of a request to draw a route.
enum class DrawOutcome : std::uint8_t {
    Drawn,
    NoFinder,      ///< There is no backend.
    NotPlain,      ///< The request prices or asks for what a drawn route cannot honour.
    OtherWorld,    ///< The backend was made for another world.
    NoMeshOfSize,  ///< No ground is kept for units of this size.
    StartOff,      ///< The start is not on the backend's ground.
    GoalOff,       ///< The goal is not.
    NotConnected,  ///< No way joins the two on the backend's ground.
    NotReady,      ///< The ground of an end has not been loaded.
    OutOfNodes,    ///< The search gave up.
    UsesLink,      ///< The way takes a link, where the grid knows no steps.
    LongWay,       ///< The way is so long that the grid may know a better one, over ground that is not loaded or through a gap that the backend closes.
    DearWay,       ///< The cells of the way cost much more than the way does: it runs along or partly over dearer ground.
    IllegalStep,   ///< The grid refuses a step of the way drawn: the ground has changed since, or the unit's limits are stricter.
};

/// One per thread.
class IRouteFinder {
public:
    virtual ~IRouteFinder() = default;
    /// Draws a route over the ground as it knows it, which may be some ticks old. `out` keeps its capacity.
    /// @return Drawn, or why there is none; whether there is a way at all the grid decides.
    virtual DrawOutcome findRoute(const WorldSnapshot& snapshot, const RouteQuestion& question, DrawnRoute& out) = 0;
    /// Side of the squares that become ready as a whole [cells]: they lie on multiples of it from the map's corner.
    static constexpr int kReadyCells = 16;
    /// Whether the ground at a position is ready for units of this profile. Cheap: a route asks for every square that it crosses.
    virtual bool isReady(const WorldSnapshot& snapshot, Position p, const MobilityProfile& profile) = 0;
};

struct RouteBackendStats {
    std::size_t tiles = 0;      ///< Loaded.
    std::size_t chunks = 0;     ///< Loaded.
    std::size_t waiting = 0;    ///< Chunks to be built, or under way.
    std::uint64_t built = 0;    ///< Chunks built since the start.
    std::size_t bytes = 0;
};

/// What a backend's settings close on the map.
struct RouteBackendNotice {
    std::string subject;             ///< Whom it concerns ("units of 1").
    float narrowest_gap = 0.0f;      ///< Gaps narrower than this are closed [m].
    std::uint32_t closed_gaps = 0;   ///< Such gaps on the map.
    std::uint32_t steep_steps = 0;   ///< Pairs of neighbouring free cells that the slope limit separates.
    std::string text;                ///< One line for people.
};

/// Threads: setFocus, update, takeNotices and stats belong to the thread that changes the world; makeFinder may be called from any thread, and finders work
/// while update runs.
class IRouteBackend {
public:
    virtual ~IRouteBackend() = default;
    /// Where players look: ground near it is kept ready.
    virtual void setFocus(std::span<const Position> positions) = 0;
    /// One tick: takes up what changed in the world.
    virtual void update(const WorldSnapshot& snapshot) = 0;
    [[nodiscard]] virtual RouteBackendStats stats() const = 0;
    /// Says once, some calls after the first, what the settings close on the map as it was then. Counted by the executor, without one inside the call.
    [[nodiscard]] virtual std::vector<RouteBackendNotice> takeNotices() { return {}; }
    [[nodiscard]] virtual std::unique_ptr<IRouteFinder> makeFinder() = 0;
};

/// Of RouteBackendSettings::size_classes.
inline constexpr std::uint32_t kMaxSizeClasses = 8;

/// What a configuration can say of a backend: the keys `navmesh.*`. Limits are the backend's to check.
struct RouteBackendSettings {
    float cell_size = 0.5f;     ///< [m]
    float cell_height = 0.5f;   ///< [m]
    float agent_height = 2.0f;  ///< [m]
    float agent_radius = 0.5f;  ///< Of the smallest size class [m]
    std::uint32_t size_classes = 1;  ///< Meshes, each for units one cell wider than the one before [1..kMaxSizeClasses]
    float max_slope = 45.0f;    ///< [degrees]
    float max_climb = 1.0f;     ///< [m]
    std::uint32_t load_radius = 5;    ///< [chunks]
    std::uint32_t unload_radius = 7;  ///< [chunks]
    friend bool operator==(const RouteBackendSettings&, const RouteBackendSettings&) = default;
};

/// Runs a piece of work some time, on any thread or at once. Empty: the caller's thread, inside update.
using RouteBackendExecutor = std::function<void(std::function<void()>)>;
using MadeRouteBackend = std::variant<std::shared_ptr<IRouteBackend>, Error>;
using RouteBackendFactory = std::function<MadeRouteBackend(const WorldSnapshot&, const RouteBackendSettings&, RouteBackendExecutor)>;

}  // namespace warpath
