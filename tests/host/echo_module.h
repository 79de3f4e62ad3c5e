// A toy module for the tests of the host: answers every message on "<prefix>/in" on "<prefix>/out", by a task when it can.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "warpath/host_api/module.h"

namespace warpath::test {

/// Written in the way that task_scheduler.h recommends: jobs live in a table that the executor shares, payloads are job ids.
class EchoModule final : public IModule {
public:
    std::optional<Error> setConfiguration(const IDataNode& config, IIO& io, ITaskScheduler* scheduler) override {
        const auto prefix = config.child("prefix");
        if (!prefix || !prefix->text()) return Error{"prefix", prefix ? prefix->toJson() : "absent", "give a string"};
        if (config.getBool("throw_in_configuration")) throw std::string("thrown");
        io_ = &io;
        scheduler_ = scheduler;
        if (!prefix_.empty()) io.unsubscribe(prefix_ + "/in");
        prefix_ = *prefix->text();
        config_json_ = config.toJson();
        throw_in_process_ = config.getBool("throw_in_process");
        if (auto error = io.subscribe(prefix_ + "/in")) return error;
        has_executor_ = scheduler && scheduler->registerExecutor("echo", [jobs = jobs_](const std::string& id) { return jobs->run(id); });
        return std::nullopt;
    }

    void process(const IDataNode& input) override {
        last_input = input.toJson();
        if (throw_in_process_) throw std::runtime_error("process failed");
        if (!io_) return;
        while (auto message = io_->pull()) {
            ++handled;
            const std::string id = jobs_->add(message->payload);
            if (!has_executor_ || scheduler_->scheduleTask("echo", id) == TaskId::none) answer(jobs_->run(id));
        }
        while (scheduler_ && scheduler_->completedTaskCount() > 0) {
            const auto result = scheduler_->takeCompletedTask();
            if (result->status == TaskStatus::failed) {
                publish("\"failed: " + result->payload + "\"");
            } else {
                answer(result->payload);
            }
        }
    }

    std::string getConfiguration() const override { return config_json_; }
    std::string getHealthStatus() const override { return R"({"module":"echo","handled":)" + std::to_string(handled) + "}"; }
    void shutdown() override {
        jobs_->stop = true;
        if (io_) publish(R"("bye")");
    }
    std::string getState() const override { return R"({"handled":)" + std::to_string(handled) + "}"; }
    std::optional<Error> setState(const IDataNode& state) override {
        const auto value = state.child("handled");
        if (!value || !value->integer()) return Error{"handled", value ? value->toJson() : "absent", "give an integer"};
        handled = *value->integer();
        return std::nullopt;
    }

    std::int64_t handled = 0;
    std::string last_input;

private:
    class Jobs {
    public:
        std::string add(std::string text) {
            const std::lock_guard lock(mutex_);
            texts_.emplace(next_, std::move(text));
            return std::to_string(next_++);
        }
        /// Echoes the id; "throw" throws, "wait" runs until the module shuts down.
        std::string run(const std::string& id) {
            const std::string text = peek(id);
            if (text == "throw") throw std::runtime_error("asked to");
            while (text == "wait" && !stop) std::this_thread::yield();
            return id;
        }
        std::string peek(const std::string& id) {
            const std::lock_guard lock(mutex_);
            return texts_.at(std::stoll(id));
        }
        std::string take(const std::string& id) {
            const std::lock_guard lock(mutex_);
            auto node = texts_.extract(std::stoll(id));
            return std::move(node.mapped());
        }
        std::atomic<bool> stop{false};

    private:
        std::mutex mutex_;
        std::map<long long, std::string> texts_;
        long long next_ = 1;
    };

    void answer(const std::string& id) { publish(jobs_->take(id)); }
    void publish(std::string text) {
        if (!io_->publish(prefix_ + "/out", std::move(text))) ++undelivered_;
    }

    IIO* io_ = nullptr;
    ITaskScheduler* scheduler_ = nullptr;
    bool has_executor_ = false;
    bool throw_in_process_ = false;
    int undelivered_ = 0;
    std::string prefix_;
    std::string config_json_ = "{}";
    std::shared_ptr<Jobs> jobs_ = std::make_shared<Jobs>();
};

}  // namespace warpath::test
