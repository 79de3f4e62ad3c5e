// The routes of a module: those it gave out lately, and those that somebody has it watch.
//
//   routes.remember(id, terms, answer);                       // each answer with routes
//   routes.watch(snapshot, order, told);                      // a subscription
//   routes.changed(snapshot, told);                           // once a frame: exactly the routes concerned
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "warpath/pathfinder/route_watch.h"
#include "warpath/service/service.h"
#include "warpath/world/world.h"

namespace warpath::module_detail {

/// With what a route was asked for, as far as watching it depends on that.
struct RouteTerms {
    PathConstraints constraints;      ///< The search's own; for cover_path as coverToCover raises them.
    int side = 0;
    bool ignores_obstacles = false;   ///< Asked with ignore_self or ignore_goal: such a route is not legal for the watch.
    std::uint64_t world_id = 0;
};

/// Who wants to know of which route.
struct RouteOrder {
    std::string subscription;         ///< Id of the request that asks, as JSON text.
    std::string target;               ///< Id of the request that the route answers, as JSON text.
    std::size_t index = 0;            ///< Which of its routes.
    RequestTicket ticket = RequestTicket::None;  ///< Of that request [none: the newest answer to the target's id].
};

/// What is told of a route.
struct ToldRoute {
    std::string target;
    std::size_t index = 0;
    bool one_of_several = false;      ///< Of a multi_path.
    std::size_t bad_waypoint = 0;     ///< Blocked: index of the waypoint that cannot be come to.
    RouteEvent event;
};

/// What watching may look at in a frame [cells]: about a millisecond.
inline constexpr std::uint64_t kCellsPerFrame = 100'000;

/// Keeps the 256 newest answers and watches at most 10,000 routes. One thread at a time.
class RouteKeeper {
public:
    explicit RouteKeeper(std::shared_ptr<TileStore> tiles) : watch_(std::move(tiles), {.max_cells_per_call = kCellsPerFrame}) {}

    /// Another world: nothing is kept or watched any more.
    void forget();
    /// Keeps a copy of an answer's routes (none, when it has none).
    void remember(const std::string& target, const RouteTerms& terms, const ServiceAnswer& answer);
    [[nodiscard]] bool remembers(const std::string& target) const { return find(target, RequestTicket::None) != nullptr; }

    struct Outcome {
        PathStatus status = PathStatus::Found;  ///< Found: watched. InvalidArgument, Rejected: `error`. Else: that of the answer, which has no route.
        Error error;
    };
    /// Watches a route, in place of one of an older answer to the same id; a refusal leaves that one watched. Appends what has befallen it since it was found.
    /// Several subscriptions of a route share one watch: its events are told once.
    [[nodiscard]] Outcome watch(const WorldSnapshot& now, const RouteOrder& order, std::vector<ToldRoute>& told);
    /// Ends all subscriptions of an id. @return whether there was any.
    bool end(const std::string& subscription);
    /// Looks at what is different since the last call, whoever changed it. Appends what befalls watched routes.
    void changed(const WorldSnapshot& now, std::vector<ToldRoute>& told);
    [[nodiscard]] std::size_t watchedCount() const { return watched_.size(); }

private:
    struct Answered {
        std::string target;
        RequestTicket ticket = RequestTicket::None;
        RequestKind kind = RequestKind::Path;
        PathStatus status = PathStatus::Unreachable;
        RouteTerms terms;
        std::vector<Path> routes;
    };
    struct Watched {
        std::string target;
        std::size_t index = 0;
        RequestTicket ticket = RequestTicket::None;
        bool one_of_several = false;
        std::vector<std::size_t> waypoint_cells;  ///< For each waypoint the index of its cell.
        std::vector<std::string> subscriptions;
    };

    [[nodiscard]] const Answered* find(const std::string& target, RequestTicket ticket) const;
    void tell(std::vector<ToldRoute>& told);

    RouteWatch watch_;
    std::deque<Answered> answered_;       ///< Oldest first.
    std::map<RouteId, Watched> watched_;
    RouteId last_id_ = 0;
    WorldSnapshot seen_;                  ///< What the watch has looked at; empty while nothing is watched.
    std::vector<CellRect> rects_;
    std::vector<RouteEvent> events_;
};

}  // namespace warpath::module_detail
