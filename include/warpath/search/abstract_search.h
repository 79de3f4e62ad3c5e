// The abstract search of the hierarchy: A* over portals, and the way that it yields.
//
//   AbstractSearch search;                                            // one per thread, beside its HierarchyView
//   AbstractResult found = search.run(view, start_chunk, seeds, goals, bound, smallest_f, known);
//   for (const AbstractStep& step : search.route()) corridor.add(step.chunk);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/grid/bucket_queue.h"
#include "warpath/search/goal_shape.h"
#include "warpath/search/hierarchy.h"

namespace warpath {

/// Leaving `chunk` through one of its portals.
struct AbstractStep {
    ChunkCoord chunk;
    std::uint16_t portal = 0;
    Cost cost = 0;  ///< From the start to the cell behind the portal.
};

struct AbstractResult {
    bool found = false;
    Cost cost = 0;                ///< Of the best way over portals [as tables price it].
    std::uint64_t expansions = 0;  ///< Portals settled.
};

/// A* over portals. A node is "out of this chunk through this portal"; the chunk entered is looked at when the node is settled, so tables are
/// made only where the search comes by. With a second level a node is also "out of this group through this portal of its border": groups that hold neither the start
/// nor goal cells are crossed in one step, and what the way takes of them is then found chunk by chunk. Costs are those of one level, exactly; of equally dear ways
/// another one may be taken.
/// Ties: the order of the bucket queue and of the portals; equal inputs give equal routes.
/// Threads: one at a time per object.
class AbstractSearch {
public:
    /// @param start_chunk, seeds where the route begins and what its portals' cells cost from there.
    /// @param goals chunks that hold goal cells, each once. @param known a route that needs no portal costs this much (UINT64_MAX: none).
    /// @param levels 1 or 2. @pre for 2: view.hasGroups(), and neither threat nor congestion is priced.
    AbstractResult run(HierarchyView& view, ChunkCoord start_chunk, std::span<const PortalCost> seeds, std::span<const GoalChunk> goals,
                       const GoalShape::Bound& bound, std::uint64_t smallest_f, Cost known, int levels = 1);

    /// From now on what a way takes of this chunk, start and goal chunks apart, costs half as much again, once more with every call: the next `run` with one
    /// level looks for another way. The costs of its result and route are the raised ones.
    void raise(HierarchyView& view, ChunkCoord chunk);
    /// Takes back every `raise`.
    void lower() { raised_.clear(); }

    /// The last route found, from the start on. Empty when it needs no portal.
    [[nodiscard]] const std::vector<AbstractStep>& route() const { return route_; }
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    struct Node {
        Cost g;
        std::uint32_t parent;
    };
    struct NodeTile {
        std::uint32_t query = 0;
        std::vector<Node> nodes;
    };
    /// The nodes of a group of the second level, in arrays of their own so that a row is compared with them at once.
    struct GroupTile {
        std::uint32_t query = 0;
        bool fine = false;                 ///< Searched chunk by chunk.
        bool entered = false;
        Cost base = 0;
        std::vector<std::int32_t> best;    ///< Above `base`.
        std::vector<std::uint32_t> parent;
    };
    /// A node of the route. `coarse`: the chunks crossed before it are not known yet.
    struct Stop {
        AbstractStep step;
        bool coarse = false;
    };
    /// One search: what it is asked, and the best way known so far.
    struct Run {
        HierarchyView& view;
        std::span<const GoalChunk> goals;
        GoalShape::Bound bound;
        std::uint64_t smallest_f = 0;
        bool two_levels = false;
        Cost best = 0;
        std::uint32_t best_node = 0;       ///< The last node of the best way; kNoParent: it needs no portal.
        std::uint64_t expansions = 0;
    };
    std::vector<Node>& touch(std::uint32_t chunk_index, std::size_t count);
    GroupTile& touchGroup(HierarchyView& view, std::uint32_t group);
    /// Sets up nodes and goals; the seeds are the first nodes.
    void begin(Run& run, ChunkCoord start_chunk, std::span<const PortalCost> seeds);
    /// A way of cost `g` out of a chunk through a portal of it.
    void reach(const Run& run, std::vector<Node>& nodes, std::uint32_t chunk_index, ChunkCoord chunk, const ChunkTable& table, std::size_t to, Cost g,
               std::uint32_t parent);
    /// Looks at the ways that go on from a portal inside the chunk, and to the goal. @param from the node that leads here at cost `g`.
    void enterChunk(Run& run, ChunkCoord chunk, std::size_t in, Cost g, std::uint32_t from);
    void enterGroup(const Run& run, std::uint32_t group, GroupTile& tile, const GroupTable& table, std::size_t in, Cost g, std::uint32_t from);
    /// Settles a node unless the entry of the queue is out of date, and enters what lies behind it. @param g_when_queued the low half of its cost then.
    void settleChunkNode(Run& run, std::uint32_t node_id, std::uint32_t g_when_queued);
    void settleGroupNode(Run& run, std::uint32_t node_id, std::uint32_t g_when_queued);
    /// Fills `stops_` with the nodes of the best way.
    void traceBack(const Run& run);
    /// Finds the nodes of the best way. @return found with its cost; `stops_` hold the nodes.
    AbstractResult search(HierarchyView& view, ChunkCoord start_chunk, std::span<const PortalCost> seeds, std::span<const GoalChunk> goals, const GoalShape::Bound& bound,
                          std::uint64_t smallest_f, Cost known, int levels);
    /// Appends the steps that cross a group from one portal to another.
    void crossGroup(HierarchyView& view, const AbstractStep& from, const AbstractStep& to, std::uint64_t smallest_f, AbstractResult& result);

    std::vector<NodeTile> tiles_;
    std::vector<GroupTile> group_tiles_;
    std::uint32_t query_ = 0;
    std::vector<std::uint32_t> goal_of_chunk_;  // index into goals + 1, by chunk; cleared after each run
    std::vector<std::uint32_t> fine_groups_;
    std::vector<std::uint8_t> raised_;          // how often, by chunk; empty: none is
    bool beyond_ = false;                       // a cost was too large for the second level
    BucketQueue queue_;
    std::vector<Stop> stops_, coarse_stops_;
    std::vector<PortalCost> leg_seeds_;
    GoalChunk leg_goal_;
    std::vector<AbstractStep> route_;
};

}  // namespace warpath
