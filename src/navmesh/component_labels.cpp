#include "navmesh/component_labels.h"

#include <algorithm>
#include <utility>

namespace warpath::navmesh {
namespace {

constexpr std::uint16_t kClosed = 0xffff;

}  // namespace

void ComponentLabels::findGroups(Entry& entry) const {
    entry.group_of.clear();
    entry.first.assign(1, 0);
    if (entry.tile == nullptr) {
        entry.groups.clear();
        entry.first.assign(sets_.size() + 1, 0);
        return;
    }
    const NavTile& tile = *entry.tile;
    const std::size_t patches = tile.patch_terrain.size();
    entry.group_of.assign(sets_.size() * patches, kClosed);
    std::vector<std::uint16_t> parent(patches);
    for (std::size_t s = 0; s < sets_.size(); ++s) {
        const auto enters = [&](std::size_t patch) { return ((sets_[s] >> tile.patch_terrain[patch]) & 1) != 0; };
        for (std::size_t p = 0; p < patches; ++p) parent[p] = static_cast<std::uint16_t>(p);
        const auto find = [&](std::uint16_t p) {
            while (parent[p] != p) p = parent[p] = parent[parent[p]];
            return p;
        };
        for (const auto& [a, b] : tile.patch_edges) {
            if (!enters(a) || !enters(b)) continue;
            const std::uint16_t ra = find(a), rb = find(b);
            parent[std::max(ra, rb)] = std::min(ra, rb);
        }
        // The root is the lowest patch of its group, so groups are numbered in order.
        std::uint16_t count = 0;
        for (std::size_t p = 0; p < patches; ++p) {
            if (!enters(p)) continue;
            const std::uint16_t root = find(static_cast<std::uint16_t>(p));
            entry.group_of[s * patches + p] = root == p ? count++ : entry.group_of[s * patches + root];
        }
        entry.first.push_back(entry.first.back() + count);
    }
    entry.groups.assign(entry.first.back(), {});
}

template <class Visit>
void ComponentLabels::forEachNeighbour(const TileGrid& tiles, std::size_t set, Node node, Visit&& visit) {
    const Entry& entry = entries_[static_cast<std::size_t>(node.tile)];
    const LoadedTile& loaded = *tiles[static_cast<std::size_t>(node.tile)];
    const auto groupOf = [set](const Entry& e, std::size_t polygon) {
        const std::uint16_t group = e.group_of[set * e.tile->patch_terrain.size() + e.tile->polygons[polygon].patch];
        return group == kClosed ? kNone : e.first[set] + group;
    };
    const bool alone = entry.first[set + 1] - entry.first[set] == 1;
    for (int side = 0; side < 4; ++side) {
        const auto& seams = loaded.seams[static_cast<std::size_t>(side)];
        if (seams.empty()) continue;
        const std::int32_t beyond = frame_.beyond(node.tile, side);
        const Entry& other = entries_[static_cast<std::size_t>(beyond)];
        // Most borders join one group to one: found by their first seam, the rest skipped.
        std::uint32_t last = kNone;
        const bool other_alone = other.first[set + 1] - other.first[set] == 1;
        for (const Seam& seam : seams) {
            if (groupOf(entry, seam.polygon) != node.group) continue;
            const std::uint32_t group = groupOf(other, seam.other);
            if (group == kNone || group == last) continue;
            last = group;
            visit(Node{beyond, group});
            if (alone && other_alone) break;
        }
    }
    if (crossings_ == 0) return;
    // A one-way link joins too: labels only refuse, the search decides.
    const int cx = node.tile % frame_.columns, cy = node.tile / frame_.columns;
    for (int y = std::max(cy - 1, 0); y <= std::min(cy + 1, frame_.rows - 1); ++y) {
        for (int x = std::max(cx - 1, 0); x <= std::min(cx + 1, frame_.columns - 1); ++x) {
            const std::int32_t owner = y * frame_.columns + x;
            const auto& from = tiles[static_cast<std::size_t>(owner)];
            if (from == nullptr) continue;
            for (const Crossing& crossing : from->crossings) {
                if (owner != node.tile && crossing.landing.tile != node.tile) continue;
                const Node start{owner, groupOf(entries_[static_cast<std::size_t>(owner)], crossing.polygon)};
                const Node end{crossing.landing.tile, groupOf(entries_[static_cast<std::size_t>(crossing.landing.tile)],
                                                              static_cast<std::size_t>(crossing.landing.polygon))};
                if (start.group == kNone || end.group == kNone) continue;
                if (start.tile == node.tile && start.group == node.group) visit(end);
                if (end.tile == node.tile && end.group == node.group) visit(start);
            }
        }
    }
}

std::int32_t ComponentLabels::rootOf(std::int32_t search) const {
    while (searches_[static_cast<std::size_t>(search)].parent >= 0) search = searches_[static_cast<std::size_t>(search)].parent;
    return search;
}

std::int32_t ComponentLabels::begin(Node seed) {
    if (begun_ == searches_.size()) searches_.emplace_back();
    Search& search = searches_[begun_];
    search.members.assign(1, seed);
    search.next = 0;
    search.parent = -1;
    Group& group = at(seed);
    group.stamp = stamp_;
    group.search = static_cast<std::int32_t>(begun_++);
    return group.search;
}

/// Members of both: expanded ones first, then the others.
void ComponentLabels::unite(std::int32_t a, std::int32_t b) {
    if (searches_[static_cast<std::size_t>(a)].members.size() < searches_[static_cast<std::size_t>(b)].members.size()) std::swap(a, b);
    Search &into = searches_[static_cast<std::size_t>(a)], &from = searches_[static_cast<std::size_t>(b)];
    // The open ones of `into` that the expanded ones of `from` displace go to the end.
    for (std::size_t i = 0; i < from.next; ++i) {
        into.members.push_back(from.members[i]);
        std::swap(into.members.back(), into.members[into.next++]);
    }
    into.members.insert(into.members.end(), from.members.begin() + static_cast<std::ptrdiff_t>(from.next), from.members.end());
    from.parent = a;
    from.members.clear();
    from.next = 0;
}

bool ComponentLabels::running(std::size_t search) const { return searches_[search].parent < 0 && !searches_[search].exhausted(); }

void ComponentLabels::expand(const TileGrid& tiles, std::size_t set, std::size_t search, bool within_label) {
    auto self = static_cast<std::int32_t>(search);
    const Node node = searches_[search].members[searches_[search].next++];
    const std::uint32_t label = at(node).label;
    forEachNeighbour(tiles, set, node, [&](Node n) {
        Group& group = at(n);
        if (within_label && group.label != label) return;
        if (group.stamp != stamp_) {
            group.stamp = stamp_;
            group.search = self;
            searches_[static_cast<std::size_t>(self)].members.push_back(n);
            return;
        }
        const std::int32_t other = rootOf(group.search);
        if (other == self) return;
        unite(self, other);
        self = rootOf(self);
    });
}

void ComponentLabels::race(const TileGrid& tiles, std::size_t set, bool within_label) {
    // Searches only race with those they might meet: a part of another name needs no look.
    const auto classOf = [&](std::size_t i) {
        std::size_t c = searches_[i].rivals;
        while (rivals_[c] != c) c = rivals_[c];
        return c;
    };
    std::vector<std::uint32_t> active(rivals_.size());
    for (;;) {
        std::fill(active.begin(), active.end(), 0u);
        for (std::size_t i = 0; i < begun_; ++i) {
            if (running(i)) ++active[classOf(i)];
        }
        bool any = false;
        for (std::size_t i = 0; i < begun_; ++i) {
            // One that was joined to another meanwhile waits for the next round; so does the count.
            if (!running(i) || active[classOf(i)] < 2) continue;
            any = true;
            expand(tiles, set, i, within_label);
        }
        if (!any) return;
    }
}

void ComponentLabels::setLabel(Node node, std::uint32_t label) {
    Group& group = at(node);
    if (group.label == label) return;
    group.label = label;
    Entry& entry = entries_[static_cast<std::size_t>(node.tile)];
    if (!entry.changed) touched_.push_back(node.tile);
    entry.changed = true;
}

void ComponentLabels::updateSet(const TileGrid& tiles, std::size_t set, std::span<const std::int32_t> affected) {
    ++stamp_;
    begun_ = 0;
    seeds_.clear();
    // Groups of replaced tiles first: they meet their neighbours at once.
    for (const bool fresh : {true, false}) {
        for (const std::int32_t tile : affected) {
            const Entry& entry = entries_[static_cast<std::size_t>(tile)];
            if (entry.tile == nullptr) continue;
            for (std::uint32_t g = entry.first[set]; g < entry.first[set + 1]; ++g) {
                if ((entry.groups[g].label == kNone) != fresh) continue;
                seeds_.push_back({tile, g});
                begin(seeds_.back());
            }
        }
    }
    // Everything new lies between these groups, so a look around each of them finds all that the change joined.
    for (std::size_t i = 0; i < seeds_.size(); ++i) {
        forEachNeighbour(tiles, set, seeds_[i], [&](Node n) {
            if (at(n).stamp != stamp_) return;
            const std::int32_t a = rootOf(static_cast<std::int32_t>(i)), b = rootOf(at(n).search);
            if (a != b) unite(a, b);
        });
    }
    nameRivals();
    race(tiles, set, false);

    // A part that nobody saw whole keeps its label, or one of those that met in it; the others take what is left of theirs, or new ones.
    claimed_.clear();
    open_.clear();
    const auto isClaimed = [&](std::uint32_t label) { return std::find(claimed_.begin(), claimed_.end(), label) != claimed_.end(); };
    for (std::size_t i = 0; i < begun_; ++i) {
        if (!running(i)) continue;
        OpenPart& part = open_.emplace_back();
        part.members = searches_[i].members;
        for (const Node node : part.members) {
            const std::uint32_t label = at(node).label;
            if (label == kNone || isClaimed(label)) continue;
            claimed_.push_back(label);
            if (part.survivor == kNone) {
                part.survivor = label;
            } else {
                part.several = true;
            }
        }
    }
    for (std::size_t i = 0; i < begun_; ++i) {
        if (searches_[i].parent >= 0 || running(i)) continue;
        std::uint32_t keep = kNone;
        for (const Node node : searches_[i].members) {
            const std::uint32_t label = at(node).label;
            if (label == kNone || isClaimed(label)) continue;
            keep = label;
            break;
        }
        if (keep == kNone) keep = next_label_++;
        claimed_.push_back(keep);
        for (const Node node : searches_[i].members) setLabel(node, keep);
    }
    for (OpenPart& part : open_) {
        if (part.survivor == kNone) part.survivor = next_label_++;
        if (part.several) joinLabels(tiles, set, part);
        for (const Node node : part.members) {
            if (at(node).label == kNone) setLabel(node, part.survivor);
        }
    }
}

void ComponentLabels::nameRivals() {
    rivals_.clear();
    classes_.clear();
    const auto find = [&](std::size_t c) {
        while (rivals_[c] != c) c = rivals_[c] = rivals_[rivals_[c]];
        return c;
    };
    for (std::size_t i = 0; i < begun_; ++i) {
        searches_[i].rivals = rivals_.size();
        if (!running(i)) {
            searches_[i].rivals = 0;
            continue;
        }
        rivals_.push_back(rivals_.size());
        for (const Node node : searches_[i].members) {
            const std::uint32_t label = at(node).label;
            if (label == kNone) continue;
            const auto known = std::find_if(classes_.begin(), classes_.end(), [&](const auto& entry) { return entry.first == label; });
            if (known == classes_.end()) {
                classes_.push_back({label, searches_[i].rivals});
                continue;
            }
            const std::size_t a = find(searches_[i].rivals), b = find(known->second);
            rivals_[std::max(a, b)] = std::min(a, b);
        }
    }
}

/// Renames all labels that met in a part but the one of the largest piece.
void ComponentLabels::joinLabels(const TileGrid& tiles, std::size_t set, OpenPart& part) {
    ++stamp_;
    begun_ = 0;
    for (const Node node : part.members) {
        if (at(node).label != kNone && at(node).stamp != stamp_) begin(node);
    }
    rivals_.assign(1, 0);
    for (std::size_t i = 0; i < begun_; ++i) searches_[i].rivals = 0;
    race(tiles, set, true);
    for (std::size_t i = 0; i < begun_; ++i) {
        if (running(i)) part.survivor = at(searches_[i].members.front()).label;
    }
    for (std::size_t i = 0; i < begun_; ++i) {
        if (searches_[i].parent >= 0 || at(searches_[i].members.front()).label == part.survivor) continue;
        for (const Node node : searches_[i].members) setLabel(node, part.survivor);
    }
}

void ComponentLabels::flood(const TileGrid& tiles, std::size_t set) {
    std::vector<Node> stack;
    for (std::size_t t = 0; t < entries_.size(); ++t) {
        if (entries_[t].tile == nullptr) continue;
        for (std::uint32_t g = entries_[t].first[set]; g < entries_[t].first[set + 1]; ++g) {
            if (entries_[t].groups[g].label != kNone) continue;
            const std::uint32_t label = next_label_++;
            stack.assign(1, {static_cast<std::int32_t>(t), g});
            setLabel(stack.back(), label);
            while (!stack.empty()) {
                const Node node = stack.back();
                stack.pop_back();
                forEachNeighbour(tiles, set, node, [&](Node n) {
                    if (at(n).label != kNone) return;
                    setLabel(n, label);
                    stack.push_back(n);
                });
            }
        }
    }
}

void ComponentLabels::publish() {
    for (const std::int32_t tile : touched_) {
        Entry& entry = entries_[static_cast<std::size_t>(tile)];
        entry.changed = false;
        if (entry.tile == nullptr) {
            entry.published = nullptr;
            continue;
        }
        const std::size_t patches = entry.tile->patch_terrain.size();
        auto labels = std::make_shared<TileLabels>();
        labels->patches = patches;
        labels->group = entry.group_of;
        labels->label.assign(entry.group_of.size(), kNone);
        for (std::size_t s = 0; s < sets_.size(); ++s) {
            for (std::size_t p = 0; p < patches; ++p) {
                const std::uint16_t group = entry.group_of[s * patches + p];
                if (group != kClosed) labels->label[s * patches + p] = entry.groups[entry.first[s] + group].label;
            }
        }
        entry.published = std::move(labels);
    }
}

void ComponentLabels::reset(const MeshFrame& frame, const std::vector<std::uint64_t>& sets, const TileGrid& tiles) {
    frame_ = frame;
    sets_ = sets;
    entries_.assign(tiles.size(), {});
    touched_.clear();
    next_label_ = 0;
    crossings_ = 0;
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        Entry& entry = entries_[t];
        if (tiles[t] != nullptr) {
            entry.tile = tiles[t]->tile;
            entry.crossings = tiles[t]->crossings.size();
            crossings_ += entry.crossings;
            entry.changed = true;
            touched_.push_back(static_cast<std::int32_t>(t));
        }
        findGroups(entry);
    }
    for (std::size_t s = 0; s < sets_.size(); ++s) flood(tiles, s);
    publish();
}

std::span<const std::int32_t> ComponentLabels::update(const TileGrid& tiles, std::span<const std::int32_t> affected) {
    constexpr std::uint32_t kLastLabel = 0xf0000000;
    if (affected.size() > 64 + tiles.size() / 4 || next_label_ > kLastLabel) {
        std::vector<std::int32_t> before;
        for (std::size_t t = 0; t < entries_.size(); ++t) {
            if (entries_[t].published != nullptr && tiles[t] == nullptr) before.push_back(static_cast<std::int32_t>(t));
        }
        reset(frame_, std::vector(sets_), tiles);
        touched_.insert(touched_.end(), before.begin(), before.end());
        std::sort(touched_.begin(), touched_.end());
        return touched_;
    }
    touched_.clear();
    for (const std::int32_t tile : affected) {
        Entry& entry = entries_[static_cast<std::size_t>(tile)];
        const auto& loaded = tiles[static_cast<std::size_t>(tile)];
        crossings_ -= std::exchange(entry.crossings, loaded == nullptr ? 0 : loaded->crossings.size());
        crossings_ += entry.crossings;
        const std::shared_ptr<const NavTile> now = loaded == nullptr ? nullptr : loaded->tile;
        if (entry.tile == now) continue;
        entry.tile = now;
        entry.changed = true;
        touched_.push_back(tile);
        findGroups(entry);
    }
    for (std::size_t s = 0; s < sets_.size(); ++s) updateSet(tiles, s, affected);
    publish();
    std::sort(touched_.begin(), touched_.end());
    return touched_;
}

}  // namespace warpath::navmesh
