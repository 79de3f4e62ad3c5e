// Geometry on one mesh as one kind of unit sees it: which polygons it may enter and at what price.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "navmesh/nav_state.h"

namespace warpath::navmesh {

[[nodiscard]] inline float cross(Vec2 origin, Vec2 a, Vec2 b) {
    return (a.x - origin.x) * (b.y - origin.y) - (a.y - origin.y) * (b.x - origin.x);
}
[[nodiscard]] inline float distance(Vec2 a, Vec2 b) {
    const float dx = a.x - b.x, dy = a.y - b.y;
    return std::sqrt(dx * dx + dy * dy);
}

/// A mesh for one passability set and one price list.
struct Ground {
    const Mesh* mesh = nullptr;
    std::size_t set = 0;
    std::uint64_t enterable = 0;            ///< Terrain types, by bit.
    std::array<float, 64> factor{};         ///< Price of a metre by terrain type.
    float least_factor = 1.0f;              ///< Over the enterable terrain that is loaded.
    bool uniform = true;                    ///< All enterable terrain that is loaded has one price.

    [[nodiscard]] const LoadedTile* tile(std::int32_t index) const { return mesh->at(index); }
    [[nodiscard]] bool enters(const NavPolygon& p) const { return ((enterable >> p.terrain) & 1) != 0; }
    [[nodiscard]] std::uint32_t label(PolyRef ref) const {
        const TileLabels& labels = *mesh->labels[static_cast<std::size_t>(ref.tile)];
        return labels.label[set * labels.patches + polygon(ref).patch];
    }
    [[nodiscard]] const NavPolygon& polygon(PolyRef ref) const {
        return mesh->at(ref.tile)->tile->polygons[static_cast<std::size_t>(ref.polygon)];
    }
};

/// The enterable polygon that holds p, or an invalid reference.
[[nodiscard]] PolyRef locate(const Ground& ground, Vec2 p);

/// A point of the mesh.
struct MeshPoint {
    PolyRef ref;
    Vec2 point;
    float distance = 0.0f;  ///< From the point asked for [m].
};

/// The enterable ground nearest to p, at most `radius` away; with `label`, only ground of that component. Among points whose distances differ
/// by less than `tie` metres the one nearest to `towards` wins, then the lower tile and polygon.
/// Cost: O(polygons of the tiles within the radius).
[[nodiscard]] MeshPoint nearest(const Ground& ground, Vec2 p, float radius, std::optional<std::uint32_t> label, const Vec2* towards, float tie);

/// Calls visit(exit) for every enterable neighbour, in the order of the edges.
template <class Visit>
void forEachExit(const Ground& ground, PolyRef ref, Visit&& visit) {
    const LoadedTile& tile = *ground.tile(ref.tile);
    const auto polygon = static_cast<std::size_t>(ref.polygon);
    for (std::size_t i = tile.first_exit[polygon]; i < tile.first_exit[polygon + 1]; ++i) {
        if (((ground.enterable >> tile.exits[i].terrain) & 1) != 0) visit(tile.exits[i]);
    }
}

/// How far a straight walk gets.
struct RayResult {
    bool clear = false;
    float t = 0.0f;      ///< Share of the segment walked, 1 when clear.
    float cost = 0.0f;   ///< Price of the part walked.
    PolyRef last;
};
/// Walks from `from` (in polygon `start`) towards `to` over enterable ground. Ties at a shared corner: the exit that leads farther wins.
/// Along the border of two polygons it costs what the cheaper one does.
RayResult walkStraight(const Ground& ground, PolyRef start, Vec2 from, Vec2 to);
/// The same, calling `visit` with every tile entered, the first included.
RayResult walkStraight(const Ground& ground, PolyRef start, Vec2 from, Vec2 to, const std::function<void(std::int32_t)>& visit);

/// What a straight leg between two points of the mesh costs. It is never cut short: where rounding hides the ground, at corners, it goes on beyond.
/// On ground of one price that is the length's.
[[nodiscard]] double priceAlong(const Ground& ground, Vec2 from, Vec2 to);

}  // namespace warpath::navmesh
