#include "warpath/tactical/sight.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/sight_twin.h"
#include "warpath/core/rng.h"
#include "warpath/world/world.h"

namespace warpath {
namespace {

/// A world from rows of letters: '#' a wall of 3 m, 'w' a wall of 1 m.
WorldSnapshot draw(const std::vector<std::string>& rows) {
    World world({.width = static_cast<std::int32_t>(rows[0].size()), .height = static_cast<std::int32_t>(rows.size())});
    world.edit([&](WorldEdit& e) {
        for (std::size_t y = 0; y < rows.size(); ++y) {
            for (std::size_t x = 0; x < rows[y].size(); ++x) {
                const Cell c{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)};
                if (rows[y][x] == '#') e.placeObstacle(c, ObstacleKind::Wall, 3.0f);
                if (rows[y][x] == 'w') e.placeObstacle(c, ObstacleKind::Wall, 1.0f);
            }
        }
    });
    return world.snapshot();
}

TEST(Sight, WallsHideAndLowWallsDoNot) {
    const WorldSnapshot s = draw({"......", "..#...", "......", "..w...", "......"});
    EXPECT_FALSE(lineOfSight(s, {0, 1}, {5, 1}, {}));
    EXPECT_TRUE(lineOfSight(s, {0, 3}, {5, 3}, {}));
    EXPECT_FALSE(lineOfSight(s, {0, 3}, {5, 3}, {.eye = 0.5f, .target = 0.5f}));
    EXPECT_TRUE(lineOfSight(s, {0, 1}, {2, 1}, {})) << "the wall itself is seen";
    EXPECT_TRUE(lineOfSight(s, {2, 1}, {5, 1}, {})) << "who stands on a wall sees out";
    const std::vector<Cell> targets{{5, 1}, {2, 1}, {5, 3}, {0, 1}};
    std::vector<std::uint8_t> visible;
    linesOfSight(s, {0, 1}, targets, {}, visible);
    EXPECT_EQ(visible, (std::vector<std::uint8_t>{0, 1, 1, 1}));
}

TEST(Sight, DiagonalWallsHaveNoGaps) {
    const WorldSnapshot s = draw({"....#", "...#.", "..#..", ".#...", "#...."});
    for (int y = 0; y < 5; ++y) {
        for (int x = 0; x < 4 - y; ++x) {
            for (int v = 0; v < 5; ++v) {
                for (int u = 5 - v; u < 5; ++u) EXPECT_FALSE(lineOfSight(s, {x, y}, {u, v}, {})) << x << ',' << y << " to " << u << ',' << v;
            }
        }
    }
}

TEST(Sight, ALineMayGrazeACorner) {
    const WorldSnapshot s = draw({"..", "#.", "..", ".."});
    EXPECT_TRUE(lineOfSight(s, {0, 0}, {1, 1}, {}));
    const WorldSnapshot closed = draw({".#", "#."});
    EXPECT_FALSE(lineOfSight(closed, {0, 0}, {1, 1}, {}));
}

TEST(Sight, HillsHideTheValleyBehindThem) {
    World world({.width = 40, .height = 8});
    world.edit([](WorldEdit& e) { e.setElevation({18, 0, 3, 8}, 10.0f); });
    const WorldSnapshot s = world.snapshot();
    EXPECT_FALSE(lineOfSight(s, {2, 4}, {38, 4}, {}));
    EXPECT_TRUE(lineOfSight(s, {19, 4}, {38, 4}, {.eye = 20.0f}));
    EXPECT_TRUE(lineOfSight(s, {2, 4}, {18, 4}, {})) << "the slope that faces the observer is seen";
    EXPECT_FALSE(lineOfSight(s, {2, 4}, {22, 4}, {.eye = 1.7f, .target = 9.0f}));
}

std::unique_ptr<World> randomWorld(std::uint64_t seed, int width, int height, std::uint32_t percent_walls, bool hills) {
    Rng rng(seed);
    auto world = std::make_unique<World>(WorldConfig{.width = width, .height = height, .origin = {-17, 5}});
    world->edit([&](WorldEdit& e) {
        if (hills) {
            std::vector<float> heights(static_cast<std::size_t>(width * height));
            for (float& h : heights) h = static_cast<float>(rng.below(300)) / 100.0f;
            e.setElevation({-17, 5, width, height}, heights);
        }
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                if (!rng.percent(percent_walls)) continue;
                e.placeObstacle(Cell{x - 17, y + 5}, ObstacleKind::Rock, static_cast<float>(rng.below(400)) / 100.0f);
            }
        }
    });
    return world;
}

TEST(Sight, LinesEqualTheTwinAndAreSymmetric) {
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        SCOPED_TRACE(seed);
        const auto world = randomWorld(seed, 70, 66, 2 + static_cast<std::uint32_t>(seed % 5) * 6, seed % 2 == 0);
        const WorldSnapshot s = world->snapshot();
        Rng rng(seed + 1000);
        for (int k = 0; k < 3000; ++k) {
            const int ax = static_cast<int>(rng.below(76)) - 20;
            const int ay = static_cast<int>(rng.below(72)) + 2;
            const int reach = k % 2 == 0 ? 70 : 9;
            const int bx = ax - reach / 2 + static_cast<int>(rng.below(static_cast<std::uint32_t>(reach)));
            const int by = ay - reach / 2 + static_cast<int>(rng.below(static_cast<std::uint32_t>(reach)));
            const int eye = static_cast<int>(rng.below(300));
            const int target = k % 3 == 0 ? eye : static_cast<int>(rng.below(300));
            const SightHeights there{static_cast<float>(eye) / 100.0f, static_cast<float>(target) / 100.0f};
            const SightHeights back{there.target, there.eye};
            const bool expected = twin::lineOfSight(s, {ax, ay}, {bx, by}, eye, target);
            ASSERT_EQ(lineOfSight(s, {ax, ay}, {bx, by}, there), expected) << ax << ',' << ay << " to " << bx << ',' << by;
            ASSERT_EQ(lineOfSight(s, {bx, by}, {ax, ay}, back), expected) << ax << ',' << ay << " to " << bx << ',' << by;
        }
    }
}

TEST(Sight, FieldsOfViewEqualSingleLines) {
    SightScratch scratch;
    FieldOfView view;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(seed);
        const auto world = randomWorld(seed, 130, 100, static_cast<std::uint32_t>(seed % 7) * 4, seed % 4 == 0);
        const WorldSnapshot s = world->snapshot();
        Rng rng(seed + 77);
        for (int k = 0; k < 4; ++k) {
            const int x = static_cast<int>(rng.below(140)) - 22;
            const int y = static_cast<int>(rng.below(110));
            const int radius = k == 0 ? static_cast<int>(rng.below(5)) : static_cast<int>(rng.below(80));
            const SightHeights heights{1.7f, k == 3 ? 0.6f : 1.7f};
            fieldOfView(s, {x, y}, radius, heights, scratch, view);
            for (int cy = y - radius - 1; cy <= y + radius + 1; ++cy) {
                for (int cx = x - radius - 1; cx <= x + radius + 1; ++cx) {
                    const bool near = (cx - x) * (cx - x) + (cy - y) * (cy - y) <= radius * radius && s.contains({cx, cy});
                    ASSERT_EQ(view.sees({cx, cy}), near && lineOfSight(s, {x, y}, {cx, cy}, heights)) << x << ',' << y << " to " << cx << ',' << cy;
                }
            }
        }
    }
}

TEST(Sight, ViewsFarBeyondTheMapEqualSingleLines) {
    for (const bool hills : {false, true}) {
        const auto world = randomWorld(hills ? 8 : 9, 140, 90, 2, hills);
        const WorldSnapshot s = world->snapshot();
        SightScratch scratch;
        FieldOfView view;
        for (const Cell from : {Cell{-17, 5}, Cell{60, 50}, Cell{122, 94}, Cell{-60, 40}, Cell{30, -80}}) {
            fieldOfView(s, from, 300, {}, scratch, view);
            for (int y = 5; y < 95; y += 2) {
                for (int x = -17; x < 123; ++x) {
                    const Cell to{x, y};
                    const bool near = (x - from.x) * (x - from.x) + (y - from.y) * (y - from.y) <= 300 * 300;
                    ASSERT_EQ(view.sees(to), near && lineOfSight(s, from, to, {})) << from.x << ',' << from.y << " to " << x << ',' << y;
                }
            }
            EXPECT_FALSE(view.sees({-18, 20}));
            EXPECT_FALSE(view.sees({0, 4}));
            EXPECT_FALSE(view.sees({0, 95}));
            EXPECT_EQ(view.row(-300).size(), view.row(0).size());
        }
    }
}

TEST(Sight, AddedWallsNeverOpenALine) {
    SightScratch scratch;
    FieldOfView before, after;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        const auto world = randomWorld(seed, 100, 100, 5, seed % 3 == 0);
        Rng rng(seed);
        fieldOfView(world->snapshot(), {30, 50}, 45, {}, scratch, before);
        for (int k = 0; k < 10; ++k) {
            const int x = static_cast<int>(rng.below(90)) - 10;
            const int y = static_cast<int>(rng.below(90)) + 8;
            world->edit([&](WorldEdit& e) {
                const Cell c{x, y};
                if (obstacleHeightCm(world->snapshot().obstacleAt(c)) < 300) e.placeObstacle(c, ObstacleKind::Wall, 3.0f);
            });
            fieldOfView(world->snapshot(), {30, 50}, 45, {}, scratch, after);
            for (int dy = -45; dy <= 45; ++dy) {
                for (int w = 0; w < after.words(); ++w) {
                    const auto i = static_cast<std::size_t>(w);
                    ASSERT_EQ(after.row(dy)[i] & ~before.row(dy)[i], 0u);
                }
            }
            std::swap(before, after);
        }
    }
}

}  // namespace
}  // namespace warpath
