// What does a flow field cost its users: from request to published field, found in the cache, renewed, sampled; and from how many units on does it pay?
//
//   build/release/bench/field_service_bench          seeded fields of 512 x 512 (the reference's 500 m), one thread, some ten seconds
//
// First it verifies: every route along a field costs what exact search finds. Times are of this thread's processor, median and worst.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "support/drawn_map.h"
#include "timing.h"
#include "warpath/core/hash.h"
#include "warpath/flow/flow_sample.h"
#include "warpath/host/json_data_node.h"
#include "warpath/host/sequential_module_system.h"
#include "warpath/module/pathfinder_module.h"
#include "warpath/pathfinder/query.h"
#include "warpath/service/service.h"

using namespace warpath;

namespace {

constexpr int kSide = 512;
constexpr int kUnits = 100;
constexpr int kCrowd = 1000;

/// Processor time of this thread that a call takes [ms].
using bench::milliseconds;

void report(const char* what, std::vector<double> ms) {
    if (ms.empty()) return;
    std::sort(ms.begin(), ms.end());
    std::printf("  %-58s %9.3f %9.3f ms\n", what, ms[ms.size() / 2], ms.back());
}

struct Ground {
    const char* name;
    PathConstraints constraints;
    std::string json;
};

Position place(Rng& rng, int low, int high) {
    const auto span = static_cast<std::uint32_t>(high - low);
    const int x = low + static_cast<int>(rng.below(span));
    return mid(x, low + static_cast<int>(rng.below(span)));
}

std::string text(Position p) { return "[" + std::to_string(p.x) + "," + std::to_string(p.y) + "]"; }

/// Messages in, messages out.
void throughTheModule(const Ground& ground) {
    const std::shared_ptr<World> world = randomField(5, kSide, kSide, 8);
    MessageBus bus;
    const auto game = bus.connect({.max_messages = 100'000, .max_bytes = std::size_t{1} << 30});
    for (const char* topic : {"pathfinder/results", "pathfinder/flow_fields", "pathfinder/errors"}) {
        if (game->subscribe(topic)) return;
    }
    SequentialModuleSystem system(bus, {});
    const ParsedJson config = JsonDataNode::parse(R"({"performance":{"max_paths_per_frame":0}})");
    if (system.registerModule("pathfinder", std::make_unique<PathfinderModule>(PathfinderModuleOptions{.world = world}), *config.node)) return;
    const auto answers = [&](std::size_t wanted) {
        std::size_t got = 0;
        for (int frame = 0; frame < 1000 && got < wanted; ++frame) {
            if (system.processModules(1.0 / 60.0)) return got;
            while (const auto message = game->pull()) got += message->payload.find("\"found\"") != std::string::npos ? 1 : 0;
        }
        return got;
    };
    Rng rng(17);
    std::vector<double> cold, fields, groups, samples;
    std::size_t got = 0;
    for (int i = 0; i < 12; ++i) {
        const std::string goal = text(place(rng, 380, 500));
        (i == 0 ? cold : fields).push_back(milliseconds([&] {
            if (!game->publish("pathfinder/requests", R"({"type":"flow_field","request_id":1,"group_size":100,"goal":)" + goal + ",\"constraints\":" + ground.json + "}")) return;
            got += answers(1);
        }));
        std::string positions;
        for (int u = 0; u < kUnits; ++u) positions += (u == 0 ? "" : ",") + text(place(rng, 20, 120));
        samples.push_back(milliseconds([&] {
            if (!game->publish("pathfinder/requests", R"({"type":"flow_sample","request_id":2,"field_id":)" + std::to_string(i + 1) + ",\"positions\":[" + positions + "]}")) return;
            answers(1);
        }));
    }
    std::vector<std::string> starts;
    for (int u = 0; u < kUnits; ++u) starts.push_back(text(place(rng, 20, 120)));
    for (int i = 0; i < 5; ++i) {
        const std::string goal = text(place(rng, 380, 500));
        groups.push_back(milliseconds([&] {
            for (int u = 0; u < kUnits; ++u) {
                if (!game->publish("pathfinder/requests", R"({"type":"single_path","request_id":)" + std::to_string(u) + ",\"start\":" + starts[static_cast<std::size_t>(u)] +
                                                              ",\"goal\":" + goal + ",\"constraints\":" + ground.json + "}")) {
                    return;
                }
            }
            answers(kUnits);
        }));
    }
    std::printf("module, %s: %zu of 12 goals could be stood on\n", ground.name, got);
    report("flow_field message to published field, first of all", cold);
    report("flow_field message to published field", fields);
    report("flow_sample message of 100 positions to its answer", samples);
    report("100 single_path messages with one goal to 100 routes", groups);
}

/// Build, hit, renewal and sampling apart. Each round has a service of its own (a service renews every field that is followed), all share one store.
void apart(const Ground& ground) {
    const std::shared_ptr<World> world = randomField(5, kSide, kSide, 8);
    const auto tiles = std::make_shared<TileStore>();
    Query query(tiles);
    FieldResult made;
    Rng rng(23);
    std::vector<double> builds, hits, cold_renewals, renewals, anew, sampling;
    std::size_t bytes = 0;
    Hash64 hash;
    for (int i = 0; i < 25; ++i) {
        const FieldRequest request{.goal = Goal::point(place(rng, 380, 500)), .constraints = ground.constraints};
        Service service({.tiles = tiles}), twin({.tiles = tiles});
        FieldId id = FieldId::None;
        const auto ask = [&](Service& of) {
            of.submit(request);
            of.tick(world->snapshot(), UINT64_MAX);
            if (const auto answer = of.poll()) id = answer->field_id;
        };
        ask(service);
        ask(twin);
        const auto build = [&] { return milliseconds([&] { query.buildField(world->snapshot(), request, {}, made); }); };
        const double built = build();
        if (i > 0) builds.push_back(built);
        hits.push_back(milliseconds([&] { ask(service); }));
        const auto field = service.field(id);
        if (field == nullptr) continue;
        bytes = field->memoryBytes();
        std::vector<Position> units(1000);
        for (Position& p : units) p = place(rng, 8, 500);
        std::vector<FlowSample> out(units.size());
        sampling.push_back(milliseconds([&] { sampleFlow(*field, units, out); }));
        for (const FlowSample& s : out) hash.add(static_cast<std::uint64_t>(s.state));
        const int x = 100 + static_cast<int>(rng.below(300)), y = 100 + static_cast<int>(rng.below(300));
        world->edit([&](WorldEdit& e) { e.placeObstacle({x, y, 8, 8}, ObstacleKind::Building, 5.0f); });
        cold_renewals.push_back(milliseconds([&] { ask(service); }));
        renewals.push_back(milliseconds([&] { ask(twin); }));
        anew.push_back(build());
    }
    std::printf("service, %s: hash %016llx, %.1f MiB per field\n", ground.name, static_cast<unsigned long long>(hash.value()),
                static_cast<double>(bytes) / 1048576.0);
    report("field from nothing", builds);
    report("field found in the cache", hits);
    report("field renewed after an 8 x 8 building", cold_renewals);
    report("... where the changed chunks are compiled already", renewals);
    report("... and a new field after it", anew);
    report("1000 samples (ns a sample = us here)", sampling);
}

struct Crossing {
    std::size_t units;
    double searches, routes, sampled;  // [ms]
};

/// As text: 's' searches, 'r' a field and routes along it, '.' a field and samples; a column is a quarter of a doubling.
void chart(const std::vector<Crossing>& rows) {
    double least = 1e300, most = 0.0;
    for (const Crossing& row : rows) {
        least = std::min({least, row.searches, row.routes, row.sampled});
        most = std::max({most, row.searches, row.routes, row.sampled});
    }
    const double low = std::floor(std::log2(least));
    const auto column = [&](double ms) { return static_cast<std::size_t>(std::lround(4.0 * (std::log2(ms) - low))); };
    std::printf("  time against units, both logarithmic (s searches, r field and routes, . field and samples); first column %.3f ms, 4 columns a doubling\n", std::exp2(low));
    for (const Crossing& row : rows) {
        std::string line(column(most) + 1, ' ');
        line[column(row.sampled)] = '.';
        line[column(row.routes)] = 'r';
        line[column(row.searches)] = 's';
        std::printf("  %5zu |%s|\n", row.units, line.c_str());
    }
}

/// N searches against one field and N routes along it, and against one field and a sample for each unit.
void crossover(const Ground& ground) {
    const std::shared_ptr<World> world = randomField(5, kSide, kSide, 8);
    const WorldSnapshot snapshot = world->snapshot();
    auto store = std::make_shared<TileStore>();
    Query query(store);
    FieldResult field;
    const FieldRequest request{.goal = Goal::point(mid(452, 431)), .constraints = ground.constraints};
    query.buildField(snapshot, request, {}, field);  // compiles the map
    if (field.status != PathStatus::Found) return;
    const auto shared = field.field;
    Rng rng(29);
    std::vector<PathRequest> requests;
    std::vector<Position> units;
    Path path;
    std::size_t wrong = 0;
    while (requests.size() < kCrowd) {
        PathRequest one{.from = place(rng, 20, 120), .goal = request.goal, .constraints = ground.constraints};
        if (query.findPath(snapshot, one, path) != PathStatus::Found) continue;
        const Cost exact = path.cost;
        one.algorithm = PathAlgorithm::FlowField;
        one.field = shared;
        query.findPath(snapshot, one, path);
        wrong += path.cost != exact || path.algorithm != PathAlgorithm::FlowField ? 1 : 0;
        requests.push_back(one);
        units.push_back(one.from);
    }
    std::printf("crossover, %s: routes that cost more than exact search: %zu of %d\n  %5s %12s %16s %8s %16s %8s\n", ground.name, wrong, kCrowd, "units", "searches ms",
                "field, routes ms", "ratio", "field, samples", "ratio");
    std::vector<FlowSample> samples(kCrowd);
    std::vector<Crossing> rows;
    for (const std::size_t count : {1u, 2u, 3u, 5u, 10u, 20u, 50u, 100u, 200u, 500u, 1000u}) {
        double searches = 1e9, routes = 1e9, sampled = 1e9;
        for (std::size_t repeat = 0; repeat < (count > 100 ? 1u : 3u); ++repeat) {
            searches = std::min(searches, milliseconds([&] {
                for (std::size_t i = 0; i < count; ++i) {
                    PathRequest one = requests[i];
                    one.algorithm = PathAlgorithm::Auto;
                    one.field = nullptr;
                    query.findPath(snapshot, one, path);
                }
            }));
            routes = std::min(routes, milliseconds([&] {
                FieldResult made;
                query.buildField(snapshot, request, {}, made);
                for (std::size_t i = 0; i < count; ++i) {
                    PathRequest one = requests[i];
                    one.field = made.field;
                    query.findPath(snapshot, one, path);
                }
            }));
            sampled = std::min(sampled, milliseconds([&] {
                FieldResult made;
                query.buildField(snapshot, request, {}, made);
                sampleFlow(*made.field, std::span(units).first(count), std::span(samples).first(count));
            }));
        }
        std::printf("  %5zu %12.3f %16.3f %8.2f %16.3f %8.2f\n", count, searches, routes, searches / routes, sampled, searches / sampled);
        rows.push_back({count, searches, routes, sampled});
    }
    chart(rows);
}

}  // namespace

int main() {
    const Ground grounds[] = {{"plain distance and terrain", plainDistance(), R"({"threat_weight":0,"cover_weight":0,"elevation_weight":0,"exposure_weight":0})"},
                              {"balanced", {}, "{}"}};
    for (const Ground& ground : grounds) {
        throughTheModule(ground);
        apart(ground);
        crossover(ground);
    }
}
