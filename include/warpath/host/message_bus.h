// Publish/subscribe inside one process.
//
//   MessageBus bus;
//   std::unique_ptr<IIO> game = bus.connect();
//   game->subscribe("pathfinder/results");
//   game->publish("pathfinder/requests", R"({"type":"single_path", ...})");
#pragma once

#include <cstddef>
#include <memory>

#include "warpath/host_api/io.h"

namespace warpath {

/// How much may wait for one participant. A message that would exceed either limit is dropped for that participant.
struct QueueLimits {
    /// Waiting messages [>= 1] [4096: a few frames of a busy game].
    std::size_t max_messages = 4096;
    /// Payload and topic bytes that wait [bytes] [>= 1] [64 MiB]. A message longer than this is never taken.
    std::size_t max_bytes = std::size_t{64} << 20;
};

/// The reference host's publish/subscribe. What one participant publishes is in the queues of all receivers when publish returns.
///
/// Threads: every call of the bus and of the IIO that it hands out may run at the same time as any other (one lock; it is held while
/// payloads are handed over). All participants see all messages in one and the same order.
/// Owner: participants keep the shared part alive and may outlive the bus. Destroying a participant ends its subscriptions.
/// Cost: publish is O(patterns of all participants); the payload is moved to the last receiver and copied to the others.
class MessageBus {
public:
    explicit MessageBus(const QueueLimits& default_limits = {});
    ~MessageBus();
    MessageBus(const MessageBus&) = delete;
    MessageBus& operator=(const MessageBus&) = delete;

    /// A new participant without subscriptions, with the limits of the bus or its own.
    [[nodiscard]] std::unique_ptr<IIO> connect();
    [[nodiscard]] std::unique_ptr<IIO> connect(const QueueLimits& limits);

private:
    class Shared;
    class Participant;
    std::shared_ptr<Shared> shared_;
    QueueLimits default_limits_;
};

}  // namespace warpath
