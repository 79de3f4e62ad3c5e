#include "warpath/tactical/sight.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "tactical/sight_view.h"
#include "warpath/core/assert.h"

namespace warpath {
namespace {

int toCentimetres(float metres) { return static_cast<int>(std::floor(metres * 100.0f + 0.5f)); }

sight::HeightsCm inCentimetres(const SightHeights& heights) {
    WARPATH_ASSERT(heights.eye >= 0.0f && heights.eye <= 100.0f && heights.target >= 0.0f && heights.target <= 100.0f, "heights within 0..100 m");
    return {toCentimetres(heights.eye), toCentimetres(heights.target)};
}

}  // namespace

struct SightScratch::Data {
    sight::ViewScratch view;
    sight::BitWindow seen;
};

SightScratch::SightScratch() : data_(std::make_unique<Data>()) {}
SightScratch::~SightScratch() = default;
SightScratch::SightScratch(SightScratch&&) noexcept = default;
SightScratch& SightScratch::operator=(SightScratch&&) noexcept = default;

std::span<const std::uint64_t> FieldOfView::row(int dy) const {
    static constexpr std::array<std::uint64_t, (2 * kMaxViewRadius + 1 + 63) / 64> kNothing{};
    const int y = dy + radius_;
    const std::uint64_t* begin = y < first_ || y >= end_ ? kNothing.data() : bits_.data() + static_cast<std::size_t>((y - first_) * words_);
    return {begin, static_cast<std::size_t>(words_)};
}

int FieldOfView::count() const {
    int total = 0;
    for (const std::uint64_t word : bits_) total += std::popcount(word);
    return total;
}

bool lineOfSight(const WorldSnapshot& snapshot, Cell from, Cell to, const SightHeights& heights) {
    const Cell origin = snapshot.origin();
    return sight::line(snapshot, from.x - origin.x, from.y - origin.y, to.x - origin.x, to.y - origin.y, inCentimetres(heights));
}

void linesOfSight(const WorldSnapshot& snapshot, Cell from, std::span<const Cell> targets, const SightHeights& heights,
                  std::vector<std::uint8_t>& visible) {
    visible.resize(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i) visible[i] = lineOfSight(snapshot, from, targets[i], heights) ? 1 : 0;
}

void fieldOfView(const WorldSnapshot& snapshot, Cell observer, int radius, const SightHeights& heights, SightScratch& scratch, FieldOfView& out) {
    WARPATH_ASSERT(radius >= 0 && radius <= kMaxViewRadius, "a radius within 0..kMaxViewRadius");
    SightScratch::Data& data = scratch.data();
    const int x = observer.x - snapshot.origin().x, y = observer.y - snapshot.origin().y;
    sight::view(snapshot, x, y, radius, inCentimetres(heights), data.view, data.seen);
    out.centre_ = observer;
    out.radius_ = radius;
    out.words_ = (2 * radius + 1 + 63) / 64;
    out.first_ = std::clamp(radius - y, 0, 2 * radius + 1);
    out.end_ = std::clamp(snapshot.height() - y + radius, out.first_, 2 * radius + 1);
    out.bits_.assign(static_cast<std::size_t>(out.words_) * static_cast<std::size_t>(out.end_ - out.first_), 0);
    int half = 0;  // half width of the disc in this row; rows from north to south
    for (int dy = -radius; dy <= radius; ++dy) {
        while (half < radius && (half + 1) * (half + 1) + dy * dy <= radius * radius) ++half;
        while (half > 0 && half * half + dy * dy > radius * radius) --half;
        if (y + dy < 0 || y + dy >= snapshot.height()) continue;
        const int first = std::max(-half, -x), last = std::min(half, snapshot.width() - 1 - x);
        std::uint64_t* row = out.bits_.data() + static_cast<std::size_t>((dy + radius - out.first_) * out.words_);
        const std::uint64_t* seen = data.seen.row(dy);
        for (int w = 0; w < out.words_; ++w) {  // the window's rows begin one cell further west
            const std::uint64_t above = w + 1 < data.seen.words ? seen[w + 1] : 0;
            std::uint64_t word = (seen[w] >> 1) | (above << 63);
            const int begin = first + radius - w * 64, end = last + radius - w * 64;  // clip to [begin, end]
            if (end < 0 || begin > 63) word = 0;
            if (begin > 0 && begin <= 63) word &= ~std::uint64_t{0} << begin;
            if (end >= 0 && end < 63) word &= ~(~std::uint64_t{0} << (end + 1));
            row[w] = word;
        }
    }
}

}  // namespace warpath
