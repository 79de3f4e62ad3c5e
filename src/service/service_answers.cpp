// Answers on their way out: collected, checked against the tick's ground, asked again where they do not hold, delivered in order.
#include <algorithm>
#include <exception>
#include <utility>

#include "service/service_impl.h"

namespace warpath {

using namespace service_detail;

namespace {

/// An answer that does not hold any more is asked for again so many times at most.
constexpr int kMostRepeats = 2;

}  // namespace

Delivery service_detail::takeDelivery(Job& job) {
    return {std::move(job.answer), std::exchange(job.on_answer, nullptr), std::exchange(job.promise, std::nullopt)};
}

Path service_detail::pathOf(ServiceAnswer&& answer) {
    Path path;
    if (!answer.paths.empty()) path = std::move(answer.paths.front());
    path.status = answer.status;
    path.error = std::move(answer.error);
    return path;
}

const PathRequest* Service::Impl::routeRequest(const ServiceQuery& query) {
    if (const auto* one = std::get_if<PathRequest>(&query)) return one;
    if (const auto* several = std::get_if<MultiPathRequest>(&query)) return &several->path;
    if (const auto* custom = std::get_if<CustomRequest>(&query)) return custom->route ? &*custom->route : nullptr;
    return nullptr;
}

bool Service::Impl::holds(const WorldSnapshot& searched, const ServiceQuery& query, std::vector<Path>& routes, PathValidation& found) {
    if (!options.validate_answers || !isClassic() || searched == now || !now.valid()) return true;
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
    std::vector<Path> routes = std::move(job.answer.paths);  // their memory
    for (Path& path : routes) path.reset();
    job.answer = unanswered(job.answer);
    job.answer.paths = std::move(routes);
    enqueue(job);
}

void Service::Impl::collect() {
    shop->take(collected, interims);
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
            deliveries.push_back(takeDelivery(*job));
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

}  // namespace warpath
