// What does exact search cost, how much faster than the A* of the textbooks is it, and what do edits cost?
//
//   build/release/bench/astar_bench [--quick] [--data DIR]
//
// Question 1: mean time of MovingAI queries against a textbook A* (std::priority_queue, stamps, doubles) on the same grid, in one run, and ns per
//   expansion. Every cost is compared with the file's and with the twin's first.
// Question 2: queries over 50 and 100 m on heavily weighted ground, BALANCED and terrain alone, compared with the twin where it prices the same.
// Question 3: does the time of a short query depend on the size of the map?
// The section "uniform maps": jump point search on MovingAI maps, alone and as a whole query; lengths are compared with the files'.
// Question 4 (the section "guidance"): queries of 10 to 300 m under threat, each doctrine, with and without the field that leads exact search: times,
//   expansions, what a field costs (sweeps, preparation, memory). Costs with and without are compared.
// Question 5: publishing an edit inside one chunk of an 8192 x 8192 world, and repairing its regions; repaired regions are compared with new ones.
//
// Times are processor time of the thread, each query's the least of its passes (whole passes, ours and the twin's in turn).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "support/test_paths.h"
#include "support/textbook_astar.h"
#include "timing.h"
#include "warpath/core/hash.h"
#include "warpath/core/rng.h"
#include "warpath/io/map_file.h"
#include "warpath/pathfinder/query.h"
#include "warpath/search/astar.h"
#include "warpath/search/goal_field.h"
#include "warpath/search/jps.h"
#include "warpath/tactical/threat_map.h"
#include "warpath/world/world.h"

namespace {

using namespace warpath;
using testing::FlatGrid;
using testing::TextbookAStar;

using bench::fail;
using bench::mean;
using bench::percentile;

void requireClose(double ours, double theirs, const char* what) {
    if (std::fabs(ours - theirs) > 1e-5 * std::max(1.0, theirs))
        fail(std::string(what) + ": " + std::to_string(ours) + " instead of " + std::to_string(theirs));
}

std::unique_ptr<World> orFail(std::variant<std::unique_ptr<World>, Error>&& loaded) {
    if (const Error* error = std::get_if<Error>(&loaded)) fail(error->text());
    return std::get<std::unique_ptr<World>>(std::move(loaded));
}

// --- 1: against the textbook -------------------------------------------------------------------------------------------------------------

void againstTextbook(const std::string& data, const char* map, const char* costs, double wanted_ratio, double wanted_ns, bool quick) {
    MapOptions options;
    if (costs != nullptr) {
        auto read = loadLetterCosts(data + "/" + costs);
        if (const Error* error = std::get_if<Error>(&read)) return std::printf("%s: %s (skipped)\n", map, error->text().c_str()), void();
        options.model = MapModel::Costs;
        options.costs = std::get<LetterCosts>(read);
    }
    auto scenarios = loadScenarios(data + "/" + map + ".scen");
    if (const Error* error = std::get_if<Error>(&scenarios)) return std::printf("%s: %s (skipped)\n", map, error->text().c_str()), void();
    const std::unique_ptr<World> world = orFail(loadMap(data + "/" + map, options));
    const WorldSnapshot snapshot = world->snapshot();
    const auto& all = std::get<ScenarioFile>(scenarios).scenarios;
    const std::size_t count = std::min<std::size_t>(all.size(), quick ? 40 : 400);
    const int passes = quick ? 2 : 3;

    PathRequest request;
    request.constraints = plainDistance();
    request.algorithm = PathAlgorithm::AStar;
    const FlatGrid grid = testing::flatGridOf(snapshot, request.constraints);
    TextbookAStar textbook(grid);
    Query query;
    Path path;
    std::vector<double> ours(count), theirs(count);
    double expansions = 0.0, their_expansions = 0.0, cost = 0.0;
    Hash64 hash;
    for (int pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < count; ++i) {
            const Scenario& s = all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)];
            request.from = centreOf(s.start);
            request.goal = Goal::point(centreOf(s.goal));
            const double us = bench::microseconds([&] { query.findPath(snapshot, request, path); });
            ours[i] = pass == 0 ? us : std::min(ours[i], us);
            if (pass != 0) continue;
            if (path.status != PathStatus::Found) fail(std::string(map) + ": a query was not solved");
            requireClose(costInMetres(path.cost), s.length, map);
            expansions += static_cast<double>(path.expansions);
            cost += costInMetres(path.cost);
            hash.add(path.cost);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Scenario& s = all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)];
            std::optional<TextbookAStar::Answer> answer;
            const double us = bench::microseconds([&] { answer = textbook.run(s.start, s.goal); });
            theirs[i] = pass == 0 ? us : std::min(theirs[i], us);
            if (pass != 0) continue;
            if (!answer) fail(std::string(map) + ": the twin did not solve a query");
            requireClose(answer->cost, s.length, "the twin");
            their_expansions += static_cast<double>(textbook.expansions());
        }
    }
    const double n = static_cast<double>(count), ns = 1e3 * mean(ours) * n / expansions, their_ns = 1e3 * mean(theirs) * n / their_expansions;
    const double ratio = mean(theirs) / mean(ours);
    std::printf("%s: %zu queries, cost %.3f in all, hash %016llx\n", map, count, cost, static_cast<unsigned long long>(hash.value()));
    std::printf("  ours     %8.0f expansions   mean %8.1f us   median %8.1f   p99 %9.1f   %6.1f ns per expansion (goal <= %.0f)\n", expansions / n,
                mean(ours), percentile(ours, 0.5), percentile(ours, 0.99), ns, wanted_ns);
    std::printf("  textbook %8.0f expansions   mean %8.1f us   median %8.1f   p99 %9.1f   %6.1f ns per expansion\n", their_expansions / n, mean(theirs),
                percentile(theirs, 0.5), percentile(theirs, 0.99), their_ns);
    std::printf("  ratio of the means %.2f (goal >= %.0f)\n", ratio, wanted_ratio);
}

// --- uniform maps: jump point search -----------------------------------------------------------------------------------------------------

void uniformMaps(const std::string& data, bool quick) {
    std::printf("jump point search on uniform maps: the search alone, and the whole query with the route described\n");
    struct Map {
        const char* name;
        double wanted;
    };
    for (const Map& map : {Map{"dao-arena2", 0.0}, Map{"sc1-Aftershock", 20.0}, Map{"rooms-32room_000", 25.0}, Map{"cities-Berlin_0_1024", 30.0},
                           Map{"dao-orz700d", 85.0}, Map{"mazes-maze512-4-0", 300.0}, Map{"random-random512-25-0", 700.0}}) {
        const std::string file = data + "/" + map.name + ".map";
        auto scenarios = loadScenarios(file + ".scen");
        if (const Error* error = std::get_if<Error>(&scenarios)) {
            std::printf("  %s: %s (skipped)\n", map.name, error->text().c_str());
            continue;
        }
        const auto& all = std::get<ScenarioFile>(scenarios).scenarios;
        const std::unique_ptr<World> world = orFail(loadMap(file, {}));
        const WorldSnapshot snapshot = world->snapshot();
        const auto store = std::make_shared<TileStore>();
        PathRequest request;
        request.constraints = plainDistance();
        request.algorithm = PathAlgorithm::Auto;  // A* on the random map, whose ground is too cluttered for jumps
        const auto resolved = std::get<ResolvedConstraints>(resolve(request.constraints, snapshot.rules()));
        const auto regions = store->regions(snapshot, resolved.metric.profile);
        JumpPointSearch search;
        Query query(store);
        Path path;
        const std::size_t count = std::min<std::size_t>(all.size(), quick ? 60 : 300);
        std::vector<double> alone(count), whole(count);
        double cells = 0.0, points = 0.0;
        for (int pass = 0; pass < 4; ++pass) {
            for (std::size_t i = 0; i < count; ++i) {
                const Scenario& s = all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)];
                request.from = centreOf(s.start);
                request.goal = Goal::point(centreOf(s.goal));
                JpsResult result;
                const double search_us = bench::microseconds([&] { result = search.run(*regions, s.start, s.goal, 100, UINT64_MAX); });
                const double query_us = bench::microseconds([&] { query.findPath(snapshot, request, path); });
                alone[i] = pass == 0 ? search_us : std::min(alone[i], search_us);
                whole[i] = pass == 0 ? query_us : std::min(whole[i], query_us);
                if (pass != 0) continue;
                if (path.status != PathStatus::Found || path.cost != result.cost) fail(std::string(map.name) + ": the search and the query differ");
                requireClose(costInMetres(path.cost), s.length, map.name);
                cells += static_cast<double>(path.cells.size());
                points += static_cast<double>(result.expansions);
            }
        }
        const double n = static_cast<double>(count);
        std::printf("  %-22s %6.0f jump points, %5.0f cells: search %6.1f us, whole query mean %6.1f us (goal <= %.0f), median %6.1f, p99 %7.1f\n", map.name,
                    points / n, cells / n, mean(alone), mean(whole), map.wanted, percentile(whole, 0.5), percentile(whole, 0.99));
    }
}

// --- 2: short queries on heavily weighted ground -----------------------------------------------------------------------------------------

/// Patches of every terrain type but water, roads, and buildings and rocks on about a tenth of the ground.
std::unique_ptr<World> makeHeavyWorld(int size, bool has_cover) {
    Rng rng(7);
    auto world = std::make_unique<World>(WorldConfig{.width = size, .height = size, .has_cover = has_cover});
    world->edit([&](WorldEdit& edit) {
        const auto at = [&] { return static_cast<int>(rng.below(static_cast<std::uint32_t>(size))); };
        for (int i = 0; i < size * size / 120; ++i) {
            const int x = at();
            const int y = at();
            const int width = 3 + static_cast<int>(rng.below(14));
            const int height = 3 + static_cast<int>(rng.below(14));
            edit.setTerrain({x, y, width, height}, static_cast<Terrain>(rng.below(8)));
        }
        for (int i = 0; i < size / 60; ++i) {
            const int row = at();
            const int column = at();
            edit.setTerrain({0, row, size, 2}, Terrain::Road);
            edit.setTerrain({column, 0, 2, size}, Terrain::Road);
        }
        for (int i = 0; i < size * size / 350; ++i) {
            const int x = at();
            const int y = at();
            const int width = 2 + static_cast<int>(rng.below(8));
            const int height = 2 + static_cast<int>(rng.below(8));
            edit.placeObstacle({x, y, width, height}, static_cast<ObstacleKind>(1 + rng.below(4)), 1.0f + static_cast<float>(rng.below(8)));
        }
    });
    return world;
}

bool isBlocked(const WorldSnapshot& snapshot, Cell c) { return obstacleKind(snapshot.obstacleAt(c)) != ObstacleKind::None; }

/// Pairs of free cells at about `distance` from one another in a random direction.
std::vector<std::pair<Cell, Cell>> pairsAt(const WorldSnapshot& snapshot, int distance, std::size_t count) {
    Rng rng(static_cast<std::uint64_t>(distance));
    std::vector<std::pair<Cell, Cell>> pairs;
    while (pairs.size() < count) {
        const int x = static_cast<int>(rng.below(static_cast<std::uint32_t>(snapshot.width())));
        const int y = static_cast<int>(rng.below(static_cast<std::uint32_t>(snapshot.height())));
        const int dx = static_cast<int>(rng.below(static_cast<std::uint32_t>(2 * distance + 1))) - distance;
        const auto rise = static_cast<int>(std::lround(std::sqrt(static_cast<double>(distance * distance - dx * dx))));
        const int dy = rng.percent(50) ? rise : -rise;
        const Cell from{x, y}, to{x + dx, y + dy};
        if (snapshot.contains(to) && !isBlocked(snapshot, from) && !isBlocked(snapshot, to)) pairs.emplace_back(from, to);
    }
    return pairs;
}

void shortQueries(bool quick) {
    const std::unique_ptr<World> world = makeHeavyWorld(1024, true);
    const WorldSnapshot snapshot = world->snapshot();
    const std::size_t count = quick ? 100 : 1000;
    struct Case {
        const char* name;
        PathConstraints constraints;
        bool has_twin;
    };
    PathConstraints terrain_only = plainDistance();
    terrain_only.unit_type = UnitType::Wheeled;
    const Case cases[] = {{"terrain alone (wheeled)", terrain_only, true}, {"BALANCED (infantry)", {}, false}};
    std::printf("1024 x 1024 of patches of eight terrain types with cover and exposure, %zu queries each\n", count);
    for (const Case& c : cases) {
        const FlatGrid grid = testing::flatGridOf(snapshot, c.constraints);
        TextbookAStar twin(grid);
        for (const int distance : {50, 100}) {
            Query query;
            Path path;
            PathRequest request;
            request.constraints = c.constraints;
            request.algorithm = PathAlgorithm::AStar;
            const auto pairs = pairsAt(snapshot, distance, count);
            std::vector<double> times(count);
            double expansions = 0.0, cost = 0.0;
            std::size_t found = 0;
            Hash64 hash;
            for (int pass = 0; pass < 3; ++pass) {
                for (std::size_t i = 0; i < count; ++i) {
                    request.from = centreOf(pairs[i].first);
                    request.goal = Goal::point(centreOf(pairs[i].second));
                    const double us = bench::microseconds([&] { query.findPath(snapshot, request, path); });
                    times[i] = pass == 0 ? us : std::min(times[i], us);
                    if (pass != 0) continue;
                    hash.add(path.cost);
                    expansions += static_cast<double>(path.expansions);
                    if (path.status == PathStatus::Found) ++found, cost += costInMetres(path.cost);
                    if (!c.has_twin || i % 20 != 0) continue;
                    const auto answer = twin.run(pairs[i].first, pairs[i].second);
                    if (answer.has_value() != (path.status == PathStatus::Found)) fail("the twin disagrees about reachability");
                    if (answer) requireClose(costInMetres(path.cost), answer->cost, "twin");
                }
            }
            const double n = static_cast<double>(count), sum = mean(times) * n;
            std::printf("  %-24s %3d m: found %zu, cost %.2f, %.0f expansions, hash %016llx\n", c.name, distance, found, cost, expansions / n,
                        static_cast<unsigned long long>(hash.value()));
            std::printf("    median %7.1f us (goal < %.0f)   p99 %8.1f%s   mean %7.1f   %5.1f ns per expansion\n", percentile(times, 0.5),
                        distance == 50 ? 200.0 : 500.0, percentile(times, 0.99), distance == 100 ? " (goal < 2000)" : "", mean(times),
                        1e3 * sum / expansions);
        }
    }
}

// --- guidance ----------------------------------------------------------------------------------------------------------------------------

/// Publishes the threat of `count` sources for a side.
void addThreat(World& world, int side, int count) {
    const WorldSnapshot before = world.snapshot();
    ThreatMap map(before, side, {});
    Rng rng(21);
    for (int i = 0; i < count; ++i) {
        const float x = static_cast<float>(rng.below(static_cast<std::uint32_t>(before.width())));
        const float y = static_cast<float>(rng.below(static_cast<std::uint32_t>(before.height())));
        if (map.addThreatSource({.id = static_cast<std::uint32_t>(i), .position = {x, y}, .range = 60.0f, .firepower = 0.8f})) fail("a threat source");
    }
    map.finish();
    world.edit([&](WorldEdit& edit) { map.publish(edit); });
}

void guidance(bool quick) {
    constexpr int kSide = 2;
    const std::unique_ptr<World> world = makeHeavyWorld(1024, true);
    addThreat(*world, kSide, 200);
    const WorldSnapshot snapshot = world->snapshot();
    const std::size_t count = quick ? 60 : 200;
    AlgorithmRules without, with;
    without.field_from_distance = 1e9f;
    with.field_from_distance = 0.0f;
    std::printf("the same ground, 200 sources of range 60 against the side that moves, %zu queries each\n", count);
    for (const Doctrine doctrine : {Doctrine::Balanced, Doctrine::Cautious, Doctrine::Stealth}) {
        for (const int distance : {10, 20, 30, 50, 100, 200, 300}) {
            const auto pairs = pairsAt(snapshot, distance, count);
            const auto tiles = std::make_shared<TileStore>();
            Query plain(tiles, without), led(tiles, with);
            PathRequest request;
            request.constraints.doctrine = doctrine;
            request.side = kSide;
            request.algorithm = PathAlgorithm::AStar;
            Path a, b;
            std::vector<double> plain_times(count), led_times(count), hasty_plain(count), hasty_led(count);
            double plain_cells = 0.0, led_cells = 0.0;
            for (int pass = 0; pass < 3; ++pass) {
                for (std::size_t i = 0; i < count; ++i) {
                    request.from = centreOf(pairs[i].first);
                    request.goal = Goal::point(centreOf(pairs[i].second));
                    const auto least = [&](std::vector<double>& times, double us) { times[i] = pass == 0 ? us : std::min(times[i], us); };
                    request.weight = 1.0f;
                    least(plain_times, bench::microseconds([&] { plain.findPath(snapshot, request, a); }));
                    least(led_times, bench::microseconds([&] { led.findPath(snapshot, request, b); }));
                    if (a.status != b.status || a.cost != b.cost) fail("a led search differs from a plain one");
                    if (pass == 0) plain_cells += static_cast<double>(a.expansions), led_cells += static_cast<double>(b.expansions);
                    request.weight = 1.25f;
                    least(hasty_plain, bench::microseconds([&] { plain.findPath(snapshot, request, a); }));
                    least(hasty_led, bench::microseconds([&] { led.findPath(snapshot, request, a); }));
                    if (static_cast<double>(a.cost) > 1.25 * static_cast<double>(b.cost)) fail("a weighted search went beyond its bound");
                }
            }
            const double n = static_cast<double>(count);
            std::printf("  %-9s %3d m: plain %7.0f cells, median %7.1f us, p99 %8.1f | led %5.0f cells (%4.1f %%), median %7.1f us, p99 %8.1f | "
                        "w = 1.25: plain %7.1f, led %7.1f\n",
                        toString(doctrine), distance, plain_cells / n, percentile(plain_times, 0.5), percentile(plain_times, 0.99), led_cells / n,
                        100.0 * led_cells / plain_cells, percentile(led_times, 0.5), percentile(led_times, 0.99), percentile(hasty_plain, 0.5),
                        percentile(hasty_led, 0.5));
        }
    }

    // What a field costs: the first one on unprepared chunks, then prepared.
    const auto resolved = std::get<ResolvedConstraints>(resolve({}, snapshot.rules()));
    const auto tiles = std::make_shared<TileStore>();
    TileBinding binding;
    binding.bind(snapshot, {resolved.metric, resolved.threat_weight, kSide}, {}, tiles);
    AStar search;
    std::vector<double> cold, warm, rest;
    double visits = 0.0, chunks = 0.0;
    std::size_t bytes = 0;
    for (const auto& pair : pairsAt(snapshot, 100, count)) {
        GoalShape goal;
        goal.setCell(pair.second.x, pair.second.y);
        search.run(binding, pair.first.x, pair.first.y, goal, {});  // compiles the tiles
        GoalField fresh;
        const auto build = [&] { return fresh.build(binding, goal, pair.first.x, pair.first.y, UINT64_MAX); };
        cold.push_back(bench::microseconds(build));
        FieldStatus status = FieldStatus::Unfit;
        warm.push_back(bench::microseconds([&] { status = build(); }));
        visits += fresh.visits();
        chunks += static_cast<double>(fresh.chunkCount());
        bytes = std::max(bytes, fresh.memoryBytes());
        if (status == FieldStatus::Ready) rest.push_back(bench::microseconds([&] { search.run(binding, pair.first.x, pair.first.y, goal, {.field = &fresh}); }));
    }
    const double n = static_cast<double>(count);
    std::printf("  a field at 100 m, BALANCED: %.1f sweeps of %.1f chunks; median %.1f us prepared, %.1f with preparing and first allocation; the search after it "
                "%.1f; at most %.1f MB\n",
                visits / n, chunks / n, percentile(warm, 0.5), percentile(cold, 0.5), percentile(rest, 0.5), static_cast<double>(bytes) / 1e6);
}

// --- 3: the size of the map --------------------------------------------------------------------------------------------------------------

void mapSize(bool quick) {
    std::printf("the same 30 m queries in worlds of different size (goal: equal times)\n");
    for (const int size : {256, 1024, 8192}) {
        World world({.width = size, .height = size});
        world.edit([&](WorldEdit& edit) {  // the same scene in the middle of each
            Rng rng(3);
            for (int i = 0; i < 120; ++i) {
                const int x = static_cast<int>(rng.below(100));
                const int y = static_cast<int>(rng.below(100));
                edit.placeObstacle({size / 2 - 50 + x, size / 2 - 50 + y, 3, 2}, ObstacleKind::Wall, 2.0f);
            }
        });
        const WorldSnapshot snapshot = world.snapshot();
        Query query;
        Path path;
        PathRequest request;
        request.algorithm = PathAlgorithm::AStar;
        const int count = quick ? 200 : 2000;
        std::vector<double> times;
        double expansions = 0.0;
        for (int i = 0; i < count; ++i) {
            Rng rng(static_cast<std::uint64_t>(i % 50));
            const int dx = static_cast<int>(rng.below(30));
            const int dy = static_cast<int>(rng.below(30));
            request.from = centreOf({size / 2 - 15, size / 2 - 15});
            request.goal = Goal::point(centreOf({size / 2 - 15 + dx, size / 2 - 15 + dy}));
            times.push_back(bench::microseconds([&] { query.findPath(snapshot, request, path); }));
            expansions += static_cast<double>(path.expansions);
        }
        std::printf("  %4d x %4d   %6.0f expansions   median %6.2f us   p99 %6.2f   first %8.1f (compiles chunks and the region table)\n", size, size,
                    expansions / count, percentile(times, 0.5), percentile({times.begin() + 1, times.end()}, 0.99), times[0]);
    }
}

// --- 4: edits ----------------------------------------------------------------------------------------------------------------------------

void edits(bool quick) {
    constexpr int kSize = 8192;
    World world({.width = kSize, .height = kSize});
    {
        Rng rng(11);
        world.edit([&](WorldEdit& edit) {
            for (int i = 0; i < 40000; ++i) {
                const int x = static_cast<int>(rng.below(kSize));
                const int y = static_cast<int>(rng.below(kSize));
                edit.placeObstacle({x, y, 12, 7}, ObstacleKind::Building, 5.0f);
            }
        });
    }
    const auto resolved = resolve(plainDistance(), world.snapshot().rules());
    const MobilityProfile profile = std::get<ResolvedConstraints>(resolved).metric.profile;
    TileStore store;
    std::shared_ptr<const RegionTable> regions;
    const double build = bench::microseconds([&] { regions = store.regions(world.snapshot(), profile); });
    std::vector<double> publish, repair;
    Rng rng(12);
    const int count = quick ? 60 : 600;
    std::vector<WorldSnapshot> held;  // readers keep old states alive, as in a game
    for (int i = 0; i < count; ++i) {
        const int cx = static_cast<int>(rng.below(kSize / kChunkSize));
        const int cy = static_cast<int>(rng.below(kSize / kChunkSize));
        const int x = cx * kChunkSize + 1 + static_cast<int>(rng.below(54));
        const int y = cy * kChunkSize + 1 + static_cast<int>(rng.below(54));
        const bool build_up = (i & 1) == 0;
        held.push_back(world.snapshot());
        if (held.size() > 8) held.erase(held.begin());
        publish.push_back(bench::microseconds([&] {
            world.edit([&](WorldEdit& edit) {
                if (build_up) {
                    edit.placeObstacle({x, y, 8, 8}, ObstacleKind::Building, 5.0f);
                } else {
                    edit.destroyBuilding({x, y, 8, 8});
                }
            });
        }));
        if (isBlocked(world.snapshot(), {x + 3, y + 3}) != build_up) fail("an edit was not published");
        repair.push_back(bench::microseconds([&] { regions = store.regions(world.snapshot(), profile); }));
    }
    const auto fresh = RegionTable::build(world.snapshot(), profile, nullptr);
    for (int i = 0; i < 20000; ++i) {
        const int ax = static_cast<int>(rng.below(kSize));
        const int ay = static_cast<int>(rng.below(kSize));
        const int bx = static_cast<int>(rng.below(kSize));
        const int by = static_cast<int>(rng.below(kSize));
        const bool same = regions->regionAt(ax, ay) == regions->regionAt(bx, by), same_fresh = fresh->regionAt(ax, ay) == fresh->regionAt(bx, by);
        if (same != same_fresh || (regions->regionAt(ax, ay) == 0) != (fresh->regionAt(ax, ay) == 0)) fail("repaired regions differ from new ones");
    }
    std::printf("8192 x 8192 with 40,000 buildings: %d edits of 8 x 8 cells inside one chunk\n", count);
    std::printf("  publishing       median %7.1f us (goal <= 50)   p99 %7.1f\n", percentile(publish, 0.5), percentile(publish, 0.99));
    std::printf("  region repair    median %7.1f us               p99 %7.1f   (all regions anew: %.1f ms)\n", percentile(repair, 0.5),
                percentile(repair, 0.99), build / 1e3);
    const RegionTable& table = *regions;
    std::uint64_t sink = 0;
    constexpr int kAsked = 1'000'000;
    const double asked = bench::microseconds([&] {
        for (int i = 0; i < kAsked; ++i) {
            const auto at = static_cast<int>(Hash64::mix(static_cast<std::uint64_t>(i)) & (kSize - 1));
            sink += table.regionAt(at, (at * 7 + i) & (kSize - 1)) == table.regionAt((at * 3) & (kSize - 1), i & (kSize - 1)) ? 1 : 0;
        }
    });
    std::printf("  reachability     %.3f us a question (goal <= 1; %llu of %d connected)\n", asked / kAsked, static_cast<unsigned long long>(sink), kAsked);
    std::printf("  memory           world %.1f MB, region table %.1f MB\n", static_cast<double>(world.memoryBytes()) / 1e6,
                static_cast<double>(table.memoryBytes()) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
    bool quick = false;
    std::string data = benchmarkData();
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--quick") == 0) {
            quick = true;
        } else if (std::strcmp(argv[i], "--data") == 0 && i + 1 < argc) {
            data = argv[++i];
        } else {
            std::fprintf(stderr, "astar_bench: %s: unknown; use --quick or --data DIR\n", argv[i]);
            return 2;
        }
    }
    std::printf("== 1: exact search against a textbook A*\n");
    againstTextbook(data, "sc1-Aftershock.map", nullptr, 6, 25, quick);
    againstTextbook(data, "dao-orz700d.map", nullptr, 6, 25, quick);
    againstTextbook(data, "weighted/sc1-Aftershock-blob.map", "weighted/abc.costs", 4, 35, quick);
    againstTextbook(data, "weighted/dao-orz700d-blob.map", "weighted/abc.costs", 4, 35, quick);
    std::printf("== uniform maps\n");
    uniformMaps(data, quick);
    std::printf("== 2: short queries on heavily weighted ground\n");
    shortQueries(quick);
    std::printf("== guidance\n");
    guidance(quick);
    std::printf("== 3: setup\n");
    mapSize(quick);
    std::printf("== 4: edits\n");
    edits(quick);
    return 0;
}
