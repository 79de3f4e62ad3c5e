#include "warpath/pathfinder/ipathfinder.h"

namespace warpath {

PathfinderRegistry::PathfinderRegistry() {
    add(kClassicPathfinder, [](const PathfinderContext& context) { return std::make_unique<ClassicPathfinder>(context); });
}

void PathfinderRegistry::add(std::string name, PathfinderFactory factory) { factories_[std::move(name)] = std::move(factory); }

std::variant<std::unique_ptr<IPathfinder>, Error> PathfinderRegistry::create(const std::string& name, const PathfinderContext& context) const {
    const auto it = factories_.find(name);
    if (it != factories_.end()) return it->second(context);
    std::string known;
    for (const auto& entry : factories_) known += (known.empty() ? "" : ", ") + entry.first;
    return Error{"pathfinder_impl", name, "use one of: " + known};
}

std::vector<std::string> PathfinderRegistry::names() const {
    std::vector<std::string> names;
    for (const auto& entry : factories_) names.push_back(entry.first);
    return names;
}

ClassicPathfinder::ClassicPathfinder(const PathfinderContext& context)
    : query_(context.tiles, context.rules, context.routes), backend_(context.backend),
      finder_(backend_ != nullptr ? backend_->makeFinder() : nullptr) {}

PathStatus ClassicPathfinder::findPath(const WorldSnapshot& snapshot, const PathRequest& request, Path& out) {
    drawn_ = finder_ != nullptr ? query_.findDrawn(snapshot, request, *finder_, out) : DrawOutcome::NoFinder;
    if (drawn_ == DrawOutcome::Drawn) return out.status;
    query_.findPath(snapshot, request, out);
    if (finder_ != nullptr && drawn_ != DrawOutcome::NotPlain) query_.drawStretches(snapshot, request, *finder_, out);
    return out.status;
}

PathStatus ClassicPathfinder::findAllPaths(const WorldSnapshot& snapshot, const MultiPathRequest& request, std::vector<Path>& out) {
    return query_.findAllPaths(snapshot, request, out);
}

PathValidation ClassicPathfinder::validatePath(const WorldSnapshot& snapshot, const Path& path, const PathConstraints& constraints) {
    return query_.validatePath(snapshot, path, constraints);
}

}  // namespace warpath
