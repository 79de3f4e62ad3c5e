// A hash of answers that is the same on every platform: values enter as little-endian bytes.
//
//   Hash64 h;  h.add(path.cost);  h.add(std::uint32_t(path.cells.size()));  print(h.value());
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpath {

/// FNV-1a over explicit little-endian bytes, with a final mix (Fowler, Noll, Vo). For golden values and file checks, not for secrets.
class Hash64 {
public:
    void addByte(std::uint8_t byte) { state_ = (state_ ^ byte) * 0x100000001b3ull; }

    void add(std::uint64_t value) {
        for (int i = 0; i < 8; ++i) addByte(static_cast<std::uint8_t>(value >> (8 * i)));
    }

    void add(std::string_view text) {
        for (const char c : text) addByte(static_cast<std::uint8_t>(c));
    }

    [[nodiscard]] std::uint64_t value() const { return mix(state_); }

    /// Spreads every bit of the input over the result (splitmix64's finaliser).
    [[nodiscard]] static constexpr std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_ = 0xcbf29ce484222325ull;
};

/// 128 bits that stand for what they were computed from: names of cached values. Not for secrets.
struct Digest128 {
    std::uint64_t low = 0, high = 0;
    friend bool operator==(const Digest128&, const Digest128&) = default;
};

/// Two independent sums over 64-bit words, fast enough for whole chunks.
class Hash128 {
public:
    void add(std::uint64_t v) {
        a_ = (a_ ^ v) * 0x9E3779B97F4A7C15ull;
        a_ ^= a_ >> 29;
        b_ = (b_ + v) * 0xD6E8FEB86659FD93ull;
        b_ ^= b_ >> 32;
    }
    [[nodiscard]] Digest128 value() const { return {Hash64::mix(a_), Hash64::mix(b_)}; }

private:
    std::uint64_t a_ = 0x243F6A8885A308D3ull, b_ = 0x13198A2E03707344ull;
};

}  // namespace warpath
