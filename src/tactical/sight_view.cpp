#include "tactical/sight_view.h"

#include <algorithm>
#include <cstdlib>

namespace warpath::sight {
namespace {

/// Walks the cells that the segment from (0, 0) to (dx, dy) enters and the corners that it touches, |dy| >= |dx| after `steep` exchanged them.
/// `closes(x, y, at)` tells whether the cell closes a line whose height is taken at `at` / (2 * length) of the way.
template <class Closes>
bool clearLine(int dx, int dy, Closes&& closes) {
    const bool steep = std::abs(dy) >= std::abs(dx);
    const int length = steep ? std::abs(dy) : std::abs(dx);
    if (length <= 1 && (dx == 0 || dy == 0)) return true;
    const int across = steep ? std::abs(dx) : std::abs(dy);
    const int sign_along = (steep ? dy : dx) < 0 ? -1 : 1, sign_across = (steep ? dx : dy) < 0 ? -1 : 1;
    const auto closed = [&](int x, int y, int at) {  // x across, y along, both counted away from the start
        return steep ? closes(x * sign_across, y * sign_along, at) : closes(y * sign_along, x * sign_across, at);
    };
    bool left = false, right = false;
    // Between row y and row y + 1 the line lies at q + r / (2 length) - 1/2.
    int q = 0, r = across + length;
    if (r >= 2 * length) {
        r -= 2 * length;
        ++q;
    }
    for (int y = 0; y < length; ++y) {
        if (r != 0) {
            if (y > 0 && closed(q, y, 2 * y)) return false;
            if (y + 1 < length && closed(q, y + 1, 2 * y + 2)) return false;
        } else {  // through a corner: the cells entered are (q - 1, y) and (q, y + 1)
            if (y > 0 && closed(q - 1, y, 2 * y)) return false;
            if (y + 1 < length && closed(q, y + 1, 2 * y + 2)) return false;
            left = left || closed(q - 1, y + 1, 2 * y + 1);
            right = right || closed(q, y, 2 * y + 1);
            if (left && right) return false;
        }
        r += 2 * across;
        if (r >= 2 * length) {
            r -= 2 * length;
            ++q;
        }
    }
    return true;
}

/// Twice the top of what closes a line in a cell [half cm]: an obstacle's top, or just under bare ground.
std::int32_t topOf(std::int32_t ground_cm, PackedObstacle o) {
    return obstacleKind(o) != ObstacleKind::None ? 2 * (ground_cm + obstacleHeightCm(o)) : 2 * ground_cm - 1;
}

struct GroundReader {
    const WorldSnapshot& snapshot;

    [[nodiscard]] std::int32_t groundCm(int x, int y) const {
        x = std::clamp(x, 0, snapshot.width() - 1);
        y = std::clamp(y, 0, snapshot.height() - 1);
        return snapshot.ground({x >> kChunkShift, y >> kChunkShift}).elevationCm(localIndex(x, y));
    }
    [[nodiscard]] std::int32_t top(int x, int y) const {
        if (x < 0 || y < 0 || x >= snapshot.width() || y >= snapshot.height()) return 2 * groundCm(x, y) - 1;
        const ChunkGround& ground = snapshot.ground({x >> kChunkShift, y >> kChunkShift});
        return topOf(ground.elevationCm(localIndex(x, y)), ground.obstacle[static_cast<std::size_t>(localIndex(x, y))]);
    }
};

/// Whether a top closes a line that runs from `from` to `to` [half cm] at `at` of `whole`.
bool reaches(std::int32_t top, std::int32_t from, std::int32_t to, int at, int whole) {
    return std::int64_t{top} * whole >= std::int64_t{from} * (whole - at) + std::int64_t{to} * at;
}

/// Puts a chunk's rows (or columns) into a window. `along` is where the chunk begins within a line of the window, `over` its first line.
void put(const std::uint64_t* lines, int along, int over, BitWindow& out) {
    const int begin = std::max(0, -over), end = std::min(kChunkSize, out.side() - over);
    const int shift = along & 63, word = along >> 6;  // floored when the chunk begins before the window
    const auto words = static_cast<std::size_t>(out.words);
    std::uint64_t* target = out.bits.data() + static_cast<std::size_t>(over + begin) * words;
    for (int i = begin; i < end; ++i, target += words) {
        if (lines[i] == 0) continue;
        if (word >= 0) target[word] |= lines[i] << shift;
        if (shift != 0 && word + 1 < out.words) target[word + 1] |= lines[i] >> (64 - shift);
    }
}

/// Fills the windows of the closing cells, a row of chunks at a time. Map borders need no care: nothing stands beyond. @return whether all is filled.
bool fillBits(ViewScratch& s, std::int64_t& left) {
    const int reach = s.radius + 1;
    const int first_x = std::max(s.x - reach, 0) >> kChunkShift, last_x = std::min(s.x + reach, s.snapshot.width() - 1) >> kChunkShift;
    const int first_y = std::max(s.y - reach, 0) >> kChunkShift, last_y = std::min(s.y + reach, s.snapshot.height() - 1) >> kChunkShift;
    s.cache.prepare(s.snapshot, s.ends.eye);
    for (; first_y + s.line <= last_y; ++s.line) {
        if (left <= 0) return false;
        const int cy = first_y + s.line;
        for (int cx = first_x; cx <= last_x; ++cx) {
            left -= kChunkSize;
            const ClosingBits* bits = s.cache.bits(s.snapshot, {cx, cy});
            if (bits == nullptr) continue;
            s.any = true;
            const int west = cx * kChunkSize - (s.x - reach), north = cy * kChunkSize - (s.y - reach);
            put(bits->rows, west, north, s.rows);
            put(bits->columns, north, west, s.columns);
        }
    }
    return true;
}

bool isLevel(const WorldSnapshot& snapshot, int x, int y, int reach) {
    const int first_x = std::clamp(x - reach, 0, snapshot.width() - 1) >> kChunkShift, last_x = std::clamp(x + reach, 0, snapshot.width() - 1) >> kChunkShift;
    const int first_y = std::clamp(y - reach, 0, snapshot.height() - 1) >> kChunkShift, last_y = std::clamp(y + reach, 0, snapshot.height() - 1) >> kChunkShift;
    const std::int32_t height = snapshot.ground({first_x, first_y}).flat_elevation_cm;
    for (int cy = first_y; cy <= last_y; ++cy) {
        for (int cx = first_x; cx <= last_x; ++cx) {
            const ChunkGround& ground = snapshot.ground({cx, cy});
            if (ground.elevation != nullptr || ground.flat_elevation_cm != height) return false;
        }
    }
    return true;
}

/// The general case: heights of the ground, or of the two ends, differ.
void beginHeights(ViewScratch& s) {
    const GroundReader reader{s.snapshot};
    HeightWindow& window = s.heights;
    window.radius = s.radius;
    window.extents = s.extents;
    window.eye = 2 * (reader.groundCm(s.x, s.y) + s.ends.eye);
    window.target = 2 * s.ends.target;
    window.makeRoom();
}

bool fillHeights(ViewScratch& s, std::int64_t& left) {
    const WorldSnapshot& snapshot = s.snapshot;
    HeightWindow& window = s.heights;
    const int stride = window.stride(), rows = s.extents.north + s.extents.south + 1;
    for (; s.line < rows; ++s.line) {
        if (left <= 0) return false;
        left -= 2 * stride;
        const int row = s.y - s.extents.north + s.line, row_inside = std::clamp(row, 0, snapshot.height() - 1);
        const bool beyond = row != row_inside;
        for (int i = 0; i < stride;) {  // stretches of one chunk, or of cells beyond the map that repeat its border
            const int column = s.x - s.extents.west + i, column_inside = std::clamp(column, 0, snapshot.width() - 1);
            int end = stride;
            if (column < 0) end = std::min(stride, i - column);
            else if (column == column_inside) end = std::min({stride, i + kChunkSize - (column & (kChunkSize - 1)), i + snapshot.width() - column});
            const ChunkGround& ground = snapshot.ground({column_inside >> kChunkShift, row_inside >> kChunkShift});
            const int step = column == column_inside ? 1 : 0;
            int local = localIndex(column_inside, row_inside);
            for (; i < end; ++i, local += step) {
                const auto k = static_cast<std::size_t>(s.line * stride + i);
                const std::int32_t height = ground.elevationCm(local);
                window.grounds[k] = 2 * height;
                window.tops[k] = beyond || step == 0 ? 2 * height - 1 : topOf(height, ground.obstacle[static_cast<std::size_t>(local)]);
            }
        }
    }
    return true;
}

}  // namespace

void ClosingCache::prepare(const WorldSnapshot& snapshot, int height_cm) {
    const auto count = static_cast<std::size_t>(snapshot.chunkColumns()) * static_cast<std::size_t>(snapshot.chunkRows());
    if (snapshot.state().world_id == world_id_ && height_cm == height_cm_ && kept_ <= kLimit) return;
    chunks_.clear();
    chunks_.resize(count);
    kept_ = 0;
    world_id_ = snapshot.state().world_id;
    height_cm_ = height_cm;
}

const ClosingBits* ClosingCache::bits(const WorldSnapshot& snapshot, ChunkCoord chunk) {
    const ChunkGround& ground = snapshot.ground(chunk);
    if (!ground.has_obstacles) return nullptr;
    std::unique_ptr<ClosingBits>& entry = chunks_[static_cast<std::size_t>(chunk.y * snapshot.chunkColumns() + chunk.x)];
    if (entry != nullptr && entry->revision == ground.revision) return entry->any ? entry.get() : nullptr;
    if (entry == nullptr) {
        entry = std::make_unique<ClosingBits>();
        ++kept_;
    }
    entry->revision = ground.revision;
    std::fill(std::begin(entry->columns), std::end(entry->columns), 0);
    entry->any = false;
    for (int y = 0; y < kChunkSize; ++y) {
        const PackedObstacle* line = ground.obstacle.data() + y * kChunkSize;
        std::uint64_t row = 0;
        for (int x = 0; x < kChunkSize; ++x) {
            const bool closing = obstacleKind(line[x]) != ObstacleKind::None && obstacleHeightCm(line[x]) >= height_cm_;
            row |= std::uint64_t{closing} << x;
        }
        entry->rows[y] = row;
        entry->any = entry->any || row != 0;
        for (std::uint64_t rest = row; rest != 0; rest &= rest - 1) {
            entry->columns[__builtin_ctzll(rest)] |= std::uint64_t{1} << y;
        }
    }
    return entry->any ? entry.get() : nullptr;
}

Extents extentsOf(const WorldSnapshot& snapshot, int x, int y, int radius) {
    constexpr int kCoarsest = 8;
    const int last_x = (snapshot.width() + kCoarsest - 1) / kCoarsest * kCoarsest - 1, last_y = (snapshot.height() + kCoarsest - 1) / kCoarsest * kCoarsest - 1;
    const auto within = [&](int cells) { return std::clamp(cells, 0, radius); };
    return {within(x), within(y), within(last_x - x), within(last_y - y)};
}

void beginView(const WorldSnapshot& snapshot, int x, int y, int radius, HeightsCm heights, ViewScratch& scratch) {
    scratch.snapshot = snapshot;
    scratch.x = x;
    scratch.y = y;
    scratch.radius = radius;
    scratch.ends = heights;
    scratch.extents = extentsOf(snapshot, x, y, radius);
    scratch.line = 0;
    scratch.any = scratch.sees_all = false;
    if (heights.eye != heights.target || !isLevel(snapshot, x, y, radius + 1)) {
        beginHeights(scratch);
        scratch.stage = ViewScratch::Stage::FillHeights;
    } else {
        scratch.rows.reset(radius);
        scratch.columns.reset(radius);
        scratch.stage = ViewScratch::Stage::FillBits;
    }
}

bool continueView(ViewScratch& s, BitWindow& out, std::int64_t& left) {
    using Stage = ViewScratch::Stage;
    if (s.stage == Stage::FillBits && fillBits(s, left)) {
        if (s.any && std::any_of(s.rows.bits.begin(), s.rows.bits.end(), [](std::uint64_t word) { return word != 0; })) {
            beginShadows(s.rows, s.shadows, out);
            s.stage = Stage::Shadows;
        } else {
            out.reset(s.radius);
            std::fill(out.bits.begin(), out.bits.end(), ~std::uint64_t{0});
            s.sees_all = true;
            s.stage = Stage::None;
        }
    }
    if (s.stage == Stage::FillHeights && fillHeights(s, left)) {
        beginHorizons(s.heights, s.horizons, out);
        s.stage = Stage::Horizons;
    }
    if (s.stage == Stage::Shadows && continueShadows(s.rows, s.columns, s.extents, s.shadows, out, left)) s.stage = Stage::None;
    if (s.stage == Stage::Horizons && continueHorizons(s.heights, s.horizons, out, left)) s.stage = Stage::None;
    if (s.stage != Stage::None) return false;
    s.snapshot = WorldSnapshot{};
    return true;
}

bool view(const WorldSnapshot& snapshot, int x, int y, int radius, HeightsCm heights, ViewScratch& scratch, BitWindow& out) {
    std::int64_t left = INT64_MAX;
    beginView(snapshot, x, y, radius, heights, scratch);
    while (!continueView(scratch, out, left)) {}
    return scratch.sees_all;
}

bool line(const WorldSnapshot& snapshot, int x0, int y0, int x1, int y1, HeightsCm heights) {
    const GroundReader reader{snapshot};
    const std::int32_t from = 2 * (reader.groundCm(x0, y0) + heights.eye), to = 2 * (reader.groundCm(x1, y1) + heights.target);
    const int dx = x1 - x0, dy = y1 - y0, whole = 2 * std::max(std::abs(dx), std::abs(dy));
    return clearLine(dx, dy, [&](int ox, int oy, int part) { return reaches(reader.top(x0 + ox, y0 + oy), from, to, part, whole); });
}

}  // namespace warpath::sight
