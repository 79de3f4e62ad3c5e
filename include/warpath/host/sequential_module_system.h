// A host without threads, to debug and to test: the same calls give the same order of everything, every time.
//
//   MessageBus bus;
//   SequentialModuleSystem system(bus);
//   system.processModules(1.0 / 60.0);          // ticks every module, then runs their tasks, on this thread
#pragma once

#include <cstddef>
#include <limits>
#include <memory>

#include "warpath/host/message_bus.h"
#include "warpath/host/registered_modules.h"

namespace warpath {

struct SequentialOptions {
    /// Tasks run at the end of a tick, over all modules [tasks] [0: a host that accepts tasks and never runs them] [no limit]. A small
    /// number imitates a host whose workers are late.
    std::size_t max_tasks_per_tick = std::numeric_limits<std::size_t>::max();
    /// As in MultithreadedOptions.
    std::size_t max_outstanding_tasks = 4096;
    /// false: modules get no scheduler at all (nullptr in setConfiguration).
    bool offer_scheduler = true;
    /// The queue of each module.
    QueueLimits queue = {};
};

/// A tick is: process of each module in the order of registration; then the tasks, module by module in that order, each module's in the
/// order of scheduling. So a task's result can be taken in the tick after the one that scheduled it, never earlier.
class SequentialModuleSystem final : public RegisteredModules {
public:
    /// `bus` is used only during calls of registerModule and must live until then; modules keep what they need of it.
    explicit SequentialModuleSystem(MessageBus& bus, const SequentialOptions& options = {});
    /// As shutdown(). Tasks that have not run never do.
    ~SequentialModuleSystem() override;

    [[nodiscard]] std::optional<Error> processModules(double delta_seconds) override;

private:
    std::size_t max_tasks_per_tick_;
};

}  // namespace warpath
