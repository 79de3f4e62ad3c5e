// A column of two hundred units three kilometres from its goal: a tiled field computes only the chunks that its way touches. A scout that leaves them is told
// so, and the field is enlarged for it. (Units do not collide.)
//
//   build/release/examples/example_far_column
#include <cstdio>
#include <memory>
#include <vector>

#include "warpath/core/rng.h"
#include "warpath/flow/flow_sample.h"
#include "warpath/pathfinder/query.h"
#include "warpath/world/world.h"

using namespace warpath;

namespace {

constexpr float kStep = 0.25f;

int tilesOf(const FlowField& field) {
    int count = 0;
    for (int y = 0; y < field.tiles().rows(); ++y) {
        for (int x = 0; x < field.tiles().columns(); ++x) count += field.tile({x, y}) != nullptr ? 1 : 0;
    }
    return count;
}

/// Follows a field to its goal, or until it says nothing more. @return metres walked; negative when the unit did not arrive.
float march(const FlowField& field, Position at) {
    for (int i = 0; i < 40'000; ++i) {
        const FlowSample way = sampleFlow(field, at, {.step = kStep});
        if (way.state == FlowSampleState::Goal) return static_cast<float>(i) * kStep;
        if (way.direction == Vec2{}) return -1.0f;
        at = {at.x + way.direction.x * kStep, at.y + way.direction.y * kStep};
    }
    return -1.0f;
}

}  // namespace

int main() {
    World world({.width = 3456, .height = 1280});
    Rng rng(11);
    world.edit([&](WorldEdit& edit) {
        const auto at = [&](int limit) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(limit))); };
        for (int i = 0; i < 1500; ++i) edit.placeObstacle({at(3400), at(1240), 4 + at(30), 4 + at(30)}, ObstacleKind::Building, 6.0f);
        edit.placeObstacle({1700, 0, 6, 700}, ObstacleKind::Wall, 4.0f);  // a wall with one gate
        edit.placeObstacle({1700, 704, 6, 576}, ObstacleKind::Wall, 4.0f);
        edit.removeObstacle({1690, 690, 26, 24});
        edit.removeObstacle({100, 100, 120, 120});
        edit.removeObstacle({3190, 390, 20, 20});
    });
    const WorldSnapshot snapshot = world.snapshot();

    FieldRequest request{.goal = Goal::disc({3200.5f, 400.5f}, 6.0f), .constraints = plainDistance(), .tiled = true};
    for (int i = 0; i < 200; ++i) {
        const int x = static_cast<int>(rng.below(110));
        request.positions.push_back({105.5f + static_cast<float>(x), 105.5f + static_cast<float>(rng.below(110))});
    }
    Query query;
    auto field = std::make_shared<FieldResult>();
    if (query.buildField(snapshot, request, {}, *field) != PathStatus::Found) {
        std::fprintf(stderr, "%s\n", field->error.text().c_str());
        return 1;
    }
    const int all = field->field->tiles().columns() * field->field->tiles().rows();
    std::printf("tiles %d of %d, %.1f MiB\n", tilesOf(*field->field), all, static_cast<double>(field->field->memoryBytes()) / 1048576.0);
    int arrived = 0;
    for (std::size_t i = 0; i < request.positions.size(); i += 20) arrived += march(*field->field, request.positions[i]) > 0.0f ? 1 : 0;
    std::printf("%d of 10 marched to the goal\n", arrived);

    // A scout far to the south: off the tiles it has a coarse direction at best. Ask again with its position; what is there is used again.
    const Position scout{900.5f, 1200.5f};
    const FlowSampleState told = sampleFlow(*field->field, scout).state;
    request.positions.push_back(scout);
    FieldResult larger;
    query.buildField(snapshot, request, {field, snapshot, true}, larger);
    std::printf("the scout stood %s the tiles; enlarged to %d tiles\n", told == FlowSampleState::Coarse || told == FlowSampleState::Pending ? "off" : "on", tilesOf(*larger.field));
    return arrived == 10 && larger.status == PathStatus::Found && march(*larger.field, scout) > 0.0f ? 0 : 1;
}
