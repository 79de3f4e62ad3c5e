// A world with a navmesh behind its pathfinder, and the grid beside it to compare with.
#pragma once

#include "navmesh/support.h"
#include "warpath/nav_backend/nav_backend.h"
#include "warpath/pathfinder/ipathfinder.h"

namespace warpath::test {

struct Backed {
    World world;
    std::shared_ptr<TileStore> tiles = std::make_shared<TileStore>();
    AlgorithmRules rules{};
    std::shared_ptr<IRouteBackend> backend;
    std::unique_ptr<ClassicPathfinder> pathfinder;
    Query grid{tiles};
    Path path, other;

    explicit Backed(const WorldConfig& config) : world(config) {}

    void open(const RouteBackendSettings& settings = {}) { take(navBackendFactory()(world.snapshot(), settings, {})); }
    void openWorld(const NavWorldConfig& config) { take(makeNavBackend(world.snapshot(), config)); }
    void focus(std::vector<Position> at) {
        backend->setFocus(at);
        settle();
    }
    void settle() {
        do {
            backend->update(world.snapshot());
        } while (backend->stats().waiting > 0);
    }
    PathAlgorithm ask(const PathRequest& request) {
        pathfinder->findPath(world.snapshot(), request, path);
        return path.algorithm;
    }

private:
    void take(MadeRouteBackend made) {
        ASSERT_TRUE(std::holds_alternative<std::shared_ptr<IRouteBackend>>(made)) << std::get<Error>(made).text();
        backend = std::get<std::shared_ptr<IRouteBackend>>(std::move(made));
        settle();
        pathfinder = std::make_unique<ClassicPathfinder>(PathfinderContext{.tiles = tiles, .rules = rules, .backend = backend});
        grid = Query(tiles, rules);
    }
};

}  // namespace warpath::test
