// The cells that a straight line between two cell centres runs over.
//
//   const bool free = alongLine(goal.x - c.x, goal.y - c.y, [&](int x, int y) { return grid.free(c.x + x, c.y + y); });
#pragma once

namespace warpath::flow {

/// Every cell that the line from (0, 0) to (dx, dy) touches in more than a corner, and both cells beside a corner that it passes through. Calls visit(x, y) for
/// the cells between the ends until it returns false. @return true when it never did.
template <class Visit>
bool alongLine(int dx, int dy, const Visit& visit) {
    const int nx = dx < 0 ? -dx : dx, ny = dy < 0 ? -dy : dy, sx = dx < 0 ? -1 : 1, sy = dy < 0 ? -1 : 1;
    int x = 0, y = 0, ix = 0, iy = 0;
    while (ix < nx || iy < ny) {
        const int side = (1 + 2 * ix) * ny - (1 + 2 * iy) * nx;
        if (side == 0) {
            if (!visit(x + sx, y) || !visit(x, y + sy)) return false;
            x += sx, y += sy, ++ix, ++iy;
        } else if (side < 0) {
            x += sx, ++ix;
        } else {
            y += sy, ++iy;
        }
        if ((ix < nx || iy < ny) && !visit(x, y)) return false;
    }
    return true;
}

}  // namespace warpath::flow
