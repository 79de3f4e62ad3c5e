#include "warpath/navmesh/nav_tile.h"

#include <DetourCommon.h>
#include <DetourNavMesh.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "navmesh/passability.h"

namespace warpath {
namespace {

/// Reads the arrays of a blob in their order, refusing to leave it.
class BlobReader {
public:
    explicit BlobReader(const std::vector<std::uint8_t>& blob) : blob_(blob) {}

    /// Copies `count` records and moves past them, padded to four bytes as Detour lays them out.
    template <class T>
    bool take(std::vector<T>& out, int count) {
        if (count < 0 || static_cast<std::size_t>(count) > blob_.size() / sizeof(T)) return false;
        const std::size_t bytes = sizeof(T) * static_cast<std::size_t>(count), padded = (bytes + 3) & ~std::size_t{3};
        if (at_ + padded > blob_.size()) return false;
        out.resize(static_cast<std::size_t>(count));
        if (bytes > 0) std::memcpy(static_cast<void*>(out.data()), blob_.data() + at_, bytes);
        at_ += padded;
        return true;
    }
    [[nodiscard]] bool atEnd() const { return at_ == blob_.size(); }

private:
    const std::vector<std::uint8_t>& blob_;
    std::size_t at_ = 0;
};

/// The arrays of a blob that hold indices into each other.
struct BlobArrays {
    dtMeshHeader header{};
    std::vector<float> vertices;
    std::vector<dtPoly> polygons;
};

/// True when Detour may follow every index and number of the blob.
bool readBlob(const std::vector<std::uint8_t>& blob, NavTileCoord coord, float size, BlobArrays& out) {
    std::vector<dtMeshHeader> headers;
    BlobReader reader(blob);
    if (!reader.take(headers, 1)) return false;
    const dtMeshHeader& h = out.header = headers[0];
    const int ground = h.offMeshBase;
    if (h.magic != DT_NAVMESH_MAGIC || h.version != DT_NAVMESH_VERSION || h.x != coord.x || h.y != coord.y || h.layer != 0) return false;
    if (h.polyCount <= 0 || h.polyCount > 0x7fff || h.vertCount <= 0 || h.vertCount >= 0xffff || ground <= 0 || h.offMeshConCount < 0 ||
        h.offMeshConCount != h.polyCount - ground || h.vertCount < 2 * h.offMeshConCount + 3 || h.detailMeshCount != ground || h.detailVertCount != 0 || h.maxLinkCount <= 0 ||
        (h.bvNodeCount != 0 && h.bvNodeCount != 2 * ground)) {
        return false;
    }
    const float left = static_cast<float>(coord.x) * size, top = static_cast<float>(coord.y) * size;
    if (h.bmin[0] != left || h.bmin[2] != top || h.bmax[0] != left + size || h.bmax[2] != top + size) return false;
    std::vector<dtLink> links;
    std::vector<dtPolyDetail> details;
    std::vector<float> detail_vertices;
    std::vector<std::uint8_t> detail_triangles;
    std::vector<dtBVNode> tree;
    std::vector<dtOffMeshConnection> crossings;
    if (h.vertCount > 0x10000 || h.detailTriCount < 0 || h.detailTriCount > 0x40000) return false;
    if (!reader.take(out.vertices, 3 * h.vertCount) || !reader.take(out.polygons, h.polyCount) || !reader.take(links, h.maxLinkCount) ||
        !reader.take(details, h.detailMeshCount) || !reader.take(detail_vertices, 3 * h.detailVertCount) ||
        !reader.take(detail_triangles, 4 * h.detailTriCount) || !reader.take(tree, h.bvNodeCount) ||
        !reader.take(crossings, h.offMeshConCount) || !reader.atEnd()) {
        return false;
    }
    for (int i = 0; i < h.vertCount; ++i) {
        const float x = out.vertices[static_cast<std::size_t>(3 * i)], y = out.vertices[static_cast<std::size_t>(3 * i + 1)],
                    z = out.vertices[static_cast<std::size_t>(3 * i + 2)];
        if (!std::isfinite(x) || y != 0.0f || !std::isfinite(z)) return false;
        if (i < h.vertCount - 2 * h.offMeshConCount && (x < left || x > left + size || z < top || z > top + size)) return false;
    }
    for (int i = 0; i < h.polyCount; ++i) {
        const dtPoly& p = out.polygons[static_cast<std::size_t>(i)];
        const bool crossing = i >= ground;
        if (p.getType() != (crossing ? DT_POLYTYPE_OFFMESH_CONNECTION : DT_POLYTYPE_GROUND)) return false;
        if (crossing ? p.vertCount != 2 : (p.vertCount < 3 || p.vertCount > NavPolygon::kMaxCorners)) return false;
        if (!crossing && (p.getArea() == 0 || p.getArea() > kMaxNavTerrainTypes)) return false;
        for (int k = 0; k < p.vertCount; ++k) {
            if (p.verts[k] >= (crossing ? h.vertCount : h.vertCount - 2 * h.offMeshConCount)) return false;
            // A neighbour of this tile, or one of the four sides.
            if (!crossing && ((p.neis[k] & DT_EXT_LINK) == 0 ? p.neis[k] > ground : (p.neis[k] & ~(DT_EXT_LINK | 6)) != 0)) return false;
        }
        if (crossing) continue;
        const dtPolyDetail& d = details[static_cast<std::size_t>(i)];
        if (d.vertCount != 0 || d.triCount > p.vertCount || d.triBase + d.triCount > static_cast<unsigned>(h.detailTriCount)) return false;
        for (unsigned t = d.triBase; t < d.triBase + d.triCount; ++t) {
            for (unsigned k = 0; k < 3; ++k) {
                if (detail_triangles[4 * t + k] >= p.vertCount) return false;
            }
        }
    }
    for (std::size_t i = 0; i < tree.size(); ++i) {
        if (tree[i].i >= ground || (tree[i].i < 0 && i + static_cast<std::size_t>(-std::int64_t{tree[i].i}) > tree.size())) return false;
    }
    for (const dtOffMeshConnection& c : crossings) {
        if (c.poly < ground || c.poly >= h.polyCount || !std::isfinite(c.rad)) return false;
        for (const float v : c.pos) {
            if (!std::isfinite(v)) return false;
        }
    }
    return true;
}

float doubleArea(const NavTile& tile, const NavPolygon& p) {
    float sum = 0.0f;
    for (int i = 0; i < p.corners; ++i) {
        const Vec2 &a = tile.corner(p, i), &b = tile.corner(p, (i + 1) % p.corners);
        sum += (a.x - tile.left()) * (b.y - tile.top()) - (b.x - tile.left()) * (a.y - tile.top());
    }
    return sum;
}

void readPolygons(NavTile& tile, const BlobArrays& arrays) {
    const int ground = arrays.header.offMeshBase;
    const auto vertices = static_cast<std::size_t>(arrays.header.vertCount - 2 * arrays.header.offMeshConCount);
    for (std::size_t i = 0; i < vertices; ++i) tile.vertices.push_back({arrays.vertices[3 * i], arrays.vertices[3 * i + 2]});
    for (int i = 0; i < ground; ++i) {
        const dtPoly& from = arrays.polygons[static_cast<std::size_t>(i)];
        NavPolygon p;
        p.corners = from.vertCount;
        p.terrain = static_cast<std::uint8_t>(from.getArea() - 1);
        for (int k = 0; k < from.vertCount; ++k) {
            const auto at = static_cast<std::size_t>(k);
            p.vertex[at] = from.verts[k];
            if ((from.neis[k] & DT_EXT_LINK) != 0) {
                p.beyond[at] = static_cast<std::int16_t>(NavPolygon::kBorder - ((from.neis[k] & 0xff) >> 1));
            } else {
                p.beyond[at] = static_cast<std::int16_t>(from.neis[k] == 0 ? int{NavPolygon::kWall} : from.neis[k] - 1);
            }
        }
        if (doubleArea(tile, p) < 0.0f) {
            std::reverse(p.vertex.begin(), p.vertex.begin() + p.corners);
            // The edge from corner i to i + 1 was, before, the one from n - 2 - i to n - 1 - i.
            std::reverse(p.beyond.begin(), p.beyond.begin() + p.corners - 1);
        }
        tile.polygons.push_back(p);
    }
}

void findPatches(NavTile& tile) {
    constexpr std::uint16_t kNone = 0xffff;
    for (NavPolygon& p : tile.polygons) p.patch = kNone;
    std::vector<std::size_t> stack;
    for (std::size_t seed = 0; seed < tile.polygons.size(); ++seed) {
        if (tile.polygons[seed].patch != kNone) continue;
        const auto patch = static_cast<std::uint16_t>(tile.patch_terrain.size());
        tile.patch_terrain.push_back(tile.polygons[seed].terrain);
        tile.polygons[seed].patch = patch;
        stack.assign(1, seed);
        while (!stack.empty()) {
            const NavPolygon& p = tile.polygons[stack.back()];
            stack.pop_back();
            for (std::size_t k = 0; k < p.corners; ++k) {
                if (p.beyond[k] < 0) continue;
                NavPolygon& next = tile.polygons[static_cast<std::size_t>(p.beyond[k])];
                if (next.patch != kNone || next.terrain != p.terrain) continue;
                next.patch = patch;
                stack.push_back(static_cast<std::size_t>(p.beyond[k]));
            }
        }
    }
    for (const NavPolygon& p : tile.polygons) {
        for (std::size_t k = 0; k < p.corners; ++k) {
            if (p.beyond[k] < 0) continue;
            const std::uint16_t other = tile.polygons[static_cast<std::size_t>(p.beyond[k])].patch;
            if (p.patch < other) tile.patch_edges.push_back({p.patch, other});
        }
    }
    std::sort(tile.patch_edges.begin(), tile.patch_edges.end());
    tile.patch_edges.erase(std::unique(tile.patch_edges.begin(), tile.patch_edges.end()), tile.patch_edges.end());
}

void findBorders(NavTile& tile) {
    tile.obstacle_corner.assign(tile.vertices.size(), 0);
    for (std::size_t i = 0; i < tile.polygons.size(); ++i) {
        const NavPolygon& p = tile.polygons[i];
        for (int k = 0; k < p.corners; ++k) {
            const std::int16_t beyond = p.beyond[static_cast<std::size_t>(k)];
            const int next = (k + 1) % p.corners;
            if (beyond >= 0 && tile.polygons[static_cast<std::size_t>(beyond)].terrain == p.terrain) continue;
            const std::uint8_t what = beyond > NavPolygon::kBorder ? NavTile::kWallMeets : NavTile::kBorderMeets;
            tile.obstacle_corner[p.vertex[static_cast<std::size_t>(k)]] |= what;
            tile.obstacle_corner[p.vertex[static_cast<std::size_t>(next)]] |= what;
            if (beyond > NavPolygon::kBorder) continue;  // a wall or other terrain
            const auto side = static_cast<std::size_t>(NavPolygon::kBorder - beyond);
            const Vec2 &a = tile.corner(p, k), &b = tile.corner(p, next);
            const float from = side % 2 == 0 ? a.y : a.x, to = side % 2 == 0 ? b.y : b.x;
            tile.borders[side].push_back({std::min(from, to), std::max(from, to), static_cast<std::uint16_t>(i), static_cast<std::uint8_t>(k)});
        }
    }
    const float right = tile.left() + tile.size, bottom = tile.top() + tile.size;
    for (std::size_t v = 0; v < tile.vertices.size(); ++v) {
        if ((tile.obstacle_corner[v] & NavTile::kWallMeets) == 0) continue;
        const Vec2 at = tile.vertices[v];
        if (at.x == right) tile.border_walls[0].push_back(at.y);
        if (at.y == bottom) tile.border_walls[1].push_back(at.x);
        if (at.x == tile.left()) tile.border_walls[2].push_back(at.y);
        if (at.y == tile.top()) tile.border_walls[3].push_back(at.x);
    }
    for (auto& side : tile.border_walls) std::sort(side.begin(), side.end());
    for (auto& side : tile.borders) {
        std::sort(side.begin(), side.end(), [](const NavBorderEdge& a, const NavBorderEdge& b) {
            return a.low != b.low ? a.low < b.low : (a.polygon != b.polygon ? a.polygon < b.polygon : a.edge < b.edge);
        });
    }
}

/// True when some edge of the polygon has the whole square outside.
bool squareOutside(const NavTile& tile, const NavPolygon& p, float x0, float y0, float x1, float y1) {
    for (int k = 0; k < p.corners; ++k) {
        const Vec2 &a = tile.corner(p, k), &b = tile.corner(p, (k + 1) % p.corners);
        const float dx = b.x - a.x, dy = b.y - a.y;
        // The square's corner that lies farthest inside this edge.
        const float x = dy > 0.0f ? x0 : x1, y = dx > 0.0f ? y1 : y0;
        if (dx * (y - a.y) - dy * (x - a.x) < 0.0f) return true;
    }
    return false;
}

void fillBuckets(NavTile& tile) {
    constexpr auto kCount = static_cast<std::size_t>(NavTile::kBuckets) * NavTile::kBuckets;
    const float side = tile.size / static_cast<float>(NavTile::kBuckets);
    std::vector<std::vector<std::uint16_t>> lists(kCount);
    for (std::size_t i = 0; i < tile.polygons.size(); ++i) {
        const NavPolygon& p = tile.polygons[i];
        float x0 = tile.corner(p, 0).x, x1 = x0, y0 = tile.corner(p, 0).y, y1 = y0;
        for (int k = 1; k < p.corners; ++k) {
            x0 = std::min(x0, tile.corner(p, k).x);
            x1 = std::max(x1, tile.corner(p, k).x);
            y0 = std::min(y0, tile.corner(p, k).y);
            y1 = std::max(y1, tile.corner(p, k).y);
        }
        const auto bucket = [&](float v) { return std::clamp(static_cast<int>(std::floor(v / side)), 0, NavTile::kBuckets - 1); };
        for (int by = bucket(y0 - tile.top()); by <= bucket(y1 - tile.top()); ++by) {
            for (int bx = bucket(x0 - tile.left()); bx <= bucket(x1 - tile.left()); ++bx) {
                const float left = tile.left() + static_cast<float>(bx) * side, top = tile.top() + static_cast<float>(by) * side;
                if (squareOutside(tile, p, left, top, left + side, top + side)) continue;
                lists[static_cast<std::size_t>(by * NavTile::kBuckets + bx)].push_back(static_cast<std::uint16_t>(i));
            }
        }
    }
    tile.bucket_start.push_back(0);
    for (const auto& list : lists) {
        tile.bucket_polygons.insert(tile.bucket_polygons.end(), list.begin(), list.end());
        tile.bucket_start.push_back(static_cast<std::uint32_t>(tile.bucket_polygons.size()));
    }
}

}  // namespace

int NavTile::polygonAt(Vec2 p) const {
    if (empty()) return -1;
    const float scale = static_cast<float>(kBuckets) / size;
    const int bx = std::clamp(static_cast<int>((p.x - left()) * scale), 0, kBuckets - 1);
    const int by = std::clamp(static_cast<int>((p.y - top()) * scale), 0, kBuckets - 1);
    const auto bucket = static_cast<std::size_t>(by * kBuckets + bx);
    for (std::uint32_t i = bucket_start[bucket]; i < bucket_start[bucket + 1]; ++i) {
        const NavPolygon& polygon = polygons[bucket_polygons[i]];
        bool inside = true;
        for (int k = 0; k < polygon.corners && inside; ++k) {
            const Vec2 &a = corner(polygon, k), &b = corner(polygon, k + 1 == polygon.corners ? 0 : k + 1);
            inside = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) >= 0.0f;
        }
        if (inside) return bucket_polygons[i];
    }
    return -1;
}

std::size_t NavTile::memoryBytes() const {
    std::size_t bytes = sizeof *this + blob.size() + vertices.size() * sizeof(Vec2) + obstacle_corner.size() + polygons.size() * sizeof(NavPolygon) +
                        patch_terrain.size() + patch_edges.size() * 4 + links.size() * sizeof(NavLink) + bucket_start.size() * 4 +
                        bucket_polygons.size() * 2;
    for (const auto& side : borders) bytes += side.size() * sizeof(NavBorderEdge);
    for (const auto& side : border_walls) bytes += side.size() * sizeof(float);
    return bytes;
}

std::shared_ptr<const NavTile> makeNavTile(NavTileCoord coord, float size, std::vector<std::uint8_t> blob, std::vector<NavLink> links) {
    auto tile = std::make_shared<NavTile>();
    tile->coord = coord;
    tile->size = size;
    tile->links = std::move(links);
    if (blob.empty()) return tile;
    BlobArrays arrays;
    if (!readBlob(blob, coord, size, arrays)) return nullptr;
    tile->blob = std::move(blob);
    readPolygons(*tile, arrays);
    findPatches(*tile);
    findBorders(*tile);
    fillBuckets(*tile);
    return tile;
}

}  // namespace warpath
