// The library as a module of a host: requests come in as messages, answers go out as messages.
//
//   auto module = std::make_unique<PathfinderModule>(PathfinderModuleOptions{.world = world});
//   if (auto error = system.registerModule("pathfinder", std::move(module), config)) fail(error->text());
//   game.publish("pathfinder/requests", R"({"type":"single_path","request_id":1,"start":[2.5,3.5],"goal":[60.5,20.5]})");
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/host_api/module.h"
#include "warpath/io/loaded_world.h"
#include "warpath/service/service.h"
#include "warpath/world/world.h"

namespace warpath {

struct PathfinderModuleOptions {
    /// The ground. The game may edit it between two calls of the module, on the thread that makes them [none: requests are rejected until setWorld].
    std::shared_ptr<World> world{};
    /// Who threatens which side at the start, as a world file tells it.
    ThreatsBySide enemies{};
    /// Which pathfinders the configuration's `pathfinder_impl` can name.
    PathfinderRegistry registry{};
    /// Makes the navmesh that `algorithms.selection.individual_backend` can ask for: navBackendFactory() of warpath::navmesh [none: it cannot].
    RouteBackendFactory navmesh{};
    /// Compiled chunks, to share them with the game's own queries [none: the module's own].
    std::shared_ptr<TileStore> tiles{};
    /// How many of the newest answers takeAnswer can still take [answers] [256]. 0: none.
    std::size_t keep_answers = 256;
};

/// Adapter between messages and a Service; the messages are those of docs/messages.md.
///
/// Takes requests from `pathfinder/requests` and world changes from `pathfinder/world`; answers on `pathfinder/results`, `pathfinder/flow_fields` and
/// `pathfinder/tactical_results`; tells what befalls watched routes on `pathfinder/invalidated`, and on `pathfinder/errors` what has no usable
/// request_id, and on `pathfinder/notices` what the navmesh's settings close on a new world. Every request with an id is answered exactly once: found
/// or not, cancelled, superseded, rejected, or invalid_argument with the field, its value and the remedy. A message that is refused changes nothing.
/// process never waits: searches run as tasks of the host, or, where there is no scheduler or it runs nothing, inside the frame's budget of work units.
/// Two modules share nothing but what the game hands to both.
class PathfinderModule final : public IModule {
public:
    explicit PathfinderModule(PathfinderModuleOptions options = {});
    ~PathfinderModule() override;

    [[nodiscard]] std::optional<Error> setConfiguration(const IDataNode& config, IIO& io, ITaskScheduler* scheduler) override;
    void process(const IDataNode& input) override;
    [[nodiscard]] std::string getConfiguration() const override;
    [[nodiscard]] std::string getHealthStatus() const override;
    void shutdown() override;
    [[nodiscard]] std::string getState() const override;
    [[nodiscard]] std::optional<Error> setState(const IDataNode& state) override;

    /// @name In process, past the messages. On the thread that calls the module, between its calls.
    /// @{

    /// Replaces the world from the next message on. Searches under way finish on the old one.
    /// @return why the configuration's rules do not fit it, and then nothing is changed.
    std::optional<Error> setWorld(std::shared_ptr<World> world);
    /// As the message `enemies`: replaces the sources that threaten a side. @return what is wrong with them, and then nothing is changed.
    [[nodiscard]] std::optional<Error> setEnemies(int side, std::vector<ThreatSource> sources);
    [[nodiscard]] const std::shared_ptr<World>& world() const;
    /// Takes the newest kept answer to a request, as an object; nothing when it has none, was taken, or is too old (keep_answers).
    [[nodiscard]] std::optional<ServiceAnswer> takeAnswer(std::int64_t request_id);
    [[nodiscard]] std::optional<ServiceAnswer> takeAnswer(std::string_view request_id);
    /// The path of such an answer.
    [[nodiscard]] std::optional<Path> takePath(std::int64_t request_id);
    [[nodiscard]] std::optional<Path> takePath(std::string_view request_id);
    /// The newest generation of a flow field, by the field_id of an answer; it stays valid for as long as it is held. Counts as use of the field, so that
    /// it is kept and renewed. Null when the id is unknown or the field was dropped for want of use.
    [[nodiscard]] std::shared_ptr<const FlowField> field(FieldId field_id);
    /// The field of the newest kept answer to a flow_field request; takes the answer.
    [[nodiscard]] std::shared_ptr<const FlowField> takeField(std::int64_t request_id);
    [[nodiscard]] std::shared_ptr<const FlowField> takeField(std::string_view request_id);
    /// The service behind it, to submit typed requests with callbacks or futures; null before the first configuration. Do not poll or tick it.
    [[nodiscard]] Service* service();
    /// @}

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace warpath
