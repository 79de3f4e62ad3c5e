#include "support/allocation_counter.h"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#define WARPATH_HAS_FEATURE(feature) __has_feature(feature)
#else
#define WARPATH_HAS_FEATURE(feature) 0
#endif

namespace {
std::atomic<std::uint64_t> count{0}, bytes{0};
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || WARPATH_HAS_FEATURE(address_sanitizer) || WARPATH_HAS_FEATURE(thread_sanitizer)

// The sanitizers bring operators of their own, and a hook for those who want to know.
#include <sanitizer/allocator_interface.h>

namespace {
void counted(const volatile void*, std::size_t size) {
    ++count;
    bytes += size;
}
void ignored(const volatile void*) {}
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(counted, ignored);
}  // namespace

#else

void* operator new(std::size_t size) {
    ++count;
    bytes += size;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++count;
    bytes += size;
    return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#endif

namespace warpath {

std::uint64_t allocationCount() { return count; }
std::uint64_t allocatedBytes() { return bytes; }

}  // namespace warpath
