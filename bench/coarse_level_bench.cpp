// What would a second grid of 16 m cells tell units far off a field's tiles, against the portals that do it?
//
//   build/release/bench/coarse_level_bench [SIDE]         seeded ground of SIDE x SIDE cells [2048], once open and once parted by walls with gates of one cell
//
// Both levels keep narrow passages: the cells of the grid are the connected parts of 16 x 16 blocks, joined where a step joins them, a step from part to part
// priced by the distance of their middles at their mean price. Units that stand anywhere follow each level by the best ways between the places that it names;
// what they pay until they come to the tiles, and on these from there, is compared with the least. A place that cannot be come to, or a walk that never comes to the tiles, is a
// false way. Verified first: no walk pays less.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <queue>
#include <vector>

#include "support/drawn_map.h"
#include "timing.h"
#include "warpath/grid/tile_binding.h"
#include "warpath/pathfinder/query.h"

using namespace warpath;

namespace {

constexpr int kBlock = 16;
constexpr int kUnits = 60;

/// The second grid: parts of blocks, their distances and where they are left.
class BlockLevel {
public:
    void join(const WorldSnapshot& snapshot, const CostKey& key) {
        width_ = snapshot.width();
        height_ = snapshot.height();
        columns_ = (width_ + kBlock - 1) / kBlock;
        binding_.bind(snapshot, key, {}, std::make_shared<TileStore>());
        part_.assign(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), -1);
        parts_.clear();
        for (int y = 0; y < height_; ++y) {
            for (int x = 0; x < width_; ++x) flood(x, y);
        }
        for (Part& p : parts_) {
            p.x /= static_cast<float>(p.cells);
            p.y /= static_cast<float>(p.cells);
            p.price /= static_cast<float>(p.cells);
        }
        edges_.assign(parts_.size(), {});
        for (int y = 0; y < height_; ++y) {
            for (int x = 0; x < width_; ++x) {
                const int from = part_[index(x, y)];
                if (from < 0) continue;
                const std::uint8_t moves = movesOf(x, y);
                for (int d = 0; d < kDirections; ++d) {
                    if (((moves >> d) & 1) == 0) continue;
                    const Cell to{x + kStepX[d], y + kStepY[d]};
                    const int other = part_[index(to.x, to.y)];
                    if (other != from) add(from, other, to);
                }
            }
        }
    }
    void spread(Cell goal) {
        for (Part& p : parts_) p.rest = 1e30f;
        using Entry = std::pair<float, int>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
        const int first = part_[index(goal.x, goal.y)];
        parts_[static_cast<std::size_t>(first)].rest = 0.0f;
        queue.push({0.0f, first});
        while (!queue.empty()) {
            const auto [rest, at] = queue.top();
            queue.pop();
            if (rest != parts_[static_cast<std::size_t>(at)].rest) continue;
            for (const Edge& e : edges_[static_cast<std::size_t>(at)]) {  // plain ground: what one way leads, the other does
                Part& p = parts_[static_cast<std::size_t>(e.to)];
                if (rest + e.cost >= p.rest) continue;
                p.rest = rest + e.cost;
                p.next = at;
                queue.push({p.rest, e.to});
            }
        }
    }
    /// Where a unit goes from here: the step into the next part that is nearest to it. Nowhere from the goal's own part.
    [[nodiscard]] bool next(Cell at, Cell& to) const {
        const int from = part_[index(at.x, at.y)];
        const Part& p = parts_[static_cast<std::size_t>(from)];
        if (p.rest == 0.0f || p.rest >= 1e30f) return false;
        for (const Edge& e : edges_[static_cast<std::size_t>(from)]) {
            if (e.to != p.next) continue;
            int nearest = INT32_MAX;
            for (const Cell c : e.steps) {
                const int d = std::max(std::abs(c.x - at.x), std::abs(c.y - at.y));
                if (d < nearest) {
                    nearest = d;
                    to = c;
                }
            }
            return true;
        }
        return false;
    }
    [[nodiscard]] std::size_t parts() const { return parts_.size(); }
    /// A field's own share: rest and next part; the parts, their labels and steps would be shared by all fields.
    [[nodiscard]] std::size_t fieldBytes() const { return parts_.size() * 8; }

private:
    struct Edge {
        int to;
        float cost;
        std::vector<Cell> steps;
    };
    struct Part {
        float x = 0.0f, y = 0.0f, price = 0.0f, rest = 1e30f;
        int cells = 0, next = -1;
    };
    [[nodiscard]] std::size_t index(int x, int y) const { return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x); }
    [[nodiscard]] std::uint8_t movesOf(int x, int y) {
        const CellRef ref = binding_.refOf(x, y);
        return binding_.slot(slotOf(ref)).moves[localOf(ref)];
    }
    void flood(int x, int y) {
        if (part_[index(x, y)] >= 0 || !binding_.fits(binding_.refOf(x, y))) return;
        const int number = static_cast<int>(parts_.size()), bx = x / kBlock, by = y / kBlock;
        Part& p = parts_.emplace_back();
        std::vector<Cell> open{{x, y}};
        part_[index(x, y)] = number;
        while (!open.empty()) {
            const Cell c = open.back();
            open.pop_back();
            const CellRef ref = binding_.refOf(c.x, c.y);
            p.x += static_cast<float>(c.x);
            p.y += static_cast<float>(c.y);
            p.price += static_cast<float>(binding_.slot(slotOf(ref)).f[localOf(ref)]) * 0.01f;
            ++p.cells;
            const std::uint8_t moves = movesOf(c.x, c.y);
            for (int d = 0; d < kDirections; ++d) {
                const Cell to{c.x + kStepX[d], c.y + kStepY[d]};
                if (((moves >> d) & 1) == 0 || to.x / kBlock != bx || to.y / kBlock != by || part_[index(to.x, to.y)] >= 0) continue;
                part_[index(to.x, to.y)] = number;
                open.push_back(to);
            }
        }
    }
    void add(int from, int to, Cell step) {
        for (Edge& e : edges_[static_cast<std::size_t>(from)]) {
            if (e.to != to) continue;
            e.steps.push_back(step);
            return;
        }
        const Part &a = parts_[static_cast<std::size_t>(from)], &b = parts_[static_cast<std::size_t>(to)];
        const float dx = std::abs(a.x - b.x), dy = std::abs(a.y - b.y);
        edges_[static_cast<std::size_t>(from)].push_back({to, (std::max(dx, dy) + 0.41421356f * std::min(dx, dy)) * 0.5f * (a.price + b.price), {step}});
    }

    int width_ = 0, height_ = 0, columns_ = 0;
    TileBinding binding_;
    std::vector<int> part_;
    std::vector<Part> parts_;
    std::vector<std::vector<Edge>> edges_;
};

/// What units pay that follow a level.
struct Walks {
    std::vector<double> over, first_leg;
    int lost = 0, unknown = 0;
    void print(const char* name) const {
        std::printf("  %-22s %7zu walks, over the least mean %6.2f %%, worst %6.2f %%, false ways %d, level unknown for %d, names a place %4.1f m ahead\n", name, over.size(),
                    (bench::mean(over) - 1.0) * 100.0, (bench::percentile(over, 1.0) - 1.0) * 100.0, lost, unknown, bench::mean(first_leg));
    }
};

template <class Next>
void walk(Query& query, const WorldSnapshot& snapshot, const PathConstraints& constraints, const FlowField& whole, const FlowField& tiled, Cell from, const Next& next, Walks& out) {
    Cost paid = 0;
    Cell at = from;
    Path path;
    const auto go = [&](Cell to) {
        if (to == at) return true;
        if (query.findPath(snapshot, {.from = mid(at.x, at.y), .goal = Goal::point(mid(to.x, to.y)), .constraints = constraints}, path) != PathStatus::Found) return false;
        paid += path.cost;
        at = to;
        return true;
    };
    for (int legs = 0; legs < 1000 && tiled.distance(at) == kNoFlowDistance; ++legs) {
        Cell to;
        if (!next(at, to)) break;
        if (!go(to)) {
            ++out.lost;
            return;
        }
        if (legs == 0) out.first_leg.push_back(costInMetres(paid));
    }
    if (at == from) {
        ++out.unknown;
        return;
    }
    if (tiled.distance(at) == kNoFlowDistance) {
        ++out.lost;
        return;
    }
    paid += tiled.distance(at);
    const Cost least = whole.distance(from);
    if (paid < least) bench::fail("a walk pays less than the least");
    out.over.push_back(static_cast<double>(paid) / static_cast<double>(least));
}

void run(World& world, const char* name) {
    const WorldSnapshot snapshot = world.snapshot();
    const PathConstraints constraints = plainDistance();
    Query query;
    const Cell goal{snapshot.width() - 60, snapshot.height() / 2 + 40};
    FieldRequest request{.goal = Goal::point(mid(goal.x, goal.y)), .constraints = constraints};
    FieldResult whole, tiled;
    query.buildField(snapshot, request, {}, whole);
    request.positions = {mid(60, 60), mid(60, snapshot.height() - 60)};
    for (Position& p : request.positions) {
        while (whole.field->distance(cellAt(p)) == kNoFlowDistance) p.x += 1.0f;
    }
    request.tiled = true;
    query.buildField(snapshot, request, {}, tiled);
    if (tiled.field == nullptr || tiled.field->coarse() == nullptr) bench::fail("no tiled field");
    const CoarseFlow& portals = *tiled.field->coarse();
    BlockLevel blocks;
    const double joined = bench::milliseconds([&] { blocks.join(snapshot, whole.field->info().key); });
    const double spread = bench::milliseconds([&] { blocks.spread(goal); });
    std::printf("%s\n  tiles %.2f MiB; portals %zu KB in %zu chunks; blocks %zu KB a field in %zu parts, joined in %.0f ms (once), spread in %.1f ms a field\n", name,
                static_cast<double>(tiled.field->memoryBytes() - portals.memoryBytes()) / 1048576.0, portals.memoryBytes() / 1024, portals.chunkCount(), blocks.fieldBytes() / 1024,
                blocks.parts(), joined, spread);
    Walks by_portals, by_blocks;
    Rng rng(3);
    for (int units = 0; units < kUnits;) {
        const int x = static_cast<int>(rng.below(static_cast<std::uint32_t>(snapshot.width())));
        const Cell from{x, static_cast<int>(rng.below(static_cast<std::uint32_t>(snapshot.height())))};
        if (whole.field->distance(from) == kNoFlowDistance || whole.field->distance(from) < 300 * kCostPerMetre || tiled.field->tile(tiled.field->chunkOf(from)) != nullptr) continue;
        ++units;
        walk(query, snapshot, constraints, *whole.field, *tiled.field, from, [&](Cell at, Cell& to) {
            const auto way = portals.wayFrom(tiled.field->chunkOf(at), tiled.field->localOf(at));
            if (!way) return false;
            const ChunkCoord chunk = tiled.field->chunkOf(at);
            to = {(chunk.x << kChunkShift) + (way->cell & (kChunkSize - 1)) + kStepX[way->direction], (chunk.y << kChunkShift) + (way->cell >> kChunkShift) + kStepY[way->direction]};
            return true;
        }, by_portals);
        walk(query, snapshot, constraints, *whole.field, *tiled.field, from, [&](Cell at, Cell& to) { return blocks.next(at, to); }, by_blocks);
    }
    by_portals.print("portals");
    by_blocks.print("blocks of 16 m");
}

}  // namespace

int main(int argc, char** argv) {
    const int side = argc > 1 ? std::atoi(argv[1]) : 2048;
    if (side < 1024 || side > 4096) bench::fail("SIDE wants 1024 to 4096");
    for (const bool walls : {false, true}) {
        const std::unique_ptr<World> world = randomField(7, side, side, 8);
        world->edit([&](WorldEdit& e) {
            Rng rng(11);
            for (int x = 150; walls && x < side - 150; x += 170) {  // a gate of one cell every 300 m or so
                for (int y = 0; y < side;) {
                    const int length = 100 + static_cast<int>(rng.below(400)), end = std::min(y + length, side);
                    e.placeObstacle({x, y, 2, end - y}, ObstacleKind::Wall, 3.0f);
                    if (end < side) e.removeObstacle({x - 1, end, 4, 1});
                    y = end + 1;
                }
            }
            e.removeObstacle({side - 64, side / 2 + 36, 9, 9});
        });
        run(*world, walls ? "walls with gates of one cell" : "scattered obstacles");
    }
}
