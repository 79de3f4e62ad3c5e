#include "pathfinder/route_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "pathfinder/cell_steps.h"
#include "pathfinder/cover_reader.h"
#include "warpath/core/assert.h"

namespace warpath {
namespace {

float threatShare(const WorldSnapshot& snapshot, int side, Cell middle) {
    const Cell origin = snapshot.origin();
    return snapshot.threatAt(side, {middle.x + origin.x, middle.y + origin.y});
}

void describe(const WorldSnapshot& snapshot, int side, CoverReader& covers, CellId anchor, int size, Waypoint& out) {
    out.threat_level = std::min(threatShare(snapshot, side, middleOf(snapshot, anchor, size)), 1.0f);
    if (!covers.active()) return;
    const Cell covered = mostCovered(snapshot, covers, gridXOf(anchor), gridYOf(anchor), size);
    const CoverTile* tile = covers.at(covered.x, covered.y);
    const auto local = static_cast<std::size_t>(localIndex(covered.x, covered.y));
    out.cover_quality = static_cast<float>(tile->cover[local]) / static_cast<float>(kFullCover);
    out.has_cover = tile->cover[local] != 0;
    out.cover_direction = meanDirection(tile->directions[local]);
}

}  // namespace

Cell anchorOf(const WorldSnapshot& snapshot, Position centre, int size) {
    const float shift = 0.5f - 0.5f * static_cast<float>(size);
    const Cell origin = snapshot.origin();
    return {floorToInt(centre.x + shift) - origin.x, floorToInt(centre.y + shift) - origin.y};
}

Position centreOfAnchor(const WorldSnapshot& snapshot, int grid_x, int grid_y, int size) {
    const float half = 0.5f * static_cast<float>(size);
    const Cell origin = snapshot.origin();
    return {static_cast<float>(grid_x + origin.x) + half, static_cast<float>(grid_y + origin.y) + half};
}

void rasterise(const WorldSnapshot& snapshot, std::span<const Position> route, int size, std::vector<Cell>& cells, std::vector<std::size_t>* leg) {
    const Cell origin = snapshot.origin();
    const auto add = [&](Cell at, std::size_t i) {
        cells.push_back({at.x + origin.x, at.y + origin.y});
        if (leg != nullptr) leg->push_back(i);
    };
    Cell at;
    for (std::size_t i = 0; i < route.size(); ++i) {
        const Cell to = anchorOf(snapshot, route[i], size);
        if (i == 0) {
            at = to;
            add(at, 0);
        }
        const int dx = std::abs(to.x - at.x), dy = std::abs(to.y - at.y);
        const int sx = at.x < to.x ? 1 : -1, sy = at.y < to.y ? 1 : -1;
        int error = dx - dy;
        while (!(at == to)) {
            const int doubled = 2 * error;
            if (doubled > -dy) {
                error -= dy;
                at.x += sx;
            }
            if (doubled < dx) {
                error += dx;
                at.y += sy;
            }
            add(at, i);
        }
    }
}

void rasteriseLegally(TileBinding& binding, std::span<const Position> route, int size, std::vector<Cell>& cells, std::vector<std::size_t>& leg) {
    const WorldSnapshot& snapshot = binding.snapshot();
    const Cell origin = snapshot.origin();
    std::vector<Cell> straight;
    std::vector<std::size_t> leads;
    rasterise(snapshot, route, size, straight, &leads);
    const auto isLegal = [&](Cell from, Cell to) {
        const CellRef ref = binding.refOf(from.x - origin.x, from.y - origin.y);
        return snapshot.contains(to) && binding.mayStep(ref, directionOf(to.x - from.x, to.y - from.y));
    };
    const double back = 0.5 * (size - 1);
    for (std::size_t i = 0; i < straight.size(); ++i) {
        const Cell to = straight[i];
        if (i > 0 && straight[i - 1].x != to.x && straight[i - 1].y != to.y) {
            const Cell from = straight[i - 1];
            const Position a = route[leads[i] - 1], b = route[leads[i]];
            const double dx = static_cast<double>(b.x) - a.x, dy = static_cast<double>(b.y) - a.y;
            // On which side of the line the corner between the four cells lies; 0: the line runs through it.
            const double corner_x = std::max(from.x, to.x) + back - static_cast<double>(a.x), corner_y = std::max(from.y, to.y) + back - static_cast<double>(a.y);
            const double corner = dx * corner_y - dy * corner_x;
            const double beside = -dx * (to.y - from.y) - dy * (to.x - from.x);  // the same of {to.x, from.y}, seen from the corner
            if (corner * beside != 0.0 && !isLegal(from, to)) {
                const Cell through = corner * beside < 0.0 ? Cell{to.x, from.y} : Cell{from.x, to.y};
                if (isLegal(from, through) && isLegal(through, to)) {
                    cells.push_back(through);
                    leg.push_back(leads[i]);
                }
            }
        }
        cells.push_back(to);
        leg.push_back(leads[i]);
    }
}

void describeWaypoint(TileBinding& binding, CellId cell, int size, Waypoint& out) {
    CoverReader covers(binding);
    out.position = centreOfAnchor(binding.snapshot(), gridXOf(cell), gridYOf(cell), size);
    describe(binding.snapshot(), binding.model().key().side, covers, cell, size, out);
}

void buildRoute(TileBinding& binding, std::span<const CellId> cells, const RouteEnds& ends, const ResolvedConstraints& constraints, PathDetail detail,
                Path& out, std::span<const std::uint32_t> stops) {
    WARPATH_ASSERT(!cells.empty(), "a route has cells");
    const WorldSnapshot& snapshot = binding.snapshot();
    const CostModel& model = binding.model();
    const int size = constraints.metric.profile.size;
    const int side = model.key().side;
    const Cell origin = snapshot.origin();
    CoverReader covers(binding);

    out.cells.clear();
    for (const CellId cell : cells) out.cells.push_back({gridXOf(cell) + origin.x, gridYOf(cell) + origin.y});

    std::uint64_t straight_steps = 0, diagonal_steps = 0, covered_length = 0, total_length = 0;
    double threat_sum = 0.0;
    CostBreakdown& sums = out.breakdown;
    sums = {};
    const auto addWaypoint = [&](CellId cell) {
        Waypoint waypoint;
        waypoint.position = centreOfAnchor(snapshot, gridXOf(cell), gridYOf(cell), size);
        describe(snapshot, side, covers, cell, size, waypoint);
        out.waypoints.push_back(waypoint);
    };

    out.waypoints.clear();
    addWaypoint(cells[0]);
    int last_direction = -1;
    CellRef to = refOf(binding, cells[0]);
    const bool threatened = snapshot.state().threat_chunks[static_cast<std::size_t>(side)] != 0;
    // Where terrain alone has a price its terms are looked up directly, else cell by cell with every layer.
    const WorldState& world = snapshot.state();
    const bool terrain_alone = size == 1 && world.congested_chunks == 0 && (model.key().threat_weight == 0 || !threatened) &&
                               !(model.pricesCover() && world.has_cover);
    GroundReader grounds(snapshot);
    auto next_stop = stops.begin();
    for (std::size_t i = 1; i < cells.size(); ++i) {
        const int x = gridXOf(cells[i]), y = gridYOf(cells[i]);
        const int direction = directionBetween(cells[i - 1], cells[i]);
        WARPATH_ASSERT(direction >= 0, "neighbouring cells");
        const bool stop = next_stop != stops.end() && *next_stop + 1 == i;
        if (stop) ++next_stop;
        const bool turns = detail == PathDetail::AnyAngle ? stop : stop || direction != last_direction || detail == PathDetail::Cells;
        if (i > 1 && turns) addWaypoint(cells[i - 1]);
        last_direction = direction;

        const std::uint32_t length = stepLength(direction);
        (isDiagonal(direction) ? diagonal_steps : straight_steps) += 1;
        total_length += length;
        const Cell middle = middleOf(snapshot, cells[i], size);
        const UnitCover cover = covers.ofUnit(cells[i], size);
        if (cover.cover != 0) covered_length += length;
        if (threatened) threat_sum += static_cast<double>(length) * static_cast<double>(threatShare(snapshot, side, middle));

        const CellRef from = to;
        to = binding.refOf(x, y);
        CellTerms terms;
        if (terrain_alone) {
            const std::uint8_t terrain = grounds.terrainAt(x, y);
            terms.terrain = model.terrainTerm(terrain);
            terms.road = model.roadTerm(terrain);
        } else {
            terms = termsOf(snapshot, model, x, y, model.pricesCover() && covers.active() ? &cover : nullptr, 0);
        }
        terms.wall = binding.slot(slotOf(to)).f[localOf(to)] - terms.f();  // what is left of f when everything else is known
        sums.distance += Cost{length} * 100;
        sums.terrain += std::int64_t{length} * terms.terrain;
        sums.road += std::int64_t{length} * terms.road;
        sums.threat += Cost{length} * static_cast<Cost>(terms.threat);
        sums.exposure += Cost{length} * static_cast<Cost>(terms.exposure);
        sums.cover += Cost{length} * static_cast<Cost>(terms.cover);
        sums.congestion += Cost{length} * static_cast<Cost>(terms.congestion);
        sums.wall += Cost{length} * static_cast<Cost>(terms.wall);
        sums.elevation += binding.riseCost(from, to);
    }
    if (cells.size() > 1) addWaypoint(cells.back());
    out.waypoints.front().position = ends.start;
    if (ends.goal) {
        if (cells.size() > 1) {
            out.waypoints.back().position = *ends.goal;
        } else if (!(*ends.goal == ends.start)) {
            addWaypoint(cells[0]);
            out.waypoints.back().position = *ends.goal;
        }
    }

    out.cost = sums.total();
    out.length = static_cast<double>(straight_steps) + static_cast<double>(diagonal_steps) * kSqrt2;
    out.travel_time = out.length / static_cast<double>(constraints.speed);
    out.threat_level = total_length == 0 ? out.waypoints.front().threat_level
                                         : static_cast<float>(std::min(threat_sum / static_cast<double>(total_length), 1.0));
    out.cover_percentage = total_length == 0 ? (out.waypoints.front().has_cover ? 1.0f : 0.0f)
                                             : static_cast<float>(static_cast<double>(covered_length) / static_cast<double>(total_length));
    out.revision = snapshot.revision();
    out.is_valid = true;
}

}  // namespace warpath
