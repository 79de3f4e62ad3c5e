// Threat and sight.
#include "corpus.h"
#include "warpath/tactical/sight.h"
#include "warpath/tactical/threat_map.h"

namespace warpath::tool {
namespace {

Cell randomCell(Rng& rng, const CellRect& bounds) {
    const auto x = static_cast<std::int32_t>(rng.below(static_cast<std::uint32_t>(bounds.width)));
    const auto y = static_cast<std::int32_t>(rng.below(static_cast<std::uint32_t>(bounds.height)));
    return {bounds.x + x, bounds.y + y};
}

void addThreat(Hash64& hash, const ThreatMap& map, const CellRect& bounds) {
    for (int y = bounds.y; y < bounds.y + bounds.height; y += map.config().resolution)
        for (int x = bounds.x; x < bounds.x + bounds.width; x += map.config().resolution) hash.add(static_cast<std::uint64_t>(map.threatAt({x, y})));
}

}  // namespace

void addTacticalParts(Corpus& corpus) {
    for (const Scene& scene : corpus.scenes()) {
        for (const int resolution : {1, 2, 4}) {
            corpus.add("threat", [&scene, resolution](Query&, Hash64& hash) {
                Rng rng(static_cast<std::uint64_t>(resolution) * 17);
                const CellRect bounds = scene.snapshot.bounds();
                ThreatMap map(scene.snapshot, 0, {.resolution = resolution, .blur_radius = resolution});
                std::vector<ThreatSource> enemies = randomEnemies(rng, bounds, 8);
                for (int round = 0; round < 3; ++round) {
                    map.update(enemies);
                    map.finish();
                    addThreat(hash, map, bounds);
                    for (std::size_t i = 0; i < enemies.size(); i += 2) {
                        const Cell to = randomCell(rng, bounds);
                        enemies[i].position = centreOf(to);
                    }
                }
            });
        }
        for (int i = 0; i < corpus.count(8); ++i) {
            corpus.add("sight", [&scene, i](Query&, Hash64& hash) {
                Rng rng(static_cast<std::uint64_t>(i) * 613 + 5);
                const CellRect bounds = scene.snapshot.bounds();
                for (int line = 0; line < 100; ++line) {
                    const Cell from = randomCell(rng, bounds);
                    const Cell to = randomCell(rng, bounds);
                    hash.addByte(lineOfSight(scene.snapshot, from, to, {}) ? 1 : 0);
                }
                const Cell tower = randomCell(rng, bounds);
                const int radius = 10 + static_cast<int>(rng.below(60));
                SightScratch scratch;
                FieldOfView view;
                fieldOfView(scene.snapshot, tower, radius, {.eye = 4.0f, .target = 1.7f}, scratch, view);
                for (int y = -radius; y <= radius; ++y)
                    for (const std::uint64_t word : view.row(y)) hash.add(word);
            });
        }
    }
}

}  // namespace warpath::tool
