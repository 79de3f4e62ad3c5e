// Computes flow fields: costs, then distances, then arrows; repairs and extends them.
//
//   FlowBuilder builder;                                                             // one per thread
//   FlowAnswer made = builder.build(snapshot, request, store);
//   auto done = world.edit(...);
//   FlowAnswer next = builder.repair(made.field, request, done.snapshot, store);     // readers of made.field keep theirs
#pragma once

#include <memory>

#include "warpath/flow/flow_request.h"
#include "warpath/grid/flow_field.h"
#include "warpath/grid/tile_store.h"

namespace warpath {

/// Method: reversed Dijkstra over directed step costs, as a queue of chunks keyed by the smallest border value that changed; each visit settles a chunk by
/// the chunk kernel (row sweeps with prefix minima). Distances are exact. An arrow is the legal step with the least step cost + distance of the cell
/// it leads to; of equals a straight step before a diagonal one, then the lower direction. Every step costs something, so arrows have no cycle.
/// Memory: about 70 KiB for each of up to 256 prepared chunks, kept for the next computation.
/// Threads: one at a time per object.
class FlowBuilder {
public:
    FlowBuilder();
    ~FlowBuilder();
    FlowBuilder(const FlowBuilder&) = delete;
    FlowBuilder& operator=(const FlowBuilder&) = delete;

    /// All stages at once: begin, integrate, finish.
    [[nodiscard]] FlowAnswer build(const WorldSnapshot& snapshot, const FlowRequest& request, const std::shared_ptr<TileStore>& store);

    /// A new generation for a newer snapshot of the same world: what led through the changes is dropped (the arrow subtree behind them) and found again
    /// from its rim; all else is shared. Equal to a new field to the bit (in what it holds, for a field with a horizon). A field without distances,
    /// with exits, redirected, of another world or under other rules, or one whose goals were blocked or freed is computed anew.
    /// @param request the one that `field` was made for; that of a tiled field may name further chunks (then it equals a new field of all of them; where
    ///   it leaves chunks out the field is computed anew).
    /// @return as build; InvalidArgument for none, and for a field of fast marching, which is built anew instead.
    /// Cost: in proportion to what changes, and to the number of changed chunks between the snapshots; 0.1 to 0.3 ms for a building on 1024 x 1024 cells.
    [[nodiscard]] FlowAnswer repair(const std::shared_ptr<const FlowField>& field, const FlowRequest& request, const WorldSnapshot& now,
                                    const std::shared_ptr<TileStore>& store);

    /// A new generation of a field that was computed only as far as its starts needed, on its own snapshot, so that it serves these starts as well. The
    /// field itself when it serves them already.
    /// @param request the one that `field` was made for. @pre field->hasDistances().
    [[nodiscard]] FlowAnswer extend(const std::shared_ptr<const FlowField>& field, const FlowRequest& request, std::span<const Cell> starts,
                                    const std::shared_ptr<TileStore>& store);

    /// The stages one by one, for inspection and measuring. `begin` checks the request and binds costs and moves of the area (all of it unless
    /// only_needed); @return false when the answer is known already (`finish` gives it).
    bool begin(const WorldSnapshot& snapshot, const FlowRequest& request, const std::shared_ptr<TileStore>& store);
    void integrate();
    [[nodiscard]] FlowAnswer finish();

    /// Between `integrate` and `finish`: the distance of a world cell.
    [[nodiscard]] Cost distance(Cell cell) const;

    [[nodiscard]] std::size_t memoryBytes() const;

    struct Impl;  ///< Private to src/flow.

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace warpath
