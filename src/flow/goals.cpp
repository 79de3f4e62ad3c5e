#include "flow/goals.h"

#include <algorithm>
#include <string>

#include "warpath/core/number_text.h"
#include "warpath/grid/nearest_cells.h"

namespace warpath::flow {
namespace {

constexpr std::size_t kMaxGoals = 65'536;
constexpr std::int64_t kMaxRectCoordinate = 4'000'000;
constexpr Cost kLargestRest = Cost{1} << 61;

void sortSeeds(std::vector<Seed>& seeds) {
    std::sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) {
        if (a.place.chunk != b.place.chunk) return a.place.chunk < b.place.chunk;
        return a.place.local != b.place.local ? a.place.local < b.place.local : a.rest < b.rest;
    });
    seeds.erase(std::unique(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) { return a.place.chunk == b.place.chunk && a.place.local == b.place.local; }),
                seeds.end());
}

/// Squared straight distance from a cell to the goals [cells].
class GoalDistance {
public:
    explicit GoalDistance(const FlowRequest& request) : singles_(request.goals) {
        for (const FlowRequest::Exit& e : request.exits) singles_.push_back(e.cell);
        rects_ = request.goal_rects;
        for (const FlowRequest::Disc& disc : request.goal_discs) singles_.push_back(flowCell(disc.centre, request.key.metric.profile.size));
    }
    /// Single goals [world cells], and nothing else.
    [[nodiscard]] const std::vector<Cell>* singles() const { return rects_.empty() ? &singles_ : nullptr; }
    [[nodiscard]] std::int64_t operator()(int x, int y) const {
        std::int64_t best = INT64_MAX;
        const auto take = [&](std::int64_t dx, std::int64_t dy) { best = std::min(best, dx * dx + dy * dy); };
        for (const Cell c : singles_) take(std::int64_t{c.x} - x, std::int64_t{c.y} - y);
        for (const CellRect& r : rects_) {
            take(std::max({std::int64_t{r.x} - x, std::int64_t{x} - r.x - r.width + 1, std::int64_t{0}}),
                 std::max({std::int64_t{r.y} - y, std::int64_t{y} - r.y - r.height + 1, std::int64_t{0}}));
        }
        return best;
    }

private:
    std::vector<Cell> singles_;
    std::vector<CellRect> rects_;
};

/// From so many single goals on the goals look for the nearest cells, instead of every cell for the nearest goal.
constexpr std::size_t kManyGoals = 16;

}  // namespace

std::optional<Error> checkFlowRequest(const WorldSnapshot& snapshot, const FlowRequest& request) {
    const auto number = [](auto v) { return std::to_string(v); };
    if (request.goals.size() + request.exits.size() > kMaxGoals) {
        return Error{"goals", number(request.goals.size() + request.exits.size()) + " cells", "give up to " + number(kMaxGoals) + ", or rectangles and discs"};
    }
    if (request.goals.empty() && request.goal_rects.empty() && request.goal_discs.empty() && request.exits.empty()) {
        return Error{"goals", "none", "give at least one goal"};
    }
    for (const Cell c : request.goals) {
        if (c.x < -kMaxRectCoordinate || c.x > kMaxRectCoordinate || c.y < -kMaxRectCoordinate || c.y > kMaxRectCoordinate) {
            return Error{"goals", "[" + number(c.x) + "," + number(c.y) + "]", "use cells within +-4,000,000"};
        }
    }
    for (const CellRect& r : request.goal_rects) {
        if (r.empty()) return Error{"goal_rects", number(r.width) + " x " + number(r.height), "give a positive width and height"};
        for (const std::int64_t v : {std::int64_t{r.x}, std::int64_t{r.y}, std::int64_t{r.x} + r.width, std::int64_t{r.y} + r.height}) {
            if (v < -kMaxRectCoordinate || v > kMaxRectCoordinate) return Error{"goal_rects", "a corner at " + number(v), "use cells within +-4,000,000"};
        }
    }
    for (const FlowRequest::Disc& disc : request.goal_discs) {
        if (!isUsable(disc.centre)) return Error{"goal_discs", "[" + number(disc.centre.x) + "," + number(disc.centre.y) + "]", "use finite metres within +-4,000,000"};
        if (!(disc.radius >= 0.0f && disc.radius <= kMaxDiscRadius)) return Error{"goal_discs.radius", numberText(disc.radius), "use metres within 0.." + numberText(kMaxDiscRadius)};
    }
    for (const FlowRequest::Exit& exit : request.exits) {
        if (exit.rest >= kLargestRest) return Error{"exits.rest", number(exit.rest), "use a cost below 2^61"};
    }
    if (request.straight_radius < 0 || request.straight_radius > kMaxStraightRadius) return Error{"straight_radius", std::to_string(request.straight_radius), "use 0 to " + number(kMaxStraightRadius) + " cells"};
    if (!(request.needed_margin >= 0.0f && request.needed_margin <= 10'000.0f)) return Error{"needed_margin", number(request.needed_margin), "use metres within 0..10,000"};
    if (request.key.metric.profile.size < 1 || request.key.metric.profile.size > 16) {
        return Error{"key.metric.profile.size", number(static_cast<int>(request.key.metric.profile.size)), "use 1 to 16 cells"};
    }
    if (request.key.side >= kMaxSides) return Error{"key.side", number(static_cast<int>(request.key.side)), "use 0 to " + number(kMaxSides - 1)};
    if (!request.area.empty() && intersect(request.area, snapshot.bounds()).empty()) {
        return Error{"area", "[" + number(request.area.x) + "," + number(request.area.y) + "," + number(request.area.width) + "," + number(request.area.height) + "]",
                     "use a rectangle that meets the map"};
    }
    for (const ChunkCoord c : request.chunks) {
        if (c.x < 0 || c.y < 0 || c.x >= snapshot.chunkColumns() || c.y >= snapshot.chunkRows()) {
            return Error{"chunks", "[" + number(c.x) + "," + number(c.y) + "]", "use chunks of the map, within [0,0] and [" + number(snapshot.chunkColumns() - 1) + "," + number(snapshot.chunkRows() - 1) + "]"};
        }
    }
    return std::nullopt;
}

void gatherSeeds(Integration& field, const WorldSnapshot& snapshot, const FlowRequest& request, std::vector<Seed>& out) {
    out.clear();
    forEachGoal(snapshot, request, [&](int x, int y, Cost rest) {
        if (!field.contains(x, y)) return;
        const Place p = field.placeOf(x, y);
        if (field.bound(p.chunk).fits(p.local)) out.push_back({p, rest});
    });
    sortSeeds(out);
}

CellRect goalBounds(const FlowRequest& request) {
    std::int32_t x0 = INT32_MAX, y0 = INT32_MAX, x1 = INT32_MIN, y1 = INT32_MIN;
    const auto take = [&](const CellRect& r) {
        x0 = std::min(x0, r.x);
        y0 = std::min(y0, r.y);
        x1 = std::max(x1, r.x + r.width);
        y1 = std::max(y1, r.y + r.height);
    };
    for (const Cell c : request.goals) take({c.x, c.y, 1, 1});
    for (const CellRect& r : request.goal_rects) take(r);
    for (const FlowRequest::Exit& e : request.exits) take({e.cell.x, e.cell.y, 1, 1});
    for (const FlowRequest::Disc& d : request.goal_discs) {
        const Cell low = cellAt({d.centre.x - d.radius, d.centre.y - d.radius}), high = cellAt({d.centre.x + d.radius, d.centre.y + d.radius});
        take({low.x, low.y, high.x - low.x + 1, high.y - low.y + 1});
    }
    return {x0, y0, x1 - x0, y1 - y0};
}

void nearestToGoals(Integration& field, const WorldSnapshot& snapshot, const FlowRequest& request, std::span<const Place> starts, std::vector<Seed>& out) {
    out.clear();
    const GoalDistance distance(request);
    const Cell origin = snapshot.origin();
    std::int64_t best = INT64_MAX;
    const bool many = distance.singles() != nullptr && distance.singles()->size() >= kManyGoals;
    std::vector<ChunkRows> rows;  // of many goals: what may be stood on, by chunk of the field
    if (many) rows.resize(field.chunkCount());
    const auto take = [&](const Place& p) {
        if (many) {
            rows[p.chunk][static_cast<std::size_t>(p.local >> kChunkShift)] |= std::uint64_t{1} << (p.local & (kChunkSize - 1));
            return;
        }
        const ChunkWork& w = field.work(p.chunk);
        const int x = (w.chunk.x << kChunkShift) + (p.local & (kChunkSize - 1)) + origin.x, y = (w.chunk.y << kChunkShift) + (p.local >> kChunkShift) + origin.y;
        const std::int64_t d = distance(x, y);
        if (d > best) return;
        if (d < best) out.clear();
        best = d;
        out.push_back({p, 0});
    };
    if (starts.empty()) {
        for (std::uint32_t index = 0; index < field.chunkCount(); ++index) {
            if (!field.isOpen(index)) continue;
            const int x0 = ((field.first().x + static_cast<int>(index) % field.columns()) << kChunkShift) + origin.x;
            const int y0 = ((field.first().y + static_cast<int>(index) / field.columns()) << kChunkShift) + origin.y;
            if (!many && best != INT64_MAX) {  // no cell of a chunk is nearer than its middle by more than half its diagonal (46 cells)
                const std::int64_t middle = distance(x0 + kChunkSize / 2, y0 + kChunkSize / 2);
                std::int64_t reach = 46;
                while ((reach - 46) * (reach - 46) <= best) reach += 64;
                if (middle > reach * reach) continue;
            }
            const ChunkWork& w = field.bound(index);
            for (int local = 0; local < kChunkCells; ++local) {
                if (w.fits(local)) take({index, local});
            }
        }
    } else {  // everything that the starts can reach by legal steps
        std::vector<std::vector<bool>> seen(field.chunkCount());
        std::vector<Place> open;
        const auto visit = [&](const Place& p) {
            std::vector<bool>& cells = seen[p.chunk];
            if (cells.empty()) cells.resize(kChunkCells);
            if (cells[static_cast<std::size_t>(p.local)] || !field.bound(p.chunk).fits(p.local)) return;
            cells[static_cast<std::size_t>(p.local)] = true;
            open.push_back(p);
        };
        for (const Place& p : starts) visit(p);
        while (!open.empty()) {
            const Place p = open.back();
            open.pop_back();
            take(p);
            for (int d = 0; d < kDirections; ++d) {
                Place to;
                if (field.legal(p, d) && field.step(p, d, to)) visit(to);
            }
        }
    }
    if (many) {
        std::vector<Cell> places;
        for (const Cell c : *distance.singles()) places.push_back({c.x - origin.x, c.y - origin.y});
        std::vector<ChunkCoord> chunks;
        for (std::uint32_t index = 0; index < field.chunkCount(); ++index) {
            chunks.push_back({field.first().x + static_cast<int>(index) % field.columns(), field.first().y + static_cast<int>(index) / field.columns()});
        }
        std::vector<CellId> nearest;
        nearestCells(chunks, [&](std::size_t i, ChunkRows& of) { of = rows[i]; }, places, nearest);
        for (const CellId cell : nearest) {
            const int x = gridXOf(cell), y = gridYOf(cell);
            const int index = ((y >> kChunkShift) - field.first().y) * field.columns() + (x >> kChunkShift) - field.first().x;
            out.push_back({{static_cast<std::uint32_t>(index), localIndex(x, y)}, 0});
        }
    }
    sortSeeds(out);
}

}  // namespace warpath::flow
