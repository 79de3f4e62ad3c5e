#include "support/sight_twin.h"

#include <algorithm>
#include <cstdlib>

namespace warpath::twin {
namespace {

long groundCm(const WorldSnapshot& s, Cell c) {
    const CellRect b = s.bounds();
    const int x = std::clamp(c.x, b.x, b.x + b.width - 1) - b.x, y = std::clamp(c.y, b.y, b.y + b.height - 1) - b.y;
    return s.ground({x >> kChunkShift, y >> kChunkShift}).elevationCm(localIndex(x, y));
}

}  // namespace

bool lineOfSight(const WorldSnapshot& s, Cell from, Cell to, int eye_cm, int target_cm) {
    const long X = to.x - from.x, Y = to.y - from.y;
    const long length = std::max(std::labs(X), std::labs(Y));
    if (length == 0) return true;
    const bool steep = std::labs(Y) >= std::labs(X);
    // Heights in quarters of a centimetre; a line's height at t / (2 length).
    const long start = 4 * (groundCm(s, from) + eye_cm), end = 4 * (groundCm(s, to) + target_cm);
    const auto closes = [&](Cell c, long t) {
        const bool obstacle = s.contains(c) && obstacleKind(s.obstacleAt(c)) != ObstacleKind::None;
        const long top = 4 * groundCm(s, c) + (obstacle ? 4L * obstacleHeightCm(s.obstacleAt(c)) : -2);
        return top * 2 * length >= start * (2 * length - t) + end * t;
    };
    bool left = false, right = false;
    for (int y = std::min(from.y, to.y); y <= std::max(from.y, to.y); ++y) {
        for (int x = std::min(from.x, to.x); x <= std::max(from.x, to.x); ++x) {
            const Cell c{x, y};
            if (c == from || c == to) continue;
            const long dx = x - from.x, dy = y - from.y;
            const long cross = X * dy - Y * dx;              // twice the area: which side the centre lies on
            const long reach = std::labs(X) + std::labs(Y);  // the square is met when 2 |cross| <= reach, entered when <
            if (2 * std::labs(cross) > reach) continue;
            if (2 * std::labs(cross) < reach) {
                // Entered by the line; by the segment too, as the cell lies within the box of the end cells and is neither of them.
                if (closes(c, 2 * std::labs(steep ? dy : dx))) return false;
                continue;
            }
            // Touched at a corner: the one nearest to the line. Its place along the major axis, in half cells from the start.
            for (int cy = -1; cy <= 1; cy += 2) {
                for (int cx = -1; cx <= 1; cx += 2) {
                    const long px = 2 * dx + cx, py = 2 * dy + cy;
                    if (X * py - Y * px != 0) continue;
                    const long t = (steep ? py : px) * ((steep ? Y : X) < 0 ? -1 : 1);
                    if (t <= 0 || t >= 2 * length) continue;
                    if (closes(c, t)) (cross > 0 ? left : right) = true;
                }
            }
        }
    }
    return !(left && right);
}

}  // namespace warpath::twin
