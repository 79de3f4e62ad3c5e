#include "warpath/search/chunk_table.h"

#include <algorithm>

#include "grid/metric_words.h"
#include "search/chunk_costs.h"
#include "warpath/core/assert.h"
#include "warpath/core/directions.h"
#include "warpath/core/hash.h"

namespace warpath {
namespace {

constexpr int kLast = kChunkSize - 1;

/// The compiled chunk and its neighbours, read by coordinates relative to the chunk (-64..127).
class Surroundings {
public:
    /// @param reach 1; 0 when the neighbours will not be asked for.
    Surroundings(const WorldSnapshot& snapshot, const Metric& metric, ChunkCoord chunk, TileStore& store, int reach) : model_(snapshot.rules(), {metric, 0, 0}) {
        for (int dy = -reach; dy <= reach; ++dy) {
            for (int dx = -reach; dx <= reach; ++dx) {
                const ChunkCoord c{chunk.x + dx, chunk.y + dy};
                if (c.x < 0 || c.y < 0 || c.x >= snapshot.chunkColumns() || c.y >= snapshot.chunkRows()) continue;
                Tiles& tiles = tiles_[static_cast<std::size_t>((dy + 1) * 3 + dx + 1)];
                tiles.moves = store.moves(snapshot, metric.profile, c);
                tiles.costs = store.costs(snapshot, model_.key(), c);
            }
        }
        elevated_ = model_.pricesElevation() && snapshot.state().elevated_chunks != 0;
    }

    [[nodiscard]] bool has(int x, int y) const { return at(x, y).moves != nullptr; }
    [[nodiscard]] bool fits(int x, int y) const { return has(x, y) && at(x, y).moves->fits(localIndex(x, y)); }
    /// The step is legal and both its ends are places to stand.
    [[nodiscard]] bool legal(int x, int y, int direction) const {
        return fits(x, y) && ((at(x, y).moves->moves[static_cast<std::size_t>(localIndex(x, y))] >> direction) & 1) != 0;
    }
    [[nodiscard]] std::uint32_t stepCost(int x, int y, int direction) const {
        const int nx = x + kStepX[direction], ny = y + kStepY[direction];
        Cost cost = stepLength(direction) * Cost{at(nx, ny).costs->f[static_cast<std::size_t>(localIndex(nx, ny))]};
        if (elevated_) cost += model_.riseCost(height(nx, ny) - height(x, y));
        return static_cast<std::uint32_t>(std::min<Cost>(cost, ChunkTable::kDearest));
    }
    [[nodiscard]] const MoveTile& moves() const { return *tiles_[4].moves; }
    [[nodiscard]] const CostTile& costs() const { return *tiles_[4].costs; }
    [[nodiscard]] bool elevated() const { return elevated_; }
    [[nodiscard]] std::uint32_t elevationWeight() const { return model_.key().metric.elevation_weight; }

private:
    struct Tiles {
        std::shared_ptr<const MoveTile> moves;
        std::shared_ptr<const CostTile> costs;
    };
    [[nodiscard]] const Tiles& at(int x, int y) const { return tiles_[static_cast<std::size_t>(((y >> kChunkShift) + 1) * 3 + (x >> kChunkShift) + 1)]; }
    [[nodiscard]] std::int32_t height(int x, int y) const {
        const CostTile& tile = *at(x, y).costs;
        return tile.elevation_cm[static_cast<std::size_t>(localIndex(x, y)) & tile.elevation_mask];
    }

    CostModel model_;
    bool elevated_ = false;
    std::array<Tiles, 9> tiles_;
};

/// Finds the crossings of one chunk. A border is always walked in the same order and described from its north or west chunk (`a`), so that both
/// chunks list the same crossings at the same ranks.
class PortalFinder {
public:
    PortalFinder(const Surroundings& around, const PortalRules& rules, ChunkTable& out) : around_(around), spacing_(static_cast<int>(rules.spacing)), out_(out) {}

    void find() {
        for (int side = 0; side < kDirections; ++side) {
            out_.side_begin[static_cast<std::size_t>(side)] = static_cast<std::uint16_t>(out_.portals.size());
            side_ = side;
            mine_is_a_ = side < 4;  // east, south east, south, south west: the chunk here is `a`
            if (isDiagonal(side)) {
                addCorner();
            } else {
                addBorder();
            }
        }
        out_.side_begin[kDirections] = static_cast<std::uint16_t>(out_.portals.size());
    }

private:
    struct End {
        int x, y;
    };
    struct Crossing {
        End a;
        int direction;  // from a to b
        bool forward, backward;
        [[nodiscard]] End b() const { return {a.x + kStepX[direction], a.y + kStepY[direction]}; }
        [[nodiscard]] bool any() const { return forward || backward; }
    };

    [[nodiscard]] Crossing crossing(End a, int direction) const {
        const End b{a.x + kStepX[direction], a.y + kStepY[direction]};
        const bool ends = around_.fits(a.x, a.y) && around_.fits(b.x, b.y);
        return {a, direction, ends && around_.legal(a.x, a.y, direction), ends && around_.legal(b.x, b.y, oppositeOf(direction))};
    }

    void add(const Crossing& c) {
        const End b = c.b();
        const End mine = mine_is_a_ ? c.a : b;
        const int out = mine_is_a_ ? c.direction : oppositeOf(c.direction);
        const bool legal = mine_is_a_ ? c.forward : c.backward;
        ChunkPortal portal;
        portal.cell = static_cast<std::uint16_t>(localIndex(mine.x, mine.y));
        portal.side = static_cast<std::uint8_t>(side_);
        portal.direction = static_cast<std::uint8_t>(out);
        portal.crossing = legal ? around_.stepCost(mine.x, mine.y, out) : ChunkTable::kNoWay;
        out_.portals.push_back(portal);
    }

    /// The two-step ways around a diagonal step, over either of its side cells.
    [[nodiscard]] bool replaced(End from, int direction) const {
        const int one = (direction + 7) & 7, other = (direction + 1) & 7;
        for (const int first : {one, other}) {
            const int second = first == one ? other : one;
            const End middle{from.x + kStepX[first], from.y + kStepY[first]};
            if (around_.legal(from.x, from.y, first) && around_.legal(middle.x, middle.y, second)) return true;
        }
        return false;
    }

    void addDiagonal(End a, int direction) {
        const Crossing c = crossing(a, direction);
        const End b = c.b();
        const bool forward = c.forward && !replaced(a, direction), backward = c.backward && !replaced(b, oppositeOf(direction));
        if (forward || backward) add(c);
    }

    void addCorner() {
        switch (side_) {
            case 1: addDiagonal({kLast, kLast}, 1); break;
            case 3: addDiagonal({0, kLast}, 3); break;
            case 5: addDiagonal({-1, -1}, 1); break;
            default: addDiagonal({kChunkSize, -1}, 3); break;
        }
    }

    void addBorder() {
        const bool east_west = side_ == 0 || side_ == 4;
        const int line = side_ == 0 || side_ == 2 ? kLast : -1;  // of `a`
        const int across = east_west ? 0 : 2;                    // from a to b
        const int along = east_west ? 2 : 0;                     // to the next crossing
        const auto endAt = [&](int i) { return east_west ? End{line, i} : End{i, line}; };
        if (const End first = endAt(0); !around_.has(first.x, first.y) || !around_.has(first.x + kStepX[across], first.y + kStepY[across])) return;

        const auto joined = [&](int i) {  // crossings i - 1 and i, on both sides and both ways
            const End a = endAt(i - 1), a2 = endAt(i);
            const End b{a.x + kStepX[across], a.y + kStepY[across]}, b2{a2.x + kStepX[across], a2.y + kStepY[across]};
            return around_.legal(a.x, a.y, along) && around_.legal(a2.x, a2.y, oppositeOf(along)) && around_.legal(b.x, b.y, along) &&
                   around_.legal(b2.x, b2.y, oppositeOf(along));
        };
        int begin = -1;
        Crossing first{};
        for (int i = 0; i <= kChunkSize; ++i) {
            const Crossing c = i < kChunkSize ? crossing(endAt(i), across) : Crossing{};
            const bool continues = begin >= 0 && i < kChunkSize && c.forward == first.forward && c.backward == first.backward && joined(i);
            if (begin >= 0 && !continues) {
                placePortals(begin, i - 1, [&](int at) { add(crossing(endAt(at), across)); });
                begin = -1;
            }
            if (begin < 0 && i < kChunkSize && c.any()) {
                begin = i;
                first = c;
            }
        }
        const int left = (across + 7) & 7, right = (across + 1) & 7;
        for (int i = 0; i < kChunkSize; ++i) {
            for (const int direction : {left, right}) {
                const int target = i + (east_west ? kStepY[direction] : kStepX[direction]);
                if (target >= 0 && target < kChunkSize) addDiagonal(endAt(i), direction);
            }
        }
    }

    /// Narrow entrances get one portal in the middle, wide ones their ends and evenly spaced ones between.
    template <class Add>
    void placePortals(int first, int last, Add&& add_at) const {
        const int width = last - first;
        if (width * 2 < spacing_) return add_at(first + width / 2);
        const int gaps = (width + spacing_ - 1) / spacing_;
        for (int i = 0; i <= gaps; ++i) add_at(first + width * i / gaps);
    }

    const Surroundings& around_;
    int spacing_;
    ChunkTable& out_;
    int side_ = 0;
    bool mine_is_a_ = false;
};

/// Adds an array eight bytes at a time.
template <class T, std::size_t N>
void addAll(Hash128& hash, const std::array<T, N>& values) {
    constexpr std::size_t kPerWord = sizeof(std::uint64_t) / sizeof(T);
    for (std::size_t i = 0; i < N; i += kPerWord) {
        std::uint64_t word = 0;
        for (std::size_t k = 0; k < kPerWord; ++k) word |= std::uint64_t{values[i + k]} << (8 * sizeof(T) * k);
        hash.add(word);
    }
}

void add(Hash128& hash, const ChunkPortal& p) {
    hash.add((std::uint64_t{p.cell} << 48) | (std::uint64_t{p.side} << 40) | (std::uint64_t{p.direction} << 32) | p.crossing);
}

Digest128 digestOf(const ChunkTable& table) {
    Hash128 digest;
    for (const ChunkPortal& p : table.portals) add(digest, p);
    for (std::size_t i = 0; i + 1 < table.costs.size(); i += 2) digest.add((std::uint64_t{table.costs[i]} << 32) | table.costs[i + 1]);
    if (table.costs.size() % 2 != 0) digest.add(table.costs.back());
    return digest.value();
}

Digest128 nameOf(const WorldSnapshot& snapshot, const Metric& m, ChunkCoord chunk, const PortalRules& rules) {
    Hash128 name;
    name.add(snapshot.state().world_id);
    name.add(snapshot.state().rules_revision);
    name.add(snapshot.neighbourhoodRevision(chunk));
    name.add((static_cast<std::uint64_t>(static_cast<std::uint32_t>(chunk.x)) << 32) | static_cast<std::uint32_t>(chunk.y));
    for (const std::uint64_t word : wordsOf(m)) name.add(word);
    name.add(std::uint64_t{rules.spacing} | (std::uint64_t{snapshot.state().has_cover} << 32) | (std::uint64_t{snapshot.state().elevated_chunks != 0} << 33));
    return name.value();
}

}  // namespace

struct ChunkTableBuilder::Impl {
    ChunkCosts costs;
    std::uint64_t built = 0;

    void fillCosts(const Surroundings& around, ChunkTable& out) {
        const std::size_t count = out.count();
        out.costs.assign(count * count, ChunkTable::kNoWay);
        if (count == 0) return;
        const CostTile& tile = around.costs();
        ChunkCosts::Heights heights;
        if (around.elevated()) heights = {tile.elevation_cm.data(), tile.elevation_mask, around.elevationWeight()};
        costs.prepare(tile.f.data(), around.moves().moves.data(), heights, TravelDirection::from_sources);
        for (std::size_t from = 0; from < count; ++from) {
            std::uint32_t* row = out.costs.data() + from * count;
            std::size_t same = 0;  // an earlier portal on the same cell
            while (out.portals[same].cell != out.portals[from].cell) ++same;
            if (same != from) {
                std::copy_n(out.costs.data() + same * count, count, row);
                continue;
            }
            const auto& reached = costs.from(out.portals[from].cell);
            for (std::size_t to = 0; to < count; ++to) row[to] = reached[out.portals[to].cell];
        }
    }
};

ChunkTableBuilder::ChunkTableBuilder() : impl_(std::make_unique<Impl>()) {}
ChunkTableBuilder::~ChunkTableBuilder() = default;
ChunkTableBuilder::ChunkTableBuilder(ChunkTableBuilder&&) noexcept = default;
ChunkTableBuilder& ChunkTableBuilder::operator=(ChunkTableBuilder&&) noexcept = default;

std::uint64_t ChunkTableBuilder::built() const { return impl_->built; }

std::shared_ptr<const ChunkTable> ChunkTableBuilder::table(const WorldSnapshot& snapshot, const Metric& metric, ChunkCoord chunk, TileStore& store,
                                                           const PortalRules& rules, const ChunkTable* before) {
    WARPATH_ASSERT(snapshot.state().congested_chunks == 0, "congestion never enters a table");
    auto make = [&]() -> TileStore::MadeTable {
        const Surroundings around(snapshot, metric, chunk, store, before != nullptr ? 0 : 1);
        auto table = std::make_shared<ChunkTable>();
        if (before != nullptr) {
            table->portals = before->portals;
            table->side_begin = before->side_begin;
        } else {
            PortalFinder(around, rules, *table).find();
        }
        WARPATH_ASSERT(table->count() < ChunkTable::kMaxPortals, "at most 764 crossings");
        Hash128 digest;
        addAll(digest, around.moves().moves);
        addAll(digest, around.moves().free_rows);
        addAll(digest, around.costs().f);
        if (around.elevated()) {
            digest.add(around.elevationWeight());
            for (const std::int32_t h : around.costs().elevation_cm) digest.add(static_cast<std::uint64_t>(std::int64_t{h}));
        }
        for (const ChunkPortal& p : table->portals) add(digest, p);
        if (auto same = store.findTable(digest.value())) return {same, 0, digest.value()};
        impl_->fillCosts(around, *table);
        table->digest = digestOf(*table);
        ++impl_->built;
        const std::size_t bytes = table->memoryBytes();
        return {std::move(table), bytes, digest.value()};
    };
    return std::static_pointer_cast<const ChunkTable>(store.table(nameOf(snapshot, metric, chunk, rules), make));
}

bool changedInside(const ChunkGround* before, const ChunkGround* after, const Metric& metric, const WorldSnapshot& snapshot) {
    if (before == nullptr || after == nullptr) return false;
    const float sight = snapshot.state().has_cover ? snapshot.rules().cover.detection_radius + 2.0f : 0.0f;
    const int reach = metric.profile.size + metric.wall_distance + static_cast<int>(sight) + 3;
    if (reach >= kChunkSize / 2) return false;
    const bool heights = before->elevation != after->elevation || before->flat_elevation_cm != after->flat_elevation_cm;
    for (int y = 0; y < kChunkSize; ++y) {
        const bool rim = y < reach || y >= kChunkSize - reach;
        for (int x = 0; x < kChunkSize; ++x) {
            if (!rim && x == reach) x = kChunkSize - reach;
            const auto i = static_cast<std::size_t>(localIndex(x, y));
            if (before->terrain[i] != after->terrain[i] || before->obstacle[i] != after->obstacle[i]) return false;
            if (heights && before->elevationCm(static_cast<int>(i)) != after->elevationCm(static_cast<int>(i))) return false;
        }
    }
    return true;
}

WorldSnapshot withoutCongestion(const WorldSnapshot& snapshot) {
    if (snapshot.state().congested_chunks == 0) return snapshot;
    auto state = std::make_shared<WorldState>(snapshot.state());
    state->congestion = ChunkDirectory<CongestionChunk>(snapshot.chunkColumns(), snapshot.chunkRows());
    state->congested_chunks = 0;
    return WorldSnapshot(std::move(state));
}

}  // namespace warpath
