// A user of the library: includes public headers only, links warpath::warpath, fails if the library does not answer.
#include <cstdio>

#include "warpath/world/world.h"

int main() {
    using namespace warpath;
    World world({.width = 128, .height = 96, .origin = {-64, -48}});
    const EditResult done = world.edit([](WorldEdit& e) { e.placeObstacle({-4, -4, 8, 8}, ObstacleKind::Building, 6.0f); });
    if (done.error) {
        std::printf("edit refused: %s\n", done.error->text().c_str());
        return 1;
    }
    const EditResult refused = world.edit([](WorldEdit& e) { e.setTerrain({900, 900, 4, 4}, Terrain::Road); });
    std::printf("revision %llu; off the map: %s\n", static_cast<unsigned long long>(done.snapshot.revision()),
                refused.error ? refused.error->text().c_str() : "accepted");
    return refused.error ? 0 : 1;
}
