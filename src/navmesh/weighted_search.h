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

/// A* over polygons (Snook 2000). Edge midpoints, which Detour takes, mislead on large polygons, and so does any point that is fixed when an edge
/// is crossed. So each node keeps the funnel of its row of polygons (Lee and Preparata 1984; Demyen and Buro 2006): the last corner, and the two
/// corners that bound what is seen from it. Its length is that of the string pulled tight, and it crosses the edge where the line to the goal
/// does. Where the price of the ground changes the crossing becomes the corner; Corridor::refine moves it later. Each polygon keeps its best node
/// alone, so the row found need not be the cheapest.
/// Ties: lower f, then higher g, then the node made earlier.
class WeightedSearch {
public:
    /// Fills out.polygons and out.expansions. @param max_expansions 0: no limit.
    SearchEnd run(const Ground& ground, PolyRef start, Vec2 from, PolyRef goal, Vec2 to, std::uint32_t max_expansions, Way& out);

private:
    struct Node {
        PolyRef ref;
        Vec2 apex;          ///< Where the string bends last.
        Vec2 right, left;   ///< Corners that bound what is seen from there; equal to it: nothing does.
        float apex_g = 0.0f;
        Vec2 point;         ///< Where the edge is crossed.
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
    /// Takes a node's funnel through an edge: on return `node` has the apex, bounds, crossing point and g beyond it.
    static void funnelThrough(Node& node, const Exit& exit, Vec2 to, float factor);

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
