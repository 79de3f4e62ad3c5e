// The coarse level of a tiled flow field: for chunks off its tiles, the portals that lead towards the goal and what remains behind them.
//
//   if (field.coarse() != nullptr) if (auto way = field.coarse()->wayFrom(chunk, local)) headFor(*way);    // as sampleFlow does
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "warpath/core/types.h"
#include "warpath/grid/cost_model.h"
#include "warpath/grid/region_table.h"
#include "warpath/world/chunk.h"

namespace warpath {

/// Immutable once it is part of a field. It knows the chunks that the search over portals looked at. Portals are real crossings, so narrow passages are
/// kept, however large a chunk is.
class CoarseFlow {
public:
    /// Leaving a chunk through one of its portals.
    struct Way {
        std::uint16_t cell = 0;      ///< Local index of the portal's end in this chunk.
        std::uint8_t direction = 0;  ///< Of the step out of the chunk.
        Cost rest = 0;               ///< From that end to the goal, over portals; threat and congestion are estimated in it.
        friend bool operator==(const Way&, const Way&) = default;
    };

    /// @param smallest_f the least price of a metre [hundredths], to compare portals by.
    CoarseFlow(int chunk_columns, std::uint32_t smallest_f) : columns_(chunk_columns), smallest_f_(smallest_f) {}

    /// Chunks must come in row order, each once; `ways` may be empty.
    void add(ChunkCoord chunk, std::span<const Way> ways);

    /// What is connected: ways out are then told for the part of a chunk alone in which a unit stands. Holds `regions` (shared with the tile store).
    /// @param cut_off parts of the map where units of the field's request stand and no way leads on from to the goal.
    void setRegions(std::shared_ptr<const RegionTable> regions, std::vector<RegionId> cut_off);
    /// Whether a cell lies in such a part [grid cells]. @pre inside the map.
    [[nodiscard]] bool isCutOff(int grid_x, int grid_y) const;

    /// Whether the search looked at a chunk: what the field depends on besides its tiles.
    [[nodiscard]] bool knows(ChunkCoord chunk) const { return find(chunk) != nullptr; }
    [[nodiscard]] std::span<const Way> ways(ChunkCoord chunk) const;
    /// Of the ways out that can be come to inside the chunk (in a wall: of all) the one with the least rest + octile length to its portal at the least price;
    /// of equals the first. Walls make the way to the portal longer than that, never impossible. Nothing where no way is known.
    [[nodiscard]] std::optional<Way> wayFrom(ChunkCoord chunk, int local) const;

    [[nodiscard]] std::size_t chunkCount() const { return chunks_.size(); }
    [[nodiscard]] std::size_t memoryBytes() const { return sizeof(*this) + chunks_.capacity() * sizeof(Entry) + ways_.capacity() * sizeof(Way) + cut_off_.capacity() * sizeof(RegionId); }
    friend bool operator==(const CoarseFlow& a, const CoarseFlow& b) {
        return a.columns_ == b.columns_ && a.smallest_f_ == b.smallest_f_ && a.chunks_ == b.chunks_ && a.ways_ == b.ways_ && a.cut_off_ == b.cut_off_;
    }

private:
    struct Entry {
        std::uint32_t chunk, first, count;
        friend bool operator==(const Entry&, const Entry&) = default;
    };
    [[nodiscard]] const Entry* find(ChunkCoord chunk) const;

    int columns_ = 0;
    std::uint32_t smallest_f_ = 0;
    std::vector<Entry> chunks_;
    std::vector<Way> ways_;
    std::shared_ptr<const RegionTable> regions_;  ///< Null: nothing is known of what is connected.
    std::vector<RegionId> cut_off_;               ///< Sorted.
};

}  // namespace warpath
