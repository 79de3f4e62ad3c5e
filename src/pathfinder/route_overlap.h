// How much of one route runs along another: the share, its ends left out, that has a cell of the other within 3 m in line of sight.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "warpath/grid/tile_binding.h"

namespace warpath {

/// A set of grid cells as bits by chunk. Keeps its capacity.
class CellBits {
public:
    void clear();
    /// @return true when the cell was not in the set.
    bool add(int x, int y);
    [[nodiscard]] bool contains(int x, int y) const;

private:
    using Rows = std::array<std::uint64_t, kChunkSize>;
    static std::uint32_t keyOf(int x, int y) { return (static_cast<std::uint32_t>(y >> kChunkShift) << 16) | static_cast<std::uint32_t>(x >> kChunkShift); }
    std::unordered_map<std::uint32_t, std::uint32_t> index_;  // chunk -> rows_
    std::vector<Rows> rows_;
    std::size_t used_ = 0;
    std::uint32_t last_key_ = UINT32_MAX, last_index_ = 0;
};

/// Share of a route's length that is left out at each end.
inline constexpr double kOverlapEnds = 0.15;
/// How near runs "along" [m].
inline constexpr int kOverlapReach = 3;

/// One route and the cells from which it is within 3 m in sight.
class RouteOverlap {
public:
    /// Takes the cells of a route (top-left grid cells).
    void set(const WorldSnapshot& snapshot, std::span<const CellId> cells);

    /// Share of `route`'s middle (by length) that runs along this one [0..1]; 0 when it has no middle.
    [[nodiscard]] float shareOf(std::span<const CellId> route) const;

    /// The same for this route's middle alone.
    [[nodiscard]] float middleShareOf(std::span<const CellId> route) const;

    /// Whether a cell runs along this route.
    [[nodiscard]] bool isAlong(CellId cell) const { return along_middle_.contains(gridXOf(cell), gridYOf(cell)) || along_ends_.contains(gridXOf(cell), gridYOf(cell)); }

private:
    template <class Along>
    static float share(std::span<const CellId> route, Along&& is_along);

    CellBits along_ends_, along_middle_;
};

}  // namespace warpath
