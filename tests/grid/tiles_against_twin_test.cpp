// Move tiles, cost tiles, regions and the bucket queue against their slow twins.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/scenes.h"
#include "support/slow_grid.h"
#include "warpath/grid/bucket_queue.h"
#include "warpath/grid/region_table.h"
#include "warpath/grid/tile_store.h"

namespace warpath {
namespace {

constexpr SceneTraits kEverything{.elevation = true, .layers = true, .walls = true, .large_units = true};

ResolvedConstraints resolvedOf(const Scene& scene) { return std::get<ResolvedConstraints>(resolve(scene.wishes, scene.world->snapshot().rules())); }

TEST(Tiles, MovesAndCostsEqualTheTwinCellByCell) {
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
        const Scene scene = randomScene(seed, kEverything);
        SCOPED_TRACE(scene.name);
        const WorldSnapshot now = scene.world->snapshot();
        const twin::SlowGrid grid(now, scene.wishes, scene.side);
        const ResolvedConstraints wishes = resolvedOf(scene);
        TileStore store(1);  // keeps one tile: what is evicted must come back the same
        for (int y = 0; y < now.height(); ++y) {
            for (int cx = 0; cx < now.chunkColumns(); ++cx) {
                const ChunkCoord chunk{cx, y >> kChunkShift};
                const auto moves = store.moves(now, wishes.metric.profile, chunk);
                const auto costs = store.costs(now, {wishes.metric, wishes.threat_weight, static_cast<std::uint8_t>(scene.side)}, chunk);
                for (int x = cx << kChunkShift; x < std::min((cx + 1) << kChunkShift, now.width()); ++x) {
                    const int local = localIndex(x, y);
                    ASSERT_EQ(moves->fits(local), grid.fits(x, y)) << x << ',' << y;
                    if (!grid.fits(x, y)) continue;
                    ASSERT_EQ(costs->f[static_cast<std::size_t>(local)], grid.terms(x, y).f()) << x << ',' << y;
                    for (int d = 0; d < kDirections; ++d) {
                        ASSERT_EQ((moves->moves[static_cast<std::size_t>(local)] >> d) & 1, grid.mayStep(x, y, d) ? 1 : 0) << x << ',' << y << " direction " << d;
                    }
                }
            }
            if (y % 16 == 15) y += 8;  // a sample of rows
        }
    }
}

TEST(Regions, RepairedTablesJoinWhatAFloodFillJoins) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const Scene scene = randomScene(seed * 13, {.elevation = seed % 2 == 0, .large_units = seed % 3 == 0});
        SCOPED_TRACE(scene.name);
        const MobilityProfile profile = resolvedOf(scene).metric.profile;
        std::shared_ptr<const RegionTable> table;
        Rng rng(seed);
        for (int step = 0; step < 25; ++step) {
            for (int i = 0; i < 8; ++i) editAtRandom(*scene.world, rng, seed % 2 == 0);
            const WorldSnapshot now = scene.world->snapshot();
            table = RegionTable::build(now, profile, table);
            const twin::SlowGrid grid(now, scene.wishes, scene.side);
            const std::vector<int> flood = twin::floodRegions(grid);
            std::map<RegionId, int> seen;
            std::map<int, RegionId> back;
            for (int y = 0; y < grid.height(); ++y) {
                for (int x = 0; x < grid.width(); ++x) {
                    const RegionId region = table->regionAt(x, y);
                    const int expected = flood[grid.index(x, y)];
                    ASSERT_EQ(region == 0, expected == 0);
                    ASSERT_EQ(seen.try_emplace(region, expected).first->second, expected) << x << ',' << y << " step " << step;
                    ASSERT_EQ(back.try_emplace(expected, region).first->second, region) << x << ',' << y << " step " << step;
                }
            }
        }
    }
}

TEST(BucketQueue, PopsByBucketWithKeysFarAheadAndBehind) {
    Rng rng(9);
    BucketQueue queue;
    for (int round = 0; round < 40; ++round) {
        const int shift = static_cast<int>(rng.below(12));
        queue.reset(shift, 1000);
        std::multimap<std::uint64_t, std::uint64_t> model;  // bucket and entry
        std::uint64_t current = 1000u >> shift, next_entry = 0;
        for (int i = 0; i < 3000; ++i) {
            if (rng.percent(55)) {
                const std::uint64_t far = rng.percent(5) ? rng.next() >> 20 : rng.below(rng.percent(50) ? 5000 : 40'000'000);
                const std::uint64_t key = rng.percent(10) ? rng.below(1000) : (current << shift) + far;  // some lie behind: they join the current bucket
                queue.push(key, next_entry);
                model.emplace(std::max(key >> shift, current), next_entry++);
                continue;
            }
            std::uint64_t entry = 0;
            ASSERT_EQ(queue.pop(entry), !model.empty());
            if (model.empty()) continue;
            current = model.begin()->first;
            ASSERT_EQ(queue.currentKey(), current << shift);
            const auto [first, last] = model.equal_range(current);
            auto it = first;
            while (it != last && it->second != entry) ++it;
            ASSERT_NE(it, last) << "an entry of the lowest bucket";
            model.erase(it);
        }
    }
}

}  // namespace
}  // namespace warpath
