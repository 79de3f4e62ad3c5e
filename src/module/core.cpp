#include "module/core.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "warpath/core/hash.h"

namespace warpath::module_detail {
namespace {

constexpr std::int32_t kMaxGroup = 1'000'000;

const std::array<std::span<const RequestType>, 4>& requestTables() {
    static const std::array<std::span<const RequestType>, 4> tables{pathRequests(), tacticalRequests(), routeRequests(), flowRequests()};
    return tables;
}

const RequestType* findRequestType(std::string_view name) {
    for (const auto& table : requestTables()) {
        for (const RequestType& type : table) {
            if (name == type.name) return &type;
        }
    }
    return nullptr;
}

const WorldType* findWorldType(std::string_view name) {
    for (const WorldType& type : worldChanges()) {
        if (name == type.name) return &type;
    }
    return nullptr;
}

std::string knownTypes() {
    std::string names;
    for (const auto& table : requestTables()) {
        for (const RequestType& type : table) names += std::string(type.name) + ", ";
    }
    return names + "cancel";
}

std::string knownChanges() {
    std::string names;
    for (const WorldType& type : worldChanges()) names += (names.empty() ? "" : ", ") + std::string(type.name);
    return names;
}

/// A number for a name that is a string or an integer, as its JSON text. Strings, and integers beyond 64 bits with a sign, are hashed: two of them are one
/// unit with probability 2^-64.
std::uint64_t keyOf(const std::string& id) {
    std::int64_t number = 0;
    if (std::from_chars(id.data(), id.data() + id.size(), number).ec == std::errc{}) return static_cast<std::uint64_t>(number);
    Hash64 hash;
    hash.add(id);
    return hash.value();
}

/// The type of answers to requests that have no known one.
constexpr RequestType kUnknownType{"", kResultsTopic, nullptr, nullptr, nullptr};

/// The rules of a configuration go to the world when they are news: neither what the world has, nor what the configuration before said (the
/// game may have given its world rules of its own, and a configuration that says nothing of them leaves those alone). A map whose letters are its
/// terrain keeps types and multipliers; one whose types are others than the configuration's is refused, for its cells would turn into something else.
std::optional<Error> giveRules(World* world, const Config& config, const WorldRules& before) {
    if (world == nullptr || config.rules == before) return std::nullopt;
    const WorldSnapshot now = world->snapshot();
    const WorldRules wanted = config.rules.appliedTo(now.rules());
    if (wanted == now.rules()) return std::nullopt;
    const std::vector<TerrainType>& has = now.rules().terrain_types;
    for (std::size_t i = 0; i < has.size(); ++i) {
        if (i < wanted.terrain_types.size() && wanted.terrain_types[i].name == has[i].name) continue;
        return Error{"rules.terrain_types", "\"" + (i < wanted.terrain_types.size() ? wanted.terrain_types[i].name : std::string("nothing")) + "\" as number " + std::to_string(i),
                     "the world has \"" + has[i].name + "\" there: load it with the rules of this configuration, or leave rules out"};
    }
    return world->setRules(wanted);
}

ServiceAnswer refusal(Error error) {
    ServiceAnswer answer;
    answer.status = PathStatus::InvalidArgument;
    answer.error = std::move(error);
    return answer;
}

}  // namespace

ModuleCore::ModuleCore(IIO& io, Config config, ServiceOptions options, RouteBackendFactory navmesh, std::size_t keep_answers)
    : io_(io), config_(std::move(config)), options_(std::move(options)), navmesh_(std::move(navmesh)), service_(options_), routes_(service_.tiles()), keep_answers_(keep_answers) {
    threat_.configure(threatSettingsOf(config_), nullptr);
    crowd_ = CongestionMap(config_.congestion);
}

MadeRouteBackend ModuleCore::backendFor(const Config& config, const World* world) const {
    if (!wantsNavmesh(config) || world == nullptr || navmesh_ == nullptr) return std::shared_ptr<IRouteBackend>();
    const WorldSnapshot snapshot = world->snapshot();
    if (options_.backend != nullptr && backend_world_ == snapshot.state().world_id && config.navmesh == config_.navmesh) return options_.backend;
    RouteBackendExecutor executor;
    if (options_.jobs) {
        executor = [jobs = options_.jobs](const std::function<void()>& job) {
            if (!jobs(job)) job();
        };
    }
    return navmesh_(snapshot, config.navmesh, std::move(executor));
}

std::optional<Error> ModuleCore::setWorld(std::shared_ptr<World> world) {
    auto backend = backendFor(config_, world.get());
    if (auto* error = std::get_if<Error>(&backend)) return std::move(*error);
    if (auto error = giveRules(world.get(), config_, WorldRules::reference())) return error;
    if (world != world_) {
        routes_.forget();
        now_ = {};
    }
    world_ = std::move(world);
    if (const auto& made = std::get<std::shared_ptr<IRouteBackend>>(backend); made != options_.backend) {
        options_.backend = made;
        backend_world_ = world_ == nullptr ? 0 : world_->snapshot().state().world_id;
        if (auto error = service_.reconfigure(options_)) return error;
    }
    threat_.setWorld(world_.get());
    refreshRules();
    return std::nullopt;
}

std::optional<Error> ModuleCore::setCrowd(std::span<const CrowdUnit> units) {
    if (auto error = crowd_.update(units)) return error;
    if (crowd_.config().weight == 0.0f) return std::nullopt;
    const WorldSnapshot before = world_->snapshot();
    return world_->edit([&](WorldEdit& e) { crowd_.publish(before, e); }).error;
}

void ModuleCore::refreshRules() {
    if (world_ != nullptr) rules_ = world_->snapshot().state().rules;
}

std::optional<Error> ModuleCore::reconfigure(Config config, ServiceOptions options) {
    if (auto error = Service::check(options)) return error;
    auto backend = backendFor(config, world_.get());
    if (auto* error = std::get_if<Error>(&backend)) return std::move(*error);
    if (auto error = giveRules(world_.get(), config, config_.rules)) return error;
    options.backend = std::get<std::shared_ptr<IRouteBackend>>(std::move(backend));
    if (auto error = service_.reconfigure(options)) return error;
    options_ = std::move(options);
    backend_world_ = world_ == nullptr ? 0 : world_->snapshot().state().world_id;
    threat_.configure(threatSettingsOf(config), world_.get());
    if (config.congestion != config_.congestion) {
        // What is priced by other settings goes; the next `crowd` is priced by these.
        if (config_.congestion.weight > 0.0f && world_ != nullptr) (void)setCrowd({});
        crowd_ = CongestionMap(config.congestion);
    }
    config_ = std::move(config);
    refreshRules();
    return std::nullopt;
}

void ModuleCore::handleRequest(const std::string& text) {
    ++counts.messages;
    auto parsed = parseJson(text, "");
    if (auto* error = std::get_if<Error>(&parsed)) {
        const RecoveredHead head = recoverHead(text);
        if (!head.id) return tellError(kRequestsTopic, {}, {}, *error);
        if (head.type == "\"cancel\"") return tellError(kRequestsTopic, "cancel", *head.id, *error);
        OpenRequest nameless;
        nameless.type = &kUnknownType;
        nameless.id = *head.id;
        ++counts.requests;
        ++counts.refused;
        return answer(nameless, refusal(std::move(*error)));
    }
    const Json& body = std::get<Json>(parsed);
    std::optional<Error> error;
    JsonObject fields(body, "", error);
    if (error) return tellError(kRequestsTopic, {}, {}, {"message", describeJson(body), "send an object with type and request_id"});

    const Json* type_value = fields.find("type");
    const std::string type_name = type_value != nullptr && type_value->is_string() ? type_value->get<std::string>() : std::string();
    const Json* id_value = fields.find("request_id");
    const auto id = id_value == nullptr ? std::nullopt : idText(*id_value);
    if (!id) {
        return tellError(kRequestsTopic, type_name, {},
                         {"request_id", id_value == nullptr ? "missing" : describeJson(*id_value), "give a string or an integer"});
    }
    if (type_name == "cancel") return cancel(fields, error, *id);

    ++counts.requests;
    RequestMessage message{fields, error, {}, {}, 0, 1};
    message.open.id = *id;
    message.open.type = &kUnknownType;
    message.open.rules = rules_;
    const RequestType* type = findRequestType(type_name);
    if (type != nullptr) message.open.type = type;
    readCommon(message);
    if (isOpen(*id)) {
        error = Error{"request_id", *id, "a request with this id is still open: use another id, or cancel that one and wait for its answer"};
    } else if (type_value == nullptr) {
        error = Error{"type", "missing", "use one of: " + knownTypes()};
    } else if (type == nullptr) {
        error = Error{"type", describeJson(*type_value), "use one of: " + knownTypes()};
    } else if (!config_.enabled || world_ == nullptr) {
        ServiceAnswer rejected;
        rejected.status = PathStatus::Rejected;
        rejected.error = world_ == nullptr ? Error{"world", "none", "give the module a world before asking"}
                                           : Error{"enabled", "false", "set enabled to true in the module's configuration"};
        return answer(message.open, std::move(rejected));
    } else if (!error) {
        message.open.body = type->body;
        type->handle(*this, message);
    }
    if (!error) return;
    ++counts.refused;
    answer(message.open, refusal(std::move(*error)));
}

bool ModuleCore::isOpen(const std::string& id) const {
    return tickets_.contains(id) ||
           std::any_of(subscriptions_.begin(), subscriptions_.end(), [&](const auto& waiting) { return waiting.second.id == id; });
}

void ModuleCore::readCommon(RequestMessage& message) {
    JsonObject& fields = message.fields;
    if (const Json* unit = fields.find("unit_id")) {
        if (const auto text = idText(*unit)) {
            message.open.unit = *text;
            message.info.unit_id = keyOf(*text);
        } else {
            message.refuse("unit_id", describeJson(*unit), "use a string or an integer");
        }
    }
    if (const Json* player = fields.find("player")) {
        if (const auto text = idText(*player)) {
            message.info.player = keyOf(*text);
        } else {
            message.refuse("player", describeJson(*player), "use a string or an integer");
        }
    }
    std::int32_t side = 0;
    fields.read("side", side, 0, kMaxSides - 1);
    message.side = side;
    std::int32_t group = 1;
    fields.read("group_size", group, 1, kMaxGroup);
    message.group_size = static_cast<std::uint32_t>(group);
    std::int32_t priority = 0;
    fields.read("priority", priority, -kMaxPriority, kMaxPriority);
    message.info.priority = priority;
    std::int64_t deadline = 0;
    fields.read("deadline_ticks", deadline, 0, INT32_MAX);
    if (deadline != 0) message.refuse("deadline_ticks", std::to_string(deadline), "leave it out; deadlines are not supported by this build");
    fields.read("preview", message.info.preview);
}

void ModuleCore::submit(ServiceQuery query, RequestMessage& message) {
    const RequestTicket ticket = service_.submit(std::move(query), message.info);
    tickets_.emplace(message.open.id, ticket);
    if (message.open.route) message.open.route->world_id = world_->snapshot().state().world_id;
    open_.emplace(ticket, std::move(message.open));
}

void ModuleCore::subscribe(RouteOrder order, RequestMessage& message) {
    // The newest open request of that id, else its newest answer.
    for (auto [at, end] = tickets_.equal_range(order.target); at != end; ++at) order.ticket = std::max(order.ticket, at->second);
    const bool open = order.ticket != RequestTicket::None;
    if (open ? !open_.at(order.ticket).route : !routes_.remembers(order.target)) {
        return message.refuse("target_id", order.target, "use the request_id of a single_path, multi_path or cover_path that is open or was answered lately");
    }
    const RequestTicket ticket = order.ticket;
    message.open.extra = std::move(order);
    subscriptions_.emplace(ticket, std::move(message.open));
}

void ModuleCore::attach(const OpenRequest& subscription) {
    ServiceAnswer done;
    RouteKeeper::Outcome outcome = routes_.watch(now_, std::any_cast<const RouteOrder&>(subscription.extra), told_);
    done.status = outcome.status;
    done.error = std::move(outcome.error);
    answer(subscription, std::move(done));
    publishEvents();
}

void ModuleCore::publishEvents() {
    for (const ToldRoute& told : told_) publish(kInvalidatedTopic, writeRouteEvent(told));
    told_.clear();
}

void ModuleCore::cancel(JsonObject& fields, std::optional<Error>& error, const std::string& id) {
    ++counts.cancels;
    fields.finish();
    if (error) return tellError(kRequestsTopic, "cancel", id, *error);
    bool any = false;
    for (auto [at, end] = tickets_.equal_range(id); at != end; ++at) any = service_.cancel(at->second) || any;
    for (auto at = subscriptions_.begin(); at != subscriptions_.end();) {
        if (at->second.id != id) {
            ++at;
            continue;
        }
        ServiceAnswer cancelled;
        cancelled.status = PathStatus::Cancelled;
        answer(at->second, std::move(cancelled));
        at = subscriptions_.erase(at);
        any = true;
    }
    any = routes_.end(id) || any;
    if (!any) ++counts.unknown_cancels;
}

void ModuleCore::handleWorldChange(const std::string& text) {
    ++counts.messages;
    const auto refuse = [&](std::string_view type, std::string_view id, const Error& error) {
        ++counts.world_errors;
        tellError(kWorldTopic, type, id, error);
    };
    const auto parsed = parseJson(text, "");
    if (const auto* error = std::get_if<Error>(&parsed)) return refuse({}, {}, *error);
    const Json& body = std::get<Json>(parsed);
    std::optional<Error> error;
    JsonObject fields(body, "", error);
    if (error) return refuse({}, {}, {"message", describeJson(body), "send an object with type"});
    const Json* type_value = fields.find("type");
    const std::string type_name = type_value != nullptr && type_value->is_string() ? type_value->get<std::string>() : std::string();
    const Json* id_value = fields.find("request_id");  // not needed, but told back in an error
    const auto usable_id = id_value == nullptr ? std::nullopt : idText(*id_value);
    const std::string id = usable_id.value_or("");
    if (id_value != nullptr && !usable_id) return refuse(type_name, id, {"request_id", describeJson(*id_value), "use a string or an integer, or leave it out"});
    const WorldType* type = findWorldType(type_name);
    if (type == nullptr) {
        return refuse(type_name, id, {"type", type_value == nullptr ? "missing" : describeJson(*type_value), "use one of: " + knownChanges()});
    }
    if (world_ == nullptr) return refuse(type_name, id, {"world", "none", "give the module a world before changing it"});
    WorldMessage message{fields, error};
    type->handle(*this, message);
    if (error) return refuse(type_name, id, *error);
    ++counts.world_changes;
}

void ModuleCore::tick(std::uint64_t frame) {
    frame_ = frame;
    if (world_ != nullptr) {
        threat_.tick(*world_);
        now_ = world_->snapshot();
        routes_.changed(now_, told_);
        publishEvents();
        if (options_.backend != nullptr) {
            options_.backend->setFocus(focus);
            options_.backend->update(now_);
            for (const RouteBackendNotice& notice : options_.backend->takeNotices()) tellNotice(notice);
        }
        service_.tick(now_, config_.performance.work_per_frame);
        while (const auto event = service_.pollFieldEvent()) publish(kInvalidatedTopic, writeFieldEvent(*event));
    }
    for (auto [at, end] = subscriptions_.equal_range(RequestTicket::None); at != end; at = subscriptions_.erase(at)) attach(at->second);
    publishAnswers();
}

void ModuleCore::shutdown() {
    for (const auto& [ticket, subscription] : subscriptions_) {
        ServiceAnswer cancelled;
        cancelled.status = PathStatus::Cancelled;
        answer(subscription, std::move(cancelled));
    }
    subscriptions_.clear();
    service_.cancelAll();
    publishAnswers();
}

void ModuleCore::publishAnswers() {
    while (auto done = service_.poll()) {
        const auto found = open_.find(done->ticket);
        if (found == open_.end()) {  // asked for past the messages, by a game that shares the service
            service_.recycle(std::move(*done));
            continue;
        }
        if (done->interim) {
            for (Path& path : done->paths) path.last_validation_frame = frame_;
            tell(found->second, *done);
            service_.recycle(std::move(*done));
            continue;
        }
        const OpenRequest request = std::move(found->second);
        open_.erase(found);
        for (auto [at, end] = tickets_.equal_range(request.id); at != end; ++at) {
            if (at->second != done->ticket) continue;
            tickets_.erase(at);
            break;
        }
        for (Path& path : done->paths) path.last_validation_frame = frame_;
        if (request.route) routes_.remember(request.id, *request.route, *done);
        const RequestTicket ticket = done->ticket;
        answer(request, std::move(*done));
        for (auto [at, end] = subscriptions_.equal_range(ticket); at != end; at = subscriptions_.erase(at)) attach(at->second);
    }
}

void ModuleCore::answer(const OpenRequest& request, ServiceAnswer&& done) {
    ++counts.answered;
    const auto name = std::find_if(request.names.begin(), request.names.end(), [&](const FieldName& n) { return n.library == done.error.field; });
    if (name != request.names.end()) done.error.field = name->message;
    tell(request, done);
    keep(request.id, std::move(done));
}

void ModuleCore::tell(const OpenRequest& request, const ServiceAnswer& done) {
    const RequestType& type = *request.type;
    JsonWriter out;
    out.beginObject();
    if (type.task_type != nullptr) out.member("task_type", type.task_type);
    out.key("request_id").raw(request.id);
    if (!request.unit.empty()) out.key("unit_id").raw(request.unit);
    if (!request.query_type.empty()) out.member("query_type", request.query_type);
    out.member("status", toString(done.status));
    if (done.interim) out.member("interim", true);
    if (!done.error.field.empty()) out.member("error", done.error);
    if (const BodyWriter body = request.body != nullptr ? request.body : type.body) body(out, request, done);
    out.endObject();
    publish(type.topic, std::move(out).text());
}

void ModuleCore::publish(const char* topic, std::string text) {
    if (!io_.publish(topic, std::move(text))) ++counts.undelivered;
}

void ModuleCore::tellNotice(const RouteBackendNotice& notice) {
    JsonWriter out;
    out.beginObject()
        .member("type", "navmesh")
        .member("subject", notice.subject)
        .member("text", notice.text)
        .member("narrowest_gap", notice.narrowest_gap)
        .member("closed_gaps", notice.closed_gaps)
        .member("steep_steps", notice.steep_steps)
        .endObject();
    publish(kNoticesTopic, std::move(out).text());
}

void ModuleCore::tellError(const char* topic, std::string_view type, std::string_view id, const Error& error) {
    ++counts.malformed;
    JsonWriter out;
    out.beginObject().member("topic", topic);
    if (!type.empty()) out.member("type", type);
    if (!id.empty()) out.key("request_id").raw(id);
    out.member("status", toString(PathStatus::InvalidArgument)).member("error", error).endObject();
    publish(kErrorsTopic, std::move(out).text());
}

void ModuleCore::keep(const std::string& id, ServiceAnswer&& answer) {
    if (keep_answers_ == 0 || answer.ticket == RequestTicket::None) return service_.recycle(std::move(answer));
    if (kept_.size() >= keep_answers_) {
        service_.recycle(std::move(kept_.front().second));
        kept_.pop_front();
    }
    kept_.emplace_back(id, std::move(answer));
}

std::optional<ServiceAnswer> ModuleCore::takeAnswer(const std::string& id) {
    for (auto at = kept_.rbegin(); at != kept_.rend(); ++at) {
        if (at->first != id) continue;
        std::optional<ServiceAnswer> answer(std::move(at->second));
        kept_.erase(std::next(at).base());
        return answer;
    }
    return std::nullopt;
}

}  // namespace warpath::module_detail
