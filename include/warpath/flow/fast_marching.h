// Flow fields by fast marching: distances and vectors of any angle, where a step costs the same in both directions.
//
//   FastMarching marching;                                             // one per thread
//   FlowAnswer made = marching.build(snapshot, request, store, MarchOrder::Second);
//   Vec2 way = made.field->vector(cell);                               // unit length, against the gradient
#pragma once

#include <cstdint>
#include <memory>

#include "warpath/flow/flow_request.h"
#include "warpath/grid/flow_field.h"
#include "warpath/grid/tile_store.h"

namespace warpath {

enum class MarchOrder : std::uint8_t {
    First = 1,   ///< The faster one; distances come out up to 2 cells too long on a map of 1024, vectors up to 2 degrees off.
    Second = 2,  ///< Within a tenth of a cell over 1000 cells of open ground, vectors within a degree (so at 2048).
};

/// Solves |grad D| = f over the cells that the unit fits on (Sethian 1996; second order Sethian 1999; bucketed queue Yatziv, Bartesaghi, Sapiro 2006), where
/// a Dijkstra field gives octile lengths, up to 8 % too long, and eight directions.
///
/// FlowField::next is the legal step with the steepest descent; distances fall at every step, so it reaches a goal from every reached cell.
/// FlowField::vector is against the gradient, made to lead to free cells and across no blocked corner, and exact within 8 cells of a goal in sight.
/// FlowField::distance is the length of the way of any angle times f [kCostPerMetre units]; bends round walls add up to half a cell each in first order.
/// With DiagonalRule::Never the vectors are of any angle all the same and `next` walks straight; with Always the front passes between two walls.
///
/// Fields of this method are not repaired: `build` them anew. FlowRequest::only_needed changes nothing here; exits and chunks are refused.
/// Floats, but only + - * / and sqrt in a fixed order: equal inputs give equal fields on every machine.
/// Memory: 6 bytes per cell of the area for the next computation; a field takes 8 bytes per cell for vectors besides its arrows and distances.
/// Threads: one at a time per object.
class FastMarching {
public:
    FastMarching();
    ~FastMarching();
    FastMarching(const FastMarching&) = delete;
    FastMarching& operator=(const FastMarching&) = delete;

    /// @return as FlowBuilder::build; InvalidArgument besides when
    ///   elevation_weight: heights cost and the ground of the area is not level,
    ///   max_slope: a slope limit forbids a step of the area (also when it does so in one direction only),
    ///   exits, chunks: there are some.
    [[nodiscard]] FlowAnswer build(const WorldSnapshot& snapshot, const FlowRequest& request, const std::shared_ptr<TileStore>& store, MarchOrder order);

    /// The stages one by one, for inspection and measuring. `begin` checks the request and gathers costs; @return false when the answer is known already.
    bool begin(const WorldSnapshot& snapshot, const FlowRequest& request, const std::shared_ptr<TileStore>& store, MarchOrder order);
    void integrate();
    [[nodiscard]] FlowAnswer finish();

    /// Between `integrate` and `finish`: metres at f = 1 from a world cell; infinite where nothing leads. @pre inside the area.
    [[nodiscard]] float distance(Cell cell) const;

    [[nodiscard]] std::size_t memoryBytes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace warpath
