#include "warpath/service/service.h"

#include <algorithm>
#include <exception>
#include <deque>
#include <unordered_map>
#include <utility>

#include "service/job.h"
#include "service/preparation.h"
#include "warpath/core/assert.h"
#include "warpath/core/hash.h"
#include "warpath/core/number_text.h"

namespace warpath {

using namespace service_detail;

namespace {

/// Whose newest request supersedes the older ones.
struct UnitKey {
    std::uint64_t player, unit;
    RequestKind kind;
    friend bool operator==(const UnitKey&, const UnitKey&) = default;
};

/// Requests that count as one group.
struct GroupKey {
    Cell goal;
    int side;
    friend bool operator==(const GroupKey&, const GroupKey&) = default;
};

struct KeyHash {
    std::size_t operator()(const UnitKey& k) const {
        return static_cast<std::size_t>(Hash64::mix(Hash64::mix(k.player + static_cast<std::uint64_t>(k.kind)) ^ k.unit));
    }
    std::size_t operator()(const GroupKey& k) const {
        const auto x = static_cast<std::uint32_t>(k.goal.x), y = static_cast<std::uint32_t>(k.goal.y);
        return static_cast<std::size_t>(Hash64::mix((std::uint64_t{x} << 32 | y) ^ (static_cast<std::uint64_t>(k.side) << 58)));
    }
};

constexpr int kMaxPriority = 1000;
/// An answer that does not hold any more is asked for again so many times at most.
constexpr int kMostRepeats = 2;
constexpr std::size_t kMaxFieldEvents = 65'536;  // kept for a host that polls them late; the oldest go first
/// Before every request: what many wait for, and what is short.
constexpr int kBuildPriority = kMaxPriority + 1;
/// Computations of fields are numbered apart from requests.
constexpr std::uint64_t kBuildTicket = std::uint64_t{1} << 63;

std::optional<UnitKey> unitKeyOf(const ServiceAnswer& answer) {
    if (!answer.info.unit_id || (answer.kind != RequestKind::Path && answer.kind != RequestKind::MultiPath)) return std::nullopt;
    return UnitKey{answer.info.player, *answer.info.unit_id, answer.kind};
}

/// An answer on its way to the caller.
struct Delivery {
    ServiceAnswer answer;
    std::function<void(ServiceAnswer&&)> on_answer;
    std::optional<std::promise<Path>> promise;
};

/// What a path cache has counted; what it holds is not added.
void addCounts(const PathCacheStats& cache, ServiceStats& out) {
    out.path_hits += cache.hits;
    out.path_near_hits += cache.near_hits;
    out.path_misses += cache.misses;
    out.paths_stale += cache.stale;
    out.paths_evicted += cache.evicted;
}

Path pathOf(ServiceAnswer&& answer) {
    Path path;
    if (!answer.paths.empty()) path = std::move(answer.paths.front());
    path.status = answer.status;
    path.error = std::move(answer.error);
    return path;
}

}  // namespace

struct Service::Impl {
    void configure(ServiceOptions&& given);
    void unregisterMetrics() {
        for (const Metric& metric : registered) options.tiles->unregisterMetric(metric);
        registered.clear();
    }
    RequestTicket submit(ServiceQuery&& query, const RequestInfo& info, std::function<void(ServiceAnswer&&)>&& on_answer,
                         std::optional<std::promise<Path>>&& promise);
    void supersede(const UnitKey& key);
    /// Answers an open job without computing it (any more).
    void settle(Job& job, PathStatus status, Error error = {});
    void prepare(const WorldSnapshot& snapshot);
    void admit(const WorldSnapshot& snapshot);
    /// Puts a request that no worker knows of into the backlog, to be answered on the tick's snapshot.
    void enqueue(Job& job);
    /// What the routes in the answer to a query were asked with. Null: nothing that could be checked.
    [[nodiscard]] static const PathRequest* routeRequest(const ServiceQuery& query);
    /// Whether the routes found are legal on the tick's snapshot. Notes it in each; `found` says where the first one is not.
    bool holds(const WorldSnapshot& searched, const ServiceQuery& query, std::vector<Path>& routes, PathValidation& found);
    void askAgain(Job& job);
    void countGroups();
    void release();
    void dispatch();
    void computeHere(std::uint64_t budget);
    void collect();
    void deliver();
    void close(const ServiceAnswer& answer);
    /// Whether a path request is to be traced along a field.
    [[nodiscard]] bool wantsField(const Job& job, const PathRequest& request) const;
    [[nodiscard]] std::uint64_t mapCells() const { return static_cast<std::uint64_t>(now.width()) * static_cast<std::uint64_t>(now.height()); }
    /// Answers a field request from what is there, or lets it wait for a computation.
    void askField(Job& job);
    /// Gives a path request its field, or the computation that it waits for.
    void giveField(Job& job, const PathRequest& request);
    /// The field of an entry that is true for the tick's snapshot: published or finished already, else null and `build` is the computation.
    std::shared_ptr<const FieldResult> fieldNow(FieldEntry& entry, std::shared_ptr<FieldBuild>& build);
    std::shared_ptr<FieldBuild> startBuild(FieldEntry& entry);
    void renewFields();
    void publishLate();
    void publish(FieldEntry& entry, const std::shared_ptr<FieldBuild>& build);
    void finishBuild(Job& job);
    void answerAskers(FieldBuild& build);
    void answerField(Job& job, FieldId id, const std::shared_ptr<const FieldResult>& result);
    [[nodiscard]] bool isDone(const FieldBuild& build) const {
        const std::lock_guard lock(shop->mutex);
        return build.done;
    }
    Job& takeJob();
    void freeJob(Job& job);

    ServiceOptions options;
    std::vector<Metric> registered;  // in options.tiles, by this service
    std::shared_ptr<Workshop> shop = std::make_shared<Workshop>();
    std::shared_ptr<Preparation> preparation;
    std::uint64_t last_ticket = 0;
    std::vector<Job*> incoming;
    JobQueue backlog;
    std::vector<Delivery> deliveries;
    std::deque<ServiceAnswer> answers;
    std::vector<Job*> free_jobs;
    std::vector<Job*> collected;  // scratch of collect, as is the next
    std::vector<Interim> interims;
    std::unique_ptr<Query> checker;  ///< Made on first use.
    std::unordered_map<RequestTicket, Job*> open;
    std::unordered_map<UnitKey, RequestTicket, KeyHash> newest_of_unit;
    struct Pooled {
        std::vector<Path> paths;
        std::size_t bytes;
    };
    void trimPool();
    std::vector<Pooled> path_pool;
    std::size_t pool_bytes = 0;
    LayerStamps layers;
    std::shared_ptr<PathCache> paths;     ///< Null: none are kept.
    FieldCache fields;
    std::deque<FieldEvent> field_events;
    WorldSnapshot now;                    ///< Of the tick.
    std::uint64_t last_build = 0;
    std::size_t builds_started = 0;       ///< In this tick, renewals apart.
    ServiceStats counts;
    bool refused = false;                 ///< The executor took no more this tick.
    std::uint64_t seen_token_runs = 0;
    std::uint64_t progress_tick = 0;      ///< The last tick at which the executor was seen to work, or had nothing to do.
    bool executor_idle = false;

    struct Group {
        const PathRequest* first;
        std::vector<Job*> members;
    };
    std::unordered_map<GroupKey, std::vector<Group>, KeyHash> groups;  // scratch of countGroups
};

std::optional<Error> Service::check(const ServiceOptions& options) {
    const std::vector<std::string> names = options.registry.names();
    if (std::find(names.begin(), names.end(), options.pathfinder_impl) == names.end()) {
        std::string known;
        for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
        return Error{"pathfinder_impl", options.pathfinder_impl, "use one of: " + known};
    }
    if (options.max_pending == 0) return Error{"max_pending", "0", "use at least 1"};
    if (options.fields.max_fields == 0) return Error{"fields.max_fields", "0", "use at least 1"};
    if (options.fields.straight_radius < 0 || options.fields.straight_radius > 64) {
        return Error{"fields.straight_radius", std::to_string(options.fields.straight_radius), "use 0 to 64 cells"};
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

RequestTicket Service::Impl::submit(ServiceQuery&& query, const RequestInfo& info, std::function<void(ServiceAnswer&&)>&& on_answer,
                                    std::optional<std::promise<Path>>&& promise) {
    const auto ticket = static_cast<RequestTicket>(++last_ticket);
    ++counts.submitted;
    ServiceAnswer answer;
    answer.ticket = ticket;
    answer.kind = static_cast<RequestKind>(query.index());
    answer.info = info;
    answer.info.priority = std::clamp(info.priority, -kMaxPriority, kMaxPriority);
    answer.submitted_tick = counts.ticks;

    const auto key = unitKeyOf(answer);
    if (key) supersede(*key);  // first, so that a full queue does not keep a unit on its old order
    if (open.size() >= options.max_pending) {
        answer.status = PathStatus::Rejected;
        answer.error = Error{"max_pending", std::to_string(options.max_pending), "the queue is full; ask again later or raise max_pending"};
        deliveries.push_back({std::move(answer), std::move(on_answer), std::move(promise)});
        return ticket;
    }
    if (key) newest_of_unit[*key] = ticket;
    Job& job = takeJob();
    job.state = Job::State::Incoming;
    job.query = std::move(query);
    job.answer = std::move(answer);
    job.failed = job.begun = false;
    job.again = 0;
    job.on_answer = std::move(on_answer);
    job.promise = std::move(promise);
    if (job.answer.kind == RequestKind::Path && !path_pool.empty()) {
        job.answer.paths = std::move(path_pool.back().paths);
        pool_bytes -= path_pool.back().bytes;
        path_pool.pop_back();
    }
    incoming.push_back(&job);
    open.emplace(ticket, &job);
    return ticket;
}

void Service::Impl::supersede(const UnitKey& key) {
    const auto older = newest_of_unit.find(key);
    if (older == newest_of_unit.end()) return;
    Job& job = *open.at(older->second);
    // Only this thread makes a job leave Incoming, so its state may be read here when it is that.
    bool same_tick = false;
    {
        const std::lock_guard lock(shop->mutex);
        same_tick = job.state == Job::State::Incoming;
    }
    if (same_tick || options.supersede_across_ticks) settle(job, PathStatus::Superseded);
}

void Service::Impl::settle(Job& job, PathStatus status, Error error) {
    Delivery delivery;
    delivery.answer.ticket = job.answer.ticket;
    delivery.answer.kind = job.answer.kind;
    delivery.answer.info = job.answer.info;
    delivery.answer.submitted_tick = job.answer.submitted_tick;
    delivery.answer.status = status;
    delivery.answer.error = std::move(error);
    delivery.on_answer = std::move(job.on_answer);
    delivery.promise = std::move(job.promise);
    job.on_answer = nullptr;
    job.promise.reset();
    close(delivery.answer);
    bool ours = true;  // nobody else knows of it: freed after the lock, whatever it has captured
    {
        const std::lock_guard lock(shop->mutex);
        switch (job.state) {
            case Job::State::Backlog: backlog.erase(orderOf(job)); break;
            case Job::State::Ready: shop->ready.erase(orderOf(job)); break;
            case Job::State::Waiting:
                std::erase(job.build->waiting, &job);
                --shop->waiting;
                break;
            case Job::State::Asking: std::erase(job.build->askers, &job); break;
            case Job::State::Incoming:  // admit frees it
            case Job::State::Running:   // collect frees it
            case Job::State::Dropped: ours = false; break;
        }
        job.state = Job::State::Dropped;
    }
    if (ours) freeJob(job);
    deliveries.push_back(std::move(delivery));
}

/// Forgets an open request that has its answer.
void Service::Impl::close(const ServiceAnswer& answer) {
    open.erase(answer.ticket);
    if (const auto key = unitKeyOf(answer)) {
        const auto newest = newest_of_unit.find(*key);
        if (newest != newest_of_unit.end() && newest->second == answer.ticket) newest_of_unit.erase(newest);
    }
}

Job& Service::Impl::takeJob() {
    if (free_jobs.empty()) {
        const std::lock_guard lock(shop->mutex);
        shop->jobs.push_back(std::make_unique<Job>());
        return *shop->jobs.back();
    }
    Job& job = *free_jobs.back();
    free_jobs.pop_back();
    return job;
}

void Service::Impl::freeJob(Job& job) {
    job.query = ReachableRequest{};
    job.snapshot = {};
    job.builds = false;
    job.build.reset();
    job.field.reset();
    job.field_id = FieldId::None;
    job.group.reset();
    job.answer = {};
    free_jobs.push_back(&job);
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

void Service::Impl::prepare(const WorldSnapshot& snapshot) {
    if (!options.jobs || options.metrics.empty()) return;
    Preparation& p = *preparation;
    if (p.busy.exchange(true)) return;
    const bool taken = p.isDue(snapshot) && options.jobs([preparation = preparation, tiles = options.tiles, snapshot] {
        try {
            preparation->run(snapshot, *tiles);
        } catch (...) {
            // No memory: the queries that need it will say so.
        }
        preparation->busy = false;
    });
    if (!taken) p.busy = false;
}

void Service::Impl::admit(const WorldSnapshot& snapshot) {
    now = snapshot;
    builds_started = 0;
    {
        const std::lock_guard lock(shop->mutex);
        shop->newest = snapshot;
    }
    countGroups();
    publishLate();
    fields.see(snapshot);
    layers.see(snapshot);
    if (paths != nullptr) paths->see(snapshot, layers);
    for (Job* job : incoming) {  // workers know nothing of these yet
        if (job->state == Job::State::Dropped) {
            freeJob(*job);
            continue;
        }
        enqueue(*job);
    }
    incoming.clear();
    fields.trim(counts.ticks);  // before renewals: what is dropped needs none
    renewFields();
}

void Service::Impl::enqueue(Job& job) {
    job.snapshot = now;
    job.admitted_tick = counts.ticks;
    if (job.answer.kind == RequestKind::Field) return askField(job);
    if (const auto* request = std::get_if<PathRequest>(&job.query)) {
        job.basis = PathBasis(now, layers, request->side);
        if (wantsField(job, *request)) giveField(job, *request);
    }
    job.state = Job::State::Backlog;
    backlog.emplace(orderOf(job), &job);
}

const PathRequest* Service::Impl::routeRequest(const ServiceQuery& query) {
    if (const auto* one = std::get_if<PathRequest>(&query)) return one;
    if (const auto* several = std::get_if<MultiPathRequest>(&query)) return &several->path;
    if (const auto* custom = std::get_if<CustomRequest>(&query)) return custom->route ? &*custom->route : nullptr;
    return nullptr;
}

bool Service::Impl::holds(const WorldSnapshot& searched, const ServiceQuery& query, std::vector<Path>& routes, PathValidation& found) {
    if (!options.validate_answers || options.pathfinder_impl != "classic" || searched == now || !now.valid()) return true;
    const PathRequest* request = routeRequest(query);
    if (request == nullptr) return true;
    bool all = true;
    for (Path& path : routes) {
        if (!path.hasRoute()) continue;
        if (checker == nullptr) checker = std::make_unique<Query>(options.tiles, options.rules);
        PathValidation one = checker->validateAnswer(now, searched, *request, path);
        if (!one.error.field.empty()) continue;  // rules that know no such unit any more: the answer stays that of its revision
        path.is_valid = one.valid;
        if (!one.valid && all) found = std::move(one);
        all = all && path.is_valid;
    }
    return all;
}

void Service::Impl::askAgain(Job& job) {
    ++counts.asked_again;
    ++job.again;
    job.failed = false;
    if (auto* request = std::get_if<PathRequest>(&job.query); request != nullptr && (job.build != nullptr || job.field != nullptr)) request->field.reset();  // the service's own
    job.build.reset();
    job.field.reset();
    job.field_id = FieldId::None;
    ServiceAnswer& answer = job.answer;
    answer.status = PathStatus::Unreachable;
    answer.error = {};
    answer.validation = {};
    answer.value.reset();
    answer.work = 0;
    for (Path& path : answer.paths) path.reset();
    enqueue(job);
}

bool Service::Impl::wantsField(const Job& job, const PathRequest& request) const {
    if (options.pathfinder_impl != "classic" || request.field != nullptr || request.ignore_self || request.ignore_goal || request.max_expansions != 0) return false;
    if (request.algorithm == PathAlgorithm::FlowField) return true;
    if (request.algorithm != PathAlgorithm::Auto || options.rules.max_expansions != 0) return false;
    const GroupField shared = groupField(options.rules, request.group_size, mapCells());
    return shared == GroupField::WholeMap || (shared == GroupField::Tiled && job.group != nullptr);
}

void Service::Impl::askField(Job& job) {
    const auto& request = std::get<FieldRequest>(job.query);
    auto key = fieldKeyOf(now, request);
    if (auto* error = std::get_if<Error>(&key)) {
        auto answer = std::make_shared<FieldResult>();
        answer->status = PathStatus::InvalidArgument;
        answer->error = std::move(*error);
        return answerField(job, FieldId::None, std::move(answer));
    }
    FieldEntry& entry = fields.entryOf(std::get<FieldKey>(key), request);
    entry.used_tick = counts.ticks;
    entry.followed = true;
    std::shared_ptr<FieldBuild> build;
    if (const auto result = fieldNow(entry, build)) return answerField(job, entry.id, result);
    job.state = Job::State::Asking;
    job.build = build;
    build->askers.push_back(&job);
}

void Service::Impl::giveField(Job& job, const PathRequest& request) {
    FieldRequest wanted{.goal = request.goal, .constraints = request.constraints, .side = request.side, .straight_radius = options.fields.straight_radius};
    if (job.group != nullptr && request.algorithm == PathAlgorithm::Auto) {
        wanted.tiled = wanted.tiled_only = true;
        wanted.positions = *job.group;
    }
    const auto key = fieldKeyOf(now, wanted);
    if (std::holds_alternative<Error>(key)) return;  // the search will say so in its own words
    FieldEntry& entry = fields.entryOf(std::get<FieldKey>(key), wanted);
    entry.used_tick = counts.ticks;
    job.field_id = entry.id;
    job.field = fieldNow(entry, job.build);
}

std::shared_ptr<const FieldResult> Service::Impl::fieldNow(FieldEntry& entry, std::shared_ptr<FieldBuild>& build) {
    if (entry.current.result != nullptr && !entry.stale.any()) {
        ++counts.field_hits;
        return entry.current.result;
    }
    for (const auto& known : entry.builds) {
        if (known->stale.any()) continue;
        if (isDone(*known) && known->result != nullptr) {
            ++counts.field_hits;
            return known->result;
        }
        ++counts.fields_shared;
        build = known;
        return nullptr;
    }
    build = startBuild(entry);
    return nullptr;
}

std::shared_ptr<FieldBuild> Service::Impl::startBuild(FieldEntry& entry) {
    auto build = std::make_shared<FieldBuild>();
    build->id = entry.id;
    build->request = entry.request;
    build->snapshot = now;
    build->basis = entry.current;
    build->renews = entry.current.result != nullptr;
    if (!build->renews) {
        if (const FieldEntry* known = fields.smaller(entry)) {
            build->basis = known->current;
            build->basis.of_other_positions = true;
        }
    }
    build->started_tick = counts.ticks;
    entry.refreshed_tick = counts.ticks;
    entry.builds.push_back(build);
    ++(entry.current.result != nullptr ? counts.fields_renewed : counts.fields_built);
    if (!build->renews) ++builds_started;

    Job& job = takeJob();
    job.query = ReachableRequest{};  // the build says it all
    job.builds = true;
    job.build = build;
    job.failed = job.begun = false;
    job.snapshot = now;
    job.admitted_tick = counts.ticks;
    job.answer = {};
    job.answer.ticket = static_cast<RequestTicket>(kBuildTicket | ++last_build);
    job.answer.kind = RequestKind::Field;
    job.answer.info.priority = kBuildPriority;
    build->job = &job;
    const std::lock_guard lock(shop->mutex);
    job.state = Job::State::Ready;
    shop->ready.emplace(orderOf(job), &job);
    ++shop->builds_ready;
    return build;
}

/// Followed fields that the world has changed under are made anew, one generation at a time.
void Service::Impl::renewFields() {
    for (auto& [id, entry] : fields.entries()) {
        if (!entry.followed || entry.current.result == nullptr || !entry.builds.empty()) continue;
        const bool prices_due = entry.stale.prices && counts.ticks - entry.refreshed_tick >= options.fields.price_refresh_ticks;
        if (entry.stale.ground || prices_due) startBuild(entry);
    }
}

/// Timely fields: what is due is published now, computed here when no worker has finished it.
void Service::Impl::publishLate() {
    if (!options.fields.timely) return;
    for (auto& [id, entry] : fields.entries()) {
        for (const auto& build : entry.builds) {
            if (build->published || !build->renews || counts.ticks - build->started_tick < options.fields.due_ticks) continue;
            if (!isDone(*build)) {
                // A worker may be at it: then both compute the same, and what it brings later is not needed any more.
                auto result = shop->computeField(*build);
                const std::lock_guard lock(shop->mutex);
                shop->finishField(*build, std::move(result), false);
                if (build->job->state == Job::State::Ready) {
                    shop->ready.erase(orderOf(*build->job));
                    --shop->builds_ready;
                    build->job->state = Job::State::Dropped;
                    freeJob(*std::exchange(build->job, nullptr));
                }
            }
            answerAskers(*build);
            publish(entry, build);
        }
        std::erase_if(entry.builds, [](const auto& build) { return build->published; });
    }
}

void Service::Impl::publish(FieldEntry& entry, const std::shared_ptr<FieldBuild>& build) {
    build->published = true;
    const auto& result = build->result;
    if (result == nullptr || result->status == PathStatus::InvalidArgument) return;
    if (entry.current.result != nullptr && entry.current.snapshot.revision() > build->snapshot.revision()) return;  // a newer one was faster
    entry.publish(result, build->snapshot);
    entry.stale = build->stale;
    if (entry.followed && result->change != FieldChange::New && result->change != FieldChange::Same) {
        if (field_events.size() >= kMaxFieldEvents) field_events.pop_front();
        field_events.push_back({entry.id, result->change, result->revision});
    }
}

void Service::Impl::finishBuild(Job& job) {
    const std::shared_ptr<FieldBuild> build = job.build;
    build->job = nullptr;
    answerAskers(*build);
    FieldEntry* entry = fields.find(build->id);
    if (entry == nullptr) return;
    const bool held_back = options.fields.timely && build->renews;
    if (!build->published && !held_back) publish(*entry, build);
    if (build->published) std::erase(entry->builds, build);
}

void Service::Impl::answerAskers(FieldBuild& build) {
    // Nobody could use it before: a computation that took longer than unused fields are kept does not end the field.
    if (FieldEntry* entry = build.askers.empty() ? nullptr : fields.find(build.id)) entry->used_tick = counts.ticks;
    for (Job* asker : std::exchange(build.askers, {})) {
        asker->failed = build.failed;
        answerField(*asker, build.id, build.result);
    }
}

void Service::Impl::answerField(Job& job, FieldId id, const std::shared_ptr<const FieldResult>& result) {
    ServiceAnswer& answer = job.answer;
    answer.status = result->status;
    answer.error = result->error;
    answer.field = result;
    answer.field_id = result->field != nullptr ? id : FieldId::None;
    ++counts.done;
    if (job.failed) ++counts.failed;
    close(answer);
    deliveries.push_back({std::move(answer), std::move(job.on_answer), std::move(job.promise)});
    job.on_answer = nullptr;
    job.promise.reset();
    job.state = Job::State::Dropped;
    freeJob(job);
}

void Service::Impl::countGroups() {
    groups.clear();
    for (Job* job : incoming) {
        auto* request = std::get_if<PathRequest>(&job->query);
        if (request == nullptr || job->state == Job::State::Dropped) continue;
        if (request->goal.kind != Goal::Kind::Point || !isUsable(request->goal.centre)) continue;
        std::vector<Group>& same_place = groups[{cellAt(request->goal.centre), request->side}];
        const auto group = std::find_if(same_place.begin(), same_place.end(),
                                        [&](const Group& g) { return g.first->constraints == request->constraints; });
        if (group == same_place.end()) {
            same_place.push_back({request, {job}});
        } else {
            group->members.push_back(job);
        }
    }
    for (auto& [key, same_place] : groups) {  // in any order: each request is written once
        for (Group& group : same_place) {
            const auto size = static_cast<std::uint32_t>(group.members.size());
            std::shared_ptr<std::vector<Position>> places;
            if (groupField(options.rules, size, mapCells()) == GroupField::Tiled) places = std::make_shared<std::vector<Position>>();
            for (Job* member : group.members) {
                auto& request = std::get<PathRequest>(member->query);
                request.group_size = std::max(request.group_size, size);
                if (places == nullptr || !isUsable(request.from)) continue;
                places->push_back(request.from);
                member->group = places;
            }
        }
    }
    groups.clear();
}

void Service::Impl::release() {
    std::size_t due = backlog.size();
    if (options.max_searches_per_tick != 0) {
        const std::size_t begun = std::min(builds_started, options.max_searches_per_tick - 1);  // requests go on, however many fields there are
        due = std::min(options.max_searches_per_tick - begun, due);
    }
    const std::lock_guard lock(shop->mutex);
    for (; due > 0; --due) {
        auto node = backlog.extract(backlog.begin());
        Job& job = *node.mapped();
        if (job.build != nullptr && !job.build->done) {
            job.state = Job::State::Waiting;
            job.build->waiting.push_back(&job);
            ++shop->waiting;
            continue;
        }
        job.state = Job::State::Ready;
        shop->ready.insert(std::move(node));
    }
}

void Service::Impl::dispatch() {
    refused = false;
    if (!options.jobs) return;
    std::size_t wanted = 0;
    {
        const std::lock_guard lock(shop->mutex);
        if (shop->token_runs != seen_token_runs) {
            seen_token_runs = shop->token_runs;
            progress_tick = counts.ticks;
            executor_idle = false;
        } else if (shop->running > 0 || shop->tokens == 0 || shop->ready.empty()) {
            progress_tick = counts.ticks;  // it has had nothing to do
        } else if (counts.ticks - progress_tick >= options.patience_ticks) {
            executor_idle = true;
        }
        const std::size_t jobs = shop->ready.size() + shop->waiting;
        wanted = jobs > shop->tokens ? jobs - shop->tokens : 0;
        shop->tokens += wanted;
    }
    for (; wanted > 0; --wanted) {
        if (options.jobs([shop = shop] { shop->work(); })) continue;
        refused = true;
        break;
    }
    if (wanted > 0) {
        const std::lock_guard lock(shop->mutex);
        shop->tokens -= std::min(wanted, shop->tokens);
    }
}

void Service::Impl::computeHere(std::uint64_t budget) {
    const bool everything = !options.jobs || refused || executor_idle;
    std::size_t searches = options.max_searches_per_tick == 0 ? SIZE_MAX : options.max_searches_per_tick;
    counts.last_inline_work = 0;
    while (budget > counts.last_inline_work && searches-- > 0) {
        if (!everything) {
            const std::lock_guard lock(shop->mutex);
            if (shop->ready.empty() || counts.ticks - shop->ready.begin()->second->admitted_tick < options.patience_ticks) return;
        }
        const auto work = shop->runOne(false);
        if (!work) return;
        counts.last_inline_work += *work;
        ++counts.inline_jobs;
    }
}

void Service::Impl::collect() {
    {
        const std::lock_guard lock(shop->mutex);
        collected.swap(shop->finished);
        interims.swap(shop->interims);
    }
    for (Job* job : collected) {
        // Nobody else touches a finished job.
        counts.work += job->answer.work;
        if (job->builds) {
            finishBuild(*job);
            freeJob(*job);
            continue;
        }
        if (job->state != Job::State::Dropped) {
            if (!holds(job->snapshot, job->query, job->answer.paths, job->answer.validation) && job->again < kMostRepeats) {
                askAgain(*job);
                continue;
            }
            ++counts.done;
            if (job->failed) ++counts.failed;
            close(job->answer);
            deliveries.push_back({std::move(job->answer), std::move(job->on_answer), std::move(job->promise)});
            job->on_answer = nullptr;
            job->promise.reset();
        }
        freeJob(*job);
    }
    collected.clear();
    for (auto& [interim, searched] : interims) {
        counts.work += interim.work;
        const auto still_open = open.find(interim.ticket);
        if (still_open == open.end()) continue;
        const Job& job = *still_open->second;  // a worker may be at it, but changes no query that has first steps
        // Where they do not hold any more the whole route is the next to be told.
        if (holds(searched, job.query, interim.paths, interim.validation)) deliveries.push_back({std::move(interim), job.on_answer, std::nullopt});
    }
    interims.clear();
}

void Service::Impl::deliver() {
    std::vector<Delivery> due;
    due.swap(deliveries);
    std::sort(due.begin(), due.end(), [](const Delivery& a, const Delivery& b) {
        return a.answer.ticket != b.answer.ticket ? a.answer.ticket < b.answer.ticket : a.answer.interim && !b.answer.interim;
    });
    std::exception_ptr thrown;  // by a callback: the others get their answers first
    for (Delivery& delivery : due) {
        ServiceAnswer& answer = delivery.answer;
        answer.answered_tick = counts.ticks;
        ++(answer.interim ? counts.interim : counts.answered);
        if (answer.status == PathStatus::Cancelled) ++counts.cancelled;
        if (answer.status == PathStatus::Superseded) ++counts.superseded;
        if (answer.status == PathStatus::Rejected) ++counts.rejected;
        if (delivery.promise) {
            delivery.promise->set_value(pathOf(std::move(answer)));
        } else if (delivery.on_answer) {
            try {
                delivery.on_answer(std::move(answer));  // may submit and cancel: that lands in `incoming` and `deliveries`
            } catch (...) {
                if (!thrown) thrown = std::current_exception();
            }
        } else {
            answers.push_back(std::move(answer));
        }
    }
    if (thrown) std::rethrow_exception(thrown);
}

std::optional<ServiceAnswer> Service::poll() {
    if (impl_->answers.empty()) return std::nullopt;
    std::optional<ServiceAnswer> answer(std::move(impl_->answers.front()));
    impl_->answers.pop_front();
    return answer;
}

void Service::recycle(ServiceAnswer&& answer) {
    if (answer.paths.empty()) return;
    answer.paths.resize(1);
    const std::size_t bytes = bytesOf(answer.paths.front()) + (answer.paths.capacity() - 1) * sizeof(Path);
    impl_->path_pool.push_back({std::move(answer.paths), bytes});
    impl_->pool_bytes += bytes;
    impl_->trimPool();
}

void Service::Impl::trimPool() {
    while (path_pool.size() > options.path_pool_size || pool_bytes > options.path_pool_bytes) {
        pool_bytes -= path_pool.back().bytes;
        path_pool.pop_back();
    }
}

std::shared_ptr<const FlowField> Service::field(FieldId id) {
    FieldEntry* entry = impl_->fields.find(id);
    if (entry == nullptr || entry->current.result == nullptr) return nullptr;
    entry->used_tick = impl_->counts.ticks;
    entry->followed = true;
    return entry->current.result->field;
}

bool Service::wasField(FieldId id) const { return impl_->fields.wasGiven(id); }

bool Service::isFieldBlocked(FieldId id) const {
    const FieldEntry* entry = impl_->fields.find(id);
    return entry != nullptr && entry->current.result != nullptr && entry->current.result->field == nullptr;
}

std::optional<FieldRequest> Service::fieldRequest(FieldId id) const {
    const FieldEntry* entry = impl_->fields.find(id);
    return entry != nullptr ? std::optional(entry->request) : std::nullopt;
}

std::optional<FieldEvent> Service::pollFieldEvent() {
    if (impl_->field_events.empty()) return std::nullopt;
    const FieldEvent event = impl_->field_events.front();
    impl_->field_events.pop_front();
    return event;
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
    stats.waiting = incoming + impl_->backlog.size() + impl_->shop->ready.size() - impl_->shop->builds_ready + impl_->shop->waiting;
    stats.running = impl_->open.size() - stats.waiting;
    stats.worker_jobs = impl_->shop->worker_jobs;
    stats.workers = impl_->shop->workers_made;
    return stats;
}

const std::shared_ptr<TileStore>& Service::tiles() const { return impl_->options.tiles; }

}  // namespace warpath
