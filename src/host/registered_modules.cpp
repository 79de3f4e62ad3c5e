#include "warpath/host/registered_modules.h"

#include <utility>

#include "host/module_registry.h"

namespace warpath {

RegisteredModules::RegisteredModules(std::unique_ptr<ModuleRegistry> registry) : registry_(std::move(registry)) {}
RegisteredModules::~RegisteredModules() = default;

std::optional<Error> RegisteredModules::registerModule(std::string name, std::unique_ptr<IModule> module, const IDataNode& config) {
    return registry_->add(std::move(name), std::move(module), config);
}

std::optional<Error> RegisteredModules::reconfigureModule(std::string_view name, const IDataNode& config) {
    return registry_->reconfigure(name, config);
}

std::optional<Error> RegisteredModules::removeModule(std::string_view name) { return registry_->remove(name); }

std::optional<Error> RegisteredModules::processModules(double delta_seconds) { return registry_->process(delta_seconds); }

IModule* RegisteredModules::findModule(std::string_view name) { return registry_->find(name); }

std::vector<std::string> RegisteredModules::moduleNames() const { return registry_->names(); }

std::size_t RegisteredModules::pendingTaskCount(std::string_view name) const { return registry_->pendingTaskCount(name); }

void RegisteredModules::shutdown() { registry_->shutdown(); }

}  // namespace warpath
