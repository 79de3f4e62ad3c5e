// The chunk kernel's sweeps in 8 lanes.
#if defined(__x86_64__) && defined(__GNUC__)
#include "grid/chunk_kernel_sweeps.h"

namespace warpath::chunk_kernel {
const Sweeps kSweepsAvx2{&Sweeper<8>::prepare, &Sweeper<8>::relax, &octileDistances};
}  // namespace warpath::chunk_kernel
#endif
