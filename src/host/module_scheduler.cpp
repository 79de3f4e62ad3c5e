#include "host/module_scheduler.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace warpath {

namespace {

/// Turns a task into its result in place.
void execute(const TaskExecutor& executor, TaskResult& task) {
    try {
        task.payload = executor(task.payload);
        task.status = TaskStatus::done;
        return;
    } catch (const std::exception& error) {
        task.status = TaskStatus::failed;
        try {
            task.payload = error.what();
            return;
        } catch (...) {  // no memory for the text
        }
    } catch (...) {
        task.status = TaskStatus::failed;
    }
    task.payload.clear();
}

}  // namespace

ModuleScheduler::ModuleScheduler(std::size_t max_outstanding, Announce announce)
    : max_outstanding_(std::max<std::size_t>(max_outstanding, 1)), announce_(std::move(announce)) {}

bool ModuleScheduler::registerExecutor(std::string_view task_type, TaskExecutor executor) {
    if (!executor) return false;
    auto shared = std::make_shared<const TaskExecutor>(std::move(executor));
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    std::shared_ptr<const TaskExecutor>& slot = executors_.try_emplace(std::string(task_type)).first->second;
    slot.swap(shared);  // the old executor is released after the lock
    return true;
}

TaskId ModuleScheduler::scheduleTask(std::string_view task_type, std::string payload) {
    Tasks task(1);
    task.front().type = task_type;
    task.front().payload = std::move(payload);
    const std::lock_guard lock(mutex_);
    if (closed_ || !executors_.contains(task_type)) return TaskId::none;
    if (waiting_.size() + running_ + completed_.size() >= max_outstanding_) return TaskId::none;
    if (!announce_(shared_from_this())) return TaskId::none;
    const TaskId id{++last_id_};
    task.front().id = id;
    waiting_.splice(waiting_.end(), task);
    return id;
}

std::size_t ModuleScheduler::completedTaskCount() const {
    const std::lock_guard lock(mutex_);
    return completed_.size();
}

std::optional<TaskResult> ModuleScheduler::takeCompletedTask() {
    Tasks taken;
    {
        const std::lock_guard lock(mutex_);
        if (completed_.empty()) return std::nullopt;
        taken.splice(taken.end(), completed_, completed_.begin());
    }
    return std::move(taken.front());
}

bool ModuleScheduler::runOne() {
    Tasks task;
    std::shared_ptr<const TaskExecutor> executor;
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.empty()) return false;
        task.splice(task.end(), waiting_, waiting_.begin());
        executor = executors_.find(task.front().type)->second;
        ++running_;
    }
    execute(*executor, task.front());
    executor.reset();  // before the task counts as ended: waitUntilIdle promises that nothing of the module is held
    const std::lock_guard lock(mutex_);
    completed_.splice(completed_.end(), task);
    if (--running_ == 0) idle_.notify_all();
    return true;
}

std::size_t ModuleScheduler::waitingCount() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

std::size_t ModuleScheduler::pendingCount() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size() + running_;
}

void ModuleScheduler::close() {
    Tasks dropped;
    decltype(executors_) released;
    const std::lock_guard lock(mutex_);
    closed_ = true;
    dropped.swap(waiting_);
    released.swap(executors_);
}

void ModuleScheduler::waitUntilIdle() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
}

}  // namespace warpath
