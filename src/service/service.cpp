#include "warpath/service/service.h"

#include <algorithm>
#include <exception>
#include <deque>
#include <unordered_map>
#include <utility>

#include "service/job.h"
#include "warpath/core/assert.h"
#include "warpath/core/hash.h"

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

std::optional<UnitKey> unitKeyOf(const ServiceAnswer& answer) {
    if (!answer.info.unit_id || (answer.kind != RequestKind::Path && answer.kind != RequestKind::MultiPath)) return std::nullopt;
    return UnitKey{answer.info.player, *answer.info.unit_id, answer.kind};
}

WorkOrder orderOf(const Job& job) { return {job.answer.info.priority, job.answer.ticket}; }

/// An answer on its way to the caller.
struct Delivery {
    ServiceAnswer answer;
    std::function<void(ServiceAnswer&&)> on_answer;
    std::optional<std::promise<Path>> promise;
};

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
    RequestTicket submit(ServiceQuery&& query, const RequestInfo& info, std::function<void(ServiceAnswer&&)>&& on_answer,
                         std::optional<std::promise<Path>>&& promise);
    void supersede(const UnitKey& key);
    /// Answers an open job without computing it (any more).
    void settle(Job& job, PathStatus status, Error error = {});
    void admit(const WorldSnapshot& snapshot);
    void countGroups();
    void release();
    void dispatch();
    void computeHere(std::uint64_t budget);
    void collect();
    void deliver();
    void close(const ServiceAnswer& answer);
    Job& takeJob();
    void freeJob(Job& job);

    ServiceOptions options;
    std::shared_ptr<Workshop> shop = std::make_shared<Workshop>();
    std::uint64_t last_ticket = 0;
    std::vector<Job*> incoming;
    JobQueue backlog;
    std::vector<Delivery> deliveries;
    std::deque<ServiceAnswer> answers;
    std::vector<Job*> free_jobs;
    std::vector<Job*> collected;  // scratch of collect
    std::unordered_map<RequestTicket, Job*> open;
    std::unordered_map<UnitKey, RequestTicket, KeyHash> newest_of_unit;
    std::vector<std::vector<Path>> path_pool;
    ServiceStats counts;
    bool refused = false;                 ///< The executor took no more this tick.
    std::uint64_t seen_token_runs = 0;
    std::uint64_t progress_tick = 0;      ///< The last tick at which the executor was seen to work, or had nothing to do.
    bool executor_idle = false;

    struct Group {
        const PathRequest* first;
        std::vector<PathRequest*> members;
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
    options = std::move(given);
    shop->retool(std::make_shared<Maker>(Maker{options.registry, options.pathfinder_impl, {options.tiles, options.rules}}),
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
    job.failed = false;
    job.on_answer = std::move(on_answer);
    job.promise = std::move(promise);
    if (job.answer.kind == RequestKind::Path && !path_pool.empty()) {
        job.answer.paths = std::move(path_pool.back());
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
    {
        const std::lock_guard lock(shop->mutex);
        switch (job.state) {
            case Job::State::Backlog:
                backlog.erase(orderOf(job));
                freeJob(job);
                break;
            case Job::State::Ready:
                shop->ready.erase(orderOf(job));
                freeJob(job);
                break;
            case Job::State::Incoming:  // admit frees it
            case Job::State::Running:   // collect frees it
            case Job::State::Dropped: break;
        }
        job.state = Job::State::Dropped;
    }
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
    Impl& s = *impl_;
    ++s.counts.ticks;
    s.admit(snapshot);
    s.release();
    s.dispatch();
    s.computeHere(work_budget);
    s.collect();
    s.deliver();
}

void Service::Impl::admit(const WorldSnapshot& snapshot) {
    countGroups();
    const std::lock_guard lock(shop->mutex);
    shop->newest = snapshot;
    for (Job* job : incoming) {
        if (job->state == Job::State::Dropped) {
            freeJob(*job);
            continue;
        }
        job->snapshot = snapshot;
        job->admitted_tick = counts.ticks;
        job->state = Job::State::Backlog;
        backlog.emplace(orderOf(*job), job);
    }
    incoming.clear();
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
            same_place.push_back({request, {request}});
        } else {
            group->members.push_back(request);
        }
    }
    for (auto& [key, same_place] : groups) {  // in any order: each request is written once
        for (Group& group : same_place) {
            for (PathRequest* member : group.members) {
                member->group_size = std::max(member->group_size, static_cast<std::uint32_t>(group.members.size()));
            }
        }
    }
    groups.clear();
}

void Service::Impl::release() {
    std::size_t due = options.max_searches_per_tick == 0 ? backlog.size() : std::min(options.max_searches_per_tick, backlog.size());
    const std::lock_guard lock(shop->mutex);
    for (; due > 0; --due) {
        auto node = backlog.extract(backlog.begin());
        node.mapped()->state = Job::State::Ready;
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
        wanted = shop->ready.size() > shop->tokens ? shop->ready.size() - shop->tokens : 0;
        shop->tokens += wanted;
    }
    for (; wanted > 0; --wanted) {
        if (options.jobs([shop = shop] { shop->runOne(true); })) continue;
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
    }
    for (Job* job : collected) {
        // Nobody else touches a finished job.
        counts.work += job->answer.work;
        if (job->state != Job::State::Dropped) {
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
}

void Service::Impl::deliver() {
    std::vector<Delivery> due;
    due.swap(deliveries);
    std::sort(due.begin(), due.end(), [](const Delivery& a, const Delivery& b) { return a.answer.ticket < b.answer.ticket; });
    std::exception_ptr thrown;  // by a callback: the others get their answers first
    for (Delivery& delivery : due) {
        ServiceAnswer& answer = delivery.answer;
        answer.answered_tick = counts.ticks;
        ++counts.answered;
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
    if (answer.paths.empty() || impl_->path_pool.size() >= impl_->options.path_pool_size) return;
    answer.paths.resize(1);
    impl_->path_pool.push_back(std::move(answer.paths));
}

bool Service::isOpen(RequestTicket ticket) const {
    if (impl_->open.contains(ticket)) return true;
    return std::any_of(impl_->deliveries.begin(), impl_->deliveries.end(), [&](const Delivery& d) { return d.answer.ticket == ticket; });
}

ServiceStats Service::stats() const {
    ServiceStats stats = impl_->counts;
    stats.pending = static_cast<std::size_t>(stats.submitted - stats.answered);
    stats.executor_idle = impl_->executor_idle;
    const std::lock_guard lock(impl_->shop->mutex);
    std::size_t incoming = 0;
    for (const Job* job : impl_->incoming) incoming += job->state == Job::State::Incoming ? 1 : 0;
    stats.waiting = incoming + impl_->backlog.size() + impl_->shop->ready.size();
    stats.running = impl_->open.size() - stats.waiting;
    stats.worker_jobs = impl_->shop->worker_jobs;
    stats.workers = impl_->shop->workers_made;
    return stats;
}

const std::shared_ptr<TileStore>& Service::tiles() const { return impl_->options.tiles; }

}  // namespace warpath
