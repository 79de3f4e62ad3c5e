// Broken preconditions inside the library.
//
//   WARPATH_ASSERT(index < size, "chunk index inside the map");
#pragma once

namespace warpath {

/// Called with the failed condition and its place. The default prints to stderr and aborts.
using AssertHandler = void (*)(const char* condition, const char* message, const char* file, int line);

/// Replaces the handler and returns the one before. Call it before other threads use the library.
AssertHandler setAssertHandler(AssertHandler handler);

/// Calls the current handler. Used by WARPATH_ASSERT only.
void assertionFailed(const char* condition, const char* message, const char* file, int line);

}  // namespace warpath

/// Checked in every build: the library's hot loops hold none.
#define WARPATH_ASSERT(condition, message) \
    (static_cast<bool>(condition) ? void(0) : ::warpath::assertionFailed(#condition, message, __FILE__, __LINE__))
