#include "service/preparation.h"

#include <algorithm>

namespace warpath::service_detail {
namespace {

/// Tables of one slice: some 10 ms on weighted ground.
constexpr std::size_t kTablesPerSlice = 16;
constexpr std::size_t kTablesPerGroup = 4;  // a table of a group takes as long as this many of chunks or longer (bench/long_distance_bench)

bool sameGround(const WorldState& a, const WorldState& b) {
    return a.world_id == b.world_id && a.rules_revision == b.rules_revision && a.ground_revision == b.ground_revision;
}

}  // namespace

bool Preparation::isDue(const WorldSnapshot& snapshot) const {
    return next_ < wanted_.size() || !groups_.empty() || !base_.valid() || !sameGround(base_.state(), snapshot.state());
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
        groups_.clear();
        is_group_wanted_.assign(is_group_wanted_.size(), false);
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
    if (next_ == wanted_.size() && groups_.empty()) return;
    const WorldSnapshot ground = withoutCongestion(snapshot);
    std::vector<Metric> metrics = tiles.registeredMetrics();
    const std::size_t classes = snapshot.rules().unit_classes.size();
    std::erase_if(metrics, [&](const Metric& metric) { return static_cast<std::size_t>(metric.profile.unit_type) >= classes; });
    const std::uint64_t evicted = tiles.stats().tables_evicted;
    const int columns = snapshot.chunkColumns(), side = static_cast<int>(portals_.group);
    const int group_columns = side != 0 ? (columns + side - 1) / side : 0;
    const bool groups = makesGroups(snapshot);
    std::size_t made = 0;
    for (; made < kTablesPerSlice && next_ < wanted_.size(); ++next_) {
        const std::uint32_t index = wanted_[next_];
        is_wanted_[index] = false;
        const ChunkCoord chunk = chunkOf(index, columns);
        for (const Metric& metric : metrics) static_cast<void>(builder_.table(ground, metric, chunk, tiles, portals_));
        tables_ += metrics.size();
        made += std::max<std::size_t>(metrics.size(), 1);
        if (!groups || metrics.empty()) continue;
        const auto group = static_cast<std::uint32_t>(chunk.y / side * group_columns + chunk.x / side);
        if (is_group_wanted_.size() <= group) is_group_wanted_.resize(group + 1);
        if (!is_group_wanted_[group]) groups_.push_back(group);
        is_group_wanted_[group] = true;
    }
    for (; made < kTablesPerSlice && !groups_.empty(); groups_.pop_back()) {
        const std::uint32_t group = groups_.back();
        is_group_wanted_[group] = false;
        for (const Metric& metric : metrics) {
            static_cast<void>(group_builder_.table(ground, metric, chunkOf(group, group_columns), tiles, portals_,
                                                   [&](ChunkCoord chunk) { return builder_.table(ground, metric, chunk, tiles, portals_); }));
        }
        tables_ += metrics.size();
        made += std::max<std::size_t>(metrics.size(), 1) * kTablesPerGroup;
    }
    if (tiles.stats().tables_evicted == evicted) return;
    for (; next_ < wanted_.size(); ++next_) is_wanted_[wanted_[next_]] = false;  // more would push out what was just made
    groups_.clear();
    is_group_wanted_.assign(is_group_wanted_.size(), false);
}

bool Preparation::makesGroups(const WorldSnapshot& snapshot) const {
    return portals_.group != 0 && static_cast<std::uint32_t>(snapshot.width() + snapshot.height()) > portals_.group_distance;
}

}  // namespace warpath::service_detail
