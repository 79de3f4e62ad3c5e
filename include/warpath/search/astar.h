// Optimal A* over bound chunks: the exact search that everything else is measured against.
//
//   AStar search;                                        // one per thread
//   binding.bind(snapshot, key, {}, store);
//   goal.setCell(x1, y1);
//   AStarResult r = search.run(binding, x0, y0, goal, {});
//   search.extract(binding, r.end, cells);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/core/status.h"
#include "warpath/grid/bucket_queue.h"
#include "warpath/grid/tile_binding.h"
#include "warpath/search/goal_field.h"
#include "warpath/search/goal_shape.h"

namespace warpath {

class ChunkCorridor;

/// Options of one search. Every default is valid; the default search is optimal.
struct AStarOptions {
    /// Heuristic multiplier [hundredths] [100..10'000] [100: optimal]. The cost is at most this many hundredths of the optimum (Pohl 1970).
    std::uint32_t weight_hundredths = 100;
    /// Stop after settling this many cells [0: no limit].
    std::uint64_t max_expansions = 0;
    /// Prune whatever must cost more than this [kCostPerMetre units] [UINT64_MAX: no limit].
    Cost max_cost = UINT64_MAX;
    /// Remember the settled cell nearest to the goal, for routes that cannot reach it (always on with max_expansions).
    bool track_nearest = false;
    /// What nearness is measured to when it is not the goal of the search [null: the goal]. Must outlive the call.
    const GoalShape* nearest_to = nullptr;
    /// A field built for the same binding, goal and start, whose bounds replace the octile ones [null: octile]. Must outlive the call.
    const GoalField* field = nullptr;
    /// Look only at the steps that canonical ordering needs, about a third of them (Sturtevant and Rabin 2016) [false].
    /// @pre one price for every cell, strict corners, no elevation cost, no limit that depends on direction, weight 1, no field.
    bool canonical = false;
    /// Go on until every cell of these is settled, instead of the cheapest; `costTo` then tells their costs [none]. They are the cells of the goal, sorted by row,
    /// each once. Found means all; `end` and `cost` are those of the dearest. @pre weight 1, no budget, no field. Must outlive the call.
    std::span<const Cell> every{};
    /// Only cells of these chunks are entered: the best route inside them is found [null: everywhere]. Must outlive the call.
    const ChunkCorridor* corridor = nullptr;
};

struct AStarResult {
    /// Found, Unreachable, CostLimit (max_cost was the only reason) or BudgetExhausted.
    PathStatus status = PathStatus::Unreachable;
    /// Where the route ends: the goal; when it was not reached and the nearest cell is tracked, the settled cell nearest to the goal by straight
    /// distance (of equals the cheaper, then the lower cell id); else kNoCellRef.
    CellRef end = kNoCellRef;
    /// Of the route to `end`. Weighted searches and spent budgets may leave a cheaper step behind that `extract` takes: at most this.
    Cost cost = 0;
    std::uint64_t expansions = 0;
};

/// Method: A* (Hart, Nilsson, Raphael 1968) with a bucket open list (Dial 1969) no wider than the smallest step. A node is its cost alone, in 32 bits;
/// a search that meets costs beyond them (105 km at f = 1) and does not find the goal is run again with 64; a weighted one that
/// settles cells again and again is run again with weight 1. A bucket is settled only when it is
/// empty (reduced step costs can be 0): cells improved inside it are reopened.
/// Memory: 16 KiB per touched chunk (48 where 64 bits were needed), kept for the next search and cleared when next touched. No allocation once
/// grown. Setup does not depend on the map's size.
/// Limits: costs up to 2^62 units; beyond, Unreachable is never claimed: the status is CostLimit.
/// Threads: one at a time per object.
class AStar {
public:
    /// Searches from a grid cell to the cheapest cell of the goal. The start itself may be blocked (the caller decides).
    AStarResult run(TileBinding& binding, int start_x, int start_y, const GoalShape& goal, const AStarOptions& options);

    /// What the last run found that it costs to come to a grid cell; exact for the goals of a run that ended with Found, and for every goal of AStarOptions::every that
    /// has one. UINT64_MAX: not reached.
    [[nodiscard]] Cost costTo(TileBinding& binding, Cell cell) const { return costAt(binding.refOf(cell.x, cell.y)); }

    /// The cells from the start of the last run to `end`, as grid cell ids. Of equally cheap predecessors the one that keeps the direction of travel,
    /// else the lowest direction. @pre `end` came from the last run on this binding.
    void extract(TileBinding& binding, CellRef end, std::vector<CellId>& cells) const;

    [[nodiscard]] std::size_t memoryBytes() const;

private:
    /// Node arrays by slot of the binding. An array belongs to the query whose number it carries; `touch` clears it for the current one.
    template <class G>
    struct NodeStore {
        struct Tile {
            std::unique_ptr<std::array<G, kChunkCells>> nodes;
            std::uint32_t query = 0;
        };
        std::vector<Tile> tiles;
        std::uint32_t query = 0;

        void begin();
        G* touch(std::uint32_t slot);
        [[nodiscard]] Cost costAt(CellRef ref) const;  ///< UINT64_MAX where the current query has not been.
    };

    template <class G, bool kElevation, bool kField, bool kCanonical>
    AStarResult search(NodeStore<G>& store, TileBinding& binding, const GoalShape& goal, const AStarOptions& options, bool& too_dear);
    template <class G>
    std::pair<Cost, CellRef> reachOneOf(const NodeStore<G>& store, TileBinding& binding, std::span<const Cell> every, Cell reached);
    [[nodiscard]] Cost costAt(CellRef ref) const;

    NodeStore<std::uint32_t> narrow_;
    NodeStore<std::uint64_t> wide_;
    bool wide_used_ = false;
    bool churned_ = false;  // the last search settled cells too often
    BucketQueue queue_;
    std::vector<std::uint8_t> reached_;  // of AStarOptions::every
    std::size_t missing_ = 0;
    CellRef start_ = kNoCellRef;
};

}  // namespace warpath
