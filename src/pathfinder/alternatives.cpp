// Several routes to one goal: different ways, or different directions of attack (Query::findAllPaths).
#include <algorithm>
#include <chrono>
#include <cmath>

#include "pathfinder/cell_steps.h"
#include "pathfinder/query_impl.h"
#include "pathfinder/route_builder.h"
#include "pathfinder/route_metrics.h"

namespace warpath {
namespace {

/// What a metre in the wrong part of the ring around a goal costs [hundredths]: more than any detour around it (the reference's 50 m).
constexpr std::uint32_t kWrongSide = 5000;
constexpr float kShortestLeg = 4.0f, kLongestLeg = 30.0f;
constexpr int kMostRepairs = 16;

/// The quarter around the goal that a point lies in, for somebody who attacks from `start`. Borders between quarters count as front or rear.
Approach quarterOf(Position start, Position goal, Position point) {
    const float ax = goal.x - start.x, ay = goal.y - start.y;    // the attacker looks this way; y points south
    const float vx = point.x - goal.x, vy = point.y - goal.y;
    const float along = vx * ax + vy * ay, left = vx * ay - vy * ax;
    if (std::fabs(left) <= std::fabs(along)) return along <= 0.0f ? Approach::Front : Approach::Rear;
    return left > 0.0f ? Approach::Left : Approach::Right;
}

float distanceBetween(Position a, Position b) { return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)); }

float lastLegOf(Position start, Position goal) { return std::clamp(0.25f * distanceBetween(start, goal), kShortestLeg, kLongestLeg); }

/// From where a route comes over its last leg: the quarter of its last cell beyond the leg's length from the goal.
Approach approachOf(const Path& path, Position start, Position goal, float leg) {
    for (std::size_t i = path.cells.size(); i-- > 0;) {
        const Position p = centreOf(path.cells[i]);
        if (distanceBetween(p, goal) >= leg) return quarterOf(start, goal, p);
    }
    return Approach::Front;
}

void toIds(const Path& path, const WorldSnapshot& snapshot, std::vector<CellId>& ids) {
    const Cell origin = snapshot.origin();
    ids.clear();
    for (const Cell c : path.cells) ids.push_back(cellIdOf(c.x - origin.x, c.y - origin.y));
}

/// Cuts out loops, so that no cell occurs twice.
void removeLoops(std::vector<CellId>& cells, std::vector<CellId>& scratch) {
    scratch = cells;
    std::sort(scratch.begin(), scratch.end());
    if (std::adjacent_find(scratch.begin(), scratch.end()) == scratch.end()) return;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto last = std::find(cells.rbegin(), cells.rend() - static_cast<std::ptrdiff_t>(i) - 1, cells[i]);
        const auto keep = static_cast<std::size_t>(cells.rend() - last) - 1;  // index of the last occurrence
        if (keep > i) cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(i), cells.begin() + static_cast<std::ptrdiff_t>(keep));
    }
}

}  // namespace

AStarResult Query::Impl::searchRaised(const PathRequest& request) {
    raised.bind(binding.snapshot(), binding.model().key(), ends.exemptions(), store);
    raised.addCosts(extra);
    AStarOptions options;
    options.weight_hundredths = static_cast<std::uint32_t>(std::floor(request.weight * 100.0f));
    options.max_expansions = request.max_expansions != 0 ? request.max_expansions : rules.max_expansions;
    const AStarResult result = astar.run(raised, ends.start().x, ends.start().y, ends.goal(), options);
    if (result.status == PathStatus::Found) astar.extract(raised, result.end, candidate);
    return result;
}

void Query::Impl::measureCandidate() {
    prefix.assign(1, 0);
    for (std::size_t i = 1; i < candidate.size(); ++i) {
        const CellRef from = binding.refOf(gridXOf(candidate[i - 1]), gridYOf(candidate[i - 1]));
        const CellRef to = binding.refOf(gridXOf(candidate[i]), gridYOf(candidate[i]));
        prefix.push_back(prefix.back() + stepCostOf(binding, from, to, directionBetween(candidate[i - 1], candidate[i])));
    }
}

bool Query::Impl::straightenWindows(Cost window, Cost step, Cost& allowance) {
    std::size_t from = 0;
    while (from + 2 < candidate.size()) {
        std::size_t to = from + 1;
        while (to + 1 < candidate.size() && prefix[to + 1] - prefix[from] <= window) ++to;
        const bool last = to + 1 == candidate.size();
        if (to > from + 1) {
            const Cost cost = prefix[to] - prefix[from];
            const int x = gridXOf(candidate[to]), y = gridYOf(candidate[to]);
            piece_goal.setCell(x, y);
            AStarOptions options;
            options.max_cost = cost - 1;
            const AStarResult better = astar.run(binding, gridXOf(candidate[from]), gridYOf(candidate[from]), piece_goal, options);
            if (better.status == PathStatus::Found) {
                if (allowance == 0) return false;
                --allowance;
                astar.extract(binding, better.end, piece);
                piece.insert(piece.begin(), candidate.begin(), candidate.begin() + static_cast<std::ptrdiff_t>(from));
                piece.insert(piece.end(), candidate.begin() + static_cast<std::ptrdiff_t>(to) + 1, candidate.end());
                candidate.swap(piece);
                removeLoops(candidate, piece);
                measureCandidate();
                // The seams are new stretches: look again from where a window can hold the first of them.
                from = std::min(from, candidate.size() - 1);
                const Cost seam = prefix[from];
                while (from > 0 && seam - prefix[from] < window) --from;
                continue;
            }
        }
        if (last) return true;
        std::size_t next = from + 1;
        while (next + 1 < candidate.size() && prefix[next + 1] - prefix[from] <= step) ++next;
        from = next;
    }
    return true;
}

bool Query::Impl::straighten(Cost reach) {
    Cost allowance = kMostRepairs;
    // Windows of one and a half times the reach, half the reach apart, hold every stretch up to the reach.
    return straightenWindows(reach + (reach + 1) / 2, reach / 2, allowance);
}

void Query::Impl::buildCandidate(const PathRequest& request, const ResolvedConstraints& resolved, Path& out) {
    const std::optional<Position> goal = ends.goalPosition();
    buildRoute(binding, candidate, {request.from, goal}, resolved, request.detail, out);
    measureRoute(binding, candidate, resolved, routes, out);
    out.status = PathStatus::Found;
}

namespace {

/// Labels that need all routes: stretch, score, approach.
void finishLabels(const WorldSnapshot& snapshot, const PathRequest& request, const ResolvedConstraints& resolved, std::vector<Path>& out) {
    const Cell last = out[0].cells.back();
    const Position goal = request.goal.kind == Goal::Kind::Point ? request.goal.centre : centreOf(last);
    const float leg = lastLegOf(request.from, goal);
    for (Path& path : out) {
        path.stretch = out[0].cost == 0 ? 1.0f : static_cast<float>(static_cast<double>(path.cost) / static_cast<double>(out[0].cost));
        path.approach = approachOf(path, request.from, goal, leg);
        path.revision = snapshot.revision();
    }
    scorePaths(out, scoreWeights(resolved.doctrine));
}

}  // namespace

void Query::Impl::findDiverse(const WorldSnapshot& snapshot, const MultiPathRequest& request, const ResolvedConstraints& resolved,
                              std::vector<Path>& out) {
    const Path& best = out[0];
    const Cost best_cost = best.cost;
    const double stretch_limit = static_cast<double>(best_cost) * static_cast<double>(request.max_stretch);
    const auto wanted = static_cast<std::size_t>(request.max_paths);
    const auto overlapOf = [&](std::size_t i) -> RouteOverlap& {
        if (i >= overlaps.size()) overlaps.resize(i + 1);
        return overlaps[i];
    };

    extra.clear();
    if (wanted > 1 && best.cells.size() > 2) {
        // Dear enough that a way clear of the others within the stretch limit beats every way that overlaps too much.
        const double needed = (static_cast<double>(request.max_stretch) - 1.0) / ((1.0 - 2.0 * kOverlapEnds) * std::max(static_cast<double>(request.max_overlap), 0.1));
        const double mean_f = static_cast<double>(best_cost) / best.length / static_cast<double>(kCostPerMetre) * 100.0;
        const auto raise = static_cast<std::uint32_t>(std::clamp(1.1 * std::clamp(needed, 0.5, 4.0) * mean_f, 10.0, 20'000.0));
        const auto raiseAlong = [&](const RouteOverlap& route) {
            piece.clear();
            route.alongMiddle(piece);
            for (const CellId cell : piece) extra.push_back({cell, raise});
        };
        std::vector<CellId>& first = candidate;
        first = cells;
        overlapOf(0).set(snapshot, first);
        raiseAlong(overlapOf(0));

        // Of a pair the dearer route may not run along the cheaper one; nor may the middle of the cheaper along the middle of the dearer.
        const auto overlapOfCandidate = [&](RouteOverlap& here) {
            here.set(snapshot, candidate);
            float overlap = 0.0f;
            for (std::size_t i = 0; i < out.size(); ++i) {
                toIds(out[i], snapshot, piece);
                const bool dearer = prefix.back() >= out[i].cost;
                overlap = std::max(overlap, dearer ? overlaps[i].shareOf(candidate) : here.shareOf(piece));
                overlap = std::max(overlap, dearer ? here.middleShareOf(piece) : overlaps[i].middleShareOf(candidate));
            }
            return overlap;
        };
        std::size_t attempts = wanted + 1;
        while (out.size() < wanted && attempts-- > 0) {
            const auto started = std::chrono::steady_clock::now();
            const AStarResult result = searchRaised(request.path);
            if (result.status != PathStatus::Found) break;
            measureCandidate();
            if (static_cast<double>(prefix.back()) > stretch_limit) break;  // what is left is farther still, or runs along the others
            RouteOverlap& here = overlapOf(out.size());
            bool differs = overlapOfCandidate(here) <= request.max_overlap;
            raiseAlong(here);
            if (differs) {
                const Cost before = prefix.back();
                differs = straighten(std::max<Cost>(best_cost / 4, 1));
                if (differs && prefix.back() != before) differs = overlapOfCandidate(here) <= request.max_overlap;
            }
            if (!differs || static_cast<double>(prefix.back()) > stretch_limit) continue;
            out.emplace_back();
            Path& next = out.back();
            buildCandidate(request.path, resolved, next);
            next.algorithm = PathAlgorithm::AStar;
            next.weight = request.path.weight;
            next.expansions = result.expansions;
            next.computation_time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
            for (std::size_t i = out.size() - 1; i > 1 && out[i].cost < out[i - 1].cost; --i) {
                std::swap(out[i], out[i - 1]);
                std::swap(overlaps[i], overlaps[i - 1]);
            }
        }
        for (std::size_t i = 1; i < out.size(); ++i) {
            toIds(out[i], snapshot, piece);
            for (std::size_t j = 0; j < i; ++j) out[i].overlap = std::max(out[i].overlap, overlaps[j].shareOf(piece));
        }
    }
    finishLabels(snapshot, request.path, resolved, out);
}

void Query::Impl::findFlanking(const WorldSnapshot& snapshot, const MultiPathRequest& request, const ResolvedConstraints& resolved,
                               std::vector<Path>& out) {
    finishLabels(snapshot, request.path, resolved, out);
    const Cell origin = snapshot.origin();
    const Position start = request.path.from;
    const Position goal = request.path.goal.kind == Goal::Kind::Point ? request.path.goal.centre : centreOf(out[0].cells.back());
    const float leg = lastLegOf(start, goal);
    const double stretch_limit = static_cast<double>(out[0].cost) * static_cast<double>(request.max_stretch);
    if (distanceBetween(start, goal) <= leg) return;
    const Approach known = out[0].approach;
    for (const Approach side : {Approach::Front, Approach::Left, Approach::Right}) {
        if (side == known || out.size() >= static_cast<std::size_t>(request.max_paths)) continue;
        const auto started = std::chrono::steady_clock::now();
        extra.clear();
        const float outer = leg + 1.5f;  // so that the first cell beyond the leg lies in the quarter, too
        const int reach = static_cast<int>(std::ceil(outer));
        const Cell centre = cellAt(goal);
        for (int dy = -reach; dy <= reach; ++dy) {
            for (int dx = -reach; dx <= reach; ++dx) {
                const Cell c{centre.x + dx, centre.y + dy};
                const float distance = distanceBetween(centreOf(c), goal);
                if (distance > outer || distance < 1.5f || !snapshot.contains(c) || quarterOf(start, goal, centreOf(c)) == side) continue;
                extra.push_back({cellIdOf(c.x - origin.x, c.y - origin.y), kWrongSide});
            }
        }
        const AStarResult result = searchRaised(request.path);
        if (result.status != PathStatus::Found) continue;
        measureCandidate();
        if (static_cast<double>(prefix.back()) > stretch_limit) continue;
        Path next;
        buildCandidate(request.path, resolved, next);
        if (approachOf(next, start, goal, leg) != side) continue;
        next.algorithm = PathAlgorithm::AStar;
        next.weight = request.path.weight;
        next.expansions = result.expansions;
        next.computation_time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
        out.push_back(std::move(next));
    }
    std::stable_sort(out.begin() + 1, out.end(), [](const Path& a, const Path& b) { return a.cost < b.cost; });
    for (std::size_t i = 1; i < out.size(); ++i) {
        toIds(out[i], snapshot, candidate);
        for (std::size_t j = 0; j < i; ++j) {
            if (overlaps.empty()) overlaps.resize(1);
            toIds(out[j], snapshot, piece);
            overlaps[0].set(snapshot, piece);
            out[i].overlap = std::max(out[i].overlap, overlaps[0].shareOf(candidate));
        }
    }
    finishLabels(snapshot, request.path, resolved, out);
}

}  // namespace warpath
