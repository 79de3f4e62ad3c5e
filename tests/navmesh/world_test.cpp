#include "warpath/navmesh/nav_world.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <thread>

#include "navmesh/support.h"
#include "warpath/navmesh/nav_build_queue.h"

namespace warpath {
namespace {

using test::Fixture;

std::unique_ptr<NavWorld> make(const WorldSnapshot& snapshot, const NavWorldConfig& config, NavExecutor executor = {}) {
    auto made = NavWorld::create(snapshot, config, std::move(executor));
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<NavWorld>>(made));
    return std::move(std::get<std::unique_ptr<NavWorld>>(made));
}

TEST(NavConfigTest, WrongSettingsAreNamedWithTheirRemedy) {
    EXPECT_FALSE(check(NavConfig{}));
    EXPECT_FALSE(check(NavWorldConfig{}));
    EXPECT_EQ(check(NavConfig{.cell_size = 0.3f})->text(), "navmesh.cell_size: 0.3; use 1, 0.5, 0.25 or 0.125");
    EXPECT_EQ(check(NavConfig{.agent_radius = -1.0f})->field, "navmesh.agent_radius");
    EXPECT_EQ(check(NavConfig{.max_slope = std::nanf("")})->field, "navmesh.max_slope");
    EXPECT_EQ(check(NavConfig{.tiles_per_chunk = 3})->field, "navmesh.tiles_per_chunk");
    EXPECT_EQ(check(NavWorldConfig{.load_radius = 5, .unload_radius = 4})->field, "navmesh.unload_radius");
    EXPECT_EQ(check(NavWorldConfig{.agents = {}})->field, "navmesh.agents");
    const World world({.width = 64, .height = 64});
    EXPECT_TRUE(std::holds_alternative<Error>(NavWorld::create(world.snapshot(), {.max_jobs = 0})));
}

TEST(NavConfigTest, TheStricterOfSlopeAndClimbCountsAndIsSaid) {
    const World world({.width = 64, .height = 64});
    EXPECT_EQ((NavConfig{.max_slope = 45.0f, .max_climb = 1.0f}).stepLimitCm(), 100);
    EXPECT_EQ((NavConfig{.max_slope = 45.0f, .max_climb = 0.4f}).stepLimitCm(), 40);
    EXPECT_EQ((NavConfig{.max_slope = 30.0f, .max_climb = 1.0f}).stepLimitCm(), 58);
    EXPECT_NE(survey(world.snapshot(), {.max_climb = 0.4f}).text().find("max_climb 0.4 is stricter than max_slope 45"), std::string::npos);
}

TEST(NavStreamTest, ChunksAreLoadedAndDroppedBySquareDistance) {
    const World world({.width = 64 * 20, .height = 64 * 20});
    const auto nav = make(world.snapshot(), {.load_radius = 2, .unload_radius = 3});
    Position focus{64.0f * 10 + 5, 64.0f * 10 + 5};
    nav->setFocus(std::span(&focus, 1));
    ASSERT_TRUE(nav->finish(world.snapshot()));
    EXPECT_EQ(nav->stats().chunks, 25u);
    EXPECT_TRUE(nav->isLoaded({8, 8}));  // the corners belong to the square
    EXPECT_TRUE(nav->isLoaded({12, 12}));
    EXPECT_FALSE(nav->isLoaded({7, 10}));
    focus.x += 64.0f;
    nav->setFocus(std::span(&focus, 1));
    ASSERT_TRUE(nav->finish(world.snapshot()));
    EXPECT_TRUE(nav->isLoaded({13, 8}));
    EXPECT_TRUE(nav->isLoaded({8, 8}));  // three away: kept, so that a player on a border does not thrash
    focus.x += 64.0f;
    nav->setFocus(std::span(&focus, 1));
    ASSERT_TRUE(nav->finish(world.snapshot()));
    EXPECT_FALSE(nav->isLoaded({8, 8}));
    EXPECT_TRUE(nav->isLoaded({9, 8}));
    EXPECT_LE(nav->stats().chunks, 49u);
    nav->setFocus({});
    ASSERT_TRUE(nav->finish(world.snapshot()));
    EXPECT_EQ(nav->stats().chunks, 0u);
}

TEST(NavStreamTest, LoadingWaitsWhereTheLimitOfChunksIsReached) {
    const World world({.width = 64 * 20, .height = 64 * 20});
    const auto nav = make(world.snapshot(), {.load_radius = 5, .unload_radius = 7, .max_loaded_chunks = 30});
    const Position focus{640.0f, 640.0f};
    nav->setFocus(std::span(&focus, 1));
    ASSERT_TRUE(nav->finish(world.snapshot()));
    EXPECT_EQ(nav->stats().chunks, 30u);
    EXPECT_TRUE(nav->isLoaded({10, 10}));
}

TEST(NavStreamTest, UpdatesLoadAFewChunksEachNearestFirst) {
    const World world({.width = 64 * 9, .height = 64 * 9});
    const auto nav = make(world.snapshot(), {.load_radius = 4, .unload_radius = 4, .chunks_per_update = 2, .inline_builds_per_update = 2});
    const Position focus{64.0f * 4 + 1, 64.0f * 4 + 1};
    nav->setFocus(std::span(&focus, 1));
    nav->update(world.snapshot());
    EXPECT_EQ(nav->stats().chunks, 2u);
    EXPECT_TRUE(nav->isLoaded({4, 4}));
    EXPECT_TRUE(nav->isLoaded({4, 3}));
    for (int i = 0; i < 40; ++i) nav->update(world.snapshot());
    EXPECT_EQ(nav->stats().chunks, 81u);
    EXPECT_EQ(nav->stats().waiting, 0u);
}

TEST(NavRebuildTest, AChangeRebuildsItsChunkAndTheNeighboursItsBorderTouches) {
    Fixture f({.width = 64 * 3, .height = 64 * 3});
    f.open();
    const auto builtBy = [&](const CellRect& rect) {
        const std::uint64_t before = f.nav->stats().built;
        f.edit([&](WorldEdit& e) { e.placeObstacle(rect, ObstacleKind::Rock, 1.0f); });
        return f.nav->stats().built - before;
    };
    EXPECT_EQ(builtBy({90, 90, 4, 4}), 1u);
    EXPECT_EQ(builtBy({65, 90, 2, 2}), 2u);
    EXPECT_EQ(builtBy({126, 126, 1, 1}), 4u);
    const std::uint64_t before = f.nav->stats().built;
    f.edit([](WorldEdit& e) { e.setCongestion({90, 100}, 5.0f); });
    f.edit([](WorldEdit& e) { e.placeObstacle({90, 90, 4, 4}, ObstacleKind::Rock, 3.0f); });  // higher, no wider
    EXPECT_EQ(f.nav->stats().built, before);
}

TEST(NavRebuildTest, ABuildingComesDownAndACraterOpensTheWay) {
    Fixture f({.width = 128, .height = 64});
    f.edit([](WorldEdit& e) { e.placeObstacle({60, 0, 6, 64}, ObstacleKind::Building, 8.0f); });
    f.open();
    EXPECT_EQ(f.path({30.0f, 30.0f}, {100.0f, 30.0f}).status, NavStatus::Unreachable);
    f.edit([](WorldEdit& e) { e.destroyBuilding({60, 28, 6, 4}); });
    const NavPath path = f.path({30.0f, 30.0f}, {100.0f, 30.0f});
    ASSERT_EQ(path.status, NavStatus::Complete);
    EXPECT_EQ(path.search, NavSearch::Weighted);  // rubble has its price
    f.edit([](WorldEdit& e) { e.placeObstacle({60, 28, 6, 4}, ObstacleKind::Building, 8.0f); });
    EXPECT_EQ(f.reader->check(path), NavStatus::Stale);
    EXPECT_EQ(f.path({30.0f, 30.0f}, {100.0f, 30.0f}).status, NavStatus::Unreachable);
    f.edit([](WorldEdit& e) { e.makeCrater({63.0f, 50.0f}, 6.0f); });
    EXPECT_EQ(f.path({30.0f, 30.0f}, {100.0f, 30.0f}).status, NavStatus::Complete);
}

TEST(NavRebuildTest, RebuiltTilesEqualTilesBuiltFromScratch) {
    Fixture f({.width = 64 * 3, .height = 64 * 3});
    f.open();
    Rng rng(5);
    for (int i = 0; i < 60; ++i) {
        const CellRect rect{static_cast<int>(rng.below(180)), static_cast<int>(rng.below(180)), 1 + static_cast<int>(rng.below(9)), 1 + static_cast<int>(rng.below(9))};
        f.edit([&](WorldEdit& e) {
            if (rng.percent(60)) {
                e.placeObstacle(rect, ObstacleKind::Rock, 1.0f);
            } else {
                e.removeObstacle(rect);
            }
            e.setElevation({static_cast<int>(rng.below(180)), static_cast<int>(rng.below(180)), 6, 6}, static_cast<float>(rng.below(3)));
        });
    }
    Fixture fresh({.width = 64 * 3, .height = 64 * 3});
    NavWorldConfig config;
    config.load_all = true;
    const auto nav = make(f.world.snapshot(), config);
    ASSERT_TRUE(nav->finish(f.world.snapshot()));
    EXPECT_EQ(nav->saveTiles(), f.nav->saveTiles());
}

TEST(NavBuildQueueTest, RequestsForOneChunkAreOneAndTheNearestGoesFirst) {
    const World world({.width = 64 * 8, .height = 64 * 8});
    const auto links = std::make_shared<const std::vector<NavLink>>();
    std::deque<std::function<void()>> jobs;
    NavBuildQueue queue({NavAgent{}}, 2, [&](std::function<void()> job) { jobs.push_back(std::move(job)); });
    for (int i = 0; i < 3; ++i) {
        for (const ChunkCoord c : {ChunkCoord{0, 0}, ChunkCoord{7, 7}, ChunkCoord{5, 5}, ChunkCoord{3, 0}}) queue.request(c);
    }
    EXPECT_EQ(queue.waiting(), 4u);
    const ChunkCoord focus[] = {{6, 6}};
    queue.setFocus(focus);
    queue.pump(world.snapshot(), links, 0);
    EXPECT_EQ(queue.underWay(), 2u);
    ASSERT_EQ(jobs.size(), 2u);
    jobs[0]();
    jobs[1]();
    auto done = queue.takeResults(10);
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[0].chunk, (ChunkCoord{5, 5}));  // as far as (7, 7); the northern row first
    EXPECT_EQ(done[1].chunk, (ChunkCoord{7, 7}));
}

TEST(NavBuildQueueTest, AnOldResultNeverOverwritesANewerOne) {
    World world({.width = 64, .height = 64});
    const auto links = std::make_shared<const std::vector<NavLink>>();
    std::deque<std::function<void()>> jobs;
    NavBuildQueue queue({NavAgent{}}, 4, [&](std::function<void()> job) { jobs.push_back(std::move(job)); });
    queue.request({0, 0});
    queue.pump(world.snapshot(), links, 0);
    queue.cancel({0, 0});  // the chunk goes out of range and comes back while the first build is under way
    world.edit([](WorldEdit& e) { e.placeObstacle({10, 10, 40, 40}, ObstacleKind::Rock, 1.0f); });
    queue.request({0, 0});
    queue.pump(world.snapshot(), links, 0);
    ASSERT_EQ(jobs.size(), 2u);
    jobs[1]();
    const auto newer = queue.takeResults(10);
    ASSERT_EQ(newer.size(), 1u);
    jobs[0]();
    EXPECT_TRUE(queue.takeResults(10).empty());
    EXPECT_EQ(queue.underWay(), 0u);
}

TEST(NavBuildQueueTest, AChangeDuringABuildIsBuiltAgain) {
    World world({.width = 64, .height = 64});
    const auto links = std::make_shared<const std::vector<NavLink>>();
    std::deque<std::function<void()>> jobs;
    NavBuildQueue queue({NavAgent{}}, 4, [&](std::function<void()> job) { jobs.push_back(std::move(job)); });
    queue.request({0, 0});
    queue.pump(world.snapshot(), links, 0);
    queue.request({0, 0});
    queue.pump(world.snapshot(), links, 0);
    EXPECT_EQ(jobs.size(), 1u);  // one build of a chunk at a time
    jobs[0]();
    EXPECT_EQ(queue.takeResults(10).size(), 1u);
    queue.pump(world.snapshot(), links, 0);
    ASSERT_EQ(jobs.size(), 2u);
    jobs[1]();
    EXPECT_EQ(queue.takeResults(10).size(), 1u);
    EXPECT_EQ(queue.waiting(), 0u);
}

TEST(NavBuildQueueTest, JobsMayOutliveTheirQueue) {
    const World world({.width = 64, .height = 64});
    std::deque<std::function<void()>> jobs;
    {
        NavBuildQueue queue({NavAgent{}}, 4, [&](std::function<void()> job) { jobs.push_back(std::move(job)); });
        queue.request({0, 0});
        queue.pump(world.snapshot(), std::make_shared<const std::vector<NavLink>>(), 0);
    }
    jobs[0]();
}

TEST(NavReaderTest, SeatsAreLimitedAndGivenBack) {
    Fixture f({.width = 64, .height = 64});
    NavWorldConfig config;
    config.max_readers = 2;
    f.open(config);
    NavReader second(*f.nav);
    EXPECT_TRUE(second.valid());
    {
        NavReader third(*f.nav);
        EXPECT_FALSE(third.valid());
        NavPath path;
        EXPECT_EQ(third.findPath({.from = {1.0f, 1.0f}, .to = {5.0f, 5.0f}}, path), NavStatus::InvalidInput);
    }
    NavReader moved = std::move(second);
    EXPECT_TRUE(moved.valid());
    moved = NavReader(*f.nav);  // takes its seat before the old one is free
    EXPECT_FALSE(moved.valid());
    EXPECT_TRUE(NavReader(*f.nav).valid());
}

TEST(NavReaderTest, AReaderOutlivesItsWorld) {
    Fixture f({.width = 64, .height = 64});
    f.open();
    NavReader reader(*f.nav);
    f.nav.reset();
    NavPath path;
    EXPECT_EQ(reader.findPath({.from = {5.0f, 5.0f}, .to = {50.0f, 50.0f}}, path), NavStatus::Complete);
}

TEST(NavReaderTest, RandomPointsLieOnConnectedGroundAndSpread) {
    Fixture f({.width = 128, .height = 128});
    f.edit([](WorldEdit& e) { e.placeObstacle({64, 0, 4, 128}, ObstacleKind::Wall, 2.0f); });
    f.open();
    Rng rng(3);
    int quadrant[4] = {};
    for (int i = 0; i < 2000; ++i) {
        const NavPoint p = f.reader->randomPoint({32.0f, 64.0f}, 60.0f, {}, rng);
        ASSERT_EQ(p.status, NavStatus::Complete);
        ASSERT_LT(p.position.x, 64.0f);
        ASSERT_LE(std::hypot(p.position.x - 32.0f, p.position.y - 64.0f), 60.0f);
        ASSERT_TRUE(f.reader->walkable(p.position, {}));
        ++quadrant[(p.position.x > 32.0f ? 1 : 0) + (p.position.y > 64.0f ? 2 : 0)];
    }
    for (const int n : quadrant) EXPECT_NEAR(n, 500, 80);
}

TEST(NavWorldTest, RulesThatItCannotTellApartAreSaidAndUnitsThatNeedThemAreRefused) {
    for (const bool many_types : {false, true}) {
        Fixture f({.width = 128, .height = 128});
        f.open();
        EXPECT_FALSE(f.nav->rulesError());
        WorldRules rules = f.world.snapshot().rules();
        const std::size_t types = rules.terrain_types.size();
        if (many_types) {
            for (std::size_t i = types; i < 63; ++i) {
                TerrainType type;
                type.name = "type_" + std::to_string(i);
                rules.terrain_types.push_back(type);
                for (UnitClass& unit : rules.unit_classes) unit.multipliers.push_back(1.0f);
            }
        } else {
            for (std::size_t i = 0; i < 20; ++i) {
                UnitClass unit;
                unit.name = "unit_" + std::to_string(i);
                unit.speed = 1.0f;
                unit.multipliers.assign(types, 1.0f);
                for (std::size_t bit = 0; bit < 5; ++bit) {
                    if (((i + 1) >> bit & 1) != 0) unit.multipliers[1 + bit] = 99.0f;
                }
                rules.unit_classes.push_back(unit);
            }
        }
        const auto refused = f.world.setRules(rules);
        ASSERT_FALSE(refused) << refused->text();
        ASSERT_TRUE(f.nav->finish(f.world.snapshot()));
        ASSERT_TRUE(f.nav->rulesError());
        EXPECT_EQ(f.nav->rulesError()->field, many_types ? "terrain_types" : "unit_classes");
        NavPath path;
        NavQuery query{.from = {3.5f, 3.5f}, .to = {90.5f, 90.5f}};
        query.mover.unit = static_cast<UnitType>(rules.unit_classes.size() - 1);
        EXPECT_EQ(f.reader->findPath(query, path), NavStatus::InvalidInput);
        EXPECT_EQ(f.reader->raycast(query.from, query.to, query.mover).status, NavStatus::InvalidInput);
        EXPECT_FALSE(f.reader->walkable(query.from, query.mover));
        if (many_types) continue;  // types in use cannot be taken away
        for (UnitClass& unit : rules.unit_classes) unit.multipliers.assign(types, 1.0f);
        ASSERT_FALSE(f.world.setRules(rules));
        ASSERT_TRUE(f.nav->finish(f.world.snapshot()));
        EXPECT_FALSE(f.nav->rulesError());
        EXPECT_EQ(f.reader->findPath(query, path), NavStatus::Complete);
    }
}

TEST(NavReaderTest, APolygonWithoutAreaOnATilesBorderSendsNoSearchRoundForEver) {
    // The swamp cell beside the border of a tile leaves a polygon whose corners lie in one line; an interval came round to it again and again.
    const std::vector<std::string_view> rows{
        "###################...", "###############..##...", "###############..###..", "#############..^.###..", "############.....###..", "############...#####..",
        "############..######..", "############..######..", "############..######..", "############..######..", "############..######..", "############..######..",
        "############..######..", "############..######..", "############..######..", "############..######..", "......................", "......................",
        "..####################", "..####################", "..####################"};
    Fixture f({.width = 179, .height = 180});
    f.world.edit([&](WorldEdit& e) {
        e.placeObstacle({0, 0, 179, 180}, ObstacleKind::Rock, 2.0f);
        e.removeObstacle({16, 134, 22, 21});
        test::draw(e, rows, {16, 134});
    });
    f.open();
    NavPath path, weighted;
    NavQuery query{.from = {16.90625f, 156.09375f}, .to = {34.875f, 133.0f}};
    query.mover.terrain_weight = 0.0f;
    query.max_expansions = 1000;
    ASSERT_EQ(f.reader->findPath(query, path), NavStatus::Complete);
    EXPECT_EQ(path.search, NavSearch::Exact);
    query.search = NavSearch::Weighted;
    ASSERT_EQ(f.reader->findPath(query, weighted), NavStatus::Complete);
    EXPECT_NEAR(path.length, weighted.length, 0.01f * path.length);
}

TEST(NavReaderTest, APathNamesEveryTileThatItCrosses) {
    Rng rng(2);
    Fixture f({.width = 260, .height = 200, .origin = {530, 0}});
    f.world.edit([&](WorldEdit& e) {
        for (int i = 0; i < 160; ++i) {
            const int x = 530 + static_cast<int>(rng.below(250)), y = static_cast<int>(rng.below(190)), w = 1 + static_cast<int>(rng.below(9)), h = 1 + static_cast<int>(rng.below(9));
            if (i % 2 == 0) {
                e.placeObstacle({x, y, w, h}, ObstacleKind::Building, 4.0f);
            } else {
                e.setTerrain({x, y, w, h}, i % 4 == 1 ? Terrain::Swamp : Terrain::Road);
            }
        }
    });
    f.open();
    int crossed = 0;
    for (int i = 0; i < 400; ++i) {
        const float ax = 530.5f + static_cast<float>(rng.below(259)), ay = 0.5f + static_cast<float>(rng.below(199));
        const float bx = 530.5f + static_cast<float>(rng.below(259)), by = 0.5f + static_cast<float>(rng.below(199));
        NavPath path;
        if (f.reader->findPath({.from = {ax, ay}, .to = {bx, by}, .search = i % 3 == 0 ? NavSearch::Detour : NavSearch::Weighted}, path) != NavStatus::Complete) continue;
        for (std::size_t k = 0; k + 1 < path.points.size(); ++k) {
            const Position a = path.points[k], b = path.points[k + 1];
            for (int t = 0; t <= 64; ++t) {
                const float x = a.x + (b.x - a.x) * static_cast<float>(t) / 64.0f - 530.0f, y = a.y + (b.y - a.y) * static_cast<float>(t) / 64.0f;
                const float in_x = x - 32.0f * std::floor(x / 32.0f), in_y = y - 32.0f * std::floor(y / 32.0f);
                if (in_x < 0.1f || in_x > 31.9f || in_y < 0.1f || in_y > 31.9f) continue;  // along a border the tile may be either
                const auto tile = static_cast<std::uint32_t>(static_cast<int>(y / 32.0f) * 10 + static_cast<int>(x / 32.0f));
                ++crossed;
                EXPECT_TRUE(std::any_of(path.tiles.begin(), path.tiles.end(), [&](const NavTileStamp& s) { return s.tile == tile; }))
                    << "way " << i << " crosses tile " << tile << " at " << x << "," << y;
            }
        }
    }
    EXPECT_GT(crossed, 10'000);
}

TEST(NavReaderTest, RaycastsStopAtTheMeshsEdge) {
    Fixture f({.width = 128, .height = 64});
    f.edit([](WorldEdit& e) { e.placeObstacle({80, 0, 4, 64}, ObstacleKind::Wall, 2.0f); });
    f.open();
    const NavRay ray = f.reader->raycast({10.0f, 20.0f}, {110.0f, 20.0f}, {});
    EXPECT_EQ(ray.status, NavStatus::Partial);
    EXPECT_NEAR(ray.end.x, 79.5f, 0.01f);
    EXPECT_NEAR(ray.length, 69.5f, 0.01f);
    EXPECT_EQ(f.reader->raycast({81.0f, 20.0f}, {110.0f, 20.0f}, {}).status, NavStatus::NoStart);
}

TEST(NavReaderTest, AWayThroughPointsOfACoarseRouteIsPulledTight) {
    Fixture f({.width = 512, .height = 512});
    Rng rng(9);
    f.edit([&](WorldEdit& e) {
        for (int i = 0; i < 500; ++i) {
            e.placeObstacle({static_cast<int>(rng.below(500)), static_cast<int>(rng.below(500)), 1 + static_cast<int>(rng.below(10)), 1 + static_cast<int>(rng.below(10))},
                            ObstacleKind::Rock, 2.0f);
        }
    });
    f.open();
    int compared = 0;
    for (int i = 0; i < 30; ++i) {
        const Position a{20.0f + static_cast<float>(rng.below(60)), 20.0f + static_cast<float>(rng.below(460))};
        const Position b{420.0f + static_cast<float>(rng.below(60)), 20.0f + static_cast<float>(rng.below(460))};
        if (!f.reader->walkable(a, {}) || !f.reader->walkable(b, {})) continue;
        NavPath best;
        f.reader->findPath({.from = a, .to = b, .search = NavSearch::Exact}, best);
        if (best.status != NavStatus::Complete) continue;
        ++compared;
        // Points up to 8 m off the straight line, as a grid's portals would give them; some lie in obstacles.
        std::vector<Position> via;
        for (int k = 1; k < 8; ++k) {
            const float t = static_cast<float>(k) / 8.0f;
            via.push_back({a.x + t * (b.x - a.x) + static_cast<float>(rng.below(17)) - 8.0f, a.y + t * (b.y - a.y) + static_cast<float>(rng.below(17)) - 8.0f});
        }
        NavPath path;
        ASSERT_EQ(f.reader->findPath({.from = a, .to = b, .via = via}, path), NavStatus::Complete);
        EXPECT_GE(path.length, best.length - 0.05f);
        EXPECT_LE(path.length, best.length * 1.03f);
        float length = 0.0f;
        for (std::size_t k = 0; k + 1 < path.points.size(); ++k) {
            length += std::hypot(path.points[k + 1].x - path.points[k].x, path.points[k + 1].y - path.points[k].y);
            EXPECT_TRUE(f.reader->raycast(path.points[k], path.points[k + 1], {}).status == NavStatus::Complete &&
                        f.reader->raycast(path.points[k + 1], path.points[k], {}).status == NavStatus::Complete);
        }
        EXPECT_NEAR(length, path.length, 0.1f);
        EXPECT_EQ(f.reader->check(path), NavStatus::Complete);
    }
    EXPECT_GT(compared, 10);
}

TEST(NavReaderTest, EverySizeClassHasItsOwnMesh) {
    Fixture f({.width = 128, .height = 64});
    f.edit([](WorldEdit& e) {
        e.placeObstacle({60, 0, 4, 30}, ObstacleKind::Wall, 2.0f);
        e.placeObstacle({60, 33, 4, 31}, ObstacleKind::Wall, 2.0f);
    });
    NavWorldConfig config;
    config.agents = {{"small", {.agent_radius = 0.5f}}, {"large", {.agent_radius = 2.0f}}};
    f.open(config);
    const Position a{30.0f, 31.0f}, b{90.0f, 31.0f};
    EXPECT_EQ(f.reader->reachable(a, b, {.agent = 0}), NavStatus::Complete);
    EXPECT_EQ(f.reader->reachable(a, b, {.agent = 1}), NavStatus::Unreachable);
}

}  // namespace
}  // namespace warpath
