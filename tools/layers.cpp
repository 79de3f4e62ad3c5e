#include "layers.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "flow_tool.h"
#include "navmesh_part.h"
#include "warpath/core/directions.h"
#include "warpath/grid/region_table.h"
#include "warpath/search/chunk_table.h"

namespace warpath::tool {
namespace {

ChunkCoord chunkOf(const WorldSnapshot& snapshot, Cell c) {
    return {(c.x - snapshot.origin().x) >> kChunkShift, (c.y - snapshot.origin().y) >> kChunkShift};
}
std::size_t localOf(const WorldSnapshot& snapshot, Cell c) {
    return static_cast<std::size_t>(localIndex(c.x - snapshot.origin().x, c.y - snapshot.origin().y));
}

/// Finds the tile of a cell; neighbours mostly share it, so the last one is kept.
template <class Tile, class Fetch>
class TileReader {
public:
    TileReader(const WorldSnapshot& snapshot, Fetch fetch) : snapshot_(snapshot), fetch_(std::move(fetch)) {}
    const Tile& at(Cell c) {
        const ChunkCoord chunk = chunkOf(snapshot_, c);
        if (!tile_ || !(chunk == chunk_)) {
            tile_ = fetch_(chunk);
            chunk_ = chunk;
        }
        return *tile_;
    }

private:
    const WorldSnapshot& snapshot_;
    Fetch fetch_;
    ChunkCoord chunk_;
    std::shared_ptr<const Tile> tile_;
};

void drawTerrain(MapPicture& picture, const LayerSource&) { picture.drawTerrain(); }

void drawThreatLayer(MapPicture& picture, const LayerSource& source) { drawThreat(picture, source.snapshot, source.side, source.threats); }

void drawCongestion(MapPicture& picture, const LayerSource& source) {
    constexpr float kHot = 400.0f;
    picture.drawHeat("congestion: extra cost per metre", dangerRamp(), "0", "4 or more", 0.8f, [&](Cell c) -> std::optional<float> {
        const CongestionChunk* congestion = source.snapshot.congestion(chunkOf(source.snapshot, c));
        const std::uint16_t value = congestion != nullptr ? congestion->value[localOf(source.snapshot, c)] : std::uint16_t{0};
        if (value == 0) return std::nullopt;
        return std::min(static_cast<float>(value) / kHot, 1.0f);
    });
}

void drawCover(MapPicture& picture, const LayerSource& source) {
    const auto fetch = [&](ChunkCoord chunk) { return source.tiles->cover(source.snapshot, chunk); };
    TileReader<CoverTile, decltype(fetch)> tiles(source.snapshot, fetch);
    picture.drawHeat("cover", shelterRamp(), "none", "full", 0.8f, [&](Cell c) -> std::optional<float> {
        if (obstacleKind(source.snapshot.obstacleAt(c)) != ObstacleKind::None) return std::nullopt;
        return static_cast<float>(tiles.at(c).cover[localOf(source.snapshot, c)]) / static_cast<float>(kFullCover);
    });
}

void drawExposure(MapPicture& picture, const LayerSource& source) {
    const auto fetch = [&](ChunkCoord chunk) { return source.tiles->cover(source.snapshot, chunk); };
    TileReader<CoverTile, decltype(fetch)> tiles(source.snapshot, fetch);
    picture.drawHeat("exposure: directions open to sight", dangerRamp(), "hidden", "in full view", 0.8f, [&](Cell c) -> std::optional<float> {
        if (obstacleKind(source.snapshot.obstacleAt(c)) != ObstacleKind::None) return std::nullopt;
        return static_cast<float>(tiles.at(c).exposure[localOf(source.snapshot, c)]) / static_cast<float>(kFullExposure);
    });
}

void drawClearance(MapPicture& picture, const LayerSource& source) {
    const CellRect bounds = source.snapshot.bounds();
    MobilityProfile profile = source.constraints.metric.profile;
    profile.size = 1;
    constexpr int kMost = 16;
    // clearance(c) = 1 + the least of its east, south and south-east neighbours.
    const auto stride = static_cast<std::size_t>(bounds.width) + 1;
    std::vector<std::uint8_t> clearance(stride * (static_cast<std::size_t>(bounds.height) + 1));
    const auto fetch = [&](ChunkCoord chunk) { return source.tiles->moves(source.snapshot, profile, chunk); };
    TileReader<MoveTile, decltype(fetch)> tiles(source.snapshot, fetch);
    for (int y = bounds.height - 1; y >= 0; --y) {
        for (int x = bounds.width - 1; x >= 0; --x) {
            const Cell c{bounds.x + x, bounds.y + y};
            if (!tiles.at(c).fits(static_cast<int>(localOf(source.snapshot, c)))) continue;
            const std::size_t i = static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x);
            const int least = std::min({clearance[i + 1], clearance[i + stride], clearance[i + stride + 1]});
            clearance[i] = static_cast<std::uint8_t>(std::min(least + 1, kMost));
        }
    }
    picture.drawHeat("clearance: the widest unit with its top left corner here", distanceRamp(), "1 m", std::to_string(kMost) + " m or more", 0.75f,
                     [&](Cell c) -> std::optional<float> {
                         const int value = clearance[static_cast<std::size_t>(c.y - bounds.y) * stride + static_cast<std::size_t>(c.x - bounds.x)];
                         if (value == 0) return std::nullopt;
                         return static_cast<float>(value - 1) / static_cast<float>(kMost - 1);
                     });
}

void drawComponents(MapPicture& picture, const LayerSource& source) {
    const auto regions = source.tiles->regions(source.snapshot, source.constraints.metric.profile);
    const CellRect bounds = source.snapshot.bounds();
    std::map<RegionId, std::size_t> sizes;
    for (int y = 0; y < bounds.height; ++y)
        for (int x = 0; x < bounds.width; ++x)
            if (const RegionId region = regions->regionAt(x, y)) ++sizes[region];
    std::vector<std::pair<std::size_t, RegionId>> order;  // the largest first
    for (const auto& [region, size] : sizes) order.emplace_back(size, region);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    std::map<RegionId, Colour> colours;
    for (std::size_t i = 0; i < order.size(); ++i) colours[order[i].second] = i == 0 ? Colour{120, 190, 235} : distinctColour(i);
    picture.drawColours(0.7f, [&](Cell c) -> std::optional<Colour> {
        const RegionId region = regions->regionAt(c.x - bounds.x, c.y - bounds.y);
        return region == 0 ? std::nullopt : std::optional(colours[region]);
    });
    constexpr std::size_t kListed = 10;
    picture.addNote(std::to_string(order.size()) + (order.size() == 1 ? " connected part" : " connected parts"));
    for (std::size_t i = 0; i < std::min(order.size(), kListed); ++i)
        picture.addLegend(colours[order[i].second], std::to_string(order[i].first) + " cells");
    if (order.size() > kListed) picture.addNote("and " + std::to_string(order.size() - kListed) + " smaller ones");
}

/// The chunks of the hierarchy and their portals: a line for each step that joins two chunks.
void drawClusters(MapPicture& picture, const LayerSource& source) {
    const WorldSnapshot& snapshot = source.snapshot;
    const CellRect bounds = snapshot.bounds();
    const Colour border{60, 60, 90}, joint{200, 30, 120};
    const auto at = [&](float x, float y) { return Position{static_cast<float>(bounds.x) + x, static_cast<float>(bounds.y) + y}; };
    const auto width = static_cast<float>(bounds.width), height = static_cast<float>(bounds.height);
    for (int x = 0; x < bounds.width; x += kChunkSize) picture.drawLine(at(static_cast<float>(x), 0.0f), at(static_cast<float>(x), height), 1.0f, border, 0.5f);
    for (int y = 0; y < bounds.height; y += kChunkSize) picture.drawLine(at(0.0f, static_cast<float>(y)), at(width, static_cast<float>(y)), 1.0f, border, 0.5f);

    const WorldSnapshot ground = withoutCongestion(snapshot);
    ChunkTableBuilder builder;
    std::size_t portals = 0, ways = 0;
    const int columns = (bounds.width + kChunkSize - 1) >> kChunkShift, rows = (bounds.height + kChunkSize - 1) >> kChunkShift;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const auto table = builder.table(ground, source.constraints.metric, {column, row}, *source.tiles, {});
            portals += table->count();
            ways += table->count() * table->count() -
                    static_cast<std::size_t>(std::count(table->costs.begin(), table->costs.end(), ChunkTable::kNoWay));
            for (const ChunkPortal& portal : table->portals) {
                if (portal.crossing == ChunkTable::kNoWay) continue;  // only the way in
                const Cell from{bounds.x + (column << kChunkShift) + (portal.cell & (kChunkSize - 1)), bounds.y + (row << kChunkShift) + (portal.cell >> kChunkShift)};
                const Cell to{from.x + kStepX[portal.direction], from.y + kStepY[portal.direction]};
                picture.drawDot(centreOf(from), 2.0f, joint);
                picture.drawLine(centreOf(from), centreOf(to), 2.0f, joint, 1.0f);
            }
        }
    }
    picture.addLegend(joint, "portals of the hierarchy");
    picture.addNote(std::to_string(columns * rows) + " chunks, " + std::to_string(portals) + " portals, " + std::to_string(ways) + " table entries");
}

/// Exact distances and arrows, led to the nearest free cell.
void drawFlowLayer(MapPicture& picture, const LayerSource& source) {
    const CellRect map = source.snapshot.bounds();
    const Position middle{static_cast<float>(map.x) + 0.5f * static_cast<float>(map.width), static_cast<float>(map.y) + 0.5f * static_cast<float>(map.height)};
    FlowRequest request;
    request.key = {source.constraints.metric, source.constraints.threat_weight, static_cast<std::uint8_t>(source.side)};
    request.goals = {flowCell(source.goal.value_or(middle), source.constraints.metric.profile.size)};
    const FlowRun made = computeFlow(source.snapshot, request, FlowKind::Dijkstra, source.tiles, 1);
    if (made.answer.field != nullptr) drawFlow(picture, *made.answer.field);
}

struct NamedLayer {
    const char* name;
    LayerPainter paint;
};
constexpr NamedLayer kLayers[] = {{"terrain", drawTerrain},       {"threat", drawThreatLayer},    {"cover", drawCover},
                                  {"exposure", drawExposure},     {"congestion", drawCongestion}, {"clearance", drawClearance}, {"components", drawComponents},
                                  {"flow", drawFlowLayer},        {"clusters", drawClusters},     {"navmesh", drawNavmeshLayer}};

}  // namespace

LayerPainter layerByName(const std::string& name) {
    const auto found = std::find_if(std::begin(kLayers), std::end(kLayers), [&](const NamedLayer& layer) { return name == layer.name; });
    return found == std::end(kLayers) ? nullptr : found->paint;
}

std::string layerNames() {
    std::string names;
    for (const NamedLayer& layer : kLayers) names += (names.empty() ? "" : ", ") + std::string(layer.name);
    return names;
}

void drawThreat(MapPicture& picture, const WorldSnapshot& snapshot, int side, const std::vector<ThreatSource>& sources) {
    if (snapshot.state().threat_chunks[static_cast<std::size_t>(side)] == 0) return;
    picture.drawHeat("threat to side " + std::to_string(side), dangerRamp(), "faint", "1 (lethal) or more", 0.55f, [&](Cell c) -> std::optional<float> {
        if (obstacleKind(snapshot.obstacleAt(c)) != ObstacleKind::None) return std::nullopt;
        const float threat = snapshot.threatAt(side, c);
        if (threat < 0.01f) return std::nullopt;
        return std::min(threat, 1.0f);
    }, true);
    for (const ThreatSource& source : sources) picture.drawEnemy(source.position, source.range);
}

}  // namespace warpath::tool
