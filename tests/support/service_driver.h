// Ticking a service in tests.
//
//   auto answers = finish(service, [&] { service.tick(world.snapshot(), kPlenty); });
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "warpath/service/service.h"

namespace warpath::test {

/// A budget that no test spends in one tick.
inline constexpr std::uint64_t kPlenty = 1'000'000;

/// One tick; the counts of the service add up after it.
inline void tick(Service& service, const WorldSnapshot& snapshot, std::uint64_t budget = kPlenty) {
    service.tick(snapshot, budget);
    const ServiceStats stats = service.stats();
    EXPECT_EQ(stats.submitted, stats.answered + stats.pending);
}

inline std::vector<ServiceAnswer> pollAll(Service& service) {
    std::vector<ServiceAnswer> answers;
    while (auto answer = service.poll()) answers.push_back(std::move(*answer));
    return answers;
}

/// Ticks until nothing is open, letting other threads work in between.
template <class Tick>
std::vector<ServiceAnswer> finish(Service& service, Tick&& tick_once) {
    std::vector<ServiceAnswer> all;
    for (int i = 0; i < 20'000 && service.stats().pending > 0; ++i) {
        tick_once();
        for (ServiceAnswer& answer : pollAll(service)) all.push_back(std::move(answer));
        if (i < 2'000) {
            std::this_thread::yield();
        } else {  // a busy machine: the workers need time
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    EXPECT_EQ(service.stats().pending, 0u);
    return all;
}

}  // namespace warpath::test
