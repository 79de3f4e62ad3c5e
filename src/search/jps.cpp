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

struct Stop {
    int along;    ///< Where the scan ended.
    bool jump;    ///< At a jump point or the goal; otherwise at the wall.
};

/// Scans from a cell (exclusive) in one straight direction. The stops of each line are kept ready, 64 cells in a word (RegionTable). `goal_along` is where
/// the goal lies on this line, or kNoGoal. Ends in any case: beyond the map every scan stops.
constexpr int kNoGoal = INT32_MIN / 2;

template <int kDirection>
Stop scan(const RegionTable& regions, int x, int y, int goal_along) {
    constexpr bool kRows = kDirection == 0 || kDirection == 4, kUp = kDirection == 0 || kDirection == 2;
    constexpr auto kStops = kDirection == 0   ? &ChunkStops::east
                            : kDirection == 2 ? &ChunkStops::south
                            : kDirection == 4 ? &ChunkStops::west
                                              : &ChunkStops::north;
    const int along = kRows ? x : y;
    const auto line = static_cast<std::size_t>((kRows ? y : x) & (kChunkSize - 1));
    const int bit = along & (kChunkSize - 1);
    std::size_t chunk = regions.paddedIndex(x >> kChunkShift, y >> kChunkShift);
    const ChunkStops* const* stops = regions.paddedStops();
    int base = along - bit;
    std::uint64_t word = ((*stops[chunk]).*kStops)[line];
    word &= kUp ? ~std::uint64_t{1} << bit : (std::uint64_t{1} << bit) - 1;
    while (word == 0) {
        const std::size_t step = kRows ? 1 : regions.paddedColumns();
        chunk = kUp ? chunk + step : chunk - step;
        base += kUp ? kChunkSize : -kChunkSize;
        word = ((*stops[chunk]).*kStops)[line];
    }
    const int p = kUp ? __builtin_ctzll(word) : 63 - __builtin_clzll(word);
    const int end = base + p;
    if (goal_along != kNoGoal && (kUp ? goal_along > along && goal_along <= end : goal_along < along && goal_along >= end)) return {goal_along, true};
    const ChunkLabels& labels = *regions.paddedLabels()[chunk];
    return {end, (((kRows ? labels.free_rows : labels.free_columns)[line] >> p) & 1) != 0};
}

/// True when a scan from `bit` (exclusive) stops inside this word, at a blocked cell.
template <bool kUp>
bool endsAtWall(std::uint64_t stops, std::uint64_t free, int bit) {
    stops &= kUp ? ~std::uint64_t{1} << bit : (std::uint64_t{1} << bit) - 1;
    if (stops == 0) return false;
    const std::uint64_t first = kUp ? stops & (~stops + 1) : std::uint64_t{1} << (63 - __builtin_clzll(stops));
    return (free & first) == 0;
}

bool isFree(const RegionTable& regions, int x, int y) {
    return regions.paddedLabels(x >> kChunkShift, y >> kChunkShift).fits(localIndex(x, y));
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
    const std::uint64_t h = octileLength(goal_.x - x, goal_.y - y) * f_;
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

template <int kDirection>
void JumpPointSearch::scanTowards(std::uint32_t parent, int x, int y, Cost g) {
    constexpr bool kRows = kDirection == 0 || kDirection == 4;
    const int goal_along = kRows ? (goal_.y == y ? goal_.x : kNoGoal) : (goal_.x == x ? goal_.y : kNoGoal);
    const Stop stop = scan<kDirection>(*regions_, x, y, goal_along);
    if (!stop.jump) return;
    const auto steps = static_cast<std::uint64_t>(std::abs(stop.along - (kRows ? x : y)));
    reach(parent, kRows ? stop.along : x, kRows ? y : stop.along, kDirection, g + steps * kStraightLength * f_);
}

void JumpPointSearch::scanStraight(std::uint32_t parent, int x, int y, int direction, Cost g) {
    switch (direction) {
        case 0: return scanTowards<0>(parent, x, y, g);
        case 2: return scanTowards<2>(parent, x, y, g);
        case 4: return scanTowards<4>(parent, x, y, g);
        default: return scanTowards<6>(parent, x, y, g);
    }
}

template <int kDirection>
void JumpPointSearch::walkDiagonal(std::uint32_t parent, int x, int y, Cost g) {
    constexpr int dx = kStepX[kDirection], dy = kStepY[kDirection];
    constexpr int kHorizontal = dx > 0 ? 0 : 4, kVertical = dy > 0 ? 2 : 6;
    const Cost step = kDiagonalLength * f_;
    const bool measured = goal_cost_ != UINT64_MAX || limit_ != UINT64_MAX;  // else nothing can be cut off
    while (true) {
        // The stretch inside one chunk, whose records are at hand.
        const std::size_t chunk = regions_->paddedIndex(x >> kChunkShift, y >> kChunkShift);
        const ChunkLabels& labels = *regions_->paddedLabels()[chunk];
        const ChunkStops& stops = *regions_->paddedStops()[chunk];
        int lx = x & (kChunkSize - 1), ly = y & (kChunkSize - 1);
        while (true) {
            const int nx = lx + dx, ny = ly + dy;
            const bool inside = ((nx | ny) & ~(kChunkSize - 1)) == 0;
            if (inside) {
                const std::uint64_t here = labels.free_rows[static_cast<std::size_t>(ly)], there = labels.free_rows[static_cast<std::size_t>(ny)];
                const std::uint64_t both = std::uint64_t{3} << (dx > 0 ? lx : nx);
                if (((here >> nx) & 1) == 0 || (there & both) != both) return;
            } else if (!isFree(*regions_, x + dx, y) || !isFree(*regions_, x, y + dy) || !isFree(*regions_, x + dx, y + dy)) {
                return;
            }
            x += dx;
            y += dy;
            g += step;
            if (x == goal_.x && y == goal_.y) {
                reach(parent, x, y, kHorizontal, g);
                return;
            }
            if (measured || goal_cost_ != UINT64_MAX) {
                const Cost through = g + octileLength(goal_.x - x, goal_.y - y) * f_;
                if (through >= goal_cost_) return;
                if (through > limit_) {
                    pruned_ = true;
                    return;
                }
            }
            if (!inside) {
                scanTowards<kHorizontal>(parent, x, y, g);
                scanTowards<kVertical>(parent, x, y, g);
                break;
            }
            lx = nx;
            ly = ny;
            // Most scans end at a wall of this chunk: nothing more to do then, unless the goal lies on the line.
            const auto row = static_cast<std::size_t>(ly), column = static_cast<std::size_t>(lx);
            if (!endsAtWall<(dx > 0)>((dx > 0 ? stops.east : stops.west)[row], labels.free_rows[row], lx) || y == goal_.y)
                scanTowards<kHorizontal>(parent, x, y, g);
            if (!endsAtWall<(dy > 0)>((dy > 0 ? stops.south : stops.north)[column], labels.free_columns[column], ly) || x == goal_.x)
                scanTowards<kVertical>(parent, x, y, g);
        }
    }
}

void JumpPointSearch::scanDiagonal(std::uint32_t parent, int x, int y, int direction, Cost g) {
    switch (direction) {
        case 1: return walkDiagonal<1>(parent, x, y, g);
        case 3: return walkDiagonal<3>(parent, x, y, g);
        case 5: return walkDiagonal<5>(parent, x, y, g);
        default: return walkDiagonal<7>(parent, x, y, g);
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
    queue_.reset(bucketShift(kStraightLength * f_), octileLength(goal.x - start.x, goal.y - start.y) * f_);
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
