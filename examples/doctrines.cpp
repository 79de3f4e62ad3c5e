// Four doctrines on one map: the same trip, wished for by four commanders.
#include <array>

#include "battlefield.h"
#include "warpath/pathfinder/query.h"

int main(int argc, char** argv) {
    using namespace warpath;
    using namespace example;
    Battlefield field(220, 150);
    field.world().edit([](WorldEdit& e) {
        e.setTerrain({0, 72, 220, 5}, Terrain::Road);
        e.setTerrain({38, 72, 5, 45}, Terrain::Road);  // a way around
        e.setTerrain({38, 112, 144, 5}, Terrain::Road);
        e.setTerrain({177, 72, 5, 45}, Terrain::Road);
        e.setTerrain({50, 120, 120, 26}, Terrain::Forest);
        e.setTerrain({60, 8, 80, 22}, Terrain::Urban);
        for (int x = 62; x < 140; x += 16) {
            e.placeObstacle({x, 8, 10, 8}, ObstacleKind::Building, 7.0f);
            e.placeObstacle({x, 22, 10, 8}, ObstacleKind::Building, 7.0f);
        }
        for (int x = 40; x < 190; x += 24) e.placeObstacle({x, 86, 17, 1}, ObstacleKind::Wall, 1.4f);
        for (int x = 30; x < 190; x += 30) e.placeObstacle({x, 50, 18, 1}, ObstacleKind::Vegetation, 2.2f);
    });
    field.addEnemy({110.5f, 58.5f}, 62.0f, 2.5f);
    field.publishThreat();

    Query query;
    Drawing drawing;
    std::array<Path, 4> paths;
    const std::array<const char*, 4> names{"aggressive", "balanced", "cautious", "stealth"};
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const PathRequest request{.from = {10.5f, 74.5f}, .goal = Goal::point({208.5f, 74.5f}), .constraints = {.doctrine = static_cast<Doctrine>(i)}, .side = kOurSide};
        expect(query.findPath(field.snapshot(), request, paths[i]) == PathStatus::Found, "every doctrine finds a way");
        std::printf("%-10s %6.1f m  threat taken in %6.2f  without cover under threat %6.1f m  in cover %3.0f %%  %5.1f s\n", names[i], paths[i].length,
                    threatTaken(paths[i]), paths[i].exposed_length, 100.0 * static_cast<double>(paths[i].cover_percentage), paths[i].travel_time);
        drawing.route(paths[i], caption(names[i], paths[i]));
        for (std::size_t j = 0; j < i; ++j) expect(paths[i].cells != paths[j].cells, "no two doctrines go the same way");
    }
    expect(threatTaken(paths[2]) < threatTaken(paths[0]) && threatTaken(paths[3]) < threatTaken(paths[0]), "caution and stealth take in less than aggression");
    drawing.save(argc, argv, "doctrines", field);
    return 0;
}
