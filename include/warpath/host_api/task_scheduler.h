// How a module hands heavy work to the host's threads.
//
//   scheduler->registerExecutor("pathfinding", [jobs](const std::string& job_id) { return jobs->run(job_id); });   // jobs: a shared_ptr
//   if (scheduler->scheduleTask("pathfinding", job_id) == TaskId::none) run it inside the frame budget;
//   while (auto result = scheduler->takeCompletedTask()) finish(*result);
//
// Passing a job without serialising it. A payload is opaque to the host. In process it should be the id of a job that the module keeps in a
// table of its own: at most 15 characters fit into a std::string without an allocation, nothing is formatted or parsed, and the request,
// the snapshot and the answer stay typed objects. The recommended form:
// 1. The table lives in a shared_ptr that the executor captures; the executor captures nothing else of the module. So a task that starts
//    or ends after the module is gone touches only the table, and two instances of a module share nothing.
// 2. A job is claimed by an atomic exchange (waiting -> running) before it runs. The module claims it in the same way when it will not wait
//    any longer, and computes it in its own frame. So each job runs once whatever the host does, and a late task finds it claimed.
// 3. The answer is written into the job; the task's result is the id again.
// Only a host that runs tasks in another process needs the whole job in the payload, as JSON text; it says so in its own documentation.
//
// Promise nothing to yourself about time: a task may run at once, many frames later, or never. Some hosts accept tasks and have no workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warpath {

/// Names an accepted task within its scheduler; never used twice by one scheduler.
enum class TaskId : std::uint64_t { none = 0 };

enum class TaskStatus : std::uint8_t {
    done,    ///< The executor returned; `payload` is what it returned.
    failed,  ///< The executor threw; `payload` is the exception's text (may be empty).
};

struct TaskResult {
    TaskId id = TaskId::none;
    std::string type;
    TaskStatus status = TaskStatus::done;
    std::string payload;
};

/// Runs one task: takes the payload given to scheduleTask, returns the payload of the result. Runs on any thread, several at the same
/// time, also for one task type; so it must be safe to call concurrently. It must not call the module's IIO or ITaskScheduler. What it
/// throws ends as a failed TaskResult.
using TaskExecutor = std::function<std::string(const std::string& payload)>;

/// One module's access to the host's workers. Executors and results belong to that module alone, so two modules may use one task type.
///
/// Threads: a module calls it only from its own calls (setConfiguration, process, shutdown), never from a task, so a host need not make
/// it thread-safe. Only the executors run elsewhere.
/// After IModule::shutdown has returned, the host starts no further task of this module; whether it waits for running ones is the host's
/// matter (the reference host does).
class ITaskScheduler {
public:
    virtual ~ITaskScheduler() = default;

    /// From now on tasks of `task_type` run `executor`. Registering a type again replaces its executor for every task not yet started.
    /// @return false when this host cannot run a module's own code, or `executor` is empty: compute inside the frame budget instead.
    [[nodiscard]] virtual bool registerExecutor(std::string_view task_type, TaskExecutor executor) = 0;

    /// Queues a task. Never runs it before returning, and never waits.
    /// @return the task's id; TaskId::none when it was not accepted (no executor for the type, too many tasks outstanding, shutting
    ///   down). An accepted task gives exactly one TaskResult if it ever runs.
    [[nodiscard]] virtual TaskId scheduleTask(std::string_view task_type, std::string payload) = 0;

    /// How many results wait to be taken. (Not how many tasks are pending: a module counts what it has scheduled and not yet taken.)
    [[nodiscard]] virtual std::size_t completedTaskCount() const = 0;
    /// Takes one result, in the order in which tasks ended, which need not be the order of scheduling; nullopt when none waits.
    [[nodiscard]] virtual std::optional<TaskResult> takeCompletedTask() = 0;
};

}  // namespace warpath
