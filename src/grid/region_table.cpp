// Regions: connected parts of each chunk (runs of free cells joined row by row), linked across chunk borders, joined by union-find.
// After an edit only the chunks around it are labelled anew; the small table is joined anew only when some chunk's links changed.
#include "warpath/grid/region_table.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "warpath/core/directions.h"
#include "warpath/grid/move_tile.h"

namespace warpath {
namespace {

/// Union-find over small integers; the root of a set is its smallest member.
class DisjointSets {
public:
    void reset(std::size_t count) {
        parent_.resize(count);
        for (std::size_t i = 0; i < count; ++i) parent_[i] = static_cast<std::uint32_t>(i);
    }
    std::uint32_t find(std::uint32_t a) {
        while (parent_[a] != a) {
            parent_[a] = parent_[parent_[a]];
            a = parent_[a];
        }
        return a;
    }
    void join(std::uint32_t a, std::uint32_t b) {
        a = find(a);
        b = find(b);
        if (a < b) parent_[b] = a;
        if (b < a) parent_[a] = b;
    }

private:
    std::vector<std::uint32_t> parent_;
};

struct Run {
    int first, last;  // cells of one row, inclusive
    std::uint32_t id;
};

/// Labels by runs: right when every step between free cells is legal both ways, so that strict, never and one connect like four neighbours
/// (a legal diagonal has a free side cell) and always like eight.
void labelByRuns(const MoveTile& tile, bool eight, ChunkLabels& out, DisjointSets& sets) {
    std::vector<Run> runs;
    std::size_t row_start[kChunkSize + 1];
    for (int y = 0; y < kChunkSize; ++y) {
        row_start[y] = runs.size();
        std::uint64_t bits = tile.free_rows[static_cast<std::size_t>(y)];
        while (bits != 0) {
            const int first = __builtin_ctzll(bits);
            const std::uint64_t from_first = ~(bits >> first);
            const int length = from_first == 0 ? kChunkSize - first : std::min(__builtin_ctzll(from_first), kChunkSize - first);
            runs.push_back({first, first + length - 1, static_cast<std::uint32_t>(runs.size())});
            bits = first + length == kChunkSize ? 0 : bits & (~std::uint64_t{0} << (first + length));
        }
    }
    row_start[kChunkSize] = runs.size();
    sets.reset(runs.size());
    const int reach = eight ? 1 : 0;
    for (int y = 1; y < kChunkSize; ++y) {
        std::size_t above = row_start[y - 1];
        for (std::size_t i = row_start[y]; i < row_start[y + 1]; ++i) {
            while (above < row_start[y] && runs[above].last + reach < runs[i].first) ++above;
            for (std::size_t j = above; j < row_start[y] && runs[j].first <= runs[i].last + reach; ++j) sets.join(runs[i].id, runs[j].id);
        }
    }
    std::vector<std::uint16_t> label(runs.size());
    std::uint16_t count = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::uint32_t root = sets.find(runs[i].id);
        label[i] = root == i ? count++ : label[root];
    }
    out.count = count;
    out.labels.clear();
    if (count <= 1) return;
    out.labels.resize(kChunkCells);
    for (int y = 0; y < kChunkSize; ++y) {
        for (std::size_t i = row_start[y]; i < row_start[y + 1]; ++i) {
            for (int x = runs[i].first; x <= runs[i].last; ++x) out.labels[static_cast<std::size_t>(localIndex(x, y))] = label[i];
        }
    }
}

/// Labels cell by cell along the legal steps: for slopes.
void labelBySteps(const MoveTile& tile, ChunkLabels& out, DisjointSets& sets) {
    sets.reset(kChunkCells);
    for (int y = 0; y < kChunkSize; ++y) {
        for (int x = 0; x < kChunkSize; ++x) {
            const int here = localIndex(x, y);
            if (!tile.fits(here)) continue;
            for (int d = 0; d < kDirections; ++d) {
                const int nx = x + kStepX[d], ny = y + kStepY[d];
                if (nx < 0 || ny < 0 || nx >= kChunkSize || ny >= kChunkSize) continue;
                if (((tile.moves[static_cast<std::size_t>(here)] >> d) & 1) != 0) {
                    sets.join(static_cast<std::uint32_t>(here), static_cast<std::uint32_t>(localIndex(nx, ny)));
                }
            }
        }
    }
    out.labels.assign(kChunkCells, 0);
    std::uint16_t count = 0;
    for (std::uint32_t i = 0; i < kChunkCells; ++i) {
        if (!tile.fits(static_cast<int>(i))) continue;
        const std::uint32_t root = sets.find(i);
        out.labels[i] = root == i ? count++ : out.labels[root];
    }
    out.count = count;
    if (count <= 1) out.labels.clear();
}

/// Turns 64 rows of bits into 64 columns (Warren, "Hacker's Delight", 2nd ed., section 7-3, for 64 x 64).
std::array<std::uint64_t, kChunkSize> transposed(const std::array<std::uint64_t, kChunkSize>& rows) {
    std::array<std::uint64_t, kChunkSize> m = rows;
    std::uint64_t mask = 0x00000000FFFFFFFFull;
    for (std::size_t width = 32; width != 0; width >>= 1, mask ^= mask << width) {
        for (std::size_t k = 0; k < kChunkSize; k = (k + width + 1) & ~width) {
            const std::uint64_t t = ((m[k] >> width) ^ m[k + width]) & mask;
            m[k] ^= t << width;
            m[k + width] ^= t;
        }
    }
    return m;
}

/// Ends of walls along the rows and along the columns.
std::uint32_t countCorners(const ChunkLabels& labels) {
    int corners = 0;
    for (const auto* lines : {&labels.free_rows, &labels.free_columns}) {
        for (std::size_t i = 1; i < kChunkSize; ++i) {
            const std::uint64_t here = (*lines)[i], before = (*lines)[i - 1];
            corners += __builtin_popcountll(here & (here << 1) & before & ~(before << 1));  // both cells here free, the wall beside them ends
        }
    }
    return static_cast<std::uint32_t>(corners);
}

/// Where scans along 64 lines stop. `lines` are 66: the line before, the chunk's, the line after. `below` and `above` hold the bit before the first and
/// after the last of each.
void compileStops(const std::array<std::uint64_t, kChunkSize + 2>& lines, const std::array<std::uint8_t, kChunkSize + 2>& below,
                  const std::array<std::uint8_t, kChunkSize + 2>& above, std::array<std::uint64_t, kChunkSize>& up, std::array<std::uint64_t, kChunkSize>& down) {
    std::array<std::uint64_t, kChunkSize + 2> ended_up, ended_down;  // free where the cell before it is blocked
    for (std::size_t i = 0; i < kChunkSize + 2; ++i) {
        ended_up[i] = lines[i] & ~((lines[i] << 1) | below[i]);
        ended_down[i] = lines[i] & ~((lines[i] >> 1) | (std::uint64_t{above[i]} << 63));
    }
    for (std::size_t i = 0; i < kChunkSize; ++i) {
        up[i] = ended_up[i] | ended_up[i + 2] | ~lines[i + 1];
        down[i] = ended_down[i] | ended_down[i + 2] | ~lines[i + 1];
    }
}

bool sameLabels(const ChunkLabels& a, const ChunkLabels& b) {
    return a.count == b.count && a.free_rows == b.free_rows && a.labels == b.labels;
}

}  // namespace

/// Builds or repairs one table.
class RegionBuilder {
public:
    RegionBuilder(const WorldSnapshot& snapshot, const MobilityProfile& profile) : snapshot_(snapshot), profile_(profile) {}

    std::shared_ptr<const RegionTable> build() {
        auto table = std::make_shared<RegionTable>();
        table->snapshot_ = snapshot_;
        table->chunks_ = ChunkDirectory<RegionTable::ChunkRegions>(snapshot_.chunkColumns(), snapshot_.chunkRows());
        std::uint32_t nodes = 0;
        forEachChunk([&](ChunkCoord c) {
            auto chunk = std::make_shared<RegionTable::ChunkRegions>();
            chunk->labels = compileLabels(c);
            chunk->first_node = nodes;
            nodes += chunk->labels->count;
            table->chunks_.set(c, std::move(chunk));
        });
        forEachChunk([&](ChunkCoord c) {
            auto chunk = std::make_shared<RegionTable::ChunkRegions>(*table->chunks_.get(c));
            compileLinks(table->chunks_, c, *chunk);
            table->chunks_.set(c, std::move(chunk));
        });
        table->live_nodes_ = nodes;
        joinComponents(*table, nodes);
        summarise(*table);
        table->stops_ = ChunkDirectory<ChunkStops>(snapshot_.chunkColumns(), snapshot_.chunkRows());
        static const ChunkStops kEverywhere = [] {  // constant: beyond the map every scan stops
            ChunkStops stops;
            for (auto* lines : {&stops.east, &stops.west, &stops.south, &stops.north}) lines->fill(~std::uint64_t{0});
            return stops;
        }();
        table->padded_stops_.assign(table->padded_.size(), &kEverywhere);
        forEachChunk([&](ChunkCoord c) { setStops(*table, c); });
        return table;
    }

    std::shared_ptr<const RegionTable> repair(const RegionTable& before) {
        std::vector<ChunkCoord> touched;
        snapshot_.state().ground.forEachDifference(before.snapshot_.state().ground,
                                                   [&](ChunkCoord c, const ChunkGround*, const ChunkGround*) { touched.push_back(c); });
        std::vector<ChunkCoord> around = neighbourhood(touched);
        if (around.size() * 4 > static_cast<std::size_t>(snapshot_.chunkColumns()) * static_cast<std::size_t>(snapshot_.chunkRows())) return build();

        auto table = std::make_shared<RegionTable>(before);
        table->snapshot_ = snapshot_;
        auto nodes = static_cast<std::uint32_t>(before.components_->size());
        bool rejoin = false;
        std::vector<ChunkCoord> relabelled;
        for (const ChunkCoord c : around) {
            const RegionTable::ChunkRegions& old = *table->chunks_.get(c);
            std::shared_ptr<const ChunkLabels> labels = compileLabels(c);
            if (sameLabels(*labels, *old.labels)) continue;
            auto chunk = std::make_shared<RegionTable::ChunkRegions>(old);
            if (labels->count != old.labels->count) {
                chunk->first_node = nodes;
                nodes += labels->count;
                table->live_nodes_ += labels->count - old.labels->count;
                rejoin = true;
            }
            chunk->labels = std::move(labels);
            table->chunks_.set(c, std::move(chunk));
            relabelled.push_back(c);
        }
        const std::vector<ChunkCoord> scanned = neighbourhood(relabelled);
        // Slopes can change links without changing labels, so everything around is linked anew.
        relabelled.insert(relabelled.end(), around.begin(), around.end());
        for (const ChunkCoord c : neighbourhood(relabelled)) {
            auto chunk = std::make_shared<RegionTable::ChunkRegions>(*table->chunks_.get(c));
            compileLinks(table->chunks_, c, *chunk);
            if (chunk->links == table->chunks_.get(c)->links) continue;
            rejoin = true;
            table->chunks_.set(c, std::move(chunk));
        }
        summarise(*table);
        for (const ChunkCoord c : scanned) setStops(*table, c);
        if (!rejoin) return table;
        if (nodes > 2 * table->live_nodes_ + 4096) return build();  // too many dead nodes: number them afresh
        joinComponents(*table, nodes);
        return table;
    }

private:
    template <class Visit>
    void forEachChunk(Visit&& visit) const {
        for (int y = 0; y < snapshot_.chunkRows(); ++y) {
            for (int x = 0; x < snapshot_.chunkColumns(); ++x) visit(ChunkCoord{x, y});
        }
    }

    /// The chunks and their neighbours, each once, in row order.
    [[nodiscard]] std::vector<ChunkCoord> neighbourhood(const std::vector<ChunkCoord>& chunks) const {
        std::vector<ChunkCoord> all;
        for (const ChunkCoord c : chunks) {
            for (int y = std::max(c.y - 1, 0); y <= std::min(c.y + 1, snapshot_.chunkRows() - 1); ++y) {
                for (int x = std::max(c.x - 1, 0); x <= std::min(c.x + 1, snapshot_.chunkColumns() - 1); ++x) all.push_back({x, y});
            }
        }
        const auto before = [](ChunkCoord a, ChunkCoord b) { return a.y != b.y ? a.y < b.y : a.x < b.x; };
        std::sort(all.begin(), all.end(), before);
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

    std::shared_ptr<const ChunkLabels> compileLabels(ChunkCoord c) {
        compileMoveTile(snapshot_, profile_, c, {}, tile_);
        const bool level = std::all_of(tile_.free_rows.begin(), tile_.free_rows.end(), [](std::uint64_t row) { return row == ~std::uint64_t{0}; });
        const bool sloped = slopesMatter(c);
        if (level && !sloped && open_ != nullptr) return open_;
        auto labels = std::make_shared<ChunkLabels>();
        labels->free_rows = tile_.free_rows;
        labels->free_columns = transposed(tile_.free_rows);
        labels->corners = countCorners(*labels);
        for (const std::uint64_t row : labels->free_rows) labels->free_cells += static_cast<std::uint32_t>(__builtin_popcountll(row));
        if (sloped) {
            labelBySteps(tile_, *labels, sets_);
        } else {
            labelByRuns(tile_, profile_.diagonal == DiagonalRule::Always, *labels, sets_);
        }
        if (level && !sloped) open_ = labels;
        return labels;
    }

    [[nodiscard]] bool slopesMatter(ChunkCoord c) const {
        if (!profile_.limitsSlope()) return false;
        const auto flat = [&](int x, int y) {
            x = std::min(x, snapshot_.chunkColumns() - 1);
            y = std::min(y, snapshot_.chunkRows() - 1);
            const ChunkGround& ground = snapshot_.ground({x, y});
            return ground.elevation == nullptr && ground.flat_elevation_cm == snapshot_.ground(c).flat_elevation_cm;
        };
        return !(flat(c.x, c.y) && (profile_.size <= 2 || (flat(c.x + 1, c.y) && flat(c.x, c.y + 1) && flat(c.x + 1, c.y + 1))));
    }

    /// Steps over the chunk's border, out of it, as pairs of nodes.
    void compileLinks(const ChunkDirectory<RegionTable::ChunkRegions>& chunks, ChunkCoord c, RegionTable::ChunkRegions& out) {
        compileMoveTile(snapshot_, profile_, c, {}, tile_);
        out.links.clear();
        const auto addCell = [&](int x, int y) {
            const int local = localIndex(x, y);
            if (!tile_.fits(local)) return;
            for (int d = 0; d < kDirections; ++d) {
                const int nx = x + kStepX[d], ny = y + kStepY[d];
                const bool inside = nx >= 0 && ny >= 0 && nx < kChunkSize && ny < kChunkSize;
                if (inside || ((tile_.moves[static_cast<std::size_t>(local)] >> d) & 1) == 0) continue;
                const RegionTable::ChunkRegions& other = *chunks.get({c.x + (nx >> kChunkShift), c.y + (ny >> kChunkShift)});
                const std::uint32_t from = out.first_node + static_cast<std::uint32_t>(out.labels->labelOf(local));
                const std::uint32_t to = other.first_node + static_cast<std::uint32_t>(other.labels->labelOf(localIndex(nx, ny)));
                const std::uint64_t link = (std::uint64_t{from} << 32) | to;
                if (out.links.empty() || out.links.back() != link) out.links.push_back(link);
            }
        };
        for (int i = 0; i < kChunkSize; ++i) addCell(i, 0);
        for (int i = 0; i < kChunkSize; ++i) addCell(i, kChunkSize - 1);
        for (int i = 1; i < kChunkSize - 1; ++i) addCell(0, i);
        for (int i = 1; i < kChunkSize - 1; ++i) addCell(kChunkSize - 1, i);
        std::sort(out.links.begin(), out.links.end());
        out.links.erase(std::unique(out.links.begin(), out.links.end()), out.links.end());
    }

    void joinComponents(RegionTable& table, std::uint32_t nodes) {
        sets_.reset(nodes);
        forEachChunk([&](ChunkCoord c) {
            for (const std::uint64_t link : table.chunks_.get(c)->links) {
                sets_.join(static_cast<std::uint32_t>(link >> 32), static_cast<std::uint32_t>(link));
            }
        });
        auto components = std::make_shared<std::vector<std::uint32_t>>(nodes);
        for (std::uint32_t i = 0; i < nodes; ++i) (*components)[i] = sets_.find(i);
        table.components_ = std::move(components);
    }

    void summarise(RegionTable& table) {
        static const ChunkLabels kBlocked;  // constant: nothing fits
        const int columns = snapshot_.chunkColumns(), rows = snapshot_.chunkRows();
        table.padded_.assign(static_cast<std::size_t>(columns + 2) * static_cast<std::size_t>(rows + 2), &kBlocked);
        std::uint64_t corners = 0, free_cells = 0;
        forEachChunk([&](ChunkCoord c) {
            const ChunkLabels* labels = table.chunks_.get(c)->labels.get();
            table.padded_[static_cast<std::size_t>((c.y + 1) * (columns + 2) + c.x + 1)] = labels;
            corners += labels->corners;
            free_cells += labels->free_cells;
        });
        table.clutter_ = free_cells == 0 ? 0 : static_cast<std::uint32_t>(corners * 1000 / free_cells);
    }

    /// @pre the padded labels are those of this snapshot.
    void setStops(RegionTable& table, ChunkCoord c) {
        const ChunkLabels* around[3][3];
        bool open = true;
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
                around[dy + 1][dx + 1] = &table.paddedLabels(c.x + dx, c.y + dy);
                open = open && around[dy + 1][dx + 1]->free_cells == kChunkCells;
            }
        }
        std::shared_ptr<const ChunkStops> record = open ? open_stops_ : nullptr;
        if (record == nullptr) {
            auto stops = std::make_shared<ChunkStops>();
            std::array<std::uint64_t, kChunkSize + 2> lines;
            std::array<std::uint8_t, kChunkSize + 2> below, above;
            const auto bitOf = [](const std::array<std::uint64_t, kChunkSize>& words, std::size_t word, int bit) {
                return static_cast<std::uint8_t>((words[word] >> bit) & 1);
            };
            for (std::size_t i = 0; i < kChunkSize + 2; ++i) {
                const std::size_t part = i == 0 ? 0 : i == kChunkSize + 1 ? 2 : 1, line = (i + kChunkSize - 1) % kChunkSize;
                lines[i] = around[part][1]->free_rows[line];
                below[i] = bitOf(around[part][0]->free_rows, line, kChunkSize - 1);
                above[i] = bitOf(around[part][2]->free_rows, line, 0);
            }
            compileStops(lines, below, above, stops->east, stops->west);
            for (std::size_t i = 0; i < kChunkSize + 2; ++i) {
                const std::size_t part = i == 0 ? 0 : i == kChunkSize + 1 ? 2 : 1, line = (i + kChunkSize - 1) % kChunkSize;
                lines[i] = around[1][part]->free_columns[line];
                below[i] = bitOf(around[0][part]->free_columns, line, kChunkSize - 1);
                above[i] = bitOf(around[2][part]->free_columns, line, 0);
            }
            compileStops(lines, below, above, stops->south, stops->north);
            record = std::move(stops);
            if (open) open_stops_ = record;
        }
        table.padded_stops_[table.paddedIndex(c.x, c.y)] = record.get();
        table.stops_.set(c, std::move(record));
    }

    const WorldSnapshot& snapshot_;
    const MobilityProfile& profile_;
    MoveTile tile_;
    DisjointSets sets_;
    std::shared_ptr<const ChunkLabels> open_;
    std::shared_ptr<const ChunkStops> open_stops_;
};

std::shared_ptr<const RegionTable> RegionTable::build(const WorldSnapshot& snapshot, const MobilityProfile& profile,
                                                      const std::shared_ptr<const RegionTable>& previous) {
    RegionBuilder builder(snapshot, profile);
    return previous != nullptr ? builder.repair(*previous) : builder.build();
}

bool RegionTable::chunkHas(ChunkCoord c, RegionId region) const {
    const ChunkRegions& chunk = *chunks_.get(c);
    for (std::uint32_t i = 0; i < chunk.labels->count; ++i) {
        if ((*components_)[chunk.first_node + i] + 1 == region) return true;
    }
    return false;
}

double RegionTable::nearestCells(const CellRect& around, const std::function<double(int, int)>& distance, RegionId region, std::vector<CellId>& out) const {
    out.clear();
    double best = std::numeric_limits<double>::infinity();
    if (region == 0) return best;
    // Squares are compared with a little to spare: they only decide where to look.
    const auto tooFar = [&](std::int64_t dx, std::int64_t dy) { return static_cast<double>(dx * dx + dy * dy) > best * best + 1e-3; };
    const auto gap = [](std::int64_t low, std::int64_t high, std::int64_t from, std::int64_t to) {  // between two stretches of cells
        return std::max(std::max(from - high, low - to), std::int64_t{0});
    };
    const std::int64_t x0 = around.x, x1 = x0 + around.width - 1, y0 = around.y, y1 = y0 + around.height - 1;
    const auto scanChunk = [&](ChunkCoord c) {
        if (!chunks_.contains(c)) return;
        const int base_x = c.x << kChunkShift, base_y = c.y << kChunkShift;
        if (tooFar(gap(base_x, base_x + kChunkSize - 1, x0, x1), gap(base_y, base_y + kChunkSize - 1, y0, y1)) || !chunkHas(c, region)) return;
        const ChunkLabels& labels = *chunks_.get(c)->labels;
        for (int y = base_y; y < base_y + kChunkSize; ++y) {
            const std::int64_t gap_y = gap(y, y, y0, y1);
            if (tooFar(0, gap_y)) continue;
            std::uint64_t row = labels.free_rows[static_cast<std::size_t>(y - base_y)];
            for (; row != 0; row &= row - 1) {
                const int x = base_x + __builtin_ctzll(row);
                if (tooFar(gap(x, x, x0, x1), gap_y) || regionAt(x, y) != region) continue;
                const double d = distance(x, y);
                if (d > best) continue;
                if (d < best) out.clear();
                best = d;
                out.push_back(cellIdOf(x, y));
            }
        }
    };
    // The chunks under `around` (the nearest ones when it lies off the map), then ring by ring around them.
    const auto column = [&](std::int64_t x) { return static_cast<int>(std::clamp<std::int64_t>(x >> kChunkShift, 0, chunks_.columns() - 1)); };
    const auto row = [&](std::int64_t y) { return static_cast<int>(std::clamp<std::int64_t>(y >> kChunkShift, 0, chunks_.rows() - 1)); };
    const int cx0 = column(x0), cx1 = column(x1), cy0 = row(y0), cy1 = row(y1);
    for (int cy = cy0; cy <= cy1; ++cy) {
        for (int cx = cx0; cx <= cx1; ++cx) scanChunk({cx, cy});
    }
    const int rings = std::max(chunks_.columns(), chunks_.rows());
    for (int ring = 1; ring < rings; ++ring) {
        if (tooFar(std::int64_t{ring - 1} * kChunkSize, 0)) break;  // no chunk of this ring is nearer
        for (int cx = cx0 - ring; cx <= cx1 + ring; ++cx) {
            scanChunk({cx, cy0 - ring});
            scanChunk({cx, cy1 + ring});
        }
        for (int cy = cy0 - ring + 1; cy < cy1 + ring; ++cy) {
            scanChunk({cx0 - ring, cy});
            scanChunk({cx1 + ring, cy});
        }
    }
    std::sort(out.begin(), out.end());
    return best;
}

std::size_t RegionTable::memoryBytes() const {
    std::size_t bytes = sizeof(RegionTable) + components_->size() * sizeof(std::uint32_t);
    bytes += (padded_.capacity() + padded_stops_.capacity()) * sizeof(void*);
    std::unordered_set<const void*> seen;
    for (int y = 0; y < chunks_.rows(); ++y) {
        for (int x = 0; x < chunks_.columns(); ++x) {
            const ChunkRegions& chunk = *chunks_.get({x, y});
            bytes += sizeof(ChunkRegions) + chunk.links.capacity() * sizeof(std::uint64_t) + sizeof(std::shared_ptr<void>);
            if (seen.insert(chunk.labels.get()).second) bytes += sizeof(ChunkLabels) + chunk.labels->labels.capacity() * sizeof(std::uint16_t);
            if (seen.insert(stops_.get({x, y})).second) bytes += sizeof(ChunkStops);
        }
    }
    return bytes;
}

}  // namespace warpath
