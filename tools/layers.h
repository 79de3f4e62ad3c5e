// The layers that a picture of a map can show.
//
//   drawLayer(picture, {"clearance", snapshot, tiles, constraints, side});
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "map_picture.h"
#include "warpath/grid/tile_store.h"
#include "warpath/world/constraints.h"
#include "warpath/world/threat_source.h"

namespace warpath::tool {

struct LayerSource {
    WorldSnapshot snapshot;
    std::shared_ptr<TileStore> tiles;
    ResolvedConstraints constraints;  ///< For whom: clearance, components.
    int side = 0;                     ///< Whose threat.
    std::vector<ThreatSource> threats{};  ///< What threatens that side.
    std::optional<Position> goal{};       ///< Of the flow field; nothing: the middle of the map.
};

using LayerPainter = void (*)(MapPicture& picture, const LayerSource& source);

/// Painters by the names that `--layers` takes. Null for an unknown name.
[[nodiscard]] LayerPainter layerByName(const std::string& name);
/// "terrain, threat, ...".
[[nodiscard]] std::string layerNames();

/// Published threat as heat and its sources as crosses with their reach; nothing where the side has none.
void drawThreat(MapPicture& picture, const WorldSnapshot& snapshot, int side, const std::vector<ThreatSource>& sources);

}  // namespace warpath::tool
