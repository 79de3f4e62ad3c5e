// Writes compact JSON text piece by piece, without a tree in between.
//
//   JsonWriter out;
//   out.beginObject().member("status", "found").key("path").beginArray();
//   out.endArray().endObject();  publish(std::move(out).text());
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "warpath/core/error.h"
#include "warpath/core/types.h"

namespace warpath::module_detail {

/// Numbers are the shortest text that reads back as the same float or double; NaN and infinities, which JSON lacks, are null.
/// Strings may hold any bytes: what is not UTF-8 becomes '?'.
class JsonWriter {
public:
    JsonWriter& beginObject() { return open('{'); }
    JsonWriter& endObject() { return close('}'); }
    JsonWriter& beginArray() { return open('['); }
    JsonWriter& endArray() { return close(']'); }
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
    JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
    JsonWriter& value(float number);
    JsonWriter& value(double number);
    template <std::integral T>
    JsonWriter& value(T number) {
        return raw(std::to_string(number));
    }
    /// `[x,y]`.
    JsonWriter& value(Position p) { return beginArray().value(p.x).value(p.y).endArray(); }
    JsonWriter& value(Vec2 v) { return beginArray().value(v.x).value(v.y).endArray(); }
    JsonWriter& value(Cell c) { return beginArray().value(c.x).value(c.y).endArray(); }
    JsonWriter& value(const Error& error) {
        return beginObject().member("field", error.field).member("value", error.value).member("remedy", error.remedy).endObject();
    }
    /// A value that is JSON text already.
    JsonWriter& raw(std::string_view json);

    template <class T>
    JsonWriter& member(std::string_view name, const T& v) {
        return key(name).value(v);
    }

    /// An array member: of each element of a range what `of` makes of it.
    template <class Range, class Of = std::identity>
    JsonWriter& values(std::string_view name, const Range& range, Of of = {}) {
        key(name).beginArray();
        for (const auto& v : range) value(std::invoke(of, v));
        return endArray();
    }

    [[nodiscard]] std::string text() && { return std::move(text_); }
    [[nodiscard]] const std::string& text() const& { return text_; }

private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    void separate();
    void quote(std::string_view text);

    std::string text_;
    bool first_ = true;  ///< Nothing stands before the next value at its level.
};

}  // namespace warpath::module_detail
