// warpath edits: random changes of a map with queries between them, each answer compared with a flood fill and with searches that know nothing of before.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
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

/// Queries that are drawn before they are asked.
constexpr std::size_t kLargestBatch = 4096;

/// Edits and queries at most.
constexpr std::int64_t kMostRounds = 1'000'000'000;

struct Options {
    MapArguments map;
    RequestArguments request;
    std::uint32_t edits = 100;
    std::uint32_t queries = 100;
    std::uint64_t seed = 1;
    int threads = 1;
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
        for (int i = 0; i < options.threads; ++i) lanes_.push_back(std::make_unique<Lane>(store_));
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
            } else {  // all that are asked on this snapshot
                trips_.clear();
                do {
                    const Cell from = anyCell();
                    trips_.push_back({from, anyCell()});
                    ++asked;
                } while (trips_.size() < kLargestBatch && asked < options.queries && (edited >= options.edits || std::uint64_t{edited} * options.queries > std::uint64_t{asked} * options.edits));
                mismatches += checkTrips();
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
    /// What one thread asks with.
    struct Lane {
        explicit Lane(const std::shared_ptr<TileStore>& store) : query(store) {}
        Query query;
        std::vector<bool> reached;
        std::vector<Cell> queue;
    };
    struct Trip {
        Cell from, to;
        std::string complaint{};  ///< Empty: all agree.
    };

    /// Asks every trip, thread i those from i on in steps of their number. @return how many disagree.
    std::size_t checkTrips() {
        const auto work = [&](std::size_t first) {
            for (std::size_t i = first; i < trips_.size(); i += lanes_.size()) check(trips_[i], *lanes_[first]);
        };
        std::vector<std::thread> others;
        for (std::size_t i = 1; i < std::min(lanes_.size(), trips_.size()); ++i) others.emplace_back(work, i);
        work(0);
        for (std::thread& other : others) other.join();
        std::size_t wrong = 0;
        for (const Trip& trip : trips_) {
            if (trip.complaint.empty()) continue;
            ++wrong;
            std::fputs(trip.complaint.c_str(), stderr);
        }
        return wrong;
    }

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
    bool floodReaches(Cell from, Cell to, Lane& lane) const {
        const CellRect map = snapshot_.bounds();
        const std::vector<float>& multipliers = snapshot_.rules().unit_classes[static_cast<std::size_t>(request_.constraints.unit_type)].multipliers;
        const auto open = [&](Cell c) {
            return map.contains(c) && obstacleKind(snapshot_.obstacleAt(c)) == ObstacleKind::None && multipliers[static_cast<std::size_t>(snapshot_.terrainAt(c))] < 99.0f &&
                   !(request_.constraints.avoid_water && snapshot_.terrainAt(c) == Terrain::Water);
        };
        lane.reached.assign(static_cast<std::size_t>(map.width) * static_cast<std::size_t>(map.height), false);
        const auto at = [&](Cell c) { return static_cast<std::size_t>(c.y - map.y) * static_cast<std::size_t>(map.width) + static_cast<std::size_t>(c.x - map.x); };
        if (!open(from) || !open(to)) return false;
        lane.queue.assign(1, from);
        lane.reached[at(from)] = true;
        for (std::size_t i = 0; i < lane.queue.size(); ++i) {
            for (int d = 0; d < kDirections; d += 2) {
                const Cell next{lane.queue[i].x + kStepX[d], lane.queue[i].y + kStepY[d]};
                if (!open(next) || lane.reached[at(next)]) continue;
                lane.reached[at(next)] = true;
                lane.queue.push_back(next);
            }
        }
        return lane.reached[at(to)];
    }

    void check(Trip& trip, Lane& lane) const {
        const Cell from = trip.from, to = trip.to;
        PathRequest request = request_;
        request.from = centreOf(from);
        request.goal = Goal::point(centreOf(to));
        Query fresh;
        Path kept, anew, best;
        lane.query.findPath(snapshot_, request, kept);
        fresh.findPath(snapshot_, request, anew);
        request.algorithm = PathAlgorithm::AStar;
        fresh.findPath(snapshot_, request, best);
        const bool plain = resolved_.metric.profile.size == 1 && request.constraints.diagonal == DiagonalRule::Strict && snapshot_.state().elevated_chunks == 0;
        const double most = static_cast<double>(best.cost) * (kept.algorithm == PathAlgorithm::Hierarchical ? 1.0 + kLargestLoss : 1.0);
        if (kept.status == anew.status && kept.status == best.status && kept.cells == anew.cells && kept.cost >= best.cost && static_cast<double>(kept.cost) <= most &&
            (!plain || (kept.status == PathStatus::Found) == floodReaches(from, to, lane))) {
            return;
        }
        char line[256];
        std::snprintf(line, sizeof(line), "%d,%d to %d,%d at revision %llu: %s at %.3f, without history %s at %.3f, exact %s at %.3f\n", from.x, from.y, to.x, to.y,
                      static_cast<unsigned long long>(snapshot_.revision()), toString(kept.status), costInMetres(kept.cost), toString(anew.status),
                      costInMetres(anew.cost), toString(best.status), costInMetres(best.cost));
        trip.complaint = line;
    }

    World& world_;
    PathRequest request_;
    Rng rng_;
    ResolvedConstraints resolved_;
    WorldSnapshot snapshot_;
    std::shared_ptr<TileStore> store_ = std::make_shared<TileStore>();
    HierarchyView view_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::vector<Trip> trips_;
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
    app.add_option("--threads", options->threads, "threads that ask at the same time between two edits (1)")->check(wholeNumber(1, 256));
    app.add_flag("--json", options->json, "print one JSON document");
    return [options] { return run(*options); };
}

}  // namespace warpath::tool
