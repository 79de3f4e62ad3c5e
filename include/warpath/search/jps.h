// Jump point search for profiles of uniform cost: the costs of A* at a fraction of the work.
//
//   JumpPointSearch jps;                                     // one per thread
//   JpsResult r = jps.run(regions, start, goal, hundredths, limit);
//   jps.extract(cells);
#pragma once

#include <cstdint>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/core/status.h"
#include "warpath/core/types.h"
#include "warpath/grid/bucket_queue.h"
#include "warpath/grid/region_table.h"

namespace warpath {

struct JpsResult {
    PathStatus status = PathStatus::Unreachable;  ///< Found, Unreachable or CostLimit.
    Cost cost = 0;
    std::uint64_t expansions = 0;                 ///< Jump points settled.
};

/// Method: jump point search without corner cutting (Harabor and Grastien 2011), scanning 64 cells at a time and leaving out the diagonal turning
/// points (Harabor and Grastien 2014, "Improving jump point search": bit-parallel blocks, intermediate pruning). Where scans stop is kept ready by the region
/// table and repaired with it (ChunkStops).
/// Right for uniform cost, the strict diagonal rule and limits that do not depend on direction; any unit size.
/// Memory: 24 bytes per jump point seen, kept for the next search. No allocation once grown. Setup does not depend on the map's size
/// once the index of chunks has been sized.
/// Threads: one at a time per object.
class JumpPointSearch {
public:
    /// @param start, goal grid cells inside the map, both free. @param hundredths the one f of the map. @param max_cost UINT64_MAX: no limit.
    JpsResult run(const RegionTable& regions, Cell start, Cell goal, std::uint32_t hundredths, Cost max_cost);

    /// The cells of the last route found, as grid cell ids: diagonal steps first, then straight ones, between jump points.
    void extract(std::vector<CellId>& cells) const;

    [[nodiscard]] std::size_t memoryBytes() const;

private:
    /// A jump point. `directions`: bit d, it was reached at this cost moving in (straight) direction d.
    struct Node {
        Cost g;
        CellId cell;
        std::uint32_t parent;
        std::uint8_t directions;
        std::uint8_t done;
    };

    std::uint32_t nodeAt(CellId cell);
    void reach(std::uint32_t parent, int x, int y, int direction, Cost g);
    void scanStraight(std::uint32_t parent, int x, int y, int direction, Cost g);
    void scanDiagonal(std::uint32_t parent, int x, int y, int direction, Cost g);
    template <int kDirection>
    void scanTowards(std::uint32_t parent, int x, int y, Cost g);
    template <int kDirection>
    void walkDiagonal(std::uint32_t parent, int x, int y, Cost g);
    void beginQuery(const RegionTable& regions);

    const RegionTable* regions_ = nullptr;
    Cell goal_;
    std::uint64_t f_ = 100;
    Cost limit_ = UINT64_MAX;
    Cost goal_cost_ = UINT64_MAX;
    bool pruned_ = false;
    std::vector<Node> nodes_;
    std::vector<std::uint64_t> index_;  // open addressing: stamp << 32 | node
    std::uint32_t stamp_ = 0;
    std::uint32_t goal_node_ = 0;
    BucketQueue queue_;
};

}  // namespace warpath
