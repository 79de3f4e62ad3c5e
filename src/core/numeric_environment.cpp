// Refuses to compile where equal inputs would not give equal answers.
#include <cfloat>

#if defined(__FAST_MATH__)
#error "warpath needs exact IEEE arithmetic: build it without -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "warpath needs float expressions evaluated in float (use SSE2 instead of x87)"
#endif
