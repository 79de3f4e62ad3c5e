// Case 2 of the reference: a tank attacks a bunker and chooses among three ways, which come from the front, the left and the right.
#include <set>

#include "battlefield.h"
#include "warpath/pathfinder/query.h"

int main(int argc, char** argv) {
    using namespace warpath;
    using namespace example;
    Battlefield field(500, 500);
    field.world().edit([](WorldEdit& e) {
        for (int i = 0; i < 360; ++i) e.setTerrain({90 + i, 86 + i, 5, 9}, Terrain::Road);  // straight at the bunker
        e.setTerrain({300, 130, 120, 200}, Terrain::Forest);
        e.setTerrain({150, 300, 70, 70}, Terrain::Swamp);
        for (int i = 0; i < 208; ++i) {  // ridges on both sides of the road hide the ways behind them
            e.placeObstacle({200 + i, 140 + i, 4, 4}, ObstacleKind::Rock, 6.0f);
            e.placeObstacle({140 + i, 200 + i, 4, 4}, ObstacleKind::Rock, 6.0f);
        }
        for (int k = 8; k < 31; ++k) {  // between their ends only the road leads on
            e.placeObstacle({378 + k, 378 - k, 4, 4}, ObstacleKind::Rock, 6.0f);
            e.placeObstacle({378 - k, 378 + k, 4, 4}, ObstacleKind::Rock, 6.0f);
        }
        e.placeObstacle({400, 386, 80, 2}, ObstacleKind::Wall, 2.5f);  // banks that shield the bunker's flanks, and whoever comes behind them
        e.placeObstacle({386, 400, 2, 80}, ObstacleKind::Wall, 2.5f);
    });
    field.addEnemy({401.5f, 401.5f}, 140.0f, 1.0f);  // its gun looks to the north west, where the road comes from
    field.addEnemy({352.5f, 352.5f}, 60.0f, 0.8f);
    field.publishThreat();

    MultiPathRequest request{.path = {.from = {100.5f, 100.5f}, .goal = Goal::point({396.5f, 396.5f}), .side = kOurSide},
                             .max_paths = 3,
                             .max_stretch = 2.5f,
                             .mode = MultiPathMode::Flanking};
    request.path.constraints = {.threat_weight = 2.0f, .terrain_weight = 2.0f, .prefer_roads = true, .unit_type = UnitType::TankMedium, .unit_radius = 1.5f,
                                .doctrine = Doctrine::Aggressive};
    Query query;
    std::vector<Path> paths;
    expect(query.findAllPaths(field.snapshot(), request, paths) == PathStatus::Found && paths.size() == 3, "there are three ways");
    const std::size_t aggressive = selectBestPath(paths, scoreWeights(Doctrine::Aggressive));
    std::set<Approach> sides;
    Drawing drawing;
    const auto nameOf = [](Approach a) { return a == Approach::Front ? "front" : a == Approach::Left ? "left" : a == Approach::Right ? "right" : "rear"; };
    for (const Path& p : paths) {
        sides.insert(p.approach);
        std::printf("%-6s %6.1f m  threat taken in %6.2f  cover %3.0f %%  %5.1f s  stretch %.2f  score %+.3f\n", nameOf(p.approach), p.length, threatTaken(p),
                    100.0 * static_cast<double>(p.cover_percentage), p.travel_time, static_cast<double>(p.stretch), static_cast<double>(p.score));
        drawing.route(p, caption(nameOf(p.approach), p));
    }
    const std::size_t stealthy = selectBestPath(paths, scoreWeights(Doctrine::Stealth));
    std::printf("chosen: %s by the aggressive weights, %s by the stealthy ones\n", nameOf(paths[aggressive].approach), nameOf(paths[stealthy].approach));
    expect(sides.size() == 3 && sides.count(Approach::Rear) == 0, "they come from front, left and right");
    double least = threatTaken(paths[0]);
    for (const Path& p : paths) least = std::min(least, threatTaken(p));
    expect(threatTaken(paths[stealthy]) <= 1.15 * least, "stealth chooses a way with hardly more than the least threat");
    drawing.save(argc, argv, "flanking_routes", field);
    return 0;
}
