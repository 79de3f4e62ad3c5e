// The same question by message: the pathfinder as a module of the reference host.
#include <cstdio>
#include <memory>

#include "warpath/host/json_data_node.h"
#include "warpath/host/message_bus.h"
#include "warpath/host/multithreaded_module_system.h"
#include "warpath/module/pathfinder_module.h"

int main() {
    using namespace warpath;
    MessageBus bus;
    MultithreadedModuleSystem system(bus, {.threads = 2});
    const auto world = std::make_shared<World>(WorldConfig{.width = 256, .height = 256});
    const auto config = JsonDataNode::parse("{}");
    auto module = std::make_unique<PathfinderModule>(PathfinderModuleOptions{.world = world});
    if (auto error = system.registerModule("pathfinder", std::move(module), *config.node)) return std::puts(error->text().c_str()), 1;

    const std::unique_ptr<IIO> game = bus.connect();
    if (auto error = game->subscribe("pathfinder/results")) return std::puts(error->text().c_str()), 1;
    if (!game->publish("pathfinder/requests", R"({"type":"single_path","request_id":1,"start":[20.5,100.5],"goal":[220.5,120.5]})")) return 1;
    while (!game->hasMessages()) {  // the game's frames; a request is always answered
        if (auto error = system.processModules(1.0 / 60.0)) return std::puts(error->text().c_str()), 1;
    }
    const auto answer = game->pull();
    std::puts(answer ? answer->payload.c_str() : "no answer");
    system.shutdown();
    return answer ? 0 : 1;
}
