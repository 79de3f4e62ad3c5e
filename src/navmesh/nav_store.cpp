#include "warpath/navmesh/nav_world.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"  // for a compiler to whom Detour's headers are no system headers
#include <DetourNavMesh.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <bit>
#include <string>

#include "navmesh/nav_world_state.h"
#include "navmesh/passability.h"
#include "warpath/core/hash.h"
#include "warpath/navmesh/nav_tile_builder.h"

namespace warpath {
namespace {

constexpr std::uint64_t kMagic = 0x31564e4850525741ull;  // "AWRPHNV1"
constexpr std::uint32_t kFormatVersion = 2;  // 2: a radius is kept along x and y, no longer all round

class Writer {
public:
    void put(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
    void put(float value) { put(std::bit_cast<std::uint32_t>(value), 4); }
    std::vector<std::uint8_t> out;
};

class Reader {
public:
    explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    std::uint64_t get(int count) {
        std::uint64_t value = 0;
        if (bytes_.size() < static_cast<std::size_t>(count)) {
            ok = false;
            bytes_ = {};
            return 0;
        }
        for (int i = 0; i < count; ++i) value |= static_cast<std::uint64_t>(bytes_[static_cast<std::size_t>(i)]) << (8 * i);
        bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
        return value;
    }
    std::span<const std::uint8_t> take(std::size_t count) {
        if (bytes_.size() < count) {
            ok = false;
            bytes_ = {};
            return {};
        }
        const auto out = bytes_.first(count);
        bytes_ = bytes_.subspan(count);
        return out;
    }
    bool ok = true;

private:
    std::span<const std::uint8_t> bytes_;
};

/// What the mesh makes of the rules: which sets of terrain there are.
std::uint64_t rulesHash(const WorldRules& rules) {
    Hash64 h;
    h.add(rules.terrain_types.size());
    for (const std::uint64_t set : passabilitySets(rules)) h.add(set);
    return h.value();
}

std::uint64_t settingsHash(const NavWorldConfig& config) {
    Hash64 h;
    for (const NavAgent& agent : config.agents) {
        const NavConfig& m = agent.mesh;
        for (const float v : {m.cell_size, m.cell_height, m.agent_height, m.agent_radius, m.max_slope, m.max_climb, m.max_edge_error}) {
            h.add(std::bit_cast<std::uint32_t>(v));
        }
        h.add(static_cast<std::uint64_t>(m.tiles_per_chunk));
    }
    return h.value();
}

/// Place and size of the map. The ground itself is hashed per chunk, so that one building does not void a file.
std::uint64_t mapHash(const WorldSnapshot& s) {
    Hash64 h;
    for (const int v : {s.width(), s.height(), s.origin().x, s.origin().y}) h.add(static_cast<std::uint64_t>(static_cast<std::int64_t>(v)));
    return h.value();
}

std::uint64_t bytesHash(std::span<const std::uint8_t> bytes) {
    Hash64 h;
    for (const std::uint8_t b : bytes) h.addByte(b);
    return h.value();
}

/// Everything of the header behind the magic number.
void putHeader(Writer& w, const WorldSnapshot& snapshot, const NavWorldConfig& config) {
    w.put(kFormatVersion, 4);
    w.put(static_cast<std::uint32_t>(DT_NAVMESH_VERSION), 4);
    // Blobs are Detour's structs as this machine lays them out.
    w.put((std::endian::native == std::endian::little ? 1u : 2u) | sizeof(dtMeshHeader) << 8 | sizeof(dtPoly) << 20, 4);
    w.put(mapHash(snapshot), 8);
    w.put(rulesHash(snapshot.rules()), 8);
    w.put(settingsHash(config), 8);
}

std::string hexText(std::uint64_t value) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text.push_back(kDigits[(value >> shift) & 15]);
    return text;
}

}  // namespace

std::vector<std::uint8_t> NavWorld::saveTiles() const {
    const State& s = *state_;
    Writer w;
    w.put(kMagic, 8);
    putHeader(w, s.snapshot, s.config);
    w.put(static_cast<std::uint64_t>(std::count(s.chunks.begin(), s.chunks.end(), State::ChunkState::Loaded)), 4);
    for (int y = 0; y < s.snapshot.chunkRows(); ++y) {
        for (int x = 0; x < s.snapshot.chunkColumns(); ++x) {
            if (s.chunks[s.chunkIndex({x, y})] != State::ChunkState::Loaded) continue;
            Writer body;
            for (std::size_t a = 0; a < s.agents.size(); ++a) {
                const int n = s.config.agents[a].mesh.tiles_per_chunk;
                for (int i = 0; i < n * n; ++i) {
                    const int tile = (y * n + i / n) * s.agents[a].frame.columns + x * n + i % n;
                    const NavTile& t = *s.agents[a].tiles[static_cast<std::size_t>(tile)]->tile;
                    body.put(t.blob.size(), 4);
                    body.out.insert(body.out.end(), t.blob.begin(), t.blob.end());
                }
            }
            w.put(static_cast<std::uint32_t>(x), 4);
            w.put(static_cast<std::uint32_t>(y), 4);
            w.put(s.ground_hash[s.chunkIndex({x, y})], 8);
            w.put(body.out.size(), 4);
            w.put(bytesHash(body.out), 8);
            w.out.insert(w.out.end(), body.out.begin(), body.out.end());
        }
    }
    return std::move(w.out);
}

std::variant<NavWorld::LoadReport, Error> NavWorld::loadTiles(std::span<const std::uint8_t> bytes, const WorldSnapshot& snapshot) {
    State& s = *state_;
    Reader r(bytes);
    if (r.get(8) != kMagic) return Error{"navmesh file", std::to_string(bytes.size()) + " bytes", "use a file that saveTiles made"};
    struct Check {
        const char* field;
        int bytes;
        const char* remedy;
    };
    constexpr Check kChecks[] = {{"navmesh file.format", 4, "save it again with this version of the library"},
                                 {"navmesh file.detour", 4, "save it again with this version of Detour"},
                                 {"navmesh file.machine", 4, "save it again on this kind of machine"},
                                 {"navmesh file.map", 8, "use the file of this map"},
                                 {"navmesh file.rules", 8, "save it again with these unit classes and terrain types"},
                                 {"navmesh file.settings", 8, "save it again with these settings"}};
    Writer expected;
    putHeader(expected, snapshot, s.config);
    Reader want(expected.out);
    for (const Check& check : kChecks) {
        const std::uint64_t found = r.get(check.bytes), wanted = want.get(check.bytes);
        if (!r.ok) return Error{"navmesh file", std::to_string(bytes.size()) + " bytes", "the file is cut short; save it again"};
        if (found != wanted) return Error{check.field, hexText(found) + " instead of " + hexText(wanted), check.remedy};
    }
    s.noteChanges(snapshot);
    LoadReport report;
    NavTileBuilder builder;
    for (std::uint64_t left = r.get(4); left > 0 && r.ok; --left) {
        const std::uint64_t x = r.get(4), y = r.get(4), ground = r.get(8), size = r.get(4), hash = r.get(8);
        const std::span<const std::uint8_t> body = r.take(size);
        const ChunkCoord chunk{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)};
        if (!r.ok || x >= static_cast<std::uint64_t>(snapshot.chunkColumns()) || y >= static_cast<std::uint64_t>(snapshot.chunkRows()) ||
            bytesHash(body) != hash) {
            ++report.damaged;
            continue;
        }
        if (s.chunks[s.chunkIndex(chunk)] == State::ChunkState::Loaded) continue;
        if (s.held_chunks >= s.config.max_loaded_chunks && s.chunks[s.chunkIndex(chunk)] == State::ChunkState::Absent) continue;
        if (s.groundHash(builder, chunk) != ground) {
            ++report.outdated;
            continue;
        }
        Reader tiles(body);
        std::vector<NavChunk> meshes;
        bool sound = true;
        for (std::size_t a = 0; a < s.agents.size() && sound; ++a) {
            const NavConfig& mesh = s.config.agents[a].mesh;
            NavChunk built;
            built.chunk = chunk;
            for (int i = 0; i < mesh.tiles_per_chunk * mesh.tiles_per_chunk && sound; ++i) {
                const auto blob = tiles.take(tiles.get(4));
                const NavTileCoord coord{chunk.x * mesh.tiles_per_chunk + i % mesh.tiles_per_chunk,
                                         chunk.y * mesh.tiles_per_chunk + i / mesh.tiles_per_chunk};
                auto tile = makeNavTile(coord, s.agents[a].frame.tile_size, {blob.begin(), blob.end()},
                                        builder.linksOf(snapshot, coord, mesh, s.linksFor(a)));
                sound = tiles.ok && tile != nullptr;
                built.tiles.push_back(std::move(tile));
            }
            meshes.push_back(std::move(built));
        }
        if (!sound) {
            ++report.damaged;
            continue;
        }
        State::ChunkState& state = s.chunks[s.chunkIndex(chunk)];
        if (state == State::ChunkState::Absent) ++s.held_chunks;
        s.queue.cancel(chunk);
        state = State::ChunkState::Loaded;
        s.ground_hash[s.chunkIndex(chunk)] = ground;
        s.placeChunk(chunk, &meshes);
        ++report.loaded;
    }
    if (!r.ok) ++report.damaged;
    s.reconnect();
    s.publish();
    s.focus_moved = true;  // what lies out of range goes again
    return report;
}

}  // namespace warpath
