#include "warpath/pathfinder/route_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "pathfinder/cell_steps.h"
#include "pathfinder/route_builder.h"
#include "warpath/core/assert.h"
#include "warpath/grid/tile_binding.h"
#include "warpath/search/astar.h"
#include "warpath/search/goal_field.h"

namespace warpath {
namespace {

/// A new obstacle changes cover and exposure around it, as far as the rules let exposure look.
int influenceOf(const WorldRules& rules, const Metric& metric) {
    const int sight = static_cast<int>(rules.cover.detection_radius) + 1;
    return std::max({sight, int{metric.wall_distance}, int{metric.profile.size}}) + 1;
}

CellRect grown(const CellRect& r, int by) { return {r.x - by, r.y - by, r.width + 2 * by, r.height + 2 * by}; }

CellRect boundsOf(std::span<const CellId> cells, int size) {
    int x0 = gridXOf(cells[0]), x1 = x0, y0 = gridYOf(cells[0]), y1 = y0;
    for (const CellId c : cells) {
        x0 = std::min(x0, gridXOf(c));
        x1 = std::max(x1, gridXOf(c));
        y0 = std::min(y0, gridYOf(c));
        y1 = std::max(y1, gridYOf(c));
    }
    return {x0, y0, x1 - x0 + size, y1 - y0 + size};
}

std::uint64_t octile(CellId cell, const CellRect& to) {
    const int x = gridXOf(cell), y = gridYOf(cell);
    const int dx = std::max({to.x - x, x - (to.x + to.width - 1), 0}), dy = std::max({to.y - y, y - (to.y + to.height - 1), 0});
    return octileLength(dx, dy);
}

struct Watched {
    std::vector<CellId> cells;
    CostKey key;
    CellRect bounds;       // grid cells, the unit's square included
    Cost cost = 0;         // when it was last looked at and legal
    Cost told_cost = 0;    // the cost that Dearer compares with
    bool blocked = false;
    bool starts_free = true;  // the unit fits on the first cell; where something (the unit itself) stood there from the beginning, nothing is said of it
    std::size_t next = 0;  // the first of the changes that it has not been looked at for
    WorldSnapshot eased_since;  // valid: something eased on the ground after this one, and a route may cost less now, which is to be confirmed
};

/// What one call told of.
struct Changes {
    WorldSnapshot old;
    std::vector<CellRect> ground, layers;  // grid cells
    std::array<std::vector<CellRect>, kMaxSides> threat;
};

constexpr std::uint64_t kLookCells = 16;  // what a route takes that nothing concerns
constexpr std::uint64_t kSweepCells = kChunkCells / 4, kExpansionCells = 8;  // what a sweep of a chunk and a cell settled take, in cells compared

RouteEvent blockedEvent(RouteId id, const WorldSnapshot& snapshot, const Watched& route, std::size_t first_bad) {
    const CellId bad = route.cells[first_bad];
    return {.id = id,
            .first_bad = first_bad,
            .first_bad_position = centreOfAnchor(snapshot, gridXOf(bad), gridYOf(bad), route.key.metric.profile.size),
            .revision = snapshot.revision()};
}

/// By how much a cost has grown [%]; negative when it has fallen.
double growthOf(Cost now, Cost before) {
    return before == 0 ? 0.0 : (static_cast<double>(now) - static_cast<double>(before)) * 100.0 / static_cast<double>(before);
}

}  // namespace

const char* toString(RouteEventKind kind) {
    switch (kind) {
        case RouteEventKind::Blocked: return "blocked";
        case RouteEventKind::Dearer: return "dearer";
        case RouteEventKind::MayImprove: return "may_improve";
    }
    return "unknown";
}

struct RouteWatch::Impl {
    std::shared_ptr<TileStore> store;
    RouteWatchOptions options;
    std::map<RouteId, Watched> routes;
    WorldSnapshot seen;  // what the routes were last looked at on
    TileBinding now, before;

    /// Cost of the route on bound tiles, or the index of the first cell that cannot be entered.
    struct Costed {
        bool legal = false;
        std::size_t first_bad = 0;
        Cost cost = 0;
    };
    static Costed costOf(TileBinding& binding, const Watched& route) {
        Costed out;
        if (route.starts_free && !binding.fits(refOf(binding, route.cells.front()))) return out;
        for (std::size_t i = 1; i < route.cells.size(); ++i) {
            const int d = directionBetween(route.cells[i - 1], route.cells[i]);
            if (d < 0 || !binding.mayStep(refOf(binding, route.cells[i - 1]), d)) {
                out.first_bad = i;
                return out;
            }
            out.cost += stepCost(binding, route.cells[i - 1], route.cells[i]);
        }
        out.legal = true;
        return out;
    }

    /// Whether some step into a cell of the rectangle became legal or cheaper where a route through the cell could cost less than `cost`: no less than straight
    /// to the cell and on at the smallest price, the cell itself at its own.
    bool eased(const CellRect& rect, const Watched& route, Cost smallest, Cost cost) {
        const bool prices_elevation = now.pricesElevation();
        for (int y = rect.y; y < rect.y + rect.height; ++y) {
            for (int x = rect.x; x < rect.x + rect.width; ++x) {
                const CellRef a = before.refOf(x, y), b = now.refOf(x, y);
                const TileSlot& old_tile = before.slot(slotOf(a));
                const TileSlot& new_tile = now.slot(slotOf(b));
                const std::uint32_t was = localOf(a), is = localOf(b);
                bool better = (new_tile.moves[is] & ~old_tile.moves[was]) != 0 || prices_elevation != before.pricesElevation();
                better = better || (now.fits(b) && new_tile.f[is] < old_tile.f[was]);
                better = better || (prices_elevation && now.fits(b) && new_tile.heightCm(is) != old_tile.heightCm(was));
                if (!better) continue;
                const CellId cell = cellIdOf(x, y);
                const CellRect there{x, y, 1, 1};
                const Cost price = new_tile.f[is], beyond = cell != route.cells.front() && price > smallest ? (price - smallest) * kStraightLength : 0;
                if ((octile(route.cells.front(), there) + octile(route.cells.back(), there)) * smallest + beyond < cost) return true;
            }
        }
        return false;
    }

    std::vector<Changes> changes;
    RouteId cursor = 0;  // where the next look begins

    /// Changes hold their old snapshots alive, so those that every route has been looked at for go even while some route is always behind.
    void dropWhatAllHaveSeen() {
        std::size_t seen_by_all = changes.size();
        for (const auto& entry : routes) seen_by_all = std::min(seen_by_all, entry.second.next);
        changes.erase(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(seen_by_all));
        for (auto& entry : routes) entry.second.next -= seen_by_all;
    }

    std::uint64_t lookAt(RouteId id, Watched& route, std::vector<RouteEvent>& events);
    std::size_t in_question = 0;
    RouteId confirm_cursor = 0;  // where the next confirmation begins
    GoalField field;
    AStar search;
    GoalShape goal;
    bool beaten(const Watched& route, std::uint64_t& work);
    std::optional<Cost> bestOn(const WorldSnapshot& snapshot, const Watched& route, std::uint64_t& work);
    bool confirm(std::uint64_t left, std::vector<RouteEvent>& events);
    void putInQuestion(Watched& route, const WorldSnapshot& eased_since) {
        in_question += eased_since.valid() ? 1u : 0u;
        in_question -= route.eased_since.valid() ? 1u : 0u;
        route.eased_since = eased_since;
    }
};

RouteWatch::RouteWatch(std::shared_ptr<TileStore> tiles, RouteWatchOptions options) : impl_(std::make_unique<Impl>()) {
    WARPATH_ASSERT(tiles != nullptr, "a tile store");
    impl_->store = std::move(tiles);
    impl_->options = options;
}
RouteWatch::~RouteWatch() = default;
RouteWatch::RouteWatch(RouteWatch&&) noexcept = default;
RouteWatch& RouteWatch::operator=(RouteWatch&&) noexcept = default;

std::size_t RouteWatch::size() const { return impl_->routes.size(); }

bool RouteWatch::subscribe(RouteId id, const WorldSnapshot& snapshot, const Path& route, const PathConstraints& constraints, int side,
                           std::vector<RouteEvent>* late) {
    if (!snapshot.valid() || route.cells.empty() || side < 0 || side >= kMaxSides) return false;
    const auto resolved = resolve(constraints, snapshot.rules());
    const auto* wishes = std::get_if<ResolvedConstraints>(&resolved);
    if (wishes == nullptr) return false;
    Watched watched;
    const Cell origin = snapshot.origin();
    for (const Cell c : route.cells) {
        if (!snapshot.contains(c)) return false;
        watched.cells.push_back(cellIdOf(c.x - origin.x, c.y - origin.y));
    }
    watched.key = {wishes->metric, wishes->threat_weight, static_cast<std::uint8_t>(side)};
    watched.bounds = boundsOf(watched.cells, wishes->metric.profile.size);
    impl_->now.bind(snapshot, watched.key, {}, impl_->store);
    watched.starts_free = impl_->now.fits(impl_->now.refOf(gridXOf(watched.cells.front()), gridYOf(watched.cells.front())));
    const Impl::Costed costed = Impl::costOf(impl_->now, watched);
    watched.blocked = !costed.legal;
    watched.cost = watched.told_cost = costed.legal ? costed.cost : route.cost;
    if (late != nullptr && !costed.legal) late->push_back(blockedEvent(id, snapshot, watched, costed.first_bad));
    if (late != nullptr && costed.legal && route.cost != 0 && route.cost < costed.cost) {
        const double percent = growthOf(costed.cost, route.cost);
        if (percent >= impl_->options.dearer_percent) {
            late->push_back({.id = id, .kind = RouteEventKind::Dearer, .percent = percent, .cost = costed.cost, .revision = snapshot.revision()});
        } else {
            watched.told_cost = route.cost;
        }
    }
    unsubscribe(id);
    if (impl_->routes.empty() || !impl_->seen.valid()) impl_->seen = snapshot;
    watched.next = impl_->changes.size();
    impl_->routes.emplace(id, std::move(watched));
    return true;
}

bool RouteWatch::unsubscribe(RouteId id) {
    const auto at = impl_->routes.find(id);
    if (at == impl_->routes.end()) return false;
    impl_->putInQuestion(at->second, {});
    impl_->routes.erase(at);
    return true;
}

bool RouteWatch::settled() const { return impl_->changes.empty() && impl_->in_question == 0; }

bool RouteWatch::changed(const WorldSnapshot& snapshot, std::span<const CellRect> rects, std::vector<RouteEvent>& events) {
    Impl& impl = *impl_;
    if (!snapshot.valid()) return settled();
    const WorldSnapshot old = impl.seen.valid() ? impl.seen : snapshot;
    impl.seen = snapshot;
    const std::size_t first_event = events.size();
    const auto inOrder = [&] {
        std::stable_sort(events.begin() + static_cast<std::ptrdiff_t>(first_event), events.end(), [](const RouteEvent& a, const RouteEvent& b) { return a.id < b.id; });
    };
    const auto forget = [&] {
        impl.changes.clear();
        impl.cursor = 0;
        for (auto& entry : impl.routes) entry.second.next = 0;
    };
    const auto forgetAll = [&] {
        forget();
        for (auto& entry : impl.routes) impl.putInQuestion(entry.second, {});
    };
    if (impl.routes.empty() || old.state().world_id != snapshot.state().world_id) {
        forgetAll();
        return true;
    }
    if (!(old == snapshot) || !rects.empty()) {
        const Cell origin = snapshot.origin();
        Changes& told = impl.changes.emplace_back();
        told.old = old;
        for (const CellRect& r : rects) told.ground.push_back({r.x - origin.x, r.y - origin.y, r.width, r.height});
        const auto chunkRect = [](ChunkCoord c) { return CellRect{c.x << kChunkShift, c.y << kChunkShift, kChunkSize, kChunkSize}; };
        snapshot.state().congestion.forEachDifference(old.state().congestion, [&](ChunkCoord c, const auto*, const auto*) { told.layers.push_back(chunkRect(c)); });
        for (std::size_t side = 0; side < kMaxSides; ++side) {
            snapshot.state().threat[side].forEachDifference(old.state().threat[side],
                                                            [&](ChunkCoord c, const auto*, const auto*) { told.threat[side].push_back(chunkRect(c)); });
        }
    }
    std::uint64_t left = impl.options.max_cells_per_call != 0 ? impl.options.max_cells_per_call : UINT64_MAX;
    auto at = impl.routes.lower_bound(impl.cursor);
    for (std::size_t i = 0; i < impl.routes.size() && !impl.changes.empty(); ++i, ++at) {
        if (at == impl.routes.end()) at = impl.routes.begin();
        if (at->second.next == impl.changes.size()) continue;
        if (left == 0) {
            impl.cursor = at->first;
            inOrder();
            impl.dropWhatAllHaveSeen();
            return false;
        }
        left -= std::min(left, impl.lookAt(at->first, at->second, events));
        at->second.next = impl.changes.size();
    }
    if (!impl.changes.empty()) forget();
    const bool settled = impl.confirm(left, events);
    inOrder();
    return settled;
}

/// Looks for routes that cost less than those in question. @return whether none is in question any more.
bool RouteWatch::Impl::confirm(std::uint64_t left, std::vector<RouteEvent>& events) {
    auto at = routes.lower_bound(confirm_cursor);
    while (in_question != 0) {
        if (at == routes.end()) at = routes.begin();
        Watched& route = at->second;
        if (route.eased_since.valid()) {
            if (left == 0) {
                confirm_cursor = at->first;
                return false;
            }
            std::uint64_t work = 0;
            if (beaten(route, work)) events.push_back({.id = at->first, .kind = RouteEventKind::MayImprove, .cost = route.cost, .revision = seen.revision()});
            putInQuestion(route, {});
            left -= std::min(left, work);
        }
        ++at;
    }
    confirm_cursor = 0;
    return true;
}

/// Whether the best route costs less than this one and less than the best did before something eased; also where it would take too long to find out.
bool RouteWatch::Impl::beaten(const Watched& route, std::uint64_t& work) {
    const std::optional<Cost> best = bestOn(seen, route, work);
    if (!best) return true;
    if (*best == route.cost) return false;
    const std::optional<Cost> before_that = bestOn(route.eased_since, route, work);
    return !before_that || *best < *before_that;
}

/// What the best route between the same two cells costs, or what this one does when that is not more; nothing where it would take too long to find out.
std::optional<Cost> RouteWatch::Impl::bestOn(const WorldSnapshot& snapshot, const Watched& route, std::uint64_t& work) {
    work += kLookCells;
    const Cost limit = route.cost;
    const CellId from = route.cells.front(), to = route.cells.back();
    const int away = std::max(std::abs(gridXOf(from) - gridXOf(to)), std::abs(gridYOf(from) - gridYOf(to)));
    if (options.confirm_chunks == 0 || away > RouteWatchOptions::kConfirmedMetres) return std::nullopt;
    now.bind(snapshot, route.key, {}, store);
    goal.setCell(gridXOf(to), gridYOf(to));
    const FieldStatus status = field.build(now, goal, gridXOf(from), gridYOf(from), limit, {.max_chunks = options.confirm_chunks});
    work += std::uint64_t{field.visits()} * kSweepCells;
    if (status == FieldStatus::Unfit) return std::nullopt;
    if (status == FieldStatus::Unreachable) return limit;
    const CellRef start = now.refOf(gridXOf(from), gridYOf(from));
    const Cost bound = field.bound()(field.distances(slotOf(start))[localOf(start)], gridXOf(from), gridYOf(from));
    if (bound >= limit || !now.pricesElevation()) return std::min(bound, limit);  // exact below the limit
    AStarOptions led;
    led.field = &field;
    const AStarResult best = search.run(now, gridXOf(from), gridYOf(from), goal, led);
    work += best.expansions * kExpansionCells;
    return best.status == PathStatus::Found ? std::min(best.cost, limit) : limit;
}

/// @return cells looked at.
std::uint64_t RouteWatch::Impl::lookAt(RouteId id, Watched& route, std::vector<RouteEvent>& events) {
    const WorldSnapshot& snapshot = seen;
    const CellRect map{0, 0, snapshot.width(), snapshot.height()};
    // What can matter to this route: where ground changed (grown by how far it acts), and layers that it prices.
    std::vector<CellRect> areas;
    const int influence = influenceOf(snapshot.rules(), route.key.metric);
    for (std::size_t k = route.next; k < changes.size(); ++k) {
        for (const CellRect& r : changes[k].ground) areas.push_back(intersect(grown(r, influence), map));
        for (const CellRect& r : changes[k].layers) areas.push_back(intersect(r, map));
        if (route.key.threat_weight == 0) continue;
        for (const CellRect& r : changes[k].threat[route.key.side]) areas.push_back(intersect(r, map));
    }
    std::erase_if(areas, [](const CellRect& r) { return r.empty(); });
    std::uint64_t work = kLookCells + areas.size();
    if (areas.empty()) return work;
    const bool touched = std::any_of(areas.begin(), areas.end(), [&](const CellRect& a) {
        if (intersect(a, route.bounds).empty()) return false;
        const CellRect near = grown(a, route.key.metric.profile.size);
        return std::any_of(route.cells.begin(), route.cells.end(), [&](CellId c) { return near.contains({gridXOf(c), gridYOf(c)}); });
    });
    RouteEvent event{.id = id, .revision = snapshot.revision()};
    if (touched) {
        work += route.cells.size();
        now.bind(snapshot, route.key, {}, store);
        const Costed costed = costOf(now, route);
        if (!costed.legal) {
            if (!route.blocked) events.push_back(blockedEvent(id, snapshot, route, costed.first_bad));
            route.blocked = true;
            putInQuestion(route, {});
            return work;
        }
        route.cost = costed.cost;
        if (route.blocked) {
            route.blocked = false;
            route.told_cost = route.cost;
            putInQuestion(route, {});
            event.kind = RouteEventKind::MayImprove;
            event.cost = route.cost;
            events.push_back(event);
            return work;
        }
        const double percent = growthOf(route.cost, route.told_cost);
        if (percent > 0.0 && percent >= options.dearer_percent) {
            event.kind = RouteEventKind::Dearer;
            event.percent = percent;
            event.cost = route.cost;
            events.push_back(event);
        }
        if (std::abs(percent) >= options.dearer_percent) route.told_cost = route.cost;
    }
    if (route.blocked) return work;

    // A better route has to pass where something eased; the bound through there must be below what this one costs.
    const auto smallest = static_cast<Cost>(CostModel(snapshot.rules(), route.key).smallestF(snapshot.state()));
    std::erase_if(areas, [&](const CellRect& a) { return (octile(route.cells.front(), a) + octile(route.cells.back(), a)) * smallest >= route.cost; });
    if (areas.empty()) return work;
    now.bind(snapshot, route.key, {}, store);
    before.bind(changes[route.next].old, route.key, {}, store);
    for (const CellRect& a : areas) {
        work += static_cast<std::uint64_t>(a.width) * static_cast<std::uint64_t>(a.height);
        if (!eased(a, route, smallest, route.cost)) continue;
        if (!route.eased_since.valid()) putInQuestion(route, changes[route.next].old);
        break;
    }
    return work;
}

void RouteWatch::routesIn(const CellRect& area, std::vector<RouteId>& ids) const {
    ids.clear();
    if (!impl_->seen.valid()) return;
    const Cell origin = impl_->seen.origin();
    for (const auto& [id, route] : impl_->routes) {
        const int size = route.key.metric.profile.size;
        const CellRect anchors{area.x - origin.x - size + 1, area.y - origin.y - size + 1, area.width + size - 1, area.height + size - 1};
        const bool enters = std::any_of(route.cells.begin(), route.cells.end(), [&](CellId c) { return anchors.contains({gridXOf(c), gridYOf(c)}); });
        if (!area.empty() && enters) ids.push_back(id);
    }
}

void RouteWatch::invalidatePathsInArea(const CellRect& area, std::vector<RouteId>& ids) {
    routesIn(area, ids);
    for (const RouteId id : ids) unsubscribe(id);
}

}  // namespace warpath
