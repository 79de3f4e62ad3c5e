#include "support/ascii_world.h"

#include <cctype>
#include <string>

#include "warpath/core/assert.h"

namespace warpath {
namespace {

constexpr std::string_view kLetters = ".123456789rtw";

float costOf(char letter) {
    if (letter == 'r') return 0.1f;
    if (letter == 't') return 9.0f;
    return std::isdigit(static_cast<unsigned char>(letter)) != 0 ? static_cast<float>(letter - '0') : 1.0f;
}

ObstacleKind obstacleOf(char letter) {
    switch (letter) {
        case '#': return ObstacleKind::Wall;
        case 'B': return ObstacleKind::Building;
        case 'X':
        case 'o': return ObstacleKind::Rock;
        default: return ObstacleKind::None;
    }
}

}  // namespace

WorldRules letterRules() {
    WorldRules rules;
    rules.unit_classes = {{.name = "walker", .speed = 2.0f}};
    for (const char letter : kLetters) {
        rules.terrain_types.push_back({.name = letter == '.' ? "letter_dot" : std::string("letter_") + letter, .is_road = letter == 'r', .is_water = letter == 'w'});
        rules.unit_classes[0].multipliers.push_back(costOf(letter));
    }
    return rules;
}

PathConstraints walker(DiagonalRule diagonal, int size) {
    PathConstraints wishes = plainDistance();
    wishes.prefer_roads = wishes.avoid_roads = false;
    wishes.max_slope = 90.0f;
    wishes.diagonal = diagonal;
    wishes.unit_radius = 0.5f * static_cast<float>(size);
    return wishes;
}

std::vector<std::string_view> rowsOf(std::string_view rows) {
    std::vector<std::string_view> out;
    while (!rows.empty()) {
        const std::size_t end = rows.find('\n');
        out.push_back(rows.substr(0, end));
        rows.remove_prefix(end == std::string_view::npos ? rows.size() : end + 1);
    }
    return out;
}

std::string transposed(std::string_view rows) {
    const std::vector<std::string_view> lines = rowsOf(rows);
    std::string out;
    for (std::size_t x = 0; x < lines[0].size(); ++x) {
        for (const std::string_view line : lines) out += line[x];
        out += '\n';
    }
    return out;
}

AsciiWorld asciiWorld(std::string_view rows, Cell origin, bool has_cover) {
    const std::vector<std::string_view> lines = rowsOf(rows);
    const auto width = static_cast<std::int32_t>(lines.at(0).size()), height = static_cast<std::int32_t>(lines.size());
    AsciiWorld drawn;
    drawn.world = std::make_unique<World>(WorldConfig{
        .width = width, .height = height, .origin = origin, .rules = letterRules(), .fill = static_cast<Terrain>(0), .has_cover = has_cover});
    std::vector<Terrain> terrains;
    std::vector<PackedObstacle> obstacles;
    for (std::int32_t y = 0; y < height; ++y) {
        const std::string_view line = lines[static_cast<std::size_t>(y)];
        WARPATH_ASSERT(line.size() == lines[0].size(), "rows of equal length");
        for (std::int32_t x = 0; x < width; ++x) {
            const char letter = line[static_cast<std::size_t>(x)];
            if (letter == 'S') drawn.s = Cell{origin.x + x, origin.y + y};
            if (letter == 'G') drawn.g = Cell{origin.x + x, origin.y + y};
            const std::size_t known = kLetters.find(letter);
            const ObstacleKind kind = obstacleOf(letter);
            WARPATH_ASSERT(known != std::string_view::npos || kind != ObstacleKind::None || letter == 'S' || letter == 'G', "a letter with a meaning");
            terrains.push_back(static_cast<Terrain>(known == std::string_view::npos ? 0 : known));
            obstacles.push_back(kind == ObstacleKind::None ? PackedObstacle{0} : packObstacle(kind, 300));
        }
    }
    const EditResult done = drawn.world->edit([&](WorldEdit& edit) { edit.setCells({origin.x, origin.y, width, height}, terrains, obstacles); });
    WARPATH_ASSERT(!done.error, "a drawing that fits");
    return drawn;
}

void setHeights(World& world, std::string_view rows) {
    const std::vector<std::string_view> lines = rowsOf(rows);
    std::vector<float> heights;
    for (const std::string_view line : lines) {
        for (const char letter : line) heights.push_back(static_cast<float>(letter - '0'));
    }
    const EditResult done = world.edit([&](WorldEdit& edit) { edit.setElevation(world.snapshot().bounds(), heights); });
    WARPATH_ASSERT(!done.error, "one digit per cell");
}

}  // namespace warpath
