// Hierarchical search over portals (Botea, Mueller, Schaeffer 2004, "Near optimal hierarchical path-finding").
#include "warpath/search/hierarchy.h"

#include <algorithm>
#include <cstdlib>

#include "warpath/core/assert.h"
#include "warpath/grid/cost_tile.h"

namespace warpath {
namespace {

constexpr int kPortalBits = 10;
static_assert((std::size_t{1} << kPortalBits) == ChunkTable::kMaxPortals);
constexpr std::uint32_t kNoParent = UINT32_MAX;
// Nodes of the second level.
constexpr std::uint32_t kCoarse = std::uint32_t{1} << 31;
constexpr int kRankBits = 8;
static_assert((std::size_t{1} << kRankBits) == GroupTable::kMaxPortals);
constexpr Cost kBelowFirst = Cost{1} << 28;  // a way that comes later may be so much cheaper than the first one into a group
constexpr std::uint64_t kLongestDetour = 2;  // that an estimate of threat believes in

/// Which of a chunk, the one right of it, the one below and the one below right a cell lies in [local cell of the first, 0..127].
constexpr std::size_t quarterOf(int x, int y) { return static_cast<std::size_t>((y >> kChunkShift) * 2 + (x >> kChunkShift)); }

constexpr std::uint32_t nodeOf(std::uint32_t chunk_index, std::size_t portal) { return (chunk_index << kPortalBits) | static_cast<std::uint32_t>(portal); }
constexpr std::uint32_t coarseNodeOf(std::uint32_t group, std::size_t rank) { return kCoarse | (group << kRankBits) | static_cast<std::uint32_t>(rank); }

}  // namespace

void ChunkCorridor::reset(int columns, int rows) {
    const std::size_t size = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
    if (columns != columns_ || rows != rows_ || ++stamp_ == 0) {
        stamps_.assign(size, 0);
        stamp_ = 1;
    }
    columns_ = columns;
    rows_ = rows;
    chunks_.clear();
}

void ChunkCorridor::add(ChunkCoord chunk) {
    std::uint32_t& stamp = stamps_[static_cast<std::size_t>(chunk.y * columns_ + chunk.x)];
    if (stamp == stamp_) return;
    stamp = stamp_;
    chunks_.push_back(chunk);
}

void ChunkCorridor::addAround(Cell a, Cell b, int margin) {
    const int x0 = std::min(a.x, b.x) - margin, x1 = std::max(a.x, b.x) + margin;
    const int y0 = std::min(a.y, b.y) - margin, y1 = std::max(a.y, b.y) + margin;
    for (int y = std::max(y0 >> kChunkShift, 0); y <= std::min(y1 >> kChunkShift, rows_ - 1); ++y) {
        for (int x = std::max(x0 >> kChunkShift, 0); x <= std::min(x1 >> kChunkShift, columns_ - 1); ++x) add({x, y});
    }
}

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
    smallest_f_ = static_cast<std::uint32_t>(std::max(CostModel(snapshot.rules(), key).smallestF(snapshot.state()), 1));
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

std::vector<AbstractSearch::Node>& AbstractSearch::touch(std::uint32_t chunk_index, std::size_t count) {
    NodeTile& tile = tiles_[chunk_index];
    if (tile.query != query_) {
        tile.query = query_;
        tile.nodes.assign(count, {UINT64_MAX, kNoParent});
    }
    return tile.nodes;
}

AbstractSearch::GroupTile& AbstractSearch::touchGroup(HierarchyView& view, std::uint32_t group) {
    GroupTile& tile = group_tiles_[group];
    if (tile.query == query_) return tile;
    tile.query = query_;
    tile.fine = std::find(fine_groups_.begin(), fine_groups_.end(), group) != fine_groups_.end() || !view.group(group).usable;
    tile.entered = false;
    return tile;
}

AbstractResult AbstractSearch::run(HierarchyView& view, ChunkCoord start_chunk, std::span<const PortalCost> seeds, std::span<const GoalChunk> goals,
                                   const GoalShape::Bound& bound, std::uint64_t smallest_f, Cost known, int levels) {
    AbstractResult result = search(view, start_chunk, seeds, goals, bound, smallest_f, known, levels);
    if (beyond_) {
        const std::uint64_t spent = result.expansions;
        result = search(view, start_chunk, seeds, goals, bound, smallest_f, known, 1);
        result.expansions += spent;
    }
    coarse_stops_.swap(stops_);
    route_.clear();
    for (std::size_t i = 0; i < coarse_stops_.size(); ++i) {
        if (coarse_stops_[i].coarse) {
            crossGroup(view, coarse_stops_[i - 1].step, coarse_stops_[i].step, smallest_f, result);
        }
        route_.push_back(coarse_stops_[i].step);
    }
    return result;
}

void AbstractSearch::raise(HierarchyView& view, ChunkCoord chunk) {
    raised_.resize(static_cast<std::size_t>(view.columns()) * static_cast<std::size_t>(view.rows()), 0);
    std::uint8_t& times = raised_[view.indexOf(chunk)];
    if (times < UINT8_MAX) ++times;
}

void AbstractSearch::crossGroup(HierarchyView& view, const AbstractStep& from, const AbstractStep& to, std::uint64_t smallest_f, AbstractResult& result) {
    const HierarchyView::PortalEnd in = view.behind(from.chunk, from.portal);
    const ChunkTable& first = view.table(in.chunk);
    const ChunkTable& last = view.table(to.chunk);
    const ChunkPortal& out = last.portals[to.portal];
    const Cost leg = to.cost - from.cost - out.crossing;
    if (in.chunk == to.chunk && last.cost(in.portal, to.portal) == leg) return;
    leg_seeds_.clear();
    for (std::size_t p = 0; p < first.count(); ++p) {
        if (p != in.portal && first.cost(in.portal, p) != ChunkTable::kNoWay) leg_seeds_.push_back({static_cast<std::uint16_t>(p), first.cost(in.portal, p)});
    }
    leg_goal_.chunk = to.chunk;
    leg_goal_.entries.clear();
    for (std::size_t p = 0; p < last.count(); ++p) {
        if (p != to.portal && last.cost(p, to.portal) != ChunkTable::kNoWay) leg_goal_.entries.push_back({static_cast<std::uint16_t>(p), last.cost(p, to.portal)});
    }
    const auto [x, y] = cellOf(to.chunk, out);
    const AbstractResult found = search(view, in.chunk, leg_seeds_, {&leg_goal_, 1}, {x, y, x, y}, smallest_f, leg + 1, 1);
    WARPATH_ASSERT(found.cost == leg, "a table's way leads over the portals inside its group");
    result.expansions += found.expansions;
    for (const Stop& stop : stops_) route_.push_back({stop.step.chunk, stop.step.portal, from.cost + stop.step.cost});
}

AbstractResult AbstractSearch::search(HierarchyView& view, ChunkCoord start_chunk, std::span<const PortalCost> seeds, std::span<const GoalChunk> goals,
                                      const GoalShape::Bound& bound, std::uint64_t smallest_f, Cost known, int levels) {
    const std::size_t chunks = static_cast<std::size_t>(view.columns()) * static_cast<std::size_t>(view.rows());
    WARPATH_ASSERT(chunks <= (std::size_t{1} << (32 - kPortalBits)), "chunk numbers of 22 bits");
    const bool two = levels > 1 && chunks <= (std::size_t{1} << (31 - kPortalBits));
    if (tiles_.size() < chunks) tiles_.resize(chunks);
    if (two) group_tiles_.resize(std::max(group_tiles_.size(), static_cast<std::size_t>(view.groupColumns()) * static_cast<std::size_t>(view.groupRows())));
    if (++query_ == 0) {
        for (NodeTile& tile : tiles_) tile.query = 0;
        for (GroupTile& tile : group_tiles_) tile.query = 0;
        query_ = 1;
    }
    goal_of_chunk_.resize(chunks, 0);
    for (std::size_t i = 0; i < goals.size(); ++i) goal_of_chunk_[view.indexOf(goals[i].chunk)] = static_cast<std::uint32_t>(i + 1);
    fine_groups_.clear();
    if (two) {
        fine_groups_.push_back(view.groupOf(start_chunk));
        for (const GoalChunk& goal : goals) fine_groups_.push_back(view.groupOf(goal.chunk));
    }
    beyond_ = false;

    AbstractResult result;
    stops_.clear();
    Cost best = known;
    std::uint32_t best_node = kNoParent;
    const int start_x = start_chunk.x << kChunkShift, start_y = start_chunk.y << kChunkShift;
    const std::uint64_t around = std::uint64_t{2} * kChunkSize * kStraightLength;
    const std::uint64_t first = bound.octile(start_x, start_y);
    queue_.reset(bucketShift(kStraightLength * smallest_f), (first > around ? first - around : 0) * smallest_f);

    const auto reach = [&](std::vector<Node>& nodes, std::uint32_t chunk_index, ChunkCoord chunk, const ChunkTable& table, std::size_t to, Cost g,
                           std::uint32_t parent) {
        Node& node = nodes[to];
        if (node.g <= g) return;
        const ChunkPortal& portal = table.portals[to];
        const Cell beyond = cellBehind(chunk, portal);
        const std::uint64_t key = g + bound.octile(beyond.x, beyond.y) * smallest_f;
        if (key >= best) return;
        node = {g, parent};
        queue_.push(key, (std::uint64_t{nodeOf(chunk_index, to)} << 32) | static_cast<std::uint32_t>(g));
    };
    const auto enterChunk = [&](ChunkCoord chunk, std::size_t in, Cost g, std::uint32_t from) {
        const std::uint32_t index = view.indexOf(chunk);
        const ChunkTable& table = view.table(chunk);
        if (const std::uint32_t goal = goal_of_chunk_[index]; goal != 0) {
            for (const PortalCost& end : goals[goal - 1].entries) {
                if (end.portal == in && g + end.cost < best) {
                    best = g + end.cost;
                    best_node = from;
                }
            }
        }
        std::vector<Node>& nodes = touch(index, table.count());
        const std::uint32_t* row = table.costs.data() + in * table.count();
        const std::uint32_t* added = view.addedFrom(chunk, table, in);
        const Cost times = raised_.empty() ? 0 : raised_[index];
        for (std::size_t to = 0; to < table.count(); ++to) {
            const std::uint32_t crossing = table.portals[to].crossing;
            if (row[to] == ChunkTable::kNoWay || crossing == ChunkTable::kNoWay || to == in) continue;
            const Cost way = Cost{row[to]} + crossing + (added != nullptr ? added[to] : 0);
            reach(nodes, index, chunk, table, to, g + way + way / 2 * times, from);
        }
    };
    const auto enterGroup = [&](std::uint32_t group, GroupTile& tile, const GroupTable& table, std::size_t in, Cost g, std::uint32_t from) {
        if (!tile.entered) {
            tile.entered = true;
            tile.base = g - std::min(g, kBelowFirst);
            tile.best.assign(table.stride, GroupTable::kNoWay);
            tile.parent.resize(table.stride);
        }
        if (g < tile.base || g - tile.base > static_cast<Cost>(GroupTable::kDearest)) {
            beyond_ = true;
            return;
        }
        const ChunkCoord first_chunk = view.firstOf(group);
        const int x0 = first_chunk.x << kChunkShift, y0 = first_chunk.y << kChunkShift;
        std::int32_t* costs = tile.best.data();
        relaxRow(table.rowFrom(in), costs, table.stride, static_cast<std::int32_t>(g - tile.base), [&](std::size_t to, std::int32_t cost) {
            costs[to] = cost;
            tile.parent[to] = from;
            const GroupPortal& portal = table.portals[to];
            const std::uint64_t key = tile.base + static_cast<std::uint32_t>(cost) + bound.octile(x0 + portal.x, y0 + portal.y) * smallest_f;
            if (key < best) queue_.push(key, (std::uint64_t{coarseNodeOf(group, to)} << 32) | static_cast<std::uint32_t>(cost));
        });
    };

    {
        const ChunkTable& table = view.table(start_chunk);
        const std::uint32_t index = view.indexOf(start_chunk);
        std::vector<Node>& nodes = touch(index, table.count());
        for (const PortalCost& seed : seeds) {
            const std::uint32_t crossing = table.portals[seed.portal].crossing;
            if (crossing != ChunkTable::kNoWay) reach(nodes, index, start_chunk, table, seed.portal, seed.cost + crossing, kNoParent);
        }
    }

    std::uint64_t entry = 0;
    while (!beyond_ && queue_.pop(entry)) {
        if (best <= queue_.currentKey()) break;
        const auto node_id = static_cast<std::uint32_t>(entry >> 32);
        if (two && (node_id & kCoarse) != 0) {
            const std::uint32_t group = (node_id & ~kCoarse) >> kRankBits;
            const std::size_t out = node_id & (GroupTable::kMaxPortals - 1);
            const GroupTile& tile = group_tiles_[group];
            if (static_cast<std::uint32_t>(tile.best[out]) != static_cast<std::uint32_t>(entry)) continue;
            const Cost g = tile.base + static_cast<std::uint32_t>(tile.best[out]);
            if (g >= best) continue;
            ++result.expansions;
            const GroupTable& left = view.group(group);
            const GroupPortal& portal = left.portals[out];
            const std::size_t side = portal.side;
            const auto entered = static_cast<std::uint32_t>(static_cast<int>(group) + kStepY[side] * view.groupColumns() + kStepX[side]);
            GroupTile& other = touchGroup(view, entered);
            if (other.fine) {
                const HierarchyView::PortalEnd in = view.behind(view.chunkIn(group, portal.chunk), portal.portal);
                enterChunk(in.chunk, in.portal, g, node_id);
            } else {
                const GroupTable& table = view.group(entered);
                enterGroup(entered, other, table, portalBehind(left, out, table), g, node_id);
            }
            continue;
        }
        const std::uint32_t from_index = node_id >> kPortalBits;
        const std::size_t out = node_id & (ChunkTable::kMaxPortals - 1);
        const Cost g = tiles_[from_index].nodes[out].g;
        if (static_cast<std::uint32_t>(g) != static_cast<std::uint32_t>(entry) || g >= best) continue;
        ++result.expansions;
        const ChunkCoord from = view.chunkOf(from_index);
        const HierarchyView::PortalEnd in = view.behind(from, out);
        if (two) {
            const std::uint32_t entered = view.groupOf(in.chunk);
            if (entered != view.groupOf(from)) {
                GroupTile& other = touchGroup(view, entered);
                if (!other.fine) {
                    const GroupTable& table = view.group(entered);
                    const int number = view.numberIn(entered, in.chunk);
                    std::size_t rank = 0;
                    while (table.portals[rank].chunk != number || table.portals[rank].portal != in.portal) ++rank;
                    enterGroup(entered, other, table, rank, g, node_id);
                    continue;
                }
            }
        }
        enterChunk(in.chunk, in.portal, g, node_id);
    }
    for (const GoalChunk& goal : goals) goal_of_chunk_[view.indexOf(goal.chunk)] = 0;

    result.found = best != UINT64_MAX;
    result.cost = best;
    for (std::uint32_t node = best_node; node != kNoParent;) {
        if (two && (node & kCoarse) != 0) {
            const std::uint32_t group = (node & ~kCoarse) >> kRankBits;
            const std::uint32_t rank = node & (GroupTable::kMaxPortals - 1);
            const GroupTile& tile = group_tiles_[group];
            const GroupPortal& portal = view.group(group).portals[rank];
            stops_.push_back({{view.chunkIn(group, portal.chunk), portal.portal, tile.base + static_cast<std::uint32_t>(tile.best[rank])}, true});
            node = tile.parent[rank];
        } else {
            const std::uint32_t index = node >> kPortalBits;
            const std::uint32_t portal = node & (ChunkTable::kMaxPortals - 1);
            const Node& n = tiles_[index].nodes[portal];
            stops_.push_back({{view.chunkOf(index), static_cast<std::uint16_t>(portal), n.g}, false});
            node = n.parent;
        }
    }
    std::reverse(stops_.begin(), stops_.end());
    return result;
}

std::size_t AbstractSearch::memoryBytes() const {
    std::size_t sum = tiles_.capacity() * sizeof(NodeTile) + group_tiles_.capacity() * sizeof(GroupTile) + queue_.memoryBytes() + route_.capacity() * sizeof(AbstractStep);
    for (const NodeTile& tile : tiles_) sum += tile.nodes.capacity() * sizeof(Node);
    for (const GroupTile& tile : group_tiles_) sum += (tile.best.capacity() + tile.parent.capacity()) * sizeof(std::int32_t);
    return sum;
}

}  // namespace warpath
