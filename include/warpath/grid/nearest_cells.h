// Of the cells of some chunks, those that lie nearest to a set of places: for sets of thousands.
//
//   const std::int64_t squared = nearestCells(chunks, [&](std::size_t i, ChunkRows& rows) { rows = maskOf(chunks[i]); }, places, cells);
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "warpath/core/types.h"
#include "warpath/world/chunk.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// Bit x of row y of a chunk: a cell that counts.
using ChunkRows = std::array<std::uint64_t, kChunkSize>;

/// Finds all cells at the least straight distance to a place.
///
/// Chunks are taken by the least distance that a place can have to them, so few are looked at; in each the places that are near enough look for the next cell
/// in each row, a word at a time.
/// @param rows_of fills in the cells of chunks[i]; called once at most for each, and only for those that may hold a nearest one.
/// @param places Grid cells, in any order; they may lie off the map.
/// @param out The cells, by id, each once.
/// @return the square of the distance [cells]; INT64_MAX, and no cells, when there is no cell or no place.
/// Cost: O(chunks x chunks that hold places), then O(64 places) for each chunk that is looked at.
std::int64_t nearestCells(std::span<const ChunkCoord> chunks, const std::function<void(std::size_t, ChunkRows&)>& rows_of, std::span<const Cell> places,
                          std::vector<CellId>& out);

}  // namespace warpath
