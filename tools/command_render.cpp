// warpath render: a picture of a map.
#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.h"
#include "layers.h"
#include "map_picture.h"
#include "options.h"
#include "warpath/pathfinder/query.h"

namespace warpath::tool {
namespace {

struct Options {
    MapArguments map;
    RequestArguments request;
    std::string layers = "terrain,threat";
    std::string area, goal, png, routes, title;
    int pixels = 1100;
    CommonArguments common;
};

/// Draws the routes of a file: {"routes": [{"caption": "...", "points": [[x, y], ...]}], "trails": [{"points": [...]}]}, trails first.
void drawRoutes(MapPicture& picture, const std::string& path) {
    std::ifstream file(path);
    if (!file) throw Refusal("--routes", path, "give a file that can be read");
    const auto document = nlohmann::json::parse(file, nullptr, false);
    const auto refuse = [&](const std::string& what) {
        return Refusal("--routes " + path, what, R"(write {"routes": [{"caption": "...", "points": [[x, y], ...]}], "trails": [{"points": [...]}]})");
    };
    if (!document.is_object()) throw refuse("no JSON object");
    if (!document.contains("routes") && !document.contains("trails")) throw refuse("neither routes nor trails");
    for (const char* list : {"trails", "routes"}) {
        if (!document.contains(list)) continue;
        if (!document[list].is_array()) throw refuse(std::string(list) + " is no array");
        for (const auto& route : document[list]) {
            if (!route.is_object() || !route.contains("points") || !route["points"].is_array()) throw refuse(std::string("one of ") + list + " without points");
            std::vector<Position> points;
            for (const auto& p : route["points"]) {
                if (!p.is_array() || p.size() != 2 || !p[0].is_number() || !p[1].is_number()) throw refuse("a point that is not [x, y]");
                points.push_back({p[0].get<float>(), p[1].get<float>()});
                if (!isUsable(points.back())) throw refuse("a point that is not on the plane");
            }
            if (points.empty()) continue;
            if (list[0] == 'r') {
                picture.drawRoute(points, route.contains("caption") && route["caption"].is_string() ? route["caption"].get<std::string>() : "");
            } else {
                picture.drawTrail(points, Colour{20, 40, 160}, 1.6f, 0.75f);
                picture.drawDot(points.front(), 3.0f, Colour{20, 40, 160});
            }
        }
    }
}

CellRect parseArea(const std::string& text) {
    if (text.empty()) return {};
    CellRect area;
    char a = 0, b = 0, c = 0, rest = 0;
    std::istringstream in(text);
    in >> area.x >> a >> area.y >> b >> area.width >> c >> area.height;
    if (!in || a != ',' || b != ',' || c != ',' || (in >> rest) || area.empty())
        throw Refusal("--area", text, "write X,Y,WIDTH,HEIGHT in cells, as 100,50,200,150");
    return area;
}

int run(const Options& options) {
    const LoadedMap loaded = options.map.load();
    const WorldSnapshot snapshot = loaded.world->snapshot();
    const PathRequest request = options.request.resolve(loaded, Wishes::Doctrine);
    LayerSource source{snapshot, std::make_shared<TileStore>(), orRefuse(resolve(request.constraints, snapshot.rules())), request.side,
                             loaded.threats[static_cast<std::size_t>(request.side)]};
    if (!options.goal.empty()) source.goal = parsePosition("--goal", options.goal);
    if (source.goal) orRefuse(offMap("--goal", *source.goal, snapshot));
    const CellRect area = parseArea(options.area);
    if (!area.empty() && intersect(area, snapshot.bounds()).empty())
        throw Refusal("--area", options.area, "it lies outside the map; use cells within [" + std::to_string(snapshot.bounds().x) + "," +
                                                  std::to_string(snapshot.bounds().y) + "," + std::to_string(snapshot.width()) + "," +
                                                  std::to_string(snapshot.height()) + "]");
    MapPicture picture(snapshot, {.title = options.title.empty() ? loaded.name + ": " + options.layers : options.title, .area = area, .target_pixels = options.pixels});
    std::istringstream names(options.layers);
    for (std::string name; std::getline(names, name, ',');) {
        const LayerPainter paint = layerByName(name);
        if (paint == nullptr) throw Refusal("--layers", name, "use some of " + layerNames());
        paint(picture, source);
    }
    if (!options.routes.empty()) drawRoutes(picture, options.routes);
    orRefuse(picture.writePng(options.png));
    return kDone;
}

}  // namespace

Action setUpRender(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    options->map.addTo(app);
    options->request.addTo(app);
    options->common.addTo(app);
    app.add_option("--layers", options->layers, "Drawn in this order, of: " + layerNames() + " (terrain,threat)")->check(notEmpty("use some of " + layerNames()));
    app.add_option("--routes", options->routes, "Routes to draw over them, a JSON file: docs/cli.md")->check(notEmpty("name a file"));
    app.add_option("--title", options->title, "Over the picture (the map's name and the layers)");
    app.add_option("--area", options->area, "Only this part: X,Y,WIDTH,HEIGHT in cells")->check(notEmpty("write X,Y,WIDTH,HEIGHT in cells, as 100,50,200,150"));
    app.add_option("--goal", options->goal, "Where the layer flow leads to, X,Y (the middle of the map)")->check(notEmpty("write X,Y"));
    app.add_option("--pixels", options->pixels, "Longer side of the map in the picture (1100)")->check(wholeNumber(64, 8192));
    app.add_option("--png", options->png, "The picture")->required()->check(notEmpty("name a file"));
    return [options] { return run(*options); };
}

}  // namespace warpath::tool
