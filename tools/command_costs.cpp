// warpath costs: what it costs to come to each of several places, without the routes.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "options.h"
#include "report.h"
#include "warpath/pathfinder/query.h"

namespace warpath::tool {
namespace {

struct Options {
    MapArguments map;
    RequestArguments request;
    CommonArguments common;
    std::string from;
    std::vector<std::string> to;
    double max_cost = 0.0;
    bool json = false;
};

int run(const Options& options) {
    const LoadedMap loaded = options.map.load();
    const WorldSnapshot snapshot = loaded.world->snapshot();
    const PathRequest wishes = options.request.resolve(loaded, Wishes::Doctrine);
    if (wishes.allow_partial) throw Refusal("--partial", "given", "leave it out: a cost is that of the place itself");
    if (wishes.algorithm == PathAlgorithm::NavMesh) throw Refusal("--algorithm", "navmesh", "use auto, astar, jps or hpa: the grid tells costs");
    CostsRequest request{.from = parsePosition("--from", options.from),
                         .constraints = wishes.constraints,
                         .side = wishes.side,
                         .algorithm = wishes.algorithm};
    for (const std::string& text : options.to) request.goals.push_back(parsePosition("--to", text));
    if (options.max_cost > 0.0) request.max_cost = options.max_cost;

    Query query;
    TravelCosts costs;
    const PathStatus status = query.findCosts(snapshot, request, costs);
    if (status == PathStatus::InvalidArgument) throw Refusal(asArgument(costs.error));
    const double microseconds = rounded(costs.computation_time_ms * 1000.0, 1);
    if (options.json) {
        Json json;
        json["status"] = toString(status);
        json["expansions"] = costs.expansions;
        json["microseconds"] = microseconds;
        json["revision"] = costs.revision;
        json["places"] = Json::array();
        for (const TravelCost& place : costs.places) {
            Json one;
            one["status"] = toString(place.status);
            if (place.status == PathStatus::Found) {
                one["cost"] = costInMetres(place.cost);
                one["algorithm"] = toString(place.algorithm);
            }
            json["places"].push_back(std::move(one));
        }
        if (!costs.error.field.empty()) json["error"] = errorJson(asArgument(costs.error));
        std::puts(json.dump().c_str());
    } else {
        for (std::size_t i = 0; i < costs.places.size(); ++i) {
            const TravelCost& place = costs.places[i];
            if (place.status == PathStatus::Found) {
                std::printf("%s: cost %.2f (%s)\n", options.to[i].c_str(), costInMetres(place.cost), toString(place.algorithm));
            } else {
                std::printf("%s: %s\n", options.to[i].c_str(), toString(place.status));
            }
        }
        if (!costs.error.field.empty()) std::printf("%s\n", asArgument(costs.error).text().c_str());
        std::printf("%llu cells settled, %.1f us\n", static_cast<unsigned long long>(costs.expansions), microseconds);
    }
    for (const TravelCost& place : costs.places) {
        if (place.status != PathStatus::Found) return kAnswerIsNo;
    }
    return kDone;
}

}  // namespace

Action setUpCosts(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    options->map.addTo(app);
    options->request.addTo(app);
    options->common.addTo(app);
    app.add_option("--from", options->from, "Start: X,Y in metres; 12,7 without decimal points is the centre of that cell")->required();
    app.add_option("--to", options->to, "A place, written the same way; may be given up to 4096 times")->required()->allow_extra_args(false);
    app.add_option("--max-cost", options->max_cost, "Places that cost more are told as cost_limit (no limit)")->check(numberWithin(0.001, kMaxCostLimit));
    app.add_flag("--json", options->json, "One JSON document instead of text");
    return [options] { return run(*options); };
}

}  // namespace warpath::tool
