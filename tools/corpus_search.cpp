// Exact searches under every rule and doctrine, the hierarchy, routes along fields, bounded searches, shapes of goals, several routes, validation.
#include "corpus.h"

namespace warpath::tool {
namespace {

Position randomPosition(Rng& rng, const WorldSnapshot& snapshot) {
    const CellRect bounds = snapshot.bounds();
    const auto x = static_cast<std::int32_t>(rng.below(static_cast<std::uint32_t>(bounds.width)));
    const auto y = static_cast<std::int32_t>(rng.below(static_cast<std::uint32_t>(bounds.height)));
    const auto eighths = static_cast<int>(rng.below(8));
    return {static_cast<float>(bounds.x + x) + static_cast<float>(eighths) / 8.0f, static_cast<float>(bounds.y + y) + 0.5f};
}

void ask(Query& query, Hash64& hash, const Scene& scene, const PathRequest& request) {
    Path path;
    query.findPath(scene.snapshot, request, path);
    addPath(hash, path);
}

struct Named {
    const char* part;
    void (*vary)(Rng& rng, PathRequest& request);
};

constexpr Named kVariants[] = {
    {"astar_strict", [](Rng&, PathRequest&) {}},
    {"astar_never", [](Rng&, PathRequest& r) { r.constraints.diagonal = DiagonalRule::Never; }},
    {"astar_one", [](Rng&, PathRequest& r) { r.constraints.diagonal = DiagonalRule::One; }},
    {"astar_always", [](Rng&, PathRequest& r) { r.constraints.diagonal = DiagonalRule::Always; }},
    {"plain_distance",
     [](Rng&, PathRequest& r) {
         const UnitType unit = r.constraints.unit_type;
         r.constraints = plainDistance();
         r.constraints.unit_type = unit;
     }},
    {"weights",
     [](Rng& rng, PathRequest& r) {
         r.constraints.terrain_weight = static_cast<float>(rng.below(40)) / 8.0f;
         r.constraints.cover_weight = static_cast<float>(rng.below(80)) / 8.0f;
         r.constraints.exposure_weight = static_cast<float>(rng.below(80)) / 8.0f;
         r.constraints.elevation_weight = static_cast<float>(rng.below(80)) / 8.0f;
         r.constraints.threat_weight = static_cast<float>(rng.below(160)) / 8.0f;
     }},
    {"roads",
     [](Rng& rng, PathRequest& r) {
         r.constraints.prefer_roads = rng.percent(70);
         r.constraints.avoid_roads = rng.percent(30);
         r.constraints.avoid_water = rng.percent(50);
     }},
    {"slopes",
     [](Rng& rng, PathRequest& r) {
         r.constraints.max_slope = static_cast<float>(10 + rng.below(50));
         r.constraints.max_slope_down = static_cast<float>(10 + rng.below(70));
     }},
    {"walls",
     [](Rng& rng, PathRequest& r) {
         r.constraints.wall_distance = static_cast<float>(1 + rng.below(6));
         r.constraints.wall_weight = static_cast<float>(1 + rng.below(32)) / 4.0f;
     }},
    {"big_units", [](Rng& rng, PathRequest& r) { r.constraints.unit_radius = 0.5f * static_cast<float>(2 + rng.below(3)); }},
    {"weighted_astar", [](Rng& rng, PathRequest& r) { r.weight = rng.percent(50) ? 1.25f : 2.0f; }},
    {"hierarchy", [](Rng&, PathRequest& r) { r.algorithm = PathAlgorithm::Hierarchical; }},
    {"hierarchy_units",
     [](Rng& rng, PathRequest& r) {
         r.algorithm = PathAlgorithm::Hierarchical;
         r.constraints.unit_radius = 0.5f * static_cast<float>(1 + rng.below(3));
         r.constraints.max_slope = static_cast<float>(10 + rng.below(50));
     }},
    {"along_fields", [](Rng&, PathRequest& r) { r.algorithm = PathAlgorithm::FlowField; }},
    {"goal_shapes",
     [](Rng& rng, PathRequest& r) {
         const Position p = r.goal.centre;
         switch (rng.below(4)) {
             case 0: r.goal = Goal::disc(p, 6.5f); break;
             case 1: r.goal = Goal::ring(p, 8.0f, 12.0f); break;
             case 2: r.goal = Goal::rectangle({cellAt(p).x, cellAt(p).y, 9, 5}); break;
             default: r.goal = Goal::set({p, {p.x + 20.0f, p.y}, {p.x, p.y - 20.0f}}); break;
         }
     }},
    {"limits",
     [](Rng& rng, PathRequest& r) {
         if (rng.percent(50)) {
             r.max_expansions = 1 + rng.below(2000);
         } else {
             r.max_cost = static_cast<double>(1 + rng.below(400));
         }
     }},
    {"partial",
     [](Rng& rng, PathRequest& r) {
         r.allow_partial = true;
         r.ignore_self = rng.percent(50);
         r.ignore_goal = rng.percent(50);
         r.constraints.avoid_water = true;
     }},
};

}  // namespace

PathRequest randomRequest(Rng& rng, const Scene& scene) {
    const auto stand = [&] {
        Position p = randomPosition(rng, scene.snapshot);
        for (int i = 0; i < 6 && obstacleKind(scene.snapshot.obstacleAt(cellAt(p))) != ObstacleKind::None; ++i) p = randomPosition(rng, scene.snapshot);
        return p;
    };
    PathRequest request;
    request.from = stand();
    request.goal = Goal::point(stand());
    request.algorithm = PathAlgorithm::AStar;
    request.constraints.doctrine = static_cast<Doctrine>(rng.below(4));
    request.constraints.unit_type = static_cast<UnitType>(rng.below(6));
    request.side = static_cast<int>(rng.below(2));
    return request;
}

void addSearchParts(Corpus& corpus) {
    for (const Named& variant : kVariants) {
        for (const Scene& scene : corpus.scenes()) {
            for (int i = 0; i < corpus.count(16); ++i) {
                corpus.add(variant.part, [&scene, &variant, i](Query& query, Hash64& hash) {
                    Rng rng(static_cast<std::uint64_t>(i) * 7919 + 13);
                    PathRequest request = randomRequest(rng, scene);
                    variant.vary(rng, request);
                    ask(query, hash, scene, request);
                });
            }
        }
    }
    for (const Scene& scene : corpus.scenes()) {
        for (int i = 0; i < corpus.count(8); ++i) {
            corpus.add("multi_path", [&scene, i](Query& query, Hash64& hash) {
                Rng rng(static_cast<std::uint64_t>(i) * 104729 + 7);
                MultiPathRequest request;
                request.path = randomRequest(rng, scene);
                request.max_paths = 2 + static_cast<int>(rng.below(3));
                std::vector<Path> paths;
                hash.add(static_cast<std::uint64_t>(query.findAllPaths(scene.snapshot, request, paths)));
                for (const Path& path : paths) addPath(hash, path);
            });
            corpus.add("automatic", [&scene, i](Query& query, Hash64& hash) {
                Rng rng(static_cast<std::uint64_t>(i) * 15485863 + 3);
                PathRequest request = randomRequest(rng, scene);
                request.algorithm = PathAlgorithm::Auto;
                ask(query, hash, scene, request);
            });
        }
    }
    // Routes of the untouched town, validated after each round of damage.
    const auto& scenes = corpus.scenes();
    for (std::size_t before = 0; before < scenes.size(); ++before) {
        if (scenes[before].name != "town") continue;
        for (std::size_t after = before + 1; after < scenes.size(); ++after) {
            for (int i = 0; i < corpus.count(12); ++i) {
                corpus.add("validate", [&scenes, before, after, i](Query& query, Hash64& hash) {
                    Rng rng(static_cast<std::uint64_t>(i) * 31337 + 1);
                    const PathRequest request = randomRequest(rng, scenes[before]);
                    Path path;
                    query.findPath(scenes[before].snapshot, request, path);
                    const PathValidation found = query.validatePath(scenes[after].snapshot, path, request.constraints);
                    hash.add(std::uint64_t{found.valid});
                    hash.add(std::uint64_t{found.first_bad});
                    addFloat(hash, found.first_bad_position.x);
                    addFloat(hash, found.first_bad_position.y);
                    hash.add(static_cast<std::uint64_t>(query.reachable(scenes[after].snapshot, request.from, request.goal.centre, request.constraints)));
                });
            }
        }
    }
}

}  // namespace warpath::tool
