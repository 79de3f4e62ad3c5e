#include "warpath/io/world_binary.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/mutate.h"
#include "support/worlds.h"
#include "warpath/core/hash.h"
#include "warpath/io/map_file.h"
#include "warpath/io/world_json.h"
#include "warpath/pathfinder/query.h"

namespace warpath {
namespace {

constexpr std::size_t kContent = 28;

std::string errorOf(const std::string& bytes) {
    const auto loaded = parseWorldBinary(bytes, "w.world");
    const Error* error = std::get_if<Error>(&loaded);
    return error != nullptr ? error->text() : "no error";
}

LoadedWorld load(const std::string& bytes) {
    auto loaded = parseWorldBinary(bytes, "w.world");
    if (const Error* error = std::get_if<Error>(&loaded)) {
        ADD_FAILURE() << error->text();
        return {std::make_unique<World>(WorldConfig{}), {}};
    }
    return std::get<LoadedWorld>(std::move(loaded));
}

/// Makes size and hash in the header those of the content, as a forger would.
std::string sealed(std::string bytes) {
    if (bytes.size() < kContent) return bytes;
    Hash64 hash;
    hash.add(std::string_view(bytes).substr(kContent));
    for (int i = 0; i < 8; ++i) {
        bytes[static_cast<std::size_t>(12 + i)] = static_cast<char>((bytes.size() - kContent) >> (8 * i));
        bytes[static_cast<std::size_t>(20 + i)] = static_cast<char>(hash.value() >> (8 * i));
    }
    return bytes;
}

/// A random world with congestion and published threat.
RandomWorld fullWorld(std::uint64_t seed) {
    RandomWorld made = randomWorld(seed);
    Rng rng(seed);
    const CellRect b = made.world->snapshot().bounds();
    made.world->edit([&](WorldEdit& edit) {
        for (int i = 0; i < 20; ++i) {
            const Cell cell{b.x + static_cast<int>(rng.below(static_cast<std::uint32_t>(b.width))), b.y + static_cast<int>(rng.below(static_cast<std::uint32_t>(b.height)))};
            edit.setCongestion(cell, static_cast<float>(rng.below(6401)) / 100.0f);
        }
        for (std::uint8_t shift = 0; shift < 4; ++shift) {
            auto threat = std::make_shared<ThreatChunk>();
            threat->resolution_shift = shift;
            threat->values.resize(std::size_t{1} << (2 * (6 - shift)));
            for (std::uint16_t& v : threat->values) v = static_cast<std::uint16_t>(rng.below(kMaxStoredThreat + 1));
            for (std::uint16_t& v : threat->block_max) v = static_cast<std::uint16_t>(rng.below(1000));
            edit.setThreat(static_cast<int>(rng.below(kMaxSides)), {static_cast<int>(rng.below(static_cast<std::uint32_t>(made.world->snapshot().chunkColumns()))), 0}, threat);
        }
    });
    return made;
}

TEST(WorldBinary, RandomWorldsSurviveSavingAndLoading) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const RandomWorld made = fullWorld(seed);
        const WorldSnapshot s = made.world->snapshot();
        const std::string bytes = writeWorldBinary(s, made.threats);
        const LoadedWorld loaded = load(bytes);
        const WorldSnapshot t = loaded.world->snapshot();
        EXPECT_EQ(worldDifference(s, t), "") << "seed " << seed;
        EXPECT_EQ(made.threats, loaded.threats) << "seed " << seed;
        EXPECT_EQ(writeWorldBinary(t, loaded.threats), bytes) << "seed " << seed;
        for (int side = 0; side < kMaxSides; ++side) {
            EXPECT_EQ(s.state().threat_chunks[static_cast<std::size_t>(side)], t.state().threat_chunks[static_cast<std::size_t>(side)]);
            for (int x = s.bounds().x; x < s.bounds().x + s.width(); ++x) ASSERT_EQ(s.threatAt(side, {x, s.bounds().y}), t.threatAt(side, {x, s.bounds().y}));
        }
    }
}

TEST(WorldBinary, EqualWorldsGiveEqualBytesWhateverTheirHistory) {
    World a({.width = 100, .height = 70, .fill = Terrain::Water});
    World b({.width = 100, .height = 70, .fill = Terrain::Snow});
    for (World* world : {&a, &b}) {
        world->edit([](WorldEdit& e) { e.setTerrain({0, 0, 100, 70}, Terrain::Grass); });
    }
    b.edit([](WorldEdit& e) {
        e.placeObstacle({10, 10, 5, 5}, ObstacleKind::Wall, 3.0f);
        e.setElevation({0, 0, 100, 70}, 7.0f);
        e.setCongestion({3, 3}, 2.0f);
    });
    b.edit([](WorldEdit& e) {
        e.removeObstacle({10, 10, 5, 5});
        e.setElevation({0, 0, 100, 70}, 0.0f);
        e.clearCongestion();
    });
    EXPECT_EQ(writeWorldBinary(a.snapshot()), writeWorldBinary(b.snapshot()));
    b.edit([](WorldEdit& e) { e.setTerrain(Cell{99, 69}, Terrain::Road); });
    EXPECT_NE(writeWorldBinary(a.snapshot()), writeWorldBinary(b.snapshot()));
}

TEST(WorldBinary, RulesAreKept) {
    const auto costs = std::get<LetterCosts>(parseLetterCosts("a 1\nb 2.5\n@ 0\n", "c"));
    const auto map = std::get<std::unique_ptr<World>>(
        parseMap("type octile\nheight 1\nwidth 3\nmap\nab@\n", "m", {.model = MapModel::Costs, .costs = costs}));
    const LoadedWorld loaded = load(writeWorldBinary(map->snapshot()));
    const WorldRules& rules = loaded.world->snapshot().rules();
    ASSERT_EQ(rules.terrain_types.size(), 2u);
    EXPECT_EQ(rules.terrain_types[1].name, "cost_b");
    EXPECT_EQ(rules.unit_classes[3].multipliers[1], 2.5f);
    EXPECT_EQ(rules.unit_classes[3].name, "tank_heavy");
    EXPECT_FALSE(loaded.world->snapshot().state().has_cover);
}

TEST(WorldBinary, LargeEmptyWorldsAreSmall) {
    World world({.width = 8192, .height = 8192, .origin = {-4096, -4096}, .fill = Terrain::Sand});
    const std::string bytes = writeWorldBinary(world.snapshot());
    EXPECT_LT(bytes.size(), 20u * 16384u);
    EXPECT_LT(load(bytes).world->memoryBytes(), 4u << 20);
}

TEST(WorldBinary, EmptyAndForeignFilesAreRefused) {
    EXPECT_EQ(errorOf(""), "w.world: an empty file; name a world saved by this library");
    EXPECT_EQ(errorOf("type octile\n"), "w.world: begins with \"type oct\"; name a world saved by this library");
    EXPECT_EQ(errorOf("WARPATHW"), "w.world: ends inside the header; the file was cut short: copy or save it again");
}

TEST(WorldBinary, OtherVersionsAreRefused) {
    std::string bytes = writeWorldBinary(randomWorld(1).world->snapshot());
    bytes[8] = 7;
    EXPECT_EQ(errorOf(bytes), "w.world: version 7; this build reads version 1: save the world again with it");
}

TEST(WorldBinary, TruncatedFilesAreRefusedAtEveryLength) {
    const RandomWorld made = randomWorld(2);
    const std::string bytes = writeWorldBinary(made.world->snapshot(), made.threats);
    for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 50) {
        EXPECT_NE(errorOf(bytes.substr(0, length)), "no error") << length;
    }
    EXPECT_NE(errorOf(bytes.substr(0, bytes.size() - 1)).find("the file was cut short"), std::string::npos);
    EXPECT_NE(errorOf(bytes + "x").find("remove what follows"), std::string::npos);
}

TEST(WorldBinary, EveryChangedByteIsNoticed) {
    const RandomWorld made = randomWorld(2);
    const std::string bytes = writeWorldBinary(made.world->snapshot(), made.threats);
    Rng rng(1);
    for (int i = 0; i < 300; ++i) {
        std::string damaged = bytes;
        damaged[rng.below(static_cast<std::uint32_t>(bytes.size()))] ^= static_cast<char>(1 << rng.below(8));
        EXPECT_NE(errorOf(damaged), "no error");
    }
    std::string damaged = bytes;
    damaged.back() ^= 1;
    EXPECT_NE(errorOf(damaged).find("the file was damaged"), std::string::npos);
}

TEST(WorldBinary, RandomMutationsNeverCrashEvenWithAForgedHash) {
    World small({.width = 70, .height = 5});
    small.edit([](WorldEdit& e) {
        e.setTerrain({3, 1, 20, 2}, Terrain::Road);
        e.placeObstacle({60, 0, 5, 5}, ObstacleKind::Rock, 1.0f);
        e.setElevation({30, 2, 10, 2}, 5.0f);
    });
    ThreatsBySide threats;
    threats[2] = {{1, {1.0f, 2.0f}, 30.0f, 1.0f}};
    const std::string bytes = writeWorldBinary(small.snapshot(), threats);
    Rng rng(17);
    int accepted = 0;
    for (int i = 0; i < 10'000; ++i) {
        const std::string damaged = mutated(bytes, rng, std::string_view("\0\1\2\x7f\x80\xff", 6));
        const auto loaded = parseWorldBinary(i % 10 == 0 ? damaged : sealed(damaged), "w.world");
        if (const Error* error = std::get_if<Error>(&loaded)) {
            ASSERT_FALSE(error->field.empty() || error->value.empty() || error->remedy.empty());
        } else {
            ++accepted;
        }
    }
    EXPECT_GT(accepted, 0);
}

TEST(WorldBinary, FilesAreWrittenAndReadAgain) {
    const std::string path = testing::TempDir() + "warpath_world_binary_test.world";
    const RandomWorld made = randomWorld(3);
    EXPECT_FALSE(saveWorldBinary(path, made.world->snapshot(), made.threats));
    const auto loaded = loadWorldBinary(path);
    ASSERT_FALSE(std::holds_alternative<Error>(loaded)) << std::get<Error>(loaded).text();
    EXPECT_EQ(worldDifference(made.world->snapshot(), std::get<LoadedWorld>(loaded).world->snapshot()), "");
    std::filesystem::remove(path);
    EXPECT_TRUE(std::holds_alternative<Error>(loadWorldBinary(path)));
}

TEST(Cases, W045_breaches_and_rebuilt_walls_survive_saving_and_loading) {
    World world(WorldConfig{.width = 7, .height = 1, .has_cover = false});
    PathConstraints wishes;
    wishes.unit_radius = 0.5f;
    const auto expectEverywhere = [&](PathStatus expected) {
        Query query;
        Path path;
        const PathRequest across{.from = {0.5f, 0.5f}, .goal = Goal::point({6.5f, 0.5f}), .constraints = wishes};
        EXPECT_EQ(query.findPath(world.snapshot(), across, path), expected);
        const LoadedWorld binary = load(writeWorldBinary(world.snapshot()));
        EXPECT_EQ(query.findPath(binary.world->snapshot(), across, path), expected) << "loaded from bytes";
        auto text = parseWorldJson(writeWorldJson(world.snapshot()), "w.json");
        ASSERT_TRUE(std::holds_alternative<LoadedWorld>(text));
        EXPECT_EQ(query.findPath(std::get<LoadedWorld>(text).world->snapshot(), across, path), expected) << "loaded from text";
    };
    world.edit([](WorldEdit& edit) { edit.placeObstacle(Cell{3, 0}, ObstacleKind::Wall, 2.0f); });
    expectEverywhere(PathStatus::Unreachable);
    world.edit([](WorldEdit& edit) { edit.removeObstacle({3, 0, 1, 1}); });
    expectEverywhere(PathStatus::Found);
    world.edit([](WorldEdit& edit) { edit.placeObstacle(Cell{3, 0}, ObstacleKind::Building, 5.0f); });
    expectEverywhere(PathStatus::Unreachable);
    world.edit([](WorldEdit& edit) { edit.destroyBuilding({3, 0, 1, 1}); });
    expectEverywhere(PathStatus::Found);
}

}  // namespace
}  // namespace warpath
