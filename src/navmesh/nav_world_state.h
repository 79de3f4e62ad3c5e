// The writer's side of a NavWorld.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "navmesh/component_labels.h"
#include "navmesh/nav_state.h"
#include "warpath/navmesh/nav_build_queue.h"
#include "warpath/navmesh/nav_tile_builder.h"
#include "warpath/navmesh/nav_world.h"

namespace warpath {

struct NavWorld::State {
    /// One size class as it will be once everything pending is published.
    struct Agent {
        navmesh::MeshFrame frame;
        navmesh::TileGrid tiles;
        navmesh::ComponentLabels components;
        int max_polygons = 0;
    };
    /// A tile to be put into a replica.
    struct Change {
        std::size_t agent;
        std::int32_t tile;
        std::shared_ptr<const navmesh::LoadedTile> loaded;
        std::shared_ptr<const navmesh::TileLabels> labels;
    };
    enum class ChunkState : std::uint8_t { Absent, Wanted, Loaded };

    State(const WorldSnapshot& first, const NavWorldConfig& settings, NavExecutor executor);

    /// What changed in the ground since the snapshot held.
    void noteChanges(const WorldSnapshot& next);
    void requestAround(const CellRect& cells);
    void stream();
    /// Takes in results and publishes. @param limit results at most.
    void takeIn(int limit);
    void placeChunk(ChunkCoord chunk, const std::vector<NavChunk>* meshes);
    /// Seams, crossings and labels after placeChunk.
    void reconnect();
    /// Both replicas are to take over these tiles as they are now.
    void noteChanged(std::size_t agent, std::span<const std::int32_t> tiles);
    /// Labels everything anew, for other rules.
    void relabelAll();
    void publish();
    /// The links that a size class may use.
    [[nodiscard]] std::vector<NavLink> linksFor(std::size_t agent) const;
    /// What the meshes of a chunk would be built from.
    [[nodiscard]] std::uint64_t groundHash(NavTileBuilder& builder, ChunkCoord chunk) const;
    [[nodiscard]] std::size_t chunkIndex(ChunkCoord c) const {
        return static_cast<std::size_t>(c.y) * static_cast<std::size_t>(snapshot.chunkColumns()) + static_cast<std::size_t>(c.x);
    }

    NavWorldConfig config;
    std::shared_ptr<navmesh::Shared> shared;
    NavBuildQueue queue;
    WorldSnapshot snapshot;
    std::vector<std::uint64_t> sets;
    std::optional<Error> rules_error;  ///< Why `sets` are those of older rules.
    std::vector<Agent> agents;
    std::vector<NavLink> links;
    std::shared_ptr<const std::vector<NavLink>> published_links;
    std::vector<ChunkState> chunks;
    std::vector<std::uint64_t> ground_hash;  ///< Per chunk: what the loaded meshes were built from.
    int held_chunks = 0;  ///< Wanted or loaded.
    std::vector<ChunkCoord> focus;
    bool focus_moved = true;
    int border_cells = 0;  ///< How far a changed cell reaches into a neighbour chunk's mesh.
    std::vector<std::vector<std::int32_t>> touched;  ///< Tiles replaced since the last reconnect, by agent.
    std::array<std::vector<Change>, 2> pending;      ///< What each replica lacks.
    std::uint64_t generation = 0;
    std::uint64_t epoch = 0;
    NavStats counters;
};

}  // namespace warpath
