#include "warpath/host/message_bus.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

namespace warpath {
namespace {

std::vector<std::string> drain(IIO& io) {
    std::vector<std::string> payloads;
    while (auto message = io.pull()) payloads.push_back(message->payload);
    return payloads;
}

TEST(MessageBus, DeliversInOrderToEveryMatchingSubscriber) {
    MessageBus bus;
    const auto game = bus.connect();
    const auto one_level = bus.connect();
    const auto rest = bus.connect();
    EXPECT_FALSE(one_level->subscribe("path/*"));
    EXPECT_FALSE(rest->subscribe("path/#"));
    EXPECT_TRUE(game->publish("path/a", "1"));
    EXPECT_TRUE(game->publish("path/a/b", "2"));
    EXPECT_TRUE(game->publish("other", "3"));
    EXPECT_TRUE(game->publish("path/c", "4"));
    EXPECT_EQ(rest->pull(), (Message{"path/a", "1"}));
    EXPECT_EQ(drain(*rest), (std::vector<std::string>{"2", "4"}));
    EXPECT_EQ(drain(*one_level), (std::vector<std::string>{"1", "4"}));
    EXPECT_FALSE(game->hasMessages());
    EXPECT_FALSE(rest->hasMessages());
    EXPECT_EQ(rest->pull(), std::nullopt);
}

TEST(MessageBus, AMessageThatTwoPatternsMatchArrivesOnce) {
    MessageBus bus;
    const auto io = bus.connect();
    EXPECT_FALSE(io->subscribe("a/b"));
    EXPECT_FALSE(io->subscribe("a/b"));
    EXPECT_FALSE(io->subscribe("a/#"));
    EXPECT_TRUE(io->publish("a/b", "1")) << "and a participant hears itself";
    EXPECT_EQ(drain(*io).size(), 1u);
}

TEST(MessageBus, AFullQueueDropsTheNewestCountsItAndTellsThePublisher) {
    MessageBus bus;
    const auto game = bus.connect();
    const auto small = bus.connect({.max_messages = 2});
    const auto large = bus.connect();
    EXPECT_FALSE(small->subscribe("t"));
    EXPECT_FALSE(large->subscribe("t"));
    EXPECT_TRUE(game->publish("t", "1"));
    EXPECT_TRUE(game->publish("t", "2"));
    EXPECT_FALSE(game->publish("t", "3"));
    EXPECT_EQ(small->droppedMessages(), 1u);
    EXPECT_EQ(large->droppedMessages(), 0u);
    EXPECT_EQ(drain(*small), (std::vector<std::string>{"1", "2"}));
    EXPECT_EQ(drain(*large), (std::vector<std::string>{"1", "2", "3"}));
    EXPECT_TRUE(game->publish("t", "4")) << "room again";
    EXPECT_EQ(drain(*small), (std::vector<std::string>{"4"}));
}

TEST(MessageBus, QueuesAreBoundedInBytesToo) {
    MessageBus bus({.max_bytes = 100});
    const auto io = bus.connect();
    EXPECT_FALSE(io->subscribe("t"));
    EXPECT_FALSE(io->publish("t", std::string(100, 'x'))) << "101 bytes with the topic";
    EXPECT_TRUE(io->publish("t", std::string(59, 'x')));
    EXPECT_FALSE(io->publish("t", std::string(59, 'x')));
    EXPECT_TRUE(io->publish("t", std::string(39, 'x')));
    EXPECT_EQ(io->droppedMessages(), 2u);
    EXPECT_EQ(drain(*io).size(), 2u);
    EXPECT_TRUE(io->publish("t", std::string(99, 'x')));
}

TEST(MessageBus, RefusesBadTopicsAndPatternsWithAReason) {
    MessageBus bus;
    const auto io = bus.connect();
    EXPECT_FALSE(io->subscribe("#"));
    EXPECT_FALSE(io->publish("a/*", "1"));
    EXPECT_FALSE(io->publish("", "1"));
    EXPECT_FALSE(io->hasMessages());
    EXPECT_EQ(io->droppedMessages(), 0u);
    const auto error = io->subscribe("a/#/b");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->field, "pattern");
    EXPECT_EQ(error->value, "a/#/b");
}

TEST(MessageBus, UnsubscribingKeepsWhatWaits) {
    MessageBus bus;
    const auto io = bus.connect();
    EXPECT_FALSE(io->subscribe("t"));
    EXPECT_TRUE(io->publish("t", "1"));
    EXPECT_FALSE(io->unsubscribe("other"));
    EXPECT_TRUE(io->unsubscribe("t"));
    EXPECT_TRUE(io->publish("t", "2"));
    EXPECT_EQ(drain(*io), (std::vector<std::string>{"1"}));
}

TEST(MessageBus, ParticipantsOutliveTheBusAndLeaveCleanly) {
    auto bus = std::make_unique<MessageBus>();
    const auto a = bus->connect();
    auto b = bus->connect();
    EXPECT_FALSE(a->subscribe("t"));
    EXPECT_FALSE(b->subscribe("t"));
    bus.reset();
    EXPECT_TRUE(a->publish("t", "1"));
    b.reset();
    EXPECT_TRUE(a->publish("t", "2"));
    EXPECT_EQ(drain(*a).size(), 2u);
}

TEST(MessageBus, ManyThreadsLoseAndDoubleNothingAndAllSeeOneOrder) {
    constexpr int kPublishers = 4, kMessages = 2000;
    MessageBus bus({.max_messages = kPublishers * kMessages});
    const auto quiet = bus.connect();
    const auto busy = bus.connect();
    EXPECT_FALSE(quiet->subscribe("n/#"));
    EXPECT_FALSE(busy->subscribe("n/*"));
    std::atomic<int> open{kPublishers};
    std::vector<std::thread> threads;
    for (int p = 0; p < kPublishers; ++p) {
        threads.emplace_back([&, p] {
            const auto io = bus.connect();
            for (int i = 0; i < kMessages; ++i) EXPECT_TRUE(io->publish("n/" + std::to_string(p), std::to_string(i)));
            --open;
        });
    }
    std::vector<Message> seen_busy;
    while (true) {
        const bool last_round = open == 0;
        while (auto message = busy->pull()) seen_busy.push_back(*std::move(message));
        if (last_round) break;
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<Message> seen_quiet;
    while (auto message = quiet->pull()) seen_quiet.push_back(*std::move(message));
    EXPECT_EQ(seen_busy, seen_quiet);
    ASSERT_EQ(seen_quiet.size(), std::size_t{kPublishers * kMessages});
    std::map<std::string, int> next;
    for (const Message& message : seen_quiet) ASSERT_EQ(message.payload, std::to_string(next[message.topic]++));
}

}  // namespace
}  // namespace warpath
