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
        std::uint32_t units_per_tick = 1500;  ///< Work on all maps in one frame [units of ThreatMap::step] [1..].
        friend bool operator==(const Settings&, const Settings&) = default;
    };

    /// From now on with these; threat that is on the world is taken off and made anew. @pre settings.map.validate() finds nothing.
    void configure(const Settings& settings, World* world);
    /// Another world (or none): the enemies stay, the maps are made anew. The old world keeps its threat.
    void setWorld(World* world);
    /// Replaces the sources that threaten a side. @return what is wrong with them (then nothing changed), or nothing.
    [[nodiscard]] std::optional<Error> setEnemies(int side, std::vector<ThreatSource> sources, World* world);
    [[nodiscard]] const std::vector<ThreatSource>& enemies(int side) const { return sides_[static_cast<std::size_t>(side)].sources; }
    [[nodiscard]] std::size_t sourceCount() const;
    /// One frame: works on maps and publishes those that are done. Every map with work left gets an equal share of units_per_tick, and at least one piece of
    /// work (ThreatMap::step) is done for it. What is published when depends on the calls alone, never on threads or time, so lockstep games agree.
    void tick(World& world);
    [[nodiscard]] bool settled() const;
    [[nodiscard]] std::size_t memoryBytes() const;
    /// Units that the last tick took.
    [[nodiscard]] std::uint64_t lastUnits() const { return last_units_; }

private:
    /// What a threat map's sight depends on: threat and congestion that are published change none of it.
    struct GroundStamp {
        GroundStamp() = default;
        explicit GroundStamp(const WorldSnapshot& now)
            : world_id(now.state().world_id), ground_revision(now.state().ground_revision), rules_revision(now.state().rules_revision) {}
        friend bool operator==(const GroundStamp&, const GroundStamp&) = default;
        std::uint64_t world_id = 0, ground_revision = 0, rules_revision = 0;
    };
    struct Side {
        std::vector<ThreatSource> sources;
        std::unique_ptr<ThreatMap> map;
        bool unpublished = false;
        bool begun = false;    ///< Work on the map is under way. It is finished and published before the next sources, or enemies that never stand still
                               ///< would never be seen.
        bool waiting = false;  ///< Sources were told since the work began.
    };
    [[nodiscard]] std::optional<Error> build(std::size_t side, const std::vector<ThreatSource>& sources, World& world);

    Settings settings_;
    std::array<Side, kMaxSides> sides_;
    std::uint64_t ticks_ = 0;
    std::uint64_t last_units_ = 0;
    GroundStamp looked_at_;  ///< The ground that the maps have last looked at.
};

}  // namespace warpath::module_detail
