// Small random scenes for comparisons with the slow twins: a world, the wishes of a unit and its side, all from one printed seed.
//
//   const Scene scene = randomScene(seed, {.elevation = true});
//   SCOPED_TRACE(scene.name);
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "warpath/core/rng.h"
#include "warpath/world/constraints.h"
#include "warpath/world/world.h"

namespace warpath {

/// What a scene may contain; whether it does is left to chance.
struct SceneTraits {
    bool terrain = true;
    bool elevation = false;    ///< Hills, and slope limits that differ up and down.
    bool layers = false;       ///< Threat, congestion, cover and exposure.
    bool walls = false;        ///< A price for walls.
    bool large_units = false;  ///< Sizes 1 to 5 instead of 1.
    bool large_maps = true;    ///< Also strips and squares over chunk borders.
};

struct Scene {
    std::string name;
    std::unique_ptr<World> world;
    PathConstraints wishes;
    int side = 0;

    /// A random cell of the map [world cells].
    [[nodiscard]] Cell anyCell(Rng& rng) const;
    /// Where a unit of the scene's size stands whose top-left cell this is [world cells].
    [[nodiscard]] Position standingAt(Cell top_left) const;
    [[nodiscard]] int size() const;
};

[[nodiscard]] Scene randomScene(std::uint64_t seed, const SceneTraits& traits);

/// A record of threat with one value everywhere in a chunk [1024 = lethal].
[[nodiscard]] std::shared_ptr<ThreatChunk> evenThreat(int value, int resolution_shift = 0);

/// A random change of one to four rectangles: walls, gaps, terrain, hills where the scene has them.
void editAtRandom(World& world, Rng& rng, bool elevation);

}  // namespace warpath
