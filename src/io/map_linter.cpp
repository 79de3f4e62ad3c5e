#include "warpath/io/map_linter.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "pathfinder/route_builder.h"
#include "warpath/grid/region_table.h"

namespace warpath {
namespace {

/// Bits of a row of cells, 64 to a word.
using BitRow = std::vector<std::uint64_t>;

/// Where the unit fits in grid row y; bits beyond the map are 0.
void freeRow(const RegionTable& regions, int y, BitRow& out) {
    const WorldSnapshot& s = regions.snapshot();
    if (y < 0 || y >= s.height()) {
        std::fill(out.begin(), out.end(), 0);
        return;
    }
    for (int cx = 0; cx < s.chunkColumns(); ++cx) {
        const int inside = std::min(kChunkSize, s.width() - (cx << kChunkShift));
        const std::uint64_t mask = inside == kChunkSize ? ~std::uint64_t{0} : (std::uint64_t{1} << inside) - 1;
        out[static_cast<std::size_t>(cx)] =
            regions.labels({cx, y >> kChunkShift}).free_rows[static_cast<std::size_t>(y & (kChunkSize - 1))] & mask;
    }
}

/// Cells whose west (or east) neighbour is set, too.
std::uint64_t westOf(const BitRow& row, std::size_t i) { return (row[i] << 1) | (i > 0 ? row[i - 1] >> 63 : 0); }
std::uint64_t eastOf(const BitRow& row, std::size_t i) { return (row[i] >> 1) | (i + 1 < row.size() ? row[i + 1] << 63 : 0); }

/// Groups runs of set cells of one row with those they touch in the row above.
class RunGroups {
public:
    /// Takes the next row.
    void add(const BitRow& row, int y) {
        std::vector<Run> runs;
        for (std::size_t i = 0; i < row.size(); ++i) {
            for (std::uint64_t bits = row[i]; bits != 0;) {
                const int begin = std::countr_zero(bits), length = std::countr_one(bits >> begin);
                bits = begin + length == 64 ? 0 : bits >> (begin + length) << (begin + length);
                const int x = static_cast<int>(i) * 64 + begin;
                if (!runs.empty() && runs.back().end == x) {
                    runs.back().end += length;
                    groups_[runs.back().group].cells += static_cast<std::uint64_t>(length);
                } else {
                    runs.push_back({x, x + length, static_cast<std::uint32_t>(groups_.size())});
                    groups_.push_back({{x, y}, static_cast<std::uint64_t>(length)});
                    parents_.push_back(static_cast<std::uint32_t>(parents_.size()));
                }
            }
        }
        std::size_t above = 0;
        for (const Run& run : runs) {
            while (above < above_.size() && above_[above].end <= run.begin) ++above;
            for (std::size_t j = above; j < above_.size() && above_[j].begin < run.end; ++j) join(above_[j].group, run.group);
        }
        above_ = std::move(runs);
    }

    /// The groups in row order of their first cells.
    [[nodiscard]] std::vector<LintPlace> groups() {
        std::vector<LintPlace> out;
        for (std::uint32_t i = 0; i < groups_.size(); ++i) {
            const std::uint32_t root = find(i);
            if (root != i) groups_[root].cells += groups_[i].cells;  // roots come before what they hold
        }
        for (std::uint32_t i = 0; i < groups_.size(); ++i) {
            if (find(i) == i) out.push_back(groups_[i]);
        }
        return out;
    }

private:
    struct Run {
        int begin, end;
        std::uint32_t group;
    };

    std::uint32_t find(std::uint32_t i) {
        while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
        return i;
    }
    void join(std::uint32_t a, std::uint32_t b) {
        a = find(a);
        b = find(b);
        parents_[std::max(a, b)] = std::min(a, b);  // the root is the first in row order
    }

    std::vector<LintPlace> groups_;
    std::vector<std::uint32_t> parents_;
    std::vector<Run> above_;
};

/// Keeps the first entries of a list.
template <class Entry>
void shorten(std::vector<Entry>& list, std::size_t limit) {
    if (list.size() > limit) list.resize(limit);
}

bool before(Cell a, Cell b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }

/// The free cells of one chunk by chunk-local region: their number and the first in row order.
void countChunk(const WorldSnapshot& s, const ChunkLabels& labels, ChunkCoord c, std::vector<LintPlace>& out) {
    out.assign(labels.count, {});
    const int width = std::min(kChunkSize, s.width() - (c.x << kChunkShift)), height = std::min(kChunkSize, s.height() - (c.y << kChunkShift));
    const std::uint64_t inside = width == kChunkSize ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    for (int y = 0; y < height; ++y) {
        for (std::uint64_t bits = labels.free_rows[static_cast<std::size_t>(y)] & inside; bits != 0; bits &= bits - 1) {
            const int x = std::countr_zero(bits);
            LintPlace& place = out[static_cast<std::size_t>(labels.labelOf(localIndex(x, y)))];
            if (place.cells++ == 0) place.sample = {(c.x << kChunkShift) + x, (c.y << kChunkShift) + y};
        }
    }
}

/// The connected parts, largest first, then in row order of their first cells.
std::vector<LintPlace> partsOf(const RegionTable& regions) {
    const WorldSnapshot& s = regions.snapshot();
    std::vector<LintPlace> by_region, local;
    for (int cy = 0; cy < s.chunkRows(); ++cy) {
        for (int cx = 0; cx < s.chunkColumns(); ++cx) {
            countChunk(s, regions.labels({cx, cy}), {cx, cy}, local);
            for (const LintPlace& place : local) {
                if (place.cells == 0) continue;
                const RegionId region = regions.regionAt(place.sample.x, place.sample.y);
                if (region >= by_region.size()) by_region.resize(std::size_t{region} + 1);
                LintPlace& part = by_region[region];
                if (part.cells == 0 || before(place.sample, part.sample)) part.sample = place.sample;
                part.cells += place.cells;
            }
        }
    }
    std::erase_if(by_region, [](const LintPlace& part) { return part.cells == 0; });
    std::sort(by_region.begin(), by_region.end(),
              [](const LintPlace& a, const LintPlace& b) { return a.cells != b.cells ? a.cells > b.cells : before(a.sample, b.sample); });
    return by_region;
}

std::vector<LintPlace> narrowPlaces(const RegionTable& regions) {
    const WorldSnapshot& s = regions.snapshot();
    const auto words = static_cast<std::size_t>(s.chunkColumns());
    BitRow above(words), row(words), below(words), narrow(words);
    RunGroups groups;
    freeRow(regions, -1, above);
    freeRow(regions, 0, row);
    for (int y = 0; y < s.height(); ++y) {
        freeRow(regions, y + 1, below);
        for (std::size_t i = 0; i < words; ++i) {
            // A free square of 2 x 2 that holds the cell lies above or below it, to its west or east.
            const std::uint64_t west = westOf(row, i), east = eastOf(row, i);
            const std::uint64_t wide = row[i] & ((above[i] & ((west & westOf(above, i)) | (east & eastOf(above, i)))) |
                                                 (below[i] & ((west & westOf(below, i)) | (east & eastOf(below, i)))));
            narrow[i] = row[i] & ~wide;
        }
        groups.add(narrow, y);
        std::swap(above, row);
        std::swap(row, below);
    }
    return groups.groups();
}

std::string cellText(Cell c) { return "(" + std::to_string(c.x) + "," + std::to_string(c.y) + ")"; }

void describe(std::string& out, const char* what, std::uint64_t count, std::uint64_t cells, const std::vector<LintPlace>& places) {
    if (count == 0) return;
    out += std::to_string(count) + " " + what + ", " + std::to_string(cells) + " cells in all:";
    for (const LintPlace& place : places) out += " " + cellText(place.sample) + " with " + std::to_string(place.cells) + ";";
    out += count > places.size() ? " and " + std::to_string(count - places.size()) + " more\n" : "\n";
}

}  // namespace

const char* toString(StartFault fault) {
    switch (fault) {
        case StartFault::OffMap: return "off_map";
        case StartFault::Blocked: return "blocked";
        case StartFault::Sealed: return "sealed";
    }
    return "unknown";
}

LintReport lintMap(const WorldSnapshot& snapshot, const LintOptions& options) {
    LintReport report;
    const Cell origin = snapshot.origin();
    const auto toWorld = [&](std::vector<LintPlace>& places) {
        for (LintPlace& place : places) place.sample = {place.sample.x + origin.x, place.sample.y + origin.y};
    };
    const std::shared_ptr<const RegionTable> regions = RegionTable::build(snapshot, options.profile, nullptr);

    std::vector<LintPlace> parts = partsOf(*regions);
    RegionId main_region = 0;
    if (!parts.empty()) {
        main_region = regions->regionAt(parts[0].sample.x, parts[0].sample.y);
        toWorld(parts);
        report.largest = parts[0];
        parts.erase(parts.begin());
    }
    report.pocket_count = parts.size();
    for (const LintPlace& pocket : parts) report.pocket_cells += pocket.cells;
    report.free_cells = report.largest.cells + report.pocket_cells;
    shorten(parts, options.max_samples);
    report.pockets = std::move(parts);

    MobilityProfile small = options.profile;
    small.size = 1;
    report.gaps = narrowPlaces(options.profile.size == 1 ? *regions : *RegionTable::build(snapshot, small, nullptr));
    report.gap_count = report.gaps.size();
    for (const LintPlace& gap : report.gaps) report.gap_cells += gap.cells;
    shorten(report.gaps, options.max_samples);
    toWorld(report.gaps);

    for (std::size_t i = 0; i < options.starts.size(); ++i) {
        const Position start = options.starts[i];
        LintStart fault{i, StartFault::OffMap};
        if (isUsable(start) && snapshot.contains(cellAt(start))) {
            const Cell anchor = anchorOf(snapshot, start, options.profile.size);
            const bool inside = anchor.x >= 0 && anchor.y >= 0 && anchor.x < snapshot.width() && anchor.y < snapshot.height();
            const RegionId region = inside ? regions->regionAt(anchor.x, anchor.y) : 0;
            if (region == main_region && region != 0) continue;
            fault.fault = region == 0 ? StartFault::Blocked : StartFault::Sealed;
        }
        ++report.start_count;
        if (report.starts.size() < options.max_samples) report.starts.push_back(fault);
    }
    return report;
}

std::string LintReport::text() const {
    std::string out = std::to_string(free_cells) + " free cells, " + std::to_string(largest.cells) + " of them in one part around " + cellText(largest.sample) + "\n";
    describe(out, "sealed pockets", pocket_count, pocket_cells, pockets);
    describe(out, "places of one-cell width", gap_count, gap_cells, gaps);
    for (const LintStart& start : starts) out += "start " + std::to_string(start.index) + " is " + toString(start.fault) + "\n";
    if (start_count > starts.size()) out += "and " + std::to_string(start_count - starts.size()) + " more starts\n";
    return out;
}

}  // namespace warpath
