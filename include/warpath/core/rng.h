// A small generator whose numbers are the same on every platform (std distributions are not).
//
//   Rng rng(42);  int die = 1 + int(rng.below(6));
#pragma once

#include <cstdint>

namespace warpath {

/// splitmix64 (Steele, Lea, Flood 2014). Not for secrets. One owner at a time.
class Rng {
public:
    explicit Rng(std::uint64_t seed) : state_(seed) {}

    /// The next 64 bits.
    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ull;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }

    /// A number in 0..bound-1 (bias below 2^-32). @pre bound > 0.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * std::uint64_t{bound}) >> 32);
    }

    /// True with probability percent / 100.
    bool percent(std::uint32_t percent) { return below(100) < percent; }

private:
    std::uint64_t state_;
};

}  // namespace warpath
