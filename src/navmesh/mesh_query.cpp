#include "navmesh/mesh_query.h"

namespace warpath::navmesh {

PolyRef locate(const Ground& ground, Vec2 p) {
    const std::int32_t tile = ground.mesh->tileAt(p);
    if (tile < 0) return {};
    const auto in = [&](std::int32_t index) -> PolyRef {
        const LoadedTile* loaded = index < 0 ? nullptr : ground.tile(index);
        if (loaded == nullptr) return {};
        const int polygon = loaded->tile->polygonAt(p);
        if (polygon < 0 || !ground.enters(loaded->tile->polygons[static_cast<std::size_t>(polygon)])) return {};
        return {index, polygon};
    };
    if (const PolyRef ref = in(tile); ref.valid()) return ref;
    // On a tile's border the ground may be the western or northern neighbour's alone.
    const float size = ground.mesh->tile_size;
    const bool on_west = p.x == static_cast<float>(tile % ground.mesh->columns) * size;
    const bool on_north = p.y == static_cast<float>(tile / ground.mesh->columns) * size;
    if (on_west) {
        if (const PolyRef ref = in(ground.mesh->beyond(tile, 2)); ref.valid()) return ref;
    }
    if (on_north) {
        if (const PolyRef ref = in(ground.mesh->beyond(tile, 3)); ref.valid()) return ref;
    }
    return {};
}

MeshPoint nearest(const Ground& ground, Vec2 p, float radius, std::optional<std::uint32_t> label, const Vec2* towards, float tie) {
    const Mesh& mesh = *ground.mesh;
    MeshPoint best;
    best.distance = radius;
    float best_towards = 0.0f;
    const int x0 = std::max(0, static_cast<int>(std::floor((p.x - radius) / mesh.tile_size)));
    const int y0 = std::max(0, static_cast<int>(std::floor((p.y - radius) / mesh.tile_size)));
    const int x1 = std::min(mesh.columns - 1, static_cast<int>(std::floor((p.x + radius) / mesh.tile_size)));
    const int y1 = std::min(mesh.rows - 1, static_cast<int>(std::floor((p.y + radius) / mesh.tile_size)));
    // First the smallest distance, then, within `tie` of it, the point nearest to `towards`.
    for (const bool choosing : {false, true}) {
        if (choosing && (!best.ref.valid() || towards == nullptr)) break;
        const float limit = choosing ? std::min(best.distance + tie, radius) : radius;
        bool chosen = false;
        for (int y = y0; y <= y1; ++y) {
            for (int x = x0; x <= x1; ++x) {
                const std::int32_t index = y * mesh.columns + x;
                const LoadedTile* loaded = mesh.at(index);
                if (loaded == nullptr) continue;
                for (std::size_t i = 0; i < loaded->tile->polygons.size(); ++i) {
                    const NavPolygon& polygon = loaded->tile->polygons[i];
                    const PolyRef ref{index, static_cast<std::int32_t>(i)};
                    if (!ground.enters(polygon) || (label && ground.label(ref) != *label)) continue;
                    const Vec2 q = closestOnPolygon(*loaded->tile, polygon, p);
                    const float d = distance(q, p);
                    if (d > limit) continue;
                    if (!choosing) {
                        if (!best.ref.valid() || d < best.distance) best = {ref, q, d};
                        continue;
                    }
                    const float to = distance(q, *towards);
                    if (!chosen || to < best_towards) {
                        chosen = true;
                        best_towards = to;
                        best.ref = ref;
                        best.point = q;
                    }
                }
            }
        }
        if (choosing) best.distance = distance(best.point, p);
    }
    return best;
}

namespace {

/// Price of a metre between two points of a polygon: along an edge the way is as much the neighbour's, and costs what the cheaper one does.
float factorBetween(const Ground& ground, PolyRef ref, Vec2 a, Vec2 b) {
    float least = ground.factor[ground.polygon(ref).terrain];
    if (ground.uniform) return least;
    const Vec2 middle{0.5f * (a.x + b.x), 0.5f * (a.y + b.y)};
    constexpr float kOnEdge = 0.002f;  // [m]
    forEachExit(ground, ref, [&](const Exit& exit) {
        if (ground.factor[exit.terrain] >= least) return;
        const float size = distance(exit.right, exit.left);
        if (std::abs(cross(exit.right, exit.left, a)) > kOnEdge * size || std::abs(cross(exit.right, exit.left, b)) > kOnEdge * size) return;
        if (distance(exit.right, middle) + distance(middle, exit.left) <= size + kOnEdge) least = ground.factor[exit.terrain];
    });
    return least;
}

constexpr float kRaySlack = 0.002f;  // [m] a segment that passes a corner of the mesh this near goes by it

/// How far along a segment lies in a polygon, as a share of it, given that it comes by: where it crosses the first edge outwards. Beyond 1 for all of it.
float reachIn(const Ground& ground, PolyRef ref, Vec2 from, Vec2 d) {
    const NavTile& tile = *ground.tile(ref.tile)->tile;
    const NavPolygon& polygon = tile.polygons[static_cast<std::size_t>(ref.polygon)];
    float reach = 2.0f;
    for (int k = 0; k < polygon.corners; ++k) {
        const Vec2 &a = tile.corner(polygon, k), &b = tile.corner(polygon, k + 1 == polygon.corners ? 0 : k + 1);
        const float ex = b.x - a.x, ey = b.y - a.y;
        const float outward = ex * d.y - ey * d.x;  // negative: leaving
        if (outward >= 0.0f) continue;
        const float inside = ex * (from.y - a.y) - ey * (from.x - a.x);
        reach = std::min(reach, inside / -outward);
    }
    return reach;
}

/// The polygon that a segment enters where it leaves another: of all that can be come to there the one in which it gets farthest. At a corner of the mesh many
/// meet, and those between are touched by the segment in one point only. Invalid when it gets no farther.
PolyRef enteredAt(const Ground& ground, PolyRef left, Vec2 from, Vec2 d, float t) {
    const Vec2 q{from.x + t * d.x, from.y + t * d.y};
    const float length = std::sqrt(d.x * d.x + d.y * d.y);
    std::array<PolyRef, 32> met;
    std::size_t count = 0;
    met[count++] = left;
    PolyRef best;
    float best_reach = t;
    for (std::size_t i = 0; i < count && (best_reach - t) * length <= kRaySlack; ++i) {
        forEachExit(ground, met[i], [&](const Exit& exit) {
            const float ex = exit.left.x - exit.right.x, ey = exit.left.y - exit.right.y;
            const float size = std::sqrt(ex * ex + ey * ey);
            const float along = (q.x - exit.right.x) * ex + (q.y - exit.right.y) * ey;
            const float off = ex * (q.y - exit.right.y) - ey * (q.x - exit.right.x);
            if (std::abs(off) > kRaySlack * size || along < -kRaySlack * size || along > (size + kRaySlack) * size) return;
            if (count == met.size() || std::find(met.begin(), met.begin() + count, exit.next) != met.begin() + count) return;
            met[count++] = exit.next;
            const float reach = reachIn(ground, exit.next, from, d);
            if (reach > best_reach) {
                best_reach = reach;
                best = exit.next;
            }
        });
    }
    return best;
}

}  // namespace

RayResult walkStraight(const Ground& ground, PolyRef start, Vec2 from, Vec2 to) { return walkStraight(ground, start, from, to, {}); }

RayResult walkStraight(const Ground& ground, PolyRef start, Vec2 from, Vec2 to, const std::function<void(std::int32_t)>& visit) {
    if (visit) visit(start.tile);
    RayResult out;
    out.last = start;
    const Vec2 d{to.x - from.x, to.y - from.y};
    const float length = std::sqrt(d.x * d.x + d.y * d.y);
    // Every step enters a polygon of a convex partition that the segment leaves later, so the walk ends; the bound is for degenerate polygons.
    for (int guard = 0; guard < 1 << 16; ++guard) {
        const float leave = std::clamp(reachIn(ground, out.last, from, d), out.t, 1.0f);
        if (leave > out.t) {
            const Vec2 a{from.x + out.t * d.x, from.y + out.t * d.y}, b{from.x + leave * d.x, from.y + leave * d.y};
            out.cost += (leave - out.t) * length * factorBetween(ground, out.last, a, b);
        }
        out.t = leave;
        if ((1.0f - leave) * length <= kRaySlack) {
            out.clear = true;
            out.t = 1.0f;
            return out;
        }
        const PolyRef next = enteredAt(ground, out.last, from, d, leave);
        if (!next.valid()) return out;
        if (visit && next.tile != out.last.tile) visit(next.tile);
        out.last = next;
    }
    return out;
}

double priceAlong(const Ground& ground, Vec2 from, Vec2 to) {
    const double length = static_cast<double>(distance(from, to));
    if (ground.uniform || length == 0.0) return length * static_cast<double>(ground.least_factor);
    constexpr double kLeastSkip = 0.01, kMostSkip = 0.5;
    double done = 0.0, cost = 0.0, unpriced = 0.0, skip = kLeastSkip;  // [m] but for the cost
    float factor = ground.least_factor;
    while (done < length) {
        const float t = static_cast<float>(done / length);
        const Vec2 at{from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
        const PolyRef ref = locate(ground, at);
        double walked = 0.0;
        if (ref.valid()) {
            const RayResult ray = walkStraight(ground, ref, at, to);
            walked = ray.clear ? length - done : static_cast<double>(ray.t) * (length - done);
            cost += static_cast<double>(ray.cost) + unpriced * static_cast<double>(ground.factor[ground.polygon(ref).terrain]);
            unpriced = 0.0;
            factor = ground.factor[ground.polygon(ray.last).terrain];
            if (ray.clear) break;
            done += walked;
        }
        // A corner where rounding hides the ground: on a little farther.
        skip = walked > kLeastSkip ? kLeastSkip : std::min(2.0 * skip, kMostSkip);
        const double step = std::min(skip, length - done);
        unpriced += step;
        done += step;
    }
    return cost + unpriced * static_cast<double>(factor);
}

}  // namespace warpath::navmesh
