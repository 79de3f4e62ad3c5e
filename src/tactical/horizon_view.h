// The set of cells that an observer sees over broken ground: horizons by direction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tactical/shadow_cast.h"

namespace warpath::sight {

/// The distinct directions to the cells of an octant (0 <= across <= along <= radius) in the order of their slopes, and what each cell covers of them.
/// Built in pieces: the directions of radius 1000 are 300,000.
struct HorizonTable {
    struct Direction {
        std::uint16_t n = 0, d = 1;  ///< In lowest terms.
    };
    int radius = -1;
    bool ready = false;
    std::vector<Direction> directions;
    // By cell, row by row: cell (across, along) at cellAt().
    std::vector<std::uint32_t> rank;         ///< The direction to the cell's centre.
    std::vector<std::uint32_t> first, last;  ///< Directions that enter the inside of the cell: first .. last - 1.

    static std::size_t cellAt(int across, int along) {
        return static_cast<std::size_t>(along) * static_cast<std::size_t>(along + 1) / 2 + static_cast<std::size_t>(across);
    }
    void begin(int new_radius);
    /// Goes on while `left` is above 0 and takes from it what was done. @return whether the table is ready. O(radius^2) in all.
    bool advance(std::int64_t& left);
    [[nodiscard]] std::size_t bytes() const {
        return directions.capacity() * sizeof(Direction) + (rank.capacity() + first.capacity() + last.capacity() + starts.capacity()) * sizeof(std::uint32_t);
    }

private:
    [[nodiscard]] std::uint32_t startOf(std::int64_t n, std::int64_t d) const;
    Direction next;                     // of the series
    int rows = 0;                       // done
    std::vector<std::uint32_t> starts;  // by share of the slopes: the first direction within it
    std::size_t shares = 1, shares_begun = 0;
};

/// A rectangle of heights around the observer, row by row, in half centimetres.
struct HeightWindow {
    int radius = 0;
    Extents extents;                     ///< Cells beyond are not looked at.
    std::int32_t eye = 0;                ///< Of the observer.
    std::int32_t target = 0;             ///< What targets rise above their ground.
    std::unique_ptr<std::int32_t[]> tops;     ///< Up to where each cell closes lines.
    std::unique_ptr<std::int32_t[]> grounds;
    std::size_t capacity = 0;

    /// Room for the extents, not written to: that would take milliseconds for the largest windows.
    void makeRoom() {
        const std::size_t cells = static_cast<std::size_t>(stride()) * static_cast<std::size_t>(extents.north + extents.south + 1);
        if (cells <= capacity) return;
        tops = std::make_unique_for_overwrite<std::int32_t[]>(cells);
        grounds = std::make_unique_for_overwrite<std::int32_t[]>(cells);
        capacity = cells;
    }

    [[nodiscard]] int stride() const { return extents.west + extents.east + 1; }
    [[nodiscard]] int centre() const { return extents.north * stride() + extents.west; }
};

struct HorizonScratch {
    std::vector<HorizonTable> tables;  ///< A few, by radius.
    std::vector<double> horizon, left, right;
    std::vector<double> lowest;        ///< By block of directions: the horizon is nowhere lower.
    std::size_t table = 0;             ///< In use.
    int part = 0, row = 0;             ///< Where the work stands: octants 0..7, diagonals 8..11.
};

/// Begins to find every cell of the window that the observer sees by the rules of lineOfSight.
///
/// Method: row after row, away from the observer, each direction keeps the steepest slope to what it has met (a horizon by direction, as in the R2 and R3
/// viewshed algorithms of Franklin and Ray 1994, but for the exact set of directions to cell centres). Slopes are doubles: distinct ones differ by 2^-21 or
/// more, so equality is decided by a margin of 2^-24. Blocks of directions whose horizon is higher than a cell are passed over.
/// Cost: O(radius^3) simple steps over contiguous numbers on rising ground, near O(radius^2) behind crests.
void beginHorizons(const HeightWindow& heights, HorizonScratch& scratch, BitWindow& out);

/// Goes on while `left` is above 0 and takes from it what was done, in cells looked at. @return whether `out` is complete.
bool continueHorizons(const HeightWindow& heights, HorizonScratch& scratch, BitWindow& out, std::int64_t& left);

}  // namespace warpath::sight
