// The A* of the textbooks on a flat grid: the slow twin that answers are compared with, and the peer that benchmarks race against.
//
//   FlatGrid grid = flatGridOf(snapshot, constraints);
//   TextbookAStar search(grid);
//   auto found = search.run({3, 4}, {60, 20});      // grid cells; found->cost in metres at f = 1
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "warpath/core/types.h"
#include "warpath/world/constraints.h"
#include "warpath/world/snapshot.h"

namespace warpath::testing {

/// A grid of blocked flags and costs per metre of entering a cell, row by row.
struct FlatGrid {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> blocked;
    std::vector<double> cost;

    [[nodiscard]] std::size_t index(Cell c) const { return static_cast<std::size_t>(c.y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(c.x); }
    [[nodiscard]] bool isFree(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height && blocked[index({x, y})] == 0; }
};

/// Terrain costs and obstacles of a world, read cell by cell. Threat, cover, exposure, elevation, walls and congestion are left out: use it with
/// constraints that do not price them. Cells count for units of one cell.
[[nodiscard]] FlatGrid flatGridOf(const WorldSnapshot& snapshot, const PathConstraints& constraints);

/// std::priority_queue with lazy deletion, doubles, a stamp per node (Hart, Nilsson, Raphael 1968). Diagonals need both side cells free.
class TextbookAStar {
public:
    struct Answer {
        double cost = 0.0;        ///< Sum of step length x cost of the entered cell.
        std::vector<Cell> cells;  ///< Start to goal.
    };

    /// Keeps a reference to the grid.
    explicit TextbookAStar(const FlatGrid& grid);

    /// The cheapest path between grid cells, or nothing.
    [[nodiscard]] std::optional<Answer> run(Cell start, Cell goal);

    /// Cells settled by the last run.
    [[nodiscard]] std::uint64_t expansions() const { return expansions_; }

private:
    struct Node {
        double g = 0.0;
        std::uint32_t stamp = 0;
        std::uint32_t parent = 0;
        bool closed = false;
    };
    struct Entry {
        double f;
        double g;
        std::uint32_t cell;
        bool operator<(const Entry& other) const { return f != other.f ? f > other.f : g < other.g; }
    };

    const FlatGrid& grid_;
    double smallest_cost_ = 1.0;
    std::vector<Node> nodes_;
    std::priority_queue<Entry> open_;
    std::uint32_t stamp_ = 0;
    std::uint64_t expansions_ = 0;
};

}  // namespace warpath::testing
