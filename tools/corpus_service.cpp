// The service: the same questions as bundles over several ticks.
#include <map>
#include <utility>

#include "corpus.h"
#include "warpath/service/service.h"

namespace warpath::tool {

void addServiceParts(Corpus& corpus) {
    for (const Scene& scene : corpus.scenes()) {
        for (int i = 0; i < corpus.count(4); ++i) {
            corpus.add("service", [&scene, i](Query& query, Hash64& hash) {
                Rng rng(static_cast<std::uint64_t>(i) * 6151 + 29);
                Service service({.tiles = query.tiles()});
                std::map<RequestTicket, ServiceAnswer> answers;
                for (int tick = 0; tick < 100; ++tick) {
                    if (tick < 4) {
                        for (int k = 0; k < 4; ++k) {
                            RequestInfo info;
                            info.unit_id = rng.below(6);
                            info.priority = static_cast<int>(rng.below(3));
                            if (rng.percent(80)) {
                                service.submit(randomRequest(rng, scene), info);
                            } else {
                                service.submit(MultiPathRequest{.path = randomRequest(rng, scene)}, info);
                            }
                        }
                    }
                    service.tick(scene.snapshot, 3000);
                    while (auto answer = service.poll()) {
                        const RequestTicket ticket = answer->ticket;
                        answers.emplace(ticket, std::move(*answer));
                    }
                }
                hash.add(std::uint64_t{answers.size()});
                for (const auto& [ticket, answer] : answers) {
                    hash.add(static_cast<std::uint64_t>(ticket));
                    hash.add(static_cast<std::uint64_t>(answer.status));
                    hash.add(answer.answered_tick);
                    for (const Path& path : answer.paths) addPath(hash, path);
                }
            });
        }
    }
}

}  // namespace warpath::tool
