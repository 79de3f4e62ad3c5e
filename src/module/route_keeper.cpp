#include "module/route_keeper.h"

#include <algorithm>
#include <utility>

namespace warpath::module_detail {
namespace {

constexpr std::size_t kKeptAnswers = 256;
constexpr std::size_t kMaxWatched = 10'000;

/// For each waypoint the index of its cell; waypoints between the first and the last stand on the centres of cells.
std::vector<std::size_t> cellsOfWaypoints(const Path& route, int size) {
    std::vector<std::size_t> cells;
    const float half = 0.5f * static_cast<float>(size);
    for (std::size_t i = 0; i < route.cells.size() && cells.size() + 1 < route.waypoints.size(); ++i) {
        const Position centre{static_cast<float>(route.cells[i].x) + half, static_cast<float>(route.cells[i].y) + half};
        if (cells.empty() || route.waypoints[cells.size()].position == centre) cells.push_back(i);
    }
    cells.resize(route.waypoints.size(), route.cells.size() - 1);
    return cells;
}

}  // namespace

void RouteKeeper::forget() {
    for (const auto& [id, watched] : watched_) watch_.unsubscribe(id);
    watched_.clear();
    answered_.clear();
    seen_ = {};
}

void RouteKeeper::remember(const std::string& target, const RouteTerms& terms, const ServiceAnswer& answer) {
    if (answered_.size() >= kKeptAnswers) answered_.pop_front();
    Answered& kept = answered_.emplace_back(Answered{target, answer.ticket, answer.kind, answer.status, terms, answer.paths});
    std::erase_if(kept.routes, [](const Path& path) { return !path.hasRoute(); });
}

const RouteKeeper::Answered* RouteKeeper::find(const std::string& target, RequestTicket ticket) const {
    const auto found = std::find_if(answered_.rbegin(), answered_.rend(), [&](const Answered& a) {
        return a.target == target && (ticket == RequestTicket::None || a.ticket == ticket);
    });
    return found == answered_.rend() ? nullptr : &*found;
}

RouteKeeper::Outcome RouteKeeper::watch(const WorldSnapshot& now, const RouteOrder& order, std::vector<ToldRoute>& told) {
    const auto refuse = [](std::string field, std::string value, std::string remedy) {
        return Outcome{PathStatus::InvalidArgument, {std::move(field), std::move(value), std::move(remedy)}};
    };
    const Answered* answer = find(order.target, order.ticket);
    if (answer == nullptr) return refuse("target_id", order.target, "its routes are no longer kept; ask for the route again");
    if (answer->routes.empty()) {
        if (answer->status == PathStatus::Found || answer->status == PathStatus::Partial) {
            return refuse("target_id", order.target, "its answer has no route; ask with detail corners or cells");
        }
        const bool wrong = answer->status == PathStatus::InvalidArgument || answer->status == PathStatus::Rejected;
        return {answer->status, wrong ? Error{"target_id", order.target, "its answer tells what was wrong with that request; watch one that was found"} : Error{}};
    }
    if (order.index >= answer->routes.size()) {
        const std::size_t last = answer->routes.size() - 1;
        return refuse("path_index", std::to_string(order.index), last == 0 ? "use 0: its answer has one route" : "use 0 to " + std::to_string(last));
    }
    if (answer->terms.ignores_obstacles) return refuse("target_id", order.target, "ask for the route again without ignore_self and ignore_goal");
    if (!now.valid() || now.state().world_id != answer->terms.world_id) {
        return {PathStatus::Rejected, {"target_id", order.target, "the world was replaced since; ask for the route again"}};
    }

    const auto older = std::find_if(watched_.begin(), watched_.end(),
                                    [&](const auto& known) { return known.second.target == order.target && known.second.index == order.index; });
    if (older != watched_.end() && older->second.ticket == answer->ticket) {
        older->second.subscriptions.push_back(order.subscription);
        return {};
    }
    if (older == watched_.end() && watched_.size() >= kMaxWatched) {
        return {PathStatus::Rejected, {"routes", std::to_string(watched_.size()) + " watched", "cancel subscriptions that are no longer needed"}};
    }
    const Path& route = answer->routes[order.index];
    const auto resolved = resolve(answer->terms.constraints, now.rules());
    if (const auto* error = std::get_if<Error>(&resolved)) return {PathStatus::InvalidArgument, *error};
    const RouteId id = ++last_id_;
    events_.clear();
    if (!watch_.subscribe(id, now, route, answer->terms.constraints, answer->terms.side, &events_)) {
        return refuse("target_id", order.target, "its route does not fit the world any more; ask for it again");
    }
    if (older != watched_.end()) {
        watch_.unsubscribe(older->first);
        watched_.erase(older);
    }
    if (watched_.empty()) seen_ = now;
    watched_.emplace(id, Watched{order.target,
                                 order.index,
                                 answer->ticket,
                                 answer->kind == RequestKind::MultiPath,
                                 cellsOfWaypoints(route, std::get<ResolvedConstraints>(resolved).metric.profile.size),
                                 {order.subscription}});
    tell(told);
    return {};
}

bool RouteKeeper::end(const std::string& subscription) {
    bool any = false;
    for (auto at = watched_.begin(); at != watched_.end();) {
        std::vector<std::string>& subscriptions = at->second.subscriptions;
        const bool ended = std::erase(subscriptions, subscription) != 0;
        any = any || ended;
        if (ended && subscriptions.empty()) {
            watch_.unsubscribe(at->first);
            at = watched_.erase(at);
        } else {
            ++at;
        }
    }
    if (watched_.empty()) seen_ = {};
    return any;
}

void RouteKeeper::changed(const WorldSnapshot& now, std::vector<ToldRoute>& told) {
    if (watched_.empty() || (now == seen_ && watch_.settled())) return;
    rects_.clear();
    const Cell origin = now.origin();
    now.state().ground.forEachDifference(seen_.state().ground, [&](ChunkCoord chunk, const ChunkGround* mine, const ChunkGround* theirs) {
        const CellRect r = groundDifference(*mine, *theirs);
        if (r.empty()) return;
        rects_.push_back({origin.x + (chunk.x << kChunkShift) + r.x, origin.y + (chunk.y << kChunkShift) + r.y, r.width, r.height});
    });
    seen_ = now;
    events_.clear();
    watch_.changed(now, rects_, events_);
    tell(told);
}

void RouteKeeper::tell(std::vector<ToldRoute>& told) {
    for (const RouteEvent& event : events_) {
        const Watched& route = watched_.at(event.id);
        ToldRoute& tells = told.emplace_back(ToldRoute{route.target, route.index, route.one_of_several, 0, event});
        const std::vector<std::size_t>& cells = route.waypoint_cells;
        const auto bad = std::lower_bound(cells.begin(), cells.end(), event.first_bad);
        tells.bad_waypoint = std::min(static_cast<std::size_t>(bad - cells.begin()), cells.empty() ? 0 : cells.size() - 1);
    }
}

}  // namespace warpath::module_detail
