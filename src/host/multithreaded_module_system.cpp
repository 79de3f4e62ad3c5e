#include "warpath/host/multithreaded_module_system.h"

#include <utility>

#include "host/module_registry.h"
#include "warpath/host/thread_pool.h"

namespace warpath {

MultithreadedModuleSystem::MultithreadedModuleSystem(MessageBus& bus, const MultithreadedOptions& options)
    : MultithreadedModuleSystem(bus, options, std::make_shared<ThreadPool>(options.threads)) {}

// The schedulers announce their tasks to the pool, which therefore lives as long as they do.
MultithreadedModuleSystem::MultithreadedModuleSystem(MessageBus& bus, const MultithreadedOptions& options, std::shared_ptr<ThreadPool> pool)
    : RegisteredModules(std::make_unique<ModuleRegistry>(bus, ModuleRegistry::Options{options.queue, options.max_outstanding_tasks, true},
                                                         [pool](std::shared_ptr<ModuleScheduler> scheduler) {
                                                             return pool->enqueue([scheduler = std::move(scheduler)] { scheduler->runOne(); });
                                                         })),
      pool_(std::move(pool)) {}

MultithreadedModuleSystem::~MultithreadedModuleSystem() { MultithreadedModuleSystem::shutdown(); }

void MultithreadedModuleSystem::shutdown() {
    RegisteredModules::shutdown();
    pool_->stop();
}

}  // namespace warpath
