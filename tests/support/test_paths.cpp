#include "support/test_paths.h"

namespace warpath {

std::string sourceRoot() { return WARPATH_SOURCE_DIR "/"; }

std::string benchmarkData() { return WARPATH_TEST_DATA "/"; }

}  // namespace warpath
