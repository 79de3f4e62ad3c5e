#include "navmesh/exact_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpath::navmesh {
namespace {

/// Lengths below this are nothing [m].
constexpr double kTiny = 1e-6;

Point pointOf(Vec2 v) { return {static_cast<double>(v.x), static_cast<double>(v.y)}; }
Vec2 vecOf(Point p) { return {static_cast<float>(p.x), static_cast<float>(p.y)}; }
double cross(Point origin, Point a, Point b) { return (a.x - origin.x) * (b.y - origin.y) - (a.y - origin.y) * (b.x - origin.x); }
double length(Point a, Point b) { return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)); }
Point between(Point a, Point b, double t) { return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}; }

/// The same for points less than a millimetre apart that stem from the same corner.
std::uint64_t keyOf(Point p) {
    const auto x = static_cast<std::int64_t>(std::floor(p.x * 1024.0 + 0.5)), y = static_cast<std::int64_t>(std::floor(p.y * 1024.0 + 0.5));
    return (static_cast<std::uint64_t>(x) << 32) ^ static_cast<std::uint64_t>(y);
}

}  // namespace

ExactSearch::Reach ExactSearch::reach(const Node& node, Point target, bool mirrored) const {
    const Point& root = roots_[static_cast<std::size_t>(node.root)].point;
    const Point &l = node.left, &r = node.right;
    const double side_root = cross(l, r, root);
    if (mirrored && side_root * cross(l, r, target) > 0.0) {
        const double dx = r.x - l.x, dy = r.y - l.y, square = dx * dx + dy * dy;
        const double off = 2.0 * ((target.x - l.x) * dy - (target.y - l.y) * dx) / square;
        target = {target.x - off * dy, target.y + off * dx};
    }
    const double width = length(l, r);
    if (std::abs(side_root) <= kTiny * width || width <= kTiny) {
        // The root lies on the interval's line (or is the interval): it passes the nearer end, or nothing when it lies within.
        const double over_l = length(root, l) + length(l, target), over_r = length(root, r) + length(r, target);
        const double straight = length(root, target);
        if (length(root, l) + length(root, r) <= width + kTiny) return {straight, 0};
        return over_l < over_r ? Reach{over_l, 1} : Reach{over_r, 2};
    }
    if (cross(root, r, target) < 0.0) return {length(root, r) + length(r, target), 2};
    if (cross(root, l, target) > 0.0) return {length(root, l) + length(l, target), 1};
    return {length(root, target), 0};
}

std::int32_t ExactSearch::addRoot(Point point, double g, std::int32_t parent, PolyRef ref, std::uint32_t link, int turn) {
    const std::uint64_t key = keyOf(point);
    double& best = best_root_.at(key, std::numeric_limits<double>::infinity());
    if (g > best + kTiny) return -1;
    best = std::min(best, g);
    roots_.push_back({point, g, parent, ref, link, key, turn});
    return static_cast<std::int32_t>(roots_.size()) - 1;
}

void ExactSearch::push(Node node) {
    const Root& root = roots_[static_cast<std::size_t>(node.root)];
    if (root.turn != 0) {
        // A tight string bends towards the obstacle only.
        const Point& before = roots_[static_cast<std::size_t>(root.parent)].point;
        const double slack = kTiny * length(before, root.point), turn = root.turn;
        if (turn * cross(before, root.point, node.left) < -slack && turn * cross(before, root.point, node.right) < -slack) return;
    }
    if (length(root.point, node.left) + length(root.point, node.right) <= length(node.left, node.right) + kTiny) {
        // Edges that end in the root, or hold it (a start on an edge), lead round it, once.
        double& best = around_.at(root.key * 0x9e3779b97f4a7c15ull ^ node.next.key(), std::numeric_limits<double>::infinity());
        if (best <= root.g) return;
        best = root.g;
    }
    node.f = roots_[static_cast<std::size_t>(node.root)].g + reach(node, to_, true).length;
    nodes_.push_back(node);
    open_.push_back({node.f, static_cast<std::int32_t>(nodes_.size()) - 1});
    std::push_heap(open_.begin(), open_.end());
}

void ExactSearch::takeLinks(const Ground& ground, std::int32_t index) {
    const Node node = nodes_[static_cast<std::size_t>(index)];
    for (const Crossing& crossing : ground.tile(node.next.tile)->crossings) {
        if (crossing.polygon != node.next.polygon || !ground.enters(ground.polygon(crossing.landing))) continue;
        const Point begin = pointOf(crossing.from), end = pointOf(crossing.to);
        const Reach way = reach(node, begin, false);
        std::int32_t root = node.root;
        if (way.bend != 0) {
            const Point bend = way.bend == 1 ? node.left : node.right;
            root = addRoot(bend, roots_[static_cast<std::size_t>(root)].g + length(roots_[static_cast<std::size_t>(root)].point, bend), root, node.next, 0,
                           way.bend == 1 ? 1 : -1);
            if (root < 0) continue;
        }
        // The start of a link gets no key of its own in the table: only what lies beyond it counts.
        const double g = roots_[static_cast<std::size_t>(node.root)].g + way.length;
        const double price = std::max(1.0, static_cast<double>(crossing.cost_factor) / static_cast<double>(ground.least_factor));
        const double beyond = g + length(begin, end) * price;
        if (beyond > best_root_.at(keyOf(end), std::numeric_limits<double>::infinity()) - kTiny) continue;
        roots_.push_back({begin, g, root, node.next, 0, 0, 0});
        const std::int32_t landed = addRoot(end, beyond, static_cast<std::int32_t>(roots_.size()) - 1, crossing.landing, crossing.id, 0);
        if (landed >= 0) push({.left = end, .right = end, .root = landed, .parent = index, .next = crossing.landing, .from = {}});
    }
}

void ExactSearch::expand(const Ground& ground, std::int32_t index) {
    const Node node = nodes_[static_cast<std::size_t>(index)];
    const Point root = roots_[static_cast<std::size_t>(node.root)].point;
    if (!ground.tile(node.next.tile)->crossings.empty()) takeLinks(ground, index);

    const bool at_right = root == node.right, at_left = root == node.left;
    const double right_slack = at_right ? 0.0 : kTiny * std::max(length(root, node.right), 1.0);
    const double left_slack = at_left ? 0.0 : kTiny * std::max(length(root, node.left), 1.0);
    std::int32_t right_turn = -2, left_turn = -2;  // -2: not tried yet, -1: not worth it
    const auto turnAt = [&](std::int32_t& made, Point at, int turn) {
        if (made == -2) made = addRoot(at, roots_[static_cast<std::size_t>(node.root)].g + length(root, at), node.root, node.next, 0, turn);
        return made;
    };
    forEachExit(ground, node.next, 0, [&](const Exit& exit, int) {
        if (exit.next == node.from) return;
        const Point u = pointOf(exit.right), w = pointOf(exit.left);
        const double edge = length(u, w);
        if (edge <= kTiny) return;
        // Going round the polygon from the interval's right end, first comes what lies right of the rays through the interval, then what
        // is seen, then what lies left. On this edge: [u, a], [a, b], [b, w].
        double a = 0.0, b = 1.0;
        if (!at_right) {
            const double cu = cross(root, node.right, u), cw = cross(root, node.right, w);
            if (cw < -right_slack) {
                a = 1.0;
            } else if (cu < -right_slack) {
                a = cw <= right_slack ? 1.0 : cu / (cu - cw);
            }
        }
        if (!at_left) {
            const double cu = cross(root, node.left, u), cw = cross(root, node.left, w);
            if (cu > left_slack) {
                b = 0.0;
            } else if (cw > left_slack) {
                b = cu >= -left_slack ? 0.0 : cu / (cu - cw);
            }
        }
        const double snap = kTiny / edge;
        if (a < snap) a = 0.0;
        if (a > 1.0 - snap) a = 1.0;
        if (b < snap) b = 0.0;
        if (b > 1.0 - snap) b = 1.0;
        const Point pa = a == 0.0 ? u : (a == 1.0 ? w : between(u, w, a)), pb = b == 0.0 ? u : (b == 1.0 ? w : between(u, w, b));
        const bool a_corner = a == 0.0 ? exit.right_corner : (a == 1.0 && exit.left_corner);
        const bool b_corner = b == 1.0 ? exit.left_corner : (b == 0.0 && exit.right_corner);
        if (b > a) {
            push({.left = pb, .right = pa, .root = node.root, .parent = index, .next = exit.next, .from = node.next, .left_corner = b_corner, .right_corner = a_corner});
        }
        if (a > 0.0 && node.right_corner && turnAt(right_turn, node.right, -1) >= 0) {
            push({.left = pa, .right = u, .root = right_turn, .parent = index, .next = exit.next, .from = node.next, .left_corner = a_corner, .right_corner = exit.right_corner});
        }
        if (b < 1.0 && node.left_corner && turnAt(left_turn, node.left, 1) >= 0) {
            push({.left = w, .right = pb, .root = left_turn, .parent = index, .next = exit.next, .from = node.next, .left_corner = exit.left_corner, .right_corner = b_corner});
        }
    });
}

void ExactSearch::finish(const Ground& ground, std::int32_t index, Way& out) const {
    const Node& last = nodes_[static_cast<std::size_t>(index)];
    const Reach way = reach(last, to_, false);
    out.corners.push_back({vecOf(to_), last.next, 0});
    if (way.bend != 0) out.corners.push_back({vecOf(way.bend == 1 ? last.left : last.right), last.next, 0});
    std::uint32_t link = 0;
    for (std::int32_t r = last.root; r >= 0; r = roots_[static_cast<std::size_t>(r)].parent) {
        const Root& root = roots_[static_cast<std::size_t>(r)];
        out.corners.push_back({vecOf(root.point), root.ref, link});
        link = root.link;
    }
    std::reverse(out.corners.begin(), out.corners.end());
    for (std::int32_t n = index; n >= 0; n = nodes_[static_cast<std::size_t>(n)].parent) out.polygons.push_back(nodes_[static_cast<std::size_t>(n)].next);
    std::reverse(out.polygons.begin(), out.polygons.end());
    out.length = static_cast<float>(roots_[static_cast<std::size_t>(last.root)].g + way.length);
    out.cost = out.length * ground.least_factor;
}

SearchEnd ExactSearch::run(const Ground& ground, PolyRef start, Vec2 from, PolyRef goal, Vec2 to, std::uint32_t max_expansions, Way& out) {
    out.clear();
    roots_.clear();
    nodes_.clear();
    open_.clear();
    best_root_.clear();
    around_.clear();
    to_ = pointOf(to);
    const Point begin = pointOf(from);
    const std::int32_t root = addRoot(begin, 0.0, -1, start, 0, 0);
    push({.left = begin, .right = begin, .root = root, .parent = -1, .next = start, .from = {}});
    std::uint32_t expansions = 0;
    while (!open_.empty()) {
        std::pop_heap(open_.begin(), open_.end());
        const std::int32_t index = open_.back().node;
        open_.pop_back();
        const Node& node = nodes_[static_cast<std::size_t>(index)];
        const Root& bend = roots_[static_cast<std::size_t>(node.root)];
        if (bend.key != 0 && bend.g > best_root_.at(bend.key, bend.g) + kTiny) continue;
        if (node.next == goal) {
            finish(ground, index, out);
            out.expansions = expansions;
            return SearchEnd::Found;
        }
        if (max_expansions != 0 && expansions >= max_expansions) {
            out.expansions = expansions;
            return SearchEnd::OutOfNodes;
        }
        ++expansions;
        expand(ground, index);
    }
    out.expansions = expansions;
    return SearchEnd::Exhausted;
}

}  // namespace warpath::navmesh
