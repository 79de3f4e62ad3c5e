// The chunk kernel's sweeps in 4 lanes.
#if defined(__GNUC__)
#include "grid/chunk_kernel_sweeps.h"

namespace warpath::chunk_kernel {
const Sweeps kSweepsLanes4{&Sweeper<4>::prepare, &Sweeper<4>::relax, &octileDistances};
}  // namespace warpath::chunk_kernel
#endif
