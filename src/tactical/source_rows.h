// What one source adds to the map, a row of threat cells at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tactical/falloff.h"
#include "tactical/shadow_cast.h"

namespace warpath::threat {

/// What a source has added to the sums, or shall add.
struct Applied {
    std::shared_ptr<const Falloff> falloff;  ///< Null: nothing.
    int x = 0, y = 0;                        ///< Grid cell of the source.
    bool sees_all = true;
    int first_row = 0, first_word = 0, words = 0;  ///< The part of the window of falloff->view_radius that is kept.
    std::vector<std::uint64_t> seen;               ///< Its rows; empty when it sees all.

    [[nodiscard]] bool samePlace(const Applied& other) const { return falloff == other.falloff && x == other.x && y == other.y; }
    /// Keeps what lies within the extents of a complete view.
    void keep(const sight::BitWindow& view, const sight::Extents& extents);
    /// Bytes that keep() takes, whatever is seen.
    static std::size_t bytesFor(int view_radius, const sight::Extents& extents);
};

/// Works out rows. Keeps its buffers.
class SourceRows {
public:
    /// The numbers of row i of the falloff, whose count is above 0: pointer to the first column, kLanes zeros before and after. Columns outside
    /// begin .. end - 1 (from the first column of the row) need not be right, but are the same each time. Holds until the next call.
    const std::uint32_t* row(const Applied& applied, std::size_t i, int begin, int end);

private:
    RowScratch scratch_;
    std::vector<std::uint32_t> numbers_;
    std::vector<std::uint64_t> bits_;
};

}  // namespace warpath::threat
