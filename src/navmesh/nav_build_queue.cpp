#include "warpath/navmesh/nav_build_queue.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <unordered_map>
#include <utility>

#include "warpath/navmesh/nav_tile_builder.h"

namespace warpath {
namespace {

/// Finished builds, handed over without a lock: jobs push, the owner takes all at once.
class Inbox {
public:
    ~Inbox() { takeAll(); }
    void push(NavBuildResult result) {
        auto* item = new Item{std::move(result), head_.load(std::memory_order_relaxed)};
        while (!head_.compare_exchange_weak(item->next, item, std::memory_order_release, std::memory_order_relaxed)) {
        }
    }
    /// Oldest first.
    std::vector<NavBuildResult> takeAll() {
        std::vector<NavBuildResult> out;
        for (Item* item = head_.exchange(nullptr, std::memory_order_acquire); item != nullptr;) {
            out.push_back(std::move(item->result));
            delete std::exchange(item, item->next);
        }
        std::reverse(out.begin(), out.end());
        return out;
    }

private:
    struct Item {
        NavBuildResult result;
        Item* next;
    };
    std::atomic<Item*> head_{nullptr};
};

using Links = std::shared_ptr<const std::vector<NavLink>>;

std::uint64_t keyOf(ChunkCoord c) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.y)) << 32) | static_cast<std::uint32_t>(c.x);
}

NavBuildResult buildChunk(NavTileBuilder& builder, const std::vector<NavAgent>& agents, const WorldSnapshot& snapshot, const Links& links,
                          ChunkCoord chunk, std::uint64_t version) {
    NavBuildResult result{chunk, version, {}};
    for (std::size_t a = 0; a < agents.size(); ++a) {
        std::vector<NavLink> usable;
        for (const NavLink& link : *links) {
            if (((link.agents >> a) & 1) != 0) usable.push_back(link);
        }
        result.meshes.push_back(builder.build(snapshot, chunk, agents[a].mesh, usable));
    }
    return result;
}

}  // namespace

struct NavBuildQueue::State {
    struct Entry {
        std::uint64_t first = 0;   ///< Results older than this were asked for before a cancel.
        bool waiting = false;
        bool building = false;
        std::int64_t distance = 0;
    };
    std::shared_ptr<const std::vector<NavAgent>> agents;
    int max_jobs = 1;
    NavExecutor executor;
    NavTileBuilder builder;
    std::shared_ptr<Inbox> inbox = std::make_shared<Inbox>();
    std::deque<NavBuildResult> ready;
    std::unordered_map<std::uint64_t, Entry> entries;  // its order reaches no result
    std::vector<ChunkCoord> waiting;                   // the next one last, when sorted
    std::vector<ChunkCoord> focus;
    bool sorted = true;
    int under_way = 0;
    std::uint64_t version = 0;

    void sortWaiting();
    [[nodiscard]] bool takeNext(ChunkCoord& out);
    void collect();
};

void NavBuildQueue::State::sortWaiting() {
    if (sorted) return;
    sorted = true;
    for (const ChunkCoord c : waiting) {
        std::int64_t nearest = focus.empty() ? 0 : INT64_MAX;
        for (const ChunkCoord f : focus) {
            const std::int64_t dx = c.x - f.x, dy = c.y - f.y;
            nearest = std::min(nearest, dx * dx + dy * dy);
        }
        entries[keyOf(c)].distance = nearest;
    }
    std::sort(waiting.begin(), waiting.end(), [&](ChunkCoord a, ChunkCoord b) {
        const std::int64_t da = entries[keyOf(a)].distance, db = entries[keyOf(b)].distance;
        if (da != db) return da > db;
        return a.y != b.y ? a.y > b.y : a.x > b.x;
    });
}

bool NavBuildQueue::State::takeNext(ChunkCoord& out) {
    sortWaiting();
    // A chunk that is being built keeps its place until that build is back.
    for (std::size_t i = waiting.size(); i-- > 0;) {
        Entry& entry = entries[keyOf(waiting[i])];
        if (entry.building) continue;
        out = waiting[i];
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
        entry.waiting = false;
        entry.building = true;
        return true;
    }
    return false;
}

void NavBuildQueue::State::collect() {
    for (NavBuildResult& result : inbox->takeAll()) {
        --under_way;
        ready.push_back(std::move(result));
    }
}

NavBuildQueue::NavBuildQueue(std::vector<NavAgent> agents, int max_jobs, NavExecutor executor) : state_(std::make_unique<State>()) {
    state_->agents = std::make_shared<const std::vector<NavAgent>>(std::move(agents));
    state_->max_jobs = max_jobs;
    state_->executor = std::move(executor);
}
NavBuildQueue::~NavBuildQueue() = default;

void NavBuildQueue::request(ChunkCoord chunk) {
    State& s = *state_;
    const auto [it, fresh] = s.entries.try_emplace(keyOf(chunk));
    if (fresh) it->second.first = s.version + 1;
    if (it->second.waiting) return;
    it->second.waiting = true;
    s.waiting.push_back(chunk);
    s.sorted = false;
}

void NavBuildQueue::cancel(ChunkCoord chunk) {
    State& s = *state_;
    const auto it = s.entries.find(keyOf(chunk));
    if (it == s.entries.end()) return;
    if (it->second.waiting) std::erase(s.waiting, chunk);
    s.entries.erase(it);
}

void NavBuildQueue::setFocus(std::span<const ChunkCoord> focus) {
    if (std::equal(focus.begin(), focus.end(), state_->focus.begin(), state_->focus.end())) return;
    state_->focus.assign(focus.begin(), focus.end());
    state_->sorted = false;
}

void NavBuildQueue::pump(const WorldSnapshot& snapshot, Links links, int inline_builds) {
    State& s = *state_;
    s.collect();
    ChunkCoord chunk;
    if (s.executor) {
        while (s.under_way < s.max_jobs && s.takeNext(chunk)) {
            ++s.under_way;
            s.executor([inbox = s.inbox, agents = s.agents, snapshot, links, chunk, version = ++s.version] {
                NavTileBuilder builder;
                inbox->push(buildChunk(builder, *agents, snapshot, links, chunk, version));
            });
        }
        return;
    }
    for (; inline_builds > 0 && s.takeNext(chunk); --inline_builds) {
        s.ready.push_back(buildChunk(s.builder, *s.agents, snapshot, links, chunk, ++s.version));
    }
}

void NavBuildQueue::buildAllHere(const WorldSnapshot& snapshot, const Links& links) {
    State& s = *state_;
    s.collect();
    std::vector<ChunkCoord> all;
    for (const auto& [key, entry] : s.entries) {
        if (entry.waiting || entry.building) all.push_back({static_cast<std::int32_t>(key & 0xffffffff), static_cast<std::int32_t>(key >> 32)});
    }
    std::sort(all.begin(), all.end(), [](ChunkCoord a, ChunkCoord b) { return a.y != b.y ? a.y < b.y : a.x < b.x; });
    s.waiting.clear();
    for (const ChunkCoord chunk : all) {
        State::Entry& entry = s.entries[keyOf(chunk)];
        entry = {.first = s.version + 1, .building = true};  // what the executor still brings is older
        s.ready.push_back(buildChunk(s.builder, *s.agents, snapshot, links, chunk, ++s.version));
    }
}

std::vector<NavBuildResult> NavBuildQueue::takeResults(int limit) {
    State& s = *state_;
    s.collect();
    std::vector<NavBuildResult> out;
    while (limit > 0 && !s.ready.empty()) {
        NavBuildResult result = std::move(s.ready.front());
        s.ready.pop_front();
        const auto it = s.entries.find(keyOf(result.chunk));
        if (it == s.entries.end() || result.version < it->second.first) continue;  // cancelled, or overtaken
        it->second.building = false;
        it->second.first = result.version + 1;
        if (!it->second.waiting) s.entries.erase(it);
        out.push_back(std::move(result));
        --limit;
    }
    return out;
}

std::size_t NavBuildQueue::waiting() const { return state_->waiting.size(); }
std::size_t NavBuildQueue::underWay() const { return static_cast<std::size_t>(state_->under_way) + state_->ready.size(); }

}  // namespace warpath
