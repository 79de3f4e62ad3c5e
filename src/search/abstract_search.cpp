// Hierarchical search over portals (Botea, Mueller, Schaeffer 2004, "Near optimal hierarchical path-finding").
#include "warpath/search/abstract_search.h"

#include <algorithm>

#include "warpath/core/assert.h"

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

constexpr std::uint32_t nodeOf(std::uint32_t chunk_index, std::size_t portal) { return (chunk_index << kPortalBits) | static_cast<std::uint32_t>(portal); }
constexpr std::uint32_t coarseNodeOf(std::uint32_t group, std::size_t rank) { return kCoarse | (group << kRankBits) | static_cast<std::uint32_t>(rank); }
constexpr std::uint32_t portalOfNode(std::uint32_t node) { return node & (ChunkTable::kMaxPortals - 1); }
constexpr std::uint32_t groupOfNode(std::uint32_t node) { return (node & ~kCoarse) >> kRankBits; }
constexpr std::uint32_t rankOfNode(std::uint32_t node) { return node & (GroupTable::kMaxPortals - 1); }

}  // namespace

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

inline void AbstractSearch::reach(const Run& run, std::vector<Node>& nodes, std::uint32_t chunk_index, ChunkCoord chunk, const ChunkTable& table, std::size_t to, Cost g,
                                  std::uint32_t parent) {
    Node& node = nodes[to];
    if (node.g <= g) return;
    const Cell beyond = cellBehind(chunk, table.portals[to]);
    const std::uint64_t key = g + run.bound.octile(beyond.x, beyond.y) * run.smallest_f;
    if (key >= run.best) return;
    node = {g, parent};
    queue_.push(key, (std::uint64_t{nodeOf(chunk_index, to)} << 32) | static_cast<std::uint32_t>(g));
}

void AbstractSearch::begin(Run& run, ChunkCoord start_chunk, std::span<const PortalCost> seeds) {
    HierarchyView& view = run.view;
    const std::size_t chunks = static_cast<std::size_t>(view.columns()) * static_cast<std::size_t>(view.rows());
    if (tiles_.size() < chunks) tiles_.resize(chunks);
    if (run.two_levels) {
        group_tiles_.resize(std::max(group_tiles_.size(), static_cast<std::size_t>(view.groupColumns()) * static_cast<std::size_t>(view.groupRows())));
    }
    if (++query_ == 0) {
        for (NodeTile& tile : tiles_) tile.query = 0;
        for (GroupTile& tile : group_tiles_) tile.query = 0;
        query_ = 1;
    }
    goal_of_chunk_.resize(chunks, 0);
    for (std::size_t i = 0; i < run.goals.size(); ++i) goal_of_chunk_[view.indexOf(run.goals[i].chunk)] = static_cast<std::uint32_t>(i + 1);
    fine_groups_.clear();
    if (run.two_levels) {
        fine_groups_.push_back(view.groupOf(start_chunk));
        for (const GoalChunk& goal : run.goals) fine_groups_.push_back(view.groupOf(goal.chunk));
    }
    beyond_ = false;
    stops_.clear();
    const std::uint64_t around = std::uint64_t{2} * kChunkSize * kStraightLength;
    const std::uint64_t first = run.bound.octile(start_chunk.x << kChunkShift, start_chunk.y << kChunkShift);
    queue_.reset(bucketShift(kStraightLength * run.smallest_f), (first > around ? first - around : 0) * run.smallest_f);

    const ChunkTable& table = view.table(start_chunk);
    const std::uint32_t index = view.indexOf(start_chunk);
    std::vector<Node>& nodes = touch(index, table.count());
    for (const PortalCost& seed : seeds) {
        const std::uint32_t crossing = table.portals[seed.portal].crossing;
        if (crossing != ChunkTable::kNoWay) reach(run, nodes, index, start_chunk, table, seed.portal, seed.cost + crossing, kNoParent);
    }
}

void AbstractSearch::enterChunk(Run& run, ChunkCoord chunk, std::size_t in, Cost g, std::uint32_t from) {
    const std::uint32_t index = run.view.indexOf(chunk);
    const ChunkTable& table = run.view.table(chunk);
    if (const std::uint32_t goal = goal_of_chunk_[index]; goal != 0) {
        for (const PortalCost& end : run.goals[goal - 1].entries) {
            if (end.portal == in && g + end.cost < run.best) {
                run.best = g + end.cost;
                run.best_node = from;
            }
        }
    }
    std::vector<Node>& nodes = touch(index, table.count());
    const std::uint32_t* row = table.costs.data() + in * table.count();
    const std::uint32_t* added = run.view.addedFrom(chunk, table, in);
    const Cost times = raised_.empty() ? 0 : raised_[index];
    for (std::size_t to = 0; to < table.count(); ++to) {
        const std::uint32_t crossing = table.portals[to].crossing;
        if (row[to] == ChunkTable::kNoWay || crossing == ChunkTable::kNoWay || to == in) continue;
        const Cost way = Cost{row[to]} + crossing + (added != nullptr ? added[to] : 0);
        reach(run, nodes, index, chunk, table, to, g + way + way / 2 * times, from);
    }
}

void AbstractSearch::enterGroup(const Run& run, std::uint32_t group, GroupTile& tile, const GroupTable& table, std::size_t in, Cost g, std::uint32_t from) {
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
    const ChunkCoord first_chunk = run.view.firstOf(group);
    const int x0 = first_chunk.x << kChunkShift, y0 = first_chunk.y << kChunkShift;
    std::int32_t* costs = tile.best.data();
    relaxRow(table.rowFrom(in), costs, table.stride, static_cast<std::int32_t>(g - tile.base), [&](std::size_t to, std::int32_t cost) {
        costs[to] = cost;
        tile.parent[to] = from;
        const GroupPortal& portal = table.portals[to];
        const std::uint64_t key = tile.base + static_cast<std::uint32_t>(cost) + run.bound.octile(x0 + portal.x, y0 + portal.y) * run.smallest_f;
        if (key < run.best) queue_.push(key, (std::uint64_t{coarseNodeOf(group, to)} << 32) | static_cast<std::uint32_t>(cost));
    });
}

void AbstractSearch::settleGroupNode(Run& run, std::uint32_t node_id, std::uint32_t g_when_queued) {
    HierarchyView& view = run.view;
    const std::uint32_t group = groupOfNode(node_id);
    const std::size_t out = rankOfNode(node_id);
    const GroupTile& tile = group_tiles_[group];
    if (static_cast<std::uint32_t>(tile.best[out]) != g_when_queued) return;
    const Cost g = tile.base + static_cast<std::uint32_t>(tile.best[out]);
    if (g >= run.best) return;
    ++run.expansions;
    const GroupTable& left = view.group(group);
    const GroupPortal& portal = left.portals[out];
    const std::size_t side = portal.side;
    const auto entered = static_cast<std::uint32_t>(static_cast<int>(group) + kStepY[side] * view.groupColumns() + kStepX[side]);
    GroupTile& other = touchGroup(view, entered);
    if (other.fine) {
        const HierarchyView::PortalEnd in = view.behind(view.chunkIn(group, portal.chunk), portal.portal);
        enterChunk(run, in.chunk, in.portal, g, node_id);
    } else {
        const GroupTable& table = view.group(entered);
        enterGroup(run, entered, other, table, portalBehind(left, out, table), g, node_id);
    }
}

void AbstractSearch::settleChunkNode(Run& run, std::uint32_t node_id, std::uint32_t g_when_queued) {
    HierarchyView& view = run.view;
    const std::uint32_t index = node_id >> kPortalBits;
    const std::size_t out = portalOfNode(node_id);
    const Cost g = tiles_[index].nodes[out].g;
    if (static_cast<std::uint32_t>(g) != g_when_queued || g >= run.best) return;
    ++run.expansions;
    const ChunkCoord from = view.chunkOf(index);
    const HierarchyView::PortalEnd in = view.behind(from, out);
    if (run.two_levels) {
        const std::uint32_t entered = view.groupOf(in.chunk);
        if (entered != view.groupOf(from)) {
            GroupTile& other = touchGroup(view, entered);
            if (!other.fine) {
                const GroupTable& table = view.group(entered);
                const int number = view.numberIn(entered, in.chunk);
                std::size_t rank = 0;
                while (table.portals[rank].chunk != number || table.portals[rank].portal != in.portal) ++rank;
                return enterGroup(run, entered, other, table, rank, g, node_id);
            }
        }
    }
    enterChunk(run, in.chunk, in.portal, g, node_id);
}

AbstractResult AbstractSearch::search(HierarchyView& view, ChunkCoord start_chunk, std::span<const PortalCost> seeds, std::span<const GoalChunk> goals,
                                      const GoalShape::Bound& bound, std::uint64_t smallest_f, Cost known, int levels) {
    const std::size_t chunks = static_cast<std::size_t>(view.columns()) * static_cast<std::size_t>(view.rows());
    WARPATH_ASSERT(chunks <= (std::size_t{1} << (32 - kPortalBits)), "chunk numbers of 22 bits");
    const bool two_levels = levels > 1 && chunks <= (std::size_t{1} << (31 - kPortalBits));
    Run run{.view = view, .goals = goals, .bound = bound, .smallest_f = smallest_f, .two_levels = two_levels, .best = known, .best_node = kNoParent};
    begin(run, start_chunk, seeds);
    std::uint64_t entry = 0;
    while (!beyond_ && queue_.pop(entry)) {
        if (run.best <= queue_.currentKey()) break;
        const auto node_id = static_cast<std::uint32_t>(entry >> 32), g = static_cast<std::uint32_t>(entry);
        if (two_levels && (node_id & kCoarse) != 0) {
            settleGroupNode(run, node_id, g);
        } else {
            settleChunkNode(run, node_id, g);
        }
    }
    for (const GoalChunk& goal : goals) goal_of_chunk_[view.indexOf(goal.chunk)] = 0;
    traceBack(run);
    return {.found = run.best != UINT64_MAX, .cost = run.best, .expansions = run.expansions};
}

void AbstractSearch::traceBack(const Run& run) {
    for (std::uint32_t node = run.best_node; node != kNoParent;) {
        if (run.two_levels && (node & kCoarse) != 0) {
            const std::uint32_t group = groupOfNode(node), rank = rankOfNode(node);
            const GroupTile& tile = group_tiles_[group];
            const GroupPortal& portal = run.view.group(group).portals[rank];
            stops_.push_back({{run.view.chunkIn(group, portal.chunk), portal.portal, tile.base + static_cast<std::uint32_t>(tile.best[rank])}, true});
            node = tile.parent[rank];
        } else {
            const std::uint32_t index = node >> kPortalBits, portal = portalOfNode(node);
            const Node& n = tiles_[index].nodes[portal];
            stops_.push_back({{run.view.chunkOf(index), static_cast<std::uint16_t>(portal), n.g}, false});
            node = n.parent;
        }
    }
    std::reverse(stops_.begin(), stops_.end());
}

std::size_t AbstractSearch::memoryBytes() const {
    std::size_t sum = tiles_.capacity() * sizeof(NodeTile) + group_tiles_.capacity() * sizeof(GroupTile) + queue_.memoryBytes() + route_.capacity() * sizeof(AbstractStep);
    for (const NodeTile& tile : tiles_) sum += tile.nodes.capacity() * sizeof(Node);
    for (const GroupTile& tile : group_tiles_) sum += (tile.best.capacity() + tile.parent.capacity()) * sizeof(std::int32_t);
    return sum;
}

}  // namespace warpath
