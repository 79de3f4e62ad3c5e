#include "warpath/grid/tile_store.h"

#include <gtest/gtest.h>

#include "warpath/world/world.h"

namespace warpath {
namespace {

Metric metricOfSize(std::uint8_t size) {
    Metric metric;
    metric.profile.size = size;
    return metric;
}

TEST(TileStore, a_registered_metric_has_its_regions_before_the_first_query) {
    World world({.width = 200, .height = 200});
    TileStore store;
    ASSERT_FALSE(store.registerMetric(metricOfSize(2)));
    store.prepare(world.snapshot());
    const auto prepared = store.regions(world.snapshot(), metricOfSize(2).profile);
    EXPECT_EQ(prepared, store.regions(world.snapshot(), metricOfSize(2).profile)) << "the table is kept";
    const WorldSnapshot edited = world.edit([](WorldEdit& e) { e.placeObstacle({100, 0, 1, 200}, ObstacleKind::Wall, 2.0f); }).snapshot;
    store.prepare(edited);
    const auto repaired = store.regions(edited, metricOfSize(2).profile);
    EXPECT_NE(repaired->regionAt(10, 10), repaired->regionAt(150, 10));
    EXPECT_EQ(prepared->regionAt(10, 10), prepared->regionAt(150, 10)) << "who holds the older table still sees the older world";
}

TEST(TileStore, metrics_are_registered_once_and_up_to_the_limit) {
    TileStore store;
    for (std::size_t i = 0; i < TileStore::kMaxMetrics; ++i) {
        Metric metric;
        metric.terrain_weight = static_cast<std::uint16_t>(100 + i);
        ASSERT_FALSE(store.registerMetric(metric));
        ASSERT_FALSE(store.registerMetric(metric)) << "again is no error";
    }
    EXPECT_EQ(store.registeredMetrics().size(), TileStore::kMaxMetrics);
    const auto error = store.registerMetric(metricOfSize(3));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->field, "metrics");
    EXPECT_EQ(store.registeredMetrics().size(), TileStore::kMaxMetrics) << "nothing held is lost";
}

TEST(TileStore, a_metric_stays_registered_until_its_last_owner_takes_it_off) {
    TileStore store;
    ASSERT_FALSE(store.registerMetric(metricOfSize(2)));
    ASSERT_FALSE(store.registerMetric(metricOfSize(2)));
    EXPECT_TRUE(store.unregisterMetric(metricOfSize(2)));
    EXPECT_EQ(store.registeredMetrics().size(), 1u);
    EXPECT_TRUE(store.unregisterMetric(metricOfSize(2)));
    EXPECT_TRUE(store.registeredMetrics().empty());
    EXPECT_FALSE(store.unregisterMetric(metricOfSize(2)));
}

}  // namespace
}  // namespace warpath
