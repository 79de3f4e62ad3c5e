#include "warpath/host/multithreaded_module_system.h"

#include <utility>

#include "host/module_registry.h"
#include "warpath/host/thread_pool.h"

namespace warpath {

struct MultithreadedModuleSystem::Impl {
    Impl(MessageBus& bus, const MultithreadedOptions& options)
        : pool(options.threads),
          registry(bus, {options.queue, options.max_outstanding_tasks, true}, [this](std::shared_ptr<ModuleScheduler> scheduler) {
              return pool.enqueue([scheduler = std::move(scheduler)] { scheduler->runOne(); });
          }) {}

    ThreadPool pool;  // outlives the registry, whose schedulers announce their tasks to it
    ModuleRegistry registry;
};

MultithreadedModuleSystem::MultithreadedModuleSystem(MessageBus& bus, const MultithreadedOptions& options)
    : impl_(std::make_unique<Impl>(bus, options)) {}
MultithreadedModuleSystem::~MultithreadedModuleSystem() {
    shutdown();
}

std::optional<Error> MultithreadedModuleSystem::registerModule(std::string name, std::unique_ptr<IModule> module, const IDataNode& config) {
    return impl_->registry.add(std::move(name), std::move(module), config);
}

std::optional<Error> MultithreadedModuleSystem::reconfigureModule(std::string_view name, const IDataNode& config) {
    return impl_->registry.reconfigure(name, config);
}

std::optional<Error> MultithreadedModuleSystem::removeModule(std::string_view name) {
    return impl_->registry.remove(name);
}

std::optional<Error> MultithreadedModuleSystem::processModules(double delta_seconds) {
    return impl_->registry.process(delta_seconds);
}

IModule* MultithreadedModuleSystem::findModule(std::string_view name) {
    return impl_->registry.find(name);
}
std::vector<std::string> MultithreadedModuleSystem::moduleNames() const {
    return impl_->registry.names();
}
std::size_t MultithreadedModuleSystem::pendingTaskCount(std::string_view name) const {
    return impl_->registry.pendingTaskCount(name);
}

void MultithreadedModuleSystem::shutdown() {
    impl_->registry.shutdown();
    impl_->pool.stop();
}

}  // namespace warpath
