#include "warpath/search/hierarchy.h"

#include <algorithm>
#include <cstdlib>

#include "warpath/grid/cost_tile.h"

namespace warpath {
namespace {

constexpr std::uint64_t kLongestDetour = 2;  // that an estimate of threat believes in

/// Which of a chunk, the one right of it, the one below and the one below right a cell lies in [local cell of the first, 0..127].
constexpr std::size_t quarterOf(int x, int y) { return static_cast<std::size_t>((y >> kChunkShift) * 2 + (x >> kChunkShift)); }

}  // namespace

void HierarchyView::bind(const WorldSnapshot& snapshot, const CostKey& key, const std::shared_ptr<TileStore>& store, const PortalRules& rules) {
    forgetExact();
    if (snapshot_ == snapshot && key_ == key && store_ == store && rules_ == rules) return;
    const auto kept = [&] {
        if (!snapshot_.valid() || store_ != store || !(rules_ == rules) || !(key_.metric == key.metric)) return false;
        const WorldState& a = snapshot_.state();
        const WorldState& b = snapshot.state();
        return a.world_id == b.world_id && a.rules_revision == b.rules_revision && (a.elevated_chunks != 0) == (b.elevated_chunks != 0) &&
               a.has_cover == b.has_cover;
    };
    if (kept()) {
        if (snapshot_.state().ground_revision != snapshot.state().ground_revision) {
            snapshot.state().ground.forEachDifference(snapshot_.state().ground, [&](ChunkCoord c, const ChunkGround* after, const ChunkGround* before) {
                if (changedInside(before, after, key.metric, snapshot)) {
                    std::shared_ptr<const ChunkTable>& table = tables_[indexOf(c)];
                    if (table != nullptr) before_[indexOf(c)] = std::move(table);
                    table.reset();
                    forgetGroupOf(c);
                    return;
                }
                for (int y = std::max(c.y - 1, 0); y <= std::min(c.y + 1, rows_ - 1); ++y) {
                    for (int x = std::max(c.x - 1, 0); x <= std::min(c.x + 1, columns_ - 1); ++x) {
                        tables_[indexOf({x, y})].reset();
                        before_[indexOf({x, y})].reset();
                        forgetGroupOf({x, y});
                    }
                }
            });
        }
    } else {
        columns_ = snapshot.chunkColumns();
        rows_ = snapshot.chunkRows();
        tables_.clear();
        before_.clear();
        added_.clear();
        tables_.resize(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_));
        rules_ = rules;
        groups_.clear();
        if (hasGroups()) {
            group_columns_ = (columns_ + groupSide() - 1) / groupSide();
            groups_.resize(static_cast<std::size_t>(group_columns_) * static_cast<std::size_t>(groupRows()));
        }
    }
    if (key_.threat_weight != key.threat_weight || key_.side != key.side) ++layers_key_;
    added_.resize(tables_.size());
    before_.resize(tables_.size());
    prices_layers_ = (key.threat_weight != 0 && snapshot.state().threat_chunks[key.side] != 0) || snapshot.state().congested_chunks != 0;
    // Estimates of what layers add to a row count on the smallest price of the map's ground.
    const auto smallest_f = static_cast<std::uint32_t>(std::max(CostModel(snapshot.rules(), key).smallestF(snapshot.state()), 1));
    if (smallest_f_ != smallest_f) ++layers_key_;
    smallest_f_ = smallest_f;
    snapshot_ = snapshot;
    static_snapshot_ = withoutCongestion(snapshot);
    key_ = key;
    rules_ = rules;
    store_ = store;
}

const ChunkTable& HierarchyView::fetch(ChunkCoord chunk) {
    auto& table = tables_[indexOf(chunk)];
    table = builder_.table(static_snapshot_, key_.metric, chunk, *store_, rules_, before_[indexOf(chunk)].get());
    before_[indexOf(chunk)].reset();
    return *table;
}

const GroupTable& HierarchyView::fetchGroup(std::uint32_t index) {
    const ChunkCoord place{static_cast<int>(index) % group_columns_, static_cast<int>(index) / group_columns_};
    groups_[index] = group_builder_.table(static_snapshot_, key_.metric, place, *store_, rules_, [&](ChunkCoord chunk) {
        static_cast<void>(table(chunk));
        return tables_[indexOf(chunk)];
    });
    return *groups_[index];
}

void HierarchyView::priceBlocks(const LayersUnder& under, Added& added) const {
    const CostModel model(snapshot_.rules(), key_);
    const int offset = middleOffset(key_.metric.profile.size);
    for (int block = 0; block < 64; ++block) {
        // The middles of the units that stand in the block lie so in the chunk itself and the chunks right of it and below.
        const int x0 = block % 8 * 8 + offset, y0 = block / 8 * 8 + offset;
        std::uint32_t price = 0;
        if (std::any_of(under.threat.begin(), under.threat.end(), [](const ThreatChunk* t) { return t != nullptr; })) {
            // Between the mean and the least, since ways avoid the worst of a block.
            const int step = offset == 0 ? 1 << under.threat[0]->resolution_shift : 1;
            int sum = 0, least = INT32_MAX;
            for (int y = y0; y < y0 + 8; y += step) {
                for (int x = x0; x < x0 + 8; x += step) {
                    const ThreatChunk* threat = under.threat[quarterOf(x, y)];
                    const int value = threat != nullptr ? threat->at(x & (kChunkSize - 1), y & (kChunkSize - 1)) : 0;
                    sum += value;
                    least = std::min(least, value);
                }
            }
            price = static_cast<std::uint32_t>(model.threat(sum * step * step / 64) + model.threat(least)) / 2;
        }
        std::uint32_t crowd = 0, least_crowd = UINT32_MAX;
        for (int y = y0; y < y0 + 8; ++y) {
            for (int x = x0; x < x0 + 8; ++x) {
                const CongestionChunk* congestion = under.congestion[quarterOf(x, y)];
                const std::uint32_t value = congestion != nullptr ? congestion->value[static_cast<std::size_t>(localIndex(x, y))] : 0;
                crowd += value;
                least_crowd = std::min(least_crowd, value);
            }
        }
        added.price[static_cast<std::size_t>(block)] = price + (crowd / 64 + least_crowd) / 2;
    }
}

HierarchyView::LayersUnder HierarchyView::layersUnder(ChunkCoord chunk) const {
    LayersUnder under;
    const int offset = middleOffset(key_.metric.profile.size);
    for (std::size_t i = 0; i < (offset == 0 ? 1U : 4U); ++i) {
        const ChunkCoord c{chunk.x + static_cast<int>(i & 1), chunk.y + static_cast<int>(i >> 1)};
        if (c.x >= columns_ || c.y >= rows_) continue;
        under.threat[i] = key_.threat_weight != 0 ? snapshot_.threat(key_.side, c) : nullptr;
        under.congestion[i] = snapshot_.congestion(c);
        if (under.threat[i] != nullptr) under.revisions[i] = under.threat[i]->revision;
        if (under.congestion[i] != nullptr) under.revisions[4 + i] = under.congestion[i]->revision;
        under.any = under.any || under.threat[i] != nullptr || under.congestion[i] != nullptr;
    }
    return under;
}

const std::uint32_t* HierarchyView::addedRow(ChunkCoord chunk, const ChunkTable& table, std::size_t portal) {
    const LayersUnder under = layersUnder(chunk);
    if (!under.any) return nullptr;
    std::unique_ptr<Added>& slot = added_[indexOf(chunk)];
    if (slot == nullptr) slot = std::make_unique<Added>();
    Added& added = *slot;
    const std::size_t count = table.count();
    if (added.revisions != under.revisions || added.bound != layers_key_ + 1 || added.table.get() != &table) {
        added.revisions = under.revisions;
        added.bound = layers_key_ + 1;
        added.table = tables_[indexOf(chunk)];
        priceBlocks(under, added);
        added.rows.resize(count * count);
        added.known.assign(count, false);
    }
    std::uint32_t* row = added.rows.data() + portal * count;
    if (added.known[portal]) return row;
    added.known[portal] = true;
    const int x0 = table.portals[portal].cell & (kChunkSize - 1), y0 = table.portals[portal].cell >> kChunkShift;
    for (std::size_t to = 0; to < count; ++to) {
        const int x1 = table.portals[to].cell & (kChunkSize - 1), y1 = table.portals[to].cell >> kChunkShift;
        const int dx = x1 - x0, dy = y1 - y0, wide = std::max(std::abs(dx), std::abs(dy)), narrow = std::min(std::abs(dx), std::abs(dy));
        const int samples = wide / 4 + 1;
        std::uint64_t sum = 0;
        for (int i = 0; i < samples; ++i) {  // at the middle of each part of the line
            const int x = x0 + dx * (2 * i + 1) / (2 * samples), y = y0 + dy * (2 * i + 1) / (2 * samples);
            sum += added.price[static_cast<std::size_t>((y >> 3) * 8 + (x >> 3))];
        }
        // Walls make ways longer than the line. Dear ground does too, as far as a price tells, hence the limit.
        const std::uint64_t straight = static_cast<std::uint64_t>(wide) * kStraightLength + static_cast<std::uint64_t>(narrow) * (kDiagonalLength - kStraightLength);
        const std::uint32_t way = table.cost(portal, to);
        const std::uint64_t length = way == ChunkTable::kNoWay ? straight : std::clamp<std::uint64_t>(way / smallest_f_, straight, straight * kLongestDetour);
        row[to] = static_cast<std::uint32_t>(std::min<std::uint64_t>(length * sum / static_cast<std::uint64_t>(samples), ChunkTable::kDearest));
    }
    return row;
}

void HierarchyView::setExact(ChunkCoord chunk, std::size_t portal, std::span<const std::uint32_t> costs) {
    const ChunkTable& known = table(chunk);
    Added& added = *added_[indexOf(chunk)];
    const std::size_t count = known.count();
    for (std::size_t to = 0; to < count; ++to) {
        const std::uint32_t without = known.cost(portal, to);
        if (without == ChunkTable::kNoWay) continue;
        added.rows[portal * count + to] = costs[to] == ChunkTable::kNoWay ? ChunkTable::kDearest : costs[to] - std::min(costs[to], without);
    }
    exact_.emplace_back(indexOf(chunk), portal);
}

void HierarchyView::forgetExact() {
    for (const auto& [index, portal] : exact_) added_[index]->known[portal] = false;
    exact_.clear();
}

std::size_t HierarchyView::memoryBytes() const {
    std::size_t sum = (tables_.capacity() + before_.capacity()) * sizeof(tables_[0]) + groups_.capacity() * sizeof(groups_[0]) + added_.capacity() * sizeof(added_[0]);
    for (const auto& added : added_) sum += added != nullptr ? sizeof(Added) + added->rows.capacity() * sizeof(std::uint32_t) + added->known.capacity() / 8 : 0;
    return sum;
}

}  // namespace warpath
