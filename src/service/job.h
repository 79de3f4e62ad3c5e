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

#include "warpath/service/service.h"

namespace warpath::service_detail {

/// Work units that every search costs beside its settled cells: what setting up and writing the path take, roughly.
inline constexpr std::uint64_t kWorkPerSearch = 64;

struct Job {
    enum class State : std::uint8_t {
        Incoming,  ///< Submitted, not admitted by a tick.
        Backlog,   ///< Admitted; its start is not yet due (max_searches_per_tick).
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
    std::function<void(ServiceAnswer&&)> on_answer;
    std::optional<std::promise<Path>> promise;
};

/// Order of work: higher priority first, then older first.
struct WorkOrder {
    int priority = 0;
    RequestTicket ticket = RequestTicket::None;
    friend bool operator<(const WorkOrder& a, const WorkOrder& b) {
        return a.priority != b.priority ? a.priority > b.priority : a.ticket < b.ticket;
    }
};
using JobQueue = std::map<WorkOrder, Job*>;

/// What workers are made from. Immutable; a new one replaces it when the service is reconfigured.
struct Maker {
    PathfinderRegistry registry;
    std::string impl;
    PathfinderContext context;
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
    /// Takes the best ready job and computes it. @return its work units; nothing when there was none.
    std::optional<std::uint64_t> runOne(bool on_worker);

    /// From the next job on, with these. Jobs that run finish with the old ones.
    void retool(std::shared_ptr<const Maker> maker, bool newest_snapshot);

    std::mutex mutex;
    // Guarded by mutex:
    JobQueue ready;
    std::vector<Job*> finished;
    WorldSnapshot newest;
    std::size_t running = 0;         ///< Being computed now.
    std::size_t tokens = 0;          ///< Runs that the executor has accepted and not begun.
    std::uint64_t token_runs = 0;    ///< Runs that it has begun.
    std::uint64_t worker_jobs = 0;   ///< Those that found a job.
    std::size_t workers_made = 0;
    bool stopped = false;
    std::vector<std::unique_ptr<Job>> jobs;  ///< Owns all of them; appended and reused by the game's thread.

private:
    static std::optional<Error> equip(Worker& worker);
    static void compute(Job& job, Worker& worker);

    // Guarded by mutex:
    std::shared_ptr<const Maker> maker_;
    bool newest_snapshot_ = false;
    std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace warpath::service_detail
