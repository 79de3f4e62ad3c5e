// Path questions of a whole game, answered over frames: submit any time, tick once a frame, poll the answers.
//
//   Service service({.jobs = [&](std::function<void()> job) { return pool.enqueue(std::move(job)); }});   // or no jobs at all
//   RequestTicket ticket = service.submit(PathRequest{.from = a, .goal = Goal::point(b)}, {.unit_id = 7});
//   each frame: service.tick(world.snapshot(), 100'000);  while (auto answer = service.poll()) use(*answer);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/pathfinder/ipathfinder.h"
#include "warpath/service/request.h"

namespace warpath {

/// Runs a job on another thread, later, or never. Called from Service::tick only. @return false when it will never run.
/// A job may be run after the service is gone (it then does nothing), at most once, at the same time as others; it throws nothing.
using JobExecutor = std::function<bool(std::function<void()> job)>;

/// How flow fields are kept. A field is in use while it is asked for, sampled or taken.
struct FieldCacheOptions {
    /// Fields kept at most; beyond it the longest unused are dropped (holders keep theirs) [fields] [64].
    std::size_t max_fields = 64;
    /// Bytes kept at most [bytes] [256 MiB: about 50 fields of 1024 x 1024].
    std::size_t max_bytes = std::size_t{256} << 20;
    /// FieldRequest::straight_radius of the fields that routes of groups are traced along, so that they share those of field requests [cells] [0..kMaxStraightRadius].
    int straight_radius = 0;
    /// A field that nobody has asked for during so many ticks is dropped [ticks] [600: 10 s at 60 Hz].
    std::uint64_t keep_ticks = 600;
    /// Changes of threat and congestion alone renew a field that is followed at most this often [ticks] [120: 2 s at 60 Hz].
    std::uint64_t price_refresh_ticks = 120;
    /// true: a new generation is published exactly `due_ticks` after its computation began (the tick after the change, or when the one before is
    /// published), computed inside tick, past its budget, when the workers are late. First generations, and with them when fields are dropped
    /// beyond max_fields and max_bytes, still depend on the workers' speed. false: as soon as it is there.
    bool timely = false;
    std::uint64_t due_ticks = 2;  ///< [ticks] [1..]
};

/// How whole paths are kept for requests that are asked again.
struct PathCacheOptions {
    /// Bytes kept at most, keys and paths [bytes] [0: none are kept].
    std::size_t max_bytes = 0;
    /// Paths kept at most; beyond it the longest unused are dropped [paths] [500].
    std::size_t max_paths = 500;
    /// 0: only a request that is equal in every value is answered with a kept path, so the cache changes no answer. Above: also one whose start and point
    /// goal lie within so much of a kept one's, both gaps together no more than a quarter of either trip's straight length, on the same snapshot, each with a
    /// straight legal way between the two; it is answered with that path as it is. Which of several that is depends on what was asked before and on the workers' speed: not for lockstep games [m] [0..64].
    float tolerance = 0.0f;
};

struct ServiceOptions {
    /// Where searches run [none: inside tick, within its budget].
    JobExecutor jobs{};
    /// Which pathfinder answers. Copied.
    PathfinderRegistry registry{};
    std::string pathfinder_impl = kClassicPathfinder;
    /// Compiled chunks, shared by all workers and with whoever else holds them [none: a store of its own].
    std::shared_ptr<TileStore> tiles{};
    AlgorithmRules rules{};
    /// Draws single units' paths [none: the grid]. Its owner keeps it up to date.
    std::shared_ptr<IRouteBackend> backend{};
    RouteRules routes{};
    /// Registered with the store [at most TileStore::kMaxMetrics]. With an executor what they need (the regions of their profiles, then the tables of the
    /// hierarchy, some chunks a tick) is prepared there, from the first tick on and after every change of the ground; without one, or before that is
    /// done, the query that needs it pays.
    std::vector<Metric> metrics{};

    /// Requests that wait or run at most; more are answered Rejected [requests] [1..] [65,536].
    std::size_t max_pending = 65'536;
    /// Searches that one tick starts at most, wherever they run; renewals of fields apart [searches] [0: as many as there are].
    std::size_t max_searches_per_tick = 0;
    /// A job that no executor has begun for so many ticks is computed inside tick [ticks] [2: a host that runs jobs between ticks is in time].
    std::uint32_t patience_ticks = 2;
    /// Paths kept for reuse by recycle [paths] [100].
    std::size_t path_pool_size = 100;
    /// What they may take in all; a path for which there is no room is freed instead [bytes].
    std::size_t path_pool_bytes = std::size_t{16} << 20;
    /// false: a request is answered on the snapshot of the tick that admitted it, so equal inputs give equal answers whatever the threads do.
    /// true: on the newest snapshot when its search starts.
    bool newest_snapshot = false;
    /// true: a newer request of a unit supersedes its older ones of earlier ticks too, if they are still open.
    /// false: only those of the same tick, so that what is superseded does not depend on how fast the workers are.
    bool supersede_across_ticks = true;
    /// true: before a route is delivered that was found on an older snapshot than the tick's, its steps are checked on that one, for pathfinder_impl "classic". One that
    /// is not legal any more is asked for again on the tick's snapshot, up to twice; if it is broken by then too it is delivered with is_valid false, and
    /// ServiceAnswer::validation says where. First steps that do not hold are not told. So what is delivered depends on when the workers are done.
    /// false: a route is legal at its own revision, whatever has come since (lockstep games: validate or watch it when it is walked).
    bool validate_answers = true;
    FieldCacheOptions fields{};
    /// Not used with a `backend`, whose answers depend on what it has loaded, with `newest_snapshot`, nor for routes along fields.
    PathCacheOptions paths{};
};

/// A field that is followed has been replaced by a newer generation.
struct FieldEvent {
    FieldId id = FieldId::None;
    FieldChange change = FieldChange::Same;  ///< Blocked, Dearer or MayImprove.
    std::uint64_t revision = 0;              ///< Of the snapshot that the new one is true for.
};

/// Counts; all but the present ones only grow.
struct ServiceStats {
    std::uint64_t ticks = 0;
    std::uint64_t submitted = 0;
    std::uint64_t answered = 0;      ///< Answers delivered, however they ended: submitted = answered + pending.
    std::uint64_t done = 0;          ///< ... of which computed.
    std::uint64_t interim = 0;       ///< Interim answers delivered, beside those.
    std::uint64_t cancelled = 0;
    std::uint64_t superseded = 0;
    std::uint64_t rejected = 0;
    std::uint64_t failed = 0;        ///< ... of which computed, but the pathfinder threw or could not be made.
    std::uint64_t asked_again = 0;   ///< Routes that did not hold any more when they were to be delivered, and were asked for again.
    std::uint64_t inline_jobs = 0;   ///< Computed inside tick.
    std::uint64_t worker_jobs = 0;   ///< Computed by the executor.
    std::uint64_t work = 0;          ///< Work units of all computed jobs.
    std::size_t pending = 0;         ///< Now: submitted and not delivered.
    std::size_t waiting = 0;         ///< Now: not begun, or in want of a flow field that is being computed or not collected yet.
    std::size_t running = 0;         ///< Now: being computed, or waiting to be collected.
    std::size_t workers = 0;         ///< Pathfinders made so far.
    bool executor_idle = false;      ///< The executor has taken jobs and run none for patience_ticks: tick computes them.
    std::uint64_t last_inline_work = 0;  ///< Work units spent inside the last tick.
    std::uint64_t fields_built = 0;      ///< Fields computed from nothing.
    std::uint64_t fields_renewed = 0;    ///< ... made from an older generation.
    std::uint64_t field_hits = 0;        ///< Requests served by a field that was there.
    std::uint64_t fields_shared = 0;     ///< Requests that joined a computation under way.
    std::size_t fields = 0;              ///< Now: fields kept.
    std::size_t field_bytes = 0;         ///< Now: what they take.
    std::uint64_t path_hits = 0;         ///< Path requests answered with a kept path.
    std::uint64_t path_near_hits = 0;    ///< ... of which within the tolerance only.
    std::uint64_t path_misses = 0;       ///< Path requests that were looked for and searched.
    std::uint64_t paths_stale = 0;       ///< Kept paths dropped because what they depend on had changed.
    std::uint64_t paths_evicted = 0;     ///< ... for want of room.
    std::size_t paths_kept = 0;          ///< Now.
    std::size_t path_bytes = 0;          ///< Now: keys and paths.
    std::size_t paths_pooled = 0;        ///< Now: kept for reuse (Service::recycle).
    std::size_t pool_bytes = 0;          ///< Now: what these take.
    std::uint64_t preparations = 0;  ///< Times that the executor took up new ground for what the metrics need.
    std::uint64_t tables_prepared = 0;  ///< Tables of the hierarchy that it brought up to date.
};

/// Answers requests exactly once each (and gives first steps before, where RequestInfo::preview asks for them). Never waits for a job.
///
/// Answers: a pure function of (snapshot, request), with newest_snapshot or a backend also of when it is asked, with validate_answers also of when it is delivered; the number of threads, the budget and the order of work change when, never what. Each
/// tick delivers what is ready in the order of submission. What is cancelled or superseded gives no other answer afterwards.
/// Group size: point-goal path requests admitted in one tick with one goal cell, side and constraints are counted, and each is searched with
/// the larger of that count and its own group_size. On maps of more than AlgorithmRules::field_cells such a group of one tick shares a tiled field for the places
/// where its members start; then routes are those of the field's tiles, so they depend on these places too, and cost at most what one alone would.
/// Fields: where the rules or the request ask for a flow field (chooseAlgorithm) and pathfinder_impl is "classic", path requests with one goal, side and
/// constraints are traced along one field of the cache, and each route carries its id. A field request, and a path along a field, is always answered
/// with a field that is true for its snapshot. A field that somebody follows (asked for it, samples or takes it) is renewed when the world changes:
/// ground at once, threat and congestion at most every price_refresh_ticks; pollFieldEvent tells when it was replaced. Older generations live as long
/// as somebody holds them.
/// Path cache: a path request that was answered before is answered again without a search as long as nothing it depends on has changed: the world and its
/// rules, the ground, the threat to its side, congestion. A hit has the answer that a search would give, but for its computation time.
/// Threads: every call from one thread at a time; only jobs run elsewhere. Callbacks are called inside tick, in order, and may submit and cancel.
/// Lifetime: destroying the service drops open requests (futures get a cancelled answer) and does not wait for running jobs.
class Service {
public:
    /// @pre check(options) has no error (asserted).
    explicit Service(ServiceOptions options = {});
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    /// What is wrong with options, or nothing: an unknown pathfinder_impl (the remedy lists the names), a limit of 0, thresholds outside their limits, too many metrics.
    [[nodiscard]] static std::optional<Error> check(const ServiceOptions& options);
    /// Replaces all options; open requests are kept, and those not yet begun are computed with the new ones. Without `tiles` the store stays.
    /// @return what check says, and then nothing is changed.
    [[nodiscard]] std::optional<Error> reconfigure(ServiceOptions options);

    /// Takes a request. Nothing is computed here. Always gives a ticket; a full queue answers it Rejected.
    RequestTicket submit(ServiceQuery query, const RequestInfo& info = {});
    /// One ticket per request, in order.
    std::vector<RequestTicket> submitBatch(std::span<const PathRequest> requests, const RequestInfo& info = {});
    /// As submit; the answer goes to the callback instead of poll, an interim one before it. What a callback throws leaves tick once every other answer of it is delivered.
    RequestTicket submit(ServiceQuery query, const RequestInfo& info, std::function<void(ServiceAnswer&&)> on_answer);
    /// The callback receives the path of the answer.
    RequestTicket findPathAsync(PathRequest request, std::function<void(const Path&)> on_path);
    /// The future becomes ready inside tick: the thread that ticks must not block on it.
    [[nodiscard]] std::future<Path> findPathAsync(PathRequest request);

    /// Cancels an open request; the next tick delivers its answer, Cancelled. @return false when it is not open (unknown or answered).
    bool cancel(RequestTicket ticket);
    /// Cancels everything open and delivers at once (as tick does). For the end of a game.
    void cancelAll();

    /// One frame: admits what was submitted, starts jobs, computes inside the budget what no executor takes, delivers what is ready.
    /// @pre snapshot.valid() (asserted; with a handler that returns, the tick then does nothing).
    /// @param work_budget work units (about one per settled cell) to spend on this thread: a search begins while some are left and is then
    ///   finished, so the last one may overrun. 0: none are computed here.
    void tick(const WorldSnapshot& snapshot, std::uint64_t work_budget);

    /// The next delivered answer.
    [[nodiscard]] std::optional<ServiceAnswer> poll();
    /// Gives an answer's paths back, so that later ones need not allocate.
    void recycle(ServiceAnswer&& answer);

    /// The newest published generation of a field; counts as use. Null when the id is unknown, was dropped, or names a field that could not be made.
    [[nodiscard]] std::shared_ptr<const FlowField> field(FieldId id);
    /// The request that a kept field was made for (with more positions: what an enlarged one is asked for by). Nothing when the id is unknown or was dropped.
    [[nodiscard]] std::optional<FieldRequest> fieldRequest(FieldId id) const;
    /// Whether an id was given out by this service, whether or not the field is still kept.
    [[nodiscard]] bool wasField(FieldId id) const;
    /// Whether a field is kept, but leads nowhere now: nothing in its area can be stood on. It is made anew when the ground changes.
    [[nodiscard]] bool isFieldBlocked(FieldId id) const;
    /// What befell followed fields, oldest first; told by tick.
    [[nodiscard]] std::optional<FieldEvent> pollFieldEvent();

    /// Whether a ticket has no delivered answer yet.
    [[nodiscard]] bool isOpen(RequestTicket ticket) const;
    [[nodiscard]] ServiceStats stats() const;
    [[nodiscard]] const std::shared_ptr<TileStore>& tiles() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace warpath
