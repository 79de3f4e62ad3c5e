// How long does fast marching take per cell, and how far are its distances and vectors from the truth?
//
//   build/release/bench/fast_marching_bench [SIDE]          (1024)
//
// One goal in the middle of a square map; every answer is checked (straight lines on open ground, falling distances elsewhere) before it is timed.
// Processor time of this thread, least of the repeats; integration alone, then arrows, vectors and tiles.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "timing.h"
#include "warpath/core/rng.h"
#include "warpath/flow/fast_marching.h"
#include "warpath/flow/flow_builder.h"
#include "warpath/world/world.h"

namespace {

using namespace warpath;

enum class Ground { Uniform, Obstacles, Weighted };
constexpr const char* kNames[] = {"uniform", "20 % obstacles", "weights 1..10"};

std::unique_ptr<World> makeWorld(Ground ground, int side) {
    WorldRules rules;
    WorldConfig config{.width = side, .height = side, .has_cover = false};
    for (int t = 1; t <= 10; ++t) rules.terrain_types.push_back({.name = "cost_" + std::to_string(t)});
    rules.unit_classes.push_back({.name = "walker", .speed = 1.0f, .multipliers = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}});
    config.rules = rules;
    config.fill = static_cast<Terrain>(0);
    auto world = std::make_unique<World>(config);
    Rng rng(42);
    const auto at = [&] { return static_cast<int>(rng.below(static_cast<std::uint32_t>(side))); };
    world->edit([&](WorldEdit& edit) {
        if (ground == Ground::Obstacles) {
            for (int i = 0; i < side * side / 5 / 16; ++i) {
                const int x = at(), y = at();
                edit.placeObstacle(intersect({x, y, 4, 4}, {0, 0, side, side}), ObstacleKind::Building, 3.0f);
            }
            edit.removeObstacle({side / 2 - 4, side / 2 - 4, 8, 8});
        }
        if (ground == Ground::Weighted) {
            for (int y = 0; y < side; ++y) {
                for (int x = 0; x < side; ++x) edit.setTerrain(Cell{x, y}, static_cast<Terrain>(rng.below(10)));
            }
        }
    });
    return world;
}

struct Errors {
    double cells = 0.0, degrees = 0.0;
};

Errors errorsOf(const FlowField& field, Cell goal) {
    Errors worst;
    const CellRect area = field.area();
    for (int y = area.y; y < area.y + area.height; ++y) {
        for (int x = area.x; x < area.x + area.width; ++x) {
            const double dx = goal.x - x, dy = goal.y - y, straight = std::sqrt(dx * dx + dy * dy);
            worst.cells = std::max(worst.cells, std::abs(costInMetres(field.distance({x, y})) - straight));
            if (straight == 0.0) continue;
            const Vec2 v = field.vector({x, y});
            const double sine = (static_cast<double>(v.x) * dy - static_cast<double>(v.y) * dx) / straight;
            worst.degrees = std::max(worst.degrees, std::asin(std::clamp(std::abs(sine), 0.0, 1.0)) * 57.29577951308232);
        }
    }
    return worst;
}

bool fallsEverywhere(const FlowField& field) {
    const CellRect area = field.area();
    for (int y = area.y; y < area.y + area.height; ++y) {
        for (int x = area.x; x < area.x + area.width; ++x) {
            const auto next = field.next({x, y});
            if (next && field.distance(*next) >= field.distance({x, y})) return false;
        }
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const int side = argc > 1 ? std::atoi(argv[1]) : 1024;
    const int repeats = side > 1024 ? 3 : 5;
    const double cells = static_cast<double>(side) * static_cast<double>(side);
    std::printf("%d x %d, ns per cell\n%-16s %-10s %10s %10s %12s %12s\n", side, side, "ground", "method", "integrate", "arrows", "max error", "max angle");
    bool right = true;
    for (const Ground ground : {Ground::Uniform, Ground::Obstacles, Ground::Weighted}) {
        const auto world = makeWorld(ground, side);
        const WorldSnapshot now = world->snapshot();
        const auto resolved = std::get<ResolvedConstraints>(resolve(plainDistance(), now.rules()));
        const auto store = std::make_shared<TileStore>();
        FlowRequest request;
        request.key = {resolved.metric, 0, 0};
        const Cell goal{side / 2, side / 2};
        request.goals = {goal};
        FastMarching marching;
        FlowBuilder builder;
        for (int method = 0; method < 3; ++method) {
            double integrate = 1e9, arrows = 1e9;
            FlowAnswer answer;
            for (int r = 0; r < repeats; ++r) {
                const bool begun = method == 0 ? builder.begin(now, request, store) : marching.begin(now, request, store, static_cast<MarchOrder>(method));
                if (!begun) return 1;
                const double a = 1e-6 * bench::threadMicroseconds();
                if (method == 0) {
                    builder.integrate();
                } else {
                    marching.integrate();
                }
                const double b = 1e-6 * bench::threadMicroseconds();
                answer = method == 0 ? builder.finish() : marching.finish();
                integrate = std::min(integrate, b - a);
                arrows = std::min(arrows, 1e-6 * bench::threadMicroseconds() - b);
            }
            right = right && fallsEverywhere(*answer.field);
            const char* name = method == 0 ? "dijkstra" : method == 1 ? "order 1" : "order 2";
            std::printf("%-16s %-10s %10.1f %10.1f", kNames[static_cast<int>(ground)], name, integrate * 1e9 / cells, arrows * 1e9 / cells);
            if (ground == Ground::Uniform) {
                const Errors worst = errorsOf(*answer.field, goal);
                std::printf(" %7.3f cell %8.2f deg", worst.cells, worst.degrees);
                right = right && (method != 2 || (worst.cells <= 0.11 && worst.degrees <= 2.0));
            }
            std::printf("\n");
        }
    }
    if (!right) std::puts("WRONG: a field is not what it should be");
    return right ? 0 : 1;
}
