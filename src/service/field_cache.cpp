#include "service/field_cache.h"

#include <algorithm>
#include <utility>

namespace warpath::service_detail {
namespace {

/// Whether the ground of a chunk can reach into a field: a tile there or beside it, for tiled ones also a chunk that the search over portals looked at. Fields that
/// are still being made cover their whole area, as do tiled ones with units that were cut off: any change may let these in.
bool touches(const FieldResult* result, const CellRect& area, const WorldSnapshot& snapshot, ChunkCoord chunk) {
    for (int y = chunk.y - 1; y <= chunk.y + 1; ++y) {
        for (int x = chunk.x - 1; x <= chunk.x + 1; ++x) {
            if (x < 0 || y < 0 || x >= snapshot.chunkColumns() || y >= snapshot.chunkRows()) continue;
            if (result != nullptr && result->field != nullptr && result->cut_off == 0) {
                const FlowField& field = *result->field;
                if (field.tile({x, y}) != nullptr || (field.coarse() != nullptr && field.coarse()->knows({x, y}))) return true;
                continue;
            }
            const CellRect cells{(x << kChunkShift) + snapshot.origin().x, (y << kChunkShift) + snapshot.origin().y, kChunkSize, kChunkSize};
            if (!intersect(cells, area).empty()) return true;
        }
    }
    return false;
}

void mark(FieldStaleness& stale, bool ground) { (ground ? stale.ground : stale.prices) = true; }

}  // namespace

void FieldEntry::publish(std::shared_ptr<const FieldResult> result, const WorldSnapshot& snapshot) {
    bytes = result->field != nullptr ? result->field->memoryBytes() : 0;
    current = {std::move(result), snapshot};
}

void FieldCache::see(const WorldSnapshot& snapshot) {
    if (seen_ == snapshot) return;
    const WorldSnapshot before = std::exchange(seen_, snapshot);
    if (entries_.empty()) return;
    const WorldState& now = snapshot.state();
    if (!before.valid() || before.state().world_id != now.world_id || before.state().rules_revision != now.rules_revision) {
        std::vector<FieldId> gone;
        for (const auto& [id, entry] : entries_) {
            if (entry.key.world_id != now.world_id || entry.key.rules_revision != now.rules_revision) gone.push_back(id);
        }
        for (const FieldId id : gone) drop(id);
        if (!before.valid() || before.state().world_id != now.world_id) return;
    }
    if (before.state().ground_revision != now.ground_revision) {
        now.ground.forEachDifference(before.state().ground, [&](ChunkCoord c, const auto*, const auto*) { markChunk(snapshot, c, true, -1); });
    }
    for (int side = 0; side < kMaxSides; ++side) {
        const auto s = static_cast<std::size_t>(side);
        if (now.threat_chunks[s] == 0 && before.state().threat_chunks[s] == 0) continue;
        now.threat[s].forEachDifference(before.state().threat[s], [&](ChunkCoord c, const auto*, const auto*) { markChunk(snapshot, c, false, side); });
    }
    if (now.congested_chunks != 0 || before.state().congested_chunks != 0) {
        now.congestion.forEachDifference(before.state().congestion, [&](ChunkCoord c, const auto*, const auto*) { markChunk(snapshot, c, false, -1); });
    }
}

/// @param side whose threat changed; -1: what concerns all.
void FieldCache::markChunk(const WorldSnapshot& snapshot, ChunkCoord chunk, bool ground, int side) {
    for (auto& [id, entry] : entries_) {
        if (side >= 0 && (entry.key.cost.threat_weight == 0 || entry.key.cost.side != side)) continue;
        const auto marked = [ground](const FieldStaleness& stale) { return ground ? stale.ground : stale.prices; };
        if (!marked(entry.stale) && entry.current.result != nullptr && touches(entry.current.result.get(), entry.key.area, snapshot, chunk)) mark(entry.stale, ground);
        for (const auto& build : entry.builds) {
            if (!marked(build->stale) && touches(nullptr, entry.key.area, snapshot, chunk)) mark(build->stale, ground);
        }
    }
}

FieldEntry& FieldCache::entryOf(const FieldKey& key, const FieldRequest& request) {
    const std::uint64_t hash = hashOf(key);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
        FieldEntry& entry = entries_.at(at->second);
        if (entry.key == key) return entry;
    }
    const auto id = static_cast<FieldId>(++last_id_);
    by_hash_.emplace(hash, id);
    FieldEntry& entry = entries_[id];
    entry.id = id;
    entry.key = key;
    entry.request = request;
    return entry;
}

const FieldEntry* FieldCache::smaller(const FieldEntry& entry) const {
    if (!entry.key.tiled) return nullptr;
    const auto before = [](Cell a, Cell b) { return a.y != b.y ? a.y < b.y : a.x < b.x; };
    const FieldEntry* best = nullptr;
    for (const auto& [id, other] : entries_) {
        if (!differInPositions(other.key, entry.key) || other.current.result == nullptr || other.current.result->field == nullptr) continue;
        const std::vector<Cell>&all = entry.key.from, &some = other.key.from;
        if (!other.current.result->field->info().tiled || !std::includes(all.begin(), all.end(), some.begin(), some.end(), before)) continue;
        if (best == nullptr || some.size() > best->key.from.size()) best = &other;
    }
    return best;
}

FieldEntry* FieldCache::find(FieldId id) {
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : &found->second;
}

void FieldCache::drop(FieldId id) {
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    const auto [first, last] = by_hash_.equal_range(hashOf(found->second.key));
    for (auto at = first; at != last; ++at) {
        if (at->second != id) continue;
        by_hash_.erase(at);
        break;
    }
    entries_.erase(found);
}

void FieldCache::trim(std::uint64_t tick) {
    std::vector<std::pair<std::uint64_t, FieldId>> idle;  // by last use, then id
    std::size_t kept = entries_.size(), size = 0;
    for (const auto& [id, entry] : entries_) {
        size += entry.bytes;
        // A renewal that no request waits for keeps nobody: while the ground changes all the time every field has one under way.
        const bool wanted = std::any_of(entry.builds.begin(), entry.builds.end(), [](const auto& build) { return !build->renews || !build->askers.empty(); });
        if (!wanted) idle.emplace_back(entry.used_tick, id);
    }
    std::sort(idle.begin(), idle.end());
    for (const auto& [used, id] : idle) {
        const bool unused = tick - used > options_.keep_ticks;
        // One field stays however large it is, or its answer would name what is gone.
        const bool crowded = used < tick && kept > 1 && (kept > options_.max_fields || size > options_.max_bytes);
        if (!unused && !crowded) continue;
        size -= entries_.at(id).bytes;
        --kept;
        drop(id);
    }
}

std::size_t FieldCache::bytes() const {
    std::size_t sum = 0;
    for (const auto& [id, entry] : entries_) sum += entry.bytes;
    return sum;
}

}  // namespace warpath::service_detail
