#include "warpath/navmesh/nav_config.h"

#include <algorithm>
#include <cmath>

#include "warpath/core/number_text.h"
#include "warpath/world/constraints.h"

namespace warpath {
namespace {

std::optional<Error> outside(const char* field, float value, float low, float high) {
    if (value >= low && value <= high) return std::nullopt;  // false for NaN
    return Error{field, numberText(value), "use a number from " + numberText(low) + " to " + numberText(high)};
}

std::optional<Error> outside(const char* field, int value, int low, int high) {
    if (value >= low && value <= high) return std::nullopt;
    return Error{field, std::to_string(value), "use a whole number from " + std::to_string(low) + " to " + std::to_string(high)};
}

/// Runs of free cells between two blocked ones along one axis, shorter than `need`, marked in `narrow`.
void markNarrowRuns(const std::vector<std::uint8_t>& free, int width, int height, bool columns, int need, std::vector<std::uint8_t>& narrow) {
    const int lines = columns ? width : height, length = columns ? height : width;
    const auto at = [&](int line, int i) {
        return columns ? static_cast<std::size_t>(i) * static_cast<std::size_t>(width) + static_cast<std::size_t>(line)
                       : static_cast<std::size_t>(line) * static_cast<std::size_t>(width) + static_cast<std::size_t>(i);
    };
    for (int line = 0; line < lines; ++line) {
        int start = 0;
        for (int i = 0; i <= length; ++i) {
            if (i < length && free[at(line, i)] != 0) continue;
            if (i > start && i - start < need) {
                for (int k = start; k < i; ++k) narrow[at(line, k)] = 1;
            }
            start = i + 1;
        }
    }
}

}  // namespace

int NavConfig::erosionCells() const { return static_cast<int>(std::ceil(agent_radius / cell_size - 0.001f)); }

int NavConfig::unitCells() const { return std::max(1, static_cast<int>(std::ceil(2.0f * agent_radius - 0.001f))); }

// A point keeps erosion x cell size along both axes from what is blocked. The unit stands on the cells nearest to its square, so its middle is up to half a cell
// off the point: (side - 1) / 2 suffices.
float NavConfig::mostEdgeError() const { return static_cast<float>(erosionCells()) - 0.5f * static_cast<float>(unitCells() - 1) / cell_size; }

float NavConfig::narrowestGap() const { return std::ceil(static_cast<float>(2 * erosionCells() + 1) * cell_size - 0.001f); }

std::int32_t NavConfig::stepLimitCm() const {
    PathConstraints wish;
    wish.max_slope = max_slope;
    const auto resolved = resolve(wish, WorldRules::reference());
    const std::int32_t by_slope = std::get<ResolvedConstraints>(resolved).metric.profile.max_rise[0];
    const auto by_climb = static_cast<std::int32_t>(std::floor(max_climb * 100.0f + 0.5f));
    return std::min(by_slope, by_climb);
}

std::optional<Error> check(const NavConfig& c) {
    if (c.cell_size != 1.0f && c.cell_size != 0.5f && c.cell_size != 0.25f && c.cell_size != 0.125f) {
        return Error{"navmesh.cell_size", numberText(c.cell_size), "use 1, 0.5, 0.25 or 0.125"};
    }
    if (auto error = outside("navmesh.cell_height", c.cell_height, 0.01f, 10.0f)) return error;
    if (auto error = outside("navmesh.agent_height", c.agent_height, 0.1f, 100.0f)) return error;
    if (auto error = outside("navmesh.agent_radius", c.agent_radius, 0.0f, 8.0f)) return error;
    if (auto error = outside("navmesh.max_slope", c.max_slope, 0.0f, 90.0f)) return error;
    if (auto error = outside("navmesh.max_climb", c.max_climb, 0.0f, 1000.0f)) return error;
    if (c.tiles_per_chunk != 1 && c.tiles_per_chunk != 2 && c.tiles_per_chunk != 4) {
        return Error{"navmesh.tiles_per_chunk", std::to_string(c.tiles_per_chunk), "use 1, 2 or 4"};
    }
    return outside("navmesh.max_edge_error", c.max_edge_error, 0.0f, 2.0f);
}

std::optional<Error> check(const NavWorldConfig& c) {
    if (c.agents.empty() || c.agents.size() > kMaxNavAgents) {
        return Error{"navmesh.agents", std::to_string(c.agents.size()) + " entries", "use 1 to " + std::to_string(kMaxNavAgents) + " size classes"};
    }
    for (std::size_t i = 0; i < c.agents.size(); ++i) {
        auto error = check(c.agents[i].mesh);
        if (!error) continue;
        if (i != 0) error->field += " of agents[" + std::to_string(i) + "]";
        return error;
    }
    if (auto error = outside("navmesh.load_radius", c.load_radius, 0, 128)) return error;
    if (auto error = outside("navmesh.unload_radius", c.unload_radius, c.load_radius, 256)) return error;
    if (auto error = outside("navmesh.max_loaded_chunks", c.max_loaded_chunks, 1, 16384)) return error;
    if (auto error = outside("navmesh.max_jobs", c.max_jobs, 1, 64)) return error;
    if (auto error = outside("navmesh.chunks_per_update", c.chunks_per_update, 1, 1000)) return error;
    if (auto error = outside("navmesh.inline_builds_per_update", c.inline_builds_per_update, 1, 1000)) return error;
    return outside("navmesh.max_readers", c.max_readers, 1, 1024);
}

std::string NavSurvey::text() const {
    std::string line = "radius " + numberText(config.agent_radius) + " at cell size " + numberText(config.cell_size) + " closes gaps under " +
                       numberText(narrowest_gap) + " m; the map has " + std::to_string(closed_gaps) + (closed_gaps == 1 ? " such gap" : " such gaps");
    const auto rise = static_cast<float>(config.stepLimitCm()) / 100.0f;
    if (config.max_slope < 89.99f || config.max_climb < 1000.0f) {
        line += "; steps over " + numberText(rise) + " m are closed; the map has " + std::to_string(steep_steps) + (steep_steps == 1 ? " such step" : " such steps");
    }
    NavConfig by_slope = config;
    by_slope.max_climb = 1000.0f;
    if (config.stepLimitCm() < by_slope.stepLimitCm()) {
        line += "; max_climb " + numberText(config.max_climb) + " is stricter than max_slope " + numberText(config.max_slope) +
                " on 1 m cells: raise max_climb to " + numberText(static_cast<float>(by_slope.stepLimitCm()) / 100.0f) + " to allow the slope";
    }
    return line;
}

NavSurvey survey(const WorldSnapshot& snapshot, const NavConfig& config) {
    NavSurvey out{.config = config, .narrowest_gap = config.narrowestGap()};
    const int width = snapshot.width(), height = snapshot.height();
    const auto cells = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    std::vector<std::uint8_t> free(cells), narrow(cells);
    std::vector<std::int32_t> elevation(cells);
    std::size_t i = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x, ++i) {
            const ChunkGround& ground = snapshot.ground({x >> kChunkShift, y >> kChunkShift});
            const int local = localIndex(x, y);
            free[i] = obstacleKind(ground.obstacle[static_cast<std::size_t>(local)]) == ObstacleKind::None;
            elevation[i] = ground.elevationCm(local);
        }
    }
    const auto w = static_cast<std::size_t>(width);
    const std::int32_t limit = config.stepLimitCm();
    for (i = 0; i < cells; ++i) {
        if (free[i] == 0) continue;
        if (i % w + 1 < w && free[i + 1] != 0 && std::abs(elevation[i] - elevation[i + 1]) > limit) ++out.steep_steps;
        if (i + w < cells && free[i + w] != 0 && std::abs(elevation[i] - elevation[i + w]) > limit) ++out.steep_steps;
    }
    const int need = static_cast<int>(out.narrowest_gap);
    markNarrowRuns(free, width, height, false, need, narrow);
    markNarrowRuns(free, width, height, true, need, narrow);
    std::vector<std::size_t> stack;
    for (std::size_t seed = 0; seed < cells; ++seed) {
        if (narrow[seed] == 0) continue;
        ++out.closed_gaps;
        stack.assign(1, seed);
        narrow[seed] = 0;
        while (!stack.empty()) {
            const std::size_t c = stack.back();
            stack.pop_back();
            const auto take = [&](std::size_t n) {
                if (narrow[n] == 0) return;
                narrow[n] = 0;
                stack.push_back(n);
            };
            if (c % w > 0) take(c - 1);
            if (c % w + 1 < w) take(c + 1);
            if (c >= w) take(c - w);
            if (c + w < cells) take(c + w);
        }
    }
    return out;
}

}  // namespace warpath
