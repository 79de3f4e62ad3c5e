// single_path, multi_path, cover_path, validate_path.
#include <array>

#include "io/constraints_reader.h"
#include "module/core.h"
#include "warpath/pathfinder/tactics.h"

namespace warpath::module_detail {
namespace {

constexpr std::array<const char*, 6> kAlgorithms{"auto", "astar", "jps", "hpa", "flow_field", "navmesh"};
constexpr std::array<const char*, 4> kDetails{"corners", "cells", "anyangle", "cost"};
constexpr std::array<const char*, 2> kModes{"diverse", "flanking"};
constexpr std::size_t kMaxRoute = 65'536;

/// The members that single_path and multi_path have in common.
void readPath(ModuleCore& core, RequestMessage& message, PathRequest& request) {
    JsonObject& fields = message.fields;
    Position goal;
    requirePosition(message, "start", request.from);
    requirePosition(message, "goal", goal);
    request.goal = Goal::point(goal);
    request.side = message.side;
    request.group_size = message.group_size;
    readConstraintsField(core, message, request.constraints);
    fields.read("allow_partial", request.allow_partial);
    fields.read("ignore_self", request.ignore_self);
    fields.read("ignore_goal", request.ignore_goal);
    request.max_cost = readMaxCost(message);
    std::int64_t max_expansions = 0;
    fields.read("max_expansions", max_expansions, 0, std::int64_t{1} << 53);
    request.max_expansions = static_cast<std::uint64_t>(max_expansions);
    fields.read("weight", request.weight, 1.0f, kMaxHeuristicWeight);
    fields.readEnum("algorithm", request.algorithm, kAlgorithms);
    if (request.algorithm == PathAlgorithm::NavMesh && !wantsNavmesh(core.config())) {
        message.refuse("algorithm", "navmesh", "set algorithms.selection.individual_backend to navmesh in the configuration, or use auto");
    }
    fields.readEnum("detail", request.detail, kDetails);
    message.open.route = RouteTerms{request.constraints, request.side, request.ignore_self || request.ignore_goal, 0};
}

void handleSinglePath(ModuleCore& core, RequestMessage& message) {
    PathRequest request;
    readPath(core, message, request);
    if (message.complete()) core.submit(std::move(request), message);
}

void writeSinglePath(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    const Path& path = answer.path();
    writePathMembers(out, path);
    if (path.hasRoute() && !path.is_valid) out.member("first_bad_position", answer.validation.first_bad_position);
}

void handleMultiPath(ModuleCore& core, RequestMessage& message) {
    const Config::Routes& defaults = core.config().routes;
    MultiPathRequest request{.max_paths = static_cast<int>(defaults.max_paths), .max_overlap = defaults.max_overlap, .max_stretch = defaults.max_stretch};
    readPath(core, message, request.path);
    message.fields.read("max_paths", request.max_paths, 1, kMaxPaths);
    message.fields.read("max_overlap", request.max_overlap, 0.0f, 1.0f);
    message.fields.read("max_stretch", request.max_stretch, 1.0f, kMaxStretch);
    message.fields.readEnum("mode", request.mode, kModes);
    if (!message.complete()) return;
    message.open.extra = request.max_paths;
    core.submit(std::move(request), message);
}

void writeMultiPath(JsonWriter& out, const OpenRequest& request, const ServiceAnswer& answer) {
    out.key("paths").beginArray();
    for (const Path& path : answer.paths) {
        out.beginObject();
        writePathMembers(out, path);
        out.member("overlap", path.overlap)
            .member("stretch", path.stretch)
            .member("score", path.score)
            .member("approach", toString(path.approach))
            .endObject();
    }
    out.endArray().member("path_count", answer.paths.size());
    if (const int* asked = std::any_cast<int>(&request.extra)) out.member("max_paths", *asked);
}

void handleCoverPath(ModuleCore& core, RequestMessage& message) {
    PathRequest request;
    readPath(core, message, request);
    if (!message.complete()) return;
    message.open.route->constraints = coverToCover(request.constraints);
    const PathRequest asked = request;
    core.submit(CustomRequest{[request = std::move(request)](WorkContext& context, ServiceAnswer& answer) {
                    answer.paths.resize(1);
                    Path& path = answer.paths.front();
                    path.status = TacticalQuery(context.query).findCoverToCoverPath(context.snapshot, request, path);
                    answer.error = path.error;
                    answer.work = path.expansions + 1;
                    return path.status;
                }, asked},
                message);
}

void handleValidatePath(ModuleCore& core, RequestMessage& message) {
    ValidateRequest request;
    request.route = requireRoute(message);
    readConstraintsField(core, message, request.constraints);
    if (message.complete()) core.submit(std::move(request), message);
}

void writeValidation(JsonWriter& out, const OpenRequest&, const ServiceAnswer& answer) {
    if (answer.status != PathStatus::Found) return;
    const PathValidation& v = answer.validation;
    out.member("is_valid", v.valid);
    if (!v.valid) out.member("first_bad", v.first_bad).member("first_bad_position", v.first_bad_position);
}

constexpr RequestType kTypes[] = {
    {"single_path", kResultsTopic, "pathfinding", handleSinglePath, writeSinglePath},
    {"multi_path", kResultsTopic, "pathfinding", handleMultiPath, writeMultiPath},
    {"cover_path", kResultsTopic, "pathfinding", handleCoverPath, writeSinglePath},
    {"validate_path", kResultsTopic, "validation", handleValidatePath, writeValidation},
};

}  // namespace

std::span<const RequestType> pathRequests() { return kTypes; }

void requirePosition(RequestMessage& message, std::string_view key, Position& out) {
    if (message.fields.require(key)) message.fields.read(key, out);
}

std::vector<Position> requireRoute(RequestMessage& message) {
    std::vector<Position> route;
    message.fields.require("path");
    if (const Json* path = readArray(message.fields, "path", 1, kMaxRoute, message.error)) {
        route.resize(sizeOf(*path));
        const std::string name = message.fields.pathOf("path");
        for (std::size_t i = 0; i < route.size() && !message.error; ++i) {
            readWaypoint(elementOf(*path, i), joinPath(name, i), route[i], message.error);
        }
    }
    return route;
}

std::optional<double> readMaxCost(RequestMessage& message) {
    double max_cost = 0.0;
    if (!message.fields.read("max_cost", max_cost, 0.0, kMaxCostLimit)) return std::nullopt;
    if (max_cost > 0.0) return max_cost;
    message.refuse("max_cost", "0", "use a cost above 0, or leave it out for no limit");
    return std::nullopt;
}

std::vector<Position> readPositions(RequestMessage& message, std::string_view key, std::size_t low) {
    std::vector<Position> positions;
    if (const Json* list = readArray(message.fields, key, low, kMaxGoalPositions, message.error)) {
        positions.resize(sizeOf(*list));
        const std::string path = message.fields.pathOf(key);
        for (std::size_t i = 0; i < positions.size() && !message.error; ++i) {
            readPosition(elementOf(*list, i), joinPath(path, i), positions[i], message.error);
        }
    }
    return positions;
}

void readConstraintsField(ModuleCore& core, RequestMessage& message, PathConstraints& out) {
    if (const Json* value = message.fields.find("constraints")) {
        readConstraints(*value, message.fields.pathOf("constraints"), core.rules(), out, message.error);
    }
}

}  // namespace warpath::module_detail
