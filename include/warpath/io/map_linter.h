// Looks over a map for what usually is a mistake: pockets nobody can reach, gaps that only small units pass, starts that lead nowhere.
//
//   const LintReport report = lintMap(world.snapshot(), {.profile = profile, .starts = spawns});
//   if (!report.clean()) say(report.text());
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "warpath/core/types.h"
#include "warpath/world/constraints.h"
#include "warpath/world/snapshot.h"

namespace warpath {

struct LintOptions {
    MobilityProfile profile{};         ///< Whose ways are looked at.
    std::vector<Position> starts{};    ///< Places that must be free and in the largest part of the map [m].
    std::size_t max_samples = 16;      ///< Entries per list of the report; counts are always whole.
};

/// A group of cells and one of them (the first in row order) [world cells].
struct LintPlace {
    Cell sample{};
    std::uint64_t cells = 0;
    friend bool operator==(const LintPlace&, const LintPlace&) = default;
};

enum class StartFault : std::uint8_t {
    OffMap,   ///< Not a position of the map.
    Blocked,  ///< The unit does not fit there.
    Sealed,   ///< In a pocket.
};
[[nodiscard]] const char* toString(StartFault fault);

struct LintStart {
    std::size_t index = 0;  ///< In LintOptions::starts.
    StartFault fault = StartFault::Blocked;
    friend bool operator==(const LintStart&, const LintStart&) = default;
};

struct LintReport {
    std::uint64_t free_cells = 0;  ///< Where the unit fits.
    LintPlace largest;             ///< The largest connected part; of equals the first in row order.

    std::uint64_t pocket_count = 0;
    std::uint64_t pocket_cells = 0;
    std::vector<LintPlace> pockets;  ///< Every other part, largest first, then in row order.

    std::uint64_t gap_count = 0;
    std::uint64_t gap_cells = 0;
    std::vector<LintPlace> gaps;     ///< Places of one-cell width, in row order.

    std::uint64_t start_count = 0;
    std::vector<LintStart> starts;   ///< Those with a fault.

    [[nodiscard]] bool clean() const { return pocket_count == 0 && gap_count == 0 && start_count == 0; }
    /// A few lines for people.
    [[nodiscard]] std::string text() const;
};

/// Pockets: the parts of the map, besides the largest, that the profile's steps connect (a step that is legal one way connects both cells).
/// Gaps: groups of side by side cells that a unit of one cell can enter, but of which no square of 2 x 2 free cells holds one; the map's edge
/// counts as a wall. The profile's size does not matter for them.
/// Cost: linear in the map. Memory: about 3 bits a cell and 12 bytes for each run of narrow cells. Threads: any.
[[nodiscard]] LintReport lintMap(const WorldSnapshot& snapshot, const LintOptions& options = {});

}  // namespace warpath
