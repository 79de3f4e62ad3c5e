// Routes that a backend draws, as a whole or in stretches: laid onto the cells they cross, checked step by step, priced and described like any other.
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
        return binding_.mayStep(refOf(binding_, from), directionOf(dx, dy));
    }
    TileBinding& binding_;
    std::vector<CellId>& cells_;
};

/// A stretch without a leg is halved down to this, and legs shorter than half of it are not worth a search [cells].
constexpr std::size_t kShortestHalf = 32;
/// Points of the found route that lead the backend are this far apart [cells].
constexpr std::size_t kViaSpacing = 150;
/// A way this much longer than the straight line may miss a shorter one: where not all ground is loaded it is left to the grid, which knows all of it. Where all
/// is, the backend may have closed a gap, and the grid's way is compared: one so much dearer is left to it, too.
constexpr double kMostDetour = 1.25;
/// A way whose cells cost this much more than the backend says, and some metres for the ends, is left to the grid: they lie on dearer ground.
constexpr double kMostDearer = 1.25, kEnds = 3.0;
/// Of the cost of a stretch: rounding of floats, and of corners to cells [m].
constexpr double kSlack = 1.001, kCorners = 1.0;

double apart(Position a, Position b) {
    const double dx = static_cast<double>(a.x) - b.x, dy = static_cast<double>(a.y) - b.y;
    return std::sqrt(dx * dx + dy * dy);
}

}  // namespace

DrawOutcome Query::Impl::prepareDrawing(const WorldSnapshot& snapshot, const PathRequest& request, std::optional<ResolvedConstraints>& resolved) {
    if (!snapshot.valid() || !isSimple(request, rules) || checkRequest(request)) return DrawOutcome::NotPlain;
    auto made = resolve(request.constraints, snapshot.rules());
    if (std::holds_alternative<Error>(made)) return DrawOutcome::NotPlain;
    resolved = std::get<ResolvedConstraints>(std::move(made));
    binding.bind(snapshot, CostKey{resolved->metric, resolved->threat_weight, static_cast<std::uint8_t>(request.side)}, {}, store);
    return isPlain(binding.model(), snapshot.state()) ? DrawOutcome::Drawn : DrawOutcome::NotPlain;
}

DrawOutcome Query::Impl::drawLeg(IRouteFinder& finder, const RouteQuestion& question) {
    const WorldSnapshot& snapshot = binding.snapshot();
    if (const DrawOutcome found = finder.findRoute(snapshot, question, drawn); found != DrawOutcome::Drawn) return found;
    // Ends that were moved onto the backend's ground are walked to.
    std::vector<Position>& way = drawn.corners;
    if (way.empty() || !(way.front() == question.from)) way.insert(way.begin(), question.from);
    if (!(way.back() == question.to)) way.push_back(question.to);
    way.erase(std::unique(way.begin(), way.end()), way.end());

    const CellRect map{0, 0, snapshot.width(), snapshot.height()};
    for (const Position corner : way) {
        if (!isUsable(corner) || !map.contains(anchorOf(snapshot, corner, question.profile.size))) return DrawOutcome::IllegalStep;
    }
    drawn_cells.clear();
    rasterise(snapshot, way, question.profile.size, drawn_cells, nullptr);
    const Cell origin = snapshot.origin();
    Walker walker(binding, leg_cells);
    for (std::size_t i = 0; i < drawn_cells.size(); ++i) {
        const Cell grid{drawn_cells[i].x - origin.x, drawn_cells[i].y - origin.y};
        if (!(i == 0 ? walker.begin(grid) : walker.step(grid))) return DrawOutcome::IllegalStep;
    }
    return DrawOutcome::Drawn;
}

Cost Query::Impl::costOf(std::span<const CellId> steps) {
    Cost cost = 0;
    for (std::size_t i = 1; i < steps.size(); ++i) cost += stepCost(binding, steps[i - 1], steps[i]);
    return cost;
}

void Query::Impl::takeLeg() {
    // The corner where the route stands is where the leg begins.
    const bool joined = !corners.empty();
    const std::size_t base = joined ? cells.size() - 1 : 0;
    cells.insert(cells.end(), leg_cells.begin() + (joined ? 1 : 0), leg_cells.end());
    if (joined) corners.back().leg = LegKind::Mesh;
    std::size_t at = 0;
    const std::vector<Position>& way = drawn.corners;
    const MobilityProfile& profile = binding.model().key().metric.profile;
    for (std::size_t i = joined ? 1 : 0; i < way.size(); ++i) {
        const Cell anchor = anchorOf(binding.snapshot(), way[i], profile.size);
        while (at + 1 < leg_cells.size() && leg_cells[at] != cellIdOf(anchor.x, anchor.y)) ++at;
        corners.push_back({way[i], LegKind::Mesh, base + at});
    }
    corners.back().leg = LegKind::Grid;
}

void Query::Impl::keepSteps(std::span<const CellId> route, std::size_t first, std::size_t last, int size) {
    const auto corner = [&](std::size_t i) {
        corners.push_back({centreOfAnchor(binding.snapshot(), gridXOf(route[i]), gridYOf(route[i]), size), LegKind::Grid, cells.size() - 1});
    };
    if (cells.empty()) {
        cells.push_back(route[first]);
        corner(first);
    } else if (corners.size() > 1 && corners[corners.size() - 2].leg == LegKind::Grid &&
               directionBetween(cells[cells.size() - 2], cells.back()) == directionBetween(route[first], route[first + 1])) {
        corners.pop_back();  // straight on from another stretch of steps
    }
    for (std::size_t i = first + 1; i <= last; ++i) {
        cells.push_back(route[i]);
        if (i == last || directionBetween(route[i - 1], route[i]) != directionBetween(route[i], route[i + 1])) corner(i);
    }
}

void Query::Impl::redraw(IRouteFinder& finder, const RouteQuestion& whole, std::span<const CellId> route, std::size_t first, std::size_t last,
                         std::uint64_t& expansions) {
    const int size = whole.profile.size;
    if (last - first < kShortestHalf / 2) return keepSteps(route, first, last, size);
    RouteQuestion question = whole;
    const auto centre = [&](std::size_t i) { return centreOfAnchor(binding.snapshot(), gridXOf(route[i]), gridYOf(route[i]), size); };
    // The ends of the route are those asked for, others the middles of their cells.
    if (first != 0) question.from = centre(first);
    if (last + 1 != route.size()) question.to = centre(last);
    drawn_via.clear();
    for (std::size_t i = first + kViaSpacing; i + kViaSpacing / 2 < last; i += kViaSpacing) drawn_via.push_back(centre(i));
    question.via = drawn_via;
    drawn.expansions = 0;
    const DrawOutcome outcome = drawLeg(finder, question);
    expansions += drawn.expansions;
    if (outcome == DrawOutcome::Drawn) {
        // The answer is priced by its cells, so it is those that must not cost more.
        const double before = costInMetres(costOf(route.subspan(first, last - first + 1)));
        if (costInMetres(costOf(leg_cells)) <= kSlack * before + kCorners) return takeLeg();
    }
    if (last - first < 2 * kShortestHalf) return keepSteps(route, first, last, size);
    const std::size_t middle = first + (last - first) / 2;
    redraw(finder, whole, route, first, middle, expansions);
    redraw(finder, whole, route, middle, last, expansions);
}

void Query::Impl::finishDrawn(const PathRequest& request, const ResolvedConstraints& resolved, Path& out) {
    buildRoute(binding, cells, {request.from, request.goal.centre}, resolved, request.detail, out);
    measureRoute(binding, cells, resolved, routes, out);
    corners.front().position = request.from;
    corners.back().position = request.goal.centre;
    double length = 0.0;
    out.mesh_length = 0.0;
    for (std::size_t i = 1; i < corners.size(); ++i) {
        const double leg = apart(corners[i - 1].position, corners[i].position);
        length += leg;
        if (corners[i - 1].leg == LegKind::Mesh) out.mesh_length += leg;
    }
    setLength(out, length);
    if (request.detail != PathDetail::Cells) {
        const MobilityProfile& profile = resolved.metric.profile;
        out.waypoints.clear();
        for (const RouteCorner& corner : corners) {
            const Cell anchor = anchorOf(binding.snapshot(), corner.position, profile.size);
            Waypoint& waypoint = out.waypoints.emplace_back();
            describeWaypoint(binding, cellIdOf(anchor.x, anchor.y), profile.size, waypoint);
            waypoint.position = corner.position;
            waypoint.leg = corner.leg;
            waypoint.speed = speedFor(out.movement_style, waypoint.threat_level >= kUnderThreat, waypoint.has_cover);
        }
    } else {
        std::size_t next = 0;
        for (std::size_t i = 0; i < out.waypoints.size(); ++i) {
            while (next + 1 < corners.size() && corners[next + 1].cell <= i) ++next;
            out.waypoints[i].leg = corners[next].leg;
        }
    }
    out.status = PathStatus::Found;
}

DrawOutcome Query::findDrawn(const WorldSnapshot& snapshot, const PathRequest& request, IRouteFinder& finder, Path& out) {
    const auto started = std::chrono::steady_clock::now();
    Impl& s = *impl_;
    std::optional<ResolvedConstraints> resolved;
    if (const DrawOutcome fit = s.prepareDrawing(snapshot, request, resolved); fit != DrawOutcome::Drawn) return fit;
    const RouteQuestion question{request.from, request.goal.centre, resolved->metric.profile, static_cast<float>(resolved->metric.terrain_weight) / 100.0f};
    s.drawn.cost = 0.0;
    if (const DrawOutcome found = s.drawLeg(finder, question); found != DrawOutcome::Drawn) return found;
    s.cells.clear();
    s.corners.clear();
    s.takeLeg();
    // A backend that says no cost is not judged by it.
    if (s.drawn.cost > 0.0 && costInMetres(s.costOf(s.cells)) > kMostDearer * s.drawn.cost + kEnds) return DrawOutcome::DearWay;
    double length = 0.0;
    for (std::size_t i = 1; i < s.corners.size(); ++i) length += apart(s.corners[i - 1].position, s.corners[i].position);
    if (length > kMostDetour * apart(question.from, question.to) + 1.0 && !(s.drawn.knows_all && s.isNearBest(snapshot, request, *resolved))) return DrawOutcome::LongWay;
    out.reset();
    s.finishDrawn(request, *resolved, out);
    out.algorithm = PathAlgorithm::NavMesh;
    out.expansions = s.drawn.expansions;
    out.computation_time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    return DrawOutcome::Drawn;
}

bool Query::Impl::isNearBest(const WorldSnapshot& snapshot, const PathRequest& request, const ResolvedConstraints& resolved) {
    const double cost = costInMetres(costOf(cells));
    leg_cells.swap(cells);  // the search uses these
    PathRequest grid = request;
    grid.algorithm = PathAlgorithm::Auto;
    grid.detail = PathDetail::CostOnly;
    grid.weight = 1.0f;
    probe.reset();
    const PathStatus status = solve(snapshot, grid, resolved, probe);
    leg_cells.swap(cells);
    return status != PathStatus::Found || cost <= kMostDetour * costInMetres(probe.cost) + kEnds;
}

bool Query::drawStretches(const WorldSnapshot& snapshot, const PathRequest& request, IRouteFinder& finder, Path& out) {
    const auto started = std::chrono::steady_clock::now();
    Impl& s = *impl_;
    std::optional<ResolvedConstraints> resolved;
    if (request.detail == PathDetail::AnyAngle) return false;  // it has its legs already
    if (out.status != PathStatus::Found || out.cells.size() < kShortestHalf / 2) return false;
    if (s.prepareDrawing(snapshot, request, resolved) != DrawOutcome::Drawn) return false;
    const MobilityProfile& profile = resolved->metric.profile;
    const RouteQuestion whole{request.from, request.goal.centre, profile, static_cast<float>(resolved->metric.terrain_weight) / 100.0f};
    const Cell origin = snapshot.origin();
    s.found_cells.clear();
    for (const Cell cell : out.cells) s.found_cells.push_back(cellIdOf(cell.x - origin.x, cell.y - origin.y));
    s.cells.clear();
    s.corners.clear();
    std::uint64_t expansions = 0;
    const auto squareOf = [](CellId c) { return Cell{gridXOf(c) / IRouteFinder::kReadyCells, gridYOf(c) / IRouteFinder::kReadyCells}; };
    bool ready = false;
    std::size_t first = 0;  // of the stretch at hand, which is ready or not as a whole
    const auto close = [&](std::size_t last) {
        if (last == first) return;
        if (ready) {
            s.redraw(finder, whole, s.found_cells, first, last, expansions);
        } else {
            s.keepSteps(s.found_cells, first, last, profile.size);
        }
        first = last;
    };
    for (std::size_t i = 0; i < s.found_cells.size(); ++i) {
        if (i != 0 && squareOf(s.found_cells[i]) == squareOf(s.found_cells[i - 1])) continue;
        const bool here = finder.isReady(snapshot, centreOfAnchor(snapshot, gridXOf(s.found_cells[i]), gridYOf(s.found_cells[i]), profile.size), profile);
        if (here == ready) continue;
        // A stretch that is ready ends at its last cell that is.
        if (i != 0) close(ready ? i - 1 : i);
        ready = here;
    }
    close(s.found_cells.size() - 1);
    const bool redrawn = std::any_of(s.corners.begin(), s.corners.end(), [](const RouteCorner& c) { return c.leg == LegKind::Mesh; });
    if (redrawn) s.finishDrawn(request, *resolved, out);
    out.expansions += expansions;
    out.computation_time_ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    return redrawn;
}

}  // namespace warpath
