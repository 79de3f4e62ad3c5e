#include "warpath/core/status.h"

namespace warpath {

const char* toString(PathStatus status) {
    switch (status) {
        case PathStatus::Found: return "found";
        case PathStatus::Partial: return "partial";
        case PathStatus::CostLimit: return "cost_limit";
        case PathStatus::BudgetExhausted: return "budget_exhausted";
        case PathStatus::Unreachable: return "unreachable";
        case PathStatus::StartBlocked: return "start_blocked";
        case PathStatus::GoalBlocked: return "goal_blocked";
        case PathStatus::InvalidArgument: return "invalid_argument";
        case PathStatus::Cancelled: return "cancelled";
        case PathStatus::Superseded: return "superseded";
        case PathStatus::Rejected: return "rejected";
        case PathStatus::Stale: return "stale";
    }
    return "unknown";
}

}  // namespace warpath
