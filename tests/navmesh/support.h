// Maps and meshes for the tests of the navmesh.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "warpath/core/rng.h"
#include "warpath/navmesh/nav_reader.h"
#include "warpath/navmesh/nav_world.h"
#include "warpath/world/world.h"

namespace warpath::test {

/// A whole map as one mesh, built on this thread.
struct Fixture {
    World world;
    std::unique_ptr<NavWorld> nav;
    std::unique_ptr<NavReader> reader;

    explicit Fixture(const WorldConfig& config) : world(config) {}

    void open(NavWorldConfig config) {
        config.load_all = true;
        auto made = NavWorld::create(world.snapshot(), config);
        ASSERT_TRUE(std::holds_alternative<std::unique_ptr<NavWorld>>(made)) << std::get<Error>(made).text();
        nav = std::move(std::get<std::unique_ptr<NavWorld>>(made));
        ASSERT_TRUE(nav->finish(world.snapshot()));
        reader = std::make_unique<NavReader>(*nav);
        ASSERT_TRUE(reader->valid());
    }
    void open(const NavConfig& mesh = {}) {
        NavWorldConfig config;
        config.agents = {{"test", mesh}};
        open(config);
    }
    template <class Change>
    void edit(Change&& change) {
        const EditResult result = world.edit(std::forward<Change>(change));
        ASSERT_FALSE(result.error) << result.error->text();
        if (nav != nullptr) {
            ASSERT_TRUE(nav->finish(world.snapshot()));
        }
    }
    NavPath path(Position from, Position to) {
        NavPath out;
        reader->findPath({.from = from, .to = to}, out);
        return out;
    }
};

/// Draws '#' as rock, '~' as water, '^' as swamp, 'r' as road; anything else stays. One character a cell, rows from the north.
inline void draw(WorldEdit& edit, const std::vector<std::string_view>& rows, Cell corner = {}) {
    for (std::size_t y = 0; y < rows.size(); ++y) {
        for (std::size_t x = 0; x < rows[y].size(); ++x) {
            const Cell cell{corner.x + static_cast<int>(x), corner.y + static_cast<int>(y)};
            if (rows[y][x] == '#') edit.placeObstacle(cell, ObstacleKind::Rock, 2.0f);
            if (rows[y][x] == '~') edit.setTerrain(cell, Terrain::Water);
            if (rows[y][x] == '^') edit.setTerrain(cell, Terrain::Swamp);
            if (rows[y][x] == 'r') edit.setTerrain(cell, Terrain::Road);
        }
    }
}

}  // namespace warpath::test
