// The slow, obvious twin of the chunk kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "warpath/grid/chunk_kernel.h"

namespace warpath::testing {

/// Textbook Dijkstra over one chunk in 64 bits: `dist` holds the seeds (kChunkUnreachedWide elsewhere) and is returned settled.
std::vector<std::uint64_t> chunkDijkstra(const ChunkKernelInput& input, TravelDirection direction, std::vector<std::uint64_t> dist);

}  // namespace warpath::testing
