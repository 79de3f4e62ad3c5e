// Pulls a route of cells straight: stretches of it give way to straight legs wherever the unit may walk them and they cost no more.
//
//   legs.pull(binding, {request.from, goal}, size, diagonals, cells);
//   for (std::uint32_t turn : legs.turns()) ...              // indices into legs.cells(): the first, every end of a leg, the last
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pathfinder/route_builder.h"
#include "warpath/grid/tile_binding.h"

namespace warpath {

/// Method: string pulling along the found route (greedy: from each turn the farthest turn that a leg reaches, until four in a row are not reached, then a farther cell before the next turn, found by halving). A leg is taken
/// when (a) each square that the unit's anchor crosses on it can be entered from the one before, and through a corner the diagonal step is legal; (b) the
/// steps along its cells, those that rasteriseLegally gives, are legal and cost no more than the steps they replace; (c) metre by metre, each at the price of the
/// square it lies in, it costs no more than the stretch it replaces, heights included.
/// Cost: O(length of the legs tried), each at most kLongest cells long. Ties and determinism: no choice but the order above. Keeps its buffers.
class StraightLegs {
public:
    static constexpr std::size_t kLongest = 512;  ///< A leg replaces at most so many steps.

    /// @param cells at least one, steps legal on the binding. @param diagonals false under DiagonalRule::Never: then nothing is pulled.
    void pull(TileBinding& binding, const RouteEnds& ends, int size, bool diagonals, std::span<const CellId> cells);

    /// The cells of the pulled route: where no leg was taken those of the route, along legs those of rasteriseLegally.
    [[nodiscard]] const std::vector<CellId>& cells() const { return out_; }
    /// Where it turns, ascending: 0, ..., cells().size() - 1.
    [[nodiscard]] const std::vector<std::uint32_t>& turns() const { return turns_; }
    /// Whether the way on from turns()[i] is a pulled leg.
    [[nodiscard]] const std::vector<bool>& pulled() const { return pulled_; }

private:
    struct Point {
        double x = 0.0, y = 0.0;  // of the unit's anchor, so that its cell is the floor of it
    };
    [[nodiscard]] bool fits(std::size_t from, std::size_t to);
    [[nodiscard]] bool crosses(Point a, Point b, CellId from, CellId to, double most);
    [[nodiscard]] bool stepsAlong(std::size_t from, std::size_t to);
    [[nodiscard]] Position positionOf(std::size_t i) const;
    void keepTo(std::size_t from, std::size_t to);

    TileBinding* binding_ = nullptr;
    RouteEnds ends_;
    int size_ = 1;
    std::span<const CellId> route_;
    std::vector<std::uint32_t> corners_;   // where the route turns
    std::vector<Cost> steps_;              // what it costs up to each cell
    std::vector<double> line_;             // the same metre by metre
    std::vector<Cell> leg_cells_;
    std::vector<std::size_t> leg_leads_;
    std::vector<CellId> out_;
    std::vector<std::uint32_t> turns_;
    std::vector<bool> pulled_;
};

}  // namespace warpath
