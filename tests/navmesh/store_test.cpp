#include "navmesh/support.h"

namespace warpath {
namespace {

using test::Fixture;

std::unique_ptr<NavWorld> empty(const WorldSnapshot& snapshot, NavWorldConfig config = {}) {
    config.load_all = true;
    auto made = NavWorld::create(snapshot, config);
    return std::move(std::get<std::unique_ptr<NavWorld>>(made));
}

struct Saved : Fixture {
    Saved() : Fixture({.width = 150, .height = 200, .origin = {-30, 12}}) {
        Rng rng(2);
        edit([&](WorldEdit& e) {
            for (int i = 0; i < 60; ++i) e.placeObstacle({-30 + static_cast<int>(rng.below(145)), 12 + static_cast<int>(rng.below(195)), 5, 3}, ObstacleKind::Rock, 2.0f);
        });
        open();
        bytes = nav->saveTiles();
    }
    std::vector<std::uint8_t> bytes;
};

TEST(NavStoreTest, LoadedTilesAnswerLikeTheOnesSaved) {
    Saved s;
    const auto nav = empty(s.world.snapshot());
    const auto result = nav->loadTiles(s.bytes, s.world.snapshot());
    ASSERT_TRUE(std::holds_alternative<NavWorld::LoadReport>(result));
    EXPECT_EQ(std::get<NavWorld::LoadReport>(result).loaded, 12u);
    EXPECT_EQ(nav->saveTiles(), s.bytes);
    ASSERT_TRUE(nav->finish(s.world.snapshot()));
    EXPECT_EQ(nav->stats().built, 0u);
    NavReader reader(*nav);
    NavPath path;
    reader.findPath({.from = {-20.0f, 20.0f}, .to = {110.0f, 200.0f}}, path);
    const NavPath expected = s.path({-20.0f, 20.0f}, {110.0f, 200.0f});
    EXPECT_EQ(path.status, expected.status);
    EXPECT_EQ(path.points, expected.points);
}

TEST(NavStoreTest, ChunksWhoseGroundHasChangedAreBuiltAnew) {
    Saved s;
    s.edit([](WorldEdit& e) { e.placeObstacle({20, 60, 2, 2}, ObstacleKind::Building, 3.0f); });
    const auto nav = empty(s.world.snapshot());
    const auto report = std::get<NavWorld::LoadReport>(nav->loadTiles(s.bytes, s.world.snapshot()));
    EXPECT_EQ(report.outdated, 1u);
    EXPECT_EQ(report.loaded, 11u);
    ASSERT_TRUE(nav->finish(s.world.snapshot()));
    EXPECT_EQ(nav->saveTiles(), s.nav->saveTiles());
}

TEST(NavStoreTest, FilesOfOtherSettingsMapsAndRulesAreRefused) {
    Saved s;
    const auto field = [&](NavWorld& nav, const WorldSnapshot& snapshot, std::vector<std::uint8_t> bytes) {
        const auto result = nav.loadTiles(bytes, snapshot);
        EXPECT_EQ(nav.stats().chunks, 0u);
        return std::holds_alternative<Error>(result) ? std::get<Error>(result).field : std::string("loaded");
    };
    NavWorldConfig other;
    other.agents[0].mesh.agent_radius = 1.0f;
    EXPECT_EQ(field(*empty(s.world.snapshot(), other), s.world.snapshot(), s.bytes), "navmesh file.settings");
    const World shifted({.width = 150, .height = 200, .origin = {-30, 13}});
    EXPECT_EQ(field(*empty(shifted.snapshot()), shifted.snapshot(), s.bytes), "navmesh file.map");
    WorldRules rules = WorldRules::reference();
    rules.unit_classes.push_back({"boat", 5.0f, {99, 99, 99, 99, 99, 99, 99, 99, 1, 99}});
    const World boats({.width = 150, .height = 200, .origin = {-30, 12}, .rules = rules});
    EXPECT_EQ(field(*empty(boats.snapshot()), boats.snapshot(), s.bytes), "navmesh file.rules");
    auto bytes = s.bytes;
    bytes[8] ^= 1;
    EXPECT_EQ(field(*empty(s.world.snapshot()), s.world.snapshot(), bytes), "navmesh file.format");
    bytes = s.bytes;
    bytes[12] ^= 1;
    EXPECT_EQ(field(*empty(s.world.snapshot()), s.world.snapshot(), bytes), "navmesh file.detour");
    EXPECT_EQ(field(*empty(s.world.snapshot()), s.world.snapshot(), {}), "navmesh file");
    EXPECT_EQ(field(*empty(s.world.snapshot()), s.world.snapshot(), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), "navmesh file");
    EXPECT_EQ(field(*empty(s.world.snapshot()), s.world.snapshot(), {s.bytes.begin(), s.bytes.begin() + 30}), "navmesh file");
}

TEST(NavStoreTest, DamagedFilesLoseChunksAndNothingElse) {
    Saved s;
    Rng rng(6);
    for (int round = 0; round < 60; ++round) {
        std::vector<std::uint8_t> bytes = s.bytes;
        if (round % 3 == 0) {
            bytes.resize(44 + rng.below(static_cast<std::uint32_t>(bytes.size() - 44)));
        } else {
            for (int i = 0; i < round; ++i) bytes[44 + rng.below(static_cast<std::uint32_t>(bytes.size() - 44))] ^= static_cast<std::uint8_t>(1u << rng.below(8));
        }
        const auto nav = empty(s.world.snapshot());
        const auto result = nav->loadTiles(bytes, s.world.snapshot());
        ASSERT_TRUE(std::holds_alternative<NavWorld::LoadReport>(result));
        ASSERT_TRUE(nav->finish(s.world.snapshot()));
        EXPECT_EQ(nav->saveTiles(), s.bytes);
    }
}

TEST(NavStoreTest, BlobsWithWrongIndicesAreRefused) {
    Saved s;
    const NavTile* some = nullptr;
    s.reader->forEachTile(0, [&](const NavTile& tile, Position) {
        if (!tile.empty()) some = &tile;
    });
    ASSERT_NE(some, nullptr);
    ASSERT_NE(makeNavTile(some->coord, some->size, some->blob, {}), nullptr);
    Rng rng(12);
    int refused = 0;
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::uint8_t> blob = some->blob;
        for (std::uint32_t i = 0; i <= rng.below(3); ++i) blob[rng.below(static_cast<std::uint32_t>(blob.size()))] = static_cast<std::uint8_t>(rng.below(256));
        if (rng.percent(5)) blob.resize(rng.below(static_cast<std::uint32_t>(blob.size())));
        refused += makeNavTile(some->coord, some->size, std::move(blob), {}) == nullptr ? 1 : 0;
    }
    EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace warpath
