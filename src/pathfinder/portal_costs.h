// Where the hierarchy meets cells: the chunk of a cell, what its portals cost once the costs inside it are known, and goals made of cells.
#pragma once

#include <array>
#include <cstdint>
#include <span>
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

/// Goals that reach into more chunks are no help to a search over portals: of a set the chunks of its cells, of other shapes those of the bounding rectangle.
inline constexpr std::size_t kMaxSetChunks = 64;
inline constexpr int kMaxGoalChunks = 16;

/// How far a corridor reaches around ways over portals where threat or congestion is priced, which the tables only estimate [cells].
inline constexpr int kLayeredMargin = 48;

/// The order of goal cells: by chunk, row by row, and inside it likewise [grid cells].
[[nodiscard]] inline bool beforeByChunk(Cell a, Cell b) {
    const ChunkCoord p = chunkOfCell(a.x, a.y), q = chunkOfCell(b.x, b.y);
    return p.y != q.y ? p.y < q.y : p.x != q.x ? p.x < q.x : a.y != b.y ? a.y < b.y : a.x < b.x;
}

/// Joins goal cells to the portals of their chunks: writes one entry for each chunk to the front of `goals`, whose buffers are kept.
/// @param cells ordered by beforeByChunk. @return how many were written.
[[nodiscard]] std::size_t joinGoalCells(TileBinding& binding, HierarchyView& view, ChunkCosts& costs, std::span<const Cell> cells, std::vector<GoalChunk>& goals);

}  // namespace warpath
