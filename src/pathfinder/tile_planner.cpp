#include "pathfinder/tile_planner.h"

#include <algorithm>
#include <array>
#include <string>

#include "pathfinder/hierarchy_query.h"
#include "pathfinder/portal_costs.h"

namespace warpath {
namespace {

// How far around the ways over portals tiles are taken [cells] (bench/tiled_field_bench).
constexpr int kMargin = 6;

}  // namespace

TilePlanner::TilePlanner() : costs_(std::make_unique<ChunkCosts>()) {}
TilePlanner::~TilePlanner() = default;

/// What the portals of the goal's chunks cost from the goal.
/// @return null, or why tiles are no help [of static storage].
const char* TilePlanner::joinGoal(TileBinding& binding, const RegionTable& regions, const FieldKey& key, const GoalShape& goals) {
    static const std::string wide_area = "the goal's area covers more than " + std::to_string(kMaxGoalChunks) + " chunks";
    static const std::string wide_set = "the goals lie in more than " + std::to_string(kMaxSetChunks) + " chunks";
    goal_regions_.clear();
    const CellRect map{0, 0, binding.snapshot().width(), binding.snapshot().height()};
    std::vector<Cell> cells;  // where a unit can stand
    const auto take = [&](int x, int y) {
        const RegionId region = regions.regionAt(x, y);
        if (region == 0) return;
        cells.push_back({x, y});
        if (std::find(goal_regions_.begin(), goal_regions_.end(), region) == goal_regions_.end()) goal_regions_.push_back(region);
    };
    if (key.kind == Goal::Kind::Point || key.kind == Goal::Kind::Set) {
        for (const Cell c : key.cells) {
            if (map.contains(c)) take(c.x, c.y);
        }
    } else {
        if (!HierarchyQuery::takes(goals)) return wide_area.c_str();
        const CellRect bounds = intersect(goals.bounds(), map);
        for (int y = bounds.y; y < bounds.y + bounds.height; ++y) {
            for (int x = bounds.x; x < bounds.x + bounds.width; ++x) {
                if (goals.contains(x, y)) take(x, y);
            }
        }
    }
    if (cells.empty()) return "no unit can stand on the goal";
    std::sort(cells.begin(), cells.end(), beforeByChunk);
    std::size_t chunks = 1;
    for (std::size_t i = 1; i < cells.size(); ++i) chunks += chunkOfCell(cells[i].x, cells[i].y) == chunkOfCell(cells[i - 1].x, cells[i - 1].y) ? 0 : 1;
    if (chunks > kMaxSetChunks) return wide_set.c_str();
    goals_.resize(joinGoalCells(binding, view_, *costs_, cells, goals_));
    return nullptr;
}

/// The parts of chunks in which units stand that have a way to the goal. A unit inside a wall stands for its chunk.
void TilePlanner::gatherGroups(const RegionTable& regions, const FieldKey& key, FieldTiles& out) {
    std::vector<std::array<int, 3>> parts;  // row and column of the chunk, label (-1: all)
    const auto leads = [&](RegionId region) { return std::find(goal_regions_.begin(), goal_regions_.end(), region) != goal_regions_.end(); };
    const int width = regions.snapshot().width(), height = regions.snapshot().height(), half = key.cost.metric.profile.size / 2;
    cut_off_.clear();
    for (const Cell anchor : key.from) {
        if (anchor.x + half < 0 || anchor.y + half < 0 || anchor.x + half >= width || anchor.y + half >= height) continue;
        // A large unit's square may stick out of the map although its middle does not: it can stand nowhere there.
        const Cell c{std::clamp(anchor.x, 0, width - 1), std::clamp(anchor.y, 0, height - 1)};
        const ChunkCoord chunk = chunkOfCell(c.x, c.y);
        const RegionId region = c == anchor ? regions.regionAt(c.x, c.y) : 0;
        const int label = region == 0 ? -1 : regions.labels(chunk).labelOf(localIndex(c.x, c.y));
        if (region == 0 || !leads(region)) ++out.cut_off;
        if (region != 0 && !leads(region)) {
            cut_off_.push_back(region);
            continue;
        }
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
            const Cell c = cellOf(group.chunk, table.portals[p]);
            const bool mine = label >= 0 ? labels.labelOf(table.portals[p].cell) == label : leads(regions.regionAt(c.x, c.y));
            if (mine) group.portals.push_back(static_cast<std::uint16_t>(p));
        }
        groups_.push_back(std::move(group));
    }
}

bool TilePlanner::plan(TileBinding& binding, const std::shared_ptr<TileStore>& store, const std::shared_ptr<const RegionTable>& regions, const FieldKey& key,
                         const GoalShape& goals, const PortalRules& rules, FieldTiles& out) {
    out = {};
    view_.bind(binding.snapshot(), binding.model().key(), store, rules);
    out.untiled = joinGoal(binding, *regions, key, goals);
    if (out.untiled != nullptr) return false;
    gatherGroups(*regions, key, out);
    if (groups_.empty()) {
        out.untiled = "no way leads from any of the positions to the goal";
        return false;
    }
    corridor_.reset(view_.columns(), view_.rows());
    for (const GoalChunk& goal : goals_) corridor_.add(goal.chunk);
    for (const PortalGroup& group : groups_) {
        const Cell corner{group.chunk.x << kChunkShift, group.chunk.y << kChunkShift};
        corridor_.addAround(corner, {corner.x + kChunkSize - 1, corner.y + kChunkSize - 1}, key.around);
    }
    // A part of a goal's chunk may have no portal at all, and needs none then.
    std::erase_if(groups_, [&](const PortalGroup& group) { return group.portals.empty(); });
    field_.run(view_, goals_, groups_, static_cast<std::uint64_t>(binding.model().smallestF(binding.snapshot().state())));
    const int margin = view_.pricesLayers() ? kLayeredMargin : kMargin;
    field_.forEachLeg([&](Cell a, Cell b) { corridor_.addAround(a, b, margin); });
    out.chunks = corridor_.chunks();
    std::sort(out.chunks.begin(), out.chunks.end(), [](ChunkCoord a, ChunkCoord b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    const std::shared_ptr<CoarseFlow> coarse = field_.coarse();
    coarse->setRegions(regions, cut_off_);
    out.coarse = coarse;
    return true;
}

std::size_t TilePlanner::memoryBytes() const { return view_.memoryBytes() + field_.memoryBytes() + sizeof(ChunkCosts); }

}  // namespace warpath
