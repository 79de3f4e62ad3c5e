#include "flow/straight.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "flow/line_cells.h"

namespace warpath::flow {
namespace {

using Vectors = std::array<Vec2, kChunkCells>;

/// The tiles by world cell.
struct Reader {
    const ChunkDirectory<FlowTile>& tiles;
    Cell origin;

    [[nodiscard]] ChunkCoord chunkOf(Cell c) const { return {(c.x - origin.x) >> kChunkShift, (c.y - origin.y) >> kChunkShift}; }
    [[nodiscard]] std::size_t localOf(Cell c) const { return static_cast<std::size_t>(localIndex(c.x - origin.x, c.y - origin.y)); }
    /// Null where there are no distances.
    [[nodiscard]] const FlowTile* tile(ChunkCoord c) const {
        const FlowTile* tile = tiles.contains(c) ? tiles.get(c) : nullptr;
        return tile != nullptr && tile->distances != nullptr && tile->costs != nullptr ? tile : nullptr;
    }
};

/// Cells around one goal that lead on and cost what the goal costs, on its height.
class EvenGround {
public:
    EvenGround(const Reader& reader, const WorldSnapshot& snapshot, Cell goal, int radius)
        : radius_(radius), side_(2 * radius + 1), even_(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_), 0) {
        const FlowTile& home = *reader.tile(reader.chunkOf(goal));
        f_ = home.costs->f[reader.localOf(goal)];
        const std::int32_t height = heightAt(reader, snapshot, goal);
        for (int y = -radius; y <= radius; ++y) {
            for (int x = -radius; x <= radius; ++x) {
                const Cell c{goal.x + x, goal.y + y};
                const FlowTile* tile = snapshot.contains(c) ? reader.tile(reader.chunkOf(c)) : nullptr;
                if (tile == nullptr) continue;
                const std::size_t local = reader.localOf(c);
                even_[index(x, y)] = isFlowWay(tile->code(static_cast<int>(local))) && tile->costs->f[local] == f_ && heightAt(reader, snapshot, c) == height;
            }
        }
    }
    [[nodiscard]] Cost f() const { return f_; }
    [[nodiscard]] bool at(int dx, int dy) const { return even_[index(dx, dy)] != 0; }
    [[nodiscard]] bool seen(int dx, int dy) const {
        return at(dx, dy) && alongLine(dx, dy, [&](int x, int y) { return at(x, y); });
    }

private:
    [[nodiscard]] std::size_t index(int x, int y) const { return static_cast<std::size_t>((y + radius_) * side_ + x + radius_); }
    static std::int32_t heightAt(const Reader& reader, const WorldSnapshot& snapshot, Cell c) {
        return snapshot.state().elevated_chunks == 0 ? 0 : snapshot.ground(reader.chunkOf(c)).elevationCm(static_cast<int>(reader.localOf(c)));
    }

    int radius_, side_;
    Cost f_ = 0;
    std::vector<std::uint8_t> even_;
};

/// The vectors of a tile where arrows are all there is.
std::shared_ptr<Vectors> plainVectors(const FlowTile& tile) {
    auto vectors = std::make_shared<Vectors>();
    for (int local = 0; local < kChunkCells; ++local) {
        const std::uint8_t code = tile.code(local);
        (*vectors)[static_cast<std::size_t>(local)] = isFlowArrow(code) ? kStepVector[code] : Vec2{};
    }
    return vectors;
}

}  // namespace

void straightenNearGoals(ChunkDirectory<FlowTile>& tiles, const WorldSnapshot& snapshot, const FlowFieldInfo& info, int radius) {
    if (radius <= 0 || info.goals.size() > kMostStraightGoals) return;
    const Reader reader{tiles, snapshot.origin()};
    struct Near {
        ChunkCoord chunk;
        std::shared_ptr<Vectors> vectors;  // null: arrows are all there is
        std::vector<std::uint8_t> done;
    };
    std::vector<Near> near;
    for (const Cell goal : info.goals) {
        const ChunkCoord low = reader.chunkOf({goal.x - radius, goal.y - radius}), high = reader.chunkOf({goal.x + radius, goal.y + radius});
        for (int y = low.y; y <= high.y; ++y) {
            for (int x = low.x; x <= high.x; ++x) {
                const ChunkCoord c{x, y};
                if (reader.tile(c) == nullptr || std::any_of(near.begin(), near.end(), [&](const Near& n) { return n.chunk == c; })) continue;
                near.push_back({c, nullptr, std::vector<std::uint8_t>(kChunkCells, 0)});
            }
        }
    }
    // Of large units nobody knows what heights lie under their square: none is straight then, nor stays so from before there was a hill.
    const bool applies = info.key.metric.profile.size == 1 || snapshot.state().elevated_chunks == 0;
    for (const Cell goal : info.goals) {
        if (!applies || reader.tile(reader.chunkOf(goal)) == nullptr) continue;
        if (reader.tile(reader.chunkOf(goal))->distances->at(static_cast<int>(reader.localOf(goal))) != 0) continue;  // an exit
        const EvenGround ground(reader, snapshot, goal, radius);
        for (Near& n : near) {
            const FlowTile& tile = *reader.tile(n.chunk);
            const int x0 = (n.chunk.x << kChunkShift) + snapshot.origin().x - goal.x, y0 = (n.chunk.y << kChunkShift) + snapshot.origin().y - goal.y;
            for (int dy = std::max(y0, -radius); dy <= std::min(y0 + kChunkSize - 1, radius); ++dy) {
                for (int dx = std::max(x0, -radius); dx <= std::min(x0 + kChunkSize - 1, radius); ++dx) {
                    const auto local = static_cast<std::size_t>(localIndex(dx - x0, dy - y0));
                    if (n.done[local] != 0 || !isFlowArrow(tile.code(static_cast<int>(local))) || !ground.at(dx, dy)) continue;
                    if (tile.distances->at(static_cast<int>(local)) != octileLength(dx, dy) * ground.f() || !ground.seen(dx, dy)) continue;
                    n.done[local] = 1;
                    if (n.vectors == nullptr) n.vectors = plainVectors(tile);
                    const auto x = static_cast<float>(-dx), y = static_cast<float>(-dy), length = std::sqrt(x * x + y * y);
                    (*n.vectors)[local] = {x / length, y / length};
                }
            }
        }
    }
    for (Near& n : near) {
        const FlowTile& tile = *reader.tile(n.chunk);
        const bool same = n.vectors == nullptr ? tile.vectors == nullptr : tile.vectors != nullptr && *tile.vectors == *n.vectors;
        if (same) continue;
        auto changed = std::make_shared<FlowTile>(tile);
        changed->vectors = std::move(n.vectors);
        tiles.set(n.chunk, std::move(changed));
    }
}

}  // namespace warpath::flow
