#include "warpath/grid/cost_tile.h"

#include <algorithm>

#include "warpath/grid/move_tile.h"

namespace warpath {
namespace {

const ChunkGround& groundOf(const WorldSnapshot& snapshot, int x, int y) { return snapshot.ground({x >> kChunkShift, y >> kChunkShift}); }

/// The terrain of the unit's square that is dearest to enter; of equals the first in row order. Cells outside the map do not count.
std::uint8_t dearestTerrain(const WorldSnapshot& snapshot, const CostModel& model, int anchor_x, int anchor_y) {
    const int size = model.key().metric.profile.size;
    const int x1 = std::min(anchor_x + size, snapshot.width()), y1 = std::min(anchor_y + size, snapshot.height());
    std::uint8_t dearest = groundOf(snapshot, anchor_x, anchor_y).terrain[static_cast<std::size_t>(localIndex(anchor_x, anchor_y))];
    for (int y = anchor_y; y < y1; ++y) {
        for (int x = anchor_x; x < x1; ++x) {
            const std::uint8_t t = groundOf(snapshot, x, y).terrain[static_cast<std::size_t>(localIndex(x, y))];
            if (model.ground(t) > model.ground(dearest)) dearest = t;
        }
    }
    return dearest;
}

void compileElevation(const WorldSnapshot& snapshot, int size, ChunkCoord chunk, CostTile& out) {
    const ChunkGround& ground = snapshot.ground(chunk);
    const int offset = middleOffset(size);
    if (offset == 0 && ground.elevation == nullptr) {
        out.elevation_cm.assign(1, ground.flat_elevation_cm);
        out.elevation_mask = 0;
        return;
    }
    out.elevation_cm.resize(kChunkCells);
    out.elevation_mask = kChunkCells - 1;
    for (int y = 0; y < kChunkSize; ++y) {
        for (int x = 0; x < kChunkSize; ++x) {
            const int gx = std::min((chunk.x << kChunkShift) + x + offset, snapshot.width() - 1);
            const int gy = std::min((chunk.y << kChunkShift) + y + offset, snapshot.height() - 1);
            out.elevation_cm[static_cast<std::size_t>(localIndex(x, y))] = groundOf(snapshot, gx, gy).elevationCm(localIndex(gx, gy));
        }
    }
}

/// Units of one cell: every layer is read straight from its array.
void compileSingleCell(const WorldSnapshot& snapshot, const CostModel& model, ChunkCoord chunk, const CoverTile* cover,
                       const std::array<std::uint8_t, kChunkCells>* rings, CostTile& out) {
    const ChunkGround& ground = snapshot.ground(chunk);
    const CostKey& key = model.key();
    const ThreatChunk* threat = key.threat_weight != 0 ? snapshot.threat(key.side, chunk) : nullptr;
    const CongestionChunk* congestion = snapshot.congestion(chunk);
    for (std::size_t i = 0; i < kChunkCells; ++i) out.f[i] = static_cast<std::uint16_t>(model.ground(ground.terrain[i]));
    if (cover != nullptr) {
        std::array<std::uint16_t, kFullCover + 1> cover_price;
        std::array<std::uint16_t, kFullExposure + 1> exposure_price;
        for (int c = 0; c <= kFullCover; ++c) cover_price[static_cast<std::size_t>(c)] = static_cast<std::uint16_t>(model.cover(c));
        for (int e = 0; e <= kFullExposure; ++e) exposure_price[static_cast<std::size_t>(e)] = static_cast<std::uint16_t>(model.exposure(e));
        for (std::size_t i = 0; i < kChunkCells; ++i) {
            out.f[i] = static_cast<std::uint16_t>(out.f[i] + cover_price[cover->cover[i]] + exposure_price[cover->exposure[i]]);
        }
    }
    if (threat != nullptr) {
        const int width = kChunkSize >> threat->resolution_shift, shift = threat->resolution_shift;
        for (int y = 0; y < kChunkSize; ++y) {
            const std::uint16_t* values = threat->values.data() + static_cast<std::size_t>((y >> shift) * width);
            std::uint16_t* f = out.f.data() + static_cast<std::size_t>(y) * kChunkSize;
            for (int x = 0; x < kChunkSize; ++x) f[x] = static_cast<std::uint16_t>(f[x] + model.threat(values[x >> shift]));
        }
    }
    if (congestion != nullptr) {
        for (std::size_t i = 0; i < kChunkCells; ++i) out.f[i] = static_cast<std::uint16_t>(out.f[i] + congestion->value[i]);
    }
    if (rings != nullptr) {
        for (std::size_t i = 0; i < kChunkCells; ++i) out.f[i] = static_cast<std::uint16_t>(out.f[i] + model.wall((*rings)[i]));
    }
}

}  // namespace

CellTerms termsOf(const WorldSnapshot& snapshot, const CostModel& model, int anchor_x, int anchor_y, const CoverTile* cover, int wall_rings) {
    const CostKey& key = model.key();
    const int size = key.metric.profile.size;
    CellTerms terms;
    const std::uint8_t terrain = size == 1 ? groundOf(snapshot, anchor_x, anchor_y).terrain[static_cast<std::size_t>(localIndex(anchor_x, anchor_y))]
                                           : dearestTerrain(snapshot, model, anchor_x, anchor_y);
    terms.terrain = model.terrainTerm(terrain);
    terms.road = model.roadTerm(terrain);
    const int x = std::min(anchor_x + middleOffset(size), snapshot.width() - 1);
    const int y = std::min(anchor_y + middleOffset(size), snapshot.height() - 1);
    const ChunkCoord chunk{x >> kChunkShift, y >> kChunkShift};
    const auto local = static_cast<std::size_t>(localIndex(x, y));
    if (cover != nullptr) {
        terms.cover = model.cover(cover->cover[local]);
        terms.exposure = model.exposure(cover->exposure[local]);
    }
    if (key.threat_weight != 0) {
        const ThreatChunk* threat = snapshot.threat(key.side, chunk);
        if (threat != nullptr) terms.threat = model.threat(threat->at(x & (kChunkSize - 1), y & (kChunkSize - 1)));
    }
    const CongestionChunk* congestion = snapshot.congestion(chunk);
    if (congestion != nullptr) terms.congestion = congestion->value[local];
    terms.wall = model.wall(wall_rings);
    return terms;
}

void compileCostTile(const WorldSnapshot& snapshot, const CostModel& model, ChunkCoord chunk, CoverSource& cover, CostTile& out) {
    const Metric& metric = model.key().metric;
    const bool with_cover = model.pricesCover() && snapshot.state().has_cover;
    std::array<std::uint8_t, kChunkCells> rings;
    const bool with_walls = metric.wall_distance != 0;
    if (with_walls) compileWallRings(snapshot, metric.profile, chunk, metric.wall_distance, rings);

    const int offset = middleOffset(metric.profile.size);
    if (metric.profile.size == 1) {
        compileSingleCell(snapshot, model, chunk, with_cover ? cover.coverOf(chunk) : nullptr, with_walls ? &rings : nullptr, out);
    } else {
        for (int y = 0; y < kChunkSize; ++y) {
            for (int x = 0; x < kChunkSize; ++x) {
                const int gx = (chunk.x << kChunkShift) + x, gy = (chunk.y << kChunkShift) + y;
                const auto local = static_cast<std::size_t>(localIndex(x, y));
                if (gx >= snapshot.width() || gy >= snapshot.height()) {
                    out.f[local] = 100;
                    continue;
                }
                const ChunkCoord middle{std::min(gx + offset, snapshot.width() - 1) >> kChunkShift,
                                        std::min(gy + offset, snapshot.height() - 1) >> kChunkShift};
                const CoverTile* tile = with_cover ? cover.coverOf(middle) : nullptr;
                out.f[local] = static_cast<std::uint16_t>(termsOf(snapshot, model, gx, gy, tile, with_walls ? rings[local] : 0).f());
            }
        }
    }
    out.uniform = std::all_of(out.f.begin(), out.f.end(), [&](std::uint16_t f) { return f == out.f[0]; });
    out.elevation_cm.clear();
    if (model.pricesElevation()) compileElevation(snapshot, metric.profile.size, chunk, out);
}

}  // namespace warpath
