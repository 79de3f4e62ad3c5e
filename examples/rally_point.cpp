// Five hundred units from four camps go to a rally point along one field: it is computed once, each unit reads it where it stands. (They do not collide.)
//
//   build/release/examples/example_rally_point [trails.png]
#include <cstdio>
#include <iterator>
#include <memory>
#include <vector>

#include "picture.h"
#include "warpath/core/rng.h"
#include "warpath/flow/fast_marching.h"
#include "warpath/flow/flow_sample.h"
#include "warpath/world/world.h"

using namespace warpath;

namespace {

constexpr int kWidth = 160, kHeight = 110, kUnits = 500, kPixels = 6;
constexpr float kStep = 0.25f;  // 3 m/s at 12 steps a second
constexpr CellRect kBlocks[] = {{30, 20, 22, 14}, {30, 44, 8, 40}, {46, 60, 26, 6}, {64, 10, 6, 34}, {84, 30, 16, 16}, {84, 58, 10, 40}, {110, 0, 5, 38}, {112, 52, 22, 8}, {130, 70, 6, 40}};

constexpr Position kCamps[] = {{3, 88}, {6, 4}, {62, 92}, {138, 90}};  // north west corners of 16 x 14 m

struct Unit {
    Position at;
    std::vector<Position> trail;
    bool arrived = false;
};

bool blocked(const WorldSnapshot& snapshot, Position p) {
    const Cell c = cellAt(p);
    return !snapshot.contains(c) || obstacleKind(snapshot.obstacleAt(c)) != ObstacleKind::None;
}

void draw(const std::vector<Unit>& units, const char* path) {
    using namespace warpath::tool;
    Picture picture(kWidth * kPixels, kHeight * kPixels, {226, 232, 214});
    for (const CellRect& b : kBlocks) picture.fill(b.x * kPixels, b.y * kPixels, b.width * kPixels, b.height * kPixels, {92, 86, 84});
    const auto pixel = [](Position p) { return Point{p.x * kPixels, p.y * kPixels}; };
    for (const Unit& u : units) {
        for (std::size_t i = 4; i < u.trail.size(); i += 4) picture.line(pixel(u.trail[i - 4]), pixel(u.trail[i]), 1.2f, {30, 80, 170}, 0.22f);
    }
    for (const Unit& u : units) {
        picture.disc(pixel(u.trail.front()), 2.0f, {30, 80, 170}, 0.8f);
        picture.disc(pixel(u.at), 2.0f, {200, 30, 30});
    }
    if (const auto error = picture.writePng(path)) std::fprintf(stderr, "%s\n", error->text().c_str());
}

}  // namespace

int main(int argc, char** argv) {
    World world({.width = kWidth, .height = kHeight});
    world.edit([](WorldEdit& edit) {
        for (const CellRect& b : kBlocks) edit.placeObstacle(b, ObstacleKind::Building, 8.0f);
    });
    const WorldSnapshot snapshot = world.snapshot();

    // One field for everybody: plain distance, any angle, to a disc around the rally point.
    FlowRequest request;
    request.key.metric = std::get<ResolvedConstraints>(resolve(plainDistance(), snapshot.rules())).metric;
    request.goal_discs = {{{148.5f, 12.5f}, 3.0f}};
    FastMarching marching;
    const FlowAnswer answer = marching.build(snapshot, request, std::make_shared<TileStore>(), MarchOrder::Second);
    if (answer.status != PathStatus::Found) {
        std::fprintf(stderr, "%s\n", answer.error.text().c_str());
        return 1;
    }

    Rng rng(7);
    std::vector<Unit> units(kUnits);
    for (std::size_t i = 0; i < units.size(); ++i) {
        const Position camp = kCamps[i % std::size(kCamps)];
        const auto x = static_cast<float>(rng.below(1600));
        const auto y = static_cast<float>(rng.below(1400));
        units[i].at = {camp.x + x / 100.0f, camp.y + y / 100.0f};
        units[i].trail = {units[i].at};
    }
    int arrived = 0, steps = 0, in_walls = 0;
    for (; arrived < kUnits && steps < 4000; ++steps) {
        for (Unit& u : units) {
            if (u.arrived) continue;
            const FlowSample way = sampleFlow(*answer.field, u.at, {.step = kStep});
            if (way.state == FlowSampleState::Goal) {
                u.arrived = true;
                ++arrived;
                continue;
            }
            u.at = {u.at.x + way.direction.x * kStep, u.at.y + way.direction.y * kStep};
            u.trail.push_back(u.at);
            in_walls += blocked(snapshot, u.at) ? 1 : 0;
        }
    }
    std::printf("%d of %d units arrived after %d steps, %d steps into walls\n", arrived, kUnits, steps, in_walls);
    if (argc > 1) draw(units, argv[1]);
    return arrived == kUnits && in_walls == 0 ? 0 : 1;
}
