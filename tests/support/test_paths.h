#pragma once

#include <string>

namespace warpath {

/// The root of the source tree, ending in a slash. One file knows it, so that a compiler cache serves every checkout.
std::string sourceRoot();

/// The folder of the benchmark maps, ending in a slash. It need not exist.
std::string benchmarkData();

}  // namespace warpath
