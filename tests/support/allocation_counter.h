// Counts what a test binary allocates: binaries that call this have their operator new replaced.
//
//   const std::uint64_t before = allocationCount();
//   query.findPath(snapshot, request, path);
//   EXPECT_EQ(allocationCount() - before, 0u);
#pragma once

#include <cstdint>

namespace warpath {

/// Calls of operator new since the program began, by all threads.
[[nodiscard]] std::uint64_t allocationCount();
/// Bytes that they asked for in all; what has been freed since still counts.
[[nodiscard]] std::uint64_t allocatedBytes();

}  // namespace warpath
