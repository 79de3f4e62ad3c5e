// What the module systems of the reference host have in common: modules by name, ticked in the order of registration. They differ in who runs tasks.
//
//   class MySystem final : public RegisteredModules { ... };      // SequentialModuleSystem, MultithreadedModuleSystem
#pragma once

#include <memory>

#include "warpath/host_api/module_system.h"

namespace warpath {

class ModuleRegistry;

/// Contracts of the calls: IModuleSystem.
class RegisteredModules : public IModuleSystem {
public:
    ~RegisteredModules() override;

    [[nodiscard]] std::optional<Error> registerModule(std::string name, std::unique_ptr<IModule> module, const IDataNode& config) override;
    [[nodiscard]] std::optional<Error> reconfigureModule(std::string_view name, const IDataNode& config) override;
    [[nodiscard]] std::optional<Error> removeModule(std::string_view name) override;
    [[nodiscard]] std::optional<Error> processModules(double delta_seconds) override;
    [[nodiscard]] IModule* findModule(std::string_view name) override;
    [[nodiscard]] std::vector<std::string> moduleNames() const override;
    [[nodiscard]] std::size_t pendingTaskCount(std::string_view name) const override;
    void shutdown() override;

protected:
    explicit RegisteredModules(std::unique_ptr<ModuleRegistry> registry);
    [[nodiscard]] ModuleRegistry& registry() { return *registry_; }

private:
    std::unique_ptr<ModuleRegistry> registry_;
};

}  // namespace warpath
