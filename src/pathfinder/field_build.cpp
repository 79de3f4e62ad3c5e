// Flow fields of a Query: requests in the words of the flow layer, and paths traced along fields.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "pathfinder/query_impl.h"
#include "pathfinder/route_builder.h"
#include "warpath/core/assert.h"
#include "warpath/flow/flow_builder.h"

namespace warpath {
namespace {

Cell worldCell(const WorldSnapshot& snapshot, Cell grid) { return {grid.x + snapshot.origin().x, grid.y + snapshot.origin().y}; }

/// @return what is wrong with the goal, in field, value and remedy.
std::optional<Error> setGoals(const WorldSnapshot& snapshot, const FieldKey& key, FlowRequest& out) {
    const Cell origin = snapshot.origin();
    switch (key.kind) {
        case Goal::Kind::Point:
        case Goal::Kind::Set:
            for (const Cell c : key.cells) out.goals.push_back(worldCell(snapshot, c));
            break;
        case Goal::Kind::Rectangle: out.goal_rects.push_back({key.rect.x + origin.x, key.rect.y + origin.y, key.rect.width, key.rect.height}); break;
        case Goal::Kind::Disc:
        case Goal::Kind::Ring: {
            GoalShape shape;
            shape.setRing(key.centre, key.inner_radius, key.radius, 0.5f * static_cast<float>(key.cost.metric.profile.size));
            [[maybe_unused]] const bool on_map = shape.clip(snapshot.width(), snapshot.height());
            WARPATH_ASSERT(on_map, "fieldKeyOf refused goals off the map");
            const CellRect bounds = shape.bounds();
            for (int y = bounds.y; y < bounds.y + bounds.height; ++y) {
                int run = -1;  // the first cell of a row of goal cells
                for (int x = bounds.x; x <= bounds.x + bounds.width; ++x) {
                    const bool inside = x < bounds.x + bounds.width && shape.contains(x, y);
                    if (inside && run < 0) run = x;
                    if (inside || run < 0) continue;
                    out.goal_rects.push_back({run + origin.x, y + origin.y, x - run, 1});
                    run = -1;
                }
            }
            if (out.goal_rects.empty()) return Error{"goal", "no cell's centre lies in it", "use a larger radius"};
            break;
        }
    }
    return std::nullopt;
}

/// What differs between two generations of a chunk; each is zero or not.
struct TileChange {
    std::uint32_t lost = 0;    ///< A cell had a way and has none.
    std::uint32_t dearer = 0;  ///< A cell's way costs more.
    std::uint32_t other = 0;   ///< A cell's way costs less or leads elsewhere.
};

/// Cells of a row, without branches so that compilers make vectors of it. @param was, is distances relative to one base; null: compare codes alone.
void addRow(const std::uint8_t* a, const std::uint8_t* b, const std::uint32_t* was, const std::uint32_t* is, TileChange& out) {
    std::uint32_t lost = 0, other = 0, dearer = 0;
    for (int x = 0; x < kChunkSize; ++x) {
        const std::uint32_t before = a[x] & kFlowCodeMask, now = b[x] & kFlowCodeMask;
        lost |= static_cast<std::uint32_t>(before <= kFlowGoal) & static_cast<std::uint32_t>(now > kFlowGoal) & static_cast<std::uint32_t>(now != kFlowPending);
        other |= before ^ now;
    }
    if (was != nullptr) {
        for (int x = 0; x < kChunkSize; ++x) {
            const auto none = static_cast<std::uint32_t>(is[x] == FlowDistances::kNone), more = static_cast<std::uint32_t>(is[x] > was[x]);
            dearer |= more & (none ^ 1u);
            other |= static_cast<std::uint32_t>(is[x] < was[x]) | (more & none);
        }
    }
    out.lost |= lost;
    out.other |= other;
    out.dearer |= dearer;
}

void addTile(const FlowTile& a, const FlowTile& b, TileChange& out) {
    const FlowDistances *was = a.distances.get(), *is = b.distances.get();
    const bool distances = was != is && was != nullptr && is != nullptr;
    const bool narrow = distances && was->wide.empty() && is->wide.empty() && was->base == is->base;
    for (std::size_t row = 0; row < kChunkCells; row += kChunkSize) {
        const bool moved = narrow && std::memcmp(&was->relative[row], &is->relative[row], kChunkSize * sizeof(std::uint32_t)) != 0;
        if (!moved && std::memcmp(&a.bytes[row], &b.bytes[row], kChunkSize) == 0) continue;
        addRow(&a.bytes[row], &b.bytes[row], moved ? &was->relative[row] : nullptr, moved ? &is->relative[row] : nullptr, out);
        if (out.lost != 0) return;
    }
    if (!distances || narrow) return;
    for (int i = 0; i < kChunkCells; ++i) {
        const Cost before = was->at(i), now = is->at(i);
        if (before == now) continue;
        (now > before && now != kNoFlowDistance ? out.dearer : out.other) = 1;
    }
}

/// What a newer generation means to those who follow the older one. Cost: O(cells of the tiles that the two do not share).
FieldChange changeBetween(const FlowField& before, const FlowField& now) {
    if (now.info().redirected && !before.info().redirected) return FieldChange::Blocked;  // there is no way to the goal any more
    if (!(before.area() == now.area())) return FieldChange::MayImprove;
    const bool moved = before.info().goals != now.info().goals;
    TileChange change;
    now.tiles().forEachDifference(before.tiles(), [&](ChunkCoord, const FlowTile* b, const FlowTile* a) {
        if (a == nullptr || b == nullptr) {
            change.other = 1;  // a tiled field took other tiles
        } else if (change.lost == 0) {
            addTile(*a, *b, change);
        }
    });
    if (change.lost != 0) return FieldChange::Blocked;
    if (moved && before.info().redirected) return FieldChange::MayImprove;  // it ends nearer to the goal, which can make the way longer
    if (change.dearer != 0) return FieldChange::Dearer;
    return moved || change.other != 0 ? FieldChange::MayImprove : FieldChange::Same;
}

}  // namespace

PathStatus Query::Impl::buildField(const WorldSnapshot& snapshot, const FieldRequest& request, const FieldBasis& basis, FieldResult& out) {
    const auto started = std::chrono::steady_clock::now();
    out = {};
    const auto refuse = [&](Error error) {
        out.error = std::move(error);
        return out.status = PathStatus::InvalidArgument;
    };
    auto checked = fieldKeyOf(snapshot, request);
    if (auto* error = std::get_if<Error>(&checked)) return refuse(std::move(*error));
    const FieldKey& key = std::get<FieldKey>(checked);
    out.revision = snapshot.revision();

    FlowRequest wanted;
    wanted.key = key.cost;
    wanted.area = key.area;
    wanted.straight_radius = key.straight_radius;
    if (auto error = setGoals(snapshot, key, wanted)) return refuse(std::move(*error));
    for (const Cell c : key.from) wanted.starts.push_back(worldCell(snapshot, c));

    FieldTiles tiles;
    if (key.tiled && planTiles(snapshot, key, tiles)) wanted.chunks = tiles.chunks;
    out.cut_off = tiles.cut_off;
    out.untiled = tiles.untiled;
    if (key.tiled_only && tiles.untiled != nullptr) return out.status = PathStatus::Unreachable;

    const FlowField* former = basis.result != nullptr ? basis.result->field.get() : nullptr;
    FlowAnswer made;
    if (key.method == FieldMethod::Dijkstra) {
        if (flow == nullptr) flow = std::make_unique<FlowBuilder>();
        made = former != nullptr ? flow->repair(basis.result->field, wanted, snapshot, store) : flow->build(snapshot, wanted, store);
        if (!wanted.chunks.empty() && made.status != PathStatus::Found) {  // steps that are legal one way only: the whole area decides
            if (key.tiled_only) return out.status = PathStatus::Unreachable;
            wanted.chunks.clear();
            out.untiled = "steps that are legal one way only cut the goal off from the positions inside the tiles";
            made = flow->build(snapshot, wanted, store);
        }
        if (!wanted.chunks.empty()) {
            auto led = std::make_shared<FlowField>(*made.field);
            led->setCoarse(std::move(tiles.coarse));
            made.field = std::move(led);
        }
    } else {
        if (marching == nullptr) marching = std::make_unique<FastMarching>();
        made = marching->build(snapshot, wanted, store, key.method == FieldMethod::FastMarching ? MarchOrder::First : MarchOrder::Second);
    }
    out.status = made.status;
    out.error = std::move(made.error);
    out.field = std::move(made.field);
    out.work = key.method == FieldMethod::Dijkstra ? made.chunk_visits * kChunkCells
                                                   : static_cast<std::uint64_t>(key.area.width) * static_cast<std::uint64_t>(key.area.height);
    if (out.field != nullptr) {
        const int size = key.cost.metric.profile.size;
        const std::vector<Cell>& goals = out.field->info().goals;
        if (!goals.empty()) out.goal = flowCentre(goals.front(), size);
        if (out.status == PathStatus::Partial && !goals.empty()) {
            ends.set(snapshot, {.goal = request.goal, .constraints = request.constraints, .side = request.side}, size);
            out.remaining_distance = static_cast<float>(ends.goal().distance(goals.front().x - snapshot.origin().x, goals.front().y - snapshot.origin().y));
        }
        if (basis.of_other_positions) {
            out.change = FieldChange::New;
        } else if (former != nullptr) {
            out.change = changeBetween(*former, *out.field);
        } else if (basis.result != nullptr) {
            out.change = FieldChange::MayImprove;  // there was no way from anywhere
        }
    } else if (former != nullptr && !basis.of_other_positions) {
        out.change = FieldChange::Blocked;
    }
    out.computation_time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    return out.status;
}

bool Query::Impl::planTiles(const WorldSnapshot& snapshot, const FieldKey& key, FieldTiles& out) {
    GoalShape goals;
    switch (key.kind) {
        case Goal::Kind::Point:
        case Goal::Kind::Set: goals.setPlaces(key.cells); break;
        case Goal::Kind::Rectangle: goals.setRect(key.rect); break;
        case Goal::Kind::Disc:
        case Goal::Kind::Ring:
            goals.setRing(key.centre, key.inner_radius, key.radius, 0.5f * static_cast<float>(key.cost.metric.profile.size));
            if (!goals.clip(snapshot.width(), snapshot.height())) return false;  // checked by fieldKeyOf
            break;
    }
    if (tiled == nullptr) tiled = std::make_unique<TilePlanner>();
    binding.bind(snapshot, key.cost, {}, store);
    static_cast<void>(regionsOf(snapshot, key.cost.metric.profile));
    return tiled->plan(binding, store, regions_table, key, goals, {.spacing = rules.portal_spacing, .group = rules.group_side}, out);
}

std::shared_ptr<const FlowField> Query::Impl::fieldFor(const WorldSnapshot& snapshot, const PathRequest& request, bool only_brought) {
    const CostKey& key = binding.model().key();
    const auto fits = [&](const FlowField& known) {
        const FlowFieldInfo& info = known.info();
        if (info.method != FlowMethod::Dijkstra || info.redirected || !known.hasDistances() || !(known.map() == snapshot.bounds())) return false;
        if (!(info.key.metric == key.metric) || info.key.threat_weight != key.threat_weight) return false;
        if (key.threat_weight != 0 && info.key.side != key.side) return false;
        const auto cell = ends.goalCell();
        if (!cell || info.goals.size() != 1 || !(info.goals.front() == worldCell(snapshot, *cell)) || !(known.area() == snapshot.bounds())) return false;
        return known.snapshot() == snapshot || known.isCurrent(snapshot);
    };
    if (request.field != nullptr && fits(*request.field)) return request.field;
    if (only_brought) return nullptr;
    const FieldRequest wanted{.goal = request.goal, .constraints = request.constraints, .side = request.side};
    auto made = fieldKeyOf(snapshot, wanted);
    if (!std::holds_alternative<FieldKey>(made)) return nullptr;
    FieldKey& own = std::get<FieldKey>(made);
    const bool same = own_field.result != nullptr && own == own_key;
    if (!same || !(own_field.snapshot == snapshot)) {
        auto result = std::make_shared<FieldResult>();
        buildField(snapshot, wanted, same ? own_field : FieldBasis{}, *result);
        own_key = std::move(own);
        own_field = {std::move(result), snapshot};
        ends.set(snapshot, request, binding.model().key().metric.profile.size);  // a redirected field has used them
    }
    return own_field.result->status == PathStatus::Found ? own_field.result->field : nullptr;
}

std::optional<Cost> Query::Impl::traceField(const FlowField& along) {
    const WorldSnapshot& snapshot = binding.snapshot();
    const Cell origin = snapshot.origin();
    cells.clear();
    Cell at = worldCell(snapshot, ends.start());
    const Cost cost = along.distance(at);
    if (cost == kNoFlowDistance) return std::nullopt;
    const std::size_t limit = static_cast<std::size_t>(snapshot.width()) * static_cast<std::size_t>(snapshot.height());
    while (cells.size() < limit) {
        cells.push_back(cellIdOf(at.x - origin.x, at.y - origin.y));
        const std::uint8_t code = along.direction(at);
        if (code == kFlowGoal) return ends.goal().contains(at.x - origin.x, at.y - origin.y) ? std::optional<Cost>(cost) : std::nullopt;
        if (!isFlowArrow(code)) return std::nullopt;
        const CellRef ref = binding.refOf(at.x - origin.x, at.y - origin.y);
        if (!binding.mayStep(ref, code)) return std::nullopt;
        at = {at.x + kStepX[code], at.y + kStepY[code]};
    }
    return std::nullopt;
}

PathStatus Query::buildField(const WorldSnapshot& snapshot, const FieldRequest& request, const FieldBasis& basis, FieldResult& out) {
    return impl_->buildField(snapshot, request, basis, out);
}

}  // namespace warpath
