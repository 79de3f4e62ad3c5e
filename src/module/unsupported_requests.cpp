// Types of requests that this build knows and does not serve: each is refused by name, so that nobody waits for an answer.
#include "module/core.h"

namespace warpath::module_detail {
namespace {

void refuseType(ModuleCore&, RequestMessage& message) {
    message.refuse("type", '"' + std::string(message.open.type->name) + '"', "not supported by this build");
}

constexpr RequestType kTypes[] = {
    {"flow_field", kFlowTopic, nullptr, refuseType, nullptr},
    {"flow_sample", kFlowTopic, nullptr, refuseType, nullptr},
};

}  // namespace

std::span<const RequestType> unsupportedRequests() { return kTypes; }

}  // namespace warpath::module_detail
