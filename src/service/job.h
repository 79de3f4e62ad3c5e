// One request on its way through the service, and what game thread and workers share.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "service/field_cache.h"
#include "service/path_cache.h"
#include "warpath/service/service.h"

namespace warpath::service_detail {

/// Work units that every search costs beside its settled cells: what setting up and writing the path take, roughly.
inline constexpr std::uint64_t kWorkPerSearch = 64;
/// Cells of a flow field that cost about as much as one settled cell of a search.
inline constexpr std::uint64_t kFieldCellsPerWorkUnit = 4;

struct Job {
    enum class State : std::uint8_t {
        Incoming,  ///< Submitted, not admitted by a tick.
        Backlog,   ///< Admitted; its start is not yet due (max_searches_per_tick).
        Waiting,   ///< Due, but the field that it wants is under way; whoever finishes that makes it Ready.
        Asking,    ///< A field request that a computation under way will answer.
        Ready,     ///< For whoever comes first.
        Running,   ///< Somebody computes it, or it lies in `finished`.
        Dropped,   ///< Answered otherwise; its memory is free as soon as nobody computes it.
    };
    State state = State::Incoming;
    ServiceQuery query;
    WorldSnapshot snapshot;
    std::uint64_t admitted_tick = 0;
    ServiceAnswer answer;  ///< Ticket, kind and info from the start; the rest written by whoever computes it.
    bool failed = false;   ///< The pathfinder threw or could not be made.
    PathBasis basis;       ///< Of a path request, for the cache.
    bool begun = false;    ///< Its first steps were found: what is left comes after the first steps of others of its priority.
    int again = 0;         ///< How often its answer did not hold when it was collected.
    bool builds = false;   ///< Computes `build` and answers nobody itself.
    std::shared_ptr<FieldBuild> build;              ///< What it computes, waits for or asks for.
    std::shared_ptr<const FieldResult> field;       ///< A path's field, when that was there already.
    FieldId field_id = FieldId::None;
    std::shared_ptr<const std::vector<Position>> group;  ///< On a large map where those of its group start, that they share a tiled field; null: none.
    std::function<void(ServiceAnswer&&)> on_answer;
    std::optional<std::promise<Path>> promise;
};

/// Order of work: higher priority first, then what has not begun, then older first.
struct WorkOrder {
    int priority = 0;
    bool begun = false;
    RequestTicket ticket = RequestTicket::None;
    friend bool operator<(const WorkOrder& a, const WorkOrder& b) {
        if (a.priority != b.priority) return a.priority > b.priority;
        return a.begun != b.begun ? b.begun : a.ticket < b.ticket;
    }
};
using JobQueue = std::map<WorkOrder, Job*>;

/// The answer to the same request as `of` answers, as it is before anything is computed.
[[nodiscard]] inline ServiceAnswer unanswered(const ServiceAnswer& of) {
    ServiceAnswer fresh;
    fresh.ticket = of.ticket;
    fresh.kind = of.kind;
    fresh.info = of.info;
    fresh.submitted_tick = of.submitted_tick;
    return fresh;
}

[[nodiscard]] inline WorkOrder orderOf(const Job& job) { return {job.answer.info.priority, job.begun, job.answer.ticket}; }

/// What workers are made from. Immutable; a new one replaces it when the service is reconfigured.
struct Maker {
    PathfinderRegistry registry;
    std::string impl;
    PathfinderContext context;
    std::shared_ptr<PathCache> paths;  ///< Null: none are kept. Jobs under way with older settings keep theirs in theirs.
};

/// First steps, and the snapshot that they were found on.
struct Interim {
    ServiceAnswer answer;
    WorldSnapshot searched;
};

/// A pathfinder and a query for one job at a time.
struct Worker {
    std::shared_ptr<const Maker> maker;
    std::unique_ptr<IPathfinder> pathfinder;
    std::unique_ptr<Query> own_query;  ///< When the pathfinder brings none.
    Query* query = nullptr;
};

/// Kept alive by every job handed to the executor, so that one which runs late or after the service's end touches only this.
class Workshop {
public:
    /// What the executor runs: one job, and those that it released: itself, when it has only begun.
    void work();
    /// Takes the best ready job and computes it. @return its work units; nothing when there was none.
    /// @param released counts the jobs that became ready through it.
    std::optional<std::uint64_t> runOne(bool on_worker, std::size_t* released = nullptr);
    /// Computes a field on this thread, whoever else may be at it: both get the same.
    [[nodiscard]] std::shared_ptr<const FieldResult> computeField(const FieldBuild& build);

    /// Makes a job ready.
    void push(Job& job);
    /// Takes a job from whoever would begin it and marks it Dropped; one that runs is finished, and collected, all the same. @return its state before.
    Job::State withdraw(Job& job);
    /// Gives a field, computed elsewhere than by its job, to those that wait for it, unless it was given.
    void finish(FieldBuild& build, std::shared_ptr<const FieldResult> result);
    /// Exchanges what has been finished, and the first steps found, for two empty lists.
    void take(std::vector<Job*>& jobs_done, std::vector<Interim>& first_steps);

    /// From the next job on, with these. Jobs that run finish with the old ones.
    void retool(std::shared_ptr<const Maker> maker, bool newest_snapshot);

    std::mutex mutex;
    // Guarded by mutex:
    JobQueue ready;
    std::vector<Job*> finished;
    std::vector<Interim> interims;   ///< First steps of jobs that are ready again, or finished meanwhile.
    WorldSnapshot newest;
    std::size_t running = 0;         ///< Being computed now.
    std::size_t waiting = 0;         ///< Path jobs that wait for a field under way.
    std::size_t builds_ready = 0;    ///< Of `ready`, those that answer nobody.
    std::size_t tokens = 0;          ///< Runs that the executor has accepted and not begun.
    std::uint64_t token_runs = 0;    ///< Runs that it has begun.
    std::uint64_t worker_jobs = 0;   ///< Those that found a job.
    std::size_t workers_made = 0;
    bool stopped = false;
    std::vector<std::unique_ptr<Job>> jobs;  ///< Owns all of them; appended and reused by the game's thread.

private:
    /// With the mutex held: gives a field to those that wait for it, unless it was given. @return the jobs that became ready.
    std::size_t finishField(FieldBuild& build, std::shared_ptr<const FieldResult> result, bool failed);
    /// Makes a worker where there is none.
    static std::optional<Error> equip(std::unique_ptr<Worker>& worker, const std::shared_ptr<const Maker>& maker);
    /// @return whether the job is done; false when these were its first steps.
    static bool compute(Job& job, Worker& worker);
    /// Answers a path request from the cache, else by its first steps if they are wanted, else by a search whose answer is kept. @return as compute.
    static bool computePath(Job& job, const PathRequest& request, Worker& worker);

    // Guarded by mutex:
    std::shared_ptr<const Maker> maker_;
    bool newest_snapshot_ = false;
    std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace warpath::service_detail
