#include "warpath/flow/fast_marching.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "flow/eikonal.h"
#include "flow/eikonal_arrow.h"
#include "flow/goals.h"
#include "flow/integration.h"

namespace warpath {

using flow::ChunkWork;
using flow::EikonalArrow;
using flow::EikonalSolver;

struct FastMarching::Impl {
    WorldSnapshot snapshot;
    FlowRequest request;
    std::shared_ptr<TileStore> store;
    MarchOrder order = MarchOrder::Second;
    FlowAnswer answer;
    flow::Integration costs;  // binds the chunks; distances are not its work here
    flow::EikonalGrid grid;
    EikonalSolver solver;
    std::vector<flow::Seed> goals;
    std::vector<flow::Place> starts;
    bool redirected = false;
    CellRect area;  // whole chunks clipped to the map [world cells]
    ChunkCoord first;
    int columns = 0, rows = 0;

    bool begin(const WorldSnapshot& now, const FlowRequest& asked, const std::shared_ptr<TileStore>& tiles, MarchOrder wanted);
    void integrate();
    FlowAnswer finish();

    void setArea();
    [[nodiscard]] std::optional<Error> asymmetry();
    [[nodiscard]] std::optional<Cell> forbiddenStep(std::uint32_t chunk) const;
    void loadCosts();
    void solve();
    [[nodiscard]] int x0Of(std::uint32_t chunk) const { return static_cast<int>(chunk) % columns << kChunkShift; }
    [[nodiscard]] int y0Of(std::uint32_t chunk) const { return static_cast<int>(chunk) / columns << kChunkShift; }
    /// Index in the grid of a place.
    [[nodiscard]] std::uint32_t indexOf(const flow::Place& p) const {
        return grid.index(x0Of(p.chunk) + (p.local & (kChunkSize - 1)), y0Of(p.chunk) + (p.local >> kChunkShift));
    }
    [[nodiscard]] std::shared_ptr<FlowTile> makeTile(std::uint32_t chunk, std::array<Vec2, kChunkCells>& vectors) const;
    [[nodiscard]] std::shared_ptr<FlowDistances> makeDistances(std::uint32_t chunk) const;
    [[nodiscard]] bool leadsOverFreeCells(std::uint32_t cell, Vec2 v) const;
};

FastMarching::FastMarching() : impl_(std::make_unique<Impl>()) {}
FastMarching::~FastMarching() = default;

bool FastMarching::begin(const WorldSnapshot& snapshot, const FlowRequest& request, const std::shared_ptr<TileStore>& store, MarchOrder order) {
    return impl_->begin(snapshot, request, store, order);
}
void FastMarching::integrate() { impl_->integrate(); }
FlowAnswer FastMarching::finish() { return impl_->finish(); }

FlowAnswer FastMarching::build(const WorldSnapshot& snapshot, const FlowRequest& request, const std::shared_ptr<TileStore>& store, MarchOrder order) {
    if (begin(snapshot, request, store, order)) integrate();
    return finish();
}

float FastMarching::distance(Cell cell) const { return impl_->solver.distance(impl_->grid.index(cell.x - impl_->area.x, cell.y - impl_->area.y)); }

std::size_t FastMarching::memoryBytes() const {
    return sizeof(Impl) + impl_->costs.memoryBytes() + impl_->grid.f.capacity() * sizeof(std::uint16_t) + impl_->solver.memoryBytes();
}

bool FastMarching::Impl::begin(const WorldSnapshot& now, const FlowRequest& asked, const std::shared_ptr<TileStore>& tiles, MarchOrder wanted) {
    snapshot = now;
    request = asked;
    store = tiles;
    order = wanted;
    answer = {};
    redirected = false;
    goals.clear();
    starts.clear();
    if (auto error = flow::checkFlowRequest(now, asked)) {
        answer.error = std::move(*error);
        return false;
    }
    if (!asked.chunks.empty()) {
        answer.error = Error{"chunks", std::to_string(asked.chunks.size()) + " chunks", "fast marching covers whole areas: give an area, or use the Dijkstra method"};
        return false;
    }
    if (!asked.exits.empty()) {
        answer.error = Error{"exits", std::to_string(asked.exits.size()) + " cells", "fast marching starts at goals only: give goals, or use the Dijkstra method"};
        return false;
    }
    setArea();
    costs.begin(now, asked.key, first, columns, rows, tiles);
    for (std::uint32_t i = 0; i < costs.chunkCount(); ++i) costs.bound(i);
    if (auto error = asymmetry()) {
        answer.error = std::move(*error);
        return false;
    }
    for (const Cell c : asked.starts) {
        if (!area.contains(c)) continue;
        const flow::Place p = costs.placeOf(c.x - now.origin().x, c.y - now.origin().y);
        if (costs.bound(p.chunk).fits(p.local)) starts.push_back(p);
    }
    flow::gatherSeeds(costs, now, asked, goals);
    if (goals.empty()) {
        if (!asked.area.empty() && intersect(flow::goalBounds(asked), area).empty() && !intersect(flow::goalBounds(asked), now.bounds()).empty()) {
            answer.error = Error{"area", "holds no goal", "widen the area to a goal (localFlowArea)"};
            return false;
        }
        redirected = true;
        flow::nearestToGoals(costs, now, asked, starts, goals);
        if (goals.empty()) {
            answer.status = PathStatus::GoalBlocked;
            return false;
        }
    }
    loadCosts();
    answer.status = PathStatus::Found;
    return true;
}

void FastMarching::Impl::setArea() {
    const CellRect map = snapshot.bounds();
    const CellRect inside = request.area.empty() ? map : intersect(request.area, map);
    const int x0 = inside.x - map.x, y0 = inside.y - map.y;
    first = {x0 >> kChunkShift, y0 >> kChunkShift};
    columns = ((x0 + inside.width - 1) >> kChunkShift) - first.x + 1;
    rows = ((y0 + inside.height - 1) >> kChunkShift) - first.y + 1;
    area = intersect({map.x + (first.x << kChunkShift), map.y + (first.y << kChunkShift), columns << kChunkShift, rows << kChunkShift}, map);
}

/// What makes a step cost, or be allowed, differently from its reverse.
std::optional<Error> FastMarching::Impl::asymmetry() {
    const Metric& metric = request.key.metric;
    if (costs.pricesElevation()) {
        std::int32_t lowest = INT32_MAX, highest = INT32_MIN;
        for (std::uint32_t i = 0; i < costs.chunkCount(); ++i) {
            const ChunkWork& w = costs.work(i);
            for (int local = 0; local < kChunkCells; ++local) {
                if (!w.fits(local)) continue;
                lowest = std::min(lowest, w.height(local));
                highest = std::max(highest, w.height(local));
            }
        }
        const int hundredths = metric.elevation_weight;
        if (lowest < highest) {
            return Error{"elevation_weight", std::to_string(hundredths / 100) + "." + std::to_string(hundredths / 10 % 10) + std::to_string(hundredths % 10),
                         "heights cost here and fast marching knows no slopes: set it to 0, or use the Dijkstra method"};
        }
    }
    const MobilityProfile& profile = metric.profile;
    const auto unlimited = [](const std::int32_t(&limits)[2]) { return limits[0] == MobilityProfile::kNoLimit && limits[1] == MobilityProfile::kNoLimit; };
    if (snapshot.state().elevated_chunks == 0 || (unlimited(profile.max_rise) && unlimited(profile.max_drop))) return std::nullopt;
    for (std::uint32_t i = 0; i < costs.chunkCount(); ++i) {
        if (const std::optional<Cell> at = forbiddenStep(i)) {
            return Error{"max_slope", "a step from [" + std::to_string(at->x) + "," + std::to_string(at->y) + "] is too steep",
                         "fast marching knows no limits of slope or direction: set max_slope to 90, or use the Dijkstra method"};
        }
    }
    return std::nullopt;
}

/// A cell of a chunk from which a step is forbidden although the unit fits at its end and beside it.
std::optional<Cell> FastMarching::Impl::forbiddenStep(std::uint32_t chunk) const {
    const ChunkWork& w = costs.work(chunk);
    const int x0 = area.x - snapshot.origin().x + x0Of(chunk), y0 = area.y - snapshot.origin().y + y0Of(chunk);
    const auto fits = [&](int x, int y) {
        if (!costs.contains(x, y)) return false;
        const flow::Place p = costs.placeOf(x, y);
        return costs.work(p.chunk).fits(p.local);
    };
    const int step = request.key.metric.profile.diagonal == DiagonalRule::Never ? 2 : 1;
    for (int local = 0; local < kChunkCells; ++local) {
        if (!w.fits(local) || w.moves[local] == 0xff) continue;
        const int x = x0 + (local & (kChunkSize - 1)), y = y0 + (local >> kChunkShift);
        for (int d = 0; d < kDirections; d += step) {
            if (((w.moves[local] >> d) & 1) != 0) continue;
            if (fits(x + kStepX[d], y + kStepY[d]) && fits(x + kStepX[d], y) && fits(x, y + kStepY[d])) return Cell{x + snapshot.origin().x, y + snapshot.origin().y};
        }
    }
    return std::nullopt;
}

void FastMarching::Impl::loadCosts() {
    grid.resize(area.width, area.height);
    for (std::uint32_t i = 0; i < costs.chunkCount(); ++i) {
        const ChunkWork& w = costs.work(i);
        const int x0 = x0Of(i), y0 = y0Of(i), width = std::min(kChunkSize, area.width - x0), height = std::min(kChunkSize, area.height - y0);
        for (int y = 0; y < height; ++y) {
            const std::uint64_t free = w.move_tile->free_rows[static_cast<std::size_t>(y)];
            const std::uint16_t* f = w.f + (y << kChunkShift);
            std::uint16_t* to = grid.f.data() + grid.index(x0, y0 + y);
            for (int x = 0; x < width; ++x) to[x] = ((free >> x) & 1) != 0 ? f[x] : std::uint16_t{0};
        }
    }
}

void FastMarching::Impl::solve() {
    std::vector<std::uint32_t> cells;
    for (const flow::Seed& goal : goals) cells.push_back(indexOf(goal.place));
    solver.solve(grid, cells, {.order = static_cast<int>(order), .through_corners = request.key.metric.profile.diagonal == DiagonalRule::Always});
}

void FastMarching::Impl::integrate() {
    solve();
    if (redirected || starts.empty()) return;
    if (std::any_of(starts.begin(), starts.end(), [&](const flow::Place& p) { return std::isfinite(solver.distance(indexOf(p))); })) return;
    // None of those who will use the field can reach a goal: lead them to the nearest cells that they can reach.
    redirected = true;
    flow::nearestToGoals(costs, snapshot, request, starts, goals);
    solve();
}

std::shared_ptr<FlowDistances> FastMarching::Impl::makeDistances(std::uint32_t chunk) const {
    const int x0 = x0Of(chunk), y0 = y0Of(chunk), width = std::min(kChunkSize, area.width - x0), height = std::min(kChunkSize, area.height - y0);
    const auto costOf = [](float metres) { return static_cast<Cost>(static_cast<std::int64_t>(static_cast<double>(metres) * static_cast<double>(kCostPerMetre) + 0.5)); };
    float least = std::numeric_limits<float>::infinity(), most = 0.0f;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const float metres = solver.distance(grid.index(x0 + x, y0 + y));
            least = std::min(least, metres);
            most = std::isfinite(metres) ? std::max(most, metres) : most;
        }
    }
    if (!std::isfinite(least)) return nullptr;
    auto made = std::make_shared<FlowDistances>();
    made->base = costOf(least);
    const bool wide = costOf(most) - made->base >= FlowDistances::kNone;
    if (wide) made->wide.assign(kChunkCells, kNoFlowDistance);
    if (width < kChunkSize || height < kChunkSize) made->relative.fill(FlowDistances::kNone);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const float metres = solver.distance(grid.index(x0 + x, y0 + y));
            const auto local = static_cast<std::size_t>(localIndex(x, y));
            const bool reached = std::isfinite(metres);
            const Cost value = costOf(reached ? metres : least);
            if (wide && reached) made->wide[local] = value;
            made->relative[local] = reached ? static_cast<std::uint32_t>(value - made->base) : FlowDistances::kNone;
        }
    }
    return made;
}

std::shared_ptr<FlowTile> FastMarching::Impl::makeTile(std::uint32_t chunk, std::array<Vec2, kChunkCells>& vectors) const {
    const ChunkWork& w = costs.work(chunk);
    const int x0 = x0Of(chunk), y0 = y0Of(chunk), width = std::min(kChunkSize, area.width - x0), height = std::min(kChunkSize, area.height - y0);
    auto tile = std::make_shared<FlowTile>();
    tile->bytes.fill(kFlowWall);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; x += 4) {
            const std::array<EikonalArrow, 4> arrows = eikonalArrows(grid, solver, grid.index(x0 + x, y0 + y), w.moves + localIndex(x, y));
            for (int k = 0; k < std::min(4, width - x); ++k) {
                const auto local = static_cast<std::size_t>(localIndex(x + k, y));
                const EikonalArrow& arrow = arrows[static_cast<std::size_t>(k)];
                if (!w.fits(static_cast<int>(local))) continue;
                const std::uint8_t code = arrow.code != EikonalArrow::kNone ? arrow.code : static_cast<std::uint8_t>(kFlowUnreachable);
                tile->bytes[local] = static_cast<std::uint8_t>(code | (arrow.open ? kFlowOpen : 0));
                vectors[local] = arrow.vector;
            }
        }
    }
    tile->revisions = flowRevisions(snapshot, request.key, w.chunk);
    if (request.keep_distances) {
        tile->distances = makeDistances(chunk);
        tile->moves = w.move_tile;
        tile->costs = w.cost_tile;
    }
    return tile;
}

bool FastMarching::Impl::leadsOverFreeCells(std::uint32_t cell, Vec2 v) const {
    const std::uint32_t stride = static_cast<std::uint32_t>(grid.stride);
    const std::uint32_t dx = v.x > 0.0f ? 1 : v.x < 0.0f ? ~std::uint32_t{0} : 0, dy = v.y > 0.0f ? stride : v.y < 0.0f ? ~stride + 1 : 0;
    return grid.free(cell + dx) && grid.free(cell + dy) && grid.free(cell + dx + dy);
}

FlowAnswer FastMarching::Impl::finish() {
    if (answer.status != PathStatus::Found) return std::move(answer);
    std::vector<std::shared_ptr<FlowTile>> tiles(costs.chunkCount());
    std::vector<std::shared_ptr<std::array<Vec2, kChunkCells>>> vectors(costs.chunkCount());
    for (std::uint32_t i = 0; i < costs.chunkCount(); ++i) {
        vectors[i] = std::make_shared<std::array<Vec2, kChunkCells>>();
        tiles[i] = makeTile(i, *vectors[i]);
    }
    FlowFieldInfo info;
    for (const EikonalSolver::Seed& seed : solver.seeds()) {
        const int x = grid.xOf(seed.cell), y = grid.yOf(seed.cell);
        const auto chunk = static_cast<std::size_t>((y >> kChunkShift) * columns + (x >> kChunkShift));
        const auto local = static_cast<std::size_t>(localIndex(x & (kChunkSize - 1), y & (kChunkSize - 1)));
        const Vec2 exact = seedVector(seed);
        if (seed.dx == 0 && seed.dy == 0) {
            std::uint8_t& byte = tiles[chunk]->bytes[local];
            byte = static_cast<std::uint8_t>(kFlowGoal | (byte & kFlowOpen));
            (*vectors[chunk])[local] = {};
            info.goals.push_back({area.x + x, area.y + y});
        } else if (const std::uint8_t code = tiles[chunk]->code(static_cast<int>(local)); isFlowArrow(code) && flow::followsStep(exact, code) && leadsOverFreeCells(seed.cell, exact)) {
            (*vectors[chunk])[local] = exact;
        }
    }
    std::sort(info.goals.begin(), info.goals.end(), [](Cell a, Cell b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    info.method = FlowMethod::FastMarching;
    info.key = request.key;
    info.redirected = redirected;
    info.area = area;
    info.revision = snapshot.revision();
    ChunkDirectory<FlowTile> directory(snapshot.chunkColumns(), snapshot.chunkRows());
    for (std::uint32_t i = 0; i < costs.chunkCount(); ++i) {
        answer.chunks += tiles[i]->distances != nullptr;
        tiles[i]->vectors = std::move(vectors[i]);
        directory.set(costs.work(i).chunk, std::move(tiles[i]));
    }
    answer.status = redirected ? PathStatus::Partial : PathStatus::Found;
    answer.field = std::make_shared<FlowField>(std::move(info), request.keep_distances ? snapshot : WorldSnapshot{}, snapshot.bounds(), std::move(directory));
    return std::move(answer);
}

}  // namespace warpath
