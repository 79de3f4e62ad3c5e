#include "warpath/search/goal_field.h"

#include <algorithm>

#include "warpath/core/directions.h"
#include "warpath/search/hierarchy.h"

namespace warpath {
namespace {

constexpr std::int64_t kLargestSpan = std::int64_t{1} << 30;  // of heights, for the kernel
constexpr std::uint64_t kLoweredShare = 64;  // where steps are lowered the field looks this share of the start's distance further
constexpr std::uint32_t kNoPlan = UINT32_MAX;

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
    std::uint32_t& known = chunk.dist[local];
    if (known <= distance) return;
    known = static_cast<std::uint32_t>(distance);
    if (chunk.waiting_rows == 0) {
        chunk.key = key;
        waiting_.push_back(slot);
    }
    chunk.key = std::min(chunk.key, key);
    chunk.waiting_rows |= std::uint64_t{1} << ly;
    if (lx == kChunkSize - 1) chunk.seeded_border[0] |= std::uint64_t{1} << ly;
    if (ly == kChunkSize - 1) chunk.seeded_border[1] |= std::uint64_t{1} << lx;
    if (lx == 0) chunk.seeded_border[2] |= std::uint64_t{1} << ly;
    if (ly == 0) chunk.seeded_border[3] |= std::uint64_t{1} << lx;
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

const ChunkSweepPlan* GoalField::planOf(const TileBinding& binding, std::uint32_t slot) {
    const TileSlot& tile = binding.slot(slot);
    if (slot >= plan_of_slot_.size()) plan_of_slot_.resize(slot + 1, kNoPlan);
    const auto serves = [&](const Plan& plan) { return plan.moves == tile.move_tile && plan.costs == tile.cost_tile && plan.rises == binding.pricesElevation(); };
    std::uint32_t index = plan_of_slot_[slot];
    if (index == kNoPlan || !serves(*plans_[index])) {
        index = 0;
        while (index < plans_.size() && !serves(*plans_[index])) ++index;
        if (index == plans_.size()) {
            if (plans_.size() < kPlans) {
                plans_.push_back(std::make_unique<Plan>());
            } else {  // the least recently used gives way
                index = 0;
                for (std::uint32_t i = 1; i < plans_.size(); ++i) {
                    if (plans_[i]->used < plans_[index]->used) index = i;
                }
            }
            Plan& plan = *plans_[index];
            plan.moves = tile.move_tile;
            plan.costs = tile.cost_tile;
            plan.rises = binding.pricesElevation();
            if (!prepare(binding, tile, plan.sweep)) {
                plan.moves = nullptr;
                plan.costs = nullptr;
                return nullptr;
            }
        }
        plan_of_slot_[slot] = index;
    }
    plans_[index]->used = ++plan_clock_;
    return &plans_[index]->sweep;
}

/// Gives the neighbours of a chunk what its border cells offer them.
void GoalField::handOver(TileBinding& binding, std::uint32_t slot, const std::uint64_t border[4]) {
    const int width = binding.snapshot().width(), height = binding.snapshot().height();
    const bool rises = binding.pricesElevation();
    for (int side = 0; side < 4; ++side) {
        if (border[side] == 0) continue;
        const int x0 = binding.slot(slot).x0, y0 = binding.slot(slot).y0;
        const int over_x = kStepX[side * 2], over_y = kStepY[side * 2];
        const int beyond_x = x0 + over_x * kChunkSize, beyond_y = y0 + over_y * kChunkSize;
        if (beyond_x < 0 || beyond_y < 0 || beyond_x >= width || beyond_y >= height) continue;
        const auto closed = [&](int x, int y) { return corridor_ != nullptr && !corridor_->contains({x >> kChunkShift, y >> kChunkShift}); };
        if (closed(beyond_x, beyond_y)) continue;
        const std::uint32_t next = binding.neighbourSlot(slot, side * 2);
        for (std::uint64_t bits = border[side]; bits != 0; bits &= bits - 1) {
            const int along = __builtin_ctzll(bits);
            const int lx = side == 0 ? kChunkSize - 1 : side == 2 ? 0 : along, ly = side == 1 ? kChunkSize - 1 : side == 3 ? 0 : along;
            const int local = localIndex(lx, ly);
            const std::uint64_t distance = chunks_[slot].dist[local];
            for (int turn = -1; turn <= 1; ++turn) {
                const int d = (side * 2 + turn) & 7;  // from this cell outwards; the step comes the other way
                const int nx = lx + kStepX[d], ny = ly + kStepY[d];
                std::uint32_t to_slot = next;
                if (turn != 0 && ((along + (over_x != 0 ? kStepY[d] : kStepX[d])) & ~(kChunkSize - 1)) != 0) {  // over the corner
                    if (x0 + nx < 0 || y0 + ny < 0 || x0 + nx >= width || y0 + ny >= height || closed(x0 + nx, y0 + ny)) continue;
                    to_slot = binding.neighbourSlot(slot, directionOf(nx >> kChunkShift, ny >> kChunkShift));
                }
                const TileSlot& here = binding.slot(slot);
                const TileSlot& there = binding.slot(to_slot);
                const int to = localIndex(nx, ny);
                if (((there.moves[to] >> oppositeOf(d)) & 1) == 0) continue;
                std::uint64_t offered = distance + std::uint64_t{stepLength(d)} * here.f[local];
                if (distances(to_slot)[to] <= offered) continue;
                if (rises) {
                    offered += binding.model().riseCost(here.elevation_cm[static_cast<std::uint32_t>(local) & here.elevation_mask] -
                                                        there.elevation_cm[static_cast<std::uint32_t>(to) & there.elevation_mask]);
                }
                seed(to_slot, there, to, offered);
            }
        }
    }
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
        std::size_t least = 0;
        for (std::size_t i = 1; i < waiting_.size(); ++i) {
            if (chunks_[waiting_[i]].key < chunks_[waiting_[least]].key) least = i;
        }
        const std::uint32_t slot = waiting_[least];
        Chunk& chunk = chunks_[slot];
        bound_.reach = std::min(chunk.key, dropped_);
        if (chunk.key >= ceiling_ || bound_.reach > enough) return FieldStatus::Ready;
        if (used_ > limits.max_chunks) return FieldStatus::Unfit;
        waiting_[least] = waiting_.back();
        waiting_.pop_back();

        const ChunkSweepPlan* plan = planOf(binding, slot);
        if (plan == nullptr) return FieldStatus::Unfit;
        const ChunkRelaxation swept = relaxChunk(*plan, chunk.dist, *scratch_, chunk.waiting_rows);
        ++visits_;
        if (swept.saturated) return FieldStatus::Unfit;
        std::uint64_t border[4];
        for (int side = 0; side < 4; ++side) {
            border[side] = swept.changed_border[side] | chunk.seeded_border[side];
            chunk.seeded_border[side] = 0;
        }
        chunk.waiting_rows = 0;
        const std::uint64_t known = distances(slotOf(start))[localOf(start)];
        if (known != kChunkUnreached && limits.reach == 0) ceiling_ = known + (lowered ? known / kLoweredShare : 0) + 1;
        handOver(binding, slot, border);
        if (saturated_) return FieldStatus::Unfit;
    }
    bound_.reach = dropped_;
    return ceiling_ != UINT64_MAX ? FieldStatus::Ready : FieldStatus::Unreachable;
}

std::size_t GoalField::memoryBytes() const {
    return chunks_.capacity() * sizeof(Chunk) + distances_.size() * sizeof(Distances) + plans_.size() * sizeof(Plan) +
           (unknown_ != nullptr ? sizeof(Distances) + sizeof(ChunkKernelScratch) : 0) + waiting_.capacity() * sizeof(std::uint32_t) +
           plan_of_slot_.capacity() * sizeof(std::uint32_t);
}

}  // namespace warpath
