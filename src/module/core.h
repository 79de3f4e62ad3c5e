// What the message handlers of the module share. A new kind of request is a line in one of the tables below and a function in that file.
//
//   constexpr RequestType kMine[] = {{"my_type", kResultsTopic, "my_task", handleMine, writeMine}};
//   void handleMine(ModuleCore& core, RequestMessage& message) {
//       MyRequest mine;
//       message.fields.read("x", mine.x, 0, 10);
//       if (message.complete()) core.submit(mine.query(), message);      // otherwise the error is answered for you
//   }
#pragma once

#include <any>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/json_reader.h"
#include "module/json_writer.h"
#include "module/route_keeper.h"
#include "module/settings.h"
#include "warpath/host_api/io.h"
#include "warpath/service/service.h"
#include "warpath/tactical/congestion_map.h"
#include "warpath/world/world.h"

namespace warpath::module_detail {

inline constexpr const char* kRequestsTopic = "pathfinder/requests";
inline constexpr const char* kWorldTopic = "pathfinder/world";
inline constexpr const char* kResultsTopic = "pathfinder/results";
inline constexpr const char* kFlowTopic = "pathfinder/flow_fields";
inline constexpr const char* kTacticalTopic = "pathfinder/tactical_results";
inline constexpr const char* kInvalidatedTopic = "pathfinder/invalidated";
inline constexpr const char* kErrorsTopic = "pathfinder/errors";
inline constexpr const char* kNoticesTopic = "pathfinder/notices";

class ModuleCore;
struct RequestMessage;
struct OpenRequest;

/// Writes the members of an answer that follow the common ones. The answer holds no paths when there was no search.
using BodyWriter = void (*)(JsonWriter& out, const OpenRequest& request, const ServiceAnswer& answer);

/// One value of a request's `type`.
struct RequestType {
    const char* name;
    const char* topic;      ///< Where its answers go.
    const char* task_type;  ///< Member `task_type` of its answers; null: none.
    /// Reads the message and submits it, or answers it at once, if message.complete(); does neither otherwise.
    void (*handle)(ModuleCore& core, RequestMessage& message);
    BodyWriter body;        ///< May be null.
};

/// What a message calls a field that errors of the library call by another name.
struct FieldName {
    std::string_view library;
    std::string_view message;
};

/// What is kept of a request until its answer.
struct OpenRequest {
    const RequestType* type = nullptr;
    std::string id;          ///< `request_id` as JSON text.
    std::string unit;        ///< `unit_id` as JSON text; empty: none.
    std::string query_type;  ///< Of a tactical query; empty: none.
    BodyWriter body = nullptr;
    std::any extra;          ///< Whatever the body needs to remember.
    std::span<const FieldName> names{};  ///< For the error of its answer; of static storage.
    std::optional<RouteTerms> route;  ///< Its answer's routes can be watched.
    std::shared_ptr<const WorldRules> rules;  ///< Of the world it was asked about.
};

/// A request while it is read.
struct RequestMessage {
    JsonObject& fields;
    std::optional<Error>& error;
    OpenRequest open;
    RequestInfo info;
    int side = 0;
    std::uint32_t group_size = 1;

    /// Refuses fields that nobody asked for. @return whether all was well so far.
    bool complete() {
        fields.finish();
        return !error;
    }
    /// Notes an error.
    void refuse(std::string field, std::string value, std::string remedy) {
        noteError(error, std::move(field), std::move(value), std::move(remedy));
    }
};

/// A change of the world while it is read.
struct WorldMessage {
    JsonObject& fields;
    std::optional<Error>& error;
    bool complete() {
        fields.finish();
        return !error;
    }
};

/// One value of a world change's `type`. `handle` makes the change if message.complete(), and notes an error otherwise.
struct WorldType {
    const char* name;
    void (*handle)(ModuleCore& core, WorldMessage& message);
};

/// The tables, one for each family of messages.
[[nodiscard]] std::span<const RequestType> pathRequests();
[[nodiscard]] std::span<const RequestType> tacticalRequests();
[[nodiscard]] std::span<const RequestType> routeRequests();
[[nodiscard]] std::span<const RequestType> flowRequests();
[[nodiscard]] std::span<const WorldType> worldChanges();

/// Figures for the health status, beside those of the service.
struct ModuleCounts {
    std::uint64_t messages = 0;          ///< Taken from both topics.
    std::uint64_t requests = 0;          ///< Those that had a usable id and are no `cancel`: each has exactly one answer.
    std::uint64_t answered = 0;
    std::uint64_t refused = 0;           ///< Answered invalid_argument when read.
    std::uint64_t malformed = 0;         ///< Told on pathfinder/errors for want of an id.
    std::uint64_t cancels = 0;
    std::uint64_t unknown_cancels = 0;   ///< Of an id that was not open.
    std::uint64_t world_changes = 0;
    std::uint64_t world_errors = 0;
    std::uint64_t undelivered = 0;       ///< Messages that some receiver's full queue lost.
};

/// The working part of a configured module.
class ModuleCore {
public:
    ModuleCore(IIO& io, Config config, ServiceOptions options, RouteBackendFactory navmesh, std::size_t keep_answers);

    /// @name For handlers
    /// @{
    [[nodiscard]] World& world() { return *world_; }
    [[nodiscard]] const WorldRules& rules() const { return *rules_; }
    [[nodiscard]] const Config& config() const { return config_; }
    [[nodiscard]] ThreatKeeper& threat() { return threat_; }
    [[nodiscard]] Service& service() { return service_; }
    /// Hands a question to the service; `message.open` is kept until its answer.
    void submit(ServiceQuery query, RequestMessage& message);
    /// Prices the ground by where units stand, if the configuration gives that a weight. @return what is wrong with them, and then nothing is changed.
    [[nodiscard]] std::optional<Error> setCrowd(std::span<const CrowdUnit> units);
    /// Watches a route, at once or when the request for it is answered.
    void subscribe(RouteOrder order, RequestMessage& message);
    /// Answers at once.
    void answer(const OpenRequest& request, ServiceAnswer&& answer);
    void publish(const char* topic, std::string text);
    /// Where players look, as last told.
    std::vector<Position> focus;
    /// @}

    void handleRequest(const std::string& text);
    void handleWorldChange(const std::string& text);
    /// One frame: starts and finishes searches, publishes answers.
    void tick(std::uint64_t frame);
    void shutdown();
    /// @return what is wrong, and then nothing is changed.
    [[nodiscard]] std::optional<Error> reconfigure(Config config, ServiceOptions options);
    /// Null: none. The configuration's rules are given to it. @return why it cannot take them, and then nothing is changed.
    [[nodiscard]] std::optional<Error> setWorld(std::shared_ptr<World> world);
    /// Before messages are read: the game may have given its world other rules.
    void refreshRules();
    [[nodiscard]] std::optional<ServiceAnswer> takeAnswer(const std::string& id);
    void writeHealth(JsonWriter& out) const;
    /// Members of the state: what was told and is no part of the world.
    void writeState(JsonWriter& out) const;
    [[nodiscard]] std::optional<Error> readState(std::string_view text, std::int64_t version, std::uint64_t& frame);
    ModuleCounts counts;

private:
    void cancel(JsonObject& fields, std::optional<Error>& error, const std::string& id);
    void readCommon(RequestMessage& message);
    /// Whether a request or a waiting subscription of this id has no answer yet. Linear in the subscriptions that wait.
    [[nodiscard]] bool isOpen(const std::string& id) const;
    void publishAnswers();
    void attach(const OpenRequest& subscription);
    void publishEvents();
    void tellNotice(const RouteBackendNotice& notice);
    void tellError(const char* topic, std::string_view type, std::string_view id, const Error& error);
    /// Publishes an answer, final or interim.
    void tell(const OpenRequest& request, const ServiceAnswer& done);
    void keep(const std::string& id, ServiceAnswer&& answer);
    /// The backend for a configuration and world; the present one where it does, none for the grid.
    [[nodiscard]] MadeRouteBackend backendFor(const Config& config, const World* world) const;

    IIO& io_;
    std::shared_ptr<World> world_;
    std::shared_ptr<const WorldRules> rules_;
    Config config_;
    ThreatKeeper threat_;
    CongestionMap crowd_;
    ServiceOptions options_;  ///< As last given, with the backend.
    RouteBackendFactory navmesh_;
    std::uint64_t backend_world_ = 0;  ///< World that the backend was made for.
    Service service_;
    std::unordered_map<RequestTicket, OpenRequest> open_;
    std::multimap<std::string, RequestTicket> tickets_;  ///< By the request's id.
    RouteKeeper routes_;
    std::multimap<RequestTicket, OpenRequest> subscriptions_;  ///< Not yet answered, by the request they wait for; none: for the next frame.
    WorldSnapshot now_;                                   ///< Of this frame.
    std::vector<ToldRoute> told_;
    std::size_t keep_answers_;
    std::deque<std::pair<std::string, ServiceAnswer>> kept_;  ///< The newest answers, oldest first.
    std::uint64_t frame_ = 0;
};

/// Positions of a unit as a handler's field: `fields.read` plus an error when it is absent.
void requirePosition(RequestMessage& message, std::string_view key, Position& out);
/// The optional member `constraints`.
void readConstraintsField(ModuleCore& core, RequestMessage& message, PathConstraints& out);
/// The member `path`, an array of positions or of waypoints as answers have them.
[[nodiscard]] std::vector<Position> requireRoute(RequestMessage& message);
/// The member `key`, an array of low..kMaxGoalPositions positions.
[[nodiscard]] std::vector<Position> readPositions(RequestMessage& message, std::string_view key, std::size_t low = 1);
/// The optional member `max_cost`.
[[nodiscard]] std::optional<double> readMaxCost(RequestMessage& message);
/// Members of a Path in the order of CLI: path, waypoint_count, length ... revision.
void writePathMembers(JsonWriter& out, const Path& path);
/// The member `breakdown`.
void writeBreakdown(JsonWriter& out, const CostBreakdown& breakdown);
/// Messages of pathfinder/invalidated.
[[nodiscard]] std::string writeRouteEvent(const ToldRoute& told);
[[nodiscard]] std::string writeFieldEvent(const FieldEvent& event);

/// A JSON string or integer as compact text; nothing for other values.
[[nodiscard]] std::optional<std::string> idText(const Json& value);
/// What can be told of a text that is JSON but was refused (members given twice, too deep).
struct RecoveredHead {
    std::optional<std::string> id;  ///< `request_id` as JSON text, if there is exactly one usable.
    std::string type;               ///< `type` as JSON text, if there is exactly one.
};
[[nodiscard]] RecoveredHead recoverHead(std::string_view text);
/// Elements of an array member. Notes an error when it is no array or has not low..high elements. @return null then, or when it is absent.
[[nodiscard]] const Json* readArray(JsonObject& fields, std::string_view key, std::size_t low, std::size_t high, std::optional<Error>& error);
[[nodiscard]] bool isArrayOf(const Json& value, std::size_t size);
[[nodiscard]] std::size_t sizeOf(const Json& array);
[[nodiscard]] const Json& elementOf(const Json& array, std::size_t index);
/// A position, or a waypoint as answers have them; its other members are checked and left.
bool readWaypoint(const Json& value, const std::string& path, Position& out, std::optional<Error>& error);

}  // namespace warpath::module_detail
