// In place of navmesh_part.cpp where Recast was not found.
#include "navmesh_part.h"

namespace warpath::tool {
namespace {

Refusal missing() {
    return {"navmesh", "not part of this build, which found no Recast and Detour",
            "install them (Debian: apt-get install librecast-dev) and configure again with -DWARPATH_BUILD_NAVMESH=ON"};
}

}  // namespace

int runNavmesh(const NavmeshArguments&) { throw missing(); }
void drawNavmeshLayer(MapPicture&, const LayerSource&) { throw missing(); }
RouteBackendFactory navmeshFactory() { return {}; }
std::unique_ptr<ClassicPathfinder> navmeshPathfinder(const WorldSnapshot&, const PathConstraints&) { throw missing(); }
std::string whyOffMesh(DrawOutcome, const PathRequest&, const Path&, const WorldSnapshot&) { throw missing(); }
void addNavmeshParts(Corpus&) { throw missing(); }

}  // namespace warpath::tool
