#include "navmesh_part.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "report.h"
#include "warpath/core/number_text.h"
#include "warpath/nav_backend/nav_backend.h"
#include "warpath/navmesh/nav_reader.h"
#include "warpath/navmesh/nav_world.h"

namespace warpath::tool {
namespace {

constexpr Colour kGround{70, 140, 205};
constexpr Colour kEdge{35, 85, 150};
constexpr Colour kWall{25, 25, 45};
constexpr Colour kBorder{225, 95, 20};

/// Names the argument in place of the configuration's key.
Refusal refusalOf(Error error) {
    if (error.field == "navmesh.cell_size") error.field = "--cell-size";
    if (error.field == "navmesh.agent_radius") error.field = "--agent-radius";
    return Refusal(error);
}

NavWorldConfig wholeMap(const WorldSnapshot& snapshot, const NavConfig& mesh) {
    NavWorldConfig config;
    config.agents = {{"tool", mesh}};
    config.load_all = true;
    config.max_loaded_chunks = std::max(1, std::min(16384, snapshot.chunkColumns() * snapshot.chunkRows()));
    return config;
}

/// The whole map as one mesh, built here and now.
std::unique_ptr<NavWorld> meshOf(const WorldSnapshot& snapshot, const NavConfig& mesh) {
    auto made = NavWorld::create(snapshot, wholeMap(snapshot, mesh));
    if (const Error* error = std::get_if<Error>(&made)) throw refusalOf(*error);
    auto nav = std::move(std::get<std::unique_ptr<NavWorld>>(made));
    nav->finish(snapshot);
    return nav;
}

void drawMesh(MapPicture& picture, const NavReader& reader, const NavConfig& config) {
    const CellRect& area = picture.area();
    const Position low{static_cast<float>(area.x), static_cast<float>(area.y)};
    const Position high{low.x + static_cast<float>(area.width), low.y + static_cast<float>(area.height)};
    std::vector<std::uint8_t> ground(static_cast<std::size_t>(area.width) * static_cast<std::size_t>(area.height));
    const auto cellOf = [&](int x, int y) -> std::uint8_t& {
        return ground[static_cast<std::size_t>(y - area.y) * static_cast<std::size_t>(area.width) + static_cast<std::size_t>(x - area.x)];
    };
    reader.forEachTile(0, [&](const NavTile& tile, Position origin) {
        const auto size = static_cast<int>(tile.size);
        const CellRect shown = intersect({static_cast<int>(tile.left() + origin.x), static_cast<int>(tile.top() + origin.y), size, size}, area);
        for (int y = shown.y; y < shown.y + shown.height; ++y) {
            for (int x = shown.x; x < shown.x + shown.width; ++x) {
                cellOf(x, y) = tile.polygonAt({static_cast<float>(x) + 0.5f - origin.x, static_cast<float>(y) + 0.5f - origin.y}) >= 0;
            }
        }
    });
    picture.drawColours(0.45f, [&](Cell c) { return cellOf(c.x, c.y) != 0 ? std::optional(kGround) : std::nullopt; });
    const float thick = std::clamp(0.18f * picture.pixelsPerCell(), 0.8f, 2.0f);
    reader.forEachTile(0, [&](const NavTile& tile, Position origin) {
        const Position corner{tile.left() + origin.x, tile.top() + origin.y};
        if (corner.x > high.x || corner.y > high.y || corner.x + tile.size < low.x || corner.y + tile.size < low.y) return;
        for (const NavPolygon& p : tile.polygons) {
            for (int k = 0; k < p.corners; ++k) {
                const Vec2 &a = tile.corner(p, k), &b = tile.corner(p, (k + 1) % p.corners);
                const bool wall = p.beyond[static_cast<std::size_t>(k)] == NavPolygon::kWall;
                picture.drawLine({a.x + origin.x, a.y + origin.y}, {b.x + origin.x, b.y + origin.y}, wall ? thick : 0.6f * thick, wall ? kWall : kEdge,
                                 wall ? 0.9f : 0.55f);
            }
        }
        picture.drawLine(corner, {corner.x + tile.size, corner.y}, 0.8f * thick, kBorder, 0.7f);
        picture.drawLine(corner, {corner.x, corner.y + tile.size}, 0.8f * thick, kBorder, 0.7f);
    });
    picture.addLegend(kGround, "mesh");
    picture.addLegend(kEdge, "edge between polygons");
    picture.addLegend(kWall, "wall of the mesh");
    picture.addLegend(kBorder, "border of a tile");
    char text[96];
    std::snprintf(text, sizeof text, "cell size %g m, radius %g m, slope %g deg", static_cast<double>(config.cell_size),
                  static_cast<double>(config.agent_radius), static_cast<double>(config.max_slope));
    picture.addNote(text);
}

const char* nameOf(NavSearch search) {
    switch (search) {
        case NavSearch::Auto: return "auto";
        case NavSearch::Exact: return "exact";
        case NavSearch::Weighted: return "weighted";
        case NavSearch::Detour: return "detour";
    }
    return "unknown";
}

Json pathJson(const NavPath& path, double microseconds, std::uint64_t revision) {
    Json json;
    json["status"] = toString(toPathStatus(path.status));
    json["cost"] = exact(path.cost);
    json["length"] = exact(path.length);
    json["algorithm"] = toString(PathAlgorithm::NavMesh);
    json["search"] = nameOf(path.search);
    json["expansions"] = path.expansions;
    json["microseconds"] = rounded(microseconds, 3);
    json["revision"] = revision;
    json["waypoints"] = Json::array();
    for (const Position p : path.points) json["waypoints"].push_back({exact(p.x), exact(p.y)});
    json["start_moved"] = path.start_moved;
    json["goal_moved"] = path.goal_moved;
    return json;
}

void printPath(const NavPath& path, double microseconds) {
    if (path.points.empty()) {
        std::printf("no way: %s (%u polygons opened, %.1f us)\n", toString(toPathStatus(path.status)), path.expansions, microseconds);
        return;
    }
    std::printf("way: %s by the %s search, length %.2f m, cost %.2f, %u polygons opened, %.1f us\n", toString(toPathStatus(path.status)), nameOf(path.search),
                static_cast<double>(path.length), static_cast<double>(path.cost), path.expansions, microseconds);
    if (path.start_moved || path.goal_moved) std::printf("moved onto the mesh:%s%s\n", path.start_moved ? " start" : "", path.goal_moved ? " goal" : "");
    for (const Position p : path.points) std::printf(" %g,%g", static_cast<double>(p.x), static_cast<double>(p.y));
    std::puts("");
}

}  // namespace

int runNavmesh(const NavmeshArguments& arguments) {
    const NavConfig config{.cell_size = arguments.cell_size, .agent_radius = arguments.agent_radius};
    if (auto error = check(config)) throw refusalOf(*error);
    const bool asks = !arguments.from.empty() || !arguments.to.empty();
    if (asks && arguments.from.empty()) throw Refusal("--from", "missing", "give both ends, or neither to build the mesh only");
    if (asks && arguments.to.empty()) throw Refusal("--to", "missing", "give both ends, or neither to build the mesh only");
    NavQuery query;
    if (asks) {
        query.from = parsePosition("--from", arguments.from);
        query.to = parsePosition("--to", arguments.to);
    }
    const LoadedMap loaded = arguments.map.load();
    const WorldSnapshot snapshot = loaded.world->snapshot();
    for (const auto& [name, p] : {std::pair{"--from", query.from}, {"--to", query.to}}) {
        if (!asks) continue;
        if (const auto off = offMap(name, p, snapshot)) throw Refusal(*off);
    }
    const auto nav = meshOf(snapshot, config);
    const NavReader reader(*nav);
    const NavStats stats = nav->stats();
    const double tiles = static_cast<double>(std::max<std::size_t>(stats.tiles, 1));

    NavPath path;
    double microseconds = 0.0;
    if (asks) {
        NavReader asking(*nav);
        const auto begin = std::chrono::steady_clock::now();
        asking.findPath(query, path);
        microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    }
    if (!arguments.png.empty()) {
        MapView view{.title = loaded.name + ": navmesh"};
        if (asks) {
            std::vector<Position> around = path.points;
            around.push_back(query.from);
            around.push_back(query.to);
            view.area = areaAround(snapshot, around);
        }
        MapPicture picture(snapshot, view);
        picture.drawTerrain();
        drawMesh(picture, reader, config);
        if (!path.points.empty()) {
            char caption[64];
            std::snprintf(caption, sizeof caption, "%.1f m", static_cast<double>(path.length));
            picture.drawRoute(path.points, caption);
        } else if (asks) {
            picture.drawCross(query.from, "start");
            picture.drawCross(query.to, "goal");
        }
        orRefuse(picture.writePng(arguments.png));
    }
    if (arguments.json) {
        Json json;
        json["tiles"] = stats.tiles;
        json["polygons"] = stats.polygons;
        json["build_ms_per_tile"] = rounded(stats.build_ms / tiles, 4);
        json["bytes_per_tile"] = rounded(static_cast<double>(stats.bytes) / tiles, 0);
        if (asks) json["path"] = pathJson(path, microseconds, snapshot.revision());
        std::puts(json.dump().c_str());
    } else {
        std::printf("%zu tiles (%zu without ground), %zu polygons, %.3f ms and %.0f bytes a tile\n", stats.tiles, stats.empty_tiles, stats.polygons,
                    stats.build_ms / tiles, static_cast<double>(stats.bytes) / tiles);
        std::puts(survey(snapshot, config).text().c_str());
        if (asks) printPath(path, microseconds);
    }
    return !asks || path.status == NavStatus::Complete ? kDone : kAnswerIsNo;
}

void drawNavmeshLayer(MapPicture& picture, const LayerSource& source) {
    const NavConfig config{.agent_radius = 0.5f * static_cast<float>(source.constraints.metric.profile.size)};
    const auto nav = meshOf(source.snapshot, config);
    drawMesh(picture, NavReader(*nav), config);
}

RouteBackendFactory navmeshFactory() { return navBackendFactory(); }

std::unique_ptr<ClassicPathfinder> navmeshPathfinder(const WorldSnapshot& snapshot, const PathConstraints& constraints) {
    const ResolvedConstraints resolved = orRefuse(resolve(constraints, snapshot.rules()));
    // The mesh knows one limit for both ways: the stricter, so that the grid allows every step of what it draws.
    NavConfig mesh{.agent_radius = 0.5f * static_cast<float>(resolved.metric.profile.size), .max_climb = 1000.0f};
    mesh.max_slope = std::min(constraints.max_slope, constraints.max_slope_down.value_or(constraints.max_slope));
    const auto backend = orRefuse(makeNavBackend(snapshot, wholeMap(snapshot, mesh)));
    do {
        backend->update(snapshot);
    } while (backend->stats().waiting > 0);
    return std::make_unique<ClassicPathfinder>(PathfinderContext{.tiles = std::make_shared<TileStore>(), .rules = {}, .backend = backend});
}

std::string whyOffMesh(DrawOutcome outcome, const PathRequest& request, const Path& path, const WorldSnapshot& snapshot) {
    const ResolvedConstraints resolved = orRefuse(resolve(request.constraints, snapshot.rules()));
    const NavConfig mesh{.agent_radius = 0.5f * static_cast<float>(resolved.metric.profile.size)};
    const std::string radius = numberText(mesh.agent_radius) + " m";
    const auto text = [](Position p) { return numberText(p.x) + "," + numberText(p.y); };
    const std::string from = text(request.from), to = text(request.goal.centre);
    const auto off = [&](const char* end, const std::string& at) {
        return std::string(end) + ": " + at + " is not on the navmesh: it lies nearer than the unit's half width of " + radius +
               " to a wall, a step too steep or the map's edge; use a position farther off, or --algorithm auto";
    };
    std::string why;
    switch (outcome) {
        case DrawOutcome::NotPlain:
            why = "--algorithm: navmesh prices length and terrain alone, and this request asks for more; to ask for that: "
                  "--constraints '{\"threat_weight\":0,\"cover_weight\":0,\"exposure_weight\":0,\"elevation_weight\":0}' without walls, roads and limits of cost";
            break;
        case DrawOutcome::StartOff: why = off("--from", from); break;
        case DrawOutcome::GoalOff: why = off("--to", to); break;
        case DrawOutcome::NotConnected:
            why = "--to: " + to + " is not connected to " + from + " on the navmesh, which closes gaps under " + numberText(mesh.narrowestGap()) +
                  " m at a half width of " + radius + " (`warpath navmesh` counts them); use a smaller unit_radius, or --algorithm auto";
            break;
        case DrawOutcome::NotReady: why = "--to: " + to + ": the navmesh of an end is not loaded; use a map of fewer chunks, or --algorithm auto"; break;
        case DrawOutcome::OutOfNodes: why = "--to: " + to + ": the search on the navmesh gave up; use a nearer goal, or --algorithm auto"; break;
        case DrawOutcome::IllegalStep:
            if (path.status == PathStatus::Partial) {
                why = "--to: " + to + " cannot be reached, so the grid goes as near as can be; the navmesh draws ways to goals that can be";
                break;
            }
            why = "--algorithm: navmesh drew a way with a step that the grid does not allow this unit (max_slope " + numberText(request.constraints.max_slope) +
                  ", its class's terrain under all of its cells); use --algorithm auto";
            break;
        case DrawOutcome::LongWay:
            why = "--to: " + to + ": the way on the navmesh costs more than 1.25 times the grid's, which goes through gaps under " +
                  numberText(mesh.narrowestGap()) + " m that the mesh closes at a half width of " + radius;
            break;
        case DrawOutcome::DearWay: why = "--algorithm: the way on the navmesh runs along dearer terrain, so that its cells cost more than 1.25 times as much as it does"; break;
        case DrawOutcome::Drawn:
        case DrawOutcome::NoFinder:
        case DrawOutcome::OtherWorld:
        case DrawOutcome::NoMeshOfSize:
        case DrawOutcome::UsesLink: why = "--algorithm: navmesh has no mesh for this request; use auto"; break;
    }
    why += path.mesh_length > 0.0 ? ". The grid found the route; " + numberText(static_cast<float>(path.mesh_length)) + " m of it are drawn on the mesh"
                                         : ". The grid answered";
    return why;
}

void addNavmeshParts(Corpus& corpus) {
    const NavConfig configs[] = {{}, {.cell_size = 1.0f, .agent_radius = 1.0f, .max_slope = 30.0f}, {.cell_size = 0.25f, .agent_radius = 0.25f, .tiles_per_chunk = 1}};
    std::uint64_t seed = 7000;
    for (std::size_t s = 0; s < corpus.scenes().size(); ++s) {
        for (const NavConfig& config : configs) {
            ++seed;
            // One mesh for both parts of an item would tie them together, and building is quick.
            corpus.add("navmesh_tiles", [&corpus, s, config](Query&, Hash64& hash) {
                const auto nav = meshOf(corpus.scenes()[s].snapshot, config);
                const NavReader reader(*nav);
                reader.forEachTile(0, [&](const NavTile& tile, Position) {
                    hash.add(std::uint64_t{tile.vertices.size()});
                    for (const Vec2 v : tile.vertices) {
                        addFloat(hash, v.x);
                        addFloat(hash, v.y);
                    }
                    hash.add(std::uint64_t{tile.polygons.size()});
                    for (const NavPolygon& p : tile.polygons) {
                        hash.add(std::uint64_t{p.terrain});
                        for (int k = 0; k < p.corners; ++k) {
                            hash.add(std::uint64_t{p.vertex[static_cast<std::size_t>(k)]});
                            hash.add(static_cast<std::uint64_t>(p.beyond[static_cast<std::size_t>(k)] + 8));
                        }
                    }
                });
            });
            corpus.add("navmesh_paths", [&corpus, s, config, seed](Query&, Hash64& hash) {
                const WorldSnapshot snapshot = corpus.scenes()[s].snapshot;
                const auto nav = meshOf(snapshot, config);
                NavReader reader(*nav);
                Rng rng(seed);
                const CellRect bounds = snapshot.bounds();
                const auto place = [&] {
                    const std::uint32_t x = rng.below(static_cast<std::uint32_t>(bounds.width) * 4);
                    const std::uint32_t y = rng.below(static_cast<std::uint32_t>(bounds.height) * 4);
                    return Position{static_cast<float>(bounds.x) + 0.25f * static_cast<float>(x), static_cast<float>(bounds.y) + 0.25f * static_cast<float>(y)};
                };
                NavPath path;
                for (int i = corpus.count(60); i > 0; --i) {
                    const Position from = place();
                    const Position to = place();
                    const auto unit = static_cast<UnitType>(rng.below(5));
                    const bool partial = rng.percent(30);
                    reader.findPath({.from = from, .to = to, .mover = {.unit = unit}, .allow_partial = partial}, path);
                    hash.add(static_cast<std::uint64_t>(path.status));
                    addFloat(hash, path.length);
                    addFloat(hash, path.cost);
                    for (const Position p : path.points) {
                        addFloat(hash, p.x);
                        addFloat(hash, p.y);
                    }
                    const NavRay ray = reader.raycast(from, to, {.unit = unit});
                    hash.add(static_cast<std::uint64_t>(ray.status));
                    addFloat(hash, ray.length);
                }
            });
        }
    }
}

}  // namespace warpath::tool
