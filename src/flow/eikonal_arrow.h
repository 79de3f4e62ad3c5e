// Where a unit should go from a cell of an eikonal field: any-angle vector and next cell.
//
//   const EikonalArrow arrow = eikonalArrow(grid, solver, grid.index(x, y), moves);
//   if (arrow.code < kDirections) ... arrow.vector is of length 1 ...
#pragma once

#include <array>
#include <cstdint>

#include "flow/eikonal.h"
#include "warpath/core/directions.h"
#include "warpath/core/types.h"

namespace warpath::flow {

struct EikonalArrow {
    static constexpr std::uint8_t kNone = 8;

    Vec2 vector;                ///< Unit length; zero where there is no arrow.
    std::uint8_t code = kNone;  ///< Direction of the next cell; kNone at goals and where nothing is reached.
    bool open = false;          ///< All eight steps are legal and lead to reached cells.
};

/// The arrows of four cells in a row. Cells beyond the grid's last column have none, or any: leave them out.
///
/// The next cell is the legal one with the steepest descent (D - D') / L; of equals straight before diagonal, then the lower direction. Since each value
/// exceeds that of a neighbour on a side, there always is one.
///
/// The vector is against the gradient: central differences where the front passed along the axis, the steeper side where it met another front, one
/// side (of second order where two cells lie in a row) beside walls; an axis whose neighbours are both higher has no part in it. A vector between two
/// free sides whose corner is blocked keeps its larger part only, the first axis of equals. So its parts lead to free cells, and so does their corner.
/// Where two ways part (the corner lies no lower than the cell, or the vector does not follow the step) it is the step to the next cell:
/// units that follow vectors would swing between both ways.
/// @param moves legal steps of each cell. @pre the grid is the one that was solved.
[[nodiscard]] std::array<EikonalArrow, 4> eikonalArrows(const EikonalGrid& grid, const EikonalSolver& solver, std::uint32_t cell, const std::uint8_t* moves);

/// The arrow of one cell.
[[nodiscard]] inline EikonalArrow eikonalArrow(const EikonalGrid& grid, const EikonalSolver& solver, std::uint32_t cell, std::uint8_t moves) {
    const std::uint8_t four[4] = {moves, 0, 0, 0};
    return eikonalArrows(grid, solver, cell, four)[0];
}

/// Whether a vector turns no more than 60 degrees from the step to the next cell.
[[nodiscard]] inline bool followsStep(Vec2 vector, std::uint8_t code) {
    return vector.x * kStepVector[code].x + vector.y * kStepVector[code].y >= 0.5f;
}

/// Against the gradient, towards its goal, at a cell of an exact disc: better than any difference so near the goal. Zero at goals.
[[nodiscard]] Vec2 seedVector(const EikonalSolver::Seed& seed);

}  // namespace warpath::flow
