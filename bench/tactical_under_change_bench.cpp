// The central bet: do tactical routes stay cheap while threat, sources and ground change every second?
//
//   build/release/bench/tactical_under_change_bench [--quick] [--seconds N]
//
// Scene: 8192 x 8192 (--quick: 2048) of meadows, woods, marshes, towns and roads; 8 sides with 200 sources of range 60 each, in groups along fronts, all
// moving every second; 20 chunks edited every second; 200 routes of 100 m asked for every second near the fronts, CAUTIOUS and STEALTH in turn, four classes.
// Measured in processor time of the one thread: threat work a second (taking in the ground, views, sums, blur, publishing), edits, repair of regions
// (TileStore::prepare, which a worker would do), queries exact, with w = 1.25, and BALANCED. Every weighted answer is held to 1.25 times the exact one's cost.
// Memory: what each part holds, and what the process has.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <variant>
#include <vector>

#include "timing.h"
#include "warpath/core/hash.h"
#include "warpath/core/rng.h"
#include "warpath/pathfinder/query.h"
#include "warpath/tactical/threat_map.h"
#include "warpath/world/world.h"

namespace {

using namespace warpath;

constexpr int kSides = 8, kSources = 200, kQueries = 200, kEdits = 20;

using bench::Times;

int between(Rng& rng, int low, int high) { return low + static_cast<int>(rng.below(static_cast<std::uint32_t>(high - low + 1))); }

std::unique_ptr<World> makeWorld(int size) {
    Rng rng(42);
    auto world = std::make_unique<World>(WorldConfig{.width = size, .height = size});
    world->edit([&](WorldEdit& e) {
        const auto place = [&](int margin) { return between(rng, 0, size - margin); };
        const int patches = size / 64 * (size / 64) * 2;
        constexpr Terrain kGround[] = {Terrain::Forest, Terrain::Swamp, Terrain::Sand, Terrain::Urban};
        for (int i = 0; i < patches; ++i) {
            const int x = place(60), y = place(60);
            e.setTerrain({x, y, between(rng, 8, 50), between(rng, 8, 50)}, kGround[rng.below(4)]);
        }
        for (int i = 0; i < size / 96; ++i) {  // roads from edge to edge
            e.setTerrain({0, place(8), size, 3}, Terrain::Road);
            e.setTerrain({place(8), 0, 3, size}, Terrain::Road);
        }
        for (int i = 0; i < size / 64 * (size / 64) * 5 / 2; ++i) {  // about 40,000 buildings, in groups of four
            const int x = place(24), y = place(24);
            if (i % 4 != 0) continue;
            for (int k = 0; k < 4; ++k) {
                e.placeObstacle({x + between(rng, 0, 14), y + between(rng, 0, 14), between(rng, 1, 10), between(rng, 1, 6)}, ObstacleKind::Building,
                                static_cast<float>(between(rng, 10, 90)) / 10.0f);
            }
        }
    });
    return world;
}

struct Side {
    std::vector<ThreatSource> sources;
    std::unique_ptr<ThreatMap> map;
};

/// Moves a source by up to 12 m, within the map.
void move(ThreatSource& s, Rng& rng, int size) {
    const auto step = [&](float at) {
        return std::clamp(at + static_cast<float>(between(rng, -120, 120)) / 10.0f, 0.0f, static_cast<float>(size) - 0.1f);
    };
    s.position = {step(s.position.x), step(s.position.y)};
}

struct Asked {
    PathRequest request;
    Cost exact = 0;
};

/// A route of 100 m that begins within 80 m of a source that threatens its side.
PathRequest randomRequest(Rng& rng, const WorldSnapshot& snapshot, const std::vector<Side>& sides, int index) {
    constexpr UnitType kClasses[] = {UnitType::Infantry, UnitType::TankMedium, UnitType::Wheeled, UnitType::TankLight};
    PathRequest request;
    request.side = index % kSides;
    request.constraints.unit_type = kClasses[(index / 2) % 4];
    request.constraints.doctrine = index % 2 == 0 ? Doctrine::Cautious : Doctrine::Stealth;
    const auto isFree = [&](Cell c) { return snapshot.contains(c) && obstacleKind(snapshot.obstacleAt(c)) == ObstacleKind::None; };
    while (true) {
        const ThreatSource& near = sides[static_cast<std::size_t>(request.side)].sources[rng.below(kSources)];
        const Cell at = cellAt(near.position), from{at.x + between(rng, -80, 80), at.y + between(rng, -80, 80)};
        const int dx = between(rng, -100, 100), rest = 100 - std::abs(dx);
        const int dy = (rng.percent(50) ? 1 : -1) * (rest + (100 - rest) * 2 / 5);  // about 100 m away
        const Cell to{from.x + dx, from.y + dy};
        if (!isFree(from) || !isFree(to)) continue;
        request.from = centreOf(from);
        request.goal = Goal::point(centreOf(to));
        return request;
    }
}

std::size_t residentBytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t total = 0, resident = 0;
    file >> total >> resident;
    return resident * 4096;
}

void fail(const char* what) {
    std::fprintf(stderr, "FAILED: %s\n", what);
    std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
    bool quick = false;
    int seconds = 5;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--quick") == 0) quick = true;
        if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) seconds = std::max(1, std::atoi(argv[++i]));
    }
    const int size = quick ? 2048 : 8192;
    const auto world = makeWorld(size);
    auto store = std::make_shared<TileStore>();
    Query query(store);
    for (const UnitType unit : {UnitType::Infantry, UnitType::TankMedium, UnitType::Wheeled, UnitType::TankLight}) {
        for (const Doctrine doctrine : {Doctrine::Balanced, Doctrine::Cautious, Doctrine::Stealth}) {
            const auto resolved = resolve({.unit_type = unit, .doctrine = doctrine}, world->snapshot().rules());
            if (store->registerMetric(std::get<ResolvedConstraints>(resolved).metric)) fail("a metric");
        }
    }
    Times first_prepare;
    first_prepare.measure([&] { store->prepare(world->snapshot()); });

    Rng rng(17);
    std::vector<Side> sides(kSides);
    std::vector<Position> fronts;
    for (int i = 0; i < 40; ++i) fronts.push_back({static_cast<float>(between(rng, 200, size - 200)), static_cast<float>(between(rng, 200, size - 200))});
    for (int side = 0; side < kSides; ++side) {
        Side& s = sides[static_cast<std::size_t>(side)];
        for (std::uint32_t id = 0; id < kSources; ++id) {
            const Position front = fronts[rng.below(static_cast<std::uint32_t>(fronts.size()))];
            ThreatSource source{.id = id, .position = front, .range = 60.0f, .firepower = static_cast<float>(between(rng, 5, 15)) / 10.0f};
            for (int k = 0; k < 15; ++k) move(source, rng, size);
            source.position.x = std::clamp(source.position.x + static_cast<float>(between(rng, -180, 180)), 0.0f, static_cast<float>(size) - 1.0f);
            source.position.y = std::clamp(source.position.y + static_cast<float>(between(rng, -180, 180)), 0.0f, static_cast<float>(size) - 1.0f);
            s.sources.push_back(source);
        }
        s.map = std::make_unique<ThreatMap>(world->snapshot(), side, ThreatConfig{});
    }

    Times threat, publishing, editing, preparing, exact, weighted, balanced;
    std::uint64_t expansions = 0, expansions_balanced = 0, cells = 0;
    int found = 0, asked = 0;
    std::size_t published = 0;
    Hash64 hash;
    Path path;
    for (int second = -1; second < seconds; ++second) {  // the first fills the maps
        if (second >= 0) {
            for (Side& side : sides) {
                for (ThreatSource& source : side.sources) move(source, rng, size);
            }
        }
        const auto update = [&] {
            for (Side& side : sides) {
                side.map->setGround(world->snapshot());
                if (side.map->update(side.sources)) fail("the sources");
                side.map->finish();
            }
        };
        const auto publish = [&] {
            world->edit([&](WorldEdit& e) {
                for (Side& side : sides) published += side.map->publish(e);
            });
        };
        if (second < 0) {
            update();
            publish();
            published = 0;
            continue;
        }
        threat.measure(update);
        publishing.measure(publish);

        for (int i = 0; i < kQueries; ++i, ++asked) {
            if (i % (kQueries / kEdits) == 0) {
                const Cell at = cellAt(sides[rng.below(kSides)].sources[rng.below(kSources)].position);
                const CellRect rect{std::clamp(at.x, 0, size - 8), std::clamp(at.y, 0, size - 8), 8, 5};
                editing.measure([&] {
                    world->edit([&](WorldEdit& e) {
                        if (rng.percent(50)) e.placeObstacle(rect, ObstacleKind::Building, 5.0f);
                        else e.removeObstacle(rect);
                    });
                });
                preparing.measure([&] { store->prepare(world->snapshot()); });
            }
            const WorldSnapshot snapshot = world->snapshot();
            PathRequest request = randomRequest(rng, snapshot, sides, asked);
            exact.measure([&] { query.findPath(snapshot, request, path); });
            hash.add(path.cost);
            expansions += path.expansions;
            const Cost cost = path.cost;
            const bool is_found = path.status == PathStatus::Found;
            found += is_found ? 1 : 0;
            cells += path.cells.size();

            PathRequest loose = randomRequest(rng, snapshot, sides, asked);  // another place, so that nothing is warm
            loose.weight = 1.25f;
            weighted.measure([&] { query.findPath(snapshot, loose, path); });
            const Cost loose_cost = path.cost;
            const bool loose_found = path.status == PathStatus::Found;
            loose.weight = 1.0f;
            query.findPath(snapshot, loose, path);
            if (loose_found != (path.status == PathStatus::Found)) fail("w = 1.25 disagrees about reachability");
            if (loose_found && static_cast<double>(loose_cost) > 1.25 * static_cast<double>(path.cost)) fail("w = 1.25 costs more than 1.25 times the optimum");

            PathRequest plain = randomRequest(rng, snapshot, sides, asked);
            plain.constraints.doctrine = Doctrine::Balanced;
            balanced.measure([&] { query.findPath(snapshot, plain, path); });
            expansions_balanced += path.expansions;
            if (is_found && second == 0 && i < 20) {  // the same question again gives the same answer
                query.findPath(snapshot, request, path);
                if (path.cost != cost) fail("an answer depends on history");
            }
        }
    }

    const auto mb = [](std::size_t bytes) { return static_cast<double>(bytes) / 1e6; };
    std::printf("%d x %d, %d sides x %d sources moving every second, %d seconds, %d queries and %d edits a second\n", size, size, kSides, kSources, seconds,
                kQueries, kEdits);
    std::printf("  %-34s median %8.2f   most %8.2f ms a second   (%zu chunks published a second; wanted 60 with publishing)\n", "threat", threat.at(0.5),
                threat.at(1.0), published / static_cast<std::size_t>(seconds));
    std::printf("  %-34s median %8.2f   most %8.2f ms a second\n", "publishing", publishing.at(0.5), publishing.at(1.0));
    std::printf("  %-34s median %8.3f   p99  %8.3f ms an edit\n", "edit of one chunk", editing.at(0.5), editing.at(0.99));
    std::printf("  %-34s median %8.3f   p99  %8.3f ms an edit (first: %.0f ms)\n", "tables of 12 metrics after it", preparing.at(0.5), preparing.at(0.99),
                first_prepare.at(0.5));
    const auto line = [&](const char* what, Times& t, double wanted, double wanted_p99) {
        std::printf("  %-34s median %8.3f   p99  %8.3f ms   (wanted %.1f, p99 %.0f)   %.1f ms a second\n", what, t.at(0.5), t.at(0.99), wanted, wanted_p99,
                    t.sum() / seconds);
    };
    line("exact, CAUTIOUS and STEALTH", exact, 0.6, 3.0);
    line("w = 1.25", weighted, 0.3, 3.0);
    line("exact, BALANCED", balanced, 0.3, 3.0);
    std::printf("  %d of %d found, %.0f cells settled a query (BALANCED %.0f), %.0f cells a route, hash %016llx\n", found, asked,
                static_cast<double>(expansions) / asked, static_cast<double>(expansions_balanced) / asked, static_cast<double>(cells) / std::max(found, 1),
                static_cast<unsigned long long>(hash.value()));
    std::size_t threat_bytes = 0;
    for (const Side& side : sides) threat_bytes += side.map->memoryBytes();
    std::printf("  memory: world %.0f MB, threat maps %.0f MB (published records are counted in both), tiles and tables %.0f MB, query %.0f MB; the process has %.0f MB "
                "(wanted 1500)\n",
                mb(world->memoryBytes()), mb(threat_bytes), mb(store->stats().bytes), mb(query.memoryBytes()), mb(residentBytes()));
    return 0;
}
