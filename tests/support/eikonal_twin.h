// The slow, obvious twin of fast marching: doubles, a heap, one cell at a time in exact order of distance.
//
//   twin::EikonalField field{rows, columns, f, start};      // start: exact values to begin with, infinity elsewhere
//   std::vector<double> distances = twin::marchSlowly(field, 2);
#pragma once

#include <vector>

namespace warpath::twin {

struct EikonalField {
    int width = 0, height = 0;
    std::vector<double> f;      ///< Per metre, by row; 0: wall.
    std::vector<double> start;  ///< Known distances by row; infinity: to be found.
};

/// Textbook fast marching (Sethian 1996, 1999) from the known cells outwards. @param order 1 or 2.
[[nodiscard]] std::vector<double> marchSlowly(const EikonalField& field, int order);

}  // namespace warpath::twin
