#include "warpath/flow/flow_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "flow/flow_builder_impl.h"
#include "flow/straight.h"
#include "warpath/core/assert.h"

namespace warpath {

using flow::ChunkWork;
using flow::Integration;
using flow::Place;
using flow::Seed;

FlowBuilder::FlowBuilder() : impl_(std::make_unique<Impl>()) {}
FlowBuilder::~FlowBuilder() = default;

bool FlowBuilder::begin(const WorldSnapshot& snapshot, const FlowRequest& request, const std::shared_ptr<TileStore>& store) {
    return impl_->begin(snapshot, request, store);
}
void FlowBuilder::integrate() { impl_->integrate(); }
FlowAnswer FlowBuilder::finish() { return impl_->finish(); }

FlowAnswer FlowBuilder::build(const WorldSnapshot& snapshot, const FlowRequest& request, const std::shared_ptr<TileStore>& store) {
    if (impl_->begin(snapshot, request, store)) impl_->integrate();
    return impl_->finish();
}

Cost FlowBuilder::distance(Cell cell) const {
    const Impl& b = *impl_;
    const int x = cell.x - b.snapshot.origin().x, y = cell.y - b.snapshot.origin().y;
    return b.field.contains(x, y) ? b.field.at(b.field.placeOf(x, y)) : kNoFlowDistance;
}

std::size_t FlowBuilder::memoryBytes() const { return impl_->field.memoryBytes() + sizeof(Impl); }

bool FlowBuilder::Impl::begin(const WorldSnapshot& now, const FlowRequest& asked, const std::shared_ptr<TileStore>& tiles) {
    snapshot = now;
    request = asked;
    store = tiles;
    answer = {};
    redirected = false;
    seeds.clear();
    starts.clear();
    area = {};
    if (auto error = flow::checkFlowRequest(now, asked)) {
        answer.error = std::move(*error);
        return false;
    }
    setArea(asked.area);
    field.begin(now, asked.key, first, columns, rows, tiles, asked.chunks);
    if (!asked.only_needed) {
        for (std::uint32_t i = 0; i < field.chunkCount(); ++i) {
            if (field.isOpen(i)) field.bound(i);
        }
    }
    placeStarts(asked.starts);
    flow::gatherSeeds(field, now, asked, seeds);
    if (seeds.empty()) {
        if (!asked.area.empty() && intersect(flow::goalBounds(asked), area).empty() && !intersect(flow::goalBounds(asked), now.bounds()).empty()) {
            answer.error = Error{"area", "holds no goal", "widen the area to a goal (localFlowArea), or give exits at its border"};
            return false;
        }
        redirected = true;
        flow::nearestToGoals(field, now, asked, starts, seeds);
        if (seeds.empty()) {
            answer.status = PathStatus::GoalBlocked;
            return false;
        }
    }
    answer.status = PathStatus::Found;
    return true;
}

void FlowBuilder::Impl::setArea(const CellRect& wanted) {
    const CellRect map = snapshot.bounds();
    const CellRect inside = wanted.empty() ? map : intersect(wanted, map);
    const int x0 = inside.x - map.x, y0 = inside.y - map.y;
    first = {x0 >> kChunkShift, y0 >> kChunkShift};
    columns = ((x0 + inside.width - 1) >> kChunkShift) - first.x + 1;
    rows = ((y0 + inside.height - 1) >> kChunkShift) - first.y + 1;
    area = intersect({map.x + (first.x << kChunkShift), map.y + (first.y << kChunkShift), columns << kChunkShift, rows << kChunkShift}, map);
}

/// The starts that a unit can stand on, inside the area.
void FlowBuilder::Impl::placeStarts(std::span<const Cell> cells) {
    starts.clear();
    for (const Cell c : cells) {
        const int x = c.x - snapshot.origin().x, y = c.y - snapshot.origin().y;
        if (!field.contains(x, y)) continue;
        const Place p = field.placeOf(x, y);
        if (field.bound(p.chunk).fits(p.local)) starts.push_back(p);
    }
}

void FlowBuilder::Impl::seedAll() {
    Cost lowest = kNoFlowDistance;
    for (const Seed& s : seeds) lowest = std::min(lowest, s.rest);
    field.startAt(lowest);
    for (const Seed& s : seeds) field.lower(s.place, s.rest);
}

void FlowBuilder::Impl::integrate() {
    seedAll();
    const auto margin = static_cast<Cost>(request.needed_margin * static_cast<float>(kCostPerMetre));
    const std::span<const Place> needed = request.only_needed ? std::span<const Place>(starts) : std::span<const Place>();
    field.run(kNoFlowDistance, needed, margin);
    if (redirected || starts.empty()) return;
    if (std::any_of(starts.begin(), starts.end(), [&](const Place& p) { return field.at(p) != kNoFlowDistance; })) return;
    // None of those who will use the field can reach a goal: lead them to the nearest cells that they can reach.
    redirected = true;
    visits = field.visits();
    flow::nearestToGoals(field, snapshot, request, starts, seeds);
    field.begin(snapshot, request.key, first, columns, rows, store, request.chunks);
    for (const Place& p : starts) field.bound(p.chunk);
    for (const Seed& s : seeds) field.bound(s.place.chunk);
    seedAll();
    field.run(kNoFlowDistance, needed, margin);
}

void FlowBuilder::Impl::markGoals(std::uint32_t index, FlowTile& tile) const {
    auto s = std::lower_bound(seeds.begin(), seeds.end(), index, [](const Seed& a, std::uint32_t chunk) { return a.place.chunk < chunk; });
    for (; s != seeds.end() && s->place.chunk == index; ++s) {
        std::uint8_t& byte = tile.bytes[static_cast<std::size_t>(s->place.local)];
        if (field.at(s->place) == s->rest) byte = static_cast<std::uint8_t>(kFlowGoal | (byte & kFlowOpen));
    }
}

void FlowBuilder::Impl::markPending(std::uint32_t index, FlowTile& tile) const {
    const ChunkWork& w = field.work(index);
    for (int local = 0; local < kChunkCells; ++local) {
        std::uint8_t& byte = tile.bytes[static_cast<std::size_t>(local)];
        if ((byte & kFlowCodeMask) != kFlowWall && w.at(local) == kNoFlowDistance) byte = kFlowPending;
    }
}

std::shared_ptr<FlowTile> FlowBuilder::Impl::makeTile(std::uint32_t index) {
    auto tile = std::make_shared<FlowTile>();
    const bool partly = field.horizon() != kNoFlowDistance;
    const ChunkWork& w = field.work(index);
    arrows.run(field, index, ~std::uint64_t{0}, unreachedCode(), tile->bytes.data());
    if (partly) markPending(index, *tile);
    markGoals(index, *tile);
    tile->revisions = flowRevisions(snapshot, request.key, w.chunk);
    if (request.keep_distances || request.straight_radius > 0) {
        tile->distances = w.own != nullptr ? std::shared_ptr<const FlowDistances>(w.own) : w.former;
        tile->moves = w.move_tile;
        tile->costs = w.cost_tile;
    }
    return tile;
}

FlowFieldInfo FlowBuilder::Impl::infoOf() const {
    FlowFieldInfo info;
    info.key = request.key;
    info.redirected = redirected;
    info.area = area;
    info.tiled = !request.chunks.empty();
    info.revision = snapshot.revision();
    info.horizon = field.horizon();
    const Cell origin = snapshot.origin();
    for (const Seed& s : seeds) {
        if (field.at(s.place) != s.rest) continue;
        const ChunkCoord chunk = field.work(s.place.chunk).chunk;
        info.goals.push_back({origin.x + (chunk.x << kChunkShift) + (s.place.local & (kChunkSize - 1)), origin.y + (chunk.y << kChunkShift) + (s.place.local >> kChunkShift)});
    }
    std::sort(info.goals.begin(), info.goals.end(), [](Cell a, Cell b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    return info;
}

FlowAnswer FlowBuilder::Impl::finish() {
    if (answer.status != PathStatus::Found) return std::move(answer);
    const bool partly = field.horizon() != kNoFlowDistance;
    if (partly) field.truncate();
    ChunkDirectory<FlowTile> tiles(snapshot.chunkColumns(), snapshot.chunkRows());
    for (std::uint32_t i = 0; i < field.chunkCount(); ++i) {
        if (!field.isOpen(i) || (partly && field.work(i).distances() == nullptr)) continue;
        const ChunkWork& w = field.bound(i);
        tiles.set(w.chunk, makeTile(i));
    }
    return publish(infoOf(), std::move(tiles));
}

FlowAnswer FlowBuilder::Impl::publish(FlowFieldInfo info, ChunkDirectory<FlowTile> tiles) {
    answer.status = redirected ? PathStatus::Partial : PathStatus::Found;
    answer.chunk_visits = visits + field.visits();
    for (const std::uint32_t i : field.touched()) answer.chunks += field.work(i).distances() != nullptr;
    if (request.straight_radius > 0) {
        flow::straightenNearGoals(tiles, snapshot, info, request.straight_radius);
        if (!request.keep_distances) {
            answer.field = FlowField(std::move(info), snapshot, std::move(tiles)).withoutDistances();
            return std::move(answer);
        }
    }
    answer.field = std::make_shared<FlowField>(std::move(info), request.keep_distances ? snapshot : WorldSnapshot{}, snapshot.bounds(), std::move(tiles));
    return std::move(answer);
}

}  // namespace warpath
