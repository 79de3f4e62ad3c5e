// What tests of flow fields share: keys from wishes, a drawn map with its request, a walk over all cells.
//
//   DrawnField<FlowBuilder> made("..G\n");   made.request.starts = {{0, 0}};   made.build(made.builder) ...
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <variant>

#include "support/ascii_world.h"
#include "warpath/flow/flow_request.h"
#include "warpath/grid/flow_field.h"
#include "warpath/grid/tile_store.h"
#include "warpath/world/constraints.h"

namespace warpath {

[[nodiscard]] inline CostKey flowKey(const PathConstraints& wishes, const WorldSnapshot& now, int side = 0) {
    const auto resolved = std::get<ResolvedConstraints>(resolve(wishes, now.rules()));
    return {resolved.metric, resolved.threat_weight, static_cast<std::uint8_t>(side)};
}

/// A drawn map and the request for a field to its G.
template <class Builder>
struct DrawnField {
    AsciiWorld drawn;
    std::shared_ptr<TileStore> store = std::make_shared<TileStore>();
    Builder builder;
    FlowRequest request;

    explicit DrawnField(std::string_view rows, Cell origin = {}, const PathConstraints& wishes = walker()) : drawn(asciiWorld(rows, origin)) {
        request.key = flowKey(wishes, drawn.snapshot());
        if (drawn.g) request.goals = {*drawn.g};
    }
};

/// Visits every cell of a field's area, until an assertion of the visit fails.
template <class Visit>
void forEachCell(const FlowField& field, Visit&& visit) {
    const CellRect& area = field.area();
    for (int y = area.y; y < area.y + area.height; ++y) {
        for (int x = area.x; x < area.x + area.width; ++x) {
            visit(Cell{x, y});
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

}  // namespace warpath
