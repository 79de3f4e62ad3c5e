#include "module/route_keeper.h"

#include <gtest/gtest.h>

#include "module/stage.h"
#include "warpath/pathfinder/query.h"

namespace warpath::module_detail {
namespace {

/// A small world, a keeper and what it has told.
struct Keeping {
    std::shared_ptr<World> world = test::smallWorld();
    std::shared_ptr<TileStore> tiles = std::make_shared<TileStore>();
    RouteKeeper keeper{tiles};
    std::vector<ToldRoute> told;
    std::uint64_t answers = 0;

    /// An answer to the request "1" with a route along a row.
    void answer(float row, RouteTerms terms = {}) {
        const WorldSnapshot now = world->snapshot();
        terms.world_id = now.state().world_id;
        ServiceAnswer answer;
        answer.ticket = static_cast<RequestTicket>(++answers);
        answer.status = Query(tiles).findPath(now, {.from = {2.5f, row}, .goal = Goal::point({12.5f, row})}, answer.paths.emplace_back());
        ASSERT_EQ(answer.status, PathStatus::Found);
        keeper.remember("1", terms, answer);
    }
    RouteKeeper::Outcome watch() { return keeper.watch(world->snapshot(), {.subscription = "2", .target = "1"}, told); }
    std::size_t toldAfterARockAt(int x, int y) {
        told.clear();
        world->edit([&](WorldEdit& e) { e.placeObstacle({x, y}, ObstacleKind::Rock, 2.0f); });
        keeper.changed(world->snapshot(), told);
        return told.size();
    }
};

TEST(RouteKeeper, ARefusedSubscriptionLeavesTheOlderRouteOfTheIdWatched) {
    Keeping k;
    k.answer(10.5f);
    ASSERT_EQ(k.watch().status, PathStatus::Found);
    RouteTerms wrong;
    wrong.constraints.threat_weight = 1e6f;
    k.answer(20.5f, wrong);
    EXPECT_EQ(k.watch().error.field, "threat_weight");
    RouteTerms sideless;
    sideless.side = -1;
    k.answer(20.5f, sideless);
    EXPECT_EQ(k.watch().error.field, "target_id");
    EXPECT_EQ(k.keeper.watchedCount(), 1u);
    EXPECT_EQ(k.toldAfterARockAt(7, 10), 1u);

    k.answer(20.5f);
    ASSERT_EQ(k.watch().status, PathStatus::Found);
    EXPECT_EQ(k.keeper.watchedCount(), 1u);
    EXPECT_EQ(k.toldAfterARockAt(9, 10), 0u);
    EXPECT_EQ(k.toldAfterARockAt(7, 20), 1u);
}

}  // namespace
}  // namespace warpath::module_detail
