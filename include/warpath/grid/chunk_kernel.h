// Exact distances inside one 64 x 64 chunk: from any seeded cells to all cells, or from all cells to seeded goals.
//
//   ChunkSweepPlan plan;                                        // per chunk and cost key; fill it once, read it from any thread
//   prepareChunkSweep({.f = tile.f, .moves = tile.moves}, TravelDirection::from_sources, plan);
//   std::fill_n(dist, kChunkKernelCells, kChunkUnreached);  dist[source] = 0;
//   ChunkRelaxation r = relaxChunk(plan, dist, scratch);        // dist now holds the distance to every cell
//
// This is the inner loop of the hierarchy's tables and of the fields that wait in a queue of chunks.
#pragma once

#include <cstdint>

#include "warpath/core/directions.h"

namespace warpath {

/// Cells of a chunk's side and of a chunk. A cell's index is y * 64 + x.
inline constexpr int kChunkKernelSide = 64;
inline constexpr int kChunkKernelCells = kChunkKernelSide * kChunkKernelSide;

/// The distance of a cell that nothing has reached.
inline constexpr std::uint32_t kChunkUnreached = 0xffff'ffffu;
inline constexpr std::uint64_t kChunkUnreachedWide = ~std::uint64_t{0};

/// What a distance means, for step costs that differ with the direction of travel.
enum class TravelDirection : std::uint8_t {
    from_sources,  ///< dist[c] is the cheapest way from a seed to c
    to_goals,      ///< dist[a] is the cheapest way from a to a seed
};

/// How a plan is executed. All give the same bits; they differ in speed alone.
enum class ChunkKernelBackend : std::uint8_t {
    scalar,   ///< bucket queue; runs anywhere, and the others fall back on it when 28 bits of distance do not suffice
    lanes4,   ///< row sweeps in 4 lanes (SSE2, NEON, or whatever the compiler has)
    avx2,     ///< row sweeps in 8 lanes
    avx512,   ///< row sweeps in 16 lanes
};

/// True when this build holds the backend and this processor can run it.
[[nodiscard]] bool chunkKernelAvailable(ChunkKernelBackend backend);

/// The fastest available backend.
[[nodiscard]] ChunkKernelBackend bestChunkKernel();

/// "scalar", "lanes4", "avx2" or "avx512".
[[nodiscard]] const char* chunkKernelName(ChunkKernelBackend backend);

/// The ground of a chunk. A step from a to c in direction d costs stepLength(d) * f[c] + |heights[c] - heights[a]|.
struct ChunkKernelInput {
    /// Cost of an entered cell [hundredths] [0..65535], kChunkKernelCells of them.
    const std::uint16_t* f = nullptr;
    /// Bit d of moves[a]: the step from a in direction d is legal (free target, corner rule, slope, one-way edges). Any combination is
    /// accepted. Bits that lead out of the chunk are ignored.
    const std::uint8_t* moves = nullptr;
    /// Elevation times its weight, in cost units [any origin; the chunk's values span at most 2^30] [null: climbing costs nothing].
    const std::int32_t* heights = nullptr;
    /// When not 0, heights are centimetres and the rise of a step costs (|dz| x climb_weight + 50) / 100 (whole part) straight lengths instead: a weight
    /// in hundredths, rounded step by step as CostModel::riseCost does [0..2000]. Sweeps hold legal steps up to kSteepestSweep / climb_weight
    /// centimetres; a chunk with a steeper one is left to the bucket queue.
    std::uint32_t climb_weight = 0;
    static constexpr std::uint32_t kSteepestSweep = 43'600;
};

/// A chunk made ready for relaxation. About 65 KiB, no pointers: copy it, keep it, drop it as you like. The members belong to the kernel.
struct ChunkSweepPlan {
    static constexpr int kPad = 32;  ///< entries before and after, so that neighbours of edge cells can be loaded

    /// Running cost of the steps eastwards and westwards along each row, within groups of as many cells as the backend has lanes.
    alignas(64) std::uint32_t eastward[kChunkKernelCells];
    alignas(64) std::uint32_t westward[kChunkKernelCells];
    alignas(64) std::int32_t heights[kPad + kChunkKernelCells + kPad];
    alignas(64) std::uint16_t f[kPad + kChunkKernelCells + kPad];
    alignas(64) std::uint8_t closed[kChunkKernelCells];  ///< bit d: no distance comes to this cell from its neighbour in direction d
    alignas(64) std::uint8_t push[kChunkKernelCells];    ///< bit d: this cell's distance goes to its neighbour in direction d
    std::uint64_t open_from_above = 0;                   ///< rows into which all steps from the row above are legal
    std::uint64_t open_from_below = 0;
    std::uint32_t straight_length = kStraightLength;
    std::uint32_t diagonal_length = kDiagonalLength;
    std::uint32_t min_step = 0;    ///< no legal step costs less
    std::uint32_t max_step = 0;    ///< no legal step costs more
    std::uint16_t uniform_f = 0;   ///< the one f of a chunk without any closed step, or 0 when the chunk is not like that
    std::uint8_t bucket_log2 = 0;  ///< width of the scalar backend's buckets
    bool rises = false;
    bool too_steep = false;        ///< for the sweeps
    std::uint32_t climb_weight = 0;
    TravelDirection direction = TravelDirection::from_sources;
    ChunkKernelBackend backend = ChunkKernelBackend::scalar;
};

/// Working memory of one relaxation. One per thread; needs no clearing.
struct ChunkKernelScratch {
    static constexpr int kBuckets = 512;
    static constexpr int kRim = 16;  ///< zeros before, between and after rows

    alignas(64) std::uint32_t rows[kRim + kChunkKernelSide * (kChunkKernelSide + kRim)];
    std::uint16_t next[kChunkKernelCells];
    std::uint16_t previous[kChunkKernelCells];
    std::uint16_t order[kChunkKernelCells];
    std::uint16_t heads[kBuckets];
};

/// What a relaxation did.
struct ChunkRelaxation {
    /// True when some cell can be reached but its distance does not fit (32 bits); such cells stay unreached, all others are exact.
    /// Continue with relaxChunkWide.
    bool saturated = false;
    /// Rows in which some distance fell.
    std::uint64_t changed_rows = 0;
    /// Cells of each side whose distance fell: [0] east and [2] west (bit y), [1] south and [3] north (bit x). Half a direction's number.
    std::uint64_t changed_border[4] = {};
    /// The smallest of those distances, or unreached.
    std::uint64_t lowest_on_border[4] = {kChunkUnreachedWide, kChunkUnreachedWide, kChunkUnreachedWide, kChunkUnreachedWide};
};

/// Fills a plan. Microseconds; no allocation. `backend` must be available. A plan whose single steps are too costly for wide lanes becomes a
/// scalar one.
/// Threads: calls on different plans may run at the same time.
void prepareChunkSweep(const ChunkKernelInput& input, TravelDirection direction, ChunkSweepPlan& plan,
                       ChunkKernelBackend backend = bestChunkKernel());

/// Lowers `dist` (kChunkKernelCells values) until no legal step inside the chunk improves any of them: with the seeds' distances given
/// and all else kChunkUnreached that is the exact distance of every cell. Distances are usually kept relative to the chunk's smallest.
///
/// Method: rows are swept down and up; a row takes the three steps from the row before it and closes itself under east and west steps by a
/// prefix minimum over running costs, in SIMD lanes. Only rows next to a change are visited. Integer and free of order, so every backend
/// gives the same bits. When 28 bits of distance do not suffice, a bucket queue (Dial 1969) does the work.
/// @param seed_rows rows whose values may improve others; the other rows must be closed under relaxation among themselves (as after an
///   earlier call). The default asks nothing.
/// @param limit no cell is lowered to this or more; cells that have such distances keep them and pass nothing on [default: none].
/// Cost: a few visits per row that changes; see bench/chunk_kernel_bench.cpp. No allocation.
/// Threads: calls may share a plan; each needs its own `dist` and `scratch`.
ChunkRelaxation relaxChunk(const ChunkSweepPlan& plan, std::uint32_t* dist, ChunkKernelScratch& scratch,
                           std::uint64_t seed_rows = ~std::uint64_t{0}, std::uint32_t limit = kChunkUnreached);

/// Distances of all cells from (or to) the one cell `source`: as relaxChunk after filling `dist` with kChunkUnreached and seeding a 0, but a
/// chunk without obstacles, differing costs and heights is answered by the octile formula.
/// @return false when some distance does not fit 32 bits (see ChunkRelaxation::saturated).
[[nodiscard]] bool chunkDistances(const ChunkSweepPlan& plan, int source, std::uint32_t* dist, ChunkKernelScratch& scratch);

/// The same as relaxChunk in 64 bits by the bucket queue, for what relaxChunk reports as saturated. @pre finite distances are below 2^62.
ChunkRelaxation relaxChunkWide(const ChunkSweepPlan& plan, std::uint64_t* dist, ChunkKernelScratch& scratch);

}  // namespace warpath
