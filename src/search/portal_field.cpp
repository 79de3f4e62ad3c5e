// A* over portals against the steps (Botea, Mueller, Schaeffer 2004, "Near optimal hierarchical path-finding", turned round for many starts).
#include "warpath/search/portal_field.h"

#include <algorithm>

#include "warpath/core/assert.h"

namespace warpath {
namespace {

constexpr int kPortalBits = 10;
static_assert((std::size_t{1} << kPortalBits) == ChunkTable::kMaxPortals);

/// The least g among a group's portals that are final; UINT64_MAX when there is none.
template <class Nodes>
Cost leastOf(const PortalGroup& group, const Nodes& nodes, Cost below) {
    Cost least = UINT64_MAX;
    for (const std::uint16_t p : group.portals) least = nodes[p].g < below ? std::min(least, nodes[p].g) : least;
    return least;
}

}  // namespace

std::vector<PortalField::Node>& PortalField::touch(std::uint32_t chunk_index, std::size_t count) {
    NodeTile& tile = tiles_[chunk_index];
    if (tile.query != query_) {
        tile.query = query_;
        tile.nodes.assign(count, {});
        touched_.push_back(chunk_index);
    }
    return tile.nodes;
}

Cost PortalField::keyOf(ChunkCoord chunk, const ChunkPortal& portal, Cost g) const {
    const Cell c = cellOf(chunk, portal);
    return g + bound_.octile(c.x, c.y) * smallest_f_;
}

/// From a portal's cell the goal costs `rest`: so much from the other end of the portal, and the step.
void PortalField::reach(ChunkCoord chunk, std::size_t portal, Cost rest) {
    const HierarchyView::PortalEnd twin = view_->behind(chunk, portal);
    const std::uint32_t index = view_->indexOf(twin.chunk);
    const ChunkTable& beyond = view_->table(twin.chunk);
    const ChunkPortal& out = beyond.portals[twin.portal];
    Node& node = touch(index, beyond.count())[twin.portal];
    if (out.crossing == ChunkTable::kNoWay) return;
    const Cost g = rest + out.crossing;
    if (node.g <= g) return;
    node.g = g;
    const auto id = (std::uint64_t{index} << kPortalBits) | twin.portal;
    queue_.push(keyOf(twin.chunk, out, g), (id << 32) | static_cast<std::uint32_t>(g));
}

bool PortalField::run(HierarchyView& view, std::span<const GoalChunk> goals, std::span<const PortalGroup> groups, std::uint64_t smallest_f) {
    const std::size_t chunks = static_cast<std::size_t>(view.columns()) * static_cast<std::size_t>(view.rows());
    WARPATH_ASSERT(chunks <= (std::size_t{1} << (32 - kPortalBits)), "chunk numbers of 22 bits");
    view_ = &view;
    goals_ = goals;
    smallest_f_ = smallest_f;
    expansions_ = 0;
    legs_.clear();
    touched_.clear();
    if (tiles_.size() < chunks) tiles_.resize(chunks);
    if (++query_ == 0) {
        for (NodeTile& tile : tiles_) tile.query = 0;
        query_ = 1;
    }
    bound_ = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    std::vector<bool> holds_group(chunks);
    for (const PortalGroup& group : groups) {
        const int x = group.chunk.x << kChunkShift, y = group.chunk.y << kChunkShift;
        bound_ = {std::min(bound_.x0, x), std::min(bound_.y0, y), std::max(bound_.x1, x + kChunkSize - 1), std::max(bound_.y1, y + kChunkSize - 1)};
        holds_group[view.indexOf(group.chunk)] = true;
        touch(view.indexOf(group.chunk), view.table(group.chunk).count());
    }
    limit_ = 0;
    if (groups.empty()) return true;
    Cost lowest = UINT64_MAX;
    for (const GoalChunk& goal : goals) {
        const ChunkTable& table = view.table(goal.chunk);
        touch(view.indexOf(goal.chunk), table.count());
        for (const PortalCost& end : goal.entries) lowest = std::min(lowest, keyOf(goal.chunk, table.portals[end.portal], end.cost));
    }
    queue_.reset(bucketShift(kStraightLength * smallest_f), lowest == UINT64_MAX ? 0 : lowest);
    for (const GoalChunk& goal : goals) {
        for (const PortalCost& end : goal.entries) reach(goal.chunk, end.portal, end.cost);
    }

    // A unit of a group leaves through a portal from which no other one of the group is nearer: none costs more than the best one by what it costs to get there.
    std::size_t met = 0;
    std::vector<bool> is_met(groups.size());
    Cost farthest = 0;
    const auto meet = [&](Cost below) {
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (is_met[i]) continue;
            const PortalGroup& group = groups[i];
            const std::vector<Node>& nodes = tiles_[view.indexOf(group.chunk)].nodes;
            const Cost least = leastOf(group, nodes, below);
            if (least == UINT64_MAX) continue;
            is_met[i] = true;
            ++met;
            const ChunkTable& table = view.table(group.chunk);
            Cost detour = 0;
            for (const std::uint16_t best : group.portals) {
                if (nodes[best].g != least) continue;
                for (const std::uint16_t p : group.portals) {
                    if (table.cost(p, best) == ChunkTable::kNoWay) continue;
                    const std::uint32_t* added = view.addedFrom(group.chunk, table, p);
                    detour = std::max<Cost>(detour, Cost{table.cost(p, best)} + (added != nullptr ? added[best] : 0));
                }
                break;
            }
            farthest = std::max(farthest, least + detour);
        }
    };
    bool ask = false;
    Cost bucket = queue_.currentKey();
    limit_ = UINT64_MAX;
    std::uint64_t entry = 0;
    while (queue_.pop(entry)) {
        if (queue_.currentKey() != bucket) {
            bucket = queue_.currentKey();
            if (ask) meet(bucket);
            ask = false;
            if (met == groups.size() && bucket > farthest) {
                limit_ = farthest;
                break;
            }
        }
        const auto id = static_cast<std::uint32_t>(entry >> 32);
        const std::uint32_t index = id >> kPortalBits;
        const std::size_t out = id & (ChunkTable::kMaxPortals - 1);
        const Cost g = tiles_[index].nodes[out].g;
        if (static_cast<std::uint32_t>(g) != static_cast<std::uint32_t>(entry)) continue;
        ++expansions_;
        ask = ask || holds_group[index];
        const ChunkCoord chunk = view.chunkOf(index);
        const ChunkTable& table = view.table(chunk);
        const std::uint32_t* added = view.addedFrom(chunk, table, out);  // the price of a line, whichever way it is walked
        for (std::size_t in = 0; in < table.count(); ++in) {
            const std::uint32_t cost = table.cost(in, out);
            if (cost == ChunkTable::kNoWay || in == out) continue;
            reach(chunk, in, g + cost + (added != nullptr ? added[in] : 0));
        }
    }
    if (limit_ == UINT64_MAX) meet(UINT64_MAX);

    for (const PortalGroup& group : groups) {
        const ChunkTable& table = view.table(group.chunk);
        const std::vector<Node>& nodes = tiles_[view.indexOf(group.chunk)].nodes;
        for (const std::uint16_t p : group.portals) {
            if (!isFinal(group.chunk, table.portals[p], nodes[p].g)) continue;
            const bool left_here = std::none_of(group.portals.begin(), group.portals.end(), [&](std::uint16_t other) {
                if (other == p || table.cost(p, other) == ChunkTable::kNoWay || !isFinal(group.chunk, table.portals[other], nodes[other].g)) return false;
                const std::uint32_t* added = view.addedFrom(group.chunk, table, other);
                const Cost around = nodes[other].g + table.cost(p, other) + (added != nullptr ? added[p] : 0);
                return around < nodes[p].g || (around == nodes[p].g && (table.cost(p, other) != 0 || other < p));
            });
            if (left_here) follow(group.chunk, p);
        }
    }
    return met == groups.size();
}

bool PortalField::isFinal(ChunkCoord chunk, const ChunkPortal& portal, Cost g) const { return g != UINT64_MAX && keyOf(chunk, portal, g) <= limit_; }

/// Notes the legs from a portal to the goal.
void PortalField::follow(ChunkCoord chunk, std::size_t portal) {
    Cell from = cellOf(chunk, view_->table(chunk).portals[portal]);
    while (true) {
        const ChunkTable& table = view_->table(chunk);
        legs_.push_back({from, cellOf(chunk, table.portals[portal])});
        Node& node = tiles_[view_->indexOf(chunk)].nodes[portal];
        if (node.on_way) return;
        node.on_way = true;
        const HierarchyView::PortalEnd twin = view_->behind(chunk, portal);
        const ChunkTable& entered = view_->table(twin.chunk);
        from = cellOf(twin.chunk, entered.portals[twin.portal]);
        Cost best = UINT64_MAX;
        for (const GoalChunk& goal : goals_) {
            if (!(goal.chunk == twin.chunk)) continue;
            for (const PortalCost& end : goal.entries) best = end.portal == twin.portal ? std::min(best, end.cost) : best;
        }
        std::size_t next = ChunkTable::kMaxPortals;
        const std::vector<Node>& nodes = touch(view_->indexOf(twin.chunk), entered.count());
        for (std::size_t out = 0; out < entered.count(); ++out) {
            const std::uint32_t cost = entered.cost(twin.portal, out);
            if (cost == ChunkTable::kNoWay || out == twin.portal || !isFinal(twin.chunk, entered.portals[out], nodes[out].g)) continue;
            const std::uint32_t* added = view_->addedFrom(twin.chunk, entered, out);
            const Cost through = nodes[out].g + cost + (added != nullptr ? added[twin.portal] : 0);
            if (through >= best) continue;
            best = through;
            next = out;
        }
        if (next == ChunkTable::kMaxPortals) {  // the goal's chunk
            legs_.push_back({from, from});
            return;
        }
        chunk = twin.chunk;
        portal = next;
    }
}

std::shared_ptr<CoarseFlow> PortalField::coarse() const {
    std::vector<std::uint32_t> chunks = touched_;
    std::sort(chunks.begin(), chunks.end());
    auto made = std::make_shared<CoarseFlow>(view_->columns(), static_cast<std::uint32_t>(smallest_f_));
    std::vector<CoarseFlow::Way> ways;
    for (const std::uint32_t index : chunks) {
        const ChunkCoord chunk = view_->chunkOf(index);
        const ChunkTable& table = view_->table(chunk);
        const std::vector<Node>& nodes = tiles_[index].nodes;
        ways.clear();
        for (std::size_t p = 0; p < table.count(); ++p) {
            const ChunkPortal& portal = table.portals[p];
            if (isFinal(chunk, portal, nodes[p].g)) ways.push_back({portal.cell, portal.direction, nodes[p].g});
        }
        made->add(chunk, ways);
    }
    return made;
}

std::size_t PortalField::memoryBytes() const {
    std::size_t sum = tiles_.capacity() * sizeof(NodeTile) + touched_.capacity() * sizeof(std::uint32_t) + queue_.memoryBytes() + legs_.capacity() * sizeof(Leg);
    for (const NodeTile& tile : tiles_) sum += tile.nodes.capacity() * sizeof(Node);
    return sum;
}

}  // namespace warpath
