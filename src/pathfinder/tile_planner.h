// Which chunks a tiled flow field computes: those of the ways over portals from where its units stand to its goal, and those near them.
#pragma once

#include <memory>
#include <vector>

#include "warpath/grid/coarse_flow.h"
#include "warpath/grid/region_table.h"
#include "warpath/grid/tile_binding.h"
#include "warpath/pathfinder/field_request.h"
#include "warpath/search/chunk_corridor.h"
#include "warpath/search/goal_shape.h"
#include "warpath/search/portal_field.h"

namespace warpath {

class ChunkCosts;

struct FieldTiles {
    std::vector<ChunkCoord> chunks;            ///< By row.
    std::shared_ptr<const CoarseFlow> coarse;
    std::uint32_t cut_off = 0;                 ///< Of the key's cells: places on the map from which no way leads to the goal, or where no unit can stand.
    const char* untiled = nullptr;             ///< Why tiles are no help; null: they are.
};

/// Threads: one at a time per object.
class TilePlanner {
public:
    TilePlanner();
    ~TilePlanner();

    /// A pure function of snapshot and key. The tiles for several units are those for each of them together.
    /// @param binding tiles of the key's costs. @param goals the cells that the field leads to [grid cells].
    /// @return false when tiles are no help: no unit's place leads to the goal, or the goal covers too many chunks (FieldTiles::untiled).
    bool plan(TileBinding& binding, const std::shared_ptr<TileStore>& store, const std::shared_ptr<const RegionTable>& regions, const FieldKey& key,
              const GoalShape& goals, const PortalRules& rules, FieldTiles& out);

    [[nodiscard]] std::size_t memoryBytes() const;

private:
    [[nodiscard]] const char* joinGoal(TileBinding& binding, const RegionTable& regions, const FieldKey& key, const GoalShape& goals);
    void gatherGroups(const RegionTable& regions, const FieldKey& key, FieldTiles& out);

    HierarchyView view_;
    PortalField field_;
    ChunkCorridor corridor_;
    std::unique_ptr<ChunkCosts> costs_;
    std::vector<GoalChunk> goals_;
    std::vector<PortalGroup> groups_;
    std::vector<RegionId> goal_regions_, cut_off_;
};

}  // namespace warpath
