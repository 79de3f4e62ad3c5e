// The direction in which a unit should move at any position: a flow field read between its cells.
//
//   const FlowSample s = sampleFlow(*field, unit.position);
//   if (s.state == FlowSampleState::Goal) unit.arrive(); else unit.position += s.direction * (speed * dt);
#pragma once

#include <cstdint>
#include <span>

#include "warpath/core/types.h"
#include "warpath/grid/flow_field.h"

namespace warpath {

/// 32 bits, so that a sample has no padding (half bytes written cost its reader a stall).
enum class FlowSampleState : std::uint32_t {
    Blended,      ///< A mix of the arrows around.
    Plain,        ///< The arrow of the cell alone (beside walls, where arrows part, at the edge of the field).
    Goal,         ///< In a goal cell: the direction is zero.
    Returning,    ///< In a wall or off the field: the direction leads straight to the nearest cell with a way, walls not looked at.
    Unreachable,  ///< No way leads from here to the goal: the direction is zero.
    Coarse,       ///< Off the tiles of a tiled field: straight towards the portal that leads on from this chunk, walls not looked at. Have the field enlarged.
    Pending,      ///< The field has not been computed this far (FlowBuilder::extend): the direction is zero.
    Lost,         ///< In a wall or off the field with no way near, or not a position at all: the direction is zero.
};

struct FlowSample {
    Vec2 direction;  ///< Unit length or zero.
    FlowSampleState state = FlowSampleState::Lost;
};

struct FlowSampleOptions {
    /// A motion of this length along the direction stays on free ground [m] [0..1] [0.25: 15 m/s at 60 Hz]; so does a shorter one where diagonal steps keep off
    /// corners (rules strict and never), while under the others one that ends beside a corner may be rounded into the wall: give the length of the motion.
    /// Longer motions want more samples. Positions are floats: beyond some ten thousand metres from the origin they are too coarse to pass corners reliably.
    float step = 0.25f;
    /// Average the arrows of the square of cells this far around instead of blending four; beside walls, edges and dead ends the plain arrow
    /// [cells] [0..8] [0: blend the four nearest].
    int smooth_radius = 0;
    static constexpr int kMaxSmoothRadius = 8;
    /// How far a unit in a wall or off the field looks for a cell with a way [cells] [0..64].
    int search_radius = 16;
};

/// Method: arrows stand at cell centres, so a position is read at position - 0.5 (floor, negative coordinates too) and blended bilinearly over the four
/// cells around it, walls left out. Where the blend turns away from the cell's own arrow, nearly cancels, or would lead within `step` into a wall or
/// across a corner, or beside walls parts from the cell's step, the plain arrow is taken: towards the centre of the cell that it leads to. Between two walls that
/// touch at a corner (rule always) it leads to the corner's diagonal and along it, for steps shorter than a cell. Under slope limits, on ground that is not
/// level, cells are blended only where from all four every step is legal. A diagonal arrow beside a wall (rules other than strict), or beside a cell whose own arrow leads elsewhere (slope limits), is aimed
/// through the corner, so that no motion ends where the arrows lead back or from where none leads. A unit that returns to the field from beyond its area
/// heads straight for it: what stands there the field does not know.
/// Units of n x n cells give the position of their centre.
/// Cost: a few tens of nanoseconds; O(search_radius^2) for units in walls or off the field. No allocation.
/// Threads: any number.
[[nodiscard]] FlowSample sampleFlow(const FlowField& field, Position position, const FlowSampleOptions& options = {});

/// The same for many units. @pre positions.size() == out.size().
void sampleFlow(const FlowField& field, std::span<const Position> positions, std::span<FlowSample> out, const FlowSampleOptions& options = {});

}  // namespace warpath
