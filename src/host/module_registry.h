// The modules of a module system and what each of them is given; everything but the running of tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/module_scheduler.h"
#include "warpath/host/message_bus.h"
#include "warpath/host_api/module_system.h"

namespace warpath {

/// Contracts of the calls: IModuleSystem.
/// Threads: one call at a time.
class ModuleRegistry {
public:
    struct Options {
        QueueLimits queue;
        std::size_t max_outstanding_tasks = 4096;
        bool offer_scheduler = true;
    };

    ModuleRegistry(MessageBus& bus, const Options& options, ModuleScheduler::Announce announce);
    ~ModuleRegistry();
    ModuleRegistry(const ModuleRegistry&) = delete;
    ModuleRegistry& operator=(const ModuleRegistry&) = delete;

    [[nodiscard]] std::optional<Error> add(std::string name, std::unique_ptr<IModule> module, const IDataNode& config);
    [[nodiscard]] std::optional<Error> reconfigure(std::string_view name, const IDataNode& config);
    [[nodiscard]] std::optional<Error> remove(std::string_view name);
    [[nodiscard]] std::optional<Error> process(double delta_seconds);
    [[nodiscard]] IModule* find(std::string_view name);
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] std::size_t pendingTaskCount(std::string_view name) const;
    void shutdown();

    /// Runs up to `max_tasks` tasks that wait now, on this thread: module by module in the order of registration.
    void runWaitingTasks(std::size_t max_tasks);

private:
    struct Slot {
        std::string name;
        std::shared_ptr<ModuleScheduler> scheduler;  // null when modules get none
        std::unique_ptr<IIO> io;
        std::unique_ptr<IModule> module;
    };

    static void end(Slot& slot);
    [[nodiscard]] std::vector<Slot>::iterator locate(std::string_view name);

    MessageBus& bus_;
    const Options options_;
    const ModuleScheduler::Announce announce_;
    std::vector<Slot> slots_;  // in the order of registration
    std::uint64_t frame_ = 0;
    bool shut_down_ = false;
};

}  // namespace warpath
