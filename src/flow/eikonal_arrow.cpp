#include "flow/eikonal_arrow.h"

#include <cmath>
#include <limits>

#include "warpath/core/directions.h"

namespace warpath::flow {
namespace {

constexpr float kHalfRoot = 0.70710678f;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Vec2 kStep[kDirections] = {{1.0f, 0.0f},  {kHalfRoot, kHalfRoot},   {0.0f, 1.0f},  {-kHalfRoot, kHalfRoot},
                                     {-1.0f, 0.0f}, {-kHalfRoot, -kHalfRoot}, {0.0f, -1.0f}, {kHalfRoot, -kHalfRoot}};

/// Descent per metre along an axis: positive towards growing coordinates.
float descent(const EikonalSolver& solver, std::uint32_t cell, std::uint32_t step, float here) {
    const float after = solver.distance(cell + step), before = solver.distance(cell - step);
    const bool forward = after < here, backward = before < here;
    if (!forward && !backward) return 0.0f;
    const bool ahead = forward && (!backward || after <= before);
    const float low = ahead ? after : before, high = ahead ? before : after;
    float rate;
    if (high < kInfinity && !(forward && backward)) {
        rate = 0.5f * (high - low);
    } else {
        rate = here - low;
        const float second = solver.distance(ahead ? cell + 2 * step : cell - 2 * step);
        if (second < low) rate += 0.5f * ((here - low) - (low - second));
        if (!(rate > 0.0f)) rate = here - low;
    }
    return ahead ? rate : -rate;
}

Vec2 normalised(float x, float y) {
    const float length = std::sqrt(x * x + y * y);
    return {x / length, y / length};
}

}  // namespace

Vec2 keepOffCorner(const EikonalGrid& grid, std::uint32_t cell, Vec2 v) {
    if (v.x == 0.0f || v.y == 0.0f) return v;
    const std::uint32_t stride = static_cast<std::uint32_t>(grid.stride);
    const std::uint32_t corner = cell + (v.x > 0.0f ? 1 : ~std::uint32_t{0}) + (v.y > 0.0f ? stride : ~stride + 1);
    if (grid.free(corner)) return v;
    if (std::fabs(v.x) >= std::fabs(v.y)) return {v.x > 0.0f ? 1.0f : -1.0f, 0.0f};
    return {0.0f, v.y > 0.0f ? 1.0f : -1.0f};
}

EikonalArrow eikonalArrow(const EikonalGrid& grid, const EikonalSolver& solver, std::uint32_t cell, std::uint8_t moves) {
    EikonalArrow arrow;
    const float here = solver.distance(cell);
    if (!(here < kInfinity) || !grid.free(cell)) return arrow;
    const std::int32_t s = grid.stride;
    const std::int32_t steps[kDirections] = {1, s + 1, s, s - 1, -1, -s - 1, -s, -s + 1};
    float values[kDirections];
    bool all_reached = true;
    for (int d = 0; d < kDirections; ++d) {
        values[d] = solver.distance(cell + static_cast<std::uint32_t>(steps[d]));
        all_reached = all_reached && values[d] < kInfinity;
    }
    arrow.open = moves == 0xff && all_reached;
    float best = 0.0f;
    for (int first = 0; first < 2; ++first) {
        const float per_metre = first == 0 ? 1.0f : kHalfRoot;
        for (int d = first; d < kDirections; d += 2) {
            if (((moves >> d) & 1) == 0) continue;
            const float falls = (here - values[d]) * per_metre;
            if (!(falls > best)) continue;
            best = falls;
            arrow.code = static_cast<std::uint8_t>(d);
        }
    }
    if (arrow.code == EikonalArrow::kNone) return arrow;
    const float x = descent(solver, cell, 1, here), y = descent(solver, cell, static_cast<std::uint32_t>(s), here);
    arrow.vector = x == 0.0f && y == 0.0f ? kStep[arrow.code] : keepOffCorner(grid, cell, normalised(x, y));
    return arrow;
}

Vec2 seedVector(const EikonalSolver::Seed& seed) {
    if (seed.dx == 0 && seed.dy == 0) return {};
    return normalised(seed.dx, seed.dy);
}

}  // namespace warpath::flow
