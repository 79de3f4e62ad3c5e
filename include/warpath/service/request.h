// What is handed to the service and what comes back: typed, without JSON.
//
//   RequestTicket ticket = service.submit(PathRequest{.from = a, .goal = Goal::point(b)}, {.unit_id = 7});
//   while (auto answer = service.poll()) if (answer->ticket == ticket) follow(answer->path());
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/core/status.h"
#include "warpath/pathfinder/field_request.h"
#include "warpath/pathfinder/ipathfinder.h"
#include "warpath/pathfinder/query.h"
#include "warpath/pathfinder/request.h"

namespace warpath {

/// Names a submitted request within its service; grows with every submission, never used twice. None: no request.
enum class RequestTicket : std::uint64_t { None = 0 };

/// Is a route still legal? A found path (its cells are checked) or, when `path` has no cells, the drawn route.
struct ValidateRequest {
    Path path{};
    std::vector<Position> route{};  ///< Positions joined by straight lines [1..65536].
    PathConstraints constraints{};
};

/// Can a unit come from one place to another at all?
struct ReachableRequest {
    Position from{};
    Position to{};
    PathConstraints constraints{};
};

struct ServiceAnswer;

/// What a job may use while it runs, on whatever thread. One job at a time per object.
struct WorkContext {
    const WorldSnapshot& snapshot;
    IPathfinder& pathfinder;  ///< Of the implementation that the service was made with.
    Query& query;             ///< For what the seam does not cover; shares its tiles.
};

/// Any other question. `run` writes its result into the answer (`value`, `paths`, `work`) and returns the status.
/// It runs on any thread, on a snapshot, and once unless `route` is given; to be deterministic it must depend on nothing but the context and what it has captured.
struct CustomRequest {
    std::function<PathStatus(WorkContext&, ServiceAnswer&)> run{};
    /// When given, the paths of the answer are routes for this request: checked at delivery as those of a path request are, and asked for again (`run` once more).
    std::optional<PathRequest> route{};
};

/// A FieldRequest is answered from the service's fields: equal ones share one computation, also while it is under way.
using ServiceQuery = std::variant<PathRequest, MultiPathRequest, ValidateRequest, ReachableRequest, CustomRequest, FieldRequest>;
/// The alternatives of ServiceQuery, in order.
enum class RequestKind : std::uint8_t { Path, MultiPath, Validate, Reachable, Custom, Field };

/// Of RequestInfo::priority, either way.
inline constexpr int kMaxPriority = 1000;

/// Who asks, and how urgently.
struct RequestInfo {
    /// The unit that will walk. A newer path (or multi-path) request of the same unit and player supersedes an older one of that kind that has
    /// not been answered yet; without a unit nothing is ever superseded.
    std::optional<std::uint64_t> unit_id{};
    std::uint64_t player = 0;
    /// Higher first; equal ones in the order of submission [-kMaxPriority..kMaxPriority, clamped].
    int priority = 0;
    /// Path requests that the hierarchy answers, without a backend, of pathfinder_impl "classic": an answer with the first steps (Query::findFirstSteps), marked
    /// interim, comes first, unless the final one is there by then. Other requests have their one answer as ever.
    bool preview = false;
};

/// The one and final answer to a request; or, where a preview was asked for, the interim one before it.
struct ServiceAnswer {
    RequestTicket ticket = RequestTicket::None;
    RequestKind kind = RequestKind::Path;
    bool interim = false;        ///< First steps alone, status Partial: the request stays open, and its final answer follows under the same ticket.
    /// How it ended. For Validate: Found means that the question was answered (see `validation`).
    PathStatus status = PathStatus::Unreachable;
    Error error;                 ///< For InvalidArgument and Rejected, and when an end lies off the map.
    RequestInfo info;            ///< As submitted.
    std::vector<Path> paths;     ///< Path: exactly one (after a search). MultiPath: the routes, the best first.
    /// Validate. Of routes: where the first that does not hold on the newest snapshot (is_valid false) is broken.
    PathValidation validation;
    std::any value;              ///< Custom.
    FieldId field_id = FieldId::None;            ///< Field: names it through all its generations (Service::field).
    std::shared_ptr<const FieldResult> field;    ///< Field: the generation that is true for the snapshot of the tick that admitted the request.
    std::uint64_t work = 0;      ///< Work units spent (cells settled, plus a constant per search).
    std::uint64_t submitted_tick = 0;  ///< Ticks that the service had finished when it was submitted.
    std::uint64_t answered_tick = 0;   ///< The tick that delivered it.

    /// The route of a Path request; an empty one when no search was made.
    [[nodiscard]] const Path& path() const {
        static const Path none;
        return paths.empty() ? none : paths.front();
    }
};

}  // namespace warpath
