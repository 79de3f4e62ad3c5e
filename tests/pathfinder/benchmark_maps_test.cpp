// A spread sample of the scenarios of the benchmark maps, where those are at hand: lengths as their authors give them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "support/ascii_world.h"
#include "support/test_paths.h"
#include "warpath/pathfinder/query.h"

namespace warpath {
namespace {

/// Reads a map by itself, so that the loader is not part of what is tested. Letters a..h cost 1..8 on weighted maps.
std::unique_ptr<World> readMap(const std::filesystem::path& file, bool weighted) {
    std::ifstream in(file);
    std::string word;
    int width = 0, height = 0;
    while (in >> word && word != "map") {
        if (word == "height") in >> height;
        if (word == "width") in >> width;
    }
    std::vector<Terrain> terrains;
    std::vector<PackedObstacle> obstacles;
    for (int y = 0; y < height; ++y) {
        in >> word;
        for (const char letter : word) {
            const bool free = weighted ? letter >= 'a' && letter <= 'h' : letter == '.' || letter == 'G' || letter == 'S';
            terrains.push_back(static_cast<Terrain>(weighted && free ? letter - 'a' + 1 : 0));  // '1'..'8' of the letter rules
            obstacles.push_back(free ? PackedObstacle{0} : packObstacle(ObstacleKind::Rock, 300));
        }
    }
    auto world = std::make_unique<World>(
        WorldConfig{.width = width, .height = height, .rules = letterRules(), .fill = static_cast<Terrain>(0), .has_cover = false});
    EXPECT_FALSE(world->edit([&](WorldEdit& edit) { edit.setCells({0, 0, width, height}, terrains, obstacles); }).error.has_value());
    return world;
}

void solveSample(const std::filesystem::path& scenarios, bool weighted) {
    std::ifstream in(scenarios);
    std::string line;
    std::getline(in, line);
    std::vector<std::string> lines;
    while (std::getline(in, line)) {
        if (!line.empty()) lines.push_back(line);
    }
    std::filesystem::path map = scenarios;
    map.replace_extension();
    const std::unique_ptr<World> world = readMap(map, weighted);
    Query query;
    Path path;
    for (std::size_t i = 0; i < lines.size(); i += std::max<std::size_t>(lines.size() / 12, 1)) {
        std::istringstream fields(lines[i]);
        std::string bucket, name;
        int width = 0, height = 0;
        Cell from, to;
        double length = 0.0;
        fields >> bucket >> name >> width >> height >> from.x >> from.y >> to.x >> to.y >> length;
        query.findPath(world->snapshot(), {.from = centreOf(from), .goal = Goal::point(centreOf(to)), .constraints = walker(), .algorithm = PathAlgorithm::AStar}, path);
        ASSERT_EQ(path.status, PathStatus::Found) << scenarios << ": " << lines[i];
        EXPECT_NEAR(costInMetres(path.cost), length, 1e-5 * length + 1e-6) << scenarios << ": " << lines[i];
    }
}

void solveFolder(const std::filesystem::path& folder, bool weighted) {
    if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no benchmark maps at " << folder;
    int solved = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".scen") continue;
        solveSample(entry.path(), weighted);
        ++solved;
    }
    EXPECT_GT(solved, 0);
}

TEST(BenchmarkMaps, UniformScenariosHaveTheirLengths) { solveFolder(benchmarkData(), false); }
TEST(BenchmarkMaps, WeightedScenariosHaveTheirCosts) { solveFolder(benchmarkData() + "weighted", true); }

}  // namespace
}  // namespace warpath
