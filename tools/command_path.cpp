// warpath path: one path from here to there.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "explanation.h"
#include "layers.h"
#include "map_picture.h"
#include "options.h"
#include "report.h"
#include "warpath/pathfinder/query.h"

namespace warpath::tool {
namespace {

struct Options {
    MapArguments map;
    RequestArguments request;
    std::string from, to, png;
    bool json = false, explain = false;
};

int run(const Options& options) {
    const LoadedMap loaded = options.map.load();
    const WorldSnapshot snapshot = loaded.world->snapshot();
    PathRequest request = options.request.resolve(loaded, Wishes::Doctrine);
    request.from = parsePosition("--from", options.from);
    request.goal = Goal::point(parsePosition("--to", options.to));

    Query query;
    Path path;
    const auto begin = std::chrono::steady_clock::now();
    query.findPath(snapshot, request, path);
    const double microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    if (path.status == PathStatus::InvalidArgument) throw Refusal(path.error);

    if (!options.png.empty()) {
        std::vector<Position> around = routeOf(path);
        around.push_back(request.from);
        around.push_back(request.goal.centre);
        MapPicture picture(snapshot, {.title = loaded.name + ": " + toString(path.status), .area = areaAround(snapshot, around)});
        picture.drawTerrain();
        drawThreat(picture, snapshot, request.side, loaded.threats[static_cast<std::size_t>(request.side)]);
        picture.drawRoute(routeOf(path), pathCaption(path));
        if (!path.hasRoute()) {
            picture.drawCross(request.from, "start");
            picture.drawCross(request.goal.centre, "goal");
        }
        orRefuse(picture.writePng(options.png));
    }
    if (options.json) {
        Json json = pathJson(path, microseconds);
        if (options.explain) json["explanation"] = explanationJson(snapshot, query, request, path);
        std::puts(json.dump().c_str());
    } else {
        std::fputs(pathText(path, microseconds).c_str(), stdout);
        if (options.explain) std::fputs(explanationText(snapshot, query, request, path).c_str(), stdout);
    }
    return path.status == PathStatus::Found || path.status == PathStatus::Partial ? kDone : kAnswerIsNo;
}

}  // namespace

Action setUpPath(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    options->map.addTo(app);
    options->request.addTo(app);
    app.add_option("--from", options->from, "Start: X,Y in metres; 12,7 without decimal points is the centre of that cell")->required();
    app.add_option("--to", options->to, "Goal, written the same way")->required();
    app.add_option("--png", options->png, "Draws the path into this file");
    app.add_flag("--json", options->json, "One JSON document instead of text");
    app.add_flag("--explain", options->explain, "Says which algorithm and why, and what each stretch costs by term");
    return [options] { return run(*options); };
}

}  // namespace warpath::tool
