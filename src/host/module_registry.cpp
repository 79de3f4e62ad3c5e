#include "host/module_registry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <exception>
#include <utility>

#include "warpath/host/json_data_node.h"

namespace warpath {

namespace {

/// Calls a module. A module lets no exception out; one that does must not take the game down with it.
template <typename Call>
std::optional<Error> guarded(const std::string& module, std::string_view call, const Call& action) {
    const auto fault = [&](std::string_view what) {
        return Error{"module", module, std::string(call) + " let an exception out (" + std::string(what) + "); catch it in the module"};
    };
    try {
        return action();
    } catch (const std::exception& error) {
        return fault(error.what());
    } catch (...) {
        return fault("of unknown type");
    }
}

Error unknownModule(std::string_view name) {
    return {"name", std::string(name), "no such module; see moduleNames()"};
}
Error shutDown() {
    return {"system", "shut down", "make a new module system"};
}

std::string secondsText(double seconds) {
    std::array<char, 40> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), seconds).ptr};
}

std::string tickInput(double delta_seconds, std::uint64_t frame) {
    return R"({"delta_time":)" + secondsText(delta_seconds) + R"(,"frame":)" + std::to_string(frame) + "}";
}

}  // namespace

ModuleRegistry::ModuleRegistry(MessageBus& bus, const Options& options, ModuleScheduler::Announce announce)
    : bus_(bus), options_(options), announce_(std::move(announce)) {}

ModuleRegistry::~ModuleRegistry() {
    shutdown();
}

std::optional<Error> ModuleRegistry::add(std::string name, std::unique_ptr<IModule> module, const IDataNode& config) {
    if (shut_down_) return shutDown();
    if (!module) return Error{"module", "null", "give a module"};
    if (name.empty()) return Error{"name", "empty", "give the module a name"};
    if (locate(name) != slots_.end()) return Error{"name", name, "taken already; remove that module first or choose another name"};

    Slot slot;
    slot.name = std::move(name);
    if (options_.offer_scheduler) slot.scheduler = std::make_shared<ModuleScheduler>(options_.max_outstanding_tasks, announce_);
    slot.io = bus_.connect(options_.queue);
    slot.module = std::move(module);
    slots_.push_back(std::move(slot));
    Slot& added = slots_.back();
    auto error =
        guarded(added.name, "setConfiguration", [&] { return added.module->setConfiguration(config, *added.io, added.scheduler.get()); });
    if (error) {
        end(added);
        slots_.pop_back();
    }
    return error;
}

std::optional<Error> ModuleRegistry::reconfigure(std::string_view name, const IDataNode& config) {
    const auto slot = locate(name);
    if (slot == slots_.end()) return unknownModule(name);
    return guarded(slot->name, "setConfiguration",
                   [&] { return slot->module->setConfiguration(config, *slot->io, slot->scheduler.get()); });
}

std::optional<Error> ModuleRegistry::remove(std::string_view name) {
    const auto slot = locate(name);
    if (slot == slots_.end()) return unknownModule(name);
    end(*slot);
    slots_.erase(slot);
    return std::nullopt;
}

std::optional<Error> ModuleRegistry::process(double delta_seconds) {
    if (shut_down_) return shutDown();
    if (!std::isfinite(delta_seconds) || delta_seconds < 0.0) {
        return Error{"delta_seconds", secondsText(delta_seconds), "give a finite number of seconds, 0 or more"};
    }
    const ParsedJson input = JsonDataNode::parse(tickInput(delta_seconds, frame_++));
    std::optional<Error> first;
    for (Slot& slot : slots_) {
        auto fault = guarded(slot.name, "process", [&]() -> std::optional<Error> {
            slot.module->process(*input.node);
            return std::nullopt;
        });
        if (fault && !first) first = std::move(fault);
    }
    return first;
}

IModule* ModuleRegistry::find(std::string_view name) {
    const auto slot = locate(name);
    return slot == slots_.end() ? nullptr : slot->module.get();
}

std::vector<std::string> ModuleRegistry::names() const {
    std::vector<std::string> names;
    for (const Slot& slot : slots_) names.push_back(slot.name);
    return names;
}

std::size_t ModuleRegistry::pendingTaskCount(std::string_view name) const {
    for (const Slot& slot : slots_) {
        if (slot.name == name) return slot.scheduler ? slot.scheduler->pendingCount() : 0;
    }
    return 0;
}

void ModuleRegistry::shutdown() {
    shut_down_ = true;
    while (!slots_.empty()) {
        end(slots_.back());
        slots_.pop_back();
    }
}

void ModuleRegistry::runWaitingTasks(std::size_t max_tasks) {
    for (const Slot& slot : slots_) {
        if (!slot.scheduler) continue;
        for (std::size_t left = std::min(max_tasks, slot.scheduler->waitingCount()); left > 0; --left, --max_tasks) {
            slot.scheduler->runOne();
        }
    }
}

/// The order matters: no new task can start, then the module tells running ones to stop early, then they are waited for, and only then
/// does anything that they could touch go away.
void ModuleRegistry::end(Slot& slot) {
    if (slot.scheduler) slot.scheduler->close();
    static_cast<void>(guarded(slot.name, "shutdown", [&]() -> std::optional<Error> {
        slot.module->shutdown();
        return std::nullopt;
    }));
    if (slot.scheduler) slot.scheduler->waitUntilIdle();
    slot.module.reset();
}

std::vector<ModuleRegistry::Slot>::iterator ModuleRegistry::locate(std::string_view name) {
    return std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) { return slot.name == name; });
}

}  // namespace warpath
