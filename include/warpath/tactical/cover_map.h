// Where a soldier finds cover, against what, and how good it is.
//
//   CoverMap covers(store);                                          // the store of compiled chunks that the searches use too
//   CoverInfo here = covers.getCover(snapshot, position);
//   covers.candidates(snapshot, {.from = position, .threat_direction = {0.0f, -1.0f}}, spots);      // against the north, nearest first
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "warpath/grid/tile_store.h"
#include "warpath/world/snapshot.h"

namespace warpath {

/// Cover and exposure of one cell.
struct CoverInfo {
    bool has_cover = false;
    float height = 0.0f;                    ///< 0 none .. 1 full: the best of the eight neighbours.
    std::uint8_t directions = 0;            ///< Bit d: protected from direction d (core/directions.h).
    ObstacleKind kind = ObstacleKind::None; ///< Of the best neighbour.
    float exposure = 0.0f;                  ///< 0..1: share of directions in which sight runs free.
};

/// Which covers face a threat: those with an obstacle less than 45 degrees off its direction, or in the corner of two walls that meet towards it.
class CoverFacing {
public:
    /// @param threat_direction from the unit towards the threat; any length; zero: every cover will do.
    explicit CoverFacing(Vec2 threat_direction);

    /// @param directions as CoverTile and CoverInfo give them.
    [[nodiscard]] bool facedBy(std::uint8_t directions) const { return (directions & any_) != 0 || (directions & both_) == both_; }
    /// Directions of which one is enough: every cover that faces the threat has one of these, or both of the two beside it.
    [[nodiscard]] std::uint8_t enough() const { return any_; }

private:
    std::uint8_t any_ = 0xff;
    std::uint8_t both_ = 0xff;
};

struct CoverSearch {
    Position from{};                ///< [m], inside the map.
    Vec2 threat_direction{};        ///< From the unit towards the threat; zero: any cover.
    float max_distance = 50.0f;     ///< [m] [0..500] As the crow flies, between cell centres.
};

struct CoverCandidate {
    Cell cell;
    std::int32_t distance_squared = 0;  ///< From the cell of `from` [m^2].
};

/// Reads cover from compiled chunks, which depend on the ground alone: after an edit the touched neighbourhood is compiled again when asked for.
/// Threads: as TileStore, any number at once.
class CoverMap {
public:
    explicit CoverMap(std::shared_ptr<TileStore> store) : store_(std::move(store)) {}

    /// Nothing (all zero) outside the map.
    [[nodiscard]] CoverInfo getCover(const WorldSnapshot& snapshot, Position position) const;

    /// Free cells within the distance whose cover faces the threat, nearest first; of equals the northern, then the western one.
    /// Whether a unit can reach them is not looked at: the search by path cost composes that.
    /// Cost: one pass over the cells of the square and the sorting of what was found: tens of microseconds at 50 m.
    /// `out` is cleared first; empty when `search` holds what cannot be used.
    void candidates(const WorldSnapshot& snapshot, const CoverSearch& search, std::vector<CoverCandidate>& out) const;

private:
    std::shared_ptr<TileStore> store_;
};

}  // namespace warpath
