// The cells nearest to many places: against every pair.
#include <gtest/gtest.h>

#include <algorithm>

#include "warpath/core/rng.h"
#include "warpath/grid/nearest_cells.h"

namespace warpath {
namespace {

TEST(NearestCells, AreThoseOfEveryPairComparedByHand) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Rng rng(seed);
        constexpr int kSide = 4;
        std::vector<ChunkCoord> chunks;
        std::vector<ChunkRows> rows;
        const std::uint32_t density = 1 + rng.below(40);
        for (int cy = 0; cy < kSide; ++cy) {
            for (int cx = 0; cx < kSide; ++cx) {
                if (rng.percent(40)) continue;
                chunks.push_back({cx, cy});
                ChunkRows& made = rows.emplace_back();
                for (std::uint64_t& row : made) {
                    for (std::uint32_t i = rng.below(density); i > 0; --i) row |= rng.percent(10) ? std::uint64_t{1} << rng.below(64) : 0;
                }
            }
        }
        std::vector<Cell> places;
        const std::int32_t spread = static_cast<std::int32_t>(20 + rng.below(500));
        const auto corner_x = static_cast<std::int32_t>(rng.below(400)) - 80, corner_y = static_cast<std::int32_t>(rng.below(400)) - 80;
        for (std::uint32_t i = 1 + rng.below(60); i > 0; --i) {
            const auto x = static_cast<std::int32_t>(rng.below(static_cast<std::uint32_t>(spread)));
            const auto y = static_cast<std::int32_t>(rng.below(static_cast<std::uint32_t>(spread)));
            places.push_back({corner_x + x, corner_y + y});
        }
        std::int64_t best = INT64_MAX;
        std::vector<CellId> expected;
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            for (int local = 0; local < kChunkCells; ++local) {
                if (((rows[i][static_cast<std::size_t>(local / kChunkSize)] >> (local % kChunkSize)) & 1) == 0) continue;
                const int x = chunks[i].x * kChunkSize + local % kChunkSize, y = chunks[i].y * kChunkSize + local / kChunkSize;
                for (const Cell p : places) {
                    const std::int64_t squared = std::int64_t{p.x - x} * (p.x - x) + std::int64_t{p.y - y} * (p.y - y);
                    if (squared > best) continue;
                    if (squared < best) expected.clear();
                    best = squared;
                    expected.push_back(cellIdOf(x, y));
                }
            }
        }
        std::sort(expected.begin(), expected.end());
        expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
        std::vector<CellId> found;
        const std::int64_t squared = nearestCells(chunks, [&](std::size_t i, ChunkRows& out) { out = rows[i]; }, places, found);
        ASSERT_EQ(squared, best) << "seed " << seed;
        ASSERT_EQ(found, expected) << "seed " << seed;
    }
}

TEST(NearestCells, WithoutCellsOrPlacesThereIsNone) {
    const ChunkCoord chunks[] = {{0, 0}};
    std::vector<CellId> found{1};
    EXPECT_EQ(nearestCells(chunks, [](std::size_t, ChunkRows& rows) { rows.fill(0); }, std::vector<Cell>{{3, 3}}, found), INT64_MAX);
    EXPECT_TRUE(found.empty());
    EXPECT_EQ(nearestCells(chunks, [](std::size_t, ChunkRows& rows) { rows.fill(1); }, {}, found), INT64_MAX);
}

}  // namespace
}  // namespace warpath
