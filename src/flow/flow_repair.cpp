// Repair of a field after changes: compare the ground cell by cell, drop what led through it, look again from the rim.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "flow/flow_builder_impl.h"

namespace warpath {
namespace {

using flow::ChunkWork;
using flow::Integration;
using flow::Place;
using flow::Seed;

constexpr std::uint64_t kFirstColumn = 1, kLastColumn = std::uint64_t{1} << (kChunkSize - 1);

std::uint64_t around(std::uint64_t rows) { return rows | (rows << 1) | (rows >> 1); }

/// The repair of one field.
class Repair {
public:
    Repair(FlowBuilder::Impl& builder, const FlowField& before) : b_(builder), field_(builder.field), before_(before) {}

    /// Marks the chunks whose costs or moves may differ, and those whose revisions do.
    void findChunks(const WorldSnapshot& now) {
        const WorldState &old_state = before_.snapshot().state(), &new_state = now.state();
        const Metric& metric = b_.request.key.metric;
        const int size = metric.profile.size;
        const bool cover = (metric.cover_weight != 0 || metric.exposure_weight != 0) && new_state.has_cover;
        const int reach = cover ? kChunkSize : size + 2 + metric.wall_distance;
        new_state.ground.forEachDifference(old_state.ground, [&](ChunkCoord c, const ChunkGround* mine, const ChunkGround* theirs) {
            const CellRect r = groundDifference(*mine, *theirs);
            for (int y = c.y - 1; y <= c.y + 1; ++y) {
                for (int x = c.x - 1; x <= c.x + 1; ++x) {
                    const CellRect chunk{(x - c.x) << kChunkShift, (y - c.y) << kChunkShift, kChunkSize, kChunkSize};
                    note({x, y}, !r.empty() && !intersect({r.x - reach, r.y - reach, r.width + 2 * reach, r.height + 2 * reach}, chunk).empty());
                }
            }
        });
        const auto layer = [&](ChunkCoord c) {
            const int back = middleOffset(size) == 0 ? 0 : 1;
            for (int y = c.y - back; y <= c.y; ++y) {
                for (int x = c.x - back; x <= c.x; ++x) note({x, y}, true);
            }
        };
        new_state.congestion.forEachDifference(old_state.congestion, [&](ChunkCoord c, const CongestionChunk*, const CongestionChunk*) { layer(c); });
        if (b_.request.key.threat_weight != 0) {
            const std::size_t side = b_.request.key.side;
            new_state.threat[side].forEachDifference(old_state.threat[side], [&](ChunkCoord c, const ThreatChunk*, const ThreatChunk*) { layer(c); });
        }
        sortUnique(fresh_);
        sortUnique(renumbered_);
        for (const std::uint32_t i : fresh_) field_.refresh(i);
    }

    /// The chunks of a tiled field that the former generation does not have. @return false when it has some that count no more.
    bool findAdded(std::span<const ChunkCoord> chunks) {
        std::size_t known = 0, before = 0;
        for (std::uint32_t i = 0; i < field_.chunkCount(); ++i) {
            const bool had = before_.tile({field_.first().x + static_cast<int>(i) % field_.columns(), field_.first().y + static_cast<int>(i) / field_.columns()}) != nullptr;
            before += had ? 1 : 0;
            known += had && field_.isOpen(i) ? 1 : 0;
            if (!had && !chunks.empty() && field_.isOpen(i)) added_.push_back(i);
        }
        return known == before;
    }

    /// Compares the ground, drops what no longer holds and queues what may become better.
    void prepare() {
        for (const std::uint32_t i : fresh_) compare(i);
        for (const Changed& c : changed_) forEachCell(c.rows, [&](int local) { judgeAround({c.index, local}); });
        dropSubtrees();
        for (const Place& p : dropped_on_border_) pull(p);
        for (const std::uint32_t i : added_) {
            field_.bound(i);
            for (int k = 0; k < kChunkSize; ++k) {
                for (const int local : {k, (kChunkSize - 1) << kChunkShift | k, k << kChunkShift, k << kChunkShift | (kChunkSize - 1)}) pull({i, local});
            }
        }
        for (const Changed& c : changed_) {
            std::uint64_t mask = 0;
            for (int y = 0; y < kChunkSize; ++y) mask |= std::uint64_t{c.rows[static_cast<std::size_t>(y)] != 0} << y;
            field_.seedRows(c.index, around(mask));
            forEachCell(c.rows, [&](int local) {
                const Place p{c.index, local};
                if (!onBorder(local)) return;
                pull(p);
                push(p);
            });
        }
        for (const std::uint32_t i : field_.touched()) {
            const ChunkWork& w = field_.work(i);
            if (w.seed_rows == 0 || !w.bound) continue;
            Cost lowest = kNoFlowDistance;
            for (std::uint64_t left = w.seed_rows; left != 0; left &= left - 1) {
                const int first = std::countr_zero(left) << kChunkShift;
                for (int c = first; c < first + kChunkSize; ++c) lowest = std::min(lowest, w.at(c));
            }
            if (lowest != kNoFlowDistance) to_queue_.push_back({i, lowest});
        }
        for (const auto& [index, key] : to_queue_) field_.enqueue(index, key);
    }

    [[nodiscard]] ChunkDirectory<FlowTile> tiles() {
        findDirtyRows();
        ChunkDirectory<FlowTile> out = before_.tiles();
        const bool partly = field_.horizon() != kNoFlowDistance;
        const std::uint8_t unreached = b_.unreachedCode();
        for (const auto& [index, rows] : arrow_rows_) {
            bindAround(index);
            const ChunkWork& w = field_.bound(index);
            const FlowTile* old = before_.tile(w.chunk);
            const bool changed = dirty_[index].any != 0;
            if (old == nullptr && (w.distances() == nullptr || std::binary_search(added_.begin(), added_.end(), index))) continue;
            auto tile = old != nullptr ? std::make_shared<FlowTile>(*old) : b_.makeTile(index);
            if (old != nullptr) {
                b_.arrows.run(field_, index, rows, unreached, tile->bytes.data());
                if (partly) b_.markPending(index, *tile);
                b_.markGoals(index, *tile);
                const bool renumbered = std::binary_search(renumbered_.begin(), renumbered_.end(), index);
                if (!changed && !renumbered && tile->bytes == old->bytes) continue;
                tile->distances = w.own != nullptr ? std::shared_ptr<const FlowDistances>(w.own) : w.former;
                tile->moves = w.move_tile;
                tile->costs = w.cost_tile;
                if (renumbered) tile->revisions = flowRevisions(b_.snapshot, b_.request.key, w.chunk);
            }
            out.set(w.chunk, std::move(tile));
        }
        for (const std::uint32_t index : renumbered_) {
            const auto looked_at = std::lower_bound(arrow_rows_.begin(), arrow_rows_.end(), std::pair{index, std::uint64_t{0}});
            if (looked_at != arrow_rows_.end() && looked_at->first == index) continue;
            const ChunkWork& w = field_.bound(index);
            const FlowTile* old = before_.tile(w.chunk);
            if (old == nullptr) continue;
            auto tile = std::make_shared<FlowTile>(*old);
            tile->moves = w.move_tile;
            tile->costs = w.cost_tile;
            tile->revisions = flowRevisions(b_.snapshot, b_.request.key, w.chunk);
            out.set(w.chunk, std::move(tile));
        }
        for (const std::uint32_t index : added_) {
            bindAround(index);
            const ChunkCoord chunk = field_.bound(index).chunk;
            out.set(chunk, b_.makeTile(index));
        }
        return out;
    }

private:
    using Rows = std::array<std::uint64_t, kChunkSize>;
    struct Changed {
        std::uint32_t index;
        Rows rows;
    };
    struct Dirty {
        std::uint64_t any = 0, west = 0, east = 0;  ///< Rows: of the chunk, of its first and its last column.
    };

    void bindAround(std::uint32_t index) {
        for (int d = 0; d < kDirections; ++d) {
            const std::uint32_t n = field_.neighbour(index, d);
            if (n != Integration::kNone) field_.bound(n);
        }
    }

    static bool onBorder(int local) {
        const int x = local & (kChunkSize - 1), y = local >> kChunkShift;
        return x == 0 || y == 0 || x == kChunkSize - 1 || y == kChunkSize - 1;
    }

    static void sortUnique(std::vector<std::uint32_t>& v) {
        std::sort(v.begin(), v.end());
        v.erase(std::unique(v.begin(), v.end()), v.end());
    }

    template <class Visit>
    static void forEachCell(const Rows& rows, Visit&& visit) {
        for (int y = 0; y < kChunkSize; ++y) {
            for (std::uint64_t left = rows[static_cast<std::size_t>(y)]; left != 0; left &= left - 1) visit((y << kChunkShift) | std::countr_zero(left));
        }
    }

    void note(ChunkCoord c, bool ground) {
        const int x = c.x - field_.first().x, y = c.y - field_.first().y;
        if (x < 0 || y < 0 || x >= field_.columns() || y >= field_.rows()) return;
        const auto index = static_cast<std::uint32_t>(y * field_.columns() + x);
        if (!field_.isOpen(index)) return;
        renumbered_.push_back(index);
        if (ground) fresh_.push_back(index);
    }

    /// The cells of a chunk whose moves, costs or heights differ from those that the field was made with.
    void compare(std::uint32_t index) {
        const ChunkWork& w = field_.bound(index);
        const FlowTile* old = before_.tile(w.chunk);
        if (old == nullptr) return;
        Rows rows{};
        bool any = false;
        const bool heights = field_.pricesElevation() && old->costs->elevation_cm != w.cost_tile->elevation_cm;
        for (std::size_t y = 0; y < kChunkSize; ++y) {
            const std::size_t row = y << kChunkShift;
            std::uint64_t bits = old->moves->free_rows[y] ^ w.move_tile->free_rows[y];
            if (std::memcmp(&old->moves->moves[row], w.moves + row, kChunkSize) != 0) {
                for (std::size_t x = 0; x < kChunkSize; ++x) bits |= std::uint64_t{old->moves->moves[row + x] != w.moves[row + x]} << x;
            }
            if (std::memcmp(&old->costs->f[row], w.f + row, kChunkSize * sizeof(std::uint16_t)) != 0) {
                for (std::size_t x = 0; x < kChunkSize; ++x) bits |= std::uint64_t{old->costs->f[row + x] != w.f[row + x]} << x;
            }
            if (heights) {
                for (std::size_t x = 0; x < kChunkSize; ++x) {
                    const bool differs = old->costs->elevation_cm[(row + x) & old->costs->elevation_mask] != w.height(static_cast<int>(row + x));
                    bits |= std::uint64_t{differs} << x;
                }
            }
            // Where nobody could and can stand nothing matters.
            bits &= old->moves->free_rows[y] | w.move_tile->free_rows[y];
            rows[y] = bits;
            any = any || bits != 0;
        }
        if (any) changed_.push_back({index, rows});
    }

    void judgeAround(const Place& p) {
        judge(p);
        for (int d = 0; d < kDirections; ++d) {
            Place to;
            if (!field_.step(p, d, to)) continue;
            field_.bound(to.chunk);
            judge(to);
        }
    }

    [[nodiscard]] std::uint8_t codeBefore(const Place& p) const {
        const FlowTile* old = before_.tile(field_.work(p.chunk).chunk);
        return old != nullptr ? old->code(p.local) : static_cast<std::uint8_t>(kFlowPending);
    }
    [[nodiscard]] Cost before(const Place& p) const {
        const ChunkWork& w = field_.work(p.chunk);
        return w.former != nullptr ? w.former->at(p.local) : kNoFlowDistance;
    }

    /// Drops a cell that the unit no longer fits on, or whose arrow is no longer legal or has become dearer.
    void judge(const Place& p) {
        if (field_.at(p) == kNoFlowDistance) return;
        const std::uint8_t code = codeBefore(p);
        if (!field_.work(p.chunk).fits(p.local)) {
            drop(p);
            return;
        }
        if (!isFlowArrow(code)) return;
        Place to;
        if (!field_.step(p, code, to)) return;
        field_.bound(to.chunk);
        if (!field_.legal(p, code) || before(to) + field_.stepCost(p, to, code) > before(p)) drop(p);
    }

    void drop(const Place& p) {
        field_.forget(p);
        dropped_.push_back(p);
        if (onBorder(p.local)) dropped_on_border_.push_back(p);
    }

    /// Drops every cell whose arrows lead to a dropped one.
    void dropSubtrees() {
        while (!dropped_.empty()) {
            const Place p = dropped_.back();
            dropped_.pop_back();
            for (int d = 0; d < kDirections; ++d) {
                Place from;
                if (!field_.step(p, oppositeOf(d), from)) continue;
                field_.bound(from.chunk);
                if (codeBefore(from) == d && field_.at(from) != kNoFlowDistance) drop(from);
            }
        }
    }

    /// Takes what the cells of other chunks offer to a border cell.
    void pull(const Place& p) {
        for (int d = 0; d < kDirections; ++d) {
            Place to;
            if (!field_.step(p, d, to) || to.chunk == p.chunk) continue;
            field_.bound(to.chunk);
            if (field_.at(to) != kNoFlowDistance && field_.legal(p, d)) field_.lower(p, field_.at(to) + field_.stepCost(p, to, d));
        }
    }

    /// Offers a border cell to the cells of other chunks.
    void push(const Place& p) {
        if (field_.at(p) == kNoFlowDistance) return;
        for (int d = 0; d < kDirections; ++d) {
            Place from;
            if (!field_.step(p, oppositeOf(d), from) || from.chunk == p.chunk) continue;
            field_.bound(from.chunk);
            if (field_.legal(from, d)) field_.lower(from, field_.at(p) + field_.stepCost(from, p, d));
        }
    }

    /// Rows whose arrows must be looked at again: those around every cell whose distance, cost or moves changed.
    void findDirtyRows() {
        dirty_.assign(field_.chunkCount(), {});
        const auto mark = [&](std::uint32_t index, int y, std::uint64_t cells) {
            Dirty& d = dirty_[index];
            const std::uint64_t row = std::uint64_t{1} << y;
            d.any |= row;
            if ((cells & kFirstColumn) != 0) d.west |= row;
            if ((cells & kLastColumn) != 0) d.east |= row;
        };
        for (const Changed& c : changed_) {
            for (int y = 0; y < kChunkSize; ++y) {
                if (c.rows[static_cast<std::size_t>(y)] != 0) mark(c.index, y, c.rows[static_cast<std::size_t>(y)]);
            }
        }
        for (const std::uint32_t index : field_.touched()) {
            const ChunkWork& w = field_.work(index);
            if (w.own == nullptr) continue;
            bool differs = false;
            for (int y = 0; y < kChunkSize; ++y) {
                const std::uint64_t cells = differenceInRow(w, y);
                if (cells == 0) continue;
                differs = true;
                mark(index, y, cells);
            }
            if (!differs && w.former != nullptr) field_.shareAgain(index);
        }
        std::vector<std::uint32_t> visited(field_.touched().begin(), field_.touched().end());
        for (const std::uint32_t index : field_.touched()) {
            for (int d = 0; d < kDirections; ++d) {
                if (dirty_[index].any != 0 && field_.neighbour(index, d) != Integration::kNone) visited.push_back(field_.neighbour(index, d));
            }
        }
        sortUnique(visited);
        for (const std::uint32_t index : visited) {
            std::uint64_t rows = around(dirty_[index].any);
            const auto beside = [&](int direction) -> Dirty {
                const std::uint32_t n = field_.neighbour(index, direction);
                return n != Integration::kNone ? dirty_[n] : Dirty{};
            };
            const auto bit = [](std::uint64_t mask, int y) { return (mask >> y) & 1; };
            rows |= around(beside(0).west) | around(beside(4).east);
            rows |= bit(beside(6).any, 63) | bit(beside(5).east, 63) | bit(beside(7).west, 63);
            rows |= (bit(beside(2).any, 0) | bit(beside(3).east, 0) | bit(beside(1).west, 0)) << 63;
            if (rows != 0) arrow_rows_.push_back({index, rows});
        }
    }

    /// Cells of a row whose distance is not what it was.
    static std::uint64_t differenceInRow(const ChunkWork& w, int y) {
        const int first = y << kChunkShift;
        const FlowDistances& now = *w.own;
        if (w.former != nullptr && now.wide.empty() && w.former->wide.empty() && now.base == w.former->base &&
            std::memcmp(&now.relative[static_cast<std::size_t>(first)], &w.former->relative[static_cast<std::size_t>(first)], kChunkSize * sizeof(std::uint32_t)) == 0) {
            return 0;
        }
        std::uint64_t cells = 0;
        for (int x = 0; x < kChunkSize; ++x) {
            const Cost old = w.former != nullptr ? w.former->at(first + x) : kNoFlowDistance;
            cells |= std::uint64_t{now.at(first + x) != old} << x;
        }
        return cells;
    }

    FlowBuilder::Impl& b_;
    Integration& field_;
    const FlowField& before_;
    std::vector<std::uint32_t> fresh_, renumbered_;
    std::vector<std::uint32_t> added_;  ///< In order.
    std::vector<Changed> changed_;
    std::vector<Place> dropped_, dropped_on_border_;
    std::vector<std::pair<std::uint32_t, Cost>> to_queue_;
    std::vector<Dirty> dirty_;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> arrow_rows_;  ///< Sorted by chunk.
};

/// True when every goal cell can be stood on exactly if it could before.
bool goalsStandAsBefore(FlowBuilder::Impl& b, const FlowField& before) {
    bool same = true;
    flow::forEachGoal(b.snapshot, b.request, [&](int x, int y, Cost) {
        if (!same || !b.field.contains(x, y)) return;
        const Place p = b.field.placeOf(x, y);
        const FlowTile* old = before.tile({x >> kChunkShift, y >> kChunkShift});
        same = b.field.bound(p.chunk).fits(p.local) == (old != nullptr && old->moves->fits(p.local));
    });
    return same;
}

}  // namespace

FlowAnswer FlowBuilder::repair(const std::shared_ptr<const FlowField>& field, const FlowRequest& request, const WorldSnapshot& now,
                               const std::shared_ptr<TileStore>& store) {
    return impl_->repair(field, request, now, store);
}

FlowAnswer FlowBuilder::extend(const std::shared_ptr<const FlowField>& field, const FlowRequest& request, std::span<const Cell> starts,
                               const std::shared_ptr<TileStore>& store) {
    return impl_->extend(field, request, starts, store);
}

FlowAnswer FlowBuilder::Impl::repair(const std::shared_ptr<const FlowField>& field_before, const FlowRequest& asked, const WorldSnapshot& now,
                                     const std::shared_ptr<TileStore>& tiles) {
    if (field_before == nullptr) {
        FlowAnswer refused;
        refused.error = {"field", "none", "give the field to be renewed, or build one"};
        return refused;
    }
    const FlowFieldInfo& old = field_before->info();
    const auto anew = [&] {
        if (begin(now, asked, tiles)) integrate();
        FlowAnswer made = finish();
        if (made.field != nullptr) {
            auto numbered = std::make_shared<FlowField>(*made.field);
            numbered->setGeneration(old.generation + 1);
            made.field = std::move(numbered);
        }
        return made;
    };
    if (old.method != FlowMethod::Dijkstra) {
        FlowAnswer refused;
        refused.error = {"field", "fast marching", "build it anew with FastMarching"};
        return refused;
    }
    const WorldSnapshot& then = field_before->snapshot();
    // Exits that a way to a goal beat have left no trace in the field.
    if (!then.valid() || old.redirected || !asked.exits.empty() || then.state().world_id != now.state().world_id ||
        then.state().rules != now.state().rules || then.state().has_cover != now.state().has_cover || !(old.key == asked.key) ||
        flow::checkFlowRequest(now, asked)) {
        return anew();
    }
    snapshot = now;
    request = asked;
    request.keep_distances = true;
    store = tiles;
    answer = {};
    redirected = false;
    visits = 0;
    setArea(asked.area);
    if (!(area == old.area) || old.tiled == asked.chunks.empty()) return anew();
    field.begin(now, asked.key, first, columns, rows, tiles, asked.chunks, field_before);
    Repair repair(*this, *field_before);
    if (!repair.findAdded(asked.chunks)) return anew();
    repair.findChunks(now);
    if (!goalsStandAsBefore(*this, *field_before)) return anew();
    flow::gatherSeeds(field, now, asked, seeds);
    if (seeds.empty()) return anew();
    repair.prepare();
    field.run(old.horizon, {}, 0);
    field.limitHorizon(old.horizon);
    if (field.horizon() != kNoFlowDistance) field.truncate();
    placeStarts(asked.starts);
    // Starts that are cut off now, or beyond what is computed, want a look at the whole.
    if (!starts.empty() && std::none_of(starts.begin(), starts.end(), [&](const Place& p) { return field.at(p) != kNoFlowDistance; })) return anew();
    ChunkDirectory<FlowTile> made = repair.tiles();
    FlowFieldInfo info = infoOf();
    info.generation = old.generation + 1;
    return publish(std::move(info), std::move(made));
}

FlowAnswer FlowBuilder::Impl::extend(const std::shared_ptr<const FlowField>& field_before, const FlowRequest& asked, std::span<const Cell> more,
                                     const std::shared_ptr<TileStore>& tiles) {
    const FlowFieldInfo& old = field_before->info();
    const bool served = std::none_of(more.begin(), more.end(), [&](Cell c) { return field_before->direction(c) == kFlowPending; });
    if (served || !field_before->hasDistances()) {
        FlowAnswer same;
        same.field = field_before;
        same.status = old.redirected ? PathStatus::Partial : PathStatus::Found;
        return same;
    }
    snapshot = field_before->snapshot();
    request = asked;
    request.keep_distances = true;
    request.only_needed = true;
    store = tiles;
    answer = {};
    redirected = old.redirected;
    visits = 0;
    setArea(asked.area);
    field.begin(snapshot, asked.key, first, columns, rows, tiles, asked.chunks, field_before);
    if (redirected) {
        seeds.clear();
        for (const Cell c : old.goals) seeds.push_back({field.placeOf(c.x - snapshot.origin().x, c.y - snapshot.origin().y), 0});
        std::sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) { return a.place.chunk != b.place.chunk ? a.place.chunk < b.place.chunk : a.place.local < b.place.local; });
    } else {
        flow::gatherSeeds(field, snapshot, asked, seeds);
    }
    placeStarts(more);
    field.startAt(old.horizon);
    constexpr std::uint64_t kAll[4] = {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
    for (std::uint32_t i = 0; i < field.chunkCount(); ++i) {
        const ChunkCoord c{first.x + static_cast<int>(i) % columns, first.y + static_cast<int>(i) / columns};
        if (field_before->tile(c) == nullptr) continue;
        field.bound(i);
        field.seedRows(i, ~std::uint64_t{0});
        field.enqueue(i, old.horizon);
        field.pushBorder(i, kAll);
    }
    for (const Seed& s : seeds) field.lower(s.place, s.rest);
    field.run(kNoFlowDistance, starts, static_cast<Cost>(asked.needed_margin * static_cast<float>(kCostPerMetre)));
    answer.status = PathStatus::Found;
    FlowAnswer made = finish();
    auto numbered = std::make_shared<FlowField>(*made.field);
    numbered->setGeneration(old.generation + 1);
    made.field = std::move(numbered);
    return made;
}

}  // namespace warpath
