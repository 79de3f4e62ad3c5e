// warpath render: a picture of a map.
#include <CLI/CLI.hpp>
#include <memory>
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
    std::string area, goal, png;
    int pixels = 1100;
};

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
    const CellRect area = parseArea(options.area);
    if (!area.empty() && intersect(area, snapshot.bounds()).empty())
        throw Refusal("--area", options.area, "it lies outside the map; use cells within [" + std::to_string(snapshot.bounds().x) + "," +
                                                  std::to_string(snapshot.bounds().y) + "," + std::to_string(snapshot.width()) + "," +
                                                  std::to_string(snapshot.height()) + "]");
    MapPicture picture(snapshot, {.title = loaded.name + ": " + options.layers, .area = area, .target_pixels = options.pixels});
    std::istringstream names(options.layers);
    for (std::string name; std::getline(names, name, ',');) {
        const LayerPainter paint = layerByName(name);
        if (paint == nullptr) throw Refusal("--layers", name, "use some of " + layerNames());
        paint(picture, source);
    }
    orRefuse(picture.writePng(options.png));
    return kDone;
}

}  // namespace

Action setUpRender(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    options->map.addTo(app);
    options->request.addTo(app);
    app.add_option("--layers", options->layers, "Drawn in this order, of: " + layerNames() + " (terrain,threat)");
    app.add_option("--area", options->area, "Only this part: X,Y,WIDTH,HEIGHT in cells");
    app.add_option("--goal", options->goal, "Where the layer flow leads to, X,Y (the middle of the map)");
    app.add_option("--pixels", options->pixels, "Longer side of the map in the picture (1100)")->check(CLI::Range(64, 8192));
    app.add_option("--png", options->png, "The picture")->required();
    return [options] { return run(*options); };
}

}  // namespace warpath::tool
