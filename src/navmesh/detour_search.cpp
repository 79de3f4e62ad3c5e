#include "navmesh/detour_search.h"

#include <DetourNavMesh.h>
#include <DetourNavMeshQuery.h>
#include <DetourStatus.h>

#include <algorithm>
#include <cmath>

#include "navmesh/passability.h"

namespace warpath::navmesh {
namespace {

/// Detour's pool counts nodes in 16 bits, and all ones means "none".
constexpr int kMostNodes = 65535;

}  // namespace

struct DetourSearch::State {
    dtNavMeshQuery* query = nullptr;
    const dtNavMesh* mesh = nullptr;
    int nodes = 2048;
    std::vector<dtPolyRef> path = std::vector<dtPolyRef>(256);
    std::vector<float> corners = std::vector<float>(3 * 64);
    std::vector<unsigned char> flags = std::vector<unsigned char>(64);
    std::vector<dtPolyRef> refs = std::vector<dtPolyRef>(64);
    ~State() { dtFreeNavMeshQuery(query); }

    bool attach(const dtNavMesh* to, int node_count) {
        if (query == nullptr) query = dtAllocNavMeshQuery();
        if (query == nullptr) return false;
        if (mesh == to && nodes == node_count) return true;
        mesh = to;
        nodes = node_count;
        return dtStatusSucceed(query->init(mesh, nodes));
    }
};

DetourSearch::DetourSearch() : state_(std::make_unique<State>()) {}
DetourSearch::~DetourSearch() = default;
DetourSearch::DetourSearch(DetourSearch&&) noexcept = default;
DetourSearch& DetourSearch::operator=(DetourSearch&&) noexcept = default;

SearchEnd DetourSearch::run(const Ground& ground, PolyRef start, Vec2 from, PolyRef goal, Vec2 to, Way& out) {
    out.clear();
    State& s = *state_;
    const dtNavMesh& mesh = *ground.mesh->detour;
    const auto refOf = [&](PolyRef p) -> dtPolyRef {
        const dtTileRef tile = ground.mesh->detour_refs[static_cast<std::size_t>(p.tile)];
        return tile == 0 ? 0 : mesh.getPolyRefBase(mesh.getTileByRef(tile)) | static_cast<dtPolyRef>(p.polygon);
    };
    const dtPolyRef a = refOf(start), b = refOf(goal);
    if (a == 0 || b == 0) return SearchEnd::Exhausted;
    dtQueryFilter filter;
    filter.setIncludeFlags(static_cast<unsigned short>(1u << ground.set));
    // Prices below 1 break Detour's heuristic, so all are divided by the least.
    for (int t = 0; t < static_cast<int>(kMaxNavTerrainTypes); ++t) {
        filter.setAreaCost(t + 1, ground.factor[static_cast<std::size_t>(t)] / ground.least_factor);
    }
    filter.setAreaCost(kLinkArea, 1.0f);
    const float p0[3] = {from.x, 0.0f, from.y}, p1[3] = {to.x, 0.0f, to.y};

    int count = 0;
    if (!s.attach(&mesh, s.nodes)) return SearchEnd::OutOfNodes;
    for (;;) {
        const dtStatus status = s.query->findPath(a, b, p0, p1, &filter, s.path.data(), &count, static_cast<int>(s.path.size()));
        if (dtStatusFailed(status)) return SearchEnd::Exhausted;
        if (dtStatusDetail(status, DT_OUT_OF_NODES)) {
            if (s.nodes == kMostNodes) return SearchEnd::OutOfNodes;
            if (!s.attach(&mesh, std::min(2 * s.nodes, kMostNodes))) return SearchEnd::OutOfNodes;
            continue;
        }
        // A full buffer means a cut path, whether or not the status says so.
        if (dtStatusDetail(status, DT_BUFFER_TOO_SMALL) || count == static_cast<int>(s.path.size())) {
            s.path.resize(2 * s.path.size());
            continue;
        }
        if (count == 0 || s.path[static_cast<std::size_t>(count) - 1] != b) return SearchEnd::Exhausted;
        break;
    }
    int corners = 0;
    for (;;) {
        const dtStatus status = s.query->findStraightPath(p0, p1, s.path.data(), count, s.corners.data(), s.flags.data(), s.refs.data(), &corners,
                                                          static_cast<int>(s.refs.size()));
        if (dtStatusFailed(status)) return SearchEnd::Exhausted;
        if (!dtStatusDetail(status, DT_BUFFER_TOO_SMALL) && corners < static_cast<int>(s.refs.size())) break;
        s.corners.resize(2 * s.corners.size());
        s.flags.resize(2 * s.flags.size());
        s.refs.resize(2 * s.refs.size());
    }
    const auto place = [&](dtPolyRef ref) -> PolyRef {
        const dtMeshTile* tile = nullptr;
        const dtPoly* poly = nullptr;
        if (ref == 0 || dtStatusFailed(mesh.getTileAndPolyByRef(ref, &tile, &poly)) || poly->getType() != DT_POLYTYPE_GROUND) return {};
        return {tile->header->y * ground.mesh->columns + tile->header->x, static_cast<std::int32_t>(poly - tile->polys)};
    };
    for (int i = 0; i < count; ++i) {
        if (const PolyRef ref = place(s.path[static_cast<std::size_t>(i)]); ref.valid()) out.polygons.push_back(ref);
    }
    for (int i = 0; i < corners; ++i) {
        const auto c = static_cast<std::size_t>(i);
        WayPoint point{{s.corners[3 * c], s.corners[3 * c + 2]}, place(s.refs[c]), 0};
        if ((s.flags[c] & DT_STRAIGHTPATH_OFFMESH_CONNECTION) != 0) {
            if (const dtOffMeshConnection* link = mesh.getOffMeshConnectionByRef(s.refs[c])) point.link = link->userId;
        }
        if (i > 0) out.length += distance(out.corners.back().point, point.point);
        out.corners.push_back(point);
    }
    out.cost = out.length * ground.least_factor;
    return SearchEnd::Found;
}

}  // namespace warpath::navmesh
