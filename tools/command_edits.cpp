// warpath edits: random changes of a map with queries between them, each answer compared with a flood fill and with searches that know nothing of before.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "command.h"
#include "options.h"
#include "report.h"
#include "warpath/core/rng.h"
#include "warpath/pathfinder/query.h"
#include "warpath/search/hierarchy.h"

namespace warpath::tool {
namespace {

/// What the hierarchy may lose at most in this check.
constexpr double kLargestLoss = 0.25;

/// Edits and queries at most.
constexpr std::int64_t kMostRounds = 1'000'000'000;

struct Options {
    MapArguments map;
    RequestArguments request;
    std::uint32_t edits = 100;
    std::uint32_t queries = 100;
    std::uint64_t seed = 1;
    bool json = false;
};

double microsecondsSince(std::chrono::steady_clock::time_point began) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count();
}

double percentile(std::vector<double> values, double share) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::max(std::ceil(share * static_cast<double>(values.size())), 1.0)) - 1];
}

class Checker {
public:
    Checker(const Options& options, const LoadedMap& loaded)
        : world_(*loaded.world), request_(options.request.resolve(loaded, Wishes::PlainDistance)), rng_(options.seed),
          resolved_(orRefuse(resolve(request_.constraints, world_.snapshot().rules()))) {
        request_.allow_partial = false;
    }

    int run(const Options& options, const std::string& name) {
        std::size_t mismatches = 0;
        std::vector<double> repairs;
        snapshot_ = world_.snapshot();
        auto began = std::chrono::steady_clock::now();
        look(view_, snapshot_.bounds());
        const double rebuild = microsecondsSince(began);
        for (std::uint32_t asked = 0, edited = 0; asked < options.queries || edited < options.edits;) {
            // Whichever is behind its share comes next.
            if (edited < options.edits && (asked >= options.queries || std::uint64_t{edited} * options.queries <= std::uint64_t{asked} * options.edits)) {
                const CellRect changed = edit();
                snapshot_ = world_.snapshot();
                began = std::chrono::steady_clock::now();
                look(view_, {changed.x - kChunkSize, changed.y - kChunkSize, changed.width + 2 * kChunkSize, changed.height + 2 * kChunkSize});
                repairs.push_back(microsecondsSince(began));
                ++edited;
            } else {
                if (!agrees()) ++mismatches;
                ++asked;
            }
        }
        Json json;
        json["edits"] = options.edits;
        json["queries"] = options.queries;
        json["mismatches"] = mismatches;
        json["repair_us_median"] = rounded(percentile(repairs, 0.5), 3);
        json["repair_us_p99"] = rounded(percentile(repairs, 0.99), 3);
        json["rebuild_us"] = rounded(rebuild, 3);
        if (options.json) {
            std::puts(json.dump().c_str());
        } else {
            std::printf("%s: %u edits, %u queries, %zu mismatches\n", name.c_str(), options.edits, options.queries, mismatches);
            std::printf("tables of the hierarchy: repair median %.0f us, p99 %.0f us; all %.0f us\n", json["repair_us_median"].get<double>(),
                        json["repair_us_p99"].get<double>(), rebuild);
        }
        return mismatches == 0 ? kDone : kAnswerIsNo;
    }

private:
    int below(int n) { return static_cast<int>(rng_.below(static_cast<std::uint32_t>(n))); }

    Cell anyCell() {
        const CellRect map = snapshot_.bounds();
        const int x = map.x + below(map.width);
        return {x, map.y + below(map.height)};
    }

    /// Brings the tables of the chunks in a rectangle of world cells up to date.
    void look(HierarchyView& view, const CellRect& area) {
        view.bind(snapshot_, {resolved_.metric, resolved_.threat_weight, static_cast<std::uint8_t>(request_.side)}, store_, {});
        const CellRect inside = intersect(area, snapshot_.bounds());
        const Cell origin = snapshot_.origin();
        for (int y = (inside.y - origin.y) >> kChunkShift; y <= (inside.y + inside.height - 1 - origin.y) >> kChunkShift; ++y) {
            for (int x = (inside.x - origin.x) >> kChunkShift; x <= (inside.x + inside.width - 1 - origin.x) >> kChunkShift; ++x) {
                static_cast<void>(view.table({x, y}));
            }
        }
    }

    CellRect edit() {
        const Cell corner = anyCell();
        const int width = 1 + below(12);
        const CellRect rect{corner.x, corner.y, width, 1 + below(12)};
        const bool place = rng_.percent(50);
        world_.edit([&](WorldEdit& e) { place ? e.placeObstacle(rect, ObstacleKind::Building, 6.0f) : e.removeObstacle(rect); });
        return rect;
    }

    /// Cells that a unit can reach from a cell by straight steps, over the plain map: what strict corners allow on flat ground.
    bool floodReaches(Cell from, Cell to) {
        const CellRect map = snapshot_.bounds();
        const std::vector<float>& multipliers = snapshot_.rules().unit_classes[static_cast<std::size_t>(request_.constraints.unit_type)].multipliers;
        const auto open = [&](Cell c) {
            return map.contains(c) && obstacleKind(snapshot_.obstacleAt(c)) == ObstacleKind::None && multipliers[static_cast<std::size_t>(snapshot_.terrainAt(c))] < 99.0f &&
                   !(request_.constraints.avoid_water && snapshot_.terrainAt(c) == Terrain::Water);
        };
        reached_.assign(static_cast<std::size_t>(map.width) * static_cast<std::size_t>(map.height), false);
        const auto at = [&](Cell c) { return static_cast<std::size_t>(c.y - map.y) * static_cast<std::size_t>(map.width) + static_cast<std::size_t>(c.x - map.x); };
        if (!open(from) || !open(to)) return false;
        queue_.assign(1, from);
        reached_[at(from)] = true;
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            for (int d = 0; d < kDirections; d += 2) {
                const Cell next{queue_[i].x + kStepX[d], queue_[i].y + kStepY[d]};
                if (!open(next) || reached_[at(next)]) continue;
                reached_[at(next)] = true;
                queue_.push_back(next);
            }
        }
        return reached_[at(to)];
    }

    bool agrees() {
        const Cell from = anyCell(), to = anyCell();
        request_.from = centreOf(from);
        request_.goal = Goal::point(centreOf(to));
        Query fresh;
        Path kept, anew, best;
        query_.findPath(snapshot_, request_, kept);
        fresh.findPath(snapshot_, request_, anew);
        PathRequest exact = request_;
        exact.algorithm = PathAlgorithm::AStar;
        fresh.findPath(snapshot_, exact, best);
        const bool plain = resolved_.metric.profile.size == 1 && request_.constraints.diagonal == DiagonalRule::Strict && snapshot_.state().elevated_chunks == 0;
        const double most = static_cast<double>(best.cost) * (kept.algorithm == PathAlgorithm::Hierarchical ? 1.0 + kLargestLoss : 1.0);
        const bool good = kept.status == anew.status && kept.status == best.status && kept.cells == anew.cells && kept.cost >= best.cost &&
                          static_cast<double>(kept.cost) <= most && (!plain || (kept.status == PathStatus::Found) == floodReaches(from, to));
        if (!good) {
            std::fprintf(stderr, "%d,%d to %d,%d at revision %llu: %s at %.3f, without history %s at %.3f, exact %s at %.3f\n", from.x, from.y, to.x, to.y,
                         static_cast<unsigned long long>(snapshot_.revision()), toString(kept.status), costInMetres(kept.cost), toString(anew.status),
                         costInMetres(anew.cost), toString(best.status), costInMetres(best.cost));
        }
        return good;
    }

    World& world_;
    PathRequest request_;
    Rng rng_;
    ResolvedConstraints resolved_;
    WorldSnapshot snapshot_;
    std::shared_ptr<TileStore> store_ = std::make_shared<TileStore>();
    HierarchyView view_;
    Query query_;
    std::vector<bool> reached_;
    std::vector<Cell> queue_;
};

int run(const Options& options) {
    const LoadedMap loaded = options.map.load();
    return Checker(options, loaded).run(options, loaded.name);
}

}  // namespace

Action setUpEdits(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    options->map.addTo(app);
    options->request.addTo(app);
    app.add_option("--edits", options->edits, "random edits (100)")->check(wholeNumber(0, kMostRounds));
    app.add_option("--queries", options->queries, "queries, spread evenly between the edits (100)")->check(wholeNumber(0, kMostRounds));
    app.add_option("--seed", options->seed, "seed of edits and queries (1)")->check(wholeNumber(0, INT64_MAX));
    app.add_flag("--json", options->json, "print one JSON document");
    return [options] { return run(*options); };
}

}  // namespace warpath::tool
