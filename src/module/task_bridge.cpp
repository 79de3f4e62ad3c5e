#include "module/task_bridge.h"

#include <map>
#include <utility>

#include "service/job_table.h"

namespace warpath::module_detail {

JobExecutor makeTaskExecutor(ITaskScheduler& scheduler) {
    auto table = std::make_shared<service_detail::JobTable>();
    const bool registered = scheduler.registerExecutor(kTaskType, [table](const std::string& id) {
        table->run(id);
        return id;
    });
    if (!registered) return nullptr;
    return [table, &scheduler](std::function<void()> job) {
        const std::string id = table->add(std::move(job));
        if (scheduler.scheduleTask(kTaskType, id) != TaskId::none) return true;
        table->remove(id);
        return false;
    };
}

}  // namespace warpath::module_detail
