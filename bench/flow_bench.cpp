// Question: what does a flow field cost per cell: distances (uniform, 20 % obstacles, weights cell by cell), arrows, repair after an 8 x 8 edit, a sample?
// Compiling costs and moves of the chunks comes before and is given on its own. Every field is first compared with a plain bucket Dijkstra over the same
// costs, every repair with a new field. Times are processor time of this thread.
//
//   cmake --build --preset release --target flow_bench && build/release/bench/flow_bench
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "timing.h"
#include "warpath/core/hash.h"
#include "warpath/core/rng.h"
#include "warpath/flow/flow_builder.h"
#include "warpath/flow/flow_sample.h"
#include "warpath/grid/bucket_queue.h"
#include "warpath/world/world.h"

namespace {

using namespace warpath;

enum class Ground { Uniform, Obstacles, Weighted, Hills };
constexpr const char* kNames[] = {"uniform", "20 % obstacles", "weights 1..10", "hills"};

/// Terrain type t costs t + 1 for everybody.
WorldRules stairRules() {
    WorldRules rules = WorldRules::reference();
    for (std::size_t t = 0; t < rules.terrain_types.size(); ++t) {
        for (auto& class_rules : rules.unit_classes) class_rules.multipliers[t] = static_cast<float>(t + 1);
    }
    return rules;
}

std::unique_ptr<World> makeWorld(Ground ground, int side) {
    WorldConfig config{.width = side, .height = side, .rules = stairRules(), .fill = static_cast<Terrain>(0), .has_cover = false};
    auto world = std::make_unique<World>(config);
    Rng rng(42);
    const std::size_t cells = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    std::vector<Terrain> terrain(cells, static_cast<Terrain>(0));
    std::vector<PackedObstacle> obstacle(cells, 0);
    for (std::size_t i = 0; i < cells; ++i) {
        if (ground == Ground::Obstacles && rng.below(100) < 20) obstacle[i] = packObstacle(ObstacleKind::Rock, 100);
        if (ground == Ground::Weighted) terrain[i] = static_cast<Terrain>(rng.below(10));
    }
    world->edit([&](WorldEdit& e) { e.setCells({0, 0, side, side}, terrain, obstacle); });
    if (ground == Ground::Hills) {  // slopes of a metre in five, rising and falling every 40 cells
        std::vector<float> heights(cells);
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                const int u = x % 80, v = y % 80;
                heights[static_cast<std::size_t>(y * side + x)] = 0.2f * static_cast<float>(std::min(u, 80 - u) + std::min(v, 80 - v));
            }
        }
        world->edit([&](WorldEdit& e) { e.setElevation({0, 0, side, side}, heights); });
    }
    return world;
}

/// Plain bucket Dijkstra over one array: the check, and the peer in the same run.
std::vector<std::uint32_t> plainDijkstra(const WorldSnapshot& now, const CostKey& key, TileStore& store, Cell goal, double& ms) {
    const int side = now.width();
    std::vector<std::uint16_t> f(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    std::vector<std::uint8_t> moves(f.size());
    std::vector<std::int32_t> height(f.size());
    const CostModel model(now.rules(), key);
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            const ChunkCoord chunk{x >> kChunkShift, y >> kChunkShift};
            static std::shared_ptr<const MoveTile> m;
            static std::shared_ptr<const CostTile> c;
            if ((x & 63) == 0) {
                m = store.moves(now, key.metric.profile, chunk);
                c = store.costs(now, key, chunk);
            }
            const auto i = static_cast<std::size_t>(y * side + x), local = static_cast<std::size_t>(localIndex(x, y));
            f[i] = c->f[local];
            if (model.pricesElevation()) height[i] = c->elevation_cm[local & c->elevation_mask];
            moves[i] = m->fits(static_cast<int>(local)) ? m->moves[local] : 0;
        }
    }
    std::vector<std::uint32_t> d(f.size(), UINT32_MAX);
    static BucketQueue queue;
    const double start = bench::threadMs();
    queue.reset(bucketShift(kStraightLength * 100));
    const auto push = [&](std::uint32_t cell, std::uint32_t value) {
        d[cell] = value;
        queue.push(value, (std::uint64_t{cell} << 32) | value);
    };
    push(static_cast<std::uint32_t>(goal.y * side + goal.x), 0);
    std::uint64_t entry = 0;
    while (queue.pop(entry)) {
        const auto cell = static_cast<std::uint32_t>(entry >> 32);
        if (d[cell] != static_cast<std::uint32_t>(entry)) continue;
        const int x = static_cast<int>(cell) % side, y = static_cast<int>(cell) / side;
        for (int k = 0; k < kDirections; ++k) {
            const int ax = x - kStepX[k], ay = y - kStepY[k];
            if (ax < 0 || ay < 0 || ax >= side || ay >= side) continue;
            const auto a = static_cast<std::uint32_t>(ay * side + ax);
            if (((moves[a] >> k) & 1) == 0) continue;
            const std::uint32_t value = d[cell] + stepLength(k) * f[cell] + static_cast<std::uint32_t>(model.riseCost(height[cell] - height[a]));
            if (value < d[a]) push(a, value);
        }
    }
    ms = bench::threadMs() - start;
    return d;
}

double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

bool measure(Ground ground, int side, float elevation_weight = 0.0f) {
    auto world = makeWorld(ground, side);
    const Cell goal{side / 2 + 3, side / 2 - 7};
    world->edit([&](WorldEdit& e) { e.removeObstacle({goal.x, goal.y, 1, 1}); });
    WorldSnapshot now = world->snapshot();
    PathConstraints wishes = plainDistance();
    wishes.elevation_weight = elevation_weight;
    if (ground == Ground::Hills) std::printf("climbing priced at %.1f: ", static_cast<double>(elevation_weight));
    const auto resolved = std::get<ResolvedConstraints>(resolve(wishes, now.rules()));
    const CostKey key{resolved.metric, 0, 0};
    const auto store = std::make_shared<TileStore>(std::size_t{1} << 30);
    FlowBuilder builder;
    FlowRequest request;
    request.goals = {goal};
    request.key = key;

    const double cells = static_cast<double>(side) * side;
    std::vector<double> integrate, arrows;
    std::shared_ptr<const FlowField> field;
    const double compile_start = bench::threadMs();
    builder.begin(now, request, store);
    const double compile = bench::threadMs() - compile_start;
    std::uint64_t visits = 0;
    FlowBuilder cold;
    const std::shared_ptr<TileStore> stores[2] = {std::make_shared<TileStore>(std::size_t{1} << 30), std::make_shared<TileStore>(std::size_t{1} << 30)};
    for (int i = 0; i < 10; ++i) {
        cold.begin(now, request, stores[i % 2]);  // other tiles: chunks are prepared anew, and that counts
        const double a = bench::threadMs();
        cold.integrate();
        const double b = bench::threadMs();
        FlowAnswer answer = cold.finish();
        const double c = bench::threadMs();
        if (i == 0) continue;
        integrate.push_back(b - a);
        arrows.push_back(c - b);
        field = answer.field;
        visits = answer.chunk_visits;
    }
    double again = 1e9;
    for (int i = 0; i < 5; ++i) {
        builder.begin(now, request, store);
        const double a = bench::threadMs();
        builder.integrate();
        again = std::min(again, bench::threadMs() - a);
        static_cast<void>(builder.finish());
    }
    double plain_ms = 0;
    const std::vector<std::uint32_t> want = plainDijkstra(now, key, *store, goal, plain_ms);
    Hash64 hash;
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            const Cost d = field->distance({x, y});
            const std::uint32_t w = want[static_cast<std::size_t>(y * side + x)];
            hash.add(field->byteAt({x, y}));
            if (d != (w == UINT32_MAX ? kNoFlowDistance : w)) {
                std::printf("WRONG distance at %d,%d\n", x, y);
                return false;
            }
        }
    }
    const auto least = [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); };
    std::printf("%-15s %5d   compile %5.1f   integrate %5.1f / %5.1f (prepared %5.1f)   arrows %4.1f / %4.1f   plain Dijkstra %5.1f ns per cell   %.2f visits per chunk   %016llx\n", kNames[static_cast<int>(ground)], side,
                compile * 1e6 / cells, least(integrate) * 1e6 / cells, median(integrate) * 1e6 / cells, again * 1e6 / cells, least(arrows) * 1e6 / cells, median(arrows) * 1e6 / cells,
                plain_ms * 1e6 / cells, static_cast<double>(visits) * 4096 / cells, static_cast<unsigned long long>(hash.value()));

    if (side != 1024 || ground == Ground::Hills) return true;
    Rng rng(7);
    std::vector<double> repair;
    FlowBuilder check;
    for (int i = 0; i < 60; ++i) {
        const CellRect rect{static_cast<int>(rng.below(1016)), static_cast<int>(rng.below(1016)), 8, 8};
        if (rect.contains(goal)) continue;
        world->edit([&](WorldEdit& e) { i % 2 == 0 ? e.placeObstacle(rect, ObstacleKind::Building, 5.0f) : e.removeObstacle(rect); });
        now = world->snapshot();
        const double a = bench::threadMs();
        FlowAnswer answer = builder.repair(field, request, now, store);
        repair.push_back(bench::threadMs() - a);
        field = answer.field;
        if (i % 10 != 0) continue;
        const FlowAnswer anew = check.build(now, request, store);
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                if (anew.field->byteAt({x, y}) != field->byteAt({x, y}) || anew.field->distance({x, y}) != field->distance({x, y})) {
                    std::printf("WRONG repair at %d,%d\n", x, y);
                    return false;
                }
            }
        }
    }
    std::sort(repair.begin(), repair.end());
    std::printf("%-15s repair of 8 x 8: median %.3f, p90 %.3f ms\n", kNames[static_cast<int>(ground)], median(repair), repair[repair.size() * 9 / 10]);

    std::vector<Position> positions(100'000);
    for (Position& p : positions) p = {static_cast<float>(rng.below(102'400)) / 100.0f, static_cast<float>(rng.below(102'400)) / 100.0f};
    std::vector<Position> crowd(100'000);  // as an army stands: near each other
    for (Position& p : crowd) p = {300.0f + static_cast<float>(rng.below(10'000)) / 100.0f, 300.0f + static_cast<float>(rng.below(10'000)) / 100.0f};
    std::vector<FlowSample> samples(positions.size());
    const auto timed = [&](const std::vector<Position>& at) {
        double best = 1e9;
        for (int i = 0; i < 5; ++i) {
            const double a = bench::threadMs();
            sampleFlow(*field, at, samples);
            best = std::min(best, bench::threadMs() - a);
        }
        return best * 1e6 / static_cast<double>(at.size());
    };
    const double crowd_ns = timed(crowd), anywhere_ns = timed(positions);
    const auto blended = std::count_if(samples.begin(), samples.end(), [](const FlowSample& s) { return s.state == FlowSampleState::Blended; });
    std::printf("%-15s sample: %.1f ns in a crowd, %.1f ns anywhere (%.0f %% blended)\n", kNames[static_cast<int>(ground)], crowd_ns, anywhere_ns,
                100.0 * static_cast<double>(blended) / static_cast<double>(samples.size()));
    return true;
}

}  // namespace

int main() {
    for (const int side : {512, 1024}) {
        for (const Ground ground : {Ground::Uniform, Ground::Obstacles, Ground::Weighted}) {
            if (!measure(ground, side)) return 1;
        }
    }
    for (const float weight : {1.0f, 0.3f}) {
        if (!measure(Ground::Hills, 512, weight)) return 1;
    }
    return 0;
}
