// The flow fields that a service keeps: found again by what they depend on, marked when the world changes under them, dropped when unused.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "warpath/service/service.h"

namespace warpath::service_detail {

struct Job;

/// What has changed under a field since its snapshot.
struct FieldStaleness {
    bool ground = false;
    bool prices = false;  ///< Threat or congestion.
    [[nodiscard]] bool any() const { return ground || prices; }
};

/// One computation, under way or finished and not yet published.
struct FieldBuild {
    FieldId id = FieldId::None;
    FieldRequest request;
    WorldSnapshot snapshot;
    FieldBasis basis;              ///< What it is made from; empty: from nothing.
    bool renews = false;           ///< There is a published generation already.
    std::uint64_t started_tick = 0;
    FieldStaleness stale;          ///< Since `snapshot`.
    std::vector<Job*> askers;      ///< Field requests that it will answer.
    bool published = false;
    Job* job = nullptr;            ///< Computes it; null once that is collected.
    // Guarded by the workshop's mutex:
    bool done = false;
    bool failed = false;           ///< The pathfinder threw or could not be made; `result` says so.
    std::vector<Job*> waiting;     ///< Path requests that are due and want the field.
    // Written by whoever computes it, before `done`:
    std::shared_ptr<const FieldResult> result;
};

struct FieldEntry {
    FieldId id = FieldId::None;
    FieldKey key;
    FieldRequest request;
    FieldBasis current;            ///< The published generation; empty before the first.
    std::size_t bytes = 0;         ///< Of its field.
    FieldStaleness stale;          ///< Since its snapshot.
    std::uint64_t used_tick = 0;   ///< Last asked for.
    std::uint64_t refreshed_tick = 0;  ///< The tick at which the last computation began.
    bool followed = false;         ///< Somebody samples it or was given its id as an answer to a field request: it is kept up to date.
    std::vector<std::shared_ptr<FieldBuild>> builds;  ///< Oldest first.

    void publish(std::shared_ptr<const FieldResult> result, const WorldSnapshot& snapshot);
};

/// Threads: the game's only. A function of the calls alone, those that bring finished builds included.
class FieldCache {
public:
    void configure(const FieldCacheOptions& options) { options_ = options; }
    [[nodiscard]] const FieldCacheOptions& options() const { return options_; }

    /// Marks what changed since the last call. Another world, or other rules, end every entry.
    void see(const WorldSnapshot& snapshot);
    /// The entry of a key, made when it is new.
    FieldEntry& entryOf(const FieldKey& key, const FieldRequest& request);
    [[nodiscard]] FieldEntry* find(FieldId id);
    /// Of the tiled fields for some of an entry's positions, with all else equal, the one for most of them; null when there is none.
    [[nodiscard]] const FieldEntry* smaller(const FieldEntry& entry) const;
    /// Drops entries that nobody has asked for lately, then the longest unused while there are too many or too large ones. Never one whose first
    /// generation is under way, or a newer one that a request waits for.
    void trim(std::uint64_t tick);
    /// Whether an id was ever given out.
    [[nodiscard]] bool wasGiven(FieldId id) const { return id != FieldId::None && static_cast<std::uint64_t>(id) <= last_id_; }
    [[nodiscard]] std::map<FieldId, FieldEntry>& entries() { return entries_; }
    [[nodiscard]] const std::map<FieldId, FieldEntry>& entries() const { return entries_; }
    [[nodiscard]] std::size_t bytes() const;

private:
    void drop(FieldId id);
    void markChunk(const WorldSnapshot& snapshot, ChunkCoord chunk, bool ground, int side);

    FieldCacheOptions options_;
    WorldSnapshot seen_;
    std::uint64_t last_id_ = 0;
    std::map<FieldId, FieldEntry> entries_;
    std::unordered_multimap<std::uint64_t, FieldId> by_hash_;
};

}  // namespace warpath::service_detail
