#include "warpath/search/goal_field.h"

#include <algorithm>
#include <bit>

#include "warpath/core/assert.h"
#include "warpath/core/directions.h"
#include "warpath/search/chunk_corridor.h"

namespace warpath {
namespace {

constexpr std::int64_t kLargestSpan = std::int64_t{1} << 30;  // of heights, for the kernel
constexpr std::uint64_t kLoweredShare = 64;  // where steps are lowered the field looks this share of the start's distance further
/// Before the start is known, what o counts more in the order of visits: o is of the map's cheapest ground, real ground costs some times that (bench
/// tactical_under_change: of 0, 2, 4, 8 and 16 the 4 takes a fifth to a quarter less time than 0).
constexpr std::uint64_t kLead = 4;
constexpr std::uint32_t kNoPlan = UINT32_MAX;
constexpr std::uint64_t kNoOffer = UINT64_MAX / 2;

/// The price of the height between a cell and the one that it is stepped onto from.
Cost riseTo(const TileBinding& binding, const TileSlot& tile, int cell, const TileSlot& source_tile, int source) {
    return binding.model().riseCost(tile.heightCm(static_cast<std::uint32_t>(cell)) - source_tile.heightCm(static_cast<std::uint32_t>(source)));
}

}  // namespace

GoalField::Chunk& GoalField::touch(std::uint32_t slot) {
    if (slot >= chunks_.size()) chunks_.resize(slot + 1);
    Chunk& chunk = chunks_[slot];
    if (chunk.query == query_) return chunk;
    if (used_ == distances_.size()) distances_.push_back(std::make_unique<Distances>());
    chunk = {.dist = distances_[used_++]->data(), .query = query_};
    std::fill_n(chunk.dist, kChunkCells, kChunkUnreached);
    return chunk;
}

void GoalField::seed(std::uint32_t slot, const TileSlot& tile, int local, std::uint64_t distance) {
    const int lx = local & (kChunkSize - 1), ly = local >> kChunkShift;
    const std::uint32_t before = distances(slot)[local];
    if (before != kChunkUnreached && before <= distance) return;
    const std::uint64_t key = distance + bound_.away(tile.x0 + lx, tile.y0 + ly);
    if (key >= ceiling_) {
        dropped_ = std::min(dropped_, key);
        return;
    }
    if (distance >= kChunkUnreached) {
        saturated_ = true;
        return;
    }
    Chunk& chunk = touch(slot);
    chunk.dist[local] = static_cast<std::uint32_t>(distance);
    await(slot, key, std::uint64_t{1} << ly);
    if (lx == kChunkSize - 1) chunk.seeded_border[0] |= std::uint64_t{1} << ly;
    if (ly == kChunkSize - 1) chunk.seeded_border[1] |= std::uint64_t{1} << lx;
    if (lx == 0) chunk.seeded_border[2] |= std::uint64_t{1} << ly;
    if (ly == 0) chunk.seeded_border[3] |= std::uint64_t{1} << lx;
}

/// The least o of a chunk's cells.
std::uint64_t GoalField::awayFrom(const TileSlot& tile) const {
    constexpr int kLast = kChunkSize - 1;
    return bound_.away(std::clamp(bound_.start_x, tile.x0, tile.x0 + kLast), std::clamp(bound_.start_y, tile.y0, tile.y0 + kLast));
}

/// Has a touched chunk wait for a sweep of seeds in some rows.
void GoalField::await(std::uint32_t slot, std::uint64_t key, std::uint64_t rows) {
    Chunk& chunk = chunks_[slot];
    if (chunk.waiting_rows == 0) {
        chunk.key = key;
        waiting_.push_back(slot);
    }
    chunk.key = std::min(chunk.key, key);
    chunk.waiting_rows |= rows;
}

/// False when the heights span too much for the kernel.
bool GoalField::prepare(const TileBinding& binding, const TileSlot& tile, ChunkSweepPlan& plan) {
    ChunkKernelInput input{.f = tile.f, .moves = tile.moves};
    if (binding.pricesElevation() && tile.elevation_mask != 0) {
        // A rise is rounded to hundredths step by step, which no difference of two heights repeats. Unrounded it is at most 0.49 hundredths of a
        // straight step more than that, so an f lower by one hundredth makes up for it, and for the rounding of the heights here.
        const std::int64_t weight = binding.model().key().metric.elevation_weight;
        const auto range = std::minmax_element(tile.elevation_cm, tile.elevation_cm + kChunkCells);
        const std::int64_t lowest = *range.first;
        if ((*range.second - lowest) * weight * static_cast<std::int64_t>(kStraightLength) / 100 > kLargestSpan) return false;
        heights_.resize(kChunkCells);
        lowered_.resize(kChunkCells);
        for (std::size_t i = 0; i < kChunkCells; ++i) {
            heights_[i] = static_cast<std::int32_t>((tile.elevation_cm[i] - lowest) * weight * static_cast<std::int64_t>(kStraightLength) / 100);
            lowered_[i] = static_cast<std::uint16_t>(std::max(tile.f[i] - 1, 0));
        }
        input.f = lowered_.data();
        input.heights = heights_.data();
    }
    prepareChunkSweep(input, TravelDirection::to_goals, plan);
    return true;
}

const ChunkSweepPlan* GoalField::planOf(TileBinding& binding, std::uint32_t slot) {
    binding.complete(slot);
    const TileSlot& tile = binding.slot(slot);
    if (slot >= plan_of_slot_.size()) plan_of_slot_.resize(slot + 1, kNoPlan);
    const auto serves = [&](const Plan& plan) { return plan.moves == tile.move_tile && plan.costs == tile.cost_tile && plan.rises == binding.pricesElevation(); };
    std::uint32_t index = plan_of_slot_[slot];
    if (index == kNoPlan || !serves(plans_[index])) {
        index = 0;
        while (index < plans_.size() && !serves(plans_[index])) ++index;
        if (index == plans_.size()) {
            if (plans_.size() < kPlans) {
                plans_.emplace_back().sweep = std::make_unique<ChunkSweepPlan>();
            } else {  // the least recently used gives way
                index = 0;
                for (std::uint32_t i = 1; i < plans_.size(); ++i) {
                    if (plans_[i].used < plans_[index].used) index = i;
                }
            }
            Plan& plan = plans_[index];
            plan.moves = tile.move_tile;
            plan.costs = tile.cost_tile;
            plan.rises = binding.pricesElevation();
            if (!prepare(binding, tile, *plan.sweep)) {
                plan.moves = nullptr;
                plan.costs = nullptr;
                return nullptr;
            }
        }
        plan_of_slot_[slot] = index;
    }
    plans_[index].used = ++plan_clock_;
    return plans_[index].sweep.get();
}

/// Whether the chunk of a cell, which may lie off the map, belongs to the field.
bool GoalField::takes(const TileBinding& binding, int x, int y) const {
    if (x < 0 || y < 0 || x >= binding.snapshot().width() || y >= binding.snapshot().height()) return false;
    return corridor_ == nullptr || corridor_->contains({x >> kChunkShift, y >> kChunkShift});
}

/// Gives the neighbours of a chunk what its border cells offer them.
void GoalField::handOver(TileBinding& binding, std::uint32_t slot, const std::uint64_t border[4]) {
    for (int side = 0; side < 4; ++side) {
        if (border[side] != 0) handOverSide(binding, slot, side, border[side]);
    }
    constexpr std::uint64_t kFirst = 1, kLast = std::uint64_t{1} << (kChunkSize - 1);
    if ((border[1] & kLast) != 0) handOverCorner(binding, slot, 1);
    if ((border[1] & kFirst) != 0) handOverCorner(binding, slot, 3);
    if ((border[3] & kFirst) != 0) handOverCorner(binding, slot, 5);
    if ((border[3] & kLast) != 0) handOverCorner(binding, slot, 7);
}

/// The line of cells beyond a side, as far as `border` reaches it, all at once. Whether any offer stays below the ceiling is seen before the neighbour is bound, so chunks that
/// the field never enters are not compiled for it.
void GoalField::handOverSide(TileBinding& binding, std::uint32_t slot, int side, std::uint64_t border) {
    constexpr int kLast = kChunkSize - 1;
    const int out = side * 2;
    const bool upright = kStepX[out] != 0;  // the side runs from north to south
    const int stride = upright ? kChunkSize : 1;
    const int first = out == 0 ? kLast : out == 2 ? kLast * kChunkSize : 0;      // cell 0 of the side
    const int beyond = out == 4 ? kLast : out == 6 ? kLast * kChunkSize : 0;     // the cell across from it
    const TileSlot& here = binding.slot(slot);
    const int line_x = here.x0 + (upright ? (out == 0 ? kChunkSize : -1) : 0), line_y = here.y0 + (upright ? 0 : (out == 2 ? kChunkSize : -1));
    if (!takes(binding, line_x, line_y)) return;

    const int begin = std::max(std::countr_zero(border) - 1, 0), end = std::min(65 - std::countl_zero(border), kChunkSize);  // cells that are offered anything
    std::uint64_t straight[kChunkSize + 2], diagonal[kChunkSize + 2], away[kChunkSize];  // what cell i of the side offers is at i + 1
    straight[begin] = straight[end + 1] = diagonal[begin] = diagonal[end + 1] = kNoOffer;
    for (int i = begin; i < end; ++i) {
        const std::uint64_t distance = ((border >> i) & 1) != 0 ? chunks_[slot].dist[first + i * stride] : kNoOffer, f = here.f[first + i * stride];
        straight[i + 1] = distance + kStraightLength * f;
        diagonal[i + 1] = distance + kDiagonalLength * f;
    }
    std::uint64_t least = UINT64_MAX;
    for (int j = begin; j < end; ++j) {
        away[j] = bound_.away(line_x + (upright ? 0 : j), line_y + (upright ? j : 0));
        least = std::min(least, std::min(straight[j + 1], std::min(diagonal[j], diagonal[j + 2])) + away[j]);
    }
    if (least >= ceiling_) {
        dropped_ = std::min(dropped_, least);
        return;
    }

    const bool rises = binding.pricesElevation();
    const std::uint32_t to_slot = rises ? binding.neighbourSlot(slot, out) : binding.movesSlot(slot, out);
    const TileSlot& from = binding.slot(slot);
    const TileSlot& there = binding.slot(to_slot);
    std::uint64_t offered[kChunkSize];
    std::fill(offered + begin, offered + end, kNoOffer);
    for (int turn = -1; turn <= 1; ++turn) {
        const int d = (out + turn) & 7, back = oppositeOf(d);  // d leads outwards; the step comes the other way
        const int shift = upright ? kStepY[d] : kStepX[d];
        const std::uint64_t* offers = (turn == 0 ? straight : diagonal) + 1 - shift;
        for (int j = begin; j < end; ++j) {
            const int to = beyond + j * stride;
            std::uint64_t offer = ((there.moves[to] >> back) & 1) != 0 ? offers[j] : kNoOffer;
            if (rises && offer < kNoOffer) offer += riseTo(binding, from, first + (j - shift) * stride, there, to);
            offered[j] = std::min(offered[j], offer);
        }
    }

    const std::uint32_t* known = distances(to_slot) + beyond;
    std::uint64_t kept = 0;
    least = UINT64_MAX;
    for (int j = begin; j < end; ++j) {
        const std::uint32_t before = known[j * stride];
        if (offered[j] >= (before == kChunkUnreached ? kNoOffer : before)) continue;
        const std::uint64_t key = offered[j] + away[j];
        if (key >= ceiling_) {
            dropped_ = std::min(dropped_, key);
            continue;
        }
        saturated_ = saturated_ || offered[j] >= kChunkUnreached;
        least = std::min(least, key);
        kept |= std::uint64_t{1} << j;
    }
    if (kept == 0 || saturated_) return;
    Chunk& chunk = touch(to_slot);
    for (std::uint64_t left = kept; left != 0; left &= left - 1) {
        const int j = std::countr_zero(left);
        chunk.dist[beyond + j * stride] = static_cast<std::uint32_t>(offered[j]);
    }
    const std::uint64_t across = std::uint64_t{1} << (upright ? beyond : beyond / kChunkSize);  // the line's column or row
    await(to_slot, least, upright ? kept : across);
    chunk.seeded_border[(side + 2) & 3] |= kept;
    if ((kept & 1) != 0) chunk.seeded_border[upright ? 3 : 2] |= across;
    if ((kept >> kLast) != 0) chunk.seeded_border[upright ? 1 : 0] |= across;
}

/// The one step over a corner, in an odd direction.
void GoalField::handOverCorner(TileBinding& binding, std::uint32_t slot, int d) {
    const int lx = kStepX[d] > 0 ? kChunkSize - 1 : 0, ly = kStepY[d] > 0 ? kChunkSize - 1 : 0, local = localIndex(lx, ly);
    const TileSlot& here = binding.slot(slot);
    const int x = here.x0 + lx + kStepX[d], y = here.y0 + ly + kStepY[d];
    if (!takes(binding, x, y)) return;
    std::uint64_t offered = chunks_[slot].dist[local] + std::uint64_t{kDiagonalLength} * here.f[local];
    const std::uint64_t key = offered + bound_.away(x, y);
    if (key >= ceiling_) {
        dropped_ = std::min(dropped_, key);
        return;
    }
    const bool rises = binding.pricesElevation();
    const std::uint32_t to_slot = rises ? binding.neighbourSlot(slot, d) : binding.movesSlot(slot, d);
    const TileSlot& from = binding.slot(slot);
    const TileSlot& there = binding.slot(to_slot);
    const int to = localIndex(x, y);
    if (((there.moves[to] >> oppositeOf(d)) & 1) == 0) return;
    if (rises) offered += riseTo(binding, from, local, there, to);
    seed(to_slot, there, to, offered);
}

FieldStatus GoalField::build(TileBinding& binding, const GoalShape& goal, int start_x, int start_y, Cost enough,
                             const FieldLimits& limits) {
    if (unknown_ == nullptr) {
        unknown_ = std::make_unique<Distances>();
        unknown_->fill(kChunkUnreached);
        scratch_ = std::make_unique<ChunkKernelScratch>();
    }
    if (++query_ == 0) {  // every 2^32 fields
        for (Chunk& chunk : chunks_) chunk.query = 0;
        query_ = 1;
    }
    corridor_ = limits.corridor;
    waiting_.clear();
    used_ = 0;
    visits_ = 0;
    saturated_ = false;
    dropped_ = UINT64_MAX;
    ceiling_ = limits.reach != 0 ? limits.reach + 1 : UINT64_MAX;
    bound_ = {.smallest = static_cast<std::uint64_t>(binding.model().smallestF(binding.snapshot().state())), .start_x = start_x, .start_y = start_y};
    const CellRef start = binding.refOf(start_x, start_y);
    const bool lowered = binding.pricesElevation();

    const CellRect bounds = intersect(goal.bounds(), {0, 0, binding.snapshot().width(), binding.snapshot().height()});
    for (int y = bounds.y; y < bounds.y + bounds.height; ++y) {
        for (int x = bounds.x; x < bounds.x + bounds.width; ++x) {
            if (!goal.contains(x, y) || (corridor_ != nullptr && !corridor_->contains({x >> kChunkShift, y >> kChunkShift}))) continue;
            const CellRef ref = binding.refOf(x, y);
            seed(slotOf(ref), binding.slot(slotOf(ref)), static_cast<int>(localOf(ref)), 0);
        }
    }
    while (!waiting_.empty()) {
        // Once the start is known the least key is next. Before, the one that leads towards the start: what it finds there bounds all others.
        const std::uint64_t lead = ceiling_ == UINT64_MAX ? kLead : 0;
        std::size_t next = 0;
        std::uint64_t least_order = UINT64_MAX, least_key = UINT64_MAX;
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            const std::uint64_t key = chunks_[waiting_[i]].key, order = lead == 0 ? key : key + lead * awayFrom(binding.slot(waiting_[i]));
            least_key = std::min(least_key, key);
            if (order >= least_order) continue;
            least_order = order;
            next = i;
        }
        const std::uint32_t slot = waiting_[next];
        Chunk& chunk = chunks_[slot];
        bound_.reach = std::min(least_key, dropped_);
        if (least_key >= ceiling_ || bound_.reach > enough) return FieldStatus::Ready;
        if (used_ > limits.max_chunks) return FieldStatus::Unfit;
        waiting_[next] = waiting_.back();
        waiting_.pop_back();

        const ChunkSweepPlan* plan = planOf(binding, slot);
        if (plan == nullptr) return FieldStatus::Unfit;
        std::uint32_t limit = kChunkUnreached;
        if (ceiling_ != UINT64_MAX) {  // no cell here matters whose D is above it
            const std::uint64_t away = awayFrom(binding.slot(slot));
            limit = static_cast<std::uint32_t>(std::min<std::uint64_t>(ceiling_ > away ? ceiling_ - away : 0, kChunkUnreached));
            dropped_ = std::min(dropped_, ceiling_);
        }
        const ChunkRelaxation swept = relaxChunk(*plan, chunk.dist, *scratch_, chunk.waiting_rows, limit);
        ++visits_;
        if (swept.saturated) return FieldStatus::Unfit;
        std::uint64_t border[4];
        for (int side = 0; side < 4; ++side) {
            border[side] = swept.changed_border[side] | chunk.seeded_border[side];
            chunk.seeded_border[side] = 0;
        }
        chunk.waiting_rows = 0;
        const std::uint64_t known = distances(slotOf(start))[localOf(start)];
        if (known != kChunkUnreached && limits.reach == 0) {
            // A step further than the bound asks, so that K is beyond the search's last bucket.
            ceiling_ = known + (lowered ? known / kLoweredShare : 0) + bound_.smallest * kStraightLength + 1;
            if (limits.weight_hundredths > 100) ceiling_ = (known * 100 + limits.weight_hundredths - 1) / limits.weight_hundredths;
        }
        handOver(binding, slot, border);
        if (saturated_) return FieldStatus::Unfit;
    }
    bound_.reach = dropped_;
    return ceiling_ != UINT64_MAX ? FieldStatus::Ready : FieldStatus::Unreachable;
}

Cost GoalField::walk(TileBinding& binding, std::vector<CellId>& cells) {
    cells.clear();
    Cost total = 0;
    CellRef at = binding.refOf(bound_.start_x, bound_.start_y);
    int straight_on = 0;
    while (true) {
        const int x = binding.xOf(at), y = binding.yOf(at);
        cells.push_back(cellIdOf(x, y));
        const std::uint32_t slot = slotOf(at), local = localOf(at), here = distances(slot)[local];
        WARPATH_ASSERT(here != kChunkUnreached, "the field has found the start");
        if (here == 0) return total;
        const int lx = static_cast<int>(local & (kChunkSize - 1)), ly = static_cast<int>(local >> kChunkShift);
        std::uint64_t least = UINT64_MAX;
        Cost step = 0;
        CellRef to = kNoCellRef;
        for (int turn = 0; turn < kDirections; ++turn) {
            const int d = turn == 0 ? straight_on : turn <= straight_on ? turn - 1 : turn;  // straight on first, the others in their order
            if (!binding.mayStep(at, d)) continue;
            const int nx = lx + kStepX[d], ny = ly + kStepY[d], over_x = nx >> kChunkShift, over_y = ny >> kChunkShift;
            std::uint32_t next = slot;
            if (over_x != 0 || over_y != 0) next = binding.movesSlot(slot, directionOf(over_x, over_y));
            const auto next_local = static_cast<std::uint32_t>(localIndex(nx, ny));
            const std::uint32_t rest = distances(next)[next_local];
            if (rest >= here) continue;
            binding.complete(next);
            const Cost cost = Cost{stepLength(d)} * binding.slot(next).f[next_local];
            if (rest + cost >= least) continue;
            least = rest + cost;
            step = cost;
            to = (next << kLocalBits) | next_local;
        }
        WARPATH_ASSERT(to != kNoCellRef && least <= here, "each distance comes from a neighbour's");
        straight_on = directionOf(binding.xOf(to) - x, binding.yOf(to) - y);
        total += step;
        at = to;
    }
}

std::size_t GoalField::memoryBytes() const {
    return chunks_.capacity() * sizeof(Chunk) + distances_.size() * sizeof(Distances) + plans_.size() * (sizeof(Plan) + sizeof(ChunkSweepPlan)) +
           (unknown_ != nullptr ? sizeof(Distances) + sizeof(ChunkKernelScratch) : 0) + waiting_.capacity() * sizeof(std::uint32_t) +
           plan_of_slot_.capacity() * sizeof(std::uint32_t) + heights_.capacity() * sizeof(std::int32_t) + lowered_.capacity() * sizeof(std::uint16_t);
}

}  // namespace warpath
