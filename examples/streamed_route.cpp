// A route walked across a map of which only the surroundings are meshed: tiles come, go and are rebuilt on the way.
//
// The grid knows the whole map and gives the coarse route; the navmesh, loaded within two chunks of the walker, gives each leg. Every few metres a
// block falls in the way, so that the leg goes stale and is asked for anew. Leaves with 1 if the walker is ever off the ground or does not arrive.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <variant>

#include "warpath/core/rng.h"
#include "warpath/navmesh/nav_reader.h"
#include "warpath/navmesh/nav_world.h"
#include "warpath/pathfinder/query.h"
#include "warpath/world/world.h"

using namespace warpath;

namespace {

float distance(Position a, Position b) { return std::hypot(a.x - b.x, a.y - b.y); }

Position towards(Position from, Position to, float step) {
    const float d = distance(from, to);
    return d <= step ? to : Position{from.x + (to.x - from.x) * step / d, from.y + (to.y - from.y) * step / d};
}

}  // namespace

int main() {
    constexpr int kWidth = 64 * 16, kHeight = 64 * 4;
    World world({.width = kWidth, .height = kHeight});
    Rng rng(6);
    world.edit([&](WorldEdit& edit) {
        for (int i = 0; i < 900; ++i) {
            const int x = 20 + static_cast<int>(rng.below(kWidth - 60)), y = static_cast<int>(rng.below(kHeight - 12));
            const int w = 2 + static_cast<int>(rng.below(9)), h = 2 + static_cast<int>(rng.below(9));
            edit.placeObstacle({x, y, w, h}, ObstacleKind::Building, 5.0f);
        }
    });
    auto made = NavWorld::create(world.snapshot(), {.load_radius = 2, .unload_radius = 3, .inline_builds_per_update = 3});
    if (const Error* error = std::get_if<Error>(&made)) {
        std::printf("%s\n", error->text().c_str());
        return 1;
    }
    NavWorld& nav = *std::get<std::unique_ptr<NavWorld>>(made);
    NavReader reader(nav);
    Query grid;
    Path coarse;
    NavPath leg;

    const Position goal{kWidth - 10.5f, 0.5f * kHeight};
    Position walker{10.5f, 0.5f * kHeight};
    const auto plan = [&] {
        return grid.findPath(world.snapshot(), {.from = walker, .goal = Goal::point(goal), .constraints = plainDistance()}, coarse) == PathStatus::Found;
    };
    if (!plan()) return 1;
    std::size_t corner = 1;  // of the leg: walked to next
    int ticks = 0, legs = 0, stale = 0, waited = 0;
    float walked = 0.0f;
    while (distance(walker, goal) > 0.01f) {
        if (++ticks > 20'000) {
            std::printf("stuck at %.1f, %.1f\n", static_cast<double>(walker.x), static_cast<double>(walker.y));
            return 1;
        }
        if (ticks % 40 == 0) {  // a block falls some metres ahead
            world.edit([&](WorldEdit& edit) {
                const Position ahead = towards(walker, leg.points.empty() ? goal : leg.points.back(), 12.0f);
                const Cell c = cellAt(ahead);
                if (distance(ahead, walker) > 6.0f && distance(ahead, goal) > 12.0f) edit.placeObstacle({c.x - 1, c.y - 1, 3, 3}, ObstacleKind::Rock, 2.0f);
            });
        }
        nav.setFocus(std::span(&walker, 1));
        nav.update(world.snapshot());

        const bool fresh = leg.status == NavStatus::Complete && reader.check(leg) == NavStatus::Complete;
        if (leg.status == NavStatus::Complete && !fresh) ++stale;
        if (!fresh || corner >= leg.points.size()) {
            // The farthest point of the coarse route that the mesh reaches; what fell on the route since calls for a new one.
            leg.reset();
            if (!plan()) return 1;
            for (std::size_t i = coarse.cells.size(); i-- > 0 && leg.status != NavStatus::Complete;) {
                const bool last = i + 1 == coarse.cells.size();
                if (!last && i % 16 != 0) continue;
                const Position aim = last ? goal : centreOf(coarse.cells[i]);
                if (distance(walker, aim) > 150.0f || distance(walker, aim) < 0.1f) continue;
                if (reader.findPath({.from = walker, .to = aim}, leg) == NavStatus::Complete) break;
                leg.reset();
            }
            corner = 1;
            if (leg.status != NavStatus::Complete) {
                ++waited;  // the chunk is still being built
                continue;
            }
            ++legs;
        }
        const Position next = towards(walker, leg.points[corner], 0.5f);
        walked += distance(walker, next);
        walker = next;
        if (walker == leg.points[corner]) ++corner;
        if (obstacleKind(world.snapshot().obstacleAt(cellAt(walker))) != ObstacleKind::None) {
            std::printf("walked into a block at %.1f, %.1f\n", static_cast<double>(walker.x), static_cast<double>(walker.y));
            return 1;
        }
    }
    const NavStats stats = nav.stats();
    std::printf("walked %.0f m in %d ticks over %d legs, %d of them after one had gone stale, %d ticks waited for tiles\n", static_cast<double>(walked), ticks, legs,
                stale, waited);
    std::printf("%llu chunks built, %zu loaded at the end of %d\n", static_cast<unsigned long long>(stats.built), stats.chunks, kWidth / 64 * (kHeight / 64));
    return stats.chunks < 64 && stale > 0 ? 0 : 1;
}
