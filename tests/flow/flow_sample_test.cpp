#include "warpath/flow/flow_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "support/drawn_map.h"
#include "support/flow_fields.h"
#include "support/scenes.h"
#include "warpath/flow/fast_marching.h"
#include "warpath/flow/flow_builder.h"

namespace warpath {
namespace {

std::shared_ptr<const FlowField> fieldTo(const WorldSnapshot& now, Cell goal, const PathConstraints& wishes = walker(), CellRect area = {}, int straight_radius = 0) {
    FlowBuilder builder;
    FlowRequest request;
    request.key = flowKey(wishes, now);
    request.goals = {goal};
    request.area = area;
    request.straight_radius = straight_radius;
    return builder.build(now, request, std::make_shared<TileStore>()).field;
}

std::shared_ptr<const FlowField> anyAngleTo(const WorldSnapshot& now, Cell goal, const PathConstraints& wishes) {
    FastMarching marching;
    FlowRequest request;
    request.key = flowKey(wishes, now);
    request.goals = {goal};
    return marching.build(now, request, std::make_shared<TileStore>(), MarchOrder::Second).field;
}

float lengthOf(Vec2 v) { return std::sqrt(v.x * v.x + v.y * v.y); }

/// Walks a unit until it arrives; the number of samples, or -1.
int walk(const FlowField& field, Position p, float step, int limit, int smooth_radius = 0) {
    for (int i = 0; i < limit; ++i) {
        const FlowSample s = sampleFlow(field, p, {.step = step, .smooth_radius = smooth_radius});
        if (s.state == FlowSampleState::Goal) return i;
        if (lengthOf(s.direction) < 0.99f) return -1;
        p = {p.x + s.direction.x * step, p.y + s.direction.y * step};
    }
    return -1;
}

TEST(FlowSample, IsZeroInTheGoalCellAndNowhereElseOnTheWay) {
    const AsciiWorld drawn = asciiWorld("........\n"
                                        "........\n"
                                        "....G...\n"
                                        "........\n",
                                        {-5, -3});
    const auto field = fieldTo(drawn.snapshot(), *drawn.g);
    for (float y = -2.95f; y < 1.0f; y += 0.1f) {
        for (float x = -4.95f; x < 3.0f; x += 0.1f) {
            const FlowSample s = sampleFlow(*field, {x, y});
            if (cellAt({x, y}) == *drawn.g) {
                EXPECT_EQ(s.direction, Vec2{});
                EXPECT_EQ(s.state, FlowSampleState::Goal);
            } else {
                EXPECT_NEAR(lengthOf(s.direction), 1.0f, 1e-4f) << x << "," << y;
            }
        }
    }
}

TEST(FlowSample, ArrowsStandAtCellCentres) {
    const AsciiWorld drawn = asciiWorld(".............\n"
                                        ".............\n"
                                        ".............\n"
                                        "............G\n",
                                        {-6, -2});
    const auto field = fieldTo(drawn.snapshot(), *drawn.g);
    // In the middle of a cell the sample is the cell's arrow alone.
    EXPECT_EQ(sampleFlow(*field, centreOf({-3, -1})).direction, field->vector({-3, -1}));
    // Half way between an eastward and a diagonal arrow it is half of each.
    const Vec2 a = field->vector({4, 0}), b = field->vector({5, 0});
    ASSERT_NE(a, b);
    const FlowSample s = sampleFlow(*field, {5.0f, 0.5f});
    EXPECT_EQ(s.state, FlowSampleState::Blended);
    EXPECT_NEAR(s.direction.y / s.direction.x, (a.y + b.y) / (a.x + b.x), 1e-4f);
}

TEST(FlowSample, IsContinuousAcrossTheSeamsOfTiles) {
    World world({.width = 200, .height = 200, .origin = {-100, -100}, .has_cover = false});
    const auto field = fieldTo(world.snapshot(), {-90, 37}, plainDistance());
    for (const float seam : {-36.0f, 28.0f}) {
        for (float along = -80.0f; along < 80.0f; along += 1.7f) {
            for (const bool turned : {false, true}) {
                const Position before = turned ? Position{along, seam - 1e-3f} : Position{seam - 1e-3f, along};
                const Position after = turned ? Position{along, seam + 1e-3f} : Position{seam + 1e-3f, along};
                const FlowSample a = sampleFlow(*field, before), b = sampleFlow(*field, after);
                if (a.state == FlowSampleState::Blended && b.state == FlowSampleState::Blended) {
                    EXPECT_NEAR(a.direction.x, b.direction.x, 0.02f) << seam << " " << along;
                    EXPECT_NEAR(a.direction.y, b.direction.y, 0.02f) << seam << " " << along;
                }
            }
        }
    }
}

TEST(FlowSample, UnitsInWallsAndOffTheFieldAreLedBack) {
    const AsciiWorld drawn = asciiWorld("....#...\n"
                                        "...###..\n"
                                        "..#####.\n"
                                        "...###.G\n"
                                        "........\n",
                                        {-4, -4});
    const auto field = fieldTo(drawn.snapshot(), *drawn.g);
    const FlowSample in_wall = sampleFlow(*field, centreOf({-1, -2}));
    EXPECT_EQ(in_wall.state, FlowSampleState::Returning);
    EXPECT_GT(lengthOf(in_wall.direction), 0.99f);
    const FlowSample north = sampleFlow(*field, {-1.5f, -20.0f});
    EXPECT_EQ(north.state, FlowSampleState::Returning);
    EXPECT_GT(north.direction.y, 0.99f);
    const FlowSample far = sampleFlow(*field, {-3'000'000.0f, 2'000'000.0f});
    EXPECT_EQ(far.state, FlowSampleState::Returning);
    EXPECT_GT(far.direction.x, 0.5f);
    EXPECT_EQ(sampleFlow(*field, {std::numeric_limits<float>::quiet_NaN(), 0.0f}).state, FlowSampleState::Lost);
    EXPECT_EQ(sampleFlow(*field, {std::numeric_limits<float>::infinity(), 0.0f}).state, FlowSampleState::Lost);
}

TEST(FlowSample, UnitsBeyondALocalAreaHeadForIt) {
    World world({.width = 300, .height = 100, .has_cover = false});
    const auto field = fieldTo(world.snapshot(), {20, 20}, plainDistance(), {0, 0, 60, 60});
    ASSERT_EQ(field->area(), (CellRect{0, 0, 64, 64}));
    const FlowSample s = sampleFlow(*field, {200.0f, 30.5f});
    EXPECT_EQ(s.state, FlowSampleState::Returning);
    EXPECT_LT(s.direction.x, -0.99f);
    EXPECT_GE(walk(*field, {200.0f, 90.0f}, 0.2f, 3000), 0);
}

TEST(FlowSample, AUnitThatNoWayLeadsFromIsToldSo) {
    const AsciiWorld drawn = asciiWorld("..#G\n"
                                        "..#.\n");
    const auto field = fieldTo(drawn.snapshot(), *drawn.g);
    EXPECT_EQ(sampleFlow(*field, {0.5f, 0.5f}).state, FlowSampleState::Unreachable);
}

TEST(FlowSample, SmoothingTurnsStepsIntoSlantsAndLeavesWallsAlone) {
    World world({.width = 128, .height = 128, .has_cover = false});
    world.edit([](WorldEdit& e) { e.placeObstacle({60, 60, 8, 8}, ObstacleKind::Wall, 3.0f); });
    const auto field = fieldTo(world.snapshot(), {120, 30}, plainDistance());
    int mixed = 0;
    for (int x = 100; x < 118; ++x) {
        const FlowSample s = sampleFlow(*field, centreOf({x, 20}), {.smooth_radius = 3});
        if (s.state == FlowSampleState::Blended && std::abs(s.direction.y) > 0.05f && std::abs(s.direction.y) < 0.65f) ++mixed;
    }
    EXPECT_GT(mixed, 0);
    EXPECT_EQ(sampleFlow(*field, centreOf({59, 63}), {.smooth_radius = 3}).state, FlowSampleState::Plain);
    EXPECT_EQ(sampleFlow(*field, centreOf({0, 63}), {.smooth_radius = 3}).state, FlowSampleState::Plain);
}

// Random pushes, every size, arrows of both methods: no motion within the step's length leads from free ground into a wall or off the map, and nobody stops.
TEST(FlowSample, AMillionSamplesWithRandomPushesNeverEnterAWall) {
    std::uint64_t samples = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const int size = 1 + static_cast<int>(seed % 3);
        auto world = randomField(seed, 150, 130, static_cast<std::uint32_t>(5 + 10 * (seed % 4)));
        const WorldSnapshot now = world->snapshot();
        PathConstraints wishes = plainDistance();
        wishes.unit_radius = 0.5f * static_cast<float>(size);
        Rng rng(seed);
        const Cell goal{static_cast<int>(rng.below(150)), static_cast<int>(rng.below(130))};
        const auto field = seed % 4 == 3 ? anyAngleTo(now, goal, wishes) : fieldTo(now, goal, wishes, {}, seed % 4 == 2 ? 24 : 0);
        if (field == nullptr) continue;
        const float back = 0.5f * static_cast<float>(size - 1);
        for (int unit = 0; unit < 250; ++unit) {
            Position p = flowCentre({static_cast<int>(rng.below(150)), static_cast<int>(rng.below(130))}, size);
            for (int i = 0; i < 100; ++i) {
                const auto anchor = [&](Position at) { return cellAt({at.x - back, at.y - back}); };
                const FlowSample s = sampleFlow(*field, p);
                ++samples;
                if (s.state == FlowSampleState::Blended || s.state == FlowSampleState::Plain) {
                    ASSERT_NEAR(lengthOf(s.direction), 1.0f, 1e-3f);
                    for (const float share : {0.25f, 0.5f, 1.0f}) {
                        const Position to{p.x + s.direction.x * 0.25f * share, p.y + s.direction.y * 0.25f * share};
                        const std::uint8_t code = field->direction(anchor(to));
                        ASSERT_TRUE(code != kFlowWall && code != kFlowOutside) << "seed " << seed << " at " << p.x << "," << p.y;
                        const Cell a = anchor(p), b = anchor(to);
                        if (a.x != b.x && a.y != b.y) {
                            ASSERT_NE(field->direction({a.x, b.y}), kFlowWall);
                            ASSERT_NE(field->direction({b.x, a.y}), kFlowWall);
                        }
                    }
                }
                p = {p.x + s.direction.x * 0.25f, p.y + s.direction.y * 0.25f};
                // A push that may end anywhere, in walls and off the map too.
                if (rng.below(4) == 0) p = {p.x + (static_cast<float>(rng.below(2001)) - 1000.0f) / 700.0f, p.y + (static_cast<float>(rng.below(2001)) - 1000.0f) / 700.0f};
            }
        }
    }
    EXPECT_GT(samples, 900'000u);
}

/// The blend of four cells as the header says it, with nothing hurried; nothing where a rule for walls, edges or parting arrows applies.
std::optional<Vec2> slowBlend(const FlowField& field, Position p) {
    const float back = 0.5f * static_cast<float>(field.unitSize() - 1), x = p.x - back, y = p.y - back;
    const Cell low = cellAt({x - 0.5f, y - 0.5f});
    const float wx = x - 0.5f - static_cast<float>(low.x), wy = y - 0.5f - static_cast<float>(low.y);
    float bx = 0.0f, by = 0.0f;
    for (int k = 0; k < 4; ++k) {
        const Cell c{low.x + (k & 1), low.y + (k >> 1)};
        if ((field.byteAt(c) & kFlowOpen) == 0 || !isFlowArrow(field.direction(c))) return std::nullopt;
        const float w = ((k & 1) != 0 ? wx : 1.0f - wx) * ((k >> 1) != 0 ? wy : 1.0f - wy);
        bx += field.vector(c).x * w;
        by += field.vector(c).y * w;
    }
    const float length = std::sqrt(bx * bx + by * by);
    return length > 0.31f ? std::optional(Vec2{bx / length, by / length}) : std::nullopt;
}

TEST(FlowSample, OfManyPositionsEqualsOneByOneToTheBitAndTheSlowTwin) {
    FlowBuilder builder;
    FastMarching marching;
    const auto store = std::make_shared<TileStore>();
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        auto world = randomField(seed, 150, 130, static_cast<std::uint32_t>(4 * (seed % 4)));
        const WorldSnapshot now = world->snapshot();
        Rng rng(seed);
        PathConstraints wishes = plainDistance();
        wishes.unit_radius = seed % 3 == 0 ? 1.0f : 0.5f;
        FlowRequest request;
        request.key = flowKey(wishes, now);
        request.goals = {{static_cast<int>(rng.below(150)), static_cast<int>(rng.below(130))}};
        const auto field = (seed % 2 == 0 ? marching.build(now, request, store, MarchOrder::First) : builder.build(now, request, store)).field;
        if (field == nullptr) continue;
        std::vector<Position> positions(997);
        for (Position& p : positions) p = {static_cast<float>(rng.below(20'000)) / 100.0f - 25.0f, static_cast<float>(rng.below(18'000)) / 100.0f - 25.0f};
        positions[6].x = std::numeric_limits<float>::quiet_NaN();
        const FlowSampleOptions options{.smooth_radius = seed % 8 == 7 ? 2 : 0};
        std::vector<FlowSample> samples(positions.size());
        sampleFlow(*field, positions, samples, options);
        EXPECT_EQ(samples[6].state, FlowSampleState::Lost);
        for (std::size_t i = 0; i < positions.size(); ++i) {
            const FlowSample one = sampleFlow(*field, positions[i], options);
            ASSERT_EQ(one.state, samples[i].state);
            ASSERT_EQ(one.direction, samples[i].direction);
            if (i == 6 || options.smooth_radius != 0 || one.state != FlowSampleState::Blended) continue;
            if (const auto slow = slowBlend(*field, positions[i])) {
                ASSERT_NEAR(slow->x, one.direction.x, 1e-4f) << positions[i].x << "," << positions[i].y;
                ASSERT_NEAR(slow->y, one.direction.y, 1e-4f) << positions[i].x << "," << positions[i].y;
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 1500u);
}

TEST(FlowSample, WhoeverFollowsTheSamplesArrives) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        auto world = randomField(seed, 140, 100, static_cast<std::uint32_t>(10 * (seed % 4)));
        const WorldSnapshot now = world->snapshot();
        Rng rng(seed + 99);
        const auto field = fieldTo(now, {static_cast<int>(rng.below(140)), static_cast<int>(rng.below(100))}, plainDistance());
        for (int unit = 0; unit < 100; ++unit) {
            const Position p{static_cast<float>(rng.below(1400)) / 10.0f, static_cast<float>(rng.below(1000)) / 10.0f};
            if (!isFlowArrow(field->direction(cellAt(p)))) continue;
            const auto metres = static_cast<float>(costInMetres(field->distance(cellAt(p))));
            const int samples = walk(*field, p, 0.25f, static_cast<int>(metres * 4.0f * 2.5f) + 60);
            EXPECT_GE(samples, 0) << "seed " << seed << " from " << p.x << "," << p.y;
        }
    }
}

// Scenes in which units swung for ever between two ways: goals packed so closely that fast marching's gradients, and averages of arrows, belong to no way.
TEST(FlowSample, WhoeverFollowsVectorsBetweenManyGoalsArrives) {
    for (const std::uint64_t seed : {178, 448, 502, 558, 583, 700, 780, 875, 976, 1332, 2757}) {
        Rng rng(seed);
        const auto world = randomField(seed, 100, 90, rng.below(30));
        const WorldSnapshot now = world->snapshot();
        FlowRequest request;
        request.key = flowKey(rng.percent(50) ? plainDistance() : walker(), now);
        const auto below = [&](std::uint32_t bound) { return static_cast<int>(rng.below(bound)); };
        const int kind = below(3), goals = kind == 0 ? 1 : kind == 1 ? 5 + below(20) : 200 + below(400), patch_x = below(50), patch_y = below(50);
        for (int i = 0; i < goals; ++i) {
            const int x = kind == 2 ? patch_x + below(40) : below(100), y = kind == 2 ? patch_y + below(40) : below(90);
            request.goals.push_back({x, y});
        }
        FastMarching marching;
        const auto field = marching.build(now, request, std::make_shared<TileStore>(), rng.percent(50) ? MarchOrder::First : MarchOrder::Second).field;
        ASSERT_TRUE(field);
        for (const int smooth_radius : {0, 2, 5}) {
            for (int unit = 0; unit < 150; ++unit) {
                const float x = static_cast<float>(below(1000)) / 10.0f, y = static_cast<float>(below(900)) / 10.0f;
                if (!isFlowArrow(field->direction(cellAt({x, y})))) continue;
                const float step = rng.percent(50) ? 0.25f : 0.1f, metres = static_cast<float>(costInMetres(field->distance(cellAt({x, y}))));
                EXPECT_GE(walk(*field, {x, y}, step, static_cast<int>(metres / step * 2.5f) + 200, smooth_radius), 0) << "seed " << seed << " from " << x << "," << y;
            }
        }
    }
}

// Two cells side by side whose arrows lead apart and each through the other: units swung between them for ever.
TEST(FlowSample, WhoeverFollowsTheSamplesWherePricedHeightsPartArrives) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Rng rng(seed);
        World world({.width = 60, .height = 50, .has_cover = false});
        std::vector<float> heights(60 * 50);
        for (float& z : heights) z = static_cast<float>(rng.below(4)) * 0.5f;
        world.edit([&](WorldEdit& e) { e.setElevation(CellRect{0, 0, 60, 50}, heights); });
        PathConstraints wishes = plainDistance();
        wishes.max_slope = 90.0f;
        wishes.elevation_weight = 0.5f + static_cast<float>(rng.below(30)) / 10.0f;
        FlowBuilder builder;
        FlowRequest request;
        request.key = flowKey(wishes, world.snapshot());
        for (int i = 0; i < 5; ++i) {
            const int x = static_cast<int>(rng.below(60)), y = static_cast<int>(rng.below(50));
            request.goals.push_back({x, y});
        }
        const auto field = builder.build(world.snapshot(), request, std::make_shared<TileStore>()).field;
        for (int unit = 0; unit < 150; ++unit) {
            const float x = static_cast<float>(rng.below(600)) / 10.0f, y = static_cast<float>(rng.below(500)) / 10.0f;
            const float step = rng.percent(50) ? 0.25f : 0.1f, metres = static_cast<float>(costInMetres(field->distance(cellAt({x, y}))));
            EXPECT_GE(walk(*field, {x, y}, step, static_cast<int>(metres / step * 2.5f) + 200), 0) << "seed " << seed << " from " << x << "," << y;
        }
    }
}

/// Follows samples for so many steps; false after one that leads off the cells with a way.
testing::AssertionResult staysOnWays(const FlowField& field, Position& p, float step) {
    const FlowSample s = sampleFlow(field, p, {.step = step});
    if (s.state == FlowSampleState::Goal) return testing::AssertionSuccess();
    const Position to{p.x + s.direction.x * step, p.y + s.direction.y * step};
    if (lengthOf(s.direction) < 0.99f || !isFlowWay(field.direction(cellAt(to)))) return testing::AssertionFailure() << "from " << p.x << "," << p.y << " to " << to.x << "," << to.y;
    p = to;
    return testing::AssertionSuccess();
}

TEST(FlowSample, UnderSlopeLimitsNoSampleLeadsThroughACellThatLeadsBackOrNowhere) {
    // The way from the middle to the north-west passes beside a cell that is too steep to leave north-westwards.
    World world({.width = 3, .height = 3, .has_cover = false});
    const std::vector<float> heights{0, 1.5f, 1.5f, 0, 0.5f, 1.5f, 0, 2, 1};
    for (int turn = 0; turn < 4; ++turn) {
        std::vector<float> turned(9);
        for (int i = 0; i < 9; ++i) turned[static_cast<std::size_t>((turn & 1) != 0 ? i / 3 * 3 + 2 - i % 3 : i)] = heights[static_cast<std::size_t>((turn & 2) != 0 ? 8 - i : i)];
        world.edit([&](WorldEdit& e) { e.setElevation(CellRect{0, 0, 3, 3}, turned); });
        PathConstraints wishes = plainDistance();
        wishes.max_slope = 30.0f;
        for (int goal = 0; goal < 9; ++goal) {
            const auto field = fieldTo(world.snapshot(), {goal % 3, goal / 3}, wishes);
            for (int i = 0; i < 24 * 24; ++i) {
                const Position from{0.0625f + 0.125f * static_cast<float>(i % 24), 0.0625f + 0.125f * static_cast<float>(i / 24)};
                if (!isFlowArrow(field->direction(cellAt(from)))) continue;
                for (const float step : {0.25f, 0.1f}) EXPECT_GE(walk(*field, from, step, 200), 0) << "turn " << turn << " goal " << goal << " from " << from.x << "," << from.y;
            }
        }
    }
}

TEST(FlowSample, WhoeverFollowsTheSamplesOverHillsArrivesWhateverPushesIt) {
    std::size_t walks = 0;
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
        Rng rng(seed);
        constexpr int kWide = 96, kHigh = 80;
        World world({.width = kWide, .height = kHigh, .has_cover = false});
        std::vector<float> z(static_cast<std::size_t>(kWide * kHigh));
        const float high = 3.0f + static_cast<float>(rng.below(8)), wave = 0.15f + static_cast<float>(rng.below(20)) / 100.0f;
        for (int i = 0; i < kWide * kHigh; ++i) {
            const auto x = static_cast<float>(i % kWide), y = static_cast<float>(i / kWide);
            z[static_cast<std::size_t>(i)] = high * std::sin(x * wave) * std::cos(y * wave * 1.3f) + static_cast<float>(seed % 2 * rng.below(8)) / 10.0f;
        }
        world.edit([&](WorldEdit& e) {
            e.setElevation(CellRect{0, 0, kWide, kHigh}, z);
            for (int i = 0; i < 12; ++i) {
                const int x = static_cast<int>(rng.below(90)), y = static_cast<int>(rng.below(74));
                e.placeObstacle({x, y, 2 + i % 3, 3}, ObstacleKind::Wall, 3.0f);
            }
        });
        PathConstraints wishes = seed % 3 == 0 ? plainDistance() : PathConstraints{};
        wishes.max_slope = 30.0f;
        if (seed % 4 == 1) wishes.max_slope_down = 90.0f;
        const int goal_x = static_cast<int>(rng.below(kWide)), goal_y = static_cast<int>(rng.below(kHigh));
        const auto field = fieldTo(world.snapshot(), {goal_x, goal_y}, wishes);
        if (field == nullptr) continue;
        std::vector<Position> positions;
        for (int unit = 0; unit < 100; ++unit) {
            const float x = static_cast<float>(rng.below(9600)) / 100.0f, y = static_cast<float>(rng.below(8000)) / 100.0f;
            Position p{x, y};
            if (!isFlowArrow(field->direction(cellAt(p)))) continue;
            const float step = unit % 2 == 0 ? 0.25f : 0.125f;
            for (int i = 0; i < 60; ++i) {
                ASSERT_TRUE(staysOnWays(*field, p, step)) << "seed " << seed;
                if (rng.below(4) != 0) continue;
                const float push_x = (static_cast<float>(rng.below(2001)) - 1000.0f) / 700.0f, push_y = (static_cast<float>(rng.below(2001)) - 1000.0f) / 700.0f;
                if (isFlowWay(field->direction(cellAt({p.x + push_x, p.y + push_y})))) p = {p.x + push_x, p.y + push_y};
            }
            EXPECT_GE(walk(*field, p, step, 8000), 0) << "seed " << seed << " from " << p.x << "," << p.y;
            positions.push_back({x, y});
        }
        std::vector<FlowSample> samples(positions.size());
        sampleFlow(*field, positions, samples);
        for (std::size_t i = 0; i < positions.size(); ++i) ASSERT_EQ(sampleFlow(*field, positions[i]).direction, samples[i].direction);
        walks += positions.size();
    }
    EXPECT_GT(walks, 500u);
}

TEST(FlowSample, AUnitOnTheLineOfACornerIsNotSentIntoTheWallBesideIt) {
    for (const DiagonalRule rule : {DiagonalRule::One, DiagonalRule::Always}) {
        const AsciiWorld drawn = asciiWorld("G#\n"
                                            "..\n");
        const AsciiWorld barred = asciiWorld("G#\n"
                                             "#.\n");
        PathConstraints wishes = plainDistance();
        wishes.diagonal = rule;
        for (const AsciiWorld* map : {&drawn, &barred}) {
            if (map == &barred && rule == DiagonalRule::One) continue;
            const auto field = fieldTo(map->snapshot(), *map->g, wishes);
            ASSERT_EQ(field->direction({1, 1}), 5);
            for (int i = 0; i <= 63; ++i) {
                const float along = 1.0f + static_cast<float>(i) / 64.0f;
                for (Position p : {Position{1.0f, along}, Position{along, 1.0f}}) {
                    for (int k = 0; k < 40; ++k) ASSERT_TRUE(staysOnWays(*field, p, 0.25f)) << p.x << "," << p.y;
                    EXPECT_EQ(cellAt(p), *map->g);
                }
            }
        }
    }
}

// Long steps beside corners between two walls: a step that passes the corner's diagonal must not be taken back by the next one for ever.
TEST(FlowSample, WhoeverFollowsTheSamplesThroughCornersArrivesWithLongSteps) {
    std::size_t walks = 0;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        auto world = randomField(seed, 64, 64, static_cast<std::uint32_t>(30 + 5 * (seed % 4)));
        const WorldSnapshot now = world->snapshot();
        Rng rng(seed + 7);
        PathConstraints wishes = plainDistance();
        wishes.diagonal = seed % 6 == 0 ? DiagonalRule::One : DiagonalRule::Always;
        const auto field = fieldTo(now, {static_cast<int>(rng.below(64)), static_cast<int>(rng.below(64))}, wishes);
        if (field == nullptr) continue;
        for (int unit = 0; unit < 100; ++unit) {
            const Position from{static_cast<float>(rng.below(6400)) / 100.0f, static_cast<float>(rng.below(6400)) / 100.0f};
            const float step = 0.3f + static_cast<float>(rng.below(71)) / 100.0f;
            if (!isFlowArrow(field->direction(cellAt(from)))) continue;
            const int limit = static_cast<int>(static_cast<float>(costInMetres(field->distance(cellAt(from)))) / step * 4.0f) + 60;
            Position p = from;
            int i = 0;
            for (; i < limit && field->direction(cellAt(p)) != kFlowGoal; ++i) ASSERT_TRUE(staysOnWays(*field, p, step)) << "seed " << seed << " step " << step;
            ASSERT_LT(i, limit) << "seed " << seed << " step " << step << " from " << from.x << "," << from.y << " at " << p.x << "," << p.y;
            ++walks;
        }
    }
    EXPECT_GT(walks, 500u);
}

}  // namespace
}  // namespace warpath
