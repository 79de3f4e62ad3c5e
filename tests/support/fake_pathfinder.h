// A pathfinder whose answers are easy to foretell, and executors that run jobs when a test says so.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "warpath/pathfinder/ipathfinder.h"

namespace warpath::test {

/// What all pathfinders of one test share.
struct FakeLog {
    std::mutex mutex;
    std::vector<PathRequest> requests;                       // guarded by mutex
    std::atomic<int> made{0};
    std::atomic<int> searches{0};
    std::uint64_t expansions_each = 100;                     ///< What a search says it settled.
    std::function<void(const PathRequest&)> while_searching;  ///< Runs inside each search; may wait or throw.

    std::vector<PathRequest> seen() {
        const std::lock_guard lock(mutex);
        return requests;
    }
};

/// Answers every request with the straight line from start to goal: two waypoints, cost = distance in x and y, revision of the snapshot.
class FakePathfinder final : public IPathfinder {
public:
    explicit FakePathfinder(std::shared_ptr<FakeLog> log) : log_(std::move(log)) { ++log_->made; }

    PathStatus findPath(const WorldSnapshot& snapshot, const PathRequest& request, Path& out) override {
        if (busy_.exchange(true)) throw std::logic_error("two searches at a time in one pathfinder");
        {
            const std::lock_guard lock(log_->mutex);
            log_->requests.push_back(request);
        }
        ++log_->searches;
        if (log_->while_searching) {
            try {
                log_->while_searching(request);
            } catch (...) {
                busy_ = false;
                throw;
            }
        }
        out.reset();
        if (!isUsable(request.from) || !isUsable(request.goal.centre)) {
            out.error = {"goal", "out of range", "use coordinates on the map"};
            busy_ = false;
            return out.status = PathStatus::InvalidArgument;
        }
        const Cell a = cellAt(request.from), b = cellAt(request.goal.centre);
        out.cells = {a, b};
        Waypoint first, last;
        first.position = request.from;
        last.position = request.goal.centre;
        out.waypoints = {first, last};
        const std::int64_t distance = std::int64_t{std::abs(a.x - b.x)} + std::abs(a.y - b.y);
        out.length = static_cast<double>(distance);
        out.cost = static_cast<Cost>(distance) * kCostPerMetre + request.group_size;
        out.expansions = log_->expansions_each;
        out.revision = snapshot.revision();
        out.is_valid = true;
        busy_ = false;
        return out.status = PathStatus::Found;
    }

    PathStatus findAllPaths(const WorldSnapshot& snapshot, const MultiPathRequest& request, std::vector<Path>& out) override {
        out.resize(static_cast<std::size_t>(request.max_paths > 0 ? request.max_paths : 1));
        PathStatus status = PathStatus::Found;
        for (Path& path : out) status = findPath(snapshot, request.path, path);
        return status;
    }

    PathValidation validatePath(const WorldSnapshot&, const Path& path, const PathConstraints&) override {
        PathValidation result;
        result.valid = path.cells.size() < 5;
        result.first_bad = result.valid ? 0 : 4;
        return result;
    }

private:
    std::shared_ptr<FakeLog> log_;
    std::atomic<bool> busy_{false};
};

/// A registry that knows "fake" beside "classic".
inline PathfinderRegistry fakeRegistry(std::shared_ptr<FakeLog> log) {
    PathfinderRegistry registry;
    registry.add("fake", [log = std::move(log)](const PathfinderContext&) { return std::make_unique<FakePathfinder>(log); });
    return registry;
}

/// Keeps jobs until a test runs them.
class ManualExecutor {
public:
    [[nodiscard]] std::function<bool(std::function<void()>)> executor() {
        return [this](std::function<void()> job) {
            if (!accepts) return false;
            jobs_.push_back(std::move(job));
            return true;
        };
    }
    std::size_t run(std::size_t count = SIZE_MAX) {
        std::size_t ran = 0;
        for (; ran < count && !jobs_.empty(); ++ran) {
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            job();
        }
        return ran;
    }
    [[nodiscard]] std::size_t size() const { return jobs_.size(); }
    bool accepts = true;

private:
    std::deque<std::function<void()>> jobs_;
};

/// A few threads that run jobs as they come; the destructor runs what is left and joins.
class ThreadedExecutor {
public:
    explicit ThreadedExecutor(int threads) {
        for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    }
    ~ThreadedExecutor() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        wake_.notify_all();
        for (std::thread& t : threads_) t.join();
    }
    [[nodiscard]] std::function<bool(std::function<void()>)> executor() {
        return [this](std::function<void()> job) {
            {
                const std::lock_guard lock(mutex_);
                jobs_.push_back(std::move(job));
            }
            wake_.notify_one();
            return true;
        };
    }

private:
    void work() {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
                if (jobs_.empty()) return;
                job = std::move(jobs_.front());
                jobs_.pop_front();
            }
            job();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace warpath::test
