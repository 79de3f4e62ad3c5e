#include "warpath/grid/tile_store.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "grid/layer_revision.h"
#include "grid/metric_words.h"
#include "warpath/core/hash.h"

namespace warpath {
namespace {

/// What a tile depends on. Equal keys mean equal tiles.
struct TileKey {
    enum class Kind : std::uint8_t { Moves, Costs, Cover };
    Kind kind = Kind::Moves;
    std::uint64_t world = 0;
    std::uint64_t rules = 0;
    std::uint64_t ground = 0;      // newest revision of the 3 x 3 neighbourhood
    std::uint64_t threat = 0;      // 0: no threat, so the side does not matter
    std::uint64_t congestion = 0;
    ChunkCoord chunk;
    CostKey cost;                  // for Moves only the profile is set
    friend bool operator==(const TileKey&, const TileKey&) = default;
};

struct TileKeyHash {
    std::size_t operator()(const TileKey& k) const {
        std::uint64_t h = Hash64::mix(k.world ^ (k.rules << 48) ^ (static_cast<std::uint64_t>(k.kind) << 40));
        const auto add = [&](std::uint64_t v) { h = Hash64::mix(h ^ v); };
        add(k.ground ^ (k.threat << 32));
        add((static_cast<std::uint64_t>(static_cast<std::uint32_t>(k.chunk.x)) << 32) | static_cast<std::uint32_t>(k.chunk.y));
        for (const std::uint64_t word : wordsOf(k.cost.metric)) add(word);
        add(std::uint64_t{k.cost.threat_weight} | (std::uint64_t{k.cost.side} << 16));
        return static_cast<std::size_t>(h ^ k.congestion);
    }
};

struct Entry {
    TileKey key;
    std::shared_ptr<const void> tile;
    std::size_t bytes = 0;
};

/// Entries by key and in the order of use. What a look-up walks over lies in small arrays of its own; the entry is read once.
class TileIndex {
public:
    static constexpr std::uint32_t kNone = UINT32_MAX;

    [[nodiscard]] std::uint32_t find(const TileKey& key, std::uint32_t hash) const {
        if (heads_.empty()) return kNone;
        for (std::uint32_t i = heads_[hash & (heads_.size() - 1)]; i != kNone; i = links_[i].next) {
            if (links_[i].hash == hash && entries_[i].key == key) return i;
        }
        return kNone;
    }
    [[nodiscard]] Entry& operator[](std::uint32_t index) { return entries_[index]; }
    [[nodiscard]] std::size_t size() const { return entries_.size() - free_.size(); }
    /// @pre not empty.
    [[nodiscard]] std::uint32_t leastRecent() const { return oldest_; }

    void touch(std::uint32_t index) {
        if (index == newest_) return;
        leaveAge(index);
        enterAge(index);
    }

    /// @pre the key is not there.
    std::uint32_t add(const TileKey& key, std::uint32_t hash) {
        if (size() >= heads_.size()) grow();
        std::uint32_t index = static_cast<std::uint32_t>(entries_.size());
        if (free_.empty()) {
            entries_.emplace_back();
            links_.emplace_back();
        } else {
            index = free_.back();
            free_.pop_back();
        }
        entries_[index].key = key;
        links_[index].hash = hash;
        enterChain(index);
        enterAge(index);
        return index;
    }

    void remove(std::uint32_t index) {
        std::uint32_t* at = &heads_[links_[index].hash & (heads_.size() - 1)];
        while (*at != index) at = &links_[*at].next;
        *at = links_[index].next;
        leaveAge(index);
        entries_[index] = {};
        free_.push_back(index);
    }

private:
    struct Links {
        std::uint32_t hash = 0, next = kNone, older = kNone, newer = kNone;
    };

    void enterChain(std::uint32_t index) {
        std::uint32_t& head = heads_[links_[index].hash & (heads_.size() - 1)];
        links_[index].next = head;
        head = index;
    }
    void enterAge(std::uint32_t index) {
        links_[index].older = newest_;
        links_[index].newer = kNone;
        (newest_ != kNone ? links_[newest_].newer : oldest_) = index;
        newest_ = index;
    }
    void leaveAge(std::uint32_t index) {
        const Links& l = links_[index];
        (l.older != kNone ? links_[l.older].newer : oldest_) = l.newer;
        (l.newer != kNone ? links_[l.newer].older : newest_) = l.older;
    }
    void grow() {
        heads_.assign(std::max<std::size_t>(256, 2 * heads_.size()), kNone);
        for (std::uint32_t i = oldest_; i != kNone; i = links_[i].newer) enterChain(i);
    }

    std::vector<Entry> entries_;
    std::vector<Links> links_;
    std::vector<std::uint32_t> heads_;  // a power of two of them
    std::vector<std::uint32_t> free_;
    std::uint32_t oldest_ = kNone, newest_ = kNone;
};

/// Region tables kept per world, profile and ground; few, since each is large.
struct RegionSlot {
    std::uint64_t world = 0, rules = 0, ground = 0;
    MobilityProfile profile;
    std::shared_ptr<const RegionTable> table;
};
constexpr std::size_t kRegionTablesKept = TileStore::kMaxMetrics + 16;  // the registered ones and some for other requests

struct DigestHash {
    std::size_t operator()(const Digest128& d) const { return static_cast<std::size_t>(d.low); }
};

/// A table under its digest, or a name that leads to one.
struct TableEntry {
    std::shared_ptr<const void> table;  // null for a name
    Digest128 target;
    std::size_t bytes = 0;
    std::list<Digest128>::iterator age;
};

}  // namespace

struct TileStore::Impl {
    std::mutex mutex;  // guards everything below; tiles are compiled outside of it
    TileIndex tiles;
    std::size_t max_bytes = 0;
    TileStoreStats stats;

    std::mutex region_mutex;  // held while a table is built, so that two threads do not build the same one
    std::vector<RegionSlot> regions;  // oldest use first

    struct Registered {
        Metric metric;
        int owners = 0;
    };
    std::vector<Registered> metrics;  // guarded by `mutex`; in order of registration

    std::mutex table_mutex;  // guards the four below; tables are made outside of it
    std::unordered_map<Digest128, TableEntry, DigestHash> tables;
    std::list<Digest128> tables_by_age;
    std::size_t max_table_bytes = 0;
    TileStoreStats table_stats;

    /// @pre the lock is held.
    TableEntry* touchTable(const Digest128& key) {
        const auto it = tables.find(key);
        if (it == tables.end()) return nullptr;
        tables_by_age.splice(tables_by_age.end(), tables_by_age, it->second.age);
        return &it->second;
    }

    /// @pre the lock is held. What has to go is moved to `dropped`, to be freed after the lock.
    TableEntry& addTable(const Digest128& key, std::size_t bytes, std::vector<std::shared_ptr<const void>>& dropped) {
        const auto [it, fresh] = tables.try_emplace(key);
        if (!fresh) return it->second;
        it->second.bytes = bytes + sizeof(TableEntry) + 2 * sizeof(Digest128) + 4 * sizeof(void*);
        it->second.age = tables_by_age.insert(tables_by_age.end(), key);
        table_stats.table_bytes += it->second.bytes;
        while (table_stats.table_bytes > max_table_bytes && !(tables_by_age.front() == key)) {
            const auto oldest = tables.find(tables_by_age.front());
            table_stats.table_bytes -= oldest->second.bytes;
            ++table_stats.tables_evicted;
            dropped.push_back(std::move(oldest->second.table));
            tables.erase(oldest);
            tables_by_age.pop_front();
        }
        return it->second;
    }

    std::shared_ptr<const void> find(const TileKey& key, std::uint32_t hash) {
        const std::lock_guard lock(mutex);
        const std::uint32_t known = tiles.find(key, hash);
        if (known == TileIndex::kNone) return nullptr;
        tiles.touch(known);
        ++stats.hits;
        return tiles[known].tile;
    }

    std::shared_ptr<const void> insert(const TileKey& key, std::uint32_t hash, std::shared_ptr<const void> tile, std::size_t bytes) {
        std::vector<std::shared_ptr<const void>> dropped;  // freed after the lock
        const std::lock_guard lock(mutex);
        ++stats.compiled;
        const std::uint32_t known = tiles.find(key, hash);
        if (known != TileIndex::kNone) return tiles[known].tile;  // another thread was faster
        Entry& entry = tiles[tiles.add(key, hash)];
        entry.tile = tile;
        entry.bytes = bytes + sizeof(Entry) + 6 * sizeof(std::uint32_t);
        stats.bytes += entry.bytes;
        while (stats.bytes > max_bytes && tiles.size() > 1) {
            const std::uint32_t oldest = tiles.leastRecent();
            stats.bytes -= tiles[oldest].bytes;
            ++stats.evicted;
            dropped.push_back(std::move(tiles[oldest].tile));
            tiles.remove(oldest);
        }
        return tile;
    }

    template <class Tile, class Compile>
    std::shared_ptr<const Tile> get(const TileKey& key, Compile&& compile) {
        const auto hash = static_cast<std::uint32_t>(TileKeyHash()(key));
        if (auto found = find(key, hash)) return std::static_pointer_cast<const Tile>(std::move(found));
        auto tile = std::make_shared_for_overwrite<Tile>();
        compile(*tile);
        std::size_t bytes = sizeof(Tile);
        if constexpr (std::is_same_v<Tile, CostTile>) bytes += tile->elevation_cm.capacity() * sizeof(std::int32_t);
        return std::static_pointer_cast<const Tile>(insert(key, hash, std::move(tile), bytes));
    }
};

namespace {

TileKey baseKey(TileKey::Kind kind, const WorldSnapshot& snapshot, ChunkCoord chunk) {
    TileKey key;
    key.kind = kind;
    key.world = snapshot.state().world_id;
    key.rules = snapshot.state().rules_revision;
    key.ground = snapshot.neighbourhoodRevision(chunk);
    key.chunk = chunk;
    return key;
}

}  // namespace

TileStore::TileStore(std::size_t max_bytes, std::size_t max_table_bytes) : impl_(std::make_unique<Impl>()) {
    impl_->max_bytes = max_bytes;
    impl_->max_table_bytes = max_table_bytes;
}
TileStore::~TileStore() = default;

void TileStore::setCaps(std::size_t max_bytes, std::size_t max_table_bytes) {
    const std::scoped_lock lock(impl_->mutex, impl_->table_mutex);
    impl_->max_bytes = max_bytes;
    impl_->max_table_bytes = max_table_bytes;
}

std::shared_ptr<const MoveTile> TileStore::moves(const WorldSnapshot& snapshot, const MobilityProfile& profile, ChunkCoord chunk) {
    TileKey key = baseKey(TileKey::Kind::Moves, snapshot, chunk);
    key.cost.metric.profile = profile;
    return impl_->get<MoveTile>(key, [&](MoveTile& tile) { compileMoveTile(snapshot, profile, chunk, {}, tile); });
}

std::shared_ptr<const CoverTile> TileStore::cover(const WorldSnapshot& snapshot, ChunkCoord chunk) {
    return impl_->get<CoverTile>(baseKey(TileKey::Kind::Cover, snapshot, chunk), [&](CoverTile& tile) { compileCoverTile(snapshot, chunk, tile); });
}

std::shared_ptr<const CostTile> TileStore::costs(const WorldSnapshot& snapshot, const CostKey& cost, ChunkCoord chunk) {
    TileKey key = baseKey(TileKey::Kind::Costs, snapshot, chunk);
    key.cost = cost;
    const int size = cost.metric.profile.size;
    key.congestion = layerRevision(snapshot, size, chunk, [&](ChunkCoord c) { return snapshot.congestion(c); });
    if (cost.threat_weight != 0) key.threat = layerRevision(snapshot, size, chunk, [&](ChunkCoord c) { return snapshot.threat(cost.side, c); });
    if (key.threat == 0) key.cost.threat_weight = key.cost.side = 0;  // shared by all sides

    struct Source final : CoverSource {
        TileStore& store;
        const WorldSnapshot& snapshot;
        std::shared_ptr<const CoverTile> last;
        ChunkCoord last_chunk{-1, -1};
        Source(TileStore& st, const WorldSnapshot& sn) : store(st), snapshot(sn) {}
        const CoverTile* coverOf(ChunkCoord c) override {
            if (last == nullptr || !(c == last_chunk)) {
                last = store.cover(snapshot, c);
                last_chunk = c;
            }
            return last.get();
        }
    };
    return impl_->get<CostTile>(key, [&](CostTile& tile) {
        Source source(*this, snapshot);
        compileCostTile(snapshot, CostModel(snapshot.rules(), key.cost), chunk, source, tile);
    });
}

std::shared_ptr<const RegionTable> TileStore::regions(const WorldSnapshot& snapshot, const MobilityProfile& profile) {
    const std::lock_guard lock(impl_->region_mutex);
    const WorldState& state = snapshot.state();
    std::shared_ptr<const RegionTable> nearest;
    std::uint64_t nearest_ground = 0;
    std::vector<RegionSlot>& slots = impl_->regions;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        RegionSlot& slot = slots[i];
        if (slot.world != state.world_id || slot.rules != state.rules_revision || !(slot.profile == profile)) continue;
        if (slot.ground == state.ground_revision) {
            std::rotate(slots.begin() + static_cast<std::ptrdiff_t>(i), slots.begin() + static_cast<std::ptrdiff_t>(i) + 1, slots.end());
            return slots.back().table;
        }
        if (nearest == nullptr || slot.ground > nearest_ground) {
            nearest = slot.table;
            nearest_ground = slot.ground;
        }
    }
    auto table = RegionTable::build(snapshot, profile, nearest);
    // A newer table of the same profile replaces the older one it grew from; readers of old snapshots rebuild in the rare case that they need it.
    std::erase_if(slots, [&](const RegionSlot& s) {
        return s.world == state.world_id && s.profile == profile && (s.rules != state.rules_revision || s.ground < state.ground_revision);
    });
    slots.push_back({state.world_id, state.rules_revision, state.ground_revision, profile, table});
    if (slots.size() > kRegionTablesKept) slots.erase(slots.begin());
    return table;
}

std::shared_ptr<const void> TileStore::findTable(const Digest128& digest) {
    const std::lock_guard lock(impl_->table_mutex);
    const TableEntry* entry = impl_->touchTable(digest);
    return entry != nullptr ? entry->table : nullptr;
}

std::shared_ptr<const void> TileStore::table(const Digest128& name, const std::function<MadeTable()>& make) {
    {
        const std::lock_guard lock(impl_->table_mutex);
        if (const TableEntry* alias = impl_->touchTable(name)) {
            const Digest128 target = alias->target;
            if (const TableEntry* entry = impl_->touchTable(target)) return entry->table;
        }
    }
    const MadeTable made = make();
    std::vector<std::shared_ptr<const void>> dropped;
    const std::lock_guard lock(impl_->table_mutex);
    TableEntry* known = impl_->touchTable(made.digest);
    if (known == nullptr) {
        known = &impl_->addTable(made.digest, made.bytes, dropped);
        known->table = made.table;
        ++impl_->table_stats.tables_made;
    }
    const std::shared_ptr<const void> table = known->table;
    impl_->addTable(name, 0, dropped).target = made.digest;
    return table;
}

std::optional<Error> TileStore::registerMetric(const Metric& metric) {
    const std::lock_guard lock(impl_->mutex);
    std::vector<Impl::Registered>& metrics = impl_->metrics;
    const auto known = std::find_if(metrics.begin(), metrics.end(), [&](const Impl::Registered& r) { return r.metric == metric; });
    if (known != metrics.end()) {
        ++known->owners;
        return std::nullopt;
    }
    if (metrics.size() >= kMaxMetrics) {
        return Error{"metrics", std::to_string(metrics.size() + 1) + " metrics", "register at most " + std::to_string(kMaxMetrics) +
                                                                                     "; others are answered by exact search"};
    }
    metrics.push_back({metric, 1});
    return std::nullopt;
}

bool TileStore::unregisterMetric(const Metric& metric) {
    const std::lock_guard lock(impl_->mutex);
    std::vector<Impl::Registered>& metrics = impl_->metrics;
    const auto known = std::find_if(metrics.begin(), metrics.end(), [&](const Impl::Registered& r) { return r.metric == metric; });
    if (known == metrics.end()) return false;
    if (--known->owners == 0) metrics.erase(known);
    return true;
}

std::vector<Metric> TileStore::registeredMetrics() const {
    const std::lock_guard lock(impl_->mutex);
    std::vector<Metric> metrics;
    for (const Impl::Registered& r : impl_->metrics) metrics.push_back(r.metric);
    return metrics;
}

void TileStore::prepare(const WorldSnapshot& snapshot) {
    const std::size_t classes = snapshot.rules().unit_classes.size();
    for (const Metric& metric : registeredMetrics()) {
        if (static_cast<std::size_t>(metric.profile.unit_type) < classes) static_cast<void>(regions(snapshot, metric.profile));
    }
}

TileStoreStats TileStore::stats() const {
    TileStoreStats stats;
    {
        const std::lock_guard lock(impl_->mutex);
        stats = impl_->stats;
        stats.entries = impl_->tiles.size();
    }
    const std::lock_guard lock(impl_->table_mutex);
    stats.tables_made = impl_->table_stats.tables_made;
    stats.tables_evicted = impl_->table_stats.tables_evicted;
    stats.table_bytes = impl_->table_stats.table_bytes;
    stats.table_entries = impl_->tables.size();
    return stats;
}

void TileStore::clear() {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->tiles = {};
        impl_->stats.bytes = 0;
    }
    {
        const std::lock_guard lock(impl_->table_mutex);
        impl_->tables.clear();
        impl_->tables_by_age.clear();
        impl_->table_stats.table_bytes = 0;
    }
    const std::lock_guard lock(impl_->region_mutex);
    impl_->regions.clear();
}

}  // namespace warpath
