#include "explanation.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "command.h"
#include "options.h"

namespace warpath::tool {
namespace {

constexpr int kStretches = 10;

struct Term {
    const char* name;
    double value;
};

std::vector<Term> termsIn(const CostBreakdown& b) {
    const auto metres = [](auto cost) { return static_cast<double>(cost) / static_cast<double>(kCostPerMetre); };
    return {{"distance", metres(b.distance)},   {"terrain", metres(b.terrain)},       {"road", metres(b.road)},
            {"threat", metres(b.threat)},       {"cover", metres(b.cover)},           {"exposure", metres(b.exposure)},
            {"elevation", metres(b.elevation)}, {"congestion", metres(b.congestion)}, {"wall", metres(b.wall)}};
}

RouteExplanation sound(RouteExplanation&& why) {
    if (why.status == PathStatus::InvalidArgument) throw Refusal(asArgument(why.error));
    return std::move(why);
}

std::string placeText(Position p) {
    char text[64];
    std::snprintf(text, sizeof text, "%g,%g", static_cast<double>(p.x), static_cast<double>(p.y));
    return text;
}

Json placeJson(Position p) { return {exact(p.x), exact(p.y)}; }

}  // namespace

RouteExplanation explainPath(const WorldSnapshot& snapshot, Query& query, const PathRequest& request, const Path& path) {
    return sound(TacticalQuery(query).explain(snapshot, path, request.constraints, request.side, kStretches));
}

RouteExplanation explainDrawn(const WorldSnapshot& snapshot, Query& query, const PathRequest& request, const std::vector<Position>& drawn) {
    return sound(TacticalQuery(query).explain(snapshot, std::span<const Position>(drawn), request.constraints, request.side, kStretches));
}

std::vector<Position> parseRoute(const std::string& argument, const std::string& given) {
    const std::string text = given.starts_with("@") ? readTextFile(argument, given.substr(1)) : given;
    std::vector<Position> route;
    if (text.find('[') != std::string::npos) {
        const auto refuse = [&](const std::string& what) { return Refusal(argument, what, "write [[x,y],...], as the waypoints of an answer, in metres"); };
        const Json json = Json::parse(text, nullptr, false);
        if (!json.is_array()) throw refuse(text.substr(0, 40));
        for (std::size_t i = 0; i < json.size(); ++i) {
            const Json& p = json[i];
            if (!p.is_array() || p.size() != 2 || !p[0].is_number() || !p[1].is_number()) throw refuse("entry " + std::to_string(i));
            route.push_back({p[0].get<float>(), p[1].get<float>()});
            if (!isUsable(route.back())) throw refuse("entry " + std::to_string(i));
        }
    } else {
        std::istringstream words(text);
        for (std::string word; words >> word;) route.push_back(parsePosition(argument, word));
    }
    if (route.empty()) throw Refusal(argument, "no positions", "give at least one");
    return route;
}

Json explanationJson(const RouteExplanation& why) {
    Json json;
    json["is_valid"] = why.validation.valid;
    if (!why.validation.valid) {
        json["first_bad"] = why.validation.first_bad;
        json["first_bad_position"] = placeJson(why.validation.first_bad_position);
        return json;
    }
    json["verdict"] = why.verdict;
    json["cost"] = costInMetres(why.route.cost);
    json["best_cost"] = costInMetres(why.best.cost);
    json["terms"] = Json::array();
    for (const TermComparison& term : why.terms) json["terms"].push_back({{"term", term.term}, {"route", term.route}, {"best", term.best}});
    json["stretches"] = Json::array();
    for (const RouteStretch& stretch : why.stretches) {
        Json& one = json["stretches"].emplace_back();
        one["from"] = placeJson(stretch.from);
        one["to"] = placeJson(stretch.to);
        one["length"] = stretch.length;
        one["cost"] = costInMetres(stretch.cost);
        for (const Term& term : termsIn(stretch.breakdown))
            if (term.value != 0.0) one["breakdown"][term.name] = term.value;
    }
    return json;
}

std::string explanationText(const RouteExplanation& why) {
    if (!why.validation.valid) {
        return "not a legal route: point " + std::to_string(why.validation.first_bad + 1) + " cannot be come to; the way ends at " +
               placeText(why.validation.first_bad_position) + "\n";
    }
    std::string text = "the route " + why.verdict + "\nwhere the cost comes from:  route       best\n";
    char line[256];
    for (const TermComparison& term : why.terms) {
        if (term.route == 0.0 && term.best == 0.0) continue;
        std::snprintf(line, sizeof line, "  %-20s %11.2f %10.2f", term.term, term.route, term.best);
        text += line;
        if (std::fabs(term.route - term.best) >= 0.005) {
            std::snprintf(line, sizeof line, "  %+.2f", term.route - term.best);
            text += line;
        }
        text += "\n";
    }
    text += "stretch by stretch:\n";
    for (const RouteStretch& stretch : why.stretches) {
        std::snprintf(line, sizeof line, "  %s to %s: %.1f m, cost %.2f", placeText(stretch.from).c_str(), placeText(stretch.to).c_str(), stretch.length,
                      costInMetres(stretch.cost));
        text += line;
        for (const Term& term : termsIn(stretch.breakdown)) {
            if (term.value == 0.0) continue;
            std::snprintf(line, sizeof line, ", %s %.2f", term.name, term.value);
            text += line;
        }
        text += "\n";
    }
    return text;
}

}  // namespace warpath::tool
