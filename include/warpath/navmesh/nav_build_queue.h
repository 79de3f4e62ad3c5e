// Chunks that wait for their mesh: coalesced, nearest to the players first, built off the game's thread.
//
//   NavBuildQueue queue(config.agents, max_jobs, executor);
//   queue.request({3, 5});  queue.setFocus(chunks_of_players);
//   queue.pump(world.snapshot(), links, inline_builds);  for (auto& done : queue.takeResults(limit)) ...
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpath/navmesh/nav_config.h"
#include "warpath/navmesh/nav_tile.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// A finished build: the chunk's tiles for every size class.
struct NavBuildResult {
    ChunkCoord chunk;
    std::uint64_t version = 0;        ///< Of the request that was built; higher is newer.
    std::vector<NavChunk> meshes;     ///< By size class.
};

/// Threads: every method belongs to the owner's thread. Jobs given to the executor touch only what they own and a lock-free list of results,
/// so the queue may be destroyed while jobs are under way.
class NavBuildQueue {
public:
    /// @param executor empty: pump builds by itself. @param max_jobs chunks under way at once.
    NavBuildQueue(std::vector<NavAgent> agents, int max_jobs, NavExecutor executor);
    ~NavBuildQueue();
    NavBuildQueue(const NavBuildQueue&) = delete;
    NavBuildQueue& operator=(const NavBuildQueue&) = delete;

    /// Asks for a chunk, again if it is being built. Requests for a waiting chunk are one.
    void request(ChunkCoord chunk);
    /// Forgets a chunk; a build under way comes to nothing.
    void cancel(ChunkCoord chunk);
    /// Orders what waits by square distance to the nearest of these; ties by row, then column.
    void setFocus(std::span<const ChunkCoord> focus);
    /// Starts builds on this snapshot: up to max_jobs under way with an executor, else up to `inline_builds` here and now.
    void pump(const WorldSnapshot& snapshot, std::shared_ptr<const std::vector<NavLink>> links, int inline_builds);
    /// Builds everything that waits or is under way on this thread; what the executor still brings is dropped.
    void buildAllHere(const WorldSnapshot& snapshot, const std::shared_ptr<const std::vector<NavLink>>& links);
    /// Finished builds that nothing newer has overtaken, oldest first, at most `limit`; the rest stay for the next call.
    [[nodiscard]] std::vector<NavBuildResult> takeResults(int limit);

    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] std::size_t underWay() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpath
