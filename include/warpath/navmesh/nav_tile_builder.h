// Builds the tiles of one chunk from a snapshot. Pure: equal ground gives equal tiles, on any thread.
//
//   NavTileBuilder builder;                                        // one per thread or job
//   NavChunk mesh = builder.build(world.snapshot(), {3, 5}, config, {});
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "warpath/navmesh/nav_config.h"
#include "warpath/navmesh/nav_tile.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// Scratch for building. One call at a time per builder; separate builders may work on one snapshot at once.
class NavTileBuilder {
public:
    NavTileBuilder();
    ~NavTileBuilder();
    NavTileBuilder(NavTileBuilder&&) noexcept;
    NavTileBuilder& operator=(NavTileBuilder&&) noexcept;

    /// Meshes one chunk with Recast, reading as many cells of the neighbour chunks as the border needs (radius + 3 voxels), so that tiles
    /// built apart meet exactly.
    ///
    /// The compact heightfield is filled straight from the grid: no triangles, no spans, no filters. A voxel is ground when its cell has no
    /// obstacle and a terrain that some unit class can enter; two cells are connected when the step between them is within the slope limit, the
    /// rule of the grid. Hence what the mesh connects the grid connects.
    /// Cost: see docs/navmesh.md; allocates the tiles. @pre check(config) has no error; the chunk is inside the map.
    /// @param links those that start in the chunk (others are ignored), in the world's frame.
    /// @return tiles_per_chunk squared tiles, row by row; a tile without ground is explicitly empty.
    [[nodiscard]] NavChunk build(const WorldSnapshot& snapshot, ChunkCoord chunk, const NavConfig& config, std::span<const NavLink> links);

    /// Hash of all that build() reads for a chunk: its cells, those of the border, the links that start in it. Equal hashes, equal tiles.
    [[nodiscard]] std::uint64_t groundHash(const WorldSnapshot& snapshot, ChunkCoord chunk, const NavConfig& config, std::span<const NavLink> links);
    /// The links that start in a tile, in the grid's frame.
    [[nodiscard]] static std::vector<NavLink> linksOf(const WorldSnapshot& snapshot, NavTileCoord tile, const NavConfig& config,
                                                      std::span<const NavLink> links);

private:
    struct Scratch;
    std::unique_ptr<Scratch> scratch_;
};

}  // namespace warpath
