// Paths as messages carry them.
#include "module/core.h"

namespace warpath::module_detail {
namespace {

void writeWaypoint(JsonWriter& out, const Waypoint& w) {
    out.beginObject()
        .member("x", w.position.x)
        .member("y", w.position.y)
        .member("has_cover", w.has_cover)
        .member("cover_quality", w.cover_quality)
        .member("cover_direction", w.cover_direction)
        .member("threat_level", w.threat_level)
        .member("pause_duration", w.pause_duration)
        .member("speed", toString(w.speed));
    if (w.leg != LegKind::Grid) out.member("leg", toString(w.leg));
    out.endObject();
}

/// How it was found.
void writeSearch(JsonWriter& out, const Path& path) {
    out.member("algorithm", toString(path.algorithm));
    if (path.mesh_length > 0.0) out.member("navmesh_length", path.mesh_length);
    if (path.field_id != FieldId::None) out.member("field_id", static_cast<std::uint64_t>(path.field_id));
    out.member("expansions", path.expansions).member("computation_time_ms", path.computation_time_ms).member("revision", path.revision);
}

double metres(std::int64_t cost) { return static_cast<double>(cost) / static_cast<double>(kCostPerMetre); }

}  // namespace

void writeBreakdown(JsonWriter& out, const CostBreakdown& b) {
    out.key("breakdown")
        .beginObject()
        .member("distance", costInMetres(b.distance))
        .member("terrain", metres(b.terrain))
        .member("threat", costInMetres(b.threat))
        .member("cover", costInMetres(b.cover))
        .member("exposure", costInMetres(b.exposure))
        .member("elevation", costInMetres(b.elevation))
        .member("road", metres(b.road))
        .member("congestion", costInMetres(b.congestion))
        .member("wall", costInMetres(b.wall))
        .endObject();
}

void writePathMembers(JsonWriter& out, const Path& path) {
    out.key("path").beginArray();
    for (const Waypoint& w : path.waypoints) writeWaypoint(out, w);
    out.endArray();
    out.member("waypoint_count", path.waypoints.size());
    const bool cost_alone = !path.hasRoute() && (path.status == PathStatus::Found || path.status == PathStatus::Partial || path.status == PathStatus::BudgetExhausted);
    if (cost_alone) {  // asked for without its route
        out.member("cost", costInMetres(path.cost));
        if (path.remaining_distance > 0.0f) out.member("remaining_distance", path.remaining_distance);
        writeSearch(out, path);
        return;
    }
    if (!path.hasRoute()) return;
    out.member("length", path.length).member("travel_time", path.travel_time).member("cost", costInMetres(path.cost));
    writeBreakdown(out, path.breakdown);
    out.member("threat_level", path.threat_level)
        .member("cover_percentage", path.cover_percentage)
        .member("crosses_open_terrain", path.crosses_open_terrain)
        .member("has_chokepoints", path.has_chokepoints);
    out.values("chokepoints", path.chokepoints).member("movement_style", toString(path.movement_style));
    out.key("cover_points").beginArray();
    for (const Waypoint& w : path.cover_points) writeWaypoint(out, w);
    out.endArray();
    if (path.remaining_distance > 0.0f) out.member("remaining_distance", path.remaining_distance);
    writeSearch(out, path);
    out.member("is_valid", path.is_valid).member("last_validation_frame", path.last_validation_frame);
}

}  // namespace warpath::module_detail
