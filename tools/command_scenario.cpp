// warpath scenario: the queries of a MovingAI .scen file, checked against its lengths and timed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "command.h"
#include "navmesh_part.h"
#include "options.h"
#include "report.h"
#include "warpath/core/hash.h"
#include "warpath/io/map_file.h"
#include "warpath/pathfinder/query.h"

namespace warpath::tool {
namespace {

/// With optimal algorithms no answer may differ from the file by more (relative; the files carry six digits).
constexpr double kTolerance = 0.001;

struct Options {
    MapArguments map;
    RequestArguments request;
    std::string scen;
    std::size_t sample = 0;
    int repeat = 1;
    CommonArguments common;
    bool json = false;
};

struct Outcome {
    bool solved = false;
    bool exact = false;       ///< Found by an algorithm that promises the optimum.
    double cost = 0.0;        ///< [m at f = 1]
    double best_ns = 0.0;
    std::uint64_t expansions = 0;
};

/// `count` of the scenarios, spread evenly; all of them for 0.
std::vector<Scenario> sampled(const std::vector<Scenario>& all, std::size_t count) {
    if (count == 0 || count >= all.size()) return all;
    std::vector<Scenario> some;
    for (std::size_t i = 0; i < count; ++i) some.push_back(all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)]);
    return some;
}

bool isExact(const Path& path) { return (path.algorithm == PathAlgorithm::AStar || path.algorithm == PathAlgorithm::Jps) && path.weight == 1.0f; }

/// The value below which a share of the sorted values lies (nearest rank).
double percentile(const std::vector<double>& sorted, double share) {
    const double rank = std::ceil(share * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

int run(const Options& options) {
    const LoadedMap loaded = options.map.load();
    const WorldSnapshot snapshot = loaded.world->snapshot();
    const ScenarioFile file = orRefuse(loadScenarios(options.scen));
    orRefuse(checkScenarios(file, snapshot));
    if (file.scenarios.empty()) throw Refusal("--scen", options.scen, "it holds no queries: name a file with some");
    const std::vector<Scenario> scenarios = sampled(file.scenarios, options.sample);
    PathRequest request = options.request.resolve(loaded, Wishes::PlainDistance);

    Query query;
    const auto mesh = request.algorithm == PathAlgorithm::NavMesh ? navmeshPathfinder(snapshot, request.constraints) : nullptr;
    Path path;
    std::vector<Outcome> outcomes(scenarios.size());
    Hash64 hash;
    // Whole passes, so that no query finds its own data in the cache just because it ran a moment ago.
    for (int pass = 0; pass < options.repeat; ++pass) {
        for (std::size_t i = 0; i < scenarios.size(); ++i) {
            request.from = centreOf(scenarios[i].start);
            request.goal = Goal::point(centreOf(scenarios[i].goal));
            const auto begin = std::chrono::steady_clock::now();
            if (mesh != nullptr) {
                mesh->findPath(snapshot, request, path);
            } else {
                query.findPath(snapshot, request, path);
            }
            const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
            Outcome& outcome = outcomes[i];
            outcome.best_ns = pass == 0 ? ns : std::min(outcome.best_ns, ns);
            if (pass != 0) continue;
            if (path.status == PathStatus::InvalidArgument) throw Refusal(path.error);
            outcome.solved = path.status == PathStatus::Found;
            outcome.exact = isExact(path);
            outcome.cost = costInMetres(path.cost);
            outcome.expansions = path.expansions;
            hash.add(std::string_view(toString(path.status)));
            hash.add(std::uint64_t{path.cells.size()});
            for (const Cell c : path.cells) hash.add((static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.y)) << 32) | static_cast<std::uint32_t>(c.x));
            hash.add(path.cost);
        }
    }

    std::size_t solved = 0;
    double sum_ns = 0.0, worst = 0.0, worst_exact = 0.0, sum_over = 0.0, most_over = 0.0, sum_expansions = 0.0;
    std::vector<double> times;
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        const Outcome& outcome = outcomes[i];
        times.push_back(outcome.best_ns / 1000.0);
        sum_ns += outcome.best_ns;
        sum_expansions += static_cast<double>(outcome.expansions);
        if (!outcome.solved) {
            std::fprintf(stderr, "%s:%u: not solved\n", options.scen.c_str(), scenarios[i].line);
            continue;
        }
        ++solved;
        const double length = scenarios[i].length;
        const double over = length > 0.0 ? outcome.cost / length - 1.0 : outcome.cost;
        worst = std::max(worst, std::fabs(over));
        if (outcome.exact) worst_exact = std::max(worst_exact, std::fabs(over));
        sum_over += std::max(over, 0.0);
        most_over = std::max(most_over, over);
        if (outcome.exact && std::fabs(over) > kTolerance)
            std::fprintf(stderr, "%s:%u: cost %.6f, the file says %.6f\n", options.scen.c_str(), scenarios[i].line, outcome.cost, length);
    }
    std::sort(times.begin(), times.end());
    const double count = static_cast<double>(scenarios.size());
    char hash_text[17];
    std::snprintf(hash_text, sizeof hash_text, "%016llx", static_cast<unsigned long long>(hash.value()));
    Json json;
    json["map"] = loaded.name;
    json["algorithm"] = options.request.algorithm;
    json["queries"] = scenarios.size();
    json["solved"] = solved;
    json["mean_us"] = rounded(sum_ns / 1000.0 / count, 3);
    json["median_us"] = rounded(percentile(times, 0.5), 3);
    json["p99_us"] = rounded(percentile(times, 0.99), 3);
    json["expansions_mean"] = rounded(sum_expansions / count, 3);
    json["ns_per_expansion"] = sum_expansions > 0.0 ? rounded(sum_ns / sum_expansions, 3) : 0.0;
    json["max_error"] = worst;
    json["mean_suboptimality"] = solved > 0 ? sum_over / static_cast<double>(solved) : 0.0;
    json["max_suboptimality"] = most_over;
    json["hash"] = hash_text;
    if (options.json) {
        std::puts(json.dump().c_str());
    } else {
        std::printf("%s, %s: %zu of %zu queries solved\n", loaded.name.c_str(), options.request.algorithm.c_str(), solved, scenarios.size());
        std::printf("time per query  mean %.1f us, median %.1f us, p99 %.1f us (least of %d)\n", json["mean_us"].get<double>(),
                    json["median_us"].get<double>(), json["p99_us"].get<double>(), options.repeat);
        std::printf("expansions      mean %.0f, %.1f ns each\n", json["expansions_mean"].get<double>(), json["ns_per_expansion"].get<double>());
        std::printf("lengths         largest error %.2e, over the optimum: mean %.2e, most %.2e (relative)\n", worst,
                    json["mean_suboptimality"].get<double>(), most_over);
        std::printf("hash            %s\n", hash_text);
    }
    return solved == scenarios.size() && worst_exact <= kTolerance ? kDone : kAnswerIsNo;
}

}  // namespace

Action setUpScenario(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    options->map.addTo(app);
    options->request.navmesh = true;
    options->request.addTo(app);
    options->common.addTo(app);
    app.add_option("--scen", options->scen, "The MovingAI .scen file")->required()->check(notEmpty("name a file"));
    app.add_option("--sample", options->sample, "Run only this many queries, spread evenly over the file")
        ->check(wholeNumber(1, 1'000'000'000));
    app.add_option("--repeat", options->repeat, "Passes over the queries; each time is the least of them (1)")->check(wholeNumber(1, 1000000));
    app.add_flag("--json", options->json, "One JSON document instead of text");
    return [options] { return run(*options); };
}

}  // namespace warpath::tool
