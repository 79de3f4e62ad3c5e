// The hierarchy over 64-cell chunks: one thread's view of its tables, and the ends of searches over portals.
//
//   HierarchyView view;                                               // one per thread
//   view.bind(snapshot, key, store, rules);
//   std::uint32_t cost = view.table(chunk).cost(from, to);            // made, or found in the store, on first touch
//   auto [entered, portal] = view.behind(chunk, to);
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/search/chunk_table.h"
#include "warpath/search/group_table.h"

namespace warpath {

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

}  // namespace warpath
