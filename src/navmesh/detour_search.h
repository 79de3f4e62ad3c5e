// Detour's own search, for comparison.
#pragma once

#include <memory>
#include <vector>

#include "navmesh/exact_search.h"
#include "navmesh/mesh_query.h"

namespace warpath::navmesh {

/// dtNavMeshQuery with buffers and node pool that grow until they do.
class DetourSearch {
public:
    DetourSearch();
    ~DetourSearch();
    DetourSearch(DetourSearch&&) noexcept;
    DetourSearch& operator=(DetourSearch&&) noexcept;

    /// findPath and findStraightPath. OutOfNodes: the pool's hard cap of 65535 nodes did not do. Exhausted: Detour's answer is partial.
    SearchEnd run(const Ground& ground, PolyRef start, Vec2 from, PolyRef goal, Vec2 to, Way& out);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpath::navmesh
