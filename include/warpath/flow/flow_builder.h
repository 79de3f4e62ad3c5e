// Computes flow fields: costs, then distances, then arrows.
//
//   FlowBuilder builder;                                                    // one per thread
//   FlowAnswer made = builder.build(snapshot, request, store);
#pragma once

#include <memory>

#include "warpath/flow/flow_request.h"
#include "warpath/grid/flow_field.h"
#include "warpath/grid/tile_store.h"

namespace warpath {

/// Method: reversed Dijkstra over directed step costs, as a queue of chunks keyed by the smallest border value that changed; each visit settles a chunk by
/// the chunk kernel (row sweeps with prefix minima). Distances are exact. An arrow is the legal step with the least step cost + distance of the cell
/// it leads to; of equals a straight step before a diagonal one, then the lower direction. Every step costs something, so arrows have no cycle.
/// Memory: 70 KB for each of up to 256 prepared chunks, kept for the next computation.
/// Threads: one at a time per object.
class FlowBuilder {
public:
    FlowBuilder();
    ~FlowBuilder();
    FlowBuilder(const FlowBuilder&) = delete;
    FlowBuilder& operator=(const FlowBuilder&) = delete;

    /// All stages at once: begin, integrate, finish.
    [[nodiscard]] FlowAnswer build(const WorldSnapshot& snapshot, const FlowRequest& request, const std::shared_ptr<TileStore>& store);

    /// The stages one by one, for inspection and measuring. `begin` checks the request and binds costs and moves of the area (all of it unless
    /// only_needed); @return false when the answer is known already (`finish` gives it).
    bool begin(const WorldSnapshot& snapshot, const FlowRequest& request, const std::shared_ptr<TileStore>& store);
    void integrate();
    [[nodiscard]] FlowAnswer finish();

    /// Between `integrate` and `finish`: the distance of a world cell.
    [[nodiscard]] Cost distance(Cell cell) const;

    [[nodiscard]] std::size_t memoryBytes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace warpath
