#include "warpath/flow/flow_sample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "flow/four_lanes.h"
#include "warpath/core/assert.h"

namespace warpath {
namespace {

using flow::absolute;
using flow::all;
using flow::Floats;
using flow::Ints;
using flow::squareRoot;

/// What a stored byte says, as the numbers that are blended.
struct alignas(16) Entry {
    float x = 0.0f, y = 0.0f;  ///< The arrow; zero for all but arrows.
    float way = 0.0f;          ///< 1 where the unit can be led from here.
    float goal = 0.0f;         ///< 1 in goals.
};
constexpr std::array<Entry, 32> kEntry = [] {
    std::array<Entry, 32> entries{};
    for (std::size_t byte = 0; byte < entries.size(); ++byte) {
        const auto code = static_cast<std::uint8_t>(byte & kFlowCodeMask);
        if (isFlowArrow(code)) entries[byte] = {kStepVector[code].x, kStepVector[code].y, 1.0f, 0.0f};
        if (code == kFlowGoal) entries[byte] = {0.0f, 0.0f, 1.0f, 1.0f};
    }
    return entries;
}();
constexpr float kLeastBlend = 0.3f;  // shorter blends come from arrows that part: then one of them is right and their mean is not
constexpr float kLeastCosine = 0.5f;
constexpr float kSqrt2 = 1.41421356f;
constexpr float kLeastAlong = 0.01f;  // nearer than this to the ends of a corner's diagonal is not aimed at
constexpr float kAtCorner = 0.004f;   // a step that ends nearer than this to a corner between two walls could be rounded into one; coordinates are no finer on large maps
constexpr float kSlant = 0.25f;  // a way through a corner that runs flatter along an edge could be rounded across it

Vec2 unit(float x, float y) {
    const float length = std::sqrt(x * x + y * y);
    return length > 0.0f ? Vec2{x / length, y / length} : Vec2{};
}

/// The formulas below are written once for four lanes and for one.
template <int kCount>
struct Lanes {
    using Numbers = Floats;
    using Integers = Ints;
};
template <>
struct Lanes<1> {
    using Numbers = float;
    using Integers = std::int32_t;
};
Ints truncated(Floats v) { return __builtin_convertvector(v, Ints); }
std::int32_t truncated(float v) { return static_cast<std::int32_t>(v); }
Floats number(Ints v) { return __builtin_convertvector(v, Floats); }
float number(std::int32_t v) { return static_cast<float>(v); }
/// All ones where a is less, else 0.
Ints less(Floats a, Floats b) { return a < b; }
std::int32_t less(float a, float b) { return -static_cast<std::int32_t>(a < b); }
Ints equal(Floats a, Floats b) { return a == b; }
std::int32_t equal(float a, float b) { return -static_cast<std::int32_t>(a == b); }
Floats select(Ints mask, Floats yes, Floats no) { return mask ? yes : no; }
float select(std::int32_t mask, float yes, float no) { return mask != 0 ? yes : no; }
float absolute(float v) { return std::fabs(v); }
float squareRoot(float v) { return std::sqrt(v); }
template <class Vector>
auto lane(const Vector& v, int k) { return v[k]; }
float lane(const float& v, int) { return v; }
std::int32_t lane(const std::int32_t& v, int) { return v; }
template <class Vector, class Value>
void setLane(Vector& v, int k, Value value) { v[k] = value; }
void setLane(float& v, int, float value) { v = value; }
void setLane(std::int32_t& v, int, std::int32_t value) { v = value; }
/// @pre |v| <= kMaxCoordinate and a little
template <class Numbers>
auto floored(Numbers v) {
    const auto i = truncated(v);
    return i + less(v, number(i));
}

/// One unit on a field.
struct Unit {
    float x, y;  ///< As a unit of one cell would stand.
    Cell home;
};

/// Reads four units at once: the cells of each are gathered one by one, the blending is done in the lanes of vectors.
class Sampler {
public:
    Sampler(const FlowField& field, const FlowSampleOptions& options)
        : field_(field), options_(options), back_(0.5f * static_cast<float>(field.unitSize() - 1)), slopes_limit_(slopesLimit()),
          corners_(field.info().key.metric.profile.diagonal == DiagonalRule::Always) {}

    /// One or four units and where on the field they stand.
    template <int kCount>
    struct Group {
        typename Lanes<kCount>::Numbers x, y;  ///< As a unit of one cell would stand.
        typename Lanes<kCount>::Integers home_x, home_y;
        const FlowTile* tiles[kCount];  ///< Null off the field and for what is no position.
        int locals[kCount];
        unsigned usable;
    };

    /// Finds units on the field, and has fetched what reading them needs.
    template <int kCount>
    void place(const Position* positions, Group<kCount>& group) const {
        using Integers = typename Lanes<kCount>::Integers;
        typename Lanes<kCount>::Numbers x{}, y{};
        group.usable = 0;
        for (int k = 0; k < kCount; ++k) {
            const bool usable = isUsable(positions[k]);
            group.usable |= static_cast<unsigned>(usable) << k;
            setLane(x, k, usable ? positions[k].x : 0.0f);
            setLane(y, k, usable ? positions[k].y : 0.0f);
        }
        group.x = x - back_;
        group.y = y - back_;
        group.home_x = floored(group.x);
        group.home_y = floored(group.y);
        const CellRect &area = field_.area(), &map = field_.map();
        const Integers inside = (group.home_x >= area.x) & (group.home_x < area.x + area.width) & (group.home_y >= area.y) & (group.home_y < area.y + area.height);
        const Integers grid_x = group.home_x - map.x, grid_y = group.home_y - map.y;
        const Integers local = ((grid_y & (kChunkSize - 1)) << kChunkShift) | (grid_x & (kChunkSize - 1)), chunk_x = grid_x >> kChunkShift, chunk_y = grid_y >> kChunkShift;
        for (int k = 0; k < kCount; ++k) {
            const FlowTile* tile = lane(inside, k) != 0 && (group.usable >> k & 1) != 0 ? field_.tile({lane(chunk_x, k), lane(chunk_y, k)}) : nullptr;
            group.tiles[k] = tile;
            group.locals[k] = lane(local, k);
#if defined(__GNUC__)
            if (kCount == 1 || tile == nullptr) continue;
            const auto i = static_cast<std::size_t>(group.locals[k]);
            __builtin_prefetch(&tile->bytes[i]);
            if (tile->vectors != nullptr) __builtin_prefetch(&(*tile->vectors)[i]);
#endif
        }
    }

    /// @pre the field has an area
    template <int kCount>
    void read(const Group<kCount>& group, FlowSample* out) const {
        using Numbers = typename Lanes<kCount>::Numbers;
        using Integers = typename Lanes<kCount>::Integers;
        const Numbers x = group.x, y = group.y;
        const Integers home_x = group.home_x, home_y = group.home_y;
        const Numbers dx = x - number(home_x) - 0.5f, dy = y - number(home_y) - 0.5f;
        const Numbers wx = absolute(dx), wy = absolute(dy);
        const Integers sx = less(dx, Numbers{}) | 1, sy = less(dy, Numbers{}) | 1;

        // The cell, and the three beside it towards which the position lies.
        Floats cells[4][kCount];
        unsigned waiting = 0;  // lanes whose sample is a blend, or becomes the arrow of the cell instead
        Integers opens{}, same{};
        for (int k = 0; k < kCount; ++k) {
            const FlowTile* const tile = group.tiles[k];
            const int local = group.locals[k], at_x = lane(home_x, k), at_y = lane(home_y, k);
            const std::uint8_t byte = tile != nullptr ? tile->bytes[static_cast<std::size_t>(local)] : std::uint8_t{kFlowOutside};
            const bool open = (byte & kFlowOpen) != 0;
            if (!isFlowArrow(byte & kFlowCodeMask) || options_.smooth_radius > 0 || (slopes_limit_ && !isOpenAround(*tile, local, {at_x, at_y}, lane(sx, k), lane(sy, k)))) [[unlikely]] {
                cells[0][k] = cells[1][k] = cells[2][k] = cells[3][k] = all(0.0f);
                out[k] = (group.usable >> k & 1) != 0 ? alone({lane(x, k), lane(y, k), {at_x, at_y}}, tile, local) : FlowSample{};
                continue;
            }
            waiting |= 1u << k;
            setLane(opens, k, open ? -1 : 0);
            cells[0][k] = entryIn(*tile, local);
            const int to_x = lane(sx, k), to_y = lane(sy, k);
            if (static_cast<unsigned>((local & (kChunkSize - 1)) + to_x) < kChunkSize && static_cast<unsigned>((local >> kChunkShift) + to_y) < kChunkSize) {
                const int beside = local + to_y * kChunkSize;
                setLane(same, k, tile->vectors == nullptr ? -1 : 0);
                cells[1][k] = entryIn(*tile, local + to_x);
                cells[2][k] = entryIn(*tile, beside);
                cells[3][k] = entryIn(*tile, beside + to_x);
            } else {
                cells[1][k] = look({at_x + to_x, at_y});
                cells[2][k] = look({at_x, at_y + to_y});
                cells[3][k] = look({at_x + to_x, at_y + to_y});
            }
            if (cells[1][k][3] + cells[2][k][3] + cells[3][k][3] != 0.0f) [[unlikely]] {
                const Unit unit{lane(x, k), lane(y, k), {at_x, at_y}};
                headForGoal(cells[1][k], unit, to_x, 0);
                headForGoal(cells[2][k], unit, 0, to_y);
                headForGoal(cells[3][k], unit, to_x, to_y);
            }
        }
        if (waiting == 0) return;

        // Written without branches on what the cells are, which nobody can predict: cells without a way have no vector and weigh nothing.
        const Turned<kCount> here(cells[0]), at_x(cells[1]), at_y(cells[2]), at_xy(cells[3]);
        // Four equal arrows give themselves, to the bit.
        const Integers alike = same & opens & equal(here.x, at_x.x) & equal(here.y, at_x.y) & equal(here.x, at_y.x) & equal(here.y, at_y.y) &
                               equal(here.x, at_xy.x) & equal(here.y, at_xy.y);
        if constexpr (kCount == 1) {
            if (alike != 0) {
                out[0] = {{here.x, here.y}, FlowSampleState::Blended};
                return;
            }
        }
        const Numbers w = (1.0f - wx) * (1.0f - wy), w_x = wx * (1.0f - wy) * at_x.way, w_y = (1.0f - wx) * wy * at_y.way,
                      w_xy = wx * wy * (at_x.way * at_y.way * at_xy.way);
        const Numbers sum = w + w_x + w_y + w_xy;
        const Numbers bx = here.x * w + at_x.x * w_x + at_y.x * w_y + at_xy.x * w_xy;
        const Numbers by = here.y * w + at_x.y * w_x + at_y.y * w_y + at_xy.y * w_xy;
        const Numbers length = squareRoot(bx * bx + by * by);
        const Integers cancels = less(length, kLeastBlend * sum);
        const Numbers scale = 1.0f / select(cancels, Numbers{} + 1.0f, length);
        const Numbers blended_x = bx * scale, blended_y = by * scale;
        const Integers part = cancels | less(blended_x * here.x + blended_y * here.y, Numbers{} + kLeastCosine);
        const Integers own = part | alike;
        const Numbers out_x = select(own, here.x, blended_x), out_y = select(own, here.y, blended_y);
        const Integers ahead_x = floored(x + out_x * options_.step) - home_x, ahead_y = floored(y + out_y * options_.step) - home_y;
        for (int k = 0; k < kCount; ++k) {
            if ((waiting >> k & 1) == 0) continue;
            const Cell home{lane(home_x, k), lane(home_y, k)};
            if (lane(part, k) != 0 || (slopes_limit_ && lane(alike, k) == 0 && !entersWell({lane(x, k), lane(y, k), home}, *group.tiles[k], group.locals[k], {lane(out_x, k), lane(out_y, k)})) ||
                (lane(opens, k) == 0 && (!staysFree(*group.tiles[k], group.locals[k], home, lane(ahead_x, k), lane(ahead_y, k)) ||
                                         ((corners_ || group.tiles[k]->vectors != nullptr) && !leadsOn(*group.tiles[k], group.locals[k], home, {lane(out_x, k), lane(out_y, k)}))))) {
                out[k] = plain({lane(x, k), lane(y, k), home}, *group.tiles[k], group.locals[k]);
            } else {
                out[k] = {{lane(out_x, k), lane(out_y, k)}, FlowSampleState::Blended};
            }
        }
    }

private:
    /// What the cells of the lanes say, number by number instead of cell by cell.
    template <int kCount>
    struct Turned {
        typename Lanes<kCount>::Numbers x, y, way;
        explicit Turned(const Floats (&cells)[kCount]) {
            if constexpr (kCount == 1) {
                x = cells[0][0];
                y = cells[0][1];
                way = cells[0][2];
            } else {
                x = Floats{cells[0][0], cells[1][0], cells[2][0], cells[3][0]};
                y = Floats{cells[0][1], cells[1][1], cells[2][1], cells[3][1]};
                way = Floats{cells[0][2], cells[1][2], cells[2][2], cells[3][2]};
            }
        }
    };

    [[nodiscard]] static Floats entryIn(const FlowTile& tile, int local) {
        Floats entry;
        __builtin_memcpy(&entry, &kEntry[tile.bytes[static_cast<std::size_t>(local)]], sizeof entry);
        if (tile.vectors != nullptr) {
            const Vec2 v = (*tile.vectors)[static_cast<std::size_t>(local)];
            entry[0] = v.x;
            entry[1] = v.y;
        }
        return entry;
    }
    [[nodiscard]] Floats look(Cell c) const {
        const FlowTile* tile = field_.covers(c) ? field_.tile(field_.chunkOf(c)) : nullptr;
        return tile != nullptr ? entryIn(*tile, field_.localOf(c)) : all(0.0f);
    }
    [[nodiscard]] static Vec2 arrowIn(const FlowTile& tile, int local) {
        const Floats entry = entryIn(tile, local);
        return {entry[0], entry[1]};
    }

    /// A goal among the cells draws towards its centre.
    static void headForGoal(Floats& entry, const Unit& u, int dx, int dy) {
        if (entry[3] == 0.0f) return;
        const Vec2 v = unit(static_cast<float>(u.home.x + dx) + 0.5f - u.x, static_cast<float>(u.home.y + dy) + 0.5f - u.y);
        entry[0] = v.x;
        entry[1] = v.y;
    }

    /// A sample that is no blend of four.
    [[nodiscard, gnu::noinline]] FlowSample alone(const Unit& unit, const FlowTile* tile, int local) const {
        if (tile == nullptr) return recover(unit, field_.direction(unit.home));
        const std::uint8_t code = tile->code(local);
        if (code == kFlowGoal) return {{}, FlowSampleState::Goal};
        if (!isFlowArrow(code)) return recover(unit, code);
        return options_.smooth_radius > 0 ? smooth(unit, *tile, local) : plain(unit, *tile, local);
    }

    [[nodiscard]] bool way(std::int32_t x, std::int32_t y) const { return isFlowWay(field_.direction({x, y})); }

    /// Where heights count: a step may be legal one way only, and arrows may part from cell to cell. A field without distances does not know whether its ground is level.
    [[nodiscard]] bool slopesLimit() const {
        if (field_.hasDistances() && field_.snapshot().state().elevated_chunks == 0) return false;
        return field_.info().key.metric.profile.limitsSlope() || field_.info().key.metric.elevation_weight != 0;
    }

    /// Whether a motion that ends so many cells from home ends in one with a way and passes none without.
    [[nodiscard]] bool staysFree(const FlowTile& tile, int local, Cell home, int ahead_x, int ahead_y) const {
        const int x = local & (kChunkSize - 1), y = local >> kChunkShift, to_x = x + ahead_x, to_y = y + ahead_y;
        if (static_cast<unsigned>(to_x | to_y) < kChunkSize) {
            // Without branches again. A straight motion's three cells are two, one of them its own.
            const auto free = [&](int cx, int cy) { return static_cast<int>(isFlowWay(tile.code(localIndex(cx, cy)))); };
            return (free(to_x, to_y) & free(to_x, y) & free(x, to_y)) != 0;
        }
        return way(home.x + ahead_x, home.y + ahead_y) && way(home.x + ahead_x, home.y) && way(home.x, home.y + ahead_y);
    }

    /// Whether a blend may lead from a cell with a wall about it: it must not part from the cell's step (a vector may, between two ways that are equally long,
    /// and units would swing between both), nor may the step go between two walls that touch at a corner, which no blend leads through from beside its diagonal.
    [[nodiscard, gnu::noinline]] bool leadsOn(const FlowTile& tile, int local, Cell home, Vec2 blend) const {
        const int d = tile.code(local);
        if (blend.x * kStepVector[d].x + blend.y * kStepVector[d].y < 0.0f) return false;
        return !corners_ || !isDiagonal(d) || field_.direction({home.x + kStepX[d], home.y}) != kFlowWall || field_.direction({home.x, home.y + kStepY[d]}) != kFlowWall;
    }

    /// Whether from all four cells that are blended every step is legal and leads on: then the steps between them are legal both ways.
    [[nodiscard]] bool isOpenAround(const FlowTile& tile, int local, Cell home, int to_x, int to_y) const {
        int bits = tile.bytes[static_cast<std::size_t>(local)];
        if (static_cast<unsigned>((local & (kChunkSize - 1)) + to_x) < kChunkSize && static_cast<unsigned>((local >> kChunkShift) + to_y) < kChunkSize) {
            const int beside = local + to_y * kChunkSize;
            bits &= tile.bytes[static_cast<std::size_t>(local + to_x)] & tile.bytes[static_cast<std::size_t>(beside)] & tile.bytes[static_cast<std::size_t>(beside + to_x)];
        } else {
            bits &= field_.byteAt({home.x + to_x, home.y}) & field_.byteAt({home.x, home.y + to_y}) & field_.byteAt({home.x + to_x, home.y + to_y});
        }
        return (bits & kFlowOpen) != 0;
    }

    /// Whether a unit on its way to `target` may pass through a cell beside its diagonal step: not where that is a wall nor, under slope limits or where arrows part, unless the
    /// cell's own arrow leads to the target or to where the target's leads. So a passage never leads back: the distance of the cell that the unit's own
    /// leads to falls with each change of cells, or stays and the next step is a straight one.
    [[nodiscard]] bool mayPass(Cell beside, Cell target, bool parted) const {
        const std::uint8_t code = field_.direction(beside);
        if (!parted || code == kFlowGoal) return code != kFlowWall;
        if (!isFlowArrow(code)) return false;
        const Cell next{beside.x + kStepX[code], beside.y + kStepY[code]};
        const std::uint8_t then = field_.direction(target);
        return next == target || (isFlowArrow(then) && next == Cell{target.x + kStepX[then], target.y + kStepY[then]});
    }

    /// Whether the first cell that a blend comes to is the one that the cell's own arrow leads to, or leads there or to where that one's leads.
    [[nodiscard, gnu::noinline]] bool entersWell(const Unit& u, const FlowTile& tile, int local, Vec2 blend) const {
        const int d = tile.code(local), to_x = blend.x > 0.0f ? 1 : -1, to_y = blend.y > 0.0f ? 1 : -1;
        const Cell target{u.home.x + kStepX[d], u.home.y + kStepY[d]};
        const float edge_x = static_cast<float>(u.home.x + (to_x > 0)) - u.x, edge_y = static_cast<float>(u.home.y + (to_y > 0)) - u.y;
        const bool over_x = std::fabs(edge_x * blend.y) <= std::fabs(edge_y * blend.x);  // edge_x / blend.x <= edge_y / blend.y
        const Cell next = over_x ? Cell{u.home.x + to_x, u.home.y} : Cell{u.home.x, u.home.y + to_y};
        return next == target || mayPass(next, target, true);
    }

    /// Whether a vector leads across an edge to a cell whose own leads back: the two belong to ways that part there.
    [[nodiscard]] bool isSentBack(const Unit& u, Vec2 arrow) const {
        const Cell to{floored(u.x + arrow.x * options_.step), floored(u.y + arrow.y * options_.step)};
        if (to == u.home) return false;
        const Floats there = look(to);
        return there[0] * arrow.x + there[1] * arrow.y < 0.0f;
    }

    /// The cell's own arrow: with all steps legal and not sent back as it is, else towards the centre of the next cell. Where a diagonal step passes beside a cell that it must not
    /// touch, through the corner: straight at it (beyond the corner such a motion is in the next cell), from beside the edges of the cell by way of its middle.
    [[nodiscard, gnu::noinline]] FlowSample plain(const Unit& u, const FlowTile& tile, int local) const {
        bool parted = slopes_limit_;  // whether a cell beside a diagonal step may lead back
        if (!slopes_limit_ && (tile.bytes[static_cast<std::size_t>(local)] & kFlowOpen) != 0) {
            const Vec2 arrow = arrowIn(tile, local);
            if (!isSentBack(u, arrow)) return {arrow, FlowSampleState::Plain};
            parted = true;
        }
        const int d = tile.code(local);
        const Cell target{u.home.x + kStepX[d], u.home.y + kStepY[d]};
        const auto towards = [&](float x, float y) {
            const Vec2 v = unit(x - u.x, y - u.y);
            return v == Vec2{} ? kStepVector[d] : v;
        };
        const Vec2 straight = towards(static_cast<float>(target.x) + 0.5f, static_cast<float>(target.y) + 0.5f);
        if (!isDiagonal(d) || (!parted && field_.info().key.metric.profile.diagonal == DiagonalRule::Strict)) return {straight, FlowSampleState::Plain};
        const Cell beside_x{target.x, u.home.y}, beside_y{u.home.x, target.y};
        const bool pass_x = mayPass(beside_x, target, parted), pass_y = mayPass(beside_y, target, parted);
        const float corner_x = static_cast<float>(u.home.x + (kStepX[d] > 0)), corner_y = static_cast<float>(u.home.y + (kStepY[d] > 0));
        const float to_x = std::fabs(corner_x - u.x), to_y = std::fabs(corner_y - u.y);
        const auto staysOn = [&](Vec2 v) {
            const Cell c{floored(u.x + v.x * options_.step), floored(u.y + v.y * options_.step)};
            return c == u.home || c == target || (pass_x && c == beside_x) || (pass_y && c == beside_y);
        };
        // The way to the centre crosses first the edge that is nearer.
        if ((to_x < to_y ? pass_x : to_y < to_x ? pass_y : pass_x && pass_y) && staysOn(straight)) return {straight, FlowSampleState::Plain};
        const float far = std::max(to_x, to_y), near = std::min(to_x, to_y);
        const Vec2 corner = towards(corner_x, corner_y);
        const bool pinched = !parted && !pass_x && !pass_y;
        const float rounding = std::min(kAtCorner, 0.1f * options_.step);
        // Whether steps straight through the corner from so far end on it.
        const auto endsOnCorner = [&](float away, float margin) {
            const float steps = std::round(away / options_.step);
            return steps > 0.5f && std::fabs(away - steps * options_.step) < margin;
        };
        const float away = std::sqrt(far * far + near * near);
        if (near >= kSlant * far && staysOn(corner) && !(pinched && std::fabs(away - options_.step) < rounding)) return {corner, FlowSampleState::Plain};
        if (16.0f * far < options_.step && staysOn(kStepVector[d])) return {kStepVector[d], FlowSampleState::Plain};
        if (pinched) {
            // Beside an edge or where the step would end on the corner: to where the corner's diagonal is one step away, then the next steps go along it.
            const float off = 0.5f * (far - near) * (far - near), middle = 0.5f * (far + near), reach = options_.step * options_.step - off;
            if (reach < 0.0f) return {towards(corner_x - middle * static_cast<float>(kStepX[d]), corner_y - middle * static_cast<float>(kStepY[d])), FlowSampleState::Plain};
            const float along = std::sqrt(0.5f * reach);
            for (const float t : {middle - along, middle + along}) {
                if (t < kLeastAlong || t > 1.0f - kLeastAlong) continue;
                if (endsOnCorner(t * kSqrt2, 2.0f * rounding)) continue;
                const Vec2 v = towards(corner_x - t * static_cast<float>(kStepX[d]), corner_y - t * static_cast<float>(kStepY[d]));
                if (staysOn(v)) return {v, FlowSampleState::Plain};
            }
            if (near < kSlant * far && staysOn(corner) && std::fabs(away - options_.step) >= rounding) return {corner, FlowSampleState::Plain};
            // Neither: anywhere in the cell from where the way through the corner does not end on it.
            for (int k = 0; k < 32; ++k) {
                const float angle = static_cast<float>(k) * 0.19634954f;
                const Vec2 v{std::cos(angle), std::sin(angle)};
                const float x = u.x + v.x * options_.step, y = u.y + v.y * options_.step, end_x = std::fabs(corner_x - x), end_y = std::fabs(corner_y - y);
                if (floored(x) != u.home.x || floored(y) != u.home.y || std::min(end_x, end_y) < kSlant * std::max(end_x, end_y)) continue;
                if (!endsOnCorner(std::sqrt(end_x * end_x + end_y * end_y), 2.0f * rounding)) return {v, FlowSampleState::Plain};
            }
        }
        // Beside an edge: first to the line between the centres, where that lies ahead; else back to beside the centre, so that a unit which would come to lie
        // on the corner itself comes again at another distance from it.
        const Vec2 ahead = towards(corner_x - 0.5f * far * static_cast<float>(kStepX[d]), corner_y - 0.5f * far * static_cast<float>(kStepY[d]));
        if (near < kSlant * far && staysOn(ahead)) return {ahead, FlowSampleState::Plain};
        const float centre_x = static_cast<float>(u.home.x) + 0.5f, centre_y = static_cast<float>(u.home.y) + 0.5f;
        const Vec2 back = towards(centre_x, centre_y + 0.25f * static_cast<float>(kStepY[d]));
        if (staysOn(back)) return {back, FlowSampleState::Plain};
        return {staysOn(corner) ? corner : towards(centre_x, centre_y), FlowSampleState::Plain};
    }

    [[nodiscard, gnu::noinline]] FlowSample smooth(const Unit& u, const FlowTile& tile, int local) const {
        const Vec2 own = arrowIn(tile, local);
        constexpr int kMost = FlowSampleOptions::kMaxSmoothRadius;
        const int r = std::min(options_.smooth_radius, kMost);
        float bx = 0.0f, by = 0.0f;
        std::array<Vec2, (2 * kMost + 1) * (2 * kMost + 1)> arrows;
        int count = 0;
        for (int y = u.home.y - r; y <= u.home.y + r; ++y) {
            for (int x = u.home.x - r; x <= u.home.x + r; ++x) {
                const std::uint8_t byte = field_.byteAt({x, y});
                if ((byte & kFlowOpen) == 0 || !isFlowArrow(byte & kFlowCodeMask)) return plain(u, tile, local);
                const Floats entry = look({x, y});
                bx += entry[0];
                by += entry[1];
                arrows[count++] = {entry[0], entry[1]};
            }
        }
        const float length = std::sqrt(bx * bx + by * by);
        if (length < kLeastBlend * static_cast<float>(count) || (bx * own.x + by * own.y) < kLeastCosine * length) return plain(u, tile, local);
        // An arrow that leads the other way would bring the unit back once it came there.
        if (std::any_of(arrows.begin(), arrows.begin() + count, [&](Vec2 v) { return v.x * bx + v.y * by < 0.0f; })) return plain(u, tile, local);
        return {{bx / length, by / length}, FlowSampleState::Blended};
    }

    /// Towards the far end of the portal that leads on; nowhere from where none does.
    [[nodiscard, gnu::noinline]] FlowSample coarse(const Unit& u) const {
        const CoarseFlow* known = field_.coarse();
        const int local = field_.localOf(u.home);
        if (known != nullptr && known->isCutOff(u.home.x - field_.map().x, u.home.y - field_.map().y)) return {{}, FlowSampleState::Unreachable};
        const auto way = known != nullptr ? known->wayFrom(field_.chunkOf(u.home), local) : std::nullopt;
        if (!way) return {{}, FlowSampleState::Pending};
        const int dx = (way->cell & (kChunkSize - 1)) - (local & (kChunkSize - 1)) + kStepX[way->direction];
        const int dy = (way->cell >> kChunkShift) - (local >> kChunkShift) + kStepY[way->direction];
        const Vec2 v = unit(static_cast<float>(u.home.x + dx) + 0.5f - u.x, static_cast<float>(u.home.y + dy) + 0.5f - u.y);
        return {v == Vec2{} ? kStepVector[way->direction] : v, FlowSampleState::Coarse};
    }

    /// Back to the nearest cell with a way; of equals the northernmost, then the westernmost.
    [[nodiscard, gnu::noinline]] FlowSample recover(const Unit& u, std::uint8_t code) const {
        if (code == kFlowUnreachable) return {{}, FlowSampleState::Unreachable};
        if (code == kFlowPending) return coarse(u);
        const CellRect& area = field_.area();
        const Cell from{std::clamp(u.home.x, area.x, area.x + area.width - 1), std::clamp(u.home.y, area.y, area.y + area.height - 1)};
        const int reach = std::clamp(options_.search_radius, 0, 64);
        bool found = false;
        Cell nearest;
        double best = 0.0;
        const FlowTile* tile = field_.covers(from) ? field_.tile(field_.chunkOf(from)) : nullptr;
        const int local = field_.localOf(from), corner_x = from.x - (local & (kChunkSize - 1)), corner_y = from.y - (local >> kChunkShift);
        const auto leads = [&](int x, int y) {
            const int lx = x - corner_x, ly = y - corner_y;
            return tile != nullptr && static_cast<unsigned>(lx | ly) < kChunkSize ? isFlowWay(tile->code(localIndex(lx, ly))) : way(x, y);
        };
        const auto take = [&](int x, int y) {
            const double dx = static_cast<double>(x) + 0.5 - static_cast<double>(u.x), dy = static_cast<double>(y) + 0.5 - static_cast<double>(u.y);
            const double d = dx * dx + dy * dy;
            if (found && (d > best || (d == best && (y > nearest.y || (y == nearest.y && x > nearest.x))))) return;
            if (!leads(x, y)) return;
            found = true;
            best = d;
            nearest = {x, y};
        };
        const double away_x = static_cast<double>(from.x) - u.home.x, away_y = static_cast<double>(from.y) - u.home.y;
        const double away = std::sqrt(away_x * away_x + away_y * away_y);
        for (int r = 0; r <= reach; ++r) {
            // A cell of this ring is at least r - 1 from `from`'s cell, measured along the edge of the area where the unit is beyond it.
            if (found && away == 0.0 && static_cast<double>(r - 1) * static_cast<double>(r - 1) > best) break;
            for (int x = from.x - r; x <= from.x + r; ++x) {
                take(x, from.y - r);
                if (r > 0) take(x, from.y + r);
            }
            for (int y = from.y - r + 1; y < from.y + r; ++y) {
                take(from.x - r, y);
                take(from.x + r, y);
            }
            if (found && away != 0.0) break;
        }
        if (!found) return {{}, FlowSampleState::Lost};
        return {unit(static_cast<float>(static_cast<double>(nearest.x) + 0.5 - static_cast<double>(u.x)),
                     static_cast<float>(static_cast<double>(nearest.y) + 0.5 - static_cast<double>(u.y))),
                FlowSampleState::Returning};
    }

    const FlowField& field_;
    const FlowSampleOptions& options_;
    float back_;
    bool slopes_limit_;
    bool corners_;  ///< Whether steps between two walls that touch are legal.
};

void sampleOne(const Sampler& sampler, Position position, FlowSample& out) {
    Sampler::Group<1> group;
    sampler.place<1>(&position, group);
    sampler.read<1>(group, &out);
}

}  // namespace

FlowSample sampleFlow(const FlowField& field, Position position, const FlowSampleOptions& options) {
    FlowSample sample;
    if (!field.area().empty()) sampleOne(Sampler(field, options), position, sample);
    return sample;
}

void sampleFlow(const FlowField& field, std::span<const Position> positions, std::span<FlowSample> out, const FlowSampleOptions& options) {
    WARPATH_ASSERT(positions.size() == out.size(), "one sample for each position");
    if (field.area().empty()) {
        std::fill(out.begin(), out.end(), FlowSample{});
        return;
    }
    const Sampler sampler(field, options);
    // Units stand anywhere: groups are found on the field some turns before they are read, so that memory has time.
    constexpr std::size_t kAhead = 3, kRing = kAhead + 1;
    Sampler::Group<4> ring[kRing];
    const std::size_t groups = positions.size() / 4;
    for (std::size_t i = 0; i < groups + kAhead; ++i) {
        if (i < groups) sampler.place<4>(&positions[4 * i], ring[i % kRing]);
        if (i >= kAhead) sampler.read<4>(ring[(i - kAhead) % kRing], &out[4 * (i - kAhead)]);
    }
    for (std::size_t i = 4 * groups; i < positions.size(); ++i) sampleOne(sampler, positions[i], out[i]);
}

}  // namespace warpath
