// Damages texts and byte strings at random, for tests that feed readers with rubbish.
//
//   Rng rng(seed);  read(mutated(valid, rng, "0123456789{}[]"));
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "warpath/core/rng.h"

namespace warpath {

/// One to four changes: a byte replaced, bytes removed, a piece doubled, the end cut off, a letter of `alphabet` put in.
inline std::string mutated(std::string text, Rng& rng, std::string_view alphabet) {
    const auto place = [&] { return static_cast<std::size_t>(rng.below(static_cast<std::uint32_t>(text.size()))); };
    for (std::uint32_t i = 0, n = 1 + rng.below(4); i < n && !text.empty(); ++i) {
        const std::size_t at = place();
        switch (rng.below(12)) {
            case 0:
            case 1: text[at] = static_cast<char>(rng.below(256)); break;
            case 2:
            case 3: text.erase(at, 1 + rng.below(8)); break;
            case 4:
            case 5: text.insert(at, text.substr(place(), 1 + rng.below(8))); break;
            case 6: text.resize(at); break;
            case 7:
            case 8: text[at] = alphabet[rng.below(static_cast<std::uint32_t>(alphabet.size()))]; break;
            default: text.insert(at, 1, alphabet[rng.below(static_cast<std::uint32_t>(alphabet.size()))]); break;
        }
    }
    return text;
}

}  // namespace warpath
