#include "service/preparation.h"

#include <algorithm>

namespace warpath::service_detail {
namespace {

/// Tables of one slice: some 10 ms on weighted ground.
constexpr std::size_t kTablesPerSlice = 16;

bool sameGround(const WorldState& a, const WorldState& b) {
    return a.world_id == b.world_id && a.rules_revision == b.rules_revision && a.ground_revision == b.ground_revision;
}

}  // namespace

bool Preparation::isDue(const WorldSnapshot& snapshot) const {
    return next_ < wanted_.size() || !base_.valid() || !sameGround(base_.state(), snapshot.state());
}

void Preparation::want(ChunkCoord chunk, int columns) {
    const auto index = static_cast<std::uint32_t>(chunk.y * columns + chunk.x);
    if (is_wanted_[index]) return;
    is_wanted_[index] = true;
    wanted_.push_back(index);
}

void Preparation::noteChanges(const WorldSnapshot& snapshot) {
    const WorldState& now = snapshot.state();
    const int columns = snapshot.chunkColumns(), rows = snapshot.chunkRows();
    const bool anew = !base_.valid() || base_.state().world_id != now.world_id || base_.state().rules_revision != now.rules_revision;
    wanted_.erase(wanted_.begin(), wanted_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
    if (anew) {
        wanted_.clear();
        is_wanted_.assign(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), false);
        for (int y = 0; y < rows; ++y) {
            for (int x = 0; x < columns; ++x) want({x, y}, columns);
        }
        return;
    }
    now.ground.forEachDifference(base_.state().ground, [&](ChunkCoord c, const auto*, const auto*) {
        for (int y = std::max(c.y - 1, 0); y <= std::min(c.y + 1, rows - 1); ++y) {
            for (int x = std::max(c.x - 1, 0); x <= std::min(c.x + 1, columns - 1); ++x) want({x, y}, columns);
        }
    });
}

void Preparation::run(const WorldSnapshot& snapshot, TileStore& tiles) {
    if (!base_.valid() || !sameGround(base_.state(), snapshot.state())) {
        tiles.prepare(snapshot);
        const auto most = static_cast<float>(snapshot.width()) + static_cast<float>(snapshot.height());
        if (most > from_distance_) noteChanges(snapshot);
        base_ = snapshot;
        ++count_;
    }
    if (next_ == wanted_.size()) return;
    const WorldSnapshot ground = withoutCongestion(snapshot);
    const std::vector<Metric> metrics = tiles.registeredMetrics();
    const std::size_t classes = snapshot.rules().unit_classes.size();
    const std::uint64_t evicted = tiles.stats().tables_evicted;
    for (std::size_t made = 0; made < kTablesPerSlice && next_ < wanted_.size(); ++next_) {
        const std::uint32_t index = wanted_[next_];
        is_wanted_[index] = false;
        const ChunkCoord chunk{static_cast<int>(index) % snapshot.chunkColumns(), static_cast<int>(index) / snapshot.chunkColumns()};
        for (const Metric& metric : metrics) {
            if (static_cast<std::size_t>(metric.profile.unit_type) >= classes) continue;
            static_cast<void>(builder_.table(ground, metric, chunk, tiles, portals_));
            ++tables_;
            ++made;
        }
        if (metrics.empty()) ++made;
    }
    if (tiles.stats().tables_evicted == evicted) return;
    for (; next_ < wanted_.size(); ++next_) is_wanted_[wanted_[next_]] = false;  // more would push out what was just made
}

}  // namespace warpath::service_detail
