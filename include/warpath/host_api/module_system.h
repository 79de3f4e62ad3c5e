// What owns the modules of a game and drives them.
//
//   MultithreadedModuleSystem system(bus);                                    // or SequentialModuleSystem, to debug
//   if (auto error = system.registerModule("pathfinder", std::make_unique<PathfinderModule>(), *config)) fail(error->text());
//   while (running) system.processModules(1.0 / 60.0);
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/host_api/module.h"

namespace warpath {

/// Owner of modules: gives each its own IIO and ITaskScheduler, ticks them in the order of registration, and ends them in the reverse
/// order.
///
/// Threads: calls come from one thread at a time (the game's); they are not meant to overlap and no module may make them.
class IModuleSystem {
public:
    virtual ~IModuleSystem() = default;

    /// Takes a module, connects it and configures it. `name` is unique within the system; two modules of one kind have different names.
    /// @return nullopt; otherwise the module is destroyed and nothing has changed: the module's own Error when it refuses `config`, or
    ///   field "name" (empty or taken), "module" (null), "system" (shut down).
    [[nodiscard]] virtual std::optional<Error> registerModule(std::string name, std::unique_ptr<IModule> module,
                                                              const IDataNode& config) = 0;
    /// Gives a module a new configuration between two ticks.
    /// @return nullopt; the module's Error, the old configuration staying in force; or field "name" when there is no such module.
    [[nodiscard]] virtual std::optional<Error> reconfigureModule(std::string_view name, const IDataNode& config) = 0;
    /// Shuts one module down (as `shutdown` does for all) and destroys it.
    /// @return nullopt, or field "name" when there is no such module.
    [[nodiscard]] virtual std::optional<Error> removeModule(std::string_view name) = 0;

    /// One tick of every module, with `delta_time` and a frame counter as input. `delta_seconds` must be finite and >= 0.
    /// @return nullopt; field "delta_seconds" (nothing ran); field "system" (shut down); or field "module" for the first module that let
    ///   an exception out of process, the others having been ticked all the same.
    [[nodiscard]] virtual std::optional<Error> processModules(double delta_seconds) = 0;

    /// The module, owned by the system and valid until it is removed; nullptr when there is none of that name.
    [[nodiscard]] virtual IModule* findModule(std::string_view name) = 0;
    /// Names in the order of registration.
    [[nodiscard]] virtual std::vector<std::string> moduleNames() const = 0;
    /// Tasks that the module has scheduled and that have not ended; 0 when there is no such module.
    [[nodiscard]] virtual std::size_t pendingTaskCount(std::string_view name) const = 0;

    /// Ends every module: no further task starts, IModule::shutdown is called, running tasks are waited for, the module is destroyed.
    /// Waits no longer than the running tasks take. A second call does nothing.
    virtual void shutdown() = 0;
};

}  // namespace warpath
