#include "pathfinder/field_corridor.h"

#include <algorithm>
#include <array>

#include "pathfinder/hierarchy_query.h"
#include "pathfinder/portal_costs.h"

namespace warpath {
namespace {

// How far around the ways over portals tiles are taken [cells] (bench/tiled_field_bench).
constexpr int kMargin = 6;
constexpr int kLayeredMargin = 48;  // where threat or congestion is priced, which portals only estimate

}  // namespace

FieldCorridor::FieldCorridor() : costs_(std::make_unique<ChunkCosts>()) {}
FieldCorridor::~FieldCorridor() = default;

/// What the portals of the goal's chunks cost from the goal. @return false when no unit can stand on the goal.
bool FieldCorridor::joinGoal(TileBinding& binding, const RegionTable& regions, const GoalShape& goals) {
    goals_.clear();
    goal_regions_.clear();
    const CellRect bounds = intersect(goals.bounds(), {0, 0, binding.snapshot().width(), binding.snapshot().height()});
    if (bounds.empty()) return false;
    const ChunkCoord first = chunkOfCell(bounds.x, bounds.y), last = chunkOfCell(bounds.x + bounds.width - 1, bounds.y + bounds.height - 1);
    std::vector<std::uint16_t> cells;
    for (int cy = first.y; cy <= last.y; ++cy) {
        for (int cx = first.x; cx <= last.x; ++cx) {
            const CellRect shared = intersect(bounds, {cx << kChunkShift, cy << kChunkShift, kChunkSize, kChunkSize});
            cells.clear();
            for (int y = shared.y; y < shared.y + shared.height; ++y) {
                for (int x = shared.x; x < shared.x + shared.width; ++x) {
                    const RegionId region = goals.contains(x, y) ? regions.regionAt(x, y) : 0;
                    if (region == 0) continue;
                    cells.push_back(static_cast<std::uint16_t>(localIndex(x, y)));
                    if (std::find(goal_regions_.begin(), goal_regions_.end(), region) == goal_regions_.end()) goal_regions_.push_back(region);
                }
            }
            if (cells.empty()) continue;
            costs_->prepare(binding, binding.slot(slotOf(binding.refOf(shared.x, shared.y))), TravelDirection::to_goals);
            const auto& left = costs_->fromAny(cells);
            GoalChunk& goal = goals_.emplace_back();
            goal.chunk = {cx, cy};
            appendPortalCosts(view_.table(goal.chunk), left, goal.entries);
        }
    }
    return !goals_.empty();
}

/// The parts of chunks in which units stand that have a way to the goal. A unit inside a wall stands for its chunk.
void FieldCorridor::gatherGroups(const RegionTable& regions, const FieldKey& key, FieldTiles& out) {
    std::vector<std::array<int, 3>> parts;  // row and column of the chunk, label (-1: all)
    const auto leads = [&](RegionId region) { return std::find(goal_regions_.begin(), goal_regions_.end(), region) != goal_regions_.end(); };
    for (const Cell c : key.from) {
        if (c.x < 0 || c.y < 0 || c.x >= regions.snapshot().width() || c.y >= regions.snapshot().height()) continue;
        const ChunkCoord chunk = chunkOfCell(c.x, c.y);
        const RegionId region = regions.regionAt(c.x, c.y);
        const int label = region == 0 ? -1 : regions.labels(chunk).labelOf(localIndex(c.x, c.y));
        if (region == 0 || !leads(region)) ++out.cut_off;
        if (region != 0 && !leads(region)) continue;
        parts.push_back({chunk.y, chunk.x, label});
    }
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    groups_.clear();
    for (const auto& [row, column, label] : parts) {
        PortalGroup group{{column, row}, {}};
        const ChunkTable& table = view_.table(group.chunk);
        const ChunkLabels& labels = regions.labels(group.chunk);
        for (std::size_t p = 0; p < table.count(); ++p) {
            const int local = table.portals[p].cell;
            const int x = (column << kChunkShift) + (local & (kChunkSize - 1)), y = (row << kChunkShift) + (local >> kChunkShift);
            const bool mine = label >= 0 ? labels.labelOf(local) == label : leads(regions.regionAt(x, y));
            if (mine) group.portals.push_back(static_cast<std::uint16_t>(p));
        }
        groups_.push_back(std::move(group));
    }
}

bool FieldCorridor::plan(TileBinding& binding, const std::shared_ptr<TileStore>& store, const RegionTable& regions, const FieldKey& key, const GoalShape& goals,
                         const PortalRules& rules, FieldTiles& out) {
    out = {};
    if (!HierarchyQuery::takes(goals)) return false;
    view_.bind(binding.snapshot(), binding.model().key(), store, rules);
    if (!joinGoal(binding, regions, goals)) return false;
    gatherGroups(regions, key, out);
    if (groups_.empty()) return false;
    corridor_.reset(view_.columns(), view_.rows());
    const auto open = [&](Cell a, Cell b, int margin) {
        const int x0 = std::min(a.x, b.x) - margin, x1 = std::max(a.x, b.x) + margin, y0 = std::min(a.y, b.y) - margin, y1 = std::max(a.y, b.y) + margin;
        for (int y = std::max(y0 >> kChunkShift, 0); y <= std::min(y1 >> kChunkShift, view_.rows() - 1); ++y) {
            for (int x = std::max(x0 >> kChunkShift, 0); x <= std::min(x1 >> kChunkShift, view_.columns() - 1); ++x) corridor_.add({x, y});
        }
    };
    for (const GoalChunk& goal : goals_) corridor_.add(goal.chunk);
    for (const PortalGroup& group : groups_) {
        const Cell corner{group.chunk.x << kChunkShift, group.chunk.y << kChunkShift};
        open(corner, {corner.x + kChunkSize - 1, corner.y + kChunkSize - 1}, key.around);
    }
    // A part of a goal's chunk may have no portal at all, and needs none then.
    std::erase_if(groups_, [&](const PortalGroup& group) { return group.portals.empty(); });
    field_.run(view_, goals_, groups_, static_cast<std::uint64_t>(binding.model().smallestF(binding.snapshot().state())));
    const int margin = view_.pricesLayers() ? kLayeredMargin : kMargin;
    field_.forEachLeg([&](Cell a, Cell b) { open(a, b, margin); });
    out.chunks = corridor_.chunks();
    std::sort(out.chunks.begin(), out.chunks.end(), [](ChunkCoord a, ChunkCoord b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    out.coarse = field_.coarse();
    return true;
}

std::size_t FieldCorridor::memoryBytes() const { return view_.memoryBytes() + field_.memoryBytes() + sizeof(ChunkCosts); }

}  // namespace warpath
