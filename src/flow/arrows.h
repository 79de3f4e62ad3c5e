// Arrows of a chunk from the distances around it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "flow/integration.h"

namespace warpath::flow {

/// Arrow of a cell: the legal step with the least step cost + distance of the cell it leads to; of equals straight before diagonal, then the lower direction.
class ArrowPass {
public:
    /// Writes the bytes of the rows in `row_mask`: arrows, kFlowWall, `unreached` where no arrow is, and kFlowOpen. Goals are the caller's to mark.
    /// The chunk must be bound; neighbours without distances count as unreached.
    void run(const Integration& field, std::uint32_t index, std::uint64_t row_mask, std::uint8_t unreached, std::uint8_t* bytes);

private:
    static constexpr int kStride = kChunkSize + 16;
    static constexpr int kOrigin = kStride + 8;

    bool gather(const Integration& field, std::uint32_t index, std::uint64_t row_mask);
    bool gatherHeights(const Integration& field, std::uint32_t index, std::uint64_t rows);
    static std::uint32_t weight(const Integration& field);
    void runSlowly(const Integration& field, std::uint32_t index, std::uint64_t row_mask, std::uint8_t unreached, std::uint8_t* bytes) const;

    /// (distance + cost of a straight, diagonal step into the cell) x 8, all ones where not reached; with a rim of one cell.
    alignas(64) std::array<std::uint32_t, kStride*(kChunkSize + 2)> straight_;
    alignas(64) std::array<std::uint32_t, kStride*(kChunkSize + 2)> diagonal_;
    /// Heights [cm], where steps around the chunk are priced for their rise.
    alignas(64) std::array<std::int32_t, kStride*(kChunkSize + 2)> heights_{};
    bool rises_ = false;
};

}  // namespace warpath::flow
