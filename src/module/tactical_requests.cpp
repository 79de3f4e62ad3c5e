// tactical_query, by its query_type.
#include <algorithm>
#include <array>

#include "module/core.h"
#include "warpath/pathfinder/tactics.h"
#include "warpath/tactical/sight.h"
#include "warpath/world/position_errors.h"

namespace warpath::module_detail {
namespace {

/// Lookups that cost about as much as settling a cell [lookups].
constexpr std::uint64_t kLookupsPerWorkUnit = 4;

struct QueryType {
    const char* name;
    void (*handle)(ModuleCore& core, RequestMessage& message);
    BodyWriter body;
};

constexpr FieldName kReachableNames[] = {{"start", "from"}, {"goal", "to"}};
constexpr FieldName kFromNames[] = {{"start", "from"}};

std::vector<Position> requiredPositions(RequestMessage& message, std::string_view key) {
    message.fields.require(key);
    return readPositions(message, key);
}

void handleReachable(ModuleCore& core, RequestMessage& message) {
    ReachableRequest request;
    requirePosition(message, "from", request.from);
    const bool several = message.fields.find("goals") != nullptr;
    std::vector<Position> goals;
    if (several) {
        goals = readPositions(message, "goals");
        if (message.fields.find("to") != nullptr) message.refuse("to", "given beside goals", "give one of them");
    } else {
        requirePosition(message, "to", request.to);
    }
    readConstraintsField(core, message, request.constraints);
    message.open.names = kReachableNames;
    if (!message.complete()) return;
    if (!several) return core.submit(std::move(request), message);
    core.submit(CustomRequest{[from = request.from, goals = std::move(goals), constraints = request.constraints](WorkContext& context, ServiceAnswer& answer) {
                    std::vector<PathStatus> reached;
                    const PathStatus status = context.query.reachable(context.snapshot, from, goals, constraints, reached, &answer.error);
                    answer.work = goals.size() / kLookupsPerWorkUnit + 1;
                    answer.value = std::move(reached);
                    return status;
                }},
                message);
}

void writeReachable(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    if (const auto* reached = std::any_cast<std::vector<PathStatus>>(&answer.value)) {
        if (answer.status == PathStatus::InvalidArgument) return;
        out.values("result", *reached, [](PathStatus status) { return status == PathStatus::Found; });
        return;
    }
    switch (answer.status) {
        case PathStatus::Found: out.member("result", true); break;
        case PathStatus::Unreachable:
        case PathStatus::StartBlocked:
        case PathStatus::GoalBlocked: out.member("result", false); break;
        default: break;  // no answer to the question
    }
}

void handleCosts(ModuleCore& core, RequestMessage& message) {
    CostsRequest request;
    requirePosition(message, "from", request.from);
    request.goals = requiredPositions(message, "goals");
    readConstraintsField(core, message, request.constraints);
    message.fields.read("ignore_self", request.ignore_self);
    request.max_cost = readMaxCost(message);
    request.side = message.side;
    message.open.names = kFromNames;
    if (!message.complete()) return;
    core.submit(CustomRequest{[request = std::move(request)](WorkContext& context, ServiceAnswer& answer) {
                    TravelCosts costs;
                    const PathStatus status = context.query.findCosts(context.snapshot, request, costs);
                    answer.error = costs.error;
                    answer.work = costs.expansions + request.goals.size() / kLookupsPerWorkUnit + 1;
                    answer.value = std::move(costs);
                    return status;
                }},
                message);
}

void writeCosts(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    const auto* costs = std::any_cast<TravelCosts>(&answer.value);
    if (costs == nullptr || answer.status == PathStatus::InvalidArgument) return;
    out.key("result").beginArray();
    for (const TravelCost& place : costs->places) {
        out.beginObject().member("status", toString(place.status));
        if (place.status == PathStatus::Found) out.member("cost", costInMetres(place.cost));
        out.endObject();
    }
    out.endArray();
}

/// Hands in a question that is one value for each of some positions.
template <class Value, class Look>
void submitLookup(ModuleCore& core, RequestMessage& message, std::vector<Position> positions, Look look) {
    core.submit(CustomRequest{[positions = std::move(positions), look = std::move(look)](WorkContext& context, ServiceAnswer& answer) {
                    std::vector<Value> values(positions.size());
                    for (std::size_t i = 0; i < positions.size(); ++i) {
                        const Cell cell = cellAt(positions[i]);
                        if (context.snapshot.contains(cell)) values[i] = look(context, cell);
                    }
                    answer.work = positions.size() / kLookupsPerWorkUnit + 1;
                    answer.value = std::move(values);
                    return PathStatus::Found;
                }},
                message);
}

void handleThreatAt(ModuleCore& core, RequestMessage& message) {
    std::vector<Position> positions = requiredPositions(message, "positions");
    if (!message.complete()) return;
    submitLookup<float>(core, message, std::move(positions),
                        [side = message.side](WorkContext& context, Cell cell) { return context.snapshot.threatAt(side, cell); });
}

void writeThreatAt(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    const auto* threats = std::any_cast<std::vector<float>>(&answer.value);
    if (threats == nullptr) return;
    out.values("result", *threats);
}

/// What CoverTile says of a cell.
struct CoverHere {
    std::uint8_t cover = 0;
    std::uint8_t directions = 0;
    std::uint8_t kind = 0;
    std::uint8_t exposure = 0;
};

void handleCoverAt(ModuleCore& core, RequestMessage& message) {
    std::vector<Position> positions = requiredPositions(message, "positions");
    if (!message.complete()) return;
    submitLookup<CoverHere>(core, message, std::move(positions), [](WorkContext& context, Cell cell) {
        const Cell origin = context.snapshot.origin();
        const int x = cell.x - origin.x, y = cell.y - origin.y;
        const auto tile = context.query.tiles()->cover(context.snapshot, {x >> kChunkShift, y >> kChunkShift});
        const auto i = static_cast<std::size_t>(localIndex(x, y));
        return CoverHere{tile->cover[i], tile->directions[i], tile->kind[i], tile->exposure[i]};
    });
}

void writeCoverAt(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    const auto* covers = std::any_cast<std::vector<CoverHere>>(&answer.value);
    if (covers == nullptr) return;
    out.key("result").beginArray();
    for (const CoverHere& here : *covers) {
        out.beginObject()
            .member("has_cover", here.cover > 0)
            .member("cover_quality", static_cast<float>(here.cover) / static_cast<float>(kFullCover))
            .member("type", toString(static_cast<ObstacleKind>(here.kind)));
        out.key("directions").beginArray();
        for (int d = 0; d < kDirections; ++d) {
            if (((here.directions >> d) & 1) != 0) out.value(Cell{kStepX[d], kStepY[d]});
        }
        out.endArray().member("exposure", static_cast<float>(here.exposure) / static_cast<float>(kFullExposure)).endObject();
    }
    out.endArray();
}

void handleLineOfSight(ModuleCore& core, RequestMessage& message) {
    Position from, to;
    requirePosition(message, "from", from);
    requirePosition(message, "to", to);
    SightHeights heights;
    heights.eye = heights.target = core.rules().cover.eye_height;
    message.fields.read("eye_height", heights.eye, 0.0f, 100.0f);
    message.fields.read("target_height", heights.target, 0.0f, 100.0f);
    if (!message.complete()) return;
    core.submit(CustomRequest{[from, to, heights](WorkContext& context, ServiceAnswer& answer) {
                    const Cell a = cellAt(from), b = cellAt(to);
                    if (!context.snapshot.contains(a) || !context.snapshot.contains(b)) {
                        const bool first = !context.snapshot.contains(a);
                        answer.error = offMap(context.snapshot, first ? "from" : "to", first ? from : to);
                        return PathStatus::InvalidArgument;
                    }
                    answer.value = lineOfSight(context.snapshot, a, b, heights);
                    answer.work = static_cast<std::uint64_t>(std::max(std::abs(a.x - b.x), std::abs(a.y - b.y))) + 1;
                    return PathStatus::Found;
                }},
                message);
}

void writeLineOfSight(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    if (const bool* seen = std::any_cast<bool>(&answer.value)) out.member("result", *seen);
}

void handleNearestOf(ModuleCore& core, RequestMessage& message) {
    PathRequest request;
    requirePosition(message, "from", request.from);
    std::vector<Position> goals = requiredPositions(message, "goals");
    readConstraintsField(core, message, request.constraints);
    request.side = message.side;
    if (!message.complete()) return;
    message.open.extra = goals;
    message.open.names = kFromNames;
    request.goal = Goal::set(std::move(goals));
    core.submit(std::move(request), message);
}

void writeNearestOf(JsonWriter& out, const OpenRequest& request, const ServiceAnswer& answer) {
    const auto* goals = std::any_cast<std::vector<Position>>(&request.extra);
    const Path& path = answer.path();
    if (goals == nullptr || answer.status != PathStatus::Found || path.waypoints.empty()) return;
    // The route ends in the cell of a goal; of several goals in it the first counts.
    const Position end = path.waypoints.back().position;
    const auto gap = [end](Position p) { return (p.x - end.x) * (p.x - end.x) + (p.y - end.y) * (p.y - end.y); };
    const auto nearest = std::min_element(goals->begin(), goals->end(), [&](Position a, Position b) { return gap(a) < gap(b); });
    out.key("result").beginObject().member("position", *nearest).member("index", nearest - goals->begin());
    out.member("cost", costInMetres(path.cost)).member("length", path.length).member("travel_time", path.travel_time).endObject();
}

void handleNearestCover(ModuleCore& core, RequestMessage& message) {
    NearestCoverRequest request;
    requirePosition(message, "from", request.from);
    Position direction;
    message.fields.read("threat_direction", direction);
    request.threat_direction = {direction.x, direction.y};
    message.fields.read("max_distance", request.max_distance, 0.0f, 256.0f);
    message.fields.read("min_quality", request.least_quality, 0.0f, 1.0f);
    readConstraintsField(core, message, request.constraints);
    request.side = message.side;
    if (!message.complete()) return;
    core.submit(CustomRequest{[request = std::move(request)](WorkContext& context, ServiceAnswer& answer) {
                    NearestCover cover = TacticalQuery(context.query).nearestCover(context.snapshot, request);
                    answer.error = cover.error;
                    answer.work = cover.expansions + 1;
                    const PathStatus status = cover.status;
                    answer.value = std::move(cover);
                    return status;
                }},
                message);
}

void writeNearestCover(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    const auto* cover = std::any_cast<NearestCover>(&answer.value);
    if (cover == nullptr || answer.status != PathStatus::Found) return;
    out.key("result")
        .beginObject()
        .member("position", cover->position)
        .member("cover_quality", cover->quality)
        .member("type", toString(cover->kind))
        .member("cover_direction", cover->cover_direction)
        .member("cost", costInMetres(cover->cost))
        .member("length", cover->length)
        .endObject();
}

void handleFlankingPositions(ModuleCore& core, RequestMessage& message) {
    FlankingRequest request;
    requirePosition(message, "target", request.target);
    message.fields.read("count", request.count, 1, 64);
    message.fields.read("distance", request.distance, 0.5f, 2048.0f);
    if (Position from; message.fields.read("from", from)) request.from = from;
    readConstraintsField(core, message, request.constraints);
    if (!message.complete()) return;
    core.submit(CustomRequest{[request = std::move(request)](WorkContext& context, ServiceAnswer& answer) {
                    std::vector<Position> positions;
                    const PathStatus status = TacticalQuery(context.query).flankingPositions(context.snapshot, request, positions, &answer.error);
                    answer.value = std::move(positions);
                    return status;
                }},
                message);
}

void writeFlankingPositions(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    const auto* positions = std::any_cast<std::vector<Position>>(&answer.value);
    if (positions == nullptr || answer.status == PathStatus::InvalidArgument) return;
    out.values("result", *positions);
}

void handleExplain(ModuleCore& core, RequestMessage& message) {
    std::vector<Position> route = requireRoute(message);
    PathConstraints constraints;
    readConstraintsField(core, message, constraints);
    std::int32_t stretches = 8;
    message.fields.read("stretches", stretches, 1, 1024);
    if (!message.complete()) return;
    core.submit(CustomRequest{[route = std::move(route), constraints, stretches, side = message.side](WorkContext& context, ServiceAnswer& answer) {
                    RouteExplanation why = TacticalQuery(context.query).explain(context.snapshot, std::span<const Position>(route), constraints, side, stretches);
                    if (why.status == PathStatus::InvalidArgument) answer.error = why.error;
                    answer.work = why.best.expansions + why.route.cells.size() + 1;
                    const PathStatus status = why.status;
                    answer.value = std::move(why);
                    return status;
                }},
                message);
}

void writeExplanation(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    const auto* why = std::any_cast<RouteExplanation>(&answer.value);
    if (why == nullptr || answer.status == PathStatus::InvalidArgument) return;
    out.key("result").beginObject().member("is_valid", why->validation.valid);
    if (!why->validation.valid) {
        out.member("first_bad", why->validation.first_bad).member("first_bad_position", why->validation.first_bad_position).endObject();
        return;
    }
    out.member("verdict", why->verdict).key("terms").beginArray();
    for (const TermComparison& term : why->terms) {
        out.beginObject().member("term", term.term).member("route", term.route).member("best", term.best).endObject();
    }
    out.endArray().key("stretches").beginArray();
    for (const RouteStretch& stretch : why->stretches) {
        out.beginObject().member("from", stretch.from).member("to", stretch.to).member("length", stretch.length).member("cost", costInMetres(stretch.cost));
        writeBreakdown(out, stretch.breakdown);
        out.endObject();
    }
    out.endArray().key("route").beginObject();
    writePathMembers(out, why->route);
    out.endObject().key("best").beginObject();
    writePathMembers(out, why->best);
    out.endObject().endObject();
}

constexpr QueryType kQueries[] = {
    {"reachable", handleReachable, writeReachable},
    {"nearest_cover", handleNearestCover, writeNearestCover},
    {"flanking_positions", handleFlankingPositions, writeFlankingPositions},
    {"line_of_sight", handleLineOfSight, writeLineOfSight},
    {"threat_at", handleThreatAt, writeThreatAt},
    {"cover_at", handleCoverAt, writeCoverAt},
    {"nearest_of", handleNearestOf, writeNearestOf},
    {"costs", handleCosts, writeCosts},
    {"explain", handleExplain, writeExplanation},
};

void handleTacticalQuery(ModuleCore& core, RequestMessage& message) {
    std::array<const char*, std::size(kQueries)> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kQueries[i].name;
    std::size_t which = 0;
    message.fields.require("query_type");
    if (!message.fields.readEnum("query_type", which, names)) return;
    const QueryType& query = kQueries[which];
    message.open.query_type = query.name;
    message.open.body = query.body;
    message.info.unit_id.reset();  // a question, not an order: it supersedes nothing
    query.handle(core, message);
}

constexpr RequestType kTypes[] = {
    {"tactical_query", kTacticalTopic, nullptr, handleTacticalQuery, nullptr},
};

}  // namespace

std::span<const RequestType> tacticalRequests() { return kTypes; }

}  // namespace warpath::module_detail
