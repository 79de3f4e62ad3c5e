// How large the numbers of a world may be: one place for edits, loaders and messages.
#pragma once

#include <cstdint>

#include "warpath/world/chunk.h"

namespace warpath {

inline constexpr std::int32_t kMaxOrigin = 1'000'000;   ///< Of either coordinate of a world's origin, both ways [cells]: a float still tells centimetres apart there.
inline constexpr float kMaxElevation = 20'000.0f;       ///< Both ways [m].
inline constexpr float kMaxCongestion = 64.0f;          ///< Extra cost per metre.
inline constexpr float kMinCraterRadius = 0.5f;         ///< [m]
inline constexpr float kMaxCraterRadius = 256.0f;       ///< [m]
// kMaxObstacleHeight, kMaxWorldSize and kMaxSides stand with what they shape.

}  // namespace warpath
