#include "module/threat_keeper.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "module/stage.h"
#include "warpath/core/rng.h"

namespace warpath {
namespace {

using module_detail::ThreatKeeper;
using test::json;
using test::Stage;

std::shared_ptr<World> town(int side) {
    auto world = std::make_shared<World>(WorldConfig{.width = side, .height = side});
    Rng rng(5);
    world->edit([&](WorldEdit& e) {
        for (int i = 0; i < side * side / 600; ++i) {
            const int x = static_cast<int>(rng.below(static_cast<std::uint32_t>(side - 8))), y = static_cast<int>(rng.below(static_cast<std::uint32_t>(side - 8)));
            e.placeObstacle({x, y, 3, 5}, ObstacleKind::Building, 5.0f);
        }
    });
    return world;
}

std::vector<ThreatSource> enemies(int side, int count, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<ThreatSource> out;
    for (int i = 0; i < count; ++i) {
        const auto place = [&] { return static_cast<float>(rng.below(static_cast<std::uint32_t>(side))) + 0.5f; };
        out.push_back({.id = static_cast<std::uint32_t>(i), .position = {place(), place()}, .range = 50.0f, .firepower = 1.0f});
    }
    return out;
}

/// All values that the sides face.
std::vector<float> threatOn(const World& world, int sides) {
    const WorldSnapshot now = world.snapshot();
    std::vector<float> out;
    for (int side = 0; side < sides; ++side) {
        for (int y = 1; y < now.height(); y += 5) {
            for (int x = 1; x < now.width(); x += 5) out.push_back(now.threatAt(side, {x, y}));
        }
    }
    return out;
}

TEST(ThreatKeeper, a_tick_does_at_most_its_share_and_the_end_is_the_same) {
    constexpr int kSide = 256, kSides = 3;
    std::vector<float> expected;
    for (const std::uint32_t units : {1'000'000u, 900u, 60u}) {
        const auto world = town(kSide);
        ThreatKeeper keeper;
        ThreatKeeper::Settings settings;
        settings.units_per_tick = units;
        keeper.configure(settings, world.get());
        std::uint64_t total = 0, ticks = 0;
        for (int round = 0; round < 2; ++round) {
            for (int side = 0; side < kSides; ++side) {
                ASSERT_FALSE(keeper.setEnemies(side, enemies(kSide, 20, static_cast<std::uint64_t>(10 * round + side)), world.get()));
            }
            while (!keeper.settled()) {
                ASSERT_LT(++ticks, 20'000u);
                keeper.tick(*world);
                total += keeper.lastUnits();
                if (units != 1000000u) {
                    EXPECT_LE(keeper.lastUnits(), units + kSides * 300u) << "a piece of work may overrun by 300 units";
                }
            }
        }
        EXPECT_GE(ticks * (units + kSides * 300u), total);
        if (units == 60u) {
            EXPECT_GT(ticks, 10u);
        }
        if (expected.empty()) expected = threatOn(*world, kSides);
        EXPECT_EQ(threatOn(*world, kSides), expected) << units;
    }
    EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 0.5f);
}

TEST(ThreatKeeper, enemies_that_never_stand_still_are_seen_all_the_same) {
    constexpr int kSide = 256;
    const auto world = town(kSide);
    ThreatKeeper keeper;
    ThreatKeeper::Settings settings;
    settings.units_per_tick = 60;  // a look at all of them takes many ticks
    keeper.configure(settings, world.get());
    int published = 0;
    std::vector<float> seen = threatOn(*world, 1);
    for (std::uint64_t tick = 0; tick < 200; ++tick) {
        ASSERT_FALSE(keeper.setEnemies(0, enemies(kSide, 20, tick), world.get()));
        keeper.tick(*world);
        std::vector<float> now = threatOn(*world, 1);
        published += now == seen ? 0 : 1;
        seen = std::move(now);
    }
    EXPECT_GE(published, 3);
    EXPECT_FALSE(keeper.settled());
    while (!keeper.settled()) keeper.tick(*world);
    const auto fresh = town(kSide);
    ThreatKeeper other;
    other.configure(settings, fresh.get());
    ASSERT_FALSE(other.setEnemies(0, enemies(kSide, 20, 199), fresh.get()));
    while (!other.settled()) other.tick(*fresh);
    EXPECT_EQ(threatOn(*world, 1), threatOn(*fresh, 1)) << "in the end it is the last ones told";
}

/// What a game hears, tick by tick, while enemies move, walls fall and routes are asked for.
std::vector<std::string> hearLockstepGame(Stage::Host host) {
    const auto world = town(192);
    Stage stage({.host = host, .config = R"({"performance":{"deterministic":true},"tactical":{"threat_units_per_tick":120}})", .module = {.world = world}});
    std::vector<std::string> heard;
    Rng rng(3);
    for (int step = 0; step < 12; ++step) {
        if (step % 4 == 0) {
            json message{{"type", "enemies"}, {"side", 0}, {"enemies", json::array()}};
            for (const ThreatSource& s : enemies(192, 12, static_cast<std::uint64_t>(step))) {
                message["enemies"].push_back({{"id", s.id}, {"position", {s.position.x, s.position.y}}, {"range", s.range}, {"firepower", s.firepower}});
            }
            stage.change(message.dump());
        }
        if (step == 5) stage.change(R"({"type":"place_obstacle","rect":[60,60,4,40],"kind":"building","height":8})");
        const auto at = [&] { return json{rng.below(190) + 0.5, rng.below(190) + 0.5}; };
        for (int k = 0; k < 3; ++k) {
            stage.ask(json{{"type", "single_path"}, {"request_id", step * 3 + k}, {"start", at()}, {"goal", at()}, {"constraints", {{"doctrine", "cautious"}}}}.dump());
        }
        stage.tick(3);  // the same on every machine, whatever its threads have done by then
    }
    stage.settle();
    for (json answer : stage.answers) {
        for (const char* time : {"computation_time_ms", "last_validation_frame"}) answer.erase(time);
        heard.push_back(answer.dump());
    }
    std::sort(heard.begin(), heard.end());
    EXPECT_GE(heard.size(), 36u);
    return heard;
}

TEST(ThreatKeeper, lockstep_games_hear_the_same_answers_whatever_their_threads) {
    const std::vector<std::string> alone = hearLockstepGame(Stage::Host::Sequential);
    EXPECT_EQ(hearLockstepGame(Stage::Host::Threads), alone);
    const bool threatened = std::any_of(alone.begin(), alone.end(), [](const std::string& text) { return json::parse(text).value("threat_level", 0.0) > 0.0; });
    EXPECT_TRUE(threatened);
}

}  // namespace
}  // namespace warpath
