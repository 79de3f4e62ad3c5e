// Worlds drawn as text, for tests that state a rule in one small picture.
//
//   AsciiWorld drawn = asciiWorld("S#.\n"
//                                 "..G\n");
//   query.findPath(drawn.snapshot(), {.from = drawn.start(), .goal = Goal::point(drawn.goal()), .constraints = walker()}, path);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/world/constraints.h"
#include "warpath/world/world.h"

namespace warpath {

/// Terrain types by the letters of the maps: '.' 1, '1'..'9' their digit, 'r' 0.1 (a road), 't' 9, 'w' 1 (water). One class, "walker", whose multipliers
/// are those numbers, so that f equals the letter's cost.
[[nodiscard]] WorldRules letterRules();

/// Wishes of a walker of one cell that price nothing but distance and terrain, with no slope limit.
[[nodiscard]] PathConstraints walker(DiagonalRule diagonal = DiagonalRule::Strict, int size = 1);

struct AsciiWorld {
    std::unique_ptr<World> world;
    std::optional<Cell> s, g;  ///< Where the letters S and G stand [world cells].

    [[nodiscard]] WorldSnapshot snapshot() const { return world->snapshot(); }
    [[nodiscard]] Position start() const { return centreOf(*s); }
    [[nodiscard]] Position goal() const { return centreOf(*g); }
};

/// Builds a world from rows of equal length, each ended by a newline. Besides the letters of letterRules: '#' wall, 'B' building, 'X' and 'o' rock (all
/// blocked); S and G plain ground. The north west corner becomes `origin`.
[[nodiscard]] AsciiWorld asciiWorld(std::string_view rows, Cell origin = {}, bool has_cover = false);

/// Sets the heights of a drawn world: a digit per cell is that many metres.
void setHeights(World& world, std::string_view rows);

/// Rows of a picture without their newlines.
[[nodiscard]] std::vector<std::string_view> rowsOf(std::string_view rows);

/// The transposed picture: x and y swapped.
[[nodiscard]] std::string transposed(std::string_view rows);

}  // namespace warpath
