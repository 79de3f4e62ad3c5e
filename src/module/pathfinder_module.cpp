#include "warpath/module/pathfinder_module.h"

#include <exception>
#include <utility>

#include "module/core.h"
#include "module/task_bridge.h"

namespace warpath {

using namespace module_detail;

namespace {

/// Messages taken in one tick at most, so that a publisher on another thread cannot hold the frame.
constexpr int kMaxMessagesPerTick = 4096;
constexpr std::int64_t kStateVersion = 1;

std::string quotedId(std::string_view id) { return std::move(JsonWriter().value(id)).text(); }

std::optional<Path> pathOf(std::optional<ServiceAnswer>&& answer) {
    if (!answer) return std::nullopt;
    Path path;
    if (!answer->paths.empty()) path = std::move(answer->paths.front());
    path.status = answer->status;
    path.error = std::move(answer->error);
    return path;
}

std::shared_ptr<const FlowField> fieldOf(const std::optional<ServiceAnswer>& answer) {
    return answer && answer->field != nullptr ? answer->field->field : nullptr;
}

}  // namespace

struct PathfinderModule::Impl {
    explicit Impl(PathfinderModuleOptions given) : options(std::move(given)), world(options.world) {
        own_tiles = options.tiles == nullptr;
        if (own_tiles) options.tiles = std::make_shared<TileStore>();
    }

    std::optional<Error> configure(const IDataNode& config, IIO& given_io, ITaskScheduler* given_scheduler);
    ServiceOptions serviceOptions(const Config& config);
    void setCaps(const Config& config);
    void process(const IDataNode& input);
    std::optional<Error> restore(const IDataNode& state);

    PathfinderModuleOptions options;
    bool own_tiles = false;  ///< `options.tiles` was made here, so the configuration sets its caps.
    std::shared_ptr<World> world;
    IIO* io = nullptr;
    ITaskScheduler* scheduler = nullptr;
    JobExecutor jobs;  ///< The host's workers; empty without any.
    std::unique_ptr<ModuleCore> core;
    std::uint64_t frame = 0;
    std::uint64_t faults = 0;  ///< Exceptions caught at the boundary.
    bool ended = false;
};

PathfinderModule::PathfinderModule(PathfinderModuleOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
PathfinderModule::~PathfinderModule() = default;

std::optional<Error> PathfinderModule::setConfiguration(const IDataNode& config, IIO& io, ITaskScheduler* scheduler) {
    try {
        return impl_->configure(config, io, scheduler);
    } catch (const std::exception& e) {
        ++impl_->faults;
        return Error{"config", "unreadable", e.what()};
    }
}

ServiceOptions PathfinderModule::Impl::serviceOptions(const Config& config) {
    ServiceOptions service = serviceOptionsOf(config);
    if (config.performance.async_pathfinding) service.jobs = jobs;
    service.registry = options.registry;
    service.tiles = options.tiles;
    return service;
}

void PathfinderModule::Impl::setCaps(const Config& config) {
    if (!own_tiles) return;
    options.tiles->setCaps(std::size_t{config.performance.tile_megabytes} << 20, std::size_t{config.algorithms.hierarchical.max_megabytes} << 20);
}

std::optional<Error> PathfinderModule::Impl::configure(const IDataNode& given, IIO& given_io, ITaskScheduler* given_scheduler) {
    if (ended) return Error{"module", "shut down", "make a new one"};
    auto read = parseConfig(given.toJson());
    if (auto* error = std::get_if<Error>(&read)) return std::move(*error);
    Config config = std::move(std::get<Config>(read));
    if (auto error = Service::check(serviceOptions(config))) return error;
    if (auto error = checkBackend(config, options.navmesh != nullptr)) return error;
    if (core != nullptr) {
        ServiceOptions service = serviceOptions(config);
        if (auto error = core->reconfigure(config, std::move(service))) return error;
        setCaps(config);
        return std::nullopt;
    }
    if (scheduler == nullptr && given_scheduler != nullptr) {
        scheduler = given_scheduler;
        jobs = makeTaskExecutor(*scheduler);
    }
    setCaps(config);
    ServiceOptions service = serviceOptions(config);
    auto made = std::make_unique<ModuleCore>(given_io, std::move(config), std::move(service), options.navmesh, options.keep_answers);
    if (auto error = made->setWorld(world)) return error;
    for (std::size_t side = 0; side < options.enemies.size(); ++side) {
        if (auto error = made->threat().setEnemies(static_cast<int>(side), options.enemies[side], world.get())) return error;
    }
    for (const char* topic : {kRequestsTopic, kWorldTopic}) {
        if (auto error = given_io.subscribe(topic)) return error;
    }
    io = &given_io;
    core = std::move(made);
    return std::nullopt;
}

void PathfinderModule::process(const IDataNode& input) {
    if (impl_->core == nullptr || impl_->ended) return;
    try {
        impl_->process(input);
    } catch (...) {
        ++impl_->faults;
    }
}

void PathfinderModule::Impl::process(const IDataNode& input) {
    frame = static_cast<std::uint64_t>(input.getInt("frame", static_cast<std::int64_t>(frame + 1)));
    if (scheduler != nullptr) {
        while (scheduler->takeCompletedTask()) {
            // The jobs have told the service themselves.
        }
    }
    core->refreshRules();
    for (int i = 0; i < kMaxMessagesPerTick; ++i) {
        const auto message = io->pull();
        if (!message) break;
        if (message->topic == kRequestsTopic) {
            core->handleRequest(message->payload);
        } else if (message->topic == kWorldTopic) {
            core->handleWorldChange(message->payload);
        }
    }
    core->tick(frame);
}

void PathfinderModule::shutdown() {
    if (impl_->ended) return;
    impl_->ended = true;
    if (impl_->core == nullptr) return;
    try {
        impl_->core->shutdown();
    } catch (...) {
        ++impl_->faults;
    }
}

std::string PathfinderModule::getConfiguration() const { return impl_->core == nullptr ? "{}" : writeConfig(impl_->core->config()); }

std::string PathfinderModule::getHealthStatus() const {
    JsonWriter out;
    out.beginObject().member("module", "pathfinder");
    if (impl_->core == nullptr) {
        out.member("status", "unconfigured").member("pending_tasks", 0);
    } else {
        impl_->core->writeHealth(out);
    }
    out.member("faults", impl_->faults).member("ended", impl_->ended).endObject();
    return std::move(out).text();
}

std::string PathfinderModule::getState() const {
    JsonWriter out;
    out.beginObject().member("version", kStateVersion).member("frame", impl_->frame);
    if (impl_->core != nullptr) impl_->core->writeState(out);
    out.endObject();
    return std::move(out).text();
}

std::optional<Error> PathfinderModule::setState(const IDataNode& state) {
    try {
        return impl_->restore(state);
    } catch (const std::exception& e) {
        ++impl_->faults;
        return Error{"state", "unreadable", e.what()};
    }
}

std::optional<Error> PathfinderModule::Impl::restore(const IDataNode& state) {
    if (core == nullptr) return Error{"state", "given before a configuration", "call setConfiguration first"};
    return core->readState(state.toJson(), kStateVersion, frame);
}

std::optional<Error> PathfinderModule::setWorld(std::shared_ptr<World> world) {
    if (impl_->core != nullptr) {
        if (auto error = impl_->core->setWorld(world)) return error;
    }
    impl_->world = std::move(world);
    return std::nullopt;
}

std::optional<Error> PathfinderModule::setEnemies(int side, std::vector<ThreatSource> sources) {
    if (impl_->core == nullptr) return Error{"module", "not configured", "call setConfiguration first"};
    if (side < 0 || side >= kMaxSides) return Error{"side", std::to_string(side), "use 0 to " + std::to_string(kMaxSides - 1)};
    return impl_->core->threat().setEnemies(side, std::move(sources), impl_->world.get());
}

const std::shared_ptr<World>& PathfinderModule::world() const { return impl_->world; }

std::optional<ServiceAnswer> PathfinderModule::takeAnswer(std::int64_t request_id) {
    if (impl_->core == nullptr) return std::nullopt;
    return impl_->core->takeAnswer(std::to_string(request_id));
}

std::optional<ServiceAnswer> PathfinderModule::takeAnswer(std::string_view request_id) {
    if (impl_->core == nullptr) return std::nullopt;
    return impl_->core->takeAnswer(quotedId(request_id));
}

std::optional<Path> PathfinderModule::takePath(std::int64_t request_id) { return pathOf(takeAnswer(request_id)); }

std::optional<Path> PathfinderModule::takePath(std::string_view request_id) { return pathOf(takeAnswer(request_id)); }

std::shared_ptr<const FlowField> PathfinderModule::field(FieldId field_id) {
    return impl_->core == nullptr ? nullptr : impl_->core->service().field(field_id);
}

std::shared_ptr<const FlowField> PathfinderModule::takeField(std::int64_t request_id) { return fieldOf(takeAnswer(request_id)); }

std::shared_ptr<const FlowField> PathfinderModule::takeField(std::string_view request_id) { return fieldOf(takeAnswer(request_id)); }

Service* PathfinderModule::service() { return impl_->core == nullptr ? nullptr : &impl_->core->service(); }

}  // namespace warpath
