// What a Service holds, shared by its sources: requests, fields, work and answers.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "service/job.h"
#include "service/preparation.h"
#include "warpath/core/hash.h"
#include "warpath/service/service.h"

namespace warpath {

namespace service_detail {

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

/// An answer on its way to the caller.
struct Delivery {
    ServiceAnswer answer;
    std::function<void(ServiceAnswer&&)> on_answer;
    std::optional<std::promise<Path>> promise;
};

/// The answer of a job and whom to tell it; the job keeps neither.
[[nodiscard]] Delivery takeDelivery(Job& job);

/// The path of an answer to one path request.
[[nodiscard]] Path pathOf(ServiceAnswer&& answer);

}  // namespace service_detail

struct Service::Impl {
    using Delivery = service_detail::Delivery;
    using FieldBuild = service_detail::FieldBuild;
    using FieldCache = service_detail::FieldCache;
    using FieldEntry = service_detail::FieldEntry;
    using Interim = service_detail::Interim;
    using Job = service_detail::Job;
    using JobQueue = service_detail::JobQueue;
    using LayerStamps = service_detail::LayerStamps;
    using PathCache = service_detail::PathCache;
    using Preparation = service_detail::Preparation;
    using UnitKey = service_detail::UnitKey;
    using Workshop = service_detail::Workshop;

    void configure(ServiceOptions&& given);
    /// Whether the pathfinder is the one whose answers the service knows the making of.
    [[nodiscard]] bool isClassic() const { return options.pathfinder_impl == kClassicPathfinder; }
    void unregisterMetrics() {
        for (const Metric& metric : registered) options.tiles->unregisterMetric(metric);
        registered.clear();
    }

    // service_requests.cpp
    RequestTicket submit(ServiceQuery&& query, const RequestInfo& info, std::function<void(ServiceAnswer&&)>&& on_answer,
                         std::optional<std::promise<Path>>&& promise);
    void supersede(const UnitKey& key);
    /// Answers an open job without computing it (any more).
    void settle(Job& job, PathStatus status, Error error = {});
    /// Forgets an open request that has its answer.
    void close(const ServiceAnswer& answer);
    void countGroups();
    void admit(const WorldSnapshot& snapshot);
    /// Puts a request that no worker knows of into the backlog, to be answered on the tick's snapshot.
    void enqueue(Job& job);
    /// A job as new.
    Job& takeJob();
    /// Keeps a job's memory, and nothing that was in it, for another. Whatever it has captured ends here.
    void freeJob(Job& job);

    // service_work.cpp
    void prepare(const WorldSnapshot& snapshot);
    void release();
    void dispatch();
    void computeHere(std::uint64_t budget);

    // service_answers.cpp
    /// What the routes in the answer to a query were asked with. Null: nothing that could be checked.
    [[nodiscard]] static const PathRequest* routeRequest(const ServiceQuery& query);
    /// Whether the routes found are legal on the tick's snapshot. Notes it in each; `found` says where the first one is not.
    bool holds(const WorldSnapshot& searched, const ServiceQuery& query, std::vector<Path>& routes, PathValidation& found);
    void askAgain(Job& job);
    void collect();
    void deliver();
    void trimPool();

    // service_fields.cpp
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
    /// Followed fields that the world has changed under are made anew, one generation at a time.
    void renewFields();
    /// Timely fields: what is due is published now, computed here when no worker has finished it.
    void publishLate();
    void publish(FieldEntry& entry, const std::shared_ptr<FieldBuild>& build);
    void finishBuild(Job& job);
    void answerAskers(FieldBuild& build);
    void answerField(Job& job, FieldId id, const std::shared_ptr<const FieldResult>& result);
    [[nodiscard]] bool isDone(const FieldBuild& build) const {
        const std::lock_guard lock(shop->mutex);
        return build.done;
    }

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
    std::unordered_map<UnitKey, RequestTicket, service_detail::KeyHash> newest_of_unit;
    struct Pooled {
        std::vector<Path> paths;
        std::size_t bytes;
    };
    std::vector<Pooled> path_pool;
    std::size_t pool_bytes = 0;
    LayerStamps layers;
    std::shared_ptr<PathCache> paths;     ///< Null: none are kept.
    FieldCache fields;
    std::deque<FieldEvent> field_events;
    WorldSnapshot now;                    ///< Of the tick.
    std::uint64_t last_build = 0;
    std::size_t builds_started = 0;       ///< In this tick, renewals apart.
    std::size_t asking = 0;               ///< Jobs that are Asking.
    ServiceStats counts;
    bool refused = false;                 ///< The executor took no more this tick.
    std::uint64_t seen_token_runs = 0;
    std::uint64_t progress_tick = 0;      ///< The last tick at which the executor was seen to work, or had nothing to do.
    bool executor_idle = false;

    struct Group {
        const PathRequest* first;
        std::vector<Job*> members;
    };
    std::unordered_map<service_detail::GroupKey, std::vector<Group>, service_detail::KeyHash> groups;  // scratch of countGroups
};

}  // namespace warpath
