// tactical_query, by its query_type.
#include <algorithm>
#include <array>

#include "module/core.h"
#include "warpath/tactical/sight.h"

namespace warpath::module_detail {
namespace {

constexpr std::size_t kMaxPositions = 4096;
/// Lookups that cost about as much as settling a cell [lookups].
constexpr std::uint64_t kLookupsPerWorkUnit = 4;

struct QueryType {
    const char* name;
    void (*handle)(ModuleCore& core, RequestMessage& message);  ///< Null: not part of this build.
    BodyWriter body;
};

void handleReachable(ModuleCore& core, RequestMessage& message) {
    ReachableRequest request;
    requirePosition(message, "from", request.from);
    requirePosition(message, "to", request.to);
    readConstraintsField(core, message, request.constraints);
    if (message.complete()) core.submit(std::move(request), message);
}

void writeReachable(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    switch (answer.status) {
        case PathStatus::Found: out.member("result", true); break;
        case PathStatus::Unreachable:
        case PathStatus::StartBlocked:
        case PathStatus::GoalBlocked: out.member("result", false); break;
        default: break;  // no answer to the question
    }
}

std::vector<Position> requirePositions(RequestMessage& message, std::string_view key) {
    std::vector<Position> positions;
    message.fields.require(key);
    if (const Json* list = readArray(message.fields, key, 1, kMaxPositions, message.error)) {
        positions.resize(sizeOf(*list));
        const std::string path = message.fields.pathOf(key);
        for (std::size_t i = 0; i < positions.size() && !message.error; ++i) {
            readLoosePosition(elementOf(*list, i), joinPath(path, i), positions[i], message.error);
        }
    }
    return positions;
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
    std::vector<Position> positions = requirePositions(message, "positions");
    if (!message.complete()) return;
    submitLookup<float>(core, message, std::move(positions),
                        [side = message.side](WorkContext& context, Cell cell) { return context.snapshot.threatAt(side, cell); });
}

void writeThreatAt(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    const auto* threats = std::any_cast<std::vector<float>>(&answer.value);
    if (threats == nullptr) return;
    out.key("result").beginArray();
    for (const float threat : *threats) out.value(threat);
    out.endArray();
}

/// What CoverTile says of a cell.
struct CoverHere {
    std::uint8_t cover = 0;
    std::uint8_t directions = 0;
    std::uint8_t kind = 0;
    std::uint8_t exposure = kFullExposure;
};

void handleCoverAt(ModuleCore& core, RequestMessage& message) {
    std::vector<Position> positions = requirePositions(message, "positions");
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
    const Cell a = cellAt(from), b = cellAt(to);
    core.submit(CustomRequest{[a, b, heights](WorkContext& context, ServiceAnswer& answer) {
                    if (!context.snapshot.contains(a)) {
                        answer.error = {"from", "off the map", "use a position on the map"};
                        return PathStatus::InvalidArgument;
                    }
                    if (!context.snapshot.contains(b)) {
                        answer.error = {"to", "off the map", "use a position on the map"};
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
    std::vector<Position> goals = requirePositions(message, "goals");
    readConstraintsField(core, message, request.constraints);
    request.side = message.side;
    if (!message.complete()) return;
    message.open.extra = goals;
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

constexpr QueryType kQueries[] = {
    {"reachable", handleReachable, writeReachable},
    {"nearest_cover", nullptr, nullptr},
    {"flanking_positions", nullptr, nullptr},
    {"line_of_sight", handleLineOfSight, writeLineOfSight},
    {"threat_at", handleThreatAt, writeThreatAt},
    {"cover_at", handleCoverAt, writeCoverAt},
    {"nearest_of", handleNearestOf, writeNearestOf},
    {"explain", nullptr, nullptr},
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
    if (query.handle == nullptr) {
        message.refuse("query_type", '"' + std::string(query.name) + '"', "not supported by this build");
        return;
    }
    message.info.unit_id.reset();  // a question, not an order: it supersedes nothing
    query.handle(core, message);
}

constexpr RequestType kTypes[] = {
    {"tactical_query", kTacticalTopic, nullptr, handleTacticalQuery, nullptr},
};

}  // namespace

std::span<const RequestType> tacticalRequests() { return kTypes; }

}  // namespace warpath::module_detail
