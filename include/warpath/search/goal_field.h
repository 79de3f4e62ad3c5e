// Exact distances to a goal, chunk by chunk, as far as one start needs them: the guidance of exact search on weighted ground.
//
//   GoalField field;                                             // one per thread
//   if (field.build(binding, goal, start_x, start_y, UINT64_MAX) == FieldStatus::Ready) options.field = &field;
//   AStarResult r = search.run(binding, start_x, start_y, goal, options);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "warpath/grid/chunk_kernel.h"
#include "warpath/grid/tile_binding.h"
#include "warpath/search/goal_shape.h"

namespace warpath {

class ChunkCorridor;

/// Where a field may look.
struct FieldLimits {
    const ChunkCorridor* corridor = nullptr;  ///< Only these chunks [null: all]. The bounds then hold for routes inside them. Must outlive the call.
    std::size_t max_chunks = 192;             ///< Beyond so many the field is Unfit [16 KiB each].
    std::uint32_t weight_hundredths = 100;    ///< Above 100: the field is narrower, its bounds do not hold, only `walk` leads along it [100..10000].
    Cost reach = 0;                           ///< [cost units] Not 0: the field goes on until D is exact wherever D + o is at most this; elsewhere D is too large or unknown.
};

enum class FieldStatus : std::uint8_t {
    Ready,        ///< Every bound holds.
    Unreachable,  ///< The start cannot reach the goal, at any cost.
    Unfit,        ///< Distances beyond 32 bits, or the way leads through too many chunks: search without.
};

/// Method: chunks wait in a queue and are swept towards the goals by the chunk kernel; a visit hands what fell on its border to its neighbours.
/// D(c) is the distance found so far, o(c) the octile distance to the start times the smallest price of the map. A chunk's key is the least
/// D(c) + o(c) of its waiting cells. Until the start is known the chunk whose key and distance from the start, several times over, are least is next; from then on
/// the least key. Whatever the order, what has D(c) + o(c) above the distance already known of the start is dropped, in sweeps too. The field
/// ends when no waiting key is below that distance. K is the least key that was left waiting or dropped; a border whose offers would all
/// be dropped counts with the least of them before anything is known of the chunk beyond, so such chunks are not compiled.
///
/// The bound is h(c) = min(D(c), K - o(c)), at least 0. Proof. Let a -> b be a step of cost w. o is consistent: |o(a) - o(b)| <= w, since the octile
/// length of a step times the smallest price is at most its cost.
///   Consistent, h(a) <= w + h(b): if h(b) = K - o(b), then h(a) <= K - o(a) <= K - o(b) + w. Otherwise h(b) = D(b) with D(b) + o(b) < K, so b is not
///   waiting (a waiting cell has D + o >= K) and each step onto it was either relaxed, so that D(a) <= D(b) + w, or dropped for
///   D(b) + w + o(a) >= K, so that h(a) <= K - o(a) <= D(b) + w.
///   Admissible: h is 0 at the goals and consistent, so it never exceeds the cost of any route to a goal.
/// The field is built from the very tiles that the search reads, threat and all: where D + o < K, h is the exact remaining cost, and the search walks
/// straight to the goal. Where height is priced the field works with steps that cost a little less (see the source); the proof is the same.
///
/// With a weight w above 1 everything is dropped that has w (D + o) at or above the start's distance, so fewer chunks are looked at. D(start) is then at most w
/// times the optimum. Proof: take the first cell y of a cheapest way, from the goal on, whose offer was left waiting or dropped; D is exact there, and the
/// cheapest way costs at least D(y) + o(y), which is at least D(start) / w. Where there is no such y, D(start) is the optimum.
///
/// Nothing depends on what was asked before: prepared sweeps are kept from field to field, which changes time alone.
/// Memory: at most FieldLimits::max_chunks x 16 KiB of distances and kPlans x 65 KiB of prepared sweeps, grown as needed, kept for the next field.
/// Threads: one at a time per object.
class GoalField {
public:
    /// @param enough the field may end once every bound on the way has grown to this [cost units; UINT64_MAX: no such limit].
    /// @pre the start lies inside the map.
    FieldStatus build(TileBinding& binding, const GoalShape& goal, int start_x, int start_y, Cost enough, const FieldLimits& limits = {});

    /// Distances of a slot's cells [cost units]; kChunkUnreached everywhere where the field has not been. Valid until the next build.
    [[nodiscard]] const std::uint32_t* distances(std::uint32_t slot) const {
        return slot < chunks_.size() && chunks_[slot].query == query_ ? chunks_[slot].dist : unknown_->data();
    }

    /// h, as a plain value for loops that must not read the field again and again.
    struct Bound {
        std::uint64_t reach = 0;     ///< K.
        std::uint64_t smallest = 0;  ///< Hundredths.
        int start_x = 0, start_y = 0;

        /// o of a cell.
        [[nodiscard]] std::uint64_t away(int x, int y) const {
            return octileLength(x - start_x, y - start_y) * smallest;
        }
        /// h of a cell whose D is `distance`.
        [[nodiscard]] std::uint64_t operator()(std::uint32_t distance, int x, int y) const {
            const std::uint64_t o = away(x, y), beyond = reach > o ? reach - o : 0;
            return distance < beyond ? distance : beyond;
        }
    };
    [[nodiscard]] Bound bound() const { return bound_; }

    /// Follows the field from the start to a goal: in each cell the step that promises least; of equals straight on, else the lowest direction.
    /// @param cells is overwritten with the cells from the start on.
    /// @return the cost of these steps, at most D(start): the optimum, with a weight at most that many times it.
    /// @pre the last field is Ready, found the start, and its binding prices no heights.
    Cost walk(TileBinding& binding, std::vector<CellId>& cells);

    /// Sweeps that the last field took, and chunks it has distances of.
    [[nodiscard]] std::uint32_t visits() const { return visits_; }
    [[nodiscard]] std::size_t chunkCount() const { return used_; }
    [[nodiscard]] std::size_t memoryBytes() const;

    static constexpr std::size_t kPlans = 128;

private:
    using Distances = std::array<std::uint32_t, kChunkCells>;

    /// A chunk of the current field.
    struct Chunk {
        std::uint32_t* dist = nullptr;
        std::uint64_t waiting_rows = 0;       ///< Rows that hold seeds.
        std::uint64_t seeded_border[4] = {};  ///< Seeds on the border, as ChunkRelaxation::changed_border.
        std::uint64_t key = 0;                ///< Least D + o of the seeds.
        std::uint32_t query = 0;
    };
    /// A prepared sweep and what it was made from; the tiles are held, so that their addresses mean them. Small: finding one looks at all.
    struct Plan {
        std::unique_ptr<ChunkSweepPlan> sweep;
        std::shared_ptr<const MoveTile> moves;
        std::shared_ptr<const CostTile> costs;
        bool rises = false;  ///< Prepared for a world whose heights are priced: the same tiles serve worlds that have some elsewhere and worlds that have none.
        std::uint64_t used = 0;
    };

    [[nodiscard]] Chunk& touch(std::uint32_t slot);
    void seed(std::uint32_t slot, const TileSlot& tile, int local, std::uint64_t distance);
    [[nodiscard]] const ChunkSweepPlan* planOf(TileBinding& binding, std::uint32_t slot);
    [[nodiscard]] bool prepare(const TileBinding& binding, const TileSlot& tile, ChunkSweepPlan& plan);
    [[nodiscard]] bool takes(const TileBinding& binding, int x, int y) const;
    void handOver(TileBinding& binding, std::uint32_t slot, const std::uint64_t border[4]);
    void handOverSide(TileBinding& binding, std::uint32_t slot, int side, std::uint64_t border);
    void handOverCorner(TileBinding& binding, std::uint32_t slot, int d);
    [[nodiscard]] std::uint64_t awayFrom(const TileSlot& tile) const;
    void await(std::uint32_t slot, std::uint64_t key, std::uint64_t rows);

    std::vector<Chunk> chunks_;  // by slot
    std::vector<std::uint32_t> waiting_;
    std::vector<std::unique_ptr<Distances>> distances_;  // the first used_ belong to the current field
    std::size_t used_ = 0;
    std::vector<Plan> plans_;
    std::vector<std::uint32_t> plan_of_slot_;  // a guess; checked against the tiles
    std::uint64_t plan_clock_ = 0;
    std::unique_ptr<Distances> unknown_;
    std::unique_ptr<ChunkKernelScratch> scratch_;
    std::vector<std::int32_t> heights_;
    std::vector<std::uint16_t> lowered_;
    Bound bound_;
    std::uint64_t ceiling_ = 0;  // D + o at or above it is dropped
    std::uint64_t dropped_ = 0;  // the least that was
    std::uint32_t query_ = 0;
    std::uint32_t visits_ = 0;
    const ChunkCorridor* corridor_ = nullptr;
    bool saturated_ = false;
};

}  // namespace warpath
