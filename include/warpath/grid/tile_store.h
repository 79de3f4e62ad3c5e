// The shared store of compiled chunks: moves, costs, cover and regions, made on first use, found again by what they depend on.
//
//   auto store = std::make_shared<TileStore>(std::size_t{256} << 20);
//   std::shared_ptr<const MoveTile> tile = store->moves(snapshot, profile, {3, 5});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/core/hash.h"
#include "warpath/grid/cost_model.h"
#include "warpath/grid/cost_tile.h"
#include "warpath/grid/cover_tile.h"
#include "warpath/grid/move_tile.h"
#include "warpath/grid/region_table.h"
#include "warpath/world/snapshot.h"

namespace warpath {

struct TileStoreStats {
    std::uint64_t hits = 0;
    std::uint64_t compiled = 0;
    std::uint64_t evicted = 0;
    std::size_t bytes = 0;  ///< Keys and values.
    std::size_t entries = 0;
    std::uint64_t tables_made = 0;
    std::uint64_t tables_evicted = 0;
    std::size_t table_bytes = 0;  ///< Keys and values, under a cap of their own.
    std::size_t table_entries = 0;
};

/// Keys are the revisions and settings that a tile depends on, never the world's revision; so an edit makes only its neighbourhood anew.
/// Over a cap the least recently used tiles or tables are dropped (holders keep theirs). What is in the store changes time, never answers.
/// Threads: every method may be called from any thread.
class TileStore {
public:
    /// @param max_bytes cap on the tiles that the store keeps. @param max_table_bytes cap on its tables.
    explicit TileStore(std::size_t max_bytes = kDefaultBytes, std::size_t max_table_bytes = kDefaultBytes);
    ~TileStore();
    /// Other caps, from the next tile and table on that is added.
    void setCaps(std::size_t max_bytes, std::size_t max_table_bytes);
    TileStore(const TileStore&) = delete;
    TileStore& operator=(const TileStore&) = delete;

    [[nodiscard]] std::shared_ptr<const MoveTile> moves(const WorldSnapshot& snapshot, const MobilityProfile& profile, ChunkCoord chunk);
    [[nodiscard]] std::shared_ptr<const CostTile> costs(const WorldSnapshot& snapshot, const CostKey& key, ChunkCoord chunk);
    [[nodiscard]] std::shared_ptr<const CoverTile> cover(const WorldSnapshot& snapshot, ChunkCoord chunk);

    /// The region table of a profile on this snapshot: built once (linear in the map), then repaired from the nearest table kept.
    [[nodiscard]] std::shared_ptr<const RegionTable> regions(const WorldSnapshot& snapshot, const MobilityProfile& profile);

    /// A table of a higher layer (the store knows only its size), with the digest of all that it was computed from.
    struct MadeTable {
        std::shared_ptr<const void> table;
        std::size_t bytes = 0;
        Digest128 digest;
    };
    /// The table that `name` stands for: the one kept, else what `make` returns, kept under both its digest and the name. A name must hold the
    /// revisions of all that the table depends on. `make` runs without a lock and may look for its digest with `findTable` first.
    [[nodiscard]] std::shared_ptr<const void> table(const Digest128& name, const std::function<MadeTable()>& make);
    /// The table with this digest, or null.
    [[nodiscard]] std::shared_ptr<const void> findTable(const Digest128& digest);

    /// Registers a metric for tables that are kept and prepared: today the region table of its profile, so that no query pays for building it.
    /// Several owners may register the same one; it stays until each has taken it off. @return an error when kMaxMetrics others are registered already.
    [[nodiscard]] std::optional<Error> registerMetric(const Metric& metric);
    /// Takes back one registration; after the last one, what was prepared for the metric is dropped when its place is needed. @return whether it was registered.
    bool unregisterMetric(const Metric& metric);
    [[nodiscard]] std::vector<Metric> registeredMetrics() const;
    /// Builds or repairs what the registered metrics need on this snapshot; those of a unit class that its rules do not have are left out. Call it where time may be spent: after loading, after edits, on a worker.
    void prepare(const WorldSnapshot& snapshot);

    [[nodiscard]] TileStoreStats stats() const;
    /// Drops everything that nobody holds.
    void clear();

    static constexpr std::size_t kMaxMetrics = 32;
    static constexpr std::size_t kDefaultBytes = std::size_t{256} << 20;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace warpath
