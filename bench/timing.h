// What the benchmarks measure with: processor time of the thread, so that a busy machine does not count, and shares of many measurements.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

namespace warpath::bench {

/// Processor time that this thread has used [us].
inline double threadMicroseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}
inline double threadMs() { return threadMicroseconds() * 1e-3; }

/// Processor time that some work takes [us].
template <class Work>
double microseconds(Work&& work) {
    const double begin = threadMicroseconds();
    work();
    return threadMicroseconds() - begin;
}
template <class Work>
double milliseconds(Work&& work) {
    return microseconds(work) * 1e-3;
}

/// The value that a share of the values does not exceed (nearest rank); 0 of none.
inline double percentile(std::vector<double> values, double share) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[rank == 0 ? 0 : rank - 1];
}

inline double mean(const std::vector<double>& values) {
    return values.empty() ? 0.0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Measurements of one thing [ms].
struct Times {
    std::vector<double> ms;
    template <class Work>
    void measure(Work&& work) {
        ms.push_back(milliseconds(work));
    }
    [[nodiscard]] double at(double share) const { return percentile(ms, share); }
    [[nodiscard]] double sum() const { return std::accumulate(ms.begin(), ms.end(), 0.0); }
};

/// An answer was wrong: no time counts.
[[noreturn]] inline void fail(const std::string& why) {
    std::printf("FAILED: %s\n", why.c_str());
    std::exit(1);
}

}  // namespace warpath::bench
