// How dangerous each place is for one side: the sum of its enemies' firepower over distance and sight, smoothed.
//
//   ThreatMap red_faces(world.snapshot(), red, {.resolution = 2});
//   if (auto error = red_faces.update(enemies)) report(*error);        // once a second; costs nothing for those that stood still
//   while (!red_faces.step(2000)) {}                                   // in slices, or finish()
//   world.edit([&](WorldEdit& e) { red_faces.publish(e); });           // only chunks that moved by 1/16 or more
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "warpath/core/error.h"
#include "warpath/world/threat_source.h"
#include "warpath/world/world.h"

namespace warpath {

/// Most sources that may threaten one side: their sum then stays within 32 bits.
inline constexpr std::size_t kMaxThreatSources = 4000;

/// What the views of the sources of one side may take, as bits of the cells that each reaches within the map: 512 sources of range 1000, or all 4000 of range 300.
inline constexpr std::size_t kMaxViewBytes = std::size_t{256} << 20;

struct ThreatConfig {
    int resolution = 2;           ///< Side of a threat cell [m] [1, 2, 4, 8].
    int blur_radius = 2;          ///< Standard deviation and half width of the blur [threat cells] [0..16; 0..8 at 8 m].
    bool line_of_sight = true;    ///< Whether what a source does not see is threatened less.
    float hidden_factor = 0.2f;   ///< Share of the threat that reaches a place out of sight [none] [0..1].
    float eye_height = 1.7f;      ///< Of sources and of whom they threaten, above the ground [m] [0..80].

    /// The first value outside its limits, or nothing.
    [[nodiscard]] std::optional<Error> validate() const;
    friend bool operator==(const ThreatConfig&, const ThreatConfig&) = default;
};

/// What is wrong with the sources that threaten one side, or nothing: more than kMaxThreatSources, a value outside its limits, an id twice.
/// The error's field is "enemies" or as "enemies[3].range".
[[nodiscard]] std::optional<Error> checkThreatSources(std::span<const ThreatSource> enemies);

/// The threat that one side faces. Its values are a pure function of the ground, the sources and the configuration: after any history of changes they
/// equal those of a fresh map to the bit.
///
/// A threat cell holds min(16, sum over sources of firepower x (1 - d / range) x (h + (1 - h) x share of its metres in sight)), d from the centre of the
/// source's cell to the centre of the threat cell, h the hidden factor, summed in 65536ths; blurred by GaussianKernel; in 1024ths.
/// Method: each source keeps the cells that it sees (shadow casting), so what it once added can be taken away exactly; sums are integers, so order does
/// not matter; only what changed is blurred again.
/// Cost: in proportion to the areas of the sources that changed. Memory: 7 bytes a threat cell within reach of a source, plus what is
/// published, plus as much again in records that old snapshots let go, kept for the next publishing (at most 2048).
/// Threads: one at a time. The map holds the snapshot given last.
class ThreatMap {
public:
    /// @pre config.validate() finds nothing; 0 <= side < kMaxSides.
    ThreatMap(const WorldSnapshot& snapshot, int side, const ThreatConfig& config);
    ~ThreatMap();
    ThreatMap(ThreatMap&&) noexcept;
    ThreatMap& operator=(ThreatMap&&) noexcept;

    [[nodiscard]] int side() const;
    [[nodiscard]] const ThreatConfig& config() const;

    /// Adds a source, or replaces the one of the same id. @return what is wrong with it (then nothing changed), or nothing: a value outside its limits, too many
    /// sources, or views of all of them beyond kMaxViewBytes.
    std::optional<Error> addThreatSource(const ThreatSource& source);
    /// @return false when there is none of that id.
    bool removeThreatSource(std::uint32_t id);
    /// Replaces all sources. @return the first that is wrong (then nothing changed), or nothing.
    std::optional<Error> update(std::span<const ThreatSource> enemies);
    /// What update() would refuse.
    [[nodiscard]] std::optional<Error> check(std::span<const ThreatSource> enemies) const;
    [[nodiscard]] std::size_t sourceCount() const;

    /// Takes the ground of a newer snapshot of the same world: sources whose view it touches are looked at again.
    void setGround(const WorldSnapshot& snapshot);

    /// Works off pending changes. One unit is about a thousand cells looked at or written (0.3 to 3 us). A single source is worked off in pieces, too (rows
    /// of its view, of its numbers), so a call ends within about 300 units of what was given; at least one piece is done. A source under way is finished as
    /// it was begun before it is looked at where it stands meanwhile, and sources take turns, so that none waits for ever.
    /// @return true when nothing is left. Until then getThreat() answers partly from before; what is published changes only as a whole.
    bool step(std::uint64_t units);
    void finish() { while (!step(~std::uint64_t{0})) {} }
    [[nodiscard]] bool settled() const;
    /// Units that all calls of step() have taken together.
    [[nodiscard]] std::uint64_t unitsDone() const;

    /// Threat at a position, 1 = lethal; 0 outside the map. Before publication.
    [[nodiscard]] float getThreat(Position position) const;
    /// The same in 1024ths, for a world cell.
    [[nodiscard]] int threatAt(Cell cell) const;

    /// Writes the chunks whose published record no longer serves: some 8 x 8 block's mean or maximum moved by at least 1/16, or no threat is left at all.
    /// @return how many were written. @pre settled().
    std::size_t publish(WorldEdit& edit);

    /// Bytes held, the published records included.
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace warpath
