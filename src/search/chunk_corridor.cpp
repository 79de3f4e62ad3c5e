#include "warpath/search/chunk_corridor.h"

#include <algorithm>

namespace warpath {

void ChunkCorridor::reset(int columns, int rows) {
    const std::size_t size = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
    if (columns != columns_ || rows != rows_ || ++stamp_ == 0) {
        stamps_.assign(size, 0);
        stamp_ = 1;
    }
    columns_ = columns;
    rows_ = rows;
    chunks_.clear();
}

void ChunkCorridor::add(ChunkCoord chunk) {
    std::uint32_t& stamp = stamps_[static_cast<std::size_t>(chunk.y * columns_ + chunk.x)];
    if (stamp == stamp_) return;
    stamp = stamp_;
    chunks_.push_back(chunk);
}

void ChunkCorridor::addAround(Cell a, Cell b, int margin) {
    const int x0 = std::min(a.x, b.x) - margin, x1 = std::max(a.x, b.x) + margin;
    const int y0 = std::min(a.y, b.y) - margin, y1 = std::max(a.y, b.y) + margin;
    for (int y = std::max(y0 >> kChunkShift, 0); y <= std::min(y1 >> kChunkShift, rows_ - 1); ++y) {
        for (int x = std::max(x0 >> kChunkShift, 0); x <= std::min(x1 >> kChunkShift, columns_ - 1); ++x) add({x, y});
    }
}

}  // namespace warpath
