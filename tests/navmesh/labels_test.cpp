// Labels kept up to date tile by tile against a flood fill of the whole mesh.
#include <algorithm>
#include <map>

#include "navmesh/component_labels.h"
#include "navmesh/passability.h"
#include "navmesh/support.h"
#include "warpath/navmesh/nav_tile_builder.h"

namespace warpath {
namespace {

using navmesh::ComponentLabels;
using navmesh::LoadedTile;
using navmesh::MeshFrame;
using navmesh::TileGrid;
using navmesh::TileLabels;

/// Two labellings say the same: one name here for one name there.
void expectSameParts(const ComponentLabels& a, const ComponentLabels& b, const TileGrid& tiles, std::size_t sets) {
    for (std::size_t s = 0; s < sets; ++s) {
        std::map<std::uint32_t, std::uint32_t> there, back;
        for (std::size_t t = 0; t < tiles.size(); ++t) {
            const TileLabels *mine = a.of(static_cast<std::int32_t>(t)).get(), *theirs = b.of(static_cast<std::int32_t>(t)).get();
            ASSERT_EQ(mine == nullptr, tiles[t] == nullptr) << t;
            if (mine == nullptr) continue;
            ASSERT_EQ(mine->label.size(), theirs->label.size());
            for (std::size_t i = s * mine->patches; i < (s + 1) * mine->patches; ++i) {
                ASSERT_EQ(there.emplace(mine->label[i], theirs->label[i]).first->second, theirs->label[i]) << "tile " << t << ": one name for two parts";
                ASSERT_EQ(back.emplace(theirs->label[i], mine->label[i]).first->second, mine->label[i]) << "tile " << t << ": two names for one part";
            }
        }
    }
}

TEST(NavLabelsTest, LabelsKeptTileByTileEqualAFloodFill) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Rng rng(seed);
        constexpr int kChunks = 5, kSize = 64 * kChunks;
        World world({.width = kSize, .height = kSize});
        const NavConfig config{.cell_size = 1.0f, .agent_radius = 0.0f};
        const MeshFrame frame(kChunks, kChunks, config);
        const std::vector<std::uint64_t> sets = passabilitySets(world.snapshot().rules());
        TileGrid tiles(frame.count());
        ComponentLabels kept;
        kept.reset(frame, sets, tiles);
        NavTileBuilder builder;
        std::uint64_t generation = 0;
        std::size_t renamed = 0;
        for (int round = 0; round < 120; ++round) {
            SCOPED_TRACE("round " + std::to_string(round));
            // Long walls with gaps, water and rubble split and join large parts; now and then a chunk goes.
            world.edit([&](WorldEdit& e) {
                for (int i = 0; i < 3; ++i) {
                    const int x = static_cast<int>(rng.below(kSize)), y = static_cast<int>(rng.below(kSize)), length = 20 + static_cast<int>(rng.below(300));
                    const CellRect rect = rng.percent(50) ? CellRect{x, y, length, 1} : CellRect{x, y, 1, length};
                    if (rng.percent(45)) {
                        e.placeObstacle(rect, ObstacleKind::Wall, 3.0f);
                    } else if (rng.percent(30)) {
                        e.setTerrain({x, y, length, 6}, rng.percent(50) ? Terrain::Water : Terrain::Grass);
                    } else {
                        e.removeObstacle({rect.x - 2, rect.y - 2, rect.width + 4, rect.height + 4});
                    }
                }
            });
            std::vector<std::int32_t> replaced;
            for (int i = round == 0 ? 25 : 1 + static_cast<int>(rng.below(6)); i > 0; --i) {
                const ChunkCoord chunk = round == 0 ? ChunkCoord{(i - 1) % kChunks, (i - 1) / kChunks}
                                                    : ChunkCoord{static_cast<int>(rng.below(kChunks)), static_cast<int>(rng.below(kChunks))};
                const bool gone = round > 0 && rng.percent(12);
                const std::vector<NavLink> links =
                    rng.percent(20) ? std::vector<NavLink>{{.id = 1,
                                                            .from = {static_cast<float>(64 * chunk.x) + 20.5f, static_cast<float>(64 * chunk.y) + 20.5f},
                                                            .to = {static_cast<float>(64 * chunk.x) + 44.5f, static_cast<float>(64 * chunk.y) + 20.5f},
                                                            .radius = 4.0f,
                                                            .both_ways = rng.percent(50)}}
                                    : std::vector<NavLink>{};
                const NavChunk built = builder.build(world.snapshot(), chunk, config, links);
                for (int k = 0; k < 4; ++k) {
                    const std::int32_t tile = (2 * chunk.y + k / 2) * frame.columns + 2 * chunk.x + k % 2;
                    replaced.push_back(tile);
                    auto& slot = tiles[static_cast<std::size_t>(tile)];
                    if (gone) {
                        slot = nullptr;
                        continue;
                    }
                    auto loaded = std::make_shared<LoadedTile>();
                    loaded->tile = built.tiles[static_cast<std::size_t>(k)];
                    loaded->generation = ++generation;
                    slot = std::move(loaded);
                }
            }
            std::vector<std::int32_t> affected;
            for (const std::int32_t tile : replaced) {
                for (int dy = -1; dy <= 1; ++dy) {
                    for (int dx = -1; dx <= 1; ++dx) {
                        const int x = tile % frame.columns + dx, y = tile / frame.columns + dy;
                        if (x >= 0 && y >= 0 && x < frame.columns && y < frame.rows) affected.push_back(y * frame.columns + x);
                    }
                }
            }
            std::sort(affected.begin(), affected.end());
            affected.erase(std::unique(affected.begin(), affected.end()), affected.end());
            for (const std::int32_t tile : affected) {
                auto& slot = tiles[static_cast<std::size_t>(tile)];
                if (slot != nullptr) slot = navmesh::connectTile(frame, tiles, tile, slot->generation);
            }
            std::vector<std::shared_ptr<const TileLabels>> before;
            for (std::size_t t = 0; t < tiles.size(); ++t) before.push_back(kept.of(static_cast<std::int32_t>(t)));
            const auto changed = kept.update(tiles, affected);
            for (std::size_t t = 0; t < tiles.size(); ++t) {
                const bool told = std::binary_search(changed.begin(), changed.end(), static_cast<std::int32_t>(t));
                ASSERT_TRUE(told || kept.of(static_cast<std::int32_t>(t)) == before[t]) << "a change of tile " << t << " was kept quiet";
            }
            renamed += changed.size();
            ComponentLabels anew;
            anew.reset(frame, sets, tiles);
            ASSERT_NO_FATAL_FAILURE(expectSameParts(kept, anew, tiles, sets.size()));
        }
        EXPECT_GT(renamed, 1000u);
    }
}

}  // namespace
}  // namespace warpath
