#include "warpath/grid/coarse_flow.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "warpath/core/assert.h"

namespace warpath {

void CoarseFlow::add(ChunkCoord chunk, std::span<const Way> ways) {
    const auto index = static_cast<std::uint32_t>(chunk.y * columns_ + chunk.x);
    WARPATH_ASSERT(chunks_.empty() || chunks_.back().chunk < index, "chunks in order");
    chunks_.push_back({index, static_cast<std::uint32_t>(ways_.size()), static_cast<std::uint32_t>(ways.size())});
    ways_.insert(ways_.end(), ways.begin(), ways.end());
}

void CoarseFlow::setRegions(std::shared_ptr<const RegionTable> regions, std::vector<RegionId> cut_off) {
    std::sort(cut_off.begin(), cut_off.end());
    cut_off.erase(std::unique(cut_off.begin(), cut_off.end()), cut_off.end());
    cut_off_ = std::move(cut_off);
    regions_ = std::move(regions);
}

bool CoarseFlow::isCutOff(int grid_x, int grid_y) const {
    return !cut_off_.empty() && std::binary_search(cut_off_.begin(), cut_off_.end(), regions_->regionAt(grid_x, grid_y));
}

const CoarseFlow::Entry* CoarseFlow::find(ChunkCoord chunk) const {
    if (chunk.x < 0 || chunk.y < 0 || chunk.x >= columns_) return nullptr;
    const auto index = static_cast<std::uint32_t>(chunk.y * columns_ + chunk.x);
    const auto at = std::lower_bound(chunks_.begin(), chunks_.end(), index, [](const Entry& e, std::uint32_t i) { return e.chunk < i; });
    return at != chunks_.end() && at->chunk == index ? &*at : nullptr;
}

std::span<const CoarseFlow::Way> CoarseFlow::ways(ChunkCoord chunk) const {
    const Entry* entry = find(chunk);
    return entry != nullptr ? std::span(ways_).subspan(entry->first, entry->count) : std::span<const Way>();
}

std::optional<CoarseFlow::Way> CoarseFlow::wayFrom(ChunkCoord chunk, int local) const {
    const int x = local & (kChunkSize - 1), y = local >> kChunkShift;
    std::optional<Way> best;
    Cost least = UINT64_MAX;
    const ChunkLabels* labels = regions_ != nullptr ? &regions_->labels(chunk) : nullptr;
    if (labels != nullptr && (labels->count < 2 || !labels->fits(local))) labels = nullptr;
    const int part = labels != nullptr ? labels->labelOf(local) : 0;
    for (const Way& way : ways(chunk)) {
        if (labels != nullptr && labels->labelOf(way.cell) != part) continue;
        const int dx = std::abs((way.cell & (kChunkSize - 1)) - x), dy = std::abs((way.cell >> kChunkShift) - y);
        const Cost length = Cost{kStraightLength} * static_cast<Cost>(std::max(dx, dy)) + Cost{kDiagonalLength - kStraightLength} * static_cast<Cost>(std::min(dx, dy));
        const Cost cost = way.rest + length * smallest_f_;
        if (cost >= least) continue;
        least = cost;
        best = way;
    }
    return best;
}

}  // namespace warpath
