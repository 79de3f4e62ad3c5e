// What is told about bad input that came from outside.
//
//   if (auto error = world.edit(...).error) log(error->text());
//   // "rect: [900,10,4,4] lies outside the map; use cells within [0,0,512,512]"
#pragma once

#include <string>

namespace warpath {

/// One refused input: which field, what it held, what to change. Nothing has been changed when an Error is returned.
struct Error {
    std::string field;
    std::string value;
    std::string remedy;

    /// One line: "field: value; remedy".
    [[nodiscard]] std::string text() const { return field + ": " + value + "; " + remedy; }
    friend bool operator==(const Error&, const Error&) = default;
};

}  // namespace warpath
