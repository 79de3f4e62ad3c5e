// The one mutable world. The game's thread edits it; everybody else reads snapshots.
//
//   World world({.width = 2048, .height = 2048});
//   EditResult done = world.edit([&](WorldEdit& e) { e.placeObstacle({10, 10, 4, 6}, ObstacleKind::Building, 6.0f); });
//   if (done.error) log(done.error->text());        // nothing was changed
//   WorldSnapshot now = world.snapshot();           // any thread
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/core/types.h"
#include "warpath/world/snapshot.h"

namespace warpath {

struct WorldConfig {
    std::int32_t width = 64;   ///< [cells] [1..8192].
    std::int32_t height = 64;  ///< [cells] [1..8192].
    Cell origin{};             ///< World cell of the north west corner; may be negative [-1'000'000..1'000'000].
    WorldRules rules = WorldRules::reference();
    Terrain fill = Terrain::Grass;  ///< What the new world is covered with.
    bool has_cover = true;          ///< Whether cover and exposure are priced.
};

/// One group of changes, published together. An area is one cell or a rectangle: {x, y} or {x, y, width, height}. Rectangles and discs are clipped to the map; one that misses it altogether is an error.
/// Every call returns true, or false after recording the edit's first error; nothing of an edit with an error is published.
/// Cost: a copy of each chunk touched (12 KiB) and the cells written.
class WorldEdit {
public:
    bool setTerrain(const CellArea& area, Terrain terrain);
    /// One terrain and one obstacle (0: none) per cell of the rectangle, row by row: what a loader has. The rectangle must lie inside the map.
    bool setCells(const CellRect& rect, std::span<const Terrain> terrains, std::span<const PackedObstacle> obstacles);
    /// [m], stored in centimetres; heights within one chunk may differ by up to 655 m and lie within +-20,000 m.
    bool setElevation(const CellArea& area, float elevation);
    /// One height per cell of the rectangle, row by row [m]. The rectangle must lie inside the map.
    bool setElevation(const CellRect& rect, std::span<const float> elevations);
    /// Puts an obstacle on every cell, replacing what stood there. @param height [m] [0..81.91].
    bool placeObstacle(const CellArea& area, ObstacleKind kind, float height);
    bool removeObstacle(const CellArea& area);
    /// Takes buildings away and leaves rubble (Terrain::Rubble); walls, rocks and vegetation stay (removeObstacle).
    bool destroyBuilding(const CellArea& area);
    /// Takes a bridge away: cells of road, the deck, become what lies below, and what stood on them goes. Others, the banks, stay as they are.
    bool removeBridge(const CellArea& area, Terrain below = Terrain::Water);
    /// Turns the disc into rubble and removes what stood there. Cells count whose centre is within the radius [m] [0.5..256].
    bool makeCrater(Position centre, float radius);
    /// Extra cost per metre where units crowd [0..64], for single cells.
    bool setCongestion(Cell cell, float value);
    /// Replaces the congestion of a chunk; null removes it. Its revision is set here. For CongestionMap.
    bool setCongestion(ChunkCoord chunk, std::shared_ptr<CongestionChunk> congestion);
    bool clearCongestion();
    /// Replaces a side's published threat in a chunk; null removes it. Its revision is set here. For ThreatMap.
    bool setThreat(int side, ChunkCoord chunk, std::shared_ptr<ThreatChunk> threat);

private:
    friend class World;
    WorldEdit(const WorldState& before, std::uint64_t revision);
    ~WorldEdit();
    WorldEdit(const WorldEdit&) = delete;
    WorldEdit& operator=(const WorldEdit&) = delete;
    struct Draft;
    std::unique_ptr<Draft> draft_;
};

struct EditResult {
    WorldSnapshot snapshot;               ///< The newest state: after the edit, or as before when there was an error or nothing changed.
    std::optional<Error> error;
    std::vector<CellRect> changed;        ///< Bounding rectangle of the changed ground per touched chunk [world cells].
};

/// Threads: edit, setRules and the destructor belong to one thread at a time; snapshot() may be called by any thread, any time.
class World {
public:
    /// @pre World::check(config) has no error (asserted).
    explicit World(const WorldConfig& config);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    /// What is wrong with a configuration, or nothing.
    [[nodiscard]] static std::optional<Error> check(const WorldConfig& config);

    /// The newest published state. Never blocks for longer than a pointer copy.
    [[nodiscard]] WorldSnapshot snapshot() const;

    /// Applies the changes that `change` makes and publishes them as one revision, all or nothing. An edit that leaves everything as it was
    /// (no calls, or calls that write what is there already) publishes none: the revision counts changes.
    /// Publishing costs in proportion to the chunks touched, not to the map.
    EditResult edit(const std::function<void(WorldEdit&)>& change);

    /// Replaces the rules and publishes a revision. @return what is wrong with them (WorldRules::validate, or fewer terrain types than before), or nothing.
    std::optional<Error> setRules(const WorldRules& rules);

    /// Bytes held by the newest state: chunk records and directories (records shared by several chunks count once).
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    void publish(std::shared_ptr<const WorldState> state);

    mutable std::mutex mutex_;  // guards the pointer only
    std::shared_ptr<const WorldState> state_;
};

}  // namespace warpath
