// A coarse route for long ways: from tile to tile, without a look at the polygons inside.
#pragma once

#include <cstdint>
#include <vector>

#include "navmesh/exact_search.h"
#include "navmesh/mesh_query.h"

namespace warpath::navmesh {

/// A* over the connected groups of the tiles. A group is entered at a point of a seam, the one where the line from the point before to the goal
/// meets it, clamped; a tile is crossed straight from point to point, so walls within it are not seen, and those that part it or close its
/// borders are. Ties: lower f, then the node made earlier.
class CoarseSearch {
public:
    /// Fills `via` with points of the route at least `spacing` metres apart, neither end included. Links are not used.
    /// @return false when tiles alone do not lead there.
    bool run(const Ground& ground, const MeshPoint& from, const MeshPoint& to, float spacing, std::vector<MeshPoint>& via);

    [[nodiscard]] std::uint32_t expansions() const { return expansions_; }

private:
    struct Node {
        std::int32_t tile = -1;
        std::uint16_t group = 0;
        bool closed = false;
        MeshPoint entry;
        float g = 0.0f;
        std::int32_t parent = -1;
    };
    struct Open {
        float f;
        std::int32_t node;
        float g;
        friend bool operator<(const Open& a, const Open& b) { return a.f != b.f ? a.f > b.f : a.node > b.node; }
    };
    std::vector<Node> nodes_;
    std::vector<Open> open_;
    StampedTable index_;
    std::uint32_t expansions_ = 0;
};

}  // namespace warpath::navmesh
