#include "warpath/search/group_table.h"

#include <algorithm>
#include <utility>

#include "grid/metric_words.h"
#include "warpath/core/assert.h"
#include "warpath/core/directions.h"
#include "warpath/core/hash.h"
#include "warpath/grid/bucket_queue.h"

namespace warpath {
namespace {

constexpr std::uint64_t kGroupWord = std::uint64_t{0x67726F7570} << 16;  // sets names and digests of groups apart from those of chunks

constexpr std::size_t padded(std::size_t n) { return (n + GroupTable::kLanes - 1) / GroupTable::kLanes * GroupTable::kLanes; }

}  // namespace

struct GroupTableBuilder::Impl {
    /// A chunk of the group with its rows as the searches want them: the crossing included, padded.
    struct Part {
        const ChunkTable* table = nullptr;
        std::size_t first = 0;  // node of its first portal
        std::size_t stride = 0;
        std::vector<std::int32_t> rows;
    };
    /// Where the portal of a node leads: the part and the portal there; none out of the group.
    struct Twin {
        std::uint32_t part = UINT32_MAX;
        std::uint32_t portal = 0;
    };
    std::vector<Part> parts;
    std::vector<Twin> twins;          // by node
    std::vector<std::int32_t> best;   // by node
    BucketQueue queue;
    std::uint32_t cheapest = 0;       // crossing

    /// The portals that lead out, in an order that the neighbouring groups share: for each pair of groups along the border, and there as seen from the west or north.
    static void listPortals(std::span<const ChunkTable* const> chunks, GroupShape shape, GroupTable& out) {
        const auto addAll = [&](int x, int y, int chunk_side, int side) {
            if (x < 0 || y < 0 || x >= shape.columns || y >= shape.rows) return;
            const int nx = x + kStepX[chunk_side], ny = y + kStepY[chunk_side];
            const int gx = nx < 0 ? -1 : nx >= shape.columns ? 1 : 0, gy = ny < 0 ? -1 : ny >= shape.rows ? 1 : 0;
            if ((gx == 0 && gy == 0) || directionOf(gx, gy) != side) return;
            const auto number = static_cast<std::size_t>(y * shape.columns + x);
            const ChunkTable& table = *chunks[number];
            for (std::size_t p = table.side_begin[static_cast<std::size_t>(chunk_side)]; p < table.side_begin[static_cast<std::size_t>(chunk_side) + 1]; ++p) {
                const Cell beyond = cellBehind({x, y}, table.portals[p]);
                out.portals.push_back({static_cast<std::uint16_t>(number), static_cast<std::uint16_t>(p), static_cast<std::int16_t>(beyond.x), static_cast<std::int16_t>(beyond.y),
                                       static_cast<std::uint8_t>(side), static_cast<std::uint8_t>(chunk_side)});
            }
        };
        for (int side = 0; side < kDirections; ++side) {
            out.side_begin[static_cast<std::size_t>(side)] = static_cast<std::uint16_t>(out.portals.size());
            const int x = kStepX[side] > 0 ? shape.columns - 1 : 0, y = kStepY[side] > 0 ? shape.rows - 1 : 0;
            switch (side) {
                // a is the chunk in the west or north: straight, then from a forwards, then from a backwards along the border.
                case 0:
                    for (int i = 0; i < shape.rows; ++i) {
                        addAll(x, i, 0, side);
                        addAll(x, i, 1, side);
                        addAll(x, i + 1, 7, side);
                    }
                    break;
                case 4:
                    for (int i = 0; i < shape.rows; ++i) {
                        addAll(x, i, 4, side);
                        addAll(x, i + 1, 5, side);
                        addAll(x, i, 3, side);
                    }
                    break;
                case 2:
                    for (int i = 0; i < shape.columns; ++i) {
                        addAll(i, y, 2, side);
                        addAll(i, y, 1, side);
                        addAll(i + 1, y, 3, side);
                    }
                    break;
                case 6:
                    for (int i = 0; i < shape.columns; ++i) {
                        addAll(i, y, 6, side);
                        addAll(i + 1, y, 5, side);
                        addAll(i, y, 7, side);
                    }
                    break;
                default: addAll(x, y, side, side);
            }
        }
        out.side_begin[kDirections] = static_cast<std::uint16_t>(out.portals.size());
    }

    /// @return whether all costs are small enough.
    bool prepare(std::span<const ChunkTable* const> chunks, GroupShape shape) {
        if (parts.size() < chunks.size()) parts.resize(chunks.size());
        std::size_t nodes = 0;
        cheapest = UINT32_MAX;
        for (std::size_t c = 0; c < chunks.size(); ++c) {
            Part& part = parts[c];
            part.table = chunks[c];
            part.first = nodes;
            const std::size_t count = part.table->count();
            part.stride = padded(count);
            nodes += part.stride;
            part.rows.assign(count * part.stride, GroupTable::kNoWay);
            for (std::size_t from = 0; from < count; ++from) {
                for (std::size_t to = 0; to < count; ++to) {
                    const std::uint32_t way = part.table->cost(from, to), crossing = part.table->portals[to].crossing;
                    if (way == ChunkTable::kNoWay || crossing == ChunkTable::kNoWay || from == to) continue;
                    const std::uint64_t cost = std::uint64_t{way} + crossing;
                    if (cost > static_cast<std::uint64_t>(GroupTable::kDearest)) return false;
                    part.rows[from * part.stride + to] = static_cast<std::int32_t>(cost);
                    cheapest = std::min(cheapest, crossing);
                }
            }
        }
        best.resize(nodes);
        twins.assign(nodes, {});
        for (int y = 0; y < shape.rows; ++y) {
            for (int x = 0; x < shape.columns; ++x) {
                const Part& part = parts[static_cast<std::size_t>(y * shape.columns + x)];
                for (std::size_t p = 0; p < part.table->count(); ++p) {
                    const std::size_t side = part.table->portals[p].side;
                    const int nx = x + kStepX[side], ny = y + kStepY[side];
                    if (nx < 0 || ny < 0 || nx >= shape.columns || ny >= shape.rows) continue;
                    const auto other = static_cast<std::uint32_t>(ny * shape.columns + nx);
                    twins[part.first + p] = {other, static_cast<std::uint32_t>(portalBehind(*part.table, p, *parts[other].table))};
                }
            }
        }
        return true;
    }

    /// Costs of leaving through each node's portal, from the cell of one portal. @return whether all are small enough.
    bool searchFrom(std::size_t source_part, std::size_t source) {
        std::fill(best.begin(), best.end(), GroupTable::kNoWay);
        queue.reset(bucketShift(cheapest));
        bool fits = true;
        const auto enter = [&](const Part& part, std::size_t portal, std::int32_t so_far) {
            std::int32_t* known = best.data() + part.first;
            relaxRow(part.rows.data() + portal * part.stride, known, part.stride, so_far, [&](std::size_t to, std::int32_t cost) {
                known[to] = cost;
                if (cost > GroupTable::kDearest) {
                    fits = false;
                } else if (twins[part.first + to].part != UINT32_MAX) {
                    queue.push(static_cast<std::uint64_t>(cost), (std::uint64_t{part.first + to} << 32) | static_cast<std::uint32_t>(cost));
                }
            });
        };
        enter(parts[source_part], source, 0);
        std::uint64_t entry = 0;
        while (queue.pop(entry)) {
            const auto node = static_cast<std::size_t>(entry >> 32);
            if (static_cast<std::uint32_t>(best[node]) != static_cast<std::uint32_t>(entry)) continue;
            const Twin twin = twins[node];
            enter(parts[twin.part], twin.portal, best[node]);
        }
        return fits;
    }

    void fill(GroupTable& out) {
        const std::size_t count = out.count();
        out.stride = static_cast<std::uint32_t>(padded(count));
        out.costs.assign(count * out.stride, GroupTable::kNoWay);
        for (std::size_t from = 0; from < count; ++from) {
            const GroupPortal& source = out.portals[from];
            if (!searchFrom(source.chunk, source.portal)) return;
            std::int32_t* row = out.costs.data() + from * out.stride;
            // A way round and back through the portal that it came by is kept too: one level has it, though none from a start that may leave anywhere needs it.
            for (std::size_t to = 0; to < count; ++to) row[to] = best[parts[out.portals[to].chunk].first + out.portals[to].portal];
        }
        out.usable = true;
    }
};

GroupTableBuilder::GroupTableBuilder() : impl_(std::make_unique<Impl>()) {}
GroupTableBuilder::~GroupTableBuilder() = default;
GroupTableBuilder::GroupTableBuilder(GroupTableBuilder&&) noexcept = default;
GroupTableBuilder& GroupTableBuilder::operator=(GroupTableBuilder&&) noexcept = default;

GroupTable GroupTableBuilder::make(std::span<const ChunkTable* const> chunks, GroupShape shape) {
    WARPATH_ASSERT(chunks.size() == static_cast<std::size_t>(shape.columns * shape.rows), "a table for each chunk");
    GroupTable out;
    Impl::listPortals(chunks, shape, out);
    if (out.count() <= GroupTable::kMaxPortals && impl_->prepare(chunks, shape)) impl_->fill(out);
    if (!out.usable) out = {};
    ++built_;
    return out;
}

std::shared_ptr<const GroupTable> GroupTableBuilder::table(const WorldSnapshot& snapshot, const Metric& metric, ChunkCoord group, TileStore& store,
                                                           const PortalRules& rules, const ChunkTables& chunk_table) {
    const int side = static_cast<int>(rules.group);
    const int x0 = group.x * side, y0 = group.y * side;
    const GroupShape shape{std::min(side, snapshot.chunkColumns() - x0), std::min(side, snapshot.chunkRows() - y0)};
    const auto forEachChunk = [&](auto&& visit) {
        for (int y = y0; y < y0 + shape.rows; ++y) {
            for (int x = x0; x < x0 + shape.columns; ++x) visit(ChunkCoord{x, y});
        }
    };
    std::uint64_t ground = 0;
    forEachChunk([&](ChunkCoord c) { ground = std::max(ground, snapshot.neighbourhoodRevision(c)); });
    Hash128 name;
    name.add(kGroupWord | rules.group);
    name.add(snapshot.state().world_id);
    name.add(snapshot.state().rules_revision);
    name.add(ground);
    name.add((static_cast<std::uint64_t>(static_cast<std::uint32_t>(group.x)) << 32) | static_cast<std::uint32_t>(group.y));
    for (const std::uint64_t word : wordsOf(metric)) name.add(word);
    name.add(std::uint64_t{rules.spacing} | (std::uint64_t{snapshot.state().has_cover} << 32) | (std::uint64_t{snapshot.state().elevated_chunks != 0} << 33));
    const auto made = [&]() -> TileStore::MadeTable {
        std::vector<std::shared_ptr<const ChunkTable>> kept;
        std::vector<const ChunkTable*> tables;
        Hash128 digest;
        digest.add(kGroupWord | static_cast<std::uint64_t>(shape.columns * 16 + shape.rows));
        forEachChunk([&](ChunkCoord c) {
            kept.push_back(chunk_table(c));
            tables.push_back(kept.back().get());
            digest.add(tables.back()->digest.low);
            digest.add(tables.back()->digest.high);
        });
        if (auto same = store.findTable(digest.value())) return {same, 0, digest.value()};
        auto table = std::make_shared<GroupTable>(make(tables, shape));
        const std::size_t bytes = table->memoryBytes();
        return {std::move(table), bytes, digest.value()};
    };
    return std::static_pointer_cast<const GroupTable>(store.table(name.value(), made));
}

}  // namespace warpath
