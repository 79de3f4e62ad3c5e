// What the hierarchy knows of one chunk: its portals and the exact cost between each two of them inside the chunk.
//
//   ChunkTableBuilder builder;                                           // one per thread
//   std::shared_ptr<const ChunkTable> t = builder.table(snapshot, metric, {3, 5}, store, rules);
//   std::uint32_t cost = t->cost(from, to);                              // kNoWay where none leads inside the chunk
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/grid/tile_store.h"

namespace warpath {

/// How dense the portals stand.
struct PortalRules {
    /// Portals along a wide entrance stand about this far apart [cells] [1..64] [bench/long_distance_bench].
    std::uint32_t spacing = 12;
    /// Chunks along a side of a group of the second level [0: no second level; 2..8] [4: bench/long_distance_bench].
    std::uint32_t group = 4;
    /// Straight distance from which on the second level is used [cells] [bench/long_distance_bench].
    std::uint32_t group_distance = 1000;
    friend bool operator==(const PortalRules&, const PortalRules&) = default;
};

/// One end of a crossing between two chunks. Both chunks keep their own end, at the same rank on the side that they share.
struct ChunkPortal {
    std::uint16_t cell = 0;       ///< Local index of the end in this chunk.
    std::uint8_t side = 0;        ///< Direction of the neighbouring chunk; odd where two chunks meet at a corner alone.
    std::uint8_t direction = 0;   ///< Direction of the step out of this chunk.
    std::uint32_t crossing = 0;   ///< What that step costs (no threat, no congestion); ChunkTable::kNoWay where only the way in is legal.
    friend bool operator==(const ChunkPortal&, const ChunkPortal&) = default;
};

/// Immutable. A pure function of the ground of the chunk and its eight neighbours, the metric and the portal rules; threat and congestion never enter.
/// Costs of 32 bits; what would go beyond is cut off at kDearest, so that reachability stays exact. Heights are priced without rounding each step.
struct ChunkTable {
    static constexpr std::uint32_t kNoWay = UINT32_MAX;
    static constexpr std::uint32_t kDearest = UINT32_MAX - 1;
    static constexpr std::size_t kMaxPortals = 1024;

    std::vector<ChunkPortal> portals;         ///< By side, then along the side.
    std::array<std::uint16_t, 9> side_begin{};  ///< Portals of side s: side_begin[s] .. side_begin[s + 1].
    std::vector<std::uint32_t> costs;         ///< costs[from * count + to]: from one portal's cell to another's.
    Digest128 digest;                         ///< Of all of the above.

    [[nodiscard]] std::size_t count() const { return portals.size(); }
    [[nodiscard]] std::uint32_t cost(std::size_t from, std::size_t to) const { return costs[from * portals.size() + to]; }
    [[nodiscard]] std::size_t memoryBytes() const {
        return sizeof(*this) + portals.capacity() * sizeof(ChunkPortal) + costs.capacity() * sizeof(std::uint32_t);
    }
    friend bool operator==(const ChunkTable&, const ChunkTable&) = default;
};

/// The end of a portal in its chunk [grid cells].
[[nodiscard]] inline Cell cellOf(ChunkCoord chunk, const ChunkPortal& portal) {
    return {(chunk.x << kChunkShift) + (portal.cell & (kChunkSize - 1)), (chunk.y << kChunkShift) + (portal.cell >> kChunkShift)};
}
/// The cell that the step out of the chunk leads to.
[[nodiscard]] inline Cell cellBehind(ChunkCoord chunk, const ChunkPortal& portal) {
    const Cell end = cellOf(chunk, portal);
    return {end.x + kStepX[portal.direction], end.y + kStepY[portal.direction]};
}
/// The number that a portal of the chunk `left` has in the chunk `entered` on its other side. Also of groups.
template <class Table>
[[nodiscard]] inline std::size_t portalBehind(const Table& left, std::size_t portal, const Table& entered) {
    const std::size_t side = left.portals[portal].side;
    return entered.side_begin[static_cast<std::size_t>(oppositeOf(static_cast<int>(side)))] + (portal - left.side_begin[side]);
}

/// Makes tables, or finds them in the store: first by what the chunk is called and its revisions, then by a digest of all that a table is computed
/// from. So an edit makes anew only tables whose own cells or border really changed, equal chunks share one table, and a repaired table is equal to
/// a fresh one because it is the same function of the same values.
///
/// Method: entrances are maximal runs of crossings that are legal alike and whose neighbouring ends are joined inside their chunks (Botea, Mueller,
/// Schaeffer 2004, with several portals along wide ones and one-way crossings); diagonal crossings become portals of their own where no straight
/// crossing replaces them. Costs come from the chunk kernel, one sweep per portal cell.
/// Threads: one at a time per object; any number may share a store.
class ChunkTableBuilder {
public:
    ChunkTableBuilder();
    ~ChunkTableBuilder();
    ChunkTableBuilder(ChunkTableBuilder&&) noexcept;
    ChunkTableBuilder& operator=(ChunkTableBuilder&&) noexcept;

    /// @param snapshot Its congestion must be empty (see withoutCongestion).
    /// @param before A table of this chunk, metric and rules from an earlier snapshot since when all changes around were `changedInside` this chunk [null:
    ///   none]: its portals hold still, so no tile but the chunk's own is looked at. The table is the same with it or without.
    [[nodiscard]] std::shared_ptr<const ChunkTable> table(const WorldSnapshot& snapshot, const Metric& metric, ChunkCoord chunk, TileStore& store,
                                                          const PortalRules& rules, const ChunkTable* before = nullptr);

    /// Tables computed so far by this object (not found in the store).
    [[nodiscard]] std::uint64_t built() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Whether two states of a chunk's ground (null: not known) differ only so far inside that neither a portal nor a cell of another chunk can depend on it: farther
/// from the border than the unit's size, the wall distance and, where there is cover, sight reach.
[[nodiscard]] bool changedInside(const ChunkGround* before, const ChunkGround* after, const Metric& metric, const WorldSnapshot& snapshot);

/// The snapshot itself when nothing is congested; else one that differs only in having no congestion.
[[nodiscard]] WorldSnapshot withoutCongestion(const WorldSnapshot& snapshot);

}  // namespace warpath
