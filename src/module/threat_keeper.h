// The threat maps of a module: what it was told of enemies, kept on its world in slices.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/tactical/threat_map.h"
#include "warpath/world/world.h"

namespace warpath::module_detail {

/// Deterministic: what is published when depends on calls and work units only.
class ThreatKeeper {
public:
    struct Settings {
        bool enabled = true;                  ///< false: enemies are remembered and threaten nobody.
        ThreatConfig map;
        std::uint32_t update_ticks = 60;      ///< Between two looks at ground that has changed.
        friend bool operator==(const Settings& a, const Settings& b) {
            return a.enabled == b.enabled && a.update_ticks == b.update_ticks && a.map.resolution == b.map.resolution &&
                   a.map.blur_radius == b.map.blur_radius && a.map.line_of_sight == b.map.line_of_sight &&
                   a.map.hidden_factor == b.map.hidden_factor && a.map.eye_height == b.map.eye_height;
        }
    };

    /// From now on with these; threat that is on the world is taken off and made anew. @pre settings.map.validate() finds nothing.
    void configure(const Settings& settings, World* world);
    /// Another world (or none): the enemies stay, the maps are made anew. The old world keeps its threat.
    void setWorld(World* world);
    /// Replaces the sources that threaten a side. @return what is wrong with them (then nothing changed), or nothing.
    [[nodiscard]] std::optional<Error> setEnemies(int side, std::vector<ThreatSource> sources, World* world);
    [[nodiscard]] const std::vector<ThreatSource>& enemies(int side) const { return sides_[static_cast<std::size_t>(side)].sources; }
    [[nodiscard]] std::size_t sourceCount() const;
    /// One frame: works on maps and publishes those that are done.
    void tick(World& world);
    [[nodiscard]] bool settled() const;
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    struct Side {
        std::vector<ThreatSource> sources;
        std::unique_ptr<ThreatMap> map;
        bool unpublished = false;
    };
    [[nodiscard]] std::optional<Error> build(std::size_t side, const std::vector<ThreatSource>& sources, World& world);

    Settings settings_;
    std::array<Side, kMaxSides> sides_;
    std::uint64_t ticks_ = 0;
    std::uint64_t ground_revision_ = 0;  ///< Of the snapshot that the maps have last looked at.
};

}  // namespace warpath::module_detail
