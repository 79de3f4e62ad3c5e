#include "support/cover_twin.h"

#include <cmath>
#include <cstdlib>

#include "warpath/core/directions.h"

namespace warpath::twin {
namespace {

bool closesSight(const WorldSnapshot& snapshot, Cell c) {
    if (!snapshot.contains(c)) return false;
    if (snapshot.rules().terrain_types[static_cast<std::size_t>(snapshot.terrainAt(c))].closes_sight) return true;
    const PackedObstacle o = snapshot.obstacleAt(c);
    return obstacleKind(o) != ObstacleKind::None && obstacleHeightCm(o) >= std::lround(snapshot.rules().cover.eye_height * 100.0f);
}

/// Whether the ray from the origin along (a, b) enters the inside of the unit square centred at (x, y).
bool enters(int a, int b, int x, int y) {
    return a * x + b * y > 0 && 2 * std::abs(a * y - b * x) < std::abs(a) + std::abs(b);
}

}  // namespace

CoverCell coverAt(const WorldSnapshot& snapshot, Cell cell) {
    CoverCell result;
    const long full = std::lround(snapshot.rules().cover.full_height * 100.0f);
    for (int d = 0; d < kDirections; ++d) {
        const Cell neighbour{cell.x + kStepX[d], cell.y + kStepY[d]};
        if (!snapshot.contains(neighbour) || obstacleKind(snapshot.obstacleAt(neighbour)) == ObstacleKind::None) continue;
        const long height = obstacleHeightCm(snapshot.obstacleAt(neighbour));
        const long hundredths = height >= full ? 100 : std::lround(100.0 * static_cast<double>(height) / static_cast<double>(full));
        if (hundredths == 0) continue;
        result.directions |= 1u << d;
        if (hundredths <= result.cover) continue;
        result.cover = static_cast<int>(hundredths);
        result.kind = obstacleKind(snapshot.obstacleAt(neighbour));
    }
    const long radius_cm = std::lround(snapshot.rules().cover.detection_radius * 100.0f);
    const int reach = static_cast<int>(radius_cm / 100);
    for (int a = -2; a <= 2; ++a) {
        for (int b = -2; b <= 2; ++b) {
            if (std::abs(a * b) != 2 && std::max(std::abs(a), std::abs(b)) != 1) continue;  // the knight's moves and the eight steps
            bool open = true, left = false, right = false;
            for (int y = -reach; y <= reach; ++y) {
                for (int x = -reach; x <= reach; ++x) {
                    const bool closed = closesSight(snapshot, {cell.x + x, cell.y + y});
                    if (closed && 10'000L * (x * x + y * y) <= radius_cm * radius_cm && enters(a, b, x, y)) open = false;
                    // Diagonal rays touch the corners of the cells beside them, on the way to the cells they enter.
                    if (std::abs(a * b) != 1 || std::abs(a * y - b * x) != 1) continue;
                    const int before = (a * x + b * y - 1) / 2;  // cells entered before the corner
                    if (a * x + b * y < 1 || 10'000L * 2 * (before + 1) * (before + 1) > radius_cm * radius_cm || !closed) continue;
                    (a * y - b * x > 0 ? left : right) = true;
                }
            }
            result.exposure += open && !(left && right) ? 1 : 0;
        }
    }
    return result;
}

}  // namespace warpath::twin
