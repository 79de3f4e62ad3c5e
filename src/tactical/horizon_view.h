// The set of cells that an observer sees over broken ground: horizons by direction.
#pragma once

#include <cstdint>
#include <vector>

#include "tactical/shadow_cast.h"

namespace warpath::sight {

/// The distinct directions to the cells of an octant (0 <= across <= along <= radius) in the order of their slopes, and what each cell covers of them.
struct HorizonTable {
    int radius = -1;
    std::uint32_t directions = 0;
    // By cell, row by row: cell (across, along) at along * (along + 1) / 2 + across.
    std::vector<std::uint32_t> rank;          ///< The direction to the cell's centre.
    std::vector<std::uint32_t> first, last;   ///< Directions that enter the inside of the cell: first .. last - 1.
    /// Directions that touch a corner of a cell, except the diagonal one; sorted by row.
    struct Touch {
        std::uint32_t rank;
        std::uint32_t across;
        bool cell_is_left;  ///< Of the line: its far right corner is touched, half a row before its middle; else the left one, half a row behind.
    };
    std::vector<Touch> touches;
    std::vector<std::uint32_t> touches_end;   ///< By row: where its touches end.

    /// O(radius^2 log radius); nothing when the radius is the same.
    void prepare(int new_radius);
};

struct HorizonScratch {
    std::vector<HorizonTable> tables;  ///< A few, by radius.
    std::vector<double> horizon, left, right, slopes;
};

/// A square of heights around the observer, offsets -radius-1 .. radius+1, row by row, in half centimetres.
struct HeightWindow {
    int radius = 0;
    std::int32_t eye = 0;                ///< Of the observer.
    std::int32_t target = 0;             ///< What targets rise above their ground.
    std::vector<std::int32_t> tops;      ///< Up to where each cell closes lines.
    std::vector<std::int32_t> grounds;
};

/// Writes every cell of the square that the observer sees by the rules of lineOfSight.
///
/// Method: row after row, away from the observer, each direction keeps the steepest slope to what it has met (a horizon by direction, as in the R2 and R3
/// viewshed algorithms of Franklin and Ray 1994, but for the exact set of directions to cell centres). Slopes are doubles: distinct ones differ by 2^-21 or
/// more, so equality is decided by a margin of 2^-24.
/// Cost: O(radius^3) simple steps over contiguous numbers.
void castHorizons(const HeightWindow& heights, HorizonScratch& scratch, BitWindow& out);

}  // namespace warpath::sight
