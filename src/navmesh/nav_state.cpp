#include "navmesh/nav_state.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"  // for a compiler to whom Detour's headers are no system headers
#include <DetourAlloc.h>
#include <DetourNavMesh.h>
#pragma GCC diagnostic pop

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

/// A point of a border this near to another is the same [m].
constexpr float kSamePoint = 1e-4f;

bool holds(const std::vector<float>& points, float at) {
    const auto it = std::lower_bound(points.begin(), points.end(), at - kSamePoint);
    return it != points.end() && *it <= at + kSamePoint;
}

/// Where along a border both tiles have ground, as few intervals as there are.
using Spans = std::vector<std::pair<float, float>>;
Spans spansOf(const std::vector<Seam>& seams) {
    Spans spans;
    for (const Seam& seam : seams) spans.push_back({seam.low, seam.high});
    std::sort(spans.begin(), spans.end());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (kept > 0 && spans[i].first <= spans[kept - 1].second + kSamePoint) {
            spans[kept - 1].second = std::max(spans[kept - 1].second, spans[i].second);
        } else {
            spans[kept++] = spans[i];
        }
    }
    spans.resize(kept);
    return spans;
}

/// Whether a tile's ground reaches the end of a side. @param high the end with the larger coordinate.
bool reachesEnd(const NavTile& tile, std::size_t side, bool high) {
    const float start = side % 2 == 0 ? tile.top() : tile.left(), at = high ? start + tile.size : start;
    for (const NavBorderEdge& edge : tile.borders[side]) {
        if (std::abs((high ? edge.high : edge.low) - at) <= kSamePoint) return true;
    }
    return false;
}

/// Whether there is open ground all around a corner of a tile. @param east, south which corner.
bool openCorner(const MeshFrame& frame, const TileGrid& tiles, std::int32_t tile, bool east, bool south) {
    const std::int32_t beside = frame.beyond(tile, east ? 0 : 2), below = frame.beyond(tile, south ? 1 : 3);
    if (beside < 0 || below < 0) return false;
    const std::int32_t across = frame.beyond(beside, south ? 1 : 3);
    struct Quarter {
        std::int32_t tile;
        bool east, south;  // of the corner, seen from that tile
    };
    for (const Quarter q : {Quarter{tile, east, south}, {beside, !east, south}, {below, east, !south}, {across, !east, !south}}) {
        if (tiles[static_cast<std::size_t>(q.tile)] == nullptr) return false;
        const NavTile& t = *tiles[static_cast<std::size_t>(q.tile)]->tile;
        const std::size_t vertical = q.east ? 0 : 2, level = q.south ? 1 : 3;
        if (!reachesEnd(t, vertical, q.south) || !reachesEnd(t, level, q.east)) return false;
        if (holds(t.border_walls[vertical], q.south ? t.top() + t.size : t.top())) return false;
    }
    return true;
}

/// Marks where ways may bend: walls, and borders with nothing walkable beyond them. @return that, per vertex of the tile.
std::vector<std::uint8_t> findCorners(const MeshFrame& frame, const TileGrid& tiles, std::int32_t index, LoadedTile& loaded) {
    const NavTile& tile = *loaded.tile;
    std::array<Spans, 4> spans;
    for (std::size_t side = 0; side < 4; ++side) spans[side] = spansOf(loaded.seams[side]);
    // By tile corner: bit 0 east, bit 1 south.
    std::array<bool, 4> open{};
    if (!tile.empty()) {
        for (unsigned k = 0; k < 4; ++k) open[k] = openCorner(frame, tiles, index, (k & 1) != 0, (k & 2) != 0);
    }
    const auto isOpen = [&](std::size_t side, float at) {
        const float start = side % 2 == 0 ? tile.top() : tile.left();
        const bool first = at <= start + kSamePoint, last = at >= start + tile.size - kSamePoint;
        if (first || last) return open[side % 2 == 0 ? (side == 0 ? 1u : 0u) + (last ? 2u : 0u) : (last ? 1u : 0u) + (side == 1 ? 2u : 0u)];
        const bool inside = std::any_of(spans[side].begin(), spans[side].end(),
                                        [&](const auto& s) { return s.first < at - kSamePoint && s.second > at + kSamePoint; });
        if (!inside || holds(tile.border_walls[side], at)) return false;
        return !holds(tiles[static_cast<std::size_t>(frame.beyond(index, static_cast<int>(side)))]->tile->border_walls[side ^ 2], at);
    };
    for (std::size_t side = 0; side < 4; ++side) {
        for (Seam& seam : loaded.seams[side]) {
            seam.low_corner = !isOpen(side, seam.low);
            seam.high_corner = !isOpen(side, seam.high);
        }
    }
    std::vector<std::uint8_t> corner = tile.obstacle_corner;
    const float right = tile.left() + tile.size, bottom = tile.top() + tile.size;
    for (std::size_t v = 0; v < corner.size(); ++v) {
        if (corner[v] != NavTile::kBorderMeets) continue;
        const Vec2 at = tile.vertices[v];
        bool all_open = true;
        if (at.x == right) all_open = all_open && isOpen(0, at.y);
        if (at.y == bottom) all_open = all_open && isOpen(1, at.x);
        if (at.x == tile.left()) all_open = all_open && isOpen(2, at.y);
        if (at.y == tile.top()) all_open = all_open && isOpen(3, at.x);
        if (all_open) corner[v] = 0;
    }
    return corner;
}

std::vector<std::int16_t> findHanging(const NavTile& tile) {
    std::vector<std::int16_t> hangs_on(tile.polygons.size(), -1);
    // Ways out that are left, by polygon; a border counts as two, since a leaf must have a single one.
    std::vector<int> ways(tile.polygons.size(), 0);
    std::vector<std::size_t> leaves;
    const auto noteLeaf = [&](std::size_t i) {
        if (ways[i] == 1) leaves.push_back(i);
    };
    for (std::size_t i = 0; i < tile.polygons.size(); ++i) {
        const NavPolygon& p = tile.polygons[i];
        for (std::size_t k = 0; k < p.corners; ++k) ways[i] += p.beyond[k] >= 0 ? 1 : (p.beyond[k] == NavPolygon::kWall ? 0 : 2);
        noteLeaf(i);
    }
    while (!leaves.empty()) {
        const std::size_t leaf = leaves.back();
        leaves.pop_back();
        if (ways[leaf] != 1) continue;  // its neighbour has come to hang on it
        const NavPolygon& p = tile.polygons[leaf];
        for (std::size_t k = 0; k < p.corners; ++k) {
            if (p.beyond[k] < 0) continue;
            const auto next = static_cast<std::size_t>(p.beyond[k]);
            if (hangs_on[next] == static_cast<std::int16_t>(leaf)) continue;
            hangs_on[leaf] = p.beyond[k];
            ways[leaf] = 0;
            --ways[next];
            noteLeaf(next);
            break;
        }
    }
    return hangs_on;
}

/// Recast leaves polygons whose corners lie in one line where contours of two regions touch.
bool hasArea(const NavTile& tile, const NavPolygon& p) {
    double doubled = 0.0;
    for (int k = 0; k < p.corners; ++k) {
        const Vec2 &a = tile.corner(p, k), &b = tile.corner(p, k + 1 == p.corners ? 0 : k + 1);
        doubled += static_cast<double>(a.x) * static_cast<double>(b.y) - static_cast<double>(b.x) * static_cast<double>(a.y);
    }
    return std::abs(doubled) > 1e-6;
}

void findExits(const MeshFrame& frame, const TileGrid& tiles, std::int32_t index, const std::vector<std::uint8_t>& corner, LoadedTile& loaded) {
    const NavTile& tile = *loaded.tile;
    loaded.hangs_on = findHanging(tile);
    loaded.first_exit.reserve(tile.polygons.size() + 1);
    loaded.exits.reserve(4 * tile.polygons.size());
    for (std::size_t i = 0; i < tile.polygons.size(); ++i) {
        loaded.first_exit.push_back(static_cast<std::uint32_t>(loaded.exits.size()));
        const NavPolygon& p = tile.polygons[i];
        for (std::size_t k = 0; k < p.corners; ++k) {
            const std::int16_t beyond = p.beyond[k];
            if (beyond == NavPolygon::kWall) continue;
            const std::size_t from = p.vertex[k], to = p.vertex[k + 1 == p.corners ? 0 : k + 1];
            const Vec2 a = tile.vertices[from], b = tile.vertices[to];
            if (beyond >= 0) {
                const auto next = static_cast<std::size_t>(beyond);
                loaded.exits.push_back({{index, beyond}, a, b, tile.polygons[next].terrain, corner[from] != 0, corner[to] != 0,
                                        loaded.hangs_on[next] == static_cast<std::int16_t>(i), !hasArea(tile, tile.polygons[next])});
                continue;
            }
            const int side = NavPolygon::kBorder - beyond;
            const std::vector<Seam>& seams = loaded.seams[static_cast<std::size_t>(side)];
            const bool along_y = side % 2 == 0;
            const bool rising = along_y ? b.y > a.y : b.x > a.x;
            auto seam = std::lower_bound(seams.begin(), seams.end(), std::pair(i, k), [](const Seam& s, const std::pair<std::size_t, std::size_t>& key) {
                return s.polygon != key.first ? s.polygon < key.first : s.edge < key.second;
            });
            const std::size_t first = loaded.exits.size();
            for (; seam != seams.end() && seam->polygon == i && seam->edge == k; ++seam) {
                const std::int32_t next = frame.beyond(index, side);
                const NavTile& other = *tiles[static_cast<std::size_t>(next)]->tile;
                const float start = rising ? seam->low : seam->high, stop = rising ? seam->high : seam->low;
                loaded.exits.push_back({{next, seam->other},
                                        along_y ? Vec2{a.x, start} : Vec2{start, a.y},
                                        along_y ? Vec2{a.x, stop} : Vec2{stop, a.y},
                                        other.polygons[seam->other].terrain,
                                        rising ? seam->low_corner : seam->high_corner,
                                        rising ? seam->high_corner : seam->low_corner,
                                        false,
                                        !hasArea(other, other.polygons[seam->other])});
            }
            if (!rising) std::reverse(loaded.exits.begin() + static_cast<std::ptrdiff_t>(first), loaded.exits.end());
        }
    }
    loaded.first_exit.push_back(static_cast<std::uint32_t>(loaded.exits.size()));
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

void Mesh::place(std::int32_t index, std::shared_ptr<const LoadedTile> next, std::shared_ptr<const TileLabels> tile_labels) {
    const auto i = static_cast<std::size_t>(index);
    const NavTile* before = tiles[i] != nullptr ? tiles[i]->tile.get() : nullptr;
    const NavTile* after = next != nullptr ? next->tile.get() : nullptr;
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
    loaded += next != nullptr ? 1u : 0u;
    loaded -= tiles[i] != nullptr ? 1u : 0u;
    tiles[i] = std::move(next);
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
    findExits(frame, tiles, tile, findCorners(frame, tiles, tile, *out), *out);
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
