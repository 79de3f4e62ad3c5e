// What one kind of source adds around itself, as rows of numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace warpath::threat {

/// Units of threat sums: 65536 is 1.0.
inline constexpr int kUnitsPerThreat = 1 << 16;

/// One row of threat cells; columns relative to the threat cell of the source. Kept numbers start at `offset` in Falloff's arrays.
struct FalloffRow {
    std::int32_t first = 0;   ///< First column.
    std::int32_t count = 0;   ///< Columns; 0 where nothing is reached.
    std::int32_t offset = 0;
};

/// The numbers of one row. Pointers are to its first column; kLanes zeros lie before and after.
struct RowNumbers {
    const std::uint32_t* full = nullptr;    ///< All in sight: hidden + open.
    const std::uint32_t* hidden = nullptr;  ///< Nothing in sight.
    const std::uint32_t* unit = nullptr;    ///< Each square metre in sight adds this.
    const std::uint32_t* open = nullptr;    ///< unit x resolution^2: all in sight, what it adds to `hidden`.
};

/// Room for the numbers of a row that is not kept.
struct RowScratch {
    std::vector<std::uint32_t> full, hidden, unit, open;
};

/// What one (range, firepower, place of the source within its threat cell) adds. Numbers are kept for ranges of up to about 140 threat cells; rows of longer ones
/// are worked out each time that they are needed.
struct Falloff {
    double reach = 0.0, power = 0.0, hidden_share = 0.0;
    int resolution = 1;
    int phase_x = 0, phase_y = 0;      ///< Cell of the source within its threat cell.
    int view_radius = 0;               ///< [cells] Reaches every cell of every threat cell.
    std::int32_t first_row = 0;        ///< Row relative to the threat cell of the source.
    int left = 0, top = 0, right = 0, bottom = 0;  ///< Half-open box of what is reached, relative to the threat cell of the source; empty: left >= right.
    std::vector<FalloffRow> rows;
    bool kept = false;
    RowScratch numbers;                ///< Of all rows when kept.

    /// The numbers of row i, whose count is above 0. They hold while this and `scratch` are unchanged.
    [[nodiscard]] RowNumbers row(std::size_t i, RowScratch& scratch) const;
    /// The same for RowNumbers::full alone. @pre kept
    [[nodiscard]] const std::uint32_t* keptFull(std::size_t i) const { return numbers.full.data() + rows[i].offset; }
};

/// @param hidden_factor 1 when sight does not matter.
std::shared_ptr<const Falloff> makeFalloff(float range, float firepower, int phase_x, int phase_y, int resolution, float hidden_factor);

}  // namespace warpath::threat
