#include "warpath/grid/cost_tile.h"

#include <algorithm>
#include <bit>

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

/// Prices of the ground: one blend for each terrain type that occurs; where many do, each cell is looked up.
void priceGround(const ChunkGround& ground, const CostModel& model, std::uint16_t* __restrict f) {
    constexpr int kMostBlended = 8;
    const std::uint8_t* terrain = ground.terrain.data();
    if (ground.terrain_mask == 0 || std::popcount(ground.terrain_mask) > kMostBlended) {
        for (int i = 0; i < kChunkCells; ++i) f[i] = static_cast<std::uint16_t>(model.ground(terrain[i]));
        return;
    }
    for (int row = 0; row < kChunkCells; row += kChunkSize) {
        std::uint8_t low[kChunkSize] = {}, high[kChunkSize] = {};  // of the prices: blended in byte lanes
        for (std::uint64_t types = ground.terrain_mask; types != 0; types &= types - 1) {
            const auto type = static_cast<std::uint8_t>(std::countr_zero(types));
            const int price = model.ground(type);
            const auto price_low = static_cast<std::uint8_t>(price), price_high = static_cast<std::uint8_t>(price >> 8);
            for (int x = 0; x < kChunkSize; ++x) {
                const auto mask = static_cast<std::uint8_t>(terrain[row + x] == type ? 0xff : 0);
                low[x] = static_cast<std::uint8_t>(low[x] | (mask & price_low));
                high[x] = static_cast<std::uint8_t>(high[x] | (mask & price_high));
            }
        }
        for (int x = 0; x < kChunkSize; ++x) f[row + x] = static_cast<std::uint16_t>(low[x] | (high[x] << 8));
    }
}

/// Adds CostModel::cover and CostModel::exposure. Weights of up to 4.36 fit 16-bit lanes.
void addCover(const CoverTile& cover, const CostModel& model, std::uint16_t* __restrict f) {
    const Metric& metric = model.key().metric;
    if (cover.open) {
        const auto price = static_cast<std::uint16_t>(model.cover(0) + model.exposure(kFullExposure));
        for (int i = 0; i < kChunkCells; ++i) f[i] = static_cast<std::uint16_t>(f[i] + price);
        return;
    }
    constexpr std::uint16_t kMostScaled = 436;  // 5243 / 2^19 is a hundredth, exact below 43,690
    if (metric.cover_weight <= kMostScaled && metric.exposure_weight <= kMostScaled) {
        const std::uint16_t cover_weight = metric.cover_weight, exposure_weight = metric.exposure_weight;
        for (int i = 0; i < kChunkCells; ++i) {
            const auto uncovered = static_cast<std::uint16_t>(cover_weight * static_cast<std::uint16_t>(kFullCover - cover.cover[static_cast<std::size_t>(i)]) + 50);
            const auto seen = static_cast<std::uint16_t>(exposure_weight * cover.exposure[static_cast<std::size_t>(i)] + 8);
            const auto hundredth = static_cast<std::uint16_t>((std::uint32_t{uncovered} * 5243u) >> 16);
            f[i] = static_cast<std::uint16_t>(f[i] + static_cast<std::uint16_t>(hundredth >> 3) + static_cast<std::uint16_t>(seen >> 4));
        }
        return;
    }
    for (int i = 0; i < kChunkCells; ++i) {
        const auto at = static_cast<std::size_t>(i);
        f[i] = static_cast<std::uint16_t>(f[i] + model.cover(cover.cover[at]) + model.exposure(cover.exposure[at]));
    }
}

/// Adds CostModel::threat: each threat cell is priced once and spread over the cells it stands for.
void addThreat(const ThreatChunk& threat, const CostModel& model, std::uint16_t* __restrict f) {
    const int shift = threat.resolution_shift, width = kChunkSize >> shift;
    const std::uint32_t weight = model.key().threat_weight;
    std::uint16_t price[kChunkSize], line[kChunkSize];
    for (int row = 0; row < width; ++row) {
        const std::uint16_t* values = threat.values.data() + row * width;
        for (int i = 0; i < width; ++i) price[i] = static_cast<std::uint16_t>((weight * values[i] + kThreatOne / 2) / kThreatOne);
        if (shift == 1) {
            for (int i = 0; i < kChunkSize / 2; ++i) line[2 * i] = line[2 * i + 1] = price[i];
        } else {
            for (int x = 0; x < kChunkSize; ++x) line[x] = price[x >> shift];
        }
        for (int y = row << shift; y < (row + 1) << shift; ++y) {
            for (int x = 0; x < kChunkSize; ++x) f[y * kChunkSize + x] = static_cast<std::uint16_t>(f[y * kChunkSize + x] + line[x]);
        }
    }
}

/// Units of one cell: every layer is read straight from its array.
void compileSingleCell(const WorldSnapshot& snapshot, const CostModel& model, ChunkCoord chunk, const CoverTile* cover,
                       const std::array<std::uint8_t, kChunkCells>* rings, CostTile& out) {
    const CostKey& key = model.key();
    const ThreatChunk* threat = key.threat_weight != 0 ? snapshot.threat(key.side, chunk) : nullptr;
    const CongestionChunk* congestion = snapshot.congestion(chunk);
    priceGround(snapshot.ground(chunk), model, out.f.data());
    if (cover != nullptr) addCover(*cover, model, out.f.data());
    if (threat != nullptr) addThreat(*threat, model, out.f.data());
    if (congestion != nullptr) {
        for (std::size_t i = 0; i < kChunkCells; ++i) out.f[i] = static_cast<std::uint16_t>(out.f[i] + congestion->value[i]);
    }
    if (rings != nullptr) {
        for (std::size_t i = 0; i < kChunkCells; ++i) out.f[i] = static_cast<std::uint16_t>(out.f[i] + model.wall((*rings)[i]));
    }
}

bool isUniform(const std::array<std::uint16_t, kChunkCells>& f) {
    for (std::size_t row = 0; row < kChunkCells; row += kChunkSize) {
        std::uint16_t differs = 0;
        for (std::size_t x = 0; x < kChunkSize; ++x) differs = static_cast<std::uint16_t>(differs | (f[row + x] ^ f[0]));
        if (differs != 0) return false;
    }
    return true;
}

}  // namespace

Cell mostCovered(const WorldSnapshot& snapshot, CoverSource& cover, int anchor_x, int anchor_y, int size) {
    const int x1 = std::min(anchor_x + size, snapshot.width()), y1 = std::min(anchor_y + size, snapshot.height());
    Cell best{std::min(anchor_x + middleOffset(size), x1 - 1), std::min(anchor_y + middleOffset(size), y1 - 1)};
    if (size == 1) return best;
    int most = 0;
    // Chunk by chunk, so that a square over a corner asks for each once.
    for (int cy = anchor_y >> kChunkShift; cy <= (y1 - 1) >> kChunkShift; ++cy) {
        for (int cx = anchor_x >> kChunkShift; cx <= (x1 - 1) >> kChunkShift; ++cx) {
            const CoverTile* tile = cover.coverOf({cx, cy});
            if (tile == nullptr || tile->open) continue;
            const CellRect part = intersect({anchor_x, anchor_y, x1 - anchor_x, y1 - anchor_y}, {cx << kChunkShift, cy << kChunkShift, kChunkSize, kChunkSize});
            for (int y = part.y; y < part.y + part.height; ++y) {
                for (int x = part.x; x < part.x + part.width; ++x) {
                    const int here = tile->cover[static_cast<std::size_t>(localIndex(x, y))];
                    if (here < most || here == 0 || (here == most && (y > best.y || (y == best.y && x > best.x)))) continue;
                    most = here;
                    best = {x, y};
                }
            }
        }
    }
    return best;
}

UnitCover unitCover(const WorldSnapshot& snapshot, CoverSource& cover, int anchor_x, int anchor_y, int size) {
    const auto at = [&](Cell c) { return std::pair{cover.coverOf({c.x >> kChunkShift, c.y >> kChunkShift}), static_cast<std::size_t>(localIndex(c.x, c.y))}; };
    const Cell middle{std::min(anchor_x + middleOffset(size), snapshot.width() - 1), std::min(anchor_y + middleOffset(size), snapshot.height() - 1)};
    UnitCover out;
    if (const auto [tile, local] = at(middle); tile != nullptr) out = {tile->cover[local], tile->exposure[local]};
    if (size == 1) return out;
    if (const auto [tile, local] = at(mostCovered(snapshot, cover, anchor_x, anchor_y, size)); tile != nullptr) out.cover = tile->cover[local];
    return out;
}

CellTerms termsOf(const WorldSnapshot& snapshot, const CostModel& model, int anchor_x, int anchor_y, const UnitCover* cover, int wall_rings) {
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
        terms.cover = model.cover(cover->cover);
        terms.exposure = model.exposure(cover->exposure);
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
                const UnitCover covered = with_cover ? unitCover(snapshot, cover, gx, gy, metric.profile.size) : UnitCover{};
                out.f[local] = static_cast<std::uint16_t>(termsOf(snapshot, model, gx, gy, with_cover ? &covered : nullptr, with_walls ? rings[local] : 0).f());
            }
        }
    }
    out.uniform = isUniform(out.f);
    out.elevation_cm.clear();
    if (model.pricesElevation()) compileElevation(snapshot, metric.profile.size, chunk, out);
}

}  // namespace warpath
