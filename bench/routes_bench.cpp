// What do several routes, the nearest cover and watching cost against one query?
//
//   build/release/bench/routes_bench            100 m queries on seeded fields of 400 x 400 with 40 sources of threat
//
// Figures that do not depend on the machine come first: routes found, cells settled, a hash of the costs.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "support/drawn_map.h"
#include "timing.h"
#include "warpath/core/hash.h"
#include "warpath/pathfinder/query.h"
#include "warpath/pathfinder/route_watch.h"
#include "warpath/pathfinder/tactics.h"
#include "warpath/tactical/threat_map.h"

using namespace warpath;

namespace {

using bench::microseconds;
using bench::percentile;

struct Doctrines {
    const char* name;
    PathConstraints constraints;
};

}  // namespace

int main() {
    constexpr int kSide = 400;
    const auto world = randomField(5, kSide, kSide, 8);
    Rng rng(11);
    ThreatMap threat(world->snapshot(), 0, {});
    for (std::uint32_t i = 0; i < 40; ++i) {
        const Position at = mid(static_cast<int>(rng.below(kSide)), static_cast<int>(rng.below(kSide)));
        if (threat.addThreatSource({.id = i, .position = at, .range = 60.0f, .firepower = 0.8f})) return 1;
    }
    threat.finish();
    world->edit([&](WorldEdit& e) { threat.publish(e); });
    const WorldSnapshot snapshot = world->snapshot();

    Query query;
    TacticalQuery tactics(query);
    const Doctrines doctrines[] = {
        {"plain", plainDistance()}, {"balanced", {}}, {"cautious", {.doctrine = Doctrine::Cautious}}, {"stealth", {.doctrine = Doctrine::Stealth}}};
    std::printf("%-9s %6s %6s %8s %8s %10s %10s %10s %10s\n", "doctrine", "pairs", "three", "settled", "trees", "one_us", "three_us", "ratio", "ratio_p99");
    for (const Doctrines& d : doctrines) {
        Rng pairs(3);
        std::vector<double> one, three, ratio;
        int with_three = 0;
        std::uint64_t settled = 0, settled_one = 0;
        Hash64 hash;
        for (int i = 0; i < 200; ++i) {
            const int x = static_cast<int>(pairs.below(kSide - 110)) + 5, y = static_cast<int>(pairs.below(kSide));
            const int to = std::clamp(y - 30 + static_cast<int>(pairs.below(60)), 0, kSide - 1);
            MultiPathRequest request{.path = {.from = mid(x, y), .goal = Goal::point(mid(x + 96, to)), .constraints = d.constraints}};
            Path path;
            std::vector<Path> paths;
            if (query.findPath(snapshot, request.path, path) != PathStatus::Found) continue;
            if (query.findAllPaths(snapshot, request, paths) != PathStatus::Found) return 1;
            if (paths[0].cost != path.cost) return 1;
            for (const Path& p : paths) {
                hash.add(p.cost);
            }
            settled += paths.back().expansions;
            settled_one += path.expansions;
            with_three += paths.size() == 3 ? 1 : 0;
            double a = 1e9, b = 1e9;
            for (int r = 0; r < 3; ++r) {
                a = std::min(a, microseconds([&] { query.findPath(snapshot, request.path, path); }));
                b = std::min(b, microseconds([&] { query.findAllPaths(snapshot, request, paths); }));
            }
            one.push_back(a);
            three.push_back(b);
            ratio.push_back(b / a);
        }
        std::printf("%-9s %6zu %6d %8llu %8llu %10.1f %10.1f %10.2f %10.2f  hash %016llx\n", d.name, one.size(), with_three,
                    static_cast<unsigned long long>(settled_one / std::max<std::size_t>(one.size(), 1)),
                    static_cast<unsigned long long>(settled / std::max<std::size_t>(one.size(), 1)), percentile(one, 0.5), percentile(three, 0.5),
                    percentile(ratio, 0.5), percentile(ratio, 0.99), static_cast<unsigned long long>(hash.value()));
    }

    for (const Doctrines& d : doctrines) {
        std::vector<double> times;
        Rng places(9);
        int found = 0;
        for (int i = 0; i < 500; ++i) {
            const NearestCoverRequest request{.from = mid(static_cast<int>(places.below(kSide)), static_cast<int>(places.below(kSide))),
                                              .threat_direction = {static_cast<float>(places.below(3)) - 1.0f, static_cast<float>(places.below(3)) - 1.0f},
                                              .constraints = d.constraints};
            NearestCover cover = tactics.nearestCover(snapshot, request);
            if (cover.status == PathStatus::StartBlocked) continue;
            found += cover.status == PathStatus::Found ? 1 : 0;
            double best = 1e9;
            for (int r = 0; r < 3; ++r) best = std::min(best, microseconds([&] { cover = tactics.nearestCover(snapshot, request); }));
            times.push_back(best);
        }
        std::printf("nearest cover within 50 m, %-9s %4d of %zu found, median %.1f us, p99 %.1f us\n", d.name, found, times.size(), percentile(times, 0.5), percentile(times, 0.99));
    }

    RouteWatch watch(query.tiles());
    Rng places(21);
    RouteId next = 0;
    for (int i = 0; i < 1000; ++i) {
        Path path;
        const int x = static_cast<int>(places.below(kSide - 110)) + 5, y = static_cast<int>(places.below(kSide));
        if (query.findPath(snapshot, {.from = mid(x, y), .goal = Goal::point(mid(x + 96, y))}, path) == PathStatus::Found) watch.subscribe(next++, snapshot, path, {}, 0);
    }
    std::vector<double> times;
    std::size_t told = 0;
    for (int i = 0; i < 100; ++i) {
        const CellRect rect{static_cast<int>(places.below(kSide - 8)), static_cast<int>(places.below(kSide - 8)), 8, 8};
        const EditResult done = world->edit([&](WorldEdit& e) { e.placeObstacle(rect, ObstacleKind::Building, 5.0f); });
        std::vector<RouteEvent> events;
        times.push_back(microseconds([&] { watch.changed(done.snapshot, done.changed, events); }));
        told += events.size();
    }
    std::printf("%llu watched routes, edits of 8 x 8: %zu events, median %.1f us, p99 %.1f us an edit\n", static_cast<unsigned long long>(next), told,
                percentile(times, 0.5), percentile(times, 0.99));
    return 0;
}
