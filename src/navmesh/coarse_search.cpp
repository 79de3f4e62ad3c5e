#include "navmesh/coarse_search.h"

#include <algorithm>

namespace warpath::navmesh {

bool CoarseSearch::run(const Ground& ground, const MeshPoint& from, const MeshPoint& to, float spacing, std::vector<MeshPoint>& via) {
    nodes_.clear();
    open_.clear();
    index_.clear();
    via.clear();
    expansions_ = 0;
    const Mesh& mesh = *ground.mesh;
    const auto groupOf = [&](std::int32_t tile, std::int32_t polygon) {
        const TileLabels& labels = *mesh.labels[static_cast<std::size_t>(tile)];
        return labels.group[ground.set * labels.patches + mesh.at(tile)->tile->polygons[static_cast<std::size_t>(polygon)].patch];
    };
    const auto reachNode = [&](std::int32_t tile, std::uint16_t group, const MeshPoint& entry, float g, std::int32_t parent) {
        double& slot = index_.at((static_cast<std::uint64_t>(static_cast<std::uint32_t>(tile)) << 16) | group, -1.0);
        auto index = static_cast<std::int32_t>(slot);
        if (index >= 0 && (nodes_[static_cast<std::size_t>(index)].closed || g >= nodes_[static_cast<std::size_t>(index)].g)) return;
        if (index < 0) {
            index = static_cast<std::int32_t>(nodes_.size());
            slot = static_cast<double>(index);
            nodes_.emplace_back();
        }
        nodes_[static_cast<std::size_t>(index)] = {tile, group, false, entry, g, parent};
        open_.push_back({g + distance(entry.point, to.point) * ground.least_factor, index, g});
        std::push_heap(open_.begin(), open_.end());
    };
    const std::uint16_t goal_group = groupOf(to.ref.tile, to.ref.polygon);
    reachNode(from.ref.tile, groupOf(from.ref.tile, from.ref.polygon), from, 0.0f, -1);
    std::int32_t last = -1;
    while (!open_.empty() && last < 0) {
        std::pop_heap(open_.begin(), open_.end());
        const Open top = open_.back();
        open_.pop_back();
        Node& popped = nodes_[static_cast<std::size_t>(top.node)];
        if (popped.closed || popped.g != top.g) continue;
        popped.closed = true;
        const Node node = popped;
        if (node.tile == to.ref.tile && node.group == goal_group) {
            last = top.node;
            break;
        }
        ++expansions_;
        const LoadedTile& loaded = *mesh.at(node.tile);
        for (int side = 0; side < 4; ++side) {
            const auto& seams = loaded.seams[static_cast<std::size_t>(side)];
            if (seams.empty()) continue;
            const std::int32_t beyond = mesh.beyond(node.tile, side);
            const NavTile &tile = *loaded.tile, &other = *mesh.at(beyond)->tile;
            const bool along_y = side % 2 == 0;
            const float line = along_y ? tile.left() + (side == 0 ? tile.size : 0.0f) : tile.top() + (side == 1 ? tile.size : 0.0f);
            const Vec2 a = node.entry.point, b = to.point;
            // Where the line to the goal meets the border's line; beside it when it does not.
            const float near = along_y ? a.x : a.y, far = along_y ? b.x : b.y, low = along_y ? a.y : a.x, high = along_y ? b.y : b.x;
            const float t = far != near ? (line - near) / (far - near) : -1.0f;
            const float aim = t >= 0.0f && t <= 1.0f ? low + t * (high - low) : low;
            for (const Seam& seam : seams) {
                const NavPolygon& mine = tile.polygons[seam.polygon];
                if (!ground.enters(mine) || !ground.enters(other.polygons[seam.other]) || groupOf(node.tile, seam.polygon) != node.group) continue;
                const float at = std::clamp(aim, seam.low, seam.high);
                const Vec2 point = along_y ? Vec2{line, at} : Vec2{at, line};
                const float price = 0.5f * (ground.factor[mine.terrain] + ground.factor[other.polygons[seam.other].terrain]);
                reachNode(beyond, groupOf(beyond, seam.other), {{beyond, seam.other}, point, 0.0f}, node.g + distance(a, point) * price, top.node);
            }
        }
    }
    if (last < 0) return false;
    Vec2 before = to.point;
    for (std::int32_t n = last; nodes_[static_cast<std::size_t>(n)].parent >= 0; n = nodes_[static_cast<std::size_t>(n)].parent) {
        const MeshPoint& entry = nodes_[static_cast<std::size_t>(n)].entry;
        if (distance(entry.point, before) < spacing || distance(entry.point, from.point) < 0.5f * spacing) continue;
        via.push_back(entry);
        before = entry.point;
    }
    std::reverse(via.begin(), via.end());
    return true;
}

}  // namespace warpath::navmesh
