// The goals of a request as cells of the working area, and the nearest cells when they are no good.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "flow/integration.h"
#include "warpath/flow/flow_request.h"

namespace warpath::flow {

/// A cell at which arrows end, with the cost that remains there.
struct Seed {
    Place place;
    Cost rest = 0;
};

/// What is wrong with a request, or nothing.
[[nodiscard]] std::optional<Error> checkFlowRequest(const WorldSnapshot& snapshot, const FlowRequest& request);

/// Calls visit(grid x, grid y, rest) for every goal cell of a request inside the map, in the order given. Cells may come twice.
template <class Visit>
void forEachGoal(const WorldSnapshot& snapshot, const FlowRequest& request, Visit&& visit) {
    const Cell origin = snapshot.origin();
    const CellRect map = snapshot.bounds();
    for (const Cell c : request.goals) {
        if (map.contains(c)) visit(c.x - origin.x, c.y - origin.y, Cost{0});
    }
    for (const CellRect& rect : request.goal_rects) {
        const CellRect r = intersect(rect, map);
        for (int y = r.y; y < r.y + r.height; ++y) {
            for (int x = r.x; x < r.x + r.width; ++x) visit(x - origin.x, y - origin.y, Cost{0});
        }
    }
    const int size = request.key.metric.profile.size;
    for (const FlowRequest::Disc& disc : request.goal_discs) {
        const Cell low = flowCell({disc.centre.x - disc.radius, disc.centre.y - disc.radius}, size);
        const int reach = 2 * static_cast<int>(disc.radius) + 3;
        const CellRect r = intersect({low.x, low.y, reach, reach}, map);
        for (int y = r.y; y < r.y + r.height; ++y) {
            for (int x = r.x; x < r.x + r.width; ++x) {
                const Position p = flowCentre({x, y}, size);
                const float dx = p.x - disc.centre.x, dy = p.y - disc.centre.y;
                if (dx * dx + dy * dy <= disc.radius * disc.radius) visit(x - origin.x, y - origin.y, Cost{0});
            }
        }
    }
    for (const FlowRequest::Exit& exit : request.exits) {
        if (map.contains(exit.cell)) visit(exit.cell.x - origin.x, exit.cell.y - origin.y, exit.rest);
    }
}

/// Sorted by chunk and cell, each cell once with its least rest; only cells of the area on which the unit fits.
void gatherSeeds(Integration& field, const WorldSnapshot& snapshot, const FlowRequest& request, std::vector<Seed>& out);

/// The bounding rectangle of all goals, those off the map included [world cells].
[[nodiscard]] CellRect goalBounds(const FlowRequest& request);

/// The cells nearest to the goals (straight distance between cells to the goals' bounding rectangle, or to the nearest single goal) that the unit
/// fits on: all of them at the least distance. With `starts`, only cells that they can reach. Empty when there is none.
void nearestToGoals(Integration& field, const WorldSnapshot& snapshot, const FlowRequest& request, std::span<const Place> starts, std::vector<Seed>& out);

}  // namespace warpath::flow
