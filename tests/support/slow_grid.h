// The slow, obvious twin of costs, moves and searches: every rule written out cell by cell from the public records of a snapshot, Dijkstra with a
// std::priority_queue. Nothing of the compiled tiles or of CostModel is used.
//
//   twin::SlowGrid grid(snapshot, constraints, side);
//   twin::SlowAnswer all = twin::slowDijkstra(grid, {3, 4});       // grid cells
//   Cost cost = all.cost(grid, {60, 20});                          // twin::kNowhere where no route leads
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "warpath/core/directions.h"
#include "warpath/core/types.h"
#include "warpath/world/constraints.h"
#include "warpath/world/snapshot.h"

namespace warpath::twin {

inline constexpr Cost kNowhere = UINT64_MAX;

/// What a metre in a cell costs, in hundredths.
struct SlowTerms {
    int terrain = 0, road = 0, threat = 0, exposure = 0, cover = 0, congestion = 0, wall = 0;
    [[nodiscard]] int f() const { return 100 + terrain + road + threat + exposure + cover + congestion + wall; }
    friend bool operator==(const SlowTerms&, const SlowTerms&) = default;
};

/// A snapshot as one unit sees it. Positions are grid cells (origin subtracted); for larger units the top-left cell of their square.
class SlowGrid {
public:
    /// @param exempt rectangles of grid cells whose obstacles do not count.
    SlowGrid(const WorldSnapshot& snapshot, const PathConstraints& constraints, int side = 0, std::vector<CellRect> exempt = {});

    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool inside(int x, int y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }
    [[nodiscard]] std::size_t index(int x, int y) const { return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x); }

    /// The unit fits with its top-left cell here.
    [[nodiscard]] bool fits(int x, int y) const;
    /// The step is legal, wherever the unit comes from.
    [[nodiscard]] bool mayStep(int x, int y, int direction) const;
    [[nodiscard]] SlowTerms terms(int x, int y) const;
    /// What a step costs. @pre mayStep.
    [[nodiscard]] Cost stepCost(int x, int y, int direction) const;
    /// The height that counts for a unit here [cm].
    [[nodiscard]] std::int32_t heightCm(int x, int y) const;
    /// Chebyshev distance from the unit's square to the nearest cell that blocks, ignoring exemptions; 0 when one lies inside; at most `reach` + 1.
    [[nodiscard]] int wallDistance(int x, int y, int reach) const;

private:
    [[nodiscard]] bool cellBlocks(int x, int y, bool heed_exemptions) const;
    [[nodiscard]] Cell middle(int x, int y) const;
    [[nodiscard]] int groundOf(int terrain) const;
    [[nodiscard]] SlowTerms computeTerms(int x, int y) const;

    WorldSnapshot snapshot_;
    PathConstraints wishes_;
    int side_ = 0;
    std::vector<CellRect> exempt_;
    int width_ = 0, height_ = 0, size_ = 1;
    double threat_weight_ = 0, cover_weight_ = 0, exposure_weight_ = 0, terrain_weight_ = 0, elevation_weight_ = 0, wall_weight_ = 0;
    int wall_distance_ = 0;
    bool prefer_roads_ = false, avoid_roads_ = false;
    bool limits_rise_ = false, limits_drop_ = false;
    double max_rise_cm_ = 0, max_drop_cm_ = 0;
    std::vector<std::uint8_t> blocks_, blocks_always_;
    std::vector<SlowTerms> terms_;
};

struct SlowAnswer {
    std::vector<Cost> costs;  ///< By SlowGrid::index.
    [[nodiscard]] Cost cost(const SlowGrid& grid, Cell c) const { return costs[grid.index(c.x, c.y)]; }
};

/// Costs from one cell to every other. The start itself may be blocked.
[[nodiscard]] SlowAnswer slowDijkstra(const SlowGrid& grid, Cell start);

/// Cost of a route cell by cell; kNowhere when a step is not legal.
[[nodiscard]] Cost routeCost(const SlowGrid& grid, const std::vector<Cell>& cells);

/// Parts that are joined by steps legal in at least one direction: a number per cell, 0 where the unit does not fit.
[[nodiscard]] std::vector<int> floodRegions(const SlowGrid& grid);

}  // namespace warpath::twin
