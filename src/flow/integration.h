// Distances to the goals of an area: a queue of chunks, each settled by the chunk kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "warpath/grid/bucket_queue.h"
#include "warpath/grid/chunk_kernel.h"
#include "warpath/grid/flow_field.h"
#include "warpath/grid/tile_binding.h"

namespace warpath::flow {

/// A cell of the working area: number of its chunk, local index.
struct Place {
    std::uint32_t chunk = 0;
    int local = 0;
};

/// The state of one chunk while a field is computed.
struct ChunkWork {
    ChunkCoord chunk;
    bool bound = false;
    bool queued = false;
    bool fresh = false;                            ///< Compiled for the snapshot even where a former generation has the chunk.
    bool touched = false;                          ///< Has a place in the list of chunks to clear.
    const std::uint16_t* f = nullptr;
    const std::uint8_t* moves = nullptr;
    const std::int32_t* elevation_cm = nullptr;
    std::uint32_t elevation_mask = 0;
    std::shared_ptr<const MoveTile> move_tile;
    std::shared_ptr<const CostTile> cost_tile;
    std::shared_ptr<FlowDistances> own;            ///< Distances that may be written.
    std::shared_ptr<const FlowDistances> former;   ///< Of an earlier generation; copied before the first write.
    std::uint64_t seed_rows = 0;                   ///< Rows that changed since the chunk was settled.
    std::uint64_t seed_border[4] = {};             ///< Border cells that changed since, as in ChunkRelaxation::changed_border.
    Cost key = kNoFlowDistance;                    ///< Lowest value that waits.

    [[nodiscard]] const FlowDistances* distances() const { return own != nullptr ? own.get() : former.get(); }
    [[nodiscard]] Cost at(int local) const {
        const FlowDistances* d = distances();
        return d != nullptr ? d->at(local) : kNoFlowDistance;
    }
    [[nodiscard]] bool fits(int local) const { return move_tile->fits(local); }
    [[nodiscard]] std::int32_t height(int local) const { return elevation_cm[static_cast<std::uint32_t>(local) & elevation_mask]; }
};

/// Values come in order of the queue's keys, so what lies below the current key is final.
class Integration {
public:
    /// Clears everything for an area of chunks [first, first + columns x rows).
    /// @param former an earlier generation: chunks that are not refreshed take costs, moves and distances from its tiles.
    /// @param only when not empty: the chunks of the map that count; the others are as far away as those outside the area.
    void begin(const WorldSnapshot& snapshot, const CostKey& key, ChunkCoord first, int columns, int rows, const std::shared_ptr<TileStore>& store,
               std::span<const ChunkCoord> only = {}, std::shared_ptr<const FlowField> former = nullptr);
    /// False for chunks that do not count.
    [[nodiscard]] bool isOpen(std::uint32_t index) const { return open_.empty() || open_[index]; }
    /// The chunk's ground may have changed since the former generation. Call it before the chunk is bound.
    void refresh(std::uint32_t index) {
        touch(index);
        works_[index].fresh = true;
    }

    /// No distance will be below this: the base of the first chunks. Call it before the first `lower`.
    void startAt(Cost lowest) { current_key_ = lowest; }

    [[nodiscard]] int columns() const { return columns_; }
    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] std::uint32_t chunkCount() const { return static_cast<std::uint32_t>(columns_ * rows_); }
    [[nodiscard]] const ChunkWork& work(std::uint32_t index) const { return works_[index]; }
    /// Costs and moves of a chunk, compiled on first use.
    ChunkWork& bound(std::uint32_t index) {
        ChunkWork& w = works_[index];
        if (!w.bound) bind(index);
        return w;
    }
    /// The chunk one step away; kNone outside the area and where it does not count.
    [[nodiscard]] std::uint32_t neighbour(std::uint32_t index, int direction) const;
    [[nodiscard]] bool contains(int grid_x, int grid_y) const;
    /// @pre contains.
    [[nodiscard]] Place placeOf(int grid_x, int grid_y) const;
    /// The cell one step away. False outside the area.
    [[nodiscard]] bool step(const Place& from, int direction, Place& to) const;

    [[nodiscard]] Cost at(const Place& p) const { return works_[p.chunk].at(p.local); }
    /// Of a step into `to`. Both chunks are bound.
    [[nodiscard]] Cost stepCost(const Place& from, const Place& to, int direction) const;
    [[nodiscard]] bool legal(const Place& from, int direction) const {
        const ChunkWork& w = works_[from.chunk];
        return ((w.moves[from.local] >> direction) & 1) != 0 && w.fits(from.local);
    }

    /// Lowers a distance and queues its chunk. Nothing happens when it is not lower.
    void lower(const Place& p, Cost value) {
        if (lowerUnqueued(p.chunk, p.local, value)) enqueue(p.chunk, value);
    }
    /// Forgets a distance; the rows around it will be looked at again once the chunk is queued.
    void forget(const Place& p);
    void seedRows(std::uint32_t index, std::uint64_t rows) { works_[index].seed_rows |= rows; }
    void enqueue(std::uint32_t index, Cost key);
    /// Offers the values of border cells to the chunks beside: bit i of changed[side] is the i-th cell of a side (order as ChunkRelaxation).
    void pushBorder(std::uint32_t index, const std::uint64_t (&changed)[4]);

    /// Settles chunks in the order of their keys, until the queue is empty, its key exceeds `stop`, or every place of `needed` is final by `margin`.
    void run(Cost stop, std::span<const Place> needed, Cost margin);
    void limitHorizon(Cost most) { horizon_ = horizon_ < most ? horizon_ : most; }
    /// Everything up to this is final: UINT64_MAX when the queue ran empty.
    [[nodiscard]] Cost horizon() const { return horizon_; }
    /// Forgets what lies beyond the horizon.
    void truncate();

    [[nodiscard]] std::span<const std::uint32_t> touched() const { return touched_; }
    [[nodiscard]] std::uint64_t visits() const { return visits_; }
    [[nodiscard]] const TileBinding& binding() const { return binding_; }
    [[nodiscard]] ChunkCoord first() const { return first_; }
    FlowDistances& writable(std::uint32_t index);
    /// Takes back the copy that `writable` made: the distances are those of the former generation again.
    void shareAgain(std::uint32_t index) { works_[index].own.reset(); }
    [[nodiscard]] bool pricesElevation() const { return elevation_; }
    /// Whether a step inside a chunk or over its border may be priced for its rise.
    [[nodiscard]] bool risesAround(std::uint32_t index) const;
    [[nodiscard]] std::size_t memoryBytes() const;

    static constexpr std::uint32_t kNone = UINT32_MAX;

private:
    struct PlanSlot {
        std::unique_ptr<ChunkSweepPlan> plan;
        std::shared_ptr<const MoveTile> moves;
        std::shared_ptr<const CostTile> costs;
        std::size_t owner = 0;  ///< Chunk of the map.
    };
    struct Waiting {
        Cost key;
        std::uint32_t chunk;
        friend bool operator<(const Waiting& a, const Waiting& b) { return a.key != b.key ? a.key > b.key : a.chunk > b.chunk; }
    };

    void bind(std::uint32_t index);
    void touch(std::uint32_t index);
    bool lowerUnqueued(std::uint32_t index, int local, Cost value);
    const ChunkSweepPlan& planOf(const ChunkWork& w);
    void visit(std::uint32_t index);
    ChunkRelaxation relaxScalar(ChunkWork& w, FlowDistances& d, std::uint64_t rows);
    /// pushSide for distances of 32 bits and steps without a price on climbing. False, having done nothing, when the values do not suit it.
    bool pushSideNarrow(std::uint32_t from, std::uint32_t to, int side, std::uint64_t changed);
    void pushSide(std::uint32_t from, std::uint32_t to, int side, std::uint64_t changed);

    TileBinding binding_;
    std::shared_ptr<const FlowField> former_;
    bool elevation_ = false;
    ChunkCoord first_;
    int columns_ = 0, rows_ = 0;
    std::vector<bool> open_;  ///< Empty when all chunks count.
    std::vector<ChunkWork> works_;
    std::vector<std::uint32_t> touched_;
    std::vector<Waiting> heap_;
    Cost current_key_ = 0;
    Cost horizon_ = 0;
    std::uint64_t visits_ = 0;

    std::vector<PlanSlot> plans_;
    std::vector<std::uint32_t> plan_of_chunk_;  ///< By chunk of the map.
    std::uint32_t next_plan_ = 0;
    ChunkKernelScratch scratch_;
    BucketQueue queue_;
    std::vector<Cost> absolute_;
};

}  // namespace warpath::flow
