// Cheap ways on a mesh whose terrain has different prices, and what is done to a corridor once it is found.
#pragma once

#include <cstdint>
#include <vector>

#include "navmesh/exact_search.h"
#include "navmesh/mesh_query.h"

namespace warpath::navmesh {

/// Where a corridor passes from one polygon into the next: an edge, or both ends of a link one after the other.
struct Gate {
    Vec2 right, left;
    float factor = 1.0f;     ///< Price of a metre beyond the gate.
    PolyRef beyond;
    std::uint32_t link = 0;  ///< The link that starts here, or 0.
    bool last_of_link = false;
};

/// A* over polygons (Snook 2000). Each polygon is entered where the line from the point before to the goal meets the edge, clamped to it:
/// edge midpoints, which Detour takes, mislead on large polygons. What remains of that is repaired by Corridor::refine.
/// Ties: lower f, then higher g, then the node made earlier.
class WeightedSearch {
public:
    /// Fills out.polygons and out.expansions. @param max_expansions 0: no limit.
    SearchEnd run(const Ground& ground, PolyRef start, Vec2 from, PolyRef goal, Vec2 to, std::uint32_t max_expansions, Way& out);

private:
    struct Node {
        PolyRef ref;
        Vec2 point;
        float g = 0.0f, f = 0.0f;
        std::int32_t parent = -1;
        bool closed = false;
    };
    struct Open {
        float f, g;
        std::int32_t node;
        friend bool operator<(const Open& a, const Open& b) {
            if (a.f != b.f) return a.f > b.f;
            return a.g != b.g ? a.g < b.g : a.node > b.node;
        }
    };
    std::vector<Node> nodes_;
    std::vector<Open> open_;
    StampedTable index_;  ///< Polygon to node.
};

/// Turns a row of polygons into a way through them, as short or cheap as that row allows.
class Corridor {
public:
    /// Fills out.corners, out.length and out.cost from out.polygons. Loops in the row are cut off first.
    /// Uniform ground: the funnel (Lee and Preparata 1984), shortest within the row. Prices: the funnel's crossing points moved along their
    /// edges until the cost no longer falls much (each is a convex problem of one variable), then corners skipped where a straight walk is cheaper.
    /// @return false when two polygons of the row do not touch.
    bool pull(const Ground& ground, Vec2 from, Vec2 to, Way& out);

    /// A second look at a finished way: skips corners where a straight walk is cheaper.
    void skipCorners(const Ground& ground, Way& way);

private:
    bool findGates(const Ground& ground, const std::vector<PolyRef>& polygons);
    void funnel(Vec2 from, Vec2 to, std::size_t first, std::size_t last);
    void refine(Vec2 from, Vec2 to);

    /// A point of the way and what follows it.
    struct Pass {
        Vec2 point;
        float factor = 1.0f;
        PolyRef beyond;
        std::uint32_t link = 0;
        bool fixed = false;
    };
    std::vector<Gate> gates_;
    std::vector<Pass> passes_;
    std::vector<Vec2> points_;  ///< Where the way passes each gate.
    StampedTable places_;
    float first_factor_ = 1.0f;
};

}  // namespace warpath::navmesh
