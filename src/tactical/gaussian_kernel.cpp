#include "warpath/tactical/gaussian_kernel.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "tactical/threat_kernels.h"
#include "warpath/core/assert.h"

namespace warpath {
namespace {

/// exp(-x) for 0 <= x <= 1/2 by its series: additions, multiplications and divisions only, so equal on every machine.
double decay(double x) {
    double term = 1.0, sum = 1.0;
    for (int i = 1; i <= 20; ++i) {
        term = term * -x / static_cast<double>(i);
        sum = sum + term;
    }
    return sum;
}

/// Whole weights that sum to kOne for the taps -before..after of `shape` (centre at shape[radius]).
void quantise(const std::vector<double>& shape, int radius, int before, int after, std::int16_t* out) {
    double total = 0.0;
    for (int k = -before; k <= after; ++k) total += shape[static_cast<std::size_t>(radius + k)];
    std::fill(out, out + 2 * radius + 1, std::int16_t{0});
    int rest = GaussianKernel::kOne;
    for (int k = -before; k <= after; ++k) {
        if (k == 0) continue;
        const int weight = static_cast<int>(std::floor(shape[static_cast<std::size_t>(radius + k)] / total * GaussianKernel::kOne + 0.5));
        out[radius + k] = static_cast<std::int16_t>(weight);
        rest -= weight;
    }
    out[radius] = static_cast<std::int16_t>(rest);  // the centre takes what rounding leaves, so equal distances keep equal weights
}

}  // namespace

GaussianKernel::GaussianKernel(int radius) : radius_(radius) {
    WARPATH_ASSERT(radius >= 0 && radius <= kMaxBlurRadius, "a blur radius within its limits");
    const auto taps = static_cast<std::size_t>(2 * radius + 1), borders = static_cast<std::size_t>(radius + 1);
    weights_.resize(taps * borders * borders);
    std::vector<double> shape(taps);
    for (int k = -radius; k <= radius; ++k) {
        shape[static_cast<std::size_t>(radius + k)] =
            radius == 0 ? 1.0 : decay(static_cast<double>(k * k) / static_cast<double>(2 * radius * radius));
    }
    for (int before = 0; before <= radius; ++before) {
        for (int after = 0; after <= radius; ++after) {
            quantise(shape, radius, before, after, weights_.data() + static_cast<std::size_t>(before * (radius + 1) + after) * taps);
        }
    }
}

void blurGrid(const GaussianKernel& kernel, const std::uint16_t* in, int width, int height, std::uint16_t* out) {
    const int radius = kernel.radius();
    auto piece = std::make_unique<threat::BlurPiece>();
    piece->radius = radius;
    piece->inner = kernel.weights(radius, radius);
    piece->at_border = true;
    for (int top = 0; top < height; top += threat::kMaxPiece) {
        piece->height = std::min(threat::kMaxPiece, height - top);
        for (int i = 0; i < piece->height; ++i) piece->row_weights[i] = kernel.weights(top + i, height - 1 - top - i);
        for (int left = 0; left < width; left += threat::kMaxPiece) {
            piece->width = std::min(threat::kMaxPiece, width - left);
            for (int i = 0; i < piece->width; ++i) piece->column_weights[i] = kernel.weights(left + i, width - 1 - left - i);
            const int first = std::max(left - radius, 0), last = std::min(left + piece->width + radius, width);
            for (int i = 0; i < piece->height + 2 * radius; ++i) {
                std::int16_t* row = piece->in + i * threat::kPaddedStride;
                const int y = top - radius + i;
                const int begin = first - (left - radius), end = last - (left - radius);
                if (y < 0 || y >= height) {
                    std::fill(row, row + piece->width + 2 * radius, std::int16_t{0});
                    continue;
                }
                std::fill(row, row + begin, std::int16_t{0});
                const std::uint16_t* from = in + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + first;
                threat::kernels().capped(from, end - begin, row + begin);
                std::fill(row + end, row + piece->width + 2 * radius, std::int16_t{0});
            }
            threat::kernels().blur(*piece, out + static_cast<std::size_t>(top) * static_cast<std::size_t>(width) + left, width);
        }
    }
}

}  // namespace warpath
