// Flow fields for the commands: computing one by name of its method, hashing it, drawing it.
//
//   FlowRun made = computeFlow(snapshot, request, FlowKind::March2, store, 1);
//   drawFlow(picture, *made.answer.field);
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "map_picture.h"
#include "warpath/core/hash.h"
#include "warpath/flow/flow_request.h"
#include "warpath/grid/flow_field.h"
#include "warpath/grid/tile_store.h"

namespace warpath::tool {

enum class FlowKind { Dijkstra, March1, March2 };

/// "dijkstra", "fmm", "fmm2".
[[nodiscard]] std::optional<FlowKind> flowKindByName(const std::string& name);

struct FlowRun {
    FlowAnswer answer;
    double milliseconds = 0.0;  ///< Of distances and arrows; costs are compiled before. The least of the repeats.
};

[[nodiscard]] FlowRun computeFlow(const WorldSnapshot& snapshot, const FlowRequest& request, FlowKind kind, const std::shared_ptr<TileStore>& store, int repeat);

/// Cells from which a goal is reached, the goals included.
[[nodiscard]] std::size_t reachableCells(const FlowField& field);

/// Distance, arrow and vector of every cell of the area.
void addFlowField(Hash64& hash, const FlowField& field);

/// Colours by distance, contour lines, arrows, goals.
void drawFlow(MapPicture& picture, const FlowField& field);

}  // namespace warpath::tool
