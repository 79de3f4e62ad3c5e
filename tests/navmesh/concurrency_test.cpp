// Readers against the writer. Meant for ThreadSanitizer; true anywhere.
#include <atomic>
#include <thread>

#include "navmesh/support.h"

namespace warpath {
namespace {

using test::Fixture;

TEST(NavConcurrencyTest, QueriesRunWhileTilesAreRebuiltLoadedAndDropped) {
    Fixture f({.width = 64 * 6, .height = 64 * 6, .origin = {-100, -100}});
    Rng layout(4);
    f.edit([&](WorldEdit& e) {
        for (int i = 0; i < 300; ++i) {
            e.placeObstacle({static_cast<int>(layout.below(370)) - 100, static_cast<int>(layout.below(370)) - 100, 4, 4}, ObstacleKind::Rock, 2.0f);
        }
    });
    NavWorldConfig config;
    config.agents[0].mesh.cell_size = 1.0f;
    config.load_radius = 2;
    config.unload_radius = 2;
    config.chunks_per_update = 4;
    config.inline_builds_per_update = 4;
    auto made = NavWorld::create(f.world.snapshot(), config);
    NavWorld& nav = *std::get<std::unique_ptr<NavWorld>>(made);
    Position focus{90.0f, 90.0f};
    nav.setFocus(std::span(&focus, 1));
    ASSERT_TRUE(nav.finish(f.world.snapshot()));

    std::atomic<bool> stop{false};
    std::atomic<int> complete{0}, bad{0};
    std::vector<std::thread> readers;
    for (std::uint64_t r = 0; r < 2; ++r) {
        readers.emplace_back([&, r] {
            NavReader reader(nav);
            Rng rng(r + 10);
            NavPath path;
            std::uint64_t epoch = 0;
            while (!stop.load(std::memory_order_relaxed)) {
                const Position a{static_cast<float>(rng.below(380)) - 100.0f, static_cast<float>(rng.below(380)) - 100.0f};
                const Position b{static_cast<float>(rng.below(380)) - 100.0f, static_cast<float>(rng.below(380)) - 100.0f};
                const auto how = static_cast<NavSearch>(rng.below(4));
                const NavStatus status = reader.findPath({.from = a, .to = b, .allow_partial = rng.percent(30), .search = how}, path);
                if (status == NavStatus::Complete) ++complete;
                if (status == NavStatus::InvalidInput || path.epoch < epoch || path.points.empty() != (status != NavStatus::Complete && status != NavStatus::Partial)) ++bad;
                epoch = path.epoch;
                (void)reader.check(path);
                (void)reader.raycast(a, b, {});
                (void)reader.randomPoint(a, 20.0f, {}, rng);
            }
        });
    }
    Rng rng(77);
    const std::uint64_t before = nav.stats().built;
    while (nav.stats().built < before + 400 || nav.stats().flips <= 50) {  // a busy machine flips more seldom
        const CellRect rect{static_cast<int>(rng.below(376)) - 100, static_cast<int>(rng.below(376)) - 100, 5, 5};
        f.world.edit([&](WorldEdit& e) {
            if (rng.percent(50)) {
                e.placeObstacle(rect, ObstacleKind::Rock, 2.0f);
            } else {
                e.removeObstacle(rect);
            }
        });
        if (rng.percent(10)) focus = {static_cast<float>(rng.below(200)), static_cast<float>(rng.below(200))};
        nav.setFocus(std::span(&focus, 1));
        nav.update(f.world.snapshot());
    }
    stop = true;
    for (std::thread& t : readers) t.join();
    EXPECT_GT(complete.load(), 0);
    EXPECT_EQ(bad.load(), 0);
    // Whatever was put off is published once the readers are gone.
    ASSERT_TRUE(nav.finish(f.world.snapshot()));
    EXPECT_GT(nav.stats().flips, 50u);
}

TEST(NavConcurrencyTest, BuildsOnOtherThreadsGiveTheSameTiles) {
    Fixture f({.width = 64 * 4, .height = 64 * 4});
    Rng layout(8);
    f.edit([&](WorldEdit& e) {
        for (int i = 0; i < 200; ++i) e.placeObstacle({static_cast<int>(layout.below(250)), static_cast<int>(layout.below(250)), 3, 3}, ObstacleKind::Rock, 2.0f);
    });
    f.open();
    std::vector<std::thread> threads;
    NavWorldConfig config;
    config.load_all = true;
    auto made = NavWorld::create(f.world.snapshot(), config, [&](std::function<void()> job) { threads.emplace_back(std::move(job)); });
    NavWorld& nav = *std::get<std::unique_ptr<NavWorld>>(made);
    while (nav.stats().chunks < 16) {
        nav.update(f.world.snapshot());
        std::this_thread::yield();
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(nav.saveTiles(), f.nav->saveTiles());
}

}  // namespace
}  // namespace warpath
