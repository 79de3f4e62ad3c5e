#include "warpath/world/chunk.h"

#include <algorithm>
#include <cstring>

namespace warpath {

CellRect groundDifference(const ChunkGround& a, const ChunkGround& b) {
    int x0 = kChunkSize, y0 = kChunkSize, x1 = -1, y1 = -1;
    const bool heights = a.elevation != b.elevation || (a.elevation == nullptr && a.flat_elevation_cm != b.flat_elevation_cm);
    for (int y = 0; y < kChunkSize; ++y) {
        const auto row = static_cast<std::size_t>(y) << kChunkShift;
        if (!heights && std::memcmp(&a.terrain[row], &b.terrain[row], kChunkSize) == 0 &&
            std::memcmp(&a.obstacle[row], &b.obstacle[row], kChunkSize * sizeof(PackedObstacle)) == 0) {
            continue;
        }
        for (int x = 0; x < kChunkSize; ++x) {
            const std::size_t i = row + static_cast<std::size_t>(x);
            if (a.terrain[i] == b.terrain[i] && a.obstacle[i] == b.obstacle[i] &&
                (!heights || a.elevationCm(static_cast<int>(i)) == b.elevationCm(static_cast<int>(i)))) {
                continue;
            }
            x0 = std::min(x0, x);
            x1 = std::max(x1, x);
            y0 = std::min(y0, y);
            y1 = std::max(y1, y);
        }
    }
    return x1 < 0 ? CellRect{} : CellRect{x0, y0, x1 - x0 + 1, y1 - y0 + 1};
}

}  // namespace warpath
