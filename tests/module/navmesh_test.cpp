// The navmesh behind the module, with one that only notes what it is told.
#include <algorithm>

#include "module/stage.h"

namespace warpath {
namespace {

using test::Stage;

struct Notes {
    std::vector<Position> focus;
    int made = 0, updates = 0, built = 0;
    RouteBackendSettings settings;
    std::uint64_t revision = 0;
};

/// Draws straight lines and rebuilds something at each change of the world.
class StraightBackend final : public IRouteBackend {
public:
    StraightBackend(std::shared_ptr<Notes> notes, RouteBackendExecutor executor) : notes_(std::move(notes)), executor_(std::move(executor)) {}
    void setFocus(std::span<const Position> positions) override { notes_->focus.assign(positions.begin(), positions.end()); }
    void update(const WorldSnapshot& snapshot) override {
        ++notes_->updates;
        if (snapshot.revision() == notes_->revision) return;
        notes_->revision = snapshot.revision();
        const auto build = [notes = notes_] { ++notes->built; };
        if (executor_) {
            executor_(build);
        } else {
            build();
        }
    }
    [[nodiscard]] RouteBackendStats stats() const override { return {.tiles = 17, .chunks = 5, .waiting = 2, .built = 9, .bytes = 1000}; }
    [[nodiscard]] std::vector<RouteBackendNotice> takeNotices() override {
        if (std::exchange(told_, true)) return {};
        return {{"units of 1", 3.0f, 214, 5, "closes gaps under 3 m; the map has 214 such gaps"}};
    }
    [[nodiscard]] std::unique_ptr<IRouteFinder> makeFinder() override {
        struct Finder final : IRouteFinder {
            DrawOutcome findRoute(const WorldSnapshot&, const RouteQuestion& question, DrawnRoute& out) override {
                if (std::max(question.from.x, question.to.x) >= 48.0f) return DrawOutcome::NotReady;
                out.corners = {question.from, question.to};
                return DrawOutcome::Drawn;
            }
            bool isReady(const WorldSnapshot&, Position p, const MobilityProfile&) override { return p.x < 48.0f; }
        };
        return std::make_unique<Finder>();
    }

private:
    std::shared_ptr<Notes> notes_;
    RouteBackendExecutor executor_;
    bool told_ = false;
};

RouteBackendFactory factoryFor(std::shared_ptr<Notes> notes) {
    return [notes](const WorldSnapshot&, const RouteBackendSettings& settings, RouteBackendExecutor executor) -> MadeRouteBackend {
        if (settings.cell_size == 0.125f) return Error{"navmesh.cell_size", "0.125", "use a larger one"};
        ++notes->made;
        notes->settings = settings;
        return std::shared_ptr<IRouteBackend>(std::make_shared<StraightBackend>(notes, std::move(executor)));
    };
}

constexpr const char* kOn = R"({"algorithms":{"selection":{"individual_backend":"navmesh"}},"navmesh":{"load_radius":3,"unload_radius":4,"agent_radius":0.25}})";
constexpr const char* kPlain = R"("constraints":{"threat_weight":0,"cover_weight":0,"exposure_weight":0,"elevation_weight":0,"prefer_roads":false,"avoid_roads":false})";

std::string ask(int id, const std::string& goal, const std::string& more = {}) {
    return R"({"type":"single_path","request_id":)" + std::to_string(id) + R"(,"start":[2.5,10.25],"goal":)" + goal + (more.empty() ? "" : "," + more) + "}";
}

TEST(ModuleNavmeshTest, TheConfigurationChoosesTheBackendAndItsSettings) {
    const auto notes = std::make_shared<Notes>();
    Stage grid(Stage::Options{.module = {.navmesh = factoryFor(notes)}});
    grid.ask(ask(1, "[12.5,20.75]", kPlain));
    grid.settle();
    EXPECT_EQ(notes->made, 0);
    EXPECT_NE(grid.answers.at(0)["algorithm"], "navmesh");
    EXPECT_EQ(grid.health()["navmesh_tiles"], 0);

    Stage stage(Stage::Options{.config = kOn, .module = {.navmesh = factoryFor(notes)}});
    EXPECT_EQ(notes->made, 1);
    EXPECT_EQ(notes->settings.load_radius, 3);
    EXPECT_EQ(notes->settings.unload_radius, 4);
    EXPECT_EQ(notes->settings.agent_radius, 0.25f);
    stage.ask(ask(1, "[12.5,20.75]", kPlain));
    stage.ask(ask(2, "[12.5,20.75]"));                             // the doctrine prices cover: tactics are the grid's
    stage.ask(ask(3, "[12.5,20.75]", std::string(kPlain) + R"(,"algorithm":"astar")"));
    stage.ask(ask(4, "[24.5,10.5]", kPlain));                      // its straight line is walled off: the grid finds the gap
    stage.settle();
    const auto answer = [&](int id) {
        return *std::find_if(stage.answers.begin(), stage.answers.end(), [&](const auto& a) { return a["request_id"] == id; });
    };
    EXPECT_EQ(answer(1)["algorithm"], "navmesh");
    EXPECT_EQ(answer(1)["path"].size(), 2u);
    for (const int id : {2, 3, 4}) EXPECT_NE(answer(id)["algorithm"], "navmesh") << id;
    for (const int id : {1, 2, 3, 4}) EXPECT_EQ(answer(id)["status"], "found") << id;
    EXPECT_EQ(stage.health()["navmesh_tiles"], 17);
    EXPECT_EQ(stage.health()["navmesh"]["waiting"], 2);
}

TEST(ModuleNavmeshTest, WhatTheSettingsCloseIsToldOnceForEachMesh) {
    Stage stage(Stage::Options{.config = kOn, .module = {.navmesh = factoryFor(std::make_shared<Notes>())}});
    stage.tick(3);
    ASSERT_EQ(stage.notices.size(), 1u);
    const auto& notice = stage.notices.front();
    EXPECT_EQ(notice["type"], "navmesh");
    EXPECT_EQ(notice["subject"], "units of 1");
    EXPECT_EQ(notice["closed_gaps"], 214);
    EXPECT_EQ(notice["narrowest_gap"], 3.0);
    EXPECT_EQ(notice["steep_steps"], 5);
    EXPECT_EQ(notice["text"], "closes gaps under 3 m; the map has 214 such gaps");
    ASSERT_FALSE(stage.module->setWorld(test::smallWorld()));  // another world, another mesh
    stage.tick(3);
    EXPECT_EQ(stage.notices.size(), 2u);
    Stage grid(Stage::Options{.module = {.navmesh = factoryFor(std::make_shared<Notes>())}});
    grid.tick(3);
    EXPECT_TRUE(grid.notices.empty());
}

TEST(ModuleNavmeshTest, ARouteThatLeavesTheLoadedGroundIsFoundByTheGridAndSaysWhichLegsTheMeshDrew) {
    const auto world = std::make_shared<World>(WorldConfig{.width = 128, .height = 64});
    Stage stage(Stage::Options{.config = kOn, .module = {.world = world, .navmesh = factoryFor(std::make_shared<Notes>())}});
    stage.ask(ask(1, "[120.5,40.5]", kPlain));
    stage.settle();
    const auto& answer = stage.answers.at(0);
    EXPECT_EQ(answer["status"], "found");
    EXPECT_NE(answer["algorithm"], "navmesh");
    EXPECT_GT(answer["navmesh_length"], 40.0);
    EXPECT_LT(answer["navmesh_length"], 60.0);
    ASSERT_GE(answer["path"].size(), 3u);
    EXPECT_EQ(answer["path"][0]["leg"], "navmesh");
    EXPECT_EQ(answer["path"][0]["x"], 2.5);
    EXPECT_FALSE(answer["path"][1].contains("leg"));  // in steps from here on
    EXPECT_LT(answer["path"][1]["x"], 48.0);
    EXPECT_EQ(answer["path"].back()["x"], 120.5);
}

TEST(ModuleNavmeshTest, AskedForWhereTheConfigurationKeepsNoneItIsRefused) {
    Stage stage(Stage::Options{.module = {.navmesh = factoryFor(std::make_shared<Notes>())}});
    stage.ask(ask(1, "[12.5,20.75]", R"("algorithm":"navmesh")"));
    stage.settle();
    EXPECT_EQ(stage.answers.at(0)["status"], "invalid_argument");
    EXPECT_EQ(stage.answers.at(0)["error"]["field"], "algorithm");
}

TEST(ModuleNavmeshTest, FocusMessagesAndEditsReachIt) {
    for (const Stage::Host host : {Stage::Host::Sequential, Stage::Host::NoScheduler}) {
        const auto notes = std::make_shared<Notes>();
        Stage stage(Stage::Options{.host = host, .config = kOn, .module = {.navmesh = factoryFor(notes)}});
        stage.change(R"({"type":"focus","positions":[[3.5,4.5],[20.0,8.0]]})");
        stage.tick();
        EXPECT_EQ(notes->focus, (std::vector<Position>{{3.5f, 4.5f}, {20.0f, 8.0f}}));
        const int updates = notes->updates, built = notes->built;
        stage.change(R"({"type":"place_obstacle","rect":[2,2,2,2],"kind":"rock","height":2})");
        stage.tick(3);
        EXPECT_EQ(notes->updates, updates + 3);
        EXPECT_GT(notes->built, built);  // through the host's scheduler where it has one
        EXPECT_EQ(notes->revision, stage.module->world()->snapshot().revision());
    }
}

TEST(ModuleNavmeshTest, OtherSettingsMakeAnotherAndEqualOnesKeepIt) {
    const auto notes = std::make_shared<Notes>();
    Stage stage(Stage::Options{.config = kOn, .module = {.navmesh = factoryFor(notes)}});
    EXPECT_EQ(notes->made, 1);
    ASSERT_FALSE(stage.module->setWorld(test::smallWorld()));
    EXPECT_EQ(notes->made, 2);
    stage.ask(ask(1, "[12.5,20.75]", kPlain));
    stage.settle();
    EXPECT_EQ(stage.answers.at(0)["algorithm"], "navmesh");
}

TEST(ModuleNavmeshTest, WhatCannotBeHadIsRefusedByName) {
    const auto refused = [](const std::string& config, RouteBackendFactory factory, const std::string& field) {
        MessageBus bus;
        SequentialModuleSystem system(bus);
        const auto error = system.registerModule(
            "p", std::make_unique<PathfinderModule>(PathfinderModuleOptions{.world = test::smallWorld(), .navmesh = std::move(factory)}), *test::node(config));
        ASSERT_TRUE(error) << config;
        EXPECT_NE(error->text().find(field), std::string::npos) << error->text();
    };
    const auto notes = std::make_shared<Notes>();
    refused(kOn, {}, "algorithms.selection.individual_backend");
    refused(R"({"algorithms":{"selection":{"individual_backend":"mesh"}}})", factoryFor(notes), "individual_backend");
    refused(R"({"algorithms":{"selection":{"individual_backend":"navmesh"}},"performance":{"deterministic":true}})", factoryFor(notes), "deterministic");
    refused(R"({"algorithms":{"selection":{"individual_backend":"navmesh"}},"navmesh":{"load_radius":9}})", factoryFor(notes), "navmesh.unload_radius");
    refused(R"({"algorithms":{"selection":{"individual_backend":"navmesh"}},"navmesh":{"cell_size":0.3}})", factoryFor(notes), "navmesh.cell_size");
    refused(R"({"algorithms":{"selection":{"individual_backend":"navmesh"}},"navmesh":{"cell_size":0.125}})", factoryFor(notes), "navmesh.cell_size");
}

}  // namespace
}  // namespace warpath
