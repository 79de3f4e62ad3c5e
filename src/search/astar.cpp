// A* over chunk tiles (Hart, Nilsson, Raphael 1968; Dial 1969). See the header for the method; here is how a node is stored:
// 16 bits of stamp above 48 bits of g. Stamps count down from query to query, so a node of an older query is larger than any of this one and
// "stored > candidate" alone means "new or better".
#include "warpath/search/astar.h"

#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <utility>

#include "warpath/core/assert.h"

namespace warpath {
namespace {

constexpr int kCostBits = 48;
constexpr std::uint64_t kCostMask = (std::uint64_t{1} << kCostBits) - 1;
constexpr Cost kLargestCost = std::uint64_t{1} << 47;
constexpr std::uint64_t kUnvisited = ~std::uint64_t{0};
constexpr std::uint64_t kFirstStamp = 0xFFFE;

constexpr int kLocalOffset[kDirections] = {1, kChunkSize + 1, kChunkSize, kChunkSize - 1, -1, -kChunkSize - 1, -kChunkSize, -kChunkSize + 1};

/// A settled cell by its place in the order "nearest to the goal, then cheapest, then lowest id".
struct Nearest {
    double distance = std::numeric_limits<double>::infinity();
    Cost g = UINT64_MAX;
    CellId cell = UINT32_MAX;
    CellRef ref = kNoCellRef;
    friend std::partial_ordering operator<=>(const Nearest&, const Nearest&) = default;
};

/// An open entry: the cell and the low half of the g it was pushed with (to tell stale entries).
constexpr std::uint64_t openEntry(CellRef ref, Cost g) { return (std::uint64_t{ref} << 32) | static_cast<std::uint32_t>(g); }

}  // namespace

struct AStar::NodeTile {
    std::array<std::uint64_t, kChunkCells> nodes;
    NodeTile() { nodes.fill(kUnvisited); }
};

AStar::AStar() : stamp_((kFirstStamp + 1) << kCostBits) {}
AStar::~AStar() = default;
AStar::AStar(AStar&&) noexcept = default;
AStar& AStar::operator=(AStar&&) noexcept = default;

void AStar::beginQuery() {
    if (stamp_ == 0) {  // every 65,535 queries
        for (const auto& tile : nodes_) {
            if (tile != nullptr) tile->nodes.fill(kUnvisited);
        }
        stamp_ = (kFirstStamp + 1) << kCostBits;
    }
    stamp_ -= std::uint64_t{1} << kCostBits;
}

void AStar::growNodes(std::uint32_t slot) {
    if (slot >= nodes_.size()) nodes_.resize(slot + 1);
    if (nodes_[slot] == nullptr) nodes_[slot] = std::make_unique<NodeTile>();
}

AStarResult AStar::run(TileBinding& binding, int start_x, int start_y, const GoalShape& goal, const AStarOptions& options) {
    WARPATH_ASSERT(options.weight_hundredths >= 100, "a heuristic weight of at least 1");
    beginQuery();
    start_ = binding.refOf(start_x, start_y);
    return binding.pricesElevation() ? search<true>(binding, start_, goal, options) : search<false>(binding, start_, goal, options);
}

template <bool kElevation>
AStarResult AStar::search(TileBinding& binding, CellRef start, const GoalShape& goal, const AStarOptions& options) {
    const auto smallest = static_cast<std::uint64_t>(binding.model().smallestF(binding.snapshot().state()));
    const CostModel& model = binding.model();
    const std::uint64_t stamp = stamp_;
    const std::uint32_t weight = options.weight_hundredths;
    const bool weighted = weight != 100;
    const Cost limit = std::min(options.max_cost, kLargestCost);

    AStarResult result;
    Cost goal_cost = UINT64_MAX;
    CellRef goal_ref = kNoCellRef;
    bool pruned = false;
    const bool tracks_nearest = options.track_nearest || options.max_expansions != 0;
    const GoalShape& measured = options.nearest_to != nullptr ? *options.nearest_to : goal;
    Nearest nearest;

    const int sx = binding.xOf(start), sy = binding.yOf(start);
    const GoalShape::Bound outline = goal.bound();  // a copy that stays in registers
    const auto bound = [&](int x, int y) { return outline.octile(x, y) * smallest; };
    const auto keyOf = [&](Cost g, std::uint64_t h) { return g + (weighted ? h * weight / 100 : h); };

    growNodes(slotOf(start));
    nodes_[slotOf(start)]->nodes[localOf(start)] = stamp;
    queue_.reset(bucketShift(kStraightLength * smallest), keyOf(0, bound(sx, sy)));
    queue_.push(keyOf(0, bound(sx, sy)), openEntry(start, 0));
    if (goal.contains(sx, sy)) {
        goal_cost = 0;
        goal_ref = start;
    }

    // The chunk being expanded, cached from entry to entry.
    std::uint32_t slot = TileSlot::kUnbound;
    const TileSlot* tile = nullptr;
    std::uint64_t* nodes = nullptr;

    std::uint64_t entry = 0;
    while (queue_.pop(entry)) {
        if (goal_cost <= queue_.currentKey()) break;  // nothing left can lead to less
        const CellRef ref = static_cast<CellRef>(entry >> 32);
        if (slotOf(ref) != slot) {
            slot = slotOf(ref);
            tile = &binding.slot(slot);
            nodes = nodes_[slot]->nodes.data();
        }
        const std::uint32_t local = localOf(ref);
        const std::uint64_t packed = nodes[local];
        const Cost g = packed & kCostMask;
        if (static_cast<std::uint32_t>(packed) != static_cast<std::uint32_t>(entry)) continue;  // improved since
        if (g >= goal_cost) continue;
        if (options.max_expansions != 0 && result.expansions >= options.max_expansions) {
            result.status = PathStatus::BudgetExhausted;
            break;
        }
        ++result.expansions;

        const int lx = static_cast<int>(local & (kChunkSize - 1)), ly = static_cast<int>(local >> kChunkShift);
        const int x = tile->x0 + lx, y = tile->y0 + ly;
        if (tracks_nearest) nearest = std::min(nearest, Nearest{measured.distance(x, y), g, cellIdOf(x, y), ref});
        const unsigned moves = tile->moves[local];
        std::int32_t height = 0;
        if constexpr (kElevation) height = tile->elevation_cm[local & tile->elevation_mask];

        const auto relax = [&](std::uint64_t* to_nodes, const TileSlot& to_tile, std::uint32_t to_slot, std::uint32_t to_local, int d) {
            const std::uint64_t f = to_tile.f[to_local];
            std::uint64_t candidate = packed + stepLength(d) * f;
            if constexpr (kElevation) candidate += model.riseCost(to_tile.elevation_cm[to_local & to_tile.elevation_mask] - height);
            if (to_nodes[to_local] <= candidate) return;
            const Cost to_g = candidate & kCostMask;
            const int nx = x + kStepX[d], ny = y + kStepY[d];
            const std::uint64_t h = bound(nx, ny);
            if (to_g + h > limit) {
                pruned = true;
                return;
            }
            to_nodes[to_local] = candidate;
            const CellRef to = (to_slot << kLocalBits) | to_local;
            if (h == 0 && to_g < goal_cost && goal.contains(nx, ny)) {
                goal_cost = to_g;
                goal_ref = to;
            }
            if (to_g + h < goal_cost) queue_.push(keyOf(to_g, h), openEntry(to, to_g));
        };

        if (static_cast<unsigned>(lx - 1) < kChunkSize - 2 && static_cast<unsigned>(ly - 1) < kChunkSize - 2) {
            const TileSlot& here = *tile;
            // Straight steps first: more cells get their final cost before the diagonals look at them. Unrolled, so that lengths and offsets are constants.
            [&]<int... kOrder>(std::integer_sequence<int, kOrder...>) {
                ((((moves >> kOrder) & 1) != 0
                      ? relax(nodes, here, slot, static_cast<std::uint32_t>(static_cast<int>(local) + kLocalOffset[kOrder]), kOrder)
                      : void()),
                 ...);
            }(std::integer_sequence<int, 0, 2, 4, 6, 1, 3, 5, 7>{});
        } else {
            for (const int d : {0, 2, 4, 6, 1, 3, 5, 7}) {
                if (((moves >> d) & 1) == 0) continue;
                const int nx = lx + kStepX[d], ny = ly + kStepY[d];
                const int over_x = nx >> kChunkShift, over_y = ny >> kChunkShift;  // -1, 0 or 1
                std::uint32_t to_slot = slot;
                if (over_x != 0 || over_y != 0) {
                    constexpr int kDirectionOf[3][3] = {{5, 6, 7}, {4, -1, 0}, {3, 2, 1}};  // [over_y + 1][over_x + 1]
                    to_slot = binding.neighbourSlot(slot, kDirectionOf[over_y + 1][over_x + 1]);
                    growNodes(to_slot);
                    tile = &binding.slot(slot);  // slots may have moved
                }
                relax(nodes_[to_slot]->nodes.data(), binding.slot(to_slot), to_slot, static_cast<std::uint32_t>(localIndex(nx, ny)), d);
            }
        }
    }

    if (goal_ref != kNoCellRef && (result.status != PathStatus::BudgetExhausted || goal_cost <= queue_.currentKey())) {
        result.status = PathStatus::Found;
        result.end = goal_ref;
    } else if (result.status == PathStatus::BudgetExhausted) {
        result.end = goal_ref != kNoCellRef ? goal_ref : nearest.ref;  // a route to the goal that is not proved the cheapest beats one towards it
    } else {
        result.status = pruned ? PathStatus::CostLimit : PathStatus::Unreachable;
        if (tracks_nearest) result.end = nearest.ref;
    }
    if (result.end != kNoCellRef) result.cost = nodes_[slotOf(result.end)]->nodes[localOf(result.end)] & kCostMask;
    return result;
}

Cost AStar::stepCost(const TileBinding& binding, CellRef from, CellRef to, int direction) const {
    const TileSlot& a = binding.slot(slotOf(from));
    const TileSlot& b = binding.slot(slotOf(to));
    const std::uint64_t f = b.f[localOf(to)];
    Cost cost = stepLength(direction) * f;
    if (binding.pricesElevation()) {
        cost += binding.model().riseCost(b.elevation_cm[localOf(to) & b.elevation_mask] - a.elevation_cm[localOf(from) & a.elevation_mask]);
    }
    return cost;
}

void AStar::extract(TileBinding& binding, CellRef end, std::vector<CellId>& cells) const {
    cells.clear();
    CellRef at = end;
    int last_direction = -1;
    while (true) {
        cells.push_back(cellIdOf(binding.xOf(at), binding.yOf(at)));
        if (at == start_) break;
        const Cost g = nodes_[slotOf(at)]->nodes[localOf(at)] & kCostMask;
        // The cell from which direction d leads to `at` at its cost. Below it when that cell was improved after its last expansion: a weighted search,
        // or one that ran out of its budget, may end before it looks again. Every step back lowers g, so the walk ends.
        const auto leadsHere = [&](int d) -> CellRef {
            const CellRef from = binding.stepFrom(at, oppositeOf(d));
            if (from == kNoCellRef || slotOf(from) >= nodes_.size() || nodes_[slotOf(from)] == nullptr) return kNoCellRef;
            const std::uint64_t node = nodes_[slotOf(from)]->nodes[localOf(from)];
            if ((node & ~kCostMask) != stamp_) return kNoCellRef;
            if (((binding.slot(slotOf(from)).moves[localOf(from)] >> d) & 1) == 0) return kNoCellRef;
            return (node & kCostMask) + stepCost(binding, from, at, d) <= g ? from : kNoCellRef;
        };
        CellRef from = last_direction >= 0 ? leadsHere(last_direction) : kNoCellRef;
        for (int d = 0; d < kDirections && from == kNoCellRef; ++d) {
            from = leadsHere(d);
            if (from != kNoCellRef) last_direction = d;
        }
        WARPATH_ASSERT(from != kNoCellRef, "every settled cell has a predecessor");
        at = from;
    }
    std::reverse(cells.begin(), cells.end());
}

std::size_t AStar::memoryBytes() const {
    std::size_t bytes = nodes_.capacity() * sizeof(nodes_[0]) + queue_.memoryBytes();
    for (const auto& tile : nodes_) bytes += tile != nullptr ? sizeof(NodeTile) : 0;
    return bytes;
}

}  // namespace warpath
