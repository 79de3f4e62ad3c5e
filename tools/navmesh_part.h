// What of the tool needs warpath::navmesh. Two sources hold these functions, and the build takes one: navmesh_part.cpp, or without Recast
// navmesh_absent.cpp, which says what is missing.
#pragma once

#include <memory>
#include <string>

#include "corpus.h"
#include "layers.h"
#include "options.h"
#include "warpath/pathfinder/ipathfinder.h"
#include "warpath/pathfinder/route_backend.h"

namespace warpath::tool {

/// Arguments of `warpath navmesh`.
struct NavmeshArguments {
    MapArguments map;
    CommonArguments common;
    std::string from, to, png;
    float cell_size = 0.5f, agent_radius = 0.5f;
    bool json = false;
};

/// Builds the mesh of a map, says what it holds and closes, finds a way on it when both ends are given. Throws Refusal.
int runNavmesh(const NavmeshArguments& arguments);

/// The mesh of a unit of the asked size: ground, edges of polygons, walls, borders of tiles. Throws Refusal.
void drawNavmeshLayer(MapPicture& picture, const LayerSource& source);

/// Why navmeshPathfinder had the grid answer: the argument, its value and what to change.
[[nodiscard]] std::string whyOffMesh(DrawOutcome outcome, const PathRequest& request, const Path& path, const WorldSnapshot& snapshot);

/// What the module makes its navmesh with; empty where this build has none.
[[nodiscard]] RouteBackendFactory navmeshFactory();

/// What answers `--algorithm navmesh`: a mesh of the whole map for the unit that the constraints name, built here and now, and the grid for
/// requests that the mesh does not take. Throws Refusal.
[[nodiscard]] std::unique_ptr<ClassicPathfinder> navmeshPathfinder(const WorldSnapshot& snapshot, const PathConstraints& constraints);

/// Tiles and ways on the corpus's scenes. Throws Refusal.
void addNavmeshParts(Corpus& corpus);

}  // namespace warpath::tool
