// What do threat maps, blurs and fields of view cost, and can eight sides with two hundred moving sources each be kept up every second?
//
//   build/release/bench/threat_bench [--quick] [cover|blur|view|sources|move|long|bet]
//
// Scenes are seeded. Every incremental result is compared with a fresh map before its time is printed. Times: processor time, median and p99 of
// the repetitions, with the least in front.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "timing.h"
#include "warpath/core/hash.h"
#include "warpath/core/rng.h"
#include "warpath/grid/cover_tile.h"
#include "warpath/tactical/gaussian_kernel.h"
#include "warpath/tactical/sight.h"
#include "warpath/tactical/threat_map.h"
#include "warpath/world/world.h"

namespace {

using namespace warpath;

using bench::Times;

void print(const char* what, const Times& times) {
    std::printf("  %-56s least %8.3f   median %8.3f   p99 %8.3f ms\n", what, times.at(0.0), times.at(0.5), times.at(0.99));
}

int between(Rng& rng, int low, int high) { return low + static_cast<int>(rng.below(static_cast<std::uint32_t>(high - low + 1))); }

/// Buildings and walls over about 8 % of the ground, in groups as in a town.
std::unique_ptr<World> makeWorld(int size, bool hills) {
    Rng rng(42);
    auto world = std::make_unique<World>(WorldConfig{.width = size, .height = size});
    world->edit([&](WorldEdit& e) {
        const int groups = size * size / 6000;
        for (int g = 0; g < groups; ++g) {
            const int x = between(rng, 0, size - 30);
            const int y = between(rng, 0, size - 30);
            for (int k = 0; k < 4; ++k) {
                const int w = between(rng, 1, 18);
                const int h = between(rng, 1, 8);
                const int dx = between(rng, 0, 20);
                const int dy = between(rng, 0, 20);
                e.placeObstacle({x + dx, y + dy, w, h}, ObstacleKind::Building, static_cast<float>(between(rng, 10, 90)) / 10.0f);
            }
        }
        if (hills) {
            for (int y = 0; y < size; y += 4) {
                for (int x = 0; x < size; x += 4) {
                    const int h = std::abs((x * 3 + y) % 400 - 200) + std::abs((y * 2 - x) % 300 - 150);
                    e.setElevation({x, y, 4, 4}, static_cast<float>(h) / 20.0f);
                }
            }
        }
    });
    return world;
}

std::vector<ThreatSource> makeSources(int size, int count, float range, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<ThreatSource> sources;
    for (int i = 0; i < count; ++i) {
        ThreatSource s;
        s.id = static_cast<std::uint32_t>(i);
        s.position.x = static_cast<float>(between(rng, 0, size * 10 - 1)) / 10.0f;
        s.position.y = static_cast<float>(between(rng, 0, size * 10 - 1)) / 10.0f;
        s.range = range;
        s.firepower = 1.0f;
        sources.push_back(s);
    }
    return sources;
}

/// Moves a source by up to 12 m, within the map.
void move(ThreatSource& s, Rng& rng, int size) {
    const float dx = static_cast<float>(between(rng, -120, 120)) / 10.0f;
    const float dy = static_cast<float>(between(rng, -120, 120)) / 10.0f;
    s.position.x = std::clamp(s.position.x + dx, 0.0f, static_cast<float>(size) - 0.1f);
    s.position.y = std::clamp(s.position.y + dy, 0.0f, static_cast<float>(size) - 0.1f);
}

std::uint64_t hashOf(const ThreatMap& map, int size) {
    Hash64 h;
    for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) h.add(static_cast<std::uint64_t>(map.threatAt({x, y})));
    }
    return h.value();
}

void benchBlur(int repeats) {
    constexpr int kSize = 1024;
    Rng rng(7);
    std::vector<std::uint16_t> in(kSize * kSize), out(in.size());
    for (std::uint16_t& v : in) v = static_cast<std::uint16_t>(rng.below(16385));
    const GaussianKernel kernel(8);
    Times t;
    for (int i = 0; i < repeats; ++i) t.measure([&] { blurGrid(kernel, in.data(), kSize, kSize, out.data()); });
    std::printf("blur\n");
    print("1024^2, radius 8", t);
}

void benchView(const World& world, const char* what, int repeats) {
    SightScratch scratch;
    FieldOfView view;
    Rng rng(3);
    const WorldSnapshot s = world.snapshot();
    Times t;
    std::uint64_t seen = 0;
    for (int i = 0; i < repeats; ++i) {
        const Cell c{between(rng, 0, s.width() - 1), between(rng, 0, s.height() - 1)};
        t.measure([&] { fieldOfView(s, c, 60, {}, scratch, view); });
        seen += static_cast<std::uint64_t>(view.count());
    }
    std::printf("field of view, radius 60, %s (mean cells seen %llu)\n", what, static_cast<unsigned long long>(seen / static_cast<unsigned>(repeats)));
    print("one observer", t);
}

void benchFull(const World& world, bool sight, int resolution, int repeats) {
    const int size = world.snapshot().width();
    const auto sources = makeSources(size, 200, 60.0f, 5);
    const ThreatConfig config{.resolution = resolution, .blur_radius = 0, .line_of_sight = sight};
    Times t;
    std::uint64_t hash = 0;
    ThreatMap map(world.snapshot(), 0, config);
    (void)map.update(sources);
    map.finish();
    hash = hashOf(map, size);
    for (int i = 0; i < repeats; ++i) {  // away and back: twice the work of adding
        t.measure([&] {
            (void)map.update({});
            map.finish();
            (void)map.update(sources);
            map.finish();
        });
    }
    for (double& ms : t.ms) ms /= 2;
    std::printf("200 sources of range 60 on 1024^2, %d m, %s (hash %016llx)\n", resolution, sight ? "with sight" : "without sight",
                static_cast<unsigned long long>(hash));
    print("all sources, half of taking all away and adding them", t);
    Times fresh;
    for (int i = 0; i < repeats; ++i) {
        ThreatMap one(world.snapshot(), 0, config);
        (void)one.update(sources);
        fresh.measure([&] { one.finish(); });
    }
    print("a fresh map, first allocation of its tiles included", fresh);
}

void benchMove(const World& world, int resolution, int blur, int repeats) {
    const int size = world.snapshot().width();
    auto sources = makeSources(size, 200, 60.0f, 5);
    const ThreatConfig config{.resolution = resolution, .blur_radius = blur};
    ThreatMap map(world.snapshot(), 0, config);
    (void)map.update(sources);
    map.finish();
    Rng rng(11);
    Times t;
    for (int i = 0; i < repeats; ++i) {
        for (int k = 0; k < 10; ++k) move(sources[rng.below(200)], rng, size);
        (void)map.update(sources);
        t.measure([&] { map.finish(); });
    }
    ThreatMap fresh(world.snapshot(), 0, config);
    (void)fresh.update(sources);
    fresh.finish();
    std::printf("moving 10 of 200 sources with sight, %d m, blur %d: %s a fresh map\n", resolution, blur,
                hashOf(map, size) == hashOf(fresh, size) ? "equals" : "DIFFERS FROM");
    print("update", t);
}

/// One source of the longest range, in slices of a budget.
void benchLong(const World& world, const char* what, int resolution) {
    ThreatMap map(world.snapshot(), 0, {.resolution = resolution});
    const float middle = static_cast<float>(world.snapshot().width()) / 2.0f;
    (void)map.addThreatSource({.id = 1, .position = {middle, middle}, .range = 1000.0f, .firepower = 1.0f});
    Times t;
    double total = 0.0;
    for (bool done = false; !done;) t.measure([&] { done = map.step(1000); });
    for (const double ms : t.ms) total += ms;
    std::printf("one source of range 1000, %s, %d m: %.0f ms in %zu steps of 1000 units, %.1f MB\n", what, resolution, total, t.ms.size(),
                static_cast<double>(map.memoryBytes()) / 1e6);
    print("a step", t);
    std::printf("  %-56s %8.3f ms\n", "the longest step", t.at(1.0));
}

void benchBet(bool quick) {
    const int size = quick ? 2048 : 8192;
    const auto world = makeWorld(size, false);
    constexpr int kSides = 8;
    std::vector<std::vector<ThreatSource>> sources;
    std::vector<ThreatMap> maps;
    for (int side = 0; side < kSides; ++side) {
        sources.push_back(makeSources(size, 200, 60.0f, 100 + static_cast<std::uint64_t>(side)));
        maps.emplace_back(world->snapshot(), side, ThreatConfig{});
        (void)maps.back().update(sources.back());
        maps.back().finish();
    }
    world->edit([&](WorldEdit& e) {
        for (ThreatMap& map : maps) map.publish(e);
    });
    Rng rng(17);
    Times all, update_only, publish_only;
    std::size_t written = 0;
    const int seconds = quick ? 5 : 15;
    for (int second = 0; second < seconds; ++second) {
        for (auto& list : sources) {
            for (ThreatSource& s : list) move(s, rng, size);
        }
        all.measure([&] {
            update_only.measure([&] {
                for (std::size_t side = 0; side < kSides; ++side) {
                    maps[side].setGround(world->snapshot());
                    (void)maps[side].update(sources[side]);
                    maps[side].finish();
                }
            });
            publish_only.measure([&] {
                world->edit([&](WorldEdit& e) {
                    for (ThreatMap& map : maps) written += map.publish(e);
                });
            });
        });
    }
    std::size_t bytes = 0;
    for (const ThreatMap& map : maps) bytes += map.memoryBytes();
    std::printf("8 sides x 200 sources of range 60, all moving, %d^2, 2 m, blur 2 (%zu chunks published a second, %.1f MB)\n", size,
                written / static_cast<std::size_t>(seconds), static_cast<double>(bytes) / 1e6);
    print("update", update_only);
    print("publish", publish_only);
    print("a second's work", all);
}

void benchCover(const World& world, const char* what) {
    const WorldSnapshot s = world.snapshot();
    auto tile = std::make_unique<CoverTile>();
    Times t;
    Hash64 h;
    for (int round = 0; round < 3; ++round) {
        for (int y = 0; y < s.chunkRows(); ++y) {
            for (int x = 0; x < s.chunkColumns(); ++x) {
                t.measure([&] { compileCoverTile(s, {x, y}, *tile); });
                if (round == 0) {
                    for (std::size_t i = 0; i < kChunkCells; ++i) h.add(std::uint64_t{tile->cover[i]} | std::uint64_t{tile->exposure[i]} << 8);
                }
            }
        }
    }
    std::printf("cover and exposure of a chunk, %s (hash %016llx): %.2f ns per cell\n", what, static_cast<unsigned long long>(h.value()),
                t.at(0.5) * 1e6 / kChunkCells);
    print("one chunk", t);
}

}  // namespace

int main(int argc, char** argv) {
    bool quick = false;
    const char* only = "";
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--quick") == 0) {
            quick = true;
        } else {
            only = argv[i];
        }
    }
    const auto wanted = [&](const char* name) { return std::strstr(name, only) != nullptr; };
    const int repeats = quick ? 10 : 60;
    const auto town = makeWorld(1024, false), hills = makeWorld(1024, true);
    if (wanted("cover")) benchCover(*town, "town");
    if (wanted("blur")) benchBlur(repeats);
    if (wanted("view")) {
        benchView(*town, "town", repeats * 20);
        benchView(*hills, "hills", repeats);
    }
    if (wanted("sources")) {
        benchFull(*town, false, 1, repeats);
        benchFull(*town, true, 1, repeats);
        benchFull(*town, true, 2, repeats);
    }
    if (wanted("move")) {
        benchMove(*town, 1, 2, repeats);
        benchMove(*town, 2, 2, repeats);
        benchMove(*town, 1, 8, repeats);
    }
    if (wanted("long")) {
        benchLong(*town, "town 1024^2", 2);
        benchLong(*hills, "hills 1024^2", 2);
        benchLong(*makeWorld(2048, true), "hills 2048^2", 2);
    }
    if (wanted("bet")) benchBet(quick);
    return 0;
}
