// Ways from a start to a goal by way of other cells: two trees of cheapest ways, one grown from the start, one towards the goal.
//
//   trees.grow(binding, field, start, goal, first_route_end, limit, 0, nullptr);
//   trees.findPlateaus(binding, reach, vias);
//   trees.extract(binding, vias[0], cells, first, last);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpath/grid/bucket_queue.h"
#include "warpath/grid/tile_binding.h"
#include "warpath/search/chunk_corridor.h"
#include "warpath/search/goal_field.h"
#include "warpath/search/goal_shape.h"

namespace warpath {

/// A stretch that lies on both trees: the cheapest way from the start through it, and on to the goal.
struct Via {
    Cost cost = 0;      ///< Of the whole way.
    Cost plateau = 0;   ///< Of the stretch.
    CellRef end = kNoCellRef;
    CellId end_cell = 0;
};

/// Method: plateaus of two shortest path trees (Abraham, Delling, Goldberg, Werneck, "Alternative Routes in Road Networks", 2013). Whatever costs no more than
/// the plateau is the cheapest way between its ends all along such a way, since both halves of it, plateau included, are cheapest ways.
/// Each tree reaches a little over half the limit, so every way within the limit has a cell on both.
/// The tree towards the goal is a GoalField, which then bounds the other tree exactly: it settles only cells that lie on some way within the limit.
/// Where height is priced a field is not exact, and the tree is grown like the other one.
/// Cost: a field over the chunks within the limit, and a search without a goal. No allocation once grown. One per thread.
class ViaTrees {
public:
    /// Grows both trees. The goal is the whole shape when its rectangle has no more than kLargeGoalCells cells, else the cell given.
    /// @param field is built anew, and read until the next call of grow().
    /// @param limit ways that cost more are not looked for. @param max_expansions of both trees; a field's sweeps do not count [0: no limit].
    /// @param corridor the ways stay in these chunks [null: anywhere]; read until the next call of grow().
    /// @return false when the expansions ran out, or costs do not fit into 32 bits: there are no ways to ask for then.
    bool grow(TileBinding& binding, GoalField& field, Cell start, const GoalShape& goal, CellId first_end, Cost limit, std::uint64_t max_expansions,
              const ChunkCorridor* corridor);

    /// The plateaus worth a look: no shorter than half of `reach`, or than half of what both trees can hold of a way of that cost. Cheap ways on long plateaus
    /// first: by cost less plateau (no more than `reach` of it), then by cell.
    void findPlateaus(TileBinding& binding, Cost reach, std::vector<Via>& out);

    /// The cells of the way, and the indices of the plateau's ends among them. @pre `via` came from the last findPlateaus.
    void extract(TileBinding& binding, const Via& via, std::vector<CellId>& cells, std::size_t& first, std::size_t& last);

    /// Whether some way between two cells of an extracted way is cheaper than the `cost` of its stretch between them.
    /// What the trees know keeps the search small: whoever leaves the way must come from the start and reach the goal for less than `via.cost` in all.
    /// Its expansions count.
    [[nodiscard]] bool isCheaperBetween(TileBinding& binding, const Via& via, CellId from, CellId to, Cost cost);

    /// Cells settled since the last call of grow() began.
    [[nodiscard]] std::uint64_t expansions() const { return expansions_; }
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    static constexpr std::uint32_t kUnknown = UINT32_MAX;
    struct Tile {
        std::array<std::uint32_t, kChunkCells> from_start, plateau;
        std::unique_ptr<std::array<std::uint32_t, kChunkCells>> grown;  // towards the goal, without a field
        const std::uint32_t* to_goal = nullptr;                         // exact where a way within the limit leads through the cell, else that or more
        std::array<std::uint8_t, kChunkCells> goes_on;  // the plateau does, beyond the cell
        std::array<std::uint32_t, kChunkCells> between; // of the search between two cells
        std::uint32_t query = 0, between_query = 0;
    };

    Tile& touch(std::uint32_t slot);
    [[nodiscard]] bool mayEnter(const TileBinding& binding, int x, int y) const;
    template <bool kBackwards>
    bool growTree(TileBinding& binding, const GoalShape::Bound& towards, std::uint64_t smallest, std::uint64_t max_expansions);
    [[nodiscard]] std::uint32_t stepCost(const TileBinding& binding, CellRef from, CellRef to, int direction) const;
    [[nodiscard]] std::uint32_t fromStart(CellRef ref) const { return known(ref) ? tiles_[slotOf(ref)]->from_start[localOf(ref)] : kUnknown; }
    [[nodiscard]] std::uint32_t toGoal(CellRef ref) const {
        if (field_ != nullptr) return field_->distances(slotOf(ref))[localOf(ref)];  // also where the other tree has not been
        return known(ref) ? tiles_[slotOf(ref)]->to_goal[localOf(ref)] : kUnknown;
    }
    /// The same, no farther than the tree would be grown.
    [[nodiscard]] std::uint32_t toGoalOnTree(CellRef ref) const { const std::uint32_t cost = toGoal(ref); return cost <= half_ ? cost : kUnknown; }
    [[nodiscard]] bool known(CellRef ref) const {
        const std::uint32_t slot = slotOf(ref);
        return slot < tiles_.size() && tiles_[slot] != nullptr && tiles_[slot]->query == query_;
    }

    std::vector<std::unique_ptr<Tile>> tiles_;  // by slot of the binding
    std::uint32_t query_ = 0, between_query_ = 0;
    std::uint64_t expansions_ = 0;
    Cost limit_ = 0;
    std::uint32_t half_ = 0;
    const GoalField* field_ = nullptr;  // null: grown
    const ChunkCorridor* corridor_ = nullptr;
    GoalShape first_end_;
    CellRef start_ = kNoCellRef;
    BucketQueue queue_;
    std::vector<CellRef> seeds_, settled_, both_;
};

}  // namespace warpath
