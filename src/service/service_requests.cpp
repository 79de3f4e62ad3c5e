// Requests on their way in: submitted, superseded, settled, counted as groups, admitted to a tick.
#include <algorithm>
#include <utility>

#include "service/service_impl.h"

namespace warpath {

using namespace service_detail;

namespace {

std::optional<UnitKey> unitKeyOf(const ServiceAnswer& answer) {
    if (!answer.info.unit_id || (answer.kind != RequestKind::Path && answer.kind != RequestKind::MultiPath)) return std::nullopt;
    return UnitKey{answer.info.player, *answer.info.unit_id, answer.kind};
}

}  // namespace

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
    job.query = std::move(query);
    job.answer = std::move(answer);
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
    // Its own answer stays: somebody may be writing it.
    Delivery delivery{unanswered(job.answer), std::exchange(job.on_answer, nullptr), std::exchange(job.promise, std::nullopt)};
    delivery.answer.status = status;
    delivery.answer.error = std::move(error);
    close(delivery.answer);
    switch (shop->withdraw(job)) {
        case Job::State::Incoming:  // admit frees it
        case Job::State::Running:   // collect frees it
        case Job::State::Dropped: break;
        case Job::State::Backlog:
            backlog.erase(orderOf(job));
            freeJob(job);
            break;
        case Job::State::Asking:
            std::erase(job.build->askers, &job);
            --asking;
            freeJob(job);
            break;
        case Job::State::Ready:
        case Job::State::Waiting: freeJob(job); break;  // nobody else knows of it any more
    }
    deliveries.push_back(std::move(delivery));
}

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
    job = Job{};
    free_jobs.push_back(&job);
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

}  // namespace warpath
