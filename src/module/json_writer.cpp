#include "module/json_writer.h"

#include <charconv>
#include <cmath>

namespace warpath::module_detail {
namespace {

/// Length of the UTF-8 sequence at `at`, 0 when there is none.
std::size_t sequenceLength(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto more = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
    const unsigned first = byte(at), second = byte(at + 1);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return more(at + 1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        if (!more(at + 1) || !more(at + 2) || (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
        return 3;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        if (!more(at + 1) || !more(at + 2) || !more(at + 3) || (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
        return 4;
    }
    return 0;
}

template <class T>
std::string_view shortest(T number, char (&buffer)[40]) {
    if (!std::isfinite(number)) return "null";
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    return {buffer, static_cast<std::size_t>(end - buffer)};
}

}  // namespace

JsonWriter& JsonWriter::open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
}

void JsonWriter::separate() {
    if (!first_) text_ += ',';
    first_ = false;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    quote(name);
    text_ += ':';
    first_ = true;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    separate();
    quote(text);
    return *this;
}

JsonWriter& JsonWriter::value(float number) {
    char buffer[40];
    return raw(shortest(number, buffer));
}

JsonWriter& JsonWriter::value(double number) {
    char buffer[40];
    return raw(shortest(number, buffer));
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    separate();
    text_ += json;
    return *this;
}

void JsonWriter::quote(std::string_view text) {
    text_ += '"';
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '"' || c == '\\') {
            text_ += '\\';
            text_ += c;
            ++i;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            constexpr char digits[] = "0123456789abcdef";
            text_ += "\\u00";
            text_ += digits[static_cast<unsigned char>(c) >> 4];
            text_ += digits[static_cast<unsigned char>(c) & 15];
            ++i;
        } else if (const std::size_t length = sequenceLength(text, i); length > 0) {
            text_ += text.substr(i, length);
            i += length;
        } else {
            text_ += '?';
            ++i;
        }
    }
    text_ += '"';
}

}  // namespace warpath::module_detail
