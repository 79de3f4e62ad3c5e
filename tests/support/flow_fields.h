// What tests of flow fields share: keys from wishes, a drawn map with its request.
//
//   DrawnField<FlowBuilder> made("..G\n");   made.request.starts = {{0, 0}};   made.build(made.builder) ...
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "support/ascii_world.h"
#include "warpath/flow/flow_request.h"
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

}  // namespace warpath
