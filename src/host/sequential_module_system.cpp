#include "warpath/host/sequential_module_system.h"

#include "host/module_registry.h"

namespace warpath {

SequentialModuleSystem::SequentialModuleSystem(MessageBus& bus, const SequentialOptions& options)
    : RegisteredModules(std::make_unique<ModuleRegistry>(
          bus, ModuleRegistry::Options{options.queue, options.max_outstanding_tasks, options.offer_scheduler},
          [](const std::shared_ptr<ModuleScheduler>&) { return true; })),
      max_tasks_per_tick_(options.max_tasks_per_tick) {}

SequentialModuleSystem::~SequentialModuleSystem() { SequentialModuleSystem::shutdown(); }

std::optional<Error> SequentialModuleSystem::processModules(double delta_seconds) {
    auto error = RegisteredModules::processModules(delta_seconds);
    if (error && error->field != "module") return error;  // nothing was ticked
    registry().runWaitingTasks(max_tasks_per_tick_);
    return error;
}

}  // namespace warpath
