// The service itself: its options, its public calls and the order of a tick.
#include "warpath/service/service.h"

#include <algorithm>
#include <utility>

#include "service/service_impl.h"
#include "warpath/core/assert.h"
#include "warpath/core/number_text.h"
#include "warpath/flow/flow_request.h"

namespace warpath {

using namespace service_detail;

namespace {

/// What a path cache has counted; what it holds is not added.
void addCounts(const PathCacheStats& cache, ServiceStats& out) {
    out.path_hits += cache.hits;
    out.path_near_hits += cache.near_hits;
    out.path_misses += cache.misses;
    out.paths_stale += cache.stale;
    out.paths_evicted += cache.evicted;
}

}  // namespace

std::optional<Error> Service::check(const ServiceOptions& options) {
    const std::vector<std::string> names = options.registry.names();
    if (std::find(names.begin(), names.end(), options.pathfinder_impl) == names.end()) {
        std::string known;
        for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
        return Error{"pathfinder_impl", options.pathfinder_impl, "use one of: " + known};
    }
    if (options.max_pending == 0) return Error{"max_pending", "0", "use at least 1"};
    if (options.fields.max_fields == 0) return Error{"fields.max_fields", "0", "use at least 1"};
    if (options.fields.straight_radius < 0 || options.fields.straight_radius > kMaxStraightRadius) {
        return Error{"fields.straight_radius", std::to_string(options.fields.straight_radius), "use 0 to " + std::to_string(kMaxStraightRadius) + " cells"};
    }
    if (options.fields.due_ticks == 0) return Error{"fields.due_ticks", "0", "use at least 1"};
    if (!(options.paths.tolerance >= 0.0f && options.paths.tolerance <= 64.0f)) {
        return Error{"paths.tolerance", numberText(options.paths.tolerance), "use metres from 0 to 64"};
    }
    if (options.metrics.size() > TileStore::kMaxMetrics) {
        return Error{"metrics", std::to_string(options.metrics.size()) + " metrics", "use at most " + std::to_string(TileStore::kMaxMetrics)};
    }
    if (auto error = options.rules.validate()) return error;
    if (auto error = options.routes.validate()) return Error{"routes." + error->field, error->value, error->remedy};
    return std::nullopt;
}

Service::Service(ServiceOptions options) {
    WARPATH_ASSERT(!check(options), "service options that Service::check accepts");
    impl_ = std::make_unique<Impl>();
    impl_->configure(std::move(options));
}

std::optional<Error> Service::reconfigure(ServiceOptions options) {
    if (auto error = check(options)) return error;
    impl_->configure(std::move(options));
    return std::nullopt;
}

void Service::Impl::configure(ServiceOptions&& given) {
    if (given.tiles == nullptr) given.tiles = options.tiles != nullptr ? options.tiles : std::make_shared<TileStore>();
    unregisterMetrics();
    options = std::move(given);
    // A store that others fill, too, may be full: those left out are answered as ever, only unprepared.
    for (const Metric& metric : options.metrics) {
        if (!options.tiles->registerMetric(metric)) registered.push_back(metric);
    }
    if (preparation != nullptr) {
        counts.preparations += preparation->count();
        counts.tables_prepared += preparation->tables();
    }
    preparation = std::make_shared<Preparation>(options.rules.weighted_exact_distance, PortalRules{.spacing = options.rules.portal_spacing, .group = options.rules.group_side});
    checker.reset();
    fields.configure(options.fields);
    trimPool();
    if (paths != nullptr) {  // what it has counted still counts
        addCounts(paths->stats(), counts);
        paths.reset();
    }
    if (options.paths.max_bytes != 0 && options.paths.max_paths != 0 && options.backend == nullptr && !options.newest_snapshot) paths = std::make_shared<PathCache>(options.paths);
    shop->retool(std::make_shared<Maker>(Maker{options.registry, options.pathfinder_impl,
                                               {.tiles = options.tiles, .rules = options.rules, .routes = options.routes, .backend = options.backend}, paths}),
                 options.newest_snapshot);
}

Service::~Service() {
    std::vector<std::pair<RequestTicket, std::promise<Path>>> promises;
    {
        const std::lock_guard lock(impl_->shop->mutex);
        impl_->shop->stopped = true;
        impl_->shop->ready.clear();
        for (auto& job : impl_->shop->jobs) {
            job->on_answer = nullptr;
            if (job->promise) promises.emplace_back(job->answer.ticket, std::move(*job->promise));
            job->promise.reset();
        }
    }
    impl_->unregisterMetrics();
    for (Delivery& d : impl_->deliveries) {
        if (d.promise) promises.emplace_back(d.answer.ticket, std::move(*d.promise));
    }
    std::sort(promises.begin(), promises.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [ticket, promise] : promises) {
        Path cancelled;
        cancelled.status = PathStatus::Cancelled;
        promise.set_value(std::move(cancelled));
    }
}

RequestTicket Service::submit(ServiceQuery query, const RequestInfo& info) { return impl_->submit(std::move(query), info, nullptr, std::nullopt); }

RequestTicket Service::submit(ServiceQuery query, const RequestInfo& info, std::function<void(ServiceAnswer&&)> on_answer) {
    return impl_->submit(std::move(query), info, std::move(on_answer), std::nullopt);
}

std::vector<RequestTicket> Service::submitBatch(std::span<const PathRequest> requests, const RequestInfo& info) {
    std::vector<RequestTicket> tickets;
    tickets.reserve(requests.size());
    for (const PathRequest& request : requests) tickets.push_back(submit(request, info));
    return tickets;
}

RequestTicket Service::findPathAsync(PathRequest request, std::function<void(const Path&)> on_path) {
    return submit(std::move(request), {}, [call = std::move(on_path)](ServiceAnswer&& answer) { call(pathOf(std::move(answer))); });
}

std::future<Path> Service::findPathAsync(PathRequest request) {
    std::promise<Path> promise;
    std::future<Path> future = promise.get_future();
    impl_->submit(std::move(request), {}, nullptr, std::move(promise));
    return future;
}

bool Service::cancel(RequestTicket ticket) {
    const auto found = impl_->open.find(ticket);
    if (found == impl_->open.end()) return false;
    impl_->settle(*found->second, PathStatus::Cancelled);
    return true;
}

void Service::cancelAll() {
    std::vector<RequestTicket> tickets;
    tickets.reserve(impl_->open.size());
    for (const auto& [ticket, job] : impl_->open) tickets.push_back(ticket);
    std::sort(tickets.begin(), tickets.end());
    for (const RequestTicket ticket : tickets) cancel(ticket);
    impl_->collect();
    impl_->deliver();
}

void Service::tick(const WorldSnapshot& snapshot, std::uint64_t work_budget) {
    WARPATH_ASSERT(snapshot.valid(), "a snapshot of a world");
    if (!snapshot.valid()) return;  // a handler that goes on: nothing is admitted, nothing lost
    Impl& s = *impl_;
    ++s.counts.ticks;
    s.prepare(snapshot);
    s.admit(snapshot);
    s.release();
    s.dispatch();
    s.computeHere(work_budget);
    s.collect();
    s.deliver();
}

bool Service::isOpen(RequestTicket ticket) const {
    if (impl_->open.contains(ticket)) return true;
    return std::any_of(impl_->deliveries.begin(), impl_->deliveries.end(), [&](const Delivery& d) { return d.answer.ticket == ticket; });
}

ServiceStats Service::stats() const {
    ServiceStats stats = impl_->counts;
    stats.pending = static_cast<std::size_t>(stats.submitted - stats.answered);
    stats.executor_idle = impl_->executor_idle;
    stats.fields = impl_->fields.entries().size();
    stats.field_bytes = impl_->fields.bytes();
    stats.preparations += impl_->preparation->count();
    stats.tables_prepared += impl_->preparation->tables();
    if (impl_->paths != nullptr) {
        const PathCacheStats paths = impl_->paths->stats();
        addCounts(paths, stats);
        stats.paths_kept = paths.paths;
        stats.path_bytes = paths.bytes;
    }
    stats.paths_pooled = impl_->path_pool.size();
    stats.pool_bytes = impl_->pool_bytes;
    const std::lock_guard lock(impl_->shop->mutex);
    std::size_t incoming = 0;
    for (const Job* job : impl_->incoming) incoming += job->state == Job::State::Incoming ? 1 : 0;
    stats.waiting = incoming + impl_->backlog.size() + impl_->shop->ready.size() - impl_->shop->builds_ready + impl_->shop->waiting + impl_->asking;
    stats.running = impl_->open.size() - stats.waiting;
    stats.worker_jobs = impl_->shop->worker_jobs;
    stats.workers = impl_->shop->workers_made;
    return stats;
}

const std::shared_ptr<TileStore>& Service::tiles() const { return impl_->options.tiles; }

}  // namespace warpath
