// Who sees whom: single lines, one to many, and everything that an observer sees within a radius.
//
//   bool seen = lineOfSight(snapshot, cellAt(sniper), cellAt(target), {});
//   FieldOfView view;  SightScratch scratch;
//   fieldOfView(snapshot, cellAt(tower), 60, {.eye = 6.0f}, scratch, view);     // view.sees({x, y})
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpath/world/snapshot.h"

namespace warpath {

/// How high above the ground the two ends of a line stand.
struct SightHeights {
    float eye = 1.7f;     ///< Of the observer [m] [0..100].
    float target = 1.7f;  ///< Of what is looked at [m] [0..100].
    friend bool operator==(const SightHeights&, const SightHeights&) = default;
};

/// Whether two cells see each other. Exactly symmetric: swapping the cells together with the heights never changes the answer; raising or adding
/// obstacles never opens a line.
///
/// The line runs between the centres of the cells, at the given heights above their ground. A cell between them closes it when the line enters the
/// inside of the cell no higher than the top of its obstacle, or at least half a centimetre below its bare ground; the height of the line is taken
/// where it crosses the middle of the cell's row (of its column where the line runs more along x). Lines may graze corners, but a line that
/// grazes closing cells both on its left and on its right is closed, so diagonal walls leave no gaps; there the height is taken at the corner.
/// The two end cells close nothing. Outside the map there is nothing that closes; the ground continues at the height of the nearest cell.
/// Cost: O(distance). No allocation. Integers only. Threads: any number at once.
[[nodiscard]] bool lineOfSight(const WorldSnapshot& snapshot, Cell from, Cell to, const SightHeights& heights);

/// One line to each target: visible[i] = 1 when targets[i] is seen. `visible` is resized.
void linesOfSight(const WorldSnapshot& snapshot, Cell from, std::span<const Cell> targets, const SightHeights& heights,
                  std::vector<std::uint8_t>& visible);

/// The cells that an observer sees, as rows of bits.
class FieldOfView {
public:
    /// Whether a world cell lies in the disc, inside the map, and is seen.
    [[nodiscard]] bool sees(Cell c) const {
        const std::int64_t x = std::int64_t{c.x} - centre_.x + radius_, y = std::int64_t{c.y} - centre_.y + radius_;
        if (x < 0 || y < first_ || x > 2 * radius_ || y >= end_) return false;
        return ((bits_[static_cast<std::size_t>((y - first_) * words_ + (x >> 6))] >> (x & 63)) & 1) != 0;
    }
    [[nodiscard]] Cell centre() const { return centre_; }
    [[nodiscard]] int radius() const { return radius_; }
    /// The row `dy` in -radius..radius: bit i is the cell (centre.x - radius + i, centre.y + dy). words() words.
    [[nodiscard]] std::span<const std::uint64_t> row(int dy) const;
    [[nodiscard]] int words() const { return words_; }
    /// How many cells are seen.
    [[nodiscard]] int count() const;

private:
    friend void fieldOfView(const WorldSnapshot&, Cell, int, const SightHeights&, class SightScratch&, FieldOfView&);
    Cell centre_{};
    int radius_ = 0;
    int words_ = 0;
    int first_ = 0, end_ = 0;  // rows that lie inside the map, counted from the northernmost; others are not kept
    std::vector<std::uint64_t> bits_;
};

/// Buffers and the bit rows of chunks seen before. One per thread; reuse it.
class SightScratch {
public:
    SightScratch();
    ~SightScratch();
    SightScratch(SightScratch&&) noexcept;
    SightScratch& operator=(SightScratch&&) noexcept;
    struct Data;
    [[nodiscard]] Data& data() { return *data_; }

private:
    std::unique_ptr<Data> data_;
};

/// Largest radius of a field of view [cells].
inline constexpr int kMaxViewRadius = 1024;

/// Finds every cell whose centre lies within the radius and which lineOfSight() would call seen.
///
/// Method: symmetric shadow casting on bit rows where the ground is level and both heights are equal; elsewhere a horizon for each of the directions to
/// cell centres.
/// Cost: about 10 us for radius 60 on level ground, a few hundred on broken ground, where it grows with the cube of the radius on rising ground (less behind crests; nothing is looked at beyond the map). No allocation once
/// `scratch` and `out` have grown.
/// @pre 0 <= radius <= kMaxViewRadius.
void fieldOfView(const WorldSnapshot& snapshot, Cell observer, int radius, const SightHeights& heights, SightScratch& scratch, FieldOfView& out);

}  // namespace warpath
