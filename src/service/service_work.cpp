// Who computes: the executor's workers, or the tick itself within its budget.
#include <algorithm>
#include <utility>

#include "service/service_impl.h"

namespace warpath {

using namespace service_detail;

void Service::Impl::prepare(const WorldSnapshot& snapshot) {
    if (!options.jobs || options.metrics.empty()) return;
    Preparation& p = *preparation;
    if (p.busy.exchange(true)) return;
    const bool taken = p.isDue(snapshot) && options.jobs([preparation = preparation, tiles = options.tiles, snapshot] {
        try {
            preparation->run(snapshot, *tiles);
        } catch (...) {
            // No memory: the queries that need it will say so.
        }
        preparation->busy = false;
    });
    if (!taken) p.busy = false;
}

void Service::Impl::release() {
    std::size_t due = backlog.size();
    if (options.max_searches_per_tick != 0) {
        const std::size_t begun = std::min(builds_started, options.max_searches_per_tick - 1);  // requests go on, however many fields there are
        due = std::min(options.max_searches_per_tick - begun, due);
    }
    const std::lock_guard lock(shop->mutex);
    for (; due > 0; --due) {
        auto node = backlog.extract(backlog.begin());
        Job& job = *node.mapped();
        if (job.build != nullptr && !job.build->done) {
            job.state = Job::State::Waiting;
            job.build->waiting.push_back(&job);
            ++shop->waiting;
            continue;
        }
        job.state = Job::State::Ready;
        shop->ready.insert(std::move(node));
    }
}

void Service::Impl::dispatch() {
    refused = false;
    if (!options.jobs) return;
    std::size_t wanted = 0;
    {
        const std::lock_guard lock(shop->mutex);
        if (shop->token_runs != seen_token_runs) {
            seen_token_runs = shop->token_runs;
            progress_tick = counts.ticks;
            executor_idle = false;
        } else if (shop->running > 0 || shop->tokens == 0 || shop->ready.empty()) {
            progress_tick = counts.ticks;  // it has had nothing to do
        } else if (counts.ticks - progress_tick >= options.patience_ticks) {
            executor_idle = true;
        }
        const std::size_t jobs = shop->ready.size() + shop->waiting;
        wanted = jobs > shop->tokens ? jobs - shop->tokens : 0;
        shop->tokens += wanted;
    }
    for (; wanted > 0; --wanted) {
        if (options.jobs([shop = shop] { shop->work(); })) continue;
        refused = true;
        break;
    }
    if (wanted > 0) {
        const std::lock_guard lock(shop->mutex);
        shop->tokens -= std::min(wanted, shop->tokens);
    }
}

void Service::Impl::computeHere(std::uint64_t budget) {
    const bool everything = !options.jobs || refused || executor_idle;
    std::size_t searches = options.max_searches_per_tick == 0 ? SIZE_MAX : options.max_searches_per_tick;
    counts.last_inline_work = 0;
    while (budget > counts.last_inline_work && searches-- > 0) {
        if (!everything) {
            const std::lock_guard lock(shop->mutex);
            if (shop->ready.empty() || counts.ticks - shop->ready.begin()->second->admitted_tick < options.patience_ticks) return;
        }
        const auto work = shop->runOne(false);
        if (!work) return;
        counts.last_inline_work += *work;
        ++counts.inline_jobs;
    }
}

}  // namespace warpath
