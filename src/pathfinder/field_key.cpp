// Requests for fields in canonical form.
#include <algorithm>
#include <span>
#include <string>

#include "pathfinder/endpoints.h"
#include "pathfinder/route_builder.h"
#include "warpath/core/hash.h"
#include "warpath/core/number_text.h"
#include "warpath/flow/flow_request.h"
#include "warpath/pathfinder/field_request.h"
#include "warpath/world/position_errors.h"

namespace warpath {
namespace {

constexpr std::size_t kMaxPositions = 65'536;
constexpr int kMaxAround = 8192;

bool byRow(Cell a, Cell b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }

void sortUnique(std::vector<Cell>& cells) {
    std::sort(cells.begin(), cells.end(), byRow);
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
}

}  // namespace

std::variant<FieldKey, Error> fieldKeyOf(const WorldSnapshot& snapshot, const FieldRequest& request) {
    auto wrong = checkRequest({.goal = request.goal, .side = request.side});
    if (!wrong && request.method > FieldMethod::FastMarching2) {
        wrong = Error{"method", std::to_string(static_cast<int>(request.method)), "use dijkstra, fmm or fmm2"};
    }
    const auto resolved = resolveOn(snapshot, request.constraints, std::move(wrong));
    if (const auto* error = std::get_if<Error>(&resolved)) return *error;
    const ResolvedConstraints& wishes = std::get<ResolvedConstraints>(resolved);

    FieldKey key;
    key.world_id = snapshot.state().world_id;
    key.rules_revision = snapshot.state().rules_revision;
    key.cost = {wishes.metric, wishes.threat_weight, static_cast<std::uint8_t>(wishes.threat_weight == 0 ? 0 : request.side)};
    key.method = request.method;
    key.area = snapshot.bounds();
    if (request.straight_radius < 0 || request.straight_radius > kMaxStraightRadius) {
        return Error{"straight_radius", std::to_string(request.straight_radius), "use 0 to " + std::to_string(kMaxStraightRadius) + " cells"};
    }
    if (request.straight_radius != 0 && request.method != FieldMethod::Dijkstra) {
        return Error{"straight_radius", std::to_string(request.straight_radius), "leave it out: directions of fast marching are straight there anyway; or use the method dijkstra"};
    }
    key.straight_radius = request.straight_radius;
    if (request.area) {
        if (request.area->empty()) return Error{"area", rectText(*request.area), "give a positive width and height"};
        key.area = intersect(*request.area, snapshot.bounds());
        if (key.area.empty()) return offMap(snapshot, "area", *request.area);
    }
    if (request.positions.size() > kMaxPositions) {
        return Error{"positions", std::to_string(request.positions.size()) + " positions", "give at most " + std::to_string(kMaxPositions)};
    }
    for (const Position p : request.positions) {
        if (!isUsable(p)) return unusablePosition("positions", p);
    }
    if (request.tiled) {
        if (request.method != FieldMethod::Dijkstra) return Error{"tiled", "true", "use the method dijkstra: fast marching covers whole areas"};
        if (request.area) return Error{"area", rectText(*request.area), "leave it out: a tiled field chooses its chunks itself"};
        if (request.positions.empty()) return Error{"positions", "none", "say where the units are that a tiled field is for"};
        const bool on_map = std::any_of(request.positions.begin(), request.positions.end(), [&](Position p) { return snapshot.contains(cellAt(p)); });
        if (!on_map) return offMap(snapshot, "positions", request.positions.front());
        if (request.around < 0 || request.around > kMaxAround) return Error{"around", std::to_string(request.around), "use 0 to " + std::to_string(kMaxAround) + " cells"};
        key.tiled = true;
        key.around = request.around;
        key.tiled_only = request.tiled_only;
    }
    const int size = wishes.metric.profile.size;
    const CellRect map{0, 0, snapshot.width(), snapshot.height()};
    const Cell origin = snapshot.origin();
    CellRect area{key.area.x - origin.x, key.area.y - origin.y, key.area.width, key.area.height};
    const int x1 = (area.x + area.width + kChunkSize - 1) & ~(kChunkSize - 1), y1 = (area.y + area.height + kChunkSize - 1) & ~(kChunkSize - 1);
    area.x &= ~(kChunkSize - 1);
    area.y &= ~(kChunkSize - 1);
    area = intersect({area.x, area.y, x1 - area.x, y1 - area.y}, map);
    key.area = {area.x + origin.x, area.y + origin.y, area.width, area.height};
    const Goal& goal = request.goal;
    key.kind = goal.kind;
    const Error outside{"area", rectText(request.area.value_or(key.area)), "let it hold the goal"};
    switch (goal.kind) {
        case Goal::Kind::Point:
        case Goal::Kind::Set: {
            const bool point = goal.kind == Goal::Kind::Point;
            const std::span<const Position> places = point ? std::span<const Position>(&goal.centre, 1) : std::span<const Position>(goal.positions);
            key.kind = places.size() == 1 ? Goal::Kind::Point : Goal::Kind::Set;
            bool on_map = false, in_area = false;
            for (const Position p : places) {
                const Cell c = anchorOf(snapshot, p, size);
                key.cells.push_back(c);
                // Near the map's edge a large unit's square sticks out although its middle does not: the field then leads as near as the unit can stand.
                if (!map.contains(c) && !snapshot.contains(cellAt(p))) continue;
                on_map = true;
                in_area = in_area || area.contains({std::clamp(c.x, 0, map.width - 1), std::clamp(c.y, 0, map.height - 1)});
            }
            sortUnique(key.cells);
            if (!on_map) return offMap(snapshot, point ? "goal" : "goals", places.front());
            if (!in_area) return outside;
            break;
        }
        case Goal::Kind::Disc:
        case Goal::Kind::Ring: {
            key.kind = Goal::Kind::Ring;
            key.centre = {goal.centre.x - static_cast<float>(origin.x), goal.centre.y - static_cast<float>(origin.y)};
            key.inner_radius = goal.kind == Goal::Kind::Ring ? goal.inner_radius : 0.0f;
            key.radius = goal.radius;
            GoalShape shape;
            shape.setRing(key.centre, key.inner_radius, key.radius, 0.5f * static_cast<float>(size));
            if (!shape.clip(map.width, map.height)) {
                if (!snapshot.contains(cellAt(goal.centre))) return offMap(snapshot, "goal", goal.centre);
                return Error{"goal.radius", numberText(goal.radius), "use a larger one: so near to the map's edge it holds no place for a unit of that size"};
            }
            if (intersect(shape.bounds(), area).empty()) return outside;
            break;
        }
        case Goal::Kind::Rectangle:
            key.rect = intersect({goal.rect.x - origin.x, goal.rect.y - origin.y, goal.rect.width, goal.rect.height}, map);
            if (key.rect.empty()) return offMap(snapshot, "goal.rect", goal.rect);
            if (intersect(key.rect, area).empty()) return outside;
            break;
    }
    for (const Position p : request.positions) key.from.push_back(anchorOf(snapshot, p, size));
    sortUnique(key.from);
    return key;
}

bool differInPositions(const FieldKey& a, const FieldKey& b) {
    if (!a.tiled || !b.tiled || a.from == b.from) return false;
    FieldKey same = a;
    same.from = b.from;
    return same == b;
}

std::uint64_t hashOf(const FieldKey& key) {
    Hash64 hash;
    hash.add(key.world_id);
    hash.add(key.rules_revision);
    hash.add(std::uint64_t{key.cost.threat_weight} << 32 | std::uint64_t{key.cost.metric.terrain_weight} << 16 | key.cost.metric.profile.size);
    hash.add(std::uint64_t{key.cost.side} << 32 | static_cast<std::uint64_t>(key.cost.metric.profile.unit_type) << 16 | static_cast<std::uint64_t>(key.method));
    for (const CellRect& r : {key.area, key.rect}) {
        hash.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(r.x)) << 32 | static_cast<std::uint32_t>(r.y));
        hash.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(r.width)) << 32 | static_cast<std::uint32_t>(r.height));
    }
    hash.add(static_cast<std::uint64_t>(key.straight_radius));
    hash.add(static_cast<std::uint64_t>(key.kind) << 32 | static_cast<std::uint64_t>(key.around) << 2 | static_cast<std::uint64_t>(key.tiled_only) << 1 | static_cast<std::uint64_t>(key.tiled));
    for (const auto* cells : {&key.cells, &key.from}) {
        hash.add(static_cast<std::uint64_t>(cells->size()));
        for (const Cell c : *cells) hash.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.x)) << 32 | static_cast<std::uint32_t>(c.y));
    }
    return hash.value();
}

}  // namespace warpath
