// Method: Recast's pipeline (Mononen 2009) from the compact heightfield on: erosion, regions, contours, polygons, Detour's tile.
// Deviations: the compact heightfield is filled from the grid, with connections by the grid's own step rule; it is flat, because a world
// with one level needs no heights to decide what touches what, and Detour links borders up to twice the climb apart.
#include "warpath/navmesh/nav_tile_builder.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"  // for a compiler to whom these are no system headers
#include <DetourAlloc.h>
#include <DetourNavMesh.h>
#include <DetourNavMeshBuilder.h>
#include <Recast.h>
#include <RecastAlloc.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <vector>

#include "navmesh/passability.h"
#include "warpath/core/hash.h"

namespace warpath {
namespace {

/// Voxels around a tile that Recast's contours look at, besides the erosion.
constexpr int kBorder = 3;
constexpr int kVerticesPerPolygon = NavPolygon::kMaxCorners;
/// Region ids of the four borders, as rcBuildRegions paints them; the tile's own regions follow.
constexpr unsigned short kWestBorder = RC_BORDER_REG | 1, kEastBorder = RC_BORDER_REG | 2, kNorthBorder = RC_BORDER_REG | 3,
                         kSouthBorder = RC_BORDER_REG | 4, kFirstRegion = 5;

template <class T, void (*Free)(T*)>
struct RecastDeleter {
    void operator()(T* p) const { Free(p); }
};
using CompactField = std::unique_ptr<rcCompactHeightfield, RecastDeleter<rcCompactHeightfield, rcFreeCompactHeightfield>>;
using Contours = std::unique_ptr<rcContourSet, RecastDeleter<rcContourSet, rcFreeContourSet>>;
using PolyMesh = std::unique_ptr<rcPolyMesh, RecastDeleter<rcPolyMesh, rcFreePolyMesh>>;

}  // namespace

struct NavTileBuilder::Scratch {
    /// The cells of the chunk and `pad` more on each side.
    int pad = 0;
    int side = 0;
    std::vector<std::uint8_t> area;       ///< 0 blocked or outside, else terrain + 1.
    std::vector<std::int32_t> elevation;  ///< [cm]
    std::vector<std::uint8_t> open_east;  ///< The step to the cell in the east is legal.
    std::vector<std::uint8_t> open_south;
    /// The voxels of the same square.
    int voxel_side = 0;
    int voxel_pad = 0;
    std::vector<std::uint8_t> voxels;    ///< 0 closed, else terrain + 1; after erosion.
    std::vector<std::uint8_t> seeds, steps, steps_south, distance, rows_since;
    /// Regions of one tile, padded by kBorder.
    std::vector<std::uint16_t> region;
    std::vector<std::uint32_t> touches;  ///< Per region: voxels of it that the row below touches.

    void readCells(const WorldSnapshot& snapshot, ChunkCoord chunk, int pad_cells, std::uint64_t enterable);
    /// readCells with the border that a configuration needs.
    void readFor(const WorldSnapshot& snapshot, ChunkCoord chunk, const NavConfig& config);
    [[nodiscard]] std::uint64_t hash(const WorldSnapshot& snapshot, ChunkCoord chunk, const NavConfig& config, std::span<const NavLink> links) const;
    void connectCells(std::int32_t limit_cm, bool close_steep_cells);
    void fillVoxels(int per_cell);
    void erode(int per_cell, int radius, bool several_cells);  ///< @param radius [voxels]
    void widenClosedTerrain(int per_cell, int reach, std::span<const std::uint64_t> sets);
    [[nodiscard]] int labelRegions(int x0, int y0, int size);
    [[nodiscard]] std::size_t at(int x, int y) const {
        return static_cast<std::size_t>(y + pad) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x + pad);
    }
    [[nodiscard]] std::size_t voxelAt(int x, int y) const {
        return static_cast<std::size_t>(y + voxel_pad) * static_cast<std::size_t>(voxel_side) + static_cast<std::size_t>(x + voxel_pad);
    }
};

void NavTileBuilder::Scratch::readCells(const WorldSnapshot& snapshot, ChunkCoord chunk, int pad_cells, std::uint64_t enterable) {
    pad = pad_cells;
    side = kChunkSize + 2 * pad;
    const auto cells = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    area.assign(cells, 0);
    elevation.assign(cells, 0);
    open_east.assign(cells, 0);
    open_south.assign(cells, 0);
    const int x0 = chunk.x * kChunkSize, y0 = chunk.y * kChunkSize;
    const int left = std::max(x0 - pad, 0), right = std::min(x0 + kChunkSize + pad, snapshot.width());
    for (int y = std::max(y0 - pad, 0); y < std::min(y0 + kChunkSize + pad, snapshot.height()); ++y) {
        for (int x = left; x < right;) {
            const ChunkGround& ground = snapshot.ground({x >> kChunkShift, y >> kChunkShift});
            const int run_end = std::min(right, ((x >> kChunkShift) + 1) << kChunkShift);
            for (; x < run_end; ++x) {
                const auto local = static_cast<std::size_t>(localIndex(x, y));
                const std::size_t i = at(x - x0, y - y0);
                const std::uint8_t terrain = ground.terrain[local];
                if (obstacleKind(ground.obstacle[local]) == ObstacleKind::None && ((enterable >> terrain) & 1) != 0) {
                    area[i] = static_cast<std::uint8_t>(terrain + 1);
                }
                elevation[i] = ground.elevationCm(static_cast<int>(local));
            }
        }
    }
}

void NavTileBuilder::Scratch::readFor(const WorldSnapshot& snapshot, ChunkCoord chunk, const NavConfig& config) {
    std::uint64_t enterable = 0;
    for (const std::uint64_t set : passabilitySets(snapshot.rules())) enterable |= set;
    const int per_cell = static_cast<int>(1.0f / config.cell_size);
    readCells(snapshot, chunk, (config.erosionCells() + kBorder + per_cell - 1) / per_cell + 1, enterable);
}

std::uint64_t NavTileBuilder::Scratch::hash(const WorldSnapshot& snapshot, ChunkCoord chunk, const NavConfig& config,
                                            std::span<const NavLink> links) const {
    std::uint64_t h = area.size();
    for (std::size_t i = 0; i < area.size(); ++i) {
        h = Hash64::mix(h ^ (static_cast<std::uint64_t>(area[i]) << 32 | static_cast<std::uint32_t>(elevation[i])));
    }
    const int n = config.tiles_per_chunk;
    for (int i = 0; i < n * n; ++i) {
        for (const NavLink& link : linksOf(snapshot, {chunk.x * n + i % n, chunk.y * n + i / n}, config, links)) {
            for (const float v : {link.from.x, link.from.y, link.to.x, link.to.y, link.radius, link.cost_factor}) {
                h = Hash64::mix(h ^ std::bit_cast<std::uint32_t>(v));
            }
            h = Hash64::mix(h ^ (static_cast<std::uint64_t>(link.id) << 1 | (link.both_ways ? 1u : 0u)));
        }
    }
    return h;
}

void NavTileBuilder::Scratch::connectCells(std::int32_t limit_cm, bool close_steep_cells) {
    const auto s = static_cast<std::size_t>(side);
    const auto tooSteep = [&](std::size_t a, std::size_t b) { return std::abs(elevation[a] - elevation[b]) > limit_cm; };
    if (close_steep_cells) {
        std::vector<std::size_t> steep;
        for (std::size_t i = 0; i < area.size(); ++i) {
            if (area[i] == 0) continue;
            if (i % s + 1 < s && area[i + 1] != 0 && tooSteep(i, i + 1)) steep.insert(steep.end(), {i, i + 1});
            if (i + s < area.size() && area[i + s] != 0 && tooSteep(i, i + s)) steep.insert(steep.end(), {i, i + s});
        }
        for (const std::size_t i : steep) area[i] = 0;
    }
    for (std::size_t i = 0; i < area.size(); ++i) {
        if (area[i] == 0) continue;
        open_east[i] = i % s + 1 < s && area[i + 1] != 0 && !tooSteep(i, i + 1);
        open_south[i] = i + s < area.size() && area[i + s] != 0 && !tooSteep(i, i + s);
    }
}

void NavTileBuilder::Scratch::fillVoxels(int per_cell) {
    voxel_side = side * per_cell;
    voxel_pad = pad * per_cell;
    const auto width = static_cast<std::size_t>(voxel_side), n = static_cast<std::size_t>(per_cell);
    voxels.resize(width * width);
    for (std::size_t cy = 0; cy < static_cast<std::size_t>(side); ++cy) {
        std::uint8_t* row = &voxels[cy * n * width];
        for (std::size_t x = 0; x < width; ++x) row[x] = area[cy * static_cast<std::size_t>(side) + x / n];
        for (std::size_t k = 1; k < n; ++k) std::copy_n(row, width, row + k * width);
    }
}

namespace {

/// Distance along each row to the nearest seed, at most 255.
void rowDistances(const std::vector<std::uint8_t>& seeds, std::size_t width, std::vector<std::uint8_t>& out) {
    out.resize(seeds.size());
    for (std::size_t row = 0; row < seeds.size(); row += width) {
        int d = 255;
        for (std::size_t x = 0; x < width; ++x) {
            d = seeds[row + x] != 0 ? 0 : std::min(d + 1, 255);
            out[row + x] = static_cast<std::uint8_t>(d);
        }
        d = 255;
        for (std::size_t x = width; x-- > 0;) {
            d = seeds[row + x] != 0 ? 0 : std::min(d + 1, 255);
            out[row + x] = std::min(out[row + x], static_cast<std::uint8_t>(d));
        }
    }
}

}  // namespace

/// Closes every voxel nearer than the radius to a blocked voxel or to a step that is too steep, both along x and along y: units are squares, as on
/// the grid, where a round radius (rcErodeWalkableArea) lets large ones through between corners that face each other diagonally. No two open
/// voxels with a steep step between them remain.
void NavTileBuilder::Scratch::erode(int per_cell, int radius, bool several_cells) {
    const auto width = static_cast<std::size_t>(voxel_side), n = static_cast<std::size_t>(per_cell), s = static_cast<std::size_t>(side);
    const auto closeAround = [&](int far_x, int far_y) {
        const auto limit = static_cast<std::uint8_t>(std::min(far_x, 254)), limit_y = static_cast<std::uint8_t>(std::min(far_y, 254));
        rowDistances(seeds, width, distance);
        const auto sweep = [&](std::size_t row) {
            const std::uint8_t* near = &distance[row * width];
            std::uint8_t* open = &voxels[row * width];
            for (std::size_t x = 0; x < width; ++x) {
                rows_since[x] = near[x] <= limit ? std::uint8_t{0} : static_cast<std::uint8_t>(rows_since[x] + (rows_since[x] < 255 ? 1 : 0));
                open[x] = rows_since[x] <= limit_y ? std::uint8_t{0} : open[x];
            }
        };
        rows_since.assign(width, 255);
        for (std::size_t y = 0; y < width; ++y) sweep(y);
        rows_since.assign(width, 255);
        for (std::size_t y = width; y-- > 0;) sweep(y);
    };
    // Voxels beside a step that is too steep, by the direction of the step.
    bool steep = false;
    steps.assign(voxels.size(), 0);
    steps_south.assign(voxels.size(), 0);
    for (std::size_t cy = 0; cy + 1 < s; ++cy) {
        for (std::size_t cx = 0; cx + 1 < s; ++cx) {
            const std::size_t cell = cy * s + cx;
            if (area[cell] == 0) continue;
            const bool cut_east = open_east[cell] == 0 && area[cell + 1] != 0, cut_south = open_south[cell] == 0 && area[cell + s] != 0;
            if (!cut_east && !cut_south) continue;
            steep = true;
            for (std::size_t k = 0; k < n; ++k) {
                if (cut_east) steps[(cy * n + k) * width + (cx + 1) * n - 1] = steps[(cy * n + k) * width + (cx + 1) * n] = 1;
                if (cut_south) steps_south[((cy + 1) * n - 1) * width + cx * n + k] = steps_south[(cy + 1) * n * width + cx * n + k] = 1;
            }
        }
    }
    seeds.resize(voxels.size());
    for (std::size_t i = 0; i < voxels.size(); ++i) seeds[i] = voxels[i] == 0;
    closeAround(radius, radius);
    if (!steep) return;
    // The step lies on the far side of its seed, and ends where the seed does: a unit of several cells keeps off its ends, too.
    const int beside = radius - 1, along = several_cells ? radius : radius - 1;
    seeds.swap(steps);
    closeAround(beside, along);
    seeds.swap(steps_south);
    closeAround(along, beside);
}

/// A unit of several cells may stand where all its cells are open to it. So voxels within its reach of terrain that some units cannot enter count as such
/// terrain; where two kinds meet that different units cannot enter, as closed.
void NavTileBuilder::Scratch::widenClosedTerrain(int per_cell, int reach, std::span<const std::uint64_t> sets) {
    const auto width = static_cast<std::size_t>(voxel_side), n = static_cast<std::size_t>(per_cell), s = static_cast<std::size_t>(side);
    const auto everyone = (1u << sets.size()) - 1;
    std::array<std::uint32_t, kMaxNavTerrainTypes + 1> who{};  // may enter, by area
    for (std::size_t t = 0; t < kMaxNavTerrainTypes; ++t) {
        for (std::size_t k = 0; k < sets.size(); ++k) who[t + 1] |= static_cast<std::uint32_t>((sets[k] >> t) & 1) << k;
    }
    std::array<bool, kMaxNavTerrainTypes + 1> present{};
    for (const std::uint8_t a : area) present[a] = true;
    const auto limit = static_cast<std::uint8_t>(std::min(reach, 254));
    for (std::size_t t = 1; t < present.size(); ++t) {
        if (!present[t] || who[t] == everyone) continue;
        seeds.resize(voxels.size());
        for (std::size_t y = 0; y < width; ++y) {
            for (std::size_t x = 0; x < width; ++x) seeds[y * width + x] = area[y / n * s + x / n] == t;
        }
        rowDistances(seeds, width, distance);
        const auto sweep = [&](std::size_t row) {
            for (std::size_t x = 0; x < width; ++x) {
                const std::size_t i = row * width + x;
                rows_since[x] = distance[i] <= limit ? std::uint8_t{0} : static_cast<std::uint8_t>(rows_since[x] + (rows_since[x] < 255 ? 1 : 0));
                if (rows_since[x] > limit || voxels[i] == 0 || (who[voxels[i]] & ~who[t]) == 0) continue;
                voxels[i] = (who[t] & ~who[voxels[i]]) == 0 ? static_cast<std::uint8_t>(t) : std::uint8_t{0};
            }
        };
        rows_since.assign(width, 255);
        for (std::size_t y = 0; y < width; ++y) sweep(y);
        rows_since.assign(width, 255);
        for (std::size_t y = width; y-- > 0;) sweep(y);
    }
}

/// Monotone partition, row by row, as in rcBuildRegionsMonotone: a run of voxels continues the region above when the two touch nobody else.
/// Regions have no holes, which contours need. @return one more than the highest region.
int NavTileBuilder::Scratch::labelRegions(int x0, int y0, int size) {
    const int padded = size + 2 * kBorder;
    const auto stride = static_cast<std::size_t>(padded);
    region.assign(stride * stride, 0);
    touches.assign(kFirstRegion, 0);
    for (int y = 0; y < size; ++y) {
        std::uint16_t* row = &region[static_cast<std::size_t>(y + kBorder) * stride + kBorder];
        const std::uint16_t* above = row - stride;
        const std::uint8_t* open = &voxels[voxelAt(x0, y0 + y)];
        const std::uint8_t* open_above = open - voxel_side;
        if (y > 0) {
            for (int x = 0; x < size; ++x) {
                if (open[x] != 0 && open[x] == open_above[x]) ++touches[above[x]];
            }
        }
        for (int x = 0; x < size;) {
            if (open[x] == 0) {
                ++x;
                continue;
            }
            const int begin = x;
            std::uint32_t shared = 0;
            std::uint16_t only = 0;
            bool several = false;
            for (; x < size && open[x] == open[begin]; ++x) {
                if (y == 0 || open_above[x] != open[x]) continue;
                several |= only != 0 && above[x] != only;
                only = above[x];
                ++shared;
            }
            if (only == 0 || several || touches[only] != shared) {
                only = static_cast<std::uint16_t>(touches.size());
                touches.push_back(0);
            }
            std::fill(row + begin, row + x, only);
        }
        std::fill(touches.begin(), touches.end(), 0u);
    }
    return static_cast<int>(touches.size());
}

namespace {

/// Where a tile's voxels lie in the chunk.
struct TileWindow {
    int voxels = 0;      ///< Side of the tile [voxels].
    int x0 = 0, y0 = 0;  ///< North west voxel of the tile within the chunk.
};

/// Recast's compact heightfield of a tile, regions included: one flat span per open voxel.
template <class Cells>
CompactField fillField(const Cells& cells, const TileWindow& w, int regions, const NavConfig& config, float world_x, float world_y) {
    CompactField field(rcAllocCompactHeightfield());
    const int side = w.voxels + 2 * kBorder;
    int spans = 0;
    for (int y = 0; y < side; ++y) {
        const std::uint8_t* open = &cells.voxels[cells.voxelAt(w.x0 - kBorder, w.y0 - kBorder + y)];
        for (int x = 0; x < side; ++x) spans += open[x] != 0;
    }
    rcCompactHeightfield& f = *field;
    f.width = f.height = side;
    f.spanCount = spans;
    f.walkableHeight = 1;
    f.walkableClimb = 0;
    f.borderSize = kBorder;
    f.maxRegions = static_cast<unsigned short>(regions);
    f.cs = config.cell_size;
    f.ch = config.cell_height;
    f.bmin[0] = world_x - static_cast<float>(kBorder) * config.cell_size;
    f.bmin[1] = 0.0f;
    f.bmin[2] = world_y - static_cast<float>(kBorder) * config.cell_size;
    f.bmax[0] = f.bmin[0] + static_cast<float>(side) * config.cell_size;
    f.bmax[1] = config.agent_height;
    f.bmax[2] = f.bmin[2] + static_cast<float>(side) * config.cell_size;
    if (spans == 0) return field;
    f.cells = static_cast<rcCompactCell*>(rcAlloc(sizeof(rcCompactCell) * cells.region.size(), RC_ALLOC_PERM));
    f.spans = static_cast<rcCompactSpan*>(rcAlloc(sizeof(rcCompactSpan) * static_cast<std::size_t>(spans), RC_ALLOC_PERM));
    f.areas = static_cast<unsigned char*>(rcAlloc(static_cast<std::size_t>(spans), RC_ALLOC_PERM));

    unsigned index = 0;
    const int width = cells.voxel_side;
    for (int y = 0; y < side; ++y) {
        const std::uint8_t* open = &cells.voxels[cells.voxelAt(w.x0 - kBorder, w.y0 - kBorder + y)];
        const std::uint16_t* region = &cells.region[static_cast<std::size_t>(y) * static_cast<std::size_t>(side)];
        for (int x = 0; x < side; ++x) {
            rcCompactCell& c = f.cells[y * side + x];
            c.index = index & 0xffffff;
            c.count = open[x] != 0 ? 1 : 0;
            if (open[x] == 0) continue;
            rcCompactSpan& s = f.spans[index];
            s.y = 0;
            s.con = 0;
            s.h = 0xff;
            rcSetCon(s, 0, x > 0 && open[x - 1] != 0 ? 0 : RC_NOT_CONNECTED);
            rcSetCon(s, 1, y + 1 < side && open[x + width] != 0 ? 0 : RC_NOT_CONNECTED);
            rcSetCon(s, 2, x + 1 < side && open[x + 1] != 0 ? 0 : RC_NOT_CONNECTED);
            rcSetCon(s, 3, y > 0 && open[x - width] != 0 ? 0 : RC_NOT_CONNECTED);
            if (y < kBorder) {
                s.reg = kNorthBorder;
            } else if (y >= side - kBorder) {
                s.reg = kSouthBorder;
            } else if (x < kBorder) {
                s.reg = kWestBorder;
            } else {
                s.reg = x >= side - kBorder ? kEastBorder : region[x];
            }
            f.areas[index] = open[x];
            ++index;
        }
    }
    return field;
}

/// Contours and polygons. Null when nothing remains.
PolyMesh meshField(rcContext& context, rcCompactHeightfield& field, const NavConfig& config) {
    Contours contours(rcAllocContourSet());
    const float error = std::min(config.max_edge_error, config.mostEdgeError());
    if (!rcBuildContours(&context, field, error, 0, *contours, 0) || contours->nconts == 0) return nullptr;
    PolyMesh mesh(rcAllocPolyMesh());
    if (!rcBuildPolyMesh(&context, *contours, kVerticesPerPolygon, *mesh) || mesh->npolys == 0) return nullptr;
    return mesh;
}

/// Links in the layout of dtNavMeshCreateParams.
struct DetourLinks {
    std::vector<float> vertices, radii;
    std::vector<unsigned short> flags;
    std::vector<unsigned char> areas, directions;
    std::vector<unsigned> ids;
};

DetourLinks detourLinks(const std::vector<NavLink>& links) {
    DetourLinks out;
    for (const NavLink& link : links) {
        out.vertices.insert(out.vertices.end(), {link.from.x, 0.0f, link.from.y, link.to.x, 0.0f, link.to.y});
        out.radii.push_back(link.radius);
        out.flags.push_back(0xffff);
        out.areas.push_back(static_cast<unsigned char>(kLinkArea));
        out.directions.push_back(link.both_ways ? DT_OFFMESH_CON_BIDIR : 0);
        out.ids.push_back(link.id);
    }
    return out;
}

std::vector<std::uint8_t> detourBlob(rcPolyMesh& mesh, const NavConfig& config, NavTileCoord coord, float size,
                                     std::span<const std::uint64_t> sets, const std::vector<NavLink>& links) {
    for (int i = 0; i < mesh.npolys; ++i) {
        const int terrain = mesh.areas[i] - 1;
        unsigned flags = 0;
        for (std::size_t s = 0; s < sets.size(); ++s) flags |= static_cast<unsigned>((sets[s] >> terrain) & 1) << s;
        mesh.flags[i] = static_cast<unsigned short>(flags);
    }
    DetourLinks crossings = detourLinks(links);
    dtNavMeshCreateParams params{};
    params.verts = mesh.verts;
    params.vertCount = mesh.nverts;
    params.polys = mesh.polys;
    params.polyFlags = mesh.flags;
    params.polyAreas = mesh.areas;
    params.polyCount = mesh.npolys;
    params.nvp = mesh.nvp;
    params.offMeshConVerts = crossings.vertices.data();
    params.offMeshConRad = crossings.radii.data();
    params.offMeshConFlags = crossings.flags.data();
    params.offMeshConAreas = crossings.areas.data();
    params.offMeshConDir = crossings.directions.data();
    params.offMeshConUserID = crossings.ids.data();
    params.offMeshConCount = static_cast<int>(links.size());
    params.tileX = coord.x;
    params.tileY = coord.y;
    params.bmin[0] = static_cast<float>(coord.x) * size;
    params.bmin[2] = static_cast<float>(coord.y) * size;
    params.bmax[0] = params.bmin[0] + size;
    params.bmax[1] = config.agent_height;
    params.bmax[2] = params.bmin[2] + size;
    params.walkableHeight = config.agent_height;
    params.walkableRadius = config.agent_radius;
    params.walkableClimb = 0.5f;  // the mesh is flat: any value links what touches
    params.cs = config.cell_size;
    params.ch = config.cell_height;
    params.buildBvTree = true;
    unsigned char* data = nullptr;
    int bytes = 0;
    if (!dtCreateNavMeshData(&params, &data, &bytes)) return {};
    std::vector<std::uint8_t> blob(data, data + bytes);
    dtFree(data);
    return blob;
}

}  // namespace

NavTileBuilder::NavTileBuilder() : scratch_(std::make_unique<Scratch>()) {}
NavTileBuilder::~NavTileBuilder() = default;
NavTileBuilder::NavTileBuilder(NavTileBuilder&&) noexcept = default;
NavTileBuilder& NavTileBuilder::operator=(NavTileBuilder&&) noexcept = default;

std::vector<NavLink> NavTileBuilder::linksOf(const WorldSnapshot& snapshot, NavTileCoord tile, const NavConfig& config, std::span<const NavLink> links) {
    const float size = static_cast<float>(kChunkSize / config.tiles_per_chunk);
    const float left = static_cast<float>(tile.x) * size, top = static_cast<float>(tile.y) * size;
    const auto x = static_cast<float>(snapshot.origin().x), y = static_cast<float>(snapshot.origin().y);
    std::vector<NavLink> out;
    for (NavLink link : links) {
        link.from = {link.from.x - x, link.from.y - y};
        link.to = {link.to.x - x, link.to.y - y};
        if (link.from.x >= left && link.from.x < left + size && link.from.y >= top && link.from.y < top + size) out.push_back(link);
    }
    return out;
}

std::uint64_t NavTileBuilder::groundHash(const WorldSnapshot& snapshot, ChunkCoord chunk, const NavConfig& config, std::span<const NavLink> links) {
    scratch_->readFor(snapshot, chunk, config);
    return scratch_->hash(snapshot, chunk, config, links);
}

NavChunk NavTileBuilder::build(const WorldSnapshot& snapshot, ChunkCoord chunk, const NavConfig& config, std::span<const NavLink> links) {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<std::uint64_t> sets = passabilitySets(snapshot.rules());
    const int per_cell = static_cast<int>(1.0f / config.cell_size), erosion = config.erosionCells();
    NavChunk out;
    out.chunk = chunk;
    scratch_->readFor(snapshot, chunk, config);
    out.ground_hash = scratch_->hash(snapshot, chunk, config, links);
    scratch_->connectCells(config.stepLimitCm(), erosion == 0);
    scratch_->fillVoxels(per_cell);
    if (erosion > 0) scratch_->erode(per_cell, erosion, config.unitCells() > 1);
    if (config.unitCells() > 1) {
        const float off = std::min(config.max_edge_error, config.mostEdgeError());
        scratch_->widenClosedTerrain(per_cell, static_cast<int>(std::ceil(0.5f * static_cast<float>((config.unitCells() - 1) * per_cell) + off)), sets);
    }
    TileWindow window;
    window.voxels = kChunkSize * per_cell / config.tiles_per_chunk;

    const float size = static_cast<float>(kChunkSize / config.tiles_per_chunk);
    rcContext context(false);
    for (int ty = 0; ty < config.tiles_per_chunk; ++ty) {
        for (int tx = 0; tx < config.tiles_per_chunk; ++tx) {
            const NavTileCoord coord{chunk.x * config.tiles_per_chunk + tx, chunk.y * config.tiles_per_chunk + ty};
            std::vector<NavLink> starting = linksOf(snapshot, coord, config, links);
            window.x0 = tx * window.voxels;
            window.y0 = ty * window.voxels;
            const int regions = scratch_->labelRegions(window.x0, window.y0, window.voxels);
            std::vector<std::uint8_t> blob;
            if (regions > kFirstRegion) {
                const float left = static_cast<float>(coord.x) * size, top = static_cast<float>(coord.y) * size;
                const CompactField field = fillField(*scratch_, window, regions, config, left, top);
                if (const PolyMesh mesh = meshField(context, *field, config)) blob = detourBlob(*mesh, config, coord, size, sets, starting);
            }
            out.tiles.push_back(makeNavTile(coord, size, std::move(blob), std::move(starting)));
        }
    }
    out.build_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return out;
}

}  // namespace warpath
