// Flow fields that requests share: found or computed, renewed as the world changes, published to those that wait.
#include <algorithm>
#include <utility>

#include "service/service_impl.h"

namespace warpath {

using namespace service_detail;

namespace {

constexpr std::size_t kMaxFieldEvents = 65'536;  // kept for a host that polls them late; the oldest go first
/// Before every request: what many wait for, and what is short.
constexpr int kBuildPriority = kMaxPriority + 1;
/// Computations of fields are numbered apart from requests.
constexpr std::uint64_t kBuildTicket = std::uint64_t{1} << 63;

}  // namespace

bool Service::Impl::wantsField(const Job& job, const PathRequest& request) const {
    if (!isClassic() || request.field != nullptr || request.ignore_self || request.ignore_goal || request.max_expansions != 0) return false;
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
    ++asking;
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
    job.builds = true;
    job.build = build;
    job.snapshot = now;
    job.admitted_tick = counts.ticks;
    job.answer.ticket = static_cast<RequestTicket>(kBuildTicket | ++last_build);
    job.answer.kind = RequestKind::Field;
    job.answer.info.priority = kBuildPriority;
    build->job = &job;
    shop->push(job);
    return build;
}

void Service::Impl::renewFields() {
    for (auto& [id, entry] : fields.entries()) {
        if (!entry.followed || entry.current.result == nullptr || !entry.builds.empty()) continue;
        const bool prices_due = entry.stale.prices && counts.ticks - entry.refreshed_tick >= options.fields.price_refresh_ticks;
        if (entry.stale.ground || prices_due) startBuild(entry);
    }
}

void Service::Impl::publishLate() {
    if (!options.fields.timely) return;
    for (auto& [id, entry] : fields.entries()) {
        for (const auto& build : entry.builds) {
            if (build->published || !build->renews || counts.ticks - build->started_tick < options.fields.due_ticks) continue;
            if (!isDone(*build)) {
                // A worker may be at it: then both compute the same, and what it brings later is not needed any more.
                shop->finish(*build, shop->computeField(*build));
                if (shop->withdraw(*build->job) == Job::State::Ready) freeJob(*std::exchange(build->job, nullptr));
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
        --asking;
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
    deliveries.push_back(takeDelivery(job));
    freeJob(job);
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

}  // namespace warpath
