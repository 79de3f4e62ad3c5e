// Jobs of the service as tasks of a host: the payload is a number, the job itself stays here.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "warpath/host_api/task_scheduler.h"
#include "warpath/service/service.h"

namespace warpath::module_detail {

/// The type under which the module's tasks run.
inline constexpr const char* kTaskType = "warpath.search";

/// Registers an executor at the host and returns what hands it jobs; nothing when the host cannot run a module's code.
/// The executor shares only a table of jobs with the module, so a task that comes after the module is gone is harmless.
[[nodiscard]] JobExecutor makeTaskExecutor(ITaskScheduler& scheduler);

}  // namespace warpath::module_detail
