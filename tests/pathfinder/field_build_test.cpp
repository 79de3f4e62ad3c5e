// Fields of a Query: what a new generation means, against a look at every cell.
#include <gtest/gtest.h>

#include "support/drawn_map.h"
#include "support/scenes.h"
#include "warpath/pathfinder/query.h"

namespace warpath {
namespace {

/// The slow way to say what a new generation means.
FieldChange changeCellByCell(const FlowField& before, const FlowField& now) {
    if (now.info().redirected && !before.info().redirected) return FieldChange::Blocked;
    bool dearer = false, other = before.info().goals != now.info().goals;
    const CellRect& area = now.area();
    for (int y = area.y; y < area.y + area.height; ++y) {
        for (int x = area.x; x < area.x + area.width; ++x) {
            const Cell c{x, y};
            if (isFlowWay(before.direction(c)) && !isFlowWay(now.direction(c))) return FieldChange::Blocked;
            const Cost was = before.distance(c), is = now.distance(c);
            if (is > was && is != kNoFlowDistance) dearer = true;
            if (is < was || before.direction(c) != now.direction(c)) other = true;
        }
    }
    if (before.info().goals != now.info().goals && before.info().redirected) return FieldChange::MayImprove;
    return dearer ? FieldChange::Dearer : other ? FieldChange::MayImprove : FieldChange::Same;
}

TEST(FieldBuild, TheKindOfAChangeEqualsALookAtEveryCell) {
    int kinds[5] = {};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Scene scene = randomScene(seed, {.elevation = seed % 2 == 0, .layers = seed % 3 == 0, .walls = seed % 5 == 0, .large_units = seed % 4 == 0});
        SCOPED_TRACE(scene.name);
        Rng rng(seed * 7);
        Query query;
        FieldRequest request{.goal = Goal::point(scene.standingAt(scene.anyCell(rng))), .constraints = scene.wishes, .side = scene.side};
        FieldBasis basis;
        for (int edit = 0; edit < 6; ++edit) {
            const WorldSnapshot snapshot = scene.world->snapshot();
            auto made = std::make_shared<FieldResult>();
            query.buildField(snapshot, request, basis, *made);
            if (made->field != nullptr && basis.result != nullptr && basis.result->field != nullptr) {
                ASSERT_EQ(made->change, changeCellByCell(*basis.result->field, *made->field));
                ++kinds[static_cast<int>(made->change)];
            }
            basis = {made, snapshot};
            editAtRandom(*scene.world, rng, seed % 2 == 0);
            if (rng.below(3) == 0) scene.world->edit([&](WorldEdit& e) { e.setCongestion(scene.anyCell(rng), 5.0f); });
            if (rng.below(3) == 0) scene.world->edit([&](WorldEdit& e) { e.clearCongestion(); });
        }
    }
    EXPECT_GT(kinds[static_cast<int>(FieldChange::Blocked)], 10);
    EXPECT_GT(kinds[static_cast<int>(FieldChange::Dearer)], 10);
    EXPECT_GT(kinds[static_cast<int>(FieldChange::MayImprove)], 10);
}

}  // namespace
}  // namespace warpath
