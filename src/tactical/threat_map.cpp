#include "warpath/tactical/threat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tactical/falloff.h"
#include "tactical/sight_view.h"
#include "tactical/threat_kernels.h"
#include "warpath/core/assert.h"
#include "warpath/tactical/gaussian_kernel.h"

namespace warpath {
namespace {

using threat::Falloff;
using threat::FalloffRow;
using threat::kLanes;

constexpr int kPublishStep = kThreatOne / 16;  // smaller moves of a block do not exist for readers
constexpr std::size_t kFalloffsKept = 256;
constexpr std::uint64_t kUnitCells = 1024;

/// Half-open rectangle in threat cells.
struct Span {
    int x0 = INT32_MAX, y0 = INT32_MAX, x1 = INT32_MIN, y1 = INT32_MIN;

    [[nodiscard]] bool empty() const { return x0 >= x1 || y0 >= y1; }
    void include(const Span& other) {
        x0 = std::min(x0, other.x0);
        y0 = std::min(y0, other.y0);
        x1 = std::max(x1, other.x1);
        y1 = std::max(y1, other.y1);
    }
    [[nodiscard]] Span clipped(const Span& to) const { return {std::max(x0, to.x0), std::max(y0, to.y0), std::min(x1, to.x1), std::min(y1, to.y1)}; }
};

/// What a source has added to the sums.
struct Applied {
    std::shared_ptr<const Falloff> falloff;  // null: nothing
    int x = 0, y = 0;                        // grid cell of the source
    bool sees_all = true;
    std::vector<std::uint64_t> seen;         // a window of falloff->view_radius; empty when it sees all

    [[nodiscard]] bool samePlace(const Applied& other) const { return falloff == other.falloff && x == other.x && y == other.y; }
};

struct Entry {
    std::uint32_t id = 0;
    ThreatSource wanted;
    bool present = true;   // false: to be removed
    bool pending = true;   // wanted and applied differ, or may
    bool look_again = false;
    Applied applied;
};

/// The part of the map that one chunk covers.
struct Tile {
    std::vector<std::uint32_t> sums;     // empty where no source reaches
    std::vector<std::uint16_t> values;
    std::uint32_t sources = 0;           // that reach it
    Span dirty_sums, dirty_values;       // map coordinates
    bool unpublished = false;            // values changed since the last publishing
    bool all_zero = true;                // all values
    std::shared_ptr<ThreatChunk> ready;  // to be published: the values as they are, when they moved enough
    std::shared_ptr<const ThreatChunk> published;
};

std::optional<Error> checkSource(const ThreatSource& source, const std::string& field) {
    if (!isUsable(source.position)) return Error{field + "position", "not a finite position of the plane", "use metres within 4,000,000 of zero"};
    if (!(source.range >= kMinThreatRange && source.range <= kMaxThreatRange)) {
        return Error{field + "range", std::to_string(source.range), "use metres within 0.1..1000"};
    }
    if (!(source.firepower >= 0.0f && source.firepower <= kMaxFirepower)) {
        return Error{field + "firepower", std::to_string(source.firepower), "use a number within 0..16"};
    }
    return std::nullopt;
}

bool sameWish(const ThreatSource& a, const ThreatSource& b) { return a == b; }

}  // namespace

std::optional<Error> ThreatConfig::validate() const {
    if (resolution != 1 && resolution != 2 && resolution != 4 && resolution != 8) {
        return Error{"resolution", std::to_string(resolution), "use 1, 2, 4 or 8 metres"};
    }
    const int limit = std::min(kMaxBlurRadius, kChunkSize / resolution);
    if (blur_radius < 0 || blur_radius > limit) return Error{"blur_radius", std::to_string(blur_radius), "use 0 to " + std::to_string(limit) + " threat cells"};
    if (!(hidden_factor >= 0.0f && hidden_factor <= 1.0f)) return Error{"hidden_factor", std::to_string(hidden_factor), "use a number within 0..1"};
    if (!(eye_height >= 0.0f && eye_height <= 80.0f)) return Error{"eye_height", std::to_string(eye_height), "use metres within 0..80"};
    return std::nullopt;
}

struct ThreatMap::Data {
    WorldSnapshot snapshot;
    int side = 0;
    ThreatConfig config;
    GaussianKernel kernel{0};
    int shift = 0;        // log2 of metres per threat cell
    int tile_shift = 0;   // log2 of threat cells per tile side
    int tile_side = 0;
    int width = 0, height = 0;    // threat cells
    int columns = 0, rows = 0;    // tiles
    std::vector<std::unique_ptr<Tile>> tiles;
    std::vector<Entry> entries;   // by id
    std::size_t pending = 0;      // entries whose `pending` is set
    std::size_t cursor = 0;       // entries before it are not pending
    std::vector<std::uint32_t> dirty_sums, dirty_values, unpublished;  // tiles
    std::map<std::array<std::uint64_t, 2>, std::shared_ptr<const Falloff>> falloffs;
    sight::ViewScratch view;
    sight::BitWindow seen;
    std::vector<std::uint32_t> numbers;
    std::vector<std::uint64_t> bits;
    std::vector<threat::Stretch> stretches;
    std::unique_ptr<threat::BlurPiece> piece = std::make_unique<threat::BlurPiece>();

    [[nodiscard]] Span bounds() const { return {0, 0, width, height}; }
    [[nodiscard]] Span tileSpan(std::uint32_t index) const {
        const int x = static_cast<int>(index) % columns * tile_side, y = static_cast<int>(index) / columns * tile_side;
        return {x, y, x + tile_side, y + tile_side};
    }
    Tile& tileAt(std::uint32_t index) {
        std::unique_ptr<Tile>& tile = tiles[index];
        if (tile == nullptr) {
            tile = std::make_unique<Tile>();
            tile->values.assign(static_cast<std::size_t>(tile_side * tile_side), 0);
        }
        return *tile;
    }
    [[nodiscard]] std::vector<Entry>::iterator find(std::uint32_t id) {
        return std::lower_bound(entries.begin(), entries.end(), id, [](const Entry& e, std::uint32_t value) { return e.id < value; });
    }

    void markPending(Entry& entry) {
        if (!entry.pending) {
            entry.pending = true;
            ++pending;
        }
        cursor = 0;
    }
    void want(const ThreatSource& source);
    bool dismiss(Entry& entry);

    std::shared_ptr<const Falloff> falloffFor(const ThreatSource& source, int x, int y);
    std::uint64_t settle(Entry& entry);
    void look(Applied& applied);
    void apply(const Applied& applied, bool adding);
    struct RowInSight;
    const std::uint32_t* numbersOf(const Applied& applied);
    void spreadDirt();
    std::uint64_t blur(std::uint32_t index);
    void makeReady(Tile& tile, std::uint32_t index);
    void summarise(const Tile& tile, std::uint32_t index, ThreatChunk& out) const;
};

void ThreatMap::Data::want(const ThreatSource& source) {
    auto it = find(source.id);
    if (it == entries.end() || it->id != source.id) {
        Entry entry;
        entry.id = source.id;
        entry.wanted = source;
        entries.insert(it, std::move(entry));
        ++pending;
        cursor = 0;
        return;
    }
    if (it->present && sameWish(it->wanted, source)) return;
    it->wanted = source;
    it->present = true;
    markPending(*it);
}

bool ThreatMap::Data::dismiss(Entry& entry) {
    if (!entry.present) return false;
    entry.present = false;
    markPending(entry);
    return true;
}

std::shared_ptr<const Falloff> ThreatMap::Data::falloffFor(const ThreatSource& source, int x, int y) {
    const int mask = config.resolution - 1;
    // Positive floats order like their bits, so the bits make a key.
    std::uint32_t range_bits = 0, power_bits = 0;
    static_assert(sizeof(float) == sizeof(std::uint32_t));
    std::copy_n(reinterpret_cast<const unsigned char*>(&source.range), sizeof(float), reinterpret_cast<unsigned char*>(&range_bits));
    std::copy_n(reinterpret_cast<const unsigned char*>(&source.firepower), sizeof(float), reinterpret_cast<unsigned char*>(&power_bits));
    const std::array<std::uint64_t, 2> key{(std::uint64_t{range_bits} << 32) | power_bits,
                                           static_cast<std::uint64_t>((y & mask) * config.resolution + (x & mask))};
    std::shared_ptr<const Falloff>& entry = falloffs[key];
    if (entry == nullptr) {
        entry = threat::makeFalloff(source.range, source.firepower, x & mask, y & mask, config.resolution, config.line_of_sight ? config.hidden_factor : 1.0f);
    }
    return entry;
}

void ThreatMap::Data::look(Applied& applied) {
    applied.sees_all = true;
    applied.seen.clear();
    if (!config.line_of_sight) return;
    const int eye = static_cast<int>(std::floor(config.eye_height * 100.0f + 0.5f));
    if (sight::view(snapshot, applied.x, applied.y, applied.falloff->view_radius, {eye, eye}, view, seen)) return;
    applied.sees_all = false;
    applied.seen.assign(seen.bits.begin(), seen.bits.end());
}

/// Brings what a source has added up to date with what it shall add. @return cells looked at or written.
std::uint64_t ThreatMap::Data::settle(Entry& entry) {
    std::uint64_t work = kUnitCells;
    Applied next;
    if (entry.present) {
        const Cell cell = cellAt(entry.wanted.position);
        next.x = cell.x - snapshot.origin().x;
        next.y = cell.y - snapshot.origin().y;
        next.falloff = falloffFor(entry.wanted, next.x, next.y);
        if (next.samePlace(entry.applied) && !entry.look_again) return work;
        look(next);
        const std::uint64_t square = 2 * static_cast<std::uint64_t>(next.falloff->view_radius) + 1;
        if (config.line_of_sight) work += square * square / 4;
        if (next.samePlace(entry.applied) && next.sees_all == entry.applied.sees_all && next.seen == entry.applied.seen) return work;
    }
    if (entry.applied.falloff != nullptr) {
        apply(entry.applied, false);
        work += entry.applied.falloff->full.size();
    }
    if (next.falloff != nullptr) {
        apply(next, true);
        work += next.falloff->full.size();
    }
    entry.applied = std::move(next);
    return work;
}

/// Adds what is in sight of a row of threat cells.
struct ThreatMap::Data::RowInSight {
    const Falloff& falloff;
    int offset;      // of the row in the falloff's arrays
    int shift;
    std::uint32_t* out;

    /// Metres begin..end-1 of the row, in `rows_of_metres` of its rows of metres.
    void add(int begin, int end, std::uint32_t rows_of_metres) const {
        const std::uint32_t* unit = falloff.unit.data() + offset;
        const int c0 = begin >> shift, c1 = (end - 1) >> shift;
        if (c0 == c1) {
            out[c0] += unit[c0] * rows_of_metres * static_cast<std::uint32_t>(end - begin);
            return;
        }
        out[c0] += unit[c0] * rows_of_metres * static_cast<std::uint32_t>(((c0 + 1) << shift) - begin);
        out[c1] += unit[c1] * rows_of_metres * static_cast<std::uint32_t>(end - (c1 << shift));
        if (rows_of_metres == 1u << shift) {
            threat::kernels().accumulate(out + c0 + 1, falloff.open.data() + offset + c0 + 1, c1 - c0 - 1);
        } else {
            for (int i = c0 + 1; i < c1; ++i) out[i] += (unit[i] * rows_of_metres) << shift;
        }
    }
};

/// The numbers that a source adds, in the layout of its falloff: kLanes zeros on both sides of each row.
const std::uint32_t* ThreatMap::Data::numbersOf(const Applied& applied) {
    const Falloff& falloff = *applied.falloff;
    if (applied.sees_all) return falloff.full.data();
    numbers.resize(std::max(numbers.size(), falloff.hidden.size()));
    std::copy(falloff.hidden.begin(), falloff.hidden.end(), numbers.begin());
    const int resolution = config.resolution, radius = falloff.view_radius, words = (2 * radius + 3 + 63) / 64;
    bits.resize(static_cast<std::size_t>(2 * words));
    std::uint64_t* const everywhere = bits.data();
    std::uint64_t* const rest = bits.data() + words;
    for (std::size_t r = 0; r < falloff.rows.size(); ++r) {
        const FalloffRow& row = falloff.rows[r];
        if (row.count == 0) continue;
        const RowInSight in_sight{falloff, row.offset, shift, numbers.data() + row.offset};
        const int begin = row.first * resolution - falloff.phase_x + radius + 1, end = begin + row.count * resolution;
        const int top = (falloff.first_row + static_cast<int>(r)) * resolution - falloff.phase_y + radius + 1;
        const std::uint64_t* view_rows = applied.seen.data() + static_cast<std::size_t>(top * words);
        const int first_word = begin >> 6, last_word = (end - 1) >> 6;
        // Columns in sight in every row of metres first, then what single rows see besides.
        const std::uint64_t* all = view_rows;
        if (resolution > 1) {
            for (int w = first_word; w <= last_word; ++w) {
                std::uint64_t word = view_rows[w];
                for (int j = 1; j < resolution; ++j) word &= view_rows[j * words + w];
                everywhere[w] = word;
            }
            all = everywhere;
        }
        for (int b = sight::nextBit(all, begin, end, 0); b < end;) {
            const int e = sight::nextBit(all, b, end, ~std::uint64_t{0});
            in_sight.add(b - begin, e - begin, static_cast<std::uint32_t>(resolution));
            b = sight::nextBit(all, e, end, 0);
        }
        for (int j = 0; j < resolution && resolution > 1; ++j) {
            std::uint64_t any = 0;
            for (int w = first_word; w <= last_word; ++w) any |= rest[w] = view_rows[j * words + w] & ~everywhere[w];
            if (any == 0) continue;
            for (int b = sight::nextBit(rest, begin, end, 0); b < end;) {
                const int e = sight::nextBit(rest, b, end, ~std::uint64_t{0});
                in_sight.add(b - begin, e - begin, 1);
                b = sight::nextBit(rest, e, end, 0);
            }
        }
    }
    return numbers.data();
}

void ThreatMap::Data::apply(const Applied& applied, bool adding) {
    const Falloff& falloff = *applied.falloff;
    const int base_x = applied.x >> shift, base_y = applied.y >> shift;
    const Span reach = Span{base_x + falloff.left, base_y + falloff.top, base_x + falloff.right, base_y + falloff.bottom}.clipped(bounds());
    if (reach.empty()) return;
    for (int ty = reach.y0 >> tile_shift; ty <= (reach.y1 - 1) >> tile_shift; ++ty) {
        for (int tx = reach.x0 >> tile_shift; tx <= (reach.x1 - 1) >> tile_shift; ++tx) {
            const auto index = static_cast<std::uint32_t>(ty * columns + tx);
            Tile& tile = tileAt(index);
            tile.sources += adding ? 1u : ~0u;
            if (tile.sums.empty()) tile.sums.assign(static_cast<std::size_t>(tile_side * tile_side), 0);
            if (tile.dirty_sums.empty()) dirty_sums.push_back(index);
            tile.dirty_sums.include(reach.clipped(tileSpan(index)));
        }
    }
    const std::uint32_t* all = numbersOf(applied);
    stretches.clear();
    for (std::size_t i = 0; i < falloff.rows.size(); ++i) {
        const FalloffRow& row = falloff.rows[i];
        const int y = base_y + falloff.first_row + static_cast<int>(i), x = base_x + row.first;
        const int x0 = std::max(x, 0), x1 = std::min(x + row.count, width);
        if (row.count == 0 || y < 0 || y >= height || x0 >= x1) continue;
        const std::uint32_t* line = all + row.offset;
        const std::size_t tile_row = static_cast<std::size_t>(y >> tile_shift) * static_cast<std::size_t>(columns);
        for (int tx = x0 >> tile_shift; tx <= (x1 - 1) >> tile_shift; ++tx) {
            const int left = tx << tile_shift;
            const int first = std::max(x0 - left, 0), last = std::min(x1 - left, tile_side);
            std::uint32_t* sums = tiles[tile_row + static_cast<std::size_t>(tx)]->sums.data() + ((y & (tile_side - 1)) << tile_shift);
            if (tile_side >= kLanes) {  // whole blocks: the zeros around a row make up for what lies beside it
                const int from = first & ~(kLanes - 1), to = (last + kLanes - 1) & ~(kLanes - 1);
                stretches.push_back({sums + from, line + (left + from - x), (to - from) / kLanes});
            } else {
                for (int c = first; c < last; ++c) sums[c] = adding ? sums[c] + line[left + c - x] : sums[c] - line[left + c - x];
            }
        }
    }
    (adding ? threat::kernels().add : threat::kernels().subtract)(stretches.data(), stretches.size());
}

/// Turns changed sums into values to blur again, in this tile and its neighbours.
void ThreatMap::Data::spreadDirt() {
    std::sort(dirty_sums.begin(), dirty_sums.end());
    const int radius = config.blur_radius;
    for (const std::uint32_t index : dirty_sums) {
        Tile& tile = *tiles[index];
        const Span dirty = tile.dirty_sums;
        tile.dirty_sums = Span{};
        const Span reach = Span{dirty.x0 - radius, dirty.y0 - radius, dirty.x1 + radius, dirty.y1 + radius}.clipped(bounds());
        for (int ty = reach.y0 >> tile_shift; ty <= (reach.y1 - 1) >> tile_shift; ++ty) {
            for (int tx = reach.x0 >> tile_shift; tx <= (reach.x1 - 1) >> tile_shift; ++tx) {
                const auto other = static_cast<std::uint32_t>(ty * columns + tx);
                Tile& touched = tileAt(other);
                if (touched.dirty_values.empty()) dirty_values.push_back(other);
                touched.dirty_values.include(reach.clipped(tileSpan(other)));
            }
        }
        if (tile.sources == 0) {  // what all its sources added has been taken away again: only zeros are left
            tile.sums.clear();
            tile.sums.shrink_to_fit();
        }
    }
    dirty_sums.clear();
    std::sort(dirty_values.begin(), dirty_values.end(), std::greater<>());  // taken from the back
}

std::uint64_t ThreatMap::Data::blur(std::uint32_t index) {
    Tile& tile = *tiles[index];
    const Span area = tile.dirty_values;
    tile.dirty_values = Span{};
    threat::BlurPiece& p = *piece;
    const int radius = config.blur_radius;
    p.radius = radius;
    p.width = area.x1 - area.x0;
    p.height = area.y1 - area.y0;
    p.inner = kernel.weights(radius, radius);
    p.at_border = area.x0 < radius || area.y0 < radius || area.x1 > width - radius || area.y1 > height - radius;
    if (p.at_border) {
        for (int i = 0; i < p.height; ++i) p.row_weights[i] = kernel.weights(area.y0 + i, height - 1 - area.y0 - i);
        for (int i = 0; i < p.width; ++i) p.column_weights[i] = kernel.weights(area.x0 + i, width - 1 - area.x0 - i);
    }
    const auto convert = threat::kernels().convert;
    const int x0 = std::max(area.x0 - radius, 0), x1 = std::min(area.x1 + radius, width);
    for (int i = 0; i < p.height + 2 * radius; ++i) {
        const int y = area.y0 - radius + i;
        float* row = p.in + i * threat::kPaddedStride;
        const int end = x1 - (area.x0 - radius);
        if (y < 0 || y >= height) {
            std::fill(row, row + end, 0.0f);
            continue;
        }
        std::fill(row, row + (x0 - (area.x0 - radius)), 0.0f);
        for (int x = x0; x < x1;) {
            const int stop = std::min(x1, ((x >> tile_shift) + 1) << tile_shift);
            const Tile* from = tiles[static_cast<std::size_t>((y >> tile_shift) * columns + (x >> tile_shift))].get();
            float* to = row + (x - (area.x0 - radius));
            if (from == nullptr || from->sums.empty()) {
                std::fill(to, to + (stop - x), 0.0f);
            } else {
                convert(from->sums.data() + (((y & (tile_side - 1)) << tile_shift) + (x & (tile_side - 1))), stop - x, to);
            }
            x = stop;
        }
        std::fill(row + end, row + p.width + 2 * radius, 0.0f);
    }
    const Span span = tileSpan(index);
    threat::kernels().blur(p, tile.values.data() + (((area.y0 - span.y0) << tile_shift) + (area.x0 - span.x0)), tile_side);
    makeReady(tile, index);
    return static_cast<std::uint64_t>(p.width * p.height) + kUnitCells / 4;
}

/// Decides, while the values are at hand, whether they have moved enough to be published; lets tiles go that hold nothing any more.
void ThreatMap::Data::makeReady(Tile& tile, std::uint32_t index) {
    ThreatChunk now;
    summarise(tile, index, now);
    static constexpr std::array<std::uint16_t, 64> kNone{};
    const std::uint16_t* mean = (tile.published != nullptr ? tile.published->block_mean : kNone).data();
    const std::uint16_t* most = (tile.published != nullptr ? tile.published->block_max : kNone).data();
    int any = 0, moved = 0;
    for (std::size_t k = 0; k < kNone.size(); ++k) {
        any |= now.block_max[k];
        moved |= (std::abs(now.block_mean[k] - mean[k]) >= kPublishStep ? 1 : 0) | (std::abs(now.block_max[k] - most[k]) >= kPublishStep ? 1 : 0);
    }
    tile.all_zero = any == 0;
    tile.ready = nullptr;
    if (moved != 0 && !tile.all_zero) {
        now.resolution_shift = static_cast<std::uint8_t>(shift);
        now.values = tile.values;
        tile.ready = std::make_shared<ThreatChunk>(std::move(now));
    }
    if (tile.unpublished) return;  // publish() will see to it
    if (tile.all_zero && tile.sources == 0 && tile.published == nullptr) {
        tiles[index].reset();
    } else {
        tile.unpublished = true;
        unpublished.push_back(index);
    }
}

/// Mean and maximum of the blocks, over the cells that lie inside the map.
void ThreatMap::Data::summarise(const Tile& tile, std::uint32_t index, ThreatChunk& out) const {
    threat::kernels().blocks(tile.values.data(), tile_side, out.block_mean.data(), out.block_max.data());
    const Span span = tileSpan(index), inside = span.clipped(bounds());
    const int inside_x = inside.x1 - span.x0, inside_y = inside.y1 - span.y0, block = tile_side / 8;
    if (inside_x == tile_side && inside_y == tile_side) return;
    for (int by = 0; by < 8; ++by) {  // values beyond the map are 0 and do not count
        for (int bx = 0; bx < 8; ++bx) {
            const int x1 = std::min((bx + 1) * block, inside_x), y1 = std::min((by + 1) * block, inside_y);
            std::uint32_t sum = 0, count = 0;
            for (int y = by * block; y < y1; ++y) {
                for (int x = bx * block; x < x1; ++x, ++count) sum += tile.values[static_cast<std::size_t>((y << tile_shift) + x)];
            }
            out.block_mean[static_cast<std::size_t>(by * 8 + bx)] = static_cast<std::uint16_t>(count != 0 ? (sum + count / 2) / count : 0);
        }
    }
}

ThreatMap::ThreatMap(const WorldSnapshot& snapshot, int side, const ThreatConfig& config) : data_(std::make_unique<Data>()) {
    WARPATH_ASSERT(!config.validate(), "a threat configuration without errors");
    WARPATH_ASSERT(side >= 0 && side < kMaxSides, "a side within 0..kMaxSides-1");
    Data& d = *data_;
    d.snapshot = snapshot;
    d.side = side;
    d.config = config;
    d.kernel = GaussianKernel(config.blur_radius);
    while ((1 << d.shift) < config.resolution) ++d.shift;
    d.tile_shift = kChunkShift - d.shift;
    d.tile_side = 1 << d.tile_shift;
    d.width = (snapshot.width() + config.resolution - 1) >> d.shift;
    d.height = (snapshot.height() + config.resolution - 1) >> d.shift;
    d.columns = snapshot.chunkColumns();
    d.rows = snapshot.chunkRows();
    d.tiles.resize(static_cast<std::size_t>(d.columns) * static_cast<std::size_t>(d.rows));
}

ThreatMap::~ThreatMap() = default;
ThreatMap::ThreatMap(ThreatMap&&) noexcept = default;
ThreatMap& ThreatMap::operator=(ThreatMap&&) noexcept = default;

int ThreatMap::side() const { return data_->side; }
const ThreatConfig& ThreatMap::config() const { return data_->config; }

std::size_t ThreatMap::sourceCount() const {
    return static_cast<std::size_t>(std::count_if(data_->entries.begin(), data_->entries.end(), [](const Entry& e) { return e.present; }));
}

std::optional<Error> ThreatMap::addThreatSource(const ThreatSource& source) {
    if (auto error = checkSource(source, "")) return error;
    const auto it = data_->find(source.id);
    const bool known = it != data_->entries.end() && it->id == source.id && it->present;
    if (!known && sourceCount() >= kMaxThreatSources) {
        return Error{"id", std::to_string(source.id), "remove a source first: a side may face " + std::to_string(kMaxThreatSources)};
    }
    data_->want(source);
    return std::nullopt;
}

bool ThreatMap::removeThreatSource(std::uint32_t id) {
    const auto it = data_->find(id);
    return it != data_->entries.end() && it->id == id && data_->dismiss(*it);
}

std::optional<Error> ThreatMap::update(std::span<const ThreatSource> enemies) {
    if (enemies.size() > kMaxThreatSources) {
        return Error{"enemies", std::to_string(enemies.size()) + " entries", "give at most " + std::to_string(kMaxThreatSources)};
    }
    std::vector<std::uint32_t> ids;
    ids.reserve(enemies.size());
    for (std::size_t i = 0; i < enemies.size(); ++i) {
        if (auto error = checkSource(enemies[i], "enemies[" + std::to_string(i) + "].")) return error;
        ids.push_back(enemies[i].id);
    }
    std::sort(ids.begin(), ids.end());
    if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end()) {
        return Error{"enemies", "id " + std::to_string(*twice) + " twice", "give every enemy its own id"};
    }
    for (Entry& entry : data_->entries) {
        if (!std::binary_search(ids.begin(), ids.end(), entry.id)) data_->dismiss(entry);
    }
    for (const ThreatSource& source : enemies) data_->want(source);
    return std::nullopt;
}

void ThreatMap::setGround(const WorldSnapshot& snapshot) {
    Data& d = *data_;
    WARPATH_ASSERT(snapshot.state().world_id == d.snapshot.state().world_id, "a snapshot of the same world");
    const WorldSnapshot before = d.snapshot;
    d.snapshot = snapshot;
    if (!d.config.line_of_sight || before == snapshot) return;
    const auto limitX = [&](int x) { return std::clamp(x, 0, snapshot.width() - 1); };
    const auto limitY = [&](int y) { return std::clamp(y, 0, snapshot.height() - 1); };
    before.state().ground.forEachDifference(snapshot.state().ground, [&](ChunkCoord c, const ChunkGround* was, const ChunkGround* is) {
        Span changed;  // of the chunk, in cells of the grid
        for (int i = 0; i < kChunkCells; ++i) {
            if (was->obstacle[static_cast<std::size_t>(i)] == is->obstacle[static_cast<std::size_t>(i)] && was->elevationCm(i) == is->elevationCm(i)) continue;
            const int x = (c.x << kChunkShift) + (i & (kChunkSize - 1)), y = (c.y << kChunkShift) + (i >> kChunkShift);
            changed.include({x, y, x + 1, y + 1});
        }
        if (changed.empty()) return;
        for (Entry& entry : d.entries) {
            if (entry.applied.falloff == nullptr) continue;
            const int reach = entry.applied.falloff->view_radius + 1;
            const Span near{limitX(entry.applied.x - reach), limitY(entry.applied.y - reach), limitX(entry.applied.x + reach) + 1,
                            limitY(entry.applied.y + reach) + 1};
            if (near.clipped(changed).empty()) continue;
            entry.look_again = true;
            d.markPending(entry);
        }
    });
}

bool ThreatMap::settled() const { return data_->pending == 0 && data_->dirty_sums.empty() && data_->dirty_values.empty(); }

bool ThreatMap::step(std::uint64_t units) {
    Data& d = *data_;
    const std::uint64_t budget = units > ~std::uint64_t{0} / kUnitCells ? ~std::uint64_t{0} : units * kUnitCells;
    std::uint64_t work = 0;
    while (d.pending != 0) {
        if (work != 0 && work >= budget) return false;
        while (!d.entries[d.cursor].pending) ++d.cursor;
        Entry& entry = d.entries[d.cursor];
        work += d.settle(entry);
        entry.pending = false;
        entry.look_again = false;
        --d.pending;
    }
    d.cursor = 0;
    std::erase_if(d.entries, [](const Entry& e) { return !e.present; });
    if (d.falloffs.size() > kFalloffsKept) std::erase_if(d.falloffs, [](const auto& kind) { return kind.second.use_count() == 1; });
    if (!d.dirty_sums.empty()) d.spreadDirt();
    while (!d.dirty_values.empty()) {
        if (work != 0 && work >= budget) return false;
        const std::uint32_t index = d.dirty_values.back();
        d.dirty_values.pop_back();
        work += d.blur(index);
    }
    return true;
}

int ThreatMap::threatAt(Cell cell) const {
    const Data& d = *data_;
    if (!d.snapshot.contains(cell)) return 0;
    const int x = (cell.x - d.snapshot.origin().x) >> d.shift, y = (cell.y - d.snapshot.origin().y) >> d.shift;
    const Tile* tile = d.tiles[static_cast<std::size_t>((y >> d.tile_shift) * d.columns + (x >> d.tile_shift))].get();
    if (tile == nullptr) return 0;
    return tile->values[static_cast<std::size_t>(((y & (d.tile_side - 1)) << d.tile_shift) + (x & (d.tile_side - 1)))];
}

float ThreatMap::getThreat(Position position) const {
    return isUsable(position) ? static_cast<float>(threatAt(cellAt(position))) / static_cast<float>(kThreatOne) : 0.0f;
}

std::size_t ThreatMap::publish(WorldEdit& edit) {
    Data& d = *data_;
    WARPATH_ASSERT(settled(), "pending changes worked off before publishing");
    std::sort(d.unpublished.begin(), d.unpublished.end());
    std::size_t written = 0;
    for (const std::uint32_t index : d.unpublished) {
        Tile& tile = *d.tiles[index];
        tile.unpublished = false;
        const ChunkCoord chunk{static_cast<std::int32_t>(index) % d.columns, static_cast<std::int32_t>(index) / d.columns};
        if (tile.ready != nullptr) {
            tile.published = tile.ready;
            edit.setThreat(d.side, chunk, std::move(tile.ready));
            tile.ready = nullptr;
            ++written;
        } else if (tile.all_zero && tile.published != nullptr) {
            tile.published = nullptr;
            edit.setThreat(d.side, chunk, nullptr);
            ++written;
        }
        if (tile.all_zero && tile.sources == 0) d.tiles[index].reset();
    }
    d.unpublished.clear();
    return written;
}

std::size_t ThreatMap::memoryBytes() const {
    const Data& d = *data_;
    std::size_t bytes = sizeof(Data) + sizeof(threat::BlurPiece) + d.tiles.size() * sizeof(d.tiles[0]) + d.entries.size() * sizeof(Entry);
    for (const std::unique_ptr<Tile>& tile : d.tiles) {
        if (tile == nullptr) continue;
        bytes += sizeof(Tile) + tile->sums.capacity() * sizeof(std::uint32_t) + tile->values.capacity() * sizeof(std::uint16_t);
        if (tile->published != nullptr) bytes += sizeof(ThreatChunk) + tile->published->values.capacity() * sizeof(std::uint16_t);
    }
    for (const Entry& entry : d.entries) bytes += entry.applied.seen.capacity() * sizeof(std::uint64_t);
    for (const auto& [key, falloff] : d.falloffs) {
        bytes += sizeof(Falloff) + falloff->rows.capacity() * sizeof(FalloffRow) +
                 sizeof(std::uint32_t) * (falloff->full.capacity() + falloff->hidden.capacity() + falloff->unit.capacity() + falloff->open.capacity());
    }
    return bytes;
}

}  // namespace warpath
