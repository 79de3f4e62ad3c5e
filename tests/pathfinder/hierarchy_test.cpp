// Routes through the hierarchy against the exact search and the slow twin: reachability, bounds, edits, moved maps, history.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "support/ascii_world.h"
#include "support/scenes.h"
#include "support/slow_grid.h"
#include "warpath/pathfinder/query.h"

namespace warpath {
namespace {

PathRequest throughHierarchy(const Scene& scene, Cell from, Cell to) {
    PathRequest request{.from = scene.standingAt(from), .goal = Goal::point(scene.standingAt(to)), .constraints = scene.wishes, .side = scene.side};
    request.algorithm = PathAlgorithm::Hierarchical;
    return request;
}

/// What answers cost against the best ones.
struct Losses {
    std::vector<double> values;
    void add(Cost cost, Cost best) { values.push_back(best == 0 ? 0.0 : static_cast<double>(cost) / static_cast<double>(best) - 1.0); }
    [[nodiscard]] double mean() const {
        double sum = 0.0;
        for (const double v : values) sum += v;
        return sum / static_cast<double>(std::max<std::size_t>(values.size(), 1));
    }
    [[nodiscard]] double worst() const { return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end()); }
};

/// Asks random pairs of random scenes; statuses must be those of the twin and costs within the bound.
void compareWithTwin(const SceneTraits& traits, std::uint64_t first_seed, int scenes, double mean_bound, double worst_bound) {
    Query query;
    Path path;
    Losses losses;
    for (int i = 0; i < scenes; ++i) {
        const Scene scene = randomScene(first_seed + static_cast<std::uint64_t>(i), traits);
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        const twin::SlowGrid grid(now, scene.wishes, scene.side);
        const Cell origin = now.origin();
        Rng rng(first_seed + static_cast<std::uint64_t>(i));
        for (int asked = 0; asked < 3; ++asked) {
            const Cell from = scene.anyCell(rng), to = scene.anyCell(rng);
            const Cell a{from.x - origin.x, from.y - origin.y}, b{to.x - origin.x, to.y - origin.y};
            SCOPED_TRACE(::testing::Message() << a.x << ',' << a.y << " -> " << b.x << ',' << b.y);
            query.findPath(now, throughHierarchy(scene, from, to), path);
            if (!grid.fits(a.x, a.y) || !grid.fits(b.x, b.y)) {
                ASSERT_EQ(path.status, grid.fits(a.x, a.y) ? PathStatus::GoalBlocked : PathStatus::StartBlocked);
                continue;
            }
            const Cost best = twin::slowDijkstra(grid, a).cost(grid, b);
            ASSERT_EQ(path.status, best == twin::kNowhere ? PathStatus::Unreachable : PathStatus::Found);
            if (best == twin::kNowhere) continue;
            ASSERT_EQ(path.algorithm, PathAlgorithm::Hierarchical);
            std::vector<Cell> cells;
            for (const Cell c : path.cells) cells.push_back({c.x - origin.x, c.y - origin.y});
            ASSERT_EQ(cells.front(), a);
            ASSERT_EQ(cells.back(), b);
            ASSERT_EQ(twin::routeCost(grid, cells), path.cost);
            ASSERT_GE(path.cost, best);
            losses.add(path.cost, best);
        }
    }
    ::testing::Test::RecordProperty("mean_loss_ppm", static_cast<int>(losses.mean() * 1e6));
    EXPECT_LE(losses.mean(), mean_bound);
    EXPECT_LE(losses.worst(), worst_bound);
}

TEST(HierarchyAgainstTheTwin, UniformGround) { compareWithTwin({.terrain = false}, 21'000, 250, 0.001, 0.05); }
TEST(HierarchyAgainstTheTwin, WeightedTerrain) { compareWithTwin({}, 22'000, 250, 0.002, 0.10); }
TEST(HierarchyAgainstTheTwin, HillsWithOneWaySlopes) { compareWithTwin({.elevation = true}, 23'000, 250, 0.005, 0.25); }
TEST(HierarchyAgainstTheTwin, ThreatAndCongestion) { compareWithTwin({.layers = true}, 24'000, 80, 0.01, 0.5); }
TEST(HierarchyAgainstTheTwin, LargeUnits) { compareWithTwin({.large_units = true}, 25'000, 200, 0.002, 0.15); }

/// A larger map of patches, walls with gaps and noise.
std::unique_ptr<World> patchwork(int side, std::uint64_t seed, bool weighted) {
    Rng rng(seed);
    auto world = std::make_unique<World>(WorldConfig{.width = side, .height = side, .has_cover = false});
    const auto below = [&](int n) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(n))); };
    const auto place = [&](int largest) {
        const int x = below(side), y = below(side), w = 1 + below(largest), h = 1 + below(largest);
        return CellRect{x, y, w, h};
    };
    const int noise = below(30);
    world->edit([&](WorldEdit& edit) {
        if (weighted) {
            for (int i = 0; i < side; ++i) edit.setTerrain(place(40), static_cast<Terrain>(rng.below(10)));
        }
        for (int i = 0; i < side / 8; ++i) {
            CellRect wall = place(side / 3 + 1);
            (rng.percent(50) ? wall.width : wall.height) = 1 + below(3);
            edit.placeObstacle(wall, ObstacleKind::Wall, 3.0f);
        }
        for (int i = 0; i < side * side * noise / 100; ++i) edit.placeObstacle(Cell{below(side), below(side)}, ObstacleKind::Rock, 3.0f);
    });
    return world;
}

void editAndAsk(bool weighted, double mean_bound, double worst_bound) {
    Losses losses;
    for (const int side : {48, 100, 200, 320}) {
        const std::unique_ptr<World> world = patchwork(side, static_cast<std::uint64_t>(side), weighted);
        Rng rng(static_cast<std::uint64_t>(side) + 1), edits(static_cast<std::uint64_t>(side) + 2);
        Query repaired, exact;
        Path path, again, best;
        for (int round = 0; round < 12; ++round) {
            const WorldSnapshot now = world->snapshot();
            Query fresh;
            for (int asked = 0; asked < 2; ++asked) {
                const auto any = [&] {
                    const int x = static_cast<int>(rng.below(static_cast<std::uint32_t>(side))), y = static_cast<int>(rng.below(static_cast<std::uint32_t>(side)));
                    return centreOf(Cell{x, y});
                };
                PathRequest request{.from = any(), .goal = Goal::point(any()), .constraints = plainDistance()};
                request.algorithm = PathAlgorithm::AStar;
                exact.findPath(now, request, best);
                request.algorithm = PathAlgorithm::Hierarchical;
                repaired.findPath(now, request, path);
                fresh.findPath(now, request, again);
                ASSERT_EQ(path.status, best.status) << side << " round " << round;
                ASSERT_EQ(path.status, again.status);
                ASSERT_EQ(path.cells, again.cells) << side << " round " << round;
                ASSERT_EQ(path.expansions, again.expansions);
                if (path.status != PathStatus::Found) continue;
                ASSERT_TRUE(exact.validatePath(now, path, request.constraints).valid);
                ASSERT_GE(path.cost, best.cost);
                losses.add(path.cost, best.cost);
            }
            editAtRandom(*world, edits, false);
        }
    }
    ::testing::Test::RecordProperty("mean_loss_ppm", static_cast<int>(losses.mean() * 1e6));
    EXPECT_LE(losses.mean(), mean_bound);
    EXPECT_LE(losses.worst(), worst_bound);
}

TEST(Hierarchy, RepairedEqualsFreshAndStaysNearTheBestOnUniformMapsUnderEdits) { editAndAsk(false, 0.001, 0.02); }
TEST(Hierarchy, RepairedEqualsFreshAndStaysNearTheBestOnWeightedMapsUnderEdits) { editAndAsk(true, 0.005, 0.05); }

TEST(Hierarchy, ThreatIsPricedWhileReadingForEveryDoctrine) {
    const std::unique_ptr<World> world = patchwork(768, 31, false);
    Rng rng(8);
    Query query, other, exact;
    for (int round = 0; round < 2; ++round) {
        world->edit([&](WorldEdit& edit) {
            std::vector<std::array<int, 3>> enemies;
            for (int i = 0; i < 40; ++i) {
                const int x = static_cast<int>(rng.below(768)), y = static_cast<int>(rng.below(768)), r = 30 + static_cast<int>(rng.below(50));
                enemies.push_back({x, y, r});
            }
            for (int cy = 0; cy < 12; ++cy) {
                for (int cx = 0; cx < 12; ++cx) {
                    auto threat = evenThreat(0, 1);
                    std::array<std::uint32_t, 64> sums{};
                    for (int y = 0; y < 32; ++y) {
                        for (int x = 0; x < 32; ++x) {
                            double value = 0.0;
                            for (const auto& e : enemies) {
                                const double d = std::hypot(cx * 64 + 2 * x + 1 - e[0], cy * 64 + 2 * y + 1 - e[1]);
                                value += std::max(0.0, 1.0 - d / e[2]);
                            }
                            const auto stored = static_cast<std::uint16_t>(std::min(value, 8.0) * kThreatOne);
                            threat->values[static_cast<std::size_t>(y * 32 + x)] = stored;
                            sums[static_cast<std::size_t>((y / 4) * 8 + x / 4)] += stored;
                        }
                    }
                    for (std::size_t b = 0; b < 64; ++b) threat->block_mean[b] = static_cast<std::uint16_t>(sums[b] / 16);
                    edit.setThreat(2, {cx, cy}, threat);
                }
            }
        });
        const WorldSnapshot now = world->snapshot();
        Path path, again, best;
        for (const Doctrine doctrine : {Doctrine::Aggressive, Doctrine::Balanced, Doctrine::Cautious, Doctrine::Stealth}) {
            Losses losses;
            for (int asked = 0; asked < 14; ++asked) {
                const auto any = [&] {
                    const int x = static_cast<int>(rng.below(768)), y = static_cast<int>(rng.below(768));
                    return centreOf(Cell{x, y});
                };
                PathRequest request{.from = any(), .goal = Goal::point(any()), .side = 2};
                request.constraints.doctrine = doctrine;
                request.algorithm = PathAlgorithm::AStar;
                exact.findPath(now, request, best);
                request.algorithm = PathAlgorithm::Hierarchical;
                query.findPath(now, request, path);
                ASSERT_EQ(path.status, best.status);
                if (asked % 4 == 0) {  // what other queries priced exactly is forgotten
                    other.findPath(now, request, again);
                    ASSERT_EQ(path.cells, again.cells);
                }
                if (best.status != PathStatus::Found) continue;
                ASSERT_GE(path.cost, best.cost);
                losses.add(path.cost, best.cost);
            }
            EXPECT_GE(losses.values.size(), 4u);
            EXPECT_LE(losses.mean(), 0.005);
            EXPECT_LE(losses.worst(), 0.05);
        }
    }
}

/// A straight way along a border of chunks, `at` its first row (or column, when `down`), and one around it 150 m aside.
std::unique_ptr<World> wayAlongABorder(int size, int at, bool down) {
    auto world = std::make_unique<World>(WorldConfig{.width = 320, .height = 320, .has_cover = false});
    world->edit([&](WorldEdit& edit) {
        const auto free = [&](int x, int y, int width, int height) { edit.removeObstacle(down ? CellRect{y, x, height, width} : CellRect{x, y, width, height}); };
        edit.placeObstacle(CellRect{0, 0, 320, 320}, ObstacleKind::Wall, 2.0f);
        free(0, at, 320, size);
        free(0, at - 150, 320, size);
        free(0, at - 150, size, 150);
        free(320 - size, at - 150, size, 150);
    });
    return world;
}

TEST(Hierarchy, LargeUnitsSeeThreatAndCrowdsUnderTheirMiddlesBeyondTheBorderOfTheirChunk) {
    Path best, path;
    Query exact, warm;
    for (const int size : {2, 3, 4, 6}) {
        for (const int at : {188, 190, 191}) {
            for (const bool down : {false, true}) {
                const std::unique_ptr<World> world = wayAlongABorder(size, at, down);
                const float middle = static_cast<float>(size) / 2.0f, across = static_cast<float>(at) + middle;
                const Position from = down ? Position{across, middle} : Position{middle, across};
                const Position to = down ? Position{across, 320.0f - middle} : Position{320.0f - middle, across};
                PathRequest request{.from = from, .goal = Goal::point(to), .constraints = plainDistance()};
                request.constraints.unit_radius = middle;
                request.constraints.threat_weight = 10.0f;
                const auto compare = [&](const char* what) {
                    request.algorithm = PathAlgorithm::AStar;
                    exact.findPath(world->snapshot(), request, best);
                    request.algorithm = PathAlgorithm::Hierarchical;
                    warm.findPath(world->snapshot(), request, path);
                    ASSERT_EQ(path.algorithm, PathAlgorithm::Hierarchical);
                    EXPECT_EQ(path.cost, best.cost) << what << ", unit of " << size << " cells at " << at << (down ? ", down" : ", across");
                };
                const auto onChunks = [&](auto&& set) {
                    world->edit([&](WorldEdit& edit) {
                        for (int i = 1; i < 4; ++i) set(edit, down ? ChunkCoord{3, i} : ChunkCoord{i, 3});
                    });
                };
                onChunks([](WorldEdit& edit, ChunkCoord c) { edit.setThreat(0, c, evenThreat(kThreatOne)); });
                compare("threat");
                onChunks([](WorldEdit& edit, ChunkCoord c) { edit.setThreat(0, c, nullptr); });
                compare("threat gone");
                onChunks([](WorldEdit& edit, ChunkCoord c) {
                    auto crowd = std::make_shared<CongestionChunk>();
                    crowd->value.fill(200);
                    edit.setCongestion(c, crowd);
                });
                compare("crowds");
            }
        }
    }
}

TEST(Hierarchy, EstimatesUnderThreatDependOnTheSnapshotAloneWhenTheCheapestGroundChanges) {
    int answers = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const std::unique_ptr<World> world = patchwork(768, seed, false);
        Rng rng(seed);
        const auto below = [&](int n) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(n))); };
        world->edit([&](WorldEdit& edit) {
            for (int cy = 0; cy < 12; ++cy) {
                for (int cx = 0; cx < 12; ++cx) edit.setThreat(0, {cx, cy}, evenThreat(static_cast<std::uint16_t>(below(3) * 512)));
            }
        });
        const auto store = std::make_shared<TileStore>();
        Query warm(store);
        Path path, again;
        std::vector<PathRequest> requests;
        for (int i = 0; i < 8; ++i) {
            const int ax = below(768), ay = below(768), bx = below(768), by = below(768);
            PathRequest request{.from = centreOf(Cell{ax, ay}), .goal = Goal::point(centreOf(Cell{bx, by})), .algorithm = PathAlgorithm::Hierarchical};
            request.constraints.doctrine = Doctrine::Cautious;
            warm.findPath(world->snapshot(), request, path);
            requests.push_back(request);
        }
        world->edit([](WorldEdit& edit) { edit.setTerrain({765, 765, 2, 2}, Terrain::Road); });  // the first road of the map: halves the smallest price
        for (const PathRequest& request : requests) {
            Query fresh(store);
            ASSERT_EQ(warm.findPath(world->snapshot(), request, path), fresh.findPath(world->snapshot(), request, again));
            if (path.status != PathStatus::Found) continue;
            ++answers;
            EXPECT_EQ(path.cells, again.cells) << "seed " << seed;
            EXPECT_EQ(path.expansions, again.expansions) << "seed " << seed;
        }
    }
    EXPECT_GT(answers, 15);
}

TEST(Hierarchy, MovingThreatAndCongestionMakeNoTableAnew) {
    const std::unique_ptr<World> world = patchwork(512, 31, true);
    Query query;
    Path path;
    PathRequest request{.from = {20.5f, 20.5f}, .goal = Goal::point({490.5f, 480.5f}), .side = 1, .algorithm = PathAlgorithm::Hierarchical};
    world->edit([&](WorldEdit& edit) {
        for (const Cell end : {Cell{20, 20}, Cell{490, 480}}) edit.removeObstacle(CellRect{end.x - 6, end.y - 6, 13, 13});
        edit.setThreat(1, {3, 3}, evenThreat(kThreatOne));
    });
    ASSERT_EQ(query.findPath(world->snapshot(), request, path), PathStatus::Found);
    EXPECT_GT(query.hierarchyFigures().tables_computed, 20u);
    for (int cy = 0; cy < 8; ++cy) {
        for (int cx = 0; cx < 8; ++cx) {  // every table that the search could come by is there now
            PathRequest there = request;
            there.goal = Goal::point({static_cast<float>(cx * 64 + 32) + 0.5f, static_cast<float>(cy * 64 + 32) + 0.5f});
            query.findPath(world->snapshot(), there, path);
        }
    }
    for (int step = 1; step < 4; ++step) {
        world->edit([&](WorldEdit& edit) {
            edit.setThreat(1, {3, 3}, nullptr);
            edit.setThreat(1, {3 + step, 3}, evenThreat(kThreatOne * step));
        });
        ASSERT_EQ(query.findPath(world->snapshot(), request, path), PathStatus::Found);
        EXPECT_EQ(query.hierarchyFigures().tables_computed, 0u) << step;
    }
}

TEST(Hierarchy, ASceneCostsNearlyTheSameWhereverTheChunkGridLies) {
    const std::unique_ptr<World> scene = patchwork(160, 77, true);
    const WorldSnapshot drawn = scene->snapshot();
    Query query, exact;
    Path path, best;
    PathRequest request{.constraints = plainDistance()};
    for (int dy = 0; dy < 64; dy += 13) {
        for (int dx = 0; dx < 64; dx += 13) {
            World moved(WorldConfig{.width = 160 + 64, .height = 160 + 64, .has_cover = false});
            std::vector<Terrain> terrains;
            std::vector<PackedObstacle> obstacles;
            for (int y = 0; y < 160; ++y) {
                for (int x = 0; x < 160; ++x) {
                    terrains.push_back(drawn.terrainAt({x, y}));
                    obstacles.push_back(drawn.obstacleAt({x, y}));
                }
            }
            moved.edit([&](WorldEdit& edit) {
                edit.placeObstacle(CellRect{0, 0, 224, 224}, ObstacleKind::Wall, 3.0f);
                edit.removeObstacle(CellRect{dx, dy, 160, 160});
                edit.setCells({dx, dy, 160, 160}, terrains, obstacles);
            });
            const WorldSnapshot now = moved.snapshot();
            for (const auto& [from, to] : {std::pair{Cell{3, 5}, Cell{150, 140}}, {Cell{150, 4}, Cell{8, 155}}, {Cell{80, 2}, Cell{75, 157}}}) {
                request.from = centreOf(Cell{from.x + dx, from.y + dy});
                request.goal = Goal::point(centreOf(Cell{to.x + dx, to.y + dy}));
                request.algorithm = PathAlgorithm::AStar;
                exact.findPath(now, request, best);
                request.algorithm = PathAlgorithm::Hierarchical;
                query.findPath(now, request, path);
                ASSERT_EQ(path.status, best.status);
                if (best.status != PathStatus::Found) continue;
                ASSERT_GE(path.cost, best.cost);
                ASSERT_LE(static_cast<double>(path.cost), static_cast<double>(best.cost) * 1.05);
            }
        }
    }
}

TEST(Hierarchy, FirstStepsAreTheBeginningOfALongRouteAndChangeNoAnswer) {
    for (const bool weighted : {false, true}) {
        const std::unique_ptr<World> world = patchwork(512, 31, weighted);
        const WorldSnapshot now = world->snapshot();
        Rng rng(3);
        Query query, other, fresh;
        Path first, again, whole, alone;
        int long_ones = 0;
        for (int asked = 0; asked < 12; ++asked) {
            const auto any = [&] {
                const int x = static_cast<int>(rng.below(512)), y = static_cast<int>(rng.below(512));
                return centreOf(Cell{x, y});
            };
            PathRequest request{.from = any(), .goal = Goal::point(any()), .constraints = plainDistance(), .algorithm = PathAlgorithm::Hierarchical};
            const bool led = query.findFirstSteps(now, request, first);
            ASSERT_EQ(query.findPath(now, request, whole), other.findPath(now, request, alone));
            ASSERT_EQ(whole.cells, alone.cells);
            ASSERT_EQ(whole.expansions, alone.expansions);
            ASSERT_FALSE(whole.interim);
            ASSERT_EQ(fresh.findFirstSteps(now, request, again), led);
            ASSERT_EQ(first.cells, again.cells);
            if (!led) {
                ASSERT_FALSE(first.hasRoute());
                continue;
            }
            ++long_ones;
            ASSERT_EQ(whole.status, PathStatus::Found);
            ASSERT_TRUE(first.interim);
            ASSERT_EQ(first.status, PathStatus::Partial);
            ASSERT_EQ(first.cells.front(), whole.cells.front());
            ASSERT_TRUE(query.validatePath(now, first, request.constraints).valid);
            ASSERT_GE(first.length, 127.0);
            ASSERT_GT(first.remaining_distance, 0.0f);
            ASSERT_LT(first.cost, whole.cost);
        }
        EXPECT_GE(long_ones, 4);
        PathRequest near{.from = {20.5f, 20.5f}, .goal = Goal::point({30.5f, 20.5f}), .constraints = plainDistance()};
        EXPECT_FALSE(query.findFirstSteps(now, near, first));
        near.from.x = -5.0f;
        EXPECT_FALSE(query.findFirstSteps(now, near, first));
    }
}

TEST(Hierarchy, WhatIsDearerThanALimitIsAskedOfTheExactSearch) {
    const std::unique_ptr<World> world = patchwork(320, 5, true);
    world->edit([](WorldEdit& edit) {
        for (const Cell end : {Cell{10, 10}, Cell{300, 290}}) edit.removeObstacle(CellRect{end.x - 6, end.y - 6, 13, 13});
    });
    Query query;
    Path best, path;
    PathRequest request{.from = {10.5f, 10.5f}, .goal = Goal::point({300.5f, 290.5f}), .constraints = plainDistance(), .algorithm = PathAlgorithm::AStar};
    ASSERT_EQ(query.findPath(world->snapshot(), request, best), PathStatus::Found);
    request.algorithm = PathAlgorithm::Hierarchical;
    request.max_cost = costInMetres(best.cost);
    EXPECT_EQ(query.findPath(world->snapshot(), request, path), PathStatus::Found);
    EXPECT_EQ(path.cost, best.cost);
    request.max_cost = costInMetres(best.cost - 1);
    EXPECT_EQ(query.findPath(world->snapshot(), request, path), PathStatus::CostLimit);
}

TEST(Hierarchy, GoalsOfEveryShapeAreReached) {
    const std::unique_ptr<World> world = patchwork(320, 5, true);
    world->edit([](WorldEdit& edit) {
        for (const Cell end : {Cell{10, 10}, Cell{300, 290}, Cell{150, 300}, Cell{250, 170}}) edit.removeObstacle(CellRect{end.x - 6, end.y - 6, 13, 13});
    });
    Query query;
    Path best, path;
    const std::vector<Goal> goals = {Goal::set({{300.5f, 290.5f}, {150.5f, 300.5f}, {250.5f, 170.5f}}), Goal::disc({250.5f, 250.5f}, 20.0f),
                                     Goal::ring({250.5f, 250.5f}, 10.0f, 40.0f), Goal::rectangle({200, 260, 50, 9})};
    for (const Goal& goal : goals) {
        PathRequest request{.from = {10.5f, 10.5f}, .goal = goal, .constraints = plainDistance(), .algorithm = PathAlgorithm::AStar};
        query.findPath(world->snapshot(), request, best);
        request.algorithm = PathAlgorithm::Hierarchical;
        query.findPath(world->snapshot(), request, path);
        ASSERT_EQ(path.status, best.status);
        ASSERT_EQ(path.status, PathStatus::Found);
        EXPECT_EQ(path.algorithm, PathAlgorithm::Hierarchical);
        EXPECT_GE(path.cost, best.cost);
        EXPECT_LE(static_cast<double>(path.cost), static_cast<double>(best.cost) * 1.05);
    }
}

/// Sets all over the map, also off the map and inside walls, against the exact search.
TEST(Hierarchy, TheNearestOfManyGoalsAllOverTheMapIsNearlyTheBest) {
    Query query, exact;
    Path path, best;
    Losses plain, threatened;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const int side = 448;
        const std::unique_ptr<World> world = patchwork(side, 500 + seed, seed % 2 == 0);
        const bool threat = seed % 3 == 0;
        Rng rng(seed);
        if (threat) {
            world->edit([&](WorldEdit& edit) {
                for (int i = 0; i < 10; ++i) {
                    const int cx = static_cast<int>(rng.below(7)), cy = static_cast<int>(rng.below(7)), value = static_cast<int>(rng.below(1500));
                    edit.setThreat(1, {cx, cy}, evenThreat(value));
                }
            });
        }
        const WorldSnapshot now = world->snapshot();
        for (int asked = 0; asked < 6; ++asked) {
            const auto any = [&](int beyond) {
                const int x = static_cast<int>(rng.below(static_cast<std::uint32_t>(side + beyond))), y = static_cast<int>(rng.below(static_cast<std::uint32_t>(side + beyond)));
                return centreOf(Cell{x, y});
            };
            std::vector<Position> goals;
            for (std::uint32_t count = 3 + rng.below(asked % 2 == 0 ? 4 : 40), i = 0; i < count; ++i) goals.push_back(any(40));
            SCOPED_TRACE(::testing::Message() << "seed " << seed << " request " << asked);
            PathRequest request{.from = any(0), .goal = Goal::set(goals), .constraints = plainDistance(), .side = 1, .algorithm = PathAlgorithm::AStar};
            if (threat) request.constraints.threat_weight = 3.0f;
            exact.findPath(now, request, best);
            request.algorithm = PathAlgorithm::Hierarchical;
            query.findPath(now, request, path);
            ASSERT_STREQ(toString(path.status), toString(best.status));
            if (best.status != PathStatus::Found) continue;
            ASSERT_EQ(path.algorithm, PathAlgorithm::Hierarchical);
            ASSERT_TRUE(query.validatePath(now, path, request.constraints).valid);
            ASSERT_GE(path.cost, best.cost);
            (threat ? threatened : plain).add(path.cost, best.cost);
        }
    }
    EXPECT_GT(plain.values.size(), 10u);
    EXPECT_GT(threatened.values.size(), 5u);
    RecordProperty("plain_ppm", static_cast<int>(plain.worst() * 1e6));
    RecordProperty("threatened_ppm", static_cast<int>(threatened.worst() * 1e6));
    EXPECT_LE(plain.mean(), 0.003);
    EXPECT_LE(plain.worst(), 0.05);
    EXPECT_LE(threatened.mean(), 0.005);
    EXPECT_LE(threatened.worst(), 0.05);
}

TEST(Hierarchy, TwoLevelsAnswerAsOneDoesAlsoAfterEdits) {
    for (const bool weighted : {false, true}) {
        const std::unique_ptr<World> world = patchwork(1300, 17, weighted);
        Rng rng(5), edits(6);
        Query two, one(nullptr, {.group_side = 0});
        Path path, other;
        int found = 0;
        std::uint64_t settled_by_two = 0, settled_by_one = 0;
        for (int round = 0; round < 10; ++round) {
            const auto within = [&](int low) {
                const int x = low + static_cast<int>(rng.below(250)), y = low + static_cast<int>(rng.below(250));
                return centreOf(Cell{x, y});
            };
            PathRequest request{.from = within(0), .goal = Goal::point(within(1050)), .constraints = plainDistance(), .algorithm = PathAlgorithm::Hierarchical};
            for (int tries = 0; tries < 60 && one.reachable(world->snapshot(), request.from, request.goal.centre, request.constraints) != PathStatus::Found; ++tries) {
                request.from = within(0);
                request.goal = Goal::point(within(1050));
            }
            ASSERT_EQ(two.findPath(world->snapshot(), request, path), one.findPath(world->snapshot(), request, other));
            if (path.status == PathStatus::Found) {
                ++found;
                settled_by_two += two.hierarchyFigures().portals_settled;
                settled_by_one += one.hierarchyFigures().portals_settled;
                EXPECT_EQ(path.cost, other.cost) << "weighted " << weighted << " round " << round;
            }
            editAtRandom(*world, edits, false);
        }
        EXPECT_GT(found, 5);
        EXPECT_LT(settled_by_two, settled_by_one);
    }
}

TEST(Hierarchy, AutoTakesItBeyondTheExactDistances) {
    const std::unique_ptr<World> world = patchwork(512, 9, true);
    Query query;
    Path path;
    PathRequest request{.from = {10.5f, 10.5f}, .goal = Goal::point({60.5f, 20.5f}), .constraints = plainDistance(), .allow_partial = true};
    query.findPath(world->snapshot(), request, path);
    EXPECT_EQ(path.algorithm, PathAlgorithm::AStar);
    request.goal = Goal::point({500.5f, 500.5f});
    query.findPath(world->snapshot(), request, path);
    EXPECT_EQ(path.algorithm, PathAlgorithm::Hierarchical);
    world->edit([](WorldEdit& edit) { edit.setThreat(0, {4, 4}, evenThreat(kThreatOne)); });
    request.constraints = {};
    query.findPath(world->snapshot(), request, path);
    EXPECT_EQ(path.algorithm, PathAlgorithm::Hierarchical);
    request.goal = Goal::point({300.5f, 300.5f});
    query.findPath(world->snapshot(), request, path);
    EXPECT_EQ(path.algorithm, PathAlgorithm::AStar) << "under threat the exact search answers further";
    request.goal = Goal::point({500.5f, 500.5f});
    request.max_expansions = 100'000;
    query.findPath(world->snapshot(), request, path);
    EXPECT_EQ(path.algorithm, PathAlgorithm::AStar);
}

}  // namespace
}  // namespace warpath
