#include "warpath/search/group_table.h"

#include <gtest/gtest.h>

#include <variant>

#include "support/scenes.h"
#include "warpath/search/abstract_search.h"

namespace warpath {
namespace {

Metric metricOf(const PathConstraints& wishes, const WorldSnapshot& snapshot) {
    return std::get<ResolvedConstraints>(resolve(wishes, snapshot.rules())).metric;
}

/// Patches of terrain, long walls with gaps, noise and (where asked for) slopes that can be walked one way only.
std::unique_ptr<World> roughMap(int width, int height, std::uint64_t seed, int noise, bool slopes = false) {
    Rng rng(seed);
    auto world = std::make_unique<World>(WorldConfig{.width = width, .height = height, .has_cover = false});
    const auto below = [&](int n) { return static_cast<int>(rng.below(static_cast<std::uint32_t>(n))); };
    const auto place = [&](int largest) {
        const int x = below(width), y = below(height), w = 1 + below(largest), h = 1 + below(largest);
        return CellRect{x, y, w, h};
    };
    world->edit([&](WorldEdit& edit) {
        for (int i = 0; i < width; ++i) {
            const CellRect rect = place(40);
            edit.setTerrain(rect, static_cast<Terrain>(below(10)));
        }
        for (int i = 0; slopes && i < width / 4; ++i) {
            const CellRect rect = place(60);
            edit.setElevation(rect, static_cast<float>(below(5)));
        }
        for (int i = 0; i < width / 10; ++i) {
            CellRect wall = place(width / 3);
            (rng.percent(50) ? wall.width : wall.height) = 1 + below(2);
            edit.placeObstacle(wall, ObstacleKind::Wall, 3.0f);
        }
        for (int i = 0; i < width * height * noise / 100; ++i) {
            const int x = below(width), y = below(height);
            edit.placeObstacle(Cell{x, y}, ObstacleKind::Rock, 3.0f);
        }
    });
    return world;
}

/// A search from one portal's cell to another's.
struct Pair {
    ChunkCoord from, to;
    std::vector<PortalCost> seeds;
    GoalChunk goal;
    GoalShape::Bound bound{};

    /// @param back from a chunk to itself: out through the one portal and round to the other.
    Pair(HierarchyView& view, Rng& rng, bool back = false) {
        from = anyChunk(view, rng);
        to = back ? from : anyChunk(view, rng);
        seeds.push_back({anyPortal(view, from, rng), 5'000});
        goal.chunk = to;
        goal.entries.push_back({anyPortal(view, to, rng), 7'000});
        const int x = to.x * kChunkSize, y = to.y * kChunkSize;
        bound = {x, y, x + kChunkSize - 1, y + kChunkSize - 1};
    }
    static ChunkCoord anyChunk(HierarchyView& view, Rng& rng) {
        while (true) {
            const int x = static_cast<int>(rng.below(static_cast<std::uint32_t>(view.columns())));
            const int y = static_cast<int>(rng.below(static_cast<std::uint32_t>(view.rows())));
            if (view.table({x, y}).count() != 0) return {x, y};
        }
    }
    static std::uint16_t anyPortal(HierarchyView& view, ChunkCoord chunk, Rng& rng) {
        return static_cast<std::uint16_t>(rng.below(static_cast<std::uint32_t>(view.table(chunk).count())));
    }
    AbstractResult run(AbstractSearch& search, HierarchyView& view, int levels) const {
        return search.run(view, from, seeds, {&goal, 1}, bound, 1, UINT64_MAX, levels);
    }
    /// What the route costs, portal by portal; fails where it does not hang together.
    [[nodiscard]] Cost priceOf(const std::vector<AbstractStep>& route, HierarchyView& view) const {
        ChunkCoord chunk = from;
        std::size_t in = seeds[0].portal;
        Cost sum = seeds[0].cost;
        for (std::size_t i = 0; i < route.size(); ++i) {
            EXPECT_EQ(route[i].chunk, chunk);
            const ChunkTable& table = view.table(chunk);
            const std::size_t out = route[i].portal;
            if (i != 0) sum += table.cost(in, out);
            sum += table.portals[out].crossing;
            EXPECT_EQ(route[i].cost, sum);
            const std::size_t side = table.portals[out].side, back = (side + 4) & 7;
            chunk = {chunk.x + kStepX[side], chunk.y + kStepY[side]};
            in = view.table(chunk).side_begin[back] + (out - table.side_begin[side]);
        }
        EXPECT_EQ(chunk, to);
        EXPECT_EQ(in, goal.entries[0].portal);
        return sum + goal.entries[0].cost;
    }
};

void stand(HierarchyView& view, const World& world, const std::shared_ptr<TileStore>& store, std::uint32_t group, const PathConstraints& wishes = plainDistance()) {
    view.bind(world.snapshot(), {metricOf(wishes, world.snapshot()), 0, 0}, store, {.spacing = 12, .group = group});
}

TEST(GroupTable, NeighboursListTheirCrossingsAtTheSameRanks) {
    for (const std::uint32_t group : {2u, 3u, 4u}) {
        const auto world = roughMap(700, 460, 40 + group, 12, true);
        PathConstraints wishes = plainDistance();
        wishes.diagonal = DiagonalRule::Always;
        HierarchyView view;
        stand(view, *world, std::make_shared<TileStore>(), group, wishes);
        int diagonal = 0;
        for (int gy = 0; gy < view.groupRows(); ++gy) {
            for (int gx = 0; gx < view.groupColumns(); ++gx) {
                const auto index = static_cast<std::uint32_t>(gy * view.groupColumns() + gx);
                const GroupTable& here = view.group(index);
                if (!here.usable) continue;
                for (int side = 0; side < kDirections; ++side) {
                    const int nx = gx + kStepX[side], ny = gy + kStepY[side];
                    const auto s = static_cast<std::size_t>(side), back = static_cast<std::size_t>(oppositeOf(side));
                    if (nx < 0 || ny < 0 || nx >= view.groupColumns() || ny >= view.groupRows()) {
                        ASSERT_EQ(here.side_begin[s], here.side_begin[s + 1]);
                        continue;
                    }
                    const auto beyond = static_cast<std::uint32_t>(ny * view.groupColumns() + nx);
                    const GroupTable& there = view.group(beyond);
                    if (!there.usable) continue;
                    ASSERT_EQ(here.side_begin[s + 1] - here.side_begin[s], there.side_begin[back + 1] - there.side_begin[back]);
                    for (std::size_t i = 0; here.side_begin[s] + i < here.side_begin[s + 1]; ++i) {
                        const GroupPortal& a = here.portals[here.side_begin[s] + i];
                        const GroupPortal& b = there.portals[there.side_begin[back] + i];
                        const ChunkCoord ca = view.chunkIn(index, a.chunk), cb = view.chunkIn(beyond, b.chunk);
                        const ChunkPortal& pa = view.table(ca).portals[a.portal];
                        const ChunkPortal& pb = view.table(cb).portals[b.portal];
                        ASSERT_EQ(cellBehind(ca, pa), (Cell{cb.x * kChunkSize + pb.cell % kChunkSize, cb.y * kChunkSize + pb.cell / kChunkSize}));
                        ASSERT_EQ(pa.direction, oppositeOf(pb.direction));
                        const ChunkCoord first = view.firstOf(index);
                        ASSERT_EQ(cellBehind(ca, pa), (Cell{first.x * kChunkSize + a.x, first.y * kChunkSize + a.y}));
                        diagonal += isDiagonal(a.chunk_side) ? 1 : 0;
                    }
                }
            }
        }
        EXPECT_GT(diagonal, 0) << "no crossing over a corner of a chunk was met";
    }
}

TEST(GroupTable, TwoLevelsCostWhatOneDoes) {
    AbstractSearch one, two;
    int found = 0, longest = 0;
    std::uint64_t fine_settled = 0, coarse_settled = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const auto world = roughMap(720, 640, seed, seed % 3 == 0 ? 12 : 2, seed % 2 == 0);
        PathConstraints wishes = plainDistance();
        if (seed % 2 == 0) wishes.max_slope_down = 80.0f;  // what cannot be climbed can be descended
        if (seed % 3 != 1) wishes.diagonal = DiagonalRule::Always;  // portals at corners of chunks
        const std::uint32_t group = 2 + static_cast<std::uint32_t>(seed) % 3;
        HierarchyView view;
        stand(view, *world, std::make_shared<TileStore>(), group, wishes);
        Rng rng(seed);
        for (int asked = 0; asked < 24; ++asked) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << " pair " << asked << " groups of " << group);
            const Pair pair(view, rng, asked % 3 == 0);
            const AbstractResult a = pair.run(one, view, 1);
            const AbstractResult b = pair.run(two, view, 2);
            ASSERT_EQ(a.found, b.found);
            if (!a.found) continue;
            ++found;
            ASSERT_EQ(a.cost, b.cost);
            if (!two.route().empty()) {
                ASSERT_EQ(pair.priceOf(two.route(), view), b.cost);
            }
            longest = std::max(longest, static_cast<int>(two.route().size()));
            fine_settled += a.expansions;
            coarse_settled += b.expansions;
        }
    }
    EXPECT_GT(found, 60);
    EXPECT_GT(longest, 10);
    EXPECT_LT(coarse_settled, fine_settled);
}

TEST(GroupTable, RepairedEqualsRebuiltAndRoutesDoNotDependOnHistory) {
    const auto world = roughMap(768, 768, 77, 4);
    Rng rng(5), edits(6);
    const auto store = std::make_shared<TileStore>();
    HierarchyView view;
    AbstractSearch search, other;
    for (int round = 0; round < 3; ++round) {
        stand(view, *world, store, 4);
        HierarchyView fresh;
        stand(fresh, *world, std::make_shared<TileStore>(std::size_t{1} << 20, std::size_t{1} << 18), 4);  // holds a few tables only
        for (int asked = 0; asked < 4; ++asked) {
            const Pair pair(view, rng);
            const AbstractResult a = pair.run(search, view, 2), b = pair.run(other, fresh, 2);
            ASSERT_EQ(a.found, b.found);
            ASSERT_EQ(a.cost, b.cost);
            ASSERT_EQ(a.expansions, b.expansions);
            ASSERT_EQ(search.route().size(), other.route().size());
            for (std::size_t i = 0; i < search.route().size(); ++i) {
                ASSERT_EQ(search.route()[i].chunk, other.route()[i].chunk);
                ASSERT_EQ(search.route()[i].portal, other.route()[i].portal);
            }
        }
        for (std::uint32_t g = 0; g < 9; ++g) ASSERT_EQ(view.group(g), fresh.group(g));
        world->edit([&](WorldEdit& edit) {
            for (int i = 0; i < 3; ++i) {
                const int x = static_cast<int>(edits.below(750)), y = static_cast<int>(edits.below(750));
                edit.placeObstacle(CellRect{x, y, 10, 3}, ObstacleKind::Wall, 3.0f);
            }
        });
    }
}

TEST(GroupTable, AnEditMakesOneGroupAnewAndOnlyWhenItChangesATable) {
    const auto world = roughMap(768, 768, 3, 5);
    const auto store = std::make_shared<TileStore>();
    HierarchyView view;
    const auto all = [&] {
        stand(view, *world, store, 4);
        for (std::uint32_t g = 0; g < 9; ++g) static_cast<void>(view.group(g));
        return view.groupsBuilt();
    };
    ASSERT_EQ(all(), 9u);
    world->edit([](WorldEdit& edit) { edit.placeObstacle(CellRect{340, 340, 20, 20}, ObstacleKind::Building, 6.0f); });
    EXPECT_EQ(all(), 10u);
    world->edit([](WorldEdit& edit) { edit.placeObstacle(Cell{350, 350}, ObstacleKind::Building, 9.0f); });
    EXPECT_EQ(all(), 10u) << "another height in the middle of a building changes no way";
}

TEST(GroupTable, GroundTooDearForItIsSearchedChunkByChunk) {
    for (const float dear : {90.0f, 30.0f}) {
        WorldConfig config{.width = 1536, .height = 512, .has_cover = false};
        for (UnitClass& unit : config.rules.unit_classes) unit.multipliers[static_cast<std::size_t>(Terrain{1})] = dear;
        config.fill = Terrain{1};
        World world(config);
        world.edit([](WorldEdit& edit) { edit.setTerrain({0, 0, 1536, 20}, Terrain{0}); });
        HierarchyView view;
        stand(view, world, std::make_shared<TileStore>(), 4);
        EXPECT_EQ(view.group(7).usable, dear < 40.0f);
        AbstractSearch one, two;
        Rng rng(9);
        for (int asked = 0; asked < 12; ++asked) {
            const Pair pair(view, rng);
            const AbstractResult a = pair.run(one, view, 1), b = pair.run(two, view, 2);
            ASSERT_TRUE(a.found);
            ASSERT_EQ(a.cost, b.cost);
            if (!two.route().empty()) {
                ASSERT_EQ(pair.priceOf(two.route(), view), b.cost);
            }
        }
    }
}

TEST(GroupTable, DenselyBrokenBordersAreSearchedChunkByChunk) {
    const auto world = roughMap(768, 768, 8, 24);
    HierarchyView view;
    stand(view, *world, std::make_shared<TileStore>(), 4);
    EXPECT_FALSE(view.group(4).usable);
    EXPECT_EQ(view.group(4).count(), 0u);
    AbstractSearch one, two;
    Rng rng(10);
    for (int asked = 0; asked < 12; ++asked) {
        const Pair pair(view, rng);
        const AbstractResult a = pair.run(one, view, 1), b = pair.run(two, view, 2);
        ASSERT_EQ(a.found, b.found);
        ASSERT_EQ(a.cost, b.cost);
    }
}

}  // namespace
}  // namespace warpath
