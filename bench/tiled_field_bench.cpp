// What does a field for a group far from its goal cost, and what does it lose against the field of the whole map?
//
//   build/release/bench/tiled_field_bench [SIDE]          seeded ground of SIDE x SIDE cells [4096], 100 units, plain and balanced; some thirty seconds
//
// First it verifies: every unit has a way, no arrow leads up. Times are of this thread's processor: the first field of a pair of places (tables and chunks are
// made for it), the least of three more, and the same for the whole map once. Suboptimality is that of the units' distances.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "support/drawn_map.h"
#include "timing.h"
#include "warpath/pathfinder/query.h"

using namespace warpath;

namespace {

constexpr int kUnits = 100;
using bench::milliseconds;

int chunksOf(const FlowField& field) {
    int count = 0;
    for (int y = 0; y < field.tiles().rows(); ++y) {
        for (int x = 0; x < field.tiles().columns(); ++x) count += field.tile({x, y}) != nullptr ? 1 : 0;
    }
    return count;
}

void verify(const FlowField& field) {
    for (int cy = 0; cy < field.tiles().rows(); ++cy) {
        for (int cx = 0; cx < field.tiles().columns(); ++cx) {
            if (field.tile({cx, cy}) == nullptr) continue;
            for (int i = 0; i < kChunkCells; ++i) {
                const Cell c{cx * kChunkSize + i % kChunkSize, cy * kChunkSize + i / kChunkSize};
                const auto next = field.next(c);
                if (next && field.distance(*next) >= field.distance(c)) bench::fail("an arrow leads up");
            }
        }
    }
}

void run(const World& world, const char* name, const PathConstraints& constraints) {
    const WorldSnapshot snapshot = world.snapshot();
    Query query;
    FieldResult whole;
    const Position goal = mid(snapshot.width() - 60, snapshot.height() / 2 + 40);
    std::printf("%s\n  %8s %8s %10s %10s %10s %9s %9s %12s %12s\n", name, "metres", "tiles", "MiB", "first ms", "later ms", "enlarge", "coarse", "mean over", "worst over");
    bool exact = false;
    for (int metres = 500; metres < snapshot.width() - 150; metres *= 2) {
        Rng rng(static_cast<std::uint64_t>(metres));
        FieldRequest request{.goal = Goal::point(goal), .constraints = constraints, .tiled = true};
        const int x = snapshot.width() - 60 - metres, y = snapshot.height() / 2 - metres / 8;
        while (request.positions.size() < kUnits) {
            const Position p = mid(x + static_cast<int>(rng.below(80)) - 40, y + static_cast<int>(rng.below(80)) - 40);
            if (query.reachable(snapshot, p, goal, constraints) == PathStatus::Found) request.positions.push_back(p);
        }
        auto tiled = std::make_shared<FieldResult>();
        const double first = milliseconds([&] { query.buildField(snapshot, request, {}, *tiled); });
        double later = 1e9;
        for (int i = 0; i < 3; ++i) later = std::min(later, milliseconds([&] { query.buildField(snapshot, request, {}, *tiled); }));
        if (tiled->status != PathStatus::Found || !tiled->field->info().tiled) bench::fail("no tiled field");
        verify(*tiled->field);
        FieldRequest more = request;
        Position stray = mid(x + 150, y + 200);
        while (query.reachable(snapshot, stray, goal, constraints) != PathStatus::Found) stray.x += 1.0f;
        more.positions.push_back(stray);
        FieldResult larger;
        query.buildField(snapshot, more, {}, larger);  // compiles
        const double enlarged = milliseconds([&] { query.buildField(snapshot, more, {tiled, snapshot}, larger); });
        if (!exact) {
            FieldRequest all = request;
            all.tiled = false;
            query.buildField(snapshot, all, {}, whole);
            const double again = milliseconds([&] { query.buildField(snapshot, all, {}, whole); });
            std::printf("  the whole map: %.1f MiB, %.1f ms\n", static_cast<double>(whole.field->memoryBytes()) / 1048576.0, again);
            exact = true;
        }
        double sum = 0.0, worst = 0.0;
        for (const Position p : request.positions) {
            const Cost is = tiled->field->distance(cellAt(p)), best = whole.field->distance(cellAt(p));
            if (is == kNoFlowDistance || is < best) bench::fail("a unit has no way, or one that is too good");
            const double over = static_cast<double>(is) / static_cast<double>(best) - 1.0;
            sum += over;
            worst = std::max(worst, over);
        }
        std::printf("  %8d %8d %10.2f %10.2f %10.2f %9.2f %6zu KB %11.3f%% %11.3f%%\n", metres, chunksOf(*tiled->field), static_cast<double>(tiled->field->memoryBytes()) / 1048576.0, first,
                    later, enlarged, tiled->field->coarse()->memoryBytes() / 1024, sum / kUnits * 100.0, worst * 100.0);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const int side = argc > 1 ? std::atoi(argv[1]) : 4096;
    if (side < 1024 || side > 8192) bench::fail("SIDE wants 1024 to 8192");
    const std::unique_ptr<World> world = randomField(7, side, side, 8);
    world->edit([&](WorldEdit& e) { e.removeObstacle({side - 64, side / 2 + 36, 9, 9}); });
    run(*world, "plain distance and terrain", plainDistance());
    run(*world, "balanced", {});
}
