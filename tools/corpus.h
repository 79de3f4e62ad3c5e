// The fixed corpus of `warpath hash`: small generated worlds and what is asked of them, cut into items that run in any order on any thread.
//
//   Corpus corpus(reduced);
//   for (const CorpusPart& part : runCorpus(corpus, threads)) print(part.name, part.hash);
//
// To add a part: write corpus_<topic>.cpp with `void add<Topic>Parts(Corpus&)` and call it in the constructor of Corpus.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "warpath/core/hash.h"
#include "warpath/core/rng.h"
#include "warpath/pathfinder/query.h"
#include "warpath/world/snapshot.h"
#include "warpath/world/threat_source.h"

namespace warpath::tool {

/// One world at one revision.
struct Scene {
    std::string name;
    WorldSnapshot snapshot;
    bool weighted = true;  ///< Terrain, cover and heights differ from cell to cell.
};

/// Runs with the thread's own query (all share one TileStore) and adds what it found. Must depend on nothing but the item.
using CorpusItem = std::function<void(Query& query, Hash64& hash)>;

class Corpus {
public:
    enum class Subject { Library, Navmesh };
    /// @param reduced fewer questions, for slow machines; the hashes differ from the full corpus.
    /// @param subject every part but the navmesh, or the navmesh alone (Refusal where this build has none): its mesh is Recast's, so its
    ///   hashes hold for one version of Recast.
    explicit Corpus(bool reduced, Subject subject = Subject::Library);

    [[nodiscard]] const std::vector<Scene>& scenes() const { return scenes_; }
    /// `full`, or a quarter of it (at least 1) when reduced.
    [[nodiscard]] int count(int full) const { return reduced_ ? (full + 3) / 4 : full; }

    /// Adds an item to a part; parts are printed in the order of their first items.
    void add(const std::string& part, CorpusItem item);

    struct Entry {
        std::size_t part;
        CorpusItem run;
    };
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] const std::vector<std::string>& parts() const { return parts_; }

private:
    bool reduced_;
    std::vector<Scene> scenes_;
    std::vector<Entry> entries_;
    std::vector<std::string> parts_;
};

struct CorpusPart {
    std::string name;
    std::uint64_t hash = 0;
};

/// Runs all items on `threads` threads and combines them in their own order.
[[nodiscard]] std::vector<CorpusPart> runCorpus(const Corpus& corpus, int threads);

/// The scenes: open ground with obstacles, weighted terrain, hills at negative coordinates, blocks for big units, a world after rounds of
/// edits, and land under the threat of enemies that move.
[[nodiscard]] std::vector<Scene> makeScenes();

/// Sources with ids from 1.
[[nodiscard]] std::vector<ThreatSource> randomEnemies(Rng& rng, const CellRect& bounds, int count);

/// A point-to-point request for exact search, for any class, doctrine and side, with ends that are mostly free.
[[nodiscard]] PathRequest randomRequest(Rng& rng, const Scene& scene);

/// Everything of an answer but its time.
void addPath(Hash64& hash, const Path& path);
void addFloat(Hash64& hash, float value);
void addDouble(Hash64& hash, double value);

void addWorldParts(Corpus& corpus);
void addSearchParts(Corpus& corpus);
void addFlowParts(Corpus& corpus);
void addTacticalParts(Corpus& corpus);
void addServiceParts(Corpus& corpus);

}  // namespace warpath::tool
