#include "pathfinder/hierarchy_query.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <span>

#include "pathfinder/portal_costs.h"
#include "pathfinder/route_overlap.h"

namespace warpath {
namespace {

// How far around the way over portals the corridor reaches into other chunks [cells] (bench/long_distance_bench).
constexpr int kUniformMargin = 0;
constexpr int kWeightedMargin = 12;
// A detour of some cells is a large share of a short way: one over at most so many portals is looked for in a wider corridor.
constexpr std::size_t kShortWay = 4;
constexpr int kShortMargin = 48;

// How often the way over portals is looked for again after the threat and congestion on it have been priced exactly.
constexpr int kLayerRounds = 32;
// ... and by what share of its price the best one may be dearer than what the last search hopes for.
constexpr Cost kLayerTolerance = 200;

double since(std::chrono::steady_clock::time_point began) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

HierarchyQuery::HierarchyQuery() : costs_(std::make_unique<ChunkCosts>()) {}
HierarchyQuery::~HierarchyQuery() = default;
HierarchyQuery::HierarchyQuery(HierarchyQuery&&) noexcept = default;
HierarchyQuery& HierarchyQuery::operator=(HierarchyQuery&&) noexcept = default;

bool HierarchyQuery::takes(const GoalShape& goal) {
    if (!goal.places().empty()) {
        std::array<ChunkCoord, kMaxSetChunks> chunks;
        std::size_t count = 0;
        for (const Cell place : goal.places()) {
            const ChunkCoord chunk = chunkOfCell(place.x, place.y);
            const auto end = chunks.begin() + static_cast<std::ptrdiff_t>(count);
            if (std::find(chunks.begin(), end, chunk) != end) continue;
            if (count == kMaxSetChunks) return false;
            chunks[count++] = chunk;
        }
        return true;
    }
    const CellRect b = goal.bounds();
    const ChunkCoord first = chunkOfCell(b.x, b.y), last = chunkOfCell(b.x + b.width - 1, b.y + b.height - 1);
    return std::int64_t{last.x - first.x + 1} * (last.y - first.y + 1) <= kMaxGoalChunks;
}

void HierarchyQuery::joinStart(TileBinding& binding, Cell start, const GoalShape& goal) {
    const ChunkCoord chunk = chunkOfCell(start.x, start.y);
    costs_->prepare(binding, binding.slot(slotOf(binding.refOf(start.x, start.y))), TravelDirection::from_sources);
    const auto& reached = costs_->from(localIndex(start.x, start.y));
    seeds_.clear();
    appendPortalCosts(view_.table(chunk), reached, seeds_);
    direct_ = UINT64_MAX;
    const CellRect shared = intersect(goal.bounds(), {chunk.x << kChunkShift, chunk.y << kChunkShift, kChunkSize, kChunkSize});
    for (int y = shared.y; y < shared.y + shared.height; ++y) {
        for (int x = shared.x; x < shared.x + shared.width; ++x) {
            const std::uint32_t cost = reached[static_cast<std::size_t>(localIndex(x, y))];
            if (cost != ChunkCosts::kNoWay && cost < direct_ && goal.contains(x, y)) direct_ = cost;
        }
    }
}

void HierarchyQuery::joinGoal(TileBinding& binding, const GoalShape& goal) {
    goal_cells_.clear();
    const WorldSnapshot& snapshot = binding.snapshot();
    const CellRect bounds = intersect(goal.bounds(), {0, 0, snapshot.width(), snapshot.height()});
    if (!goal.places().empty()) {
        std::copy_if(goal.places().begin(), goal.places().end(), std::back_inserter(goal_cells_), [&](Cell c) { return bounds.contains(c); });
        std::sort(goal_cells_.begin(), goal_cells_.end(), beforeByChunk);
    } else if (!bounds.empty()) {
        const ChunkCoord first = chunkOfCell(bounds.x, bounds.y), last = chunkOfCell(bounds.x + bounds.width - 1, bounds.y + bounds.height - 1);
        for (int cy = first.y; cy <= last.y; ++cy) {
            for (int cx = first.x; cx <= last.x; ++cx) {
                const CellRect shared = intersect(bounds, {cx << kChunkShift, cy << kChunkShift, kChunkSize, kChunkSize});
                for (int y = shared.y; y < shared.y + shared.height; ++y) {
                    for (int x = shared.x; x < shared.x + shared.width; ++x) {
                        if (goal.contains(x, y)) goal_cells_.push_back({x, y});
                    }
                }
            }
        }
    }
    goal_count_ = joinGoalCells(binding, view_, *costs_, goal_cells_, goals_);
}

/// Estimates along a line know nothing of the walls that may force a way through the worst of a chunk. So the rows that the way over portals takes are computed
/// with all prices; a search then goes on from them, until a way holds.
/// @return what the way that was promised for `promised` costs in these rows.
Cost HierarchyQuery::priceRoute(TileBinding& binding, Cost promised) {
    const std::vector<AbstractStep>& route = search_.route();
    if (route.empty()) return promised;
    Cost sum = route.front().cost;
    for (std::size_t i = 1; i < route.size(); ++i) {
        const ChunkCoord chunk = route[i].chunk;
        const ChunkTable& left = view_.table(route[i - 1].chunk);
        const ChunkTable& table = view_.table(chunk);
        const std::size_t in = portalBehind(left, route[i - 1].portal, table), out = route[i].portal;
        const std::uint32_t* added = view_.addedFrom(chunk, table, in);
        if (added != nullptr && !view_.isExact(chunk, in)) {
            costs_->prepare(binding, binding.slot(slotOf(binding.refOf(chunk.x << kChunkShift, chunk.y << kChunkShift))), TravelDirection::from_sources);
            const auto& reached = costs_->from(table.portals[in].cell);
            row_.resize(table.count());
            for (std::size_t to = 0; to < row_.size(); ++to) row_[to] = reached[table.portals[to].cell];
            view_.setExact(chunk, in, row_);
        }
        sum += Cost{table.cost(in, out)} + (added != nullptr ? added[out] : 0) + table.portals[out].crossing;
    }
    return sum + (promised - route.back().cost);
}

void HierarchyQuery::openOtherWays(const HierarchyTask& task, int ways) {
    const std::vector<AbstractStep> best = route_;
    for (int way = 1; way < ways; ++way) {
        const auto ends = static_cast<std::size_t>(static_cast<double>(route_.size()) * kOverlapEnds);
        for (std::size_t i = ends; i + ends < route_.size(); ++i) search_.raise(view_, route_[i].chunk);
        const AbstractResult other = searchOnce(task, 1);
        if (!other.found || search_.route().empty()) break;
        route_ = search_.route();
        openCorridor(task);
    }
    search_.lower();
    route_ = best;
}

/// The chunks of the way over portals, and those that lie within the margin of the box around two portals in a row.
void HierarchyQuery::openCorridor(const HierarchyTask& task) {
    int margin = marginOf(task.uniform);
    if (route_.size() <= kShortWay) margin = std::max(margin, kShortMargin);
    Cell at = task.start;
    for (const AbstractStep& step : route_) {
        const ChunkPortal& portal = view_.table(step.chunk).portals[step.portal];
        corridor_.addAround(at, cellOf(step.chunk, portal), margin);
        at = cellBehind(step.chunk, portal);
    }
    const CellRect last = intersect(task.goal.bounds(), {(at.x >> kChunkShift) << kChunkShift, (at.y >> kChunkShift) << kChunkShift, kChunkSize, kChunkSize});
    corridor_.addAround(at, at, margin);
    if (!last.empty()) corridor_.addAround({last.x, last.y}, {last.x + last.width - 1, last.y + last.height - 1}, margin);
}

int HierarchyQuery::marginOf(bool uniform) const { return uniform ? kUniformMargin : view_.pricesLayers() ? kLayeredMargin : kWeightedMargin; }

AbstractResult HierarchyQuery::searchOnce(const HierarchyTask& task, int levels) {
    const auto smallest = static_cast<std::uint64_t>(task.binding.model().smallestF(task.binding.snapshot().state()));
    return search_.run(view_, chunkOfCell(task.start.x, task.start.y), seeds_, std::span<const GoalChunk>(goals_).first(goal_count_), task.goal.bound(), smallest,
                       direct_, levels);
}

void HierarchyQuery::searchPortals(const HierarchyTask& task) {
    TileBinding& binding = task.binding;
    const Cell start = task.start;
    const GoalShape& goal = task.goal;
    const PortalRules& rules = task.rules;
    const CostKey& key = binding.model().key();
    if (kept_ && task.tiles_are_shared && asked_.snapshot == binding.snapshot() && asked_.key == key && asked_.rules == rules && asked_.start == start &&
        asked_.goal == goal) {
        return;
    }
    const auto began = std::chrono::steady_clock::now();
    const std::uint64_t built_before = view_.tablesBuilt() + view_.groupsBuilt();
    view_.bind(binding.snapshot(), key, task.store, rules);
    joinStart(binding, start, goal);
    joinGoal(binding, goal);
    // Threat and congestion are priced while reading the tables of chunks.
    const double away = goal.places().empty() ? static_cast<double>(goal.bound().octile(start.x, start.y)) / kStraightLength : goal.distance(start.x, start.y);
    const int levels = view_.hasGroups() && !view_.pricesLayers() && away >= static_cast<double>(rules.group_distance) ? 2 : 1;
    abstract_ = searchOnce(task, levels);
    route_ = search_.route();
    if (view_.pricesLayers() && abstract_.found) {
        // Lazy evaluation of edges (Dellin and Srinivasa 2016): rows that a way takes are priced exactly, and the next way is looked for with them.
        AbstractResult best = abstract_;
        best.cost = UINT64_MAX;
        std::uint64_t settled = abstract_.expansions;
        for (int round = 0;; ++round) {
            const Cost exactly = priceRoute(binding, abstract_.cost);
            if (exactly < best.cost) {
                best.cost = exactly;
                route_ = search_.route();
            }
            if (round == kLayerRounds || best.cost <= abstract_.cost + abstract_.cost / kLayerTolerance) break;
            abstract_ = searchOnce(task, levels);
            settled += abstract_.expansions;
        }
        abstract_ = best;
        abstract_.expansions = settled;
    }
    figures_ = {.abstract_us = since(began), .abstract_cost = abstract_.cost, .portals_settled = abstract_.expansions,
                .tables_computed = view_.tablesBuilt() + view_.groupsBuilt() - built_before};
    asked_ = {binding.snapshot(), key, rules, start, goal};
}

AStarResult HierarchyQuery::refine(const HierarchyTask& task, const GoalShape& all_goals) {
    const auto began = std::chrono::steady_clock::now();
    TileBinding& binding = task.binding;
    const Cell start = task.start;
    // The places of a set outside the corridor would only spread the bound.
    places_.clear();
    for (const Cell c : all_goals.places()) {
        if (c.x >= 0 && c.y >= 0 && c.x < binding.snapshot().width() && c.y < binding.snapshot().height() && corridor_.contains(chunkOfCell(c.x, c.y))) places_.push_back(c);
    }
    if (!places_.empty()) near_goals_.setPlaces(places_);
    const GoalShape& goal = places_.empty() ? all_goals : near_goals_;
    figures_.corridor_chunks = static_cast<std::uint32_t>(corridor_.chunks().size());
    AStarOptions inside = task.options;
    inside.corridor = &corridor_;
    inside.canonical = false;  // canonical ordering may leave the corridor where an equal way stays inside
    inside.field = nullptr;
    const FieldLimits limits{.corridor = &corridor_, .max_chunks = corridor_.chunks().size()};
    if (task.field.build(binding, goal, start.x, start.y, UINT64_MAX, limits) == FieldStatus::Ready) inside.field = &task.field;
    AStarResult result = task.astar.run(binding, start.x, start.y, goal, inside);
    result.expansions += abstract_.expansions;
    figures_.refine_us = since(began);
    return result;
}

AStarResult HierarchyQuery::run(const HierarchyTask& task, int ways) {
    searchPortals(task);
    kept_ = false;
    inside_ = false;
    AStarResult result;
    if (abstract_.found) {
        corridor_.reset(view_.columns(), view_.rows());
        openCorridor(task);
        openOtherWays(task, ways);
        result = refine(task, task.goal);
        inside_ = result.status == PathStatus::Found;
        if (inside_) return result;
    } else {
        result.expansions = abstract_.expansions;
    }
    // Exempt obstacles open ways that no table knows; a cost limit may leave a cheaper way outside the corridor. The exact search decides.
    const bool exact_knows_better = !task.tiles_are_shared || result.status == PathStatus::CostLimit;
    if (!exact_knows_better) return result;
    const std::uint64_t spent = result.expansions;
    result = task.astar.run(task.binding, task.start.x, task.start.y, task.goal, task.options);
    result.expansions += spent;
    return result;
}

AStarResult HierarchyQuery::firstSteps(const HierarchyTask& task) {
    searchPortals(task);
    kept_ = true;
    inside_ = false;
    AStarResult nothing;
    if (!abstract_.found || abstract_.cost > task.options.max_cost) return nothing;
    corridor_.reset(view_.columns(), view_.rows());
    Cell at = task.start;
    for (const AbstractStep& step : route_) {
        const Cell next = cellBehind(step.chunk, view_.table(step.chunk).portals[step.portal]);
        corridor_.addAround(at, next, marginOf(task.uniform));
        at = next;
        if (std::max(std::abs(at.x - task.start.x), std::abs(at.y - task.start.y)) < kFirstSteps) continue;
        stretch_end_.setCell(at.x, at.y);
        return refine(task, stretch_end_);
    }
    return nothing;
}

std::size_t HierarchyQuery::memoryBytes() const {
    return view_.memoryBytes() + search_.memoryBytes() + sizeof(ChunkCosts) + seeds_.capacity() * sizeof(PortalCost) + goal_cells_.capacity() * sizeof(Cell) +
           route_.capacity() * sizeof(AbstractStep) + row_.capacity() * sizeof(row_[0]);
}

}  // namespace warpath
