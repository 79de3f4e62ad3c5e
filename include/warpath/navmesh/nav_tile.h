// One immutable tile of a navmesh: Detour's blob, and the same polygons as plain arrays.
//
//   for (const NavPolygon& p : tile.polygons)
//       draw(tile.corner(p, 0), tile.corner(p, 1), ...);          // p.corners of them, clockwise on a map with y south
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpath/core/types.h"
#include "warpath/navmesh/nav_link.h"
#include "warpath/world/chunk.h"
#include "warpath/world/rules.h"

namespace warpath {

/// A tile by its column and row in the grid of tiles of one mesh (0, 0 = north west corner of the map).
struct NavTileCoord {
    std::int32_t x = 0;
    std::int32_t y = 0;
    friend bool operator==(const NavTileCoord&, const NavTileCoord&) = default;
};

/// A convex polygon of ground of one terrain type.
struct NavPolygon {
    static constexpr int kMaxCorners = 6;
    static constexpr std::int16_t kWall = -1;       ///< Nothing beyond the edge.
    static constexpr std::int16_t kBorder = -2;     ///< kBorder - side: the edge lies on the tile's border (0 east, 1 south, 2 west, 3 north).
    std::array<std::uint16_t, kMaxCorners> vertex{};  ///< Indices into NavTile::vertices.
    std::array<std::int16_t, kMaxCorners> beyond{};   ///< Per edge (corner i to i + 1): the polygon there, kWall, or kBorder - side.
    std::uint8_t corners = 0;
    std::uint8_t terrain = 0;   ///< Terrain.
    std::uint16_t patch = 0;    ///< Which connected group of polygons of one terrain this is, within the tile.
};

/// A piece of a tile's border that a polygon edge covers.
struct NavBorderEdge {
    float low = 0.0f, high = 0.0f;  ///< Extent along the border [m, grid frame].
    std::uint16_t polygon = 0;
    std::uint8_t edge = 0;
};

/// One tile. Everything is in the grid's frame: metres from the map's north west corner, so that floats are exact however far the world's
/// origin is. Immutable once built; shared by replicas, readers and savers.
struct NavTile {
    NavTileCoord coord;
    float size = 0.0f;                       ///< Side [m].
    std::vector<std::uint8_t> blob;          ///< As dtCreateNavMeshData made it; empty when nothing of the tile can be walked.
    std::vector<Vec2> vertices;              ///< [m, grid frame]
    std::vector<std::uint8_t> obstacle_corner;  ///< Per vertex: a way may bend here. kWallMeets: a wall or other terrain; kBorderMeets: the tile's border.
    std::vector<NavPolygon> polygons;
    std::array<std::vector<NavBorderEdge>, 4> borders;  ///< Per side, by `low`.
    std::array<std::vector<float>, 4> border_walls;     ///< Per side: where along it a vertex with kWallMeets lies, ascending [m, grid frame].
    std::vector<std::uint8_t> patch_terrain;            ///< Terrain by patch.
    std::vector<std::array<std::uint16_t, 2>> patch_edges;  ///< Patches of different terrain that touch.
    std::vector<NavLink> links;              ///< Links that start here, in the grid's frame.

    /// Point location: the polygons that overlap each of kBuckets x kBuckets squares.
    static constexpr int kBuckets = 16;
    std::vector<std::uint32_t> bucket_start;
    std::vector<std::uint16_t> bucket_polygons;

    static constexpr std::uint8_t kWallMeets = 1, kBorderMeets = 2;

    [[nodiscard]] bool empty() const { return polygons.empty(); }
    [[nodiscard]] const Vec2& corner(const NavPolygon& p, int i) const { return vertices[p.vertex[static_cast<std::size_t>(i)]]; }
    [[nodiscard]] float left() const { return static_cast<float>(coord.x) * size; }
    [[nodiscard]] float top() const { return static_cast<float>(coord.y) * size; }
    /// The polygon that holds a point, or -1. Ties (a shared edge): the lowest index. @param p [m, grid frame] inside the tile.
    [[nodiscard]] int polygonAt(Vec2 p) const;
    /// Bytes held, blob included.
    [[nodiscard]] std::size_t memoryBytes() const;
};

/// The tiles of one chunk, row by row, as one build made them.
struct NavChunk {
    ChunkCoord chunk;
    std::vector<std::shared_ptr<const NavTile>> tiles;
    std::uint64_t ground_hash = 0;  ///< NavTileBuilder::groundHash of what it was built from.
    double build_ms = 0.0;          ///< Wall time of the build.
};

/// Reads a tile back from its blob, checking every index and number in it: blobs may come from a file.
/// @return null when the blob is not a sound tile of this place. An empty blob is the empty tile.
[[nodiscard]] std::shared_ptr<const NavTile> makeNavTile(NavTileCoord coord, float size, std::vector<std::uint8_t> blob, std::vector<NavLink> links);

}  // namespace warpath
