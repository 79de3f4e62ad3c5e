// Compiles mobility profiles to bit rows and step masks. Everything works on whole rows of 64 cells: bit i of a window row is the cell at
// x = i - margin, so a shift by one is a step east.
#include "warpath/grid/move_tile.h"

#include <algorithm>
#include <cstring>

#include "grid/cell_bits.h"
#include "warpath/core/directions.h"
#include "warpath/grid/cost_model.h"
#include "warpath/grid/cost_tile.h"

namespace warpath {
namespace {

constexpr int kMaxMargin = 24;  // the largest unit (16 cells) and the farthest wall that costs (8)
constexpr int kMaxWindow = kChunkSize + 2 * kMaxMargin;

/// 128 cells of a row.
struct WideRow {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    void set(int i) { (i < 64 ? low : high) |= std::uint64_t{1} << (i & 63); }
    void clear(int i) { (i < 64 ? low : high) &= ~(std::uint64_t{1} << (i & 63)); }
    [[nodiscard]] WideRow shiftedDown(int n) const {  // 0 < n < 64
        return {(low >> n) | (high << (64 - n)), high >> n};
    }
    [[nodiscard]] WideRow shiftedUp(int n) const { return {low << n, (high << n) | (low >> (64 - n))}; }
    WideRow& operator|=(const WideRow& o) {
        low |= o.low;
        high |= o.high;
        return *this;
    }
    /// The 64 cells from bit i on.
    [[nodiscard]] std::uint64_t word(int i) const { return i == 0 ? low : (low >> i) | (high << (64 - i)); }
};

/// A chunk with `margin` cells of its neighbours around it; a set bit is a cell that blocks the profile.
struct BlockedWindow {
    int margin = 0;
    WideRow rows[kMaxWindow];
    [[nodiscard]] WideRow& row(int y) { return rows[y + margin]; }  // y from -margin to 63 + margin
};

/// Blocked bits of a chunk row, for the groups of eight cells from `first_group` to before `last_group`; the other bits are clear.
std::uint64_t blockedBits(const ChunkGround& ground, std::uint64_t passable, int row, int first_group, int last_group) {
    const std::uint64_t blocking = ground.terrain_mask & ~passable;
    if (blocking == 0 && !ground.has_obstacles) return 0;
    const std::uint8_t* terrain = ground.terrain.data() + static_cast<std::size_t>(row) * kChunkSize;
    const PackedObstacle* obstacle = ground.obstacle.data() + static_cast<std::size_t>(row) * kChunkSize;
    std::uint64_t bits = 0;
    for (int group = first_group; group < last_group; ++group) {
        std::uint64_t eight = ground.has_obstacles ? obstacleBits(obstacle + 8 * group) : 0;
        if (blocking != 0) eight |= terrainBits(terrain + 8 * group, blocking);
        bits |= eight << (8 * group);
    }
    return bits;
}

void fillWindow(const WorldSnapshot& snapshot, std::uint64_t passable, ChunkCoord chunk, int margin, bool outside_blocks, BlockedWindow& window) {
    window.margin = margin;
    const int base_y = chunk.y << kChunkShift;
    const int width = snapshot.width(), height = snapshot.height();
    for (int y = -margin; y < kChunkSize + margin; ++y) {
        WideRow& row = window.row(y);
        const int gy = base_y + y;
        if (gy < 0 || gy >= height) {
            row = outside_blocks ? WideRow{~std::uint64_t{0}, ~std::uint64_t{0}} : WideRow{};
            continue;
        }
        const int cy = gy >> kChunkShift, ly = gy & (kChunkSize - 1);
        const auto bits = [&](int cx, int first_group, int last_group) -> std::uint64_t {
            if (cx < 0 || cx >= snapshot.chunkColumns()) return outside_blocks ? ~std::uint64_t{0} : 0;
            std::uint64_t word = blockedBits(snapshot.ground({cx, cy}), passable, ly, first_group, last_group);
            const int valid = width - (cx << kChunkShift);  // the last column of chunks may reach over the edge
            if (valid < kChunkSize) {
                const std::uint64_t beyond = ~std::uint64_t{0} << valid;
                word = outside_blocks ? word | beyond : word & ~beyond;
            }
            return word;
        };
        const int side_groups = (margin + 7) / 8;
        const std::uint64_t left = bits(chunk.x - 1, 8 - side_groups, 8), centre = bits(chunk.x, 0, 8), right = bits(chunk.x + 1, 0, side_groups);
        row = WideRow{centre, right}.shiftedUp(margin);
        row.low |= left >> (64 - margin);
    }
}

/// Frees the cells of the exempt rectangles that only an obstacle blocks.
void applyExemptions(const WorldSnapshot& snapshot, std::uint64_t passable, ChunkCoord chunk, std::span<const CellRect> exempt, BlockedWindow& window) {
    const int base_x = chunk.x << kChunkShift, base_y = chunk.y << kChunkShift, m = window.margin;
    const CellRect reach{base_x - m, base_y - m, kChunkSize + 2 * m, kChunkSize + 2 * m};
    for (const CellRect& rect : exempt) {
        const CellRect inside = intersect(intersect(rect, reach), {0, 0, snapshot.width(), snapshot.height()});
        for (int y = inside.y; y < inside.y + inside.height; ++y) {
            for (int x = inside.x; x < inside.x + inside.width; ++x) {
                const ChunkGround& ground = snapshot.ground({x >> kChunkShift, y >> kChunkShift});
                const std::uint8_t terrain = ground.terrain[static_cast<std::size_t>(localIndex(x, y))];
                if (((passable >> terrain) & 1) != 0) window.row(y - base_y).clear(x - base_x + m);
            }
        }
    }
}

/// Grows blocked cells up and left by size - 1, so that a bit says "a unit anchored here hits something".
void growForSize(int size, BlockedWindow& window) {
    const int first = -window.margin, last = kChunkSize + window.margin - 1;
    for (int y = first; y <= last; ++y) {
        const WideRow base = window.row(y);
        for (int i = 1; i < size; ++i) window.row(y) |= base.shiftedDown(i);
    }
    for (int y = first; y <= last; ++y) {  // rows below y are still ungrown downwards
        for (int i = 1; i < size && y + i <= last; ++i) window.row(y) |= window.row(y + i);
    }
}

/// Turns eight rows of bits (one per direction) into 64 mask bytes.
void transposeToBytes(const std::uint64_t (&words)[kDirections], std::uint8_t* out) {
    std::uint64_t open = words[0];  // every step is legal
    for (int d = 1; d < kDirections; ++d) open &= words[d];
    for (int group = 0; group < 8; ++group) {
        if (((open >> (8 * group)) & 0xff) == 0xff) {
            std::memset(out + 8 * group, 0xff, 8);
            continue;
        }
        // An 8 x 8 bit matrix, row d = direction d, transposed (Warren, "Hacker's Delight", 2nd ed., section 7-3).
        std::uint64_t m = 0;
        for (int d = 0; d < kDirections; ++d) m |= ((words[d] >> (8 * group)) & 0xff) << (8 * d);
        std::uint64_t t = (m ^ (m >> 7)) & 0x00AA00AA00AA00AAull;
        m ^= t ^ (t << 7);
        t = (m ^ (m >> 14)) & 0x0000CCCC0000CCCCull;
        m ^= t ^ (t << 14);
        t = (m ^ (m >> 28)) & 0x00000000F0F0F0F0ull;
        m ^= t ^ (t << 28);
        for (int i = 0; i < 8; ++i) out[8 * group + i] = static_cast<std::uint8_t>(m >> (8 * i));
    }
}

/// True when every chunk around is flat at one height, so no slope limit can bite.
bool flatAround(const WorldSnapshot& snapshot, ChunkCoord chunk) {
    const ChunkGround& centre = snapshot.ground(chunk);
    for (int y = std::max(chunk.y - 1, 0); y <= std::min(chunk.y + 1, snapshot.chunkRows() - 1); ++y) {
        for (int x = std::max(chunk.x - 1, 0); x <= std::min(chunk.x + 1, snapshot.chunkColumns() - 1); ++x) {
            const ChunkGround& ground = snapshot.ground({x, y});
            if (ground.elevation != nullptr || ground.flat_elevation_cm != centre.flat_elevation_cm) return false;
        }
    }
    return true;
}

/// Clears the steps that are too steep up or down. Returns whether every step is as legal backwards as forwards.
bool applySlopes(const WorldSnapshot& snapshot, const MobilityProfile& profile, ChunkCoord chunk, MoveTile& out) {
    constexpr int kSide = kChunkSize + 2;
    std::int32_t height[kSide * kSide];
    const int offset = middleOffset(profile.size);
    const int base_x = (chunk.x << kChunkShift) + offset, base_y = (chunk.y << kChunkShift) + offset;
    for (int y = 0; y < kSide; ++y) {
        const int gy = std::clamp(base_y + y - 1, 0, snapshot.height() - 1);
        for (int x = 0; x < kSide; ++x) {
            const int gx = std::clamp(base_x + x - 1, 0, snapshot.width() - 1);
            height[y * kSide + x] = snapshot.ground({gx >> kChunkShift, gy >> kChunkShift}).elevationCm(localIndex(gx, gy));
        }
    }
    bool symmetric = true;
    for (int y = 0; y < kChunkSize; ++y) {
        for (int x = 0; x < kChunkSize; ++x) {
            const std::int32_t here = height[(y + 1) * kSide + x + 1];
            std::uint8_t& mask = out.moves[static_cast<std::size_t>(localIndex(x, y))];
            for (int d = 0; d < kDirections; ++d) {
                const std::int64_t rise = std::int64_t{height[(y + 1 + kStepY[d]) * kSide + x + 1 + kStepX[d]]} - here;
                const int diagonal = d & 1;
                const bool forward = rise <= profile.max_rise[diagonal] && -rise <= profile.max_drop[diagonal];
                const bool backward = -rise <= profile.max_rise[diagonal] && rise <= profile.max_drop[diagonal];
                symmetric = symmetric && forward == backward;
                if (!forward) mask = static_cast<std::uint8_t>(mask & ~(1u << d));
            }
        }
    }
    return symmetric;
}

}  // namespace

void compileMoveTile(const WorldSnapshot& snapshot, const MobilityProfile& profile, ChunkCoord chunk, std::span<const CellRect> exempt, MoveTile& out) {
    const std::uint64_t passable = passableTerrain(snapshot.rules(), profile);
    BlockedWindow window;
    fillWindow(snapshot, passable, chunk, profile.size + 1, true, window);
    if (!exempt.empty()) applyExemptions(snapshot, passable, chunk, exempt, window);
    if (profile.size > 1) growForSize(profile.size, window);

    const int m = window.margin;
    for (int y = 0; y < kChunkSize; ++y) {
        const auto free = [&](int dx, int dy) { return ~window.row(y + dy).word(m + dx); };
        out.free_rows[static_cast<std::size_t>(y)] = free(0, 0);
        std::uint64_t words[kDirections];
        for (int d = 0; d < kDirections; ++d) words[d] = free(kStepX[d], kStepY[d]);
        for (int d = 1; d < kDirections; d += 2) {
            const std::uint64_t one = words[d - 1], other = words[(d + 1) & 7];  // the two side cells of a diagonal
            switch (profile.diagonal) {
                case DiagonalRule::Strict: words[d] &= one & other; break;
                case DiagonalRule::One: words[d] &= one | other; break;
                case DiagonalRule::Never: words[d] = 0; break;
                case DiagonalRule::Always: break;
            }
        }
        transposeToBytes(words, out.moves.data() + static_cast<std::size_t>(y) * kChunkSize);
    }
    out.symmetric = true;
    if (profile.limitsSlope() && !flatAround(snapshot, chunk)) out.symmetric = applySlopes(snapshot, profile, chunk, out);
}

void compileWallRings(const WorldSnapshot& snapshot, const MobilityProfile& profile, ChunkCoord chunk, int reach,
                      std::array<std::uint8_t, kChunkCells>& rings) {
    rings.fill(0);
    BlockedWindow window;
    fillWindow(snapshot, passableTerrain(snapshot.rules(), profile), chunk, reach + profile.size, false, window);
    if (profile.size > 1) growForSize(profile.size, window);
    const int m = window.margin, first = -m, last = kChunkSize + m - 1;
    for (int ring = 1; ring <= reach; ++ring) {  // grow by one cell in all eight directions, note what is new
        BlockedWindow grown = window;
        for (int y = first; y <= last; ++y) {
            WideRow row = window.row(y);
            if (y > first) row |= window.row(y - 1);
            if (y < last) row |= window.row(y + 1);
            const WideRow west = row.shiftedDown(1), east = row.shiftedUp(1);
            row |= west;
            row |= east;
            grown.row(y) = row;
        }
        for (int y = 0; y < kChunkSize; ++y) {
            std::uint64_t fresh = grown.row(y).word(m) & ~window.row(y).word(m);
            for (; fresh != 0; fresh &= fresh - 1) {
                rings[static_cast<std::size_t>(localIndex(__builtin_ctzll(fresh), y))] = static_cast<std::uint8_t>(ring);
            }
        }
        window = grown;
    }
}

}  // namespace warpath
