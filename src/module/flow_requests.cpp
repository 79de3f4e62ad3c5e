// flow_field and flow_sample, and the events of fields.
#include <algorithm>
#include <array>
#include <optional>

#include "module/core.h"
#include "warpath/flow/flow_request.h"
#include "warpath/flow/flow_sample.h"

namespace warpath::module_detail {
namespace {

constexpr std::array<const char*, 3> kMethods{"dijkstra", "fmm", "fmm2"};
constexpr FieldName kFieldNames[] = {{"elevation_weight", "constraints.elevation_weight"}, {"max_slope", "constraints.max_slope"}};
/// Field ids that a JSON number carries exactly.
constexpr std::int64_t kMaxFieldId = std::int64_t{1} << 53;
/// From this straight distance between a unit and its goal on a field that names positions is a tiled one, unless the message says otherwise [m].
constexpr float kTiledFrom = 1000.0f;
/// Samples that cost about as much as settling a cell [samples].
constexpr std::uint64_t kSamplesPerWorkUnit = 2;

/// What the answer to a flow_field remembers of the question.
struct FieldQuestion {
    Goal goal;
    std::vector<Position> off_map;  ///< Of the message's positions.
};

/// @param units on the map.
bool isFar(const FieldRequest& request, const std::vector<Position>& units) {
    const auto far = [&](Position unit) {
        const auto beyond = [&](Position goal) {
            const float dx = goal.x - unit.x, dy = goal.y - unit.y;
            return dx * dx + dy * dy >= kTiledFrom * kTiledFrom;
        };
        const std::vector<Position>& goals = request.goal.positions;
        return request.goal.kind == Goal::Kind::Point ? beyond(request.goal.centre) : std::all_of(goals.begin(), goals.end(), beyond);
    };
    return std::any_of(units.begin(), units.end(), far);
}

/// The positions that do not lie on the map, in their order; the others in `on_map`.
std::vector<Position> positionsOffMap(ModuleCore& core, const std::vector<Position>& positions, std::vector<Position>* on_map = nullptr) {
    const CellRect map = core.world().snapshot().bounds();
    std::vector<Position> off;
    for (const Position p : positions) {
        const bool inside = map.contains(cellAt(p));
        if (!inside) off.push_back(p);
        if (inside && on_map != nullptr) on_map->push_back(p);
    }
    return off;
}

/// The error for a field that cannot be had any more, or never could.
void refuseField(ModuleCore& core, RequestMessage& message, std::int64_t id) {
    const bool known = core.service().wasField(static_cast<FieldId>(id));
    message.refuse("field_id", std::to_string(id),
                   known ? "the field was dropped (not used lately, too many fields, or other rules or another world since); ask for it again with flow_field"
                         : "use the field_id of an answer to flow_field or of a path");
}

/// A tiled field for further units: its request with more positions.
void handleMorePositions(ModuleCore& core, RequestMessage& message) {
    std::int64_t id = 0;
    message.fields.read("field_id", id, 1, kMaxFieldId);
    message.fields.require("positions");
    const std::vector<Position> more = readPositions(message, "positions");
    if (!message.complete()) return;
    std::optional<FieldRequest> request = core.service().fieldRequest(static_cast<FieldId>(id));
    if (!request) return refuseField(core, message, id);
    if (!request->tiled) return message.refuse("field_id", std::to_string(id), "it is no tiled field: it leads from everywhere in its area; ask for another area with a goal");
    if (message.fields.find("side") != nullptr && message.side != request->side) {
        return message.refuse("side", std::to_string(message.side), "leave it out, or use " + std::to_string(request->side) + ", the side of the field");
    }
    request->positions.insert(request->positions.end(), more.begin(), more.end());
    std::vector<Position> off = positionsOffMap(core, more);
    message.open.extra = FieldQuestion{request->goal, std::move(off)};
    message.open.names = kFieldNames;
    core.submit(*std::move(request), message);
}

void handleFlowField(ModuleCore& core, RequestMessage& message) {
    JsonObject& fields = message.fields;
    if (fields.find("field_id") != nullptr) return handleMorePositions(core, message);
    FieldRequest request;
    request.side = message.side;
    const bool several = fields.find("goals") != nullptr;
    if (several && fields.find("goal") != nullptr) message.refuse("goals", "given beside goal", "give one of the two");
    if (several) {
        request.goal = Goal::set(readPositions(message, "goals"));
    } else {
        Position goal;
        requirePosition(message, "goal", goal);
        request.goal = Goal::point(goal);
    }
    readConstraintsField(core, message, request.constraints);
    CellRect area;
    if (fields.read("area", area)) request.area = area;
    fields.readEnum("method", request.method, kMethods);
    request.positions = readPositions(message, "positions");
    const bool tiles_apply = !request.positions.empty() && !request.area && request.method == FieldMethod::Dijkstra;
    std::vector<Position> units;
    std::vector<Position> off = positionsOffMap(core, request.positions, &units);
    request.tiled = tiles_apply && isFar(request, units);
    fields.read("tiled", request.tiled);
    if (request.method == FieldMethod::Dijkstra) request.straight_radius = static_cast<int>(core.config().algorithms.flow_field.straight_radius);
    fields.read("straight_radius", request.straight_radius, 0, kMaxStraightRadius);
    if (!message.complete()) return;
    const std::uint32_t size = core.config().algorithms.flow_field.local_field_size;
    if (request.tiled) {
        request.around = static_cast<int>(size / 2);
    } else if (!request.area && !units.empty() && size != 0) {
        const std::vector<Position>& goals = request.goal.positions;
        units.insert(units.end(), goals.begin(), goals.end());
        request.area = localFlowArea(units, several ? goals.front() : request.goal.centre, static_cast<int>(size));
    }
    message.open.extra = FieldQuestion{request.goal, std::move(off)};
    message.open.names = kFieldNames;
    core.submit(std::move(request), message);
}

void writeFlowField(JsonWriter& out, const OpenRequest& request, const ServiceAnswer& answer) {
    if (answer.field == nullptr || answer.field->field == nullptr) return;
    out.member("field_id", static_cast<std::uint64_t>(answer.field_id));
    const auto& [goal, off_map] = std::any_cast<const FieldQuestion&>(request.extra);
    if (answer.status == PathStatus::Partial) {
        out.member("goal", answer.field->goal).member("remaining_distance", answer.field->remaining_distance);
    } else if (goal.kind == Goal::Kind::Point) {
        out.member("goal", goal.centre);
    } else {
        out.values("goals", goal.positions);
    }
    out.member("revision", answer.field->revision);
    if (answer.field->field->info().tiled) out.member("tiled", true);
    if (answer.field->untiled != nullptr) out.member("tiled", false).member("tiled_reason", answer.field->untiled);
    if (answer.field->cut_off != 0) out.member("cut_off", std::uint64_t{answer.field->cut_off});
    if (!off_map.empty()) out.values("off_map", off_map);
}

/// What flow_sample answers.
struct Samples {
    std::uint64_t field_id = 0;
    std::uint64_t revision = 0;
    std::vector<FlowSample> samples;
};

void handleFlowSample(ModuleCore& core, RequestMessage& message) {
    JsonObject& fields = message.fields;
    std::int64_t id = 0;
    if (fields.require("field_id")) fields.read("field_id", id, 1, kMaxFieldId);
    fields.require("positions");
    std::vector<Position> positions = readPositions(message, "positions");
    if (!message.complete()) return;
    const auto field_id = static_cast<FieldId>(id);
    std::shared_ptr<const FlowField> field = core.service().field(field_id);
    if (field == nullptr) {
        if (core.service().isFieldBlocked(field_id)) {
            return core.submit(CustomRequest{[id](WorkContext&, ServiceAnswer& answer) {
                                   answer.error = {"field_id", std::to_string(id),
                                                   "nothing in the field's area can be stood on now: sample it again once something there is free, which is told "
                                                   "on pathfinder/invalidated"};
                                   return PathStatus::GoalBlocked;
                               }},
                               message);
        }
        return refuseField(core, message, id);
    }
    const FlowSampleOptions options{.smooth_radius = static_cast<int>(core.config().algorithms.flow_field.smooth_radius)};
    core.submit(CustomRequest{[id, options, field = std::move(field), positions = std::move(positions)](WorkContext&, ServiceAnswer& answer) {
                    Samples out{static_cast<std::uint64_t>(id), field->info().revision, std::vector<FlowSample>(positions.size())};
                    sampleFlow(*field, positions, out.samples, options);
                    answer.work = positions.size() / kSamplesPerWorkUnit + 1;
                    answer.value = std::move(out);
                    return PathStatus::Found;
                }},
                message);
}

const char* nameOf(FlowSampleState state) {
    switch (state) {
        case FlowSampleState::Blended: return "blended";
        case FlowSampleState::Plain: return "plain";
        case FlowSampleState::Goal: return "goal";
        case FlowSampleState::Returning: return "returning";
        case FlowSampleState::Unreachable: return "unreachable";
        case FlowSampleState::Coarse: return "coarse";
        case FlowSampleState::Pending: return "pending";
        case FlowSampleState::Lost: return "lost";
    }
    return "lost";
}

void writeFlowSample(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    const auto* result = std::any_cast<Samples>(&answer.value);
    if (result == nullptr) return;
    out.member("field_id", result->field_id).member("revision", result->revision);
    out.values("directions", result->samples, &FlowSample::direction);
    out.values("states", result->samples, [](const FlowSample& sample) { return nameOf(sample.state); });
}

constexpr RequestType kTypes[] = {
    {"flow_field", kFlowTopic, nullptr, handleFlowField, writeFlowField},
    {"flow_sample", kFlowTopic, nullptr, handleFlowSample, writeFlowSample},
};

const char* kindOf(FieldChange change) {
    switch (change) {
        case FieldChange::Blocked: return "blocked";
        case FieldChange::Dearer: return "dearer";
        case FieldChange::New:
        case FieldChange::Same:
        case FieldChange::MayImprove: break;
    }
    return "may_improve";
}

}  // namespace

std::span<const RequestType> flowRequests() { return kTypes; }

std::string writeFieldEvent(const FieldEvent& event) {
    JsonWriter out;
    out.beginObject()
        .member("field_id", static_cast<std::uint64_t>(event.id))
        .member("kind", kindOf(event.change))
        .member("revision", event.revision)
        .endObject();
    return std::move(out).text();
}

}  // namespace warpath::module_detail
