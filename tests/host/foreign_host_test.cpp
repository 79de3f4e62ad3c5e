// The recipe of docs/host.md, compiled: a module runs under an engine of another make. That engine has data nodes of its own, hands them
// over by unique_ptr, keeps one queue of messages that is pulled one at a time, accepts tasks that it never runs, and has no idea of
// warpath.
#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/echo_module.h"

namespace other_engine {

struct Node {
    nlohmann::ordered_json json;
};
struct Message {
    std::string topic;
    std::unique_ptr<Node> data;
};
class Io {
public:
    void publish(const std::string& topic, std::unique_ptr<Node> data) { outbox.push_back({topic, std::move(data)}); }
    void subscribe(const std::string& pattern) { patterns.push_back(pattern); }
    int hasMessages() const { return static_cast<int>(inbox.size()); }
    Message pullMessage() {
        Message message = std::move(inbox.front());
        inbox.pop_front();
        return message;
    }
    // The engine's side: it fills the one and empties the other.
    std::deque<Message> inbox;
    std::deque<Message> outbox;
    std::vector<std::string> patterns;
};
class Scheduler {
public:
    void scheduleTask(const std::string&, std::unique_ptr<Node>) { ++accepted; }
    int accepted = 0;
};
/// What this engine loads.
class Module {
public:
    virtual ~Module() = default;
    virtual void setConfiguration(const Node& config, Io* io, Scheduler* scheduler) = 0;
    virtual void process(const Node& input) = 0;
    virtual std::unique_ptr<Node> getHealthStatus() = 0;
    virtual void shutdown() = 0;
};

}  // namespace other_engine

namespace warpath {
namespace {

/// Their data nodes, read through our interface. A child is a handle of its own; a host whose trees die early would copy here.
class NodeAdapter final : public IDataNode {
public:
    explicit NodeAdapter(const nlohmann::ordered_json& json) : json_(&json) {}
    DataType type() const override {
        if (json_->is_boolean()) return DataType::boolean;
        if (json_->is_number_float()) return DataType::real;
        if (json_->is_number()) return DataType::integer;
        if (json_->is_string()) return DataType::string;
        if (json_->is_array()) return DataType::array;
        return json_->is_object() ? DataType::object : DataType::null;
    }
    std::optional<bool> boolean() const override { return read<bool>(json_->is_boolean()); }
    std::optional<std::int64_t> integer() const override { return read<std::int64_t>(json_->is_number_integer()); }
    std::optional<double> number() const override { return read<double>(json_->is_number()); }
    std::optional<std::string> text() const override { return read<std::string>(json_->is_string()); }
    std::size_t size() const override { return json_->is_structured() ? json_->size() : 0; }
    std::shared_ptr<const IDataNode> child(std::string_view name) const override {
        if (!json_->is_object()) return nullptr;
        const auto found = json_->find(std::string(name));
        return found == json_->end() ? nullptr : std::make_shared<NodeAdapter>(*found);
    }
    std::shared_ptr<const IDataNode> at(std::size_t index) const override {
        if (index >= size()) return nullptr;
        return std::make_shared<NodeAdapter>(*std::next(json_->begin(), static_cast<std::ptrdiff_t>(index)));
    }
    std::vector<std::string> keys() const override {
        std::vector<std::string> names;
        if (json_->is_object()) {
            for (const auto& member : json_->items()) names.push_back(member.key());
        }
        return names;
    }
    std::string toJson() const override { return json_->dump(); }

private:
    template <typename T>
    std::optional<T> read(bool is_one) const {
        return is_one ? std::optional<T>(json_->get<T>()) : std::nullopt;
    }
    const nlohmann::ordered_json* json_;
};

/// Their messages, as JSON text.
class IoAdapter final : public IIO {
public:
    explicit IoAdapter(other_engine::Io& io) : io_(io) {}
    bool publish(std::string_view topic, std::string json_text) override {
        auto json = nlohmann::ordered_json::parse(json_text, nullptr, false);
        if (json.is_discarded()) return false;
        io_.publish(std::string(topic), std::make_unique<other_engine::Node>(other_engine::Node{std::move(json)}));
        return true;  // this engine's queue has no bound
    }
    std::optional<Error> subscribe(std::string_view pattern) override {
        io_.subscribe(std::string(pattern));
        return std::nullopt;
    }
    bool unsubscribe(std::string_view pattern) override { return std::erase(io_.patterns, pattern) != 0; }
    bool hasMessages() const override { return io_.hasMessages() > 0; }
    std::optional<Message> pull() override {
        if (!hasMessages()) return std::nullopt;
        other_engine::Message message = io_.pullMessage();
        return Message{std::move(message.topic), message.data->json.dump()};
    }
    std::uint64_t droppedMessages() const override { return 0; }

private:
    other_engine::Io& io_;
};

/// A scheduler that takes tasks and never runs them: their engine has no way to run a module's code.
class SchedulerAdapter final : public ITaskScheduler {
public:
    explicit SchedulerAdapter(other_engine::Scheduler& scheduler) : scheduler_(scheduler) {}
    bool registerExecutor(std::string_view, TaskExecutor) override { return false; }
    TaskId scheduleTask(std::string_view type, std::string payload) override {
        scheduler_.scheduleTask(std::string(type), std::make_unique<other_engine::Node>(other_engine::Node{std::move(payload)}));
        return TaskId{static_cast<std::uint64_t>(scheduler_.accepted)};
    }
    std::size_t completedTaskCount() const override { return 0; }
    std::optional<TaskResult> takeCompletedTask() override { return std::nullopt; }

private:
    other_engine::Scheduler& scheduler_;
};

/// One of our modules, as one of theirs.
class ModuleAdapter final : public other_engine::Module {
public:
    explicit ModuleAdapter(std::unique_ptr<IModule> module) : module_(std::move(module)) {}
    void setConfiguration(const other_engine::Node& config, other_engine::Io* io, other_engine::Scheduler* scheduler) override {
        if (!io_) {
            io_ = std::make_unique<IoAdapter>(*io);
            scheduler_ = std::make_unique<SchedulerAdapter>(*scheduler);
        }
        last_error = module_->setConfiguration(NodeAdapter(config.json), *io_, scheduler_.get());
    }
    void process(const other_engine::Node& input) override { module_->process(NodeAdapter(input.json)); }
    std::unique_ptr<other_engine::Node> getHealthStatus() override {
        return std::make_unique<other_engine::Node>(other_engine::Node{nlohmann::ordered_json::parse(module_->getHealthStatus())});
    }
    void shutdown() override { module_->shutdown(); }

    std::optional<Error> last_error;

private:
    // Destroyed last to first: the module goes before what it holds on to.
    std::unique_ptr<IoAdapter> io_;
    std::unique_ptr<SchedulerAdapter> scheduler_;
    std::unique_ptr<IModule> module_;
};

TEST(ForeignHost, AModuleRunsUnderAnEngineOfAnotherMakeThatNeverRunsTasks) {
    other_engine::Io io;
    other_engine::Scheduler scheduler;
    ModuleAdapter module(std::make_unique<test::EchoModule>());

    module.setConfiguration({{{"prefix", 5}}}, &io, &scheduler);
    ASSERT_TRUE(module.last_error);
    EXPECT_EQ(module.last_error->field, "prefix");
    module.setConfiguration({{{"prefix", "echo"}}}, &io, &scheduler);
    ASSERT_FALSE(module.last_error);
    EXPECT_EQ(io.patterns, (std::vector<std::string>{"echo/in"}));

    io.inbox.push_back({"echo/in", std::make_unique<other_engine::Node>(other_engine::Node{{{"request_id", 7}}})});
    module.process({{{"delta_time", 0.016}, {"frame", 0}}});
    ASSERT_EQ(io.outbox.size(), 1u);
    EXPECT_EQ(io.outbox.front().topic, "echo/out");
    EXPECT_EQ(io.outbox.front().data->json.dump(), R"({"request_id":7})");
    EXPECT_EQ(module.getHealthStatus()->json["handled"], 1);
    module.shutdown();
}

}  // namespace
}  // namespace warpath
