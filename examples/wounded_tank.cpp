// Example 2 of the reference: a damaged tank goes home. It may drive twice as far as long as nobody shoots at it.
#include "battlefield.h"
#include "warpath/pathfinder/query.h"

int main(int argc, char** argv) {
    using namespace warpath;
    using namespace example;
    Battlefield field(240, 180);
    field.world().edit([](WorldEdit& e) {
        e.setTerrain({0, 86, 240, 4}, Terrain::Road);
        e.setTerrain({150, 110, 70, 50}, Terrain::Forest);
        e.setTerrain({30, 8, 50, 30}, Terrain::Forest);
        for (int y = 20; y < 160; y += 28) {
            e.placeObstacle({70, y, 14, 16}, ObstacleKind::Building, 7.0f);
            e.placeObstacle({104, y + 6, 12, 14}, ObstacleKind::Building, 7.0f);
        }
        e.placeObstacle({140, 60, 3, 70}, ObstacleKind::Rock, 5.0f);  // a ridge
        e.setTerrain({132, 168, 20, 12}, Terrain::Grass);
    });
    field.addEnemy({122.5f, 70.5f}, 70.0f, 1.5f);
    field.addEnemy({128.5f, 96.5f}, 60.0f, 1.0f);
    field.publishThreat();

    PathRequest request{.from = {24.5f, 88.5f}, .goal = Goal::point({222.5f, 88.5f}), .side = kOurSide};
    request.constraints = plainDistance();
    request.constraints.unit_type = UnitType::TankMedium;
    request.constraints.unit_radius = 1.5f;
    Query query;
    Path direct, home;
    query.findPath(field.snapshot(), request, direct);
    request.constraints = {.threat_weight = 10.0f, .cover_weight = 5.0f, .terrain_weight = 0.5f, .unit_type = UnitType::TankMedium, .unit_radius = 1.5f};
    query.findPath(field.snapshot(), request, home);

    const auto tell = [](const char* name, const Path& p) { std::printf("%-8s %6.1f m  threat taken in %6.2f  mean %.3f\n", name, p.length, threatTaken(p), static_cast<double>(p.threat_level)); };
    tell("direct", direct);
    tell("wounded", home);
    expect(direct.status == PathStatus::Found && home.status == PathStatus::Found, "both ways exist");
    expect(threatTaken(home) <= 0.25 * threatTaken(direct), "the wounded tank takes in at most a quarter of the threat");
    expect(home.length <= 2.0 * direct.length, "for at most twice the way");
    Drawing drawing;
    drawing.route(direct, caption("direct", direct));
    drawing.route(home, caption("wounded", home));
    drawing.save(argc, argv, "wounded_tank", field);
    return 0;
}
