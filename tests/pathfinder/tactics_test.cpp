#include "warpath/pathfinder/tactics.h"

#include <gtest/gtest.h>

#include <limits>

#include <cmath>

#include "support/drawn_map.h"
#include "warpath/tactical/cover_map.h"
#include "warpath/tactical/threat_map.h"

namespace warpath {
namespace {

void addThreat(World& world, const std::vector<ThreatSource>& sources, const ThreatConfig& config = {.resolution = 1, .blur_radius = 1}) {
    ThreatMap threat(world.snapshot(), 0, config);
    ASSERT_FALSE(threat.update(sources));
    threat.finish();
    world.edit([&](WorldEdit& e) { threat.publish(e); });
}

/// A field with two rows of rocks that a gunner looks over from the north.
std::unique_ptr<World> gunnersField() {
    auto world = std::make_unique<World>(WorldConfig{.width = 110, .height = 70});
    world->edit([](WorldEdit& e) {
        for (int x = 12; x < 96; x += 9) e.placeObstacle({x, 44 + (x % 4), 4, 1}, ObstacleKind::Rock, 2.0f);
        for (int x = 16; x < 92; x += 14) e.placeObstacle({x, 30, 3, 1}, ObstacleKind::Rock, 1.2f);
    });
    addThreat(*world, {{.id = 1, .position = mid(55, 12), .range = 45.0f, .firepower = 1.0f}});
    return world;
}

/// Over random walls and gunners.
TEST(CoverToCover, IsNoMoreExposedThanThePlainRouteOfTheSameWishesAndIsPricedAsItIsWatched) {
    Query query;
    TacticalQuery tactical(query);
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        Rng rng(seed);
        World world({.width = 90, .height = 70});
        const auto below = [&](int n) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(n))); };
        world.edit([&](WorldEdit& e) {
            for (int i = 0; i < 40; ++i) {
                const int x = below(86), y = below(66), w = 1 + below(5), h = 1 + below(3);
                e.placeObstacle({x, y, w, h}, ObstacleKind::Wall, 0.5f + 0.5f * static_cast<float>(below(4)));
            }
            e.removeObstacle({0, 30, 4, 4});
            e.removeObstacle({86, 30, 4, 4});
        });
        const int x = 20 + below(50), y = 10 + below(50);
        addThreat(world, {{.id = 1, .position = mid(x, y), .range = 40.0f, .firepower = 1.0f}});
        for (const Doctrine doctrine : {Doctrine::Balanced, Doctrine::Cautious, Doctrine::Stealth, Doctrine::Aggressive}) {
            PathRequest request{.from = mid(1, 31), .goal = Goal::point(mid(88, 31))};
            request.constraints.doctrine = doctrine;
            Path plain, covered;
            if (query.findPath(world.snapshot(), request, plain) != PathStatus::Found) continue;
            ASSERT_EQ(tactical.findCoverToCoverPath(world.snapshot(), request, covered), PathStatus::Found);
            ++compared;
            if (plain.length <= covered.length) {
                EXPECT_LE(covered.exposed_length, plain.exposed_length + 1e-9) << "seed " << seed << " doctrine " << static_cast<int>(doctrine);
            }
            const RouteExplanation why = tactical.explain(world.snapshot(), covered, coverToCover(request.constraints), 0);
            EXPECT_EQ(covered.cost, why.route.cost) << "seed " << seed;
        }
    }
    EXPECT_GT(compared, 60);
}

TEST(Cover, ALargeUnitHasThatOfTheCellsItStandsOnWhicheverSideTheWallIs) {
    for (const int size : {2, 3, 4}) {
        for (const bool north : {true, false}) {
            World world({.width = 60, .height = 40});
            world.edit([&](WorldEdit& e) { e.placeObstacle({10, north ? 20 - 1 : 20 + size, 40, 1}, ObstacleKind::Wall, 3.0f); });
            Query query;
            PathRequest request{.from = {12.0f, 20.0f + 0.5f * static_cast<float>(size)}, .goal = Goal::point({45.0f, 20.0f + 0.5f * static_cast<float>(size)})};
            request.constraints = plainDistance();
            request.constraints.unit_radius = 0.5f * static_cast<float>(size);
            request.constraints.cover_weight = 5.0f;
            Path path;
            ASSERT_EQ(query.findPath(world.snapshot(), request, path), PathStatus::Found);
            EXPECT_EQ(path.cover_percentage, 1.0f) << size << (north ? " north" : " south");
            EXPECT_EQ(path.breakdown.cover, 0u);
            EXPECT_TRUE(path.waypoints.back().has_cover);
            EXPECT_EQ(path.waypoints.back().cover_direction.y < 0.0f, north);
        }
    }
}

TEST(CoverToCover, NoGroundRaisesTheSpeed) {
    World world({.width = 60, .height = 10});
    world.edit([](WorldEdit& e) { e.setTerrain({0, 0, 60, 10}, Terrain::Road); });
    Query query;
    TacticalQuery tactical(query);
    const PathRequest request{.from = mid(2, 5), .goal = Goal::point(mid(52, 5))};
    Path plain, covered;
    ASSERT_EQ(query.findPath(world.snapshot(), request, plain), PathStatus::Found);
    ASSERT_EQ(tactical.findCoverToCoverPath(world.snapshot(), request, covered), PathStatus::Found);
    EXPECT_DOUBLE_EQ(covered.travel_time, plain.travel_time);
}

TEST(CoverToCover, exposes_less_than_the_direct_way_and_pauses_in_cover) {
    const auto world = gunnersField();
    const WorldSnapshot snapshot = world->snapshot();
    Query query;
    TacticalQuery tactics(query);
    Path direct, covered;
    query.findPath(snapshot, {.from = mid(4, 34), .goal = Goal::point(mid(104, 34)), .constraints = plainDistance()}, direct);
    ASSERT_EQ(tactics.findCoverToCoverPath(snapshot, {.from = mid(4, 34), .goal = Goal::point(mid(104, 34))}, covered), PathStatus::Found);
    EXPECT_LT(covered.exposed_length, direct.exposed_length);
    EXPECT_LE(covered.threat_level * covered.length, 0.5 * direct.threat_level * direct.length) << "at most half the threat of the direct one";
    EXPECT_EQ(covered.movement_style, MovementStyle::CoverToCover);
    ASSERT_FALSE(covered.cover_points.empty());
    double pauses = 0.0;
    std::size_t stops = 0;
    for (const Waypoint& w : covered.waypoints) {
        pauses += static_cast<double>(w.pause_duration);
        stops += w.pause_duration > 0.0f ? 1 : 0;
        if (w.pause_duration > 0.0f) {
            EXPECT_TRUE(w.has_cover);
            EXPECT_GE(w.cover_quality, 0.5f);
            EXPECT_EQ(w.pause_duration, 2.0f);
        }
    }
    EXPECT_EQ(stops, covered.cover_points.size());
    EXPECT_GT(covered.travel_time, pauses);
    EXPECT_TRUE(query.validatePath(snapshot, covered, {}).valid);
}

TEST(CoverToCover, sprints_where_it_is_exposed_and_runs_without_threat) {
    const auto world = gunnersField();
    Query query;
    TacticalQuery tactics(query);
    Path path;
    tactics.findCoverToCoverPath(world->snapshot(), {.from = mid(4, 34), .goal = Goal::point(mid(104, 34))}, path);
    bool sprints = false;
    for (const Waypoint& w : path.waypoints) sprints = sprints || w.speed == MovementSpeed::Sprint;
    EXPECT_TRUE(sprints);

    World quiet({.width = 60, .height = 10});
    tactics.findCoverToCoverPath(quiet.snapshot(), {.from = mid(4, 4), .goal = Goal::point(mid(54, 4))}, path);
    EXPECT_TRUE(path.cover_points.empty());
    EXPECT_EQ(path.waypoints.back().speed, MovementSpeed::Run);
    EXPECT_NEAR(path.travel_time, 50.0 / 1.5, 1e-6);
}

TEST(CoverToCover, explicit_weights_win) {
    const PathConstraints wishes{.cover_weight = 0.25f, .doctrine = Doctrine::Stealth};
    const PathConstraints raised = coverToCover(wishes);
    EXPECT_EQ(raised.cover_weight, 0.25f);
    EXPECT_EQ(raised.threat_weight, 10.0f) << "the doctrine's is more than 5";
    EXPECT_EQ(raised.exposure_weight, 10.0f);
}

TEST(NearestCover, faces_the_threat) {
    World world({.width = 60, .height = 60});
    world.edit([](WorldEdit& e) { e.placeObstacle(Cell{30, 30}, ObstacleKind::Rock, 2.0f); });
    Query query;
    TacticalQuery tactics(query);
    const NearestCover north = tactics.nearestCover(world.snapshot(), {.from = mid(30, 20), .threat_direction = {0.0f, -1.0f}, .constraints = plainDistance()});
    ASSERT_EQ(north.status, PathStatus::Found);
    EXPECT_EQ(north.position, mid(30, 31)) << "behind the rock, seen from a threat in the north";
    EXPECT_EQ(north.kind, ObstacleKind::Rock);
    EXPECT_EQ(north.quality, 1.0f);
    EXPECT_EQ(north.cover_direction, (Vec2{0.0f, -1.0f}));
    const NearestCover any = tactics.nearestCover(world.snapshot(), {.from = mid(30, 20), .constraints = plainDistance()});
    EXPECT_EQ(any.position, mid(30, 29));
    const NearestCover none = tactics.nearestCover(world.snapshot(), {.from = mid(30, 20), .threat_direction = {0.0f, -1.0f}, .max_distance = 8.0f});
    EXPECT_EQ(none.status, PathStatus::Unreachable);
}

TEST(NearestCover, a_unit_of_several_cells_stands_beside_what_covers_it) {
    World world({.width = 90, .height = 90});
    world.edit([](WorldEdit& e) { e.placeObstacle({40, 40, 9, 2}, ObstacleKind::Wall, 2.0f); });
    Query query;
    TacticalQuery tactics(query);
    for (const float radius : {0.5f, 1.0f, 1.5f, 2.0f, 3.0f}) {
        SCOPED_TRACE(radius);
        NearestCoverRequest request{.from = {44.0f, 60.0f}, .threat_direction = {0.0f, -1.0f}, .constraints = plainDistance()};
        request.constraints.unit_radius = radius;
        const NearestCover cover = tactics.nearestCover(world.snapshot(), request);
        ASSERT_EQ(cover.status, PathStatus::Found);
        const auto size = std::ceil(2.0f * radius);
        EXPECT_EQ(cover.position.y, 42.0f + size / 2.0f) << "its northern edge at the wall";
        EXPECT_EQ(cover.quality, 1.0f);
        EXPECT_EQ(cover.kind, ObstacleKind::Wall);
        EXPECT_LT(cover.cover_direction.y, -0.7f);
        request.threat_direction = {0.0f, 1.0f};
        const NearestCover north = tactics.nearestCover(world.snapshot(), request);
        ASSERT_EQ(north.status, PathStatus::Found);
        EXPECT_EQ(north.position.y, 40.0f - size / 2.0f) << "behind it, against a threat in the south";
    }
}

TEST(NearestCover, on_ground_that_cannot_be_climbed_costs_one_more_search_not_one_each) {
    World world({.width = 100, .height = 100});
    ASSERT_FALSE(world.edit([](WorldEdit& e) {
        e.setElevation(CellRect{10, 10, 40, 40}, 3.0f);  // one can jump down from it, not get up
        for (int i = 0; i < 8; ++i) e.placeObstacle({12 + 4 * i, 48, 1, 1}, ObstacleKind::Rock, 2.0f);
        e.placeObstacle({30, 85, 1, 1}, ObstacleKind::Rock, 2.0f);
    }).error);
    PathConstraints constraints = plainDistance();
    constraints.max_slope = 30.0f;
    constraints.max_slope_down = 90.0f;
    Query query;
    const NearestCover found = TacticalQuery(query).nearestCover(world.snapshot(), {.from = mid(30, 52), .max_distance = 45.0f, .constraints = constraints});
    ASSERT_EQ(found.status, PathStatus::Found);
    EXPECT_GT(found.position.y, 80.0f);
    EXPECT_LE(found.expansions, 2u * 100u * 100u);
}

TEST(NearestCover, is_the_nearest_by_path_not_by_distance) {
    const auto world = drawnWorld({"....................", "....................", "..########..........", ".........#..........", "....S....#...#......", ".........#..........",
                                   "..########..........", "....................", "....................", "...................."});
    Query query;
    TacticalQuery tactics(query);
    // Cover against the west: east of the wall at x 9 lies 6 m off as the crow flies, but round the wall.
    const NearestCover cover = tactics.nearestCover(world->snapshot(), {.from = mid(11, 4), .threat_direction = {-1.0f, 0.0f}, .constraints = plainDistance()});
    ASSERT_EQ(cover.status, PathStatus::Found);
    EXPECT_EQ(cover.position.x, 10.5f);
    const NearestCover inside = tactics.nearestCover(world->snapshot(), {.from = mid(4, 4), .threat_direction = {-1.0f, 0.0f}, .constraints = plainDistance()});
    ASSERT_EQ(inside.status, PathStatus::Found);
    EXPECT_GT(inside.length, 6.0) << "it has to leave the pocket";
}

TEST(NearestCover, equals_the_cheapest_of_all_candidates_on_random_maps) {
    Query query, twin;
    TacticalQuery tactics(query);
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const auto world = randomField(seed, 70, 70, 4 + static_cast<std::uint32_t>(seed % 12));
        const WorldSnapshot snapshot = world->snapshot();
        Rng rng(seed);
        NearestCoverRequest request{.from = mid(35, 35), .max_distance = 20.0f};
        const int octant = static_cast<int>(rng.below(8));
        request.threat_direction = {static_cast<float>(kStepX[octant]), static_cast<float>(kStepY[octant])};
        if (rng.percent(50)) request.constraints = plainDistance();
        const NearestCover cover = tactics.nearestCover(snapshot, request);
        if (cover.status == PathStatus::StartBlocked) continue;
        Cost cheapest = UINT64_MAX;
        std::vector<CoverCandidate> candidates;
        CoverMap(twin.tiles()).candidates(snapshot, {.from = request.from, .threat_direction = request.threat_direction, .max_distance = 20.0f}, candidates);
        for (const CoverCandidate& candidate : candidates) {
            Path path;
            const PathRequest way{.from = request.from, .goal = Goal::point(centreOf(candidate.cell)), .constraints = request.constraints};
            if (twin.findPath(snapshot, way, path) == PathStatus::Found) cheapest = std::min(cheapest, path.cost);
        }
        ASSERT_EQ(cover.status, cheapest == UINT64_MAX ? PathStatus::Unreachable : PathStatus::Found) << seed;
        if (cover.status != PathStatus::Found) continue;
        EXPECT_EQ(cover.cost, cheapest) << seed;
        ++found;
    }
    EXPECT_GT(found, 30);
}

TEST(FlankingPositions, are_evenly_spaced_and_leave_out_the_unreachable) {
    World world({.width = 100, .height = 100});
    Query query;
    TacticalQuery tactics(query);
    std::vector<Position> positions;
    ASSERT_EQ(tactics.flankingPositions(world.snapshot(), {.target = mid(50, 50), .count = 4}, positions), PathStatus::Found);
    ASSERT_EQ(positions.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        const Position p = positions[i], q = positions[(i + 1) % 4];
        EXPECT_NEAR(std::hypot(p.x - 50.5f, p.y - 50.5f), 30.0f, 1e-4f);
        EXPECT_NEAR(std::hypot(p.x - q.x, p.y - q.y), 30.0f * 1.41421356f, 1e-3f);
    }
    EXPECT_NEAR(positions[1].y, 80.5f, 1e-4f) << "east, then south";
    world.edit([](WorldEdit& e) {
        e.placeObstacle({70, 40, 20, 20}, ObstacleKind::Building, 5.0f);   // around the eastern one, which lies in a closed yard
        e.removeObstacle({78, 48, 5, 5});
    });
    tactics.flankingPositions(world.snapshot(), {.target = mid(50, 50), .count = 4}, positions);
    EXPECT_EQ(positions.size(), 3u);
    world.edit([](WorldEdit& e) { e.placeObstacle({49, 49, 3, 3}, ObstacleKind::Building, 5.0f); });
    tactics.flankingPositions(world.snapshot(), {.target = mid(50, 50), .count = 4}, positions);
    EXPECT_EQ(positions.size(), 3u) << "the target may be a building";
    Error error;
    EXPECT_EQ(tactics.flankingPositions(world.snapshot(), {.target = mid(50, 50), .count = 0}, positions, &error), PathStatus::InvalidArgument);
    EXPECT_EQ(error.field, "count");
}

TEST(Explain, names_the_term_that_makes_a_drawn_route_lose) {
    const auto world = gunnersField();
    const WorldSnapshot snapshot = world->snapshot();
    Query query;
    TacticalQuery tactics(query);
    PathConstraints cautious = plainDistance();
    cautious.threat_weight = 5.0f;
    const std::vector<Position> drawn{mid(4, 34), mid(4, 20), mid(104, 20), mid(104, 34)};
    const RouteExplanation why = tactics.explain(snapshot, drawn, cautious, 0);
    ASSERT_EQ(why.status, PathStatus::Found) << why.error.text();
    EXPECT_GT(why.route.cost, why.best.cost);
    EXPECT_STREQ(why.terms[0].term, "threat");
    EXPECT_NE(why.verdict.find("threat +"), std::string::npos) << why.verdict;
    ASSERT_EQ(why.stretches.size(), 8u);
    Cost sum = 0;
    for (const RouteStretch& s : why.stretches) {
        EXPECT_EQ(s.breakdown.total(), s.cost);
        sum += s.cost;
    }
    EXPECT_EQ(sum, why.route.cost) << "stretches sum to the route";
    EXPECT_EQ(why.route.breakdown.total(), why.route.cost);
}

TEST(Explain, the_best_route_costs_as_little_as_the_best) {
    const auto world = gunnersField();
    Query query;
    TacticalQuery tactics(query);
    Path path;
    query.findPath(world->snapshot(), {.from = mid(4, 34), .goal = Goal::point(mid(104, 34))}, path);
    const RouteExplanation why = tactics.explain(world->snapshot(), path, {}, 0);
    ASSERT_EQ(why.status, PathStatus::Found);
    EXPECT_EQ(why.route.cost, path.cost);
    EXPECT_EQ(why.best.cost, path.cost);
    EXPECT_NE(why.verdict.find("as little as the best"), std::string::npos);
}

TEST(Explain, says_where_a_drawn_route_is_not_legal) {
    const auto world = drawnWorld({"........", "....#...", "........"});
    Query query;
    TacticalQuery tactics(query);
    const std::vector<Position> drawn{mid(0, 1), mid(7, 1)};
    const RouteExplanation why = tactics.explain(world->snapshot(), drawn, {}, 0);
    EXPECT_EQ(why.status, PathStatus::Unreachable);
    EXPECT_EQ(why.validation.first_bad_position, mid(4, 1));
}

TEST(Weights, an_exact_route_takes_in_no_more_of_a_thing_when_its_weight_rises) {
    // Costs are rounded to hundredths, so the amounts are compared as they were priced at the smaller weight, with a tolerance of a hundredth of a
    // metre for each metre.
    Query query;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const auto world = randomField(seed + 1000, 64, 64, 8);
        Rng rng(seed);
        addThreat(*world, {{.id = 1, .position = mid(20 + static_cast<int>(rng.below(24)), 20 + static_cast<int>(rng.below(24))), .range = 25.0f, .firepower = 1.0f}});
        const WorldSnapshot snapshot = world->snapshot();
        for (int term = 0; term < 3; ++term) {
            double last = 1e300;
            for (const float weight : {0.5f, 2.0f, 8.0f, 20.0f}) {
                PathConstraints constraints;
                (term == 0 ? constraints.threat_weight : term == 1 ? constraints.cover_weight : constraints.exposure_weight) = weight;
                Path path;
                if (query.findPath(snapshot, {.from = mid(2, 3), .goal = Goal::point(mid(60, 58)), .constraints = constraints}, path) != PathStatus::Found) break;
                const CostBreakdown& b = path.breakdown;
                const double amount = costInMetres(term == 0 ? b.threat : term == 1 ? b.cover : b.exposure) / static_cast<double>(weight);
                EXPECT_LE(amount, last + 0.01 * path.length / 0.5) << "seed " << seed << " term " << term << " weight " << weight;
                last = amount;
            }
        }
    }
}

TEST(FlankingPositions, an_old_error_does_not_stay) {
    World world({.width = 60, .height = 60});
    Query query;
    TacticalQuery tactics(query);
    std::vector<Position> out;
    Error error;
    EXPECT_EQ(tactics.flankingPositions(world.snapshot(), {.target = {30.5f, 30.5f}, .count = 0}, out, &error), PathStatus::InvalidArgument);
    EXPECT_EQ(error.field, "count");
    EXPECT_EQ(tactics.flankingPositions(world.snapshot(), {.target = {30.5f, 30.5f}, .distance = 10.0f}, out, &error), PathStatus::Found);
    EXPECT_EQ(error, Error{});
}

TEST(NearestCover, a_quality_that_is_no_share_is_refused) {
    World world({.width = 60, .height = 60});
    Query query;
    for (const float quality : {std::numeric_limits<float>::quiet_NaN(), -0.5f, 1.5f}) {
        NearestCoverRequest request{.from = {30.5f, 30.5f}};
        request.least_quality = quality;
        const NearestCover found = TacticalQuery(query).nearestCover(world.snapshot(), request);
        EXPECT_EQ(found.status, PathStatus::InvalidArgument);
        EXPECT_EQ(found.error.field, "least_quality");
    }
}

}  // namespace
}  // namespace warpath
