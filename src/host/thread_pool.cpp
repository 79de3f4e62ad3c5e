#include "warpath/host/thread_pool.h"

#include <algorithm>
#include <utility>

namespace warpath {

ThreadPool::ThreadPool(std::size_t threads) {
    if (threads == 0) threads = std::max<std::size_t>(std::thread::hardware_concurrency(), 2) - 1;
    thread_count_ = threads;
    threads_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
    stop();
}

bool ThreadPool::enqueue(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return false;
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
    return true;
}

void ThreadPool::stop() {
    std::deque<std::function<void()>> dropped;  // destroyed outside the lock: a job may own anything
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        dropped.swap(jobs_);
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

std::size_t ThreadPool::faultCount() const {
    const std::lock_guard lock(mutex_);
    return faults_;
}

void ThreadPool::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        std::function<void()> job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        bool threw = false;
        try {
            job();
        } catch (...) {
            threw = true;
        }
        job = nullptr;
        lock.lock();
        if (threw) ++faults_;
    }
}

}  // namespace warpath
