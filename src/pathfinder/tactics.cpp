#include "warpath/pathfinder/tactics.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>

#include "pathfinder/cell_steps.h"
#include "pathfinder/cover_reader.h"
#include "pathfinder/query_impl.h"
#include "pathfinder/route_builder.h"
#include "pathfinder/route_metrics.h"
#include "warpath/core/number_text.h"
#include "warpath/tactical/cover_map.h"
#include "warpath/world/position_errors.h"

namespace warpath {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr float kMostCoverWeight = 20.0f;
constexpr double kLongestDetour = 1.5;

/// Sine and cosine by their Taylor series: libm's differ between machines, + - * / do not. @pre |x| <= 2 pi.
void sineAndCosine(double x, double& sine, double& cosine) {
    if (x > kPi) x -= 2.0 * kPi;
    const double x2 = x * x;
    sine = cosine = 0.0;
    double term = 1.0;
    for (int k = 0; k < 16; ++k) {
        cosine += term;
        sine += term * x / (2 * k + 1);
        term *= -x2 / ((2 * k + 1) * (2 * k + 2));
    }
}

bool finite(float v) { return v - v == 0.0f; }

/// Where the unit stops: for each stretch in cover that is followed by one without, one cell.
class StopFinder {
public:
    StopFinder(const RouteRules& rules, std::vector<std::uint32_t>& stops) : rules_(rules), stops_(stops) {}

    void add(std::uint32_t index, double at, float cover, float threat) {
        if (cover <= 0.0f) {
            leaveCover();
            return;
        }
        if (cover < rules_.stop_cover) return;
        if (!found_ || threat <= threat_) {
            found_ = true;
            threat_ = threat;
            index_ = index;
            at_ = at;
        }
    }

private:
    void leaveCover() {
        if (found_ && index_ > 0 && at_ - last_ >= static_cast<double>(rules_.stop_spacing)) {
            stops_.push_back(index_);
            last_ = at_;
        }
        found_ = false;
    }

    const RouteRules& rules_;
    std::vector<std::uint32_t>& stops_;
    bool found_ = false;
    float threat_ = 0.0f;
    std::uint32_t index_ = 0;
    double at_ = 0.0, last_ = 0.0;
};

/// Where cover protects from, as a unit vector: the mean of its directions, or the first of those that cancel out.
Vec2 directionOfCover(std::uint8_t directions) {
    const Vec2 mean = meanDirection(directions);
    return mean == Vec2{} && directions != 0 ? kStepVector[std::countr_zero(directions)] : mean;
}

/// The anchors, within the disc that a search for cover looks over, of units with cover on the threat's side. One of a larger unit may be named often.
/// A larger unit has the cover of every cell that it stands on: something beside its square covers it.
void gatherCovered(const WorldSnapshot& snapshot, TileStore& store, Cell start, int size, const NearestCoverRequest& request, std::vector<CellId>& hits) {
    hits.clear();
    if (!snapshot.state().has_cover) return;
    const CoverFacing facing(request.threat_direction);
    const int offset = middleOffset(size), least = std::max(1, static_cast<int>(std::lround(request.least_quality * static_cast<float>(kFullCover))));
    const int reach = static_cast<int>(request.max_distance);
    const std::int64_t reach_squared = static_cast<std::int64_t>(request.max_distance * request.max_distance);
    const Cell centre{start.x + offset, start.y + offset};
    const CellRect map{0, 0, snapshot.width(), snapshot.height()};
    const CellRect around = intersect({centre.x - reach, centre.y - reach, 2 * reach + 1, 2 * reach + 1}, map);
    const CellRect looked = intersect({around.x - offset, around.y - offset, around.width + size - 1, around.height + size - 1}, map);
    if (looked.empty()) return;
    const auto take = [&](int x, int y) {  // the anchor
        const std::int64_t dx = x + offset - centre.x, dy = y + offset - centre.y;
        if (dx * dx + dy * dy <= reach_squared && x >= 0 && y >= 0) hits.push_back(cellIdOf(x, y));
    };
    const int cx1 = (looked.x + looked.width - 1) >> kChunkShift, cy1 = (looked.y + looked.height - 1) >> kChunkShift;
    for (int cy = looked.y >> kChunkShift; cy <= cy1; ++cy) {
        for (int cx = looked.x >> kChunkShift; cx <= cx1; ++cx) {
            const std::shared_ptr<const CoverTile> tile = store.cover(snapshot, {cx, cy});
            if (tile->open) continue;
            const CellRect part = intersect(looked, {cx << kChunkShift, cy << kChunkShift, kChunkSize, kChunkSize});
            for (int y = part.y; y < part.y + part.height; ++y) {
                for (int x = part.x; x < part.x + part.width; ++x) {
                    const auto local = static_cast<std::size_t>(localIndex(x, y));
                    // Eight cells at a time where nothing gives cover.
                    if ((x & 7) == 0 && x + 8 <= part.x + part.width) {
                        std::uint64_t eight = 0;
                        std::memcpy(&eight, &tile->directions[local], sizeof(eight));
                        if (eight == 0) {
                            x += 7;
                            continue;
                        }
                    }
                    if (tile->cover[local] < least || !facing.facedBy(tile->directions[local])) continue;
                    for (int dy = 0; dy < size; ++dy) {
                        for (int dx = 0; dx < size; ++dx) take(x - dx, y - dy);
                    }
                }
            }
        }
    }
}

/// What covers a unit best against the threat where it stands.
void describeCover(TileBinding& binding, TileStore& store, CellId anchor, int size, const CoverFacing& facing, NearestCover& out) {
    Waypoint there;
    describeWaypoint(binding, anchor, size, there);
    out.position = there.position;
    int most = -1;
    for (int dy = 0; dy < size; ++dy) {
        for (int dx = 0; dx < size; ++dx) {
            const int x = gridXOf(anchor) + dx, y = gridYOf(anchor) + dy;
            const std::shared_ptr<const CoverTile> tile = store.cover(binding.snapshot(), {x >> kChunkShift, y >> kChunkShift});
            const auto local = static_cast<std::size_t>(localIndex(x, y));
            if (!facing.facedBy(tile->directions[local]) || tile->cover[local] <= most) continue;
            most = tile->cover[local];
            out.kind = static_cast<ObstacleKind>(tile->kind[local]);
            out.quality = static_cast<float>(most) / static_cast<float>(kFullCover);
            out.cover_direction = size == 1 ? there.cover_direction : directionOfCover(tile->directions[local]);
        }
    }
}

/// Rebuilds a found route with its stops, and sets pauses, speeds and the time it takes.
void moveFromCoverToCover(TileBinding& binding, const ResolvedConstraints& resolved, const RouteRules& rules, const PathRequest& request,
                          std::vector<CellId>& cells, Path& out) {
    const WorldSnapshot& snapshot = binding.snapshot();
    const Cell origin = snapshot.origin();
    const int size = resolved.metric.profile.size;
    cells.clear();
    for (const Cell c : out.cells) cells.push_back(cellIdOf(c.x - origin.x, c.y - origin.y));

    CoverReader covers(binding);
    const auto coverAt = [&](CellId id) { return static_cast<float>(covers.ofUnit(id, size).cover) / static_cast<float>(kFullCover); };
    const auto worldOf = [&](CellId id) {
        const Cell m = middleOf(snapshot, id, size);
        return Cell{m.x + origin.x, m.y + origin.y};
    };
    std::vector<std::uint32_t> stops;
    StopFinder finder(rules, stops);
    double at = 0.0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) at += stepMetres(directionBetween(cells[i - 1], cells[i]));
        finder.add(static_cast<std::uint32_t>(i), at, coverAt(cells[i]), snapshot.threatAt(request.side, worldOf(cells[i])));
    }

    std::optional<Position> goal;
    if (out.status == PathStatus::Found && request.goal.kind == Goal::Kind::Point) goal = request.goal.centre;
    buildRoute(binding, cells, {request.from, goal}, resolved, request.detail, out, stops);
    measureRoute(binding, cells, resolved, rules, out);
    out.movement_style = MovementStyle::CoverToCover;
    out.cover_points.clear();
    out.travel_time = 0.0;
    if (cells.size() < 2) return;

    const std::vector<float>& multipliers = snapshot.rules().unit_classes[static_cast<std::size_t>(resolved.metric.profile.unit_type)].multipliers;
    std::size_t waypoint = 1, next_stop = 0;
    bool exposed = false, threatened = false;
    double leg = 0.0;
    for (std::size_t i = 1; i < cells.size(); ++i) {
        const bool threat = snapshot.threatAt(request.side, worldOf(cells[i])) >= kUnderThreat;
        threatened = threatened || threat;
        exposed = exposed || (threat && coverAt(cells[i]) <= 0.0f);
        leg += stepMetres(directionBetween(cells[i - 1], cells[i])) *
               static_cast<double>(std::max(multipliers[static_cast<std::size_t>(snapshot.terrainAt(worldOf(cells[i])))], 1.0f));
        const bool last = i + 1 == cells.size();
        if (!last && !(out.waypoints[waypoint].position == centreOfAnchor(snapshot, gridXOf(cells[i]), gridYOf(cells[i]), size))) continue;
        Waypoint& here = out.waypoints[waypoint];
        here.speed = speedFor(MovementStyle::CoverToCover, threatened, !exposed);
        out.travel_time += leg / (static_cast<double>(resolved.speed) * speedFactor(here.speed));
        if (next_stop < stops.size() && stops[next_stop] == i) {
            ++next_stop;
            here.pause_duration = rules.pause;
            out.travel_time += static_cast<double>(rules.pause);
            out.cover_points.push_back(here);
        }
        ++waypoint;
        leg = 0.0;
        exposed = threatened = false;
    }
}

/// What is wrong with the fields that only this question has.
std::optional<Error> checkNearestCover(const NearestCoverRequest& request) {
    if (!finite(request.threat_direction.x) || !finite(request.threat_direction.y)) {
        return Error{"threat_direction", positionText({request.threat_direction.x, request.threat_direction.y}),
                     "give a vector of finite numbers from the unit towards the threat"};
    }
    if (!(request.max_distance >= 0.0f && request.max_distance <= 256.0f)) {
        return Error{"max_distance", numberText(request.max_distance), "use metres within 0..256"};
    }
    if (!(request.least_quality >= 0.0f && request.least_quality <= 1.0f)) {
        return Error{"least_quality", numberText(request.least_quality), "use a share within 0..1"};
    }
    return std::nullopt;
}

std::optional<Error> checkFlanking(const FlankingRequest& request) {
    if (!isUsable(request.target)) return unusablePosition("target", request.target);
    if (request.from && !isUsable(*request.from)) return unusablePosition("from", *request.from);
    if (request.count < 1 || request.count > 64) return Error{"count", std::to_string(request.count), "use 1 to 64"};
    if (!(request.distance >= 0.5f && request.distance <= 2048.0f)) return Error{"distance", numberText(request.distance), "use metres within 0.5..2048"};
    return std::nullopt;
}

}  // namespace

PathConstraints coverToCover(const PathConstraints& wishes) {
    PathConstraints out = wishes;
    const DoctrineWeights preset = doctrineWeights(wishes.doctrine);
    if (!out.threat_weight) out.threat_weight = std::max(preset.threat, 5.0f);
    if (!out.cover_weight) out.cover_weight = std::max(preset.cover, 3.0f);
    if (!out.exposure_weight) out.exposure_weight = std::max(preset.exposure, 10.0f);
    return out;
}

PathStatus TacticalQuery::findCoverToCoverPath(const WorldSnapshot& snapshot, const PathRequest& request, Path& out) {
    const auto started = std::chrono::steady_clock::now();
    Query::Impl& impl = *query_.impl_;
    if (request.detail > PathDetail::Cells) {
        out.reset();
        out.error = {"detail", request.detail == PathDetail::CostOnly ? "cost" : "anyangle",
                     "use corners or cells; costs without their route and straight legs are for a single path"};
        return out.status = PathStatus::InvalidArgument;
    }
    PathRequest asked = request;
    asked.constraints = coverToCover(request.constraints);
    const PathStatus status = query_.findPath(snapshot, asked, out);
    if (!out.hasRoute()) return status;
    std::uint64_t expansions = out.expansions;
    const double longest = kLongestDetour * out.length;
    Path other;
    const auto tryWith = [&](const PathConstraints& constraints) {
        PathRequest instead = asked;
        instead.constraints = constraints;
        query_.findPath(snapshot, instead, other);
        expansions += other.expansions;
        if (other.status == status && other.exposed_length < out.exposed_length && other.length <= longest) std::swap(out, other);
    };
    if (!request.constraints.cover_weight && out.exposed_length > 0.0) {
        PathConstraints more = asked.constraints;
        more.cover_weight = kMostCoverWeight;
        tryWith(more);
        if (out.exposed_length > 0.0) tryWith(request.constraints);
    }
    out.expansions = expansions;
    // Whichever it is, its cost is told at the weights of coverToCover, which a watched route is priced with.
    const auto resolved = std::get<ResolvedConstraints>(resolve(asked.constraints, snapshot.rules()));
    impl.binding.bind(snapshot, CostKey{resolved.metric, resolved.threat_weight, static_cast<std::uint8_t>(asked.side)}, impl.ends.exemptions(), impl.store);
    moveFromCoverToCover(impl.binding, resolved, impl.routes, asked, impl.candidate, out);
    out.computation_time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    return out.status;
}

NearestCover TacticalQuery::nearestCover(const WorldSnapshot& snapshot, const NearestCoverRequest& request) {
    NearestCover out;
    const PathRequest ends_request{.from = request.from, .goal = Goal::point(request.from), .constraints = request.constraints, .side = request.side};
    auto wrong = checkNearestCover(request);
    if (!wrong) wrong = checkRequest(ends_request);
    if (wrong && wrong->field == "start") wrong->field = "from";
    const auto resolved = resolveOn(snapshot, request.constraints, std::move(wrong));
    if (const auto* error = std::get_if<Error>(&resolved)) {
        out.status = refuse(&out.error, *error);
        return out;
    }
    const ResolvedConstraints& wishes = std::get<ResolvedConstraints>(resolved);

    Query::Impl& impl = *query_.impl_;
    const int size = wishes.metric.profile.size;
    impl.ends.set(snapshot, ends_request, size);
    impl.binding.bind(snapshot, CostKey{wishes.metric, wishes.threat_weight, static_cast<std::uint8_t>(request.side)}, {}, impl.store);
    const RegionTable& regions = impl.regionsOf(snapshot, wishes.metric.profile);
    const Cell start = impl.ends.start();
    out.status = impl.ends.judge(impl.binding, regions);
    if (out.status != PathStatus::Found) {
        if (tellOffMap(snapshot, ends_request, out.status, out.error)) out.error.field = "from";
        return out;
    }
    out.status = PathStatus::Unreachable;
    const RegionId region = regions.regionAt(start.x, start.y);

    std::vector<CellId>& hits = impl.candidate;
    gatherCovered(snapshot, *impl.store, start, size, request, hits);
    if (size > 1) {
        std::sort(hits.begin(), hits.end());
        hits.erase(std::unique(hits.begin(), hits.end()), hits.end());
        std::erase_if(hits, [&](CellId cell) { return regions.regionAt(gridXOf(cell), gridYOf(cell)) != region; });
    }
    const auto smallest = static_cast<Cost>(impl.binding.model().smallestF(snapshot.state()));
    impl.piece_goal.setCell(start.x, start.y);
    const GoalShape::Bound from_start = impl.piece_goal.bound();
    const auto boundOf = [&](CellId cell) { return from_start.octile(gridXOf(cell), gridYOf(cell)) * smallest; };
    const auto fits = [&](CellId cell) { return regions.regionAt(gridXOf(cell), gridYOf(cell)) == region; };

    // The one that could be cheapest; what it really costs rules out most others.
    // Where it cannot be reached though it belongs to the region (one-way ground), one more search looks for all the others at once.
    AStarResult best;
    bool tried = false;
    while (!hits.empty() && !tried) {
        std::size_t first = 0;
        Cost bound = UINT64_MAX;
        for (std::size_t i = 0; i < hits.size(); ++i) {
            const Cost b = boundOf(hits[i]);
            if (b < bound) {
                bound = b;
                first = i;
            }
        }
        const CellId cell = hits[first];
        hits.erase(hits.begin() + static_cast<std::ptrdiff_t>(first));
        if (!fits(cell)) continue;
        tried = true;
        GoalShape one;
        one.setCell(gridXOf(cell), gridYOf(cell));
        best = impl.astar.run(impl.binding, start.x, start.y, one, {});
        out.expansions += best.expansions;
    }
    if (best.status == PathStatus::Found) {
        impl.astar.extract(impl.binding, best.end, impl.cells);
        out.cost = best.cost;
    } else {
        out.cost = UINT64_MAX;
    }
    std::erase_if(hits, [&](CellId cell) { return boundOf(cell) >= out.cost || !fits(cell); });
    if (!hits.empty()) {
        std::sort(hits.begin(), hits.end());
        GoalShape others;
        others.setCells(hits);
        AStarOptions options;
        options.max_cost = out.cost - 1;
        const AStarResult cheaper = impl.astar.run(impl.binding, start.x, start.y, others, options);
        out.expansions += cheaper.expansions;
        if (cheaper.status == PathStatus::Found) {
            impl.astar.extract(impl.binding, cheaper.end, impl.cells);
            out.cost = cheaper.cost;
        }
    }
    if (out.cost == UINT64_MAX) {
        out.cost = 0;
        return out;
    }
    for (std::size_t i = 1; i < impl.cells.size(); ++i) {
        out.length += stepMetres(directionBetween(impl.cells[i - 1], impl.cells[i]));
    }
    describeCover(impl.binding, *impl.store, impl.cells.back(), size, CoverFacing(request.threat_direction), out);
    out.status = PathStatus::Found;
    return out;
}

PathStatus TacticalQuery::flankingPositions(const WorldSnapshot& snapshot, const FlankingRequest& request, std::vector<Position>& out, Error* error) {
    out.clear();
    if (error != nullptr) *error = {};
    const auto resolved = resolveOn(snapshot, request.constraints, checkFlanking(request));
    if (const auto* wrong = std::get_if<Error>(&resolved)) return refuse(error, *wrong);
    const MobilityProfile& profile = std::get<ResolvedConstraints>(resolved).metric.profile;
    const RegionTable& regions = query_.impl_->regionsOf(snapshot, profile);
    const CellRect map{0, 0, snapshot.width(), snapshot.height()};
    const auto regionOf = [&](Position p) {
        const Cell anchor = anchorOf(snapshot, p, profile.size);
        return map.contains(anchor) ? regions.regionAt(anchor.x, anchor.y) : RegionId{0};
    };
    RegionId home = regionOf(request.from.value_or(request.target));
    if (home == 0 && !request.from) {
        const Cell at = anchorOf(snapshot, request.target, profile.size);
        int nearest = 65;  // squared distance beyond 8 m
        for (int dy = -8; dy <= 8; ++dy) {
            for (int dx = -8; dx <= 8; ++dx) {
                const Cell c{at.x + dx, at.y + dy};
                if (dx * dx + dy * dy >= nearest || !map.contains(c) || regions.regionAt(c.x, c.y) == 0) continue;
                nearest = dx * dx + dy * dy;
                home = regions.regionAt(c.x, c.y);
            }
        }
    }
    const auto none = [&] {
        const auto isOff = [&](Position p) { return !snapshot.contains(cellAt(p)); };
        if (error != nullptr && request.from && isOff(*request.from)) {
            writeOffMap(snapshot, "from", *request.from, *error);
        } else if (error != nullptr && isOff(request.target)) {
            writeOffMap(snapshot, "target", request.target, *error);
        }
        return PathStatus::Unreachable;
    };
    if (home == 0) return none();
    for (int i = 0; i < request.count; ++i) {
        double sine = 0.0, cosine = 1.0;
        sineAndCosine(2.0 * kPi * i / request.count, sine, cosine);
        const Position p{request.target.x + static_cast<float>(cosine * static_cast<double>(request.distance)),
                         request.target.y + static_cast<float>(sine * static_cast<double>(request.distance))};
        if (isUsable(p) && regionOf(p) == home) out.push_back(p);
    }
    if (request.from && hasOneWaySteps(profile, snapshot)) {
        std::erase_if(out, [&](Position p) { return query_.reachable(snapshot, *request.from, p, request.constraints) != PathStatus::Found; });
    }
    return out.empty() ? none() : PathStatus::Found;
}

}  // namespace warpath
