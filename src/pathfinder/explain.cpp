#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pathfinder/query_impl.h"
#include "pathfinder/route_builder.h"
#include "pathfinder/route_metrics.h"
#include "warpath/pathfinder/tactics.h"

namespace warpath {
namespace {

std::vector<TermComparison> compare(const CostBreakdown& route, const CostBreakdown& best) {
    const auto metres = [](auto cost) { return static_cast<double>(cost) / static_cast<double>(kCostPerMetre); };
    std::vector<TermComparison> terms{
        {"distance", metres(route.distance), metres(best.distance)},       {"terrain", metres(route.terrain), metres(best.terrain)},
        {"road", metres(route.road), metres(best.road)},                   {"elevation", metres(route.elevation), metres(best.elevation)},
        {"threat", metres(route.threat), metres(best.threat)},             {"exposure", metres(route.exposure), metres(best.exposure)},
        {"cover", metres(route.cover), metres(best.cover)},                {"congestion", metres(route.congestion), metres(best.congestion)},
        {"wall", metres(route.wall), metres(best.wall)},
    };
    std::stable_sort(terms.begin(), terms.end(),
                     [](const TermComparison& a, const TermComparison& b) { return std::fabs(a.route - a.best) > std::fabs(b.route - b.best); });
    return terms;
}

std::string number(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof(text), format, value);
    return text;
}

std::string verdictOf(const Path& route, const Path& best, const std::vector<TermComparison>& terms) {
    const double more = costInMetres(route.cost) - costInMetres(best.cost);
    std::string text = "costs " + number("%.1f", costInMetres(route.cost));
    if (!best.hasRoute()) return text + "; there is no best route to compare it with: " + toString(best.status);
    if (more < 0.05) return text + ", as little as the best route";
    text += ", " + number("%.1f", more) + " more than the best route";
    const char* between = ": ";
    for (const TermComparison& term : terms) {
        if (std::fabs(term.route - term.best) < 0.05) continue;
        text += between + std::string(term.term) + " " + number("%+.1f", term.route - term.best);
        between = ", ";
    }
    return text;
}

}  // namespace

RouteExplanation TacticalQuery::explain(const WorldSnapshot& snapshot, std::span<const Position> drawn, const PathConstraints& constraints, int side,
                                        int stretches) {
    RouteExplanation out;
    if (drawn.empty()) {
        out.status = PathStatus::InvalidArgument;
        out.error = {"path", "no positions", "give at least one"};
        return out;
    }
    out.validation = query_.validatePath(snapshot, drawn, constraints);
    if (!out.validation.valid) {
        out.error = out.validation.error;
        if (!out.error.field.empty()) out.status = PathStatus::InvalidArgument;
        return out;
    }
    const auto resolved = std::get<ResolvedConstraints>(resolve(constraints, snapshot.rules()));
    std::vector<Cell> cells;
    std::vector<std::size_t> leg;
    rasteriseLegally(query_.impl_->binding, drawn, resolved.metric.profile.size, cells, leg);  // bound by the validation
    return explainCells(snapshot, cells, {drawn.front(), drawn.back()}, constraints, side, stretches);
}

RouteExplanation TacticalQuery::explain(const WorldSnapshot& snapshot, const Path& route, const PathConstraints& constraints, int side, int stretches) {
    RouteExplanation out;
    out.validation = query_.validatePath(snapshot, route, constraints);
    if (!out.validation.valid) {
        out.error = out.validation.error;
        if (!out.error.field.empty()) out.status = PathStatus::InvalidArgument;
        return out;
    }
    return explainCells(snapshot, route.cells, {route.waypoints.front().position, route.waypoints.back().position}, constraints, side, stretches);
}

RouteExplanation TacticalQuery::explainCells(const WorldSnapshot& snapshot, const std::vector<Cell>& route, std::pair<Position, Position> ends,
                                             const PathConstraints& constraints, int side, int stretches) {
    RouteExplanation out;
    const auto refuse = [&](Error error) {
        out.status = PathStatus::InvalidArgument;
        out.error = std::move(error);
        return out;
    };
    if (side < 0 || side >= kMaxSides) return refuse({"side", std::to_string(side), "use 0 to " + std::to_string(kMaxSides - 1)});
    if (stretches < 1 || stretches > 1024) return refuse({"stretches", std::to_string(stretches), "use 1 to 1024"});
    const auto resolved = std::get<ResolvedConstraints>(resolve(constraints, snapshot.rules()));
    out.validation.valid = true;

    query_.findPath(snapshot, {.from = ends.first, .goal = Goal::point(ends.second), .constraints = constraints, .side = side, .algorithm = PathAlgorithm::AStar},
                    out.best);

    Query::Impl& impl = *query_.impl_;
    impl.binding.bind(snapshot, CostKey{resolved.metric, resolved.threat_weight, static_cast<std::uint8_t>(side)}, {}, impl.store);
    const Cell origin = snapshot.origin();
    std::vector<CellId> cells;
    for (const Cell c : route) cells.push_back(cellIdOf(c.x - origin.x, c.y - origin.y));
    buildRoute(impl.binding, cells, {ends.first, ends.second}, resolved, PathDetail::Corners, out.route);
    measureRoute(impl.binding, cells, resolved, impl.routes, out.route);
    out.route.status = PathStatus::Found;

    // Stretches of about equal numbers of cells.
    const std::size_t steps = cells.size() - 1;
    const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(stretches), std::max<std::size_t>(steps, 1));
    Path part;
    for (std::size_t i = 0; i < count; ++i) {
        RouteStretch stretch;
        stretch.first_cell = steps * i / count;
        stretch.last_cell = steps * (i + 1) / count;
        const int size = resolved.metric.profile.size;
        const auto centre = [&](std::size_t at) { return centreOfAnchor(snapshot, gridXOf(cells[at]), gridYOf(cells[at]), size); };
        stretch.from = centre(stretch.first_cell);
        stretch.to = centre(stretch.last_cell);
        part.reset();
        buildRoute(impl.binding, std::span(cells).subspan(stretch.first_cell, stretch.last_cell - stretch.first_cell + 1), {stretch.from, stretch.to},
                   resolved, PathDetail::Corners, part);
        stretch.length = part.length;
        stretch.cost = part.cost;
        stretch.breakdown = part.breakdown;
        out.stretches.push_back(stretch);
    }
    if (out.best.hasRoute()) out.terms = compare(out.route.breakdown, out.best.breakdown);
    out.verdict = verdictOf(out.route, out.best, out.terms);
    out.status = PathStatus::Found;
    return out;
}

}  // namespace warpath
