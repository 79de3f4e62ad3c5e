#include "warpath/navmesh/nav_world.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "navmesh/nav_world_state.h"
#include "navmesh/passability.h"
#include "warpath/core/hash.h"
#include "warpath/core/number_text.h"

namespace warpath {
namespace {

/// Bits of a 32-bit Detour reference left for tile and polygon once the salt has its ten.
constexpr int kReferenceBits = 22, kLeastPolygonBits = 4;

int bitsFor(int count) {
    int bits = 0;
    while ((std::int64_t{1} << bits) < count) ++bits;
    return bits;
}

std::optional<Error> checkRules(const WorldRules& rules) {
    if (rules.terrain_types.size() > kMaxNavTerrainTypes) {
        return Error{"terrain_types", std::to_string(rules.terrain_types.size()) + " types",
                     "the navmesh tells " + std::to_string(kMaxNavTerrainTypes) + " types apart; use fewer, or the grid"};
    }
    const std::size_t sets = passabilitySets(rules).size();
    if (sets > kMaxPassabilitySets) {
        return Error{"unit_classes", std::to_string(sets) + " different sets of enterable terrain",
                     "the navmesh holds " + std::to_string(kMaxPassabilitySets) + "; let classes share the terrain they cannot enter"};
    }
    return std::nullopt;
}

/// Bounding rectangle of the cells whose ground differs in what the mesh depends on [chunk-local]; empty when none.
CellRect changedCells(const ChunkGround& a, const ChunkGround& b) {
    int x0 = kChunkSize, y0 = kChunkSize, x1 = -1, y1 = -1;
    for (int y = 0; y < kChunkSize; ++y) {
        for (int x = 0; x < kChunkSize; ++x) {
            const auto i = static_cast<std::size_t>(localIndex(x, y));
            if (a.terrain[i] == b.terrain[i] && obstacleKind(a.obstacle[i]) == obstacleKind(b.obstacle[i]) &&
                a.elevationCm(static_cast<int>(i)) == b.elevationCm(static_cast<int>(i))) {
                continue;
            }
            x0 = std::min(x0, x);
            y0 = std::min(y0, y);
            x1 = std::max(x1, x);
            y1 = std::max(y1, y);
        }
    }
    return {x0, y0, x1 - x0 + 1, y1 - y0 + 1};
}

int squareDistance(ChunkCoord a, ChunkCoord b) { return std::max(std::abs(a.x - b.x), std::abs(a.y - b.y)); }

}  // namespace

NavWorld::State::State(const WorldSnapshot& first, const NavWorldConfig& settings, NavExecutor executor)
    : config(settings), shared(std::make_shared<navmesh::Shared>(settings.max_readers)),
      queue(settings.agents, settings.max_jobs, std::move(executor)), snapshot(first), sets(passabilitySets(first.rules())),
      published_links(std::make_shared<const std::vector<NavLink>>()),
      chunks(static_cast<std::size_t>(first.chunkColumns()) * static_cast<std::size_t>(first.chunkRows())), ground_hash(chunks.size()) {
    touched.resize(config.agents.size());
    const int held = std::min<int>(config.max_loaded_chunks, static_cast<int>(chunks.size()));
    for (const NavAgent& size_class : config.agents) {
        const NavConfig& mesh = size_class.mesh;
        border_cells = std::max(border_cells, static_cast<int>(std::ceil(static_cast<float>(mesh.erosionCells() + 3) * mesh.cell_size)) + 1);
        Agent agent;
        agent.frame = navmesh::MeshFrame(first.chunkColumns(), first.chunkRows(), mesh);
        agent.tiles.resize(agent.frame.count());
        const int tile_bits = bitsFor(held * mesh.tiles_per_chunk * mesh.tiles_per_chunk);
        agent.max_polygons = 1 << std::min(kReferenceBits - tile_bits, 15);
        for (navmesh::Replica& replica : shared->replicas) {
            replica.meshes.push_back(std::make_unique<navmesh::Mesh>(agent.frame, 1 << tile_bits, agent.max_polygons));
        }
        agent.components.reset(agent.frame, sets, agent.tiles);
        agents.push_back(std::move(agent));
    }
    for (navmesh::Replica& replica : shared->replicas) {
        replica.snapshot = first;
        replica.sets = sets;
    }
}

std::vector<NavLink> NavWorld::State::linksFor(std::size_t agent) const {
    std::vector<NavLink> out;
    for (const NavLink& link : links) {
        if (((link.agents >> agent) & 1) != 0) out.push_back(link);
    }
    return out;
}

std::uint64_t NavWorld::State::groundHash(NavTileBuilder& builder, ChunkCoord chunk) const {
    std::uint64_t hash = 0;
    for (std::size_t a = 0; a < agents.size(); ++a) {
        hash = Hash64::mix(hash ^ builder.groundHash(snapshot, chunk, config.agents[a].mesh, linksFor(a)));
    }
    return hash;
}

void NavWorld::State::requestAround(const CellRect& cells) {
    const auto chunkOf = [](int cell) { return cell >> kChunkShift; };
    const int x1 = std::min(chunkOf(cells.x + cells.width - 1 + border_cells), snapshot.chunkColumns() - 1);
    const int y1 = std::min(chunkOf(cells.y + cells.height - 1 + border_cells), snapshot.chunkRows() - 1);
    for (int y = std::max(chunkOf(cells.y - border_cells), 0); y <= y1; ++y) {
        for (int x = std::max(chunkOf(cells.x - border_cells), 0); x <= x1; ++x) {
            if (chunks[chunkIndex({x, y})] != ChunkState::Absent) queue.request({x, y});
        }
    }
}

void NavWorld::State::noteChanges(const WorldSnapshot& next) {
    if (next == snapshot) return;
    const WorldSnapshot before = std::exchange(snapshot, next);
    const bool other_rules = before.state().rules_revision != next.state().rules_revision;
    if (other_rules) rules_error = checkRules(next.rules());
    if (other_rules && !rules_error) {
        sets = passabilitySets(next.rules());
        for (int y = 0; y < next.chunkRows(); ++y) {
            for (int x = 0; x < next.chunkColumns(); ++x) {
                if (chunks[chunkIndex({x, y})] != ChunkState::Absent) queue.request({x, y});
            }
        }
        relabelAll();
        return;
    }
    next.state().ground.forEachDifference(before.state().ground, [&](ChunkCoord c, const ChunkGround* mine, const ChunkGround* theirs) {
        const CellRect local = changedCells(*mine, *theirs);
        if (!local.empty()) requestAround({c.x * kChunkSize + local.x, c.y * kChunkSize + local.y, local.width, local.height});
    });
}

void NavWorld::State::stream() {
    if (!focus_moved) return;
    focus_moved = false;
    const int columns = snapshot.chunkColumns(), rows = snapshot.chunkRows();
    const auto nearestFocus = [&](ChunkCoord c) {
        int best = config.load_all ? 0 : INT32_MAX;
        for (const ChunkCoord f : focus) best = std::min(best, squareDistance(c, f));
        return best;
    };
    std::vector<std::pair<int, ChunkCoord>> wanted;
    for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < columns; ++x) {
            const ChunkCoord c{x, y};
            ChunkState& state = chunks[chunkIndex(c)];
            const int distance = nearestFocus(c);
            if (state == ChunkState::Absent) {
                if (config.load_all || distance <= config.load_radius) wanted.push_back({distance, c});
            } else if (!config.load_all && distance > config.unload_radius) {
                queue.cancel(c);
                if (state == ChunkState::Loaded) placeChunk(c, nullptr);
                state = ChunkState::Absent;
                --held_chunks;
            }
        }
    }
    std::stable_sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [distance, c] : wanted) {
        if (held_chunks >= config.max_loaded_chunks) break;
        chunks[chunkIndex(c)] = ChunkState::Wanted;
        ++held_chunks;
        queue.request(c);
    }
    queue.setFocus(focus);
}

void NavWorld::State::placeChunk(ChunkCoord chunk, const std::vector<NavChunk>* meshes) {
    for (std::size_t a = 0; a < agents.size(); ++a) {
        const int n = config.agents[a].mesh.tiles_per_chunk;
        for (int i = 0; i < n * n; ++i) {
            const std::int32_t tile = (chunk.y * n + i / n) * agents[a].frame.columns + chunk.x * n + i % n;
            auto& slot = agents[a].tiles[static_cast<std::size_t>(tile)];
            touched[a].push_back(tile);
            if (meshes == nullptr) {
                slot = nullptr;
                continue;
            }
            auto loaded = std::make_shared<navmesh::LoadedTile>();
            loaded->tile = (*meshes)[a].tiles[static_cast<std::size_t>(i)];
            loaded->generation = ++generation;
            if (loaded->tile->polygons.size() + loaded->tile->links.size() > static_cast<std::size_t>(agents[a].max_polygons)) ++counters.oversized;
            slot = std::move(loaded);
        }
    }
}

void NavWorld::State::reconnect() {
    for (std::size_t a = 0; a < agents.size(); ++a) {
        Agent& agent = agents[a];
        // What a new tile may touch: the four sides by seams, all eight by links.
        std::vector<std::int32_t> affected;
        for (const std::int32_t tile : touched[a]) {
            const int x = tile % agent.frame.columns, y = tile / agent.frame.columns;
            for (int ny = std::max(y - 1, 0); ny <= std::min(y + 1, agent.frame.rows - 1); ++ny) {
                for (int nx = std::max(x - 1, 0); nx <= std::min(x + 1, agent.frame.columns - 1); ++nx) {
                    affected.push_back(ny * agent.frame.columns + nx);
                }
            }
        }
        touched[a].clear();
        std::sort(affected.begin(), affected.end());
        affected.erase(std::unique(affected.begin(), affected.end()), affected.end());
        for (const std::int32_t tile : affected) {
            auto& slot = agent.tiles[static_cast<std::size_t>(tile)];
            if (slot != nullptr) slot = navmesh::connectTile(agent.frame, agent.tiles, tile, slot->generation);
        }
        if (affected.empty()) continue;
        const std::span<const std::int32_t> relabelled = agent.components.update(agent.tiles, affected);
        affected.insert(affected.end(), relabelled.begin(), relabelled.end());
        std::sort(affected.begin(), affected.end());
        affected.erase(std::unique(affected.begin(), affected.end()), affected.end());
        noteChanged(a, affected);
    }
}

void NavWorld::State::noteChanged(std::size_t agent, std::span<const std::int32_t> tiles) {
    for (const std::int32_t tile : tiles) {
        for (auto& list : pending) list.push_back({agent, tile, agents[agent].tiles[static_cast<std::size_t>(tile)], agents[agent].components.of(tile)});
    }
}

void NavWorld::State::relabelAll() {
    for (std::size_t a = 0; a < agents.size(); ++a) {
        agents[a].components.reset(agents[a].frame, sets, agents[a].tiles);
        std::vector<std::int32_t> loaded;
        for (std::size_t t = 0; t < agents[a].tiles.size(); ++t) {
            if (agents[a].tiles[t] != nullptr) loaded.push_back(static_cast<std::int32_t>(t));
        }
        noteChanged(a, loaded);
    }
}

void NavWorld::State::takeIn(int limit) {
    std::vector<NavBuildResult> results = queue.takeResults(limit);
    for (NavBuildResult& result : results) {
        ChunkState& state = chunks[chunkIndex(result.chunk)];
        if (state == ChunkState::Absent) continue;
        state = ChunkState::Loaded;
        placeChunk(result.chunk, &result.meshes);
        ++counters.built;
        std::uint64_t& hash = ground_hash[chunkIndex(result.chunk)] = 0;
        for (const NavChunk& mesh : result.meshes) {
            counters.build_ms += mesh.build_ms;
            hash = Hash64::mix(hash ^ mesh.ground_hash);
        }
    }
    bool any = false;
    for (const auto& list : touched) any |= !list.empty();
    if (any) reconnect();
    publish();
}

void NavWorld::State::publish() {
    const std::uint32_t back = 1 - shared->active.load(std::memory_order_relaxed);
    if (shared->replicas[1 - back].snapshot == snapshot && pending[1 - back].empty()) return;
    if (!shared->quiet(back)) {
        ++counters.deferred;
        return;
    }
    navmesh::Replica& replica = shared->replicas[back];
    for (Change& change : pending[back]) replica.meshes[change.agent]->place(change.tile, std::move(change.loaded), std::move(change.labels));
    pending[back].clear();
    replica.snapshot = snapshot;
    replica.sets = sets;
    replica.epoch = ++epoch;
    shared->active.store(back, std::memory_order_seq_cst);
    ++counters.flips;
}

std::variant<std::unique_ptr<NavWorld>, Error> NavWorld::create(const WorldSnapshot& snapshot, const NavWorldConfig& config, NavExecutor executor) {
    if (auto error = check(config)) return *error;
    if (auto error = checkRules(snapshot.rules())) return *error;
    const int held = std::min(config.max_loaded_chunks, snapshot.chunkColumns() * snapshot.chunkRows());
    for (const NavAgent& agent : config.agents) {
        const int tiles = agent.mesh.tiles_per_chunk * agent.mesh.tiles_per_chunk;
        if (bitsFor(held * tiles) > kReferenceBits - kLeastPolygonBits) {
            const int most = (1 << (kReferenceBits - kLeastPolygonBits)) / tiles;
            return Error{"navmesh.max_loaded_chunks", std::to_string(config.max_loaded_chunks), "use at most " + std::to_string(most) + ", or fewer tiles_per_chunk"};
        }
    }
    return std::unique_ptr<NavWorld>(new NavWorld(std::make_unique<State>(snapshot, config, std::move(executor))));
}

NavWorld::NavWorld(std::unique_ptr<State> state) : state_(std::move(state)) {}
NavWorld::~NavWorld() = default;

void NavWorld::setFocus(std::span<const Position> positions) {
    State& s = *state_;
    std::vector<ChunkCoord> focus;
    for (const Position p : positions) {
        if (!isUsable(p)) continue;
        const Cell cell = cellAt(p);
        const ChunkCoord c{(cell.x - s.snapshot.origin().x) >> kChunkShift, (cell.y - s.snapshot.origin().y) >> kChunkShift};
        if (std::find(focus.begin(), focus.end(), c) == focus.end()) focus.push_back(c);
    }
    if (focus == s.focus) return;
    s.focus = std::move(focus);
    s.focus_moved = true;
}

void NavWorld::update(const WorldSnapshot& snapshot) {
    State& s = *state_;
    s.noteChanges(snapshot);
    s.stream();
    s.queue.pump(s.snapshot, s.published_links, s.config.inline_builds_per_update);
    s.takeIn(s.config.chunks_per_update);
}

bool NavWorld::finish(const WorldSnapshot& snapshot) {
    State& s = *state_;
    s.noteChanges(snapshot);
    s.stream();
    s.queue.buildAllHere(s.snapshot, s.published_links);
    s.takeIn(INT32_MAX);
    return s.pending[s.shared->active.load(std::memory_order_relaxed)].empty();
}

std::optional<Error> NavWorld::addLink(const NavLink& link) {
    State& s = *state_;
    if (link.id == 0) return Error{"link.id", "0", "use a number from 1 on"};
    const std::string name = "link " + std::to_string(link.id);
    const auto written = [](Position p) { return "[" + numberText(p.x) + "," + numberText(p.y) + "]"; };
    for (const bool first : {true, false}) {
        const Position end = first ? link.from : link.to;
        if (isUsable(end) && s.snapshot.contains(cellAt(end))) continue;
        return Error{name + (first ? ".from" : ".to"), written(end), "use a position on the map"};
    }
    if (link.from == link.to) return Error{name + ".to", written(link.to), "use a position other than from"};
    const std::uint32_t all_agents = s.agents.size() >= 32 ? ~0u : (1u << s.agents.size()) - 1;
    if ((link.agents & all_agents) == 0) {
        return Error{name + ".agents", std::to_string(link.agents), "set the bit of one of the " + std::to_string(s.agents.size()) + " size classes, from 0 on"};
    }
    if (!(link.radius >= 0.1f && link.radius <= 8.0f)) return Error{name + ".radius", numberText(link.radius), "use a number from 0.1 to 8"};
    if (!(link.cost_factor >= 1.0f && link.cost_factor <= 100.0f)) {
        return Error{name + ".cost_factor", numberText(link.cost_factor), "use a number from 1 to 100"};
    }
    for (std::size_t a = 0; a < s.agents.size(); ++a) {
        const navmesh::MeshFrame& frame = s.agents[a].frame;
        const auto tileOf = [&](Position p) {
            return frame.tileAt({p.x - static_cast<float>(s.snapshot.origin().x), p.y - static_cast<float>(s.snapshot.origin().y)});
        };
        const std::int32_t from = tileOf(link.from), to = tileOf(link.to);
        if (std::abs(from % frame.columns - to % frame.columns) > 1 || std::abs(from / frame.columns - to / frame.columns) > 1) {
            return Error{name, "ends more than a tile apart", "keep both ends within neighbouring tiles of " +
                         std::to_string(static_cast<int>(frame.tile_size)) + " m; for longer ones ask for the way to one end and from the other"};
        }
    }
    removeLink(link.id);
    s.links.push_back(link);
    s.published_links = std::make_shared<const std::vector<NavLink>>(s.links);
    const Cell from = cellAt(link.from), origin = s.snapshot.origin();
    const ChunkCoord chunk{(from.x - origin.x) >> kChunkShift, (from.y - origin.y) >> kChunkShift};
    if (s.chunks[s.chunkIndex(chunk)] != State::ChunkState::Absent) s.queue.request(chunk);
    return std::nullopt;
}

bool NavWorld::removeLink(std::uint32_t id) {
    State& s = *state_;
    const auto it = std::find_if(s.links.begin(), s.links.end(), [&](const NavLink& link) { return link.id == id; });
    if (it == s.links.end()) return false;
    const Cell from = cellAt(it->from), origin = s.snapshot.origin();
    const ChunkCoord chunk{(from.x - origin.x) >> kChunkShift, (from.y - origin.y) >> kChunkShift};
    s.links.erase(it);
    s.published_links = std::make_shared<const std::vector<NavLink>>(s.links);
    if (s.chunks[s.chunkIndex(chunk)] != State::ChunkState::Absent) s.queue.request(chunk);
    return true;
}

const NavWorldConfig& NavWorld::config() const { return state_->config; }

NavStats NavWorld::stats() const {
    const State& s = *state_;
    NavStats out = s.counters;
    out.epoch = s.epoch;
    out.chunks = static_cast<std::size_t>(std::count(s.chunks.begin(), s.chunks.end(), State::ChunkState::Loaded));
    out.waiting = s.queue.waiting();
    out.under_way = s.queue.underWay();
    for (const State::Agent& agent : s.agents) {
        for (const auto& loaded : agent.tiles) {
            if (loaded == nullptr) continue;
            ++out.tiles;
            out.empty_tiles += loaded->tile->empty() ? 1 : 0;
            out.polygons += loaded->tile->polygons.size();
            out.bytes += loaded->tile->memoryBytes() + 2 * loaded->tile->blob.size() + sizeof(navmesh::LoadedTile) +
                         loaded->crossings.size() * sizeof(navmesh::Crossing) + loaded->exits.size() * sizeof(navmesh::Exit) +
                         loaded->first_exit.size() * sizeof(std::uint32_t) + loaded->hangs_on.size() * sizeof(std::int16_t);
            for (const auto& seams : loaded->seams) out.bytes += seams.size() * sizeof(navmesh::Seam);
        }
    }
    return out;
}

const std::optional<Error>& NavWorld::rulesError() const { return state_->rules_error; }

bool NavWorld::isLoaded(ChunkCoord chunk) const {
    return state_->snapshot.state().ground.contains(chunk) && state_->chunks[state_->chunkIndex(chunk)] == State::ChunkState::Loaded;
}

int NavWorld::maxPolygonsPerTile(int agent) const { return state_->agents[static_cast<std::size_t>(agent)].max_polygons; }

}  // namespace warpath
