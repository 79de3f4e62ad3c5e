// World records, cover and regions.
#include <map>

#include "corpus.h"
#include "warpath/grid/region_table.h"
#include "warpath/io/world_binary.h"
#include "warpath/io/world_json.h"

namespace warpath::tool {
namespace {

MobilityProfile profileOf(const WorldSnapshot& snapshot, const PathConstraints& constraints) {
    const auto resolved = resolve(constraints, snapshot.rules());
    return std::get<ResolvedConstraints>(resolved).metric.profile;
}

void addCells(Hash64& hash, const WorldSnapshot& snapshot) {
    const CellRect bounds = snapshot.bounds();
    for (int y = bounds.y; y < bounds.y + bounds.height; ++y) {
        for (int x = bounds.x; x < bounds.x + bounds.width; ++x) {
            const Cell c{x, y};
            hash.addByte(static_cast<std::uint8_t>(snapshot.terrainAt(c)));
            hash.add(std::uint64_t{snapshot.obstacleAt(c)});
            addFloat(hash, snapshot.elevationAt(c));
        }
    }
}

/// Regions numbered by first appearance in row order: ids mean nothing, which cells share one does.
void addRegions(Hash64& hash, const WorldSnapshot& snapshot, const RegionTable& regions) {
    std::map<RegionId, std::uint64_t> numbers;
    for (int y = 0; y < snapshot.height(); ++y) {
        for (int x = 0; x < snapshot.width(); ++x) {
            const RegionId region = regions.regionAt(x, y);
            hash.add(region == 0 ? 0 : numbers.try_emplace(region, numbers.size() + 1).first->second);
        }
    }
}

}  // namespace

void addWorldParts(Corpus& corpus) {
    for (const Scene& scene : corpus.scenes()) {
        corpus.add("world", [&scene](Query&, Hash64& hash) { addCells(hash, scene.snapshot); });
        corpus.add("world_files", [&scene](Query&, Hash64& hash) {
            hash.add(writeWorldBinary(scene.snapshot));
            hash.add(writeWorldJson(scene.snapshot));
        });
        corpus.add("cover", [&scene](Query& query, Hash64& hash) {
            for (int y = 0; y < scene.snapshot.chunkRows(); ++y) {
                for (int x = 0; x < scene.snapshot.chunkColumns(); ++x) {
                    const auto tile = query.tiles()->cover(scene.snapshot, {x, y});
                    for (std::size_t i = 0; i < kChunkCells; ++i) {
                        hash.addByte(tile->cover[i]);
                        hash.addByte(tile->directions[i]);
                        hash.addByte(tile->kind[i]);
                        hash.addByte(tile->exposure[i]);
                    }
                }
            }
        });
        for (const int size : {1, 2, 4}) {
            corpus.add("regions", [&scene, size](Query& query, Hash64& hash) {
                const PathConstraints constraints{.unit_type = UnitType::Wheeled, .unit_radius = static_cast<float>(size) / 2.0f};
                addRegions(hash, scene.snapshot, *query.tiles()->regions(scene.snapshot, profileOf(scene.snapshot, constraints)));
            });
        }
    }
}

}  // namespace warpath::tool
