// What one kind of source adds around itself, as rows of numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace warpath::threat {

/// Units of threat sums: 65536 is 1.0.
inline constexpr int kUnitsPerThreat = 1 << 16;

/// One row of threat cells; columns relative to the threat cell of the source. Numbers start at `offset` in Falloff's arrays.
struct FalloffRow {
    std::int32_t first = 0;   ///< First column.
    std::int32_t count = 0;   ///< Columns; 0 where nothing is reached.
    std::int32_t offset = 0;
};

/// The numbers of one (range, firepower, place of the source within its threat cell). Rows have kLanes zeros before and after.
struct Falloff {
    float range = 0.0f, firepower = 0.0f;
    int phase_x = 0, phase_y = 0;      ///< Cell of the source within its threat cell.
    int view_radius = 0;               ///< [cells] Reaches every cell of every threat cell.
    std::int32_t first_row = 0;        ///< Row relative to the threat cell of the source.
    int left = 0, top = 0, right = 0, bottom = 0;  ///< Half-open box of what is reached, relative to the threat cell of the source; empty: left >= right.
    std::vector<FalloffRow> rows;
    std::vector<std::uint32_t> full;   ///< All in sight: hidden + unit x resolution^2.
    std::vector<std::uint32_t> hidden; ///< Nothing in sight.
    std::vector<std::uint32_t> unit;   ///< Each square metre in sight adds this.
    std::vector<std::uint32_t> open;   ///< unit x resolution^2: all in sight, what it adds to `hidden`.
};

/// @param hidden_factor 1 when sight does not matter.
std::shared_ptr<const Falloff> makeFalloff(float range, float firepower, int phase_x, int phase_y, int resolution, float hidden_factor);

}  // namespace warpath::threat
