#include "io/json_reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "io/text_input.h"

namespace warpath {
namespace {

constexpr double kLargestExact = 9007199254740992.0;  // 2^53

/// Walks a document without building it: syntax, depth, members given twice, and the place where a path begins.
class Scanner {
public:
    using number_integer_t = Json::number_integer_t;
    using number_unsigned_t = Json::number_unsigned_t;
    using number_float_t = Json::number_float_t;
    using string_t = Json::string_t;
    using binary_t = Json::binary_t;

    /// @param target The path to look for, or null. @param consumed Counts the bytes read.
    Scanner(const std::string* target, const std::size_t& consumed) : target_(target), consumed_(consumed) {}

    bool null() { return value(); }
    bool boolean(bool) { return value(); }
    bool number_integer(number_integer_t) { return value(); }
    bool number_unsigned(number_unsigned_t) { return value(); }
    bool number_float(number_float_t, const string_t&) { return value(); }
    bool string(string_t&) { return value(); }
    bool binary(binary_t&) { return value(); }
    bool start_object(std::size_t) { return open(true); }
    bool start_array(std::size_t) { return open(false); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(string_t& name) {
        Level& level = levels_.back();
        if (!level.members.insert(name).second) {
            complaint = {"the member " + quotedText(name) + " twice", "give each member once"};
            return false;
        }
        if (target_ != nullptr) {
            level.current = joinPath(level.path, name);
            if (level.current == *target_) return found();
        }
        return true;
    }

    bool parse_error(std::size_t position, const std::string& token, const Json::exception& reason) {
        error_position = position;
        if (reason.id == 406) {
            complaint = {"the number " + quotedText(token), "use a number that a double can hold"};
        } else {
            const bool at_end = std::string_view(reason.what()).find("unexpected end of input") != std::string_view::npos;
            complaint = {at_end ? "an end of the text where more is needed" : "unexpected " + quotedText(token), "write valid JSON"};
        }
        return false;
    }

    std::pair<std::string, std::string> complaint;  // value and remedy; empty when the text is sound
    std::size_t error_position = 0;                 // of a syntax error, from 1; 0: take what was consumed
    std::size_t found_at = 0;                       // bytes read when the target's key or element came, 0: not found

private:
    struct Level {
        bool is_object = false;
        std::string path;
        std::string current;
        std::size_t next_index = 0;
        std::set<std::string> members;
    };

    bool found() {
        found_at = consumed_;
        return false;
    }

    /// A value begins; false when it is the one looked for.
    bool value() {
        if (target_ == nullptr || levels_.empty() || levels_.back().is_object) return true;
        Level& level = levels_.back();
        level.current = joinPath(level.path, level.next_index++);
        return level.current != *target_ || found();
    }

    bool open(bool is_object) {
        if (!value()) return false;
        if (levels_.size() == kMaxJsonDepth) {
            complaint = {"more than " + std::to_string(kMaxJsonDepth) + " levels", "nest less deeply"};
            return false;
        }
        Level level;
        level.is_object = is_object;
        if (!levels_.empty()) level.path = levels_.back().current;
        levels_.push_back(std::move(level));
        return true;
    }

    bool close() {
        levels_.pop_back();
        return true;
    }

    const std::string* target_;
    const std::size_t& consumed_;
    std::vector<Level> levels_;
};

/// Reads bytes and counts them.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        ++at_;
        if (count_ != nullptr) ++*count_;
        return *this;
    }
    CountingIterator operator++(int) {
        const CountingIterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

private:
    const char* at_;
    std::size_t* count_;
};

/// Runs the scanner over a text, counting the bytes read.
void scan(std::string_view text, Scanner& scanner, std::size_t& consumed) {
    static_cast<void>(Json::sax_parse(CountingIterator(text.data(), &consumed), CountingIterator(text.data() + text.size(), nullptr), &scanner));
}

/// Line (from 1) and column (from 1) of the last of `bytes` bytes.
std::pair<std::size_t, std::size_t> placeOf(std::string_view text, std::size_t bytes) {
    const std::string_view before = text.substr(0, bytes == 0 ? 0 : std::min(bytes, text.size()) - 1);
    const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    const std::size_t start = before.rfind('\n');
    return {line, start == std::string_view::npos ? before.size() + 1 : before.size() - start};
}

bool isWord(std::string_view key) {
    return !key.empty() && key.size() <= 40 &&
           std::all_of(key.begin(), key.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

std::string rangeText(double low, double high) { return "from " + numberText(low) + " to " + numberText(high); }

/// The whole number that a value holds.
std::optional<std::int64_t> wholeNumber(const Json& value) {
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
        return static_cast<std::int64_t>(number);
    }
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (!value.is_number_float()) return std::nullopt;
    const auto number = value.get<double>();
    if (!(std::fabs(number) <= kLargestExact) || number != std::floor(number)) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

/// Elements of `[a, b, ...]` or members of an object with these names.
bool readTuple(const Json& value, const std::string& path, std::span<const char* const> names, std::span<const Json*> out,
               std::optional<Error>& error) {
    std::string form = "[", members = "{";
    for (std::size_t i = 0; i < names.size(); ++i) {
        form += std::string(i == 0 ? "" : ", ") + names[i];
        members += std::string(i == 0 ? "\"" : ", \"") + names[i] + "\": " + names[i];
    }
    const std::string remedy = "use " + form + "] or " + members + "}";
    if (value.is_array() && value.size() == names.size()) {
        for (std::size_t i = 0; i < names.size(); ++i) out[i] = &value[i];
        return true;
    }
    if (!value.is_object()) {
        noteError(error, path, describeJson(value), remedy);
        return false;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto member = value.find(names[i]);
        if (member == value.end()) {
            noteError(error, joinPath(path, names[i]), "missing", remedy);
            return false;
        }
        out[i] = &*member;
    }
    for (const auto& item : value.items()) {
        const std::string& key = item.key();
        if (std::none_of(names.begin(), names.end(), [&](const char* name) { return key == name; })) {
            noteError(error, joinPath(path, key), "an unknown field", remedy);
            return false;
        }
    }
    return true;
}

}  // namespace

std::variant<Json, Error> parseJson(std::string_view text, std::string_view name) {
    std::size_t consumed = 0;
    Scanner scanner(nullptr, consumed);
    scan(text, scanner, consumed);
    const std::size_t zero = text.find('\0');  // which the parser takes for the end
    if (zero != std::string_view::npos && (scanner.complaint.first.empty() || consumed > zero)) {
        scanner.complaint = {"a byte of value 0", "write valid JSON"};
        scanner.error_position = zero + 1;
    }
    if (!scanner.complaint.first.empty()) {
        const auto [line, column] = placeOf(text, scanner.error_position != 0 ? scanner.error_position : consumed);
        auto& [value, remedy] = scanner.complaint;
        value += " at column " + std::to_string(column);
        if (name.empty()) return Error{"json", value + (line == 1 ? "" : " of line " + std::to_string(line)), remedy};
        return errorAt(name, line, value, remedy);
    }
    Json document = Json::parse(text, nullptr, false);
    if (document.is_discarded()) return Error{name.empty() ? "json" : std::string(name), "not JSON", "write valid JSON"};
    return document;
}

std::string describeJson(const Json& value) {
    switch (value.type()) {
        case Json::value_t::object: return "an object";
        case Json::value_t::array: return "an array of " + std::to_string(value.size());
        case Json::value_t::string: return quotedText(value.get_ref<const std::string&>());
        case Json::value_t::null: return "null";
        case Json::value_t::boolean: return value.get<bool>() ? "true" : "false";
        case Json::value_t::number_integer: return std::to_string(value.get<std::int64_t>());
        case Json::value_t::number_unsigned: return std::to_string(value.get<std::uint64_t>());
        case Json::value_t::number_float: return value.dump();
        case Json::value_t::binary:
        case Json::value_t::discarded: break;
    }
    return "not JSON";
}

Error locateError(Error error, std::string_view text, std::string_view name) {
    std::size_t consumed = 0;
    std::string target = error.field;
    while (!target.empty()) {  // a missing member has no line of its own: take that of the object it is missing from
        consumed = 0;
        Scanner scanner(&target, consumed);
        scan(text, scanner, consumed);
        if (scanner.found_at != 0) {
            error.field = std::string(name) + ":" + std::to_string(placeOf(text, scanner.found_at).first) + ": " + error.field;
            return error;
        }
        const std::size_t cut = target.find_last_of(".[");
        target.resize(cut == std::string::npos ? 0 : cut);
    }
    error.field = std::string(name) + ": " + error.field;
    return error;
}

std::string joinPath(const std::string& path, std::string_view key) {
    const std::string shown = isWord(key) ? std::string(key) : quotedText(key);
    return path.empty() ? shown : path + "." + shown;
}

std::string joinPath(const std::string& path, std::size_t index) { return path + "[" + std::to_string(index) + "]"; }

void noteError(std::optional<Error>& error, std::string path, std::string value, std::string remedy) {
    if (!error) error = Error{path.empty() ? "json" : std::move(path), std::move(value), std::move(remedy)};
}

bool readNumber(const Json& value, const std::string& path, double& out, double low, double high, std::optional<Error>& error) {
    if (value.is_number()) {
        const auto number = value.get<double>();
        if (number >= low && number <= high) {
            out = number;
            return true;
        }
    }
    noteError(error, path, describeJson(value), "use a number " + rangeText(low, high));
    return false;
}

bool readFloat(const Json& value, const std::string& path, float& out, float low, float high, std::optional<Error>& error) {
    // Limits are floats, and 0.1f is a little more than 0.1: the value is compared after it became a float.
    if (value.is_number()) {
        const auto number = value.get<double>();
        if (std::fabs(number) <= 3.4e38) {
            const auto narrow = static_cast<float>(number);
            if (narrow >= low && narrow <= high) {
                out = narrow;
                return true;
            }
        }
    }
    noteError(error, path, describeJson(value), "use a number " + rangeText(static_cast<double>(low), static_cast<double>(high)));
    return false;
}

bool readInteger(const Json& value, const std::string& path, std::int64_t& out, std::int64_t low, std::int64_t high, std::optional<Error>& error) {
    const auto number = wholeNumber(value);
    if (number && *number >= low && *number <= high) {
        out = *number;
        return true;
    }
    noteError(error, path, describeJson(value), "use a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return false;
}

bool readBool(const Json& value, const std::string& path, bool& out, std::optional<Error>& error) {
    if (value.is_boolean()) {
        out = value.get<bool>();
        return true;
    }
    noteError(error, path, describeJson(value), "use true or false");
    return false;
}

bool readString(const Json& value, const std::string& path, std::string& out, std::optional<Error>& error) {
    if (value.is_string()) {
        out = value.get_ref<const std::string&>();
        return true;
    }
    noteError(error, path, describeJson(value), "use a string");
    return false;
}

bool readPosition(const Json& value, const std::string& path, Position& out, std::optional<Error>& error) {
    static constexpr const char* kNames[] = {"x", "y"};
    const Json* parts[2] = {};
    if (!readTuple(value, path, kNames, parts, error)) return false;
    Position read;
    if (!readFloat(*parts[0], value.is_array() ? joinPath(path, std::size_t{0}) : joinPath(path, "x"), read.x, -kMaxCoordinate, kMaxCoordinate, error)) return false;
    if (!readFloat(*parts[1], value.is_array() ? joinPath(path, std::size_t{1}) : joinPath(path, "y"), read.y, -kMaxCoordinate, kMaxCoordinate, error)) return false;
    out = read;
    return true;
}

bool readCell(const Json& value, const std::string& path, Cell& out, std::optional<Error>& error) {
    static constexpr const char* kNames[] = {"x", "y"};
    constexpr auto kLimit = static_cast<std::int64_t>(kMaxCoordinate);
    const Json* parts[2] = {};
    std::int64_t read[2] = {};
    if (!readTuple(value, path, kNames, parts, error)) return false;
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string where = value.is_array() ? joinPath(path, i) : joinPath(path, kNames[i]);
        if (!readInteger(*parts[i], where, read[i], -kLimit, kLimit, error)) return false;
    }
    out = {static_cast<std::int32_t>(read[0]), static_cast<std::int32_t>(read[1])};
    return true;
}

bool readRect(const Json& value, const std::string& path, CellRect& out, std::optional<Error>& error) {
    static constexpr const char* kNames[] = {"x", "y", "width", "height"};
    constexpr auto kLimit = static_cast<std::int64_t>(kMaxCoordinate);
    const Json* parts[4] = {};
    std::int64_t read[4] = {};
    if (!readTuple(value, path, kNames, parts, error)) return false;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::string where = value.is_array() ? joinPath(path, i) : joinPath(path, kNames[i]);
        if (!readInteger(*parts[i], where, read[i], i < 2 ? -kLimit : 1, kLimit, error)) return false;
    }
    out = {static_cast<std::int32_t>(read[0]), static_cast<std::int32_t>(read[1]), static_cast<std::int32_t>(read[2]),
           static_cast<std::int32_t>(read[3])};
    return true;
}

bool readName(const Json& value, const std::string& path, std::size_t& out, std::span<const char* const> names, std::optional<Error>& error) {
    std::string list;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (value.is_string() && value.get_ref<const std::string&>() == names[i]) {
            out = i;
            return true;
        }
        list += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
    }
    noteError(error, path, describeJson(value), "use " + list);
    return false;
}

JsonObject::JsonObject(const Json& value, std::string path, std::optional<Error>& error) : object_(nullptr), path_(std::move(path)), error_(error) {
    if (value.is_object()) {
        object_ = &value;
    } else {
        noteError(error_, path_, describeJson(value), "use an object {...}");
    }
}

const Json* JsonObject::find(std::string_view key) {
    known_.emplace_back(key);
    if (object_ == nullptr || error_) return nullptr;
    const auto member = object_->find(known_.back());
    return member == object_->end() ? nullptr : &*member;
}

bool JsonObject::require(std::string_view key) {
    if (object_ == nullptr || error_) return false;
    if (object_->contains(std::string(key))) return true;
    noteError(error_, pathOf(key), "missing", "give it");
    return false;
}

bool JsonObject::read(std::string_view key, double& out, double low, double high) {
    const Json* value = find(key);
    return value != nullptr && readNumber(*value, pathOf(key), out, low, high, error_);
}

bool JsonObject::read(std::string_view key, float& out, float low, float high) {
    const Json* value = find(key);
    return value != nullptr && readFloat(*value, pathOf(key), out, low, high, error_);
}

bool JsonObject::read(std::string_view key, std::optional<float>& out, float low, float high) {
    float number = 0.0f;
    if (!read(key, number, low, high)) return false;
    out = number;
    return true;
}

bool JsonObject::read(std::string_view key, std::int64_t& out, std::int64_t low, std::int64_t high) {
    const Json* value = find(key);
    return value != nullptr && readInteger(*value, pathOf(key), out, low, high, error_);
}

bool JsonObject::read(std::string_view key, std::int32_t& out, std::int32_t low, std::int32_t high) {
    std::int64_t number = 0;
    if (!read(key, number, std::int64_t{low}, std::int64_t{high})) return false;
    out = static_cast<std::int32_t>(number);
    return true;
}

bool JsonObject::read(std::string_view key, std::uint32_t& out, std::uint32_t low, std::uint32_t high) {
    std::int64_t number = 0;
    if (!read(key, number, std::int64_t{low}, std::int64_t{high})) return false;
    out = static_cast<std::uint32_t>(number);
    return true;
}

bool JsonObject::read(std::string_view key, bool& out) {
    const Json* value = find(key);
    return value != nullptr && readBool(*value, pathOf(key), out, error_);
}

bool JsonObject::read(std::string_view key, std::optional<bool>& out) {
    bool flag = false;
    if (!read(key, flag)) return false;
    out = flag;
    return true;
}

bool JsonObject::read(std::string_view key, std::string& out) {
    const Json* value = find(key);
    return value != nullptr && readString(*value, pathOf(key), out, error_);
}

bool JsonObject::read(std::string_view key, Position& out) {
    const Json* value = find(key);
    return value != nullptr && readPosition(*value, pathOf(key), out, error_);
}

bool JsonObject::read(std::string_view key, Cell& out) {
    const Json* value = find(key);
    return value != nullptr && readCell(*value, pathOf(key), out, error_);
}

bool JsonObject::read(std::string_view key, CellRect& out) {
    const Json* value = find(key);
    return value != nullptr && readRect(*value, pathOf(key), out, error_);
}

void JsonObject::finish() {
    if (object_ == nullptr || error_) return;
    for (const auto& [key, value] : object_->items()) {
        if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
        std::string list;
        for (std::size_t i = 0; i < known_.size(); ++i) {  // a field may have been looked for twice
            const auto end = known_.begin() + static_cast<std::ptrdiff_t>(i);
            if (std::find(known_.begin(), end, known_[i]) == end) list += (list.empty() ? "" : ", ") + known_[i];
        }
        noteError(error_, pathOf(key), "an unknown field", "known here: " + list);
        return;
    }
}

}  // namespace warpath
