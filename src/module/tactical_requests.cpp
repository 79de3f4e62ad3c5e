// tactical_query, by its query_type.
#include <array>

#include "module/core.h"

namespace warpath::module_detail {
namespace {

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

constexpr QueryType kQueries[] = {
    {"reachable", handleReachable, writeReachable},
    {"nearest_cover", nullptr, nullptr},
    {"flanking_positions", nullptr, nullptr},
    {"line_of_sight", nullptr, nullptr},
    {"threat_at", nullptr, nullptr},
    {"cover_at", nullptr, nullptr},
    {"nearest_of", nullptr, nullptr},
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
        message.refuse("query_type", '"' + std::string(query.name) + '"', "not supported by this build; ask for reachable");
        return;
    }
    query.handle(core, message);
}

constexpr RequestType kTypes[] = {
    {"tactical_query", kTacticalTopic, nullptr, handleTacticalQuery, nullptr},
};

}  // namespace

std::span<const RequestType> tacticalRequests() { return kTypes; }

}  // namespace warpath::module_detail
