// The ends of a request in grid terms: checked, snapped to cells, with the regions that the start and the goal belong to.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/core/status.h"
#include "warpath/grid/region_table.h"
#include "warpath/grid/tile_binding.h"
#include "warpath/pathfinder/request.h"
#include "warpath/search/goal_shape.h"

namespace warpath {

/// Refuses values outside their limits: positions, radii, numbers of goals, budgets, weight, side. Nothing when all is well. The constraints are
/// checked by `resolve`.
[[nodiscard]] std::optional<Error> checkRequest(const PathRequest& request);

/// How every question opens: an empty snapshot is refused first, then `wrong`, what its asker found wrong with its own fields, then wishes that cannot be.
/// @return the exact numbers of the wishes on this snapshot, or the refusal.
[[nodiscard]] std::variant<ResolvedConstraints, Error> resolveOn(const WorldSnapshot& snapshot, const PathConstraints& constraints, std::optional<Error> wrong = {});

/// Writes a refusal, to whoever asked for it. @return InvalidArgument.
PathStatus refuse(Error* error, const Error& what);

/// Writes which end of a request lies off the map, when that is why its start, its point goal or every position of its set is blocked (of a set the
/// first is told). No allocation once `out` has grown. @return whether it is so; otherwise `out` stays.
bool tellOffMap(const WorldSnapshot& snapshot, const PathRequest& request, PathStatus status, Error& out);

/// Snaps a request to the grid. Reused from request to request; keeps its capacity.
class Endpoints {
public:
    /// Sets the start and the goal's outline, and the exemptions that ignore_self and ignore_goal ask for. @pre checkRequest found nothing.
    void set(const WorldSnapshot& snapshot, const PathRequest& request, int size);

    [[nodiscard]] const std::vector<CellRect>& exemptions() const { return exemptions_; }

    /// After the binding has been made: decides from the tiles and the region table whether there can be a route.
    /// @return Found (search), StartBlocked, GoalBlocked or Unreachable.
    [[nodiscard]] PathStatus judge(TileBinding& binding, const RegionTable& regions);

    [[nodiscard]] Cell start() const { return start_; }
    [[nodiscard]] const GoalShape& goal() const { return goal_; }
    /// The goal's cell, for point goals inside the map.
    [[nodiscard]] std::optional<Cell> goalCell() const { return goal_is_cell_ && goal_on_map_ ? std::optional<Cell>(goal_cell_) : std::nullopt; }
    /// The exact goal position, for point goals.
    [[nodiscard]] const std::optional<Position>& goalPosition() const { return goal_position_; }

    /// The cells nearest to the goal by straight distance among those that the start's regions and the freed squares hold: never empty, but some may
    /// be out of reach where regions only refuse (slopes, freed squares). @pre judge was called.
    void nearestToGoal(TileBinding& binding, const RegionTable& regions, std::vector<CellId>& out);

private:
    void gatherRegions(const RegionTable& regions, const CellRect& around, std::vector<RegionId>& out) const;
    double nearestToPlaces(const RegionTable& regions, RegionId region, std::vector<CellId>& out) const;
    [[nodiscard]] PathStatus judgeGoalArea(const RegionTable& regions) const;
    /// Calls visit(x, y) for every place where the unit fits only because obstacles are ignored.
    template <class Visit>
    void forEachFreedPlace(TileBinding& binding, const RegionTable& regions, Visit&& visit) const;

    Cell start_;
    bool start_on_map_ = false;
    std::optional<CellRect> start_exemption_, goal_exemption_;
    std::vector<CellRect> exemptions_;
    GoalShape goal_;
    bool goal_on_map_ = false;
    bool goal_is_cell_ = false;
    Cell goal_cell_;
    std::optional<Position> goal_position_;
    std::vector<Cell> goal_cells_;  // of sets, by row
    bool goal_is_set_ = false;
    CellRect map_;
    std::vector<RegionId> start_regions_, goal_regions_;
    std::vector<CellId> scratch_;
};

}  // namespace warpath
