// Rows of cells as bits: bit i of a word is cell i. Eight cells at a time in plain 64-bit words.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "warpath/world/chunk.h"

namespace warpath {

/// Eight bytes, the first in the lowest place on any machine.
[[nodiscard]] inline std::uint64_t loadWord(const void* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
}

/// Bit i: byte i holds a terrain type of the set.
[[nodiscard]] inline std::uint64_t terrainBits(const std::uint8_t* eight_cells, std::uint64_t types) {
    constexpr std::uint64_t kEach = 0x0101010101010101ull;
    const std::uint64_t word = loadWord(eight_cells);
    std::uint64_t equal = 0;  // the lowest bit of each byte
    for (; types != 0; types &= types - 1) {
        const std::uint64_t differs = word ^ (kEach * static_cast<std::uint64_t>(std::countr_zero(types)));  // bytes below 128: types are fewer
        equal |= ~(differs + kEach * 0x7f) >> 7;
    }
    return ((equal & kEach) * 0x0102040810204080ull) >> 56;
}
static_assert(kMaxTerrainTypes <= 128, "terrainBits compares seven bits");

/// Bit i: obstacle i is one.
[[nodiscard]] inline std::uint64_t obstacleBits(const PackedObstacle* eight_cells) {
    constexpr std::uint64_t kLow = 0x7fff7fff7fff7fffull, kEach = 0x0001000100010001ull;
    const auto four = [](const PackedObstacle* cells) -> std::uint64_t {
        const std::uint64_t word = loadWord(cells);
        if (word == 0) return 0;
        return (((((word & kLow) + kLow) | word) >> 15 & kEach) * 0x1000200040008000ull) >> 60;
    };
    return four(eight_cells) | (four(eight_cells + 4) << 4);
}

}  // namespace warpath
