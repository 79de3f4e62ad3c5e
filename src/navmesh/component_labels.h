// Which ground is connected, kept up to date tile by tile: what changed is searched around, and only what it cut off or joined is renamed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "navmesh/nav_state.h"

namespace warpath::navmesh {

/// The labels of one mesh, for every passability set. The writer's; readers see the TileLabels.
///
/// Nodes are the connected groups of patches within a tile, few and mostly one. After tiles were replaced, their groups and those around them are
/// joined where they touch. Lots of them that had one label and no longer touch race: searches run from each in turn, one step each, those that
/// meet become one, and when a single one is left the others have been seen whole: they were cut off and get new labels, while the part that
/// nobody saw whole keeps its own (Even and Shiloach 1981). Where different labels met, all but the largest piece is renamed, found the same
/// way. So a block in a tile costs a look around it, and a wall that splits the map costs the smaller side.
class ComponentLabels {
public:
    /// Labels everything anew: other sets, or a mesh just opened.
    void reset(const MeshFrame& frame, const std::vector<std::uint64_t>& sets, const TileGrid& tiles);

    /// After tiles were replaced. @param affected the tiles replaced, put in place or taken away and all that touch them, reconnected, each once.
    /// @return tiles whose labels are not what they were, ascending; valid until the next call.
    std::span<const std::int32_t> update(const TileGrid& tiles, std::span<const std::int32_t> affected);

    /// Null where no tile is loaded.
    [[nodiscard]] const std::shared_ptr<const TileLabels>& of(std::int32_t tile) const { return entries_[static_cast<std::size_t>(tile)].published; }

private:
    static constexpr std::uint32_t kNone = TileLabels::kNone;
    struct Group {
        std::uint32_t label = kNone;
        std::uint32_t stamp = 0;   ///< Of the search that visited it last.
        std::int32_t search = -1;
    };
    /// A tile as it was labelled.
    struct Entry {
        std::shared_ptr<const NavTile> tile;
        std::vector<std::uint16_t> group_of;   ///< [set x patches + patch]; 0xffff: may not be entered.
        std::vector<std::uint32_t> first;      ///< Per set: its first group in `groups`; one more at the end.
        std::vector<Group> groups;
        std::shared_ptr<const TileLabels> published;
        std::size_t crossings = 0;
        bool changed = false;
    };
    struct Node {
        std::int32_t tile = -1;
        std::uint32_t group = 0;  ///< Index into Entry::groups.
    };
    struct Search {
        std::vector<Node> members;
        std::size_t next = 0;      ///< Members below this have been expanded.
        std::int32_t parent = -1;  ///< The search that it was joined to, or -1.
        std::size_t rivals = 0;    ///< Index into rivals_.
        [[nodiscard]] bool exhausted() const { return next == members.size(); }
    };

    void findGroups(Entry& entry) const;
    /// Calls visit(node) for every group that touches one.
    template <class Visit>
    void forEachNeighbour(const TileGrid& tiles, std::size_t set, Node node, Visit&& visit);
    Group& at(Node node) { return entries_[static_cast<std::size_t>(node.tile)].groups[node.group]; }
    std::int32_t rootOf(std::int32_t search) const;
    std::int32_t begin(Node seed);
    void unite(std::int32_t a, std::int32_t b);
    [[nodiscard]] bool running(std::size_t search) const;
    /// One step of a search. @param within_label only over groups that have the label of the one expanded.
    void expand(const TileGrid& tiles, std::size_t set, std::size_t search, bool within_label);
    /// Puts searches that hold a label in common among each other's rivals.
    void nameRivals();
    /// Runs the searches in turn until of each lot of rivals at most one is not exhausted.
    void race(const TileGrid& tiles, std::size_t set, bool within_label);
    /// A part that a change touched and nobody saw whole.
    struct OpenPart {
        std::vector<Node> members;
        std::uint32_t survivor = kNone;
        bool several = false;  ///< Holds more labels than one.
    };
    void joinLabels(const TileGrid& tiles, std::size_t set, OpenPart& part);
    void updateSet(const TileGrid& tiles, std::size_t set, std::span<const std::int32_t> affected);
    void setLabel(Node node, std::uint32_t label);
    void flood(const TileGrid& tiles, std::size_t set);
    void publish();

    MeshFrame frame_;
    std::vector<std::uint64_t> sets_;
    std::vector<Entry> entries_;
    std::vector<std::int32_t> touched_;   ///< Tiles with `changed`.
    std::vector<Search> searches_;
    std::size_t begun_ = 0;               ///< Searches of this race; the others keep their capacity.
    std::vector<Node> seeds_;
    std::vector<std::size_t> rivals_;     ///< Disjoint sets of lots of rivals.
    std::vector<std::pair<std::uint32_t, std::size_t>> classes_;  ///< Label to lot.
    std::vector<std::uint32_t> claimed_;
    std::vector<OpenPart> open_;
    std::uint32_t stamp_ = 0;
    std::uint32_t next_label_ = 0;
    std::size_t crossings_ = 0;           ///< Over all tiles.
};

}  // namespace warpath::navmesh
