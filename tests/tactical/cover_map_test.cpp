#include "warpath/tactical/cover_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "support/cover_twin.h"
#include "warpath/core/directions.h"
#include "warpath/core/rng.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

TEST(CoverMap, TellsWhatProtectsAgainstWhat) {
    World world({.width = 100, .height = 100, .origin = {-50, -50}});
    world.edit([](WorldEdit& e) { e.placeObstacle(Cell{0, -1}, ObstacleKind::Wall, 1.0f); });
    const CoverMap covers(std::make_shared<TileStore>());
    const CoverInfo info = covers.getCover(world.snapshot(), {0.5f, 0.5f});
    EXPECT_TRUE(info.has_cover);
    EXPECT_FLOAT_EQ(info.height, 0.5f);
    EXPECT_EQ(info.directions, 1u << 6);
    EXPECT_EQ(info.kind, ObstacleKind::Wall);
    EXPECT_FLOAT_EQ(info.exposure, 1.0f);
    EXPECT_FALSE(covers.getCover(world.snapshot(), {30.5f, 30.5f}).has_cover);
    EXPECT_FLOAT_EQ(covers.getCover(world.snapshot(), {30.5f, 30.5f}).exposure, 1.0f);
    EXPECT_FALSE(covers.getCover(world.snapshot(), {300.0f, 0.0f}).has_cover);
    world.edit([](WorldEdit& e) { e.removeObstacle({0, -1, 1, 1}); });
    EXPECT_FALSE(covers.getCover(world.snapshot(), {0.5f, 0.5f}).has_cover) << "an edit shows at once";
}

TEST(CoverMap, CoverFacesAThreatWithinFortyFiveDegrees) {
    const CoverFacing north({0.0f, -3.0f});
    EXPECT_TRUE(north.facedBy(1u << 6));
    EXPECT_FALSE(north.facedBy(1u << 7));
    EXPECT_FALSE(north.facedBy(1u << 5));
    EXPECT_FALSE(north.facedBy(0));
    EXPECT_FALSE(north.facedBy((1u << 5) | (1u << 7))) << "the gap between two obstacles lies open";
    const CoverFacing north_north_east({1.0f, -2.0f});
    EXPECT_TRUE(north_north_east.facedBy(1u << 6));
    EXPECT_TRUE(north_north_east.facedBy(1u << 7));
    EXPECT_FALSE(north_north_east.facedBy(static_cast<std::uint8_t>(~((1u << 6) | (1u << 7)))));
    const CoverFacing north_east({1.0f, -1.0f});
    EXPECT_TRUE(north_east.facedBy(1u << 7));
    EXPECT_FALSE(north_east.facedBy(1u << 6));
    EXPECT_TRUE(north_east.facedBy((1u << 6) | (1u << 0))) << "in the corner of two walls";
    EXPECT_FALSE(CoverFacing({std::numeric_limits<float>::quiet_NaN(), 1.0f}).facedBy(0x0f));
    EXPECT_TRUE(CoverFacing({}).facedBy(1u << 3));
    EXPECT_FALSE(CoverFacing({}).facedBy(0));
}

TEST(CoverMap, CandidatesAreTheFreeCellsThatFaceTheThreatNearestFirst) {
    const CoverMap covers(std::make_shared<TileStore>());
    std::vector<CoverCandidate> found;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE(seed);
        Rng rng(seed);
        World world({.width = 160, .height = 140, .origin = {-20, 7}});
        world.edit([&](WorldEdit& e) {
            for (int k = 0; k < 150; ++k) {
                const int x = static_cast<int>(rng.below(160)) - 20;
                const int y = static_cast<int>(rng.below(140)) + 7;
                e.placeObstacle(Cell{x, y}, ObstacleKind::Rock, static_cast<float>(rng.below(30)) / 10.0f);
            }
        });
        const WorldSnapshot s = world.snapshot();
        CoverSearch search;
        search.from = {static_cast<float>(rng.below(150)) - 19.3f, static_cast<float>(rng.below(130)) + 8.1f};
        search.threat_direction = {static_cast<float>(rng.below(9)) - 4.0f, static_cast<float>(rng.below(9)) - 4.0f};
        search.max_distance = static_cast<float>(rng.below(500)) / 10.0f;
        covers.candidates(s, search, found);
        std::size_t expected = 0;
        const CoverFacing facing(search.threat_direction);
        const Cell from = cellAt(search.from);
        for (int y = 7; y < 147; ++y) {
            for (int x = -20; x < 140; ++x) {
                if (obstacleKind(s.obstacleAt({x, y})) != ObstacleKind::None) continue;
                const int squared = (x - from.x) * (x - from.x) + (y - from.y) * (y - from.y);
                if (std::sqrt(static_cast<double>(squared)) > static_cast<double>(search.max_distance)) continue;
                const unsigned directions = twin::coverAt(s, {x, y}).directions;
                if (directions == 0 || !facing.facedBy(static_cast<std::uint8_t>(directions))) continue;
                ++expected;
            }
        }
        EXPECT_EQ(found.size(), expected);
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_TRUE(covers.getCover(s, centreOf(found[i].cell)).has_cover);
            if (i > 0) { EXPECT_LE(found[i - 1].distance_squared, found[i].distance_squared); }
        }
    }
}

TEST(CoverMap, RefusesWhatItCannotUse) {
    World world({.width = 64, .height = 64});
    const CoverMap covers(std::make_shared<TileStore>());
    std::vector<CoverCandidate> found{{{1, 1}, 3}};
    covers.candidates(world.snapshot(), {.from = {-5.0f, 3.0f}}, found);
    EXPECT_TRUE(found.empty());
    covers.candidates(world.snapshot(), {.from = {5.0f, 3.0f}, .threat_direction = {std::numeric_limits<float>::quiet_NaN(), 0.0f}}, found);
    EXPECT_TRUE(found.empty());
    EXPECT_EQ(covers.getCover(world.snapshot(), {std::numeric_limits<float>::infinity(), 0.0f}).directions, 0);
}

}  // namespace
}  // namespace warpath
