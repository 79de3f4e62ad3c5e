// Case 3 of the reference: fifty tanks come to one rally point. One flow field leads them all.
#include <variant>

#include "battlefield.h"
#include "warpath/core/rng.h"
#include "warpath/flow/flow_builder.h"
#include "warpath/pathfinder/query.h"

int main(int argc, char** argv) {
    using namespace warpath;
    using namespace example;
    Battlefield field(1088, 1088);
    field.world().edit([](WorldEdit& e) {
        Rng rng(7);
        const auto at = [&](int margin) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(1088 - margin))); };
        for (int i = 0; i < 70; ++i) e.setTerrain({at(90), at(90), 30 + at(1040), 30 + at(1040)}, i % 3 == 0 ? Terrain::Swamp : Terrain::Forest);
        for (const int r : {250, 640, 990}) {
            e.setTerrain({0, r, 1088, 6}, Terrain::Road);
            e.setTerrain({r, 0, 6, 1088}, Terrain::Road);
        }
        for (int i = 0; i < 90; ++i) {
            const CellRect block{at(60), at(60), 12 + at(1060), 12 + at(1060)};
            if (block.x + block.width > 960 && block.y + block.height > 960) continue;  // not on the rally point
            e.placeObstacle(block, ObstacleKind::Building, 6.0f);
        }
    });
    const Position rally{1000.5f, 1000.5f};
    const PathConstraints tanks{.prefer_roads = true, .unit_type = UnitType::TankHeavy};
    const WorldSnapshot snapshot = field.snapshot();

    FlowRequest request;
    const auto resolved = std::get<ResolvedConstraints>(resolve(tanks, snapshot.rules()));
    request.goals = {flowCell(rally, resolved.metric.profile.size)};
    request.key = {resolved.metric, resolved.threat_weight, kOurSide};
    FlowBuilder builder;
    const auto store = std::make_shared<TileStore>();
    const FlowAnswer answer = builder.build(snapshot, request, store);
    expect(answer.field != nullptr, "the field is built");

    Query query(store);
    Rng rng(3);
    Drawing drawing;
    int arrived = 0, compared = 0;
    double metres = 0.0;
    for (int tank = 0; tank < 50;) {
        Cell at{static_cast<int>(rng.below(1088)), static_cast<int>(rng.below(1088))};
        if (!isFlowArrow(answer.field->direction(at))) continue;
        ++tank;
        if (tank % 10 == 0) {  // the field costs what a search of its own finds
            Path own;
            query.findPath(snapshot, {.from = centreOf(at), .goal = Goal::point(rally), .constraints = tanks, .algorithm = PathAlgorithm::AStar}, own);
            expect(own.cost == answer.field->distance(at), "the way by the field costs what a search of its own finds");
            ++compared;
        }
        std::vector<Position> trail{centreOf(at)};
        int last = -1;
        while (const auto next = answer.field->next(at)) {
            const int direction = answer.field->direction(at);
            if (direction != last) trail.push_back(centreOf(at));
            last = direction;
            metres += at.x != next->x && at.y != next->y ? 1.41421356237309515 : 1.0;
            at = *next;
        }
        trail.push_back(centreOf(at));
        arrived += at.x == 1000 && at.y == 1000 ? 1 : 0;
        drawing.trail(trail);
    }
    std::printf("%d of 50 tanks arrive, %.0f m each on average; %d ways compared with searches\n", arrived, metres / 50.0, compared);
    expect(arrived == 50, "all fifty arrive");
    drawing.save(argc, argv, "converging_tanks", field);
    return 0;
}
