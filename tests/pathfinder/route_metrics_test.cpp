#include <gtest/gtest.h>

#include "support/drawn_map.h"
#include "warpath/pathfinder/query.h"
#include "warpath/tactical/threat_map.h"

namespace warpath {
namespace {

Path find(Query& query, const WorldSnapshot& snapshot, Position from, Position to, const PathConstraints& constraints = plainDistance()) {
    Path path;
    query.findPath(snapshot, {.from = from, .goal = Goal::point(to), .constraints = constraints}, path);
    EXPECT_EQ(path.status, PathStatus::Found) << path.error.text();
    return path;
}

TEST(RouteMetrics, a_gap_of_two_cells_is_one_chokepoint_in_its_middle) {
    const auto world = drawnWorld({"..........#..........", "..........#..........", "..........#..........", "..........#..........", ".....................",
                                   ".....................", "..........#..........", "..........#..........", "..........#..........", "..........#.........."});
    Query query;
    const Path path = find(query, world->snapshot(), mid(2, 4), mid(18, 4));
    EXPECT_TRUE(path.has_chokepoints);
    ASSERT_EQ(path.chokepoints.size(), 1u);
    EXPECT_EQ(path.chokepoints[0], mid(10, 4));
}

TEST(RouteMetrics, a_gap_of_four_cells_is_none_until_the_width_asks_for_more) {
    const std::vector<std::string> rows{"....#....", "....#....", "....#....", ".........", ".........", ".........", ".........", "....#....", "....#...."};
    const auto world = drawnWorld(rows);
    Query plain;
    EXPECT_FALSE(find(plain, world->snapshot(), mid(0, 4), mid(8, 4)).has_chokepoints);
    Query wide(nullptr, {}, {.choke_width = 5.0f});
    const Path path = find(wide, world->snapshot(), mid(0, 4), mid(8, 4));
    ASSERT_EQ(path.chokepoints.size(), 1u);
    EXPECT_EQ(path.chokepoints[0], mid(4, 4));
}

TEST(RouteMetrics, a_route_crosses_open_terrain_when_a_long_stretch_has_no_cover_and_is_in_view) {
    World open({.width = 60, .height = 20});
    Query query;
    EXPECT_TRUE(find(query, open.snapshot(), mid(1, 10), mid(50, 10)).crosses_open_terrain);
    EXPECT_FALSE(find(query, open.snapshot(), mid(1, 10), mid(11, 10)).crosses_open_terrain) << "ten metres are not long";
    World woods({.width = 60, .height = 20, .fill = Terrain::Forest});
    EXPECT_FALSE(find(query, woods.snapshot(), mid(1, 10), mid(50, 10)).crosses_open_terrain) << "forest closes the view";
    World bare({.width = 60, .height = 20, .has_cover = false});
    EXPECT_FALSE(find(query, bare.snapshot(), mid(1, 10), mid(50, 10)).crosses_open_terrain) << "a world without cover knows nothing of it";
}

TEST(RouteMetrics, travel_time_counts_the_ground) {
    World world({.width = 40, .height = 5, .fill = Terrain::Swamp});
    Query query;
    PathConstraints constraints = plainDistance();
    constraints.unit_speed = 2.0f;
    EXPECT_NEAR(find(query, world.snapshot(), mid(0, 2), mid(20, 2), constraints).travel_time, 20 * 3.0 / 2.0, 1e-9);
    World road({.width = 40, .height = 5, .fill = Terrain::Road});
    EXPECT_NEAR(find(query, road.snapshot(), mid(0, 2), mid(20, 2), constraints).travel_time, 20 / 2.0, 1e-9) << "nobody exceeds his speed";
}

TEST(RouteMetrics, doctrines_move_in_their_style) {
    World world({.width = 40, .height = 5});
    Query query;
    PathConstraints constraints;
    constraints.doctrine = Doctrine::Stealth;
    const Path stealth = find(query, world.snapshot(), mid(0, 2), mid(20, 2), constraints);
    EXPECT_EQ(stealth.movement_style, MovementStyle::Stealth);
    EXPECT_EQ(stealth.waypoints[1].speed, MovementSpeed::Walk);
    constraints.doctrine = Doctrine::Aggressive;
    EXPECT_EQ(find(query, world.snapshot(), mid(0, 2), mid(20, 2), constraints).movement_style, MovementStyle::Aggressive);
}

TEST(RouteMetrics, validation_notes_its_frame_and_result) {
    World world({.width = 40, .height = 5});
    Query query;
    Path path = find(query, world.snapshot(), mid(0, 2), mid(20, 2));
    EXPECT_TRUE(query.revalidate(world.snapshot(), path, plainDistance(), 7).valid);
    EXPECT_EQ(path.last_validation_frame, 7u);
    world.edit([](WorldEdit& e) { e.placeObstacle({10, 0, 1, 5}, ObstacleKind::Wall, 3.0f); });
    const PathValidation now = query.revalidate(world.snapshot(), path, plainDistance(), 8);
    EXPECT_FALSE(now.valid);
    EXPECT_EQ(now.first_bad_position, mid(10, 2));
    EXPECT_FALSE(path.is_valid);
    EXPECT_EQ(path.last_validation_frame, 8u);
}

/// W111: what a route takes in of a turret's threat falls as its weight rises, and high weights go round. The turret's own decay is linear, so the
/// case's flat 5 per cell becomes: shortest at weight 0, round outside the range at a high weight, never more threat for more weight.
TEST(RouteMetrics, W111_more_threat_weight_takes_in_less_threat_and_goes_round) {
    World world({.width = 41, .height = 31});
    ThreatMap threat(world.snapshot(), 0, {.resolution = 1, .blur_radius = 0, .line_of_sight = false});
    ASSERT_FALSE(threat.addThreatSource({.id = 1, .position = mid(20, 13), .range = 8.0f, .firepower = 5.0f}));
    threat.finish();
    world.edit([&](WorldEdit& e) { threat.publish(e); });
    Query query;
    Cost last = UINT64_MAX;
    double first_length = 0.0;
    for (const float weight : {0.0f, 0.05f, 0.1f, 0.5f, 2.0f, 20.0f}) {
        PathConstraints constraints = plainDistance();
        constraints.threat_weight = weight;
        const Path path = find(query, world.snapshot(), mid(2, 15), mid(38, 15), constraints);
        Cost taken = 0;  // length x threat, in units of weight 1
        for (std::size_t i = 1; i < path.cells.size(); ++i) {
            const bool diagonal = path.cells[i].x != path.cells[i - 1].x && path.cells[i].y != path.cells[i - 1].y;
            taken += static_cast<Cost>(static_cast<double>(diagonal ? 577 : 408) * static_cast<double>(world.snapshot().threatAt(0, path.cells[i])) * 1024.0);
        }
        EXPECT_LE(taken, last) << weight;
        last = taken;
        if (weight == 0.0f) first_length = path.length;
    }
    EXPECT_EQ(first_length, 36.0);
    EXPECT_EQ(last, 0u) << "at weight 20 the route stays outside";
}

TEST(RouteMetrics, the_corners_of_an_empty_map_are_no_chokepoints) {
    const auto world = drawnWorld(std::vector<std::string>(20, std::string(20, '.')));
    Query query;
    EXPECT_FALSE(find(query, world->snapshot(), mid(0, 0), mid(19, 19)).has_chokepoints);
    EXPECT_FALSE(find(query, world->snapshot(), mid(0, 19), mid(19, 0)).has_chokepoints);
    PathConstraints wide = plainDistance();
    wide.unit_radius = 1.5f;
    EXPECT_FALSE(find(query, world->snapshot(), {1.5f, 1.5f}, {18.5f, 18.5f}, wide).has_chokepoints);
    const auto strip = drawnWorld({std::string(40, '.')});
    EXPECT_FALSE(find(query, strip->snapshot(), mid(0, 0), mid(39, 0)).has_chokepoints) << "a map of one row is narrow all over";
    const auto beside = drawnWorld({"..........", "####.#####", "####.#####", ".........."});
    EXPECT_TRUE(find(query, beside->snapshot(), mid(0, 0), mid(9, 3)).has_chokepoints);
}

}  // namespace
}  // namespace warpath
