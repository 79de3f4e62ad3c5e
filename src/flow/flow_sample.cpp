#include "warpath/flow/flow_sample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "warpath/core/assert.h"

namespace warpath {
namespace {

/// By code; zero for all but arrows.
constexpr std::array<Vec2, 16> kArrow = [] {
    std::array<Vec2, 16> arrows{};
    std::copy(std::begin(kStepVector), std::end(kStepVector), arrows.begin());
    return arrows;
}();
constexpr float kLeastBlend = 0.3f;  // shorter blends come from arrows that part: then one of them is right and their mean is not
constexpr float kLeastCosine = 0.5f;

Vec2 unit(float x, float y) {
    const float length = std::sqrt(x * x + y * y);
    return length > 0.0f ? Vec2{x / length, y / length} : Vec2{};
}

/// One cell as the sampler sees it.
struct Seen {
    std::uint8_t byte = kFlowOutside;
    Vec2 vector;  ///< Of arrows.
    [[nodiscard]] std::uint8_t code() const { return byte & kFlowCodeMask; }
};

class Sampler {
public:
    Sampler(const FlowField& field, Position p, const FlowSampleOptions& options)
        : field_(field), options_(options), x_(p.x - 0.5f * static_cast<float>(field.unitSize() - 1)), y_(p.y - 0.5f * static_cast<float>(field.unitSize() - 1)),
          home_(cellAt({x_, y_})) {}

    FlowSample run() {
        const FlowTile* tile = field_.covers(home_) ? field_.tile(field_.chunkOf(home_)) : nullptr;
        if (tile == nullptr) return recover(field_.direction(home_));
        const int local = field_.localOf(home_);
        const Seen here = seenIn(*tile, local);
        const std::uint8_t code = here.code();
        if (code == kFlowGoal) return {{}, FlowSampleState::Goal};
        if (!isFlowArrow(code)) return recover(code);
        const bool open = (here.byte & kFlowOpen) != 0;
        if (options_.smooth_radius > 0) return smooth(here, open);
        if (!open && slopesLimit()) return plain(here, open);

        // The three cells beside, towards which the position lies.
        const float dx = x_ - static_cast<float>(home_.x) - 0.5f, dy = y_ - static_cast<float>(home_.y) - 0.5f;
        const float wx = std::abs(dx), wy = std::abs(dy);
        const int sx = dx < 0.0f ? -1 : 1, sy = dy < 0.0f ? -1 : 1;
        const Cell cx{home_.x + sx, home_.y}, cy{home_.x, home_.y + sy}, cxy{home_.x + sx, home_.y + sy};
        Seen seen_x, seen_y, seen_xy;
        if (static_cast<unsigned>((local & (kChunkSize - 1)) + sx) < kChunkSize && static_cast<unsigned>((local >> kChunkShift) + sy) < kChunkSize) {
            const int ix = local + sx, iy = local + sy * kChunkSize;
            if (tile->vectors == nullptr && open && tile->code(ix) == code && tile->code(iy) == code && tile->code(iy + sx) == code) {
                return {here.vector, FlowSampleState::Blended};  // four equal arrows
            }
            seen_x = seenIn(*tile, ix);
            seen_y = seenIn(*tile, iy);
            seen_xy = seenIn(*tile, iy + sx);
        } else {
            seen_x = look(cx);
            seen_y = look(cy);
            seen_xy = look(cxy);
        }
        // Written without branches on what the cells are, which nobody can predict: cells without a way have no vector and weigh nothing.
        const bool way_x = isFlowWay(seen_x.code()), way_y = isFlowWay(seen_y.code());
        const int way_xy = static_cast<int>(way_x) & static_cast<int>(way_y) & static_cast<int>(isFlowWay(seen_xy.code()));
        if (static_cast<int>(seen_x.code() == kFlowGoal) + static_cast<int>(seen_y.code() == kFlowGoal) + static_cast<int>(seen_xy.code() == kFlowGoal) != 0)
            [[unlikely]] {
            headForGoal(seen_x, cx);
            headForGoal(seen_y, cy);
            headForGoal(seen_xy, cxy);
        }
        const float w = (1.0f - wx) * (1.0f - wy), w_x = wx * (1.0f - wy) * static_cast<float>(way_x), w_y = (1.0f - wx) * wy * static_cast<float>(way_y),
                    w_xy = wx * wy * static_cast<float>(way_xy);
        const float sum = w + w_x + w_y + w_xy;
        const float bx = here.vector.x * w + seen_x.vector.x * w_x + seen_y.vector.x * w_y + seen_xy.vector.x * w_xy;
        const float by = here.vector.y * w + seen_x.vector.y * w_x + seen_y.vector.y * w_y + seen_xy.vector.y * w_xy;
        const float length = std::sqrt(bx * bx + by * by);
        if (length < kLeastBlend * sum) return plain(here, open);
        const float scale = 1.0f / length;
        const Vec2 blended{bx * scale, by * scale};
        if (blended.x * here.vector.x + blended.y * here.vector.y < kLeastCosine) return plain(here, open);
        if (!open && !staysFree(blended)) return plain(here, open);
        return {blended, FlowSampleState::Blended};
    }

private:
    [[nodiscard]] static Seen seenIn(const FlowTile& tile, int local) {
        const std::uint8_t byte = tile.bytes[static_cast<std::size_t>(local)];
        Seen seen{byte, kArrow[byte & kFlowCodeMask]};
        if (tile.vectors != nullptr) seen.vector = (*tile.vectors)[static_cast<std::size_t>(local)];
        return seen;
    }
    [[nodiscard]] Seen look(Cell c) const {
        if (!field_.covers(c)) return {};
        const FlowTile* tile = field_.tile(field_.chunkOf(c));
        return tile != nullptr ? seenIn(*tile, field_.localOf(c)) : Seen{kFlowPending, {}};
    }

    [[gnu::noinline]] void headForGoal(Seen& seen, Cell c) const {
        if (seen.code() == kFlowGoal) seen.vector = unit(static_cast<float>(c.x) + 0.5f - x_, static_cast<float>(c.y) + 0.5f - y_);
    }

    [[nodiscard]] bool way(std::int32_t x, std::int32_t y) const { return isFlowWay(field_.direction({x, y})); }

    [[nodiscard]] bool slopesLimit() const {
        const MobilityProfile& p = field_.info().key.metric.profile;
        return p.max_rise[0] != MobilityProfile::kNoLimit || p.max_drop[0] != MobilityProfile::kNoLimit;
    }

    /// Whether a motion of the step's length ends in a cell with a way and passes none without.
    [[nodiscard]] bool staysFree(Vec2 v) const {
        const Cell to{floorToInt(x_ + v.x * options_.step), floorToInt(y_ + v.y * options_.step)};
        if (to == home_) return true;
        if (!way(to.x, to.y)) return false;
        return to.x == home_.x || to.y == home_.y || (way(to.x, home_.y) && way(home_.x, to.y));
    }

    /// The cell's own arrow: with all steps legal as it is, else towards the centre of the next cell, or through the corner where a diagonal step
    /// passes beside a wall (rules other than strict).
    [[nodiscard, gnu::noinline]] FlowSample plain(const Seen& here, bool open) const {
        if (open) return {here.vector, FlowSampleState::Plain};
        const int d = here.code();
        float tx = static_cast<float>(home_.x + kStepX[d]) + 0.5f, ty = static_cast<float>(home_.y + kStepY[d]) + 0.5f;
        const DiagonalRule rule = field_.info().key.metric.profile.diagonal;
        if (isDiagonal(d) && rule != DiagonalRule::Strict &&
            (field_.direction({home_.x + kStepX[d], home_.y}) == kFlowWall || field_.direction({home_.x, home_.y + kStepY[d]}) == kFlowWall)) {
            tx = static_cast<float>(home_.x) + (kStepX[d] > 0 ? 1.0f : 0.0f);
            ty = static_cast<float>(home_.y) + (kStepY[d] > 0 ? 1.0f : 0.0f);
        }
        const Vec2 v = unit(tx - x_, ty - y_);
        return {v == Vec2{} ? kArrow[d] : v, FlowSampleState::Plain};
    }

    [[nodiscard, gnu::noinline]] FlowSample smooth(const Seen& here, bool open) const {
        const int r = std::min(options_.smooth_radius, 8);
        float bx = 0.0f, by = 0.0f;
        for (int y = home_.y - r; y <= home_.y + r; ++y) {
            for (int x = home_.x - r; x <= home_.x + r; ++x) {
                const Seen seen = look({x, y});
                if ((seen.byte & kFlowOpen) == 0 || !isFlowArrow(seen.code())) return plain(here, open);
                bx += seen.vector.x;
                by += seen.vector.y;
            }
        }
        const float length = std::sqrt(bx * bx + by * by);
        const auto count = static_cast<float>((2 * r + 1) * (2 * r + 1));
        if (length < kLeastBlend * count || (bx * here.vector.x + by * here.vector.y) < kLeastCosine * length) return plain(here, open);
        return {{bx / length, by / length}, FlowSampleState::Blended};
    }

    /// Back to the nearest cell with a way; of equals the northernmost, then the westernmost.
    [[nodiscard, gnu::noinline]] FlowSample recover(std::uint8_t code) const {
        if (code == kFlowUnreachable) return {{}, FlowSampleState::Unreachable};
        if (code == kFlowPending) return {{}, FlowSampleState::Pending};
        const CellRect& area = field_.area();
        const Cell from{std::clamp(home_.x, area.x, area.x + area.width - 1), std::clamp(home_.y, area.y, area.y + area.height - 1)};
        const int reach = std::clamp(options_.search_radius, 0, 64);
        bool found = false;
        Cell nearest;
        double best = 0.0;
        const auto take = [&](int x, int y) {
            if (!way(x, y)) return;
            const double dx = static_cast<double>(x) + 0.5 - static_cast<double>(x_), dy = static_cast<double>(y) + 0.5 - static_cast<double>(y_);
            const double d = dx * dx + dy * dy;
            if (found && (d > best || (d == best && (y > nearest.y || (y == nearest.y && x > nearest.x))))) return;
            found = true;
            best = d;
            nearest = {x, y};
        };
        const double away_x = static_cast<double>(from.x) - home_.x, away_y = static_cast<double>(from.y) - home_.y;
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
        return {unit(static_cast<float>(static_cast<double>(nearest.x) + 0.5 - static_cast<double>(x_)),
                     static_cast<float>(static_cast<double>(nearest.y) + 0.5 - static_cast<double>(y_))),
                FlowSampleState::Returning};
    }

    const FlowField& field_;
    const FlowSampleOptions& options_;
    float x_, y_;  ///< As a unit of one cell would stand.
    Cell home_;
};

}  // namespace

FlowSample sampleFlow(const FlowField& field, Position position, const FlowSampleOptions& options) {
    if (!isUsable(position) || field.area().empty()) return {};
    return Sampler(field, position, options).run();
}

void sampleFlow(const FlowField& field, std::span<const Position> positions, std::span<FlowSample> out, const FlowSampleOptions& options) {
    WARPATH_ASSERT(positions.size() == out.size(), "one sample for each position");
    // Units stand anywhere: what the next ones will read is fetched while this one is read.
    constexpr std::size_t kAhead = 12;
    const float back = 0.5f * static_cast<float>(field.unitSize() - 1);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        if (i + kAhead < positions.size()) {
            const Position p = positions[i + kAhead];
            const Cell c = isUsable(p) ? cellAt({p.x - back, p.y - back}) : Cell{};
            const FlowTile* tile = field.covers(c) ? field.tile(field.chunkOf(c)) : nullptr;
#if defined(__GNUC__)
            if (tile != nullptr) __builtin_prefetch(&tile->bytes[static_cast<std::size_t>(field.localOf(c))]);
#endif
        }
        out[i] = sampleFlow(field, positions[i], options);
    }
}

}  // namespace warpath
