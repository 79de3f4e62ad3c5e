#include "warpath/core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace warpath {
namespace {

void printAndAbort(const char* condition, const char* message, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: warpath assertion failed: %s (%s)\n", file, line, condition, message);
    std::abort();
}

AssertHandler current_handler = printAndAbort;

}  // namespace

AssertHandler setAssertHandler(AssertHandler handler) {
    AssertHandler before = current_handler;
    current_handler = handler != nullptr ? handler : printAndAbort;
    return before;
}

void assertionFailed(const char* condition, const char* message, const char* file, int line) {
    current_handler(condition, message, file, line);
}

}  // namespace warpath
