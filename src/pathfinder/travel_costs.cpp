// Costs without routes: one search for all places within the exact distances, the others one by one.
#include "warpath/pathfinder/travel_costs.h"

#include <algorithm>
#include <chrono>

#include "pathfinder/query_impl.h"

namespace warpath {
namespace {

/// So few places are found sooner each by itself: by jump point search, or led by a field (bench/astar_bench).
constexpr std::size_t kFewPlaces = 3;

bool byRow(Cell a, Cell b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }

}  // namespace

PathStatus Query::findCosts(const WorldSnapshot& snapshot, const CostsRequest& request, TravelCosts& out) {
    const auto started = std::chrono::steady_clock::now();
    out.error = {};
    out.places.clear();
    out.expansions = 0;
    out.revision = snapshot.valid() ? snapshot.revision() : 0;
    PathRequest one{.from = request.from,
                    .goal = Goal::set(request.goals),
                    .constraints = request.constraints,
                    .side = request.side,
                    .ignore_self = request.ignore_self,
                    .max_cost = request.max_cost,
                    .algorithm = request.algorithm,
                    .detail = PathDetail::CostOnly};
    const auto resolved_or_error = resolveOn(snapshot, request.constraints, checkRequest(one));
    if (const auto* error = std::get_if<Error>(&resolved_or_error)) return out.status = refuse(&out.error, *error);
    const ResolvedConstraints& resolved = std::get<ResolvedConstraints>(resolved_or_error);

    Impl& s = *impl_;
    const PathRequest all = one;
    std::vector<Cell> cells(request.goals.size()), together;
    std::vector<std::size_t> shared;  // places that the one search answers
    Impl::Task task;
    const auto askAlone = [&](std::size_t i) {
        one.goal = Goal::point(request.goals[i]);
        s.probe.reset();
        TravelCost& place = out.places[i];
        place.status = s.solve(snapshot, one, resolved, s.probe);
        place.cost = place.status == PathStatus::Found ? s.probe.cost : 0;
        place.algorithm = s.probe.algorithm;
        out.expansions += s.probe.expansions;
    };
    out.places.assign(request.goals.size(), {});
    for (std::size_t i = 0; i < request.goals.size(); ++i) {
        TravelCost& place = out.places[i];
        one.goal = Goal::point(request.goals[i]);
        const Impl::Task here = s.begin(snapshot, one, resolved);
        place.status = here.judged;
        if (here.judged != PathStatus::Found) continue;
        if (here.algorithm == PathAlgorithm::Hierarchical) {
            askAlone(i);
            continue;
        }
        task = here;
        cells[i] = *s.ends.goalCell();
        shared.push_back(i);
        together.push_back(cells[i]);
    }
    std::sort(together.begin(), together.end(), byRow);
    together.erase(std::unique(together.begin(), together.end()), together.end());
    if (together.size() <= kFewPlaces || task.options.max_expansions != 0) {  // a budget is that of each
        for (const std::size_t i : shared) askAlone(i);
    } else if (!shared.empty()) {
        one.goal = Goal::point(request.goals[shared.back()]);
        s.begin(snapshot, one, resolved);  // a search of its own may have been made since
        s.nearest_goal.setPlaces(together);
        AStarOptions options = task.options;
        options.nearest_to = nullptr;
        options.canonical = task.canonical(resolved.metric.profile, s.binding);
        options.every = together;
        const Cell start = s.ends.start();
        const AStarResult result = s.astar.run(s.binding, start.x, start.y, s.nearest_goal, options);
        out.expansions += result.expansions;
        for (const std::size_t i : shared) {
            const Cost cost = s.astar.costTo(s.binding, cells[i]);
            TravelCost& place = out.places[i];
            place.algorithm = PathAlgorithm::AStar;
            place.status = cost != UINT64_MAX ? PathStatus::Found : result.status;
            place.cost = cost != UINT64_MAX ? cost : 0;
        }
    }
    const bool any = std::any_of(out.places.begin(), out.places.end(), [](const TravelCost& place) { return place.status == PathStatus::Found; });
    out.status = any ? PathStatus::Found : out.places.front().status;
    tellOffMap(snapshot, all, out.status, out.error);
    out.computation_time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    return out.status;
}

PathStatus Query::reachable(const WorldSnapshot& snapshot, Position from, std::span<const Position> to, const PathConstraints& constraints,
                            std::vector<PathStatus>& out, Error* error) {
    out.clear();
    if (error != nullptr) *error = {};
    const PathRequest all{.from = from, .goal = Goal::set({to.begin(), to.end()}), .constraints = constraints};
    const auto resolved = resolveOn(snapshot, constraints, checkRequest(all));
    if (const auto* wrong = std::get_if<Error>(&resolved)) return refuse(error, *wrong);
    if (hasOneWaySteps(std::get<ResolvedConstraints>(resolved).metric.profile, snapshot)) {
        TravelCosts costs;
        const PathStatus status = findCosts(snapshot, {.from = from, .goals = all.goal.positions, .constraints = constraints, .algorithm = PathAlgorithm::AStar}, costs);
        for (const TravelCost& place : costs.places) out.push_back(place.status);
        if (error != nullptr) *error = costs.error;
        return status;
    }
    for (const Position p : to) out.push_back(reachable(snapshot, from, p, constraints));
    const bool any = std::find(out.begin(), out.end(), PathStatus::Found) != out.end();
    const PathStatus status = any ? PathStatus::Found : out.front();
    if (error != nullptr) tellOffMap(snapshot, all, status, *error);
    return status;
}

}  // namespace warpath
