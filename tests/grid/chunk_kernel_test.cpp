#include "warpath/grid/chunk_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "grid/chunk_kernel_sweeps.h"
#include "support/chunk_dijkstra.h"
#include "support/chunk_scenes.h"
#include "warpath/core/rng.h"

namespace warpath {
namespace {

using testing::ChunkScene;
using testing::Corner;
using testing::Ground;
using testing::makeChunkScene;

constexpr Ground kGrounds[] = {Ground::open,         Ground::blocked20,    Ground::blocked35,
                               Ground::maze,         Ground::rooms,        Ground::block_weights,
                               Ground::cell_weights, Ground::extreme_weights, Ground::cell_weights_blocked20};
constexpr Corner kCorners[] = {Corner::strict, Corner::one, Corner::always, Corner::never};
constexpr TravelDirection kTravel[] = {TravelDirection::from_sources, TravelDirection::to_goals};

std::vector<ChunkKernelBackend> backends() {
    std::vector<ChunkKernelBackend> found;
    for (auto b : {ChunkKernelBackend::scalar, ChunkKernelBackend::lanes4, ChunkKernelBackend::avx2, ChunkKernelBackend::avx512}) {
        if (chunkKernelAvailable(b)) found.push_back(b);
    }
    return found;
}

std::vector<std::uint32_t> narrow(const std::vector<std::uint64_t>& wide) {
    std::vector<std::uint32_t> d(wide.size());
    for (std::size_t i = 0; i < wide.size(); ++i) d[i] = wide[i] < kChunkUnreached ? static_cast<std::uint32_t>(wide[i]) : kChunkUnreached;
    return d;
}

/// What relaxChunk must report, from the distances before and after.
ChunkRelaxation expectedReport(const std::vector<std::uint32_t>& before, const std::vector<std::uint64_t>& after) {
    ChunkRelaxation r;
    const auto border = [&](int side, int bit, std::uint64_t d) {
        r.changed_border[side] |= std::uint64_t{1} << bit;
        r.lowest_on_border[side] = std::min(r.lowest_on_border[side], d);
    };
    for (int cell = 0; cell < kChunkKernelCells; ++cell) {
        r.saturated |= after[cell] != kChunkUnreachedWide && after[cell] >= kChunkUnreached;
        if (after[cell] >= before[cell]) continue;
        const int x = cell % 64, y = cell / 64;
        r.changed_rows |= std::uint64_t{1} << y;
        if (x == 63) border(0, y, after[cell]);
        if (y == 63) border(1, x, after[cell]);
        if (x == 0) border(2, y, after[cell]);
        if (y == 0) border(3, x, after[cell]);
    }
    return r;
}

void expectSame(const ChunkRelaxation& got, const ChunkRelaxation& want) {
    EXPECT_EQ(got.saturated, want.saturated);
    EXPECT_EQ(got.changed_rows, want.changed_rows);
    for (int side = 0; side < 4; ++side) {
        EXPECT_EQ(got.changed_border[side], want.changed_border[side]) << side;
        EXPECT_EQ(got.lowest_on_border[side], want.lowest_on_border[side]) << side;
    }
}

/// Runs every backend from the given seeds and compares with the twin.
void check(const ChunkKernelInput& input, TravelDirection travel, const std::vector<std::uint64_t>& seeds) {
    const std::vector<std::uint64_t> want = testing::chunkDijkstra(input, travel, seeds);
    const ChunkRelaxation report = expectedReport(narrow(seeds), want);
    const auto plan = std::make_unique<ChunkSweepPlan>();
    const auto scratch = std::make_unique<ChunkKernelScratch>();
    for (const ChunkKernelBackend backend : backends()) {
        SCOPED_TRACE(chunkKernelName(backend));
        prepareChunkSweep(input, travel, *plan, backend);
        std::vector<std::uint32_t> dist = narrow(seeds);
        const ChunkRelaxation got = relaxChunk(*plan, dist.data(), *scratch);
        ASSERT_EQ(dist, narrow(want));
        expectSame(got, report);
        std::vector<std::uint64_t> wide = seeds;
        relaxChunkWide(*plan, wide.data(), *scratch);
        ASSERT_EQ(wide, want);
    }
}

std::vector<std::uint64_t> unreached() { return std::vector<std::uint64_t>(kChunkKernelCells, kChunkUnreachedWide); }

TEST(ChunkKernel, OneSourceGivesTheTwinsDistancesOnEveryGroundCornerRuleAndDirection) {
    std::uint64_t seed = 1;
    for (const Ground ground : kGrounds) {
        for (const Corner corner : kCorners) {
            for (const TravelDirection travel : kTravel) {
                for (const bool heights : {false, true}) {
                    SCOPED_TRACE(::testing::Message() << "seed " << seed);
                    const ChunkScene scene = makeChunkScene(ground, corner, seed, seed % 3 == 0 ? 15 : 0);
                    std::vector<std::uint64_t> seeds = unreached();
                    Rng rng(seed++);
                    seeds[rng.below(kChunkKernelCells)] = 0;
                    check(scene.input(heights), travel, seeds);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

TEST(ChunkKernel, ClimbsRoundedStepByStepGiveTheTwinsDistances) {
    for (std::uint64_t seed = 300; seed < 348; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Rng rng(seed);
        ChunkScene scene = makeChunkScene(kGrounds[rng.below(9)], kCorners[rng.below(4)], seed, rng.below(2) * 10);
        const std::uint32_t rough = rng.percent(50) ? 12 : 400;  // gentle ground, and cliffs that the sweeps must leave alone
        for (std::int32_t& h : scene.heights) h = static_cast<std::int32_t>(rng.below(rough)) - 700;
        ChunkKernelInput input = scene.input(true);
        input.climb_weight = std::vector<std::uint32_t>{1, 30, 75, 130, 2000}[seed % 5];
        std::vector<std::uint64_t> seeds = unreached();
        for (int i = 0; i < 3; ++i) seeds[rng.below(kChunkKernelCells)] = rng.below(100'000);
        check(input, kTravel[rng.below(2)], seeds);
        if (HasFatalFailure()) return;
    }
}

TEST(ChunkKernel, ManySeedsWithOffsetsGiveTheTwinsDistances) {
    for (std::uint64_t seed = 100; seed < 160; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Rng rng(seed);
        const ChunkScene scene = makeChunkScene(kGrounds[rng.below(9)], kCorners[rng.below(4)], seed, rng.below(2) * 10);
        std::vector<std::uint64_t> seeds = unreached();
        const std::uint32_t spread = rng.percent(50) ? 1'000'000 : 60'000'000;
        const std::uint32_t base = rng.percent(50) ? 0 : rng.below(3'000'000'000u);
        const std::uint32_t count = 1 + rng.below(200);
        for (std::uint32_t i = 0; i < count; ++i) seeds[rng.below(kChunkKernelCells)] = base + rng.below(spread);
        check(scene.input(rng.percent(50)), kTravel[rng.below(2)], seeds);
        if (HasFatalFailure()) return;
    }
}

TEST(ChunkKernel, DistancesThatDoNotFitAreReportedAndTheOthersStayExact) {
    ChunkScene scene = makeChunkScene(Ground::maze, Corner::strict, 7);
    for (std::uint16_t& f : scene.f) f = 65535;
    std::vector<std::uint64_t> seeds = unreached();
    seeds[0] = 0;
    const std::vector<std::uint64_t> want = testing::chunkDijkstra(scene.input(), TravelDirection::from_sources, seeds);
    ASSERT_TRUE(expectedReport(narrow(seeds), want).saturated);
    check(scene.input(), TravelDirection::from_sources, seeds);
    check(scene.input(), TravelDirection::to_goals, seeds);
    seeds[0] = kChunkUnreached - 40'000;  // the first steps do not fit
    check(makeChunkScene(Ground::open, Corner::strict, 7).input(), TravelDirection::from_sources, seeds);
}

TEST(ChunkKernel, DistancesJustAboveAndBelowTheSweepsLimitAreExact) {
    ChunkScene scene = makeChunkScene(Ground::open, Corner::never, 3);
    for (std::uint32_t f = 4'860; f < 4'950; f += 3) {  // the limit of the sweeps is 126 steps at f = 49.1
        for (std::uint16_t& each : scene.f) each = static_cast<std::uint16_t>(f);
        std::vector<std::uint64_t> seeds = unreached();
        seeds[0] = 5;
        check(scene.input(), TravelDirection::from_sources, seeds);
        if (HasFatalFailure()) return;
    }
    scene.f.assign(kChunkKernelCells, 100);
    std::vector<std::uint64_t> seeds = unreached();
    seeds[0] = 1'000;
    for (std::uint64_t far : {chunk_kernel::kSweepLimit - 2u, chunk_kernel::kSweepLimit + 999u, chunk_kernel::kSweepLimit + 1'001u}) {
        seeds[4095] = far;
        check(scene.input(), TravelDirection::to_goals, seeds);
    }
}

TEST(ChunkKernel, ASeedNearTheSweepsLimitMayBeTheOnlyWayToItsNeighbours) {
    ChunkScene scene = makeChunkScene(Ground::open, Corner::strict, 3);
    scene.moves[0] = 0;  // the nearest seed leads nowhere
    std::vector<std::uint64_t> seeds = unreached();
    seeds[0] = 0;
    for (std::uint32_t below : {1u, 40'000u, 58'000u, 4'000'000u}) {
        seeds[2000] = chunk_kernel::kSweepLimit - below;
        check(scene.input(), TravelDirection::from_sources, seeds);
    }
}

TEST(ChunkKernel, SeedsFartherApartThanTheSweepsReachBothSpread) {
    ChunkScene scene = makeChunkScene(Ground::open, Corner::strict, 3);
    for (int y = 0; y < 64; ++y) scene.moves[y * 64 + 31] = scene.moves[y * 64 + 32] = 0;  // nobody crosses from one half to the other
    std::vector<std::uint64_t> seeds = unreached();
    seeds[0] = 0;
    seeds[63] = 0x2000'0000;
    for (const TravelDirection travel : kTravel) check(scene.input(), travel, seeds);
}

TEST(ChunkKernel, ASeedTooFarToPassAnythingOnIsNotSaturationWhenItsNeighboursAreReached) {
    ChunkScene scene = makeChunkScene(Ground::open, Corner::strict, 3);
    const int lonely = 20 * 64 + 20;  // has exits but no entrances
    for (int k = 0; k < kDirections; ++k) {
        scene.moves[lonely + kStepY[k] * 64 + kStepX[k]] &= static_cast<std::uint8_t>(~(1u << oppositeOf(k)));
    }
    std::vector<std::uint64_t> seeds = unreached();
    seeds[0] = 0;
    seeds[lonely] = kChunkUnreached - 10;
    check(scene.input(), TravelDirection::from_sources, seeds);
    check(scene.input(), TravelDirection::to_goals, seeds);
}

TEST(ChunkKernel, OneClosedStepAnywhereAlongTheRimIsNoticed) {
    for (const int y : {0, 1, 30, 62, 63}) {
        for (const int x : {0, 1, 30, 62, 63}) {
            for (int k = 0; k < kDirections; ++k) {
                SCOPED_TRACE(::testing::Message() << "cell " << x << "," << y << " direction " << k);
                ChunkScene scene = makeChunkScene(Ground::open, Corner::strict, 1);
                scene.moves[y * 64 + x] &= static_cast<std::uint8_t>(~(1u << k));
                for (const TravelDirection travel : kTravel) {
                    // From beyond the cell, as a way over it would go.
                    for (const int seed : {y * 64 + x, std::clamp(y + kStepY[k], 0, 63) * 64 + std::clamp(x + kStepX[k], 0, 63)}) {
                        std::vector<std::uint64_t> seeds = unreached();
                        seeds[seed] = 0;
                        const auto plan = std::make_unique<ChunkSweepPlan>();
                        const auto scratch = std::make_unique<ChunkKernelScratch>();
                        std::vector<std::uint32_t> dist(kChunkKernelCells);
                        const std::vector<std::uint32_t> want = narrow(testing::chunkDijkstra(scene.input(), travel, seeds));
                        for (const ChunkKernelBackend backend : backends()) {
                            prepareChunkSweep(scene.input(), travel, *plan, backend);
                            ASSERT_TRUE(chunkDistances(*plan, seed, dist.data(), *scratch));
                            ASSERT_EQ(dist, want) << chunkKernelName(backend);
                        }
                    }
                }
            }
        }
    }
}

TEST(ChunkKernel, TheOctileFormulaAnswersOpenUniformChunksAndNoOthers) {
    const auto plan = std::make_unique<ChunkSweepPlan>();
    const auto scratch = std::make_unique<ChunkKernelScratch>();
    std::vector<std::uint32_t> dist(kChunkKernelCells);
    for (const std::uint16_t f : {std::uint16_t{10}, std::uint16_t{100}, std::uint16_t{65535}}) {
        ChunkScene scene = makeChunkScene(Ground::open, Corner::strict, 1);
        scene.f.assign(kChunkKernelCells, f);
        for (const ChunkKernelBackend backend : backends()) {
            for (const int source : {0, 63, 1'000, 4'032, 4'095}) {
                std::vector<std::uint64_t> seeds = unreached();
                seeds[source] = 0;
                const std::vector<std::uint32_t> want = narrow(testing::chunkDijkstra(scene.input(), TravelDirection::to_goals, seeds));
                prepareChunkSweep(scene.input(), TravelDirection::to_goals, *plan, backend);
                EXPECT_EQ(plan->uniform_f, f);
                EXPECT_TRUE(chunkDistances(*plan, source, dist.data(), *scratch));
                EXPECT_EQ(dist, want);
            }
        }
    }
    ChunkScene scene = makeChunkScene(Ground::open, Corner::strict, 1);
    prepareChunkSweep(scene.input(true), TravelDirection::to_goals, *plan);
    EXPECT_EQ(plan->uniform_f, 0);
    scene.f[77] = 101;
    prepareChunkSweep(scene.input(), TravelDirection::to_goals, *plan);
    EXPECT_EQ(plan->uniform_f, 0);
    prepareChunkSweep(makeChunkScene(Ground::open, Corner::never, 1).input(), TravelDirection::to_goals, *plan);
    EXPECT_EQ(plan->uniform_f, 0);
    prepareChunkSweep(makeChunkScene(Ground::blocked20, Corner::strict, 1).input(), TravelDirection::to_goals, *plan);
    EXPECT_EQ(plan->uniform_f, 0);
}

TEST(ChunkKernel, AChunkWithoutSeedsStaysUnreached) {
    check(makeChunkScene(Ground::open, Corner::strict, 1).input(), TravelDirection::from_sources, unreached());
}

TEST(ChunkKernel, StepsOutOfTheChunkAndOntoItsOtherSideDoNotExist) {
    ChunkScene scene = makeChunkScene(Ground::open, Corner::strict, 1);
    scene.moves.assign(kChunkKernelCells, 0);
    for (int y = 0; y < 64; ++y) {
        scene.moves[y * 64] = 0xff & ~0x1u;        // all but east
        scene.moves[y * 64 + 63] = 0xff & ~0x10u;  // all but west
    }
    std::vector<std::uint64_t> seeds = unreached();
    seeds[30 * 64 + 63] = 0;
    for (const TravelDirection travel : kTravel) check(scene.input(), travel, seeds);
}

TEST(ChunkKernel, FreeStepsThatCostNothingAreAllowed) {
    ChunkScene scene = makeChunkScene(Ground::cell_weights_blocked20, Corner::strict, 9);
    for (int i = 0; i < kChunkKernelCells; i += 3) scene.f[i] = 0;
    std::vector<std::uint64_t> seeds = unreached();
    seeds[1234] = 0;
    for (const TravelDirection travel : kTravel) check(scene.input(), travel, seeds);
}

TEST(ChunkKernel, OnlyRowsNamedAsSeedsNeedToBeReadAgain) {
    const auto plan = std::make_unique<ChunkSweepPlan>();
    const auto scratch = std::make_unique<ChunkKernelScratch>();
    for (const ChunkKernelBackend backend : backends()) {
        SCOPED_TRACE(chunkKernelName(backend));
        const ChunkScene scene = makeChunkScene(Ground::cell_weights_blocked20, Corner::strict, 21);
        prepareChunkSweep(scene.input(), TravelDirection::to_goals, *plan, backend);
        std::vector<std::uint64_t> seeds = unreached();
        seeds[10 * 64 + 3] = 5'000'000;
        std::vector<std::uint32_t> dist = narrow(seeds);
        relaxChunk(*plan, dist.data(), *scratch);
        // A neighbour chunk lowers the north border.
        const std::vector<std::uint32_t> before = dist;
        for (int x = 0; x < 64; x += 2) dist[x] = std::min(dist[x], 4'000'000u + 1'000u * static_cast<std::uint32_t>(x));
        std::vector<std::uint64_t> again(dist.begin(), dist.end());
        for (std::uint64_t& d : again) d = d == kChunkUnreached ? kChunkUnreachedWide : d;
        const ChunkRelaxation got = relaxChunk(*plan, dist.data(), *scratch, 1);
        EXPECT_EQ(dist, narrow(testing::chunkDijkstra(scene.input(), TravelDirection::to_goals, again)));
        EXPECT_FALSE(got.saturated);
        EXPECT_TRUE(relaxChunk(*plan, dist.data(), *scratch).changed_rows == 0);
    }
}

TEST(ChunkKernel, UnderALimitWhatLiesBelowItIsExactAndTheRestIsLeftAsItWas) {
    const auto plan = std::make_unique<ChunkSweepPlan>();
    const auto scratch = std::make_unique<ChunkKernelScratch>();
    for (std::uint64_t seed = 400; seed < 436; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Rng rng(seed);
        const ChunkScene scene = makeChunkScene(kGrounds[seed % 9], kCorners[seed / 9 % 4], seed, rng.below(2) * 10);
        const ChunkKernelInput input = scene.input(rng.percent(50));
        const TravelDirection travel = kTravel[rng.below(2)];
        std::vector<std::uint64_t> seeds = unreached();
        for (int i = 0; i < 8; ++i) seeds[rng.below(kChunkKernelCells)] = 10 + rng.below(3'000'000);
        const std::uint32_t limit = 1 + rng.below(4'000'000);
        std::vector<std::uint64_t> below = seeds;  // what starts beyond the limit passes nothing on
        for (std::uint64_t& d : below) d = d < limit ? d : kChunkUnreachedWide;
        const std::vector<std::uint32_t> exact = narrow(testing::chunkDijkstra(input, travel, below));
        std::vector<std::uint32_t> want = narrow(seeds);
        for (std::size_t i = 0; i < want.size(); ++i) want[i] = exact[i] < limit ? exact[i] : want[i];
        for (const ChunkKernelBackend backend : backends()) {
            SCOPED_TRACE(chunkKernelName(backend));
            prepareChunkSweep(input, travel, *plan, backend);
            std::vector<std::uint32_t> dist = narrow(seeds);
            const ChunkRelaxation got = relaxChunk(*plan, dist.data(), *scratch, ~std::uint64_t{0}, limit);
            ASSERT_EQ(dist, want);
            EXPECT_FALSE(got.saturated);
            EXPECT_TRUE(relaxChunk(*plan, dist.data(), *scratch, ~std::uint64_t{0}, limit).changed_rows == 0);
        }
    }
}

// The lanes of wider machines, run through the compiler's portable vectors.
template <int N>
void checkLanes() {
    const auto plan = std::make_unique<ChunkSweepPlan>();
    const auto scratch = std::make_unique<ChunkKernelScratch>();
    for (std::uint64_t seed = 300; seed < 336; ++seed) {
        SCOPED_TRACE(::testing::Message() << N << " lanes, seed " << seed);
        Rng rng(seed);
        const ChunkScene scene = makeChunkScene(kGrounds[seed % 9], kCorners[seed / 9 % 4], seed, rng.below(2) * 10);
        const ChunkKernelInput input = scene.input(rng.percent(50));
        const TravelDirection travel = kTravel[rng.below(2)];
        std::vector<std::uint64_t> seeds = unreached();
        for (int i = 0; i < 5; ++i) seeds[rng.below(kChunkKernelCells)] = 10 + rng.below(1'000'000);
        plan->max_step = static_cast<std::uint32_t>(chunk_kernel::Sweeper<N>::prepare(input, travel, *plan));
        std::vector<std::uint32_t> dist = narrow(seeds);
        const std::vector<std::uint64_t> want = testing::chunkDijkstra(input, travel, seeds);
        std::uint64_t largest = 0;
        for (const std::uint64_t d : want) largest = d == kChunkUnreachedWide ? largest : std::max(largest, d);
        ChunkRelaxation got;
        const bool fits = chunk_kernel::Sweeper<N>::relax(*plan, dist.data(), *scratch, ~std::uint64_t{0}, kChunkUnreached, got);
        EXPECT_TRUE(fits || largest + plan->max_step >= chunk_kernel::kSweepLimit);
        if (!fits) {
            EXPECT_EQ(dist, narrow(seeds));
            continue;
        }
        ASSERT_EQ(dist, narrow(want));
        expectSame(got, expectedReport(narrow(seeds), want));
    }
}

TEST(ChunkKernel, SweepsInAnyNumberOfLanesAgree) {
    checkLanes<4>();
    checkLanes<8>();
    checkLanes<16>();
}

TEST(ChunkKernel, TheBestBackendIsAvailableAndNamed) {
    EXPECT_TRUE(chunkKernelAvailable(bestChunkKernel()));
    EXPECT_STREQ(chunkKernelName(ChunkKernelBackend::scalar), "scalar");
    RecordProperty("best", chunkKernelName(bestChunkKernel()));
}

}  // namespace
}  // namespace warpath
