#include "warpath/world/world.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "warpath/core/number_text.h"
#include "warpath/world/limits.h"
#include "warpath/world/position_errors.h"

namespace warpath {
namespace {

constexpr int kMaxRelief = 65'534;  // what offsets of 16 bits can span [cm]

std::string rangeText(float low, float high) { return numberText(low) + ".." + numberText(high); }

std::int32_t toCentimetres(float metres) { return static_cast<std::int32_t>(std::floor(metres * 100.0f + 0.5f)); }

std::uint64_t nextWorldId() {
    static std::atomic<std::uint64_t> counter{0};  // process-wide by purpose: ids of different worlds must differ
    return ++counter;
}

int chunkCount(int cells) { return (cells + kChunkSize - 1) >> kChunkShift; }

}  // namespace

/// The next state while it is being edited: chunk records are copied on first touch and put into the directories at the end.
struct WorldEdit::Draft {
    struct Ground {
        std::shared_ptr<ChunkGround> record;
        std::vector<std::int32_t> elevation_cm;  // empty until a height is written
        int x0 = kChunkSize, y0 = kChunkSize, x1 = -1, y1 = -1;  // local bounds of what was touched
    };

    std::shared_ptr<WorldState> next;
    std::unordered_map<std::uint32_t, Ground> grounds;
    std::unordered_map<std::uint32_t, std::shared_ptr<CongestionChunk>> congestions;
    std::optional<Error> error;
    bool layers_changed = false;  // threat or congestion

    bool fail(std::string field, std::string value, std::string remedy) {
        if (!error) error = Error{std::move(field), std::move(value), std::move(remedy)};
        return false;
    }

    bool failChunk(ChunkCoord chunk) {
        return fail("chunk", "(" + std::to_string(chunk.x) + "," + std::to_string(chunk.y) + ")",
                    "use a chunk of the map: (0,0) to below (" + std::to_string(next->ground.columns()) + "," + std::to_string(next->ground.rows()) + ")");
    }

    [[nodiscard]] CellRect bounds() const { return {next->origin_x, next->origin_y, next->width, next->height}; }
    [[nodiscard]] std::uint32_t indexOf(ChunkCoord c) const { return static_cast<std::uint32_t>(c.y * next->ground.columns() + c.x); }
    [[nodiscard]] ChunkCoord coordOf(std::uint32_t index) const {
        const auto columns = static_cast<std::uint32_t>(next->ground.columns());
        return {static_cast<std::int32_t>(index % columns), static_cast<std::int32_t>(index / columns)};
    }

    Ground& groundOf(ChunkCoord c) {
        Ground& ground = grounds[indexOf(c)];
        if (ground.record == nullptr) ground.record = std::make_shared<ChunkGround>(*next->ground.get(c));
        return ground;
    }

    std::vector<std::int32_t>& elevationOf(Ground& ground) {
        if (ground.elevation_cm.empty()) {
            ground.elevation_cm.resize(kChunkCells);
            for (int i = 0; i < kChunkCells; ++i) ground.elevation_cm[static_cast<std::size_t>(i)] = ground.record->elevationCm(i);
        }
        return ground.elevation_cm;
    }

    /// Checks and clips a rectangle; empty (with the error noted) when it cannot be used.
    CellRect clip(const char* field, const CellRect& rect) {
        if (rect.empty()) {
            fail(field, rectText(rect), "give a positive width and height");
            return {};
        }
        const CellRect inside = intersect(rect, bounds());
        if (inside.empty()) fail(field, rectText(rect) + " lies outside the map", "use cells within " + rectText(bounds()));
        return inside;
    }

    bool knows(Terrain terrain) {
        if (static_cast<std::size_t>(terrain) < next->rules->terrain_types.size()) return true;
        return fail("terrain", std::to_string(static_cast<int>(terrain)), "use a terrain type of the world's rules");
    }

    /// Calls write(ground, local index) for each cell of a clipped rectangle, chunk by chunk.
    template <class Write>
    void forEachCell(const CellRect& rect, Write&& write) {
        const int gx0 = rect.x - next->origin_x, gy0 = rect.y - next->origin_y;
        const int gx1 = gx0 + rect.width - 1, gy1 = gy0 + rect.height - 1;
        for (int cy = gy0 >> kChunkShift; cy <= gy1 >> kChunkShift; ++cy) {
            for (int cx = gx0 >> kChunkShift; cx <= gx1 >> kChunkShift; ++cx) {
                Ground& ground = groundOf({cx, cy});
                const int x0 = std::max(gx0 - (cx << kChunkShift), 0), x1 = std::min(gx1 - (cx << kChunkShift), kChunkSize - 1);
                const int y0 = std::max(gy0 - (cy << kChunkShift), 0), y1 = std::min(gy1 - (cy << kChunkShift), kChunkSize - 1);
                ground.x0 = std::min(ground.x0, x0);
                ground.y0 = std::min(ground.y0, y0);
                ground.x1 = std::max(ground.x1, x1);
                ground.y1 = std::max(ground.y1, y1);
                for (int y = y0; y <= y1; ++y) {
                    for (int x = x0; x <= x1; ++x) write(ground, static_cast<std::size_t>(localIndex(x, y)));
                }
            }
        }
    }

    bool packElevation(Ground& ground) {
        const auto [low, high] = std::minmax_element(ground.elevation_cm.begin(), ground.elevation_cm.end());
        ChunkGround& record = *ground.record;
        record.elevation = nullptr;
        record.flat_elevation_cm = *low;
        if (*low == *high) return true;
        if (*high - *low > kMaxRelief) {
            return fail("elevation", std::to_string((*high - *low) / 100) + " m of relief in one 64 x 64 chunk", "keep it within 655 m");
        }
        auto layer = std::make_shared<ElevationLayer>();
        layer->base_cm = *low + (*high - *low) / 2;
        for (std::size_t i = 0; i < kChunkCells; ++i) {
            layer->offset_cm[i] = static_cast<std::int16_t>(ground.elevation_cm[i] - layer->base_cm);
        }
        record.flat_elevation_cm = 0;
        record.elevation = std::move(layer);
        return true;
    }

    static bool sameContent(const ChunkGround& a, const ChunkGround& b) {
        if (a.terrain != b.terrain || a.obstacle != b.obstacle || a.flat_elevation_cm != b.flat_elevation_cm) return false;
        if (a.elevation == b.elevation) return true;
        return a.elevation && b.elevation && a.elevation->base_cm == b.elevation->base_cm && a.elevation->offset_cm == b.elevation->offset_cm;
    }

    void countTerrain(std::uint64_t mask, std::uint32_t delta) {
        for (; mask != 0; mask &= mask - 1) next->terrain_chunks[static_cast<std::size_t>(__builtin_ctzll(mask))] += delta;
    }

    static bool elevated(const ChunkGround& ground) { return ground.elevation != nullptr || ground.flat_elevation_cm != 0; }

    /// Puts the drafts into the next state. False when a chunk could not be stored.
    bool finish(std::vector<CellRect>& changed) {
        std::vector<std::uint32_t> order;
        for (const auto& entry : grounds) order.push_back(entry.first);
        std::sort(order.begin(), order.end());
        for (const std::uint32_t index : order) {
            Ground& ground = grounds[index];
            if (!ground.elevation_cm.empty() && !packElevation(ground)) return false;
            const ChunkCoord c = coordOf(index);
            const ChunkGround& before = *next->ground.get(c);
            ChunkGround& record = *ground.record;
            if (sameContent(before, record)) continue;
            record.revision = next->revision;
            summarise(record);
            countTerrain(before.terrain_mask, ~std::uint32_t{0});  // minus one
            countTerrain(record.terrain_mask, 1);
            next->elevated_chunks += (elevated(record) ? 1u : 0u) - (elevated(before) ? 1u : 0u);
            changed.push_back({next->origin_x + (c.x << kChunkShift) + ground.x0, next->origin_y + (c.y << kChunkShift) + ground.y0,
                               ground.x1 - ground.x0 + 1, ground.y1 - ground.y0 + 1});
            next->ground.set(c, ground.record);
            next->ground_revision = next->revision;
        }
        for (const auto& [index, record] : congestions) {
            const CongestionChunk* before = next->congestion.get(coordOf(index));
            const bool none = std::all_of(record->value.begin(), record->value.end(), [](std::uint16_t v) { return v == 0; });
            if (before != nullptr ? before->value == record->value : none) continue;
            layers_changed = true;
            record->revision = next->revision;
            next->congested_chunks += (none ? 0u : 1u) - (before != nullptr ? 1u : 0u);
            next->congestion.set(coordOf(index), none ? nullptr : record);
        }
        return true;
    }

    static void summarise(ChunkGround& record) {
        record.terrain_mask = 0;
        for (const std::uint8_t t : record.terrain) record.terrain_mask |= std::uint64_t{1} << t;
        record.has_obstacles = std::any_of(record.obstacle.begin(), record.obstacle.end(), [](PackedObstacle o) { return o != 0; });
    }
};

WorldEdit::WorldEdit(const WorldState& before, std::uint64_t revision) : draft_(std::make_unique<Draft>()) {
    draft_->next = std::make_shared<WorldState>(before);
    draft_->next->revision = revision;
}

WorldEdit::~WorldEdit() = default;

bool WorldEdit::setTerrain(const CellArea& area, Terrain terrain) {
    if (!draft_->knows(terrain)) return false;
    const CellRect inside = draft_->clip("rect", area.rect);
    if (inside.empty()) return false;
    draft_->forEachCell(inside, [&](Draft::Ground& ground, std::size_t i) { ground.record->terrain[i] = static_cast<std::uint8_t>(terrain); });
    return true;
}

bool WorldEdit::setCells(const CellRect& rect, std::span<const Terrain> terrains, std::span<const PackedObstacle> obstacles) {
    const CellRect inside = draft_->clip("rect", rect);
    if (inside.empty()) return false;
    const std::size_t cells = static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(rect.height);
    if (inside != rect || terrains.size() != cells || obstacles.size() != cells) {
        return draft_->fail("cells", std::to_string(terrains.size()) + " terrains and " + std::to_string(obstacles.size()) + " obstacles for " + rectText(rect),
                            "give one of each per cell of a rectangle inside the map");
    }
    for (const Terrain t : terrains) {
        if (!draft_->knows(t)) return false;
    }
    for (const PackedObstacle o : obstacles) {
        if (obstacleKind(o) > ObstacleKind::Vegetation || (obstacleKind(o) == ObstacleKind::None && o != 0)) {
            return draft_->fail("obstacle", std::to_string(o), "pack one of the kinds building, wall, rock, vegetation, or give 0");
        }
    }
    std::size_t at = 0;  // cells of one row come from west to east
    for (int row = 0; row < rect.height; ++row) {
        draft_->forEachCell({rect.x, rect.y + row, rect.width, 1}, [&](Draft::Ground& ground, std::size_t i) {
            ground.record->terrain[i] = static_cast<std::uint8_t>(terrains[at]);
            ground.record->obstacle[i] = obstacles[at++];
        });
    }
    return true;
}

bool WorldEdit::setElevation(const CellArea& area, float elevation) {
    if (!(elevation >= -kMaxElevation && elevation <= kMaxElevation)) {
        return draft_->fail("elevation", numberText(elevation), "use metres within " + rangeText(-kMaxElevation, kMaxElevation));
    }
    const CellRect inside = draft_->clip("rect", area.rect);
    if (inside.empty()) return false;
    const std::int32_t cm = toCentimetres(elevation);
    draft_->forEachCell(inside, [&](Draft::Ground& ground, std::size_t i) { draft_->elevationOf(ground)[i] = cm; });
    return true;
}

bool WorldEdit::setElevation(const CellRect& rect, std::span<const float> elevations) {
    const CellRect inside = draft_->clip("rect", rect);
    if (inside.empty()) return false;
    const std::size_t cells = static_cast<std::size_t>(rect.width) * static_cast<std::size_t>(rect.height);
    if (inside != rect || elevations.size() != cells) {
        return draft_->fail("elevations", std::to_string(elevations.size()) + " heights for " + rectText(rect),
                            "give one per cell of a rectangle inside the map");
    }
    for (const float e : elevations) {
        if (!(e >= -kMaxElevation && e <= kMaxElevation)) {
            return draft_->fail("elevations", numberText(e), "use metres within " + rangeText(-kMaxElevation, kMaxElevation));
        }
    }
    for (int row = 0; row < rect.height; ++row) {
        const float* heights = elevations.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(rect.width);
        std::size_t column = 0;  // cells of one row come from west to east
        draft_->forEachCell({rect.x, rect.y + row, rect.width, 1}, [&](Draft::Ground& ground, std::size_t i) {
            draft_->elevationOf(ground)[i] = toCentimetres(heights[column++]);
        });
    }
    return true;
}

bool WorldEdit::placeObstacle(const CellArea& area, ObstacleKind kind, float height) {
    if (kind == ObstacleKind::None || static_cast<int>(kind) > static_cast<int>(ObstacleKind::Vegetation)) {
        return draft_->fail("kind", toString(kind), "use building, wall, rock or vegetation");
    }
    if (!(height >= 0.0f && height <= kMaxObstacleHeight)) {
        return draft_->fail("height", numberText(height), "use metres within " + rangeText(0.0f, kMaxObstacleHeight));
    }
    const CellRect inside = draft_->clip("rect", area.rect);
    if (inside.empty()) return false;
    const PackedObstacle packed = packObstacle(kind, toCentimetres(height));
    draft_->forEachCell(inside, [&](Draft::Ground& ground, std::size_t i) { ground.record->obstacle[i] = packed; });
    return true;
}

bool WorldEdit::removeObstacle(const CellArea& area) {
    const CellRect inside = draft_->clip("rect", area.rect);
    if (inside.empty()) return false;
    draft_->forEachCell(inside, [&](Draft::Ground& ground, std::size_t i) { ground.record->obstacle[i] = 0; });
    return true;
}

bool WorldEdit::destroyBuilding(const CellArea& area) {
    const CellRect inside = draft_->clip("rect", area.rect);
    if (inside.empty()) return false;
    const auto rubble = draft_->next->rules->terrainByName("rubble");
    draft_->forEachCell(inside, [&](Draft::Ground& ground, std::size_t i) {
        if (obstacleKind(ground.record->obstacle[i]) != ObstacleKind::Building) return;
        ground.record->obstacle[i] = 0;
        if (rubble) ground.record->terrain[i] = static_cast<std::uint8_t>(*rubble);
    });
    return true;
}

bool WorldEdit::removeBridge(const CellArea& area, Terrain below) {
    if (!draft_->knows(below)) return false;
    const CellRect inside = draft_->clip("rect", area.rect);
    if (inside.empty()) return false;
    draft_->forEachCell(inside, [&](Draft::Ground& ground, std::size_t i) {
        if (ground.record->terrain[i] != static_cast<std::uint8_t>(Terrain::Road)) return;
        ground.record->terrain[i] = static_cast<std::uint8_t>(below);
        ground.record->obstacle[i] = 0;
    });
    return true;
}

bool WorldEdit::makeCrater(Position centre, float radius) {
    if (!isUsable(centre)) {
        Error wrong = unusablePosition("position", centre);
        return draft_->fail(std::move(wrong.field), std::move(wrong.value), std::move(wrong.remedy));
    }
    if (!(radius >= kMinCraterRadius && radius <= kMaxCraterRadius)) {
        return draft_->fail("radius", numberText(radius), "use metres within " + rangeText(kMinCraterRadius, kMaxCraterRadius));
    }
    const Cell low = cellAt({centre.x - radius, centre.y - radius}), high = cellAt({centre.x + radius, centre.y + radius});
    const CellRect inside = intersect({low.x, low.y, high.x - low.x + 1, high.y - low.y + 1}, draft_->bounds());
    if (inside.empty()) {
        return draft_->fail("position", numberText(centre.x) + ", " + numberText(centre.y) + " lies outside the map by more than the radius",
                            "use metres within " + rectText(draft_->bounds()));
    }
    const auto rubble = draft_->next->rules->terrainByName("rubble");
    for (int y = inside.y; y < inside.y + inside.height; ++y) {
        for (int x = inside.x; x < inside.x + inside.width; ++x) {
            const Position cell = centreOf({x, y});
            const float dx = cell.x - centre.x, dy = cell.y - centre.y;
            if (dx * dx + dy * dy > radius * radius) continue;
            draft_->forEachCell({x, y, 1, 1}, [&](Draft::Ground& ground, std::size_t i) {
                ground.record->obstacle[i] = 0;
                if (rubble) ground.record->terrain[i] = static_cast<std::uint8_t>(*rubble);
            });
        }
    }
    return true;
}

bool WorldEdit::setCongestion(Cell cell, float value) {
    if (!(value >= 0.0f && value <= kMaxCongestion)) {
        return draft_->fail("congestion", numberText(value), "use a cost per metre within " + rangeText(0.0f, kMaxCongestion));
    }
    const CellRect inside = draft_->clip("cells", {cell.x, cell.y, 1, 1});
    if (inside.empty()) return false;
    WorldState& next = *draft_->next;
    const int x = cell.x - next.origin_x, y = cell.y - next.origin_y;
    const ChunkCoord c{x >> kChunkShift, y >> kChunkShift};
    std::shared_ptr<CongestionChunk>& record = draft_->congestions[draft_->indexOf(c)];
    if (record == nullptr) {
        const CongestionChunk* before = next.congestion.get(c);
        record = before != nullptr ? std::make_shared<CongestionChunk>(*before) : std::make_shared<CongestionChunk>();
    }
    record->value[static_cast<std::size_t>(localIndex(x, y))] = static_cast<std::uint16_t>(std::floor(value * 100.0f + 0.5f));
    return true;
}

bool WorldEdit::setCongestion(ChunkCoord chunk, std::shared_ptr<CongestionChunk> congestion) {
    if (!draft_->next->congestion.contains(chunk)) return draft_->failChunk(chunk);
    if (congestion == nullptr) congestion = std::make_shared<CongestionChunk>();
    const std::uint16_t largest = *std::max_element(congestion->value.begin(), congestion->value.end());
    if (largest > 100 * static_cast<int>(kMaxCongestion)) return draft_->fail("congestion", std::to_string(largest), "use hundredths within " + rangeText(0.0f, 100.0f * kMaxCongestion));
    draft_->congestions[draft_->indexOf(chunk)] = std::move(congestion);
    return true;
}

bool WorldEdit::clearCongestion() {
    WorldState& next = *draft_->next;
    if (next.congested_chunks != 0) draft_->layers_changed = true;
    next.congestion = ChunkDirectory<CongestionChunk>(next.ground.columns(), next.ground.rows());
    next.congested_chunks = 0;
    draft_->congestions.clear();
    return true;
}

bool WorldEdit::setThreat(int side, ChunkCoord chunk, std::shared_ptr<ThreatChunk> threat) {
    WorldState& next = *draft_->next;
    if (side < 0 || side >= kMaxSides) return draft_->fail("side", std::to_string(side), "use 0 to " + std::to_string(kMaxSides - 1));
    ChunkDirectory<ThreatChunk>& directory = next.threat[static_cast<std::size_t>(side)];
    if (!directory.contains(chunk)) return draft_->failChunk(chunk);
    if (threat != nullptr) {
        const int width = kChunkSize >> std::min<int>(threat->resolution_shift, 4);
        if (threat->resolution_shift > 3 || threat->values.size() != static_cast<std::size_t>(width * width)) {
            return draft_->fail("threat", std::to_string(threat->values.size()) + " values", "give (64 >> resolution_shift)^2 values, shift 0..3");
        }
        std::uint16_t largest = 0;
        for (const std::uint16_t value : threat->values) largest = value > largest ? value : largest;  // a loop that vectors take
        if (largest > kMaxStoredThreat) return draft_->fail("threat", std::to_string(largest), "use values up to 16 x 1024");
        threat->revision = next.revision;
    }
    if (threat == nullptr && directory.get(chunk) == nullptr) return true;
    draft_->layers_changed = true;
    std::uint32_t& count = next.threat_chunks[static_cast<std::size_t>(side)];
    count += (threat != nullptr ? 1u : 0u) - (directory.get(chunk) != nullptr ? 1u : 0u);
    directory.set(chunk, std::move(threat));
    return true;
}

std::optional<Error> World::check(const WorldConfig& config) {
    if (config.width < 1 || config.width > kMaxWorldSize || config.height < 1 || config.height > kMaxWorldSize) {
        return Error{"size", std::to_string(config.width) + " x " + std::to_string(config.height),
                     "use 1 to " + std::to_string(kMaxWorldSize) + " cells a side"};
    }
    if (config.origin.x < -kMaxOrigin || config.origin.x > kMaxOrigin || config.origin.y < -kMaxOrigin || config.origin.y > kMaxOrigin) {
        return Error{"origin", "(" + std::to_string(config.origin.x) + "," + std::to_string(config.origin.y) + ")",
                     "stay within 1,000,000 m of zero, where a float still tells centimetres apart"};
    }
    if (auto error = config.rules.validate()) return error;
    if (static_cast<std::size_t>(config.fill) >= config.rules.terrain_types.size()) {
        return Error{"fill", std::to_string(static_cast<int>(config.fill)), "use a terrain type of the rules"};
    }
    return std::nullopt;
}

World::World(const WorldConfig& config) {
    WARPATH_ASSERT(!check(config), "a world configuration without errors");
    auto state = std::make_shared<WorldState>();
    state->world_id = nextWorldId();
    state->revision = state->ground_revision = 1;
    state->rules = std::make_shared<const WorldRules>(config.rules);
    state->width = config.width;
    state->height = config.height;
    state->origin_x = config.origin.x;
    state->origin_y = config.origin.y;
    state->has_cover = config.has_cover;
    const int columns = chunkCount(config.width), rows = chunkCount(config.height);
    state->ground = ChunkDirectory<ChunkGround>(columns, rows);
    state->congestion = ChunkDirectory<CongestionChunk>(columns, rows);
    state->threat.fill(ChunkDirectory<ThreatChunk>(columns, rows));

    auto plain = std::make_shared<ChunkGround>();  // one record serves every untouched chunk
    plain->revision = state->revision;
    plain->terrain.fill(static_cast<std::uint8_t>(config.fill));
    plain->terrain_mask = std::uint64_t{1} << static_cast<unsigned>(config.fill);
    for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < columns; ++x) state->ground.set({x, y}, plain);
    }
    state->terrain_chunks[static_cast<std::size_t>(config.fill)] = static_cast<std::uint32_t>(columns * rows);
    state_ = std::move(state);
}

World::~World() = default;

WorldSnapshot World::snapshot() const {
    const std::lock_guard lock(mutex_);
    return WorldSnapshot(state_);
}

void World::publish(std::shared_ptr<const WorldState> state) {
    const std::lock_guard lock(mutex_);
    state_.swap(state);
}  // the former state, if nobody holds it, is freed outside the lock: `state` is destroyed after `lock`

EditResult World::edit(const std::function<void(WorldEdit&)>& change) {
    WorldEdit edit(*state_, state_->revision + 1);
    change(edit);
    EditResult result;
    if (!edit.draft_->error && !edit.draft_->finish(result.changed)) result.changed.clear();
    result.error = edit.draft_->error;
    if (!result.error && (!result.changed.empty() || edit.draft_->layers_changed)) publish(edit.draft_->next);
    result.snapshot = snapshot();
    return result;
}

std::optional<Error> World::setRules(const WorldRules& rules) {
    if (auto error = rules.validate()) return error;
    if (rules.terrain_types.size() < state_->rules->terrain_types.size()) {
        return Error{"terrain_types", std::to_string(rules.terrain_types.size()) + " entries", "keep every type that the map may use"};
    }
    auto next = std::make_shared<WorldState>(*state_);
    next->rules = std::make_shared<const WorldRules>(rules);
    ++next->revision;
    ++next->rules_revision;
    publish(std::move(next));
    return std::nullopt;
}

std::size_t World::memoryBytes() const {
    const WorldSnapshot now = snapshot();
    std::unordered_set<const void*> seen;
    std::size_t bytes = sizeof(WorldState);
    for (int y = 0; y < now.chunkRows(); ++y) {
        for (int x = 0; x < now.chunkColumns(); ++x) {
            const ChunkGround& ground = now.ground({x, y});
            bytes += sizeof(std::shared_ptr<void>);
            if (seen.insert(&ground).second) bytes += sizeof(ChunkGround) + (ground.elevation ? sizeof(ElevationLayer) : 0);
            if (now.congestion({x, y}) != nullptr) bytes += sizeof(CongestionChunk);
            for (int side = 0; side < kMaxSides; ++side) {
                const ThreatChunk* threat = now.threat(side, {x, y});
                if (threat != nullptr) bytes += sizeof(ThreatChunk) + threat->values.size() * sizeof(std::uint16_t);
            }
        }
    }
    return bytes;
}

}  // namespace warpath
