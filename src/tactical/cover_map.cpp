#include "warpath/tactical/cover_map.h"

#include <algorithm>
#include <cstring>

#include "warpath/core/directions.h"

namespace warpath {

CoverFacing::CoverFacing(Vec2 threat_direction) {
    const float x = threat_direction.x, y = threat_direction.y;
    if (x == 0.0f && y == 0.0f) return;
    any_ = 0;
    std::uint8_t sides = 0;
    for (int d = 0; d < kDirections; ++d) {
        const float sx = static_cast<float>(kStepX[d]), sy = static_cast<float>(kStepY[d]);
        const float along = sx * x + sy * y;
        const float across = sx * y - sy * x;
        const float off = across < 0.0f ? -across : across;
        if (along > off) any_ = static_cast<std::uint8_t>(any_ | (1u << d));
        if (along == off && along > 0.0f && !isDiagonal(d)) sides = static_cast<std::uint8_t>(sides | (1u << d));
    }
    both_ = sides != 0 ? sides : any_;  // without a pair the second rule says no more than the first
    if (both_ == 0) both_ = 0xff;       // not a direction at all
}

CoverInfo CoverMap::getCover(const WorldSnapshot& snapshot, Position position) const {
    CoverInfo info;
    if (!isUsable(position) || !snapshot.contains(cellAt(position))) return info;
    const Cell cell = cellAt(position);
    const int x = cell.x - snapshot.origin().x, y = cell.y - snapshot.origin().y;
    const std::shared_ptr<const CoverTile> tile = store_->cover(snapshot, {x >> kChunkShift, y >> kChunkShift});
    const auto i = static_cast<std::size_t>(localIndex(x, y));
    info.has_cover = tile->cover[i] != 0;
    info.height = static_cast<float>(tile->cover[i]) / static_cast<float>(kFullCover);
    info.directions = tile->directions[i];
    info.kind = static_cast<ObstacleKind>(tile->kind[i]);
    info.exposure = static_cast<float>(tile->exposure[i]) / static_cast<float>(kFullExposure);
    return info;
}

void CoverMap::candidates(const WorldSnapshot& snapshot, const CoverSearch& search, std::vector<CoverCandidate>& out) const {
    out.clear();
    if (!isUsable(search.from) || !snapshot.contains(cellAt(search.from)) || !(search.max_distance >= 0.0f && search.max_distance <= 500.0f)) return;
    if (search.threat_direction.x != search.threat_direction.x || search.threat_direction.y != search.threat_direction.y) return;  // NaN
    const CoverFacing facing(search.threat_direction);
    const Cell origin = snapshot.origin(), start = cellAt(search.from);
    const int x = start.x - origin.x, y = start.y - origin.y;
    const int reach = floorToInt(search.max_distance);
    const float limit_squared = search.max_distance * search.max_distance;
    const int x0 = std::max(x - reach, 0), x1 = std::min(x + reach, snapshot.width() - 1);
    const int y0 = std::max(y - reach, 0), y1 = std::min(y + reach, snapshot.height() - 1);
    for (int cy = y0 >> kChunkShift; cy <= y1 >> kChunkShift; ++cy) {
        for (int cx = x0 >> kChunkShift; cx <= x1 >> kChunkShift; ++cx) {
            const std::shared_ptr<const CoverTile> tile = store_->cover(snapshot, {cx, cy});
            if (tile->open) continue;
            const ChunkGround& ground = snapshot.ground({cx, cy});
            const int left = cx << kChunkShift, top = cy << kChunkShift;
            const int first = std::max(x0 - left, 0), last = std::min(x1 - left, kChunkSize - 1);
            for (int ly = std::max(y0 - top, 0); ly <= std::min(y1 - top, kChunkSize - 1); ++ly) {
                const std::uint8_t* directions = tile->directions.data() + localIndex(0, ly);
                for (int lx = first & ~7; lx <= last; lx += 8) {
                    std::uint64_t eight;
                    std::memcpy(&eight, directions + lx, sizeof eight);
                    if (eight == 0) continue;
                    for (int i = std::max(lx, first); i <= std::min(lx + 7, last); ++i) {
                        if (directions[i] == 0 || !facing.facedBy(directions[i])) continue;
                        if (obstacleKind(ground.obstacle[static_cast<std::size_t>(localIndex(i, ly))]) != ObstacleKind::None) continue;
                        const int dx = left + i - x, dy = top + ly - y, squared = dx * dx + dy * dy;
                        if (static_cast<float>(squared) > limit_squared) continue;
                        out.push_back({{left + i + origin.x, top + ly + origin.y}, squared});
                    }
                }
            }
        }
    }
    std::sort(out.begin(), out.end(), [](const CoverCandidate& a, const CoverCandidate& b) {
        if (a.distance_squared != b.distance_squared) return a.distance_squared < b.distance_squared;
        return a.cell.y != b.cell.y ? a.cell.y < b.cell.y : a.cell.x < b.cell.x;
    });
}

}  // namespace warpath
