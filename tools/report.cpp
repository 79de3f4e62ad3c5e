#include "report.h"

#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace warpath::tool {
namespace {

std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char* pattern, ...) {
    char buffer[256];
    va_list arguments;
    va_start(arguments, pattern);
    const int length = std::vsnprintf(buffer, sizeof buffer, pattern, arguments);
    va_end(arguments);
    return std::string(buffer, length < 0 ? 0 : std::min(static_cast<std::size_t>(length), sizeof buffer - 1));
}

double metres(std::int64_t cost) { return static_cast<double>(cost) / static_cast<double>(kCostPerMetre); }
double metres(Cost cost) { return costInMetres(cost); }

}  // namespace

double exact(float value) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer - 1, value).ptr;
    *end = '\0';
    return std::strtod(buffer, nullptr);
}

double rounded(double value, int digits) {
    const double factor = std::pow(10.0, digits);
    return std::round(value * factor) / factor;
}

Json errorJson(const Error& error) { return {{"field", error.field}, {"value", error.value}, {"remedy", error.remedy}}; }

Json pathJson(const Path& path, double microseconds) {
    Json json;
    json["status"] = toString(path.status);
    json["cost"] = costInMetres(path.cost);
    json["length"] = path.length;
    json["travel_time"] = path.travel_time;
    json["algorithm"] = toString(path.algorithm);
    json["expansions"] = path.expansions;
    json["microseconds"] = rounded(microseconds, 3);
    json["revision"] = path.revision;
    json["waypoints"] = Json::array();
    for (const Waypoint& w : path.waypoints) json["waypoints"].push_back({exact(w.position.x), exact(w.position.y)});
    const CostBreakdown& b = path.breakdown;
    Json& parts = json["breakdown"];
    parts["distance"] = metres(b.distance);
    parts["terrain"] = metres(b.terrain);
    parts["threat"] = metres(b.threat);
    parts["cover"] = metres(b.cover);
    parts["exposure"] = metres(b.exposure);
    parts["elevation"] = metres(b.elevation);
    parts["road"] = metres(b.road);
    parts["congestion"] = metres(b.congestion);
    if (b.wall != 0) parts["wall"] = metres(b.wall);
    json["threat_level"] = exact(path.threat_level);
    json["cover_percentage"] = exact(path.cover_percentage);
    if (!path.error.field.empty()) json["error"] = errorJson(path.error);
    return json;
}

std::string pathText(const Path& path, double microseconds) {
    std::string text;
    if (!path.hasRoute()) {
        text = format("%s: no route (%s, %llu cells settled, %.1f us)\n", toString(path.status), toString(path.algorithm),
                      static_cast<unsigned long long>(path.expansions), microseconds);
        if (!path.error.field.empty()) text += path.error.text() + "\n";
        return text;
    }
    text += format("%s by %s: cost %.2f, length %.2f m, travel time %.1f s\n", toString(path.status), toString(path.algorithm),
                   costInMetres(path.cost), path.length, path.travel_time);
    if (path.status != PathStatus::Found) text += format("ends %.1f m short of the goal\n", static_cast<double>(path.remaining_distance));
    const CostBreakdown& b = path.breakdown;
    text += format("cost = distance %.2f", metres(b.distance));
    const auto term = [&](const char* name, double value) {
        if (value != 0.0) text += format(" %c %s %.2f", value < 0 ? '-' : '+', name, std::fabs(value));
    };
    term("terrain", metres(b.terrain));
    term("road", metres(b.road));
    term("threat", metres(b.threat));
    term("cover", metres(b.cover));
    term("exposure", metres(b.exposure));
    term("elevation", metres(b.elevation));
    term("congestion", metres(b.congestion));
    term("wall", metres(b.wall));
    text += "\n";
    text += format("threat level %.2f, %.0f %% of the way in cover%s", static_cast<double>(path.threat_level),
                   100.0 * static_cast<double>(path.cover_percentage), path.crosses_open_terrain ? ", crosses open terrain" : "");
    if (path.has_chokepoints) text += format(", %zu narrow places", path.chokepoints.size());
    text += "\nway:";
    const std::size_t count = path.waypoints.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (count > 14 && i == 7) {
            text += format(" ... %zu more ...", count - 14);
            i = count - 7;
        }
        text += format(" %g,%g", static_cast<double>(path.waypoints[i].position.x), static_cast<double>(path.waypoints[i].position.y));
    }
    text += format("\n%zu %s, %llu cells settled, %.1f us, revision %llu\n", count, count == 1 ? "waypoint" : "waypoints", static_cast<unsigned long long>(path.expansions),
                   microseconds, static_cast<unsigned long long>(path.revision));
    return text;
}

std::string pathCaption(const Path& path) {
    if (!path.hasRoute()) return std::string("no route: ") + toString(path.status);
    std::string text = format("cost %.1f, %.1f m, %.0f s", costInMetres(path.cost), path.length, path.travel_time);
    if (path.threat_level > 0.0f) text += format(", threat %.2f", static_cast<double>(path.threat_level));
    if (path.cover_percentage > 0.0f) text += format(", in cover %.0f %%", 100.0 * static_cast<double>(path.cover_percentage));
    if (path.status != PathStatus::Found) text += std::string(" (") + toString(path.status) + ")";
    return text;
}

std::vector<Position> routeOf(const Path& path) {
    std::vector<Position> points;
    for (const Waypoint& w : path.waypoints) points.push_back(w.position);
    return points;
}

}  // namespace warpath::tool
