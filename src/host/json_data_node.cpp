#include "warpath/host/json_data_node.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

namespace warpath {

struct JsonDataNode::Value {
    struct Array {
        std::vector<Value> items;
    };
    struct Object {
        std::vector<std::string> names;      // in the order of the document
        std::vector<Value> values;           // likewise
        std::vector<std::uint32_t> by_name;  // indices of both, ordered by name
    };
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::unique_ptr<Array>, std::unique_ptr<Object>> data;

    template <typename T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&data);
    }
    [[nodiscard]] const Array* array() const {
        const auto* pointer = as<std::unique_ptr<Array>>();
        return pointer ? pointer->get() : nullptr;
    }
    [[nodiscard]] const Object* object() const {
        const auto* pointer = as<std::unique_ptr<Object>>();
        return pointer ? pointer->get() : nullptr;
    }
};

namespace {

using Value = JsonDataNode::Value;

constexpr std::size_t kMaxDepth = 512;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

/// At most 60 characters, printable ASCII only, so that an error can be put into any message.
std::string printable(std::string_view text) {
    std::string out(text.substr(0, 60));
    for (char& c : out) {
        if (c < ' ' || c > '~') c = '?';
    }
    if (text.size() > out.size()) out += "...";
    return out;
}

Error syntaxError(std::string_view text, std::size_t bytes_read, const std::string& last_token, std::string_view what) {
    const std::size_t end = std::min(bytes_read == 0 ? 0 : bytes_read - 1, text.size());
    const std::string_view before = text.substr(0, end);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = newline == std::string_view::npos ? end + 1 : end - newline;
    // The parser's message reads "[json.exception...] parse error at line 1, column 2: syntax error while parsing value - ...".
    for (const std::string_view intro : {"syntax error ", "] "}) {
        if (const std::size_t at = what.find(intro); at != std::string_view::npos) {
            what.remove_prefix(at + intro.size());
            break;
        }
    }
    Error error;
    error.field = "line " + std::to_string(line) + ", column " + std::to_string(column);
    error.value = last_token.empty() ? "end of text" : printable(last_token);
    error.remedy = "not valid JSON: ";
    for (const char c : what.substr(0, 200)) error.remedy += c < ' ' || c > '~' ? '?' : c;
    return error;
}

/// Receives the parser's events and grows the tree.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
    TreeBuilder(std::string_view text, std::size_t max_depth) : text_(text), max_depth_(max_depth) {}

    bool null() override { return add({}); }
    bool boolean(bool value) override { return add({value}); }
    bool number_integer(number_integer_t value) override { return add({std::int64_t{value}}); }
    bool number_unsigned(number_unsigned_t value) override {
        constexpr auto kMax = static_cast<std::uint64_t>(INT64_MAX);
        return value <= kMax ? add({static_cast<std::int64_t>(value)}) : add({static_cast<double>(value)});
    }
    bool number_float(number_float_t value, const string_t&) override { return add({value}); }
    bool string(string_t& value) override { return add({std::move(value)}); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open({std::make_unique<Value::Object>()}); }
    bool start_array(std::size_t) override { return open({std::make_unique<Value::Array>()}); }
    bool key(string_t& name) override {
        std::get<std::unique_ptr<Value::Object>>(open_.back().data)->names.push_back(std::move(name));
        return true;
    }
    bool end_array() override { return close(); }
    bool end_object() override {
        Value::Object& object = *std::get<std::unique_ptr<Value::Object>>(open_.back().data);
        object.by_name.resize(object.names.size());
        for (std::uint32_t i = 0; i < object.by_name.size(); ++i) object.by_name[i] = i;
        // Equal names in the order of the document, so that the second is the one that is reported.
        std::sort(object.by_name.begin(), object.by_name.end(), [&](std::uint32_t a, std::uint32_t b) {
            const int order = object.names[a].compare(object.names[b]);
            return order != 0 ? order < 0 : a < b;
        });
        for (std::size_t i = 1; i < object.by_name.size(); ++i) {
            const std::string& name = object.names[object.by_name[i]];
            if (name != object.names[object.by_name[i - 1]]) continue;
            error = Error{path(open_.size() - 1, name), "given twice", "keep one of the two members"};
            return false;
        }
        return close();
    }
    bool parse_error(std::size_t position, const std::string& last_token, const nlohmann::detail::exception& what) override {
        error = syntaxError(text_, position, last_token, what.what());
        return false;
    }

    Value root;
    std::optional<Error> error;

private:
    bool open(Value value) {
        if (open_.size() == max_depth_) {
            error = Error{path(std::min<std::size_t>(open_.size(), 3), "..."),
                          "nested deeper than " + std::to_string(max_depth_) + " levels", "nest the data less deeply"};
            return false;
        }
        open_.push_back(std::move(value));
        return true;
    }
    bool close() {
        Value done = std::move(open_.back());
        open_.pop_back();
        return add(std::move(done));
    }
    bool add(Value value) {
        if (open_.empty()) {
            root = std::move(value);
        } else if (auto* array = std::get_if<std::unique_ptr<Value::Array>>(&open_.back().data)) {
            (*array)->items.push_back(std::move(value));
        } else {
            std::get<std::unique_ptr<Value::Object>>(open_.back().data)->values.push_back(std::move(value));
        }
        return true;
    }
    /// Where the innermost of the first `levels` open values is, with `last` appended: "units.3.name".
    [[nodiscard]] std::string path(std::size_t levels, std::string_view last) const {
        std::string out;
        for (std::size_t i = 0; i < levels; ++i) {
            if (const Value::Object* object = open_[i].object()) {
                out += printable(object->names.back());
            } else {
                out += std::to_string(open_[i].array()->items.size());
            }
            out += '.';
        }
        return out + printable(last);
    }

    std::string_view text_;
    std::size_t max_depth_;
    std::vector<Value> open_;
};

void writeString(const std::string& text, std::string& out) {
    out += '"';
    for (const char c : text) {
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\b':
                out += "\\b";
                break;
            case '\f':
                out += "\\f";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    constexpr std::string_view kHex = "0123456789abcdef";
                    out += "\\u00";
                    out += kHex[static_cast<unsigned char>(c) >> 4];
                    out += kHex[c & 15];
                } else {
                    out += c;
                }
        }
    }
    out += '"';
}

template <typename Number>
void writeNumber(Number number, std::string& out) {
    std::array<char, 40> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
    const std::string_view digits(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    out += digits;
    // A real stays a real when it is read again.
    if (std::is_floating_point_v<Number> && digits.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void write(const Value& value, std::string& out) {
    if (const auto* boolean = value.as<bool>()) {
        out += *boolean ? "true" : "false";
    } else if (const auto* integer = value.as<std::int64_t>()) {
        writeNumber(*integer, out);
    } else if (const auto* real = value.as<double>()) {
        writeNumber(*real, out);
    } else if (const auto* text = value.as<std::string>()) {
        writeString(*text, out);
    } else if (const auto* array = value.array()) {
        out += '[';
        for (std::size_t i = 0; i < array->items.size(); ++i) {
            if (i != 0) out += ',';
            write(array->items[i], out);
        }
        out += ']';
    } else if (const auto* object = value.object()) {
        out += '{';
        for (std::size_t i = 0; i < object->names.size(); ++i) {
            if (i != 0) out += ',';
            writeString(object->names[i], out);
            out += ':';
            write(object->values[i], out);
        }
        out += '}';
    } else {
        out += "null";
    }
}

}  // namespace

ParsedJson JsonDataNode::parse(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.max_bytes) {
        return {nullptr,
                Error{"text", std::to_string(text.size()) + " bytes", "at most " + std::to_string(limits.max_bytes) + " are allowed"}};
    }
    TreeBuilder builder(text, std::clamp<std::size_t>(limits.max_depth, 1, kMaxDepth));
    const bool complete = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    if (builder.error || !complete) {
        return {nullptr, builder.error ? std::move(builder.error) : Error{"text", "unreadable", "give valid JSON"}};
    }
    return {std::make_shared<JsonDataNode>(std::make_shared<const Value>(std::move(builder.root))), std::nullopt};
}

DataType JsonDataNode::type() const {
    constexpr std::array kTypes{DataType::null,   DataType::boolean, DataType::integer, DataType::real,
                                DataType::string, DataType::array,   DataType::object};
    return kTypes[value_->data.index()];
}

std::optional<bool> JsonDataNode::boolean() const {
    const auto* value = value_->as<bool>();
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::int64_t> JsonDataNode::integer() const {
    if (const auto* value = value_->as<std::int64_t>()) return *value;
    if (const auto* real = value_->as<double>(); real && std::abs(*real) <= kExactIntegers && *real == std::trunc(*real)) {
        return static_cast<std::int64_t>(*real);
    }
    return std::nullopt;
}

std::optional<double> JsonDataNode::number() const {
    if (const auto* value = value_->as<double>()) return *value;
    if (const auto* value = value_->as<std::int64_t>()) return static_cast<double>(*value);
    return std::nullopt;
}

std::optional<std::string> JsonDataNode::text() const {
    const auto* value = value_->as<std::string>();
    return value ? std::optional(*value) : std::nullopt;
}

std::size_t JsonDataNode::size() const {
    if (const auto* array = value_->array()) return array->items.size();
    if (const auto* object = value_->object()) return object->names.size();
    return 0;
}

std::shared_ptr<const IDataNode> JsonDataNode::child(std::string_view name) const {
    const auto* object = value_->object();
    if (!object) return nullptr;
    const auto found = std::lower_bound(object->by_name.begin(), object->by_name.end(), name,
                                        [&](std::uint32_t i, std::string_view wanted) { return object->names[i] < wanted; });
    if (found == object->by_name.end() || object->names[*found] != name) return nullptr;
    return std::make_shared<JsonDataNode>(std::shared_ptr<const Value>(value_, &object->values[*found]));
}

std::shared_ptr<const IDataNode> JsonDataNode::at(std::size_t index) const {
    if (index >= size()) return nullptr;
    const auto* array = value_->array();
    return std::make_shared<JsonDataNode>(
        std::shared_ptr<const Value>(value_, array ? &array->items[index] : &value_->object()->values[index]));
}

std::vector<std::string> JsonDataNode::keys() const {
    const auto* object = value_->object();
    return object ? object->names : std::vector<std::string>{};
}

std::string JsonDataNode::toJson() const {
    std::string out;
    write(*value_, out);
    return out;
}

}  // namespace warpath
