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

/// One way out of a polygon.
struct Exit {
    PolyRef next;
    Vec2 right, left;  ///< Ends as seen when leaving.
    bool right_corner = false, left_corner = false;
};

/// Calls visit(exit, edge) for every enterable neighbour, edges in order, starting with `first` (all corners() edges, cyclically).
template <class Visit>
void forEachExit(const Ground& ground, PolyRef ref, int first, Visit&& visit) {
    const LoadedTile& loaded = *ground.tile(ref.tile);
    const NavTile& tile = *loaded.tile;
    const NavPolygon& p = tile.polygons[static_cast<std::size_t>(ref.polygon)];
    for (int i = 0; i < p.corners; ++i) {
        const int k = first + i < p.corners ? first + i : first + i - p.corners;
        const std::int16_t beyond = p.beyond[static_cast<std::size_t>(k)];
        if (beyond == NavPolygon::kWall) continue;
        const std::uint16_t from = p.vertex[static_cast<std::size_t>(k)], to = p.vertex[static_cast<std::size_t>(k + 1 == p.corners ? 0 : k + 1)];
        const Vec2 a = tile.vertices[from], b = tile.vertices[to];
        if (beyond >= 0) {
            if (!ground.enters(tile.polygons[static_cast<std::size_t>(beyond)])) continue;
            visit(Exit{{ref.tile, beyond}, a, b, loaded.corner[from] != 0, loaded.corner[to] != 0}, k);
            continue;
        }
        const int side = NavPolygon::kBorder - beyond;
        const auto& seams = loaded.seams[static_cast<std::size_t>(side)];
        auto seam = std::lower_bound(seams.begin(), seams.end(), std::pair(ref.polygon, k), [](const Seam& s, const std::pair<int, int>& key) {
            return s.polygon != key.first ? s.polygon < key.first : s.edge < key.second;
        });
        auto end = seam;
        while (end != seams.end() && end->polygon == ref.polygon && end->edge == k) ++end;
        if (seam == end) continue;
        const std::int32_t next = ground.mesh->beyond(ref.tile, side);
        const NavTile& other = *ground.tile(next)->tile;
        const bool along_y = side % 2 == 0;
        const bool rising = along_y ? b.y > a.y : b.x > a.x;
        const auto give = [&](const Seam& s) {
            if (!ground.enters(other.polygons[s.other])) return;
            const float x = a.x, y = a.y, start = rising ? s.low : s.high, stop = rising ? s.high : s.low;
            visit(Exit{{next, s.other}, along_y ? Vec2{x, start} : Vec2{start, y}, along_y ? Vec2{x, stop} : Vec2{stop, y},
                       rising ? s.low_corner : s.high_corner, rising ? s.high_corner : s.low_corner}, k);
        };
        if (rising) {
            for (; seam != end; ++seam) give(*seam);
        } else {
            while (end != seam) give(*--end);
        }
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
RayResult walkStraight(const Ground& ground, PolyRef start, Vec2 from, Vec2 to);
/// The same, calling `visit` with every tile entered, the first included.
RayResult walkStraight(const Ground& ground, PolyRef start, Vec2 from, Vec2 to, const std::function<void(std::int32_t)>& visit);

}  // namespace warpath::navmesh
