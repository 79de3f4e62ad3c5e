#include "warpath/tactical/gaussian_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "tactical/threat_kernels.h"
#include "warpath/core/rng.h"

namespace warpath {
namespace {

TEST(GaussianKernel, WeightsSumToOneAndFollowTheBellCurve) {
    for (int radius = 0; radius <= kMaxBlurRadius; ++radius) {
        const GaussianKernel kernel(radius);
        for (int before = 0; before <= radius; ++before) {
            for (int after = 0; after <= radius; ++after) {
                const std::int16_t* w = kernel.weights(before, after);
                double total = 0.0, shape = 0.0;
                for (int k = -radius; k <= radius; ++k) {
                    total += static_cast<double>(w[radius + k]);
                    if (k < -before || k > after) {
                        EXPECT_EQ(w[radius + k], 0);
                    } else {
                        shape += radius == 0 ? 1.0 : std::exp(-0.5 * k * k / (radius * radius));
                    }
                }
                EXPECT_EQ(total, 1024.0);
                for (int k = -before; k <= after; ++k) {
                    const double expected = (radius == 0 ? 1.0 : std::exp(-0.5 * k * k / (radius * radius))) / shape * 1024.0;
                    EXPECT_NEAR(static_cast<double>(w[radius + k]), expected, k == 0 ? 0.5 * (before + after) + 0.5 : 0.5001);
                }
            }
        }
        for (int k = 1; k <= radius; ++k) EXPECT_EQ(kernel.weights(99, 99)[radius - k], kernel.weights(99, 99)[radius + k]);
    }
}

TEST(Blur, AConstantStaysAsItIs) {
    const std::vector<std::uint16_t> flat(70 * 90, 1234);
    std::vector<std::uint16_t> out(flat.size());
    blurGrid(GaussianKernel(8), flat.data(), 70, 90, out.data());
    EXPECT_EQ(out, flat);
}

TEST(Blur, EqualsTheSumByDefinition) {
    Rng rng(5);
    for (const auto& shape : {std::array{1, 1, 3}, {150, 131, 8}, {64, 200, 2}, {7, 300, 16}, {65, 63, 0}, {130, 20, 13}}) {
        const int width = shape[0], height = shape[1], radius = shape[2];
        std::vector<std::uint16_t> in(static_cast<std::size_t>(width * height)), mid(in.size()), expected(in.size()), out(in.size());
        for (std::uint16_t& v : in) v = static_cast<std::uint16_t>(rng.percent(10) ? rng.below(40000) : rng.below(3000));
        const GaussianKernel kernel(radius);
        const auto pass = [&](const std::vector<std::uint16_t>& from, std::vector<std::uint16_t>& to, bool columns) {
            for (int y = 0; y < height; ++y) {
                for (int x = 0; x < width; ++x) {
                    const int place = columns ? y : x, size = columns ? height : width;
                    std::int64_t sum = 512;
                    for (int k = -radius; k <= radius; ++k) {
                        if (place + k < 0 || place + k >= size) continue;
                        const int i = columns ? (y + k) * width + x : y * width + x + k;
                        sum += static_cast<int>(kernel.weights(place, size - 1 - place)[radius + k]) * std::min<int>(from[static_cast<std::size_t>(i)], 16384);
                    }
                    to[static_cast<std::size_t>(y * width + x)] = static_cast<std::uint16_t>(sum / 1024);
                }
            }
        };
        pass(in, mid, true);
        pass(mid, expected, false);
        blurGrid(kernel, in.data(), width, height, out.data());
        EXPECT_EQ(out, expected) << width << 'x' << height << " radius " << radius;
    }
}

TEST(Blur, EveryInstructionSetGivesTheSameBits) {
    auto piece = std::make_unique<threat::BlurPiece>();
    const GaussianKernel kernel(5);
    piece->radius = 5;
    piece->width = 37;
    piece->height = 23;
    piece->inner = kernel.weights(5, 5);
    piece->at_border = true;
    for (int i = 0; i < piece->height; ++i) piece->row_weights[i] = kernel.weights(i, 40);
    for (int i = 0; i < piece->width; ++i) piece->column_weights[i] = kernel.weights(40, piece->width - 1 - i);
    Rng rng(3);
    for (std::int16_t& v : piece->in) v = static_cast<std::int16_t>(rng.below(16385));
    std::vector<std::uint16_t> first;
    std::vector<std::int16_t> first_converted;
    for (int variant = 0; const threat::Kernels* k = threat::kernelVariant(variant); ++variant) {
        std::vector<std::uint16_t> out(64 * 23, 7);
        k->blur(*piece, out.data(), 64);
        std::vector<std::uint32_t> sums(160), more(160);
        Rng numbers(9);
        for (std::uint32_t& v : sums) v = static_cast<std::uint32_t>(numbers.next()) >> 9;
        for (std::uint32_t& v : more) v = static_cast<std::uint32_t>(numbers.next()) >> 9;
        const threat::Stretch stretches[] = {{sums.data(), more.data(), 10}, {sums.data() + 3, more.data() + 7, 9}};
        k->add(stretches, 2);
        k->subtract(stretches + 1, 1);
        k->accumulate(sums.data() + 5, more.data(), 103);
        std::vector<std::int16_t> converted(151);
        k->convert(sums.data(), 151, converted.data());
        if (variant == 0) {
            first = out;
            first_converted = converted;
        }
        EXPECT_EQ(out, first) << variant;
        EXPECT_EQ(converted, first_converted) << variant;
    }
}

}  // namespace
}  // namespace warpath
