// How a module hears from the rest of the game and answers: publish/subscribe by topic.
//
//   io.subscribe("pathfinder/requests");
//   while (auto message = io.pull()) handle(message->topic, message->payload);
//   if (!io.publish("pathfinder/results", answer)) ++undelivered;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "warpath/core/error.h"

namespace warpath {

/// One published message. The payload is JSON text: every host can make and read it with the JSON library it already has, no type of that
/// library crosses the seam, and the receiver decides itself whether it parses on its own thread or inside a task.
struct Message {
    std::string topic;
    std::string payload;
    friend bool operator==(const Message&, const Message&) = default;
};

/// One participant's end of the host's publish/subscribe, with a queue of its own.
///
/// Order: messages of one publisher arrive in the order of publishing. A message that several patterns of one participant match arrives
/// once. A participant that subscribes to a topic also receives what it publishes there itself.
/// Queues are bounded: a message that finds the queue full is dropped for that receiver (the newest is lost, what waits stays), counted
/// in the receiver's `droppedMessages`, and the publisher is told.
/// Threads: a module calls its IIO only from its own calls (setConfiguration, process, shutdown ...), never from a task, so a host need
/// not make it thread-safe. Hosts may allow more; the reference host does.
class IIO {
public:
    virtual ~IIO() = default;

    /// Sends `json_text` to every participant whose patterns match `topic` (see topic.h).
    /// @return true when every matching receiver took it, also when there is none; false when a queue was full (the other receivers have
    ///   it) or the topic is not valid (nobody has it). Publishing again after false can reach some receivers twice.
    [[nodiscard]] virtual bool publish(std::string_view topic, std::string json_text) = 0;

    /// From now on messages that match `pattern` are queued for this participant. Subscribing twice to one pattern changes nothing.
    /// @return nullopt; an Error of field "pattern" when it is not valid (see isValidPattern).
    [[nodiscard]] virtual std::optional<Error> subscribe(std::string_view pattern) = 0;
    /// Ends a subscription; what is queued already stays queued.
    /// @return whether there was one with exactly this pattern.
    virtual bool unsubscribe(std::string_view pattern) = 0;

    [[nodiscard]] virtual bool hasMessages() const = 0;
    /// Takes the oldest message that waits; nullopt when none does. Never blocks on a publisher's work.
    [[nodiscard]] virtual std::optional<Message> pull() = 0;

    /// How many messages this participant has lost to a full queue since it was made. Grows only.
    [[nodiscard]] virtual std::uint64_t droppedMessages() const = 0;
};

}  // namespace warpath
