// Questions that put routes and tactics together: the nearest cover against a threat, positions around a target, routes from cover to cover.
//
//   TacticalQuery tactics(query);                                           // on a thread's Query; both one thread at a time
//   NearestCover cover = tactics.nearestCover(snapshot, {.from = unit, .threat_direction = {0.0f, -1.0f}});
//   tactics.findCoverToCoverPath(snapshot, {.from = a, .goal = Goal::point(b)}, path);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "warpath/pathfinder/explanation.h"
#include "warpath/pathfinder/query.h"

namespace warpath {

struct NearestCoverRequest {
    Position from{};
    /// From the unit towards the threat, any length; which covers face it says CoverFacing. Zero: any cover will do.
    Vec2 threat_direction{};
    float max_distance = 50.0f;      ///< Straight distance from the unit [m] [0..256].
    float least_quality = 0.01f;     ///< Cover of less than this does not count [0..1] [any].
    PathConstraints constraints{};
    int side = 0;
};

struct NearestCover {
    PathStatus status = PathStatus::Unreachable;  ///< Found; Unreachable: none within reach; StartBlocked; InvalidArgument.
    Error error;
    Position position;                ///< Where the unit stands.
    float quality = 0.0f;             ///< [0..1]
    ObstacleKind kind = ObstacleKind::None;
    Vec2 cover_direction;             ///< From the unit towards what covers it.
    Cost cost = 0;                    ///< Of the way there.
    double length = 0.0;              ///< [m]
    std::uint64_t expansions = 0;
};

struct FlankingRequest {
    Position target{};
    int count = 3;                    ///< [1..64]
    float distance = 30.0f;           ///< From the target [m] [0.5..2048].
    std::optional<Position> from{};   ///< Positions must be reachable from here [none: from the target, or from the free cell nearest to it within 8 m].
    PathConstraints constraints{};
};

/// The doctrine's weights, raised where a wish was left out: at least threat 5, cover 3 and exposure 10 (the reference's infantry under fire).
[[nodiscard]] PathConstraints coverToCover(const PathConstraints& wishes);

/// Works on the binding and scratch of a Query, which must outlive it. One thread at a time, together with its Query.
class TacticalQuery {
public:
    explicit TacticalQuery(Query& query) : query_(query) {}

    /// A route that keeps to cover, cut into hops.
    ///
    /// Searches with coverToCover(constraints); when cover_weight is left out it searches once more with all it has on cover (20), then with the constraints
    /// as they are, and takes of these the one with the fewest exposed metres under threat (of equals the first), leaving out what is more than half as long again
    /// as the first. Cost and breakdown are at the weights of coverToCover whichever it is. Where the route leaves cover it stops
    /// before: at the cell of the covered stretch with the least threat (of equals the last), if its cover is at least RouteRules::stop_cover and
    /// the last stop lies RouteRules::stop_spacing back. Stops are waypoints with `pause_duration`, listed in `cover_points`. Speeds by leg: sprint where
    /// some of it is exposed under threat, crouch under threat in cover, else run; travel_time counts speeds, ground and pauses.
    /// @return as Query::findPath.
    PathStatus findCoverToCoverPath(const WorldSnapshot& snapshot, const PathRequest& request, Path& out);

    /// The cell that is cheapest to get to among those within max_distance that have cover facing the threat; ties by a fixed rule. A unit of n x n cells
    /// has the cover of every cell that it stands on; quality, direction and kind are those of the best of them that faces the threat.
    /// Cost: reads the cover of the square around, then one search to the nearest cell and, if others may be cheaper, one to those.
    [[nodiscard]] NearestCover nearestCover(const WorldSnapshot& snapshot, const NearestCoverRequest& request);

    /// Positions evenly spaced on a circle around the target, the first to the east, going on towards the south; those where the unit cannot stand or
    /// which cannot be reached (where slope limits differ up and down: from `from`, if it is given) are left out. Sines by series, so positions are
    /// the same on every machine.
    /// @return found (at least one), unreachable (`error` tells when `from` or the target lies off the map), or invalid_argument (`error` names the field).
    PathStatus flankingPositions(const WorldSnapshot& snapshot, const FlankingRequest& request, std::vector<Position>& out, Error* error = nullptr);

    /// What a route costs by term and by stretch, and why it loses against the best route between its ends. Cuts the route into up to `stretches`
    /// parts of equal numbers of cells [1..1024]. The costs are those of the exact model that the searches use.
    [[nodiscard]] RouteExplanation explain(const WorldSnapshot& snapshot, const Path& route, const PathConstraints& constraints, int side, int stretches = 8);
    /// The same for a drawn route: positions joined by straight lines of cells.
    [[nodiscard]] RouteExplanation explain(const WorldSnapshot& snapshot, std::span<const Position> drawn, const PathConstraints& constraints, int side,
                                           int stretches = 8);

private:
    RouteExplanation explainCells(const WorldSnapshot& snapshot, const std::vector<Cell>& route, std::pair<Position, Position> ends,
                                  const PathConstraints& constraints, int side, int stretches);
    Query& query_;
};

}  // namespace warpath
