// What the backends of the chunk kernel share. Each backend is one source file compiled for its own instruction set, so everything in it
// but its table of entry points has internal linkage, and nothing in it calls inline functions of the standard library.
#pragma once

#include "warpath/grid/chunk_kernel.h"

namespace warpath::chunk_kernel {

/// Distances below this (relative to the smallest seed) fit the sweeps. With 16 lanes a group's running cost plus one distance reaches
/// 17 times the limit, which is 2^32 - 1; the other backends keep the same limit.
inline constexpr std::uint32_t kSweepLimit = 0x0f0f'0f0fu;

/// The entry points of one backend.
struct Sweeps {
    /// Fills the plan, all but bucket_log2, max_step and backend. Returns the largest step.
    std::uint64_t (*prepare)(const ChunkKernelInput& input, TravelDirection direction, ChunkSweepPlan& plan);
    /// Returns false, with `dist` untouched, when the distances may not fit.
    bool (*relax)(const ChunkSweepPlan& plan, std::uint32_t* dist, ChunkKernelScratch& scratch, std::uint64_t seed_rows,
                  std::uint32_t limit, ChunkRelaxation& out);
    /// Octile distances from one cell of a chunk with plan.uniform_f.
    void (*octile)(const ChunkSweepPlan& plan, int source, std::uint32_t* dist);
};

extern const Sweeps kSweepsLanes4;
extern const Sweeps kSweepsAvx2;
extern const Sweeps kSweepsAvx512;

}  // namespace warpath::chunk_kernel
