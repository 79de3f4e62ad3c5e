// The reference host: modules are ticked on the game's thread, their tasks run in a thread pool.
//
//   MessageBus bus;
//   MultithreadedModuleSystem system(bus, {.threads = 3});
#pragma once

#include <cstddef>
#include <memory>

#include "warpath/host/message_bus.h"
#include "warpath/host/registered_modules.h"

namespace warpath {

class ThreadPool;

struct MultithreadedOptions {
    /// Workers shared by all modules [threads] [0: one less than the machine has, at least one].
    std::size_t threads = 0;
    /// Tasks of one module that are scheduled and whose result is not yet taken [tasks] [>= 1] [4096]; more are refused, so a module that
    /// never takes its results cannot fill the memory.
    std::size_t max_outstanding_tasks = 4096;
    /// The queue of each module.
    QueueLimits queue = {};
};

/// Tasks start in the order of scheduling, whichever module they belong to. Each task runs on the executor that its type has when it
/// starts.
class MultithreadedModuleSystem final : public RegisteredModules {
public:
    /// `bus` is used only during calls of registerModule and must live until then; modules keep what they need of it.
    explicit MultithreadedModuleSystem(MessageBus& bus, const MultithreadedOptions& options = {});
    /// As shutdown().
    ~MultithreadedModuleSystem() override;

    void shutdown() override;

private:
    MultithreadedModuleSystem(MessageBus& bus, const MultithreadedOptions& options, std::shared_ptr<ThreadPool> pool);
    std::shared_ptr<ThreadPool> pool_;
};

}  // namespace warpath
