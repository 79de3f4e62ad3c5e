// What do long routes through the hierarchy cost, what do they lose against the best, and what do edits cost?
//
//   build/release/bench/long_distance_bench [--size N] [--spacing S] [--queries Q] [--data DIR] [--uniform | --weighted]
//
// Scenes: a mosaic of 512 x 512 tiles: the maps of --data where given, else generated ones (rooms, city blocks, noise, a maze, open ground); uniform,
//   and with patches of eight prices 1..8.
// Question 1: time to the abstract route, to the refined one, and what the refined one loses against the exact search (on a sample).
// Question 2: cost against distance, 100 m to the size of the map.
//   At the end of each scene a chart of it: a row per distance, a dot per doubling of the time, and the growth fitted to the medians.
// Question 3: bytes of tables per cell, and the time to repair the tables after an edit inside a chunk and across a border.
// Question 4: the nearest of 4 and of 64 goals all over the map, against the exact search (on a sample).
// Question 5: three routes between two places 2000 m apart, against one, both through the hierarchy.
// Every route is validated first. Each query's time is the least of three passes; tables are made before (the time of that is printed).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "timing.h"
#include "warpath/core/rng.h"
#include "warpath/io/map_file.h"
#include "warpath/pathfinder/query.h"
#include "warpath/search/hierarchy.h"
#include "warpath/world/world.h"

namespace {

using namespace warpath;

constexpr int kTile = 512;

using bench::fail;
using bench::mean;
using bench::percentile;

/// Blocked cells of one tile.
using Tile = std::vector<char>;

Tile generatedTile(int kind, Rng& rng) {
    Tile blocked(kTile * kTile, 0);
    const auto below = [&](int n) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(n))); };
    const auto rect = [&](int x, int y, int w, int h, char value) {
        for (int j = std::max(y, 0); j < std::min(y + h, kTile); ++j) {
            for (int i = std::max(x, 0); i < std::min(x + w, kTile); ++i) blocked[static_cast<std::size_t>(j * kTile + i)] = value;
        }
    };
    switch (kind) {
        case 0:  // rooms with doors
            for (int i = 0; i < kTile; i += 32) {
                rect(i, 0, 1, kTile, 1);
                rect(0, i, kTile, 1, 1);
            }
            for (int i = 0; i < kTile; i += 32) {
                for (int j = 0; j < kTile; j += 32) {
                    rect(i, j + 4 + below(24), 1, 2, 0);
                    rect(i + 4 + below(24), j, 2, 1, 0);
                }
            }
            break;
        case 1:  // city blocks
            for (int y = 8; y < kTile; y += 40) {
                for (int x = 8; x < kTile; x += 40) rect(x, y, 18 + below(14), 18 + below(14), 1);
            }
            break;
        case 2:  // noise
            for (char& cell : blocked) cell = rng.percent(15) ? 1 : 0;
            break;
        case 3:  // long walls with gaps
            for (int y = 10; y < kTile; y += 14) {
                rect(0, y, kTile, 2, 1);
                for (int gaps = 0; gaps < 4; ++gaps) rect(below(kTile - 10), y, 6, 2, 0);
            }
            break;
        default:  // open ground with lakes
            for (int i = 0; i < 40; ++i) {
                const int cx = below(kTile), cy = below(kTile), r = 5 + below(30);
                for (int y = -r; y <= r; ++y) {
                    const int half = static_cast<int>(std::sqrt(static_cast<double>(r * r - y * y)));
                    rect(cx - half, cy + y, 2 * half + 1, 1, 1);
                }
            }
    }
    return blocked;
}

std::vector<Tile> tilesOf(const std::string& data) {
    std::vector<Tile> tiles;
    for (const char* name : {"sc1-Aftershock.map", "cities-Berlin_0_1024.map", "rooms-32room_000.map", "wc3maps512-battleground.map", "mazes-maze512-4-0.map"}) {
        if (data.empty()) break;
        auto loaded = loadMap(data + "/" + name, {});
        if (std::holds_alternative<Error>(loaded)) continue;
        const WorldSnapshot map = std::get<std::unique_ptr<World>>(loaded)->snapshot();
        Tile tile(kTile * kTile, 0);
        for (int y = 0; y < std::min(kTile, map.height()); ++y) {
            for (int x = 0; x < std::min(kTile, map.width()); ++x) {
                tile[static_cast<std::size_t>(y * kTile + x)] = obstacleKind(map.obstacleAt({x, y})) != ObstacleKind::None ? 1 : 0;
            }
        }
        for (int i = 0; i < kTile; ++i) {  // streets between the tiles, so that all hang together
            for (const int edge : {0, 1, kTile - 2, kTile - 1}) tile[static_cast<std::size_t>(edge * kTile + i)] = tile[static_cast<std::size_t>(i * kTile + edge)] = 0;
        }
        tiles.push_back(std::move(tile));
    }
    if (!tiles.empty()) return tiles;
    Rng rng(7);
    for (int kind = 0; kind < 5; ++kind) tiles.push_back(generatedTile(kind, rng));
    return tiles;
}

std::unique_ptr<World> mosaic(int size, const std::vector<Tile>& tiles, bool weighted) {
    WorldConfig config{.width = size, .height = size, .has_cover = false};
    for (UnitClass& unit : config.rules.unit_classes) {
        for (std::size_t t = 0; t < unit.multipliers.size(); ++t) unit.multipliers[t] = weighted && t < 8 ? static_cast<float>(t + 1) : 1.0f;
    }
    config.fill = static_cast<Terrain>(0);
    auto world = std::make_unique<World>(config);
    Rng rng(11);
    const auto below = [&](int n) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(n))); };
    std::vector<Terrain> terrain(kTile * kTile);
    std::vector<PackedObstacle> obstacles(kTile * kTile);
    for (int ty = 0; ty < size; ty += kTile) {
        world->edit([&](WorldEdit& edit) {
            for (int tx = 0; tx < size; tx += kTile) {
                const Tile& tile = tiles[static_cast<std::size_t>(below(static_cast<int>(tiles.size())))];
                std::fill(terrain.begin(), terrain.end(), static_cast<Terrain>(0));
                for (int i = 0; weighted && i < 500; ++i) {
                    const int x0 = below(kTile), y0 = below(kTile), w = 4 + below(50), h = 4 + below(50), price = below(8);
                    for (int y = y0; y < std::min(y0 + h, kTile); ++y) {
                        for (int x = x0; x < std::min(x0 + w, kTile); ++x) terrain[static_cast<std::size_t>(y * kTile + x)] = static_cast<Terrain>(price);
                    }
                }
                for (std::size_t i = 0; i < tile.size(); ++i) obstacles[i] = tile[i] != 0 ? packObstacle(ObstacleKind::Wall, 300) : PackedObstacle{0};
                const int w = std::min(kTile, size - tx), h = std::min(kTile, size - ty);
                if (w == kTile && h == kTile) edit.setCells({tx, ty, w, h}, terrain, obstacles);
            }
        });
    }
    return world;
}

struct Median {
    double metres, refined_us, abstract_us;
};

/// Cost against distance as text: '#' the whole answer, 'o' over portals alone; a column is a quarter of a doubling of the time.
void chart(const std::vector<Median>& medians) {
    if (medians.size() < 2) return;
    double least = 1e300, most = 0.0, sum_x = 0.0, sum_y = 0.0, sum_xx = 0.0, sum_xy = 0.0;
    for (const Median& m : medians) {
        least = std::min({least, m.abstract_us, m.refined_us});
        most = std::max({most, m.abstract_us, m.refined_us});
        const double x = std::log2(m.metres), y = std::log2(m.refined_us);
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
    }
    const double n = static_cast<double>(medians.size()), low = std::floor(std::log2(least));
    const int columns = 4 * static_cast<int>(std::ceil(std::log2(most) - low)) + 1;
    std::printf("median time against distance, both doubling (o over portals, # whole answer):\n");
    for (const Median& m : medians) {
        std::string row(static_cast<std::size_t>(columns), ' ');
        for (int c = 0; c < columns; c += 4) row[static_cast<std::size_t>(c)] = '.';
        const auto column = [&](double us) { return static_cast<std::size_t>(std::lround(4.0 * (std::log2(us) - low))); };
        row[column(m.abstract_us)] = 'o';
        row[column(m.refined_us)] = '#';
        std::printf("%7.0f m |%s| %8.0f us\n", m.metres, row.c_str(), m.refined_us);
    }
    std::printf("   first column %.0f us, a dot every doubling; growth of the whole answer: time ~ distance^%.2f\n", std::exp2(low),
                (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x));
}

struct Options {
    int size = 8192;
    std::uint32_t spacing = 12;
    std::uint32_t group = 4;
    int queries = 40;
    std::string data;
    bool uniform = true, weighted = true;
};

void run(const Options& options, bool weighted, const std::vector<Tile>& tiles) {
    const std::unique_ptr<World> world = mosaic(options.size, tiles, weighted);
    WorldSnapshot snapshot = world->snapshot();
    const double cells = static_cast<double>(options.size) * options.size;
    auto store = std::make_shared<TileStore>(std::size_t{400} << 20, std::size_t{1} << 30);
    AlgorithmRules rules;
    rules.portal_spacing = options.spacing;
    rules.group_side = options.group;
    Query query(store, rules);
    rules.group_side = 0;
    Query flat(store, rules);  // one level
    const Metric metric = std::get<ResolvedConstraints>(resolve(plainDistance(), snapshot.rules())).metric;
    HierarchyView view;
    view.bind(snapshot, {metric, 0, 0}, store, {.spacing = options.spacing, .group = options.group});
    std::size_t portals = 0;
    const double making = bench::microseconds([&] {
        for (int y = 0; y < view.rows(); ++y) {
            for (int x = 0; x < view.columns(); ++x) portals += view.table({x, y}).count();
        }
    });
    const int chunks = view.rows() * view.columns();
    std::printf("\n%s %d^2, portals every %u: %d chunks, %.1f portals each; tables in %.2f s (%.3f ms each, %llu computed), %.2f bytes per cell\n",
                weighted ? "weighted 1..8" : "uniform", options.size, options.spacing, chunks, static_cast<double>(portals) / chunks, making / 1e6,
                making / 1e3 / chunks, static_cast<unsigned long long>(view.tablesBuilt()), static_cast<double>(store->stats().table_bytes) / cells);
    if (view.hasGroups()) {
        const std::size_t bytes = store->stats().table_bytes;
        std::size_t rim = 0, usable = 0;
        std::vector<double> each;
        const auto groups = static_cast<std::uint32_t>(view.groupColumns() * view.groupRows());
        for (std::uint32_t g = 0; g < groups; ++g) {
            const std::uint64_t built = view.groupsBuilt();
            const double us = bench::microseconds([&] { static_cast<void>(view.group(g)); });
            if (view.groupsBuilt() != built) each.push_back(us);
            rim += view.group(g).count();
            usable += view.group(g).usable ? 1 : 0;
        }
        std::printf("groups of %u x %u chunks: %u, %.1f%% usable, %.1f portals each; %llu tables computed in %.2f s, each median %.0f us, p99 %.0f us; %.2f bytes per cell more\n",
                    options.group, options.group, groups, 100.0 * static_cast<double>(usable) / groups, static_cast<double>(rim) / groups,
                    static_cast<unsigned long long>(view.groupsBuilt()), bench::mean(each) * static_cast<double>(each.size()) / 1e6, percentile(each, 0.5), percentile(each, 0.99),
                    static_cast<double>(store->stats().table_bytes - bytes) / cells);
    }

    Rng rng(5);
    Path path, best;
    PathRequest request;
    request.constraints = plainDistance();
    const auto anywhere = [&] {
        while (true) {
            const int x = static_cast<int>(rng.below(static_cast<std::uint32_t>(options.size))), y = static_cast<int>(rng.below(static_cast<std::uint32_t>(options.size)));
            if (obstacleKind(snapshot.obstacleAt({x, y})) == ObstacleKind::None) return Cell{x, y};
        }
    };
    std::printf("   metres  queries   abstract us (p99)     refined us (p99)   first steps us (p99)    portals  corridor |  raw loss  refined loss: mean    max (sample) | one level: abstract us  refined us  portals\n");
    std::vector<Median> medians;
    for (const double metres : {100.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 5000.0, 8000.0}) {
        if (metres > options.size * 1.1) break;
        std::vector<double> abstract, flat_abstract, flat_total, total, first_steps, raw, loss, settled, flat_settled, corridor;
        const int wanted = metres >= 2000.0 ? std::max(options.queries / 2, 1) : options.queries;
        const int sample = metres >= 4000.0 ? 3 : metres >= 1000.0 ? 8 : wanted;
        for (int tries = 0; tries < 4000 && static_cast<int>(total.size()) < wanted; ++tries) {
            const Cell from = anywhere(), to = anywhere();
            const double distance = std::hypot(from.x - to.x, from.y - to.y);
            if (std::fabs(distance - metres) > std::max(metres * 0.1, 20.0) && tries < 3900) {
                // Move the goal to the wished distance where that is inside the map.
                const Cell moved{from.x + static_cast<int>((to.x - from.x) / distance * metres), from.y + static_cast<int>((to.y - from.y) / distance * metres)};
                if (!snapshot.contains(moved) || obstacleKind(snapshot.obstacleAt(moved)) != ObstacleKind::None) continue;
                request.goal = Goal::point(centreOf(moved));
            } else {
                request.goal = Goal::point(centreOf(to));
            }
            request.from = centreOf(from);
            request.algorithm = PathAlgorithm::Hierarchical;
            double least = 1e300, least_abstract = 1e300;
            for (int pass = 0; pass < 3; ++pass) {
                const double us = bench::microseconds([&] { query.findPath(snapshot, request, path); });
                if (path.status != PathStatus::Found) break;
                least = std::min(least, us);
                least_abstract = std::min(least_abstract, query.hierarchyFigures().abstract_us);
            }
            if (path.status == PathStatus::Unreachable) continue;
            if (path.status != PathStatus::Found || path.algorithm != PathAlgorithm::Hierarchical) fail("a query was not solved");
            if (!query.validatePath(snapshot, path, request.constraints).valid) fail("an illegal route");
            total.push_back(least);
            double least_flat = 1e300, least_flat_abstract = 1e300;
            const Cost on_two_levels = query.hierarchyFigures().abstract_cost;
            for (int pass = 0; pass < 3; ++pass) {
                least_flat = std::min(least_flat, bench::microseconds([&] { flat.findPath(snapshot, request, best); }));
                least_flat_abstract = std::min(least_flat_abstract, flat.hierarchyFigures().abstract_us);
            }
            if (flat.hierarchyFigures().abstract_cost != on_two_levels) fail("one and two levels disagree");
            flat_total.push_back(least_flat);
            flat_abstract.push_back(least_flat_abstract);
            flat_settled.push_back(static_cast<double>(flat.hierarchyFigures().portals_settled));
            Path first;
            double least_first = 1e300;
            for (int pass = 0; pass < 3; ++pass) {
                bool led = false;
                const double us = bench::microseconds([&] { led = query.findFirstSteps(snapshot, request, first); });
                if (!led) break;
                query.findPath(snapshot, request, path);  // or the next pass would find the way over portals kept
                least_first = std::min(least_first, us);
            }
            if (least_first < 1e300) first_steps.push_back(least_first);
            abstract.push_back(least_abstract);
            settled.push_back(static_cast<double>(query.hierarchyFigures().portals_settled));
            corridor.push_back(static_cast<double>(query.hierarchyFigures().corridor_chunks));
            if (static_cast<int>(loss.size()) >= sample) continue;
            const Cost promised = query.hierarchyFigures().abstract_cost;
            if (path.cost > promised) fail("a route that costs more than its abstract route");
            request.algorithm = weighted ? PathAlgorithm::AStar : PathAlgorithm::Jps;
            query.findPath(snapshot, request, best);
            if (best.status != PathStatus::Found || best.cost > path.cost) fail("the exact search disagrees");
            loss.push_back(100.0 * (static_cast<double>(path.cost) / static_cast<double>(best.cost) - 1.0));
            raw.push_back(100.0 * (static_cast<double>(promised) / static_cast<double>(best.cost) - 1.0));
        }
        if (!total.empty()) medians.push_back({metres, percentile(total, 0.5), percentile(abstract, 0.5)});
        std::printf("%9.0f %8zu %9.0f (%8.0f) %11.0f (%8.0f) %13.0f (%8.0f) %10.0f %8.0f | %8.2f %%        %8.3f %% %8.3f %% | %11.0f %11.0f %8.0f\n", metres, total.size(), percentile(abstract, 0.5),
                    percentile(abstract, 0.99), percentile(total, 0.5), percentile(total, 0.99), first_steps.empty() ? 0.0 : percentile(first_steps, 0.5),
                    first_steps.empty() ? 0.0 : percentile(first_steps, 0.99), mean(settled), mean(corridor), mean(raw), mean(loss),
                    percentile(loss, 1.0), percentile(flat_abstract, 0.5), percentile(flat_total, 0.5), mean(flat_settled));
        std::fflush(stdout);
    }

    chart(medians);

    for (const int count : {4, 64}) {
        std::vector<double> times, exact_times, loss;
        for (int tries = 0; tries < 200 && static_cast<int>(times.size()) < std::min(options.queries, 20); ++tries) {
            std::vector<Position> places;
            for (int i = 0; i < count; ++i) places.push_back(centreOf(anywhere()));
            request.from = centreOf(anywhere());
            request.goal = Goal::set(places);
            request.algorithm = PathAlgorithm::Hierarchical;
            double least = 1e300;
            for (int pass = 0; pass < 3; ++pass) least = std::min(least, bench::microseconds([&] { query.findPath(snapshot, request, path); }));
            if (path.status != PathStatus::Found) continue;
            if (path.algorithm != PathAlgorithm::Hierarchical) fail("a set of goals was not asked of the hierarchy");
            if (!query.validatePath(snapshot, path, request.constraints).valid) fail("an illegal route");
            times.push_back(least);
            if (exact_times.size() >= 5) continue;
            request.algorithm = PathAlgorithm::AStar;
            exact_times.push_back(bench::microseconds([&] { query.findPath(snapshot, request, best); }));
            if (best.status != PathStatus::Found || best.cost > path.cost) fail("the exact search disagrees");
            loss.push_back(100.0 * (static_cast<double>(path.cost) / static_cast<double>(best.cost) - 1.0));
        }
        if (times.empty()) continue;
        std::printf("nearest of %d goals: %zu sets, median %.0f us, p99 %.0f us; exact (%zu) %.0f us; loss mean %.3f %%, max %.3f %%\n", count, times.size(), percentile(times, 0.5),
                    percentile(times, 0.99), exact_times.size(), percentile(exact_times, 0.5), mean(loss), percentile(loss, 1.0));
        std::fflush(stdout);
    }

    std::vector<double> one, three;
    std::size_t found = 0;
    for (int tries = 0; tries < 2000 && three.size() < 12; ++tries) {
        const Cell from = anywhere(), to = anywhere();
        if (std::fabs(std::hypot(from.x - to.x, from.y - to.y) - 2000.0) > 100.0) continue;
        request.from = centreOf(from);
        request.goal = Goal::point(centreOf(to));
        request.algorithm = PathAlgorithm::Hierarchical;
        double least = 1e300, least_three = 1e300;
        std::vector<Path> routes;
        for (int pass = 0; pass < 2; ++pass) {
            least = std::min(least, bench::microseconds([&] { query.findPath(snapshot, request, path); }));
            least_three = std::min(least_three, bench::microseconds([&] { query.findAllPaths(snapshot, {.path = request}, routes); }));
        }
        if (path.status != PathStatus::Found) continue;
        for (const Path& route : routes) {
            if (!query.validatePath(snapshot, route, request.constraints).valid) fail("an illegal route");
        }
        one.push_back(least);
        three.push_back(least_three);
        found += routes.size();
    }
    if (!three.empty()) {
        std::printf("three routes at 2000 m: %zu trips, %.1f routes each, median %.1f ms, most %.1f ms; one route %.1f ms\n", three.size(),
                    static_cast<double>(found) / static_cast<double>(three.size()), percentile(three, 0.5) / 1000.0, percentile(three, 1.0) / 1000.0, percentile(one, 0.5) / 1000.0);
    }

    for (const bool border : {false, true}) {
        std::vector<double> repair;
        std::uint64_t computed = 0;
        for (int i = 0; i < 60; ++i) {
            const int cx = static_cast<int>(rng.below(static_cast<std::uint32_t>(view.columns() - 2))) + 1, cy = static_cast<int>(rng.below(static_cast<std::uint32_t>(view.rows() - 2))) + 1;
            const CellRect rect{cx * kChunkSize + (border ? 60 : 24), cy * kChunkSize + 24, 8, 8};
            world->edit([&](WorldEdit& edit) { edit.placeObstacle(rect, ObstacleKind::Building, 6.0f); });
            snapshot = world->snapshot();
            const std::uint64_t before = view.tablesBuilt();
            repair.push_back(bench::microseconds([&] {
                view.bind(snapshot, {metric, 0, 0}, store, {.spacing = options.spacing, .group = options.group});
                for (int y = -1; y <= 1; ++y) {
                    for (int x = -1; x <= 1; ++x) static_cast<void>(view.table({cx + x, cy + y}));
                }
                if (border && cx + 2 < view.columns()) static_cast<void>(view.table({cx + 2, cy}));
            }));
            computed += view.tablesBuilt() - before;
        }
        std::printf("repair after an edit %s: median %.0f us, p99 %.0f us, %.2f tables computed\n", border ? "across a border" : "inside a chunk",
                    percentile(repair, 0.5), percentile(repair, 0.99), static_cast<double>(computed) / 60.0);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const auto value = [&] { return i + 1 < argc ? argv[++i] : throw std::runtime_error("a value is missing"); };
        if (std::strcmp(argv[i], "--size") == 0) options.size = std::atoi(value());
        else if (std::strcmp(argv[i], "--spacing") == 0) options.spacing = static_cast<std::uint32_t>(std::atoi(value()));
        else if (std::strcmp(argv[i], "--group") == 0) options.group = static_cast<std::uint32_t>(std::atoi(value()));
        else if (std::strcmp(argv[i], "--queries") == 0) options.queries = std::atoi(value());
        else if (std::strcmp(argv[i], "--data") == 0) options.data = value();
        else if (std::strcmp(argv[i], "--uniform") == 0) options.weighted = false;
        else if (std::strcmp(argv[i], "--weighted") == 0) options.uniform = false;
        else return std::fprintf(stderr, "%s: not known\n", argv[i]), 2;
    }
    const std::vector<Tile> tiles = tilesOf(options.data);
    if (options.uniform) run(options, false, tiles);
    if (options.weighted) run(options, true, tiles);
    return 0;
}
