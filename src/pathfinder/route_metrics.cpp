#include "pathfinder/route_metrics.h"

#include <algorithm>

#include "pathfinder/cell_steps.h"
#include "pathfinder/cover_reader.h"
#include "pathfinder/route_builder.h"

namespace warpath {
namespace {

MovementStyle styleOf(Doctrine doctrine) {
    if (doctrine == Doctrine::Aggressive) return MovementStyle::Aggressive;
    if (doctrine == Doctrine::Stealth) return MovementStyle::Stealth;
    return MovementStyle::Direct;
}

/// The narrowest cells of the narrow stretch at hand.
struct Narrows {
    float width = 0.0f;
    std::size_t first = 0, last = 0;
};

}  // namespace

float widthAcross(TileBinding& binding, int grid_x, int grid_y, int direction, int size, float limit) {
    const WorldSnapshot& snapshot = binding.snapshot();
    const int across = (direction + 2) & 7;
    const auto step = static_cast<float>(stepMetres(across));
    const int last_x = snapshot.width() - size, last_y = snapshot.height() - size;
    float width = static_cast<float>(size);
    bool walled = false;
    for (const int d : {across, oppositeOf(across)}) {
        int x = grid_x, y = grid_y;
        for (float seen = 0.0f; seen < limit; seen += step) {
            x += kStepX[d];
            y += kStepY[d];
            if (x < 0 || y < 0 || x > last_x || y > last_y) break;
            if (!binding.fits(binding.refOf(x, y))) {
                walled = true;
                break;
            }
            width += step;
            if (width >= limit) return width;
        }
    }
    return walled ? width : limit;
}

MovementSpeed speedFor(MovementStyle style, bool threatened, bool covered) {
    switch (style) {
        case MovementStyle::Direct: return MovementSpeed::Run;
        case MovementStyle::Aggressive: return threatened ? MovementSpeed::Sprint : MovementSpeed::Run;
        case MovementStyle::Stealth: return threatened && !covered ? MovementSpeed::Crouch : MovementSpeed::Walk;
        case MovementStyle::CoverToCover:
            if (!threatened) return MovementSpeed::Run;
            return covered ? MovementSpeed::Crouch : MovementSpeed::Sprint;
    }
    return MovementSpeed::Run;
}

double speedFactor(MovementSpeed speed) {
    switch (speed) {
        case MovementSpeed::Sprint: return 1.5;
        case MovementSpeed::Run: return 1.0;
        case MovementSpeed::Walk: return 0.6;
        case MovementSpeed::Crouch: return 0.35;
    }
    return 1.0;
}

void measureRoute(TileBinding& binding, std::span<const CellId> cells, const ResolvedConstraints& constraints, const RouteRules& rules, Path& out) {
    const WorldSnapshot& snapshot = binding.snapshot();
    const int size = constraints.metric.profile.size;
    const int side = binding.model().key().side;
    const Cell origin = snapshot.origin();
    const std::vector<float>& multipliers = snapshot.rules().unit_classes[static_cast<std::size_t>(constraints.metric.profile.unit_type)].multipliers;
    const int open_exposure = static_cast<int>(rules.open_exposure * static_cast<float>(kFullExposure) + 0.5f);
    const bool threatened_world = snapshot.state().threat_chunks[static_cast<std::size_t>(side)] != 0;
    CoverReader covers(binding);
    GroundReader grounds(snapshot);

    double seconds = 0.0, open_run = 0.0;
    out.exposed_length = 0.0;
    out.crosses_open_terrain = false;
    out.chokepoints.clear();
    Narrows narrows;
    bool in_narrows = false;
    const auto leaveNarrows = [&] {
        if (!in_narrows) return;
        in_narrows = false;
        const CellId at = cells[(narrows.first + narrows.last) / 2];
        out.chokepoints.push_back(centreOfAnchor(snapshot, gridXOf(at), gridYOf(at), size));
    };
    for (std::size_t i = 1; i < cells.size(); ++i) {
        const int x = gridXOf(cells[i]), y = gridYOf(cells[i]);
        const int direction = directionBetween(cells[i - 1], cells[i]);
        const double length = stepMetres(direction);
        const Cell middle = middleOf(snapshot, cells[i], size);
        const Cell world{middle.x + origin.x, middle.y + origin.y};
        seconds += length * static_cast<double>(std::max(multipliers[grounds.terrainAt(middle.x, middle.y)], 1.0f));

        const UnitCover cover = covers.ofUnit(cells[i], size);
        const bool covered = cover.cover != 0;
        if (threatened_world && !covered && snapshot.threatAt(side, world) >= kUnderThreat) out.exposed_length += length;
        const bool open = covers.active() && !covered && cover.exposure >= open_exposure;
        open_run = open ? open_run + length : 0.0;
        if (open_run >= static_cast<double>(rules.open_length)) out.crosses_open_terrain = true;

        if (rules.choke_width <= static_cast<float>(size)) continue;
        const float width = widthAcross(binding, x, y, direction, size, rules.choke_width);
        if (!(width < rules.choke_width)) {
            leaveNarrows();
        } else if (!in_narrows || width < narrows.width) {
            narrows = {width, i, i};
            in_narrows = true;
        } else if (width == narrows.width && narrows.last + 1 == i) {
            narrows.last = i;
        }
    }
    leaveNarrows();
    out.has_chokepoints = !out.chokepoints.empty();
    out.movement_style = styleOf(constraints.doctrine);
    out.travel_time = seconds / static_cast<double>(constraints.speed);
    for (Waypoint& waypoint : out.waypoints) {
        waypoint.speed = speedFor(out.movement_style, waypoint.threat_level >= kUnderThreat, waypoint.has_cover);
    }
}

}  // namespace warpath
