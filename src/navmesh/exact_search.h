// Shortest ways on a mesh whose ground has one price.
#pragma once

#include <cstdint>
#include <vector>

#include "navmesh/mesh_query.h"

namespace warpath::navmesh {

enum class SearchEnd : std::uint8_t { Found, Exhausted, OutOfNodes };

/// One corner of a way found.
struct WayPoint {
    Vec2 point;
    PolyRef ref;                   ///< A polygon that holds it.
    std::uint32_t link = 0;        ///< The link that leads to the next corner, or 0.
};

struct Way {
    std::vector<WayPoint> corners;  ///< From start to goal, both included.
    std::vector<PolyRef> polygons;  ///< Polygons crossed, in order.
    float length = 0.0f;            ///< [m]
    float cost = 0.0f;              ///< In metres at price 1.
    std::uint32_t expansions = 0;
    void clear() {
        corners.clear();
        polygons.clear();
        length = cost = 0.0f;
        expansions = 0;
    }
};

/// Hash table from 64-bit keys to small values, cleared in O(1) by a stamp. Keeps its capacity.
class StampedTable {
public:
    StampedTable() : slots_(1024) {}
    void clear() {
        used_ = 0;
        if (++stamp_ == 0) {
            for (Slot& slot : slots_) slot.stamp = 0;
            stamp_ = 1;
        }
    }
    /// The value under a key, inserted as `fresh` when absent.
    double& at(std::uint64_t key, double fresh) {
        if ((used_ + 1) * 2 > slots_.size()) grow();
        Slot& slot = find(key);
        if (slot.stamp != stamp_) {
            slot = {key, stamp_, fresh};
            ++used_;
        }
        return slot.value;
    }
    /// The value under a key, or `absent`.
    [[nodiscard]] double get(std::uint64_t key, double absent) {
        const Slot& slot = find(key);
        return slot.stamp == stamp_ ? slot.value : absent;
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t stamp = 0;
        double value = 0.0;
    };
    Slot& find(std::uint64_t key) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ull) >> 20) & mask;
        while (slots_[i].stamp == stamp_ && slots_[i].key != key) i = (i + 1) & mask;
        return slots_[i];
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.stamp == stamp_) find(slot.key) = slot;
        }
    }
    std::vector<Slot> slots_;
    std::size_t used_ = 0;
    std::uint32_t stamp_ = 1;
};

/// A point in doubles: intervals are cut again and again, and a float at 8 km knows half a millimetre.
struct Point {
    double x = 0.0, y = 0.0;
    friend bool operator==(const Point&, const Point&) = default;
};

/// Polyanya (Cui, Harabor, Grastien 2017): A* over pairs of a bending point and an interval of an edge that is seen from it. Optimal in the
/// plane; no preprocessing, so a rebuilt tile costs nothing. Beyond the paper: an interval whose every point is reached earlier along its edge, from a
/// corner that was reached or seen, is dropped; dead ends are not entered. Deviations: intervals end at tile seams as well as at corners, though a way bends there
/// only where the ground around is not open, and links are new starts that cost at least their length.
/// Ties: lower f, then the node made later.
class ExactSearch {
public:
    /// @param max_expansions 0: no limit. @pre start and goal lie in the given polygons, which `ground` has and may be entered.
    SearchEnd run(const Ground& ground, PolyRef start, Vec2 from, PolyRef goal, Vec2 to, std::uint32_t max_expansions, Way& out);

private:
    /// A point where the way bends (or starts, or a link begins or ends).
    struct Root {
        Point point;
        double g = 0.0;            ///< Length from the start.
        std::int32_t parent = -1;
        PolyRef ref;               ///< A polygon that holds it.
        std::uint32_t link = 0;    ///< The link from the parent to here, or 0.
        std::uint64_t key = 0;
        int turn = 0;              ///< Which way the shortest way may bend here: 1 left, -1 right, 0 any.
    };
    struct Node {
        Point left, right;  ///< The interval, as seen when passing it.
        double f = 0.0;
        std::int32_t root = -1;
        std::int32_t parent = -1;
        PolyRef next;  ///< The polygon beyond.
        PolyRef from;  ///< The polygon before.
        /// Of the ends where a way may bend; 0 for others.
        std::uint64_t left_key = 0, right_key = 0;
        double to_left = 0.0, to_right = 0.0;  ///< From the root to the ends [m]; set by push.
    };
    struct Open {
        double f;
        std::int32_t node;
        /// For std::push_heap, which keeps the greatest in front.
        friend bool operator<(const Open& a, const Open& b) { return a.f != b.f ? a.f > b.f : a.node < b.node; }
    };
    /// The shortest way from a node's root through its interval to a point.
    struct Reach {
        double length = 0.0;
        int bend = 0;  ///< 0: straight, 1: at the left end, 2: at the right end.
    };

    [[nodiscard]] Reach reach(const Node& node, double width, Point target, bool mirrored) const;
    void push(Node node, bool into_line = false);
    /// Takes the next node out, or -1.
    std::int32_t takeBest();
    void expand(const Ground& ground, std::int32_t index);
    void takeLinks(const Ground& ground, std::int32_t index);
    /// A new root, or -1 when its place was reached over a shorter way.
    std::int32_t addRoot(Point point, std::uint64_t key, double g, std::int32_t parent, PolyRef ref, std::uint32_t link, int turn);
    /// Whether some corner at the node's interval was reached so early that every point of the interval is reached earlier along the edge.
    [[nodiscard]] bool isBeaten(const Node& node, double width);
    void finish(const Ground& ground, std::int32_t index, Way& out) const;

    std::vector<Root> roots_;
    std::vector<Node> nodes_;
    std::vector<Open> open_;
    Open held_{};                ///< The best node made by the last expansion: often the next one, and then the heap never sees it. Node -1: none.
    StampedTable best_;          ///< Shortest length known to each corner, by key: of a way bending there, or seeing it.
    std::vector<std::int32_t> into_goal_;  ///< Dead ends that lead to the goal's polygon.
    PolyRef goal_;
    StampedTable around_;  ///< Polygons entered while turning on a root, and intervals that lead into polygons without area.
    Point to_;
};

}  // namespace warpath::navmesh
