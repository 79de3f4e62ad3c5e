// The navmesh of a world: loaded around the players, rebuilt where the ground changes, read without waiting.
//
//   auto made = NavWorld::create(world.snapshot(), {.load_radius = 5}, executor);
//   if (auto* error = std::get_if<Error>(&made)) log(error->text());
//   NavWorld& nav = *std::get<std::unique_ptr<NavWorld>>(made);
//   each tick:  nav.setFocus(players);  nav.update(world.snapshot());
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/navmesh/nav_config.h"
#include "warpath/navmesh/nav_link.h"
#include "warpath/navmesh/nav_tile.h"
#include "warpath/world/snapshot.h"

namespace warpath {

namespace navmesh {
struct Shared;
}

/// What a NavWorld holds and has done.
struct NavStats {
    std::uint64_t epoch = 0;
    std::size_t chunks = 0;       ///< Loaded.
    std::size_t tiles = 0;        ///< Loaded, over all size classes; empty ones included.
    std::size_t empty_tiles = 0;  ///< Without ground.
    std::size_t polygons = 0;
    std::size_t bytes = 0;        ///< Tiles, with Detour's two copies of each blob.
    std::size_t waiting = 0;      ///< Chunks to be built.
    std::size_t under_way = 0;    ///< Chunks being built.
    std::uint64_t built = 0;      ///< Chunks taken in since the start.
    double build_ms = 0.0;        ///< Wall time of those builds.
    std::uint64_t flips = 0;      ///< Batches published.
    std::uint64_t deferred = 0;   ///< Updates that found a reader still in the other replica and left the batch for the next.
    std::uint64_t oversized = 0;  ///< Tiles with more polygons than Detour's references hold; NavSearch::Detour does not see them.
};

/// Threads: every method belongs to one thread at a time (the game's); readers are separate objects (NavReader).
class NavWorld {
public:
    /// @return a NavWorld for the snapshot's world, with nothing loaded yet, or what is wrong with the configuration or the rules.
    [[nodiscard]] static std::variant<std::unique_ptr<NavWorld>, Error> create(const WorldSnapshot& snapshot, const NavWorldConfig& config,
                                                                               NavExecutor executor = {});
    ~NavWorld();
    NavWorld(const NavWorld&) = delete;
    NavWorld& operator=(const NavWorld&) = delete;

    /// Where the players look. Unusable positions are ignored. Takes effect with the next update.
    void setFocus(std::span<const Position> positions);

    /// One tick: finds the chunks that changed since the last snapshot (and the neighbours whose border they touch), loads and unloads
    /// around the focus, starts builds, takes in finished ones and publishes them as one batch.
    /// Cost: proportional to what changed; never waits for readers or builds. @pre the snapshot is of the world that create() was given.
    void update(const WorldSnapshot& snapshot);

    /// Updates until nothing waits and everything is published, building on this thread what the executor has not. For loading screens,
    /// tools and tests. @return false when readers held a replica throughout. @pre the snapshot is of the world that create() was given.
    bool finish(const WorldSnapshot& snapshot);

    /// Adds or replaces a link; the chunks it touches are rebuilt. @return what is wrong with it.
    std::optional<Error> addLink(const NavLink& link);
    /// @return false when there is none with this id.
    bool removeLink(std::uint32_t id);

    [[nodiscard]] const NavWorldConfig& config() const;
    [[nodiscard]] NavStats stats() const;
    /// Why the meshes cannot follow the rules of the newest snapshot (more terrain types, or more sets of terrain that units cannot enter, than they
    /// tell apart), or nothing. Units whose terrain the rules before did not know are answered InvalidInput until other rules come.
    [[nodiscard]] const std::optional<Error>& rulesError() const;
    [[nodiscard]] bool isLoaded(ChunkCoord chunk) const;
    /// What 22 bits leave for NavSearch::Detour in one tile.
    [[nodiscard]] int maxPolygonsPerTile(int agent) const;

    /// Everything loaded as bytes, for loadTiles of a later run: format version, Detour's version, map, rules, settings, and for each
    /// chunk a hash of the ground it was built from.
    [[nodiscard]] std::vector<std::uint8_t> saveTiles() const;
    /// What loadTiles did.
    struct LoadReport {
        std::size_t loaded = 0;   ///< Chunks taken over.
        std::size_t outdated = 0; ///< Chunks whose ground differs; they are built anew when they come into range.
        std::size_t damaged = 0;  ///< Chunks whose bytes make no sense.
    };
    /// Takes over saved chunks whose ground is that of the snapshot, and publishes them. Nothing changes when an error is returned: not a
    /// tile file, another format, another map, other settings.
    [[nodiscard]] std::variant<LoadReport, Error> loadTiles(std::span<const std::uint8_t> bytes, const WorldSnapshot& snapshot);

private:
    friend class NavReader;
    struct State;
    explicit NavWorld(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpath
