#include "warpath/grid/nearest_cells.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpath {
namespace {

/// Between two stretches of whole numbers; 0 when they meet.
std::int64_t gap(std::int64_t low, std::int64_t high, std::int64_t from, std::int64_t to) { return std::max({from - high, low - to, std::int64_t{0}}); }

/// Places of one chunk (of the plane, on the map or off it): their bounds.
struct Bounds {
    ChunkCoord chunk;
    int x0, y0, x1, y1;
};

std::vector<Bounds> boundsByChunk(std::span<const Cell> places) {
    std::vector<Bounds> bounds;
    for (const Cell c : places) bounds.push_back({{c.x >> kChunkShift, c.y >> kChunkShift}, c.x, c.y, c.x, c.y});
    std::sort(bounds.begin(), bounds.end(), [](const Bounds& a, const Bounds& b) { return std::pair(a.chunk.y, a.chunk.x) < std::pair(b.chunk.y, b.chunk.x); });
    std::size_t kept = 0;
    for (const Bounds& b : bounds) {
        if (kept == 0 || !(bounds[kept - 1].chunk == b.chunk)) {
            bounds[kept++] = b;
            continue;
        }
        Bounds& all = bounds[kept - 1];
        all = {all.chunk, std::min(all.x0, b.x0), std::min(all.y0, b.y0), std::max(all.x1, b.x1), std::max(all.y1, b.y1)};
    }
    bounds.resize(kept);
    return bounds;
}

struct Candidate {
    std::int64_t squared;  ///< No cell of the chunk is nearer to a place.
    std::size_t index;
};

}  // namespace

std::int64_t nearestCells(std::span<const ChunkCoord> chunks, const std::function<void(std::size_t, ChunkRows&)>& rows_of, std::span<const Cell> places,
                          std::vector<CellId>& out) {
    out.clear();
    std::int64_t best = INT64_MAX;
    if (places.empty()) return best;
    const std::vector<Bounds> bounds = boundsByChunk(places);
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const int x = chunks[i].x << kChunkShift, y = chunks[i].y << kChunkShift;
        std::int64_t least = INT64_MAX;
        for (const Bounds& b : bounds) {
            const std::int64_t dx = gap(x, x + kChunkSize - 1, b.x0, b.x1), dy = gap(y, y + kChunkSize - 1, b.y0, b.y1);
            least = std::min(least, dx * dx + dy * dy);
        }
        candidates.push_back({least, i});
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.squared < b.squared; });

    ChunkRows rows;
    for (const Candidate& candidate : candidates) {
        if (candidate.squared > best) break;
        const int base_x = chunks[candidate.index].x << kChunkShift, base_y = chunks[candidate.index].y << kChunkShift;
        rows_of(candidate.index, rows);
        for (const Cell place : places) {
            const std::int64_t beside = gap(base_x, base_x + kChunkSize - 1, place.x, place.x), above = gap(base_y, base_y + kChunkSize - 1, place.y, place.y);
            if (beside * beside + above * above > best) continue;
            const auto found = [&](int x, int y) {
                const std::int64_t dx = std::int64_t{base_x} + x - place.x, dy = std::int64_t{base_y} + y - place.y;
                const std::int64_t squared = dx * dx + dy * dy;
                if (squared > best) return;
                if (squared < best) out.clear();
                best = squared;
                out.push_back(cellIdOf(base_x + x, base_y + y));
            };
            // Row by row away from the place, as long as the rows are near enough.
            const int from = std::clamp(place.y - base_y, 0, kChunkSize - 1), column = place.x - base_x;
            const auto look = [&](int y) {
                const std::int64_t dy = std::int64_t{base_y} + y - place.y;
                if (dy * dy > best) return false;
                const std::uint64_t row = rows[static_cast<std::size_t>(y)];
                if (row == 0) return true;
                const std::uint64_t upto = column < 0 ? 0 : column >= kChunkSize - 1 ? ~std::uint64_t{0} : (std::uint64_t{2} << column) - 1;
                if (const std::uint64_t west = row & upto; west != 0) found(kChunkSize - 1 - std::countl_zero(west), y);
                if (const std::uint64_t east = row & ~upto; east != 0) found(std::countr_zero(east), y);
                return true;
            };
            for (int y = from; y < kChunkSize && look(y); ++y) {}
            for (int y = from - 1; y >= 0 && look(y); --y) {}
        }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return best;
}

}  // namespace warpath
