// What a caller asks of a flow field: one computation that leads every unit of a group to a goal.
//
//   FieldRequest request{.goal = Goal::point({300.5f, 40.5f}), .side = 1};
//   FieldResult result;
//   query.buildField(snapshot, request, {}, result);
//   if (result.field != nullptr) sampleFlow(*result.field, unit.position);     // flow/flow_sample.h
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/core/status.h"
#include "warpath/core/types.h"
#include "warpath/grid/cost_model.h"
#include "warpath/grid/flow_field.h"
#include "warpath/pathfinder/request.h"
#include "warpath/world/snapshot.h"

namespace warpath {

enum class FieldMethod : std::uint8_t {
    Dijkstra,       ///< Exact costs over the eight steps.
    FastMarching,   ///< First order eikonal: ways of any angle. Refused where costs depend on direction (slopes, heights).
    FastMarching2,  ///< Second order.
};

struct FieldRequest {
    Goal goal{};                          ///< Of several cells the one nearest by cost wins, cell by cell.
    PathConstraints constraints{};
    int side = 0;                         ///< The side that moves [0..15].
    FieldMethod method = FieldMethod::Dijkstra;
    /// What the field covers, ways included [world cells; widened to whole chunks] [the whole map]. It must hold a goal cell.
    std::optional<CellRect> area{};
    /// Where units are that will follow it [0..65536]. When none of them can reach the goal the field leads to the nearest place that they can reach.
    std::vector<Position> positions{};
    /// For goals far away: computes only the chunks of 64 x 64 cells that the ways from the positions to the goal touch, found over the hierarchy's portals. Wants
    /// a position on the map, the method Dijkstra and no area. Where the goal covers more than 16 chunks (or a set's places lie in more than 64), or no position leads
    /// to it, the field is an ordinary one, and FieldResult::untiled says why.
    /// Distances are those of the best ways inside the tiles (docs/performance.md says how near the optimum that is); elsewhere FlowField::coarse leads.
    bool tiled = false;
    /// Method Dijkstra: cells so near a goal cell that they see over even ground point straight at it (FlowRequest::straight_radius) [cells] [0..kMaxStraightRadius] [0: none].
    int straight_radius = 0;
    /// With tiled: also the chunks within so many cells of one in which a position lies [cells] [0..8192].
    int around = 0;
    /// With tiled: rather no field at all (status Unreachable, FieldResult::untiled) than an ordinary one.
    bool tiled_only = false;
};

/// All that a field depends on besides the ground: equal keys on equal ground give equal fields. A request in canonical form.
struct FieldKey {
    std::uint64_t world_id = 0;
    std::uint64_t rules_revision = 0;
    CostKey cost{};                       ///< Side 0 where threat is not priced.
    FieldMethod method = FieldMethod::Dijkstra;
    CellRect area{};                      ///< World cells: whole chunks, clipped to the map.
    Goal::Kind kind = Goal::Kind::Point;
    std::vector<Cell> cells{};            ///< Grid anchors of point and set goals, sorted by row, each once; they may lie off the map.
    Position centre{};                    ///< Of discs and rings [grid metres].
    float inner_radius = 0.0f, radius = 0.0f;
    CellRect rect{};                      ///< Grid cells.
    std::vector<Cell> from{};             ///< Grid anchors of the positions, sorted by row, each once.
    bool tiled = false;
    int around = 0;                       ///< 0 unless tiled.
    int straight_radius = 0;
    bool tiled_only = false;              ///< False unless tiled.
    friend bool operator==(const FieldKey&, const FieldKey&) = default;
};

/// The key of a request on a snapshot, or what is wrong with it: field, value and remedy. Does not look at the ground.
[[nodiscard]] std::variant<FieldKey, Error> fieldKeyOf(const WorldSnapshot& snapshot, const FieldRequest& request);
/// A hash of equal value for equal keys.
[[nodiscard]] std::uint64_t hashOf(const FieldKey& key);

/// What a new generation of a field means to those who follow the former one.
enum class FieldChange : std::uint8_t {
    New,         ///< There was none.
    Same,        ///< The ground changed, the field did not: the new object equals the former one.
    Blocked,     ///< Somewhere there was a way and is none now, or no goal asked for can be reached any more.
    Dearer,      ///< Ways are dearer now.
    MayImprove,  ///< Ways are cheaper now, lead elsewhere at the same price or nearer to the goal; or there is a field again.
};

struct FieldResult {
    /// Found; Partial (the field leads to the reachable place nearest to the goal); GoalBlocked (no unit of this profile can stand anywhere in the
    /// area, or nowhere that the positions reach); Unreachable (FieldRequest::tiled_only); InvalidArgument (`error`).
    PathStatus status = PathStatus::GoalBlocked;
    Error error;
    std::shared_ptr<const FlowField> field;  ///< Null when there is none.
    Position goal;                     ///< Where it leads: where a unit stands on the (first) goal cell that arrows end at.
    float remaining_distance = 0.0f;   ///< Partial: from there to the goal, straight [m].
    /// Of a tiled field: positions on the map (those of one cell count once) from which no way leads to the goal, or where no unit can stand. Units there are
    /// told so by sampleFlow (Unreachable).
    std::uint32_t cut_off = 0;
    const char* untiled = nullptr;     ///< Why a tiled field was asked for and this is an ordinary one; of static storage. Null: it is tiled, or was not to be.
    FieldChange change = FieldChange::New;
    std::uint64_t revision = 0;        ///< Of the snapshot that it was made for.
    std::uint64_t work = 0;            ///< Cells settled.
    double computation_time_ms = 0.0;
};

/// Whether fields of these keys differ in the positions alone and both are tiled: then one can be made from the other (FieldBasis).
[[nodiscard]] bool differInPositions(const FieldKey& a, const FieldKey& b);

/// A finished field and the snapshot that it is true for: what a newer one can be made from. Empty: nothing.
struct FieldBasis {
    std::shared_ptr<const FieldResult> result;
    WorldSnapshot snapshot;
    bool of_other_positions = false;  ///< The field is of a key that differs in its positions; what is made from it counts as new.
};

}  // namespace warpath
