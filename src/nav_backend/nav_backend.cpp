#include "warpath/nav_backend/nav_backend.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warpath/navmesh/nav_reader.h"
#include "warpath/navmesh/nav_world.h"

namespace warpath {
namespace {

/// Ends may be moved this far onto the mesh: a unit on a free cell beside a wall stands within it [m].
constexpr float kSnap = 1.0f;
static_assert(kMaxSizeClasses == kMaxNavAgents, "each size class has a mesh of its own");

/// What a finder must know of its backend for as long as it lives.
struct Served {
    std::uint64_t world_id = 0;
    std::vector<int> sizes;  ///< Cells along a unit's side, by size class of the mesh.
};

DrawOutcome outcomeOf(NavStatus status) {
    switch (status) {
        case NavStatus::Complete: return DrawOutcome::Drawn;
        case NavStatus::NoStart: return DrawOutcome::StartOff;
        case NavStatus::NoGoal: return DrawOutcome::GoalOff;
        case NavStatus::NotLoaded:
        case NavStatus::Stale: return DrawOutcome::NotReady;
        case NavStatus::OutOfNodes: return DrawOutcome::OutOfNodes;
        case NavStatus::Partial:
        case NavStatus::Unreachable:
        case NavStatus::InvalidInput: return DrawOutcome::NotConnected;
    }
    return DrawOutcome::NotConnected;
}

class NavFinder final : public IRouteFinder {
public:
    NavFinder(const NavWorld& world, const Served& served) : reader_(world), served_(served) {}

    DrawOutcome findRoute(const WorldSnapshot& snapshot, const RouteQuestion& question, DrawnRoute& out) override {
        const MobilityProfile& p = question.profile;
        if (snapshot.state().world_id != served_.world_id) return DrawOutcome::OtherWorld;
        const std::optional<int> agent = agentFor(p.size);
        if (!agent) return DrawOutcome::NoMeshOfSize;
        const NavQuery query{.from = question.from,
                             .to = question.to,
                             .via = question.via,
                             .mover = {.agent = *agent, .unit = p.unit_type, .avoid_water = p.avoid_water, .terrain_weight = question.terrain_weight},
                             .snap = kSnap};
        const NavStatus status = reader_.findPath(query, path_);
        out.expansions = path_.expansions;
        if (status != NavStatus::Complete) return outcomeOf(status);
        if (!path_.links.empty()) return DrawOutcome::UsesLink;
        out.corners.assign(path_.points.begin(), path_.points.end());
        out.cost = static_cast<double>(path_.cost);
        out.knows_all = reader_.holdsWholeMap(*agent);
        return DrawOutcome::Drawn;
    }
    bool isReady(const WorldSnapshot& snapshot, Position p, const MobilityProfile& profile) override {
        const std::optional<int> agent = agentFor(profile.size);
        return agent && snapshot.state().world_id == served_.world_id && reader_.isLoaded(p, *agent);
    }

private:
    [[nodiscard]] std::optional<int> agentFor(int size) const {
        const auto known = std::find(served_.sizes.begin(), served_.sizes.end(), size);
        return known == served_.sizes.end() ? std::nullopt : std::optional(static_cast<int>(known - served_.sizes.begin()));
    }

    NavReader reader_;
    Served served_;
    NavPath path_;
};

/// What the settings close: counted once, on whatever thread.
struct Survey {
    std::vector<RouteBackendNotice> notices;
    std::atomic<bool> done{false};

    void count(const WorldSnapshot& snapshot, const std::vector<NavAgent>& agents) {
        for (const NavAgent& agent : agents) {
            const NavSurvey found = survey(snapshot, agent.mesh);
            notices.push_back({agent.name, found.narrowest_gap, found.closed_gaps, found.steep_steps, found.text()});
        }
        done.store(true, std::memory_order_release);
    }
};

class NavBackend final : public IRouteBackend {
public:
    NavBackend(std::unique_ptr<NavWorld> world, const WorldSnapshot& snapshot, NavExecutor executor)
        : world_(std::move(world)), executor_(std::move(executor)), seen_(snapshot) {
        const NavWorldConfig& config = world_->config();
        served_.world_id = snapshot.state().world_id;
        for (const NavAgent& agent : config.agents) served_.sizes.push_back(agent.mesh.unitCells());
        if (config.load_all || snapshot.chunkColumns() * snapshot.chunkRows() > config.max_loaded_chunks) return;
        // Until somebody says where players look: places from which every chunk is within the load radius.
        const int step = 2 * config.load_radius + 1;
        std::vector<Position> everywhere;
        for (int y = 0; y < snapshot.chunkRows() + config.load_radius; y += step) {
            for (int x = 0; x < snapshot.chunkColumns() + config.load_radius; x += step) {
                const int cx = std::min(x, snapshot.chunkColumns() - 1), cy = std::min(y, snapshot.chunkRows() - 1);
                everywhere.push_back({static_cast<float>(snapshot.origin().x + cx * kChunkSize + kChunkSize / 2),
                                      static_cast<float>(snapshot.origin().y + cy * kChunkSize + kChunkSize / 2)});
            }
        }
        world_->setFocus(everywhere);
    }

    void setFocus(std::span<const Position> positions) override {
        if (told_ || !positions.empty()) world_->setFocus(positions);
        told_ = told_ || !positions.empty();
    }
    void update(const WorldSnapshot& snapshot) override {
        world_->update(snapshot);
        if (survey_ == nullptr) seen_ = snapshot;
    }
    [[nodiscard]] std::vector<RouteBackendNotice> takeNotices() override {
        if (survey_ == nullptr) {
            survey_ = std::make_shared<Survey>();
            const auto count = [survey = survey_, snapshot = std::exchange(seen_, {}), agents = world_->config().agents] { survey->count(snapshot, agents); };
            if (executor_) {
                executor_(count);
            } else {
                count();
            }
        }
        return survey_->done.exchange(false, std::memory_order_acquire) ? std::move(survey_->notices) : std::vector<RouteBackendNotice>{};
    }
    [[nodiscard]] RouteBackendStats stats() const override {
        const NavStats stats = world_->stats();
        return {stats.tiles, stats.chunks, stats.waiting + stats.under_way, stats.built, stats.bytes};
    }
    [[nodiscard]] std::unique_ptr<IRouteFinder> makeFinder() override { return std::make_unique<NavFinder>(*world_, served_); }

private:
    std::unique_ptr<NavWorld> world_;
    Served served_;
    bool told_ = false;
    NavExecutor executor_;
    WorldSnapshot seen_;  ///< Until the survey begins.
    std::shared_ptr<Survey> survey_;
};

}  // namespace

MadeRouteBackend makeNavBackend(const WorldSnapshot& snapshot, const NavWorldConfig& config, NavExecutor executor) {
    auto made = NavWorld::create(snapshot, config, executor);
    if (auto* error = std::get_if<Error>(&made)) return std::move(*error);
    return std::shared_ptr<IRouteBackend>(std::make_shared<NavBackend>(std::move(std::get<std::unique_ptr<NavWorld>>(made)), snapshot, std::move(executor)));
}

NavWorldConfig navWorldConfigOf(const RouteBackendSettings& settings) {
    NavWorldConfig config;
    NavConfig& mesh = config.agents.front().mesh;
    mesh.cell_size = settings.cell_size;
    mesh.cell_height = settings.cell_height;
    mesh.agent_height = settings.agent_height;
    mesh.agent_radius = settings.agent_radius;
    mesh.max_slope = settings.max_slope;
    mesh.max_climb = settings.max_climb;
    config.load_radius = static_cast<int>(settings.load_radius);
    config.unload_radius = static_cast<int>(settings.unload_radius);
    if (check(mesh)) return config;
    for (std::uint32_t i = 1; i < std::min(settings.size_classes, kMaxSizeClasses); ++i) {
        NavAgent larger = config.agents.back();
        while (larger.mesh.unitCells() == config.agents.back().mesh.unitCells()) larger.mesh.agent_radius += 0.5f;
        config.agents.push_back(larger);
    }
    for (NavAgent& agent : config.agents) agent.name = "units of " + std::to_string(agent.mesh.unitCells());
    return config;
}

RouteBackendFactory navBackendFactory() {
    return [](const WorldSnapshot& snapshot, const RouteBackendSettings& settings, RouteBackendExecutor executor) -> MadeRouteBackend {
        const std::string classes = std::to_string(settings.size_classes);
        if (settings.size_classes < 1 || settings.size_classes > kMaxSizeClasses) return Error{"navmesh.size_classes", classes, "use 1 to " + std::to_string(kMaxSizeClasses)};
        const NavWorldConfig config = navWorldConfigOf(settings);
        if (!check(config.agents.front().mesh) && check(config.agents.back().mesh)) {
            return Error{"navmesh.size_classes", classes, "use fewer, or a smaller navmesh.agent_radius: the largest radius may be 8 m"};
        }
        return makeNavBackend(snapshot, config, std::move(executor));
    };
}

}  // namespace warpath
