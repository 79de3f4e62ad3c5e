// Where the hierarchy meets cells: the chunk of a cell, and what its portals cost once the costs inside it are known.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "search/chunk_costs.h"
#include "warpath/search/hierarchy.h"

namespace warpath {

/// Grid cells.
[[nodiscard]] inline ChunkCoord chunkOfCell(int x, int y) { return {x >> kChunkShift, y >> kChunkShift}; }

/// Appends the portals of a chunk that have a cost. @param costs of its cells, as ChunkCosts gives them.
inline void appendPortalCosts(const ChunkTable& table, const std::array<std::uint32_t, kChunkCells>& costs, std::vector<PortalCost>& out) {
    for (std::size_t i = 0; i < table.count(); ++i) {
        const std::uint32_t cost = costs[table.portals[i].cell];
        if (cost != ChunkCosts::kNoWay) out.push_back({static_cast<std::uint16_t>(i), cost});
    }
}

}  // namespace warpath
