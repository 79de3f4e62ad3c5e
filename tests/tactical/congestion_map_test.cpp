#include "warpath/tactical/congestion_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/ascii_world.h"
#include "support/drawn_map.h"
#include "support/scenes.h"
#include "warpath/core/rng.h"
#include "warpath/flow/flow_builder.h"
#include "warpath/pathfinder/query.h"

namespace warpath {
namespace {

std::uint16_t priceAt(const World& world, Cell c) {
    const WorldSnapshot now = world.snapshot();
    const Cell at{c.x - now.origin().x, c.y - now.origin().y};
    const CongestionChunk* chunk = now.congestion({at.x >> kChunkShift, at.y >> kChunkShift});
    return chunk != nullptr ? chunk->value[static_cast<std::size_t>(localIndex(at.x, at.y))] : std::uint16_t{0};
}

std::size_t publish(CongestionMap& crowd, World& world, std::span<const CrowdUnit> units) {
    EXPECT_FALSE(crowd.update(units));
    std::size_t written = 0;
    const WorldSnapshot before = world.snapshot();
    EXPECT_FALSE(world.edit([&](WorldEdit& e) { written = crowd.publish(before, e); }).error);
    return written;
}

std::vector<CrowdUnit> crowdAround(Position centre, int count, std::uint64_t seed, float reach = 4.0f) {
    Rng rng(seed);
    std::vector<CrowdUnit> units;
    for (int i = 0; i < count; ++i) {
        const float x = static_cast<float>(rng.below(2001)) / 1000.0f - 1.0f, y = static_cast<float>(rng.below(2001)) / 1000.0f - 1.0f;
        units.push_back({{centre.x + reach * x, centre.y + reach * y}, 0.5f});
    }
    return units;
}

TEST(CongestionMap, AUnitAloneHindersNobodyAndACrowdDoes) {
    World world({.width = 64, .height = 64, .origin = {-32, -32}, .has_cover = false});
    CongestionMap crowd({.weight = 4.0f});
    const CrowdUnit alone{{0.3f, -0.7f}, 0.5f};
    EXPECT_EQ(publish(crowd, world, std::span(&alone, 1)), 0u);
    EXPECT_EQ(world.snapshot().state().congested_chunks, 0u);
    publish(crowd, world, crowdAround({0, 0}, 60, 1));
    EXPECT_GT(priceAt(world, {0, 0}), 100);
    EXPECT_EQ(priceAt(world, {20, 20}), 0);
}

TEST(CongestionMap, TheSumOfAllDensitiesIsTheGroundThatUnitsCover) {
    World world({.width = 128, .height = 128, .origin = {-64, -64}, .has_cover = false});
    // Over the corner of four chunks; all of the density is priced, at 1.
    CongestionMap crowd({.weight = 1.0f, .free_density = 0.0f, .least_change = 0.0f});
    const std::vector<CrowdUnit> units(100, {{0.2f, -0.4f}, 1.5f});
    EXPECT_EQ(publish(crowd, world, units), 4u);
    double sum = 0.0;
    for (int y = -10; y < 10; ++y) {
        for (int x = -10; x < 10; ++x) sum += priceAt(world, {x, y}) / 100.0;
    }
    EXPECT_NEAR(sum, 100.0 * 3.14159 * 1.5 * 1.5, 2.0);
}

TEST(CongestionMap, TheOrderOfUnitsAndWhatWasBeforeDoNotMatter) {
    World one({.width = 200, .height = 200, .has_cover = false}), other({.width = 200, .height = 200, .has_cover = false});
    CongestionMap a({.weight = 3.0f, .least_change = 0.0f}), b({.weight = 3.0f, .least_change = 0.0f});
    std::vector<CrowdUnit> units = crowdAround({70, 70}, 400, 7, 40.0f);
    publish(a, one, crowdAround({150, 30}, 100, 3));
    publish(a, one, units);
    std::reverse(units.begin(), units.end());
    publish(b, other, units);
    for (int y = 0; y < 200; ++y) {
        for (int x = 0; x < 200; ++x) ASSERT_EQ(priceAt(one, {x, y}), priceAt(other, {x, y}));
    }
    EXPECT_EQ(one.snapshot().state().congested_chunks, other.snapshot().state().congested_chunks);
}

TEST(CongestionMap, OnlyChunksThatChangeNoticeablyAreWritten) {
    World world({.width = 256, .height = 64, .has_cover = false});
    CongestionMap crowd({.weight = 4.0f});
    std::vector<CrowdUnit> units = crowdAround({32, 32}, 80, 1);
    const std::vector<CrowdUnit> far = crowdAround({220, 32}, 80, 2);
    units.insert(units.end(), far.begin(), far.end());
    EXPECT_EQ(publish(crowd, world, units), 2u);
    const std::uint64_t left = world.snapshot().congestion({0, 0})->revision, right = world.snapshot().congestion({3, 0})->revision;
    EXPECT_EQ(publish(crowd, world, units), 0u);
    units[100].position.x += 0.1f;
    EXPECT_EQ(publish(crowd, world, units), 0u) << "a step of one of them does not exist for any reader";
    for (std::size_t i = 80; i < 160; ++i) units[i].position.x -= 5.0f;
    EXPECT_EQ(publish(crowd, world, units), 1u);
    EXPECT_EQ(world.snapshot().congestion({0, 0})->revision, left);
    EXPECT_GT(world.snapshot().congestion({3, 0})->revision, right);
    EXPECT_EQ(publish(crowd, world, {}), 2u);
    EXPECT_EQ(world.snapshot().state().congested_chunks, 0u);
}

TEST(CongestionMap, WithoutAWeightNothingIsPriced) {
    World world({.width = 64, .height = 64, .has_cover = false});
    const std::uint64_t before = world.snapshot().revision();
    CongestionMap crowd;
    publish(crowd, world, crowdAround({32, 32}, 500, 1));
    EXPECT_EQ(world.snapshot().revision(), before);
}

TEST(CongestionMap, BadUnitsAndSettingsAreNamed) {
    CongestionMap crowd;
    const CrowdUnit good;
    ASSERT_FALSE(crowd.update(std::span(&good, 1)));
    std::vector<CrowdUnit> units(3);
    units[2].radius = 0.05f;
    EXPECT_EQ(crowd.update(units)->field, "units[2].radius");
    units[1].position.x = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(crowd.update(units)->field, "units[1].position");
    EXPECT_EQ(crowd.units().size(), 1u);
    EXPECT_EQ(CongestionConfig{.weight = 65.0f}.validate()->field, "weight");
    EXPECT_EQ(CongestionConfig{.free_density = -1.0f}.validate()->field, "free_density");
    EXPECT_FALSE(CongestionConfig{}.validate());
}

/// Two gaps in a wall that splits the map, the northern one nearer.
struct TwoGaps {
    World world{WorldConfig{.width = 640, .height = 128, .has_cover = false}};
    const Position from{20.5f, 40.5f}, to{600.5f, 40.5f};
    TwoGaps() {
        world.edit([](WorldEdit& e) {
            e.placeObstacle({320, 0, 8, 128}, ObstacleKind::Wall, 3.0f);
            e.removeObstacle({320, 38, 8, 6});
            e.removeObstacle({320, 80, 8, 6});
        });
    }
    void crowdInTheNearerGap() {
        CongestionMap crowd({.weight = 10.0f});
        publish(crowd, world, crowdAround({324.0f, 41.0f}, 400, 5, 6.0f));
    }
    /// Row at which a route passes the wall.
    int gapOf(PathAlgorithm algorithm) {
        Query query;
        Path path;
        PathRequest request{.from = from, .goal = Goal::point(to), .constraints = plainDistance(), .algorithm = algorithm};
        request.detail = PathDetail::Cells;
        EXPECT_EQ(query.findPath(world.snapshot(), request, path), PathStatus::Found);
        for (const Waypoint& w : path.waypoints) {
            if (w.position.x >= 323.0f) return static_cast<int>(w.position.y) < 60 ? 38 : 80;
        }
        return -1;
    }
};

TEST(CongestionMap, ACrowdedCorridorMakesTheNextUnitTakeTheOtherWayWhateverTheAlgorithm) {
    for (const PathAlgorithm algorithm : {PathAlgorithm::AStar, PathAlgorithm::Hierarchical, PathAlgorithm::FlowField, PathAlgorithm::Auto}) {
        TwoGaps map;
        EXPECT_EQ(map.gapOf(algorithm), 38);
        map.crowdInTheNearerGap();
        EXPECT_EQ(map.gapOf(algorithm), 80) << static_cast<int>(algorithm);
    }
}

TEST(CongestionMap, AFieldIsRepairedWhenTheCrowdMovesAndEqualsANewOne) {
    TwoGaps map;
    const auto resolved = std::get<ResolvedConstraints>(resolve(plainDistance(), map.world.snapshot().rules()));
    FlowRequest request;
    request.key = {resolved.metric, resolved.threat_weight, 0};
    request.goals = {cellAt(map.to)};
    FlowBuilder builder;
    const auto store = std::make_shared<TileStore>();
    const auto before = builder.build(map.world.snapshot(), request, store).field;
    map.crowdInTheNearerGap();
    EXPECT_FALSE(before->isCurrent(map.world.snapshot()));
    const auto repaired = builder.repair(before, request, map.world.snapshot(), store).field;
    const auto fresh = builder.build(map.world.snapshot(), request, store).field;
    for (int y = 0; y < 128; ++y) {
        for (int x = 0; x < 640; ++x) {
            ASSERT_EQ(repaired->byteAt({x, y}), fresh->byteAt({x, y}));
            ASSERT_EQ(repaired->distance({x, y}), fresh->distance({x, y}));
        }
    }
}

}  // namespace
}  // namespace warpath
