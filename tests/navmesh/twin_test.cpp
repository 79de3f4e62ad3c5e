// The navmesh against slow, obvious twins on random maps: the shortest way by a visibility graph, reachability by flood fill on the grid.
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "navmesh/support.h"

namespace warpath {
namespace {

using test::Fixture;

/// Random blocks, some of them single cells, and, when asked, random heights.
void scatter(World& world, Rng& rng, int blocks, bool hills) {
    const CellRect all = world.snapshot().bounds();
    const EditResult done = world.edit([&](WorldEdit& e) {
        if (hills) {
            for (int i = 0; i < 60; ++i) {
                const int w = 2 + static_cast<int>(rng.below(20)), h = 2 + static_cast<int>(rng.below(20));
                const int x = all.x + static_cast<int>(rng.below(static_cast<std::uint32_t>(all.width - w)));
                const int y = all.y + static_cast<int>(rng.below(static_cast<std::uint32_t>(all.height - h)));
                e.setElevation({x, y, w, h}, static_cast<float>(rng.below(300)) / 100.0f);
            }
        }
        for (int i = 0; i < blocks; ++i) {
            const int w = 1 + static_cast<int>(rng.below(8)), h = 1 + static_cast<int>(rng.below(8));
            const int x = all.x + static_cast<int>(rng.below(static_cast<std::uint32_t>(all.width - w)));
            const int y = all.y + static_cast<int>(rng.below(static_cast<std::uint32_t>(all.height - h)));
            e.placeObstacle({x, y, w, h}, ObstacleKind::Building, 4.0f);
        }
    });
    ASSERT_FALSE(done.error) << done.error->text();
}

/// Never on the border of a cell or voxel, which belongs to both sides.
Position randomPosition(const World& world, Rng& rng) {
    const CellRect all = world.snapshot().bounds();
    const auto x = static_cast<float>(rng.below(static_cast<std::uint32_t>(all.width) * 16)) / 16.0f + 0.03125f;
    const auto y = static_cast<float>(rng.below(static_cast<std::uint32_t>(all.height) * 16)) / 16.0f + 0.03125f;
    return {static_cast<float>(all.x) + x, static_cast<float>(all.y) + y};
}

/// Shortest way over the visibility graph of every vertex of the mesh. Quadratic in vertices.
class VisibilityTwin {
public:
    explicit VisibilityTwin(NavReader& reader) : reader_(reader) {
        reader.forEachTile(0, [&](const NavTile& tile, Position origin) {
            for (std::size_t i = 0; i < tile.vertices.size(); ++i) {
                if (tile.obstacle_corner[i] == 0) continue;
                const Position p{tile.vertices[i].x + origin.x, tile.vertices[i].y + origin.y};
                if (std::find(points_.begin(), points_.end(), p) == points_.end()) points_.push_back(p);
            }
        });
        sees_.assign(points_.size(), std::vector<std::int8_t>(points_.size(), -1));
    }
    double shortest(Position from, Position to) {
        const std::size_t n = points_.size();
        std::vector<Position> all = points_;
        all.push_back(from);
        all.push_back(to);
        std::vector<double> g(n + 2, std::numeric_limits<double>::infinity());
        std::vector<bool> done(n + 2);
        g[n] = 0.0;
        for (;;) {
            std::size_t best = n + 2;
            for (std::size_t i = 0; i < n + 2; ++i) {
                if (!done[i] && g[i] < std::numeric_limits<double>::infinity() && (best == n + 2 || g[i] < g[best])) best = i;
            }
            if (best == n + 2) return -1.0;
            if (best == n + 1) return g[best];
            done[best] = true;
            for (std::size_t i = 0; i < n + 2; ++i) {
                const double length = std::hypot(all[i].x - all[best].x, all[i].y - all[best].y);
                if (done[i] || g[best] + length >= g[i] || !sees(all, best, i)) continue;
                g[i] = g[best] + length;
            }
        }
    }

private:
    bool sees(const std::vector<Position>& all, std::size_t a, std::size_t b) {
        const auto look = [&] {
            return reader_.raycast(all[a], all[b], {}).status == NavStatus::Complete || reader_.raycast(all[b], all[a], {}).status == NavStatus::Complete;
        };
        if (a >= points_.size() || b >= points_.size()) return look();
        std::int8_t& known = sees_[a][b];
        if (known < 0) known = sees_[b][a] = look() ? 1 : 0;
        return known == 1;
    }
    NavReader& reader_;
    std::vector<Position> points_;
    std::vector<std::vector<std::int8_t>> sees_;
};

TEST(NavTwinTest, ExactWaysAreTheShortestOnTheMesh) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Rng rng(seed);
        Fixture f({.width = 128, .height = 96, .origin = {-40, 70}});
        scatter(f.world, rng, 30 + 10 * static_cast<int>(seed), seed % 2 == 0);
        f.open();
        VisibilityTwin twin(*f.reader);
        int compared = 0;
        for (int i = 0; i < 40; ++i) {
            const Position a = randomPosition(f.world, rng), b = randomPosition(f.world, rng);
            if (!f.reader->walkable(a, {}) || !f.reader->walkable(b, {})) continue;
            const NavPath path = f.path(a, b);
            const double expected = twin.shortest(a, b);
            if (expected < 0.0) {
                EXPECT_EQ(path.status, NavStatus::Unreachable);
                continue;
            }
            ASSERT_EQ(path.status, NavStatus::Complete);
            ++compared;
            EXPECT_NEAR(path.length, expected, 0.005) << "from " << a.x << "," << a.y << " to " << b.x << "," << b.y;
            double length = 0.0;
            for (std::size_t k = 0; k + 1 < path.points.size(); ++k) {
                length += std::hypot(path.points[k + 1].x - path.points[k].x, path.points[k + 1].y - path.points[k].y);
                const NavRay there = f.reader->raycast(path.points[k], path.points[k + 1], {});
                const NavRay back = f.reader->raycast(path.points[k + 1], path.points[k], {});
                EXPECT_TRUE(there.status == NavStatus::Complete && back.status == NavStatus::Complete) << "leg " << k;
            }
            EXPECT_NEAR(length, path.length, 0.005);
            for (const NavSearch how : {NavSearch::Weighted, NavSearch::Detour}) {
                NavPath other;
                ASSERT_EQ(f.reader->findPath({.from = a, .to = b, .search = how}, other), NavStatus::Complete) << static_cast<int>(how);
                EXPECT_GE(other.length, path.length - 0.01f);
            }
        }
        EXPECT_GT(compared, 5);
    }
}

/// Labels of the grid's own connectivity for units of n x n cells, by their top left cells: straight steps between places where all their cells are free, within the
/// slope limit between their middle cells.
std::vector<int> floodLabels(const WorldSnapshot& s, std::int32_t limit_cm, int n, UnitType unit) {
    const int w = s.width(), h = s.height(), middle = (n - 1) / 2;
    std::vector<int> label(static_cast<std::size_t>(w * h), -1);
    const auto free = [&](int x, int y) {
        for (int i = 0; i < n * n; ++i) {
            const Cell c{s.origin().x + x + i % n, s.origin().y + y + i / n};
            if (!s.contains(c) || obstacleKind(s.obstacleAt(c)) != ObstacleKind::None) return false;
            if (s.rules().unit_classes[static_cast<std::size_t>(unit)].multipliers[static_cast<std::size_t>(s.terrainAt(c))] >= kImpassable) return false;
        }
        return true;
    };
    const auto z = [&](int x, int y) { return s.ground({(x + middle) >> 6, (y + middle) >> 6}).elevationCm(localIndex(x + middle, y + middle)); };
    int next = 0;
    for (int seed = 0; seed < w * h; ++seed) {
        if (label[static_cast<std::size_t>(seed)] >= 0 || !free(seed % w, seed / w)) continue;
        std::vector<int> stack{seed};
        label[static_cast<std::size_t>(seed)] = next;
        while (!stack.empty()) {
            const int x = stack.back() % w, y = stack.back() / w;
            stack.pop_back();
            for (const auto& [dx, dy] : {std::pair{1, 0}, {0, 1}, {-1, 0}, {0, -1}}) {
                const int nx = x + dx, ny = y + dy;
                if (nx < 0 || ny < 0 || nx >= w || ny >= h || !free(nx, ny) || std::abs(z(x, y) - z(nx, ny)) > limit_cm) continue;
                int& l = label[static_cast<std::size_t>(ny * w + nx)];
                if (l >= 0) continue;
                l = next;
                stack.push_back(ny * w + nx);
            }
        }
        ++next;
    }
    return label;
}

TEST(NavTwinTest, WhateverTheMeshReachesTheGridReachesForEverySizeOfUnit) {
    const NavConfig configs[] = {{},
                                 {.agent_radius = 0.0f, .max_slope = 30.0f},
                                 {.cell_size = 1.0f, .agent_radius = 1.0f},
                                 {.cell_size = 0.25f, .agent_radius = 0.25f, .max_slope = 35.0f, .tiles_per_chunk = 1},
                                 {.agent_radius = 0.75f, .max_slope = 40.0f, .tiles_per_chunk = 4},
                                 {.agent_radius = 1.5f, .max_slope = 60.0f, .max_climb = 10.0f},
                                 {.cell_size = 0.25f, .agent_radius = 2.0f, .max_slope = 70.0f, .max_climb = 10.0f},
                                 {.agent_radius = 3.0f, .max_slope = 70.0f, .max_climb = 10.0f},
                                 {.cell_size = 1.0f, .agent_radius = 3.4f, .max_slope = 70.0f, .max_climb = 10.0f},
                                 {.agent_radius = 4.0f, .max_slope = 80.0f, .max_climb = 10.0f}};
    std::uint64_t seed = 100;
    for (const NavConfig& config : configs) {
        for (int round = 0; round < 2; ++round) {
            SCOPED_TRACE("seed " + std::to_string(++seed));
            Rng rng(seed);
            Fixture f({.width = 160, .height = 130, .origin = {-77, -1000}});
            const int n = config.unitCells();
            scatter(f.world, rng, (120 + 300 * round) * 2 / (n + 1), true);
            if (n > 1) {
                f.edit([&](WorldEdit& e) {
                    for (int i = 0; i < 12; ++i) {
                        const int x = -77 + static_cast<int>(rng.below(140));
                        const int y = -1000 + static_cast<int>(rng.below(110));
                        e.setTerrain({x, y, 1 + static_cast<int>(rng.below(16)), 9}, i % 3 == 0 ? Terrain::Water : Terrain::Mountain);
                    }
                });
            }
            f.open(config);
            // Wheels, to whom mountains are closed.
            const NavMover mover{.unit = n > 1 && round == 0 ? UnitType::Wheeled : UnitType::Infantry};
            const std::vector<int> label = floodLabels(f.world.snapshot(), config.stepLimitCm(), n, mover.unit);
            const auto labelAt = [&](Position p) {  // of the cells nearest to the unit's square
                const float shift = 0.5f - 0.5f * static_cast<float>(n);
                const Cell c = cellAt({p.x + shift, p.y + shift}), o = f.world.snapshot().origin();
                return label[static_cast<std::size_t>((c.y - o.y) * 160 + c.x - o.x)];
            };
            int reached = 0;
            for (int i = 0; i < 3000; ++i) {
                const Position a = randomPosition(f.world, rng), b = randomPosition(f.world, rng);
                if (f.reader->walkable(a, mover)) {
                    ASSERT_GE(labelAt(a), 0) << a.x << "," << a.y;
                }
                if (f.reader->reachable(a, b, mover) != NavStatus::Complete) continue;
                ++reached;
                ASSERT_EQ(labelAt(a), labelAt(b)) << a.x << "," << a.y << " to " << b.x << "," << b.y;
                if (i % 50 == 0) {
                    NavPath path;
                    ASSERT_EQ(f.reader->findPath({.from = a, .to = b, .mover = mover}, path), NavStatus::Complete);
                }
            }
            EXPECT_GT(reached, 5);
        }
    }
}

}  // namespace
}  // namespace warpath
