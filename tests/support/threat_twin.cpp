#include "support/threat_twin.h"

#include <algorithm>
#include <cmath>

#include "warpath/tactical/gaussian_kernel.h"
#include "warpath/tactical/sight.h"

namespace warpath::twin {

std::vector<int> threatOf(const WorldSnapshot& s, std::span<const ThreatSource> sources, const ThreatConfig& config) {
    const int res = config.resolution;
    const int width = (s.width() + res - 1) / res, height = (s.height() + res - 1) / res;
    const double hidden = config.line_of_sight ? static_cast<double>(config.hidden_factor) : 1.0;
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(width * height), 0);
    for (const ThreatSource& source : sources) {
        const Cell at = cellAt(source.position);
        const double range = static_cast<double>(source.range);
        for (int ty = 0; ty < height; ++ty) {
            for (int tx = 0; tx < width; ++tx) {
                const double dx = s.origin().x + (tx + 0.5) * res - (at.x + 0.5), dy = s.origin().y + (ty + 0.5) * res - (at.y + 0.5);
                const double distance = std::sqrt(dx * dx + dy * dy);
                if (distance >= range) continue;
                const double value = 65536.0 * static_cast<double>(source.firepower) * (1.0 - distance / range);
                std::uint64_t sum = static_cast<std::uint64_t>(std::floor(value * hidden + 0.5));
                const auto unit = static_cast<std::uint64_t>(std::floor(value * (1.0 - hidden) / (res * res) + 0.5));
                for (int k = 0; k < res * res; ++k) {
                    const Cell metre{s.origin().x + tx * res + k % res, s.origin().y + ty * res + k / res};
                    if (!config.line_of_sight || lineOfSight(s, at, metre, {config.eye_height, config.eye_height})) sum += unit;
                }
                sums[static_cast<std::size_t>(ty * width + tx)] += sum;
            }
        }
    }
    std::vector<int> now(sums.size()), next(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) now[i] = static_cast<int>(std::min<std::uint64_t>((sums[i] + 32) / 64, 16 * 1024));
    const GaussianKernel kernel(config.blur_radius);
    const int radius = config.blur_radius;
    for (int pass = 0; pass < 2; ++pass) {  // along y, then along x
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                const int place = pass == 0 ? y : x, size = pass == 0 ? height : width;
                const std::int16_t* weights = kernel.weights(place, size - 1 - place);
                std::int64_t sum = 0;
                for (int k = -radius; k <= radius; ++k) {
                    if (place + k < 0 || place + k >= size) continue;
                    const int i = pass == 0 ? (y + k) * width + x : y * width + x + k;
                    sum += static_cast<std::int64_t>(weights[radius + k]) * now[static_cast<std::size_t>(i)];
                }
                next[static_cast<std::size_t>(y * width + x)] = static_cast<int>((sum + 512) / 1024);
            }
        }
        now.swap(next);
    }
    return now;
}

}  // namespace warpath::twin
