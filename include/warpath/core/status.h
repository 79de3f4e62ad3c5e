// How a path request ended.
//
//   if (path.status == PathStatus::Found) follow(path); else say(toString(path.status));
#pragma once

#include <cstdint>

namespace warpath {

/// Outcomes of a request. Only Found and Partial carry a route to follow; BudgetExhausted carries the best so far.
enum class PathStatus : std::uint8_t {
    Found,            ///< A route to the goal.
    Partial,          ///< allow_partial was set and the goal cannot be reached: a route to the nearest reachable cell.
    CostLimit,        ///< Every route costs more than max_cost.
    BudgetExhausted,  ///< max_expansions was spent; the route leads towards the goal.
    Unreachable,      ///< No route exists.
    StartBlocked,     ///< The start is not a place where the unit can stand (off the map included).
    GoalBlocked,      ///< No goal cell is a place where the unit can stand (off the map included).
    InvalidArgument,  ///< A value is outside its limits; `error` names it.
    Cancelled,        ///< Cancelled by its owner.
    Superseded,       ///< A newer request of the same unit took its place.
    Rejected,         ///< The queue is full.
    Stale,            ///< What the request refers to no longer exists.
};

/// The status in snake case, as it is spelt in messages ("found", "start_blocked").
[[nodiscard]] const char* toString(PathStatus status);

}  // namespace warpath
