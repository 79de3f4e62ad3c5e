// What does the navmesh cost: building a chunk, taking it in, finding ways of 500 m, refusing, reading while tiles are rebuilt?
//
//   build/release/bench/navmesh_bench
//
// Scene: 1024 x 1024 m of grass with 2,600 blocks of 2 to 16 m (seed 1). Ways are checked before they are timed: complete, no longer than
// Detour's own by more than rounding.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include <variant>
#include <vector>

#include "warpath/core/rng.h"
#include "warpath/navmesh/nav_reader.h"
#include "warpath/navmesh/nav_tile_builder.h"
#include "warpath/navmesh/nav_world.h"
#include "warpath/world/world.h"

using namespace warpath;

namespace {

constexpr int kSize = 1024;

double now() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void report(const char* what, std::vector<double> us) {
    if (us.empty()) return;
    std::sort(us.begin(), us.end());
    const auto at = [&](double share) { return us[std::min(us.size() - 1, static_cast<std::size_t>(share * static_cast<double>(us.size())))]; };
    std::printf("%-44s p50 %10.2f us   p99 %10.2f us   p99.9 %10.2f us   (%zu)\n", what, at(0.5), at(0.99), at(0.999), us.size());
}

struct Pair {
    Position from, to;
};

}  // namespace

int main() {
    World world({.width = kSize, .height = kSize});
    Rng rng(1);
    world.edit([&](WorldEdit& e) {
        for (int i = 0; i < 2600; ++i) {
            const int w = 2 + static_cast<int>(rng.below(15)), h = 2 + static_cast<int>(rng.below(15));
            e.placeObstacle({static_cast<int>(rng.below(kSize - 16)), static_cast<int>(rng.below(kSize - 16)), w, h}, ObstacleKind::Building, 5.0f);
        }
    });
    for (const float cell : {1.0f, 0.5f, 0.25f}) {
        NavTileBuilder builder;
        const NavConfig config{.cell_size = cell, .agent_radius = cell == 1.0f ? 1.0f : 0.5f};
        std::vector<double> us;
        for (int i = 0; i < 256; ++i) us.push_back(1000.0 * builder.build(world.snapshot(), {i % 16, i / 16}, config, {}).build_ms);
        char name[64];
        std::snprintf(name, sizeof name, "build of a chunk, cell size %g", static_cast<double>(cell));
        report(name, us);
    }
    NavWorldConfig config;
    config.load_all = true;
    config.chunks_per_update = 1;
    auto made = NavWorld::create(world.snapshot(), config);
    NavWorld& nav = *std::get<std::unique_ptr<NavWorld>>(made);
    nav.finish(world.snapshot());
    const NavStats stats = nav.stats();
    std::printf("%zu tiles, %zu polygons, %zu bytes a tile\n", stats.tiles, stats.polygons, stats.bytes / stats.tiles);

    NavReader reader(nav);
    std::vector<Pair> pairs;
    NavPath path, other;
    double longer = 0.0;
    std::uint64_t expansions = 0;
    while (pairs.size() < 300) {
        const Position a{static_cast<float>(rng.below(kSize)) + 0.5f, static_cast<float>(rng.below(kSize)) + 0.5f};
        const Position b{static_cast<float>(rng.below(kSize)) + 0.5f, static_cast<float>(rng.below(kSize)) + 0.5f};
        const float straight = std::hypot(a.x - b.x, a.y - b.y);
        if (straight < 475.0f || straight > 525.0f || !reader.walkable(a, {}) || !reader.walkable(b, {})) continue;
        if (reader.findPath({.from = a, .to = b}, path) != NavStatus::Complete) continue;
        if (reader.findPath({.from = a, .to = b, .search = NavSearch::Detour}, other) != NavStatus::Complete || other.length < path.length - 0.1f) {
            std::printf("WRONG: %g,%g to %g,%g exact %g detour %g (%s)\n", static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(b.x),
                        static_cast<double>(b.y), static_cast<double>(path.length), static_cast<double>(other.length), toString(other.status));
            return 1;
        }
        longer += static_cast<double>(other.length / path.length) - 1.0;
        expansions += path.expansions;
        pairs.push_back({a, b});
    }
    std::printf("500 m: Detour alone %.2f %% longer than the shortest; %llu expansions a way\n", 100.0 * longer / 300.0,
                static_cast<unsigned long long>(expansions / 300));
    for (const auto& [how, name] : {std::pair{NavSearch::Exact, "500 m, exact"}, {NavSearch::Weighted, "500 m, weighted"}, {NavSearch::Detour, "500 m, Detour"}}) {
        std::vector<double> us;
        double over = 0.0;
        for (int round = 0; round < 5; ++round) {
            for (const Pair& p : pairs) {
                const double begin = now();
                reader.findPath({.from = p.from, .to = p.to, .search = how}, path);
                us.push_back(now() - begin);
                if (round == 0 && how == NavSearch::Weighted) {
                    reader.findPath({.from = p.from, .to = p.to}, other);
                    over += static_cast<double>(path.length / other.length) - 1.0;
                }
            }
        }
        report(name, us);
        if (how == NavSearch::Weighted) std::printf("500 m: weighted %.2f %% longer than the shortest\n", 100.0 * over / 300.0);
    }

    // A tick on the game's thread with one finished chunk: builds come from a thread of their own. Readers query meanwhile.
    World small({.width = kSize, .height = kSize});
    small.edit([&](WorldEdit& e) {
        e.placeObstacle({500, 0, 3, kSize}, ObstacleKind::Wall, 3.0f);
        for (int i = 0; i < 2600; ++i) e.placeObstacle({static_cast<int>(rng.below(1000)), static_cast<int>(rng.below(1000)), 8, 8}, ObstacleKind::Rock, 3.0f);
    });
    std::vector<std::function<void()>> jobs;
    config.max_jobs = 1;
    auto split = NavWorld::create(small.snapshot(), config, [&](std::function<void()> job) { jobs.push_back(std::move(job)); });
    NavWorld& ticking = *std::get<std::unique_ptr<NavWorld>>(split);
    ticking.finish(small.snapshot());
    {
        NavReader seat(ticking);
        std::vector<double> us;
        int refused = 0;
        for (int i = 0; i < 20000; ++i) {
            const Position a{static_cast<float>(rng.below(490)) + 0.5f, static_cast<float>(rng.below(kSize)) + 0.5f};
            const Position b{static_cast<float>(rng.below(490)) + 510.5f, static_cast<float>(rng.below(kSize)) + 0.5f};
            const double begin = now();
            const NavStatus status = seat.findPath({.from = a, .to = b, .snap = 0.0f}, path);
            const double end = now();
            if (status != NavStatus::Unreachable) continue;
            ++refused;
            us.push_back(end - begin);
        }
        report("unreachable, refused", us);
    }
    std::atomic<bool> stop{false};
    std::vector<std::vector<double>> query_us(2);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 2; ++t) {
        threads.emplace_back([&, t] {
            NavReader own(ticking);
            Rng dice(t + 5);
            NavPath found;
            while (!stop.load(std::memory_order_relaxed)) {
                const Position a{static_cast<float>(dice.below(490)) + 0.5f, static_cast<float>(dice.below(kSize)) + 0.5f};
                const Position b{a.x + static_cast<float>(dice.below(100)) * (a.x < 300.0f ? 1.0f : -1.0f), static_cast<float>(dice.below(kSize)) + 0.5f};
                const double begin = now();
                own.findPath({.from = a, .to = b}, found);
                query_us[t].push_back(now() - begin);
            }
        });
    }
    std::vector<double> tick_us;
    std::uint64_t tiles = 0;
    for (int i = 0; i < 2500; ++i) {
        const CellRect rect{static_cast<int>(rng.below(15)) * 64 + 20, static_cast<int>(rng.below(15)) * 64 + 20, 6, 6};
        small.edit([&](WorldEdit& e) {
            if (rng.percent(50)) {
                e.placeObstacle(rect, ObstacleKind::Rock, 2.0f);
            } else {
                e.removeObstacle(rect);
            }
        });
        ticking.update(small.snapshot());
        for (const auto& job : jobs) job();
        jobs.clear();
        const std::uint64_t before = ticking.stats().built;
        const double begin = now();
        ticking.update(small.snapshot());
        const double end = now();
        if (ticking.stats().built == before) continue;
        tick_us.push_back(end - begin);
        tiles += 4;
    }
    stop = true;
    for (std::thread& t : threads) t.join();
    query_us[0].insert(query_us[0].end(), query_us[1].begin(), query_us[1].end());
    report("a tick that takes in and publishes a chunk", tick_us);
    report("queries of two threads meanwhile", query_us[0]);
    std::printf("%llu tiles rebuilt, %llu flips, %llu put off\n", static_cast<unsigned long long>(tiles),
                static_cast<unsigned long long>(ticking.stats().flips), static_cast<unsigned long long>(ticking.stats().deferred));
    return 0;
}
