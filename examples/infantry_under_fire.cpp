// Case 1 of the reference: ten soldiers cross ground that a machine gun rakes. From cover to cover they take in less than half of what the direct way costs.
#include "battlefield.h"
#include "warpath/pathfinder/tactics.h"

int main(int argc, char** argv) {
    using namespace warpath;
    using namespace example;
    Battlefield field(200, 120);
    field.world().edit([](WorldEdit& e) {
        e.setTerrain({20, 88, 60, 22}, Terrain::Forest);
        e.setTerrain({128, 92, 40, 16}, Terrain::Forest);
        for (int x = 30; x < 170; x += 20) {  // hedges along the fields, with gaps
            e.placeObstacle({x, 78, 15, 1}, ObstacleKind::Vegetation, 2.2f);
            e.placeObstacle({x + 6, 66, 6, 1}, ObstacleKind::Wall, 1.2f);
        }
        e.placeObstacle({84, 84, 12, 9}, ObstacleKind::Building, 6.0f);
        e.placeObstacle({102, 88, 14, 8}, ObstacleKind::Building, 6.0f);
        e.placeObstacle({60, 46, 3, 2}, ObstacleKind::Rock, 1.5f);
        e.placeObstacle({96, 50, 4, 2}, ObstacleKind::Rock, 1.5f);
        e.placeObstacle({134, 46, 3, 3}, ObstacleKind::Rock, 1.5f);
    });
    field.addEnemy({100.5f, 28.5f}, 90.0f, 1.2f);  // the machine gun
    field.publishThreat();
    const WorldSnapshot snapshot = field.snapshot();

    Query query;
    TacticalQuery tactics(query);
    PathRequest request{.from = {12.5f, 60.5f}, .goal = Goal::point({188.5f, 60.5f}), .side = kOurSide};
    request.constraints = plainDistance();
    Path direct, under_fire, cautious;
    query.findPath(snapshot, request, direct);
    request.constraints = {.unit_type = UnitType::Infantry, .doctrine = Doctrine::Cautious};
    query.findPath(snapshot, request, cautious);
    request.constraints.threat_weight = 5.0f;  // the reference's
    request.constraints.cover_weight = 3.0f;
    request.constraints.exposure_weight = 10.0f;
    tactics.findCoverToCoverPath(snapshot, request, under_fire);

    const auto tell = [](const char* name, const Path& p) {
        std::printf("%-15s %6.1f m  threat taken in %6.2f  under threat without cover %6.1f m  in cover %3.0f %%  %5.1f s\n", name, p.length, threatTaken(p),
                    p.exposed_length, 100.0 * static_cast<double>(p.cover_percentage), p.travel_time);
    };
    tell("direct", direct);
    tell("cautious", cautious);
    tell("cover to cover", under_fire);
    std::printf("stops: %zu, of %.0f s each\n", under_fire.cover_points.size(), static_cast<double>(query.routeRules().pause));

    expect(direct.status == PathStatus::Found && cautious.status == PathStatus::Found && under_fire.status == PathStatus::Found, "all three ways exist");
    expect(threatTaken(cautious) <= 0.5 * threatTaken(direct), "the cautious way takes in at most half the threat of the direct one");
    expect(threatTaken(under_fire) <= 0.5 * threatTaken(direct), "so does the way from cover to cover");
    expect(under_fire.movement_style == MovementStyle::CoverToCover && under_fire.cover_points.size() >= 2, "it stops in covers");
    expect(under_fire.travel_time > direct.travel_time, "which takes its time");
    Drawing drawing;
    drawing.route(direct, caption("direct", direct));
    drawing.route(cautious, caption("cautious", cautious));
    drawing.route(under_fire, caption("cover to cover", under_fire));
    drawing.save(argc, argv, "infantry_under_fire", field);
    return 0;
}
