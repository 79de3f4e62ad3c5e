#include "warpath/host/message_bus.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "warpath/host_api/topic.h"

namespace warpath {

/// What all participants share. One lock guards everything, theirs too: publishing is rare and short beside path work, and a single order
/// of all messages is worth more to a lockstep game than parallel queues.
class MessageBus::Shared {
public:
    std::mutex mutex;
    std::vector<Participant*> participants;  // in the order of connecting
};

class MessageBus::Participant final : public IIO {
public:
    Participant(std::shared_ptr<Shared> shared, const QueueLimits& limits) : shared_(std::move(shared)), limits_(limits) {
        const std::lock_guard lock(shared_->mutex);
        shared_->participants.push_back(this);
    }
    ~Participant() override {
        const std::lock_guard lock(shared_->mutex);
        std::erase(shared_->participants, this);
    }
    Participant(const Participant&) = delete;
    Participant& operator=(const Participant&) = delete;

    bool publish(std::string_view topic, std::string json_text) override {
        if (!isValidTopic(topic)) return false;
        const std::lock_guard lock(shared_->mutex);
        bool all_took_it = true;
        Participant* last = nullptr;  // is served last, with the payload itself instead of a copy
        for (Participant* receiver : shared_->participants) {
            if (!receiver->wants(topic)) continue;
            if (!receiver->hasRoom(topic.size() + json_text.size())) {
                ++receiver->dropped_;
                all_took_it = false;
                continue;
            }
            if (last) last->queue(Message{std::string(topic), json_text});
            last = receiver;
        }
        if (last) last->queue(Message{std::string(topic), std::move(json_text)});
        return all_took_it;
    }

    std::optional<Error> subscribe(std::string_view pattern) override {
        if (!isValidPattern(pattern)) {
            return Error{"pattern", std::string(pattern), "use levels separated by '/', none empty; '*' for one level, '#' for the rest"};
        }
        const std::lock_guard lock(shared_->mutex);
        if (std::find(patterns_.begin(), patterns_.end(), pattern) == patterns_.end()) patterns_.emplace_back(pattern);
        return std::nullopt;
    }

    bool unsubscribe(std::string_view pattern) override {
        const std::lock_guard lock(shared_->mutex);
        return std::erase(patterns_, pattern) != 0;
    }

    bool hasMessages() const override {
        const std::lock_guard lock(shared_->mutex);
        return !waiting_.empty();
    }

    std::optional<Message> pull() override {
        const std::lock_guard lock(shared_->mutex);
        if (waiting_.empty()) return std::nullopt;
        std::optional<Message> message(std::move(waiting_.front()));
        waiting_.pop_front();
        waiting_bytes_ -= bytesOf(*message);
        return message;
    }

    std::uint64_t droppedMessages() const override {
        const std::lock_guard lock(shared_->mutex);
        return dropped_;
    }

private:
    static std::size_t bytesOf(const Message& message) { return message.topic.size() + message.payload.size(); }

    [[nodiscard]] bool wants(std::string_view topic) const {
        return std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& pattern) { return topicMatches(pattern, topic); });
    }
    [[nodiscard]] bool hasRoom(std::size_t bytes) const {
        return waiting_.size() < std::max<std::size_t>(limits_.max_messages, 1) && bytes <= limits_.max_bytes &&
               waiting_bytes_ <= limits_.max_bytes - bytes;
    }
    void queue(Message message) {
        waiting_bytes_ += bytesOf(message);
        waiting_.push_back(std::move(message));
    }

    const std::shared_ptr<Shared> shared_;
    const QueueLimits limits_;
    // Guarded by the shared mutex.
    std::vector<std::string> patterns_;
    std::deque<Message> waiting_;
    std::size_t waiting_bytes_ = 0;
    std::uint64_t dropped_ = 0;
};

MessageBus::MessageBus(const QueueLimits& default_limits) : shared_(std::make_shared<Shared>()), default_limits_(default_limits) {}
MessageBus::~MessageBus() = default;

std::unique_ptr<IIO> MessageBus::connect() {
    return connect(default_limits_);
}
std::unique_ptr<IIO> MessageBus::connect(const QueueLimits& limits) {
    return std::make_unique<Participant>(shared_, limits);
}

}  // namespace warpath
