// Jump point search (Harabor and Grastien 2011, 2014), strict corners. A straight scan runs along one line of free bits; it stops where a wall beside the
// line has just ended, since only there a turn can pay. Diagonal moves have no such places: they look along both straight lines at every step.
#include "warpath/search/jps.h"

#include <algorithm>
#include <cstdlib>

#include "warpath/core/assert.h"
#include "warpath/core/hash.h"

namespace warpath {
namespace {

constexpr std::uint32_t kNoNode = UINT32_MAX;

/// Three neighbouring lines of 64 free bits around a cell, along x (rows) or y (columns). `along` is the coordinate on the line.
struct Lines {
    std::uint64_t before, here, after;
};

template <bool kRows>
Lines linesAt(const RegionTable& regions, int along_chunk, int line) {
    const auto word = [&](int l) {
        const int across_chunk = l >> kChunkShift;
        const ChunkLabels& labels = kRows ? regions.paddedLabels(along_chunk, across_chunk) : regions.paddedLabels(across_chunk, along_chunk);
        return (kRows ? labels.free_rows : labels.free_columns)[static_cast<std::size_t>(l & (kChunkSize - 1))];
    };
    return {word(line - 1), word(line), word(line + 1)};
}

struct Stop {
    int along;    ///< Where the scan ended.
    bool jump;    ///< At a jump point or the goal; otherwise at the wall.
};

/// Scans from `along` (exclusive) upwards on a line. `goal_along` is where the goal lies on this line, or -2.
template <bool kRows>
Stop scanUp(const RegionTable& regions, int along, int line, int goal_along) {
    int chunk = along >> kChunkShift;
    const int bit = along & (kChunkSize - 1);
    std::uint64_t mask = bit == 63 ? 0 : ~std::uint64_t{0} << (bit + 1);
    std::uint64_t carry_before = 0, carry_after = 0;
    while (true) {
        const Lines l = linesAt<kRows>(regions, chunk, line);
        const std::uint64_t forced = (l.before & ~((l.before << 1) | carry_before)) | (l.after & ~((l.after << 1) | carry_after));
        std::uint64_t stop = (forced | ~l.here) & mask;
        if (goal_along >> kChunkShift == chunk) stop |= (std::uint64_t{1} << (goal_along & (kChunkSize - 1))) & mask;
        if (stop != 0) {
            const int p = __builtin_ctzll(stop);
            return {(chunk << kChunkShift) + p, ((l.here >> p) & 1) != 0};
        }
        carry_before = l.before >> 63;
        carry_after = l.after >> 63;
        mask = ~std::uint64_t{0};
        ++chunk;
    }
}

/// The same downwards.
template <bool kRows>
Stop scanDown(const RegionTable& regions, int along, int line, int goal_along) {
    int chunk = along >> kChunkShift;
    const int bit = along & (kChunkSize - 1);
    std::uint64_t mask = bit == 0 ? 0 : ~std::uint64_t{0} >> (64 - bit);
    std::uint64_t carry_before = 0, carry_after = 0;
    while (true) {
        const Lines l = linesAt<kRows>(regions, chunk, line);
        const std::uint64_t forced = (l.before & ~((l.before >> 1) | carry_before)) | (l.after & ~((l.after >> 1) | carry_after));
        std::uint64_t stop = (forced | ~l.here) & mask;
        if (goal_along >> kChunkShift == chunk) stop |= (std::uint64_t{1} << (goal_along & (kChunkSize - 1))) & mask;
        if (stop != 0) {
            const int p = 63 - __builtin_clzll(stop);
            return {(chunk << kChunkShift) + p, ((l.here >> p) & 1) != 0};
        }
        carry_before = l.before << 63;
        carry_after = l.after << 63;
        mask = ~std::uint64_t{0};
        --chunk;
    }
}

bool isFree(const RegionTable& regions, int x, int y) {
    return regions.paddedLabels(x >> kChunkShift, y >> kChunkShift).fits(localIndex(x, y));
}

constexpr std::uint64_t octile(int dx, int dy) {
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    const int straight = dx > dy ? dx : dy, diagonal = dx > dy ? dy : dx;
    return static_cast<std::uint64_t>(straight) * kStraightLength + static_cast<std::uint64_t>(diagonal) * (kDiagonalLength - kStraightLength);
}

}  // namespace

void JumpPointSearch::beginQuery(const RegionTable& regions) {
    regions_ = &regions;
    nodes_.clear();
    pruned_ = false;
    goal_cost_ = UINT64_MAX;
    goal_node_ = kNoNode;
    if (index_.empty()) index_.assign(1024, 0);
    if (++stamp_ == 0) {
        std::fill(index_.begin(), index_.end(), 0);
        stamp_ = 1;
    }
}

/// The node of a cell, made on first sight (open addressing, linear probing, at most half full).
std::uint32_t JumpPointSearch::nodeAt(CellId cell) {
    std::size_t slot = static_cast<std::size_t>((cell * 0x9E3779B97F4A7C15ull) >> 32) & (index_.size() - 1);
    while (static_cast<std::uint32_t>(index_[slot] >> 32) == stamp_) {
        const auto node = static_cast<std::uint32_t>(index_[slot]);
        if (nodes_[node].cell == cell) return node;
        slot = (slot + 1) & (index_.size() - 1);
    }
    const auto node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({UINT64_MAX, cell, kNoNode, 0, 0});
    index_[slot] = (std::uint64_t{stamp_} << 32) | node;
    if (nodes_.size() * 2 > index_.size()) {
        index_.assign(index_.size() * 2, 0);
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            std::size_t s = static_cast<std::size_t>((nodes_[i].cell * 0x9E3779B97F4A7C15ull) >> 32) & (index_.size() - 1);
            while (static_cast<std::uint32_t>(index_[s] >> 32) == stamp_) s = (s + 1) & (index_.size() - 1);
            index_[s] = (std::uint64_t{stamp_} << 32) | i;
        }
    }
    return node;
}

/// A jump point (or the goal) was reached moving straight in `direction` at cost g.
void JumpPointSearch::reach(std::uint32_t parent, int x, int y, int direction, Cost g) {
    const std::uint64_t h = octile(goal_.x - x, goal_.y - y) * f_;
    if (g + h >= goal_cost_) return;
    if (g + h > limit_) {
        pruned_ = true;
        return;
    }
    const std::uint32_t index = nodeAt(cellIdOf(x, y));
    Node& node = nodes_[index];
    const auto bit = static_cast<std::uint8_t>(1u << direction);
    if (g > node.g) return;
    if (g < node.g) {
        node.g = g;
        node.parent = parent;
        node.directions = bit;
        node.done = 0;
    } else {
        if ((node.directions & bit) != 0) return;
        node.directions = static_cast<std::uint8_t>(node.directions | bit);
    }
    if (h == 0) {
        goal_cost_ = g;
        goal_node_ = index;
        return;
    }
    queue_.push(g + h, (std::uint64_t{index} << 32) | static_cast<std::uint32_t>(g));
}

void JumpPointSearch::scanStraight(std::uint32_t parent, int x, int y, int direction, Cost g) {
    const bool rows = kStepY[direction] == 0;
    const int along = rows ? x : y, line = rows ? y : x;
    const int goal_along = rows ? (goal_.y == y ? goal_.x : -2) : (goal_.x == x ? goal_.y : -2);
    const bool up = rows ? kStepX[direction] > 0 : kStepY[direction] > 0;
    const Stop stop = rows ? (up ? scanUp<true>(*regions_, along, line, goal_along) : scanDown<true>(*regions_, along, line, goal_along))
                           : (up ? scanUp<false>(*regions_, along, line, goal_along) : scanDown<false>(*regions_, along, line, goal_along));
    if (!stop.jump) return;
    const auto steps = static_cast<std::uint64_t>(std::abs(stop.along - along));
    reach(parent, rows ? stop.along : x, rows ? y : stop.along, direction, g + steps * kStraightLength * f_);
}

void JumpPointSearch::scanDiagonal(std::uint32_t parent, int x, int y, int direction, Cost g) {
    const int dx = kStepX[direction], dy = kStepY[direction];
    const int horizontal = dx > 0 ? 0 : 4, vertical = dy > 0 ? 2 : 6;
    while (isFree(*regions_, x + dx, y) && isFree(*regions_, x, y + dy) && isFree(*regions_, x + dx, y + dy)) {
        x += dx;
        y += dy;
        g += kDiagonalLength * f_;
        const std::uint64_t h = octile(goal_.x - x, goal_.y - y) * f_;
        if (g + h >= goal_cost_) return;
        if (g + h > limit_) {
            pruned_ = true;
            return;
        }
        if (h == 0) {
            reach(parent, x, y, horizontal, g);
            return;
        }
        scanStraight(parent, x, y, horizontal, g);
        scanStraight(parent, x, y, vertical, g);
    }
}

JpsResult JumpPointSearch::run(const RegionTable& regions, Cell start, Cell goal, std::uint32_t hundredths, Cost max_cost) {
    beginQuery(regions);
    goal_ = goal;
    f_ = hundredths;
    limit_ = max_cost;
    JpsResult result;

    const std::uint32_t root = nodeAt(cellIdOf(start.x, start.y));
    nodes_[root].g = 0;
    queue_.reset(bucketShift(kStraightLength * f_), octile(goal.x - start.x, goal.y - start.y) * f_);
    if (start == goal) {
        goal_cost_ = 0;
        goal_node_ = root;
    } else {
        ++result.expansions;
        for (int d = 0; d < kDirections; d += 2) scanStraight(root, start.x, start.y, d, 0);
        for (int d = 1; d < kDirections; d += 2) scanDiagonal(root, start.x, start.y, d, 0);
    }

    std::uint64_t entry = 0;
    while (queue_.pop(entry)) {
        if (goal_cost_ <= queue_.currentKey()) break;
        const auto index = static_cast<std::uint32_t>(entry >> 32);
        const Node node = nodes_[index];
        if (static_cast<std::uint32_t>(node.g) != static_cast<std::uint32_t>(entry) || node.directions == node.done) continue;
        const auto fresh = static_cast<std::uint8_t>(node.directions & ~node.done);
        nodes_[index].done = node.directions;
        if (node.g >= goal_cost_) continue;
        ++result.expansions;
        const int x = gridXOf(node.cell), y = gridYOf(node.cell);
        for (int d = 0; d < kDirections; d += 2) {
            if (((fresh >> d) & 1) == 0) continue;
            const int bx = x - kStepX[d], by = y - kStepY[d];  // where the move came from
            scanStraight(index, x, y, d, node.g);
            for (const int turn : {2, 6}) {  // a wall that ended on this side opens the turn and the diagonal before it
                const int side = (d + turn) & 7;
                const int diagonal = turn == 2 ? (d + 1) & 7 : (d + 7) & 7;
                if (isFree(*regions_, bx + kStepX[side], by + kStepY[side]) || !isFree(*regions_, x + kStepX[side], y + kStepY[side])) continue;
                scanStraight(index, x, y, side, node.g);
                scanDiagonal(index, x, y, diagonal, node.g);
            }
        }
    }

    if (goal_node_ != kNoNode) {
        result.status = PathStatus::Found;
        result.cost = goal_cost_;
    } else {
        result.status = pruned_ ? PathStatus::CostLimit : PathStatus::Unreachable;
    }
    return result;
}

void JumpPointSearch::extract(std::vector<CellId>& cells) const {
    WARPATH_ASSERT(goal_node_ != kNoNode, "a route was found");
    cells.clear();
    for (std::uint32_t index = goal_node_; index != kNoNode; index = nodes_[index].parent) {  // backwards: straight part first, then the diagonal
        const CellId cell = nodes_[index].cell;
        cells.push_back(cell);
        if (nodes_[index].parent == kNoNode) break;
        const CellId from = nodes_[nodes_[index].parent].cell;
        int x = gridXOf(cell), y = gridYOf(cell);
        const int fx = gridXOf(from), fy = gridYOf(from);
        while (true) {
            const int dx = fx - x, dy = fy - y;
            if (std::abs(dx) > std::abs(dy)) {
                x += dx > 0 ? 1 : -1;
            } else if (std::abs(dy) > std::abs(dx)) {
                y += dy > 0 ? 1 : -1;
            } else {
                x += dx > 0 ? 1 : -1;
                y += dy > 0 ? 1 : -1;
            }
            if (x == fx && y == fy) break;
            cells.push_back(cellIdOf(x, y));
        }
    }
    std::reverse(cells.begin(), cells.end());
}

std::size_t JumpPointSearch::memoryBytes() const {
    return nodes_.capacity() * sizeof(Node) + index_.capacity() * sizeof(std::uint64_t) + queue_.memoryBytes();
}

}  // namespace warpath
