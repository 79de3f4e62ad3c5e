// warpath navmesh: the mesh of a map, and a way on it.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "navmesh_part.h"

namespace warpath::tool {

Action setUpNavmesh(CLI::App& app) {
    const auto options = std::make_shared<NavmeshArguments>();
    options->map.addTo(app);
    options->common.addTo(app);
    const auto place = [] { return notEmpty("write X,Y: 12,7 for the centre of a cell, 12.0,7.5 for metres"); };
    app.add_option("--from", options->from, "Start: X,Y in metres; 12,7 without decimal points is the centre of that cell")->check(place());
    app.add_option("--to", options->to, "Goal, written the same way")->check(place());
    app.add_option("--cell-size", options->cell_size, "Side of a voxel [m]: 1, 0.5, 0.25 or 0.125 (0.5)");
    app.add_option("--agent-radius", options->agent_radius, "Distance kept from obstacles [m], 0 to 8 (0.5)");
    app.add_option("--png", options->png, "Draws the mesh and the way into this file")->check(notEmpty("name a file"));
    app.add_flag("--json", options->json, "One JSON document instead of text");
    return [options] { return runNavmesh(*options); };
}

}  // namespace warpath::tool
