// A fixed number of threads that run jobs in the order of arrival.
//
//   ThreadPool pool(3);
//   pool.enqueue([] { work(); });
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace warpath {

/// Threads: enqueue may be called from any thread, also from a job; stop from any thread but the pool's own.
class ThreadPool {
public:
    /// `threads` workers; 0 stands for one less than the machine has (the game's thread keeps its core), at least one.
    explicit ThreadPool(std::size_t threads = 0);
    /// As stop().
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Queues a job. A job must not throw; one that does is swallowed and counted, the worker lives on.
    /// @return false, and the job is dropped, after stop.
    bool enqueue(std::function<void()> job);

    /// Jobs not yet started are dropped, running ones finish, then the threads end. A second call does nothing.
    void stop();

    [[nodiscard]] std::size_t threadCount() const { return thread_count_; }
    /// Jobs that threw.
    [[nodiscard]] std::size_t faultCount() const;

private:
    void work();

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_;
    bool stopping_ = false;
    std::size_t faults_ = 0;
    std::size_t thread_count_ = 0;
    std::vector<std::thread> threads_;
};

}  // namespace warpath
