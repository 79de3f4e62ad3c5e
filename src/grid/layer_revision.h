// One number for what a layer of price, threat or congestion, holds where a chunk's costs depend on it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "warpath/core/hash.h"
#include "warpath/grid/cost_tile.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// Combines a layer's revisions over the chunks that a unit's middle cell can reach from this chunk. 0 when there is none.
template <class Layer>
[[nodiscard]] std::uint64_t layerRevision(const WorldSnapshot& snapshot, int size, ChunkCoord c, Layer&& layer) {
    const int reach = middleOffset(size) == 0 ? 0 : 1;
    std::uint64_t combined = 0;
    bool any = false;
    for (int y = c.y; y <= std::min(c.y + reach, snapshot.chunkRows() - 1); ++y) {
        for (int x = c.x; x <= std::min(c.x + reach, snapshot.chunkColumns() - 1); ++x) {
            const auto* record = layer(ChunkCoord{x, y});
            any = any || record != nullptr;
            combined = reach == 0 ? (record != nullptr ? record->revision : 0) : Hash64::mix(combined * 31 + (record != nullptr ? record->revision : 0));
        }
    }
    return any ? combined : 0;
}

}  // namespace warpath
