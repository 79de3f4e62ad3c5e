// What registered metrics need, made ahead on the executor: the regions of each profile, and the hierarchy's tables of each metric.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpath/grid/tile_store.h"
#include "warpath/search/chunk_table.h"
#include "warpath/search/group_table.h"
#include "warpath/world/snapshot.h"

namespace warpath::service_detail {

/// One slice of work at a time, so that no worker is away for long. Shared with the job at hand, which may outlive the service.
/// Threads: who has turned `busy` from false to true is the only one to touch the rest until it is false again.
class Preparation {
public:
    /// @param from_distance on maps without a way this long no table is made: the hierarchy is not asked there [m].
    Preparation(float from_distance, const PortalRules& portals) : from_distance_(from_distance), portals_(portals) {}

    std::atomic<bool> busy{false};

    /// Whether there is something to do for this snapshot.
    [[nodiscard]] bool isDue(const WorldSnapshot& snapshot) const;
    /// Makes the regions, then tables of some chunks and after these of groups: first those of all, later those that changed ground can reach. Once the store
    /// is full no more are made ahead until the ground changes.
    void run(const WorldSnapshot& snapshot, TileStore& tiles);

    [[nodiscard]] std::uint64_t count() const { return count_; }    ///< Times that new ground was taken up.
    [[nodiscard]] std::uint64_t tables() const { return tables_; }  ///< Tables brought up to date.

private:
    void noteChanges(const WorldSnapshot& snapshot);
    void want(ChunkCoord chunk, int columns);
    [[nodiscard]] bool makesGroups(const WorldSnapshot& snapshot) const;
    [[nodiscard]] static ChunkCoord chunkOf(std::uint32_t index, int columns) { return {static_cast<int>(index) % columns, static_cast<int>(index) / columns}; }

    const float from_distance_;
    const PortalRules portals_;
    WorldSnapshot base_;                 ///< The ground that was last taken up.
    std::vector<std::uint32_t> wanted_;  ///< Chunks whose tables are to be made, by index; those before `next_` are done.
    std::size_t next_ = 0;
    std::vector<bool> is_wanted_;        ///< By chunk.
    std::vector<std::uint32_t> groups_;  ///< Groups whose tables are to be made, last first.
    std::vector<bool> is_group_wanted_;
    ChunkTableBuilder builder_;
    GroupTableBuilder group_builder_;
    std::atomic<std::uint64_t> count_{0}, tables_{0};
};

}  // namespace warpath::service_detail
