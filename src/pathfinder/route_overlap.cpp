#include "pathfinder/route_overlap.h"

#include "warpath/core/directions.h"
#include "warpath/tactical/sight.h"

namespace warpath {
namespace {

std::uint32_t lengthBetween(CellId a, CellId b) {
    return gridXOf(a) != gridXOf(b) && gridYOf(a) != gridYOf(b) ? kDiagonalLength : kStraightLength;
}

std::uint64_t lengthOf(std::span<const CellId> cells) {
    std::uint64_t length = 0;
    for (std::size_t i = 1; i < cells.size(); ++i) length += lengthBetween(cells[i - 1], cells[i]);
    return length;
}

/// Calls visit(cell, length of the step into it, whether it lies in the middle) for every cell.
template <class Visit>
void forEachCell(std::span<const CellId> cells, Visit&& visit) {
    const double total = static_cast<double>(lengthOf(cells));
    const double from = total * kOverlapEnds, to = total * (1.0 - kOverlapEnds);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::uint32_t step = i == 0 ? 0 : lengthBetween(cells[i - 1], cells[i]);
        length += step;
        const double at = static_cast<double>(length);
        visit(cells[i], step, at >= from && at <= to);
    }
}

}  // namespace

void CellBits::clear() {
    index_.clear();
    used_ = 0;
    last_key_ = UINT32_MAX;
}

bool CellBits::add(int x, int y) {
    const std::uint32_t key = keyOf(x, y);
    if (key != last_key_) {
        const auto [it, fresh] = index_.try_emplace(key, static_cast<std::uint32_t>(used_));
        if (fresh) {
            if (used_ == rows_.size()) rows_.emplace_back();
            rows_[used_++].fill(0);
        }
        last_key_ = key;
        last_index_ = it->second;
    }
    std::uint64_t& row = rows_[last_index_][static_cast<std::size_t>(y & (kChunkSize - 1))];
    const std::uint64_t bit = std::uint64_t{1} << (x & (kChunkSize - 1));
    const bool fresh = (row & bit) == 0;
    row |= bit;
    return fresh;
}

bool CellBits::contains(int x, int y) const {
    const std::uint32_t key = keyOf(x, y);
    std::uint32_t at = last_index_;
    if (key != last_key_) {
        const auto it = index_.find(key);
        if (it == index_.end()) return false;
        at = it->second;
    }
    return ((rows_[at][static_cast<std::size_t>(y & (kChunkSize - 1))] >> (x & (kChunkSize - 1))) & 1) != 0;
}

void RouteOverlap::set(const WorldSnapshot& snapshot, std::span<const CellId> cells) {
    along_ends_.clear();
    along_middle_.clear();
    const Cell origin = snapshot.origin();
    const auto mark = [&](CellId cell, CellBits& bits) {
        const int x = gridXOf(cell), y = gridYOf(cell);
        const Cell here{x + origin.x, y + origin.y};
        // On level ground without obstacles everything near is in sight.
        bool clear = true;
        for (int cy = (y - kOverlapReach) >> kChunkShift; cy <= (y + kOverlapReach) >> kChunkShift; ++cy) {
            for (int cx = (x - kOverlapReach) >> kChunkShift; cx <= (x + kOverlapReach) >> kChunkShift; ++cx) {
                if (cx < 0 || cy < 0 || cx >= snapshot.chunkColumns() || cy >= snapshot.chunkRows()) continue;
                const ChunkGround& ground = snapshot.ground({cx, cy});
                clear = clear && !ground.has_obstacles && ground.elevation == nullptr;
            }
        }
        for (int dy = -kOverlapReach; dy <= kOverlapReach; ++dy) {
            for (int dx = -kOverlapReach; dx <= kOverlapReach; ++dx) {
                const int squared = dx * dx + dy * dy;
                if (squared > kOverlapReach * kOverlapReach) continue;
                const int nx = x + dx, ny = y + dy;
                if (nx < 0 || ny < 0 || nx >= snapshot.width() || ny >= snapshot.height() || bits.contains(nx, ny)) continue;
                if (squared > 2 && !clear && !lineOfSight(snapshot, here, {here.x + dx, here.y + dy}, {})) continue;
                bits.add(nx, ny);
            }
        }
    };
    forEachCell(cells, [&](CellId cell, std::uint32_t, bool middle) { mark(cell, middle ? along_middle_ : along_ends_); });
}

template <class Along>
float RouteOverlap::share(std::span<const CellId> route, Along&& is_along) {
    std::uint64_t along = 0, all = 0;
    forEachCell(route, [&](CellId cell, std::uint32_t step, bool middle) {
        if (!middle) return;
        all += step;
        if (is_along(gridXOf(cell), gridYOf(cell))) along += step;
    });
    return all == 0 ? 0.0f : static_cast<float>(static_cast<double>(along) / static_cast<double>(all));
}

float RouteOverlap::shareOf(std::span<const CellId> route) const {
    return share(route, [&](int x, int y) { return along_middle_.contains(x, y) || along_ends_.contains(x, y); });
}

float RouteOverlap::middleShareOf(std::span<const CellId> route) const {
    return share(route, [&](int x, int y) { return along_middle_.contains(x, y); });
}

}  // namespace warpath
