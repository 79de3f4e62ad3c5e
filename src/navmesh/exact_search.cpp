#include "navmesh/exact_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace warpath::navmesh {
namespace {

/// Lengths below this are nothing [m].
constexpr double kTiny = 1e-6;

Point pointOf(Vec2 v) { return {static_cast<double>(v.x), static_cast<double>(v.y)}; }
Vec2 vecOf(Point p) { return {static_cast<float>(p.x), static_cast<float>(p.y)}; }
double cross(Point origin, Point a, Point b) { return (a.x - origin.x) * (b.y - origin.y) - (a.y - origin.y) * (b.x - origin.x); }
double length(Point a, Point b) { return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)); }
Point between(Point a, Point b, double t) { return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}; }

/// The same for points less than a millimetre apart that stem from the same corner; never 0. @pre p lies on the map, so that both are >= 0.
std::uint64_t keyOf(Point p) {
    const auto x = static_cast<std::int64_t>(p.x * 1024.0 + 0.5), y = static_cast<std::int64_t>(p.y * 1024.0 + 0.5);
    return (std::uint64_t{1} << 63) | (static_cast<std::uint64_t>(x) << 32) | static_cast<std::uint64_t>(y);
}

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

ExactSearch::Reach ExactSearch::reach(const Node& node, double width, Point target, bool mirrored) const {
    const Point& root = roots_[static_cast<std::size_t>(node.root)].point;
    const Point &l = node.left, &r = node.right;
    const double side_root = cross(l, r, root);
    if (mirrored && side_root * cross(l, r, target) > 0.0) {
        const double dx = r.x - l.x, dy = r.y - l.y;
        const double off = 2.0 * ((target.x - l.x) * dy - (target.y - l.y) * dx) / (width * width);
        target = {target.x - off * dy, target.y + off * dx};
    }
    if (std::abs(side_root) <= kTiny * width || width <= kTiny) {
        // The root lies on the interval's line (or is the interval): it passes the nearer end, or nothing when it lies within.
        if (node.to_left + node.to_right <= width + kTiny) return {length(root, target), 0};
        const double over_l = node.to_left + length(l, target), over_r = node.to_right + length(r, target);
        return over_l < over_r ? Reach{over_l, 1} : Reach{over_r, 2};
    }
    if (cross(root, r, target) < 0.0) return {node.to_right + length(r, target), 2};
    if (cross(root, l, target) > 0.0) return {node.to_left + length(l, target), 1};
    return {length(root, target), 0};
}

bool ExactSearch::isBeaten(const Node& node, double width) {
    // Moving along the edge away from a corner, the way over the corner grows by every metre and the way from the root by no more: so what
    // holds at the far end holds everywhere.
    const double g = roots_[static_cast<std::size_t>(node.root)].g;
    return (node.left_key != 0 && best_.get(node.left_key, kNever) + width < g + node.to_right - kTiny) ||
           (node.right_key != 0 && best_.get(node.right_key, kNever) + width < g + node.to_left - kTiny);
}

std::int32_t ExactSearch::addRoot(Point point, std::uint64_t key, double g, std::int32_t parent, PolyRef ref, std::uint32_t link, int turn) {
    double& best = best_.at(key, kNever);
    if (g > best + kTiny) return -1;
    best = std::min(best, g);
    roots_.push_back({point, g, parent, ref, link, key, turn});
    return static_cast<std::int32_t>(roots_.size()) - 1;
}

void ExactSearch::push(Node node, bool into_line) {
    const Root& root = roots_[static_cast<std::size_t>(node.root)];
    if (root.turn != 0) {
        // A tight string bends towards the obstacle only.
        const Point& before = roots_[static_cast<std::size_t>(root.parent)].point;
        const double slack = kTiny * length(before, root.point), turn = root.turn;
        if (turn * cross(before, root.point, node.left) < -slack && turn * cross(before, root.point, node.right) < -slack) return;
    }
    node.to_left = length(root.point, node.left);
    node.to_right = length(root.point, node.right);
    const double width = length(node.left, node.right);
    if (node.left_key != 0) {
        double& best = best_.at(node.left_key, kNever);
        best = std::min(best, root.g + node.to_left);
    }
    if (node.right_key != 0) {
        double& best = best_.at(node.right_key, kNever);
        best = std::min(best, root.g + node.to_right);
    }
    if (isBeaten(node, width)) return;
    if (node.to_left + node.to_right <= width + kTiny) {
        // Edges that end in the root, or hold it (a start on an edge), lead round it, once.
        double& best = around_.at(root.key * 0x9e3779b97f4a7c15ull ^ node.next.key(), kNever);
        if (best <= root.g) return;
        best = root.g;
    }
    if (into_line) {
        // What enters a polygon without area leaves it by the same interval, and could come round to it for ever.
        std::uint64_t key = root.key * 0x9e3779b97f4a7c15ull ^ node.next.key();
        for (const Point end : {node.left, node.right}) key = (key ^ keyOf(end)) * 0x9e3779b97f4a7c15ull;
        double& best = around_.at(key, kNever);
        if (best <= root.g) return;
        best = root.g;
    }
    node.f = root.g + reach(node, width, to_, true).length;
    nodes_.push_back(node);
    // Of what an expansion makes the best is held back.
    Open made{node.f, static_cast<std::int32_t>(nodes_.size()) - 1};
    if (held_.node < 0) {
        held_ = made;
        return;
    }
    if (held_ < made) std::swap(held_, made);
    open_.push_back(made);
    std::push_heap(open_.begin(), open_.end());
}

std::int32_t ExactSearch::takeBest() {
    const Open held = std::exchange(held_, {0.0, -1});
    if (held.node >= 0) {
        // Made last, it goes before what is as good.
        if (open_.empty() || open_.front() < held) return held.node;
        open_.push_back(held);
        std::push_heap(open_.begin(), open_.end());
    }
    if (open_.empty()) return -1;
    std::pop_heap(open_.begin(), open_.end());
    const std::int32_t index = open_.back().node;
    open_.pop_back();
    return index;
}

void ExactSearch::takeLinks(const Ground& ground, std::int32_t index) {
    const Node node = nodes_[static_cast<std::size_t>(index)];
    for (const Crossing& crossing : ground.tile(node.next.tile)->crossings) {
        if (crossing.polygon != node.next.polygon || !ground.enters(ground.polygon(crossing.landing))) continue;
        const Point begin = pointOf(crossing.from), end = pointOf(crossing.to);
        const Reach way = reach(node, length(node.left, node.right), begin, false);
        std::int32_t root = node.root;
        if (way.bend != 0) {
            const Point bend = way.bend == 1 ? node.left : node.right;
            root = addRoot(bend, keyOf(bend), roots_[static_cast<std::size_t>(root)].g + length(roots_[static_cast<std::size_t>(root)].point, bend), root, node.next, 0,
                           way.bend == 1 ? 1 : -1);
            if (root < 0) continue;
        }
        // The start of a link gets no key of its own in the table: only what lies beyond it counts.
        const double g = roots_[static_cast<std::size_t>(node.root)].g + way.length;
        const double price = std::max(1.0, static_cast<double>(crossing.cost_factor) / static_cast<double>(ground.least_factor));
        const double beyond = g + length(begin, end) * price;
        if (beyond > best_.get(keyOf(end), kNever) - kTiny) continue;
        roots_.push_back({begin, g, root, node.next, 0, 0, 0});
        const std::int32_t landed = addRoot(end, keyOf(end), beyond, static_cast<std::int32_t>(roots_.size()) - 1, crossing.landing, crossing.id, 0);
        if (landed >= 0) push({.left = end, .right = end, .root = landed, .parent = index, .next = crossing.landing, .from = {}});
    }
}

void ExactSearch::expand(const Ground& ground, std::int32_t index) {
    const Node node = nodes_[static_cast<std::size_t>(index)];
    const Point root = roots_[static_cast<std::size_t>(node.root)].point;
    const LoadedTile& tile = *ground.tile(node.next.tile);
    const bool has_links = !tile.crossings.empty();
    if (has_links) takeLinks(ground, index);

    const bool at_right = root == node.right, at_left = root == node.left;
    const double right_slack = at_right ? 0.0 : kTiny * std::max(node.to_right, 1.0);
    const double left_slack = at_left ? 0.0 : kTiny * std::max(node.to_left, 1.0);
    std::int32_t right_turn = -2, left_turn = -2;  // -2: not tried yet, -1: not worth it
    const auto turnAt = [&](std::int32_t& made, Point at, std::uint64_t key, double away, int turn) {
        if (made == -2) made = addRoot(at, key, roots_[static_cast<std::size_t>(node.root)].g + away, node.root, node.next, 0, turn);
        return made;
    };
    const auto isUseless = [&](PolyRef next) {
        // A dead end with neither the goal nor a link in it.
        return !has_links && (next.tile != goal_.tile || std::find(into_goal_.begin(), into_goal_.end(), next.polygon) == into_goal_.end());
    };
    forEachExit(ground, node.next, [&](const Exit& exit) {
        if (exit.next == node.from || (exit.dead_end && isUseless(exit.next))) return;
        const Point u = pointOf(exit.right), w = pointOf(exit.left);
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
        const bool seen = b > a;
        const bool round_right = a > 0.0 && node.right_key != 0 && turnAt(right_turn, node.right, node.right_key, node.to_right, -1) >= 0;
        const bool round_left = b < 1.0 && node.left_key != 0 && turnAt(left_turn, node.left, node.left_key, node.to_left, 1) >= 0;
        if (!seen && !round_right && !round_left) return;
        if ((a > 0.0 && a < 1.0) || (b > 0.0 && b < 1.0)) {
            // Cuts that are nearly an end are that end.
            const double snap = kTiny / length(u, w);
            const auto snapped = [snap](double t) { return t < snap ? 0.0 : (t > 1.0 - snap ? 1.0 : t); };
            a = snapped(a);
            b = snapped(b);
        }
        const Point pa = a == 0.0 ? u : (a == 1.0 ? w : between(u, w, a)), pb = b == 0.0 ? u : (b == 1.0 ? w : between(u, w, b));
        const std::uint64_t u_key = exit.right_corner ? keyOf(u) : 0, w_key = exit.left_corner ? keyOf(w) : 0;
        const std::uint64_t a_key = a == 0.0 ? u_key : (a == 1.0 ? w_key : 0), b_key = b == 1.0 ? w_key : (b == 0.0 ? u_key : 0);
        if (b > a) {
            push({.left = pb, .right = pa, .root = node.root, .parent = index, .next = exit.next, .from = node.next, .left_key = b_key, .right_key = a_key}, exit.without_area);
        }
        if (round_right && a > 0.0) {
            push({.left = pa, .right = u, .root = right_turn, .parent = index, .next = exit.next, .from = node.next, .left_key = a_key, .right_key = u_key}, exit.without_area);
        }
        if (round_left && b < 1.0) {
            push({.left = w, .right = pb, .root = left_turn, .parent = index, .next = exit.next, .from = node.next, .left_key = w_key, .right_key = b_key}, exit.without_area);
        }
    });
}

void ExactSearch::finish(const Ground& ground, std::int32_t index, Way& out) const {
    const Node& last = nodes_[static_cast<std::size_t>(index)];
    const Reach way = reach(last, length(last.left, last.right), to_, false);
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
    best_.clear();
    around_.clear();
    held_ = {0.0, -1};
    to_ = pointOf(to);
    goal_ = goal;
    into_goal_.clear();
    const std::vector<std::int16_t>& hangs_on = ground.tile(goal.tile)->hangs_on;
    for (std::int32_t p = goal.polygon; p >= 0; p = hangs_on[static_cast<std::size_t>(p)]) into_goal_.push_back(p);
    const Point begin = pointOf(from);
    const std::int32_t root = addRoot(begin, keyOf(begin), 0.0, -1, start, 0, 0);
    push({.left = begin, .right = begin, .root = root, .parent = -1, .next = start, .from = {}});
    std::uint32_t expansions = 0;
    for (std::int32_t index = takeBest(); index >= 0; index = takeBest()) {
        const Node& node = nodes_[static_cast<std::size_t>(index)];
        const Root& bend = roots_[static_cast<std::size_t>(node.root)];
        // Shorter ways may have been found since it was made.
        if (bend.key != 0 && bend.g > best_.get(bend.key, bend.g) + kTiny) continue;
        if (isBeaten(node, length(node.left, node.right))) continue;
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
