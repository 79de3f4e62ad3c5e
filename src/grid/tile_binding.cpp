#include "warpath/grid/tile_binding.h"

#include <algorithm>

#include "warpath/core/directions.h"

namespace warpath {

bool TileBinding::bind(const WorldSnapshot& snapshot, const CostKey& key, std::span<const CellRect> exempt, const std::shared_ptr<TileStore>& store) {
    if (private_costs_.empty() && snapshot_ == snapshot && key_ == key && store_ == store && std::equal(exempt.begin(), exempt.end(), exempt_.begin(), exempt_.end())) {
        return true;
    }
    for (const TileSlot& slot : slots_) {
        slot_of_chunk_[static_cast<std::size_t>((slot.y0 >> kChunkShift) * snapshot_.chunkColumns() + (slot.x0 >> kChunkShift))] = TileSlot::kUnbound;
    }
    slots_.clear();
    private_costs_.clear();
    const std::size_t chunks = static_cast<std::size_t>(snapshot.chunkColumns()) * static_cast<std::size_t>(snapshot.chunkRows());
    if (slot_of_chunk_.size() != chunks) slot_of_chunk_.assign(chunks, TileSlot::kUnbound);
    const bool same_model = snapshot_.valid() && key_ == key && snapshot_.state().rules == snapshot.state().rules;
    snapshot_ = snapshot;
    key_ = key;
    store_ = store;
    exempt_.assign(exempt.begin(), exempt.end());
    if (!same_model) model_ = CostModel(snapshot.rules(), key);
    prices_elevation_ = model_.pricesElevation() && snapshot.state().elevated_chunks != 0;
    return false;
}

void TileBinding::addCosts(std::span<const ExtraCost> extra) {
    for (const ExtraCost& e : extra) {
        const CellRef ref = refOf(gridXOf(e.cell), gridYOf(e.cell));
        const std::uint32_t index = slotOf(ref);
        if (index >= private_costs_.size()) private_costs_.resize(index + 1, nullptr);
        if (private_costs_[index] == nullptr) {
            TileSlot& slot = slots_[index];
            auto copy = std::make_shared<CostTile>(*slot.cost_tile);
            copy->uniform = false;
            private_costs_[index] = copy.get();
            slot.f = copy->f.data();
            if (prices_elevation_) slot.elevation_cm = copy->elevation_cm.data();
            slot.cost_tile = std::move(copy);
        }
        std::uint16_t& f = private_costs_[index]->f[localOf(ref)];
        f = static_cast<std::uint16_t>(std::min<std::uint32_t>(f + e.hundredths, UINT16_MAX));
    }
}

std::uint32_t TileBinding::bindChunk(ChunkCoord chunk) {
    const std::uint32_t index = bindMoves(chunk);
    complete(index);
    return index;
}

std::uint32_t TileBinding::bindMoves(ChunkCoord chunk) {
    std::uint32_t& known = slot_of_chunk_[static_cast<std::size_t>(chunk.y * snapshot_.chunkColumns() + chunk.x)];
    if (known != TileSlot::kUnbound) return known;
    known = static_cast<std::uint32_t>(slots_.size());
    TileSlot& slot = slots_.emplace_back();
    slot.x0 = chunk.x << kChunkShift;
    slot.y0 = chunk.y << kChunkShift;
    std::fill(std::begin(slot.neighbour), std::end(slot.neighbour), TileSlot::kUnbound);
    const int reach = key_.metric.profile.size + 1;
    const CellRect influence{slot.x0 - reach, slot.y0 - reach, kChunkSize + 2 * reach, kChunkSize + 2 * reach};
    const bool near_exemption = std::any_of(exempt_.begin(), exempt_.end(), [&](const CellRect& r) { return !intersect(r, influence).empty(); });
    if (near_exemption) {
        auto tile = std::make_shared<MoveTile>();
        compileMoveTile(snapshot_, key_.metric.profile, chunk, exempt_, *tile);
        slot.move_tile = std::move(tile);
    } else {
        slot.move_tile = store_->moves(snapshot_, key_.metric.profile, chunk);
    }
    slot.moves = slot.move_tile->moves.data();
    return known;
}

void TileBinding::bindCosts(std::uint32_t index) {
    TileSlot& slot = slots_[index];
    slot.cost_tile = store_->costs(snapshot_, key_, {slot.x0 >> kChunkShift, slot.y0 >> kChunkShift});
    slot.f = slot.cost_tile->f.data();
    if (prices_elevation_) {
        slot.elevation_cm = slot.cost_tile->elevation_cm.data();
        slot.elevation_mask = slot.cost_tile->elevation_mask;
    }
}

std::uint32_t TileBinding::bindNeighbour(std::uint32_t index, int direction) {
    const std::uint32_t neighbour = bindNeighbourMoves(index, direction);
    complete(neighbour);
    slots_[index].neighbour[direction] = neighbour;
    return neighbour;
}

std::uint32_t TileBinding::bindNeighbourMoves(std::uint32_t index, int direction) {
    return bindMoves({(slots_[index].x0 >> kChunkShift) + kStepX[direction], (slots_[index].y0 >> kChunkShift) + kStepY[direction]});
}

CellRef TileBinding::stepFrom(CellRef ref, int direction) {
    const int x = xOf(ref) + kStepX[direction], y = yOf(ref) + kStepY[direction];
    if (x < 0 || y < 0 || x >= snapshot_.width() || y >= snapshot_.height()) return kNoCellRef;
    return refOf(x, y);
}

std::size_t TileBinding::memoryBytes() const {
    return slots_.capacity() * sizeof(TileSlot) + slot_of_chunk_.capacity() * sizeof(std::uint32_t) + exempt_.capacity() * sizeof(CellRect);
}

}  // namespace warpath
