// Routes that a backend draws, as paths: laid onto the cells they cross, checked step by step, priced and described like any other.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "pathfinder/cell_steps.h"
#include "pathfinder/query_impl.h"
#include "pathfinder/route_builder.h"
#include "pathfinder/route_metrics.h"

namespace warpath {
namespace {

/// Nothing but length and terrain is in the price, so a search that knows only these answers the request.
bool isPlain(const CostModel& model, const WorldState& world) {
    const CostKey& key = model.key();
    return !(model.pricesCover() && world.has_cover) && (key.threat_weight == 0 || world.threat_chunks[key.side] == 0) && key.metric.wall_distance == 0 &&
           key.metric.roads == RoadMode::Neutral && !(model.pricesElevation() && world.elevated_chunks != 0) && world.congested_chunks == 0;
}

/// Whether the request has nothing in it that a drawn route cannot honour.
bool isSimple(const PathRequest& request, const AlgorithmRules& rules) {
    if (request.algorithm != PathAlgorithm::NavMesh && (request.algorithm != PathAlgorithm::Auto || request.group_size >= rules.group_size)) return false;
    if (request.detail == PathDetail::CostOnly) return false;
    if (request.constraints.diagonal == DiagonalRule::Never) return false;  // a straight line goes over corners
    return request.goal.kind == Goal::Kind::Point && !request.ignore_self && !request.ignore_goal && !request.max_cost && request.max_expansions == 0;
}

/// Lays steps onto a bound grid, one legal step after the other.
class Walker {
public:
    Walker(TileBinding& binding, std::vector<CellId>& cells) : binding_(binding), cells_(cells) {}

    /// @return false when the unit does not fit there.
    bool begin(Cell grid) {
        cells_.clear();
        cells_.push_back(cellIdOf(grid.x, grid.y));
        return binding_.fits(binding_.refOf(grid.x, grid.y));
    }
    /// A step to a neighbouring cell; a diagonal one that is not legal goes round its corner.
    bool step(Cell to) {
        const CellId from = cells_.back();
        const int dx = to.x - gridXOf(from), dy = to.y - gridYOf(from);
        if (isLegal(from, dx, dy)) {
            cells_.push_back(cellIdOf(to.x, to.y));
            return true;
        }
        if (dx == 0 || dy == 0) return false;
        for (const Cell corner : {Cell{to.x, to.y - dy}, Cell{to.x - dx, to.y}}) {
            const CellId side = cellIdOf(corner.x, corner.y);
            const int sx = corner.x - gridXOf(from), sy = corner.y - gridYOf(from);
            if (!isLegal(from, sx, sy) || !isLegal(side, dx - sx, dy - sy)) continue;
            cells_.push_back(side);
            cells_.push_back(cellIdOf(to.x, to.y));
            return true;
        }
        return false;
    }

private:
    bool isLegal(CellId from, int dx, int dy) {
        const CellRef ref = binding_.refOf(gridXOf(from), gridYOf(from));
        return ((binding_.slot(slotOf(ref)).moves[localOf(ref)] >> directionOf(dx, dy)) & 1) != 0;
    }
    TileBinding& binding_;
    std::vector<CellId>& cells_;
};

}  // namespace

bool Query::findDrawn(const WorldSnapshot& snapshot, const PathRequest& request, IRouteFinder& finder, Path& out) {
    const auto started = std::chrono::steady_clock::now();
    Impl& s = *impl_;
    if (!snapshot.valid() || !isSimple(request, s.rules) || checkRequest(request)) return false;
    const auto resolved_or_error = resolve(request.constraints, snapshot.rules());
    if (std::holds_alternative<Error>(resolved_or_error)) return false;
    const ResolvedConstraints& resolved = std::get<ResolvedConstraints>(resolved_or_error);
    const MobilityProfile& profile = resolved.metric.profile;
    s.binding.bind(snapshot, CostKey{resolved.metric, resolved.threat_weight, static_cast<std::uint8_t>(request.side)}, {}, s.store);
    if (!isPlain(s.binding.model(), snapshot.state())) return false;

    const Position to = request.goal.centre;
    const RouteQuestion question{request.from, to, profile, static_cast<float>(resolved.metric.terrain_weight) / 100.0f};
    if (!finder.findRoute(snapshot, question, s.drawn)) return false;
    // Ends that were moved onto the backend's ground are walked to.
    std::vector<Position>& corners = s.drawn.corners;
    if (corners.empty() || !(corners.front() == request.from)) corners.insert(corners.begin(), request.from);
    if (!(corners.back() == to)) corners.push_back(to);
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());

    const CellRect map{0, 0, snapshot.width(), snapshot.height()};
    for (const Position corner : corners) {
        if (!isUsable(corner) || !map.contains(anchorOf(snapshot, corner, profile.size))) return false;
    }
    s.drawn_cells.clear();
    rasterise(snapshot, corners, profile.size, s.drawn_cells, nullptr);
    const Cell origin = snapshot.origin();
    Walker walker(s.binding, s.cells);
    for (std::size_t i = 0; i < s.drawn_cells.size(); ++i) {
        const Cell grid{s.drawn_cells[i].x - origin.x, s.drawn_cells[i].y - origin.y};
        if (!(i == 0 ? walker.begin(grid) : walker.step(grid))) return false;
    }

    out.reset();
    buildRoute(s.binding, s.cells, {request.from, to}, resolved, request.detail, out);
    measureRoute(s.binding, s.cells, resolved, s.routes, out);
    double length = 0.0;
    for (std::size_t i = 1; i < corners.size(); ++i) {
        const double dx = static_cast<double>(corners[i].x) - corners[i - 1].x, dy = static_cast<double>(corners[i].y) - corners[i - 1].y;
        length += std::sqrt(dx * dx + dy * dy);
    }
    if (out.length > 0.0) out.travel_time *= length / out.length;
    out.length = length;
    if (request.detail == PathDetail::Corners) {
        out.waypoints.clear();
        for (const Position corner : corners) {
            const Cell anchor = anchorOf(snapshot, corner, profile.size);
            describeWaypoint(s.binding, cellIdOf(anchor.x, anchor.y), profile.size, out.waypoints.emplace_back());
            out.waypoints.back().position = corner;
        }
    }
    out.status = PathStatus::Found;
    out.algorithm = PathAlgorithm::NavMesh;
    out.expansions = s.drawn.expansions;
    out.computation_time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    return true;
}

}  // namespace warpath
