#include "warpath/navmesh/nav_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "navmesh/coarse_search.h"
#include "navmesh/detour_search.h"
#include "navmesh/exact_search.h"
#include "navmesh/mesh_query.h"
#include "navmesh/nav_state.h"
#include "navmesh/nav_world_state.h"
#include "navmesh/passability.h"
#include "navmesh/weighted_search.h"

namespace warpath {

using navmesh::Ground;
using navmesh::MeshPoint;
using navmesh::PolyRef;
using navmesh::Replica;
using navmesh::SearchEnd;
using navmesh::Way;
using navmesh::WayPoint;

namespace {

constexpr float kMaxSnap = 32.0f;
constexpr float kMaxTerrainWeight = 20.0f;
constexpr float kLeastFactor = 0.1f;
/// A goal off the mesh takes the start's side of an obstacle this much thicker on that side [m]: a cell, the thinnest wall there is.
constexpr float kThinWall = 1.0f;
/// The second look at a long way: searches over windows of this length, half a window apart [m].
constexpr float kWindow = 192.0f;
constexpr std::uint32_t kWindowExpansions = 2000;
/// Ways longer than this go by a coarse route, of points about this far apart [m].
constexpr float kLongWay = 800.0f, kSpacing = 150.0f;
// Up to here the exact search is as quick as the weighted one, whose ways are a few thousandths longer [m] (bench/navmesh_bench). Legs are short, too.
constexpr float kExactWay = 300.0f;

Vec2 toGrid(const Replica& replica, Position p) {
    return {static_cast<float>(static_cast<double>(p.x) - replica.snapshot.origin().x),
            static_cast<float>(static_cast<double>(p.y) - replica.snapshot.origin().y)};
}
Position toWorld(const Replica& replica, Vec2 p) {
    return {static_cast<float>(static_cast<double>(p.x) + replica.snapshot.origin().x),
            static_cast<float>(static_cast<double>(p.y) + replica.snapshot.origin().y)};
}

std::optional<float> heightAt(const Replica& replica, Position p) {
    const Cell cell = cellAt(p);
    return replica.snapshot.contains(cell) ? std::optional(replica.snapshot.elevationAt(cell)) : std::nullopt;
}

bool validSearch(NavSearch how) {
    return how == NavSearch::Auto || how == NavSearch::Exact || how == NavSearch::Weighted || how == NavSearch::Detour;
}

/// Whether the mover is one that these meshes can answer: the terrain that it enters is a set that they are labelled for.
bool validMover(const Replica& replica, const NavMover& m) {
    const bool known = m.agent >= 0 && static_cast<std::size_t>(m.agent) < replica.meshes.size() &&
           static_cast<std::size_t>(m.unit) < replica.snapshot.rules().unit_classes.size() && m.terrain_weight >= 0.0f &&
           m.terrain_weight <= kMaxTerrainWeight;
    if (!known) return false;
    const std::uint64_t enterable = enterableTerrain(replica.snapshot.rules(), static_cast<std::size_t>(m.unit), m.avoid_water);
    return std::find(replica.sets.begin(), replica.sets.end(), enterable) != replica.sets.end();
}

/// @pre validMover.
Ground groundFor(const Replica& replica, const NavMover& mover) {
    Ground ground;
    ground.mesh = replica.meshes[static_cast<std::size_t>(mover.agent)].get();
    const WorldRules& rules = replica.snapshot.rules();
    ground.enterable = enterableTerrain(rules, static_cast<std::size_t>(mover.unit), mover.avoid_water);
    ground.set = static_cast<std::size_t>(std::find(replica.sets.begin(), replica.sets.end(), ground.enterable) - replica.sets.begin());
    const std::vector<float>& multipliers = rules.unit_classes[static_cast<std::size_t>(mover.unit)].multipliers;
    bool any = false;
    float most = 0.0f;
    ground.factor.fill(1.0f);
    for (std::size_t t = 0; t < multipliers.size(); ++t) {
        ground.factor[t] = std::max(kLeastFactor, 1.0f + mover.terrain_weight * (multipliers[t] - 1.0f));
        if (((ground.enterable >> t) & 1) == 0 || ground.mesh->terrain_polygons[t] == 0) continue;
        ground.least_factor = any ? std::min(ground.least_factor, ground.factor[t]) : ground.factor[t];
        most = any ? std::max(most, ground.factor[t]) : ground.factor[t];
        any = true;
    }
    ground.uniform = !any || ground.least_factor == most;
    return ground;
}

/// A point of a query on the mesh, or why not.
struct Placed {
    bool loaded = false;
    bool on_map = false;
    MeshPoint at;
    bool moved = false;
};

Placed placeExactly(const Ground& ground, Vec2 p) {
    Placed out;
    const std::int32_t tile = ground.mesh->tileAt(p);
    out.on_map = tile >= 0;
    out.loaded = out.on_map && ground.tile(tile) != nullptr;
    if (!out.loaded) return out;
    out.at = {navmesh::locate(ground, p), p, 0.0f};
    return out;
}

void moveOnto(const Ground& ground, Placed& p, float radius, std::optional<std::uint32_t> label, const Vec2* towards, float tie) {
    if (!p.on_map || p.at.ref.valid()) return;
    const Vec2 asked = p.at.point;
    const MeshPoint found = navmesh::nearest(ground, asked, radius, label, towards, tie);
    if (!found.ref.valid()) return;
    p.at = found;
    p.moved = true;
}

/// Price of a metre of the link that starts at a corner.
float linkFactor(const Ground& ground, const WayPoint& corner) {
    const std::int32_t tile = corner.ref.valid() ? corner.ref.tile : ground.mesh->tileAt(corner.point);
    const navmesh::LoadedTile* loaded = tile < 0 ? nullptr : ground.tile(tile);
    float factor = 1.0f;
    if (loaded != nullptr) {
        for (const navmesh::Crossing& crossing : loaded->crossings) {
            if (crossing.id == corner.link) factor = crossing.cost_factor;
        }
    }
    return std::max(factor, ground.least_factor);
}

/// Length and cost of the points given, whatever search they are of.
void measure(const Ground& ground, const std::vector<WayPoint>& corners, NavPath& out) {
    double length = 0.0, cost = 0.0;
    for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
        const double dx = static_cast<double>(out.points[i + 1].x) - out.points[i].x, dy = static_cast<double>(out.points[i + 1].y) - out.points[i].y;
        const double leg = std::sqrt(dx * dx + dy * dy);
        length += leg;
        if (corners[i].link != 0) {
            cost += leg * static_cast<double>(linkFactor(ground, corners[i]));
        } else if (const float walked = navmesh::distance(corners[i].point, corners[i + 1].point); walked > 0.0f) {
            // Far from the origin the points given are rounded, so the price of a metre is what is kept.
            cost += leg * navmesh::priceAlong(ground, corners[i].point, corners[i + 1].point) / static_cast<double>(walked);
        }
    }
    out.length = static_cast<float>(length);
    out.cost = static_cast<float>(cost);
}

}  // namespace

const char* toString(NavStatus status) {
    switch (status) {
        case NavStatus::Complete: return "complete";
        case NavStatus::Partial: return "partial";
        case NavStatus::OutOfNodes: return "out_of_nodes";
        case NavStatus::NoStart: return "no_start";
        case NavStatus::NoGoal: return "no_goal";
        case NavStatus::Unreachable: return "unreachable";
        case NavStatus::NotLoaded: return "not_loaded";
        case NavStatus::InvalidInput: return "invalid_input";
        case NavStatus::Stale: return "stale";
    }
    return "unknown";
}

PathStatus toPathStatus(NavStatus status) {
    switch (status) {
        case NavStatus::Complete: return PathStatus::Found;
        case NavStatus::Partial: return PathStatus::Partial;
        case NavStatus::OutOfNodes: return PathStatus::BudgetExhausted;
        case NavStatus::NoStart: return PathStatus::StartBlocked;
        case NavStatus::NoGoal: return PathStatus::GoalBlocked;
        case NavStatus::Unreachable: return PathStatus::Unreachable;
        case NavStatus::NotLoaded:
        case NavStatus::Stale: return PathStatus::Stale;
        case NavStatus::InvalidInput: return PathStatus::InvalidArgument;
    }
    return PathStatus::InvalidArgument;
}

void NavPath::reset() {
    status = NavStatus::InvalidInput;
    points.clear();
    links.clear();
    tiles.clear();
    length = cost = goal_distance = 0.0f;
    start_moved = goal_moved = false;
    search = NavSearch::Auto;
    expansions = 0;
    epoch = 0;
    agent = 0;
}

struct NavReader::State {
    std::shared_ptr<navmesh::Shared> shared;
    navmesh::ReaderSlot* slot = nullptr;
    navmesh::ExactSearch exact;
    navmesh::WeightedSearch weighted;
    navmesh::DetourSearch detour;
    navmesh::Corridor corridor;
    navmesh::CoarseSearch coarse;
    Way way, leg, window;
    std::vector<MeshPoint> stops;  ///< Between the ends of a long way.
    std::vector<PolyRef> polygons;
    std::vector<WayPoint> corners;

    ~State() {
        if (slot != nullptr) slot->taken.store(false, std::memory_order_release);
    }

    SearchEnd search(const Ground& ground, NavSearch how, const MeshPoint& from, const MeshPoint& to, std::uint32_t limit, Way& out);
    SearchEnd searchLegs(const Ground& ground, NavSearch how, const MeshPoint& from, std::span<const MeshPoint> via, const MeshPoint& to,
                         std::uint32_t limit);
    void lookAgain(const Ground& ground, NavSearch how);
};

/// No way on a mesh takes so many unless something is wrong with it: an interval that multiplies must not eat the memory.
constexpr std::uint32_t kMostExactExpansions = 1 << 20;

SearchEnd NavReader::State::search(const Ground& ground, NavSearch how, const MeshPoint& from, const MeshPoint& to, std::uint32_t limit, Way& out) {
    if (how == NavSearch::Exact) return exact.run(ground, from.ref, from.point, to.ref, to.point, limit != 0 ? limit : kMostExactExpansions, out);
    if (how == NavSearch::Detour) return detour.run(ground, from.ref, from.point, to.ref, to.point, out);
    const SearchEnd end = weighted.run(ground, from.ref, from.point, to.ref, to.point, limit, out);
    if (end != SearchEnd::Found) return end;
    if (!corridor.pull(ground, from.point, to.point, out)) return SearchEnd::Exhausted;
    corridor.skipCorners(ground, out);
    return end;
}

SearchEnd NavReader::State::searchLegs(const Ground& ground, NavSearch how, const MeshPoint& from, std::span<const MeshPoint> via,
                                       const MeshPoint& to, std::uint32_t limit) {
    polygons.clear();
    MeshPoint at = from;
    std::uint32_t expansions = 0;
    for (std::size_t i = 0; i <= via.size(); ++i) {
        const MeshPoint& next = i < via.size() ? via[i] : to;
        // The row of polygons is all that is wanted of a leg, and the way through all of them is looked at again.
        const SearchEnd end = how == NavSearch::Detour ? search(ground, how, at, next, limit, leg)
                                                       : weighted.run(ground, at.ref, at.point, next.ref, next.point, limit, leg);
        expansions += leg.expansions;
        if (end != SearchEnd::Found) {
            way.expansions = expansions;
            return end;
        }
        for (const PolyRef ref : leg.polygons) {
            if (polygons.empty() || !(polygons.back() == ref)) polygons.push_back(ref);
        }
        at = next;
    }
    way.clear();
    way.polygons = polygons;
    way.expansions = expansions;
    if (!corridor.pull(ground, from.point, to.point, way)) return SearchEnd::Exhausted;
    lookAgain(ground, how);
    corridor.skipCorners(ground, way);
    return SearchEnd::Found;
}

/// The corners of a coarse route need not be on the right side of every obstacle: searches over windows of the way, half overlapping, replace
/// what they find cheaper.
void NavReader::State::lookAgain(const Ground& ground, NavSearch how) {
    std::vector<WayPoint>& path = way.corners;
    const auto priceOf = [&](const Way& w) { return how == NavSearch::Exact ? w.length : w.cost; };
    std::size_t begin = 0;
    while (begin + 2 < path.size()) {
        // The window ends at the first corner that is far enough, or at a point cut into a long leg; links are left alone.
        float length = 0.0f, price = 0.0f;
        std::size_t end = begin;
        bool usable = true;
        while (end + 1 < path.size() && length < kWindow - 1.0f) {
            usable = usable && path[end].link == 0;
            const PolyRef here = navmesh::locate(ground, path[end].point);
            const float step = navmesh::distance(path[end].point, path[end + 1].point);
            if (length + step > 1.5f * kWindow && usable) {
                const float t = (kWindow - length) / step;
                const Vec2 a = path[end].point, b = path[end + 1].point;
                path.insert(path.begin() + static_cast<std::ptrdiff_t>(end) + 1, WayPoint{{a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}, {}, 0});
                continue;
            }
            if (how != NavSearch::Exact && here.valid()) price += navmesh::walkStraight(ground, here, path[end].point, path[end + 1].point).cost;
            length += step;
            ++end;
        }
        if (how == NavSearch::Exact) price = length;
        if (usable && end >= begin + 2) {
            const MeshPoint a{navmesh::locate(ground, path[begin].point), path[begin].point, 0.0f};
            const MeshPoint b{navmesh::locate(ground, path[end].point), path[end].point, 0.0f};
            if (a.ref.valid() && b.ref.valid() && search(ground, how, a, b, kWindowExpansions, window) == SearchEnd::Found) {
                way.expansions += window.expansions;
                if (priceOf(window) < price - 0.001f) {
                    const auto first = path.begin() + static_cast<std::ptrdiff_t>(begin), last = path.begin() + static_cast<std::ptrdiff_t>(end);
                    path.erase(first + 1, last);
                    path.insert(path.begin() + static_cast<std::ptrdiff_t>(begin) + 1, window.corners.begin() + 1, window.corners.end() - 1);
                    end = begin + window.corners.size() - 1;
                    way.length += window.length - length;
                    way.cost += (priceOf(window) - price) * (how == NavSearch::Exact ? ground.least_factor : 1.0f);
                }
            }
        }
        if (end + 1 >= path.size()) break;
        // On from the corner nearest to the middle of the window.
        float half = 0.0f;
        std::size_t next = begin;
        while (next + 1 < end && half < 0.5f * kWindow) {
            half += navmesh::distance(path[next].point, path[next + 1].point);
            ++next;
        }
        begin = std::max(next, begin + 1);
    }
}

NavReader::NavReader(const NavWorld& world) : state_(std::make_unique<State>()) {
    state_->shared = world.state_->shared;
    for (navmesh::ReaderSlot& slot : state_->shared->slots) {
        bool free = false;
        if (slot.taken.compare_exchange_strong(free, true, std::memory_order_acquire)) {
            state_->slot = &slot;
            break;
        }
    }
}
NavReader::~NavReader() = default;
NavReader::NavReader(NavReader&&) noexcept = default;
NavReader& NavReader::operator=(NavReader&&) noexcept = default;

bool NavReader::valid() const { return state_->slot != nullptr; }

std::uint64_t NavReader::epoch() const {
    if (!valid()) return 0;
    const navmesh::Pin pin(*state_->shared, *state_->slot);
    return pin->epoch;
}

NavStatus NavReader::findPath(const NavQuery& query, NavPath& out) {
    out.reset();
    State& s = *state_;
    if (!valid() || !isUsable(query.from) || !isUsable(query.to) || !(query.snap >= 0.0f && query.snap <= kMaxSnap)) return out.status;
    for (const Position p : query.via) {
        if (!isUsable(p)) return out.status;
    }
    const navmesh::Pin pin(*s.shared, *s.slot);
    const Replica& replica = *pin;
    if (!validMover(replica, query.mover) || !validSearch(query.search)) return out.status;
    const Ground ground = groundFor(replica, query.mover);
    out.epoch = replica.epoch;
    out.agent = query.mover.agent;

    Placed from = placeExactly(ground, toGrid(replica, query.from)), to = placeExactly(ground, toGrid(replica, query.to));
    const Vec2 asked_from = toGrid(replica, query.from), asked_to = toGrid(replica, query.to);
    if (!from.on_map) return out.status = NavStatus::NoStart;
    if (!to.on_map) return out.status = NavStatus::NoGoal;
    if (!from.loaded || !to.loaded) return out.status = NavStatus::NotLoaded;
    // Whichever end lies on the mesh decides the component that the other may be moved to.
    if (!from.at.ref.valid() && to.at.ref.valid()) moveOnto(ground, from, query.snap, ground.label(to.at.ref), &asked_to, 0.01f);
    moveOnto(ground, from, query.snap, std::nullopt, &asked_to, 0.01f);
    if (!from.at.ref.valid()) return out.status = NavStatus::NoStart;
    const std::uint32_t label = ground.label(from.at.ref);
    moveOnto(ground, to, query.snap, label, &asked_from, kThinWall);
    moveOnto(ground, to, query.snap, std::nullopt, &asked_from, kThinWall);
    bool partial = false;
    if (!to.at.ref.valid() || ground.label(to.at.ref) != label) {
        const NavStatus refused = to.at.ref.valid() ? NavStatus::Unreachable : NavStatus::NoGoal;
        if (!query.allow_partial) return out.status = refused;
        const float widest = ground.mesh->tile_size * static_cast<float>(ground.mesh->columns + ground.mesh->rows);
        MeshPoint reachable;
        for (float radius = ground.mesh->tile_size; !reachable.ref.valid(); radius *= 2.0f) {
            reachable = navmesh::nearest(ground, asked_to, radius, label, &asked_from, 0.01f);
            if (radius > widest) break;
        }
        if (!reachable.ref.valid()) return out.status = refused;
        to.at = reachable;
        to.moved = partial = true;
    }
    std::vector<MeshPoint>& via = s.stops;
    via.clear();
    for (const Position p : query.via) {
        Placed placed = placeExactly(ground, toGrid(replica, p));
        if (!placed.on_map) return out.status = NavStatus::NoGoal;
        if (!placed.loaded) return out.status = NavStatus::NotLoaded;
        if (placed.at.ref.valid() && ground.label(placed.at.ref) != label) placed.at.ref = {};
        moveOnto(ground, placed, query.snap, label, nullptr, 0.0f);
        if (placed.at.ref.valid()) via.push_back(placed.at);  // else a hint that the mesh cannot follow
    }

    NavSearch how = query.search;
    const bool free = how == NavSearch::Auto;
    const float apart = navmesh::distance(from.at.point, to.at.point);
    const bool in_legs = free && (!query.via.empty() || apart > kLongWay);
    if (free) how = ground.uniform && (apart <= kExactWay || in_legs) ? NavSearch::Exact : NavSearch::Weighted;
    out.search = how;
    if (in_legs && query.via.empty()) s.coarse.run(ground, from.at, to.at, kSpacing, via);
    SearchEnd end = via.empty() ? s.search(ground, how, from.at, to.at, query.max_expansions, s.way)
                                : s.searchLegs(ground, how, from.at, via, to.at, query.max_expansions);
    out.expansions = s.way.expansions;
    if (end == SearchEnd::OutOfNodes && free && how == NavSearch::Exact && query.max_expansions == 0 && via.empty()) {
        out.search = how = NavSearch::Weighted;
        end = s.search(ground, how, from.at, to.at, 0, s.way);
        out.expansions += s.way.expansions;
    }
    if (end == SearchEnd::OutOfNodes) return out.status = NavStatus::OutOfNodes;
    if (end == SearchEnd::Exhausted) return out.status = NavStatus::Unreachable;

    for (std::size_t i = 0; i < s.way.corners.size(); ++i) {
        const WayPoint& corner = s.way.corners[i];
        if (corner.link != 0) out.links.push_back({static_cast<std::uint32_t>(out.points.size()), corner.link});
        out.points.push_back(toWorld(replica, corner.point));
    }
    if (!from.moved) out.points.front() = query.from;
    if (!to.moved) out.points.back() = query.to;
    const auto stamp = [&](std::int32_t tile) {
        out.tiles.push_back({static_cast<std::uint32_t>(tile), ground.tile(tile)->generation});
    };
    if (via.empty()) {
        for (const PolyRef ref : s.way.polygons) {
            if (out.tiles.empty() || out.tiles.back().tile != static_cast<std::uint32_t>(ref.tile)) stamp(ref.tile);
        }
    }
    if (!via.empty() || how != NavSearch::Exact) {
        // Corners skipped and windows have replaced parts of the way, so the tiles are read off the way itself.
        for (std::size_t i = 0; i + 1 < s.way.corners.size(); ++i) {
            const PolyRef here = navmesh::locate(ground, s.way.corners[i].point);
            if (here.valid()) navmesh::walkStraight(ground, here, s.way.corners[i].point, s.way.corners[i + 1].point, stamp);
        }
    }
    std::sort(out.tiles.begin(), out.tiles.end(), [](const NavTileStamp& a, const NavTileStamp& b) { return a.tile < b.tile; });
    out.tiles.erase(std::unique(out.tiles.begin(), out.tiles.end(), [](const NavTileStamp& a, const NavTileStamp& b) { return a.tile == b.tile; }),
                    out.tiles.end());
    measure(ground, s.way.corners, out);
    out.start_moved = from.moved;
    out.goal_moved = to.moved;
    out.goal_distance = navmesh::distance(to.at.point, asked_to);
    return out.status = partial ? NavStatus::Partial : NavStatus::Complete;
}

NavStatus NavReader::reachable(Position from, Position to, const NavMover& mover) const {
    if (!valid() || !isUsable(from) || !isUsable(to)) return NavStatus::InvalidInput;
    const navmesh::Pin pin(*state_->shared, *state_->slot);
    if (!validMover(*pin, mover)) return NavStatus::InvalidInput;
    const Ground ground = groundFor(*pin, mover);
    const Placed a = placeExactly(ground, toGrid(*pin, from)), b = placeExactly(ground, toGrid(*pin, to));
    if (!a.on_map) return NavStatus::NoStart;
    if (!b.on_map) return NavStatus::NoGoal;
    if (!a.loaded || !b.loaded) return NavStatus::NotLoaded;
    if (!a.at.ref.valid()) return NavStatus::NoStart;
    if (!b.at.ref.valid()) return NavStatus::NoGoal;
    return ground.label(a.at.ref) == ground.label(b.at.ref) ? NavStatus::Complete : NavStatus::Unreachable;
}

NavPoint NavReader::nearest(Position p, float radius, const NavMover& mover) const {
    NavPoint out;
    out.status = NavStatus::InvalidInput;
    if (!valid() || !isUsable(p) || !(radius >= 0.0f && radius <= kMaxSnap)) return out;
    const navmesh::Pin pin(*state_->shared, *state_->slot);
    if (!validMover(*pin, mover)) return out;
    const Ground ground = groundFor(*pin, mover);
    Placed placed = placeExactly(ground, toGrid(*pin, p));
    out.status = NavStatus::NoGoal;
    if (!placed.on_map) return out;
    if (!placed.loaded) {
        out.status = NavStatus::NotLoaded;
        return out;
    }
    moveOnto(ground, placed, radius, std::nullopt, nullptr, 0.0f);
    if (!placed.at.ref.valid()) return out;
    out.status = NavStatus::Complete;
    out.position = placed.moved ? toWorld(*pin, placed.at.point) : p;
    out.distance = placed.at.distance;
    out.height = heightAt(*pin, out.position).value_or(0.0f);
    return out;
}

bool NavReader::walkable(Position p, const NavMover& mover) const {
    if (!valid() || !isUsable(p)) return false;
    const navmesh::Pin pin(*state_->shared, *state_->slot);
    return validMover(*pin, mover) && navmesh::locate(groundFor(*pin, mover), toGrid(*pin, p)).valid();
}

NavRay NavReader::raycast(Position from, Position to, const NavMover& mover) const {
    NavRay out;
    out.status = NavStatus::InvalidInput;
    if (!valid() || !isUsable(from) || !isUsable(to)) return out;
    const navmesh::Pin pin(*state_->shared, *state_->slot);
    if (!validMover(*pin, mover)) return out;
    const Ground ground = groundFor(*pin, mover);
    const Placed start = placeExactly(ground, toGrid(*pin, from));
    out.status = start.on_map && !start.loaded ? NavStatus::NotLoaded : NavStatus::NoStart;
    if (!start.at.ref.valid()) return out;
    const Vec2 a = start.at.point, b = toGrid(*pin, to);
    const navmesh::RayResult ray = navmesh::walkStraight(ground, start.at.ref, a, b);
    out.status = ray.clear ? NavStatus::Complete : NavStatus::Partial;
    out.end = ray.clear ? to : toWorld(*pin, {a.x + ray.t * (b.x - a.x), a.y + ray.t * (b.y - a.y)});
    out.length = ray.t * navmesh::distance(a, b);
    out.cost = ray.cost;
    return out;
}

NavPoint NavReader::randomPoint(Position centre, float radius, const NavMover& mover, Rng& rng) const {
    NavPoint out;
    out.status = NavStatus::InvalidInput;
    if (!valid() || !isUsable(centre) || !(radius >= 0.1f && radius <= 512.0f)) return out;
    const navmesh::Pin pin(*state_->shared, *state_->slot);
    if (!validMover(*pin, mover)) return out;
    const Ground ground = groundFor(*pin, mover);
    Placed middle = placeExactly(ground, toGrid(*pin, centre));
    out.status = middle.on_map && !middle.loaded ? NavStatus::NotLoaded : NavStatus::NoGoal;
    if (!middle.loaded) return out;
    moveOnto(ground, middle, std::min(radius, kMaxSnap), std::nullopt, nullptr, 0.0f);
    if (!middle.at.ref.valid()) return out;
    const std::uint32_t label = ground.label(middle.at.ref);
    // Points of the square are even; those off the ground or out of reach are thrown away.
    const Vec2 c = toGrid(*pin, centre);
    const auto random = [&] { return 2.0f * static_cast<float>(rng.below(1u << 24)) / static_cast<float>(1u << 24) - 1.0f; };
    constexpr int kTries = 256;
    for (int i = 0; i < kTries; ++i) {
        const float x = random(), y = random();
        if (x * x + y * y > 1.0f) continue;
        const Vec2 p{c.x + radius * x, c.y + radius * y};
        const PolyRef ref = navmesh::locate(ground, p);
        if (!ref.valid() || ground.label(ref) != label) continue;
        out.status = NavStatus::Complete;
        out.position = toWorld(*pin, p);
        out.distance = navmesh::distance(p, c);
        out.height = heightAt(*pin, out.position).value_or(0.0f);
        return out;
    }
    out.status = NavStatus::Complete;  // next to no ground there: its nearest point
    out.position = toWorld(*pin, middle.at.point);
    out.distance = navmesh::distance(middle.at.point, c);
    out.height = heightAt(*pin, out.position).value_or(0.0f);
    return out;
}

bool NavReader::isLoaded(Position p, int agent) const {
    if (!valid() || !isUsable(p)) return false;
    const navmesh::Pin pin(*state_->shared, *state_->slot);
    if (agent < 0 || static_cast<std::size_t>(agent) >= pin->meshes.size()) return false;
    const navmesh::Mesh& mesh = *pin->meshes[static_cast<std::size_t>(agent)];
    const std::int32_t tile = mesh.tileAt(toGrid(*pin, p));
    return tile >= 0 && mesh.at(tile) != nullptr;
}

bool NavReader::holdsWholeMap(int agent) const {
    if (!valid()) return false;
    const navmesh::Pin pin(*state_->shared, *state_->slot);
    return agent >= 0 && static_cast<std::size_t>(agent) < pin->meshes.size() &&
           pin->meshes[static_cast<std::size_t>(agent)]->loaded == pin->meshes[static_cast<std::size_t>(agent)]->count();
}

std::optional<float> NavReader::height(Position p) const {
    if (!valid() || !isUsable(p)) return std::nullopt;
    const navmesh::Pin pin(*state_->shared, *state_->slot);
    return heightAt(*pin, p);
}

NavStatus NavReader::check(const NavPath& path) const {
    if (!valid() || (path.status != NavStatus::Complete && path.status != NavStatus::Partial)) return NavStatus::InvalidInput;
    const navmesh::Pin pin(*state_->shared, *state_->slot);
    if (static_cast<std::size_t>(path.agent) >= pin->meshes.size()) return NavStatus::InvalidInput;
    const navmesh::Mesh& mesh = *pin->meshes[static_cast<std::size_t>(path.agent)];
    for (const NavTileStamp& stamp : path.tiles) {
        if (stamp.tile >= mesh.tiles.size()) return NavStatus::Stale;
        const navmesh::LoadedTile* tile = mesh.at(static_cast<std::int32_t>(stamp.tile));
        if (tile == nullptr || tile->generation != stamp.generation) return NavStatus::Stale;
    }
    return NavStatus::Complete;
}

void NavReader::forEachTile(int agent, const std::function<void(const NavTile&, Position)>& visit) const {
    if (!valid()) return;
    const navmesh::Pin pin(*state_->shared, *state_->slot);
    if (agent < 0 || static_cast<std::size_t>(agent) >= pin->meshes.size()) return;
    const Cell origin = pin->snapshot.origin();
    for (const auto& loaded : pin->meshes[static_cast<std::size_t>(agent)]->tiles) {
        if (loaded != nullptr) visit(*loaded->tile, {static_cast<float>(origin.x), static_cast<float>(origin.y)});
    }
}

}  // namespace warpath
