#include "service/path_cache.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "warpath/core/hash.h"

namespace warpath::service_detail {
namespace {

/// Bits, so that -0 is not 0: a route tells its ends as they were given.
bool same(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }
bool same(Position a, Position b) { return same(a.x, b.x) && same(a.y, b.y); }

bool sameGoal(const Goal& a, const Goal& b) {
    return a.kind == b.kind && same(a.centre, b.centre) && same(a.inner_radius, b.inner_radius) && same(a.radius, b.radius) && a.rect == b.rect &&
           std::equal(a.positions.begin(), a.positions.end(), b.positions.begin(), b.positions.end(), [](Position p, Position q) { return same(p, q); });
}

/// All but the ends and the field.
bool sameTerms(const PathRequest& a, const PathRequest& b) {
    // A member that is new does not compile here: it must be compared below, or answers would be given to others' questions.
    [[maybe_unused]] const auto& [from, goal, constraints, side, partial, self, at_goal, cost, expansions, weight, algorithm, detail, group, field] = a;
    return a.constraints == b.constraints && a.side == b.side && a.allow_partial == b.allow_partial && a.ignore_self == b.ignore_self &&
           a.ignore_goal == b.ignore_goal && a.max_cost == b.max_cost && a.max_expansions == b.max_expansions && a.weight == b.weight &&
           a.algorithm == b.algorithm && a.detail == b.detail && a.group_size == b.group_size;
}

bool sameRequest(const PathRequest& a, const PathRequest& b) { return same(a.from, b.from) && sameGoal(a.goal, b.goal) && sameTerms(a, b); }

std::uint64_t bitsOf(Position p) { return std::uint64_t{std::bit_cast<std::uint32_t>(p.x)} << 32 | std::bit_cast<std::uint32_t>(p.y); }

std::uint64_t hashOf(const PathRequest& request) {
    std::uint64_t h = Hash64::mix(bitsOf(request.from));
    h = Hash64::mix(h ^ bitsOf(request.goal.centre));
    for (const Position p : request.goal.positions) h = Hash64::mix(h ^ bitsOf(p));
    const CellRect& r = request.goal.rect;
    h = Hash64::mix(h ^ (std::uint64_t{static_cast<std::uint32_t>(r.x)} << 32 | static_cast<std::uint32_t>(r.y)));
    return Hash64::mix(h ^ static_cast<std::uint64_t>(request.side) << 32 ^ static_cast<std::uint64_t>(request.algorithm) << 16 ^
                       static_cast<std::uint64_t>(request.constraints.unit_type) << 8 ^ static_cast<std::uint64_t>(request.constraints.doctrine));
}

std::int64_t squareOf(float metres, float side) { return static_cast<std::int64_t>(std::floor(static_cast<double>(metres) / static_cast<double>(side))); }
std::uint64_t placeOf(std::int64_t x, std::int64_t y) { return Hash64::mix(static_cast<std::uint64_t>(x) << 32 ^ static_cast<std::uint64_t>(y & 0xffffffff)); }

double squaredDistance(Position a, Position b) {
    const double dx = static_cast<double>(a.x) - static_cast<double>(b.x), dy = static_cast<double>(a.y) - static_cast<double>(b.y);
    return dx * dx + dy * dy;
}

/// How near both ends of a kept trip must lie in all, as a share of the trip: beyond, the way back or a trip to the next corner would count as the same.
constexpr double kNearShare = 0.25;

/// Nodes of the list and of both indices with their share of the buckets, and the counters of the shared path.
constexpr std::size_t kNodeBytes = 2 * sizeof(void*) + 2 * 6 * sizeof(void*) + 2 * sizeof(void*);

template <class Record>
bool differ(const ChunkDirectory<Record>& a, const ChunkDirectory<Record>& b) {
    bool any = false;
    a.forEachDifference(b, [&](ChunkCoord, const auto*, const auto*) { any = true; });
    return any;
}

/// Short texts lie in the string itself.
std::size_t heapOf(const std::string& text) { return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0; }

void give(const Path& kept, Path& out) {
    out = kept;
    out.computation_time_ms = 0.0;
}

}  // namespace

std::size_t bytesOf(const Path& path) {
    return sizeof(Path) + (path.waypoints.capacity() + path.cover_points.capacity()) * sizeof(Waypoint) + path.cells.capacity() * sizeof(Cell) +
           path.chokepoints.capacity() * sizeof(Position) + heapOf(path.error.field) + heapOf(path.error.value) + heapOf(path.error.remedy);
}

void LayerStamps::see(const WorldSnapshot& snapshot) {
    if (seen_ == snapshot) return;
    const WorldSnapshot before = std::exchange(seen_, snapshot);
    ++last_;
    if (!before.valid() || before.state().world_id != snapshot.state().world_id) {
        threat.fill(last_);
        congestion = last_;
        return;
    }
    const WorldState& now = snapshot.state();
    for (std::size_t side = 0; side < threat.size(); ++side) {
        if (now.threat_chunks[side] == 0 && before.state().threat_chunks[side] == 0) continue;
        if (differ(now.threat[side], before.state().threat[side])) threat[side] = last_;
    }
    if ((now.congested_chunks != 0 || before.state().congested_chunks != 0) && differ(now.congestion, before.state().congestion)) congestion = last_;
}

PathBasis::PathBasis(const WorldSnapshot& snapshot, const LayerStamps& layers, int side)
    : world_id(snapshot.state().world_id), rules(snapshot.state().rules_revision), ground(snapshot.state().ground_revision),
      threat(side >= 0 && side < kMaxSides ? layers.threat[static_cast<std::size_t>(side)] : 0), congestion(layers.congestion) {}

void PathCache::see(const WorldSnapshot& snapshot, const LayerStamps& layers) {
    if (seen_ == snapshot) return;
    seen_ = snapshot;
    Entries dropped;
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        const auto here = entry++;
        if (here->basis == PathBasis(snapshot, layers, here->request.side)) continue;
        drop(here, dropped);
        ++counts_.stale;
    }
}

PathCache::Index::iterator PathCache::locate(std::uint64_t hash, const PathRequest& request) {
    const auto [first, last] = by_request_.equal_range(hash);
    const auto at = std::find_if(first, last, [&](const auto& item) { return sameRequest(item.second->request, request); });
    return at == last ? by_request_.end() : at;
}

void PathCache::eraseFrom(Index& index, std::uint64_t key, Entries::iterator entry) {
    const auto [first, last] = index.equal_range(key);
    const auto at = std::find_if(first, last, [&](const auto& item) { return item.second == entry; });
    if (at != last) index.erase(at);
}

void PathCache::drop(Entries::iterator entry, Entries& dropped) {
    eraseFrom(by_request_, entry->hash, entry);
    eraseFrom(by_place_, entry->place, entry);
    bytes_ -= entry->bytes;
    dropped.splice(dropped.end(), entries_, entry);
}

bool PathCache::find(const PathBasis& basis, const PathRequest& request, Path& out) {
    const std::uint64_t hash = hashOf(request);
    std::shared_ptr<const Path> kept;
    Entries dropped;
    {
        const std::lock_guard lock(mutex_);
        const auto at = locate(hash, request);
        if (at != by_request_.end()) {
            const Entries::iterator entry = at->second;
            if (entry->basis == basis) {
                entries_.splice(entries_.end(), entries_, entry);
                kept = entry->path;
            } else if (basis.supersedes(entry->basis)) {
                drop(entry, dropped);
                ++counts_.stale;
            }
        }
        if (kept == nullptr && options_.tolerance == 0.0f) ++counts_.misses;
        if (kept != nullptr) ++counts_.hits;
    }
    if (kept == nullptr) return false;
    give(*kept, out);
    return true;
}

bool PathCache::findNear(const PathBasis& basis, const PathRequest& request, const std::function<bool(const PathRequest& kept)>& joins, Path& out) {
    struct Candidate {
        double distance;
        PathRequest request;
        std::shared_ptr<const Path> path;
    };
    std::vector<Candidate> near;
    const float side = options_.tolerance;
    if (side <= 0.0f) return false;
    {
        const std::lock_guard lock(mutex_);
        if (request.goal.kind != Goal::Kind::Point) {
            ++counts_.misses;
            return false;
        }
        const double trip = std::sqrt(squaredDistance(request.from, request.goal.centre));
        const std::int64_t cx = squareOf(request.from.x, side), cy = squareOf(request.from.y, side);
        for (std::int64_t y = cy - 1; y <= cy + 1; ++y) {
            for (std::int64_t x = cx - 1; x <= cx + 1; ++x) {
                const auto [first, last] = by_place_.equal_range(placeOf(x, y));
                for (auto at = first; at != last; ++at) {
                    const Entry& entry = *at->second;
                    if (!(entry.basis == basis) || entry.request.goal.kind != Goal::Kind::Point || !entry.path->hasRoute() || !sameTerms(entry.request, request)) continue;
                    const double from = std::sqrt(squaredDistance(entry.request.from, request.from));
                    const double to = std::sqrt(squaredDistance(entry.request.goal.centre, request.goal.centre));
                    const double kept_trip = std::sqrt(squaredDistance(entry.request.from, entry.request.goal.centre));
                    if (std::max(from, to) > static_cast<double>(side) || from + to > kNearShare * std::min(trip, kept_trip)) continue;
                    near.push_back({from + to, entry.request, entry.path});
                }
            }
        }
    }
    std::stable_sort(near.begin(), near.end(), [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
    const auto chosen = std::find_if(near.begin(), near.end(), [&](const Candidate& c) { return joins(c.request); });
    {
        const std::lock_guard lock(mutex_);
        if (chosen == near.end()) {
            ++counts_.misses;
        } else {
            ++counts_.hits;
            ++counts_.near_hits;
        }
    }
    if (chosen == near.end()) return false;
    give(*chosen->path, out);
    return true;
}

void PathCache::keep(const PathBasis& basis, const PathRequest& request, const Path& path) {
    Entries made;
    made.push_back({request, basis, std::make_shared<const Path>(path), 0, hashOf(request), 0});
    const Entries::iterator entry = made.begin();
    entry->request.field.reset();
    entry->bytes = sizeof(Entry) + kNodeBytes + entry->request.goal.positions.capacity() * sizeof(Position) + bytesOf(*entry->path);
    Entries dropped;
    const std::lock_guard lock(mutex_);
    if (entry->bytes > options_.max_bytes || options_.max_paths == 0) return;
    const auto known = locate(entry->hash, request);
    if (known != by_request_.end()) {
        if (!entry->basis.supersedes(known->second->basis) && entry->basis.world_id == known->second->basis.world_id) return;
        drop(known->second, dropped);
    }
    if (options_.tolerance > 0.0f && request.goal.kind == Goal::Kind::Point) {
        entry->place = placeOf(squareOf(request.from.x, options_.tolerance), squareOf(request.from.y, options_.tolerance));
        by_place_.emplace(entry->place, entry);
    }
    by_request_.emplace(entry->hash, entry);
    bytes_ += entry->bytes;
    entries_.splice(entries_.end(), made);
    while (bytes_ > options_.max_bytes || entries_.size() > options_.max_paths) {
        drop(entries_.begin(), dropped);
        ++counts_.evicted;
    }
}

PathCacheStats PathCache::stats() const {
    const std::lock_guard lock(mutex_);
    PathCacheStats stats = counts_;
    stats.paths = entries_.size();
    stats.bytes = bytes_;
    return stats;
}

}  // namespace warpath::service_detail
