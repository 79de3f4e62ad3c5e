// Flow fields by every method: distances, arrows and vectors of whole maps.
#include "corpus.h"
#include "flow_tool.h"

namespace warpath::tool {
namespace {

struct Named {
    const char* part;
    FlowKind kind;
};
constexpr Named kKinds[] = {{"flow_dijkstra", FlowKind::Dijkstra}, {"flow_march1", FlowKind::March1}, {"flow_march2", FlowKind::March2}};

void build(Hash64& hash, const Scene& scene, FlowKind kind, int number) {
    Rng rng(static_cast<std::uint64_t>(number) * 6700417 + 11);
    PathRequest wishes = randomRequest(rng, scene);
    if (kind != FlowKind::Dijkstra) {  // else most scenes with hills would be refused
        wishes.constraints.elevation_weight = 0.0f;
        wishes.constraints.max_slope = 90.0f;
    }
    wishes.constraints.diagonal = static_cast<DiagonalRule>(rng.below(4));
    wishes.constraints.unit_radius = rng.percent(70) ? 0.5f : 1.2f;
    const auto resolved = std::get<ResolvedConstraints>(resolve(wishes.constraints, scene.snapshot.rules()));
    FlowRequest request;
    request.key = {resolved.metric, resolved.threat_weight, static_cast<std::uint8_t>(wishes.side)};
    request.goals.push_back(flowCell(wishes.goal.centre, resolved.metric.profile.size));
    if (rng.percent(40)) request.goals.push_back(flowCell(wishes.from, resolved.metric.profile.size));
    if (rng.percent(20)) request.goal_discs.push_back({wishes.from, 4.0f});
    const FlowRun made = computeFlow(scene.snapshot, request, kind, std::make_shared<TileStore>(), 1);
    hash.add(static_cast<std::uint64_t>(made.answer.status));
    if (made.answer.field != nullptr) {
        addFlowField(hash, *made.answer.field);
    } else {
        hash.add(made.answer.error.text());
    }
}

}  // namespace

void addFlowParts(Corpus& corpus) {
    for (const Named& named : kKinds) {
        for (const Scene& scene : corpus.scenes()) {
            for (int i = 0; i < corpus.count(4); ++i) {
                corpus.add(named.part, [&scene, &named, i](Query&, Hash64& hash) { build(hash, scene, named.kind, i); });
            }
        }
    }
}

}  // namespace warpath::tool
