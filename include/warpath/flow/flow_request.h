// What a flow field should lead to, for whom and how far it should reach.
//
//   FlowRequest request;
//   request.goals = {flowCell(rally_point, 1)};
//   request.key = {resolved.metric, resolved.threat_weight, side};
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/core/status.h"
#include "warpath/core/types.h"
#include "warpath/grid/cost_model.h"
#include "warpath/grid/flow_field.h"

namespace warpath {

/// Of FlowRequest::straight_radius [cells].
inline constexpr int kMaxStraightRadius = 64;
/// Of FlowRequest::Disc::radius [m].
inline constexpr float kMaxDiscRadius = 512.0f;

/// The cell that stands for a unit at a position: the top-left cell of its square. @pre isUsable(position).
[[nodiscard]] Cell flowCell(Position position, int size);
/// Where the centre of a unit is whose top-left cell this is.
[[nodiscard]] Position flowCentre(Cell cell, int size);

/// Goals of all kinds may be given together; the nearest wins. Cells are world cells (top-left cells of larger units).
struct FlowRequest {
    std::vector<Cell> goals;           ///< Single cells [up to 65,536].
    std::vector<CellRect> goal_rects;  ///< Every cell of a rectangle.
    /// Every cell whose unit's centre lies in the disc [m] [radius 0..kMaxDiscRadius].
    struct Disc {
        Position centre;
        float radius = 0.0f;
    };
    std::vector<Disc> goal_discs;
    /// Cells from which a known cost remains, as at the border of a local field: the field leads to where cost to the cell + rest is least.
    struct Exit {
        Cell cell;
        Cost rest = 0;  ///< [kCostPerMetre units] [below 2^61]
    };
    std::vector<Exit> exits;

    CostKey key;                       ///< Metric (size class included), threat weight, side.
    CellRect area;                     ///< What the field may use [world cells; widened to whole chunks] [empty: the whole map].
    /// Of these the field uses some chunks alone: a tiled field [grid chunks of the map; doubles count once] [empty: all of the area]. What lies elsewhere,
    /// and what no way inside these leads on from, is kFlowPending; where there is an arrow, it leads to a goal through these chunks, at the least cost inside them.
    std::vector<ChunkCoord> chunks;

    /// Who will use the field: without a way from any of these cells to a goal, the field leads to the cells nearest to it that they can reach.
    std::vector<Cell> starts;
    /// Compute no farther than the starts need: the rest stays kFlowPending, what is there is exact. Starts that no way leads from cost the whole area.
    bool only_needed = false;
    float needed_margin = 16.0f;       ///< With only_needed: how much farther than the farthest start [m at f = 1] [0..10,000].
    /// Exact fields: cells so near a goal, which see it over even ground of its own cost, get the vector straight to it (FlowField::vector; arrows and
    /// distances stay) [cells] [0..kMaxStraightRadius] [0: none]. It takes 32 KiB more in each chunk that has such cells, and no goals beyond 64 cells.
    int straight_radius = 0;
    bool keep_distances = true;        ///< Needed for repairs and extensions; without them a field takes about a byte per cell.
};

/// How a computation ended. `field` is null unless Found or Partial.
struct FlowAnswer {
    /// Found; Partial (the goals cannot be reached: the field leads to the nearest cells that can, FlowFieldInfo::redirected); GoalBlocked (nothing in
    /// the area can be stood on); InvalidArgument (`error` says what; no goal inside the area is one).
    PathStatus status = PathStatus::InvalidArgument;
    Error error;
    std::shared_ptr<const FlowField> field;
    std::uint64_t chunk_visits = 0;    ///< Chunks relaxed, revisits included.
    std::uint32_t chunks = 0;          ///< Chunks that hold some distance.
};

/// A square of `size` cells around a group, widened so that it holds the goal too and `margin` cells around both: the area for a local field.
/// @return empty when there are no positions.
[[nodiscard]] CellRect localFlowArea(std::span<const Position> group, Position goal, int size, int margin = 32);

}  // namespace warpath
