#include "navmesh/nav_state.h"

#include <DetourAlloc.h>
#include <DetourNavMesh.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

#include "warpath/core/assert.h"

namespace warpath::navmesh {
namespace {

constexpr int kSideX[4] = {1, 0, -1, 0};
constexpr int kSideY[4] = {0, 1, 0, -1};
/// Pieces of border shorter than this join nothing [m]; voxels are never smaller than 0.125.
constexpr float kShortestSeam = 0.001f;

std::vector<Seam> matchBorders(const std::vector<NavBorderEdge>& mine, const std::vector<NavBorderEdge>& theirs) {
    std::vector<Seam> seams;
    std::size_t first = 0;
    for (const NavBorderEdge& a : mine) {
        while (first < theirs.size() && theirs[first].high <= a.low) ++first;
        for (std::size_t i = first; i < theirs.size() && theirs[i].low < a.high; ++i) {
            const float low = std::max(a.low, theirs[i].low), high = std::min(a.high, theirs[i].high);
            if (high - low < kShortestSeam) continue;
            seams.push_back({.polygon = a.polygon, .other = theirs[i].polygon, .edge = a.edge, .low = low, .high = high});
        }
    }
    std::sort(seams.begin(), seams.end(), [](const Seam& a, const Seam& b) {
        return std::tie(a.polygon, a.edge, a.low) < std::tie(b.polygon, b.edge, b.low);
    });
    return seams;
}

/// The point of a tile's ground nearest to another.
struct NearestHit {
    int polygon = -1;
    Vec2 point;
    float distance = 0.0f;
};

/// The ground of one tile nearest to p, at most `radius` away.
NearestHit nearestInTile(const NavTile& tile, Vec2 p, float radius) {
    NearestHit best;
    best.distance = radius;
    for (std::size_t i = 0; i < tile.polygons.size(); ++i) {
        const Vec2 q = closestOnPolygon(tile, tile.polygons[i], p);
        const float distance = std::hypot(q.x - p.x, q.y - p.y);
        if (distance < best.distance || (best.polygon < 0 && distance <= radius)) best = {static_cast<int>(i), q, distance};
    }
    return best;
}

/// Both ends of a link on loaded ground, or nothing.
struct LinkEnds {
    PolyRef from, to;
    Vec2 from_point, to_point;
};
bool resolveLink(const MeshFrame& frame, const TileGrid& tiles, const NavLink& link, LinkEnds& out) {
    const std::int32_t a = frame.tileAt({link.from.x, link.from.y}), b = frame.tileAt({link.to.x, link.to.y});
    if (a < 0 || b < 0 || tiles[static_cast<std::size_t>(a)] == nullptr || tiles[static_cast<std::size_t>(b)] == nullptr) return false;
    const NearestHit from = nearestInTile(*tiles[static_cast<std::size_t>(a)]->tile, {link.from.x, link.from.y}, link.radius);
    const NearestHit to = nearestInTile(*tiles[static_cast<std::size_t>(b)]->tile, {link.to.x, link.to.y}, link.radius);
    if (from.polygon < 0 || to.polygon < 0) return false;
    out = {{a, from.polygon}, {b, to.polygon}, from.point, to.point};
    return true;
}

}  // namespace

Vec2 closestOnPolygon(const NavTile& tile, const NavPolygon& polygon, Vec2 p) {
    bool inside = true;
    Vec2 best{};
    float best_square = 0.0f;
    bool any = false;
    for (int k = 0; k < polygon.corners; ++k) {
        const Vec2 &a = tile.corner(polygon, k), &b = tile.corner(polygon, k + 1 == polygon.corners ? 0 : k + 1);
        const float dx = b.x - a.x, dy = b.y - a.y;
        if (dx * (p.y - a.y) - dy * (p.x - a.x) < 0.0f) inside = false;
        const float length = dx * dx + dy * dy;
        const float t = length > 0.0f ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0f, 1.0f) : 0.0f;
        const Vec2 q{a.x + t * dx, a.y + t * dy};
        const float square = (q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y);
        if (!any || square < best_square) {
            any = true;
            best = q;
            best_square = square;
        }
    }
    return inside ? p : best;
}

Mesh::Mesh(const MeshFrame& frame, int max_tiles, int polygon_limit) : MeshFrame(frame), max_polygons(polygon_limit) {
    tiles.assign(count(), nullptr);
    detour_refs.assign(count(), 0);
    labels.assign(count(), nullptr);
    dtNavMeshParams params{};
    params.tileWidth = params.tileHeight = tile_size;
    params.maxTiles = max_tiles;
    params.maxPolys = max_polygons;
    detour = dtAllocNavMesh();
    const bool ready = detour != nullptr && dtStatusSucceed(detour->init(&params));
    WARPATH_ASSERT(ready, "tile and polygon bits within what Detour takes");
}
Mesh::~Mesh() { dtFreeNavMesh(detour); }

void Mesh::place(std::int32_t index, std::shared_ptr<const LoadedTile> loaded, std::shared_ptr<const TileLabels> tile_labels) {
    const auto i = static_cast<std::size_t>(index);
    const NavTile* before = tiles[i] != nullptr ? tiles[i]->tile.get() : nullptr;
    const NavTile* after = loaded != nullptr ? loaded->tile.get() : nullptr;
    if (before != after) {
        if (before != nullptr) {
            for (const NavPolygon& p : before->polygons) --terrain_polygons[p.terrain];
        }
        if (detour_refs[i] != 0) {
            detour->removeTile(detour_refs[i], nullptr, nullptr);
            detour_refs[i] = 0;
        }
        if (after != nullptr) {
            for (const NavPolygon& p : after->polygons) ++terrain_polygons[p.terrain];
            if (!after->blob.empty() && after->polygons.size() + after->links.size() <= static_cast<std::size_t>(max_polygons)) {
                // Detour writes its links into the blob, so each replica needs its own copy.
                auto* data = static_cast<unsigned char*>(dtAlloc(after->blob.size(), DT_ALLOC_PERM));
                std::memcpy(data, after->blob.data(), after->blob.size());
                dtTileRef ref = 0;
                if (dtStatusSucceed(detour->addTile(data, static_cast<int>(after->blob.size()), DT_TILE_FREE_DATA, 0, &ref))) {
                    detour_refs[i] = ref;
                } else {
                    dtFree(data);
                }
            }
        }
    }
    tiles[i] = std::move(loaded);
    labels[i] = std::move(tile_labels);
}

std::int32_t MeshFrame::tileAt(Vec2 p) const {
    const float width = static_cast<float>(columns) * tile_size, height = static_cast<float>(rows) * tile_size;
    if (!(p.x >= 0.0f && p.y >= 0.0f && p.x <= width && p.y <= height)) return -1;
    const int x = std::min(static_cast<int>(p.x / tile_size), columns - 1), y = std::min(static_cast<int>(p.y / tile_size), rows - 1);
    return y * columns + x;
}

std::int32_t MeshFrame::beyond(std::int32_t tile, int side) const {
    const int x = tile % columns + kSideX[side], y = tile / columns + kSideY[side];
    return x < 0 || y < 0 || x >= columns || y >= rows ? -1 : y * columns + x;
}

std::shared_ptr<const LoadedTile> connectTile(const MeshFrame& frame, const TileGrid& tiles, std::int32_t tile, std::uint64_t generation) {
    auto out = std::make_shared<LoadedTile>();
    out->tile = tiles[static_cast<std::size_t>(tile)]->tile;
    out->generation = generation;
    for (int side = 0; side < 4; ++side) {
        const std::int32_t next = frame.beyond(tile, side);
        if (next < 0 || tiles[static_cast<std::size_t>(next)] == nullptr) continue;
        const auto s = static_cast<std::size_t>(side), opposite = static_cast<std::size_t>(side ^ 2);
        out->seams[s] = matchBorders(out->tile->borders[s], tiles[static_cast<std::size_t>(next)]->tile->borders[opposite]);
    }
    // Links that start here, and those of the neighbours that land here and work both ways.
    const int cx = tile % frame.columns, cy = tile / frame.columns;
    for (int y = std::max(cy - 1, 0); y <= std::min(cy + 1, frame.rows - 1); ++y) {
        for (int x = std::max(cx - 1, 0); x <= std::min(cx + 1, frame.columns - 1); ++x) {
            const auto& owner = tiles[static_cast<std::size_t>(y * frame.columns + x)];
            if (owner == nullptr) continue;
            for (const NavLink& link : owner->tile->links) {
                LinkEnds ends;
                if (!resolveLink(frame, tiles, link, ends)) continue;
                if (ends.from.tile == tile) {
                    out->crossings.push_back({link.id, static_cast<std::uint16_t>(ends.from.polygon), ends.to, ends.from_point, ends.to_point,
                                              link.cost_factor});
                }
                if (link.both_ways && ends.to.tile == tile) {
                    out->crossings.push_back({link.id, static_cast<std::uint16_t>(ends.to.polygon), ends.from, ends.to_point, ends.from_point,
                                              link.cost_factor});
                }
            }
        }
    }
    std::sort(out->crossings.begin(), out->crossings.end(),
              [](const Crossing& a, const Crossing& b) { return std::tie(a.polygon, a.id, a.from.x, a.from.y) < std::tie(b.polygon, b.id, b.from.x, b.from.y); });
    return out;
}

}  // namespace warpath::navmesh
