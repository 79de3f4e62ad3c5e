// Jobs by number, for hosts whose tasks carry text only. The module's task bridge alone uses it; it lies here because it locks, and threads stay in this layer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace warpath::service_detail {

/// Threads: all calls at any time. A job is run at most once, by whoever names it first.
class JobTable {
public:
    /// Keeps a job. @return its number, as text.
    std::string add(std::function<void()> job) {
        const std::lock_guard lock(mutex_);
        std::string id = std::to_string(++last_);
        jobs_.emplace(id, std::move(job));
        return id;
    }
    /// Forgets a job. @return the job; empty when it is unknown.
    std::function<void()> remove(const std::string& id) {
        const std::lock_guard lock(mutex_);
        const auto found = jobs_.find(id);
        if (found == jobs_.end()) return nullptr;
        std::function<void()> job = std::move(found->second);
        jobs_.erase(found);
        return job;
    }
    /// Runs a job on this thread; an unknown number does nothing.
    void run(const std::string& id) {
        if (const auto job = remove(id)) job();
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::function<void()>> jobs_;
    std::uint64_t last_ = 0;
};

}  // namespace warpath::service_detail
