#include "warpath/tactical/congestion_map.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "warpath/core/number_text.h"
#include "warpath/world/limits.h"
#include "warpath/world/position_errors.h"

namespace warpath {
namespace {

constexpr int kGrain = 16;                              // positions and lengths are counted in 16ths of a metre
constexpr std::uint64_t kPi = 804;                      // pi x 65536 / kGrain^2, rounded
constexpr std::uint32_t kFull = std::uint32_t{1} << 31;  // a density at which sums stop growing
constexpr std::int64_t kMaxHundredths = 6400;

std::int64_t rounded(float value, float scale) { return static_cast<std::int64_t>(std::floor(value * scale + 0.5f)); }

std::optional<Error> checkRange(const char* field, float value, float high) {
    if (value >= 0.0f && value <= high) return std::nullopt;
    return Error{field, numberText(value), "use a number within 0.." + numberText(high)};
}

/// Whether the mean or the maximum of a block of 8 x 8 cells differs by `step` or more.
bool differs(const std::array<std::uint16_t, kChunkCells>& a, const std::array<std::uint16_t, kChunkCells>& b, int step) {
    for (int block = 0; block < 64; ++block) {
        const int corner = localIndex((block & 7) * 8, (block >> 3) * 8);
        int sum_a = 0, sum_b = 0, most_a = 0, most_b = 0;
        for (int y = 0; y < 8; ++y) {
            for (int x = 0; x < 8; ++x) {
                const auto i = static_cast<std::size_t>(corner + y * kChunkSize + x);
                sum_a += a[i];
                sum_b += b[i];
                most_a = std::max<int>(most_a, a[i]);
                most_b = std::max<int>(most_b, b[i]);
            }
        }
        if (std::abs(sum_a - sum_b) >= 64 * step || std::abs(most_a - most_b) >= step) return true;
    }
    return false;
}

}  // namespace

std::optional<Error> CongestionConfig::validate() const {
    if (auto error = checkRange("weight", weight, kMaxCongestion)) return error;
    if (auto error = checkRange("free_density", free_density, 4.0f)) return error;
    if (auto error = checkRange("spread", spread, 8.0f)) return error;
    return checkRange("least_change", least_change, kMaxCongestion);
}

std::optional<Error> CongestionMap::update(std::span<const CrowdUnit> units) {
    if (units.size() > kMaxCrowd) return Error{"units", std::to_string(units.size()) + " entries", "use at most " + std::to_string(kMaxCrowd)};
    for (std::size_t i = 0; i < units.size(); ++i) {
        const auto field = [i](const char* name) { return "units[" + std::to_string(i) + "]." + name; };
        if (!isUsable(units[i].position)) return unusablePosition(field("position"), units[i].position);
        if (!(units[i].radius >= 0.1f && units[i].radius <= 8.0f)) return Error{field("radius"), numberText(units[i].radius), "use metres within 0.1..8"};
    }
    units_.assign(units.begin(), units.end());
    return std::nullopt;
}

void CongestionMap::spread(const WorldSnapshot& now, const CrowdUnit& unit) {
    const Cell origin = now.origin(), home = cellAt(unit.position);
    if (!now.contains(home)) return;
    // Within its cell first: far from zero a float has no 16ths to spare.
    const int x16 = static_cast<int>(std::floor((unit.position.x - static_cast<float>(home.x)) * kGrain));
    const int y16 = static_cast<int>(std::floor((unit.position.y - static_cast<float>(home.y)) * kGrain));
    const std::int64_t radius = rounded(unit.radius, kGrain), reach = radius + rounded(config_.spread, kGrain), cells = reach / kGrain + 1;
    const int side = static_cast<int>(2 * cells + 1);
    weights_.assign(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), 0);
    std::uint64_t sum = 0;
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            const std::int64_t dx = (x - cells) * kGrain + kGrain / 2 - x16, dy = (y - cells) * kGrain + kGrain / 2 - y16;
            const std::int64_t weight = std::max<std::int64_t>(reach * reach - dx * dx - dy * dy, 0);
            weights_[static_cast<std::size_t>(y * side + x)] = static_cast<std::uint32_t>(weight);
            sum += static_cast<std::uint64_t>(weight);
        }
    }
    if (sum == 0) {  // smaller than the distance to any centre
        weights_[static_cast<std::size_t>(cells * side + cells)] = 1;
        sum = 1;
    }
    const std::uint64_t area = static_cast<std::uint64_t>(radius * radius) * kPi;
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            const std::uint64_t weight = weights_[static_cast<std::size_t>(y * side + x)];
            const Cell c{home.x + x - static_cast<int>(cells), home.y + y - static_cast<int>(cells)};
            if (weight == 0 || !now.contains(c)) continue;
            const int gx = c.x - origin.x, gy = c.y - origin.y;
            const auto chunk = static_cast<std::uint32_t>((gy >> kChunkShift) * now.chunkColumns() + (gx >> kChunkShift));
            std::int32_t& slot = slots_[chunk];
            if (slot < 0) {
                slot = static_cast<std::int32_t>(touched_.size());
                touched_.push_back(chunk);
                density_.resize(touched_.size() * kChunkCells, 0);
            }
            std::uint32_t& density = density_[static_cast<std::size_t>(slot) * kChunkCells + static_cast<std::size_t>(localIndex(gx, gy))];
            density = std::min(density + static_cast<std::uint32_t>(area * weight / sum), kFull);
        }
    }
}

std::size_t CongestionMap::publish(const WorldSnapshot& now, WorldEdit& edit) {
    const std::int64_t weight = rounded(config_.weight, 100.0f), free_density = rounded(config_.free_density, 65'536.0f);
    const int step = std::max(static_cast<int>(rounded(config_.least_change, 100.0f)), 1);
    slots_.assign(static_cast<std::size_t>(now.chunkColumns()) * static_cast<std::size_t>(now.chunkRows()), -1);
    touched_.clear();
    density_.clear();
    if (weight > 0) {
        for (const CrowdUnit& unit : units_) spread(now, unit);
    }
    std::size_t written = 0;
    const bool congested = now.state().congested_chunks != 0;
    for (std::uint32_t chunk = 0; (congested || !touched_.empty()) && chunk < slots_.size(); ++chunk) {
        const ChunkCoord at{static_cast<int>(chunk) % now.chunkColumns(), static_cast<int>(chunk) / now.chunkColumns()};
        const CongestionChunk* before = congested ? now.congestion(at) : nullptr;
        if (slots_[chunk] < 0 && before == nullptr) continue;
        CongestionChunk record;
        bool any = false;
        if (slots_[chunk] >= 0) {
            const std::uint32_t* density = density_.data() + static_cast<std::size_t>(slots_[chunk]) * kChunkCells;
            for (std::size_t i = 0; i < kChunkCells; ++i) {
                const std::int64_t beyond = static_cast<std::int64_t>(density[i]) - free_density;
                record.value[i] = static_cast<std::uint16_t>(std::min(beyond > 0 ? weight * beyond >> 16 : std::int64_t{0}, kMaxHundredths));
                any = any || record.value[i] != 0;
            }
        }
        if (!any && before == nullptr) continue;
        static constexpr std::array<std::uint16_t, kChunkCells> kNone{};
        if (any && !differs(record.value, before != nullptr ? before->value : kNone, step)) continue;
        edit.setCongestion(at, any ? std::make_shared<CongestionChunk>(record) : nullptr);
        ++written;
    }
    return written;
}

std::size_t CongestionMap::memoryBytes() const {
    return sizeof(*this) + units_.capacity() * sizeof(CrowdUnit) + slots_.capacity() * sizeof(std::int32_t) +
           (touched_.capacity() + density_.capacity() + weights_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace warpath
