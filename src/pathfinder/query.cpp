#include "warpath/pathfinder/query.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "pathfinder/cell_steps.h"
#include "pathfinder/query_impl.h"
#include "pathfinder/route_builder.h"
#include "pathfinder/route_metrics.h"
#include "warpath/core/assert.h"
#include "warpath/core/number_text.h"
#include "warpath/world/position_errors.h"

namespace warpath {
namespace {

// Over portals, for several routes through the hierarchy: not every way gives a route that differs enough.
constexpr int kWaysPerRoute = 2, kMostWays = 12;

/// Every cell that can be entered costs the same, in every direction: where exact search needs no weights.
bool isUniform(const CostModel& model, const WorldState& world) {
    const CostKey& key = model.key();
    if (model.pricesCover() && world.has_cover) return false;
    if (key.threat_weight != 0 && world.threat_chunks[key.side] != 0) return false;
    if (key.metric.wall_distance != 0 || (model.pricesElevation() && world.elevated_chunks != 0)) return false;
    if (world.congested_chunks != 0) return false;
    int f = -1;
    for (std::size_t t = 0; t < kMaxTerrainTypes; ++t) {
        if (world.terrain_chunks[t] == 0 || !model.passable(static_cast<std::uint8_t>(t))) continue;
        const int ground = model.ground(static_cast<std::uint8_t>(t));
        if (f >= 0 && ground != f) return false;
        f = ground;
    }
    return true;
}

/// As resolveOn, where a route is to be validated.
std::variant<ResolvedConstraints, Error> resolveForRoute(const WorldSnapshot& snapshot, const PathConstraints& constraints, const Path& path) {
    auto resolved = resolveOn(snapshot, constraints);
    if (path.cells.empty() && !std::holds_alternative<Error>(resolved)) return Error{"path", "no cells", "validate a path that was found"};
    return resolved;
}

/// Leaves of an answer what PathDetail::CostOnly carries.
void giveUpRoute(Path& out) {
    Path kept;
    kept.status = out.status;
    kept.cost = out.cost;
    kept.algorithm = out.algorithm;
    kept.weight = out.weight;
    kept.expansions = out.expansions;
    kept.revision = out.revision;
    out = std::move(kept);
}

PathStatus refuse(Path& out, const Error& error) {
    out.status = PathStatus::InvalidArgument;
    out.error = error;
    return out.status;
}

}  // namespace

Query::Query(std::shared_ptr<TileStore> tiles, AlgorithmRules rules, const RouteRules& routes) : impl_(std::make_unique<Impl>()) {
    WARPATH_ASSERT(!rules.validate(), "algorithm rules within their limits");
    WARPATH_ASSERT(!routes.validate(), "route rules within their limits");
    impl_->store = tiles != nullptr ? std::move(tiles) : std::make_shared<TileStore>();
    impl_->rules = rules;
    impl_->routes = routes;
}
Query::~Query() = default;
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;

const std::shared_ptr<TileStore>& Query::tiles() const { return impl_->store; }
const RouteRules& Query::routeRules() const { return impl_->routes; }
const HierarchyFigures& Query::hierarchyFigures() const { return impl_->hierarchy.figures(); }
std::size_t Query::memoryBytes() const {
    return sizeof(Impl) + impl_->astar.memoryBytes() + impl_->jps.memoryBytes() + impl_->field.memoryBytes() + impl_->hierarchy.memoryBytes() +
           impl_->trees.memoryBytes() + impl_->binding.memoryBytes();
}

Query::Impl::Task Query::Impl::begin(const WorldSnapshot& snapshot, const PathRequest& request, const ResolvedConstraints& resolved) {
    const MobilityProfile& profile = resolved.metric.profile;
    const CostKey key{resolved.metric, resolved.threat_weight, static_cast<std::uint8_t>(request.side)};
    ends.set(snapshot, request, profile.size);
    binding.bind(snapshot, key, ends.exemptions(), store);
    const RegionTable& regions = regionsOf(snapshot, profile);

    Task task;
    AStarOptions& options = task.options;
    options.weight_hundredths = static_cast<std::uint32_t>(std::floor(request.weight * 100.0f));
    options.max_expansions = request.max_expansions != 0 ? request.max_expansions : rules.max_expansions;
    if (request.max_cost) options.max_cost = static_cast<Cost>(std::floor(*request.max_cost * static_cast<double>(kCostPerMetre) + 0.5));
    options.nearest_to = &ends.goal();

    task.judged = ends.judge(binding, regions);
    task.partial = request.allow_partial && (task.judged == PathStatus::GoalBlocked || task.judged == PathStatus::Unreachable);
    if (task.judged != PathStatus::Found && !task.partial) return task;

    task.slope_limited = profile.limitsSlope() && snapshot.state().elevated_chunks != 0;
    task.facts = {.uniform = isUniform(binding.model(), snapshot.state()),
                  .jumpable = !task.partial && ends.goalCell() && ends.exemptions().empty() && profile.diagonal == DiagonalRule::Strict &&
                              options.weight_hundredths == 100 && options.max_expansions == 0 && !task.slope_limited,
                  .clutter = regions.clutter(),
                  .hierarchical = options.max_expansions == 0 && HierarchyQuery::takes(ends.goal()),
                  .map_cells = static_cast<std::uint64_t>(snapshot.width()) * static_cast<std::uint64_t>(snapshot.height()),
                  .brings_field = request.field != nullptr,
                  .fieldable = !task.partial && ends.exemptions().empty() && options.max_expansions == 0,
                  .threatened = (key.threat_weight != 0 && snapshot.state().threat_chunks[key.side] != 0) || snapshot.state().congested_chunks != 0,
                  .distance = static_cast<float>(ends.goal().distance(ends.start().x, ends.start().y)),
                  .group_size = request.group_size,
                  .bounded = options.max_expansions != 0};
    task.algorithm = chooseAlgorithm(rules, request.algorithm, task.facts);
    return task;
}

HierarchyTask Query::Impl::throughPortals(const Task& task, const GoalShape& goal) {
    return {.astar = astar, .field = field, .binding = binding, .store = store, .start = ends.start(), .goal = goal, .options = task.options,
            .rules = {.spacing = rules.portal_spacing, .group = rules.group_side}, .uniform = task.facts.uniform, .tiles_are_shared = ends.exemptions().empty()};
}

PathStatus Query::Impl::solve(const WorldSnapshot& snapshot, const PathRequest& request, const ResolvedConstraints& resolved, Path& out, int ways) {
    Task task = begin(snapshot, request, resolved);
    out.weight = request.weight;
    out.revision = snapshot.revision();
    out.status = task.judged;
    const bool partial = task.partial, slope_limited = task.slope_limited;
    if (out.status != PathStatus::Found && !partial) return out.status;
    const Cell start = ends.start();
    const MobilityProfile& profile = resolved.metric.profile;
    const RegionTable& regions = regionsOf(snapshot, profile);
    AStarOptions& options = task.options;
    const AlgorithmFacts& facts = task.facts;
    out.algorithm = task.algorithm;
    const bool cost_alone = request.detail == PathDetail::CostOnly;
    const auto giveCost = [&](Cost cost, int x, int y) {
        out.cost = cost;
        if (out.status != PathStatus::Found) out.remaining_distance = static_cast<float>(ends.goal().distance(x, y));
        return out.status;
    };
    std::optional<Cost> along;
    if (out.algorithm == PathAlgorithm::FlowField) {
        const bool only_brought = request.algorithm == PathAlgorithm::Auto && groupField(rules, request.group_size, task.facts.map_cells) == GroupField::Tiled;
        const auto arrows = fieldFor(snapshot, request, only_brought);
        if (arrows != nullptr) along = traceField(*arrows);
        if (!along && only_brought) {  // it does not lead from here: as one unit alone
            task.facts.brings_field = false;
            out.algorithm = chooseAlgorithm(rules, request.algorithm, task.facts);
        } else if (!along) {
            out.algorithm = PathAlgorithm::AStar;
        }
    }
    if (along) {
        out.expansions = cells.size();
        out.status = options.max_cost < *along ? PathStatus::CostLimit : PathStatus::Found;
        if (out.status != PathStatus::Found) return out.status;
        if (cost_alone) return giveCost(*along, 0, 0);
    } else if (out.algorithm == PathAlgorithm::Jps) {
        const auto f = static_cast<std::uint32_t>(binding.model().smallestF(snapshot.state()));
        const JpsResult found = jps.run(regions, start, *ends.goalCell(), f, options.max_cost);
        out.status = found.status;
        out.expansions = found.expansions;
        if (found.status != PathStatus::Found) return out.status;
        if (cost_alone) return giveCost(found.cost, 0, 0);
        jps.extract(cells);
    } else {
        // Where limits depend on direction or obstacles are ignored, regions may promise too much; then the search has to find the nearest cell.
        const bool regions_suffice = ends.exemptions().empty() && !slope_limited;
        options.canonical = task.canonical(profile, binding);
        bool walked = false;  // `cells` holds the route already
        // The search to one of the goals, through the hierarchy, or led by a field where the rule says so. Nothing is counted when the field shows that there is no way.
        const auto run = [&](const GoalShape& goal) {
            if (out.algorithm == PathAlgorithm::Hierarchical && !options.track_nearest && HierarchyQuery::takes(goal)) {
                return hierarchy.run(throughPortals(task, goal), ways);
            }
            out.algorithm = PathAlgorithm::AStar;
            AlgorithmFacts here = facts;
            here.goal_cells = std::int64_t{goal.bounds().width} * goal.bounds().height;
            here.distance = static_cast<float>(goal.distance(start.x, start.y));
            options.field = nullptr;
            if (ledByField(rules, here)) {
                // The route follows the field straight away, of a weighted request a narrower one; a limit of cost and prices on heights need the search.
                const bool walks = !binding.pricesElevation() && !request.max_cost && !options.track_nearest;
                const FieldStatus built = field.build(binding, goal, start.x, start.y, options.max_cost,
                                                      {.weight_hundredths = walks ? options.weight_hundredths : 100});
                if (built == FieldStatus::Unreachable && !options.track_nearest) return AStarResult{};
                if (built == FieldStatus::Ready && walks) {
                    walked = true;
                    const Cost cost = field.walk(binding, cells);
                    return AStarResult{.status = PathStatus::Found,
                                       .end = refOf(binding, cells.back()),
                                       .cost = cost,
                                       .expansions = cells.size()};
                }
                if (built == FieldStatus::Ready) options.field = &field;
            }
            return astar.run(binding, start.x, start.y, goal, options);
        };
        AStarResult result;
        if (partial && (regions_suffice || options.max_expansions == 0)) {
            ends.nearestToGoal(binding, regions, nearest);
            nearest_goal.setCells(nearest);
            result = run(nearest_goal);
            if (result.status == PathStatus::Found) result.status = PathStatus::Partial;
        }
        if (result.status == PathStatus::Unreachable) {
            const std::uint64_t spent = result.expansions;
            options.track_nearest = request.allow_partial && !regions_suffice;
            result = run(ends.goal());
            result.expansions += spent;
            if (result.status == PathStatus::Unreachable && options.track_nearest) result.status = PathStatus::Partial;
        }
        out.expansions = result.expansions;
        out.status = result.status;
        if (result.end == kNoCellRef || (out.status == PathStatus::CostLimit)) return out.status;

        // A weighted search, or one cut short, may have left a cheaper step behind that only its route takes.
        const bool exact = options.weight_hundredths == 100 && options.max_expansions == 0;
        if (cost_alone && exact) return giveCost(result.cost, binding.xOf(result.end), binding.yOf(result.end));
        if (!walked) astar.extract(binding, result.end, cells);
    }
    RouteEnds route_ends{request.from, std::nullopt};
    if (out.status == PathStatus::Found) route_ends.goal = ends.goalPosition();
    buildAnswer(route_ends, request.detail, resolved, out);
    if (cost_alone) {
        giveUpRoute(out);
        return giveCost(out.cost, gridXOf(cells.back()), gridYOf(cells.back()));
    }
    if (out.status != PathStatus::Found) {
        const CellId last = cells.back();
        out.remaining_distance = static_cast<float>(ends.goal().distance(gridXOf(last), gridYOf(last)));
    }
    return out.status;
}

PathStatus Query::Impl::findPath(const WorldSnapshot& snapshot, const PathRequest& request, Path& out, int ways) {
    const auto started = std::chrono::steady_clock::now();
    out.reset();
    const auto resolved = resolveOn(snapshot, request.constraints, checkRequest(request));
    if (const auto* error = std::get_if<Error>(&resolved)) return refuse(out, *error);
    solve(snapshot, request, std::get<ResolvedConstraints>(resolved), out, ways);
    tellOffMap(snapshot, request, out.status, out.error);
    out.computation_time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    return out.status;
}

PathStatus Query::findPath(const WorldSnapshot& snapshot, const PathRequest& request, Path& out) { return impl_->findPath(snapshot, request, out, 1); }

bool Query::findFirstSteps(const WorldSnapshot& snapshot, const PathRequest& request, Path& out) {
    const auto started = std::chrono::steady_clock::now();
    out.reset();
    const auto resolved = resolveOn(snapshot, request.constraints, checkRequest(request));
    if (std::holds_alternative<Error>(resolved) || !impl_->solveFirstSteps(snapshot, request, std::get<ResolvedConstraints>(resolved), out)) return false;
    out.computation_time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    return true;
}

void Query::Impl::buildAnswer(const RouteEnds& route_ends, PathDetail detail, const ResolvedConstraints& resolved, Path& out) {
    if (detail != PathDetail::AnyAngle) {
        buildRoute(binding, cells, route_ends, resolved, detail, out);
        measureRoute(binding, cells, resolved, routes, out);
        return;
    }
    const MobilityProfile& profile = resolved.metric.profile;
    legs.pull(binding, route_ends, profile.size, profile.diagonal != DiagonalRule::Never, cells);
    const std::vector<CellId>& pulled = legs.cells();
    const std::vector<std::uint32_t>& turns = legs.turns();
    const std::span<const std::uint32_t> inner = turns.size() > 2 ? std::span(turns).subspan(1, turns.size() - 2) : std::span<const std::uint32_t>{};
    buildRoute(binding, pulled, route_ends, resolved, detail, out, inner);
    measureRoute(binding, pulled, resolved, routes, out);
    if (turns.size() < 2) return;
    double length = 0.0;
    for (std::size_t i = 1; i < turns.size(); ++i) {
        const double dx = gridXOf(pulled[turns[i]]) - gridXOf(pulled[turns[i - 1]]), dy = gridYOf(pulled[turns[i]]) - gridYOf(pulled[turns[i - 1]]);
        length += std::sqrt(dx * dx + dy * dy);
        if (legs.pulled()[i - 1]) out.waypoints[i - 1].leg = LegKind::Straight;
    }
    setLength(out, length);
}

bool Query::Impl::solveFirstSteps(const WorldSnapshot& snapshot, const PathRequest& request, const ResolvedConstraints& resolved, Path& out) {
    if (request.detail == PathDetail::CostOnly) return false;
    const Task task = begin(snapshot, request, resolved);
    if (task.judged != PathStatus::Found || task.algorithm != PathAlgorithm::Hierarchical) return false;
    const AStarResult result = hierarchy.firstSteps(throughPortals(task, ends.goal()));
    if (result.status != PathStatus::Found) return false;
    astar.extract(binding, result.end, cells);
    buildAnswer({request.from, std::nullopt}, request.detail, resolved, out);
    out.status = PathStatus::Partial;
    out.interim = true;
    out.weight = request.weight;
    out.revision = snapshot.revision();
    out.algorithm = PathAlgorithm::Hierarchical;
    out.expansions = result.expansions;
    out.remaining_distance = static_cast<float>(ends.goal().distance(gridXOf(cells.back()), gridYOf(cells.back())));
    return true;
}

PathStatus Query::findAllPaths(const WorldSnapshot& snapshot, const MultiPathRequest& request, std::vector<Path>& out) {
    out.resize(1);
    if (request.max_paths < 1 || request.max_paths > kMaxPaths) {
        out[0].reset();
        return refuse(out[0], {"max_paths", std::to_string(request.max_paths), "use 1 to " + std::to_string(kMaxPaths)});
    }
    const auto outside = [&](const char* field, float value, float low, float high) {
        out[0].reset();
        return refuse(out[0], {field, numberText(value), "use a number from " + numberText(low) + " to " + numberText(high)});
    };
    if (!(request.max_overlap >= 0.0f && request.max_overlap <= 1.0f)) return outside("max_overlap", request.max_overlap, 0.0f, 1.0f);
    if (!(request.max_stretch >= 1.0f && request.max_stretch <= kMaxStretch)) return outside("max_stretch", request.max_stretch, 1.0f, kMaxStretch);
    if (request.path.detail > PathDetail::Cells) {
        out[0].reset();
        return refuse(out[0], {"detail", request.path.detail == PathDetail::CostOnly ? "cost" : "anyangle",
                               "use corners or cells; costs without their route and straight legs are for a single path"});
    }
    if (request.mode > MultiPathMode::Flanking) {
        out[0].reset();
        return refuse(out[0], {"mode", std::to_string(static_cast<int>(request.mode)), "use diverse or flanking"});
    }
    PathRequest first = request.path;  // every stretch is measured against it, so it is the best one
    first.weight = 1.0f;
    const bool diverse = request.mode == MultiPathMode::Diverse;
    if (diverse) {
        first.group_size = 0;  // Auto means the hierarchy far away, and no field
        first.field = nullptr;
    } else if (first.algorithm == PathAlgorithm::Auto || first.algorithm == PathAlgorithm::Hierarchical) {
        first.algorithm = PathAlgorithm::Jps;
    }
    const int ways = diverse && request.max_paths > 1 ? std::min(kWaysPerRoute * request.max_paths, kMostWays) : 1;
    const PathStatus status = impl_->findPath(snapshot, first, out[0], ways);
    if (status != PathStatus::Found) return status;

    const auto resolved = std::get<ResolvedConstraints>(resolve(request.path.constraints, snapshot.rules()));
    MultiPathRequest exact = request;
    exact.path.weight = 1.0f;
    if (request.mode == MultiPathMode::Flanking) {
        impl_->findFlanking(snapshot, exact, resolved, out);
    } else {
        impl_->findDiverse(snapshot, exact, resolved, out);
    }
    return status;
}

PathValidation Query::validatePath(const WorldSnapshot& snapshot, const Path& path, const PathConstraints& constraints) {
    PathValidation result;
    const auto resolved = resolveForRoute(snapshot, constraints, path);
    if (const auto* error = std::get_if<Error>(&resolved)) {
        result.error = *error;
        return result;
    }
    const ResolvedConstraints& wishes = std::get<ResolvedConstraints>(resolved);
    const int size = wishes.metric.profile.size;
    impl_->binding.bind(snapshot, CostKey{wishes.metric, wishes.threat_weight, 0}, {}, impl_->store);
    return impl_->checkSteps(snapshot, path.cells, size, 0);
}

PathValidation Query::Impl::checkSteps(const WorldSnapshot& snapshot, std::span<const Cell> route, int size, std::uint64_t since) {
    PathValidation result;
    const Cell origin = snapshot.origin();
    const auto badAt = [&](std::size_t i) {
        result.first_bad = i;
        result.first_bad_position = centreOfAnchor(snapshot, route[i].x - origin.x, route[i].y - origin.y, size);
        return result;
    };
    ChunkCoord known{-1, -1};  // the chunk that `skipped` tells of
    bool skipped = false;
    for (std::size_t i = 0; i < route.size(); ++i) {
        if (!snapshot.contains(route[i])) return badAt(i);
        if (i == 0) continue;
        const int direction = directionOf(route[i].x - route[i - 1].x, route[i].y - route[i - 1].y);
        if (direction < 0) return badAt(i);
        const int x = route[i - 1].x - origin.x, y = route[i - 1].y - origin.y;
        if (since != 0) {
            const ChunkCoord chunk{x >> kChunkShift, y >> kChunkShift};
            if (!(chunk == known)) {
                known = chunk;
                skipped = snapshot.neighbourhoodRevision(chunk) <= since;
            }
            if (skipped) continue;
        }
        const CellRef from = binding.refOf(x, y);
        if (!binding.mayStep(from, direction)) return badAt(i);
    }
    result.valid = true;
    return result;
}

PathValidation Query::validateAnswer(const WorldSnapshot& snapshot, const WorldSnapshot& searched, const PathRequest& request, const Path& path) {
    PathValidation result;
    const auto resolved = resolveForRoute(snapshot, request.constraints, path);
    if (const auto* error = std::get_if<Error>(&resolved)) {
        result.error = *error;
        return result;
    }
    if (auto error = checkRequest(request)) {
        result.error = std::move(*error);
        return result;
    }
    const ResolvedConstraints& wishes = std::get<ResolvedConstraints>(resolved);
    const int size = wishes.metric.profile.size;
    const bool alike = searched.valid() && searched.state().world_id == snapshot.state().world_id && searched.state().rules_revision == snapshot.state().rules_revision;
    if (alike && snapshot.state().ground_revision <= searched.revision()) {
        result.valid = true;
        return result;
    }
    impl_->ends.set(snapshot, request, size);
    impl_->binding.bind(snapshot, CostKey{wishes.metric, wishes.threat_weight, static_cast<std::uint8_t>(request.side)}, impl_->ends.exemptions(), impl_->store);
    return impl_->checkSteps(snapshot, path.cells, size, alike ? searched.revision() : 0);
}

PathValidation Query::revalidate(const WorldSnapshot& snapshot, Path& path, const PathConstraints& constraints, std::uint64_t frame) {
    PathValidation result = validatePath(snapshot, path, constraints);
    if (!result.error.field.empty()) return result;
    path.is_valid = result.valid;
    path.last_validation_frame = frame;
    return result;
}

PathValidation Query::validatePath(const WorldSnapshot& snapshot, std::span<const Position> route, const PathConstraints& constraints) {
    PathValidation result;
    const auto resolved = resolveOn(snapshot, constraints);
    if (const auto* error = std::get_if<Error>(&resolved)) {
        result.error = *error;
        return result;
    }
    const ResolvedConstraints& wishes = std::get<ResolvedConstraints>(resolved);
    const int size = wishes.metric.profile.size;
    Path cells;
    std::vector<std::size_t> leg;  // for each cell the route position that it leads to
    for (std::size_t i = 0; i < route.size(); ++i) {
        if (!isUsable(route[i])) {
            result.error = unusablePosition("path[" + std::to_string(i) + "]", route[i]);
            return result;
        }
        const Cell anchor = anchorOf(snapshot, route[i], size);
        if (!CellRect{0, 0, snapshot.width(), snapshot.height()}.contains(anchor)) {
            result.first_bad = i;
            result.first_bad_position = route[i];
            return result;
        }
    }
    impl_->binding.bind(snapshot, CostKey{wishes.metric, wishes.threat_weight, 0}, {}, impl_->store);
    rasteriseLegally(impl_->binding, route, size, cells.cells, leg);
    result = validatePath(snapshot, cells, constraints);
    if (!result.valid && result.error.field.empty()) result.first_bad = leg[result.first_bad];
    return result;
}

PathStatus Query::reachable(const WorldSnapshot& snapshot, Position from, Position to, const PathConstraints& constraints, Error* error) {
    PathRequest request{.from = from, .goal = Goal::point(to), .constraints = constraints};
    if (error != nullptr) *error = {};
    const auto resolved = resolveOn(snapshot, constraints, checkRequest(request));
    if (const auto* wrong = std::get_if<Error>(&resolved)) return refuse(error, *wrong);
    const ResolvedConstraints& wishes = std::get<ResolvedConstraints>(resolved);
    impl_->ends.set(snapshot, request, wishes.metric.profile.size);
    impl_->binding.bind(snapshot, CostKey{wishes.metric, wishes.threat_weight, 0}, impl_->ends.exemptions(), impl_->store);
    PathStatus status = impl_->ends.judge(impl_->binding, impl_->regionsOf(snapshot, wishes.metric.profile));
    if (status == PathStatus::Found && hasOneWaySteps(wishes.metric.profile, snapshot)) {
        request.algorithm = PathAlgorithm::AStar;
        status = impl_->solve(snapshot, request, wishes, impl_->probe);
    }
    if (error != nullptr) tellOffMap(snapshot, request, status, *error);
    return status;
}

}  // namespace warpath
