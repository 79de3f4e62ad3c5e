// How routes are judged once they are found: what counts as open ground, as a chokepoint, as a stop in cover, and what makes one route better.
//
//   Query query(store, {}, {.choke_width = 6.0f});
//   std::size_t chosen = selectBestPath(paths, scoreWeights(Doctrine::Cautious));
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "warpath/core/error.h"
#include "warpath/grid/path.h"
#include "warpath/world/constraints.h"

namespace warpath {

/// What a term of the composite score is worth [-10..10]; negative: less is better. Terms are relative to the first route, so the weights have no unit.
struct ScoreWeights {
    float threat = -0.3f;
    float distance = -0.2f;
    float cover = 0.1f;
    float time = -0.4f;
    friend bool operator==(const ScoreWeights&, const ScoreWeights&) = default;
};

/// The default weights of a doctrine: Aggressive has the reference's; the others give more to threat and cover, and less to time.
[[nodiscard]] ScoreWeights scoreWeights(Doctrine doctrine);

/// Thresholds of the metrics of a route, and what makes one route better. Every default is valid.
struct RouteRules {
    /// A stretch this long without cover and in full view makes a route cross open terrain [m] [0.5..1000] [15: some ten seconds on foot].
    float open_length = 15.0f;
    /// From this share of open directions on a cell is in full view [0..1] [0.75].
    float open_exposure = 0.75f;
    /// A place is a chokepoint where less than this is free across the direction of travel [m] [0..32; 0: nowhere is] [4: two units abreast].
    float choke_width = 4.0f;
    /// Cover from this quality on is worth a stop [0..1] [0.5: half a man's height].
    float stop_cover = 0.5f;
    /// How long a unit stays in a cover on its way [s] [0..60] [2, the reference's].
    float pause = 2.0f;
    /// Stops are at least this far apart [m] [0..100] [8].
    float stop_spacing = 8.0f;
    /// Weights of the score that a route of several gets, by doctrine in the order of the enum [scoreWeights].
    std::array<ScoreWeights, 4> score = {scoreWeights(Doctrine::Aggressive), scoreWeights(Doctrine::Balanced), scoreWeights(Doctrine::Cautious),
                                         scoreWeights(Doctrine::Stealth)};

    /// The first value outside its limits, or nothing.
    [[nodiscard]] std::optional<Error> validate() const;
};

/// Sets `score` of each route: the sum over the terms of weight x (the route's value / the first route's value). Threat and cover of the first
/// route count as at least 0.1 in the division, so that a trace of threat does not decide alone. Float sums in a fixed order.
void scorePaths(std::span<Path> paths, const ScoreWeights& weights);

/// Index of the route with the best score after scoring them; of equals the first. 0 for an empty span.
[[nodiscard]] std::size_t selectBestPath(std::span<Path> paths, const ScoreWeights& weights);

}  // namespace warpath
