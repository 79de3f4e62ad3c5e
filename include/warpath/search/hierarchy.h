// The hierarchy over 64-cell chunks: one thread's view of the tables, the abstract search over portals, and the corridor that it yields.
//
//   HierarchyView view;  AbstractSearch search;                       // one each per thread
//   view.bind(snapshot, key, store, rules);
//   AbstractResult found = search.run(view, start_chunk, seeds, goals, bound, smallest_f, known);
//   for (const AbstractStep& step : search.route()) corridor.add(step.chunk);
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/core/status.h"
#include "warpath/grid/bucket_queue.h"
#include "warpath/search/chunk_table.h"
#include "warpath/search/goal_shape.h"
#include "warpath/search/group_table.h"

namespace warpath {

/// A set of chunks that a search may enter. Emptied in O(1); sized once per map. Single owner.
class ChunkCorridor {
public:
    void reset(int columns, int rows);
    void add(ChunkCoord chunk);
    /// Adds the chunks of the map that have a cell in the box around two cells or within the margin of it [cells].
    void addAround(Cell a, Cell b, int margin);
    /// @pre on the map.
    [[nodiscard]] bool contains(ChunkCoord chunk) const {
        return stamps_[static_cast<std::size_t>(chunk.y * columns_ + chunk.x)] == stamp_;
    }
    [[nodiscard]] const std::vector<ChunkCoord>& chunks() const { return chunks_; }

private:
    int columns_ = 0, rows_ = 0;
    std::uint32_t stamp_ = 0;
    std::vector<std::uint32_t> stamps_;
    std::vector<ChunkCoord> chunks_;
};

/// The tables of one metric on one snapshot, fetched when first touched and kept while their ground stays. Threat and congestion are priced while
/// reading. A view holds every table that it has touched, whatever the store's cap, until their ground or the metric changes. Single owner.
class HierarchyView {
public:
    /// Makes the view stand for this snapshot and key. Of a later snapshot of the same world
    /// only the tables around changed chunks are let go; of a chunk that `changedInside` only its own.
    void bind(const WorldSnapshot& snapshot, const CostKey& key, const std::shared_ptr<TileStore>& store, const PortalRules& rules);

    /// Makes the table, or finds it in the store, on first touch. @pre inside the map.
    [[nodiscard]] const ChunkTable& table(ChunkCoord chunk) {
        const auto index = static_cast<std::size_t>(indexOf(chunk));
        return tables_[index] != nullptr ? *tables_[index] : fetch(chunk);
    }

    /// What the other side of a portal is: the chunk that it leads to, and the portal there.
    struct PortalEnd {
        ChunkCoord chunk;
        std::size_t portal = 0;
    };
    [[nodiscard]] PortalEnd behind(ChunkCoord chunk, std::size_t portal) {
        const ChunkTable& left = table(chunk);
        const std::size_t side = left.portals[portal].side;
        const ChunkCoord other{chunk.x + kStepX[side], chunk.y + kStepY[side]};
        return {other, portalBehind(left, portal, table(other))};
    }

    /// Of a group of the second level, likewise. @pre hasGroups() and inside the map.
    [[nodiscard]] const GroupTable& group(std::uint32_t index) { return groups_[index] != nullptr ? *groups_[index] : fetchGroup(index); }
    [[nodiscard]] bool hasGroups() const { return rules_.group != 0; }
    [[nodiscard]] int groupColumns() const { return group_columns_; }
    [[nodiscard]] int groupRows() const { return (rows_ + groupSide() - 1) / groupSide(); }
    [[nodiscard]] int groupSide() const { return static_cast<int>(rules_.group); }
    [[nodiscard]] std::uint32_t groupOf(ChunkCoord chunk) const {
        return static_cast<std::uint32_t>(chunk.y / groupSide() * group_columns_ + chunk.x / groupSide());
    }
    /// The first chunk of a group, and the number of a chunk in its group.
    [[nodiscard]] ChunkCoord firstOf(std::uint32_t group) const {
        return {static_cast<int>(group) % group_columns_ * groupSide(), static_cast<int>(group) / group_columns_ * groupSide()};
    }
    [[nodiscard]] int numberIn(std::uint32_t group, ChunkCoord chunk) const {
        const ChunkCoord first = firstOf(group);
        return (chunk.y - first.y) * std::min(groupSide(), columns_ - first.x) + chunk.x - first.x;
    }
    [[nodiscard]] ChunkCoord chunkIn(std::uint32_t group, int number) const {
        const ChunkCoord first = firstOf(group);
        const int wide = std::min(groupSide(), columns_ - first.x);
        return {first.x + number % wide, first.y + number / wide};
    }

    /// What threat and congestion add to the ways from one portal of a chunk to the others; null where nothing lies under the middles of units in the chunk.
    /// Estimated from the mean price of each 8 x 8 block along the straight line between two portals, for the length of the way that the table prices.
    [[nodiscard]] const std::uint32_t* addedFrom(ChunkCoord chunk, const ChunkTable& table, std::size_t portal) {
        return prices_layers_ ? addedRow(chunk, table, portal) : nullptr;
    }

    /// Replaces the estimate of one row by what was found exactly, until `forgetExact`. @param costs by portal, threat and congestion included; as
    /// ChunkTable::costs otherwise. @pre addedFrom(chunk, ...) is not null.
    void setExact(ChunkCoord chunk, std::size_t portal, std::span<const std::uint32_t> costs);
    [[nodiscard]] bool isExact(ChunkCoord chunk, std::size_t portal) const {
        return std::find(exact_.begin(), exact_.end(), std::pair{indexOf(chunk), portal}) != exact_.end();
    }
    /// Estimates count again. So what one query has found exactly never reaches another's answer.
    void forgetExact();

    /// Threat or congestion lies somewhere on the map and has a price.
    [[nodiscard]] bool pricesLayers() const { return prices_layers_; }

    [[nodiscard]] std::uint32_t indexOf(ChunkCoord chunk) const { return static_cast<std::uint32_t>(chunk.y * columns_ + chunk.x); }
    [[nodiscard]] ChunkCoord chunkOf(std::uint32_t index) const {
        return {static_cast<int>(index) % columns_, static_cast<int>(index) / columns_};
    }
    [[nodiscard]] int columns() const { return columns_; }
    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] std::uint64_t tablesBuilt() const { return builder_.built(); }
    [[nodiscard]] std::uint64_t groupsBuilt() const { return group_builder_.built(); }
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    /// Block prices of a chunk and the rows computed from them, for one revision of its layers.
    struct Added {
        std::array<std::uint64_t, 8> revisions{};  ///< Of LayersUnder.
        std::uint64_t bound = 0;
        std::shared_ptr<const ChunkTable> table;
        std::array<std::uint32_t, 64> price{};  ///< Hundredths, by block.
        std::vector<std::uint32_t> rows;
        std::vector<bool> known;
    };
    /// Threat and congestion where the middles of units can lie that stand in a chunk: on the chunk, and for units of 3 cells and more right of it, below and below right.
    struct LayersUnder {
        std::array<const ThreatChunk*, 4> threat{};
        std::array<const CongestionChunk*, 4> congestion{};
        std::array<std::uint64_t, 8> revisions{};
        bool any = false;
    };
    [[nodiscard]] LayersUnder layersUnder(ChunkCoord chunk) const;
    void priceBlocks(const LayersUnder& under, Added& added) const;
    const ChunkTable& fetch(ChunkCoord chunk);
    const GroupTable& fetchGroup(std::uint32_t index);
    void forgetGroupOf(ChunkCoord chunk) {
        if (hasGroups()) groups_[groupOf(chunk)].reset();
    }
    const std::uint32_t* addedRow(ChunkCoord chunk, const ChunkTable& table, std::size_t portal);

    WorldSnapshot snapshot_, static_snapshot_;
    CostKey key_;
    PortalRules rules_;
    std::shared_ptr<TileStore> store_;
    int columns_ = 0, rows_ = 0;
    std::vector<std::shared_ptr<const ChunkTable>> tables_;
    std::vector<std::shared_ptr<const ChunkTable>> before_;  // of chunks that changed inside alone, until the table is fetched again
    ChunkTableBuilder builder_;
    int group_columns_ = 0;
    std::vector<std::shared_ptr<const GroupTable>> groups_;
    GroupTableBuilder group_builder_;
    std::vector<std::unique_ptr<Added>> added_;
    std::vector<std::pair<std::uint32_t, std::size_t>> exact_;  // chunk, portal
    std::uint64_t layers_key_ = 0;  ///< Counts changes of side and threat weight.
    std::uint32_t smallest_f_ = 1;
    bool prices_layers_ = false;
};

/// Cost to or from one portal of a chunk.
struct PortalCost {
    std::uint16_t portal = 0;
    Cost cost = 0;
};

/// The portals of one goal chunk from which the goal can be reached inside it.
struct GoalChunk {
    ChunkCoord chunk;
    std::vector<PortalCost> entries;  ///< By portal.
};

/// Leaving `chunk` through one of its portals.
struct AbstractStep {
    ChunkCoord chunk;
    std::uint16_t portal = 0;
    Cost cost = 0;  ///< From the start to the cell behind the portal.
};

struct AbstractResult {
    bool found = false;
    Cost cost = 0;                ///< Of the best way over portals [as tables price it].
    std::uint64_t expansions = 0;  ///< Portals settled.
};

/// A* over portals. A node is "out of this chunk through this portal"; the chunk entered is looked at when the node is settled, so tables are
/// made only where the search comes by. With a second level a node is also "out of this group through this portal of its border": groups that hold neither the start
/// nor goal cells are crossed in one step, and what the way takes of them is then found chunk by chunk. Costs are those of one level, exactly; of equally dear ways
/// another one may be taken.
/// Ties: the order of the bucket queue and of the portals; equal inputs give equal routes.
/// Threads: one at a time per object.
class AbstractSearch {
public:
    /// @param start_chunk, seeds where the route begins and what its portals' cells cost from there.
    /// @param goals chunks that hold goal cells, each once. @param known a route that needs no portal costs this much (UINT64_MAX: none).
    /// @param levels 1 or 2. @pre for 2: view.hasGroups(), and neither threat nor congestion is priced.
    AbstractResult run(HierarchyView& view, ChunkCoord start_chunk, std::span<const PortalCost> seeds, std::span<const GoalChunk> goals,
                       const GoalShape::Bound& bound, std::uint64_t smallest_f, Cost known, int levels = 1);

    /// From now on what a way takes of this chunk, start and goal chunks apart, costs half as much again, once more with every call: the next `run` with one
    /// level looks for another way. The costs of its result and route are the raised ones.
    void raise(HierarchyView& view, ChunkCoord chunk);
    /// Takes back every `raise`.
    void lower() { raised_.clear(); }

    /// The last route found, from the start on. Empty when it needs no portal.
    [[nodiscard]] const std::vector<AbstractStep>& route() const { return route_; }
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    struct Node {
        Cost g;
        std::uint32_t parent;
    };
    struct NodeTile {
        std::uint32_t query = 0;
        std::vector<Node> nodes;
    };
    /// The nodes of a group of the second level, in arrays of their own so that a row is compared with them at once.
    struct GroupTile {
        std::uint32_t query = 0;
        bool fine = false;                 ///< Searched chunk by chunk.
        bool entered = false;
        Cost base = 0;
        std::vector<std::int32_t> best;    ///< Above `base`.
        std::vector<std::uint32_t> parent;
    };
    /// A node of the route. `coarse`: the chunks crossed before it are not known yet.
    struct Stop {
        AbstractStep step;
        bool coarse = false;
    };
    std::vector<Node>& touch(std::uint32_t chunk_index, std::size_t count);
    GroupTile& touchGroup(HierarchyView& view, std::uint32_t group);
    /// Finds the nodes of the best way. @return found with its cost; `stops_` hold the nodes.
    AbstractResult search(HierarchyView& view, ChunkCoord start_chunk, std::span<const PortalCost> seeds, std::span<const GoalChunk> goals, const GoalShape::Bound& bound,
                          std::uint64_t smallest_f, Cost known, int levels);
    /// Appends the steps that cross a group from one portal to another.
    void crossGroup(HierarchyView& view, const AbstractStep& from, const AbstractStep& to, std::uint64_t smallest_f, AbstractResult& result);

    std::vector<NodeTile> tiles_;
    std::vector<GroupTile> group_tiles_;
    std::uint32_t query_ = 0;
    std::vector<std::uint32_t> goal_of_chunk_;  // index into goals + 1, by chunk; cleared after each run
    std::vector<std::uint32_t> fine_groups_;
    std::vector<std::uint8_t> raised_;          // how often, by chunk; empty: none is
    bool beyond_ = false;                       // a cost was too large for the second level
    BucketQueue queue_;
    std::vector<Stop> stops_, coarse_stops_;
    std::vector<PortalCost> leg_seeds_;
    GoalChunk leg_goal_;
    std::vector<AbstractStep> route_;
};

}  // namespace warpath
