// A* over chunk tiles (Hart, Nilsson, Raphael 1968; Dial 1969). A node is nothing but its cost g; "not seen yet" is the largest value, so that
// "stored > candidate" alone means "new or better". Costs of 32 bits reach 105 km at f = 1 and halve what the caches hold: a search begins with
// them, and if it had to turn down a cell whose cost does not fit, and found nothing, it is run again with 64 bits.
#include "warpath/search/astar.h"

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <limits>
#include <tuple>
#include <utility>

#include "warpath/core/assert.h"
#include "warpath/search/chunk_corridor.h"

namespace warpath {
namespace {

constexpr Cost kLargestCost = std::uint64_t{1} << 62;
/// A weighted bound is not consistent, so cells can be settled again and again, in the worst case exponentially often (Martelli 1977). Beyond so many for each cell
/// that was reached, and some more, the search begins anew with the bound itself.
constexpr std::uint64_t kMostSettles = 4, kSettlesAllowed = 65536;

/// A settled cell by its place in the order "nearest to the goal, then cheapest, then lowest id".
struct Nearest {
    double distance = std::numeric_limits<double>::infinity();
    Cost g = UINT64_MAX;
    CellId cell = UINT32_MAX;
    CellRef ref = kNoCellRef;
    friend std::partial_ordering operator<=>(const Nearest&, const Nearest&) = default;
};

/// An open entry: how the cell was reached, the cell, and the low half of the g it was pushed with (to tell stale entries).
constexpr int kArrivalShift = 59;
static_assert(std::int64_t{kMaxWorldSize} * kMaxWorldSize <= std::int64_t{1} << (kArrivalShift - 32), "every cell's ref fits beside the arrival");
constexpr std::uint64_t kRefMask = (std::uint64_t{1} << (kArrivalShift - 32)) - 1;
constexpr std::uint64_t openEntry(std::uint64_t arrival, CellRef ref, Cost g) {
    return (arrival << kArrivalShift) | (std::uint64_t{ref} << 32) | static_cast<std::uint32_t>(g);
}

// Canonical ordering (Sturtevant, Rabin 2016): where all cells cost the same, most steps out of a cell need not be looked at, since the cell p it was
// reached from leads there as cheaply. After a diagonal step d only d and its two straight parts are left. After a straight step d everything
// behind is left out, and on each side where p has the diagonal step between d and that side, the side and the diagonal ahead of it.
// Proof that every cell still gets its cheapest g (by induction over g; strict corners, so a legal diagonal has both its straight ways, and
// no limits by direction): whatever is left out is strictly dearer by way of this cell, hence no cheapest way, but for one tie: straight d and then
// a diagonal costs as much as that diagonal from p and then d. So a straight step that ends a cheapest way is never left out; and a
// diagonal one only where a straight one ends a cheapest way as well.

/// How a cell was reached: straight in direction d with what p's moves say of the two diagonals beside it (4 x 4), diagonally (4), or as the start.
constexpr std::uint64_t kArrivedAtStart = 20;
constexpr std::uint64_t arrivalOf(int d, unsigned moves_before) {
    const auto half = static_cast<std::uint64_t>(d >> 1);
    if ((d & 1) != 0) return 16 + half;
    return half * 4 + ((moves_before >> (d + 1)) & 1) + 2 * ((moves_before >> ((d + 7) & 7)) & 1);
}
constexpr std::array<std::uint8_t, 32> kCanonicalSteps = [] {
    std::array<std::uint8_t, 32> steps{};
    const auto bit = [](int d) { return 1u << (d & 7); };
    for (int d = 0; d < kDirections; d += 2) {
        for (unsigned beside = 0; beside < 4; ++beside) {
            unsigned keep = bit(d);
            if ((beside & 1) == 0) keep |= bit(d + 1) | bit(d + 2);
            if ((beside & 2) == 0) keep |= bit(d + 7) | bit(d + 6);
            steps[static_cast<std::size_t>(d / 2 * 4) + beside] = static_cast<std::uint8_t>(keep);
        }
        steps[static_cast<std::size_t>(16 + d / 2)] = static_cast<std::uint8_t>(bit(d + 1) | bit(d) | bit(d + 2));
    }
    steps[kArrivedAtStart] = 0xff;
    return steps;
}();

}  // namespace

template <class G>
G* AStar::NodeStore<G>::touch(std::uint32_t slot) {
    if (slot >= tiles.size()) tiles.resize(slot + 1);
    Tile& tile = tiles[slot];
    if (tile.nodes == nullptr) tile.nodes = std::make_unique<std::array<G, kChunkCells>>();
    if (tile.query != query) {
        tile.query = query;
        tile.nodes->fill(std::numeric_limits<G>::max());
    }
    return tile.nodes->data();
}

template <class G>
Cost AStar::NodeStore<G>::costAt(CellRef ref) const {
    const std::uint32_t slot = slotOf(ref);
    if (slot >= tiles.size() || tiles[slot].query != query) return UINT64_MAX;
    const G g = (*tiles[slot].nodes)[localOf(ref)];
    return g == std::numeric_limits<G>::max() ? UINT64_MAX : g;
}

template <class G>
void AStar::NodeStore<G>::begin() {
    if (++query != 0) return;
    for (Tile& tile : tiles) tile.query = 0;  // every 2^32 queries
    query = 1;
}

/// One of several goals has a cost, or a lower one. @return the dearest of them, which ends the search; none before all have one.
template <class G>
std::pair<Cost, CellRef> AStar::reachOneOf(const NodeStore<G>& store, TileBinding& binding, std::span<const Cell> every, Cell reached) {
    const auto byRow = [](Cell a, Cell b) { return a.y != b.y ? a.y < b.y : a.x < b.x; };
    std::uint8_t& seen = reached_[static_cast<std::size_t>(std::lower_bound(every.begin(), every.end(), reached, byRow) - every.begin())];
    if (seen == 0) --missing_;
    seen = 1;
    std::pair<Cost, CellRef> dearest{UINT64_MAX, kNoCellRef};
    if (missing_ != 0) return dearest;
    for (const Cell cell : every) {
        const CellRef ref = binding.refOf(cell.x, cell.y);
        const Cost cost = store.costAt(ref);
        if (dearest.second == kNoCellRef || cost > dearest.first) dearest = {cost, ref};
    }
    return dearest;
}

AStarResult AStar::run(TileBinding& binding, int start_x, int start_y, const GoalShape& goal, const AStarOptions& options) {
    WARPATH_ASSERT(options.weight_hundredths >= 100, "a heuristic weight of at least 1");
    start_ = binding.refOf(start_x, start_y);
    const bool elevation = binding.pricesElevation();
    wide_used_ = false;
    churned_ = false;
    bool too_dear = false;
    AStarResult result;
    if (options.canonical) {
        WARPATH_ASSERT(!elevation && options.field == nullptr && options.weight_hundredths == 100, "canonical ordering needs uniform costs");
        result = search<std::uint32_t, false, false, true>(narrow_, binding, goal, options, too_dear);
    } else if (options.field != nullptr) {
        result = elevation ? search<std::uint32_t, true, true, false>(narrow_, binding, goal, options, too_dear)
                           : search<std::uint32_t, false, true, false>(narrow_, binding, goal, options, too_dear);
    } else {
        result = elevation ? search<std::uint32_t, true, false, false>(narrow_, binding, goal, options, too_dear)
                           : search<std::uint32_t, false, false, false>(narrow_, binding, goal, options, too_dear);
    }
    // Every further run has what is left of the budget.
    const auto runAgain = [&](AStarOptions further, const auto& search_with) {
        if (options.max_expansions != 0) further.max_expansions = options.max_expansions - result.expansions;
        AStarResult again = search_with(further);
        again.expansions += result.expansions;
        return again;
    };
    if (!churned_ && (result.status == PathStatus::Found || !too_dear || (options.max_expansions != 0 && result.expansions >= options.max_expansions))) return result;
    if (!churned_) {
        wide_used_ = true;
        result = runAgain(options, [&](const AStarOptions& further) {
            return elevation ? search<std::uint64_t, true, false, false>(wide_, binding, goal, further, too_dear)
                             : search<std::uint64_t, false, false, false>(wide_, binding, goal, further, too_dear);
        });
    }
    if (!churned_) return result;
    AStarOptions plain = options;  // with the bound itself, cells are settled anew inside a bucket alone
    plain.weight_hundredths = 100;
    return runAgain(plain, [&](const AStarOptions& further) { return run(binding, start_x, start_y, goal, further); });
}

template <class G, bool kElevation, bool kField, bool kCanonical>
AStarResult AStar::search(NodeStore<G>& store, TileBinding& binding, const GoalShape& goal, const AStarOptions& options, bool& too_dear) {
    store.begin();
    const CellRef start = start_;
    const auto smallest = static_cast<std::uint64_t>(binding.model().smallestF(binding.snapshot().state()));
    const CostModel& model = binding.model();
    const std::uint32_t weight = options.weight_hundredths;
    const bool weighted = weight != 100;
    const Cost largest = std::min<Cost>(std::numeric_limits<G>::max() - 1, kLargestCost);
    const Cost limit = std::min(options.max_cost, largest);

    AStarResult result;
    Cost goal_cost = UINT64_MAX;
    CellRef goal_ref = kNoCellRef;
    std::uint64_t reached = 1;  // cells, counted where the heuristic is weighted
    bool pruned = false;
    Cost highest = 0;  // bits of all costs offered, one more each: an unreached node of G does not tell a cost beyond it from a worse one
    const bool tracks_nearest = options.track_nearest || options.max_expansions != 0;
    const GoalShape& measured = options.nearest_to != nullptr ? *options.nearest_to : goal;
    Nearest nearest;

    const int sx = binding.xOf(start), sy = binding.yOf(start);
    const GoalShape::Bound outline = goal.bound();  // a copy that stays in registers
    const GoalField::Bound within = kField ? options.field->bound() : GoalField::Bound{};
    const auto bound = [&](int x, int y, [[maybe_unused]] std::uint32_t to_slot, [[maybe_unused]] std::uint32_t to_local) {
        const std::uint64_t straight = outline.octile(x, y) * smallest;
        if constexpr (kField) return std::max(straight, within(options.field->distances(to_slot)[to_local], x, y));
        return straight;
    };
    const auto keyOf = [&](Cost g, std::uint64_t h) { return g + (weighted ? h * weight / 100 : h); };

    store.touch(slotOf(start))[localOf(start)] = 0;
    const Cost first = keyOf(0, bound(sx, sy, slotOf(start), localOf(start)));
    queue_.reset(bucketShift(kStraightLength * smallest), first);
    queue_.push(first, openEntry(kArrivedAtStart, start, 0));
    reached_.assign(options.every.size(), 0);
    missing_ = options.every.size();
    if (goal.contains(sx, sy)) {
        goal_cost = 0;
        goal_ref = start;
        if (!options.every.empty()) std::tie(goal_cost, goal_ref) = reachOneOf(store, binding, options.every, {sx, sy});
    }

    // The chunk being expanded, cached from entry to entry.
    std::uint32_t slot = TileSlot::kUnbound;
    const TileSlot* tile = nullptr;
    G* nodes = nullptr;

    std::uint64_t entry = 0;
    while (queue_.pop(entry)) {
        if (goal_cost <= queue_.currentKey()) break;  // nothing left can lead to less
        const CellRef ref = static_cast<CellRef>((entry >> 32) & kRefMask);
        if (slotOf(ref) != slot) {
            slot = slotOf(ref);
            tile = &binding.slot(slot);
            nodes = store.tiles[slot].nodes->data();
        }
        const std::uint32_t local = localOf(ref);
        const Cost g = nodes[local];
        if (static_cast<std::uint32_t>(g) != static_cast<std::uint32_t>(entry)) continue;  // improved since
        if (g >= goal_cost) continue;
        if (options.max_expansions != 0 && result.expansions >= options.max_expansions) {
            result.status = PathStatus::BudgetExhausted;
            break;
        }
        if (weighted && result.expansions > kMostSettles * reached + kSettlesAllowed) {
            churned_ = true;
            break;
        }
        ++result.expansions;

        const int lx = static_cast<int>(local & (kChunkSize - 1)), ly = static_cast<int>(local >> kChunkShift);
        const int x = tile->x0 + lx, y = tile->y0 + ly;
        if (tracks_nearest) nearest = std::min(nearest, Nearest{measured.distance(x, y), g, cellIdOf(x, y), ref});
        const unsigned moves = tile->moves[local];
        unsigned wanted = moves;
        if constexpr (kCanonical) wanted &= kCanonicalSteps[entry >> kArrivalShift];
        std::int32_t height = 0;
        if constexpr (kElevation) height = tile->heightCm(local);

        const auto relax = [&](G* to_nodes, const TileSlot& to_tile, std::uint32_t to_slot, std::uint32_t to_local, int d) {
            const std::uint64_t f = to_tile.f[to_local];
            Cost to_g = g + stepLength(d) * f;
            if constexpr (kElevation) to_g += model.riseCost(to_tile.heightCm(to_local) - height);
            highest |= to_g + 1;
            if (to_nodes[to_local] <= to_g) return;
            const int nx = x + kStepX[d], ny = y + kStepY[d];
            const std::uint64_t h = bound(nx, ny, to_slot, to_local);
            if (to_g + h > limit) {
                pruned = true;
                return;
            }
            if (weighted && to_nodes[to_local] == std::numeric_limits<G>::max()) ++reached;
            to_nodes[to_local] = static_cast<G>(to_g);
            const CellRef to = (to_slot << kLocalBits) | to_local;
            if (h == 0 && to_g < goal_cost && goal.contains(nx, ny)) {
                goal_cost = to_g;
                goal_ref = to;
                if (!options.every.empty()) [[unlikely]] std::tie(goal_cost, goal_ref) = reachOneOf(store, binding, options.every, {nx, ny});
            }
            if (to_g + h < goal_cost) queue_.push(keyOf(to_g, h), openEntry(kCanonical ? arrivalOf(d, moves) : 0, to, to_g));
        };

        if (static_cast<unsigned>(lx - 1) < kChunkSize - 2 && static_cast<unsigned>(ly - 1) < kChunkSize - 2) {
            const TileSlot& here = *tile;
            if constexpr (kCanonical) {
                for (unsigned left = wanted; left != 0; left &= left - 1) {
                    const int d = std::countr_zero(left);
                    relax(nodes, here, slot, static_cast<std::uint32_t>(static_cast<int>(local) + kLocalOffset[d]), d);
                }
                continue;
            }
            // Straight steps first: more cells get their final cost before the diagonals look at them. Unrolled, so that lengths and offsets are constants.
            [&]<int... kOrder>(std::integer_sequence<int, kOrder...>) {
                ((((moves >> kOrder) & 1) != 0
                      ? relax(nodes, here, slot, static_cast<std::uint32_t>(static_cast<int>(local) + kLocalOffset[kOrder]), kOrder)
                      : void()),
                 ...);
            }(std::integer_sequence<int, 0, 2, 4, 6, 1, 3, 5, 7>{});
        } else {
            for (const int d : {0, 2, 4, 6, 1, 3, 5, 7}) {
                if (((wanted >> d) & 1) == 0) continue;
                const int nx = lx + kStepX[d], ny = ly + kStepY[d];
                const int over_x = nx >> kChunkShift, over_y = ny >> kChunkShift;  // -1, 0 or 1
                std::uint32_t to_slot = slot;
                if (over_x != 0 || over_y != 0) {
                    const ChunkCoord entered{(tile->x0 >> kChunkShift) + over_x, (tile->y0 >> kChunkShift) + over_y};
                    if (options.corridor != nullptr && !options.corridor->contains(entered)) continue;
                    to_slot = binding.neighbourSlot(slot, directionOf(over_x, over_y));
                    tile = &binding.slot(slot);  // slots may have moved
                }
                relax(store.touch(to_slot), binding.slot(to_slot), to_slot, static_cast<std::uint32_t>(localIndex(nx, ny)), d);
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
    if (result.end != kNoCellRef) result.cost = store.costAt(result.end);
    too_dear = limit == largest && (pruned || highest > std::numeric_limits<G>::max());
    return result;
}

void AStar::extract(TileBinding& binding, CellRef end, std::vector<CellId>& cells) const {
    cells.clear();
    CellRef at = end;
    int last_direction = -1;
    while (true) {
        cells.push_back(cellIdOf(binding.xOf(at), binding.yOf(at)));
        if (at == start_) break;
        const Cost g = costAt(at);
        // The cell from which direction d leads to `at` at its cost. Below it when that cell was improved after its last expansion: a weighted search,
        // or one that ran out of its budget, may end before it looks again. Every step back lowers g, so the walk ends.
        const auto leadsHere = [&](int d) -> CellRef {
            const CellRef from = binding.stepFrom(at, oppositeOf(d));
            if (from == kNoCellRef) return kNoCellRef;
            const Cost before = costAt(from);
            if (before == UINT64_MAX) return kNoCellRef;
            if (!binding.mayStep(from, d)) return kNoCellRef;
            return before + binding.stepCost(from, at, d) <= g ? from : kNoCellRef;
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

Cost AStar::costAt(CellRef ref) const { return wide_used_ ? wide_.costAt(ref) : narrow_.costAt(ref); }

std::size_t AStar::memoryBytes() const {
    const auto bytes = [](const auto& store) {
        std::size_t sum = store.tiles.capacity() * sizeof(store.tiles[0]);
        for (const auto& tile : store.tiles) sum += tile.nodes != nullptr ? sizeof(*tile.nodes) : 0;
        return sum;
    };
    return bytes(narrow_) + bytes(wide_) + queue_.memoryBytes();
}

}  // namespace warpath
