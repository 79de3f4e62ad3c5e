// The working state of FlowBuilder.
#pragma once

#include <vector>

#include "flow/arrows.h"
#include "flow/goals.h"
#include "flow/integration.h"
#include "warpath/flow/flow_builder.h"

namespace warpath {

struct FlowBuilder::Impl {
    WorldSnapshot snapshot;
    FlowRequest request;
    std::shared_ptr<TileStore> store;
    FlowAnswer answer;
    flow::Integration field;
    flow::ArrowPass arrows;
    std::vector<flow::Seed> seeds;    ///< Sorted by chunk and cell.
    std::vector<flow::Place> starts;
    bool redirected = false;
    std::uint64_t visits = 0;         ///< Of an integration that was thrown away.
    CellRect area;                    ///< Whole chunks clipped to the map [world cells].
    ChunkCoord first;                 ///< The area in chunks.
    int columns = 0, rows = 0;

    bool begin(const WorldSnapshot& now, const FlowRequest& asked, const std::shared_ptr<TileStore>& tiles);
    void integrate();
    FlowAnswer finish();

    FlowAnswer repair(const std::shared_ptr<const FlowField>& field_before, const FlowRequest& asked, const WorldSnapshot& now, const std::shared_ptr<TileStore>& tiles);
    FlowAnswer extend(const std::shared_ptr<const FlowField>& field_before, const FlowRequest& asked, std::span<const Cell> more, const std::shared_ptr<TileStore>& tiles);

    void setArea(const CellRect& wanted);
    /// The code of cells that no way was found from.
    [[nodiscard]] std::uint8_t unreachedCode() const {
        return field.horizon() != kNoFlowDistance || !request.chunks.empty() ? kFlowPending : kFlowUnreachable;
    }
    void placeStarts(std::span<const Cell> cells);
    void seedAll();
    [[nodiscard]] std::shared_ptr<FlowTile> makeTile(std::uint32_t index);
    void markGoals(std::uint32_t index, FlowTile& tile) const;
    void markPending(std::uint32_t index, FlowTile& tile) const;
    [[nodiscard]] FlowFieldInfo infoOf() const;
    FlowAnswer publish(FlowFieldInfo info, ChunkDirectory<FlowTile> tiles);
};

}  // namespace warpath
