#include "pathfinder/endpoints.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "pathfinder/route_builder.h"
#include "warpath/core/number_text.h"
#include "warpath/grid/nearest_cells.h"
#include "warpath/world/position_errors.h"

namespace warpath {
namespace {

constexpr std::int64_t kMaxRectCoordinate = 4'000'000;

std::optional<Error> checkPosition(const char* field, Position p) {
    if (isUsable(p)) return std::nullopt;
    return unusablePosition(field, p);
}

std::optional<Error> checkGoal(const Goal& goal) {
    switch (goal.kind) {
        case Goal::Kind::Point: return checkPosition("goal", goal.centre);
        case Goal::Kind::Set:
            if (goal.positions.empty() || goal.positions.size() > kMaxGoalPositions) {
                return Error{"goals", std::to_string(goal.positions.size()) + " positions", "give 1 to " + std::to_string(kMaxGoalPositions)};
            }
            for (const Position p : goal.positions) {
                if (auto error = checkPosition("goals", p)) return error;
            }
            return std::nullopt;
        case Goal::Kind::Disc:
        case Goal::Kind::Ring:
            if (auto error = checkPosition("goal", goal.centre)) return error;
            if (!(goal.radius >= 0.0f && goal.radius <= kMaxGoalRadius)) {
                return Error{"goal.radius", numberText(goal.radius), "use metres within 0.." + numberText(kMaxGoalRadius)};
            }
            if (goal.kind == Goal::Kind::Ring && !(goal.inner_radius >= 0.0f && goal.inner_radius <= goal.radius)) {
                return Error{"goal.inner_radius", numberText(goal.inner_radius), "use metres within 0..radius"};
            }
            return std::nullopt;
        case Goal::Kind::Rectangle:
            if (goal.rect.empty()) {
                return Error{"goal.rect", std::to_string(goal.rect.width) + " x " + std::to_string(goal.rect.height), "give a positive width and height"};
            }
            for (const std::int64_t v : {std::int64_t{goal.rect.x}, std::int64_t{goal.rect.y}, std::int64_t{goal.rect.x} + goal.rect.width,
                                         std::int64_t{goal.rect.y} + goal.rect.height}) {
                if (v < -kMaxRectCoordinate || v > kMaxRectCoordinate) {
                    return Error{"goal.rect", "a corner at " + std::to_string(v), "use cells within +-4,000,000"};
                }
            }
            return std::nullopt;
    }
    return Error{"goal.kind", std::to_string(static_cast<int>(goal.kind)), "use point, set, disc, ring or rectangle"};
}

}  // namespace

std::optional<Error> checkRequest(const PathRequest& request) {
    if (auto error = checkPosition("start", request.from)) return error;
    if (auto error = checkGoal(request.goal)) return error;
    if (request.side < 0 || request.side >= kMaxSides) {
        return Error{"side", std::to_string(request.side), "use 0 to " + std::to_string(kMaxSides - 1)};
    }
    if (request.algorithm > PathAlgorithm::NavMesh) {
        return Error{"algorithm", std::to_string(static_cast<int>(request.algorithm)), "use auto, astar, jps, hpa, flow_field or navmesh"};
    }
    if (request.detail > PathDetail::CostOnly) return Error{"detail", std::to_string(static_cast<int>(request.detail)), "use corners, cells, anyangle or cost"};
    if (!(request.weight >= 1.0f && request.weight <= kMaxHeuristicWeight)) {
        return Error{"weight", numberText(request.weight), "use 1 (optimal) to " + numberText(kMaxHeuristicWeight)};
    }
    if (request.max_cost && !(*request.max_cost > 0.0 && *request.max_cost <= kMaxCostLimit)) {
        return Error{"max_cost", numberText(*request.max_cost), "use a cost above 0 and up to " + std::to_string(static_cast<std::int64_t>(kMaxCostLimit)) + ", or leave it out"};
    }
    return std::nullopt;
}

std::variant<ResolvedConstraints, Error> resolveOn(const WorldSnapshot& snapshot, const PathConstraints& constraints, std::optional<Error> wrong) {
    if (!snapshot.valid()) return Error{"snapshot", "empty", "take one from World::snapshot()"};
    if (wrong) return *std::move(wrong);
    return resolve(constraints, snapshot.rules());
}

PathStatus refuse(Error* error, const Error& what) {
    if (error != nullptr) *error = what;
    return PathStatus::InvalidArgument;
}

bool tellOffMap(const WorldSnapshot& snapshot, const PathRequest& request, PathStatus status, Error& out) {
    const auto isOff = [&](Position p) { return isUsable(p) && !snapshot.contains(cellAt(p)); };
    const Goal& goal = request.goal;
    if (status == PathStatus::StartBlocked) {
        if (!isOff(request.from)) return false;
        writeOffMap(snapshot, "start", request.from, out);
        return true;
    }
    if (status != PathStatus::GoalBlocked) return false;
    if (goal.kind == Goal::Kind::Point && isOff(goal.centre)) {
        writeOffMap(snapshot, "goal", goal.centre, out);
        return true;
    }
    if (goal.kind == Goal::Kind::Set && std::all_of(goal.positions.begin(), goal.positions.end(), isOff)) {
        writeOffMap(snapshot, "goals", goal.positions.front(), out);
        return true;
    }
    return false;
}

void Endpoints::set(const WorldSnapshot& snapshot, const PathRequest& request, int size) {
    map_ = {0, 0, snapshot.width(), snapshot.height()};
    exemptions_.clear();
    start_exemption_.reset();
    goal_exemption_.reset();
    goal_position_.reset();
    start_ = anchorOf(snapshot, request.from, size);
    start_on_map_ = map_.contains(start_);
    if (request.ignore_self && start_on_map_) start_exemption_ = CellRect{start_.x, start_.y, size, size};

    const Cell origin = snapshot.origin();
    const Goal& goal = request.goal;
    goal_is_cell_ = goal.kind == Goal::Kind::Point;
    goal_is_set_ = goal.kind == Goal::Kind::Set;
    const float half = 0.5f * static_cast<float>(size);
    const Position local{goal.centre.x - static_cast<float>(origin.x), goal.centre.y - static_cast<float>(origin.y)};
    switch (goal.kind) {
        case Goal::Kind::Point:
            goal_cell_ = anchorOf(snapshot, goal.centre, size);
            goal_.setCell(goal_cell_.x, goal_cell_.y);
            goal_position_ = goal.centre;
            goal_on_map_ = map_.contains(goal_cell_);
            if (request.ignore_goal && goal_on_map_) goal_exemption_ = CellRect{goal_cell_.x, goal_cell_.y, size, size};
            break;
        case Goal::Kind::Set:
            goal_cells_.clear();
            for (const Position p : goal.positions) {
                const Cell c = anchorOf(snapshot, p, size);
                goal_cells_.push_back(c);
            }
            std::sort(goal_cells_.begin(), goal_cells_.end(), [](Cell a, Cell b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
            goal_cells_.erase(std::unique(goal_cells_.begin(), goal_cells_.end()), goal_cells_.end());
            goal_on_map_ = std::any_of(goal_cells_.begin(), goal_cells_.end(), [&](Cell c) { return map_.contains(c); });
            goal_.setPlaces(goal_cells_);
            break;
        case Goal::Kind::Disc:
        case Goal::Kind::Ring:
            goal_.setRing(local, goal.kind == Goal::Kind::Ring ? goal.inner_radius : 0.0f, goal.radius, half);
            goal_on_map_ = goal_.clip(map_.width, map_.height);
            break;
        case Goal::Kind::Rectangle:
            goal_.setRect({goal.rect.x - origin.x, goal.rect.y - origin.y, goal.rect.width, goal.rect.height});
            goal_on_map_ = goal_.clip(map_.width, map_.height);
            break;
    }
    if (start_exemption_) exemptions_.push_back(*start_exemption_);
    if (goal_exemption_) exemptions_.push_back(*goal_exemption_);
}

/// The regions of every cell in a rectangle, each once.
void Endpoints::gatherRegions(const RegionTable& regions, const CellRect& around, std::vector<RegionId>& out) const {
    out.clear();
    const CellRect inside = intersect(around, map_);
    for (int y = inside.y; y < inside.y + inside.height; ++y) {
        for (int x = inside.x; x < inside.x + inside.width; ++x) {
            const RegionId region = regions.regionAt(x, y);
            if (region != 0 && std::find(out.begin(), out.end(), region) == out.end()) out.push_back(region);
        }
    }
}

template <class Visit>
void Endpoints::forEachFreedPlace(TileBinding& binding, const RegionTable& regions, Visit&& visit) const {
    const int size = binding.model().key().metric.profile.size;
    for (const CellRect& freed : exemptions_) {
        const CellRect around = intersect({freed.x - size + 1, freed.y - size + 1, freed.width + size - 1, freed.height + size - 1}, map_);
        for (int y = around.y; y < around.y + around.height; ++y) {
            for (int x = around.x; x < around.x + around.width; ++x) {
                if (regions.regionAt(x, y) == 0 && binding.fits(binding.refOf(x, y))) visit(x, y);
            }
        }
    }
}

PathStatus Endpoints::judge(TileBinding& binding, const RegionTable& regions) {
    start_regions_.clear();
    if (!start_on_map_ || !binding.fits(binding.refOf(start_.x, start_.y))) return PathStatus::StartBlocked;

    // Ignoring obstacles can join what the table holds apart: then every region that touches the freed square counts.
    const int size = binding.model().key().metric.profile.size;
    const auto reachOf = [&](const CellRect& r) { return CellRect{r.x - size, r.y - size, r.width + size + 1, r.height + size + 1}; };
    const auto regionsOf = [&](Cell cell, const std::optional<CellRect>& exemption, std::vector<RegionId>& out) {
        if (exemption) {
            gatherRegions(regions, reachOf(*exemption), out);
        } else {
            out.assign(1, regions.regionAt(cell.x, cell.y));
        }
    };
    regionsOf(start_, start_exemption_, start_regions_);
    if (!goal_on_map_) return PathStatus::GoalBlocked;
    if (goal_.contains(start_.x, start_.y)) return PathStatus::Found;
    if (!goal_is_cell_) {
        const PathStatus judged = judgeGoalArea(regions);
        bool freed = false;
        forEachFreedPlace(binding, regions, [&](int x, int y) { freed = freed || goal_.contains(x, y); });
        return freed ? PathStatus::Found : judged;
    }
    if (!binding.fits(binding.refOf(goal_cell_.x, goal_cell_.y))) return PathStatus::GoalBlocked;
    regionsOf(goal_cell_, goal_exemption_, goal_regions_);
    for (const RegionId region : goal_regions_) {
        if (region != 0 && std::find(start_regions_.begin(), start_regions_.end(), region) != start_regions_.end()) return PathStatus::Found;
    }
    // Between two freed squares that touch (or a freed one and a place freed by it) no region is needed.
    const bool near = std::abs(start_.x - goal_cell_.x) < 2 * size && std::abs(start_.y - goal_cell_.y) < 2 * size;
    return near && !exemptions_.empty() ? PathStatus::Found : PathStatus::Unreachable;
}

PathStatus Endpoints::judgeGoalArea(const RegionTable& regions) const {
    const auto wanted = [&](RegionId region) { return std::find(start_regions_.begin(), start_regions_.end(), region) != start_regions_.end(); };
    bool any_free = false;
    if (goal_is_set_) {
        for (const Cell cell : goal_cells_) {
            const RegionId region = map_.contains(cell) ? regions.regionAt(cell.x, cell.y) : 0;
            if (region == 0) continue;
            if (wanted(region)) return PathStatus::Found;
            any_free = true;
        }
        return any_free ? PathStatus::Unreachable : PathStatus::GoalBlocked;
    }
    const CellRect bounds = goal_.bounds();
    const int cx1 = (bounds.x + bounds.width - 1) >> kChunkShift, cy1 = (bounds.y + bounds.height - 1) >> kChunkShift;
    for (int cy = bounds.y >> kChunkShift; cy <= cy1; ++cy) {
        for (int cx = bounds.x >> kChunkShift; cx <= cx1; ++cx) {
            const bool worthwhile = std::any_of(start_regions_.begin(), start_regions_.end(), [&](RegionId r) { return regions.chunkHas({cx, cy}, r); });
            if (!worthwhile && (any_free || regions.labels({cx, cy}).count == 0)) continue;
            const CellRect inside = intersect(bounds, {cx << kChunkShift, cy << kChunkShift, kChunkSize, kChunkSize});
            for (int y = inside.y; y < inside.y + inside.height; ++y) {
                for (int x = inside.x; x < inside.x + inside.width; ++x) {
                    const RegionId region = regions.regionAt(x, y);
                    if (region == 0 || !goal_.contains(x, y)) continue;
                    if (wanted(region)) return PathStatus::Found;
                    any_free = true;
                }
            }
        }
    }
    return any_free ? PathStatus::Unreachable : PathStatus::GoalBlocked;
}

/// As RegionTable::nearestCells for the places of a set, which may be thousands.
double Endpoints::nearestToPlaces(const RegionTable& regions, RegionId region, std::vector<CellId>& out) const {
    std::vector<ChunkCoord> chunks;
    for (int cy = 0; cy <= (map_.height - 1) >> kChunkShift; ++cy) {
        for (int cx = 0; cx <= (map_.width - 1) >> kChunkShift; ++cx) {
            if (region != 0 && regions.chunkHas({cx, cy}, region)) chunks.push_back({cx, cy});
        }
    }
    const auto rowsOf = [&](std::size_t i, ChunkRows& rows) {
        const ChunkLabels& labels = regions.labels(chunks[i]);
        rows = labels.free_rows;
        if (labels.count < 2) return;
        for (int y = 0; y < kChunkSize; ++y) {
            std::uint64_t& row = rows[static_cast<std::size_t>(y)];
            for (std::uint64_t left = row; left != 0; left &= left - 1) {
                const int x = std::countr_zero(left);
                if (regions.regionAt((chunks[i].x << kChunkShift) + x, (chunks[i].y << kChunkShift) + y) != region) row &= ~(std::uint64_t{1} << x);
            }
        }
    };
    const std::int64_t squared = nearestCells(chunks, rowsOf, goal_cells_, out);
    return out.empty() ? std::numeric_limits<double>::infinity() : std::sqrt(static_cast<double>(squared));
}

void Endpoints::nearestToGoal(TileBinding& binding, const RegionTable& regions, std::vector<CellId>& out) {
    out.assign(1, cellIdOf(start_.x, start_.y));
    double best = goal_.distance(start_.x, start_.y);
    const auto distance = [this](int x, int y) { return goal_.distance(x, y); };
    for (const RegionId region : start_regions_) {
        const double found = goal_is_set_ ? nearestToPlaces(regions, region, scratch_)
                                          : regions.nearestCells(goal_.bounds(), distance, region, scratch_);
        if (found > best) continue;
        if (found < best) out.clear();
        best = found;
        out.insert(out.end(), scratch_.begin(), scratch_.end());
    }
    forEachFreedPlace(binding, regions, [&](int x, int y) {
        const double d = distance(x, y);
        if (d > best) return;
        if (d < best) out.clear();
        best = d;
        out.push_back(cellIdOf(x, y));
    });
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

}  // namespace warpath
