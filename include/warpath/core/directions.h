// The eight steps of the grid, their order and their integer lengths. Every part of the library uses this one order.
//
//   for (int d = 0; d < kDirections; ++d) visit(x + kStepX[d], y + kStepY[d], stepLength(d));
#pragma once

#include <cstdint>

#include "warpath/core/types.h"

namespace warpath {

inline constexpr int kDirections = 8;

/// 0 E, 1 SE, 2 S, 3 SW, 4 W, 5 NW, 6 N, 7 NE; odd directions are diagonal; y points south.
inline constexpr int kStepX[kDirections] = {1, 1, 0, -1, -1, -1, 0, 1};
inline constexpr int kStepY[kDirections] = {0, 1, 1, 1, 0, -1, -1, -1};

[[nodiscard]] constexpr bool isDiagonal(int direction) { return (direction & 1) != 0; }
[[nodiscard]] constexpr int oppositeOf(int direction) { return (direction + 4) & 7; }

/// The direction of a difference of neighbours; -1 when it is none.
[[nodiscard]] constexpr int directionOf(int dx, int dy) {
    constexpr int kDirectionOf[3][3] = {{5, 6, 7}, {4, -1, 0}, {3, 2, 1}};  // [dy + 1][dx + 1]
    return dx < -1 || dx > 1 || dy < -1 || dy > 1 ? -1 : kDirectionOf[dy + 1][dx + 1];
}

/// The steps as vectors of length 1.
inline constexpr float kHalfSqrt2 = 0.70710678f;
inline constexpr Vec2 kStepVector[kDirections] = {{1.0f, 0.0f},  {kHalfSqrt2, kHalfSqrt2},   {0.0f, 1.0f},  {-kHalfSqrt2, kHalfSqrt2},
                                                  {-1.0f, 0.0f}, {-kHalfSqrt2, -kHalfSqrt2}, {0.0f, -1.0f}, {kHalfSqrt2, -kHalfSqrt2}};

/// Integer lengths of a straight and a diagonal step: 577 / 408 is sqrt 2 to six digits (the pair that reproduces every reference length tried).
inline constexpr std::uint32_t kStraightLength = 408;
inline constexpr std::uint32_t kDiagonalLength = 577;

[[nodiscard]] constexpr std::uint32_t stepLength(int direction) { return isDiagonal(direction) ? kDiagonalLength : kStraightLength; }

/// Octile length: that of the shortest way over open ground between two cells so far apart, diagonal steps first.
[[nodiscard]] constexpr std::uint64_t octileLength(int dx, int dy) {
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    const int more = dx > dy ? dx : dy, less = dx > dy ? dy : dx;
    return static_cast<std::uint64_t>(more) * kStraightLength + static_cast<std::uint64_t>(less) * (kDiagonalLength - kStraightLength);
}

/// Step lengths in metres, where an exact length is told to people: sqrt 2 as a double.
inline constexpr double kSqrt2 = 1.41421356237309515;
[[nodiscard]] constexpr double stepMetres(int direction) { return isDiagonal(direction) ? kSqrt2 : 1.0; }

/// A cost in fixed point: step length x hundredths, so one metre at f = 1 is 40,800 units.
using Cost = std::uint64_t;
inline constexpr Cost kCostPerMetre = 40'800;

/// Costs in metres at f = 1, for people and messages.
[[nodiscard]] constexpr double costInMetres(Cost cost) { return static_cast<double>(cost) / static_cast<double>(kCostPerMetre); }

}  // namespace warpath
