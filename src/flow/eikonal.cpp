// Fast marching on four neighbours at once: when a cell is taken, the updates of its east, south, west and north neighbour are the four lanes of one
// vector, so one square root serves all. Distances are kept relative to the smaller neighbour, since in floats the plain quadratic loses 60 cells on a
// map of 2048 to cancellation.
#include "flow/eikonal.h"

#include <algorithm>
#include <array>
#include <bit>

#include "flow/four_lanes.h"
#include "flow/line_cells.h"

namespace warpath::flow {
namespace {

constexpr float kSqrt2 = 1.41421356f;
/// Bucket numbers stay below this; a distance beyond it (none within the limits of the cost model) shares the last bucket.
constexpr float kMostBuckets = 2.0e9f;

/// A taken value, or infinity.
inline Floats taken(Floats v) { return reinterpret_cast<Ints>(v) < 0 ? all(kInfinity) : v; }

/// The cells of a disc of radius 8, nearest first.
struct Offset {
    std::int8_t x, y;
    std::int16_t squared;
};
constexpr int kLargestDisc = 8;
const std::vector<Offset>& discOffsets() {
    static const std::vector<Offset> offsets = [] {
        std::vector<Offset> made;
        for (int y = -kLargestDisc; y <= kLargestDisc; ++y) {
            for (int x = -kLargestDisc; x <= kLargestDisc; ++x) {
                if (x * x + y * y <= kLargestDisc * kLargestDisc) made.push_back({static_cast<std::int8_t>(x), static_cast<std::int8_t>(y), static_cast<std::int16_t>(x * x + y * y)});
            }
        }
        std::stable_sort(made.begin(), made.end(), [](const Offset& a, const Offset& b) { return a.squared < b.squared; });
        return made;
    }();
    return offsets;
}

/// A share of the grain of `base`, from minus a half to a half, chosen by the cell that a value is for. Added to what is added to `base`, it makes the sum be rounded up
/// or down as often as it should. Rounding to nearest would swallow for good how the steps along an axis shorten once the grain of floats exceeds it (beyond
/// 1000 m: vectors were 1.7 degrees off at 2048). @param cell whose neighbours to the east, south, west and north the lanes are.
inline Floats roundingOf(Floats base, std::uint32_t cell, std::int32_t stride) {
    constexpr std::uint32_t kGolden = 2654435769u;
    const std::uint32_t here = cell * kGolden, down = static_cast<std::uint32_t>(stride) * kGolden;
    const Ints hash{static_cast<std::int32_t>(here + kGolden), static_cast<std::int32_t>(here + down), static_cast<std::int32_t>(here - kGolden), static_cast<std::int32_t>(here - down)};
    const Floats grain = reinterpret_cast<Floats>(reinterpret_cast<Ints>(base) & 0x7f800000) * 0x1p-23f;
    return __builtin_convertvector(hash, Floats) * 0x1p-32f * grain;
}

/// What the four neighbours of a taken cell could have, and which of them (bit k: lane k) would be better off.
struct Offers {
    Floats value;
    unsigned better;
};

/// @param d_all all values. @param a that of the cell.
template <int kOrder>
inline __attribute__((always_inline)) Offers offersOf(const EikonalGrid& grid, const float* d_all, std::uint32_t cell, float a) {
    const float* const d = d_all + cell;
    const std::uint16_t* const around = grid.f.data() + cell;
    const std::ptrdiff_t s = grid.stride;
    const Floats self{d[1], d[s], d[-1], d[-s]};
    const Floats far{d[2], d[2 * s], d[-2], d[-2 * s]};
    const Floats right{d[s + 1], d[s - 1], d[-s - 1], d[-s + 1]};  // of each lane, seen from the cell; the left ones are the same four
    const Ints hundredths{around[1], around[s], around[-1], around[-s]};
    const Floats f = __builtin_convertvector(hundredths, Floats) * 0.01f;
    const Floats old = absolute(self), here = all(a);
    Floats value;
    Ints better;
    if constexpr (kOrder == 1) {
        // (D - lo)^2 + (D - hi)^2 = f^2 with waiting neighbours as they stand: what becomes of them comes back.
        const Floats along = smaller(here, absolute(far));
        const Floats across = smaller(absolute(right), absolute(turned(right)));
        const Floats lo = smaller(along, across), hi = along < across ? across : along;
        const Floats t = hi - lo;
        const Floats both = 0.5f * (t + squareRoot((f + f) * f - t * t));
        value = lo + (t < f ? both : f);
        const Floats least = above(lo);
        value = value > least ? value : least;
        better = (value < old) & (hundredths > 0);
    } else {
        // ax (D - x)^2 + ay (D - y)^2 = f^2 over taken neighbours. An axis whose second cell is taken and no higher is one-sided of second order:
        // a = 9/4, and the base is the neighbour plus a third of its rise.
        const Floats far3{d[3], d[3 * s], d[-3], d[-3 * s]};
        const Floats right2{d[2 * s + 1], d[s - 2], d[-2 * s - 1], d[-s + 2]};
        const Floats left2{d[-2 * s + 1], d[s + 2], d[2 * s - 1], d[-s - 2]};
        const Floats beyond = taken(far);
        const Floats along = smaller(here, beyond);
        const Floats along2 = taken(beyond < here ? far3 : opposite(self));
        const Floats r = taken(right), l = taken(turned(right));
        const Floats across = smaller(r, l);
        const Floats across2 = taken(l < r ? left2 : right2);
        const Ints along_second = along2 <= along, across_second = (across2 <= across) & (across < kInfinity);
        const Floats third = all(1.0f / 3.0f), two_thirds = all(2.0f / 3.0f), one = all(1.0f), second = all(2.25f);
        const Floats base_along = along_second ? along + (along - along2) * third : along;
        const Floats base_across = across_second ? across + (across - across2) * third : across;
        const Ints swap = base_across < base_along;
        const Ints x_second = swap ? across_second : along_second, y_second = swap ? along_second : across_second;
        const Floats x = swap ? base_across : base_along, y = swap ? base_along : base_across;
        const Floats ax = x_second ? second : one, ay = y_second ? second : one;
        const Floats t = y - x;
        const Floats alone = (x_second ? two_thirds : one) * f;
        const Floats sum = ax + ay;
        const Floats inside = sum * (f * f) - ax * ay * (t * t);
        const Floats both = (ay * t + squareRoot(inside)) / sum;
        const Ints crossing = (t < alone) & (inside >= 0.0f);
        value = x + ((crossing ? both : alone) + roundingOf(x, cell, grid.stride));
        const Floats least = above(smaller(along, across));
        value = value > least ? value : least;
        better = (value < old) & (hundredths > 0) & (reinterpret_cast<Ints>(self) < 0);
    }
    return {value, laneMask(better)};
}

}  // namespace

inline std::uint32_t EikonalSolver::bucketOf(float distance) const { return static_cast<std::uint32_t>(std::min(distance * per_bucket_, kMostBuckets)); }

void EikonalSolver::solve(const EikonalGrid& grid, std::span<const std::uint32_t> goals, const EikonalOptions& options) {
    d_.resize(grid.f.size());
    std::fill(d_.begin(), d_.end(), -kInfinity);
    seeds_.clear();
    if (goals.empty()) return;
    std::uint16_t least = UINT16_MAX, most = 0;
    for (const std::uint16_t f : grid.f) {
        least = std::min(least, static_cast<std::uint16_t>(f - 1));  // a wall becomes the largest
        most = std::max(most, f);
    }
    ++least;
    placeSeeds(grid, goals, options);
    const int per_smallest = options.order == 1 ? 1 : 8;
    per_bucket_ = static_cast<float>(100 * per_smallest) / static_cast<float>(least);
    // A cell lies at most one step above what it is reached from, seeds as far as they are exact.
    float highest = 0.0f;
    for (const Seed& seed : seeds_) highest = std::max(highest, d_[seed.cell]);
    queue_.reset(static_cast<std::uint32_t>((highest + static_cast<float>(2 * most) * 0.01f) * per_bucket_) + 4);
    if (options.order == 1) {
        march<1>(grid, options.through_corners);
    } else {
        march<2>(grid, options.through_corners);
    }
}

void EikonalSolver::placeSeeds(const EikonalGrid& grid, std::span<const std::uint32_t> goals, const EikonalOptions& options) {
    const std::int32_t stride = grid.stride;
    for (const std::uint32_t goal : goals) {
        if (d_[goal] == 0.0f) continue;
        d_[goal] = 0.0f;
        seeds_.push_back({goal, 0, 0});
    }
    // Goals inside an area need no disc: all their neighbours are goals or walls.
    const std::int32_t beside[8] = {1, stride + 1, stride, stride - 1, -1, -stride - 1, -stride, -stride + 1};
    const auto onRim = [&](std::uint32_t goal) {
        return std::any_of(std::begin(beside), std::end(beside), [&](std::int32_t step) {
            const std::uint32_t cell = goal + static_cast<std::uint32_t>(step);
            return grid.free(cell) && d_[cell] != 0.0f;
        });
    };
    std::vector<std::uint32_t> centres;
    for (std::size_t i = 0; i < seeds_.size() && centres.size() <= kMostDiscs; ++i) {
        if (onRim(seeds_[i].cell)) centres.push_back(seeds_[i].cell);
    }
    if (centres.size() > kMostDiscs || options.disc_radius == 0) return;

    const std::vector<Offset>& offsets = discOffsets();
    const int radius = std::min(options.disc_radius, kLargestDisc);
    for (const std::uint32_t goal : centres) {
        const int gx = grid.xOf(goal), gy = grid.yOf(goal);
        const auto at = [&](int x, int y) -> std::uint32_t {
            const bool inside = gx + x >= 0 && gy + y >= 0 && gx + x < grid.width && gy + y < grid.height;
            return inside ? grid.index(gx + x, gy + y) : 0;  // 0: a wall of the rim
        };
        const std::uint16_t f = grid.f[goal];
        int reach = radius * radius + 1;  // of squares, the first that is too far
        for (const Offset& o : offsets) {
            if (o.squared >= reach) break;
            const std::uint16_t there = grid.f[at(o.x, o.y)];
            if (there != 0 && there != f) reach = o.squared;
        }
        std::array<bool, (2 * kLargestDisc + 1) * (2 * kLargestDisc + 1)> seen{};
        const auto seenAt = [&](int x, int y) -> bool& { return seen[static_cast<std::size_t>((y + kLargestDisc) * (2 * kLargestDisc + 1) + x + kLargestDisc)]; };
        seenAt(0, 0) = true;
        for (const Offset& o : offsets) {
            if (o.squared >= reach) break;
            const std::uint32_t cell = at(o.x, o.y);
            if (o.squared == 0 || !grid.free(cell)) continue;
            // Seen over free ground, and one step from a cell that is seen and nearer: then walking downhill cannot end here.
            const bool linked = (o.x != 0 && seenAt(o.x < 0 ? o.x + 1 : o.x - 1, o.y)) || (o.y != 0 && seenAt(o.x, o.y < 0 ? o.y + 1 : o.y - 1));
            if (!linked || !alongLine(o.x, o.y, [&](int x, int y) { return grid.free(at(x, y)); })) continue;
            seenAt(o.x, o.y) = true;
            const float distance = std::sqrt(static_cast<float>(o.squared)) * (static_cast<float>(f) * 0.01f);
            float& known = d_[cell];
            if (!std::signbit(known) && known <= distance) continue;  // an earlier goal is as near
            known = distance;
            seeds_.push_back({cell, static_cast<std::int8_t>(-o.x), static_cast<std::int8_t>(-o.y)});
        }
    }
    // Of a cell that several goals reach, the nearest stays; by distance, then cell, so that downhill is also forward in the list.
    const auto exact = [&](const Seed& seed) {
        const float length = std::sqrt(static_cast<float>(seed.dx * seed.dx + seed.dy * seed.dy)) * (static_cast<float>(grid.f[seed.cell]) * 0.01f);
        return length == d_[seed.cell];
    };
    std::erase_if(seeds_, [&](const Seed& seed) { return !exact(seed); });
}

void EikonalSolver::relaxCorners(const EikonalGrid& grid, std::uint32_t cell, float a, bool frozen) {
    const std::int32_t stride = grid.stride;
    const std::int32_t sides[4] = {1, stride, -1, -stride};
    for (int k = 0; k < 4; ++k) {
        const std::int32_t first = sides[k], second = sides[(k + 1) & 3];
        const std::uint32_t to = cell + static_cast<std::uint32_t>(first + second);
        if (grid.f[to] == 0 || grid.f[cell + static_cast<std::uint32_t>(first)] != 0 || grid.f[cell + static_cast<std::uint32_t>(second)] != 0) continue;
        if (frozen && !std::signbit(d_[to])) continue;
        const float candidate = a + kSqrt2 * (static_cast<float>(grid.f[to]) * 0.01f);
        if (!(candidate < std::fabs(d_[to])) || !(candidate > a)) continue;
        d_[to] = -candidate;
        queue_.push(std::max(bucketOf(candidate), queue_.current()), to);
    }
}

template <int kOrder>
inline __attribute__((always_inline)) void EikonalSolver::take(std::uint32_t cell, std::ptrdiff_t stride, const float* values, unsigned better) {
    float* const d = d_.data() + cell;
    const std::ptrdiff_t sides[4] = {1, stride, -1, -stride};
    for (; better != 0; better &= better - 1) {
        const int k = std::countr_zero(better);
        const float now = values[k], known = d[sides[k]];
        // Another cell of the batch may have offered less meanwhile, or (in second order) taken it.
        if (!(now < std::fabs(known)) || (kOrder == 2 && !std::signbit(known))) continue;
        const std::uint32_t bucket = bucketOf(now);
        // A waiting cell that stays in its bucket has its entry already. (An infinite one is in none: its bucket is out of reach.)
        const bool has_entry = known < 0.0f && bucketOf(-known) == bucket;
        d[sides[k]] = -now;
        if (!has_entry) queue_.push(std::max(bucket, queue_.current()), cell + static_cast<std::uint32_t>(sides[k]));
    }
}

template <int kOrder>
void EikonalSolver::march(const EikonalGrid& grid, bool through_corners) {
    const std::ptrdiff_t s = grid.stride;
    float* const d = d_.data();
    const std::uint16_t* const f = grid.f.data();
    for (const Seed& seed : seeds_) {
        const float a = std::fabs(d[seed.cell]);  // in first order, between two goals, a seed may improve: then it waits
        const Offers offers = offersOf<kOrder>(grid, d, seed.cell, a);
        take<kOrder>(seed.cell, s, reinterpret_cast<const float*>(&offers.value), offers.better);
        if (through_corners) relaxCorners(grid, seed.cell, a, kOrder == 2);
    }
    const auto fetch = [&](std::uint32_t ahead) {
        __builtin_prefetch(d + ahead);
        __builtin_prefetch(d + ahead + 2 * s);
        __builtin_prefetch(d + ahead - (ahead < 2 * static_cast<std::uint32_t>(s) ? 0 : 2 * s));
        __builtin_prefetch(f + ahead + s);
        __builtin_prefetch(f + ahead);
    };
    // Whether a lane improves cannot be predicted, and a wrong guess throws away what hangs on a square root. So the offers of a batch are all computed before the
    // first is looked at. Cells that touch on a side are not of one batch: what one offers the other counts in second order.
    const auto visit = [&](const std::uint32_t* entries, std::size_t count) {
        std::uint32_t cells[MarchQueue::kBatch];
        Offers offers[MarchQueue::kBatch];
        std::size_t waiting = 0;
        for (std::size_t i = 0; i < count; ++i) {
            float& value = d[entries[i]];
            cells[waiting] = entries[i];
            waiting += std::signbit(value) ? 1 : 0;
            value = std::fabs(value);
        }
        for (std::size_t i = 0; i < waiting; ++i) offers[i] = offersOf<kOrder>(grid, d, cells[i], d[cells[i]]);
        for (std::size_t i = 0; i < waiting; ++i) {
            take<kOrder>(cells[i], s, reinterpret_cast<const float*>(&offers[i].value), offers[i].better);
            if (through_corners) relaxCorners(grid, cells[i], std::fabs(d[cells[i]]), kOrder == 2);
        }
    };
    queue_.drain(kOrder == 2 ? static_cast<std::uint32_t>(s) : 0, fetch, visit);
}

}  // namespace warpath::flow
