// Four cells at once: what is chosen differs from cell to cell in ways that no branch predicts.
#include "flow/eikonal_arrow.h"

#include <cmath>

#include "flow/four_lanes.h"

namespace warpath::flow {
namespace {

/// Descent per metre along an axis: positive towards growing coordinates. The last two values lie two cells away.
Floats descent(Floats here, Floats after, Floats before, Floats after2, Floats before2) {
    const Ints forward = after < here, backward = before < here;
    const Ints ahead = forward & (~backward | (after <= before));
    const Floats low = ahead ? after : before, high = ahead ? before : after, second = ahead ? after2 : before2;
    const Floats central = 0.5f * (high - low);
    const Floats first_order = here - low;
    const Floats second_order = first_order + 0.5f * (first_order - (low - second));
    const Ints bends = (second < low) & (second_order > 0.0f);
    const Floats one_sided = bends ? second_order : first_order;
    const Ints passed = (high < kInfinity) & ~(forward & backward), any = forward | backward;
    const Floats rate = passed ? central : one_sided;
    const Floats kept = any ? rate : all(0.0f);
    return ahead ? kept : all(0.0f) - kept;
}

}  // namespace

std::array<EikonalArrow, 4> eikonalArrows(const EikonalGrid& grid, const EikonalSolver& solver, std::uint32_t cell, const std::uint8_t* moves) {
    const float* const d = solver.values() + cell;
    const std::ptrdiff_t s = grid.stride;
    const auto at = [d](std::ptrdiff_t step) { return absolute(loadAny(d + step)); };
    const Floats here = at(0);
    const Floats around[kDirections] = {at(1), at(s + 1), at(s), at(s - 1), at(-1), at(-s - 1), at(-s), at(-s + 1)};

    const Ints legal{moves[0], moves[1], moves[2], moves[3]};
    Floats best = all(0.0f);
    Ints code{EikonalArrow::kNone, EikonalArrow::kNone, EikonalArrow::kNone, EikonalArrow::kNone};
    Floats highest = here;
    for (const int d8 : {0, 2, 4, 6, 1, 3, 5, 7}) {
        const Floats fall = (here - around[d8]) * (isDiagonal(d8) ? kHalfSqrt2 : 1.0f);
        const Ints steeper = (fall > best) & ((legal & (1 << d8)) != 0) & (here < kInfinity);
        best = steeper ? fall : best;
        code = steeper ? Ints{d8, d8, d8, d8} : code;
        highest = around[d8] > highest ? around[d8] : highest;
    }
    const Ints open = (highest < kInfinity) & (legal == 0xff);

    const Floats x = descent(here, around[0], around[4], at(2), at(-2)), y = descent(here, around[2], around[6], at(2 * s), at(-2 * s));
    const Floats length = squareRoot(x * x + y * y);
    const Ints east = x > 0.0f, south = y > 0.0f;
    // Between two reached sides a corner that is not reached is blocked.
    const Floats corner = south ? (east ? around[1] : around[3]) : (east ? around[7] : around[5]);
    const Ints slants = (x != 0.0f) & (y != 0.0f), blocked = slants & (corner == kInfinity);
    // Between two ways that part, the corner is no lower; then the gradient is of neither way.
    const Ints parts = slants & (corner >= here) & (corner < kInfinity);
    const Ints keep_x = absolute(x) >= absolute(y);
    const Floats sign_x = east ? all(1.0f) : all(-1.0f), sign_y = south ? all(1.0f) : all(-1.0f);
    const Floats alone_x = keep_x ? sign_x : all(0.0f), alone_y = keep_x ? all(0.0f) : sign_y;
    const Floats vx = blocked ? alone_x : x / length, vy = blocked ? alone_y : y / length;

    std::array<EikonalArrow, 4> arrows;
    for (int k = 0; k < 4; ++k) {
        EikonalArrow& arrow = arrows[static_cast<std::size_t>(k)];
        arrow.code = static_cast<std::uint8_t>(code[k]);
        arrow.open = open[k] != 0;
        if (arrow.code == EikonalArrow::kNone) continue;
        const Vec2 along{vx[k], vy[k]};
        const bool follows = length[k] > 0.0f && parts[k] == 0 && followsStep(along, arrow.code);  // without a length: between two walls
        arrow.vector = follows ? along : kStepVector[arrow.code];
    }
    return arrows;
}

Vec2 seedVector(const EikonalSolver::Seed& seed) {
    if (seed.dx == 0 && seed.dy == 0) return {};
    const float x = seed.dx, y = seed.dy, length = std::sqrt(x * x + y * y);
    return {x / length, y / length};
}

}  // namespace warpath::flow
