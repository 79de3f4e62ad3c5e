// Why a route costs what it costs, and what it loses against the best one.
//
//   RouteExplanation why = tactics.explain(snapshot, drawn_positions, constraints, side);
//   show(why.verdict);       // "costs 62.4, 17.3 more than the best route: threat +21.0, distance -3.7"
#pragma once

#include <string>
#include <vector>

#include "warpath/pathfinder/query.h"

namespace warpath {

/// One part of a route.
struct RouteStretch {
    Position from;
    Position to;
    std::size_t first_cell = 0;    ///< Index into RouteExplanation::route.cells; the stretch pays for the cells after it.
    std::size_t last_cell = 0;
    double length = 0.0;           ///< [m]
    Cost cost = 0;
    CostBreakdown breakdown;       ///< Sums to `cost`; those of all stretches sum to the route's.
};

/// Cost of one term in the route and in the best route.
struct TermComparison {
    const char* term = "";         ///< As in messages: "distance", "terrain", "road", "elevation", "threat", "exposure", "cover", "congestion", "wall".
    double route = 0.0;            ///< [m at f = 1]
    double best = 0.0;
};

struct RouteExplanation {
    /// Found: everything is filled. InvalidArgument: `error`. Unreachable: the route is not legal; `validation` says where, the rest is empty.
    PathStatus status = PathStatus::Unreachable;
    Error error;
    PathValidation validation;
    Path route;                    ///< The route with its cost, breakdown and metrics.
    std::vector<RouteStretch> stretches;
    Path best;                     ///< The best route between the same ends for the same constraints.
    std::vector<TermComparison> terms;  ///< All nine, the largest difference first; none where there is no best route (a drawn one may begin in a building).
    std::string verdict;           ///< One sentence for people.
};

}  // namespace warpath
