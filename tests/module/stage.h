// A game around one module: publishes messages, ticks, collects what comes back.
//
//   Stage stage({.host = Stage::Host::Sequential});
//   stage.ask(R"({"type":"single_path","request_id":1,...})");
//   stage.settle();  stage.results[0]["status"]
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "warpath/host/json_data_node.h"
#include "warpath/host/multithreaded_module_system.h"
#include "warpath/host/sequential_module_system.h"
#include "warpath/module/pathfinder_module.h"

namespace warpath::test {

using nlohmann::json;

inline std::shared_ptr<const IDataNode> node(const std::string& text) {
    const ParsedJson parsed = JsonDataNode::parse(text);
    EXPECT_FALSE(parsed.error) << text;
    return parsed.node;
}

/// 32 x 32 metres of grass with a wall down the middle that leaves a gap in the north, and a sealed yard in the south east.
inline std::shared_ptr<World> smallWorld() {
    auto world = std::make_shared<World>(WorldConfig{.width = 32, .height = 32});
    world->edit([](WorldEdit& e) {
        e.placeObstacle({16, 4, 1, 28}, ObstacleKind::Wall, 3.0f);
        e.placeObstacle({26, 26, 6, 1}, ObstacleKind::Wall, 3.0f);
        e.placeObstacle({26, 27, 1, 5}, ObstacleKind::Wall, 3.0f);
    });
    return world;
}

class Stage {
public:
    enum class Host {
        Sequential,    ///< Tasks run after each tick.
        Threads,       ///< Three workers.
        NeverRuns,     ///< Accepts tasks and runs none.
        NoScheduler,
    };
    struct Options {
        Host host = Host::Sequential;
        std::string config = "{}";
        PathfinderModuleOptions module{};
        bool with_world = true;
    };

    Stage() : Stage(Options{}) {}
    explicit Stage(Options options) {
        QueueLimits roomy{.max_messages = 200'000, .max_bytes = std::size_t{512} << 20};
        game_ = bus_.connect(roomy);
        for (const char* topic : {"pathfinder/results", "pathfinder/flow_fields", "pathfinder/tactical_results", "pathfinder/errors", "pathfinder/invalidated", "pathfinder/notices"}) {
            EXPECT_FALSE(game_->subscribe(topic));
        }
        switch (options.host) {
            case Host::Threads: system_ = std::make_unique<MultithreadedModuleSystem>(bus_, MultithreadedOptions{.threads = 3, .queue = roomy}); break;
            case Host::Sequential: system_ = std::make_unique<SequentialModuleSystem>(bus_, SequentialOptions{.queue = roomy}); break;
            case Host::NeverRuns:
                system_ = std::make_unique<SequentialModuleSystem>(bus_, SequentialOptions{.max_tasks_per_tick = 0, .queue = roomy});
                break;
            case Host::NoScheduler:
                system_ = std::make_unique<SequentialModuleSystem>(bus_, SequentialOptions{.offer_scheduler = false, .queue = roomy});
                break;
        }
        if (options.with_world && options.module.world == nullptr) options.module.world = smallWorld();
        auto made = std::make_unique<PathfinderModule>(std::move(options.module));
        module = made.get();
        const auto error = system_->registerModule("pathfinder", std::move(made), *node(options.config));
        EXPECT_FALSE(error) << error->text();
    }

    void ask(const std::string& text) { EXPECT_TRUE(game_->publish("pathfinder/requests", text)); }
    void change(const std::string& text) { EXPECT_TRUE(game_->publish("pathfinder/world", text)); }

    void tick(int times = 1) {
        for (int i = 0; i < times; ++i) {
            const auto error = system_->processModules(1.0 / 60.0);
            EXPECT_FALSE(error) << error->text();
            take();
        }
    }
    /// Ticks until every request is answered.
    void settle() {
        tick();
        for (int i = 0; i < 100'000 && health()["pending_tasks"] != 0; ++i) {
            tick();
            std::this_thread::yield();
        }
        EXPECT_EQ(health()["pending_tasks"], 0);
    }
    void shutdown() {
        system_->shutdown();
        take();
    }
    [[nodiscard]] json health() const { return json::parse(module->getHealthStatus()); }
    [[nodiscard]] IModuleSystem& system() { return *system_; }
    void clear() {
        answers.clear();
        errors.clear();
    }

    /// Messages of every topic but pathfinder/errors, each with its topic as `"topic"`, in the order of arrival.
    std::vector<json> answers;
    /// Messages of pathfinder/notices.
    std::vector<json> notices;
    /// Messages of pathfinder/errors.
    std::vector<json> errors;
    PathfinderModule* module = nullptr;

private:
    void take() {
        while (auto message = game_->pull()) {
            json body = json::parse(message->payload);
            if (message->topic == "pathfinder/errors") {
                errors.push_back(std::move(body));
            } else if (message->topic == "pathfinder/notices") {
                notices.push_back(std::move(body));
            } else {
                body["topic"] = message->topic;
                answers.push_back(std::move(body));
            }
        }
    }

    MessageBus bus_;
    std::unique_ptr<IIO> game_;
    std::unique_ptr<IModuleSystem> system_;
};

}  // namespace warpath::test
