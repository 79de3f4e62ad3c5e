// What it costs to come to places, without the ways: who is nearest, what can be reached in time, where a base is well placed.
//
//   TravelCosts costs;
//   query.findCosts(snapshot, {.from = unit, .goals = {depot, bridge, town}}, costs);
//   if (costs.places[1].status == PathStatus::Found) show(costInMetres(costs.places[1].cost));
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/core/status.h"
#include "warpath/core/types.h"
#include "warpath/grid/path.h"
#include "warpath/world/constraints.h"

namespace warpath {

struct CostsRequest {
    Position from{};
    std::vector<Position> goals{};     ///< [1..kMaxGoalPositions]
    PathConstraints constraints{};
    int side = 0;                      ///< The side that moves: threat to it is priced [0..15].
    bool ignore_self = false;          ///< Obstacles on the unit's own square at the start do not count.
    std::optional<double> max_cost{};  ///< Places that cost more are told as cost_limit, and so, on one-way ground, are those that no way leads to [m at f = 1] [above 0, up to kMaxCostLimit].
    PathAlgorithm algorithm = PathAlgorithm::Auto;  ///< astar: all exactly.
};

struct TravelCost {
    PathStatus status = PathStatus::Unreachable;  ///< Found, Unreachable, CostLimit, GoalBlocked (a place off the map, too) or StartBlocked.
    Cost cost = 0;                                ///< When found.
    PathAlgorithm algorithm = PathAlgorithm::AStar;
    friend bool operator==(const TravelCost&, const TravelCost&) = default;
};

struct TravelCosts {
    PathStatus status = PathStatus::Unreachable;  ///< Found; else that of the first place, or InvalidArgument.
    Error error;                                  ///< For InvalidArgument, and when the start or every place lies off the map.
    std::vector<TravelCost> places;               ///< One for each goal, in their order.
    std::uint64_t expansions = 0;                 ///< Cells settled.
    std::uint64_t revision = 0;
    double computation_time_ms = 0.0;
};

}  // namespace warpath
