#include "warpath/grid/cover_tile.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "grid/cell_bits.h"
#include "warpath/core/directions.h"

namespace warpath {
namespace {

constexpr int kMaxRadius = 16;  // limit of CoverRules::detection_radius [cells]
constexpr int kRays = 16;
constexpr int kMaxRows = kChunkSize + 2 * kMaxRadius;  // of the chunk and the margins above and below
constexpr int kKeyMargin = 8;                          // columns beside the chunk's cover keys: 1 is needed, 8 keep the rows aligned
constexpr int kKeyWidth = kChunkSize + 2 * kKeyMargin;

/// The bytes 1 or 0 for the bits of a byte, in the order of memory on any machine.
constexpr std::array<std::array<std::uint8_t, 8>, 256> makeSpread() {
    std::array<std::array<std::uint8_t, 8>, 256> spread{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        for (unsigned bit = 0; bit < 8; ++bit) spread[byte][bit] = static_cast<std::uint8_t>((byte >> bit) & 1);
    }
    return spread;
}
constexpr auto kSpread = makeSpread();

int toCentimetres(float metres) { return static_cast<int>(std::floor(metres * 100.0f + 0.5f)); }

/// What closes sight and gives cover, from the rules.
struct Limits {
    int eye_cm;
    int full_cm;
    int radius_cm;
    std::uint64_t closing_terrains;
};

struct Neighbourhood {
    const ChunkGround* ground[3][3];  // [dy + 1][dx + 1], null outside the map
};

/// Cover in hundredths in the bits above 6, kind in the lowest three; 0 where the obstacle gives none.
std::uint16_t coverKey(PackedObstacle o, const Limits& limits) {
    if (obstacleKind(o) == ObstacleKind::None) return 0;
    const int height = obstacleHeightCm(o);
    const int cover = height >= limits.full_cm ? kFullCover : (height * 100 + limits.full_cm / 2) / limits.full_cm;
    return cover == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>((cover << 6) | static_cast<int>(obstacleKind(o)));
}

/// Keys of one row of the chunk and of the columns beside it; false when all are 0.
bool keysOfRow(const Neighbourhood& near, int y, const Limits& limits, std::uint16_t* keys) {
    std::memset(keys, 0, kKeyWidth * sizeof(std::uint16_t));
    const ChunkGround* const* row = near.ground[y < 0 ? 0 : (y < kChunkSize ? 1 : 2)];
    unsigned any = 0;
    if (row[0] != nullptr) any |= keys[kKeyMargin - 1] = coverKey(row[0]->obstacle[static_cast<std::size_t>(localIndex(-1, y))], limits);
    if (row[2] != nullptr) any |= keys[kKeyMargin + kChunkSize] = coverKey(row[2]->obstacle[static_cast<std::size_t>(localIndex(0, y))], limits);
    if (row[1] == nullptr || !row[1]->has_obstacles) return any != 0;
    const PackedObstacle* obstacles = row[1]->obstacle.data() + localIndex(0, y);
    for (int x = 0; x < kChunkSize; x += 4) {
        std::uint64_t four;
        std::memcpy(&four, obstacles + x, sizeof four);
        if (four == 0) continue;
        for (int i = x; i < x + 4; ++i) any |= keys[kKeyMargin + i] = coverKey(obstacles[i], limits);
    }
    return any != 0;
}

/// The key with the mark of its direction, so that of equals the first wins; 0 stays 0 but for the mark, which is below every cover.
template <int kDirection>
int marked(const std::uint16_t* const (&rows)[3], int x) {
    return rows[1 + kStepY[kDirection]][kKeyMargin + x + kStepX[kDirection]] + ((7 - kDirection) << 3);
}

void compileCover(const Neighbourhood& near, const Limits& limits, CoverTile& out) {
    std::uint16_t keys[3][kKeyWidth];
    bool any[3] = {keysOfRow(near, -1, limits, keys[0]), keysOfRow(near, 0, limits, keys[1]), false};
    for (int y = 0; y < kChunkSize; ++y) {
        any[(y + 2) % 3] = keysOfRow(near, y + 1, limits, keys[(y + 2) % 3]);
        std::uint8_t* cover = out.cover.data() + y * kChunkSize;
        std::uint8_t* directions = out.directions.data() + y * kChunkSize;
        std::uint8_t* kind = out.kind.data() + y * kChunkSize;
        if (!any[0] && !any[1] && !any[2]) {
            std::memset(cover, 0, kChunkSize);
            std::memset(directions, 0, kChunkSize);
            std::memset(kind, 0, kChunkSize);
            continue;
        }
        const std::uint16_t* const rows[3] = {keys[y % 3], keys[(y + 1) % 3], keys[(y + 2) % 3]};
        for (int x = 0; x < kChunkSize; ++x) {  // 16-bit lanes throughout: keys stay below 2^13
            const auto key = [&](auto direction) { return static_cast<std::int16_t>(marked<direction()>(rows, x)); };
            const auto larger = [](std::int16_t a, std::int16_t b) { return a > b ? a : b; };
            const auto flag = [](std::int16_t k, int direction) { return static_cast<std::int16_t>(k >= 64 ? 1 << direction : 0); };
            const std::int16_t k0 = key(std::integral_constant<int, 0>{}), k1 = key(std::integral_constant<int, 1>{});
            const std::int16_t k2 = key(std::integral_constant<int, 2>{}), k3 = key(std::integral_constant<int, 3>{});
            const std::int16_t k4 = key(std::integral_constant<int, 4>{}), k5 = key(std::integral_constant<int, 5>{});
            const std::int16_t k6 = key(std::integral_constant<int, 6>{}), k7 = key(std::integral_constant<int, 7>{});
            const std::int16_t best = larger(larger(larger(k0, k1), larger(k2, k3)), larger(larger(k4, k5), larger(k6, k7)));
            cover[x] = static_cast<std::uint8_t>(best >> 6);
            kind[x] = static_cast<std::uint8_t>(best & 7);
            directions[x] = static_cast<std::uint8_t>(flag(k0, 0) | flag(k1, 1) | flag(k2, 2) | flag(k3, 3) | flag(k4, 4) | flag(k5, 5) |
                                                      flag(k6, 6) | flag(k7, 7));
        }
    }
}

/// Bits of the cells of one row of a chunk that close sight, for the groups of eight cells from `first_group` to before `last_group` at least.
std::uint64_t closingRow(const ChunkGround& ground, int y, const Limits& limits, int first_group, int last_group) {
    std::uint64_t bits = 0;
    if (ground.has_obstacles) {
        const PackedObstacle* obstacles = ground.obstacle.data() + localIndex(0, y);
        for (int x = 8 * first_group; x < 8 * last_group; x += 4) {
            if (loadWord(obstacles + x) == 0) continue;
            for (int i = x; i < x + 4; ++i) {
                const bool closing = obstacleKind(obstacles[i]) != ObstacleKind::None && obstacleHeightCm(obstacles[i]) >= limits.eye_cm;
                bits |= std::uint64_t{closing} << i;
            }
        }
    }
    const std::uint64_t closing_here = ground.terrain_mask & limits.closing_terrains;
    if (closing_here == ground.terrain_mask) return ~std::uint64_t{0};
    if (closing_here != 0) {
        const std::uint8_t* terrain = ground.terrain.data() + localIndex(0, y);
        for (int group = first_group; group < last_group; ++group) bits |= terrainBits(terrain + 8 * group, closing_here) << (8 * group);
    }
    return bits;
}

/// Closing cells around a chunk, as unions that the rays are made of: `at(dx)[y]` is row y of the chunk's columns seen dx further east.
struct ShiftedRows {
    std::uint64_t shifted[2 * kMaxRadius + 1][kMaxRows];
    std::uint64_t any = 0;

    [[nodiscard]] const std::uint64_t* at(int dx, int dy) const { return shifted[dx + kMaxRadius] + kMaxRadius + dy; }
};

void shiftRows(const Neighbourhood& near, const Limits& limits, int left, int top, int width, int height, int reach, ShiftedRows& out) {
    const int beside = (reach + 7) / 8;  // groups of the neighbours' rows that the rays see
    for (int y = -reach; y < kChunkSize + reach; ++y) {
        std::uint64_t words[3] = {};
        if (top + y >= 0 && top + y < height) {
            const ChunkGround* const* row = near.ground[y < 0 ? 0 : (y < kChunkSize ? 1 : 2)];
            for (int k = 0; k < 3; ++k) {
                const int first = left + (k - 1) * kChunkSize;
                if (row[k] == nullptr) continue;
                words[k] = closingRow(*row[k], y, limits, k == 0 ? 8 - beside : 0, k == 2 ? beside : 8);
                if (first + kChunkSize > width) words[k] &= ~std::uint64_t{0} >> (first + kChunkSize - width);  // the last chunk may be cut
            }
        }
        out.any |= words[0] | words[1] | words[2];
        const int i = y + kMaxRadius;
        out.shifted[kMaxRadius][i] = words[1];
        for (int dx = 1; dx <= reach; ++dx) {
            out.shifted[kMaxRadius + dx][i] = (words[1] >> dx) | (words[2] << (64 - dx));
            out.shifted[kMaxRadius - dx][i] = (words[1] << dx) | (words[0] >> (64 - dx));
        }
    }
}

/// Adds to `closed` the rows moved by an offset.
void include(const ShiftedRows& rows, int dx, int dy, std::uint64_t* closed) {
    const std::uint64_t* from = rows.at(dx, dy);
    for (int y = 0; y < kChunkSize; ++y) closed[y] |= from[y];
}

/// The cells of the chunk from which ray `ray` is closed. Even rays are the eight steps in their order, odd ones the knight's moves after them.
void closedCells(const ShiftedRows& rows, int ray, int radius_cm, std::uint64_t* closed) {
    std::fill(closed, closed + kChunkSize, std::uint64_t{0});
    const auto within = [&](int x, int y) { return (x * x + y * y) * 10'000 <= radius_cm * radius_cm; };
    const int d = ray / 2;
    if (ray % 2 != 0) {
        // Between a straight and a diagonal step: enters straight, diagonal, straight + diagonal, and so on from there.
        const int straight = d % 2 == 0 ? d : (d + 1) & 7, diagonal = d % 2 == 0 ? d + 1 : d;
        for (int turn = 0;; ++turn) {
            const int x = turn * (kStepX[straight] + kStepX[diagonal]), y = turn * (kStepY[straight] + kStepY[diagonal]);
            const int ends[3][2] = {{x + kStepX[straight], y + kStepY[straight]},
                                    {x + kStepX[diagonal], y + kStepY[diagonal]},
                                    {x + kStepX[straight] + kStepX[diagonal], y + kStepY[straight] + kStepY[diagonal]}};
            for (const auto& [ex, ey] : ends) {
                if (!within(ex, ey)) return;  // what follows is farther away
                include(rows, ex, ey, closed);
            }
        }
    }
    std::uint64_t left[kChunkSize] = {}, right[kChunkSize] = {};  // corners touched by a diagonal ray
    for (int i = 1; within(i * kStepX[d], i * kStepY[d]); ++i) {
        const int x = i * kStepX[d], y = i * kStepY[d];
        include(rows, x, y, closed);
        if (!isDiagonal(d)) continue;
        include(rows, x - kStepX[d], y, left);
        include(rows, x, y - kStepY[d], right);
    }
    for (int y = 0; y < kChunkSize; ++y) closed[y] |= left[y] & right[y];
}

void compileExposure(const ShiftedRows& rows, int radius_cm, CoverTile& out) {
    std::uint64_t ones[kChunkSize] = {}, twos[kChunkSize] = {}, fours[kChunkSize] = {}, eights[kChunkSize] = {}, sixteens[kChunkSize] = {};
    std::uint64_t closed[kChunkSize];
    for (int ray = 0; ray < kRays; ++ray) {
        closedCells(rows, ray, radius_cm, closed);
        for (int y = 0; y < kChunkSize; ++y) {  // counts in bit slices
            std::uint64_t carry = ~closed[y], next = ones[y] & carry;
            ones[y] ^= carry;
            carry = next;
            next = twos[y] & carry;
            twos[y] ^= carry;
            carry = next;
            next = fours[y] & carry;
            fours[y] ^= carry;
            carry = next;
            next = eights[y] & carry;
            eights[y] ^= carry;
            sixteens[y] |= next;
        }
    }
    for (int y = 0; y < kChunkSize; ++y) {
        for (int x = 0; x < kChunkSize; x += 8) {
            const auto bytes = [x](std::uint64_t slice) {
                std::uint64_t eight;
                std::memcpy(&eight, kSpread[(slice >> x) & 255].data(), sizeof eight);
                return eight;
            };
            const std::uint64_t eight = bytes(ones[y]) + (bytes(twos[y]) << 1) + (bytes(fours[y]) << 2) + (bytes(eights[y]) << 3) +
                                        (bytes(sixteens[y]) << 4);  // bytes never carry: none exceeds 16
            std::memcpy(out.exposure.data() + localIndex(x, y), &eight, sizeof eight);
        }
    }
}

}  // namespace

void compileCoverTile(const WorldSnapshot& snapshot, ChunkCoord chunk, CoverTile& out) {
    const CoverRules& rules = snapshot.rules().cover;
    Limits limits{toCentimetres(rules.eye_height), toCentimetres(rules.full_height), toCentimetres(rules.detection_radius), 0};
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
    ShiftedRows rows;
    shiftRows(near, limits, chunk.x << kChunkShift, chunk.y << kChunkShift, snapshot.width(), snapshot.height(), limits.radius_cm / 100, rows);
    if (rows.any == 0) {
        out.exposure.fill(kFullExposure);
    } else {
        compileExposure(rows, limits.radius_cm, out);
    }
}

}  // namespace warpath
