// The seam where another pathfinder plugs in: a learned one, a game's own, a recorder around ours.
//
//   PathfinderRegistry registry;                                       // knows "classic"
//   registry.add("ml", [](const PathfinderContext& c) { return std::make_unique<MyPathfinder>(c); });
//   auto made = registry.create("ml", context);                        // or an Error that lists the names
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/pathfinder/query.h"

namespace warpath {

/// The name under which registries know ClassicPathfinder. The service shares fields among groups and checks routes at delivery for the pathfinder of this
/// name alone: one added under another is asked each request, whatever it is made of.
inline constexpr const char* kClassicPathfinder = "classic";

/// Threads: one thread at a time per object; the service makes one per worker.
class IPathfinder {
public:
    virtual ~IPathfinder() = default;

    /// As Query::findPath.
    virtual PathStatus findPath(const WorldSnapshot& snapshot, const PathRequest& request, Path& out) = 0;
    /// As Query::findAllPaths.
    virtual PathStatus findAllPaths(const WorldSnapshot& snapshot, const MultiPathRequest& request, std::vector<Path>& out) = 0;
    /// As Query::validatePath.
    virtual PathValidation validatePath(const WorldSnapshot& snapshot, const Path& path, const PathConstraints& constraints) = 0;
};

/// What an implementation is made from.
struct PathfinderContext {
    std::shared_ptr<TileStore> tiles;  ///< Shared by all workers.
    AlgorithmRules rules;
    RouteRules routes{};
    std::shared_ptr<IRouteBackend> backend{};  ///< Draws single units' paths where terrain alone is priced [none: the grid answers all].
};

using PathfinderFactory = std::function<std::unique_ptr<IPathfinder>(const PathfinderContext&)>;

/// Implementations by name. A value: copy it, hand it to the service. Reading is safe from any thread.
class PathfinderRegistry {
public:
    /// Knows kClassicPathfinder.
    PathfinderRegistry();

    /// Adds or replaces a name.
    void add(std::string name, PathfinderFactory factory);

    /// Makes one, or says which names exist.
    [[nodiscard]] std::variant<std::unique_ptr<IPathfinder>, Error> create(const std::string& name, const PathfinderContext& context) const;

    [[nodiscard]] std::vector<std::string> names() const;

private:
    std::map<std::string, PathfinderFactory> factories_;
};

/// The implementation named kClassicPathfinder: what chooseAlgorithm picks on the grid, and where a backend is set its routes for requests that
/// Query::findDrawn takes. Whatever the backend cannot answer the grid answers, and Query::drawStretches hands it what it can draw of that.
class ClassicPathfinder final : public IPathfinder {
public:
    explicit ClassicPathfinder(const PathfinderContext& context);
    PathStatus findPath(const WorldSnapshot& snapshot, const PathRequest& request, Path& out) override;
    PathStatus findAllPaths(const WorldSnapshot& snapshot, const MultiPathRequest& request, std::vector<Path>& out) override;
    PathValidation validatePath(const WorldSnapshot& snapshot, const Path& path, const PathConstraints& constraints) override;

    /// The engine behind it, for what the seam does not cover.
    [[nodiscard]] Query& query() { return query_; }
    /// What the backend made of the last findPath.
    [[nodiscard]] DrawOutcome drawOutcome() const { return drawn_; }

private:
    Query query_;
    std::shared_ptr<IRouteBackend> backend_;
    std::unique_ptr<IRouteFinder> finder_;
    DrawOutcome drawn_ = DrawOutcome::NoFinder;
};

}  // namespace warpath
