#include "warpath/tactical/threat_map.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tactical/falloff.h"
#include "tactical/sight_view.h"
#include "tactical/source_rows.h"
#include "tactical/threat_kernels.h"
#include "warpath/core/assert.h"
#include "warpath/core/number_text.h"
#include "warpath/tactical/gaussian_kernel.h"
#include "warpath/world/position_errors.h"

namespace warpath {
namespace {

using threat::Applied;
using threat::Falloff;
using threat::FalloffRow;
using threat::kLanes;

constexpr int kPublishStep = kThreatOne / 16;  // smaller moves of a block do not exist for readers
constexpr std::size_t kFalloffsKept = 256;
constexpr std::int64_t kUnitCells = 1024;
constexpr std::int64_t kRowCells = 64;         // what a row takes besides its cells
constexpr std::int64_t kUnkeptCost = 8;        // working out a number that is not kept
constexpr std::int64_t kTileCells = 2048;      // making a tile
constexpr std::size_t kStretches = 64;          // handed to a kernel together
constexpr int kLargeView = 256;                // buffers of larger views are let go afterwards

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

struct Entry {
    std::uint32_t id = 0;
    ThreatSource wanted;
    bool present = true;   // false: to be removed
    bool pending = true;   // wanted and applied differ, or may
    bool look_again = false;
    Applied applied;
};

/// The change of one source under way. It finishes as it began, whatever is asked for meanwhile.
struct Change {
    enum class Stage { None, Look, TakeTiles, Take, GiveTiles, Give };
    Stage stage = Stage::None;
    std::uint32_t id = 0;
    ThreatSource wish;
    bool present = false;
    Applied next;
    int row = 0;  // of tiles, or of the falloff
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
    std::shared_ptr<ThreatChunk> published;
};

/// What is let go and soon asked for again: tiles and sums that hold zeros only, and published records, once no snapshot holds them any more.
class Spares {
public:
    [[nodiscard]] std::unique_ptr<Tile> tile(std::size_t cells) {
        if (tiles_.empty()) {
            auto made = std::make_unique<Tile>();
            made->values.assign(cells, 0);
            return made;
        }
        std::unique_ptr<Tile> out = std::move(tiles_.back());
        tiles_.pop_back();
        return out;
    }
    void keep(std::unique_ptr<Tile> tile) {
        keep(std::move(tile->sums));
        keep(std::move(tile->ready));
        keep(std::move(tile->published));
        if (tiles_.size() >= kMost) return;
        std::vector<std::uint16_t> values = std::move(tile->values);
        *tile = Tile{};
        tile->values = std::move(values);
        tiles_.push_back(std::move(tile));
    }
    [[nodiscard]] std::vector<std::uint32_t> sums(std::size_t cells) {
        if (sums_.empty()) return std::vector<std::uint32_t>(cells, 0);
        std::vector<std::uint32_t> out = std::move(sums_.back());
        sums_.pop_back();
        return out;
    }
    void keep(std::vector<std::uint32_t> sums) {
        if (!sums.empty() && sums_.size() < kMost) sums_.push_back(std::move(sums));
    }
    [[nodiscard]] std::shared_ptr<ThreatChunk> record() {
        for (int looks = 0; looks < kLooks && !records_.empty(); ++looks) {
            std::shared_ptr<ThreatChunk> out = std::move(records_.front());
            records_.pop_front();
            if (out.use_count() == 1) {
                std::atomic_thread_fence(std::memory_order_acquire);  // after the last reader, on whatever thread it let go
                return out;
            }
            records_.push_back(std::move(out));  // old snapshots still hold it
        }
        return std::make_shared<ThreatChunk>();
    }
    void keep(std::shared_ptr<ThreatChunk> record) {
        if (record != nullptr && records_.size() < kMostRecords) records_.push_back(std::move(record));
    }
    [[nodiscard]] std::size_t memoryBytes(std::size_t cells) const {
        return tiles_.size() * (sizeof(Tile) + cells * sizeof(std::uint16_t)) + sums_.size() * cells * sizeof(std::uint32_t) +
               records_.size() * (sizeof(ThreatChunk) + cells * sizeof(std::uint16_t));
    }

private:
    static constexpr std::size_t kMost = 64, kMostRecords = 2048;
    static constexpr int kLooks = 4;
    std::vector<std::unique_ptr<Tile>> tiles_;
    std::vector<std::vector<std::uint32_t>> sums_;
    std::deque<std::shared_ptr<ThreatChunk>> records_;
};

std::optional<Error> checkSource(const ThreatSource& source, const std::string& field) {
    if (!isUsable(source.position)) return unusablePosition(field + "position", source.position);
    if (!(source.range >= kMinThreatRange && source.range <= kMaxThreatRange)) {
        return Error{field + "range", numberText(source.range), "use metres within 0.1..1000"};
    }
    if (!(source.firepower >= 0.0f && source.firepower <= kMaxFirepower)) {
        return Error{field + "firepower", numberText(source.firepower), "use a number within 0..16"};
    }
    return std::nullopt;
}

Error tooMuchToSee(const std::string& field, std::size_t bytes) {
    return Error{field, std::to_string(bytes >> 20) + " MiB of views in all", "give fewer sources of long range: the views of a side may take 256 MiB"};
}

}  // namespace

std::optional<Error> checkThreatSources(std::span<const ThreatSource> enemies) {
    if (enemies.size() > kMaxThreatSources) {
        return Error{"enemies", std::to_string(enemies.size()) + " entries", "use at most " + std::to_string(kMaxThreatSources) + " for a side"};
    }
    std::vector<std::uint32_t> ids;
    ids.reserve(enemies.size());
    for (std::size_t i = 0; i < enemies.size(); ++i) {
        if (auto error = checkSource(enemies[i], "enemies[" + std::to_string(i) + "].")) return error;
        ids.push_back(enemies[i].id);
    }
    std::sort(ids.begin(), ids.end());
    if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end()) {
        return Error{"enemies", "id " + std::to_string(*twice) + " twice", "give each enemy of a side an id of its own"};
    }
    return std::nullopt;
}

std::optional<Error> ThreatConfig::validate() const {
    if (resolution != 1 && resolution != 2 && resolution != 4 && resolution != 8) {
        return Error{"resolution", std::to_string(resolution), "use 1, 2, 4 or 8 metres"};
    }
    const int limit = std::min(kMaxBlurRadius, kChunkSize / resolution);
    if (blur_radius < 0 || blur_radius > limit) return Error{"blur_radius", std::to_string(blur_radius), "use 0 to " + std::to_string(limit) + " threat cells"};
    if (!(hidden_factor >= 0.0f && hidden_factor <= 1.0f)) return Error{"hidden_factor", numberText(hidden_factor), "use a number within 0..1"};
    if (!(eye_height >= 0.0f && eye_height <= 80.0f)) return Error{"eye_height", numberText(eye_height), "use metres within 0..80"};
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
    Spares spares;
    std::vector<Entry> entries;   // by id
    std::uint64_t cells_done = 0;
    std::size_t pending = 0;      // entries whose `pending` is set
    std::size_t cursor = 0;       // where to look for the next pending one: in turn, so that none waits for ever
    Change change;
    std::vector<std::uint32_t> dirty_sums, dirty_values, unpublished;  // tiles
    std::map<std::array<std::uint64_t, 2>, std::shared_ptr<const Falloff>> falloffs;
    sight::ViewScratch view;
    sight::BitWindow seen;
    threat::SourceRows source_rows;
    std::vector<threat::Stretch> stretches;
    std::unique_ptr<threat::BlurPiece> piece = std::make_unique<threat::BlurPiece>();

    [[nodiscard]] Span bounds() const { return {0, 0, width, height}; }
    [[nodiscard]] Span tileSpan(std::uint32_t index) const {
        const int x = static_cast<int>(index) % columns * tile_side, y = static_cast<int>(index) / columns * tile_side;
        return {x, y, x + tile_side, y + tile_side};
    }
    [[nodiscard]] std::size_t cellsOfTile() const { return static_cast<std::size_t>(tile_side * tile_side); }
    Tile& tileAt(std::uint32_t index) {
        std::unique_ptr<Tile>& tile = tiles[index];
        if (tile == nullptr) {
            tile = spares.tile(cellsOfTile());
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
    }
    void want(const ThreatSource& source);
    bool dismiss(Entry& entry);

    std::shared_ptr<const Falloff> falloffFor(const ThreatSource& source, int x, int y);
    [[nodiscard]] Applied placeOf(const ThreatSource& source);
    [[nodiscard]] std::size_t viewBytes(const ThreatSource& source) const;
    bool work(std::int64_t& left);
    void beginChange(std::int64_t& left);
    void continueChange(std::int64_t& left);
    void endLook();
    void endChange();
    [[nodiscard]] Span reachOf(const Applied& applied) const;
    bool touchTiles(const Applied& applied, bool adding, std::int64_t& left);
    bool apply(const Applied& applied, bool adding, std::int64_t& left);
    void spreadDirt();
    std::int64_t blur(std::uint32_t index);
    void prefetch(std::uint32_t index) const;
    void makeReady(std::unique_ptr<Tile>& at, std::uint32_t index);
    void summarise(const Tile& tile, std::uint32_t index, std::array<std::uint16_t, 64>& mean, std::array<std::uint16_t, 64>& most) const;
};

void ThreatMap::Data::want(const ThreatSource& source) {
    auto it = find(source.id);
    if (it == entries.end() || it->id != source.id) {
        Entry entry;
        entry.id = source.id;
        entry.wanted = source;
        entries.insert(it, std::move(entry));
        ++pending;
        return;
    }
    if (it->present && it->wanted == source) return;
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

Applied ThreatMap::Data::placeOf(const ThreatSource& source) {
    Applied place;
    const Cell cell = cellAt(source.position);
    place.x = cell.x - snapshot.origin().x;
    place.y = cell.y - snapshot.origin().y;
    place.falloff = falloffFor(source, place.x, place.y);
    return place;
}

/// The most that the view of a source can take, whatever the ground.
std::size_t ThreatMap::Data::viewBytes(const ThreatSource& source) const {
    if (!config.line_of_sight) return 0;
    const Cell cell = cellAt(source.position);
    const int radius = static_cast<int>(std::ceil(source.range)) + config.resolution;
    return Applied::bytesFor(radius, sight::extentsOf(snapshot, cell.x - snapshot.origin().x, cell.y - snapshot.origin().y, radius));
}

/// Takes up the next source whose wish differs from what is applied.
void ThreatMap::Data::beginChange(std::int64_t& left) {
    do cursor = cursor + 1 < entries.size() ? cursor + 1 : 0;
    while (!entries[cursor].pending);
    Entry& entry = entries[cursor];
    left -= kUnitCells;
    const bool look_again = entry.look_again;
    entry.look_again = false;
    change = {Change::Stage::Look, entry.id, entry.wanted, entry.present, {}, 0};
    if (!entry.present) {
        change.stage = Change::Stage::TakeTiles;
        return;
    }
    change.next = placeOf(entry.wanted);
    if (change.next.samePlace(entry.applied) && !look_again) return endChange();
    if (!config.line_of_sight) return endLook();
    const int eye = static_cast<int>(std::floor(config.eye_height * 100.0f + 0.5f));
    sight::beginView(snapshot, change.next.x, change.next.y, change.next.falloff->view_radius, {eye, eye}, view);
}

void ThreatMap::Data::continueChange(std::int64_t& left) {
    using Stage = Change::Stage;
    Change& c = change;
    if (c.stage == Stage::Look) {
        if (!sight::continueView(view, seen, left)) return;
        if (!view.sees_all) c.next.keep(seen, view.extents);
        if (view.radius > kLargeView) {
            view.rows = view.columns = view.shadows.turned = seen = {};
            view.heights = {};
            view.horizons = {};
        }
        return endLook();
    }
    const Applied& before = find(c.id)->applied;
    switch (c.stage) {
        case Stage::TakeTiles:
            if (before.falloff != nullptr && !touchTiles(before, false, left)) return;
            c.stage = Stage::Take;
            break;
        case Stage::Take:
            if (before.falloff != nullptr && !apply(before, false, left)) return;
            c.stage = Stage::GiveTiles;
            break;
        case Stage::GiveTiles:
            if (c.next.falloff != nullptr && !touchTiles(c.next, true, left)) return;
            c.stage = Stage::Give;
            break;
        default:
            if (c.next.falloff != nullptr && !apply(c.next, true, left)) return;
            find(c.id)->applied = std::move(c.next);
            endChange();
            break;
    }
    c.row = 0;
}

void ThreatMap::Data::endLook() {
    const Applied& before = find(change.id)->applied;
    const bool equal = change.next.samePlace(before) && change.next.sees_all == before.sees_all && change.next.seen == before.seen;
    if (equal) return endChange();
    change.stage = Change::Stage::TakeTiles;
}

/// What has been asked for meanwhile stays pending.
void ThreatMap::Data::endChange() {
    Entry& entry = *find(change.id);
    const bool done = !entry.look_again && entry.present == change.present && (!entry.present || entry.wanted == change.wish);
    change.stage = Change::Stage::None;
    change.next = {};
    if (!done) return;
    entry.pending = false;
    --pending;
}

/// The threat cells that a source reaches, in the map.
Span ThreatMap::Data::reachOf(const Applied& applied) const {
    const Falloff& falloff = *applied.falloff;
    const int base_x = applied.x >> shift, base_y = applied.y >> shift;
    return Span{base_x + falloff.left, base_y + falloff.top, base_x + falloff.right, base_y + falloff.bottom}.clipped(bounds());
}

/// Makes the tiles ready that a source reaches, a row of them at a time from change.row on. @return whether all are.
bool ThreatMap::Data::touchTiles(const Applied& applied, bool adding, std::int64_t& left) {
    const Span reach = reachOf(applied);
    if (reach.empty()) return true;
    for (; (reach.y0 >> tile_shift) + change.row <= (reach.y1 - 1) >> tile_shift; ++change.row) {
        if (left <= 0) return false;
        const int ty = (reach.y0 >> tile_shift) + change.row;
        for (int tx = reach.x0 >> tile_shift; tx <= (reach.x1 - 1) >> tile_shift; ++tx) {
            const auto index = static_cast<std::uint32_t>(ty * columns + tx);
            Tile& tile = tileAt(index);
            tile.sources += adding ? 1u : ~0u;
            if (tile.sums.empty()) {
                tile.sums = spares.sums(cellsOfTile());
                left -= kTileCells;
            }
            if (tile.dirty_sums.empty()) dirty_sums.push_back(index);
            tile.dirty_sums.include(reach.clipped(tileSpan(index)));
        }
    }
    return true;
}

/// Adds or takes away the rows of a source from change.row on. @return whether all are done.
bool ThreatMap::Data::apply(const Applied& applied, bool adding, std::int64_t& left) {
    const Falloff& falloff = *applied.falloff;
    const int base_x = applied.x >> shift, base_y = applied.y >> shift;
    const auto write = adding ? threat::kernels().add : threat::kernels().subtract;
    const bool as_kept = applied.sees_all && falloff.kept;  // then rows are at hand, and go to the kernel many at a time
    const std::int64_t cost = falloff.kept ? 1 : kUnkeptCost;
    std::size_t count = 0;
    const auto flush = [&] {
        write(stretches.data(), count);
        count = 0;
    };
    for (; change.row < static_cast<int>(falloff.rows.size()); ++change.row) {
        if (left <= 0) {
            flush();
            return false;
        }
        const auto i = static_cast<std::size_t>(change.row);
        const FalloffRow& row = falloff.rows[i];
        const int y = base_y + falloff.first_row + change.row, x = base_x + row.first;
        const int x0 = std::max(x, 0), x1 = std::min(x + row.count, width);
        if (row.count == 0 || y < 0 || y >= height || x0 >= x1) continue;
        left -= kRowCells + cost * row.count;
        const std::uint32_t* line = as_kept ? falloff.keptFull(i) : source_rows.row(applied, i, x0 - x, x1 - x);
        const std::size_t tile_row = static_cast<std::size_t>(y >> tile_shift) * static_cast<std::size_t>(columns);
        const int first_tile = x0 >> tile_shift, last_tile = (x1 - 1) >> tile_shift;
        if (const std::size_t most = count + static_cast<std::size_t>(last_tile - first_tile + 1); most > stretches.size()) stretches.resize(2 * most);
        for (int tx = first_tile; tx <= last_tile; ++tx) {
            const int west = tx << tile_shift;
            const int first = std::max(x0 - west, 0), last = std::min(x1 - west, tile_side);
            std::uint32_t* sums = tiles[tile_row + static_cast<std::size_t>(tx)]->sums.data() + ((y & (tile_side - 1)) << tile_shift);
            if (tile_side >= kLanes) {  // whole blocks: the zeros around a row make up for what lies beside it
                const int from = first & ~(kLanes - 1), to = (last + kLanes - 1) & ~(kLanes - 1);
                stretches[count++] = {sums + from, line + (west + from - x), (to - from) / kLanes};
            } else {
                for (int c = first; c < last; ++c) sums[c] = adding ? sums[c] + line[west + c - x] : sums[c] - line[west + c - x];
            }
        }
        if (!as_kept || count >= kStretches) flush();
    }
    flush();
    return true;
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
            spares.keep(std::move(tile.sums));
            tile.sums = {};
        }
    }
    dirty_sums.clear();
    std::sort(dirty_values.begin(), dirty_values.end(), std::greater<>());  // taken from the back
}

/// Has what blur() reads of the next tile fetched meanwhile: its sums have mostly left the caches since they were added up.
void ThreatMap::Data::prefetch(std::uint32_t index) const {
    const Tile& tile = *tiles[index];
    constexpr std::size_t kLine = 64;
    const auto fetch = [](const void* from, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; i += kLine) __builtin_prefetch(static_cast<const char*>(from) + i);
    };
    fetch(tile.sums.data(), tile.sums.size() * sizeof(std::uint32_t));
    fetch(tile.values.data(), tile.values.size() * sizeof(std::uint16_t));
    if (tile.published != nullptr) fetch(tile.published.get(), sizeof(ThreatChunk));
}

std::int64_t ThreatMap::Data::blur(std::uint32_t index) {
    Tile& tile = *tiles[index];
    const Span area = tile.dirty_values;
    tile.dirty_values = Span{};
    threat::BlurPiece& p = *piece;
    const int radius = config.blur_radius;
    const Span span = tileSpan(index);
    if (radius == 0) {
        const bool whole_rows = area.x1 - area.x0 == tile_side;  // then all of them in one go
        const int count = whole_rows ? tile_side * (area.y1 - area.y0) : area.x1 - area.x0;
        for (int y = area.y0 - span.y0; y < area.y1 - span.y0; y += whole_rows ? tile_side : 1) {
            const std::size_t at = static_cast<std::size_t>((y << tile_shift) + (area.x0 - span.x0));
            if (tile.sums.empty()) std::fill_n(tile.values.data() + at, count, std::uint16_t{0});
            else threat::kernels().convert(tile.sums.data() + at, count, reinterpret_cast<std::int16_t*>(tile.values.data() + at));
        }
        makeReady(tiles[index], index);
        return (area.x1 - area.x0) * (area.y1 - area.y0) + kUnitCells / 4;
    }
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
        std::int16_t* row = p.in + i * threat::kPaddedStride;
        const int end = x1 - (area.x0 - radius);
        if (y < 0 || y >= height) {
            std::fill(row, row + end, std::int16_t{0});
            continue;
        }
        std::fill(row, row + (x0 - (area.x0 - radius)), std::int16_t{0});
        for (int x = x0; x < x1;) {
            const int stop = std::min(x1, ((x >> tile_shift) + 1) << tile_shift);
            const Tile* from = tiles[static_cast<std::size_t>((y >> tile_shift) * columns + (x >> tile_shift))].get();
            std::int16_t* to = row + (x - (area.x0 - radius));
            if (from == nullptr || from->sums.empty()) {
                std::fill(to, to + (stop - x), std::int16_t{0});
            } else {
                convert(from->sums.data() + (((y & (tile_side - 1)) << tile_shift) + (x & (tile_side - 1))), stop - x, to);
            }
            x = stop;
        }
        std::fill(row + end, row + p.width + 2 * radius, std::int16_t{0});
    }
    threat::kernels().blur(p, tile.values.data() + (((area.y0 - span.y0) << tile_shift) + (area.x0 - span.x0)), tile_side);
    makeReady(tiles[index], index);
    return p.width * p.height + kUnitCells / 4;
}

/// Decides, while the values are at hand, whether they have moved enough to be published; lets tiles go that hold nothing any more.
void ThreatMap::Data::makeReady(std::unique_ptr<Tile>& at, std::uint32_t index) {
    Tile& tile = *at;
    std::array<std::uint16_t, 64> block_mean, block_max;
    summarise(tile, index, block_mean, block_max);
    static constexpr std::array<std::uint16_t, 64> kNone{};
    const std::uint16_t* mean = (tile.published != nullptr ? tile.published->block_mean : kNone).data();
    const std::uint16_t* most = (tile.published != nullptr ? tile.published->block_max : kNone).data();
    int any = 0, moved = 0;
    for (std::size_t k = 0; k < kNone.size(); ++k) {
        any |= block_max[k];
        moved |= (std::abs(block_mean[k] - mean[k]) >= kPublishStep ? 1 : 0) | (std::abs(block_max[k] - most[k]) >= kPublishStep ? 1 : 0);
    }
    tile.all_zero = any == 0;
    if (moved == 0 || tile.all_zero) {
        spares.keep(std::move(tile.ready));
        tile.ready = nullptr;
    } else {
        if (tile.ready == nullptr) tile.ready = spares.record();
        ThreatChunk& record = *tile.ready;
        record.resolution_shift = static_cast<std::uint8_t>(shift);
        record.values = tile.values;
        record.block_mean = block_mean;
        record.block_max = block_max;
    }
    if (tile.unpublished) return;  // publish() will see to it
    if (tile.all_zero && tile.sources == 0 && tile.published == nullptr) {
        spares.keep(std::move(at));
    } else {
        tile.unpublished = true;
        unpublished.push_back(index);
    }
}

/// Mean and maximum of the blocks, over the cells that lie inside the map.
void ThreatMap::Data::summarise(const Tile& tile, std::uint32_t index, std::array<std::uint16_t, 64>& mean, std::array<std::uint16_t, 64>& most) const {
    threat::kernels().blocks(tile.values.data(), tile_side, mean.data(), most.data());
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
            mean[static_cast<std::size_t>(by * 8 + bx)] = static_cast<std::uint16_t>(count != 0 ? (sum + count / 2) / count : 0);
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
    std::size_t bytes = data_->viewBytes(source);
    for (const Entry& entry : data_->entries) bytes += entry.present && entry.id != source.id ? data_->viewBytes(entry.wanted) : 0;
    if (bytes > kMaxViewBytes) return tooMuchToSee("range", bytes);
    data_->want(source);
    return std::nullopt;
}

bool ThreatMap::removeThreatSource(std::uint32_t id) {
    const auto it = data_->find(id);
    return it != data_->entries.end() && it->id == id && data_->dismiss(*it);
}

std::optional<Error> ThreatMap::check(std::span<const ThreatSource> enemies) const {
    if (auto error = checkThreatSources(enemies)) return error;
    std::size_t bytes = 0;
    for (const ThreatSource& source : enemies) bytes += data_->viewBytes(source);
    if (bytes > kMaxViewBytes) return tooMuchToSee("enemies", bytes);
    return std::nullopt;
}

std::optional<Error> ThreatMap::update(std::span<const ThreatSource> enemies) {
    if (auto error = check(enemies)) return error;
    std::vector<std::uint32_t> ids;
    ids.reserve(enemies.size());
    for (const ThreatSource& source : enemies) ids.push_back(source.id);
    std::sort(ids.begin(), ids.end());
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
        const auto isNear = [&](const Applied& applied) {
            if (applied.falloff == nullptr) return false;
            const int reach = applied.falloff->view_radius + 1;
            const Span near{limitX(applied.x - reach), limitY(applied.y - reach), limitX(applied.x + reach) + 1, limitY(applied.y + reach) + 1};
            return !near.clipped(changed).empty();
        };
        for (Entry& entry : d.entries) {
            const bool under_way = d.change.stage != Change::Stage::None && d.change.id == entry.id;
            if (!isNear(entry.applied) && !(under_way && isNear(d.change.next))) continue;
            entry.look_again = true;
            d.markPending(entry);
        }
    });
}

bool ThreatMap::settled() const { return data_->pending == 0 && data_->dirty_sums.empty() && data_->dirty_values.empty(); }

std::uint64_t ThreatMap::unitsDone() const { return data_->cells_done / kUnitCells; }

bool ThreatMap::step(std::uint64_t units) {
    const std::int64_t given = std::max(static_cast<std::int64_t>(std::min(units, std::uint64_t{1} << 50)) * kUnitCells, std::int64_t{1});
    std::int64_t left = given;
    const bool done = data_->work(left);
    data_->cells_done += static_cast<std::uint64_t>(given - left);
    return done;
}

bool ThreatMap::Data::work(std::int64_t& left) {
    Data& d = *this;
    while (d.pending != 0) {
        if (left <= 0) return false;
        if (d.change.stage == Change::Stage::None) d.beginChange(left);
        while (d.change.stage != Change::Stage::None && left > 0) d.continueChange(left);
    }
    std::erase_if(d.entries, [](const Entry& e) { return !e.present; });
    d.cursor = 0;
    if (d.falloffs.size() > kFalloffsKept) std::erase_if(d.falloffs, [](const auto& kind) { return kind.second.use_count() == 1; });
    if (!d.dirty_sums.empty()) d.spreadDirt();
    while (!d.dirty_values.empty()) {
        if (left <= 0) return false;
        const std::uint32_t index = d.dirty_values.back();
        d.dirty_values.pop_back();
        if (!d.dirty_values.empty()) d.prefetch(d.dirty_values.back());
        left -= d.blur(index);
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
            d.spares.keep(std::move(tile.published));
            tile.published = tile.ready;
            edit.setThreat(d.side, chunk, std::move(tile.ready));
            tile.ready = nullptr;
            ++written;
        } else if (tile.all_zero && tile.published != nullptr) {
            d.spares.keep(std::move(tile.published));
            tile.published = nullptr;
            edit.setThreat(d.side, chunk, nullptr);
            ++written;
        }
        if (tile.all_zero && tile.sources == 0) d.spares.keep(std::move(d.tiles[index]));
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
    bytes += d.spares.memoryBytes(d.cellsOfTile());
    for (const Entry& entry : d.entries) bytes += entry.applied.seen.capacity() * sizeof(std::uint64_t);
    for (const auto& [key, falloff] : d.falloffs) {
        bytes += sizeof(Falloff) + falloff->rows.capacity() * sizeof(FalloffRow) + 4 * sizeof(std::uint32_t) * falloff->numbers.full.capacity();
    }
    return bytes;
}

}  // namespace warpath
