#include "warpath/flow/flow_request.h"

#include <algorithm>

namespace warpath {

Cell flowCell(Position position, int size) {
    const float back = 0.5f * static_cast<float>(size - 1);
    return cellAt({position.x - back, position.y - back});
}

Position flowCentre(Cell cell, int size) {
    const float half = 0.5f * static_cast<float>(size);
    return {static_cast<float>(cell.x) + half, static_cast<float>(cell.y) + half};
}

CellRect localFlowArea(std::span<const Position> group, Position goal, int size, int margin) {
    if (group.empty()) return {};
    const Cell first = cellAt(group.front());
    std::int32_t x0 = first.x, y0 = first.y, x1 = first.x, y1 = first.y;
    const auto take = [&](Cell c, int around) {
        x0 = std::min(x0, c.x - around);
        y0 = std::min(y0, c.y - around);
        x1 = std::max(x1, c.x + around);
        y1 = std::max(y1, c.y + around);
    };
    for (const Position p : group) take(cellAt(p), 0);
    const Cell middle{x0 + (x1 - x0) / 2, y0 + (y1 - y0) / 2};
    for (const Position p : group) take(cellAt(p), margin);
    take(cellAt(goal), margin);
    take(middle, size / 2);
    return {x0, y0, x1 - x0 + 1, y1 - y0 + 1};
}

}  // namespace warpath
