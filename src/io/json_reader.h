// Strict reading of JSON: every field is known, of its type and within its limits, or there is an error that names it. For io, module and
// tools; the caller includes <nlohmann/json.hpp> in its own source.
//
//   auto parsed = parseJson(text, "world.json");
//   std::optional<Error> error;
//   JsonObject object(document, "", error);
//   object.require("width");
//   object.read("width", width, 1, 8192);
//   object.finish();                          // refuses fields nobody asked for
//   if (error) return *error;                 // "obstacles[3].height: -2; use a number from 0 to 81.91"
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "warpath/core/error.h"
#include "warpath/core/types.h"

namespace warpath {

using Json = nlohmann::json;

/// Deepest nesting that is read.
inline constexpr std::size_t kMaxJsonDepth = 64;

/// Parses one document: RFC 8259, nothing behind it, no member twice in an object, at most kMaxJsonDepth deep. Never throws.
/// The error's field is "name:line"; without a name (messages) it is "json" and the value tells the column.
[[nodiscard]] std::variant<Json, Error> parseJson(std::string_view text, std::string_view name);

/// What a value is, short enough for an error: numbers and literals as written, strings quoted and cut, "an array of 3", "an object".
[[nodiscard]] std::string describeJson(const Json& value);

/// Puts file and line in front of an error whose field is the path of a value in `text`: "world.json:12: obstacles[3].height".
[[nodiscard]] Error locateError(Error error, std::string_view text, std::string_view name);

/// "path.key" ("key" at the top); keys other than words are quoted.
[[nodiscard]] std::string joinPath(const std::string& path, std::string_view key);
[[nodiscard]] std::string joinPath(const std::string& path, std::size_t index);

/// Readers of single values. On failure they note the error, unless there is one already, and return false.
bool readNumber(const Json& value, const std::string& path, double& out, double low, double high, std::optional<Error>& error);
bool readFloat(const Json& value, const std::string& path, float& out, float low, float high, std::optional<Error>& error);
/// Also takes a number written with a fraction or exponent that is whole (3.0, 1e3).
bool readInteger(const Json& value, const std::string& path, std::int64_t& out, std::int64_t low, std::int64_t high, std::optional<Error>& error);
bool readBool(const Json& value, const std::string& path, bool& out, std::optional<Error>& error);
bool readString(const Json& value, const std::string& path, std::string& out, std::optional<Error>& error);
/// `[x, y]` or `{"x": x, "y": y}`, finite and within kMaxCoordinate.
bool readPosition(const Json& value, const std::string& path, Position& out, std::optional<Error>& error);
/// The same with whole numbers.
bool readCell(const Json& value, const std::string& path, Cell& out, std::optional<Error>& error);
/// `[x, y, width, height]` or an object of these four; sides of at least 1.
bool readRect(const Json& value, const std::string& path, CellRect& out, std::optional<Error>& error);
/// One of `names`; `out` is its index.
bool readName(const Json& value, const std::string& path, std::size_t& out, std::span<const char* const> names, std::optional<Error>& error);

/// Notes the first error only.
void noteError(std::optional<Error>& error, std::string path, std::string value, std::string remedy);

/// Reads the members of one object. Members that are absent leave `out` as it is. After an error every call does nothing.
/// Keeps references to all it is given.
class JsonObject {
public:
    /// @param path Where the object stands, for errors; "" at the top.
    JsonObject(const Json& value, std::string path, std::optional<Error>& error);

    /// The member, now known; null when it is absent.
    const Json* find(std::string_view key);
    /// Notes an error when a member is absent. @return whether it is there.
    bool require(std::string_view key);
    [[nodiscard]] std::string pathOf(std::string_view key) const { return joinPath(path_, key); }

    bool read(std::string_view key, double& out, double low, double high);
    bool read(std::string_view key, float& out, float low, float high);
    bool read(std::string_view key, std::optional<float>& out, float low, float high);
    bool read(std::string_view key, std::int64_t& out, std::int64_t low, std::int64_t high);
    bool read(std::string_view key, std::int32_t& out, std::int32_t low, std::int32_t high);
    bool read(std::string_view key, std::uint32_t& out, std::uint32_t low, std::uint32_t high);
    bool read(std::string_view key, bool& out);
    bool read(std::string_view key, std::optional<bool>& out);
    bool read(std::string_view key, std::string& out);
    bool read(std::string_view key, Position& out);
    bool read(std::string_view key, Cell& out);
    bool read(std::string_view key, CellRect& out);
    /// An enum whose values are 0, 1, 2, ... in the order of `names`.
    template <class Enum>
    bool readEnum(std::string_view key, Enum& out, std::span<const char* const> names) {
        std::size_t index = 0;
        const Json* value = find(key);
        if (value == nullptr || !readName(*value, pathOf(key), index, names, error_)) return false;
        out = static_cast<Enum>(index);
        return true;
    }

    /// Refuses members that nobody asked for.
    void finish();

private:
    const Json* object_;
    std::string path_;
    std::optional<Error>& error_;
    std::vector<std::string> known_;
};

}  // namespace warpath
