// What does the navmesh cost: building a chunk, taking it in, finding ways of 500 m, refusing, reading while tiles are rebuilt?
//
//   build/release/bench/navmesh_bench [build] [ways] [long] [refuse] [tick] [readers]        all of them when none is named
//
// Scene: 1024 x 1024 m of grass with 2,600 blocks of 2 to 16 m (seed 1); for refusals and ticks another with a wall that parts it. Ways are
// checked before they are timed: complete, no longer than Detour's own by more than rounding. Times are CPU times of the thread, so that a busy
// machine shows less; those of `readers` are wall times, since waiting is the question there.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "timing.h"
#include "warpath/core/rng.h"
#include "warpath/navmesh/nav_reader.h"
#include "warpath/navmesh/nav_tile_builder.h"
#include "warpath/navmesh/nav_world.h"
#include "warpath/world/world.h"

using namespace warpath;

namespace {

constexpr int kSize = 1024;

double wallTime() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void report(const char* what, const std::vector<double>& us) {
    if (us.empty()) return;
    const auto at = [&](double share) { return bench::percentile(us, share); };
    std::printf("%-46s p50 %9.2f us  p90 %9.2f us  p99 %9.2f us  p99.9 %9.2f us  (%zu)\n", what, at(0.5), at(0.9), at(0.99), at(0.999), us.size());
}

struct Pair {
    Position from, to;
};

Position randomCell(Rng& rng, int width) {
    const float x = static_cast<float>(rng.below(static_cast<std::uint32_t>(width))) + 0.5f;
    return {x, static_cast<float>(rng.below(kSize)) + 0.5f};
}

void scatterBlocks(World& world, Rng& rng) {
    world.edit([&](WorldEdit& e) {
        for (int i = 0; i < 2600; ++i) {
            const int w = 2 + static_cast<int>(rng.below(15)), h = 2 + static_cast<int>(rng.below(15));
            const int x = static_cast<int>(rng.below(kSize - 16)), y = static_cast<int>(rng.below(kSize - 16));
            e.placeObstacle({x, y, w, h}, ObstacleKind::Building, 5.0f);
        }
    });
}

void build(const World& world) {
    for (const float cell : {1.0f, 0.5f, 0.25f}) {
        NavTileBuilder builder;
        const NavConfig config{.cell_size = cell, .agent_radius = cell == 1.0f ? 1.0f : 0.5f};
        std::vector<double> us;
        for (int i = 0; i < 256; ++i) {
            const double begin = bench::threadMicroseconds();
            const NavChunk chunk = builder.build(world.snapshot(), {i % 16, i / 16}, config, {});
            us.push_back(bench::threadMicroseconds() - begin);
        }
        char name[64];
        std::snprintf(name, sizeof name, "build of a chunk, cell size %g", static_cast<double>(cell));
        report(name, us);
    }
}

std::unique_ptr<NavWorld> meshOf(const World& world, NavExecutor executor = {}) {
    NavWorldConfig config;
    config.load_all = true;
    config.chunks_per_update = 1;
    config.max_jobs = 1;
    auto made = NavWorld::create(world.snapshot(), config, std::move(executor));
    auto nav = std::move(std::get<std::unique_ptr<NavWorld>>(made));
    nav->finish(world.snapshot());
    return nav;
}

bool ways(const World& world, Rng& rng) {
    const auto nav = meshOf(world);
    const NavStats stats = nav->stats();
    std::printf("%zu tiles, %zu polygons, %zu bytes a tile\n", stats.tiles, stats.polygons, stats.bytes / stats.tiles);
    NavReader reader(*nav);
    std::vector<Pair> pairs;
    NavPath path, other;
    double longer = 0.0;
    std::uint64_t expansions = 0;
    while (pairs.size() < 300) {
        const Position a = randomCell(rng, kSize), b = randomCell(rng, kSize);
        const float straight = std::hypot(a.x - b.x, a.y - b.y);
        if (straight < 475.0f || straight > 525.0f || !reader.walkable(a, {}) || !reader.walkable(b, {})) continue;
        if (reader.findPath({.from = a, .to = b, .search = NavSearch::Exact}, path) != NavStatus::Complete) continue;
        if (reader.findPath({.from = a, .to = b, .search = NavSearch::Detour}, other) != NavStatus::Complete || other.length < path.length - 0.1f) {
            std::printf("WRONG: %g,%g to %g,%g exact %g detour %g (%s)\n", static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(b.x),
                        static_cast<double>(b.y), static_cast<double>(path.length), static_cast<double>(other.length), toString(other.status));
            return false;
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
        for (int round = 0; round < 3; ++round) {
            for (const Pair& p : pairs) {
                const double begin = bench::threadMicroseconds();
                reader.findPath({.from = p.from, .to = p.to, .search = how}, path);
                us.push_back(bench::threadMicroseconds() - begin);
                if (round == 0 && how == NavSearch::Weighted) {
                    reader.findPath({.from = p.from, .to = p.to, .search = NavSearch::Exact}, other);
                    over += static_cast<double>(path.length / other.length) - 1.0;
                }
            }
        }
        report(name, us);
        if (how == NavSearch::Weighted) std::printf("500 m: weighted %.2f %% longer than the shortest\n", 100.0 * over / 300.0);
    }
    return true;
}

/// Ways of 5 km on a strip of 5,120 x 1,024 m, as densely built as the other scene.
void longWays() {
    constexpr int kLength = 5120;
    World strip({.width = kLength, .height = kSize});
    Rng rng(3);
    strip.edit([&](WorldEdit& e) {
        for (int i = 0; i < 13000; ++i) {
            const int w = 2 + static_cast<int>(rng.below(15)), h = 2 + static_cast<int>(rng.below(15));
            const int x = static_cast<int>(rng.below(kLength - 16)), y = static_cast<int>(rng.below(kSize - 16));
            e.placeObstacle({x, y, w, h}, ObstacleKind::Building, 5.0f);
        }
    });
    NavWorldConfig config;
    config.load_all = true;
    config.max_loaded_chunks = 2048;
    auto made = NavWorld::create(strip.snapshot(), config);
    const auto nav = std::move(std::get<std::unique_ptr<NavWorld>>(made));
    nav->finish(strip.snapshot());
    NavReader reader(*nav);
    NavPath path, exact;
    std::vector<double> us, exact_us;
    double over = 0.0, worst = 0.0;
    int incomplete = 0;
    while (us.size() < 40) {
        const Position a = randomCell(rng, 60);
        Position b = randomCell(rng, 60);
        b.x += 5000.0f;
        if (!reader.walkable(a, {}) || !reader.walkable(b, {}) || reader.reachable(a, b, {}) != NavStatus::Complete) continue;
        reader.findPath({.from = a, .to = b}, path);  // buffers
        double begin = bench::threadMicroseconds();
        if (reader.findPath({.from = a, .to = b}, path) != NavStatus::Complete) ++incomplete;
        us.push_back(bench::threadMicroseconds() - begin);
        begin = bench::threadMicroseconds();
        reader.findPath({.from = a, .to = b, .search = NavSearch::Exact}, exact);
        exact_us.push_back(bench::threadMicroseconds() - begin);
        const double more = static_cast<double>(path.length / exact.length) - 1.0;
        over += more;
        worst = std::max(worst, more);
    }
    report("5 km, by a coarse route", us);
    report("5 km, exact over polygons", exact_us);
    std::printf("5 km: %d of %zu incomplete, %.2f %% longer than the shortest, %.2f %% at most\n", incomplete, us.size(), 100.0 * over / static_cast<double>(us.size()),
                100.0 * worst);
}

/// A world of two halves that a wall parts.
void partWorld(World& world, Rng& rng) {
    world.edit([&](WorldEdit& e) {
        e.placeObstacle({500, 0, 3, kSize}, ObstacleKind::Wall, 3.0f);
        for (int i = 0; i < 2600; ++i) {
            const int x = static_cast<int>(rng.below(1000)), y = static_cast<int>(rng.below(1000));
            e.placeObstacle({x, y, 8, 8}, ObstacleKind::Rock, 3.0f);
        }
    });
}

void refuse(const World& world, Rng& rng) {
    const auto nav = meshOf(world);
    NavReader reader(*nav);
    NavPath path;
    std::vector<double> us;
    while (us.size() < 200) {
        // The clock costs as much as a refusal, so it is read around a hundred of them.
        std::vector<Pair> pairs;
        while (pairs.size() < 100) {
            const Position a = randomCell(rng, 490);
            Position b = randomCell(rng, 490);
            b.x += 510.0f;
            if (reader.findPath({.from = a, .to = b, .snap = 0.0f}, path) == NavStatus::Unreachable) pairs.push_back({a, b});
        }
        const double begin = bench::threadMicroseconds();
        for (const Pair& p : pairs) reader.findPath({.from = p.from, .to = p.to, .snap = 0.0f}, path);
        us.push_back((bench::threadMicroseconds() - begin) / 100.0);
    }
    report("unreachable, refused (mean of a hundred)", us);
}

/// Rounds of one edit each: a block comes or goes, the chunk is built, an update takes it in. Calls took(CPU time of that update).
template <class Took>
void rebuild(World& world, NavWorld& nav, std::vector<std::function<void()>>& jobs, Rng& rng, int chunks, Took&& took) {
    for (int done = 0; done < chunks;) {
        const CellRect rect{static_cast<int>(rng.below(15)) * 64 + 20, static_cast<int>(rng.below(15)) * 64 + 20, 6, 6};
        const bool place = rng.percent(50);
        world.edit([&](WorldEdit& e) {
            if (place) {
                e.placeObstacle(rect, ObstacleKind::Rock, 2.0f);
            } else {
                e.removeObstacle(rect);
            }
        });
        nav.update(world.snapshot());
        for (const auto& job : jobs) job();
        jobs.clear();
        const std::uint64_t before = nav.stats().built;
        const double begin = bench::threadMicroseconds();
        nav.update(world.snapshot());
        const double us = bench::threadMicroseconds() - begin;
        if (nav.stats().built == before) continue;
        took(us);
        ++done;
    }
}

void tick(World& world, Rng& rng) {
    std::vector<std::function<void()>> jobs;
    const auto nav = meshOf(world, [&](std::function<void()> job) { jobs.push_back(std::move(job)); });
    std::vector<double> us;
    rebuild(world, *nav, jobs, rng, 600, [&](double t) { us.push_back(t); });
    report("a tick that takes in and publishes a chunk", us);
}

void readers(World& world, Rng& rng) {
    std::vector<std::function<void()>> jobs;
    const auto nav = meshOf(world, [&](std::function<void()> job) { jobs.push_back(std::move(job)); });
    std::atomic<bool> stop{false};
    std::vector<std::vector<double>> wall(2), cpu(2);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 2; ++t) {
        threads.emplace_back([&, t] {
            NavReader own(*nav);
            Rng dice(t + 5);
            NavPath found;
            while (!stop.load(std::memory_order_relaxed)) {
                const Position a = randomCell(dice, 490);
                Position b = randomCell(dice, kSize);
                b.x = a.x + static_cast<float>(dice.below(100)) * (a.x < 300.0f ? 1.0f : -1.0f);
                const double begin = wallTime(), begin_cpu = bench::threadMicroseconds();
                own.findPath({.from = a, .to = b}, found);
                cpu[t].push_back(bench::threadMicroseconds() - begin_cpu);
                wall[t].push_back(wallTime() - begin);
            }
        });
    }
    std::vector<double> us;
    rebuild(world, *nav, jobs, rng, 2500, [&](double t) { us.push_back(t); });
    stop = true;
    for (std::thread& t : threads) t.join();
    for (auto* times : {&wall, &cpu}) (*times)[0].insert((*times)[0].end(), (*times)[1].begin(), (*times)[1].end());
    report("ticks while two threads query", us);
    report("queries of two threads, wall time", wall[0]);
    report("queries of two threads, CPU time", cpu[0]);
    std::printf("%llu tiles rebuilt, %llu flips, %llu put off\n", static_cast<unsigned long long>(4 * us.size()),
                static_cast<unsigned long long>(nav->stats().flips), static_cast<unsigned long long>(nav->stats().deferred));
}

}  // namespace

int main(int argc, char** argv) {
    const auto wanted = [&](std::string_view part) {
        return argc < 2 || std::any_of(argv + 1, argv + argc, [&](const char* name) { return part == name; });
    };
    Rng rng(1);
    World blocks({.width = kSize, .height = kSize}), parted({.width = kSize, .height = kSize});
    scatterBlocks(blocks, rng);
    partWorld(parted, rng);
    if (wanted("build")) build(blocks);
    if (wanted("ways") && !ways(blocks, rng)) return 1;
    if (wanted("long")) longWays();
    if (wanted("refuse")) refuse(parted, rng);
    if (wanted("tick")) tick(parted, rng);
    if (wanted("readers")) readers(parted, rng);
    return 0;
}
