// The chunks that a search may enter: those around a way over portals.
//
//   corridor.reset(view.columns(), view.rows());                      // empty
//   corridor.addAround(a, b, margin);
//   bool inside = corridor.contains(chunk);
#pragma once

#include <cstdint>
#include <vector>

#include "warpath/core/types.h"
#include "warpath/world/chunk.h"

namespace warpath {

/// A set of chunks that a search may enter. Emptied in O(1); sized once per map. Single owner.
class ChunkCorridor {
public:
    void reset(int columns, int rows);
    void add(ChunkCoord chunk);
    /// Adds the chunks of the map that have a cell in the box around two cells or within the margin of it [cells].
    void addAround(Cell a, Cell b, int margin);
    /// @pre on the map.
    [[nodiscard]] bool contains(ChunkCoord chunk) const {
        return stamps_[static_cast<std::size_t>(chunk.y * columns_ + chunk.x)] == stamp_;
    }
    [[nodiscard]] const std::vector<ChunkCoord>& chunks() const { return chunks_; }

private:
    int columns_ = 0, rows_ = 0;
    std::uint32_t stamp_ = 0;
    std::vector<std::uint32_t> stamps_;
    std::vector<ChunkCoord> chunks_;
};

}  // namespace warpath
