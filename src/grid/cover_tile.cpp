#include "warpath/grid/cover_tile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "warpath/core/directions.h"

namespace warpath {
namespace {

constexpr int kMaxRadius = 16;                          // limit of CoverRules::detection_radius [cells]
constexpr int kPad = 8;                                 // margin of the cover keys, so that rows stay aligned (only 1 is needed)
constexpr int kKeyWidth = kChunkSize + 2 * kPad;
constexpr int kRays = 16;

// The cells that a ray along (1,0), (1,1) or (2,1) enters, one period; longer rays repeat it shifted by the last cell.
struct Step {
    std::int8_t x, y;
};
constexpr Step kStraight[] = {{1, 0}};
constexpr Step kDiagonal[] = {{1, 1}};
constexpr Step kKnight[] = {{1, 0}, {1, 1}, {2, 1}};

/// Offsets of the cells that each of the 16 rays enters within the radius.
struct RayTable {
    int radius = 0;  // [whole cells]
    int begin[kRays + 1] = {};
    Step cells[kRays * 2 * kMaxRadius] = {};
};

RayTable makeRays(int radius_cm) {
    RayTable table;
    table.radius = radius_cm / 100;
    int count = 0;
    for (int ray = 0; ray < kRays; ++ray) {
        table.begin[ray] = count;
        // Ray r lies in octant r / 2; even rays are steps, odd ones the knight's move after them.
        const int octant = ray / 2;
        const Step* period = ray % 2 != 0 ? kKnight : (octant % 2 == 0 ? kStraight : kDiagonal);
        const int length = ray % 2 != 0 ? 3 : 1;
        for (int i = 0;; ++i) {
            const int turns = i / length;
            int x = period[i % length].x + turns * period[length - 1].x, y = period[i % length].y + turns * period[length - 1].y;
            if ((x * x + y * y) * 10'000 > radius_cm * radius_cm) break;
            // Base rays: 0 (1,0), 1 (2,1), 2 (1,1), 3 (1,2); the others are these turned by quarters.
            if (ray % 4 == 3) std::swap(x, y);
            for (int quarter = ray / 4; quarter > 0; --quarter) {
                const int turned = -y;
                y = x;
                x = turned;
            }
            table.cells[count++] = {static_cast<std::int8_t>(x), static_cast<std::int8_t>(y)};
        }
    }
    table.begin[kRays] = count;
    return table;
}

int toCentimetres(float metres) { return static_cast<int>(std::floor(metres * 100.0f + 0.5f)); }

/// What closes sight and gives cover, from the rules.
struct Limits {
    int eye_cm;
    int full_cm;
    std::uint64_t closing_terrains;
};

bool closesSight(const ChunkGround& ground, std::size_t i, const Limits& limits) {
    const PackedObstacle o = ground.obstacle[i];
    return (obstacleKind(o) != ObstacleKind::None && obstacleHeightCm(o) >= limits.eye_cm) ||
           ((limits.closing_terrains >> ground.terrain[i]) & 1) != 0;
}

/// Cover in hundredths in the bits above 6, kind in the lowest three; 0 where the obstacle gives none.
std::uint16_t coverKey(PackedObstacle o, const Limits& limits) {
    if (obstacleKind(o) == ObstacleKind::None) return 0;
    const int cover = std::min(kFullCover, (obstacleHeightCm(o) * 100 + limits.full_cm / 2) / limits.full_cm);
    if (cover == 0) return 0;
    return static_cast<std::uint16_t>((cover << 6) | static_cast<int>(obstacleKind(o)));
}

struct Neighbourhood {
    const ChunkGround* ground[3][3];  // [dy + 1][dx + 1], null outside the map
};

void compileCover(const Neighbourhood& near, const Limits& limits, CoverTile& out) {
    std::uint16_t keys[kChunkSize + 2][kKeyWidth] = {};
    for (int y = -1; y <= kChunkSize; ++y) {
        const int cy = y < 0 ? 0 : (y < kChunkSize ? 1 : 2);
        for (int cx = 0; cx < 3; ++cx) {
            const ChunkGround* ground = near.ground[cy][cx];
            if (ground == nullptr || !ground->has_obstacles) continue;
            const int x0 = cx == 0 ? -1 : (cx == 1 ? 0 : kChunkSize), x1 = cx == 0 ? -1 : (cx == 1 ? kChunkSize - 1 : kChunkSize);
            for (int x = x0; x <= x1; ++x) {
                keys[y + 1][x + kPad] = coverKey(ground->obstacle[static_cast<std::size_t>(localIndex(x, y))], limits);
            }
        }
    }
    for (int y = 0; y < kChunkSize; ++y) {
        for (int x = 0; x < kChunkSize; ++x) {
            unsigned best = 0, directions = 0;
            for (int d = 0; d < kDirections; ++d) {
                const unsigned key = keys[y + 1 + kStepY[d]][x + kPad + kStepX[d]];
                if (key == 0) continue;
                directions |= 1u << d;
                best = std::max(best, key | static_cast<unsigned>((7 - d) << 3));  // equals: the first direction
            }
            const auto i = static_cast<std::size_t>(localIndex(x, y));
            out.cover[i] = static_cast<std::uint8_t>(best >> 6);
            out.directions[i] = static_cast<std::uint8_t>(directions);
            out.kind[i] = static_cast<std::uint8_t>(best & 7);
        }
    }
}

}  // namespace

void compileCoverTile(const WorldSnapshot& snapshot, ChunkCoord chunk, CoverTile& out) {
    const CoverRules& rules = snapshot.rules().cover;
    Limits limits{toCentimetres(rules.eye_height), toCentimetres(rules.full_height), 0};
    for (std::size_t t = 0; t < snapshot.rules().terrain_types.size(); ++t) {
        if (snapshot.rules().terrain_types[t].closes_sight) limits.closing_terrains |= std::uint64_t{1} << t;
    }
    Neighbourhood near{};
    bool obstacles = false, closing = false;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            const ChunkCoord c{chunk.x + dx, chunk.y + dy};
            if (c.x < 0 || c.y < 0 || c.x >= snapshot.chunkColumns() || c.y >= snapshot.chunkRows()) continue;
            const ChunkGround& ground = snapshot.ground(c);
            near.ground[dy + 1][dx + 1] = &ground;
            obstacles |= ground.has_obstacles;
            closing |= (ground.terrain_mask & limits.closing_terrains) != 0;
        }
    }
    out.open = !obstacles && !closing;
    if (obstacles) {
        compileCover(near, limits, out);
    } else {
        out.cover.fill(0);
        out.directions.fill(0);
        out.kind.fill(static_cast<std::uint8_t>(ObstacleKind::None));
    }
    if (out.open) {
        out.exposure.fill(kFullExposure);
        return;
    }
    const RayTable rays = makeRays(toCentimetres(rules.detection_radius));
    const int left = chunk.x << kChunkShift, top = chunk.y << kChunkShift;
    const auto closed = [&](int x, int y) {
        if (left + x < 0 || top + y < 0 || left + x >= snapshot.width() || top + y >= snapshot.height()) return false;
        const ChunkGround& ground = *near.ground[(y >> kChunkShift) + 1][(x >> kChunkShift) + 1];
        return closesSight(ground, static_cast<std::size_t>(localIndex(x, y)), limits);
    };
    for (int y = 0; y < kChunkSize; ++y) {
        for (int x = 0; x < kChunkSize; ++x) {
            int open = 0;
            for (int ray = 0; ray < kRays; ++ray) {
                bool free = true;
                for (int i = rays.begin[ray]; i < rays.begin[ray + 1] && free; ++i) free = !closed(x + rays.cells[i].x, y + rays.cells[i].y);
                open += free ? 1 : 0;
            }
            out.exposure[static_cast<std::size_t>(localIndex(x, y))] = static_cast<std::uint8_t>(open);
        }
    }
}

}  // namespace warpath
