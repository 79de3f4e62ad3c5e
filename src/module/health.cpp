// The module's health status: one object of JSON, one function for each of its sections.
#include "module/core.h"

namespace warpath::module_detail {
namespace {

/// What has become of the requests, so far.
void writeRequests(JsonWriter& out, const ModuleCounts& counts, const ServiceStats& stats) {
    out.member("requests", counts.requests)
        .member("answered", counts.answered)
        .member("computed", stats.done)
        .member("refused", counts.refused)
        .member("cancelled", stats.cancelled)
        .member("interim", stats.interim)
        .member("superseded", stats.superseded)
        .member("rejected", stats.rejected)
        .member("failed", stats.failed)
        .member("cancels", counts.cancels)
        .member("unknown_cancels", counts.unknown_cancels);
}

void writeMessages(JsonWriter& out, const ModuleCounts& counts, std::uint64_t dropped) {
    out.member("messages", counts.messages)
        .member("malformed", counts.malformed)
        .member("world_changes", counts.world_changes)
        .member("world_errors", counts.world_errors)
        .member("dropped_messages", dropped)
        .member("undelivered", counts.undelivered);
}

void writeFields(JsonWriter& out, const ServiceStats& stats) {
    out.key("flow_fields")
        .beginObject()
        .member("bytes", stats.field_bytes)
        .member("built", stats.fields_built)
        .member("renewed", stats.fields_renewed)
        .member("hits", stats.field_hits)
        .member("shared", stats.fields_shared)
        .endObject();
}

void writePathCache(JsonWriter& out, const ServiceStats& stats) {
    out.key("path_cache")
        .beginObject()
        .member("paths", stats.paths_kept)
        .member("bytes", stats.path_bytes)
        .member("hits", stats.path_hits)
        .member("near_hits", stats.path_near_hits)
        .member("misses", stats.path_misses)
        .member("stale", stats.paths_stale)
        .member("evicted", stats.paths_evicted)
        .endObject();
}

void writeNavmesh(JsonWriter& out, const RouteBackendStats& nav) {
    out.key("navmesh")
        .beginObject()
        .member("chunks", nav.chunks)
        .member("waiting", nav.waiting)
        .member("built", nav.built)
        .member("bytes", nav.bytes)
        .endObject();
}

void writeThreat(JsonWriter& out, const ThreatKeeper& threat) {
    out.key("threat")
        .beginObject()
        .member("sources", threat.sourceCount())
        .member("settled", threat.settled())
        .member("bytes", threat.memoryBytes())
        .endObject();
}

void writeJobs(JsonWriter& out, const ServiceStats& stats) {
    out.key("jobs")
        .beginObject()
        .member("by_workers", stats.worker_jobs)
        .member("in_frame", stats.inline_jobs)
        .member("pathfinders", stats.workers)
        .member("workers_idle", stats.executor_idle)
        .member("work_units", stats.work)
        .member("preparations", stats.preparations)
        .member("tables_prepared", stats.tables_prepared)
        .member("last_frame_work_units", stats.last_inline_work)
        .endObject();
}

void writeTiles(JsonWriter& out, const TileStoreStats& tiles) {
    out.key("tiles")
        .beginObject()
        .member("entries", tiles.entries)
        .member("bytes", tiles.bytes)
        .member("hits", tiles.hits)
        .member("compiled", tiles.compiled)
        .member("evicted", tiles.evicted)
        .endObject();
    out.key("hierarchy")
        .beginObject()
        .member("tables", tiles.table_entries)
        .member("bytes", tiles.table_bytes)
        .member("made", tiles.tables_made)
        .member("evicted", tiles.tables_evicted)
        .endObject();
}

void writeWorld(JsonWriter& out, const World& world) {
    const WorldSnapshot snapshot = world.snapshot();
    out.key("world")
        .beginObject()
        .member("revision", snapshot.revision())
        .member("width", snapshot.width())
        .member("height", snapshot.height())
        .member("bytes", world.memoryBytes())
        .endObject();
}

}  // namespace

void ModuleCore::writeHealth(JsonWriter& out) const {
    const ServiceStats stats = service_.stats();
    out.member("pathfinder_impl", config_.pathfinder_impl)
        .member("status", !config_.enabled ? "disabled" : world_ == nullptr ? "no_world" : "active")
        .member("pending_tasks", stats.pending + subscriptions_.size())
        .member("waiting", stats.waiting)
        .member("running", stats.running);
    writeRequests(out, counts, stats);
    writeMessages(out, counts, io_.droppedMessages());
    out.member("ticks", stats.ticks).member("frame", frame_);
    out.member("routes_watched", routes_.watchedCount());
    out.member("metrics", service_.tiles()->registeredMetrics().size());
    out.member("flow_fields_cached", stats.fields).member("navmesh_tiles", options_.backend == nullptr ? 0 : options_.backend->stats().tiles);
    writeFields(out, stats);
    writePathCache(out, stats);
    if (options_.backend != nullptr) writeNavmesh(out, options_.backend->stats());
    writeThreat(out, threat_);
    writeJobs(out, stats);
    writeTiles(out, service_.tiles()->stats());
    if (world_ != nullptr) writeWorld(out, *world_);
}

}  // namespace warpath::module_detail
