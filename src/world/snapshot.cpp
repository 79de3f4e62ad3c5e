#include "warpath/world/snapshot.h"

#include <algorithm>

namespace warpath {

float WorldSnapshot::threatAt(int side, Cell c) const {
    const int x = c.x - state_->origin_x, y = c.y - state_->origin_y;
    const ThreatChunk* chunk = threat(side, {x >> kChunkShift, y >> kChunkShift});
    if (chunk == nullptr) return 0.0f;
    return static_cast<float>(chunk->at(x & (kChunkSize - 1), y & (kChunkSize - 1))) / static_cast<float>(kThreatOne);
}

std::uint64_t WorldSnapshot::neighbourhoodRevision(ChunkCoord c) const {
    std::uint64_t newest = 0;
    for (int y = std::max(c.y - 1, 0); y <= std::min(c.y + 1, chunkRows() - 1); ++y) {
        for (int x = std::max(c.x - 1, 0); x <= std::min(c.x + 1, chunkColumns() - 1); ++x) {
            newest = std::max(newest, ground({x, y}).revision);
        }
    }
    return newest;
}

}  // namespace warpath
