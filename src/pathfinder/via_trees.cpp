#include "pathfinder/via_trees.h"

#include <algorithm>

#include "pathfinder/portal_costs.h"
#include "warpath/core/assert.h"
#include "warpath/core/directions.h"
#include "warpath/pathfinder/algorithm_rules.h"

namespace warpath {
namespace {

bool isInner(std::uint32_t local) {
    const std::uint32_t x = local & (kChunkSize - 1), y = local >> kChunkShift;
    return x - 1 < kChunkSize - 2 && y - 1 < kChunkSize - 2;
}

CellRef stepFrom(TileBinding& binding, CellRef ref, int direction) {
    if (isInner(localOf(ref))) return static_cast<CellRef>(static_cast<int>(ref) + kLocalOffset[direction]);
    return binding.stepFrom(ref, direction);
}

}  // namespace

ViaTrees::Tile& ViaTrees::touch(std::uint32_t slot) {
    if (slot >= tiles_.size()) tiles_.resize(slot + 1);
    std::unique_ptr<Tile>& tile = tiles_[slot];
    if (tile == nullptr) tile = std::make_unique<Tile>();
    if (tile->query != query_) {
        tile->query = query_;
        tile->from_start.fill(kUnknown);
        if (field_ != nullptr) {
            tile->to_goal = field_->distances(slot);
        } else {
            if (tile->grown == nullptr) tile->grown = std::make_unique<std::array<std::uint32_t, kChunkCells>>();
            tile->grown->fill(kUnknown);
            tile->to_goal = tile->grown->data();
        }
        tile->goes_on.fill(0);
    }
    return *tile;
}

bool ViaTrees::mayEnter(const TileBinding& binding, int x, int y) const {
    if (corridor_ == nullptr) return true;
    return x >= 0 && y >= 0 && x < binding.snapshot().width() && y < binding.snapshot().height() && corridor_->contains(chunkOfCell(x, y));
}

std::uint32_t ViaTrees::stepCost(const TileBinding& binding, CellRef from, CellRef to, int direction) const {
    return static_cast<std::uint32_t>(std::min<Cost>(binding.stepCost(from, to, direction), kUnknown / 2));
}

template <bool kBackwards>
bool ViaTrees::growTree(TileBinding& binding, const GoalShape::Bound& towards, std::uint64_t smallest, std::uint64_t max_expansions) {
    queue_.reset(bucketShift(kStraightLength * smallest), 0);
    const auto entryOf = [](CellRef ref, std::uint32_t g) { return (std::uint64_t{ref} << 32) | g; };
    for (const CellRef ref : seeds_) {
        Tile& tile = touch(slotOf(ref));
        (kBackwards ? *tile.grown : tile.from_start)[localOf(ref)] = 0;
        queue_.push(0, entryOf(ref, 0));
    }
    const bool elevation = binding.pricesElevation();
    std::uint64_t entry = 0;
    while (queue_.pop(entry)) {
        const CellRef ref = static_cast<CellRef>(entry >> 32);
        const auto g = static_cast<std::uint32_t>(entry);
        const std::uint32_t slot = slotOf(ref), local = localOf(ref);
        Tile& here = *tiles_[slot];
        if ((kBackwards ? *here.grown : here.from_start)[local] != g) continue;  // improved since
        if (max_expansions != 0 && expansions_ >= max_expansions) return false;
        ++expansions_;
        if constexpr (!kBackwards) settled_.push_back(ref);
        const bool inner = isInner(local);
        const TileSlot* tile = &binding.slot(slot);
        const std::uint32_t f = tile->f[local];
        const unsigned moves = tile->moves[local];
        const int x = binding.xOf(ref), y = binding.yOf(ref);
        for (int d = 0; d < kDirections; ++d) {  // the step runs along d, also when it is walked backwards
            if constexpr (!kBackwards) {
                if (((moves >> d) & 1) == 0) continue;
            }
            const int way = kBackwards ? oppositeOf(d) : d;
            CellRef to = 0;
            Tile* there = &here;
            if (inner) {
                to = static_cast<CellRef>(static_cast<int>(ref) + kLocalOffset[way]);
            } else {
                if (!mayEnter(binding, x + kStepX[way], y + kStepY[way])) continue;
                to = binding.stepFrom(ref, way);
                if (to == kNoCellRef) continue;
                tile = &binding.slot(slotOf(to));
            }
            const std::uint32_t to_local = localOf(to);
            if constexpr (kBackwards) {
                if (((tile->moves[to_local] >> d) & 1) == 0) continue;
            }
            std::uint64_t step = stepLength(d) * std::uint64_t{kBackwards ? f : tile->f[to_local]};
            if (elevation) step = kBackwards ? stepCost(binding, to, ref, d) : stepCost(binding, ref, to, d);
            const std::uint64_t to_g = g + step;
            if (to_g > half_) continue;
            if (!inner) there = &touch(slotOf(to));
            std::uint32_t& node = (kBackwards ? *there->grown : there->from_start)[to_local];
            if (node <= to_g) continue;
            const std::uint32_t exact = kBackwards ? there->from_start[to_local] : kUnknown;
            std::uint64_t rest = 0;
            if (!kBackwards && field_ != nullptr) rest = there->to_goal[to_local];  // unknown: farther than the limit
            else rest = exact != kUnknown ? exact : towards.octile(x + kStepX[way], y + kStepY[way]) * smallest;
            if (to_g + rest > limit_) continue;
            node = static_cast<std::uint32_t>(to_g);
            queue_.push(to_g, entryOf(to, node));
        }
    }
    return true;
}

bool ViaTrees::grow(TileBinding& binding, GoalField& field, Cell start, const GoalShape& goal, CellId first_end, Cost limit, std::uint64_t max_expansions,
                    const ChunkCorridor* corridor) {
    expansions_ = 0;
    limit_ = limit;
    corridor_ = corridor;
    const Cost half = limit / 2 + limit / 32;
    if (half >= kUnknown / 2) return false;
    half_ = static_cast<std::uint32_t>(half);
    if (++query_ == 0 || between_query_ > UINT32_MAX / 2) {  // every 2^31 searches
        tiles_.clear();
        query_ = 1;
        between_query_ = 0;
    }
    const auto smallest = static_cast<std::uint64_t>(binding.model().smallestF(binding.snapshot().state()));
    settled_.clear();
    const CellRect box = goal.bounds();
    const bool one_cell = static_cast<std::int64_t>(box.width) * box.height > kLargeGoalCells;
    field_ = nullptr;
    if (!binding.pricesElevation()) {
        if (one_cell) first_end_.setCell(gridXOf(first_end), gridYOf(first_end));
        FieldLimits limits{.corridor = corridor, .reach = limit};
        if (corridor != nullptr) limits.max_chunks = corridor->chunks().size();
        if (field.build(binding, one_cell ? first_end_ : goal, start.x, start.y, UINT64_MAX, limits) == FieldStatus::Ready) field_ = &field;
    }
    start_ = binding.refOf(start.x, start.y);
    seeds_.assign(1, start_);
    if (!growTree<false>(binding, goal.bound(), smallest, max_expansions)) return false;
    if (field_ != nullptr) return true;

    seeds_.clear();
    if (one_cell) {
        seeds_.push_back(binding.refOf(gridXOf(first_end), gridYOf(first_end)));
    } else {
        for (int y = std::max(box.y, 0); y < std::min(box.y + box.height, binding.snapshot().height()); ++y) {
            for (int x = std::max(box.x, 0); x < std::min(box.x + box.width, binding.snapshot().width()); ++x) {
                if (goal.contains(x, y)) seeds_.push_back(binding.refOf(x, y));
            }
        }
    }
    return growTree<true>(binding, {start.x, start.y, start.x, start.y}, smallest, max_expansions);
}

void ViaTrees::findPlateaus(TileBinding& binding, Cost reach, std::vector<Via>& out) {
    out.clear();
    both_.clear();
    // Next to the ends all ways come together, and plateaus of different ways would be one: they are looked for between. A way has cells there, as neither
    // end is farther than this from half of the cheapest one's cost.
    const Cost ends = reach - reach / 5;
    for (const CellRef ref : settled_) {  // by cost from the start, so predecessors come first
        Tile& tile = *tiles_[slotOf(ref)];
        const std::uint32_t local = localOf(ref);
        const std::uint64_t back = tile.to_goal[local], all = back + tile.from_start[local];
        if (back > half_ || all > limit_ || back < ends || tile.from_start[local] < ends) continue;
        both_.push_back(ref);
        tile.plateau[local] = 0;
        CellRef before = kNoCellRef;
        for (int d = 0; d < kDirections; ++d) {
            const CellRef from = stepFrom(binding, ref, oppositeOf(d));
            if (from == kNoCellRef) continue;
            const std::uint32_t start_cost = fromStart(from), goal_cost = toGoalOnTree(from);
            if (start_cost == kUnknown || goal_cost == kUnknown || std::uint64_t{start_cost} + goal_cost != all || goal_cost <= back || start_cost < ends) continue;
            if (!binding.mayStep(from, d) || goal_cost - back != stepCost(binding, from, ref, d)) continue;
            Tile& other = *tiles_[slotOf(from)];
            other.goes_on[localOf(from)] = 1;
            const std::uint32_t length = other.plateau[localOf(from)] + (goal_cost - static_cast<std::uint32_t>(back));
            if (before == kNoCellRef || length > tile.plateau[local]) {
                before = from;
                tile.plateau[local] = length;
            }
        }
    }
    for (const CellRef ref : both_) {
        const Tile& tile = *tiles_[slotOf(ref)];
        const std::uint32_t local = localOf(ref);
        if (tile.goes_on[local] != 0) continue;
        const Cost cost = Cost{tile.from_start[local]} + tile.to_goal[local], shared = 2 * Cost{half_} - cost, plateau = tile.plateau[local];
        const Cost step = kDiagonalLength * Cost{binding.slot(slotOf(ref)).f[local]};  // the cells at the ends of what is shared
        if (2 * plateau + 3 * step < std::min(reach, shared)) continue;
        out.push_back({cost, plateau, ref, cellIdOf(binding.xOf(ref), binding.yOf(ref))});
    }
    const auto rank = [&](const Via& via) { return via.cost - std::min(via.plateau, reach); };
    std::sort(out.begin(), out.end(), [&](const Via& a, const Via& b) { return rank(a) != rank(b) ? rank(a) < rank(b) : a.end_cell < b.end_cell; });
}

void ViaTrees::extract(TileBinding& binding, const Via& via, std::vector<CellId>& cells, std::size_t& first, std::size_t& last) {
    cells.clear();
    const auto cellOf = [&](CellRef ref) { return cellIdOf(binding.xOf(ref), binding.yOf(ref)); };
    // Back to the start: along the plateau as long as it lasts, then straight on where that is as cheap.
    CellRef at = via.end;
    Cost plateau = via.plateau;
    std::size_t back_to_plateau = 0;
    int keep = -1;
    while (at != start_) {
        cells.push_back(cellOf(at));
        const std::uint32_t g = fromStart(at);
        CellRef before = kNoCellRef;
        int chosen = -1;
        for (int k = -1; k < kDirections && before == kNoCellRef; ++k) {
            const int d = k < 0 ? keep : k;
            if (d < 0) continue;
            const CellRef from = stepFrom(binding, at, oppositeOf(d));
            if (from == kNoCellRef || fromStart(from) >= g || !binding.mayStep(from, d)) continue;
            const std::uint32_t step = stepCost(binding, from, at, d);
            if (fromStart(from) + step != g) continue;
            if (plateau > 0) {
                const std::uint32_t back = toGoalOnTree(from);
                if (back == kUnknown || Cost{back} + fromStart(from) != via.cost || tiles_[slotOf(from)]->plateau[localOf(from)] + step != plateau) continue;
                plateau -= step;
                ++back_to_plateau;
            }
            before = from;
            chosen = d;
        }
        WARPATH_ASSERT(before != kNoCellRef, "every cell of the tree has a predecessor");
        at = before;
        keep = chosen;
    }
    cells.push_back(cellOf(start_));
    std::reverse(cells.begin(), cells.end());
    last = cells.size() - 1;
    first = last - back_to_plateau;
    at = via.end;
    keep = -1;
    while (toGoal(at) != 0) {
        const std::uint32_t g = toGoal(at);
        CellRef next = kNoCellRef;
        int chosen = -1;
        for (int k = -1; k < kDirections && next == kNoCellRef; ++k) {
            const int d = k < 0 ? keep : k;
            if (d < 0 || !binding.mayStep(at, d)) continue;
            const CellRef to = stepFrom(binding, at, d);
            if (to == kNoCellRef || toGoal(to) >= g || toGoal(to) + stepCost(binding, at, to, d) != g) continue;
            next = to;
            chosen = d;
        }
        WARPATH_ASSERT(next != kNoCellRef, "every cell of the tree has a successor");
        at = next;
        keep = chosen;
        cells.push_back(cellOf(at));
    }
}

bool ViaTrees::isCheaperBetween(TileBinding& binding, const Via& via, CellId from_cell, CellId to_cell, Cost cost) {
    const int goal_x = gridXOf(to_cell), goal_y = gridYOf(to_cell);
    const CellRef from = binding.refOf(gridXOf(from_cell), gridYOf(from_cell)), to = binding.refOf(goal_x, goal_y);
    const std::uint64_t to_from_start = fromStart(to), to_to_goal = toGoal(to);
    const auto smallest = static_cast<std::uint64_t>(binding.model().smallestF(binding.snapshot().state()));
    const GoalShape::Bound towards{goal_x, goal_y, goal_x, goal_y};
    ++between_query_;
    const auto touchBetween = [&](std::uint32_t slot) -> Tile& {
        Tile& tile = touch(slot);
        if (tile.between_query != between_query_) {
            tile.between_query = between_query_;
            tile.between.fill(kUnknown);
        }
        return tile;
    };
    // The least that the rest of the way can cost from a cell (by the triangle inequality, too); UINT64_MAX where no cheaper way can lead.
    const auto restFrom = [&](const Tile& tile, std::uint32_t local, int x, int y) -> std::uint64_t {
        const std::uint64_t start_cost = tile.from_start[local], goal_cost = tile.to_goal[local];
        const std::uint64_t least_start = start_cost != kUnknown ? start_cost : std::uint64_t{half_} + 1, least_goal = goal_cost != kUnknown ? goal_cost : std::uint64_t{half_} + 1;
        if (least_start + least_goal >= via.cost) return UINT64_MAX;
        std::uint64_t rest = towards.octile(x, y) * smallest;
        if (start_cost != kUnknown && to_from_start != kUnknown && to_from_start > start_cost) rest = std::max(rest, to_from_start - start_cost);
        if (to_to_goal != kUnknown && least_goal > to_to_goal) rest = std::max(rest, least_goal - to_to_goal);
        return rest;
    };
    const auto entryOf = [](CellRef ref, std::uint64_t g) { return (std::uint64_t{ref} << 32) | g; };
    queue_.reset(bucketShift(kStraightLength * smallest), 0);
    touchBetween(slotOf(from)).between[localOf(from)] = 0;
    queue_.push(0, entryOf(from, 0));
    std::uint64_t entry = 0;
    while (queue_.pop(entry)) {
        const CellRef ref = static_cast<CellRef>(entry >> 32);
        const auto g = static_cast<std::uint32_t>(entry);
        if (tiles_[slotOf(ref)]->between[localOf(ref)] != g) continue;  // improved since
        ++expansions_;
        const int x = binding.xOf(ref), y = binding.yOf(ref);
        for (int d = 0; d < kDirections; ++d) {
            if (!binding.mayStep(ref, d)) continue;
            const CellRef next = stepFrom(binding, ref, d);
            if (next == kNoCellRef) continue;
            const std::uint64_t next_g = g + std::uint64_t{stepCost(binding, ref, next, d)};
            if (next_g >= cost) continue;
            if (next == to) return true;
            Tile& tile = touchBetween(slotOf(next));
            std::uint32_t& node = tile.between[localOf(next)];
            if (node <= next_g) continue;
            const std::uint64_t rest = restFrom(tile, localOf(next), x + kStepX[d], y + kStepY[d]);
            if (rest >= cost - next_g) continue;
            node = static_cast<std::uint32_t>(next_g);
            queue_.push(next_g + rest, entryOf(next, next_g));
        }
    }
    return false;
}

std::size_t ViaTrees::memoryBytes() const {
    std::size_t bytes = queue_.memoryBytes() + tiles_.capacity() * sizeof(tiles_[0]);
    for (const auto& tile : tiles_) bytes += tile != nullptr ? sizeof(Tile) + (tile->grown != nullptr ? sizeof(*tile->grown) : 0) : 0;
    return bytes + (seeds_.capacity() + settled_.capacity() + both_.capacity()) * sizeof(CellRef);
}

}  // namespace warpath
