// Long ways by a coarse route against exact ones, and what readers allocate.
#include <algorithm>
#include <cmath>

#include "navmesh/support.h"
#include "support/allocation_counter.h"

namespace warpath {
namespace {

using test::Fixture;

/// A strip of 1,280 x 192 m: blocks, and long walls with a gap or two each.
void fillStrip(Fixture& f, Rng& rng, bool swamps) {
    f.edit([&](WorldEdit& e) {
        const auto at = [&](int limit) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(limit))); };
        const Cell o = f.world.snapshot().origin();
        for (int i = 0; i < 500; ++i) {
            const int x = at(1260), y = at(180), w = 2 + at(12);
            e.placeObstacle({o.x + x, o.y + y, w, 2 + at(10)}, ObstacleKind::Building, 5.0f);
        }
        for (int x = 150; x < 1200; x += 190) {
            e.placeObstacle({o.x + x, o.y, 2, 192}, ObstacleKind::Wall, 3.0f);
            for (int gap = 0; gap < 2; ++gap) e.removeObstacle({o.x + x - 14, o.y + at(170), 30, 12});
        }
        for (int i = 0; swamps && i < 40; ++i) {
            const int x = at(1200), y = at(150);
            e.setTerrain({o.x + x, o.y + y, 20 + at(50), 20 + at(30)}, Terrain::Swamp);
        }
    });
}

TEST(NavLongWayTest, LongWaysAreCompleteAndLittleLongerThanTheShortest) {
    double over = 0.0;
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Rng rng(seed);
        Fixture f({.width = 1280, .height = 192, .origin = {-600, 40}});
        fillStrip(f, rng, false);
        f.open();
        NavPath path, exact;
        for (int i = 0; i < 60; ++i) {
            const Position a{static_cast<float>(rng.below(200)) - 599.5f, static_cast<float>(rng.below(192)) + 40.5f};
            const Position b{static_cast<float>(rng.below(200)) + 479.5f, static_cast<float>(rng.below(192)) + 40.5f};
            const NavStatus status = f.reader->findPath({.from = a, .to = b}, path);
            ASSERT_EQ(f.reader->findPath({.from = a, .to = b, .search = NavSearch::Exact}, exact), status);
            if (status != NavStatus::Complete) continue;
            ++compared;
            const double more = static_cast<double>(path.length / exact.length) - 1.0;
            EXPECT_GT(more, -0.001);
            EXPECT_LT(more, 0.08);
            over += more;
            double length = 0.0;
            for (std::size_t k = 0; k + 1 < path.points.size(); ++k) {
                length += std::hypot(path.points[k + 1].x - path.points[k].x, path.points[k + 1].y - path.points[k].y);
                const NavRay there = f.reader->raycast(path.points[k], path.points[k + 1], {});
                const NavRay back = f.reader->raycast(path.points[k + 1], path.points[k], {});
                EXPECT_TRUE(there.status == NavStatus::Complete && back.status == NavStatus::Complete) << "leg " << k;
            }
            EXPECT_NEAR(length, path.length, 0.05);
            EXPECT_EQ(f.reader->check(path), NavStatus::Complete);
        }
    }
    ASSERT_GT(compared, 40);
    EXPECT_LT(over / compared, 0.03);
}

TEST(NavLongWayTest, LongWaysOverTerrainOfSeveralPricesAreComplete) {
    Rng rng(9);
    Fixture f({.width = 1280, .height = 192});
    fillStrip(f, rng, true);
    f.open();
    NavPath path, near;
    int complete = 0;
    double over = 0.0;
    for (int i = 0; i < 40; ++i) {
        const Position a{static_cast<float>(rng.below(150)) + 0.5f, static_cast<float>(rng.below(192)) + 0.5f};
        const Position b{static_cast<float>(rng.below(150)) + 1120.5f, static_cast<float>(rng.below(192)) + 0.5f};
        const NavStatus status = f.reader->findPath({.from = a, .to = b}, path);
        ASSERT_EQ(f.reader->findPath({.from = a, .to = b, .search = NavSearch::Weighted}, near), status);
        if (status != NavStatus::Complete) continue;
        ++complete;
        over += static_cast<double>(path.cost / near.cost) - 1.0;
    }
    ASSERT_GT(complete, 10);
    EXPECT_LT(over / complete, 0.03);  // against one weighted search over all polygons
}

TEST(NavReaderTest, QueriesAllocateNothingOnceTheirBuffersHaveGrown) {
    Rng rng(5);
    Fixture f({.width = 1280, .height = 192});
    fillStrip(f, rng, true);
    f.open();
    struct Question {
        Position from, to;
        NavSearch search;
    };
    std::vector<Question> questions;
    for (int i = 0; i < 60; ++i) {
        const Position a{static_cast<float>(rng.below(1280)) + 0.5f, static_cast<float>(rng.below(192)) + 0.5f};
        const Position b{static_cast<float>(rng.below(1280)) + 0.5f, static_cast<float>(rng.below(192)) + 0.5f};
        questions.push_back({a, b, static_cast<NavSearch>(rng.below(3))});
    }
    NavPath path;
    Rng dice(1);
    const auto askAll = [&] {
        for (const Question& q : questions) {
            f.reader->findPath({.from = q.from, .to = q.to, .allow_partial = true, .search = q.search}, path);
            (void)f.reader->raycast(q.from, q.to, {});
            (void)f.reader->nearest(q.from, 4.0f, {});
            (void)f.reader->reachable(q.from, q.to, {});
            (void)f.reader->randomPoint(q.from, 20.0f, {}, dice);
            (void)f.reader->check(path);
        }
    };
    askAll();
    askAll();
    const std::uint64_t before = allocationCount();
    askAll();
    EXPECT_EQ(allocationCount() - before, 0u);
}

TEST(NavConcurrencyTest, AReaderThatStaysInAReplicaHoldsUpNobody) {
    Fixture f({.width = 128, .height = 128});
    NavWorldConfig config;
    config.load_all = true;
    config.inline_builds_per_update = 4;
    config.chunks_per_update = 4;
    auto made = NavWorld::create(f.world.snapshot(), config);
    NavWorld& nav = *std::get<std::unique_ptr<NavWorld>>(made);
    ASSERT_TRUE(nav.finish(f.world.snapshot()));
    NavReader slow(nav), other(nav);
    NavPath path;
    int visits = 0;
    slow.forEachTile(0, [&](const NavTile&, Position) {
        if (visits++ != 0) return;
        // In the middle of a query of the slow reader: edits are taken in, and published once; then they wait in the writer's list.
        for (int i = 0; i < 8; ++i) {
            f.world.edit([&](WorldEdit& e) { e.placeObstacle({20 + 8 * i, 30, 3, 3}, ObstacleKind::Rock, 2.0f); });
            nav.update(f.world.snapshot());
            EXPECT_EQ(other.findPath({.from = {5.5f, 31.5f}, .to = {120.5f, 31.5f}}, path), NavStatus::Complete);
        }
    });
    EXPECT_EQ(visits, 16);
    EXPECT_GT(nav.stats().deferred, 0u);
    ASSERT_TRUE(nav.finish(f.world.snapshot()));
    ASSERT_EQ(other.findPath({.from = {5.5f, 31.5f}, .to = {120.5f, 31.5f}}, path), NavStatus::Complete);
    EXPECT_GT(path.length, 115.1f);
}

}  // namespace
}  // namespace warpath
