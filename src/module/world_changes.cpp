// Messages of pathfinder/world: each is one edit, made whole or not at all.
#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "io/constraints_reader.h"
#include "module/core.h"
#include "warpath/io/world_json.h"
#include "warpath/world/limits.h"

namespace warpath::module_detail {
namespace {

constexpr std::array<const char*, 4> kKinds{"building", "wall", "rock", "vegetation"};
constexpr std::size_t kMaxCells = 1'000'000;
constexpr std::size_t kMaxFocus = 64;

/// Makes an edit and turns its error into the message's.
template <class Change>
void edit(ModuleCore& core, WorldMessage& message, const Change& change) {
    EditResult result = core.world().edit(change);
    if (result.error && !message.error) message.error = std::move(result.error);
}

/// An error of an edit of one of several cells names that cell.
void nameCell(WorldMessage& message, std::size_t index, Cell cell) {
    if (!message.error || (message.error->field != "rect" && message.error->field != "cells")) return;
    message.error->field = joinPath(message.fields.pathOf("cells"), index);
    message.error->value = "[" + std::to_string(cell.x) + "," + std::to_string(cell.y) + "] lies outside the map";
}

struct Area {
    std::vector<CellRect> rects;
    bool of_cells = false;  ///< One rectangle for each of `cells`.
};

/// `rect`, or else `cells`, as rectangles.
Area readArea(WorldMessage& message) {
    Area area;
    CellRect rect;
    if (message.fields.read("rect", rect)) area.rects.push_back(rect);
    if (const Json* cells = readArray(message.fields, "cells", 1, kMaxCells, message.error)) {
        area.of_cells = true;
        if (!area.rects.empty()) noteError(message.error, "cells", "given beside rect", "give either rect or cells");
        const std::string path = message.fields.pathOf("cells");
        for (std::size_t i = 0; i < sizeOf(*cells) && !message.error; ++i) {
            Cell cell;
            if (readCell(elementOf(*cells, i), joinPath(path, i), cell, message.error)) area.rects.push_back({cell.x, cell.y, 1, 1});
        }
    }
    if (area.rects.empty()) noteError(message.error, "rect", "missing", "give rect [x, y, width, height] or cells [[x, y], ...]");
    return area;
}

/// Makes an edit of every rectangle of an area. @param write gives false when it fails.
template <class Write>
void editArea(ModuleCore& core, WorldMessage& message, const Area& area, const Write& write) {
    std::size_t i = 0;
    edit(core, message, [&](WorldEdit& e) {
        while (i < area.rects.size() && write(e, area.rects[i])) ++i;
    });
    if (area.of_cells && i < area.rects.size()) nameCell(message, i, {area.rects[i].x, area.rects[i].y});
}

CellRect requireRect(WorldMessage& message) {
    CellRect rect;
    if (message.fields.require("rect")) message.fields.read("rect", rect);
    return rect;
}

void setTerrain(ModuleCore& core, WorldMessage& message) {
    const Area area = readArea(message);
    Terrain terrain = Terrain::Grass;
    if (message.fields.require("terrain")) {
        readTerrainType(*message.fields.find("terrain"), message.fields.pathOf("terrain"), core.rules(), terrain, message.error);
    }
    if (!message.complete()) return;
    editArea(core, message, area, [&](WorldEdit& e, const CellRect& rect) { return e.setTerrain(rect, terrain); });
}

void setElevation(ModuleCore& core, WorldMessage& message) {
    const Area area = readArea(message);
    float elevation = 0.0f;
    if (message.fields.require("elevation")) message.fields.read("elevation", elevation, -kMaxElevation, kMaxElevation);
    if (!message.complete()) return;
    editArea(core, message, area, [&](WorldEdit& e, const CellRect& rect) { return e.setElevation(rect, elevation); });
}

void placeObstacle(ModuleCore& core, WorldMessage& message) {
    const CellRect rect = requireRect(message);
    std::size_t kind = 0;
    message.fields.require("kind");
    message.fields.readEnum("kind", kind, kKinds);
    float height = kDefaultObstacleHeight;
    message.fields.read("height", height, 0.0f, kMaxObstacleHeight);
    if (!message.complete()) return;
    edit(core, message, [&](WorldEdit& e) { e.placeObstacle(rect, static_cast<ObstacleKind>(kind + 1), height); });
}

void removeObstacle(ModuleCore& core, WorldMessage& message) {
    const CellRect rect = requireRect(message);
    if (message.complete()) edit(core, message, [&](WorldEdit& e) { e.removeObstacle(rect); });
}

void buildingDestroyed(ModuleCore& core, WorldMessage& message) {
    const CellRect rect = requireRect(message);
    if (message.complete()) edit(core, message, [&](WorldEdit& e) { e.destroyBuilding(rect); });
}

void bridgeRemoved(ModuleCore& core, WorldMessage& message) {
    const CellRect rect = requireRect(message);
    Terrain below = Terrain::Water;
    if (const Json* terrain = message.fields.find("terrain")) readTerrainType(*terrain, message.fields.pathOf("terrain"), core.rules(), below, message.error);
    if (message.complete()) edit(core, message, [&](WorldEdit& e) { e.removeBridge(rect, below); });
}

void craterCreated(ModuleCore& core, WorldMessage& message) {
    Position centre;
    float radius = 1.0f;
    if (message.fields.require("position")) message.fields.read("position", centre);
    if (message.fields.require("radius")) message.fields.read("radius", radius, kMinCraterRadius, kMaxCraterRadius);
    if (message.complete()) edit(core, message, [&](WorldEdit& e) { e.makeCrater(centre, radius); });
}

void setCongestion(ModuleCore& core, WorldMessage& message) {
    struct Crowd {
        Cell cell;
        float value;
    };
    std::vector<Crowd> crowds;
    message.fields.require("cells");
    if (const Json* cells = readArray(message.fields, "cells", 1, kMaxCells, message.error)) {
        const std::string path = message.fields.pathOf("cells");
        for (std::size_t i = 0; i < sizeOf(*cells) && !message.error; ++i) {
            const std::string at = joinPath(path, i);
            const Json& entry = elementOf(*cells, i);
            if (!isArrayOf(entry, 3)) {
                noteError(message.error, at, describeJson(entry), "use [x, y, value]");
                break;
            }
            Crowd crowd{};
            std::int64_t x = 0, y = 0;
            readInteger(elementOf(entry, 0), joinPath(at, 0), x, INT32_MIN, INT32_MAX, message.error);
            readInteger(elementOf(entry, 1), joinPath(at, 1), y, INT32_MIN, INT32_MAX, message.error);
            readFloat(elementOf(entry, 2), joinPath(at, 2), crowd.value, 0.0f, kMaxCongestion, message.error);
            crowd.cell = {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)};
            crowds.push_back(crowd);
        }
    }
    if (!message.complete()) return;
    std::size_t i = 0;
    edit(core, message, [&](WorldEdit& e) {
        while (i < crowds.size() && e.setCongestion(crowds[i].cell, crowds[i].value)) ++i;
    });
    if (i < crowds.size()) nameCell(message, i, crowds[i].cell);
}

void setCrowd(ModuleCore& core, WorldMessage& message) {
    std::vector<CrowdUnit> units;
    message.fields.require("units");
    if (const Json* list = readArray(message.fields, "units", 0, kMaxCrowd, message.error)) {
        units.resize(sizeOf(*list));
        const std::string path = message.fields.pathOf("units");
        for (std::size_t i = 0; i < units.size() && !message.error; ++i) {
            const std::string at = joinPath(path, i);
            const Json& entry = elementOf(*list, i);
            if (!isArrayOf(entry, 2) && !isArrayOf(entry, 3)) {
                noteError(message.error, at, describeJson(entry), "use [x, y] or [x, y, radius]");
                break;
            }
            Position& p = units[i].position;
            readFloat(elementOf(entry, 0), joinPath(at, 0), p.x, -kMaxCoordinate, kMaxCoordinate, message.error);
            readFloat(elementOf(entry, 1), joinPath(at, 1), p.y, -kMaxCoordinate, kMaxCoordinate, message.error);
            if (isArrayOf(entry, 3)) readFloat(elementOf(entry, 2), joinPath(at, 2), units[i].radius, 0.1f, 8.0f, message.error);
        }
    }
    if (message.complete()) message.error = core.setCrowd(units);
}

void readEnemies(JsonObject& fields, std::string_view key, std::vector<ThreatSource>& sources, std::optional<Error>& error) {
    const Json* list = readArray(fields, key, 0, kMaxThreatSources, error);
    if (list == nullptr) return;
    const std::string path = fields.pathOf(key);
    for (std::size_t i = 0; i < sizeOf(*list) && !error; ++i) {
        JsonObject enemy(elementOf(*list, i), joinPath(path, i), error);
        ThreatSource source;
        if (enemy.require("id")) enemy.read("id", source.id, 0u, UINT32_MAX);
        if (enemy.require("position")) enemy.read("position", source.position);
        if (enemy.require("range")) enemy.read("range", source.range, kMinThreatRange, kMaxThreatRange);
        if (enemy.require("firepower")) enemy.read("firepower", source.firepower, 0.0f, kMaxFirepower);
        enemy.finish();
        sources.push_back(source);
    }
}

void setEnemies(ModuleCore& core, WorldMessage& message) {
    std::int32_t side = 0;
    message.fields.read("side", side, 0, kMaxSides - 1);
    std::vector<ThreatSource> sources;
    if (message.fields.require("enemies")) readEnemies(message.fields, "enemies", sources, message.error);
    if (message.complete()) message.error = core.threat().setEnemies(side, std::move(sources), &core.world());
}

void readPositions(JsonObject& fields, std::string_view key, std::vector<Position>& positions, std::optional<Error>& error) {
    const Json* list = readArray(fields, key, 0, kMaxFocus, error);
    if (list == nullptr) return;
    positions.resize(sizeOf(*list));
    const std::string path = fields.pathOf(key);
    for (std::size_t i = 0; i < positions.size() && !error; ++i) readPosition(elementOf(*list, i), joinPath(path, i), positions[i], error);
}

void setFocus(ModuleCore& core, WorldMessage& message) {
    std::vector<Position> positions;
    if (message.fields.require("positions")) readPositions(message.fields, "positions", positions, message.error);
    if (message.complete()) core.focus = std::move(positions);
}

constexpr WorldType kTypes[] = {
    {"set_terrain", setTerrain},
    {"set_elevation", setElevation},
    {"place_obstacle", placeObstacle},
    {"remove_obstacle", removeObstacle},
    {"building_destroyed", buildingDestroyed},
    {"bridge_removed", bridgeRemoved},
    {"crater_created", craterCreated},
    {"enemies", setEnemies},
    {"congestion", setCongestion},
    {"crowd", setCrowd},
    {"focus", setFocus},
};

}  // namespace

std::span<const WorldType> worldChanges() { return kTypes; }

void ModuleCore::writeState(JsonWriter& out) const {
    out.key("enemies").beginArray();
    for (int side = 0; side < kMaxSides; ++side) {
        if (threat_.enemies(side).empty()) continue;
        out.beginObject().member("side", side).key("enemies").beginArray();
        for (const ThreatSource& source : threat_.enemies(side)) {
            out.beginObject()
                .member("id", source.id)
                .member("position", source.position)
                .member("range", source.range)
                .member("firepower", source.firepower)
                .endObject();
        }
        out.endArray().endObject();
    }
    out.endArray().values("focus", focus);
}

std::optional<Error> ModuleCore::readState(std::string_view text, std::int64_t version, std::uint64_t& frame) {
    const auto parsed = parseJson(text, "");
    if (const auto* error = std::get_if<Error>(&parsed)) return *error;
    std::optional<Error> error;
    JsonObject fields(std::get<Json>(parsed), "", error);
    std::int64_t given_version = 0, given_frame = 0;
    if (fields.require("version")) fields.read("version", given_version, version, version);
    if (fields.require("frame")) fields.read("frame", given_frame, 0, INT64_MAX);
    std::array<std::vector<ThreatSource>, kMaxSides> sources;
    if (const Json* sides = readArray(fields, "enemies", 0, kMaxSides, error)) {
        for (std::size_t i = 0; i < sizeOf(*sides) && !error; ++i) {
            JsonObject entry(elementOf(*sides, i), joinPath("enemies", i), error);
            std::int32_t side = 0;
            if (entry.require("side")) entry.read("side", side, 0, kMaxSides - 1);
            if (entry.require("enemies")) readEnemies(entry, "enemies", sources[static_cast<std::size_t>(side)], error);
            entry.finish();
        }
    }
    std::vector<Position> positions;
    readPositions(fields, "focus", positions, error);
    fields.finish();
    if (error) return error;
    ThreatKeeper trial;  // finds what is wrong before anything is changed
    for (int side = 0; side < kMaxSides; ++side) {
        if (auto wrong = trial.setEnemies(side, sources[static_cast<std::size_t>(side)], nullptr)) return wrong;
    }
    for (int side = 0; side < kMaxSides; ++side) {
        (void)threat_.setEnemies(side, std::move(sources[static_cast<std::size_t>(side)]), world_.get());
    }
    focus = std::move(positions);
    frame = static_cast<std::uint64_t>(given_frame);
    return std::nullopt;
}

}  // namespace warpath::module_detail
