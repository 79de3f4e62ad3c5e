#include "module/threat_keeper.h"

#include <algorithm>

namespace warpath::module_detail {

void ThreatKeeper::configure(const Settings& settings, World* world) {
    if (settings == settings_) return;
    for (Side& side : sides_) {
        if (side.map == nullptr || world == nullptr) continue;
        (void)side.map->update({});  // no list is wrong that is empty
        side.map->finish();
        world->edit([&](WorldEdit& e) { side.map->publish(e); });
    }
    settings_ = settings;
    setWorld(world);
}

void ThreatKeeper::setWorld(World* world) {
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        sides_[i].map.reset();
        sides_[i].unpublished = sides_[i].begun = sides_[i].waiting = false;
        // Sources that see more than a map may keep under these settings are remembered and threaten nobody.
        if (world != nullptr && !sides_[i].sources.empty()) (void)build(i, sides_[i].sources, *world);
    }
}

std::optional<Error> ThreatKeeper::build(std::size_t i, const std::vector<ThreatSource>& sources, World& world) {
    if (!settings_.enabled) return std::nullopt;
    Side& side = sides_[i];
    if (side.map == nullptr) side.map = std::make_unique<ThreatMap>(world.snapshot(), static_cast<int>(i), settings_.map);
    if (auto error = side.map->check(sources)) return error;
    side.waiting = side.begun;
    if (!side.waiting) (void)side.map->update(sources);  // checked above
    side.unpublished = true;
    return std::nullopt;
}

std::optional<Error> ThreatKeeper::setEnemies(int side, std::vector<ThreatSource> sources, World* world) {
    if (auto error = checkThreatSources(sources)) return error;
    const auto i = static_cast<std::size_t>(side);
    const bool nothing_to_do = sources.empty() && sides_[i].map == nullptr;
    if (world != nullptr && !nothing_to_do) {
        if (auto error = build(i, sources, *world)) return error;
    }
    sides_[i].sources = std::move(sources);
    return std::nullopt;
}

void ThreatKeeper::tick(World& world) {
    ++ticks_;
    const WorldSnapshot now = world.snapshot();
    if (ticks_ % std::max(settings_.update_ticks, 1u) == 0 && GroundStamp(now) != looked_at_) {
        for (Side& side : sides_) {
            if (side.map == nullptr) continue;
            side.map->setGround(now);
            side.unpublished = true;
        }
        looked_at_ = GroundStamp(now);
    }
    const auto open = static_cast<std::uint64_t>(
        std::count_if(sides_.begin(), sides_.end(), [](const Side& s) { return s.map != nullptr && s.unpublished; }));
    last_units_ = 0;
    if (open == 0) return;
    bool any = false;
    for (Side& side : sides_) {
        if (side.map == nullptr || !side.unpublished) continue;
        const std::uint64_t before = side.map->unitsDone();
        side.begun = true;
        any = side.map->step(settings_.units_per_tick / open) || any;
        last_units_ += side.map->unitsDone() - before;
    }
    if (!any) return;
    world.edit([&](WorldEdit& e) {
        for (Side& side : sides_) {
            if (side.map == nullptr || !side.unpublished || !side.map->settled()) continue;
            side.map->publish(e);
            side.unpublished = side.waiting;
            side.begun = false;
            if (side.waiting) (void)side.map->update(side.sources);  // checked when they were told
            side.waiting = false;
        }
    });
}

bool ThreatKeeper::settled() const {
    return std::none_of(sides_.begin(), sides_.end(), [](const Side& s) { return s.map != nullptr && s.unpublished; });
}

std::size_t ThreatKeeper::sourceCount() const {
    std::size_t count = 0;
    for (const Side& side : sides_) count += side.sources.size();
    return count;
}

std::size_t ThreatKeeper::memoryBytes() const {
    std::size_t bytes = 0;
    for (const Side& side : sides_) bytes += side.map == nullptr ? 0 : side.map->memoryBytes();
    return bytes;
}

}  // namespace warpath::module_detail
