#include "warpath/pathfinder/route_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "support/drawn_map.h"
#include "support/slow_grid.h"
#include "warpath/core/directions.h"
#include "warpath/pathfinder/query.h"
#include "warpath/tactical/threat_map.h"

namespace warpath {
namespace {

struct Watching {
    World world{{.width = 80, .height = 60}};
    Query query;
    RouteWatch watch{query.tiles()};
    std::vector<RouteEvent> events;

    Path follow(RouteId id, Position from, Position to, const PathConstraints& constraints = plainDistance()) {
        Path path;
        EXPECT_EQ(query.findPath(world.snapshot(), {.from = from, .goal = Goal::point(to), .constraints = constraints}, path), PathStatus::Found);
        EXPECT_TRUE(watch.subscribe(id, world.snapshot(), path, constraints, 0));
        return path;
    }
    void edit(const std::function<void(WorldEdit&)>& change) {
        const EditResult done = world.edit(change);
        ASSERT_FALSE(done.error);
        events.clear();
        watch.changed(done.snapshot, done.changed, events);
    }
};

TEST(RouteWatch, a_wall_across_one_route_blocks_that_one_and_names_the_place) {
    Watching w;
    w.follow(1, mid(5, 10), mid(70, 10));
    w.follow(2, mid(5, 40), mid(70, 40));
    w.edit([](WorldEdit& e) { e.placeObstacle({30, 5, 1, 10}, ObstacleKind::Wall, 3.0f); });
    ASSERT_EQ(w.events.size(), 1u);
    EXPECT_EQ(w.events[0].id, 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::Blocked);
    EXPECT_EQ(w.events[0].first_bad_position, mid(30, 10));
    EXPECT_EQ(w.events[0].revision, w.world.snapshot().revision());
    w.edit([](WorldEdit& e) { e.placeObstacle({32, 5, 1, 10}, ObstacleKind::Wall, 3.0f); });
    EXPECT_TRUE(w.events.empty()) << "told once";
    w.edit([](WorldEdit& e) { e.removeObstacle({30, 5, 3, 10}); });
    ASSERT_EQ(w.events.size(), 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::MayImprove) << "it is legal again";
}

TEST(RouteWatch, a_building_over_the_cell_that_a_route_begins_in_blocks_it) {
    Watching w;
    w.follow(1, mid(5, 10), mid(70, 10));
    w.edit([](WorldEdit& e) { e.placeObstacle({4, 9, 2, 3}, ObstacleKind::Building, 3.0f); });
    ASSERT_EQ(w.events.size(), 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::Blocked);
    EXPECT_EQ(w.events[0].first_bad, 0u);
    EXPECT_EQ(w.events[0].first_bad_position, mid(5, 10));
}

TEST(RouteWatch, swamp_on_the_way_is_dearer_by_its_share) {
    Watching w;
    w.follow(1, mid(5, 10), mid(45, 10));
    w.edit([](WorldEdit& e) { e.setTerrain({20, 8, 10, 5}, Terrain::Swamp); });
    ASSERT_EQ(w.events.size(), 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::Dearer);
    EXPECT_NEAR(w.events[0].percent, 50.0, 1e-9) << "ten of forty metres at three times the cost";
    w.edit([](WorldEdit& e) { e.setTerrain({41, 10, 1, 1}, Terrain::Forest); });
    EXPECT_TRUE(w.events.empty()) << "less than five per cent";
}

TEST(RouteWatch, a_wall_that_falls_may_improve_only_what_it_can_lie_on_the_way_of) {
    Watching w;
    w.edit([](WorldEdit& e) { e.placeObstacle({30, 0, 1, 30}, ObstacleKind::Wall, 3.0f); });
    w.follow(1, mid(25, 10), mid(35, 10));   // has to go round the wall's end
    w.follow(2, mid(5, 55), mid(12, 55));    // far off
    w.edit([](WorldEdit& e) { e.removeObstacle({30, 9, 1, 3}); });
    ASSERT_EQ(w.events.size(), 1u);
    EXPECT_EQ(w.events[0].id, 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::MayImprove);
}

TEST(RouteWatch, threat_that_rises_concerns_those_who_price_it) {
    Watching w;
    PathConstraints cautious;
    cautious.doctrine = Doctrine::Cautious;
    w.follow(1, mid(5, 10), mid(70, 10), cautious);
    w.follow(2, mid(5, 10), mid(70, 10));
    ThreatMap threat(w.world.snapshot(), 0, {});
    ASSERT_FALSE(threat.addThreatSource({.id = 1, .position = mid(40, 12), .range = 30.0f, .firepower = 1.0f}));
    threat.finish();
    w.edit([&](WorldEdit& e) { threat.publish(e); });
    ASSERT_FALSE(w.events.empty());
    EXPECT_EQ(w.events[0].id, 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::Dearer);
    for (const RouteEvent& e : w.events) EXPECT_EQ(e.id, 1u);
}

TEST(RouteWatch, what_eases_without_a_cheaper_route_is_not_told) {
    Watching w;
    w.world.edit([](WorldEdit& e) { e.setTerrain({0, 0, 80, 2}, Terrain::Road); });  // halves the price that a bound may count on
    w.follow(1, mid(10, 30), mid(60, 30));
    w.edit([](WorldEdit& e) { e.setTerrain({33, 20, 4, 2}, Terrain::Road); });  // 10 m off, 4 m long
    EXPECT_TRUE(w.events.empty());
    w.edit([](WorldEdit& e) { e.setTerrain({11, 29, 48, 1}, Terrain::Road); });
    ASSERT_EQ(w.events.size(), 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::MayImprove);
    w.watch.subscribe(2, w.world.snapshot(), w.follow(3, mid(10, 30), mid(60, 30)), plainDistance(), 0);
    w.edit([](WorldEdit& e) { e.setTerrain({20, 40, 8, 8}, Terrain::Road); });
    for (const RouteEvent& event : w.events) EXPECT_EQ(event.id, 1u) << "the old one still costs more than the best";
}

TEST(RouteWatch, a_way_that_is_cheaper_than_the_route_has_become_is_told_though_the_route_once_cost_less) {
    Watching w;
    w.edit([](WorldEdit& e) { e.placeObstacle({30, 11, 1, 20}, ObstacleKind::Wall, 3.0f); });
    w.follow(1, mid(0, 10), mid(59, 10));
    w.edit([](WorldEdit& e) { e.setTerrain({30, 10, 1, 1}, Terrain::Swamp); });
    w.edit([](WorldEdit& e) { e.placeObstacle({30, 0, 1, 10}, ObstacleKind::Wall, 3.0f); });  // no way round it any more
    EXPECT_TRUE(w.events.empty()) << "a growth of 3.4 per cent is not told";
    w.edit([](WorldEdit& e) { e.removeObstacle({30, 11, 1, 1}); });  // 59.83 beside the 61 of the route, which once cost 59
    ASSERT_EQ(w.events.size(), 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::MayImprove);
    EXPECT_EQ(w.events[0].cost, Cost{61} * 40800);
}

TEST(RouteWatch, a_better_way_is_told_once_and_again_when_it_has_been_lost_in_between) {
    Watching w;
    const auto told = [&] { return w.events.size(); };
    w.world.edit([](WorldEdit& e) { e.placeObstacle({40, 0, 1, 50}, ObstacleKind::Wall, 3.0f); });
    w.follow(1, mid(20, 20), mid(60, 20));
    const auto open = [](WorldEdit& e) { e.removeObstacle({40, 20, 1, 1}); };
    w.edit(open);
    EXPECT_EQ(told(), 1u);
    w.edit([](WorldEdit& e) { e.removeObstacle({40, 5, 1, 1}); });
    EXPECT_EQ(told(), 0u) << "a second gap, and the best way is the one that was told";
    w.edit([](WorldEdit& e) { e.placeObstacle({40, 20, 1, 1}, ObstacleKind::Wall, 3.0f); });
    EXPECT_EQ(told(), 0u);
    w.edit(open);
    ASSERT_EQ(told(), 1u) << "open again";
    EXPECT_EQ(w.events[0].kind, RouteEventKind::MayImprove);
    w.edit([](WorldEdit& e) { e.setTerrain({60, 20, 1, 1}, Terrain::Road); });
    EXPECT_EQ(told(), 1u) << "both ways end on the road, so the best has become cheaper";
    w.edit([](WorldEdit& e) { e.setTerrain({40, 51, 1, 3}, Terrain::Swamp); e.setTerrain({30, 54, 1, 1}, Terrain::Road); });
    EXPECT_EQ(told(), 0u) << "the route has become dearer, the best way is as it was";
}

TEST(RouteWatch, a_route_that_was_never_the_best_is_told_only_of_what_improves_the_best) {
    Watching w;
    w.world.edit([](WorldEdit& e) {
        e.placeObstacle({40, 0, 1, 30}, ObstacleKind::Wall, 3.0f);
        e.placeObstacle({30, 30, 3, 3}, ObstacleKind::Wall, 3.0f);
    });
    Path round, half;
    ASSERT_EQ(w.query.findPath(w.world.snapshot(), {.from = mid(20, 20), .goal = Goal::point(mid(40, 50)), .constraints = plainDistance()}, round), PathStatus::Found);
    ASSERT_EQ(w.query.findPath(w.world.snapshot(), {.from = mid(40, 50), .goal = Goal::point(mid(60, 20)), .constraints = plainDistance()}, half), PathStatus::Found);
    round.cells.insert(round.cells.end(), half.cells.begin() + 1, half.cells.end());
    round.cost += half.cost;
    ASSERT_TRUE(w.watch.subscribe(1, w.world.snapshot(), round, plainDistance(), 0));
    w.edit([](WorldEdit& e) { e.removeObstacle({30, 30, 3, 3}); });
    EXPECT_TRUE(w.events.empty()) << "the best way is as long as before";
    w.edit([](WorldEdit& e) { e.removeObstacle({40, 20, 1, 1}); });
    ASSERT_EQ(w.events.size(), 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::MayImprove);
}

TEST(RouteWatch, growth_is_counted_from_what_was_last_told_after_small_falls) {
    Watching w;
    w.follow(1, mid(0, 10), mid(59, 10));
    w.edit([](WorldEdit& e) { e.setTerrain({2, 0, 5, 60}, Terrain::Road); });  // 56.5: 4.2 per cent less
    w.edit([](WorldEdit& e) { e.setTerrain({30, 0, 1, 60}, Terrain::Swamp); e.setTerrain({40, 0, 1, 60}, Terrain::Swamp); });
    EXPECT_TRUE(w.events.empty()) << "60.5 is 2.5 per cent more than the 59 that were told";
    w.edit([](WorldEdit& e) { e.setTerrain({50, 0, 1, 60}, Terrain::Swamp); });
    ASSERT_EQ(w.events.size(), 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::Dearer);
    EXPECT_NEAR(w.events[0].percent, 100.0 * 3.5 / 59.0, 1e-9);
}

TEST(RouteWatch, a_refused_subscription_leaves_the_route_that_had_its_id) {
    Watching w;
    const Path path = w.follow(1, mid(10, 30), mid(60, 30));
    PathConstraints wrong = plainDistance();
    wrong.unit_radius = -1.0f;
    EXPECT_FALSE(w.watch.subscribe(1, w.world.snapshot(), path, wrong, 0));
    EXPECT_FALSE(w.watch.subscribe(1, w.world.snapshot(), path, plainDistance(), kMaxSides));
    EXPECT_FALSE(w.watch.subscribe(1, w.world.snapshot(), {}, plainDistance(), 0));
    w.edit([](WorldEdit& e) { e.placeObstacle({30, 0, 2, 60}, ObstacleKind::Wall, 3.0f); });
    ASSERT_EQ(w.events.size(), 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::Blocked);
}

TEST(RouteWatch, areas_invalidate_exactly_the_routes_that_enter_them) {
    Watching w;
    w.follow(1, mid(5, 10), mid(70, 10));
    w.follow(2, mid(5, 40), mid(70, 40));
    std::vector<RouteId> ids;
    w.watch.routesIn({20, 11, 5, 5}, ids);
    EXPECT_TRUE(ids.empty());
    w.watch.invalidatePathsInArea({20, 8, 5, 5}, ids);
    EXPECT_EQ(ids, (std::vector<RouteId>{1}));
    EXPECT_EQ(w.watch.size(), 1u);
}

TEST(RouteWatch, grass_that_turns_to_road_far_off_the_way_is_not_told) {
    Watching w;
    w.world.edit([](WorldEdit& e) { e.setTerrain({0, 0, 80, 2}, Terrain::Road); });  // the smallest price, half of grass
    w.follow(1, mid(20, 50), mid(40, 50));                                            // 20 m of grass: at 0.5 a detour of 40 m at most
    w.edit([](WorldEdit& e) { e.setTerrain({28, 25, 4, 2}, Terrain::Road); });
    EXPECT_TRUE(w.events.empty());
    w.edit([](WorldEdit& e) { e.setTerrain({28, 48, 4, 2}, Terrain::Road); });
    ASSERT_EQ(w.events.size(), 1u);
    EXPECT_EQ(w.events[0].kind, RouteEventKind::MayImprove);
    w.edit([](WorldEdit& e) { e.setTerrain({28, 48, 4, 2}, Terrain::Swamp); });
    for (const RouteEvent& event : w.events) EXPECT_NE(event.kind, RouteEventKind::MayImprove) << "it got dearer";
}

TEST(RouteWatch, a_limit_of_cells_spreads_the_look_over_calls_and_tells_the_same) {
    Query query;
    const auto world = randomField(4, 120, 120, 8);
    RouteWatch whole(query.tiles()), sliced(query.tiles(), {.max_cells_per_call = 150});
    Rng rng(5);
    for (RouteId id = 0; id < 30; ++id) {
        Path path;
        const auto at = [&] { return mid(static_cast<int>(rng.below(120)), static_cast<int>(rng.below(120))); };
        const PathRequest request{.from = at(), .goal = Goal::point(at())};
        if (query.findPath(world->snapshot(), request, path) != PathStatus::Found) continue;
        whole.subscribe(id, world->snapshot(), path, {}, 0);
        sliced.subscribe(id, world->snapshot(), path, {}, 0);
    }
    std::size_t told = 0, calls = 0;
    for (int round = 0; round < 10; ++round) {
        const CellRect rect{static_cast<int>(rng.below(110)), static_cast<int>(rng.below(110)), 8, 3};
        const EditResult done = world->edit([&](WorldEdit& e) {
            if (round % 3 != 2) e.placeObstacle(rect, ObstacleKind::Building, 4.0f);
            else e.removeObstacle(rect);
        });
        std::vector<RouteEvent> at_once, in_slices;
        EXPECT_TRUE(whole.changed(done.snapshot, done.changed, at_once));
        bool settled = sliced.changed(done.snapshot, done.changed, in_slices);
        for (; !settled; ++calls) settled = sliced.changed(done.snapshot, {}, in_slices);
        std::stable_sort(in_slices.begin(), in_slices.end(), [](const RouteEvent& a, const RouteEvent& b) { return a.id < b.id; });
        ASSERT_EQ(at_once.size(), in_slices.size());
        for (std::size_t i = 0; i < at_once.size(); ++i) {
            EXPECT_EQ(at_once[i].id, in_slices[i].id);
            EXPECT_EQ(at_once[i].kind, in_slices[i].kind);
            EXPECT_EQ(at_once[i].cost, in_slices[i].cost);
        }
        told += at_once.size();
    }
    EXPECT_GT(told, 10u);
    EXPECT_GT(calls, 10u);
}

TEST(RouteWatch, edits_while_a_look_is_under_way_are_not_lost) {
    Query query;
    World world({.width = 100, .height = 100});
    RouteWatch watch(query.tiles(), {.max_cells_per_call = 1});
    for (RouteId id = 0; id < 9; ++id) {
        Path path;
        const int y = 5 + static_cast<int>(id) * 10;
        ASSERT_EQ(query.findPath(world.snapshot(), {.from = mid(5, y), .goal = Goal::point(mid(90, y)), .constraints = plainDistance()}, path), PathStatus::Found);
        ASSERT_TRUE(watch.subscribe(id, world.snapshot(), path, plainDistance(), 0));
    }
    std::vector<RouteEvent> events;
    const EditResult first = world.edit([](WorldEdit& e) { e.placeObstacle({40, 0, 1, 50}, ObstacleKind::Wall, 3.0f); });
    EXPECT_FALSE(watch.changed(first.snapshot, first.changed, events));
    const EditResult second = world.edit([](WorldEdit& e) { e.placeObstacle({60, 50, 1, 50}, ObstacleKind::Wall, 3.0f); });
    bool settled = watch.changed(second.snapshot, second.changed, events);
    for (int calls = 0; !settled && calls < 100; ++calls) settled = watch.changed(second.snapshot, {}, events);
    EXPECT_TRUE(settled);
    std::vector<RouteId> blocked;
    for (const RouteEvent& event : events) {
        if (event.kind == RouteEventKind::Blocked) blocked.push_back(event.id);
    }
    std::sort(blocked.begin(), blocked.end());
    EXPECT_EQ(blocked, (std::vector<RouteId>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(RouteWatch, snapshots_are_let_go_though_a_look_never_catches_up) {
    Query query;
    World world({.width = 100, .height = 100});
    RouteWatch watch(query.tiles(), {.max_cells_per_call = 1});
    constexpr int kRoutes = 9;
    for (int id = 0; id < kRoutes; ++id) {
        Path path;
        const Position from = mid(5, 5 + id * 10), to = mid(90, 5 + id * 10);
        ASSERT_EQ(query.findPath(world.snapshot(), {.from = from, .goal = Goal::point(to), .constraints = plainDistance()}, path), PathStatus::Found);
        ASSERT_TRUE(watch.subscribe(static_cast<RouteId>(id), world.snapshot(), path, plainDistance(), 0));
    }
    std::vector<std::weak_ptr<const WorldState>> seen;
    std::vector<RouteEvent> events;
    for (int round = 0; round < 100; ++round) {
        const EditResult done = world.edit([&](WorldEdit& e) { e.setTerrain({round, 99, 1, 1}, Terrain::Swamp); });
        const auto state = std::make_shared<const WorldState>(done.snapshot.state());
        seen.push_back(state);
        EXPECT_FALSE(watch.changed(WorldSnapshot(state), done.changed, events)) << "an edit a call, and a call looks at one route";
    }
    const auto alive = std::count_if(seen.begin(), seen.end(), [](const auto& state) { return !state.expired(); });
    EXPECT_LE(alive, 2 * kRoutes);
}

TEST(RouteWatch, on_random_edits_its_events_are_those_of_a_fresh_look) {
    Query query, fresh;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const auto world = randomField(seed, 90, 90, 8);
        Rng rng(seed);
        RouteWatch watch(query.tiles(), {.dearer_percent = 0.0});
        std::vector<Path> paths;
        std::vector<Cost> costs;
        std::vector<bool> blocked;
        PathConstraints constraints;
        for (RouteId id = 0; id < 12; ++id) {
            Path path;
            const auto at = [&] { return mid(static_cast<int>(rng.below(90)), static_cast<int>(rng.below(90))); };
            const PathRequest request{.from = at(), .goal = Goal::point(at()), .constraints = constraints};
            if (query.findPath(world->snapshot(), request, path) != PathStatus::Found) continue;
            watch.subscribe(paths.size(), world->snapshot(), path, constraints, 0);
            costs.push_back(path.cost);
            blocked.push_back(false);
            paths.push_back(path);
        }
        for (int round = 0; round < 12; ++round) {
            const auto coordinate = [&] { return static_cast<int>(rng.below(86)); };
            const CellRect rect{coordinate(), coordinate(), 1 + static_cast<int>(rng.below(4)), 1 + static_cast<int>(rng.below(4))};
            const EditResult done = world->edit([&](WorldEdit& e) {
                if (rng.percent(60)) {
                    e.placeObstacle(rect, ObstacleKind::Building, 4.0f);
                } else {
                    e.removeObstacle(rect);
                }
            });
            std::vector<RouteEvent> events;
            watch.changed(done.snapshot, done.changed, events);
            for (std::size_t i = 0; i < paths.size(); ++i) {
                const auto told = [&](RouteEventKind kind) {
                    return std::any_of(events.begin(), events.end(), [&](const RouteEvent& e) { return e.id == i && e.kind == kind; });
                };
                PathValidation now = fresh.validatePath(done.snapshot, paths[i], constraints);
                // Validation leaves it to the unit whether it can stand where it begins; a watched route that began on free ground is told.
                now.valid = now.valid && obstacleKind(done.snapshot.obstacleAt(paths[i].cells.front())) == ObstacleKind::None;
                EXPECT_EQ(told(RouteEventKind::Blocked), !now.valid && !blocked[i]) << "seed " << seed << " round " << round << " route " << i;
                const bool was_blocked = blocked[i];
                blocked[i] = !now.valid;
                if (!now.valid) continue;
                // Told when a route costs less than this one and something became cheaper; never told when none does.
                Path best;
                fresh.findPath(done.snapshot, {.from = centreOf(paths[i].cells.front()), .goal = Goal::point(centreOf(paths[i].cells.back())), .constraints = constraints}, best);
                ASSERT_TRUE(best.hasRoute());
                for (const RouteEvent& e : events) {
                    if (e.id == i && e.kind == RouteEventKind::MayImprove && !was_blocked) {
                        EXPECT_LT(best.cost, e.cost) << "seed " << seed << " round " << round << " route " << i;
                    }
                }
                if (!was_blocked && best.cost < costs[i] && !told(RouteEventKind::MayImprove)) {  // then the route itself is as cheap
                    const twin::SlowGrid grid(done.snapshot, constraints);
                    Cost own = 0;
                    for (std::size_t k = 1; k < paths[i].cells.size(); ++k) {
                        const Cell from = paths[i].cells[k - 1], to = paths[i].cells[k];
                        own += grid.stepCost(from.x, from.y, directionOf(to.x - from.x, to.y - from.y));
                    }
                    EXPECT_EQ(own, best.cost) << "seed " << seed << " round " << round << " route " << i;
                }
                costs[i] = best.cost;  // the best before the next edit
            }
        }
    }
}

}  // namespace
}  // namespace warpath
