// What NavWorld writes and NavReader reads: two replicas of every mesh, of which readers use one while the writer changes the other.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "warpath/navmesh/nav_config.h"
#include "warpath/navmesh/nav_tile.h"
#include "warpath/world/snapshot.h"

class dtNavMesh;

namespace warpath::navmesh {

/// A polygon of a mesh: tile by index (row x columns + column), polygon within it.
struct PolyRef {
    std::int32_t tile = -1;
    std::int32_t polygon = -1;
    [[nodiscard]] bool valid() const { return tile >= 0; }
    [[nodiscard]] std::uint64_t key() const {
        return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(tile)) << 16) | static_cast<std::uint32_t>(polygon);
    }
    friend bool operator==(const PolyRef&, const PolyRef&) = default;
};

/// A piece of border shared by a polygon and one of the neighbour tile.
struct Seam {
    std::uint16_t polygon = 0, other = 0;
    std::uint8_t edge = 0;
    bool low_corner = true, high_corner = true;  ///< A way may bend at that end: not so where there is open ground all around it.
    float low = 0.0f, high = 0.0f;  ///< [m, grid frame] along the border
};

/// One direction of a NavLink whose both ends lie on loaded ground.
struct Crossing {
    std::uint32_t id = 0;
    std::uint16_t polygon = 0;  ///< Of the tile that holds the crossing.
    PolyRef landing;
    Vec2 from, to;              ///< [m, grid frame], on the mesh.
    float cost_factor = 1.0f;
};

/// One way out of a polygon: an edge, or the part of it that a polygon of the neighbour tile shares.
struct Exit {
    PolyRef next;
    Vec2 right, left;          ///< Ends as seen when leaving.
    std::uint8_t terrain = 0;  ///< Of the polygon beyond.
    bool right_corner = false, left_corner = false;  ///< A way may bend at that end.
    bool dead_end = false;     ///< Beyond is nothing that leads anywhere else.
    bool without_area = false; ///< The polygon beyond is a line: what enters it leaves where it came in.
};

/// A tile among its loaded neighbours. Immutable; shared by both replicas and replaced when the tile or a neighbour changes.
struct LoadedTile {
    std::shared_ptr<const NavTile> tile;
    std::array<std::vector<Seam>, 4> seams;  ///< By side, sorted by (polygon, edge, low).
    std::vector<Crossing> crossings;         ///< Sorted by (polygon, id).
    std::vector<Exit> exits;                 ///< By polygon; of one polygon in the order of its edges, along them.
    std::vector<std::uint32_t> first_exit;   ///< Per polygon, and one more.
    /// Per polygon: the neighbour that it hangs on, by itself or with others that hang on it, -1 where it does not. What hangs on a polygon reaches
    /// nothing but through it, so a way that does not end there (or take a link there) need not enter.
    std::vector<std::int16_t> hangs_on;
    std::uint64_t generation = 0;            ///< Counts what was ever put in a tile's place, over the whole NavWorld.
};

/// Labels of a tile's ground. Two patches with different labels are not connected for that passability set. Immutable.
struct TileLabels {
    static constexpr std::uint32_t kNone = 0xffffffff;
    std::size_t patches = 0;
    std::vector<std::uint32_t> label;  ///< [set x patches + patch]; kNone where the set may not enter.
    std::vector<std::uint16_t> group;  ///< The same for what is connected within the tile: small numbers, 0xffff where the set may not enter.
};

/// How the tiles of a mesh lie.
struct MeshFrame {
    int columns = 0, rows = 0;  ///< [tiles]
    float tile_size = 0.0f;     ///< [m]

    MeshFrame() = default;
    MeshFrame(int chunk_columns, int chunk_rows, const NavConfig& config)
        : columns(chunk_columns * config.tiles_per_chunk), rows(chunk_rows * config.tiles_per_chunk),
          tile_size(static_cast<float>(kChunkSize / config.tiles_per_chunk)) {}
    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
    /// Index of the tile that holds a point of the grid's frame, or -1 off the map.
    [[nodiscard]] std::int32_t tileAt(Vec2 p) const;
    /// The tile beyond a side (0 east, 1 south, 2 west, 3 north), or -1.
    [[nodiscard]] std::int32_t beyond(std::int32_t tile, int side) const;
};

/// One size class in one replica.
struct Mesh : MeshFrame {
    /// @param max_polygons per tile that Detour takes; larger tiles are kept from it.
    Mesh(const MeshFrame& frame, int max_tiles, int max_polygons);
    ~Mesh();
    Mesh(const Mesh&) = delete;
    Mesh& operator=(const Mesh&) = delete;

    int max_polygons = 0;
    std::vector<std::shared_ptr<const LoadedTile>> tiles;
    std::size_t loaded = 0;  ///< Of them.
    std::vector<std::uint32_t> detour_refs;  ///< Per tile, 0 when not loaded.
    std::vector<std::shared_ptr<const TileLabels>> labels;  ///< Per tile.
    std::array<std::uint32_t, 64> terrain_polygons{};  ///< Loaded polygons per terrain type.
    dtNavMesh* detour = nullptr;

    /// Puts a tile (or, with null, nothing) in its place.
    void place(std::int32_t tile, std::shared_ptr<const LoadedTile> next, std::shared_ptr<const TileLabels> tile_labels);
    [[nodiscard]] const LoadedTile* at(std::int32_t tile) const { return tiles[static_cast<std::size_t>(tile)].get(); }
};

/// Everything a query reads.
struct Replica {
    std::vector<std::unique_ptr<Mesh>> meshes;  ///< By size class.
    WorldSnapshot snapshot;    ///< For heights and the cost table.
    std::vector<std::uint64_t> sets;  ///< Passability sets of the snapshot's rules.
    std::uint64_t epoch = 0;
};

/// A reader's announcement of which replica it is in. One cache line each, so that readers do not disturb each other.
struct alignas(64) ReaderSlot {
    std::atomic<std::uint32_t> pinned{0};  ///< 0: none, 1 + replica.
    std::atomic<bool> taken{false};
};

/// Left-right (Ramalhete and Correia 2013) with one announcement per reader: readers never wait and write only their own slot; the writer
/// changes the replica that is not active once no reader is left in it, and otherwise tries again at its next update.
struct Shared {
    explicit Shared(int max_readers) : slots(static_cast<std::size_t>(max_readers)) {}

    std::array<Replica, 2> replicas;
    std::atomic<std::uint32_t> active{0};
    std::vector<ReaderSlot> slots;

    [[nodiscard]] bool quiet(std::uint32_t replica) const {
        for (const ReaderSlot& slot : slots) {
            if (slot.pinned.load(std::memory_order_seq_cst) == replica + 1) return false;
        }
        return true;
    }
};

/// Holds a replica for the time of a query.
class Pin {
public:
    Pin(Shared& shared, ReaderSlot& slot) : slot_(slot) {
        std::uint32_t replica = shared.active.load(std::memory_order_acquire);
        for (;;) {
            slot_.pinned.store(replica + 1, std::memory_order_seq_cst);
            // Between the load and the store the writer may have flipped and found this replica quiet. It has not if it is still active.
            const std::uint32_t now = shared.active.load(std::memory_order_seq_cst);
            if (now == replica) break;
            replica = now;
        }
        replica_ = &shared.replicas[replica];
    }
    ~Pin() { slot_.pinned.store(0, std::memory_order_release); }
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    const Replica& operator*() const { return *replica_; }
    const Replica* operator->() const { return replica_; }

private:
    ReaderSlot& slot_;
    const Replica* replica_;
};

/// Tiles by place, as the writer keeps them.
using TileGrid = std::vector<std::shared_ptr<const LoadedTile>>;

/// A tile with its seams and crossings towards its present neighbours.
[[nodiscard]] std::shared_ptr<const LoadedTile> connectTile(const MeshFrame& frame, const TileGrid& tiles, std::int32_t tile, std::uint64_t generation);

/// The point of a convex polygon (its inside included) nearest to p.
[[nodiscard]] Vec2 closestOnPolygon(const NavTile& tile, const NavPolygon& polygon, Vec2 p);

}  // namespace warpath::navmesh
