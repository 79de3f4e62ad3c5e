// The eikonal equation |grad D| = f on a grid with walls, by fast marching: D is the length of the shortest way of any angle to the nearest seed.
//
//   EikonalGrid grid;   grid.resize(width, height);                 // all walls
//   grid.f[grid.index(x, y)] = 100;                                 // hundredths per metre
//   EikonalSolver solver;
//   solver.solve(grid, goals, {.order = 2});
//   float metres = solver.distance(grid.index(x, y));               // infinite where no way leads
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flow/march_queue.h"

namespace warpath::flow {

/// What the front runs over, with a rim of three walls so that no stencil needs to ask for the map's edge.
struct EikonalGrid {
    static constexpr int kRim = 3;

    int width = 0, height = 0;
    int stride = 0;                ///< Rows share the rim between them: the east rim of one is the west rim of the next.
    std::vector<std::uint16_t> f;  ///< Hundredths per metre; 0: wall.

    void resize(int new_width, int new_height) {
        width = new_width;
        height = new_height;
        stride = width + kRim;
        f.assign(static_cast<std::size_t>(stride) * static_cast<std::size_t>(height + 2 * kRim) + kRim, 0);
    }
    [[nodiscard]] std::uint32_t index(int x, int y) const {
        return static_cast<std::uint32_t>(y + kRim) * static_cast<std::uint32_t>(stride) + static_cast<std::uint32_t>(x + kRim);
    }
    [[nodiscard]] int xOf(std::uint32_t index) const { return static_cast<int>(index % static_cast<std::uint32_t>(stride)) - kRim; }
    [[nodiscard]] int yOf(std::uint32_t index) const { return static_cast<int>(index / static_cast<std::uint32_t>(stride)) - kRim; }
    [[nodiscard]] bool free(std::uint32_t index) const { return f[index] != 0; }
};

struct EikonalOptions {
    int order = 2;                ///< 1 or 2.
    int disc_radius = 8;          ///< Cells around a goal whose distance is taken exactly [cells] [0..8].
    bool through_corners = false;  ///< The front passes diagonally between two walls (DiagonalRule::Always).
};

/// Fast marching (Sethian 1996; second order after Sethian 1999; buckets after Yatziv, Bartesaghi, Sapiro 2006).
///
/// First order: every value solves the upwind quadratic of its neighbours to the last bit, whatever the order in which cells are taken: a cell that
/// improves after it was taken is taken again. Second order: a cell keeps the value it is taken with, buckets are an eighth of the smallest f wide,
/// inside a bucket it is first in, first out, several cells at a time, and values are rounded by chance (that of the cell number). Values are floats; every operation is + - * / or sqrt in a fixed order, so they are equal everywhere.
/// Each value is greater than that of its lowest neighbour on the four sides, so that stepping downhill never ends but at a seed.
///
/// Around a goal the distance is exact as far as the goal is seen over ground of its own f and nothing within reach is cheaper or dearer: the point
/// where the front starts is where the stencils are worst (a second order front without it loses a third of a cell).
/// Single owner; keeps its memory between solves.
class EikonalSolver {
public:
    /// A seed whose way to its goal is a straight line.
    struct Seed {
        std::uint32_t cell;
        std::int8_t dx, dy;  ///< From the cell to its goal; both 0 at a goal.
    };

    /// @param goals indices of free cells, each once. Nothing is reached when there are none.
    void solve(const EikonalGrid& grid, std::span<const std::uint32_t> goals, const EikonalOptions& options);

    /// Metres at f = 1 to the nearest goal; infinite where no way leads.
    [[nodiscard]] float distance(std::uint32_t index) const { return std::fabs(d_[index]); }
    /// The same by index, with a sign that means nothing after a solve: take the absolute value.
    [[nodiscard]] const float* values() const { return d_.data(); }
    /// Cells of the exact discs, the goals included, by distance from their goals.
    [[nodiscard]] std::span<const Seed> seeds() const { return seeds_; }
    [[nodiscard]] std::size_t memoryBytes() const { return d_.capacity() * sizeof(float) + queue_.memoryBytes() + seeds_.capacity() * sizeof(Seed); }

    /// Discs are left out when more goal cells than this have another free cell beside them: an area's straight rim needs none.
    static constexpr std::size_t kMostDiscs = 256;

private:
    void placeSeeds(const EikonalGrid& grid, std::span<const std::uint32_t> goals, const EikonalOptions& options);
    [[nodiscard]] std::uint32_t bucketOf(float distance) const;
    template <int kOrder>
    void march(const EikonalGrid& grid, bool through_corners);
    /// Gives the neighbours of a cell what it offers them.
    template <int kOrder>
    void take(std::uint32_t cell, std::ptrdiff_t stride, const float* values, unsigned better);
    void relaxCorners(const EikonalGrid& grid, std::uint32_t cell, float a, bool frozen);

    std::vector<float> d_;  // the sign tells waiting (negative, minus infinity: not reached) from taken
    MarchQueue queue_;
    std::vector<Seed> seeds_;
    float per_bucket_ = 1.0f;
};

}  // namespace warpath::flow
