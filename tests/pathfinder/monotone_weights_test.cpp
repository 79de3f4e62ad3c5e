// Raising the weight of a thing never makes an exact route take in more of it.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "support/drawn_map.h"
#include "warpath/pathfinder/query.h"
#include "warpath/tactical/threat_map.h"

namespace warpath {
namespace {

struct Term {
    const char* name;
    std::optional<float> PathConstraints::* weight;
    Cost CostBreakdown::* part;
};
constexpr Term kTerms[] = {{"threat", &PathConstraints::threat_weight, &CostBreakdown::threat},
                           {"exposure", &PathConstraints::exposure_weight, &CostBreakdown::exposure},
                           {"cover", &PathConstraints::cover_weight, &CostBreakdown::cover}};

/// Both routes being cheapest under their own weight, cost1(P1) <= cost1(P2) and cost2(P2) <= cost2(P1); added, (w2 - w1) (T2 - T1) <= 0 for what they take
/// in. Each term is rounded to hundredths by itself, so a metre's cost is off by up to 0.005 under either weight: by 0.01 (L1 + L2) / (w2 - w1) in T. T is
/// read from the rounded term here, which adds 0.005 L / w for each route.
TEST(MonotoneWeights, what_a_route_takes_in_never_rises_with_its_weight_on_thousands_of_worlds) {
    Query query;
    int compared = 0, fell = 0;
    double nearest_to_limit = 0.0;
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        Rng rng(seed * 31 + 7);
        const auto world = randomField(seed, 28, 22, 4 + rng.below(16));
        ThreatMap threat(world->snapshot(), 0, {.resolution = 1, .blur_radius = 1});
        for (std::uint32_t id = 0; id < 2; ++id) {
            const Position at = mid(static_cast<int>(rng.below(28)), static_cast<int>(rng.below(22)));
            ASSERT_FALSE(threat.addThreatSource({.id = id, .position = at, .range = 4.0f + static_cast<float>(rng.below(12)), .firepower = 0.3f + static_cast<float>(rng.below(20)) / 10.0f}));
        }
        threat.finish();
        world->edit([&](WorldEdit& e) { threat.publish(e); });
        const WorldSnapshot snapshot = world->snapshot();
        PathRequest request{.from = mid(static_cast<int>(rng.below(6)), static_cast<int>(rng.below(22))),
                            .goal = Goal::point(mid(22 + static_cast<int>(rng.below(6)), static_cast<int>(rng.below(22))))};
        request.constraints.doctrine = static_cast<Doctrine>(rng.below(4));
        const Term& term = kTerms[seed % 3];
        const float low = 0.25f + static_cast<float>(rng.below(12)) / 4.0f, high = low + 0.25f + static_cast<float>(rng.below(40)) / 4.0f;
        Path paths[2];
        double taken[2];
        for (int i = 0; i < 2; ++i) {
            const float weight = i == 0 ? low : high;
            request.constraints.*term.weight = weight;
            query.findPath(snapshot, request, paths[i]);
            taken[i] = costInMetres(paths[i].breakdown.*term.part) / static_cast<double>(weight);
        }
        ASSERT_EQ(paths[0].status, paths[1].status) << seed;
        if (paths[0].status != PathStatus::Found) continue;
        ++compared;
        fell += taken[1] < taken[0] - 0.01 ? 1 : 0;
        const double rounding = 0.01 * (paths[0].length + paths[1].length) / static_cast<double>(high - low) +
                                0.005 * (paths[0].length / static_cast<double>(low) + paths[1].length / static_cast<double>(high));
        EXPECT_LE(taken[1], taken[0] + rounding + 1e-3) << "seed " << seed << ", " << term.name << " from weight " << low << " to " << high;
        nearest_to_limit = std::max(nearest_to_limit, (taken[1] - taken[0]) / rounding);
    }
    EXPECT_GT(compared, 2000);
    EXPECT_GT(fell, 500) << "and often it falls";
    RecordProperty("compared", compared);
    RecordProperty("fell", fell);
    RecordProperty("nearest_to_limit_percent", static_cast<int>(nearest_to_limit * 100.0));
}

}  // namespace
}  // namespace warpath
