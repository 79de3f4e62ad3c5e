// The loops of threat_kernels.cpp, compiled once for each instruction set: no include guard by purpose. WARPATH_TARGET selects the set.
// Whole functions are repeated because compilers split wide vectors before they inline.

WARPATH_TARGET static void blur(BlurPiece& piece, std::uint16_t* out, int stride) {
    const int radius = piece.radius, padded = piece.width + 2 * radius;
    for (int y = 0; y < piece.height; ++y) {
        const float* weights = piece.row_weights[y];
        for (int x = 0; x < padded; x += kLanes) {
            const float* centre = piece.in + (y + radius) * kPaddedStride + x;
            Floats sum;
            if (weights == piece.inner) {
                sum = loadFloats(centre) * weights[radius];
                for (int k = 1; k <= radius; ++k) {
                    sum += (loadFloats(centre - k * kPaddedStride) + loadFloats(centre + k * kPaddedStride)) * weights[radius + k];
                }
            } else {
                sum = loadFloats(centre - radius * kPaddedStride) * weights[0];
                for (int k = 1 - radius; k <= radius; ++k) sum += loadFloats(centre + k * kPaddedStride) * weights[radius + k];
            }
            const Ints whole = (__builtin_convertvector(sum, Ints) + 512) >> 10;
            storeFloats(piece.mid + y * kPaddedStride + x, __builtin_convertvector(whole, Floats));
        }
    }
    int first = 0, last = piece.width;  // columns away from the borders
    while (first < last && piece.column_weights[first] != piece.inner) ++first;
    while (last > first && piece.column_weights[last - 1] != piece.inner) --last;
    for (int y = 0; y < piece.height; ++y) {
        const float* line = piece.mid + y * kPaddedStride + radius;
        std::uint16_t* to = out + y * stride;
        for (int x = first > 0 ? 0 : last; x < piece.width; x = x + 1 == first ? last : x + 1) {  // all but first..last-1
            const float* weights = piece.column_weights[x];
            float sum = 0.0f;
            for (int k = -radius; k <= radius; ++k) sum += line[x + k] * weights[radius + k];
            to[x] = static_cast<std::uint16_t>((static_cast<int>(sum) + 512) >> 10);
        }
        const float* weights = piece.inner;
        for (int x = first; x < last; x += kLanes) {
            Floats sum = loadFloats(line + x) * weights[radius];
            for (int k = 1; k <= radius; ++k) sum += (loadFloats(line + x - k) + loadFloats(line + x + k)) * weights[radius + k];
            const Ints whole = (__builtin_convertvector(sum, Ints) + 512) >> 10;
            const Shorts narrow = __builtin_convertvector(whole, Shorts);
            if (last - x >= kLanes) {
                std::memcpy(to + x, &narrow, sizeof narrow);
            } else {
                std::memcpy(to + x, &narrow, static_cast<std::size_t>(last - x) * sizeof(std::uint16_t));
            }
        }
    }
}

WARPATH_TARGET static void add(std::uint32_t* to, const std::uint32_t* what, int blocks) {
    for (int i = 0; i < blocks * kLanes; i += kLanes) storeUnsigned(to + i, loadUnsigned(to + i) + loadUnsigned(what + i));
}

WARPATH_TARGET static void subtract(std::uint32_t* from, const std::uint32_t* what, int blocks) {
    for (int i = 0; i < blocks * kLanes; i += kLanes) storeUnsigned(from + i, loadUnsigned(from + i) - loadUnsigned(what + i));
}

WARPATH_TARGET static void convert(const std::uint32_t* raw, int count, float* out) {
    int i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const Unsigneds shifted = (loadUnsigned(raw + i) + 32u) >> 6;
        const Ints whole = __builtin_convertvector(shifted, Ints);
        const Ints over = whole > kMaxStoredThreat;  // all ones where capped
        storeFloats(out + i, __builtin_convertvector((whole & ~over) | (over & kMaxStoredThreat), Floats));
    }
    for (; i < count; ++i) {
        const std::uint32_t whole = (raw[i] + 32u) >> 6;
        out[i] = static_cast<float>(whole < kMaxStoredThreat ? whole : kMaxStoredThreat);
    }
}

static constexpr Kernels kKernels{&blur, &add, &subtract, &convert};
