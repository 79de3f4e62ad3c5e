// subscribe_route, and the events of watched routes.
#include "module/core.h"

namespace warpath::module_detail {
namespace {

void handleSubscribeRoute(ModuleCore& core, RequestMessage& message) {
    RouteOrder order;
    order.subscription = message.open.id;
    if (message.fields.require("target_id")) {
        const auto target = idText(*message.fields.find("target_id"));
        if (target) {
            order.target = *target;
        } else {
            message.refuse("target_id", describeJson(*message.fields.find("target_id")), "use the request_id of a request for a path");
        }
    }
    std::uint32_t index = 0;
    message.fields.read("path_index", index, 0u, static_cast<std::uint32_t>(kMaxPaths) - 1);
    order.index = index;
    if (message.complete()) core.subscribe(std::move(order), message);
}

void writeSubscription(JsonWriter& out, const OpenRequest& request, const ServiceAnswer&) {
    const auto* order = std::any_cast<RouteOrder>(&request.extra);
    if (order == nullptr) return;
    out.key("target_id").raw(order->target).member("path_index", order->index);
}

constexpr RequestType kTypes[] = {
    {"subscribe_route", kResultsTopic, "subscription", handleSubscribeRoute, writeSubscription},
};

}  // namespace

std::span<const RequestType> routeRequests() { return kTypes; }

std::string writeRouteEvent(const ToldRoute& told) {
    const RouteEvent& event = told.event;
    JsonWriter out;
    out.beginObject().key("request_id").raw(told.target);
    if (told.one_of_several) out.member("path_index", told.index);
    out.member("kind", toString(event.kind));
    if (event.kind == RouteEventKind::Blocked) {
        out.member("first_bad", told.bad_waypoint).member("first_bad_position", event.first_bad_position);
    } else {
        out.member("cost", costInMetres(event.cost));
    }
    if (event.kind == RouteEventKind::Dearer) out.member("percent", event.percent);
    out.member("revision", event.revision).endObject();
    return std::move(out).text();
}

}  // namespace warpath::module_detail
