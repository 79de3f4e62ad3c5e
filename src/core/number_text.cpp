#include "warpath/core/number_text.h"

#include <charconv>

namespace warpath {

std::string numberText(float value) {
    char text[32];
    const auto result = std::to_chars(text, text + sizeof text, value);
    return {text, result.ptr};
}

std::string numberText(double value) {
    char text[32];
    const auto result = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 7);
    return {text, result.ptr};
}

}  // namespace warpath
