#include "support/eikonal_twin.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace warpath::twin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Solves a (D - p)^2 + b (D - q)^2 = f^2 for the larger root; the one-sided answer where that one does not lie above both.
double solve(double p, double a, double q, double b, double f) {
    if (q < p) {
        std::swap(p, q);
        std::swap(a, b);
    }
    const double alone = p + f / std::sqrt(a);
    if (alone <= q) return alone;
    const double linear = a * p + b * q, square = a * p * p + b * q * q - f * f, inside = linear * linear - (a + b) * square;
    return inside < 0.0 ? alone : (linear + std::sqrt(inside)) / (a + b);
}

}  // namespace

std::vector<double> marchSlowly(const EikonalField& field, int order) {
    const int width = field.width, height = field.height;
    const auto index = [&](int x, int y) { return static_cast<std::size_t>(y * width + x); };
    std::vector<double> value = field.start;
    std::vector<bool> taken(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) taken[i] = value[i] < kInfinity;
    const auto takenAt = [&](int x, int y) { return x >= 0 && y >= 0 && x < width && y < height && taken[index(x, y)] ? value[index(x, y)] : kInfinity; };
    const auto axis = [&](int x, int y, int dx, int dy) {
        double base = takenAt(x - dx, y - dy);
        int side = -1;
        if (takenAt(x + dx, y + dy) < base) {
            base = takenAt(x + dx, y + dy);
            side = 1;
        }
        const double second = takenAt(x + 2 * side * dx, y + 2 * side * dy);
        if (order == 2 && base < kInfinity && second <= base) return std::pair{(4.0 * base - second) / 3.0, 2.25};
        return std::pair{base, 1.0};
    };
    std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>, std::greater<>> open;
    const auto offer = [&](int x, int y) {
        if (x < 0 || y < 0 || x >= width || y >= height || taken[index(x, y)] || field.f[index(x, y)] == 0.0) return;
        const auto [p, a] = axis(x, y, 1, 0);
        const auto [q, b] = axis(x, y, 0, 1);
        const double found = solve(p, a, q, b, field.f[index(x, y)]);
        if (found >= value[index(x, y)]) return;
        value[index(x, y)] = found;
        open.push({found, index(x, y)});
    };
    const auto offerAround = [&](std::size_t i) {
        const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
        offer(x + 1, y);
        offer(x, y + 1);
        offer(x - 1, y);
        offer(x, y - 1);
    };
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (taken[i]) offerAround(i);
    }
    while (!open.empty()) {
        const auto [distance, i] = open.top();
        open.pop();
        if (taken[i] || distance != value[i]) continue;
        taken[i] = true;
        offerAround(i);
    }
    return value;
}

}  // namespace warpath::twin
