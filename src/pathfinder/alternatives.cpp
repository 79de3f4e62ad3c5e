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
/// Ways are looked for up to these stretches in turn, as far as the request allows.
constexpr float kStretchLevels[] = {1.2f, 1.5f, 2.0f, 3.0f, 5.0f, 10.0f, kMaxStretch};
/// What is tried before "fewer" is the answer: ways extracted and compared, and searches for local optimality, beyond one for each route wanted.
constexpr int kMostLooks = 40, kMostChecks = 6;
constexpr std::uint64_t kMostExpansions = 4'000'000;

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

bool Query::Impl::comesBack() {
    visited.clear();
    return !std::all_of(candidate.begin(), candidate.end(), [&](CellId cell) { return visited.add(gridXOf(cell), gridYOf(cell)); });
}

void Query::Impl::measureCandidate() {
    prefix.assign(1, 0);
    for (std::size_t i = 1; i < candidate.size(); ++i) prefix.push_back(prefix.back() + stepCost(binding, candidate[i - 1], candidate[i]));
}

bool Query::Impl::isLocallyOptimal(const Via& via, std::size_t first, std::size_t last, Cost reach) {
    const Cost plateau = prefix[last] - prefix[first];
    if (plateau >= reach) return true;
    // Up to the plateau's end it is a cheapest way, and from its begin on: a stretch that could be cheaper has ends on both sides.
    const Cost beside = reach - plateau;
    std::size_t from = first, to = last;
    while (from > 0 && prefix[first] - prefix[from] < beside) --from;
    while (to + 1 < candidate.size() && prefix[to] - prefix[last] < beside) ++to;
    return !trees.isCheaperBetween(binding, via, candidate[from], candidate[to], prefix[to] - prefix[from]);
}

void Query::Impl::buildCandidate(const PathRequest& request, const ResolvedConstraints& resolved, Path& out) {
    const std::optional<Position> goal = ends.goalPosition();
    buildRoute(binding, candidate, {request.from, goal}, resolved, request.detail, out);
    measureRoute(binding, candidate, resolved, routes, out);
    out.status = PathStatus::Found;
}

namespace {

/// Labels that need all routes: stretch, score, approach.
void finishLabels(const WorldSnapshot& snapshot, const PathRequest& request, const ScoreWeights& weights, std::vector<Path>& out) {
    const Cell last = out[0].cells.back();
    const Position goal = request.goal.kind == Goal::Kind::Point ? request.goal.centre : centreOf(last);
    const float leg = lastLegOf(request.from, goal);
    for (Path& path : out) {
        path.stretch = out[0].cost == 0 ? 1.0f : static_cast<float>(static_cast<double>(path.cost) / static_cast<double>(out[0].cost));
        path.approach = approachOf(path, request.from, goal, leg);
        path.revision = snapshot.revision();
    }
    scorePaths(out, weights);
}

}  // namespace

void Query::Impl::findDiverse(const WorldSnapshot& snapshot, const MultiPathRequest& request, const ResolvedConstraints& resolved,
                              std::vector<Path>& out) {
    const Path& best = out[0];
    const auto wanted = static_cast<std::size_t>(request.max_paths);
    if (wanted > 1 && best.cells.size() > 2) {
        if (overlaps.empty()) overlaps.resize(1);
        overlaps[0].set(snapshot, cells);
        first_through_hierarchy = out[0].algorithm == PathAlgorithm::Hierarchical;
        // Near the best cost first: that is little work, and what is found there stays, so a wider limit does not lose it.
        for (const float level : kStretchLevels) {
            const float stretch = std::min(level, request.max_stretch);
            if (out.size() < wanted && growTrees(request, out[0].cost, stretch)) addDiverse(snapshot, request, resolved, out);
            if (stretch >= request.max_stretch) break;
        }
        for (std::size_t i = 1; i < out.size(); ++i) {
            toIds(out[i], snapshot, piece);
            for (std::size_t j = 0; j < i; ++j) out[i].overlap = std::max(out[i].overlap, overlaps[j].shareOf(piece));
        }
    }
    finishLabels(snapshot, request.path, routes.score[static_cast<std::size_t>(resolved.doctrine)], out);
}

/// Adds what the trees hold: cheap ways on long plateaus first.
void Query::Impl::addDiverse(const WorldSnapshot& snapshot, const MultiPathRequest& request, const ResolvedConstraints& resolved, std::vector<Path>& out) {
    const auto wanted = static_cast<std::size_t>(request.max_paths);
    const Cost reach = std::max<Cost>(out[0].cost / 4, 1);
    if (overlaps.size() < wanted) overlaps.resize(wanted);
    trees.findPlateaus(binding, reach, vias);
    int looks = kMostLooks + static_cast<int>(wanted), checks = kMostChecks + static_cast<int>(wanted);
    for (std::size_t k = 0; k < vias.size() && out.size() < wanted && looks > 0 && checks > 0; ++k) {
        const Via& via = vias[k];
        const auto started = std::chrono::steady_clock::now();
        --looks;
        std::size_t first = 0, last = 0;
        trees.extract(binding, via, candidate, first, last);
        const auto runsAlong = [&](const RouteOverlap& other) { return other.isAlong(candidate[(first + last) / 2]); };
        if (std::any_of(overlaps.begin(), overlaps.begin() + static_cast<std::ptrdiff_t>(out.size()), runsAlong)) continue;
        if (comesBack()) continue;
        measureCandidate();
        RouteOverlap& here = overlaps[out.size()];
        if (!differs(snapshot, out, request.max_overlap, here)) continue;
        if (via.plateau < reach) --checks;
        if (!isLocallyOptimal(via, first, last, reach)) continue;
        out.emplace_back();
        Path& next = out.back();
        buildCandidate(request.path, resolved, next);
        next.algorithm = first_through_hierarchy ? PathAlgorithm::Hierarchical : PathAlgorithm::AStar;
        next.weight = request.path.weight;
        next.expansions = trees.expansions();
        next.computation_time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
        for (std::size_t i = out.size() - 1; i > 1 && out[i].cost < out[i - 1].cost; --i) {
            std::swap(out[i], out[i - 1]);
            std::swap(overlaps[i], overlaps[i - 1]);
        }
    }
}

bool Query::Impl::growTrees(const MultiPathRequest& request, Cost best_cost, float stretch) {
    const ChunkCorridor* corridor = first_through_hierarchy ? hierarchy.corridor() : nullptr;
    const double beyond = static_cast<double>(best_cost) * (static_cast<double>(stretch) - 1.0);
    const std::uint64_t most = request.path.max_expansions != 0 ? request.path.max_expansions : rules.max_expansions;
    // A stretch that asks for more than kMostExpansions gets as much of it as fits.
    for (double share = 1.0; share > 0.1; share /= 2.0) {
        const Cost limit = best_cost + static_cast<Cost>(std::floor(beyond * share));
        if (trees.grow(binding, field, ends.start(), ends.goal(), cells.back(), limit, most != 0 ? std::min(most, kMostExpansions) : kMostExpansions, corridor)) return true;
        if (most != 0 && most <= kMostExpansions) return false;
    }
    return false;
}

bool Query::Impl::differs(const WorldSnapshot& snapshot, const std::vector<Path>& out, float most, RouteOverlap& here) {
    // Of a pair the dearer route may not run along the cheaper one; nor may the middle of the cheaper along the middle of the dearer.
    bool marked = false;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const bool dearer = prefix.back() >= out[i].cost;
        if ((dearer ? overlaps[i].shareOf(candidate) : overlaps[i].middleShareOf(candidate)) > most) return false;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (!marked) here.set(snapshot, candidate);
        marked = true;
        const bool dearer = prefix.back() >= out[i].cost;
        toIds(out[i], snapshot, piece);
        if ((dearer ? here.middleShareOf(piece) : here.shareOf(piece)) > most) return false;
    }
    return true;
}

void Query::Impl::findFlanking(const WorldSnapshot& snapshot, const MultiPathRequest& request, const ResolvedConstraints& resolved,
                               std::vector<Path>& out) {
    finishLabels(snapshot, request.path, routes.score[static_cast<std::size_t>(resolved.doctrine)], out);
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
    finishLabels(snapshot, request.path, routes.score[static_cast<std::size_t>(resolved.doctrine)], out);
}

}  // namespace warpath
