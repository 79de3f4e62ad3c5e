// warpath paths: several different paths from here to there.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "layers.h"
#include "map_picture.h"
#include "options.h"
#include "report.h"
#include "route_overlap.h"
#include "warpath/pathfinder/query.h"

namespace warpath::tool {
namespace {

struct Options {
    MapArguments map;
    RequestArguments request;
    std::string from, to, png, mode = "diverse";
    CommonArguments common;
    MultiPathRequest multi;
    bool json = false;
};

int run(const Options& options) {
    const LoadedMap loaded = options.map.load();
    const WorldSnapshot snapshot = loaded.world->snapshot();
    MultiPathRequest request = options.multi;
    request.path = options.request.resolve(loaded, Wishes::Doctrine);
    request.mode = options.mode == "flanking" ? MultiPathMode::Flanking : MultiPathMode::Diverse;
    request.path.from = parsePosition("--from", options.from);
    request.path.goal = Goal::point(parsePosition("--to", options.to));

    Query query;
    std::vector<Path> paths;
    const auto begin = std::chrono::steady_clock::now();
    const PathStatus status = query.findAllPaths(snapshot, request, paths);
    const double microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    if (status == PathStatus::InvalidArgument) throw Refusal(paths.empty() ? Error{"request", "not accepted", "check its values"} : asArgument(paths[0].error));

    if (!options.png.empty()) {
        std::vector<Position> around{request.path.from, request.path.goal.centre};
        for (const Path& path : paths)
            for (const Position p : routeOf(path)) around.push_back(p);
        MapPicture picture(snapshot, {.title = loaded.name + ": " + std::to_string(paths.size()) + " routes", .area = areaAround(snapshot, around)});
        picture.drawTerrain();
        drawThreat(picture, snapshot, request.path.side, loaded.threats[static_cast<std::size_t>(request.path.side)]);
        for (const Path& path : paths) picture.drawRoute(routeOf(path), pathCaption(path));
        orRefuse(picture.writePng(options.png));
    }
    // The most that a route shares with one of those before it.
    const auto overlap = [&](std::size_t i) {
        double most = 0.0;
        for (std::size_t j = 0; j < i; ++j) most = std::max(most, routeOverlap(snapshot, paths[i], paths[j]));
        return most;
    };
    const auto stretch = [&](const Path& path) {
        return paths[0].cost == 0 ? 1.0 : static_cast<double>(path.cost) / static_cast<double>(paths[0].cost);
    };
    if (options.json) {
        Json json;
        json["status"] = toString(status);
        if (!paths.empty() && !paths[0].error.field.empty()) json["error"] = errorJson(asArgument(paths[0].error));
        json["paths"] = Json::array();
        for (std::size_t i = 0; i < paths.size(); ++i) {
            if (!paths[i].hasRoute()) continue;
            Json one = pathJson(paths[i], microseconds / static_cast<double>(paths.size()));
            one["overlap"] = overlap(i);
            one["stretch"] = stretch(paths[i]);
            if (request.mode == MultiPathMode::Flanking) one["approach"] = toString(paths[i].approach);
            json["paths"].push_back(std::move(one));
        }
        std::puts(json.dump().c_str());
    } else {
        std::size_t found = 0;
        for (const Path& path : paths) found += path.hasRoute() ? 1 : 0;
        std::printf("%s: %zu of %d routes in %.1f us%s\n", toString(status), found, request.max_paths, microseconds,
                    status == PathStatus::Found && found < static_cast<std::size_t>(request.max_paths) ? "; the map has no more within the limits" : "");
        if (!paths.empty() && !paths[0].error.field.empty()) std::printf("%s\n", asArgument(paths[0].error).text().c_str());
        for (std::size_t i = 0; i < paths.size(); ++i) {
            if (!paths[i].hasRoute()) continue;
            const std::string from = request.mode == MultiPathMode::Flanking ? std::string(", from the ") + toString(paths[i].approach) : std::string();
            std::printf("\nroute %zu (overlap %.0f %%, stretch %.2f%s): %s", i + 1, 100.0 * overlap(i), stretch(paths[i]), from.c_str(),
                        pathText(paths[i], microseconds / static_cast<double>(paths.size())).c_str());
        }
    }
    return status == PathStatus::Found || status == PathStatus::Partial ? kDone : kAnswerIsNo;
}

}  // namespace

Action setUpPaths(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    options->map.addTo(app);
    options->request.addTo(app);
    options->common.addTo(app);
    app.add_option("--from", options->from, "Start: X,Y in metres; 12,7 without decimal points is the centre of that cell")->required();
    app.add_option("--to", options->to, "Goal, written the same way")->required();
    app.add_option("--count", options->multi.max_paths, "How many routes at most, 1..16 (3)")->check(wholeNumber(1, kMaxPaths));
    app.add_option("--max-overlap", options->multi.max_overlap, "Share of a route that may run along another, 0..1 (0.5)")->check(numberWithin(0.0, 1.0));
    app.add_option("--max-stretch", options->multi.max_stretch, "A route costs at most this many times the best, 1..100 (1.5)")
        ->check(numberWithin(1.0, 100.0));
    app.add_option("--mode", options->mode, "diverse: other ways; flanking: from front, left and right of the goal (diverse)")
        ->check(CLI::IsMember({"diverse", "flanking"}));
    app.add_option("--png", options->png, "Draws the routes into this file")->check(notEmpty("name a file"));
    app.add_flag("--json", options->json, "One JSON document instead of text");
    return [options] { return run(*options); };
}

}  // namespace warpath::tool
