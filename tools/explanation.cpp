#include "explanation.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "command.h"
#include "warpath/grid/cost_model.h"
#include "warpath/grid/cost_tile.h"
#include "warpath/grid/move_tile.h"

namespace warpath::tool {
namespace {

/// A part of a route between two of its cells, with what it costs.
struct Stretch {
    Position from, to;
    double length = 0.0;
    CostBreakdown cost;
};

/// Prices single steps of a route, term by term, with the library's cost model.
class StepPrices {
public:
    StepPrices(const WorldSnapshot& snapshot, TileStore& tiles, const CostKey& key)
        : snapshot_(snapshot), tiles_(tiles), model_(snapshot.rules(), key),
          prices_cover_(model_.pricesCover() && snapshot.state().has_cover) {}

    void add(Cell from, Cell to, CostBreakdown& sum) {
        const std::uint32_t length = from.x != to.x && from.y != to.y ? kDiagonalLength : kStraightLength;
        const int x = to.x - snapshot_.origin().x, y = to.y - snapshot_.origin().y;
        const int middle = middleOffset(model_.key().metric.profile.size);
        const ChunkCoord middle_chunk{(x + middle) >> kChunkShift, (y + middle) >> kChunkShift};
        const std::shared_ptr<const CoverTile> cover = prices_cover_ ? tiles_.cover(snapshot_, middle_chunk) : nullptr;
        const CellTerms terms = termsOf(snapshot_, model_, x, y, cover.get(), ringsAt(x, y));
        sum.distance += Cost{length} * 100;
        sum.terrain += std::int64_t{length} * terms.terrain;
        sum.road += std::int64_t{length} * terms.road;
        sum.threat += Cost{length} * static_cast<Cost>(terms.threat);
        sum.exposure += Cost{length} * static_cast<Cost>(terms.exposure);
        sum.cover += Cost{length} * static_cast<Cost>(terms.cover);
        sum.congestion += Cost{length} * static_cast<Cost>(terms.congestion);
        sum.wall += Cost{length} * static_cast<Cost>(terms.wall);
        if (model_.pricesElevation()) sum.elevation += model_.riseCost(heightCm(to, middle) - heightCm(from, middle));
    }

private:
    std::int32_t heightCm(Cell c, int middle) const {
        const int x = c.x - snapshot_.origin().x + middle, y = c.y - snapshot_.origin().y + middle;
        return snapshot_.ground({x >> kChunkShift, y >> kChunkShift}).elevationCm(localIndex(x, y));
    }
    int ringsAt(int x, int y) {
        const Metric& metric = model_.key().metric;
        if (metric.wall_weight == 0 || metric.wall_distance == 0) return 0;
        const ChunkCoord chunk{x >> kChunkShift, y >> kChunkShift};
        auto [place, is_new] = rings_.try_emplace({chunk.x, chunk.y});
        if (is_new) {
            place->second = std::make_unique<std::array<std::uint8_t, kChunkCells>>();
            compileWallRings(snapshot_, metric.profile, chunk, metric.wall_distance, *place->second);
        }
        return (*place->second)[static_cast<std::size_t>(localIndex(x, y))];
    }

    const WorldSnapshot& snapshot_;
    TileStore& tiles_;
    CostModel model_;
    bool prices_cover_;
    std::map<std::tuple<int, int>, std::unique_ptr<std::array<std::uint8_t, kChunkCells>>> rings_;
};

/// A route in stretches: its legs when they are few, else ten of about equal length.
std::vector<Stretch> stretchesOf(const WorldSnapshot& snapshot, Query& query, const PathRequest& request, const Path& path) {
    std::vector<Stretch> stretches;
    if (path.cells.size() < 2) return stretches;
    const auto resolved = resolve(request.constraints, snapshot.rules());
    if (const Error* error = std::get_if<Error>(&resolved)) throw Refusal(*error);
    const ResolvedConstraints& constraints = std::get<ResolvedConstraints>(resolved);
    StepPrices prices(snapshot, *query.tiles(), {constraints.metric, constraints.threat_weight, static_cast<std::uint8_t>(request.side)});
    const float half = static_cast<float>(constraints.metric.profile.size) / 2.0f;
    const auto centre = [half](Cell c) { return Position{static_cast<float>(c.x) + half, static_cast<float>(c.y) + half}; };
    constexpr std::size_t kMostLegs = 12;
    const bool by_legs = path.waypoints.size() <= kMostLegs + 1;
    Cell last_step{};
    for (std::size_t i = 1; i < path.cells.size(); ++i) {
        const Cell from = path.cells[i - 1], to = path.cells[i], step{to.x - from.x, to.y - from.y};
        const bool begins = by_legs ? !(step == last_step)
                                    : stretches.empty() || (i - 1) * 10 / (path.cells.size() - 1) != (i - 2) * 10 / (path.cells.size() - 1);
        if (begins) stretches.push_back({centre(from), centre(to), 0.0, {}});
        last_step = step;
        Stretch& stretch = stretches.back();
        stretch.to = centre(to);
        stretch.length += static_cast<double>(step.x != 0 && step.y != 0 ? kDiagonalLength : kStraightLength) / kStraightLength;
        prices.add(from, to, stretch.cost);
    }
    return stretches;
}

struct Term {
    const char* name;
    double value;
};

std::vector<Term> termsIn(const CostBreakdown& b) {
    const auto metres = [](auto cost) { return static_cast<double>(cost) / static_cast<double>(kCostPerMetre); };
    return {{"distance", metres(b.distance)}, {"terrain", metres(b.terrain)},     {"road", metres(b.road)},
            {"threat", metres(b.threat)},     {"cover", metres(b.cover)},         {"exposure", metres(b.exposure)},
            {"elevation", metres(b.elevation)}, {"congestion", metres(b.congestion)}, {"wall", metres(b.wall)}};
}

}  // namespace

Json explanationJson(const WorldSnapshot& snapshot, Query& query, const PathRequest& request, const Path& path) {
    Json json;
    json["algorithm"] = toString(path.algorithm);
    json["stretches"] = Json::array();
    for (const Stretch& stretch : stretchesOf(snapshot, query, request, path)) {
        Json& one = json["stretches"].emplace_back();
        one["from"] = {exact(stretch.from.x), exact(stretch.from.y)};
        one["to"] = {exact(stretch.to.x), exact(stretch.to.y)};
        one["length"] = stretch.length;
        one["cost"] = costInMetres(stretch.cost.total());
        for (const Term& term : termsIn(stretch.cost))
            if (term.value != 0.0) one["breakdown"][term.name] = term.value;
    }
    return json;
}

std::string explanationText(const WorldSnapshot& snapshot, Query& query, const PathRequest& request, const Path& path) {
    std::string text;
    char line[256];
    const double total = costInMetres(path.cost);
    text += "where the cost comes from:\n";
    for (const Term& term : termsIn(path.breakdown)) {
        if (term.value == 0.0) continue;
        std::snprintf(line, sizeof line, "  %-10s %10.2f  %5.1f %%\n", term.name, term.value, total > 0.0 ? 100.0 * term.value / total : 0.0);
        text += line;
    }
    const auto stretches = stretchesOf(snapshot, query, request, path);
    if (!stretches.empty()) text += "stretch by stretch:\n";
    for (const Stretch& stretch : stretches) {
        std::snprintf(line, sizeof line, "  %g,%g to %g,%g: %.1f m, cost %.2f", static_cast<double>(stretch.from.x),
                      static_cast<double>(stretch.from.y), static_cast<double>(stretch.to.x), static_cast<double>(stretch.to.y), stretch.length,
                      costInMetres(stretch.cost.total()));
        text += line;
        for (const Term& term : termsIn(stretch.cost)) {
            if (term.value == 0.0) continue;
            std::snprintf(line, sizeof line, ", %s %.2f", term.name, term.value);
            text += line;
        }
        text += "\n";
    }
    return text;
}

}  // namespace warpath::tool
