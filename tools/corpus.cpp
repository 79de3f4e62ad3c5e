#include "corpus.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <thread>

#include "navmesh_part.h"

namespace warpath::tool {

Corpus::Corpus(bool reduced, Subject subject) : reduced_(reduced), scenes_(makeScenes()) {
    if (subject == Subject::Navmesh) {
        addNavmeshParts(*this);
        return;
    }
    addWorldParts(*this);
    addSearchParts(*this);
    addFlowParts(*this);
    addTacticalParts(*this);
    addServiceParts(*this);
}

void Corpus::add(const std::string& part, CorpusItem item) {
    const auto found = std::find(parts_.begin(), parts_.end(), part);
    const auto index = static_cast<std::size_t>(found - parts_.begin());
    if (found == parts_.end()) parts_.push_back(part);
    entries_.push_back({index, std::move(item)});
}

std::vector<CorpusPart> runCorpus(const Corpus& corpus, int threads) {
    const auto& entries = corpus.entries();
    std::vector<std::uint64_t> hashes(entries.size());
    std::atomic<std::size_t> next{0};
    const auto tiles = std::make_shared<TileStore>();
    const auto work = [&] {
        Query query(tiles);
        for (std::size_t i = next.fetch_add(1); i < entries.size(); i = next.fetch_add(1)) {
            Hash64 hash;
            entries[i].run(query, hash);
            hashes[i] = hash.value();
        }
    };
    std::vector<std::thread> workers;
    for (int t = 1; t < threads; ++t) workers.emplace_back(work);
    work();
    for (std::thread& worker : workers) worker.join();

    std::vector<Hash64> sums(corpus.parts().size());
    for (std::size_t i = 0; i < entries.size(); ++i) sums[entries[i].part].add(hashes[i]);
    std::vector<CorpusPart> parts;
    for (std::size_t p = 0; p < sums.size(); ++p) parts.push_back({corpus.parts()[p], sums[p].value()});
    return parts;
}

void addFloat(Hash64& hash, float value) { hash.add(std::uint64_t{std::bit_cast<std::uint32_t>(value)}); }
void addDouble(Hash64& hash, double value) { hash.add(std::bit_cast<std::uint64_t>(value)); }

void addPath(Hash64& hash, const Path& path) {
    const auto waypoint = [&hash](const Waypoint& w) {
        addFloat(hash, w.position.x);
        addFloat(hash, w.position.y);
        hash.add(std::uint64_t{w.has_cover});
        addFloat(hash, w.cover_quality);
        addFloat(hash, w.cover_direction.x);
        addFloat(hash, w.cover_direction.y);
        addFloat(hash, w.threat_level);
        addFloat(hash, w.pause_duration);
        hash.add(static_cast<std::uint64_t>(w.speed));
    };
    hash.add(static_cast<std::uint64_t>(path.status));
    hash.add(path.error.field);
    hash.add(std::uint64_t{path.waypoints.size()});
    for (const Waypoint& w : path.waypoints) waypoint(w);
    hash.add(std::uint64_t{path.cells.size()});
    for (const Cell c : path.cells) hash.add((std::uint64_t{static_cast<std::uint32_t>(c.y)} << 32) | static_cast<std::uint32_t>(c.x));
    addDouble(hash, path.length);
    addDouble(hash, path.travel_time);
    hash.add(path.cost);
    const CostBreakdown& b = path.breakdown;
    for (const std::uint64_t part : {b.distance, static_cast<Cost>(b.terrain), static_cast<Cost>(b.road), b.elevation, b.threat, b.exposure, b.cover,
                                     b.congestion, b.wall})
        hash.add(part);
    addFloat(hash, path.threat_level);
    addFloat(hash, path.cover_percentage);
    hash.add(std::uint64_t{path.crosses_open_terrain});
    hash.add(std::uint64_t{path.has_chokepoints});
    for (const Position p : path.chokepoints) {
        addFloat(hash, p.x);
        addFloat(hash, p.y);
    }
    for (const Waypoint& w : path.cover_points) waypoint(w);
    hash.add(static_cast<std::uint64_t>(path.movement_style));
    hash.add(static_cast<std::uint64_t>(path.algorithm));
    addFloat(hash, path.remaining_distance);
    hash.add(path.expansions);
}

}  // namespace warpath::tool
