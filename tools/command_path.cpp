// warpath path: one path from here to there; beside it a drawn route, or the same trip with other wishes.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "explanation.h"
#include "layers.h"
#include "map_picture.h"
#include "navmesh_part.h"
#include "options.h"
#include "report.h"
#include "warpath/pathfinder/ipathfinder.h"
#include "warpath/pathfinder/query.h"

namespace warpath::tool {
namespace {

struct Options {
    MapArguments map;
    RequestArguments request;
    CommonArguments common;
    std::string from, to, route, png, title, detail = "corners";
    std::vector<std::string> also, marks;
    bool json = false, explain = false;
};

struct Answer {
    PathRequest request;
    Path path;
    double microseconds = 0.0;
};

/// "stealth infantry: cost 438.8, ...".
std::string captionOf(const WorldSnapshot& snapshot, const Answer& answer) {
    const PathConstraints& c = answer.request.constraints;
    std::string unit = snapshot.rules().unit_classes[static_cast<std::size_t>(c.unit_type)].name;
    for (char& letter : unit) letter = letter == '_' ? ' ' : letter;
    return std::string(toString(c.doctrine)) + " " + unit + ": " + pathCaption(answer.path);
}

/// A place with a name, as `--mark X,Y,NAME` gives it.
struct Mark {
    Position at;
    std::string name;
};

Mark parseMark(const std::string& text) {
    const std::size_t second = text.find(',') == std::string::npos ? std::string::npos : text.find(',', text.find(',') + 1);
    if (second == std::string::npos || second + 1 == text.size()) throw Refusal("--mark", text, "write X,Y,NAME: 37,35,bridge");
    return {parsePosition("--mark", text.substr(0, second)), text.substr(second + 1)};
}

void draw(const Options& options, const LoadedMap& loaded, const WorldSnapshot& snapshot, const std::vector<Answer>& answers, const std::vector<Position>& drawn) {
    std::vector<Position> around = drawn;
    for (const Answer& answer : answers) {
        for (const Position p : routeOf(answer.path)) around.push_back(p);
        around.push_back(answer.request.from);
        around.push_back(answer.request.goal.centre);
    }
    const Answer& first = answers.front();
    const std::string title = options.title.empty() ? loaded.name + ": " + toString(first.path.status) : options.title;
    MapPicture picture(snapshot, {.title = title, .area = areaAround(snapshot, around)});
    picture.drawTerrain();
    drawThreat(picture, snapshot, first.request.side, loaded.threats[static_cast<std::size_t>(first.request.side)]);
    for (const Answer& answer : answers) {
        picture.drawRoute(routeOf(answer.path), captionOf(snapshot, answer));
        if (answer.path.hasRoute()) continue;
        picture.drawCross(answer.request.from, "start");
        picture.drawCross(answer.request.goal.centre, "goal");
    }
    if (!drawn.empty()) picture.drawRoute(drawn, "the route given");
    for (const std::string& text : options.marks) {
        const Mark mark = parseMark(text);
        picture.drawLabel(mark.at, mark.name);
    }
    orRefuse(picture.writePng(options.png));
}

int run(const Options& options) {
    const LoadedMap loaded = options.map.load();
    const WorldSnapshot snapshot = loaded.world->snapshot();
    PathRequest request = options.request.resolve(loaded, Wishes::Doctrine);
    request.from = parsePosition("--from", options.from);
    request.goal = Goal::point(parsePosition("--to", options.to));
    if (options.detail == "cells") {
        request.detail = PathDetail::Cells;
    } else if (options.detail == "anyangle") {
        request.detail = PathDetail::AnyAngle;
    } else if (options.detail != "corners") {
        throw Refusal("--detail", options.detail, "use corners, cells or anyangle");
    }
    const std::vector<Position> drawn = options.route.empty() ? std::vector<Position>{} : parseRoute("--route", options.route);
    if (!drawn.empty() && !options.explain) throw Refusal("--route", "given without --explain", "give both: the route is explained against the path found");

    if (!options.marks.empty() && options.png.empty()) throw Refusal("--mark", "given without --png", "give both: the mark names a place in the picture");

    Query query;
    std::vector<Answer> answers(1);
    answers[0].request = request;
    for (const std::string& wishes : options.also) {
        Answer& other = answers.emplace_back();
        other.request = request;
        other.request.constraints = readWishes("--also", wishes, snapshot.rules(), Wishes::Doctrine);
    }
    bool all_found = true;
    for (Answer& answer : answers) {
        const bool on_mesh = answer.request.algorithm == PathAlgorithm::NavMesh;
        const auto mesh = on_mesh ? navmeshPathfinder(snapshot, answer.request.constraints) : nullptr;
        const auto begin = std::chrono::steady_clock::now();
        if (on_mesh) {
            mesh->findPath(snapshot, answer.request, answer.path);
        } else {
            query.findPath(snapshot, answer.request, answer.path);
        }
        answer.microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
        if (answer.path.status == PathStatus::InvalidArgument) throw Refusal(asArgument(answer.path.error));
        answer.path.error = asArgument(answer.path.error);
        if (on_mesh && answer.path.hasRoute() && answer.path.algorithm != PathAlgorithm::NavMesh) std::fprintf(stderr, "%s\n", whyOffMesh(mesh->drawOutcome(), answer.request, answer.path, snapshot).c_str());
        all_found = all_found && (answer.path.status == PathStatus::Found || answer.path.status == PathStatus::Partial);
    }
    const Path& path = answers[0].path;
    std::optional<RouteExplanation> why;
    if (options.explain && !drawn.empty()) {
        why = explainDrawn(snapshot, query, request, drawn);
    } else if (options.explain && path.hasRoute()) {
        why = explainPath(snapshot, query, request, path);
    }
    if (!options.png.empty()) draw(options, loaded, snapshot, answers, drawn);
    if (options.json) {
        Json json = pathJson(path, answers[0].microseconds);
        if (why) json["explanation"] = explanationJson(*why);
        for (std::size_t i = 1; i < answers.size(); ++i) json["also"].push_back(pathJson(answers[i].path, answers[i].microseconds));
        std::puts(json.dump().c_str());
    } else {
        for (const Answer& answer : answers) {
            if (answers.size() > 1) std::printf("%s", (captionOf(snapshot, answer) + "\n").c_str());
            std::fputs(pathText(answer.path, answer.microseconds).c_str(), stdout);
        }
        if (why) std::fputs(explanationText(*why).c_str(), stdout);
    }
    return all_found && (!why || why->validation.valid) ? kDone : kAnswerIsNo;
}

}  // namespace

Action setUpPath(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    options->map.addTo(app);
    options->request.navmesh = true;
    options->request.addTo(app);
    options->common.addTo(app);
    app.add_option("--from", options->from, "Start: X,Y in metres; 12,7 without decimal points is the centre of that cell")->required();
    app.add_option("--to", options->to, "Goal, written the same way")->required();
    app.add_option("--also", options->also, "Finds the same trip with these constraints, too (JSON or @FILE; may be given several times)")
        ->check(notEmpty("write JSON, {} for none, or @FILE"))
        ->allow_extra_args(false);
    app.add_option("--detail", options->detail, "Waypoints where the path turns, in every cell, or the path pulled straight at any angle: corners, cells, anyangle (corners)");
    app.add_option("--png", options->png, "Draws the paths into this file")->check(notEmpty("name a file"));
    app.add_option("--title", options->title, "Over the picture (the map's name and the status)");
    app.add_option("--mark", options->marks, "Names a place in the picture: X,Y,NAME (may be given several times)")->allow_extra_args(false);
    app.add_flag("--json", options->json, "One JSON document instead of text");
    app.add_flag("--explain", options->explain, "Says what each term and each stretch costs, and how that compares with the best route");
    app.add_option("--route", options->route, "With --explain: explains this route instead, and why it loses: \"X,Y X,Y ...\", [[x,y],...] or @FILE")
        ->check(notEmpty("write \"X,Y X,Y ...\", [[x,y],...] or @FILE"));
    return [options] { return run(*options); };
}

}  // namespace warpath::tool
