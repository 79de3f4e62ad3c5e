// Distances over portals from a goal outwards, until they lead a group to it: the corridor and the coarse level of a tiled flow field.
//
//   PortalField field;                                                   // one per thread
//   if (field.run(view, goals, groups, smallest_f)) field.forEachLeg([&](Cell a, Cell b) { ... });
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/grid/bucket_queue.h"
#include "warpath/grid/coarse_flow.h"
#include "warpath/search/goal_shape.h"
#include "warpath/search/hierarchy.h"

namespace warpath {

/// A connected part of a chunk in which units stand, and the portals that belong to it.
struct PortalGroup {
    ChunkCoord chunk;
    std::vector<std::uint16_t> portals;
};

/// A* from the goal against the steps, over the same portals as AbstractSearch, for many starts at once. It ends when for each group all portals are known
/// that the best way of one of its units can leave through; what it knows by then are exact distances over portals.
/// Ties: next portals are chosen by cost alone, then by their number, so the ways of a group do not depend on the other groups.
/// Threads: one at a time per object.
class PortalField {
public:
    /// @param groups whose goal is in another chunk or another part of their own; without a way to the goal their search looks at all that leads there.
    /// @return whether there is a way from each group.
    bool run(HierarchyView& view, std::span<const GoalChunk> goals, std::span<const PortalGroup> groups, std::uint64_t smallest_f);

    /// Calls visit(a, b) for each leg of the ways from the groups: a leg runs inside one chunk, from the cell where it is entered (of a group's first leg: the
    /// portal itself) to the portal through which it is left, or stays at the entrance of a goal's chunk [grid cells].
    template <class Visit>
    void forEachLeg(Visit&& visit) const {
        for (const Leg& leg : legs_) visit(leg.from, leg.to);
    }
    /// Every chunk that was looked at, with the ways out that are known exactly.
    [[nodiscard]] std::shared_ptr<CoarseFlow> coarse() const;
    [[nodiscard]] std::uint64_t expansions() const { return expansions_; }
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    struct Node {
        Cost g = UINT64_MAX;     ///< From the portal's end in its chunk, through it, to the goal.
        bool on_way = false;
    };
    struct NodeTile {
        std::uint32_t query = 0;
        std::vector<Node> nodes;
    };
    struct Leg {
        Cell from, to;
    };
    std::vector<Node>& touch(std::uint32_t chunk_index, std::size_t count);
    [[nodiscard]] Cost keyOf(ChunkCoord chunk, const ChunkPortal& portal, Cost g) const;
    [[nodiscard]] bool isFinal(ChunkCoord chunk, const ChunkPortal& portal, Cost g) const;
    void reach(ChunkCoord chunk, std::size_t portal, Cost rest);
    void follow(ChunkCoord chunk, std::size_t portal);

    HierarchyView* view_ = nullptr;
    std::span<const GoalChunk> goals_;
    GoalShape::Bound bound_{};                ///< Of the groups' chunks.
    std::uint64_t smallest_f_ = 0;
    Cost limit_ = 0;                          ///< Keys up to this are final.
    std::uint64_t expansions_ = 0;
    std::vector<NodeTile> tiles_;
    std::vector<std::uint32_t> touched_;      ///< Chunks of this run.
    std::uint32_t query_ = 0;
    BucketQueue queue_;
    std::vector<Leg> legs_;
};

}  // namespace warpath
