// Where jobs are computed: one pathfinder per job that runs at the same time, made on first use and reused.
#include <exception>
#include <utility>

#include "service/job.h"
#include "warpath/core/assert.h"

namespace warpath::service_detail {
namespace {

struct Asker {
    WorkContext& context;
    ServiceAnswer& answer;

    PathStatus operator()(const PathRequest& request) const {
        answer.paths.resize(1);
        Path& path = answer.paths.front();
        const PathStatus status = context.pathfinder.findPath(context.snapshot, request, path);
        path.status = status;
        answer.error = path.error;
        answer.work = path.expansions + kWorkPerSearch;
        return status;
    }

    PathStatus operator()(const MultiPathRequest& request) const {
        const PathStatus status = context.pathfinder.findAllPaths(context.snapshot, request, answer.paths);
        for (const Path& path : answer.paths) answer.work += path.expansions + kWorkPerSearch;
        if (!answer.paths.empty()) answer.error = answer.paths.front().error;
        std::erase_if(answer.paths, [](const Path& path) { return !path.hasRoute(); });
        return status;
    }

    PathStatus operator()(const ValidateRequest& request) const {
        answer.validation = request.path.hasRoute()
                                ? context.pathfinder.validatePath(context.snapshot, request.path, request.constraints)
                                : context.query.validatePath(context.snapshot, request.route, request.constraints);
        answer.work = kWorkPerSearch + request.path.cells.size() + request.route.size();
        answer.error = answer.validation.error;
        return answer.error.field.empty() ? PathStatus::Found : PathStatus::InvalidArgument;
    }

    PathStatus operator()(const ReachableRequest& request) const {
        answer.work = kWorkPerSearch;
        return context.query.reachable(context.snapshot, request.from, request.to, request.constraints, &answer.error);
    }

    PathStatus operator()(const FieldRequest&) const {
        WARPATH_ASSERT(false, "fields are computed by builds, which their askers wait for");
        return PathStatus::InvalidArgument;
    }

    PathStatus operator()(const CustomRequest& request) const {
        const PathStatus status = request.run ? request.run(context, answer) : PathStatus::InvalidArgument;
        if (answer.work == 0) answer.work = kWorkPerSearch;
        return status;
    }
};

}  // namespace

void Workshop::retool(std::shared_ptr<const Maker> maker, bool newest_snapshot) {
    const std::lock_guard lock(mutex);
    maker_ = std::move(maker);
    newest_snapshot_ = newest_snapshot;
    idle_.clear();
}

void Workshop::push(Job& job) {
    const std::lock_guard lock(mutex);
    job.state = Job::State::Ready;
    ready.emplace(orderOf(job), &job);
    if (job.builds) ++builds_ready;
}

Job::State Workshop::withdraw(Job& job) {
    const std::lock_guard lock(mutex);
    const Job::State before = std::exchange(job.state, Job::State::Dropped);
    if (before == Job::State::Ready) {
        ready.erase(orderOf(job));
        if (job.builds) --builds_ready;
    } else if (before == Job::State::Waiting) {
        std::erase(job.build->waiting, &job);
        --waiting;
    }
    return before;
}

void Workshop::finish(FieldBuild& build, std::shared_ptr<const FieldResult> result) {
    const std::lock_guard lock(mutex);
    finishField(build, std::move(result), false);
}

void Workshop::take(std::vector<Job*>& jobs_done, std::vector<Interim>& first_steps) {
    const std::lock_guard lock(mutex);
    jobs_done.swap(finished);
    first_steps.swap(interims);
}

void Workshop::work() {
    std::size_t more = 0;
    runOne(true, &more);
    for (; more > 0 && runOne(false); --more) {
        const std::lock_guard lock(mutex);
        ++worker_jobs;
    }
}

std::optional<std::uint64_t> Workshop::runOne(bool on_worker, std::size_t* released) {
    Job* job = nullptr;
    std::unique_ptr<Worker> worker;
    std::shared_ptr<const Maker> maker;
    {
        const std::lock_guard lock(mutex);
        if (on_worker) {
            ++token_runs;
            if (tokens > 0) --tokens;
        }
        if (stopped || ready.empty()) return std::nullopt;
        job = ready.begin()->second;
        ready.erase(ready.begin());
        job->state = Job::State::Running;
        if (job->builds) --builds_ready;
        const bool bound = job->build != nullptr || job->field != nullptr;  // to the snapshot of a field
        if (newest_snapshot_ && !bound) job->snapshot = newest;
        ++running;
        if (on_worker) ++worker_jobs;
        maker = maker_;
        if (!idle_.empty()) {
            worker = std::move(idle_.back());
            idle_.pop_back();
        }
    }
    bool made = false, done = true;
    std::optional<Error> trouble;
    try {
        made = worker == nullptr;
        trouble = equip(worker, maker);
        if (!trouble) done = compute(*job, *worker);
    } catch (const std::exception& e) {
        trouble = Error{"pathfinder_impl", maker->impl, std::string("it threw: ") + e.what()};
    } catch (...) {
        trouble = Error{"pathfinder_impl", maker->impl, "it threw"};
    }
    if (trouble) {
        job->failed = true;
        job->answer.status = PathStatus::InvalidArgument;
        job->answer.error = std::move(*trouble);
        job->answer.paths.clear();
        job->answer.work = kWorkPerSearch;
        if (job->builds) {
            auto broken = std::make_shared<FieldResult>();
            broken->status = PathStatus::InvalidArgument;
            broken->error = job->answer.error;
            job->answer.field = std::move(broken);
        }
        worker.reset();  // what threw may be in any state
    }
    const std::uint64_t work = job->answer.work;
    ServiceAnswer interim;
    if (!done) {
        interim = unanswered(job->answer);
        interim.interim = true;
        interim.status = job->answer.status;
        interim.work = work;
        interim.paths = std::exchange(job->answer.paths, {});
    }
    const std::lock_guard lock(mutex);
    if (worker != nullptr) {
        if (made) ++workers_made;
        if (worker->maker == maker_) idle_.push_back(std::move(worker));
    }
    --running;
    if (job->builds) {
        const std::size_t count = finishField(*job->build, job->answer.field, job->failed);
        if (released != nullptr) *released += count;
    }
    if (done || job->state == Job::State::Dropped) {  // cancelled meanwhile: collected like any other
        finished.push_back(job);
        return work;
    }
    interims.push_back({std::move(interim), job->snapshot});
    job->begun = true;
    job->state = Job::State::Ready;
    ready.emplace(orderOf(*job), job);
    if (released != nullptr) ++*released;
    return work;
}

std::size_t Workshop::finishField(FieldBuild& build, std::shared_ptr<const FieldResult> result, bool failed) {
    if (build.done) return 0;
    build.failed = failed;
    build.result = std::move(result);
    build.done = true;
    const std::size_t count = build.waiting.size();
    waiting -= count;
    for (Job* next : build.waiting) {
        next->state = Job::State::Ready;
        ready.emplace(orderOf(*next), next);
    }
    build.waiting.clear();
    return count;
}

std::shared_ptr<const FieldResult> Workshop::computeField(const FieldBuild& build) {
    std::shared_ptr<const Maker> maker;
    {
        const std::lock_guard lock(mutex);
        maker = maker_;
    }
    Query query(maker->context.tiles, maker->context.rules);
    auto result = std::make_shared<FieldResult>();
    query.buildField(build.snapshot, build.request, build.basis, *result);
    return result;
}

std::optional<Error> Workshop::equip(std::unique_ptr<Worker>& worker, const std::shared_ptr<const Maker>& given) {
    if (worker != nullptr) return std::nullopt;
    worker = std::make_unique<Worker>();
    worker->maker = given;
    const Maker& maker = *given;
    auto created = maker.registry.create(maker.impl, maker.context);
    if (auto* error = std::get_if<Error>(&created)) return std::move(*error);
    worker->pathfinder = std::move(std::get<std::unique_ptr<IPathfinder>>(created));
    if (worker->pathfinder == nullptr) return Error{"pathfinder_impl", maker.impl, "its factory returned nothing; let it make a pathfinder"};
    if (auto* classic = dynamic_cast<ClassicPathfinder*>(worker->pathfinder.get())) {
        worker->query = &classic->query();
    } else {
        worker->own_query = std::make_unique<Query>(maker.context.tiles, maker.context.rules);
        worker->query = worker->own_query.get();
    }
    return std::nullopt;
}

bool Workshop::compute(Job& job, Worker& worker) {
    WorkContext context{job.snapshot, *worker.pathfinder, *worker.query};
    ServiceAnswer& answer = job.answer;
    if (job.builds) {
        auto result = std::make_shared<FieldResult>();
        context.query.buildField(job.snapshot, job.build->request, job.build->basis, *result);
        answer.work = result->work / kFieldCellsPerWorkUnit + kWorkPerSearch;
        answer.error = result->error;
        answer.status = result->status;
        answer.field = std::move(result);
        return true;
    }
    if (auto* request = std::get_if<PathRequest>(&job.query); request != nullptr && (job.build != nullptr || job.field != nullptr)) {
        const auto& result = job.build != nullptr ? job.build->result : job.field;
        if (result != nullptr && result->status == PathStatus::Found) request->field = result->field;
    }
    const auto* alone = std::get_if<PathRequest>(&job.query);
    if (alone != nullptr && job.build == nullptr && job.field == nullptr && alone->field == nullptr) {
        if (!computePath(job, *alone, worker)) return false;
    } else {
        answer.status = std::visit(Asker{context, answer}, job.query);
    }
    for (Path& path : answer.paths) path.field_id = path.algorithm == PathAlgorithm::FlowField ? job.field_id : FieldId::None;
    if (answer.status == PathStatus::InvalidArgument && answer.error.field.empty()) {
        answer.error = Error{"request", "refused by the pathfinder without a reason", "check the request's values"};
    }
    return true;
}

bool Workshop::computePath(Job& job, const PathRequest& request, Worker& worker) {
    PathCache* cache = worker.maker->paths.get();
    ServiceAnswer& answer = job.answer;
    WorkContext context{job.snapshot, *worker.pathfinder, *worker.query};
    // How many others go there makes another request of it only where groups matter; here it wants no field.
    const bool counts_group = worker.maker->impl != kClassicPathfinder || request.group_size >= worker.maker->context.rules.group_size;
    PathRequest alike;
    const PathRequest* key = &request;
    if (!counts_group && request.group_size != 1) {
        alike = request;
        alike.group_size = 1;
        key = &alike;
    }
    answer.paths.resize(1);
    Path& path = answer.paths.front();
    const auto straight = [&](Position a, Position b) {
        const Position ends[] = {a, b};
        return a == b || worker.query->validatePath(job.snapshot, ends, request.constraints).valid;
    };
    const auto joins = [&](const PathRequest& kept) { return straight(request.from, kept.from) && straight(kept.goal.centre, request.goal.centre); };
    if (cache != nullptr && !job.begun && (cache->find(job.basis, *key, path) || cache->findNear(job.basis, *key, joins, path))) {
        path.revision = job.snapshot.revision();
        answer.work = kWorkPerSearch;
        answer.error = path.error;
        answer.status = path.status;
        return true;
    }
    const bool by_the_query = worker.own_query == nullptr && worker.maker->context.backend == nullptr;
    if (answer.info.preview && !job.begun && by_the_query && worker.query->findFirstSteps(job.snapshot, request, path)) {
        answer.work = path.expansions + kWorkPerSearch;
        answer.status = path.status;
        return false;
    }
    answer.status = Asker{context, answer}(request);
    if (cache != nullptr && PathCache::keeps(path)) cache->keep(job.basis, *key, path);
    return true;
}

}  // namespace warpath::service_detail
