// The shortest program that asks for a path: a world, a building, one query.
#include <cstdio>

#include "warpath/pathfinder/query.h"
#include "warpath/world/world.h"

int main() {
    using namespace warpath;
    World world({.width = 256, .height = 256});
    world.edit([](WorldEdit& edit) { edit.placeObstacle({100, 20, 8, 180}, ObstacleKind::Building, 6.0f); });
    Query query;  // one per thread, reused
    Path path;
    query.findPath(world.snapshot(), {.from = {20.5f, 100.5f}, .goal = Goal::point({220.5f, 120.5f})}, path);
    for (const Waypoint& waypoint : path.waypoints) std::printf("%.1f %.1f\n", waypoint.position.x, waypoint.position.y);
    return path.status == PathStatus::Found ? 0 : 1;
}
