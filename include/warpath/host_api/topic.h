// Topics and the patterns that subscribe to them.
//
//   topicMatches("pathfinder/*", "pathfinder/requests")          true: `*` is one level
//   topicMatches("world/#", "world/chunk/12/edited")             true: `#` is the rest, also nothing ("world" itself)
//   topicMatches("pathfinder/*", "pathfinder/requests/urgent")   false
#pragma once

#include <cstddef>
#include <string_view>

namespace warpath {

namespace topic_detail {

/// Cuts the first level off `rest` and returns it; `more` tells whether a '/' followed.
constexpr std::string_view takeLevel(std::string_view& rest, bool& more) {
    const std::size_t slash = rest.find('/');
    more = slash != std::string_view::npos;
    const std::string_view level = rest.substr(0, slash);
    rest = more ? rest.substr(slash + 1) : std::string_view{};
    return level;
}

}  // namespace topic_detail

/// Whether a message can be published under `topic`: one or more levels separated by '/', none empty, no '*' or '#' anywhere.
[[nodiscard]] constexpr bool isValidTopic(std::string_view topic) {
    for (bool more = true; more;) {
        const std::string_view level = topic_detail::takeLevel(topic, more);
        if (level.empty() || level.find_first_of("*#") != std::string_view::npos) return false;
    }
    return true;
}

/// Whether `pattern` can be subscribed to: a topic in which any level may be `*` and the last may be `#`; a wildcard stands alone in its
/// level.
[[nodiscard]] constexpr bool isValidPattern(std::string_view pattern) {
    for (bool more = true; more;) {
        const std::string_view level = topic_detail::takeLevel(pattern, more);
        if (level.empty()) return false;
        if (level == "*" || (level == "#" && !more)) continue;
        if (level.find_first_of("*#") != std::string_view::npos) return false;
    }
    return true;
}

/// Whether a valid pattern takes in a valid topic. `*` stands for exactly one level, `#` for any number of levels, also none.
/// Cost: O(length), no allocation. Letters are compared byte by byte.
[[nodiscard]] constexpr bool topicMatches(std::string_view pattern, std::string_view topic) {
    bool topic_more = true;
    for (bool pattern_more = true; pattern_more;) {
        const std::string_view want = topic_detail::takeLevel(pattern, pattern_more);
        if (want == "#") return true;
        if (!topic_more) return false;
        const std::string_view level = topic_detail::takeLevel(topic, topic_more);
        if (want != "*" && want != level) return false;
    }
    return !topic_more;
}

}  // namespace warpath
