// warpath serve: the main job. A host with the pathfinder module; each input line is published, each answer printed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "command.h"
#include "navmesh_part.h"
#include "options.h"
#include "report.h"
#include "warpath/host/json_data_node.h"
#include "warpath/host/message_bus.h"
#include "warpath/host/multithreaded_module_system.h"
#include "warpath/host/sequential_module_system.h"
#include "warpath/module/pathfinder_module.h"

namespace warpath::tool {
namespace {

constexpr const char* kRequests = "pathfinder/requests";
constexpr const char* kWorld = "pathfinder/world";
constexpr const char* kAnswerTopics[] = {"pathfinder/results", "pathfinder/flow_fields", "pathfinder/tactical_results", "pathfinder/invalidated",
                                         "pathfinder/errors"};
constexpr const char* kNotices = "pathfinder/notices";
/// The last tick that --ticks and a line may name.
constexpr std::uint64_t kLastTick = 1'000'000'000;
constexpr double kTickSeconds = 1.0 / 60.0;
/// Lines without a tick of their own: how many are published per tick, and how many may be unanswered at a time.
constexpr int kLinesPerTick = 512;
constexpr std::size_t kMostOutstanding = 4096;
/// With nothing at work and nothing said for so many ticks, what is still unanswered never will be.
constexpr std::uint64_t kPatience = 240;

struct Options {
    MapArguments map;
    std::string config, requests = "-";
    std::uint64_t ticks = 0;
    bool has_ticks = false, realtime = false;
    std::optional<std::size_t> threads;
    std::uint64_t seed = 0;
};

/// Lines from a file or from standard input; the reading waits on a thread of its own, so that a driver may answer to what it gets.
class LineSource {
public:
    explicit LineSource(const std::string& path) : shared_(std::make_shared<Shared>()) {
        if (path == "-") {
            // Left to itself at the end: it may sit in a read that never returns.
            std::thread([shared = shared_] { read(std::cin, *shared); }).detach();
            return;
        }
        std::ifstream in(path);
        if (!in || std::filesystem::is_directory(path)) throw Refusal("--requests", path, "it cannot be read: name a file of JSON lines, or - for standard input");
        read(in, *shared_);
    }

    enum class State { Line, NothingYet, End };
    /// Takes the next line. With `wait`, sleeps until there is one, the end, or a little time has passed.
    State next(std::string& line, bool wait) {
        std::unique_lock lock(shared_->mutex);
        if (wait) shared_->changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return !shared_->lines.empty() || shared_->ended; });
        if (shared_->lines.empty()) return shared_->ended ? State::End : State::NothingYet;
        line = std::move(shared_->lines.front());
        shared_->lines.pop_front();
        return State::Line;
    }

private:
    struct Shared {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::string> lines;
        bool ended = false;
    };
    static void read(std::istream& in, Shared& shared) {
        std::string line;
        while (std::getline(in, line)) {
            const std::lock_guard lock(shared.mutex);
            shared.lines.push_back(std::move(line));
            shared.changed.notify_one();
        }
        const std::lock_guard lock(shared.mutex);
        shared.ended = true;
        shared.changed.notify_one();
    }
    std::shared_ptr<Shared> shared_;
};

/// One line of input, ready to publish.
struct Envelope {
    std::optional<std::uint64_t> tick;
    std::string topic;
    std::string message;
    std::string awaited_id;  ///< The request_id whose answer is waited for, as JSON; empty for none.
};

/// The request_id that a text which is no JSON seems to hold, as JSON: named once, and followed by a whole string or integer.
std::optional<std::string> recoveredId(const std::string& text) {
    static const std::string kName = "\"request_id\"";
    std::size_t at = text.find(kName);
    if (at == std::string::npos || text.find(kName, at + 1) != std::string::npos) return std::nullopt;
    const auto skipSpace = [&] { at = std::min(text.find_first_not_of(" \t", at), text.size()); };
    at += kName.size();
    skipSpace();
    if (at >= text.size() || text[at] != ':') return std::nullopt;
    ++at;
    skipSpace();
    std::size_t end = at;
    if (at < text.size() && text[at] == '"') {
        for (++end; end < text.size() && text[end] != '"';) end += text[end] == '\\' ? 2 : 1;
        ++end;
    } else {
        end = text.find_first_not_of("-0123456789", at);
    }
    if (end >= text.size()) return std::nullopt;  // the end of the text may have cut it
    const Json id = Json::parse(text.substr(at, end - at), nullptr, false);
    if (!id.is_string() && !id.is_number_integer()) return std::nullopt;
    return id.dump();
}

/// What is said of a line that cannot be published.
struct BadLine {
    Error error;
    std::optional<std::string> id;  ///< Its request_id as JSON, where it can be told.
};

/// Reads a line: an envelope with topic and message, or a message alone. A BadLine when it is neither.
std::variant<Envelope, BadLine> parseLine(const std::string& line, std::uint64_t number) {
    const std::string where = "line " + std::to_string(number);
    const ParsedJson checked = JsonDataNode::parse(line);
    if (checked.error) {
        Error error = *checked.error;
        // A place in the line reads "line 1, column 14"; a member given twice is named by its path.
        const std::string in_line = "line 1, ";
        error.field = error.field.starts_with(in_line) ? where + ", " + error.field.substr(in_line.size()) : where + ": " + error.field;
        return BadLine{std::move(error), recoveredId(line)};
    }
    const Json json = Json::parse(line, nullptr, false);
    const auto idOf = [](const Json& message) -> std::optional<std::string> {
        if (!message.is_object() || !message.contains("request_id")) return std::nullopt;
        const Json& id = message["request_id"];
        return id.is_string() || id.is_number_integer() ? std::optional(id.dump(-1, ' ', false, Json::error_handler_t::replace)) : std::nullopt;
    };
    const auto bad = [&](std::string value, std::string remedy) {
        const bool is_envelope = json.is_object() && json.contains("message");
        return BadLine{{where, std::move(value), std::move(remedy)}, idOf(is_envelope ? json["message"] : json)};
    };
    if (!json.is_object()) return bad(line.substr(0, 60), "write a JSON object: {\"topic\":...,\"message\":{...}} or a message alone");
    Envelope envelope;
    const bool wrapped = json.contains("message") && !json.contains("type");
    if (wrapped) {
        for (const auto& [key, value] : json.items()) {
            if (key == "topic" && value.is_string()) {
                envelope.topic = value.get<std::string>();
            } else if (key == "tick" && value.is_number_unsigned() && value.get<std::uint64_t>() <= kLastTick) {
                envelope.tick = value.get<std::uint64_t>();
            } else if (key != "message") {
                return bad(key + ": " + value.dump().substr(0, 40), "beside message there is topic, a string, and tick, a whole number from 0 to " + std::to_string(kLastTick));
            }
        }
    }
    if (envelope.topic.empty()) envelope.topic = kRequests;
    if (envelope.topic != kRequests && envelope.topic != kWorld) {
        return bad("topic: \"" + envelope.topic.substr(0, 40) + "\"", std::string("use ") + kRequests + " or " + kWorld + ", which the module listens to");
    }
    const Json& message = wrapped ? json["message"] : json;
    envelope.message = wrapped ? message.dump(-1, ' ', false, Json::error_handler_t::replace) : line;
    if (envelope.topic == kRequests && message.is_object() && message.value("type", Json()) != "cancel") envelope.awaited_id = idOf(message).value_or("");
    return envelope;
}

/// Whether a configuration's terrain differs from the reference's, which it has when it says nothing.
bool changesTerrain(const WorldRules& rules) {
    const WorldRules reference = WorldRules::reference();
    if (rules.terrain_types.size() != reference.terrain_types.size()) return true;
    return std::any_of(rules.unit_classes.begin(), rules.unit_classes.end(), [&](const UnitClass& unit) {
        const auto known = reference.unitByName(unit.name);
        return !known || reference.unit_classes[static_cast<std::size_t>(*known)].multipliers != unit.multipliers;
    });
}

class Server {
public:
    Server(const Options& options, LoadedMap loaded, const IDataNode& config) : options_(options), client_(bus_.connect()) {
        for (const char* topic : kAnswerTopics) orRefuse(client_->subscribe(topic));
        orRefuse(client_->subscribe(kNotices));
        if (options.threads && *options.threads == 0) {
            system_ = std::make_unique<SequentialModuleSystem>(bus_);
        } else {
            system_ = std::make_unique<MultithreadedModuleSystem>(bus_, MultithreadedOptions{.threads = options.threads.value_or(0)});
        }
        PathfinderModuleOptions module;
        module.world = std::move(loaded.world);
        module.enemies = std::move(loaded.threats);
        module.navmesh = navmeshFactory();
        module.keep_answers = 0;
        orRefuse(system_->registerModule(kName, std::make_unique<PathfinderModule>(std::move(module)), config));
    }

    int run() {
        LineSource lines(options_.requests);
        std::uint64_t last_sign = 0;  // the tick of the last sign of life
        while (!meshIsReady()) {
            orRefuse(system_->processModules(kTickSeconds));
            std::this_thread::sleep_for(std::chrono::microseconds(100));  // leave the core to the builders
        }
        auto due = std::chrono::steady_clock::now();
        for (tick_ = 0; !options_.has_ticks || tick_ < options_.ticks; ++tick_) {
            if (publishDue(lines)) last_sign = tick_;
            orRefuse(system_->processModules(kTickSeconds));
            if (printAnswers()) last_sign = tick_;
            if (ended_ && !waiting_ && !options_.has_ticks) {
                const bool at_work = pendingTasks() > 0;
                if (awaited_.empty() && !at_work && tick_ > last_sign) break;
                if (!at_work && tick_ > last_sign + kPatience) break;
            }
            if (options_.realtime) {
                due += std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(kTickSeconds));
                std::this_thread::sleep_until(due);
            } else if (last_sign != tick_ && system_->pendingTaskCount(kName) > 0) {
                std::this_thread::sleep_for(std::chrono::microseconds(200));  // leave the core to the workers
            }
        }
        std::fprintf(stderr, "%s\n", system_->findModule(kName)->getHealthStatus().c_str());
        if (!ended_ && !waiting_) ended_ = endsHere(lines);
        const bool in_time = awaited_.empty();  // what the shutdown cancels was not answered in time
        system_->shutdown();
        printAnswers();
        for (const auto& [id, count] : awaited_) std::fprintf(stderr, "no answer to request_id %s\n", id.c_str());
        return in_time && awaited_.empty() && ended_ && !waiting_ ? kDone : kAnswerIsNo;
    }

private:
    static constexpr const char* kName = "pathfinder";

    /// Whether the navmesh, if the configuration keeps one, has built what it starts with: so that the first lines are not answered by the grid.
    bool meshIsReady() {
        const bool begun = std::exchange(mesh_begun_, true);
        const Json health = Json::parse(system_->findModule(kName)->getHealthStatus(), nullptr, false);
        const Json mesh = health.is_object() ? health.value("navmesh", Json()) : Json();
        return !mesh.is_object() || (begun && mesh.value("waiting", 0) == 0);
    }

    /// Publishes the lines whose tick has come. Returns whether there were any.
    bool publishDue(LineSource& lines) {
        bool any = false;
        for (int count = 0; count < kLinesPerTick && !ended_;) {
            if (!waiting_) {
                std::string line;
                const bool idle = awaited_.empty() && !any && !options_.realtime;
                LineSource::State state = lines.next(line, idle);
                // Ticks that are counted do not pass while there is nothing to do but wait for the first or next line.
                while (idle && options_.has_ticks && state == LineSource::State::NothingYet) state = lines.next(line, true);
                if (state == LineSource::State::End) ended_ = true;
                if (state != LineSource::State::Line) break;
                ++line_number_;
                if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
                auto parsed = parseLine(line, line_number_);
                if (const BadLine* wrong = std::get_if<BadLine>(&parsed)) {
                    printError(wrong->error, wrong->id);
                    any = true;
                    continue;
                }
                waiting_ = std::get<Envelope>(std::move(parsed));
            }
            if (waiting_->tick ? *waiting_->tick > tick_ : awaited_.size() >= kMostOutstanding) break;
            if (!client_->publish(waiting_->topic, waiting_->message)) {
                if (any) break;  // the module's queue is full: again in the next tick
                printError({"line " + std::to_string(line_number_), waiting_->topic, "publish on pathfinder/requests or pathfinder/world, less than 64 MiB at a time"},
                           std::nullopt);
            } else if (!waiting_->awaited_id.empty()) {
                ++awaited_[waiting_->awaited_id];
            }
            waiting_.reset();
            any = true;
            ++count;
        }
        return any;
    }

    /// Whether the ticks ran out where the input ends. What comes later than that is not waited for, unless there was no tick to read in.
    bool endsHere(LineSource& lines) const {
        for (std::string line;;) {
            const LineSource::State state = lines.next(line, true);
            if (state == LineSource::State::End) return true;
            if (state == LineSource::State::NothingYet ? options_.ticks > 0 : line.find_first_not_of(" \t\r") != std::string::npos) return false;
        }
    }

    bool printAnswers() {
        bool any = false;
        while (auto answer = client_->pull()) {
            if (answer->topic == kNotices) {
                const Json notice = Json::parse(answer->payload, nullptr, false);
                if (notice.is_object()) std::fprintf(stderr, "note: navmesh for %s: %s\n", notice.value("subject", "").c_str(), notice.value("text", "").c_str());
                continue;
            }
            any = true;
            print(answer->topic, answer->payload);
            if (answer->topic == "pathfinder/invalidated" || awaited_.empty()) continue;
            const Json message = Json::parse(answer->payload, nullptr, false);
            if (!message.is_object() || message.value("interim", false) || !message.contains("request_id")) continue;
            const auto found = awaited_.find(message["request_id"].dump());
            if (found != awaited_.end() && --found->second == 0) awaited_.erase(found);
        }
        if (any && std::fflush(stdout) != 0) throw Refusal("stdout", "cannot be written", "point it at a place with room");
        return any;
    }

    void printError(const Error& error, const std::optional<std::string>& id) const {
        Json message;
        if (id) message["request_id"] = Json::parse(*id);
        message["status"] = "invalid_argument";
        message["error"] = {{"field", error.field}, {"value", error.value}, {"remedy", error.remedy}};
        print("pathfinder/errors", message.dump(-1, ' ', false, Json::error_handler_t::replace));
        std::fflush(stdout);  // whoever sent the line may wait for this
    }

    void print(const std::string& topic, const std::string& payload) const {
        std::printf("{\"tick\":%llu,\"topic\":\"%s\",\"message\":%s}\n", static_cast<unsigned long long>(tick_), topic.c_str(), payload.c_str());
    }

    std::uint64_t pendingTasks() const {
        const Json health = Json::parse(system_->findModule(kName)->getHealthStatus(), nullptr, false);
        return health.is_object() ? health.value("pending_tasks", std::uint64_t{0}) : 0;
    }

    const Options& options_;
    MessageBus bus_;
    std::unique_ptr<IIO> client_;
    std::unique_ptr<IModuleSystem> system_;
    std::map<std::string, int> awaited_;  // answers still to come, by request_id as JSON
    std::optional<Envelope> waiting_;     // read, but its tick has not come or there is no room
    bool mesh_begun_ = false;
    bool ended_ = false;
    std::uint64_t line_number_ = 0;
    std::uint64_t tick_ = 0;
};

int run(const Options& options) {
    const std::string text = options.config.empty() ? "{}" : readTextFile("--config", options.config);
    const Config config = orRefuse(parseConfig(text, options.config));
    LoadedMap loaded = options.map.load(config);
    if (loaded.benchmark && changesTerrain(config.rules)) {
        std::fprintf(stderr, "note: the letters of %s are its terrain: terrain_types and multipliers of %s do not count on it; --terrain makes them\n",
                     loaded.name.c_str(), options.config.c_str());
    }
    const ParsedJson node = JsonDataNode::parse(text);
    if (node.error) throw Refusal("--config " + options.config, node.error->field + ": " + node.error->value, node.error->remedy);
    return Server(options, std::move(loaded), *node.node).run();
}

}  // namespace

Action setUpServe(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    options->map.addTo(app);
    app.add_option("--config", options->config, "The configuration of the module, as config/gameconfig.json (the defaults)")->check(notEmpty("name a file"));
    app.add_option("--requests", options->requests, "JSON lines to publish: {\"topic\":...,\"message\":{...},\"tick\":N} or a message alone; - is stdin (-)")
        ->check(notEmpty("name a file, or - for standard input"));
    CLI::Option* ticks = app.add_option("--ticks", options->ticks, "Stop after so many ticks (when every request has its final answer)");
    ticks->check(wholeNumber(0, kLastTick));
    app.add_flag("--realtime", options->realtime, "60 ticks a second instead of as fast as they go");
    app.add_option("--threads", options->threads, "Workers; 0: everything on one thread, in the same order every time (one less than the machine has)")
        ->check(wholeNumber(0, 256));
    app.add_option("--seed", options->seed, "Taken by every command; this one draws no lots")->check(wholeNumber(0, INT64_MAX));
    return [options, ticks] {
        options->has_ticks = ticks->count() > 0;
        return run(*options);
    };
}

}  // namespace warpath::tool
