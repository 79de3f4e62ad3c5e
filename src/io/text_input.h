// What the readers of text share: files, lines, numbers, and errors that name file and line.
//
//   LineReader lines(text);
//   while (lines.next()) if (lines.line().empty()) return errorAt(name, lines.number(), "an empty line", "remove it");
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/core/number_text.h"

namespace warpath {

/// Reads a whole file. Refuses, naming the path: what does not exist, is no file, cannot be read, or holds more than `limit` bytes (never
/// reading more than that).
[[nodiscard]] std::variant<std::string, Error> readFile(const std::string& path, std::size_t limit);

/// Writes a whole file through a temporary beside it, so that a failure leaves an older file as it was.
[[nodiscard]] std::optional<Error> writeFile(const std::string& path, std::string_view bytes);

/// Text for people: at most 40 characters between quotes, everything but printable ASCII as \xNN.
[[nodiscard]] std::string quotedText(std::string_view text);

/// An error at a line of a file.
[[nodiscard]] Error errorAt(std::string_view name, std::size_t line, std::string value, std::string remedy);

/// A whole decimal integer or number, without sign `+`, spaces or rest; nothing otherwise. Numbers are finite.
[[nodiscard]] std::optional<std::int64_t> parseInteger(std::string_view text);
[[nodiscard]] std::optional<double> parseNumber(std::string_view text);

/// The pieces between white space.
[[nodiscard]] std::vector<std::string_view> splitWhite(std::string_view line);

/// Steps through the lines of a text, which must outlive it. A byte order mark in front and the \r of CRLF are left out.
class LineReader {
public:
    explicit LineReader(std::string_view text);

    /// Moves to the next line; false at the end. A text that ends in a line break has no empty line behind it.
    bool next();
    [[nodiscard]] std::string_view line() const { return line_; }
    /// From 1; 0 before the first.
    [[nodiscard]] std::size_t number() const { return number_; }
    /// Bytes not yet read.
    [[nodiscard]] std::size_t remaining() const { return rest_.size(); }

private:
    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
};

}  // namespace warpath
