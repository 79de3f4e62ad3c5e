// warpath flow: the field that leads a whole army to one goal.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "flow_tool.h"
#include "layers.h"
#include "options.h"
#include "report.h"
#include "warpath/core/number_text.h"
#include "warpath/pathfinder/query.h"

namespace warpath::tool {
namespace {

struct Options {
    MapArguments map;
    CommonArguments common;
    RequestArguments request;
    std::vector<std::string> goals, from;
    bool tiled = false;
    std::string method = "dijkstra", dump, png;
    int repeat = 1, straight = 0;
    bool json = false;
};

/// A text file that is complete or refused.
class TextOutput {
public:
    explicit TextOutput(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
        if (file_ == nullptr) refuse();
    }
    ~TextOutput() {
        if (file_ != nullptr) std::fclose(file_);
    }
    TextOutput(const TextOutput&) = delete;
    TextOutput& operator=(const TextOutput&) = delete;
    [[nodiscard]] std::FILE* file() const { return file_; }
    void close() {
        const bool failed = std::ferror(file_) != 0;
        if ((std::fclose(std::exchange(file_, nullptr)) != 0) || failed) refuse();
    }

private:
    [[noreturn]] void refuse() const { throw Refusal("--dump", path_, "it cannot be written: name a file in a folder that exists, with room"); }
    std::string path_;
    std::FILE* file_;
};

void writeDump(const std::string& path, const FlowField& field) {
    TextOutput out(path);
    const CellRect area = field.area();
    const Cell goal = field.info().goals.front();
    std::fprintf(out.file(), "warpath-flow 1 %d %d %d %d\n", area.width, area.height, goal.x, goal.y);
    for (int y = area.y; y < area.y + area.height; ++y) {
        for (int x = area.x; x < area.x + area.width; ++x) {
            const Cell c{x, y};
            const Cost cost = field.distance(c);
            const Vec2 v = field.vector(c);
            const Cell next = field.next(c).value_or(Cell{-1, -1});
            if (cost == kNoFlowDistance) {
                std::fputs("inf 0 0 -1 -1\n", out.file());
            } else {
                std::fprintf(out.file(), "%.10g %.8g %.8g %d %d\n", costInMetres(cost), static_cast<double>(v.x), static_cast<double>(v.y), next.x, next.y);
            }
        }
    }
    out.close();
}

/// A goal of the command and what keeps units from it, if anything does.
struct GoalCheck {
    bool off_map = false;
    bool cut_off = false;  ///< A unit can stand there, but no way leads there from --from.
    std::optional<Error> error{};
};

/// Whether the field leads to a goal; nothing else is asked of the map, so that the answer is that of the computation.
GoalCheck checkGoal(Position goal, int size, const FlowField* field, const WorldSnapshot& snapshot) {
    if (auto off = offMap("--goal", goal, snapshot)) return {true, false, std::move(off)};
    const std::string place = "[" + numberText(goal.x) + "," + numberText(goal.y) + "]";
    if (field == nullptr) {
        return {false, false, Error{"--goal", place + " is blocked as is the whole map", "use a map on which the unit can stand somewhere " + boundsText(snapshot)}};
    }
    const auto& led_to = field->info().goals;
    if (!field->info().redirected && std::find(led_to.begin(), led_to.end(), flowCell(goal, size)) != led_to.end()) return {};
    // Without --from whatever can be stood on is a goal.
    if (isFlowWay(field->direction(flowCell(goal, size))) || field->direction(flowCell(goal, size)) == kFlowUnreachable) {
        return {false, true, Error{"--from", "no way leads from there to the goal " + place, "use a goal and places in one connected part of the map"}};
    }
    return {false, false, Error{"--goal", place + " is no place where the unit can stand", "use a free place in metres " + boundsText(snapshot)}};
}

/// The field of the chunks that the ways from some places touch.
FlowRun computeTiled(const WorldSnapshot& snapshot, const PathRequest& wishes, const std::vector<Position>& goals, const Options& options) {
    FieldRequest request{.goal = Goal::set(goals), .constraints = wishes.constraints, .side = wishes.side, .tiled = true, .straight_radius = options.straight};
    std::vector<Error> off_map;
    for (const std::string& place : options.from) {
        request.positions.push_back(parsePosition("--from", place));
        if (auto off = offMap("--from", request.positions.back(), snapshot)) off_map.push_back(*std::move(off));
    }
    if (off_map.size() == request.positions.size()) throw Refusal(off_map.front());
    for (const Error& off : off_map) std::fprintf(stderr, "%s; the field serves the other places\n", off.text().c_str());
    Query query;
    FlowRun run;
    for (int i = 0; i < options.repeat; ++i) {
        FieldResult made;
        query.buildField(snapshot, request, {}, made);
        run.answer.status = made.status;
        run.answer.error = std::move(made.error);
        run.answer.field = std::move(made.field);
        if (i == 0 && made.untiled != nullptr) std::fprintf(stderr, "--tiled: the field covers the whole map: %s\n", made.untiled);
        if (i == 0 && made.cut_off != 0) std::fprintf(stderr, "--from: of the places %u lead nowhere: no unit can stand there, or no way leads to the goal\n", made.cut_off);
        run.milliseconds = i == 0 ? made.computation_time_ms : std::min(run.milliseconds, made.computation_time_ms);
    }
    return run;
}

int run(const Options& options) {
    const auto kind = flowKindByName(options.method);
    if (!kind) throw Refusal("--method", options.method, "use dijkstra, fmm or fmm2");
    if (options.straight > 0 && options.method != "dijkstra") throw Refusal("--straight", std::to_string(options.straight), "leave it out, or use --method dijkstra");
    const LoadedMap loaded = options.map.load();
    const WorldSnapshot snapshot = loaded.world->snapshot();
    const PathRequest wishes = options.request.resolve(loaded, Wishes::PlainDistance);
    const ResolvedConstraints resolved = orRefuse(resolve(wishes.constraints, snapshot.rules()));
    FlowRequest request;
    request.key = {resolved.metric, resolved.threat_weight, static_cast<std::uint8_t>(wishes.side)};
    request.straight_radius = options.straight;
    const int size = resolved.metric.profile.size;
    std::vector<Position> goals;
    for (const std::string& goal : options.goals) {
        goals.push_back(parsePosition("--goal", goal));
        request.goals.push_back(flowCell(goals.back(), size));
    }

    if (options.tiled && (*kind != FlowKind::Dijkstra || options.from.empty())) {
        throw Refusal("--tiled", *kind != FlowKind::Dijkstra ? options.method : "no --from", "give places with --from, and the method dijkstra");
    }
    if (!options.tiled && !options.from.empty()) throw Refusal("--from", options.from.front(), "give --tiled with it: other fields lead from everywhere");
    const FlowRun made = options.tiled ? computeTiled(snapshot, wishes, goals, options) : computeFlow(snapshot, request, *kind, std::make_shared<TileStore>(), options.repeat);
    const FlowAnswer& answer = made.answer;
    if (answer.status == PathStatus::InvalidArgument) throw Refusal(answer.error);
    const bool led_elsewhere = answer.field != nullptr && answer.field->info().redirected;
    std::optional<Error> refused;  // the first goal for which the answer is no
    bool cut_off = false;
    for (const Position goal : goals) {
        const GoalCheck check = checkGoal(goal, size, answer.field.get(), snapshot);
        if (!check.error) continue;
        const bool no = answer.field == nullptr || (!wishes.allow_partial && (check.off_map || led_elsewhere));
        if (no && !refused) {
            refused = check.error;
            cut_off = check.cut_off;
        }
        const char* outcome = no ? answer.field != nullptr ? ", or --partial for what is nearest" : ""
                              : led_elsewhere ? "; the field leads to the nearest free cells" : "; the field leads to the other goals";
        std::fprintf(stderr, "%s%s\n", check.error->text().c_str(), outcome);
    }
    if (refused) {
        if (options.json) std::puts(Json{{"status", toString(cut_off ? PathStatus::Unreachable : PathStatus::GoalBlocked)}, {"error", errorJson(*refused)}}.dump().c_str());
        return kAnswerIsNo;
    }
    const FlowField& field = *answer.field;
    if (!options.dump.empty()) writeDump(options.dump, field);
    if (!options.png.empty()) {
        MapPicture picture(snapshot, {.title = loaded.name + ": flow field, " + options.method});
        picture.drawTerrain();
        drawThreat(picture, snapshot, wishes.side, loaded.threats[static_cast<std::size_t>(wishes.side)]);
        drawFlow(picture, field);
        orRefuse(picture.writePng(options.png));
    }
    const std::size_t cells = static_cast<std::size_t>(field.area().width) * static_cast<std::size_t>(field.area().height);
    const std::size_t reachable = reachableCells(field);
    const double per_cell = made.milliseconds * 1e6 / static_cast<double>(cells);
    Hash64 hash;
    addFlowField(hash, field);
    char hex[17];
    std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash.value()));
    if (options.json) {
        std::puts(Json{{"cells", cells}, {"reachable", reachable}, {"ms", rounded(made.milliseconds, 4)}, {"ns_per_cell", rounded(per_cell, 3)}, {"hash", hex}}.dump().c_str());
    } else {
        std::printf("%zu of %zu cells lead to the goal; %.3f ms, %.1f ns per cell; hash %s\n", reachable, cells, made.milliseconds, per_cell, hex);
    }
    return kDone;
}

}  // namespace

Action setUpFlow(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    options->map.addTo(app);
    options->request.addWishesTo(app);
    app.add_flag("--partial", options->request.partial, "When no unit can stand on the goal, lead to the nearest cells where one can");
    options->common.addTo(app);
    app.add_option("--goal", options->goals, "Goal: X,Y in metres; 12,7 without decimal points is the centre of that cell. Given several times, the nearest wins")->required();
    app.add_option("--straight", options->straight, "Cells so near a goal in sight over even ground point straight at it (0; dijkstra alone)")->check(wholeNumber(0, kMaxStraightRadius));
    app.add_option("--method", options->method, "dijkstra, fmm or fmm2: exact over eight steps, or fast marching of first or second order (dijkstra)");
    app.add_flag("--tiled", options->tiled, "Computes only the chunks of 64 x 64 cells that the ways from --from touch");
    app.add_option("--from", options->from, "With --tiled: X,Y where a unit stands; may be given several times");
    app.add_option("--dump", options->dump, "Writes distance, direction and next cell of every cell into this file")->check(notEmpty("name a file"));
    app.add_option("--png", options->png, "Draws distances, contour lines and arrows into this file")->check(notEmpty("name a file"));
    app.add_option("--repeat", options->repeat, "Computes it so many times and gives the least time (1)")->check(wholeNumber(1, 1000));
    app.add_flag("--json", options->json, "One JSON document instead of text");
    return [options] { return run(*options); };
}

}  // namespace warpath::tool
