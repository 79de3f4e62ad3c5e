#include "warpath/grid/flow_field.h"

#include <algorithm>

#include "grid/layer_revision.h"

namespace warpath {
namespace {

template <class Visit>
void forEachTile(const FlowField& field, Visit&& visit) {
    const CellRect& area = field.area();
    if (area.empty()) return;
    const ChunkCoord first = field.chunkOf({area.x, area.y}), last = field.chunkOf({area.x + area.width - 1, area.y + area.height - 1});
    for (int y = first.y; y <= last.y; ++y) {
        for (int x = first.x; x <= last.x; ++x) {
            if (const FlowTile* tile = field.tile({x, y})) visit(ChunkCoord{x, y}, *tile);
        }
    }
}

}  // namespace

FlowRevisions flowRevisions(const WorldSnapshot& snapshot, const CostKey& key, ChunkCoord chunk) {
    const int size = key.metric.profile.size;
    FlowRevisions r;
    r.ground = snapshot.neighbourhoodRevision(chunk);
    if (key.threat_weight != 0) r.threat = layerRevision(snapshot, size, chunk, [&](ChunkCoord c) { return snapshot.threat(key.side, c); });
    r.congestion = layerRevision(snapshot, size, chunk, [&](ChunkCoord c) { return snapshot.congestion(c); });
    return r;
}

FlowField::FlowField(FlowFieldInfo info, const WorldSnapshot& snapshot, const CellRect& map, ChunkDirectory<FlowTile> tiles)
    : info_(std::move(info)), snapshot_(snapshot), map_(map), tiles_(std::move(tiles)) {
    if (snapshot.valid()) {
        info_.world_id = snapshot.state().world_id;
        info_.rules_revision = snapshot.state().rules_revision;
    }
    const CellRect& area = info_.area;
    if (area.empty()) return;
    first_ = chunkOf({area.x, area.y});
    const ChunkCoord last = chunkOf({area.x + area.width - 1, area.y + area.height - 1});
    columns_ = static_cast<std::uint32_t>(last.x - first_.x + 1);
    rows_ = static_cast<std::uint32_t>(last.y - first_.y + 1);
    by_chunk_.reserve(std::size_t{columns_} * rows_);
    for (int y = first_.y; y <= last.y; ++y) {
        for (int x = first_.x; x <= last.x; ++x) by_chunk_.push_back(tiles_.get({x, y}));
    }
}

Cost FlowField::distance(Cell c) const {
    if (!covers(c)) return kNoFlowDistance;
    const FlowTile* t = tile(chunkOf(c));
    if (t == nullptr || t->distances == nullptr) return kNoFlowDistance;
    return isFlowWay(t->code(localOf(c))) ? t->distances->at(localOf(c)) : kNoFlowDistance;
}

Vec2 FlowField::vector(Cell c) const {
    const std::uint8_t d = direction(c);
    if (!isFlowArrow(d)) return {};
    const FlowTile* t = tile(chunkOf(c));
    return t->vectors != nullptr ? (*t->vectors)[static_cast<std::size_t>(localOf(c))] : kStepVector[d];
}

bool FlowField::isCurrent(const WorldSnapshot& now) const {
    if (snapshot_.valid() && snapshot_ == now) return true;
    if (info_.world_id != now.state().world_id || info_.rules_revision != now.state().rules_revision) return false;
    bool current = true;
    forEachTile(*this, [&](ChunkCoord chunk, const FlowTile& tile) {
        current = current && tile.revisions == flowRevisions(now, info_.key, chunk);
    });
    return current;
}

std::shared_ptr<const FlowField> FlowField::withoutDistances() const {
    ChunkDirectory<FlowTile> tiles(tiles_.columns(), tiles_.rows());
    forEachTile(*this, [&](ChunkCoord chunk, const FlowTile& tile) {
        auto lean = std::make_shared<FlowTile>(tile);
        lean->distances.reset();
        lean->moves.reset();
        lean->costs.reset();
        tiles.set(chunk, std::move(lean));
    });
    auto lean = std::make_shared<FlowField>(info_, WorldSnapshot{}, map_, std::move(tiles));
    lean->setCoarse(coarse_);
    return lean;
}

std::size_t FlowField::memoryBytes() const {
    std::size_t bytes = sizeof(*this) + info_.goals.capacity() * sizeof(Cell) + by_chunk_.capacity() * sizeof(by_chunk_[0]);
    if (coarse_ != nullptr) bytes += coarse_->memoryBytes();
    forEachTile(*this, [&](ChunkCoord, const FlowTile& tile) {
        bytes += sizeof(FlowTile);
        if (tile.distances != nullptr) bytes += sizeof(FlowDistances) + tile.distances->wide.capacity() * sizeof(Cost);
        if (tile.vectors != nullptr) bytes += sizeof(*tile.vectors);
    });
    return bytes;
}

}  // namespace warpath
