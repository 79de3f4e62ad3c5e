#include "warpath/pathfinder/route_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "warpath/core/number_text.h"

namespace warpath {

std::optional<Error> RouteRules::validate() const {
    const auto range = [](const char* field, float value, float low, float high) -> std::optional<Error> {
        if (value >= low && value <= high) return std::nullopt;
        return Error{field, numberText(value), "use a number from " + numberText(low) + " to " + numberText(high)};
    };
    if (auto error = range("open_length", open_length, 0.5f, 1000.0f)) return error;
    if (auto error = range("open_exposure", open_exposure, 0.0f, 1.0f)) return error;
    if (auto error = range("choke_width", choke_width, 0.0f, 32.0f)) return error;
    if (auto error = range("stop_cover", stop_cover, 0.0f, 1.0f)) return error;
    if (auto error = range("pause", pause, 0.0f, 60.0f)) return error;
    if (auto error = range("stop_spacing", stop_spacing, 0.0f, 100.0f)) return error;
    for (std::size_t i = 0; i < score.size(); ++i) {
        const std::string name = std::string("score.") + toString(static_cast<Doctrine>(i));
        const std::pair<const char*, float> weights[] = {
            {".threat", score[i].threat}, {".distance", score[i].distance}, {".cover", score[i].cover}, {".time", score[i].time}};
        for (const auto& [term, value] : weights) {
            if (auto error = range((name + term).c_str(), value, -10.0f, 10.0f)) return error;
        }
    }
    return std::nullopt;
}

ScoreWeights scoreWeights(Doctrine doctrine) {
    switch (doctrine) {
        case Doctrine::Aggressive: return {.threat = -0.3f, .distance = -0.2f, .cover = 0.1f, .time = -0.4f};
        case Doctrine::Balanced: return {.threat = -0.4f, .distance = -0.2f, .cover = 0.2f, .time = -0.2f};
        case Doctrine::Cautious: return {.threat = -0.5f, .distance = -0.1f, .cover = 0.3f, .time = -0.1f};
        case Doctrine::Stealth: return {.threat = -0.6f, .distance = -0.1f, .cover = 0.3f, .time = 0.0f};
    }
    return {};
}

void scorePaths(std::span<Path> paths, const ScoreWeights& weights) {
    if (paths.empty()) return;
    constexpr float kLeastShare = 0.1f;
    const auto ratio = [](double value, double first) { return first > 0.0 ? static_cast<float>(value / first) : 1.0f; };
    const double threat = static_cast<double>(std::max(paths[0].threat_level, kLeastShare));
    const double cover = static_cast<double>(std::max(paths[0].cover_percentage, kLeastShare));
    const double length = paths[0].length, time = paths[0].travel_time;
    for (Path& path : paths) {
        path.score = weights.threat * ratio(static_cast<double>(path.threat_level), threat) + weights.distance * ratio(path.length, length) +
                     weights.cover * ratio(static_cast<double>(path.cover_percentage), cover) + weights.time * ratio(path.travel_time, time);
    }
}

std::size_t selectBestPath(std::span<Path> paths, const ScoreWeights& weights) {
    scorePaths(paths, weights);
    std::size_t best = 0;
    for (std::size_t i = 1; i < paths.size(); ++i) {
        if (paths[i].score > paths[best].score) best = i;
    }
    return best;
}

}  // namespace warpath
