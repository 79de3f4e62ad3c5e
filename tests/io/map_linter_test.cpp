#include "warpath/io/map_linter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "warpath/core/directions.h"
#include "warpath/core/rng.h"
#include "warpath/io/map_file.h"

namespace warpath {
namespace {

std::unique_ptr<World> drawn(const std::vector<std::string>& rows, Cell origin = {}) {
    auto world = std::make_unique<World>(
        WorldConfig{.width = static_cast<std::int32_t>(rows[0].size()), .height = static_cast<std::int32_t>(rows.size()), .origin = origin});
    world->edit([&](WorldEdit& e) {
        for (std::size_t y = 0; y < rows.size(); ++y) {
            for (std::size_t x = 0; x < rows[y].size(); ++x) {
                const Cell cell{origin.x + static_cast<int>(x), origin.y + static_cast<int>(y)};
                if (rows[y][x] == '#') e.placeObstacle(cell, ObstacleKind::Wall, 2.0f);
                if (rows[y][x] == '~') e.setTerrain(cell, Terrain::Water);
            }
        }
    });
    return world;
}

TEST(MapLinter, AnOpenMapIsClean) {
    const auto world = drawn({"....", "....", "...."});
    const LintReport report = lintMap(world->snapshot());
    EXPECT_TRUE(report.clean()) << report.text();
    EXPECT_EQ(report.free_cells, 12u);
    EXPECT_EQ(report.largest, (LintPlace{{0, 0}, 12}));
}

TEST(MapLinter, SealedPocketsAreListedLargestFirst) {
    const auto world = drawn({"..#....#..", "..#....#..", "###....###", "..........", "..........", "##......##", "..#....#..", "..#....##.", "..#....##."}, {-5, 7});
    const LintReport report = lintMap(world->snapshot());
    EXPECT_EQ(report.pocket_count, 4u);
    EXPECT_EQ(report.pocket_cells, 4u + 4u + 6u + 4u);
    ASSERT_EQ(report.pockets.size(), 4u);
    EXPECT_EQ(report.pockets[0], (LintPlace{{-5, 13}, 6}));
    EXPECT_EQ(report.pockets[1], (LintPlace{{-5, 7}, 4}));
    EXPECT_EQ(report.pockets[2], (LintPlace{{3, 7}, 4}));
    EXPECT_EQ(report.pockets[3], (LintPlace{{3, 13}, 4}));
}

TEST(MapLinter, ADiagonalTouchBetweenWallsIsNoWayOut) {
    const LintReport report = lintMap(drawn({"..##", "..##", "##..", "##.."})->snapshot());
    EXPECT_EQ(report.pocket_count, 1u);
    EXPECT_EQ(report.largest, (LintPlace{{0, 0}, 4}));
    EXPECT_EQ(report.pockets[0], (LintPlace{{2, 2}, 4}));
}

TEST(MapLinter, WaterSealsFromThoseWhoCannotEnterIt) {
    const LintReport report = lintMap(drawn({"..~~...", "..~~..."})->snapshot());
    EXPECT_EQ(report.pocket_count, 1u);
    EXPECT_EQ(report.pockets[0].cells, 4u);
}

TEST(MapLinter, OneCellGapsAreGrouped) {
    const LintReport report = lintMap(drawn({"...#...", "...#...", ".......", "...#...", "...#..."})->snapshot());
    EXPECT_EQ(report.pocket_count, 0u);
    EXPECT_EQ(report.gap_count, 1u);
    EXPECT_EQ(report.gaps[0], (LintPlace{{3, 2}, 1}));
}

TEST(MapLinter, CorridorsOfOneCellAlongTheEdgeAndAcrossChunksAreOneGap) {
    std::vector<std::string> rows(6, std::string(140, '.'));
    for (int x = 10; x < 130; ++x) rows[1][static_cast<std::size_t>(x)] = '#';
    const LintReport report = lintMap(drawn(rows)->snapshot());
    ASSERT_EQ(report.gap_count, 1u);
    EXPECT_EQ(report.gaps[0], (LintPlace{{10, 0}, 120}));
}

TEST(MapLinter, ALargeUnitHasPocketsWhereASmallOneHasGaps) {
    const auto world = drawn({"...#...", "...#...", ".......", "...#...", "...#..."});
    MobilityProfile large;
    large.size = 2;
    const LintReport report = lintMap(world->snapshot(), {.profile = large});
    EXPECT_EQ(report.pocket_count, 1u);
    EXPECT_EQ(report.gap_count, 1u);
}

TEST(MapLinter, StartsAreChecked) {
    const auto world = drawn({"......#.", "......#.", "......##", "..#....."}, {10, 10});
    const LintReport report = lintMap(world->snapshot(), {.starts = {{11.5f, 11.5f}, {12.5f, 13.5f}, {17.5f, 10.5f}, {9.5f, 10.5f}, {1e30f, 0.0f}, {0.0f / 1.0f, -1e30f}}});
    EXPECT_EQ(report.start_count, 5u);
    const std::vector<LintStart> expected = {
        {1, StartFault::Blocked}, {2, StartFault::Sealed}, {3, StartFault::OffMap}, {4, StartFault::OffMap}, {5, StartFault::OffMap}};
    EXPECT_EQ(report.starts, expected);
}

TEST(MapLinter, AMapWithoutAFreeCellIsReported) {
    const LintReport report = lintMap(drawn({"##", "##"})->snapshot(), {.starts = {{0.5f, 0.5f}}});
    EXPECT_EQ(report.free_cells, 0u);
    EXPECT_EQ(report.pocket_count, 0u);
    EXPECT_EQ(report.starts[0].fault, StartFault::Blocked);
}

TEST(MapLinter, TheReportIsBounded) {
    std::vector<std::string> rows(100, std::string(100, '.'));
    for (std::size_t y = 0; y < 100; ++y) {
        for (std::size_t x = 0; x < 100; ++x) {
            if (y < 90 && (x % 2 == 0 || y % 2 == 0)) rows[y][x] = '#';
        }
    }
    const LintReport report = lintMap(drawn(rows)->snapshot(), {.starts = std::vector<Position>(50, Position{1.5f, 1.5f}), .max_samples = 3});
    EXPECT_GT(report.pocket_count, 2000u);
    EXPECT_EQ(report.pockets.size(), 3u);
    EXPECT_EQ(report.gaps.size(), 3u);
    EXPECT_EQ(report.start_count, 50u);
    EXPECT_EQ(report.starts.size(), 3u);
    EXPECT_LT(report.text().size(), 600u);
}

/// The same findings by a plain flood over single cells.
struct SlowLint {
    std::vector<LintPlace> parts, gaps;

    explicit SlowLint(const std::vector<std::string>& rows) {
        const int h = static_cast<int>(rows.size()), w = static_cast<int>(rows[0].size());
        const auto free = [&](int x, int y) { return x >= 0 && y >= 0 && x < w && y < h && rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] == '.'; };
        const auto wide = [&](int x, int y) {
            for (int dx = -1; dx <= 0; ++dx) {
                for (int dy = -1; dy <= 0; ++dy) {
                    if (free(x + dx, y + dy) && free(x + dx + 1, y + dy) && free(x + dx, y + dy + 1) && free(x + dx + 1, y + dy + 1)) return true;
                }
            }
            return false;
        };
        const auto flood = [&](std::vector<LintPlace>& out, auto member) {
            std::vector<bool> seen(static_cast<std::size_t>(w * h), false);
            for (int i = 0; i < w * h; ++i) {
                if (seen[static_cast<std::size_t>(i)] || !member(i % w, i / w)) continue;
                LintPlace place{{i % w, i / w}, 0};
                std::vector<int> open{i};
                seen[static_cast<std::size_t>(i)] = true;
                while (!open.empty()) {
                    const int at = open.back();
                    open.pop_back();
                    ++place.cells;
                    for (int d = 0; d < kDirections; d += 2) {
                        const int x = at % w + kStepX[d], y = at / w + kStepY[d];
                        if (x < 0 || y < 0 || x >= w || y >= h || !member(x, y) || seen[static_cast<std::size_t>(y * w + x)]) continue;
                        seen[static_cast<std::size_t>(y * w + x)] = true;
                        open.push_back(y * w + x);
                    }
                }
                out.push_back(place);
            }
        };
        flood(parts, free);
        flood(gaps, [&](int x, int y) { return free(x, y) && !wide(x, y); });
        std::stable_sort(parts.begin(), parts.end(), [](const LintPlace& a, const LintPlace& b) { return a.cells > b.cells; });
    }
};

TEST(MapLinter, RandomMapsGiveWhatAPlainFloodGives) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Rng rng(seed);
        const std::size_t width = 1 + rng.below(150), height = 1 + rng.below(150);
        const std::uint32_t density = 10 + rng.below(50);
        std::vector<std::string> rows(height, std::string(width, '.'));
        for (std::string& row : rows) {
            for (char& c : row) c = rng.percent(density) ? '#' : '.';
        }
        const LintReport report = lintMap(drawn(rows)->snapshot(), {.max_samples = 100'000});
        const SlowLint slow(rows);
        std::vector<LintPlace> parts = report.pockets;
        if (report.free_cells > 0) parts.insert(parts.begin(), report.largest);
        ASSERT_EQ(parts, slow.parts) << "seed " << seed;
        ASSERT_EQ(report.gaps, slow.gaps) << "seed " << seed;
    }
}

}  // namespace
}  // namespace warpath
