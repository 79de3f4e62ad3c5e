// What the second level of the hierarchy knows of a square group of chunks: the portals on its border and the exact cost between each two of them.
//
//   GroupTableBuilder builder;                                           // one per thread
//   GroupTable table = builder.make(chunk_tables, {4, 4});               // the tables of its chunks, row by row
//   std::int32_t cost = table.rowFrom(in)[out];                          // kNoWay where none leads inside the group
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "warpath/search/chunk_table.h"

namespace warpath {

/// A portal of a chunk that leads out of the group.
struct GroupPortal {
    std::uint16_t chunk = 0;   ///< Number of the chunk in the group, row by row.
    std::uint16_t portal = 0;  ///< Of that chunk.
    std::int16_t x = 0, y = 0;  ///< The cell behind the portal, from the group's first cell on [cells].
    std::uint8_t side = 0;     ///< Direction of the neighbouring group.
    std::uint8_t chunk_side = 0;  ///< Direction of the neighbouring chunk.
    friend bool operator==(const GroupPortal&, const GroupPortal&) = default;
};

/// Immutable. A pure function of the tables of the chunks in the group. Groups lie side by side from the map's first chunk on; those at its far borders may be smaller.
struct GroupTable {
    static constexpr std::int32_t kNoWay = INT32_MAX;
    /// Dearer ways are not kept; a group that has one is searched chunk by chunk [26 km of good ground].
    static constexpr std::int32_t kDearest = (std::int32_t{1} << 30) - 1;
    /// So is one with more portals on its border, since a table grows with their square.
    static constexpr std::size_t kMaxPortals = 256;
    static constexpr std::size_t kLanes = 8;  ///< Rows are filled up with kNoWay to a multiple of this.

    std::vector<GroupPortal> portals;           ///< By side, then along the side; at the same ranks as the neighbour lists its ends. Empty where not `usable`.
    std::array<std::uint16_t, 9> side_begin{};  ///< Portals of side s: side_begin[s] .. side_begin[s + 1].
    std::uint32_t stride = 0;                   ///< Of rows.
    bool usable = false;                        ///< False: search the chunks of this group instead.
    std::vector<std::int32_t> costs;            ///< From the cell of one portal to another, and out through that.

    [[nodiscard]] std::size_t count() const { return portals.size(); }
    [[nodiscard]] const std::int32_t* rowFrom(std::size_t portal) const { return costs.data() + portal * stride; }
    [[nodiscard]] std::size_t memoryBytes() const {
        return sizeof(*this) + portals.capacity() * sizeof(GroupPortal) + costs.capacity() * sizeof(std::int32_t);
    }
    friend bool operator==(const GroupTable&, const GroupTable&) = default;
};

/// The chunks of a group. @pre both 1 to 8.
struct GroupShape {
    int columns = 0, rows = 0;
    friend bool operator==(const GroupShape&, const GroupShape&) = default;
};

/// Looks at eight entries of a row at a time and calls improve(i, cost) where a way that comes along the row is cheaper than the best one known.
/// Both are padded to kLanes. @pre `so_far` is at most GroupTable::kDearest; what is not known is INT32_MAX.
template <class Improve>
inline void relaxRow(const std::int32_t* row, const std::int32_t* best, std::size_t stride, std::int32_t so_far, Improve&& improve) {
    using Four __attribute__((vector_size(16))) = std::int32_t;
    const Four g = {so_far, so_far, so_far, so_far};
    for (std::size_t i = 0; i < stride; i += GroupTable::kLanes) {
        Four row_a, row_b, best_a, best_b;
        std::memcpy(&row_a, row + i, sizeof(Four));
        std::memcpy(&row_b, row + i + 4, sizeof(Four));
        std::memcpy(&best_a, best + i, sizeof(Four));
        std::memcpy(&best_b, best + i + 4, sizeof(Four));
        const Four better = (row_a < best_a - g) | (row_b < best_b - g);
        std::array<std::uint64_t, 2> any;
        std::memcpy(any.data(), &better, sizeof(better));
        if ((any[0] | any[1]) == 0) continue;
        for (std::size_t k = i; k < i + GroupTable::kLanes; ++k) {
            if (row[k] < best[k] - so_far) improve(k, so_far + row[k]);
        }
    }
}

/// Method: one Dijkstra search over the chunks' portals for each portal on the border (the overlay of Delling, Goldberg, Pajor, Werneck 2011, "Customizable
/// route planning", with their rule that a cell's clique is made from those below).
/// Threads: one at a time per object.
class GroupTableBuilder {
public:
    GroupTableBuilder();
    ~GroupTableBuilder();
    GroupTableBuilder(GroupTableBuilder&&) noexcept;
    GroupTableBuilder& operator=(GroupTableBuilder&&) noexcept;

    /// @param chunks Their tables, row by row. @pre as many as the shape has.
    [[nodiscard]] GroupTable make(std::span<const ChunkTable* const> chunks, GroupShape shape);

    /// The table of one chunk of the snapshot.
    using ChunkTables = std::function<std::shared_ptr<const ChunkTable>(ChunkCoord)>;
    /// Found in the store by name (the revisions of the ground it depends on) or by the digests of the tables below, so an edit makes a group anew only where
    /// a chunk's table really changed; else made, and kept under the store's cap.
    /// @param group Its place among the groups. @pre rules.group is not 0.
    [[nodiscard]] std::shared_ptr<const GroupTable> table(const WorldSnapshot& snapshot, const Metric& metric, ChunkCoord group, TileStore& store, const PortalRules& rules,
                                                          const ChunkTables& chunk_table);

    /// Tables computed so far by this object (not found in a store).
    [[nodiscard]] std::uint64_t built() const { return built_; }

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    std::uint64_t built_ = 0;
};

}  // namespace warpath
