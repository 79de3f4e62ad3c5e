// The chunk kernel's sweeps in 16 lanes.
#if defined(__x86_64__) && defined(__GNUC__)
#include "grid/chunk_kernel_sweeps.h"

namespace warpath::chunk_kernel {
const Sweeps kSweepsAvx512{&Sweeper<16>::prepare, &Sweeper<16>::relax, &octileDistances};
}  // namespace warpath::chunk_kernel
#endif
