// Which cells are connected for a profile: chunk-local regions joined by a small table, repaired chunk by chunk.
//
//   auto regions = store.regions(snapshot, profile);
//   if (regions->regionAt(ax, ay) != regions->regionAt(bx, by)) refuse();       // no search, no flood
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "warpath/world/chunk_directory.h"
#include "warpath/world/constraints.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// A connected part of the map. Only equality means something; 0 is "the unit does not fit here".
using RegionId = std::uint32_t;

/// The regions inside one chunk.
struct ChunkLabels {
    std::uint16_t count = 0;                            ///< Regions in this chunk.
    std::array<std::uint64_t, kChunkSize> free_rows{};     ///< Bit x of row y: the unit fits.
    std::array<std::uint64_t, kChunkSize> free_columns{};  ///< Bit y of column x: the same, turned.
    std::uint32_t free_cells = 0;
    std::uint32_t corners = 0;                          ///< Places where a wall ends beside a free cell: how cluttered the ground is.
    std::vector<std::uint16_t> labels;                  ///< Region of each cell, when there are several.

    /// Region of a free cell inside the chunk, 0..count-1.
    [[nodiscard]] int labelOf(int local) const { return labels.empty() ? 0 : labels[static_cast<std::size_t>(local)]; }
    [[nodiscard]] bool fits(int local) const { return ((free_rows[static_cast<std::size_t>(local >> kChunkShift)] >> (local & (kChunkSize - 1))) & 1) != 0; }
};

/// Where scans along straight lines stop (jump point search): at the first cell beside which a wall has just ended, or that is blocked. A function of
/// the free cells of the chunk and of the rim around it.
struct ChunkStops {
    std::array<std::uint64_t, kChunkSize> east, west;    ///< Bit x of row y: a scan in that direction stops there.
    std::array<std::uint64_t, kChunkSize> south, north;  ///< Bit y of column x: the same.
};

/// Immutable once built; any thread. Where limits depend on direction a step that is legal one way joins both cells: the table then only refuses.
/// Memory: about 1.2 KiB per chunk, 8 KiB more where a chunk holds several regions, 2 KiB more for stops; open chunks (and open neighbourhoods) share one
/// record.
class RegionTable {
public:
    /// Builds the table of a snapshot; from `previous` (same world, rules and profile) only what changed is done anew.
    [[nodiscard]] static std::shared_ptr<const RegionTable> build(const WorldSnapshot& snapshot, const MobilityProfile& profile,
                                                                  const std::shared_ptr<const RegionTable>& previous);

    /// Region of a grid cell. @pre inside the map.
    [[nodiscard]] RegionId regionAt(int grid_x, int grid_y) const {
        const ChunkRegions* chunk = chunks_.get({grid_x >> kChunkShift, grid_y >> kChunkShift});
        const int local = localIndex(grid_x, grid_y);
        if (!chunk->labels->fits(local)) return 0;
        return (*components_)[chunk->first_node + static_cast<std::uint32_t>(chunk->labels->labelOf(local))] + 1;
    }

    /// Whether a chunk holds cells of a region: what outward searches skip chunks by.
    [[nodiscard]] bool chunkHas(ChunkCoord chunk, RegionId region) const;

    /// The cells of `region` at which `distance` is smallest, all of them, by id. Looks outwards from `around` chunk by chunk.
    /// @param around Grid cells; they may lie off the map. Not empty.
    /// @param distance Of a grid cell (x, y) [m]; never less than the straight distance between cell centres to `around`.
    /// @return the smallest distance; infinity (and no cells) when the region has none.
    double nearestCells(const CellRect& around, const std::function<double(int, int)>& distance, RegionId region, std::vector<CellId>& out) const;

    [[nodiscard]] const ChunkLabels& labels(ChunkCoord chunk) const { return *chunks_.get(chunk)->labels; }

    /// Free cells as words of 64, for scans that run over chunk borders: the chunk may lie one chunk outside the map (all blocked).
    [[nodiscard]] const ChunkLabels& paddedLabels(int chunk_x, int chunk_y) const {
        return *padded_[paddedIndex(chunk_x, chunk_y)];
    }
    /// Where scans stop, for the same chunks.
    [[nodiscard]] const ChunkStops& paddedStops(int chunk_x, int chunk_y) const { return *padded_stops_[paddedIndex(chunk_x, chunk_y)]; }

    /// The same by index, for scans that run from chunk to chunk: one eastwards adds 1, one southwards adds paddedColumns().
    [[nodiscard]] std::size_t paddedIndex(int chunk_x, int chunk_y) const {
        return static_cast<std::size_t>((chunk_y + 1) * (chunks_.columns() + 2) + chunk_x + 1);
    }
    [[nodiscard]] std::size_t paddedColumns() const { return static_cast<std::size_t>(chunks_.columns() + 2); }
    [[nodiscard]] const ChunkLabels* const* paddedLabels() const { return padded_.data(); }
    [[nodiscard]] const ChunkStops* const* paddedStops() const { return padded_stops_.data(); }

    /// Corners per free cell of the whole map [thousandths]: about 5 on city maps, above 100 on random noise.
    [[nodiscard]] std::uint32_t clutter() const { return clutter_; }

    [[nodiscard]] std::size_t memoryBytes() const;
    [[nodiscard]] const WorldSnapshot& snapshot() const { return snapshot_; }

private:
    struct ChunkRegions {
        std::shared_ptr<const ChunkLabels> labels;
        std::uint32_t first_node = 0;         ///< Nodes first_node .. first_node + count - 1 stand for the chunk's regions.
        std::vector<std::uint64_t> links;     ///< (node here << 32 | node in a neighbour), sorted, each once.
    };
    friend class RegionBuilder;

    WorldSnapshot snapshot_;
    ChunkDirectory<ChunkRegions> chunks_;
    std::shared_ptr<const std::vector<std::uint32_t>> components_;  ///< Component by node.
    ChunkDirectory<ChunkStops> stops_;
    std::vector<const ChunkLabels*> padded_;       ///< Labels by chunk, with a rim of blocked chunks.
    std::vector<const ChunkStops*> padded_stops_;  ///< Stops in the same order.
    std::uint32_t clutter_ = 0;
    std::uint32_t live_nodes_ = 0;
};

}  // namespace warpath
