// The blur of threat maps in exact integers.
//
//   GaussianKernel kernel(8);
//   blurGrid(kernel, threat.data(), width, height, smooth.data());
#pragma once

#include <cstdint>
#include <vector>

namespace warpath {

/// Largest radius of a blur [threat cells].
inline constexpr int kMaxBlurRadius = 16;

/// Weights exp(-k^2 / (2 radius^2)) for k = -radius..radius in whole 1024ths that sum to 1024, and the same renormalised where a border cuts some off.
/// Values up to 2^14 times these weights stay within 2^24, so sums are exact in 32 bits, in any order.
class GaussianKernel {
public:
    static constexpr int kOne = 1024;

    /// @pre 0 <= radius <= kMaxBlurRadius. Radius 0 changes nothing.
    explicit GaussianKernel(int radius);

    [[nodiscard]] int radius() const { return radius_; }
    /// 2 radius + 1 weights for a cell with `before` cells on one side of it and `after` on the other; more than the radius counts as the radius.
    /// Weights of what the border cuts off are 0.
    [[nodiscard]] const std::int16_t* weights(int before, int after) const {
        const int a = before < radius_ ? before : radius_, b = after < radius_ ? after : radius_;
        return weights_.data() + static_cast<std::size_t>((a * (radius_ + 1) + b) * (2 * radius_ + 1));
    }

private:
    int radius_;
    std::vector<std::int16_t> weights_;
};

/// Blurs a dense grid: along columns, rounded to whole numbers, then along rows, rounded (halves up). Values above 2^14 count as 2^14.
/// Cost: about 1 ns per cell at radius 8. Allocates its buffers.
void blurGrid(const GaussianKernel& kernel, const std::uint16_t* in, int width, int height, std::uint16_t* out);

}  // namespace warpath
