#include "warpath/host/sequential_module_system.h"

#include <utility>

#include "host/module_registry.h"

namespace warpath {

struct SequentialModuleSystem::Impl {
    Impl(MessageBus& bus, const SequentialOptions& options)
        : registry(bus, {options.queue, options.max_outstanding_tasks, options.offer_scheduler},
                   [](const std::shared_ptr<ModuleScheduler>&) { return true; }),
          max_tasks_per_tick(options.max_tasks_per_tick) {}

    ModuleRegistry registry;
    std::size_t max_tasks_per_tick;
};

SequentialModuleSystem::SequentialModuleSystem(MessageBus& bus, const SequentialOptions& options)
    : impl_(std::make_unique<Impl>(bus, options)) {}
SequentialModuleSystem::~SequentialModuleSystem() {
    shutdown();
}

std::optional<Error> SequentialModuleSystem::registerModule(std::string name, std::unique_ptr<IModule> module, const IDataNode& config) {
    return impl_->registry.add(std::move(name), std::move(module), config);
}

std::optional<Error> SequentialModuleSystem::reconfigureModule(std::string_view name, const IDataNode& config) {
    return impl_->registry.reconfigure(name, config);
}

std::optional<Error> SequentialModuleSystem::removeModule(std::string_view name) {
    return impl_->registry.remove(name);
}

std::optional<Error> SequentialModuleSystem::processModules(double delta_seconds) {
    auto error = impl_->registry.process(delta_seconds);
    if (error && error->field != "module") return error;  // nothing was ticked
    impl_->registry.runWaitingTasks(impl_->max_tasks_per_tick);
    return error;
}

IModule* SequentialModuleSystem::findModule(std::string_view name) {
    return impl_->registry.find(name);
}
std::vector<std::string> SequentialModuleSystem::moduleNames() const {
    return impl_->registry.names();
}
std::size_t SequentialModuleSystem::pendingTaskCount(std::string_view name) const {
    return impl_->registry.pendingTaskCount(name);
}

void SequentialModuleSystem::shutdown() {
    impl_->registry.shutdown();
}

}  // namespace warpath
