#include "pathfinder/portal_costs.h"

namespace warpath {

std::size_t joinGoalCells(TileBinding& binding, HierarchyView& view, ChunkCosts& costs, std::span<const Cell> cells, std::vector<GoalChunk>& goals) {
    std::size_t count = 0;
    for (std::size_t first = 0, end = 0; first < cells.size(); first = end) {
        const ChunkCoord chunk = chunkOfCell(cells[first].x, cells[first].y);
        while (end < cells.size() && chunkOfCell(cells[end].x, cells[end].y) == chunk) ++end;
        costs.prepare(binding, binding.slot(slotOf(binding.refOf(cells[first].x, cells[first].y))), TravelDirection::to_goals);
        const auto& left = end - first == 1 ? costs.from(localIndex(cells[first].x, cells[first].y)) : costs.fromAny(cells.subspan(first, end - first));
        if (count == goals.size()) goals.emplace_back();
        GoalChunk& goal = goals[count++];
        goal.chunk = chunk;
        goal.entries.clear();
        appendPortalCosts(view.table(chunk), left, goal.entries);
    }
    return count;
}

}  // namespace warpath
