// Distances by a queue of chunks. A chunk waits under the lowest value that was offered to it; values that leave a settled chunk are never below its key,
// so keys never fall, everything up to the current key is final, and a chunk's first key is a base for all its distances.
#include "flow/integration.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "warpath/core/assert.h"

namespace warpath::flow {
namespace {

constexpr std::uint32_t kMaxPlans = 256;
constexpr std::uint32_t kNoValue = FlowDistances::kNone;
constexpr Cost kLargestRelative = kNoValue - 1;
constexpr std::uint64_t kStaleMask = (std::uint64_t{1} << (64 - kLocalBits)) - 1;

constexpr std::int64_t kNarrowRange = std::int64_t{1} << 40, kNothing = std::int64_t{1} << 60;

/// Cells of a side in order: side 0 east, 1 south, 2 west, 3 north.
constexpr int borderCell(int side, int i) {
    switch (side) {
        case 0: return (i << kChunkShift) | (kChunkSize - 1);
        case 1: return ((kChunkSize - 1) << kChunkShift) | i;
        case 2: return i << kChunkShift;
        default: return i;
    }
}

/// Direction of the step from the j-th cell of the chunk beyond a side to the i-th cell of the side, by j - i + 1.
constexpr int kInward[4][3] = {{3, 4, 5}, {7, 6, 5}, {1, 0, 7}, {1, 2, 3}};

/// The corner between a side and the next one: its cell here and beyond, and the direction to the chunk there.
struct Corner {
    int here, beyond, direction;
};
constexpr Corner kCorners[4] = {{kChunkCells - 1, 0, 1},
                                {kChunkCells - kChunkSize, kChunkSize - 1, 3},
                                {0, kChunkCells - 1, 5},
                                {kChunkSize - 1, kChunkCells - kChunkSize, 7}};

}  // namespace

void Integration::begin(const WorldSnapshot& snapshot, const CostKey& key, ChunkCoord first, int columns, int rows, const std::shared_ptr<TileStore>& store,
                        std::span<const ChunkCoord> only, std::shared_ptr<const FlowField> former) {
    for (const std::uint32_t index : touched_) works_[index] = ChunkWork{};
    touched_.clear();
    heap_.clear();
    former_ = std::move(former);
    binding_.bind(snapshot, key, {}, store);
    elevation_ = binding_.pricesElevation();
    first_ = first;
    columns_ = columns;
    rows_ = rows;
    if (works_.size() < chunkCount()) works_.resize(chunkCount());
    open_.clear();
    if (!only.empty()) {
        open_.resize(chunkCount());
        for (const ChunkCoord c : only) {
            const int x = c.x - first.x, y = c.y - first.y;
            if (x >= 0 && y >= 0 && x < columns && y < rows) open_[static_cast<std::size_t>(y * columns + x)] = true;
        }
    }
    const std::size_t chunks = static_cast<std::size_t>(snapshot.chunkColumns()) * static_cast<std::size_t>(snapshot.chunkRows());
    if (plan_of_chunk_.size() != chunks) {
        plan_of_chunk_.assign(chunks, kNone);
        for (PlanSlot& slot : plans_) slot.owner = SIZE_MAX;
    }
    current_key_ = 0;
    horizon_ = 0;
    visits_ = 0;
}

void Integration::touch(std::uint32_t index) {
    if (works_[index].touched) return;
    works_[index].touched = true;
    touched_.push_back(index);
}

void Integration::bind(std::uint32_t index) {
    touch(index);
    ChunkWork& w = works_[index];
    w.chunk = {first_.x + static_cast<int>(index) % columns_, first_.y + static_cast<int>(index) / columns_};
    const FlowTile* former = former_ != nullptr ? former_->tile(w.chunk) : nullptr;
    if (former != nullptr) w.former = former->distances;
    if (former != nullptr && !w.fresh) {
        w.move_tile = former->moves;
        w.cost_tile = former->costs;
    } else {
        const TileSlot& slot = binding_.slot(slotOf(binding_.refOf(w.chunk.x << kChunkShift, w.chunk.y << kChunkShift)));
        w.move_tile = slot.move_tile;
        w.cost_tile = slot.cost_tile;
    }
    w.f = w.cost_tile->f.data();
    w.moves = w.move_tile->moves.data();
    if (elevation_) {
        w.elevation_cm = w.cost_tile->elevation_cm.data();
        w.elevation_mask = w.cost_tile->elevation_mask;
    }
    w.bound = true;
}

std::uint32_t Integration::neighbour(std::uint32_t index, int direction) const {
    const int x = static_cast<int>(index) % columns_ + kStepX[direction], y = static_cast<int>(index) / columns_ + kStepY[direction];
    if (x < 0 || y < 0 || x >= columns_ || y >= rows_) return kNone;
    const auto to = static_cast<std::uint32_t>(y * columns_ + x);
    return isOpen(to) ? to : kNone;
}

bool Integration::contains(int grid_x, int grid_y) const {
    const int x = (grid_x >> kChunkShift) - first_.x, y = (grid_y >> kChunkShift) - first_.y;
    return x >= 0 && y >= 0 && x < columns_ && y < rows_ && isOpen(static_cast<std::uint32_t>(y * columns_ + x));
}

Place Integration::placeOf(int grid_x, int grid_y) const {
    return {static_cast<std::uint32_t>(((grid_y >> kChunkShift) - first_.y) * columns_ + (grid_x >> kChunkShift) - first_.x), localIndex(grid_x, grid_y)};
}

bool Integration::step(const Place& from, int direction, Place& to) const {
    const int x = (from.local & (kChunkSize - 1)) + kStepX[direction], y = (from.local >> kChunkShift) + kStepY[direction];
    const int over_x = x >> kChunkShift, over_y = y >> kChunkShift;
    to.chunk = from.chunk;
    to.local = localIndex(x, y);
    if (over_x == 0 && over_y == 0) return true;
    to.chunk = neighbour(from.chunk, directionOf(over_x, over_y));
    return to.chunk != kNone;
}

bool Integration::risesAround(std::uint32_t index) const {
    const ChunkWork& w = works_[index];
    if (w.elevation_mask != 0) return true;
    for (int d = 0; d < kDirections; ++d) {
        const std::uint32_t n = neighbour(index, d);
        if (n != kNone && works_[n].bound && (works_[n].elevation_mask != 0 || works_[n].height(0) != w.height(0))) return true;
    }
    return false;
}

Cost Integration::stepCost(const Place& from, const Place& to, int direction) const {
    const ChunkWork &a = works_[from.chunk], &b = works_[to.chunk];
    Cost cost = Cost{stepLength(direction)} * b.f[to.local];
    if (elevation_) cost += binding_.model().riseCost(b.height(to.local) - a.height(from.local));
    return cost;
}

FlowDistances& Integration::writable(std::uint32_t index) {
    ChunkWork& w = works_[index];
    if (w.own != nullptr) return *w.own;
    touch(index);
    if (w.former != nullptr) {
        w.own = std::make_shared<FlowDistances>(*w.former);
    } else {
        w.own = std::make_shared_for_overwrite<FlowDistances>();
        w.own->base = current_key_;
        w.own->relative.fill(kNoValue);
    }
    return *w.own;
}

namespace {

/// Stores a distance, moving the base or widening the chunk where it does not fit.
void storeDistance(FlowDistances& d, int local, Cost value) {
    const auto i = static_cast<std::size_t>(local);
    if (d.wide.empty()) {
        if (value == kNoFlowDistance) {
            d.relative[i] = kNoValue;
            return;
        }
        if (value < d.base) {  // only repairs bring values below the base
            std::uint32_t most = 0;
            for (const std::uint32_t r : d.relative) most = r != kNoValue ? std::max(most, r) : most;
            const Cost shift = d.base - value;
            if (shift + most <= kLargestRelative) {
                for (std::uint32_t& r : d.relative) r = r != kNoValue ? r + static_cast<std::uint32_t>(shift) : r;
                d.base = value;
            }
        }
        if (value >= d.base && value - d.base <= kLargestRelative) {
            d.relative[i] = static_cast<std::uint32_t>(value - d.base);
            return;
        }
        std::vector<Cost> wide(kChunkCells);
        for (int c = 0; c < kChunkCells; ++c) wide[static_cast<std::size_t>(c)] = d.at(c);
        d.wide = std::move(wide);
    }
    d.wide[i] = value;
}

/// Replaces all distances of a chunk, in 32 bits where they fit.
void storeAll(FlowDistances& d, const std::vector<Cost>& values) {
    Cost least = kNoFlowDistance, most = 0;
    for (const Cost v : values) {
        if (v == kNoFlowDistance) continue;
        least = std::min(least, v);
        most = std::max(most, v);
    }
    d.wide.clear();
    if (least != kNoFlowDistance && most - least > kLargestRelative) {
        d.wide = values;
        return;
    }
    if (least != kNoFlowDistance && (least < d.base || most - d.base > kLargestRelative)) d.base = least;
    for (std::size_t i = 0; i < values.size(); ++i) {
        d.relative[i] = values[i] == kNoFlowDistance ? kNoValue : static_cast<std::uint32_t>(values[i] - d.base);
    }
}

}  // namespace

void Integration::forget(const Place& p) {
    storeDistance(writable(p.chunk), p.local, kNoFlowDistance);
    const std::uint64_t row = std::uint64_t{1} << (p.local >> kChunkShift);
    works_[p.chunk].seed_rows |= row | (row << 1) | (row >> 1);
}

bool Integration::lowerUnqueued(std::uint32_t index, int local, Cost value) {
    ChunkWork& w = works_[index];
    if (w.at(local) <= value) return false;
    storeDistance(writable(index), local, value);
    const int x = local & (kChunkSize - 1), y = local >> kChunkShift;
    const std::uint64_t bit_x = std::uint64_t{1} << x, bit_y = std::uint64_t{1} << y;
    w.seed_rows |= bit_y;
    if (x == kChunkSize - 1) w.seed_border[0] |= bit_y;
    if (y == kChunkSize - 1) w.seed_border[1] |= bit_x;
    if (x == 0) w.seed_border[2] |= bit_y;
    if (y == 0) w.seed_border[3] |= bit_x;
    return true;
}

void Integration::enqueue(std::uint32_t index, Cost key) {
    ChunkWork& w = works_[index];
    if (w.queued && w.key <= key) return;
    touch(index);
    w.queued = true;
    w.key = key;
    heap_.push_back({key, index});
    std::push_heap(heap_.begin(), heap_.end());
}

void Integration::run(Cost stop, std::span<const Place> needed, Cost margin) {
    std::size_t next = 0;
    while (!heap_.empty()) {
        const Waiting top = heap_.front();
        ChunkWork& w = works_[top.chunk];
        if (!w.queued || w.key != top.key) {
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.pop_back();
            continue;
        }
        current_key_ = top.key;
        if (!needed.empty()) {
            while (next < needed.size() && at(needed[next]) <= kNoFlowDistance - 1 - margin && at(needed[next]) + margin <= current_key_) ++next;
        }
        if (top.key > stop || (!needed.empty() && next == needed.size())) {
            horizon_ = top.key;
            return;
        }
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
        w.queued = false;
        visit(top.chunk);
    }
    horizon_ = kNoFlowDistance;
}

void Integration::visit(std::uint32_t index) {
    ++visits_;
    ChunkWork& w = bound(index);
    FlowDistances& d = writable(index);
    const std::uint64_t rows = std::exchange(w.seed_rows, 0);
    ChunkRelaxation done;
    if (d.wide.empty()) {
        done = relaxChunk(planOf(w), d.relative.data(), scratch_, rows);
        if (done.saturated) {
            relaxScalar(w, d, ~std::uint64_t{0});
            std::fill(std::begin(done.changed_border), std::end(done.changed_border), ~std::uint64_t{0});
        }
    } else {
        done = relaxScalar(w, d, rows);
    }
    for (int side = 0; side < 4; ++side) done.changed_border[side] |= std::exchange(w.seed_border[side], 0);
    pushBorder(index, done.changed_border);
}

const ChunkSweepPlan& Integration::planOf(const ChunkWork& w) {
    const std::size_t owner = static_cast<std::size_t>(w.chunk.y) * static_cast<std::size_t>(binding_.snapshot().chunkColumns()) + static_cast<std::size_t>(w.chunk.x);
    std::uint32_t& known = plan_of_chunk_[owner];
    if (known == kNone || plans_[known].owner != owner) {  // not prepared, or another chunk took the place: take the next one in turn
        known = next_plan_;
        next_plan_ = (next_plan_ + 1) % kMaxPlans;
        if (known == plans_.size()) plans_.push_back({std::make_unique<ChunkSweepPlan>(), nullptr, nullptr, owner});
        plans_[known].owner = owner;
        plans_[known].moves.reset();
    }
    PlanSlot& slot = plans_[known];
    if (slot.moves == w.move_tile && slot.costs == w.cost_tile) return *slot.plan;
    slot.moves = w.move_tile;
    slot.costs = w.cost_tile;

    const std::uint8_t* moves = w.moves;
    std::array<std::uint8_t, kChunkCells> masked;  // without the steps out of cells that the unit does not fit on
    const auto& free_rows = w.move_tile->free_rows;
    if (!std::all_of(free_rows.begin(), free_rows.end(), [](std::uint64_t r) { return r == ~std::uint64_t{0}; })) {
        for (std::size_t y = 0; y < kChunkSize; ++y) {
            const std::uint64_t bits = free_rows[y];
            for (std::size_t x = 0; x < kChunkSize; ++x) {
                const std::size_t i = (y << kChunkShift) | x;
                masked[i] = static_cast<std::uint8_t>(w.moves[i] & (0u - static_cast<unsigned>((bits >> x) & 1)));
            }
        }
        moves = masked.data();
    }
    std::array<std::int32_t, kChunkCells> heights;
    const bool rises = elevation_ && w.elevation_mask != 0;
    const std::uint32_t weight = binding_.model().key().metric.elevation_weight;
    const std::uint32_t whole = weight % 100 == 0 ? weight / 100 : 0;  // then nothing is rounded, and a rise is a difference of two prices
    if (rises) {
        for (std::size_t i = 0; i < kChunkCells; ++i) {
            heights[i] = whole != 0 ? (w.elevation_cm[i] - w.elevation_cm[0]) * static_cast<std::int32_t>(whole * kStraightLength) : w.elevation_cm[i];
        }
    }
    prepareChunkSweep({.f = w.f, .moves = moves, .heights = rises ? heights.data() : nullptr, .climb_weight = whole == 0 ? weight : 0}, TravelDirection::to_goals, *slot.plan);
    return *slot.plan;
}

ChunkRelaxation Integration::relaxScalar(ChunkWork& w, FlowDistances& d, std::uint64_t rows) {
    absolute_.resize(kChunkCells);
    for (int c = 0; c < kChunkCells; ++c) absolute_[static_cast<std::size_t>(c)] = d.at(c);
    Cost least = kNoFlowDistance;
    for (std::uint64_t left = rows; left != 0; left &= left - 1) {
        const int first = std::countr_zero(left) << kChunkShift;
        for (int c = first; c < first + kChunkSize; ++c) least = std::min(least, absolute_[static_cast<std::size_t>(c)]);
    }
    ChunkRelaxation result;
    if (least == kNoFlowDistance) return result;
    queue_.reset(bucketShift(std::uint64_t{kStraightLength} * static_cast<std::uint64_t>(binding_.model().smallestF(binding_.snapshot().state()))), least);
    const auto push = [&](int c) {
        const Cost v = absolute_[static_cast<std::size_t>(c)];
        queue_.push(v, (v << kLocalBits) | static_cast<std::uint64_t>(c));
    };
    for (std::uint64_t left = rows; left != 0; left &= left - 1) {
        const int first = std::countr_zero(left) << kChunkShift;
        for (int c = first; c < first + kChunkSize; ++c) {
            if (absolute_[static_cast<std::size_t>(c)] != kNoFlowDistance) push(c);
        }
    }
    std::uint64_t entry = 0;
    while (queue_.pop(entry)) {
        const int c = static_cast<int>(entry & (kChunkCells - 1));
        const Cost value = absolute_[static_cast<std::size_t>(c)];
        if ((value & kStaleMask) != (entry >> kLocalBits)) continue;
        const int x = c & (kChunkSize - 1), y = c >> kChunkShift;
        for (int dir = 0; dir < kDirections; ++dir) {
            const int ax = x - kStepX[dir], ay = y - kStepY[dir];
            if (ax < 0 || ay < 0 || ax >= kChunkSize || ay >= kChunkSize) continue;
            const int a = localIndex(ax, ay);
            if (((w.moves[a] >> dir) & 1) == 0 || !w.fits(a)) continue;
            Cost to = value + Cost{stepLength(dir)} * w.f[c];
            if (elevation_) to += binding_.model().riseCost(w.height(c) - w.height(a));
            if (to >= absolute_[static_cast<std::size_t>(a)]) continue;
            absolute_[static_cast<std::size_t>(a)] = to;
            push(a);
            const std::uint64_t bit_x = std::uint64_t{1} << ax, bit_y = std::uint64_t{1} << ay;
            result.changed_rows |= bit_y;
            if (ax == kChunkSize - 1) result.changed_border[0] |= bit_y;
            if (ay == kChunkSize - 1) result.changed_border[1] |= bit_x;
            if (ax == 0) result.changed_border[2] |= bit_y;
            if (ay == 0) result.changed_border[3] |= bit_x;
        }
    }
    storeAll(d, absolute_);
    return result;
}

void Integration::pushBorder(std::uint32_t index, const std::uint64_t (&changed)[4]) {
    for (int side = 0; side < 4; ++side) {
        if (changed[side] == 0) continue;
        const std::uint32_t to = neighbour(index, 2 * side);
        if (to != kNone) pushSide(index, to, side, changed[side]);
    }
    const bool corner_changed[4] = {(changed[0] >> 63) != 0 || (changed[1] >> 63) != 0, (changed[1] & 1) != 0 || (changed[2] >> 63) != 0,
                                    (changed[2] & 1) != 0 || (changed[3] & 1) != 0, (changed[3] >> 63) != 0 || (changed[0] & 1) != 0};
    for (int c = 0; c < 4; ++c) {
        if (!corner_changed[c]) continue;
        const Corner& corner = kCorners[c];
        const Place to{neighbour(index, corner.direction), corner.beyond}, here{index, corner.here};
        if (to.chunk == kNone) continue;
        bound(to.chunk);
        const int inward = oppositeOf(corner.direction);
        const Cost value = at(here);
        if (value == kNoFlowDistance || !legal(to, inward)) continue;
        lower(to, value + stepCost(to, here, inward));
    }
}

bool Integration::pushSideNarrow(std::uint32_t from, std::uint32_t to, int side, std::uint64_t changed) {
    const ChunkWork& a = works_[from];
    ChunkWork& b = works_[to];
    const FlowDistances& source = *a.distances();
    const FlowDistances* target = b.distances();
    if (!source.wide.empty() || (target != nullptr && !target->wide.empty())) return false;
    const Cost target_base = target != nullptr ? target->base : current_key_;
    const std::int64_t delta = static_cast<std::int64_t>(source.base) - static_cast<std::int64_t>(target_base);
    if (delta > kNarrowRange || delta < -kNarrowRange) return false;
    const int other = (side + 2) & 3;
    const int stride = (side & 1) == 0 ? kChunkSize : 1, first_here = borderCell(side, 0), first_beyond = borderCell(other, 0);

    // What each cell of the side offers by a straight and by a diagonal step, relative to the target's base; with a cell that offers nothing at both ends.
    std::int64_t straight[kChunkSize + 2], diagonal[kChunkSize + 2];
    straight[0] = straight[kChunkSize + 1] = diagonal[0] = diagonal[kChunkSize + 1] = kNothing;
    for (int i = 0; i < kChunkSize; ++i) {
        const int c = first_here + i * stride;
        const std::uint32_t r = source.relative[static_cast<std::size_t>(c)];
        const bool offers = r != kNoValue && ((changed >> i) & 1) != 0;
        const std::int64_t value = offers ? delta + r : kNothing, f = a.f[c];
        straight[i + 1] = value + f * kStraightLength;
        diagonal[i + 1] = value + f * kDiagonalLength;
    }
    const std::uint32_t* now = target != nullptr ? target->relative.data() : nullptr;
    const int before_bit = kInward[side][2], straight_bit = kInward[side][1], after_bit = kInward[side][0];  // of the steps to i = j - 1, j, j + 1
    std::uint64_t improved = 0;
    std::int64_t best[kChunkSize];
    for (int j = 0; j < kChunkSize; ++j) {
        const int c = first_beyond + j * stride;
        const unsigned m = b.moves[c];
        const std::int64_t x = ((m >> before_bit) & 1) != 0 ? diagonal[j] : kNothing;
        const std::int64_t y = ((m >> straight_bit) & 1) != 0 ? straight[j + 1] : kNothing;
        const std::int64_t z = ((m >> after_bit) & 1) != 0 ? diagonal[j + 2] : kNothing;
        best[j] = std::min(x, std::min(y, z));
        const std::int64_t old = now != nullptr && now[c] != kNoValue ? std::int64_t{now[c]} : kNothing;
        improved |= std::uint64_t{best[j] < old} << j;
    }
    Cost lowest = kNoFlowDistance;
    for (; improved != 0; improved &= improved - 1) {
        const int j = std::countr_zero(improved), c = first_beyond + j * stride;
        if (!b.fits(c)) continue;
        const Cost value = static_cast<Cost>(static_cast<std::int64_t>(target_base) + best[j]);
        if (lowerUnqueued(to, c, value)) lowest = std::min(lowest, value);
    }
    if (lowest != kNoFlowDistance) enqueue(to, lowest);
    return true;
}

void Integration::pushSide(std::uint32_t from, std::uint32_t to, int side, std::uint64_t changed) {
    bound(to);
    if (!elevation_ && pushSideNarrow(from, to, side, changed)) return;
    const int other = (side + 2) & 3;
    Cost lowest = kNoFlowDistance;
    for (std::uint64_t left = changed; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        const Place here{from, borderCell(side, i)};
        const Cost value = at(here);
        if (value == kNoFlowDistance) continue;
        for (int j = std::max(i - 1, 0); j <= std::min(i + 1, kChunkSize - 1); ++j) {
            const Place beyond{to, borderCell(other, j)};
            const int inward = kInward[side][j - i + 1];
            if (!legal(beyond, inward)) continue;
            const Cost offered = value + stepCost(beyond, here, inward);
            if (lowerUnqueued(to, beyond.local, offered)) lowest = std::min(lowest, offered);
        }
    }
    if (lowest != kNoFlowDistance) enqueue(to, lowest);
}

void Integration::truncate() {
    for (const std::uint32_t index : touched_) {
        ChunkWork& w = works_[index];
        w.seed_rows = 0;
        std::fill(std::begin(w.seed_border), std::end(w.seed_border), 0);
        w.queued = false;
        const FlowDistances* d = w.distances();
        if (d == nullptr) continue;
        for (int c = 0; c < kChunkCells; ++c) {
            const Cost v = w.at(c);
            if (v != kNoFlowDistance && v > horizon_) storeDistance(writable(index), c, kNoFlowDistance);
        }
    }
    heap_.clear();
}

std::size_t Integration::memoryBytes() const {
    return plans_.size() * (sizeof(ChunkSweepPlan) + sizeof(PlanSlot)) + plan_of_chunk_.capacity() * sizeof(std::uint32_t) + works_.capacity() * sizeof(ChunkWork) +
           binding_.memoryBytes() + queue_.memoryBytes() + sizeof(*this);
}

}  // namespace warpath::flow
