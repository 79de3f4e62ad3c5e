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

}  // namespace

struct PathfinderModule::Impl {
    explicit Impl(PathfinderModuleOptions given) : options(std::move(given)), world(options.world) {
        if (options.tiles == nullptr) options.tiles = std::make_shared<TileStore>();
    }

    std::optional<Error> configure(const IDataNode& config, IIO& given_io, ITaskScheduler* given_scheduler);
    ServiceOptions serviceOptions(const Settings& settings);
    void process(const IDataNode& input);
    std::optional<Error> restore(const IDataNode& state);

    PathfinderModuleOptions options;
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

ServiceOptions PathfinderModule::Impl::serviceOptions(const Settings& settings) {
    ServiceOptions service;
    if (settings.async_pathfinding) service.jobs = jobs;
    service.registry = options.registry;
    service.pathfinder_impl = settings.pathfinder_impl;
    service.tiles = options.tiles;
    service.rules = settings.rules;
    service.max_pending = settings.max_pending;
    service.max_searches_per_tick = settings.max_paths_per_frame;
    service.path_pool_size = settings.path_pool_size;
    return service;
}

std::optional<Error> PathfinderModule::Impl::configure(const IDataNode& config, IIO& given_io, ITaskScheduler* given_scheduler) {
    if (ended) return Error{"module", "shut down", "make a new one"};
    auto read = readSettings(config.toJson());
    if (auto* error = std::get_if<Error>(&read)) return std::move(*error);
    Settings settings = std::move(std::get<Settings>(read));
    if (auto error = Service::check(serviceOptions(settings))) return error;
    if (core != nullptr) {
        ServiceOptions service = serviceOptions(settings);
        return core->reconfigure(std::move(settings), std::move(service));
    }
    for (const char* topic : {kRequestsTopic, kWorldTopic}) {
        if (auto error = given_io.subscribe(topic)) return error;
    }
    io = &given_io;
    scheduler = given_scheduler;
    if (scheduler != nullptr) jobs = makeTaskExecutor(*scheduler);
    ServiceOptions service = serviceOptions(settings);
    core = std::make_unique<ModuleCore>(*io, world, std::move(settings), std::move(service), options.keep_answers);
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

std::string PathfinderModule::getConfiguration() const { return impl_->core == nullptr ? "{}" : impl_->core->settings().effective; }

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

void PathfinderModule::setWorld(std::shared_ptr<World> world) {
    impl_->world = std::move(world);
    if (impl_->core != nullptr) impl_->core->setWorld(impl_->world);
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

Service* PathfinderModule::service() { return impl_->core == nullptr ? nullptr : &impl_->core->service(); }

}  // namespace warpath
