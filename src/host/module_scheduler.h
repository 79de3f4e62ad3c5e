// One module's task scheduler, shared by both module systems: who calls runOne, and when, is the only difference between them.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "warpath/host_api/task_scheduler.h"

namespace warpath {

/// Threads: every call may run at the same time as any other.
class ModuleScheduler final : public ITaskScheduler, public std::enable_shared_from_this<ModuleScheduler> {
public:
    /// Called for each scheduled task, under the scheduler's lock: must bring about one later call of runOne. false refuses the task.
    using Announce = std::function<bool(std::shared_ptr<ModuleScheduler>)>;

    ModuleScheduler(std::size_t max_outstanding, Announce announce);

    [[nodiscard]] bool registerExecutor(std::string_view task_type, TaskExecutor executor) override;
    [[nodiscard]] TaskId scheduleTask(std::string_view task_type, std::string payload) override;
    [[nodiscard]] std::size_t completedTaskCount() const override;
    [[nodiscard]] std::optional<TaskResult> takeCompletedTask() override;

    /// Runs the oldest waiting task on this thread.
    /// @return false when none waits. Lets no exception of an executor out.
    bool runOne();
    [[nodiscard]] std::size_t waitingCount() const;
    /// Waiting and running tasks.
    [[nodiscard]] std::size_t pendingCount() const;

    /// Drops the waiting tasks and refuses new ones. Running tasks go on, their results can still be taken.
    void close();
    /// Waits until no task runs; after close() none will again, and no executor is held any more.
    void waitUntilIdle();

private:
    using Tasks = std::list<TaskResult>;  // a task moves between lists without an allocation, so that none is lost when memory is short

    const std::size_t max_outstanding_;
    const Announce announce_;
    mutable std::mutex mutex_;
    std::condition_variable idle_;
    std::map<std::string, std::shared_ptr<const TaskExecutor>, std::less<>> executors_;
    Tasks waiting_;
    Tasks completed_;
    std::size_t running_ = 0;
    std::uint64_t last_id_ = 0;
    bool closed_ = false;
};

}  // namespace warpath
