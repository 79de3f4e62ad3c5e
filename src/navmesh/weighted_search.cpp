#include "navmesh/weighted_search.h"

#include <algorithm>
#include <cmath>

namespace warpath::navmesh {
namespace {

Vec2 between(Vec2 a, Vec2 b, float t) { return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}; }

/// The point of the edge [right, left] where the line from a to b meets it, clamped to the edge.
Vec2 crossingPoint(Vec2 a, Vec2 b, Vec2 right, Vec2 left) {
    const float from = cross(a, b, right), to = cross(a, b, left);
    if (std::abs(from - to) < 1e-6f) return distance(a, right) < distance(a, left) ? right : left;
    return between(right, left, std::clamp(from / (from - to), 0.0f, 1.0f));
}

/// A link never costs less per metre than the cheapest ground, so that distance times the least price stays a lower bound.
float linkFactor(const Ground& ground, float cost_factor) { return std::max(cost_factor, ground.least_factor); }

}  // namespace

SearchEnd WeightedSearch::run(const Ground& ground, PolyRef start, Vec2 from, PolyRef goal, Vec2 to, std::uint32_t max_expansions, Way& out) {
    out.clear();
    nodes_.clear();
    open_.clear();
    index_.clear();
    const auto reachNode = [&](Node made) {
        made.f = made.g + distance(made.point, to) * ground.least_factor;
        double& slot = index_.at(made.ref.key(), -1.0);
        auto index = static_cast<std::int32_t>(slot);
        // What is seen from a corner is a little more than the row of polygons shows, so lengths are no lower bounds and closed polygons stay closed.
        if (index >= 0 && (nodes_[static_cast<std::size_t>(index)].closed || made.f >= nodes_[static_cast<std::size_t>(index)].f)) return;
        if (index < 0) {
            index = static_cast<std::int32_t>(nodes_.size());
            slot = static_cast<double>(index);
            nodes_.emplace_back();
        }
        open_.push_back({made.f, made.g, index});
        nodes_[static_cast<std::size_t>(index)] = made;
        std::push_heap(open_.begin(), open_.end());
    };
    const auto begin = [&](PolyRef ref, Vec2 point, float g, std::int32_t parent) {
        reachNode({.ref = ref, .apex = point, .right = point, .left = point, .apex_g = g, .point = point, .g = g, .parent = parent});
    };
    begin(start, from, 0.0f, -1);
    std::uint32_t expansions = 0;
    while (!open_.empty()) {
        std::pop_heap(open_.begin(), open_.end());
        const Open top = open_.back();
        open_.pop_back();
        Node& popped = nodes_[static_cast<std::size_t>(top.node)];
        if (popped.closed || popped.f != top.f) continue;
        popped.closed = true;
        const Node node = popped;
        if (node.ref == goal) {
            for (std::int32_t n = top.node; n >= 0; n = nodes_[static_cast<std::size_t>(n)].parent) out.polygons.push_back(nodes_[static_cast<std::size_t>(n)].ref);
            std::reverse(out.polygons.begin(), out.polygons.end());
            out.expansions = expansions;
            return SearchEnd::Found;
        }
        if (max_expansions != 0 && expansions >= max_expansions) {
            out.expansions = expansions;
            return SearchEnd::OutOfNodes;
        }
        ++expansions;
        const float factor = ground.factor[ground.polygon(node.ref).terrain];
        forEachExit(ground, node.ref, [&](const Exit& exit) {
            Node next = node;
            next.ref = exit.next;
            next.parent = top.node;
            next.closed = false;
            funnelThrough(next, exit, to, factor);
            if (ground.factor[exit.terrain] != factor) {
                next.apex = next.right = next.left = next.point;
                next.apex_g = next.g;
            }
            reachNode(next);
        });
        for (const Crossing& crossing : ground.tile(node.ref.tile)->crossings) {
            if (crossing.polygon != node.ref.polygon || !ground.enters(ground.polygon(crossing.landing))) continue;
            const float g = node.g + distance(node.point, crossing.from) * factor +
                            distance(crossing.from, crossing.to) * linkFactor(ground, crossing.cost_factor);
            begin(crossing.landing, crossing.to, g, top.node);
        }
    }
    out.expansions = expansions;
    return SearchEnd::Exhausted;
}

void WeightedSearch::funnelThrough(Node& node, const Exit& exit, Vec2 to, float factor) {
    const auto turn = [&](Vec2 corner) {
        node.apex_g += distance(node.apex, corner) * factor;
        node.apex = corner;
    };
    // Of the edge the part [low, high], from its right end on, is seen.
    float low = 0.0f, high = 1.0f;
    if (!(node.apex == node.right)) {
        const float at_right = cross(node.apex, node.right, exit.right), at_left = cross(node.apex, node.right, exit.left);
        if (at_left <= 0.0f) {
            low = 1.0f;
        } else if (at_right < 0.0f) {
            low = at_right / (at_right - at_left);
        }
    }
    if (!(node.apex == node.left)) {
        const float at_right = cross(node.apex, node.left, exit.right), at_left = cross(node.apex, node.left, exit.left);
        if (at_right >= 0.0f) {
            high = 0.0f;
        } else if (at_left > 0.0f) {
            high = at_right / (at_right - at_left);
        }
    }
    const Vec2 seen_right = between(exit.right, exit.left, low), seen_left = between(exit.right, exit.left, high);
    if (low > 0.0f && (low >= high || cross(node.apex, node.right, to) < 0.0f)) {
        // Round the right corner: the edge lies there, or the goal.
        turn(node.right);
        node.right = exit.right;
        node.left = low < 1.0f ? seen_right : exit.left;
    } else if (high < 1.0f && (low >= high || cross(node.apex, node.left, to) > 0.0f)) {
        turn(node.left);
        node.right = high > 0.0f ? seen_left : exit.right;
        node.left = exit.left;
    } else {
        node.point = crossingPoint(node.apex, to, seen_right, seen_left);
        node.g = node.apex_g + distance(node.apex, node.point) * factor;
        if (low == 0.0f) node.right = exit.right;
        if (high == 1.0f) node.left = exit.left;
        return;
    }
    node.point = crossingPoint(node.apex, to, node.right, node.left);
    node.g = node.apex_g + distance(node.apex, node.point) * factor;
}

bool Corridor::findGates(const Ground& ground, const std::vector<PolyRef>& polygons) {
    gates_.clear();
    first_factor_ = ground.factor[ground.polygon(polygons.front()).terrain];
    for (std::size_t i = 0; i + 1 < polygons.size(); ++i) {
        const PolyRef next = polygons[i + 1];
        const float factor = ground.factor[ground.polygon(next).terrain];
        bool found = false;
        forEachExit(ground, polygons[i], [&](const Exit& exit) {
            if (found || exit.next != next) return;
            found = true;
            gates_.push_back({exit.right, exit.left, factor, next, 0, false});
        });
        if (found) continue;
        for (const Crossing& crossing : ground.tile(polygons[i].tile)->crossings) {
            if (crossing.polygon != polygons[i].polygon || crossing.landing != next) continue;
            found = true;
            gates_.push_back({crossing.from, crossing.from, linkFactor(ground, crossing.cost_factor), polygons[i], crossing.id, false});
            gates_.push_back({crossing.to, crossing.to, factor, next, 0, true});
            break;
        }
        if (!found) return false;
    }
    return true;
}

/// Sets points_[first..last) for the way from `from` to `to` through those gates.
void Corridor::funnel(Vec2 from, Vec2 to, std::size_t first, std::size_t last) {
    const auto gateAt = [&](std::size_t i) { return i < last ? gates_[i] : Gate{to, to, 1.0f, {}, 0, false}; };
    Vec2 apex = from, left = from, right = from;
    std::size_t apex_gate = first, left_gate = first, right_gate = first;
    std::size_t done = first;  // gates below this have their point
    const auto walkTo = [&](Vec2 corner, std::size_t gate) {
        for (; done < gate && done < last; ++done) points_[done] = crossingPoint(apex, corner, gates_[done].right, gates_[done].left);
        if (gate < last && done == gate) points_[done++] = corner;
    };
    for (std::size_t i = first; i <= last; ++i) {
        const Gate gate = gateAt(i);
        if (cross(apex, right, gate.right) >= 0.0f) {
            if (apex == right || cross(apex, left, gate.right) < 0.0f) {
                right = gate.right;
                right_gate = i;
            } else {
                walkTo(left, left_gate);
                apex = right = left;
                apex_gate = right_gate = left_gate;
                i = apex_gate;
                continue;
            }
        }
        if (cross(apex, left, gate.left) <= 0.0f) {
            if (apex == left || cross(apex, right, gate.left) > 0.0f) {
                left = gate.left;
                left_gate = i;
            } else {
                walkTo(right, right_gate);
                apex = left = right;
                apex_gate = left_gate = right_gate;
                i = apex_gate;
                continue;
            }
        }
    }
    walkTo(to, last);
}

void Corridor::refine(Vec2 from, Vec2 to) {
    constexpr int kSweeps = 6, kSteps = 12;
    const std::size_t n = gates_.size();
    const auto factorBefore = [&](std::size_t i) { return i == 0 ? first_factor_ : gates_[i - 1].factor; };
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        float moved = 0.0f;
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t i = sweep % 2 == 0 ? k : n - 1 - k;
            const Gate& gate = gates_[i];
            const float width = distance(gate.right, gate.left);
            if (width < 1e-4f) continue;
            const Vec2 before = i == 0 ? from : points_[i - 1], after = i + 1 == n ? to : points_[i + 1];
            const float fb = factorBefore(i), fa = gate.factor;
            float low = 0.0f, high = 1.0f;
            const auto price = [&](float t) {
                const Vec2 p = between(gate.right, gate.left, t);
                return fb * distance(before, p) + fa * distance(p, after);
            };
            if (fb == fa) {
                points_[i] = crossingPoint(before, after, gate.right, gate.left);
                continue;
            }
            for (int step = 0; step < kSteps; ++step) {
                const float a = low + (high - low) * 0.382f, b = low + (high - low) * 0.618f;
                if (price(a) < price(b)) {
                    high = b;
                } else {
                    low = a;
                }
            }
            const Vec2 p = between(gate.right, gate.left, 0.5f * (low + high));
            if (fb * distance(before, p) + fa * distance(p, after) < fb * distance(before, points_[i]) + fa * distance(points_[i], after)) {
                moved = std::max(moved, distance(p, points_[i]));
                points_[i] = p;
            }
        }
        if (moved < 0.01f) break;
    }
}

bool Corridor::pull(const Ground& ground, Vec2 from, Vec2 to, Way& out) {
    // Cut off loops: from the first visit of a polygon straight on from its last.
    places_.clear();
    for (std::size_t i = 0; i < out.polygons.size(); ++i) places_.at(out.polygons[i].key(), 0.0) = static_cast<double>(i);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < out.polygons.size(); ++i) {
        i = static_cast<std::size_t>(places_.at(out.polygons[i].key(), 0.0));
        out.polygons[kept++] = out.polygons[i];
    }
    out.polygons.resize(kept);
    if (!findGates(ground, out.polygons)) return false;
    const std::size_t n = gates_.size();
    points_.assign(n, from);
    Vec2 start = from;
    std::size_t first = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (gates_[i].link == 0) continue;
        funnel(start, gates_[i].right, first, i);
        points_[i] = gates_[i].right;
        points_[i + 1] = start = gates_[i + 1].right;
        first = i + 2;
    }
    funnel(start, to, first, n);
    if (!ground.uniform) refine(from, to);

    // The points in order, those that coincide taken together.
    passes_.clear();
    passes_.push_back({from, first_factor_, out.polygons.front(), 0, true});
    for (std::size_t i = 0; i < n; ++i) {
        const bool fixed = gates_[i].link != 0 || gates_[i].last_of_link;
        Pass& last = passes_.back();
        if (!fixed && !last.fixed && distance(last.point, points_[i]) < 1e-4f) {
            last.factor = gates_[i].factor;
            last.beyond = gates_[i].beyond;
            continue;
        }
        passes_.push_back({points_[i], gates_[i].factor, gates_[i].beyond, gates_[i].link, fixed});
    }
    passes_.push_back({to, 1.0f, out.polygons.back(), 0, true});

    out.corners.clear();
    out.length = out.cost = 0.0f;
    for (std::size_t i = 0; i < passes_.size(); ++i) {
        const Pass& pass = passes_[i];
        if (i > 0) {
            const float step = distance(passes_[i - 1].point, pass.point);
            out.length += step;
            out.cost += step * passes_[i - 1].factor;
        }
        bool bend = pass.fixed;
        if (!bend) {
            const Vec2 before = out.corners.back().point, after = passes_[i + 1].point;
            const float size = distance(before, pass.point) * distance(pass.point, after);
            bend = std::abs(cross(before, pass.point, after)) > 1e-4f * std::max(size, 1e-3f);
        }
        if (bend) out.corners.push_back({pass.point, pass.beyond, pass.link});
    }
    return true;
}

void Corridor::skipCorners(const Ground& ground, Way& way) {
    std::vector<WayPoint>& corners = way.corners;
    const auto price = [&](std::size_t a, std::size_t b) {
        const PolyRef start = locate(ground, corners[a].point);
        if (!start.valid()) return -1.0f;
        const RayResult ray = walkStraight(ground, start, corners[a].point, corners[b].point);
        return ray.clear ? ray.cost : -1.0f;
    };
    for (std::size_t i = 0; i + 2 < corners.size();) {
        if (corners[i].link != 0 || corners[i + 1].link != 0) {
            ++i;
            continue;
        }
        const float direct = price(i, i + 2), first = price(i, i + 1), second = price(i + 1, i + 2);
        if (direct >= 0.0f && first >= 0.0f && second >= 0.0f && direct < first + second) {
            way.cost += direct - first - second;
            way.length += distance(corners[i].point, corners[i + 2].point) - distance(corners[i].point, corners[i + 1].point) -
                          distance(corners[i + 1].point, corners[i + 2].point);
            corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            if (i > 0) --i;
        } else {
            ++i;
        }
    }
}

}  // namespace warpath::navmesh
