// The whole paths that a service keeps: found again by the request and by the revisions of all that the answer depends on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "warpath/service/service.h"

namespace warpath::service_detail {

/// Numbers for the threat to each side and for congestion, as the service has seen them: a number stays while nothing of it changes and never comes again.
/// Threads: the game's only.
class LayerStamps {
public:
    void see(const WorldSnapshot& snapshot);

    std::array<std::uint64_t, kMaxSides> threat{};
    std::uint64_t congestion = 0;

private:
    WorldSnapshot seen_;
    std::uint64_t last_ = 0;
};

/// What an answer depends on beside the request. Equal ones mean equal answers; the world's own revision is no part of it.
struct PathBasis {
    std::uint64_t world_id = 0, rules = 0, ground = 0, threat = 0, congestion = 0;

    PathBasis() = default;
    /// Threat counts whatever its weight: routes tell the threat along them. @pre `layers` has seen the snapshot.
    PathBasis(const WorldSnapshot& snapshot, const LayerStamps& layers, int side);
    /// Nothing in it is older, and it is of the same world.
    [[nodiscard]] bool supersedes(const PathBasis& older) const {
        return world_id == older.world_id && rules >= older.rules && ground >= older.ground && threat >= older.threat && congestion >= older.congestion;
    }
    friend bool operator==(const PathBasis&, const PathBasis&) = default;
};

struct PathCacheStats {
    std::uint64_t hits = 0, near_hits = 0, misses = 0, stale = 0, evicted = 0;
    std::size_t paths = 0, bytes = 0;
};

/// What a path takes with all that it has reserved [bytes].
[[nodiscard]] std::size_t bytesOf(const Path& path);

/// Threads: every method from any thread. What it holds changes time, never answers, unless a tolerance is set.
class PathCache {
public:
    explicit PathCache(const PathCacheOptions& options) : options_(options) {}

    /// Drops what is not true any more on this snapshot, or belongs to another world. Linear in the paths kept, nothing on the snapshot of last time.
    void see(const WorldSnapshot& snapshot, const LayerStamps& layers);
    /// Copies the kept answer to an equal request on an equal basis into `out`; its revision is that of the search. An entry with an older basis is dropped.
    [[nodiscard]] bool find(const PathBasis& basis, const PathRequest& request, Path& out);
    /// With a tolerance: the kept answers whose ends lie near those of the request (within the tolerance, and both gaps together no more than a quarter of
    /// either trip), nearest first, the first one that `joins` accepts.
    [[nodiscard]] bool findNear(const PathBasis& basis, const PathRequest& request, const std::function<bool(const PathRequest& kept)>& joins, Path& out);
    /// Keeps a copy of an answer. One on an older basis than what is kept is left out.
    void keep(const PathBasis& basis, const PathRequest& request, const Path& path);

    [[nodiscard]] PathCacheStats stats() const;

    /// Whether an answer is worth keeping: a search was made.
    [[nodiscard]] static bool keeps(const Path& path) { return path.status != PathStatus::InvalidArgument && path.expansions > 0; }

private:
    struct Entry {
        PathRequest request;  ///< Without a field.
        PathBasis basis;
        std::shared_ptr<const Path> path;
        std::size_t bytes = 0;
        std::uint64_t hash = 0, place = 0;
    };
    using Entries = std::list<Entry>;  ///< Least recently used first.
    using Index = std::unordered_multimap<std::uint64_t, Entries::iterator>;

    [[nodiscard]] Index::iterator locate(std::uint64_t hash, const PathRequest& request);
    /// Takes an entry out, into `dropped`, to be freed after the lock.
    void drop(Entries::iterator entry, Entries& dropped);
    static void eraseFrom(Index& index, std::uint64_t key, Entries::iterator entry);

    const PathCacheOptions options_;
    WorldSnapshot seen_;        // of the game's thread
    mutable std::mutex mutex_;  // guards everything below; paths are copied outside of it
    Entries entries_;
    Index by_request_;
    Index by_place_;  ///< With a tolerance: by the square of the start.
    std::size_t bytes_ = 0;
    PathCacheStats counts_;
};

}  // namespace warpath::service_detail
